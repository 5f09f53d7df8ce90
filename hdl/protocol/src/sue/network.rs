//! Network headers (chapter 50, 3.5): Ethernet, IP and UDP, the AI Fabric Headers (AFH), and what their fields are made of.

layout! {
    /// Forwarding identifier (FID), the 16 forwarding bits of chapter 40.
    fid, "Forwarding identifier (FID)", 16 bits, "chapter 50, 3.5", {
        port [0 +: 4] "port, the same at both ends";
        xpu [4 +: 12] "number of the XPU";
    }
}
layout! {
    /// A MAC address made of the configuration.
    mac, "MAC address", 48 bits, "chapter 50, 3.5", {
        fid [0 +: 16] "FID";
        machine_partition [16 +: 16] "register MAC_PART";
        generation [32 +: 8] "gg: generation << (8 - GEN_W); 0 without GEN_EN";
        prefix [40 +: 8] "0x02, locally administered";
    }
}
layout! {
    /// Entropy, constant per destination and virtual channel.
    entropy, "Entropy", 14 bits, "chapter 50, 3.5", {
        xpu [0 +: 12] "number of the destination";
        vc [12 +: 2] "virtual channel";
    }
}
layout! {
    /// Entropy as AFH Gen 2 folds it into an octet: low XOR high.
    entropy_fold, "Folded entropy", 14 bits, "chapter 50, 3.5", {
        low [0 +: 8] "low octet";
        high [8 +: 6] "the rest";
    }
}
layout! {
    /// The addresses of a frame.
    addresses, "Ethernet addresses", 96 bits, "chapter 50, 3.5", {
        source [0 +: 48] "source address (SA)";
        destination [48 +: 48] "destination address (DA)";
    }
}
layout! {
    /// An Ethertype.
    ethertype, "Ethertype", 16 bits, "chapter 50, 3.5", {
        value [0 +: 16] "Ethertype";
    }
}
layout! {
    /// 802.1Q tag, between the addresses and the Ethertype.
    tag, "802.1Q tag", 32 bits, "chapter 50, 3.5", {
        vid [0 +: 12] "VLAN identifier";
        dei [12 +: 1] "drop eligible, sent 0, ignored";
        pcp [13 +: 3] "priority of the class";
        tpid [16 +: 16] "0x8100";
    }
}
layout! {
    /// IPv4 header without its addresses.
    ipv4, "IPv4 header, octets 0 to 11", 96 bits, "chapter 50, 3.5", {
        checksum [0 +: 16] "ones' complement of the sum of the header";
        protocol [16 +: 8] "17, UDP";
        ttl [24 +: 8] "register TTL";
        fragment_offset [32 +: 13] "0";
        more_fragments [45 +: 1] "0";
        dont_fragment [46 +: 1] "1";
        identification [48 +: 16] "0";
        total_length [64 +: 16] "octets from here to the end of the PDU";
        traffic_class [80 +: 8] "TC of the class";
        ihl [88 +: 4] "5, header length in words of 32 bits";
        version [92 +: 4] "4";
    }
}
layout! {
    /// Addresses of an IPv4 header.
    ipv4_addresses, "IPv4 header, octets 12 to 19", 64 bits, "chapter 50, 3.5", {
        destination [0 +: 32] "IP_BASE + XPU of the peer";
        source [32 +: 32] "IP_BASE + own XPU";
    }
}
layout! {
    /// IPv6 header without its addresses.
    ipv6, "IPv6 header, octets 0 to 7", 64 bits, "chapter 50, 3.5", {
        hop_limit [0 +: 8] "register TTL";
        next_header [8 +: 8] "17, UDP";
        payload_length [16 +: 16] "octets after the IPv6 header";
        flow_label [32 +: 20] "entropy";
        traffic_class [52 +: 8] "TC of the class";
        version [60 +: 4] "6";
    }
}
layout! {
    /// An IPv6 address: source first, then destination.
    ipv6_address, "IPv6 address", 128 bits, "chapter 50, 3.5", {
        low [0 +: 32] "IP_BASE + XPU";
        middle [32 +: 32] "register IP6_MID";
        high [64 +: 64] "register IP6_HI";
    }
}
layout! {
    /// UDP header.
    udp, "UDP header", 64 bits, "chapter 50, 3.5", {
        checksum [0 +: 16] "0, ignored";
        length [16 +: 16] "octets of UDP header and PDU";
        destination [32 +: 16] "register, 3333";
        source [48 +: 16] "0xC000 with the entropy in the low bits";
    }
}
layout! {
    /// Source port of UDP.
    udp_source, "UDP source port", 16 bits, "chapter 50, 3.5", {
        entropy [0 +: 14] "entropy";
        dynamic [14 +: 2] "3: a port of the dynamic range";
    }
}
layout! {
    /// Shim of AFH Gen 1.
    shim, "AFH Gen 1 shim", 64 bits, "chapter 50, 3.5", {
        pdu_bytes [0 +: 16] "PDU length in octets";
        next [16 +: 8] "1: RH follows";
        hop_limit [24 +: 8] "hop limit";
        entropy [32 +: 14] "entropy";
        reserved [46 +: 2] "0";
        traffic_class [48 +: 8] "TC";
        words [56 +: 4] "2, length in words of 32 bits";
        version [60 +: 4] "9, never the first nibble of an RH of version 0";
    }
}
layout! {
    /// First octet of AFH Gen 2.
    afh_key, "AFH Gen 2 key", 8 bits, "chapter 50, 3.5", {
        m [0 +: 1] "1: multicast";
        x [1 +: 1] "1";
        y [2 +: 1] "0";
        z [3 +: 1] "0";
        reserved [4 +: 2] "0";
        v [6 +: 1] "0";
        w [7 +: 1] "1: compressed";
    }
}
layout! {
    /// AFH Gen 2, normal: the 12 octets in the place of the MAC addresses.
    afh2, "AFH Gen 2, normal", 96 bits, "chapter 50, 3.5", {
        source_fid [0 +: 16] "FID of the source";
        source_reserved [16 +: 8] "0";
        source_generation [24 +: 8] "gg of the source";
        entropy [32 +: 8] "folded entropy";
        source_key [40 +: 4] "2: a unicast AAI address, too";
        hop [44 +: 4] "hops left";
        fid [48 +: 16] "FID of the destination";
        reserved [64 +: 8] "0";
        generation [72 +: 8] "gg";
        traffic_class [80 +: 8] "TC";
        key [88 +: 8] "key";
    }
}
layout! {
    /// AFH Gen 2, compressed: six octets ahead of the Ethertype.
    afh2_compressed, "AFH Gen 2, compressed", 48 bits, "chapter 50, 3.5", {
        source_fid [0 +: 16] "FID of the source";
        fid [16 +: 16] "FID of the destination";
        traffic_class [32 +: 8] "TC";
        key [40 +: 8] "key";
    }
}

