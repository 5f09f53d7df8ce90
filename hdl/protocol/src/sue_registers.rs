//! The register page of an instance of Scale-Up Ethernet (chapter 50, 5): 64-bit registers at byte offsets.
//!
//! [`PAGE`] is the whole page as data; the constants are its offsets. The pages of the ports follow it
//! ([`crate::sue_port_registers`]), each at [`port_page`].
//!
//! Where the chapter leaves bits open they are ours: NACK_MAX and STUCK_FAIL in REL1, the ESUN fields in FMT, the partition of
//! acknowledgments in LOCAL, and what EVENT and the capture registers have in which bit. Bits in no field are ignored and read 0.
//!
//! [`Sizes::ranges`] has what a write may hold; a write with another value leaves the register as it is and raises CFG_BAD. The same
//! holds for a write of a register of [`LOCKED`] while CTRL.enable is 1, and for one of CTRL that changes more than `enable` then.

use crate::register::{Counters, Page, Reset, BYTES};
use crate::sue::class::{class as class_fields, ClassDefault, Loss, DEFAULTS};
use crate::sue::command::{type_config, CommandType, COMMAND_CELL_BYTES};
use crate::sue::network::{
    AFH1_ETHERTYPE, IP_BASE as IP_BASE_DEFAULT, LITE_ETHERTYPE, SUE_ETHERTYPE, UDP_PORT,
};
use crate::sue_port_registers;

mod ranges;

/// What TBL_DATA shows of connections.
pub mod connections;

pub use ranges::{Sizes, LOCKED};

/// "SUE1", as register ID has it.
pub const PAGE_ID: u64 = 0x5355_4531;
/// Version of the page.
pub const PAGE_VERSION: u64 = 1;
/// Bytes of the page of an instance, after which those of its ports follow.
pub const PAGE_BYTES: u32 = 0x1000;
/// Most ports of an instance.
pub const MAX_PORTS: usize = 4;

/// First register of the page of port `port`.
#[must_use]
pub const fn port_page(port: u32) -> u32 {
    PAGE_BYTES + port * sue_port_registers::PAGE_BYTES
}

/// Reset value of WIN (chapter 50, 4.5 rule 1).
pub const WINDOW: u64 = 16;
/// Reset value of ACK_COALESCE (4.6 rule 2).
pub const ACK_COALESCE: u64 = 4;
/// Reset value of ACK_TIMER in clocks (4.6 rule 2).
pub const ACK_TIMER: u64 = 128;
/// Reset value of SLOT_MIN (4.5 rule 2).
pub const SLOT_MIN: u64 = 2;
/// Reset value of RTO in clocks (4.5 rule 3).
pub const RTO: u64 = 3200;
/// Reset value of BACKOFF.
pub const BACKOFF: u64 = 4;
/// Reset value of RETRY_MAX.
pub const RETRY_MAX: u64 = 7;
/// Reset value of CM_RTO in clocks (3.4).
pub const CM_RTO: u64 = 6400;
/// Reset value of CM_TRIES (3.4).
pub const CM_TRIES: u64 = 4;
/// Reset value of REST in clocks: 2^15 times the shortest frame with its preamble and gap (4.5 rule 4), 10.5 clocks.
pub const REST_DEFAULT: u64 = (1 << 15) * 21 / 2;
/// Reset value of NACK_MAX (0).
pub const NACK_MAX: u64 = 255;
/// Reset value of QHI and QLO in cells (4.1 rule 2).
pub const QUEUE_THRESHOLDS: (u64, u64) = (64, 32);
/// Cells that are never announced: initial credits are CELLS/NVC less this many (4.1 rule 1).
pub const CELLS_KEPT: u64 = 8;
/// Reset value of INJ_GAP in clocks, and the least (4.8).
pub const INJECT_GAP: u64 = 20_000;
/// Largest frame that can be injected or extracted, in octets (4.8).
pub const MANAGEMENT_BYTES: usize = 2048;
/// Smallest frame that can be injected, in octets: addresses and Ethertype.
pub const MANAGEMENT_BYTES_MIN: usize = 14;
/// Smallest number that is an Ethertype and no length (IEEE 802.3).
pub const ETHERTYPE_MIN: u64 = 0x600;
/// Partition of PDUs that only acknowledge and of records of connection management after power-on (8, E5 and E9).
pub const ACKNOWLEDGMENT_PARTITION: u64 = 1;
/// Bits of the number of an XPU in a reliability header.
pub const XPU_BITS: usize = crate::sue::reliability::header::xpuid::WIDTH;
/// Bits of every counter: they stop at 2^48 - 1.
pub const COUNTER_BITS: usize = crate::counter::COUNTER_BITS;

