//! One stop of one ring.

use super::{CONTROL_BITS, ID_BITS, TREES, WAIT_BITS};
use crate::prim::stream::{FlowOut, StreamIn};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::{slot_control as slot, SlotKind, SLOW_WAIT_MAX};
use rust_hdl::prelude::*;

/// Bits of a slot's kind.
const KIND_BITS: usize = slot::kind::WIDTH;
/// Cycles after which a High or a token that found no free slot is dropped: 2^16.
const LONG_WAIT_BITS: usize = SLOW_WAIT_MAX.trailing_zeros() as usize;

/// One stop of one ring; `W` bits of data, `I` = W + 5 bits of an insertion. Chapter 20, 4.4 rules 1 to 5.
///
/// - Slot in to slot out: 1 clock. A slot whose source is this stop is removed, and one that the monitor has marked before. The stop
///   before says so: `own_in` that it was inserted here, `stays_in` that it is occupied and not to be removed. So nothing but
///   this one bit and a look-up table stand between the ring registers of two stops; what an empty slot carries means nothing.
/// - Insertion {data `W`, parity, tree, kind}: taken in a clock in which the slot that comes in is empty or removed;
///   it stands in the ring register 1 clock later with `own_id` as its source. `parity` is that of data, tree and kind. A Low that waited `w`
///   clocks carries `w`; one that would wait longer than `wait_max`, and anything else that waits 2^16 clocks, is
///   taken and dropped (`wait_over`).
/// - Copy: 2 clocks after the slot came in (1 after arrival), of every Low and High of the trees in `copy_trees`.
/// - `monitor` (stop 0): marks what it forwards, removes what it marked before (`orphan`).
/// - `clear` empties the slot and the copy and forgets waits; `insert.ready` is low.
#[derive(LogicBlock)]
pub struct RingStop<const W: usize, const I: usize> {
    /// Ring clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear, common to all stops of a ring.
    pub clear: Signal<In, Bit>,
    /// Stop that an insertion comes from: this one, but for a token on its way back.
    pub own_id: Signal<In, Bits<ID_BITS>>,
    /// Parity of `own_id`.
    pub own_parity: Signal<In, Bit>,
    /// `own_id` is the stop that the slot goes to next.
    pub own_is_next: Signal<In, Bit>,
    /// Number of the stop that the slot goes to next.
    pub next_id: Signal<In, Bits<ID_BITS>>,
    /// This stop is the monitor.
    pub monitor: Signal<In, Bit>,
    /// The stop that the slot goes to next is the monitor.
    pub next_is_monitor: Signal<In, Bit>,
    /// RING_WAIT_MAX, 1 to 15 clocks.
    pub wait_max: Signal<In, Bits<WAIT_BITS>>,
    /// Trees whose slots are copied.
    pub copy_trees: Signal<In, Bits<TREES>>,
    /// Slot in: control bits.
    pub control_in: Signal<In, Bits<CONTROL_BITS>>,
    /// Slot in: data.
    pub data_in: Signal<In, Bits<W>>,
    /// The slot in is occupied and was inserted here.
    pub own_in: Signal<In, Bit>,
    /// The slot in is occupied and goes on: no insertion.
    pub stays_in: Signal<In, Bit>,
    /// Slot out: control bits.
    pub control_out: Signal<Out, Bits<CONTROL_BITS>>,
    /// Slot out: data.
    pub data_out: Signal<Out, Bits<W>>,
    /// The slot out is occupied and was inserted by the next stop.
    pub own_out: Signal<Out, Bit>,
    /// The slot out is occupied and the next stop does not remove it.
    pub stays_out: Signal<Out, Bit>,
    /// {data, parity, tree, kind} to insert.
    pub insert: StreamIn<Bits<I>>,
    /// Data of a copied slot.
    pub copy: FlowOut<Bits<W>>,
    /// Control bits of the copied slot.
    pub copy_control: Signal<Out, Bits<CONTROL_BITS>>,
    /// An insertion found no free slot in this clock.
    pub busy: Signal<Out, Bit>,
    /// An insertion was dropped.
    pub wait_over: Signal<Out, Bit>,
    /// The monitor removed a slot.
    pub orphan: Signal<Out, Bit>,

    control: DFF<Bits<CONTROL_BITS>>,
    data: DFF<Bits<W>>,
    own: DFF<Bit>,
    stays: DFF<Bit>,
    copy_valid: DFF<Bit>,
    copied_control: DFF<Bits<CONTROL_BITS>>,
    copied_data: DFF<Bits<W>>,
    waited: DFF<Bits<WAIT_BITS>>,
    waited_parity: DFF<Bit>,
    long_wait: DFF<Bits<LONG_WAIT_BITS>>,
    expired: DFF<Bit>,
    busy_now: DFF<Bit>,
    over_now: DFF<Bit>,
    orphan_now: DFF<Bit>,

