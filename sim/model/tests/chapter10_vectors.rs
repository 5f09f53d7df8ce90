//! Conformance with chapter 10, section 8: every worked example, encode and decode.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::vectors::{self, check_isolation, check_scrambler, flit, sample_ltp, FormatVector, SAMPLE_FLITS};
use flitforge_model::control::{time_of, Half};
use flitforge_model::lanes::{LaneSetup, LaneWord};
use flitforge_model::ltp::Sideband;
use flitforge_model::packet::{Header, PacketError};
use flitforge_model::training::{polarity, AlignmentWord, Polarity, StartWord, TrainingKind, TrainingSet};
use flitforge_model::{
    Control, Isolation, LaneCollector, LaneDistributor, Ltp, LtpFormat, NullLtp, Packet, Scrambler,
    SidebandMessage, Stripe, Verdict,
};
use flitforge_protocol::crc::{Polynomial, LANE_ISOLATION};
use flitforge_protocol::flit::{BadReason, Opcode, RetrainKind};
use flitforge_protocol::ltp::CrcMode;

/// A control flit both ways.
fn both_ways(content: Control, text: &str) {
    assert_eq!(content.encode().expect("fits").to_string(), text);
    assert_eq!(Control::decode(flit(text)), Ok(content));
}

fn sample_packet() -> Packet {
    let header = Header { dst: 0x0304, src: 0x0102, vl: 2, ..Header::default() };
    Packet { header, payload: (0x10..=0x23).collect(), tag: 0xBEEF }
}

#[test]
fn packet_of_20_bytes() {
    let flits = sample_packet().encode().expect("a packet");
    assert_eq!(flits.iter().map(ToString::to_string).collect::<Vec<_>>(), SAMPLE_FLITS[..5]);
    assert_eq!(Packet::decode(&SAMPLE_FLITS.map(flit)[..5]), Ok(sample_packet()));
}

#[test]
fn packet_of_no_bytes() {
    let header = Header { dst: 0x0304, src: 0x0102, ..Header::default() };
    let packet = Packet { header, payload: vec![], tag: 1 };
    let texts = ["0_8000000001020304", "0_40000001745BB1A8"];
    let flits = packet.encode().expect("a packet");
    assert_eq!(flits.iter().map(ToString::to_string).collect::<Vec<_>>(), texts);
    assert_eq!(Packet::decode(&texts.map(flit)), Ok(packet));
}

#[test]
fn credit_return() {
    let mut codes = [0; 16];
    (codes[0], codes[2]) = (1, 3);
    both_ways(Control::CrdtRet { codes }, "0_05000000000000C1");
}

#[test]
fn time_flits() {
    let [low, high] = Control::master_time(0x0123_4567_89AB_CDEF);
    both_ways(low, "0_0601006789ABCDEF");
    both_ways(high, "0_0602000001234567");
    assert_eq!(time_of(low, high), Some(0x0123_4567_89AB_CDEF));
}

#[test]
fn bad_packet_flits_and_marker() {
    let reason = BadReason::BufferParity.code();
    both_ways(Control::HeadBad { dst: 0x0304, src: 0x0102, vl: 2, ptype: 0, reason }, "0_0800030201020304");
    both_ways(Control::TailBad { reason, vl: 2 }, "0_0A00000000000203");
    both_ways(Control::BodyBad { reason }, "0_0900000000000003");
    both_ways(Control::VlMrkr { vl: 2 }, "0_0400000000000002");
}

fn check(vector: &FormatVector) {
    assert_eq!(vector.check(&vector.format()), Ok(()), "{}", vector.name);
}

#[test]
fn sample_ltp_in_mode_0() {
    check(&vectors::STANDARD);
}

#[test]
fn sample_ltp_in_mode_1() {
    check(&vectors::BITS14);
    let format = vectors::BITS14.format();
    let wire = format.encode(&sample_ltp());
    assert_eq!(format.crcs(&wire), Ok(vec![0x00CD]), "c0 = c1 = 0");
}

