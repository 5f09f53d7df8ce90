//! A port with test traffic and its operator's side, ready for any lane PHY.

use super::{PortLine, PortOperator, PortPanelConfig, BUTTONS};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::prim::stream::{FlowIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// `port_line_panel`: the port with everything a board connects to it but the PHY, see [`PortOperator`].
///
/// `buttons` and `serial_in` may be asynchronous. `clear` starts all again; the port's counters stay.
#[derive(LogicBlock)]
pub struct PortLinePanel {
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
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; 4],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; 4],
    /// Lanes sent on, for the PHY.
    pub tx_lanes: Signal<Out, Bits<4>>,
    /// Lanes the PHY is to invert.
    pub invert: Signal<Out, Bits<4>>,
    /// Pulse per lane: the PHY is to move the word boundary by one bit.
    pub slip: Signal<Out, Bits<4>>,
    /// Lanes on which the PHY has a signal.
    pub signal_ok: Signal<In, Bits<4>>,
    /// Lanes on which the PHY has found the word boundary.
    pub lane_lock: Signal<In, Bits<4>>,
    /// Pulse: a lane FIFO of the PHY ran over or empty.
    pub elastic_error: Signal<In, Bit>,
    link: PortLine,
    operator: PortOperator,
}

impl PortLinePanel {
    /// Everything, or the reason why a part cannot be built.
    pub fn new(config: PortPanelConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            buttons: Default::default(),
            serial_in: Default::default(),
            serial_out: Default::default(),
            leds: Default::default(),
            tx: Default::default(),
            rx: Default::default(),
            tx_lanes: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            signal_ok: Default::default(),
            lane_lock: Default::default(),
            elastic_error: Default::default(),
            link: PortLine::new(&config.port)?,
            operator: PortOperator::new(config)?,
        })
    }
}

impl Logic for PortLinePanel {
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
        self.tx_lanes.next = self.link.tx_lanes.val();
        self.invert.next = self.link.invert.val();
        self.slip.next = self.link.slip.val();
        self.link.signal_ok.next = self.signal_ok.val();
        self.link.lane_lock.next = self.lane_lock.val();
        self.link.elastic_error.next = self.elastic_error.val();
        for i in 0..4 {
            StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.link.tx[i]);
            FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.link.rx[i]);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_line_panel", &[])
    }
}

drive_ports!(impl[] PortLinePanel {
    clock, clear, buttons, serial_in, serial_out, leds, tx, rx, tx_lanes, invert, slip, signal_ok, lane_lock, elastic_error,
});
