//! `link_position`: where on the line a beat goes, and how far the line is (chapter 10, 4.7), for the lag meters of chapter 20.
//!
//! Words are those of the first lane in use, lane 0 if all are; all lanes of a direction go in step. Word 0 is the first one
//! after the start row, and ALN rows count. A position is a word of this count, modulo 2^16, and how far inside that word the bit
//! is sent, in 1/256. It means something from the start row of its direction until the lanes stop.
//!
//! - `tx_position`: of the first bit of the beat that plane X takes in this clock, if it takes one. [`PositionStep`] follows the
//!   place of the beat in its LTP (`tx_place`, as `link_retry_tx` gives it); every LTP counts, Null and replayed ones too.
//! - `rx_position`: of the first bit of the beat that stands on `flits_out` or `spc_out` in this clock. [`PositionRx`] follows the
//!   verdicts: an LTP begins with the clock after its verdict, whatever becomes of it.
//! - `tx_words`, `rx_words`: words that the PHY has taken, and given, on that lane before the clock before this one ([`WordCount`]).
//!
//! Both ends give the same position for the same beat. Latency 0 of the positions: they belong to the clock they stand in;
//! 1 of the counts.
//! Throughput: a beat per clock. `clear`: counts begin at the next start row, from 2 clocks later on. There is no bad input: a wrong word on the line is a
//! word, and a start row counts only while one is waited for.

mod block;
mod config;
mod receive;
mod step;
mod words;

pub use block::LinkPosition;
pub use config::{build_as, PositionConfig, ENTRY};
pub use receive::PositionRx;
pub use step::PositionStep;
pub use words::WordCount;

use flitforge_protocol::lane_word::{LINE_POSITION_FRACTION_BITS, LINE_POSITION_WORD_BITS};

/// Bits of a line position: whole words above the fraction.
pub const POSITION_BITS: usize = LINE_POSITION_WORD_BITS + LINE_POSITION_FRACTION_BITS;
/// Bits of a count of words.
pub const WORD_COUNT_BITS: usize = LINE_POSITION_WORD_BITS;
/// Bits of a beat's place in its LTP, at F = 1.
pub const PLACE_BITS: usize = 4;
