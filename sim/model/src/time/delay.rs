//! Delays of rings and paths (chapter 20, 4.4 rule 7, 4.10, equation (1)).

use super::{TimeConfig, TimeConfigError};
use flitforge_protocol::time::FINE_BITS;
use flitforge_protocol::time_ring::{crossing_clocks, RingDirection, TOKEN_FIXED_CYCLES};
use flitforge_protocol::time_servo::INC_FRAC;

/// The way from one stop to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingPath {
    /// Stop of the upstream port.
    pub from: u32,
    /// Stop of the downstream port.
    pub to: u32,
    /// The chosen ring: fewer hops, clockwise on a tie.
    pub ring: RingDirection,
    /// Hops on that ring.
    pub hops: u32,
    /// Ring cycles: hops times registers per hop.
    pub ring_cycles: u32,
    /// Core clocks from R of the upstream port to X of the downstream port.
    pub clocks: u64,
}

/// The rings of a switch as far as their delay is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingShape {
    /// Stops N.
    pub stops: u32,
    /// Registers per hop S.
    pub hop_registers: u32,
    /// Ring edges per core clock M.
    pub ratio: u32,
}

/// One row of the chapter's table of 4.4.
#[derive(Debug, Clone, PartialEq)]
pub struct RingSummary {
    /// Ordered pairs of different stops.
    pub pairs: u32,
    /// Sum of the hops of all pairs on the shorter ring; divided by `pairs` the mean.
    pub hops_dual: u64,
    /// Sum of the hops of all pairs on one ring.
    pub hops_single: u64,
    /// Largest delay over the shorter ring in core clocks.
    pub max_dual: u64,
    /// Largest delay over one ring in core clocks.
    pub max_single: u64,
}

impl RingShape {
    /// The shape of a configuration; what cannot be built is refused.
    pub fn new(config: &TimeConfig) -> Result<Self, TimeConfigError> {
        config.check()?;
        Ok(Self { stops: config.stops, hop_registers: config.hop_registers, ratio: config.ratio()? })
    }

    /// Core clocks over `hops` hops, R to X.
    #[must_use]
    pub const fn clocks(&self, hops: u32) -> u64 {
        crossing_clocks(hops * self.hop_registers, self.ratio)
    }

    /// The way over a given ring.
    #[must_use]
    pub fn path_on(&self, ring: RingDirection, from: u32, to: u32) -> RingPath {
        let hops = ring.hops(self.stops, from, to);
        RingPath { from, to, ring, hops, ring_cycles: hops * self.hop_registers, clocks: self.clocks(hops) }
    }

    /// The way over the shorter ring, clockwise on a tie.
    #[must_use]
    pub fn path(&self, from: u32, to: u32) -> RingPath {
        let [clockwise, counter] = RingDirection::ALL.map(|ring| self.path_on(ring, from, to));
        if clockwise.hops <= counter.hops {
            clockwise
        } else {
            counter
        }
    }

    /// The ways of all ordered pairs of different stops.
    pub fn table(&self) -> impl Iterator<Item = RingPath> + '_ {
        let stops = self.stops;
        (0..stops)
            .flat_map(move |from| (0..stops).filter(move |&to| to != from).map(move |to| self.path(from, to)))
    }

    /// The row of the chapter's table.
    #[must_use]
    pub fn summary(&self) -> RingSummary {
        let empty = RingSummary { pairs: 0, hops_dual: 0, hops_single: 0, max_dual: 0, max_single: 0 };
        self.table().fold(empty, |sum, path| {
            let single = self.path_on(RingDirection::Clockwise, path.from, path.to);
            RingSummary {
                pairs: sum.pairs + 1,
                hops_dual: sum.hops_dual + u64::from(path.hops),
                hops_single: sum.hops_single + u64::from(single.hops),
                max_dual: sum.max_dual.max(path.clocks),
                max_single: sum.max_single.max(single.clocks),
            }
        })
    }

    /// Ring cycles a token counts to a stop `hops` away and back, having `waited` there (4.10).
    #[must_use]
    pub const fn token_cycles(&self, hops: u32, waited: u32) -> u32 {
        2 * hops * self.hop_registers + TOKEN_FIXED_CYCLES + waited
    }

    /// Ring cycles a token counts whose target is its own source (4.10).
    #[must_use]
    pub const fn token_loop_cycles(&self) -> u32 {
        self.stops * self.hop_registers + 1
    }
}

/// Ring cycles of one way from a token's count; `None` if no token counts that.
#[must_use]
pub const fn ring_cycles_of_token(cycles: u32, waited: u32) -> Option<u32> {
    match cycles.checked_sub(TOKEN_FIXED_CYCLES + waited) {
        Some(both) if both % 2 == 0 => Some(both / 2),
        _ => None,
    }
}

/// Core clocks in 1/256 ns, given the increment per clock in 2^-32 ns; rounded to the nearest.
#[must_use]
pub const fn clocks_to_fine(clocks: u64, increment: u64) -> i64 {
    round_to_fine(clocks as i128 * increment as i128)
}

/// 2^-32 ns in 1/256 ns, rounded to the nearest.
#[must_use]
pub const fn round_to_fine(time: i128) -> i64 {
    let shift = INC_FRAC - FINE_BITS;
    ((time + (1 << (shift - 1))) >> shift) as i64
}

/// ClockOffset by equation (1): link segment delays in 1/256 ns and switch delays in (core clocks, increment per
/// clock in 2^-32 ns of master time). Rounded once, at the end.
#[must_use]
pub fn clock_offset(links: &[i64], switches: &[(u64, u64)]) -> i64 {
    let ring = switches.iter().map(|&(clocks, increment)| i128::from(clocks) * i128::from(increment)).sum();
    links.iter().sum::<i64>() + round_to_fine(ring)
}

/// Clock rate mismatch (dMaster - dLocal) / dLocal in units of 2^-32, cut towards minus infinity (section 7, rule 9);
/// `None` if no local time went by.
#[must_use]
pub fn drift(master_ns: i64, local_ns: i64) -> Option<i64> {
    let difference = (i128::from(master_ns) - i128::from(local_ns)) << 32;
    (local_ns > 0).then(|| difference.div_euclid(i128::from(local_ns)) as i64)
}
