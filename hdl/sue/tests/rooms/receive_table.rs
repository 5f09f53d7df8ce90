//! The connections of a go-back-N receiver against the golden model, on all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::receive_table::{
    AcknowledgmentKind, ReceiveChange, ReceiveEntry, ReceiveEvent, ReceiveKind, ReceiveResult,
    ReceiveVerdict, SueReceiveTable, LATENCY,
};

use flitforge_model::sue::{
    Acknowledgment, BodyCheck, Due, OpenAnswer, Psn, ReceiverConfig, ReceiverConnection, Renack, Room,
    Verdict,
};

use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, ClearDriver, Coverage, FlowMonitor, StimulusFn, StreamMonitor, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::{depth, OnBit};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Address bits of the table under test.
const ADDRESS: usize = 9;
const CONNECTIONS: usize = 1 << ADDRESS;
/// Those with events: any two differ in one of the thirds that are compared.
const NUMBERS: [usize; 4] = [0, 1, 16, 256];

type Table = SueReceiveTable<ADDRESS>;
/// Clocks from a look to what it shows: it waits for a clock in which no event reads or writes.
const LOOK_LATENCY: RangeInclusive<u64> = 5..=10;
type EntryBits = Bits<{ <ReceiveEntry as Synth>::BITS }>;
type EventBits = Bits<{ <ReceiveEvent as Synth>::BITS }>;
type ResultBits = Bits<{ <ReceiveResult as Synth>::BITS }>;

/// Clocks from an event to the one in which its entry is written.
const WRITTEN: u64 = 6;

/// What the model says of one event.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Expected {
    clock: u64,
    kind: ReceiveKind,
    connection: u64,
    verdict: ReceiveVerdict,
    /// With `Take`.
    acknowledgment: Option<AcknowledgmentKind>,
    psn: Option<u64>,
    was_due: bool,
    becomes_due: bool,
    arm: Option<u8>,
}

/// The model of a connection, and what its acknowledgments wait for.
#[derive(Clone)]
struct Connection {
    model: ReceiverConnection,
    accepted: bool,
    waiting: u8,
    timer: u8,
    ack_due: bool,
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            model: ReceiverConnection::new(Psn::ZERO),
            accepted: false,
            waiting: 0,
            timer: 0,
            ack_due: false,
        }
    }
}

impl Connection {
    fn due(&self, config: &ReceiverConfig) -> bool {
        self.ack_due || self.model.due(config, 0) == Some(Due::Nack)
    }

    fn pdu(&mut self, config: &ReceiverConfig, psn: u16, room: Room) -> (ReceiveVerdict, Option<u8>) {
        let mut arm = None;
        let verdict = match self.model.receive(config, Psn::new(psn), room, BodyCheck::Good, 0) {
            Verdict::Accepted => {
                self.accepted = true;
                if self.waiting == 0 {
                    self.timer = self.timer.wrapping_add(1);
                    arm = Some(self.timer);
                }
                self.waiting = self.waiting.saturating_add(1);
                self.ack_due |= self.waiting >= config.ack_coalesce;
                ReceiveVerdict::Accept
            }
            Verdict::RxFull => ReceiveVerdict::NoRoom,
            Verdict::Gap(_) => ReceiveVerdict::Gap,
            Verdict::Duplicate => {
                self.ack_due |= self.accepted;
                ReceiveVerdict::Duplicate
            }
            Verdict::Frozen => ReceiveVerdict::Frozen,
            other => unreachable!("{other:?} of a good body"),
        };
        (verdict, arm)
    }

    fn take(&mut self, config: &ReceiverConfig) -> (AcknowledgmentKind, Option<u64>) {
        (self.waiting, self.ack_due) = (0, false);
        match self.model.carry(config) {
            Acknowledgment::None => (AcknowledgmentKind::None, None),
            Acknowledgment::Ack(psn) => (AcknowledgmentKind::Ack, Some(psn.value().into())),
            Acknowledgment::Nack(psn) => (AcknowledgmentKind::Nack, Some(psn.value().into())),
        }
    }
}

struct Reference {
    config: ReceiverConfig,
    connections: [Connection; CONNECTIONS],
    expected: VecDeque<Expected>,
    /// When a connection was written last, and what it was until then; the last ones.
    before: VecDeque<(u64, usize, Shown)>,
    seen: Coverage,
}

impl Reference {
    fn new(config: ReceiverConfig) -> Self {
        Self {
            config,
            connections: std::array::from_fn(|_| Connection::default()),
            expected: VecDeque::new(),
            before: VecDeque::new(),
            seen: Coverage::default(),
        }
    }