    occupied: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    may_enter: Signal<Local, Bit>,
    enter: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    next_owns: Signal<Local, Bit>,
    next_slot: Signal<Local, Bits<CONTROL_BITS>>,
    kind: Signal<Local, Bits<KIND_BITS>>,
    tree: Signal<Local, Bits<2>>,
    is_low: Signal<Local, Bit>,
    more: Signal<Local, Bits<WAIT_BITS>>,
    entering: Signal<Local, Bits<CONTROL_BITS>>,
    forwarded: Signal<Local, Bits<CONTROL_BITS>>,
    parity: Signal<Local, Bit>,
    source: Signal<Local, Bits<ID_BITS>>,
    held_kind: Signal<Local, Bits<KIND_BITS>>,
    held_tree: Signal<Local, Bits<2>>,
    is_time: Signal<Local, Bit>,
    low_kind: Constant<Bits<KIND_BITS>>,
    high_kind: Constant<Bits<KIND_BITS>>,
    occupied_bit: Constant<Bits<CONTROL_BITS>>,
    monitor_bit: Constant<Bits<CONTROL_BITS>>,
}

impl<const W: usize, const I: usize> Default for RingStop<W, I> {
    fn default() -> Self {
        let bit = |low: usize| Constant::new(Bits::<CONTROL_BITS>::default().replace_bit(low, true));
        Self {
            clock: Default::default(),
            clear: Default::default(),
            own_id: Default::default(),
            own_parity: Default::default(),
            own_is_next: Default::default(),
            next_id: Default::default(),
            monitor: Default::default(),
            next_is_monitor: Default::default(),
            wait_max: Default::default(),
            copy_trees: Default::default(),
            control_in: Default::default(),
            data_in: Default::default(),
            own_in: Default::default(),
            stays_in: Default::default(),
            control_out: Default::default(),
            data_out: Default::default(),
            own_out: Default::default(),
            stays_out: Default::default(),
            insert: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            busy: Default::default(),
            wait_over: Default::default(),
            orphan: Default::default(),
            control: Default::default(),
            data: Default::default(),
            own: Default::default(),
            stays: Default::default(),
            copy_valid: Default::default(),
            copied_control: Default::default(),
            copied_data: Default::default(),
            waited: Default::default(),
            waited_parity: Default::default(),
            long_wait: Default::default(),
            expired: Default::default(),
            busy_now: Default::default(),
            over_now: Default::default(),
            orphan_now: Default::default(),
            occupied: Default::default(),
            again: Default::default(),
            may_enter: Default::default(),
            enter: Default::default(),
            goes_on: Default::default(),
            next_owns: Default::default(),
            next_slot: Default::default(),
            kind: Default::default(),
            tree: Default::default(),
            is_low: Default::default(),
            more: Default::default(),
            entering: Default::default(),
            forwarded: Default::default(),
            parity: Default::default(),
            source: Default::default(),
            held_kind: Default::default(),
            held_tree: Default::default(),
            is_time: Default::default(),
            low_kind: Constant::new(u64::from(SlotKind::Low.code()).into()),
            high_kind: Constant::new(u64::from(SlotKind::High.code()).into()),
            occupied_bit: bit(slot::v::LOW),
            monitor_bit: bit(slot::mon::LOW),
        }
    }
}

