use super::*;
use flitforge_protocol::flit::{BadReason, Opcode};
use flitforge_protocol::packet::{PacketType, Refusal};

#[test]
fn the_packet_crc_has_the_published_check_value() {
    assert_eq!(PACKET_CRC.checksum(b"123456789"), 0xE306_9283);
}

#[test]
fn too_long_and_out_of_range_are_refused() {
    let long = Packet { payload: vec![0; 10_241], ..Packet::default() };
    assert_eq!(long.encode(), Err(PacketError::TooLong { bytes: 10_241 }));
    let lane = Packet { header: Header { vl: 16, ..Header::default() }, ..Packet::default() };
    assert!(matches!(lane.encode(), Err(PacketError::Flit(FlitError::Field { field: "vl", .. }))));
}

#[test]
fn damage_is_named() {
    let packet = Packet { payload: (0..30).collect(), ..Packet::default() };
    let flits = packet.encode().expect("a packet");
    assert!(matches!(Packet::decode(&flits[..1]), Err(PacketError::FlitCount { .. })));
    assert!(matches!(Packet::decode(&flits[..5]), Err(PacketError::FlitCount { .. })));
    let mut swapped = flits.clone();
    swapped.swap(1, 2);
    assert!(matches!(Packet::decode(&swapped), Err(PacketError::Crc { .. })));
    let mut marked = flits.clone();
    marked[0] = Flit::other(marked[0].data() | MUTABLE_HEADER_BITS);
    assert!(Packet::decode(&marked).is_ok(), "a switch may change vl, fecn, becn");
    let mut length = flits;
    length[5] = Flit::other(length[5].data() ^ 1 << 48);
    assert!(matches!(Packet::decode(&length), Err(PacketError::LengthCopy { len: 30, len2: 31 })));
}

fn rules(flits: usize) -> PacketRules {
    PacketRules { flits, mtu: MAX_PAYLOAD_BYTES, lanes: 4, management: true }
}

/// A packet as its source gives it.
fn words(payload: &[u8], flits: usize) -> Vec<Word> {
    let chunks: Vec<&[u8]> = payload.chunks(BYTES_PER_BODY * flits).collect();
    let word = |(index, chunk): (usize, &&[u8])| {
        // What does not count is not 0.
        let mut data = chunk.to_vec();
        data.resize(BYTES_PER_BODY * flits, 0xA5);
        Word { data, bytes: chunk.len(), last: index + 1 == chunks.len() }
    };
    chunks.iter().enumerate().map(word).collect()
}

fn request(len: usize) -> Request {
    let header = Header { dst: 0x0304, src: 0x0102, vl: 2, sl: 9, ..Header::default() };
    Request { header, len, tag: 0xBEEF }
}

fn beats_of(flits: usize, request: &Request, words: &[Word]) -> Vec<Vec<Flit>> {
    match PacketSender::new(rules(flits)).expect("rules").send(request, words).expect("fits") {
        Sent::Beats(beats) => beats,
        Sent::Refused(refusal) => panic!("refused: {refusal:?}"),
    }
}

fn receive(flits: usize, beats: &[Vec<Flit>]) -> Vec<ReceivedBeat> {
    let mut receiver = PacketReceiver::new(rules(flits)).expect("rules");
    beats.iter().map(|beat| receiver.step(beat).expect("F flits")).collect()
}

/// All that beats gave: payload, ends, beats with strays.
fn summary(received: &[ReceivedBeat]) -> (Vec<u8>, Vec<PacketEnd>, usize) {
    let words = received.iter().flat_map(|beat| &beat.words);
    let payload = words.flat_map(|word| word.data[..word.bytes].to_vec()).collect();
    let ends = received.iter().filter_map(|beat| beat.end).collect();
    (payload, ends, received.iter().filter(|beat| beat.stray).count())
}

fn bad(flits: usize, beats: &[Vec<Flit>]) -> Vec<Option<u8>> {
    summary(&receive(flits, beats)).1.iter().map(|end| end.bad).collect()
}

