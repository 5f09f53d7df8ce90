//! IP and UDP headers (chapter 50, 3.5, Standard).

use super::config::{InternetVersion, NetworkConfig};
use super::refusal::HeaderRefusal;
use crate::sue::format::octets::{FieldError, Reader, Writer};
use flitforge_protocol::sue::network::{
    ipv4, ipv4_addresses, ipv6, ipv6_address, udp, udp_source, IPV4_BYTES, IPV4_IHL, IPV4_VERSION,
    IPV6_VERSION, UDP_BYTES, UDP_DYNAMIC, UDP_PROTOCOL,
};
use flitforge_protocol::Field;

/// What a sender puts into IP and UDP.
#[derive(Debug, Clone, Copy)]
pub(super) struct InternetFields {
    pub(super) peer: u16,
    pub(super) traffic_class: u8,
    pub(super) entropy: u64,
    pub(super) pdu_bytes: usize,
}

/// Appends IP and UDP headers.
pub(super) fn write(
    octets: &mut Writer,
    version: InternetVersion,
    config: &NetworkConfig,
    fields: InternetFields,
) -> Result<(), FieldError> {
    match version {
        InternetVersion::V4 => write_v4(octets, config, fields)?,
        InternetVersion::V6 => write_v6(octets, config, fields)?,
    }
    let source = [(udp_source::dynamic::FIELD, UDP_DYNAMIC), (udp_source::entropy::FIELD, fields.entropy)];
    let source = crate::sue::format::octets::pack(&udp_source::LAYOUT, &source)? as u64;
    octets.word(
        &udp::LAYOUT,
        &[
            (udp::source::FIELD, source),
            (udp::destination::FIELD, config.udp_port.into()),
            (udp::length::FIELD, (UDP_BYTES + fields.pdu_bytes) as u64),
        ],
    )
}

fn write_v4(octets: &mut Writer, config: &NetworkConfig, fields: InternetFields) -> Result<(), FieldError> {
    let first = [
        (ipv4::version::FIELD, IPV4_VERSION),
        (ipv4::ihl::FIELD, IPV4_IHL),
        (ipv4::traffic_class::FIELD, fields.traffic_class.into()),
        (ipv4::total_length::FIELD, (IPV4_BYTES + UDP_BYTES + fields.pdu_bytes) as u64),
        (ipv4::dont_fragment::FIELD, 1),
        (ipv4::ttl::FIELD, config.ttl.into()),
        (ipv4::protocol::FIELD, UDP_PROTOCOL),
    ];
    let addresses = [
        (ipv4_addresses::source::FIELD, config.internet.address(config.own.xpu).into()),
        (ipv4_addresses::destination::FIELD, config.internet.address(fields.peer).into()),
    ];
    let mut header = Writer::default();
    header.word(&ipv4::LAYOUT, &first)?;
    header.word(&ipv4_addresses::LAYOUT, &addresses)?;
    let checksum = [(ipv4::checksum::FIELD, u64::from(checksum(&header.finish())))];
    octets.word(&ipv4::LAYOUT, &[first.as_slice(), &checksum].concat())?;
    octets.word(&ipv4_addresses::LAYOUT, &addresses)
}

fn write_v6(octets: &mut Writer, config: &NetworkConfig, fields: InternetFields) -> Result<(), FieldError> {
    octets.word(
        &ipv6::LAYOUT,
        &[
            (ipv6::version::FIELD, IPV6_VERSION),
            (ipv6::traffic_class::FIELD, fields.traffic_class.into()),
            (ipv6::flow_label::FIELD, fields.entropy),
            (ipv6::payload_length::FIELD, (UDP_BYTES + fields.pdu_bytes) as u64),
            (ipv6::next_header::FIELD, UDP_PROTOCOL),
            (ipv6::hop_limit::FIELD, config.ttl.into()),
        ],
    )?;
    octets.word(&ipv6_address::LAYOUT, &v6_address(config, config.own.xpu))?;
    octets.word(&ipv6_address::LAYOUT, &v6_address(config, fields.peer))
}

fn v6_address(config: &NetworkConfig, xpu: u16) -> [(Field, u64); 3] {
    [
        (ipv6_address::high::FIELD, config.internet.high),
        (ipv6_address::middle::FIELD, config.internet.middle.into()),
        (ipv6_address::low::FIELD, config.internet.address(xpu).into()),
    ]
}

