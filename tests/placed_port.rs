//! `port_loopback_panel` after placement and routing, operated like the board: console, an injected error, lanes killed by
//! button, commands. Its fast preset prints a line every ten thousand clocks; a whole port is placed and
//! simulated for that, so only CI runs it (`FLITFORGE_PLACED=1`).
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::board_bench::line::Line;
use crate::board_bench::{self, block, run, run_source, Board, Run, Step};
use crate::kept::{unless_kept, Kept};
use crate::placed_support::{placed, simulated};
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::tools::{Home, Toolbox};
use flitforge_flow::{Source, WorkDirectory};
use flitforge_protocol::link::LinkState;

/// The lines whose numbers were taken and printed after one step began and before another did.
fn lines_between(run: &Run, from: usize, to: usize) -> Vec<Line> {
    let lines: Vec<(u64, String)> = run.lines();
    let window = run.steps[from]..run.steps[to];
    lines.iter().filter(|line| window.contains(&line.0)).map(|line| Line::read(&line.1)).collect()
}

/// The values the high LEDs (lanes received on) went through.
fn lanes_on_leds(run: &Run) -> Vec<u64> {
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
fn the_panel_loses_lanes_one_by_one_and_no_beat() {
    if !board_bench::places_panels("port_loopback_panel") {
        return;
    }
    let Some(toolbox) = board_bench::tools() else { return };
    let source = block("port_loopback_panel", "fast", &[], Technology::Ecp5);
    // The text that is built has block RAM as instances; the text it is compared with has arrays.
    let reference = block("port_loopback_panel", "fast", &[], Technology::Generic);
    let texts = [&*source.verilog, &reference.verilog];
    let kept = Kept::new("placed_port.panel", "tests/placed_port.rs", &texts, &toolbox);
    unless_kept(&kept, || lanes_are_lost_one_by_one(&source, &reference, &toolbox));
}

fn lanes_are_lost_one_by_one(source: &Source, reference: &Source, toolbox: &Toolbox) {
    let work = WorkDirectory::of_home(&Home::from_environment().unwrap());
    let netlist = simulated(&placed(source, 25.0, toolbox, &work));
    let press = |button: u32| {
        [
            Step::Set("buttons", 1 << button),
            Step::Wait(100),
            Step::Set("buttons", 0),
            Step::Wait(3000),
            Step::Lines(3),
        ]
    };
    let (inject, kill, restore) = (press(0), press(1), press(2));
    let mut steps =
        vec![Step::Set("clear", 1), Step::Wait(50), Step::Set("clear", 0), Step::Wait(5000), Step::Lines(3)];
    for press in [inject, kill.clone(), kill.clone(), kill, restore] {
        steps.extend(press); // lines from step 9, 14, 19, 24, 29 on
    }
    steps.extend([Step::Send('s'), Step::Wait(5000), Step::Lines(3)]); // 30, 31, 32
    steps.extend([Step::Send('z'), Step::Lines(3), Step::Wait(1)]); // 33, 34, 35
    let run = run(source, &netlist, &FAST, &steps, toolbox);
    println!("lanes on LEDs {:X?}", lanes_on_leds(&run));
    let before = run_source(reference, &FAST, &steps, toolbox);
    assert_eq!(before.lines(), run.lines(), "what was placed says something else than its source");
    assert_eq!(before.leds, run.leds);

    // (first step, state, lanes, CRC mode) of each stretch of lines.
    let stretches = [
        (4, LinkState::Active, 0xF, 1),
        (9, LinkState::Active, 0xF, 1),
        (14, LinkState::Degraded, 0xE, 1),
        (19, LinkState::Degraded, 0xC, 1),
        (24, LinkState::Degraded, 0x8, 1),
        (29, LinkState::Active, 0xF, 1),
        (32, LinkState::Active, 0xF, 0),
    ];
    let mut good_before = 0;
    let mut bad = vec![];
    for (step, state, lanes, mode) in stretches {
        let lines = lines_between(&run, step, step + 1);
        assert!(lines.len() >= 2, "{lines:?}");
        for line in &lines[1..] {
            assert_eq!(
                (line.state, line.lanes, line.mode),
                (state.code().into(), (lanes, lanes), mode),
                "{lines:?}"
            );
            assert!(line.good > good_before, "LTPs stand still: {lines:?}");
            good_before = line.good;
        }
        assert!(lines.iter().all(|line| (line.gaps, line.wrong) == (0, 0)), "a beat is missing: {lines:?}");
        bad.push(lines.last().map(|line| (line.bad, line.replay > 0)).unwrap());
    }
    assert_eq!(bad[..2], [(0, false), (1, true)], "one error was injected, and mended");
    assert!(bad[4].0 > bad[1].0, "dead lanes are found by bad LTPs: {bad:?}");
    let zeroed = lines_between(&run, 34, 35);
    let last = zeroed.last().unwrap();
    assert!(last.bad == 0 && last.replay == 0 && last.good < good_before, "{zeroed:?}");
    let seen = lanes_on_leds(&run);
    let mut rest = seen.iter();
    assert!([0xF, 0xE, 0xC, 0x8, 0xF].iter().all(|lanes| rest.any(|seen| seen == lanes)), "{seen:X?}");
    assert!(run.leds.iter().all(|(_, value)| value & 8 == 0), "LED 3: a gap or a wrong beat");
}
