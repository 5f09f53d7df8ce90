//! Packets that are wrong although every LTP is good (chapter 10, 6): what no LTP CRC can see is seen above it, and the packet
//! alone is bad.

use crate::rig::Rig;
use crate::starts::{allow, bad, change};
use crate::wide;
use flitforge_model::flit::Flit;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::{BadReason, FlitKind};
use flitforge_protocol::packet::tail;
use flitforge_sim::kit::seed;

const ROUNDS: u64 = 12;
/// Virtual lanes of the ports.
const LANES: usize = 4;

/// The flit with some bits turned over.
fn turned(flit: Flit, bits: u128) -> Flit {
    Flit::from_bits(flit.bits() ^ bits).expect("65 bits")
}

/// Everything has arrived and all credits are back, but for those of flits that became Idle on the way: the receiver counts a
/// packet's flits as they come, so that a packet that lost one may keep an AU until the link starts anew.
fn settle(rig: &mut Rig) {
    if rig.count(1, LinkCounter::IllegalFlit) == 0 {
        rig.drain("wrong flits");
        return;
    }
    rig.pace(0.0);
    rig.sink_pace(1.0);
    rig.run(6_000);
    let flow = &rig.flows[0];
    let missing: u64 = (0..LANES).map(|vl| flow.size() - u64::from(flow.available(vl))).sum();
    println!("{missing} AU did not come back");
    assert!(missing <= ROUNDS, "{missing} AU for {ROUNDS} flits");
}

/// One flit in each of some LTPs is changed by `wrong`, in the slot of a beat that it accepts; everything has arrived.
fn with_wrong_flits(
    reason: BadReason,
    seed_of_test: u64,
    wrong: impl Fn(usize, Flit) -> Option<Flit> + Copy + 'static,
) -> Rig {
    let mut rig = Rig::new(wide(), seed(seed_of_test));
    rig.relayed(0);
    allow(&mut rig, reason);
    rig.start(0.9);
    rig.run(500);
    for round in 0..ROUNDS {
        let done = change(&mut rig, 0, 1, move |ltp| {
            let found = (0..16).find_map(|flit| Some((flit, wrong(flit % 2, ltp.flits[flit])?)));
            found.is_some_and(|(flit, changed)| {
                ltp.flits[flit] = changed;
                true
            })
        });
        assert!(rig.run_until(8_000, |_| done.get() == 1), "round {round}: changed");
        rig.run(300);
    }
    rig.relays[0].as_mut().expect("a relay").leave();
    settle(&mut rig);
    // The link itself saw nothing.
    for counter in [LinkCounter::RxBad, LinkCounter::Reinit, LinkCounter::CreditOvf, LinkCounter::LostOnReset]
    {
        assert_eq!(rig.count(1, counter), 0, "{}", counter.name());
    }
    let good: u64 = rig.sinks[1].iter().map(|sink| sink.good).sum();
    let seen = bad(&rig, reason);
    println!("{} packets bad by reason {}, {good} good", seen, reason.code());
    assert_eq!(rig.count(1, LinkCounter::PktBad), seen, "PKT_BAD");
    assert!(good > 100);
    rig
}

#[test]
fn a_wrong_bit_that_no_ltp_crc_sees_makes_its_packet_bad() {
    let wrong = |_, flit: Flit| (flit.kind() == FlitKind::Body).then(|| turned(flit, 1));
    let mut rig = with_wrong_flits(BadReason::PacketCrc, 0x10_C8, wrong);
    assert_eq!(bad(&rig, BadReason::PacketCrc), ROUNDS, "a bit each, a packet each");
    assert_eq!(rig.count(1, LinkCounter::StackErr), 0);
}

#[test]
fn a_wrong_copy_of_the_length_makes_its_packet_bad() {
    let bit = 1u128 << (tail::len2::LOW + 2);
    let wrong = move |_, flit: Flit| (flit.kind() == FlitKind::Tail).then(|| turned(flit, bit));
    let mut rig = with_wrong_flits(BadReason::Protocol, 0x10_C9, wrong);
    assert_eq!(bad(&rig, BadReason::Protocol), ROUNDS);
    assert_eq!(rig.count(1, LinkCounter::StackErr), ROUNDS);
}

#[test]
fn an_undefined_opcode_in_a_packet_ends_it_badly() {
    // Slot 0 of a beat, so that the other slot's body stands behind an Idle.
    let wrong = |slot, flit: Flit| {
        (slot == 0 && flit.kind() == FlitKind::Body)
            .then(|| Flit::from_bits(0x31 << 56 | 5).expect("65 bits"))
    };
    let mut rig = with_wrong_flits(BadReason::Protocol, 0x10_CA, wrong);
    assert_eq!(rig.count(1, LinkCounter::IllegalFlit), ROUNDS, "each became Idle");
    let errors = rig.flows[0].stack_errors;
    assert_eq!(rig.count(1, LinkCounter::StackErr), errors);
    assert!(errors >= ROUNDS && bad(&rig, BadReason::Protocol) >= ROUNDS, "{errors} errors");
}
