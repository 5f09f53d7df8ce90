//! One stop of a time ring and a whole ring, clock by clock (chapter 20, 4.4 rules 1 to 5).

use flitforge_protocol::time_ring::{slot_control as control, SlotKind, SLOW_WAIT_MAX};
use std::collections::VecDeque;

/// An occupied slot. `data` is as wide as the embodiment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingSlot {
    /// Stop that inserted it.
    pub source: u8,
    /// Clock tree.
    pub tree: u8,
    /// Code of its kind.
    pub kind: u8,
    /// It passed the monitor.
    pub monitored: bool,
    /// Parity bit as sent.
    pub parity: bool,
    /// Ring clocks the source waited.
    pub wait: u8,
    /// Content.
    pub data: u128,
}

impl RingSlot {
    /// The control bits of the slot.
    #[must_use]
    pub fn control(&self) -> u64 {
        let fields = [
            (control::src::FIELD, u64::from(self.source)),
            (control::tree::FIELD, u64::from(self.tree)),
            (control::kind::FIELD, u64::from(self.kind)),
            (control::mon::FIELD, u64::from(self.monitored)),
            (control::par::FIELD, u64::from(self.parity)),
            (control::v::FIELD, 1),
            (control::wait::FIELD, u64::from(self.wait)),
        ];
        fields.iter().fold(0, |word, (field, value)| field.set(word, *value)) as u64
    }

    /// The slot with these control bits; `None` if it is empty.
    #[must_use]
    pub fn from_control(word: u64, data: u128) -> Option<Self> {
        let word = u128::from(word);
        (control::v::FIELD.get(word) == 1).then(|| Self {
            source: control::src::FIELD.get(word) as u8,
            tree: control::tree::FIELD.get(word) as u8,
            kind: control::kind::FIELD.get(word) as u8,
            monitored: control::mon::FIELD.get(word) == 1,
            parity: control::par::FIELD.get(word) == 1,
            wait: control::wait::FIELD.get(word) as u8,
            data,
        })
    }

    /// A Low or a High.
    #[must_use]
    pub fn is_time(&self) -> bool {
        [SlotKind::Low.code(), SlotKind::High.code()].contains(&self.kind)
    }

    /// True if the parity bit fits the content.
    #[must_use]
    pub fn parity_is_right(&self) -> bool {
        let small = [self.source, self.tree, self.kind, self.wait, u8::from(self.parity)];
        let ones = small.iter().map(|part| part.count_ones()).sum::<u32>() + self.data.count_ones();
        ones % 2 == 0
    }
}

/// What is to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertion {
    /// Code of its kind.
    pub kind: u8,
    /// Clock tree.
    pub tree: u8,
    /// Parity of data, tree and kind.
    pub parity: bool,
    /// Content.
    pub data: u128,
}

/// Stop that an insertion comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Its number.
    pub id: u8,
    /// Parity that counts for the number.
    pub parity: bool,
    /// The slot goes there next.
    pub is_next: bool,
}

impl Origin {
    /// A stop's own insertion; no stop follows itself.
    #[must_use]
    pub const fn of(id: u8) -> Self {
        Self { id, parity: id.count_ones() % 2 == 1, is_next: false }
    }
}

/// What a stop is told of the slot that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arrival {
    /// The slot.
    pub slot: Option<RingSlot>,
    /// It was inserted here.
    pub own: bool,
    /// It is occupied and not removed here: no insertion.
    pub forwards: bool,
}

/// Fixed properties of a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopConfig {
    /// Its number.
    pub id: u8,
    /// Numbers of the stops that its slot goes to next, in order.
    pub next: [u8; 3],
    /// It marks what it forwards.
    pub monitor: bool,
    /// The next stop, and the one after it, is the monitor.
    pub next_is_monitor: [bool; 2],
    /// RING_WAIT_MAX, ring clocks.
    pub wait_max: u8,
}

/// One stop of one ring between two ring edges.
#[derive(Debug, Clone)]
pub struct StopModel {
    config: StopConfig,
    /// The ring register.
    pub slot: Option<RingSlot>,
    /// The ring register holds a slot that the next stop inserted.
    pub next_owns: bool,
    /// The ring register holds a slot that the next stop does not remove.
    pub forwards: bool,
    /// The copy register.
    pub copy: Option<RingSlot>,
    /// The last insertion of a clock found no free slot.
    pub busy: bool,
    /// An insertion was dropped.
    pub wait_over: bool,
    /// The monitor removed a slot.
    pub orphan: bool,
    /// Clocks a Low has waited, and anything.
    waited: u32,
    long_wait: u32,
    expired: bool,
}

impl StopModel {
    /// An empty stop.
    #[must_use]
    pub const fn new(config: StopConfig) -> Self {
        Self {
            config,
            slot: None,
            next_owns: false,
            forwards: false,
            copy: None,
            busy: false,
            wait_over: false,
            orphan: false,
            waited: 0,
            long_wait: 0,
            expired: false,
        }
    }

