//! The ladder on a small counter with the real tools.

use flitforge_flow::report::SynthReport;
use flitforge_flow::tools::{Silent, Toolbox};
use flitforge_flow::{measure, Device, FlowError, Level, MeasureRequest, Port, Source, WorkDirectory};
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
    let fmax = report.fmax_mhz.unwrap();
    assert!(fmax.min > 100.0 && fmax.min <= fmax.median && fmax.median <= fmax.max, "{fmax:?}");
    assert_eq!(report.clocks.len(), 1);
    assert_eq!((report.clocks[0].name.as_str(), report.clocks[0].seeds.len()), ("clock", 2));
    report.check_timing().unwrap();
    println!("{}", serde_json::to_string_pretty(&report).unwrap());
    assert!(!report.critical_paths.is_empty());
}

#[test]
fn a_target_out_of_reach_is_a_missed_timing() {
    let Some(report) = run(&counter(), "lfe5u-25f-6", Level::Place, Some(2000.0)) else { return };
    let error = report.unwrap().check_timing().unwrap_err();
    assert!(matches!(&error, FlowError::MissedTiming { block, .. } if block == "counter"), "{error}");
    assert_eq!(error.exit_code(), 4);
}