coded_enum! {
    /// Header formats, the values of register FMT (chapter 50, 5 and 0). SUE Lite is 4 with `ET_LITE`.
    HeaderFormat: u8, {
        StandardV4 = 0, "standard IPv4", "Ethernet, IPv4, UDP";
        StandardV6 = 1, "standard IPv6", "Ethernet, IPv6, UDP";
        AfhGen1 = 2, "AFH Gen 1", "MAC addresses, Ethertype, shim if wanted";
        AfhGen2 = 3, "AFH Gen 2, 12 B", "12 octets in the place of the MAC addresses";
        AfhGen2Compressed = 4, "AFH Gen 2, 6 B", "six octets ahead of the Ethertype; SUE Lite";
        Esun = 5, "ESUN", "MAC addresses, Ethertype, ESUN header";
    }
}

/// Top octet of a MAC address that is made of the configuration.
pub const MAC_PREFIX: u64 = 0x02;
/// First octet of AFH Gen 2, normal.
pub const KEY_NORMAL: u64 = afh_key::x::FIELD.mask() as u64;
/// First octet of AFH Gen 2, compressed.
pub const KEY_COMPRESSED: u64 = (afh_key::w::FIELD.mask() | afh_key::x::FIELD.mask()) as u64;
/// Low half of octet 6 of AFH Gen 2, normal.
pub const SOURCE_KEY: u64 = 0x2;

