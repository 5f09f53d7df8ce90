//! What the host sees of connections while they work.

use super::end::{End, VCS};
use super::host::Host;
use super::{Line, PLAIN};
use flitforge_protocol::layout::Field;
use flitforge_protocol::sue_registers::connections::{index, receiver, sender};
use flitforge_protocol::sue_registers::{self as page, Event, SueCounter, Table, WINDOW};
use flitforge_sim::kit::{seed, Coverage};

/// The value of a field of an entry.
fn of(entry: u64, field: Field) -> u64 {
    entry >> field.low & ((1 << field.width) - 1)
}

/// The index of a connection of port 0.
fn index_of(peer: u64, vc: usize) -> u64 {
    peer << index::peer::LOW | (vc as u64) << index::vc::LOW
}

impl Host for Line {
    fn end(&mut self, end: usize) -> &mut End {
        &mut self.ends[end]
    }

    fn one_clock(&mut self) {
        self.clock();
    }
}

impl Line {
    fn entry(&mut self, end: usize, table: Table, index: u64) -> u64 {
        self.request(end, page::TBL_ADDR, Some((table as u64) << page::tbl_addr::table::LOW | index));
        self.request(end, page::TBL_DATA, None)
    }
}

/// PSNs of both ends are in order at every moment, and at the end they are what the counters say.
#[test]
fn the_host_sees_connections_at_work() {
    let mut line = Line::new(PLAIN, 2e-3, seed(0x70F));
    let mut seen = Coverage::default();
    let mut expected = [0; VCS];
    for round in 0..400 {
        for end in &mut line.ends {
            if end.waiting() < 8 {
                (0..VCS).for_each(|vc| end.offer(vc, 100));
            }
        }
        let vc = round % VCS;
        let entry = line.entry(0, Table::Sender, index_of(1, vc));
        let [una, nxt, snd] =
            [sender::una::FIELD, sender::nxt::FIELD, sender::snd::FIELD].map(|field| of(entry, field));
        assert!(una <= snd && snd <= nxt && nxt - una <= WINDOW, "{una} {snd} {nxt}");
        assert_eq!([sender::failed::FIELD, sender::closed::FIELD].map(|field| of(entry, field)), [0, 0]);
        let entry = line.entry(1, Table::Receiver, index_of(0, vc));
        let exp = of(entry, receiver::exp::FIELD);
        assert!(exp >= expected[vc] && exp >= una, "{exp} after {}, una {una}", expected[vc]);
        expected[vc] = exp;
        let words = [
            ("outstanding", una < nxt),
            ("not sent", snd < nxt),
            ("expired", of(entry, sender::retry::FIELD) > 0),
            ("gap", of(entry, receiver::gap::FIELD) == 1),
        ];
        words.into_iter().filter(|(_, happened)| *happened).for_each(|(word, _)| seen.hit(word));
    }
    line.faults = 0.0;
    line.settle(30_000);
    let mut sent = [0; 2];
    for (end, sent) in sent.iter_mut().enumerate() {
        for vc in 0..VCS {
            let entry = line.entry(end, Table::Sender, index_of(1 - end as u64, vc));
            let nxt = of(entry, sender::nxt::FIELD);
            let idle = nxt << sender::una::LOW | nxt << sender::nxt::LOW | nxt << sender::snd::LOW;
            assert_eq!(entry, idle, "all is acknowledged, no flag, no retry");
            *sent += nxt;
            let entry = line.entry(1 - end, Table::Receiver, index_of(end as u64, vc));
            assert_eq!(of(entry, receiver::exp::FIELD), nxt);
            assert_eq!(of(entry, receiver::frozen::FIELD), 0);
        }
    }
    assert_eq!(line.ends.each_mut().map(|end| end.count(SueCounter::BodyTx)), sent);
    assert_eq!(
        line.ends.each_mut().map(|end| end.read(page::EVENT) >> (Event::ConfigurationBad as u64)),
        [0; 2]
    );
    seen.require("states", &["outstanding", "not sent", "gap"]).expect("all were seen");
}

/// No such connection, writes, and an instance that is off.
#[test]
fn connections_that_are_not_there_are_refused() {
    let mut line = Line::new(PLAIN, 0.0, seed(0x710));
    line.run(20, 50, 100_000);
    line.settle(3_000);
    let bad = 1 << (Event::ConfigurationBad as u64);
    // A peer beyond the last one, a port beyond the last one, reserved bits: they read 0.
    for index in [index_of(4, 0), 1 << index::port::LOW, 1 << index::reserved::LOW] {
        for table in [Table::Sender, Table::Receiver] {
            assert_eq!(line.entry(0, table, index), 0);
        }
    }
    assert_eq!(line.request(0, page::EVENT, None), 0, "reads are no offence");
    let before = line.entry(0, Table::Sender, index_of(1, 2));
    line.request(0, page::TBL_DATA, Some(5));
    assert_eq!(line.request(0, page::EVENT, None), bad, "a write");
    line.request(0, page::EVENT, Some(bad));
    assert_eq!(line.entry(0, Table::Sender, index_of(1, 2)), before);
    assert_ne!(before, 0);
    let control = line.request(0, page::CTRL, None);
    line.request(0, page::CTRL, Some(control & !1));
    assert_eq!(line.entry(0, Table::Sender, index_of(1, 2)), 0, "off");
    line.request(0, page::CTRL, Some(control));
    // While its tables are cleared.
    assert_eq!(line.entry(0, Table::Receiver, index_of(1, 2)), 0);
    assert_eq!(line.request(0, page::EVENT, None), 0);
}
