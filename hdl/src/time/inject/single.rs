//! One tree, one flit per beat.

use super::arrival::places;
use super::{header, OtherBeat, RingWait, TreeWait};
use super::{COPY_BITS, REQUEST_BITS, RESPONSE_BITS, RING_WAIT_BITS, RUNNING_BITS};
use crate::config::{check_derived, ConfigError};
use crate::prim::stream::{FlowIn, StreamIn, StreamOut};
use crate::time::ring::CONTROL_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{SpcSubtype, FLIT_BITS};
use flitforge_protocol::time::{LAG_BITS, TX_WAIT_BITS, VALUE_BITS, WPER_LATE_CLOCKS};
use flitforge_protocol::time_ring::{slot_control as slot, Embed, SlotKind};
use flitforge_protocol::time_servo::{LAG_AHEAD_CLOCKS, PERIOD_BITS, PERIOD_FRAC};

/// Bits of a lag in 1/16 ns.
const COARSE_BITS: usize = LAG_BITS - 3;
/// Bits of lag and wait on the ring together.
const ADDED_BITS: usize = COARSE_BITS + 1;

/// A [`TimeInject`](super::TimeInject) of one flit per beat for tree 0 alone, of a fraction of the size: N_TREES = 1.
///
/// - Ports as there; of what is by tree, the lowest element counts. Equal in every clock to a `TimeInject` that no other tree is copied to.
/// - A waiting Low is in a register that WPER is added to, instead of one memory for each ring and a sum that all share.
/// - A good copy of another tree is not looked at. Of two copies in one clock, which only a change of RING_SEL can bring, the clockwise one
///   counts, and the other is not looked at either.
/// - `clear` drops what waits and what comes; nothing is offered in the next clock.
#[derive(LogicBlock)]
pub struct TimeInjectSingle<const FLITS_W: usize, const W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Data of copies, clockwise and counter-clockwise.
    pub copy: [FlowIn<Bits<W>>; 2],
    /// Their control bits.
    pub copy_control: [Signal<In, Bits<CONTROL_BITS>>; 2],
    /// EXP_SRC of each tree, six bits.
    pub sources: Signal<In, Bits<24>>,
    /// RPER, ring clock period, 6.20 ns.
    pub rper: Signal<In, Bits<PERIOD_BITS>>,
    /// WPER, core clock period, 6.20 ns.
    pub wper: Signal<In, Bits<PERIOD_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub lag: Signal<In, Bits<LAG_BITS>>,
    /// ADVANCE.
    pub advance: Signal<In, Bit>,
    /// EPOCH_HOLD.
    pub hold: Signal<In, Bit>,
    /// TX_WAIT_MAX, clocks.
    pub tx_wait_max: Signal<In, Bits<TX_WAIT_BITS>>,
    /// A DelayReq.
    pub request: StreamIn<Bits<REQUEST_BITS>>,
    /// A DelayResp.
    pub response: StreamIn<Bits<RESPONSE_BITS>>,
    /// `tx_open` of the link.
    pub tx_open: Signal<In, Bit>,
    /// `time_mode` of the link.
    pub time_mode: Signal<Out, Bit>,
    /// Beats for `time_in` of the link.
    pub time_out: StreamOut<Bits<FLITS_W>>,
    /// Event: a Low or a High was taken (INJECTED).
    pub injected: Signal<Out, Bits<2>>,
    /// Event: ADVANCED.
    pub advanced: Signal<Out, Bits<4>>,
    /// Event: TX_WAIT_OVER.
    pub wait_over: Signal<Out, Bits<8>>,
    /// Event: EPOCH_HOLD.
    pub epoch_hold: Signal<Out, Bits<8>>,
    /// Event by ring: RING_PARITY.
    pub ring_parity: Signal<Out, Bits<2>>,
    /// Event by ring: WRONG_SRC.
    pub wrong_source: Signal<Out, Bits<2>>,
    ring_waits: RingWait,
    other: OtherBeat,
    tree: TreeWait,
    // What came.
    low_now: DFF<Bit>,
    high_now: DFF<Bit>,
    parity_now: DFF<Bits<2>>,
    source_now: DFF<Bits<2>>,
    // The Low: its value without lag and wait on the ring, with what it waited here; 2^-20 ns.
    time: DFF<Bits<RUNNING_BITS>>,
    ring_time: DFF<Bits<RING_WAIT_BITS>>,
    era: DFF<Bits<2>>,
    period: DFF<Bits<PERIOD_BITS>>,
    rounded: DFF<Bits<COARSE_BITS>>,
    rounded_late: DFF<Bits<COARSE_BITS>>,
    added: DFF<Bits<ADDED_BITS>>,
    late: DFF<Bit>,
    limit: DFF<Bits<TX_WAIT_BITS>>,
    limit_is_none: DFF<Bit>,
    limit_is_one: DFF<Bit>,
    // The High.
    high: DFF<Bits<COPY_BITS>>,
    high_waits: DFF<Bit>,
    high_held: DFF<Bit>,
    injected_now: DFF<Bit>,

    data: Signal<Local, Bits<W>>,
    control: Signal<Local, Bits<CONTROL_BITS>>,
    wait: Signal<Local, Bits<RING_WAIT_BITS>>,
    comes: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    bad_parity: Signal<Local, Bit>,
    bad_source: Signal<Local, Bit>,
    good_low: Signal<Local, Bit>,
    fields: Signal<Local, Bits<COPY_BITS>>,
    raw: Signal<Local, Bits<VALUE_BITS>>,
    wide_lag: Signal<Local, Bits<21>>,
    wait_kept: Signal<Local, Bits<RING_WAIT_BITS>>,
    wide_added: Signal<Local, Bits<VALUE_BITS>>,
    value: Signal<Local, Bits<VALUE_BITS>>,
    goes: Signal<Local, Bit>,
    high_here: Signal<Local, Bit>,
    lone: Signal<Local, Bit>,
    other_offered: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    payload: Signal<Local, Bits<48>>,
    header: Signal<Local, Bits<FLIT_BITS>>,
    checked: Constant<Bits<CONTROL_BITS>>,
    low_kind: Constant<Bits<2>>,
    high_kind: Constant<Bits<2>>,
    nibble_place: Constant<Bits<6>>,
    era_place: Constant<Bits<6>>,
    half: Constant<Bits<RUNNING_BITS>>,
    half_lag: Constant<Bits<21>>,
    minus: Constant<Bits<VALUE_BITS>>,
    single: Constant<Bits<TX_WAIT_BITS>>,
    low_header: Constant<Bits<FLIT_BITS>>,
    high_header: Constant<Bits<FLIT_BITS>>,
    request_header: Constant<Bits<FLIT_BITS>>,
    response_header: Constant<Bits<FLIT_BITS>>,
}

