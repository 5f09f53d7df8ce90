//! `link_delay`.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_model::time::clocked::{ClockedLinkDelay, LinkDelayInputs};
use flitforge_model::time::TimeFlit;
use flitforge_model::Flit;
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::time::LDM_ROUNDS_LOG2;
use flitforge_sim::kit::{rng, seed, Agent, Rng as KitRng};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

/// What a run is given.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    /// INC_F.
    pub inc: u64,
    /// Largest K.
    pub log2: u64,
    /// Share of rounds that go wrong.
    pub faults: f64,
    /// Share of rounds that a replay delays, and of those that are far below the others.
    pub outliers: [f64; 2],
    /// Lags are within this, 1/256 ns.
    pub lags: i64,
    /// Share of clocks with `clear`, a change of the link or a command, thousandths.
    pub unrest: f64,
}

const USUAL: Case = Case {
    name: "usual",
    inc: 0x6_6666_6666,
    log2: 4,
    faults: 0.05,
    outliers: [0.1, 0.03],
    lags: 300,
    unrest: 0.4,
};

pub const CASES: [Case; 5] = [
    USUAL,
    Case { name: "bad", faults: 0.8, ..USUAL },
    Case { name: "wild", inc: 0x3F_FFFF_FFFF, log2: 15, lags: 1 << 19, ..USUAL },
    Case { name: "still", inc: 1, log2: 2, unrest: 3.0, ..USUAL },
    Case { name: "long", log2: 15, faults: 0.0, outliers: [0.01, 0.0], unrest: 0.0, ..USUAL },
];

/// Delay of the link, 1/256 ns.
const DELAY: i64 = 25_600;

/// The link, its manager and the other end.
struct Peer {
    random: KitRng,
    case: Case,
    clock: u64,
    /// Clock in which the answer comes, its turn-around, its tag and whether its phase was valid.
    answer: Option<(u64, i64, u64, bool)>,
    active: bool,
    lanes: u64,
    phase_ok: bool,
}

/// A signed value as a port's bits.
pub const fn cut(value: i64, bits: u32) -> u64 {
    value as u64 & ((1 << bits) - 1)
}

impl Peer {
    fn new(case: Case, seed: u64) -> Self {
        let random = rng(seed, case.name);
        Self { random, case, clock: 0, answer: None, active: false, lanes: 0, phase_ok: true }
    }

    /// A request was taken in this clock.
    fn taken(&mut self, tag: u64) {
        let (random, case) = (&mut self.random, self.case);
        let clocks = random.random_range(40..90_u64);
        let period = (case.inc >> 24) as i64;
        let noise = if period > 1 { random.random_range(-period / 2..period / 2) } else { 0 };
        let outlier = match random.random::<f64>() {
            draw if draw < case.outliers[0] => -period * random.random_range(1..10),
            draw if draw < case.outliers[0] + case.outliers[1] => period * random.random_range(1..6),
            _ => 0,
        };
        let round_trip = ((u128::from(clocks) * u128::from(case.inc)) >> 24) as i64;
        let turn = (round_trip - 2 * DELAY + noise + outlier).max(0);
        let at = self.clock + 2 + clocks;
        self.answer = Some((at, turn, tag, true));
        if random.random_bool(case.faults) {
            self.answer = match random.random_range(0..5) {
                0 => None,
                1 => Some((at, turn, tag ^ 1 << random.random_range(0..8), true)),
                2 => Some((at, turn, tag, false)),
                3 => Some((at + 500, turn, tag, true)),
                _ => Some((at, random.random_range(1 << 31..1 << 32), tag, true)),
            };
        }
    }

    fn marker(&mut self, bench: &mut dyn Bench) -> Result<(), SimError> {
        let random = &mut self.random;
        let mut marker = random.random::<u64>() >> 16;
        let mut there = random.random_bool(0.03);
        if random.random_bool(0.02 * self.case.unrest) {
            // An answer that nobody waits for.
            (there, marker) = (true, 1 << 48 | random.random::<u64>() >> 16);
        }
        if let Some((at, turn, tag, phase)) = self.answer.filter(|(at, ..)| *at <= self.clock) {
            (there, self.answer) = (at == self.clock, None);
            marker = 1 << 48 | u64::from(phase) << 40 | tag << 32 | turn as u64;
        }
        drive_all(bench, &[("marker.valid", there.into()), ("marker.data", marker)])
    }
}

