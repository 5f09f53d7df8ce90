//! An end of `flitforge sue tap` with `sue_top` in native code, set up by the host library.

use super::end::{Counted, End, Outcome};
use super::instance::{SueInstance, PARTITION};
use crate::exit::Failure;
use anyhow::Result;
use flitforge_fabric::sue::{Config, Sue};
use flitforge_model::sue::soak::SoakParameters;
use flitforge_protocol::register::DeviceId;
use flitforge_protocol::sue_registers::{rel1, SueCounter};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

const DEVICE: DeviceId = 0;
/// Clocks between two looks at the socket: while there is something to do; with nothing to do, one nap each; before the other end was heard for the first time.
/// That one may be started much later, and connections fail after some hundred RTO of silence.
const STEPS: u64 = 64;
const IDLE_STEPS: u64 = 16;
const UNHEARD_STEPS: u64 = 1;
/// Clocks whose time is measured, off.
const MEASURED: u64 = 20_000;
/// RTO is what the simulation does in so many parts of a second when it has something to do: 20 ms, much longer than another process sleeps. With nothing
/// to do it naps, and its clocks and RTO take longer.
const RTO_PARTS: f64 = 50.0;
/// RTO is at least as after power-on, clocks.
const LEAST_RTO: u64 = 3_200;
/// Questions until the port has to be up.
const QUESTIONS: usize = 10_000;

/// An end with hardware.
pub struct HardwareEnd {
    hardware: SueInstance,
    sue: Sue,
    timeout: u64,
    commands: u64,
    /// A frame of the other end has come.
    is_heard: bool,
}

impl HardwareEnd {
    /// XPU `own` of two, compiled and set up, with its port up.
    pub fn new(own: u16, parameters: SoakParameters, random: ChaCha8Rng) -> Result<Self> {
        let mut hardware = SueInstance::new(own, parameters, random)?;
        let sue = Sue::open(&mut hardware, DEVICE)?;
        let timeout = timeout(&mut hardware);
        let config = Config {
            xpu: own,
            format: parameters.framing.format(),
            window: parameters.window.into(),
            timeout,
            retries: rel1::retry_max::FIELD.ones(),
            partitions: vec![PARTITION],
            ..Config::default()
        };
        sue.configure(&mut hardware, &config)?;
        let peer = 1 - own;
        sue.reach(&mut hardware, peer, 1)?;
        for _ in 0..QUESTIONS {
            if sue.reached(&mut hardware, peer)? != 0 {
                return Ok(Self { hardware, sue, timeout, commands: parameters.commands, is_heard: false });
            }
        }
        Err(Failure::check(format!("the port is not up after {} clocks", hardware.now)).into())
    }
}

/// RTO, clocks, by how fast the simulation is.
fn timeout(hardware: &mut SueInstance) -> u64 {
    let started = Instant::now();
    (0..MEASURED).for_each(|_| hardware.clock());
    let rate = MEASURED as f64 / started.elapsed().as_secs_f64();
    ((rate / RTO_PARTS) as u64).clamp(LEAST_RTO, rel1::timeout::FIELD.ones())
}

impl End for HardwareEnd {
    fn offered(&self) -> u64 {
        self.hardware.traffic.offered()
    }

    fn delivered(&self) -> u64 {
        self.hardware.traffic.delivered()
    }

    fn is_idle(&self) -> bool {
        self.hardware.acknowledged == self.hardware.traffic.offered()
    }

    fn work(&mut self, frames: &mut Vec<Vec<u8>>) -> Result<bool> {
        self.hardware.offer(self.commands);
        let steps = match self.hardware.is_busy() {
            true => STEPS,
            false if self.is_heard => IDLE_STEPS,
            false => UNHEARD_STEPS,
        };
        (0..steps).for_each(|_| self.hardware.clock());
        self.hardware.check()?;
        frames.append(&mut self.hardware.frames);
        Ok(self.hardware.is_busy())
    }

    fn has_room(&self) -> bool {
        self.hardware.has_room()
    }

    /// Empty is what came from somebody else.
    fn receive(&mut self, frame: &[u8]) -> Result<bool> {
        if frame.is_empty() {
            return Ok(false);
        }
        self.is_heard = true;
        self.hardware.receive(frame)?;
        Ok(true)
    }

    fn outcome(&mut self) -> Result<Outcome> {
        let clocks = self.hardware.now;
        let counters = self.sue.counters(&mut self.hardware)?;
        let port = self.sue.port_counters(&mut self.hardware, 0)?;
        Ok(Outcome {
            acknowledged: self.hardware.acknowledged,
            replayed: counters.get(SueCounter::Replay.name()).copied().unwrap_or(0),
            hardware: Some(Counted { clocks, timeout: self.timeout, counters, port }),
            ..Outcome::default()
        })
    }
}
