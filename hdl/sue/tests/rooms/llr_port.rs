//! One port with link-layer retry in native code, and its MAC. For `llr_line`.

use crate::rooms::llr_line::{Frame, Item, Setup, OVERHEAD, WORD};

use flitforge_hdl_sue::llr::EthLlr;
use flitforge_hdl_sue::llr_rx::LlrVerdict;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_testkit::{compiled, handle};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

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

fn program() -> Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    let make = || compiled("eth_llr", &EthLlr::<11, 12>::new().expect("valid"));
    PROGRAM.get_or_init(make).clone()
}

/// One port, its MAC and what it has counted.
pub struct Port {
    pub instance: Instance,
    pub clocks: Clocks,
    by_name: BTreeMap<&'static str, Handle>,
    events: Vec<Handle>,
    /// Frames to be sent, and the next word of the first.
    pub queue: VecDeque<Frame>,
    place: u64,
    gap: u64,
    sending: Option<(u64, Vec<[u64; 2]>)>,
    pub arrivals: VecDeque<(u64, Item)>,
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
    pub fn new(setup: &Setup) -> Self {
        let program = program();
        let names = [
            "clear",
            "enable",
            "restart",
            "pcs_up",
            "class",
            "bypass",
            "frame.valid",
            "frame.data",
            "frame.ready",
            "frames_out.valid",
            "frames_out.data",
            "frames_out.ready",
            "preamble_out",
            "control_out.valid",
            "control_out.data",
            "control_out.ready",
            "frames_in.valid",
            "frames_in.data",
            "preamble_in",
            "verdicts_in.valid",
            "verdicts_in.data",
            "control_in.valid",
            "control_in.data",
            "received.valid",
            "received.data",
            "verdicts_out.valid",
            "verdicts_out.data",
            "state_tx",
            "state_rx",
            "empty",
            "is_open",
            "flushed.valid",
            "flushed.data",
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
    pub fn drive(&mut self, now: u64) {
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
    pub fn observe(&mut self) -> Vec<Item> {
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
        assert!(
            numbers.last().is_none_or(|last| *last < number),
            "order: {number} after {:?}",
            numbers.last()
        );
        numbers.push(number);
    }
}
