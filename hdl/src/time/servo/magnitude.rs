//! The size of a phase error against three thresholds, bit by bit.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::ERROR_BITS;
use rust_hdl::prelude::*;

/// |error| against STEP_THR, OUTLIER_THR and LOCK_THR.
///
/// `index` names a bit, from 0 up, one per clock with `run`; `above_*` are right 2 clocks after bit 31 was named.
/// `restart` begins a new comparison. A comparison in one clock would cost three carry chains and one to negate.
#[derive(LogicBlock, Default)]
pub struct Magnitude {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets the last comparison.
    pub restart: Signal<In, Bit>,
    /// `index` counts.
    pub run: Signal<In, Bit>,
    /// Bit that is compared.
    pub index: Signal<In, Bits<5>>,
    /// Phase error, signed, 1/256 ns; stable while it is compared, as the thresholds.
    pub error: Signal<In, Bits<ERROR_BITS>>,
    /// STEP_THR, 1/256 ns.
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
    running: DFF<Bit>,
    error_bit: DFF<Bit>,
    step_bit: DFF<Bit>,
    outlier_bit: DFF<Bit>,
    lock_bit: DFF<Bit>,
    /// A lower bit of the error is 1: a negative one's higher bits are inverted.
    seen: DFF<Bit>,
    step: DFF<Bit>,
    outlier: DFF<Bit>,
    lock: DFF<Bit>,
    fine_lock_thr: Signal<Local, Bits<ERROR_BITS>>,
    bit: Signal<Local, Bit>,
}

impl Logic for Magnitude {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            running,
            error_bit,
            step_bit,
            outlier_bit,
            lock_bit,
            seen,
            step,
            outlier,
            lock
        );
        self.fine_lock_thr.next = bit_cast::<ERROR_BITS, 16>(self.lock_thr.val()) << 8;
        self.running.d.next = self.run.val();
        self.error_bit.d.next = self.error.val().get_bit(self.index.val().index());
        self.step_bit.d.next = self.step_thr.val().get_bit(self.index.val().index());
        self.outlier_bit.d.next = self.outlier_thr.val().get_bit(self.index.val().index());
        self.lock_bit.d.next = self.fine_lock_thr.val().get_bit(self.index.val().index());

        self.bit.next = self.error_bit.q.val() ^ (self.error.val().get_bit(31) & self.seen.q.val());
        if self.running.q.val() {
            self.seen.d.next = self.seen.q.val() | self.error_bit.q.val();
            // The highest bit that differs decides.
            if self.bit.val() != self.step_bit.q.val() {
                self.step.d.next = self.bit.val();
            }
            if self.bit.val() != self.outlier_bit.q.val() {
                self.outlier.d.next = self.bit.val();
            }
            if self.bit.val() != self.lock_bit.q.val() {
                self.lock.d.next = self.bit.val();
            }
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
    clock, restart, run, index, error, step_thr, outlier_thr, lock_thr, above_step, above_outlier, above_lock,
});

const _: () = assert!(ERROR_BITS == 32 && flitforge_protocol::time::FINE_BITS == 8);
