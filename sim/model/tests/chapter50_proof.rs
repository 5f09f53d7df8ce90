//! Chapter 50, section 9, stretch: every state of 4.5 and 4.6 with PSNs of 4 bits and a window of 3.

use flitforge_model::explore::{ExploreError, Explored};
use flitforge_model::sue::{prove_go_back_n, Broken, EmptyPdus, Mutation, ProofBounds, Renack};

const BOUNDS: ProofBounds = ProofBounds {
    window: 3,
    forward: 3,
    backward: 1,
    renack: Renack::Answer,
    empty: EmptyPdus::Absent,
    mutation: None,
    states: 5_000_000,
};

fn prove(bounds: ProofBounds) -> Result<Explored, ExploreError<Broken>> {
    let start = std::time::Instant::now();
    let found = prove_go_back_n(bounds);
    println!("{bounds:?}: {found:?} in {:?}", start.elapsed());
    found
}

/// Ack-only PDUs among the bodies.
fn with_empty(mutation: Option<Mutation>) -> ProofBounds {
    ProofBounds { window: 2, forward: 2, empty: EmptyPdus::Present, mutation, ..BOUNDS }
}

/// Acknowledgments that overtake each other.
fn with_overtaking(mutation: Option<Mutation>) -> ProofBounds {
    ProofBounds { window: 2, forward: 1, backward: 2, mutation, ..BOUNDS }
}

#[test]
fn every_state_of_window_three_delivers_exactly_once_in_order() {
    for renack in [Renack::Answer, Renack::Silent] {
        let found = prove(ProofBounds { renack, ..BOUNDS });
        // Every PSN of the two wraps that the body numbers tell apart, with 0 to 3 bodies in flight at least.
        assert!(found.is_ok_and(|explored| explored.states > 32 * 4), "{renack:?}: {found:?}");
    }
}

#[test]
fn ack_only_pdus_and_overtaken_acknowledgments_change_nothing() {
    for bounds in [with_empty(None), with_overtaking(None)] {
        assert!(prove(bounds).is_ok(), "{bounds:?}");
    }
}

#[test]
fn the_proof_finds_every_body_lost_doubled_or_freed_too_early() {
    for mutation in [
        Mutation::AcceptAhead,
        Mutation::AcceptDuplicate,
        Mutation::AckOnlyConsumesPsn,
        Mutation::NackFreesItself,
        Mutation::AckNamesNext,
    ] {
        let found = prove(with_empty(Some(mutation)));
        assert!(matches!(found, Err(ExploreError::Violation(_))), "{mutation:?}: {found:?}");
    }
}

/// Only an overtaken acknowledgment is behind the window.
#[test]
fn the_proof_finds_a_missing_window_check() {
    let found = prove(with_overtaking(Some(Mutation::NoWindowCheck)));
    assert!(matches!(found, Err(ExploreError::Violation(Broken::FreedUndelivered { .. }))), "{found:?}");
}

#[test]
fn the_proof_finds_every_dead_end() {
    for mutation in [Mutation::PlainComparison, Mutation::NoTimer, Mutation::SilentDuplicate] {
        let found = prove(ProofBounds { window: 2, mutation: Some(mutation), ..BOUNDS });
        assert_eq!(found, Err(ExploreError::Stuck), "{mutation:?}");
    }
}
