//! Changes of the link.

use super::{DELAY_BITS, EPOCH_BITS, LANES_BITS, TURN_BITS};
use flitforge_hdl_prim::prelude::*;

/// Bits of both epochs in their register.
pub const EPOCHS_BITS: usize = 2 * EPOCH_BITS;

/// LINK_EPOCH, MEASURED_EPOCH and what follows from them (chapter 20, 4.8 rule 4).
///
/// - `link` counts 2 clocks after a change. With `auto_run` a run begins 2 clocks after the change, and again 2 clocks
///   after one within a run; it also begins if the change was before `auto_run`, or if `clear` ended the run.
/// - A run is of the LINK_EPOCH at its beginning: that becomes MEASURED_EPOCH when it has a result.
/// - `rx_corr` comes 2 clocks after `finished`, if `adjust` is set and the run has a result.
/// - `clear` stops nothing here but `rx_corr` and a beginning run: epochs stay.
#[block("link_epoch")]
pub struct LinkEpoch {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The link is Active.
    active: In<Bit>,
    /// Its lane masks.
    lanes: In<Bits<LANES_BITS>>,
    /// EPOCH is written: LINK_EPOCH \[15:0\], MEASURED_EPOCH \[31:16\]. A change of the same clock counts on from there.
    pub write: FlowIn<Bits<EPOCHS_BITS>>,
    /// A run is wanted.
    start: In<Bit>,
    /// AUTO.
    auto_run: In<Bit>,
    /// RX_CORR is to be set.
    adjust: In<Bit>,
    /// HOLD_ON_EPOCH.
    hold_on_epoch: In<Bit>,
    /// A run is going on.
    running: In<Bit>,
    /// It ended in the clock before.
    finished: In<Bit>,
    /// It has a result.
    done: In<Bit>,
    /// Mean delay to the peer, signed, 1/256 ns.
    mean: In<Bits<DELAY_BITS>>,
    /// ASYM, signed, 1/256 ns.
    asymmetry: In<Bits<DELAY_BITS>>,
    /// LDM_ACK, signed, 1/256 ns.
    acknowledged: In<Bits<DELAY_BITS>>,
    /// A run begins.
    begin: Out<Bit>,
    /// Event: the link changed.
    changed: Out<Bit>,
    /// LINK_EPOCH.
    link: Out<Bits<EPOCH_BITS>>,
    /// MEASURED_EPOCH.
    measured: Out<Bits<EPOCH_BITS>>,
    /// The link has changed since it was measured, and HOLD_ON_EPOCH is set.
    hold: Out<Bit>,
    /// New RX_CORR, signed, 1/16 ns.
    pub rx_corr: FlowOut<Bits<DELAY_BITS>>,

    was_active: Reg<Bit>,
    lanes_before: Reg<Bits<LANES_BITS>>,
    changed_now: Reg<Bit>,
    link_now: Reg<Bits<EPOCH_BITS>>,
    measured_now: Reg<Bits<EPOCH_BITS>>,
    run_epoch: Reg<Bits<EPOCH_BITS>>,
    pending: Reg<Bit>,
    begin_now: Reg<Bit>,
    held: Reg<Bit>,
    /// ASYM and LDM_ACK.
    known: Reg<Bits<TURN_BITS>>,
    more: Reg<Bits<TURN_BITS>>,
    adjusting: Reg<Bit>,
    adjusted: Reg<Bit>,
    correction: Reg<Bits<TURN_BITS>>,

    #[init(8)]
    half: Constant<Bits<TURN_BITS>>,
    #[init((1_u64 << TURN_BITS) - 1)]
    ones: Constant<Bits<TURN_BITS>>,
    #[init(0xC000_0000)]
    sign: Constant<Bits<DELAY_BITS>>,
}

#[logic]
impl LinkEpoch {
    fn update(&mut self) {
        // Changes.
        was_active = active;
        lanes_before = lanes;
        changed_now = (active & !was_active) | (lanes != lanes_before);
        let mut before = link_now;
        if write.valid {
            before = write.data.bits::<EPOCH_BITS>(0);
        }
        link_now = before + bit_cast::<EPOCH_BITS, 1>(changed_now.into());

        // Runs. One that was begun shows as `running` 2 clocks later.
        pending = changed_now | (pending & !finished);
        let fires = pending & !running & !finished & !begin_now;
        begin_now = (start | (auto_run & (changed_now | fires))) & !clear;
        if begin_now {
            run_epoch = link_now;
        }
        if finished & done {
            measured_now = run_epoch;
        }
        if write.valid {
            measured_now = write.data.bits::<EPOCH_BITS>(16);
        }
        held = hold_on_epoch & (link_now != measured_now);

        // RX_CORR: the delay from the peer is the mean less ASYM.
        let mut wide_asymmetry = bit_cast::<TURN_BITS, DELAY_BITS>(asymmetry);
        if asymmetry[31] {
            wide_asymmetry = bit_cast::<TURN_BITS, DELAY_BITS>(asymmetry) | (ones << 32);
        }
        let mut wide_acknowledged = bit_cast::<TURN_BITS, DELAY_BITS>(acknowledged);
        if acknowledged[31] {
            wide_acknowledged = bit_cast::<TURN_BITS, DELAY_BITS>(acknowledged) | (ones << 32);
        }
        let mut wide_mean = bit_cast::<TURN_BITS, DELAY_BITS>(mean);
        if mean[31] {
            wide_mean = bit_cast::<TURN_BITS, DELAY_BITS>(mean) | (ones << 32);
        }
        known = wide_asymmetry + wide_acknowledged;
        more = wide_mean - known;
        correction = more + half;
        adjusting = finished & done & adjust & !clear;
        adjusted = adjusting & !clear;
        let mut narrow = bit_cast::<DELAY_BITS, 30>(correction.bits::<30>(4));
        if correction[33] {
            narrow = bit_cast::<DELAY_BITS, 30>(correction.bits::<30>(4)) | sign;
        }

        begin = begin_now;
        changed = changed_now;
        link = link_now;
        measured = measured_now;
        hold = held;
        rx_corr = In { valid: adjusted, data: narrow };
    }
}

const _: () = assert!(TURN_BITS == 34 && DELAY_BITS == 32 && EPOCH_BITS == 16);
