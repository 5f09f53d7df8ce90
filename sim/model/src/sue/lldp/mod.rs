//! LLDP of a link: what both ends can do, and what follows of it (chapter 50, 0, "negotiation"). Host functions; the hardware only
//! carries the frames.
//!
//! | part | is |
//! |---|---|
//! | [`Advertisement`] | what an end says of itself: [`LinkOptions`], [`CreditOffer`] |
//! | [`Neighbour`] | a frame: who says it, for how long |
//! | [`decide`] | settings of the port, the same at both ends |
//!
//! The layouts stand in [`flitforge_protocol::sue::lldp`], which says what of them is public and what is ours. Other TLVs, and those of
//! other organisations or subtypes, are passed over. What is malformed is refused whole, with a reason.

mod decision;

pub use decision::{decide, Agreement, Reason};

use super::format::octets::{octets_of, CutOff, FieldError, Reader, Writer};
use super::format::ClassTable;
use flitforge_protocol::sue::class::{ClassUse, Loss};
use flitforge_protocol::sue::link_control::{CBFC_VCS, LLDP_ETHERTYPE};
use flitforge_protocol::sue::lldp::{
    link_credits, link_options, specific, tlv, Subtype, TlvType, CHASSIS_MAC, DESTINATION, ORGANISATION,
    PORT_LOCAL, VERSION,
};
use flitforge_protocol::sue::network::{addresses, ethertype};
use flitforge_protocol::sue::MIN_FRAME_BYTES;
use thiserror::Error;

/// Octets of a time to live.
const TIME_BYTES: usize = 2;
/// Octets of a MAC address.
const ADDRESS_BYTES: usize = 6;

/// TLV of subtype 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkOptions {
    /// Link-layer retry is wanted.
    pub retry: bool,
    /// Credit-based flow control is wanted.
    pub credits: bool,
    /// Version of UE. It decides nothing.
    pub version: u8,
}

/// TLV of subtype 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditOffer {
    /// Virtual channels, 1 to 32.
    pub channels: u8,
    /// Credits of all of them together, at least 1.
    pub pool: u16,
    /// Bit v: virtual channel v is lossless.
    pub lossless: u32,
}

impl CreditOffer {
    /// What a receiver with these classes and so many credits offers.
    #[must_use]
    pub fn of(classes: &ClassTable, pool: u16) -> Self {
        let rows = ClassUse::ALL.iter().map(|of| classes.class(*of));
        let vcs: Vec<u8> = rows.filter(|row| row.loss == Loss::Lossless).map(|row| row.cbfc_vc).collect();
        let channels = vcs.iter().max().map_or(1, |vc| vc + 1);
        CreditOffer { channels, pool, lossless: vcs.iter().fold(0, |all, vc| all | 1 << vc) }
    }

    fn check(&self) -> Result<(), LldpError> {
        if !(1..=CBFC_VCS as u8).contains(&self.channels) {
            return Err(LldpError::Channels { channels: self.channels });
        }
        if self.pool == 0 {
            return Err(LldpError::Pool);
        }
        if u64::from(self.lossless) >> self.channels != 0 {
            return Err(LldpError::Lossless { lossless: self.lossless, channels: self.channels });
        }
        Ok(())
    }
}

/// What an end says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advertisement {
    /// What it wants.
    pub options: LinkOptions,
    /// What its receiver has. Needed if credits are wanted.
    pub credits: Option<CreditOffer>,
}

/// A frame of LLDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// MAC address of the port that sends it.
    pub source: u64,
    /// Seconds for which it holds; 0: the neighbour says goodbye.
    pub time_to_live: u16,
    /// What it says of the link; nothing, if it knows of neither.
    pub advertisement: Option<Advertisement>,
}

