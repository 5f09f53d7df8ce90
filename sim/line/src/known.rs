//! Failures that were found, by name: those that are mended, whose cases have to pass, and those that are not.

use crate::case::{Case, Choice, KINDS};
use crate::event::Event;
use crate::failure::Failure;
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
    /// A case that shows it.
    pub example: fn() -> Case,
}

/// A case with two flits per beat where there is a choice.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Seed of the campaign.
    pub seed: u64,
    /// Number in it.
    pub number: u64,
    /// Place of the ports in [`KINDS`].
    pub kinds: usize,
    /// PHY.
    pub phy: Phy,
    /// What happens.
    pub event: Event,
    /// Lanes.
    pub lanes: usize,
    /// Core clocks per million words.
    pub ratio: u64,
    /// Straight cables.
    pub straight: bool,
}

impl Example {
    /// Of seed 1 with straight cables.
    #[must_use]
    pub const fn straight(
        number: u64,
        kinds: usize,
        phy: Phy,
        event: Event,
        lanes: usize,
        ratio: u64,
    ) -> Self {
        Example { seed: 1, number, kinds, phy, event, lanes, ratio, straight: true }
    }

    /// The case.
    #[must_use]
    pub fn case(&self) -> Case {
        let Example { seed, number, kinds, phy, event, lanes, ratio, straight } = *self;
        let choice = Choice {
            kinds: Some(KINDS[kinds]),
            phy: Some(phy),
            event: Some(event),
            lanes: Some(lanes),
            ratio: Some(ratio),
            flits: Some(2),
            straight,
        };
        Case::new(seed, number, &choice)
    }
}

/// A failure that was found here and is mended: its name, what happened, and a case that showed it.
pub type Mended = (&'static str, &'static str, Example);

/// What was found and is mended: these cases pass. Ratios are those the chapter allows (4.7).
pub const MENDED: &[Mended] = &[
    (
        "ecp5_near_one",
        "phy_ecp5 with few more core clocks than words: the start row is followed by a gap, ELASTIC_ERR, never Active",
        Example::straight(11, 0, Phy::Ecp5, Event::Retrain, 4, 1_030_000),
    ),
    (
        "lvds_low_ratio",
        "phy_lvds needs more than 2.2 core clocks per word: below 2 it stays in Polling, near 2 it retrains for ever",
        Example::straight(3, 0, Phy::Lvds, Event::Retrain, 4, 1_500_000),
    ),
    (
        "ecp5_idle_lane",
        "phy_ecp5 below 2.5 core clocks per word: with a lane out of use it retrains again and again",
        Example::straight(18, 0, Phy::Ecp5, Event::Allowed, 4, 2_000_000),
    ),
    (
        "stuck_lane",
        "a lane whose PHY takes no words holds all lanes up: from power-on never up, in Active silence without an event, and over phy_ecp5 flits lost on its idle words",
        Example::straight(2, 0, Phy::Loop, Event::Stuck, 4, 1_000_000),
    ),
    (
        "late_lane",
        "a lane 15 to 24 words late is trained again and again instead of being left out",
        Example::straight(8, 0, Phy::Loop, Event::Skew, 4, 1_000_000),
    ),
    (
        "ecp5_peer_down",
        "phy_ecp5: an end whose peer is disabled or cleared stays Active on idle words, and takes flits that are lost",
        Example::straight(12, 0, Phy::Ecp5, Event::Disable, 4, 4_000_000),
    ),
    (
        "lvds_fewer_lanes",
        "phy_lvds: when the set of lanes changes a second time, and with CTRL.restore, Retraining ends in silence and Down",
        Example::straight(20, 0, Phy::Lvds, Event::Allowed, 4, 4_000_000),
    ),
    (
        "lane_dies_in_training",
        "a lane that dies in Training or Retraining after the choice of lanes is waited for until the time is over, then Down",
        Example::straight(19, 0, Phy::Loop, Event::Lane, 4, 1_000_000),
    ),
    (
        "bond_ingress",
        "a bond that goes Down forgets the shares that wait at its ports' ingress: two beats beyond LOST_ON_RESET",
        Example::straight(11, 1, Phy::Loop, Event::Disable, 1, 1_000_000),
    ),
    (
        "ecp5_lane_comes_back",
        "phy_ecp5: a lane that was out of use is late by what its FIFO in the PHY holds more than the others, and is left out again",
        Example::straight(30, 0, Phy::Ecp5, Event::Skew, 2, 1_971_476),
    ),
    (
        "ecp5_lane_at_the_limit",
        "phy_ecp5: lanes that training finds 14 words apart are 15 a moment later, and their rows are lost again and again",
        Example::straight(9, 0, Phy::Ecp5, Event::Skew, 4, 1_030_000),
    ),
    (
        "training_rounds",
        "TS2 that the peer sent for what was asked before count: both ends come to Init and go back to Retraining for ever, out of step with each other",
        Example { seed: 28, straight: false, ..Example::straight(926, 0, Phy::Loop, Event::Skew, 2, 1_000_000) },
    ),
    (
        "request_at_clear",
        "a register request in flight at `clear` is carried out without `ack`, as its block says and the chapter did not: a master that waits on waits for ever",
        Example { seed: 28, straight: false, ..Example::straight(5866, 1, Phy::Lvds, Event::Clear, 4, 3_175_129) },
    ),
];

/// What is not mended; the first that matches names a failure. Nothing at present.
pub const KNOWN: &[Known] = &[];

/// The name of a failure that is known.
pub fn known(case: &Case, failure: &Failure) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.matches)(case, failure))
}
