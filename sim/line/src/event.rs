//! Classes of events, and the steps of a case of each.

use crate::cable::LaneFault;
use crate::phy::Phy;
use crate::port::MAX_LINKS;
use crate::script::{Action, Step, When};
use crate::setup::Setup;
use flitforge_protocol::link::LinkState;
use flitforge_sim::kit::Rng;
use rand::seq::IndexedRandom;
use rand::Rng as _;
use std::fmt;

/// Core clocks after which a step comes though the state it waits for does not.
const PATIENCE: u64 = 30_000;

/// Classes of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// An end is disabled and enabled again.
    Disable,
    /// An end is cleared.
    Clear,
    /// An end loses its power and gets it again.
    Power,
    /// Lanes die and come back.
    Lane,
    /// LANES.allowed changes.
    Allowed,
    /// CTRL.retrain by hand.
    Retrain,
    /// A lane's PHY takes no words.
    Stuck,
    /// A lane is late against the others.
    Skew,
    /// Wrong bits.
    Noise,
    /// The cable is pulled out and plugged in.
    Cable,
}

impl Event {
    /// All classes.
    pub const ALL: [Self; 10] = [
        Self::Disable,
        Self::Clear,
        Self::Power,
        Self::Lane,
        Self::Allowed,
        Self::Retrain,
        Self::Stuck,
        Self::Skew,
        Self::Noise,
        Self::Cable,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Clear => "clear",
            Self::Power => "power",
            Self::Lane => "lane",
            Self::Allowed => "allowed",
            Self::Retrain => "retrain",
            Self::Stuck => "stuck",
            Self::Skew => "skew",
            Self::Noise => "noise",
            Self::Cable => "cable",
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What happens in a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// In this order.
    pub steps: Vec<Step>,
    /// The link may go Down and lose what LOST_ON_RESET says.
    pub may_go_down: bool,
}

/// Words of a training set.
const SET_WORDS: i64 = 8;

/// Draws the steps of a case.
pub struct Author<'a> {
    setup: &'a Setup,
    random: &'a mut Rng,
    script: Script,
    /// By sender and link: the lane that nothing happens to.
    kept: [[usize; MAX_LINKS]; 2],
}

impl<'a> Author<'a> {
    /// The steps of one case of `event`.
    pub fn write(event: Event, setup: &'a Setup, random: &'a mut Rng) -> Script {
        let lanes = setup.shape.lanes;
        let kept = [0, 1].map(|_| [0; MAX_LINKS].map(|_: usize| random.random_range(0..lanes)));
        let mut author = Self { setup, random, script: Script::default(), kept };
        if event == Event::Skew && author.chance(0.5) {
            author.skew(When::After(0));
        }
        if event == Event::Stuck && author.chance(0.3) {
            author.stick(When::After(0));
        }
        let first = author.end();
        let apart = author.random.random_range(1..2_000);
        author.step(When::After(1), Action::Enable(first));
        author.step(When::After(apart), Action::Enable(1 - first));
        let rounds = author.random.random_range(1..=3);
        for round in 0..rounds {
            author.round(event, round);
        }
        author.script
    }

    fn round(&mut self, event: Event, round: u32) {
        match event {
            Event::Disable => self.disable(),
            Event::Clear => self.clear(),
            Event::Power => self.power(),
            Event::Lane => self.lane(round),
            Event::Allowed => self.allowed(),
            Event::Retrain => self.retrain(),
            Event::Stuck => {
                let when = self.up_or_training();
                self.stick(when);
            }
            Event::Skew => {
                let when = self.up();
                self.skew(when);
            }
            Event::Noise => self.noise(),
            Event::Cable => self.cable(),
        }
    }

    fn step(&mut self, when: When, action: Action) {
        self.script.steps.push(Step { when, action });
    }

    fn chance(&mut self, chance: f64) -> bool {
        self.random.random_bool(chance)
    }

    fn link(&mut self) -> usize {
        self.random.random_range(0..self.setup.shape.links)
    }

    /// Global number of the first lane of a link.
    fn first(&self, link: usize) -> usize {
        link * self.setup.shape.lanes
    }

