//! PSN_PER_VC = 0: why one PSN space for two virtual channels is allowed with one data class only (chapter 50, 4.5 and 9, point 3).

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::random;
use flitforge_model::sue::{
    BodyCheck, ConnectionKey, Content, Endpoint, Pdu, ReceiverConfig, Room, SenderConfig,
};
use rand::Rng;
use std::collections::BTreeMap;

/// A body: the virtual channel of its commands, and its number.
type Body = (u8, u64);

/// Which PSNs bodies have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spaces {
    /// A space for each virtual channel (PSN_PER_VC = 1).
    PerVc,
    /// One for all (PSN_PER_VC = 0).
    One,
}

/// What came of a run.
#[derive(Debug)]
struct Outcome {
    replays: u64,
    gaps: u64,
    duplicates: u64,
}

const BODIES: u64 = 20_000;

/// Two virtual channels over a wire that loses nothing. Each keeps its order; the second one waits up to `spread` clocks longer, as
/// it does in a switch with a queue for each class.
fn run(spaces: Spaces, spread: u64) -> Outcome {
    let mut random = random("narrow");
    let end =
        |xpu| Endpoint::<Body>::new(xpu, SenderConfig::default(), ReceiverConfig::default()).expect("valid");
    let (mut here, mut there) = (end(0), end(1));
    let key = |vc| ConnectionKey { port: 0, peer: 1, vc: if spaces == Spaces::PerVc { vc } else { 0 } };
    let mut wires: [BTreeMap<(u64, u64), Pdu<Body>>; 2] = Default::default();
    let (mut sent, mut next, mut last, mut number) = ([0; 2], [0; 2], [0; 2], 0);
    let mut now = 0;
    while next.iter().sum::<u64>() < BODIES || here.sender().next_expiry().is_some() {
        now += 4;
        let vc = random.random_range(0..2u8);
        let index = usize::from(vc);
        if sent.iter().sum::<u64>() < BODIES && here.accept(key(vc), (vc, sent[index]), now).is_ok() {
            sent[index] += 1;
        }
        assert!(here.expire(now).is_empty(), "no connection may fail");
        if let Some(pdu) = here.transmit(0, now, now) {
            let class = match pdu.content {
                Content::Body((vc, _)) => usize::from(vc),
                Content::Empty => 0,
            };
            let delay = 100 + if class == 1 { random.random_range(0..=spread) } else { 0 };
            last[class] = (now + delay).max(last[class]);
            number += 1;
            wires[0].insert((last[class], number), pdu);
        }
        if let Some(pdu) = there.transmit(0, now, now) {
            number += 1;
            wires[1].insert((now + 100, number), pdu);
        }
        while let Some(first) = wires[0].first_entry().filter(|first| first.key().0 <= now) {
            let reception = there.receive(first.remove(), Room::Free, BodyCheck::Good, now);
            if let Some((vc, body)) = reception.delivered {
                assert_eq!(body, next[usize::from(vc)], "VC {vc}: order");
                next[usize::from(vc)] += 1;
            }
        }
        while let Some(first) = wires[1].first_entry().filter(|first| first.key().0 <= now) {
            here.receive(first.remove(), Room::Free, BodyCheck::Good, now);
        }
        assert!(now < 100_000_000, "{next:?} after {now} clocks");
    }
    assert_eq!(next, sent);
    let counters = there.receiver().counters();
    Outcome { replays: here.sender().counters().replay, gaps: counters.gap, duplicates: counters.dup }
}

#[test]
fn one_space_takes_reorder_between_channels_for_loss() {
    let narrow = run(Spaces::One, 300);
    println!("one space: {narrow:?} of {BODIES} bodies, none of them lost");
    assert!(narrow.replays > BODIES / 10 && narrow.gaps > 1_000, "{narrow:?}");
    let wide = run(Spaces::PerVc, 300);
    assert_eq!((wide.replays, wide.gaps, wide.duplicates), (0, 0, 0));
}

/// With one data class nothing overtakes, and one space is as good.
#[test]
fn one_space_is_enough_without_reorder() {
    let narrow = run(Spaces::One, 0);
    assert_eq!((narrow.replays, narrow.gaps, narrow.duplicates), (0, 0, 0));
}
