//! How far lanes are apart.

use crate::config::ConfigError;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::training::SKEW_WORDS;

/// Bits of a lane's position: its count of training sets in words.
pub(super) const POSITION_BITS: usize = 11;
/// Pairs of four lanes: 01, 02, 03, 12, 13, 23.
pub(super) const PAIRS: usize = 6;

/// The lane that stands apart most, of those in use: the one too far from most others, of several the highest.
/// Latency 1 clock.
#[derive(LogicBlock, Default)]
pub struct TrainOutlier {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Pairs of lanes that are too far apart; order of [`TrainSkew::far`].
    pub far: Signal<In, Bits<PAIRS>>,
    /// Lanes in use, by the receiver's numbers.
    pub in_use: Signal<In, Bits<4>>,
    /// One bit: the lane, by the receiver's numbers; 0 if all lanes in use line up.
    pub lane: Signal<Out, Bits<4>>,
    found: DFF<Bits<4>>,
    far_from: [Signal<Local, Bits<4>>; 4],
    far_used: Signal<Local, Bits<4>>,
    ones: Signal<Local, Bits<2>>,
    far_lanes: [Signal<Local, Bits<2>>; 4],
    most: Signal<Local, Bits<2>>,
    chosen: Signal<Local, Bits<4>>,
}

impl Logic for TrainOutlier {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, found);
        // Which lanes each lane is too far from.
        for i in 0..4 {
            self.far_from[i].next = 0.into();
        }
        for i in 0..3 {
            self.far_from[0].next = self.far_from[0].val().replace_bit(i + 1, self.far.val().get_bit(i));
            self.far_from[i + 1].next = self.far_from[i + 1].val().replace_bit(0, self.far.val().get_bit(i));
        }
        for i in 0..2 {
            self.far_from[1].next = self.far_from[1].val().replace_bit(i + 2, self.far.val().get_bit(i + 3));
            self.far_from[i + 2].next =
                self.far_from[i + 2].val().replace_bit(1, self.far.val().get_bit(i + 3));
        }
        self.far_from[2].next = self.far_from[2].val().replace_bit(3, self.far.val().get_bit(5));
        self.far_from[3].next = self.far_from[3].val().replace_bit(2, self.far.val().get_bit(5));
        for i in 0..4 {
            self.far_used.next = self.far_from[i].val() & self.in_use.val();
            self.ones.next = 0.into();
            for j in 0..4 {
                self.ones.next = self.ones.val() + self.far_used.val().get_bit(j);
            }
            self.far_lanes[i].next = 0.into();
            if self.in_use.val().get_bit(i) {
                self.far_lanes[i].next = self.ones.val();
            }
        }
        // The most, and of several the highest.
        self.most.next = 0.into();
        self.chosen.next = 0.into();
        for i in 0..4 {
            if (self.far_lanes[i].val() >= self.most.val()) & self.far_lanes[i].val().any() {
                self.most.next = self.far_lanes[i].val();
                self.chosen.next = 0.into();
                self.chosen.next = self.chosen.val().replace_bit(i, true);
            }
        }
        self.found.d.next = self.chosen.val();
        self.lane.next = self.found.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("train_outlier", &[])
    }
}

drive_ports!(impl[] TrainOutlier { clock, far, in_use, lane });

/// From 7 words early to 7 words late: most words between two lanes.
const MAX_SPREAD: u64 = 2 * SKEW_WORDS as u64;

/// Says of each pair of lanes whether their positions at one moment are more than 14 words apart (4.6 rule 2: lines
/// up on equal counts, +-7 words), modulo the 2048 words after which counts repeat. Latency 2 clocks.
#[derive(LogicBlock)]
pub struct TrainSkew {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Position of each lane in words.
    pub position: [Signal<In, Bits<POSITION_BITS>>; 4],
    /// Bit p: pair p is too far apart; pairs 01, 02, 03, 12, 13, 23.
    pub far: Signal<Out, Bits<PAIRS>>,
    /// Position of the first lane minus that of the second, plus the largest spread allowed.
    shifted: [DFF<Bits<POSITION_BITS>>; PAIRS],
    is_far: DFF<Bits<PAIRS>>,
    spread: Constant<Bits<POSITION_BITS>>,
    limit: Constant<Bits<POSITION_BITS>>,
    difference: [Signal<Local, Bits<POSITION_BITS>>; PAIRS],
    found: Signal<Local, Bits<PAIRS>>,
}

impl TrainSkew {
    /// For up to four lanes.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            position: Default::default(),
            far: Default::default(),
            shifted: Default::default(),
            is_far: Default::default(),
            spread: Constant::new(MAX_SPREAD.into()),
            limit: Constant::new((2 * MAX_SPREAD).into()),
            difference: Default::default(),
            found: Default::default(),
        })
    }
}

impl Logic for TrainSkew {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_far);
        for i in 0..3 {
            self.difference[i].next = self.position[0].val() - self.position[i + 1].val();
        }
        for i in 0..2 {
            self.difference[i + 3].next = self.position[1].val() - self.position[i + 2].val();
        }
        self.difference[5].next = self.position[2].val() - self.position[3].val();
        self.found.next = 0.into();
        for i in 0..PAIRS {
            self.shifted[i].clock.next = self.clock.val();
            self.shifted[i].d.next = self.difference[i].val() + self.spread.val();
            self.found.next = self.found.val().replace_bit(i, self.shifted[i].q.val() > self.limit.val());
        }
        self.is_far.d.next = self.found.val();
        self.far.next = self.is_far.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("train_skew", &[])
    }
}

drive_ports!(impl[] TrainSkew { clock, position, far });
