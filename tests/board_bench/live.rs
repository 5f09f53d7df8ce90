//! A netlist that runs as far as it is asked to, with a stream of characters at its serial port: [`Live`] is what a serial port is
//! to a program, `Read` and `Write`, but for the time, which goes on only while the program waits.

use flitforge_flow::placed::NETLIST_TOP;
use flitforge_flow::process::ToolRun;
use flitforge_flow::tools::Toolbox;
use flitforge_flow::{Direction, FlowError, FlowResult, Port, Source, WorkDirectory};
use std::fmt::{self, Write as _};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Start bit, data, stop bit.
const FRAME_BITS: u64 = 10;
/// The simulation's file.
const PROGRAM: &str = "Vtop";

/// The names the bench needs and the serial port's speed.
#[derive(Clone, Copy, Debug)]
pub struct Pins {
    /// Serial data into the design.
    pub serial_in: &'static str,
    /// Serial data out of the design.
    pub serial_out: &'static str,
    /// Outputs whose changes are kept, 64 bits at most.
    pub watched: &'static [&'static str],
    /// The clock's frequency in hertz.
    pub clock_hz: u64,
    /// Clocks per bit.
    pub divider: u64,
    /// Clocks for which a character is waited for.
    pub patience: u64,
}

/// A watched output's new value, and the first clock after whose edge it was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub clock: u64,
    pub port: String,
    pub value: u64,
}

/// A running simulation.
pub struct Live {
    pins: Pins,
    simulation: Child,
    requests: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Every change of the watched outputs so far; all are 0 at first.
    pub changes: Vec<Change>,
    /// Clocks so far.
    pub clocks: u64,
    /// Characters sent and received.
    pub letters: (u64, u64),
    started: Instant,
}

/// For Verilator: two-state, no lint, one thread.
const VERILATOR: &[&str] = &[
    "--cc",
    "--exe",
    "--build",
    "--top-module",
    NETLIST_TOP,
    "--prefix",
    "Vtop",
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
    "-MAKEFLAGS",
    "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1",
    "live.cpp",
    "netlist.v",
];

impl Live {
    /// Builds the simulation of the netlist of a source, unless it is in the work directory, and starts it: no clock has passed, inputs are
    /// low and the line is quiet.
    pub fn new(source: &Source, netlist: &str, pins: &Pins, toolbox: &Toolbox, work: &WorkDirectory) -> Self {
        let program = program(source, pins);
        let version = &toolbox.tool("verilator").expect("`flitforge doctor` names what is missing").version;
        let settings = VERILATOR.join("\n");
        let inputs = [netlist, &program, version, &settings].map(str::as_bytes);
        let started = Instant::now();
        let build = |room: &Path| build(room, source, netlist, &program, toolbox);
        let files = work.run("simulation", &inputs, build).unwrap_or_else(|error| panic!("{error}"));
        println!("{}: the simulation is built after {:.0} s", source.top, started.elapsed().as_secs_f64());
        let mut simulation = Command::new(files.path.join(PROGRAM));
        let simulation = simulation.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut simulation = simulation.spawn().expect("started");
        let requests = BufWriter::new(simulation.stdin.take().expect("piped"));
        let answers = BufReader::new(simulation.stdout.take().expect("piped"));
        Self {
            pins: *pins,
            simulation,
            requests,
            answers,
            changes: vec![],
            clocks: 0,
            letters: (0, 0),
            started: Instant::now(),
        }
    }

    /// Sets an input of the design, 64 bits at most, from the next clock on.
    pub fn set(&mut self, port: &str, value: u64) {
        self.request(format_args!("set {port} {value}"));
    }

    /// Lets clocks pass.
    pub fn run(&mut self, clocks: u64) {
        self.request(format_args!("run {clocks}"));
        self.answer();
    }

    /// Lets microseconds pass.
    pub fn wait_us(&mut self, microseconds: u64) {
        self.run(microseconds * self.pins.clock_hz / 1_000_000);
    }

    /// Sends bits as they are, the low one first.
    pub fn send_bits(&mut self, frame: u64, count: u64) {
        self.request(format_args!("bits {frame} {count}"));
    }

    /// What a watched output is now.
    pub fn now(&self, port: &str) -> u64 {
        self.changes.iter().rev().find(|change| change.port == port).map_or(0, |change| change.value)
    }

