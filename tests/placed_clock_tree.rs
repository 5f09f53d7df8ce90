//! The board design `clock-tree` as its netlist, operated like the board: the manager library programs it over the serial pins, as
//! `flitforge clock-tree --serial FILE` does, until both slaves are locked and a second begins on all three headers.
//! The netlist is the placed one, as `flitforge build` makes it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::board_bench;
use crate::board_bench::live::{Live, Pins};
use crate::board_bench::placed::netlist;
use flitforge_elaborate::verilog::Technology;
use flitforge_fabric::clock_tree::{start, table, Settings, DEVICES, MASTER, SLAVES, SWITCHES};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::manager::RegisterAccess;
use flitforge_fabric::register_line::{problem, RegisterLine};
use flitforge_flow::tools::Home;
use flitforge_flow::WorkDirectory;
use flitforge_protocol::register_line::checked_answer;
use flitforge_protocol::time_registers as regs;
use flitforge_protocol::time_servo::increment;
use std::io::{Read, Write};

const DESIGN: &str = "clock-tree";
const BOARD: &str = "ulx3s-85f";
/// The core clock, and the serial port's rate, as documented.
const CORE_HZ: u64 = 25_000_000;
const BAUD: u64 = 1_000_000;
/// Femtoseconds and nanoseconds of a second.
const SECOND_FS: u64 = 1_000_000_000_000_000;
const SECOND_NS: u64 = 1_000_000_000;
/// Clocks for which a character is waited for: far more than the 255 a device may take and the 250 of a character.
const PATIENCE: u64 = 1_500;
/// Clocks in which all links come up.
const TRAINING_CLOCKS: u64 = 1_000_000;
/// The master's time when it is set: a second begins so much later, when the slaves are locked.
const BEFORE_SECOND_NS: u64 = 30_000_000;
const BEFORE_SECOND_CLOCKS: u64 = BEFORE_SECOND_NS * (CORE_HZ / 1_000_000) / 1_000;
const START_NS: u64 = 1_700_000_000 * SECOND_NS - BEFORE_SECOND_NS;
/// Clocks in which the slaves lock, once all is written: some ten samples.
const LOCK_CLOCKS: u64 = BEFORE_SECOND_CLOCKS / 2;
/// 1/8 ns for a Low and 1/8 ns for the measurement of each link (T5, T10), three of them on the longest way, in 1/256 ns.
const BOUND: i64 = 3 * 64;
/// The lamps: links up; slaves locked; load.
const LINKS_UP: u64 = 0xf;
const LOCKED: u64 = 0x30;
const LOAD: u64 = 0x40;

const PINS: Pins = Pins {
    serial_in: "ftdi_txd",
    serial_out: "ftdi_rxd",
    watched: &["led", "pps"],
    clock_hz: CORE_HZ,
    divider: CORE_HZ / BAUD,
    patience: PATIENCE,
};

/// The answer to a line, without its end; empty if there is none.
fn ask(live: &mut Live, line: &str) -> String {
    live.write_all(line.as_bytes()).unwrap();
    live.write_all(b"\n").unwrap();
    answer(live)
}

fn answer(live: &mut Live) -> String {
    let mut text = String::new();
    let mut letter = [0];
    while live.read(&mut letter).is_ok() && letter[0] != b'\n' {
        text.push(char::from(letter[0]));
    }
    text.trim_end().into()
}

fn tell(what: &str, live: &Live) {
    let ((clocks, time), (sent, received)) = (live.pace(), live.letters);
    let rate = clocks as f64 / time.as_secs_f64();
    println!("{what}: {clocks} clocks, {rate:.0} clocks/s, {sent} characters sent, {received} received");
}

/// Until these LEDs are on together, so many clocks at most.
fn wait_for_lamps(live: &mut Live, wanted: u64, most: u64) {
    let limit = live.clocks + most;
    while live.now("led") & wanted != wanted {
        assert!(live.clocks < limit, "LEDs {:#x}, not {wanted:#x}", live.now("led"));
        live.run(1_000);
    }
}

/// INC_NOM of a device as the line has it, without the check.
fn read(live: &mut Live, device: u32) -> String {
    let request = format!("r {device:x} {:04x}", regs::INC_NOM);
    let answer = ask(live, &request);
    let value = answer.rsplit_once(' ').unwrap().0;
    assert_eq!(checked_answer(&request, value), answer);
    value.into()
}

/// What is wrong on the line is answered as `register_line` says.
fn bad_lines_are_answered(live: &mut Live) {
    let too_long = format!("r 0{}0000", " ".repeat(32));
    for (line, answer) in
        [("r 5 0000", "?d"), ("r 0 0801", "?o"), ("hello", "?s"), ("w 0 30 1", "?c"), (&too_long, "?t")]
    {
        assert_eq!(ask(live, line), answer, "{line}");
    }
    // A character without its stop bit, a quiet line, and the rest of the request. The next one is whole.
    live.send_bits(u64::from(b'r') << 1, 10);
    live.send_bits(0x3ff, 10);
    assert_eq!(ask(live, &format!(" 0 {:04x}", regs::INC_NOM)), "?l");
    let nominal = format!("{:016x}", increment(SECOND_FS / CORE_HZ));
    assert_eq!(read(live, 0), nominal);
}

