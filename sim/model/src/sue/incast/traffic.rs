//! Who sends to whom.

use super::IncastParameters;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// A pattern of traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// All to XPU 0.
    Incast,
    /// Each to all others in rotation, beginning with its neighbour.
    AllToAll,
    /// Each to one other, and each from one other.
    Permutation,
    /// All to all over direct links without a switch: 4 XPUs, STRICT_MAP gives the link.
    Mesh,
    /// Each command to a random other on a random VC, as in SUE-Sim.
    Uniform,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Incast, Self::AllToAll, Self::Permutation, Self::Mesh, Self::Uniform];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Pattern::Incast => "incast",
            Pattern::AllToAll => "all to all",
            Pattern::Permutation => "permutation",
            Pattern::Mesh => "mesh",
            Pattern::Uniform => "uniform",
        }
    }
}

/// To whom each XPU sends in a permutation: one cycle through all of them.
pub fn permutation(xpus: u16, seed: u64) -> Vec<u16> {
    let mut cycle: Vec<u16> = (0..xpus).collect();
    cycle.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut partners = vec![0; xpus.into()];
    for (place, xpu) in cycle.iter().enumerate() {
        partners[usize::from(*xpu)] = cycle[(place + 1) % cycle.len()];
    }
    partners
}

/// The commands of one XPU.
#[derive(Debug)]
pub struct Traffic {
    pattern: Pattern,
    own: u16,
    xpus: u16,
    vcs: u8,
    burst: u32,
    partner: u16,
    bursts: u64,
    left: u32,
    target: (u16, u8),
    random: ChaCha8Rng,
}

impl Traffic {
    pub fn new(own: u16, parameters: &IncastParameters, partner: u16, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(u64::from(own) + 1);
        let IncastParameters { pattern, xpus, vcs, burst, .. } = *parameters;
        Traffic { pattern, own, xpus, vcs, burst, partner, bursts: 0, left: 0, target: (0, 0), random }
    }

    /// Whether this XPU sends at all.
    pub fn sends(&self) -> bool {
        self.pattern != Pattern::Incast || self.own != 0
    }

    /// Destination and VC of the next command.
    pub fn next(&mut self) -> (u16, u8) {
        if self.pattern == Pattern::Uniform {
            let step = self.random.random_range(1..self.xpus);
            return ((self.own + step) % self.xpus, self.random.random_range(0..self.vcs));
        }
        if self.left == 0 {
            let others = u64::from(self.xpus - 1);
            let (round, step) = (self.bursts / others, self.bursts % others);
            let destination = match self.pattern {
                Pattern::Incast => 0,
                Pattern::Permutation => self.partner,
                Pattern::AllToAll | Pattern::Mesh | Pattern::Uniform => {
                    (self.own + 1 + step as u16) % self.xpus
                }
            };
            let vc = match self.pattern {
                Pattern::Incast | Pattern::Permutation => self.bursts % u64::from(self.vcs),
                Pattern::AllToAll | Pattern::Mesh | Pattern::Uniform => (round + step) % u64::from(self.vcs),
            };
            self.target = (destination, vc as u8);
            self.left = self.burst;
            self.bursts += 1;
        }
        self.left -= 1;
        self.target
    }
}
