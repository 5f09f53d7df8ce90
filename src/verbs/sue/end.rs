//! What stands at an end of `flitforge sue tap`: an XPU of the golden models, or one with the hardware in native code.

use anyhow::Result;
use flitforge_model::sue::format::frame::{seal, FcsCover, FrameState};
use flitforge_model::sue::soak::{SoakParameters, Xpu};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The clock of the models goes so much slower until the other end is heard for the first time: that one may be started much later, and connections fail
/// after some RTO of silence.
const UNHEARD: u32 = 20;

/// An end: it makes commands, sends frames and checks what comes.
pub trait End {
    /// Commands handed over so far.
    fn offered(&self) -> u64;
    /// Commands of the other end: each once, in order, unaltered.
    fn delivered(&self) -> u64;
    /// Every command that was handed over is acknowledged.
    fn is_idle(&self) -> bool;
    /// Goes on for a while; frames that leave are appended, each with its FCS. False: there was nothing to do.
    fn work(&mut self, frames: &mut Vec<Vec<u8>>) -> Result<bool>;
    /// Another frame can be taken.
    fn has_room(&self) -> bool;
    /// A frame has come, with its FCS. False: it was refused at once.
    fn receive(&mut self, frame: &[u8]) -> Result<bool>;
    /// What was counted.
    fn outcome(&mut self) -> Result<Outcome>;
}

/// What an end has counted.
#[derive(Default, Serialize)]
pub struct Outcome {
    /// Own commands that the other end has acknowledged.
    pub acknowledged: u64,
    /// Bodies sent again.
    pub replayed: u64,
    /// Of an XPU of the models: frames that came, by what became of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arrived: BTreeMap<String, u64>,
    /// Of hardware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<Counted>,
}

/// What hardware has counted; counters that are 0 are left out.
#[derive(Serialize)]
pub struct Counted {
    /// Clocks simulated.
    pub clocks: u64,
    /// RTO, clocks.
    pub timeout: u64,
    /// COUNT, by name.
    pub counters: BTreeMap<&'static str, u64>,
    /// P_COUNT, by name.
    pub port: BTreeMap<&'static str, u64>,
}

/// An XPU of the golden models. Its clock is in microseconds.
pub struct ModelEnd {
    parameters: SoakParameters,
    xpu: Xpu,
    started: Instant,
    /// When the other end was heard.
    heard: Option<Instant>,
}

impl ModelEnd {
    /// XPU `own`.
    pub fn new(own: u16, parameters: SoakParameters, random: ChaCha8Rng) -> Result<Self> {
        let xpu = Xpu::new(own, &parameters, random)?;
        Ok(Self { parameters, xpu, started: Instant::now(), heard: None })
    }

    fn now(&self) -> u64 {
        let unheard = self.heard.map_or_else(|| self.started.elapsed(), |heard| heard - self.started);
        let since = self.heard.map_or(Duration::ZERO, |heard| heard.elapsed());
        (unheard / UNHEARD + since).as_micros() as u64
    }
}

impl End for ModelEnd {
    fn offered(&self) -> u64 {
        self.xpu.offered()
    }

    fn delivered(&self) -> u64 {
        self.xpu.delivered()
    }

    fn is_idle(&self) -> bool {
        self.xpu.is_idle()
    }

    /// Commands, as far as there is room, and one frame.
    fn work(&mut self, frames: &mut Vec<Vec<u8>>) -> Result<bool> {
        while self.xpu.offered() < self.parameters.commands {
            let before = self.xpu.offered();
            self.xpu.offer(&self.parameters)?;
            if self.xpu.offered() == before {
                break;
            }
        }
        let now = self.now();
        let Some((_, _, frame)) = self.xpu.transmit(now)? else { return Ok(false) };
        frames.push(seal(&frame, FcsCover::Frame, FrameState::Good)?);
        Ok(true)
    }

    fn has_room(&self) -> bool {
        true
    }

    fn receive(&mut self, frame: &[u8]) -> Result<bool> {
        let now = self.now();
        // false: it is counted by why
        let taken = self.xpu.receive(frame, now, &self.parameters)?;
        if taken {
            self.heard.get_or_insert_with(Instant::now);
        }
        Ok(taken)
    }

    fn outcome(&mut self) -> Result<Outcome> {
        Ok(Outcome {
            // everything offered is acknowledged, or the run would not have ended
            acknowledged: self.xpu.offered(),
            replayed: self.xpu.endpoint().sender().counters().replay,
            arrived: self.xpu.fates.clone(),
            hardware: None,
        })
    }
}
