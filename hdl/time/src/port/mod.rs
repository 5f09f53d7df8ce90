//! `time_port`: the time side of a switch's port (chapter 20, 2), beside a `link_port`: lag meters of both directions,
//! `time_extract`, `link_delay` and `time_inject`.
//!
//! ```text
//!  link_port                                                          rings
//!   rx_position, rx_words ► lag_meter rx ───┐
//!   spc_out ──────────────► 7 clocks ► R ► time_extract ► low, high ─►
//!                                            │ markers
//!                                        link_delay ─ request, response
//!                                            │ hold         ▼
//!   time_in ◄─── X ◄──── gate ◄───────────── time_inject ◄──── copies
//!   tx_position, tx_words ► lag_meter tx ─┴ exact  ▲ lag
//! ```
//!
//! - Registers come as inputs by field and go out so; what holds them is the block around it. `events` are masks by counter, in the order of the page.
//! - `spc_out` stands 7 clocks at plane R late, because the rx lag does (4.2, our readings). `spc_out` to `low` 10 clocks, to `high` 11,
//!   a `copy` is offered to the link 1 clock later. Exact.
//! - Gate: a beat goes to the link in clocks in which the tx lag is that of the beat which X takes (`exact` of `lag_meter`), or in which the link
//!   takes and discards it (`tx_open` low, DROP). Otherwise it waits, and its value moves on.
//! - A tx meter without a valid phase holds Lows and Highs back as a link that has to be measured does (EPOCH_HOLD). With PHASE_SRC NONE
//!   meters are always valid.
//! - The link is up in Active and Degraded; LINK_EPOCH counts each time, and changes of the lanes sent and received on.
//! - `clear` as of the parts: what is on the way is dropped, a measurement ends, meters begin anew. Epochs and results stay.
//!
//! | part | does |
//! |---|---|
//! | [`TimeTap`] | all but injection; `time_hfi` has it, too |

mod block;
mod config;
mod tap;

pub use block::TimePort;
pub use config::{build_as, source_label, time_port_config, TimePortConfig, ENTRY, PARAMETERS};
pub(super) use config::{BEAT, DDMTD, PHY};
pub use tap::TimeTap;

/// Bits of the fill of a PHY's FIFO, words.
pub const FILL_BITS: usize = 8;