    /// True if an insertion is taken in this clock (inserted or dropped), given what comes in.
    #[must_use]
    pub const fn ready(&self, arrival: Arrival) -> bool {
        self.expired || !arrival.forwards
    }

    /// A ring edge: `arrival` is what comes in, `trees` names by bit the trees that are copied.
    pub fn clock(&mut self, arrival: Arrival, insertion: Option<Insertion>, trees: u8) {
        self.clock_from(arrival, insertion.map(|insertion| (insertion, Origin::of(self.config.id))), trees);
    }

    /// A ring edge whose insertion comes from a stop that may be another one (4.10).
    pub fn clock_from(&mut self, arrival: Arrival, from: Option<(Insertion, Origin)>, trees: u8) {
        self.clock_at(arrival, from, trees, true);
    }

    /// True if what is of this kind is tried at a ring edge, which may be a core edge (rule 2).
    #[must_use]
    pub const fn tries(&self, kind: u8, core_edge: bool) -> bool {
        core_edge || kind != SlotKind::Low.code() && self.busy
    }

    /// A ring edge that may be a core edge, of a ring with several of them per core clock.
    pub fn clock_at(
        &mut self,
        arrival: Arrival,
        from: Option<(Insertion, Origin)>,
        trees: u8,
        core_edge: bool,
    ) {
        let Arrival { slot: incoming, own, forwards } = arrival;
        let insertion = from.map(|(insertion, _)| insertion);
        self.copy = self.slot.filter(|slot| slot.is_time() && trees >> slot.tree & 1 == 1);
        self.orphan = incoming.is_some_and(|slot| self.config.monitor && slot.monitored && !own);
        let tries = insertion.is_some_and(|insertion| self.tries(insertion.kind, core_edge));
        let enters = tries && !forwards && !self.expired;
        self.busy = insertion.is_some() && !self.expired && !enters && (core_edge || self.busy);
        self.wait_over = insertion.is_some() && self.expired;
        (self.slot, self.next_owns) = match from {
            _ if forwards => {
                let forward =
                    |slot: RingSlot| RingSlot { monitored: slot.monitored || self.config.monitor, ..slot };
                (incoming.map(forward), incoming.is_some_and(|slot| slot.source == self.config.next[0]))
            }
            Some((insertion, origin)) if enters => (Some(self.entering(insertion, origin)), origin.is_next),
            _ => (None, false),
        };
        let removed = |slot: RingSlot| self.next_owns || self.config.next_is_monitor[0] && slot.monitored;
        self.forwards = self.slot.is_some_and(|slot| !removed(slot));
        if self.busy {
            let low = insertion.is_some_and(|insertion| insertion.kind == SlotKind::Low.code());
            self.expired = match low {
                true => self.waited == u32::from(self.config.wait_max),
                false => self.long_wait == SLOW_WAIT_MAX - 1,
            };
            self.waited += u32::from(low && (core_edge || self.waited > 0));
            self.long_wait = (self.long_wait + 1) % SLOW_WAIT_MAX;
        } else {
            (self.waited, self.long_wait) = (0, 0);
            self.expired = false;
        }
    }

    /// What the next stop is told of the occupied slot in the ring register for stops to come: {a Low or
    /// High; not to be removed by the second stop from here; inserted by that one; upper, lower half of its source are those of the third}.
    #[must_use]
    pub fn look_ahead(&self) -> Option<u64> {
        const HALF: u8 = 3;
        let StopConfig { next: [_, second, third], next_is_monitor, .. } = self.config;
        let slot = self.slot?;
        let leaves = slot.source == second;
        let forwards = !(leaves || next_is_monitor[1] && slot.monitored);
        let same = slot.source ^ third;
        let bits = [same & 7 == 0, same >> HALF == 0, leaves, forwards, slot.is_time()];
        Some(bits.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit)))
    }

    fn entering(&self, insertion: Insertion, origin: Origin) -> RingSlot {
        let Insertion { kind, tree, parity, data } = insertion;
        let wait = if kind == SlotKind::Low.code() { self.waited as u8 } else { 0 };
        let parity = parity ^ origin.parity ^ (wait.count_ones() % 2 == 1);
        RingSlot { source: origin.id, tree, kind, monitored: false, parity, wait, data }
    }

    /// Empties the stop.
    pub fn clear(&mut self) {
        *self = Self::new(self.config);
    }
}

/// One ring of stops; stop 0 is the monitor.
#[derive(Debug, Clone)]
pub struct RingModel {
    /// The stops.
    pub stops: Vec<StopModel>,
    /// Stop whose slot comes in, per stop.
    before: Vec<usize>,
    /// What stands in the other registers of the hop to each stop, the one next to the stop first.
    hops: Vec<VecDeque<Arrival>>,
}

