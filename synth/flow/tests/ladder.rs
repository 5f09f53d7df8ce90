//! The ladder on a small counter with the real tools.
#![allow(clippy::unwrap_used)]

use flitforge_flow::ladder::lint::{lint, LintRules};
use flitforge_flow::ladder::place::{place, ClockConstraint, PlaceRequest, RawPath, DELAYS};
use flitforge_flow::ladder::synth::{synthesise, Surroundings};
use flitforge_flow::report::SynthReport;
use flitforge_flow::tools::{Silent, Toolbox};
use flitforge_flow::{build_board, BoardBuild, BoardRequest, Effort, BOARD_TOOLS};
use flitforge_flow::{
    measure, Delays, Device, FlowError, Level, MeasureRequest, Port, Source, WorkDirectory,
};
use std::collections::BTreeMap;

/// The tools, or a visible skip; under CI a missing tool fails.
fn tools(names: &[&str]) -> Option<Toolbox> {
    match Toolbox::locate(names) {
        Ok(toolbox) => Some(toolbox),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            println!("SKIPPED: {error}");
            None
        }
    }
}

fn counter() -> Source {
    Source {
        verilog: include_str!("counter.v").into(),
        top: "counter".into(),
        ports: vec![
            Port::clock("clock"),
            Port::input("clear", 1),
            Port::input("step", 8),
            Port::output("value", 8),
            Port::output("odd", 1),
        ],
    }
}

fn run(
    source: &Source,
    device: &str,
    level: Level,
    target: Option<f64>,
) -> Option<Result<SynthReport, FlowError>> {
    let toolbox = tools(level.tools())?;
    let room = tempfile::tempdir().unwrap();
    let device: Device = device.parse().unwrap();
    let request = MeasureRequest {
        source,
        device: &device,
        level,
        effort: Effort::Standard,
        target_mhz: target,
        clock_targets: &BTreeMap::new(),
        seeds: &[1, 2],
    };
    Some(measure(&request, &toolbox, &WorkDirectory::new(room.path()), &Silent))
}

#[test]
fn a_counter_is_measured_alone_register_to_register() {
    let Some(report) = run(&counter(), "lfe5u-25f-6", Level::Place, Some(100.0)) else { return };
    let report = report.unwrap();
    // 8 bits of count and `odd`; the harness' flip-flops do not count.
    assert_eq!(report.area.ff, 9);
    assert!((12..=40).contains(&report.area.lut4), "{:?}", report.area);
    assert_eq!(report.area_by_instance[""], report.area);
    assert_eq!(report.area_by_instance["inner"].ff, 8);
    let fmax = report.fmax_mhz.unwrap();
    assert!(fmax.min > 100.0 && fmax.min <= fmax.median && fmax.median <= fmax.max, "{fmax:?}");
    assert_eq!(report.clocks.len(), 1);
    assert_eq!((report.clocks[0].name.as_str(), report.clocks[0].seeds.len()), ("clock", 2));
    report.check_timing().unwrap();
    let path = &report.critical_paths[0];
    let known = ["inner/count[", "odd", "clock_"];
    for point in [path.start.text(), path.end.text()] {
        assert!(
            known.iter().any(|k| point.starts_with(k)),
            "{point} is no register of the block or the harness"
        );
    }
    assert!(
        path.delay_ns > 0.0 && (path.logic_ns + path.routing_ns - path.delay_ns).abs() < 1e-6,
        "{path:?}"
    );
}

