//! What the line does to frames: bits, lost and doubled frames, forged ones, headers of others.

use super::wire::{alter, newest, pause, reseal, reseal_pdu, take_away, with_header, BODY, RH};
use super::{begin_with, events_are, goes_on, next_body, put, rested, Counter, End, Line, Setup, PLAIN};
use flitforge_protocol::register::RegisterValue;
use flitforge_protocol::sue::network::{HeaderFormat, SUE_ETHERTYPE};
use flitforge_protocol::sue::reliability::Operation;
use flitforge_protocol::sue_port_registers::{FlowControl, PortCounter};
use flitforge_protocol::sue_registers::{self as page, Event, SueCounter};
use flitforge_testkit::Clocked;

/// A row of section 6 at one frame.
struct Row {
    fault: &'static str,
    /// What is done to the octets of a frame, FCS included.
    act: fn(&mut Vec<u8>),
    counter: Counter,
    events: &'static [Event],
    /// Commands that never come.
    lost: u64,
}

const fn row(fault: &'static str, counter: SueCounter, act: fn(&mut Vec<u8>)) -> Row {
    Row { fault, act, counter: Counter::Sue(counter), events: &[], lost: 0 }
}

/// Faults of a frame on its way: its PDU is lost and comes again, or its PSN is consumed and nothing is delivered.
fn on_the_way() -> Vec<Row> {
    vec![
        Row {
            counter: Counter::Port(PortCounter::Fcs),
            ..row("bit error on wire", SueCounter::CrcBad, |frame| frame[BODY + 8] ^= 4)
        },
        row("error inside a switch or RAM path", SueCounter::CrcBad, |frame| {
            frame[BODY + 8] ^= 4;
            reseal(frame);
        }),
        row("reliability header of another version", SueCounter::HeaderBad, |frame| {
            frame[RH] ^= 0x40;
            reseal_pdu(frame);
        }),
        Row {
            events: &[Event::PartitionViolation],
            lost: 1,
            ..row("partition violation", SueCounter::PartitionViolation, |frame| {
                with_header(frame, |header| header.partition += 1);
            })
        },
        Row {
            events: &[Event::BodyBad],
            lost: 1,
            // A message has no data, so its length of data must be 0.
            ..row("malformed body", SueCounter::BodyBad, |frame| {
                frame[BODY..BODY + 2].copy_from_slice(&[0x26, 0xFF]);
                reseal_pdu(frame);
            })
        },
    ]
}

#[test]
fn every_fault_of_a_frame_on_its_way_has_its_reaction() {
    for row in on_the_way() {
        let mut line = rested(PLAIN, 0xBAD1);
        line.ends[1].lossy = row.lost > 0;
        let before = row.counter.read(&mut line, 1);
        let delivered = line.ends[1].delivered;
        line.ends[0].offer(1, 100);
        let mut frame = next_body(&mut line, 0);
        (row.act)(&mut frame.octets);
        alter(&mut line.wires[0], &frame);
        line.settle(6_000);
        assert_eq!(row.counter.read(&mut line, 1), before + 1, "{}", row.fault);
        assert_eq!(line.ends[1].delivered - delivered, 1 - row.lost, "{}", row.fault);
        let again = line.ends[0].count(SueCounter::Replay);
        assert_eq!(again, 1 - row.lost, "{}: it comes again if it is wanted", row.fault);
        events_are(&mut line, 1, row.events, row.fault);
        events_are(&mut line, 0, &[], row.fault);
        goes_on(&mut line);
        assert_eq!(line.ends[1].missing, row.lost, "{}", row.fault);
        assert_eq!(line.ends[0].failed, 0, "{}", row.fault);
    }
}