impl RingModel {
    /// An empty ring whose slots go from stop i to i + 1, or to i - 1 if `reverse`, with one register per hop.
    #[must_use]
    pub fn new(stops: usize, reverse: bool, wait_max: u8) -> Self {
        Self::with_hop_registers(stops, reverse, wait_max, 1)
    }

    /// The same with S registers per hop.
    #[must_use]
    pub fn with_hop_registers(stops: usize, reverse: bool, wait_max: u8, hop_registers: usize) -> Self {
        let step = if reverse { 1 } else { stops - 1 };
        let stop = |id: usize| {
            let next = [1, 2, 3].map(|hops| ((id + hops * (stops - step)) % stops) as u8);
            let (monitor, next_is_monitor) = (id == 0, [next[0] == 0, next[1] == 0]);
            StopModel::new(StopConfig { id: id as u8, next, monitor, next_is_monitor, wait_max })
        };
        Self {
            stops: (0..stops).map(stop).collect(),
            before: (0..stops).map(|stop| (stop + step) % stops).collect(),
            hops: vec![vec![Arrival::default(); hop_registers - 1].into(); stops],
        }
    }

    /// What comes in at a stop.
    #[must_use]
    pub fn incoming(&self, stop: usize) -> Arrival {
        self.hops[stop].front().copied().unwrap_or_else(|| self.leaving(self.before[stop]))
    }

    /// What the ring register of a stop holds and says of it.
    fn leaving(&self, stop: usize) -> Arrival {
        let before = &self.stops[stop];
        Arrival { slot: before.slot, own: before.next_owns, forwards: before.forwards }
    }

    /// True if stop `stop` takes an insertion in this clock.
    #[must_use]
    pub fn ready(&self, stop: usize) -> bool {
        self.stops[stop].ready(self.incoming(stop))
    }

    /// A ring edge with an insertion or none and a set of copied trees per stop.
    pub fn clock(&mut self, insertions: &[Option<Insertion>], trees: &[u8]) {
        let own =
            |(stop, insertion): (usize, &Option<Insertion>)| Some(((*insertion)?, Origin::of(stop as u8)));
        let from: Vec<_> = insertions.iter().enumerate().map(own).collect();
        self.clock_from(&from, trees);
    }

    /// A ring edge with the origins of insertions.
    pub fn clock_from(&mut self, insertions: &[Option<(Insertion, Origin)>], trees: &[u8]) {
        let incoming: Vec<_> = (0..self.stops.len()).map(|stop| self.incoming(stop)).collect();
        for stop in 0..self.stops.len() {
            let leaving = self.leaving(self.before[stop]);
            self.hops[stop].push_back(leaving);
            self.hops[stop].pop_front();
        }
        for (number, stop) in self.stops.iter_mut().enumerate() {
            stop.clock_from(incoming[number], insertions[number], trees[number]);
        }
    }

    /// Empties the ring.
    pub fn clear(&mut self) {
        self.stops.iter_mut().for_each(StopModel::clear);
        self.hops.iter_mut().flatten().for_each(|arrival| *arrival = Arrival::default());
    }

    /// Occupied slots.
    #[must_use]
    pub fn occupied(&self) -> usize {
        let between = self.hops.iter().flatten().filter(|arrival| arrival.slot.is_some());
        self.stops.iter().filter(|stop| stop.slot.is_some()).count() + between.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE_BITS: u32 = 46;

    /// Chapter 20, section 8, example 2: slots of the flits of example 1, source 3, tree 1.
    #[test]
    fn slots_of_the_worked_example() {
        let cases: [(u128, u8, u8, u128); 3] = [
            (0x2A67_89AB_CDEF, 1, 0, 0x0450_EA67_89AB_CDEF),
            (0x2A67_89AB_CDEF, 1, 5, 0x2C50_EA67_89AB_CDEF),
            (0x212C_0123_4567, 2, 0, 0x0690_E12C_0123_4567),
        ];
        for (data, kind, wait, expected) in cases {
            let config = StopConfig {
                id: 3,
                next: [4, 5, 6],
                monitor: false,
                next_is_monitor: [false; 2],
                wait_max: 8,
            };
            let mut stop = StopModel::new(config);
            let ones = data.count_ones() + kind.count_ones() + 1;
            let insertion = Insertion { kind, tree: 1, parity: ones % 2 == 1, data };
            let other =
                RingSlot { source: 9, tree: 0, kind: 1, monitored: false, parity: false, wait: 0, data: 0 };
            for _ in 0..wait {
                let arrival = Arrival { slot: Some(other), own: false, forwards: true };
                stop.clock(arrival, Some(insertion), 0);
            }
            stop.clock(Arrival::default(), Some(insertion), 0);
            let slot = stop.slot.unwrap();
            assert!(slot.parity_is_right());
            let word = u128::from(slot.control()) << VALUE_BITS | slot.data;
            assert_eq!(word, expected, "{word:X}");
            assert_eq!(RingSlot::from_control(slot.control(), slot.data), Some(slot));
        }
    }
}
