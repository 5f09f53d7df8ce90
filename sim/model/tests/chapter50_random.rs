//! Round trips and rubbish of chapter 50 by chance. Seeds are printed; `FLITFORGE_SEED` sets another one.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_frames::{framings, port_of, rules};
use crate::support::{count, random};
use flitforge_model::sue::format::body::walk;
use flitforge_model::sue::format::frame::{open, seal, FrameState};
use flitforge_model::sue::format::link_control::CreditCount;
use flitforge_model::sue::format::network::Transport;
use flitforge_model::sue::format::{
    demultiplex, CmRecord, Command, CreditsConsumed, FcsCover, FrameFor, Framing, OrderedSet, Payload, Pdu,
    Preamble, PriorityPause, Profile, ReliabilityHeader, Route, Sequence, TypeTable,
};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::link_control::CC_OPCODE;
use flitforge_protocol::sue::reliability::{CmCode, Operation};
use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

fn octets(random: &mut ChaCha8Rng, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|_| random.random()).collect()
}

/// Any command but NOP.
fn command(random: &mut ChaCha8Rng) -> Command {
    let kind = *CommandType::ALL[1..].choose(random).expect("a type");
    let control_bytes = 2 * random.random_range(1..=15);
    let control = octets(random, control_bytes);
    let data_bytes = random.random_range(1..=256usize);
    let payload = match kind {
        CommandType::WriteStrobes => Payload::Strobed {
            strobes: octets(random, data_bytes.div_ceil(8)),
            data: octets(random, data_bytes),
        },
        kind if kind.has_data() => Payload::Data(octets(random, data_bytes)),
        _ => Payload::None,
    };
    Command { kind, control, payload }
}

/// Commands that fit in 1024 octets.
fn commands(random: &mut ChaCha8Rng) -> Vec<Command> {
    let mut left = 1024;
    let mut commands = vec![command(random)];
    while random.random_bool(0.7) {
        left -= commands.last().map_or(0, Command::bytes);
        let next = command(random);
        if next.bytes() > left {
            break;
        }
        commands.push(next);
    }
    commands
}

fn header(random: &mut ChaCha8Rng, source: u16) -> ReliabilityHeader {
    ReliabilityHeader {
        operation: *Operation::ALL.choose(random).expect("an operation"),
        source,
        psn: random.random(),
        vc: random.random_range(0..4),
        partition: random.random_range(0..1024),
        acknowledged: random.random(),
    }
}

#[test]
fn frames_of_every_format_go_round() {
    let mut random = random("frames_of_every_format_go_round");
    for _ in 0..count(100, 10_000) {
        for framing in framings() {
            let (source, peer) = (random.random_range(0..1024), random.random_range(0..1024));
            let [sender, receiver] = [source, peer].map(|xpu| port_of(xpu, framing));
            let sent = commands(&mut random);
            let body = rules(framing).build(&sent).expect("a body");
            let vc = random.random_range(0..4);
            let class = ClassUse::of_vc(vc).expect("a class of commands");
            let header = header(&mut random, source);
            let pdu = match framing.transport() {
                Transport::Reliable => Pdu { header, body }.encode().expect("a PDU"),
                Transport::Lite => body,
            };
            let frame = sender.encapsulate(Route { peer, vc, class }, &pdu).expect("a frame");
            assert!(frame.len() >= 60);
            let sequence = Sequence::new(random.random_range(0..1 << 20)).expect("20 bits");
            let cover = FcsCover::SequenceAndFrame { sequence, flags: 0 };
            let wire = seal(&frame, cover, FrameState::Good).expect("sealed");
            let frame = open(&wire, cover).expect("a good FCS");
            assert_eq!(demultiplex(frame, &receiver), Ok(FrameFor::Decapsulation));
            let received = receiver.decapsulate(frame).expect("a good header");
            let body = if framing == Framing::Lite {
                assert_eq!(received.lite_vc, Some(vc));
                received.pdu.to_vec()
            } else {
                let pdu = Pdu::decode(received.pdu).expect("a PDU");
                assert_eq!((pdu.header, received.check_source(&pdu.header)), (header, Ok(())));
                pdu.body
            };
            assert_eq!(walk(&body, &TypeTable::default()).expect("a body").commands, sent);
        }
    }
}

