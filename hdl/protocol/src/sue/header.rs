//! Network headers as one table (chapter 50, 3.5, and ESUN of section 0): which parts stand in which format, what each field is
//! sent with, and what a receiver makes of it.
//!
//! [`network`](super::network) and [`esun`](super::esun) say where fields stand in a part; here stands what they say. Bits without
//! an entry are sent 0 and ignored.

use super::crc::CRC_BYTES;
use super::esun::{header as esun, EsunPayload, REVISION};
use super::network::{
    addresses, afh2, afh2_compressed, ethertype, fid, ipv4, ipv4_addresses, ipv6, ipv6_address, mac, shim,
    tag, udp, udp_source, HeaderFormat, IPV4_IHL, IPV4_VERSION, IPV6_VERSION, KEY_COMPRESSED, KEY_NORMAL,
    MAC_PREFIX, SHIM_NEXT_RH, SHIM_VERSION, SHIM_WORDS, SOURCE_KEY, TAG_TPID, UDP_DYNAMIC, UDP_PROTOCOL,
};
use super::reliability;
use crate::layout::{Field, Layout};

/// What a field is sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderValue {
    /// Always this.
    Constant(u64),
    /// The first Ethertype of the format.
    Ethertype,
    /// `ET_SUE` after the first Ethertype.
    SecondEthertype,
    /// VID.
    Vid,
    /// Hop count.
    Hop,
    /// TTL.
    Ttl,
    /// `MAC_PART`.
    MachinePartition,
    /// UDP destination port.
    UdpPort,
    /// Number of the own XPU.
    OwnXpu,
    /// `IP_BASE` and the own XPU.
    OwnAddress,
    /// `IP6_MID`.
    AddressMiddle,
    /// `IP6_HI`.
    AddressHigh,
    /// gg.
    Generation,
    /// Port, the same at both ends.
    Port,
    /// Number of the destination.
    PeerXpu,
    /// `IP_BASE` and the destination.
    PeerAddress,
    /// TC of the class.
    TrafficClass,
    /// PCP of the class.
    Priority,
    /// Entropy.
    Entropy,
    /// Entropy folded into an octet.
    FoldedEntropy,
    /// Octets from the IPv4 header to the end of the frame.
    Ipv4Length,
    /// Octets from the UDP header to the end of the frame.
    UdpLength,
    /// Octets of the PDU.
    PduLength,
    /// Checksum of the IPv4 header.
    Ipv4Checksum,
}

/// What a receiver makes of a field. Who is judged first decides which counter a frame with several faults goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderCheck {
    /// Nothing.
    Ignored,
    /// It has to be as sent; else HDR_BAD.
    AsSent,
    /// It has to be this; else HDR_BAD.
    Equal(HeaderValue),
    /// The key of AFH Gen 2, judged even if the frame ends in its header: as sent; else AFH_BAD.
    Key,
    /// A part of the shape of an AFH header: as sent; else AFH_BAD.
    Shape,
    /// The port of the sender, judged after all of the above: the own one; else HDR_BAD.
    SourcePort,
    /// The XPU of the sender, for later checks.
    SourceXpu,
    /// The class, for later checks.
    Class,
    /// gg, judged last; else GEN_DROP.
    Generation,
    /// A length, which has to be that of the frame; else HDR_BAD, in a shim AFH_BAD.
    Length,
    /// The checksum of IPv4; HDR_BAD.
    Checksum,
}

/// A field of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderField {
    /// Where it stands in its part.
    pub field: Field,
    /// What it is sent with.
    pub sent: HeaderValue,
    /// What a receiver makes of it.
    pub check: HeaderCheck,
}

/// A part of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderPart {
    /// MAC addresses.
    Addresses,
    /// 802.1Q tag.
    Tag,
    /// Ethertype of the format.
    Ethertype,
    /// Second Ethertype of AFH Gen 1.
    SecondEthertype,
    /// Shim of AFH Gen 1.
    Shim,
    /// AFH Gen 2, 12 octets.
    Afh2,
    /// AFH Gen 2, 6 octets.
    Afh2Compressed,
    /// ESUN header after its Ethertype.
    Esun,
    /// IPv4 without addresses.
    Ipv4,
    /// IPv4 addresses.
    Ipv4Addresses,
    /// IPv6 without addresses.
    Ipv6,
    /// IPv6 source.
    Ipv6Source,
    /// IPv6 destination.
    Ipv6Destination,
    /// UDP.
    Udp,
}

