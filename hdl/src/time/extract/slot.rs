//! What the flit in a slot is to fabric time.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{Opcode, SpcSubtype, FLIT_BITS};
use flitforge_protocol::time::{master_time_high, master_time_low};

/// One slot of a beat (chapter 20, 4.3 rules 2 and 3). All outputs are registers, one clock after `valid`.
#[derive(LogicBlock)]
pub struct ExtractSlot {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The beat is there.
    pub valid: Signal<In, Bit>,
    /// The flit.
    pub flit: Signal<In, Bits<FLIT_BITS>>,
    /// Trees that have their upstream port here.
    pub up_en: Signal<In, Bits<4>>,
    /// Lows have a valid line phase, or need none.
    pub phase_ok: Signal<In, Bit>,
    /// The flit's payload.
    pub payload: Signal<Out, Bits<48>>,
    /// A Low that is passed on.
    pub low: Signal<Out, Bit>,
    /// A High that is passed on.
    pub high: Signal<Out, Bit>,
    /// A DelayReq.
    pub request: Signal<Out, Bit>,
    /// A DelayResp.
    pub response: Signal<Out, Bit>,
    /// NOT_UPSTREAM.
    pub not_upstream: Signal<Out, Bit>,
    /// PHASE_INVALID.
    pub phase_invalid: Signal<Out, Bit>,
    /// UNKNOWN_SUB.
    pub unknown: Signal<Out, Bit>,
    data: DFF<Bits<48>>,
    is_low: DFF<Bit>,
    is_high: DFF<Bit>,
    is_request: DFF<Bit>,
    is_response: DFF<Bit>,
    is_foreign: DFF<Bit>,
    is_blind: DFF<Bit>,
    is_unknown: DFF<Bit>,
    special: Signal<Local, Bit>,
    enabled: Signal<Local, Bit>,
    opcode: Signal<Local, Bits<9>>,
    subtype: Signal<Local, Bits<8>>,
    tree: Signal<Local, Bits<2>>,
    time: Signal<Local, Bit>,
    spc: Constant<Bits<9>>,
    low_code: Constant<Bits<8>>,
    high_code: Constant<Bits<8>>,
    request_code: Constant<Bits<8>>,
    response_code: Constant<Bits<8>>,
    foreign: Constant<Bits<8>>,
}

impl Default for ExtractSlot {
    fn default() -> Self {
        let code = |subtype: SpcSubtype| Constant::new(u64::from(subtype.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            valid: Default::default(),
            flit: Default::default(),
            up_en: Default::default(),
            phase_ok: Default::default(),
            payload: Default::default(),
            low: Default::default(),
            high: Default::default(),
            request: Default::default(),
            response: Default::default(),
            not_upstream: Default::default(),
            phase_invalid: Default::default(),
            unknown: Default::default(),
            data: Default::default(),
            is_low: Default::default(),
            is_high: Default::default(),
            is_request: Default::default(),
            is_response: Default::default(),
            is_foreign: Default::default(),
            is_blind: Default::default(),
            is_unknown: Default::default(),
            special: Default::default(),
            enabled: Default::default(),
            opcode: Default::default(),
            subtype: Default::default(),
            tree: Default::default(),
            time: Default::default(),
            spc: Constant::new(u64::from(Opcode::Spc.code()).into()),
            low_code: code(SpcSubtype::MasterTimeLow),
            high_code: code(SpcSubtype::MasterTimeHigh),
            request_code: code(SpcSubtype::DelayReq),
            response_code: code(SpcSubtype::DelayResp),
            foreign: code(SpcSubtype::NeighbourIdentity),
        }
    }
}

impl Logic for ExtractSlot {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            data,
            is_low,
            is_high,
            is_request,
            is_response,
            is_foreign,
            is_blind,
            is_unknown
        );
        self.opcode.next = self.flit.val().get_bits::<9>(56);
        self.special.next = self.valid.val() & (self.opcode.val() == self.spc.val()) & !self.clear.val();
        self.subtype.next = self.flit.val().get_bits::<8>(48);
        self.tree.next = self.flit.val().get_bits::<2>(40);
        self.enabled.next = self.up_en.val().get_bit(self.tree.val().index());
        self.data.d.next = self.flit.val().get_bits::<48>(0);
        self.is_low.d.next = self.special.val()
            & (self.subtype.val() == self.low_code.val())
            & self.enabled.val()
            & self.phase_ok.val();
        self.is_high.d.next =
            self.special.val() & (self.subtype.val() == self.high_code.val()) & self.enabled.val();
        self.is_request.d.next = self.special.val() & (self.subtype.val() == self.request_code.val());
        self.is_response.d.next = self.special.val() & (self.subtype.val() == self.response_code.val());
        self.is_foreign.d.next = self.special.val()
            & ((self.subtype.val() == self.low_code.val()) | (self.subtype.val() == self.high_code.val()))
            & !self.enabled.val();
        self.is_blind.d.next = self.special.val()
            & (self.subtype.val() == self.low_code.val())
            & self.enabled.val()
            & !self.phase_ok.val();
        self.time.next = (self.subtype.val() == self.low_code.val())
            | (self.subtype.val() == self.high_code.val())
            | (self.subtype.val() == self.request_code.val())
            | (self.subtype.val() == self.response_code.val());
        self.is_unknown.d.next =
            self.special.val() & !self.time.val() & (self.subtype.val() < self.foreign.val());
        self.payload.next = self.data.q.val();
        self.low.next = self.is_low.q.val();
        self.high.next = self.is_high.q.val();
        self.request.next = self.is_request.q.val();
        self.response.next = self.is_response.q.val();
        self.not_upstream.next = self.is_foreign.q.val();
        self.phase_invalid.next = self.is_blind.q.val();
        self.unknown.next = self.is_unknown.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("extract_slot", &[])
    }
}

drive_ports!(impl[] ExtractSlot {
    clock, clear, valid, flit, up_en, phase_ok, payload, low, high, request, response, not_upstream, phase_invalid, unknown,
});

const _: () =
    assert!(FLIT_BITS == 65 && master_time_low::tree::LOW == 40 && master_time_high::tree::LOW == 40);
