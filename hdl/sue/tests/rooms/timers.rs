//! Retransmission timers: never early, told in time, stopped for good, on all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::timers::{SueTimers, TimerCommand};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, StimulusFn, StreamMonitor, StreamSink, StreamSource,
    Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{deep, Clocked, StockBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Address bits of connections and timers under test.
const ADDRESS: usize = 4;
const CONNECTIONS: usize = 1 << ADDRESS;
const TIMERS: u64 = 1 << ADDRESS;
/// Clocks that a command, or a second look, takes at most, without shifts.
const TURN: u64 = 7;
/// Commands that the block takes without doing anything about them.
const WAITING: usize = 14;

type Timers = SueTimers<ADDRESS, ADDRESS, { ADDRESS + 1 }>;
type CommandBits = Bits<{ <TimerCommand as Synth>::BITS }>;

/// A command that was given.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// When it was taken.
    at: u64,
    /// When it has had its effect, at last.
    by: u64,
    /// How long the timer runs; `None`: it stops.
    span: Option<u64>,
    /// An expiry may have been this one's.
    doubtful: bool,
}

/// What is known of each connection's timer.
struct Reference {
    rto: u64,
    given: [VecDeque<Given>; CONNECTIONS],
    /// When the last command has had its effect, at last.
    done: u64,
    /// Clocks in which an expiry waited.
    stalls: VecDeque<u64>,
    offered: bool,
    seen: Coverage,
}

impl Reference {
    fn new(rto: u64, seen: Coverage) -> Self {
        Self { rto, given: Default::default(), done: 0, stalls: VecDeque::new(), offered: false, seen }
    }

    fn command(&mut self, clock: u64, command: TimerCommand) {
        let shifts = u64::from(command.backoff);
        let starts = command.starts;
        self.done = self.done.max(clock) + 2 * TURN + if starts { shifts } else { 0 } + 1;
        let span = starts.then(|| self.rto << shifts);
        self.seen.hit(if starts { "started" } else { "stopped" });
        let given = &mut self.given[u64::from(command.connection) as usize];
        given.push_back(Given { at: clock, by: self.done, span, doubtful: false });
        // what is older than a command that has had its effect is over
        while given.len() > 1 && given[1].by + TURN < clock {
            given.pop_front();
        }
    }

    /// The timer of a connection has run out: which of its commands is that of?
    fn expire(&mut self, clock: u64, connection: u64) -> Result<(), String> {
        let given = &mut self.given[connection as usize];
        let fits = |place: usize| {
            let over = given.get(place + 1).is_some_and(|next| next.by + TURN < clock);
            let ran_out = given[place].span.is_some_and(|span| clock >= given[place].at + span);
            ran_out && !over
        };
        let places: Vec<usize> = (0..given.len()).filter(|place| fits(*place)).collect();
        let place =
            *places.first().ok_or_else(|| format!("{connection} has run out at {clock}: {given:?}"))?;
        let last = *places.last().unwrap_or(&place);
        self.seen.hit("expired");
        let backed_off = given[place].span.is_some_and(|span| span > self.rto);
        self.seen.add("backed off", backed_off.into());
        given.drain(..=place);
        given.iter_mut().take(last - place).for_each(|given| given.doubtful = true);
        Ok(())
    }

    /// Nobody waits longer than he should.
    fn late(&self, clock: u64) -> Result<(), String> {
        for (connection, given) in self.given.iter().enumerate() {
            let Some(Given { by, span: Some(span), doubtful: false, .. }) = given.back() else { continue };
            let stalled = self.stalls.iter().filter(|at| **at >= by + span).count() as u64;
            let others = 10 * CONNECTIONS as u64;
            let wait = (WAITING as u64 + 1) * (2 * TURN + 15);
            if clock > by + span + 4 * TIMERS + others + wait + stalled {
                return Err(format!("{connection} should have run out by {clock}: {given:?}"));
            }
        }
        Ok(())
    }
}

struct Watch {
    ports: [PortHandle; 4],
    lost: PortHandle,
    reference: Rc<RefCell<Reference>>,
}

impl Agent for Watch {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [clear, valid, ready, data] = self.ports;
        let wrong = |problem: String| SimError::Check { clock, problem };
        let mut reference = self.reference.borrow_mut();
        if bench.get_bit(valid) {
            if !reference.offered {
                reference.expire(clock, bench.get_u64(data)).map_err(wrong)?;
            }
            reference.offered = !bench.get_bit(ready);
            if reference.offered {
                reference.stalls.push_back(clock);
            }
        }
        if reference.stalls.len() > 2_000 {
            reference.stalls.pop_front();
        }
        reference.late(clock).map_err(wrong)?;
        if bench.get_bit(self.lost) {
            return Err(wrong("lost, with a timer for everybody".into()));
        }
        if bench.get_bit(clear) {
            let (rto, seen) = (reference.rto, std::mem::take(&mut reference.seen));
            *reference = Reference::new(rto, seen);
            reference.seen.hit("cleared");
        }
        Ok(())
    }
}

fn value_of(command: TimerCommand) -> Value {
    let bits: CommandBits = command.into();
    bits.to_value()
}

fn command(connection: u64, starts: bool, backoff: u64) -> TimerCommand {
    TimerCommand { connection: connection.into(), starts, backoff: backoff.into() }
}

