//! NxtTx, NxtWr and the pointer that waits (chapter 10, 4.2).

use super::{LOST_BITS, POINTER_BITS};
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// The sequence numbers of the transmit side, and what of the buffer is in use.
///
/// Rule 3: a pointer `p` is valid if `(NxtWr - p)` modulo 65536 is at most R; while fewer than R LTPs have been written
/// since number 0, if `p` is at most NxtWr. `pointer_ok`, `is_empty`, `ends` and `at_last` are registers: they hold for
/// the pointer and the numbers of the clock before, `pointer_ok` for numbers that have stood for two.
#[derive(LogicBlock)]
pub struct ReplayPointers {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The pointer that a request or the peer's Init names.
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    /// The pointer is in the buffer.
    pub pointer_ok: Signal<Out, Bit>,
    /// Nothing is under way any more: NxtTx = NxtWr, nothing waits.
    pub reset: Signal<In, Bit>,
    /// Start at number 0; what is in the buffer may be lost.
    pub restart: Signal<In, Bit>,
    /// NxtTx becomes `pointer`.
    pub mark: Signal<In, Bit>,
    /// `pointer` waits until the marker pair is out.
    pub wait_mark: Signal<In, Bit>,
    /// What waits is void.
    pub forget: Signal<In, Bit>,
    /// The marker pair is out: NxtTx becomes the pointer that waits.
    pub marked: Signal<In, Bit>,
    /// The LTP NxtTx is sent, as an original or again.
    pub send: Signal<In, Bit>,
    /// With `send`: it is an original.
    pub original: Signal<In, Bit>,
    /// A pointer waits.
    pub waits: Signal<Out, Bit>,
    /// NxtTx = NxtWr.
    pub is_empty: Signal<Out, Bit>,
    /// NxtTx + 1 = NxtWr.
    pub ends: Signal<Out, Bit>,
    /// NxtTx lies in slot R-1.
    pub at_last: Signal<Out, Bit>,
    /// NxtTx.
    pub next_tx: Signal<Out, Bits<POINTER_BITS>>,
    /// NxtWr.
    pub next_write: Signal<Out, Bits<POINTER_BITS>>,
    /// Event: LTPs that may be lost by a restart.
    pub lost: FlowOut<Bits<LOST_BITS>>,

    transmit: DFF<Bits<POINTER_BITS>>,
    write: DFF<Bits<POINTER_BITS>>,
    /// R LTPs at least have been written since number 0.
    full: DFF<Bit>,
    /// NxtWr - R, and whether it lies above NxtWr.
    oldest: DFF<Bits<POINTER_BITS>>,
    wraps: DFF<Bit>,
    waiting: DFF<Bits<POINTER_BITS>>,
    waiting_valid: DFF<Bit>,
    valid_pointer: DFF<Bit>,
    empty: DFF<Bit>,
    last_one: DFF<Bit>,
    last_slot: DFF<Bit>,
    lost_valid: DFF<Bit>,
    lost_count: DFF<Bits<LOST_BITS>>,
    not_above: Signal<Local, Bit>,
    not_below: Signal<Local, Bit>,
    following: Signal<Local, Bits<POINTER_BITS>>,
    in_use: Signal<Local, Bits<POINTER_BITS>>,
    one: Constant<Bits<POINTER_BITS>>,
    slots: Constant<Bits<POINTER_BITS>>,
    slot_mask: Constant<Bits<POINTER_BITS>>,
    above_mask: Constant<Bits<POINTER_BITS>>,
}

