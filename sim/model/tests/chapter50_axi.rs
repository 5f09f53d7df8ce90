//! AXI4 over commands (chapter 50, 4.2): packing, pairing, tags, order, both BRESP modes.

#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_model::sue::axi::{
    Answer, AxiManager, AxiRefusal, AxiRequest, AxiSubordinate, AxiUser, Direction, Issued, IssuedCommand,
    ReadBeat, ReadResponse, SubordinateConfig, TagRefusal, WriteBeat, WriteResponse,
};
use flitforge_model::sue::format::{Command, Payload, TypeTable};
use flitforge_protocol::sue::axi::{AxiResponse, MAX_TRANSFERS, TAGS};
use flitforge_protocol::sue::command::CommandType;

fn user(xpu: u16) -> AxiUser {
    AxiUser { xpu, partition: 9, ..AxiUser::default() }
}

fn request(id: u16, transfers: usize) -> AxiRequest {
    AxiRequest {
        address: 0x1_2345_6780,
        id,
        len: (transfers - 1) as u8,
        size: 3,
        burst: 1,
        ..Default::default()
    }
}

fn beats(transfers: usize, strobes: u8) -> Vec<WriteBeat> {
    (0..transfers).map(|index| WriteBeat { data: [index as u8; 8], strobes }).collect()
}

fn command(issued: Result<Option<Issued>, impl std::fmt::Debug>) -> IssuedCommand {
    match issued.expect("encodes") {
        Some(Issued::Command(command)) => command,
        other => panic!("{other:?} instead of a command"),
    }
}

fn written(id: u16) -> Command {
    let control = WriteResponse { id, ..Default::default() }.encode().expect("fits");
    Command { kind: CommandType::WriteResponse, control, payload: Payload::None }
}

#[test]
fn control_is_packed_as_the_chapter_says() {
    let all = AxiRequest {
        address: 0x0123_4567_89AB_CDEF,
        id: 0xBEEF,
        len: 0x1F,
        size: 3,
        burst: 1,
        lock: true,
        cache: 0xA,
        prot: 5,
        qos: 6,
        region: 9,
        user: 0xC0DE,
    };
    let octets = all.encode().expect("fits");
    // {len 00011111, size 011, burst 01, lock 1, cache 1010, prot 101, qos 0110, region 1001, user C0DE, 000}
    let rest = [0x1F, 0b0110_1110, 0b1010_1011, 0b0100_1110, 0b0000_0110, 0b1111_0000];
    assert_eq!(octets[..10], [1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xBE, 0xEF]);
    assert_eq!(octets[10..], rest);
    assert_eq!(AxiRequest::decode(&octets), Ok(all));
    let refused = AxiRequest { size: 8, ..all }.encode().expect_err("3 bits");
    assert_eq!((refused.field, refused.largest), ("size", 7));

    let said = WriteResponse { id: 0x002A, resp: 2, user: 0x8001 };
    let octets = said.encode().expect("fits");
    assert_eq!(octets, [0x00, 0x2A, 0xA0, 0x00, 0x40, 0x00]);
    assert_eq!(WriteResponse::decode(&octets), Ok(said));

    let mut resps = [0; MAX_TRANSFERS];
    (resps[0], resps[1], resps[31]) = (2, 1, 3);
    let said = ReadResponse { id: 0x002A, user: 7, resps };
    let octets = said.encode().expect("fits");
    assert_eq!(octets, [0x00, 0x2A, 0x00, 0x07, 0x90, 0, 0, 0, 0, 0, 0, 3]);
    assert_eq!(ReadResponse::decode(&octets), Ok(said));

    let said = AxiUser { xpu: 0x3FF, kind: 8, bytes: 31, partition: 0x201, flush: true };
    let bits = said.encode().expect("fits");
    assert_eq!(bits, 1 << 32 | 0x201 << 22 | 31 << 14 | 8 << 10 | 0x3FF);
    assert_eq!(AxiUser::decode(bits), said);
}