fn stimulus(
    testbench: &mut Testbench<'static>,
    seed: u64,
    reference: &Rc<RefCell<Reference>>,
) -> Result<(), SimError> {
    let rto = (testbench.bench().port("rto")?, reference.borrow().rto);
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        bench.set_u64(rto.0, rto.1);
        Ok(())
    }));
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
    let told = reference.clone();
    let mut random = rng(seed, "commands");
    let often = Pace::Bursts { active: 1..=40, idle: 1..=200 };
    let pace = Pace::Phases(vec![(900, often), (900, Pace::Random(0.02)), (300, Pace::Always)]);
    testbench.add(
        StreamSource::new(testbench.bench(), "commands", seed)?
            .pace(pace)
            .items(move |_, _| {
                let backoff = if random.random_bool(0.6) { 0 } else { random.random_range(0..5) };
                let connection = random.random_range(0..CONNECTIONS as u64);
                Some(value_of(command(connection, random.random_bool(0.7), backoff)))
            })
            .on_transfer(move |clock, value| {
                told.borrow_mut().command(clock, CommandBits::from_value(value).into());
                Ok(())
            }),
    );
    let taken = Pace::Phases(vec![(700, Pace::Always), (500, Pace::Random(0.3)), (60, Pace::Never)]);
    testbench.add(StreamSink::new(testbench.bench(), "expired", seed)?.pace(taken));
    testbench.add(StreamMonitor::new(testbench.bench(), "commands")?);
    testbench.add(StreamMonitor::new(testbench.bench(), "expired")?);
    let bench = testbench.bench();
    let ports = [
        bench.port("clear")?,
        bench.port("expired.valid")?,
        bench.port("expired.ready")?,
        bench.port("expired.data")?,
    ];
    let lost = bench.port("lost")?;
    testbench.add(Watch { ports, lost, reference: reference.clone() });
    Ok(())
}

fn plan(name: &str, rto: u64, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Timers::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x71e), make, move |testbench: &mut Testbench<'_>, seed| {
        let reference = Rc::new(RefCell::new(Reference::new(rto, Coverage::default())));
        stimulus(testbench, seed, &reference)?;
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = reference.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn timers_run_out_when_their_time_has_come() {
    for (name, rto) in [("sue_timers", 300), ("sue_timers_short", 1), ("sue_timers_middle", 90)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, rto, &seen), 40_000, 1_500).run().expect("equal");
        let all = ["started", "stopped", "expired", "backed off", "cleared"];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_timers";
    let faults = [
        Fault::replace("a stop is ignored", TOP, "acts = decides & (mapped_q[8]", "acts = decides & (1'b0"),
        Fault::replace(
            "a timer runs out a little early",
            TOP,
            "overdue_d = seen_q[52] & left[39]",
            "overdue_d = seen_q[52] & (left[39] | (left < 40'd200))",
        ),
        Fault::replace("a backoff is one too small", TOP, "more = |shifts_q;", "more = |shifts_q[3:1];"),
        Fault::replace(
            "a timer that ran out keeps its entry",
            TOP,
            "changes_d = acts | finds",
            "changes_d = acts",
        ),
    ];
    let plan =
        || plan(TOP, 300, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

/// A bench with 32 connections and 16 timers, after its walk.
fn few_timers() -> StockBlock<SueTimers<5, 4, 5>> {
    let mut bench = StockBlock::new(SueTimers::<5, 4, 5>::new().expect("valid"));
    bench.set("rto", 0xFF_FFFF).set("expired.ready", 1);
    bench.until("the walk is over", 100, |bench| bench.get("commands.ready") == 1);
    bench
}

/// Gives a command; how often a start was lost within the clocks that it takes.
fn give(bench: &mut StockBlock<SueTimers<5, 4, 5>>, command: TimerCommand) -> u64 {
    bench.set_value("commands.data", &value_of(command)).pulse("commands.valid");
    let mut lost = 0;
    for _ in 0..3 * TURN {
        lost += bench.get("lost");
        bench.clock();
    }
    lost
}

#[test]
fn a_start_without_a_free_timer_is_lost() {
    let mut bench = few_timers();
    let lost: u64 = (0..16).map(|connection| give(&mut bench, command(connection, true, 0))).sum();
    assert_eq!(lost, 0, "sixteen have a timer");
    assert_eq!(give(&mut bench, command(16, true, 0)), 1, "the next one has none");
    assert_eq!(give(&mut bench, command(3, true, 1)), 0, "one that has starts again");
    assert_eq!(give(&mut bench, command(3, false, 0)), 0);
    assert_eq!(give(&mut bench, command(16, true, 0)), 0, "its timer is free");
    assert_eq!(give(&mut bench, command(17, true, 0)), 1);
}

/// Clocks from the first of several commands to the last one's transfer.
#[test]
fn a_command_takes_seven_clocks_and_one_per_step_of_its_backoff() {
    for backoff in [0, 3, 15] {
        let mut bench = few_timers();
        bench.set_value("commands.data", &value_of(command(9, true, backoff))).set("commands.valid", 1);
        let mut taken = 0;
        for _ in 0..600 {
            taken += bench.get("commands.ready");
            bench.clock();
        }
        // what is taken is done but for those that wait
        let done = taken - WAITING as u64 - 1;
        let least = 600 / (TURN + backoff) - 2;
        assert!(done >= least, "{done} commands with backoff {backoff}, expected {least}");
    }
}

#[test]
fn the_next_four_commands_are_taken_while_there_is_room() {
    let mut bench = few_timers();
    bench.set_value("commands.data", &value_of(command(9, true, 15))).set("commands.valid", 1);
    let mut after = 0;
    while bench.get("commands.ready") == 1 {
        after += u64::from(bench.get("room") == 0);
        bench.clock();
    }
    assert!(after >= 4, "{after} commands without room");
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let error = SueTimers::<4, 5, 6>::new().err().expect("T").to_string();
    assert!(error.contains("sue_timers") && error.contains('T'), "{error}");
    let error = SueTimers::<13, 8, 9>::new().err().expect("A").to_string();
    assert!(error.contains("sue_timers") && error.contains("12"), "{error}");
}
