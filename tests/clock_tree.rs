//! `flitforge clock-tree` on a terminal device, with simulated devices at its other end.
#![cfg(unix)]
#![allow(clippy::expect_used)] // helpers of a test

#[path = "../sim/fabric/tests/board/mod.rs"]
mod board;

use board::{wait, Board, Fault};
use serialport::{SerialPort, TTYPort};
use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Plays the board until told to stop: its time is ours, to a millisecond.
fn play(mut port: TTYPort, mut board: Board, stop: &AtomicBool) {
    let (start, mut passed) = (Instant::now(), 0);
    let mut bytes = [0; 64];
    port.set_timeout(Duration::from_millis(1)).expect("a time limit");
    while !stop.load(Ordering::Relaxed) {
        match port.read(&mut bytes) {
            Ok(count) => board.write_all(&bytes[..count]).expect("taken"),
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            // Nobody has the other end open.
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
        while board.read(&mut bytes[..1]).is_ok() {
            port.write_all(&bytes[..1]).expect("sent");
        }
        let now = start.elapsed().as_millis() as u64;
        wait(&mut board, (now - passed) * 1000);
        passed = now;
    }
}

/// Runs the command with these arguments on a board, one after the other.
fn run(fault: Fault, calls: &[&[&str]]) -> Vec<Output> {
    let (far, near) = TTYPort::pair().expect("a pair of terminals");
    let name = near.name().expect("it has a name");
    // It is locked as long as it is open here.
    drop(near);
    let stop = Arc::new(AtomicBool::new(false));
    let stops = stop.clone();
    let player = std::thread::spawn(move || play(far, Board::new(fault), &stops));
    let call = |arguments: &&[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
        command.args(["clock-tree", "--serial", &name]).args(*arguments).output().expect("started")
    };
    let outputs = calls.iter().map(call).collect();
    stop.store(true, Ordering::Relaxed);
    player.join().expect("no fault of the board");
    outputs
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_command_programs_a_tree_and_watches_it() {
    let outputs = run(Fault::None, &[&["--once"], &["--watch", "--once"]]);
    let errors: Vec<String> = outputs.iter().map(|output| text(&output.stderr)).collect();
    assert!(outputs.iter().all(|output| output.status.success()), "{errors:?}");
    let [first, second] = [0, 1].map(|call: usize| text(&outputs[call].stdout));
    println!("{first}{second}");
    assert_eq!(first.matches("ns behind the master").count(), 4, "two switches, two slaves: {first}");
    assert!(!second.contains("behind the master"), "it writes nothing: {second}");
    for shown in [first, second] {
        assert!(shown.contains("0       MASTER"), "{shown}");
        assert_eq!(shown.matches(" TRACK ").count(), 2, "{shown}");
    }
}

#[test]
fn another_device_at_the_port_is_said() {
    let outputs = run(Fault::Says("0000000000000000"), &[&["--once"]]);
    assert_eq!(outputs[0].status.code(), Some(1));
    assert!(text(&outputs[0].stderr).contains("TIME_ID"), "{}", text(&outputs[0].stderr));
    let outputs = run(Fault::Silent, &[&["--once"]]);
    assert_eq!(outputs[0].status.code(), Some(1));
    assert!(text(&outputs[0].stderr).contains("no answer"), "{}", text(&outputs[0].stderr));
}