/// TPID of an 802.1Q tag.
pub const TAG_TPID: u64 = 0x8100;
/// Ethertype of IPv4.
pub const IPV4_ETHERTYPE: u16 = 0x0800;
/// Ethertype of IPv6.
pub const IPV6_ETHERTYPE: u16 = 0x86DD;
/// Version of an IPv4 header.
pub const IPV4_VERSION: u64 = 4;
/// Header length of IPv4 without options, in words of 32 bits.
pub const IPV4_IHL: u64 = 5;
/// Octets of an IPv4 header.
pub const IPV4_BYTES: usize = (ipv4::WIDTH + ipv4_addresses::WIDTH) / 8;
/// Version of an IPv6 header.
pub const IPV6_VERSION: u64 = 6;
/// Octets of an IPv6 header.
pub const IPV6_BYTES: usize = (ipv6::WIDTH + 2 * ipv6_address::WIDTH) / 8;
/// Protocol number of UDP.
pub const UDP_PROTOCOL: u64 = 17;
/// Octets of a UDP header.
pub const UDP_BYTES: usize = udp::WIDTH / 8;
/// Top bits of a UDP source port.
pub const UDP_DYNAMIC: u64 = 3;
/// Reset value of the UDP destination port.
pub const UDP_PORT: u16 = 3333;
/// Version of the shim.
pub const SHIM_VERSION: u64 = 9;
/// Length of the shim in words of 32 bits.
pub const SHIM_WORDS: u64 = (shim::WIDTH / 32) as u64;
/// `next` of the shim: the reliability header follows.
pub const SHIM_NEXT_RH: u64 = 1;

/// Ethertype for local experiments, IEEE 802, number 1.
pub const LOCAL_EXPERIMENTAL_1: u16 = 0x88B5;
/// Ethertype for local experiments, IEEE 802, number 2.
pub const LOCAL_EXPERIMENTAL_2: u16 = 0x88B6;
/// Reset value of `ET_AFH1`: AFH Gen 1.
pub const AFH1_ETHERTYPE: u16 = LOCAL_EXPERIMENTAL_2;
/// Reset value of `ET_SUE`: RH follows.
pub const SUE_ETHERTYPE: u16 = LOCAL_EXPERIMENTAL_2;
/// Reset value of `ET_LITE`: SUE Lite, valid only after a compressed key.
pub const LITE_ETHERTYPE: u16 = LOCAL_EXPERIMENTAL_1;
/// Reset value of `ET_EVT`: event frames of chapter 40, at octets 12 and 13 and never after a compressed key.
pub const EVENT_ETHERTYPE: u16 = LOCAL_EXPERIMENTAL_1;

/// Reset value of `IP_BASE`: 10.0.0.0.
pub const IP_BASE: u32 = 0x0A00_0000;
/// Reset value of the hop count.
pub const HOP: u8 = 4;
/// Reset value of TTL.
pub const TTL: u8 = 64;
/// Widest generation in bits, the width of gg (chapter 40).
pub const GENERATION_BITS_MAX: u8 = mac::generation::WIDTH as u8;

/// Entropy folded into the octet of AFH Gen 2.
#[must_use]
pub const fn fold_entropy(entropy: u64) -> u64 {
    entropy_fold::low::FIELD.get(entropy as u128) ^ entropy_fold::high::FIELD.get(entropy as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_made_of_fields_are_the_chapters() {
        assert_eq!((KEY_NORMAL, KEY_COMPRESSED), (0x02, 0x82));
        assert_eq!((IPV4_BYTES, IPV6_BYTES, UDP_BYTES, SHIM_WORDS), (20, 40, 8, 2));
        assert_eq!(UDP_PORT, 0x0D05);
        assert_eq!(fold_entropy(0x3F07), 0x38);
    }
}
