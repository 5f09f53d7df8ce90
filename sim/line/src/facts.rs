//! What is true of the lanes of a link: which of them have to be in use.

use crate::cable::LaneFault;
use crate::limits::{LINED_UP, TOO_LATE};
use crate::phy::Phy;
use crate::port::{PortShape, LINK_LANES, MAX_LINKS};
use crate::script::Action;

/// The lanes of both directions.
#[derive(Clone, Debug)]
pub struct Facts {
    phy: Phy,
    shape: PortShape,
    all: u64,
    /// By sender: lanes with a fault now.
    broken: [u64; 2],
    /// By sender: lanes whose PHY takes nothing.
    stuck: [u64; 2],
    /// By sender and lane: words late.
    late: [[i64; MAX_LINKS * LINK_LANES]; 2],
    /// By sender: lanes something has happened to; they come back by CTRL.restore or Down.
    hurt: [u64; 2],
    /// LANES.allowed of both ends.
    allowed: [u64; 2],
}

impl Facts {
    /// All is well.
    pub fn new(phy: Phy, shape: PortShape) -> Self {
        let all = (1 << shape.all_lanes()) - 1;
        let late = [[0; MAX_LINKS * LINK_LANES]; 2];
        Self { phy, shape, all, broken: [0; 2], stuck: [0; 2], late, hurt: [0; 2], allowed: [all; 2] }
    }

    /// Something is done.
    pub fn note(&mut self, action: Action) {
        match action {
            Action::Lanes { from, lanes, fault: LaneFault::Whole } => self.broken[from] &= !lanes,
            Action::Lanes { from, lanes, .. } => {
                self.broken[from] |= lanes;
                self.hurt[from] |= lanes;
            }
            Action::Stick { end, lanes } => {
                self.stuck[end] = lanes;
                self.hurt[end] |= lanes;
            }
            Action::Skew { from, lane, words } => {
                self.late[from][lane] = words;
                // Every change tears the lane's words.
                self.hurt[from] |= 1 << lane;
                // Any of them may be left out, and stays so.
                let link = lane / self.shape.lanes;
                if self.is_apart(link, from) {
                    self.hurt[from] |= self.shape.mask(link);
                }
            }
            Action::Noise { from, lanes, .. } => self.hurt[from] |= lanes,
            Action::Allow { end, link, lanes } => {
                let mask = self.shape.mask(link);
                self.allowed[end] = self.allowed[end] & !mask | lanes << (link * self.shape.lanes);
                for hurt in &mut self.hurt {
                    *hurt |= mask & !self.allowed[end];
                }
            }
            // Retraining waits for lanes, but not for ever.
            Action::Pull(from) => self.hurt[from] = self.all,
            Action::PowerOn(end) => self.allowed[end] = self.all,
            _ => {}
        }
    }

    /// Lanes late by at least so many words against the earliest whole one of their link.
    fn late_by(&self, from: usize, words: i64) -> u64 {
        (0..self.shape.links).map(|link| self.late_in(link, from, words)).sum()
    }

    fn late_in(&self, link: usize, from: usize, words: i64) -> u64 {
        let whole = self.shape.mask(link) & !self.broken[from] & !self.stuck[from];
        let lanes = || (0..MAX_LINKS * LINK_LANES).filter(|lane| whole >> lane & 1 == 1);
        let earliest = lanes().map(|lane| self.late[from][lane]).min().unwrap_or(0);
        // The frame pair of `phy_lvds` is not late.
        let (earliest, words) = if self.phy == Phy::Lvds { (0, 1) } else { (earliest, words) };
        lanes().filter(|lane| self.late[from][*lane] - earliest >= words).map(|lane| 1 << lane).sum()
    }

    /// Lanes of a link that its training may use in the direction from an end.
    fn usable(&self, link: usize, from: usize) -> Vec<usize> {
        let mask = self.shape.mask(link) & !self.broken[from] & !self.stuck[from];
        let mask = mask & self.allowed[0] & self.allowed[1];
        (0..MAX_LINKS * LINK_LANES).filter(|lane| mask >> lane & 1 == 1).collect()
    }

