//! The connections of a go-back-N sender against the golden model, on all simulators.

mod look;

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::send_table::{SendEvent, SendKind, SendResult, SendTimer, SueSendTable, LATENCY};
use flitforge_model::sue::{
    Acknowledgment, ConnectionKey, ConnectionState, Progress, Psn, RetryLimit, Sender, SenderConfig,
    SenderConnection, SenderEvent, StuckAction,
};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, Coverage, FlowMonitor, StimulusFn, StreamMonitor, StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::{depth, OnBit};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Address bits of the table under test.
const ADDRESS: usize = 9;
const CONNECTIONS: usize = 1 << ADDRESS;
/// Those with events: any two differ in one of the thirds that are compared.
const NUMBERS: [usize; 4] = [0, 1, 16, 256];
const KEY: ConnectionKey = ConnectionKey { port: 0, peer: 7, vc: 0 };

type Table = SueSendTable<ADDRESS>;
type EventBits = Bits<{ <SendEvent as Synth>::BITS }>;
type ResultBits = Bits<{ <SendResult as Synth>::BITS }>;

/// Clocks from an event to the one in which its entry is written.
const WRITTEN: u64 = 8;

/// What the model says of one event; what nobody may look at is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Expected {
    clock: u64,
    kind: u64,
    connection: u64,
    sends: bool,
    replays: bool,
    psn: u64,
    slot: u64,
    links: bool,
    frees: bool,
    count: u64,
    stale: bool,
    wild: bool,
    stuck: bool,
    fails: bool,
    waits: bool,
    window: bool,
    /// The timer starts, with this exponent.
    starts: Option<u64>,
    /// Nothing is left that it could run for.
    must_stop: bool,
}

/// The model of a connection, and the slots that it has.
struct Connection {
    model: Sender<u8>,
    now: u64,
    /// All slots from the oldest that is not freed on.
    slots: VecDeque<u8>,
    /// Of these, those of acknowledged bodies.
    to_free: u64,
    /// What the walker was asked for.
    asked: Option<u64>,
    /// The next turn waits for it.
    rewinds: bool,
}

impl Connection {
    fn new(config: SenderConfig) -> Self {
        let model = Sender::new(config).expect("valid");
        let mut connection =
            Self { model, now: 0, slots: VecDeque::new(), to_free: 0, asked: None, rewinds: false };
        connection.open(0);
        connection
    }

    fn state(&self) -> &SenderConnection<u8> {
        self.model.connection(KEY).expect("it was opened")
    }

    fn open(&mut self, psn: u16) {
        self.model.reconnect(KEY, Psn::new(psn));
        self.model.open_response(KEY, Psn::new(psn)).expect("it was closed");
    }

    fn is_open(&self) -> bool {
        self.state().state() == ConnectionState::Open
    }

    /// Slots are to be freed, unless some are already.
    fn ask(&mut self, said: &mut Expected) {
        if self.asked.is_none() && self.to_free > 0 {
            said.frees = true;
            said.count = self.to_free;
            said.slot = self.slots[0].into();
            self.asked = Some(self.to_free);
        }
    }

    fn body(&mut self, slot: u8, said: &mut Expected) {
        said.psn = self.state().nxt().value().into();
        if let Some(last) = self.slots.back() {
            (said.links, said.slot) = (true, (*last).into());
        }
        self.model.accept(KEY, slot, self.now).expect("window and slots");
        self.slots.push_back(slot);
    }

    fn turn(&mut self, said: &mut Expected) {
        if self.rewinds {
            return;
        }
        let turn = self.state().ready().and_then(|_| self.model.send(KEY, self.now));
        if let Some(turn) = turn {
            (said.sends, said.replays) = (true, turn.before == Progress::Sent);
            (said.psn, said.slot) = (turn.psn.value().into(), turn.body.into());
        }
    }

