//! The beats that plane X will take.

use super::HORIZON;
use flitforge_hdl_link_types::position::{PositionStep, PLACE_BITS, POSITION_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Delay;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::lane_word::LINE_POSITION_FRACTION_BITS;

/// Bits of a beat's number.
const NUMBER_BITS: usize = 5;
/// Bits of a number of beats that may be behind.
const LOOK_AHEAD_BITS: usize = 6;
/// Beats that were not foreseen in a row; the next one changes the guess.
const MISSES: u64 = 15;

/// Position of the beat that plane X takes [`HORIZON`] clocks later if it takes one.
///
/// How many beats X takes until then depends on core clock, lanes and rate of the line; it is one of two or three numbers, and the
/// one guessed stays until it was wrong sixteen times in a row, more than the clocks it takes to be tried, and moves then by as much as it was wrong. Beats are known by number:
/// `exact` compares that of the beat at X with the one whose position was given. While `stopped`, and without a beat for
/// 256 clocks at position 0, the lanes are idle, and the beats to come begin anew; so they do when `wide` or `last_lane` change then.
#[block(new)]
pub struct LagLookAhead {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Position of the beat that X takes in this clock.
    position: In<Bits<POSITION_BITS>>,
    /// LTPs sent have 34 words. Changes only while the lanes are idle.
    wide: In<Bit>,
    /// L - 1. Changes only while the lanes are idle.
    last_lane: In<Bits<2>>,
    /// No beat goes to the lanes: the next one is the first after a start row.
    stopped: In<Bit>,
    /// Position of the beat foreseen.
    look_ahead: Out<Bits<POSITION_BITS>>,
    /// The beat at X is the one foreseen.
    exact: Out<Bit>,

    #[wire(clock)]
    step: PositionStep,
    place: Local<Bits<PLACE_BITS>>,
    place_before: Reg<Bit>,
    moved: Local<Bit>,
    still: Reg<Bits<8>>,
    idle: Local<Bit>,
    number_before: Reg<Bits<NUMBER_BITS>>,
    number: Local<Bits<NUMBER_BITS>>,
    place_look_ahead: Reg<Bits<PLACE_BITS>>,
    number_look_ahead: Reg<Bits<NUMBER_BITS>>,
    guess: Reg<Bits<NUMBER_BITS>>,
    /// `number_look_ahead` less `number_before`, signed.
    distance: Reg<Bits<LOOK_AHEAD_BITS>>,
    next_distance: Local<Bits<LOOK_AHEAD_BITS>>,
    /// What it has more than guessed, signed, before the beat at X counts.
    excess: Local<Bits<LOOK_AHEAD_BITS>>,
    advance: Local<Bit>,
    number_next: Local<Bits<NUMBER_BITS>>,
    /// The number foreseen for the clock to come, for this one, for the one before.
    #[wire(clock)]
    foreseen_next: Delay<Bits<NUMBER_BITS>>,
    foreseen: Reg<Bits<NUMBER_BITS>>,
    foreseen_before: Reg<Bits<NUMBER_BITS>>,
    /// It is known, and that of the beat which X took last, of the one after it.
    is_last: Reg<Bit>,
    is_next: Reg<Bit>,
    idle_before: Reg<Bit>,
    wide_before: Reg<Bit>,
    last_lane_before: Reg<Bits<2>>,
    #[wire(clock)]
    known_next: Delay<Bit>,
    hit_before: Reg<Bit>,
    misses: Reg<Bits<4>>,
    last_place: Constant<Bits<PLACE_BITS>>,
    parts: Constant<Bits<16>>,
    #[init(1)]
    one: Constant<Bits<NUMBER_BITS>>,
    #[init(1)]
    one_place: Constant<Bits<PLACE_BITS>>,
    #[init(1)]
    one_still: Constant<Bits<8>>,
    #[init(1)]
    one_miss: Constant<Bits<4>>,
    #[init(1)]
    one_look_ahead: Constant<Bits<LOOK_AHEAD_BITS>>,
    #[init(MISSES)]
    most_misses: Constant<Bits<4>>,
    #[init(HORIZON + 1)]
    first_guess: Constant<Bits<NUMBER_BITS>>,
}

#[logic]
impl LagLookAhead {
    /// For `flits` flits per beat: 1, 2 or 4.
    pub fn new(flits: usize) -> Result<Self, ConfigError> {
        let parts = (LINE_POSITION_FRACTION_BITS * flits).ilog2();
        Ok(Self {
            step: PositionStep::new(flits),
            foreseen_next: Delay::new(HORIZON - 1)?,
            known_next: Delay::new(HORIZON - 1)?,
            last_place: Constant::new((beats_per_ltp(flits) as u64 - 1).into()),
            parts: Constant::new(u64::from(parts).into()),
            ..
        })
    }

    fn update(&mut self) {
        // The beat at X.
        place = bit_cast::<PLACE_BITS, 8>(position.bits::<8>(0) >> parts);
        place_before = place[0];
        // The next beat's place is the next one, the first after the last, so the lowest bit tells; a jump is behind `stopped`.
        moved = place[0] ^ place_before;
        number = number_before;
        still = still + one_still;
        if still.all() {
            still = still;
        }
        if moved {
            number = number_before + one;
            still = 0;
        }
        number_before = number;
        idle = still.all() & !position.any();

        // The one to come.
        // A beat more than those guessed is foreseen once fewer are ahead, the one at X left out.
        excess = distance - bit_cast::<LOOK_AHEAD_BITS, NUMBER_BITS>(guess);
        advance = excess[5] | (moved & !excess.any());
        next_distance = distance;
        if advance & !moved {
            next_distance = distance + one_look_ahead;
        }
        if !advance & moved {
            next_distance = distance - one_look_ahead;
        }
        distance = next_distance;
        if advance {
            number_look_ahead = number_look_ahead + one;
            place_look_ahead = place_look_ahead + one_place;
            if place_look_ahead == last_place {
                place_look_ahead = 0;
            }
        }
        idle_before = idle;
        wide_before = wide;
        last_lane_before = last_lane;
        let anew = stopped | (idle & (!idle_before | (wide ^ wide_before) | (last_lane != last_lane_before)));
        if anew {
            number_look_ahead = number;
            place_look_ahead = 0;
            distance = 0;
            guess = first_guess;
        }
        step = In { clear: anew, place: place_look_ahead, wide, last_lane };
        look_ahead = step.position;

        // Was it? What was not, because the guess has just changed, is no reason for another guess.
        let settled = !excess.bits::<5>(1).any();
        foreseen_next.d = number_look_ahead;
        foreseen = foreseen_next.q;
        foreseen_before = foreseen;
        number_next = number + one;
        known_next.d = !anew;
        is_last = (foreseen_next.q == number) & known_next.q;
        is_next = (foreseen_next.q == number_next) & known_next.q;
        let mut hit = is_last;
        if moved {
            hit = is_next;
        }
        exact = hit;
        hit_before = hit;
        if moved & settled {
            misses = 0;
            if !hit_before {
                misses = misses + one_miss;
                if misses == most_misses {
                    guess = guess + (number_before - foreseen_before);
                }
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_look_ahead", &[("beats", (self.last_place.val().index() + 1).to_string())])
    }
}

const _: () = assert!(HORIZON < 1 << (NUMBER_BITS - 1) && LINE_POSITION_FRACTION_BITS == 8);
