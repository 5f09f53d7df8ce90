//! Flits and control flits (chapter 10, 3.1 and 3.2).
//!
//! A flit is 65 bits; bit 64 is the type. All opcode values but Idle and ForceIdle are this design's own reading.

use crate::layout::Layout;
use serde::{Deserialize, Serialize};

/// Bits of a flit, the type bit included.
pub const FLIT_BITS: usize = 65;
/// Bits of a flit's data, without the type bit.
pub const DATA_BITS: usize = 64;
/// Bits of a control flit's payload.
pub const PAYLOAD_BITS: usize = 56;

/// What the top bits of a flit say it is (chapter 10, 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FlitKind {
    /// `1 data[63:0]`: eight payload bytes.
    Body,
    /// `0 1 header[62:0]`.
    Head,
    /// `0 0 1 trailer[61:0]`.
    Tail,
    /// `0 0 0`, opcode, payload.
    Control,
}

impl FlitKind {
    /// The kind of a 65-bit flit.
    #[must_use]
    pub const fn of(flit: u128) -> Self {
        if body::type_bit::FIELD.get(flit) == 1 {
            FlitKind::Body
        } else if head::head_bit::FIELD.get(flit) == 1 {
            FlitKind::Head
        } else if tail::tail_bit::FIELD.get(flit) == 1 {
            FlitKind::Tail
        } else {
            FlitKind::Control
        }
    }
}

layout! {
    /// Body flit: bit 64 is 1.
    body, "Body flit", 65 bits, "chapter 10, 3.1", {
        data [0 +: 64] "payload bytes 8k to 8k+7, byte 8k in the low bits; the last flit is zero padded";
        type_bit [64 +: 1] "1";
    }
}
layout! {
    /// Head flit: bits 64 and 63 are 0 and 1. The header's fields are in [`crate::packet::head`].
    head, "Head flit", 65 bits, "chapter 10, 3.1", {
        header [0 +: 63] "header";
        head_bit [63 +: 1] "1";
        type_bit [64 +: 1] "0";
    }
}
layout! {
    /// Tail flit: bits 64 to 62 are 0, 0, 1. The trailer's fields are in [`crate::packet::tail`].
    tail, "Tail flit", 65 bits, "chapter 10, 3.1", {
        trailer [0 +: 62] "trailer";
        tail_bit [62 +: 1] "1";
        head_bit [63 +: 1] "0";
        type_bit [64 +: 1] "0";
    }
}
layout! {
    /// Control flit: bits 64 to 62 are 0; the two top bits of the opcode are these zeros.
    control, "Control flit", 65 bits, "chapter 10, 3.1", {
        payload [0 +: 56] "payload, by opcode";
        opcode [56 +: 8] "opcode, its two top bits 0";
        type_bit [64 +: 1] "0";
    }
}

coded_enum! {
    /// Opcodes of control flits (chapter 10, 3.2). All other values are illegal.
    Opcode: u8, {
        Idle = 0x00, "Idle", "filler, discarded by the receiver";
        ForceIdle = 0x02, "ForceIdle", "an Idle that is never removed; bonding, tests";
        VlMrkr = 0x04, "VlMrkr", "moves a virtual lane to the top of the stack";
        CrdtRet = 0x05, "CrdtRet", "credit return, sixteen 3-bit codes";
        Spc = 0x06, "SPC", "special: time (chapter 20), management (chapter 30)";
        HeadBad = 0x08, "HeadBad", "replaces a Head";
        BodyBad = 0x09, "BodyBad", "replaces a Body";
        TailBad = 0x0A, "TailBad", "replaces a Tail";
        RetryReq0 = 0x22, "RetryReq.0", "asks for replay, first of the pair; link transfer (LT)";
        RetryReq1 = 0x23, "RetryReq.1", "asks for replay, second of the pair; LT";
        RetryMrkr0 = 0x24, "RetryMrkr.0", "a replay follows, first of the pair; LT";
        RetryMrkr1 = 0x25, "RetryMrkr.1", "a replay follows, second of the pair; LT";
        RndTripMrkr0 = 0x26, "RndTripMrkr.0", "round-trip measurement, first of the pair; LT";
        RndTripMrkr1 = 0x27, "RndTripMrkr.1", "round-trip measurement, second of the pair; LT";
        RetrainRetryReq = 0x28, "RetrainRetryReq", "RetrainRetryReq, filler and Init by kind; LT";
    }
}

impl Opcode {
    /// True for the seven link-transfer (LT) opcodes: legal only as flit 0 of a Null LTP.
    #[must_use]
    pub const fn is_link_transfer(self) -> bool {
        is_link_transfer_code(self.code())
    }

