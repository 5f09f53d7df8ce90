//! `tree_selector`: which tree's samples feed the servo (chapter 20, 4.7 rule 6).
//!
//! A slave of several trees has a `time_slave` for each. The servo takes the samples of the tree that stands first in TREE_PRIO among those
//! that are enabled and had a sample in the last HOLD_N periods; all others are for software alone.
//!
//! - Latency: `used` to `sample` none: `sample`, `difference` and `changed_tree` are gates behind the registers of the slaves. TREE_PRIO, SLAVE_EN and a
//!   sample of the clock before count.
//! - Throughput: one sample per clock. Samples of two trees never come in one clock: a link brings one Low per clock.
//! - Periods are those of one counter of NCLK clocks for all trees. A tree has a sample in the last HOLD_N periods until that counter's period
//!   has ended HOLD_N + 1 times behind it. A change of NCLK counts from the next period on.
//! - With one tree every sample goes on, whatever the registers say.
//! - `clear`: nothing is followed, no tree had a sample.

use crate::config::{check_range, ConfigError};
use crate::prim::stream::FlowOut;
use crate::registry::StreamRole::FlowSource;
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS};
use std::array;

/// Bits of a tree's number.
pub const TREE_BITS: usize = 2;
/// Bits of the list of trees in TREE_PRIO.
pub const PRIORITY_BITS: usize = MAX_TREES * TREE_BITS;

/// The choice between `TREES` trees, 1 to 4; see the [module](self).
#[derive(LogicBlock)]
pub struct TreeSelector<const TREES: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// TREE_PRIO: four trees, highest priority first.
    pub priority: Signal<In, Bits<PRIORITY_BITS>>,
    /// SLAVE_EN by tree.
    pub enabled: Signal<In, Bits<MAX_TREES>>,
    /// HOLD_N, periods.
    pub hold_n: Signal<In, Bits<8>>,
    /// NCLK, core clocks.
    pub nclk: Signal<In, Bits<32>>,
    /// By tree: a sample may feed the servo.
    pub used: [Signal<In, Bit>; TREES],
    /// By tree, with `used`: phase error, signed, 1/256 ns.
    pub error: [Signal<In, Bits<ERROR_BITS>>; TREES],
    /// By tree, with `used`: V + ClockOffset - SyncTime, whole, signed, 1/256 ns.
    pub whole: [Signal<In, Bits<DIFFERENCE_BITS>>; TREES],
    /// The sample for the servo: its phase error.
    pub sample: FlowOut<Bits<ERROR_BITS>>,
    /// With `sample`: the whole difference.
    pub difference: Signal<Out, Bits<DIFFERENCE_BITS>>,
    /// With `sample`: it is of another tree than the last one. Event: tree change.
    pub changed_tree: Signal<Out, Bit>,
    /// The tree of the last sample, 0 before the first one.
    pub followed: Signal<Out, Bits<TREE_BITS>>,
    /// By tree: it is enabled and in the list; those enabled that stand before it.
    listed: [DFF<Bit>; TREES],
    above: [DFF<Bits<MAX_TREES>>; TREES],
    enabled_held: DFF<Bits<MAX_TREES>>,
    /// Had a sample in the last HOLD_N periods; and how many ended behind it.
    alive: DFF<Bits<MAX_TREES>>,
    age: [DFF<Bits<8>>; TREES],
    count: DFF<Bits<32>>,
    known: DFF<Bit>,
    tree: DFF<Bits<TREE_BITS>>,

    seen: Signal<Local, Bit>,
    before: Signal<Local, Bits<MAX_TREES>>,
    entry: Signal<Local, Bits<TREE_BITS>>,
    period_ends: Signal<Local, Bit>,
    living: Signal<Local, Bits<MAX_TREES>>,
    passes: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    candidate: Signal<Local, Bits<TREE_BITS>>,
    error_sum: Signal<Local, Bits<ERROR_BITS>>,
    whole_sum: Signal<Local, Bits<DIFFERENCE_BITS>>,
    numbers: [Constant<Bits<TREE_BITS>>; TREES],
    /// One tree alone.
    single: Constant<Bit>,
    one: Constant<Bits<MAX_TREES>>,
}

impl<const TREES: usize> TreeSelector<TREES> {
    /// For 1 to 4 trees.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("tree_selector", "trees", TREES as u64, 1, MAX_TREES as u64)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            priority: Default::default(),
            enabled: Default::default(),
            hold_n: Default::default(),
            nclk: Default::default(),
            used: defaults(),
            error: defaults(),
            whole: defaults(),
            sample: Default::default(),
            difference: Default::default(),
            changed_tree: Default::default(),
            followed: Default::default(),
            listed: defaults(),
            above: defaults(),
            enabled_held: Default::default(),
            alive: Default::default(),
            age: defaults(),
            count: Default::default(),
            known: Default::default(),
            tree: Default::default(),
            seen: Default::default(),
            before: Default::default(),
            entry: Default::default(),
            period_ends: Default::default(),
            living: Default::default(),
            passes: Default::default(),
            valid: Default::default(),
            candidate: Default::default(),
            error_sum: Default::default(),
            whole_sum: Default::default(),
            numbers: array::from_fn(|tree| Constant::new((tree as u64).into())),
            single: Constant::new(TREES == 1),
            one: Constant::new(1.into()),
        })
    }
}

