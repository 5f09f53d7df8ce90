//! The two crossings that `phy_lvds` adds to the primitives: pulses, and a clear for both sides.

use flitforge_hdl::prim::{ClearCrossing, PulseSynchronizer};
use flitforge_sim::kit::{rng, seed, StimulusFn, Testbench};
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::{Bench, CompiledBench, CosimPlan, PortValues};
use rand::Rng as _;
use std::collections::VecDeque;

/// A level after two flip-flops of its receiver.
#[derive(Default)]
struct Crossed {
    first: bool,
    second: bool,
}

impl Crossed {
    fn edge(&mut self, level: bool) {
        (self.second, self.first) = (self.first, level);
    }
}

#[test]
fn every_pulse_crosses_once() {
    for (clock_in, clock_out) in [(3000, 7100), (8300, 3100), (5000, 5000)] {
        let (mut level, mut crossed, mut seen) = (false, Crossed::default(), false);
        let name = format!("pulse_synchronizer_{clock_in}_{clock_out}");
        let stimulus = move |testbench: &mut Testbench<'_>, seed| {
            let bench = testbench.bench();
            let clocks = [bench.port("clock_in")?, bench.port("clock_out")?];
            let pulse = bench.port("pulse")?;
            let mut random = rng(seed, "pulses");
            let mut wait = 0u64;
            let pulses = StimulusFn(move |_, bench: &mut dyn Bench| {
                bench.set_u64(pulse, u64::from(wait == 0));
                // At least three receiving clocks apart.
                wait =
                    if wait == 0 { random.random_range(3..12) * clock_out / clock_in + 3 } else { wait - 1 };
                Ok(())
            });
            testbench.add_on("clock_in", pulses)?;
            testbench
                .set_schedule(ClockSchedule::new(&[(clocks[0], clock_in, 0), (clocks[1], clock_out, 900)]));
            Ok(())
        };
        CosimPlan::new(&name, seed(0x9_01), || Box::new(PulseSynchronizer::new().expect("valid")), stimulus)
            .clocks(8_000)
            .model(move |inputs: &PortValues, outputs: &mut PortValues| {
                outputs.set_bit("pulse_out", crossed.second != seen)?;
                let before = level;
                if inputs.rises("clock_in")? {
                    level ^= inputs.bit("pulse")?;
                }
                if inputs.rises("clock_out")? {
                    seen = crossed.second;
                    crossed.edge(before);
                }
                Ok(())
            })
            .run()
            .expect("equal");
    }
}

/// Both clears must be up together for 8 clocks of either side, and fall with the near one last, whenever and however often
/// `clear` comes, whatever the clocks; with the far clock standing still the near clear stays up.
#[test]
fn both_sides_are_cleared_together() {
    for (near, far) in [(4000, 4000), (3000, 29_000), (31_000, 2_900), (5000, 5003)] {
        let block = ClearCrossing::new().expect("valid");
        let mut testbench =
            Testbench::new(Box::new(CompiledBench::new("clears", Box::new(block)).expect("bench")));
        let bench = testbench.bench();
        let port = |path| bench.port(path).expect("port");
        let (clock, far_clock, clear) = (port("clock"), port("far_clock"), port("clear"));
        let (near_clear, far_clear) = (port("near_clear"), port("far_clear"));
        let mut random = rng(seed(0x9_02), "clears");
        let mut schedule = ClockSchedule::new(&[(clock, near, 0), (far_clock, far, 1_500)]);
        let mut together = [0u32; 2];
        let (mut ended, mut stopped, mut want) = (0, 0u32, VecDeque::from([false]));
        let mut was_near = false;
        for _ in 0..100_000 {
            let rising = schedule.next_edge();
            let moving: Vec<_> =
                rising.iter().copied().filter(|rising| *rising == clock || stopped == 0).collect();
            stopped = stopped.saturating_sub(1);
            if stopped == 0 && random.random_bool(0.0003) {
                stopped = 300;
            }
            let bench = testbench.bench_mut();
            if rising.contains(&clock) {
                let again = want.pop_front().unwrap_or(false);
                if want.is_empty() {
                    let length = if random.random_bool(0.004) { random.random_range(1..20) } else { 0 };
                    want.extend(std::iter::repeat_n(true, length));
                    want.push_back(false);
                }
                bench.set_u64(clear, u64::from(again));
            }
            bench.settle().expect("settles");
            let [is_near, is_far] = [near_clear, far_clear].map(|port| bench.get_u64(port) == 1);
            assert!(is_near || !is_far, "the far side is cleared alone");
            if was_near && !is_near {
                assert!(together[0] >= 8 && together[1] >= 8, "{together:?} clocks at {near}, {far}");
                ended += 1;
            }
            if !is_near {
                together = [0; 2];
            }
            if is_far {
                together[0] += u32::from(moving.contains(&clock));
                together[1] += u32::from(moving.contains(&far_clock));
            }
            was_near = is_near;
            bench.step_clocks(&moving).expect("steps");
        }
        assert!(ended > 15, "{ended} clears at {near}, {far}");
    }
}

/// A far clock that stands still answers nothing.
#[test]
fn the_near_clear_waits_for_a_far_clock_that_stands_still() {
    let block = ClearCrossing::new().expect("valid");
    let mut bench = CompiledBench::new("clears", Box::new(block)).expect("bench");
    let port = |bench: &CompiledBench, path| bench.port(path).expect("port");
    let (clock, far_clock) = (port(&bench, "clock"), port(&bench, "far_clock"));
    let (clear, near_clear) = (port(&bench, "clear"), port(&bench, "near_clear"));
    bench.set_u64(clear, 1);
    bench.step_clocks(&[clock]).expect("steps");
    bench.set_u64(clear, 0);
    for _ in 0..500 {
        bench.step_clocks(&[clock]).expect("steps");
        bench.settle().expect("settles");
        assert_eq!(bench.get_u64(near_clear), 1);
    }
    let mut left = 0;
    while bench.get_u64(near_clear) == 1 {
        bench.step_clocks(&[clock, far_clock]).expect("steps");
        bench.settle().expect("settles");
        left += 1;
        assert!(left < 40, "never ends");
    }
}
