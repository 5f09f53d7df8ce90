//! `fab_vl_tx`, `fab_vl_rx`: packets of several virtual lanes share the beats of a link (chapter 10, 4.9).
//!
//! # Sender (rules 1 to 4)
//!
//! Every lane is a stream of beats as `fab_packet_tx` makes them, and says of each whether it ends a packet (`ends`); the sender keeps a stack of the lanes with a packet in
//! progress and gives each beat time to one of them, or to a VlMrkr that brings a lane of the stack to its top. A beat
//! time is a clock in which `beats_out` can take a beat.
//!
//! - A beat is taken while its lane's bit of `credit` is 1 and the lane has less than two beats here; `sent` says whose beats are taken, for their
//!   credits. A lane takes part from the next clock on; `waiting` has its bit until its last beat goes.
//! - Latency 2 clocks, of which the first takes the beat in; throughput one beat per clock, also from lane to lane; a marker takes a beat time.
//! - Ranks are known a beat time ahead: a lane that has waited AGE passes others a beat time later.
//! - Settings are those of VL_ARB and VL_EN. They may change at any time: PRIO counts from the third beat time on, AGE for waits that begin
//!   later.
//! - A lane that begins a packet within one, or goes on with none begun, is not noticed here: it is the receiver that finds
//!   such a sequence.
//! - `clear`: the stack is empty, all beats that were taken are gone; lanes have to begin with a new packet.
//!
//! # Receiver
//!
//! Keeps the same stack, finds the lane of every beat, and gives the beats with packet flits to one stream, each with what it is
//! above it: lane, number of packet flits, whether it begins or ends a packet. A RAM or `fab_packet_rx` per lane after a
//! demultiplexer of this stream needs nothing else.
//!
//! - A beat is for the lane that its slot 0 names (Head, HeadBad, VlMrkr), else for the top of the stack. Slots without packet flits
//!   are Idle after the receiver; beats without any are not given on.
//! - An error, with an event `stack_error` per beat: a head of a lane that has a packet in progress or is not built, a VlMrkr of
//!   a lane not in the stack, packet flits with an empty stack, a Tail whose copy of the length or whose place is not what the
//!   head said.
//! - An error, too, is a composition other than: packet flits from slot 0 up to the end of their packet or of the beat, no head and
//!   no VlMrkr in another slot, nothing but Idle and CrdtRet with a VlMrkr.
//! - `undefined` names the slots whose flit had an undefined opcode, which the link has made Idle. Where such a flit stands from slot 0 on, with only packet
//!   flits before it and no end of their packet, it counts as a flit of the packet that begins in the beat or is on top of the stack, and
//!   corrupts the beat.
//! - A packet with a wrong Tail ends with a TailBad of reason 4 in its place. With the other errors the packet of the lane in
//!   progress ends with such a TailBad alone in slot 0, and what comes of the lane up to its next legal head is tossed.
//! - `arrived` names lane and packet flits of every beat as it came, and how many of them are tossed: by it credits stay right also
//!   where sender and receiver do not agree. Flits of no lane or of one that is not built are not in it; they have no credit.
//! - HeadBad begins a packet without a length to compare, TailBad ends any packet.
//! - Latency 3 clocks; throughput one beat per clock. `beats_out.ready` low holds all stages.
//! - `clear`: the stack is empty, beats in work are gone; what comes up to the next head is an error.

mod arbiter;
mod classifier;
mod ends;
mod entry;
mod ingress;
mod kinds;
mod lengths;
mod ranks;
mod receive;
mod stack;
mod transmit;
mod waits;

pub use arbiter::{VlArbiter, RUN_BITS};
pub use classifier::{VlClassifier, FLITS_BITS};
pub use ends::VlEnds;
pub use entry::{build_rx_as, build_tx_as, RX_ENTRY, TX_ENTRY};
pub use ingress::VlIngress;
pub use kinds::{VlKinds, VL_BITS};
pub use lengths::VlLengths;
pub use ranks::{VlRanks, PRIORITIES_BITS};
pub use receive::{VlRx, LANE_BEAT_BITS, LANE_FLITS_BITS};
pub use stack::VlStack;
pub use transmit::VlTx;
pub use waits::{VlWaits, AGE_BITS};
