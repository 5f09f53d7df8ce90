//! Scale-Up Ethernet: its wire formats and numbers (chapter 50, 3 and the parts of 0, 4.7 and 4.8 about formats).
//!
//! Every word here is sent most significant octet first: octet 0 on the wire is the top octet of the word, and bit 0 of a
//! layout is the least significant bit of the last octet. The two CRCs are the exception; [`crc`] has their order.
//!
//! | module | chapter 50 |
//! |---|---|
//! | [`axi`] | 4.2: control of commands that carry AXI4, USER |
//! | [`command`] | 3.1: header and types of commands, TYPE_CFG |
//! | [`reliability`] | 3.2, 3.4: reliability header (RH), connection management (CM) records |
//! | [`crc`] | 3.3: R-CRC and frame check sequence (FCS) |
//! | [`network`] | 3.5: Ethernet, standard IP and UDP, AI Fabric Header (AFH) Gen 1 and Gen 2, Ethertypes |
//! | [`esun`] | 0: ESUN header, format 5 |
//! | [`header`] | 3.5, 0: what stands in the fields of these headers, and what a receiver checks |
//! | [`class`] | 3.6: classes |
//! | [`link_control`] | 3.7: control ordered sets (CtlOS), preambles, CC_Update, priority flow control (PFC) |
//! | [`lldp`] | 0: negotiation of link-layer retry and credits |
//!
//! Of these tables, [`reference`] prints a page and [`dissector`] a dissector for Wireshark.

pub mod axi;
pub mod class;
pub mod command;
pub mod crc;
pub mod dissector;
pub mod esun;
pub mod header;
pub mod link_control;
pub mod lldp;
pub mod network;
pub mod reference;
pub mod reliability;

coded_enum! {
    /// `PROFILE`: which rows of chapter 50, section 0, are in force.
    Profile: u8, {
        Sue1 = 0, "sue1", "SUE 1.0 with the link of UE 1.0.1, the default";
        Ue103 = 1, "ue103", "the link of UE 1.0.3";
    }
}

impl Profile {
    /// Reset value of PKT_OVHD: octets that a frame costs beyond its own (chapter 50, 0).
    #[must_use]
    pub const fn packet_overhead(self) -> i8 {
        match self {
            Profile::Sue1 => 20,
            Profile::Ue103 => -4,
        }
    }
}

/// Least PKT_OVHD; the most is that of eight signed bits (chapter 50, 0).
pub const PACKET_OVERHEAD_MIN: i8 = -16;
/// Smallest frame in octets without its FCS, reset value of MINF (chapter 50, 4).
pub const MIN_FRAME_BYTES: usize = 60;
/// Range of MINF (chapter 50, 4).
pub const MIN_FRAME_RANGE: (usize, usize) = (8, 60);
/// Largest frame in octets (chapter 50, 4.7).
pub const MAX_FRAME_BYTES: usize = 9216;
/// Largest body in octets, the limit of PACK_MAX (chapter 50, 4.3 rule 4).
pub const MAX_BODY_BYTES: usize = 4096;
/// Largest body of SUE Lite in octets.
pub const MAX_LITE_BODY_BYTES: usize = 1024;
/// Reset value of PACK_MAX.
pub const PACK_MAX: usize = 2048;
/// Octets between two frames on the average (chapter 50, 4.7).
pub const INTER_PACKET_GAP: usize = 12;
