//! The checksum of an IPv4 header that ends with its word before the last.

use crate::network::UNIT_BITS;
use flitforge_hdl_prim::prelude::*;

/// Whether the ten units of an IPv4 header sum up to all ones, with the carry added at the low end.
///
/// The header begins in the middle of its first word. Units are summed in two halves without end-around carry; `wrong` follows the last word by
/// four clocks and stays until the next header.
#[block("sue_internet_sum")]
pub struct InternetSum {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Four units, the first in the lowest bits, each with its octets as they came.
    word: In<Bits<64>>,
    /// A header is about to come.
    starts: In<Bit>,
    /// The word has the first two units in its upper half.
    first: In<Bit>,
    /// The word has the next four units, or the last.
    rest: In<Bit>,
    /// The sum is not all ones.
    wrong: Out<Bit>,

    #[wire(d = _)]
    early: Reg<Bits<17>>,
    #[wire(d = _)]
    late: Reg<Bits<17>>,
    #[wire(d = _)]
    starts_now: Reg<Bit>,
    #[wire(d = _)]
    counts_now: Reg<Bit>,
    early_sum: Reg<Bits<19>>,
    late_sum: Reg<Bits<19>>,
    #[wire(d = _)]
    both: Reg<Bits<17>>,
    #[wire(d = _)]
    carries: Reg<Bits<4>>,
    #[wire(d = _)]
    is_wrong: Reg<Bit>,
}

#[logic]
impl InternetSum {
    fn update(&mut self) {
        let low = Self::pair(word.bits::<16>(0), word.bits::<16>(UNIT_BITS));
        early = if first { 0 } else { low };
        late = Self::pair(word.bits::<16>(2 * UNIT_BITS), word.bits::<16>(3 * UNIT_BITS));
        starts_now = starts;
        counts_now = first | rest;

        if counts_now {
            early_sum = early_sum + bit_cast::<19, 17>(early);
            late_sum = late_sum + bit_cast::<19, 17>(late);
        }
        if starts_now {
            early_sum = 0;
            late_sum = 0;
        }

        // All carries above 16 bits count at the low end: the sum is right if they fill it up to all ones.
        both = bit_cast::<17, 16>(early_sum[0..16]) + bit_cast::<17, 16>(late_sum[0..16]);
        carries = bit_cast::<4, 3>(early_sum[16..19]) + bit_cast::<4, 3>(late_sum[16..19]);
        let more = carries + bits::<4>(1);
        let upper = both[4..16];
        let lower = both[0..4];
        let fits = if both[16] { lower == !more } else { lower == !carries };
        is_wrong = !(upper.all() & fits);
        wrong = is_wrong;
    }

    /// The sum of two units, whose first octets are the upper ones.
    fn pair(a: Bits<16>, b: Bits<16>) -> Bits<17> {
        let one: Bits<16> = cat(a[8..16], a[0..8]);
        let other: Bits<16> = cat(b[8..16], b[0..8]);
        bit_cast::<17, 16>(one) + bit_cast::<17, 16>(other)
    }
}
