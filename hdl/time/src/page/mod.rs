//! `time_page`: the register page of a device's time (chapter 20, 5), made from its description
//! ([`flitforge_protocol::time_registers`]).
//!
//! [`TimePage`] has the register bus and the registers of the device. Those of a tree, of a port and of the rings are *windows*: rooms of
//! their own, which stand where their signals are, and answer over the window bus. So a device has as many of them as it was
//! built with; a window that is not there reads 0, and writes to it do nothing.
//!
//! - Bus as in chapter 10, 5: `request` with `write`, `address`, a word of the page (byte offset / 8), and
//!   `wdata`; it is taken in its first clock, may be held until `ack`, and none is taken until then. `rdata` is 0 on a write and at all
//!   other times.
//! - `ack` comes 6 clocks after the request; of a counter 8 to 23, because it waits for its turn; of GEN_CFG's write 14,
//!   because it is checked; of a write that `time_source` carries out when that is ready for the next one, so what is read then
//!   is what was written. A read shows status of 4 clocks after the request, LOCAL_TIME of 3.
//! - Window bus: `word`, `write` and `data` stand from the request on until the next one. 2 clocks after the request one of `to_tree`,
//!   `to_ring` and `to_port` asks; the window answers for one clock, whenever it likes, and shows 0 else. `ack` comes 1 clock
//!   after the answer. Registers may stand in both directions.
//! - A read of LOCAL_TIME loads the shadow set: LocalTime, SyncTime, SYNC_EPOCH and servo state of one edge. Everything else of it is read
//!   from there.
//! - SET_CMD with both bits is `set`. It makes `new_era` stand until SyncTime has stepped.
//! - A HIGH_EVERY of 0, or one that is too rare, is refused (GEN_CFG keeps its value), as is what `time_source` and ports refuse: REFUSED.
//! - Outputs are registers, or parts of them; `rdata` and `source_write.data` are a gate after registers.
//! - `clear` keeps configuration, events and counters. A request of that clock is not taken; one on its way gets no `ack`, and whether it
//!   was carried out hangs on how far it was.
//!
//! | file | does |
//! |---|---|
//! | `device` | the device's registers |
//! | `bus` | the register bus and the window bus |
//! | `offer` | writes that `time_source` carries out |
//! | `tree`, `port`, `ring` | the windows |
//! | `check` | may GEN_CFG be so? |
//! | `config` | what was built |

mod bus;
mod check;
mod config;
mod device;
mod offer;
mod port;
mod ring;
mod tree;

pub use bus::PageBus;
pub use check::GenCheck;
pub use config::{TimePageConfig, WindowBuild, MAX_PORTS};
pub use device::{TimePage, TimeRegisters};
pub use offer::{SourceOffer, SOURCE_WORDS};
pub use port::{TimePortPage, ENTRY as PORT_ENTRY, EVENT_BITS, PORT_COUNTERS};
pub use ring::{TimeRingPage, ENTRY as RING_ENTRY, RING_EVENT_BITS};
pub use tree::{TimeTreePage, ENTRY as TREE_ENTRY, TREE_WORD_BITS};

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{GEN_PERIOD_DEFAULT, MAX_TREES};
use flitforge_protocol::time_registers::{gen_cfg, port_sel};
use flitforge_protocol::time_servo::{INC_BITS, INC_NOM_DEFAULT};

/// Bits that address a word of the largest window.
pub const WORD_BITS: usize = 5;
/// Bits that address a word of the page.
pub const PAGE_WORD_BITS: usize = 8;
/// Bits of PORT_SEL.
pub const PORT_BITS: usize = port_sel::port::WIDTH;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_page",
    chapter: "20-time",
    summary: "register bus and registers of a device's time",
    parameters: &[
        ParameterInfo::new(
            "inc_nom",
            INC_NOM_DEFAULT,
            Allowed::Range(1, (1 << INC_BITS) - 1),
            "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
        ),
        ParameterInfo::new(
            "period",
            GEN_PERIOD_DEFAULT,
            Allowed::Range(1, (1 << gen_cfg::period::WIDTH) - 1),
            "GEN_PERIOD for which the gains are made, 2^20 ns",
        ),
        ParameterInfo::new("trees", 1, Allowed::Range(1, MAX_TREES as u64), "trees with a window"),
        ParameterInfo::new("ports", 1, Allowed::Range(0, MAX_PORTS), "ports with a window"),
        ParameterInfo::new(
            "stops",
            0,
            Allowed::Range(0, MAX_PORTS),
            "stops of the rings; 0: no window for them",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "switch", values: &[("trees", 4), ("ports", 8), ("stops", 8)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = TimePageConfig {
        inc_nom: settings.get("inc_nom")?,
        period: settings.get("period")?,
        trees: settings.get("trees")?,
        ports: settings.get("ports")?,
        stops: settings.get("stops")?,
        ..TimePageConfig::default()
    };
    let streams = [
        ("tree_answer", FlowSink),
        ("ring_answer", FlowSink),
        ("port_answer", FlowSink),
        ("source_write", StreamSource),
        ("start", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(6), "request to ack");
    Ok(BuiltBlock::new(TimePage::new(&config)?, interface))
}
