//! The size of a phase error against three thresholds, bit by bit.

use super::bits::{WordParts, PARTS, PART_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::ERROR_BITS;

/// |error| against STEP_THR, OUTLIER_THR and LOCK_THR.
///
/// Of one bit per clock, from 0 up, `part` names the part 3 clocks before ([`WordParts`]), `run` comes 1 clock before with
/// `place`, its place in the part, and `error_bit` is that bit of the error; `above_*` are right 1 clock after bit 31.
/// `restart` begins a new comparison. A comparison in one clock would cost three carry chains and one to negate.
#[derive(LogicBlock, Default)]
pub struct Magnitude {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets the last comparison.
    pub restart: Signal<In, Bit>,
    /// `place` counts in the next clock.
    pub run: Signal<In, Bit>,
    /// Part of the bit that is compared 3 clocks later.
    pub part: Signal<In, Bits<PARTS>>,
    /// Bit of its part that is compared in the next clock.
    pub place: Signal<In, Bits<3>>,
    /// The bit of the phase error, signed, 1/256 ns.
    pub error_bit: Signal<In, Bit>,
    /// The phase error is negative.
    pub negative: Signal<In, Bit>,
    /// STEP_THR, 1/256 ns; stable while it is compared, as the others.
    pub step_thr: Signal<In, Bits<ERROR_BITS>>,
    /// OUTLIER_THR, 1/256 ns.
    pub outlier_thr: Signal<In, Bits<ERROR_BITS>>,
    /// LOCK_THR, ns.
    pub lock_thr: Signal<In, Bits<16>>,
    /// |error| > STEP_THR.
    pub above_step: Signal<Out, Bit>,
    /// |error| > OUTLIER_THR.
    pub above_outlier: Signal<Out, Bit>,
    /// |error| > LOCK_THR.
    pub above_lock: Signal<Out, Bit>,
    step_word: WordParts,
    outlier_word: WordParts,
    lock_word: WordParts,
    running: DFF<Bit>,
    /// A lower bit of the error is 1: a negative one's higher bits are inverted.
    seen: DFF<Bit>,
    step: DFF<Bit>,
    outlier: DFF<Bit>,
    lock: DFF<Bit>,
    fine_lock_thr: Signal<Local, Bits<ERROR_BITS>>,
    bit: Signal<Local, Bit>,
    step_part: Signal<Local, Bits<PART_BITS>>,
    outlier_part: Signal<Local, Bits<PART_BITS>>,
    lock_part: Signal<Local, Bits<PART_BITS>>,
    step_bit: DFF<Bit>,
    outlier_bit: DFF<Bit>,
    lock_bit: DFF<Bit>,
}

impl Logic for Magnitude {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, running, seen, step, outlier, lock, step_bit, outlier_bit, lock_bit);
        self.fine_lock_thr.next = bit_cast::<ERROR_BITS, 16>(self.lock_thr.val()) << 8;
        self.running.d.next = self.run.val();
        clock!(self, clock, step_word, outlier_word, lock_word);
        self.step_word.part.next = self.part.val();
        self.step_word.word.next = self.step_thr.val();
        self.step_part.next = self.step_word.held.val();
        self.step_bit.d.next = self.step_part.val().get_bit(self.place.val().index());
        self.outlier_word.part.next = self.part.val();
        self.outlier_word.word.next = self.outlier_thr.val();
        self.outlier_part.next = self.outlier_word.held.val();
        self.outlier_bit.d.next = self.outlier_part.val().get_bit(self.place.val().index());
        self.lock_word.part.next = self.part.val();
        self.lock_word.word.next = self.fine_lock_thr.val();
        self.lock_part.next = self.lock_word.held.val();
        self.lock_bit.d.next = self.lock_part.val().get_bit(self.place.val().index());

        self.bit.next = self.error_bit.val() ^ (self.negative.val() & self.seen.q.val());
        if self.running.q.val() {
            self.seen.d.next = self.seen.q.val() | self.error_bit.val();
            // The highest bit that differs decides. Written without a condition, or it would become an enable, which is slow.
            self.step.d.next = (self.bit.val() & (!self.step_bit.q.val() | self.step.q.val()))
                | (!self.step_bit.q.val() & self.step.q.val());
            self.outlier.d.next = (self.bit.val() & (!self.outlier_bit.q.val() | self.outlier.q.val()))
                | (!self.outlier_bit.q.val() & self.outlier.q.val());
            self.lock.d.next = (self.bit.val() & (!self.lock_bit.q.val() | self.lock.q.val()))
                | (!self.lock_bit.q.val() & self.lock.q.val());
        }
        if self.restart.val() {
            self.seen.d.next = false;
            self.step.d.next = false;
            self.outlier.d.next = false;
            self.lock.d.next = false;
        }
        self.above_step.next = self.step.q.val();
        self.above_outlier.next = self.outlier.q.val();
        self.above_lock.next = self.lock.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("magnitude", &[])
    }
}

drive_ports!(impl[] Magnitude {
    clock, restart, run, part, place, error_bit, negative, step_thr, outlier_thr, lock_thr, above_step, above_outlier, above_lock,
});

const _: () = assert!(ERROR_BITS == 32 && flitforge_protocol::time::FINE_BITS == 8);
