//! One stop of one ring.

use super::{ring_label, AHEAD_BITS, CONTROL_BITS, HOLD_COPIES, ID_BITS, TREES, WAIT_BITS};
use crate::prim::stream::{FlowOut, StreamIn};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_protocol::time_ring::{slot_control as slot, SlotKind, SLOW_WAIT_MAX};

/// Bits of a slot's kind.
const KIND_BITS: usize = slot::kind::WIDTH;
/// Control bits above the source.
const REST_BITS: usize = CONTROL_BITS - ID_BITS;
/// Cycles after which a High or a token that found no free slot is dropped: 2^16.
const LONG_WAIT_BITS: usize = SLOW_WAIT_MAX.trailing_zeros() as usize;
/// Half of the bits of a number.
const HALF: usize = ID_BITS / 2;
/// Half of the bits of clocks waited.
const LONG_HALF: usize = LONG_WAIT_BITS / 2;
/// Lower half of the clocks waited, four clocks before they are 2^16.
const NEAR_END: u64 = (SLOW_WAIT_MAX as u64 - 4) & 0xFF;

/// One stop of one ring; `W` bits of data, `I` = W + 5 bits of an insertion. Chapter 20, 4.4 rules 1 to 5.
///
/// - Slot in to slot out: 1 clock. A slot whose source is this stop is removed, and one that the monitor has marked before. The stop
///   before says so: `own_in` that it was inserted here, `stays_in` that it is occupied and not to be removed. So nothing but
///   this one bit and a look-up table stand between the ring registers of two stops; what an empty slot carries means nothing.
///   For short wires it has copies for the data, `holds_in`, one for each third of the bits. `stays` and its copies go round: each comes
///   from another one of the stop before. So no two are made of the same and the tools leave each a register of its own; they
///   say the same all the time, and an upset of one is gone five stops on.
/// - `ahead` prepares these bits three hops ahead, a look-up table for each hop: {it is a Low or High; not to be removed by the second
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
#[derive(LogicBlock)]
pub struct RingStop<const W: usize, const I: usize, const E: usize = 0> {
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
    /// Number of the second stop that the slot goes to.
    pub second_id: Signal<In, Bits<ID_BITS>>,
    /// Number of the third stop that the slot goes to.
    pub third_id: Signal<In, Bits<ID_BITS>>,
    /// This stop is the monitor.
    pub monitor: Signal<In, Bit>,
    /// The second stop that the slot goes to is the monitor.
    pub second_is_monitor: Signal<In, Bit>,
    /// RING_WAIT_MAX, 1 to 15 clocks.
    pub wait_max: Signal<In, Bits<WAIT_BITS>>,
    /// Trees whose slots are copied.
    pub copy_trees: Signal<In, Bits<TREES>>,
    /// The edge that ends this clock is a core edge, too.
    pub core_edge: [Signal<In, Bit>; E],
    /// Slot in: control bits.
    pub control_in: Signal<In, Bits<CONTROL_BITS>>,
    /// Slot in: data.
    pub data_in: Signal<In, Bits<W>>,
    /// The slot in is occupied and was inserted here.
    pub own_in: Signal<In, Bit>,
    /// The slot in is occupied and goes on: no insertion.
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
    holds: Register<Bits<HOLD_COPIES>>,
    ahead: DFF<Bits<AHEAD_BITS>>,
    copy_valid: DFF<Bit>,
    copied_control: DFF<Bits<CONTROL_BITS>>,
    copied_data: DFF<Bits<W>>,
    // A Low waits; clocks it has waited then, their parity, and whether there may be no more of them.
    low_waits: DFF<Bit>,
    wait_count: DFF<Bits<WAIT_BITS>>,
    wait_parity: DFF<Bit>,
    wait_full: DFF<Bit>,
    // If an insertion waits: it has waited long enough; it has if it is no Low and goes on waiting.
    was_last: DFF<Bit>,
    was_nearly: DFF<Bit>,
    // Clocks waited without the last one, in two parts with a carry between, and whether they are nearly too many.
    long_low: DFF<Bits<LONG_HALF>>,
    long_carry: DFF<Bit>,
    long_high: DFF<Bits<LONG_HALF>>,
    long_end: DFF<Bit>,
    long_nearly: DFF<Bit>,
    // No insertion waits.
    idle: Register<Bit>,
    over_now: DFF<Bit>,
    orphan_now: DFF<Bit>,