    fn event(&mut self, clock: u64, event: ReceiveEvent) {
        let config = self.config;
        let number = u64::from(event.connection);
        self.keep(clock, number as usize);
        let connection = &mut self.connections[number as usize];
        let was_due = connection.due(&config);
        let psn = u64::from(event.psn) as u16;
        let (mut verdict, mut acknowledgment, mut said, mut arm) = (ReceiveVerdict::NoPdu, None, None, None);
        match event.kind {
            ReceiveKind::Pdu => {
                let room = if event.room { Room::Free } else { Room::Full };
                (verdict, arm) = connection.pdu(&config, psn, room);
            }
            ReceiveKind::Take => {
                let (kind, number) = connection.take(&config);
                (acknowledgment, said) = (Some(kind), number);
                self.seen.hit(format!("{kind:?}"));
                self.seen.hit(if was_due { "taken when due" } else { "taken when none is due" });
            }
            ReceiveKind::Expire => {
                let counts = u64::from(event.timer) == u64::from(connection.timer) && connection.waiting > 0;
                connection.ack_due |= counts;
                self.seen.hit(if counts { "timer" } else { "old timer" });
            }
            ReceiveKind::Change if event.change == ReceiveChange::Open => {
                let (word, answer) = match connection.model.open(Psn::new(psn)) {
                    OpenAnswer::Opened(psn) => ("opened", psn),
                    OpenAnswer::Behind(psn) => ("not opened", psn),
                };
                said = Some(answer.value().into());
                self.seen.hit(word);
            }
            ReceiveKind::Change => said = Some(connection.model.freeze().value().into()),
        }
        self.seen.hit(format!("{verdict:?}"));
        let becomes_due = connection.due(&config) && !was_due;
        let kind = event.kind;
        let clock = clock + u64::from(LATENCY);
        self.expected.push_back(Expected {
            clock,
            kind,
            connection: number,
            verdict,
            acknowledgment,
            psn: said,
            was_due,
            becomes_due,
            arm,
        });
    }

    fn result(&mut self, clock: u64, result: ReceiveResult) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        let expected = self.expected.pop_front().ok_or_else(|| wrong("a result of no event".into()))?;
        let came = Expected {
            clock,
            kind: result.kind,
            connection: result.connection.into(),
            verdict: result.verdict,
            acknowledgment: expected.acknowledgment.map(|_| result.acknowledgment),
            psn: expected.psn.map(|_| result.psn.into()),
            was_due: result.was_due,
            becomes_due: result.becomes_due,
            arm: result.arm.then(|| u64::from(result.timer) as u8),
        };
        (came == expected).then_some(()).ok_or_else(|| wrong(format!("{came:?}, expected {expected:?}")))
    }

    /// What the connection is before an event that comes now.
    fn keep(&mut self, clock: u64, number: usize) {
        let written = clock + WRITTEN;
        self.before.push_back((written, number, self.shown(number)));
        if self.before.len() > 8 {
            self.before.pop_front();
        }
    }

    /// What a look shows at this clock: it read the entry 3 clocks before.
    fn shown_at(&self, number: usize, clock: u64) -> Shown {
        let later = |kept: &&(u64, usize, Shown)| kept.1 == number && kept.0 + 3 >= clock;
        self.before.iter().find(later).map_or_else(|| self.shown(number), |&(_, _, state)| state)
    }

    fn shown(&self, number: usize) -> Shown {
        let model = &self.connections[number].model;
        let gap = model.gap();
        (model.exp().value().into(), gap.is_some(), gap.map_or(0, |psn| psn.value().into()))
    }

    /// An event near the state of its connection.
    fn random_event(&self, random: &mut impl Rng) -> ReceiveEvent {
        let number = NUMBERS[random.random_range(0..NUMBERS.len())];
        let connection = &self.connections[number];
        let kind = match random.random_range(0..100) {
            0..70 => ReceiveKind::Pdu,
            70..84 => ReceiveKind::Take,
            84..94 => ReceiveKind::Expire,
            _ => ReceiveKind::Change,
        };
        let opens = random.random_bool(0.7);
        let near = match random.random_range(0..10) {
            0..5 => 0,
            5..7 => random.random_range(1..4),
            7..9 => -random.random_range(1..4),
            _ => i32::from(random.random::<i16>()),
        };
        let psn = connection.model.exp().value().wrapping_add(near as u16);
        let timer = if random.random_bool(0.7) { connection.timer } else { random.random() };
        ReceiveEvent {
            kind,
            change: if opens { ReceiveChange::Open } else { ReceiveChange::Freeze },
            connection: (number as u64).into(),
            psn: u64::from(psn).into(),
            timer: u64::from(timer).into(),
            room: random.random_bool(0.85),
        }
    }
}

/// exp, gap and with a gap last.
type Shown = (u64, bool, u64);
/// When it was asked for, and the connection.
type Look = (u64, usize);

