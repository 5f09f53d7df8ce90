//! `link_port`: one port of the fabric link (chapter 10, 4.2 to 4.7 and 5): flits in, lanes out, and back, with training,
//! retry, lane removal and the register page.
//!
//! ```text
//!            ┌─ PortTransmit ─────────────┐      ┌─ LinkLanes ──────────────┐
//! flits_in ─►│ link_retry_tx ► gearbox_tx │─rows─►│ link_lane_tx             │─► tx[l]
//! time_in    └──▲─────────────────────────┘      │       ▲                  │    lane PHYs
//!               │ requests, Init, round trip     │   link_train             │
//! flits_out ◄┌──┴─ PortReceive ───────────┐      │       ▼                  │
//! spc_out    │ link_ltp_rx ◄── gearbox_rx │◄rows──│ link_lane_rx             │◄─ rx[l]
//!            └──┬─────────────────────────┘   │  └───▲──────────────────────┘
//!               ▼ verdicts                    │      │ run, retrain, give_up ...
//!            PortHealth ◄─────────────────────┘  PortControl ◄── PortPage ◄── register bus
//! ```
//!
//! | part | does |
//! |---|---|
//! | [`PortTransmit2`] | `link_retry_tx` and the gearbox |
//! | [`PortInject`] | wrong bits on request of register INJECT |
//! | [`PortReceive2`] | the gearbox and `link_ltp_rx` |
//! | [`LinkLanes`](super::train::LinkLanes) | lanes and training |
//! | [`PortHealth`] | `link_isolate` and `link_degrade` |
//! | [`LinkBitIsolate`](super::bit_isolate::LinkBitIsolate) | with `bits`: every wrong bit of a bad LTP |
//! | [`LinkProbation`](super::probation::LinkProbation) | with `probation`, in `LinkLanes`: lanes that are not used, and their way back |
//! | [`PortControl`] | what the state means for retry, and what asks for Retraining or Down |
//! | [`PortLimits`] | REINIT_LIMIT of the receiver |
//! | [`PortPage`] | `link_regs`, and what stands on the page |
//! | [`LinkPortCompact`] | with `registers = 0`: the port of one lane and one flit per beat without its registers, isolation and injector, for designs in which many ports share a device |
//! | [`LinkPosition`](flitforge_hdl_link_types::position::LinkPosition) | line positions and word counts for chapter 20 |
//!
//! The port comes up by itself once CTRL.enable is set. The flit side is that of 4.1 to 4.3, so that packets, virtual
//! lanes and credits can be put in front of it. LTP modes 0 and 1 are built, on request ([`CrcModes`]) 2 and 3 too.
//!
//! - One clock, the core clock: only the FIFOs of the PHY cross to the lanes' clocks. It is for the design around the port
//!   to keep the clock rule of chapter 10, 2; a PHY that breaks it says `elastic_error`.
//! - Latency, flit in to flit out without the PHY, on all lanes, no error: LAT.to_lane + LAT.from_lane clocks, one more by
//!   the phase between beats and rows, another next to an ALN row: 23 or 24 at F = 2, L = 4 with `phy_loop`, and 25.
//!   In modes 2 and 3 it is 3 clocks more, which LAT does not show.
//! - Throughput: one beat per clock, or what the lanes carry: 16 flits in 33 words, in modes 2 and 3 in 34, one row in
//!   4097 being ALN.
//! - Entering Active: when the exchange of Init is over, `init_done` brings `link_train` to Active, the receiver may ask for
//!   replays, and the transmit side begins with its RetryMrkr pair. Leaving it, for whatever reason, stops all of
//!   retry within a clock; buffer, pointers and NxtRx stay, and the next Init begins where they stand.
//! - CTRL.disable, and CTRL.enable = 0: Down. The next start is fresh: what was not acknowledged counts as LOST_ON_RESET.
//! - `clear`: Down, all numbers 0, epoch 0; one clock. Registers, events, counters and LINK_EPOCH stay, CTRL.enable among
//!   them, so the port comes up again.
//! - Bad input does not get further than its row of chapter 10, 6.

mod block;
mod compact;
mod config;
mod control;
mod fields;
mod health;
mod inject;
mod limits;
mod page;
mod receive;
mod transmit;

pub use super::ltp_wide::CrcModes;
pub use block::{LinkPort1, LinkPort2, LinkPort4, LinkPortBits2};
pub use compact::LinkPortCompact;
pub use config::{build_1_as, build_2_as, build_4_as, build_bits_2_as, build_compact_as};
pub use config::{PortConfig, ENTRY};
pub use control::{PortControl, CHANGES, CONTROL_COUNTERS, CONTROL_EVENTS};
pub use health::{PortHealth, HEALTH_COUNTERS, HEALTH_EVENTS};
pub use inject::PortInject;
pub use limits::PortLimits;
pub use page::{PortPage, FABRIC_COUNTERS, FABRIC_EVENTS};
pub use receive::{
    PortReceive1, PortReceive2, PortReceive4, PortReceiveLane, RECEIVE_COUNTERS, RECEIVE_EVENTS,
};
pub use transmit::{PortTransmit1, PortTransmit2, PortTransmit4, TRANSMIT_COUNTERS, TRANSMIT_EVENTS};

/// Four lanes, two flits per beat, 128 replay slots.
pub type LinkPort = LinkPort2<4, 7, 10>;
/// The same with all CRC modes.
pub type LinkPortAll = LinkPort2<4, 7, 10, 1>;
/// One lane, one flit per beat, 16 replay slots.
pub type LinkPortSmall = LinkPort1<1, 4, 8>;
/// The same without registers.
pub type LinkPortSmallCompact = LinkPortCompact<4, 8>;
