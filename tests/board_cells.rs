//! The boards' own cells (SerDes, double-data-rate pads, loop with a quarter) taken to a bitstream in small designs on the
//! pins and with the clocks of the designs that use them, and read back. Placing them takes half a minute of a core, so only CI does
//! (`FLITFORGE_PLACED=1`).
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::board_bench::{self, bitstream, source_of};
use flitforge_boards::constraints::{clock_lines, lpf, TopPort};
use flitforge_boards::platform::ecp5_dcu::CHANNELS;
use flitforge_boards::platform::{Ecp5Dcu, Ecp5DdrIn, Ecp5DdrOut, Ecp5QuarterPll, QuarterConfig};
use flitforge_boards::{board, design, Direction};
use flitforge_elaborate::elaborate;
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::tools::{Home, Silent};
use flitforge_flow::{build_board, BoardBuild, BoardRequest, Device, Effort, Source, WorkDirectory};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
use tempfile::TempDir;

/// The DCU of `link-serdes`: a count out on both channels, what comes in folded onto the LEDs.
#[derive(LogicBlock, Default)]
struct Serdes {
    clk100: Signal<In, Clock>,
    rst_n: Signal<In, Bit>,
    led_n: Signal<Out, Bits<8>>,
    dcu: Ecp5Dcu,
    sent: DFF<Bits<20>>,
    came: [DFF<Bits<20>>; CHANNELS],
    lit: Signal<Local, Bits<8>>,
}

impl Logic for Serdes {
    #[hdl_gen]
    fn update(&mut self) {
        self.dcu.reference.next = self.clk100.val();
        self.dcu.reset.next = !self.rst_n.val();
        self.dcu.tx_reset.next = false;
        self.dcu.tx_pcs_reset.next = false;
        self.dcu.rx_reset.next = 0.into();
        self.dcu.rx_pcs_reset.next = 0.into();
        self.sent.clock.next = self.dcu.tx_clock.val();
        self.sent.d.next = self.sent.q.val() + 1;
        self.lit.next = 0.into();
        for i in 0..CHANNELS {
            self.dcu.tx_symbols[i].next = self.sent.q.val();
            self.came[i].clock.next = self.dcu.rx_clock[i].val();
            self.came[i].d.next = self.dcu.rx_symbols[i].val();
            self.lit.next = self.lit.val().replace_bit(i, self.came[i].q.val().xor());
            self.lit.next = self.lit.val().replace_bit(2 + i, self.dcu.rx_lost_lock.val().get_bit(i));
            self.lit.next = self.lit.val().replace_bit(4 + i, self.dcu.rx_lost_signal.val().get_bit(i));
        }
        self.led_n.next = self.lit.val().replace_bit(6, self.dcu.tx_lost_lock.val());
    }
}

const PAIRS: usize = 4;

/// The pads and the loop of `link-lvds`: a count out, what comes in folded onto the LEDs.
#[derive(LogicBlock)]
struct Pads {
    clk_25mhz: Signal<In, Clock>,
    led: Signal<Out, Bits<8>>,
    line_tx: Signal<Out, Bits<PAIRS>>,
    line_tx_clock: Signal<Out, Bit>,
    line_rx: Signal<In, Bits<PAIRS>>,
    line_rx_clock: Signal<In, Clock>,
    pll: Ecp5QuarterPll,
    sent: DFF<Bits<8>>,
    core: DFF<Bits<4>>,
    lane_out: [Ecp5DdrOut; PAIRS],
    lane_in: [Ecp5DdrIn; PAIRS],
    came: [DFF<Bits<2>>; PAIRS],
    clock_out: Ecp5DdrOut,
    clock_pair: Constant<Bits<2>>,
    lines: Signal<Local, Bits<PAIRS>>,
    lit: Signal<Local, Bits<8>>,
}

impl Pads {
    fn new(clocks: QuarterConfig) -> Self {
        Self {
            clk_25mhz: Default::default(),
            led: Default::default(),
            line_tx: Default::default(),
            line_tx_clock: Default::default(),
            line_rx: Default::default(),
            line_rx_clock: Default::default(),
            pll: Ecp5QuarterPll::new(clocks).unwrap(),
            sent: Default::default(),
            core: Default::default(),
            lane_out: Default::default(),
            lane_in: Default::default(),
            came: Default::default(),
            clock_out: Default::default(),
            clock_pair: Constant::new(1.into()),
            lines: Default::default(),
            lit: Default::default(),
        }
    }
}

