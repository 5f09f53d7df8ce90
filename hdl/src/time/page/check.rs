//! May GEN_CFG be so?

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{GEN_PERIOD_SHIFT, HIGH_SPACING_MAX_NS};

/// Bits of GEN_PERIOD times HIGH_EVERY.
const PRODUCT_BITS: usize = 20;
/// The largest product of a HIGH_EVERY above 1.
const LARGEST: u64 = HIGH_SPACING_MAX_NS >> GEN_PERIOD_SHIFT;

/// Refuses a HIGH_EVERY of 0, and one above 1 that lets more than 4.0 s pass between two Highs (chapter 20, 4.6 rule 3).
///
/// One multiplication, a bit of HIGH_EVERY per clock: `done` comes 9 clocks behind `start`, with it `possible` or `refused`.
/// `clear` ends it without any of these.
#[derive(LogicBlock)]
pub struct GenCheck {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// It begins.
    pub start: Signal<In, Bit>,
    /// GEN_PERIOD, until `done`.
    pub period: Signal<In, Bits<12>>,
    /// HIGH_EVERY, until `done`.
    pub high_every: Signal<In, Bits<8>>,
    /// It ends.
    pub done: Signal<Out, Bit>,
    /// With `done`: it may be.
    pub possible: Signal<Out, Bit>,
    /// With `done`: it may not be.
    pub refused: Signal<Out, Bit>,
    place: DFF<Bits<9>>,
    rest: DFF<Bits<8>>,
    product: DFF<Bits<PRODUCT_BITS>>,
    more: Signal<Local, Bits<PRODUCT_BITS>>,
    wrong: Signal<Local, Bit>,
    largest: Constant<Bits<PRODUCT_BITS>>,
}

impl Default for GenCheck {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            start: Default::default(),
            period: Default::default(),
            high_every: Default::default(),
            done: Default::default(),
            possible: Default::default(),
            refused: Default::default(),
            place: Default::default(),
            rest: Default::default(),
            product: Default::default(),
            more: Default::default(),
            wrong: Default::default(),
            largest: Constant::new(LARGEST.into()),
        }
    }
}

impl Logic for GenCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, place, rest, product);
        self.more.next = 0.into();
        if self.rest.q.val().get_bit(7) {
            self.more.next = bit_cast::<PRODUCT_BITS, 12>(self.period.val());
        }
        self.product.d.next = (self.product.q.val() << 1) + self.more.val();
        self.rest.d.next = self.rest.q.val() << 1;
        self.place.d.next = (self.place.q.val() << 1).replace_bit(0, self.start.val());
        if self.start.val() {
            self.product.d.next = 0.into();
            self.rest.d.next = self.high_every.val();
        }
        if self.clear.val() {
            self.place.d.next = 0.into();
        }
        self.wrong.next = ((self.product.q.val() > self.largest.val())
            & self.high_every.val().get_bits::<7>(1).any())
            | !self.high_every.val().any();
        self.done.next = self.place.q.val().get_bit(8);
        self.possible.next = self.place.q.val().get_bit(8) & !self.wrong.val();
        self.refused.next = self.place.q.val().get_bit(8) & self.wrong.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("gen_check", &[])
    }
}

drive_ports!(impl[] GenCheck { clock, clear, start, period, high_every, done, possible, refused });

const _: () = assert!(LARGEST == 3814);
