//! Time flits of an HFI on their way to plane X.

use crate::generator::BEAT_BITS;
use crate::inject::{OtherBeat, REQUEST_BITS, RESPONSE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{control, spc, Opcode, SpcSubtype, FLIT_BITS};

/// The generator's beats and the markers of `link_delay` (chapter 20, 4.11 rules 2 to 4), `F` flits per beat, `FLITS_W` = 65 F.
///
/// - Order: a Low with its High, `response`, `request`, a lone High. A Low of `generated` is offered in the same clock, the others a clock later; in the clock
///   behind one in which a beat was taken only a Low is. Exact.
/// - `time_out.data` is that of the clock in which it stands; `response.data` is of one taken in the next clock, and its `ready`, as `request`'s, is the
///   clock of plane X. `valid` falls where `generated` is taken back or `hold` comes.
/// - `hold`: what `generated` offers is taken and removed, `epoch_hold` tells every flit.
/// - `advanced`: a Low that is not taken for the first time while the link is closed in ADVANCE. Events come 1 clock later.
/// - With F = 1 there is no room for a Low's High: the generator has them apart (HIGH_MODE 1).
/// - `clear`: no marker and no High is offered in the next clock, no event tells what happens in this one.
#[block("time_merge", new, f = F)]
pub struct TimeMerge<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// ADVANCE: a closed link is waited for; 0 DROP.
    advance: In<Bit>,
    /// Lows and Highs are removed.
    hold: In<Bit>,
    /// `tx_open` of the link.
    tx_open: In<Bit>,
    /// Beats of `time_gen`.
    pub generated: StreamIn<Bits<BEAT_BITS>>,
    /// Tag of a DelayReq.
    pub request: StreamIn<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp.
    pub response: StreamIn<Bits<RESPONSE_BITS>>,
    /// Beats for plane X: slot 0 a time flit, slot 1 the Low's High, other slots Idle.
    pub time_out: StreamOut<Bits<FLITS_W>>,
    /// Event by slot: a Low or a High was taken (INJECTED).
    injected: Out<Bits<2>>,
    /// Event: ADVANCED.
    advanced: Out<Bit>,
    /// Event by slot: EPOCH_HOLD.
    epoch_hold: Out<Bits<2>>,
    #[wire(clock, clear)]
    other: OtherBeat,
    injected_now: Reg<Bits<2>>,
    held_now: Reg<Bits<2>>,
    advanced_now: Reg<Bit>,
    met_closed: Reg<Bit>,
    is_low: Local<Bit>,
    is_lone: Local<Bit>,
    low_offered: Local<Bit>,
    high_offered: Local<Bit>,
    other_offered: Local<Bit>,
    offered: Local<Bit>,
    taken: Local<Bit>,
    waits_closed: Local<Bit>,
    slots: Local<Bits<2>>,
    head: Local<Bits<FLIT_BITS>>,
    is_second: [Constant<Bit>; F],
    #[init(|slot| slot * FLIT_BITS)]
    slot_shift: [Constant<Bits<9>>; F],
    #[init(0)]
    nothing: Constant<Bits<2>>,
    request_header: Constant<Bits<FLIT_BITS>>,
    response_header: Constant<Bits<FLIT_BITS>>,
}

/// A special flit without its payload.
fn header(subtype: SpcSubtype) -> Constant<Bits<FLIT_BITS>> {
    let special = spc::subtype::FIELD.set(0, subtype.code().into());
    let payload = control::payload::FIELD.set(0, special as u64);
    Constant::new((control::opcode::FIELD.set(payload, Opcode::Spc.code().into()) as u64).into())
}

#[logic]
impl<const F: usize, const FLITS_W: usize> TimeMerge<F, FLITS_W> {
    /// For a link of `F` flits per beat, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        check_one_of("time_hfi", "flits", F as u64, &FLITS_PER_BEAT.map(|flits| flits as u64))?;
        check_derived("time_hfi", "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        Ok(Self {
            is_second: std::array::from_fn(|slot| Constant::new(slot == 1)),
            request_header: header(SpcSubtype::DelayReq),
            response_header: header(SpcSubtype::DelayResp),
            ..
        })
    }

    fn update(&mut self) {
        // What is offered: the lowest bits of the subtype tell a Low from a High.
        is_low = generated.valid & generated.data[48];
        is_lone = generated.valid & !generated.data[48];
        low_offered = is_low & !hold;
        high_offered = is_lone & other.is_high & !hold & !low_offered;
        other_offered = other.valid & !low_offered & (!other.is_high | high_offered);
        offered = low_offered | other_offered;
        taken = time_out.ready & offered;
        time_out.valid = offered;
        generated.ready = (hold & !clear) | (taken & (low_offered | high_offered));
        other = In { taken, high: is_lone & !hold };
        other.response = In { valid: response.valid, data: bit_cast::<48, RESPONSE_BITS>(response.data) };
        other.request = In { valid: request.valid, data: bit_cast::<48, REQUEST_BITS>(request.data) };
        response.ready = taken & other_offered & other.is_response & !clear;
        request.ready = taken & other_offered & other.is_request & !clear;

        // The beat.
        let mut marker = request_header;
        if other.is_response {
            marker = response_header;
        }
        head = marker | bit_cast::<FLIT_BITS, 48>(other.payload);
        if low_offered | other.is_high {
            head = generated.data.bits::<FLIT_BITS>(0);
        }
        let mut word = bit_cast::<FLITS_W, FLIT_BITS>(head);
        for i in 0..F {
            if is_second[i] & low_offered {
                word = word
                    | (bit_cast::<FLITS_W, FLIT_BITS>(generated.data.bits::<FLIT_BITS>(65)) << slot_shift[i]);
            }
        }
        time_out.data = word;

        // Events.
        slots = nothing.with(0, generated.valid).with(1, is_low & generated.data[114]);
        injected_now = nothing;
        held_now = nothing;
        waits_closed = low_offered & !taken & (met_closed | (advance & !tx_open));
        met_closed = waits_closed & !clear;
        advanced_now = waits_closed & !met_closed & !clear;
        if !clear {
            if hold {
                held_now = slots;
            }
            if taken & (low_offered | high_offered) {
                injected_now = slots;
            }
        }
        injected = injected_now;
        epoch_hold = held_now;
        advanced = advanced_now;
    }
}

const _: () = assert!(FLIT_BITS == 65 && BEAT_BITS == 2 * FLIT_BITS && spc::subtype::LOW == 48);
const _: () = assert!(SpcSubtype::MasterTimeLow.code() == 1 && SpcSubtype::MasterTimeHigh.code() == 2);
