//! The beats that plane X will take.

use super::HORIZON;
use crate::config::ConfigError;
use crate::link::position::{PositionStep, PLACE_BITS, POSITION_BITS};
use crate::prim::Delay;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::lane_word::LINE_POSITION_FRACTION_BITS;

/// Bits of a beat's number.
const NUMBER_BITS: usize = 5;
/// Bits of a number of beats that may be behind.
const AHEAD_BITS: usize = 6;
/// Beats that were not foreseen in a row; the next one changes the guess.
const MISSES: u64 = 15;

/// Position of the beat that plane X takes [`HORIZON`] clocks later if it takes one.
///
/// How many beats X takes until then depends on core clock, lanes and rate of the line; it is one of two or three numbers, and the
/// one guessed stays until it was wrong sixteen times in a row, more than the clocks it takes to be tried, and moves then by as much as it was wrong. Beats are known by number:
/// `exact` compares that of the beat at X with the one whose position was given. While `stopped`, and without a beat for
/// 256 clocks at position 0, the lanes are idle, and the beats to come begin anew; so they do when `wide` or `last_lane` change then.
#[derive(LogicBlock)]
pub struct LagAhead {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Position of the beat that X takes in this clock.
    pub position: Signal<In, Bits<POSITION_BITS>>,
    /// LTPs sent have 34 words. Changes only while the lanes are idle.
    pub wide: Signal<In, Bit>,
    /// L - 1. Changes only while the lanes are idle.
    pub last_lane: Signal<In, Bits<2>>,
    /// No beat goes to the lanes: the next one is the first behind a start row.
    pub stopped: Signal<In, Bit>,
    /// Position of the beat foreseen.
    pub ahead: Signal<Out, Bits<POSITION_BITS>>,
    /// The beat at X is the one foreseen.
    pub exact: Signal<Out, Bit>,

    step: PositionStep,
    place: Signal<Local, Bits<PLACE_BITS>>,
    place_before: DFF<Bit>,
    moved: Signal<Local, Bit>,
    still: DFF<Bits<8>>,
    idle: Signal<Local, Bit>,
    number_before: DFF<Bits<NUMBER_BITS>>,
    number: Signal<Local, Bits<NUMBER_BITS>>,
    place_ahead: DFF<Bits<PLACE_BITS>>,
    number_ahead: DFF<Bits<NUMBER_BITS>>,
    guess: DFF<Bits<NUMBER_BITS>>,
    /// `number_ahead` less `number_before`, signed.
    distance: DFF<Bits<AHEAD_BITS>>,
    next_distance: Signal<Local, Bits<AHEAD_BITS>>,
    /// What it has more than guessed, signed, before the beat at X counts.
    excess: Signal<Local, Bits<AHEAD_BITS>>,
    advance: Signal<Local, Bit>,
    number_next: Signal<Local, Bits<NUMBER_BITS>>,
    /// The number foreseen for the clock to come, for this one, for the one before.
    foreseen_next: Delay<Bits<NUMBER_BITS>>,
    foreseen: DFF<Bits<NUMBER_BITS>>,
    foreseen_before: DFF<Bits<NUMBER_BITS>>,
    /// It is known, and that of the beat which X took last, of the one behind it.
    is_last: DFF<Bit>,
    is_next: DFF<Bit>,
    idle_before: DFF<Bit>,
    wide_before: DFF<Bit>,
    last_lane_before: DFF<Bits<2>>,
    anew: Signal<Local, Bit>,
    settled: Signal<Local, Bit>,
    known_next: Delay<Bit>,
    hit: Signal<Local, Bit>,
    hit_before: DFF<Bit>,
    misses: DFF<Bits<4>>,
    last_place: Constant<Bits<PLACE_BITS>>,
    parts: Constant<Bits<16>>,
    one: Constant<Bits<NUMBER_BITS>>,
    one_place: Constant<Bits<PLACE_BITS>>,
    one_still: Constant<Bits<8>>,
    one_miss: Constant<Bits<4>>,
    one_ahead: Constant<Bits<AHEAD_BITS>>,
    most_misses: Constant<Bits<4>>,
    first_guess: Constant<Bits<NUMBER_BITS>>,
}

impl LagAhead {
    /// For `flits` flits per beat: 1, 2 or 4.
    pub fn new(flits: usize) -> Result<Self, ConfigError> {
        let parts = (LINE_POSITION_FRACTION_BITS * flits).ilog2();
        Ok(Self {
            clock: Default::default(),
            position: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            stopped: Default::default(),
            ahead: Default::default(),
            exact: Default::default(),
            step: PositionStep::new(flits),
            place: Default::default(),
            place_before: Default::default(),
            moved: Default::default(),
            still: Default::default(),
            idle: Default::default(),
            number_before: Default::default(),
            number: Default::default(),
            place_ahead: Default::default(),
            number_ahead: Default::default(),
            guess: Default::default(),
            distance: Default::default(),
            next_distance: Default::default(),
            excess: Default::default(),
            advance: Default::default(),
            number_next: Default::default(),
            foreseen_next: Delay::new(HORIZON - 1)?,
            foreseen: Default::default(),
            is_last: Default::default(),
            is_next: Default::default(),
            foreseen_before: Default::default(),
            idle_before: Default::default(),
            wide_before: Default::default(),
            last_lane_before: Default::default(),
            anew: Default::default(),
            settled: Default::default(),
            known_next: Delay::new(HORIZON - 1)?,
            hit: Default::default(),
            hit_before: Default::default(),
            misses: Default::default(),
            last_place: Constant::new((beats_per_ltp(flits) as u64 - 1).into()),
            parts: Constant::new(u64::from(parts).into()),
            one: Constant::new(1.into()),
            one_place: Constant::new(1.into()),
            one_still: Constant::new(1.into()),
            one_miss: Constant::new(1.into()),
            one_ahead: Constant::new(1.into()),
            most_misses: Constant::new(MISSES.into()),
            first_guess: Constant::new((HORIZON as u64 + 1).into()),
        })
    }
}

