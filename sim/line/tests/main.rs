//! Cases of every class over every PHY: a choice for every change, more with `FLITFORGE_COSIM`. Failures that are not in
//! [`KNOWN`] fail the test; entries of it whose case passes do too.

#![allow(clippy::expect_used)] // tests

mod waves;

use flitforge_line::{known, run, Campaign, Case, Choice, Event, Phy, KINDS, KNOWN, MENDED};
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::seed;

/// Cases of one class over one PHY.
fn cases() -> u64 {
    match Depth::from_environment().expect("FLITFORGE_COSIM") {
        Depth::Quick => 6,
        _ => 60,
    }
}

fn class(event: Event) {
    let seed = seed(1);
    let (mut unknown, mut checked) = (vec![], 0);
    for phy in Phy::ALL {
        let choice = Choice { phy: Some(phy), event: Some(event), ..Choice::default() };
        let campaign = Campaign { seed, first: 0, cases: cases(), jobs: 1, choice, stop: false };
        campaign.run(&mut |case, outcome| {
            checked += 1;
            let Some(failure) = outcome.failure else {
                assert!(outcome.delivered > 0, "no beat was delivered:\n{case}");
                return;
            };
            if known(case, &failure).is_none() {
                unknown.push(format!(
                    "{failure}\n{case}{}\nagain: {}",
                    outcome.history.join("\n"),
                    case.command()
                ));
            }
        });
    }
    assert_eq!(checked, cases() * Phy::ALL.len() as u64);
    assert!(unknown.is_empty(), "{} failures that are not known:\n{}", unknown.len(), unknown.join("\n\n"));
}

macro_rules! classes {
    ($($name:ident: $event:ident;)*) => {
        $(
            #[test]
            fn $name() {
                class(Event::$event);
            }
        )*

        #[test]
        fn every_class_has_its_test() {
            assert_eq!([$(Event::$event),*], Event::ALL);
        }
    };
}

classes! {
    ends_that_are_disabled: Disable;
    ends_that_are_cleared: Clear;
    ends_that_lose_power: Power;
    lanes_that_die: Lane;
    lanes_that_are_not_allowed: Allowed;
    retraining_by_hand: Retrain;
    lanes_that_take_no_words: Stuck;
    lanes_that_are_late: Skew;
    wrong_bits: Noise;
    cables_that_are_pulled: Cable;
}

#[test]
fn known_failures_still_show() {
    for entry in KNOWN {
        let case = (entry.example)();
        let outcome = run(&case);
        let Some(failure) = outcome.failure else {
            panic!(
                "{} does not show any more: take it off the list. It was:\n{case}{}",
                entry.name,
                case.command()
            );
        };
        let found = known(&case, &failure).map(|known| known.name);
        assert_eq!(found, Some(entry.name), "{failure}\n{case}{}", case.command());
    }
}

/// A link of a bond whose lanes die before the peer is Active begins afresh, and the bond goes Down with it (chapter 10, 4.8).
#[test]
fn a_bond_may_go_down_when_a_link_begins_afresh() {
    for kinds in [KINDS[1], KINDS[5]] {
        let choice = Choice {
            kinds: Some(kinds),
            phy: Some(Phy::Loop),
            event: Some(Event::Lane),
            lanes: Some(4),
            ..Choice::default()
        };
        // In one of some hundred cases the lanes die at that moment.
        let case = Case::new(2, 91, &choice);
        let outcome = run(&case);
        assert_eq!(outcome.failure, None, "{case}");
        assert!(outcome.history.iter().any(|line| line.contains("Active -> Down")), "{case}");
    }
}

#[test]
fn mended_failures_do_not_come_back() {
    for (name, text, mended) in MENDED {
        let case = mended.case();
        let outcome = run(&case);
        let failure = outcome.failure.map(|failure| failure.to_string());
        assert_eq!(failure, None, "{name}: {text}\n{case}{}", case.command());
    }
}
