//! Chapter 50, section 6, row by row, at two whole instances over a line: the fault is made, the reaction, the counter and the event are looked at, and a hundred
//! more commands pass each way.

mod faults;
mod lost;
pub mod wire;
mod xpu;

use crate::rooms::top::end::{End, Setup, IDLE};
use crate::rooms::top::{Line, PLAIN};
use flitforge_protocol::register::RegisterValue;
use flitforge_protocol::sue_port_registers::PortCounter;
use flitforge_protocol::sue_registers::{self as page, Event, SueCounter};
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;
use std::collections::VecDeque;
use wire::{newest, OnWire};

/// Commands each way that pass after a fault.
const MORE: u64 = 100;

/// Two ends that have exchanged a few commands and rest, over a line on which frames are whole for a while.
fn rested(setup: Setup, salt: u64) -> Line {
    let mut line = Line::new(setup, 0.0, seed(salt));
    line.settle(2_000);
    line.wires = [0, 1].map(|_| VecDeque::from(vec![IDLE; wire::LENGTH]));
    let limit = line.now + 100_000;
    line.run(20, 100, limit);
    line.settle(3_000);
    for end in &mut line.ends {
        assert_eq!(end.read(page::EVENT), 0, "no event before the fault");
    }
    line
}

/// The next frame of an end with commands in it, while it is whole on the line.
fn next_body(line: &mut Line, index: usize) -> OnWire {
    next_frame(line, index, wire::has_body)
}

/// The next frame of an end that is such a one.
fn next_frame(line: &mut Line, index: usize, is_it: impl Fn(&OnWire) -> bool) -> OnWire {
    for _ in 0..5_000 {
        line.clock();
        if let Some(frame) = newest(&line.wires[index]).filter(&is_it) {
            return frame;
        }
    }
    panic!("no such frame");
}

/// A frame that no end has sent.
fn put(line: &mut Line, index: usize, octets: &[u8]) {
    for _ in 0..5_000 {
        if wire::put(&mut line.wires[index], octets) {
            return;
        }
        line.clock();
    }
    panic!("the line is never idle");
}

/// Traffic goes on: all that is offered from now on comes.
fn goes_on(line: &mut Line) {
    let before = line.ends.each_ref().map(|end| end.delivered);
    let limit = line.now + 400_000;
    line.run(MORE, 200, limit);
    line.settle(5_000);
    for (end, delivered) in line.ends.iter().zip(before) {
        assert_eq!(end.delivered, delivered + MORE);
    }
}

#[derive(Clone, Copy)]
enum Counter {
    Sue(SueCounter),
    Port(PortCounter),
}

impl Counter {
    fn read(self, line: &mut Line, index: usize) -> u64 {
        match self {
            Counter::Sue(counter) => line.ends[index].count(counter),
            Counter::Port(counter) => line.ends[index].port_count(counter),
        }
    }
}

/// Events of an end, a bit each.
fn bits(events: &[Event]) -> u64 {
    events.iter().fold(0, |bits, event| bits | 1 << event.code())
}

/// The events of an end are these; they are cleared.
fn events_are(line: &mut Line, index: usize, events: &[Event], what: &str) {
    let end = &mut line.ends[index];
    let found = end.read(page::EVENT);
    assert_eq!(found, bits(events), "{what}: {found:#x}");
    if let [event] = events {
        let cause = end.read(page::CAPTURE_CAUSE);
        assert_eq!(cause >> 63, 1, "{what}: the event was captured");
        assert_eq!(cause & 0x3F, u64::from(event.code()), "{what}");
    }
    end.write(page::EVENT, found);
    assert_eq!(end.read(page::EVENT), 0, "{what}: cleared");
    end.block.run(1);
}

/// An end is switched off, its format and what else is locked changes, and it begins anew.
pub fn begin_with(end: &mut End, format: impl Fn(&mut page::fmt::Value), more: impl Fn(&mut End)) {
    end.restart();
    let control = end.read(page::CTRL);
    end.write(page::CTRL, control & !1);
    let mut value = page::fmt::Value::decode(end.read(page::FMT));
    format(&mut value);
    end.write(page::FMT, value.encode().expect("it fits"));
    more(end);
    end.write(page::CTRL, control);
    assert_eq!(end.read(page::EVENT), 0, "no write was refused");
}