    /// The payload's fields; bits 55:0 of the flit.
    #[must_use]
    pub const fn payload(self) -> &'static Layout {
        match self {
            Opcode::Idle | Opcode::ForceIdle => &empty::LAYOUT,
            Opcode::VlMrkr => &vl_mrkr::LAYOUT,
            Opcode::CrdtRet => &crdt_ret::LAYOUT,
            Opcode::Spc => &spc::LAYOUT,
            Opcode::HeadBad => &head_bad::LAYOUT,
            Opcode::BodyBad => &body_bad::LAYOUT,
            Opcode::TailBad => &tail_bad::LAYOUT,
            Opcode::RetryReq0 | Opcode::RetryReq1 => &retry_req::LAYOUT,
            Opcode::RetryMrkr0 | Opcode::RetryMrkr1 => &retry_mrkr::LAYOUT,
            Opcode::RndTripMrkr0 | Opcode::RndTripMrkr1 => &rnd_trip_mrkr::LAYOUT,
            Opcode::RetrainRetryReq => &retrain_retry_req::LAYOUT,
        }
    }
}

/// Lowest LT opcode; the LT opcodes are the contiguous range up to [`LT_OPCODE_LAST`].
pub const LT_OPCODE_FIRST: u8 = Opcode::RetryReq0.code();
/// Highest LT opcode.
pub const LT_OPCODE_LAST: u8 = Opcode::RetrainRetryReq.code();

/// True for the code of a link-transfer (LT) opcode (chapter 10, 3.2): 0x22 to 0x28.
#[must_use]
pub const fn is_link_transfer_code(opcode: u8) -> bool {
    opcode >= LT_OPCODE_FIRST && opcode <= LT_OPCODE_LAST
}

/// True for a control opcode that may stand in a reliable LTP (chapter 10, 4.1 rule 6): defined and not LT.
#[must_use]
pub const fn is_reliable_code(opcode: u8) -> bool {
    Opcode::from_code(opcode).is_some() && !is_link_transfer_code(opcode)
}

layout! {
    /// Payload of Idle and ForceIdle.
    empty, "Idle, ForceIdle payload", 56 bits, "chapter 10, 3.2", {}
}
layout! {
    /// Payload of VlMrkr.
    vl_mrkr, "VlMrkr payload", 56 bits, "chapter 10, 3.2", {
        vl [0 +: 5] "virtual lane 0 to 15; bit 4 is 0";
    }
}
layout! {
    /// Payload of CrdtRet; the code of one lane starts at [`credit_code_low`].
    crdt_ret, "CrdtRet payload", 56 bits, "chapter 10, 3.2", {
        codes [0 +: 48] "3-bit credit code of VL v at bits 3v+2 to 3v";
    }
}
layout! {
    /// Payload of SPC.
    spc, "SPC payload", 56 bits, "chapter 10, 3.2", {
        data [0 +: 48] "by subtype";
        subtype [48 +: 8] "subtype";
    }
}
layout! {
    /// Payload of HeadBad.
    head_bad, "HeadBad payload", 56 bits, "chapter 10, 3.2", {
        dst [0 +: 16] "destination of the replaced Head";
        src [16 +: 16] "source of the replaced Head";
        vl [32 +: 4] "virtual lane";
        ptype [36 +: 4] "packet type of the replaced Head";
        reason [40 +: 8] "reason";
    }
}
layout! {
    /// Payload of BodyBad.
    body_bad, "BodyBad payload", 56 bits, "chapter 10, 3.2", {
        reason [0 +: 8] "reason";
    }
}
layout! {
    /// Payload of TailBad.
    tail_bad, "TailBad payload", 56 bits, "chapter 10, 3.2", {
        reason [0 +: 8] "reason";
        vl [8 +: 4] "virtual lane";
    }
}
layout! {
    /// Payload of RetryReq.0 and .1.
    retry_req, "RetryReq payload", 56 bits, "chapter 10, 3.2", {
        next_rx_ltp [0 +: 16] "NxtRxLTP of the sender: the first sequence it asks for";
    }
}
layout! {
    /// Payload of RetryMrkr.0 and .1.
    retry_mrkr, "RetryMrkr payload", 56 bits, "chapter 10, 3.2", {
        first_replayed [0 +: 16] "sequence of the first replayed LTP";
        next_write_ltp [16 +: 16] "NxtWrLTP at that moment";
    }
}
layout! {
    /// Payload of RndTripMrkr.0 and .1.
    rnd_trip_mrkr, "RndTripMrkr payload", 56 bits, "chapter 10, 3.2", {
        token [32 +: 8] "token, returned unchanged";
        reply [44 +: 1] "1 in the answer";
    }
}
layout! {
    /// Payload of RetrainRetryReq, filler, InitReq and InitAck.
    retrain_retry_req, "RetrainRetryReq payload", 56 bits, "chapter 10, 3.2", {
        next_rx_ltp [0 +: 16] "NxtRxLTP of the sender";
        kind [40 +: 4] "kind";
        second [44 +: 1] "second of the pair";
        fresh [45 +: 1] "the sender keeps no state from before";
    }
}

