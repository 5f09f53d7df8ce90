//! LLDP frames that say what a link can do: link-layer retry (LLR) and credit-based flow control (CBFC) (chapter 50, 0).
//!
//! | what | from |
//! |---|---|
//! | head of a TLV, chassis, port, time to live, end, address, organisationally specific TLVs | IEEE 802.1AB |
//! | fields of subtypes 1 and 2 and their order | third-party notes of UE 1.0.1, 5.3.2.1 and 5.3.2.2; the text itself could not be read |
//! | organisation identifier | ours: that of CC_Update; the notes leave the number out |
//! | [`VERSION`] | ours: no number is public |
//!
//! A public tester shows the wish for LLR as two bits (0 no, 3 both directions) where the notes have one. So the layouts stand here only.

use super::link_control::CC_ORGANISATION;

layout! {
    /// The head of every TLV.
    tlv, "LLDP TLV", 16 bits, "IEEE 802.1AB, 8.4", {
        length [0 +: 9] "octets that follow";
        kind [9 +: 7] "type";
    }
}
layout! {
    /// The head of an organisationally specific TLV, after that of the TLV.
    specific, "Organisationally specific TLV", 32 bits, "IEEE 802.1AB, 8.6", {
        subtype [0 +: 8] "subtype";
        organisation [8 +: 24] "organisation identifier";
    }
}
layout! {
    /// Subtype 1.
    link_options, "LLDP: UE link negotiation", 16 bits, "chapter 50, 0", {
        version [0 +: 8] "version of UE";
        reserved [8 +: 6] "0";
        credits [14 +: 1] "CBFC is wanted";
        retry [15 +: 1] "LLR is wanted";
    }
}
layout! {
    /// Subtype 2.
    link_credits, "LLDP: UE CBFC", 72 bits, "chapter 50, 0", {
        reserved [0 +: 16] "0";
        lossless [16 +: 32] "bit v: virtual channel v is lossless";
        pool [48 +: 16] "credits of all virtual channels together, at least 1";
        channels [64 +: 8] "virtual channels, 1 to 32";
    }
}

coded_enum! {
    /// Types of TLVs that matter here.
    TlvType: u8, {
        End = 0, "end", "nothing counts after it";
        Chassis = 1, "chassis ID", "the first TLV";
        Port = 2, "port ID", "the second TLV";
        TimeToLive = 3, "time to live", "the third TLV, seconds; 0: the neighbour says goodbye";
        Specific = 127, "organisationally specific", "by organisation and subtype";
    }
}

coded_enum! {
    /// Subtypes of [`ORGANISATION`].
    Subtype: u8, {
        LinkOptions = 1, "UE link negotiation", "LLR and CBFC, yes or no";
        LinkCredits = 2, "UE CBFC", "what the receiver has";
    }
}

/// Organisation identifier of both TLVs.
pub const ORGANISATION: u64 = CC_ORGANISATION;
/// Version that is sent.
pub const VERSION: u8 = 1;
/// Destination: the nearest bridge, 01-80-C2-00-00-0E.
pub const DESTINATION: u64 = 0x0180_C200_000E;
/// Subtype of a chassis ID that is a MAC address.
pub const CHASSIS_MAC: u8 = 4;
/// Subtype of a port ID that is assigned locally.
pub const PORT_LOCAL: u8 = 7;
