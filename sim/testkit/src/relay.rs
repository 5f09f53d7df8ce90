//! Somebody in the middle of a line: reads every LTP on its way, and may change it into another good one, corrupt it, or
//! let a lane slip.

use flitforge_model::wire::LtpBits;
use flitforge_model::{Ltp, Scrambler};
use flitforge_protocol::lane_word::{sds, ControlWordKind};
use flitforge_protocol::ltp::{ltp_words, CrcMode};
use std::collections::VecDeque;

/// Clocks from line to receiver; an LTP on four lanes must pass within them.
pub const CLOCKS: usize = 48;
/// The control flag of a lane word.
const CTL: u64 = 1 << 32;
/// Rows of data between two ALN rows.
const ALN_ROWS: u64 = 4096;

/// What becomes of an LTP.
pub enum Edit {
    /// It arrives as it is.
    Keep,
    /// It arrives as this one, with right CRCs.
    Replace(Box<Ltp>),
    /// One bit of it is wrong.
    Corrupt,
}

/// Decides on every LTP, by its number since the start row and its content.
pub type Editor = Box<dyn FnMut(u64, &Ltp) -> Edit>;

/// Lanes of a link.
pub const LANES: usize = 4;

/// The words of one clock: `{code_err, ctl, word}` by lane.
pub type Words = [Option<u64>; LANES];

/// A word, and where it stands: clock and lane.
type Placed = (u32, u64, usize);

/// Rows and LTPs since the start row.
struct Parser {
    lanes: Vec<usize>,
    scramblers: Vec<Scrambler>,
    mode: CrcMode,
    rows: u64,
    ltps: u64,
    /// Words of the LTP in progress.
    words: Vec<Placed>,
}

/// The words of one direction on their way through somebody's hands.
#[derive(Default)]
pub struct Relay {
    /// The words on their way, by lane; the oldest first.
    queues: [VecDeque<Option<u64>>; LANES],
    clock: u64,
    parser: Option<Parser>,
    editor: Option<Editor>,
    /// This lane loses its next word.
    pub slip: Option<usize>,
    /// The next start row has a wrong bit on every lane.
    pub corrupt_start: bool,
}

fn kind(word: u64) -> u64 {
    word >> sds::kind::LOW & 0xFF
}

impl Parser {
    /// A start row on these lanes.
    fn start(words: &Words) -> Option<Self> {
        let is_start = |word: u64| word & CTL != 0 && kind(word) == u64::from(ControlWordKind::Sds.code());
        let lanes: Vec<usize> = (0..LANES).filter(|lane| words[*lane].is_some_and(is_start)).collect();
        let first = words[*lanes.first()?]?;
        let mode = CrcMode::from_code((first >> sds::crc_mode::LOW & 3) as u8)?;
        let scramblers = lanes.iter().map(|lane| Scrambler::new(*lane).expect("a lane")).collect();
        Some(Self { lanes, scramblers, mode, rows: 0, ltps: 0, words: vec![] })
    }

    /// Training sets instead of rows.
    fn is_over(&self, words: &Words) -> bool {
        let is_set = |word: u64| word & CTL != 0 && kind(word) != u64::from(ControlWordKind::Aln.code());
        self.lanes.iter().any(|lane| words[*lane].is_some_and(is_set))
    }

    /// A row; the LTP it completes.
    fn row(&mut self, words: &Words, clock: u64) -> Option<(u64, Vec<Placed>)> {
        let present = self.lanes.iter().filter(|lane| words[**lane].is_some()).count();
        if present == 0 {
            return None;
        }
        assert_eq!(present, self.lanes.len(), "the lanes of a row come together");
        self.rows += 1;
        if self.rows % (ALN_ROWS + 1) == 0 {
            return None;
        }
        let mut done = None;
        for (lane, scrambler) in self.lanes.iter().zip(&mut self.scramblers) {
            let word = words[*lane].expect("present") as u32;
            self.words.push((scrambler.apply(word), clock, *lane));
            if self.words.len() == ltp_words(self.mode) {
                done = Some((self.ltps, std::mem::take(&mut self.words)));
                self.ltps += 1;
            }
        }
        done
    }
}

impl Relay {
    /// A relay that passes everything on.
    pub fn new() -> Self {
        let queues = std::array::from_fn(|_| vec![None; CLOCKS].into());
        Self { queues, ..Self::default() }
    }

    /// Decides from now on.
    pub fn edit(&mut self, editor: impl FnMut(u64, &Ltp) -> Edit + 'static) {
        self.editor = Some(Box::new(editor));
    }

    /// Passes everything on again.
    pub fn leave(&mut self) {
        self.editor = None;
    }

    /// One clock: the words from the line go in, those of [`CLOCKS`] clocks before come out.
    pub fn clock(&mut self, words: Words) -> Words {
        for (queue, word) in self.queues.iter_mut().zip(words) {
            queue.push_back(word);
        }
        self.parse(&words);
        if let Some(lane) = self.slip {
            if self.queues[lane].back().is_some_and(Option::is_some) {
                *self.queues[lane].back_mut().expect("just pushed") = None;
                self.slip = None;
            }
        }
        self.clock += 1;
        self.queues.each_mut().map(|queue| queue.pop_front().flatten())
    }

    fn parse(&mut self, words: &Words) {
        if let Some(parser) = Parser::start(words) {
            if std::mem::take(&mut self.corrupt_start) {
                for lane in &parser.lanes {
                    let word = self.queues[*lane].back_mut().expect("just pushed");
                    *word = word.map(|word| word ^ 1 << sds::kind::LOW);
                }
            }
            self.parser = Some(parser);
            return;
        }
        let Some(parser) = &mut self.parser else { return };
        if parser.is_over(words) {
            self.parser = None;
            return;
        }
        let (mode, lanes) = (parser.mode, parser.lanes.len());
        if let Some((number, ltp)) = parser.row(words, self.clock) {
            self.decide(mode, lanes, number, &ltp);
        }
    }

    fn decide(&mut self, mode: CrcMode, lanes: usize, number: u64, words: &[Placed]) {
        let Some(editor) = &mut self.editor else { return };
        let plain: Vec<u32> = words.iter().map(|(word, _, _)| *word).collect();
        let bits = LtpBits::from_words(&plain).expect("an LTP");
        let received = Ltp::decode(&bits, mode, lanes).expect("a mode");
        if !received.is_good() {
            return;
        }
        let mut wanted = plain.clone();
        match editor(number, &received.ltp) {
            Edit::Keep => return,
            Edit::Replace(ltp) => wanted = ltp.encode(mode, lanes).expect("encodes").words().to_vec(),
            Edit::Corrupt => wanted[7] ^= 1 << 5,
        }
        for ((word, clock, lane), wanted) in words.iter().zip(wanted) {
            let place = self.queues[*lane].len() as u64 - 1 - (self.clock - clock);
            let slot = &mut self.queues[*lane][place as usize];
            *slot = slot.map(|there| there ^ u64::from(word ^ wanted));
        }
    }
}
