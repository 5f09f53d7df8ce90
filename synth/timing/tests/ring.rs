//! The three columns of the report know nothing of each other, and agree; the report has its six parts.
#![allow(clippy::expect_used)] // helpers of tests

use flitforge_elaborate::graph::{
    Expr, ExprKind, Module, Register, Shape, Signal, SignalId, SignalKind, Statement,
};
use flitforge_elaborate::{elaborate, Design, Value};
use flitforge_flow::ladder::area::Area;
use flitforge_flow::{Device, Port, Source};
use flitforge_hdl::registry::shapes::{self, Extra};
use flitforge_hdl::time::ring;
use flitforge_protocol::time_ring::{Embed, RingDirection};
use flitforge_sim::CompiledBench;
use flitforge_timing::columns::{simulated_column, static_column, time_ring, ColumnError, Way};
use flitforge_timing::report::{goal_of, RingReport, RingRequest};
use flitforge_timing::seed::{HopRow, OtherRow, PathRow, Segment, StopArea};
use flitforge_timing::{
    markdown, next_stop, picture, ring_name, Columns, Floorplan, RingCampaign, RingSource, SeedRow,
};
use std::sync::Once;

/// A shape that these tests ask the registry for and the library does not have: four stops with two registers per hop.
static EXTRAS: [Extra; 1] = [Extra {
    shape: "flitforge_hdl::time::ring::build_4_as::<46, 51, 4, 0>",
    build: ring::build_4_as::<46, 51, 4, 0>,
}];

/// Makes it known, once.
fn add_shapes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| assert!(shapes::add(&EXTRAS).is_ok(), "shapes were added by something else"));
}

#[test]
fn all_pairs_of_four_and_eight_stops_agree_in_all_columns() {
    add_shapes();
    let rings = [(4, Embed::Value), (4, Embed::Flit), (8, Embed::Value)];
    for ((stops, embed), hop_registers) in
        rings.into_iter().flat_map(|ring| [1, 2].map(|registers| (ring, registers)))
    {
        let columns = Columns::measure(stops, hop_registers, embed).expect("measured");
        columns.check().expect("equal");
        // The chapter's table: 12 and 56 pairs, each over both rings; 1.333 and 2.286 hops on the shorter one.
        let ways: Vec<Way> = Way::all(stops).collect();
        assert_eq!(ways.len() as u32, 2 * stops * (stops - 1));
        let shorter =
            |ring| ways.iter().filter(move |way| way.ring == ring).map(|way| columns.token.get(*way));
        let [cw, ccw] = RingDirection::ALL.map(shorter);
        let sum: u32 = cw.zip(ccw).map(|(cw, ccw)| cw.min(ccw)).sum();
        assert_eq!(sum, hop_registers * if stops == 4 { 16 } else { 128 });
    }
}

fn good(stops: u32) -> Design {
    elaborate(time_ring(stops, 1, Embed::Value).expect("built").block.as_ref(), "time_ring")
        .expect("elaborated")
}

fn signal(module: &Module, path: &str) -> SignalId {
    let place = module.signals.iter().position(|signal| signal.path == path);
    SignalId(place.unwrap_or_else(|| panic!("no signal {path}")) as u32)
}

/// Puts a register in front of a signal.
fn delay(module: &mut Module, path: &str) {
    let (target, clock) = (signal(module, path), signal(module, "clock"));
    let width = module.signals[target.0 as usize].width;
    let name = |end: &str| format!("late_{}_{end}", path.replace(|c: char| !c.is_alphanumeric(), "_"));
    let [d, q] = [("d", SignalKind::ElementInput), ("q", SignalKind::ElementOutput)].map(|(end, kind)| {
        let (path, name) = (name(end), name(end));
        module.signals.push(Signal { path, name, width, kind, shape: Shape::Bits });
        SignalId(module.signals.len() as u32 - 1)
    });
    let mut moved = 0;
    for statement in &mut module.body {
        if let Statement::Assign { target: assigned, .. } = statement {
            if *assigned == target {
                *assigned = d;
                moved += 1;
            }
        }
    }
    assert_eq!(moved, 1, "{path} is assigned once");
    module.body.push(Statement::Assign { target, value: Expr { width, kind: ExprKind::Read(q) } });
    module.registers.push(Register {
        path: name("register"),
        clock,
        d,
        q,
        enable: None,
        clear: None,
        initial: Value::zero(width),
        attributes: vec![],
    });
}

