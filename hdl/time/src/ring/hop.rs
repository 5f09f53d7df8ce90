//! The second register of a hop.

use super::{CONTROL_BITS, FORWARD_COPIES, LOOK_AHEAD_BITS};
use flitforge_hdl_prim::prelude::*;

/// A slot between two stops of one ring with S = 2; `W` bits of data. Chapter 20, 4.4 rules 6 and 7.
///
/// - Slot in to slot out: 1 clock, and nothing between the registers. All that the stop before tells of its slot comes along, since
///   it counts stops, not clocks: `own`, `forwards` and its copies, `look_ahead`. Every copy has its own register, made of its own.
/// - `clear` empties the slot: no content, and nothing that keeps it from use.
#[block("ring_hop", data = W)]
pub struct HopRegister<const W: usize> {
    /// Ring clock.
    clock: In<Clock>,
    /// Synchronous clear, common to all stops of a ring.
    clear: In<Bit>,
    /// Slot in: control bits.
    control_in: In<Bits<CONTROL_BITS>>,
    /// Slot in: data.
    data_in: In<Bits<W>>,
    /// The slot in is occupied and was inserted by the next stop.
    own_in: In<Bit>,
    /// The slot in is occupied and the next stop does not remove it.
    forwards_in: In<Bit>,
    /// Copies of `forwards_in`.
    forward_copies_in: In<Bits<FORWARD_COPIES>>,
    /// What is known of the slot in for stops to come.
    look_ahead_in: In<Bits<LOOK_AHEAD_BITS>>,
    /// Slot out: control bits.
    control_out: Out<Bits<CONTROL_BITS>>,
    /// Slot out: data.
    data_out: Out<Bits<W>>,
    /// The slot out is occupied and was inserted by the next stop.
    own_out: Out<Bit>,
    /// The slot out is occupied and the next stop does not remove it.
    forwards_out: Out<Bit>,
    /// Copies of `forwards_out`.
    forward_copies_out: Out<Bits<FORWARD_COPIES>>,
    /// What is known of the slot out for stops to come.
    look_ahead_out: Out<Bits<LOOK_AHEAD_BITS>>,

    control: Register<Bits<CONTROL_BITS>>,
    data: Reg<Bits<W>>,
    own: Register<Bit>,
    forwards: Register<Bit>,
    forward_copies: Register<Bits<FORWARD_COPIES>>,
    look_ahead: Reg<Bits<LOOK_AHEAD_BITS>>,
}

#[logic]
impl<const W: usize> HopRegister<W> {
    fn update(&mut self) {
        control = control_in;
        data = data_in;
        own = own_in;
        forwards = forwards_in;
        forward_copies = forward_copies_in;
        look_ahead = look_ahead_in;

        control_out = control;
        data_out = data;
        own_out = own;
        forwards_out = forwards;
        forward_copies_out = forward_copies;
        look_ahead_out = look_ahead;
    }
}
