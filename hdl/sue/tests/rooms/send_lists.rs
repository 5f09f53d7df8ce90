//! Whose turn it is to send: in order, replays first, nobody forgotten, on all simulators.

use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::send_lists::{SendTurn, SueSendLists, LATENCY};
use flitforge_hdl_sue::send_table::{SendKind, SendResult};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, Pace, Rng as KitRng, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{deep, Clocked, StockBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Address bits of connections under test.
const ADDRESS: usize = 4;
const CONNECTIONS: u64 = 1 << ADDRESS;
const VCS: u64 = 4;
/// Clocks between results.
const APART: u64 = 4;
/// Clocks from the choice of a connection to its offer; who entered less than this before the choice may not be seen.
const OFFER: u64 = 5;
const ENTRY: u64 = LATENCY as u64 - OFFER;

type Lists = SueSendLists<ADDRESS, 2, 3, 5>;
const RESULT_BITS: usize = <SendResult as Synth>::BITS;

/// Connections that wait in a list, and since when.
type List = VecDeque<(u64, u64)>;

/// Gives results, and knows who waits.
struct Probe {
    random: KitRng,
    ports: BTreeMap<&'static str, PortHandle>,
    last: u64,
    result: Option<SendResult>,
    body: Option<u64>,
    /// When a body was told of last, and of which connection.
    told: Option<(u64, u64)>,
    /// Nothing enters before this clock.
    opens: u64,
    /// By virtual channel: those with new bodies, those that send again.
    lists: [[List; 2]; VCS as usize],
    /// The connection that has had its turn before its body's result.
    ahead: Option<u64>,
    offered: bool,
    /// When a turn was taken last, and since when each virtual channel has been ready.
    free: u64,
    ready: [u64; VCS as usize],
    seen: Rc<RefCell<Coverage>>,
}

impl Probe {
    fn new(bench: &dyn Bench, seed: u64, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let names = [
            "clear",
            "ready",
            "body.valid",
            "body.data",
            "results.valid",
            "results.data",
            "turn.valid",
            "turn.ready",
            "turn.data",
        ];
        let ports: Result<_, SimError> = names.iter().map(|name| Ok((*name, bench.port(name)?))).collect();
        Ok(Self {
            random: rng(seed, "results"),
            ports: ports?,
            last: 0,
            result: None,
            body: None,
            told: None,
            opens: CONNECTIONS,
            lists: Default::default(),
            ahead: None,
            offered: false,
            free: 0,
            ready: [0; VCS as usize],
            seen,
        })
    }

    fn hit(&self, name: &str) {
        self.seen.borrow_mut().hit(name);
    }

    fn random_result(&mut self) -> SendResult {
        let random = &mut self.random;
        let kinds = [
            SendKind::Body,
            SendKind::Body,
            SendKind::Turn,
            SendKind::Turn,
            SendKind::Ack,
            SendKind::Nack,
            SendKind::Expire,
            SendKind::Freed,
            SendKind::Open,
            SendKind::Stop,
        ];
        let kind = kinds[random.random_range(0..kinds.len())];
        let stale = random.random_bool(0.1);
        SendResult {
            kind,
            connection: random.random_range(0..CONNECTIONS).into(),
            sends: kind == SendKind::Turn && random.random_bool(0.8),
            replays: kind == SendKind::Turn && random.random_bool(0.4),
            stale,
            wild: !stale && random.random_bool(0.1),
            waits: random.random_bool(0.4),
            ..SendResult::default()
        }
    }

    /// What a result says of its connection, by the rules of the block.
    fn hear(&mut self, clock: u64, result: SendResult) {
        let connection = u64::from(result.connection);
        let skips = result.kind == SendKind::Body && self.ahead == Some(connection);
        if skips {
            self.ahead = None;
            self.hit("went ahead");
        }
        if !result.waits || skips || clock < self.opens {
            return;
        }
        let again = result.sends && result.replays;
        let heard = result.kind == SendKind::Nack && !result.stale && !result.wild;
        let back = again || heard || result.kind == SendKind::Expire;
        let freed = result.kind == SendKind::Freed;
        let [new, replays] = &mut self.lists[(connection % VCS) as usize];
        let waits = |list: &List| list.iter().any(|(waiting, _)| *waiting == connection);
        let is_there = waits(replays) || (waits(new) && !back);
        if is_there {
            self.hit("waits already");
            return;
        }
        let list = if back || freed { replays } else { new };
        list.push_back((connection, clock));
        let both = list.len() == (CONNECTIONS / VCS) as usize;
        self.hit(if back || freed { "a replay waits" } else { "a new body waits" });
        if both {
            self.hit("a full list");
        }
    }

    /// A turn is offered.
    fn offer(&mut self, clock: u64, turn: SendTurn) -> Result<(), String> {
        let connection = u64::from(turn.connection);
        let [new, replays] = &mut self.lists[(connection % VCS) as usize];
        let chosen = clock - OFFER;
        let known = |list: &List, at: u64| list.front().is_some_and(|(_, since)| since + ENTRY <= at);
        let list = if turn.replay { &mut *replays } else { &mut *new };
        let listed =
            list.front().is_some_and(|(first, since)| *first == connection && since + ENTRY <= chosen);
        if listed {
            list.pop_front();
            let before = !turn.replay && known(replays, chosen);
            self.hit(if turn.replay { "replay" } else { "new" });
            return if before { Err(format!("{connection} goes before a replay")) } else { Ok(()) };
        }
        let ahead = self.told == Some((clock - 1, connection)) && !turn.replay;
        if !ahead || known(new, clock - 1) || known(replays, clock - 1) {
            return Err(format!("{connection} is offered, {:?}", self.lists[(connection % VCS) as usize]));
        }
        self.ahead = Some(connection);
        Ok(())
    }

    /// Nobody waits whose virtual channel has been ready, while no turn was offered.
    fn idle(&self, clock: u64) -> Result<(), String> {
        for vc in 0..VCS as usize {
            for list in &self.lists[vc] {
                let Some((connection, since)) = list.front() else { continue };
                let from =
                    (since + u64::from(LATENCY)).max(self.free + OFFER + 2).max(self.ready[vc] + OFFER + 1);
                if clock > from {
                    return Err(format!("{connection} is not offered"));
                }
            }
        }
        Ok(())
    }
}

impl Agent for Probe {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let results = clock >= self.last + APART && self.random.random_bool(0.4);
        let result = self.random_result();
        let told = self.told == clock.checked_sub(1).map(|before| (before, result.connection.into()));
        let too_soon = told && result.kind == SendKind::Body;
        let results = results && !too_soon;
        self.result = results.then_some(result);
        let result = self.result.unwrap_or_default();
        self.body = self.random.random_bool(0.03).then(|| self.random.random_range(0..CONNECTIONS));
        let p = &self.ports;
        bench.set_u64(p["results.valid"], results.into());
        let bits: Bits<RESULT_BITS> = result.into();
        bench.set(p["results.data"], &bits.to_value());
        bench.set_u64(p["body.valid"], self.body.is_some().into());
        bench.set_u64(p["body.data"], self.body.unwrap_or(5));
        if clock % 64 == 0 {
            let ready = if clock % 1024 < 700 { 15 } else { self.random.random_range(0..16) };
            bench.set_u64(p["ready"], ready);
        }
        if results {
            self.last = clock;
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        let p = self.ports.clone();
        let ready = bench.get_u64(p["ready"]);
        for vc in 0..VCS as usize {
            if ready >> vc & 1 == 0 {
                self.ready[vc] = clock;
            }
        }
        if bench.get_bit(p["turn.valid"]) {
            if !self.offered {
                let bits: Bits<{ <SendTurn as Synth>::BITS }> =
                    FromValue::from_value(&bench.get(p["turn.data"]));
                self.offer(clock, bits.into()).map_err(wrong)?;
            }
            self.offered = !bench.get_bit(p["turn.ready"]);
            self.free = clock;
        } else {
            self.idle(clock).map_err(wrong)?;
        }
        if let Some(result) = self.result {
            self.hear(clock, result);
        }
        if let Some(body) = self.body {
            self.told = Some((clock, body));
        }
        if bench.get_bit(p["clear"]) {
            self.lists = Default::default();
            (self.ahead, self.told, self.offered) = (None, None, false);
            self.opens = clock + CONNECTIONS + 1;
            self.hit("cleared");
        }
        Ok(())
    }
}

fn plan(name: &str, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Lists::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x115), make, move |testbench: &mut Testbench<'_>, seed| {
        let pace = Pace::Phases(vec![
            (400, Pace::Always),
            (400, Pace::Random(0.1)),
            (300, Pace::Never),
            (300, Pace::Random(0.5)),
        ]);
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(Probe::new(testbench.bench(), seed, seen.clone())?);
        testbench.add(StreamSink::new(testbench.bench(), "turn", seed)?.pace(pace));
        testbench.add(StreamMonitor::new(testbench.bench(), "turn")?);
        Ok(())
    })
}

