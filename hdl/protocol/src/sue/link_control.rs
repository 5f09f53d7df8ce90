//! Link control (chapter 50, 3.7): control ordered sets (CtlOS), preambles, CC_Update and PFC frames.
//!
//! Ordered sets and preambles are eight octets on XGMII, octet 0 (D0) with the control bit.

layout! {
    /// What all ordered sets have in common.
    ordered_set, "CtlOS", 64 bits, "chapter 50, 3.7", {
        tail [0 +: 24] "D5 to D7, by type";
        o_code [24 +: 4] "6";
        value [28 +: 20] "D2, D3 and the upper half of D4, by type";
        kind [48 +: 8] "D1, type";
        start [56 +: 8] "D0, 0x5C";
    }
}
layout! {
    /// LLR_ACK and LLR_NACK.
    llr_answer, "LLR_ACK, LLR_NACK", 64 bits, "chapter 50, 3.7", {
        o_code [24 +: 4] "6";
        seq [28 +: 20] "ACK: the last frame accepted; NACK: the frame wanted next";
        kind [48 +: 8] "type";
        start [56 +: 8] "0x5C";
    }
}
layout! {
    /// LLR_INIT and LLR_INIT_ECHO.
    llr_init, "LLR_INIT, LLR_INIT_ECHO", 64 bits, "chapter 50, 3.7", {
        data_high [8 +: 8] "upper octet of the data";
        data_low [16 +: 8] "lower octet of the data";
        o_code [24 +: 4] "6";
        seq [28 +: 20] "first sequence number";
        kind [48 +: 8] "type";
        start [56 +: 8] "0x5C";
    }
}
layout! {
    /// CF_Update: what the receiver has freed, of two virtual channels.
    cf_update, "CF_Update", 64 bits, "chapter 50, 3.7", {
        cnt2 [4 +: 15] "cells freed of vc2, modulo 2^15";
        vc2 [19 +: 5] "second virtual channel";
        o_code [24 +: 4] "6";
        cnt1 [28 +: 15] "cells freed of vc1, modulo 2^15";
        vc1 [43 +: 5] "first virtual channel";
        kind [48 +: 8] "type";
        start [56 +: 8] "0x5C";
    }
}
layout! {
    /// The data of LLR_INIT in the order of its halves.
    init_data, "Data of LLR_INIT", 16 bits, "chapter 50, 3.7", {
        low [0 +: 8] "sent first";
        high [8 +: 8] "sent second";
    }
}
layout! {
    /// Preamble of a frame under link-layer retry.
    llr_preamble, "LLR preamble", 64 bits, "chapter 50, 3.7", {
        flags [0 +: 8] "0";
        seq [8 +: 20] "sequence number";
        reserved [28 +: 4] "0";
        mark [32 +: 8] "0xDD";
        fill [40 +: 16] "0x5555";
        start [56 +: 8] "0xFB";
    }
}
layout! {
    /// The octets ahead of the frame that the FCS covers with LLR_FCS_SEQ: the lower half of the LLR preamble.
    llr_sequence, "LLR sequence and flags", 32 bits, "chapter 50, 3.7", {
        flags [0 +: 8] "0";
        seq [8 +: 20] "sequence number";
        reserved [28 +: 4] "0";
    }
}
layout! {
    /// One virtual channel of a CC_Update frame.
    cc_entry, "CC_Update entry", 64 bits, "chapter 50, 3.7", {
        cnt [36 +: 15] "cells consumed, modulo 2^15";
        vc [51 +: 5] "virtual channel";
        kind [56 +: 8] "0x11; 0 is padding";
    }
}
layout! {
    /// MAC control frames begin so, after the Ethertype.
    mac_control, "MAC control opcode", 16 bits, "chapter 50, 3.7", {
        opcode [0 +: 16] "opcode";
    }
}
layout! {
    /// The organisation identifier of a CC_Update in the profile ue103.
    organisation, "Organisation identifier", 24 bits, "chapter 50, 0", {
        id [0 +: 24] "FA-7A-CB";
    }
}
layout! {
    /// Class vector of a PFC frame.
    pfc_classes, "PFC class vector", 16 bits, "chapter 50, 3.7", {
        enabled [0 +: 8] "bit p: the timer of priority p counts";
        reserved [8 +: 8] "0";
    }
}
layout! {
    /// A timer of a PFC frame; eight of them follow the class vector, priority 0 first.
    pfc_timer, "PFC timer", 16 bits, "chapter 50, 3.7", {
        quanta [0 +: 16] "pause in units of 512 bit times; 0 ends it";
    }
}

