//! `sue-pair`: two XPU ports of scale-up Ethernet back to back on one FPGA, with test traffic and wrong bits; registers over the serial port.

use super::{Design, DesignError};
use crate::board::Board;
use crate::platform::{Ecp5Pll, Ecp5PllConfig};
use flitforge_base::prelude::*;
use flitforge_hdl::node::register_line::RegisterLineConfig;
use flitforge_hdl::prim::synchronizer::ResetSynchronizer;
use flitforge_hdl::prim::uart::UartConfig;
use flitforge_hdl::sue_node::pair::SuePair;

/// Oscillator of the board in hertz.
const OSCILLATOR_HZ: u64 = 25_000_000;
/// Core clock in hertz: 64 bits per clock are 1.6 Gb/s.
const CORE_HZ: u64 = 25_000_000;
/// Serial port in baud: 25 clocks a bit, and within the USB bridge's 3 Mbaud.
const BAUD: u64 = 1_000_000;
/// Clocks a device may take to answer.
const LIMIT: u64 = 255;

/// The design.
pub const DESIGN: Design = Design {
    name: "sue-pair",
    summary: "two ports of scale-up Ethernet back to back: test traffic, wrong bits, registers over the serial port",
    boards: &["ulx3s-85f"],
    clocks: &[],
    effort: "dense",
    build: |_: &Board| {
        let mut top = Ulx3sSuePair::new()?;
        top.connect_all();
        Ok(Box::new(top))
    },
};

/// Top level on ULX3S. DOWN restarts everything. LEDs 0 and 1: ports up, 2 and 3: commands come, 6 and 7: a command came wrong.
#[derive(LogicBlock)]
struct Ulx3sSuePair {
    clk_25mhz: Signal<In, Clock>,
    btn: Signal<In, Bits<6>>,
    ftdi_txd: Signal<In, Bit>,
    ftdi_rxd: Signal<Out, Bit>,
    led: Signal<Out, Bits<8>>,
    wifi_gpio0: Signal<Out, Bit>,
    pll: Ecp5Pll,
    reset: ResetSynchronizer,
    pair: SuePair,
}

impl Ulx3sSuePair {
    fn new() -> Result<Self, DesignError> {
        let line = RegisterLineConfig { uart: UartConfig { clock_hz: CORE_HZ, baud: BAUD }, limit: LIMIT };
        Ok(Self {
            clk_25mhz: Default::default(),
            btn: Default::default(),
            ftdi_txd: Default::default(),
            ftdi_rxd: Default::default(),
            led: Default::default(),
            wifi_gpio0: Default::default(),
            pll: Ecp5Pll::new(Ecp5PllConfig { input_hz: OSCILLATOR_HZ, output_hz: CORE_HZ })?,
            reset: ResetSynchronizer::new()?,
            pair: SuePair::new(&line)?,
        })
    }
}

impl Logic for Ulx3sSuePair {
    #[hdl_gen]
    fn update(&mut self) {
        self.pll.clock_in.next = self.clk_25mhz.val();
        self.reset.clock.next = self.pll.clock_out.val();
        self.reset.reset.next = !self.pll.locked.val() | self.btn.val().get_bit(3);
        self.pair.clock.next = self.pll.clock_out.val();
        self.pair.clear.next = self.reset.clear.val();
        self.pair.line_in.next = self.ftdi_txd.val();
        self.ftdi_rxd.next = self.pair.line_out.val();
        self.led.next = bit_cast::<8, 2>(self.pair.up.val())
            | (bit_cast::<8, 2>(self.pair.moves.val()) << 2)
            | (bit_cast::<8, 2>(self.pair.wrong.val()) << 6);
        self.wifi_gpio0.next = true;
    }
}
