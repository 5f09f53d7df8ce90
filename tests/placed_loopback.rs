//! `link_loopback_panel` after placement and routing, operated like the board: console, error injection, commands. Its
//! fast preset prints a line every seven thousand clocks; the board's own rates, in every run of
//! the tests, are in `placed_board.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod board_bench;
#[path = "../synth/flow/tests/placed_support/mod.rs"]
mod placed_support;

use board_bench::line::Line;
use board_bench::{block, run, run_source, Board, Run, Step};
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::tools::Home;
use flitforge_flow::WorkDirectory;
use placed_support::{placed, simulated};

/// The lines whose numbers were taken and printed after one step began and before another did.
fn lines_between(run: &Run, from: usize, to: usize) -> Vec<Line> {
    let lines: Vec<(u64, String)> = run.lines();
    let window = run.steps[from]..run.steps[to];
    lines.iter().filter(|line| window.contains(&line.0)).map(|line| Line::read(&line.1)).collect()
}

/// The values the high LEDs (the low bits of the count of bad LTPs) went through.
fn bad_on_leds(run: &Run) -> Vec<u64> {
    let mut values: Vec<u64> = run.leds.iter().map(|(_, value)| value >> 4).collect();
    values.dedup();
    values
}

const FAST: Board = Board {
    serial_in: "serial_in",
    serial_out: "serial_out",
    leds: "leds",
    // 16 MHz and 2 Mbaud.
    period_ps: 62_500,
    divider: 8,
    limit: 2_000_000,
    probes: &[],
};

#[test]
fn the_panel_counts_every_injected_error_once() {
    if !board_bench::places_panels("link_loopback_panel") {
        return;
    }
    let Some(toolbox) = board_bench::tools() else { return };
    let work = WorkDirectory::of_home(&Home::from_environment().unwrap());
    let source = block("link_loopback_panel", "fast", &[], Technology::Ecp5);
    let netlist = simulated(&placed(&source, 25.0, &toolbox, &work));
    // After each action the line in progress and one more are let go by.
    let press = [Step::Set("button", 1), Step::Wait(100), Step::Set("button", 0), Step::Lines(4)];
    let mut steps = vec![Step::Set("clear", 1), Step::Wait(50), Step::Set("clear", 0), Step::Lines(3)];
    steps.extend(press); // 4..8
    steps.extend([Step::Send('e'), Step::Lines(4)]); // 8, 9
    steps.extend([Step::Send('1'), Step::Lines(4)]); // 10, 11
    steps.extend([Step::Send('c'), Step::Lines(4)]); // 12, 13
    steps.extend([Step::Send('e'), Step::Lines(4)]); // 14, 15
    steps.extend([Step::Send('z'), Step::Lines(3), Step::Wait(1)]); // 16, 17, 18
    let run = run(&source, &netlist, &FAST, &steps, &toolbox);
    println!("bad on LEDs {:?}", bad_on_leds(&run));
    let before = run_source(&source, &FAST, &steps, &toolbox);
    assert_eq!(before.lines(), run.lines(), "what was placed says something else than its source");
    assert_eq!(before.leds, run.leds);

    // (first step, step after, bad, lanes, mode) of each stretch of lines.
    let stretches = [
        (3, 4, 0, 4, 0),
        (7, 8, 1, 4, 0),
        (9, 10, 2, 4, 0),
        (11, 12, 2, 1, 0),
        (13, 14, 2, 1, 1),
        (15, 16, 3, 1, 1),
    ];
    let mut good_before = 0;
    for (from, to, bad, lanes, mode) in stretches {
        let lines = lines_between(&run, from, to);
        assert!(lines.len() >= 3, "{lines:?}");
        // The first line may have been taken before the action.
        let settled = if from == 3 { &lines[..] } else { &lines[2..] };
        for line in settled {
            assert_eq!((line.bad, line.lanes, line.mode, line.wrong), (bad, lanes, mode, 0), "{lines:?}");
        }
        for line in &lines {
            assert!(line.good > good_before, "LTPs stand still: {lines:?}");
            good_before = line.good;
        }
    }
    // A bad LTP is one gap at the checker, or none if it held only Idle.
    let lost = lines_between(&run, 15, 16).last().unwrap().gaps;
    assert!((1..=3).contains(&lost), "{lost} gaps for three bad LTPs");
    let zeroed = lines_between(&run, 17, 18);
    let last = zeroed.last().unwrap();
    assert!(last.bad == 0 && last.gaps == 0 && last.good < good_before, "{zeroed:?}");
    assert_eq!(bad_on_leds(&run), [0, 1, 2, 3, 0]);
}
