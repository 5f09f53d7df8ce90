//! Credit-based flow control against the golden model, on all simulators.
//!
//! Traffic comes in bursts; after each, what both hold must be equal.

mod golden;

pub(super) use golden::{between, cost, Registers};

use super::mac_control::{shared, wrong, EachClock, FrameFeeder, Gather};
use flitforge_elaborate::Value;
use flitforge_hdl_sue::cbfc::EthCbfc;
use flitforge_model::sue::format::link_control::{CreditCount, OrderedSet};
use flitforge_model::sue::format::{CreditsConsumed, MacControlError, Profile};
use flitforge_protocol::sue::class::{CLASSES, VCS};
use flitforge_protocol::sue::link_control::{CBFC_VCS, CC_OPCODE, CC_VCS_PER_MESSAGE, CREDIT_BITS};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, ClearDriver, Coverage, FlowMonitor, Pace, Rng, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::depth;
use golden::{Golden, HEALING, SOURCE, TELLING};
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Clocks in which everything has been counted and told.
const QUIET: u64 = 160;

/// Frames, ordered sets and their order.
struct Traffic {
    flows: [[PortHandle; 2]; 4],
    set: [PortHandle; 2],
    outstanding: PortHandle,
    state: [PortHandle; 4],
    /// A class of data, and octets of its credits.
    asked: usize,
    octets: [PortHandle; 2],
    random: Rng,
    golden: Rc<RefCell<Golden>>,
    /// Messages of the peer are under way until then: no frame comes.
    message_until: Rc<RefCell<u64>>,
    /// Frames between `taken` and `sent`, and between `received` and `freed`.
    chosen: VecDeque<(usize, usize)>,
    buffered: VecDeque<(usize, usize)>,
    now: [Option<(usize, usize)>; 4],
    next_set: Option<[CreditCount; 2]>,
    last: [u64; 5],
    quiet_from: u64,
    quiet_until: u64,
    is_outstanding: bool,
    drains: bool,
}

impl Traffic {
    fn new(
        bench: &dyn Bench,
        seed: u64,
        golden: &Rc<RefCell<Golden>>,
        message_until: &Rc<RefCell<u64>>,
    ) -> Result<Self, SimError> {
        let port = |path: &str| bench.port(path);
        let flow =
            |name: &str| Ok::<_, SimError>([port(&format!("{name}.data"))?, port(&format!("{name}.valid"))?]);
        Ok(Self {
            flows: [flow("taken")?, flow("sent")?, flow("received")?, flow("freed")?],
            set: flow("sets")?,
            outstanding: port("outstanding")?,
            state: [port("clear")?, port("ready")?, port("hold")?, port("runs")?],
            asked: 0,
            octets: [port("asked_class")?, port("credit_octets")?],
            random: rng(seed, "traffic"),
            golden: golden.clone(),
            message_until: message_until.clone(),
            chosen: VecDeque::new(),
            buffered: VecDeque::new(),
            now: [None; 4],
            next_set: None,
            last: [0; 5],
            quiet_from: 300,
            quiet_until: 300 + QUIET,
            is_outstanding: false,
            drains: true,
        })
    }

    /// A frame for each flow, at least eight clocks after the one before.
    fn frames(&mut self, clock: u64, ready: u64, hold: bool) {
        let registers = self.golden.borrow().registers;
        let octets = |random: &mut Rng| match random.random_range(0..4) {
            0 => registers.largest,
            _ => random.random_range(20..=registers.largest),
        };
        let may = |flow: usize, last: &[u64; 5]| clock >= last[flow] + 8;
        if may(0, &self.last) && self.chosen.len() < 4 && self.random.random_bool(0.2) {
            let class = self.random.random_range(0..CLASSES);
            if ready >> class & 1 == 1 {
                let frame = (class, octets(&mut self.random));
                self.chosen.push_back(frame);
                self.now[0] = Some(frame);
            }
        }
        if may(1, &self.last) && !hold && self.random.random_bool(0.2) {
            self.now[1] = self.chosen.pop_front();
        }
        if may(2, &self.last) && clock > *self.message_until.borrow() && self.random.random_bool(0.2) {
            let frame = (self.random.random_range(0..CLASSES), octets(&mut self.random));
            self.buffered.push_back(frame);
            self.now[2] = Some(frame);
        }
        let many = self.buffered.len() > 12;
        let often = if self.drains { 0.3 } else { 0.01 };
        let calm = clock > *self.message_until.borrow();
        if may(3, &self.last) && calm && (many || self.random.random_bool(often)) {
            self.now[3] = self.buffered.pop_front();
        }
    }