impl<const FLITS_W: usize, const W: usize> TimeInjectSingle<FLITS_W, W> {
    /// At rings of this embodiment, or the reason why not.
    pub fn new(embed: Embed) -> Result<Self, ConfigError> {
        check_derived("time_inject", "FLITS_W", FLITS_W as u64, "bits of a flit", FLIT_BITS as u64)?;
        check_derived("time_inject", "W", W as u64, "data bits of the slot", embed.data_bits() as u64)?;
        let (nibble, era) = places(embed);
        let checked =
            (1_u64 << CONTROL_BITS) - 1 - slot::mon::FIELD.mask() as u64 - slot::v::FIELD.mask() as u64;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            sources: Default::default(),
            rper: Default::default(),
            wper: Default::default(),
            lag: Default::default(),
            advance: Default::default(),
            hold: Default::default(),
            tx_wait_max: Default::default(),
            request: Default::default(),
            response: Default::default(),
            tx_open: Default::default(),
            time_mode: Default::default(),
            time_out: Default::default(),
            injected: Default::default(),
            advanced: Default::default(),
            wait_over: Default::default(),
            epoch_hold: Default::default(),
            ring_parity: Default::default(),
            wrong_source: Default::default(),
            ring_waits: Default::default(),
            other: Default::default(),
            tree: Default::default(),
            low_now: Default::default(),
            high_now: Default::default(),
            parity_now: Default::default(),
            source_now: Default::default(),
            time: Default::default(),
            ring_time: Default::default(),
            era: Default::default(),
            period: Default::default(),
            rounded: Default::default(),
            rounded_late: Default::default(),
            added: Default::default(),
            late: Default::default(),
            limit: Default::default(),
            limit_is_none: Default::default(),
            limit_is_one: Default::default(),
            high: Default::default(),
            high_waits: Default::default(),
            high_held: Default::default(),
            injected_now: Default::default(),
            data: Default::default(),
            control: Default::default(),
            wait: Default::default(),
            comes: Default::default(),
            odd: Default::default(),
            own: Default::default(),
            known: Default::default(),
            good: Default::default(),
            bad_parity: Default::default(),
            bad_source: Default::default(),
            good_low: Default::default(),
            fields: Default::default(),
            raw: Default::default(),
            wide_lag: Default::default(),
            wait_kept: Default::default(),
            wide_added: Default::default(),
            value: Default::default(),
            goes: Default::default(),
            high_here: Default::default(),
            lone: Default::default(),
            other_offered: Default::default(),
            taken: Default::default(),
            payload: Default::default(),
            header: Default::default(),
            checked: Constant::new(checked.into()),
            low_kind: Constant::new(u64::from(SlotKind::Low.code()).into()),
            high_kind: Constant::new(u64::from(SlotKind::High.code()).into()),
            nibble_place: Constant::new(nibble.into()),
            era_place: Constant::new(era.into()),
            half: Constant::new(0x8000.into()),
            half_lag: Constant::new(8.into()),
            minus: Constant::new(((1_u64 << VALUE_BITS) - (1 << ADDED_BITS)).into()),
            single: Constant::new(1.into()),
            low_header: header(SpcSubtype::MasterTimeLow),
            high_header: header(SpcSubtype::MasterTimeHigh),
            request_header: header(SpcSubtype::DelayReq),
            response_header: header(SpcSubtype::DelayResp),
        })
    }
}