    /// Clocks after whose edge this bit of a watched output has risen.
    pub fn rises(&self, port: &str, bit: u32) -> Vec<u64> {
        let mut before = 0;
        let mut rises = vec![];
        for change in self.changes.iter().filter(|change| change.port == port) {
            if change.value & !before & 1 << bit != 0 {
                rises.push(change.clock);
            }
            before = change.value;
        }
        rises
    }

    /// Clocks and seconds so far.
    pub fn pace(&self) -> (u64, Duration) {
        (self.clocks, self.started.elapsed())
    }

    /// A simulation that has ended says why where its answer would be, so failures are not looked at here.
    fn request(&mut self, text: fmt::Arguments<'_>) {
        let _ = writeln!(self.requests, "{text}");
    }

    /// The character of the answer, if it is one.
    fn answer(&mut self) -> Option<u8> {
        let _ = self.requests.flush();
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line).expect("readable") == 0 {
                panic!("the simulation ended without an answer: {:?}", self.simulation.wait());
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words[at].parse::<u64>().unwrap_or_else(|_| panic!("{line}"));
            match (words[0], words.len()) {
                ("change", 4) => {
                    self.changes.push(Change { clock: number(1), port: words[2].into(), value: number(3) });
                }
                ("done" | "silence", 2) => {
                    self.clocks = number(1);
                    return None;
                }
                ("letter", 3) => {
                    self.clocks = number(1);
                    self.letters.1 += 1;
                    return Some(number(2) as u8);
                }
                _ => panic!("{line}"),
            }
        }
    }
}

impl Read for Live {
    /// A character; none within the time limit is `TimedOut`.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let patience = self.pins.patience;
        self.request(format_args!("receive {patience}"));
        bytes[0] = self.answer().ok_or(ErrorKind::TimedOut)?;
        Ok(1)
    }
}

impl Write for Live {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for letter in bytes {
            self.send_bits(1 << (FRAME_BITS - 1) | u64::from(*letter) << 1, FRAME_BITS);
        }
        self.letters.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.requests.flush()
    }
}

impl Drop for Live {
    /// Ends this simulation, in whatever state.
    fn drop(&mut self) {
        let _ = self.simulation.kill();
        let _ = self.simulation.wait();
    }
}

/// The simulation, in a folder of which nothing else stays but the log.
fn build(room: &Path, source: &Source, netlist: &str, program: &str, toolbox: &Toolbox) -> FlowResult<()> {
    let write = |name: &str, text: &str| {
        let path = room.join(name);
        std::fs::write(&path, text).map_err(FlowError::file("write", path))
    };
    write("netlist.v", netlist)?;
    write("live.cpp", program)?;
    let run = ToolRun {
        tool: "verilator",
        program: toolbox.path("verilator")?,
        arguments: VERILATOR.iter().map(ToString::to_string).collect(),
        directory: room,
        subject: &source.top,
        log: "verilator.log",
        path_front: toolbox.path_front(),
    };
    run.run()?;
    let objects = room.join("obj_dir");
    let built = objects.join(PROGRAM);
    std::fs::rename(&built, room.join(PROGRAM)).map_err(FlowError::file("move", built))?;
    std::fs::remove_dir_all(&objects).map_err(FlowError::file("remove", objects))?;
    let netlist = room.join("netlist.v");
    std::fs::remove_file(&netlist).map_err(FlowError::file("remove", netlist))
}

/// The simulation's main program.
fn program(source: &Source, pins: &Pins) -> String {
    let clock = &source.clocks().next().expect("a clock").name;
    let mut inputs = String::new();
    let is_set = |port: &&Port| port.direction == Direction::Input && !port.is_clock && port.width <= 64;
    for port in source.ports.iter().filter(is_set) {
        let name = &port.name;
        let _ = writeln!(inputs, "    if (!strcmp(name, \"{name}\")) return top->{name} = value, true;");
    }
    let names: Vec<String> = pins.watched.iter().map(|name| format!("\"{name}\"")).collect();
    let values: Vec<String> = pins.watched.iter().map(|name| format!("top->{name}")).collect();
    include_str!("live.cpp")
        .replace("INPUTS", &inputs)
        .replace("OUTPUT_COUNT", &pins.watched.len().to_string())
        .replace("OUTPUT_NAMES", &names.join(", "))
        .replace("OUTPUT_VALUES", &values.join(", "))
        .replace("CLOCK_PIN", clock)
        .replace("SERIAL_IN", pins.serial_in)
        .replace("SERIAL_OUT", pins.serial_out)
        .replace("DIVIDER", &pins.divider.to_string())
}
