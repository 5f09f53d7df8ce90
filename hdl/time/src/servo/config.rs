//! What the registers say to a servo.

#![allow(missing_docs)]

use super::{ERROR_BITS, GAIN_BITS};
use flitforge_hdl_prim::prelude::*;

/// What the registers say to a servo, at the servo. All of it holds still while a sample is worked on.
#[interface(join = ServoRegisters)]
pub struct ServoConfig {
    /// EN: samples are used.
    enable: In<Bit>,
    /// STEP_EN: SyncTime may be stepped.
    step_enable: In<Bit>,
    /// FREEZE: software is the servo.
    freeze: In<Bit>,
    /// KP.
    kp: In<Bits<GAIN_BITS>>,
    /// KI.
    ki: In<Bits<GAIN_BITS>>,
    /// KACQ.
    kacq: In<Bits<GAIN_BITS>>,
    /// NCLK, core clocks.
    nclk: In<Bits<32>>,
    /// STEP_THR, 1/256 ns.
    step_thr: In<Bits<ERROR_BITS>>,
    /// OUTLIER_THR, 1/256 ns.
    outlier_thr: In<Bits<ERROR_BITS>>,
    /// LOCK_THR, ns.
    lock_thr: In<Bits<16>>,
    /// LOCK_N.
    lock_n: In<Bits<8>>,
    /// OUTLIER_N.
    outlier_n: In<Bits<8>>,
    /// HOLD_N, periods.
    hold_n: In<Bits<8>>,
    /// HOLD_MAX, periods.
    hold_max: In<Bits<24>>,
}

/// The same at the registers.
#[interface(join = ServoConfig)]
pub struct ServoRegisters {
    /// EN: samples are used.
    enable: Out<Bit>,
    /// STEP_EN: SyncTime may be stepped.
    step_enable: Out<Bit>,
    /// FREEZE: software is the servo.
    freeze: Out<Bit>,
    /// KP.
    kp: Out<Bits<GAIN_BITS>>,
    /// KI.
    ki: Out<Bits<GAIN_BITS>>,
    /// KACQ.
    kacq: Out<Bits<GAIN_BITS>>,
    /// NCLK, core clocks.
    nclk: Out<Bits<32>>,
    /// STEP_THR, 1/256 ns.
    step_thr: Out<Bits<ERROR_BITS>>,
    /// OUTLIER_THR, 1/256 ns.
    outlier_thr: Out<Bits<ERROR_BITS>>,
    /// LOCK_THR, ns.
    lock_thr: Out<Bits<16>>,
    /// LOCK_N.
    lock_n: Out<Bits<8>>,
    /// OUTLIER_N.
    outlier_n: Out<Bits<8>>,
    /// HOLD_N, periods.
    hold_n: Out<Bits<8>>,
    /// HOLD_MAX, periods.
    hold_max: Out<Bits<24>>,
}
