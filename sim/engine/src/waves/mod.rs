//! Waveforms: any subset of a bench's signals as `.fst` or `.vcd`, from a trigger on, or the last clocks only.
//!
//! ```text
//!   Design or Bench ──► SignalTable ──patterns──► Sampler ──► WaveLog (ring) ──► file, text
//!                                                       └──────────────────────► file
//! ```
//!
//! The values of a row are those just before its edge, and they show from the edge before on: a register changes
//! exactly at the edge that loads it. Without a schedule one clock is 10 ns; with one the edges are at
//! their own times, [`PERIOD`] late, so that power-on values show.

mod ascii;
mod file;
mod fst;
mod layout;
mod log;
mod pattern;
mod recorder;
mod signals;
mod sink;
mod values;
mod vcd;

pub use ascii::render;
pub use file::WaveFormat;
pub(crate) use file::{Row, WaveFile};
pub use log::WaveLog;
pub(crate) use recorder::{failure_file, with_wave};
pub use recorder::{failure_folder, Start, WaveRequest, Waves, FAILURE_CLOCKS};
pub(crate) use signals::WaveSignal;
pub use signals::{Sampler, SignalTable};
pub use values::ValueWaves;

/// Picoseconds of one clock where the bench has no schedule.
pub const PERIOD: u64 = 10_000;
