//! `tree_selector` clock by clock.

use crate::time::TreeSelector;
use flitforge_protocol::time::MAX_TREES;

/// Inputs of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SelectorInputs {
    /// `clear`.
    pub clear: bool,
    /// Trees in order of priority.
    pub order: [u8; MAX_TREES],
    /// SLAVE_EN by tree.
    pub enabled: [bool; MAX_TREES],
    /// HOLD_N, periods.
    pub hold_n: u8,
    /// NCLK, core clocks.
    pub nclk: u32,
    /// The tree that a sample comes of, and the whole difference.
    pub used: Option<(u8, i128)>,
}

/// Outputs in the clock of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SelectorOutputs {
    /// The servo gets this difference.
    pub sample: Option<i128>,
    /// It is of another tree than the last one.
    pub changed: bool,
    /// The tree of the last sample before.
    pub followed: u8,
}

/// The block for some trees. HOLD_N is that of the first clock.
#[derive(Debug, Clone)]
pub struct ClockedSelector {
    trees: usize,
    /// Ages are counted in periods.
    selector: TreeSelector,
    left: u32,
    hold_n: Option<u8>,
}

const NOTHING: TreeSelector = TreeSelector::new([0; MAX_TREES], [false; MAX_TREES], 0);

impl ClockedSelector {
    /// For the trees 0 to `trees` - 1.
    #[must_use]
    pub const fn new(trees: usize) -> Self {
        Self { trees, selector: NOTHING, left: 0, hold_n: None }
    }

    /// An edge; gives what stands in front of it.
    pub fn clock(&mut self, inputs: &SelectorInputs) -> SelectorOutputs {
        let mut outputs =
            SelectorOutputs { followed: self.selector.followed().unwrap_or(0), ..SelectorOutputs::default() };
        let period_ends = self.left <= 1;
        self.left = if period_ends { inputs.nclk } else { self.left - 1 };
        if let Some((tree, difference)) = inputs.used {
            let verdict = if self.trees == 1 { Some(false) } else { self.selector.sample(tree) };
            outputs.sample = verdict.map(|_| difference);
            outputs.changed = verdict == Some(true);
        }
        if period_ends {
            self.selector.elapse_around(1, inputs.used.map(|(tree, _)| tree));
        }
        let hold_n = *self.hold_n.get_or_insert(inputs.hold_n);
        if inputs.clear {
            (self.selector, self.left) = (NOTHING, 0);
        }
        // What was written counts from the next clock on.
        self.selector.reconfigure(&TreeSelector::new(inputs.order, inputs.enabled, hold_n.into()));
        outputs
    }
}
