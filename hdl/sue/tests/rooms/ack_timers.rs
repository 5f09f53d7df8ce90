//! The acknowledgment timers of a receiver: order, time, crowds, on all simulators.

use flitforge_elaborate::Value;
use flitforge_hdl_sue::ack_timers::{AckTimer, SueAckTimers, RESERVE};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    random_value, rng, seed, Agent, ClearDriver, Coverage, Pace, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::deep;
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Address bits of the timers under test.
const ADDRESS: usize = 5;
const TIMERS: usize = 1 << ADDRESS;
/// Clocks from an arming to its expiry beyond the duration, and the least in all.
const BEYOND: u64 = 3;
const LEAST: u64 = 7;

type Timers = SueAckTimers<ADDRESS, { ADDRESS + 1 }>;
type TimerBits = Bits<{ <AckTimer as Synth>::BITS }>;

/// How a run goes.
#[derive(Clone)]
struct Case {
    duration: u64,
    /// Clocks between armings, at least.
    apart: u64,
    taken: Pace,
    /// Nobody waits: the time is exact.
    exact: bool,
}

/// Arms timers at random, and knows which run.
struct Probe {
    case: Case,
    random: flitforge_sim::kit::Rng,
    ports: [PortHandle; 8],
    last_arming: u64,
    /// Timers that run, and when they were armed.
    armed: VecDeque<(u64, Value)>,
    /// One is offered.
    offered: bool,
    seen: Rc<RefCell<Coverage>>,
}

impl Probe {
    fn new(bench: &dyn Bench, seed: u64, case: Case, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let names = [
            "clear",
            "duration",
            "arms.valid",
            "arms.data",
            "expired.valid",
            "expired.ready",
            "expired.data",
            "early",
        ];
        let ports: Result<Vec<_>, _> = names.iter().map(|name| bench.port(name)).collect();
        let ports = ports?.try_into().expect("eight");
        let random = rng(seed, "arms");
        Ok(Self { case, random, ports, last_arming: 0, armed: VecDeque::new(), offered: false, seen })
    }

    fn offer(&mut self, clock: u64, early: bool, came: &Value) -> Result<(), String> {
        let (at, armed) = self.armed.front().ok_or("an expiry of no arming")?;
        if armed != came {
            return Err(format!("{came:?} expired, expected {armed:?}"));
        }
        if self.offered {
            return if early { Err("early is told twice".into()) } else { Ok(()) };
        }
        self.offered = true;
        let wanted = at + LEAST.max(self.case.duration + BEYOND);
        if early {
            self.seen.borrow_mut().hit("early");
            let crowded = self.armed.len() >= TIMERS - RESERVE;
            return if crowded { Ok(()) } else { Err(format!("early with {} timers", self.armed.len())) };
        }
        if clock < wanted || (self.case.exact && clock > wanted) {
            return Err(format!("expired at {clock}, expected {wanted}"));
        }
        self.seen.borrow_mut().hit("on time");
        Ok(())
    }
}

impl Agent for Probe {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [_, duration, valid, data, ..] = self.ports;
        bench.set_u64(duration, self.case.duration);
        let arms = clock >= self.last_arming + self.case.apart && self.random.random_bool(0.5);
        bench.set_u64(valid, arms.into());
        bench.set(data, &random_value(&mut self.random, TimerBits::BITS as u32));
        if arms {
            self.last_arming = clock;
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [clear, _, arms, armed, valid, ready, data, early] = self.ports;
        let wrong = |problem: String| SimError::Check { clock, problem };
        let lost = bench.port("lost")?;
        if bench.get_bit(lost) {
            self.seen.borrow_mut().hit("lost");
            let place = self.armed.iter().position(|(at, _)| at + 1 == clock);
            let place = place.ok_or_else(|| wrong("lost, but nothing was armed".into()))?;
            if self.armed.len() < TIMERS {
                return Err(wrong(format!("lost with {} timers", self.armed.len())));
            }
            self.armed.remove(place);
        }
        if bench.get_bit(arms) && !bench.get_bit(clear) {
            self.armed.push_back((clock, bench.get(armed)));
        }
        if bench.get_bit(valid) {
            let came = bench.get(data);
            self.offer(clock, bench.get_bit(early), &came).map_err(wrong)?;
            if bench.get_bit(ready) {
                self.armed.pop_front();
                self.offered = false;
            }
        }
        let overdue = self
            .armed
            .front()
            .is_some_and(|(at, _)| self.case.exact && clock > at + LEAST.max(self.case.duration + BEYOND));
        if overdue {
            return Err(wrong(format!("{:?} should have expired", self.armed.front())));
        }
        if bench.get_bit(clear) {
            self.armed.clear();
            self.offered = false;
            self.seen.borrow_mut().hit("cleared");
        }
        Ok(())
    }
}

fn plan(name: &str, case: Case, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Timers::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xac7), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=3));
        testbench.add(Probe::new(testbench.bench(), seed, case.clone(), seen.clone())?);
        testbench.add(StreamSink::new(testbench.bench(), "expired", seed)?.pace(case.taken.clone()));
        testbench.add(StreamMonitor::new(testbench.bench(), "expired")?);
        Ok(())
    })
}

fn exact(duration: u64) -> Case {
    Case { duration, apart: 3, taken: Pace::Always, exact: true }
}

fn crowded() -> Case {
    let taken = Pace::Phases(vec![(400, Pace::Always), (400, Pace::Never), (200, Pace::Random(0.2))]);
    Case { duration: 300, apart: 1, taken, exact: false }
}

#[test]
fn timers_run_out_in_order_and_on_time() {
    for duration in [0, 3, 4, 5, 37] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        let name = format!("sue_ack_timers_{duration}");
        deep(plan(&name, exact(duration), &seen), 8_000, 1_000).run().expect("equal");
        seen.borrow().require(&name, &["on time", "cleared"]).expect("everything happened");
        assert_eq!(seen.borrow().count("early"), 0);
    }
}

#[test]
fn a_crowd_makes_timers_run_out_early() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    deep(plan("sue_ack_timers_crowded", crowded(), &seen), 20_000, 2_000).run().expect("equal");
    seen.borrow().require("crowded", &["early", "lost", "cleared"]).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_ack_timers";
    const CROWD: &str = "fault_sue_ack_timers_crowd";
    let faults = [
        Fault::replace("a timer runs out a clock early", TOP, ">= duration", "+ 16'h1 >= duration"),
        Fault::replace("an age is not awaited", TOP, "known = looked_q[1]", "known = looked_q[0]"),
    ];
    let reason = "the faults are in the Verilog";
    let exact = || plan(TOP, exact(37), &Rc::default()).clocks(4_000).stock_limit(200, reason);
    find_all(exact, &faults).expect("all are found");
    let faults = [Fault::replace("a crowd is not seen", CROWD, "crowded_d = ", "crowded_d = 1'b0 & ")];
    let crowd = || plan(CROWD, crowded(), &Rc::default()).clocks(4_000).stock_limit(200, reason);
    find_all(crowd, &faults).expect("all are found");
}

#[test]
fn timers_that_are_too_many_are_refused() {
    let error = SueAckTimers::<13, 14>::new().err().expect("A").to_string();
    assert!(error.contains("sue_ack_timers") && error.contains("12"), "{error}");
}