    fn acknowledge(&mut self, acknowledgment: Acknowledgment, said: &mut Expected) {
        let (una, snd) = (self.state().una(), self.state().snd());
        let before = *self.model.counters();
        let events = self.model.acknowledge(KEY, acknowledgment, self.now);
        let freed =
            events.iter().filter(|event| matches!(event, SenderEvent::Completed { .. })).count() as u64;
        said.stuck = events.iter().any(|event| matches!(event, SenderEvent::Stuck { .. }));
        said.stale = self.model.counters().ack_stale > before.ack_stale;
        said.wild = self.model.counters().ack_wild > before.ack_wild;
        self.to_free += freed;
        let empty = self.state().outstanding() == 0;
        let nack = matches!(acknowledgment, Acknowledgment::Nack(_)) && !said.stale && !said.wild;
        let jumped = u64::from(snd.distance(una)) < freed;
        if empty && !said.stale && !said.wild {
            self.rewinds = false;
        } else if nack || jumped {
            self.rewinds = self.to_free > 0;
        }
        said.must_stop = freed > 0 && empty;
        self.ask(said);
    }

    /// The peer may be of a later generation meanwhile.
    fn expire(&mut self, forgiven: bool) {
        let config = *self.model.config();
        let Some(deadline) = self.state().deadline(&config) else {
            return;
        };
        self.now = deadline;
        self.model.set_peer_newer(KEY.peer, forgiven);
        self.model.expire(deadline);
        self.model.set_peer_newer(KEY.peer, false);
        self.rewinds = self.to_free > 0;
    }

    fn freed(&mut self, said: &mut Expected) {
        let count = self.asked.take().expect("asked");
        self.slots.drain(..count as usize);
        self.to_free -= count;
        self.rewinds &= self.to_free > 0;
        self.ask(said);
    }
}

struct Reference {
    config: SenderConfig,
    connections: [Connection; CONNECTIONS],
    expected: VecDeque<Expected>,
    /// When a connection was written last, and what it was until then; the last ones.
    before: VecDeque<(u64, usize, [u64; 4])>,
    /// Requests of the walker that it has not answered yet: connection, last slot, count.
    walks: VecDeque<(usize, u8, u64)>,
    /// The event that is offered must not be lost.
    precious: bool,
    clearing: bool,
    seen: Coverage,
}

impl Reference {
    fn new(config: SenderConfig) -> Self {
        Self {
            config,
            connections: std::array::from_fn(|_| Connection::new(config)),
            expected: VecDeque::new(),
            before: VecDeque::new(),
            walks: VecDeque::new(),
            precious: false,
            clearing: false,
            seen: Coverage::default(),
        }
    }

    fn event(&mut self, clock: u64, event: SendEvent) {
        self.precious = false;
        let number = u64::from(event.connection);
        self.keep(clock, number as usize);
        let connection = &mut self.connections[number as usize];
        connection.now += 1;
        let config = self.config;
        let was_failed = connection.state().state() == ConnectionState::Failed;
        let psn = Psn::new(u64::from(event.psn) as u16);
        let clock = clock + u64::from(LATENCY);
        let mut said = Expected { clock, kind: event.kind as u64, connection: number, ..Default::default() };
        match event.kind {
            SendKind::Body => connection.body(u64::from(event.slot) as u8, &mut said),
            SendKind::Turn => connection.turn(&mut said),
            SendKind::Ack => connection.acknowledge(Acknowledgment::Ack(psn), &mut said),
            SendKind::Nack => connection.acknowledge(Acknowledgment::Nack(psn), &mut said),
            SendKind::Expire => connection.expire(event.forgiven),
            SendKind::Freed => connection.freed(&mut said),
            SendKind::Open => connection.open(psn.value()),
            SendKind::Stop => connection.model.freeze(KEY),
        }
        let state = connection.state();
        if said.frees {
            let last = connection.slots[said.count as usize - 1];
            self.walks.push_back((number as usize, last, said.count));
        }
        said.fails = !was_failed && state.state() == ConnectionState::Failed;
        said.waits = connection.is_open() && !connection.rewinds && state.ready().is_some();
        said.window = connection.is_open() && state.outstanding() < config.window;
        let exponent = state.retry().min(config.backoff);
        let started = connection.now.saturating_add(config.rto << exponent);
        if state.deadline(&config) == Some(started) {
            said.starts = Some(exponent.into());
        }
        said.must_stop |= !connection.is_open();
        self.count(&said, connection_words(&self.connections[number as usize]));
        self.expected.push_back(said);
    }

