//! A word of a buffer: a beat, and below it what the switch knows of it.
//!
//! | bits | |
//! |---|---|
//! | 0 | the beat begins a packet |
//! | 1 | the beat ends one |
//! | 2 | the end of a packet whose link died: it came without credit |
//! | 3 | the agent gave the output port |
//! | [8:4] | that port |
//! | from 9 | the beat |

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{control, tail_bad, BadReason, Opcode, DATA_BITS};
use flitforge_protocol::switch::PORT_BITS;

/// Bits below the beat.
pub const SIDE_BITS: usize = 4 + PORT_BITS;

/// What stands below the beat.
#[packed]
pub struct Side {
    /// The beat begins a packet.
    begins: Bit,
    /// The beat ends one.
    ends: Bit,
    /// The end of a packet whose link died: it came without credit.
    free: Bit,
    /// The agent gave the output port.
    directed: Bit,
    /// That port.
    output: Bits<PORT_BITS>,
}

/// A TailBad in slot 0 of a beat.
pub(crate) fn bad_end<const W: usize>(vl: usize, reason: BadReason, low: usize) -> Bits<W> {
    let payload = tail_bad::reason::FIELD.set(0, reason.code().into());
    let payload = tail_bad::vl::FIELD.set(payload, vl as u64);
    let flit = control::opcode::FIELD.set(payload, Opcode::TailBad.code().into());
    (0..DATA_BITS).fold(Bits::<W>::default(), |bits, bit| bits.replace_bit(low + bit, flit >> bit & 1 == 1))
}

/// The word that ends a packet whose link died.
pub(super) fn made_end<const W: usize>(vl: usize, reason: BadReason) -> Bits<W> {
    bad_end::<W>(vl, reason, SIDE_BITS).replace_bit(1, true).replace_bit(2, true)
}

const _: () = assert!(SIDE_BITS == 9, "the table above");
