//! AXI4 over commands against the golden model, on all simulators.

mod common;
mod manager;
mod subordinate;

use flitforge_hdl_sue::axi::{SueAxiManager, SueAxiSubordinate};
use flitforge_model::sue::axi::SubordinateConfig;
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{seed, ClearDriver, Coverage, Testbench};
use flitforge_sim::CosimPlan;
use flitforge_testkit::deep;
use std::cell::RefCell;
use std::rc::Rc;

const SUBORDINATE: &str = "sue_axi_subordinate";
const MANAGER: &str = "sue_axi_manager";

fn subordinate_plan(name: &str, unordered: bool, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueAxiSubordinate::<4, 5>::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xA41), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.0004, 1..=3));
        let config = SubordinateConfig { unordered, early_responses: false };
        testbench.add(subordinate::Around(subordinate::Surroundings::new(seed, config, seen.clone())));
        Ok(())
    })
}

#[test]
fn the_subordinate_makes_commands_of_bursts_as_the_model_does() {
    for (name, unordered) in [(SUBORDINATE, false), ("sue_axi_subordinate_unordered", true)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        let plan = subordinate_plan(name, unordered, &seen);
        deep(plan, FULL_CLOCKS / 2, 3_000).cover(&["clear.pulses"]).run().expect("equal");
        let all = [
            "READ",
            "WRITE",
            "WRITE_S",
            "long",
            "five cells",
            "B",
            "R",
            "refused",
            "both wait",
            "a clear in mid-transfer",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

fn manager_plan(name: &str, many: bool, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(SueAxiManager::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xA42), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.0004, 1..=3));
        testbench.add(manager::Around(manager::Surroundings::new(seed, many, seen.clone())));
        Ok(())
    })
}

#[test]
fn the_manager_makes_bursts_of_commands_as_the_model_does() {
    for (name, many) in [(MANAGER, false), ("sue_axi_manager_many", true)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(manager_plan(name, many, &seen), FULL_CLOCKS / 2, 3_000)
            .cover(&["clear.pulses"])
            .run()
            .expect("equal");
        let mut all = vec![
            "AR",
            "AW",
            "WRITE",
            "WRITE_S",
            "WRESP",
            "RDATA",
            "refused",
            "interleaved",
            "32 transfers",
            "W before AW is taken",
            "the same tag",
            "a clear in mid-transfer",
        ];
        all.push(if many { "no free tag" } else { "stray" });
        seen.borrow().require(name, &all).expect("everything happened");
    }
}
