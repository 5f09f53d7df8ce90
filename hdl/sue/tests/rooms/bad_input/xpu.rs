//! What an XPU does wrong: commands that are none, and more of them than it has credits for.

use super::{events_are, goes_on, rested, Line, PLAIN};
use crate::rooms::command_in::{mark_ends, words_of};
use crate::rooms::network::value_of;
use crate::rooms::top::end::PARTITION;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::command_in::CommandWord;
use flitforge_hdl_sue::frame::CommandHead;
use flitforge_protocol::sue::command::{CommandType, COMMAND_CELL_BYTES, HEADER_BYTES};
use flitforge_protocol::sue_registers::{Event, SueCounter};
use flitforge_sim::kit::{rng, seed};
use std::collections::VecDeque;

/// A command as the XPU gives it: control octets behind the header, data octets, and what the header says.
struct Given {
    fault: &'static str,
    kind: CommandType,
    told: [usize; 2],
    octets: [usize; 2],
    destination: u64,
    partition: u64,
}

/// 12 octets of control and 40 of data to XPU 1.
const GOOD: Given = Given {
    fault: "",
    kind: CommandType::Write,
    told: [12, 40],
    octets: [12, 40],
    destination: 1,
    partition: PARTITION,
};

fn faults() -> [Given; 10] {
    [
        Given { fault: "less control than told", octets: [10, 40], ..GOOD },
        Given { fault: "more control than told", octets: [14, 40], ..GOOD },
        Given { fault: "less data than told", octets: [12, 39], ..GOOD },
        Given { fault: "more data than told", octets: [12, 41], ..GOOD },
        Given { fault: "no data", octets: [12, 0], ..GOOD },
        Given { fault: "data of a message", kind: CommandType::Message, told: [12, 1], ..GOOD },
        Given {
            fault: "a type that is never taken",
            kind: CommandType::End,
            told: [12, 1],
            octets: [12, 0],
            ..GOOD
        },
        Given { fault: "to itself", destination: 0, ..GOOD },
        Given { fault: "to an XPU that cannot be", destination: 9, ..GOOD },
        Given { fault: "a partition that is not allowed", partition: PARTITION + 1, ..GOOD },
    ]
}

type Waiting = (VecDeque<Value>, Value, usize, i64);

fn waiting(given: &Given, vc: usize, cells: i64) -> Waiting {
    let mut random = rng(seed(0xBADB), given.fault);
    let header =
        u16::from(given.kind.code()) << 12 | (given.told[0] as u16 / 2) << 8 | (given.told[1] - 1) as u16;
    let mut control = header.to_be_bytes().to_vec();
    control.extend(vec![0xA5; given.octets[0]]);
    let mut words: Vec<CommandWord> = words_of(&mut random, &control, false);
    words.extend(words_of(&mut random, &vec![0x5A; given.octets[1]], true));
    mark_ends(&mut words);
    let head = CommandHead {
        destination: given.destination.into(),
        vc: (vc as u64).into(),
        partition: given.partition.into(),
        flush: false,
    };
    (words.into_iter().map(value_of).collect(), value_of(head), vc, cells)
}

fn cells_of(given: &Given) -> i64 {
    (HEADER_BYTES + given.octets[0] + given.octets[1]).div_ceil(COMMAND_CELL_BYTES) as i64
}

/// Each is dropped whole, its credits return, and nothing of it reaches the line.
#[test]
fn wrong_commands_are_dropped_whole() {
    for (place, given) in faults().into_iter().enumerate() {
        let mut line = rested(PLAIN, 0xBADC);
        let end = &mut line.ends[0];
        let vc = place % 4;
        let credits = end.credits;
        let [bad, bodies] = [SueCounter::CommandBad, SueCounter::BodyTx].map(|counter| end.count(counter));
        end.queue.push_back(waiting(&given, vc, cells_of(&given)));
        line.settle(2_000);
        let end = &mut line.ends[0];
        assert_eq!(end.count(SueCounter::CommandBad), bad + 1, "{}", given.fault);
        assert_eq!(end.count(SueCounter::BodyTx), bodies, "{}", given.fault);
        assert_eq!(end.credits, credits, "{}: its credits return", given.fault);
        events_are(&mut line, 0, &[Event::CommandBad], given.fault);
        events_are(&mut line, 1, &[], given.fault);
        goes_on(&mut line);
        assert_eq!(line.ends[0].credits, credits, "{}: none is lost", given.fault);
    }
}

/// More commands than there are credits for: those beyond are dropped whole, the others come.
#[test]
fn commands_beyond_the_credits_are_dropped_whole() {
    let mut line: Line = rested(PLAIN, 0xBADD);
    line.ends[1].lossy = true;
    // Nothing leaves the pool: the other end takes nothing.
    line.ends[1].takes = 0.0;
    let before = line.ends[0].credits;
    for _ in 0..200 {
        line.ends[0].offer(2, 40);
        let last = line.ends[0].queue.back_mut().expect("it was offered");
        // The XPU does not look at its credits; the account is kept below.
        last.3 = 0;
    }
    line.settle(20_000);
    let violations = line.ends[0].count(SueCounter::CreditViolation);
    assert!(violations > 0);
    let delivered = line.ends[1].delivered;
    line.ends[1].takes = 1.0;
    line.settle(60_000);
    let end = &mut line.ends[0];
    assert_eq!(end.count(SueCounter::CreditViolation), violations);
    assert_eq!(line.ends[1].delivered - delivered, 200 - violations, "all that were taken");
    // One cell each came back for those that were taken.
    let taken = (200 - violations) as i64;
    assert_eq!(line.ends[0].credits[2], before[2] + taken);
    line.ends[0].credits = before;
    let found = line.ends[0].read(flitforge_protocol::sue_registers::EVENT);
    assert_eq!(found & super::bits(&[Event::CreditViolation]), super::bits(&[Event::CreditViolation]));
    line.ends[0].write(flitforge_protocol::sue_registers::EVENT, found);
    goes_on(&mut line);
}