impl ReplayPointers {
    /// All pointers 0, a buffer of `slots` LTPs.
    pub fn new(slots: usize) -> Self {
        let slots = slots as u64;
        Self {
            clock: Default::default(),
            clear: Default::default(),
            pointer: Default::default(),
            pointer_ok: Default::default(),
            reset: Default::default(),
            restart: Default::default(),
            mark: Default::default(),
            wait_mark: Default::default(),
            forget: Default::default(),
            marked: Default::default(),
            send: Default::default(),
            original: Default::default(),
            waits: Default::default(),
            is_empty: Default::default(),
            ends: Default::default(),
            at_last: Default::default(),
            next_tx: Default::default(),
            next_write: Default::default(),
            lost: Default::default(),
            transmit: Default::default(),
            write: Default::default(),
            full: Default::default(),
            oldest: Default::default(),
            wraps: Default::default(),
            waiting: Default::default(),
            waiting_valid: Default::default(),
            valid_pointer: Default::default(),
            empty: Default::default(),
            last_one: Default::default(),
            last_slot: Default::default(),
            lost_valid: Default::default(),
            lost_count: Default::default(),
            not_above: Default::default(),
            not_below: Default::default(),
            following: Default::default(),
            in_use: Default::default(),
            one: Constant::new(1u64.into()),
            slots: Constant::new(slots.into()),
            slot_mask: Constant::new((slots - 1).into()),
            above_mask: Constant::new((((1 << POINTER_BITS) - 1) & !(slots - 1)).into()),
        }
    }
}

impl Logic for ReplayPointers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, transmit, write, full, oldest, wraps, waiting, waiting_valid, valid_pointer);
        dff_setup!(self, clock, empty, last_one, last_slot, lost_valid, lost_count);

        // Comparisons, ahead of the step that needs them.
        self.oldest.d.next = self.write.q.val() - self.slots.val();
        self.wraps.d.next = !(self.write.q.val() & self.above_mask.val()).any();
        self.not_above.next = self.pointer.val() <= self.write.q.val();
        self.not_below.next = self.pointer.val() >= self.oldest.q.val();
        self.following.next = self.transmit.q.val() + self.one.val();
        self.valid_pointer.d.next = self.not_above.val();
        if self.full.q.val() {
            self.valid_pointer.d.next = self.not_above.val() & self.not_below.val();
            if self.wraps.q.val() {
                self.valid_pointer.d.next = self.not_above.val() | self.not_below.val();
            }
        }
        self.empty.d.next = self.transmit.q.val() == self.write.q.val();
        self.last_one.d.next = self.following.val() == self.write.q.val();
        self.last_slot.d.next = (self.transmit.q.val() & self.slot_mask.val()) == self.slot_mask.val();

        // NxtTx and NxtWr.
        if self.send.val() {
            self.transmit.d.next = self.following.val();
            if self.original.val() {
                self.write.d.next = self.following.val();
                self.full.d.next = self.full.q.val() | self.last_slot.q.val();
            }
        }
        if self.mark.val() {
            self.transmit.d.next = self.pointer.val();
        }
        if self.marked.val() & self.waiting_valid.q.val() {
            self.transmit.d.next = self.waiting.q.val();
        }
        if self.wait_mark.val() {
            self.waiting.d.next = self.pointer.val();
            self.waiting_valid.d.next = true;
        }
        if self.forget.val() | self.marked.val() {
            self.waiting_valid.d.next = false;
        }
        if self.reset.val() {
            self.transmit.d.next = self.write.q.val();
            self.waiting_valid.d.next = false;
        }

        // Numbers start at 0 again.
        self.in_use.next = self.write.q.val() & self.slot_mask.val();
        if self.full.q.val() {
            self.in_use.next = self.slots.val();
        }
        self.lost_valid.d.next = self.restart.val() & self.in_use.val().any() & !self.clear.val();
        self.lost_count.d.next = self.in_use.val().get_bits::<LOST_BITS>(0);
        if self.restart.val() | self.clear.val() {
            self.transmit.d.next = 0.into();
            self.write.d.next = 0.into();
            self.full.d.next = false;
        }
        if self.clear.val() {
            self.waiting_valid.d.next = false;
        }

        self.pointer_ok.next = self.valid_pointer.q.val();
        self.waits.next = self.waiting_valid.q.val();
        self.is_empty.next = self.empty.q.val();
        self.ends.next = self.last_one.q.val();
        self.at_last.next = self.last_slot.q.val();
        self.next_tx.next = self.transmit.q.val();
        self.next_write.next = self.write.q.val();
        self.lost.valid.next = self.lost_valid.q.val();
        self.lost.data.next = self.lost_count.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_pointers", &[("r", (self.slot_mask.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] ReplayPointers { clock, clear, pointer, pointer_ok, reset, restart, mark, wait_mark, forget, marked, send, original, waits, is_empty, ends, at_last, next_tx, next_write, lost });
