//! Reliability header (RH) and connection management (CM) records (chapter 50, 3.2 and 3.4).

layout! {
    /// Reliability header. Word 0 of the chapter is the upper half.
    header, "Reliability header (RH)", 64 bits, "chapter 50, 3.2", {
        apsn [0 +: 16] "ACK: last PSN received in order; NACK: next PSN expected; NONE: 0, ignored";
        partition [16 +: 10] "partition of every command in the body";
        reserved_low [26 +: 4] "sent 0, ignored, covered by the R-CRC as received";
        vc [30 +: 2] "virtual channel of npsn and apsn";
        npsn [32 +: 16] "PSN of this PDU; without a body the next to be used, never checked";
        xpuid [48 +: 10] "source XPU";
        reserved_high [58 +: 2] "sent 0, ignored, covered by the R-CRC as received";
        op [60 +: 2] "operation";
        ver [62 +: 2] "0; PDUs of other versions are dropped";
    }
}
layout! {
    /// Control octets of the MSG command that is a CM record.
    cm_record, "CM record", 48 bits, "chapter 50, 3.4", {
        psn [0 +: 16] "by code";
        reserved [16 +: 8] "sent 0, ignored";
        vc [24 +: 8] "virtual channel";
        port [32 +: 8] "port";
        code [40 +: 8] "code";
    }
}

coded_enum! {
    /// Operations of the reliability header (chapter 50, 3.2).
    Operation: u8, {
        Ack = 0, "ACK", "apsn is the last PSN received in order, cumulative";
        Nack = 1, "NACK", "apsn is the next PSN expected; everything before it is received";
        None = 2, "NONE", "nothing was received yet";
        ConnectionManagement = 3, "CM", "the body is a CM record";
    }
}
coded_enum! {
    /// Codes of CM records (chapter 50, 3.4).
    CmCode: u8, {
        FreezeRequest = 1, "FREEZE_REQ", "freeze the RX connection of port, sender, vc; psn is 0";
        FreezeResponse = 2, "FREEZE_RSP", "psn is the next expected of the frozen connection";
        OpenRequest = 3, "OPEN_REQ", "start from psn";
        OpenResponse = 4, "OPEN_RSP", "started from psn";
    }
}

/// Version of the header that is sent and taken.
pub const VERSION: u64 = 0;
/// Octets of a reliability header.
pub const HEADER_BYTES: usize = header::WIDTH / 8;
