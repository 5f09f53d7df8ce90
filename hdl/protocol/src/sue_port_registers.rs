//! The register page of a port of Scale-Up Ethernet (chapter 50, 0 and 5), at [`crate::sue_registers::port_page`].
//!
//! [`PAGE`] is the whole page as data; the constants are its offsets. What section 0 adds to the table of section 5 stands in bits
//! that were free and in P_LLR_LIMITS, P_LLR_START and P_CONTROL: these places are ours. [`ranges`] has what a write may hold.
//! Registers of [`LOCKED`] are written only while P_CTRL.enable is 0, and of P_CTRL itself only `enable`, `retry` and `retry_restart` then.

use crate::field_range::FieldRange;
use crate::register::{Counters, Page, Reset, BYTES};
use crate::sue::link_control::{CC_OPCODE, CELL_EXPONENT_MAX, CREDIT_BITS, LEAST_GAP};
use crate::sue::{
    Profile, INTER_PACKET_GAP, MAX_FRAME_BYTES, MIN_FRAME_BYTES, MIN_FRAME_RANGE, PACKET_OVERHEAD_MIN,
};

/// Bytes of the page of a port.
pub const PAGE_BYTES: u32 = 0x400;
/// Bits of every counter: they stop at 2^48 - 1.
pub const COUNTER_BITS: usize = crate::counter::COUNTER_BITS;

/// Reset value of the replay timer in clocks of the MAC (chapter 50, 5).
pub const REPLAY_TIMER: u64 = 1600;
/// Reset value of MAX.
pub const REPLAYS_MAX: u64 = 3;
/// Reset value of INIT_T in clocks.
pub const INIT_TIMER: u64 = 4096;
/// Reset value of NACK_T in clocks.
pub const NACK_TIMER: u64 = 3200;
/// Most frames of the replay buffer (LLR_FRAMES).
pub const RETRY_FRAMES: u64 = 64;
/// Octets of the replay buffer (LLR_BYTES, 4).
pub const RETRY_BYTES: u64 = 16 << 10;
/// Clocks between two equal ordered sets after power-on, with CTL_TWICE: ours.
pub const TWICE_WITHIN: u64 = 200;
/// XOFF and XON of a class after power-on, in 64 octets: ours. 3 KB and 2 KB of a ring of 8 KB leave room for two largest bodies.
pub const PAUSE_THRESHOLDS: (u64, u64) = (48, 32);
/// The two beside each other.
const PAUSE_PAIR: u64 = PAUSE_THRESHOLDS.0 | (PAUSE_THRESHOLDS.1 << 8);
/// Words of the replay buffer after power-on when one more frame begins: a largest frame fits.
const ROOM_WORDS: u64 = (RETRY_BYTES - MAX_FRAME_BYTES as u64) / 8;
/// Reset value of the pause quanta.
pub const PAUSE_QUANTA: u64 = 0xFFFF;
/// Reset value of PFC_WD in 1024 clocks.
pub const PAUSE_WATCHDOG: u64 = 153;
/// Exponent of CELL after power-on: 256 octets.
pub const CELL_EXPONENT: u64 = 3;
/// Reset value of CELL_BATCH.
pub const CELL_BATCH: u64 = 4;
/// Reset value of CF_TIMER in clocks.
pub const FREED_TIMER: u64 = 1024;
/// Reset value of CC_TIMER in 64 clocks.
pub const CONSUMED_TIMER: u64 = 1024;
/// Reset value of LIMIT.
pub const LIMIT: u64 = 32;
/// Largest LIMIT (0).
pub const LIMIT_MAX: u64 = (1 << (CREDIT_BITS - 1)) - 1;

coded_enum! {
    /// Flow control of a port, P_CTRL.flow_control.
    FlowControl: u8, {
        None = 0, "none", "no flow control";
        Pause = 1, "PFC", "priority flow control";
        Credits = 2, "CBFC", "credit-based flow control";
    }
}

