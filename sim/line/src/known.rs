//! Failures that are known and not mended yet, by name. An entry goes as soon as its cases pass.

use crate::case::{Case, Choice, KINDS};
use crate::event::Event;
use crate::failure::{Failure, FailureKind};
use crate::phy::Phy;

/// A failure that is known.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Name in reports.
    pub name: &'static str,
    /// What happens.
    pub text: &'static str,
    /// True for a case and a failure that belong to it.
    pub matches: fn(&Case, &Failure) -> bool,
    /// Case of seed 1 that shows it: number, place in [`KINDS`], PHY, event, lanes, ratio.
    pub example: (u64, usize, Phy, Event, usize, u64),
}

impl Known {
    /// The case that shows it.
    pub fn case(&self) -> Case {
        let (number, kinds, phy, event, lanes, ratio) = self.example;
        let choice = Choice {
            kinds: Some(KINDS[kinds]),
            phy: Some(phy),
            event: Some(event),
            lanes: Some(lanes),
            ratio: Some(ratio),
        };
        Case::new(1, number, &choice)
    }
}

fn is_low(case: &Case, phy: Phy, ratio: u64) -> bool {
    case.setup.phy == phy && case.setup.ratio < ratio
}

/// The link is not there, though lanes are.
fn is_stuck(failure: &Failure) -> bool {
    use FailureKind::{Flaps, NotUp, State, Stopped, WentDown, Width};
    matches!(failure.kind, Flaps | NotUp | State | Stopped | WentDown | Width)
}

/// All of them; the first that matches names a failure.
pub const KNOWN: &[Known] = &[
    Known {
        name: "ecp5_near_one",
        text: "phy_ecp5 with few more core clocks than words: the start row is followed by a gap, ELASTIC_ERR, never Active",
        matches: |case, failure| is_low(case, Phy::Ecp5, 1_060_000) && is_stuck(failure),
        example: (11, 0, Phy::Ecp5, Event::Retrain, 4, 1_010_000),
    },
    Known {
        name: "lvds_low_ratio",
        text: "phy_lvds needs more than 2.2 core clocks per word: below 2 it stays in Polling, near 2 it retrains for ever",
        matches: |case, failure| is_low(case, Phy::Lvds, 2_400_000) && is_stuck(failure),
        example: (3, 0, Phy::Lvds, Event::Retrain, 4, 1_500_000),
    },
    Known {
        name: "ecp5_idle_lane",
        text: "phy_ecp5 below 2.5 core clocks per word: with a lane out of use it retrains again and again",
        matches: |case, failure| is_low(case, Phy::Ecp5, 2_500_000) && is_stuck(failure),
        example: (18, 0, Phy::Ecp5, Event::Allowed, 4, 2_000_000),
    },
    Known {
        name: "stuck_lane",
        text: "a lane whose PHY takes no words holds all lanes up: from power-on never up, in Active silence without an event, and over phy_ecp5 flits lost on its idle words",
        matches: |case, failure| {
            case.event == Event::Stuck && (is_stuck(failure) || failure.kind == FailureKind::Lost)
        },
        example: (2, 0, Phy::Loop, Event::Stuck, 4, 1_000_000),
    },
    Known {
        name: "late_lane",
        text: "a lane 15 to 24 words late is trained again and again instead of being left out",
        matches: |case, failure| case.event == Event::Skew && is_stuck(failure),
        example: (8, 0, Phy::Loop, Event::Skew, 4, 1_000_000),
    },
    Known {
        name: "ecp5_peer_down",
        text: "phy_ecp5: an end whose peer is disabled or cleared stays Active on idle words, and takes flits that are lost",
        matches: |case, failure| {
            case.setup.phy == Phy::Ecp5
                && matches!(case.event, Event::Disable | Event::Clear)
                && matches!(failure.kind, FailureKind::State | FailureKind::Lost)
        },
        example: (12, 0, Phy::Ecp5, Event::Disable, 4, 4_000_000),
    },
    Known {
        name: "lvds_fewer_lanes",
        text: "phy_lvds: when the set of lanes changes a second time, and with CTRL.restore, Retraining ends in silence and Down",
        matches: |case, failure| {
            case.setup.phy == Phy::Lvds
                && matches!(case.event, Event::Lane | Event::Allowed | Event::Noise | Event::Retrain)
                && is_stuck(failure)
        },
        example: (20, 0, Phy::Lvds, Event::Allowed, 4, 4_000_000),
    },
    Known {
        name: "lane_dies_in_training",
        text: "a lane that dies in Training or Retraining behind the choice of lanes is waited for until the time is over, then Down",
        matches: |case, failure| case.event == Event::Lane && is_stuck(failure),
        example: (19, 0, Phy::Loop, Event::Lane, 4, 1_000_000),
    },
    Known {
        name: "bond_door",
        text: "a bond that goes Down forgets the shares that wait at its ports' doors: two beats beyond LOST_ON_RESET",
        matches: |_, failure| failure.kind == FailureKind::Door,
        example: (11, 1, Phy::Loop, Event::Disable, 1, 1_000_000),
    },
];

/// The name of a failure that is known.
pub fn known(case: &Case, failure: &Failure) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.matches)(case, failure))
}
