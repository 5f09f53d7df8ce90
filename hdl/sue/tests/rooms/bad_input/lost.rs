//! A PDU is lost, and so is the NACK that asks for it: go-back-N recovers by its timer, or by the NACK of the next attempt (chapter 50, 4.5 and 4.6).

use super::wire::{has_body, header_of, take_away, OnWire};
use super::{events_are, goes_on, next_body, next_frame, rested, Line, PLAIN};
use flitforge_protocol::sue::reliability::Operation;
use flitforge_protocol::sue_registers::{self as page, SueCounter};

/// Octets of data of each command.
const DATA: usize = 60;
/// Clocks in which all PDUs of a case and their acknowledgments are through, less than RTO of `PLAIN`.
const SOON: u64 = 1_000;
/// Clocks in which the timer has run out twice, with its first back-off, and all has come again.
const AFTER_TIMERS: u64 = 8_000;

/// What is lost beside a PDU and its NACK, and what the counters say at the end.
struct Case {
    what: &'static str,
    /// RENACK of the receiver.
    renack: bool,
    /// PDUs that come after the gap once the NACK is lost.
    more: u64,
    /// The lost PDU is lost again when it is replayed.
    twice: bool,
    gaps: u64,
    nacks: u64,
    nacks_heard: u64,
    expiries: u64,
    replays: u64,
}

const TIMER: Case = Case {
    what: "the timer",
    renack: true,
    more: 0,
    twice: false,
    gaps: 1,
    nacks: 1,
    nacks_heard: 0,
    expiries: 1,
    replays: 2,
};

fn cases() -> [Case; 4] {
    [
        TIMER,
        // One NACK for each gap and attempt: what comes after the gap is dropped in silence.
        Case { what: "more after the gap", more: 2, gaps: 3, replays: 4, ..TIMER },
        // The step back shows that a replay has begun and lost its first PDU: asked for again, without another RTO.
        Case {
            what: "a replay that loses its first PDU",
            twice: true,
            gaps: 2,
            nacks: 2,
            nacks_heard: 1,
            replays: 4,
            ..TIMER
        },
        // The source as it is written: only the timer helps.
        Case {
            what: "the same without RENACK",
            renack: false,
            twice: true,
            gaps: 2,
            expiries: 2,
            replays: 4,
            ..TIMER
        },
    ]
}

fn is_nack(frame: &OnWire) -> bool {
    header_of(frame).operation == Operation::Nack
}

/// The values of some counters of an end.
fn counts<const N: usize>(line: &mut Line, index: usize, counters: [SueCounter; N]) -> [u64; N] {
    counters.map(|counter| line.ends[index].count(counter))
}

/// What tells of the gap at its receiver, and of its repair at the sender.
const AT_RECEIVER: [SueCounter; 4] =
    [SueCounter::Gap, SueCounter::NackTx, SueCounter::Duplicate, SueCounter::ReceiveFull];
const AT_SENDER: [SueCounter; 4] =
    [SueCounter::NackRx, SueCounter::Expiries, SueCounter::Replay, SueCounter::AckWild];

/// Those of both tables, one after the other.
fn all_counts(line: &mut Line, index: usize) -> Vec<u64> {
    let sent = counts(line, index, AT_SENDER);
    let received = counts(line, index, AT_RECEIVER);
    [sent, received].concat()
}

/// Both ends begin anew, without RENACK.
fn without_renack(line: &mut Line) {
    for end in &mut line.ends {
        end.restart();
        let control = end.read(page::CTRL);
        let less = control & !(1 << page::ctrl::renack::LOW);
        end.write(page::CTRL, control & !1);
        end.write(page::CTRL, less);
        assert_eq!(end.read(page::CTRL), less);
    }
    line.settle(200);
    line.connect(40_000);
}

/// The first PDU is lost, the one after it shows the gap, and its NACK, which must ask for the first one, is lost, too.
fn lose_pdu_and_nack(line: &mut Line) {
    line.ends[0].offer(2, DATA);
    let first = next_body(line, 0);
    take_away(&mut line.wires[0], &first);
    line.ends[0].offer(2, DATA);
    next_body(line, 0);
    let nack = next_frame(line, 1, is_nack);
    assert_eq!(header_of(&nack).acknowledged, header_of(&first).psn, "PSN that is asked for");
    take_away(&mut line.wires[1], &nack);
}

