//! One stop of one ring.

use super::fields::{LookAhead, Offer, SlotControl, SlotKind};
use super::wait::RingWait;
use super::{
    ring_label, CONTROL_BITS, FORWARD_COPIES, ID_BITS, INSERT_EXTRA_BITS, LOOK_AHEAD_BITS, TREES, WAIT_BITS,
};
use flitforge_hdl_prim::prelude::*;

/// Half of the bits of a stop's number.
const HALF: usize = ID_BITS / 2;
const EVERY_ID_BIT: u64 = (1 << ID_BITS) - 1;
const EVERY_LOOK_AHEAD_BIT: u64 = (1 << LOOK_AHEAD_BITS) - 1;

/// One stop of one ring; `W` bits of data, `I` = W + 5 bits of an insertion. Chapter 20, 4.4 rules 1 to 5.
///
/// - Slot in to slot out: 1 clock. A slot whose source is this stop is removed, and one that the monitor has marked before. The stop
///   before says so: `own_in` that it was inserted here, `forwards_in` that it is occupied and not to be removed. So nothing but
///   this one bit and a look-up table stand between the ring registers of two stops; what an empty slot carries means nothing.
///   For short wires it has copies for the data, `forward_copies_in`, one for each third of the bits. `forwards` and its copies go round: each comes
///   from another one of the stop before. So no two are made of the same and the tools leave each a register of its own; they
///   say the same all the time, and an upset of one is gone five stops on.
/// - `look_ahead` prepares these bits three hops ahead, a look-up table for each hop: {it is a Low or High; not to be removed by the second
///   stop from here; its source is that one; upper, lower half of its source are those of the third}.
/// - Insertion {data `W`, parity, tree, kind}: taken in a clock in which the slot that comes in is empty or removed;
///   it stands in the ring register 1 clock later with `own_id` as its source. `parity` is that of data, tree and kind. A Low that waited `w`
///   clocks carries `w`; one that would wait longer than `wait_max`, and anything else that waits 2^16 clocks, is
///   taken and dropped (`wait_over`). Until it is taken it holds still; a High or token may give way to a Low.
/// - Copy: 2 clocks after the slot came in (1 after arrival), of every Low and High of the trees in `copy_trees`.
/// - `monitor` (stop 0): marks what it forwards, removes what it marked before (`orphan`).
/// - `clear` empties the slot and the copy and forgets waits; `insert.ready` is low.
/// - With `E` = 1 the ring has several edges per core clock (rule 2): an insertion is first tried at a core edge, a Low at core edges
///   only, the others at every edge from then on; waits count from the first try, in ring clocks. `insert.ready` hangs on `core_edge` and the
///   kind then.
#[block]
pub struct RingStop<const W: usize, const I: usize, const E: usize = 0> {
    /// Ring clock.
    clock: In<Clock>,
    /// Synchronous clear, common to all stops of a ring.
    clear: In<Bit>,
    /// Stop that an insertion comes from: this one, but for a token on its way back.
    own_id: In<Bits<ID_BITS>>,
    /// Parity of `own_id`.
    own_parity: In<Bit>,
    /// `own_id` is the stop that the slot goes to next.
    own_is_next: In<Bit>,
    /// Number of the second stop that the slot goes to.
    second_id: In<Bits<ID_BITS>>,
    /// Number of the third stop that the slot goes to.
    third_id: In<Bits<ID_BITS>>,
    /// This stop is the monitor.
    monitor: In<Bit>,
    /// The second stop that the slot goes to is the monitor.
    second_is_monitor: In<Bit>,
    /// RING_WAIT_MAX, 1 to 15 clocks.
    wait_max: In<Bits<WAIT_BITS>>,
    /// Trees whose slots are copied.
    copy_trees: In<Bits<TREES>>,
    /// The edge that ends this clock is a core edge, too.
    core_edge: [In<Bit>; E],
    /// Slot in: control bits.
    control_in: In<Bits<CONTROL_BITS>>,
    /// Slot in: data.
    data_in: In<Bits<W>>,
    /// The slot in is occupied and was inserted here.
    own_in: In<Bit>,
    /// The slot in is occupied and goes on: no insertion.
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
    /// {data, parity, tree, kind} to insert.
    pub insert: StreamIn<Bits<I>>,
    /// Data of a copied slot.
    pub copy: FlowOut<Bits<W>>,
    /// Control bits of the copied slot.
    copy_control: Out<Bits<CONTROL_BITS>>,
    /// An insertion found no free slot in this clock.
    busy: Out<Bit>,
    /// An insertion was dropped.
    wait_over: Out<Bit>,
    /// The monitor removed a slot.
    orphan: Out<Bit>,

