//! What stands between ports and rings of a clock of their own: each part alone, against what it is to do.

use flitforge_elaborate::Value;
use flitforge_hdl::time::ring::{INSERT_EXTRA_BITS, VALUE_BITS};
use flitforge_hdl::time::ring_gate::{RingGate, RingPhase, RingSeen, RingTally};
use flitforge_protocol::time_ring::{slot_control as slot, SlotKind, MAX_RING_RATIO};
use flitforge_sim::kit::{rng, seed, Rng as KitRng};
use flitforge_sim::{open, Bench};
use rand::Rng;
use std::collections::VecDeque;

const INSERT: usize = VALUE_BITS + INSERT_EXTRA_BITS;
/// Copies that wait at most.
const PLACES: usize = 2;

fn set(bench: &mut dyn Bench, path: &str, value: u64) {
    let port = bench.port(path).expect("port");
    bench.set(port, &Value::from_u64(bench.width(port), value));
}

fn get(bench: &mut dyn Bench, path: &str) -> u64 {
    bench.settle().expect("settles");
    bench.get_u64(bench.port(path).expect("port"))
}

/// A bench with the two clocks of a PLL.
struct Pair {
    bench: Box<dyn Bench>,
    ratio: u64,
    /// Ring clocks so far.
    at: u64,
}

impl Pair {
    fn new(bench: Box<dyn Bench>, ratio: u64) -> Self {
        Self { bench, ratio, at: 0 }
    }

    /// The edge that ends this ring clock is a core edge.
    fn core_edge(&self) -> bool {
        (self.at + 1) % self.ratio == 0
    }

    fn step(&mut self) {
        let [core, ring] = ["clock", "ring_clock"].map(|path| self.bench.port(path).expect("clock"));
        let clocks = if self.core_edge() { vec![core, ring] } else { vec![ring] };
        self.bench.step_clocks(&clocks).expect("steps");
        self.at += 1;
    }
}

/// `core_edge` is high in the ring clocks that end with a core edge, and in no other, from the second core edge on.
#[test]
fn the_ring_knows_its_core_edges() {
    for ratio in 2..=u64::from(MAX_RING_RATIO) {
        let mut pair = Pair::new(open("ring_phase", Box::new(RingPhase::new(ratio))).expect("bench"), ratio);
        for _ in 0..20 * ratio {
            let expected = pair.core_edge() && pair.at >= ratio;
            let said = format!("M = {ratio}, ring clock {}", pair.at);
            assert_eq!(get(pair.bench.as_mut(), "core_edge"), u64::from(expected), "{said}");
            pair.step();
        }
    }
}

/// What happens in a core clock stands in the next one: how often, and which line was high.
#[test]
fn no_event_of_the_ring_is_lost_and_none_counts_twice() {
    const LINES: u32 = 5;
    let mut random = rng(seed(0x5319), "tally");
    for ratio in 2..=u64::from(MAX_RING_RATIO) {
        let mut tally = Pair::new(open("ring_tally", Box::<RingTally>::default()).expect("bench"), ratio);
        let mut seen =
            Pair::new(open("ring_seen", Box::<RingSeen<{ LINES as usize }>>::default()).expect("bench"), ratio);
        let (mut count, mut lines) = (0, 0);
        let mut most = 0;
        for _ in 0..2_000 {
            let expected = (count, lines);
            (count, lines) = (0, 0);
            for _ in 0..ratio {
                let events = random.random_range(0..4_u64);
                let high = random.random_range(0..1 << LINES) & random.random_range(0..1_u64 << LINES);
                count += u64::from(events.count_ones());
                lines |= high;
                for (pair, name, value) in [(&mut tally, "events", events), (&mut seen, "lines", high)] {
                    let edge = pair.core_edge();
                    set(pair.bench.as_mut(), "core_edge", edge.into());
                    set(pair.bench.as_mut(), name, value);
                }
                let found = (get(tally.bench.as_mut(), "count"), get(seen.bench.as_mut(), "seen"));
                assert_eq!(found, expected, "M = {ratio}, ring clock {}", tally.at);
                tally.step();
                seen.step();
            }
            most = most.max(count);
        }
        assert_eq!(most, 2 * ratio, "as many as there can be");
    }
}

/// A slot's control bits and data, with the parity of a good one or of a bad one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Copied {
    control: u64,
    data: u64,
}

impl Copied {
    fn random(random: &mut KitRng, ratio: u64) -> Self {
        let kind = if random.random_bool(0.6) { SlotKind::Low } else { SlotKind::High };
        let fields = [
            (slot::src::FIELD, random.random_range(0..4)),
            (slot::tree::FIELD, random.random_range(0..4)),
            (slot::kind::FIELD, u64::from(kind.code())),
            (slot::v::FIELD, 1),
            (slot::par::FIELD, random.random_range(0..2)),
            (slot::wait::FIELD, ratio * random.random_range(0..=8 / ratio)),
        ];
        let control = fields.iter().fold(0, |word, (field, value)| field.set(word, *value)) as u64;
        Self { control, data: random.random_range(0..1 << VALUE_BITS) }
    }

    /// Odd parity over all that counts: damaged.
    fn is_odd(self) -> bool {
        let kept = !(slot::mon::FIELD.mask() as u64) & !(slot::v::FIELD.mask() as u64);
        (self.data.count_ones() + (self.control & kept).count_ones()) % 2 == 1
    }