/// The bench by itself, on the source of a small block.
#[test]
fn registers_are_reached_through_the_bench() {
    let Some(toolbox) = board_bench::tools() else { return };
    let room = tempfile::tempdir().unwrap();
    let source = board_bench::block("register_line", "default", &[], Technology::Generic);
    let pins =
        Pins { serial_in: "line_in", serial_out: "line_out", watched: &["we", "addr", "wdata"], ..PINS };
    let netlist = board_bench::as_netlist(&source);
    let live = Live::new(&source, &netlist, &pins, &toolbox, &WorkDirectory::new(room.path()));
    let mut line = RegisterLine::new(live, Live::wait_us).expect("in step");
    let silent = line.read(2, 0x28).expect_err("nothing acknowledges");
    assert_eq!(silent.problem, problem('a'));
    line.stream().set("ack", 0x1f);
    for value in [0, 0x2a, u64::MAX] {
        line.stream().set("rdata_2", value);
        assert_eq!(line.read(2, 0x28), Ok(value));
        assert_eq!((line.stream().now("we"), line.stream().now("addr")), (0, 0x28 / 8));
        let before = line.stream().clocks;
        line.write(3, 0x7f0, value).expect("written");
        let live = line.stream();
        let pulse: Vec<u64> = live.rises("we", 3).into_iter().filter(|clock| *clock > before).collect();
        assert_eq!((pulse.len(), live.now("addr")), (1, 0x7f0 / 8));
        // The value stands until the request is done.
        let written = live.changes.iter().rfind(|change| change.port == "wdata" && change.clock <= pulse[0]);
        assert_eq!(written.map_or(0, |change| change.value), value);
    }
    assert_eq!(line.stream().rises("we", 3).len(), 3);
    // A line that is held low: characters without stop bits.
    line.stream().send_bits(0, 20);
    line.stream().send_bits(0x3ff, 10);
    assert_eq!((line.read(2, 0x28), line.repeated()), (Ok(u64::MAX), 1));
    let before = line.stream().clocks;
    line.wait_us(3);
    assert_eq!(line.stream().clocks - before, 3 * CORE_HZ / 1_000_000);
}

#[test]
fn the_manager_programs_the_netlist_over_its_serial_pins() {
    if std::env::var_os("FLITFORGE_BOARDS").is_none() {
        println!("SKIPPED: the clock tree's netlist is made and simulated with FLITFORGE_BOARDS=1 only");
        return;
    }
    let Some(toolbox) = board_bench::tools() else { return };
    let work = WorkDirectory::of_home(&Home::from_environment().unwrap());
    let (source, netlist) = netlist(DESIGN, BOARD, &toolbox, &work);
    let mut live = Live::new(&source, &netlist, &PINS, &toolbox, &work);
    wait_for_lamps(&mut live, LINKS_UP, TRAINING_CLOCKS);
    tell("links are up", &live);
    bad_lines_are_answered(&mut live);

    let mut line = RegisterLine::new(live, Live::wait_us).expect("in step");
    let links = LinkMeasurement { rounds_log2: 2, asymmetry: 0, tolerance: 64 };
    let (_, plan) = start(&mut line, &Settings { time: START_NS, period: 1, links }).expect("started");
    println!("{:?} / 256 ns behind the master", plan.offsets.rows);
    assert_eq!(plan.offsets.rows.len(), SWITCHES.len() + SLAVES.len());
    tell("started", line.stream());
    line.stream().set("sw", 1);
    wait_for_lamps(line.stream(), LINKS_UP | LOCKED | LOAD, LOCK_CLOCKS);
    tell("locked", line.stream());
    the_slaves_follow(&mut line);
    assert_eq!(line.repeated(), 0, "no character was lost");
    seconds_begin_together(line.stream());
    tell("a second", line.stream());
}

fn the_slaves_follow(line: &mut RegisterLine<Live>) {
    let shown = table(line).expect("read");
    println!("{shown}");
    assert!(shown.is_locked(), "{}", shown.states());
    for (row, device) in shown.rows.iter().zip([MASTER, SLAVES[0], SLAVES[1]]) {
        assert_eq!(row.device, device);
        assert!(device == MASTER || row.error.unwrap().abs() <= BOUND, "{:?} / 256 ns", row.error);
        // One oscillator.
        assert!(row.drift_ppb.abs() < 1.0, "{} ppb", row.drift_ppb);
    }
    // The pins say what the library reads.
    for device in 0..DEVICES {
        let nominal = line.read(device, regs::INC_NOM).unwrap();
        assert_eq!(nominal, increment(SECOND_FS / CORE_HZ), "device {device}");
        assert_eq!(read(line.stream(), device), format!("{nominal:016x}"));
    }
}

/// The pulses of the slaves begin within a clock of the master's, one each.
fn seconds_begin_together(live: &mut Live) {
    let limit = live.clocks + BEFORE_SECOND_CLOCKS;
    while live.rises("pps", 0).is_empty() {
        assert!(live.clocks < limit, "no pulse of the master");
        live.run(10_000);
    }
    live.run(10_000);
    let [master, first, second] = [0, 1, 2].map(|end| live.rises("pps", end));
    println!("pulses at {master:?}, {first:?}, {second:?}");
    assert_eq!(master.len(), 1);
    for slave in [first, second] {
        assert!(slave.len() == 1 && slave[0].abs_diff(master[0]) <= 1, "{slave:?} and {master:?}");
    }
}
