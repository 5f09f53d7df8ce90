//! PHASE_SRC PHY.

use super::LINE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_lag::{nominal_rate, COUNT_FRACTION_BITS, LINE_FRACTION_BITS};

/// Bits of a phase that the PHY gives, 1/256 word.
pub const PHASE_BITS: usize = 8;
/// Bits of the words of a clock, 1/256 word.
const ADVANCE_BITS: usize = 11;

/// Counts words by a phase that the PHY gives in every clock: the words of a clock are those nearest to the nominal number that lead
/// from the phase before to this one. `line` is of the phase three clocks before.
#[block(new)]
pub struct LagPhy {
    /// Core clock.
    clock: In<Clock>,
    /// The phase counts as not valid for two clocks.
    restart: In<Bit>,
    /// Fraction of a word at this clock's edge, 1/256 word.
    phase: In<Bits<PHASE_BITS>>,
    /// It is valid.
    phase_valid: In<Bit>,
    /// Words since power-on with 12 fraction bits.
    line: Out<Bits<LINE_BITS>>,
    /// The phase is valid, and was in the clock before.
    ok: Out<Bit>,

    now: Reg<Bits<PHASE_BITS>>,
    before: Reg<Bits<PHASE_BITS>>,
    advance: Reg<Bits<ADVANCE_BITS>>,
    count: Reg<Bits<LINE_BITS>>,
    #[wire(d = _)]
    valid: [Reg<Bit>; 3],
    minus: Constant<Bits<ADVANCE_BITS>>,
    nominal: Constant<Bits<ADVANCE_BITS>>,
    nominal_fraction: Constant<Bits<PHASE_BITS>>,
}

#[logic]
impl LagPhy {
    /// For clocks of these nominal periods, fs.
    pub fn new(core_fs: u64, word_fs: u64) -> Self {
        let shift = LINE_FRACTION_BITS - PHASE_BITS;
        let nominal = (nominal_rate(core_fs, word_fs) + (1 << (shift - 1))) >> shift;
        Self {
            minus: Constant::new((!0_u64 << PHASE_BITS & ((1 << ADVANCE_BITS) - 1)).into()),
            nominal: Constant::new(nominal.into()),
            nominal_fraction: Constant::new((nominal & ((1 << PHASE_BITS) - 1)).into()),
            ..
        }
    }

    fn update(&mut self) {
        now = phase;
        before = now;
        let step = now - before - nominal_fraction;
        let mut signed_step = bit_cast::<ADVANCE_BITS, PHASE_BITS>(step);
        if step[7] {
            signed_step = bit_cast::<ADVANCE_BITS, PHASE_BITS>(step) | minus;
        }
        advance = nominal + signed_step;
        count = count + (bit_cast::<LINE_BITS, ADVANCE_BITS>(advance) << 4);
        valid[0] = phase_valid & !restart;
        valid[1] = valid[0] & !restart;
        valid[2] = valid[0] & valid[1] & !restart;
        line = count;
        ok = valid[2];
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_phy", &[("nominal", self.nominal.val().index().to_string())])
    }
}

const _: () = assert!(COUNT_FRACTION_BITS == PHASE_BITS + 4);
