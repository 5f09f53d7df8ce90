//! `link_isolate`, `link_bit_isolate`, `link_degrade` and `link_probation` against cycle-exact models, rust-hdl itself, the graph and the emitted Verilog.

#![allow(clippy::expect_used)] // tests

mod bit_cases;
mod bits;
mod degrade;
mod degrade_cases;
mod isolate;
mod isolate_cases;
mod mutations;
mod probation;
mod probation_cases;

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::selfcheck::against_stock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::bit_isolate::LinkBitIsolate;
use flitforge_hdl::link::degrade::LinkDegrade;
use flitforge_hdl::link::isolate::LinkIsolate;
use flitforge_hdl::link::probation::LinkProbation;
use flitforge_hdl::registry::{BuiltBlock, InterfaceInfo};
use flitforge_sim::cosim::{CosimPlan, Depth};
use flitforge_sim::{open, Bench};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The plan with these clocks, or as many as `FLITFORGE_COSIM` asks for.
fn deep(plan: CosimPlan<'_>, quick: u64) -> CosimPlan<'_> {
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    let quick = plan.clocks(quick).stock_limit(1_000, "a quick run: rust-hdl itself is slow");
    quick.to_depth(depth)
}

/// What a model has seen happen, by name.
#[derive(Clone, Default)]
struct Seen(Rc<RefCell<BTreeMap<&'static str, u64>>>);

impl Seen {
    fn count(&self, name: &'static str, times: u64) {
        *self.0.borrow_mut().entry(name).or_default() += times;
    }

    /// Fails if one of these never happened.
    fn require(&self, names: &[&'static str]) {
        println!("{:?}", self.0.borrow());
        for name in names {
            assert!(self.0.borrow().get(name).is_some_and(|times| *times > 0), "never seen: {name}");
        }
    }
}

/// A bench for directed cases, on the back end that `FLITFORGE_BACKEND` names.
struct Directed(Box<dyn Bench>);

impl Directed {
    fn new(name: &str, block: impl DriveBlock + 'static) -> Self {
        let block = BuiltBlock::new(block, InterfaceInfo::default()).block;
        Directed(open(name, block).expect("bench"))
    }

    fn set(&mut self, path: &str, value: u64) -> &mut Self {
        let port = self.0.port(path).expect(path);
        self.0.set_u64(port, value);
        self
    }

    fn set_value(&mut self, path: &str, value: &Value) -> &mut Self {
        let port = self.0.port(path).expect(path);
        self.0.set(port, value);
        self
    }

    fn get(&mut self, path: &str) -> u64 {
        self.0.settle().expect("settles");
        let port = self.0.port(path).expect(path);
        self.0.get_u64(port)
    }

    fn clock(&mut self) {
        self.0.step().expect("steps");
    }
}

#[test]
fn the_graphs_equal_rust_hdl_under_random_inputs() {
    against_stock(|| LinkIsolate::new().expect("valid"), 300, 1).expect("equal");
    against_stock(|| LinkBitIsolate::new().expect("valid"), 300, 3).expect("equal");
    against_stock(LinkDegrade::default, 2_000, 2).expect("equal");
    against_stock(|| LinkProbation::<4>::new().expect("valid"), 500, 4).expect("equal");
    against_stock(|| LinkProbation::<2>::new().expect("valid"), 500, 5).expect("equal");
}
