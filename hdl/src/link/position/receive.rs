//! The place of the beats that come.

use super::{PositionStep, PLACE_BITS, POSITION_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::beats_per_ltp;

/// Where the beats of the LTP behind each verdict begin; see the [module](super). A beat per clock, the first in the clock behind the
/// verdict. Verdicts are at least an LTP's beats apart.
#[derive(LogicBlock)]
pub struct PositionRx {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The next LTP is the first one behind a start row. At least one clock, before its verdict.
    pub clear: Signal<In, Bit>,
    /// An LTP has ended and is good or bad.
    pub verdict: Signal<In, Bit>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    pub wide: Signal<In, Bit>,
    /// L - 1. Changes only while cleared.
    pub last_lane: Signal<In, Bits<2>>,
    /// Position of the first bit of the beat in this clock.
    pub position: Signal<Out, Bits<POSITION_BITS>>,

    step: PositionStep,
    place: DFF<Bits<PLACE_BITS>>,
    going: DFF<Bit>,
    last_place: Constant<Bits<PLACE_BITS>>,
}

impl PositionRx {
    /// For `flits` flits per beat: 1, 2 or 4.
    pub fn new(flits: usize) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            verdict: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            position: Default::default(),
            step: PositionStep::new(flits),
            place: Default::default(),
            going: Default::default(),
            last_place: Constant::new((beats_per_ltp(flits) as u64 - 1).into()),
        }
    }
}

impl Logic for PositionRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, going);
        clock!(self, clock, step);
        if self.going.q.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val() == self.last_place.val() {
                self.place.d.next = 0.into();
                self.going.d.next = false;
            }
        }
        if self.verdict.val() {
            self.going.d.next = true;
        }
        if self.clear.val() {
            self.place.d.next = 0.into();
            self.going.d.next = false;
        }
        self.step.clear.next = self.clear.val();
        self.step.place.next = self.place.q.val();
        self.step.wide.next = self.wide.val();
        self.step.last_lane.next = self.last_lane.val();
        self.position.next = self.step.position.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("position_rx", &[("f", self.step.flits().to_string())])
    }
}

drive_ports!(impl[] PositionRx { clock, clear, verdict, wide, last_lane, position });