impl<const W: usize, const I: usize> Logic for RingStop<W, I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, control, data, own, stays, copy_valid, copied_control, copied_data);
        dff_setup!(self, clock, waited, waited_parity, long_wait, expired, busy_now, over_now, orphan_now);

        // The slot that comes in: gone on, or free for an insertion.
        self.occupied.next = self.control_in.val().get_bit(12);
        self.again.next = self.monitor.val() & self.control_in.val().get_bit(10);
        self.may_enter.next = self.insert.valid.val() & !self.expired.q.val();
        self.enter.next = self.may_enter.val() & !self.stays_in.val();
        self.goes_on.next = self.stays_in.val() & self.occupied.val();
        self.insert.ready.next = (!self.stays_in.val() | self.expired.q.val()) & !self.clear.val();

        // What an insertion looks like in the ring.
        self.kind.next = self.insert.data.val().get_bits::<2>(0);
        self.is_low.next = self.kind.val() == self.low_kind.val();
        self.parity.next =
            self.insert.data.val().get_bit(4) ^ self.own_parity.val() ^ self.waited_parity.q.val();
        self.tree.next = self.insert.data.val().get_bits::<2>(2);
        self.entering.next = (self.occupied_bit.val()
            | bit_cast::<CONTROL_BITS, 6>(self.own_id.val())
            | (bit_cast::<CONTROL_BITS, 2>(self.tree.val()) << 6)
            | (bit_cast::<CONTROL_BITS, 2>(self.kind.val()) << 8)
            | (bit_cast::<CONTROL_BITS, 4>(self.waited.q.val()) << 13))
            .replace_bit(11, self.parity.val());
        self.forwarded.next = self.control_in.val();
        if self.monitor.val() {
            self.forwarded.next = self.control_in.val() | self.monitor_bit.val();
        }

        // The ring register. Whether an insertion is there decides about the slot, not about its content.
        if self.stays_in.val() {
            self.next_slot.next = self.forwarded.val();
            self.data.d.next = self.data_in.val();
        } else {
            self.next_slot.next = self.entering.val().replace_bit(12, self.may_enter.val());
            self.data.d.next = self.insert.data.val().get_bits::<W>(5);
        }
        self.control.d.next = self.next_slot.val();

        // What the next stop is told of it.
        self.source.next = self.control_in.val().get_bits::<6>(0);
        self.next_owns.next = self.source.val() == self.next_id.val();
        self.own.d.next =
            (self.goes_on.val() & self.next_owns.val()) | (self.enter.val() & self.own_is_next.val());
        self.stays.d.next = (self.goes_on.val()
            & !self.next_owns.val()
            & !(self.next_is_monitor.val() & self.forwarded.val().get_bit(10)))
            | (self.enter.val() & !self.own_is_next.val());

        // Waiting.
        self.more.next = self.waited.q.val() + 1;
        self.expired.d.next = false;
        if self.may_enter.val() & self.stays_in.val() {
            self.long_wait.d.next = self.long_wait.q.val() + 1;
            self.expired.d.next = self.long_wait.q.val().all();
            if self.is_low.val() {
                self.waited.d.next = self.more.val();
                self.waited_parity.d.next = self.more.val().xor();
                self.expired.d.next = self.waited.q.val() == self.wait_max.val();
            }
        } else {
            self.waited.d.next = 0.into();
            self.waited_parity.d.next = false;
            self.long_wait.d.next = 0.into();
        }
        self.busy_now.d.next = self.may_enter.val() & self.stays_in.val();
        self.over_now.d.next = self.insert.valid.val() & self.expired.q.val();
        self.orphan_now.d.next = self.occupied.val() & self.again.val() & !self.own_in.val();

        // The copy register.
        self.held_kind.next = self.control.q.val().get_bits::<2>(8);
        self.held_tree.next = self.control.q.val().get_bits::<2>(6);
        self.is_time.next =
            (self.held_kind.val() == self.low_kind.val()) | (self.held_kind.val() == self.high_kind.val());
        self.copy_valid.d.next = self.control.q.val().get_bit(12)
            & self.is_time.val()
            & self.copy_trees.val().get_bit(self.held_tree.val().index());
        self.copied_control.d.next = self.control.q.val();
        self.copied_data.d.next = self.data.q.val();

        if self.clear.val() {
            self.control.d.next = self.next_slot.val().replace_bit(12, false);
            self.own.d.next = false;
            self.stays.d.next = false;
            self.copy_valid.d.next = false;
            self.waited.d.next = 0.into();
            self.waited_parity.d.next = false;
            self.long_wait.d.next = 0.into();
            self.expired.d.next = false;
            self.busy_now.d.next = false;
            self.over_now.d.next = false;
            self.orphan_now.d.next = false;
        }

        self.control_out.next = self.control.q.val();
        self.data_out.next = self.data.q.val();
        self.own_out.next = self.own.q.val();
        self.stays_out.next = self.stays.q.val();
        self.copy.valid.next = self.copy_valid.q.val();
        self.copy.data.next = self.copied_data.q.val();
        self.copy_control.next = self.copied_control.q.val();
        self.busy.next = self.busy_now.q.val();
        self.wait_over.next = self.over_now.q.val();
        self.orphan.next = self.orphan_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ring_stop", &[("data", W.to_string())])
    }
}

// The positions written as numbers in `update` are those of the slot's layout.
const _: () = assert!(slot::src::LOW == 0 && slot::src::WIDTH == 6 && slot::tree::LOW == 6);
const _: () = assert!(slot::kind::LOW == 8 && slot::mon::LOW == 10 && slot::par::LOW == 11);
const _: () = assert!(SLOW_WAIT_MAX.is_power_of_two());
const _: () = assert!(slot::v::LOW == 12 && slot::wait::LOW == 13 && slot::wait::WIDTH == 4);

drive_ports!(impl[const W: usize, const I: usize] RingStop<W, I> {
    clock, clear, own_id, own_parity, own_is_next, next_id, monitor, next_is_monitor, wait_max, copy_trees, control_in, data_in,
    own_in, stays_in, control_out, data_out, own_out, stays_out, insert, copy, copy_control, busy, wait_over, orphan,
});
