//! The packer: what may be seen of it from outside on all simulators, and the golden model at quiet moments.

mod ledger;
mod rig;

use flitforge_hdl_sue::pack::SuePack;
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{seed, Coverage, FlowMonitor, Pace, StimulusFn, StreamMonitor, Testbench};
use flitforge_sim::{Bench, CosimPlan};
use flitforge_testkit::depth;
use rig::{Habits, Registers, Rig};
use std::cell::RefCell;
use std::rc::Rc;

/// 4 XPUs, 64 cells.
type Small = SuePack<2, 6, 4, 5, 9>;

const REGISTERS: Registers = Registers { pack_max: 512, weights: [1, 2, 3, 1], cells: 64 };

fn habits() -> Habits {
    Habits {
        commands: Pace::mixed(),
        takes: Pace::mixed(),
        flush: 0.05,
        wrong: 0.03,
        closed: 0.3,
        readiness: true,
        clears: 0.000_2,
        ..Habits::quiet(30)
    }
}

fn plan(name: &str, registers: Registers, habits: Habits, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Small::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9ac), make, move |testbench: &mut Testbench<'_>, seed| {
        let rig = Rig::new(testbench.bench(), registers, habits.clone(), seed)?;
        let shared = rig.clone();
        testbench.add(rig);
        for name in ["commands", "body"] {
            testbench.add(StreamMonitor::new(testbench.bench(), name)?);
        }
        for name in ["turns", "cells_freed"] {
            testbench.add(FlowMonitor::new(testbench.bench(), name)?);
        }
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = shared.0.borrow().ledger.seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn bodies_are_as_the_rules_say() {
    let crowded = Habits { credits: false, clears: 0.000_2, ..habits() };
    let calm = Habits { flush: 0.0, most_octets: 64, clears: 0.0, ..habits() };
    for (name, habits) in [("sue_pack", habits()), ("sue_pack_crowded", crowded), ("sue_pack_calm", calm)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, REGISTERS, habits, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        println!("{name}: {:?}", seen.borrow().counters().collect::<Vec<_>>());
    }
}
