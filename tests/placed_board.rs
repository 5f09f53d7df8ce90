//! What `flitforge build link-loopback --board ulx3s-85f` writes, operated like the board: the placed netlist in a
//! simulator, at the board's own clock, baud rate and button times, and the bitstream read back.
//!
//! The whole port is on the board: an error is mended, lanes die one by one, and no beat is missing (LED 3). A console line
//! takes 9 ms and comes every quarter of a second, so a normal run looks at the LEDs only; `FLITFORGE_FULL=1` goes on until
//! a whole line has come and LED 0 (bit 22 of the count of good LTPs) is lit.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::board_bench::line::Line;
use crate::board_bench::{self, bitstream, run, source_of, Board, Probe, Run, Step};
use crate::kept::{unless_kept, Kept};
use flitforge_boards::{board, design};
use flitforge_elaborate::elaborate;
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::tools::Toolbox;
use flitforge_flow::Source;
use flitforge_protocol::link::LinkState;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const DESIGN: &str = "link-loopback";
const BOARD: &str = "ulx3s-85f";
/// The console's rate, as documented.
const BAUD: u64 = 115_200;
/// Events inside the netlist: the core clock, and good LTPs received.
const PROBES: &[Probe] = &[
    Probe { name: "core_clocks", event: "posedge dut.\\pll.pll .CLKOP" },
    Probe {
        name: "good_ltps",
        event: "posedge dut.\\panel.link.line.port_instance.health.isolate.good_later.stage_1_q ",
    },
];
/// LEDs 7..4 show the lanes received on.
const LANES: u64 = 0xf0;
const PRESSED: u64 = 1 << 2;
const WRONG: u64 = 1 << 3;
const BLINK: u64 = 1;

/// Builds with the command line, as a user does. What was built before comes from the cache. Of the two seeds that the
/// command takes, the second only gives a choice: a normal run does without.
fn build(folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    command.args(["build", DESIGN, "--board", BOARD, "--seeds", if full() { "2" } else { "1" }]);
    command.arg("--out").arg(folder);
    let started = std::time::Instant::now();
    let output = command.output().expect("started");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}{errors}");
    println!("{}build: {:.0} s", text, started.elapsed().as_secs_f64());
}

/// The design's ports.
fn source() -> Source {
    let top = design(DESIGN).unwrap().build(&board(BOARD).unwrap()).unwrap();
    source_of(&elaborate(top.as_ref(), "link_loopback").unwrap(), Technology::Ecp5)
}

fn full() -> bool {
    std::env::var_os("FLITFORGE_FULL").is_some_and(|value| value != "0")
}

/// The core clock the report says timing was met for, in MHz.
fn claimed_mhz(folder: &Path) -> f64 {
    let report = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let clocks = report["clocks"].as_array().unwrap();
    assert_eq!(clocks.len(), 1, "one clock: {clocks:?}");
    clocks[0]["constraint_mhz"].as_f64().unwrap()
}

/// Values the LEDs went through, of the bits in `mask`.
fn leds(run: &Run, mask: u64) -> Vec<u64> {
    let mut values: Vec<u64> = run.leds.iter().map(|(_, value)| value & mask).collect();
    values.dedup();
    values
}

#[test]
fn the_board_moves_ltps_and_goes_on_with_fewer_lanes() {
    let Some(toolbox) = board_bench::tools() else { return };
    unless_kept(&kept("placed_board.lanes", &toolbox), || goes_on_with_fewer_lanes(&toolbox));
}

/// Of what the board is built of: the design's text, and all that turns it into a bitstream.
fn kept(name: &str, toolbox: &Toolbox) -> Kept {
    Kept::new(name, "tests/placed_board.rs", &[&source().verilog], toolbox)
}