/// Frames that are no news: doubled, forged, or another's. They are dropped, and change nothing.
fn beside_the_way() -> Vec<Row> {
    let forged = |operation: Operation| match operation {
        Operation::Ack => |frame: &mut Vec<u8>| {
            with_header(frame, |header| {
                header.operation = Operation::Ack;
                header.acknowledged = header.acknowledged.wrapping_add(0x4000);
            });
        },
        _ => |frame: &mut Vec<u8>| {
            with_header(frame, |header| {
                header.operation = Operation::Nack;
                header.acknowledged = header.acknowledged.wrapping_add(0x4000);
            });
        },
    };
    let wild = |fault, operation| Row {
        events: &[Event::AckWild],
        ..row(fault, SueCounter::AckWild, forged(operation))
    };
    vec![
        row("duplicated PDU", SueCounter::Duplicate, |_| ()),
        row("PDU after a gap", SueCounter::Gap, |frame| {
            with_header(frame, |header| header.psn = header.psn.wrapping_add(3));
        }),
        wild("forged ACK", Operation::Ack),
        wild("insane NACK", Operation::Nack),
        row("address of another XPU", SueCounter::NetworkBad, |frame| {
            frame[5] ^= 0x20;
            reseal(frame);
        }),
        row("source that the reliability header has not", SueCounter::NetworkBad, |frame| {
            frame[11] ^= 0x20;
            reseal(frame);
        }),
        row("wrong Ethertype", SueCounter::NetworkBad, |frame| {
            frame[13] ^= 0x10;
            reseal(frame);
        }),
        row("bad key: V", SueCounter::AfhBad, |frame| {
            frame[0] ^= 0x40;
            reseal(frame);
        }),
        row("bad key: Z", SueCounter::AfhBad, |frame| {
            frame[0] ^= 0x08;
            reseal(frame);
        }),
        row("bad key: Y", SueCounter::AfhBad, |frame| {
            frame[0] ^= 0x04;
            reseal(frame);
        }),
        row("multicast", SueCounter::AfhBad, |frame| {
            frame[0] ^= 0x01;
            reseal(frame);
        }),
    ]
}

#[test]
fn every_frame_that_is_no_news_is_dropped_and_counted() {
    for row in beside_the_way() {
        let mut line = rested(PLAIN, 0xBAD2);
        line.ends[0].offer(1, 100);
        let mut frame = next_body(&mut line, 0);
        line.settle(3_000);
        let before = row.counter.read(&mut line, 1);
        let delivered = line.ends[1].delivered;
        (row.act)(&mut frame.octets);
        put(&mut line, 0, &frame.octets);
        line.settle(3_000);
        assert_eq!(row.counter.read(&mut line, 1), before + 1, "{}", row.fault);
        assert_eq!(line.ends[1].delivered, delivered, "{}: nothing comes of it", row.fault);
        events_are(&mut line, 1, row.events, row.fault);
        events_are(&mut line, 0, &[], row.fault);
        goes_on(&mut line);
        for end in &mut line.ends {
            assert_eq!((end.count(SueCounter::Replay), end.failed), (0, 0), "{}", row.fault);
        }
    }
}

/// A PDU that comes long after it was delivered, when many others have followed.
#[test]
fn a_late_pdu_is_a_duplicate() {
    let mut line = rested(PLAIN, 0xBAD3);
    line.ends[0].offer(2, 60);
    let frame = next_body(&mut line, 0);
    line.settle(2_000);
    goes_on(&mut line);
    let before = line.ends[1].count(SueCounter::Duplicate);
    put(&mut line, 0, &frame.octets);
    line.settle(3_000);
    assert_eq!(line.ends[1].count(SueCounter::Duplicate), before + 1);
    events_are(&mut line, 1, &[], "late PDU");
    goes_on(&mut line);
}

/// A lost PDU shows as a gap once the next one comes, and its sender is asked for it.
#[test]
fn a_lost_pdu_leaves_a_gap() {
    let mut line = rested(PLAIN, 0xBAD4);
    line.ends[0].offer(3, 60);
    let frame = next_body(&mut line, 0);
    take_away(&mut line.wires[0], &frame);
    let delivered = line.ends[1].delivered;
    line.ends[0].offer(3, 60);
    line.settle(1_200);
    assert_eq!(line.ends[1].delivered, delivered + 2, "before the timer of the sender has run out");
    assert_eq!(line.ends[1].count(SueCounter::Gap), 1);
    assert_eq!(line.ends[0].count(SueCounter::Expiries), 0);
    assert!(line.ends[0].count(SueCounter::Replay) >= 1);
    goes_on(&mut line);
}

