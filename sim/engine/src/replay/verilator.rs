//! Verilator: a generated C++ harness reads and writes binary rows. Built programs are kept by the hash of
//! everything they are made of.

use super::{workspace, VerilogSource};
use crate::error::SimError;
use crate::tools;
use crate::trace::{Outputs, Trace};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Start values and unassigned bits are random, so that nothing rests on them being 0. Lint is the business
/// of the flow, not of a simulation: warnings do not stop it.
const FLAGS: &[&str] = &[
    "--cc",
    "--exe",
    "--build",
    "-O3",
    "--x-assign",
    "unique",
    "--x-initial",
    "unique",
    "-Wno-fatal",
    "--no-timing",
    "--prefix",
    "Vuut",
    "--Mdir",
    "build",
    "-o",
    "simulation",
    "--output-split",
    "0",
    "-MAKEFLAGS",
    "VM_PARALLEL_BUILDS=0 OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
];

pub(super) fn replay(trace: &Trace, source: &VerilogSource, seed: u64) -> Result<Outputs, SimError> {
    let program = build(trace, source)?;
    let folder = workspace()?;
    let (inputs, outputs) = (folder.path().join("inputs.bin"), folder.path().join("outputs.bin"));
    fs::write(&inputs, input_bytes(trace)).map_err(SimError::io(&inputs))?;
    let mut command = Command::new(program);
    // Verilator takes 31 bits, and 0 would mean a seed of its own choice.
    command.arg(format!("+verilator+seed+{}", seed % 0x7fff_ffff + 1)).arg("+verilator+rand+reset+2");
    tools::run(command.arg(&inputs).arg(&outputs), folder.path())?;
    let bytes = fs::read(&outputs).map_err(SimError::io(&outputs))?;
    let words: Vec<u64> = bytes
        .chunks_exact(8)
        .map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
        .collect();
    let mut result = Outputs::default();
    match trace.outputs().stride() {
        0 => (0..trace.len()).for_each(|_| result.push(&[])),
        stride => words.chunks_exact(stride).for_each(|row| result.push(row)),
    }
    Ok(result)
}

/// The simulation program, from the cache or built.
fn build(trace: &Trace, source: &VerilogSource) -> Result<PathBuf, SimError> {
    let verilator = tools::find("verilator")?;
    let harness = harness(trace);
    let version = tools::run(Command::new(&verilator).arg("--version"), Path::new("."))?;
    let mut hash = Sha256::new();
    for part in [&source.text, &source.top, &harness, &version, &FLAGS.join(" ")] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let name = hash.finalize().iter().take(16).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    });
    let cache = tools::cache_directory().join("verilator");
    let program = cache.join(&name);
    if program.is_file() {
        return Ok(program);
    }
    fs::create_dir_all(&cache).map_err(SimError::io(&cache))?;
    let folder = tempfile::Builder::new().prefix("build").tempdir_in(&cache).map_err(SimError::io(&cache))?;
    let at = |name: &str| folder.path().join(name);
    fs::write(at("design.v"), &source.text).map_err(SimError::io(at("design.v")))?;
    fs::write(at("main.cpp"), harness).map_err(SimError::io(at("main.cpp")))?;
    let mut command = Command::new(verilator);
    command.args(FLAGS).args(["--top-module", &source.top, "design.v", "main.cpp"]);
    tools::run(&mut command, folder.path())?;
    // Two tests may build the same program: the last rename wins, and both are right.
    let built = at("build").join("simulation");
    fs::rename(&built, &program).map_err(SimError::io(&built))?;
    Ok(program)
}

/// Per row: the mask of rising clocks, then the words of all inputs; little endian.
fn input_bytes(trace: &Trace) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(trace.len() * (1 + trace.inputs().stride()) * 8);
    for row in 0..trace.len() {
        let words = std::iter::once(trace.edges(row)).chain(trace.input_row(row).iter().copied());
        for word in words {
            // Writing to a vector cannot fail.
            let _ = bytes.write_all(&word.to_le_bytes());
        }
    }
    bytes
}

const HARNESS: &str = r#"#include "Vuut.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

template <class T> static void put(T &port, const uint64_t *words) { port = static_cast<T>(words[0]); }
template <std::size_t N> static void put(VlWide<N> &port, const uint64_t *words) {
    for (std::size_t i = 0; i < N; i++) port[i] = static_cast<EData>(words[i / 2] >> (32 * (i % 2)));
}
template <class T> static void get(const T &port, uint64_t *words) { words[0] = port; }
template <std::size_t N> static void get(const VlWide<N> &port, uint64_t *words) {
    for (std::size_t i = 0; i < N; i++) {
        if (i % 2 == 0) words[i / 2] = 0;
        words[i / 2] |= static_cast<uint64_t>(port[i]) << (32 * (i % 2));
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    context->commandArgs(argc, argv);
    const std::unique_ptr<Vuut> uut{new Vuut{context.get()}};
    FILE *inputs = std::fopen(argv[argc - 2], "rb");
    FILE *outputs = std::fopen(argv[argc - 1], "wb");
    if (!inputs || !outputs) return 2;
    std::vector<uint64_t> in(1 + @INPUTS@), out(@OUTPUTS@ + 1);
    while (std::fread(in.data(), 8, in.size(), inputs) == in.size()) {
@LOWER@@PUT@        uut->eval();
@GET@        if (std::fwrite(out.data(), 8, @OUTPUTS@, outputs) != @OUTPUTS@) return 3;
@RAISE@        uut->eval();
    }
    uut->final();
    return std::fclose(outputs) ? 3 : 0;
}
"#;

fn harness(trace: &Trace) -> String {
    let (mut lower, mut raise, mut put, mut get) =
        (String::new(), String::new(), String::new(), String::new());
    for (index, clock) in trace.clocks().iter().enumerate() {
        let _ = writeln!(lower, "        uut->{} = 0;", clock.verilog);
        let _ = writeln!(raise, "        uut->{} = in[0] >> {index} & 1;", clock.verilog);
    }
    for (column, port) in trace.inputs().ports().iter().enumerate() {
        let start = 1 + trace.inputs().range(column).start;
        let _ = writeln!(put, "        put(uut->{}, &in[{start}]);", port.verilog);
    }
    for (column, port) in trace.outputs().ports().iter().enumerate() {
        let start = trace.outputs().range(column).start;
        let _ = writeln!(get, "        get(uut->{}, &out[{start}]);", port.verilog);
    }
    HARNESS
        .replace("@INPUTS@", &trace.inputs().stride().to_string())
        .replace("@OUTPUTS@", &trace.outputs().stride().to_string())
        .replace("@LOWER@", &lower)
        .replace("@RAISE@", &raise)
        .replace("@PUT@", &put)
        .replace("@GET@", &get)
}
