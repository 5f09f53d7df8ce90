//! The slowest path between groups of registers.

use super::sdf::{Arc, ArcKind, Delays};
use crate::error::{FlowError, FlowResult};
use crate::ladder::place::{RawPath, RawPoint, RawSegment, DELAYS};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// No pin is reached in this time.
const NEVER: f64 = -1.0;
/// A path begins here.
const LAUNCH: u32 = u32::MAX;

impl Delays {
    /// The slowest path from the registers of each group to those of each other, and within each; `group` says to which one a cell
    /// belongs. One clock, `clock`, is taken for all of them, and no skew: the clock tree is global.
    pub fn slowest<G: Ord + Copy>(
        &self,
        clock: &str,
        group: impl Fn(&str) -> G,
    ) -> FlowResult<BTreeMap<(G, G), RawPath>> {
        let groups: Vec<G> = self.cells.iter().map(|cell| group(cell)).collect();
        let of_pin = |pin: u32| groups[self.pins[pin as usize].cell as usize];
        let mut launches: BTreeMap<G, Vec<(u32, f64)>> = BTreeMap::new();
        for &(pin, ps) in &self.launches {
            launches.entry(of_pin(pin)).or_default().push((pin, ps));
        }
        let mut search = Search::new(self)?;
        let mut found = BTreeMap::new();
        for (from, launches) in launches {
            search.run(&launches);
            let mut last: BTreeMap<G, (u32, f64)> = BTreeMap::new();
            for (pin, ps) in search.captured() {
                let entry = last.entry(of_pin(pin)).or_insert((pin, ps));
                if ps > entry.1 {
                    *entry = (pin, ps);
                }
            }
            for (to, (pin, _)) in last {
                found.insert((from, to), search.path(pin, clock));
            }
        }
        Ok(found)
    }
}

/// Arrival times of the paths that begin in one group.
struct Search<'d> {
    delays: &'d Delays,
    /// Arcs by the pin they begin at: first and after the last.
    first: Vec<u32>,
    /// Arcs in that order.
    arcs: Vec<Arc>,
    /// Place of each pin in an order in which no arc goes back.
    order: Vec<u32>,
    arrival: Vec<f64>,
    /// The arc by which the slowest path comes.
    by: Vec<u32>,
    reached: Vec<u32>,
}

impl<'d> Search<'d> {
    fn new(delays: &'d Delays) -> FlowResult<Self> {
        let pins = delays.pins.len();
        let mut arcs = delays.arcs.clone();
        arcs.sort_by_key(|arc| arc.from);
        let mut first = vec![0; pins + 1];
        arcs.iter().for_each(|arc| first[arc.from as usize + 1] += 1);
        (0..pins).for_each(|pin| first[pin + 1] += first[pin]);
        let order = order(pins, &arcs, &first).ok_or_else(|| FlowError::ToolOutput {
            tool: "nextpnr-ecp5".into(),
            file: DELAYS.into(),
            message: "a combinational loop, whose paths have no end".into(),
        })?;
        let (arrival, by) = (vec![NEVER; pins], vec![LAUNCH; pins]);
        Ok(Self { delays, first, arcs, order, arrival, by, reached: vec![] })
    }

    /// Forgets the last group and follows every path of this one.
    fn run(&mut self, launches: &[(u32, f64)]) {
        for pin in self.reached.drain(..) {
            self.arrival[pin as usize] = NEVER;
        }
        let mut next = BinaryHeap::new();
        for &(pin, ps) in launches {
            self.reach(pin, ps, LAUNCH, &mut next);
        }
        while let Some(Reverse((_, pin))) = next.pop() {
            let (from, behind) = (self.first[pin as usize], self.first[pin as usize + 1]);
            for number in from..behind {
                let Arc { to, ps, .. } = self.arcs[number as usize];
                self.reach(to, self.arrival[pin as usize] + ps, number, &mut next);
            }
        }
    }

    fn reach(&mut self, pin: u32, ps: f64, by: u32, next: &mut BinaryHeap<Reverse<(u32, u32)>>) {
        let place = pin as usize;
        if self.arrival[place] == NEVER {
            self.reached.push(pin);
            next.push(Reverse((self.order[place], pin)));
        }
        if ps > self.arrival[place] {
            (self.arrival[place], self.by[place]) = (ps, by);
        }
    }

    /// Inputs of registers that are reached, and when the path that ends there is over.
    fn captured(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let captures = &self.delays.captures;
        self.reached
            .iter()
            .filter_map(|pin| captures.get(pin).map(|setup| (*pin, self.arrival[*pin as usize] + setup)))
    }

