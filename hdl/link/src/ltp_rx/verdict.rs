//! What an LTP is: bad, a Null LTP, or a reliable one.

use crate::ltp_tx::NULL_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::FLIT_BITS;

/// The verdict, one clock after `check`. Flit 0 of the next LTP may come from that clock on.
#[block("ltp_rx_verdict")]
pub struct LtpRxVerdict {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Flit 0 of an LTP stands on `first_flit`.
    first: In<Bit>,
    /// Flit 0.
    first_flit: In<Bits<FLIT_BITS>>,
    /// With `first`: flit 0 is a link transfer flit.
    first_is_null: In<Bit>,
    /// An LTP has ended.
    check: In<Bit>,
    /// With `check`: it is good.
    check_good: In<Bit>,
    /// A good LTP.
    good: Out<Bit>,
    /// A bad LTP.
    bad: Out<Bit>,
    /// A good reliable LTP.
    reliable: Out<Bit>,
    /// With `good`: a Null LTP.
    null_ltp: Out<Bit>,
    /// If it is a Null LTP: it is of a kind that does not exist.
    unknown: In<Bit>,
    /// Good Null LTPs of known kinds: payload [47:0], opcode [55:48]. The data stands from the clock after `first` on.
    pub null_out: FlowOut<Bits<NULL_BITS>>,

    request: Reg<Bits<NULL_BITS>>,
    is_null: Reg<Bit>,
    good_ltp: Reg<Bit>,
    bad_ltp: Reg<Bit>,
    null_found: Reg<Bit>,
}

#[logic]
impl LtpRxVerdict {
    fn update(&mut self) {
        if first {
            is_null = first_is_null;
            request = bit_cast::<NULL_BITS, 48>(first_flit.bits::<48>(0))
                | (bit_cast::<NULL_BITS, 8>(first_flit.bits::<8>(56)) << 48);
        }
        good_ltp = check & check_good & !clear;
        bad_ltp = check & !check_good & !clear;
        null_found = is_null;

        good = good_ltp;
        bad = bad_ltp;
        reliable = good_ltp & !null_found;
        null_ltp = null_found;
        null_out = In { data: request, valid: good_ltp & null_found & !unknown };
    }
}
