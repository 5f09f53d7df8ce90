//! The clock tree of a board over its serial line: the manager library behind lines of text, on simulated devices.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::board::{wait, Board, Fault};
use flitforge_fabric::clock_tree::{
    self, start, table, wait_for_lock, ClockTreeError, Settings, MASTER, SLAVES,
};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::manager::{ManagerError, RegisterAccess};
use flitforge_fabric::register_line::{problem, RegisterLine};
use flitforge_protocol::register_line::{checked, checked_answer};
use flitforge_protocol::time_registers as regs;
use flitforge_protocol::time_servo::ServoState;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

const SETTINGS: Settings = Settings {
    time: 1_700_000_000_000_000_000,
    period: 1,
    links: LinkMeasurement { rounds_log2: 4, asymmetry: 0, tolerance: 512 },
};

fn line(fault: Fault) -> RegisterLine<Board> {
    RegisterLine::new(Board::new(fault), wait).expect("in step")
}

#[test]
fn the_tree_locks_over_the_serial_line() {
    let mut line = line(Fault::None);
    let (_, plan) = start(&mut line, &SETTINGS).expect("started");
    assert_eq!(plan.offsets.rows.len(), 4, "two switches and two slaves");
    let locked = wait_for_lock(&mut line, 10_000, 5).expect("locked");
    println!("{locked}");
    line.wait_us(200_000);
    let shown = table(&mut line).expect("read");
    println!("{shown}");
    for (row, slave) in shown.rows[1..].iter().zip(SLAVES) {
        assert_eq!((row.device, row.state), (slave, Some(ServoState::Track)));
        // What the table shows is what the time really is: links are good to 1/8 ns each, and lines jitter by a word.
        let (shown_ns, true_ns) =
            (row.error.expect("a slave") as f64 / 256.0, line.stream().network.error_fs(slave) as f64 / 1e6);
        assert!(shown_ns.abs() < 20.0 && true_ns.abs() < 20.0, "{shown_ns} and {true_ns} ns");
        // Clocks are off by up to 200 ppm each.
        assert!(row.drift_ppb != 0.0 && row.drift_ppb.abs() < 400_000.0, "{} ppb", row.drift_ppb);
        assert!(row.samples.expect("a slave") > 150 && row.epoch >= 1);
    }
    let before: Vec<_> = shown.rows.iter().map(|row| row.epoch).collect();
    line.wait_us(100_000);
    let after = table(&mut line).expect("read");
    assert_eq!(before, after.rows.iter().map(|row| row.epoch).collect::<Vec<_>>(), "no step while locked");
}

#[test]
fn lost_characters_are_sent_again() {
    let mut line = line(Fault::Loses(5));
    start(&mut line, &SETTINGS).expect("started");
    assert!(wait_for_lock(&mut line, 10_000, 5).expect("locked").is_locked());
    assert!(line.repeated() > 10);
}

#[test]
fn wrong_characters_are_sent_again() {
    let mut line = line(Fault::Damages(5));
    start(&mut line, &SETTINGS).expect("started");
    assert!(wait_for_lock(&mut line, 10_000, 5).expect("locked").is_locked());
    assert!(line.repeated() > 10);
}

/// Keeps what is sent, and answers every line with `ok`.
#[derive(Default)]
struct Kept {
    sent: String,
    answers: VecDeque<u8>,
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).expect("ASCII");
        self.sent.push_str(text);
        if let Some(end) = text.trim_end().rfind(' ') {
            self.answers.extend(checked_answer(&text[..=end], "ok").into_bytes());
            self.answers.extend(b"\r\n");
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Kept {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        bytes[0] = self.answers.pop_front().ok_or(ErrorKind::TimedOut)?;
        Ok(1)
    }
}