    /// The slowest path to an input of a register.
    fn path(&self, end: u32, clock: &str) -> RawPath {
        let point = |pin: u32| {
            let pin = &self.delays.pins[pin as usize];
            RawPoint { cell: self.delays.cells[pin.cell as usize].clone(), port: pin.port.clone() }
        };
        let segment = |kind: &str, ps: f64, from: u32, to: u32| RawSegment {
            delay: ps / 1000.0,
            kind: kind.into(),
            from: point(from),
            to: point(to),
            net: (kind == "routing").then(String::new),
            sources: vec![],
        };
        let setup = self.delays.captures.get(&end).copied().unwrap_or_default();
        let mut path = vec![segment("setup", setup, end, end)];
        let mut pin = end;
        while self.by[pin as usize] != LAUNCH {
            let Arc { from, ps, kind, .. } = self.arcs[self.by[pin as usize] as usize];
            let kind = if kind == ArcKind::Wire { "routing" } else { "logic" };
            path.push(segment(kind, ps, from, pin));
            pin = from;
        }
        path.push(segment("clk-to-q", self.arrival[pin as usize], pin, pin));
        path.reverse();
        let edge = format!("posedge {clock}");
        RawPath { from: edge.clone(), to: edge, path }
    }
}

/// The place of each pin in an order in which no arc goes back; `None` if there is none.
fn order(pins: usize, arcs: &[Arc], first: &[u32]) -> Option<Vec<u32>> {
    let mut waits = vec![0u32; pins];
    arcs.iter().for_each(|arc| waits[arc.to as usize] += 1);
    let mut ready: Vec<u32> = (0..pins as u32).filter(|pin| waits[*pin as usize] == 0).collect();
    let mut order = vec![0; pins];
    let mut placed = 0;
    while let Some(pin) = ready.pop() {
        order[pin as usize] = placed;
        placed += 1;
        for arc in &arcs[first[pin as usize] as usize..first[pin as usize + 1] as usize] {
            waits[arc.to as usize] -= 1;
            if waits[arc.to as usize] == 0 {
                ready.push(arc.to);
            }
        }
    }
    (placed as usize == pins).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers a, b and c with a table t: a and b reach c through t, a also directly; c reaches itself.
    fn sample(loop_back: &str) -> String {
        let register = |name: &str, out: u32| {
            format!(
                "(CELL (CELLTYPE \"FF\") (INSTANCE {name}) \
                 (DELAY (ABSOLUTE (IOPATH CLK Q (1:1:{out}) (1:1:1)))) \
                 (TIMINGCHECK (SETUPHOLD (posedge DI) (posedge CLK) (0:0:70) (0:0:999))))"
            )
        };
        format!(
            "(DELAYFILE (SDFVERSION \"3.0\") (TIMESCALE 1ps)\n(CELL (CELLTYPE \"top\") (INSTANCE ) (DELAY (ABSOLUTE\n\
             (INTERCONNECT x\\[1\\].a/Q t/A (1:1:100) (1:1:120)) (INTERCONNECT b/Q t/B (0:0:300) (0:0:10))\n\
             (INTERCONNECT t/F c/DI (0:0:40) (0:0:40)) (INTERCONNECT x\\[1\\].a/Q c/M (0:0:50) (0:0:50))\n\
             (INTERCONNECT c/Q b/DI (0:0:5) (0:0:5)) {loop_back})))\n\
             (CELL (CELLTYPE \"T\") (INSTANCE t) (DELAY (ABSOLUTE (IOPATH A F (0:0:236) (0:0:200)) \
             (IOPATH B F (0:0:30) (0:0:30)))))\n{} {} {})",
            register("x\\[1\\].a", 500),
            register("b", 500),
            register("c", 525)
        )
    }

    fn delay(path: &RawPath) -> f64 {
        path.path.iter().map(|segment| segment.delay).sum()
    }

    #[test]
    fn each_pair_of_groups_has_its_slowest_path() {
        let delays = Delays::parse(&sample("")).unwrap();
        let paths = delays.slowest("clock", |cell| cell.chars().last().unwrap()).unwrap();
        let shown: Vec<_> =
            paths.iter().map(|(pair, path)| (*pair, (delay(path) * 1000.0).round() as u32)).collect();
        // a through the table: 500 + 120 + 236 + 40 + 70; b: 500 + 300 + 30 + 40 + 70; c to b: 525 + 5 + 70.
        assert_eq!(shown, [(('a', 'c'), 966), (('b', 'c'), 940), (('c', 'b'), 600)]);
        let kinds: Vec<&str> = paths[&('a', 'c')].path.iter().map(|s| s.kind.as_str()).collect();
        assert_eq!(kinds, ["clk-to-q", "routing", "logic", "routing", "setup"]);
        assert_eq!(paths[&('a', 'c')].path[0].from.cell, "x[1].a");
        // As one group: the slowest of all.
        let all = delays.slowest("clock", |_| ()).unwrap();
        assert_eq!((delay(&all[&((), ())]) * 1000.0).round() as u32, 966);
    }

    #[test]
    fn a_loop_is_refused() {
        let delays = Delays::parse(&sample("(INTERCONNECT t/F t/A (0:0:1) (0:0:1))")).unwrap();
        let message = delays.slowest("clock", |_| ()).unwrap_err().to_string();
        assert!(message.contains("loop"), "{message}");
    }
}
