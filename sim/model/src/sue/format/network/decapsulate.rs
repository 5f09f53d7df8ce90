//! Network headers, the receiver's side: what is checked, and in which order.

use super::config::{esun_version, Fid, Framing, Generation, Network, SecondEthertype, Shim};
use super::internet;
use super::refusal::HeaderRefusal;
use crate::sue::format::octets::{Reader, Word};
use crate::sue::format::reliability::ReliabilityHeader;
use flitforge_protocol::sue::esun::{self, EsunPayload};
use flitforge_protocol::sue::network::{
    addresses, afh2, afh2_compressed, afh_key, ethertype, mac, shim, tag, KEY_COMPRESSED, KEY_NORMAL,
    SHIM_NEXT_RH, SHIM_VERSION, SHIM_WORDS, SOURCE_KEY, TAG_TPID,
};
use flitforge_protocol::{Field, Layout};

/// How the header marks the class of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    /// Not at all, or by a tag only.
    None,
    /// TC.
    TrafficClass(u8),
    /// Class of service of an ESUN header.
    ClassOfService(u8),
}

/// What a good frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received<'a> {
    /// XPU and port of the sender.
    pub source: Fid,
    /// Mark of the class.
    pub marking: Marking,
    /// Virtual channel, told by the class, in SUE Lite only.
    pub lite_vc: Option<u8>,
    /// What follows the header: the PDU, or in SUE Lite the body.
    pub pdu: &'a [u8],
}

impl Received<'_> {
    /// Refuses a PDU whose reliability header names another source than the address (after the R-CRC; chapter 50, 4.6).
    pub fn check_source(&self, header: &ReliabilityHeader) -> Result<(), HeaderRefusal> {
        if self.source.xpu == header.source {
            Ok(())
        } else {
            Err(HeaderRefusal::SourceXpu { address: self.source.xpu, header: header.source })
        }
    }
}

/// Addresses of a frame, still to be judged: the sender's, and gg.
struct Head {
    source: Fid,
    gg: u8,
    marking: Marking,
}

