//! `fab_switch`: packets from every port to every port, cut through virtually (chapter 10, 4.11).
//!
//! Every input gives the beats of its link sorted by virtual lane, with what each is above it (`lane_beat`: lane, number of
//! packet flits, whether it ends or begins a packet), as `fab_vl_rx` does; every output gives beats and markers for its link, by
//! an interleaver as `fab_vl_tx`.
//!
//! Between them lies one plane per lane: a buffer in block RAM for each input, a grant per output, and a crossbar of beats; a
//! lane never changes on the way. The internal port, number PORTS, belongs to the management agent: `agent_in` has the output
//! port of the packet above each beat, `agent_out` the input it came in at, by lane.
//!
//! - A head is granted when its output's lane is free and `credit` has room for the whole packet (an AU has 64 bytes). Inputs take
//!   turns. A beat counts in `credit` at most 3 clocks after it has gone; as long as beats of the lane are under way, 12 AU more are asked for.
//! - `released`: an AU of the input's lane is free. `may_send`: there is credit for the next beat of a lane; a beat that has passed the crossbar with
//!   it waits in the interleaver for its turn.
//! - Routes, LIFE, ADAPT_VL, MARK_AU and counters are the page of section 5 (`bus`, see [`SwitchPage`]).
//! - A miss, an address above ADDR_W, a length above the MTU, a port that is down: the packet is taken off, event `no_route`.
//! - A beat of a lane that is not built is taken and thrown away.
//! - LIFE is counted in sixteenths: what waits or stands still is given up after a LIFE and at most a sixteenth more. Below 16: off.
//! - `lost`: the link of a port has lost its state. What was coming in ends with TailBad of reason 1. An output is empty while its `up` is 0.
//! - Latency 6 clocks from a head at `lanes_in` to `beats_out.valid`, switch idle: buffer 1, route 2, grant 1, crossbar into the interleaver
//!   1, out 1. Throughput one beat per clock and output.
//! - `clear`: all buffers and outputs are empty; the register page stays as it is.

mod age;
mod assembly;
mod buffer;
mod counts;
mod entry;
mod grant;
mod head;
mod ingress;
mod lane;
mod occupancy;
mod page;
mod plane;
mod routes;
pub mod word;

pub use age::{SwitchAge, SwitchTicks, LIFE_BITS};
pub use assembly::FabSwitch;
pub use buffer::SwitchBuffer;
pub use counts::{SwitchCounts, WORD_ADDRESS_BITS};
pub use entry::{build_as, ENTRY};
pub use grant::{SwitchGrant, SwitchUsable, MARGIN_UNITS};
pub use head::SwitchHead;
pub use ingress::SwitchIngress;
pub use lane::{LaneConfig, SwitchLane};
pub use occupancy::{SwitchOccupancy, CREDIT_BITS, UNIT_FLITS};
pub use page::{SwitchPage, SwitchRegisters};
pub use plane::SwitchPlane;
pub use routes::{SwitchRoutes, ENTRY_BITS};
