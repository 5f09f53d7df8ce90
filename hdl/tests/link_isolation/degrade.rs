//! `link_degrade` against the golden model, exact to the LTP.

use crate::link_isolation::STOCK_CLOCKS;
use flitforge_hdl::link::degrade::LinkDegrade;
use flitforge_model::degrade::{Degrade, DegradeAction, DegradeConfig};
use flitforge_protocol::degrade::{threshold_ltps, VERDICTS_MAX};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_sim::kit::{rng, seed, Rng, StimulusFn};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::{deep, Seen};
use rand::Rng as _;
use std::collections::VecDeque;

/// Clocks from one LTP to the next at least, as the block asks for.
const SPACING: u64 = 8;
/// Clocks after an LTP after which all of it is known: faults and Active do not come sooner here.
const SETTLED: u64 = 10;
/// Clocks from an LTP to its debts and to the action, from a fault to the action, and from what sets debts to 0 to that.
const TO_DEBTS: u64 = 7;
const TO_ACTION: u64 = 8;
const TO_FAULT: u64 = 1;
const TO_DROP: u64 = 2;

/// Random LTPs, verdicts, requests and faults; the configuration changes with a clear, how noisy lanes are every now and then.
struct Stimulus {
    random: Rng,
    /// Clocks since the last LTP.
    since: u64,
    wait: u64,
    /// Chances of a verdict on each lane, and of a tossed LTP.
    noise: [f64; MAX_LANES],
    tossed: f64,
    config: [(&'static str, u64); 5],
}

impl Stimulus {
    fn new(name: &str) -> Self {
        let config = [("enabled", 1), ("min_lanes", 0), ("threshold", 0), ("stand_out", 2), ("safe", 0)];
        let random = rng(seed(0xde64), name);
        Stimulus { random, since: 0, wait: 0, noise: [0.01; MAX_LANES], tossed: 0.3, config }
    }

    fn configure(&mut self) {
        let random = &mut self.random;
        // Debts beyond the first two thresholds take longer than a run.
        self.config = [
            ("enabled", u64::from(random.random_bool(0.8))),
            ("min_lanes", random.random_range(0..4) * u64::from(random.random_bool(0.5))),
            ("threshold", [0, 0, 0, 1, 2, 4][random.random_range(0..6)]),
            ("stand_out", random.random_range(0..4)),
            ("safe", random.random_range(0..8) * u64::from(random.random_bool(0.3))),
        ];
    }

    /// Lanes that are noisy, each for itself or all alike.
    fn disturb(&mut self) {
        let random = &mut self.random;
        self.noise = match random.random_bool(0.4) {
            true => [0.3; MAX_LANES],
            false => std::array::from_fn(|_| [0.0, 0.002, 0.05, 0.8][random.random_range(0..4)]),
        };
        self.tossed = random.random_range(0.0..1.0);
    }

    fn clock(&mut self, bench: &mut dyn Bench, first: bool) -> Result<(), SimError> {
        let (mut clear, mut enter, mut ltp, mut fault, mut errors) = (false, false, false, false, 0u64);
        if first || self.random.random_bool(0.000_15) {
            clear = true;
            self.wait = SPACING;
            self.configure();
            self.disturb();
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if self.since >= SETTLED && self.random.random_bool(0.05) {
            fault = self.random.random_bool(0.3);
            enter = !fault;
            ltp = enter && self.random.random_bool(0.1); // lost
            self.wait = SETTLED;
            if self.random.random_bool(0.5) {
                self.disturb();
            }
        } else {
            let random = &mut self.random;
            self.wait = if random.random_bool(0.9) { SPACING - 1 } else { random.random_range(7..30) };
            (ltp, self.since) = (true, 0);
            let lane = random.random_range(0..MAX_LANES);
            if random.random_bool(self.noise[lane]) {
                errors = 1 << lane;
            }
        }
        self.since += 1;
        let random = &mut self.random;
        // Mostly all lanes, so that debts live on.
        let mask = if random.random_bool(0.95) { 0xF } else { random.random_range(1..16u64) };
        let values = [
            ("clear", u64::from(clear)),
            ("enter", u64::from(enter)),
            ("active", mask),
            ("ltp", u64::from(ltp)),
            ("tossed", u64::from(random.random_bool(self.tossed))),
            ("request", u64::from(random.random_bool(0.02))),
            ("fault", u64::from(fault)),
            ("lane_errors", errors),
        ];
        for (path, value) in values.into_iter().chain(self.config) {
            let port = bench.port(path)?;
            bench.set_u64(port, value);
        }
        Ok(())
    }
}

/// The golden model, one clock at a time.
struct Model {
    degrade: Option<Degrade>,
    clock: u64,
    /// Actions and debts that are still to be shown, with their clocks.
    actions: VecDeque<(u64, DegradeAction)>,
    debts: VecDeque<(u64, [u32; MAX_LANES])>,
    shown: [u32; MAX_LANES],
    seen: Seen,
}

impl Model {
    fn outputs(&mut self, outputs: &mut PortValues) -> Result<(), SimError> {
        while self.debts.front().is_some_and(|(clock, _)| *clock <= self.clock) {
            let Some((_, debts)) = self.debts.pop_front() else { break };
            self.shown = debts;
        }
        for (lane, debt) in self.shown.into_iter().enumerate() {
            outputs.set_u64(&format!("debt[{lane}]"), debt.into())?;
        }
        let is_due = self.actions.front().is_some_and(|(clock, _)| *clock <= self.clock);
        let action = if is_due { self.actions.pop_front().map(|(_, action)| action) } else { None };
        let removed =
            |lane: usize| if action == Some(DegradeAction::Remove(lane)) { 1u64 << lane } else { 0 };
        outputs.set_u64("remove", (0..MAX_LANES).map(removed).sum())?;
        outputs.set_bit("refused", matches!(action, Some(DegradeAction::Refused(_))))
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        self.outputs(outputs)?;
        self.clock += 1;
        let now = self.clock - 1;
        if inputs.bit("clear")? {
            let config = DegradeConfig {
                enabled: inputs.bit("enabled")?,
                min_lanes: inputs.u64("min_lanes")? as u8 + 1,
                threshold: inputs.u64("threshold")? as u8,
                stand_out: inputs.u64("stand_out")? as u8,
                safe: inputs.u64("safe")? as u8,
            };
            self.degrade = Some(Degrade::new(config, 0).expect("the stimulus gives good values"));
            self.actions.clear();
            self.debts.clear();
            self.shown = [0; MAX_LANES];
            return Ok(());
        }
        let Some(degrade) = &mut self.degrade else { return Ok(()) };
        if inputs.bit("request")? {
            degrade.request();
        }
        let mut action = None;
        if inputs.bit("enter")? {
            degrade.set_lanes(inputs.u64("active")? as u8);
            self.debts.push_back((now + TO_DROP, units(degrade)));
        } else if inputs.bit("ltp")? {
            let errors = inputs.u64("lane_errors")?;
            let verdict = (errors != 0).then(|| errors.trailing_zeros() as usize);
            let before = degrade.clone();
            action = degrade.ltp(inputs.bit("tossed")?, verdict);
            // What the lane owed when it went is to be seen for a moment: unchanged or TH, for a lane in use.
            let mut at_once = units(degrade);
            if let Some(DegradeAction::Remove(lane) | DegradeAction::Refused(lane)) = action {
                at_once[lane] = threshold_ltps(inputs.u64("threshold")? as u8) / 1024;
            }
            self.debts.push_back((now + TO_DEBTS, at_once));
            self.debts.push_back((now + TO_DEBTS + TO_DROP, units(degrade)));
            self.actions.extend(action.map(|action| (now + TO_ACTION, action)));
            note(&self.seen, &before, degrade, verdict, action);
        } else if inputs.bit("fault")? {
            action = degrade.fault();
            self.debts.push_back((now + TO_DROP, units(degrade)));
            self.actions.extend(action.map(|action| (now + TO_FAULT, action)));
            self.seen.add("fault", u64::from(action.is_some()));
        }
        self.seen.add("removed", u64::from(matches!(action, Some(DegradeAction::Remove(_)))));
        self.seen.add("refused", u64::from(matches!(action, Some(DegradeAction::Refused(_)))));
        Ok(())
    }
}

fn units(degrade: &Degrade) -> [u32; MAX_LANES] {
    std::array::from_fn(|lane| degrade.debt_units(lane))
}

fn note(
    seen: &Seen,
    before: &Degrade,
    after: &Degrade,
    verdict: Option<usize>,
    action: Option<DegradeAction>,
) {
    let lanes = 0..MAX_LANES;
    seen.add("fell", u64::from(lanes.clone().any(|lane| after.debt(lane) + 1 == before.debt(lane))));
    seen.add("pending", verdict.map_or(0, |_| before.pending().into()));
    seen.add("verdicts", u64::from(verdict.is_some()));
    let full = verdict.is_some_and(|lane| before.verdicts(lane) == VERDICTS_MAX);
    seen.add("halved", u64::from(full && after.lanes() == before.lanes()));
    let held = verdict.is_some_and(|lane| after.debt(lane) == before.debt(lane) && after.debt(lane) > 0);
    seen.add("held", u64::from(held && action.is_none()));
}

pub fn plan(name: &str, seen: Seen) -> CosimPlan<'static> {
    let mut stimulus = Stimulus::new(name);
    let mut model = Model {
        degrade: None,
        clock: 0,
        actions: VecDeque::new(),
        debts: VecDeque::new(),
        shown: [0; MAX_LANES],
        seen,
    };
    CosimPlan::new(
        name,
        seed(0xde64),
        || Box::new(LinkDegrade::default()),
        move |testbench, _| {
            testbench
                .add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| stimulus.clock(bench, clock == 0)));
            Ok(())
        },
    )
    .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

#[test]
fn debts_are_equal_everywhere() {
    let seen = Seen::default();
    deep(plan("link_degrade_random", seen.clone()), 200_000, STOCK_CLOCKS).run().expect("equal");
    seen.require_each(&["fell", "held", "halved", "removed", "refused", "fault"]);
}