/// The slowest path found in the delays of all cells and wires is the one the placer reports.
#[test]
fn delays_give_the_placers_own_slowest_path() {
    let Some(toolbox) = tools(&["yosys", "nextpnr-ecp5"]) else { return };
    let room = tempfile::tempdir().unwrap();
    let work = WorkDirectory::new(room.path());
    let (source, device): (Source, Device) = (counter(), "lfe5u-25f-6".parse().unwrap());
    let synthesis =
        synthesise(&source, Surroundings::Harness, &device, Effort::Standard, &toolbox, &work).unwrap();
    let clocks = [ClockConstraint { port: "clock".into(), mhz: 300.0 }];
    let request = PlaceRequest {
        subject: "counter",
        device: &device,
        clocks: &clocks,
        pins: None,
        seeds: &[1],
        effort: Effort::Standard,
        delays: true,
    };
    let placement = place(&synthesis.files, &request, &toolbox, &work).unwrap().remove(0);
    let delays = Delays::parse(&placement.files.read(DELAYS).unwrap()).unwrap();
    let ns = |path: &RawPath| path.path.iter().map(|segment| segment.delay).sum::<f64>();
    let all = ns(&delays.slowest("clock", |_| ()).unwrap()[&((), ())]);
    let reported = placement.report.fmax["clock"].achieved;
    assert!((1000.0 / all - reported).abs() < 0.002 * reported, "{all} ns, {reported} MHz");
    // The same by parts: within the counter, within the harness, and from one to the other.
    let parts = delays.slowest("clock", |cell| cell.starts_with("dut.")).unwrap();
    assert_eq!(parts.len(), 4);
    assert_eq!(parts.values().map(ns).fold(0.0, f64::max), all);
}

