//! Control ordered sets (CtlOS) and preambles (chapter 50, 3.7).

use super::octets::{pack, FieldError, Word};
use flitforge_protocol::sue::link_control::{
    cf_update, init_data, llr_answer, llr_init, llr_preamble, ordered_set, OrderedSetType, FRAME_START,
    LLR_MARK, ORDERED_SET_START, O_CODE, PREAMBLE_BYTES, PREAMBLE_FILL, STANDARD_PREAMBLE,
};
use flitforge_protocol::Field;
use thiserror::Error;

/// A sequence number of link-layer retry, 20 bits, modulo 2^20.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sequence(u32);

impl Sequence {
    /// The sequence number with this value.
    pub const fn new(value: u32) -> Result<Self, FieldError> {
        let field = llr_answer::seq::FIELD;
        let largest = field.ones();
        if value as u64 > largest {
            let layout = llr_answer::LAYOUT.name;
            return Err(FieldError { layout, field: field.name, value: value as u64, largest });
        }
        Ok(Sequence(value))
    }

    /// The value.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.0
    }

    /// The sequence number of the next frame.
    #[must_use]
    pub const fn next(self) -> Self {
        Sequence((self.0 + 1) & llr_answer::seq::FIELD.ones() as u32)
    }

    fn read(word: Word, field: Field) -> Self {
        Sequence(word.get(field) as u32)
    }
}

/// Cells of one virtual channel, counted modulo 2^15.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreditCount {
    /// Virtual channel of CBFC, 5 bits.
    pub vc: u8,
    /// Cells, 15 bits.
    pub cells: u16,
}

/// A control ordered set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderedSet {
    /// Everything up to this frame is accepted.
    LlrAck(Sequence),
    /// This frame is wanted next.
    LlrNack(Sequence),
    /// Starts link-layer retry.
    LlrInit {
        /// First sequence number.
        sequence: Sequence,
        /// Nonce.
        data: u16,
    },
    /// Answers LLR_INIT.
    LlrInitEcho {
        /// First sequence number.
        sequence: Sequence,
        /// Nonce that came.
        data: u16,
    },
    /// Cells freed of two virtual channels.
    CfUpdate([CreditCount; 2]),
}

/// Why eight octets are no ordered set or no preamble. Ordered sets that are refused are ignored and counted, CTLOS_BAD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkControlError {
    /// Another first octet.
    #[error("ordered set: D0 is {found:#04x}, expected {ORDERED_SET_START:#04x}")]
    Start {
        /// D0.
        found: u8,
    },
    /// An unknown type.
    #[error("ordered set: type {found:#04x} is not known; the set is ignored")]
    Type {
        /// D1.
        found: u8,
    },
    /// Another O-code.
    #[error("ordered set: O-code {found}, expected {O_CODE}; the set is ignored")]
    OCode {
        /// The lower half of D4.
        found: u8,
    },
    /// Neither preamble.
    #[error("preamble {found:016X}: expected the standard one or that of link-layer retry")]
    Preamble {
        /// The eight octets.
        found: u64,
    },
}

impl OrderedSet {
    /// The eight octets, D0 first.
    pub fn encode(&self) -> Result<[u8; PREAMBLE_BYTES], FieldError> {
        let mut fields = vec![
            (ordered_set::start::FIELD, ORDERED_SET_START),
            (ordered_set::kind::FIELD, self.kind().code().into()),
            (ordered_set::o_code::FIELD, O_CODE),
        ];
        match *self {
            OrderedSet::LlrAck(sequence) | OrderedSet::LlrNack(sequence) => {
                fields.push((llr_answer::seq::FIELD, sequence.value().into()));
            }
            OrderedSet::LlrInit { sequence, data } | OrderedSet::LlrInitEcho { sequence, data } => {
                let data = Word::of(data);
                fields.push((llr_init::seq::FIELD, sequence.value().into()));
                fields.push((llr_init::data_low::FIELD, data.get(init_data::low::FIELD)));
                fields.push((llr_init::data_high::FIELD, data.get(init_data::high::FIELD)));
            }
            OrderedSet::CfUpdate([first, second]) => {
                fields.push((cf_update::vc1::FIELD, first.vc.into()));
                fields.push((cf_update::cnt1::FIELD, first.cells.into()));
                fields.push((cf_update::vc2::FIELD, second.vc.into()));
                fields.push((cf_update::cnt2::FIELD, second.cells.into()));
            }
        }
        Ok((pack(&ordered_set::LAYOUT, &fields)? as u64).to_be_bytes())
    }

