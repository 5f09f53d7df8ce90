//! A block and its placed and routed netlist, simulated with the same random inputs.
#![allow(dead_code, clippy::expect_used)] // the tests of each crate that has it use a part

use flitforge_flow::placed::{instances_verilog, simulation_verilog, NETLIST_TOP};
use flitforge_flow::tools::{Silent, Toolbox};
use flitforge_flow::{
    build_board, BoardBuild, BoardRequest, Device, Direction, Effort, Port, Source, WorkDirectory,
    BOARD_TOOLS,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Clocks after which the block's `clear`s are released; they are set again once in a while.
const CLEAR_CLOCKS: usize = 40;
/// Bits of the folded outputs.
const FOLD: usize = 8;
/// Sites of a CABGA381 package, the first for the clock.
const SITES: &[&str] = &[
    "G2", "B2", "C2", "C1", "D2", "D1", "E2", "E1", "H3", "L4", "M1", "D6", "R1", "T1", "R18", "V1", "U1",
    "H16", "E8", "D8", "D7", "E7", "L2",
];

/// The tools, or a visible skip; under CI a missing tool fails.
pub fn tools() -> Option<Toolbox> {
    let names: Vec<&str> = BOARD_TOOLS.iter().copied().chain(["iverilog", "vvp"]).collect();
    match Toolbox::locate(&names) {
        Ok(toolbox) => Some(toolbox),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            println!("SKIPPED: {error}");
            None
        }
    }
}