coded_enum! {
    /// Types of ordered sets (chapter 50, 3.7).
    OrderedSetType: u8, {
        LlrAck = 0x01, "LLR_ACK", "everything up to seq is accepted";
        LlrNack = 0x02, "LLR_NACK", "send again from seq";
        LlrInit = 0x03, "LLR_INIT", "starts link-layer retry";
        LlrInitEcho = 0x04, "LLR_INIT_ECHO", "answers LLR_INIT";
        CfUpdate = 0x10, "CF_Update", "credits freed";
    }
}

/// D0 of an ordered set.
pub const ORDERED_SET_START: u64 = 0x5C;
/// O-code of an ordered set.
pub const O_CODE: u64 = 6;
/// Octet 0 of a preamble, a control character.
pub const FRAME_START: u64 = 0xFB;
/// The control character after the last octet of a frame.
pub const FRAME_END: u64 = 0xFD;
/// The control character between frames.
pub const IDLE: u64 = 0x07;
/// The control character for an octet that is lost.
pub const ERROR: u64 = 0xFE;
/// Two octets of preamble.
pub const PREAMBLE_FILL: u64 = 0x5555;
/// Octet 3 of an LLR preamble.
pub const LLR_MARK: u64 = 0xDD;
/// Standard preamble with its start and start-of-frame delimiter.
pub const STANDARD_PREAMBLE: u64 = 0xFB55_5555_5555_55D5;
/// Octets of a preamble and of an ordered set.
pub const PREAMBLE_BYTES: usize = 8;
/// Least octets between two frames, FRAME_END included (chapter 50, 4.7).
pub const LEAST_GAP: usize = 8;
/// A sender puts an ordered set into a frame only after this many octets of it (chapter 50, 0).
pub const SET_IN_FRAME_AFTER: usize = 2048;
/// Least octets of the frame between two ordered sets in it (chapter 50, 0).
pub const SET_IN_FRAME_SPACING: usize = 400;
/// From this octet of a frame on a receiver has to take ordered sets in it (chapter 50, 0).
pub const SET_IN_FRAME_TAKEN_FROM: usize = 256;
/// Modulus of sequence numbers is two to this power.
pub const SEQUENCE_BITS: usize = llr_answer::seq::WIDTH;
/// Modulus of credit counts is two to this power.
pub const CREDIT_BITS: usize = cf_update::cnt1::WIDTH;

/// Destination of PFC and CC_Update frames: 01-80-C2-00-00-01.
pub const MAC_CONTROL_DESTINATION: u64 = 0x0180_C200_0001;
/// Ethertype of MAC control frames.
pub const MAC_CONTROL_ETHERTYPE: u16 = 0x8808;
/// Ethertype of LLDP (IEEE 802.1AB).
pub const LLDP_ETHERTYPE: u16 = 0x88CC;
/// Opcode of PFC.
pub const PFC_OPCODE: u16 = 0x0101;
/// Reset value of `CC_OPC`.
pub const CC_OPCODE: u16 = 0x0FFE;
/// Type of an entry of CC_Update.
pub const CC_ENTRY_KIND: u64 = 0x11;
/// Organisation identifier of CC_Update in the profile ue103.
pub const CC_ORGANISATION: u64 = 0x00FA_7ACB;
/// Virtual channels of credit-based flow control.
pub const CBFC_VCS: usize = 1 << cc_entry::vc::WIDTH;
/// Virtual channels in one CC_Update of the profile ue103.
pub const CC_VCS_PER_MESSAGE: usize = CBFC_VCS / 2;
/// Priorities of PFC.
pub const PRIORITIES: usize = pfc_classes::enabled::WIDTH;
/// CELL is this many octets times two to the power n, n from 0 to [`CELL_EXPONENT_MAX`].
pub const CELL_BYTES_MIN: usize = 32;
/// Largest exponent n of CELL: 2048 octets.
pub const CELL_EXPONENT_MAX: u8 = 6;
