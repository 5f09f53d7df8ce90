//! The place of the beats that come.

use super::{PositionStep, PLACE_BITS, POSITION_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;

/// Where the beats of the LTP after each verdict begin; see the [module](super). A beat per clock, the first in the clock after the
/// verdict. Verdicts are at least an LTP's beats apart.
#[block(new)]
pub struct PositionRx {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The next LTP is the first one after a start row. At least one clock, before its verdict.
    clear: In<Bit>,
    /// An LTP has ended and is good or bad.
    verdict: In<Bit>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    wide: In<Bit>,
    /// L - 1. Changes only while cleared.
    last_lane: In<Bits<2>>,
    /// Position of the first bit of the beat in this clock.
    position: Out<Bits<POSITION_BITS>>,

    #[wire(clock, clear)]
    step: PositionStep,
    place: Reg<Bits<PLACE_BITS>>,
    going: Reg<Bit>,
    last_place: Constant<Bits<PLACE_BITS>>,
}

#[logic]
impl PositionRx {
    /// For `flits` flits per beat: 1, 2 or 4.
    pub fn new(flits: usize) -> Self {
        Self {
            step: PositionStep::new(flits),
            last_place: Constant::new((beats_per_ltp(flits) as u64 - 1).into()),
            ..
        }
    }

    fn update(&mut self) {
        if going {
            place = place + 1;
            if place == last_place {
                place = 0;
                going = false;
            }
        }
        if verdict {
            going = true;
        }
        if clear {
            place = 0;
            going = false;
        }
        step = In { place, wide, last_lane };
        position = step.position;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("position_rx", &[("f", self.step.flits().to_string())])
    }
}
