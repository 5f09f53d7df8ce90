//! Blocks of a shape that is not built in: compiles a small program that has it, and carries on with that.
//!
//! The program is this one with one more [`Extra`], linked to the libraries beside the running executable. It is kept by its text
//! and by the libraries it was compiled with, so the same shape is compiled once.

use crate::dry;
use crate::exit::Failure;
use anyhow::{Context, Error, Result};
use flitforge_flow::data::hash_of;
use flitforge_flow::tools::Home;
use flitforge_hdl::registry::shapes::Extra;
use flitforge_hdl::ConfigError;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The compiler that this executable and its libraries are from.
const RUSTC: &str = env!("BUILT_WITH_RUSTC");
/// The library that a program is linked to, in the folder of an executable or in `deps` there.
const LIBRARY: &str = "libflitforge";
/// What compiling takes on one core of 2.5 GHz, a primitive to a whole port, to be told.
const SECONDS: &str = "2 to 10";
/// Programs that are kept: those used last.
const KEPT: usize = 8;
/// What the name of a program begins with that is being written; the process number follows.
const FILLING: &str = "filling-";

/// What an executable has beside the library.
pub struct Program {
    /// Shapes that were compiled on demand.
    pub extras: &'static [Extra],
    /// Folder of the executable whose libraries it was compiled with; `None`: its own.
    pub origin: Option<&'static str>,
}

impl Program {
    /// The command as it is built.
    pub const PLAIN: Self = Self { extras: &[], origin: None };
}

/// If `error` asks for a shape that is not built in, compiles a program that has it and becomes that; gives `error` back if not.
pub fn carry_on(program: &'static Program, error: Error) -> Result<()> {
    let refused = error.chain().find_map(|cause| cause.downcast_ref::<ConfigError>());
    let Some((refused, shape)) = refused.and_then(|refused| Some((refused, refused.shape.as_ref()?))) else {
        return Err(error);
    };
    let what = format!("`{}` with {} = {}", refused.block, refused.parameter, refused.value);
    if dry::is() {
        eprintln!("{what} would be compiled: {shape}");
        return Ok(());
    }
    let mut shapes: Vec<String> = program.extras.iter().map(|extra| extra.shape.to_owned()).collect();
    shapes.push(shape.to_string());
    let maker = Maker::new(program).with_context(|| format!("{what} is not built in"))?;
    let executable = maker.program(&shapes, &what)?;
    let mut arguments = std::env::args_os();
    let own_name = arguments.next().unwrap_or_else(|| "flitforge".into());
    // Returns only if it cannot be started.
    let error = Command::new(&executable).arg0(own_name).args(arguments).exec();
    Err(error).with_context(|| format!("cannot start {}", executable.display()))
}

/// Compiles programs.
struct Maker {
    /// Folder of the executable with the libraries.
    origin: PathBuf,
    library: PathBuf,
    rustc: OsString,
    /// Where programs are kept.
    kept: PathBuf,
}

impl Maker {
    fn new(program: &Program) -> Result<Self> {
        let origin = match program.origin {
            Some(folder) => folder.into(),
            None => {
                let own = std::env::current_exe()?.canonicalize()?;
                own.parent().map_or_else(PathBuf::new, Path::to_path_buf)
            }
        };
        let library = newest_library(&origin).ok_or_else(|| Failure::tool(no_library(&origin)))?;
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        check_compiler(&rustc)?;
        let kept = Home::from_environment()?.path.join("on-demand");
        Ok(Self { origin, library, rustc, kept })
    }

    /// The executable with these shapes, compiled if it is not there.
    fn program(&self, shapes: &[String], what: &str) -> Result<PathBuf> {
        let text = source(shapes, &self.origin);
        let library = fs::read(&self.library).with_context(|| self.library.display().to_string())?;
        let key = hash_of(&[text.as_bytes(), RUSTC.as_bytes(), &library]);
        let executable = self.kept.join(&key[..24]);
        if executable.is_file() {
            // Used now; where the time cannot be set it only is the first to go.
            let _ = fs::File::open(&executable).and_then(|file| file.set_modified(SystemTime::now()));
            return Ok(executable);
        }
        eprintln!("compiling {what}, once: about {SECONDS} s");
        fs::create_dir_all(&self.kept).with_context(|| self.kept.display().to_string())?;
        flitforge_process::sweep(&self.kept, FILLING, |_| true)?;
        let work = self.kept.join(format!("{FILLING}{}", std::process::id()));
        fs::create_dir_all(&work).with_context(|| work.display().to_string())?;
        let compiled =
            self.compile(&work, &text).and_then(|()| Ok(fs::rename(work.join("main"), &executable)?));
        fs::remove_dir_all(&work)?;
        compiled?;
        self.prune()?;
        Ok(executable)
    }

