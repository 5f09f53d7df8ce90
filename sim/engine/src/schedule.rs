//! When which clock of a block rises: periods in whole picoseconds, frequency offsets, phases and jitter.

use crate::port::PortHandle;
use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Parts per billion in one: a frequency offset of this is the frequency itself.
const BILLION: i64 = 1_000_000_000;

/// One clock of a [`ClockSchedule`].
///
/// Edge `k` lies at `phase + k * period / (1 + offset)`, rounded down to a whole picosecond from the exact
/// value, so that no rounding adds up; jitter moves each edge on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockTiming {
    /// Nominal period in picoseconds; 0 counts as 1.
    pub period: u64,
    /// Time of the first edge in picoseconds.
    pub phase: u64,
    /// Frequency offset in parts per billion; positive is faster. 1 ppm is 1000.
    pub offset: i32,
    /// Each edge lies up to this many picoseconds before or after its place, evenly distributed. Less than half
    /// the period; more counts as that.
    pub jitter: u64,
}

impl ClockTiming {
    /// A perfect clock with its first edge at 0.
    pub fn new(period: u64) -> Self {
        Self { period, phase: 0, offset: 0, jitter: 0 }
    }

    /// With its first edge at `phase` picoseconds.
    pub fn phase(self, phase: u64) -> Self {
        Self { phase, ..self }
    }

    /// With a frequency offset in parts per million; positive is faster. What 32 bits of parts per billion do not
    /// hold (2.1 million ppm) saturates.
    pub fn ppm(self, ppm: i32) -> Self {
        Self { offset: ppm.saturating_mul(1000), ..self }
    }

    /// With jitter of up to `jitter` picoseconds to either side.
    pub fn jitter(self, jitter: u64) -> Self {
        Self { jitter, ..self }
    }
}

/// The order of rising edges of one or several clocks. Edges at the same picosecond rise together. The same
/// clocks and seed give the same edges everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockSchedule {
    clocks: Vec<ScheduledClock>,
    time: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ScheduledClock {
    port: PortHandle,
    timing: ClockTiming,
    /// Where the count of edges began, in 10^-9 ps: the phase, or the edge at which the offset was changed.
    base: u128,
    /// Edges since then up to the one that comes next.
    edge: u64,
    /// Time of the next edge.
    next: u64,
    random: ChaCha8Rng,
}

impl ScheduledClock {
    fn new(port: PortHandle, timing: ClockTiming, number: u64, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(number);
        let timing = ClockTiming { period: timing.period.max(1), ..timing };
        let base = u128::from(timing.phase) * BILLION as u128;
        let mut clock = Self { port, timing, base, edge: 0, next: 0, random };
        clock.next = clock.place(0);
        clock
    }

    /// Exact time of edge `edge` in 10^-9 ps, rounded down.
    fn exact(&self, edge: u64) -> u128 {
        let rate = (BILLION + i64::from(self.timing.offset)).max(1) as u128;
        let billion = BILLION as u128;
        self.base + u128::from(edge) * u128::from(self.timing.period) * billion * billion / rate
    }

    /// Time of edge `edge` in ps, with jitter, not before `earliest`.
    fn place(&mut self, earliest: u64) -> u64 {
        let ideal = (self.exact(self.edge) / BILLION as u128) as u64;
        let jitter = self.timing.jitter.min((self.timing.period - 1) / 2);
        let moved = match jitter {
            0 => ideal,
            _ => (ideal + self.random.random_range(0..=2 * jitter)).saturating_sub(jitter),
        };
        moved.max(earliest)
    }

    fn advance(&mut self) {
        self.edge += 1;
        self.next = self.place(self.next + 1);
    }
}

impl ClockSchedule {
    /// All clocks rise on every edge.
    pub fn together(clocks: &[PortHandle]) -> Self {
        Self::new(&clocks.iter().map(|clock| (*clock, 1, 0)).collect::<Vec<_>>())
    }

    /// Perfect clocks with their period and the time of their first edge, in picoseconds.
    pub fn new(clocks: &[(PortHandle, u64, u64)]) -> Self {
        let timing =
            |(port, period, first): &(PortHandle, u64, u64)| (*port, ClockTiming::new(*period).phase(*first));
        Self::timed(&clocks.iter().map(timing).collect::<Vec<_>>(), 0)
    }

    /// Clocks with offsets and jitter; the seed decides the jitter.
    pub fn timed(clocks: &[(PortHandle, ClockTiming)], seed: u64) -> Self {
        let clocks = (0..).zip(clocks);
        let clocks = clocks.map(|(number, (port, timing))| ScheduledClock::new(*port, *timing, number, seed));
        Self { clocks: clocks.collect(), time: 0 }
    }

    /// Time of the last edge in picoseconds.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Changes a clock's frequency offset (parts per billion, as [`ClockTiming::offset`]) from its next edge on.
    /// False if the schedule does not have the clock.
    pub fn set_offset(&mut self, port: PortHandle, offset: i32) -> bool {
        let Some(clock) = self.clocks.iter_mut().find(|clock| clock.port == port) else { return false };
        clock.base = clock.exact(clock.edge);
        clock.edge = 0;
        clock.timing.offset = offset;
        true
    }

