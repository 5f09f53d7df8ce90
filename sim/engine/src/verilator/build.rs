//! Builds a Verilator model into a shared library and keeps it by the hash of everything it is made of.

use crate::error::SimError;
use crate::port::{Port, PortKind, Ports};
use crate::replay::VerilogSource;
use crate::tools;
use crate::trace::Columns;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const HARNESS: &str = include_str!("harness.cpp");

/// Start values and unassigned bits are random, so that nothing rests on them being 0. Lint is the business
/// of the flow, not of a simulation: warnings do not stop it. One C++ file: models this small build faster so.
///
/// Two rewritings are off, because Verilator 5.048 to 5.050 have them wrong: `(a >> b) >> c` becomes `a >> (b + c)` with the sum as
/// narrow as `b`, and `<<` likewise (verilator issue 7955).
const FLAGS: &[&str] = &[
    "--cc",
    "--exe",
    "-O3",
    "--x-assign",
    "unique",
    "--x-initial",
    "unique",
    "-Wno-fatal",
    "--no-timing",
    "-fno-dfg-peephole-replace-shiftl-shiftl",
    "-fno-dfg-peephole-replace-shiftr-shiftr",
    "--prefix",
    "Vuut",
    "--Mdir",
    MAKE_FOLDER,
    "-o",
    "libuut.so",
    "--output-split",
    "0",
    "-CFLAGS",
    "-fPIC",
    "-LDFLAGS",
    "-shared",
];
/// Folder of the C++ text in the folder of a build.
const MAKE_FOLDER: &str = "build";
/// Verilator's own objects, the same in every model, begin with this.
const RUNTIME: &str = "verilated";

/// How much the C++ compiler is to optimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimise {
    /// Builds fast: for runs of some thousand clocks.
    Quick,
    /// Runs fast: `-O3 -march=native`, for long runs and comparisons of speed.
    Native,
}

impl Optimise {
    fn flags(self) -> [&'static str; 4] {
        match self {
            Self::Quick => ["VM_PARALLEL_BUILDS=0", "OPT_FAST=-O2", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0"],
            Self::Native => [
                "VM_PARALLEL_BUILDS=0",
                "OPT_FAST=-O3 -march=native",
                "OPT_SLOW=-O1",
                "OPT_GLOBAL=-O3 -march=native",
            ],
        }
    }
}

/// The ports of a model as its harness numbers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Clock `n` is bit `n` of a mask.
    pub clocks: Vec<Port>,
    /// Layout of the input words.
    pub inputs: Columns,
    /// Layout of the output words.
    pub outputs: Columns,
}

impl Interface {
    /// The interface of a block with these ports.
    pub fn new(ports: &Ports) -> Self {
        let of = |kind| ports.of_kind(kind).into_iter().map(|port| ports.port(port).clone()).collect();
        Self {
            clocks: of(PortKind::Clock),
            inputs: Columns::new(of(PortKind::Input)),
            outputs: Columns::new(of(PortKind::Output)),
        }
    }
}

/// What the name of a folder in the cache that is being filled begins with; the number of the process follows.
const STAGING: &str = "build-";

/// The shared library of a model, from the cache or built.
pub fn build(source: &VerilogSource, interface: &Interface, optimise: Optimise) -> Result<PathBuf, SimError> {
    let verilator = tools::find("verilator")?;
    let harness = harness(interface);
    let version = tools::run(Command::new(&verilator).arg("--version"), Path::new("."))?;
    let flags = optimise.flags().join(" ");
    let name = hash(&[&source.text, &source.top, &harness, &version, &FLAGS.join(" "), &flags]);
    let cache = tools::cache_directory().join("verilator");
    let library = cache.join(format!("{name}.so"));
    if library.is_file() {
        return Ok(library);
    }
    fs::create_dir_all(&cache).map_err(SimError::io(&cache))?;
    flitforge_process::sweep(&cache, STAGING, |_| true).map_err(SimError::io(&cache))?;
    let staging = format!("{STAGING}{}-", std::process::id());
    let folder =
        tempfile::Builder::new().prefix(&staging).tempdir_in(&cache).map_err(SimError::io(&cache))?;
    let at = |name: &str| folder.path().join(name);
    fs::write(at("design.v"), &source.text).map_err(SimError::io(at("design.v")))?;
    fs::write(at("harness.cpp"), harness).map_err(SimError::io(at("harness.cpp")))?;
    let mut command = Command::new(&verilator);
    command.args(FLAGS).args(["--top-module", &source.top, "design.v", "harness.cpp"]);
    tools::run(&mut command, folder.path())?;
    let make_folder = at(MAKE_FOLDER);
    let runtime = cache.join(hash(&["runtime", &verilator.display().to_string(), &version, &flags]));
    // A build whose time is compared is a whole one.
    let shares = optimise == Optimise::Quick;
    if shares && runtime.is_dir() {
        copy_runtime(&runtime, &make_folder)?;
    }
    let mut make = Command::new("make");
    make.args(["-f", "Vuut.mk"]).args(optimise.flags());
    tools::run(&mut make, &make_folder)?;
    if shares && !runtime.is_dir() {
        let kept =
            tempfile::Builder::new().prefix(&staging).tempdir_in(&cache).map_err(SimError::io(&cache))?;
        copy_runtime(&make_folder, kept.path())?;
        // Another build may have been faster: then its objects stay.
        let _ = fs::rename(kept.path(), &runtime);
    }
    // Two tests may build the same model: the last rename wins, and both are right.
    let built = make_folder.join("libuut.so");
    fs::rename(&built, &library).map_err(SimError::io(&built))?;
    Ok(library)
}

/// Copies Verilator's own objects, half of the work of a small model. They are newer than the makefile then, so that
/// they are not made again.
fn copy_runtime(from: &Path, to: &Path) -> Result<(), SimError> {
    for entry in fs::read_dir(from).map_err(SimError::io(from))? {
        let path = entry.map_err(SimError::io(from))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(RUNTIME) && name.ends_with(".o") {
            fs::copy(&path, to.join(name)).map_err(SimError::io(&path))?;
        }
    }
    Ok(())
}

/// 32 hexadecimal digits over the parts and their lengths.
fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).fold(String::new(), |mut name, byte| {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}

fn harness(interface: &Interface) -> String {
    let (mut clocks, mut put, mut get) = (String::new(), String::new(), String::new());
    for (index, clock) in interface.clocks.iter().enumerate() {
        let _ = writeln!(clocks, "    uut->{} = levels >> {index} & 1;", clock.verilog);
    }
    for (column, port) in interface.inputs.ports().iter().enumerate() {
        let _ =
            writeln!(put, "    put(uut->{}, in + {});", port.verilog, interface.inputs.range(column).start);
    }
    for (column, port) in interface.outputs.ports().iter().enumerate() {
        let _ =
            writeln!(get, "    get(uut->{}, out + {});", port.verilog, interface.outputs.range(column).start);
    }
    HARNESS
        .replace("@INPUTS@", &interface.inputs.stride().to_string())
        .replace("@OUTPUTS@", &interface.outputs.stride().to_string())
        .replace("@CLOCKS@", &clocks)
        .replace("@PUT@", &put)
        .replace("@GET@", &get)
}