/// A lost acknowledgment: the timer runs out, the PDU comes again and is dropped there.
#[test]
fn a_lost_acknowledgment_costs_a_duplicate() {
    let mut line = rested(PLAIN, 0xBAD5);
    let delivered = line.ends[1].delivered;
    line.ends[0].offer(0, 60);
    line.cut[1] = true;
    let expired = (0..10_000).find(|_| {
        line.clock();
        newest(&line.wires[0]).is_some() && line.ends[1].delivered > delivered
    });
    assert!(expired.is_some(), "it is sent again");
    line.cut[1] = false;
    line.settle(6_000);
    assert!(line.ends[0].count(SueCounter::Expiries) >= 1);
    assert!(line.ends[1].count(SueCounter::Duplicate) >= 1);
    assert_eq!((line.ends[1].delivered, line.ends[0].failed), (delivered + 1, 0));
    events_are(&mut line, 0, &[], "lost acknowledgment");
    goes_on(&mut line);
}

/// Frames of the generation before and of the one after, which say that of themselves: nothing of a connection changes (section 9, point 12).
#[test]
fn other_generations_change_no_connection() {
    let setup = Setup { generations: true, ..PLAIN };
    for own in [1_u64, 4] {
        let mut line = rested(setup, 0xBAD6);
        let shown = |line: &mut Line| {
            let end = &mut line.ends[1];
            let mut found = vec![];
            for table in [page::Table::Sender, page::Table::Receiver] {
                for vc in 0..4 {
                    end.write(page::TBL_ADDR, u64::from(table.code()) << page::tbl_addr::table::LOW | vc);
                    found.push(end.read(page::TBL_DATA));
                }
            }
            found
        };
        // Generations are the upper bits of gg; the octet follows address and traffic class.
        line.ends.iter_mut().for_each(|end| {
            end.block.set("generation", own << 3);
        });
        goes_on(&mut line);
        line.ends[0].offer(1, 100);
        let frame = next_body(&mut line, 0);
        assert_eq!(frame.octets[2], (own << 3) as u8, "gg of the destination");
        line.settle(3_000);
        let before = line.ends[1].count(SueCounter::GenerationDrop);
        let connections = shown(&mut line);
        assert!(connections.iter().any(|entry| *entry != 0), "there is something to be changed");
        let mut dropped = 0;
        for other in [own - 1, own + 1] {
            for ahead in [0, 1, 2] {
                let mut octets = frame.octets.clone();
                octets[2] = (other << 3) as u8;
                with_header(&mut octets, |header| header.psn = header.psn.wrapping_add(ahead));
                put(&mut line, 0, &octets);
                line.settle(1_000);
                dropped += 1;
                assert_eq!(line.ends[1].count(SueCounter::GenerationDrop), before + dropped);
                assert_eq!(shown(&mut line), connections);
            }
        }
        events_are(&mut line, 1, &[], "other generation");
        goes_on(&mut line);
    }
}

/// A receive buffer without room, and a lossless class without flow control.
#[test]
fn a_full_receive_buffer_is_told() {
    let mut line = rested(PLAIN, 0xBAD7);
    line.ends[1].takes = 0.0;
    (0..40).for_each(|_| line.ends[0].offer(1, 200));
    line.settle(20_000);
    line.ends[1].takes = 1.0;
    line.settle(20_000);
    assert!(line.ends[1].count(SueCounter::ReceiveFull) > 0);
    assert!(line.ends[0].count(SueCounter::NackRx) > 0);
    assert_eq!(line.ends[0].failed, 0, "a slow peer is alive");
    events_are(&mut line, 1, &[Event::ReceiveFull], "full receive buffer");
    goes_on(&mut line);
}

/// A line that is cut both ways for long: connections fail, and go on once it is whole again.
#[test]
fn a_cut_line_ends_in_conn_fail() {
    let mut line = rested(Setup { rto: 300, ..PLAIN }, 0xBAD8);
    line.ends.iter_mut().for_each(|end| end.lossy = true);
    line.cut = [true; 2];
    line.ends[0].offer(1, 100);
    line.settle(60_000);
    assert_eq!(line.ends[0].failed, 1);
    events_are(&mut line, 0, &[Event::ConnectionFailed, Event::PeerLost], "cut line");
    line.cut = [false; 2];
    line.connect(200_000);
    line.settle(5_000);
    goes_on(&mut line);
}