#[test]
fn packets_of_every_length_travel_on_beats() {
    for flits in [1, 2, 4] {
        for len in (0..200).chain([1_000, 10_239, 10_240]) {
            let payload: Vec<u8> = (0..len).map(|byte| (byte * 7 + 1) as u8).collect();
            let request = request(len);
            let beats = beats_of(flits, &request, &words(&payload, flits));
            let packet = Packet { header: request.header, payload: payload.clone(), tag: request.tag };
            let mut expected = packet.encode().expect("a packet");
            expected.resize(expected.len().next_multiple_of(flits), Flit::IDLE);
            assert_eq!(beats.concat(), expected, "F = {flits}, {len} bytes");

            let received = receive(flits, &beats);
            assert_eq!(received[0].header, Some((request.header, len)));
            assert_eq!(summary(&received), (payload, vec![PacketEnd { tag: 0xBEEF, bad: None }], 0));
            let last: Vec<bool> =
                received.iter().flat_map(|beat| &beat.words).map(|word| word.last).collect();
            assert!(last.iter().rev().skip(1).all(|last| !last) && last.last().is_none_or(|last| *last));
        }
    }
}

#[test]
fn ports_nobody_builds_are_refused() {
    let good = rules(2);
    for wrong in [
        PacketRules { flits: 3, ..good },
        PacketRules { mtu: 255, ..good },
        PacketRules { mtu: 10_241, ..good },
        PacketRules { lanes: 1, ..good },
        PacketRules { lanes: 17, ..good },
    ] {
        assert!(PacketSender::new(wrong).is_err() && PacketReceiver::new(wrong).is_err(), "{wrong:?}");
    }
    assert!(PacketRules { lanes: 1, management: false, ..good }.check().is_ok());
}

#[test]
fn the_ingress_refuses_length_lane_and_type() {
    let rules = PacketRules { mtu: 256, ..rules(2) };
    let header = |vl, ptype| Header { vl, ptype, ..Header::default() };
    let source_routed = PacketType::ManagementSourceRouted.code();
    for (header, len, expected) in [
        (header(0, 0), 256, None),
        (header(0, 0), 257, Some(Refusal::TooLong)),
        (header(4, 0), 0, Some(Refusal::NoSuchLane)),
        (header(3, source_routed), 0, None),
        (header(3, 0), 0, Some(Refusal::NotManagement)),
        (header(3, 14), 0, Some(Refusal::NotManagement)),
        (header(2, source_routed), 0, None),
    ] {
        assert_eq!(rules.refusal(&header, len), expected, "{header:?}, {len} bytes");
    }
    let plain = PacketRules { management: false, ..rules };
    assert_eq!(plain.refusal(&header(3, 0), 0), None, "without management the highest lane is as the others");
}

#[test]
fn a_source_that_breaks_its_word_sends_a_bad_packet() {
    for flits in [1, 2, 4] {
        let size = BYTES_PER_BODY * flits;
        let (all, request) = (words(&vec![3; 5 * size - 3], flits), request(5 * size - 3));
        let end = |words: &[Word]| {
            let beats = beats_of(flits, &request, words);
            let last = beats.concat().into_iter().rfind(|flit| !flit.is_idle()).expect("an end");
            assert_eq!(last.opcode(), Some(Opcode::TailBad), "F = {flits}");
            (beats.len(), bad(flits, &beats))
        };
        let whole = beats_of(flits, &request, &all).len();

        let mut gives_up = all[..3].to_vec();
        gives_up[2].last = true;
        assert_eq!(end(&gives_up), (4, vec![Some(BadReason::Aborted.code())]));

        let mut goes_on = all.clone();
        goes_on[4].last = false;
        goes_on.push(Word { last: true, ..goes_on[0].clone() });
        assert_eq!(end(&goes_on), (whole, vec![Some(BadReason::Protocol.code())]));

        let mut miscounts = all.clone();
        miscounts[4].bytes -= 1;
        assert_eq!(end(&miscounts), (whole, vec![Some(BadReason::Protocol.code())]));
    }
}