#[test]
fn a_write_with_all_strobes_is_write_else_write_s() {
    let mut port = AxiSubordinate::new(SubordinateConfig::default());
    port.write(AxiUser { flush: true, ..user(7) }, request(1, 4), beats(4, 0xFF));
    let mut some = beats(4, 0xFF);
    some[2].strobes = 0xFE;
    port.write(user(7), request(1, 4), some);
    let whole = command(port.issue(Direction::Write));
    assert_eq!((whole.command.kind, whole.flush), (CommandType::Write, true));
    assert_eq!((whole.target.destination, whole.target.vc, whole.target.partition), (7, 0, 9));
    let part = command(port.issue(Direction::Write)).command;
    let Payload::Strobed { strobes, data } = &part.payload else { panic!("{part:?}") };
    assert_eq!((&strobes[..], data.len()), (&[0xFF, 0xFF, 0xFE, 0xFF][..], 32));
    // header and control 18 octets, strobes 4, data 32
    assert_eq!(part.encode(&TypeTable::default()).expect("taken").len(), 54);
}

#[test]
fn a_long_burst_is_answered_and_not_sent() {
    let mut port = AxiSubordinate::new(SubordinateConfig::default());
    port.write(user(7), request(1, 32), beats(32, 0xFF));
    port.write(user(7), request(1, 33), beats(33, 0xFF));
    port.read(user(7), request(1, 256));
    assert_eq!(command(port.issue(Direction::Write)).command.data_bytes(), 256);
    assert_eq!(port.issue(Direction::Write), Ok(None), "its ID is in flight: the answer would overtake");
    port.response(7, 9, &written(1)).expect("asked");
    assert_eq!(port.take(Direction::Write, 1).map(|answer| answer.resp), Some(0));
    assert_eq!(port.issue(Direction::Write), Ok(Some(Issued::Long)));
    let error = AxiResponse::SlaveError.code();
    assert_eq!(port.take(Direction::Write, 1).map(|answer| answer.resp), Some(error));
    assert_eq!(port.issue(Direction::Read), Ok(Some(Issued::Long)));
    let answer = port.take(Direction::Read, 1).expect("answered");
    assert_eq!(answer.beats, vec![ReadBeat { data: [0; 8], resp: error }; 256]);
    // fewer transfers of W than AWLEN says
    port.write(user(7), request(1, 4), beats(3, 0xFF));
    assert_eq!(port.issue(Direction::Write), Ok(Some(Issued::Long)));
    assert_eq!(port.take(Direction::Write, 1).map(|answer| answer.resp), Some(error));
    assert_eq!((port.long, port.outstanding()), (3, 0));
}

#[test]
fn an_id_in_flight_to_another_xpu_waits() {
    let mut port = AxiSubordinate::new(SubordinateConfig::default());
    for (xpu, id) in [(7, 1), (7, 1), (8, 1), (8, 2)] {
        port.read(user(xpu), request(id, 1));
    }
    port.write(user(8), request(1, 1), beats(1, 0xFF));
    command(port.issue(Direction::Read));
    command(port.issue(Direction::Read));
    assert_eq!(port.issue(Direction::Read), Ok(None));
    command(port.issue(Direction::Write)); // IDs of writes are others
    let control = ReadResponse { id: 1, ..Default::default() }.encode().expect("fits");
    let read = Command { kind: CommandType::ReadData, control, payload: Payload::Data(vec![5; 8]) };
    assert_eq!(port.response(8, 9, &read), Err(AxiRefusal::Unasked { xpu: 8, id: 1 }));
    for _ in 0..2 {
        assert_eq!(port.issue(Direction::Read), Ok(None));
        port.response(7, 9, &read).expect("asked");
        assert_eq!(port.take(Direction::Read, 1).map(|answer| answer.beats[0].data), Some([5; 8]));
    }
    assert_eq!(port.response(7, 9, &read), Err(AxiRefusal::Unasked { xpu: 7, id: 1 }));
    assert_eq!(command(port.issue(Direction::Read)).target.destination, 8);
    command(port.issue(Direction::Read));

    let mut one = AxiSubordinate::new(SubordinateConfig { unordered: true, ..Default::default() });
    one.read(user(7), request(1, 1));
    one.read(user(7), request(1, 1));
    command(one.issue(Direction::Read));
    assert_eq!(one.issue(Direction::Read), Ok(None), "at most one per ID");
}