#[test]
fn sample_ltp_in_mode_2() {
    check(&vectors::OVERLAPPING48);
}

#[test]
fn sample_ltp_in_mode_3_on_four_lanes() {
    check(&vectors::PER_LANE_4);
}

#[test]
fn sample_ltp_in_mode_3_on_three_lanes() {
    check(&vectors::PER_LANE_3);
}

#[test]
fn wire_beats() {
    let wire = vectors::STANDARD.format().encode(&sample_ltp());
    let pairs = wire.wire_beats(2).expect("F = 2");
    assert_eq!(pairs[0].to_string(), "22E2C2A28262422208000014201020304");
    assert_eq!(pairs[7].to_string(), format!("3F79{}", "0".repeat(29)));
    assert_eq!((pairs.len(), pairs[0].bits().len()), (8, 132));
    let single = wire.wire_beats(1).expect("F = 1");
    assert_eq!(single[0].to_string(), "08000014201020304");
    assert_eq!((single.len(), single[0].bits().len()), (16, 66));
}

/// A Null LTP both ways: content, flit 0, CRCs in the mode. Words 2 up to the last are zero in modes 0 and 1.
fn null(content: Control, text: &str, mode: CrcMode, crcs: &[u32]) -> Vec<u32> {
    let format = LtpFormat::new(mode, 4).expect("four lanes");
    let sent = NullLtp::of(content).expect("a link-transfer flit");
    assert_eq!(sent.flit().to_string(), text);
    let wire = format.encode(&sent.ltp());
    assert_eq!(format.crcs(&wire).expect("an LTP"), crcs, "{text} in {mode:?}");
    let received = format.decode(&wire).expect("an LTP");
    assert!(received.is_good());
    let null = received.ltp.null().expect("a Null LTP");
    assert_eq!(Control::decode(null.flit()), Ok(content));
    wire.words().to_vec()
}

#[test]
fn null_retry_request() {
    let content = Control::RetryReq { half: Half::First, next_rx_ltp: 0x2A };
    let words = null(content, "0_220000000000002A", CrcMode::Standard, &[0xC77E]);
    let mut expected = [0; 33];
    (expected[0], expected[1], expected[32]) = (0x0000002A, 0x22000000, 0x7EE30000);
    assert_eq!(words, expected);
}

#[test]
fn null_retry_marker() {
    let content = Control::RetryMrkr { half: Half::First, first_replayed: 0x2A, next_write_ltp: 0x31 };
    null(content, "0_240000000031002A", CrcMode::Standard, &[0x5E6E]);
}

#[test]
fn null_retrain_retry_request() {
    null(Control::retrain(RetrainKind::RetrainRetryReq), "0_2800010000000000", CrcMode::Standard, &[0xC65B]);
}

#[test]
fn null_round_trip_marker() {
    let content = Control::RndTripMrkr { half: Half::First, token: 0x5A, reply: false };
    null(content, "0_2600005A00000000", CrcMode::Standard, &[0x0996]);
}

#[test]
fn null_filler_in_three_modes() {
    let filler = Control::retrain(RetrainKind::Filler);
    let text = "0_2800000000000000";
    null(filler, text, CrcMode::Standard, &[0x6F0B]);
    null(filler, text, CrcMode::Bits14, &[0x1828]);
    null(filler, text, CrcMode::Overlapping48, &[0xBCA, 0x8DC, 0x50F, 0x82A]);
}

#[test]
fn all_idle_reliable_ltp() {
    let format = vectors::STANDARD.format();
    let wire = format.encode(&Ltp::idle());
    let mut expected = [0; 33];
    expected[32] = 0xD4BD0000;
    assert_eq!(wire.words(), expected);
    assert_eq!(format.crcs(&wire), Ok(vec![0xBD2B]));
    let received = format.decode(&wire).expect("an LTP");
    assert!(received.is_good() && received.ltp.null().is_none());
    assert!(received.ltp.flits.iter().all(|flit| flit.opcode() == Some(Opcode::Idle)));
}

