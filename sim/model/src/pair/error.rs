//! Which LTPs of a link pair are damaged on the way.

use crate::control::{Control, Half};
use crate::retry::{LinkLtp, Origin, Sent};
use flitforge_protocol::flit::RetrainKind;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Kinds of Null LTPs that can be lost on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NullKind {
    /// RetryReq.
    RetryReq,
    /// RetryMrkr.
    RetryMrkr,
    /// RetrainRetryReq.
    RetrainRetryReq,
    /// RndTripMrkr, with or without reply.
    RndTripMrkr,
    /// InitReq and InitAck.
    Init,
    /// Filler.
    Filler,
}

impl NullKind {
    /// Every kind.
    pub const ALL: [NullKind; 6] = [
        NullKind::RetryReq,
        NullKind::RetryMrkr,
        NullKind::RetrainRetryReq,
        NullKind::RndTripMrkr,
        NullKind::Init,
        NullKind::Filler,
    ];

    /// The kind and half of a Null; `None` for a control flit that no Null LTP carries.
    #[must_use]
    pub fn of(null: &Control) -> Option<(Self, Half)> {
        Some(match *null {
            Control::RetryReq { half, .. } => (NullKind::RetryReq, half),
            Control::RetryMrkr { half, .. } => (NullKind::RetryMrkr, half),
            Control::RndTripMrkr { half, .. } => (NullKind::RndTripMrkr, half),
            Control::Retrain { kind, half, .. } => match RetrainKind::from_code(kind)? {
                RetrainKind::Filler => (NullKind::Filler, half),
                RetrainKind::RetrainRetryReq => (NullKind::RetrainRetryReq, half),
                RetrainKind::InitReq | RetrainKind::InitAck => (NullKind::Init, half),
            },
            _ => return None,
        })
    }
}

/// What a forced loss looks for. Occurrences count from 0, in the direction of the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// A Null of this kind and half.
    Null(NullKind, Half),
    /// An original LTP.
    Original,
    /// A replayed LTP.
    Replayed,
    /// Any LTP.
    Any,
}

/// LTPs that are lost on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Loss {
    /// End that sends the LTP, 0 or 1.
    pub from: usize,
    /// What is counted.
    pub target: Target,
    /// First occurrence that is lost.
    pub first: u64,
    /// How many occurrences in a row are lost.
    pub count: u64,
}

impl Loss {
    /// Loses one occurrence.
    #[must_use]
    pub const fn one(from: usize, target: Target, occurrence: u64) -> Self {
        Loss { from, target, first: occurrence, count: 1 }
    }

    fn matches<P>(&self, from: usize, sent: &Sent<P>) -> bool {
        from == self.from
            && match (self.target, &sent.ltp, sent.origin) {
                (Target::Any, ..) | (Target::Original, _, Origin::Original(_)) => true,
                (Target::Replayed, _, Origin::Replayed(_)) => true,
                (Target::Null(kind, half), LinkLtp::Null(null), _) => {
                    NullKind::of(null) == Some((kind, half))
                }
                _ => false,
            }
    }
}

/// Bit error rate as a fraction of 2^64, exact on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BitErrorRate {
    /// Errors per 10^9 bits.
    pub per_1e9: u32,
}

impl BitErrorRate {
    /// Chance that at least one of `bits` bits is wrong, in units of 2^-64.
    #[must_use]
    pub fn ltp_chance(self, bits: usize) -> u64 {
        let one = 1u128 << 64;
        let good_bit = one - one * u128::from(self.per_1e9.min(1_000_000_000)) / 1_000_000_000;
        let good = (0..bits).fold(one, |good, _| (good * (good_bit >> 1)) >> 63);
        u64::try_from(one - good).unwrap_or(u64::MAX)
    }
}

/// The error process of both directions.
#[derive(Debug, Clone)]
pub struct ErrorProcess {
    chance: [u64; 2],
    losses: Vec<(Loss, u64)>,
    rng: ChaCha8Rng,
}

impl ErrorProcess {
    /// Random errors: `chance` of a bad LTP in the direction from each end, in units of 2^-64.
    #[must_use]
    pub fn random(chance: [u64; 2], seed: u64) -> Self {
        ErrorProcess { chance, losses: Vec::new(), rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Only these losses.
    #[must_use]
    pub fn forced(losses: &[Loss]) -> Self {
        ErrorProcess::random([0; 2], 0).with(losses)
    }

    /// These losses too.
    #[must_use]
    pub fn with(mut self, losses: &[Loss]) -> Self {
        self.losses.extend(losses.iter().map(|&loss| (loss, 0)));
        self
    }

    /// Forced losses that have not all happened.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.losses.iter().filter(|(loss, seen)| *seen < loss.first + loss.count).count()
    }

    /// Whether this LTP arrives damaged.
    pub fn damages<P>(&mut self, from: usize, sent: &Sent<P>) -> bool {
        let mut damaged = sent.corrupted;
        for (loss, seen) in self.losses.iter_mut().filter(|(loss, _)| loss.matches(from, sent)) {
            damaged |= (loss.first..loss.first + loss.count).contains(seen);
            *seen += 1;
        }
        damaged || (self.chance[from] > 0 && self.rng.random::<u64>() < self.chance[from])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_of_a_bad_ltp_follows_the_rate() {
        let chance = |per_1e9| BitErrorRate { per_1e9 }.ltp_chance(1056) as f64 / 2f64.powi(64);
        assert!((chance(500_000) - (1.0 - 0.9995f64.powi(1056))).abs() < 1e-9);
        assert!((chance(1000) - (1.0 - (1.0 - 1e-6f64).powi(1056))).abs() < 1e-9);
        assert_eq!(BitErrorRate { per_1e9: 0 }.ltp_chance(1056), 0);
        assert_eq!(BitErrorRate { per_1e9: 1_000_000_000 }.ltp_chance(1), u64::MAX);
    }
}