impl<const TREES: usize> Logic for TreeSelector<TREES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, enabled_held, alive, count, known, tree);

        // What stands before a tree in the list.
        self.enabled_held.d.next = self.enabled.val();
        for i in 0..TREES {
            self.listed[i].clock.next = self.clock.val();
            self.above[i].clock.next = self.clock.val();
            self.seen.next = false;
            self.before.next = 0.into();
            for k in 0..4 {
                self.entry.next = self.priority.val().get_bits::<TREE_BITS>(k * 2);
                if self.entry.val() == self.numbers[i].val() {
                    self.seen.next = true;
                }
                if !self.seen.val() {
                    self.before.next = self.before.val() | (self.one.val() << self.entry.val());
                }
            }
            self.listed[i].d.next = self.seen.val() & self.enabled.val().get_bit(i);
            self.above[i].d.next = self.before.val() & self.enabled.val();
        }

        // The sample.
        self.valid.next = false;
        self.candidate.next = 0.into();
        self.error_sum.next = 0.into();
        self.whole_sum.next = 0.into();
        for i in 0..TREES {
            self.passes.next = self.used[i].val()
                & (self.single.val()
                    | (self.listed[i].q.val() & !(self.above[i].q.val() & self.alive.q.val()).any()));
            self.valid.next = self.valid.val() | self.passes.val();
            if self.passes.val() {
                self.candidate.next = self.numbers[i].val();
            }
            if self.used[i].val() | self.single.val() {
                self.error_sum.next = self.error_sum.val() | self.error[i].val();
                self.whole_sum.next = self.whole_sum.val() | self.whole[i].val();
            }
        }
        self.sample.valid.next = self.valid.val();
        self.sample.data.next = self.error_sum.val();
        self.difference.next = self.whole_sum.val();
        self.changed_tree.next =
            self.valid.val() & self.known.q.val() & (self.candidate.val() != self.tree.q.val());
        self.followed.next = self.tree.q.val();
        if self.valid.val() {
            self.known.d.next = true;
            self.tree.d.next = self.candidate.val();
        }

        // Who had a sample.
        self.period_ends.next = !self.count.q.val().get_bits::<31>(1).any();
        self.count.d.next = self.count.q.val() - 1;
        if self.period_ends.val() {
            self.count.d.next = self.nclk.val();
        }
        self.living.next = self.alive.q.val();
        for i in 0..TREES {
            self.age[i].clock.next = self.clock.val();
            self.age[i].d.next = self.age[i].q.val();
            if self.period_ends.val() {
                self.age[i].d.next = self.age[i].q.val() + 1;
                if self.age[i].q.val() >= self.hold_n.val() {
                    self.living.next = self.living.val().replace_bit(i, false);
                    self.age[i].d.next = self.age[i].q.val();
                }
            }
            if self.used[i].val() & self.enabled_held.q.val().get_bit(i) {
                self.living.next = self.living.val().replace_bit(i, true);
                self.age[i].d.next = 0.into();
            }
        }

        self.alive.d.next = self.living.val();
        if self.clear.val() {
            self.known.d.next = false;
            self.tree.d.next = 0.into();
            self.alive.d.next = 0.into();
            self.count.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("tree_selector", &[("trees", TREES.to_string())])
    }
}

drive_ports!(impl[const TREES: usize] TreeSelector<TREES> {
    clock, clear, priority, enabled, hold_n, nclk, used, error, whole, sample, difference, changed_tree, followed,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "tree_selector",
    chapter: "20-time",
    summary: "which tree's samples feed the servo",
    parameters: &[ParameterInfo {
        name: "trees",
        default: MAX_TREES as u64,
        allowed: Allowed::Range(1, MAX_TREES as u64),
        doc: "trees that can be followed",
    }],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "two", values: &[("trees", 2)] },
        Preset { name: "one", values: &[("trees", 1)] },
    ],
    build: |settings| {
        let interface = InterfaceInfo::clocked(&[("sample", FlowSource)], Some(0), "used to sample");
        Ok(match settings.get("trees")? {
            1 => BuiltBlock::new(TreeSelector::<1>::new()?, interface),
            2 => BuiltBlock::new(TreeSelector::<2>::new()?, interface),
            3 => BuiltBlock::new(TreeSelector::<3>::new()?, interface),
            _ => BuiltBlock::new(TreeSelector::<4>::new()?, interface),
        })
    },
};

const _: () = assert!(MAX_TREES == 4);
