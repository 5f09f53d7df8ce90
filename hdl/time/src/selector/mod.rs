//! `tree_selector`: which tree's samples feed the servo (chapter 20, 4.7 rule 6).
//!
//! A slave of several trees has a `time_slave` for each. The servo takes the samples of the tree that stands first in TREE_PRIO among those
//! that are enabled and had a sample in the last HOLD_N periods; all others are for software alone.
//!
//! - Latency: `used` to `sample` none: `sample`, `difference` and `changed_tree` are gates after the registers of the slaves. TREE_PRIO, SLAVE_EN and a
//!   sample of the clock before count.
//! - Throughput: one sample per clock. Samples of two trees never come in one clock: a link brings one Low per clock.
//! - Periods are those of one counter of NCLK clocks for all trees. A tree has a sample in the last HOLD_N periods until that counter's period
//!   has ended HOLD_N + 1 times after it. A change of NCLK counts from the next period on.
//! - With one tree every sample goes on, whatever the registers say.
//! - `clear`: nothing is followed, no tree had a sample.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS};

/// Bits of a tree's number.
pub const TREE_BITS: usize = 2;
/// Bits of the list of trees in TREE_PRIO.
pub const PRIORITY_BITS: usize = MAX_TREES * TREE_BITS;

/// The choice between `TREES` trees, 1 to 4; see the [module](self).
#[block("tree_selector", new, trees = TREES)]
pub struct TreeSelector<const TREES: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// TREE_PRIO: four trees, highest priority first.
    priority: In<Bits<PRIORITY_BITS>>,
    /// SLAVE_EN by tree.
    enabled: In<Bits<MAX_TREES>>,
    /// HOLD_N, periods.
    hold_n: In<Bits<8>>,
    /// NCLK, core clocks.
    nclk: In<Bits<32>>,
    /// By tree: a sample may feed the servo.
    used: [In<Bit>; TREES],
    /// By tree, with `used`: phase error, signed, 1/256 ns.
    error: [In<Bits<ERROR_BITS>>; TREES],
    /// By tree, with `used`: V + ClockOffset - SyncTime, whole, signed, 1/256 ns.
    whole: [In<Bits<DIFFERENCE_BITS>>; TREES],
    /// The sample for the servo: its phase error.
    pub sample: FlowOut<Bits<ERROR_BITS>>,
    /// With `sample`: the whole difference.
    difference: Out<Bits<DIFFERENCE_BITS>>,
    /// With `sample`: it is of another tree than the last one. Event: tree change.
    changed_tree: Out<Bit>,
    /// The tree of the last sample, 0 before the first one.
    followed: Out<Bits<TREE_BITS>>,
    /// By tree: it is enabled and in the list; those enabled that stand before it.
    #[wire(d = _)]
    listed: [Reg<Bit>; TREES],
    #[wire(d = _)]
    above: [Reg<Bits<MAX_TREES>>; TREES],
    enabled_held: Reg<Bits<MAX_TREES>>,
    /// Had a sample in the last HOLD_N periods; and how many ended after it.
    alive: Reg<Bits<MAX_TREES>>,
    #[wire(d = _)]
    age: [Reg<Bits<8>>; TREES],
    count: Reg<Bits<32>>,
    known: Reg<Bit>,
    tree: Reg<Bits<TREE_BITS>>,

    seen: Local<Bit>,
    before: Local<Bits<MAX_TREES>>,
    entry: Local<Bits<TREE_BITS>>,
    period_ends: Local<Bit>,
    living: Local<Bits<MAX_TREES>>,
    passes: Local<Bit>,
    #[init(|tree| tree)]
    numbers: [Constant<Bits<TREE_BITS>>; TREES],
    /// One tree alone.
    single: Constant<Bit>,
    #[init(1)]
    one: Constant<Bits<MAX_TREES>>,
}

#[logic]
impl<const TREES: usize> TreeSelector<TREES> {
    /// For 1 to 4 trees.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("tree_selector", "trees", TREES as u64, 1, MAX_TREES as u64)?;
        Ok(Self { single: Constant::new(TREES == 1), .. })
    }

    fn update(&mut self) {
        // What stands before a tree in the list.
        enabled_held = enabled;
        for i in 0..TREES {
            seen = false;
            before = 0;
            for k in 0..4 {
                entry = priority.bits::<TREE_BITS>(k * 2);
                if entry == numbers[i] {
                    seen = true;
                }
                if !seen {
                    before = before | (one << entry);
                }
            }
            listed[i] = seen & enabled[i];
            above[i] = before & enabled;
        }

        // The sample.
        let mut valid = false;
        let mut candidate: Bits<TREE_BITS> = 0;
        let mut error_sum: Bits<ERROR_BITS> = 0;
        let mut whole_sum: Bits<DIFFERENCE_BITS> = 0;
        for i in 0..TREES {
            passes = used[i] & (single | (listed[i] & !(above[i] & alive).any()));
            valid = valid | passes;
            if passes {
                candidate = numbers[i];
            }
            if used[i] | single {
                error_sum = error_sum | error[i];
                whole_sum = whole_sum | whole[i];
            }
        }
        sample = In { valid, data: error_sum };
        difference = whole_sum;
        changed_tree = valid & known & (candidate != tree);
        followed = tree;
        if valid {
            known = true;
            tree = candidate;
        }

        // Who had a sample.
        period_ends = !count.bits::<31>(1).any();
        count = count - 1;
        if period_ends {
            count = nclk;
        }
        living = alive;
        for i in 0..TREES {
            age[i] = age[i];
            if period_ends {
                age[i] = age[i] + 1;
                if age[i] >= hold_n {
                    living = living.with(i, false);
                    age[i] = age[i];
                }
            }
            if used[i] & enabled_held[i] {
                living = living.with(i, true);
                age[i] = 0;
            }
        }

        alive = living;
        if clear {
            known = false;
            tree = 0;
            alive = 0;
            count = 0;
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "tree_selector",
    chapter: "20-time",
    summary: "which tree's samples feed the servo",
    parameters: &[ParameterInfo::new(
        "trees",
        MAX_TREES as u64,
        Allowed::Range(1, MAX_TREES as u64),
        "trees that can be followed",
    )],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "two", values: &[("trees", 2)] },
        Preset { name: "one", values: &[("trees", 1)] },
    ],
    build: |settings| {
        shapes! {
            settings: (trees) => build_as [trees];
            presets { (4) (2) (1) }
            others { (3) in "hdl/tests/time/selector.rs" }
        }
    },
};

/// Builds the block for so many trees.
pub fn build_as<const TREES: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(&[("sample", FlowSource)], Some(0), "used to sample");
    Ok(BuiltBlock::new(TreeSelector::<TREES>::new()?, interface))
}

const _: () = assert!(MAX_TREES == 4);
