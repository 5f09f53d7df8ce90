//! Tools that are run as child processes and end with this one, whatever ends it: Ctrl-C, `kill -9` or a panic.
//!
//! A tool runs under a shell that leads a process group of its own. The shell's standard input is a pipe that this process
//! holds open and writes nothing to. When this process is gone the pipe ends, and what watches it kills the group: the tool and
//! what the tool has started. Ctrl-C in a terminal does not reach the group, so it ends in the same way.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};

/// The shell's part. Its arguments are the tool and the tool's arguments.
const WATCH: &str = r#"
exec 3<&0 </dev/null
"$@" 3<&- &
tool=$!
( read -r _ <&3; kill -KILL 0 ) &
watch=$!
exec 3<&-
wait "$tool"
status=$?
kill -KILL "$watch" 2>/dev/null
exit "$status"
"#;

/// A tool that runs. Dropped or [stopped](Running::stop), it is killed with all it has started.
#[derive(Debug)]
pub struct Running {
    child: Child,
    /// The end of the pipe that this process holds open.
    held: Option<ChildStdin>,
}

impl Running {
    /// Starts `command`. Its program, arguments, environment and directory are heeded; standard input is empty, output and error
    /// are as given here.
    ///
    /// # Errors
    /// The program is not there or cannot be run.
    pub fn start(command: &Command, output: Stdio, errors: Stdio) -> io::Result<Self> {
        let mut child = guarded(command)?.stdout(output).stderr(errors).spawn()?;
        let held = child.stdin.take();
        Ok(Running { child, held })
    }

    /// Standard output, once, if it was to be piped.
    pub fn take_output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits for its end. A tool ended by signal n has exit code 128 + n.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn wait(mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }

    /// Kills it.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if self.held.take().is_some() {
            // Killed; that it is gone is all there is to know.
            let _ = self.child.wait();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Runs `command` to its end with standard output and error in `log`.
///
/// # Errors
/// As [`Running::start`] and [`Running::wait`].
pub fn run(command: &Command, log: File) -> io::Result<ExitStatus> {
    let errors = log.try_clone()?;
    Running::start(command, log.into(), errors.into())?.wait()
}

/// Runs `command` to its end with what it says in memory.
///
/// # Errors
/// As [`Running::start`] and [`Running::wait`].
pub fn output(command: &Command) -> io::Result<Output> {
    let mut running = Running::start(command, Stdio::piped(), Stdio::piped())?;
    let mut errors = running.child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.as_mut().map_or(Ok(0), |errors| errors.read_to_end(&mut text)).map(|_| text)
    });
    let mut stdout = Vec::new();
    if let Some(mut output) = running.take_output() {
        output.read_to_end(&mut stdout)?;
    }
    let stderr = reader.join().map_err(|_| io::Error::other("the reader of standard error ended"))??;
    Ok(Output { status: running.wait()?, stdout, stderr })
}

/// True if no process has this number now. False where nobody can say.
pub fn is_gone(process: u32) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

/// The process that is filling an entry whose name is `front`, its number, and nothing or `-` and anything.
pub fn filled_by(name: &str, front: &str) -> Option<u32> {
    let rest = name.strip_prefix(front)?;
    rest.split_once('-').map_or(rest, |(number, _)| number).parse().ok()
}

/// Removes what processes that are gone were filling in `folder`: the entries whose names begin with `front` and the number of
/// such a process, if they are `ours`. A folder that is not there has none.
///
/// # Errors
/// The folder cannot be read, or an entry cannot be removed.
pub fn sweep(folder: &Path, front: &str, ours: impl Fn(&Path) -> bool) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let gone = filled_by(&entry.file_name().to_string_lossy(), front).is_some_and(is_gone);
        if !gone || !ours(&entry.path()) {
            continue;
        }
        let removed = match entry.file_type()?.is_dir() {
            true => std::fs::remove_dir_all(entry.path()),
            false => std::fs::remove_file(entry.path()),
        };
        match removed {
            // Another process sweeps, too.
            Err(error) if error.kind() == io::ErrorKind::NotFound => (),
            removed => removed?,
        }
    }
    Ok(())
}

/// The shell that runs `command`.
fn guarded(command: &Command) -> io::Result<Command> {
    let program = found(command)?;
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", WATCH, "flitforge"]).arg(program).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        shell.current_dir(directory);
    }
    shell.stdin(Stdio::piped()).process_group(0);
    Ok(shell)
}

