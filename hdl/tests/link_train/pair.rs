//! Two ends over `phy_loop` (chapter 10, 9, point 10).

use crate::link_train::bench::{End, Pair, LIMIT, OFFER};
use crate::link_train::channel::Cable;
use flitforge_model::train::{choose_mode, ModeOffer};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::training::TrainReason;
use flitforge_sim::kit::{rng, seed};
use flitforge_testkit::{is_full, lane_orders, Clocked};
use rand::Rng as _;

fn trained(cables: [Cable; 2], what: &str) -> Pair {
    let mut pair = Pair::new(cables);
    pair.come_up(what);
    pair
}

#[test]
fn every_permutation_and_polarity_comes_up() {
    let mut runs = 0;
    let mut clocks = 0;
    for (index, to) in lane_orders().into_iter().enumerate() {
        for inverted in 0..16u64 {
            if !is_full() && inverted != index as u64 * 5 % 16 {
                continue;
            }
            let what = format!("lanes {to:?}, inverted {inverted:04b}");
            let there = Cable { to, inverted, ..Cable::STRAIGHT };
            let back = Cable { to: Cable { to, ..there }.from(), inverted: inverted ^ 5, ..Cable::STRAIGHT };
            let mut pair = Pair::new([there, back]);
            clocks = clocks.max(pair.come_up(&what));
            assert_eq!(pair.lanes(), [0xF, 0xF], "{what}");
            assert_eq!(pair.ends.each_mut().map(End::state), [LinkState::Active; 2], "{what}");
            pair.carries(&what);
            runs += 1;
        }
    }
    println!("{runs} runs, at most {clocks} clocks to Active");
    assert_eq!(runs, if is_full() { 384 } else { 24 });
}

#[test]
fn skew_of_seven_words_either_way_comes_up_and_a_lane_beyond_is_left_out() {
    for lane in 0..4 {
        for skew in -7i64..=7 {
            if !is_full() && ![-7, -3, 0, 7].contains(&skew) {
                continue;
            }
            let mut delay = [7; 4];
            delay[lane] = (7 + skew) as u64;
            // another lane is as far on the other side
            delay[(lane + 1) % 4] = (7 - skew) as u64;
            let what = format!("delays {delay:?}");
            let mut pair = trained([Cable { delay, ..Cable::STRAIGHT }; 2], &what);
            assert_eq!(pair.lanes(), [0xF, 0xF], "{what}");
            pair.carries(&what);
        }
        let mut delay = [0; 4];
        delay[lane] = 15;
        let what = format!("lane {lane} 15 words late");
        let mut pair = trained([Cable { delay, ..Cable::STRAIGHT }, Cable::STRAIGHT], &what);
        assert_eq!(pair.lanes(), [0xF & !(1 << lane), 0xF], "{what}");
        pair.carries(&what);
        // Two far from two: the later numbers go.
        delay[(lane + 1) % 4] = 15;
        let what = format!("delays {delay:?}");
        let mut pair = trained([Cable { delay, ..Cable::STRAIGHT }; 2], &what);
        assert!(pair.lanes().iter().all(|lanes| lanes.count_ones() == 2), "{what}: {:?}", pair.lanes());
        pair.carries(&what);
    }
}

#[test]
fn a_dead_lane_is_left_out() {
    for dead in 1..15u64 {
        if !is_full() && dead.count_ones() == 2 {
            continue;
        }
        let what = format!("lanes {dead:04b} dead");
        let mut pair = trained([Cable { dead, ..Cable::STRAIGHT }, Cable::STRAIGHT], &what);
        assert_eq!(pair.lanes(), [0xF & !dead, 0xF], "{what}");
        assert_eq!(pair.ends.each_mut().map(End::state), [LinkState::Degraded; 2], "{what}");
        pair.carries(&what);
    }
}

#[test]
fn a_lane_that_dies_under_traffic_is_dropped_and_restore_brings_it_back() {
    for lane in 0..4 {
        let mut pair = trained([Cable::STRAIGHT; 2], "start");
        pair.channels[0].cable.dead = 1 << lane;
        let before = pair.ends[1].get("epoch");
        let noticed = pair.run_until(2_000, |pair| pair.ends[1].state() == LinkState::Retraining);
        // 15 words wait on the other lanes, then the FIFOs run over
        assert!(noticed.is_some_and(|clocks| clocks < 60), "{noticed:?}");
        pair.come_up("without the lane");
        assert_eq!(pair.lanes(), [0xF & !(1 << lane), 0xF]);
        assert_eq!(pair.ends[1].get("epoch"), before, "not through Down");
        pair.carries("without the lane");
        pair.channels[0].cable.dead = 0;
        pair.run(500);
        assert_eq!(pair.lanes(), [0xF & !(1 << lane), 0xF], "an idle lane stays idle");
        pair.ends[1].pulse("restore");
        pair.run(100);
        pair.come_up("restored");
        assert_eq!(pair.lanes(), [0xF, 0xF]);
        pair.carries("restored");
    }
}

