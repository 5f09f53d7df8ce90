//! Packets that are wrong although every LTP is good (chapter 10, 6): what no LTP CRC can see is seen above it, and the packet
//! alone is bad.

use crate::fab_port::rig::{Program, Rig};
use crate::fab_port::starts::{allow, bad, change};
use crate::fab_port::{bonded, narrow, wide};
use flitforge_model::flit::Flit;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::{BadReason, FlitKind};
use flitforge_protocol::packet::tail;
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;

const ROUNDS: u64 = 12;

/// Turns some bits of the first flit of this kind over.
fn turn(beat: &mut [Flit], kind: FlitKind, bits: u128) -> bool {
    let flit = beat.iter_mut().find(|flit| flit.kind() == kind);
    flit.is_some_and(|flit| {
        *flit = Flit::from_bits(flit.bits() ^ bits).expect("65 bits");
        true
    })
}

/// One beat in each of some LTPs is changed by `wrong`, if that accepts it; everything has arrived and all credits are back.
fn with_wrong_beats(
    (program, flits): (&Program, usize),
    reason: BadReason,
    seed_of_test: u64,
    wrong: impl Fn(&mut [Flit]) -> bool + Copy + 'static,
) -> Rig {
    let mut rig = Rig::new(program, seed(seed_of_test));
    rig.relayed(0);
    allow(&mut rig, reason);
    rig.start(0.9);
    rig.run(500);
    for round in 0..ROUNDS {
        let done = change(&mut rig, 0, 1, move |ltp| ltp.flits.chunks_mut(flits).any(wrong));
        assert!(rig.run_until(8_000, |_| done.get() == 1).is_some(), "round {round}: changed");
        rig.run(300);
    }
    rig.relays[0].as_mut().expect("a relay").leave();
    rig.drain("wrong flits");
    // The link itself saw nothing.
    for counter in [LinkCounter::RxBad, LinkCounter::Reinit, LinkCounter::CreditOvf, LinkCounter::LostOnReset]
    {
        assert_eq!(rig.count(1, counter), 0, "{}", counter.name());
    }
    let good: u64 = rig.sinks[1].iter().map(|sink| sink.good).sum();
    let seen = bad(&rig, reason);
    println!("{} packets bad by reason {}, {good} good", seen, reason.code());
    assert_eq!(rig.count(1, LinkCounter::PktBad), seen, "PKT_BAD");
    assert!(good > 5 * ROUNDS, "{good} good packets");
    rig
}

#[test]
fn a_wrong_bit_that_no_ltp_crc_sees_makes_its_packet_bad() {
    let wrong = |beat: &mut [Flit]| turn(beat, FlitKind::Body, 1);
    let mut rig = with_wrong_beats((wide(), 2), BadReason::PacketCrc, 0x10_C8, wrong);
    assert_eq!(bad(&rig, BadReason::PacketCrc), ROUNDS, "a bit each, a packet each");
    assert_eq!(rig.count(1, LinkCounter::StackErr), 0);
}

#[test]
fn a_wrong_copy_of_the_length_makes_its_packet_bad() {
    let bit = 1u128 << (tail::len2::LOW + 2);
    let wrong = move |beat: &mut [Flit]| turn(beat, FlitKind::Tail, bit);
    let mut rig = with_wrong_beats((wide(), 2), BadReason::Protocol, 0x10_C9, wrong);
    assert_eq!(bad(&rig, BadReason::Protocol), ROUNDS);
    assert_eq!(rig.count(1, LinkCounter::StackErr), ROUNDS);
}

#[test]
fn an_undefined_opcode_in_a_packet_ends_it_badly() {
    // Either slot of a beat of bodies, and all of it.
    let ports = [((wide(), 2), 0..1), ((wide(), 2), 1..2), ((wide(), 2), 0..2), ((narrow(), 1), 0..1)];
    // A share of a bond that is all Idle by it counts all the same: those of the other link fit to it.
    let bonds = [((bonded::wide(), 2), 1..2), ((bonded::wide(), 2), 0..2), ((bonded::narrow(), 1), 0..1)];
    let cases = ports.into_iter().chain(bonds);
    for (program, slots) in cases {
        let (first, behind) = (slots.start, slots.end);
        let wrong = move |beat: &mut [Flit]| {
            let is_body = beat.iter().all(|flit| flit.kind() == FlitKind::Body);
            if is_body {
                beat[first..behind].fill(Flit::from_bits(0x31 << 56 | 5).expect("65 bits"));
            }
            is_body
        };
        let mut rig = with_wrong_beats(program, BadReason::Protocol, 0x10_CA, wrong);
        let illegal = rig.count(1, LinkCounter::IllegalFlit);
        assert_eq!(illegal, ROUNDS * slots.len() as u64, "each became Idle");
        let errors = rig.flows[0].stack_errors;
        assert_eq!(rig.count(1, LinkCounter::StackErr), errors);
        assert!(errors >= ROUNDS && bad(&rig, BadReason::Protocol) >= ROUNDS, "{errors} errors");
    }
}
