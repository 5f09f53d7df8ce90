//! Words in nanoseconds.

use super::LINE_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{FINE_BITS, LAG_BITS};
use flitforge_protocol::time_lag::COUNT_FRACTION_BITS;

/// Bits of a difference that can be a lag, signed, 2^-12 word.
const NEAR_BITS: usize = 22;
/// Significant bits of a word's duration, taken two at a time.
const DURATION_BITS: usize = 16;
/// Pairs of these.
const DIGITS: usize = DURATION_BITS / 2;
/// Bits of a product.
const PRODUCT_BITS: usize = 40;

/// A difference of line positions (2^-12 word) in 1/256 ns, cut off; 6 clocks.
#[derive(LogicBlock)]
pub struct LagScale {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Difference, signed, 2^-12 word.
    pub difference: Signal<In, Bits<LINE_BITS>>,
    /// The same in 1/256 ns, signed; the nearest if it does not fit.
    pub lag: Signal<Out, Bits<LAG_BITS>>,
    /// It does not fit.
    pub over: Signal<Out, Bit>,

    near: DFF<Bits<NEAR_BITS>>,
    far: [DFF<Bit>; 5],
    negative: [DFF<Bit>; 5],
    once: DFF<Bits<PRODUCT_BITS>>,
    thrice: DFF<Bits<PRODUCT_BITS>>,
    part: [DFF<Bits<PRODUCT_BITS>>; 4],
    half: [DFF<Bits<PRODUCT_BITS>>; 2],
    product: DFF<Bits<PRODUCT_BITS>>,
    result: DFF<Bits<LAG_BITS>>,
    result_over: DFF<Bit>,
    high: Signal<Local, Bits<7>>,
    wide: Signal<Local, Bits<PRODUCT_BITS>>,
    digit: [Signal<Local, Bits<PRODUCT_BITS>>; DIGITS],
    shifted: Signal<Local, Bits<PRODUCT_BITS>>,
    fits: Signal<Local, Bit>,
    above: Signal<Local, Bits<21>>,
    sign: Constant<Bits<PRODUCT_BITS>>,
    fill: Constant<Bits<PRODUCT_BITS>>,
    duration: Constant<Bits<DURATION_BITS>>,
    places: Constant<Bits<6>>,
    most: Constant<Bits<LAG_BITS>>,
    least: Constant<Bits<LAG_BITS>>,
    _word_fs: u64,
}

/// A word's duration as 16 significant bits, and by how many places its product with 2^-12 words is above 1/256 ns.
fn duration(word_fs: u64) -> (u64, u32) {
    let nanosecond = 1_000_000_u128;
    let mut places = (COUNT_FRACTION_BITS - FINE_BITS) as u32;
    let scaled = |fraction: u32| ((u128::from(word_fs) << fraction) + nanosecond / 2) / nanosecond;
    let mut fraction = 0;
    while scaled(fraction + 1) < 1 << DURATION_BITS {
        fraction += 1;
    }
    places += fraction;
    (scaled(fraction) as u64, places)
}

impl LagScale {
    /// For words of this nominal duration, fs.
    pub(super) fn new(word_fs: u64) -> Self {
        let (duration, places) = duration(word_fs);
        let all = (1_u64 << PRODUCT_BITS) - 1;
        Self {
            clock: Default::default(),
            difference: Default::default(),
            lag: Default::default(),
            over: Default::default(),
            near: Default::default(),
            far: Default::default(),
            negative: Default::default(),
            once: Default::default(),
            thrice: Default::default(),
            part: Default::default(),
            half: Default::default(),
            product: Default::default(),
            result: Default::default(),
            result_over: Default::default(),
            high: Default::default(),
            wide: Default::default(),
            digit: Default::default(),
            shifted: Default::default(),
            fits: Default::default(),
            above: Default::default(),
            sign: Constant::new((all & !0 << NEAR_BITS).into()),
            fill: Constant::new((all & !0 << (PRODUCT_BITS as u32 - places)).into()),
            duration: Constant::new(duration.into()),
            places: Constant::new(u64::from(places).into()),
            most: Constant::new(((1_u64 << (LAG_BITS - 1)) - 1).into()),
            least: Constant::new((1_u64 << (LAG_BITS - 1)).into()),
            _word_fs: word_fs,
        }
    }
}

impl Logic for LagScale {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, near, once, thrice, product, result, result_over);
        for i in 0..5 {
            self.far[i].clock.next = self.clock.val();
            self.negative[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.part[i].clock.next = self.clock.val();
            self.far[i + 1].d.next = self.far[i].q.val();
            self.negative[i + 1].d.next = self.negative[i].q.val();
        }
        for i in 0..2 {
            self.half[i].clock.next = self.clock.val();
        }
        // Clock 0: what is too far.
        self.high.next = self.difference.val().get_bits::<7>(21);
        self.near.d.next = self.difference.val().get_bits::<NEAR_BITS>(0);
        self.far[0].d.next = self.high.val().any() & !self.high.val().all();
        self.negative[0].d.next = self.difference.val().get_bit(27);
        // Clock 1: once and three times.
        self.wide.next = bit_cast::<PRODUCT_BITS, NEAR_BITS>(self.near.q.val());
        if self.near.q.val().get_bit(21) {
            self.wide.next = bit_cast::<PRODUCT_BITS, NEAR_BITS>(self.near.q.val()) | self.sign.val();
        }
        self.once.d.next = self.wide.val();
        self.thrice.d.next = self.wide.val() + (self.wide.val() << 1);
        // Clocks 2 to 4: two bits of the duration, four, eight, all.
        for i in 0..DIGITS {
            self.digit[i].next = 0.into();
            if self.duration.val().get_bit(2 * i) {
                self.digit[i].next = self.once.q.val();
            }
            if self.duration.val().get_bit(2 * i + 1) {
                self.digit[i].next = self.once.q.val() << 1;
                if self.duration.val().get_bit(2 * i) {
                    self.digit[i].next = self.thrice.q.val();
                }
            }
        }
        for i in 0..4 {
            self.part[i].d.next = self.digit[2 * i].val() + (self.digit[2 * i + 1].val() << 2);
        }
        for i in 0..2 {
            self.half[i].d.next = self.part[2 * i].q.val() + (self.part[2 * i + 1].q.val() << 4);
        }
        self.product.d.next = self.half[0].q.val() + (self.half[1].q.val() << 8);
        // Clock 5: 1/256 ns.
        self.shifted.next = self.product.q.val() >> self.places.val();
        if self.product.q.val().get_bit(39) {
            self.shifted.next = (self.product.q.val() >> self.places.val()) | self.fill.val();
        }
        self.above.next = self.shifted.val().get_bits::<21>(19);
        self.fits.next = !self.far[4].q.val() & (!self.above.val().any() | self.above.val().all());
        self.result.d.next = self.shifted.val().get_bits::<LAG_BITS>(0);
        if !self.fits.val() {
            self.result.d.next = self.most.val();
            if self.negative[4].q.val() {
                self.result.d.next = self.least.val();
            }
        }
        self.result_over.d.next = !self.fits.val();
        self.lag.next = self.result.q.val();
        self.over.next = self.result_over.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_scale", &[("word_fs", self._word_fs.to_string())])
    }
}

drive_ports!(impl[] LagScale { clock, difference, lag, over });