#[test]
fn bad_responses_are_refused() {
    let mut port = AxiSubordinate::new(SubordinateConfig::default());
    let mut short = written(1);
    short.control.truncate(4);
    assert_eq!(port.response(7, 9, &short), Err(AxiRefusal::Control(4)));
    assert_eq!(port.response(7, 9, &Command::nop()), Err(AxiRefusal::Kind(CommandType::Message)));
    let control = ReadResponse::default().encode().expect("fits");
    let odd = Command { kind: CommandType::ReadData, control, payload: Payload::Data(vec![0; 12]) };
    assert_eq!(port.response(7, 9, &odd), Err(AxiRefusal::Data { octets: 12, transfers: 1 }));
}

#[test]
fn with_bresp_mode_1_acknowledgment_is_the_answer() {
    let config = SubordinateConfig { early_responses: true, ..Default::default() };
    let mut port = AxiSubordinate::new(config);
    for id in 1..=3 {
        port.write(user(7), request(id, 1), beats(1, 0xFF));
        command(port.issue(Direction::Write));
    }
    port.read(user(7), request(1, 1));
    command(port.issue(Direction::Read));
    port.dispatched(0, 7, 2);
    port.dispatched(0, 7, 2);
    assert_eq!(port.take(Direction::Write, 1), None);
    port.completed(0, 7, 0).expect("known");
    let kind = CommandType::WriteResponse.code();
    let wanted = Answer { user: AxiUser { kind, ..user(7) }, resp: 0, beats: vec![] };
    assert_eq!(port.take(Direction::Write, 1), Some(wanted.clone()));
    assert_eq!(port.take(Direction::Write, 2), Some(wanted));
    assert_eq!(port.take(Direction::Write, 3), None, "in the next PDU");
    port.response(7, 9, &written(1)).expect("consumed");
    assert_eq!(port.take(Direction::Write, 1), None, "the B of the destination is no second one");
    port.completed(0, 7, 1).expect("known");
    assert_eq!(port.take(Direction::Write, 3).map(|answer| answer.resp), Some(2));
    assert_eq!(port.take(Direction::Read, 1), None, "a read is answered by its data");
}

#[test]
fn with_bresp_mode_1_bodies_may_move_or_be_taken_by_no_port() {
    let config = SubordinateConfig { early_responses: true, ..Default::default() };
    let mut port = AxiSubordinate::new(config);
    for id in 0..6 {
        port.write(user(7), request(id, 1), beats(1, 0xFF));
        command(port.issue(Direction::Write));
    }
    let answered = |port: &mut AxiSubordinate| {
        let all = (0..6).filter_map(|id| Some((id, port.take(Direction::Write, id)?.resp)));
        all.collect::<Vec<_>>()
    };
    port.dispatched(0, 7, 1); // 0
    port.dispatched(1, 7, 2); // 1 and 2
    port.dispatched(0, 7, 1); // 3
    port.moved(0, 1, 7); // 0 after 1 and 2
    port.completed(1, 7, 0).expect("in flight");
    assert_eq!(answered(&mut port), [(1, 0), (2, 0)]);
    port.completed(0, 7, 0).expect("in flight");
    assert_eq!(answered(&mut port), [(3, 0)], "the one before it has moved");
    port.refused(7, 1, 1).expect("in flight");
    assert_eq!(answered(&mut port), [(4, 2)], "the oldest one that is in no PDU");
    port.dispatched(0, 7, 1);
    port.completed(1, 7, 3).expect("in flight");
    port.completed(0, 7, 0).expect("in flight");
    assert_eq!(answered(&mut port), [(0, 2), (5, 0)]);
    assert_eq!(port.outstanding(), 0);
}

fn read_command(id: u16) -> Command {
    let control = request(id, 2).encode().expect("fits");
    Command { kind: CommandType::Read, control, payload: Payload::None }
}

