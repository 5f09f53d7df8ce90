//! `time_switch`: the time side of a switch (chapter 20, 2): a `time_port` for each port, both rings with their tokens, and the registers.
//!
//! ```text
//!            register bus ─► page ─► windows of rings and ports
//!                              │ INC_NOM
//!  link 0 ─► port 0: time_port, window, entry ─ insertions ─► stop 0 ═╗
//!         ◄─                         ◄──────────── copies ───         ║ cw, ccw
//!  link 1 ─► port 1                         ◄─────────────► stop 1 ═══╣
//!   ...                                                        ...    ║
//!                                               (no port)   stop N-1 ═╝
//! ```
//!
//! - Port i stands at stop i, beside its `link_port`; stops without a port only forward. S = 1, a slot carries values (EMBED=VALUE). With
//!   `ring_ratio` M = 1 the ring clock is the core clock, else it is `ring_clock`, M times the core clock, of one PLL with it: each core edge is a
//!   ring edge, too. What stands between the clocks is in [`ring_gate`](crate::ring_gate).
//! - R to X of a Low with no wait: D(h) = 6 + floor((h + 1) / M) clocks, h hops from stop u to stop d on the ring of RING_SEL; from `spc_out` 7 more.
//!   Exact. With M > 1 a Low that meets another copy at its port waits for it, which its value says, or is dropped, RING_WAIT_OVER.
//! - Without a clock stop ([`TimeSwitch4`]) the switch forwards time and has none of its own. Its device part has TIME_ID, INC_NOM, EVENT, EVENT_MASK,
//!   PORT_SEL and REFUSED only; WPER and INC_F are INC_NOM, RPER is that of RING_CFG.
//! - With a clock stop at stop N-1 ([`TimeClockSwitch4`]) the device part is that of a `time_device`: the switch is master of a tree, follows one
//!   of the trees 0 to TREES - 1 as TREE_PRIO says, or both, of different trees. As a master its Lows are as those of a port whose plane R was L_EXT clocks before `tval`; as a slave
//!   its plane is the edge that loads the stop's core register.
//! - With M > 1 they are [`FastRingSwitch4`] and [`FastRingClockSwitch4`]. RPER at power-on is INC_NOM / M.
//! - Rings have 4, 8 or 16 stops: every size is a type of its own ([`TimeSwitch8`], [`TimeSwitch16`] and so on), for any number of ports up to
//!   that, less one for a clock stop. The registry builds some of them.
//! - [`TimeSwitchCompact4`] is for tree 0 alone and has no tokens: half the size of [`TimeSwitch4`].
//! - RING_BUSY counts insertions that had to wait; RING_WAIT_OVER also Lows and Highs that came while another waited at the same stop.
//! - `ack` 6 clocks after a request, of a counter of a window up to 23. A window that is not there reads 0.
//! - `clear` empties rings and ports as of the parts; configuration, counters, epochs and results stay.
//!
//! | part | does |
//! |---|---|
//! | [`SwitchPort`] | all that stands at one stop |
//! | [`RingEntry`] | from a port to both rings |
//! | [`SwitchCore4`], [`FastRingCore4`] and those of 8 and 16 stops | ports and rings with their windows |
//! | [`SwitchPage`] | register bus, the device's registers, without clock stop |
//! | [`ClockStop`] | from a device's generator to the rings, and back to its slave |

mod block;
mod clock;
mod config;
mod core;
mod entry;
mod page;
mod port;
mod stop;

pub use self::core::{FastRingCore16, FastRingCore4, FastRingCore8, SwitchCore16, SwitchCore4, SwitchCore8};
pub use block::{FastRingSwitch16, FastRingSwitch4, FastRingSwitch8};
pub use block::{TimeSwitch16, TimeSwitch4, TimeSwitch8, TimeSwitchCompact4};
pub use clock::{FastRingClockSwitch16, FastRingClockSwitch4, FastRingClockSwitch8};
pub use clock::{TimeClockSwitch16, TimeClockSwitch4, TimeClockSwitch8};
pub use config::{TimeSwitchConfig, ENTRY};
pub use entry::{RingEntry, INSERT_BITS};
pub use page::SwitchPage;
pub use port::SwitchPort;
pub use stop::{ClockStop, STOP_CLOCKS, STOP_DROPS};
