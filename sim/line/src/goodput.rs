//! Goodput of two ports of the registry, with the chapter's timeouts, over `phy_loop` and lanes with wrong bits.
//!
//! Both directions are saturated. The share of line bits is measured between two clocks, in equal parts, so that its standard error
//! can be worked out.

use crate::bench::{LineBench, GUIDS};
use crate::bus::Request;
use crate::failure::Failure;
use crate::phy::Phy;
use crate::port::{Kind, PortProgram, PortShape, MAX_LINKS};
use crate::setup::Setup;
use crate::wires::Wires;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::degrade::{MIN_LANES, SAFE, STAND_OUT, THRESHOLD};
use flitforge_protocol::flit::DATA_BITS;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::{
    counter_offset, crc_cfg, ctrl, degrade, lanes, CRC_CFG, DEGRADE, LANES,
};
use flitforge_protocol::ltp::{CrcMode, WORD_BITS};
use flitforge_sim::kit::line::BitNoise;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Four lanes, two flits per beat, 128 replay slots.
pub const SHAPE: PortShape = PortShape { flits: 2, lanes: MAX_LANES, links: 1, slots: 128 };
/// All CRC modes, as CAP has them, and mode 1 alone.
const ALL_MODES: u64 = 7;
const MODE_1: u64 = 1;
/// Clocks in which the registers are written and read.
const BUS_CLOCKS: u64 = 200;
/// Counters that are read, summed over both ends.
pub const COUNTERS: [LinkCounter; 7] = [
    LinkCounter::RxBad,
    LinkCounter::RetryTx,
    LinkCounter::RxTossed,
    LinkCounter::MultiLane,
    LinkCounter::Reinit,
    LinkCounter::DeskewLost,
    LinkCounter::LostOnReset,
];

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoodputRun {
    /// DEGRADE.enable of both ends; all else of DEGRADE is as it comes up.
    pub degrade: bool,
    /// LANES.allowed of both ends.
    pub allowed: u8,
    /// Preferred CRC mode of both ends.
    pub mode: CrcMode,
    /// Wrong bits of each lane, both ways, per 10^9 bits.
    pub per_1e9: [u32; MAX_LANES],
    /// Core clocks before the measurement.
    pub settle: u64,
    /// Core clocks of each part of the measurement.
    pub part_clocks: u64,
    /// Parts.
    pub parts: usize,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct GoodputFound {
    /// Data bits delivered in each part as a share of the bits that four lanes carry, both directions together.
    pub shares: Vec<f64>,
    /// Lanes sent on by each end after the measurement, bit l = lane l.
    pub lanes: [u64; 2],
    /// [`COUNTERS`] of the whole run.
    pub counters: [u64; COUNTERS.len()],
    /// Beats that never came although others came after them.
    pub lost_beats: u64,
    /// Core clocks of the whole run.
    pub clocks: u64,
}

impl GoodputRun {
    /// Runs the two ports. The first beat that comes twice, out of order or altered is a failure.
    pub fn run(&self, seed: u64) -> Result<GoodputFound, Failure> {
        let modes = if self.mode.code() > 1 { ALL_MODES } else { MODE_1 };
        let port = |end: usize| PortProgram::of_registry(SHAPE, modes, GUIDS[end]);
        let mut bench = LineBench::of_ports(SETUP, [port(0)?, port(1)?], seed)?;
        self.set_up(&mut bench);
        run_clocks(&mut bench, self.settle)?;
        let shares = (0..self.parts).map(|_| self.part(&mut bench)).collect::<Result<Vec<_>, _>>()?;
        let lanes = [0, 1].map(|end: usize| bench.ends[end].masks[0]);
        let counters = counters(&mut bench)?;
        let lost = |end: usize| bench.traffic[end].next - bench.traffic[end].received;
        Ok(GoodputFound {
            shares,
            lanes,
            counters,
            lost_beats: lost(0) + lost(1),
            clocks: bench.ends[0].clocks,
        })
    }

    fn set_up(&self, bench: &mut LineBench) {
        let enabled = match self.mode {
            CrcMode::Standard => 0,
            CrcMode::Bits14 => MODE_1,
            _ => ALL_MODES,
        };
        let modes = enabled << crc_cfg::enabled::LOW | u64::from(self.mode.code()) << crc_cfg::preferred::LOW;
        for end in &mut bench.ends {
            let requests = [
                Request::write(0, CRC_CFG, modes),
                Request::write(0, DEGRADE, degrade_register(self.degrade)),
                Request::write(0, LANES, u64::from(self.allowed) << lanes::allowed::LOW),
                Request::control(0, ctrl::enable::LOW),
            ];
            requests.into_iter().for_each(|request| end.bus.ask(request));
        }
        let LineBench { cables, random, .. } = bench;
        for cable in cables.iter_mut().flatten() {
            for (lane, per_1e9) in cable.lanes.iter_mut().zip(self.per_1e9) {
                lane.noise = BitNoise::new(f64::from(per_1e9) / 1e9, 1, random);
            }
        }
    }

    fn part(&self, bench: &mut LineBench) -> Result<f64, Failure> {
        let delivered = |bench: &LineBench| bench.traffic.iter().map(|traffic| traffic.received).sum::<u64>();
        let before = delivered(bench);
        run_clocks(bench, self.part_clocks)?;
        let bits = (delivered(bench) - before) * SHAPE.flits as u64 * DATA_BITS as u64;
        Ok(bits as f64 / (2 * self.part_clocks * (MAX_LANES * WORD_BITS) as u64) as f64)
    }
}

/// Both ends on one clock, as `phy_loop` has it, with full traffic.
const SETUP: Setup = Setup {
    phy: Phy::Loop,
    kinds: [Kind::Link; 2],
    shape: SHAPE,
    ratio: 1_000_000,
    offsets: [0; 2],
    wander: 0,
    late: [0; 2],
    notice: 4,
    pace: [1.0; 2],
    wires: [[Wires::STRAIGHT; MAX_LINKS]; 2],
};

/// DEGRADE as it comes up, but for its enable.
fn degrade_register(enable: bool) -> u64 {
    u64::from(enable) << degrade::enable::LOW
        | u64::from(MIN_LANES - 1) << degrade::min_lanes::LOW
        | u64::from(THRESHOLD) << degrade::threshold::LOW
        | u64::from(STAND_OUT) << degrade::stand_out::LOW
        | u64::from(SAFE) << degrade::safe::LOW
}

fn run_clocks(bench: &mut LineBench, clocks: u64) -> Result<(), Failure> {
    (0..clocks).try_for_each(|_| bench.core_clock())
}

fn counters(bench: &mut LineBench) -> Result<[u64; COUNTERS.len()], Failure> {
    for end in &mut bench.ends {
        end.bus.answers.clear();
        COUNTERS.iter().for_each(|counter| end.bus.ask(Request::read(0, counter_offset(*counter))));
    }
    run_clocks(bench, BUS_CLOCKS)?;
    let of = |end: usize, at: usize| bench.ends[end].bus.answers.get(at).copied().unwrap_or_default();
    Ok(std::array::from_fn(|at| of(0, at) + of(1, at)))
}

/// Runs all of these, `jobs` at a time; what came of them in their order. `each` is called when one is done.
pub fn run_all(
    runs: &[GoodputRun],
    seed: u64,
    jobs: usize,
    each: &mut dyn FnMut(),
) -> Vec<Result<GoodputFound, Failure>> {
    let next = AtomicUsize::new(0);
    let (results, outcomes) = mpsc::channel();
    let mut found: Vec<(usize, Result<GoodputFound, Failure>)> = std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (results, next) = (results.clone(), &next);
            scope.spawn(move || loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(run) = runs.get(at) else { break };
                if results.send((at, run.run(seed))).is_err() {
                    break;
                }
            });
        }
        drop(results);
        outcomes.into_iter().inspect(|_| each()).collect()
    });
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}
