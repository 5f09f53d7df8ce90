//! Two ports with link-layer retry in native code, and between them what the MAC and a wire with faults do. For `llr` and `llr_faults`.

use flitforge_hdl_sue::llr::EthLlr;
use flitforge_hdl_sue::llr_rx::LlrVerdict;
use flitforge_hdl_sue::llr_tx::LlrFlushCause;
use flitforge_model::sue::format::{OrderedSet, Profile};
use flitforge_protocol::sue::class::CLASSES;
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_testkit::{compiled, handle};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

/// Words of the replay buffer.
pub const WORDS: u64 = 2048;
/// Octets of a word.
const WORD: u64 = 8;
/// Clocks that the MAC needs for preamble, FCS and gap of a frame.
pub const OVERHEAD: u64 = 3;
/// Clocks from the last word of a frame to its verdict.
const VERDICT: u64 = 9;

/// What happens at a port, by name; each counts.
const EVENTS: [&str; 20] = [
    "events_tx.started",
    "events_tx.sent",
    "events_tx.resent",
    "events_tx.replay_nack",
    "events_tx.replay_timer",
    "events_tx.discarded",
    "events_tx.too_long",
    "events_tx.init_sent",
    "events_tx.control_taken",
    "events_tx.control_bad",
    "events_rx.control_bad",
    "events_rx.init_bad",
    "events_rx.ack_received",
    "events_rx.nack_received",
    "events_rx.init_received",
    "events_rx.echo_received",
    "events_rx.ack_sent",
    "events_rx.nack_sent",
    "events_rx.echo_sent",
    "events_rx.replay_seen",
];

/// States, in the order of their codes.
pub const INIT: u64 = 1;
pub const ADVANCE: u64 = 2;
pub const REPLAY: u64 = 3;
pub const FLUSH: u64 = 4;
pub const SEND_ACKS: u64 = 1;
pub const NACK_SENT: u64 = 3;

/// What becomes of frames that wait.
pub const BLOCK: u64 = 0;
pub const BEST_EFFORT: u64 = 1;
pub const DISCARD: u64 = 2;

/// What the registers say.
#[derive(Clone, Copy)]
pub struct Setup {
    pub profile: Profile,
    pub first: u64,
    pub replay_timer: u64,
    pub init_interval: u64,
    pub replays_max: u64,
    pub pcs_lost: u64,
    pub age: u64,
    pub frames_max: u64,
    pub room_words: u64,
    pub waiting: u64,
    pub automatic: bool,
    pub eligible: u64,
    pub nack_timer: u64,
    pub twice: bool,
    pub twice_within: u64,
}

impl Setup {
    /// The defaults of the chapter (P_LLR) with timers of hundreds of clocks.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            first: 0,
            replay_timer: 1600,
            init_interval: 400,
            replays_max: 3,
            pcs_lost: 0,
            age: 0,
            frames_max: 64,
            room_words: WORDS - 300,
            waiting: BLOCK,
            automatic: false,
            eligible: 0x3f,
            nack_timer: 3200,
            twice: false,
            twice_within: 200,
        }
    }

    fn values(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("settings_tx.first", self.first),
            ("settings_tx.replay_timer", self.replay_timer),
            ("settings_tx.init_interval", self.init_interval),
            ("settings_tx.replays_max", self.replays_max),
            ("settings_tx.pcs_lost", self.pcs_lost),
            ("settings_tx.age", self.age),
            ("settings_tx.frames_max", self.frames_max),
            ("settings_tx.room_words", self.room_words),
            ("settings_tx.waiting", self.waiting),
            ("settings_tx.automatic", self.automatic.into()),
            ("settings_tx.eligible", self.eligible),
            ("settings_tx.twice", self.twice.into()),
            ("settings_rx.nack_timer", self.nack_timer),
            ("settings_rx.accepts_poison", (self.profile == Profile::Ue103).into()),
            ("settings_rx.twice", self.twice.into()),
            ("settings_rx.twice_within", self.twice_within),
        ]
    }
}

/// A frame to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub number: u64,
    pub class: u64,
    pub bypass: bool,
    /// Octets without FCS.
    pub bytes: u64,
    pub poisoned: bool,
}

impl Frame {
    fn words(&self) -> u64 {
        self.bytes.div_ceil(WORD)
    }

    /// Data, and {error, last, bytes}.
    fn word(&self, place: u64) -> [u64; 2] {
        let last = place + 1 == self.words();
        let bytes = if last { self.bytes - place * WORD } else { WORD };
        let data = self.number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(place as u32 % 64) ^ place;
        let data = if place == 0 { self.number << 8 | self.class } else { data };
        [data, bytes | u64::from(last) << 4 | u64::from(last && self.poisoned) << 5]
    }
}

