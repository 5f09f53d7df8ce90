//! Register pages: a block from a table of registers, and the bus that it answers.
//!
//! A table is written with `registers!` of flitforge-protocol. `#[register_page(path::of_table, "label", address = bits, ..)]` on a
//! struct without fields makes a block of it that has a port for every field, named `register_field`, or `register` alone if its only field is
//! called `value` or as the register's name ends. How a field is used says what its port is:
//!
//! | access | port | |
//! |---|---|---|
//! | `Read` | in | what a read shows |
//! | `ReadWrite` | out | the value that was written |
//! | `ReadWriteDown` | out | the same; a write counts with the input `down` only |
//! | `WriteOneClears` | in | an event; a written 1 clears it, an event of the same clock wins |
//! | `Counter` of one bit | in | an event; a written 0 clears it, an event of the same clock wins |
//! | `Write` | out | its part of the write, with the strobe `register_write` |
//! | `SelfClearing` | out | a pulse |
//! | a counter of `counters(GROUP, NAME = bits)` | in | events of the clock |
//!
//! What the table cannot know stands in lists; they name registers, some of them also fields, `REGISTER.field`.
//!
//! | list | |
//! |---|---|
//! | `only(..)` | these registers are in the page; without it all are |
//! | `base = OFFSET` | word 0 of the page, where it is a window of the table |
//! | `constant(..)` | the register reads what was built: it has no ports |
//! | `given(..)` | the field stands elsewhere: in what it is, out `.._new` and `register_write` |
//! | `loads(..)` | a kept field that hardware sets, too: in `.._load`, which wins, and `.._loaded` |
//! | `guarded(..)` | written if `register_permit`, 1 clock after the request; else a pulse `register_refused` |
//! | `masked(..)` | bits that were not built stay 0, see [`PageBuild::writable`] |
//! | `slow(..)` | a write is answered 1 clock after `done`; what is kept is stored with `register_store` |
//! | `read(..)`, `asked(..)` | out: it is read, 1 clock after the request, or with the request |
//! | `written(..)` | out: a pulse with the clock that shows the write |
//! | `elsewhere(..)` | others answer for these words: out `elsewhere`, 1 clock after the request; in `elsewhere_done`, `elsewhere_value` |
//! | `interrupt(EVENT, MASK)` | out `interrupt`: some bit of the one with its bit in the other |
//! | `whole(..)` | the fields of the register's own access share one port, `register`, with the word's bits up to the highest of them; of events `register_happened` |
//! | `recalled(..)` | a memory beside the page reads what is kept: a read of the page shows 0 there; a register that is only read has no port |
//! | `prompt(..)` | the pulse comes a clock earlier, with the clock that carries out the write |
//! | `counters(GROUP, ..)` | the group is in the page, in a [`PageCounters`]; with `ones = bits` every 1 of its ports counts |
//!
//! The page's own behaviour, with a request in clock 0:
//!
//! - A request is one clock long; address, kind and value stand until `ack`, and no other comes until then.
//! - `ack` in clock 3, of a counter in clock 5 to 20; `rdata` is 0 on a write and without `ack`. A word that names nothing reads 0.
//! - A write is carried out in clock 1: strobes and `.._new` are there then, ports show it in clock 2, with the pulses.
//! - A read shows status of clock 2.
//! - `interrupt` comes 2 clocks after an event.
//! - `clear` forgets a request; one of the clock before is carried out without `ack`. What was written and counted stays.
//!
//! [`RegisterPort`] stands before a page where a request is held until `ack`.

mod bus;
mod counters;
mod port;
mod tally;

pub use bus::{RegisterBus, RegisterMaster};
pub use counters::{PageCounters, COUNTER_BITS, PLACE_BITS, ROUND_CLOCKS};
pub use port::RegisterPort;
pub use tally::Tally;

#[doc(hidden)]
pub use flitforge_hdl_registry::ConfigError;

use flitforge_protocol::register::{Counters, Register, Reset, BYTES};
use flitforge_protocol::Field;

/// What was built, where the table does not say it.
pub trait PageBuild {
    /// Value of a register at power-on.
    fn power_on(&self, register: &Register) -> u64 {
        described(register)
    }

    /// Bits of a `masked` register that can be written.
    fn writable(&self, _: &Register) -> u64 {
        u64::MAX
    }

    /// Counters start here: 0 but in tests of what happens at the end. `None`: they do not count and read 0.
    fn counters(&self) -> Option<u32> {
        Some(0)
    }
}

/// A page that is as its table says, with 0 where that says that it depends on what was built.
pub struct Described;

impl PageBuild for Described {}

/// The value of a register at power-on as the table has it, or 0.
#[must_use]
pub const fn described(register: &Register) -> u64 {
    match register.reset {
        Reset::Value(value) => value,
        Reset::Build | Reset::Undescribed => 0,
    }
}

/// How the port of a field is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortUse {
    /// Output: what was written.
    Kept,
    /// Output: what was written with `down`.
    KeptDown,
    /// Input: what a read shows.
    Shown,
    /// No port: what was built.
    Constant,
    /// Input: an event, which a written 1 clears.
    Event,
    /// Input: an event, which a written 0 clears.
    Sticky,
    /// Output: a pulse.
    Pulse,
    /// Output: part of a write.
    Strobe,
    /// Input, and an output `.._new`: it stands elsewhere.
    Given,
}

/// A field of a page and its port.
#[derive(Debug, Clone, Copy)]
pub struct PageField {
    /// Its register.
    pub register: Register,
    /// Module of the register, as names of ports begin.
    pub module: &'static str,
    /// The field.
    pub field: Field,
    /// Name of its port.
    pub port: &'static str,
    /// Its lowest bit in the port: not 0 where fields share one.
    pub at: usize,
    /// A read of the page shows it.
    pub read: bool,
    /// How that is used.
    pub uses: PortUse,
}

/// A block made by `#[register_page]`.
pub trait RegisterPage {
    /// Its fields, in the order of the table.
    const FIELDS: &'static [PageField];
}

/// First and last word of these registers, each an offset and a number, from `base` on.
#[must_use]
pub const fn words(registers: &[(u32, u32)], base: u32) -> (u32, u32) {
    let (mut first, mut last, mut i) = (u32::MAX, 0, 0);
    while i < registers.len() {
        let (offset, count) = registers[i];
        let word = (offset - base) / BYTES;
        first = if word < first { word } else { first };
        last = if word + count > last { word + count - 1 } else { last };
        i += 1;
    }
    (first, last)
}

/// First and last word of a group of counters: those of a whole round where the group begins with one, as places without a counter have
/// their turns, too.
#[must_use]
pub const fn counter_words(group: &Counters, base: u32) -> (u32, u32) {
    let first = (group.offset - base) / BYTES;
    match first % ROUND_CLOCKS as u32 {
        0 => (first, first + ROUND_CLOCKS as u32 - 1),
        _ => (first, first + group.names.len() as u32 - 1),
    }
}