coded_enum! {
    /// Counters of a port: the code is the number i of P_COUNT[i].
    PortCounter: u8, {
        FramesTx = 0, "FRAMES_TX", "frames sent";
        FramesRx = 1, "FRAMES_RX", "frames received";
        BytesTx = 2, "BYTES_TX", "octets of frames sent, with FCS";
        BytesRx = 3, "BYTES_RX", "octets of frames received, with FCS";
        Fcs = 4, "FCS", "frames with a wrong FCS";
        Runt = 5, "RUNT", "frames that were too short";
        Long = 6, "LONG", "frames that were too long";
        Code = 7, "CODE", "frames with an error character or without an end";
        RetryAckTx = 8, "LLR_ACK_TX", "LLR_ACK sent";
        RetryAckRx = 9, "LLR_ACK_RX", "LLR_ACK received";
        RetryNackTx = 10, "LLR_NACK_TX", "LLR_NACK sent";
        RetryNackRx = 11, "LLR_NACK_RX", "LLR_NACK received";
        RetryInitTx = 12, "LLR_INIT_TX", "LLR_INIT sent";
        RetryInitRx = 13, "LLR_INIT_RX", "LLR_INIT received";
        RetryReplay = 14, "LLR_REPLAY", "replays begun";
        RetryFlush = 15, "LLR_FLUSH", "frames dropped by a flush";
        RetryDuplicate = 16, "LLR_DUP", "frames received before";
        RetrySequence = 17, "LLR_SEQ", "frames ahead of the expected one";
        ControlBad = 18, "CTLOS_BAD", "ordered sets that were ignored";
        PauseTx0 = 19, "PFC_TX0", "PFC frames sent for class 0";
        PauseTx1 = 20, "PFC_TX1", "PFC frames sent for class 1";
        PauseTx2 = 21, "PFC_TX2", "PFC frames sent for class 2";
        PauseTx3 = 22, "PFC_TX3", "PFC frames sent for class 3";
        PauseTx4 = 23, "PFC_TX4", "PFC frames sent for class 4";
        PauseTx5 = 24, "PFC_TX5", "PFC frames sent for class 5";
        PauseRx0 = 25, "PFC_RX0", "PFC frames received for class 0";
        PauseRx1 = 26, "PFC_RX1", "PFC frames received for class 1";
        PauseRx2 = 27, "PFC_RX2", "PFC frames received for class 2";
        PauseRx3 = 28, "PFC_RX3", "PFC frames received for class 3";
        PauseRx4 = 29, "PFC_RX4", "PFC frames received for class 4";
        PauseRx5 = 30, "PFC_RX5", "PFC frames received for class 5";
        PauseWatchdog = 31, "PFC_WD", "classes paused longer than PFC_WD";
        FreedTx = 32, "CF_TX", "CF_Update sent";
        FreedRx = 33, "CF_RX", "CF_Update received";
        ConsumedHeal = 34, "CC_HEAL", "cells of lost frames given back";
        Inject = 35, "INJECT", "frames injected";
        Extract = 36, "EXTRACT", "frames extracted";
        RetryPoison = 37, "LLR_POISON", "poisoned frames accepted and dropped";
    }
}

/// Number of counters P_COUNT.
pub const COUNTERS: usize = PortCounter::ALL.len();