    /// The ordered set in eight octets. Octets that a type does not use are ignored.
    pub fn decode(octets: [u8; PREAMBLE_BYTES]) -> Result<Self, LinkControlError> {
        let word = Word::of(u64::from_be_bytes(octets));
        let found = word.get_u8(ordered_set::start::FIELD);
        if u64::from(found) != ORDERED_SET_START {
            return Err(LinkControlError::Start { found });
        }
        let found = word.get_u8(ordered_set::kind::FIELD);
        let kind = OrderedSetType::from_code(found).ok_or(LinkControlError::Type { found })?;
        let found = word.get_u8(ordered_set::o_code::FIELD);
        if u64::from(found) != O_CODE {
            return Err(LinkControlError::OCode { found });
        }
        let init = || {
            let fields = [
                (init_data::low::FIELD, word.get(llr_init::data_low::FIELD)),
                (init_data::high::FIELD, word.get(llr_init::data_high::FIELD)),
            ];
            let data = fields.iter().fold(0, |data, (field, value)| field.set(data, *value)) as u16;
            (Sequence::read(word, llr_init::seq::FIELD), data)
        };
        Ok(match kind {
            OrderedSetType::LlrAck => OrderedSet::LlrAck(Sequence::read(word, llr_answer::seq::FIELD)),
            OrderedSetType::LlrNack => OrderedSet::LlrNack(Sequence::read(word, llr_answer::seq::FIELD)),
            OrderedSetType::LlrInit => {
                let (sequence, data) = init();
                OrderedSet::LlrInit { sequence, data }
            }
            OrderedSetType::LlrInitEcho => {
                let (sequence, data) = init();
                OrderedSet::LlrInitEcho { sequence, data }
            }
            OrderedSetType::CfUpdate => OrderedSet::CfUpdate([
                credit_count(word, cf_update::vc1::FIELD, cf_update::cnt1::FIELD),
                credit_count(word, cf_update::vc2::FIELD, cf_update::cnt2::FIELD),
            ]),
        })
    }

    /// The type.
    #[must_use]
    pub const fn kind(&self) -> OrderedSetType {
        match self {
            OrderedSet::LlrAck(_) => OrderedSetType::LlrAck,
            OrderedSet::LlrNack(_) => OrderedSetType::LlrNack,
            OrderedSet::LlrInit { .. } => OrderedSetType::LlrInit,
            OrderedSet::LlrInitEcho { .. } => OrderedSetType::LlrInitEcho,
            OrderedSet::CfUpdate(_) => OrderedSetType::CfUpdate,
        }
    }
}

/// A virtual channel and its cells.
pub(super) fn credit_count(word: Word, vc: Field, cells: Field) -> CreditCount {
    CreditCount { vc: word.get_u8(vc), cells: word.get_u16(cells) }
}

/// A preamble, start and delimiter included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preamble {
    /// FB 55 55 55 55 55 55 D5: the frame is not under link-layer retry.
    Standard,
    /// The frame is under link-layer retry.
    Llr {
        /// Its sequence number.
        sequence: Sequence,
        /// Flags, sent 0.
        flags: u8,
    },
}

impl Preamble {
    /// The eight octets.
    pub fn encode(&self) -> Result<[u8; PREAMBLE_BYTES], FieldError> {
        let word = match *self {
            Preamble::Standard => STANDARD_PREAMBLE,
            Preamble::Llr { sequence, flags } => {
                let fields = [
                    (llr_preamble::start::FIELD, FRAME_START),
                    (llr_preamble::fill::FIELD, PREAMBLE_FILL),
                    (llr_preamble::mark::FIELD, LLR_MARK),
                    (llr_preamble::seq::FIELD, sequence.value().into()),
                    (llr_preamble::flags::FIELD, flags.into()),
                ];
                pack(&llr_preamble::LAYOUT, &fields)? as u64
            }
        };
        Ok(word.to_be_bytes())
    }

    /// The preamble in eight octets.
    pub fn decode(octets: [u8; PREAMBLE_BYTES]) -> Result<Self, LinkControlError> {
        let found = u64::from_be_bytes(octets);
        if found == STANDARD_PREAMBLE {
            return Ok(Preamble::Standard);
        }
        let word = Word::of(found);
        let fixed = [
            (llr_preamble::start::FIELD, FRAME_START),
            (llr_preamble::fill::FIELD, PREAMBLE_FILL),
            (llr_preamble::mark::FIELD, LLR_MARK),
            (llr_preamble::reserved::FIELD, 0),
        ];
        if fixed.iter().any(|&(field, value)| word.get(field) != value) {
            return Err(LinkControlError::Preamble { found });
        }
        let sequence = Sequence::read(word, llr_preamble::seq::FIELD);
        Ok(Preamble::Llr { sequence, flags: word.get_u8(llr_preamble::flags::FIELD) })
    }
}
