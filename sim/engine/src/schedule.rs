//! When which clock of a block rises.

use crate::port::PortHandle;

/// The order of rising edges of one or several clocks, from periods in whole picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockSchedule {
    clocks: Vec<ScheduledClock>,
    time: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ScheduledClock {
    port: PortHandle,
    period: u64,
    next: u64,
}

impl ClockSchedule {
    /// All clocks rise on every edge.
    pub fn together(clocks: &[PortHandle]) -> Self {
        Self::new(&clocks.iter().map(|clock| (*clock, 1, 0)).collect::<Vec<_>>())
    }

    /// Clocks with their period and the time of their first edge, in picoseconds. A period of 0 counts as 1.
    pub fn new(clocks: &[(PortHandle, u64, u64)]) -> Self {
        let clocks = clocks
            .iter()
            .map(|(port, period, first)| ScheduledClock {
                port: *port,
                period: (*period).max(1),
                next: *first,
            })
            .collect();
        Self { clocks, time: 0 }
    }

    /// Time of the last edge in picoseconds.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Moves to the next edge and returns the clocks that rise on it.
    pub fn next_edge(&mut self) -> Vec<PortHandle> {
        let Some(time) = self.clocks.iter().map(|clock| clock.next).min() else { return vec![] };
        self.time = time;
        let mut rising = vec![];
        for clock in self.clocks.iter_mut().filter(|clock| clock.next == time) {
            clock.next += clock.period;
            rising.push(clock.port);
        }
        rising
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_interleave_and_coincide() {
        let (a, b) = (PortHandle(0), PortHandle(1));
        let mut schedule = ClockSchedule::new(&[(a, 2, 0), (b, 3, 0)]);
        let edges: Vec<_> = (0..5).map(|_| (schedule.next_edge(), schedule.time())).collect();
        let expected = [(vec![a, b], 0), (vec![a], 2), (vec![b], 3), (vec![a], 4), (vec![a, b], 6)];
        assert_eq!(edges, expected);
    }
}
