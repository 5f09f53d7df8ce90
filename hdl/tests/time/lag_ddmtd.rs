//! `lag_ddmtd`: hardware against the model, edge by edge of three clocks. How near the model is to the true phase is shown in the
//! model's own tests.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_model::time::clocked::{LagDdmtd, LagEdges};
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::schedule::{ClockSchedule, ClockTiming};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

/// Clocks of a run; periods in ps.
#[derive(Clone, Copy)]
pub struct Case {
    name: &'static str,
    /// Nominal.
    core: u64,
    word: u64,
    ddmtd_k: u32,
    static_log2: u32,
    /// True periods of core, word and helper clock.
    periods: [u64; 3],
    /// Deviations from these, 10^-9.
    offsets: [i32; 3],
    jitter: u64,
}

const BASE: Case = Case {
    name: "1_1",
    core: 6400,
    word: 6400,
    ddmtd_k: 7,
    static_log2: 13,
    periods: [6400, 6400, 6450],
    offsets: [0, 200_000, -37_000],
    jitter: 0,
};

pub const CASES: [Case; 6] = [
    BASE,
    Case { name: "static", static_log2: 12, offsets: [0; 3], ..BASE },
    Case { name: "2_1_jitter", core: 3200, periods: [3200, 6400, 6450], jitter: 12, ..BASE },
    Case { name: "another_word_clock", periods: [6400, 6610, 6450], ..BASE },
    Case { name: "slow_helper", periods: [6400, 6400, 96_750], ..BASE },
    Case { name: "k10", ddmtd_k: 10, core: 9600, periods: [9600, 6400, 6406], ..BASE },
];

fn clocks(case: Case, bench: &dyn Bench) -> Result<ClockSchedule, SimError> {
    let mut timed = vec![];
    for (name, (period, offset)) in
        ["clock", "word_clock", "helper_clock"].iter().zip(case.periods.iter().zip(case.offsets))
    {
        let timing = ClockTiming { period: *period, phase: 700, offset, jitter: case.jitter };
        timed.push((bench.port(name)?, timing));
    }
    Ok(ClockSchedule::timed(&timed, seed(0x0DD3)))
}

fn model(case: Case, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut model = LagDdmtd::new(case.core * 1000, case.word * 1000, case.ddmtd_k, case.static_log2);
    move |inputs, outputs| {
        let out = model.outputs();
        outputs.set_u64("line", out.line.into())?;
        expect_bits(outputs, &[("ok", out.ok), ("fixed", out.fixed), ("slipped", out.slipped)], &seen)?;
        let edges = LagEdges {
            core: inputs.rises("clock")?,
            word: inputs.rises("word_clock")?,
            helper: inputs.rises("helper_clock")?,
        };
        model.clock(edges, inputs.bit("restart")?);
        Ok(())
    }
}

/// Co-simulation with the model, restarts now and then.
pub fn plan(case: Case, edges: u64, seen: &Seen) -> CosimPlan<'static> {
    let settings = [
        ("core_fs", case.core * 1000),
        ("word_fs", case.word * 1000),
        ("ddmtd_k", case.ddmtd_k.into()),
        ("static_log2", case.static_log2.into()),
    ];
    let make = move || build("lag_ddmtd", &settings).block;
    let name = format!("lag_ddmtd_{}", case.name);
    let plan = CosimPlan::new(&name, seed(0x0DD3), make, move |testbench, _| {
        let schedule = clocks(case, testbench.bench())?;
        testbench.set_schedule(schedule);
        let mut random = rng(seed(0x0DD3), case.name);
        testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
            drive_all(bench, &[("restart", random.random_bool(0.00001).into())])
        }));
        Ok(())
    });
    plan.clocks(edges)
        .stock_limit(1_000, "a quick run: rust-hdl itself is slow")
        .model(model(case, seen.clone()))
}

#[test]
fn ddmtd_is_its_model_whatever_the_clocks_do() {
    let depth = depth();
    let seen = Seen::default();
    for case in CASES {
        plan(case, 200_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}
