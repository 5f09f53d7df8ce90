//! How the wires of a cable are put on: lanes in another order, pairs whose two wires are exchanged (chapter 10, 4.6, 1).

use crate::phy::Phy;
use crate::port::LINK_LANES;
use flitforge_sim::kit::Rng;
use rand::seq::SliceRandom;
use rand::Rng as _;
use std::fmt;

/// The wires of one direction of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wires {
    /// By the sender's lane: the receiver's lane.
    to: [usize; LINK_LANES],
    /// By the sender's lanes: pairs whose wires are exchanged.
    turned: u64,
}

impl Default for Wires {
    fn default() -> Self {
        Self::STRAIGHT
    }
}

impl Wires {
    /// Every lane to the one of the same number, upright.
    pub const STRAIGHT: Self = Self { to: [0, 1, 2, 3], turned: 0 };

    /// Half of all cables are straight. The order of others is kept, reversed or any; `phy_loop` inverts nothing.
    pub fn draw(phy: Phy, lanes: usize, random: &mut Rng) -> Self {
        let is_straight = random.random_bool(0.5);
        let mut wires = Self::STRAIGHT;
        match random.random_range(0..4) {
            0 => {}
            1 => wires.to[..lanes].reverse(),
            _ => wires.to[..lanes].shuffle(random),
        }
        let turned = random.random_range(0..1 << lanes);
        wires.turned = if phy == Phy::Loop { 0 } else { turned };
        if is_straight {
            Self::STRAIGHT
        } else {
            wires
        }
    }

    /// The receiver's lane on which the sender's comes in.
    #[inline]
    pub fn to(&self, lane: usize) -> usize {
        self.to[lane]
    }

    /// The sender's lane that comes in on the receiver's.
    #[inline]
    pub fn from(&self, lane: usize) -> usize {
        self.to.iter().position(|to| *to == lane).unwrap_or(lane)
    }

    /// The wires of this lane of the sender are exchanged.
    #[inline]
    pub fn is_turned(&self, lane: usize) -> bool {
        self.turned >> lane & 1 == 1
    }
}

impl fmt::Display for Wires {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::STRAIGHT {
            return f.write_str("straight");
        }
        let order: Vec<String> = self.to.iter().map(ToString::to_string).collect();
        write!(f, "lanes 0.. come in on {}, inverted {:04b}", order.join(" "), self.turned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitforge_sim::kit::{rng, seed};

    #[test]
    fn every_lane_comes_in_once() {
        let mut random = rng(seed(0x3172), "wires");
        let (mut orders, mut straight) = (std::collections::BTreeSet::new(), 0);
        for _ in 0..2_000 {
            let wires = Wires::draw(Phy::Ecp5, 4, &mut random);
            (0..LINK_LANES).for_each(|lane| assert_eq!(wires.from(wires.to(lane)), lane));
            orders.insert(wires.to);
            straight += u32::from(wires == Wires::STRAIGHT);
        }
        assert_eq!(orders.len(), 24, "every order");
        assert!((800..1_300).contains(&straight), "{straight} of 2000 are straight");
    }

    #[test]
    fn lanes_that_are_not_there_stay_where_they_are() {
        let mut random = rng(seed(0x3173), "wires");
        for lanes in 1..=3 {
            for _ in 0..200 {
                let wires = Wires::draw(Phy::Loop, lanes, &mut random);
                assert!((lanes..LINK_LANES).all(|lane| wires.to(lane) == lane), "{wires}");
                assert_eq!(wires.turned, 0);
            }
        }
    }
}