/// A peer that pauses all classes and forgets it: each event once, and what waited goes on when the pause ends.
#[test]
fn a_pause_storm_is_told() {
    let mut line = rested(Setup { flow: FlowControl::Pause, rto: 400_000, ..PLAIN }, 0xBAD9);
    put(&mut line, 0, &pause([Some(u16::MAX); 8]));
    line.settle(500);
    let delivered = line.ends[0].delivered;
    line.ends[1].offer(1, 100);
    line.settle(170_000);
    assert_eq!(line.ends[0].delivered, delivered, "paused");
    assert!(line.ends[1].port_count(PortCounter::PauseWatchdog) > 0);
    events_are(&mut line, 1, &[Event::PauseWatchdog], "pause storm");
    put(&mut line, 0, &pause([Some(0); 8]));
    line.settle(3_000);
    assert_eq!(line.ends[0].delivered, delivered + 1);
    goes_on(&mut line);
}

/// ET_AFH1 and ET_ESUN of their own: after power-on they are that of Gen 2.
const OTHER_ETHERTYPE: u64 = 0x88B7;

/// Both ends begin anew; the first one has another format.
fn mismatch(line: &mut Line, format: HeaderFormat, ethertype: u64) {
    let of = |value: &mut page::fmt::Value| {
        value.format = u64::from(format.code());
        value.esun_ethertype = ethertype;
    };
    let more = |end: &mut End| {
        let mut value = page::etype::Value::decode(end.read(page::ETYPE));
        value.afh1 = ethertype;
        end.write(page::ETYPE, value.encode().expect("it fits"));
    };
    begin_with(&mut line.ends[0], of, more);
    begin_with(&mut line.ends[1], |_| (), more);
    line.settle(200);
    line.connect(40_000);
}

/// Two ends with different formats: nothing comes, all is counted; set alike, it goes on.
#[test]
fn a_mismatch_of_formats_is_counted() {
    use HeaderFormat::{AfhGen1, AfhGen2, AfhGen2Compressed, Esun, StandardV4, StandardV6};
    for format in [StandardV4, StandardV6, AfhGen1, AfhGen2Compressed, Esun] {
        let mut line = rested(PLAIN, 0xBADA);
        let delivered = line.ends.each_ref().map(|end| end.delivered);
        mismatch(&mut line, format, OTHER_ETHERTYPE);
        line.ends.iter_mut().for_each(|end| end.offer(1, 100));
        line.settle(5_000);
        for (end, delivered) in line.ends.iter_mut().zip(delivered) {
            assert_eq!(end.delivered, delivered, "{format:?}");
            let bad = [SueCounter::NetworkBad, SueCounter::AfhBad].map(|counter| end.count(counter));
            assert!(bad.iter().sum::<u64>() > 0, "{format:?}");
        }
        mismatch(&mut line, AfhGen2, OTHER_ETHERTYPE);
        goes_on(&mut line);
    }
}

/// The one pair of formats that is not told: Gen 1 without a shim has all that Gen 2 looks at if both have one Ethertype (as after power-on) and MAC_PART is 0.
/// The other way round nothing is taken.
#[test]
fn gen_1_is_told_from_gen_2_by_its_ethertype_only() {
    let mut line = rested(PLAIN, 0xBADE);
    let delivered = line.ends.each_ref().map(|end| end.delivered);
    mismatch(&mut line, HeaderFormat::AfhGen1, SUE_ETHERTYPE.into());
    line.ends.iter_mut().for_each(|end| end.offer(1, 100));
    line.settle(5_000);
    let came = [0, 1].map(|index| line.ends[index].delivered - delivered[index]);
    assert_eq!(came, [0, 1]);
    assert!(line.ends[0].count(SueCounter::NetworkBad) + line.ends[0].count(SueCounter::AfhBad) > 0);
}
