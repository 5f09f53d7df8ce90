//! `eth_mac_axi_tx`, `eth_mac_axi_rx`: the MAC with AXI-Stream (chapter 50, 4.7), for users without link-layer retry.
//!
//! - Frames have neither preamble nor FCS. Octet 0 is in `tdata[7:0]`; `tkeep` is all ones but with `tlast`, and has no holes.
//! - `tuser` counts with `tlast`: the frame is bad. The sender inverts its FCS then; the receiver says so of every frame with a wrong FCS, a wrong
//!   length or an error inside.
//! - The receiver has no `tready`: what it feeds takes a word in every clock or has a buffer.
//! - Inside a frame the sender wants a word in every clock in which it is ready. What cannot promise that puts a packet FIFO before it.
//!
//! | what comes | what it does |
//! |---|---|
//! | `tkeep` with holes, none, or not all ones before the last word | the frame is sent as a bad one, `malformed`. A word before the last counts as eight octets, the last up to its highest octet |
//! | a word is missing inside a frame | the frame breaks off on the line, `underrun`; its other words are dropped |
//! | everything on the line | as [`EthMacRx`] does it, with `verdicts` and `octets` beside the last word |
//! | ordered sets | none are sent; received ones are taken out and dropped |
//!
//! Latency: [`TRANSMIT_LATENCY`] clocks from a word to its column, [`RECEIVE_LATENCY`] from a column to the word before it. Throughput: a word per clock.
//! `clear` forgets everything: the line is idle, what was inside is gone.

mod receive;
mod transmit;

pub use receive::{EthMacAxiRx, RECEIVE_ENTRY, RECEIVE_LATENCY};
pub use transmit::{EthMacAxiTx, TRANSMIT_ENTRY, TRANSMIT_LATENCY};

#[allow(unused_imports)] // named in the text above
use crate::mac_rx::EthMacRx;
