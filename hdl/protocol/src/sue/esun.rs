//! ESUN header, format 5 (chapter 50, 0).
//!
//! **Ours:** the fields are public, their order and widths are not. This table is the only place that knows them; after the
//! header follows an IP packet or the reliability header, by configuration.

layout! {
    /// ESUN header after its Ethertype.
    header, "ESUN header (order and widths ours)", 32 bits, "chapter 50, 0", {
        rev [0 +: 2] "revision, sent 0; frames of other revisions are dropped";
        ud [2 +: 4] "user defined, sent 0, ignored";
        ttl [6 +: 4] "hops left";
        flow_label [10 +: 16] "entropy";
        f [26 +: 1] "F, sent 0, ignored";
        cos [27 +: 3] "class of service: the PCP of the class";
        ecn [30 +: 2] "explicit congestion notification";
    }
}

/// Revision that is sent and taken.
pub const REVISION: u64 = 0;

/// Reset value of `ET_ESUN`: IEEE local experimental 2, since no number is assigned in public.
pub const ETHERTYPE: u16 = super::network::LOCAL_EXPERIMENTAL_2;

coded_enum! {
    /// What follows an ESUN header.
    EsunPayload: u8, {
        ReliabilityHeader = 0, "RH", "the reliability header follows";
        Ipv4 = 1, "IPv4", "an IPv4 packet follows";
        Ipv6 = 2, "IPv6", "an IPv6 packet follows";
    }
}