    /// Lanes of a link are further apart than is lined up for sure: which of them are left out is the receiver's choice.
    fn is_apart(&self, link: usize, from: usize) -> bool {
        let usable = self.usable(link, from);
        let late = || usable.iter().map(|lane| self.late[from][*lane]);
        let spread = late().max().unwrap_or(0) - late().min().unwrap_or(0);
        self.phy != Phy::Lvds && spread > LINED_UP
    }

    /// Lanes that the direction from this end has at least in use.
    pub fn least_width(&self, from: usize, restored: bool) -> u32 {
        (0..self.shape.links).map(|link| self.least_width_in(link, from, restored)).sum()
    }

    fn least_width_in(&self, link: usize, from: usize, restored: bool) -> u32 {
        if !self.is_apart(link, from) {
            return 1;
        }
        let usable = self.usable(link, from);
        let late = |lane: &usize| self.late[from][*lane];
        let together = |first: &usize| {
            usable.iter().filter(|lane| (0..=LINED_UP).contains(&(late(lane) - late(first)))).count() as u32
        };
        let most = usable.iter().map(together).max().unwrap_or(1);
        let hurt = (self.hurt[from] & self.shape.mask(link)).count_ones();
        if restored {
            most
        } else {
            most.saturating_sub(hurt).max(1)
        }
    }

    /// Lanes that must be in use in the direction from this end, and those that may be.
    pub fn lanes(&self, from: usize, restored: bool) -> (u64, u64) {
        let whole = self.all & !self.broken[from] & !self.stuck[from] & self.allowed[from];
        let apart: u64 = (0..self.shape.links)
            .filter(|link| self.is_apart(*link, from))
            .map(|link| self.shape.mask(link))
            .sum();
        let may = whole & (apart | !self.late_by(from, TOO_LATE));
        let must = !apart & whole & self.allowed[1 - from] & !self.late_by(from, LINED_UP + 1);
        // What an end asks the peer to use follows LANES.allowed with the next Retraining.
        let may = if restored { may & self.allowed[1 - from] } else { may };
        (if restored { must } else { must & !self.hurt[from] }, may)
    }

    /// Lanes have been hurt that CTRL.restore brings back.
    pub fn is_hurt(&self) -> bool {
        self.hurt.iter().any(|lanes| *lanes != 0)
    }

    /// LANES.allowed of a link of an end.
    pub fn allowed(&self, end: usize, link: usize) -> u64 {
        (self.allowed[end] & self.shape.mask(link)) >> (link * self.shape.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: PortShape = PortShape { flits: 2, lanes: 4, links: 1, slots: 128 };

    #[test]
    fn lanes_come_back_by_restore() {
        let mut facts = Facts::new(Phy::Ecp5, SHAPE);
        facts.note(Action::Lanes { from: 0, lanes: 2, fault: LaneFault::Quiet });
        assert_eq!(facts.lanes(0, false), (0b1101, 0b1101));
        assert_eq!(facts.lanes(1, false), (0b1111, 0b1111));
        facts.note(Action::Lanes { from: 0, lanes: 2, fault: LaneFault::Whole });
        assert_eq!(facts.lanes(0, false), (0b1101, 0b1111));
        assert_eq!(facts.lanes(0, true), (0b1111, 0b1111));
        facts.note(Action::Allow { end: 1, link: 0, lanes: 0b0111 });
        assert_eq!(facts.lanes(1, true), (0b0111, 0b0111));
    }

    #[test]
    fn a_late_lane_is_left_out() {
        for (words, must, may, width) in
            [(7, 0xF, 0xF, 1), (12, 0xF, 0xF, 1), (14, 0, 0xF, 3), (17, 0, 0xF, 3)]
        {
            let mut facts = Facts::new(Phy::Loop, SHAPE);
            facts.note(Action::Skew { from: 0, lane: 2, words });
            assert_eq!(facts.lanes(0, true), (must, may), "{words} words");
            assert_eq!(facts.least_width(0, true), width, "{words} words");
        }
    }
}