    fn compile(&self, work: &Path, text: &str) -> Result<()> {
        fs::write(work.join("main.rs"), text)?;
        let mut command = Command::new(&self.rustc);
        command.current_dir(work).args(["main.rs", "--edition=2021", "-Copt-level=1", "-Cstrip=debuginfo"]);
        command.arg("--extern").arg(joined("flitforge=", &self.library));
        command.arg("-L").arg(joined("dependency=", &self.origin.join("deps")));
        let output = flitforge_process::output(&command)?;
        if output.status.success() {
            return Ok(());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(Failure::check(format!("rustc cannot compile the block:\n{}", errors.trim_end())).into())
    }

    /// Removes the programs that were not used for the longest time.
    fn prune(&self) -> Result<()> {
        let mut programs = vec![];
        for entry in fs::read_dir(&self.kept)? {
            let (path, meta) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if meta.is_file() {
                programs.push((meta.modified()?, path));
            }
        }
        programs.sort();
        for (_, path) in programs.iter().rev().skip(KEPT) {
            match fs::remove_file(path) {
                // Another process prunes, too.
                Err(error) if error.kind() == ErrorKind::NotFound => (),
                removed => removed?,
            }
        }
        Ok(())
    }
}

fn joined(front: &str, path: &Path) -> OsString {
    let mut text = OsString::from(front);
    text.push(path);
    text
}

/// The newest of the libraries beside an executable: Cargo leaves those of older builds in `deps`.
fn newest_library(origin: &Path) -> Option<PathBuf> {
    let beside = origin.join(format!("{LIBRARY}.rlib"));
    let of_build = fs::read_dir(origin.join("deps")).into_iter().flatten().filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_str()?;
        let ours = name.strip_prefix(LIBRARY)?.starts_with('-') && name.ends_with(".rlib");
        ours.then_some(path)
    });
    let there =
        of_build.chain([beside]).filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)));
    there.max().map(|(_, path)| path)
}

fn no_library(origin: &Path) -> String {
    format!(
        "to compile it, the libraries are needed that this executable was built with, and {} has none; run it from a clone of the \
repository: `cargo run --release -- ..` with the same arguments",
        origin.display()
    )
}

/// Refuses a compiler that is missing or another one.
fn check_compiler(rustc: &OsString) -> Result<()> {
    let mut command = Command::new(rustc);
    command.arg("--version");
    let name = rustc.to_string_lossy();
    let output = match flitforge_process::output(&command) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let advice = "install Rust from https://rustup.rs, or name the compiler in RUSTC";
            return Err(
                Failure::tool(format!("to compile it, `{name}` is needed and not found; {advice}")).into()
            );
        }
        output => output?,
    };
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && version == RUSTC {
        return Ok(());
    }
    let advice = "use that one (RUSTC names a compiler), or build `flitforge` again with the present one";
    let is = format!("`{name}` is {version}, and this executable was built with {RUSTC}");
    Err(Failure::tool(format!("to compile it, the same compiler is needed: {is}; {advice}")).into())
}

/// The program's text.
fn source(shapes: &[String], origin: &Path) -> String {
    let mut extras = String::new();
    for shape in shapes {
        let path = format!("flitforge::{shape}");
        extras += &format!("    flitforge::Extra {{ shape: {shape:?}, build: {path} }},\n");
    }
    format!(
        "static PROGRAM: flitforge::Program = flitforge::Program {{\n    origin: Some({:?}),\n    extras: &[\n{extras}    ],\n}};\n\n\
fn main() -> std::process::ExitCode {{\n    flitforge::run(&PROGRAM)\n}}\n",
        origin.display().to_string()
    )
}
