//! `switch_node`: a switch with the ports of its links (chapter 10, 4.11 to 4.14).
//!
//! ```text
//!                       ┌─ FabLink p ──────────────────┐  ┌─ SwitchIngress p ─┐  ┌─ FabSwitch ────────────────────────────┐
//! rx[..] ──────────────►│ link_port ► fab_vl_rx        │─►│ up, lost, stop │─►│ lanes_in[p]   buffers, routes, grants  │
//!                       │             fab_credit_rx ◄──┼──│ AU, late       │◄─│ released[p]                            │
//!                       │             fab_credit_tx ───┼──┼────────────────┼─►│ credit[p], may_send[p]                 │
//! tx[..] ◄──────────────│ link_port ◄ CrdtRet ◄────────┼──┼────────────────┼──│ beats_out[p]  interleaver, fab_vl_tx   │
//!                       └──────────────────────────────┘  └────────────────┘  │ agent_in, agent_out  the internal port │
//!                                                                             └────────────────────────────────────────┘
//! ```
//!
//! - A port is that of `fab_port` without its packets ([`FabLink1`](flitforge_hdl_fabric::port::FabLink1)); [`SwitchIngress`](flitforge_hdl_fabric::switch::SwitchIngress)
//!   says when a link is up and when it has lost its state.
//! - Register bus: page p of 0x400 bytes is that of port p, page PORTS that of the switch; `addr` is a word of 8 bytes. One request at a time, taken
//!   in its first clock; `ack` comes one clock later than that of the page, 41 clocks after a request at most. A page that does not exist reads 0.
//! - VL_ARB and VL_EN of a port are those of its output. PKT_GOOD and PKT_BAD stay 0: no packet ends here. vAU has to be 3.
//! - Time flits have ports of their own for every link, as `link_port` has; the agent's packets go in and out at the internal port.
//! - A link that goes Down, or starts afresh: what was coming in ends with TailBad of reason 1; the rest of what was going out is taken off.
//!   Retraining changes nothing.
//! - A buffer that gets what was not granted: CREDIT_OVF, the link goes Down and comes up afresh. What lies in the buffers goes on.
//! - Latency, head in at a link's `flits_out` to its beat at another's `flits_in`, idle: 3 clocks of `fab_vl_rx`, 6 of the switch, 1 of `fab_credit_rx`.
//! - `clear`: all links Down, all buffers empty; registers, tables and counters stay.

mod bus;
mod config;
mod node;

pub use bus::{NodeBus, NODE_ADDRESS_BITS};
pub use config::{build_1_as, build_2_as, SwitchNodeConfig, ENTRY};
pub use node::{SwitchNode1, SwitchNode2};