#[test]
fn a_lane_without_signal_and_a_lane_removed_lead_to_retraining() {
    let mut pair = trained([Cable { to: [2, 0, 3, 1], ..Cable::STRAIGHT }, Cable::STRAIGHT], "start");
    // the signal of wire 3 is gone: that is the sender's lane 2
    pair.ends[1].set("signal_ok", 0b0111);
    pair.run_until(40, |pair| pair.ends[1].state() == LinkState::Retraining).expect("retrains");
    pair.come_up("three lanes");
    assert_eq!(pair.lanes(), [0b1011, 0xF]);
    pair.carries("three lanes");
    pair.ends[1].set("remove_lane", 0);
    pair.ends[1].pulse("remove");
    pair.run(100);
    pair.come_up("two lanes");
    assert_eq!(pair.lanes(), [0b1010, 0xF]);
    assert!(pair.ends[1].reasons.contains(&TrainReason::LaneRemoved));
    pair.carries("two lanes");
}

/// A lane is told twice: wires 0 and 1 both carry lane 0.
#[test]
fn a_number_that_two_lanes_name_counts_on_neither() {
    let mut pair = Pair::new([Cable::STRAIGHT; 2]);
    pair.channels[0].cable.to = [0, 1, 2, 3];
    let mut twins = Pair::new([Cable { to: [1, 1, 2, 3], ..Cable::STRAIGHT }, Cable::STRAIGHT]);
    // `from` of this cable: wire 0 keeps lane 0, and wire 1 has lane 1, the last; so wire 1 gets lane 0 by hand
    twins.channels[0].cable.to = [0, 0, 2, 3];
    assert_eq!(twins.channels[0].cable.from(), [1, 1, 2, 3]);
    twins.come_up("two lanes left");
    assert_eq!(twins.lanes(), [0b1100, 0xF]);
    twins.carries("two lanes left");
    pair.come_up("four lanes");
}

#[test]
fn sets_with_errors_lock_nothing_until_they_are_good() {
    for (lanes, mask) in [(1u64, 1u64 << 30), (2, 1 << 32), (4, 1 << 33), (8, 0xFF)] {
        let mut pair = Pair::new([Cable::STRAIGHT; 2]);
        // one word in seven, so that every set has an error
        for clock in 0..120 {
            pair.channels[0].error = (clock % 7 == 0).then_some((lanes, mask));
            pair.clock();
        }
        assert_eq!(pair.ends[1].state(), LinkState::Polling, "POLL_WAIT is not over");
        pair.channels[0].error = None;
        pair.come_up("good sets");
        assert_eq!(pair.lanes(), [0xF, 0xF]);
    }
}

#[test]
fn modes_are_those_of_the_model() {
    let offer = |capabilities: u8, preferred: u8, bonded| ModeOffer { capabilities, preferred, bonded };
    let word = |offer: ModeOffer| {
        u64::from(offer.capabilities)
            | u64::from(offer.preferred) << 3
            | u64::from(offer.bonded) << 6
            | OFFER & !0x7F
    };
    for mine in 0..8u8 {
        for yours in 0..8u8 {
            if !is_full() && (mine * 3 + yours) % 4 != 0 {
                continue;
            }
            let preferred = [(mine + yours) % 4, mine % 4];
            let offers =
                [offer(mine, preferred[0], false), offer(yours, preferred[usize::from(mine > yours)], false)];
            let mut pair = Pair::new([Cable { dead: 6, ..Cable::STRAIGHT }, Cable::STRAIGHT]);
            for (end, offer) in pair.ends.iter_mut().zip(offers) {
                end.set("offer", word(offer));
            }
            pair.come_up("modes");
            for (end, lanes) in [(0, 2), (1, 4)] {
                let expected = choose_mode(offers[0], offers[1], lanes).expect("a mode").code();
                assert_eq!(pair.ends[end].get("tx_mode"), u64::from(expected), "{offers:?}, {lanes} lanes");
                assert_eq!(pair.ends[end].get("peer_offer"), word(offers[1 - end]));
            }
            pair.lanes();
        }
    }
    let mut pair = Pair::new([Cable::STRAIGHT; 2]);
    pair.ends[0].set("offer", word(offer(7, 1, true)));
    pair.ends[1].set("offer", word(offer(6, 2, false)));
    pair.run(LIMIT);
    assert!(!pair.ends[0].states.contains(&LinkState::Init), "a bond without mode 1");
}

