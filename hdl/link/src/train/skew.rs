//! How far lanes are apart.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::training::SKEW_WORDS;

/// Bits of a lane's position: its count of training sets in words.
pub(super) const POSITION_BITS: usize = 11;
/// Pairs of four lanes: 01, 02, 03, 12, 13, 23.
pub(super) const PAIRS: usize = 6;

/// The lane that stands apart most, of those in use: the one too far from most others, of several the highest.
/// Latency 1 clock.
#[block("train_outlier")]
pub struct TrainOutlier {
    /// Clock.
    clock: In<Clock>,
    /// Pairs of lanes that are too far apart; order of [`TrainSkew::far`].
    far: In<Bits<PAIRS>>,
    /// Lanes in use, by the receiver's numbers.
    in_use: In<Bits<4>>,
    /// One bit: the lane, by the receiver's numbers; 0 if all lanes in use line up.
    lane: Out<Bits<4>>,
    found: Reg<Bits<4>>,
    far_from: [Local<Bits<4>>; 4],
    far_used: Local<Bits<4>>,
    ones: Local<Bits<2>>,
    far_lanes: [Local<Bits<2>>; 4],
}

#[logic]
impl TrainOutlier {
    fn update(&mut self) {
        // Which lanes each lane is too far from.
        for i in 0..4 {
            far_from[i] = 0;
        }
        for i in 0..3 {
            far_from[0] = far_from[0].with(i + 1, far[i]);
            far_from[i + 1] = far_from[i + 1].with(0, far[i]);
        }
        for i in 0..2 {
            far_from[1] = far_from[1].with(i + 2, far[i + 3]);
            far_from[i + 2] = far_from[i + 2].with(1, far[i + 3]);
        }
        far_from[2] = far_from[2].with(3, far[5]);
        far_from[3] = far_from[3].with(2, far[5]);
        for i in 0..4 {
            far_used = far_from[i] & in_use;
            ones = 0;
            for j in 0..4 {
                ones = ones + far_used[j];
            }
            far_lanes[i] = 0;
            if in_use[i] {
                far_lanes[i] = ones;
            }
        }
        // The most, and of several the highest.
        let mut most: Bits<2> = 0;
        let mut chosen: Bits<4> = 0;
        for i in 0..4 {
            if (far_lanes[i] >= most) & far_lanes[i].any() {
                most = far_lanes[i];
                chosen = 0;
                chosen = chosen.with(i, true);
            }
        }
        found = chosen;
        lane = found;
    }
}

/// From 7 words early to 7 words late: most words between two lanes.
const MAX_SPREAD: u64 = 2 * SKEW_WORDS as u64;

/// Says of each pair of lanes whether their positions at one moment are more than 14 words apart (4.6 rule 2: lines
/// up on equal counts, +-7 words), modulo the 2048 words after which counts repeat. Latency 2 clocks.
#[block("train_skew", new)]
pub struct TrainSkew {
    /// Clock.
    clock: In<Clock>,
    /// Position of each lane in words.
    position: [In<Bits<POSITION_BITS>>; 4],
    /// Bit p: pair p is too far apart; pairs 01, 02, 03, 12, 13, 23.
    far: Out<Bits<PAIRS>>,
    /// Position of the first lane minus that of the second, plus the largest spread allowed.
    #[wire(d = _)]
    shifted: [Reg<Bits<POSITION_BITS>>; PAIRS],
    is_far: Reg<Bits<PAIRS>>,
    #[init(MAX_SPREAD)]
    spread: Constant<Bits<POSITION_BITS>>,
    #[init(2 * MAX_SPREAD)]
    limit: Constant<Bits<POSITION_BITS>>,
    difference: [Local<Bits<POSITION_BITS>>; PAIRS],
}

#[logic]
impl TrainSkew {
    /// For up to four lanes.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { .. })
    }

    fn update(&mut self) {
        for i in 0..3 {
            difference[i] = position[0] - position[i + 1];
        }
        for i in 0..2 {
            difference[i + 3] = position[1] - position[i + 2];
        }
        difference[5] = position[2] - position[3];
        let mut found: Bits<PAIRS> = 0;
        for i in 0..PAIRS {
            shifted[i] = difference[i] + spread;
            found = found.with(i, shifted[i] > limit);
        }
        is_far = found;
        far = is_far;
    }
}