#[test]
fn requests_have_no_leading_zeros_and_their_check() {
    let mut line = RegisterLine::new(Kept::default(), |_: &mut Kept, _| ()).expect("in step");
    for (offset, value) in [(0x30, 0x2a), (0, 0), (0x7f8, u64::MAX)] {
        line.write(4, offset, value).expect("ok");
    }
    line.read(3, 0x28).expect_err("ok is no value");
    let sent = ["w 4 30 2a", "w 4 0 0", "w 4 7f8 ffffffffffffffff", "r 3 28"].map(checked).join("\n");
    assert_eq!(line.stream().sent, format!("\n{sent}\n"));
}

#[test]
fn what_the_line_refuses_is_said() {
    let mut line = line(Fault::None);
    for (device, offset, letter) in [(7, 0, 'd'), (0, 4, 'o'), (0, regs::PAGE_BYTES, 'o')] {
        assert_eq!(line.read(device, offset).expect_err("refused").problem, problem(letter));
        assert_eq!(line.write(device, offset, 1).expect_err("refused").problem, problem(letter));
    }
    line.stream().network.set_device(SLAVES[0], false);
    assert_eq!(line.read(SLAVES[0], 0x10).expect_err("refused").problem, problem('a'));
    assert_eq!(line.read(MASTER, regs::PORT_SEL).expect("there"), 0, "the line goes on");
}

#[test]
fn a_bad_line_ends_in_an_error_and_not_in_a_wait() {
    let problem_of = |fault| line(fault).read(0, 0).expect_err("bad").problem;
    assert!(problem_of(Fault::Silent).contains("no answer"));
    for letter in ["?l", "?c", "?s", "?t"] {
        let code = letter.chars().last().expect("a letter");
        assert_eq!(problem_of(Fault::Says(letter)), problem(code), "not for ever");
    }
    assert!(problem_of(Fault::Says("\u{fffd}")).contains("wrong check"), "not ASCII");
    assert!(problem_of(Fault::WrongCheck).contains("wrong check"));
    for text in ["ok", "123", "00000000000000000", "000000000000000g"] {
        assert!(problem_of(Fault::Says(text)).contains("no value"), "{text}");
    }
    assert!(problem_of(Fault::Says("?")).contains("refused"));
    let mut broken = line(Fault::Says("0000000000000000"));
    assert!(broken.write(0, 0x30, 1).expect_err("bad").problem.contains("not ok"));
    let error = line(Fault::WrongCheck).write(0, 0x30, 1).expect_err("perhaps carried out");
    assert!(error.problem.contains("wrong check"));
    let refused = RegisterLine::new(Board::new(Fault::Babbles), |_: &mut Board, _| ()).map(|_| ());
    assert!(refused.expect_err("no silence").to_string().contains("silent"));
    let mut gone = line(Fault::Gone);
    let error = start(&mut gone, &SETTINGS).expect_err("unplugged");
    assert!(matches!(error, ClockTreeError::Manager(ManagerError::Access(_))), "{error}");
    assert_eq!(gone.take_failure().expect("the stream's own").kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_late_answer_is_not_taken_for_the_next_one() {
    let mut line = line(Fault::Late);
    line.write(MASTER, regs::SET_TIME, 0x1234).expect_err("too late");
    let mut answers = (0..3).map(|_| line.read(MASTER, regs::SET_TIME).expect("in step again"));
    assert!(answers.all(|answer| answer == 0x1234));
}

#[test]
fn another_design_is_recognised() {
    let error = clock_tree::topology(&mut line(Fault::Says("0000000000000000"))).expect_err("no TIME_ID");
    assert!(matches!(error, ClockTreeError::Hardware { device: 0, found: 0 }), "{error}");
}

#[test]
fn a_tree_that_does_not_lock_is_said_with_its_states() {
    let mut line = line(Fault::None);
    start(&mut line, &SETTINGS).expect("started");
    line.stream().network.set_link(1, false);
    let error = wait_for_lock(&mut line, 100_000, 1).expect_err("one slave is cut off");
    let ClockTreeError::NotLocked { seconds: 1, states } = &error else { panic!("{error}") };
    assert!(states.contains("device 4 TRACK") && !states.contains("device 3 TRACK"), "{states}");
}
