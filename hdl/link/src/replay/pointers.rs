//! NxtTx, NxtWr and the pointer that waits (chapter 10, 4.2).

use super::{LOST_BITS, POINTER_BITS};
use flitforge_hdl_prim::prelude::*;

/// The sequence numbers of the transmit side, and what of the buffer is in use.
///
/// Rule 3: a pointer `p` is valid if `(NxtWr - p)` modulo 65536 is at most R; while fewer than R LTPs have been written
/// since number 0, if `p` is at most NxtWr. `pointer_ok`, `is_empty`, `ends` and `at_last` are registers: they hold for
/// the pointer and the numbers of the clock before, `pointer_ok` for numbers that have stood for two.
#[block(new)]
pub struct ReplayPointers {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The pointer that a request or the peer's Init names.
    pointer: In<Bits<POINTER_BITS>>,
    /// The pointer is in the buffer.
    pointer_ok: Out<Bit>,
    /// Nothing is under way any more: NxtTx = NxtWr, nothing waits.
    reset: In<Bit>,
    /// Start at number 0; what is in the buffer may be lost.
    restart: In<Bit>,
    /// NxtTx becomes `pointer`.
    mark: In<Bit>,
    /// `pointer` waits until the marker pair is out.
    wait_mark: In<Bit>,
    /// What waits is void.
    forget: In<Bit>,
    /// The marker pair is out: NxtTx becomes the pointer that waits.
    marked: In<Bit>,
    /// The LTP NxtTx is sent, as an original or again.
    send: In<Bit>,
    /// With `send`: it is an original.
    original: In<Bit>,
    /// A pointer waits.
    waits: Out<Bit>,
    /// NxtTx = NxtWr.
    is_empty: Out<Bit>,
    /// NxtTx + 1 = NxtWr.
    ends: Out<Bit>,
    /// NxtTx lies in slot R-1.
    at_last: Out<Bit>,
    /// NxtTx.
    next_tx: Out<Bits<POINTER_BITS>>,
    /// NxtWr.
    next_write: Out<Bits<POINTER_BITS>>,
    /// Event: LTPs that may be lost by a restart.
    pub lost: FlowOut<Bits<LOST_BITS>>,

    transmit: Reg<Bits<POINTER_BITS>>,
    write: Reg<Bits<POINTER_BITS>>,
    /// R LTPs at least have been written since number 0.
    full: Reg<Bit>,
    /// NxtWr - R, and whether it lies above NxtWr.
    oldest: Reg<Bits<POINTER_BITS>>,
    wraps: Reg<Bit>,
    waiting: Reg<Bits<POINTER_BITS>>,
    waiting_valid: Reg<Bit>,
    valid_pointer: Reg<Bit>,
    empty: Reg<Bit>,
    last_one: Reg<Bit>,
    last_slot: Reg<Bit>,
    lost_valid: Reg<Bit>,
    lost_count: Reg<Bits<LOST_BITS>>,
    #[init(1)]
    one: Constant<Bits<POINTER_BITS>>,
    slots: Constant<Bits<POINTER_BITS>>,
    slot_mask: Constant<Bits<POINTER_BITS>>,
    above_mask: Constant<Bits<POINTER_BITS>>,
}

#[logic]
impl ReplayPointers {
    /// All pointers 0, a buffer of `slots` LTPs.
    pub fn new(slots: usize) -> Self {
        let slots = slots as u64;
        Self {
            slots: Constant::new(slots.into()),
            slot_mask: Constant::new((slots - 1).into()),
            above_mask: Constant::new((((1 << POINTER_BITS) - 1) & !(slots - 1)).into()),
            ..
        }
    }

    fn update(&mut self) {
        // Comparisons, ahead of the step that needs them.
        oldest = write - slots;
        wraps = !(write & above_mask).any();
        let not_above = pointer <= write;
        let not_below = pointer >= oldest;
        let following = transmit + one;
        valid_pointer = not_above;
        if full {
            valid_pointer = not_above & not_below;
            if wraps {
                valid_pointer = not_above | not_below;
            }
        }
        empty = transmit == write;
        last_one = following == write;
        last_slot = (transmit & slot_mask) == slot_mask;

        // NxtTx and NxtWr.
        if send {
            transmit = following;
            if original {
                write = following;
                full = full | last_slot;
            }
        }
        if mark {
            transmit = pointer;
        }
        if marked & waiting_valid {
            transmit = waiting;
        }
        if wait_mark {
            waiting = pointer;
            waiting_valid = true;
        }
        if forget | marked {
            waiting_valid = false;
        }
        if reset {
            transmit = write;
            waiting_valid = false;
        }

        // Numbers start at 0 again.
        let mut in_use = write & slot_mask;
        if full {
            in_use = slots;
        }
        lost_valid = restart & in_use.any() & !clear;
        lost_count = in_use.bits::<LOST_BITS>(0);
        if restart | clear {
            transmit = 0;
            write = 0;
            full = false;
        }
        if clear {
            waiting_valid = false;
        }

        pointer_ok = valid_pointer;
        waits = waiting_valid;
        is_empty = empty;
        ends = last_one;
        at_last = last_slot;
        next_tx = transmit;
        next_write = write;
        lost = In { valid: lost_valid, data: lost_count };
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_pointers", &[("r", (self.slot_mask.val().index() + 1).to_string())])
    }
}