coded_enum! {
    /// Tables behind TBL_ADDR and TBL_DATA.
    Table: u8, {
        Sender = 0, "tx connections", "una, nxt, snd, retry, flags from bit 0 up; read only; index: peer and VC as in CMD, port from bit 12 on";
        Receiver = 1, "rx connections", "exp, last, gap, frozen from bit 0 up; read only; index as of tx connections";
        Partitions = 2, "partitions", "bit 0: the partition is allowed";
        PeerMac = 3, "peer MAC", "address of a peer";
        PeerIp = 4, "peer IP", "address of a peer";
        StrictMap = 5, "strict map", "port of a peer in strict mode";
        Reach = 6, "reach", "a bit for each port: written, the port may reach the peer; read, it does now";
    }
}

impl Table {
    /// The host can write its entries.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        !matches!(self, Table::Sender | Table::Receiver)
    }
}

coded_enum! {
    /// Events of chapter 50, 6: the code is the bit of EVENT, and the cause in CAPTURE_CAUSE.
    Event: u8, {
        CommandBad = 0, "CMD_BAD", "a command was wrong";
        CreditViolation = 1, "CRD_VIOL", "the XPU has used more cells than it has credits";
        AckWild = 2, "ACK_WILD", "an acknowledgment of what was never sent";
        PartitionViolation = 3, "PART_VIOL", "a body of a partition that is not allowed";
        BodyBad = 4, "BODY_BAD", "a malformed body";
        Parity = 5, "PARITY", "wrong parity in cells or slots";
        ReceiveFull = 6, "RX_FULL", "no room for the PDU expected";
        ConnectionFailed = 7, "CONN_FAIL", "RETRY_MAX expiries without a sign of life";
        PeerLost = 8, "PEER_LOST", "no port reaches the peer";
        PauseWatchdog = 9, "PFC_WD", "a class was paused longer than PFC_WD";
        LinkFlushed = 10, "LLR_FLUSH", "link-layer retry has dropped its buffer";
        LiteLoss = 11, "LITE_LOSS", "SUE Lite has lost frames";
        GenerationSkew = 12, "GEN_SKEW", "a timer has run out while the peer is of another generation";
        Stuck = 13, "STUCK", "a PDU was refused NACK_MAX times";
        ConfigurationBad = 14, "CFG_BAD", "a write was refused";
    }
}

