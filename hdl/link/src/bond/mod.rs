//! `link_bond`: two, three or four ports as one 8x, 12x or 16x link (chapter 10, 4.8).
//!
//! ```text
//!                     ┌─ BondTx ────────────────────┐
//! flits_in (B F) ────►│ Idles dropped, marked, dealt│───► shares_out[b] ─► port b
//!                     └──▲──────────────────────────┘
//!                        │ up                              state[b], renew[b] ◄─► port b
//!                     BondControl ─► restart
//!                     ┌──┴──────────────────────────┐
//! flits_out (B F) ◄───│ FIFO per port, put in order │◄─── shares_in[b] ◄─ port b
//!                     └─ BondRx ────────────────────┘     bond_index[b] ◄─ port b
//! side_out, side_place ◄─ BondSide ◄──────────────────── side_in[b], side_in_place[b] ◄─ port b
//! ```
//!
//! - A wide beat of B F flits is taken when all ports can take their share: port b gets flits b F to b F + F - 1. A wide beat of
//!   only Idles is dropped.
//!
//!   A share of only Idles, of illegal flits, which a port sends as Idles, or of SPC flits, which come out elsewhere, in a wide
//!   beat with something else goes as ForceIdles, which a port never drops, and comes back as Idles at the other end, so that all
//!   ports carry the same number of shares.
//!
//!   (Our reading: every flit of such a share is a ForceIdle, and every share of only
//!   ForceIdles comes back as Idles, whoever made it; shares with anything else in them are not touched.)
//! - The shares of a port wait in its FIFO until all ports have one. It holds 16 R / F + 2 shares at least, as many as a port can be ahead of another:
//!   R LTPs without acknowledgement and the two shares that wait at a port's ingress. `overflow` says that a share was lost all the same.
//! - Port p carries the shares that the other end dealt to its port `bond_index[p]`, as its training sets say, so cables may be crossed. Two ports
//!   with one index, or an index of no port, are an `order_error`; nothing is taken and nothing leaves.
//! - Up: all ports are Active or Degraded and the order is known. Retraining of a port holds the bond, and nothing is lost. A
//!   port that goes Down after it came to Init takes all others Down with `renew`, and so does an `overflow`: all begin afresh,
//!   what was on its way is lost, as it is on a port that goes Down.
//!
//!   So does a port that starts its numbers at 0 (`restarted`) after it was Active, without having been Down: its peer began
//!   afresh. The shares at the ports' ingress are forgotten; a port that had some gets an event `lost`, which its LOST_ON_RESET
//!   counts as one LTP. `restart` is high meanwhile, and 64 clocks longer, for a port still gives the LTP that it had accepted;
//!   above the bond it means what a port's `restart` does.
//! - Sideband messages of all ports come out one after the other as if of one port, for one `fab_credit_tx`. A message of 0 is left out. Towards
//!   the ports, one of them carries the messages of the one `fab_credit_rx`, the others carry none: nothing of that is in this block.
//! - `skew`: BOND_SKEW, the largest number of shares that waited for a port, since power-on or `clear_counters`; it lags by B clocks at most.
//!
//! Latency, first to last: wide beat taken to its shares offered 1 clock; last share to its wide beat 6 clocks. Throughput one wide beat per
//! clock. Messages: 2 clocks from the fourth LTP of a port to the first of four clocks with bits.
//! `clear`: Down, as `restart`, with counters kept; all ports go Down, and nothing is counted as lost.

mod control;
mod fill;
mod order;
mod receive;
mod share;
mod side;
mod transmit;

mod block;
mod config;

pub use block::{LinkBond1, LinkBond2, LinkBond4};
pub use config::{build_1_as, build_2_as, build_4_as, BondConfig, ENTRY};
pub use control::BondControl;
pub use fill::BondFill;
pub use order::BondOrder;
pub use receive::{BondRx1, BondRx2, BondRx4};
pub use share::{BondMark, BondUnmark};
pub use side::BondSide;
pub use transmit::{BondTx1, BondTx2, BondTx4};

/// Two ports of two flits per beat and 128 replay slots.
pub type LinkBond = LinkBond2<2, 260, 10, 11>;
