//! The rules of AXI4 on the five channels between a manager and a subordinate, whoever drives them; they are looked at in every clock.

use super::channels::{Address, Data, Ports, Sample, SUBORDINATE};
use super::transfers::{lanes, octets, place, EXCLUSIVE, FIXED, PAGE, SHORT, WORD, WRAPPING};
use flitforge_model::sue::axi::{AxiRequest, AxiUser};
use flitforge_protocol::sue::axi::AxiResponse;
use flitforge_sim::compiled::Handle;
use flitforge_sim::kit::Agent;
use flitforge_sim::{Bench, PortHandle, SimError};
use flitforge_testkit::{failed, CompiledBlock};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// VALID stays until READY.
    Stays,
    /// What is offered stays as it is until it is taken.
    Unchanged,
    /// No VALID in a clock after one with `clear`: the state is gone, and who sees `clear` offers nothing.
    Clear,
    /// AxSIZE is at most that of the bus.
    Size,
    /// AxBURST is no reserved one.
    Kind,
    /// 16 transfers at most if not incrementing; 2, 4, 8 or 16 of a wrapping burst.
    Length,
    /// A wrapping burst begins at the border of a transfer.
    Aligned,
    /// A burst stays in 4 KiB.
    Page,
    /// An exclusive access has 16 transfers and 128 octets at most, a power of two, at a border of as many.
    Exclusive,
    /// AxCACHE is no reserved one.
    Cache,
    /// WLAST with transfer AWLEN + 1, and no other.
    WriteLast,
    /// Strobes only in the lanes of the transfer.
    Strobes,
    /// B has the ID of a write.
    WriteKnown,
    /// B comes after AW and the last W.
    WriteDone,
    /// R has the ID of a read.
    ReadKnown,
    /// RLAST with transfer ARLEN + 1, and no other.
    ReadLast,
    /// B and R have XPU and partition of the oldest request with their ID.
    Order,
    /// EXOKAY only for an exclusive access.
    ExclusiveOkay,
    /// In the end each request has been answered, and each W had its AW.
    Answered,
}

/// All rules.
pub const RULES: [Rule; 19] = [
    Rule::Stays,
    Rule::Unchanged,
    Rule::Clear,
    Rule::Size,
    Rule::Kind,
    Rule::Length,
    Rule::Aligned,
    Rule::Page,
    Rule::Exclusive,
    Rule::Cache,
    Rule::WriteLast,
    Rule::Strobes,
    Rule::WriteKnown,
    Rule::WriteDone,
    Rule::ReadKnown,
    Rule::ReadLast,
    Rule::Order,
    Rule::ExclusiveOkay,
    Rule::Answered,
];

/// A write that has no B yet.
struct OpenWrite {
    address: Address,
    done: bool,
}

/// A read that has not got its last R.
struct OpenRead {
    address: Address,
    transfers: usize,
}

/// Looks at every clock.
pub struct Checker {
    side: &'static str,
    /// Rules that this traffic may break; how often it did.
    may_break: BTreeSet<Rule>,
    pub broken: BTreeMap<Rule, u64>,
    /// USER of B and R is that of the request.
    echoes: bool,
    before: Sample,
    writes: VecDeque<OpenWrite>,
    /// Bursts of W without all of their AW; transfers of the first one that have been looked at.
    bursts: VecDeque<Vec<Data>>,
    looked_at: usize,
    reads: BTreeMap<u16, VecDeque<OpenRead>>,
    /// What moved on AW, W, B, AR and R.
    pub moved: [u64; 5],
    clock: u64,
}

impl Checker {
    /// No rule may be broken. At `s_axi` B and R say whose they are.
    pub fn new(side: &'static str) -> Self {
        Self {
            side,
            may_break: BTreeSet::new(),
            broken: BTreeMap::new(),
            echoes: side == SUBORDINATE,
            before: Sample::default(),
            writes: VecDeque::new(),
            bursts: VecDeque::new(),
            looked_at: 0,
            reads: BTreeMap::new(),
            moved: [0; 5],
            clock: 0,
        }
    }

    /// Traffic with bad input: these may be broken.
    pub fn except(mut self, rules: &[Rule]) -> Self {
        self.may_break.extend(rules);
        self
    }