coded_enum! {
    /// Counters of an instance: the code is the number i of COUNT[i].
    SueCounter: u8, {
        CommandIn = 0, "CMD_IN", "commands taken from the XPU";
        CommandOut = 1, "CMD_OUT", "commands given to the XPU";
        BodyTx = 2, "BODY_TX", "PDUs with a body sent for the first time";
        BodyRx = 3, "BODY_RX", "PDUs with a body accepted";
        BytesTx = 4, "BYTES_TX", "octets of bodies sent for the first time";
        BytesRx = 5, "BYTES_RX", "octets of bodies accepted";
        Replay = 6, "REPLAY", "PDUs with a body sent again";
        Expiries = 7, "RTO_CNT", "retransmission timers that ran out";
        AckTx = 8, "ACK_TX", "PDUs sent with an ACK";
        NackTx = 9, "NACK_TX", "PDUs sent with a NACK";
        AckRx = 10, "ACK_RX", "ACKs received";
        NackRx = 11, "NACK_RX", "NACKs received";
        AckStale = 12, "ACK_STALE", "acknowledgments from before the window";
        AckWild = 13, "ACK_WILD", "acknowledgments of what was never sent";
        Duplicate = 14, "DUP", "PDUs received before";
        Gap = 15, "GAP", "PDUs after a gap";
        ReceiveFull = 16, "RX_FULL", "PDUs expected without room";
        CrcBad = 17, "RCRC", "PDUs with a wrong R-CRC";
        HeaderBad = 18, "RH_BAD", "PDUs too short or of another version";
        PartitionViolation = 19, "PART_VIOL", "bodies of a partition that is not allowed";
        BodyBad = 20, "BODY_BAD", "malformed bodies";
        CommandBad = 21, "CMD_BAD", "wrong commands of the XPU";
        CreditViolation = 22, "CRD_VIOL", "commands beyond the credits";
        AxiLong = 23, "AXI_LONG", "AXI bursts longer than 256 octets";
        GenerationDrop = 24, "GEN_DROP", "frames of another generation";
        GenerationBusy = 25, "GEN_BUSY", "PDUs while tables were cleared";
        AfhBad = 26, "AFH_BAD", "AFH headers of a wrong shape";
        NetworkBad = 27, "HDR_BAD", "foreign or wrong network headers";
        ExtractDrop = 28, "EXT_DROP", "frames for the management without room";
        Parity = 29, "PARITY", "wrong parity in cells or slots";
        LiteLoss = 30, "LITE_LOSS", "frames that SUE Lite has lost";
        Failover = 31, "FAILOVER", "connections that moved to another port";
    }
}

/// Number of counters COUNT.
pub const COUNTERS: usize = SueCounter::ALL.len();
/// Number of bins HIST: bodies of 1 to 32 commands, and of more.
pub const HISTOGRAM_BINS: usize = 33;

/// CLASS0 to CLASS5 after power-on.
const fn class_default(index: usize) -> u64 {
    let ClassDefault { loss, pcp, dscp, cbfc_vc } = DEFAULTS[index];
    matches!(loss, Loss::Lossless) as u64
        | (pcp as u64) << class_fields::pcp::LOW
        | (dscp as u64) << class_fields::dscp::LOW
        | (cbfc_vc as u64) << class_fields::cbfc_vc::LOW
}

/// TYPE_CFG after power-on, types from `first` on: all but END are taken.
const fn types_default(first: usize) -> u64 {
    let (mut word, mut index) = (0, 0);
    while index < 8 {
        if first + index != CommandType::End as usize {
            word |= 1 << (8 * index + type_config::valid::LOW);
        }
        index += 1;
    }
    word
}

layout! {
    /// Index of a connection in TBL_ADDR, for the tables of connections and for CMD.
    connection_index, "Index of a connection", 16 bits, "chapter 50, 5", {
        vc [0 +: 2] "virtual channel";
        peer [2 +: 10] "the other XPU";
        port [12 +: 4] "port";
    }
}
layout! {
    /// The connection in CAPTURE_PORT.
    captured_connection, "Captured connection", 12 bits, "chapter 50, 5", {
        vc [0 +: 2] "virtual channel";
        peer [2 +: 10] "the other XPU";
    }
}

