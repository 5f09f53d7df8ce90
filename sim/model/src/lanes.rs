//! Dealing the words of the LTP stream to lanes and collecting them again (chapter 10, 3.6 and 4.7).

use crate::scrambler::{LaneError, Scrambler};
use crate::training::{AlignmentWord, StartWord, TrainingError};
use flitforge_protocol::lane_word::{ALN_INTERVAL_ROWS, MAX_LANES};
use flitforge_protocol::ltp::CrcMode;
use std::collections::VecDeque;
use thiserror::Error;

/// One word on a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneWord {
    /// A control word, never scrambled.
    Control(u32),
    /// A data word as on the line, scrambled.
    Data(u32),
}

/// One row: a word per active lane, logical lane 0 first.
pub type Row = Vec<LaneWord>;

/// What dealer and collector have to agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneSetup {
    /// Active physical lanes of the sender, ascending: the rank in this list is the logical lane.
    physical: Vec<usize>,
    /// CRC mode, for the start row.
    mode: CrcMode,
    /// Bond index, for the start row.
    bond: u8,
    /// Data rows between ALN rows.
    aln_interval: usize,
}

/// Why lanes cannot be set up, or received rows are not what the sender must have sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LaneRowError {
    /// Lanes that are not an ascending list of 1 to 4 physical lanes.
    #[error("active lanes {lanes:?}: expected 1 to {MAX_LANES} different physical lanes 0 to 3, ascending")]
    Lanes {
        /// The list given.
        lanes: Vec<usize>,
    },
    /// A physical lane without a seed.
    #[error(transparent)]
    Seed(#[from] LaneError),
    /// A row with another number of words.
    #[error("row {row}: {found} words, expected {expected}")]
    Width {
        /// Row number since the start row, which is 0.
        row: u64,
        /// Words found.
        found: usize,
        /// Active lanes.
        expected: usize,
    },
    /// A control word where data must be, or the other way round.
    #[error("row {row}, logical lane {lane}: {found:?}, expected {expected}")]
    Unexpected {
        /// Row number.
        row: u64,
        /// Logical lane.
        lane: usize,
        /// Word found.
        found: LaneWord,
        /// What belongs there.
        expected: &'static str,
    },
    /// A control word that cannot be read.
    #[error("row {row}, logical lane {lane}: {error}")]
    Control {
        /// Row number.
        row: u64,
        /// Logical lane.
        lane: usize,
        /// What is wrong with it.
        error: TrainingError,
    },
    /// A start word or ALN number that does not agree.
    #[error("row {row}, logical lane {lane}: control word {found:08X}, expected {expected:08X}")]
    Disagree {
        /// Row number.
        row: u64,
        /// Logical lane.
        lane: usize,
        /// Word found.
        found: u32,
        /// Word expected.
        expected: u32,
    },
}

impl LaneSetup {
    /// The active physical lanes, ascending, with the CRC mode the start row announces.
    pub fn new(physical: &[usize], mode: CrcMode) -> Result<Self, LaneRowError> {
        let ascending = physical.windows(2).all(|pair| pair[0] < pair[1]);
        if physical.is_empty() || !ascending || physical.iter().any(|&lane| lane >= MAX_LANES) {
            return Err(LaneRowError::Lanes { lanes: physical.to_vec() });
        }
        Ok(LaneSetup { physical: physical.to_vec(), mode, bond: 0, aln_interval: ALN_INTERVAL_ROWS })
    }

    /// The same with a bond index, 0 to 3.
    #[must_use]
    pub const fn bonded(mut self, bond: u8) -> Self {
        self.bond = bond & 3;
        self
    }

    /// Active lanes L.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.physical.len()
    }

    fn start_word(&self, lane: usize) -> StartWord {
        let (physical, lanes) = (self.physical[lane] as u8, self.lanes() as u8);
        StartWord { lane: physical, bond: self.bond, mode: self.mode, lanes }
    }

    fn scramblers(&self) -> Result<Vec<Scrambler>, LaneError> {
        self.physical.iter().map(|&lane| Scrambler::new(lane)).collect()
    }
}

/// The row counter both sides run: which row is the start row, which an ALN row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RowSchedule {
    row: u64,
    data_rows: usize,
    aln_number: u16,
    interval: usize,
}

