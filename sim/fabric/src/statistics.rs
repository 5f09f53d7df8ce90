//! Error statistics with exact sums, and the test whether two distributions are the same.

use serde::Serialize;

/// Width of a histogram bin in femtoseconds: 10 ps.
pub const BIN_FS: i64 = 10_000;
/// Bins on each side of zero: errors to 50 ns; larger ones are counted in the last bin.
pub const BINS: i64 = 5_000;

/// Statistics of errors in femtoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorStatistics {
    count: u64,
    sum: i128,
    squares: i128,
    worst: i64,
    bins: Vec<u32>,
}

impl Default for ErrorStatistics {
    fn default() -> Self {
        Self { count: 0, sum: 0, squares: 0, worst: 0, bins: vec![0; 2 * BINS as usize] }
    }
}

/// The numbers of a table row, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// Errors looked at.
    pub samples: u64,
    /// Largest error by magnitude, with its sign.
    pub worst_ps: f64,
    /// Mean.
    pub mean_ps: f64,
    /// Root of the mean square.
    pub rms_ps: f64,
    /// 99 % of the magnitudes are at most this (to one bin of 10 ps).
    pub p99_ps: f64,
}

impl ErrorStatistics {
    /// One more error.
    pub fn add(&mut self, error_fs: i64) {
        self.count += 1;
        self.sum += i128::from(error_fs);
        self.squares += i128::from(error_fs) * i128::from(error_fs);
        if error_fs.unsigned_abs() > self.worst.unsigned_abs() {
            self.worst = error_fs;
        }
        let bin = error_fs.div_euclid(BIN_FS).clamp(-BINS, BINS - 1) + BINS;
        self.bins[bin as usize] += 1;
    }

    /// Adds another's errors.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        if other.worst.unsigned_abs() > self.worst.unsigned_abs() {
            self.worst = other.worst;
        }
        self.bins.iter_mut().zip(&other.bins).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// Errors so far.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Largest error by magnitude in femtoseconds.
    #[must_use]
    pub const fn worst_fs(&self) -> i64 {
        self.worst
    }

    /// Mean in femtoseconds, cut; 0 without errors.
    #[must_use]
    pub const fn mean_fs(&self) -> i64 {
        if self.count == 0 {
            0
        } else {
            (self.sum / self.count as i128) as i64
        }
    }

    /// The row of a table.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let count = self.count.max(1) as f64;
        Summary {
            samples: self.count,
            worst_ps: self.worst as f64 / 1000.0,
            mean_ps: self.sum as f64 / count / 1000.0,
            rms_ps: (self.squares as f64 / count).sqrt() / 1000.0,
            p99_ps: self.magnitude_quantile(99) as f64 / 1000.0,
        }
    }

    /// The smallest magnitude of whole bins that `percent` of the errors do not exceed, femtoseconds.
    #[must_use]
    pub fn magnitude_quantile(&self, percent: u64) -> i64 {
        let wanted = (self.count * percent).div_ceil(100);
        let mut seen = 0;
        for bin in 0..BINS {
            seen +=
                u64::from(self.bins[(BINS + bin) as usize]) + u64::from(self.bins[(BINS - 1 - bin) as usize]);
            if seen >= wanted {
                return (bin + 1) * BIN_FS;
            }
        }
        BINS * BIN_FS
    }

    /// Bins that hold anything: lower edge in femtoseconds and number.
    pub fn histogram(&self) -> impl Iterator<Item = (i64, u32)> + '_ {
        let bins = self.bins.iter().enumerate().filter(|(_, count)| **count > 0);
        bins.map(|(bin, count)| ((bin as i64 - BINS) * BIN_FS, *count))
    }
}

/// Result of a two-sample Kolmogorov-Smirnov test at 1 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SameDistribution {
    /// Largest difference of the two distributions.
    pub distance: f64,
    /// Largest difference that two samples of one distribution have, but in one case of a hundred.
    pub limit: f64,
}

impl SameDistribution {
    /// True if the samples may be of one distribution.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.distance <= self.limit
    }
}

/// Compares two samples. They must be independent within themselves: neighbouring errors of a servo are not, so only
/// every so many periods one is to be taken.
#[must_use]
pub fn kolmogorov_smirnov(first: &mut [i64], second: &mut [i64]) -> SameDistribution {
    first.sort_unstable();
    second.sort_unstable();
    let (n, m) = (first.len(), second.len());
    let (mut i, mut j, mut distance) = (0, 0, 0.0f64);
    while i < n && j < m {
        let at = first[i].min(second[j]);
        while i < n && first[i] <= at {
            i += 1;
        }
        while j < m && second[j] <= at {
            j += 1;
        }
        distance = distance.max((i as f64 / n as f64 - j as f64 / m as f64).abs());
    }
    // sqrt(-ln(0.01 / 2) / 2) for large samples.
    let limit = 1.627_6 * ((n + m) as f64 / (n.max(1) as f64 * m.max(1) as f64)).sqrt();
    SameDistribution { distance, limit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn moments_and_quantiles() {
        let mut all = ErrorStatistics::default();
        (1..=100).for_each(|n| all.add(if n % 2 == 0 { n * 10_000 } else { -n * 10_000 }));
        let summary = all.summary();
        assert_eq!((summary.samples, summary.worst_ps, summary.mean_ps), (100, 1000.0, 5.0));
        assert!((summary.rms_ps - 581.68).abs() < 0.01 && (980.0..=1000.0).contains(&summary.p99_ps));
        let mut twice = all.clone();
        twice.merge(&all);
        assert_eq!((twice.count(), twice.worst_fs(), twice.mean_fs()), (200, 1_000_000, 5_000));
        assert_eq!(ErrorStatistics::default().mean_fs(), 0);
    }

    #[test]
    fn the_test_tells_shifted_samples_from_equal_ones() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut draw = |shift: i64| -> Vec<i64> {
            (0..2000).map(|_| (0..12).map(|_| rng.random_range(-500..500)).sum::<i64>() + shift).collect()
        };
        let (mut first, mut same, mut shifted) = (draw(0), draw(0), draw(200));
        assert!(kolmogorov_smirnov(&mut first, &mut same).holds());
        assert!(!kolmogorov_smirnov(&mut first, &mut shifted).holds());
    }
}
