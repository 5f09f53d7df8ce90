//! One lane of header words: a unit of 16 bits, chosen from those that stand in this lane in some format.

use super::plan::{HeaderPlan, CHOICES, CHOICE_BITS, VALUE_BITS};
use crate::network::UNIT_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::XorMatrix;

/// Bits of all units that a lane is chosen from.
const CHOICE_WIRES: usize = CHOICES * UNIT_BITS;

/// A lane of header words, one clock after its choice. Which units it has is in the table of headers.
#[block(new)]
pub struct HeaderLane {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The pipeline moves.
    moves: In<Bit>,
    /// A header word is taken.
    takes: In<Bit>,
    /// Its unit in this lane: 0 for none, else one more than its place.
    choice: In<Bits<CHOICE_BITS>>,
    /// What headers are made of.
    values: In<Bits<VALUE_BITS>>,
    /// The unit; 0 if no header word was taken.
    unit: Out<Bits<UNIT_BITS>>,
    wires: XorMatrix<VALUE_BITS, CHOICE_WIRES>,
    #[wire(clear = false, enable = moves)]
    chosen: Register<Bits<CHOICES>>,
    _lane: usize,
}

#[logic]
impl HeaderLane {
    /// Lane `lane` of the words of a plan.
    pub fn new(plan: &HeaderPlan, lane: usize) -> Result<Self, ConfigError> {
        Ok(Self { wires: XorMatrix::new(plan.rows(lane))?, _lane: lane, .. })
    }

    fn update(&mut self) {
        let mut hot: Bits<CHOICES> = 0;
        for i in 0..CHOICES {
            hot = hot.with(i, takes & (choice == i + 1));
        }
        chosen = hot;
        wires.data = values;
        let units = wires.sum;
        let mut sum: Bits<UNIT_BITS> = 0;
        for i in 0..CHOICES {
            if chosen[i] {
                sum = sum | units.bits::<UNIT_BITS>(UNIT_BITS * i);
            }
        }
        unit = sum;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("sue_header_lane", &[("lane", self._lane.to_string())])
    }
}
