//! `link_bonded_port`: two ports of the fabric link and their `link_bond`, as one wide port (chapter 10, 4.8).
//!
//! ```text
//! flits_in ──►┌───────────┐─ shares_out[0] ─►┌─────────────┐─► tx, rx of the lanes of link 0
//!             │ link_bond │◄─ shares_in[0] ──│ link_port 0 │
//! flits_out ◄─│           │◄ state, restart,─│             │◄── register page 0
//!             │           │   bond index     └─────────────┘
//! side_out ◄──│           │── renew ────────►┌─────────────┐─► link 1
//!             └───────────┘       ...        │ link_port 1 │◄── register page 1
//!                                            └─────────────┘
//! ```
//!
//! - A wide beat of B F flits goes over all links, F flits over each, exactly once and in order, whatever each of them retries; a share of
//!   only Idles goes as ForceIdles, so that the shares stay in step. SPC flits do not belong into a wide beat: a share of
//!   only such flits goes as ForceIdles too. They go by `time_in` of one link and come out at `spc_out` of the link it is joined to.
//! - The training sets of link b say that it is part of a bond (so the CRC mode is 1) and has bond index b; `link_bond` sorts what comes by
//!   the index that each link receives, so cables may be crossed.
//! - `up`: all links are Active or Degraded. If one of them goes Down, or begins its numbers afresh after it was Active, all of
//!   them go Down and come up afresh, if their CTRL.enable is given; `restart` is high until the last of them has been Down, and means
//!   above the bond what a port's `restart` does: credits start at 0, open packets end.
//! - A fall of the bond loses the LTPs that its ports have not got acknowledged and the shares at their ingress. Each link counts its own in
//!   LOST_ON_RESET: the LTPs when it starts, the shares at its ingress, one or two, as one LTP more in the clock in which the bond falls.
//! - A flit that a port received with an undefined opcode is Idle, and `undefined` says where it stood in the wide beat. Such a share is passed on
//!   even if all of it is Idle by that, or the shares of the links would not fit together any more; after the port the flit has an opcode that
//!   no port gives, and is Idle again after the bond.
//! - `begins`: link 0, whose registers count for the credits, starts its numbers at 0. It does so after every fall of the bond, as before the first time it is up, before
//!   a wide beat or a message of the peer can come that was sent while the peer's bond was up.
//! - Sideband: `side_in` goes out with the LTPs of link 0 (`ltp_start`, `tx_seq`); the messages of all links come out of `side_out` one
//!   after the other, so that one `fab_credit_rx` and one `fab_credit_tx` serve the bond. Their registers are those of page 0.
//! - Registers: a page of 0x400 bytes for each link, link 0 first; another page reads 0. STATUS.bonded is 1, BOND_SKEW the same on all.
//! - Latency, flit in to flit out without the PHY, all links alike: that of the port and 1 + 6 clocks for the bond. Throughput: one wide beat
//!   per clock, or what the slowest link carries. `clear`: Down, as for a port; counters stay. `clear_counters` is for BOND_SKEW.
//! - A bad input of a link is dealt with by its port; the lane test of chapter 30 is for ports that are not bonded.

mod block;
mod config;

pub use block::{LinkBondedPort1, LinkBondedPort2};
pub use config::{build_1_as, build_2_as, BondedConfig, BOND_CLOCKS, ENTRY};

/// Two links of four lanes, two flits per beat and 128 replay slots.
pub type LinkBondedPort = LinkBondedPort2<7, 10, 11>;
/// Two links of one lane, one flit per beat and 16 replay slots.
pub type LinkBondedPortSmall = LinkBondedPort1<4, 8, 9>;

use flitforge_protocol::flit::{LT_OPCODE_FIRST, LT_OPCODE_LAST};

/// Bits that tell the page of a link on the register bus.
pub const PAGE_SELECT_BITS: usize = 2;
/// Bits of a word's address on the register bus: the link's page above the word of the page.
pub const BUS_ADDRESS_BITS: usize = PAGE_SELECT_BITS + super::regs::WORD_ADDRESS_BITS;
/// Opcode of a flit on its way from a port to its wide beat that came with an undefined one: none of those that a port gives has this bit.
const UNDEFINED_MARK: u8 = 0x20;

const _: () = assert!(LT_OPCODE_FIRST & UNDEFINED_MARK != 0 && LT_OPCODE_LAST & UNDEFINED_MARK != 0);