impl Logic for Pads {
    #[hdl_gen]
    fn update(&mut self) {
        self.pll.clock_in.next = self.clk_25mhz.val();
        self.sent.clock.next = self.pll.bit_clock.val();
        self.sent.d.next = self.sent.q.val() + 1;
        self.core.clock.next = self.pll.core_clock.val();
        self.core.d.next = self.core.q.val() + 1;
        self.lines.next = 0.into();
        self.lit.next = bit_cast::<8, 4>(self.core.q.val()) << 4;
        for i in 0..PAIRS {
            self.lane_out[i].clock.next = self.pll.bit_clock.val();
            self.lane_out[i].pair.next = self.sent.q.val().get_bits::<2>(2 * i);
            self.lines.next = self.lines.val().replace_bit(i, self.lane_out[i].pin.val());
            self.lane_in[i].clock.next = self.line_rx_clock.val();
            self.lane_in[i].pin.next = self.line_rx.val().get_bit(i);
            self.came[i].clock.next = self.line_rx_clock.val();
            self.came[i].d.next = self.lane_in[i].pair.val();
            self.lit.next = self.lit.val().replace_bit(i, self.came[i].q.val().xor());
        }
        self.line_tx.next = self.lines.val();
        self.led.next = self.lit.val();
        self.clock_out.clock.next = self.pll.late_clock.val();
        self.clock_out.pair.next = self.clock_pair.val();
        self.line_tx_clock.next = self.clock_out.pin.val();
    }
}

/// The block as a board's top, with the clocks of the design that it stands for.
fn built(top: &dyn Block, name: &str, board_name: &str, stands_for: &str) -> Option<(BoardBuild, TempDir)> {
    if !board_bench::places_panels(name) {
        return None;
    }
    let toolbox = board_bench::tools()?;
    let board = board(board_name).unwrap();
    let source: Source = source_of(&elaborate(top, name).unwrap(), Technology::Ecp5);
    let ports: Vec<TopPort> = source
        .ports
        .iter()
        .map(|port| TopPort {
            name: port.name.clone(),
            width: port.width as u32,
            direction: match port.direction {
                flitforge_flow::Direction::Input => Direction::Input,
                flitforge_flow::Direction::Output => Direction::Output,
            },
        })
        .collect();
    let constraints = lpf(&board, &ports).unwrap() + &clock_lines(design(stands_for).unwrap().clocks);
    let device: Device = board.device.parse::<Device>().unwrap().with_package(&board.package);
    let request = BoardRequest {
        source: &source,
        device: &device,
        constraints: &constraints,
        effort: Effort::Standard,
        seeds: &[1],
    };
    let work = WorkDirectory::of_home(&Home::from_environment().unwrap());
    let build = build_board(&request, &toolbox, &work, &Silent).expect("timing is met");
    let room = TempDir::new().unwrap();
    for file in ["design.bit", "placed.config"] {
        std::fs::copy(build.files.path.join(file), room.path().join(file)).unwrap();
    }
    bitstream::unpack(&toolbox, room.path(), "design.bit", "unpacked.config");
    Some((build, room))
}

fn text(room: &TempDir, name: &str) -> String {
    std::fs::read_to_string(room.path().join(name)).unwrap()
}

/// What each clock had to reach, in MHz.
fn asked(build: &BoardBuild) -> BTreeMap<String, f64> {
    build.report.clocks.iter().map(|clock| (clock.name.clone(), clock.constraint_mhz)).collect()
}

