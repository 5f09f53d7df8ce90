//! Scale-up Ethernet: packer and go-back-N, on PDUs without bits (chapter 50, 4.3, 4.5, 4.6).
//!
//! | part | is |
//! |---|---|
//! | [`axi`] | AXI4 over commands |
//! | [`Balance`] | port of a body, reachability |
//! | [`CommandPort`] | checks of commands from the XPU, credits for cells |
//! | [`management`] | frames that the host injects and extracts |
//! | [`Packer`] | queues per {destination, VC}, arrival lists, weighted round robin, parking, flush |
//! | [`QueueLevels`] | thresholds of its queues |
//! | [`Sender`] | PSN, window, replay slots, timers, failover |
//! | [`Receiver`] | PSN check, source of ACK and NACK |
//! | [`Endpoint`] | sender and receiver of one XPU |
//! | [`lite`] | SUE Lite: frames, receiver, completions |
//! | [`Psn`] | 16-bit serial arithmetic, narrower for proofs |
//! | [`prove_go_back_n`] | every state of a small pair |
//!
//! [`format`] has the bits: commands, bodies, PDUs, frames; [`pcapng`] writes frames to files for Wireshark; [`link`] has link-layer retry
//! and flow control, [`lldp`] what ends of a link tell one another of them; [`soak`], [`loss`], [`failover`] and [`incast`] are the campaigns of the command line. Time is a count of clocks that the caller gives and that must not go back.
//!
//! ```
//! use flitforge_model::sue::{BodyCheck, ConnectionKey, Endpoint, ReceiverConfig, Room, SenderConfig};
//!
//! let end = |xpu| Endpoint::<&str>::new(xpu, SenderConfig::default(), ReceiverConfig::default());
//! let (mut here, mut there) = (end(5)?, end(7)?);
//! let key = ConnectionKey { port: 0, peer: 7, vc: 0 };
//! here.accept(key, "commands", 0).expect("window and slots are free");
//! let pdu = here.transmit(0, 1, 1).expect("a body waits");
//! let reception = there.receive(pdu, Room::Free, BodyCheck::Good, 50);
//! assert_eq!(reception.delivered, Some("commands"));
//! assert!(there.transmit(0, 177, 177).is_none(), "ACK_TIMER has not run out");
//! let acknowledgment = there.transmit(0, 178, 178).expect("it has");
//! assert_eq!(here.receive(acknowledgment, Room::Free, BodyCheck::Good, 200).events.len(), 1);
//! # Ok::<(), flitforge_model::sue::ConfigError>(())
//! ```

pub mod axi;
mod balance;
mod command_port;
mod config;
mod connection;
mod endpoint;
pub mod failover;
pub mod format;
pub mod incast;
pub mod latency;
mod levels;
pub mod link;
pub mod lite;
pub mod lldp;
pub mod loss;
pub mod management;
mod packer;
pub mod pcapng;
mod pdu;
mod proof;
mod receiver;
mod sender;
mod sequence;
mod slots;
pub mod soak;

pub use balance::{Balance, BalanceMode, PortView, Route};
pub use command_port::{
    CommandFault, CommandPort, CommandRules, CommandTarget, PassedCommand, PortEvent, PortWord,
};
pub use config::{ConfigError, Mutation, ReceiverConfig, Renack, RetryLimit, SenderConfig, StuckAction};
pub use connection::{
    AckOutcome, AckVerdict, ConnectionState, Expiry, HandedOver, Patience, Progress, SenderConnection, Slot,
};
pub use endpoint::{Endpoint, Reception};
pub use levels::QueueLevels;
pub use packer::{
    Command, CommandError, Flush, Gate, PackedBody, Packer, PackerConfig, QueueKey, CMD_MAX, HISTOGRAM_BINS,
    PACK_MAX_LIMIT,
};
pub use pdu::{Acknowledgment, ConnectionKey, Content, Counters, Pdu, Status};
pub use proof::{prove_go_back_n, Broken, EmptyPdus, ProofBounds};
pub use receiver::{BodyCheck, Due, GapRow, OpenAnswer, Receiver, ReceiverConnection, Room, Verdict};
pub use sender::{FailoverError, Opening, Refusal, Refused, Sender, SenderEvent, Turn};
pub use sequence::{Position, Psn};