    /// Moves to the next edge and returns the clocks that rise on it.
    pub fn next_edge(&mut self) -> Vec<PortHandle> {
        let mut rising = vec![];
        self.next_edge_into(&mut rising);
        rising
    }

    /// As [`next_edge`](Self::next_edge), into a list that is emptied first.
    pub fn next_edge_into(&mut self, rising: &mut Vec<PortHandle>) {
        rising.clear();
        let Some(time) = self.clocks.iter().map(|clock| clock.next).min() else { return };
        self.time = time;
        for clock in self.clocks.iter_mut().filter(|clock| clock.next == time) {
            clock.advance();
            rising.push(clock.port);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: PortHandle = PortHandle(0);
    const B: PortHandle = PortHandle(1);

    /// Time of edge `number` of a clock alone; the first is 0.
    fn edge(timing: ClockTiming, number: u64) -> u64 {
        let mut schedule = ClockSchedule::timed(&[(A, timing)], 1);
        let mut rising = vec![];
        (0..=number).for_each(|_| schedule.next_edge_into(&mut rising));
        schedule.time()
    }

    #[test]
    fn edges_interleave_and_coincide() {
        let mut schedule = ClockSchedule::new(&[(A, 2, 0), (B, 3, 0)]);
        let edges: Vec<_> = (0..5).map(|_| (schedule.next_edge(), schedule.time())).collect();
        let expected = [(vec![A, B], 0), (vec![A], 2), (vec![B], 3), (vec![A], 4), (vec![A, B], 6)];
        assert_eq!(edges, expected);
    }

    #[test]
    fn one_part_per_million_lands_exactly_after_ten_million_edges() {
        // 1 000 001 periods of the faster clock are 1 000 000 of the nominal one: ten times that
        let period = 6_400;
        assert_eq!(edge(ClockTiming::new(period).ppm(1), 10_000_010), 10_000_000 * period);
        // and 999 999 of the slower one
        assert_eq!(edge(ClockTiming::new(period).ppm(-1), 9_999_990), 10_000_000 * period);
    }

    #[test]
    fn clocks_of_different_offset_meet_again_when_arithmetic_says_so() {
        let clocks = [(A, ClockTiming::new(1000).ppm(100)), (B, ClockTiming::new(1000))];
        let mut schedule = ClockSchedule::timed(&clocks, 0);
        assert_eq!(schedule.next_edge(), [A, B]);
        let mut counts = [0u64; 2];
        loop {
            let rising = schedule.next_edge();
            rising.iter().for_each(|clock| counts[clock.index()] += 1);
            if rising.len() == 2 {
                break;
            }
        }
        // edge k of the faster clock lies 1000 - k * 1000 / 10001 ps after edge k - 1 of the other: less than one
        // picosecond, and so nothing, for the first time at k = 9991
        assert_eq!(counts, [9_991, 9_990]);
        assert_eq!(schedule.time(), 9_990_000);
    }

    #[test]
    fn phase_moves_every_edge() {
        assert_eq!(edge(ClockTiming::new(100).phase(37), 0), 37);
        assert_eq!(edge(ClockTiming::new(100).phase(37), 5), 537);
    }

    #[test]
    fn jitter_stays_within_its_bounds_does_not_add_up_and_repeats() {
        let timing = ClockTiming::new(1000).phase(5000).jitter(20);
        let times = |seed| {
            let mut schedule = ClockSchedule::timed(&[(A, timing)], seed);
            let edges = (0..10_000).map(|_| {
                schedule.next_edge();
                schedule.time()
            });
            edges.collect::<Vec<_>>()
        };
        let (first, again, other) = (times(1), times(1), times(2));
        assert_eq!(first, again);
        assert_ne!(first, other);
        let distances: Vec<i64> =
            (0..).zip(&first).map(|(edge, time)| *time as i64 - (5000 + 1000 * edge)).collect();
        assert_eq!(distances.iter().copied().min(), Some(-20));
        assert_eq!(distances.iter().copied().max(), Some(20));
    }

    #[test]
    fn too_much_jitter_keeps_edges_in_order() {
        let timing = ClockTiming::new(3).jitter(1000);
        let mut schedule = ClockSchedule::timed(&[(A, timing)], 3);
        let mut last = None;
        for _ in 0..1000 {
            schedule.next_edge();
            assert!(last.is_none_or(|last| schedule.time() > last));
            last = Some(schedule.time());
        }
    }

    #[test]
    fn a_changed_offset_counts_from_the_next_edge_without_a_jump() {
        let mut schedule = ClockSchedule::timed(&[(A, ClockTiming::new(1000))], 0);
        (0..4).for_each(|_| drop(schedule.next_edge()));
        assert_eq!(schedule.time(), 3000);
        // the edge at 4000 is under way; from there on half the period
        assert!(schedule.set_offset(A, BILLION as i32));
        let times: Vec<u64> = (0..4)
            .map(|_| {
                schedule.next_edge();
                schedule.time()
            })
            .collect();
        assert_eq!(times, [4000, 4500, 5000, 5500]);
        assert!(!schedule.set_offset(B, 0));
    }

    #[test]
    fn nothing_to_schedule_is_no_edge() {
        assert!(ClockSchedule::new(&[]).next_edge().is_empty());
        assert_eq!(edge(ClockTiming::new(0), 3), 3);
    }
}