impl Logic for LagAhead {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            place_before,
            still,
            number_before,
            place_ahead,
            number_ahead,
            distance,
            guess,
            hit_before,
            misses,
            foreseen,
            foreseen_before,
            is_last,
            is_next,
            idle_before,
            wide_before,
            last_lane_before
        );
        clock!(self, clock, step, foreseen_next, known_next);

        // The beat at X.
        self.place.next =
            (self.position.val().get_bits::<8>(0) >> self.parts.val()).get_bits::<PLACE_BITS>(0);
        self.place_before.d.next = self.place.val().get_bit(0);
        // The next beat's place is the next one, the first behind the last, so the lowest bit tells; a jump is behind `stopped`.
        self.moved.next = self.place.val().get_bit(0) ^ self.place_before.q.val();
        self.number.next = self.number_before.q.val();
        self.still.d.next = self.still.q.val() + self.one_still.val();
        if self.still.q.val().all() {
            self.still.d.next = self.still.q.val();
        }
        if self.moved.val() {
            self.number.next = self.number_before.q.val() + self.one.val();
            self.still.d.next = 0.into();
        }
        self.number_before.d.next = self.number.val();
        self.idle.next = self.still.q.val().all() & !self.position.val().any();

        // The one to come.
        // A beat more than those guessed is foreseen once fewer are ahead, the one at X left out.
        self.excess.next = self.distance.q.val() - bit_cast::<AHEAD_BITS, NUMBER_BITS>(self.guess.q.val());
        self.advance.next = self.excess.val().get_bit(5) | (self.moved.val() & !self.excess.val().any());
        self.next_distance.next = self.distance.q.val();
        if self.advance.val() & !self.moved.val() {
            self.next_distance.next = self.distance.q.val() + self.one_ahead.val();
        }
        if !self.advance.val() & self.moved.val() {
            self.next_distance.next = self.distance.q.val() - self.one_ahead.val();
        }
        self.distance.d.next = self.next_distance.val();
        if self.advance.val() {
            self.number_ahead.d.next = self.number_ahead.q.val() + self.one.val();
            self.place_ahead.d.next = self.place_ahead.q.val() + self.one_place.val();
            if self.place_ahead.q.val() == self.last_place.val() {
                self.place_ahead.d.next = 0.into();
            }
        }
        self.idle_before.d.next = self.idle.val();
        self.wide_before.d.next = self.wide.val();
        self.last_lane_before.d.next = self.last_lane.val();
        self.anew.next = self.stopped.val()
            | (self.idle.val()
                & (!self.idle_before.q.val()
                    | (self.wide.val() ^ self.wide_before.q.val())
                    | (self.last_lane.val() != self.last_lane_before.q.val())));
        if self.anew.val() {
            self.number_ahead.d.next = self.number.val();
            self.place_ahead.d.next = 0.into();
            self.distance.d.next = 0.into();
            self.guess.d.next = self.first_guess.val();
        }
        self.step.clear.next = self.anew.val();
        self.step.place.next = self.place_ahead.q.val();
        self.step.wide.next = self.wide.val();
        self.step.last_lane.next = self.last_lane.val();
        self.ahead.next = self.step.position.val();

        // Was it? What was not, because the guess has just changed, is no reason for another guess.
        self.settled.next = !self.excess.val().get_bits::<5>(1).any();
        self.foreseen_next.d.next = self.number_ahead.q.val();
        self.foreseen.d.next = self.foreseen_next.q.val();
        self.foreseen_before.d.next = self.foreseen.q.val();
        self.number_next.next = self.number.val() + self.one.val();
        self.known_next.d.next = !self.anew.val();
        self.is_last.d.next = (self.foreseen_next.q.val() == self.number.val()) & self.known_next.q.val();
        self.is_next.d.next =
            (self.foreseen_next.q.val() == self.number_next.val()) & self.known_next.q.val();
        self.hit.next = self.is_last.q.val();
        if self.moved.val() {
            self.hit.next = self.is_next.q.val();
        }
        self.exact.next = self.hit.val();
        self.hit_before.d.next = self.hit.val();
        if self.moved.val() & self.settled.val() {
            self.misses.d.next = 0.into();
            if !self.hit_before.q.val() {
                self.misses.d.next = self.misses.q.val() + self.one_miss.val();
                if self.misses.q.val() == self.most_misses.val() {
                    self.guess.d.next =
                        self.guess.q.val() + (self.number_before.q.val() - self.foreseen_before.q.val());
                }
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_ahead", &[("beats", (self.last_place.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] LagAhead { clock, position, wide, last_lane, stopped, ahead, exact });

const _: () = assert!(HORIZON < 1 << (NUMBER_BITS - 1) && LINE_POSITION_FRACTION_BITS == 8);