/// A ring whose hop from stop 1 to stop 2, clockwise, has a register too many, for these parts of a slot.
fn late(parts: &[&str]) -> Design {
    let mut design = good(4);
    let top = design.top.0 as usize;
    for part in parts {
        delay(&mut design.modules[top], &format!("cw[2].{part}"));
    }
    design
}

const SLOT: [&str; 6] =
    ["control_in", "data_in", "own_in", "forwards_in", "forward_copies_in", "look_ahead_in"];

#[test]
fn a_hop_with_a_register_too_many_is_found_by_both_columns_of_the_design() {
    let columns = Columns::measure(4, 1, Embed::Value).expect("measured");
    let design = late(&SLOT);
    let mut bench = CompiledBench::of_design("time_ring", &design).expect("compiled");
    let wrong = Columns {
        statics: static_column(&design, 4).expect("static"),
        simulated: simulated_column(&mut bench, 4, 4).expect("simulated"),
        ..columns.clone()
    };
    // Of one, two and three hops, so many ways pass this one.
    let differences = wrong.differences();
    assert_eq!(differences.len(), 1 + 2 + 3);
    for difference in &differences {
        assert_eq!(difference.way.ring, RingDirection::Clockwise);
        let found = [difference.statics, difference.simulated, difference.token];
        assert_eq!(found, [difference.rule + 1, difference.rule + 1, difference.rule]);
    }
    let error = wrong.check().expect_err("differs").to_string();
    assert!(error.contains("6 way(s)") && error.contains("cw 1 to 2: rule 1, static 2"), "{error}");
    // Each column by itself.
    for alone in [
        Columns { statics: wrong.statics.clone(), ..columns.clone() },
        Columns { simulated: wrong.simulated.clone(), ..columns.clone() },
        Columns { token: wrong.simulated.clone(), ..columns },
    ] {
        assert_eq!(alone.differences().len(), 6);
    }
}

#[test]
fn a_slot_that_comes_apart_is_no_way() {
    let error = static_column(&late(&["data_in"]), 4).expect_err("apart");
    assert!(matches!(&error, ColumnError::Way { column: "static", .. }), "{error}");
    assert!(error.to_string().contains("data take 3 cycles, control bits 2"), "{error}");
    // A stop that hears too late that a slot is occupied takes it for an empty one.
    let design = late(&["forwards_in", "forward_copies_in"]);
    let mut bench = CompiledBench::of_design("time_ring", &design).expect("compiled");
    let error = simulated_column(&mut bench, 4, 4).expect_err("lost").to_string();
    assert!(error.contains("cw ring, stop 0 to stop 2: the value never comes"), "{error}");
}

fn path(delay_ns: f64, start: &str) -> PathRow {
    let routing = (delay_ns * 1000.0 - 800.0).round() / 1000.0;
    let parts = [("clk-to-q", 0.5), ("routing", routing), ("logic", 0.25), ("setup", 0.05)];
    let segments =
        parts.map(|(kind, ns)| Segment { kind: kind.into(), ns, to: format!("{start}_end") }).to_vec();
    PathRow { start: start.into(), end: format!("{start}_end"), delay_ns, levels: 1, segments }
}

