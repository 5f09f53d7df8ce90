//! Chapter 10, section 9, point 10, all of it at once: random permutation, polarity, skew, dead lane, capabilities and
//! restarts of one link. `FLITFORGE_FULL=1` draws 20,000 links. Each by itself is in `chapter10_train`.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support;
use crate::training_times::TIMES;
use flitforge_model::train::{Cable, ModeOffer, TrainConfig, TrainEvent, TrainPair};
use flitforge_protocol::link::LinkState;
use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Steps in which a link is up whatever happened before: rounds of timeouts and a bring-up.
const RECOVER: u64 = 2 * (2 * 400 + 40 + 120);

/// Permuted and inverted lanes, a spread of at most 14 words, and a dead lane one time in two.
fn cable(rng: &mut ChaCha8Rng) -> Cable {
    let mut to = [0, 1, 2, 3];
    to.shuffle(rng);
    let mut dead = [false; 4];
    if rng.random() {
        dead[rng.random_range(0..4)] = true;
    }
    let skew = std::array::from_fn(|_| rng.random_range(-7..=7));
    Cable { to, inverted: rng.random(), skew, dead }
}

fn offer(rng: &mut ChaCha8Rng) -> ModeOffer {
    ModeOffer { capabilities: rng.random_range(0..8), preferred: rng.random_range(0..4), bonded: false }
}

/// The mode of 4.6 rule 4, by number.
fn mode(offers: [ModeOffer; 2], lanes: usize) -> u8 {
    let [mine, yours] = offers;
    let both_can = |mode: u8| mode == 0 || mine.capabilities & yours.capabilities & 1 << (mode - 1) != 0;
    let equal = mine.preferred == yours.preferred && both_can(mine.preferred);
    let first = [1, 2, 3, 0].into_iter().find(|&mode| both_can(mode)).expect("mode 0 is in every set");
    match if equal { mine.preferred } else { first } {
        3 if lanes < 3 && both_can(2) => 2,
        3 if lanes < 3 => 0,
        mode => mode,
    }
}

/// Both ends agree on lanes and mode as the rules say, and traffic comes exactly once.
fn check(pair: &mut TrainPair, offers: [ModeOffer; 2], context: &str) {
    let up =
        pair.run_until(RECOVER, TrainPair::is_active).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(up.is_some(), "{context}: not up: {:?}", pair.states());
    let before = [0, 1].map(|from| pair.monitor(from).delivered());
    pair.run_until(40, |_| false).unwrap_or_else(|error| panic!("{context}: {error}"));
    for (from, before) in before.into_iter().enumerate() {
        let (tx, rx) = (pair.train(from).tx().expect("a direction"), pair.train(1 - from).rx());
        assert_eq!(Some(tx), rx, "{context}: direction from {from}");
        let alive = (0..4).filter(|&lane| !pair.cables[from].dead[lane]).map(|lane| 1 << lane).sum::<u8>();
        assert_eq!(tx.lanes, alive, "{context}: every lane that carries something, of end {from}");
        assert_eq!(tx.mode.code(), mode(offers, tx.count()), "{context}");
        assert!(pair.monitor(from).delivered() > before + 10, "{context}: traffic from {from}");
        let whole = (0..2).all(|end| pair.train(end).tx().is_some_and(|tx| tx.count() == 4));
        let expected = if whole { LinkState::Active } else { LinkState::Degraded };
        assert_eq!(pair.states()[from], expected, "{context}");
    }
}

#[test]
fn any_cable_between_any_ends_comes_up_and_comes_back() {
    let mut rng = support::random("training, everything at once");
    let links = support::count(300, 20_000);
    let mut restarts = [0u64; 8];
    for link in 0..links {
        let offers = [offer(&mut rng), offer(&mut rng)];
        let configs = offers.map(|modes| TrainConfig { modes, times: TIMES, ..TrainConfig::default() });
        let cables = [cable(&mut rng), cable(&mut rng)];
        let mut pair = TrainPair::new(configs, cables).expect("a pair");
        let context = format!("link {link}, {cables:?}, {offers:?}");
        // One end or both begin again while the link comes up or works.
        let (later, restarted) = (rng.random_range(0..300), rng.random_range(0..3));
        pair.run_until(later, |_| false).unwrap_or_else(|error| panic!("{context}: {error}"));
        for end in 0..2 {
            if restarted == end || restarted == 2 {
                restarts[usize::from(pair.train(end).state().code())] += 1;
                pair.restart(end);
            }
        }
        pair.run_until(4, |_| false).unwrap_or_else(|error| panic!("{context}: {error}"));
        check(&mut pair, offers, &context);
        pair.send(rng.random_range(0..2), TrainEvent::Retrain);
        pair.run_until(4, |_| false).unwrap_or_else(|error| panic!("{context}: {error}"));
        check(&mut pair, offers, &context);
    }
    println!("{links} links, restarted in states 0 to 7: {restarts:?}");
    let [_, polling, training, _, active, _, degraded, _] = restarts;
    assert!(polling > 10 && training > 10 && active > 10 && degraded > 10, "{restarts:?}");
}
