//! `fab_vl_tx`: packets of several virtual lanes share the beats of a link (chapter 10, 4.9, sender, rules 1 to 4).
//!
//! Every lane is a stream of beats as `fab_packet_tx` makes them; the sender keeps a stack of the lanes with a packet in
//! progress and gives each beat time to one of them, or to a VlMrkr that brings a lane of the stack to its top. A beat
//! time is a clock in which `beats_out` can take a beat.
//!
//! - A lane takes part while it offers a beat and its bit of `credit` is 1.
//! - Latency 1 clock; throughput one beat per clock, also from lane to lane; a marker takes a beat time.
//! - Settings are those of VL_ARB and VL_EN. They may change at any time: PRIO and AGE count from the next clock on, AGE for waits that begin
//!   later.
//! - A lane that begins a packet within one, or goes on with none begun, is not noticed here: it is the receiver that finds
//!   such a sequence.
//! - `clear`: the stack is empty and the beat at the output is gone; lanes have to begin with a new packet.

mod chooser;
mod ends;
mod entry;
mod ranks;
mod transmit;
mod waits;

pub use chooser::{VlChooser, RUN_BITS};
pub use ends::VlEnds;
pub use entry::TX_ENTRY;
pub use ranks::{VlRanks, PRIORITIES_BITS};
pub use transmit::VlTx;
pub use waits::{VlWaits, AGE_BITS};
