//! The register page of fabric time (chapter 20, 5): 64-bit registers at byte offsets in a page of 256.
//!
//! [`REGISTERS`] is the whole page as data; the constants are its offsets. Registers of a tree start at
//! [`tree`]`(t)`, those of the port chosen by [`PORT_SEL`] at [`PORT`].

pub use crate::register::{Access, Counters, Register, BYTES};
use crate::register::{Page, Reset};
use crate::time::{
    GEN_PERIOD_DEFAULT, HIGH_EVERY_DEFAULT, LDM_ROUNDS_LOG2, LDM_TIMEOUT_DEFAULT, TX_WAIT_MAX_DEFAULT,
};
use crate::time_servo::{
    HOLD_MAX_DEFAULT, HOLD_N_DEFAULT, LOCK_N_DEFAULT, LOCK_THR_DEFAULT, OUTLIER_N_DEFAULT, THRESHOLD_DEFAULT,
};

/// Bytes of the page.
pub const PAGE_BYTES: u32 = 256 * BYTES;
/// Bits of every counter of the page: they stop at 2^32 - 1.
pub const COUNTER_BITS: u32 = 32;

/// First register of tree `t` (0 to 3).
#[must_use]
pub const fn tree(t: u32) -> u32 {
    TREE + TREE_STEP * t
}

/// LOCK_CFG after power-on.
const LOCK_CFG_DEFAULT: u64 = LOCK_THR_DEFAULT as u64
    | (LOCK_N_DEFAULT as u64) << 16
    | (OUTLIER_N_DEFAULT as u64) << 24
    | (HOLD_N_DEFAULT as u64) << 32
    | (HOLD_MAX_DEFAULT as u64) << 40;
/// LDM_CTL after power-on.
const LDM_CTL_DEFAULT: u64 = (LDM_ROUNDS_LOG2.0 as u64) << 4 | (LDM_TIMEOUT_DEFAULT - 1) << 16;

/// First register of tree 0.
pub const TREE: u32 = 0x400;
/// Distance of the registers of two trees.
pub const TREE_STEP: u32 = 0x80;
/// First register of the window of the port chosen by [`PORT_SEL`].
pub const PORT: u32 = 0x600;

