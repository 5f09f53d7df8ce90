//! From a sequence number to what it adds to the FCS.

use crate::crc_bytes::plan::{register_after, BytesPlan};
use flitforge_protocol::sue::crc::ByteCrc;
use flitforge_protocol::sue::link_control::llr_sequence;

/// Bits of a sequence number, and one that says that there is one.
pub const INPUTS: usize = llr_sequence::seq::WIDTH + 1;

/// Which of [`INPUTS`] change each bit of what the first word of a frame adds: the register after the four octets is an affine function of them.
pub fn rows(plan: &BytesPlan) -> Vec<Vec<usize>> {
    let addend = |sequence: u64| {
        let octets = (llr_sequence::seq::FIELD.set(0, sequence) as u32).to_be_bytes();
        plan.addend(register_after(ByteCrc::Ethernet, ByteCrc::INITIAL, &octets))
    };
    let zero = addend(0);
    let mut columns: Vec<u32> = (0..llr_sequence::seq::WIDTH).map(|bit| addend(1 << bit) ^ zero).collect();
    columns.push(zero ^ plan.addend(ByteCrc::INITIAL));
    (0..ByteCrc::WIDTH)
        .map(|row| (0..INPUTS).filter(|input| columns[*input] >> row & 1 == 1).collect())
        .collect()
}
