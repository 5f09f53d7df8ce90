//! The register page of a switch, after those of its ports (chapter 10, 5).
//!
//! [`PAGE`] is the whole page as data; the constants are its offsets.

use crate::link_registers::PAGE_BYTES;
use crate::register::{Page, RegisterValue, Reset};
use crate::switch::{self, LIFE_CLOCKS, MAX_ADDRESS_BITS, MAX_PORTS};

/// "FLSW", as register ID has it.
pub const PAGE_ID: u64 = 0x464C_5357;

registers! {
    switch_registers_table, "chapter 10, 5", Reset::Value(0);
    /// What this page is.
    ID = 0x000, Read reset(Reset::Value(PAGE_ID)), id, { magic [0 +: 32] "0x464C5357, FLSW"; }
    /// What was built.
    CAP = 0x008, Read reset(Reset::Build), cap, { ports [0 +: 4] "PORTS - 1"; address_bits [4 +: 5] "ADDR_W"; }
    /// Lifetime of packets.
    LIFE = 0x010, ReadWrite reset(Reset::Value(LIFE_CLOCKS)), life, {
        clocks [0 +: 32] "clocks a packet waits without a grant, or stalls"; }
    /// The entry that ROUTE_DATA reads and writes.
    ROUTE_IDX = 0x018, ReadWrite, route_index, { index [0 +: 14] "address; goes to the next one behind every access of ROUTE_DATA"; }
    /// An entry of the route table.
    ROUTE_DATA = 0x020, ReadWrite, route_data, { entry [0 +: 16] "route entry: port, alt, use alt, adapt, valid"; }
    /// Adaptive routing and congestion.
    ADAPT = 0x028, ReadWrite, adapt, {
        lanes [0 +: 16] "ADAPT_VL: virtual lanes with adaptive routing"; mark [16 +: 16] "MARK_AU: fecn is set above so many AU; 0: off"; }
    /// Packets without a route, by input; the last is the internal port.
    NO_ROUTE[17] = 0x040, Counter, no_route, { packets [0 +: 48] "packets taken off: no entry, port down, no such virtual lane"; }
    /// Packets too old, by input; the last is the internal port.
    LIFE_DROP[17] = 0x0C8, Counter, life_drop, { packets [0 +: 48] "packets dropped or ended after LIFE clocks"; }
    /// Packets that took the other way.
    ALT_TAKEN = 0x150, Counter, alt_taken, { packets [0 +: 48] "packets that left by alt"; }
    /// Packets that were marked.
    FECN_SET = 0x158, Counter, fecn_set, { packets [0 +: 48] "packets that got fecn"; }
}

/// The whole page.
pub const PAGE: Page = Page {
    name: "switch",
    title: "Registers of a switch",
    source: "chapter 10, 5",
    bytes: PAGE_BYTES,
    registers: REGISTERS,
    counters: &[],
};

const _: () = assert!(route_data::entry::WIDTH == switch::route_entry::WIDTH);
const _: () = assert!(route_index::index::WIDTH == MAX_ADDRESS_BITS && MAX_PORTS == 1 << cap::ports::WIDTH);
const _: () = assert!(<no_route::Value as RegisterValue>::REGISTER.count as usize == MAX_PORTS + 1);
const _: () = assert!(<life_drop::Value as RegisterValue>::REGISTER.count as usize == MAX_PORTS + 1);
