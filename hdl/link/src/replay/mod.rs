//! `link_replay`: the replay buffer and the transmit side of the retry protocol (chapter 10, 4.2).
//!
//! It decides what every LTP is that [`LtpTx`](super::ltp_tx::LtpTx) sends, keeps the originals, and hands them out
//! again. [`LinkRetryTx`](super::retry_tx::LinkRetryTx) joins the two.
//!
//! | part | does |
//! |---|---|
//! | [`ReplayEvents`] | keeps what the receiver has found until its turn comes |
//! | [`ReplaySequencer`] | one step at a time: an event, a decision, a change between OFF, INIT and MARK |
//! | [`ReplayState`] | OFF to FREEZE |
//! | [`ReplayChoice`] | which LTP is next (4.1 rule 4), pairs never split |
//! | [`ReplayNulls`] | flit 0 of the Null LTPs |
//! | [`ReplayPointers`] | NxtTx, NxtWr, which pointers are valid (rule 3) |
//! | [`ReplayTimers`] | the pad (rule 1), the timer of FREEZE |
//! | [`ReplayLimits`] | RETRY_LIMIT and REINIT_LIMIT (rule 5) |
//! | [`ReplayInit`], [`ReplayRoundTrip`] | the exchange of INIT (4.6 rule 5), RTT_LTP (rule 6) |
//! | [`ReplayMemory`] | the RAM with its parity bits |
//!
//! An LTP is decided while the last four beats of the one before it go out (at F = 4: the last three) or, if there is
//! none, at once. Steps take three clocks, so the decision is there in time if an LTP takes 8 clocks at least, as
//! it does on the lanes; else `hold` makes the LTP wait. What comes up after the decision counts for the next one.
//!
//! - Latency: an event counts 3 to 5 clocks after the clock it comes in, in the order of the clocks; a slot's first beat
//!   is there 3 clocks after REPLAY is entered, at least an LTP before it is needed.
//! - Throughput: a beat written and a beat read in every clock.
//! - `run` low: what is decided or under way is finished, its beats kept; then OFF. Pointers and buffer stay.
//! - `clear`: OFF, everything 0; the RAM keeps its words, which are not sent before being written again. One clock.
//! - All outputs are registers or hang on a few registers, but `retry_req.ready` and `ltp_time` (both two registers).

mod block;
mod choice;
mod config;
mod events;
mod init;
mod limits;
mod memory;
mod nulls;
mod pointers;
mod round_trip;
mod sequencer;
mod state;
mod timers;

pub use block::LinkReplay;
pub use choice::ReplayChoice;
pub use config::{build_as, ReplayConfig, ENTRY};
pub(crate) use config::{EVENT_STREAMS, PARAMETERS, PRESETS};
pub use events::ReplayEvents;
pub use init::ReplayInit;
pub use limits::ReplayLimits;
pub use memory::ReplayMemory;
pub use nulls::ReplayNulls;
pub use pointers::ReplayPointers;
pub use round_trip::ReplayRoundTrip;
pub use sequencer::ReplaySequencer;
pub use state::ReplayState;
pub use timers::ReplayTimers;

use flitforge_protocol::link::SEQUENCE_BITS;
use flitforge_protocol::link_registers::retry_cfg;

/// Bits of a sequence number.
pub const POINTER_BITS: usize = SEQUENCE_BITS;
/// Bits of the token of a RndTripMrkr.
pub const TOKEN_BITS: usize = flitforge_protocol::flit::rnd_trip_mrkr::token::WIDTH;
/// Bits of an InitReq or InitAck from the receiver: {ack, fresh, NxtRx}.
pub const INIT_BITS: usize = POINTER_BITS + 2;
/// Bits of the code of a state.
pub const STATE_BITS: usize = 3;
/// Bits of RETRY_LIMIT and REINIT_LIMIT.
pub const LIMIT_BITS: usize = retry_cfg::limit::WIDTH;
const _: () = assert!(LIMIT_BITS == retry_cfg::reinit_limit::WIDTH);
/// Bits of a number of LTPs lost by a restart, at most 256.
pub const LOST_BITS: usize = 9;