fn goes_on_with_fewer_lanes(toolbox: &Toolbox) {
    let room = TempDir::new().unwrap();
    let folder = room.path().join("board");
    build(&folder);
    let netlist = std::fs::read_to_string(folder.join(format!("{DESIGN}.placed.v"))).unwrap();
    let source = source();
    pads_are_where_the_board_has_them(&source, &netlist);

    let oscillator = board(BOARD).unwrap().pins.iter().find_map(|pin| pin.frequency_hz).unwrap();
    let millisecond = oscillator / 1000;
    let pins = Board {
        serial_in: "ftdi_txd",
        serial_out: "ftdi_rxd",
        leds: "led",
        period_ps: 1_000_000_000_000 / oscillator,
        divider: oscillator / BAUD,
        limit: oscillator,
        probes: PROBES,
    };
    // A button is looked at every millisecond. FIRE2 kills a lane, and so does `k`; DOWN restarts everything.
    let mut steps = vec![Step::Wait(millisecond / 10), Step::Wait(millisecond / 10)]; // 0, 1
    steps.extend([Step::Send('e'), Step::Wait(millisecond / 10)]); // 2, 3
    steps.extend([Step::Set("btn", 2), Step::Wait(3 * millisecond / 2)]); // 4, 5
    steps.extend([Step::Set("btn", 0), Step::Wait(3 * millisecond / 2), Step::Wait(millisecond / 10)]); // 6, 7, 8
    for _ in 0..2 {
        steps.extend([Step::Send('k'), Step::Wait(millisecond), Step::Wait(millisecond / 10)]);
        // to 11, to 14
    }
    steps.extend([Step::Send('r'), Step::Wait(millisecond), Step::Wait(millisecond / 10)]); // 15, 16, 17
    if full() {
        steps.extend([Step::Lines(1), Step::Wait(40 * millisecond)]); // 18, 19
    }
    steps.extend([Step::Set("btn", 8), Step::Wait(millisecond / 10), Step::Set("btn", 0)]);
    steps.push(Step::Wait(millisecond / 10));
    let run = run(&source, &netlist, &pins, &steps, toolbox);

    let claimed = claimed_mhz(&folder);
    let core_per_oscillator = claimed * 1e6 / oscillator as f64;
    let (core, good) = (&run.counts["core_clocks"], &run.counts["good_ltps"]);
    // With four lanes, with three, two and one, and with four again.
    for (step, lanes) in [(1, 4.0), (8, 3.0), (11, 2.0), (14, 1.0), (17, 4.0)] {
        let oscillations = (run.steps[step + 1] - run.steps[step]) as f64;
        let clocks = (core[step + 1] - core[step]) as f64;
        assert!(
            (clocks - oscillations * core_per_oscillator).abs() < 2.0,
            "{clocks} of {claimed} MHz: {core:?}"
        );
        // So many lanes carry so many of an LTP's 33 words per clock, but for the rare alignment rows.
        let (ltps, most) = ((good[step + 1] - good[step]) as f64, clocks * lanes / 33.0);
        println!("core clock {claimed} MHz, {lanes} lanes, {clocks} clocks, {ltps} LTPs");
        assert!(ltps <= most + 2.0 && ltps > most * 0.99 - 2.0, "{ltps} LTPs in {clocks} clocks");
    }
    let expected = [0xF0, 0xF0 | PRESSED, 0xE0 | PRESSED, 0xE0, 0xC0, 0x80, 0xF0, 0, 0xF0];
    assert_eq!(leds(&run, LANES | PRESSED), expected);
    assert_eq!(leds(&run, WRONG), [0], "no beat is missing, twice or wrong");
    if full() {
        the_line_and_the_blinking_led_come_in_time(&run, oscillator, core_per_oscillator);
    } else {
        println!("the console line, 0.25 s after the start, is not waited for: FLITFORGE_FULL=1 does");
    }
}

