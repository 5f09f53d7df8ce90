//! `flitforge sue pair`: the simulated hardware at the other end of the command, and at the other end of a terminal device.
#![allow(clippy::expect_used)] // helpers of a test

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

fn pair(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    command.args(["sue", "pair"]).args(arguments).output().expect("started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Numbers of a row of the last table: sent, received, wrong, bodies, replays, gaps, link replays, bad frames, damaged columns.
fn rows(output: &Output) -> Vec<Vec<u64>> {
    let shown = text(&output.stdout);
    println!("{shown}{}", text(&output.stderr));
    let last: Vec<&str> = shown.lines().filter(|line| line.contains(" up ")).collect();
    let row = |line: &&str| {
        line.split_ascii_whitespace().skip(2).map(|word| word.parse().expect("a number")).collect()
    };
    last[last.len() - 2..].iter().map(row).collect()
}

#[test]
fn commands_arrive_over_a_line_without_faults() {
    let output = pair(&["--simulated", "--commands", "300", "--interval", "5"]);
    let rows = rows(&output);
    assert!(output.status.success());
    for row in rows {
        assert_eq!(row[..3], [300, 300, 0]);
        assert_eq!(row[4..], [0; 5]);
    }
}

#[test]
fn go_back_n_and_link_layer_retry_repair_a_bad_line() {
    for retry in [false, true] {
        let mut arguments = vec!["--simulated", "--commands", "400", "--interval", "10", "--damage", "1000"];
        arguments.extend(retry.then_some("--retry"));
        let output = pair(&arguments);
        let rows = rows(&output);
        assert!(output.status.success());
        for row in &rows {
            assert_eq!(row[..3], [400, 400, 0]);
            assert!(row[8] > 0, "columns are damaged");
        }
        let of_both = |place: usize| rows[0][place] + rows[1][place];
        let (replays, link_replays) = (of_both(4), of_both(6));
        assert_eq!((replays > 0, link_replays > 0), (!retry, retry), "{replays} and {link_replays} replays");
    }
}

/// The simulated board at a terminal device; it ends with the test.
struct Board {
    process: Child,
    terminal: String,
}

impl Board {
    fn new() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
        command.args(["sue", "pair", "--simulated", "--terminal"]).stdout(Stdio::piped());
        let mut process = command.spawn().expect("started");
        let mut shown = String::new();
        let output = process.stdout.take().expect("piped");
        BufReader::new(output).read_line(&mut shown).expect("a line");
        let terminal = shown.split_once(':').expect("its name").0.to_owned();
        Self { process, terminal }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.process.kill().expect("it runs until it is stopped");
        self.process.wait().expect("ended");
    }
}

/// One run after the other at the same board, as its users do it: each begins with counts of 0, and may change what is locked while a port runs.
#[cfg(unix)]
#[test]
fn one_run_after_the_other_at_a_terminal() {
    let board = Board::new();
    for retry in [false, true, false] {
        let mut arguments = vec!["--serial", &board.terminal, "--commands", "200", "--interval", "20"];
        arguments.extend(["--damage", "1000"]);
        arguments.extend(retry.then_some("--retry"));
        let output = pair(&arguments);
        let rows = rows(&output);
        assert!(output.status.success());
        let of_both = |place: usize| rows[0][place] + rows[1][place];
        assert_eq!((of_both(0), of_both(1), of_both(2)), (400, 400, 0));
        let (replays, link_replays) = (of_both(4), of_both(6));
        assert_eq!((replays > 0, link_replays > 0), (!retry, retry), "{replays} and {link_replays} replays");
    }
    let shown = pair(&["--serial", &board.terminal, "--watch", "--tables", "1"]);
    assert_eq!(rows(&shown)[0][..3], [200, 200, 0], "it still shows the last run");
}

#[test]
fn what_cannot_work_is_refused() {
    let output = pair(&["--serial", "/dev/null"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("/dev/null"));
    assert_eq!(pair(&[]).status.code(), Some(2));
    assert_eq!(pair(&["--simulated", "--data", "257"]).status.code(), Some(2));
    assert_eq!(pair(&["--simulated", "--serial", "/dev/null"]).status.code(), Some(2));
    assert_eq!(pair(&["--serial", "/dev/null", "--terminal"]).status.code(), Some(2));
    let few = pair(&["--simulated", "--commands", "100000", "--interval", "1", "--tables", "1"]);
    assert_eq!(few.status.code(), Some(1), "not all have come");
    assert!(text(&few.stderr).contains("not all commands"));
}
