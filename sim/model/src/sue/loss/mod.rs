//! Goodput of go-back-N on a wire that loses, and of packing: the scenario `sue-loss` (chapter 50, 9, points 1 and 4, E14 and E15).

mod goodput;
mod packing;

pub use goodput::{GoodputPoint, GoodputRow, LossRate};
pub use packing::{Packing, PackingRow};

use super::format;
use super::packer::CommandError;
use super::{ConfigError, Renack};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use thiserror::Error;

/// Most that goodput may differ from E15, percent (chapter 50, 9, point 4).
pub const GOODPUT_PERCENT: f64 = 5.0;
/// Most that a stream of packed frames may differ from E14, percent (chapter 50, 9, point 1).
pub const PACKING_PERCENT: f64 = 0.5;
/// PDUs from a lost one to the start of its replay, N of E15.
pub const DISTANCES: [u64; 3] = [4, 8, 16];
/// Rates of loss of E15, as powers of ten: 10^-6 to 10^-2.
pub const EXPONENTS: std::ops::RangeInclusive<u32> = 2..=6;
/// The rate at which both values of RENACK are measured.
const RENACK_EXPONENT: u32 = 2;
/// What is lost of goodput may differ from E15 by that, beside what chance does in so many losses.
const MODEL_SHARE: f64 = 0.02;
/// Standard deviations of the number of losses that are still chance.
const DEVIATIONS: f64 = 5.0;

/// What to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LossParameters {
    /// Losses to wait for at each point, on the average.
    pub losses: u64,
    /// Least PDU times of a point, however many losses they hold.
    pub least_slots: u64,
    /// Rates of loss down to ten to the power of minus this, 2 to 6.
    pub smallest: u32,
    /// Commands of each stream of E14.
    pub commands: u64,
}

/// What came of it. Serialises to the metrics of the scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LossReport {
    /// PDU times simulated.
    pub slots: u64,
    /// PDUs lost.
    pub losses: u64,
    /// Largest difference of goodput from E15, percent.
    pub worst_goodput_percent: f64,
    /// Largest difference of a stream from E14, percent.
    pub worst_packing_percent: f64,
    /// E15.
    pub goodput: Vec<GoodputRow>,
    /// E14.
    pub packing: Vec<PackingRow>,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LossError {
    /// Settings that cannot work.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Settings of the network header that cannot work.
    #[error(transparent)]
    Network(#[from] format::network::ConfigError),
    /// A command that the packer refuses.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A body that cannot be built.
    #[error(transparent)]
    Body(#[from] format::body::BodyError),
    /// A field out of range.
    #[error(transparent)]
    Field(#[from] format::octets::FieldError),
    /// A PDU that cannot be sent.
    #[error(transparent)]
    Encapsulate(#[from] format::network::EncapsulateError),
    /// A body came twice, out of order, or after one that is missing.
    #[error("{point}: body {expected} was expected, {found} came")]
    Order {
        /// The point.
        point: GoodputPoint,
        /// Its number.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// A connection failed.
    #[error("{point}: the connection failed after RETRY_MAX replays")]
    Failed {
        /// The point.
        point: GoodputPoint,
    },
    /// Goodput is not that of E15.
    #[error("{point}: goodput {measured:.6}, E15 says {expected:.6}, {percent:.2} % off; {GOODPUT_PERCENT} % are allowed")]
    Goodput {
        /// The point.
        point: GoodputPoint,
        /// As measured.
        measured: f64,
        /// By the closed form.
        expected: f64,
        /// Difference.
        percent: f64,
    },
    /// What is lost of goodput is not that of E15: at small rates goodput itself is 1 whatever is wrong.
    #[error("{point}: {measured:.3e} of goodput is lost, E15 says {expected:.3e}; {losses} losses cannot explain it")]
    Share {
        /// The point.
        point: GoodputPoint,
        /// As measured.
        measured: f64,
        /// By the closed form.
        expected: f64,
        /// PDUs lost.
        losses: u64,
    },
    /// A stream is not that of E14.
    #[error("{row}: {percent:.3} % off; {PACKING_PERCENT} % are allowed")]
    Packing {
        /// The stream.
        row: PackingRow,
        /// Difference.
        percent: f64,
    },
    /// A parameter out of range.
    #[error("{name} of {value}: has to be {least} to {most}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: u64,
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
    },
}

impl LossParameters {
    fn check(&self) -> Result<(), LossError> {
        let smallest = (u64::from(*EXPONENTS.start()), u64::from(*EXPONENTS.end()));
        let ranges = [
            ("losses", self.losses, (1, 1_000_000)),
            ("smallest", self.smallest.into(), smallest),
            ("commands", self.commands, (1_000, 100_000_000)),
        ];
        ranges.into_iter().try_for_each(|(name, value, (least, most))| {
            let fits = (least..=most).contains(&value);
            fits.then_some(()).ok_or(LossError::Range { name, value, least, most })
        })
    }

    /// The points of E15 down to the smallest rate; at the largest one both values of RENACK.
    fn points(&self) -> Vec<GoodputPoint> {
        let of = |distance: u64| {
            let rates = (*EXPONENTS.start()..=self.smallest).rev().map(move |exponent| GoodputPoint {
                distance,
                rate: LossRate::power_of_ten(exponent),
                renack: Renack::Answer,
            });
            let rate = LossRate::power_of_ten(RENACK_EXPONENT);
            rates.chain([GoodputPoint { distance, rate, renack: Renack::Silent }])
        };
        DISTANCES.into_iter().flat_map(of).collect()
    }
}

/// Measures every point of E15 and every cell of E14. `progress` gets PDU times done and to do.
pub fn loss(
    parameters: &LossParameters,
    seed: u64,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<LossReport, LossError> {
    parameters.check()?;
    let mut packing = vec![];
    for stream in packing::streams() {
        let row = stream.measure(parameters.commands)?;
        row.check()?;
        packing.push(row);
    }
    let points = parameters.points();
    let slots_of = |point: &GoodputPoint| point.rate.slots(parameters.losses).max(parameters.least_slots);
    let all = points.iter().map(slots_of).sum();
    let (mut goodput, mut done) = (vec![], 0);
    for (stream, point) in points.into_iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream as u64);
        let slots = slots_of(&point);
        let row = point.measure(slots, random, &mut |slots| progress(done + slots, all))?;
        row.check()?;
        done += slots;
        goodput.push(row);
    }
    let worst = |percents: &mut dyn Iterator<Item = f64>| percents.fold(0.0, f64::max);
    Ok(LossReport {
        slots: done,
        losses: goodput.iter().map(|row| row.losses).sum(),
        worst_goodput_percent: worst(&mut goodput.iter().map(GoodputRow::percent)),
        worst_packing_percent: worst(&mut packing.iter().map(PackingRow::percent)),
        goodput,
        packing,
    })
}