impl HeaderPart {
    /// Its layout.
    #[must_use]
    pub const fn layout(self) -> &'static Layout {
        match self {
            HeaderPart::Addresses => &addresses::LAYOUT,
            HeaderPart::Tag => &tag::LAYOUT,
            HeaderPart::Ethertype | HeaderPart::SecondEthertype => &ethertype::LAYOUT,
            HeaderPart::Shim => &shim::LAYOUT,
            HeaderPart::Afh2 => &afh2::LAYOUT,
            HeaderPart::Afh2Compressed => &afh2_compressed::LAYOUT,
            HeaderPart::Esun => &esun::LAYOUT,
            HeaderPart::Ipv4 => &ipv4::LAYOUT,
            HeaderPart::Ipv4Addresses => &ipv4_addresses::LAYOUT,
            HeaderPart::Ipv6 => &ipv6::LAYOUT,
            HeaderPart::Ipv6Source | HeaderPart::Ipv6Destination => &ipv6_address::LAYOUT,
            HeaderPart::Udp => &udp::LAYOUT,
        }
    }

    /// Its fields.
    #[must_use]
    pub const fn fields(self) -> &'static [HeaderField] {
        match self {
            HeaderPart::Addresses => ADDRESSES,
            HeaderPart::Tag => TAG,
            HeaderPart::Ethertype => ETHERTYPE,
            HeaderPart::SecondEthertype => SECOND_ETHERTYPE,
            HeaderPart::Shim => SHIM,
            HeaderPart::Afh2 => AFH2,
            HeaderPart::Afh2Compressed => AFH2_COMPRESSED,
            HeaderPart::Esun => ESUN,
            HeaderPart::Ipv4 => IPV4,
            HeaderPart::Ipv4Addresses => IPV4_ADDRESSES,
            HeaderPart::Ipv6 => IPV6,
            HeaderPart::Ipv6Source => IPV6_SOURCE,
            HeaderPart::Ipv6Destination => IPV6_DESTINATION,
            HeaderPart::Udp => UDP,
        }
    }

    /// True for parts whose place is fixed from the start of the frame but for a tag; the others are fixed from the PDU.
    #[must_use]
    pub const fn is_at_start(self) -> bool {
        matches!(
            self,
            HeaderPart::Addresses
                | HeaderPart::Tag
                | HeaderPart::Ethertype
                | HeaderPart::SecondEthertype
                | HeaderPart::Afh2
                | HeaderPart::Afh2Compressed
                | HeaderPart::Esun
        )
    }
}

use HeaderCheck::{
    AsSent, Checksum, Class, Equal, Generation, Ignored, Key, Length, Shape, SourcePort, SourceXpu,
};
use HeaderValue::Constant;

const fn row(field: Field, sent: HeaderValue, check: HeaderCheck) -> HeaderField {
    HeaderField { field, sent, check }
}

/// A field of a word that is itself a field.
const fn within(outer: Field, inner: Field) -> Field {
    assert!(inner.low + inner.width <= outer.width, "the inner field is inside");
    Field { low: outer.low + inner.low, ..inner }
}

/// A field of a FID in a MAC address.
const fn fid_of(address: Field, inner: Field) -> Field {
    within(address, within(mac::fid::FIELD, inner))
}

const DA: Field = addresses::destination::FIELD;
const SA: Field = addresses::source::FIELD;

const ADDRESSES: &[HeaderField] = &[
    row(within(DA, mac::prefix::FIELD), Constant(MAC_PREFIX), AsSent),
    row(within(DA, mac::generation::FIELD), HeaderValue::Generation, Generation),
    row(within(DA, mac::machine_partition::FIELD), HeaderValue::MachinePartition, AsSent),
    row(fid_of(DA, fid::xpu::FIELD), HeaderValue::PeerXpu, Equal(HeaderValue::OwnXpu)),
    row(fid_of(DA, fid::port::FIELD), HeaderValue::Port, AsSent),
    row(within(SA, mac::prefix::FIELD), Constant(MAC_PREFIX), Ignored),
    row(within(SA, mac::generation::FIELD), HeaderValue::Generation, Ignored),
    row(within(SA, mac::machine_partition::FIELD), HeaderValue::MachinePartition, Ignored),
    row(fid_of(SA, fid::xpu::FIELD), HeaderValue::OwnXpu, SourceXpu),
    row(fid_of(SA, fid::port::FIELD), HeaderValue::Port, SourcePort),
];
const TAG: &[HeaderField] = &[
    row(tag::tpid::FIELD, Constant(TAG_TPID), AsSent),
    row(tag::pcp::FIELD, HeaderValue::Priority, Ignored),
    row(tag::vid::FIELD, HeaderValue::Vid, AsSent),
];
const ETHERTYPE: &[HeaderField] = &[row(ethertype::value::FIELD, HeaderValue::Ethertype, AsSent)];
const SECOND_ETHERTYPE: &[HeaderField] =
    &[row(ethertype::value::FIELD, HeaderValue::SecondEthertype, AsSent)];