/// The seed of the random inputs: the environment's, or `default`; printed.
pub fn seed(default: u64) -> u64 {
    let seed = std::env::var("FLITFORGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    println!("FLITFORGE_SEED={seed}");
    seed
}

/// A block behind few pins: inputs of one bit are pins, wider ones come from one shift register; outputs of one bit
/// are pins, wider ones are folded into eight by exclusive or. Every register of it has a power-on value.
pub fn behind_few_pins(source: &Source) -> Source {
    let clock = source.clocks().next().expect("a clock").name.clone();
    let data = |direction: Direction, wide: bool| {
        let wanted = move |p: &&Port| !p.is_clock && p.direction == direction && (p.width > 1) == wide;
        source.ports.iter().filter(wanted).cloned().collect::<Vec<Port>>()
    };
    let (pins_in, wide_in) = (data(Direction::Input, false), data(Direction::Input, true));
    let (pins_out, wide_out) = (data(Direction::Output, false), data(Direction::Output, true));
    let chain: usize = wide_in.iter().map(|p| p.width).sum::<usize>().max(2);
    let outputs: usize = wide_out.iter().map(|p| p.width).sum::<usize>().max(FOLD);
    let mut ports = vec![Port::clock(&clock), Port::input("shift_in", 1), Port::output("folded", FOLD)];
    ports.extend(pins_in.iter().chain(&pins_out).cloned());
    let mut connections = vec![format!(".{clock}({clock})")];
    connections.extend(pins_in.iter().chain(&pins_out).map(|p| format!(".{0}({0})", p.name)));
    for (vector, list) in [("chain", &wide_in), ("outputs", &wide_out)] {
        let mut low = 0;
        for port in list {
            connections.push(format!(".{}({vector}[{}:{low}])", port.name, low + port.width - 1));
            low += port.width;
        }
    }
    let unused = outputs - wide_out.iter().map(|p| p.width).sum::<usize>();
    let declared: Vec<String> = ports
        .iter()
        .map(|p| match p.direction {
            Direction::Input => format!("input wire {}", p.name),
            Direction::Output => format!("output wire [{}:0] {}", p.width - 1, p.name),
        })
        .collect();
    let fill = match unused {
        0 => String::new(),
        _ => format!("assign outputs[{}:{}] = {unused}'d0;\n", outputs - 1, outputs - unused),
    };
    let wrapper = format!(
        "module few_pins ({});\nreg [{}:0] chain = 0;\nalways @(posedge {clock}) chain <= {{chain[{}:0], shift_in}};\n\
         wire [{}:0] outputs;\n{fill}reg [{}:0] fold = 0;\ninteger bit_at;\nreg [{}:0] next;\n\
         always @* begin next = 0; for (bit_at = 0; bit_at < {outputs}; bit_at = bit_at + 1)\n\
         next[bit_at % {FOLD}] = next[bit_at % {FOLD}] ^ outputs[bit_at]; end\n\
         always @(posedge {clock}) fold <= next;\nassign folded = fold;\n{} block (\n{}\n);\nendmodule\n",
        declared.join(", "),
        chain - 1,
        chain - 2,
        outputs - 1,
        FOLD - 1,
        FOLD - 1,
        source.top,
        connections.join(",\n"),
    );
    Source { verilog: format!("{}\n{wrapper}", source.verilog), top: "few_pins".into(), ports }
}

/// Pins and a clock constraint for any ports that fit.
pub fn constraints(source: &Source, mhz: f64) -> String {
    let clock = source.clocks().next().expect("a clock");
    let rest = source.ports.iter().filter(|p| !p.is_clock);
    let bits = std::iter::once(clock).chain(rest).flat_map(|port| {
        (0..port.width).map(move |bit| match port.width {
            1 => port.name.clone(),
            _ => format!("{}[{bit}]", port.name),
        })
    });
    let bits: Vec<String> = bits.collect();
    assert!(bits.len() <= SITES.len(), "{} pins are needed: {bits:?}", bits.len());
    let mut text = String::new();
    for (bit, site) in bits.iter().zip(SITES) {
        let _ =
            writeln!(text, "LOCATE COMP \"{bit}\" SITE \"{site}\";\nIOBUF PORT \"{bit}\" IO_TYPE=LVCMOS33;");
    }
    text + &format!("FREQUENCY PORT \"{}\" {mhz} MHZ;\n", clock.name)
}

/// A source placed and routed on a board of its own.
pub fn placed(source: &Source, mhz: f64, toolbox: &Toolbox, work: &WorkDirectory) -> BoardBuild {
    let device: Device = "lfe5u-25f-6".parse::<Device>().expect("a device").with_package("CABGA381");
    let constraints = constraints(source, mhz);
    let request = BoardRequest {
        source,
        device: &device,
        constraints: &constraints,
        effort: Effort::Standard,
        seeds: &[1],
    };
    let started = Instant::now();
    let build = build_board(&request, toolbox, work, &Silent).unwrap_or_else(|e| panic!("{e}"));
    println!(
        "{}: {} LUT4, {} FF, {} in {:.0} s",
        source.top,
        build.report.area.lut4,
        build.report.area.ff,
        if build.files.reused { "found in the cache" } else { "placed, routed and packed" },
        started.elapsed().as_secs_f64()
    );
    build
}

/// The placed netlist as Verilog, as a user simulates it.
pub fn simulated(build: &BoardBuild) -> String {
    simulation_verilog(&build.netlist).unwrap_or_else(|e| panic!("{e}"))
}

/// Random inputs, one hexadecimal word per clock; ports in order, the first in the low bit.
pub fn stimuli(source: &Source, clocks: usize, seed: u64) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let inputs: Vec<&Port> = data_inputs(source).collect();
    assert!(inputs.iter().all(|p| p.width == 1) && inputs.len() <= 64, "few pins are expected");
    let mut text = String::new();
    let mut clearing = 0;
    for clock in 0..clocks {
        clearing = if clock == 0 || random.random_ratio(1, 1000) { CLEAR_CLOCKS } else { clearing };
        let word = inputs.iter().enumerate().fold(0u64, |word, (at, port)| {
            let is_clear = port.name.contains("clear");
            let one = if is_clear { clearing > 0 } else { random.random_ratio(2, 3) };
            word | u64::from(one) << at
        });
        clearing = usize::saturating_sub(clearing, 1);
        let _ = writeln!(text, "{word:x}");
    }
    text
}

fn data_inputs(source: &Source) -> impl Iterator<Item = &Port> {
    source.ports.iter().filter(|p| !p.is_clock && p.direction == Direction::Input)
}

/// A test bench that prints all outputs before each rising edge, in binary.
fn bench(source: &Source, top: &str, clocks: usize) -> String {
    let clock = &source.clocks().next().expect("a clock").name;
    let width = data_inputs(source).count();
    let mut declarations =
        format!("reg {clock} = 0;\nreg [{}:0] now, vectors [0:{}];\n", width - 1, clocks - 1);
    let mut connections = vec![format!(".{clock}({clock})")];
    connections.extend(data_inputs(source).enumerate().map(|(at, p)| format!(".{}(now[{at}])", p.name)));
    let mut shown = vec![];
    for port in source.ports.iter().filter(|p| p.direction == Direction::Output) {
        let _ = writeln!(declarations, "wire [{}:0] {};", port.width - 1, port.name);
        connections.push(format!(".{0}({0})", port.name));
        shown.push(port.name.clone());
    }
    format!(
        "`timescale 1ns / 1ps\nmodule bench;\n{declarations}integer at;\n{top} dut ({});\n\
         initial begin\n$readmemh(\"vectors.hex\", vectors);\n\
         for (at = 0; at < {clocks}; at = at + 1) begin\nnow = vectors[at]; #2; \
         $display(\"%b\", {{{}}}); #2; {clock} = 1; #4; {clock} = 0; end\n$finish(0);\nend\nendmodule\n",
        connections.join(", "),
        shown.join(", "),
    )
}

