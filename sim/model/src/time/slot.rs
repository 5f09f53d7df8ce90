//! Ring slots (chapter 20, 3.3).

use super::flits::{pack, TimeFlit, TimeHigh, TimeLow};
use super::TimeValue;
use crate::flit::{Flit, FlitError};
use flitforge_protocol::time_ring::{slot_control, token, value_high, value_low, Embed, SlotKind};
use flitforge_protocol::Field;

/// What a slot carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RingContent {
    /// A MasterTimeLow.
    Low(TimeLow),
    /// A MasterTimeHigh.
    High(TimeHigh),
    /// A token; its `src` is the stop that asked.
    Token {
        /// Target stop.
        target: u8,
        /// On its way back.
        returning: bool,
        /// Tag.
        tag: u8,
        /// Ring cycles it waited at the target.
        waited: u8,
    },
}

impl RingContent {
    /// Kind of the content.
    #[must_use]
    pub const fn kind(&self) -> SlotKind {
        match self {
            RingContent::Low(_) => SlotKind::Low,
            RingContent::High(_) => SlotKind::High,
            RingContent::Token { .. } => SlotKind::Token,
        }
    }

    /// Clock tree; 0 for a token.
    #[must_use]
    pub const fn tree(&self) -> u8 {
        match self {
            RingContent::Low(low) => low.tree,
            RingContent::High(high) => high.tree,
            RingContent::Token { .. } => 0,
        }
    }

    fn data(&self, embed: Embed) -> Result<u128, FlitError> {
        match (*self, embed) {
            (RingContent::Token { target, returning, tag, waited }, _) => pack(
                &token::LAYOUT,
                &[
                    (token::target::FIELD, target.into()),
                    (token::returning::FIELD, returning.into()),
                    (token::tag::FIELD, tag.into()),
                    (token::waited::FIELD, waited.into()),
                ],
            ),
            (RingContent::Low(low), Embed::Flit) => Ok(TimeFlit::Low(low).encode()?.bits()),
            (RingContent::High(high), Embed::Flit) => Ok(TimeFlit::High(high).encode()?.bits()),
            (RingContent::Low(TimeLow { value, era, .. }), Embed::Value) => pack(
                &value_low::LAYOUT,
                &[
                    (value_low::time::FIELD, value.nanoseconds()),
                    (value_low::frac::FIELD, value.frac().into()),
                    (value_low::era::FIELD, era.into()),
                ],
            ),
            (RingContent::High(TimeHigh { time, index, era, quality, .. }), Embed::Value) => pack(
                &value_high::LAYOUT,
                &[
                    (value_high::time::FIELD, time.into()),
                    (value_high::index::FIELD, index.into()),
                    (value_high::quality::FIELD, quality.into()),
                    (value_high::era::FIELD, era.into()),
                ],
            ),
        }
    }

    fn read(kind: SlotKind, tree: u8, data: u128, embed: Embed) -> Option<Self> {
        let get = |field: Field| field.get(data);
        if kind == SlotKind::Token {
            return Some(RingContent::Token {
                target: get(token::target::FIELD) as u8,
                returning: get(token::returning::FIELD) == 1,
                tag: get(token::tag::FIELD) as u8,
                waited: get(token::waited::FIELD) as u8,
            });
        }
        match (kind, embed) {
            (SlotKind::Low, Embed::Value) => Some(RingContent::Low(TimeLow {
                value: TimeValue::new(get(value_low::time::FIELD), get(value_low::frac::FIELD) as u8),
                tree,
                era: get(value_low::era::FIELD) as u8,
            })),
            (SlotKind::High, Embed::Value) => Some(RingContent::High(TimeHigh {
                time: get(value_high::time::FIELD) as u32,
                index: get(value_high::index::FIELD) as u8,
                tree,
                era: get(value_high::era::FIELD) as u8,
                quality: get(value_high::quality::FIELD) as u8,
            })),
            _ => match (kind, TimeFlit::decode(Flit::from_bits(data).ok()?)?) {
                (SlotKind::Low, TimeFlit::Low(low)) => Some(RingContent::Low(low)),
                (SlotKind::High, TimeFlit::High(high)) => Some(RingContent::High(high)),
                _ => None,
            },
        }
    }
}

/// An occupied slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RingSlot {
    /// What it carries.
    pub content: RingContent,
    /// Stop that inserted it, 0 to 63.
    pub src: u8,
    /// Ring cycles the source waited, 0 to 15.
    pub wait: u8,
    /// Mark of stop 0's monitor.
    pub mon: bool,
}

/// A slot's bits read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotBits {
    /// Not occupied.
    Empty,
    /// Parity is wrong, or the content makes no sense: RING_PARITY.
    Damaged,
    /// A good slot.
    Occupied(RingSlot),
}

impl RingSlot {
    /// A slot as inserted after `wait` ring cycles.
    #[must_use]
    pub const fn new(content: RingContent, src: u8, wait: u8) -> Self {
        Self { content, src, wait, mon: false }
    }

    /// The slot's bits, 63 or 82 of them. A value that does not fit its field is refused.
    pub fn encode(&self, embed: Embed) -> Result<u128, FlitError> {
        let control = pack(
            &slot_control::LAYOUT,
            &[
                (slot_control::src::FIELD, self.src.into()),
                (slot_control::tree::FIELD, self.content.tree().into()),
                (slot_control::kind::FIELD, self.content.kind().code().into()),
                (slot_control::wait::FIELD, self.wait.into()),
            ],
        )?;
        let word = self.content.data(embed)? | control << embed.data_bits();
        let parity = u64::from(word.count_ones() % 2);
        let rest = [
            (slot_control::mon::FIELD, self.mon.into()),
            (slot_control::par::FIELD, parity),
            (slot_control::v::FIELD, 1),
        ];
        Ok(word | pack(&slot_control::LAYOUT, &rest)? << embed.data_bits())
    }

    /// Reads a slot's bits back.
    #[must_use]
    pub fn decode(bits: u128, embed: Embed) -> SlotBits {
        let control = bits >> embed.data_bits();
        let get = |field: Field| field.get(control);
        if get(slot_control::v::FIELD) == 0 {
            return SlotBits::Empty;
        }
        let unchecked = slot_control::mon::FIELD.mask() | slot_control::v::FIELD.mask();
        if (bits & !(unchecked << embed.data_bits())).count_ones() % 2 == 1 {
            return SlotBits::Damaged;
        }
        let data = bits & ((1 << embed.data_bits()) - 1);
        let kind = SlotKind::from_code(get(slot_control::kind::FIELD) as u8);
        let tree = get(slot_control::tree::FIELD) as u8;
        match kind.and_then(|kind| RingContent::read(kind, tree, data, embed)) {
            None => SlotBits::Damaged,
            Some(content) => SlotBits::Occupied(RingSlot {
                content,
                src: get(slot_control::src::FIELD) as u8,
                wait: get(slot_control::wait::FIELD) as u8,
                mon: get(slot_control::mon::FIELD) == 1,
            }),
        }
    }
}