#[test]
fn beats_that_no_sender_makes_give_bad_packets_and_strays() {
    let protocol = Some(BadReason::Protocol.code());
    for flits in [1, 2, 4] {
        let size = BYTES_PER_BODY * flits;
        let beats = beats_of(flits, &request(3 * size), &words(&vec![5; 3 * size], flits));
        let idle = vec![Flit::IDLE; flits];
        // A head within the packet: that one ends bad, the new one is thrown away, the third is whole.
        let twice = [&beats[..2], &beats[..], &beats[..]].concat();
        let (_, ends, strays) = summary(&receive(flits, &twice));
        assert_eq!(ends.iter().map(|end| end.bad).collect::<Vec<_>>(), [protocol, None], "F = {flits}");
        assert_eq!(strays, beats.len() - 1);
        // A beat lost, a beat twice, no head.
        assert_eq!(bad(flits, &[&beats[..1], &beats[2..]].concat()), [protocol]);
        assert_eq!(bad(flits, &[&beats[..2], &beats[1..]].concat()), [protocol]);
        assert!(bad(flits, &beats[1..]).is_empty());
        // All-Idle beats between change nothing.
        let spread: Vec<Vec<Flit>> = beats.iter().flat_map(|beat| [beat.clone(), idle.clone()]).collect();
        assert_eq!(bad(flits, &spread), [None]);
        // One packet flit is Idle instead; a length that is not the head's; a changed byte.
        let change = |beat: usize, slot: usize, flit: Flit| {
            let mut beats = beats.clone();
            beats[beat][slot] = flit;
            bad(flits, &beats)
        };
        assert_eq!(change(1, flits - 1, Flit::IDLE), [protocol]);
        let last = beats.len() - 1;
        let slot = (1 + 3 * flits) % flits;
        assert_eq!(change(last, slot, Flit::other(beats[last][slot].data() ^ 1 << 48)), [protocol]);
        assert_eq!(change(1, 0, Flit::body(0)), [Some(BadReason::PacketCrc.code())]);
    }
}

#[test]
fn a_packet_without_a_possible_length_gives_no_payload() {
    let small = PacketRules { mtu: 256, ..rules(2) };
    let beats = beats_of(2, &request(300), &words(&[1; 300], 2));
    let mut receiver = PacketReceiver::new(small).expect("rules");
    let received: Vec<_> = beats.iter().map(|beat| receiver.step(beat).expect("F flits")).collect();
    let (payload, ends, strays) = summary(&received);
    assert_eq!((payload, strays), (vec![], 0));
    assert_eq!(ends, [PacketEnd { tag: 0xBEEF, bad: Some(BadReason::Protocol.code()) }]);
}

#[test]
fn bad_packet_flits_give_their_first_reason() {
    let beats = beats_of(2, &request(40), &words(&[1; 40], 2));
    let mut bad_head = beats.clone();
    // VL 2, reason 3 (chapter 10, section 8).
    bad_head[0][0] = Flit::other(0x0800_0302_0102_0304);
    let received = receive(2, &bad_head);
    let header = Header { dst: 0x0304, src: 0x0102, vl: 2, ..Header::default() };
    assert_eq!(received[0].header, Some((header, 0)));
    assert_eq!(summary(&received).1, [PacketEnd { tag: 0xBEEF, bad: Some(3) }]);
    let mut bad_body = beats.clone();
    bad_body[1][0] = Flit::control(Opcode::BodyBad, 5);
    bad_body[2][0] = Flit::control(Opcode::BodyBad, 6);
    assert_eq!(bad(2, &bad_body), [Some(5)]);
    let cut = [beats[0].clone(), vec![Flit::control(Opcode::TailBad, 0x203), Flit::IDLE]];
    assert_eq!(summary(&receive(2, &cut)).1, [PacketEnd { tag: 0, bad: Some(3) }]);
}