    occupied: Signal<Local, Bit>,
    again: Signal<Local, Bit>,
    marked: Signal<Local, Bit>,
    expired: Signal<Local, Bit>,
    may_enter: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    enter: Signal<Local, Bit>,
    arrives: Signal<Local, Bit>,
    hold_before: Signal<Local, Bits<HOLD_COPIES>>,
    stay_mask: Signal<Local, Bits<HOLD_COPIES>>,
    arrive_mask: Signal<Local, Bits<HOLD_COPIES>>,
    held_third: [Signal<Local, Bits<W>>; HOLD_COPIES],
    held: Signal<Local, Bits<W>>,
    id_mask: Signal<Local, Bits<ID_BITS>>,
    timed: Signal<Local, Bit>,
    next_ahead: Signal<Local, Bits<AHEAD_BITS>>,
    source: Signal<Local, Bits<ID_BITS>>,
    source_low: Signal<Local, Bits<HALF>>,
    source_high: Signal<Local, Bits<HALF>>,
    own_low: Signal<Local, Bits<HALF>>,
    own_high: Signal<Local, Bits<HALF>>,
    third_low: Signal<Local, Bits<HALF>>,
    third_high: Signal<Local, Bits<HALF>>,
    own_is_second: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    like_low: Signal<Local, Bit>,
    like_high: Signal<Local, Bit>,
    kind: Signal<Local, Bits<KIND_BITS>>,
    tree: Signal<Local, Bits<2>>,
    is_low: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    waited: Signal<Local, Bits<WAIT_BITS>>,
    wait_mask: Signal<Local, Bits<WAIT_BITS>>,
    more: Signal<Local, Bits<WAIT_BITS>>,
    entering: Signal<Local, Bits<REST_BITS>>,
    rest: Signal<Local, Bits<REST_BITS>>,
    next_rest: Signal<Local, Bits<REST_BITS>>,
    next_slot: Signal<Local, Bits<CONTROL_BITS>>,
    parity: Signal<Local, Bit>,
    held_tree: Signal<Local, Bits<2>>,
    tries: [Signal<Local, Bit>; E],
    goes_on_waiting: [Signal<Local, Bit>; E],
    low_kind: Constant<Bits<KIND_BITS>>,
    third: [Constant<Bits<W>>; HOLD_COPIES],
    every_hold: Constant<Bits<HOLD_COPIES>>,
    every_id_bit: Constant<Bits<ID_BITS>>,
    every_wait_bit: Constant<Bits<WAIT_BITS>>,
    near_end: Constant<Bits<LONG_HALF>>,
}

/// The bits of the data that a copy of `stays` decides about.
fn third_of<const W: usize>(copy: usize) -> Bits<W> {
    let own = (0..W).filter(|bit| bit * HOLD_COPIES / W == copy);
    own.fold(Bits::default(), |bits, bit| bits.replace_bit(bit, true))
}

impl<const W: usize, const I: usize, const E: usize> Default for RingStop<W, I, E> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            own_id: Default::default(),
            own_parity: Default::default(),
            own_is_next: Default::default(),
            second_id: Default::default(),
            third_id: Default::default(),
            monitor: Default::default(),
            second_is_monitor: Default::default(),
            wait_max: Default::default(),
            copy_trees: Default::default(),
            core_edge: defaults(),
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
            holds: Register::default(),
            ahead: Default::default(),
            copy_valid: Default::default(),
            copied_control: Default::default(),
            copied_data: Default::default(),
            low_waits: Default::default(),
            wait_count: Default::default(),
            wait_parity: Default::default(),
            wait_full: Default::default(),
            was_last: Default::default(),
            was_nearly: Default::default(),
            long_low: Default::default(),
            long_carry: Default::default(),
            long_high: Default::default(),
            long_end: Default::default(),
            long_nearly: Default::default(),
            idle: Register::new(true),
            over_now: Default::default(),
            orphan_now: Default::default(),
            occupied: Default::default(),
            again: Default::default(),
            marked: Default::default(),
            expired: Default::default(),
            may_enter: Default::default(),
            goes_on: Default::default(),
            enter: Default::default(),
            arrives: Default::default(),
            hold_before: Default::default(),
            stay_mask: Default::default(),
            arrive_mask: Default::default(),
            held_third: Default::default(),
            held: Default::default(),
            id_mask: Default::default(),
            timed: Default::default(),
            next_ahead: Default::default(),
            source: Default::default(),
            source_low: Default::default(),
            source_high: Default::default(),
            own_low: Default::default(),
            own_high: Default::default(),
            third_low: Default::default(),
            third_high: Default::default(),
            own_is_second: Default::default(),
            kept: Default::default(),
            leaves: Default::default(),
            like_low: Default::default(),
            like_high: Default::default(),
            kind: Default::default(),
            tree: Default::default(),
            is_low: Default::default(),
            is_last: Default::default(),
            waited: Default::default(),
            wait_mask: Default::default(),
            more: Default::default(),
            entering: Default::default(),
            rest: Default::default(),
            next_rest: Default::default(),
            next_slot: Default::default(),
            parity: Default::default(),
            held_tree: Default::default(),
            tries: defaults(),
            goes_on_waiting: defaults(),
            low_kind: Constant::new(u64::from(SlotKind::Low.code()).into()),
            third: std::array::from_fn(|copy| Constant::new(third_of(copy))),
            every_hold: Constant::new((u64::MAX >> (64 - HOLD_COPIES)).into()),
            every_id_bit: Constant::new((u64::MAX >> (64 - ID_BITS)).into()),
            every_wait_bit: Constant::new((u64::MAX >> (64 - WAIT_BITS)).into()),
            near_end: Constant::new(NEAR_END.into()),
        }
    }
}

