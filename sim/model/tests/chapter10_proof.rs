//! Chapter 10, section 9, stretch f: every pattern of losses on four replay slots, bounded in number.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::explore::ExploreError;
use flitforge_model::pair::{prove_exactly_once, ProofBounds};
use flitforge_model::retry::Mutation;

/// Losses between two times at rest; `FLITFORGE_PROOF_LOSSES` proves more.
fn losses() -> usize {
    match std::env::var("FLITFORGE_PROOF_LOSSES") {
        Ok(losses) => losses.parse().expect("FLITFORGE_PROOF_LOSSES: a number"),
        Err(_) => 3,
    }
}

fn bounds(delay: usize, losses: usize, mutation: Option<Mutation>) -> ProofBounds {
    ProofBounds { slots: 4, delay, losses, timers: 0, states: 20_000_000, mutation }
}

#[test]
fn four_slots_deliver_exactly_once_whatever_is_lost() {
    for delay in [1, 3] {
        let explored = prove_exactly_once(bounds(delay, losses(), None));
        println!("R = 4, delay {delay}, up to {} losses: {explored:?}", losses());
        assert!(explored.is_ok_and(|explored| explored.states > 1_000), "{explored:?}");
    }
}

#[test]
fn the_proof_finds_every_rule_that_is_left_out() {
    for mutation in [
        Mutation::NoPad,
        Mutation::PadOnOriginalsOnly,
        Mutation::NoFreeze,
        Mutation::SingleRequest,
        Mutation::NoDuplicateToss,
        Mutation::MarkerSecondMustBeGood,
    ] {
        let found = prove_exactly_once(bounds(3, 4, Some(mutation)));
        println!("{mutation:?}: {found:?}");
        assert!(matches!(found, Err(ExploreError::Violation(_))), "{mutation:?}: {found:?}");
    }
}
