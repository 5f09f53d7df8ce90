//! The route table.

use super::SwitchError;
use flitforge_protocol::switch::route_entry;

/// Where packets to one destination go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RouteEntry {
    /// Output port; PORTS is the internal port.
    pub port: u8,
    /// Alternative output port.
    pub alt: u8,
    /// `alt` stands in while the link of `port` is down.
    pub use_alt: bool,
    /// Packets on a lane of ADAPT_VL take `alt` when it can grant and `port` cannot.
    pub adapt: bool,
    /// The entry holds.
    pub valid: bool,
}

impl RouteEntry {
    /// The route to one port, without alternative.
    #[must_use]
    pub fn to(port: usize) -> Self {
        RouteEntry { port: port as u8, valid: true, ..RouteEntry::default() }
    }

    /// As register ROUTE_DATA has it; port numbers are cut to their fields.
    #[must_use]
    pub fn encode(self) -> u16 {
        let word = route_entry::port::FIELD.set(0, self.port.into());
        let word = route_entry::alt::FIELD.set(word, self.alt.into());
        let word = route_entry::use_alt::FIELD.set(word, self.use_alt.into());
        let word = route_entry::adapt::FIELD.set(word, self.adapt.into());
        route_entry::valid::FIELD.set(word, self.valid.into()) as u16
    }

    /// Out of register ROUTE_DATA; bits in no field are not looked at.
    #[must_use]
    pub fn decode(word: u16) -> Self {
        let word = word.into();
        RouteEntry {
            port: route_entry::port::FIELD.get(word) as u8,
            alt: route_entry::alt::FIELD.get(word) as u8,
            use_alt: route_entry::use_alt::FIELD.get(word) == 1,
            adapt: route_entry::adapt::FIELD.get(word) == 1,
            valid: route_entry::valid::FIELD.get(word) == 1,
        }
    }
}

/// One entry for each address of ADDR_W bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteTable {
    entries: Vec<RouteEntry>,
}

impl RouteTable {
    /// A table without valid entries.
    #[must_use]
    pub fn new(address_bits: usize) -> Self {
        RouteTable { entries: vec![RouteEntry::default(); 1 << address_bits] }
    }

    /// Writes one entry.
    pub fn set(&mut self, index: usize, entry: RouteEntry) -> Result<(), SwitchError> {
        let entries = self.entries.len();
        let place = self.entries.get_mut(index).ok_or(SwitchError::NoRoute { index, entries })?;
        *place = entry;
        Ok(())
    }

    /// Number of entries, two to the power of ADDR_W.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a table is never empty")]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// One entry, valid or not.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<RouteEntry> {
        self.entries.get(index).copied()
    }

    /// The valid entry of a destination; address bits above ADDR_W must be 0.
    #[must_use]
    pub fn find(&self, dst: u16) -> Option<RouteEntry> {
        self.entries.get(usize::from(dst)).copied().filter(|entry| entry.valid)
    }
}