    control: Reg<SlotControl>,
    data: Reg<Bits<W>>,
    own: Register<Bit>,
    forwards: Register<Bit>,
    forward_copies: Register<Bits<FORWARD_COPIES>>,
    look_ahead: Reg<LookAhead>,
    copy_valid: Register<Bit>,
    copied_control: Reg<SlotControl>,
    copied_data: Reg<Bits<W>>,
    // A Low waits.
    low_waits: Register<Bit>,
    // No insertion waits.
    #[init(true)]
    idle: Register<Bit>,
    over_now: Register<Bit>,
    orphan_now: Register<Bit>,
    #[wire(clock, idle, low_waits, wait_max)]
    waiting: RingWait,
    #[init(|copy| third_of(copy))]
    third: [Constant<Bits<W>>; FORWARD_COPIES],
}

/// The bits of the data that a copy of `forwards` decides about.
fn third_of<const W: usize>(copy: usize) -> Bits<W> {
    let own = (0..W).filter(|bit| bit * FORWARD_COPIES / W == copy);
    own.fold(Bits::default(), |bits, bit| bits.replace_bit(bit, true))
}

#[logic]
impl<const W: usize, const I: usize, const E: usize> RingStop<W, I, E> {
    fn update(&mut self) {
        // The slot that comes in goes on, or it is free for an insertion.
        let slot: SlotControl = control_in.into();
        let known: LookAhead = look_ahead_in.into();
        let goes_on = forwards_in & slot.v;
        let marked = monitor | slot.mon;
        orphan_now = slot.v & monitor & slot.mon & !own_in;

        // The insertion: whether it is tried in this clock, and enters.
        let offer: Offer = insert.data[0..INSERT_EXTRA_BITS].into();
        let is_low = offer.kind == SlotKind::Low;
        let expired = waiting.over;
        let wanted = insert.valid & !expired;
        let mut tries: Bit = true;
        for i in 0..E {
            tries = core_edge[i] | (!is_low & !idle);
        }
        let may_enter = wanted & tries;
        let enter = may_enter & !forwards_in;
        insert.ready = ((!forwards_in & tries) | expired) & !clear;
        over_now = insert.valid & expired;

        // It waits. What hangs on `forwards_in` says only that it goes on; clocks are counted after that.
        let mut waits = may_enter & forwards_in;
        low_waits = forward_copies_in[0] & may_enter & is_low;
        for i in 0..E {
            waits = wanted & !enter & (core_edge[i] | !idle);
            low_waits = waits & is_low & (core_edge[i] | low_waits);
        }
        idle = !waits;
        waiting.is_low = is_low;

        self.insert_slot(slot, goes_on, marked, offer, enter);

        // What the stops to come are told of it.
        let is_second = known.low_is_third & known.high_is_third;
        let keeps = (second_is_monitor & !marked) | (!second_is_monitor & slot.v);
        let own_is_second = own_id == second_id;
        let timed = may_enter & Self::is_timed(offer.kind);
        let of_slot = Self::told(slot.src, third_id, is_second, !is_second & keeps, known.timed);
        let of_new = Self::told(own_id, third_id, own_is_second, !own_is_second, timed);
        let told = Self::either(forwards_in, of_slot, of_new);
        look_ahead = told;
        if clear {
            look_ahead.timed = false;
        }
        own = (goes_on & known.second_is_source) | (enter & own_is_next);
        let enters = may_enter & !own_is_next;
        forward_copies = cat(
            Self::chosen(forwards_in, known.second_keeps, enters),
            Self::chosen(forward_copies_in[0], known.second_keeps, enters),
            Self::chosen(forward_copies_in[1], known.second_keeps, enters),
        );
        forwards = Self::chosen(forward_copies_in[2], known.second_keeps, enters);

        // The copy register.
        let held_tree = control.tree;
        copy_valid = look_ahead.timed & copy_trees[held_tree];
        copied_control = control;
        copied_data = data;

        control_out = control.into();
        data_out = data;
        own_out = own;
        forwards_out = forwards;
        forward_copies_out = forward_copies;
        look_ahead_out = look_ahead.into();
        copy = In { valid: copy_valid, data: copied_data };
        copy_control = copied_control.into();
        busy = !idle;
        wait_over = over_now;
        orphan = orphan_now;
    }

