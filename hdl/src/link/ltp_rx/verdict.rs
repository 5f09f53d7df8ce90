//! What an LTP is: bad, a Null LTP, or a reliable one.

use crate::link::ltp_tx::NULL_BITS;
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::FLIT_BITS;

/// The verdict, one clock after `check`. Flit 0 of the next LTP may come from that clock on.
#[derive(LogicBlock, Default)]
pub struct LtpRxVerdict {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Flit 0 of an LTP stands on `first_flit`.
    pub first: Signal<In, Bit>,
    /// Flit 0.
    pub first_flit: Signal<In, Bits<FLIT_BITS>>,
    /// With `first`: flit 0 is a link transfer flit.
    pub first_is_null: Signal<In, Bit>,
    /// An LTP has ended.
    pub check: Signal<In, Bit>,
    /// With `check`: it is good.
    pub check_good: Signal<In, Bit>,
    /// A good LTP.
    pub good: Signal<Out, Bit>,
    /// A bad LTP.
    pub bad: Signal<Out, Bit>,
    /// A good reliable LTP.
    pub reliable: Signal<Out, Bit>,
    /// With `good`: a Null LTP.
    pub null_ltp: Signal<Out, Bit>,
    /// If it is a Null LTP: it is of a kind that does not exist.
    pub unknown: Signal<In, Bit>,
    /// Good Null LTPs of known kinds: payload [47:0], opcode [55:48]. The data stands from the clock behind `first` on.
    pub null_out: FlowOut<Bits<NULL_BITS>>,

    request: DFF<Bits<NULL_BITS>>,
    is_null: DFF<Bit>,
    good_ltp: DFF<Bit>,
    bad_ltp: DFF<Bit>,
    null_found: DFF<Bit>,
}

impl Logic for LtpRxVerdict {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, request, is_null, good_ltp, bad_ltp, null_found);
        if self.first.val() {
            self.is_null.d.next = self.first_is_null.val();
            self.request.d.next = bit_cast::<NULL_BITS, 48>(self.first_flit.val().get_bits::<48>(0))
                | (bit_cast::<NULL_BITS, 8>(self.first_flit.val().get_bits::<8>(56)) << 48);
        }
        self.good_ltp.d.next = self.check.val() & self.check_good.val() & !self.clear.val();
        self.bad_ltp.d.next = self.check.val() & !self.check_good.val() & !self.clear.val();
        self.null_found.d.next = self.is_null.q.val();

        self.good.next = self.good_ltp.q.val();
        self.bad.next = self.bad_ltp.q.val();
        self.reliable.next = self.good_ltp.q.val() & !self.null_found.q.val();
        self.null_ltp.next = self.null_found.q.val();
        self.null_out.data.next = self.request.q.val();
        self.null_out.valid.next = self.good_ltp.q.val() & self.null_found.q.val() & !self.unknown.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_rx_verdict", &[])
    }
}

drive_ports!(impl[] LtpRxVerdict { clock, clear, first, first_flit, first_is_null, check, check_good, good, bad, reliable, null_ltp, unknown, null_out });