/// Checks IP and UDP headers and takes them away; gives TC.
pub(super) fn read(
    reader: &mut Reader,
    version: InternetVersion,
    config: &NetworkConfig,
) -> Result<u8, HeaderRefusal> {
    let traffic_class = match version {
        InternetVersion::V4 => read_v4(reader, config)?,
        InternetVersion::V6 => read_v6(reader, config)?,
    };
    let expected = reader.0.len();
    let word = reader.word(&udp::LAYOUT)?;
    let found = word.get_u16(udp::destination::FIELD);
    if found != config.udp_port {
        return Err(HeaderRefusal::UdpPort { found, own: config.udp_port });
    }
    let found = usize::from(word.get_u16(udp::length::FIELD));
    if found != expected {
        return Err(HeaderRefusal::UdpLength { found, expected });
    }
    Ok(traffic_class)
}

fn read_v4(reader: &mut Reader, config: &NetworkConfig) -> Result<u8, HeaderRefusal> {
    let whole = reader.0;
    let word = reader.word(&ipv4::LAYOUT)?;
    let (version, words) = (word.get_u8(ipv4::version::FIELD), word.get_u8(ipv4::ihl::FIELD));
    if (u64::from(version), u64::from(words)) != (IPV4_VERSION, IPV4_IHL) {
        return Err(HeaderRefusal::InternetVersion { version, words });
    }
    let addresses = reader.word(&ipv4_addresses::LAYOUT)?;
    let header = &whole[..whole.len() - reader.0.len()];
    let found = word.get_u16(ipv4::checksum::FIELD);
    if checksum(header) != 0 {
        // The sum without the checksum itself: ones' complement subtraction is addition of the complement.
        let computed = checksum(&[header, &(!found).to_be_bytes()].concat());
        return Err(HeaderRefusal::InternetChecksum { found, computed });
    }
    check_length(usize::from(word.get_u16(ipv4::total_length::FIELD)), whole.len())?;
    if word.get(ipv4::more_fragments::FIELD) != 0 || word.get(ipv4::fragment_offset::FIELD) != 0 {
        return Err(HeaderRefusal::Fragment);
    }
    check_protocol(word.get_u8(ipv4::protocol::FIELD))?;
    let own = config.internet.address(config.own.xpu).into();
    check_destination(addresses.get(ipv4_addresses::destination::FIELD).into(), own)?;
    Ok(word.get_u8(ipv4::traffic_class::FIELD))
}

fn read_v6(reader: &mut Reader, config: &NetworkConfig) -> Result<u8, HeaderRefusal> {
    let word = reader.word(&ipv6::LAYOUT)?;
    let version = word.get_u8(ipv6::version::FIELD);
    if u64::from(version) != IPV6_VERSION {
        return Err(HeaderRefusal::InternetVersion { version, words: 0 });
    }
    let _source = reader.word(&ipv6_address::LAYOUT)?;
    let destination = reader.word(&ipv6_address::LAYOUT)?;
    check_length(usize::from(word.get_u16(ipv6::payload_length::FIELD)), reader.0.len())?;
    check_protocol(word.get_u8(ipv6::next_header::FIELD))?;
    let own = crate::sue::format::octets::pack(&ipv6_address::LAYOUT, &v6_address(config, config.own.xpu))?;
    check_destination(destination.value(), own)?;
    Ok(word.get_u8(ipv6::traffic_class::FIELD))
}

fn check_length(found: usize, expected: usize) -> Result<(), HeaderRefusal> {
    (found == expected).then_some(()).ok_or(HeaderRefusal::InternetLength { found, expected })
}

fn check_protocol(found: u8) -> Result<(), HeaderRefusal> {
    (u64::from(found) == UDP_PROTOCOL).then_some(()).ok_or(HeaderRefusal::Protocol { found })
}

fn check_destination(found: u128, own: u128) -> Result<(), HeaderRefusal> {
    (found == own).then_some(()).ok_or(HeaderRefusal::InternetDestination { found, own })
}

/// Ones' complement of the ones' complement sum of 16-bit words, as IPv4 has it: 0 over a header with its checksum.
fn checksum(octets: &[u8]) -> u16 {
    let sum: u64 = octets
        .chunks(2)
        .map(|pair| u64::from(u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)])))
        .sum();
    let mut folded = sum;
    while folded > u64::from(u16::MAX) {
        folded = (folded & u64::from(u16::MAX)) + (folded >> u16::BITS);
    }
    !(folded as u16)
}
