//! Changes of the link.

use super::{DELAY_BITS, EPOCH_BITS, LANES_BITS, TURN_BITS};
use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of both epochs in their register.
pub const EPOCHS_BITS: usize = 2 * EPOCH_BITS;

/// LINK_EPOCH, MEASURED_EPOCH and what follows from them (chapter 20, 4.8 rule 4).
///
/// - `link` counts 2 clocks after a change. With `auto_run` a run begins 2 clocks after the change, and again 2 clocks
///   after one within a run; it also begins if the change was before `auto_run`, or if `clear` ended the run.
/// - A run is of the LINK_EPOCH at its beginning: that becomes MEASURED_EPOCH when it has a result.
/// - `rx_corr` comes 2 clocks after `finished`, if `adjust` is set and the run has a result.
/// - `clear` stops nothing here but `rx_corr` and a beginning run: epochs stay.
#[derive(LogicBlock)]
pub struct LinkEpoch {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The link is Active.
    pub active: Signal<In, Bit>,
    /// Its lane masks.
    pub lanes: Signal<In, Bits<LANES_BITS>>,
    /// EPOCH is written: LINK_EPOCH \[15:0\], MEASURED_EPOCH \[31:16\]. A change of the same clock counts on from there.
    pub write: FlowIn<Bits<EPOCHS_BITS>>,
    /// A run is wanted.
    pub start: Signal<In, Bit>,
    /// AUTO.
    pub auto_run: Signal<In, Bit>,
    /// RX_CORR is to be set.
    pub adjust: Signal<In, Bit>,
    /// HOLD_ON_EPOCH.
    pub hold_on_epoch: Signal<In, Bit>,
    /// A run is going on.
    pub running: Signal<In, Bit>,
    /// It ended in the clock before.
    pub finished: Signal<In, Bit>,
    /// It has a result.
    pub done: Signal<In, Bit>,
    /// Mean delay to the peer, signed, 1/256 ns.
    pub mean: Signal<In, Bits<DELAY_BITS>>,
    /// ASYM, signed, 1/256 ns.
    pub asymmetry: Signal<In, Bits<DELAY_BITS>>,
    /// LDM_ACK, signed, 1/256 ns.
    pub acknowledged: Signal<In, Bits<DELAY_BITS>>,
    /// A run begins.
    pub begin: Signal<Out, Bit>,
    /// Event: the link changed.
    pub changed: Signal<Out, Bit>,
    /// LINK_EPOCH.
    pub link: Signal<Out, Bits<EPOCH_BITS>>,
    /// MEASURED_EPOCH.
    pub measured: Signal<Out, Bits<EPOCH_BITS>>,
    /// The link has changed since it was measured, and HOLD_ON_EPOCH is set.
    pub hold: Signal<Out, Bit>,
    /// New RX_CORR, signed, 1/16 ns.
    pub rx_corr: FlowOut<Bits<DELAY_BITS>>,

    was_active: DFF<Bit>,
    lanes_before: DFF<Bits<LANES_BITS>>,
    changed_now: DFF<Bit>,
    link_now: DFF<Bits<EPOCH_BITS>>,
    measured_now: DFF<Bits<EPOCH_BITS>>,
    run_epoch: DFF<Bits<EPOCH_BITS>>,
    pending: DFF<Bit>,
    begin_now: DFF<Bit>,
    held: DFF<Bit>,
    /// ASYM and LDM_ACK.
    known: DFF<Bits<TURN_BITS>>,
    more: DFF<Bits<TURN_BITS>>,
    adjusting: DFF<Bit>,
    adjusted: DFF<Bit>,
    correction: DFF<Bits<TURN_BITS>>,

    before: Signal<Local, Bits<EPOCH_BITS>>,
    fires: Signal<Local, Bit>,
    wide_asymmetry: Signal<Local, Bits<TURN_BITS>>,
    wide_acknowledged: Signal<Local, Bits<TURN_BITS>>,
    wide_mean: Signal<Local, Bits<TURN_BITS>>,
    narrow: Signal<Local, Bits<DELAY_BITS>>,
    half: Constant<Bits<TURN_BITS>>,
    ones: Constant<Bits<TURN_BITS>>,
    sign: Constant<Bits<DELAY_BITS>>,
}

impl Default for LinkEpoch {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            active: Default::default(),
            lanes: Default::default(),
            write: Default::default(),
            start: Default::default(),
            auto_run: Default::default(),
            adjust: Default::default(),
            hold_on_epoch: Default::default(),
            running: Default::default(),
            finished: Default::default(),
            done: Default::default(),
            mean: Default::default(),
            asymmetry: Default::default(),
            acknowledged: Default::default(),
            begin: Default::default(),
            changed: Default::default(),
            link: Default::default(),
            measured: Default::default(),
            hold: Default::default(),
            rx_corr: Default::default(),
            was_active: Default::default(),
            lanes_before: Default::default(),
            changed_now: Default::default(),
            link_now: Default::default(),
            measured_now: Default::default(),
            run_epoch: Default::default(),
            pending: Default::default(),
            begin_now: Default::default(),
            held: Default::default(),
            known: Default::default(),
            more: Default::default(),
            adjusting: Default::default(),
            adjusted: Default::default(),
            correction: Default::default(),
            before: Default::default(),
            fires: Default::default(),
            wide_asymmetry: Default::default(),
            wide_acknowledged: Default::default(),
            wide_mean: Default::default(),
            narrow: Default::default(),
            half: Constant::new(8.into()),
            ones: Constant::new(((1_u64 << TURN_BITS) - 1).into()),
            sign: Constant::new(0xC000_0000_u64.into()),
        }
    }
}

