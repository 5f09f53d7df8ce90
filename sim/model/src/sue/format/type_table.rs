//! TYPE_CFG: which types of commands are taken, and with which control length (chapter 50, 3.1 and 5).

use super::octets::{pack, FieldError, Word};
use flitforge_protocol::sue::command::{type_config, CommandType};
use thiserror::Error;

/// What is allowed of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeRule {
    /// No command of the type is taken.
    Disabled,
    /// Any control length is.
    AnyControl,
    /// Only this one is: control octets in units of two, 0 to 15.
    Pinned(u8),
}

/// An octet of TYPE_CFG that says nothing, or END as a type of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TypeTableError {
    /// Bits outside the fields are set.
    #[error("TYPE_CFG of type {kind}: {octet:#04x} has reserved bits set; they have to be 0")]
    Reserved {
        /// Code of the type.
        kind: u8,
        /// The octet.
        octet: u8,
    },
    /// END cannot be a command.
    #[error("TYPE_CFG of type 0 is not 0: END ends a body and cannot be enabled")]
    End,
    /// A control length of more than 15 units.
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// The rules of all types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeTable([TypeRule; CommandType::ALL.len()]);

impl Default for TypeTable {
    /// The reset value: every type but END, with any control length.
    fn default() -> Self {
        let mut rules = [TypeRule::AnyControl; CommandType::ALL.len()];
        rules[usize::from(CommandType::End.code())] = TypeRule::Disabled;
        TypeTable(rules)
    }
}

impl TypeTable {
    /// The rule of a type.
    #[must_use]
    pub const fn rule(&self, kind: CommandType) -> TypeRule {
        self.0[kind as usize]
    }

    /// The same table with another rule for a type. Refused: END enabled, a length that no header holds.
    pub fn with(mut self, kind: CommandType, rule: TypeRule) -> Result<Self, TypeTableError> {
        if kind == CommandType::End && rule != TypeRule::Disabled {
            return Err(TypeTableError::End);
        }
        register(rule)?;
        self.0[usize::from(kind.code())] = rule;
        Ok(self)
    }

    /// The table in a register's 16 octets, type 0 first.
    pub fn from_octets(octets: [u8; CommandType::ALL.len()]) -> Result<Self, TypeTableError> {
        CommandType::ALL.iter().zip(octets).try_fold(TypeTable::default(), |table, (&kind, octet)| {
            if u128::from(octet) & type_config::LAYOUT.reserved() != 0 {
                return Err(TypeTableError::Reserved { kind: kind.code(), octet });
            }
            table.with(kind, rule(Word::of(octet)))
        })
    }

    /// The 16 octets of the register, type 0 first.
    pub fn to_octets(&self) -> Result<[u8; CommandType::ALL.len()], FieldError> {
        let mut octets = [0; CommandType::ALL.len()];
        for (octet, rule) in octets.iter_mut().zip(self.0) {
            *octet = register(rule)?;
        }
        Ok(octets)
    }
}

fn rule(word: Word) -> TypeRule {
    match (word.get(type_config::valid::FIELD), word.get(type_config::pin::FIELD)) {
        (0, _) => TypeRule::Disabled,
        (_, 0) => TypeRule::AnyControl,
        _ => TypeRule::Pinned(word.get_u8(type_config::clen::FIELD)),
    }
}

fn register(rule: TypeRule) -> Result<u8, FieldError> {
    let (valid, pin, clen) = match rule {
        TypeRule::Disabled => (0, 0, 0),
        TypeRule::AnyControl => (1, 0, 0),
        TypeRule::Pinned(clen) => (1, 1, clen),
    };
    let fields = [
        (type_config::valid::FIELD, valid),
        (type_config::pin::FIELD, pin),
        (type_config::clen::FIELD, clen.into()),
    ];
    Ok(pack(&type_config::LAYOUT, &fields)? as u8)
}
