//! Fields, widths, opcodes, polynomials and registers of the flitforge fabric, each defined once.
//!
//! Every bit layout is written once with the `layout!` macro. From that one text come
//! the table that prints as Markdown ([`reference`]) and the `LOW` and `WIDTH` constants that hardware and
//! models use, so a field cannot stand in two places. A field `opcode` of the layout `control` is
//! `control::opcode::LOW`, `control::opcode::WIDTH` and `control::opcode::FIELD`; the layout is `control::LAYOUT`.
//!
//! | module | chapter 10 |
//! |---|---|
//! | [`flit`] | 3.1, 3.2: flits, opcodes, payloads, special (SPC) subtypes, reasons |
//! | [`packet`] | 3.3: fields of head and tail |
//! | [`ltp`] | 3.5: CRC modes, lengths, positions |
//! | [`beat`] | 3.4, 3.5: beat and wire beat widths |
//! | [`lane_word`] | 3.6: control words, training set, scrambler, sequence state |
//! | [`crc`] | 3.3, 3.5, 4.4: polynomials |
//! | [`counter`] | 5: counters of a port |
//! | [`degrade`] | 4.5: lane removal |
//! | [`retry`] | 4.2, 4.3: retry protocol |
//! | [`training`] | 4.6: training |
//! | [`link`] | 4.6, 4.10: link state codes, credit codes, sideband messages |
//! | [`switch`] | 4.11: sizes, defaults and route entries of the switch |
//! | [`link_registers`] | 5: the register page of a port |
//!
//! [`register`] has what every register page is made of: descriptions, Rust accessors, Markdown and C.
//! [`register_line`] is the check of register accesses over a serial line.
//!
//! | module | chapter 20 |
//! |---|---|
//! | [`time`] | 3.1, 4.2 to 4.8: time flits, their limits and defaults |
//! | [`time_lag`] | 4.2: the lag meters |
//! | [`time_ring`] | 3.3, 4.4, 4.10: slots and delays of the rings of a switch |
//! | [`time_servo`] | 4.1, 4.9: counters, gains, servo states |
//! | [`time_registers`] | 5: the register page |
//!
//! [`sue`] has Scale-Up Ethernet, chapter 50, with a table of its own; [`sue_registers`] and [`sue_port_registers`] are its
//! register pages.

#[macro_use]
mod macros;

pub mod beat;
pub mod bit_isolation;
pub mod code_8b10b;
pub mod counter;
pub mod crc;
pub mod degrade;
pub mod field_range;
pub mod flit;
pub mod lane_word;
pub mod layout;
pub mod link;
pub mod link_registers;
pub mod ltp;
pub mod packet;
pub mod reference;
pub mod register;
pub mod register_line;
pub mod retry;
pub mod sue;
pub mod sue_port_registers;
pub mod sue_registers;
pub mod sue_traffic_registers;
pub mod switch;
pub mod switch_registers;
pub mod time;
pub mod time_lag;
pub mod time_reference;
pub mod time_registers;
pub mod time_ring;
pub mod time_servo;
pub mod training;

pub use layout::{Field, Layout};