registers! {
    time_registers_table, "chapter 20, 5", Reset::Value(0);
    /// What was built.
    TIME_ID = 0x000, Read reset(Reset::Build), time_id, {
        version [0 +: 8] "1"; trees [8 +: 8] "N_TREES"; stops [16 +: 8] "N_STOPS"; phase [24 +: 2] "PHASE_SRC";
        embed [26 +: 1] "EMBED"; ratio [28 +: 3] "M, ring edges per core clock"; hop [32 +: 2] "S, registers per hop"; }
    /// Nominal increment per core clock.
    INC_NOM = 0x008, ReadWrite reset(Reset::Build), inc_nom, { value [0 +: 38] "6.32 ns per core clock"; }
    /// LocalTime; reading loads the shadow set.
    LOCAL_TIME = 0x010, Read, local_time, { value [0 +: 64] "LocalTime, ns"; }
    /// Fraction of LocalTime.
    LOCAL_FRAC = 0x018, Read, local_frac, { value [0 +: 32] "2^-32 ns, shadow"; }
    /// SyncTime.
    SYNC_TIME = 0x020, Read, sync_time, { value [0 +: 64] "SyncTime, ns, shadow"; }
    /// Fraction, epoch and servo state of SyncTime.
    SYNC_INFO = 0x028, Read, sync_info, {
        frac [0 +: 32] "2^-32 ns, shadow"; epoch [32 +: 8] "SYNC_EPOCH: steps so far"; state [40 +: 3] "servo state"; }
    /// Value of the next explicit step.
    SET_TIME = 0x030, ReadWrite, set_time, { value [0 +: 64] "staged value, ns"; }
    /// Explicit step.
    SET_CMD = 0x038, Write, set_cmd, { set [0 +: 1] "SyncTime becomes SET_TIME"; add [1 +: 1] "SET_TIME is added, signed"; }
    /// Frequency word.
    F_ACC = 0x040, ReadWrite, f_acc, { value [0 +: 54] "signed 6.48 ns per clock"; }
    /// Slew per clock.
    SLEW_P = 0x048, ReadWrite, slew_p, { value [0 +: 38] "signed 6.32 ns per clock"; }
    /// Slew length.
    SLEW_CNT = 0x050, ReadWrite reset(Reset::Build), slew_cnt, { left [0 +: 32] "clocks left"; length [32 +: 32] "SLEW_N"; }
    /// Limits of the frequency word and the slew.
    LIMITS = 0x058, ReadWrite reset(Reset::Build), limits, { f [0 +: 32] "F_LIMIT, 2^-32 ns"; slew [32 +: 32] "SLEW_LIMIT, 2^-32 ns"; }
    /// Gains in TRACK.
    GAIN = 0x060, ReadWrite reset(Reset::Build), gain, { kp [0 +: 32] "KP"; ki [32 +: 32] "KI"; }
    /// Gain in ACQ and the clocks of a period.
    GAIN_ACQ = 0x068, ReadWrite reset(Reset::Build), gain_acq, { kacq [0 +: 32] "KACQ"; nclk [32 +: 32] "NCLK"; }
    /// Thresholds.
    THR = 0x070, ReadWrite reset(Reset::Value(THRESHOLD_DEFAULT as u64 * (1 << 32 | 1))), thr, { step [0 +: 32] "STEP_THR, 1/256 ns"; outlier [32 +: 32] "OUTLIER_THR, 1/256 ns"; }
    /// Lock and hold-over.
    LOCK_CFG = 0x078, ReadWrite reset(Reset::Value(LOCK_CFG_DEFAULT)), lock_cfg, {
        thr [0 +: 16] "LOCK_THR, ns"; samples [16 +: 8] "LOCK_N"; outliers [24 +: 8] "OUTLIER_N"; hold [32 +: 8] "HOLD_N, periods";
        hold_max [40 +: 24] "HOLD_MAX, periods"; }
    /// Servo control.
    SERVO_CTL = 0x080, ReadWrite reset(Reset::Value(3)), servo_ctl, { en [0 +: 1] "EN"; step_en [1 +: 1] "STEP_EN"; freeze [2 +: 1] "FREEZE"; }
    /// Servo status.
    SERVO_STAT = 0x088, Read, servo_stat, {
        error [0 +: 32] "last phase error, signed, 1/256 ns"; state [32 +: 3] "servo state"; tree [35 +: 2] "tree followed"; }
    /// Master control.
    MSTR_CTL = 0x090, ReadWrite, mstr_ctl, {
        gen_en [0 +: 1] "GEN_EN"; tree [1 +: 2] "master id"; era [3 +: 2] "era"; index [5 +: 8] "master index";
        quality [13 +: 4] "quality"; high_mode [17 +: 1] "HIGH_MODE: 0 paired, 1 separate"; }
    /// Generation.
    GEN_CFG = 0x098, ReadWrite reset(Reset::Value(GEN_PERIOD_DEFAULT | HIGH_EVERY_DEFAULT << 32)), gen_cfg, {
        period [0 +: 12] "GEN_PERIOD, 2^20 ns; 0 = off"; phase [16 +: 16] "GEN_PHASE, 2^12 ns"; high_every [32 +: 8] "HIGH_EVERY, Lows"; }
    /// Events.
    EVENT = 0x0A0, WriteOneClears, event, {
        lock [0 +: 1] "lock"; holdover [1 +: 1] "hold-over"; invalid [2 +: 1] "invalid"; era [3 +: 1] "era changed"; tree [4 +: 1] "tree changed";
        outliers [5 +: 1] "run of outliers"; epoch [6 +: 1] "link epoch"; ldm_done [7 +: 1] "link delay measured"; }
    /// Events that interrupt.
    EVENT_MASK = 0x0A8, ReadWrite, event_mask, { mask [0 +: 8] "bits as in EVENT"; }
    /// Ring of the switch.
    RING_CFG = 0x200, ReadWrite reset(Reset::Build), ring_cfg, { stop [0 +: 6] "own clock stop"; rper [32 +: 26] "RPER, ring period, 6.20 ns"; }
    /// Sends a token.
    TOKEN_CMD = 0x208, ReadWrite except { go: SelfClearing }, token_cmd, {
        src [0 +: 6] "source stop"; target [8 +: 6] "target stop"; ring [16 +: 1] "0 clockwise, 1 counter-clockwise"; go [17 +: 1] "start"; tag [24 +: 8] "tag"; }
    /// What the token found.
    TOKEN_RES = 0x210, Read, token_res, {
        cycles [0 +: 16] "ring cycles C"; waited [16 +: 8] "cycles waited at the target"; tag [24 +: 8] "tag"; done [32 +: 1] "done"; lost [33 +: 1] "lost"; }
    /// Samples of a tree.
    SMP_STAT = TREE, Read except { overflow: Counter, valid: ReadWrite }, smp_stat, {
        level [0 +: 8] "samples in the FIFO"; overflow [8 +: 1] "overflow seen"; era [9 +: 2] "ERA_CUR"; valid [11 +: 2] "offset bank valid"; era_known [13 +: 1] "ERA_CUR known"; }
    /// Takes the oldest sample into the shadow registers.
    SMP_POP = TREE + 0x08, Read, smp_pop, { valid [0 +: 1] "there was a sample"; }
    /// High of the sample.
    MASTER_HIGH = TREE + 0x10, Read, master_high, {
        time [0 +: 32] "time[63:32]"; index [32 +: 8] "master index"; quality [40 +: 4] "quality"; era [44 +: 2] "era"; }
    /// Low of the sample.
    MASTER_LOW = TREE + 0x18, Read, master_low, {
        time [0 +: 40] "time[39:0]"; frac [40 +: 4] "1/16 ns"; era [44 +: 2] "era"; full [47 +: 1] "joined with a High"; }
    /// Joined time of the sample.
    MASTER_FULL = TREE + 0x20, Read, master_full, { value [0 +: 64] "ns"; }
    /// LocalTime of the sample.
    SMP_LOCAL = TREE + 0x28, Read, smp_local, { value [0 +: 64] "ns"; }
    /// Fraction of LocalTime and phase error of the sample.
    SMP_ERR = TREE + 0x30, Read, smp_err, { frac [0 +: 32] "2^-32 ns"; error [32 +: 32] "signed, 1/256 ns"; }
    /// Path delay of eras 0 and 2.
    CLOCK_OFFSET0 = TREE + 0x38, ReadWrite, clock_offset0, { value [0 +: 48] "1/256 ns"; }
    /// Path delay of eras 1 and 3.
    CLOCK_OFFSET1 = TREE + 0x40, ReadWrite, clock_offset1, { value [0 +: 48] "1/256 ns"; }
    /// Role of the port.
    ROLE = PORT, ReadWrite reset(Reset::Value(1 << 9)), role, {
        up_en [0 +: 4] "UP_EN by tree"; dn_en [4 +: 4] "DN_EN by tree"; advance [8 +: 1] "ADVANCE"; hold_on_epoch [9 +: 1] "HOLD_ON_EPOCH"; }
    /// Source stop and ring, 16 bits per tree.
    PATH = PORT + 0x08, ReadWrite, path, {
        source0 [0 +: 6] "EXP_SRC of tree 0"; ring0 [6 +: 1] "RING_SEL of tree 0: 0 clockwise, 1 counter-clockwise";
        source1 [16 +: 6] "EXP_SRC of tree 1"; ring1 [22 +: 1] "RING_SEL of tree 1"; source2 [32 +: 6] "EXP_SRC of tree 2";
        ring2 [38 +: 1] "RING_SEL of tree 2"; source3 [48 +: 6] "EXP_SRC of tree 3"; ring3 [54 +: 1] "RING_SEL of tree 3"; }
    /// Correction of what is received.
    RX_CORR = PORT + 0x10, ReadWrite, rx_corr, { value [0 +: 32] "signed, 1/16 ns"; }
    /// Limit of waiting in ADVANCE mode.
    TX_WAIT = PORT + 0x18, ReadWrite reset(Reset::Value(TX_WAIT_MAX_DEFAULT)), tx_wait, { max [0 +: 16] "TX_WAIT_MAX, clocks"; }
    /// Link delay measurement.
    LDM_CTL = PORT + 0x20, ReadWrite except { start: SelfClearing } reset(Reset::Value(LDM_CTL_DEFAULT)), ldm_ctl, {
        start [0 +: 1] "start"; auto_run [1 +: 1] "AUTO"; adj_en [2 +: 1] "ADJ_EN"; rounds [4 +: 4] "K: 2^K rounds"; timeout [16 +: 16] "TIMEOUT - 1, clocks"; }
    /// Mean delay to the peer.
    LDM_MEAN = PORT + 0x28, Read, ldm_mean, { mean [0 +: 32] "1/256 ns"; done [32 +: 1] "done"; fail [33 +: 1] "failed"; rounds [48 +: 16] "rounds"; }
    /// Smallest and largest delay.
    LDM_RANGE = PORT + 0x30, Read, ldm_range, { min [0 +: 32] "1/256 ns"; max [32 +: 32] "1/256 ns"; }
    /// Forward minus backward delay.
    LDM_ASYM = PORT + 0x38, ReadWrite, ldm_asym, { value [0 +: 32] "signed, 1/256 ns"; }
    /// Link epochs.
    EPOCH = PORT + 0x40, ReadWrite, epoch, { link [0 +: 16] "LINK_EPOCH"; measured [16 +: 16] "MEASURED_EPOCH"; }
    /// Lags now.
    LAG = PORT + 0x48, Read, lag, {
        rx [0 +: 20] "signed, 1/256 ns"; tx [20 +: 20] "signed, 1/256 ns"; fixed [62 +: 1] "static phase"; phase_ok [63 +: 1] "phase_ok"; }
    /// Delay the manager used.
    LDM_ACK = PORT + 0x50, ReadWrite, ldm_ack, { value [0 +: 32] "1/256 ns"; }
    /// Trees to follow.
    TREE_PRIO = 0x700, ReadWrite reset(Reset::Value(1 << 8)), tree_prio, {
        first [0 +: 2] "highest priority"; second [2 +: 2] "second"; third [4 +: 2] "third"; fourth [6 +: 2] "lowest priority"; slave_en [8 +: 4] "SLAVE_EN by tree"; }
    /// Port shown in the window.
    PORT_SEL = 0x708, ReadWrite, port_sel, { port [0 +: 6] "port"; }
    ;
    /// Counters of the time source, generator and servo.
    CORE_COUNTERS = 0x100, COUNTER_BITS, { GEN_LOW, GEN_HIGH, STEPS, CLAMPS, REFUSED, OUTLIER }
    /// Counters of the rings.
    RING_COUNTERS = 0x280, COUNTER_BITS, { ORPHAN, RING_BUSY, RING_WAIT_OVER, RING_PARITY, TOKEN_LOST }
    /// Counters of a tree.
    TREE_COUNTERS = TREE + 0x48, COUNTER_BITS, { SMP_OK, SMP_OVER, OVERLAP_BAD, OLD_ERA, BAD_ERA, NO_HIGH }
    /// Counters of a port.
    PORT_COUNTERS = PORT + 0x80, COUNTER_BITS, { EXTRACTED, NOT_UPSTREAM, PHASE_INVALID, LAG_SAT, UNKNOWN_SUB, WRONG_SRC, INJECTED, TX_WAIT_OVER, EPOCH_HOLD, LDM_RETRY, ADVANCED }
}