registers! {
    sue_registers_table, "chapter 50, 5", Reset::Value(0);
    /// What this page is.
    ID = 0x000, Read reset(Reset::Build), id, {
        lite [0 +: 1] "SUE Lite"; version [16 +: 16] "version of the page"; magic [32 +: 32] "0x53554531, SUE1"; }
    /// What was built.
    CAP = 0x008, Read reset(Reset::Build), cap, {
        ports [0 +: 4] "NPORT"; virtual_channels [4 +: 4] "NVC"; peer_bits [8 +: 8] "log2 of PEERS"; slots [16 +: 8] "SLOTS - 1";
        slot_cells [24 +: 8] "SLOT_BYTES / 64"; data_octets [32 +: 8] "DW / 8"; interface_octets [40 +: 8] "IW / 8";
        psn_per_vc [48 +: 1] "PSN_PER_VC"; }
    /// Control.
    CTRL = 0x010, ReadWrite reset(Reset::Value(1 << 2 | 1 << 6)), ctrl, {
        enable [0 +: 1] "runs; all but this bit changes only while it is 0"; unordered [1 +: 1] "MODE: any port may take a body";
        renack [2 +: 1] "RENACK: a lost attempt is answered by a NACK"; strict_failover [3 +: 1] "STRICT_FO";
        generation_enable [4 +: 1] "GEN_EN; not with the 6 B header"; response_mode [5 +: 1] "BRESP_MODE: 1: B is made at the source";
        partition_check [6 +: 1] "partitions are checked"; }
    /// Status.
    STATUS = 0x018, Read, status, {
        up [0 +: 4] "ports that are up"; blocked [4 +: 4] "ports with a virtual channel that cannot send"; clearing [8 +: 1] "tables are being cleared";
        load_0 [16 +: 8] "fill of port 0"; load_1 [24 +: 8] "fill of port 1"; load_2 [32 +: 8] "fill of port 2"; load_3 [40 +: 8] "fill of port 3"; }
    /// Who this is.
    LOCAL = 0x020, ReadWrite except { generation: Read } reset(Reset::Value(ACKNOWLEDGMENT_PARTITION << 48)), local, {
        xpu [0 +: 12] "own XPU, below 1024"; generation [16 +: 8] "gg"; machine_partition [32 +: 16] "MAC_PART";
        acknowledgment_partition [48 +: 10] "partition of PDUs that only acknowledge"; }
    /// Packer.
    PACK = 0x028, ReadWrite reset(Reset::Build), pack, {
        most [0 +: 13] "PACK_MAX, octets, even"; weight_0 [16 +: 8] "bodies per round of virtual channel 0"; weight_1 [24 +: 8] "the same of 1";
        weight_2 [32 +: 8] "the same of 2"; weight_3 [40 +: 8] "the same of 3"; }
    /// Go-back-N.
    REL0 = 0x030, ReadWrite reset(Reset::Value(WINDOW | ACK_COALESCE << 16 | ACK_TIMER << 24 | SLOT_MIN << 40)), rel0, {
        window [0 +: 15] "WIN, PDUs"; acknowledgment_coalesce [16 +: 8] "ACK_COALESCE, PDUs"; acknowledgment_timer [24 +: 16] "ACK_TIMER, clocks";
        slot_min [40 +: 8] "SLOT_MIN"; }
    /// Timers of go-back-N.
    REL1 = 0x038, ReadWrite reset(Reset::Value(RTO | BACKOFF << 24 | RETRY_MAX << 28 | CM_RTO << 32 | CM_TRIES << 48 | NACK_MAX << 52)), rel1, {
        timeout [0 +: 24] "RTO, clocks"; backoff [24 +: 4] "BACKOFF: largest exponent of RTO"; retry_max [28 +: 4] "RETRY_MAX";
        management_timeout [32 +: 16] "CM_RTO, clocks"; management_tries [48 +: 4] "CM_TRIES"; nack_max [52 +: 8] "NACK_MAX; 0: never";
        stuck_fails [60 +: 1] "STUCK_FAIL: a stuck connection fails"; }
    /// Network header.
    FMT = 0x040, ReadWrite reset(Reset::Build), fmt, {
        format [0 +: 3] "0 standard IPv4, 1 standard IPv6, 2 Gen 1, 3 Gen 2 12 B, 4 Gen 2 6 B, 5 ESUN"; vlan [3 +: 1] "VLAN: frames have a tag";
        shim [4 +: 1] "SHIM_EN"; second_ethertype [5 +: 1] "ET2_EN"; esun_payload [6 +: 2] "behind ESUN: 0 RH, 1 IPv4, 2 IPv6"; vid [8 +: 12] "VID";
        hop [24 +: 4] "hop count"; ttl [28 +: 8] "TTL or hop limit"; esun_ethertype [36 +: 16] "ET_ESUN"; }
    /// Ethertypes and UDP port.
    ETYPE = 0x048, ReadWrite reset(Reset::Value(AFH1_ETHERTYPE as u64 | (SUE_ETHERTYPE as u64) << 16 | (LITE_ETHERTYPE as u64) << 32 | (UDP_PORT as u64) << 48)), etype, {
        afh1 [0 +: 16] "ET_AFH1"; sue [16 +: 16] "ET_SUE"; lite [32 +: 16] "ET_LITE"; udp_port [48 +: 16] "UDP port"; }
    /// IPv4 address of XPU 0, and the end of IPv6 addresses.
    IP_BASE = 0x050, ReadWrite reset(Reset::Value(IP_BASE_DEFAULT as u64)), ip_base, { value [0 +: 32] "address of XPU 0"; }
    /// Beginning of IPv6 addresses.
    IP6_HI = 0x058, ReadWrite, ip6_high, { value [0 +: 64] "bits 127 to 64"; }
    /// Middle of IPv6 addresses.
    IP6_MID = 0x060, ReadWrite, ip6_middle, { value [0 +: 32] "bits 63 to 32"; }
    /// Rest of connections.
    REST = 0x070, ReadWrite reset(Reset::Value(REST_DEFAULT)), rest, {
        clocks [0 +: 24] "clocks that a closed connection rests at least before it is opened again, longer than anything lives in the network"; }
    /// Requests.
    CLASS0 = 0x080, ReadWrite reset(Reset::Value(class_default(0))), class0, {
        lossless [0 +: 1] "no frame may be dropped for want of room"; pcp [1 +: 3] "PCP"; dscp [4 +: 6] "DSCP"; cbfc_vc [10 +: 5] "virtual channel of CBFC"; }
    /// Responses.
    CLASS1 = 0x088, ReadWrite reset(Reset::Value(class_default(1))), class1, {
        lossless [0 +: 1] "no frame may be dropped for want of room"; pcp [1 +: 3] "PCP"; dscp [4 +: 6] "DSCP"; cbfc_vc [10 +: 5] "virtual channel of CBFC"; }
    /// Commands of virtual channel 2.
    CLASS2 = 0x090, ReadWrite reset(Reset::Value(class_default(2))), class2, {
        lossless [0 +: 1] "no frame may be dropped for want of room"; pcp [1 +: 3] "PCP"; dscp [4 +: 6] "DSCP"; cbfc_vc [10 +: 5] "virtual channel of CBFC"; }
    /// Commands of virtual channel 3.
    CLASS3 = 0x098, ReadWrite reset(Reset::Value(class_default(3))), class3, {
        lossless [0 +: 1] "no frame may be dropped for want of room"; pcp [1 +: 3] "PCP"; dscp [4 +: 6] "DSCP"; cbfc_vc [10 +: 5] "virtual channel of CBFC"; }
    /// Acknowledgments and connection management.
    CLASS4 = 0x0A0, ReadWrite reset(Reset::Value(class_default(4))), class4, {
        lossless [0 +: 1] "no frame may be dropped for want of room"; pcp [1 +: 3] "PCP"; dscp [4 +: 6] "DSCP"; cbfc_vc [10 +: 5] "virtual channel of CBFC"; }
    /// Management.
    CLASS5 = 0x0A8, ReadWrite reset(Reset::Value(class_default(5))), class5, {
        lossless [0 +: 1] "no frame may be dropped for want of room"; pcp [1 +: 3] "PCP"; dscp [4 +: 6] "DSCP"; cbfc_vc [10 +: 5] "virtual channel of CBFC"; }
    /// Types 0 to 7: clen in bits 3:0, pinned in bit 5, valid in bit 6.
    TYPE_CFG0 = 0x0C0, ReadWrite reset(Reset::Value(types_default(0))), type_cfg0, {
        type_0 [0 +: 8] "END: 0"; type_1 [8 +: 8] "READ"; type_2 [16 +: 8] "MSG"; type_3 [24 +: 8] "BARRIER"; type_4 [32 +: 8] "WRESP";
        type_5 [40 +: 8] "user"; type_6 [48 +: 8] "user"; type_7 [56 +: 8] "user"; }
    /// Types 8 to 15, as in TYPE_CFG0.
    TYPE_CFG1 = 0x0C8, ReadWrite reset(Reset::Value(types_default(8))), type_cfg1, {
        type_8 [0 +: 8] "WRITE"; type_9 [8 +: 8] "RDATA"; type_10 [16 +: 8] "MSGD"; type_11 [24 +: 8] "WRITE_S"; type_12 [32 +: 8] "user";
        type_13 [40 +: 8] "user"; type_14 [48 +: 8] "user"; type_15 [56 +: 8] "user"; }
    /// Thresholds of queues and credits.
    QTH = 0x0D0, ReadWrite reset(Reset::Build), qth, {
        high [0 +: 16] "QHI, cells"; low [16 +: 16] "QLO, cells"; initial_credits [32 +: 16] "cells per virtual channel"; }
    /// What TBL_DATA and CMD are about.
    TBL_ADDR = 0x100, ReadWrite, tbl_addr, { index [0 +: 16] "entry"; table [28 +: 4] "table, 0 to 6"; }
    /// An entry of a table.
    TBL_DATA = 0x108, ReadWrite reset(Reset::Undescribed), tbl_data, { entry [0 +: 64] "the entry of TBL_ADDR"; }
    /// Commands.
    CMD = 0x110, SelfClearing, cmd, {
        fail_over [0 +: 1] "fails the connection of TBL_ADDR over"; open [1 +: 1] "opens it"; flush_all [2 +: 1] "forgets all commands"; }
    /// Words of a frame to be injected.
    INJ_DATA = 0x140, Write, inj_data, { value [0 +: 64] "eight octets, the first in bits 7:0"; }
    /// Injects a frame.
    INJ_CTL = 0x148, ReadWrite, inj_ctl, {
        octets [0 +: 12] "octets of the frame without FCS"; port [12 +: 4] "port that it leaves by"; go [31 +: 1] "written 1: it is sent; reads 1 until it has left"; }
    /// Words of a frame that was extracted; a read takes one.
    EXT_DATA = 0x150, Read, ext_data, { value [0 +: 64] "eight octets, the first in bits 7:0"; }
    /// The frame whose words EXT_DATA reads.
    EXT_CTL = 0x158, Read, ext_ctl, { octets [0 +: 12] "octets of the frame without FCS"; port [12 +: 4] "port that it came by"; valid [31 +: 1] "there is one"; }
    /// Distance of injected frames.
    INJ_GAP = 0x160, ReadWrite reset(Reset::Value(INJECT_GAP)), inj_gap, { clocks [0 +: 32] "clocks per frame, at least 20000"; }
    /// Events.
    EVENT = 0x180, WriteOneClears, event, {
        command_bad [0 +: 1] "CMD_BAD"; credit_violation [1 +: 1] "CRD_VIOL"; acknowledgment_wild [2 +: 1] "ACK_WILD"; partition_violation [3 +: 1] "PART_VIOL";
        body_bad [4 +: 1] "BODY_BAD"; parity [5 +: 1] "PARITY"; receive_full [6 +: 1] "RX_FULL"; connection_failed [7 +: 1] "CONN_FAIL";
        peer_lost [8 +: 1] "PEER_LOST"; pause_watchdog [9 +: 1] "PFC_WD"; link_flushed [10 +: 1] "LLR_FLUSH"; lite_loss [11 +: 1] "LITE_LOSS";
        generation_skew [12 +: 1] "GEN_SKEW"; stuck [13 +: 1] "STUCK"; configuration_bad [14 +: 1] "CFG_BAD"; }
    /// Events that interrupt.
    EVENT_EN = 0x188, ReadWrite, event_en, { events [0 +: 15] "bits as in EVENT"; }
    /// Of the first event: the reliability header.
    CAPTURE_HEADER = 0x190, Read, capture_header, { value [0 +: 64] "reliability header, its first octet in bits 63:56"; }
    /// Of the first event: where.
    CAPTURE_PORT = 0x198, Read, capture_port, {
        port [0 +: 4] "port"; connection [16 +: 12] "connection: destination and virtual channel"; psn [32 +: 16] "PSN, of CONN_FAIL una"; }
    /// Of the first event: what. A new one is captured once the bit of this one in EVENT is written.
    CAPTURE_CAUSE = 0x1A0, Read, capture_cause, {
        cause [0 +: 6] "number of its bit in EVENT"; has_header [8 +: 1] "CAPTURE_HEADER counts"; full [63 +: 1] "an event was captured"; }
    /// Clocks with events that were not captured since.
    CAPTURE_MISSED = 0x1A8, Read, capture_missed, { clocks [0 +: 16] "clocks; it saturates"; }
    /// Bodies sent, by the number of their commands.
    HIST[33] = 0x300, Counter, hist, { bodies [0 +: 48] "bodies of i + 1 commands; the last: of more"; }
}