/// What is on the wire.
#[derive(Clone, Debug)]
pub enum Item {
    Set(u64),
    Frame { head: u64, words: Vec<[u64; 2]>, broken: bool },
}

impl Item {
    pub fn is_frame(&self) -> bool {
        matches!(self, Item::Frame { .. })
    }

    /// Decoded by the golden codec.
    pub fn set(&self) -> Option<OrderedSet> {
        let Item::Set(word) = self else { return None };
        OrderedSet::decode(word.to_le_bytes()).ok()
    }

    pub fn is_ack(&self) -> bool {
        matches!(self.set(), Some(OrderedSet::LlrAck(_)))
    }

    pub fn sequence(&self) -> Option<u64> {
        match self {
            Item::Frame { head, .. } if head & 1 == 1 => Some(head >> 1),
            _ => None,
        }
    }
}

/// What the wire does to an item.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    None,
    Lose,
    Duplicate,
    /// This bit of an ordered set; a frame gets a bad FCS.
    Corrupt(u32),
}

fn program() -> Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    let make = || compiled("eth_llr", &EthLlr::<11, 12>::new().expect("valid"));
    PROGRAM.get_or_init(make).clone()
}

/// One port, its MAC and what it has counted.
pub struct Port {
    pub instance: Instance,
    clocks: Clocks,
    by_name: BTreeMap<&'static str, Handle>,
    events: Vec<Handle>,
    /// Frames to be sent, and the next word of the first.
    pub queue: VecDeque<Frame>,
    place: u64,
    gap: u64,
    sending: Option<(u64, Vec<[u64; 2]>)>,
    arrivals: VecDeque<(u64, Item)>,
    playing: Option<(u64, VecDeque<[u64; 2]>, bool)>,
    verdicts: VecDeque<(u64, u64)>,
    receiving: Vec<[u64; 2]>,
    received: VecDeque<Vec<[u64; 2]>>,
    /// By class.
    pub delivered: [Vec<u64>; CLASSES],
    /// By verdict.
    pub judged: BTreeMap<u64, u64>,
    pub counts: BTreeMap<&'static str, u64>,
    /// Frames dropped, and why.
    pub flushes: Vec<(u64, u64)>,
    /// Frames that the first word of came to the MAC.
    pub frames_out: u64,
}

impl Port {
    fn new(setup: &Setup) -> Self {
        let program = program();
        let names = [
            "clear", "enable", "restart", "pcs_up", "class", "bypass", "frame.valid", "frame.data", "frame.ready",
            "frames_out.valid", "frames_out.data", "frames_out.ready", "preamble_out", "control_out.valid",
            "control_out.data", "control_out.ready", "frames_in.valid", "frames_in.data", "preamble_in",
            "verdicts_in.valid", "verdicts_in.data", "control_in.valid", "control_in.data", "received.valid",
            "received.data", "verdicts_out.valid", "verdicts_out.data", "state_tx", "state_rx", "empty", "is_open",
            "flushed.valid", "flushed.data",
        ];
        let mut port = Self {
            instance: program.instance(),
            clocks: program.all_clocks(),
            by_name: names.into_iter().map(|name| (name, handle(&program, name))).collect(),
            events: EVENTS.iter().map(|name| handle(&program, name)).collect(),
            queue: VecDeque::new(),
            place: 0,
            gap: 0,
            sending: None,
            arrivals: VecDeque::new(),
            playing: None,
            verdicts: VecDeque::new(),
            receiving: Vec::new(),
            received: VecDeque::new(),
            delivered: Default::default(),
            judged: BTreeMap::new(),
            counts: BTreeMap::new(),
            flushes: Vec::new(),
            frames_out: 0,
        };
        port.configure(setup);
        port.set("enable", 1);
        port.set("pcs_up", 1);
        port
    }

    pub fn configure(&mut self, setup: &Setup) {
        let program = self.instance.program().clone();
        for (name, value) in setup.values() {
            assert!(self.instance.set(handle(&program, name), value));
        }
    }

    pub fn set(&mut self, name: &'static str, value: u64) {
        assert!(self.instance.set(self.by_name[name], value), "{name}");
    }

    pub fn get(&mut self, name: &'static str) -> u64 {
        self.instance.get(self.by_name[name])
    }

    fn words(&mut self, name: &'static str) -> [u64; 2] {
        let words = self.instance.words(self.by_name[name]);
        [words[0], words[1]]
    }

    pub fn count(&self, event: &str) -> u64 {
        self.counts.get(event).copied().unwrap_or(0)
    }

