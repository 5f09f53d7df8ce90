//! Which class a received frame has (chapter 50, 3.5 and 3.6).

use super::super::format::classes::ClassTable;
use super::super::format::octets::{CutOff, Reader, Word};
use flitforge_protocol::sue::class::{traffic_class, ClassUse};
use flitforge_protocol::sue::network::{
    addresses, afh2, afh_key, ethertype, ipv4, ipv6, tag, IPV4_ETHERTYPE, IPV6_ETHERTYPE, TAG_TPID,
};

/// The class of an Ethernet frame without FCS: by the priority of its 802.1Q tag, or else by the DSCP of its IPv4 or
/// IPv6 header, or of AFH Gen 2 with 12 octets (first octet 0x02 and no other Ethertype known here).
///
/// The drop eligible bit does not matter. `None`: no class has that priority or code point; such a frame is lossy.
pub fn class_of_frame(frame: &[u8], classes: &ClassTable) -> Result<Option<ClassUse>, CutOff> {
    let mut reader = Reader(frame);
    let key = Reader(frame).word(&afh_key::LAYOUT)?;
    if key.get(afh_key::w::FIELD) == 1 {
        return Ok(None);
    }
    reader.word(&addresses::LAYOUT)?;
    let mut after = reader;
    let found = reader.word(&ethertype::LAYOUT)?.get_u16(ethertype::value::FIELD);
    if u64::from(found) == TAG_TPID {
        let pcp = after.word(&tag::LAYOUT)?.get_u8(tag::pcp::FIELD);
        return Ok(find(|of| classes.class(of).pcp == pcp));
    }
    let tc = match found {
        IPV4_ETHERTYPE => reader.word(&ipv4::LAYOUT)?.get_u8(ipv4::traffic_class::FIELD),
        IPV6_ETHERTYPE => reader.word(&ipv6::LAYOUT)?.get_u8(ipv6::traffic_class::FIELD),
        _ => Reader(frame).word(&afh2::LAYOUT)?.get_u8(afh2::traffic_class::FIELD),
    };
    let dscp = Word::of(tc).get_u8(traffic_class::dscp::FIELD);
    Ok(find(|of| classes.class(of).dscp == dscp))
}

fn find(is: impl Fn(ClassUse) -> bool) -> Option<ClassUse> {
    ClassUse::ALL.iter().copied().find(|of| is(*of))
}
