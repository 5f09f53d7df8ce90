//! What a case is made of before anything happens.

use crate::phy::Phy;
use crate::port::{Kind, PortShape, MAX_LINKS};
use crate::times::LTP_WORDS;
use crate::wires::Wires;
use std::fmt;

/// Femtoseconds of a core clock, nominal: 100 MHz. Only ratios count.
pub const CORE_PERIOD: u64 = 10_000_000;

/// Ports, PHY, clocks and cable of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// The PHY of both ends.
    pub phy: Phy,
    /// Kinds of the ports.
    pub kinds: [Kind; 2],
    /// What both have in common.
    pub shape: PortShape,
    /// Core clocks per word, in units of 10^-6.
    pub ratio: u64,
    /// Offsets of the clocks of both ends in parts per billion.
    pub offsets: [i64; 2],
    /// Largest wander of the clocks in parts per billion.
    pub wander: u32,
    /// Bits (with `phy_loop` words) by which each direction is late.
    pub late: [u64; 2],
    /// Core clocks in which a cell notices that a signal comes or goes.
    pub notice: u64,
    /// Chance per core clock that a beat is offered, of both ends.
    pub pace: [f64; 2],
    /// Wires of the cables, from end 0 and from end 1, by link.
    pub wires: [[Wires; MAX_LINKS]; 2],
}

impl Setup {
    /// Core clocks per word.
    pub fn clocks_per_word(&self) -> f64 {
        self.ratio as f64 / 1e6
    }

    /// Core clocks that an LTP takes on so many lanes.
    pub fn ltp_clocks(&self, lanes: u32) -> f64 {
        f64::from(LTP_WORDS) * self.clocks_per_word() / f64::from(lanes.max(1))
    }

    /// Nominal period of the line's clock in femtoseconds.
    pub fn line_period(&self) -> u64 {
        let word = u128::from(CORE_PERIOD) * u128::from(self.ratio) / 1_000_000;
        (word / u128::from(self.phy.clocks_per_word())) as u64
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}, {}, {} core clocks per word, {} ppm between the ends, pace {:.2} and {:.2}",
            self.phy,
            match self.kinds {
                [Kind::Link, Kind::Link] => String::new(),
                [one, other] => format!(", {} and {}", one.block(), other.block()),
            },
            self.shape,
            self.clocks_per_word(),
            (self.offsets[0] - self.offsets[1]) as f64 / 1e3,
            self.pace[0],
            self.pace[1],
        )?;
        for (end, link) in (0..2).flat_map(|end| (0..self.shape.links).map(move |link| (end, link))) {
            let wires = self.wires[end][link];
            if wires != Wires::STRAIGHT {
                write!(f, "; from end {end}, link {link}: {wires}")?;
            }
        }
        Ok(())
    }
}
