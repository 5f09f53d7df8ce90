//! The operator's side of the port's loopback: buttons, LEDs and serial console.

use super::super::port_line::{
    panel_config, PortOperator, PortPanelConfig, BUTTONS, PANEL_PARAMETERS, PANEL_PRESETS,
};
use super::PortLoopback;
use flitforge_hdl_prim::prelude::*;

/// `port_loopback_panel`: the port's loopback with everything a board connects to it, see [`PortOperator`].
///
/// `buttons` and `serial_in` may be asynchronous. `clear` starts all again; the port's counters stay.
#[block("port_loopback_panel", new)]
pub struct PortLoopbackPanel {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Push buttons, 1 while pressed, asynchronous.
    buttons: In<Bits<BUTTONS>>,
    /// Serial data in, asynchronous.
    serial_in: In<Bit>,
    /// Serial data out, idle 1.
    serial_out: Out<Bit>,
    /// LEDs.
    leds: Out<Bits<8>>,
    #[wire(clock, clear)]
    link: PortLoopback,
    #[wire(clock, clear)]
    operator: PortOperator,
}

#[logic]
impl PortLoopbackPanel {
    /// Everything, or the reason why a part cannot be built.
    pub fn new(config: PortPanelConfig) -> Result<Self, ConfigError> {
        Ok(Self { link: PortLoopback::new(&config.port)?, operator: PortOperator::new(config)?, .. })
    }

    fn update(&mut self) {
        operator = In { buttons, serial_in };
        Out { serial_out, leds } = operator;
        link = In { restart: operator.restart, lanes: operator.lanes, mode: operator.mode };
        link = In { inject: operator.inject, kill: operator.kill, restore: operator.restore };
        link.zero = operator.zero;
        operator = In { status: link.status, lane_masks: link.lane_masks, ltp_good: link.ltp_good };
        operator = In { ltp_bad: link.ltp_bad, replayed: link.replayed, rx_lanes: link.rx_lanes };
        operator = In { beat_wrong: link.beat_wrong, beat_gap: link.beat_gap };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "port_loopback_panel",
    chapter: "10-link",
    summary: "the port's loopback with buttons, LEDs, counters and serial console",
    parameters: PANEL_PARAMETERS,
    presets: PANEL_PRESETS,
    build: |settings| {
        let interface = InterfaceInfo::clocked(&[], None, "see the blocks it is made of");
        Ok(BuiltBlock::new(PortLoopbackPanel::new(panel_config(settings)?)?, interface))
    },
};
