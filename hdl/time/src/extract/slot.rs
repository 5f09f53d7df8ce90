//! What the flit in a slot is to fabric time.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{Opcode, SpcSubtype, FLIT_BITS};
use flitforge_protocol::time::{master_time_high, master_time_low};

/// One slot of a beat (chapter 20, 4.3 rules 2 and 3). All outputs are registers, one clock after `valid`.
#[block("extract_slot")]
pub struct ExtractSlot {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The beat is there.
    valid: In<Bit>,
    /// The flit.
    flit: In<Bits<FLIT_BITS>>,
    /// Trees that have their upstream port here.
    up_en: In<Bits<4>>,
    /// Lows have a valid line phase, or need none.
    phase_ok: In<Bit>,
    /// The flit's payload.
    payload: Out<Bits<48>>,
    /// A Low that is passed on.
    low: Out<Bit>,
    /// A High that is passed on.
    high: Out<Bit>,
    /// A DelayReq.
    request: Out<Bit>,
    /// A DelayResp.
    response: Out<Bit>,
    /// NOT_UPSTREAM.
    not_upstream: Out<Bit>,
    /// PHASE_INVALID.
    phase_invalid: Out<Bit>,
    /// UNKNOWN_SUB.
    unknown: Out<Bit>,
    data: Reg<Bits<48>>,
    is_low: Reg<Bit>,
    is_high: Reg<Bit>,
    is_request: Reg<Bit>,
    is_response: Reg<Bit>,
    is_foreign: Reg<Bit>,
    is_phase_invalid: Reg<Bit>,
    is_unknown: Reg<Bit>,
    special: Local<Bit>,
    enabled: Local<Bit>,
    #[init(Opcode::Spc)]
    spc: Constant<Bits<9>>,
    #[init(SpcSubtype::MasterTimeLow)]
    low_code: Constant<Bits<8>>,
    #[init(SpcSubtype::MasterTimeHigh)]
    high_code: Constant<Bits<8>>,
    #[init(SpcSubtype::DelayReq)]
    request_code: Constant<Bits<8>>,
    #[init(SpcSubtype::DelayResp)]
    response_code: Constant<Bits<8>>,
    #[init(SpcSubtype::NeighbourIdentity)]
    foreign: Constant<Bits<8>>,
}

#[logic]
impl ExtractSlot {
    fn update(&mut self) {
        let opcode = flit.bits::<9>(56);
        special = valid & (opcode == spc) & !clear;
        let subtype = flit.bits::<8>(48);
        let tree = flit.bits::<2>(40);
        enabled = up_en[tree];
        data = flit.bits::<48>(0);
        is_low = special & (subtype == low_code) & enabled & phase_ok;
        is_high = special & (subtype == high_code) & enabled;
        is_request = special & (subtype == request_code);
        is_response = special & (subtype == response_code);
        is_foreign = special & ((subtype == low_code) | (subtype == high_code)) & !enabled;
        is_phase_invalid = special & (subtype == low_code) & enabled & !phase_ok;
        let time = (subtype == low_code)
            | (subtype == high_code)
            | (subtype == request_code)
            | (subtype == response_code);
        is_unknown = special & !time & (subtype < foreign);
        payload = data;
        low = is_low;
        high = is_high;
        request = is_request;
        response = is_response;
        not_upstream = is_foreign;
        phase_invalid = is_phase_invalid;
        unknown = is_unknown;
    }
}

const _: () =
    assert!(FLIT_BITS == 65 && master_time_low::tree::LOW == 40 && master_time_high::tree::LOW == 40);
