//! The two rings of a switch at a ring clock of M > 1 times the core clock, with the core's registers beside them (chapter 20, 4.4).
//!
//! ```text
//!   core clock                │            ring clock
//!   insertions of ports ──────┼─► gate ─────────────► stop ═╗
//!   copies, at core edges ◄───┼── gate ◄───────────── stop ═╣ cw, ccw
//!   counts of a core clock ◄──┼── tally ◄──── what happens ═╝
//!   bit that turns round ─────┼─► phase ─► core_edge
//! ```
//!
//! Both clocks come from one PLL, and every core edge is a ring edge. So nothing here is asynchronous: each path from one clock to the
//! other is timed like any other one, by the ring's period, and the clocks say nothing but *when* a register of the core looks at one
//! of the ring. The core's registers of chapter 20, 4.4 rule 7 are those of the ports.
//!
//! - Ports and latencies are those of the rings of `ring_token` at the core clock, but that an insertion taken at a core edge is at the port
//!   `h` hops on with the core edge floor((h S + 1) / M) + 1 core clocks later, exact. Insertions are taken, and copies land, at core edges.
//! - One copy of each ring lands at a port in a core clock. Up to M can come; those behind wait as [`RingGate`] says, and their wait is in
//!   their value.
//! - `busy` and `wait_over` are in the core clock after that in which they were, `orphans` too, and `dropped` 1 later: these count.
//! - `command` enters at the core edge that ends its core clock; the results stand 1 core clock later than in the ring. Cycles are ring cycles.
//!   A token, too, enters first at a core edge: it may wait at its target without other traffic, and C says how long.
//! - `clear` is that of the core clock, all through it.
//!
//! | part | does |
//! |---|---|
//! | [`RingPhase`] | which ring edges are core edges |
//! | [`RingGate`] | insertions and copies of one stop of one ring |
//! | [`RingTally`], [`RingSeen`] | events of ring clocks, in core clocks |
//! | [`GatedRing4`], [`GatedRing8`], [`GatedRing16`] | both rings with all that, wired |

mod gate;
mod phase;
mod rings;
mod tally;

pub use gate::{RingGate, GATE_EVENTS};
pub use phase::RingPhase;
pub use rings::{GatedRing16, GatedRing4, GatedRing8};
pub use tally::{RingSeen, RingTally, TALLY_BITS};