/// The host looks at connections, often: each look shows what the events that were written before it have made of the connection, and no event is late or lost for it.
fn look(
    reference: &Rc<RefCell<Reference>>,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    let looks: Rc<RefCell<VecDeque<Look>>> = Rc::default();
    let (asked, states) = (reference.clone(), reference.clone());
    let (shown, came, cleared) = (looks.clone(), looks.clone(), looks);
    let mut random = rng(seed, "looks");
    testbench.add(
        StreamSource::new(testbench.bench(), "looks", seed ^ 1)?
            .items(move |_, _| {
                Some(Value::from_u64(12, NUMBERS[random.random_range(0..NUMBERS.len())] as u64))
            })
            .on_transfer(move |clock, value| {
                shown.borrow_mut().push_back((clock, value.to_u64().expect("12 bits") as usize));
                asked.borrow_mut().seen.hit("looked at");
                Ok(())
            }),
    );
    testbench.add(FlowMonitor::new(testbench.bench(), "looked")?.on_transfer(move |clock, value| {
        let entry: ReceiveEntry = EntryBits::from_value(value).into();
        let came_now = (u64::from(entry.expected), entry.gap, if entry.gap { entry.last.into() } else { 0 });
        let Some((asked, number)) = came.borrow_mut().pop_front() else {
            return Err(SimError::Check { clock, problem: "an entry is shown that nobody looks at".into() });
        };
        let expected = states.borrow().shown_at(number, clock);
        if (came_now, LOOK_LATENCY.contains(&(clock - asked))) == (expected, true) {
            return Ok(());
        }
        let problem = format!(
            "{came_now:?} is shown {} clocks later, expected {expected:?} in {LOOK_LATENCY:?}",
            clock - asked
        );
        Err(SimError::Check { clock, problem })
    }));
    testbench.add(StreamMonitor::new(testbench.bench(), "looks")?);
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        cleared.borrow_mut().clear();
        Ok(())
    })?);
    Ok(())
}

fn value_of(event: ReceiveEvent) -> Value {
    let bits: EventBits = event.into();
    bits.to_value()
}

fn stimulus(
    reference: &Rc<RefCell<Reference>>,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    let config = reference.borrow().config;
    let ports = testbench.bench();
    let (coalesce, renack) = (ports.port("coalesce")?, ports.port("renack")?);
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        bench.set(coalesce, &Value::from_u64(8, config.ack_coalesce.into()));
        bench.set(renack, &Value::from_u64(1, (config.renack == Renack::Answer).into()));
        Ok(())
    }));
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
    let (asked, told) = (reference.clone(), reference.clone());
    let mut random = rng(seed, "events");
    testbench.add(
        StreamSource::new(testbench.bench(), "events", seed)?
            .items(move |_, _| Some(value_of(asked.borrow().random_event(&mut random))))
            .on_transfer(move |clock, value| {
                told.borrow_mut().event(clock, EventBits::from_value(value).into());
                Ok(())
            }),
    );
    let came = reference.clone();
    testbench.add(FlowMonitor::new(testbench.bench(), "results")?.on_transfer(move |clock, value| {
        came.borrow_mut().result(clock, ResultBits::from_value(value).into())
    }));
    testbench.add(StreamMonitor::new(testbench.bench(), "events")?);
    look(reference, testbench, seed)?;
    let cleared = reference.clone();
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        let mut reference = cleared.borrow_mut();
        let (config, seen) = (reference.config, std::mem::take(&mut reference.seen));
        *reference = Reference { seen, ..Reference::new(config) };
        Ok(())
    })?);
    Ok(())
}

fn plan(name: &str, config: ReceiverConfig, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Table::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x5e1), make, move |testbench: &mut Testbench<'_>, seed| {
        let reference = Rc::new(RefCell::new(Reference::new(config)));
        stimulus(&reference, testbench, seed)?;
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = reference.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

fn config(ack_coalesce: u8, renack: Renack) -> ReceiverConfig {
    ReceiverConfig { ack_coalesce, renack, ..Default::default() }
}

#[test]
fn every_event_does_what_the_model_does() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    for (name, config) in [
        ("sue_receive_table", config(3, Renack::Answer)),
        ("sue_receive_table_silent", config(1, Renack::Silent)),
    ] {
        plan(name, config, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(10_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        let all = [
            "Accept",
            "NoRoom",
            "Gap",
            "Duplicate",
            "Frozen",
            "None",
            "Ack",
            "Nack",
            "timer",
            "old timer",
            "opened",
            "not opened",
            "taken when due",
            "taken when none is due",
            "looked at",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_receive_table";
    const MEMORY: &str = "sue_connection_memory_width53_connections512";
    let faults = [
        Fault::replace("an entry under way is read", TOP, "if (memory_same) begin", "if (1'b0) begin"),
        Fault::replace("an event too soon after another", TOP, "& ~stage_q[1]", ""),
        Fault::replace("a look reads what an event reads", MEMORY, "~event_reads", "1'b1"),
        Fault::replace("another connection is taken for the same", MEMORY, "~(|differs_q)", "1'b1"),
        Fault::replace("the high third is not compared", MEMORY, "~(|differs_q)", "~(|differs_q[1:0])"),
        Fault::replace(
            "the middle third is not compared",
            MEMORY,
            "~(|differs_q)",
            "~(differs_q[2] | differs_q[0])",
        ),
        Fault::replace(
            "a clear leaves an entry",
            MEMORY,
            "assign ends = &walk_q;",
            "assign ends = walk_q[1];",
        ),
    ];
    let plan = || {
        plan(TOP, config(2, Renack::Answer), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn tables_that_are_too_large_are_refused() {
    let error = SueReceiveTable::<13>::new().err().expect("A").to_string();
    assert!(error.contains("sue_receive_table") && error.contains("12"), "{error}");
}