registers! {
    sue_port_registers_table, "chapter 50, 5", Reset::Value(0);
    /// Control.
    P_CTRL = 0x000, ReadWrite except { retry_restart: SelfClearing }
        reset(Reset::Value(1 << 4 | (MIN_FRAME_BYTES as u64) << 8 | (INTER_PACKET_GAP as u64) << 16)), p_ctrl, {
        enable [0 +: 1] "runs"; retry [1 +: 1] "LLR: link-layer retry is on"; flow_control [2 +: 2] "0 none, 1 PFC, 2 CBFC";
        fcs_over_sequence [4 +: 1] "LLR_FCS_SEQ"; loopback [5 +: 1] "what is sent is received"; retry_restart [6 +: 1] "link-layer retry starts anew";
        minimum [8 +: 6] "MINF, octets without FCS"; gap [16 +: 6] "IPG, octets"; lite_partition [22 +: 10] "partition of SUE Lite";
        control_in_frame [32 +: 1] "CTL_IN_FRAME: ordered sets go inside long frames, too"; control_twice [33 +: 1] "CTL_TWICE: only two equal ordered sets count";
        profile [34 +: 1] "PROFILE: 0 sue1, 1 ue103"; }
    /// Status.
    P_STAT = 0x008, Read, p_stat, {
        up [0 +: 1] "the link is up"; retry_tx [1 +: 3] "LLR sender: 0 off, 1 INIT, 2 ADVANCE, 3 REPLAY, 4 FLUSH";
        retry_rx [4 +: 3] "LLR receiver: 0 off, 1 SEND_ACKS, 2 SEND_NACK, 3 NACK_SENT"; paused [8 +: 8] "classes that are paused"; }
    /// Timers of link-layer retry.
    P_LLR = 0x010, ReadWrite reset(Reset::Value(REPLAY_TIMER | REPLAYS_MAX << 16 | INIT_TIMER << 24 | NACK_TIMER << 40)), p_llr, {
        replay_timer [0 +: 16] "clocks"; replays_max [16 +: 8] "MAX; 255: no limit"; init_timer [24 +: 16] "INIT_T, clocks"; nack_timer [40 +: 16] "NACK_T, clocks"; }
    /// Thresholds of PFC, classes 0 to 3, in 64 octets.
    P_PFC0 = 0x018, ReadWrite reset(Reset::Value(PAUSE_PAIR * 0x0001_0001_0001_0001)), p_pfc0, {
        xoff_0 [0 +: 8] "XOFF of class 0"; xon_0 [8 +: 8] "XON of class 0"; xoff_1 [16 +: 8] "XOFF of class 1"; xon_1 [24 +: 8] "XON of class 1";
        xoff_2 [32 +: 8] "XOFF of class 2"; xon_2 [40 +: 8] "XON of class 2"; xoff_3 [48 +: 8] "XOFF of class 3"; xon_3 [56 +: 8] "XON of class 3"; }
    /// Thresholds of PFC, classes 4 and 5, and its times.
    P_PFC1 = 0x020, ReadWrite
        reset(Reset::Value((PAUSE_PAIR * 0x0001_0001) | PAUSE_QUANTA << 32 | PAUSE_WATCHDOG << 48)), p_pfc1, {
        xoff_4 [0 +: 8] "XOFF of class 4"; xon_4 [8 +: 8] "XON of class 4"; xoff_5 [16 +: 8] "XOFF of class 5"; xon_5 [24 +: 8] "XON of class 5";
        quanta [32 +: 16] "pause quanta of XOFF"; watchdog [48 +: 16] "PFC_WD, 1024 clocks"; }
    /// Credit-based flow control.
    P_CELL = 0x028, ReadWrite
        reset(Reset::Value(CELL_EXPONENT | (Profile::Sue1.packet_overhead() as u64) << 8 | CELL_BATCH << 16 | FREED_TIMER << 24 | CONSUMED_TIMER << 40)), p_cell, {
        cell [0 +: 3] "CELL = 32 * 2^n octets"; overhead [8 +: 8] "PKT_OVHD, signed octets, -16 to 127"; cell_batch [16 +: 8] "CELL_BATCH";
        freed_timer [24 +: 16] "CF_TIMER, clocks"; consumed_timer [40 +: 16] "CC_TIMER, 64 clocks"; pool [56 +: 1] "all classes share the LIMIT of class 0"; }
    /// LIMIT of classes 0 to 3.
    P_LIM0 = 0x030, ReadWrite reset(Reset::Value(LIMIT * 0x0001_0001_0001_0001)), p_lim0, {
        limit_0 [0 +: 16] "cells of class 0"; limit_1 [16 +: 16] "cells of class 1"; limit_2 [32 +: 16] "cells of class 2"; limit_3 [48 +: 16] "cells of class 3"; }
    /// LIMIT of classes 4 and 5.
    P_LIM1 = 0x038, ReadWrite reset(Reset::Value(LIMIT * 0x0001_0001)), p_lim1, { limit_4 [0 +: 16] "cells of class 4"; limit_5 [16 +: 16] "cells of class 5"; }
    /// Limits of link-layer retry.
    P_LLR_LIMITS = 0x040, ReadWrite
        reset(Reset::Value(RETRY_FRAMES << 32 | 0xFF << 48)), p_llr_limits, {
        pcs_lost [0 +: 16] "PCS_LOST_T, 1024 clocks; 0: never"; age [16 +: 16] "AGE_T, 1024 clocks; 0: never"; frames_max [32 +: 7] "most outstanding frames";
        waiting [40 +: 2] "frames that wait in INIT and FLUSH: 0 block, 1 best effort, 2 discard"; automatic [42 +: 1] "FLUSH ends by itself";
        eligible [48 +: 8] "classes that go through link-layer retry"; }
    /// Start and room of link-layer retry.
    P_LLR_START = 0x048, ReadWrite reset(Reset::Value(ROOM_WORDS << 24 | TWICE_WITHIN << 40)), p_llr_start, {
        first [0 +: 20] "first sequence number"; room_words [24 +: 13] "most words of 8 octets in the replay buffer when one more frame begins";
        twice_within [40 +: 16] "clocks between two ordered sets of CTL_TWICE"; }
    /// MAC control frames of CBFC.
    P_CONTROL = 0x050, ReadWrite reset(Reset::Value(CC_OPCODE as u64 | (MAX_FRAME_BYTES as u64 - 4) << 16)), p_control, {
        opcode [0 +: 16] "CC_OPC"; largest [16 +: 14] "octets without FCS of the largest frame that is sent"; }
}

