//! `fab_port` and `fab_bonded_port`: packets on virtual lanes over one link or over two as one: the sublayer of chapter 10, 4.9 and 4.10, in front of `link_port`,
//! or of `link_bonded_port` (4.8).
//!
//! ```text
//!                ┌─ FabTransmit ──────────────────┐        ┌─ FabLink ──────────────────────────────┐
//! header_in[v] ──►│ fab_packet_tx[v] ► gate[v] ►  │        │             CrdtRet of       ┌────────┐ │
//! words_in[v] ───►│                    fab_vl_tx ──┼───────►│────────── fab_credit_rx ────►│        │─┼─► tx[l]
//!                └───────────────────▲──────┼─────┘        │              ▲ │ sideband    │        │ │
//!                             may_send│      └ sent ───────►│ fab_credit_tx│ └────────────►│ link_  │ │
//!                                     └─────────────────────┼───┘ ▲ CrdtRet, sideband ◄───│ port   │ │
//!                ┌─ FabReceive ───────────────────┐        │     │        │ what came     │        │ │
//! header_out[v] ◄─│ fab_packet_rx[v] ◄ reader[v]  │◄───────┼─────┴─ fab_vl_rx ◄────────────│        │◄┼── rx[l]
//! words_out[v] ◄──│                    buffer[v]  │        │                              └────────┘ │
//! end_out[v] ◄────┘ AU that are empty ─────────────┼───────►│ fab_credit_rx                           │
//!                └────────────────────────────────┘        └────────────────────────────────────────┘
//! ```
//!
//! | part | does |
//! |---|---|
//! | [`FabTransmit2`] | a sender of packets per virtual lane, a [`FabGate`] after each, and `fab_vl_tx` |
//! | [`FabReceive2`] | a [`FabLane2`] for each virtual lane, and [`FabEnds`], the ends of packets one per clock |
//! | [`FabLane2`] | buffer, [`FabReader`] and `fab_packet_rx` of a lane |
//! | [`FabLink2`] | `link_port`, `fab_vl_rx`, `fab_credit_rx` and `fab_credit_tx`: what a port of a switch has, too |
//! | [`FabBondedLink2`] | the same with `link_bonded_port`: beats of all its links, one account of credits |
//! | [`FabStart`] | the few clocks of a start of the link |
//!
//! The lane of a packet is that of its stream, `vl` of the header is not looked at. Registers CREDIT, CU, VL_ARB, VL_EN, CRED, the counters
//! CREDIT_OVF, STACK_ERR, PKT_GOOD and PKT_BAD, and their events are connected. vAU and CU have to be those of the peer; an AU has to be
//! a beat at least.
//!
//! - Retraining changes nothing here. A *start* of the link (chapter 10, 4.6 rule 5) clears credits, the stacks of both directions and what is on
//!   its way; a packet to send that has begun is taken and thrown away up to its end. What lies in the buffers stays and is
//!   delivered; a packet that was coming in ends with TailBad of reason 1 after what there is of it, and occupied AU stay occupied.
//! - CREDIT_OVF: the link goes Down and comes up afresh. A lane that got more than was granted stores and reads nothing until then, and loses what
//!   lies in its buffer; its open packet ends with reason 1.
//! - Mode 1: credits go back by sideband, and by CrdtRet if more than two lanes wait; else by CrdtRet.
//! - A bond: beats are those of all links, registers two pages, of which the first is that of the packets. Credits begin when the numbers of link 0 do, and messages
//!   wait until the bond is up.
//! - Latency, header in to header out without the PHY, idle: that of `link_port` and 17 clocks, of a bond 7 more. Throughput: one beat per clock, or what
//!   the lanes carry. `end_out` of all lanes together: one per clock.
//! - `clear`: Down, and all packets are forgotten on both sides of the link's user. One clock.
//! - Bad input does not get further than its row of chapter 10, 6. Both ends have the same flits per beat.

mod block;
mod bonded;
mod bonded_entry;
mod bonded_port;
mod config;
mod ends;
mod entry;
mod gate;
mod lane;
mod link;
mod one;
mod one_port;
mod reader;
mod receive;
mod start;
mod transmit;

pub use bonded::{FabBondedLink1, FabBondedLink2};
pub use bonded_entry::{build_bonded_1_as, build_bonded_2_as, BONDED_ENTRY};
pub use bonded_port::{FabBondedPort1, FabBondedPort2};
pub use config::FabPortConfig;
pub use ends::FabEnds;
pub use entry::{build_1_as, build_2_as, build_4_as, ENTRY};
pub use gate::FabGate;
pub use lane::{FabLane1, FabLane2, FabLane4};
pub use link::CREDIT_WORD_BITS;
pub use one::{FabLink1, FabLink2, FabLink4};
pub use one_port::{FabPort1, FabPort2, FabPort4};
pub use reader::{FabReader, MARK_BITS};
pub use receive::{FabReceive1, FabReceive2, FabReceive4, CREDIT_RX_BITS};
pub use start::{FabStart, START_CLOCKS};
pub use transmit::{FabTransmit1, FabTransmit2, FabTransmit4};

/// Four virtual lanes with 16 KiB each on a link of four lanes, two flits per beat and 128 replay slots.
pub type FabPort = FabPort2<4, 7, 10, 4, 5, 64, 10, 11>;
/// Two virtual lanes with 1 KiB each on a link of one lane, one flit per beat and 16 replay slots.
pub type FabPortSmall = FabPort1<1, 4, 8, 2, 3, 32, 7, 8>;
/// Four virtual lanes with 16 KiB each on two links as those of [`FabPort`].
pub type FabBondedPort = FabBondedPort2<7, 10, 11, 4, 5, 64, 9, 10>;
/// Four virtual lanes with 1 KiB each on two links as those of [`FabPortSmall`].
pub type FabBondedPortSmall = FabBondedPort1<4, 8, 9, 4, 5, 64, 6, 7>;
