//! `pps` by itself against a model, and faults of it that the co-simulation finds.

use flitforge_hdl::time::hfi::{PulsePerSecond, MAX_PULSE_CLOCKS};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{depth, Count};
use rand::Rng;

const SECOND: u128 = 1_000_000_000;
/// A new time's clocks, from that of the step on, that may begin a second without a pulse.
const BLIND_CLOCKS: u64 = 69;
const PULSE_CLOCKS: u64 = 30;

fn wide(value: &flitforge_elaborate::Value) -> u128 {
    value.words().iter().rev().fold(0, |word, part| word << 64 | u128::from(*part))
}

/// When seconds begin, when pulses follow.
#[derive(Default)]
struct Pulses {
    clock: u64,
    /// Whole seconds in the clock before, and its epoch.
    before: Option<(u128, u64)>,
    /// Clock of the last step or clear.
    stepped: u64,
    /// Clocks in which pulses rise.
    rises: Vec<u64>,
    high_until: u64,
}

impl Pulses {
    /// `pps` in this clock, whose inputs are these.
    fn clock(&mut self, clear: bool, sync: u128, epoch: u64) -> bool {
        let now = self.clock;
        if self.rises.first() == Some(&now) {
            self.rises.remove(0);
            self.high_until = now + PULSE_CLOCKS;
        }
        let high = now < self.high_until;
        let seconds = (sync >> 32) / SECOND;
        let (last, last_epoch) = self.before.unwrap_or((seconds, 0));
        if clear || epoch != last_epoch || self.before.is_none() {
            self.stepped = now;
        }
        if seconds > last && now >= self.stepped + BLIND_CLOCKS {
            self.rises.push(now + 2);
        }
        if clear {
            self.high_until = 0;
            // One that would rise in the next clock is gone, too.
            self.rises.clear();
        }
        self.before = Some((seconds, epoch));
        self.clock += 1;
        high
    }
}

/// SyncTime that moves `rate` ns per clock, with steps and `clear`s.
fn plan(name: &'static str, clocks: u64, pulses: &Count) -> CosimPlan<'static> {
    let make = || -> Box<dyn flitforge_elaborate::drive::DriveBlock> {
        Box::new(PulsePerSecond::new(PULSE_CLOCKS).expect("valid"))
    };
    let plan = CosimPlan::new(name, seed(0x5EC), make, |testbench, seed| {
        let mut random = rng(seed, "sync");
        let (mut sync, mut epoch, mut rate) = (0_u128, 0_u64, 7_u128 << 32);
        let mut unrest = 0.0;
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            if clock % 2_000 == 0 {
                rate = random.random_range(1_u128 << 32..SECOND << 25);
                unrest = [0.0, 0.002, 0.01][random.random_range(0..3)];
            }
            sync = (sync + rate) & ((1 << 96) - 1);
            let clear = random.random_bool(unrest / 4.0);
            if random.random_bool(unrest) {
                // Often next to a second, and anywhere in 64 bits.
                let seconds = u128::from(random.random::<u64>()) / SECOND;
                let near = random.random_range(0..3 * rate) + (SECOND << 32) - rate * 70;
                sync = ((seconds * SECOND) << 32) + near;
                sync &= (1 << 96) - 1;
                epoch = (epoch + 1) & 0xFF;
            }
            let port = bench.port("sync")?;
            bench.set(port, &flitforge_elaborate::Value::from_words(96, &[sync as u64, (sync >> 64) as u64]));
            for (path, value) in [("epoch", epoch), ("clear", clear.into())] {
                let port = bench.port(path)?;
                bench.set_u64(port, value);
            }
            if clear {
                (sync, epoch) = (0, 0);
            }
            Ok::<(), SimError>(())
        }));
        Ok(())
    });
    let (mut model, pulses, mut was) = (Pulses::default(), pulses.clone(), false);
    plan.clocks(clocks).stock_limit(300, "a quick run: rust-hdl itself is slow").model(
        move |inputs: &PortValues, outputs: &mut PortValues| {
            let sync = wide(&inputs.get("sync")?);
            let high = model.clock(inputs.bit("clear")?, sync, inputs.u64("epoch")?);
            pulses.add(u64::from(high && !was));
            was = high;
            outputs.set_bit("pps", high)
        },
    )
}

#[test]
fn a_pulse_follows_every_second() {
    let pulses = Count::default();
    let depth = depth();
    plan("second", 60_000, &pulses).to_depth(depth).run().expect("equal");
    pulses.at_least(101, "pulses");
}

#[test]
fn faults_of_the_pulse_are_found() {
    let module = "fault_second";
    let faults = [
        Fault::replace("a second is a nanosecond longer", module, "32'h3b9aca00", "32'h3b9aca01"),
        Fault::replace("a pulse has a clock less", module, "left_d = length;", "left_d = length - 16'h1;"),
        Fault::replace("a step does not end the search", module, "& ~begin_q", ""),
    ];
    let plan =
        || plan("fault_second", 60_000, &Count::default()).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn a_pulse_without_length_is_refused() {
    assert!(PulsePerSecond::new(0).is_err());
    assert!(PulsePerSecond::new(MAX_PULSE_CLOCKS + 1).is_err());
    assert!(PulsePerSecond::new(MAX_PULSE_CLOCKS).is_ok());
}
