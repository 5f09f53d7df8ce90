//! Time flits of an HFI on their way to plane X.

use crate::config::{check_derived, check_one_of, ConfigError};
use crate::prim::stream::{StreamIn, StreamOut};
use crate::time::generator::BEAT_BITS;
use crate::time::inject::{OtherBeat, REQUEST_BITS, RESPONSE_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{control, spc, Opcode, SpcSubtype, FLIT_BITS};

/// The generator's beats and the markers of `link_delay` (chapter 20, 4.11 rules 2 to 4), `F` flits per beat, `FLITS_W` = 65 F.
///
/// - Order: a Low with its High, `response`, `request`, a lone High. A Low of `generated` is offered in the same clock, the others a clock later; in the clock
///   behind one in which a beat was taken only a Low is. Exact.
/// - `time_out.data` is that of the clock in which it stands; `response.data` is of one taken in the next clock, and its `ready`, as `request`'s, is the
///   clock of plane X. `valid` falls where `generated` is taken back or `hold` comes.
/// - `hold`: what `generated` offers is taken and removed, `epoch_hold` tells every flit.
/// - `advanced`: a Low that is not taken for the first time while the link is closed in ADVANCE. Events come 1 clock behind.
/// - With F = 1 there is no room for a Low's High: the generator has them apart (HIGH_MODE 1).
/// - `clear`: no marker and no High is offered in the next clock, no event tells what happens in this one.
#[derive(LogicBlock)]
pub struct TimeMerge<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// ADVANCE: a closed link is waited for; 0 DROP.
    pub advance: Signal<In, Bit>,
    /// Lows and Highs are removed.
    pub hold: Signal<In, Bit>,
    /// `tx_open` of the link.
    pub tx_open: Signal<In, Bit>,
    /// Beats of `time_gen`.
    pub generated: StreamIn<Bits<BEAT_BITS>>,
    /// Tag of a DelayReq.
    pub request: StreamIn<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp.
    pub response: StreamIn<Bits<RESPONSE_BITS>>,
    /// Beats for plane X: slot 0 a time flit, slot 1 the Low's High, other slots Idle.
    pub time_out: StreamOut<Bits<FLITS_W>>,
    /// Event by slot: a Low or a High was taken (INJECTED).
    pub injected: Signal<Out, Bits<2>>,
    /// Event: ADVANCED.
    pub advanced: Signal<Out, Bit>,
    /// Event by slot: EPOCH_HOLD.
    pub epoch_hold: Signal<Out, Bits<2>>,
    other: OtherBeat,
    injected_now: DFF<Bits<2>>,
    held_now: DFF<Bits<2>>,
    advanced_now: DFF<Bit>,
    met_closed: DFF<Bit>,
    is_low: Signal<Local, Bit>,
    is_lone: Signal<Local, Bit>,
    low_offered: Signal<Local, Bit>,
    high_offered: Signal<Local, Bit>,
    other_offered: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    waits_closed: Signal<Local, Bit>,
    slots: Signal<Local, Bits<2>>,
    head: Signal<Local, Bits<FLIT_BITS>>,
    marker: Signal<Local, Bits<FLIT_BITS>>,
    word: Signal<Local, Bits<FLITS_W>>,
    is_second: [Constant<Bit>; F],
    slot_shift: [Constant<Bits<9>>; F],
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

impl<const F: usize, const FLITS_W: usize> TimeMerge<F, FLITS_W> {
    /// For a link of `F` flits per beat, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        check_one_of("time_hfi", "flits", F as u64, &FLITS_PER_BEAT.map(|flits| flits as u64))?;
        check_derived("time_hfi", "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            advance: Default::default(),
            hold: Default::default(),
            tx_open: Default::default(),
            generated: Default::default(),
            request: Default::default(),
            response: Default::default(),
            time_out: Default::default(),
            injected: Default::default(),
            advanced: Default::default(),
            epoch_hold: Default::default(),
            other: Default::default(),
            injected_now: Default::default(),
            held_now: Default::default(),
            advanced_now: Default::default(),
            met_closed: Default::default(),
            is_low: Default::default(),
            is_lone: Default::default(),
            low_offered: Default::default(),
            high_offered: Default::default(),
            other_offered: Default::default(),
            offered: Default::default(),
            taken: Default::default(),
            waits_closed: Default::default(),
            slots: Default::default(),
            head: Default::default(),
            marker: Default::default(),
            word: Default::default(),
            is_second: std::array::from_fn(|slot| Constant::new(slot == 1)),
            slot_shift: std::array::from_fn(|slot| Constant::new(((slot * FLIT_BITS) as u64).into())),
            nothing: Constant::new(0.into()),
            request_header: header(SpcSubtype::DelayReq),
            response_header: header(SpcSubtype::DelayResp),
        })
    }
}

