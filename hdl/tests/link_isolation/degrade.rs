//! `link_degrade` against the golden model, exact to the LTP.

use crate::link_isolation::{deep, Seen};
use flitforge_hdl::link::degrade::LinkDegrade;
use flitforge_model::degrade::{Degrade, DegradeAction, DegradeConfig};
use flitforge_protocol::degrade::BUCKET_MAX;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_sim::kit::{rng, seed, Rng, StimulusFn};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use rand::Rng as _;

/// Clocks between two events, as the block asks for.
const SPACING: u64 = 4;

/// Random LTPs and verdicts; the configuration changes with a clear, how noisy a lane is every now and then.
struct Stimulus {
    random: Rng,
    wait: u64,
    noise: f64,
    config: [(&'static str, u64); 4],
}

impl Stimulus {
    fn new(name: &str) -> Self {
        let config = [("enabled", 1), ("min_lanes", 0), ("trigger", 4), ("window", 0)];
        Stimulus { random: rng(seed(0xde64), name), wait: 0, noise: 0.01, config }
    }

    fn clock(&mut self, bench: &mut dyn Bench, first: bool) -> Result<(), SimError> {
        let random = &mut self.random;
        let (mut clear, mut enter, mut good, mut errors) = (false, false, false, 0u64);
        if first || random.random_bool(0.000_1) {
            clear = true;
            self.wait = SPACING;
            // Windows beyond the first two are longer than a run.
            self.config = [
                ("enabled", u64::from(random.random_bool(0.7))),
                ("min_lanes", random.random_range(0..4)),
                ("trigger", random.random_range(1..=7)),
                ("window", u64::from(random.random_bool(0.1))),
            ];
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if random.random_bool(0.002) {
            enter = true;
            self.wait = SPACING;
            self.noise = [0.0, 0.001, 0.005, 0.5][random.random_range(0..4)];
        } else {
            self.wait = if random.random_bool(0.9) { SPACING - 1 } else { random.random_range(3..30) };
            good = random.random_bool(0.95);
            if random.random_bool(self.noise) {
                errors = 1 << random.random_range(0..MAX_LANES);
            }
        }
        // Mostly all lanes, so that buckets live on.
        let mask = if random.random_bool(0.7) { 0xF } else { random.random_range(1..16u64) };
        let values = [
            ("clear", u64::from(clear)),
            ("enter", u64::from(enter)),
            ("active", mask),
            ("good_ltp", u64::from(good)),
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
    action: Option<DegradeAction>,
    seen: Seen,
}

impl Model {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let level = |lane: usize| self.degrade.as_ref().map_or(0, |degrade| degrade.level(lane));
        for lane in 0..MAX_LANES {
            outputs.set_u64(&format!("level[{lane}]"), level(lane).into())?;
        }
        let action = self.action.take();
        let removed =
            |lane: usize| if action == Some(DegradeAction::Remove(lane)) { 1u64 << lane } else { 0 };
        outputs.set_u64("remove", (0..MAX_LANES).map(removed).sum())?;
        outputs.set_bit("refused", matches!(action, Some(DegradeAction::Refused(_))))?;
        if inputs.bit("clear")? {
            let config = DegradeConfig {
                enabled: inputs.bit("enabled")?,
                min_lanes: inputs.u64("min_lanes")? as u8 + 1,
                trigger: inputs.u64("trigger")? as u8,
                window: inputs.u64("window")? as u8,
            };
            self.degrade = Some(Degrade::new(config, 0).expect("the stimulus gives good values"));
            return Ok(());
        }
        let Some(degrade) = &mut self.degrade else { return Ok(()) };
        if inputs.bit("enter")? {
            degrade.set_lanes(inputs.u64("active")? as u8);
            return Ok(());
        }
        let before: u32 = (0..MAX_LANES).map(|lane| u32::from(degrade.level(lane))).sum();
        let errors = inputs.u64("lane_errors")?;
        let verdict = (errors != 0).then(|| errors.trailing_zeros() as usize);
        self.action = match inputs.bit("good_ltp")? {
            true => degrade.good_ltp(verdict),
            false => verdict.and_then(|lane| degrade.verdict(lane)),
        };
        let after: u32 = (0..MAX_LANES).map(|lane| u32::from(degrade.level(lane))).sum();
        self.seen.count("leak", u64::from(after < before && self.action.is_none()));
        self.seen.count("removed", u64::from(matches!(self.action, Some(DegradeAction::Remove(_)))));
        self.seen.count("refused", u64::from(matches!(self.action, Some(DegradeAction::Refused(_)))));
        self.seen.count("full", u64::from((0..MAX_LANES).any(|lane| degrade.level(lane) == BUCKET_MAX)));
        Ok(())
    }
}

pub fn plan(name: &str, seen: Seen) -> CosimPlan<'static> {
    let mut stimulus = Stimulus::new(name);
    let mut model = Model { degrade: None, action: None, seen };
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
fn buckets_are_equal_everywhere() {
    let seen = Seen::default();
    deep(plan("link_degrade_random", seen.clone()), 200_000).run().expect("equal");
    seen.require(&["leak", "removed", "refused", "full"]);
}