/// Names of the counters, in the order of their numbers.
const COUNTER_NAMES: [&str; COUNTERS] = {
    let mut names = [""; COUNTERS];
    let mut index = 0;
    while index < COUNTERS {
        names[index] = PortCounter::ALL[index].name();
        index += 1;
    }
    names
};

/// Counters of the port.
pub const P_COUNT: Counters = Counters { bits: COUNTER_BITS as u32, offset: 0x100, names: &COUNTER_NAMES };

/// The whole page.
pub const PAGE: Page = Page {
    name: "sue_port",
    title: "Registers of a port of Scale-Up Ethernet",
    source: "chapter 50, 5",
    bytes: PAGE_BYTES,
    registers: REGISTERS,
    counters: &[P_COUNT],
};

/// Registers that are written only while P_CTRL.enable is 0.
pub const LOCKED: &[u32] =
    &[P_LLR, P_PFC0, P_PFC1, P_CELL, P_LIM0, P_LIM1, P_LLR_LIMITS, P_LLR_START, P_CONTROL];

/// Fields of P_CTRL that change while `enable` is 1.
pub const LIVE: &[&str] = &["enable", "retry", "retry_restart"];

/// PKT_OVHD of these values, as unsigned, is less than -16.
pub const OVERHEAD_REFUSED: (u64, u64) = (0x80, (PACKET_OVERHEAD_MIN as u8) as u64 - 1);

/// What fields may hold; those that are not here may hold anything. XON may not be above XOFF, and PKT_OVHD not in [`OVERHEAD_REFUSED`].
#[must_use]
pub fn ranges() -> Vec<FieldRange> {
    let most = u64::MAX;
    let mut ranges = vec![
        FieldRange::new(P_CTRL, "flow_control", 0, FlowControl::Credits as u64),
        FieldRange::new(P_CTRL, "minimum", MIN_FRAME_RANGE.0 as u64, MIN_FRAME_RANGE.1 as u64),
        FieldRange::new(P_CTRL, "gap", LEAST_GAP as u64, most),
        FieldRange::new(P_LLR, "replay_timer", 1, most),
        FieldRange::new(P_LLR, "init_timer", 1, most),
        FieldRange::new(P_LLR, "nack_timer", 1, most),
        FieldRange::new(P_CELL, "cell", 0, CELL_EXPONENT_MAX.into()),
        FieldRange::new(P_CELL, "cell_batch", 1, most),
        FieldRange::new(P_CELL, "freed_timer", 1, most),
        FieldRange::new(P_CELL, "consumed_timer", 1, most),
        FieldRange::new(P_LLR_LIMITS, "frames_max", 1, RETRY_FRAMES),
        FieldRange::new(P_LLR_LIMITS, "waiting", 0, 2),
    ];
    let limits = [(P_LIM0, "limit_0"), (P_LIM0, "limit_1"), (P_LIM0, "limit_2"), (P_LIM0, "limit_3")];
    let limits = limits.into_iter().chain([(P_LIM1, "limit_4"), (P_LIM1, "limit_5")]);
    ranges.extend(limits.map(|(offset, field)| FieldRange::new(offset, field, 0, LIMIT_MAX)));
    ranges
}

/// Byte offset of a counter in the page.
#[must_use]
pub const fn counter_offset(counter: PortCounter) -> u32 {
    P_COUNT.offset + counter.code() as u32 * BYTES
}

const _: () = assert!(COUNTERS == 38 && crate::sue::class::CLASSES == 6);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::RegisterValue;

    #[test]
    fn resets_are_those_of_the_chapter_and_in_range() {
        let reset = |offset| match PAGE.register_at(offset).expect("a register").0.reset {
            Reset::Value(value) => value,
            Reset::Build | Reset::Undescribed => unreachable!("{offset:#x}"),
        };
        assert_eq!(reset(P_CTRL), 1 << 4 | 60 << 8 | 12 << 16);
        assert_eq!(reset(P_LLR), 1600 | 3 << 16 | 4096 << 24 | 3200 << 40);
        assert_eq!(reset(P_PFC1) >> 32, 0x0099_FFFF);
        assert_eq!(reset(P_CELL), 3 | 20 << 8 | 4 << 16 | 1024 << 24 | 1024 << 40);
        assert_eq!(p_lim0::Value::decode(reset(P_LIM0)).limit_3, 32);
        for range in ranges() {
            let (register, _) = PAGE.register_at(range.offset).expect("a register");
            let field = register.layout.fields.iter().find(|field| field.name == range.field);
            let value = field.expect("a field").get(reset(range.offset).into());
            assert!((range.least..=range.most).contains(&value), "{} {}", register.name, range.field);
        }
        assert_eq!(OVERHEAD_REFUSED, (0x80, 0xEF));
    }
}