#[test]
fn tags_stand_for_source_and_id() {
    let mut port = AxiManager::default();
    for (source, id) in [(5, 1), (6, 1), (5, 1), (5, 2)] {
        port.command(source, 9, &read_command(id)).expect("good");
    }
    let tags: Vec<u16> = std::iter::from_fn(|| port.next()).map(|request| request.request.id).collect();
    assert_eq!(tags, [0, 1, 0, 2], "the same source and ID have the same tag");
    // interleaved R of two tags
    let beat = |octet| ReadBeat { data: [octet; 8], resp: 0 };
    assert_eq!(port.read_beat(0, beat(1), false), Ok(None));
    assert_eq!(port.read_beat(1, ReadBeat { resp: 2, ..beat(2) }, false), Ok(None));
    let reply = port.read_beat(0, beat(3), true).expect("fits").expect("in use");
    assert_eq!((reply.target.destination, reply.target.vc, reply.target.partition), (5, 1, 9));
    assert_eq!(reply.command.payload, Payload::Data([[1; 8], [3; 8]].concat()));
    let reply = port.read_beat(1, beat(4), true).expect("fits").expect("in use");
    let said = ReadResponse::decode(&reply.command.control).expect("12 octets");
    assert_eq!((reply.target.destination, said.id, said.resps[0], said.resps[1]), (6, 1, 2, 0));
    assert_eq!(port.read_beat(1, beat(0), true), Ok(None), "nobody asked");
    assert_eq!(port.write_response(0, 0), Ok(None), "writes have tags of their own");
    assert_eq!((port.outstanding(Direction::Read, 0), port.outstanding(Direction::Read, 1)), (1, 0));
}

#[test]
fn without_a_free_tag_requests_wait_and_answers_do_not() {
    let mut port = AxiManager::default();
    for id in 0..=TAGS as u16 {
        port.command(5, 9, &read_command(id)).expect("good");
    }
    port.command(5, 9, &read_command(3)).expect("good");
    for tag in 0..TAGS as u16 {
        assert_eq!(port.next().map(|request| request.request.id), Some(tag));
    }
    assert_eq!(port.next(), None);
    assert_eq!(port.start(4), Err(TagRefusal::Taken(4)));
    let answered = port.read_beat(4, ReadBeat { data: [0; 8], resp: 0 }, true);
    assert!(answered.expect("fits").is_some());
    assert_eq!(port.next().map(|request| request.request.id), Some(4));
    assert_eq!(port.start(4), Err(TagRefusal::Other { given: 4, used: 3 }));
    assert_eq!(port.next().map(|request| request.request.id), Some(3));
}

#[test]
fn another_partition_of_the_same_id_waits() {
    let mut port = AxiManager::default();
    port.command(5, 1, &read_command(0)).expect("good");
    port.command(5, 2, &read_command(0)).expect("good");
    assert!(port.next().is_some());
    assert_eq!((port.next(), port.start(0)), (None, Err(TagRefusal::Taken(0))));
    port.read_beat(0, ReadBeat { data: [0; 8], resp: 0 }, true).expect("fits");
    assert_eq!(port.next().map(|request| request.user.partition), Some(2));
}

#[test]
fn bad_requests_are_refused() {
    let mut port = AxiManager::default();
    assert_eq!(port.command(5, 9, &written(0)), Err(AxiRefusal::Kind(CommandType::WriteResponse)));
    let mut long = read_command(0);
    long.control[10] = 32;
    assert_eq!(port.command(5, 9, &long), Err(AxiRefusal::Data { octets: 0, transfers: 33 }));
    let mut short = read_command(0);
    short.control.truncate(14);
    assert_eq!(port.command(5, 9, &short), Err(AxiRefusal::Control(14)));
    let payload = Payload::Data(vec![0; 8]);
    let less = Command { kind: CommandType::Write, payload, ..read_command(0) };
    assert_eq!(port.command(5, 9, &less), Err(AxiRefusal::Data { octets: 8, transfers: 2 }));
    assert_eq!(port.next(), None);
}

#[test]
fn both_sides_carry_a_write_and_its_answer() {
    let (mut here, mut there) = (AxiSubordinate::new(Default::default()), AxiManager::default());
    let mut some = beats(5, 0xF0);
    some[1].strobes = 0;
    here.write(user(7), request(0x123, 5), some.clone());
    let sent = command(here.issue(Direction::Write));
    let octets = sent.command.encode(&TypeTable::default()).expect("taken");
    let (came, _) = Command::decode(&octets, &TypeTable::default()).expect("a command");
    there.command(5, sent.target.partition, &came).expect("good");
    let asked = there.next().expect("a tag is free");
    assert_eq!((asked.beats, asked.request.address), (some, 0x1_2345_6780));
    assert_eq!((asked.user.xpu, asked.user.kind, asked.user.bytes), (5, 0xB, 39));
    let reply = there.write_response(0, 1).expect("fits").expect("in use");
    here.response(7, reply.target.partition, &reply.command).expect("asked");
    assert_eq!(here.take(Direction::Write, 0x123).map(|answer| (answer.resp, answer.user.xpu)), Some((1, 7)));
}
