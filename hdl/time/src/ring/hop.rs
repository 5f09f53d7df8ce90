//! The second register of a hop.

use super::{AHEAD_BITS, CONTROL_BITS, HOLD_COPIES};
use flitforge_hdl_prim::prelude::*;

/// A slot between two stops of one ring with S = 2; `W` bits of data. Chapter 20, 4.4 rules 6 and 7.
///
/// - Slot in to slot out: 1 clock, and nothing between the registers. All that the stop before tells of its slot comes along, since
///   it counts stops, not clocks: `own`, `stays` and its copies, `ahead`. Every copy has its own register, made of its own.
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
    stays_in: In<Bit>,
    /// Copies of `stays_in`.
    holds_in: In<Bits<HOLD_COPIES>>,
    /// What is known of the slot in for stops to come.
    ahead_in: In<Bits<AHEAD_BITS>>,
    /// Slot out: control bits.
    control_out: Out<Bits<CONTROL_BITS>>,
    /// Slot out: data.
    data_out: Out<Bits<W>>,
    /// The slot out is occupied and was inserted by the next stop.
    own_out: Out<Bit>,
    /// The slot out is occupied and the next stop does not remove it.
    stays_out: Out<Bit>,
    /// Copies of `stays_out`.
    holds_out: Out<Bits<HOLD_COPIES>>,
    /// What is known of the slot out for stops to come.
    ahead_out: Out<Bits<AHEAD_BITS>>,

    control: Register<Bits<CONTROL_BITS>>,
    data: Reg<Bits<W>>,
    own: Register<Bit>,
    stays: Register<Bit>,
    holds: Register<Bits<HOLD_COPIES>>,
    ahead: Reg<Bits<AHEAD_BITS>>,
}

#[logic]
impl<const W: usize> HopRegister<W> {
    fn update(&mut self) {
        control = control_in;
        data = data_in;
        own = own_in;
        stays = stays_in;
        holds = holds_in;
        ahead = ahead_in;

        control_out = control;
        data_out = data;
        own_out = own;
        stays_out = stays;
        holds_out = holds;
        ahead_out = ahead;
    }
}
