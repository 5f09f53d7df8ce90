//! Frames at the ports of the receivers of MAC control frames, for the tests of those.

use flitforge_elaborate::Value;
use flitforge_sim::kit::{rng, Agent, Coverage, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Bits of a word of a frame.
pub(super) const WORD_BITS: u32 = 70;

/// Words of a frame as its ports have them: octets from bit 0, their number from bit 64, `last` in bit 68.
pub(super) fn words_of(frame: &[u8]) -> Vec<u128> {
    let chunks: Vec<_> = frame.chunks(8).collect();
    let word = |(place, octets): (usize, &&[u8])| {
        let data = octets.iter().rev().fold(0_u128, |data, octet| data << 8 | u128::from(*octet));
        let last = u128::from(place + 1 == chunks.len());
        data | (octets.len() as u128) << 64 | last << 68
    };
    chunks.iter().enumerate().map(word).collect()
}

/// The same as values.
pub(super) fn value_of(word: u128) -> Value {
    Value::from_words(WORD_BITS, &[word as u64, (word >> 64) as u64])
}

/// The octets of words, up to the last of a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Gather(Vec<u8>);

impl Gather {
    /// A word comes; gives the frame if it is the last.
    pub(super) fn word(&mut self, word: &Value) -> Option<Vec<u8>> {
        let bytes = word.slice(64, 4).low_u64() as usize;
        self.0.extend(&word.low_u64().to_le_bytes()[..bytes]);
        word.bit(68).then(|| std::mem::take(&mut self.0))
    }
}

/// Something that makes the next frame, and says whether its verdict is good.
type Make<'a> = Box<dyn FnMut(&mut Rng) -> (Vec<u8>, bool) + 'a>;
/// Something that is told of verdicts: clock, frame, good.
type Tell<'a> = Box<dyn FnMut(u64, &[u8], bool) + 'a>;

/// A frame whose verdict waits.
struct Waiting {
    frame: Vec<u8>,
    good: bool,
    at: u64,
}

/// Gives frames to the flow `frames`, with gaps, and their verdicts 1 to 16 clocks after, in order and `apart` clocks from each other. `often` is
/// the probability of a frame in an idle clock.
pub(super) struct FrameFeeder<'a> {
    word: [PortHandle; 2],
    verdict: [PortHandle; 2],
    clear: PortHandle,
    random: Rng,
    make: Make<'a>,
    tell: Tell<'a>,
    apart: u64,
    often: f64,
    words: VecDeque<u128>,
    frame: (Vec<u8>, bool),
    waiting: VecDeque<Waiting>,
    last_verdict: u64,
    now: Option<Waiting>,
}

impl<'a> FrameFeeder<'a> {
    pub(super) fn new(
        bench: &dyn Bench,
        seed: u64,
        (apart, often): (u64, f64),
        make: impl FnMut(&mut Rng) -> (Vec<u8>, bool) + 'a,
        tell: impl FnMut(u64, &[u8], bool) + 'a,
    ) -> Result<Self, SimError> {
        Ok(Self {
            word: [bench.port("frames.data")?, bench.port("frames.valid")?],
            verdict: [bench.port("verdicts.data")?, bench.port("verdicts.valid")?],
            clear: bench.port("clear")?,
            random: rng(seed, "frames"),
            make: Box::new(make),
            tell: Box::new(tell),
            apart,
            often,
            words: VecDeque::new(),
            frame: (vec![], false),
            waiting: VecDeque::new(),
            last_verdict: 0,
            now: None,
        })
    }
}

impl Agent for FrameFeeder<'_> {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let starts = self.words.is_empty() && self.waiting.len() < 3 && self.random.random_bool(self.often);
        if starts {
            self.frame = (self.make)(&mut self.random);
            self.words = words_of(&self.frame.0).into();
        }
        let gives = !self.words.is_empty() && self.random.random_bool(0.9);
        let word = if gives { self.words.pop_front() } else { None };
        let shown = word.unwrap_or_else(|| self.random.random::<u128>());
        bench.set(self.word[0], &value_of(shown));
        bench.set_u64(self.word[1], word.is_some().into());
        let due = self.waiting.front().is_some_and(|first| first.at <= clock);
        self.now = if due { self.waiting.pop_front() } else { None };
        bench.set_u64(self.verdict[0], self.now.as_ref().map_or(self.random.random(), |now| now.good).into());
        bench.set_u64(self.verdict[1], self.now.is_some().into());
        if word.is_some() && self.words.is_empty() {
            let at = (clock + self.random.random_range(1..=16)).max(self.last_verdict + self.apart);
            self.last_verdict = at;
            let (frame, good) = std::mem::take(&mut self.frame);
            self.waiting.push_back(Waiting { frame, good, at });
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.clear) {
            self.words.clear();
            self.waiting.clear();
        } else if let Some(now) = self.now.take() {
            (self.tell)(clock, &now.frame, now.good);
        }
        Ok(())
    }

    fn coverage(&self, _: &mut Coverage) {}
}

/// Calls an action in every clock, with the bench settled.
pub(super) struct EachClock<F>(pub(super) F);

impl<F: FnMut(u64, &mut dyn Bench) -> Result<(), SimError>> Agent for EachClock<F> {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        (self.0)(clock, bench)
    }

    fn coverage(&self, _: &mut Coverage) {}
}

/// What is shared by agents.
pub(super) fn shared<T>(value: T) -> Rc<RefCell<T>> {
    Rc::new(RefCell::new(value))
}

/// An error of a check.
pub(super) fn wrong(clock: u64, problem: impl Into<String>) -> SimError {
    SimError::Check { clock, problem: problem.into() }
}