/// The source's outputs clock by clock, in Icarus.
pub fn source_outputs(source: &Source, vectors: &str, toolbox: &Toolbox) -> Vec<String> {
    outputs(source, &source.verilog, &source.top, vectors, toolbox)
}

/// The outputs of a netlist of the source clock by clock, in Icarus.
pub fn netlist_outputs(source: &Source, netlist: &str, vectors: &str, toolbox: &Toolbox) -> Vec<String> {
    outputs(source, netlist, NETLIST_TOP, vectors, toolbox)
}

fn outputs(source: &Source, verilog: &str, top: &str, vectors: &str, toolbox: &Toolbox) -> Vec<String> {
    let room = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(room.path().join(name), text).expect("written");
    write("dut.v", verilog);
    write("bench.v", &bench(source, top, vectors.lines().count()));
    write("vectors.hex", vectors);
    let arguments = ["-g2012", "-gno-assertions", "-o", "sim.vvp", "-s", "bench", "bench.v", "dut.v"];
    run(toolbox.path("iverilog").expect("found"), &arguments, room.path());
    let text = run(toolbox.path("vvp").expect("found"), &["-n", "sim.vvp"], room.path());
    text.lines().filter(|line| line.bytes().all(|b| b"01xz".contains(&b))).map(str::to_owned).collect()
}

/// Runs a program, which has to succeed; its output.
pub fn run(program: &Path, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().expect("started");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {text}{errors}", program.display());
    text.into_owned()
}

/// The first clock on which the netlist differs where the source's value is known, and how many output bits were
/// known in all, of how many.
pub fn compare(source: &[String], netlist: &[String]) -> (Option<usize>, usize, usize) {
    assert_eq!(source.len(), netlist.len(), "both run for the same number of clocks");
    let differs = |at: &usize| {
        let mut bits = source[*at].bytes().zip(netlist[*at].bytes());
        source[*at].len() != netlist[*at].len() || bits.any(|(a, b)| b"01".contains(&a) && a != b)
    };
    let first = (0..source.len()).find(differs);
    let known = source.iter().flat_map(|line| line.bytes()).filter(|bit| b"01".contains(bit)).count();
    (first, known, source.iter().map(String::len).sum())
}

/// Builds a block behind few pins and runs `reference`, a text of the same block, beside the netlist, both as instances
/// of the cell models and as the text made for simulation; every output bit has to be equal on every clock. The block
/// behind few pins, with the reference's text, and the netlist as instances.
pub fn assert_equal(
    source: &Source,
    reference: &str,
    clocks: usize,
    mhz: f64,
    seed: u64,
    toolbox: &Toolbox,
) -> (Source, String) {
    let room = tempfile::tempdir().expect("a temporary folder");
    let work = WorkDirectory::new(room.path());
    let build = placed(&behind_few_pins(source), mhz, toolbox, &work);
    let instances = instances_verilog(&build.netlist, toolbox, &work).unwrap_or_else(|e| panic!("{e}"));
    let few = behind_few_pins(&Source { verilog: reference.to_owned(), ..source.clone() });
    let vectors = stimuli(&few, clocks, seed);
    let before = source_outputs(&few, &vectors, toolbox);
    assert_eq!(before.len(), clocks, "one line per clock");
    for (form, netlist) in [("instances", &instances), ("behaviour", &simulated(&build))] {
        let started = Instant::now();
        let after = netlist_outputs(&few, netlist, &vectors, toolbox);
        let rate = clocks as f64 / started.elapsed().as_secs_f64();
        println!("{}: netlist as {form}, {rate:.0} clocks/s in Icarus", source.top);
        let (differs, known, all) = compare(&before, &after);
        if let Some(at) = differs {
            panic!("{}: {form}: clock {at}: source {} netlist {}", source.top, before[at], after[at]);
        }
        assert!(known * 100 >= all * 95, "{}: only {known} of {all} output bits are known", source.top);
    }
    let moving = before.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(moving * 20 >= clocks, "{}: outputs change on {moving} of {clocks} clocks only", source.top);
    (few, instances)
}