/// What the next row has to be.
enum RowKind {
    Start,
    Alignment(AlignmentWord),
    Data,
}

impl RowSchedule {
    const fn new(interval: usize) -> Self {
        RowSchedule { row: 0, data_rows: 0, aln_number: 0, interval }
    }

    const fn kind(&self) -> RowKind {
        if self.row == 0 {
            RowKind::Start
        } else if self.data_rows == self.interval {
            RowKind::Alignment(AlignmentWord { number: self.aln_number.wrapping_add(1) })
        } else {
            RowKind::Data
        }
    }

    fn advance(&mut self) {
        match self.kind() {
            RowKind::Start => {}
            RowKind::Alignment(word) => {
                self.aln_number = word.number;
                self.data_rows = 0;
            }
            RowKind::Data => self.data_rows += 1,
        }
        self.row += 1;
    }
}

/// Deals words to lanes: start row, data rows, ALN rows.
#[derive(Debug, Clone)]
pub struct LaneDistributor {
    setup: LaneSetup,
    scramblers: Vec<Scrambler>,
    schedule: RowSchedule,
    waiting: VecDeque<u32>,
}

impl LaneDistributor {
    /// A dealer whose next row is the start row.
    pub fn new(setup: LaneSetup) -> Result<Self, LaneRowError> {
        let scramblers = setup.scramblers()?;
        let schedule = RowSchedule::new(setup.aln_interval);
        Ok(LaneDistributor { setup, scramblers, schedule, waiting: VecDeque::new() })
    }

    /// Takes words of LTPs, in sending order.
    pub fn push(&mut self, words: &[u32]) {
        self.waiting.extend(words);
    }

    /// The next row; `None` if a data row is due and fewer than L words wait.
    pub fn next_row(&mut self) -> Result<Option<Row>, LaneRowError> {
        let lanes = self.setup.lanes();
        let row = match self.schedule.kind() {
            RowKind::Start => (0..lanes)
                .map(|lane| {
                    let word = self.setup.start_word(lane).encode();
                    word.map(LaneWord::Control).map_err(|error| LaneRowError::Control { row: 0, lane, error })
                })
                .collect::<Result<Row, _>>()?,
            RowKind::Alignment(word) => vec![LaneWord::Control(word.encode()); lanes],
            RowKind::Data if self.waiting.len() < lanes => return Ok(None),
            RowKind::Data => {
                let words = self.waiting.drain(..lanes);
                words.zip(&mut self.scramblers).map(|(word, lane)| LaneWord::Data(lane.apply(word))).collect()
            }
        };
        self.schedule.advance();
        Ok(Some(row))
    }

    /// All rows that can go out now.
    pub fn rows(&mut self) -> Result<Vec<Row>, LaneRowError> {
        std::iter::from_fn(|| self.next_row().transpose()).collect()
    }
}

/// Collects rows into the word stream of the LTPs; checks start and ALN rows.
#[derive(Debug, Clone)]
pub struct LaneCollector {
    setup: LaneSetup,
    scramblers: Vec<Scrambler>,
    schedule: RowSchedule,
}

impl LaneCollector {
    /// A collector that expects the start row next.
    pub fn new(setup: LaneSetup) -> Result<Self, LaneRowError> {
        let scramblers = setup.scramblers()?;
        let schedule = RowSchedule::new(setup.aln_interval);
        Ok(LaneCollector { setup, scramblers, schedule })
    }

    /// Takes a row; gives its data words descrambled, none for a start or ALN row.
    ///
    /// A control word elsewhere is a code error, and so is data in an ALN row.
    pub fn push(&mut self, words: &[LaneWord]) -> Result<Vec<u32>, LaneRowError> {
        let (row, expected) = (self.schedule.row, self.setup.lanes());
        if words.len() != expected {
            return Err(LaneRowError::Width { row, found: words.len(), expected });
        }
        let mut data = Vec::new();
        match self.schedule.kind() {
            RowKind::Start => {
                for (lane, &found) in words.iter().enumerate() {
                    let word = self.control(lane, found, "a start word (SDS)")?;
                    let start = StartWord::decode(word).map_err(|error| LaneRowError::Control {
                        row,
                        lane,
                        error,
                    })?;
                    self.agree(lane, word, start == self.setup.start_word(lane), || {
                        self.setup.start_word(lane).encode().unwrap_or_default()
                    })?;
                }
            }
            RowKind::Alignment(expected) => {
                for (lane, &found) in words.iter().enumerate() {
                    let word = self.control(lane, found, "an ALN word")?;
                    self.agree(lane, word, word == expected.encode(), || expected.encode())?;
                }
            }
            RowKind::Data => {
                for (lane, &found) in words.iter().enumerate() {
                    let LaneWord::Data(word) = found else {
                        return Err(LaneRowError::Unexpected { row, lane, found, expected: "a data word" });
                    };
                    data.push(self.scramblers[lane].apply(word));
                }
            }
        }
        self.schedule.advance();
        Ok(data)
    }