#[test]
fn an_end_that_starts_again_or_is_cleared_in_any_state_comes_back() {
    for how in ["enable", "clear"] {
        for after in (0..1_400).step_by(if is_full() { 7 } else { 61 }) {
            let mut pair = Pair::new([Cable::STRAIGHT; 2]);
            pair.run(after);
            let state = pair.ends[0].state();
            pair.ends[0].set(how, u64::from(how == "clear"));
            pair.run(if how == "clear" { 1 } else { 20 });
            assert_eq!(pair.ends[0].state(), LinkState::Down, "{how} in {state:?}");
            pair.ends[0].set(how, u64::from(how == "enable"));
            pair.run(200);
            pair.come_up(how);
            assert_eq!(pair.lanes(), [0xF, 0xF]);
            pair.carries(how);
            if state == LinkState::Active {
                assert!(pair.ends[1].reasons.contains(&TrainReason::PeerTrains), "training sets in Active");
            }
        }
    }
}

#[test]
fn what_the_peer_says_is_shown() {
    let mut pair = trained([Cable::STRAIGHT; 2], "start");
    assert_eq!(
        (pair.ends[1].get("peer_guid_low"), pair.ends[1].get("peer_guid_high")),
        (0x5566_7788, 0x1122_3344)
    );
    assert_eq!((pair.ends[1].get("peer_fresh"), pair.ends[1].get("peer_epoch")), (1, 1));
    assert_eq!(pair.ends[0].get("fresh"), 0, "Active ends freshness");
    pair.ends[0].pulse("retrain");
    pair.run(100);
    pair.come_up("retrained");
    assert_eq!((pair.ends[1].get("peer_fresh"), pair.ends[1].get("peer_epoch")), (0, 1));
    assert!(pair.ends[0].reasons.contains(&TrainReason::Asked));
    pair.ends[0].pulse("bist_start");
    pair.run(20);
    assert_eq!(pair.ends[0].state(), LinkState::Bist);
    pair.ends[0].pulse("bist_end");
    pair.run(100);
    pair.come_up("after the lane test");
    pair.ends[0].pulse("give_up");
    pair.run(100);
    pair.come_up("given up, and up again");
    assert_eq!(pair.ends[0].get("epoch"), 2);
}

/// A change to mode 1 while state is kept goes through Down.
#[test]
fn a_change_of_the_sideband_goes_through_down() {
    let mut pair = trained([Cable::STRAIGHT; 2], "start");
    assert_eq!(pair.ends[0].get("tx_mode"), 1);
    let offer = pair.ends[0].get("peer_offer");
    pair.ends[1].set("offer", offer & !7 | 4);
    pair.ends[1].pulse("retrain");
    pair.run(400);
    pair.come_up("mode 3");
    assert_eq!(pair.ends[0].get("tx_mode"), 3);
    assert!(pair.ends[0].reasons.contains(&TrainReason::SidebandChange));
    assert!(pair.ends[0].get("epoch") > 1);
}

/// Anything that may happen, at random; then quiet. Every state has a way to Active.
#[test]
fn whatever_happened_the_link_comes_up_again() {
    let seed = seed(0x10_73);
    println!("FLITFORGE_SEED={seed}");
    let mut rng = rng(seed, "pair");
    let mut pair = Pair::new([Cable::STRAIGHT; 2]);
    let rounds = if is_full() { 300 } else { 12 };
    for round in 0..rounds {
        for _ in 0..rng.random_range(1..2_000) {
            if rng.random_bool(0.004) {
                let end = rng.random_range(0..2);
                const PULSES: [&str; 6] =
                    ["retrain", "restore", "remove", "give_up", "bist_start", "bist_end"];
                pair.ends[end].set("remove_lane", rng.random_range(0..4));
                pair.ends[end].pulse(PULSES[rng.random_range(0..PULSES.len())]);
                pair.ends[end].set("enable", u64::from(rng.random_bool(0.8)));
                pair.channels[end].cable.dead =
                    if rng.random_bool(0.7) { 0 } else { rng.random_range(0..16) };
                pair.channels[end].cable.inverted = rng.random_range(0..16);
            }
            for end in 0..2 {
                let error = (rng.random_range(1..16), 1 << rng.random_range(0..34));
                pair.channels[end].error = rng.random_bool(0.002).then_some(error);
            }
            pair.clock();
        }
        for end in 0..2 {
            pair.channels[end].error = None;
            pair.channels[end].cable.dead = 0;
            pair.ends[end].set("enable", 1);
            pair.ends[end].pulse("bist_end");
        }
        pair.run(100);
        let what = format!("round {round}");
        pair.come_up(&what);
        pair.lanes();
        pair.ends[0].pulse("restore");
        pair.ends[1].pulse("restore");
        pair.run(100);
        pair.come_up(&what);
        pair.carries(&what);
    }
    for end in &pair.ends {
        assert_eq!(end.states.len(), LinkState::ALL.len(), "states seen: {:?}", end.states);
    }
}