    fn end(&mut self) -> usize {
        self.random.random_range(0..2)
    }

    /// Short times are as likely as long ones.
    fn time(&mut self, least: u64, most: u64) -> u64 {
        let octaves = (most as f64 / least as f64).log2();
        (least as f64 * self.random.random_range(0.0..octaves).exp2()) as u64
    }

    fn up(&mut self) -> When {
        When::Up { delay: self.time(1, 4_000), patience: PATIENCE }
    }

    fn in_state(&mut self, states: &[LinkState]) -> When {
        let state = states.choose(self.random).copied().unwrap_or(LinkState::Active);
        When::In { end: self.end(), state, delay: self.random.random_range(0..400), patience: PATIENCE }
    }

    fn up_or_training(&mut self) -> When {
        if self.chance(0.6) {
            return self.up();
        }
        let (end, link) = (self.end(), self.link());
        let when = self.up();
        self.step(when, Action::Retrain { end, link });
        self.in_state(&[LinkState::Retraining, LinkState::Init, LinkState::Active])
    }

    fn disable(&mut self) {
        self.script.may_go_down = true;
        let end = self.end();
        let when = if self.chance(0.7) {
            self.up()
        } else {
            self.in_state(&[LinkState::Polling, LinkState::Training, LinkState::Init, LinkState::Active])
        };
        self.step(when, Action::Disable(end));
        let time = self.time(8, 8_000);
        self.step(When::After(time), Action::Enable(end));
    }

    fn clear(&mut self) {
        self.script.may_go_down = true;
        let when = if self.chance(0.7) {
            self.up()
        } else {
            self.in_state(&[LinkState::Polling, LinkState::Training, LinkState::Init, LinkState::Active])
        };
        let (end, clocks, phy) = (self.end(), self.time(1, 64) as u32, self.chance(0.7));
        self.step(when, Action::Clear { end, clocks, phy });
    }

    fn power(&mut self) {
        self.script.may_go_down = true;
        let (end, when) = (self.end(), self.up());
        self.step(when, Action::PowerOff(end));
        let time = self.time(16, 8_000);
        self.step(When::After(time), Action::PowerOn(end));
    }

    /// Lanes of a link of `from` that something may happen to: with one lane that one, but not for ever.
    fn victims(&mut self, from: usize, link: usize) -> (u64, bool) {
        let lanes = self.setup.shape.lanes;
        let first = self.first(link);
        if lanes == 1 {
            self.script.may_go_down = true;
            return (1 << first, false);
        }
        let kept = self.kept[from][link];
        let others: Vec<usize> = (0..lanes).filter(|lane| *lane != kept).collect();
        let mut mask = 1 << others.choose(self.random).copied().unwrap_or_default();
        if self.chance(0.2) {
            mask |= self.random.random_range(0..1u64 << lanes) & !(1 << kept);
        }
        (mask << first, true)
    }

    fn lane(&mut self, round: u32) {
        let when = if round == 0 && self.chance(0.3) {
            self.in_state(&[LinkState::Polling, LinkState::Training, LinkState::Init])
        } else {
            self.up_or_training()
        };
        let (from, link) = (self.end(), self.link());
        let (lanes, for_ever) = self.victims(from, link);
        let kept = self.first(link) + self.kept[1 - from][link];
        let both = self.chance(0.5) && lanes >> kept & 1 == 0 || self.setup.shape.lanes == 1;
        let fault = [LaneFault::Quiet, LaneFault::Quiet, LaneFault::Level, LaneFault::Junk];
        let fault = fault.choose(self.random).copied().unwrap_or(LaneFault::Quiet);
        let mut ends = vec![from];
        ends.extend(both.then_some(1 - from));
        for (place, end) in ends.iter().enumerate() {
            let when = if place == 0 { when } else { When::After(0) };
            self.step(when, Action::Lanes { from: *end, lanes, fault });
        }
        if for_ever && self.chance(0.5) {
            return;
        }
        let when = match self.chance(0.7) {
            true => When::After(self.time(10, 8_000)),
            false => self.in_state(&[LinkState::Retraining, LinkState::Init, LinkState::Degraded]),
        };
        for (place, end) in ends.iter().enumerate() {
            let when = if place == 0 { when } else { When::After(0) };
            self.step(when, Action::Lanes { from: *end, lanes, fault: LaneFault::Whole });
        }
    }