impl<const W: usize, const I: usize, const E: usize> Logic for RingStop<W, I, E> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, control, data, own, stays, ahead, copy_valid, copied_control, copied_data);
        dff_setup!(
            self,
            clock,
            low_waits,
            wait_count,
            wait_parity,
            wait_full,
            was_last,
            was_nearly,
            long_low,
            long_carry
        );
        dff_setup!(self, clock, long_high, long_end, long_nearly, over_now, orphan_now);

        // The slot that comes in: gone on, or free for an insertion.
        self.occupied.next = self.control_in.val().get_bit(12);
        self.again.next = self.monitor.val() & self.control_in.val().get_bit(10);
        self.marked.next = self.monitor.val() | self.control_in.val().get_bit(10);
        self.expired.next = !self.idle.q.val() & self.was_last.q.val();
        self.may_enter.next = self.insert.valid.val() & !self.expired.val();
        self.enter.next = self.may_enter.val() & !self.stays_in.val();
        self.goes_on.next = self.stays_in.val() & self.occupied.val();
        self.insert.ready.next = (!self.stays_in.val() | self.expired.val()) & !self.clear.val();

        // What an insertion looks like in the ring.
        self.kind.next = self.insert.data.val().get_bits::<2>(0);
        self.is_low.next = self.kind.val() == self.low_kind.val();
        for i in 0..E {
            self.tries[i].next = self.core_edge[i].val() | (!self.is_low.val() & !self.idle.q.val());
            self.may_enter.next = self.insert.valid.val() & !self.expired.val() & self.tries[i].val();
            self.enter.next = self.may_enter.val() & !self.stays_in.val();
            self.insert.ready.next =
                ((!self.stays_in.val() & self.tries[i].val()) | self.expired.val()) & !self.clear.val();
        }
        self.wait_mask.next = 0.into();
        if self.low_waits.q.val() {
            self.wait_mask.next = self.every_wait_bit.val();
        }
        self.waited.next = self.wait_count.q.val() & self.wait_mask.val();
        self.parity.next = self.insert.data.val().get_bit(4)
            ^ self.own_parity.val()
            ^ (self.low_waits.q.val() & self.wait_parity.q.val());
        self.tree.next = self.insert.data.val().get_bits::<2>(2);
        self.entering.next = (bit_cast::<REST_BITS, 2>(self.tree.val())
            | (bit_cast::<REST_BITS, 2>(self.kind.val()) << 2)
            | (bit_cast::<REST_BITS, 4>(self.waited.val()) << 7))
            .replace_bit(5, self.parity.val());

        // The ring register. Whether an insertion is there decides about the slot, not about its content. What may be constant on
        // one side is chosen by gates: a choice would make set or reset inputs of it, which are slower.
        if self.stays_in.val() {
            self.rest.next = self.control_in.val().get_bits::<REST_BITS>(6);
        } else {
            self.rest.next = self.entering.val();
        }
        for i in 0..3 {
            self.held_third[i].next = 0.into();
            if self.holds_in.val().get_bit(i) {
                self.held_third[i].next = self.third[i].val();
            }
        }
        self.held.next = self.held_third[0].val() | self.held_third[1].val() | self.held_third[2].val();
        self.data.d.next = (self.data_in.val() & self.held.val())
            | (self.insert.data.val().get_bits::<W>(5) & !self.held.val());
        self.next_rest.next = self
            .rest
            .val()
            .replace_bit(4, self.stays_in.val() & self.marked.val())
            .replace_bit(6, self.goes_on.val() | self.enter.val());
        self.id_mask.next = 0.into();
        if self.stays_in.val() {
            self.id_mask.next = self.every_id_bit.val();
        }
        self.source.next = (self.control_in.val().get_bits::<ID_BITS>(0) & self.id_mask.val())
            | (self.own_id.val() & !self.id_mask.val());
        self.next_slot.next = bit_cast::<CONTROL_BITS, ID_BITS>(self.source.val())
            | (bit_cast::<CONTROL_BITS, REST_BITS>(self.next_rest.val()) << 6);
        self.control.d.next = self.next_slot.val();

        // What the stops to come are told of it.
        self.source_low.next = self.control_in.val().get_bits::<HALF>(0);
        self.source_high.next = self.control_in.val().get_bits::<HALF>(3);
        self.own_low.next = self.own_id.val().get_bits::<HALF>(0);
        self.own_high.next = self.own_id.val().get_bits::<HALF>(3);
        self.third_low.next = self.third_id.val().get_bits::<HALF>(0);
        self.third_high.next = self.third_id.val().get_bits::<HALF>(3);
        self.own_is_second.next = self.own_id.val() == self.second_id.val();
        self.like_low.next = (self.stays_in.val() & (self.source_low.val() == self.third_low.val()))
            | (!self.stays_in.val() & (self.own_low.val() == self.third_low.val()));
        self.like_high.next = (self.stays_in.val() & (self.source_high.val() == self.third_high.val()))
            | (!self.stays_in.val() & (self.own_high.val() == self.third_high.val()));
        self.leaves.next =
            (self.stays_in.val() & self.ahead_in.val().get_bit(0) & self.ahead_in.val().get_bit(1))
                | (!self.stays_in.val() & self.own_is_second.val());
        self.kept.next = (self.stays_in.val()
            & !(self.ahead_in.val().get_bit(0) & self.ahead_in.val().get_bit(1))
            & ((self.second_is_monitor.val() & !self.marked.val())
                | (!self.second_is_monitor.val() & self.occupied.val())))
            | (!self.stays_in.val() & !self.own_is_second.val());
        self.timed.next = (self.stays_in.val() & self.ahead_in.val().get_bit(4))
            | (!self.stays_in.val()
                & (self.may_enter.val() & (self.kind.val().get_bit(0) ^ self.kind.val().get_bit(1))));
        self.next_ahead.next = bit_cast::<AHEAD_BITS, 1>(self.like_low.val().into())
            | (bit_cast::<AHEAD_BITS, 1>(self.like_high.val().into()) << 1)
            | (bit_cast::<AHEAD_BITS, 1>(self.leaves.val().into()) << 2)
            | (bit_cast::<AHEAD_BITS, 1>(self.kept.val().into()) << 3)
            | (bit_cast::<AHEAD_BITS, 1>(self.timed.val().into()) << 4);
        self.ahead.d.next = self.next_ahead.val();
        self.own.d.next = (self.goes_on.val() & self.ahead_in.val().get_bit(2))
            | (self.enter.val() & self.own_is_next.val());
        self.arrives.next = self.may_enter.val() & !self.own_is_next.val();
        self.stays.d.next = (self.holds_in.val().get_bit(2) & self.ahead_in.val().get_bit(3))
            | (!self.holds_in.val().get_bit(2) & self.arrives.val());
        self.hold_before.next =
            (self.holds_in.val() << 1) | bit_cast::<HOLD_COPIES, 1>(self.stays_in.val().into());
        self.stay_mask.next = 0.into();
        if self.ahead_in.val().get_bit(3) {
            self.stay_mask.next = self.every_hold.val();
        }
        self.arrive_mask.next = 0.into();
        if self.arrives.val() {
            self.arrive_mask.next = self.every_hold.val();
        }
        self.holds.clock.next = self.clock.val();
        self.holds.clear.next = self.clear.val();
        self.holds.enable.next = true;
        self.holds.d.next = (self.hold_before.val() & self.stay_mask.val())
            | (!self.hold_before.val() & self.arrive_mask.val());

        // Waiting. What hangs on `stays_in` says only that it goes on; the clocks are counted behind that, and what else
        // an insertion that waits is has registers of its own.
        self.idle.clock.next = self.clock.val();
        self.idle.clear.next = self.clear.val();
        self.idle.enable.next = true;
        self.idle.d.next = !(self.stays_in.val() & self.may_enter.val());
        self.low_waits.d.next = self.holds_in.val().get_bit(0) & (self.may_enter.val() & self.is_low.val());
        for i in 0..E {
            self.goes_on_waiting[i].next = self.insert.valid.val()
                & !self.expired.val()
                & !self.enter.val()
                & (self.core_edge[i].val() | !self.idle.q.val());
            self.idle.d.next = !self.goes_on_waiting[i].val();
            self.low_waits.d.next = self.goes_on_waiting[i].val()
                & self.is_low.val()
                & (self.core_edge[i].val() | self.low_waits.q.val());
        }
        self.more.next = self.waited.val() + 1;
        self.wait_count.d.next = self.more.val();
        self.wait_parity.d.next = self.more.val().xor();
        self.wait_full.d.next = self.more.val() == self.wait_max.val();
        self.long_low.d.next = self.long_low.q.val() + 1;
        self.long_high.d.next =
            self.long_high.q.val() + bit_cast::<LONG_HALF, 1>(self.long_carry.q.val().into());
        if self.idle.q.val() {
            self.long_low.d.next = 0.into();
            self.long_high.d.next = 0.into();
        }
        self.long_carry.d.next = !self.idle.q.val() & self.long_low.q.val().all();
        self.long_end.d.next = self.long_high.q.val().all();
        self.long_nearly.d.next =
            !self.idle.q.val() & self.long_end.q.val() & (self.long_low.q.val() == self.near_end.val());
        self.was_nearly.d.next = !self.idle.q.val() & self.long_nearly.q.val();
        self.is_last.next = (self.low_waits.q.val() & self.wait_full.q.val())
            | (!self.is_low.val() & !self.idle.q.val() & self.was_nearly.q.val());
        self.was_last.d.next = self.is_last.val();
        self.over_now.d.next = self.insert.valid.val() & self.expired.val();
        self.orphan_now.d.next = self.occupied.val() & self.again.val() & !self.own_in.val();

        // The copy register.
        self.held_tree.next = self.control.q.val().get_bits::<2>(6);
        self.copy_valid.d.next =
            self.ahead.q.val().get_bit(4) & self.copy_trees.val().get_bit(self.held_tree.val().index());
        self.copied_control.d.next = self.control.q.val();
        self.copied_data.d.next = self.data.q.val();

        if self.clear.val() {
            self.control.d.next = self.next_slot.val().replace_bit(12, false);
            self.own.d.next = false;
            self.stays.d.next = false;
            self.ahead.d.next = self.next_ahead.val().replace_bit(4, false);
            self.copy_valid.d.next = false;
            self.low_waits.d.next = false;
            self.over_now.d.next = false;
            self.orphan_now.d.next = false;
        }

        self.control_out.next = self.control.q.val();
        self.data_out.next = self.data.q.val();
        self.own_out.next = self.own.q.val();
        self.stays_out.next = self.stays.q.val();
        self.holds_out.next = self.holds.q.val();
        self.ahead_out.next = self.ahead.q.val();
        self.copy.valid.next = self.copy_valid.q.val();
        self.copy.data.next = self.copied_data.q.val();
        self.copy_control.next = self.copied_control.q.val();
        self.busy.next = !self.idle.q.val();
        self.wait_over.next = self.over_now.q.val();
        self.orphan.next = self.orphan_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        ring_label("ring_stop", &[("data", W.to_string())], [("core_edges", E), ("", 0)])
    }
}

// The positions written as numbers in `update` are those of the slot's layout.
const _: () = assert!(slot::src::LOW == 0 && slot::src::WIDTH == 6 && slot::tree::LOW == 6);
const _: () = assert!(slot::kind::LOW == 8 && slot::mon::LOW == 10 && slot::par::LOW == 11);
const _: () = assert!(SLOW_WAIT_MAX.is_power_of_two() && LONG_HALF == 8 && ID_BITS == 2 * HALF && HALF == 3);
const _: () = assert!(SlotKind::Low.code() == 1 && SlotKind::High.code() == 2);
const _: () = assert!(slot::v::LOW == 12 && slot::wait::LOW == 13 && slot::wait::WIDTH == 4);

drive_ports!(impl[const W: usize, const I: usize, const E: usize] RingStop<W, I, E> {
    clock, clear, core_edge, own_id, own_parity, own_is_next, second_id, third_id, monitor, second_is_monitor, wait_max, copy_trees,
    control_in, data_in, own_in, stays_in, holds_in, ahead_in, control_out, data_out, own_out, stays_out, holds_out, ahead_out, insert, copy, copy_control, busy, wait_over, orphan,
});