#[test]
fn the_serdes_is_in_the_bitstream_as_it_was_asked_for() {
    let mut top = Serdes::default();
    top.connect_all();
    let Some((build, room)) = built(&top, "serdes_cell", "versa-ecp5-5g", "link-serdes") else { return };
    let clocks = asked(&build);
    // The sender's clock and those of the two receivers, by whichever of their names the placer prefers.
    assert!(clocks.len() == 3 && clocks.values().all(|mhz| *mhz == 125.0), "{clocks:?}");
    let (placed, unpacked) =
        (text(&room, "placed.config"), bitstream::tiles(&text(&room, "unpacked.config")));
    let settings = bitstream::dcu_is_the_placed_one(&placed, &unpacked);
    println!("{settings} settings of the DCU are equal");
    let words = bitstream::words(&unpacked, "DCU.");
    // Powered, 25 bits per reference clock at full rate, and of both channels: 10-bit mode, coder and decoder off, both gearboxes 1:2.
    for (name, value) in [
        ("D_MACROPDB", "1"),
        ("D_TXPLL_PWDNB", "1"),
        ("D_REFCK_MODE", "100"),
        ("CH0_UC_MODE", "1"),
        ("CH1_UC_MODE", "1"),
        ("CH0_ENC_BYPASS", "1"),
        ("CH1_ENC_BYPASS", "1"),
        ("CH0_DEC_BYPASS", "1"),
        ("CH1_DEC_BYPASS", "1"),
        ("CH0_TX_GEAR_MODE", "1"),
        ("CH1_TX_GEAR_MODE", "1"),
        ("CH0_RX_GEAR_MODE", "1"),
        ("CH1_RX_GEAR_MODE", "1"),
    ] {
        assert_eq!(words.get(name).map(String::as_str), Some(value), "{name}");
    }
    for off in ["D_TX_VCO_CK_DIV", "CH0_RX_DCO_CK_DIV", "CH1_RX_DCO_CK_DIV", "CH0_ENABLE_CG_ALIGN"] {
        assert!(words.get(off).is_none_or(|value| !value.contains('1')), "{off}");
    }
    // The reference of the loop and of both receivers comes from the fabric.
    let arcs: Vec<&String> = unpacked.values().flatten().filter(|line| line.starts_with("arc: ")).collect();
    for way in
        ["D_REFCLKI W7_JTXREFCLKCIB", "CH0_RX_REFCLK W1_JCH0RXREFCLKCIB", "CH1_RX_REFCLK W5_JCH1RXREFCLKCIB"]
    {
        assert_eq!(arcs.iter().filter(|arc| arc.ends_with(way)).count(), 1, "{way}");
    }
}

#[test]
fn the_pads_and_the_late_clock_are_in_the_bitstream() {
    let clocks = QuarterConfig { input_hz: 25_000_000, bit_hz: 125_000_000, core_hz: 62_500_000 };
    let mut top = Pads::new(clocks);
    top.connect_all();
    let Some((build, room)) = built(&top, "pads_cell", "ulx3s-85f", "link-lvds") else { return };
    let clocks = asked(&build);
    assert_eq!(clocks.len(), 3, "{clocks:?}");
    let mut asked_mhz: Vec<f64> = clocks.into_values().collect();
    asked_mhz.sort_by(f64::total_cmp);
    assert_eq!(asked_mhz, [62.5, 125.0, 125.0]);

    // The outputs are double data rate, four pairs and the clock, and so are the inputs, which alone have the delay.
    let unpacked = bitstream::tiles(&text(&room, "unpacked.config"));
    let count = |what: &str| unpacked.values().flatten().filter(|line| line.ends_with(what)).count();
    assert_eq!(count("IOLOGICA.MODE IDDRX1_ODDRX1"), 2 * PAIRS + 1);
    assert_eq!(count("IOLOGICA.LSROMUX LSRMUX"), PAIRS + 1, "outputs");
    assert_eq!(count("IOLOGICA.DELAY.DEL_VALUE 0100111"), PAIRS, "inputs");
    for (port, site) in [("line_tx", PAIRS), ("line_tx_clock", 1), ("line_rx", PAIRS), ("line_rx_clock", 1)] {
        let pin = board("ulx3s-85f").unwrap().pin(port).cloned().unwrap();
        assert_eq!((pin.sites.len(), pin.io_type.as_str()), (site, "LVCMOS33D"), "{port}");
    }
    // The unpacker names another standard with the same bits, so this is what was placed; two tiles hold each pad.
    let placed = text(&room, "placed.config");
    for kind in ["OUTPUT", "INPUT"] {
        assert_eq!(
            placed.matches(&format!("PIOA.BASE_TYPE {kind}_LVCMOS33D")).count(),
            2 * (PAIRS + 1),
            "{kind}"
        );
    }

    // 500 MHz in the loop: dividers are kept less one; the late clock is a quarter of four steps after the bit clock.
    for setting in ["CLKFB_DIV 0000100", "CLKOP_DIV 0000011", "CLKOS_DIV 0000011", "CLKOS2_DIV 0000111"] {
        assert_eq!(count(&format!("word: {setting}")), 1, "{setting}");
    }
    for setting in ["CLKOP_CPHASE 0000010", "CLKOS_CPHASE 0000011"] {
        assert_eq!(count(&format!("word: {setting}")), 1, "{setting}");
    }
}