impl<const F: usize, const FLITS_W: usize> Logic for TimeMerge<F, FLITS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, injected_now, held_now, advanced_now, met_closed);
        clock!(self, clock, other);
        self.other.clear.next = self.clear.val();

        // What is offered: the lowest bits of the subtype tell a Low from a High.
        self.is_low.next = self.generated.valid.val() & self.generated.data.val().get_bit(48);
        self.is_lone.next = self.generated.valid.val() & !self.generated.data.val().get_bit(48);
        self.low_offered.next = self.is_low.val() & !self.hold.val();
        self.high_offered.next =
            self.is_lone.val() & self.other.is_high.val() & !self.hold.val() & !self.low_offered.val();
        self.other_offered.next = self.other.valid.val()
            & !self.low_offered.val()
            & (!self.other.is_high.val() | self.high_offered.val());
        self.offered.next = self.low_offered.val() | self.other_offered.val();
        self.taken.next = self.time_out.ready.val() & self.offered.val();
        self.time_out.valid.next = self.offered.val();
        self.generated.ready.next = (self.hold.val() & !self.clear.val())
            | (self.taken.val() & (self.low_offered.val() | self.high_offered.val()));
        self.other.taken.next = self.taken.val();
        self.other.high.next = self.is_lone.val() & !self.hold.val();
        self.other.response.valid.next = self.response.valid.val();
        self.other.response.data.next = bit_cast::<48, RESPONSE_BITS>(self.response.data.val());
        self.other.request.valid.next = self.request.valid.val();
        self.other.request.data.next = bit_cast::<48, REQUEST_BITS>(self.request.data.val());
        self.response.ready.next =
            self.taken.val() & self.other_offered.val() & self.other.is_response.val() & !self.clear.val();
        self.request.ready.next =
            self.taken.val() & self.other_offered.val() & self.other.is_request.val() & !self.clear.val();

        // The beat.
        self.marker.next = self.request_header.val();
        if self.other.is_response.val() {
            self.marker.next = self.response_header.val();
        }
        self.head.next = self.marker.val() | bit_cast::<FLIT_BITS, 48>(self.other.payload.val());
        if self.low_offered.val() | self.other.is_high.val() {
            self.head.next = self.generated.data.val().get_bits::<FLIT_BITS>(0);
        }
        self.word.next = bit_cast::<FLITS_W, FLIT_BITS>(self.head.val());
        for i in 0..F {
            if self.is_second[i].val() & self.low_offered.val() {
                self.word.next = self.word.val()
                    | (bit_cast::<FLITS_W, FLIT_BITS>(self.generated.data.val().get_bits::<FLIT_BITS>(65))
                        << self.slot_shift[i].val());
            }
        }
        self.time_out.data.next = self.word.val();

        // Events.
        self.slots.next = self
            .nothing
            .val()
            .replace_bit(0, self.generated.valid.val())
            .replace_bit(1, self.is_low.val() & self.generated.data.val().get_bit(114));
        self.injected_now.d.next = self.nothing.val();
        self.held_now.d.next = self.nothing.val();
        self.waits_closed.next = self.low_offered.val()
            & !self.taken.val()
            & (self.met_closed.q.val() | (self.advance.val() & !self.tx_open.val()));
        self.met_closed.d.next = self.waits_closed.val() & !self.clear.val();
        self.advanced_now.d.next = self.waits_closed.val() & !self.met_closed.q.val() & !self.clear.val();
        if !self.clear.val() {
            if self.hold.val() {
                self.held_now.d.next = self.slots.val();
            }
            if self.taken.val() & (self.low_offered.val() | self.high_offered.val()) {
                self.injected_now.d.next = self.slots.val();
            }
        }
        self.injected.next = self.injected_now.q.val();
        self.epoch_hold.next = self.held_now.q.val();
        self.advanced.next = self.advanced_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_merge", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize] TimeMerge<F, FLITS_W> {
    clock, clear, advance, hold, tx_open, generated, request, response, time_out, injected, advanced, epoch_hold,
});

const _: () = assert!(FLIT_BITS == 65 && BEAT_BITS == 2 * FLIT_BITS && spc::subtype::LOW == 48);
const _: () = assert!(SpcSubtype::MasterTimeLow.code() == 1 && SpcSubtype::MasterTimeHigh.code() == 2);