    fn count(&mut self, said: &Expected, words: [(&str, bool); 2]) {
        let seen = [
            ("sends", said.sends && !said.replays),
            ("replays", said.replays),
            ("stale", said.stale),
            ("wild", said.wild),
            ("stuck", said.stuck),
            ("fails", said.fails),
            ("frees", said.frees && said.count == 1),
            ("frees several", said.frees && said.count > 1),
            ("window closed", !said.window),
        ];
        for (name, happened) in seen.into_iter().chain(words) {
            if happened {
                self.seen.hit(name);
            }
        }
    }

    fn result(&mut self, clock: u64, result: SendResult) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        let expected = self.expected.pop_front().ok_or_else(|| wrong("a result of no event".into()))?;
        let names_psn = result.sends || result.kind == SendKind::Body;
        let names_slot = result.sends || result.links || result.frees;
        let came = Expected {
            clock,
            kind: result.kind as u64,
            connection: result.connection.into(),
            sends: result.sends,
            replays: result.replays,
            psn: if names_psn { result.psn.into() } else { 0 },
            slot: if names_slot { result.slot.into() } else { 0 },
            links: result.links,
            frees: result.frees,
            count: if result.frees { result.count.into() } else { 0 },
            stale: result.stale,
            wild: result.wild,
            stuck: result.stuck,
            fails: result.fails,
            waits: result.waits,
            window: result.window,
            starts: (result.timer == SendTimer::Starts).then(|| result.backoff.into()),
            must_stop: expected.must_stop && result.timer == SendTimer::Stops,
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
    fn shown_at(&self, number: usize, clock: u64) -> [u64; 4] {
        let later = |kept: &&(u64, usize, [u64; 4])| kept.1 == number && kept.0 + 3 >= clock;
        self.before.iter().find(later).map_or_else(|| self.shown(number), |&(_, _, state)| state)
    }

    /// una, nxt, snd, retry.
    fn shown(&self, number: usize) -> [u64; 4] {
        let state = self.connections[number].state();
        let [una, nxt, snd] = [state.una(), state.nxt(), state.snd()].map(|psn| psn.value().into());
        [una, nxt, snd, state.retry().into()]
    }

    /// An event near the state of its connection.
    fn random_event(&mut self, random: &mut impl Rng) -> Option<SendEvent> {
        if self.clearing {
            return None;
        }
        if !self.walks.is_empty() && random.random_bool(0.3) {
            let (number, slot, count) = self.walks.pop_front()?;
            self.precious = true;
            return Some(event(SendKind::Freed, number, 0, slot, count));
        }
        let number = NUMBERS[random.random_range(0..NUMBERS.len())];
        let connection = &self.connections[number];
        let state = connection.state();
        let slot = random.random::<u8>();
        let taken = self.connections.iter().any(|connection| connection.slots.contains(&slot));
        let near = match random.random_range(0..20) {
            0..12 => random.random_range(0..=i32::from(state.outstanding())),
            12..16 => random.random_range(-2..3),
            16 => 32_767,
            17 => i32::from(state.outstanding()) + 1,
            _ => i32::from(random.random::<i16>()),
        };
        let psn = state.una().value().wrapping_add(near as u16);
        let kind = match random.random_range(0..200) {
            0..70 => SendKind::Body,
            70..140 => SendKind::Turn,
            140..170 => SendKind::Ack,
            170..184 => SendKind::Nack,
            184..194 => SendKind::Expire,
            194 => SendKind::Stop,
            _ => SendKind::Open,
        };
        let closed = connection.slots.is_empty() && state.outstanding() == 0;
        match kind {
            SendKind::Body if taken || !connection.is_open() || !state.has_window(&self.config) => None,
            SendKind::Open if !closed => None,
            // most connections stay open
            SendKind::Open if connection.is_open() && random.random_bool(0.9) => None,
            kind => {
                self.precious = kind == SendKind::Body;
                // Of other events the bit says nothing.
                let forgiven = random.random_bool(0.3);
                if forgiven && kind == SendKind::Expire && self.connections[number].state().retry() == 3 {
                    self.seen.hit("an expiry forgiven at RETRY_MAX");
                }
                Some(SendEvent { forgiven, ..event(kind, number, psn, slot, 0) })
            }
        }
    }
}

fn connection_words(connection: &Connection) -> [(&'static str, bool); 2] {
    [
        ("waits for the walk", connection.rewinds),
        ("stopped", connection.state().state() == ConnectionState::Frozen),
    ]
}

fn event(kind: SendKind, connection: usize, psn: u16, slot: u8, count: u64) -> SendEvent {
    SendEvent {
        kind,
        connection: (connection as u64).into(),
        psn: u64::from(psn).into(),
        slot: u64::from(slot).into(),
        count: count.into(),
        forgiven: false,
    }
}

fn value_of(event: SendEvent) -> Value {
    let bits: EventBits = event.into();
    bits.to_value()
}

fn settings(testbench: &mut Testbench<'static>, config: SenderConfig) -> Result<(), SimError> {
    let ports = testbench.bench();
    let RetryLimit::Max(retry_max) = config.retry_limit else { unreachable!("a limit") };
    let fails = config.stuck_action == StuckAction::Fail;
    let values = [
        (ports.port("settings.window")?, Value::from_u64(15, config.window.into())),
        (ports.port("settings.retry_max")?, Value::from_u64(4, retry_max.into())),
        (ports.port("settings.backoff")?, Value::from_u64(4, config.backoff.into())),
        (ports.port("settings.nack_max")?, Value::from_u64(8, config.nack_max.into())),
        (ports.port("settings.stuck_fail")?, Value::from_u64(1, fails.into())),
    ];
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        values.iter().for_each(|(port, value)| bench.set(*port, value));
        Ok(())
    }));
    Ok(())
}

