//! Register pages as data (chapter 00, "register bus" and "register description").
//!
//! A page is described once, with the `registers!` macro. From that description come the decoder hardware (its
//! memory image, masks and addresses), the Rust accessors ([`PageAccess`] with the `Value` of each register), the
//! Markdown reference ([`Page::markdown`]) and the C header ([`Page::c_header`]).

mod access;
mod header;
mod reference;

pub use access::{AccessError, DeviceId, PageAccess, RegisterAccess};

use crate::layout::{Field, Layout};
use serde::Serialize;

/// Bytes of a register.
pub const BYTES: u32 = 8;

coded_enum! {
    /// How a register, or a field of it, can be used.
    Access: u8, {
        Read = 0, "R", "read only";
        ReadWrite = 1, "RW", "read and write";
        Write = 2, "W", "a written value is a command";
        WriteOneClears = 3, "W1C", "ones that are written clear their bits";
        Counter = 4, "R, W0", "writing 0 clears, other values are ignored";
        ReadWriteDown = 5, "RW in Down", "read and write; writes are ignored unless the link is Down";
        SelfClearing = 6, "W, self-clearing", "a written 1 is a command; reads 0";
    }
}

impl Access {
    /// The written value is kept and read back.
    #[must_use]
    pub const fn is_kept(self) -> bool {
        matches!(self, Access::ReadWrite | Access::ReadWriteDown)
    }

    /// A write has an effect.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        !matches!(self, Access::Read)
    }
}

/// What a register holds after power-on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Reset {
    /// This value.
    Value(u64),
    /// What was built.
    Build,
    /// The description does not say.
    Undescribed,
}

/// One register, or `count` of them, [`BYTES`] apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Byte offset in the page, of the first if there are several.
    pub offset: u32,
    /// Name.
    pub name: &'static str,
    /// Fields.
    pub layout: Layout,
    /// Access of all fields but the exceptions.
    pub access: Access,
    /// Fields with another access, by name.
    pub exceptions: &'static [(&'static str, Access)],
    /// Value after power-on.
    pub reset: Reset,
    /// Number of registers.
    pub count: u32,
}

impl Register {
    /// Access of one of its fields.
    #[must_use]
    pub fn access_of(&self, field: &Field) -> Access {
        let exception = self.exceptions.iter().find(|(name, _)| *name == field.name);
        exception.map_or(self.access, |(_, access)| *access)
    }

    /// The bits of all fields whose access is `wanted`.
    #[must_use]
    pub fn mask(&self, wanted: impl Fn(Access) -> bool) -> u64 {
        let fields = self.layout.fields.iter().filter(|field| wanted(self.access_of(field)));
        fields.fold(0, |mask, field| mask | field.mask() as u64)
    }

    /// Byte offset of the register with this number.
    #[must_use]
    pub const fn offset_of(&self, index: u32) -> u32 {
        self.offset + index * BYTES
    }
}

/// A group of saturating counters, one every eight bytes; writing 0 clears one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Bits of each.
    pub bits: u32,
    /// Byte offset of the first; for counters of a tree that of tree 0.
    pub offset: u32,
    /// Names in the order of their offsets.
    pub names: &'static [&'static str],
}

impl Counters {
    /// Byte offset of the counter with this name.
    #[must_use]
    pub fn offset_of(&self, name: &str) -> Option<u32> {
        let index = self.names.iter().position(|known| *known == name)?;
        Some(self.offset + index as u32 * BYTES)
    }
}

/// A page of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Page {
    /// Short name, for files and prefixes.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// Chapter and section that fix it.
    pub source: &'static str,
    /// Size in bytes.
    pub bytes: u32,
    /// Every register but the counters, by offset.
    pub registers: &'static [Register],
    /// Counters.
    pub counters: &'static [Counters],
}

impl Page {
    /// The register at a byte offset, and its number among several.
    #[must_use]
    pub fn register_at(&self, offset: u32) -> Option<(&'static Register, u32)> {
        let inside = |register: &&Register| {
            (register.offset..register.offset_of(register.count)).contains(&offset) && offset % BYTES == 0
        };
        let register = self.registers.iter().find(inside)?;
        Some((register, (offset - register.offset) / BYTES))
    }

    /// The group of the counter at a byte offset, and its number in it.
    #[must_use]
    pub fn counter_at(&self, offset: u32) -> Option<(&'static Counters, usize)> {
        self.counters.iter().find_map(|group| {
            let index = offset.checked_sub(group.offset)? / BYTES;
            ((index as usize) < group.names.len() && offset % BYTES == 0).then_some((group, index as usize))
        })
    }

    /// The offsets of all registers and counters, in the order of the description.
    pub fn offsets(&self) -> impl Iterator<Item = u32> + '_ {
        let registers = self.registers.iter().flat_map(|r| (0..r.count).map(move |index| r.offset_of(index)));
        let counters = self
            .counters
            .iter()
            .flat_map(|group| (0..group.names.len() as u32).map(move |index| group.offset + index * BYTES));
        registers.chain(counters)
    }
}

/// The fields of a register as a Rust value; the type `Value` in the register's module.
pub trait RegisterValue: Sized {
    /// The description.
    const REGISTER: Register;
    /// The value of a word.
    #[must_use]
    fn decode(word: u64) -> Self;
    /// The fields, lowest first.
    #[must_use]
    fn fields(&self) -> Vec<u64>;

    /// The word of this value; the name of the first field that does not fit its bits otherwise.
    fn encode(&self) -> Result<u64, &'static str> {
        let fields = Self::REGISTER.layout.fields.iter().zip(self.fields());
        fields
            .into_iter()
            .try_fold(0, |word, (field, value)| match value <= field.ones() {
                true => Ok(field.set(word, value)),
                false => Err(field.name),
            })
            .map(|word: u128| word as u64)
    }
}

/// A register that can be written.
pub trait Writable: RegisterValue {}

#[cfg(test)]
mod tests;
