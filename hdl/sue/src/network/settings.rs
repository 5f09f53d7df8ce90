//! What the registers say to the network headers (chapter 50, 5), and what a header says to later checks.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class;

/// A class: registers CLASS0 to CLASS5.
#[packed(class::class)]
pub struct ClassSettings {
    /// No frame may be dropped for want of room.
    lossless: Bit,
    /// 802.1Q priority.
    pcp: Bits<3>,
    /// Differentiated services code point.
    dscp: Bits<6>,
    /// Virtual channel of CBFC.
    cbfc_vc: Bits<5>,
}

/// Registers FMT, ETYPE, IP_BASE, IP6_HI, IP6_MID, LOCAL and CLASS0 to CLASS5.
#[packed]
pub struct NetworkSettings {
    /// FMT: header format, 0 to 5.
    format: Bits<3>,
    /// FMT: frames are sent with an 802.1Q tag.
    vlan: Bit,
    /// FMT: SHIM_EN, AFH Gen 1 with a shim.
    shim: Bit,
    /// FMT: ET2_EN, AFH Gen 1 with a second Ethertype.
    second_ethertype: Bit,
    /// FMT: VLAN identifier.
    vid: Bits<12>,
    /// FMT: hop count of AFH Gen 2, shim and ESUN.
    hop: Bits<4>,
    /// FMT: TTL or hop limit of IP.
    ttl: Bits<8>,
    /// What follows an ESUN header: 0 RH, 1 IPv4, 2 IPv6.
    esun_payload: Bits<2>,
    /// SUE Lite: `ET_LITE` in place of `ET_SUE`, and the class tells the virtual channel.
    lite: Bit,
    /// ETYPE: `ET_AFH1`.
    afh1_ethertype: Bits<16>,
    /// ETYPE: `ET_SUE`.
    sue_ethertype: Bits<16>,
    /// ETYPE: `ET_LITE`.
    lite_ethertype: Bits<16>,
    /// `ET_ESUN`.
    esun_ethertype: Bits<16>,
    /// ETYPE: destination port of UDP.
    udp_port: Bits<16>,
    /// IP_BASE.
    ip_base: Bits<32>,
    /// IP6_MID.
    ip6_middle: Bits<32>,
    /// IP6_HI.
    ip6_high: Bits<64>,
    /// LOCAL: own XPU.
    own_xpu: Bits<12>,
    /// LOCAL: MAC_PART.
    machine_partition: Bits<16>,
    /// CLASS0: requests.
    class_0: ClassSettings,
    /// CLASS1: responses.
    class_1: ClassSettings,
    /// CLASS2: virtual channel 2.
    class_2: ClassSettings,
    /// CLASS3: virtual channel 3.
    class_3: ClassSettings,
    /// CLASS4: acknowledgments.
    class_4: ClassSettings,
    /// CLASS5: management.
    class_5: ClassSettings,
}

/// What the header of a received PDU says to later checks.
#[packed]
pub struct NetworkSource {
    /// XPU that the frame comes from by its address.
    xpu: Bits<12>,
    /// Port that it comes from; a good frame has the own one.
    port: Bits<4>,
    /// gg of its destination.
    generation: Bits<8>,
    /// TC of a header that has one; with ESUN the class of service in the low bits.
    class: Bits<8>,
    /// SUE Lite: the virtual channel of that class.
    vc: Bits<2>,
}
