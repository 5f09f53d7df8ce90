//! Why a received header is refused, and where it is counted.

use crate::sue::format::octets::{CutOff, FieldError};
use crate::sue::format::DropCounter;
use flitforge_protocol::sue::{esun, network};
use thiserror::Error;

/// A header that is refused (chapter 50, 3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HeaderRefusal {
    /// The frame ends inside its header.
    #[error(transparent)]
    CutOff(#[from] CutOff),
    /// The own address cannot be made of the settings.
    #[error(transparent)]
    Own(#[from] FieldError),
    /// Not for this port.
    #[error("destination {found:#x}: this port is {own:#x}; the frame is for another one")]
    Destination {
        /// Address or FID in the frame.
        found: u64,
        /// The own one.
        own: u64,
    },
    /// From another port than the own one.
    #[error("source port {found}: port {own} talks to ports of the same number only")]
    SourcePort {
        /// Port nibble of the source.
        found: u8,
        /// The own one.
        own: u8,
    },
    /// Source address and reliability header disagree.
    #[error("source XPU: the address says {address}, the reliability header says {header}")]
    SourceXpu {
        /// XPU in the source address.
        address: u16,
        /// `xpuid`.
        header: u16,
    },
    /// Another VLAN.
    #[error("VLAN {found}: expected {own}; set VID at both ends alike")]
    Vid {
        /// VID in the tag.
        found: u16,
        /// The register.
        own: u16,
    },
    /// Another Ethertype.
    #[error("Ethertype {found:#06x}: expected {expected:#06x}; set FMT and ETYPE at both ends alike")]
    Ethertype {
        /// Ethertype in the frame.
        found: u16,
        /// The one of the format.
        expected: u16,
    },
    /// Another IP version, or options.
    #[error("IP version {version}, header length {words} words: expected IPv4 without options, or IPv6 as FMT says")]
    InternetVersion {
        /// Version field.
        version: u8,
        /// IHL; 0 for IPv6.
        words: u8,
    },
    /// The IPv4 checksum is wrong.
    #[error("IPv4 checksum {found:#06x}: the header gives {computed:#06x}")]
    InternetChecksum {
        /// Checksum in the header.
        found: u16,
        /// Checksum of the header.
        computed: u16,
    },
    /// The length of IP is not the frame's.
    #[error("IP length {found}: the frame has {expected} octets of it")]
    InternetLength {
        /// Length field.
        found: usize,
        /// Octets in the frame.
        expected: usize,
    },
    /// A fragment.
    #[error("IPv4 fragment: only whole packets are taken; raise the MTU on the way")]
    Fragment,
    /// Not UDP.
    #[error("IP protocol {found}: expected UDP, {}", network::UDP_PROTOCOL)]
    Protocol {
        /// Protocol or next header.
        found: u8,
    },
    /// An IP destination that is not the own one.
    #[error("IP destination {found:x}: this port is {own:x}")]
    InternetDestination {
        /// Address in the header.
        found: u128,
        /// The own one.
        own: u128,
    },
    /// Another UDP port.
    #[error("UDP port {found}: expected {own}")]
    UdpPort {
        /// Destination port in the header.
        found: u16,
        /// The register.
        own: u16,
    },
    /// The length of UDP is not the frame's.
    #[error("UDP length {found}: the frame has {expected} octets of it")]
    UdpLength {
        /// Length field.
        found: usize,
        /// Octets in the frame.
        expected: usize,
    },
    /// SUE Lite: no virtual channel has this TC.
    #[error(
        "TC {found:#04x}: no class of a virtual channel has its DSCP; set the classes at both ends alike"
    )]
    Class {
        /// TC in the header.
        found: u8,
    },
    /// Another revision of the ESUN header.
    #[error("ESUN revision {found}: only {} is known", esun::REVISION)]
    EsunRevision {
        /// Revision in the header.
        found: u8,
    },
    /// The first octet is no key of the format.
    #[error("AFH key {found:#04x}: expected {expected:#04x}; set FMT at both ends alike")]
    Key {
        /// First octet.
        found: u8,
        /// Key of the format.
        expected: u8,
    },
    /// A group address, M = 1.
    #[error("AFH key {found:#04x}: multicast is not supported")]
    Multicast {
        /// First octet.
        found: u8,
    },
    /// The low half of octet 6 is wrong.
    #[error("AFH octet 6: its low half is {found:#x}, expected {:#x}", network::SOURCE_KEY)]
    SourceKey {
        /// The low half.
        found: u8,
    },
    /// Reserved bits are set.
    #[error("{layout}: `{field}` is {found:#x}, expected 0")]
    Reserved {
        /// Name of the layout.
        layout: &'static str,
        /// Name of the field.
        field: &'static str,
        /// Its value.
        found: u64,
    },
    /// A field of the shim that has one value only.
    #[error("AFH Gen 1 shim: `{field}` is {found}, expected {expected}")]
    Shim {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The value it has to have.
        expected: u64,
    },
    /// Another generation, everything else being right.
    #[error("generation octet {found:#04x}: this port is at {own:#04x}; the frame is of another generation")]
    Generation {
        /// gg in the frame.
        found: u8,
        /// The own one.
        own: u8,
    },
}

impl HeaderRefusal {
    /// The counter of a refused frame. AFH_BAD is for an AFH header (Gen 2, shim of Gen 1) of a shape that is not allowed,
    /// HDR_BAD for everything else that is foreign or wrong.
    #[must_use]
    pub const fn counter(&self) -> DropCounter {
        match self {
            HeaderRefusal::Key { .. }
            | HeaderRefusal::Multicast { .. }
            | HeaderRefusal::SourceKey { .. }
            | HeaderRefusal::Reserved { .. }
            | HeaderRefusal::Shim { .. } => DropCounter::AfhBad,
            HeaderRefusal::Generation { .. } => DropCounter::GenerationDrop,
            _ => DropCounter::HeaderBad,
        }
    }
}
