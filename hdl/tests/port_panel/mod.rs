//! `port_loopback_panel` as an operator meets it, on its pins alone: console, commands, buttons, LEDs.
//!
//! LED 0 cannot change here: it needs 2^22 LTPs.

#![allow(clippy::expect_used)] // tests

mod operator;

use flitforge_protocol::link::LinkState;
use operator::{Line, Operator, BIT, INTERVAL, READ_CLOCKS};

/// Words of an LTP in modes 0 and 1.
const WORDS: u64 = 33;
const ACTIVE: u64 = LinkState::Active as u64;
const DEGRADED: u64 = LinkState::Degraded as u64;
/// The buttons.
const INJECT: u32 = 0;
const KILL: u32 = 1;
const RESTORE: u32 = 2;

/// An operator whose link is up on all lanes, and the line that says so.
fn up() -> (Operator, Line) {
    let mut operator = Operator::new();
    let line = operator.until("up", |line| line.state == ACTIVE);
    assert_eq!((line.lanes, line.mode), ((0xF, 0xF), 1), "{line:?}");
    assert_eq!((line.bad, line.gaps, line.wrong), (0, 0, 0), "{line:?}");
    (operator, line)
}

/// Between the two lines as many good LTPs were counted as the lanes carry, nothing else, but for what was not read yet.
fn only_good(before: Line, after: Line) {
    let lanes = u64::from(before.lanes.0.count_ones());
    let expected = (after.began - before.began) * lanes / WORDS;
    let counted = after.good - before.good;
    let unread = READ_CLOCKS * lanes / WORDS + 2;
    assert!(
        counted.abs_diff(expected) <= unread,
        "{counted} good LTPs, expected {expected}: {before:?} {after:?}"
    );
    let rest = |line: Line| (line.state, line.lanes, line.mode, line.bad, line.replay, line.gaps, line.wrong);
    assert_eq!(rest(after), rest(before));
}

#[test]
fn console_lines_decode_and_count_good_ltps() {
    let mut operator = Operator::new();
    let cleared = operator.clocks();
    let first = operator.line();
    assert!(first.began.abs_diff(cleared + INTERVAL) <= 4, "began {} after clear", first.began - cleared);
    let before = operator.until("up", |line| line.state == ACTIVE);
    let after = operator.line();
    only_good(before, after);
    assert!(after.good - before.good > 1000, "{after:?}");
    assert_eq!((after.bad, after.gaps, after.wrong), (0, 0, 0));
    assert!(!operator.led(0) && !operator.led(2) && !operator.led(3));
    assert_eq!(operator.lanes_on_leds(), 0xF);
}

#[test]
fn a_press_with_bounces_injects_exactly_one_error_and_it_is_mended() {
    let (mut operator, mut before) = up();
    for presses in 1..=3 {
        for _ in 0..3 {
            operator.button(INJECT, true, 1);
            operator.button(INJECT, false, 1);
        }
        operator.button(INJECT, true, 40);
        assert!(operator.led(2), "LED 2 shows the pressed button");
        // Held for long, it is still one press.
        operator.button(INJECT, true, 1_000);
        for _ in 0..3 {
            operator.button(INJECT, false, 1);
            operator.button(INJECT, true, 1);
        }
        operator.button(INJECT, false, 40);
        assert!(!operator.led(2));
        let line = operator.line();
        assert_eq!((line.bad, line.gaps, line.wrong), (presses, 0, 0), "{line:?}");
        assert!(line.replay > before.replay, "{line:?}");
        before = line;
    }
    only_good(before, operator.line());
    assert!(!operator.led(3));
}

#[test]
fn killing_lanes_by_button_leaves_three_two_and_one_and_no_beat_is_lost() {
    let (mut operator, _) = up();
    for lanes in [0xE, 0xC, 0x8] {
        operator.press(KILL);
        let line =
            operator.until("a lane less", |line| line.state == DEGRADED && line.lanes == (lanes, lanes));
        assert_eq!((line.gaps, line.wrong), (0, 0), "{line:?}");
        assert_eq!(operator.lanes_on_leds(), lanes);
        only_good(line, operator.line());
    }
    // The last lane is spared.
    operator.press(KILL);
    let line = operator.line();
    assert_eq!((line.state, line.lanes), (DEGRADED, (0x8, 0x8)), "{line:?}");
    operator.press(RESTORE);
    let line = operator.until("all lanes", |line| line.state == ACTIVE && line.lanes == (0xF, 0xF));
    assert!(line.bad > 3 && line.replay > 3, "{line:?}");
    assert_eq!((line.gaps, line.wrong), (0, 0), "{line:?}");
    only_good(line, operator.line());
    assert_eq!(operator.lanes_on_leds(), 0xF);
    assert!(!operator.led(3));
}

