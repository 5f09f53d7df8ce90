//! Connections to which an acknowledgment is due: each once, in order, none lost, on all simulators.

use flitforge_elaborate::Value;
use flitforge_hdl_sue::due_list::{SueDueList, LATENCY};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, Rng as KitRng, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::deep;
use rand::Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Address bits of the list under test.
const ADDRESS: usize = 4;
const CONNECTIONS: u64 = 1 << ADDRESS;
/// Clocks between two that become due.
const APART: u64 = 3;

type List = SueDueList<ADDRESS, { ADDRESS + 1 }>;

/// Makes connections due at random, and knows who waits.
struct Probe {
    random: KitRng,
    ports: [PortHandle; 6],
    last: u64,
    /// Nothing enters before this clock.
    opens: u64,
    /// Who waits, and since when.
    waits: VecDeque<(u64, u64)>,
    /// The oldest has been offered.
    offered: bool,
    /// It came into an empty list.
    alone: bool,
    seen: Rc<RefCell<Coverage>>,
}

impl Probe {
    fn new(bench: &dyn Bench, seed: u64, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let names = ["clear", "becomes_due.valid", "becomes_due.data", "due.valid", "due.ready", "due.data"];
        let ports: Result<Vec<_>, _> = names.iter().map(|name| bench.port(name)).collect();
        let (ports, random) = (ports?.try_into().expect("six"), rng(seed, "due"));
        let waits = VecDeque::new();
        Ok(Self { random, ports, last: 0, opens: CONNECTIONS, waits, offered: false, alone: false, seen })
    }

    fn enter(&mut self, clock: u64, connection: u64) {
        if self.waits.iter().any(|(_, waiting)| *waiting == connection) {
            self.seen.borrow_mut().hit("waits already");
            return;
        }
        self.alone = self.waits.is_empty();
        self.waits.push_back((clock, connection));
        if self.waits.len() == CONNECTIONS as usize {
            self.seen.borrow_mut().hit("all wait");
        }
    }
}

impl Agent for Probe {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [_, valid, data, ..] = self.ports;
        let becomes = clock >= self.last + APART && self.random.random_bool(0.6);
        bench.set_u64(valid, becomes.into());
        bench.set(data, &Value::from_u64(12, self.random.random_range(0..CONNECTIONS)));
        if becomes {
            self.last = clock;
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [clear, becomes, connection, valid, ready, data] = self.ports;
        let wrong = |problem: String| SimError::Check { clock, problem };
        if bench.get_bit(becomes) && clock >= self.opens {
            self.enter(clock, bench.get_u64(connection));
        }
        let first = self.waits.front().copied();
        if bench.get_bit(valid) {
            let came = bench.get_u64(data);
            let (since, wanted) = first.ok_or_else(|| wrong(format!("{came} is offered, nobody waits")))?;
            if came != wanted {
                return Err(wrong(format!("{came} is offered, expected {wanted}")));
            }
            if !self.offered && self.alone && self.waits.len() == 1 && clock != since + u64::from(LATENCY) {
                return Err(wrong(format!("{came} waits since {since}")));
            }
            self.offered = true;
            if bench.get_bit(ready) {
                self.waits.pop_front();
                self.offered = false;
                self.seen.borrow_mut().hit("left");
            }
        } else if first.is_some_and(|(since, _)| clock > since + 2 * u64::from(LATENCY)) {
            return Err(wrong(format!("{first:?} is not offered")));
        }
        if bench.get_bit(clear) {
            self.waits.clear();
            self.offered = false;
            self.opens = clock + CONNECTIONS + 1;
            self.seen.borrow_mut().hit("cleared");
        }
        Ok(())
    }
}

fn plan(name: &str, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(List::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xd0e), make, move |testbench: &mut Testbench<'_>, seed| {
        let pace = Pace::Phases(vec![
            (300, Pace::Always),
            (300, Pace::Never),
            (300, Pace::Random(0.2)),
            (100, Pace::Random(0.5)),
        ]);
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=3));
        testbench.add(Probe::new(testbench.bench(), seed, seen.clone())?);
        testbench.add(StreamSink::new(testbench.bench(), "due", seed)?.pace(pace));
        testbench.add(StreamMonitor::new(testbench.bench(), "due")?);
        Ok(())
    })
}

#[test]
fn each_connection_waits_once_and_in_order() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    deep(plan("sue_due_list", &seen), 20_000, 2_000).run().expect("equal");
    seen.borrow()
        .require("due list", &["waits already", "all wait", "left", "cleared"])
        .expect("all happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_due_list";
    let faults = [
        Fault::replace("who waits enters again", TOP, "& ~waits;", ";"),
        Fault::replace("who has left cannot enter", TOP, "leaves_d = ", "leaves_d = 1'b0 & "),
        Fault::replace("a clear leaves marks", TOP, "& ~(&walk_q)", "& ~walk_q[1]"),
    ];
    let plan = || plan(TOP, &Rc::default()).clocks(8_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn lists_that_are_too_large_are_refused() {
    let error = SueDueList::<13, 14>::new().err().expect("A").to_string();
    assert!(error.contains("sue_due_list") && error.contains("12"), "{error}");
}
