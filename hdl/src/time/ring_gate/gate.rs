//! Between a port and its stop of one ring.

use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::time::ring::{CONTROL_BITS, WAIT_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::{slot_control as slot, SlotKind};

/// Bits of a wait to which a core clock is added.
const SUM_BITS: usize = WAIT_BITS + 1;
/// Copies dropped in a ring clock, at most.
pub const GATE_EVENTS: usize = 2;

/// Takes insertions of a port over to the ring clock and copies back to the core clock (chapter 20, 4.4 rules 2, 3 and 7); `W` bits
/// of data, `I` = W + 5 bits of an insertion. All registers are of the ring clock; the port's are outside.
///
/// - `from_port` holds still for a core clock. It is offered to the ring in every ring clock of it, until it is taken; then no more in this
///   core clock. `from_port.ready` at the core edge says that it was taken. Latency 0, both ways.
/// - `landed` counts at core edges only: one copy, that of this ring clock or the oldest that waits. A copy that comes alone is there at
///   the next core edge strictly after it came, as rule 7 has it.
/// - Two copies can wait. A Low that waits for another copy to go carries M more ring clocks in `wait` for every core clock, so that its
///   destination corrects it; parity goes along, so a damaged copy stays damaged.
/// - Errors: `dropped`, an event for each copy that is dropped, a ring clock later: a Low whose wait would pass 15, and one that comes
///   while two wait, but at a core edge.
/// - `clear` drops what waits and what comes.
#[derive(LogicBlock)]
pub struct RingGate<const W: usize, const I: usize> {
    /// Ring clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The edge that ends this clock is a core edge, too.
    pub core_edge: Signal<In, Bit>,
    /// Insertions of the port, in core clocks: {data, parity, tree, kind}.
    pub from_port: StreamIn<Bits<I>>,
    /// Insertions into the ring.
    pub insert: StreamOut<Bits<I>>,
    /// Data of copies.
    pub copy: FlowIn<Bits<W>>,
    /// Their control bits.
    pub copy_control: Signal<In, Bits<CONTROL_BITS>>,
    /// Data of a copy for the port, at core edges.
    pub landed: FlowOut<Bits<W>>,
    /// Its control bits.
    pub landed_control: Signal<Out, Bits<CONTROL_BITS>>,
    /// Event: copies dropped (RING_WAIT_OVER); every 1 counts.
    pub dropped: Signal<Out, Bits<GATE_EVENTS>>,
    taken: DFF<Bit>,
    // Copies that wait; the second is younger and never there without the first.
    first_waits: DFF<Bit>,
    first_data: DFF<Bits<W>>,
    first_control: DFF<Bits<CONTROL_BITS>>,
    second_waits: DFF<Bit>,
    second_data: DFF<Bits<W>>,
    second_control: DFF<Bits<CONTROL_BITS>>,
    dropped_now: DFF<Bits<GATE_EVENTS>>,
    passes: Signal<Local, Bit>,
    // The second copy that waits, and the one that comes: as they are, and a core clock later.
    held: [Signal<Local, Bits<CONTROL_BITS>>; 2],
    older: [Signal<Local, Bits<CONTROL_BITS>>; 2],
    fits: [Signal<Local, Bit>; 2],
    control: Signal<Local, Bits<CONTROL_BITS>>,
    waited: Signal<Local, Bits<WAIT_BITS>>,
    sum: Signal<Local, Bits<SUM_BITS>>,
    longer: Signal<Local, Bits<WAIT_BITS>>,
    second_stays: Signal<Local, Bit>,
    copy_stays: Signal<Local, Bit>,
    second_drops: Signal<Local, Bit>,
    copy_drops: Signal<Local, Bit>,
    nothing: Constant<Bits<GATE_EVENTS>>,
    low_kind: Constant<Bits<2>>,
    without_wait: Constant<Bits<CONTROL_BITS>>,
    core_clock: Constant<Bits<SUM_BITS>>,
}

impl<const W: usize, const I: usize> RingGate<W, I> {
    /// With M ring edges per core clock.
    pub fn new(ratio: u64) -> Self {
        let wait = slot::wait::FIELD.mask() as u64;
        Self {
            clock: Default::default(),
            clear: Default::default(),
            core_edge: Default::default(),
            from_port: Default::default(),
            insert: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            landed: Default::default(),
            landed_control: Default::default(),
            dropped: Default::default(),
            taken: Default::default(),
            first_waits: Default::default(),
            first_data: Default::default(),
            first_control: Default::default(),
            second_waits: Default::default(),
            second_data: Default::default(),
            second_control: Default::default(),
            dropped_now: Default::default(),
            passes: Default::default(),
            held: Default::default(),
            older: Default::default(),
            fits: Default::default(),
            control: Default::default(),
            waited: Default::default(),
            sum: Default::default(),
            longer: Default::default(),
            second_stays: Default::default(),
            copy_stays: Default::default(),
            second_drops: Default::default(),
            copy_drops: Default::default(),
            nothing: Constant::new(0.into()),
            low_kind: Constant::new(u64::from(SlotKind::Low.code()).into()),
            without_wait: Constant::new((((1_u64 << CONTROL_BITS) - 1) & !wait).into()),
            core_clock: Constant::new(ratio.into()),
        }
    }
}

impl<const W: usize, const I: usize> Logic for RingGate<W, I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            taken,
            first_waits,
            first_data,
            first_control,
            second_waits,
            second_data,
            second_control,
            dropped_now
        );

        // Into the ring, once in a core clock.
        self.passes.next = self.from_port.valid.val() & !self.taken.q.val();
        self.insert.valid.next = self.passes.val();
        self.insert.data.next = self.from_port.data.val();
        self.from_port.ready.next = self.taken.q.val() | self.insert.ready.val();
        self.taken.d.next = (self.taken.q.val() | (self.passes.val() & self.insert.ready.val()))
            & !self.core_edge.val()
            & !self.clear.val();

        // Out of it: the oldest.
        self.landed.valid.next = self.first_waits.q.val() | self.copy.valid.val();
        self.landed.data.next = self.copy.data.val();
        self.landed_control.next = self.copy_control.val();
        if self.first_waits.q.val() {
            self.landed.data.next = self.first_data.q.val();
            self.landed_control.next = self.first_control.q.val();
        }

        // What a core clock more makes of a wait.
        self.held[0].next = self.second_control.q.val();
        self.held[1].next = self.copy_control.val();
        for i in 0..2 {
            self.control.next = self.held[i].val();
            self.waited.next = self.control.val().get_bits::<WAIT_BITS>(13);
            self.sum.next = bit_cast::<SUM_BITS, WAIT_BITS>(self.waited.val()) + self.core_clock.val();
            self.longer.next = self.sum.val().get_bits::<WAIT_BITS>(0);
            self.older[i].next = self.control.val();
            self.fits[i].next = true;
            if self.control.val().get_bits::<2>(8) == self.low_kind.val() {
                self.older[i].next = (self.control.val() & self.without_wait.val())
                    | (bit_cast::<CONTROL_BITS, WAIT_BITS>(self.longer.val()) << 13);
                self.older[i].next = self.older[i].val().replace_bit(
                    11,
                    self.control.val().get_bit(11) ^ self.waited.val().xor() ^ self.longer.val().xor(),
                );
                self.fits[i].next = !self.sum.val().get_bit(4);
            }
        }

        // What waits.
        self.second_stays.next = self.second_waits.q.val() & self.fits[0].val();
        self.second_drops.next = self.second_waits.q.val() & !self.fits[0].val();
        self.copy_stays.next = self.copy.valid.val() & self.first_waits.q.val() & self.fits[1].val();
        self.copy_drops.next = self.copy.valid.val() & self.first_waits.q.val() & !self.fits[1].val();
        if self.core_edge.val() {
            self.first_waits.d.next = self.second_stays.val() | self.copy_stays.val();
            self.second_waits.d.next = self.second_stays.val() & self.copy_stays.val();
            self.first_data.d.next = self.copy.data.val();
            self.first_control.d.next = self.older[1].val();
            if self.second_stays.val() {
                self.first_data.d.next = self.second_data.q.val();
                self.first_control.d.next = self.older[0].val();
            }
            self.second_data.d.next = self.copy.data.val();
            self.second_control.d.next = self.older[1].val();
            self.dropped_now.d.next = self
                .nothing
                .val()
                .replace_bit(0, self.second_drops.val())
                .replace_bit(1, self.copy_drops.val());
        } else {
            self.first_waits.d.next = self.first_waits.q.val() | self.copy.valid.val();
            if !self.first_waits.q.val() {
                self.first_data.d.next = self.copy.data.val();
                self.first_control.d.next = self.copy_control.val();
            }
            self.second_waits.d.next =
                self.second_waits.q.val() | (self.first_waits.q.val() & self.copy.valid.val());
            if !self.second_waits.q.val() {
                self.second_data.d.next = self.copy.data.val();
                self.second_control.d.next = self.copy_control.val();
            }
            self.dropped_now.d.next =
                self.nothing.val().replace_bit(0, self.second_waits.q.val() & self.copy.valid.val());
        }
        if self.clear.val() {
            self.first_waits.d.next = false;
            self.second_waits.d.next = false;
            self.dropped_now.d.next = self.nothing.val();
        }
        self.dropped.next = self.dropped_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let ratio = self.core_clock.val().index();
        block_label("ring_gate", &[("data", W.to_string()), ("ratio", ratio.to_string())])
    }
}

drive_ports!(impl[const W: usize, const I: usize] RingGate<W, I> {
    clock, clear, core_edge, from_port, insert, copy, copy_control, landed, landed_control, dropped,
});

// The positions written as numbers in `update` are those of the slot's layout.
const _: () = assert!(slot::kind::LOW == 8 && slot::par::LOW == 11 && slot::wait::LOW == 13);
const _: () = assert!(WAIT_BITS == 4 && SUM_BITS == 5 && SlotKind::Low.code() == 1);