    /// A core clock later; none if its wait does not fit.
    fn later(self, ratio: u64) -> Option<Self> {
        if slot::kind::FIELD.get(self.control.into()) != u64::from(SlotKind::Low.code()) {
            return Some(self);
        }
        let wait = slot::wait::FIELD.get(self.control.into()) + ratio;
        let control = slot::wait::FIELD.set(self.control.into(), wait & 15) as u64;
        let later = Self { control, ..self };
        let repaired = slot::par::FIELD.mask() as u64;
        let turned = later.is_odd() != self.is_odd();
        let control = if turned { control ^ repaired } else { control };
        (wait < 16).then_some(Self { control, ..self })
    }
}

/// Copies land at core edges, one for each, in the order in which they came; a Low that waits says so, damage stays, and what has no
/// place or would wait too long is dropped and counted.
#[test]
fn copies_land_one_by_one_with_their_wait() {
    let mut random = rng(seed(0x531A), "gate");
    for ratio in 2..=u64::from(MAX_RING_RATIO) {
        let gate = RingGate::<VALUE_BITS, INSERT>::new(ratio);
        let mut bench = open("ring_gate", Box::new(gate)).expect("bench");
        let bench = bench.as_mut();
        let mut waiting: VecDeque<Copied> = VecDeque::new();
        let (mut dropped, mut landed, mut waited) = (0_u32, 0, 0);
        let mut drops = [0; 2];
        for clock in 0..40_000_u64 {
            let edge = clock % ratio == ratio - 1;
            let clear = random.random_bool(0.002);
            let chance = if clock / 500 % 2 == 0 { 0.25 } else { 0.8 };
            let copy = random.random_bool(chance).then(|| Copied::random(&mut random, ratio));
            let Copied { control, data } = copy.unwrap_or(Copied::random(&mut random, ratio));
            for (path, value) in [
                ("core_edge", edge.into()),
                ("clear", clear.into()),
                ("copy.valid", copy.is_some().into()),
                ("copy.data", data),
                ("copy_control", control),
            ] {
                set(bench, path, value);
            }
            assert_eq!(get(bench, "dropped").count_ones(), dropped, "M = {ratio}, ring clock {clock}");
            dropped = 0;
            let first = waiting.front().copied().or(copy);
            if edge {
                assert_eq!(get(bench, "landed.valid"), u64::from(first.is_some()), "ring clock {clock}");
                if let Some(first) = first {
                    let found =
                        Copied { control: get(bench, "landed_control"), data: get(bench, "landed.data") };
                    assert_eq!(found, first, "M = {ratio}, ring clock {clock}");
                    landed += 1;
                }
                waiting.extend(copy);
                waiting.pop_front();
                let before = waiting.len();
                waiting = waiting.iter().filter_map(|copy| copy.later(ratio)).collect();
                dropped = (before - waiting.len()) as u32;
                drops[0] += dropped;
                waited += waiting.len();
            } else if waiting.len() < PLACES {
                waiting.extend(copy);
            } else {
                dropped = copy.is_some().into();
                drops[1] += dropped;
            }
            if clear {
                waiting.clear();
                dropped = 0;
            }
            bench.step().expect("steps");
        }
        println!("M = {ratio}: {landed} landed, {waited} waited, {drops:?} dropped");
        assert!(landed > 3_000 && waited > 1_000 && drops.iter().all(|drops| *drops > 50), "M = {ratio}");
    }
}

/// An insertion that is offered for a core clock enters the ring once, whenever the ring takes it, and the core edge says whether it did.
#[test]
fn an_insertion_enters_once() {
    let mut random = rng(seed(0x531B), "entry");
    for ratio in 2..=u64::from(MAX_RING_RATIO) {
        let gate = RingGate::<VALUE_BITS, INSERT>::new(ratio);
        let mut bench = open("ring_gate", Box::new(gate)).expect("bench");
        let bench = bench.as_mut();
        let (mut entered, mut early, mut refused) = (0, 0, 0);
        for _ in 0..10_000 {
            let offered = random.random_bool(0.7).then(|| random.random_range(0..1 << INSERT));
            let clear = random.random_bool(0.01);
            set(bench, "from_port.valid", offered.is_some().into());
            set(bench, "from_port.data", offered.unwrap_or(0));
            set(bench, "clear", clear.into());
            let mut taken = false;
            for later in (0..ratio).rev() {
                let ready = !clear && random.random_bool(0.3);
                set(bench, "core_edge", u64::from(later == 0));
                set(bench, "insert.ready", ready.into());
                let valid = get(bench, "insert.valid") == 1;
                assert_eq!(valid, offered.is_some() && !taken, "M = {ratio}");
                assert!(!valid || Some(get(bench, "insert.data")) == offered);
                early += u64::from(valid && ready && later > 0);
                taken |= valid && ready;
                if later == 0 && offered.is_some() {
                    assert_eq!(get(bench, "from_port.ready"), u64::from(taken), "M = {ratio}");
                    entered += u64::from(taken);
                    refused += u64::from(!taken);
                }
                bench.step().expect("steps");
            }
        }
        assert!(entered > 1_000 && early > 500 && refused > 500, "M = {ratio}");
    }
}