#[test]
fn a_target_out_of_reach_is_a_missed_timing() {
    let Some(report) = run(&counter(), "lfe5u-25f-6", Level::Place, Some(2000.0)) else { return };
    let error = report.unwrap().check_timing().unwrap_err();
    assert!(matches!(&error, FlowError::MissedTiming { block, .. } if block == "counter"), "{error}");
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn a_seven_series_block_stops_after_synthesis_and_says_so() {
    let Some(report) = run(&counter(), "xc7a35t-1", Level::Place, None) else { return };
    let report = report.unwrap();
    assert_eq!((report.level, report.area.ff), (Level::Synth, 9));
    assert!(report.notes.iter().any(|n| n.contains("openXC7")), "{:?}", report.notes);
}

#[test]
fn a_combinational_block_is_timed_between_flip_flops() {
    let source = Source {
        verilog: "module parity(input wire [3:0] a, output wire p); assign p = ^a; endmodule\n".into(),
        top: "parity".into(),
        ports: vec![Port::input("a", 4), Port::output("p", 1)],
    };
    let Some(report) = run(&source, "lfe5u-25f-6", Level::Place, None) else { return };
    let report = report.unwrap();
    assert_eq!((report.area.lut4, report.area.ff), (1, 0));
    assert_eq!(report.clocks[0].name, "harness_clock");
    assert!(report.fmax_mhz.is_some());
}

#[test]
fn a_top_that_is_not_there_is_a_clear_error() {
    let mut source = counter();
    source.top = "couter".into();
    let Some(result) = run(&source, "lfe5u-25f-6", Level::Synth, None) else { return };
    let message = result.unwrap_err().to_string();
    assert!(message.contains("yosys failed") && message.contains("couter"), "{message}");
}

#[test]
fn a_work_directory_that_cannot_be_written_is_a_clear_error() {
    let Some(toolbox) = tools(Level::Synth.tools()) else { return };
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("a_file");
    std::fs::write(&file, "").unwrap();
    let source = counter();
    let device: Device = "lfe5u-25f-6".parse().unwrap();
    for place in [file.join("runs"), "/proc/flitforge".into()] {
        let request = MeasureRequest {
            source: &source,
            device: &device,
            level: Level::Synth,
            effort: Effort::Standard,
            target_mhz: None,
            clock_targets: &BTreeMap::new(),
            seeds: &[1],
        };
        let error = measure(&request, &toolbox, &WorkDirectory::new(&place), &Silent).unwrap_err();
        assert_eq!(error.exit_code(), 4, "{error}");
        assert!(error.to_string().contains(&place.display().to_string()), "{error}");
    }
}

#[test]
fn lint_passes_good_text_and_lists_what_is_wrong_with_bad() {
    let Some(toolbox) = tools(Level::Lint.tools()) else { return };
    let room = tempfile::tempdir().unwrap();
    let work = WorkDirectory::new(room.path());
    let rules = LintRules::embedded().unwrap();
    lint(&counter(), &rules, &toolbox, &work).unwrap();
    let cases = [
        ("always @(posedge clock) q <= {1'b0, a};", "WIDTHTRUNC"),
        ("always @* if (a[0]) q = a;", "LATCH"),
        ("wire [3:0] y; assign y = ~y ^ a; always @(posedge clock) q <= y;", "loop"),
        ("always @(posedge clock) q <= b;", "error"),
    ];
    for (body, expected) in cases {
        let verilog = format!(
            "module bad(input wire clock, input wire [3:0] a, output reg [3:0] q);\n{body}\nendmodule\n"
        );
        let ports = vec![Port::clock("clock"), Port::input("a", 4), Port::output("q", 4)];
        let source = Source { verilog, top: "bad".into(), ports };
        let error = lint(&source, &rules, &toolbox, &work).unwrap_err();
        assert!(matches!(&error, FlowError::Lint { block, .. } if block == "bad"), "{error}");
        assert!(error.to_string().contains(expected), "{body}: {error}");
    }
}

#[test]
fn effort_delay_synthesises_and_places_with_its_own_options() {
    let Some(toolbox) = tools(Level::Place.tools()) else { return };
    let room = tempfile::tempdir().unwrap();
    let (source, device): (Source, Device) = (counter(), "lfe5u-25f-6".parse().unwrap());
    for effort in Effort::ALL {
        let work = WorkDirectory::new(room.path());
        let synthesis = synthesise(&source, Surroundings::Harness, &device, effort, &toolbox, &work).unwrap();
        let log = synthesis.files.read("yosys.log").unwrap();
        assert_eq!(log.contains("&if -g -W 800"), effort == Effort::Delay, "{}", effort.name());
        assert_eq!(log.contains("&if -F 0 -A 0"), effort == Effort::Shallow, "{}", effort.name());
        // A counter of few bits takes no carry cells.
        let small = matches!(effort, Effort::Area | Effort::Dense);
        assert_eq!(synthesis.area.ccu2c == 0, small, "{}", effort.name());
        let clocks = [ClockConstraint { port: "clock".into(), mhz: 300.0 }];
        let request = PlaceRequest {
            subject: "counter",
            device: &device,
            clocks: &clocks,
            pins: None,
            seeds: &[1],
            effort,
            delays: false,
        };
        let placements = place(&synthesis.files, &request, &toolbox, &work).unwrap();
        assert_eq!(placements.len(), 1);
        let request = MeasureRequest {
            source: &source,
            device: &device,
            level: Level::Place,
            effort,
            target_mhz: None,
            clock_targets: &BTreeMap::new(),
            seeds: &[1],
        };
        let report = measure(&request, &toolbox, &work, &Silent).unwrap();
        assert_eq!(report.effort, effort);
        assert!(report.to_markdown().contains(&format!("effort {}", effort.name())));
    }
    let artix: Device = "xc7a35t-1".parse().unwrap();
    let work = WorkDirectory::new(room.path());
    let refused =
        synthesise(&source, Surroundings::Harness, &artix, Effort::Delay, &toolbox, &work).unwrap_err();
    assert!(refused.to_string().contains("effort delay is for ECP5"), "{refused}");
}

#[test]
fn effort_area_has_carry_cells_for_wide_adders_only() {
    let Some(toolbox) = tools(Level::Synth.tools()) else { return };
    let room = tempfile::tempdir().unwrap();
    let work = WorkDirectory::new(room.path());
    let device: Device = "lfe5u-25f-6".parse().unwrap();
    for (bits, carries) in [(11, false), (12, true)] {
        let top = bits - 1;
        let verilog = format!(
            "module adder(input wire clock, input wire [{top}:0] a, input wire [{top}:0] b, output reg [{top}:0] q);\n\
             always @(posedge clock) q <= a + b;\nendmodule\n"
        );
        let ports = vec![
            Port::clock("clock"),
            Port::input("a", bits),
            Port::input("b", bits),
            Port::output("q", bits),
        ];
        let source = Source { verilog, top: "adder".into(), ports };
        let synthesis =
            synthesise(&source, Surroundings::Harness, &device, Effort::Area, &toolbox, &work).unwrap();
        assert_eq!(synthesis.area.ccu2c > 0, carries, "{bits} bits");
        // A sum and a carry for every bit, but for the last one's carry.
        assert!(carries || synthesis.area.lut4 < 2 * bits as u64 + 4, "{}", synthesis.area.lut4);
    }
}

#[test]
fn effort_delay_refuses_latches_as_standard_does() {
    let Some(toolbox) = tools(Level::Synth.tools()) else { return };
    let room = tempfile::tempdir().unwrap();
    let work = WorkDirectory::new(room.path());
    let verilog = "module held(input wire clock, input wire a, input wire b, output reg q);\n\
        always @* if (a) q = b;\nendmodule\n";
    let ports = vec![Port::clock("clock"), Port::input("a", 1), Port::input("b", 1), Port::output("q", 1)];
    let source = Source { verilog: verilog.into(), top: "held".into(), ports };
    let device: Device = "lfe5u-25f-6".parse().unwrap();
    for effort in Effort::ALL {
        let result = synthesise(&source, Surroundings::Harness, &device, effort, &toolbox, &work);
        let error = result.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.to_lowercase().contains("latch"), "{}: {error}", effort.name());
    }
}