fn stimulus(
    reference: &Rc<RefCell<Reference>>,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    settings(testbench, reference.borrow().config)?;
    let clear = testbench.bench().port("clear")?;
    let (shared, mut random) = (reference.clone(), rng(seed, "clear"));
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        let mut reference = shared.borrow_mut();
        reference.clearing = !reference.precious && random.random_bool(0.000_5);
        bench.set(clear, &Value::from_u64(1, reference.clearing.into()));
        Ok(())
    }));
    let (asked, told) = (reference.clone(), reference.clone());
    let mut random = rng(seed, "events");
    testbench.add(
        StreamSource::new(testbench.bench(), "events", seed)?
            .items(move |_, _| asked.borrow_mut().random_event(&mut random).map(value_of))
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
    look::look(reference, testbench, seed)?;
    let cleared = reference.clone();
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        let mut reference = cleared.borrow_mut();
        let (config, seen) = (reference.config, std::mem::take(&mut reference.seen));
        *reference = Reference { seen, clearing: true, ..Reference::new(config) };
        reference.seen.hit("cleared");
        Ok(())
    })?);
    Ok(())
}

fn plan(name: &str, config: SenderConfig, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Table::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x5e2), make, move |testbench: &mut Testbench<'_>, seed| {
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

fn config(window: u16, stuck_action: StuckAction) -> SenderConfig {
    SenderConfig {
        window,
        slots: 256,
        vcs: 1,
        backoff: 2,
        retry_limit: RetryLimit::Max(3),
        nack_max: 2,
        stuck_action,
        ..Default::default()
    }
}

#[test]
fn every_event_does_what_the_model_does() {
    for (name, config) in [
        ("sue_send_table", config(8, StuckAction::Report)),
        ("sue_send_table_one", config(1, StuckAction::Fail)),
        ("sue_send_table_wide", config(32_767, StuckAction::Fail)),
    ] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, config, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(10_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        let all = [
            "sends",
            "replays",
            "stale",
            "wild",
            "stuck",
            "fails",
            "frees",
            "stopped",
            "cleared",
            "looked at",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
        if config.window > 1 {
            seen.borrow().require(name, &["frees several", "waits for the walk"]).expect("and this");
        }
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_send_table";
    const MEMORY: &str = "sue_connection_memory_width106_connections512";
    let faults = [
        Fault::replace("an entry under way is read", MEMORY, "alike_d = began_q &", "alike_d = 1'b0 &"),
        Fault::replace("an event too soon after another", TOP, "stage_q[1] | stage_q[2];", "stage_q[1];"),
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
        plan(TOP, config(8, StuckAction::Report), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn tables_that_are_too_large_are_refused() {
    let error = SueSendTable::<13>::new().err().expect("A").to_string();
    assert!(error.contains("sue_send_table") && error.contains("12"), "{error}");
}