/// Names of the counters, in the order of their numbers.
const COUNTER_NAMES: [&str; COUNTERS] = {
    let mut names = [""; COUNTERS];
    let mut index = 0;
    while index < COUNTERS {
        names[index] = SueCounter::ALL[index].name();
        index += 1;
    }
    names
};

/// Counters of the instance.
pub const COUNT: Counters = Counters { bits: COUNTER_BITS as u32, offset: 0x200, names: &COUNTER_NAMES };

/// The whole page.
pub const PAGE: Page = Page {
    name: "sue",
    title: "Registers of an instance of Scale-Up Ethernet",
    source: "chapter 50, 5",
    bytes: PAGE_BYTES,
    registers: REGISTERS,
    counters: &[COUNT],
};

/// Byte offset of a counter.
#[must_use]
pub const fn counter_offset(counter: SueCounter) -> u32 {
    COUNT.offset + counter.code() as u32 * BYTES
}

const _: () = assert!(COUNTERS == 32 && HISTOGRAM_BINS == 33 && Event::ALL.len() == 15);
const _: () = assert!(COMMAND_CELL_BYTES == 64, "SLOT_BYTES is told in cells");
const _: () = assert!(class0::WIDTH == 64 && class0::cbfc_vc::LOW == class_fields::cbfc_vc::LOW);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::RegisterValue;

    #[test]
    fn every_event_has_its_bit() {
        let fields = event::Value::REGISTER.layout.fields;
        assert_eq!(fields.len(), Event::ALL.len());
        for (field, event) in fields.iter().zip(Event::ALL) {
            assert_eq!((field.low, field.meaning), (usize::from(event.code()), event.name()));
        }
    }

    #[test]
    fn every_range_names_a_field_and_power_on_is_inside() {
        let sizes = Sizes { ports: 2, slots: 32, slot_bytes: 2048, cells: 1024, lite: false };
        for sizes in [sizes, Sizes { slot_bytes: 512, lite: true, ..sizes }] {
            for range in sizes.ranges() {
                let (register, _) = PAGE.register_at(range.offset).expect("a register");
                let field = register.layout.fields.iter().find(|field| field.name == range.field);
                let value = field.expect("a field").get(sizes.power_on(register).into());
                assert!(
                    (range.least..=range.most).contains(&value),
                    "{} {}: {value}",
                    register.name,
                    range.field
                );
            }
        }
        assert_eq!((sizes.pack_default(), sizes.credits()), (2048, 248));
    }

    #[test]
    fn resets_are_those_of_the_chapter() {
        let reset = |offset| match PAGE.register_at(offset).expect("a register").0.reset {
            Reset::Value(value) => value,
            Reset::Build | Reset::Undescribed => unreachable!("{offset:#x}"),
        };
        assert_eq!(reset(CTRL), 0x44);
        assert_eq!(reset(REL0), 0x0000_0200_8004_0010);
        assert_eq!(reset(ETYPE), 0x0D05_88B5_88B6_88B6);
        assert_eq!((reset(TYPE_CFG0), reset(TYPE_CFG1)), (0x4040_4040_4040_4000, 0x4040_4040_4040_4040));
        assert_eq!(reset(CLASS0), 1 | 3 << 1 | 26 << 4);
        assert_eq!(reset(CLASS5), 5 << 10);
        assert_eq!(rel1::Value::decode(reset(REL1)).timeout, 3200);
        assert_eq!(counter_offset(SueCounter::Failover), 0x2F8);
    }
}