    /// A clock; the first rule that is broken and may not be.
    pub fn clock(&mut self, now: &Sample) -> Result<(), (Rule, String)> {
        let mut broken = vec![];
        let before = std::mem::replace(&mut self.before, *now);
        let before = if before.clear { Sample { clear: true, ..Sample::default() } } else { before };
        self.clock += 1;
        if before.clear {
            for (name, offered) in now.offers() {
                if offered {
                    broken.push((Rule::Clear, format!("{name} is offered after a clear")));
                }
            }
        } else if !now.clear {
            let rules = [Rule::Stays, Rule::Unchanged];
            for (rule, all) in rules.into_iter().zip(now.unsteady(&before)) {
                broken.extend(all.into_iter().map(|what| (rule, what)));
            }
        }
        if now.clear {
            self.forget();
        } else {
            self.responses(now, &before, &mut broken);
            self.requests(now, &before, &mut broken);
        }
        self.judge(broken)
    }

    fn forget(&mut self) {
        self.writes.clear();
        self.bursts.clear();
        self.looked_at = 0;
        self.reads.clear();
    }

    fn judge(&mut self, broken: Vec<(Rule, String)>) -> Result<(), (Rule, String)> {
        for (rule, what) in broken {
            if !self.may_break.contains(&rule) {
                return Err((rule, format!("{} clock {}: {rule:?}: {what}", self.side, self.clock - 1)));
            }
            *self.broken.entry(rule).or_default() += 1;
        }
        Ok(())
    }

    /// B and R, against what moved in clocks before.
    fn responses(&mut self, now: &Sample, before: &Sample, broken: &mut Vec<(Rule, String)>) {
        if let Some(b) = now.b.begins(&before.b) {
            match self.writes.iter().find(|write| write.address.request.id == b.id) {
                None => broken.push((Rule::WriteKnown, format!("{b:x?}"))),
                Some(write) => {
                    if !write.done {
                        broken.push((Rule::WriteDone, format!("{b:x?} of {:x?}", write.address)));
                    }
                    judge_response(&write.address, b.resp, b.user, self.echoes, broken);
                }
            }
        }
        if let Some(b) = now.b.taken() {
            self.moved[2] += 1;
            if let Some(at) =
                self.writes.iter().position(|write| write.address.request.id == b.id && write.done)
            {
                self.writes.remove(at);
            }
        }
        if let Some(r) = now.r.begins(&before.r) {
            match self.reads.get(&r.id).and_then(VecDeque::front) {
                None => broken.push((Rule::ReadKnown, format!("{r:x?}"))),
                Some(read) => {
                    let transfers = read.address.request.transfers();
                    if r.last != (read.transfers + 1 == transfers) {
                        broken
                            .push((Rule::ReadLast, format!("{} of {transfers}: {r:x?}", read.transfers + 1)));
                    }
                    judge_response(&read.address, r.resp, r.user, self.echoes, broken);
                }
            }
        }
        if let Some(r) = now.r.taken() {
            self.moved[4] += 1;
            let open = self.reads.entry(r.id).or_default();
            if let Some(read) = open.front_mut() {
                read.transfers += 1;
            }
            if r.last {
                open.pop_front();
            }
        }
    }

    /// AW, W and AR.
    fn requests(&mut self, now: &Sample, before: &Sample, broken: &mut Vec<(Rule, String)>) {
        let news = [("AW", now.aw.begins(&before.aw)), ("AR", now.ar.begins(&before.ar))];
        for (name, address) in news {
            let Some(Address { request, .. }) = address else { continue };
            let rules = rules_of(&request);
            broken.extend(rules.into_iter().map(|rule| (rule, format!("{name} {request:x?}"))));
        }
        if let Some(address) = now.aw.taken() {
            self.moved[0] += 1;
            self.writes.push_back(OpenWrite { address, done: false });
        }
        if let Some(address) = now.ar.taken() {
            self.moved[3] += 1;
            let read = OpenRead { address, transfers: 0 };
            self.reads.entry(address.request.id).or_default().push_back(read);
        }
        if let Some(data) = now.w.taken() {
            self.moved[1] += 1;
            match self.bursts.back_mut().filter(|burst| burst.last().is_some_and(|data| !data.last)) {
                Some(burst) => burst.push(data),
                None => self.bursts.push_back(vec![data]),
            }
        }
        self.pair(broken);
    }

