//! `link_loopback_panel` as an operator meets it, on its pins alone: console, commands, button, LEDs.
//!
//! Two LEDs cannot change here: LED 0 needs 2^22 LTPs, LED 3 an error that the CRC does not see.

#![allow(clippy::expect_used)] // tests

mod operator;

use operator::{Line, Operator, BIT, INTERVAL};

/// Words of an LTP in modes 0 and 1.
const WORDS: u64 = 33;

/// Between the two lines as many good LTPs were counted as `lanes` lanes carry, nothing else, within some clocks.
fn only_good(before: Line, after: Line, lanes: u64) {
    let expected = (after.began - before.began) * lanes / WORDS;
    let counted = after.good - before.good;
    assert!(
        counted.abs_diff(expected) <= 2,
        "{counted} good LTPs, expected {expected}: {before:?} {after:?}"
    );
    assert_eq!((after.bad, after.gaps, after.wrong), (before.bad, before.gaps, before.wrong));
    assert_eq!((after.lanes, after.mode), (before.lanes, before.mode));
}

#[test]
fn console_lines_decode_and_count_good_ltps() {
    let mut operator = Operator::new();
    let cleared = operator.clocks();
    let first = operator.line();
    assert!(first.began.abs_diff(cleared + INTERVAL) <= 4, "began {} after clear", first.began - cleared);
    assert_eq!((first.bad, first.gaps, first.wrong, first.lanes, first.mode), (0, 0, 0, 4, 0));
    let second = operator.line();
    only_good(first, second, 4);
    assert!(second.good > 800, "{second:?}");
    assert!(!operator.led(0) && !operator.led(2) && !operator.led(3));
    assert_eq!(operator.bad_on_leds(), 0);
}

#[test]
fn a_press_with_bounces_injects_exactly_one_error() {
    let mut operator = Operator::new();
    operator.run(300);
    for presses in 1..=3 {
        for _ in 0..3 {
            operator.button(true, 1);
            operator.button(false, 1);
        }
        operator.button(true, 40);
        assert!(operator.led(2), "LED 2 shows the pressed button");
        // Held for long, it is still one press.
        operator.button(true, 1_000);
        for _ in 0..3 {
            operator.button(false, 1);
            operator.button(true, 1);
        }
        operator.button(false, 40);
        assert!(!operator.led(2));
        let line = operator.line();
        assert_eq!((line.bad, line.gaps, line.wrong), (presses, presses, 0));
        assert_eq!(operator.bad_on_leds(), presses);
    }
}

#[test]
fn every_command_does_what_the_doc_says() {
    let mut operator = Operator::new();
    let mut errors = 0;
    for (command, lanes, mode) in
        [(b'1', 1, 0), (b'c', 1, 1), (b'2', 2, 1), (b'3', 3, 1), (b's', 3, 0), (b'4', 4, 0)]
    {
        operator.command(command);
        let before = operator.line();
        assert_eq!((before.lanes, before.mode), (lanes, mode), "after {:?}", char::from(command));
        only_good(before, operator.line(), lanes);
        operator.command(b'e');
        errors += 1;
        let line = operator.line();
        assert_eq!((line.bad, line.gaps, line.wrong, line.lanes), (errors, errors, 0, lanes));
    }
    assert_eq!(operator.bad_on_leds(), errors);
    operator.send(b'z');
    let zeroed = operator.clocks();
    operator.run(10);
    assert_eq!(operator.bad_on_leds(), 0);
    let line = operator.line();
    assert_eq!((line.bad, line.gaps, line.wrong, line.lanes, line.mode), (0, 0, 0, 4, 0));
    let expected = (line.began - zeroed) * 4 / WORDS;
    assert!(line.good.abs_diff(expected) <= 2, "{} good since `z`, expected {expected}", line.good);
}

#[test]
fn other_characters_change_nothing() {
    let mut operator = Operator::new();
    let before = operator.line();
    for byte in (0..=255).filter(|byte| !b"1234scez".contains(byte)) {
        operator.send(byte);
    }
    // A restart would cost about ten LTPs.
    only_good(before, operator.line(), 4);
}

#[test]
fn garbage_on_the_serial_line_changes_nothing() {
    let mut operator = Operator::new();
    let before = operator.line();
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
    let after = operator.line();
    only_good(before, after, 4);
    operator.command(b'e');
    assert_eq!(operator.line().bad, 1, "the receiver still works");
}

#[test]
fn clear_in_mid_line_starts_all_again() {
    let mut operator = Operator::new();
    operator.command(b'2');
    operator.command(b'c');
    operator.command(b'e');
    let line = operator.line();
    assert_eq!((line.bad, line.lanes, line.mode), (1, 2, 1));
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
    assert_eq!((first.bad, first.gaps, first.wrong, first.lanes, first.mode), (0, 0, 0, 4, 0));
    assert!(first.good < INTERVAL * 4 / WORDS, "counted from 0: {first:?}");
    only_good(first, operator.line(), 4);
    assert_eq!(operator.bad_on_leds(), 0);
}
