//! MAC control frames (chapter 50, 3.7 and 0): CC_Update of credit-based flow control, and priority flow control (PFC).

use super::link_control::{credit_count, CreditCount};
use super::octets::{CutOff, FieldError, Reader, Writer};
use flitforge_protocol::sue::link_control::{
    cc_entry, mac_control, organisation, pfc_classes, pfc_timer, CBFC_VCS, CC_ENTRY_KIND, CC_ORGANISATION,
    CC_VCS_PER_MESSAGE, MAC_CONTROL_DESTINATION, MAC_CONTROL_ETHERTYPE, PFC_OPCODE, PRIORITIES,
};
use flitforge_protocol::sue::network::{addresses, ethertype};
use flitforge_protocol::sue::{Profile, MIN_FRAME_BYTES};
use thiserror::Error;

/// Why a frame is no MAC control frame of the kind asked for, or cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MacControlError {
    /// The frame ends too early.
    #[error(transparent)]
    CutOff(#[from] CutOff),
    /// A field out of range.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Another destination.
    #[error("destination {found:012X}: MAC control goes to {MAC_CONTROL_DESTINATION:012X}")]
    Destination {
        /// Address in the frame.
        found: u64,
    },
    /// Another Ethertype.
    #[error("Ethertype {found:#06x}: MAC control has {MAC_CONTROL_ETHERTYPE:#06x}")]
    Ethertype {
        /// Ethertype in the frame.
        found: u16,
    },
    /// Another opcode.
    #[error("MAC control opcode {found:#06x}: expected {expected:#06x}; set CC_OPC at both ends alike")]
    Opcode {
        /// Opcode in the frame.
        found: u16,
        /// The one looked for.
        expected: u16,
    },
    /// Another organisation identifier.
    #[error("CC_Update: organisation {found:06X}, expected {CC_ORGANISATION:06X}; are both ends of profile ue103?")]
    Organisation {
        /// Identifier in the frame.
        found: u64,
    },
    /// An entry of another type.
    #[error("CC_Update: entry of type {found:#04x}, expected {CC_ENTRY_KIND:#04x}")]
    EntryKind {
        /// Type of the entry.
        found: u8,
    },
    /// Something after the last entry.
    #[error("MAC control frame: octet {found:#04x} after its end; the padding has to be 0")]
    Padding {
        /// The octet.
        found: u8,
    },
    /// Virtual channels that do not make a message.
    #[error("CC_Update: profile {} sends {expected}", profile.name())]
    VirtualChannels {
        /// The profile.
        profile: Profile,
        /// What it sends.
        expected: &'static str,
    },
    /// Reserved bits of the class vector.
    #[error("PFC: the upper half of the class vector is {found:#04x}, expected 0")]
    ClassVector {
        /// The upper half.
        found: u8,
    },
}

/// Appends what all MAC control frames begin with.
fn begin(octets: &mut Writer, source: u64, opcode: u16) -> Result<(), FieldError> {
    let fields =
        [(addresses::destination::FIELD, MAC_CONTROL_DESTINATION), (addresses::source::FIELD, source)];
    octets.word(&addresses::LAYOUT, &fields)?;
    octets.word(&ethertype::LAYOUT, &[(ethertype::value::FIELD, MAC_CONTROL_ETHERTYPE.into())])?;
    octets.word(&mac_control::LAYOUT, &[(mac_control::opcode::FIELD, opcode.into())])
}

/// Checks what all MAC control frames begin with; gives the source.
fn begun(reader: &mut Reader, expected: u16) -> Result<u64, MacControlError> {
    let word = reader.word(&addresses::LAYOUT)?;
    let found = word.get(addresses::destination::FIELD);
    if found != MAC_CONTROL_DESTINATION {
        return Err(MacControlError::Destination { found });
    }
    let found = reader.word(&ethertype::LAYOUT)?.get_u16(ethertype::value::FIELD);
    if found != MAC_CONTROL_ETHERTYPE {
        return Err(MacControlError::Ethertype { found });
    }
    let found = reader.word(&mac_control::LAYOUT)?.get_u16(mac_control::opcode::FIELD);
    if found != expected {
        return Err(MacControlError::Opcode { found, expected });
    }
    Ok(word.get(addresses::source::FIELD))
}

/// Only zeros may be left.
fn ended(reader: Reader) -> Result<(), MacControlError> {
    match reader.0.iter().find(|octet| **octet != 0) {
        Some(&found) => Err(MacControlError::Padding { found }),
        None => Ok(()),
    }
}

/// A CC_Update message: cells consumed, by virtual channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditsConsumed {
    /// Source MAC address, 48 bits.
    pub source: u64,
    /// The virtual channels. `sue1`: 1 to 32. `ue103`: 0 to 15, or 16 to 31, in order.
    pub counts: Vec<CreditCount>,
}