    fn control(&self, lane: usize, found: LaneWord, expected: &'static str) -> Result<u32, LaneRowError> {
        match found {
            LaneWord::Control(word) => Ok(word),
            LaneWord::Data(_) => {
                Err(LaneRowError::Unexpected { row: self.schedule.row, lane, found, expected })
            }
        }
    }

    fn agree(
        &self,
        lane: usize,
        found: u32,
        agrees: bool,
        expected: impl Fn() -> u32,
    ) -> Result<(), LaneRowError> {
        if agrees {
            return Ok(());
        }
        Err(LaneRowError::Disagree { row: self.schedule.row, lane, found, expected: expected() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(physical: &[usize]) -> (LaneDistributor, LaneCollector) {
        let setup = LaneSetup::new(physical, CrcMode::Standard).expect("a setup");
        (
            LaneDistributor::new(setup.clone()).expect("distributor"),
            LaneCollector::new(setup).expect("collector"),
        )
    }

    #[test]
    fn lanes_out_of_order_or_range_are_refused() {
        for lanes in [&[][..], &[1, 0], &[0, 0], &[4], &[0, 1, 2, 3, 4]] {
            assert!(LaneSetup::new(lanes, CrcMode::Standard).is_err(), "{lanes:?}");
        }
    }

    #[test]
    fn aln_rows_come_after_4096_data_rows_and_carry_their_number() {
        let (mut distributor, _) = pair(&[0, 2]);
        distributor.push(&vec![0; 2 * 8193]);
        let rows = distributor.rows().expect("rows");
        let control: Vec<(usize, Row)> =
            rows.into_iter().enumerate().filter(|(_, row)| matches!(row[0], LaneWord::Control(_))).collect();
        let numbers: Vec<usize> = control.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 4097, 8194]);
        assert_eq!(control[1].1, [LaneWord::Control(0x0001_1CBC); 2]);
        assert_eq!(control[2].1, [LaneWord::Control(0x0002_1CBC); 2]);
    }

    #[test]
    fn every_lane_count_gives_the_words_back_across_aln_rows() {
        for physical in [&[1][..], &[0, 3], &[0, 2, 3], &[0, 1, 2, 3]] {
            let (mut distributor, mut collector) = pair(physical);
            let words: Vec<u32> =
                (0..physical.len() as u32 * 5000).map(|word| word.wrapping_mul(0x9E37_79B9)).collect();
            distributor.push(&words);
            let rows = distributor.rows().expect("rows");
            let back: Vec<u32> =
                rows.iter().flat_map(|row| collector.push(row).expect("a good row")).collect();
            assert!(back == words, "{physical:?}");
        }
    }

    #[test]
    fn a_wrong_row_is_named() {
        let (mut distributor, collector) = pair(&[0, 1]);
        distributor.push(&[1, 2]);
        let rows = distributor.rows().expect("rows");
        assert!(matches!(collector.clone().push(&rows[1]), Err(LaneRowError::Unexpected { row: 0, .. })));
        assert!(matches!(collector.clone().push(&rows[0][..1]), Err(LaneRowError::Width { .. })));
        let swapped = [rows[0][1], rows[0][0]];
        assert!(matches!(collector.clone().push(&swapped), Err(LaneRowError::Disagree { lane: 0, .. })));
        let mut later = collector;
        later.push(&rows[0]).expect("start row");
        assert!(matches!(later.push(&rows[0]), Err(LaneRowError::Unexpected { row: 1, .. })));
    }
}