    /// Two counts: between what was freed and what was sent, or outside.
    fn counts(&mut self, clock: u64) -> Option<[CreditCount; 2]> {
        if clock < self.last[4] + 16 || clock < self.last[1] + 12 || !self.random.random_bool(0.1) {
            return None;
        }
        let golden = self.golden.borrow();
        let random = &mut self.random;
        let mut count = || {
            let vc = golden.vc(random.random_range(0..CLASSES - 1));
            let (freed, used) = (golden.sent.freed(vc), golden.sent.used(vc));
            let cells = match random.random_range(0..10) {
                0 => freed.wrapping_sub(random.random_range(1..50)),
                1 => freed.wrapping_add(used + random.random_range(1000..16_000)),
                2..6 => freed.wrapping_add(used),
                _ => freed.wrapping_add(random.random_range(0..=used)),
            };
            CreditCount { vc, cells: cells & ((1 << CREDIT_BITS) - 1) }
        };
        Some([count(), count()])
    }
}

impl Agent for Traffic {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let [_, ready, hold, runs] = self.state.map(|port| bench.get_u64(port));
        (self.now, self.next_set) = ([None; 4], None);
        if self.random.random_bool(0.01) {
            (self.is_outstanding, self.drains) = (self.random.random_bool(0.4), self.random.random_bool(0.5));
        }
        if runs == 1 && clock < self.quiet_from {
            self.frames(clock, ready, hold == 1);
            self.next_set = self.counts(clock);
        }
        for flow in 0..4 {
            let frame = self.now[flow];
            let (class, octets) = frame.unwrap_or((self.random.random_range(0..CLASSES), 77));
            bench.set_u64(self.flows[flow][0], cost(class, octets));
            bench.set_u64(self.flows[flow][1], frame.is_some().into());
            if frame.is_some() {
                self.last[flow] = clock;
            }
        }
        let octets = self.next_set.map_or_else(|| self.random.random(), set_of);
        // sets of other types, too
        bench.set_u64(self.set[0], octets);
        bench.set_u64(self.set[1], (self.next_set.is_some() || self.random.random_bool(0.01)).into());
        if self.next_set.is_some() {
            self.last[4] = clock;
        }
        bench.set_u64(self.outstanding, self.is_outstanding.into());
        bench.set_u64(self.octets[0], self.asked as u64);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let mut golden = self.golden.borrow_mut();
        if bench.get_bit(self.state[0]) {
            let coverage = std::mem::take(&mut golden.seen);
            *golden = Golden::new(golden.registers, clock, coverage);
            self.chosen.clear();
            self.buffered.clear();
            *self.message_until.borrow_mut() = 0;
            (self.quiet_from, self.quiet_until) = (clock + 300, clock + 300 + QUIET);
            return Ok(());
        }
        for flow in 0..4 {
            if let Some((class, octets)) = self.now[flow] {
                golden.frame(clock, flow, class, octets)?;
            }
        }
        if let Some(set) = self.next_set {
            golden.set(set);
        }
        let freed = std::array::from_fn(|vc| golden.receiver.freed(vc as u8));
        golden.freed.push_front(freed);
        golden.freed.truncate((HEALING + TELLING) as usize);
        if clock >= self.quiet_until && clock > *self.message_until.borrow() {
            self.quiet_from = clock + self.random.random_range(50..600);
            self.quiet_until = self.quiet_from + QUIET;
            golden.compare(clock, bench.get_u64(self.state[1]))?;
            golden.compare_octets(clock, self.asked, bench.get_u64(self.octets[1]))?;
            self.asked = self.random.random_range(0..VCS);
        }
        Ok(())
    }

    fn coverage(&self, _: &mut Coverage) {}
}

/// The octets of a CF_Update, octet 0 in the lowest bits.
pub(super) fn set_of(counts: [CreditCount; 2]) -> u64 {
    u64::from_le_bytes(OrderedSet::CfUpdate(counts).encode().expect("a set"))
}

/// CC_Update frames of a profile with these counts.
pub(super) fn messages(profile: Profile, counts: &[CreditCount]) -> Vec<Vec<u8>> {
    let size = if profile == Profile::Ue103 { CC_VCS_PER_MESSAGE } else { CBFC_VCS };
    let message = |counts: &[CreditCount]| CreditsConsumed { source: SOURCE, counts: counts.to_vec() };
    counts.chunks(size).map(|counts| message(counts).encode(profile, CC_OPCODE).expect("a frame")).collect()
}

