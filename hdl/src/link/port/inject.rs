//! Error injection on the way to the lanes: register INJECT.

use crate::link::gearbox::ROW_BITS;
use crate::link::ltp_wide::CrcModes;
use crate::prim::stream::{StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::ltp::{ltp_words, CrcMode};

/// Bits of a word's place in its LTP.
const PLACE_BITS: usize = 6;

/// XORs words of LTPs as register INJECT says: when `go` rises, from the next LTP on, `words` words from word `first` on,
/// in `ltps` LTPs one after the other, where they go to the lanes in `lanes`.
///
/// Rows go through without a register; which of their words are hit stands in registers. `clear`, before the first
/// row: the next row starts an LTP, nothing is hit. A change of INJECT while errors are made counts at once.
#[derive(LogicBlock)]
pub struct PortInject<const WIDE: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Register INJECT.
    pub inject: Signal<In, Bits<57>>,
    /// Lanes sent on; changes only while cleared.
    pub tx_lanes: Signal<In, Bits<4>>,
    /// L - 1; changes only while cleared, at the latest 3 clocks before the end of it.
    pub last_lane: Signal<In, Bits<2>>,
    /// If all modes are built: LTPs have 34 words, else 33. Changes as `last_lane`.
    pub wide: [Signal<In, Bit>; WIDE],
    /// Rows.
    pub rows_in: StreamIn<Bits<ROW_BITS>>,
    /// Rows with errors.
    pub rows_out: StreamOut<Bits<ROW_BITS>>,

    had_go: DFF<Bit>,
    /// `go` has risen, the next LTP has not begun.
    pending: DFF<Bit>,
    /// `hits_next` knows of it.
    armed: DFF<Bit>,
    /// LTPs that still get errors, the present one among them.
    left: DFF<Bits<8>>,
    hits_this: DFF<Bit>,
    hits_next: DFF<Bit>,
    /// Words of a row whose lane gets errors.
    chosen: DFF<Bits<4>>,
    /// Word behind the last one that gets errors.
    behind: DFF<Bits<7>>,
    /// The registers below are those of the next row.
    primed: DFF<Bit>,
    /// Places of the words of the row after the next one.
    ahead: [DFF<Bits<PLACE_BITS>>; 4],
    /// Words of the next row that get errors if their LTP does; its word that ends an LTP.
    in_range: DFF<Bits<4>>,
    /// Words of a row; what the place moves by where it passes the end of the LTP, and the last place where it does not.
    step: DFF<Bits<PLACE_BITS>>,
    back: DFF<Bits<PLACE_BITS>>,
    most: DFF<Bits<PLACE_BITS>>,
    ends: DFF<Bits<4>>,

    moves: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    place: Signal<Local, Bits<PLACE_BITS>>,
    wraps: Signal<Local, Bit>,
    ranges: Signal<Local, Bits<4>>,
    lasts: Signal<Local, Bits<4>>,
    rank: Signal<Local, Bits<2>>,
    selected: Signal<Local, Bits<4>>,
    after: Signal<Local, Bit>,
    mask: Signal<Local, Bits<ROW_BITS>>,
    pattern: Signal<Local, Bits<32>>,
    numbers: [Constant<Bits<PLACE_BITS>>; 4],
    lanes: [Constant<Bits<2>>; 4],
    shifts: [Constant<Bits<8>>; 4],
    last: Constant<Bits<PLACE_BITS>>,
    words: Constant<Bits<PLACE_BITS>>,
    wide_last: [Constant<Bits<PLACE_BITS>>; WIDE],
    wide_words: [Constant<Bits<PLACE_BITS>>; WIDE],
    one: Constant<Bits<PLACE_BITS>>,
    one_lane: Constant<Bits<2>>,
    one_ltp: Constant<Bits<8>>,
}

impl<const WIDE: usize> Default for PortInject<WIDE> {
    fn default() -> Self {
        let words = ltp_words(CrcMode::Standard) as u64;
        let wide_words = ltp_words(CrcMode::PerLane) as u64;
        Self {
            clock: Default::default(),
            clear: Default::default(),
            inject: Default::default(),
            tx_lanes: Default::default(),
            last_lane: Default::default(),
            wide: defaults(),
            rows_in: Default::default(),
            rows_out: Default::default(),
            had_go: Default::default(),
            pending: Default::default(),
            armed: Default::default(),
            left: Default::default(),
            hits_this: Default::default(),
            hits_next: Default::default(),
            chosen: Default::default(),
            behind: Default::default(),
            primed: Default::default(),
            ahead: Default::default(),
            in_range: Default::default(),
            ends: Default::default(),
            moves: Default::default(),
            advance: Default::default(),
            step: Default::default(),
            back: Default::default(),
            most: Default::default(),
            place: Default::default(),
            wraps: Default::default(),
            ranges: Default::default(),
            lasts: Default::default(),
            rank: Default::default(),
            selected: Default::default(),
            after: Default::default(),
            mask: Default::default(),
            pattern: Default::default(),
            numbers: std::array::from_fn(|word| Constant::new((word as u64).into())),
            lanes: std::array::from_fn(|word| Constant::new((word as u64).into())),
            shifts: std::array::from_fn(|word| Constant::new((32 * word as u64).into())),
            last: Constant::new((words - 1).into()),
            words: Constant::new(words.into()),
            wide_last: std::array::from_fn(|_| Constant::new((wide_words - 1).into())),
            wide_words: std::array::from_fn(|_| Constant::new(wide_words.into())),
            one: Constant::new(1.into()),
            one_lane: Constant::new(1.into()),
            one_ltp: Constant::new(1.into()),
        }
    }
}

