//! `time_hfi`: the time side of an HFI (chapter 20, 4.11), beside a `link_port`: a master, a slave of the trees that it is built for, or both, of different trees.
//!
//! ```text
//!  link_port                                             register bus, interrupt
//!   spc_out, rx_position ... ► TimeTap ── low, high ──►  TimeDevice ► sync, local, state, locked
//!                               │  ▲ markers, tx lag ──►   │   │ sync        ▲ window bus
//!   time_in ◄── X ◄── gate ◄────┘  └─ TimeMerge ◄── beats ─┘   ▼             ▼
//!   tx_position ...                                        PulsePerSecond ► pps   TimePortPage
//! ```
//!
//! - Registers: the time page with its device part, the windows of its trees and that of port 0 (PORT_SEL 0). `ack` 6 clocks after a request and more, see
//!   `time_page` and `time_port_page`.
//! - `spc_out` to the slave's sample 18 clocks, to the step of `sync` 62, of which 7 stand before plane R. A Low is offered to the link 4 clocks after the SyncTime at
//!   which it is due. `pps` 2 clocks after `sync`. Exact.
//! - Throughput: one beat of time flits per clock in each direction; Lows of a tree are 2^20 ns apart.
//! - Built for one role (`role`) it is smaller: a master has no slave, servo and windows of trees, a slave no generator; their registers read 0
//!   (4.11 rule 8). What is left is the same, clock for clock.
//! - A beat on `time_in` changes while it waits, and goes back where EPOCH_HOLD, GEN_EN = 0 or the gate say so.
//! - ROLE.UP_EN, ROLE.DN_EN, PATH and TX_WAIT are kept and do nothing. WRONG_SRC and TX_WAIT_OVER stay 0.
//! - `clear` as of the parts: what is on the way is dropped, times begin at 0, meters and the measurement begin anew, `pps` ends.
//!   Configuration, counters and epochs stay.
//!
//! | part | does |
//! |---|---|
//! | [`TimeMerge`] | the generator's beats and markers, in the order of plane X |
//! | [`PulsePerSecond`] | `pps` |

mod block;
mod config;
mod merge;
mod second;

pub use block::TimeHfi;
pub use config::{build_as, TimeHfiConfig, TimeRole, ENTRY};
pub use merge::TimeMerge;
pub use second::{PulsePerSecond, MAX_PULSE_CLOCKS};
