//! The placed netlist of a board design, as `flitforge build` makes it, as Verilog for simulation.

use super::source_of;
use flitforge_boards::constraints::{clock_lines, lpf, TopPort};
use flitforge_boards::{board, design, Board};
use flitforge_elaborate::elaborate;
use flitforge_elaborate::verilog::Technology;
use flitforge_flow::placed::simulation_verilog;
use flitforge_flow::tools::{Silent, Toolbox};
use flitforge_flow::{build_board, BoardRequest, Device, Direction, Source, WorkDirectory};

/// Of the thread that builds the design: by value, as all blocks are.
const STACK_BYTES: usize = 128 << 20;

/// The text of a design and its constraints.
fn source(name: &str, board: &Board) -> (Source, String) {
    let design = design(name).expect("there");
    let top = design.build(board).expect("it builds");
    let elaborated = elaborate(top.as_ref(), &name.replace('-', "_")).expect("it elaborates");
    let source = source_of(&elaborated, Technology::Ecp5);
    let port = |port: &flitforge_flow::Port| TopPort {
        name: port.name.clone(),
        width: port.width as u32,
        direction: match port.direction {
            Direction::Input => flitforge_boards::Direction::Input,
            Direction::Output => flitforge_boards::Direction::Output,
        },
    };
    let ports: Vec<TopPort> = source.ports.iter().map(port).collect();
    let constraints = lpf(board, &ports).expect("pins") + &clock_lines(design.clocks);
    (source, constraints)
}

/// The design's ports, and its placed netlist as Verilog, of seed 1; timing has to be met.
pub fn netlist(name: &'static str, of: &str, toolbox: &Toolbox, work: &WorkDirectory) -> (Source, String) {
    let board = board(of).expect("there");
    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
    let of_board = board.clone();
    let thread = builder.spawn(move || source(name, &of_board)).expect("a thread");
    let (source, constraints) = thread.join().expect("it ends");
    let device: Device = board.device.parse::<Device>().expect("a device").with_package(&board.package);
    let effort = design(name).expect("there").effort.parse().expect("an effort");
    let request =
        BoardRequest { source: &source, device: &device, constraints: &constraints, effort, seeds: &[1] };
    let path = build_board(&request, toolbox, work, &Silent).expect("timing is met").netlist;
    let text = simulation_verilog(&path).expect("known cells");
    (source, text)
}