const SHIM: &[HeaderField] = &[
    row(shim::version::FIELD, Constant(SHIM_VERSION), Shape),
    row(shim::words::FIELD, Constant(SHIM_WORDS), Shape),
    row(shim::traffic_class::FIELD, HeaderValue::TrafficClass, Class),
    row(shim::reserved::FIELD, Constant(0), Shape),
    row(shim::entropy::FIELD, HeaderValue::Entropy, Ignored),
    row(shim::hop_limit::FIELD, HeaderValue::Hop, Ignored),
    row(shim::next::FIELD, Constant(SHIM_NEXT_RH), Shape),
    row(shim::pdu_bytes::FIELD, HeaderValue::PduLength, Length),
];
const AFH2: &[HeaderField] = &[
    row(afh2::key::FIELD, Constant(KEY_NORMAL), Key),
    row(afh2::traffic_class::FIELD, HeaderValue::TrafficClass, Class),
    row(afh2::generation::FIELD, HeaderValue::Generation, Generation),
    row(afh2::reserved::FIELD, Constant(0), Shape),
    row(within(afh2::fid::FIELD, fid::xpu::FIELD), HeaderValue::PeerXpu, Equal(HeaderValue::OwnXpu)),
    row(within(afh2::fid::FIELD, fid::port::FIELD), HeaderValue::Port, AsSent),
    row(afh2::hop::FIELD, HeaderValue::Hop, Ignored),
    row(afh2::source_key::FIELD, Constant(SOURCE_KEY), Shape),
    row(afh2::entropy::FIELD, HeaderValue::FoldedEntropy, Ignored),
    row(afh2::source_generation::FIELD, HeaderValue::Generation, Ignored),
    row(afh2::source_reserved::FIELD, Constant(0), Shape),
    row(within(afh2::source_fid::FIELD, fid::xpu::FIELD), HeaderValue::OwnXpu, SourceXpu),
    row(within(afh2::source_fid::FIELD, fid::port::FIELD), HeaderValue::Port, SourcePort),
];
const AFH2_COMPRESSED: &[HeaderField] = &[
    row(afh2_compressed::key::FIELD, Constant(KEY_COMPRESSED), Key),
    row(afh2_compressed::traffic_class::FIELD, HeaderValue::TrafficClass, Class),
    row(
        within(afh2_compressed::fid::FIELD, fid::xpu::FIELD),
        HeaderValue::PeerXpu,
        Equal(HeaderValue::OwnXpu),
    ),
    row(within(afh2_compressed::fid::FIELD, fid::port::FIELD), HeaderValue::Port, AsSent),
    row(within(afh2_compressed::source_fid::FIELD, fid::xpu::FIELD), HeaderValue::OwnXpu, SourceXpu),
    row(within(afh2_compressed::source_fid::FIELD, fid::port::FIELD), HeaderValue::Port, SourcePort),
];
const ESUN: &[HeaderField] = &[
    row(esun::cos::FIELD, HeaderValue::Priority, Class),
    row(esun::flow_label::FIELD, HeaderValue::Entropy, Ignored),
    row(esun::ttl::FIELD, HeaderValue::Hop, Ignored),
    row(esun::rev::FIELD, Constant(REVISION), AsSent),
];
const IPV4: &[HeaderField] = &[
    row(ipv4::version::FIELD, Constant(IPV4_VERSION), AsSent),
    row(ipv4::ihl::FIELD, Constant(IPV4_IHL), AsSent),
    row(ipv4::traffic_class::FIELD, HeaderValue::TrafficClass, Class),
    row(ipv4::total_length::FIELD, HeaderValue::Ipv4Length, Length),
    row(ipv4::dont_fragment::FIELD, Constant(1), Ignored),
    row(ipv4::more_fragments::FIELD, Constant(0), AsSent),
    row(ipv4::fragment_offset::FIELD, Constant(0), AsSent),
    row(ipv4::ttl::FIELD, HeaderValue::Ttl, Ignored),
    row(ipv4::protocol::FIELD, Constant(UDP_PROTOCOL), AsSent),
    row(ipv4::checksum::FIELD, HeaderValue::Ipv4Checksum, Checksum),
];
const IPV4_ADDRESSES: &[HeaderField] = &[
    row(ipv4_addresses::source::FIELD, HeaderValue::OwnAddress, Ignored),
    row(ipv4_addresses::destination::FIELD, HeaderValue::PeerAddress, Equal(HeaderValue::OwnAddress)),
];
const IPV6: &[HeaderField] = &[
    row(ipv6::version::FIELD, Constant(IPV6_VERSION), AsSent),
    row(ipv6::traffic_class::FIELD, HeaderValue::TrafficClass, Class),
    row(ipv6::flow_label::FIELD, HeaderValue::Entropy, Ignored),
    row(ipv6::payload_length::FIELD, HeaderValue::UdpLength, Length),
    row(ipv6::next_header::FIELD, Constant(UDP_PROTOCOL), AsSent),
    row(ipv6::hop_limit::FIELD, HeaderValue::Ttl, Ignored),
];
const IPV6_SOURCE: &[HeaderField] = &[
    row(ipv6_address::high::FIELD, HeaderValue::AddressHigh, Ignored),
    row(ipv6_address::middle::FIELD, HeaderValue::AddressMiddle, Ignored),
    row(ipv6_address::low::FIELD, HeaderValue::OwnAddress, Ignored),
];
const IPV6_DESTINATION: &[HeaderField] = &[
    row(ipv6_address::high::FIELD, HeaderValue::AddressHigh, AsSent),
    row(ipv6_address::middle::FIELD, HeaderValue::AddressMiddle, AsSent),
    row(ipv6_address::low::FIELD, HeaderValue::PeerAddress, Equal(HeaderValue::OwnAddress)),
];
const UDP: &[HeaderField] = &[
    row(within(udp::source::FIELD, udp_source::dynamic::FIELD), Constant(UDP_DYNAMIC), Ignored),
    row(within(udp::source::FIELD, udp_source::entropy::FIELD), HeaderValue::Entropy, Ignored),
    row(udp::destination::FIELD, HeaderValue::UdpPort, AsSent),
    row(udp::length::FIELD, HeaderValue::UdpLength, Length),
];