    /// The ring register. Whether an insertion is there decides about the slot, not about its content.
    fn insert_slot(&mut self, slot: SlotControl, goes_on: Bit, marked: Bit, offer: Offer, enter: Bit) {
        let par = offer.parity ^ own_parity ^ waiting.parity;
        let inserted = SlotControl {
            src: own_id,
            tree: offer.tree,
            kind: offer.kind,
            mon: false,
            par,
            v: false,
            wait: waiting.waited,
        };
        control = if forwards_in { slot } else { inserted };
        control.src = Self::source(forwards_in, slot.src, own_id);
        control.mon = forwards_in & marked;
        control.v = goes_on | enter;
        if clear {
            control.v = false;
        }
        let mut held: Bits<W> = 0;
        for i in 0..FORWARD_COPIES {
            if forward_copies_in[i] {
                held = held | third[i];
            }
        }
        data = (data_in & held) | (insert.data.bits::<W>(INSERT_EXTRA_BITS) & !held);
    }

    /// A Low or a High.
    fn is_timed(kind: SlotKind) -> Bit {
        match kind {
            SlotKind::Low | SlotKind::High => true,
            SlotKind::None | SlotKind::Token => false,
        }
    }

    /// What is told of a slot of this source.
    fn told(src: Bits<ID_BITS>, third: Bits<ID_BITS>, is_second: Bit, kept: Bit, timed: Bit) -> LookAhead {
        let off = src ^ third;
        let low = !off[0..HALF].any();
        let high = !off[HALF..ID_BITS].any();
        LookAhead {
            low_is_third: low,
            high_is_third: high,
            second_is_source: is_second,
            second_keeps: kept,
            timed,
        }
    }

    // What may be constant on one side is chosen by masks: of a choice the tools make set or reset inputs of registers, which are slower
    // and have no place beside the others.

    fn chosen(forwards: Bit, kept: Bit, new: Bit) -> Bit {
        (forwards & kept) | (!forwards & new)
    }

    fn source(forwards: Bit, kept: Bits<ID_BITS>, new: Bits<ID_BITS>) -> Bits<ID_BITS> {
        let mask: Bits<ID_BITS> = if forwards { EVERY_ID_BIT } else { 0 };
        (kept & mask) | (new & !mask)
    }

    fn either(forwards: Bit, kept: LookAhead, new: LookAhead) -> LookAhead {
        let of_kept: Bits<LOOK_AHEAD_BITS> = kept.into();
        let of_new: Bits<LOOK_AHEAD_BITS> = new.into();
        let mask: Bits<LOOK_AHEAD_BITS> = if forwards { EVERY_LOOK_AHEAD_BIT } else { 0 };
        let bits = (of_kept & mask) | (of_new & !mask);
        bits.into()
    }

    fn timing(&self) -> Vec<TimingInfo> {
        ring_label("ring_stop", &[("data", W.to_string())], [("core_edges", E), ("", 0)])
    }
}