/// A message of the peer: some cells were lost. Some messages are changed.
fn any_message(random: &mut Rng, golden: &Golden) -> (Vec<u8>, bool) {
    let registers = &golden.registers;
    let counts: Vec<_> = (0..CBFC_VCS as u8)
        .map(|vc| {
            let is_of_class = registers.lossless().any(|class| golden.vc(class) == vc);
            let more = match random.random_range(0..12) {
                0 => random.random_range(1..=registers.limits[0].min(60)),
                1 => random.random_range(registers.limits[0] + 1..16_000),
                2 => random.random_range(32_000..32_768),
                _ => 0,
            };
            let cells = golden.receiver.consumed(vc) + if is_of_class { more } else { 0 };
            CreditCount { vc, cells: cells & ((1 << CREDIT_BITS) - 1) }
        })
        .collect();
    let all = messages(registers.profile, &counts);
    let mut frame = all[random.random_range(0..4) * (all.len() - 1) / 3].clone();
    let mut good = random.random_bool(0.8);
    match random.random_range(0..8) {
        0 => frame.truncate(random.random_range(1..=frame.len())),
        1 => frame[random.random_range(0..24)] ^= 1 << random.random_range(0..8),
        2 => frame[random.random_range(16..140)] ^= 1 << random.random_range(0..8),
        3 => frame = (0..random.random_range(1..60)).map(|_| random.random()).collect(),
        4 => frame.extend(vec![0; random.random_range(1..40)]),
        _ => return (frame, good),
    }
    // what cannot be told by the message itself is told by its FCS; padding is not looked at
    match CreditsConsumed::decode(&frame, registers.profile, CC_OPCODE) {
        Ok(message) => good &= message.counts.iter().all(|count| counts.contains(count)),
        Err(MacControlError::Padding { .. }) => good = false,
        Err(_) => {}
    }
    (frame, good)
}

fn stimulus(
    registers: Registers,
    testbench: &mut Testbench<'static>,
    seed: u64,
    seen: &Rc<RefCell<Coverage>>,
) -> Result<(), SimError> {
    let golden = shared(Golden::new(registers, 0, Coverage::default()));
    let message_until = shared(0);
    for (path, value) in registers.ports() {
        let port = testbench.bench().port(&path)?;
        testbench.add(flitforge_sim::kit::StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            bench.set_u64(port, value);
            Ok(())
        }));
    }
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_1, 1..=3));
    testbench.add(Traffic::new(testbench.bench(), seed, &golden, &message_until)?);
    let (peer, model) = (golden.clone(), golden.clone());
    let (until, ends) = (message_until.clone(), message_until.clone());
    let make = move |random: &mut Rng| {
        // no frame of the peer is under way while its message is
        *until.borrow_mut() = u64::MAX;
        any_message(random, &peer.borrow())
    };
    testbench.add(FrameFeeder::new(
        testbench.bench(),
        seed,
        (12, 0.004),
        make,
        move |clock, frame, good| {
            *ends.borrow_mut() = clock + HEALING;
            model.borrow_mut().message(clock, frame, good);
        },
    )?);
    sinks(testbench, seed, &golden)?;
    let seen = seen.clone();
    testbench.add(EachClock(move |_: u64, _: &mut dyn Bench| {
        *seen.borrow_mut() = golden.borrow().seen.clone();
        Ok(())
    }));
    Ok(())
}