const PINS: &str = "LOCATE COMP \"clock\" SITE \"G2\";\nIOBUF PORT \"clock\" IO_TYPE=LVCMOS33;\n\
    LOCATE COMP \"led[0]\" SITE \"B2\";\nIOBUF PORT \"led[0]\" IO_TYPE=LVCMOS33;\n\
    LOCATE COMP \"led[1]\" SITE \"C2\";\nIOBUF PORT \"led[1]\" IO_TYPE=LVCMOS33;\n";

fn blinker(constraints: &str) -> Option<Result<BoardBuild, FlowError>> {
    let toolbox = tools(BOARD_TOOLS)?;
    let source = Source {
        verilog: "module blink(input wire clock, output wire [1:0] led);\nreg [15:0] count;\ninitial count = 16'd0;\n\
                  always @(posedge clock) count <= count + 16'd1;\nassign led = count[15:14];\nendmodule\n"
            .into(),
        top: "blink".into(),
        ports: vec![Port::clock("clock"), Port::output("led", 2)],
    };
    let room = tempfile::tempdir().unwrap();
    let device: Device = "lfe5u-25f-6".parse().unwrap();
    let request =
        BoardRequest { source: &source, device: &device, constraints, effort: Effort::Standard, seeds: &[1] };
    Some(build_board(&request, &toolbox, &WorkDirectory::new(room.path()), &Silent).inspect(|build| {
        assert!(std::fs::metadata(build.files.path.join("design.bit")).unwrap().len() > 1000);
        assert!(std::fs::metadata(build.files.path.join("design.svf")).unwrap().len() > 1000);
    }))
}

#[test]
fn a_board_build_ends_with_a_bitstream_that_reads_back() {
    let Some(build) = blinker(&format!("{PINS}FREQUENCY PORT \"clock\" 25 MHZ;\n")) else { return };
    let build = build.unwrap();
    assert_eq!((build.seed, build.report.area.ff), (1, 16));
    assert_eq!(build.report.clocks[0].constraint_mhz, 25.0);
}

#[test]
fn a_board_build_refuses_open_pins_defaulted_clocks_and_missed_timing() {
    let Some(open) = blinker(PINS.split("LOCATE COMP \"led[1]\"").next().unwrap()) else { return };
    assert!(matches!(open.unwrap_err(), FlowError::UnconstrainedIo { ports, .. } if ports == ["led[1]"]));
    let Some(defaulted) = blinker(PINS) else { return };
    assert!(
        matches!(defaulted.unwrap_err(), FlowError::DefaultedClock { clocks, .. } if clocks == ["clock"])
    );
    let Some(missed) = blinker(&format!("{PINS}FREQUENCY PORT \"clock\" 900 MHZ;\n")) else { return };
    assert!(matches!(missed.unwrap_err(), FlowError::MissedTiming { misses, .. } if misses.len() == 1));
}
