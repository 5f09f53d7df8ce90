//! The board design `sue-pair` as its placed netlist, operated like the board: the host library sets up both ends over the serial pins, as
//! `flitforge sue pair --serial FILE` does, and every command arrives over a line with wrong bits.
#![allow(clippy::expect_used)]

use crate::board_bench;
use crate::board_bench::live::{Live, Pins};
use crate::board_bench::placed::netlist;
use flitforge_fabric::register_line::RegisterLine;
use flitforge_fabric::sue::pair::{Pair, Settings, Table};
use flitforge_flow::tools::Home;
use flitforge_flow::WorkDirectory;
use flitforge_protocol::register::RegisterAccess;

const DESIGN: &str = "sue-pair";
const BOARD: &str = "ulx3s-85f";
/// The core clock, and the serial port's rate, as documented.
const CORE_HZ: u64 = 25_000_000;
const BAUD: u64 = 1_000_000;
/// Clocks until the phase-locked loop has locked and the reset has ended.
const LOCKS: u64 = 200;
/// Clocks for which a character is waited for: far more than the 255 a device may take and the 250 of a character.
const PATIENCE: u64 = 1_500;
/// Commands that each end sends.
const COMMANDS: u64 = 100;
/// Wrong bits in 2^24 columns: one in a thousand.
const CHANCE: u64 = (1 << 24) / 1_000;
/// Between two looks, and how often at most.
const LOOK_US: u64 = 2_000;
const LOOKS: u64 = 50;
/// LEDs of ports that are up, and of commands that came wrong.
const UP: u64 = 0b11;
const WRONG: u64 = 0b1100_0000;

const PINS: Pins = Pins {
    serial_in: "ftdi_txd",
    serial_out: "ftdi_rxd",
    watched: &["led"],
    clock_hz: CORE_HZ,
    divider: CORE_HZ / BAUD,
    patience: PATIENCE,
};

#[test]
fn commands_arrive_on_the_netlist() {
    if std::env::var_os("FLITFORGE_BOARDS").is_none() {
        println!("SKIPPED: the netlist of sue-pair is made and simulated with FLITFORGE_BOARDS=1 only");
        return;
    }
    let Some(toolbox) = board_bench::tools() else { return };
    let work = WorkDirectory::of_home(&Home::from_environment().expect("a home"));
    let (source, netlist) = netlist(DESIGN, BOARD, &toolbox, &work);
    let mut live = Live::new(&source, &with_edges(&netlist), &PINS, &toolbox, &work);
    live.run(LOCKS);
    let mut line = RegisterLine::new(live, Live::wait_us).expect("in step");
    for retry in [false, true] {
        let settings = Settings {
            retry,
            pause: false,
            chance: CHANCE,
            most: 200,
            fixed: false,
            commands: COMMANDS,
            timeout: 20_000,
        };
        let table = run(&mut line, &settings);
        let of_both =
            |count: fn(&flitforge_fabric::sue::pair::Row) -> u64| table.rows.iter().map(count).sum::<u64>();
        assert!(table.is_good() && of_both(|row| row.damaged) > 0, "{table}");
        assert_eq!(of_both(|row| row.received), 2 * COMMANDS);
        if retry {
            assert_eq!(of_both(|row| row.replays), 0, "link-layer retry has repaired all");
        }
        let lamps = line.stream().now("led");
        assert_eq!(lamps & (UP | WRONG), UP, "LEDs {lamps:#x}");
        let ((clocks, time), (sent, received)) = (line.stream().pace(), line.stream().letters);
        println!(
            "{clocks} clocks in {:.0} s, {sent} characters sent, {received} received",
            time.as_secs_f64()
        );
        // Everything anew, as DOWN does it.
        line.stream().set("btn", 1 << 3);
        line.stream().run(100);
        line.stream().set("btn", 0);
        line.stream().run(100);
    }
    assert_eq!(line.repeated(), 0, "no character was lost");
}

/// The netlist with a phase-locked loop that has no time, only the edges of its reference: the core has its rate. The model with time is that of `ecp5_pll.v`.
fn with_edges(netlist: &str) -> String {
    const ONE: &str = "32'b00000000000000000000000000000001";
    assert!(
        netlist.contains(&format!(".CLKFB_DIV({ONE}), .CLKI_DIV({ONE})")),
        "the core has the rate of the board's clock"
    );
    let (before, module) = netlist.split_once("\nmodule EHXPLLL ").expect("its model");
    let (ports, body) = module.split_once("\n);\n").expect("its ports");
    let (_, after) = body.split_once("\nendmodule").expect("its end");
    format!("{before}\nmodule EHXPLLL {ports}\n);\n{LOOP}endmodule{after}")
}

/// Locks after 16 edges.
const LOOP: &str = "\
    reg [4:0] steady = 5'd0;
    assign {CLKOS, CLKOS2, CLKOS3, INTLOCK, REFCLK, CLKINTFB} = 6'b000000;
    always @(posedge CLKI) if (!steady[4]) steady <= steady + 5'd1;
    always @* CLKOP = CLKI;
    always @* LOCK = steady[4];
";

/// Sets up both ends and waits until all commands have come.
fn run(line: &mut RegisterLine<Live>, settings: &Settings) -> Table {
    let pair = Pair::open(line).expect("the design");
    pair.start(line, settings).expect("both ports come up");
    for _ in 0..LOOKS {
        line.wait_us(LOOK_US);
        let table = pair.table(line).expect("read");
        if table.is_settled() && table.rows.iter().all(|row| row.sent == settings.commands) {
            println!("{table}");
            return table;
        }
    }
    panic!("not all commands have come: {}", pair.table(line).expect("read"));
}