/// A header format with its options, as register FMT has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderShape {
    /// Format.
    pub format: HeaderFormat,
    /// Standard and AFH Gen 1: with an 802.1Q tag.
    pub tagged: bool,
    /// AFH Gen 1: with a second Ethertype (`ET2_EN`).
    pub second_ethertype: bool,
    /// AFH Gen 1: with a shim (`SHIM_EN`).
    pub shim: bool,
    /// ESUN: what follows its header.
    pub payload: EsunPayload,
}

/// A field of a whole header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedField {
    /// The part it belongs to.
    pub part: HeaderPart,
    /// The field in its part.
    pub field: HeaderField,
    /// Bits from the first bit of the header, which is the top bit of octet 0, to the top bit of the field.
    pub first: usize,
}

impl HeaderShape {
    /// A format without any of its options.
    #[must_use]
    pub const fn plain(format: HeaderFormat) -> Self {
        let payload = EsunPayload::ReliabilityHeader;
        HeaderShape { format, tagged: false, second_ethertype: false, shim: false, payload }
    }

    /// True if the format takes 802.1Q tags.
    #[must_use]
    pub const fn is_taggable(self) -> bool {
        matches!(self.format, HeaderFormat::StandardV4 | HeaderFormat::StandardV6 | HeaderFormat::AfhGen1)
    }

    /// The parts in sending order. Options that the format does not have say nothing.
    #[must_use]
    pub fn parts(self) -> Vec<HeaderPart> {
        const V4: &[HeaderPart] = &[HeaderPart::Ipv4, HeaderPart::Ipv4Addresses, HeaderPart::Udp];
        const V6: &[HeaderPart] =
            &[HeaderPart::Ipv6, HeaderPart::Ipv6Source, HeaderPart::Ipv6Destination, HeaderPart::Udp];
        let given = |is_there: bool, part: &'static [HeaderPart]| if is_there { part } else { &[] };
        let start: &[HeaderPart] = match self.format {
            HeaderFormat::AfhGen2 => &[HeaderPart::Afh2],
            HeaderFormat::AfhGen2Compressed => &[HeaderPart::Afh2Compressed],
            _ => &[HeaderPart::Addresses],
        };
        let payload = match (self.format, self.payload) {
            (HeaderFormat::StandardV4, _) | (HeaderFormat::Esun, EsunPayload::Ipv4) => V4,
            (HeaderFormat::StandardV6, _) | (HeaderFormat::Esun, EsunPayload::Ipv6) => V6,
            _ => &[],
        };
        let is_gen1 = self.format == HeaderFormat::AfhGen1;
        [
            start,
            given(self.tagged && self.is_taggable(), &[HeaderPart::Tag]),
            &[HeaderPart::Ethertype],
            given(self.format == HeaderFormat::Esun, &[HeaderPart::Esun]),
            given(is_gen1 && self.second_ethertype, &[HeaderPart::SecondEthertype]),
            given(is_gen1 && self.shim, &[HeaderPart::Shim]),
            payload,
        ]
        .concat()
    }

