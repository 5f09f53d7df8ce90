//! What stands between ports and rings of a clock of their own: each part alone, against what it is to do.

use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Design;
use flitforge_hdl::registry::{find, Settings};
use flitforge_hdl::time::ring::{INSERT_EXTRA_BITS, VALUE_BITS};
use flitforge_hdl::time::ring_gate::{RingGate, RingPhase, RingSeen, RingTally};
use flitforge_protocol::time_ring::{slot_control as slot, SlotKind, MAX_RING_RATIO};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::design_of;
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{depth, drive_all, BenchBlock, Clocked};
use rand::Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

const INSERT: usize = VALUE_BITS + INSERT_EXTRA_BITS;
/// Copies that wait at most.
const PLACES: usize = 2;

/// A bench with the two clocks of a PLL.
struct Pair {
    bench: BenchBlock,
    ratio: u64,
    /// Ring clocks so far.
    at: u64,
}

impl Pair {
    fn new(bench: BenchBlock, ratio: u64) -> Self {
        Self { bench, ratio, at: 0 }
    }

    /// The edge that ends this ring clock is a core edge.
    fn core_edge(&self) -> bool {
        (self.at + 1) % self.ratio == 0
    }

    fn step(&mut self) {
        let clocks: &[&str] = if self.core_edge() { &["clock", "ring_clock"] } else { &["ring_clock"] };
        self.bench.edge(clocks);
        self.at += 1;
    }
}

/// `core_edge` is high in the ring clocks that end with a core edge, and in no other, from the second core edge on.
#[test]
fn the_ring_knows_its_core_edges() {
    for ratio in 2..=u64::from(MAX_RING_RATIO) {
        let mut pair = Pair::new(BenchBlock::new("ring_phase", RingPhase::new(ratio)), ratio);
        for _ in 0..20 * ratio {
            let expected = pair.core_edge() && pair.at >= ratio;
            let said = format!("M = {ratio}, ring clock {}", pair.at);
            assert_eq!(pair.bench.get("core_edge"), u64::from(expected), "{said}");
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
        let mut tally = Pair::new(BenchBlock::new("ring_tally", RingTally::default()), ratio);
        let mut seen =
            Pair::new(BenchBlock::new("ring_seen", RingSeen::<{ LINES as usize }>::default()), ratio);
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
                    pair.bench.set("core_edge", edge.into());
                    pair.bench.set(name, value);
                }
                let found = (tally.bench.get("count"), seen.bench.get("seen"));
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
            (slot::wait::FIELD, ratio * random.random_range(0..=15 / ratio)),
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

/// What a run has shown: copies that landed, waited, were dropped for their wait and for want of a place; insertions that entered before the core
/// edge, at it, and not.
type Shown = Rc<RefCell<[u64; 7]>>;

/// A port's insertion for a core clock, and copies of any kind in crowded and in quiet times.
fn stimulus(ratio: u64) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut random = rng(seed(0x531A), &format!("gate {ratio}"));
    move |clock, bench| {
        if clock % ratio == 0 {
            let (valid, data) = (random.random_bool(0.7), random.random_range(0..1 << INSERT));
            let clear = random.random_bool(0.01);
            drive_all(
                bench,
                &[("from_port.valid", valid.into()), ("from_port.data", data), ("clear", clear.into())],
            )?;
        }
        let chance = if clock / 500 % 2 == 0 { 0.25 } else { 0.8 };
        let Copied { control, data } = Copied::random(&mut random, ratio);
        let values = [
            ("core_edge", u64::from(clock % ratio == ratio - 1)),
            ("insert.ready", random.random_bool(0.3).into()),
            ("copy.valid", random.random_bool(chance).into()),
            ("copy.data", data),
            ("copy_control", control),
        ];
        drive_all(bench, &values)
    }
}

/// Copies land at core edges, one for each, in the order in which they came; a Low that waits says so, damage stays, and what has no
/// place or would wait too long is dropped and counted. An insertion enters once, and the core edge says whether it did.
fn model(ratio: u64, shown: Shown) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut waiting: VecDeque<Copied> = VecDeque::new();
    let (mut dropped, mut taken) = (0, false);
    move |inputs, outputs| {
        let mut shown = shown.borrow_mut();
        let (edge, clear) = (inputs.bit("core_edge")?, inputs.bit("clear")?);
        let copy = Copied { control: inputs.u64("copy_control")?, data: inputs.u64("copy.data")? };
        let copy = inputs.bit("copy.valid")?.then_some(copy);
        outputs.set_u64("dropped", dropped)?;
        let first = waiting.front().copied().or(copy);
        outputs.set_bit("landed.valid", first.is_some())?;
        if let Some(first) = first {
            outputs.set_u64("landed.data", first.data)?;
            outputs.set_u64("landed_control", first.control)?;
        }
        dropped = 0;
        if edge {
            shown[0] += u64::from(first.is_some());
            let direct = waiting.is_empty();
            let second = waiting.get(1).copied();
            let late = [second, copy.filter(|_| !direct)];
            let later = late.map(|copy| copy.and_then(|copy| copy.later(ratio)));
            for place in 0..2 {
                dropped |= u64::from(late[place].is_some() && later[place].is_none()) << place;
            }
            waiting = later.into_iter().flatten().collect();
            shown[1] += waiting.len() as u64;
            shown[2] += u64::from(dropped.count_ones());
        } else if waiting.len() < PLACES {
            waiting.extend(copy);
        } else {
            dropped = copy.is_some().into();
            shown[3] += dropped;
        }

        let passes = inputs.bit("from_port.valid")? && !taken;
        let ready = inputs.bit("insert.ready")?;
        outputs.set_bit("insert.valid", passes)?;
        outputs.set_u64("insert.data", inputs.u64("from_port.data")?)?;
        outputs.set_bit("from_port.ready", taken || ready)?;
        shown[4] += u64::from(passes && ready && !edge);
        shown[5] += u64::from(passes && ready && edge);
        shown[6] += u64::from(passes && !ready && edge);
        taken = !edge && (taken || passes && ready);
        if clear {
            waiting.clear();
            (dropped, taken) = (0, false);
        }
        Ok(())
    }
}