/// Octets that are no frame of LLDP, or not a right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LldpError {
    /// They end too early.
    #[error("LLDP: {0}")]
    CutOff(#[from] CutOff),
    /// A value out of range.
    #[error("LLDP: {0}")]
    Field(#[from] FieldError),
    /// Another address, or another Ethertype.
    #[error("no LLDP: destination {destination:012X}, Ethertype {ethertype:04X}")]
    Foreign {
        /// Destination address.
        destination: u64,
        /// Ethertype.
        ethertype: u16,
    },
    /// Chassis, port and time to live have to come first, in this order.
    #[error("LLDP: TLV of type {found}, but {} has to come here", expected.name())]
    Order {
        /// Its type.
        found: u8,
        /// The type that has to come.
        expected: TlvType,
    },
    /// A TLV of another length than it has to have.
    #[error("LLDP: {name} of {found} octets: {least} to {most}")]
    Length {
        /// Which.
        name: &'static str,
        /// Its octets.
        found: usize,
        /// Least.
        least: usize,
        /// Most.
        most: usize,
    },
    /// A TLV that may come once came again.
    #[error("LLDP: {name} came twice")]
    Twice {
        /// Which.
        name: &'static str,
    },
    /// Reserved bits are set.
    #[error("LLDP: reserved bits of {name} are {found:#x}; they have to be 0")]
    Reserved {
        /// Which.
        name: &'static str,
        /// Their value.
        found: u64,
    },
    /// Virtual channels out of range.
    #[error("LLDP: {channels} virtual channels of CBFC: 1 to {CBFC_VCS}")]
    Channels {
        /// Virtual channels.
        channels: u8,
    },
    /// No credits.
    #[error("LLDP: a pool of 0 credits: no frame could ever be sent")]
    Pool,
    /// Virtual channels that are lossless and not there.
    #[error("LLDP: lossless virtual channels {lossless:#010x}, but there are only {channels}")]
    Lossless {
        /// Bit map.
        lossless: u32,
        /// Virtual channels.
        channels: u8,
    },
    /// Credits are wanted, and nothing says how many there are.
    #[error("LLDP: CBFC is wanted, but the TLV with the credits is missing")]
    NoCredits,
    /// Credits without the TLV that says what is wanted.
    #[error("LLDP: credits, but the TLV that says whether they are wanted is missing")]
    NoOptions,
}

impl Advertisement {
    fn check(&self) -> Result<(), LldpError> {
        match self.credits {
            Some(offer) => offer.check(),
            None if self.options.credits => Err(LldpError::NoCredits),
            None => Ok(()),
        }
    }

    /// Its TLVs.
    pub fn encode(&self) -> Result<Vec<u8>, LldpError> {
        self.check()?;
        let mut octets = Writer::default();
        let options = [
            (link_options::retry::FIELD, self.options.retry.into()),
            (link_options::credits::FIELD, self.options.credits.into()),
            (link_options::version::FIELD, self.options.version.into()),
        ];
        head(&mut octets, Subtype::LinkOptions, octets_of(&link_options::LAYOUT))?;
        octets.word(&link_options::LAYOUT, &options)?;
        if let Some(offer) = self.credits {
            let fields = [
                (link_credits::channels::FIELD, offer.channels.into()),
                (link_credits::pool::FIELD, offer.pool.into()),
                (link_credits::lossless::FIELD, offer.lossless.into()),
            ];
            head(&mut octets, Subtype::LinkCredits, octets_of(&link_credits::LAYOUT))?;
            octets.word(&link_credits::LAYOUT, &fields)?;
        }
        Ok(octets.finish())
    }
}

/// Appends the head of one of our TLVs.
fn head(octets: &mut Writer, subtype: Subtype, bytes: usize) -> Result<(), FieldError> {
    begin(octets, TlvType::Specific, octets_of(&specific::LAYOUT) + bytes)?;
    let fields =
        [(specific::organisation::FIELD, ORGANISATION), (specific::subtype::FIELD, subtype.code().into())];
    octets.word(&specific::LAYOUT, &fields)
}

fn begin(octets: &mut Writer, kind: TlvType, bytes: usize) -> Result<(), FieldError> {
    let fields = [(tlv::kind::FIELD, kind.code().into()), (tlv::length::FIELD, bytes as u64)];
    octets.word(&tlv::LAYOUT, &fields)
}

/// The next TLV: its type and what it holds.
fn next<'a>(reader: &mut Reader<'a>) -> Result<(u8, &'a [u8]), CutOff> {
    let word = reader.word(&tlv::LAYOUT)?;
    let value = reader.octets(word.get_u16(tlv::length::FIELD).into(), tlv::LAYOUT.name)?;
    Ok((word.get_u8(tlv::kind::FIELD), value))
}

/// One of the TLVs that come first.
fn mandatory<'a>(
    reader: &mut Reader<'a>,
    expected: TlvType,
    (least, most): (usize, usize),
) -> Result<&'a [u8], LldpError> {
    let (found, value) = next(reader)?;
    if found != expected.code() {
        return Err(LldpError::Order { found, expected });
    }
    check_length(expected.name(), value, least, most)?;
    Ok(value)
}

fn check_length(name: &'static str, value: &[u8], least: usize, most: usize) -> Result<(), LldpError> {
    let found = value.len();
    (least..=most).contains(&found).then_some(()).ok_or(LldpError::Length { name, found, least, most })
}

impl Neighbour {
    /// The frame without FCS that says it: for [`Injector`](crate::sue::management::Injector), by the host.
    pub fn encode(&self) -> Result<Vec<u8>, LldpError> {
        let mut octets = Writer::default();
        let fields = [(addresses::destination::FIELD, DESTINATION), (addresses::source::FIELD, self.source)];
        octets.word(&addresses::LAYOUT, &fields)?;
        octets.word(&ethertype::LAYOUT, &[(ethertype::value::FIELD, LLDP_ETHERTYPE.into())])?;
        let address = self.source.to_be_bytes();
        let address = &address[address.len() - ADDRESS_BYTES..];
        for (kind, subtype) in [(TlvType::Chassis, CHASSIS_MAC), (TlvType::Port, PORT_LOCAL)] {
            begin(&mut octets, kind, 1 + ADDRESS_BYTES)?;
            octets.octets(&[subtype]);
            octets.octets(address);
        }
        begin(&mut octets, TlvType::TimeToLive, TIME_BYTES)?;
        octets.octets(&self.time_to_live.to_be_bytes());
        if let Some(advertisement) = self.advertisement {
            octets.octets(&advertisement.encode()?);
        }
        begin(&mut octets, TlvType::End, 0)?;
        octets.pad_to(MIN_FRAME_BYTES);
        Ok(octets.finish())
    }