#[test]
fn isolation_on_four_lanes() {
    let groups = Stripe::groups(4).expect("four lanes");
    assert_eq!(check_isolation(groups, LANE_ISOLATION), Ok(()));

    let good = vectors::STANDARD.words();
    let mut bad = good.clone();
    bad[5] = 0x7C687071;
    let wire = flitforge_model::LtpBits::from_words(&bad).expect("33 words");
    let received = vectors::STANDARD.format().decode(&wire).expect("an LTP");
    assert_eq!(received.residues, [0x2D6A]);

    let (sent, replayed) = (groups.of_ltp(33, 2), groups.of_ltp(33, 9));
    assert_eq!((sent.state(), replayed.state()), (2, 1));
    let verdict = Isolation::new(&bad, groups).compare(&Isolation::new(&good, groups), sent.state());
    assert_eq!(verdict, Verdict::Lane { group: 1, logical_lane: 3 });
    assert_eq!((sent.lane(5), replayed.lane(5)), (3, 2), "word 5 rode lane 3, and lane 2 in the replay");

    let mut tail = good;
    tail[32] ^= 1 << 16;
    assert_eq!(Isolation::new(&tail, groups).crcs()[0], 0xB226);
}

#[test]
fn isolation_on_three_and_two_lanes() {
    let crcs = |lanes: usize| {
        let groups = Stripe::groups(lanes).expect("lanes");
        Isolation::new(&vectors::STANDARD.words(), groups).crcs().to_vec()
    };
    assert_eq!(crcs(3), [0xD000, 0x7461, 0xB3E8]);
    assert_eq!(crcs(2), [0xE814, 0x03EA]);
}

/// Residue of the sample LTP in mode 0 with these bits flipped.
fn residue_with(format: &LtpFormat, ltp: &Ltp, flipped: &[usize]) -> u32 {
    let mut wire = format.encode(ltp);
    assert!(flipped.iter().all(|&bit| wire.flip(bit)));
    format.decode(&wire).expect("an LTP").residues[0]
}

#[test]
fn three_bits_escape_the_isolation_polynomial_but_not_the_standard_crc() {
    let standard = vectors::STANDARD.format();
    let weak = standard.clone().with_polynomials(&[LANE_ISOLATION]).expect("16 bits");
    assert_eq!(residue_with(&weak, &sample_ltp(), &[384, 1039, 1055]), 0);
    assert_eq!(residue_with(&standard, &sample_ltp(), &[384, 1039, 1055]), 0x6CAD);
}

/// Four bits that the link cannot see change a body flit; the packet CRC sees them.
#[test]
fn what_escapes_the_link_is_seen_by_the_packet_crc() {
    let escape = [993, 1000, 1035, 1055];
    let format = vectors::STANDARD.format();
    assert_eq!(residue_with(&format, &sample_ltp(), &escape), 0);

    let packet = Packet { payload: (0..120).collect(), ..sample_packet() };
    let flits = packet.encode().expect("a packet");
    let mut wire = format.encode(&Ltp::filled(&flits));
    assert!(escape.iter().all(|&bit| wire.flip(bit)));
    let received = format.decode(&wire).expect("an LTP");
    assert!(received.is_good(), "the LTP CRC misses it");
    let damaged: Vec<_> = received.ltp.flits.iter().chain(&flits[16..]).copied().collect();
    assert_eq!(damaged.len(), flits.len());
    assert!(matches!(Packet::decode(&damaged), Err(PacketError::Crc { .. })));
    assert_eq!(Packet::decode(&flits), Ok(packet));
}

#[test]
fn scrambler_words_of_all_lanes() {
    for lane in 0..4 {
        assert_eq!(check_scrambler(lane, Scrambler::new(lane).expect("a lane")), Ok(()), "lane {lane}");
    }
}

