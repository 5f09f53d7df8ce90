//! `lag_meter`: how far a flit at plane X or R is from its place on the line (chapter 20, 4.2), one for each direction of a port.
//!
//! A word count in the core clock, with 12 fraction bits, is held against the line position of a beat; the difference in 1/256 ns, less
//! NOM, is the lag. The count begins with the words of `link_position` and the fill of the PHY's FIFO when `run` rises, and moves by
//! itself from then on:
//!
//! - PHASE_SRC BEAT ([`LagTracker`]): the core clock samples half the word clock. Every sample bounds the error of a line phase +
//!   rate * clocks from one side; where the bounds of a window (1024 clocks or more) meet is a tag, by which phase and rate are
//!   corrected.
//!
//!   Two good tags in a row make `phase_ok`, one that is off by more than 1/128 word takes it. Bounds that contradict each other
//!   are a slip: `phase_ok` goes, the rate is found anew. 2^24 clocks without a tag are a static phase (`fixed`).
//! - DDMTD ([`LagDdmtd`]): a helper clock of 2^K/(2^K+1) of the word clock's frequency samples half the word clock and half the core
//!   clock, each as BEAT does. Every 64 core clocks both lines of one helper edge come over to the core clock, where a line of words
//!   runs on between them. For core clocks within 0.1 % of a small ratio to the word clock, where BEAT sees nothing.
//! - PHY ([`LagPhy`]): the fraction is an input. NONE: whole words as they are counted.
//!
//! rx: `lag` is that of the beat whose `position` stood [`RX_CLOCKS`] clocks before, so what stands on `spc_out` is delayed by as
//! many: plane R is where both stand together. tx: which beat plane X takes three clocks after `lag` is not known yet.
//!
//! [`LagLookAhead`] takes it that X goes on as in the last clocks, and `exact` says in the clock of X whether the `lag` given
//! [`TX_LOOK_AHEAD`] clocks before was that of the beat which X takes: a Low is offered only then. It waits otherwise, which
//! costs nothing (4.5 rule 1).
//!
//! - Latency: rx [`RX_CLOCKS`], tx none (it looks ahead). Exact. A lag in every clock.
//! - Outputs are registers, except `exact`: two comparisons after `position`.
//! - The port counts whole words: what it counts more than the line is averaged over 2^16 clocks ([`LagCount`]) before `phase_ok`. So the
//!   constant part of the lag is the same with every rise of `run` and for every meter of one build; near a ratio p/q of core and
//!   word clock whose phase hardly moves (DDMTD, PHY) it is off by up to 1/(2q) word.
//! - A lag that does not fit: the nearest that does, `phase_ok` low, `saturated` in its first clock.
//! - `clear` and the end of `run` take `phase_ok`; what is followed goes on.

mod beat;
mod block;
mod bounds;
mod config;
mod count;
mod ddmtd;
mod line;
mod look_ahead;
mod pair;
mod phy;
mod scale;
mod tag;
mod tracker;

pub use beat::LagBeat;
pub use block::{LagMeter, ENTRY};
pub use bounds::LagBounds;
pub use config::{LagMeterConfig, DDMTD_K};
pub use count::LagCount;
pub use ddmtd::{LagDdmtd, ENTRY as DDMTD_ENTRY};
pub use line::LagLine;
pub use look_ahead::LagLookAhead;
pub use pair::LagHelper;
pub use phy::LagPhy;
pub use scale::LagScale;
pub use tag::LagTag;
pub use tracker::{LagTracker, ENTRY as TRACKER_ENTRY};

use flitforge_protocol::time_lag::{COUNT_FRACTION_BITS, LINE_WORD_BITS};
use flitforge_protocol::time_servo::LAG_LOOK_AHEAD_CLOCKS;

/// Bits of a count of words with its fraction.
pub const LINE_BITS: usize = LINE_WORD_BITS + COUNT_FRACTION_BITS;
/// Clocks from a beat's position to its lag.
pub const RX_CLOCKS: usize = 7;
/// Clocks from a lag to the X edge it is for (4.6).
pub const TX_LOOK_AHEAD: usize = LAG_LOOK_AHEAD_CLOCKS;
/// Clocks from a position that is looked at to the X edge it is for.
const HORIZON: usize = RX_CLOCKS + TX_LOOK_AHEAD;