/// What leaves the block.
fn sinks(
    testbench: &mut Testbench<'static>,
    seed: u64,
    golden: &Rc<RefCell<Golden>>,
) -> Result<(), SimError> {
    let pace = Pace::Random(0.6);
    let told = golden.clone();
    testbench.add(
        StreamSink::new(testbench.bench(), "control", seed)?
            .pace(pace.clone())
            .on_transfer(move |clock, set| told.borrow_mut().tell(clock, set.low_u64())),
    );
    let (consumed, gather) = (golden.clone(), shared(Gather::default()));
    let cleared = gather.clone();
    testbench.add(StreamSink::new(testbench.bench(), "frame", seed)?.pace(pace).on_transfer(
        move |clock, word: &Value| {
            let Some(frame) = gather.borrow_mut().word(word) else {
                return Ok(());
            };
            let mut golden = consumed.borrow_mut();
            if clock == golden.start {
                return Ok(());
            }
            let profile = golden.registers.profile;
            let message = CreditsConsumed::decode(&frame, profile, CC_OPCODE);
            let message = message.map_err(|error| wrong(clock, error.to_string()))?;
            let is_right = |count: &CreditCount| {
                let is_of_class = golden.registers.lossless().any(|class| golden.vc(class) == count.vc);
                count.cells == if is_of_class { golden.sent.consumed(count.vc) } else { 0 }
            };
            if message.source != SOURCE || !message.counts.iter().all(is_right) {
                return Err(wrong(clock, format!("{message:?}")));
            }
            golden.seen.hit(format!("CC_Update of VC {}", message.counts[0].vc));
            Ok(())
        },
    ));
    testbench.add(StreamMonitor::new(testbench.bench(), "control")?);
    testbench.add(StreamMonitor::new(testbench.bench(), "frame")?);
    let healed = golden.clone();
    testbench.add(FlowMonitor::new(testbench.bench(), "healed")?.on_transfer(move |_, cells| {
        healed.borrow_mut().healed += cells.low_u64();
        Ok(())
    }));
    let port = |path| testbench.bench().port(path);
    let [clear, bad, hold] = [port("clear")?, port("consumed_bad")?, port("hold")?];
    let [freed_bad, valid, outstanding] = [port("freed_bad")?, port("frame.valid")?, port("outstanding")?];
    let (golden, mut before) = (golden.clone(), [false; 2]);
    testbench.add(EachClock(move |clock: u64, bench: &mut dyn Bench| {
        let mut golden = golden.borrow_mut();
        if bench.get_bit(clear) {
            *cleared.borrow_mut() = Gather::default();
            before = [false; 2];
            return Ok(());
        }
        golden.bad[1] += u64::from(bench.get_bit(bad));
        golden.bad[0] += u64::from(bench.get_bit(freed_bad));
        let begins = bench.get_bit(valid) && !before[0];
        if begins && (!bench.get_bit(hold) || before[1]) {
            return Err(wrong(clock, "CC_Update while frames are outstanding"));
        }
        before = [bench.get_bit(valid), bench.get_bit(outstanding)];
        Ok(())
    }));
    Ok(())
}

fn plan(name: &str, registers: Registers, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(EthCbfc::default()) as _;
    CosimPlan::new(name, seed(0xcbf), make, move |testbench: &mut Testbench<'_>, seed| {
        stimulus(registers, testbench, seed, &seen)
    })
}

#[test]
fn it_does_what_the_model_does() {
    let plain = Registers::new(Profile::Sue1, 50);
    let pool = Registers { pool: true, limits: [120, 0, 0, 0, 0, 0], ..Registers::new(Profile::Ue103, 0) };
    let vcs = [31, 7, 7, 16, 15, 7];
    let shared =
        Registers { vcs, cell: 0, cell_batch: 9, largest: 300, ..Registers::new(Profile::Ue103, 40) };
    for (name, registers) in [("eth_cbfc", plain), ("eth_cbfc_pool", pool), ("eth_cbfc_shared", shared)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, registers, &seen)
            .clocks(60_000)
            .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .cover(&["clear.pulses"])
            .run()
            .expect("equal");
        let mut all = vec!["taken", "sent", "received", "freed", "lossy", "CF_Update", "bad CF_Update"];
        all.extend([
            "CC_Update",
            "no CC_Update",
            "all ready",
            "some not ready",
            "healed",
            "CC_Update of VC 0",
            "all octets",
            "some octets",
        ]);
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const COUNTS: &str = "credit_counts";
    let faults = [
        Fault::replace("a count beyond what was sent is taken", COUNTS, "(step <= span)", "1'b1"),
        Fault::replace("cells are not rounded up", COUNTS, "(power | 15'h0003)", "15'h0003"),
        Fault::replace(
            "a bad message heals",
            "control_verdicts",
            "is_good_q <= verdicts_data",
            "is_good_q <= 1'b1",
        ),
        Fault::replace("octets of cells in use are told, too", COUNTS, " - judged_q[93:79], (", ", ("),
        Fault::replace("CF_TIMER never ends", "freed_send", "(elapsed_q == cf_timer)", "1'b0"),
        Fault::replace(
            "frames in replay count as lost",
            "consumed_send",
            "due_q & ~outstanding & ",
            "due_q & ",
        ),
    ];
    let plan = || {
        plan("fault_eth_cbfc", Registers::new(Profile::Sue1, 50), &Rc::default())
            .clocks(30_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