impl<const WIDE: usize> Logic for PortInject<WIDE> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, had_go, pending, armed, left, hits_this, hits_next, chosen, behind, primed);
        dff_setup!(self, clock, in_range, ends, step, back, most);
        self.moves.next = self.rows_in.valid.val() & self.rows_out.ready.val();
        self.advance.next = !self.primed.q.val() | self.moves.val();

        // Which words of a row go to lanes that are to be hit.
        self.rank.next = 0.into();
        self.selected.next = 0.into();
        for i in 0..4 {
            if self.tx_lanes.val().get_bit(i) {
                if self.inject.val().get_bit(i) {
                    self.selected.next = self.selected.val().replace_bit(self.rank.val().index(), true);
                }
                self.rank.next = self.rank.val() + self.one_lane.val();
            }
        }
        self.chosen.d.next = self.selected.val();
        self.behind.d.next = bit_cast::<7, 6>(self.inject.val().get_bits::<6>(4))
            + bit_cast::<7, 6>(self.inject.val().get_bits::<6>(10));

        // Places in the LTP, a row ahead.
        self.primed.d.next = true;
        self.step.d.next = bit_cast::<PLACE_BITS, 2>(self.last_lane.val()) + self.one.val();
        self.back.d.next = self.step.q.val() - self.words.val();
        self.most.d.next = self.last.val() - self.step.q.val();
        for j in 0..WIDE {
            if self.wide[j].val() {
                self.back.d.next = self.step.q.val() - self.wide_words[j].val();
                self.most.d.next = self.wide_last[j].val() - self.step.q.val();
            }
        }
        self.ranges.next = 0.into();
        self.lasts.next = 0.into();
        for i in 0..4 {
            self.ahead[i].clock.next = self.clock.val();
            self.ahead[i].d.next = self.ahead[i].q.val();
            self.place.next = self.ahead[i].q.val();
            self.wraps.next = self.place.val() > self.most.q.val();
            if self.advance.val() {
                self.ahead[i].d.next = self.place.val() + self.step.q.val();
                if self.wraps.val() {
                    self.ahead[i].d.next = self.place.val() + self.back.q.val();
                }
            }
            if self.lanes[i].val() <= self.last_lane.val() {
                self.ranges.next = self.ranges.val().replace_bit(
                    i,
                    (self.place.val() >= self.inject.val().get_bits::<6>(4))
                        & (bit_cast::<7, PLACE_BITS>(self.place.val()) < self.behind.q.val()),
                );
                self.lasts.next = self.lasts.val().replace_bit(i, self.place.val() == self.last.val());
                for j in 0..WIDE {
                    if self.wide[j].val() {
                        self.lasts.next =
                            self.lasts.val().replace_bit(i, self.place.val() == self.wide_last[j].val());
                    }
                }
            }
            if self.clear.val() {
                self.ahead[i].d.next = self.numbers[i].val();
            }
        }
        if self.advance.val() {
            self.in_range.d.next = self.ranges.val() & self.chosen.q.val();
            self.ends.d.next = self.lasts.val();
        }

        // How many LTPs.
        self.had_go.d.next = self.inject.val().get_bit(56);
        self.hits_next.d.next = self.left.q.val() > self.one_ltp.val();
        self.armed.d.next = self.pending.q.val();
        if self.pending.q.val() {
            self.hits_next.d.next = self.inject.val().get_bits::<8>(48).any();
        }
        if self.moves.val() & self.ends.q.val().any() {
            self.hits_this.d.next = self.hits_next.q.val();
            if self.armed.q.val() {
                self.pending.d.next = false;
                self.armed.d.next = false;
                self.left.d.next = self.inject.val().get_bits::<8>(48);
            } else if self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - self.one_ltp.val();
            }
        }
        if self.inject.val().get_bit(56) & !self.had_go.q.val() {
            self.pending.d.next = true;
        }

        // Words behind the end of an LTP belong to the next one.
        self.after.next = false;
        self.mask.next = 0.into();
        self.pattern.next = self.inject.val().get_bits::<32>(16);
        for i in 0..4 {
            if self.in_range.q.val().get_bit(i)
                & ((self.hits_this.q.val() & !self.after.val()) | (self.hits_next.q.val() & self.after.val()))
            {
                self.mask.next =
                    self.mask.val() | (bit_cast::<ROW_BITS, 32>(self.pattern.val()) << self.shifts[i].val());
            }
            if self.ends.q.val().get_bit(i) {
                self.after.next = true;
            }
        }
        self.rows_out.valid.next = self.rows_in.valid.val();
        self.rows_out.data.next = self.rows_in.data.val() ^ self.mask.val();
        self.rows_in.ready.next = self.rows_out.ready.val();
        if self.clear.val() {
            self.primed.d.next = false;
            self.pending.d.next = false;
            self.armed.d.next = false;
            self.left.d.next = 0.into();
            self.hits_this.d.next = false;
            self.hits_next.d.next = false;
            self.ends.d.next = 0.into();
            self.in_range.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match WIDE {
            0 => block_label("port_inject", &[]),
            _ => block_label("port_inject", &[("modes", CrcModes::All.caps().to_string())]),
        }
    }
}

drive_ports!(impl[const WIDE: usize] PortInject<WIDE> { clock, clear, inject, tx_lanes, last_lane, wide, rows_in, rows_out });
