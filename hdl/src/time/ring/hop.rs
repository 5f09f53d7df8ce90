//! The second register of a hop.

use super::{AHEAD_BITS, CONTROL_BITS, HOLD_COPIES};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// A slot between two stops of one ring with S = 2; `W` bits of data. Chapter 20, 4.4 rules 6 and 7.
///
/// - Slot in to slot out: 1 clock, and nothing between the registers. All that the stop before tells of its slot comes along, since
///   it counts stops, not clocks: `own`, `stays` and its copies, `ahead`. Every copy has its own register, made of its own.
/// - `clear` empties the slot: no content, and nothing that keeps it from use.
#[derive(LogicBlock)]
pub struct HopRegister<const W: usize> {
    /// Ring clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear, common to all stops of a ring.
    pub clear: Signal<In, Bit>,
    /// Slot in: control bits.
    pub control_in: Signal<In, Bits<CONTROL_BITS>>,
    /// Slot in: data.
    pub data_in: Signal<In, Bits<W>>,
    /// The slot in is occupied and was inserted by the next stop.
    pub own_in: Signal<In, Bit>,
    /// The slot in is occupied and the next stop does not remove it.
    pub stays_in: Signal<In, Bit>,
    /// Copies of `stays_in`.
    pub holds_in: Signal<In, Bits<HOLD_COPIES>>,
    /// What is known of the slot in for stops to come.
    pub ahead_in: Signal<In, Bits<AHEAD_BITS>>,
    /// Slot out: control bits.
    pub control_out: Signal<Out, Bits<CONTROL_BITS>>,
    /// Slot out: data.
    pub data_out: Signal<Out, Bits<W>>,
    /// The slot out is occupied and was inserted by the next stop.
    pub own_out: Signal<Out, Bit>,
    /// The slot out is occupied and the next stop does not remove it.
    pub stays_out: Signal<Out, Bit>,
    /// Copies of `stays_out`.
    pub holds_out: Signal<Out, Bits<HOLD_COPIES>>,
    /// What is known of the slot out for stops to come.
    pub ahead_out: Signal<Out, Bits<AHEAD_BITS>>,

    control: Register<Bits<CONTROL_BITS>>,
    data: DFF<Bits<W>>,
    own: Register<Bit>,
    stays: Register<Bit>,
    holds: Register<Bits<HOLD_COPIES>>,
    ahead: DFF<Bits<AHEAD_BITS>>,
}

impl<const W: usize> Default for HopRegister<W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            control_in: Default::default(),
            data_in: Default::default(),
            own_in: Default::default(),
            stays_in: Default::default(),
            holds_in: Default::default(),
            ahead_in: Default::default(),
            control_out: Default::default(),
            data_out: Default::default(),
            own_out: Default::default(),
            stays_out: Default::default(),
            holds_out: Default::default(),
            ahead_out: Default::default(),
            control: Register::default(),
            data: Default::default(),
            own: Register::default(),
            stays: Register::default(),
            holds: Register::default(),
            ahead: Default::default(),
        }
    }
}

impl<const W: usize> Logic for HopRegister<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, data, ahead);
        self.control.clock.next = self.clock.val();
        self.control.clear.next = self.clear.val();
        self.control.enable.next = true;
        self.own.clock.next = self.clock.val();
        self.own.clear.next = self.clear.val();
        self.own.enable.next = true;
        self.stays.clock.next = self.clock.val();
        self.stays.clear.next = self.clear.val();
        self.stays.enable.next = true;
        self.holds.clock.next = self.clock.val();
        self.holds.clear.next = self.clear.val();
        self.holds.enable.next = true;

        self.control.d.next = self.control_in.val();
        self.data.d.next = self.data_in.val();
        self.own.d.next = self.own_in.val();
        self.stays.d.next = self.stays_in.val();
        self.holds.d.next = self.holds_in.val();
        self.ahead.d.next = self.ahead_in.val();

        self.control_out.next = self.control.q.val();
        self.data_out.next = self.data.q.val();
        self.own_out.next = self.own.q.val();
        self.stays_out.next = self.stays.q.val();
        self.holds_out.next = self.holds.q.val();
        self.ahead_out.next = self.ahead.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ring_hop", &[("data", W.to_string())])
    }
}

drive_ports!(impl[const W: usize] HopRegister<W> {
    clock, clear, control_in, data_in, own_in, stays_in, holds_in, ahead_in, control_out, data_out, own_out, stays_out,
    holds_out, ahead_out,
});
