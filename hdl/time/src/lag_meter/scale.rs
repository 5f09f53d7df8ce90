//! Words in nanoseconds.

use super::LINE_BITS;
use flitforge_hdl_prim::prelude::*;
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
#[block(new)]
pub struct LagScale {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Difference, signed, 2^-12 word.
    difference: In<Bits<LINE_BITS>>,
    /// The same in 1/256 ns, signed; the nearest if it does not fit.
    lag: Out<Bits<LAG_BITS>>,
    /// It does not fit.
    over: Out<Bit>,

    near: Reg<Bits<NEAR_BITS>>,
    #[wire(d = _)]
    far: [Reg<Bit>; 5],
    #[wire(d = _)]
    negative: [Reg<Bit>; 5],
    once: Reg<Bits<PRODUCT_BITS>>,
    thrice: Reg<Bits<PRODUCT_BITS>>,
    #[wire(d = _)]
    part: [Reg<Bits<PRODUCT_BITS>>; 4],
    #[wire(d = _)]
    half: [Reg<Bits<PRODUCT_BITS>>; 2],
    product: Reg<Bits<PRODUCT_BITS>>,
    result: Reg<Bits<LAG_BITS>>,
    result_over: Reg<Bit>,
    high: Local<Bits<7>>,
    wide: Local<Bits<PRODUCT_BITS>>,
    digit: [Local<Bits<PRODUCT_BITS>>; DIGITS],
    shifted: Local<Bits<PRODUCT_BITS>>,
    fits: Local<Bit>,
    sign: Constant<Bits<PRODUCT_BITS>>,
    fill: Constant<Bits<PRODUCT_BITS>>,
    duration: Constant<Bits<DURATION_BITS>>,
    places: Constant<Bits<6>>,
    #[init((1_u64 << (LAG_BITS - 1)) - 1)]
    most: Constant<Bits<LAG_BITS>>,
    #[init(1_u64 << (LAG_BITS - 1))]
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

#[logic]
impl LagScale {
    /// For words of this nominal duration, fs.
    pub(super) fn new(word_fs: u64) -> Self {
        let (duration, places) = duration(word_fs);
        let all = (1_u64 << PRODUCT_BITS) - 1;
        Self {
            sign: Constant::new((all & !0 << NEAR_BITS).into()),
            fill: Constant::new((all & !0 << (PRODUCT_BITS as u32 - places)).into()),
            duration: Constant::new(duration.into()),
            places: Constant::new(u64::from(places).into()),
            _word_fs: word_fs,
            ..
        }
    }

    fn update(&mut self) {
        for i in 0..4 {
            far[i + 1] = far[i];
            negative[i + 1] = negative[i];
        }
        // Clock 0: what is too far.
        high = difference.bits::<7>(21);
        near = difference.bits::<NEAR_BITS>(0);
        far[0] = high.any() & !high.all();
        negative[0] = difference[27];
        // Clock 1: once and three times.
        wide = bit_cast::<PRODUCT_BITS, NEAR_BITS>(near);
        if near[21] {
            wide = bit_cast::<PRODUCT_BITS, NEAR_BITS>(near) | sign;
        }
        once = wide;
        thrice = wide + (wide << 1);
        // Clocks 2 to 4: two bits of the duration, four, eight, all.
        for i in 0..DIGITS {
            digit[i] = 0;
            if duration[2 * i] {
                digit[i] = once;
            }
            if duration[2 * i + 1] {
                digit[i] = once << 1;
                if duration[2 * i] {
                    digit[i] = thrice;
                }
            }
        }
        for i in 0..4 {
            part[i] = digit[2 * i] + (digit[2 * i + 1] << 2);
        }
        for i in 0..2 {
            half[i] = part[2 * i] + (part[2 * i + 1] << 4);
        }
        product = half[0] + (half[1] << 8);
        // Clock 5: 1/256 ns.
        shifted = product >> places;
        if product[39] {
            shifted = (product >> places) | fill;
        }
        let above = shifted.bits::<21>(19);
        fits = !far[4] & (!above.any() | above.all());
        result = shifted.bits::<LAG_BITS>(0);
        if !fits {
            result = most;
            if negative[4] {
                result = least;
            }
        }
        result_over = !fits;
        lag = result;
        over = result_over;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_scale", &[("word_fs", self._word_fs.to_string())])
    }
}