impl<const FLITS_W: usize, const W: usize> Logic for TimeInjectSingle<FLITS_W, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low_now, high_now, parity_now, source_now, time, ring_time, era, period);
        dff_setup!(self, clock, rounded, rounded_late, added, late, limit, limit_is_none, limit_is_one);
        dff_setup!(self, clock, high, high_waits, high_held, injected_now);
        clock!(self, clock, ring_waits, other, tree);
        self.other.clear.next = self.clear.val();
        self.tree.clear.next = self.clear.val();

        // What comes from the rings, and whether it is good.
        self.ring_waits.rper.next = self.rper.val();
        self.data.next = self.copy[1].data.val();
        self.control.next = self.copy_control[1].val();
        if self.copy[0].valid.val() {
            self.data.next = self.copy[0].data.val();
            self.control.next = self.copy_control[0].val();
        }
        self.ring_waits.cycles[0].next = self.control.val().get_bits::<4>(13);
        self.ring_waits.cycles[1].next = 0.into();
        self.wait.next = self.ring_waits.time[0].val();
        self.comes.next = (self.copy[0].valid.val() | self.copy[1].valid.val()) & !self.clear.val();
        self.own.next = !self.control.val().get_bits::<2>(6).any();
        self.odd.next = self.data.val().xor() ^ (self.control.val() & self.checked.val()).xor();
        self.known.next = self.control.val().get_bits::<6>(0) == self.sources.val().get_bits::<6>(0);
        self.good.next = self.comes.val() & !self.odd.val() & self.own.val() & self.known.val();
        self.bad_parity.next = self.comes.val() & self.odd.val();
        self.bad_source.next = self.comes.val() & !self.odd.val() & self.own.val() & !self.known.val();
        self.good_low.next = self.good.val() & (self.control.val().get_bits::<2>(8) == self.low_kind.val());
        self.low_now.d.next = self.good_low.val();
        self.high_now.d.next =
            self.good.val() & (self.control.val().get_bits::<2>(8) == self.high_kind.val());
        self.parity_now.d.next = 0.into();
        self.source_now.d.next = 0.into();
        if self.copy[0].valid.val() {
            self.parity_now.d.next = bit_cast::<2, 1>(self.bad_parity.val().into());
            self.source_now.d.next = bit_cast::<2, 1>(self.bad_source.val().into());
        } else {
            self.parity_now.d.next = bit_cast::<2, 1>(self.bad_parity.val().into()) << 1;
            self.source_now.d.next = bit_cast::<2, 1>(self.bad_source.val().into()) << 1;
        }
        self.ring_parity.next = self.parity_now.q.val();
        self.wrong_source.next = self.source_now.q.val();
        self.fields.next = bit_cast::<COPY_BITS, 40>(self.data.val().get_bits::<40>(0))
            | (bit_cast::<COPY_BITS, 4>(self.data.val().get_bits::<4>(self.nibble_place.val().index()))
                << 40)
            | (bit_cast::<COPY_BITS, 2>(self.data.val().get_bits::<2>(self.era_place.val().index())) << 44);
        self.raw.next = (bit_cast::<VALUE_BITS, 40>(self.fields.val().get_bits::<40>(0)) << 4)
            | bit_cast::<VALUE_BITS, 4>(self.fields.val().get_bits::<4>(40));

        // The Low: half a unit above its value from the first clock on, and WPER in every further one.
        self.period.d.next = self.wper.val();
        self.time.d.next = self.time.q.val() + bit_cast::<RUNNING_BITS, PERIOD_BITS>(self.period.q.val());
        self.wait_kept.next = self.ring_time.q.val();
        if self.good_low.val() {
            self.time.d.next = (bit_cast::<RUNNING_BITS, VALUE_BITS>(self.raw.val()) << 16) | self.half.val();
            self.wait_kept.next = self.wait.val();
            self.era.d.next = self.fields.val().get_bits::<2>(44);
        }
        self.ring_time.d.next = self.wait_kept.val();
        self.wide_lag.next = bit_cast::<21, LAG_BITS>(self.lag.val())
            .replace_bit(20, self.lag.val().get_bit(19))
            + self.half_lag.val();
        self.rounded.d.next = self.wide_lag.val().get_bits::<COARSE_BITS>(4);
        self.rounded_late.d.next = self.rounded.q.val();
        self.added.d.next = bit_cast::<ADDED_BITS, COARSE_BITS>(self.rounded_late.q.val())
            .replace_bit(17, self.rounded_late.q.val().get_bit(16))
            + bit_cast::<ADDED_BITS, RING_WAIT_BITS>(self.wait_kept.val());
        self.wide_added.next = bit_cast::<VALUE_BITS, ADDED_BITS>(self.added.q.val());
        if self.added.q.val().get_bit(17) {
            self.wide_added.next = bit_cast::<VALUE_BITS, ADDED_BITS>(self.added.q.val()) | self.minus.val();
        }
        self.value.next = self.time.q.val().get_bits::<VALUE_BITS>(16) + self.wide_added.val();

        // Whether it goes, or what else.
        self.goes.next = (self.low_now.q.val() | self.late.q.val()) & !self.hold.val();
        self.other_offered.next = self.other.valid.val()
            & !self.goes.val()
            & !(self.other.is_high.val() & (self.hold.val() | self.high_now.q.val()));
        self.time_out.valid.next = self.goes.val() | self.other_offered.val();
        self.taken.next = self.time_out.ready.val() & (self.goes.val() | self.other_offered.val());

        // How long it may stay.
        self.limit.d.next = self.tx_wait_max.val();
        self.limit_is_none.d.next = !self.tx_wait_max.val().any();
        self.limit_is_one.d.next = self.tx_wait_max.val() == self.single.val();
        self.tree.came.next = self.low_now.q.val();
        self.tree.limit.next = self.limit.q.val();
        self.tree.limit_is_none.next = self.limit_is_none.q.val();
        self.tree.limit_is_one.next = self.limit_is_one.q.val();
        self.tree.taken.next = self.taken.val() & self.goes.val();
        self.tree.hold.next = self.hold.val();
        self.tree.closed.next = self.advance.val() & !self.tx_open.val();
        self.late.d.next = self.tree.stays.val() & !self.taken.val() & !self.hold.val() & !self.clear.val();

        // The High.
        if self.good.val() & (self.control.val().get_bits::<2>(8) == self.high_kind.val()) {
            self.high.d.next = self.fields.val();
        }
        self.high_here.next = self.high_waits.q.val() | self.high_now.q.val();
        self.lone.next = self.high_here.val() & !self.tree.stays.val() & !self.hold.val();
        self.high_waits.d.next = self.high_here.val()
            & !(self.taken.val() & self.other_offered.val() & self.other.is_high.val())
            & !self.hold.val()
            & !self.clear.val();
        self.high_held.d.next = self.high_here.val() & self.hold.val() & !self.clear.val();

        // Markers and lone Highs.
        self.other.high.next = self.lone.val();
        self.other.taken.next = self.taken.val();
        self.other.response.valid.next = self.response.valid.val();
        self.other.response.data.next = bit_cast::<48, RESPONSE_BITS>(self.response.data.val());
        self.other.request.valid.next = self.request.valid.val();
        self.other.request.data.next = bit_cast::<48, REQUEST_BITS>(self.request.data.val());
        self.response.ready.next =
            self.taken.val() & self.other_offered.val() & self.other.is_response.val() & !self.clear.val();
        self.request.ready.next =
            self.taken.val() & self.other_offered.val() & self.other.is_request.val() & !self.clear.val();

        // The beat.
        self.header.next = self.request_header.val();
        self.payload.next = self.other.payload.val();
        if self.other.is_response.val() {
            self.header.next = self.response_header.val();
        }
        if self.other.is_high.val() {
            self.header.next = self.high_header.val();
            self.payload.next = bit_cast::<48, 40>(self.high.q.val().get_bits::<40>(0))
                | (bit_cast::<48, 2>(self.high.q.val().get_bits::<2>(44)) << 42)
                | (bit_cast::<48, 4>(self.high.q.val().get_bits::<4>(40)) << 44);
        }
        if self.goes.val() {
            self.header.next = self.low_header.val();
            self.payload.next = bit_cast::<48, 40>(self.value.val().get_bits::<40>(4))
                | (bit_cast::<48, 2>(self.era.q.val()) << 42)
                | (bit_cast::<48, 4>(self.value.val().get_bits::<4>(0)) << 44);
        }
        self.time_out.data.next =
            bit_cast::<FLITS_W, FLIT_BITS>(self.header.val() | bit_cast::<FLIT_BITS, 48>(self.payload.val()));
        self.time_mode.next = self.advance.val();

        // Events.
        self.injected_now.d.next =
            self.taken.val() & !self.clear.val() & (self.goes.val() | self.other.is_high.val());
        self.injected.next = bit_cast::<2, 1>(self.injected_now.q.val().into());
        self.advanced.next = bit_cast::<4, 1>(self.tree.advanced.val().into());
        self.wait_over.next = bit_cast::<8, 1>(self.tree.overtaken.val().into())
            | (bit_cast::<8, 1>(self.tree.expired.val().into()) << 4);
        self.epoch_hold.next = bit_cast::<8, 1>(self.tree.held_back.val().into())
            | (bit_cast::<8, 1>(self.high_held.q.val().into()) << 4);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "time_inject",
            &[("f", "1".to_string()), ("data", W.to_string()), ("trees", "1".to_string())],
        )
    }
}

drive_ports!(impl[const FLITS_W: usize, const W: usize] TimeInjectSingle<FLITS_W, W> {
    clock, clear, copy, copy_control, sources, rper, wper, lag, advance, hold, tx_wait_max, request, response, tx_open,
    time_mode, time_out, injected, advanced, wait_over, epoch_hold, ring_parity, wrong_source,
});

// The positions written as numbers in `update`.
const _: () =
    assert!(slot::src::LOW == 0 && slot::src::WIDTH == 6 && slot::tree::LOW == 6 && slot::kind::LOW == 8);
const _: () =
    assert!(LAG_BITS == 20 && ADDED_BITS == 18 && RING_WAIT_BITS < COARSE_BITS && PERIOD_FRAC == 20);
const _: () = assert!(LAG_AHEAD_CLOCKS == 3 && WPER_LATE_CLOCKS == 1 && RUNNING_BITS == VALUE_BITS + 16);