/// A co-simulation with the model.
fn plan(name: &str, ratio: u64, clocks: u64, shown: &Shown) -> CosimPlan<'static> {
    let make = move || {
        let mut gate = RingGate::<VALUE_BITS, INSERT>::new(ratio);
        rust_hdl::prelude::Block::connect_all(&mut gate);
        Box::new(gate) as Box<dyn DriveBlock>
    };
    let plan = CosimPlan::new(name, seed(0x531A), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(ratio)));
        Ok(())
    });
    plan.clocks(clocks)
        .stock_limit(500, "a quick run: rust-hdl itself is slow")
        .model(model(ratio, shown.clone()))
}

#[test]
fn a_gate_is_its_model() {
    let depth = depth();
    for ratio in 2..=u64::from(MAX_RING_RATIO) {
        let shown = Shown::default();
        plan(&format!("ring_gate_{ratio}"), ratio, 20_000, &shown).to_depth(depth).run().expect("equal");
        println!("M = {ratio}: {:?}", shown.borrow());
        assert!(shown.borrow().iter().all(|count| *count > 20), "M = {ratio}: {:?}", shown.borrow());
    }
}

#[test]
fn faults_of_a_gate_are_found() {
    const TOP: &str = "fault_ring_gate";
    let faults = [
        Fault::replace("an insertion enters twice", TOP, "from_port_valid & ~taken_q", "from_port_valid"),
        Fault::replace("a wait does not grow", TOP, "core_clock = 5'h02", "core_clock = 5'h00"),
        Fault::replace("a High grows older, too", TOP, "low_kind = 2'h1", "low_kind = 2'h2"),
        Fault::replace(
            "a copy that waits in the first place has the second, too",
            TOP,
            "second_waits_q | (first_waits_q & copy_valid)",
            "second_waits_q | first_waits_q",
        ),
    ];
    let plan = || plan(TOP, 2, 5_000, &Shown::default()).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

/// The structural check finds paths between the two clocks where the catalogue does not name them, and each block that it names is needed.
#[test]
fn the_catalogue_names_what_passes_between_the_clocks() {
    let crossings = |design: &Design, catalogue: &CrossingCatalogue| {
        let found = structure(design, catalogue);
        found.into_iter().filter(|problem| problem.kind == Kind::ClockCrossing).count()
    };
    let project = CrossingCatalogue::project().expect("parses");
    let entry = find("time_switch").expect("registered");
    for preset in ["ring_2", "ring_2_clock"] {
        let built =
            (entry.build)(&Settings::new(entry, Some(preset), &[]).expect("settings")).expect("builds");
        let design = design_of("time_switch", built.block.as_ref()).expect("elaborates");
        assert_eq!(crossings(&design, &project), 0, "{preset}");
        let mut without = project.clone();
        without.synchronous.clear();
        assert!(crossings(&design, &without) > 0, "{preset}");
        for place in 0..project.synchronous[0].through.len() {
            let mut without = project.clone();
            let label = without.synchronous[0].through.remove(place);
            assert!(crossings(&design, &without) > 0, "{preset}: {label}");
        }
    }
}
