//! The register page of a link port (chapter 10, 5): 64-bit registers at byte offsets in a page of 0x400 bytes.
//!
//! [`PAGE`] is the whole page as data; the constants are its offsets.

use crate::counter::{LinkCounter, COUNTER_BITS, LINK_COUNTERS};
use crate::degrade::{MIN_LANES, SAFE, STAND_OUT, THRESHOLD};
use crate::lane_word::MAX_LANES;
use crate::link::CREDIT_UNITS;
use crate::register::{Counters, Page, Reset, BYTES};
use crate::retry::{BAD_RUN, REINIT_LIMIT, RETRY_LIMIT};

/// Bytes of the page of one port.
pub const PAGE_BYTES: u32 = 0x400;
/// "FLNK", as register ID has it.
pub const PAGE_ID: u64 = 0x464C_4E4B;
/// Version of the page.
pub const PAGE_VERSION: u64 = 1;
/// Bits of LANE_ERR, which saturates.
pub const LANE_ERROR_BITS: usize = lane::errors::WIDTH;
/// Bits of a lane's code errors, which saturate.
pub const CODE_ERROR_BITS: usize = lane::code_errors::WIDTH;
/// Most virtual lanes, and registers CRED.
pub const MAX_VLS: usize = 16;
/// Default of CRDT_DELAY in clocks (chapter 10, 4.10).
pub const CREDIT_DELAY: u64 = 64;
/// Default of vAU (chapter 10, 4.10).
pub const V_AU: u64 = 3;
/// Default of MIN_RUN in beats (chapter 10, 4.9).
pub const MIN_RUN: u64 = 4;
/// Default of AGE in beats (chapter 10, 4.9).
pub const AGE: u64 = 4096;

/// The eight bytes of the credit table, CU[0] lowest.
const fn credit_units() -> u64 {
    u64::from_le_bytes(CREDIT_UNITS)
}

