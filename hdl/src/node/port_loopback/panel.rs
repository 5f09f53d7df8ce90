//! The operator's side of the port's loopback: buttons, LEDs and serial console.

use super::super::port_line::{
    panel_config, PortOperator, PortPanelConfig, BUTTONS, PANEL_PARAMETERS, PANEL_PRESETS,
};
use super::PortLoopback;
use crate::config::ConfigError;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// `port_loopback_panel`: the port's loopback with everything a board connects to it, see [`PortOperator`].
///
/// `buttons` and `serial_in` may be asynchronous. `clear` starts all again; the port's counters stay.
#[derive(LogicBlock)]
pub struct PortLoopbackPanel {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Push buttons, 1 while pressed, asynchronous.
    pub buttons: Signal<In, Bits<BUTTONS>>,
    /// Serial data in, asynchronous.
    pub serial_in: Signal<In, Bit>,
    /// Serial data out, idle 1.
    pub serial_out: Signal<Out, Bit>,
    /// LEDs.
    pub leds: Signal<Out, Bits<8>>,
    link: PortLoopback,
    operator: PortOperator,
}

impl PortLoopbackPanel {
    /// Everything, or the reason why a part cannot be built.
    pub fn new(config: PortPanelConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            buttons: Default::default(),
            serial_in: Default::default(),
            serial_out: Default::default(),
            leds: Default::default(),
            link: PortLoopback::new(&config.port)?,
            operator: PortOperator::new(config)?,
        })
    }
}

impl Logic for PortLoopbackPanel {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, link, operator);
        self.operator.buttons.next = self.buttons.val();
        self.operator.serial_in.next = self.serial_in.val();
        self.serial_out.next = self.operator.serial_out.val();
        self.leds.next = self.operator.leds.val();
        self.operator.clear.next = self.clear.val();
        self.link.clear.next = self.clear.val();
        self.link.restart.next = self.operator.restart.val();
        self.link.lanes.next = self.operator.lanes.val();
        self.link.mode.next = self.operator.mode.val();
        self.link.inject.next = self.operator.inject.val();
        self.link.kill.next = self.operator.kill.val();
        self.link.restore.next = self.operator.restore.val();
        self.link.zero.next = self.operator.zero.val();
        self.operator.status.next = self.link.status.val();
        self.operator.lane_masks.next = self.link.lane_masks.val();
        self.operator.ltp_good.next = self.link.ltp_good.val();
        self.operator.ltp_bad.next = self.link.ltp_bad.val();
        self.operator.replayed.next = self.link.replayed.val();
        self.operator.rx_lanes.next = self.link.rx_lanes.val();
        self.operator.beat_wrong.next = self.link.beat_wrong.val();
        self.operator.beat_gap.next = self.link.beat_gap.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_loopback_panel", &[])
    }
}

drive_ports!(impl[] PortLoopbackPanel { clock, clear, buttons, serial_in, serial_out, leds });

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