    /// W with their AW, as far as both have come.
    fn pair(&mut self, broken: &mut Vec<(Rule, String)>) {
        while let Some(burst) = self.bursts.front() {
            let Some(write) = self.writes.iter_mut().find(|write| !write.done) else { return };
            let request = write.address.request;
            for (at, data) in burst.iter().enumerate().skip(self.looked_at) {
                if data.last != (at + 1 == request.transfers()) {
                    let what = format!("{} of {}: {data:x?}", at + 1, request.transfers());
                    broken.push((Rule::WriteLast, what));
                } else if data.strobes & !lanes(&request, at) != 0 {
                    let what = format!("{data:x?}, lanes {:x} of {request:x?}", lanes(&request, at));
                    broken.push((Rule::Strobes, what));
                }
            }
            if burst.last().is_some_and(|data| !data.last) {
                self.looked_at = burst.len();
                return;
            }
            write.done = true;
            self.looked_at = 0;
            self.bursts.pop_front();
        }
    }

    /// In the end nothing is open.
    pub fn finish(&mut self) -> Result<(), (Rule, String)> {
        let reads: usize = self.reads.values().map(VecDeque::len).sum();
        let open = [self.writes.len(), self.bursts.len(), reads];
        let what = format!("open AW, W and AR: {open:?}");
        self.judge(if open == [0; 3] { vec![] } else { vec![(Rule::Answered, what)] })
    }
}

/// Whose a response is, and whether it may be EXOKAY.
fn judge_response(asked: &Address, resp: u8, user: u64, echoes: bool, broken: &mut Vec<(Rule, String)>) {
    let of = |user: u64| (AxiUser::decode(user).xpu, AxiUser::decode(user).partition);
    if echoes && of(user) != of(asked.user) {
        broken.push((Rule::Order, format!("{:?}, asked were {:?}", of(user), of(asked.user))));
    }
    if resp == AxiResponse::ExOkay.code() && !asked.request.lock {
        broken.push((Rule::ExclusiveOkay, format!("{asked:x?}")));
    }
}

/// What a request breaks.
fn rules_of(request: &AxiRequest) -> Vec<Rule> {
    if request.size > WORD {
        return vec![Rule::Size];
    }
    if request.burst > WRAPPING {
        return vec![Rule::Kind];
    }
    let (all, transfers) = (octets(request), request.transfers());
    let last = place(request, transfers - 1).1;
    let wraps = request.burst == WRAPPING;
    let short = transfers <= SHORT;
    let exclusive = short && all <= EXCLUSIVE && all.is_power_of_two() && request.address % all == 0;
    let broken = [
        (Rule::Length, wraps && !matches!(transfers, 2 | 4 | 8 | 16) || request.burst == FIXED && !short),
        (Rule::Aligned, wraps && request.address % (1 << request.size) != 0),
        (Rule::Page, !wraps && request.address / PAGE != last / PAGE),
        (Rule::Exclusive, request.lock && !exclusive),
        (Rule::Cache, request.cache & 2 == 0 && request.cache & 12 != 0),
    ];
    broken.into_iter().filter_map(|(rule, is_broken)| is_broken.then_some(rule)).collect()
}

/// The checker at a block in native code.
pub struct Watch {
    ports: Ports<Handle>,
    pub checker: Checker,
}

impl Watch {
    pub fn new(side: &'static str, block: &CompiledBlock) -> Self {
        Self { ports: Ports::new(side, |path| block.handle(path)), checker: Checker::new(side) }
    }

    /// The clock that is to end; panics if a rule is broken.
    pub fn clock(&mut self, block: &mut CompiledBlock) -> Sample {
        let sample = self.ports.sample(|port| block.instance.get(port));
        self.checker.clock(&sample).unwrap_or_else(|(_, what)| panic!("{what}"));
        sample
    }
}

/// The checker in a test bench.
pub struct WatchAgent {
    ports: Option<Ports<PortHandle>>,
    checker: Checker,
}

impl WatchAgent {
    pub fn new(checker: Checker) -> Self {
        Self { ports: None, checker }
    }
}

impl Agent for WatchAgent {
    fn drive(&mut self, _: u64, _: &mut dyn Bench) -> Result<(), SimError> {
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let find = |path: &str| bench.port(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let ports = self.ports.get_or_insert_with(|| Ports::new(self.checker.side, find));
        let sample = ports.sample(|port| bench.get_u64(port));
        self.checker.clock(&sample).map_err(|(_, what)| failed(clock, what))
    }
}