impl Agent for Peer {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.clock = clock;
        self.marker(bench)?;
        let (random, case) = (&mut self.random, self.case);
        let rare = case.unrest / 1000.0;
        if random.random_bool(rare) {
            self.lanes = random.random_range(0..256);
        }
        self.active ^= random.random_bool(if self.active { rare } else { 0.05 });
        self.phase_ok ^= random.random_bool(if self.phase_ok { rare } else { 0.05 });
        let mut lag = || cut(random.random_range(-case.lags..case.lags), 20);
        let (rx_lag, tx_lag) = (lag(), lag());
        if clock % 700 == 0 {
            let spread = random.random_range(0..32);
            let registers = [
                ("auto_run", u64::from(random.random_bool(0.7))),
                ("adjust", u64::from(random.random_bool(0.8))),
                ("rounds_log2", random.random_range(0..=case.log2)),
                ("timeout", random.random_range(91..400)),
                ("asymmetry", cut((random.random::<i32>() >> spread).into(), 32)),
                ("acknowledged", random.random_range(0..1 << 32)),
                ("hold_on_epoch", random.random_range(0..2)),
            ];
            drive_all(bench, &registers)?;
            if case.unrest == 0.0 {
                drive_all(bench, &[("rounds_log2", 8), ("asymmetry", 0), ("auto_run", 1), ("adjust", 1)])?;
            }
        }
        let inputs = [
            ("clear", random.random_bool(rare).into()),
            ("rx_lag", rx_lag),
            ("tx_lag", tx_lag),
            ("phase_ok", self.phase_ok.into()),
            ("locked", random.random_range(0..2)),
            ("inc_f", case.inc),
            ("start", u64::from(random.random_bool(rare) || clock == 5)),
            ("active", self.active.into()),
            ("lanes", self.lanes),
            ("epoch_write.valid", random.random_bool(rare).into()),
            ("epoch_write.data", random.random_range(0..1 << 32)),
            ("request.ready", random.random_bool(0.3).into()),
            ("response.ready", random.random_bool(0.3).into()),
        ];
        drive_all(bench, &inputs)
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [valid, ready] = ["request.valid", "request.ready"].map(|path| bench.port(path));
        if bench.get_bit(valid?) && bench.get_bit(ready?) {
            let tag = bench.get_u64(bench.port("request.data")?);
            self.taken(tag);
        }
        Ok(())
    }
}

fn lag_of(inputs: &PortValues, path: &str) -> Result<i32, SimError> {
    Ok((inputs.u64(path)? as i32) << 12 >> 12)
}

fn inputs_of(inputs: &PortValues) -> Result<LinkDelayInputs, SimError> {
    let marker = inputs.u64("marker.data")?;
    let subtype = 3 + (marker >> 48);
    let flit = Flit::control(Opcode::Spc, subtype << 48 | marker & ((1 << 48) - 1));
    let epochs = inputs.u64("epoch_write.data")?;
    Ok(LinkDelayInputs {
        clear: inputs.bit("clear")?,
        marker: if inputs.bit("marker.valid")? { TimeFlit::decode(flit) } else { None },
        rx_lag: lag_of(inputs, "rx_lag")?,
        tx_lag: lag_of(inputs, "tx_lag")?,
        phase_ok: inputs.bit("phase_ok")?,
        locked: inputs.bit("locked")?,
        inc_f: inputs.u64("inc_f")?,
        start: inputs.bit("start")?,
        auto_run: inputs.bit("auto_run")?,
        adjust: inputs.bit("adjust")?,
        rounds_log2: inputs.u64("rounds_log2")? as u32,
        timeout: inputs.u64("timeout")? as u16,
        asymmetry: inputs.u64("asymmetry")? as u32 as i32,
        acknowledged: inputs.u64("acknowledged")? as u32 as i32,
        active: inputs.bit("active")?,
        lanes: inputs.u64("lanes")? as u8,
        hold_on_epoch: inputs.bit("hold_on_epoch")?,
        epoch_write: inputs.bit("epoch_write.valid")?.then_some((epochs as u16, (epochs >> 16) as u16)),
        request_ready: inputs.bit("request.ready")?,
        response_ready: inputs.bit("response.ready")?,
    })
}

fn model(seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut link = ClockedLinkDelay::default();
    move |inputs, outputs| {
        let given = inputs_of(inputs)?;
        let now = link.outputs(&given);
        let bits = [
            ("request.valid", now.request.is_some()),
            ("response.valid", now.response.is_some()),
            ("done", now.result.is_some()),
            ("failed", now.failed),
            ("retry", now.retry),
            ("finished", now.finished),
            ("rx_corr.valid", now.rx_corr.is_some()),
            ("hold", now.hold),
            ("changed", now.changed),
            ("busy", now.busy),
        ];
        expect_bits(outputs, &bits, &seen)?;
        if let Some(tag) = now.request {
            outputs.set_u64("request.data", tag.into())?;
        }
        if let Some(response) = now.response {
            let flit = response.encode().expect("fits");
            outputs.set_u64("response.data", flit.data() & ((1 << 42) - 1))?;
        }
        if let Some(result) = now.result {
            for (path, value) in [("mean", result.mean), ("min", result.min), ("max", result.max)] {
                outputs.set_u64(path, cut(value, 32))?;
            }
            outputs.set_u64("rounds", now.rounds as u64)?;
            seen.count_if("several rounds", now.rounds > 1);
            seen.count_if("256 rounds", now.rounds == 1 << LDM_ROUNDS_LOG2.1);
            seen.count_if("rounds that differ", result.min < result.max);
            seen.count_if("negative delay", result.min < 0);
        }
        if let Some(correction) = now.rx_corr {
            outputs.set_u64("rx_corr.data", u64::from(correction as u32))?;
        }
        outputs.set_u64("link_epoch", now.link_epoch.into())?;
        outputs.set_u64("measured_epoch", now.measured_epoch.into())?;
        link.clock(&given);
        Ok(())
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let make = || build("link_delay", &[]).block;
    let plan = CosimPlan::new(name, seed(0x1DE1), make, move |testbench, seed| {
        testbench.add(Peer::new(case, seed));
        Ok(())
    });
    plan.clocks(clocks).stock_limit(300, "a quick run: rust-hdl itself is slow").model(model(seen.clone()))
}

#[test]
fn link_delay_is_its_model_whatever_link_and_peer_do() {
    let depth = depth();
    let seen = Seen::default();
    for case in CASES {
        let name = format!("link_delay_{}", case.name);
        let clocks = if case.unrest == 0.0 { 250_000 } else { 60_000 };
        plan(&name, case, clocks, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}