/// A placement that nobody made: hop i takes 2 ns and a tenth for each seed, but the last one, which takes 4 ns.
fn row(ring: &RingSource<'_>, seed: u64) -> SeedRow {
    let (mut hops, mut stop_areas) = (vec![], vec![]);
    for (direction, from) in RingDirection::ALL.into_iter().flat_map(|d| (0..ring.stops).map(move |s| (d, s)))
    {
        let to = next_stop(direction, ring.stops, from);
        let last = direction == RingDirection::CounterClockwise && from + 1 == ring.stops;
        let ns = if last { 4.0 } else { (20 + seed) as f64 / 10.0 };
        let name = ring_name(direction);
        // The first part of a hop of two takes half as long.
        for part in 1..=ring.hop_registers {
            let ns = if part < ring.hop_registers { ns / 2.0 } else { ns };
            let path = path(ns, &format!("{name}_{from}/control"));
            hops.push(HopRow { ring: name.into(), from, to, part, path });
        }
        stop_areas.push(StopArea { ring: name.into(), stop: from, lut4: 90 + u64::from(from), ff: 150 });
    }
    SeedRow {
        key: ring.key(seed),
        tools: [("yosys", "0.70"), ("nextpnr-ecp5", "0.11")].map(|(n, v)| (n.into(), v.into())).into(),
        tool_mhz: 199.0,
        hops,
        others: vec![OtherRow { kind: "within a stop".into(), path: path(5.0, "cw_1/long_wait") }],
        area: Area { lut4: 800, ff: 1300, ..Area::default() },
        stop_areas,
    }
}

fn source() -> Source {
    Source {
        verilog: "module time_ring; endmodule".into(),
        top: "time_ring".into(),
        ports: vec![Port::clock("clock")],
    }
}