    /// What a frame without FCS says. Octets after the end are not looked at.
    pub fn decode(frame: &[u8]) -> Result<Self, LldpError> {
        let mut reader = Reader(frame);
        let word = reader.word(&addresses::LAYOUT)?;
        let (destination, source) =
            (word.get(addresses::destination::FIELD), word.get(addresses::source::FIELD));
        let ethertype = reader.word(&ethertype::LAYOUT)?.get_u16(ethertype::value::FIELD);
        if (destination, ethertype) != (DESTINATION, LLDP_ETHERTYPE) {
            return Err(LldpError::Foreign { destination, ethertype });
        }
        // A subtype and 1 to 255 octets.
        mandatory(&mut reader, TlvType::Chassis, (2, 256))?;
        mandatory(&mut reader, TlvType::Port, (2, 256))?;
        let time = mandatory(&mut reader, TlvType::TimeToLive, (TIME_BYTES, TIME_BYTES))?;
        let time_to_live = time.iter().fold(0, |time, octet| time << 8 | u16::from(*octet));
        Ok(Neighbour { source, time_to_live, advertisement: optional(reader)? })
    }
}

/// The TLVs after the first three, up to the end.
fn optional(mut reader: Reader) -> Result<Option<Advertisement>, LldpError> {
    let (mut options, mut credits) = (None, None);
    while !reader.0.is_empty() {
        let (kind, value) = next(&mut reader)?;
        match TlvType::from_code(kind) {
            Some(TlvType::End) => {
                check_length(TlvType::End.name(), value, 0, 0)?;
                break;
            }
            Some(TlvType::Specific) => take(value, &mut options, &mut credits)?,
            Some(expected) => return Err(LldpError::Twice { name: expected.name() }),
            None => {}
        }
    }
    let advertisement = match (options, credits) {
        (None, None) => return Ok(None),
        (None, Some(_)) => return Err(LldpError::NoOptions),
        (Some(options), credits) => Advertisement { options, credits },
    };
    advertisement.check()?;
    Ok(Some(advertisement))
}

/// An organisationally specific TLV; those of others are passed over.
fn take(
    value: &[u8],
    options: &mut Option<LinkOptions>,
    credits: &mut Option<CreditOffer>,
) -> Result<(), LldpError> {
    let mut reader = Reader(value);
    let word = reader.word(&specific::LAYOUT)?;
    if word.get(specific::organisation::FIELD) != ORGANISATION {
        return Ok(());
    }
    let Some(subtype) = Subtype::from_code(word.get_u8(specific::subtype::FIELD)) else { return Ok(()) };
    let name = subtype.name();
    let twice = match subtype {
        Subtype::LinkOptions => options.replace(read_options(name, reader.0)?).is_some(),
        Subtype::LinkCredits => credits.replace(read_credits(name, reader.0)?).is_some(),
    };
    if twice {
        return Err(LldpError::Twice { name });
    }
    Ok(())
}

fn read_options(name: &'static str, value: &[u8]) -> Result<LinkOptions, LldpError> {
    let bytes = octets_of(&link_options::LAYOUT);
    check_length(name, value, bytes, bytes)?;
    let word = Reader(value).word(&link_options::LAYOUT)?;
    reserved(name, word.get(link_options::reserved::FIELD))?;
    let flag = |field| word.get(field) == 1;
    Ok(LinkOptions {
        retry: flag(link_options::retry::FIELD),
        credits: flag(link_options::credits::FIELD),
        version: word.get_u8(link_options::version::FIELD),
    })
}

fn read_credits(name: &'static str, value: &[u8]) -> Result<CreditOffer, LldpError> {
    let bytes = octets_of(&link_credits::LAYOUT);
    check_length(name, value, bytes, bytes)?;
    let word = Reader(value).word(&link_credits::LAYOUT)?;
    reserved(name, word.get(link_credits::reserved::FIELD))?;
    Ok(CreditOffer {
        channels: word.get_u8(link_credits::channels::FIELD),
        pool: word.get_u16(link_credits::pool::FIELD),
        lossless: word.get(link_credits::lossless::FIELD) as u32,
    })
}

fn reserved(name: &'static str, found: u64) -> Result<(), LldpError> {
    (found == 0).then_some(()).ok_or(LldpError::Reserved { name, found })
}

impl Default for LinkOptions {
    /// Neither, in the version that is sent.
    fn default() -> Self {
        LinkOptions { retry: false, credits: false, version: VERSION }
    }
}