#[test]
fn link_control_goes_round() {
    let mut random = random("link_control_goes_round");
    for _ in 0..count(2_000, 100_000) {
        let sequence = Sequence::new(random.random_range(0..1 << 20)).expect("20 bits");
        let data = random.random();
        let credits = [(); 2]
            .map(|()| CreditCount { vc: random.random_range(0..32), cells: random.random_range(0..1 << 15) });
        for set in [
            OrderedSet::LlrAck(sequence),
            OrderedSet::LlrNack(sequence),
            OrderedSet::LlrInit { sequence, data },
            OrderedSet::LlrInitEcho { sequence, data },
            OrderedSet::CfUpdate(credits),
        ] {
            assert_eq!(OrderedSet::decode(set.encode().expect("fits")), Ok(set));
        }
        let preamble = Preamble::Llr { sequence, flags: random.random() };
        assert_eq!(Preamble::decode(preamble.encode().expect("fits")), Ok(preamble));
        let record = CmRecord {
            code: *CmCode::ALL.choose(&mut random).expect("a code"),
            port: random.random(),
            vc: random.random(),
            psn: random.random(),
        };
        assert_eq!(CmRecord::from_command(&record.command().expect("a command")), Ok(record));
        let source = random.random_range(0..1 << 48);
        let pause = PriorityPause {
            source,
            quanta: [(); 8].map(|()| random.random::<bool>().then(|| random.random())),
        };
        assert_eq!(PriorityPause::decode(&pause.encode().expect("fits")), Ok(pause));
        let vcs = (0..32).filter(|_| random.random_bool(0.5)).chain([32]).take(32).filter(|vc| *vc < 32);
        let counts: Vec<_> = vcs.map(|vc| CreditCount { vc, cells: data & 0x7FFF }).collect();
        if !counts.is_empty() {
            let message = CreditsConsumed { source, counts };
            let frame = message.encode(Profile::Sue1, CC_OPCODE).expect("fits");
            assert_eq!(CreditsConsumed::decode(&frame, Profile::Sue1, CC_OPCODE), Ok(message));
        }
    }
}

/// What a header says of its command's octets, worked out from chapter 50, 3.1, without the model.
fn needed(header: u16) -> Option<usize> {
    let (kind, clen, dlen) = (header >> 12, usize::from(header >> 8 & 15), usize::from(header & 255));
    let bytes = match kind {
        0 => return (header == 0).then_some(0),
        1..=7 if dlen != 0 => return None,
        1..=7 => 2 + 2 * clen,
        0xB => 2 + 2 * clen + (dlen + 8) / 8 + dlen + 1,
        _ => 2 + 2 * clen + dlen + 1,
    };
    Some(bytes + bytes % 2)
}

#[test]
fn all_headers_of_commands() {
    for header in 0..=u16::MAX {
        let octets = [header.to_be_bytes().as_slice(), &[0; 318]].concat();
        let walked = walk(&octets, &TypeTable::default());
        assert_eq!(walked.as_ref().ok().map(|walked| walked.used), needed(header), "{header:04X}");
        if let Some(bytes) = needed(header).filter(|bytes| *bytes > 2) {
            assert!(walk(&octets[..bytes], &TypeTable::default()).is_ok(), "{header:04X}");
            assert!(walk(&octets[..bytes - 1], &TypeTable::default()).is_err(), "{header:04X}");
        }
    }
}

#[test]
fn rubbish_is_refused_without_panic() {
    let mut random = random("rubbish_is_refused_without_panic");
    let receivers: Vec<_> = framings().into_iter().map(|framing| port_of(7, framing)).collect();
    for _ in 0..count(20_000, 1_000_000) {
        let bytes = random.random_range(0..200);
        let rubbish = octets(&mut random, bytes);
        assert!(Pdu::decode(&rubbish).is_err());
        assert!(open(&rubbish, FcsCover::Frame).is_err());
        let _ = walk(&rubbish, &TypeTable::default());
        let _ = CmRecord::from_body(&rubbish);
        let _ = PriorityPause::decode(&rubbish);
        let _ = CreditsConsumed::decode(&rubbish, Profile::Ue103, CC_OPCODE);
        let receiver = receivers.choose(&mut random).expect("a format");
        let _ = demultiplex(&rubbish, receiver);
        let _ = receiver.decapsulate(&rubbish);
    }
}

/// A frame whose headers have been altered is never delivered as another one than was sent.
#[test]
fn altered_frames_are_never_delivered_altered() {
    let mut random = random("altered_frames_are_never_delivered_altered");
    for framing in framings().into_iter().filter(|framing| framing.transport() == Transport::Reliable) {
        let [sender, receiver] = [5, 7].map(|xpu| port_of(xpu, framing));
        for _ in 0..count(300, 30_000) {
            let body = rules(framing).build(&commands(&mut random)).expect("a body");
            let sent = Pdu { header: header(&mut random, 5), body };
            let route = Route { peer: 7, vc: 0, class: ClassUse::Requests };
            let mut frame = sender.encapsulate(route, &sent.encode().expect("a PDU")).expect("a frame");
            for _ in 0..random.random_range(1..4) {
                let place = random.random_range(0..frame.len());
                frame[place] ^= 1 << random.random_range(0..8);
            }
            if let Ok(pdu) = receiver.decapsulate(&frame).map(|received| Pdu::decode(received.pdu)) {
                assert!(pdu.is_err() || pdu == Ok(sent));
            }
        }
    }
}