#[test]
fn a_lost_pdu_and_its_lost_nack_are_recovered() {
    for case in cases() {
        let what = case.what;
        let mut line = rested(PLAIN, 0xBAE0);
        if !case.renack {
            without_renack(&mut line);
        }
        let before = [counts(&mut line, 0, AT_SENDER), counts(&mut line, 1, AT_RECEIVER)];
        let delivered = line.ends[1].delivered;
        lose_pdu_and_nack(&mut line);
        for _ in 0..case.more {
            line.ends[0].offer(2, DATA);
            next_body(&mut line, 0);
        }
        if case.twice {
            let replayed = next_body(&mut line, 0);
            take_away(&mut line.wires[0], &replayed);
        } else {
            line.settle(SOON);
        }
        assert_eq!(line.ends[1].delivered, delivered, "{what}: nothing but the timer can help");
        line.settle(AFTER_TIMERS);
        assert_eq!(line.ends[1].delivered - delivered, 2 + case.more, "{what}");
        let after = [counts(&mut line, 0, AT_SENDER), counts(&mut line, 1, AT_RECEIVER)];
        let since = |end: usize| std::array::from_fn(|place| after[end][place] - before[end][place]);
        assert_eq!(since(0), [case.nacks_heard, case.expiries, case.replays, 0], "{what}: {AT_SENDER:?}");
        assert_eq!(since(1), [case.gaps, case.nacks, 0, 0], "{what}: {AT_RECEIVER:?}");
        for index in [0, 1] {
            events_are(&mut line, index, &[], what);
        }
        goes_on(&mut line);
        assert!(line.ends.iter().all(|end| end.failed == 0), "{what}");
    }
}

/// A PDU is lost; so many clocks after the one after it the other end has a command to send. The PDU that carries the NACK, and whether it has that command in it.
fn nack_beside_a_command(line: &mut Line, after: u64) -> (OnWire, bool) {
    line.ends[0].offer(2, DATA);
    let first = next_body(line, 0);
    take_away(&mut line.wires[0], &first);
    line.ends[0].offer(2, DATA);
    line.settle(after);
    line.ends[1].offer(2, DATA);
    let nack = next_frame(line, 1, is_nack);
    assert_eq!(header_of(&nack).acknowledged, header_of(&first).psn, "PSN that is asked for");
    let travels = has_body(&nack);
    (nack, travels)
}

/// A NACK that travels with a command is lost with it: both ends have lost a PDU, and the timer of each brings it again.
#[test]
fn a_nack_that_is_lost_with_its_command_is_recovered() {
    let mut line = rested(PLAIN, 0xBAE1);
    // The moment in which the command goes before an acknowledgment alone is searched for.
    for after in (190..400).step_by(2) {
        let before = [0, 1].map(|index| all_counts(&mut line, index));
        let delivered = line.ends.each_ref().map(|end| end.delivered);
        let (nack, travels) = nack_beside_a_command(&mut line, after);
        if !travels {
            line.settle(SOON);
            continue;
        }
        println!("the command was offered {after} clocks later");
        take_away(&mut line.wires[1], &nack);
        line.settle(SOON / 2);
        assert_eq!(line.ends.each_ref().map(|end| end.delivered), delivered, "nothing but timers can help");
        line.settle(AFTER_TIMERS);
        let came = [0, 1].map(|index| line.ends[index].delivered - delivered[index]);
        assert_eq!(came, [1, 2]);
        let now = [0, 1].map(|index| all_counts(&mut line, index));
        let since = |end: usize, place: usize| now[end][place] - before[end][place];
        let sent = [0, 1].map(|end| std::array::from_fn(|place| since(end, place)));
        // Each end: its timer once, and what was outstanding once more.
        assert_eq!(sent, [[0, 1, 2, 0], [0, 1, 1, 0]], "{AT_SENDER:?}");
        let received = [0, 1].map(|end| std::array::from_fn(|place| since(end, AT_SENDER.len() + place)));
        // The gap at one end, its NACK once; the other end has seen none of it.
        assert_eq!(received, [[0; 4], [1, 1, 0, 0]], "{AT_RECEIVER:?}");
        for index in [0, 1] {
            events_are(&mut line, index, &[], "NACK with a command");
        }
        goes_on(&mut line);
        assert!(line.ends.iter().all(|end| end.failed == 0));
        return;
    }
    panic!("no NACK went with a command");
}
