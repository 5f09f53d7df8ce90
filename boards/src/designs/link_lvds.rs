//! `link-lvds`: a whole port over differential pairs of the header, to another board or back to the same one.

use super::{Design, DesignError};
use crate::board::Board;
use crate::constraints::ClockSource;
use crate::platform::{Ecp5DdrIn, Ecp5DdrOut, Ecp5QuarterPll, QuarterConfig};
use flitforge_base::prelude::*;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_lvds::{LvdsConfig, PhyLvds};
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::node::port_line::{PortLinePanel, PortPanelConfig};
use flitforge_hdl::prim::stream::{FlowOut, StreamOut};
use flitforge_hdl::prim::synchronizer::ResetSynchronizer;
use flitforge_hdl::prim::uart::UartConfig;
use flitforge_protocol::lane_word::LVDS_CLOCKS_PER_1000_WORDS;

/// Oscillator of the board in hertz.
const OSCILLATOR_HZ: u64 = 25_000_000;
/// Core clock in hertz. A training set must take the port 65 clocks at most (chapter 10, 4.6), so a word 8: half the bit clock.
const CORE_HZ: u64 = 62_500_000;
/// Bit clock in hertz: 250 Mb/s per lane.
const BIT_HZ: u64 = 125_000_000;
/// Clocks of a word, and most core clocks of one.
const WORD_CLOCKS: u64 = 16;
const _: () =
    assert!(WORD_CLOCKS * CORE_HZ <= 8 * BIT_HZ, "training sets come too slowly for the core clock");
const _: () = assert!(
    1_000 * WORD_CLOCKS * CORE_HZ >= LVDS_CLOCKS_PER_1000_WORDS * BIT_HZ,
    "words come too fast for the core clock (chapter 10, 4.7)"
);
/// Serial port in baud.
const BAUD: u64 = 115_200;
/// Button period: one millisecond.
const DEBOUNCE: u64 = CORE_HZ / 1_000;
/// Console period: a quarter of a second.
const INTERVAL: u64 = CORE_HZ / 4;
/// Lanes.
const LANES: usize = 4;
/// Flits per beat, lanes and replay slots of the port.
const PORT: (usize, usize, usize) = (2, LANES, 128);

/// The design.
pub const DESIGN: Design = Design {
    name: "link-lvds",
    summary: "one port with retry, training and lane removal over differential pairs at 250 Mb/s per lane",
    boards: &["ulx3s-85f"],
    clocks: &[(ClockSource::Port("line_rx_clock"), BIT_HZ)],
    effort: "standard",
    build: |_: &Board| {
        let mut top = Ulx3sLinkLvds::new()?;
        top.connect_all();
        Ok(Box::new(top))
    },
};

/// Top level on ULX3S. FIRE1 injects an error, FIRE2 kills a lane, UP restores all lanes, DOWN restarts everything.
#[derive(LogicBlock)]
struct Ulx3sLinkLvds {
    clk_25mhz: Signal<In, Clock>,
    btn: Signal<In, Bits<6>>,
    ftdi_txd: Signal<In, Bit>,
    ftdi_rxd: Signal<Out, Bit>,
    led: Signal<Out, Bits<8>>,
    wifi_gpio0: Signal<Out, Bit>,
    line_tx: Signal<Out, Bits<LANES>>,
    line_tx_frame: Signal<Out, Bit>,
    line_tx_clock: Signal<Out, Bit>,
    line_rx: Signal<In, Bits<LANES>>,
    line_rx_frame: Signal<In, Bit>,
    line_rx_clock: Signal<In, Clock>,
    pll: Ecp5QuarterPll,
    reset: ResetSynchronizer,
    panel: PortLinePanel,
    phy: PhyLvds<LANES>,
    lane_out: [Ecp5DdrOut; LANES],
    lane_in: [Ecp5DdrIn; LANES],
    frame_out: Ecp5DdrOut,
    frame_in: Ecp5DdrIn,
    clock_out: Ecp5DdrOut,
    clock_pair: Constant<Bits<2>>,
    lines: Signal<Local, Bits<LANES>>,
}

