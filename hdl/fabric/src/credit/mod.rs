//! `fab_credit_tx`, `fab_credit_rx`: nobody sends what the other end has no buffer for (chapter 10, 4.10).
//!
//! # The end that spends
//!
//! Counts for every virtual lane the AU it may fill. The first beat of an AU costs one; `credit` says, from registers alone, of which lanes the next
//! beat is paid or can be. It fits `credit`, `sent` and `sent_ends` of `fab_vl_tx`.
//!
//! - Credits come back in CrdtRet of the beats that are received, in any slots and any number of them, and in sideband messages, applied with
//!   the fourth LTP. They count 4 clocks after the beat, 5 after the LTP; what comes in one clock counts together.
//! - A lane that would come to hold more than 65535 AU keeps what it has, with an event `credit_ovf`.
//! - The credit table is taken over in 8 clocks; its entry 0 counts as 0. Table and vAU change in Down only.
//! - `clear`: no credits, no packet in progress.
//!
//! # The end that gives back
//!
//! Counts for every lane the AU of its buffer: granted, occupied, and pending, that is free and not given back. `arrived` is that of `fab_vl_rx`;
//! `released` says that the reader of a lane has emptied an AU.
//!
//! - A lane is due when an eighth of its buffer is pending, or anything, for CRDT_DELAY clocks. Then its largest possible credit code is
//!   searched, in 9 clocks, of all lanes that are due or for a sideband message of one in turn. A search begins 13 clocks after the one before, at the earliest.
//! - CrdtRet go into the last slot of a beat if it is Idle, else into a beat of their own, ahead of the next one; no beat waits longer than
//!   that. Latency of beats 1 clock, throughput one per clock. In mode 1 (`sideband`) they go only if more than two lanes are due.
//! - AU that come without a grant do not count, nor do those that are released without being there: `credit_ovf`. Tossed flits
//!   give back at once what they cost.
//! - `clear`: all of the buffer is pending, which is the first return of a link. `restart`: the same, but what is occupied stays so, in all lanes
//!   but those of `emptied`; what was in `arrived` 3 clocks before still counts as before. One of the two must be given before use.

mod config;
mod counter;
mod entry;
mod gain;
mod inserter;
mod occupancy;
mod progress;
mod receive;
mod returns;
mod transmit;

pub use config::CreditConfig;
pub use counter::{CreditCounter, CREDIT_BITS, PLACE_BITS};
pub use entry::{build_rx_as, build_tx_as, RX_ENTRY, TX_ENTRY};
pub use gain::{CreditGain, CODE_BITS, GAIN_BITS, SLOT_CODES_BITS, UNITS_BITS};
pub use inserter::CreditInserter;
pub use occupancy::{CreditOccupancy, DELAY_BITS};
pub use progress::CreditProgress;
pub use receive::CreditRx;
pub use returns::CreditReturns;
pub use transmit::{CreditTx, CODES_BITS, V_AU_BITS};
