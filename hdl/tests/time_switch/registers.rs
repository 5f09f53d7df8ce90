//! The page of a switch without clock stop.

use crate::time_switch::model::{PERIOD, PORTS};
use crate::time_switch::rig::{Build, Rig};
use flitforge_model::time::{TimeFlit, TimeLow, TimeValue};
use flitforge_protocol::time_registers::{self as page, event, time_id, token_cmd, token_res};
use flitforge_protocol::time_ring::{RingDirection, MAX_RING_RATIO};
use flitforge_testkit::Clocked;

#[test]
fn the_page_says_what_was_built() {
    let mut rig = Rig::new();
    let id = u128::from(rig.read(page::TIME_ID));
    assert_eq!(time_id::version::FIELD.get(id), page::PAGE_VERSION);
    assert_eq!((time_id::trees::FIELD.get(id), time_id::stops::FIELD.get(id)), (0, PORTS as u64));
    assert_eq!((time_id::ratio::FIELD.get(id), time_id::hop::FIELD.get(id)), (1, 1));
    assert_eq!(rig.read(page::RING_CFG) >> 32, u64::from(PERIOD));
    assert_eq!(rig.read(page::INC_NOM), 0x6_6666_6666);
    assert_eq!(rig.read_clocks(page::TIME_ID), 6);
    rig.write(page::INC_NOM, 0x6_4000_0000);
    assert_eq!(rig.read(page::INC_NOM), 0x6_4000_0000);
    // What needs a time of its own is not there.
    for offset in [page::LOCAL_TIME, page::SYNC_TIME, page::SET_TIME, page::F_ACC, page::GAIN, page::tree(0)]
    {
        rig.write(offset, u64::MAX);
        assert_eq!(rig.read(offset), 0, "{offset:#x}");
    }
    rig.write(page::PORT_SEL, PORTS as u64);
    rig.write(page::PATH, u64::MAX);
    assert_eq!(rig.read(page::PATH), 0, "no such port");
    assert_eq!((0..PORTS).map(|port| rig.port_read(port, page::PATH)).collect::<Vec<_>>(), [0; PORTS]);
}

/// The link of every port has come up since power-on: EVENT says so until it is cleared.
#[test]
fn events_interrupt_until_they_are_cleared() {
    let mut rig = Rig::new();
    assert_eq!(rig.read(page::EVENT), 1 << event::epoch::LOW);
    assert_eq!(rig.get("interrupt"), 0);
    rig.write(page::EVENT_MASK, 1 << event::epoch::LOW);
    rig.run(2);
    assert_eq!(rig.get("interrupt"), 1);
    rig.write(page::EVENT, 1 << event::epoch::LOW);
    assert_eq!((rig.read(page::EVENT), rig.get("interrupt")), (0, 0));
}

/// M and RPER of rings with a clock of their own.
#[test]
fn the_page_says_how_fast_the_rings_are() {
    for (ratio, rper) in [(2, 0x33_3333), (3, 0x22_2222), (4, 0x19_9999)] {
        let mut rig = Rig::of(Build::Fast(ratio));
        let id = u128::from(rig.read(page::TIME_ID));
        assert_eq!(time_id::ratio::FIELD.get(id), u64::from(ratio));
        assert_eq!(rig.read(page::RING_CFG) >> 32, rper, "M = {ratio}");
    }
}

/// 4.10: the token of every pair on both rings counts what the chapter says.
#[test]
fn tokens_measure_every_pair() {
    every_pair_has_a_token(Rig::new());
}

/// The same in cycles of faster rings: a token waits at its target for a core edge, and says so.
#[test]
fn tokens_measure_every_pair_of_fast_rings() {
    (2..=MAX_RING_RATIO).for_each(|ratio| every_pair_has_a_token(Rig::of(Build::Fast(ratio))));
}

fn every_pair_has_a_token(mut rig: Rig) {
    let mut waits = 0;
    for source in 0..PORTS as u64 {
        for target in 0..PORTS as u64 {
            for ring in 0..2 {
                let tag = source << 4 | target << 1 | ring;
                let command = source << token_cmd::src::LOW
                    | target << token_cmd::target::LOW
                    | ring << token_cmd::ring::LOW
                    | 1 << token_cmd::go::LOW
                    | tag << token_cmd::tag::LOW;
                rig.write(page::TOKEN_CMD, command);
                rig.run(40);
                let found = u128::from(rig.read(page::TOKEN_RES));
                let away = [target + PORTS as u64 - source, source + PORTS as u64 - target];
                let hops = away[ring as usize] % PORTS as u64;
                let waited = token_res::waited::FIELD.get(found);
                let expected = if hops == 0 { PORTS as u64 + 1 } else { 2 * hops + 3 + waited };
                let said = format!("{source} to {target}, ring {ring}, M = {}", rig.ratio);
                assert_eq!(token_res::cycles::FIELD.get(found), expected, "{said}");
                assert!(waited < u64::from(rig.ratio), "{said}: waited {waited}");
                waits += waited;
                assert_eq!((token_res::done::FIELD.get(found), token_res::tag::FIELD.get(found)), (1, tag));
            }
        }
    }
    assert_eq!(waits > 0, rig.ratio > 1);
}

/// A token that has no target is lost and counted once, whatever the ring's clock.
#[test]
fn a_lost_token_counts_once() {
    for build in [Build::Full, Build::Fast(2), Build::Fast(3), Build::Fast(4)] {
        let mut rig = Rig::of(build);
        for lost in 1..=3 {
            rig.write(page::TOKEN_CMD, 9 << token_cmd::target::LOW | 1 << token_cmd::go::LOW);
            rig.run(560);
            let found = u128::from(rig.read(page::TOKEN_RES));
            assert_eq!((token_res::done::FIELD.get(found), token_res::lost::FIELD.get(found)), (0, 1));
            assert_eq!(rig.ring_counter("TOKEN_LOST"), lost, "{build:?}");
        }
    }
}

/// Without tokens a command is taken and nothing comes of it; a tree that is not there is copied to no port.
#[test]
fn a_compact_switch_has_one_tree_and_no_tokens() {
    let mut rig = Rig::of(Build::Compact);
    let id = u128::from(rig.read(page::TIME_ID));
    assert_eq!(time_id::stops::FIELD.get(id), PORTS as u64);
    let command = 2 << token_cmd::target::LOW | 1 << token_cmd::go::LOW | 7 << token_cmd::tag::LOW;
    rig.write(page::TOKEN_CMD, command);
    rig.run(100);
    assert_eq!(rig.read(page::TOKEN_RES), 0);
    rig.role(0, 2, true, None);
    rig.role(3, 2, false, Some((0, RingDirection::Clockwise)));
    // The model carries all trees.
    rig.alone = true;
    let low = TimeLow { value: TimeValue::new(1 << 20, 3), tree: 2, era: 1 };
    rig.send(0, TimeFlit::Low(low));
    rig.run(100);
    assert_eq!(rig.port_counter(0, "EXTRACTED"), 1);
    assert_eq!(rig.taken, [0; PORTS]);
    assert_eq!([rig.ring_counter("ORPHAN"), rig.ring_counter("RING_WAIT_OVER")], [0, 0]);
}
