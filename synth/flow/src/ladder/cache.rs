//! The content-addressed work directory: same inputs and tool versions, same result, no second run.

use crate::data::{hash_of, publish_directory, Existing};
use crate::error::{FlowError, FlowResult};
use fs4::fs_std::FileExt;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// Changes when a rung's files change in form.
const FORMAT: &str = "1";
/// Written last into a finished directory.
const COMPLETE: &str = "complete";

/// A directory of finished runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkDirectory {
    root: PathBuf,
}

/// A finished run's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The directory.
    pub path: PathBuf,
    /// True when nothing had to run.
    pub reused: bool,
}

impl Finished {
    /// Reads one of its files.
    pub fn read(&self, name: &str) -> FlowResult<String> {
        let path = self.path.join(name);
        std::fs::read_to_string(&path).map_err(FlowError::file("read", path))
    }
}

impl WorkDirectory {
    /// Runs are kept below `root`.
    pub fn new(root: impl Into<PathBuf>) -> WorkDirectory {
        WorkDirectory { root: root.into() }
    }

    /// The user's own: `<home>/runs`.
    pub fn of_home(home: &crate::tools::Home) -> WorkDirectory {
        WorkDirectory::new(home.path.join("runs"))
    }

    /// The run of `rung` on these inputs: found, or made by `work` in a fresh directory. Of several that ask for the same
    /// run at once, in this process or another, one makes it and the others wait for it.
    ///
    /// A failed run is kept too, beside the finished ones under the same name with `-failed`, for its logs.
    pub fn run(
        &self,
        rung: &str,
        inputs: &[&[u8]],
        work: impl FnOnce(&Path) -> FlowResult<()>,
    ) -> FlowResult<Finished> {
        let key = hash_of(&[&[FORMAT.as_bytes(), rung.as_bytes()], inputs].concat());
        let path = self.root.join(format!("{rung}-{}", &key[..20]));
        if path.join(COMPLETE).is_file() {
            return Ok(Finished { path, reused: true });
        }
        let _lock = self.lock(&format!("{rung}-{}.lock", &key[..20]))?;
        if path.join(COMPLETE).is_file() {
            return Ok(Finished { path, reused: true });
        }
        let failed = self.root.join(format!("{rung}-{}-failed", &key[..20]));
        let place = |fresh: &Path| match work(fresh) {
            Ok(()) => std::fs::write(fresh.join(COMPLETE), &key).map_err(FlowError::file("write", fresh)),
            Err(error) => {
                keep_logs(fresh, &failed)?;
                Err(with_log_in(error, &failed))
            }
        };
        publish_directory(&path, Existing::Replace, place)?;
        Ok(Finished { path, reused: false })
    }

    /// Waits for a lock of its own; the lock ends with the file.
    fn lock(&self, name: &str) -> FlowResult<File> {
        let path = self.root.join(name);
        std::fs::create_dir_all(&self.root).map_err(FlowError::file("create", &self.root))?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(FlowError::file("write", &path))?;
        FileExt::lock_exclusive(&file).map_err(FlowError::file("lock", &path))?;
        Ok(file)
    }
}

fn keep_logs(fresh: &Path, failed: &Path) -> FlowResult<()> {
    let _ = std::fs::remove_dir_all(failed);
    std::fs::create_dir_all(failed).map_err(FlowError::file("create", failed))?;
    for entry in std::fs::read_dir(fresh).map_err(FlowError::file("read", fresh))?.flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), failed.join(entry.file_name()))
                .map_err(FlowError::file("write", failed))?;
        }
    }
    Ok(())
}

fn with_log_in(error: FlowError, directory: &Path) -> FlowError {
    match error {
        FlowError::ToolFailed { tool, status, subject, excerpt, log } => {
            let name = Path::new(&log).file_name().unwrap_or_default().to_owned();
            let log = directory.join(name).display().to_string();
            FlowError::ToolFailed { tool, status, subject, excerpt, log }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_run_is_reused_and_another_input_is_not() {
        let room = tempfile::tempdir().unwrap();
        let work = WorkDirectory::new(room.path().join("runs"));
        let write = |text: &'static str| {
            move |path: &Path| std::fs::write(path.join("out"), text).map_err(FlowError::file("write", path))
        };
        let first = work.run("synth", &[b"a", b"b"], write("1")).unwrap();
        let second = work.run("synth", &[b"a", b"b"], write("2")).unwrap();
        assert!(!first.reused && second.reused && first.path == second.path);
        assert_eq!(second.read("out").unwrap(), "1");
        // Where one part ends and the next begins is part of the key.
        assert!(!work.run("synth", &[b"ab", b""], write("3")).unwrap().reused);
    }

    #[test]
    fn one_of_several_makes_the_run_and_the_others_wait() {
        let room = tempfile::tempdir().unwrap();
        let work = WorkDirectory::new(room.path());
        let made = std::sync::atomic::AtomicUsize::new(0);
        let once = || {
            work.run("place", &[b"same"], |path| {
                made.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(50));
                std::fs::write(path.join("out"), "1").map_err(FlowError::file("write", path))
            })
        };
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(once)).collect();
            let runs: Vec<Finished> = runs.into_iter().map(|run| run.join().unwrap().unwrap()).collect();
            assert_eq!(runs.iter().filter(|run| !run.reused).count(), 1);
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_failed_run_is_not_reused_and_its_log_is_named() {
        let room = tempfile::tempdir().unwrap();
        let work = WorkDirectory::new(room.path());
        let fail = |path: &Path| {
            std::fs::write(path.join("tool.log"), "why").map_err(FlowError::file("write", path))?;
            Err(FlowError::ToolFailed {
                tool: "t".into(),
                status: "1".into(),
                subject: "s".into(),
                excerpt: "e".into(),
                log: path.join("tool.log").display().to_string(),
            })
        };
        let Err(FlowError::ToolFailed { log, .. }) = work.run("synth", &[b"x"], fail) else {
            panic!("must fail")
        };
        assert_eq!(std::fs::read_to_string(log).unwrap(), "why");
        assert!(!work.run("synth", &[b"x"], |_| Ok(())).unwrap().reused);
    }
}
