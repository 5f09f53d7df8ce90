//! When a driver acts.

use super::random::Rng;
use rand::Rng as _;
use std::ops::RangeInclusive;

/// How often a source offers data or a sink is ready.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// On every clock.
    Always,
    /// Never: a source that gives nothing, a sink that takes nothing.
    Never,
    /// On each clock independently with this probability.
    Random(f64),
    /// Active for a random number of clocks, then idle for a random number of clocks, and so on.
    Bursts {
        /// Clocks of activity.
        active: RangeInclusive<u32>,
        /// Clocks of silence.
        idle: RangeInclusive<u32>,
    },
    /// One pace after the other, each for a number of clocks, over and over.
    Phases(Vec<(u32, Pace)>),
}

impl Pace {
    /// All kinds of pace in turn: full speed, rare, half, bursts, nothing. The usual choice for a test.
    pub fn mixed() -> Self {
        Self::Phases(vec![
            (200, Self::Always),
            (200, Self::Random(0.5)),
            (200, Self::Bursts { active: 1..=20, idle: 1..=20 }),
            (200, Self::Random(0.1)),
            (40, Self::Never),
            (200, Self::Random(0.9)),
        ])
    }
}

/// A pace in progress.
#[derive(Clone, Debug)]
pub struct Pacer {
    pace: Pace,
    active: bool,
    left: u32,
    phase: usize,
    inner: Option<Box<Pacer>>,
}

impl Pacer {
    /// Starts a pace.
    pub fn new(pace: Pace) -> Self {
        Self { pace, active: false, left: 0, phase: 0, inner: None }
    }

    /// Whether to act on the coming clock.
    pub fn next(&mut self, rng: &mut Rng) -> bool {
        match &self.pace {
            Pace::Always => true,
            Pace::Never => false,
            Pace::Random(probability) => rng.random_bool(probability.clamp(0.0, 1.0)),
            Pace::Bursts { active, idle } => {
                // Empty ranges of both kinds would loop for ever: every stretch has at least one clock.
                if self.left == 0 {
                    self.active = !self.active;
                    let range = if self.active { active } else { idle };
                    self.left = rng.random_range(*range.start()..=*range.end().max(range.start())).max(1);
                }
                self.left -= 1;
                self.active
            }
            Pace::Phases(phases) => {
                if phases.is_empty() {
                    return false;
                }
                if self.left == 0 {
                    let (clocks, pace) = &phases[self.phase % phases.len()];
                    self.phase += 1;
                    self.left = (*clocks).max(1);
                    self.inner = Some(Box::new(Pacer::new(pace.clone())));
                }
                self.left -= 1;
                self.inner.as_mut().is_some_and(|inner| inner.next(rng))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::rng;

    fn count(pace: Pace, clocks: usize) -> usize {
        let (mut pacer, mut rng) = (Pacer::new(pace), rng(1, "pace"));
        (0..clocks).filter(|_| pacer.next(&mut rng)).count()
    }

    #[test]
    fn paces_have_their_density() {
        assert_eq!(count(Pace::Always, 100), 100);
        assert_eq!(count(Pace::Never, 100), 0);
        assert!((200..300).contains(&count(Pace::Random(0.25), 1000)));
        assert!((650..850).contains(&count(Pace::Bursts { active: 3..=3, idle: 1..=1 }, 1000)));
        assert_eq!(count(Pace::Phases(vec![(3, Pace::Always), (7, Pace::Never)]), 100), 30);
    }
}