    pub fn verdicts(&self, verdict: LlrVerdict) -> u64 {
        self.judged.get(&(verdict as u64)).copied().unwrap_or(0)
    }

    /// As after a power cycle of the MAC and of this block.
    pub fn clear(&mut self) {
        self.set("clear", 1);
        self.instance.step(self.clocks);
        self.set("clear", 0);
        (self.sending, self.playing) = (None, None);
        self.arrivals.clear();
        self.verdicts.clear();
        self.receiving.clear();
        self.received.clear();
        if self.place > 0 {
            self.queue.pop_front();
            self.place = 0;
        }
    }

    /// What it hears, for this clock.
    fn drive(&mut self, now: u64) {
        let head = self.queue.front().copied();
        self.set("frame.valid", head.is_some().into());
        if let Some(frame) = head {
            let word = frame.word(self.place);
            assert!(self.instance.set_words(self.by_name["frame.data"], &word));
            self.set("class", frame.class);
            self.set("bypass", frame.bypass.into());
        }
        let between = self.sending.is_none();
        let control = self.get("control_out.valid") == 1;
        self.set("control_out.ready", between.into());
        self.set("frames_out.ready", (!between || (self.gap == 0 && !control)).into());
        self.gap = self.gap.saturating_sub(1);
        self.play(now);
        let due = self.verdicts.front().is_some_and(|(at, _)| *at <= now);
        self.set("verdicts_in.valid", due.into());
        if due {
            let verdict = self.verdicts.pop_front().map_or(0, |(_, verdict)| verdict);
            self.set("verdicts_in.data", verdict);
        }
    }

    /// The receiving MAC.
    fn play(&mut self, now: u64) {
        self.set("control_in.valid", 0);
        self.set("frames_in.valid", 0);
        if let Some((head, words, broken)) = &mut self.playing {
            let (head, broken, word) = (*head, *broken, words.pop_front().expect("a word"));
            let ends = words.is_empty();
            self.set("preamble_in", head);
            self.set("frames_in.valid", 1);
            let shown = [word[0], word[1] & 0x1f];
            assert!(self.instance.set_words(self.by_name["frames_in.data"], &shown));
            if ends {
                self.playing = None;
                let poisoned = word[1] >> 5 & 1 == 1 && !broken;
                let verdict = if broken || poisoned { 2 | u64::from(poisoned) << 5 } else { 1 };
                self.verdicts.push_back((now + VERDICT, verdict));
            }
            return;
        }
        if self.arrivals.front().is_none_or(|(at, _)| *at > now) {
            return;
        }
        match self.arrivals.pop_front().expect("an item").1 {
            Item::Set(word) => {
                self.set("control_in.valid", 1);
                self.set("control_in.data", word);
            }
            Item::Frame { head, words, broken } => self.playing = Some((head, words.into(), broken)),
        }
    }

    /// What it says in this clock.
    fn observe(&mut self) -> Vec<Item> {
        let mut items = vec![];
        if self.get("frame.valid") == 1 && self.get("frame.ready") == 1 {
            self.place += 1;
            if self.queue.front().is_some_and(|frame| frame.words() == self.place) {
                self.queue.pop_front();
                self.place = 0;
            }
        }
        if self.get("control_out.valid") == 1 && self.get("control_out.ready") == 1 {
            items.push(Item::Set(self.get("control_out.data")));
        }
        if self.get("frames_out.valid") == 1 && self.get("frames_out.ready") == 1 {
            let (word, preamble) = (self.words("frames_out.data"), self.get("preamble_out"));
            self.frames_out += u64::from(self.sending.is_none());
            let (head, words) = self.sending.get_or_insert_with(|| (preamble, vec![]));
            assert_eq!(*head, preamble, "the preamble holds through the frame");
            words.push(word);
            if word[1] >> 4 & 1 == 1 {
                let (head, words) = self.sending.take().expect("a frame");
                items.push(Item::Frame { head, words, broken: false });
                self.gap = OVERHEAD;
            }
        }
        if self.get("received.valid") == 1 {
            let word = self.words("received.data");
            self.receiving.push(word);
            if word[1] >> 4 & 1 == 1 {
                let words = std::mem::take(&mut self.receiving);
                self.received.push_back(words);
            }
        }
        if self.get("verdicts_out.valid") == 1 {
            let verdict = self.get("verdicts_out.data");
            let words = self.received.pop_front().expect("a verdict on a frame");
            *self.judged.entry(verdict >> 1).or_default() += 1;
            if verdict & 1 == 1 {
                self.deliver(&words);
            }
        }
        if self.get("flushed.valid") == 1 {
            let flush = self.get("flushed.data");
            self.flushes.push((flush & 0x7f, flush >> 7));
        }
        for (name, handle) in EVENTS.iter().zip(self.events.clone()) {
            *self.counts.entry(name).or_default() += self.instance.get(handle);
        }
        items
    }

