//! Every design on every board it is for: sound structure, declared crossings, a pin for every port, a frequency for every clock.
//! Building them is another matter: `link-loopback` is built in `placed_board.rs`, the designs over wires here on request.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::board_bench::{self, bitstream};
use flitforge_boards::constraints::{clock_lines, lpf, ClockSource, TopPort};
use flitforge_boards::{board, designs, Board, Direction};
use flitforge_elaborate::check::{structure, CrossingCatalogue, Severity};
use flitforge_elaborate::graph::{Shape, SignalKind};
use flitforge_elaborate::{elaborate, Design as Graph};
use flitforge_flow::tools::Toolbox;
use flitforge_flow::Effort;
use std::process::Command;
use tempfile::TempDir;

/// Of the thread that builds the designs: by value, as all blocks are.
const STACK_BYTES: usize = 128 << 20;

/// Every design with each of its boards, elaborated.
fn all() -> Vec<(&'static flitforge_boards::Design, Board, Graph)> {
    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
    builder.spawn(elaborated).expect("a thread").join().expect("elaborated")
}

fn elaborated() -> Vec<(&'static flitforge_boards::Design, Board, Graph)> {
    let on_boards = |design: &'static flitforge_boards::Design| {
        design.boards.iter().map(move |name| {
            let board = board(name).unwrap();
            let top = design.build(&board).unwrap();
            let graph = elaborate(top.as_ref(), &design.name.replace('-', "_")).unwrap();
            (design, board, graph)
        })
    };
    designs().iter().flat_map(on_boards).collect()
}

fn top_ports(graph: &Graph) -> Vec<TopPort> {
    let ports = graph.top_module().ports();
    let port = |(_, signal): (_, &flitforge_elaborate::graph::Signal)| TopPort {
        name: signal.name.clone(),
        width: signal.width,
        direction: if signal.kind == SignalKind::Input { Direction::Input } else { Direction::Output },
    };
    ports.map(port).collect()
}

#[test]
fn structure_is_sound_and_crossings_are_declared() {
    let catalogue = CrossingCatalogue::project().unwrap();
    for (design, board, graph) in all() {
        let problems = structure(&graph, &catalogue);
        let errors: Vec<String> =
            problems.iter().filter(|p| p.severity == Severity::Error).map(ToString::to_string).collect();
        assert!(errors.is_empty(), "{} on {}:\n{}", design.name, board.name, errors.join("\n"));
    }
}

#[test]
fn every_port_has_a_pin_and_every_clock_a_frequency() {
    for (design, board, graph) in all() {
        let constraints = lpf(&board, &top_ports(&graph)).unwrap() + &clock_lines(design.clocks);
        // Clocks that come in by a pin: one line each, from the board or from the design.
        let inputs = graph.top_module().ports().filter(|(_, s)| s.shape == Shape::Clock);
        for (_, clock) in inputs {
            let line = format!("FREQUENCY PORT \"{}\" ", clock.name);
            assert_eq!(constraints.matches(&line).count(), 1, "{}: {}", design.name, clock.name);
        }
        // Clocks that cells give: the placer derives those of a phase-locked loop, the design names the others.
        let text = flitforge_elaborate::verilog::write(&graph, &Default::default());
        let serdes_clocks = text.matches("(* keep *) wire clock").count();
        let nets: Vec<&str> = design
            .clocks
            .iter()
            .filter_map(|(source, _)| match source {
                ClockSource::Net(net) => Some(*net),
                ClockSource::Port(_) => None,
            })
            .collect();
        assert_eq!(nets.len(), serdes_clocks, "{}: {nets:?}", design.name);
        for net in nets {
            let (instance, wire) = net.split_once('.').unwrap();
            assert_eq!(text.matches(&format!("(* keep *) wire {wire};")).count(), 1, "{net}");
            assert_eq!(text.matches(&format!(" {instance} (\n")).count(), 1, "{net}");
        }
    }
}

#[test]
fn every_effort_is_one() {
    for design in designs() {
        assert_eq!(design.effort.parse::<Effort>().expect(design.name).name(), design.effort);
    }
}

/// Builds with the command line, as a user does, and reads the bitstream back. Minutes of a core for each design.
fn build_and_read_back(design: &str, board: &str, toolbox: &Toolbox) -> (String, bitstream::Tiles) {
    let room = TempDir::new().unwrap();
    let folder = room.path().join("board");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    command.args(["build", design, "--board", board, "--seeds", "1", "--out"]).arg(&folder);
    let output = command.output().expect("started");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{errors}");
    println!("{out}");
    let placed = std::fs::read_to_string(folder.join(format!("{design}.config"))).unwrap();
    let unpacked = bitstream::unpack(toolbox, &folder, &format!("{design}.bit"), "unpacked.config");
    let (tables, arcs) = bitstream::logic_is_the_placed_one(&placed, &unpacked);
    assert!(tables > 5_000 && arcs > 50_000);
    (placed, unpacked)
}

fn wanted() -> Option<Toolbox> {
    if std::env::var_os("FLITFORGE_BOARDS").is_none() {
        println!("SKIPPED: whole ports are placed for boards with FLITFORGE_BOARDS=1 only, seven minutes of a core each");
        return None;
    }
    board_bench::tools()
}

#[test]
fn link_lvds_is_built_for_its_board() {
    let Some(toolbox) = wanted() else { return };
    build_and_read_back("link-lvds", "ulx3s-85f", &toolbox);
}

#[test]
fn link_serdes_is_built_for_its_board() {
    let Some(toolbox) = wanted() else { return };
    let (placed, unpacked) = build_and_read_back("link-serdes", "versa-ecp5-5g", &toolbox);
    println!("{} settings of the DCU are equal", bitstream::dcu_is_the_placed_one(&placed, &unpacked));
}

/// The fullest of them: most of an hour of a core.
#[test]
fn clock_tree_is_built_for_its_board() {
    let Some(toolbox) = wanted() else { return };
    build_and_read_back("clock-tree", "ulx3s-85f", &toolbox);
}
