//! `clock-tree`: a master, two switches and two slaves with their links on one FPGA; registers over the serial port, pulses per second on a header.

use super::{Design, DesignError};
use crate::board::Board;
use flitforge_base::prelude::*;
use flitforge_hdl::node::clock_tree::{ClockTree, ClockTreeConfig};
use flitforge_hdl::node::register_line::RegisterLineConfig;
use flitforge_hdl::prim::synchronizer::{ResetSynchronizer, Synchronizer};
use flitforge_hdl::prim::uart::UartConfig;
use flitforge_hdl::time::hfi::MAX_PULSE_CLOCKS;

/// Core clock in hertz, straight from the oscillator: 40 ns, a whole number of 1/16 ns.
const CORE_HZ: u64 = 25_000_000;
/// Femtoseconds of a second.
const SECOND_FS: u64 = 1_000_000_000_000_000;
/// Serial port in baud: 25 clocks a bit, and within the USB bridge's 3 Mbaud.
const BAUD: u64 = 1_000_000;
/// Clocks a device may take to answer.
const LIMIT: u64 = 255;
/// Words of delay of the links: no two are alike.
const DELAYS: [u64; 4] = [3, 9, 1, 14];
/// GEN_PERIOD for which the servos' gains are made, 2^20 ns.
const PERIOD: u64 = 1;

/// The design.
pub const DESIGN: Design = Design {
    name: "clock-tree",
    summary: "a clock tree of a master, two switches and two slaves; registers over the serial port, pulses per second",
    boards: &["ulx3s-85f"],
    clocks: &[],
    effort: "area",
    build: |_: &Board| {
        let mut top = Ulx3sClockTree::new()?;
        top.connect_all();
        Ok(Box::new(top))
    },
};

/// Top level on ULX3S. SW1 loads the links with packets, DOWN restarts everything. LEDs 0 to 3: links up, 4 and 5: slaves locked, 6: load,
/// 7: the master's pulse per second.
#[derive(LogicBlock)]
struct Ulx3sClockTree {
    clk_25mhz: Signal<In, Clock>,
    btn: Signal<In, Bits<6>>,
    sw: Signal<In, Bits<4>>,
    ftdi_txd: Signal<In, Bit>,
    ftdi_rxd: Signal<Out, Bit>,
    led: Signal<Out, Bits<8>>,
    pps: Signal<Out, Bits<3>>,
    wifi_gpio0: Signal<Out, Bit>,
    reset: ResetSynchronizer,
    load: Synchronizer<2>,
    tree: ClockTree,
    lamps: Signal<Local, Bits<8>>,
}

impl Ulx3sClockTree {
    fn new() -> Result<Self, DesignError> {
        let config = ClockTreeConfig {
            core_fs: SECOND_FS / CORE_HZ,
            line: RegisterLineConfig { uart: UartConfig { clock_hz: CORE_HZ, baud: BAUD }, limit: LIMIT },
            delays: DELAYS,
            period: PERIOD,
            pulse_clocks: MAX_PULSE_CLOCKS,
            short: false,
        };
        Ok(Self {
            clk_25mhz: Default::default(),
            btn: Default::default(),
            sw: Default::default(),
            ftdi_txd: Default::default(),
            ftdi_rxd: Default::default(),
            led: Default::default(),
            pps: Default::default(),
            wifi_gpio0: Default::default(),
            reset: ResetSynchronizer::new()?,
            load: Synchronizer::new(false)?,
            tree: ClockTree::new(&config)?,
            lamps: Default::default(),
        })
    }
}

impl Logic for Ulx3sClockTree {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.clock.next = self.clk_25mhz.val();
        self.reset.reset.next = self.btn.val().get_bit(3);
        self.load.clock.next = self.clk_25mhz.val();
        self.load.d.next = self.sw.val().get_bit(0);
        self.tree.clock.next = self.clk_25mhz.val();
        self.tree.clear.next = self.reset.clear.val();
        self.tree.load.next = self.load.q.val();
        self.tree.line_in.next = self.ftdi_txd.val();
        self.ftdi_rxd.next = self.tree.line_out.val();
        self.pps.next = self.tree.pps.val();
        self.wifi_gpio0.next = true;
        self.lamps.next = bit_cast::<8, 4>(self.tree.links_up.val());
        self.led.next = self
            .lamps
            .val()
            .replace_bit(4, self.tree.locked.val().get_bit(1))
            .replace_bit(5, self.tree.locked.val().get_bit(2))
            .replace_bit(6, self.load.q.val())
            .replace_bit(7, self.tree.pps.val().get_bit(0));
    }
}