/// The program's file: the shell would only say that it is not there.
fn found(command: &Command) -> io::Result<PathBuf> {
    let program = Path::new(command.get_program());
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("no program `{}`", program.display()));
    if program.components().count() > 1 {
        let base = command.get_current_dir().unwrap_or(Path::new("."));
        let there = program.is_file() || base.join(program).is_file();
        return there.then(|| program.into()).ok_or_else(missing);
    }
    let own = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
    let path = own.map(Into::into).or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    std::env::split_paths(&path)
        .map(|front| front.join(program))
        .find(|file| file.is_file())
        .ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Names the file for process numbers when this test program runs itself as the parent.
    const ROLE: &str = "PROCESS_TEST_PARENT";

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_status_environment_and_directory_are_the_tools() {
        let room = tempfile::tempdir().expect("temporary folder");
        let mut command = shell("echo $WORD; pwd; echo wrong >&2; cat; exit 3");
        command.env("WORD", "a b").current_dir(room.path());
        let output = output(&command).expect("run");
        assert_eq!(output.status.code(), Some(3));
        let here = room.path().canonicalize().expect("there");
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("a b\n{}\n", here.display()));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "wrong\n");
        let log = room.path().join("log");
        let status = run(&command, File::create(&log).expect("made")).expect("run");
        assert_eq!(status.code(), Some(3));
        assert!(std::fs::read_to_string(log).expect("read").ends_with("wrong\n"));
    }

    #[test]
    fn arguments_come_as_they_are() {
        let mut command = Command::new("printf");
        command.args(["%s|", "a b", "$HOME", "'\"", "", "*"]);
        let output = output(&command).expect("run");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a b|$HOME|'\"||*|");
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_of_its_own() {
        for name in ["no-such-tool", "/no/such/tool"] {
            let error = output(&Command::new(name)).expect_err("not there");
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            assert!(error.to_string().contains(name), "{error}");
        }
    }

    #[test]
    fn a_tool_that_is_stopped_or_dropped_is_gone() {
        let room = tempfile::tempdir().expect("temporary folder");
        for (name, stops) in [("stopped", true), ("dropped", false)] {
            let file = room.path().join(name);
            let script = format!("sleep 600 & echo $! > {}; wait", file.display());
            let running = Running::start(&shell(&script), Stdio::null(), Stdio::null()).expect("started");
            let process = || std::fs::read_to_string(&file).unwrap_or_default().trim().to_string();
            wait_for("it runs", || !process().is_empty());
            if stops {
                running.stop();
            } else {
                drop(running);
            }
            wait_for(name, || !Path::new("/proc").join(process()).exists());
        }
    }

    #[test]
    fn only_what_processes_that_are_gone_have_left_is_swept() {
        let room = tempfile::tempdir().expect("temporary folder");
        // No process has the first number; the second one is this process.
        let own = format!(".part-{}-x", std::process::id());
        let names = [
            ".part-4194999",
            ".part-4194999-a",
            ".part-4194999-b",
            &own,
            ".part-mine",
            "part-4194999",
            ".other-4194999",
        ];
        for name in names {
            std::fs::create_dir(room.path().join(name)).expect("made");
        }
        std::fs::write(room.path().join(".part-4194998"), "").expect("written");
        sweep(room.path(), ".part-", |path| !path.ends_with(".part-4194999-b")).expect("swept");
        let mut left: Vec<String> = std::fs::read_dir(room.path())
            .expect("read")
            .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
            .collect();
        left.sort();
        let mut kept = [".other-4194999", ".part-4194999-b", &own, ".part-mine", "part-4194999"];
        kept.sort_unstable();
        assert_eq!(left, kept);
        sweep(&room.path().join("none"), ".part-", |_| true).expect("nothing there");
    }

    #[test]
    fn a_signal_shows_in_the_exit_code() {
        let output = output(&shell("kill -TERM $$")).expect("run");
        assert_eq!(output.status.code(), Some(128 + 15));
    }

    /// The parent of the test after this one; nothing on its own.
    #[test]
    fn parent() {
        let Some(file) = std::env::var_os(ROLE) else { return };
        let script = format!("echo $$ >> {0}; sh -c 'echo $$ >> {0}; sleep 600; true'; true", file.display());
        let ended = output(&shell(&script));
        panic!("the tool ended before its parent: {ended:?}");
    }

    #[test]
    fn a_tool_and_what_it_has_started_die_with_a_parent_that_is_killed() {
        let room = tempfile::tempdir().expect("temporary folder");
        let file = room.path().join("processes");
        let mut parent = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "tests::parent", "--nocapture"])
            .env(ROLE, &file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let processes = || std::fs::read_to_string(&file).unwrap_or_default();
        wait_for("both run", || processes().lines().count() == 2);
        let alive =
            || processes().lines().filter(|process| Path::new("/proc").join(process).exists()).count();
        assert_eq!(alive(), 2, "{}", processes());
        parent.kill().expect("killed");
        parent.wait().expect("gone");
        wait_for("both are gone", || alive() == 0);
    }

    fn wait_for(what: &str, done: impl Fn() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
