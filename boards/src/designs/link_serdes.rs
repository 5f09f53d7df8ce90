//! `link-serdes`: a whole port over two SerDes lanes, to another board or back to the same one.

use super::{Design, DesignError};
use crate::board::Board;
use crate::constraints::ClockSource;
use crate::platform::ecp5_dcu::{Ecp5Dcu, PAIR_HZ, REFERENCE_HZ};
use flitforge_base::prelude::*;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_ecp5::{PhyEcp5, SerdesStart};
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::node::port_line::{PortLinePanel, PortPanelConfig};
use flitforge_hdl::prim::stream::{FlowOut, StreamOut};
use flitforge_hdl::prim::synchronizer::ResetSynchronizer;
use flitforge_hdl::prim::uart::UartConfig;
use flitforge_protocol::lane_word::SERDES_CLOCKS_PER_1000_WORDS;

/// Core clock in hertz: the board's oscillator, which is the SerDes' reference too.
const CORE_HZ: u64 = REFERENCE_HZ;
/// Words per second and lane; one must be taken from the elastic FIFO per core clock.
const WORD_HZ: u64 = PAIR_HZ / 2;
const _: () = assert!(
    1_000 * CORE_HZ >= SERDES_CLOCKS_PER_1000_WORDS * WORD_HZ,
    "words come too fast for the core clock (chapter 10, 4.7)"
);
/// Serial port in baud.
const BAUD: u64 = 115_200;
/// Button period: one millisecond.
const DEBOUNCE: u64 = CORE_HZ / 1_000;
/// Console period: a quarter of a second.
const INTERVAL: u64 = CORE_HZ / 4;
/// Lanes that are wired; the port has four and goes on without the others.
const LANES: usize = 2;
/// Flits per beat, lanes and replay slots of the port.
const PORT: (usize, usize, usize) = (2, 4, 128);

/// The design.
pub const DESIGN: Design = Design {
    name: "link-serdes",
    summary: "one port with retry, training and lane removal over two SerDes lanes at 2.5 Gb/s, 8b10b",
    boards: &["versa-ecp5-5g"],
    clocks: &[
        (ClockSource::Net("dcu.clock_out"), PAIR_HZ),
        (ClockSource::Net("dcu.clock_0"), PAIR_HZ),
        (ClockSource::Net("dcu.clock_1"), PAIR_HZ),
    ],
    effort: "standard",
    build: |_: &Board| {
        let mut top = VersaLinkSerdes::new()?;
        top.connect_all();
        Ok(Box::new(top))
    },
};

/// Top level on the Versa board: commands by console, lanes on the LEDs.
#[derive(LogicBlock)]
struct VersaLinkSerdes {
    clk100: Signal<In, Clock>,
    rst_n: Signal<In, Bit>,
    serial_rx: Signal<In, Bit>,
    serial_tx: Signal<Out, Bit>,
    led_n: Signal<Out, Bits<8>>,
    reset: ResetSynchronizer,
    panel: PortLinePanel,
    phy: PhyEcp5<LANES>,
    dcu: Ecp5Dcu,
    tx_start: SerdesStart,
    rx_start: [SerdesStart; LANES],
    rx_resets: Signal<Local, Bits<LANES>>,
    rx_pcs_resets: Signal<Local, Bits<LANES>>,
    lines: Signal<Local, Bits<4>>,
}

impl VersaLinkSerdes {
    fn new() -> Result<Self, DesignError> {
        let (flits, lanes, slots) = PORT;
        let panel = PortPanelConfig {
            uart: UartConfig { clock_hz: CORE_HZ, baud: BAUD },
            debounce: DEBOUNCE,
            interval: INTERVAL,
            port: PortConfig::new(flits, lanes, slots),
        };
        Ok(Self {
            clk100: Default::default(),
            rst_n: Default::default(),
            serial_rx: Default::default(),
            serial_tx: Default::default(),
            led_n: Default::default(),
            reset: ResetSynchronizer::new()?,
            panel: PortLinePanel::new(panel)?,
            phy: PhyEcp5::new()?,
            dcu: Default::default(),
            tx_start: SerdesStart::new()?,
            rx_start: [SerdesStart::new()?, SerdesStart::new()?],
            rx_resets: Default::default(),
            rx_pcs_resets: Default::default(),
            lines: Default::default(),
        })
    }
}

impl Logic for VersaLinkSerdes {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.clock.next = self.clk100.val();
        self.reset.reset.next = !self.rst_n.val();
        self.panel.clock.next = self.clk100.val();
        self.panel.clear.next = self.reset.clear.val();
        self.panel.buttons.next = 0.into();
        self.panel.serial_in.next = self.serial_rx.val();
        self.serial_tx.next = self.panel.serial_out.val();
        self.led_n.next = !self.panel.leds.val();

        // The SerDes: first the sender's loop, then each receiver.
        self.dcu.reference.next = self.clk100.val();
        self.dcu.reset.next = self.reset.clear.val();
        self.tx_start.clock.next = self.clk100.val();
        self.tx_start.clear.next = self.reset.clear.val();
        self.tx_start.lost_lock.next = self.dcu.tx_lost_lock.val();
        self.tx_start.lost_signal.next = false;
        self.dcu.tx_reset.next = self.tx_start.reset.val();
        self.dcu.tx_pcs_reset.next = self.tx_start.pcs_reset.val();

        self.phy.clock.next = self.clk100.val();
        self.phy.clear.next = self.reset.clear.val();
        self.phy.tx_clock.next = self.dcu.tx_clock.val();
        self.phy.invert.next = self.panel.invert.val();
        self.phy.slip.next = self.panel.slip.val();
        self.panel.signal_ok.next = self.phy.signal_ok.val();
        self.panel.lane_lock.next = self.phy.lane_lock.val();
        self.panel.elastic_error.next = self.phy.elastic_error.val();
        self.rx_resets.next = 0.into();
        self.rx_pcs_resets.next = 0.into();
        self.lines.next = 0.into();
        for i in 0..LANES {
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.panel.tx[i], &mut self.phy.tx[i]);
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.phy.rx[i], &mut self.panel.rx[i]);
            self.dcu.tx_symbols[i].next = self.phy.tx_symbols[i].val();
            self.phy.rx_clock[i].next = self.dcu.rx_clock[i].val();
            self.phy.rx_symbols[i].next = self.dcu.rx_symbols[i].val();
            self.rx_start[i].clock.next = self.clk100.val();
            self.rx_start[i].clear.next = !self.tx_start.ok.val();
            self.rx_start[i].lost_lock.next = self.dcu.rx_lost_lock.val().get_bit(i);
            self.rx_start[i].lost_signal.next = self.dcu.rx_lost_signal.val().get_bit(i);
            self.rx_resets.next = self.rx_resets.val().replace_bit(i, self.rx_start[i].reset.val());
            self.rx_pcs_resets.next =
                self.rx_pcs_resets.val().replace_bit(i, self.rx_start[i].pcs_reset.val());
            self.lines.next = self.lines.val().replace_bit(i, self.rx_start[i].ok.val());
        }
        for i in LANES..4 {
            self.panel.tx[i].ready.next = true;
            self.panel.rx[i].valid.next = false;
            self.panel.rx[i].data.next = 0.into();
        }
        self.dcu.rx_reset.next = self.rx_resets.val();
        self.dcu.rx_pcs_reset.next = self.rx_pcs_resets.val();
        self.phy.line_ok.next = self.lines.val();
    }
}
