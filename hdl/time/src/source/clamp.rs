//! A sum, cut to a limit on either side.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::F_ACC_BITS;

/// Bits of a sum: F_ACC and any 64-bit number.
pub const SUM_BITS: usize = 65;
/// Bits of the sum above the 16 below a limit.
const RATE: usize = SUM_BITS - 16;

/// `base` + `term`, signed, 2^-48 ns, cut to `limit` 2^-32 ns on either side. `value` and `clamped` follow 4 clocks after
/// the operands, which hold still. No clear: it holds no state.
#[block("clamp")]
pub struct Clamp {
    /// Rising edge counts.
    clock: In<Clock>,
    /// First operand.
    base: In<Bits<SUM_BITS>>,
    /// Second operand.
    term: In<Bits<SUM_BITS>>,
    /// Largest size of the result, 2^-32 ns.
    limit: In<Bits<32>>,
    /// The result, 2^-48 ns.
    value: Out<Bits<F_ACC_BITS>>,
    /// It is not the sum.
    clamped: Out<Bit>,
    low: Reg<Bits<33>>,
    high: Reg<Bits<33>>,
    /// Something below 2^-32 ns is left.
    rest: Reg<Bit>,
    fits: Reg<Bit>,
    over: Reg<Bit>,
    under: Reg<Bit>,
    result: Reg<Bits<F_ACC_BITS>>,
    changed: Reg<Bit>,
    carry: Local<Bits<34>>,
    sum: Local<Bits<SUM_BITS>>,
    rate: Local<Bits<RATE>>,
    top: Local<Bits<17>>,
    upper: Local<Bits<33>>,
    bound: Local<Bits<33>>,
    lower: Local<Bits<33>>,
    #[init(0)]
    nothing: Constant<Bits<38>>,
}

#[logic]
impl Clamp {
    fn update(&mut self) {
        // The sum in two clocks.
        low = bit_cast::<33, 32>(base.bits::<32>(0)) + bit_cast::<33, 32>(term.bits::<32>(0));
        carry = (bit_cast::<34, 33>(base.bits::<33>(32)) << 1).with(0, true)
            + (bit_cast::<34, 33>(term.bits::<33>(32)) << 1).with(0, low[32]);
        high = carry.bits::<33>(1);
        sum = bit_cast::<SUM_BITS, 32>(low.bits::<32>(0)) | (bit_cast::<SUM_BITS, 33>(high) << 32);

        // Where it lies. A rest below 2^-32 ns makes it larger: it is one more bit below.
        rate = sum.bits::<RATE>(16);
        let negative = sum[64];
        top = rate.bits::<17>(32);
        fits = top.all() | !top.any();
        rest = low.bits::<16>(0).any();
        upper = (bit_cast::<33, 32>(rate.bits::<32>(0)) << 1) | bit_cast::<33, 1>(rest.into());
        bound = bit_cast::<33, 32>(limit) << 1;
        over = upper > bound;
        lower = bit_cast::<33, 32>(rate.bits::<32>(0)) + bit_cast::<33, 32>(limit);
        under = !lower[32];

        // The result.
        let minus_limit = nothing - bit_cast::<38, 32>(limit);
        result = sum.bits::<F_ACC_BITS>(0);
        changed = false;
        if !negative & (!fits | over) {
            result = bit_cast::<F_ACC_BITS, 32>(limit) << 16;
            changed = true;
        }
        if negative & (!fits | under) {
            result = bit_cast::<F_ACC_BITS, 38>(minus_limit) << 16;
            changed = true;
        }
        value = result;
        clamped = changed;
    }
}