registers! {
    link_registers_table, "chapter 10, 5", Reset::Value(0);
    /// What this page is.
    ID = 0x000, Read reset(Reset::Value(PAGE_ID | PAGE_VERSION << 32)), id, {
        magic [0 +: 32] "0x464C4E4B, FLNK"; version [32 +: 16] "1"; }
    /// What was built.
    CAP = 0x008, Read reset(Reset::Build), cap, {
        crc [0 +: 3] "CRC modes 1, 2, 3"; log2_flits [4 +: 2] "log2 of the flits per beat, F"; lanes [6 +: 3] "LANES";
        log2_slots [9 +: 5] "log2 of the replay slots, R"; vls [14 +: 5] "NUM_VLS"; mtu [19 +: 14] "MTU, bytes"; }
    /// Control.
    CTRL = 0x010, ReadWrite except { disable: SelfClearing, retrain: SelfClearing, restore: SelfClearing, clear_counters: SelfClearing },
        ctrl, {
        enable [0 +: 1] "the link comes up"; disable [1 +: 1] "goes Down and clears enable"; retrain [2 +: 1] "Retraining";
        restore [3 +: 1] "removed lanes are tried again"; clear_counters [5 +: 1] "all counters, LANE included, become 0"; }
    /// Status.
    STATUS = 0x018, Read, status, {
        state [0 +: 3] "link state"; tx_lanes [3 +: 3] "L of the transmit direction"; rx_lanes [6 +: 3] "L of the receive direction";
        tx_mode [9 +: 2] "CRC mode, transmit"; rx_mode [11 +: 2] "CRC mode, receive"; freeze [13 +: 1] "transmit side in FREEZE";
        tossing [14 +: 1] "receive side in TOSS"; bonded [15 +: 1] "part of a bond"; epoch [16 +: 16] "epoch"; }
    /// Lanes.
    LANES = 0x020, Read except { allowed: ReadWrite } reset(Reset::Value(0xF << 24)), lanes, {
        tx_active [0 +: 4] "lanes sent on"; rx_active [4 +: 4] "lanes received on"; inverted [8 +: 4] "lanes received inverted";
        removed [12 +: 4] "lanes removed"; rx_map [16 +: 8] "where each of the sender's lanes comes in, 2 bits each"; allowed [24 +: 4] "lanes that may be used"; }
    /// CRC modes.
    CRC_CFG = 0x028, ReadWriteDown reset(Reset::Value(7 | 1 << 3)), crc_cfg, {
        enabled [0 +: 3] "CRC modes 1, 2, 3 offered"; preferred [3 +: 2] "preferred CRC mode"; }
    /// Retry.
    RETRY_CFG = 0x030, ReadWrite reset(Reset::Value((RETRY_LIMIT as u64) | (REINIT_LIMIT as u64) << 8 | (BAD_RUN as u64) << 16)), retry_cfg, {
        limit [0 +: 8] "RETRY_LIMIT"; reinit_limit [8 +: 8] "REINIT_LIMIT"; bad_run [16 +: 8] "BAD_RUN, LTPs";
        toss_ltps [24 +: 16] "TOSS_LTPS; 0: 2 RTT + R/4 + 16"; freeze_ltps [40 +: 16] "FREEZE_LTPS; 0: formula"; }
    /// Lane removal.
    DEGRADE = 0x038, ReadWrite reset(Reset::Value(1 | (MIN_LANES as u64 - 1) << 1 | (THRESHOLD as u64) << 3 | (STAND_OUT as u64) << 6 | (SAFE as u64) << 8)), degrade, {
        enable [0 +: 1] "lanes are removed"; min_lanes [1 +: 2] "MIN_LANES - 1"; threshold [3 +: 3] "TH: a debt of 2^(10 + TH) LTP times removes a lane";
        stand_out [6 +: 2] "a lane has more than 2^n times the verdicts of the one that has the fewest; 0: not looked at";
        safe [8 +: 3] "SAFE: a verdict is charged 2^(7 + SAFE) LTP times at least; 0: what it cost"; }
    /// Round trip.
    RTT = 0x040, Read, rtt, { clocks [0 +: 32] "core clocks"; ltps [32 +: 16] "RTT_LTP"; pad [48 +: 16] "pad Nulls"; }
    /// Sequence numbers.
    SEQ = 0x048, Read, seq, { next_tx [0 +: 16] "NxtTx"; next_rx [16 +: 16] "NxtRx"; next_write [32 +: 16] "NxtWr"; }
    /// Own GUID.
    GUID = 0x050, ReadWriteDown reset(Reset::Build), guid, { value [0 +: 64] "sent in training sets"; }
    /// The peer's GUID.
    PEER_GUID = 0x058, Read, peer_guid, { value [0 +: 64] "from training sets"; }
    /// Credits.
    CREDIT = 0x060, ReadWriteDown reset(Reset::Value(V_AU | CREDIT_DELAY << 8)), credit, {
        v_au [0 +: 3] "allocation unit: 8 * 2^vAU bytes"; delay [8 +: 8] "CRDT_DELAY, clocks"; }
    /// Allocation units of credit codes 0 to 7.
    CU = 0x068, ReadWriteDown reset(Reset::Value(credit_units())), cu, { units [0 +: 64] "eight bytes, CU[0] lowest"; }
    /// Events.
    EVENT = 0x070, WriteOneClears, event, {
        up [0 +: 1] "Active entered"; down [1 +: 1] "Down entered"; retrain [2 +: 1] "Retraining entered"; lane_removed [3 +: 1] "a lane was removed";
        remove_refused [4 +: 1] "REMOVE_REFUSED"; retry_limit [5 +: 1] "RETRY_LIMIT reached"; gap [6 +: 1] "RX_GAP or BAD_POINTER";
        lost [7 +: 1] "LOST_ON_RESET"; credit [8 +: 1] "CREDIT_OVF"; stack [9 +: 1] "STACK_ERR"; parity [10 +: 1] "REPLAY_PARITY"; }
    /// Events that interrupt.
    MASK = 0x078, ReadWrite, mask, { events [0 +: 11] "bits as in EVENT"; }
    /// Error injection at the transmit side.
    INJECT = 0x080, ReadWrite, inject, {
        lanes [0 +: 4] "lanes"; first [4 +: 6] "first word"; words [10 +: 6] "words"; xor_mask [16 +: 32] "XOR mask of a word"; ltps [48 +: 8] "LTPs"; go [56 +: 1] "start"; }
    /// Latency.
    LAT = 0x088, Read reset(Reset::Build), lat, {
        to_lane [0 +: 8] "plane X to lane, clocks"; from_lane [8 +: 8] "lane to plane R, clocks"; epoch [16 +: 16] "LINK_EPOCH";
        fill [32 +: 8] "elastic fill of lane 0 when Active began"; }
    /// Priorities of the virtual lanes.
    VL_ARB = 0x090, ReadWrite, vl_arb, { priorities [0 +: 64] "PRIO of VL v in bits 4v+3..4v"; }
    /// Interleaving of the virtual lanes.
    VL_EN = 0x098, ReadWrite reset(Reset::Value(0xFFFF << 16 | MIN_RUN << 32 | AGE << 40)), vl_en, {
        preempt [0 +: 16] "PREEMPT by VL"; bubble [16 +: 16] "BUBBLE by VL"; min_run [32 +: 8] "MIN_RUN, beats"; age [40 +: 16] "AGE, beats; 0: off"; }
    /// Skew of a bond.
    BOND_SKEW = 0x0A0, Read, bond_skew, { fill [0 +: 16] "largest fill of a bond FIFO"; }
    /// A lane, by the sender's number: saturating counters and debt.
    LANE[4] = 0x300, Counter except { debt: Read }, lane, {
        errors [0 +: 32] "LANE_ERR, verdicts"; debt [32 +: 8] "debt, 1,024 LTP times"; code_errors [40 +: 24] "code errors"; }
    /// Credits of a virtual lane.
    CRED[16] = 0x380, Read, cred, {
        tx [0 +: 16] "credits to send, AU"; occupied [16 +: 16] "receive buffer occupied, AU"; pending [32 +: 16] "returns pending, AU"; }
}

/// Names of the counters, in the order of their numbers.
const COUNTER_NAMES: [&str; LINK_COUNTERS] = {
    let mut names = [""; LINK_COUNTERS];
    let mut index = 0;
    while index < LINK_COUNTERS {
        names[index] = LinkCounter::ALL[index].name();
        index += 1;
    }
    names
};

/// Counters of the port.
pub const COUNTERS: Counters = Counters { bits: COUNTER_BITS as u32, offset: 0x100, names: &COUNTER_NAMES };

/// The whole page.
pub const PAGE: Page = Page {
    name: "link",
    title: "Registers of a link port",
    source: "chapter 10, 5",
    bytes: PAGE_BYTES,
    registers: REGISTERS,
    counters: &[COUNTERS],
};

const _: () = assert!(<lane::Value as crate::register::RegisterValue>::REGISTER.count as usize == MAX_LANES);
const _: () = assert!(<cred::Value as crate::register::RegisterValue>::REGISTER.count as usize == MAX_VLS);

/// Byte offset of a counter.
#[must_use]
pub const fn counter_offset(counter: LinkCounter) -> u32 {
    COUNTERS.offset + counter.code() as u32 * BYTES
}
