//! A port with test traffic and its operator's side, ready for any lane PHY.

use super::{PortLine, PortOperator, PortPanelConfig, BUTTONS};
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;

/// `port_line_panel`: the port with everything a board connects to it but the PHY, see [`PortOperator`].
///
/// `buttons` and `serial_in` may be asynchronous. `clear` starts all again; the port's counters stay.
#[block("port_line_panel", new)]
pub struct PortLinePanel {
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
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; 4],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; 4],
    /// Lanes sent on, for the PHY.
    tx_lanes: Out<Bits<4>>,
    /// Lanes the PHY is to invert.
    invert: Out<Bits<4>>,
    /// Pulse per lane: the PHY is to move the word boundary by one bit.
    slip: Out<Bits<4>>,
    /// Lanes on which the PHY has a signal.
    signal_ok: In<Bits<4>>,
    /// Lanes on which the PHY has found the word boundary.
    lane_lock: In<Bits<4>>,
    /// Pulse: a lane FIFO of the PHY ran over or empty.
    elastic_error: In<Bit>,
    #[wire(clock, clear)]
    link: PortLine,
    #[wire(clock, clear)]
    operator: PortOperator,
}

#[logic]
impl PortLinePanel {
    /// Everything, or the reason why a part cannot be built.
    pub fn new(config: PortPanelConfig) -> Result<Self, ConfigError> {
        Ok(Self { link: PortLine::new(&config.port)?, operator: PortOperator::new(config)?, .. })
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
        Out { tx_lanes, invert, slip } = link;
        link = In { signal_ok, lane_lock, elastic_error };
        for i in 0..4 {
            link(tx[i], link.tx[i]);
            link(rx[i], link.rx[i]);
        }
    }
}