fn the_line_and_the_blinking_led_come_in_time(run: &Run, oscillator: u64, core_per_oscillator: f64) {
    let lines = run.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let (clock, text) = &lines[0];
    let quarter = oscillator as f64 / 4.0;
    assert!((*clock as f64 / quarter - 1.0).abs() < 0.01, "the first line begins at clock {clock}");
    let line = Line::read(text);
    let active = u64::from(LinkState::Active.code());
    assert_eq!((line.state, line.lanes, line.mode), (active, (0xF, 0xF), 1), "{text}");
    assert_eq!((line.gaps, line.wrong), (0, 0), "{text}");
    assert!(line.bad > 3 && line.replay > 3, "{text}");
    // Some time went by with fewer lanes.
    let ltps_at = |clock: f64| clock * core_per_oscillator * 4.0 / 33.0;
    let near = |good: u64, clock: u64| (good as f64 / ltps_at(clock as f64) - 1.0).abs() < 0.03;
    assert!(near(line.good, *clock), "{text}");
    let lit = run.leds.iter().find(|(_, value)| value & BLINK != 0).expect("LED 0 is lit");
    println!("LED 0 lit at clock {}", lit.0);
    assert!(near(1 << 22, lit.0), "LED 0 lit at clock {}", lit.0);
}

/// Every bit of every port lies at the site that the board's file names.
fn pads_are_where_the_board_has_them(source: &Source, netlist: &str) {
    let board = board(BOARD).unwrap();
    for port in &source.ports {
        let pin = board.pins.iter().find(|pin| pin.name == port.name).unwrap();
        assert_eq!(pin.sites.len(), port.width, "{}", port.name);
        for (bit, site) in pin.sites.iter().enumerate() {
            let name = if port.width == 1 { port.name.clone() } else { format!("{}[{bit}]", port.name) };
            let line = format!("\n// {name} is at site {site}\n");
            assert!(netlist.contains(&line), "{name} is not at {site}");
        }
    }
}

#[test]
fn the_bitstream_unpacks_to_the_placed_configuration() {
    let Some(toolbox) = board_bench::tools() else { return };
    unless_kept(&kept("placed_board.bitstream", &toolbox), || reads_back_what_was_placed(&toolbox));
}

fn reads_back_what_was_placed(toolbox: &Toolbox) {
    let room = TempDir::new().unwrap();
    let folder = room.path().join("board");
    build(&folder);
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    let unpack = |from: &str, to: &str| bitstream::unpack(toolbox, &folder, from, to);
    let pack = |from: &str, to: &str| bitstream::pack(toolbox, &folder, from, to);
    let packed = format!("{DESIGN}.bit");
    let placed = text(&format!("{DESIGN}.config"));
    let unpacked = unpack(&packed, "unpacked.config");

    let (tables, arcs) = bitstream::logic_is_the_placed_one(&placed, &unpacked);
    assert!(tables > 1000 && arcs > 10_000);

    // One changed bit of one table is seen.
    let (before, table) = placed.split_once(".K0.INIT ").expect("a look-up table");
    let changed = if table.starts_with('0') { '1' } else { '0' };
    std::fs::write(folder.join("changed.config"), format!("{before}.K0.INIT {changed}{}", &table[1..]))
        .unwrap();
    pack("changed.config", "changed.bit");
    let changed = unpack("changed.bit", "changed-unpacked.config");
    assert_eq!(unpacked.iter().filter(|(tile, settings)| changed.get(*tile) != Some(settings)).count(), 1);

    // Packed again, it is the same bit for bit; the unpacker reads no settings of the configuration port.
    let settings: String =
        placed.lines().filter(|line| line.starts_with(".sysconfig ")).flat_map(|line| [line, "\n"]).collect();
    let again = text("unpacked.config");
    let (device, rest) = again.split_once('\n').unwrap();
    std::fs::write(folder.join("again.config"), format!("{device}\n{settings}{rest}")).unwrap();
    pack("again.config", "again.bit");
    assert!(read(&packed) == read("again.bit"), "the bitstream reads back differently");
}
