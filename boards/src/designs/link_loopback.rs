//! `link-loopback`: a whole port of the link on one FPGA, looped onto itself, with buttons, LEDs and serial console.

use super::{Design, DesignError};
use crate::board::Board;
use crate::platform::{Ecp5Pll, Ecp5PllConfig};
use flitforge_base::prelude::*;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::node::port_loopback::{PortLoopbackPanel, PortPanelConfig};
use flitforge_hdl::prim::synchronizer::ResetSynchronizer;
use flitforge_hdl::prim::uart::UartConfig;

/// Oscillator of the board in hertz.
const OSCILLATOR_HZ: u64 = 25_000_000;
/// Core clock in hertz.
const CORE_HZ: u64 = 100_000_000;
/// Serial port in baud.
const BAUD: u64 = 115_200;
/// Button period: one millisecond.
const DEBOUNCE: u64 = CORE_HZ / 1_000;
/// Console period: a quarter of a second.
const INTERVAL: u64 = CORE_HZ / 4;

/// Flits per beat, lanes and replay slots of the port.
const PORT: (usize, usize, usize) = (2, 4, 128);

/// The design.
pub const DESIGN: Design = Design {
    name: "link-loopback",
    summary:
        "one port with retry, training and lane removal, looped on one FPGA; console, lanes killed by button",
    boards: &["ulx3s-85f"],
    clocks: &[],
    effort: "standard",
    build: |_: &Board| {
        let mut top = Ulx3sLinkLoopback::new()?;
        top.connect_all();
        Ok(Box::new(top))
    },
};

/// Top level on ULX3S. FIRE1 injects an error, FIRE2 kills a lane, UP restores all lanes, DOWN restarts everything.
#[derive(LogicBlock)]
struct Ulx3sLinkLoopback {
    clk_25mhz: Signal<In, Clock>,
    btn: Signal<In, Bits<6>>,
    ftdi_txd: Signal<In, Bit>,
    ftdi_rxd: Signal<Out, Bit>,
    led: Signal<Out, Bits<8>>,
    wifi_gpio0: Signal<Out, Bit>,
    pll: Ecp5Pll,
    reset: ResetSynchronizer,
    panel: PortLoopbackPanel,
}

impl Ulx3sLinkLoopback {
    fn new() -> Result<Self, DesignError> {
        let (flits, lanes, slots) = PORT;
        let panel = PortPanelConfig {
            uart: UartConfig { clock_hz: CORE_HZ, baud: BAUD },
            debounce: DEBOUNCE,
            interval: INTERVAL,
            port: PortConfig::new(flits, lanes, slots),
        };
        Ok(Self {
            clk_25mhz: Default::default(),
            btn: Default::default(),
            ftdi_txd: Default::default(),
            ftdi_rxd: Default::default(),
            led: Default::default(),
            wifi_gpio0: Default::default(),
            pll: Ecp5Pll::new(Ecp5PllConfig { input_hz: OSCILLATOR_HZ, output_hz: CORE_HZ })?,
            reset: ResetSynchronizer::new()?,
            panel: PortLoopbackPanel::new(panel)?,
        })
    }
}

impl Logic for Ulx3sLinkLoopback {
    #[hdl_gen]
    fn update(&mut self) {
        self.pll.clock_in.next = self.clk_25mhz.val();
        self.reset.clock.next = self.pll.clock_out.val();
        self.reset.reset.next = !self.pll.locked.val() | self.btn.val().get_bit(3);
        self.panel.clock.next = self.pll.clock_out.val();
        self.panel.clear.next = self.reset.clear.val();
        self.panel.buttons.next = self.btn.val().get_bits::<3>(0);
        self.panel.serial_in.next = self.ftdi_txd.val();
        self.ftdi_rxd.next = self.panel.serial_out.val();
        self.led.next = self.panel.leds.val();
        self.wifi_gpio0.next = true;
    }
}