#[test]
fn first_scrambled_words() {
    let setup = LaneSetup::new(&[0, 1, 2, 3], CrcMode::Standard).expect("four lanes");
    let mut distributor = LaneDistributor::new(setup.clone()).expect("a distributor");
    distributor.push(&vectors::STANDARD.words());
    let rows = distributor.rows().expect("rows");
    assert_eq!(rows.len(), 1 + 8, "the start row and eight full rows; word 32 waits for its row");
    assert_eq!(rows[1][0], LaneWord::Data(0x2F1CFDD8));
    assert_eq!(rows[2][0], LaneWord::Data(0x1970C813));
    assert_eq!(rows[1][1], LaneWord::Data(0x46EEF172));
    let mut collector = LaneCollector::new(setup).expect("a collector");
    let words: Vec<u32> = rows.iter().flat_map(|row| collector.push(row).expect("a good row")).collect();
    assert_eq!(words, vectors::STANDARD.words()[..32]);
}

#[test]
fn training_set() {
    let set = TrainingSet {
        kind: TrainingKind::Ts1,
        lane: 2,
        bond: 0,
        count: 5,
        capabilities: 7,
        preferred: 1,
        bonded: false,
        log2_flits_per_beat: 1,
        log2_replay_slots: 7,
        v_au: 3,
        vls_minus_1: 3,
        fresh: true,
        tx_mask: 0xF,
        rx_ok: 0xF,
        request: 0,
        answer: 0,
        epoch: 1,
        next_rx_ltp: 0,
        guid: 0x1122_3344_5566_7788,
    };
    let words =
        [0x05124ABC, 0x00136E8F, 0x000100FF, 0x00000000, 0x55667788, 0x11223344, 0x0F1E2D3C, 0xB5384AC7];
    assert_eq!(
        set.encode().map(|words| words.map(|word| format!("{word:08X}"))),
        Ok(words.map(|word: u32| format!("{word:08X}")))
    );
    assert_eq!(TrainingSet::decode(&words), Ok(set));
    assert_eq!(polarity(words[0]), Some(Polarity::Normal));
    assert_eq!(polarity(words[0] ^ 0xFF00), Some(Polarity::Inverted));
    for bit in 0..256 {
        let mut damaged = words;
        damaged[bit / 32] ^= 1 << (bit % 32);
        assert!(TrainingSet::decode(&damaged).is_err(), "bit {bit}");
    }
}

#[test]
fn start_and_alignment_words() {
    let start = StartWord { lane: 2, bond: 0, mode: CrcMode::Bits14, lanes: 4 };
    assert_eq!(start.encode(), Ok(0xA5D22DBC));
    assert_eq!(StartWord::decode(0xA5D22DBC), Ok(start));
    assert_eq!(AlignmentWord { number: 1 }.encode(), 0x00011CBC);
    assert_eq!(AlignmentWord::decode(0x00011CBC), Ok(AlignmentWord { number: 1 }));
    assert!(StartWord::decode(0x00011CBC).is_err() && AlignmentWord::decode(0xA5D22DBC).is_err());
}

#[test]
fn sideband_message() {
    let message = SidebandMessage::new(2, 3).expect("fits");
    assert_eq!(message.byte(), 0x13);
    let part = |c1: bool, c0: bool| Sideband { c0, c1 };
    let parts = [part(true, true), part(false, false), part(false, true), part(false, false)];
    assert_eq!(message.split(), parts);
    assert_eq!(SidebandMessage::join(parts), message);
}

#[test]
fn equal_polynomials_are_refused_in_mode_2() {
    let same = Polynomial::new(0x1053).expect("valid");
    let other = Polynomial::new(0x145B).expect("valid");
    assert!(vectors::OVERLAPPING48.format().with_polynomials(&[same, other, other, same]).is_err());
}
