//! Multiplication of a phase error by a gain, bit by bit.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::ERROR_BITS;

/// Bits of a product and its sum.
const SUM_BITS: usize = ERROR_BITS + 1;

/// Signed 32-bit `factor` times an unsigned number whose bits come lowest first, one per clock with `run`.
///
/// A bit comes one clock before the `run` that counts it. After 32 of them `product` is the 64-bit product; every further zero bit halves it, rounding down. `restart` sets it
/// to 0. One adder of 33 bits, in front of which a register takes the factor or 0 at no cost in LUTs; `product` is a
/// register, `shifted` comes from that adder.
#[block("serial_multiplier")]
pub struct SerialMultiplier {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The product becomes 0; goes before `run`.
    restart: In<Bit>,
    /// `gain_bit` of the clock before counts.
    run: In<Bit>,
    /// Next bit of the other factor.
    gain_bit: In<Bit>,
    /// Signed factor; stable from `restart` on.
    factor: In<Bits<ERROR_BITS>>,
    /// The product so far.
    product: Out<Bits<64>>,
    /// With `run`: the bit that goes out of the sum; of a product with 1 the bits of `factor`, lowest first.
    shifted: Out<Bit>,
    high: Reg<Bits<ERROR_BITS>>,
    low: Reg<Bits<ERROR_BITS>>,
    addend: Reg<Bits<ERROR_BITS>>,
}

#[logic]
impl SerialMultiplier {
    fn update(&mut self) {
        addend = 0;
        if gain_bit {
            addend = factor;
        }
        let sum = bit_cast::<SUM_BITS, ERROR_BITS>(high).with(32, high[31])
            + bit_cast::<SUM_BITS, ERROR_BITS>(addend).with(32, addend[31]);
        if run {
            high = sum.bits::<ERROR_BITS>(1);
            low = (low >> 1).with(31, sum[0]);
        }
        if restart {
            high = 0;
            low = 0;
        }
        product = bit_cast::<64, ERROR_BITS>(low) | (bit_cast::<64, ERROR_BITS>(high) << 32);
        // The sum's lowest bit has no carry to wait for.
        shifted = high[0] ^ addend[0];
    }
}

const _: () = assert!(ERROR_BITS == 32 && SUM_BITS == 33);