impl Ulx3sLinkLvds {
    fn new() -> Result<Self, DesignError> {
        let (flits, lanes, slots) = PORT;
        let panel = PortPanelConfig {
            uart: UartConfig { clock_hz: CORE_HZ, baud: BAUD },
            debounce: DEBOUNCE,
            interval: INTERVAL,
            port: PortConfig::new(flits, lanes, slots),
        };
        let clocks = QuarterConfig { input_hz: OSCILLATOR_HZ, bit_hz: BIT_HZ, core_hz: CORE_HZ };
        Ok(Self {
            clk_25mhz: Default::default(),
            btn: Default::default(),
            ftdi_txd: Default::default(),
            ftdi_rxd: Default::default(),
            led: Default::default(),
            wifi_gpio0: Default::default(),
            line_tx: Default::default(),
            line_tx_frame: Default::default(),
            line_tx_clock: Default::default(),
            line_rx: Default::default(),
            line_rx_frame: Default::default(),
            line_rx_clock: Default::default(),
            pll: Ecp5QuarterPll::new(clocks)?,
            reset: ResetSynchronizer::new()?,
            panel: PortLinePanel::new(panel)?,
            phy: PhyLvds::new(&LvdsConfig::new(LANES))?,
            lane_out: Default::default(),
            lane_in: Default::default(),
            frame_out: Default::default(),
            frame_in: Default::default(),
            clock_out: Default::default(),
            // High in the first half of the late clock, so that its edges lie in the middle of the bits.
            clock_pair: Constant::new(1.into()),
            lines: Default::default(),
        })
    }
}

impl Logic for Ulx3sLinkLvds {
    #[hdl_gen]
    fn update(&mut self) {
        self.pll.clock_in.next = self.clk_25mhz.val();
        self.reset.clock.next = self.pll.core_clock.val();
        self.reset.reset.next = !self.pll.locked.val() | self.btn.val().get_bit(3);
        self.panel.clock.next = self.pll.core_clock.val();
        self.panel.clear.next = self.reset.clear.val();
        self.panel.buttons.next = self.btn.val().get_bits::<3>(0);
        self.panel.serial_in.next = self.ftdi_txd.val();
        self.ftdi_rxd.next = self.panel.serial_out.val();
        self.led.next = self.panel.leds.val();
        self.wifi_gpio0.next = true;

        self.phy.clock.next = self.pll.core_clock.val();
        self.phy.clear.next = self.reset.clear.val();
        self.phy.tx_clock.next = self.pll.bit_clock.val();
        self.phy.rx_clock.next = self.line_rx_clock.val();
        self.phy.active.next = self.panel.tx_lanes.val();
        self.phy.invert.next = self.panel.invert.val();
        self.phy.slip.next = self.panel.slip.val();
        self.panel.signal_ok.next = self.phy.signal_ok.val();
        self.panel.lane_lock.next = self.phy.lane_lock.val();
        self.panel.elastic_error.next = self.phy.elastic_error.val();
        self.lines.next = 0.into();
        for i in 0..LANES {
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.panel.tx[i], &mut self.phy.tx[i]);
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.phy.rx[i], &mut self.panel.rx[i]);
            self.lane_out[i].clock.next = self.pll.bit_clock.val();
            self.lane_out[i].pair.next = self.phy.tx_pairs[i].val();
            self.lines.next = self.lines.val().replace_bit(i, self.lane_out[i].pin.val());
            self.lane_in[i].clock.next = self.line_rx_clock.val();
            self.lane_in[i].pin.next = self.line_rx.val().get_bit(i);
            self.phy.rx_pairs[i].next = self.lane_in[i].pair.val();
        }
        self.line_tx.next = self.lines.val();
        self.frame_out.clock.next = self.pll.bit_clock.val();
        self.frame_out.pair.next = self.phy.tx_frame.val();
        self.line_tx_frame.next = self.frame_out.pin.val();
        self.clock_out.clock.next = self.pll.late_clock.val();
        self.clock_out.pair.next = self.clock_pair.val();
        self.line_tx_clock.next = self.clock_out.pin.val();
        self.frame_in.clock.next = self.line_rx_clock.val();
        self.frame_in.pin.next = self.line_rx_frame.val();
        self.phy.rx_frame.next = self.frame_in.pair.val();
    }
}
