//! `fab_packet_tx`, `fab_packet_rx`: packets into beats of flits and back (chapter 10, 3.3, 3.4 and 4.9).
//!
//! # Sender
//!
//! A packet is a header with its tag on `header_in` and its payload in words of 8 F bytes on `words_in`, each with the number
//! of bytes that count and `last`. The header says the length, so a packet leaves while its payload still comes in. A packet
//! of no bytes has no words. Of the number of bytes, the last word's counts; all others are full. Bytes after the length
//! are sent as 0.
//!
//! - Refused at the ingress, with an event that says why: a length above the MTU, a virtual lane that is not built, on the
//!   management lane any ptype but 2. The words of a refused packet are taken and thrown away.
//! - A source that does not keep to its header: a `last` too early ends the packet with a TailBad of reason 7 in slot 0 of the
//!   next beat (what waited for that slot is dropped); a missing `last`, or one with another number of bytes, gives a TailBad of
//!   reason 4 in place of the Tail, and words up to the `last` are thrown away.
//! - Beats: Head in slot 0, every slot used up to the Tail, Idle after it. An all-Idle beat is never made.
//! - Latency from `header_in` to the Head's beat 5 clocks, if its word is there; throughput one beat per clock, over packets
//!   of one beat too. The beat that ends a packet waits for the CRC, so it comes 4 (F = 1) to 6 (F = 4) clocks later than the
//!   others; up to 17 beats wait in the sender.
//!
//! # Receiver
//!
//! Takes beats of one virtual lane, or of several one packet at a time, and gives the header, the payload in words, and after
//! them the end: tag, `good`, or the reason why not. Of a good packet the words are those that were sent. Reasons: that of the
//! first bad-packet flit; 4 if order, number of flits, either length or composition are wrong; 2 if the CRC is. The first found
//! counts, the CRC last.
//!
//! - Composition: packet flits stand together from slot 0 and fill every beat up to the Tail; anything else within a packet,
//!   a head included, ends it with reason 4, and none of that beat's flits count. What follows up to the next beat with a head in slot 0
//!   belongs to no packet and is tossed, with an event `stray` per beat. Flits of other kinds count as Idle; beats without packet
//!   flits change nothing.
//! - A packet without a length (HeadBad) or with one above the MTU gives no words; its flits are not counted.
//! - A bad packet gives one word for every beat it had, at most those of its length, the last one with `last`; what
//!   did not come is 0.
//! - Latency from a beat to `header_out` 5 clocks, to the word that is complete with it 5, from the Tail's beat to `end_out`
//!   9 (F = 1) to 11 (F = 4). Throughput one beat per clock.
//! - No beat is taken while 12 headers, words or ends wait.
//!
//! `clear` (both): everything in work is forgotten, and the other side has to start with a new packet. One clock.

mod assembler;
mod config;
mod crc;
mod crc_plan;
mod entry;
mod follower;
mod ingress;
mod level;
mod pacer;
mod part;
mod reader;
mod receive;
mod shape;
mod transmit;

pub use assembler::PacketAssembler;
pub use config::{PacketConfig, PacketWidths};
pub use crc::PacketCrc;
pub use entry::{RX_ENTRY, TX_ENTRY};
pub use follower::PacketFollower;
pub use ingress::{PacketIngress, REQUEST_BITS};
pub use level::Level;
pub use pacer::PacketPacer;
pub use part::{PacketPart, REASON_BITS};
pub use reader::PacketReader;
pub use receive::{PacketRx, PacketRx1, PacketRx2, PacketRx4, END_BITS};
pub use shape::{PacketShape, COUNT_BITS, LEN_BITS};
pub use transmit::{PacketTx, PacketTx1, PacketTx2, PacketTx4};