coded_enum! {
    /// Kinds of opcode 0x28 (chapter 10, 3.2).
    RetrainKind: u8, {
        Filler = 0, "Filler", "no action";
        RetrainRetryReq = 1, "RetrainRetryReq", "asks the peer for its RetryReq";
        InitReq = 2, "InitReq", "state Init: request";
        InitAck = 3, "InitAck", "state Init: answer";
    }
}
coded_enum! {
    /// Reasons in HeadBad, BodyBad and TailBad (chapter 10, 3.2).
    BadReason: u8, {
        InputLinkDown = 1, "input link down", "the link the packet came from went down";
        PacketCrc = 2, "packet CRC", "the packet CRC was wrong";
        BufferParity = 3, "buffer parity", "a buffer RAM had a parity error";
        Protocol = 4, "length/protocol", "length, flit count or order was wrong";
        VlNotImplemented = 5, "VL not implemented", "the virtual lane does not exist here";
        LifetimeExpired = 6, "lifetime expired", "the packet stood still too long";
        Aborted = 7, "aborted by source", "the source gave the packet up";
    }
}
coded_enum! {
    /// Named SPC subtypes (overview, "Where the chapters meet"); ranges are in [`SPC_SUBTYPES`].
    SpcSubtype: u8, {
        MasterTimeLow = 0x01, "MasterTimeLow", "time[39:0]";
        MasterTimeHigh = 0x02, "MasterTimeHigh", "time[63:32]";
        DelayReq = 0x03, "DelayReq", "asks for a link delay round";
        DelayResp = 0x04, "DelayResp", "answers it";
        NeighbourIdentity = 0x10, "neighbour identity", "chapter 30";
    }
}

impl SpcSubtype {
    /// True for a time flit, subtypes 0x01 to 0x04 (chapter 10, 3.2): dropped when it comes out of a replayed LTP.
    #[must_use]
    pub const fn is_time(self) -> bool {
        is_time_subtype(self.code())
    }
}

/// True for the subtype of a time flit, 0x01 to 0x04 (chapter 10, 3.2).
#[must_use]
pub const fn is_time_subtype(subtype: u8) -> bool {
    subtype >= SpcSubtype::MasterTimeLow.code() && subtype <= SpcSubtype::DelayResp.code()
}

/// A range of SPC subtypes and who owns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SubtypeRange {
    /// First subtype of the range.
    pub first: u8,
    /// Last subtype of the range.
    pub last: u8,
    /// Name or use.
    pub name: &'static str,
    /// Chapters that fix it.
    pub chapters: &'static str,
}

/// The one table of SPC subtypes (overview, "Where the chapters meet").
pub const SPC_SUBTYPES: &[SubtypeRange] = &[
    SubtypeRange { first: 0x01, last: 0x01, name: "MasterTimeLow", chapters: "10, 20" },
    SubtypeRange { first: 0x02, last: 0x02, name: "MasterTimeHigh", chapters: "10, 20" },
    SubtypeRange { first: 0x03, last: 0x03, name: "DelayReq", chapters: "20" },
    SubtypeRange { first: 0x04, last: 0x04, name: "DelayResp", chapters: "20" },
    SubtypeRange { first: 0x05, last: 0x0F, name: "reserved for time", chapters: "20" },
    SubtypeRange { first: 0x10, last: 0x10, name: "neighbour identity", chapters: "30" },
    SubtypeRange { first: 0x11, last: 0x1F, name: "management", chapters: "30" },
    SubtypeRange { first: 0x40, last: 0x4F, name: "free", chapters: "-" },
];

/// Bits of a credit code.
pub const CREDIT_CODE_BITS: usize = 3;
/// Credits are returned when they are this share of the lane's buffer (chapter 10, 4.10).
pub const CREDIT_DUE_SHARE: u32 = 8;
/// Most virtual lanes a link can have.
pub const MAX_VLS: usize = 16;

/// Lowest bit of the credit code of virtual lane `vl` in a CrdtRet payload.
#[must_use]
pub const fn credit_code_low(vl: usize) -> usize {
    CREDIT_CODE_BITS * vl
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_seven_link_transfer_opcodes() {
        let codes: Vec<u8> = (0..=255).filter(|&code| is_link_transfer_code(code)).collect();
        assert_eq!(codes, [0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28]);
        assert!(codes.iter().all(|&code| Opcode::from_code(code).is_some()));
    }

    #[test]
    fn reliable_opcodes_are_the_defined_ones_that_are_not_link_transfer() {
        let codes: Vec<u8> = (0..=255).filter(|&code| is_reliable_code(code)).collect();
        assert_eq!(codes, [0x00, 0x02, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A]);
    }

    #[test]
    fn named_subtypes_stand_in_the_table() {
        for subtype in SpcSubtype::ALL {
            let row =
                SPC_SUBTYPES.iter().find(|row| row.first == subtype.code() && row.last == subtype.code());
            assert_eq!(row.map(|row| row.name), Some(subtype.name()));
        }
        assert!(SPC_SUBTYPES.windows(2).all(|pair| pair[0].last < pair[1].first));
    }

    #[test]
    fn enums_serialise_by_name() {
        assert_eq!(serde_json::to_string(&Opcode::RetryReq0).unwrap(), "\"RetryReq0\"");
        assert_eq!(serde_json::from_str::<Opcode>("\"Spc\"").unwrap(), Opcode::Spc);
    }
}