    /// Octets of the header: header octets by format. Always even.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.parts().iter().map(|part| part.layout().width / 8).sum()
    }

    /// Octets that a body has to have so that its frame has `min_frame` octets without its FCS (MINF): the padding is inside
    /// the body, between reliability header and R-CRC. Even, as bodies are.
    #[must_use]
    pub fn least_body_bytes(self, min_frame: usize) -> usize {
        let around = self.bytes() + reliability::header::WIDTH / 8 + CRC_BYTES;
        min_frame.saturating_sub(around).next_multiple_of(2)
    }

    /// All fields with their places.
    #[must_use]
    pub fn fields(self) -> Vec<PlacedField> {
        let mut start = 0;
        let mut fields = vec![];
        for part in self.parts() {
            let width = part.layout().width;
            let place = |field: &HeaderField| PlacedField {
                part,
                field: *field,
                first: start + width - 1 - field.field.high(),
            };
            fields.extend(part.fields().iter().map(place));
            start += width;
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sue::MIN_FRAME_BYTES;

    const ALL: &[HeaderPart] = &[
        HeaderPart::Addresses,
        HeaderPart::Tag,
        HeaderPart::Ethertype,
        HeaderPart::SecondEthertype,
        HeaderPart::Shim,
        HeaderPart::Afh2,
        HeaderPart::Afh2Compressed,
        HeaderPart::Esun,
        HeaderPart::Ipv4,
        HeaderPart::Ipv4Addresses,
        HeaderPart::Ipv6,
        HeaderPart::Ipv6Source,
        HeaderPart::Ipv6Destination,
        HeaderPart::Udp,
    ];

    #[test]
    fn no_bit_has_two_meanings() {
        for part in ALL {
            let mut seen = 0;
            for row in part.fields() {
                assert!(row.field.high() < part.layout().width, "{part:?} {}", row.field.name);
                assert_eq!(seen & row.field.mask(), 0, "{part:?} {}", row.field.name);
                seen |= row.field.mask();
                if let HeaderValue::Constant(value) = row.sent {
                    assert!(value <= row.field.ones(), "{part:?} {}", row.field.name);
                }
            }
        }
    }

    /// Chapter 50, 3.5: "Header bytes incl. RH: standard IPv4 50, Gen 1 with shim 30, ...".
    #[test]
    fn headers_have_the_octets_of_the_chapter() {
        let with_rh = |shape: HeaderShape| shape.bytes() + 8;
        let plain = HeaderShape::plain;
        assert_eq!(with_rh(plain(HeaderFormat::StandardV4)), 50);
        assert_eq!(with_rh(HeaderShape { shim: true, ..plain(HeaderFormat::AfhGen1) }), 30);
        assert_eq!(with_rh(plain(HeaderFormat::AfhGen1)), 22);
        assert_eq!(with_rh(plain(HeaderFormat::AfhGen2)), 22);
        assert_eq!(with_rh(plain(HeaderFormat::AfhGen2Compressed)), 16);
    }

    /// Chapter 50, 8, E5 (34 octets after AFH Gen 2), and nothing to pad where the header is long.
    #[test]
    fn bodies_are_padded_as_the_examples_have_it() {
        let least = |format| HeaderShape::plain(format).least_body_bytes(MIN_FRAME_BYTES);
        assert_eq!(least(HeaderFormat::AfhGen2), 34);
        assert_eq!(least(HeaderFormat::AfhGen2Compressed), 40);
        assert_eq!(least(HeaderFormat::StandardV4), 6);
        assert_eq!(least(HeaderFormat::StandardV6), 0);
        assert_eq!(HeaderShape::plain(HeaderFormat::AfhGen2).least_body_bytes(59), 34);
    }
}