    fn allowed(&mut self) {
        let (end, link, when) = (self.end(), self.link(), self.up());
        let all = (1u64 << self.setup.shape.lanes) - 1;
        // One lane stays allowed at both ends, and so in both directions.
        let lanes = self.random.random_range(0..=all) | 1 << self.kept[0][link];
        self.step(when, Action::Allow { end, link, lanes });
        let time = self.time(40, 400);
        self.step(When::After(time), Action::Retrain { end, link });
        if self.chance(0.4) {
            let when = self.up();
            self.step(when, Action::Allow { end, link, lanes: all });
            let action = if self.chance(0.5) { Action::Restore(end) } else { Action::Retrain { end, link } };
            self.step(When::After(60), action);
        }
    }

    fn retrain(&mut self) {
        let (end, link, when) = (self.end(), self.link(), self.up_or_training());
        self.step(when, Action::Retrain { end, link });
        if self.chance(0.3) {
            let (other, time) = (self.end(), self.time(1, 400));
            self.step(When::After(time), Action::Retrain { end: other, link });
        }
    }

    fn stick(&mut self, when: When) {
        let (end, link) = (self.end(), self.link());
        let (lanes, for_ever) = self.victims(end, link);
        // The lanes of `phy_lvds` leave as rows: all of them stop, or none.
        let is_lvds = self.setup.phy == Phy::Lvds;
        let (lanes, for_ever) =
            if is_lvds { (self.setup.shape.mask(link), false) } else { (lanes, for_ever) };
        self.script.may_go_down |= is_lvds;
        self.step(when, Action::Stick { end, lanes });
        if for_ever && self.chance(0.5) {
            return;
        }
        let time = self.time(4, 6_000);
        self.step(When::After(time), Action::Stick { end, lanes: 0 });
    }

    fn skew(&mut self, when: When) {
        if self.setup.shape.lanes == 1 {
            self.script.may_go_down = true;
        }
        let (from, link) = (self.end(), self.link());
        let lanes = self.setup.shape.lanes;
        let lane = (self.kept[from][link] + self.random.random_range(1..=lanes.max(2) - 1)) % lanes;
        let lane = self.first(link) + lane;
        let words = self.random.random_range(0..=24);
        // Lanes of `phy_lvds` have no words of their own, as the frame pair tells all of them: a lane that is a whole training set late
        // looks good in training and is not (chapter 10, 4.7).
        let is_lvds = self.setup.phy == Phy::Lvds;
        let words = if is_lvds && (lanes == 1 || words % SET_WORDS == 0) { 0 } else { words };
        self.step(when, Action::Skew { from, lane, words });
        if self.chance(0.3) {
            let when = self.up();
            self.step(when, Action::Skew { from, lane, words: 0 });
        }
    }

    fn noise(&mut self) {
        let (from, link, when) = (self.end(), self.link(), self.up());
        let (lanes, _) = self.victims(from, link);
        let per_1e9 = self.time(100, 100_000) as u32;
        self.script.may_go_down |= per_1e9 > 10_000;
        let burst = if self.chance(0.5) { 1 } else { self.random.random_range(2..=10) };
        self.step(when, Action::Noise { from, lanes, per_1e9, burst });
        let time = self.time(500, 16_000);
        self.step(When::After(time), Action::Noise { from, lanes, per_1e9: 0, burst: 1 });
    }

    fn cable(&mut self) {
        self.script.may_go_down = true;
        let from = self.end();
        let both = self.chance(0.5);
        let when = self.up_or_training();
        self.step(when, Action::Pull(from));
        if both {
            self.step(When::After(0), Action::Pull(1 - from));
        }
        let time = self.time(8, 12_000);
        self.step(When::After(time), Action::Plug(from));
        if both {
            self.step(When::After(0), Action::Plug(1 - from));
        }
    }
}
