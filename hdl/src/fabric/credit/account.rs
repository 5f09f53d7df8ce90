//! The buffer of one virtual lane at the receiver.

use super::gain::{CODE_BITS, UNITS_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::credit;

/// Bits of CRDT_DELAY.
pub const DELAY_BITS: usize = credit::delay::WIDTH;

/// Counts AU of a buffer: occupied ones, and free ones that are not given back. Finds the largest credit code of those, one entry of the
/// table per clock. `W` bits count.
#[derive(LogicBlock)]
pub struct CreditAccount<const W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The whole buffer is free, and not given back.
    pub clear: Signal<In, Bit>,
    /// A start of the link: what is occupied stays so, all else is free and not given back.
    pub restart: Signal<In, Bit>,
    /// AU of the buffer.
    pub size: Signal<In, Bits<W>>,
    /// An eighth of it.
    pub share: Signal<In, Bits<W>>,
    /// CRDT_DELAY.
    pub delay: Signal<In, Bits<DELAY_BITS>>,
    /// An AU is filled.
    pub filled: Signal<In, Bit>,
    /// An AU is filled by what nobody keeps.
    pub tossed: Signal<In, Bit>,
    /// The reader has emptied an AU.
    pub released: Signal<In, Bit>,
    /// The search for a code begins; this lane takes part if it is chosen.
    pub begins: Signal<In, Bit>,
    /// See `begins`.
    pub chosen: Signal<In, Bit>,
    /// Entry of the table that is looked at, 0: none, and its AU.
    pub code: Signal<In, Bits<CODE_BITS>>,
    /// See `code`.
    pub units: Signal<In, Bits<UNITS_BITS>>,
    /// The search is over; what was found is given back, if this lane takes part.
    pub ends: Signal<In, Bit>,
    /// That counts in `pending` from the next clock on.
    pub settles: Signal<In, Bit>,
    /// A return is due.
    pub due: Signal<Out, Bit>,
    /// The code that was found, or 0.
    pub found: Signal<Out, Bits<CODE_BITS>>,
    /// AU that hold flits, a clock old.
    pub occupied: Signal<Out, Bits<W>>,
    /// AU that are free and not given back, a clock old.
    pub pending: Signal<Out, Bits<W>>,
    /// More came than there is room for.
    pub overrun: Signal<Out, Bit>,
    /// The same, or more was released than there is.
    pub wrong: Signal<Out, Bit>,

    /// AU that the sender may not fill: occupied or pending.
    held: DFF<Bits<W>>,
    frees: DFF<Bit>,
    filled_units: DFF<Bits<W>>,
    filled_view: DFF<Bits<W>>,
    pending_units: DFF<Bits<W>>,
    /// AU that have been given back, one clock behind.
    given: DFF<Bits<UNITS_BITS>>,
    waited: DFF<Bits<DELAY_BITS>>,
    is_due: DFF<Bit>,
    /// What was pending when the search began.
    seen: DFF<Bits<UNITS_BITS>>,
    seen_more: DFF<Bit>,
    takes_part: DFF<Bit>,
    best: DFF<Bits<UNITS_BITS>>,
    best_code: DFF<Bits<CODE_BITS>>,

    room: Signal<Local, Bit>,
    too_many: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    fill_step: Signal<Local, Bits<W>>,
    less: Signal<Local, Bits<9>>,
    back: Signal<Local, Bits<9>>,
    back_more: Signal<Local, Bits<W>>,
    late: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    one: Constant<Bits<W>>,
    all: Constant<Bits<W>>,
    minus_one: Constant<Bits<9>>,
    sign: Constant<Bits<W>>,
    tick: Constant<Bits<DELAY_BITS>>,
    byte: Constant<Bits<5>>,
}

impl<const W: usize> Default for CreditAccount<W> {
    fn default() -> Self {
        let ones =
            |from: usize| (0..W).fold(Bits::<W>::default(), |bits, bit| bits.replace_bit(bit, bit >= from));
        Self {
            clock: Default::default(),
            clear: Default::default(),
            restart: Default::default(),
            size: Default::default(),
            share: Default::default(),
            delay: Default::default(),
            filled: Default::default(),
            tossed: Default::default(),
            released: Default::default(),
            begins: Default::default(),
            chosen: Default::default(),
            code: Default::default(),
            units: Default::default(),
            ends: Default::default(),
            settles: Default::default(),
            due: Default::default(),
            found: Default::default(),
            occupied: Default::default(),
            pending: Default::default(),
            overrun: Default::default(),
            wrong: Default::default(),
            held: Default::default(),
            frees: Default::default(),
            filled_units: Default::default(),
            filled_view: Default::default(),
            pending_units: Default::default(),
            given: Default::default(),
            waited: Default::default(),
            is_due: Default::default(),
            seen: Default::default(),
            seen_more: Default::default(),
            takes_part: Default::default(),
            best: Default::default(),
            best_code: Default::default(),
            room: Default::default(),
            too_many: Default::default(),
            comes: Default::default(),
            keeps: Default::default(),
            there: Default::default(),
            goes: Default::default(),
            fill_step: Default::default(),
            less: Default::default(),
            back: Default::default(),
            back_more: Default::default(),
            late: Default::default(),
            fits: Default::default(),
            one: Constant::new(1.into()),
            all: Constant::new(ones(0)),
            minus_one: Constant::new(0x1FF.into()),
            sign: Constant::new(ones(9)),
            tick: Constant::new(1.into()),
            byte: Constant::new((UNITS_BITS as u64).into()),
        }
    }
}

