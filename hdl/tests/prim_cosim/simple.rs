//! Register, delays, counter, debounce.

use crate::prim_cosim::{plan, random_plan};
use flitforge_elaborate::Value;
use flitforge_hdl::config::ConfigError;
use flitforge_hdl::prim::debounce::Debounce;
use flitforge_hdl::prim::{ClearedDelay, Counter, Delay, Register};
use flitforge_sim::kit::{rng, Pace, Pacer, StimulusFn, Testbench};
use flitforge_sim::{Bench, PortValues};
use rand::Rng as _;
use rust_hdl::prelude::Bits;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

#[test]
fn register() {
    let mut held = Value::from_u64(70, 0x5a);
    random_plan("prim_register", || Register::<Bits<70>>::new(Bits::from(0x5a)))
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set("q", held.clone())?;
            if inputs.bit("clear")? {
                held = Value::from_u64(70, 0x5a);
            } else if inputs.bit("enable")? {
                held = inputs.get("d")?;
            }
            Ok(())
        })
        .run()
        .expect("equal");
}

/// A queue as long as the delay.
fn in_flight(clocks: usize) -> VecDeque<Value> {
    vec![Value::zero(33); clocks].into()
}

#[test]
fn delay() {
    for clocks in [0, 1, 5] {
        delays(&format!("prim_delay_{clocks}"), clocks, Delay::<Bits<33>>::new);
    }
}

/// In LUT RAM from 3 clocks to 15.
#[test]
fn compact_delay() {
    for clocks in [3, 7, 15] {
        delays(&format!("prim_compact_delay_{clocks}"), clocks, Delay::<Bits<33>>::compact);
    }
}

/// In block RAM from 2 clocks to 16.
#[test]
fn delay_in_block_ram() {
    for clocks in [2, 6, 16] {
        delays(&format!("prim_block_delay_{clocks}"), clocks, Delay::<Bits<33>>::in_block_ram);
    }
}

fn delays(name: &str, clocks: usize, new: fn(usize) -> Result<Delay<Bits<33>>, ConfigError>) {
    let mut queue = in_flight(clocks);
    random_plan(name, || new(clocks).expect("valid"))
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            if clocks == 0 {
                return outputs.set("q", inputs.get("d")?);
            }
            outputs.set("q", queue[0].clone())?;
            queue.pop_front();
            queue.push_back(inputs.get("d")?);
            Ok(())
        })
        .run()
        .expect("equal");
}

#[test]
fn cleared_delay() {
    let mut queue = in_flight(4);
    random_plan("prim_cleared_delay", || ClearedDelay::<Bits<33>>::new(4).expect("valid"))
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set("q", queue[0].clone())?;
            queue.pop_front();
            queue.push_back(inputs.get("d")?);
            if inputs.bit("clear")? {
                queue = in_flight(4);
            }
            Ok(())
        })
        .run()
        .expect("equal");
}

/// Events at a mixed pace; `zero` and `clear` so rarely that the end, or the third segment, is reached.
fn counted(testbench: &mut Testbench<'_>, seed: u64, pace: Pace, rare: f64) {
    let mut random = rng(seed, "counter");
    let mut pacer = Pacer::new(pace);
    testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
        for input in ["zero", "clear"] {
            let port = bench.port(input)?;
            bench.set_u64(port, u64::from(random.random_bool(rare)));
        }
        let up = bench.port("up")?;
        bench.set_u64(up, u64::from(pacer.next(&mut random)));
        Ok(())
    }));
}

/// The model; `highest` tells how far it came.
fn counter_model(
    most: u64,
    highest: &Rc<Cell<u64>>,
) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), flitforge_sim::SimError> {
    let (mut count, highest) = (0u64, highest.clone());
    move |inputs, outputs| {
        outputs.set_u64("value", count)?;
        let zeroed = inputs.bit("zero")? || inputs.bit("clear")?;
        count = if zeroed { 0 } else { (count + inputs.u64("up")?).min(most) };
        highest.set(highest.get().max(count));
        Ok(())
    }
}

#[test]
fn counter() {
    let highest = Rc::new(Cell::new(0));
    plan(
        "prim_counter_8",
        || Counter::<8, 2>::new().expect("valid"),
        |testbench, seed| {
            counted(testbench, seed, Pace::mixed(), 0.0005);
            Ok(())
        },
    )
    .model(counter_model(255, &highest))
    .run()
    .expect("equal");
    assert_eq!(highest.get(), 255, "never saturated");

    let highest = Rc::new(Cell::new(0));
    plan(
        "prim_counter_32",
        || Counter::<32, 8>::new().expect("valid"),
        |testbench, seed| {
            counted(testbench, seed, Pace::Random(0.95), 0.0);
            Ok(())
        },
    )
    .model(counter_model(u64::from(u32::MAX), &highest))
    .run()
    .expect("equal");
    assert!(highest.get() > 65_536, "the third segment was not reached");
}

#[test]
fn debounce() {
    const PERIOD: u64 = 5;
    let (mut clock, mut level, mut pressed) = (0, false, false);
    random_plan("prim_debounce", || Debounce::new(PERIOD).expect("valid"))
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set_bit("level", level)?;
            outputs.set_bit("pressed", pressed)?;
            clock += 1;
            pressed = false;
            if clock == PERIOD {
                let button = inputs.bit("button")?;
                (clock, pressed, level) = (0, button && !level, button);
            }
            if inputs.bit("clear")? {
                (clock, pressed, level) = (0, false, false);
            }
            Ok(())
        })
        .run()
        .expect("equal");
}
