//! Between a port and its stop of one ring.

use crate::ring::{CONTROL_BITS, WAIT_BITS};
use flitforge_hdl_prim::prelude::*;
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
#[block(new)]
pub struct RingGate<const W: usize, const I: usize> {
    /// Ring clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The edge that ends this clock is a core edge, too.
    core_edge: In<Bit>,
    /// Insertions of the port, in core clocks: {data, parity, tree, kind}.
    pub from_port: StreamIn<Bits<I>>,
    /// Insertions into the ring.
    pub insert: StreamOut<Bits<I>>,
    /// Data of copies.
    pub copy: FlowIn<Bits<W>>,
    /// Their control bits.
    copy_control: In<Bits<CONTROL_BITS>>,
    /// Data of a copy for the port, at core edges.
    pub landed: FlowOut<Bits<W>>,
    /// Its control bits.
    landed_control: Out<Bits<CONTROL_BITS>>,
    /// Event: copies dropped (RING_WAIT_OVER); every 1 counts.
    dropped: Out<Bits<GATE_EVENTS>>,
    taken: Reg<Bit>,
    // Copies that wait; the second is younger and never there without the first.
    first_waits: Reg<Bit>,
    first_data: Reg<Bits<W>>,
    first_control: Reg<Bits<CONTROL_BITS>>,
    second_waits: Reg<Bit>,
    second_data: Reg<Bits<W>>,
    second_control: Reg<Bits<CONTROL_BITS>>,
    dropped_now: Reg<Bits<GATE_EVENTS>>,
    passes: Local<Bit>,
    // The second copy that waits, and the one that comes: as they are, and a core clock later.
    held: [Local<Bits<CONTROL_BITS>>; 2],
    older: [Local<Bits<CONTROL_BITS>>; 2],
    fits: [Local<Bit>; 2],
    control: Local<Bits<CONTROL_BITS>>,
    waited: Local<Bits<WAIT_BITS>>,
    sum: Local<Bits<SUM_BITS>>,
    longer: Local<Bits<WAIT_BITS>>,
    second_kept: Local<Bit>,
    copy_kept: Local<Bit>,
    #[init(0)]
    nothing: Constant<Bits<GATE_EVENTS>>,
    #[init(SlotKind::Low)]
    low_kind: Constant<Bits<2>>,
    without_wait: Constant<Bits<CONTROL_BITS>>,
    core_clock: Constant<Bits<SUM_BITS>>,
}

#[logic]
impl<const W: usize, const I: usize> RingGate<W, I> {
    /// With M ring edges per core clock.
    pub fn new(ratio: u64) -> Self {
        let wait = slot::wait::FIELD.mask() as u64;
        Self {
            without_wait: Constant::new((((1_u64 << CONTROL_BITS) - 1) & !wait).into()),
            core_clock: Constant::new(ratio.into()),
            ..
        }
    }

    fn update(&mut self) {
        // Into the ring, once in a core clock.
        passes = from_port.valid & !taken;
        insert = In { valid: passes, data: from_port.data };
        from_port.ready = taken | insert.ready;
        taken = (taken | (passes & insert.ready)) & !core_edge & !clear;

        // Out of it: the oldest.
        landed = In { valid: first_waits | copy.valid, data: copy.data };
        landed_control = copy_control;
        if first_waits {
            landed.data = first_data;
            landed_control = first_control;
        }

        // What a core clock more makes of a wait.
        held[0] = second_control;
        held[1] = copy_control;
        for i in 0..2 {
            control = held[i];
            waited = control.bits::<WAIT_BITS>(13);
            sum = bit_cast::<SUM_BITS, WAIT_BITS>(waited) + core_clock;
            longer = sum.bits::<WAIT_BITS>(0);
            older[i] = control;
            fits[i] = true;
            if control.bits::<2>(8) == low_kind {
                older[i] = (control & without_wait) | (bit_cast::<CONTROL_BITS, WAIT_BITS>(longer) << 13);
                older[i] = older[i].with(11, control[11] ^ waited.xor() ^ longer.xor());
                fits[i] = !sum[4];
            }
        }

        // What waits.
        second_kept = second_waits & fits[0];
        let second_drops = second_waits & !fits[0];
        copy_kept = copy.valid & first_waits & fits[1];
        let copy_drops = copy.valid & first_waits & !fits[1];
        if core_edge {
            first_waits = second_kept | copy_kept;
            second_waits = second_kept & copy_kept;
            first_data = copy.data;
            first_control = older[1];
            if second_kept {
                first_data = second_data;
                first_control = older[0];
            }
            second_data = copy.data;
            second_control = older[1];
            dropped_now = nothing.with(0, second_drops).with(1, copy_drops);
        } else {
            first_waits = first_waits | copy.valid;
            if !first_waits {
                first_data = copy.data;
                first_control = copy_control;
            }
            second_waits = second_waits | (first_waits & copy.valid);
            if !second_waits {
                second_data = copy.data;
                second_control = copy_control;
            }
            dropped_now = nothing.with(0, second_waits & copy.valid);
        }
        if clear {
            first_waits = false;
            second_waits = false;
            dropped_now = nothing;
        }
        dropped = dropped_now;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let ratio = self.core_clock.val().index();
        block_label("ring_gate", &[("data", W.to_string()), ("ratio", ratio.to_string())])
    }
}

// The positions written as numbers in `update` are those of the slot's layout.
const _: () = assert!(slot::kind::LOW == 8 && slot::par::LOW == 11 && slot::wait::LOW == 13);
const _: () = assert!(WAIT_BITS == 4 && SUM_BITS == 5 && SlotKind::Low.code() == 1);