#[test]
fn everybody_who_waits_gets_a_turn_in_order() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    deep(plan("sue_send_lists", &seen), 40_000, 1_500).run().expect("equal");
    let all = [
        "went ahead",
        "waits already",
        "a replay waits",
        "a new body waits",
        "a full list",
        "replay",
        "new",
        "cleared",
    ];
    seen.borrow().require("sue_send_lists", &all).expect("everything happened");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_send_lists";
    let faults = [
        Fault::replace("who waits enters again", TOP, "& ~is_there", ""),
        Fault::replace("a list that grows meanwhile is empty", TOP, "& ~same", ""),
        Fault::replace("a turn ahead is given twice", TOP, "& ~skips_q", ""),
        Fault::replace(
            "new bodies go before replays",
            TOP,
            "if (entry_q[12]) begin",
            "if (~entry_q[12]) begin",
        ),
    ];
    let plan = || plan(TOP, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

/// Lists after their walk.
fn lists() -> StockBlock<Lists> {
    let mut bench = StockBlock::new(Lists::new().expect("valid"));
    bench.set("ready", 15).run(CONNECTIONS + 1);
    bench
}

fn wait(bench: &mut StockBlock<Lists>, connection: u64, kind: SendKind) {
    let result = SendResult { kind, connection: connection.into(), waits: true, ..SendResult::default() };
    let bits: Bits<RESULT_BITS> = result.into();
    bench.set_value("results.data", &bits.to_value()).pulse("results.valid");
}

#[test]
fn a_body_goes_ahead_and_a_result_takes_its_latency() {
    let mut bench = lists();
    bench.set("body.data", 6).pulse("body.valid");
    assert_eq!(bench.get("turn.valid"), 1, "a clock later");
    let mut bench = lists();
    wait(&mut bench, 6, SendKind::Ack);
    let more = bench.until("a turn", 30, |bench| bench.get("turn.valid") == 1);
    assert_eq!(more + 1, u64::from(LATENCY));
}

/// All virtual channels have connections that wait: each has its turn every fourth time, six clocks after the one before.
#[test]
fn virtual_channels_take_turns() {
    let mut bench = lists();
    for connection in 0..CONNECTIONS {
        wait(&mut bench, connection, SendKind::Ack);
        bench.run(APART - 1);
    }
    bench.set("turn.ready", 1);
    let (mut vcs, mut clocks) = (vec![], vec![]);
    for clock in 0..150 {
        if bench.get("turn.valid") == 1 {
            vcs.push(bench.get("turn.data") % VCS);
            clocks.push(clock);
        }
        bench.clock();
    }
    let rotation: Vec<u64> = (0..CONNECTIONS).map(|place| (vcs[0] + place) % VCS).collect();
    assert_eq!(vcs, rotation);
    assert!(clocks.windows(2).all(|pair| pair[1] - pair[0] == 6), "{clocks:?}");
}

#[test]
fn lists_that_do_not_fit_are_refused() {
    let error = SueSendLists::<13, 11, 12, 14>::new().err().expect("A").to_string();
    assert!(error.contains("sue_send_lists") && error.contains("12"), "{error}");
    let error = SueSendLists::<8, 5, 7, 9>::new().err().expect("P").to_string();
    assert!(error.contains("sue_send_lists") && error.contains("A - 2"), "{error}");
}