#[test]
fn every_command_does_what_the_doc_says() {
    let (mut operator, _) = up();
    let mut errors = 0;
    for (command, lanes, mode) in
        [(b'1', 1, 1), (b's', 1, 0), (b'2', 3, 0), (b'3', 7, 0), (b'c', 7, 1), (b'4', 0xF, 1)]
    {
        operator.command(command);
        let before = operator.until("restarted", |line| line.lanes == (lanes, lanes) && line.mode == mode);
        assert_eq!((before.gaps, before.wrong), (0, 0), "after {:?}", char::from(command));
        let expected = if lanes == 0xF { ACTIVE } else { DEGRADED };
        let before = operator.until("up", |line| line.state == expected && line.good > before.good);
        only_good(before, operator.line());
        operator.command(b'e');
        errors += 1;
        let line = operator.line();
        assert_eq!((line.bad, line.gaps, line.wrong, line.lanes.1), (errors, 0, 0, lanes));
    }
    operator.send(b'k');
    operator.until("killed", |line| line.state == DEGRADED && line.lanes == (0xE, 0xE));
    operator.send(b'r');
    operator.until("restored", |line| line.state == ACTIVE && line.lanes == (0xF, 0xF));
    operator.send(b'z');
    let zeroed = operator.clocks();
    operator.run(READ_CLOCKS);
    let line = operator.line();
    assert_eq!((line.bad, line.replay, line.gaps, line.wrong), (0, 0, 0, 0));
    let expected = (line.began - zeroed) * 4 / WORDS;
    assert!(line.good.abs_diff(expected) <= 10, "{} good since `z`, expected {expected}", line.good);
}

#[test]
fn other_characters_change_nothing() {
    let (mut operator, before) = up();
    for byte in (0..=255).filter(|byte| !b"1234scekrz".contains(byte)) {
        operator.send(byte);
    }
    // A restart would cost some hundred LTPs.
    only_good(before, operator.line());
}

#[test]
fn garbage_on_the_serial_line_changes_nothing() {
    let (mut operator, before) = up();
    // `e`, `z` and `1` with their stop bit missing, then the line is idle again.
    for byte in [b'e', b'z', b'1'] {
        operator.serial(false, BIT);
        (0..8).for_each(|bit| operator.serial(byte >> bit & 1 == 1, BIT));
        operator.serial(false, BIT);
        operator.serial(true, 2 * BIT);
    }
    // A break, and pulses shorter than half a bit.
    operator.serial(false, 40 * BIT);
    operator.serial(true, 2 * BIT);
    for length in [1, 2, 3].repeat(7) {
        operator.serial(false, length);
        operator.serial(true, BIT);
    }
    only_good(before, operator.line());
    operator.command(b'e');
    assert_eq!(operator.line().bad, 1, "the receiver still works");
}

#[test]
fn clear_in_mid_line_starts_all_again() {
    let (mut operator, _) = up();
    operator.command(b'2');
    operator.command(b's');
    operator.until("two lanes", |line| line.lanes == (3, 3) && line.mode == 0 && line.state == DEGRADED);
    operator.command(b'e');
    let line = operator.line();
    assert_eq!((line.bad, line.lanes, line.mode), (1, (3, 3), 0));
    operator.press(KILL);
    operator.run(INTERVAL + 30 * 10 * BIT + 3);
    // Half a command is on its way in: it is forgotten, and its last bits are no command.
    operator.serial(false, BIT);
    (0..6).for_each(|bit| operator.serial(b'e' >> bit & 1 == 1, BIT));
    operator.clear(3);
    let cleared = operator.clocks();
    (6..8).for_each(|bit| operator.serial(b'e' >> bit & 1 == 1, BIT));
    operator.serial(true, BIT);
    let first = operator.line();
    assert!(first.began.abs_diff(cleared + INTERVAL) <= 4, "began {} after clear", first.began - cleared);
    let line = operator.until("up again", |line| line.state == ACTIVE);
    assert_eq!((line.lanes, line.mode, line.gaps, line.wrong), ((0xF, 0xF), 1, 0, 0));
    assert!(line.bad > 1, "the port's counters stay: {line:?}");
    only_good(line, operator.line());
}