impl Logic for LinkEpoch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, was_active, lanes_before, changed_now, link_now, measured_now, run_epoch);
        dff_setup!(self, clock, pending, begin_now, held, known, more, adjusting, adjusted, correction);

        // Changes.
        self.was_active.d.next = self.active.val();
        self.lanes_before.d.next = self.lanes.val();
        self.changed_now.d.next =
            (self.active.val() & !self.was_active.q.val()) | (self.lanes.val() != self.lanes_before.q.val());
        self.before.next = self.link_now.q.val();
        if self.write.valid.val() {
            self.before.next = self.write.data.val().get_bits::<EPOCH_BITS>(0);
        }
        self.link_now.d.next = self.before.val() + bit_cast::<EPOCH_BITS, 1>(self.changed_now.q.val().into());

        // Runs. One that was begun shows as `running` 2 clocks later.
        self.pending.d.next = self.changed_now.q.val() | (self.pending.q.val() & !self.finished.val());
        self.fires.next =
            self.pending.q.val() & !self.running.val() & !self.finished.val() & !self.begin_now.q.val();
        self.begin_now.d.next = (self.start.val()
            | (self.auto_run.val() & (self.changed_now.q.val() | self.fires.val())))
            & !self.clear.val();
        if self.begin_now.q.val() {
            self.run_epoch.d.next = self.link_now.q.val();
        }
        if self.finished.val() & self.done.val() {
            self.measured_now.d.next = self.run_epoch.q.val();
        }
        if self.write.valid.val() {
            self.measured_now.d.next = self.write.data.val().get_bits::<EPOCH_BITS>(16);
        }
        self.held.d.next = self.hold_on_epoch.val() & (self.link_now.q.val() != self.measured_now.q.val());

        // RX_CORR: the delay from the peer is the mean less ASYM.
        self.wide_asymmetry.next = bit_cast::<TURN_BITS, DELAY_BITS>(self.asymmetry.val());
        if self.asymmetry.val().get_bit(31) {
            self.wide_asymmetry.next =
                bit_cast::<TURN_BITS, DELAY_BITS>(self.asymmetry.val()) | (self.ones.val() << 32);
        }
        self.wide_acknowledged.next = bit_cast::<TURN_BITS, DELAY_BITS>(self.acknowledged.val());
        if self.acknowledged.val().get_bit(31) {
            self.wide_acknowledged.next =
                bit_cast::<TURN_BITS, DELAY_BITS>(self.acknowledged.val()) | (self.ones.val() << 32);
        }
        self.wide_mean.next = bit_cast::<TURN_BITS, DELAY_BITS>(self.mean.val());
        if self.mean.val().get_bit(31) {
            self.wide_mean.next =
                bit_cast::<TURN_BITS, DELAY_BITS>(self.mean.val()) | (self.ones.val() << 32);
        }
        self.known.d.next = self.wide_asymmetry.val() + self.wide_acknowledged.val();
        self.more.d.next = self.wide_mean.val() - self.known.q.val();
        self.correction.d.next = self.more.q.val() + self.half.val();
        self.adjusting.d.next = self.finished.val() & self.done.val() & self.adjust.val() & !self.clear.val();
        self.adjusted.d.next = self.adjusting.q.val() & !self.clear.val();
        self.narrow.next = bit_cast::<DELAY_BITS, 30>(self.correction.q.val().get_bits::<30>(4));
        if self.correction.q.val().get_bit(33) {
            self.narrow.next =
                bit_cast::<DELAY_BITS, 30>(self.correction.q.val().get_bits::<30>(4)) | self.sign.val();
        }

        self.begin.next = self.begin_now.q.val();
        self.changed.next = self.changed_now.q.val();
        self.link.next = self.link_now.q.val();
        self.measured.next = self.measured_now.q.val();
        self.hold.next = self.held.q.val();
        self.rx_corr.valid.next = self.adjusted.q.val();
        self.rx_corr.data.next = self.narrow.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_epoch", &[])
    }
}

drive_ports!(impl[] LinkEpoch {
    clock, clear, active, lanes, write, start, auto_run, adjust, hold_on_epoch, running, finished, done, mean, asymmetry,
    acknowledged, begin, changed, link, measured, hold, rx_corr,
});

const _: () = assert!(TURN_BITS == 34 && DELAY_BITS == 32 && EPOCH_BITS == 16);