fn on_rings<T>(device: &str, hop_registers: u32, work: impl FnOnce(&RingSource<'_>) -> T) -> T {
    add_shapes();
    let (device, source): (Device, Source) = (device.parse().expect("device"), source());
    let target_mhz = goal_of(&device);
    work(&RingSource {
        stops: 4,
        hop_registers,
        embed: Embed::Value,
        source: &source,
        device: &device,
        target_mhz,
        floorplan: Floorplan::Rows,
    })
}

fn report(device: &str, seeds: u64) -> Option<RingReport> {
    report_of(device, 1, seeds)
}

fn report_of(device: &str, hop_registers: u32, seeds: u64) -> Option<RingReport> {
    on_rings(device, hop_registers, |ring| {
        let rows: Vec<SeedRow> = (1..=seeds).map(|seed| row(ring, seed)).collect();
        let (device, target_mhz) = (ring.device, ring.target_mhz);
        let embed = Embed::Value;
        let request = RingRequest { device, stops: 4, hop_registers, embed, target_mhz, core_mhz: 125.0 };
        RingReport::new(&request, &rows, &Columns::measure(4, hop_registers, Embed::Value).expect("measured"))
    })
}

#[test]
fn the_report_has_what_the_placements_say() {
    let report = report("lfe5u-85f-6", 3).expect("a report");
    assert_eq!((report.header.seeds.as_slice(), report.header.target_mhz), (&[1, 2, 3][..], 300.0));
    assert_eq!((report.hops.len(), report.pairs.len()), (8, 12));
    let hop = &report.hops[0];
    let round = |mhz: f64| mhz.round();
    assert_eq!([hop.mhz.median, hop.mhz.min, hop.mhz.max].map(round), [455.0, 435.0, 476.0]);
    assert!((hop.slack_ns - (10.0 / 3.0 - 2.2)).abs() < 1e-9, "of the median seed: {}", hop.slack_ns);
    // A hop of 4 ns, and 5 ns within a stop: 250 and 200 MHz, so at a core clock of 125 MHz M = 1 only.
    assert_eq!([report.clock.hops_mhz.median, report.clock.mhz.median].map(round), [250.0, 200.0]);
    assert!(report.clock.seeds.iter().all(|seed| seed.limit.contains("within a stop: cw_1/long_wait")));
    assert_eq!(
        report.supported.iter().map(|clock| clock.met).collect::<Vec<_>>(),
        [true, false, false, false]
    );
    assert_eq!((report.goal.met, round(report.goal.slowest_hop_mhz)), (false, 250.0));
    assert!(report.notes[0].contains("250.0 MHz (median), 300 MHz are wanted"), "{:?}", report.notes);
    // The chapter's table for N = 4: largest D(h) for M = 1, 2, 3.
    let largest = |place: usize| report.pairs.iter().map(|pair| pair.delays[place].clocks).max();
    assert_eq!([0, 1, 2].map(largest), [Some(9), Some(7), Some(7)]);
    let pair = report.pairs.iter().find(|pair| (pair.from, pair.to) == (0, 3)).expect("a pair");
    assert_eq!((pair.hops_cw, pair.hops_ccw, pair.ring.as_str(), pair.gain_cycles), (3, 1, "ccw", 2));
    assert_eq!([pair.ring_cycles, pair.static_cycles, pair.simulated_cycles, pair.token_cycles], [1; 4]);
    assert!((pair.achieved_ns - 5.0).abs() < 1e-9 && (pair.delays[0].ns - 64.0).abs() < 1e-9, "{pair:?}");
}

#[test]
fn speed_8_is_asked_for_more_and_figures_above_the_clock_tree_are_the_tools_own() {
    let fast = report("lfe5um5g-85f-8", 1).expect("a report");
    assert_eq!(fast.goal.mhz, 400.0);
    assert!(fast.notes.iter().all(|note| !note.contains("clock-tree")), "{:?}", fast.notes);
    assert!(report("lfe5u-85f-6", 0).is_none(), "nothing placed, nothing to report");
    let device: Device = "lfe5u-85f-6".parse().expect("device");
    let rows = on_rings("lfe5u-85f-6", 1, |ring| {
        let mut row = row(ring, 1);
        row.others.clear();
        row.hops.iter_mut().for_each(|hop| hop.path.delay_ns = 2.0);
        vec![row]
    });
    let (embed, columns) = (Embed::Value, Columns::measure(4, 1, Embed::Value).expect("measured"));
    let request = RingRequest {
        device: &device,
        stops: 4,
        hop_registers: 1,
        embed,
        target_mhz: 300.0,
        core_mhz: 125.0,
    };
    let report = RingReport::new(&request, &rows, &columns).expect("a report");
    assert!(
        report.goal.met && report.notes[0].contains("500.0 MHz is a tool figure above"),
        "{:?}",
        report.notes
    );
}

#[test]
fn text_and_pictures_show_every_part() {
    let report = report("lfe5u-85f-6", 2).expect("a report");
    let text = report.to_markdown();
    for part in [
        "# Time ring of 4 stops on lfe5u-85f-6",
        "## 1. What was measured",
        "| floorplan | rows: ring registers have fixed places, neighbours side by side |",
        "## 2. Hops",
        "| cw | 0 | 1 | 454.5 | 454.5 | 476.2 | 1.133 | 2.200 |",
        "## 3. Ring clock",
        "within a stop",
        "## 4. Pairs",
        "7 (56.0 ns)",
        "7 (56.0 ns), not met",
        "12 pairs, 1.333 ring cycles on average",
        "## 5. Ring cycles, found in three ways",
        "agree with the chapter on 12 of 12 pairs",
        "| 0 | 3 | ccw | 1 | 1 | 1 | 1 |",
        "## 6. Area and goal",
        "| a stop of one ring | 90 to 93 | 150 to 150 |",
        "not met",
    ] {
        assert!(text.contains(part), "`{part}` is missing in {text}");
    }
    let picture = report.to_svg();
    assert_eq!((picture.matches("<path").count(), picture.matches("<circle").count()), (8, 4));
    assert!(picture.contains("ccw 3 to 2: 250.0 MHz, slack -0.667 ns"), "{picture}");
    assert!(picture::plot(std::slice::from_ref(&report)).contains("slowest hop, median"));
    assert!(markdown::summary(&[report]).contains("| 4 | VALUE | lfe5u-85f-6 |"));
}

#[test]
fn with_two_registers_per_hop_both_parts_are_reported() {
    let report = report_of("lfe5u-85f-6", 2, 1).expect("a report");
    assert_eq!((report.hops.len(), report.header.hop_registers), (16, 2));
    let parts: Vec<(u32, f64)> = report.hops[..2].iter().map(|hop| (hop.part, hop.path.delay_ns)).collect();
    assert_eq!(parts, [(1, 1.05), (2, 2.1)]);
    // D(h) of the chapter: two hops of two registers, M = 1 and 2.
    let pair = report.pairs.iter().find(|pair| (pair.from, pair.to) == (0, 2)).expect("a pair");
    assert_eq!([pair.ring_cycles, pair.static_cycles, pair.simulated_cycles, pair.token_cycles], [4; 4]);
    assert_eq!([pair.delays[0].clocks, pair.delays[1].clocks], [6 + 5, 6 + 2]);
    let text = report.to_markdown();
    for part in [
        "| N, S, EMBED | 4, 2, VALUE |",
        "part 1 ends at the second register",
        "| cw | 0 | 1 | 2 | 476.2 |",
        "| a stop of one ring and the second register in front of it |",
    ] {
        assert!(text.contains(part), "`{part}` is missing in {text}");
    }
    assert!(report.clock.seeds.iter().all(|seed| seed.hops_mhz.round() == 250.0));
    assert_eq!(report.to_svg().matches("<path").count(), 16);
    assert!(markdown::summary(&[report]).contains("| 4, S = 2 | VALUE |"));
}

/// A line of a record of before there were two registers per hop.
#[test]
fn a_record_that_says_nothing_of_registers_has_one_per_hop() {
    on_rings("lfe5u-85f-6", 1, |ring| {
        let mut line = serde_json::to_value(row(ring, 1)).expect("JSON");
        line.as_object_mut().and_then(|line| line.remove("hop_registers")).expect("said");
        line["hops"].as_array_mut().expect("hops").iter_mut().for_each(|hop| {
            hop.as_object_mut().and_then(|hop| hop.remove("part")).expect("said");
        });
        assert_eq!(serde_json::from_value::<SeedRow>(line).expect("a row"), row(ring, 1));
    });
}

#[test]
fn a_record_is_used_whole_or_refused() {
    let folder = std::env::temp_dir().join(format!("flitforge-timing-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let path = folder.join("record.jsonl");
    on_rings("lfe5u-85f-6", 1, |ring| {
        let campaign = |seeds| RingCampaign { seeds, jobs: 1, record: Some(path.clone()) };
        let lines: Vec<String> =
            (1..=2).map(|seed| serde_json::to_string(&row(ring, seed)).expect("JSON")).collect();
        std::fs::write(&path, lines.join("\n") + "\n").expect("written");
        let rows = campaign(2).recorded(&[*ring]).expect("all there");
        assert_eq!(rows, [vec![row(ring, 1), row(ring, 2)]]);
        let missing = campaign(3).recorded(&[*ring]).expect_err("one is missing").to_string();
        assert!(missing.contains("N = 4 seed 3") && !missing.contains("seed 2"), "{missing}");
        // Other Verilog, another clock: another placement.
        let other = Source { verilog: "module time_ring; wire a; endmodule".into(), ..source() };
        let changed = RingSource { source: &other, ..*ring };
        assert!(campaign(1).recorded(&[changed]).is_err());
        assert!(campaign(1).recorded(&[RingSource { target_mhz: 301.0, ..*ring }]).is_err());
        assert!(campaign(1).recorded(&[RingSource { floorplan: Floorplan::Free, ..*ring }]).is_err());
        assert!(campaign(1).recorded(&[RingSource { hop_registers: 2, ..*ring }]).is_err());
        // Rows of two sets of tools are not put together.
        let newer = lines[1].replace("0.70", "0.71");
        std::fs::write(&path, format!("{}\n{newer}\n", lines[0])).expect("written");
        let mixed = campaign(2).recorded(&[*ring]).expect_err("mixed").to_string();
        assert!(mixed.contains("different tools"), "{mixed}");
        std::fs::write(&path, "no row\n").expect("written");
        let wrong = campaign(1).recorded(&[*ring]).expect_err("no row").to_string();
        assert!(wrong.contains("record.jsonl:1") && wrong.contains("not a line of a record"), "{wrong}");
    });
    std::fs::remove_dir_all(&folder).expect("removed");
}