    /// Once, whole and in order of its class.
    fn deliver(&mut self, words: &[[u64; 2]]) {
        let (number, class) = (words[0][0] >> 8, words[0][0] & 0xff);
        let last = words.len() as u64 - 1;
        let bytes = last * WORD + (words[last as usize][1] & 0xf);
        let frame = Frame { number, class, bypass: false, bytes, poisoned: false };
        for (place, word) in words.iter().enumerate() {
            assert_eq!(*word, frame.word(place as u64), "word {place} of frame {number}");
        }
        let numbers = &mut self.delivered[class as usize];
        assert!(numbers.last().is_none_or(|last| *last < number), "order: {number} after {:?}", numbers.last());
        numbers.push(number);
    }
}

/// Two ports.
pub struct Line {
    pub ports: [Port; 2],
    pub now: u64,
    pub latency: u64,
    /// Items sent, by end.
    pub items: [u64; 2],
    /// The next number, by end and class.
    pub offered: [[u64; CLASSES]; 2],
    /// States that were seen: of the sender, of the receiver.
    pub states: std::collections::BTreeSet<(u64, u64)>,
}

impl Line {
    pub fn new(setup: Setup, latency: u64) -> Self {
        let ports = [Port::new(&setup), Port::new(&setup)];
        let (offered, states) = ([[0; CLASSES]; 2], Default::default());
        let mut line = Self { ports, now: 0, latency, items: [0; 2], offered, states };
        // in OFF, what is offered would go without a number
        line.run(3, quiet, |line| line.ports[0].get("state_tx") == INIT);
        line
    }

    pub fn offer(&mut self, end: usize, class: u64, bytes: u64) {
        self.offer_frame(end, Frame { number: 0, class, bypass: false, bytes, poisoned: false });
    }

    /// Its number is filled in.
    pub fn offer_frame(&mut self, end: usize, frame: Frame) {
        let number = &mut self.offered[end][frame.class as usize];
        self.ports[end].queue.push_back(Frame { number: *number, ..frame });
        *number += 1;
    }

    /// One clock of everything; the wire asks for a fault by end, number of the item, and the item.
    pub fn step(&mut self, fault: &mut dyn FnMut(usize, u64, &Item) -> Fault) {
        for end in 0..2 {
            self.ports[end].drive(self.now);
            let states = (self.ports[end].get("state_tx"), self.ports[end].get("state_rx"));
            self.states.insert(states);
            for item in self.ports[end].observe() {
                let at = self.now + self.latency;
                let found = fault(end, self.items[end], &item);
                self.items[end] += 1;
                let to = &mut self.ports[1 - end].arrivals;
                match found {
                    Fault::None => to.push_back((at, item)),
                    Fault::Lose => {}
                    Fault::Duplicate => to.extend([(at, item.clone()), (at, item)]),
                    Fault::Corrupt(bit) => to.push_back((at, corrupt(item, bit))),
                }
            }
        }
        for port in &mut self.ports {
            port.instance.step(port.clocks);
        }
        self.now += 1;
    }

    /// Steps until `done`, at most `limit` clocks; says whether it came to that.
    pub fn run(
        &mut self,
        limit: u64,
        mut fault: impl FnMut(usize, u64, &Item) -> Fault,
        mut done: impl FnMut(&mut Self) -> bool,
    ) -> bool {
        for _ in 0..limit {
            if done(self) {
                return true;
            }
            self.step(&mut fault);
        }
        done(self)
    }

    pub fn is_complete(&mut self) -> bool {
        (0..2).all(|end| {
            let other = &self.ports[1 - end];
            (0..CLASSES).all(|class| other.delivered[class].len() as u64 == self.offered[end][class])
        })
    }

    /// And everything is acknowledged.
    pub fn is_at_rest(&mut self) -> bool {
        self.is_complete() && self.ports.iter_mut().all(|port| port.get("empty") == 1)
    }

    pub fn flushes(&self) -> usize {
        self.ports.iter().map(|port| port.flushes.len()).sum()
    }
}

fn corrupt(item: Item, bit: u32) -> Item {
    match item {
        Item::Set(word) => Item::Set(word ^ 1 << (bit % 64)),
        Item::Frame { head, words, .. } => Item::Frame { head, words, broken: true },
    }
}

/// No fault.
pub fn quiet(_: usize, _: u64, _: &Item) -> Fault {
    Fault::None
}

/// A cause as it is told.
pub fn cause(cause: LlrFlushCause) -> u64 {
    cause as u64
}