impl Network {
    /// Checks a frame without preamble and FCS, and gives what is after its header. The generation is judged last.
    pub fn decapsulate<'a>(&self, frame: &'a [u8]) -> Result<Received<'a>, HeaderRefusal> {
        let mut reader = Reader(frame);
        let head = match self.config().framing {
            Framing::AfhGen2 => self.read_afh2(&mut reader)?,
            Framing::AfhGen2Compressed | Framing::Lite => self.read_compressed(&mut reader)?,
            Framing::Standard { .. } | Framing::AfhGen1 { .. } | Framing::Esun { .. } => {
                self.read_ethernet(&mut reader)?
            }
        };
        let marking = self.read_after_ethertype(&mut reader, head.marking)?;
        let own = self.config().own.port;
        if head.source.port != own {
            return Err(HeaderRefusal::SourcePort { found: head.source.port, own });
        }
        let lite_vc = self.lite_vc(marking)?;
        match self.config().generation {
            Generation::On(own) if own != head.gg => Err(HeaderRefusal::Generation { found: head.gg, own }),
            _ => Ok(Received { source: head.source, marking, lite_vc, pdu: reader.0 }),
        }
    }

    /// MAC addresses, tag, Ethertype.
    fn read_ethernet(&self, reader: &mut Reader) -> Result<Head, HeaderRefusal> {
        let word = reader.word(&addresses::LAYOUT)?;
        let found = word.get(addresses::destination::FIELD);
        let gg = Word::of(found).get_u8(mac::generation::FIELD);
        let own = self.mac(self.config().own, self.gg_taken(gg))?;
        if found != own {
            return Err(HeaderRefusal::Destination { found, own });
        }
        self.read_tag(reader)?;
        check_ethertype(reader, self.config().ethertype())?;
        let source = Word::of(word.get(addresses::source::FIELD));
        Ok(Head { source: Fid::from_value(source.get_u16(mac::fid::FIELD)), gg, marking: Marking::None })
    }

    /// The gg that addresses are compared with: any with GEN_EN, since the generation is judged for itself, else 0.
    const fn gg_taken(&self, found: u8) -> u8 {
        match self.config().generation {
            Generation::Off => 0,
            Generation::On(_) => found,
        }
    }

    /// Takes a tag away if there is one.
    fn read_tag(&self, reader: &mut Reader) -> Result<(), HeaderRefusal> {
        let mut ahead = *reader;
        let Ok(word) = ahead.word(&tag::LAYOUT) else { return Ok(()) };
        let takes_tags = matches!(self.config().framing, Framing::Standard { .. } | Framing::AfhGen1 { .. });
        if !takes_tags || word.get(tag::tpid::FIELD) != TAG_TPID {
            return Ok(());
        }
        let (found, own) = (word.get_u16(tag::vid::FIELD), self.config().vid);
        if found != own {
            return Err(HeaderRefusal::Vid { found, own });
        }
        *reader = ahead;
        Ok(())
    }

    fn read_afh2(&self, reader: &mut Reader) -> Result<Head, HeaderRefusal> {
        check_key(reader, KEY_NORMAL)?;
        let word = reader.word(&afh2::LAYOUT)?;
        check_zero(&afh2::LAYOUT, word, afh2::reserved::FIELD)?;
        check_zero(&afh2::LAYOUT, word, afh2::source_reserved::FIELD)?;
        let found = word.get_u8(afh2::source_key::FIELD);
        if u64::from(found) != SOURCE_KEY {
            return Err(HeaderRefusal::SourceKey { found });
        }
        check_ethertype(reader, self.config().ethertype())?;
        let gg = word.get_u8(afh2::generation::FIELD);
        if gg != self.gg_taken(gg) {
            return Err(HeaderRefusal::Destination { found: gg.into(), own: 0 });
        }
        self.check_fid(word.get(afh2::fid::FIELD))?;
        let source = Fid::from_value(word.get_u16(afh2::source_fid::FIELD));
        Ok(Head { source, gg, marking: Marking::TrafficClass(word.get_u8(afh2::traffic_class::FIELD)) })
    }

    fn read_compressed(&self, reader: &mut Reader) -> Result<Head, HeaderRefusal> {
        check_key(reader, KEY_COMPRESSED)?;
        let word = reader.word(&afh2_compressed::LAYOUT)?;
        check_ethertype(reader, self.config().ethertype())?;
        self.check_fid(word.get(afh2_compressed::fid::FIELD))?;
        let source = Fid::from_value(word.get_u16(afh2_compressed::source_fid::FIELD));
        let tc = word.get_u8(afh2_compressed::traffic_class::FIELD);
        Ok(Head { source, gg: 0, marking: Marking::TrafficClass(tc) })
    }

    fn check_fid(&self, found: u64) -> Result<(), HeaderRefusal> {
        let own = self.config().own.value()?;
        if found == own {
            Ok(())
        } else {
            Err(HeaderRefusal::Destination { found, own })
        }
    }

    fn read_after_ethertype(&self, reader: &mut Reader, marking: Marking) -> Result<Marking, HeaderRefusal> {
        let config = self.config();
        match config.framing {
            Framing::Standard { version, .. } => {
                Ok(Marking::TrafficClass(internet::read(reader, version, config)?))
            }
            Framing::AfhGen1 { second, shim, .. } => {
                if second == SecondEthertype::Present {
                    check_ethertype(reader, config.ethertypes.sue)?;
                }
                match shim {
                    Shim::Present => read_shim(reader),
                    Shim::Absent => Ok(marking),
                }
            }
            Framing::Esun { payload } => self.read_esun(reader, payload),
            Framing::AfhGen2 | Framing::AfhGen2Compressed | Framing::Lite => Ok(marking),
        }
    }

    fn read_esun(&self, reader: &mut Reader, payload: EsunPayload) -> Result<Marking, HeaderRefusal> {
        let word = reader.word(&esun::header::LAYOUT)?;
        let found = word.get_u8(esun::header::rev::FIELD);
        if u64::from(found) != esun::REVISION {
            return Err(HeaderRefusal::EsunRevision { found });
        }
        if let Some(version) = esun_version(payload) {
            internet::read(reader, version, self.config())?;
        }
        Ok(Marking::ClassOfService(word.get_u8(esun::header::cos::FIELD)))
    }

    /// The virtual channel of a frame of SUE Lite.
    fn lite_vc(&self, marking: Marking) -> Result<Option<u8>, HeaderRefusal> {
        match (self.config().framing, marking) {
            (Framing::Lite, Marking::TrafficClass(found)) => {
                self.config().classes.vc_of(found).map(Some).ok_or(HeaderRefusal::Class { found })
            }
            _ => Ok(None),
        }
    }
}

fn check_ethertype(reader: &mut Reader, expected: u16) -> Result<(), HeaderRefusal> {
    let found = reader.word(&ethertype::LAYOUT)?.get_u16(ethertype::value::FIELD);
    if found == expected {
        Ok(())
    } else {
        Err(HeaderRefusal::Ethertype { found, expected })
    }
}

/// Looks at the first octet of an AFH Gen 2 frame.
fn check_key(reader: &Reader, expected: u64) -> Result<(), HeaderRefusal> {
    let mut ahead = *reader;
    let word = ahead.word(&afh_key::LAYOUT)?;
    let found = word.value() as u8;
    match u64::from(found) ^ expected {
        0 => Ok(()),
        difference if u128::from(difference) == afh_key::m::FIELD.mask() => {
            Err(HeaderRefusal::Multicast { found })
        }
        _ => Err(HeaderRefusal::Key { found, expected: expected as u8 }),
    }
}

fn check_zero(layout: &Layout, word: Word, field: Field) -> Result<(), HeaderRefusal> {
    match word.get(field) {
        0 => Ok(()),
        found => Err(HeaderRefusal::Reserved { layout: layout.name, field: field.name, found }),
    }
}

fn read_shim(reader: &mut Reader) -> Result<Marking, HeaderRefusal> {
    let word = reader.word(&shim::LAYOUT)?;
    check_zero(&shim::LAYOUT, word, shim::reserved::FIELD)?;
    for (field, expected) in [
        (shim::version::FIELD, SHIM_VERSION),
        (shim::words::FIELD, SHIM_WORDS),
        (shim::next::FIELD, SHIM_NEXT_RH),
        (shim::pdu_bytes::FIELD, reader.0.len() as u64),
    ] {
        let found = word.get(field);
        if found != expected {
            return Err(HeaderRefusal::Shim { field: field.name, found, expected });
        }
    }
    Ok(Marking::TrafficClass(word.get_u8(shim::traffic_class::FIELD)))
}
