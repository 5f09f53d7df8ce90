//! `sue_regs` and `eth_port_regs`: the registers of scale-up Ethernet (chapter 50, 5), made from their descriptions
//! ([`flitforge_protocol::sue_registers`], [`flitforge_protocol::sue_port_registers`]).
//!
//! Bus: a request, with `write`, `address` (byte offset / 8) and `wdata`, is taken in its first clock, may be held until `ack`, and none is
//! taken until then. `rdata` is 0 but with `ack` of a read. A word that names nothing reads 0. The composition gives each page its part of the bus.
//!
//! | request | what it does | `ack` after clocks |
//! |---|---|---|
//! | a register | read or written; ports show a write 3 clocks after the request, pulses come then | 4 |
//! | COUNT, P_COUNT | read; a written 0 clears, other values do nothing | 7 to 46, of a port 7 to 54 |
//! | HIST | the same | 7 to 48 |
//! | TBL_DATA | `table` asks 2 clocks after the request; the write of a table that is only read is refused here | 1 after `table_answer` |
//! | EXT_DATA | read; `extract_taken` comes with `ack`, and not without it | 4 |
//!
//! - **Refused writes** leave the register as it is and raise CFG_BAD (of a port: `refused`): values outside of their range
//!   ([`Sizes::ranges`](flitforge_protocol::sue_registers::Sizes::ranges)), registers that are locked while `enable` is 1, an odd PACK_MAX, QLO above QHI,
//!   GEN_EN with the 6 B header, fewer than two lossless classes, requests and acknowledgments of one PCP or one virtual channel of CBFC, XON above
//!   XOFF, a frame to be injected below 14 octets or while another has not left, CMD with both failover and open. A pulse in a refused write does not come.
//!   `refused` of the pages of ports and of the management raises CFG_BAD, too.
//!   `refused` of other pages and of the management raises it as well.
//! - **Locked** is nearly everything, as the blocks want their settings to hold still. CTRL.enable, EVENT_EN, tables, commands and
//!   injection are not; of a port LLR is not.
//! - **Events**: EVENT has each event from the next clock on; one of the clock of its clearing wins. `interrupt` comes 2 clocks after an event. The first is
//!   captured with what `details` says in its clock, until its bit is written.
//! - **Counters** have 48 bits and stop at their largest value. Events go into accumulators that hold a whole round of the RAM ([`CounterRam`]):
//!   with `event_bits` E up to 2^E - 1 of each counter per clock, in every clock, 127 octets, and a body every 8 clocks. None is lost.
//! - `clear` forgets a request, which gets no `ack`; registers, counters and events stay. An answer of a table to it must not come.
//! - Throughput: one request in 5 clocks. Combinational: `ack` and `rdata` are two gates after registers.

mod capture;
mod config;
mod counter_ram;
mod crossing;
mod instance;
mod least_body;
mod port;
mod port_rules;
mod rules;
mod types;

pub use capture::{EventCapture, EVENTS};
pub use config::SueRegsConfig;
pub use counter_ram::{round_clocks, CounterRam, COUNTER_BITS, TURNS, TURN_CLOCKS};
pub use crossing::{PageCrossing, CROSSING_ENTRY};
pub use instance::{counted_place, SueRegisters, SueRegs, AMOUNTS, COUNTED, OCTETS_BITS, WORD_BITS};
pub use least_body::LeastBody;
pub use port::{
    port_counted_place, EthPortRegs, SuePortRegisters, PORT_AMOUNTS, PORT_AMOUNT_BITS, PORT_COUNTED,
    PORT_ENTRY, PORT_WORD_BITS,
};
pub use port_rules::PortRules;
pub use rules::RegsRules;
pub use types::*;

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_registers::Sizes;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_regs",
    chapter: "50-sue",
    summary: "register page of an instance: settings, events, counters",
    parameters: &[
        ParameterInfo::new(
            "event_bits",
            2,
            Allowed::Range(2, 4),
            "bits of the events of a counter in a clock",
        ),
        ParameterInfo::new("ports", 1, Allowed::OneOf(&[1, 2, 4]), "ports"),
        ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(2, 1024), "peers, a power of two"),
        ParameterInfo::new("slots", 32, Allowed::PowerOfTwo(4, 256), "replay slots, a power of two"),
        ParameterInfo::new("slot_bytes", 2048, Allowed::PowerOfTwo(512, 4096), "octets of a slot"),
        ParameterInfo::new("cells", 1024, Allowed::PowerOfTwo(64, 4096), "cells of the packer"),
        ParameterInfo::new("lite", 0, Allowed::OneOf(&[0, 1]), "1: SUE Lite"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "four", values: &[("event_bits", 4), ("ports", 4)] },
        Preset { name: "lite", values: &[("lite", 1)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let bits = settings.size("event_bits")?;
    shapes! {
        settings: (bits = bits) => build_as [bits, bits + 5 + bits / 3];
        presets { (2) (4) }
    }
}

/// Builds the block with these const parameters; see [`SueRegs`].
pub fn build_as<const E: usize, const W: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let sizes = Sizes {
        ports: settings.get("ports")?,
        slots: settings.get("slots")?,
        slot_bytes: settings.get("slot_bytes")?,
        cells: settings.get("cells")?,
        lite: settings.get("lite")? == 1,
    };
    let peer_bits = log2(settings.size("peers")?) as u64;
    let config = SueRegsConfig { sizes, peer_bits, ..SueRegsConfig::default() };
    let streams = [
        ("body_commands", FlowSink),
        ("table", FlowSource),
        ("table_answer", FlowSink),
        ("inject_words", FlowSource),
        ("inject", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(4), "request to ack");
    Ok(BuiltBlock::new(SueRegs::<E, W>::new(&config)?, interface))
}