/// Version of the page, as TIME_ID has it.
pub const PAGE_VERSION: u64 = 1;
/// All groups of counters.
pub const COUNTERS: &[Counters] = &[CORE_COUNTERS, RING_COUNTERS, TREE_COUNTERS, PORT_COUNTERS];
/// The whole page.
pub const PAGE: Page = Page {
    name: "time",
    title: "Registers of fabric time",
    source: "chapter 20, 5",
    bytes: PAGE_BYTES,
    registers: REGISTERS,
    counters: COUNTERS,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registers_of_a_tree_fit_between_two_trees() {
        let of_tree = |offset: u32| (TREE..PORT).contains(&offset);
        assert!(REGISTERS.iter().filter(|r| of_tree(r.offset)).all(|r| r.offset < TREE_COUNTERS.offset));
        assert!(TREE_COUNTERS.offset + TREE_COUNTERS.names.len() as u32 * BYTES <= TREE + TREE_STEP);
        assert_eq!(tree(3) + TREE_STEP, PORT);
    }

    #[test]
    fn counters_are_found_by_name() {
        assert_eq!(PORT_COUNTERS.offset_of("NOT_UPSTREAM"), Some(0x688));
        assert_eq!(CORE_COUNTERS.offset_of("NOT_UPSTREAM"), None);
    }
}
