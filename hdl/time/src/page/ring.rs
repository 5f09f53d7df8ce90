//! `time_ring_page`: the window of a switch's rings.

use super::config::WindowBuild;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_registers as page;
use flitforge_protocol::time_servo::{INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS};

/// Bits of the number of events of a counter in a clock.
pub const RING_EVENT_BITS: usize = 8;

/// The registers and counters of a switch's rings (chapter 20, 5), in the ring's clock.
///
/// - A window of 32 words: `ack` 3 clocks after `request`, of a counter 5 to 20; see [`registers`](flitforge_hdl_prim::registers).
/// - `token_cmd_go`: a token is to be sent, with `token_cmd_src`, `.._target`, `.._ring` and `.._tag`; 2 clocks after the request.
/// - Outputs are registers.
#[register_page(
    flitforge_protocol::time_registers, "time_ring_page", address = 5, base = RING_CFG,
    only(RING_CFG, TOKEN_CMD, TOKEN_RES),
    counters(RING_COUNTERS, ORPHAN = 8, RING_BUSY = 8, RING_WAIT_OVER = 8, RING_PARITY = 8),
)]
pub struct TimeRingPage;

const _: () = assert!(RING_EVENT_BITS == 8 && page::ring_cfg::rper::WIDTH == PERIOD_BITS);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_ring_page",
    chapter: "20-time",
    summary: "registers and counters of a switch's rings",
    parameters: &[
        ParameterInfo::new(
            "rper",
            INC_NOM_DEFAULT >> (INC_BITS - PERIOD_BITS),
            Allowed::Range(1, (1 << PERIOD_BITS) - 1),
            "RPER at power-on, 2^-20 ns per ring clock; the default is 156.25 MHz",
        ),
        ParameterInfo::new("own_stop", 0, Allowed::Range(0, 63), "the switch's own clock stop"),
    ],
    presets: &[Preset { name: "default", values: &[] }],
    build: |settings| {
        let built = WindowBuild {
            rper: settings.get("rper")?,
            own_stop: settings.get("own_stop")?,
            started: Some(0),
        };
        built.check()?;
        Ok(BuiltBlock::new(
            TimeRingPage::new(&built)?,
            InterfaceInfo::clocked(&[], Some(3), "request to ack"),
        ))
    },
};