impl<const W: usize> Logic for CreditAccount<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, filled_units, filled_view, pending_units, given, waited, is_due);
        dff_setup!(self, clock, frees, seen, seen_more, takes_part, best, best_code);
        // AU that come without a grant, or go without being there, do not count.
        self.room.next = self.held.q.val() != self.size.val();
        self.comes.next = (self.filled.val() | self.tossed.val()) & self.room.val();
        self.keeps.next = self.filled.val() & self.room.val();
        self.there.next = self.filled_units.q.val().any();
        self.frees.d.next = self.released.val() & !self.clear.val();
        self.goes.next = self.frees.q.val() & self.there.val();
        self.too_many.next = (self.filled.val() | self.tossed.val()) & !self.room.val();
        self.overrun.next = self.too_many.val();
        self.wrong.next = self.too_many.val() | (self.frees.q.val() & !self.there.val());
        self.fill_step.next = 0.into();
        if self.keeps.val() & !self.goes.val() {
            self.fill_step.next = self.one.val();
        }
        if self.goes.val() & !self.keeps.val() {
            self.fill_step.next = self.all.val();
        }
        self.filled_units.d.next = self.filled_units.q.val() + self.fill_step.val();

        // What is given back, less the AU that comes.
        self.given.d.next = 0.into();
        if self.ends.val() & self.takes_part.q.val() {
            self.given.d.next = self.best.q.val();
        }
        self.less.next = bit_cast::<9, UNITS_BITS>(self.given.q.val()) + self.minus_one.val();
        self.back.next = bit_cast::<9, UNITS_BITS>(self.given.q.val());
        if self.comes.val() {
            self.back.next = self.less.val();
        }
        self.back_more.next = bit_cast::<W, 9>(self.back.val());
        if self.back.val().get_bit(8) {
            self.back_more.next = bit_cast::<W, 9>(self.back.val()) | self.sign.val();
        }
        self.held.d.next = self.held.q.val() - self.back_more.val();
        self.pending_units.d.next = self.held.q.val() - self.filled_units.q.val();
        self.filled_view.d.next = self.filled_units.q.val();

        // Due.
        self.late.next = self.waited.q.val() >= self.delay.val();
        self.is_due.d.next = (self.pending_units.q.val() >= self.share.val())
            | (self.pending_units.q.val().any() & self.late.val());
        if !self.pending_units.q.val().any() | (self.settles.val() & self.takes_part.q.val()) {
            self.waited.d.next = 0.into();
        } else if !self.late.val() {
            self.waited.d.next = self.waited.q.val() + self.tick.val();
        }

        // The largest code, of equal ones the first.
        self.fits.next = (self.seen_more.q.val() | (self.seen.q.val() >= self.units.val()))
            & (self.units.val() > self.best.q.val())
            & self.code.val().any();
        if self.fits.val() {
            self.best.d.next = self.units.val();
            self.best_code.d.next = self.code.val();
        }
        if self.begins.val() {
            self.takes_part.d.next = self.chosen.val();
            self.seen.d.next = 0.into();
            self.seen_more.d.next = false;
            if self.chosen.val() {
                self.seen.d.next = self.pending_units.q.val().get_bits::<UNITS_BITS>(0);
                self.seen_more.d.next = (self.pending_units.q.val() >> self.byte.val()).any();
            }
            self.best.d.next = 0.into();
            self.best_code.d.next = 0.into();
        }
        if self.clear.val() | self.restart.val() {
            self.held.d.next = self.size.val();
            self.pending_units.d.next = 0.into();
            self.given.d.next = 0.into();
            self.waited.d.next = 0.into();
            self.is_due.d.next = false;
            self.takes_part.d.next = false;
        }
        if self.clear.val() {
            self.filled_units.d.next = 0.into();
            self.filled_view.d.next = 0.into();
        }
        self.due.next = self.is_due.q.val();
        self.found.next = self.best_code.q.val();
        self.occupied.next = self.filled_view.q.val();
        self.pending.next = self.pending_units.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("credit_account", &[("w", W.to_string())])
    }
}

drive_ports!(impl[const W: usize] CreditAccount<W> {
    clock, clear, restart, size, share, delay, filled, tossed, released, begins, chosen, code, units, ends, settles, due, found,
    occupied, pending, overrun, wrong,
});