impl CreditsConsumed {
    /// The frame without FCS. `opcode` is the register CC_OPC.
    pub fn encode(&self, profile: Profile, opcode: u16) -> Result<Vec<u8>, MacControlError> {
        check_channels(profile, &self.counts)?;
        let mut octets = Writer::default();
        begin(&mut octets, self.source, opcode)?;
        if profile == Profile::Ue103 {
            octets.word(&organisation::LAYOUT, &[(organisation::id::FIELD, CC_ORGANISATION)])?;
        }
        for count in &self.counts {
            let fields = [
                (cc_entry::kind::FIELD, CC_ENTRY_KIND),
                (cc_entry::vc::FIELD, count.vc.into()),
                (cc_entry::cnt::FIELD, count.cells.into()),
            ];
            octets.word(&cc_entry::LAYOUT, &fields)?;
        }
        octets.pad_to(MIN_FRAME_BYTES);
        Ok(octets.finish())
    }

    /// The message in a frame without FCS. An entry of type 0 is padding: only zeros may follow.
    pub fn decode(frame: &[u8], profile: Profile, opcode: u16) -> Result<Self, MacControlError> {
        let mut reader = Reader(frame);
        let source = begun(&mut reader, opcode)?;
        if profile == Profile::Ue103 {
            let found = reader.word(&organisation::LAYOUT)?.get(organisation::id::FIELD);
            if found != CC_ORGANISATION {
                return Err(MacControlError::Organisation { found });
            }
        }
        let mut counts = Vec::new();
        while reader.0.first().is_some_and(|kind| *kind != 0) {
            let word = reader.word(&cc_entry::LAYOUT)?;
            let found = word.get_u8(cc_entry::kind::FIELD);
            if u64::from(found) != CC_ENTRY_KIND {
                return Err(MacControlError::EntryKind { found });
            }
            counts.push(credit_count(word, cc_entry::vc::FIELD, cc_entry::cnt::FIELD));
        }
        ended(reader)?;
        check_channels(profile, &counts)?;
        Ok(CreditsConsumed { source, counts })
    }
}

/// The virtual channels of a message.
fn check_channels(profile: Profile, counts: &[CreditCount]) -> Result<(), MacControlError> {
    let is_from =
        |first: usize| counts.iter().enumerate().all(|(i, count)| usize::from(count.vc) == first + i);
    let is_ascending = counts.windows(2).all(|pair| pair[0].vc < pair[1].vc);
    let (is_right, expected) = match profile {
        Profile::Sue1 => (
            (1..=CBFC_VCS).contains(&counts.len()) && is_ascending,
            "1 to 32 virtual channels, each once, in order",
        ),
        Profile::Ue103 => (
            counts.len() == CC_VCS_PER_MESSAGE && (is_from(0) || is_from(CC_VCS_PER_MESSAGE)),
            "virtual channels 0 to 15, or 16 to 31, in order",
        ),
    };
    is_right.then_some(()).ok_or(MacControlError::VirtualChannels { profile, expected })
}

/// A PFC frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriorityPause {
    /// Source MAC address, 48 bits.
    pub source: u64,
    /// By priority: the pause in units of 512 bit times, 0 to end it, or nothing said.
    pub quanta: [Option<u16>; PRIORITIES],
}

impl PriorityPause {
    /// The frame without FCS.
    pub fn encode(&self) -> Result<Vec<u8>, FieldError> {
        let mut octets = Writer::default();
        begin(&mut octets, self.source, PFC_OPCODE)?;
        let vector =
            (0..PRIORITIES).filter(|p| self.quanta[*p].is_some()).fold(0, |vector, p| vector | 1 << p);
        octets.word(&pfc_classes::LAYOUT, &[(pfc_classes::enabled::FIELD, vector)])?;
        for quanta in self.quanta {
            octets.word(&pfc_timer::LAYOUT, &[(pfc_timer::quanta::FIELD, quanta.unwrap_or(0).into())])?;
        }
        octets.pad_to(MIN_FRAME_BYTES);
        Ok(octets.finish())
    }

    /// The pauses in a frame without FCS. Timers of priorities outside the vector are ignored.
    pub fn decode(frame: &[u8]) -> Result<Self, MacControlError> {
        let mut reader = Reader(frame);
        let source = begun(&mut reader, PFC_OPCODE)?;
        let word = reader.word(&pfc_classes::LAYOUT)?;
        let found = word.get_u8(pfc_classes::reserved::FIELD);
        if found != 0 {
            return Err(MacControlError::ClassVector { found });
        }
        let vector = word.get(pfc_classes::enabled::FIELD);
        let mut quanta = [None; PRIORITIES];
        for (priority, entry) in quanta.iter_mut().enumerate() {
            let timer = reader.word(&pfc_timer::LAYOUT)?.get_u16(pfc_timer::quanta::FIELD);
            *entry = (vector >> priority & 1 == 1).then_some(timer);
        }
        Ok(PriorityPause { source, quanta })
    }
}
