//! One tree, one flit per beat.

use super::arrival::places;
use super::{header, OtherBeat, RingWait, TreeWait};
use super::{COPY_BITS, REQUEST_BITS, RESPONSE_BITS, RING_WAIT_BITS, RUNNING_BITS};
use crate::ring::CONTROL_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{SpcSubtype, FLIT_BITS};
use flitforge_protocol::time::{LAG_BITS, TX_WAIT_BITS, VALUE_BITS, WPER_LATE_CLOCKS};
use flitforge_protocol::time_ring::{slot_control as slot, Embed, SlotKind};
use flitforge_protocol::time_servo::{LAG_LOOK_AHEAD_CLOCKS, PERIOD_BITS, PERIOD_FRAC};

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
#[block("time_inject", new, f = "1", data = W, trees = "1")]
pub struct TimeInjectSingle<const FLITS_W: usize, const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Data of copies, clockwise and counter-clockwise.
    pub copy: [FlowIn<Bits<W>>; 2],
    /// Their control bits.
    copy_control: [In<Bits<CONTROL_BITS>>; 2],
    /// EXP_SRC of each tree, six bits.
    sources: In<Bits<24>>,
    /// RPER, ring clock period, 6.20 ns.
    rper: In<Bits<PERIOD_BITS>>,
    /// WPER, core clock period, 6.20 ns.
    wper: In<Bits<PERIOD_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    lag: In<Bits<LAG_BITS>>,
    /// ADVANCE.
    advance: In<Bit>,
    /// EPOCH_HOLD.
    hold: In<Bit>,
    /// TX_WAIT_MAX, clocks.
    tx_wait_max: In<Bits<TX_WAIT_BITS>>,
    /// A DelayReq.
    pub request: StreamIn<Bits<REQUEST_BITS>>,
    /// A DelayResp.
    pub response: StreamIn<Bits<RESPONSE_BITS>>,
    /// `tx_open` of the link.
    tx_open: In<Bit>,
    /// `time_mode` of the link.
    time_mode: Out<Bit>,
    /// Beats for `time_in` of the link.
    pub time_out: StreamOut<Bits<FLITS_W>>,
    /// Event: a Low or a High was taken (INJECTED).
    injected: Out<Bits<2>>,
    /// Event: ADVANCED.
    advanced: Out<Bits<4>>,
    /// Event: TX_WAIT_OVER.
    wait_over: Out<Bits<8>>,
    /// Event: EPOCH_HOLD.
    epoch_hold: Out<Bits<8>>,
    /// Event by ring: RING_PARITY.
    ring_parity: Out<Bits<2>>,
    /// Event by ring: WRONG_SRC.
    wrong_source: Out<Bits<2>>,
    #[wire(clock)]
    ring_waits: RingWait,
    #[wire(clock, clear)]
    other: OtherBeat,
    #[wire(clock, clear)]
    tree: TreeWait,
    // What came.
    low_now: Reg<Bit>,
    high_now: Reg<Bit>,
    parity_now: Reg<Bits<2>>,
    source_now: Reg<Bits<2>>,
    // The Low: its value without lag and wait on the ring, with what it waited here; 2^-20 ns.
    time: Reg<Bits<RUNNING_BITS>>,
    ring_time: Reg<Bits<RING_WAIT_BITS>>,
    era: Reg<Bits<2>>,
    period: Reg<Bits<PERIOD_BITS>>,
    rounded: Reg<Bits<COARSE_BITS>>,
    rounded_late: Reg<Bits<COARSE_BITS>>,
    added: Reg<Bits<ADDED_BITS>>,
    late: Reg<Bit>,
    limit: Reg<Bits<TX_WAIT_BITS>>,
    limit_is_none: Reg<Bit>,
    limit_is_one: Reg<Bit>,
    // The High.
    high: Reg<Bits<COPY_BITS>>,
    high_waits: Reg<Bit>,
    high_held: Reg<Bit>,
    injected_now: Reg<Bit>,

    data: Local<Bits<W>>,
    control: Local<Bits<CONTROL_BITS>>,
    wait: Local<Bits<RING_WAIT_BITS>>,
    comes: Local<Bit>,
    odd: Local<Bit>,
    own: Local<Bit>,
    known: Local<Bit>,
    good: Local<Bit>,
    bad_parity: Local<Bit>,
    bad_source: Local<Bit>,
    good_low: Local<Bit>,
    fields: Local<Bits<COPY_BITS>>,
    raw: Local<Bits<VALUE_BITS>>,
    wide_lag: Local<Bits<21>>,
    wait_kept: Local<Bits<RING_WAIT_BITS>>,
    wide_added: Local<Bits<VALUE_BITS>>,
    value: Local<Bits<VALUE_BITS>>,
    goes: Local<Bit>,
    high_here: Local<Bit>,
    lone: Local<Bit>,
    other_offered: Local<Bit>,
    taken: Local<Bit>,
    payload: Local<Bits<48>>,
    checked: Constant<Bits<CONTROL_BITS>>,
    #[init(SlotKind::Low)]
    low_kind: Constant<Bits<2>>,
    #[init(SlotKind::High)]
    high_kind: Constant<Bits<2>>,
    nibble_place: Constant<Bits<6>>,
    era_place: Constant<Bits<6>>,
    #[init(0x8000)]
    half: Constant<Bits<RUNNING_BITS>>,
    #[init(8)]
    half_lag: Constant<Bits<21>>,
    #[init((1_u64 << VALUE_BITS) - (1 << ADDED_BITS))]
    minus: Constant<Bits<VALUE_BITS>>,
    #[init(1)]
    single: Constant<Bits<TX_WAIT_BITS>>,
    low_header: Constant<Bits<FLIT_BITS>>,
    high_header: Constant<Bits<FLIT_BITS>>,
    request_header: Constant<Bits<FLIT_BITS>>,
    response_header: Constant<Bits<FLIT_BITS>>,
}

#[logic]
impl<const FLITS_W: usize, const W: usize> TimeInjectSingle<FLITS_W, W> {
    /// At rings of this embodiment, or the reason why not.
    pub fn new(embed: Embed) -> Result<Self, ConfigError> {
        check_derived("time_inject", "FLITS_W", FLITS_W as u64, "bits of a flit", FLIT_BITS as u64)?;
        check_derived("time_inject", "W", W as u64, "data bits of the slot", embed.data_bits() as u64)?;
        let (nibble, era) = places(embed);
        let checked =
            (1_u64 << CONTROL_BITS) - 1 - slot::mon::FIELD.mask() as u64 - slot::v::FIELD.mask() as u64;
        Ok(Self {
            checked: Constant::new(checked.into()),
            nibble_place: Constant::new(nibble.into()),
            era_place: Constant::new(era.into()),
            low_header: header(SpcSubtype::MasterTimeLow),
            high_header: header(SpcSubtype::MasterTimeHigh),
            request_header: header(SpcSubtype::DelayReq),
            response_header: header(SpcSubtype::DelayResp),
            ..
        })
    }

    fn update(&mut self) {
        self.check_copy();
        self.form_low();

        // Whether it goes, or what else.
        goes = (low_now | late) & !hold;
        other_offered = other.valid & !goes & !(other.is_high & (hold | high_now));
        time_out.valid = goes | other_offered;
        taken = time_out.ready & (goes | other_offered);

        // How long it may stay.
        limit = tx_wait_max;
        limit_is_none = !tx_wait_max.any();
        limit_is_one = tx_wait_max == single;
        tree = In { arrived: low_now, limit, limit_is_none, limit_is_one, taken: taken & goes, hold };
        tree.closed = advance & !tx_open;
        late = tree.pending & !taken & !hold & !clear;

        self.take_high();

        // Markers and lone Highs.
        other = In { high: lone, taken };
        other.response = In { valid: response.valid, data: bit_cast::<48, RESPONSE_BITS>(response.data) };
        other.request = In { valid: request.valid, data: bit_cast::<48, REQUEST_BITS>(request.data) };
        response.ready = taken & other_offered & other.is_response & !clear;
        request.ready = taken & other_offered & other.is_request & !clear;

        self.form_beat();

        // Events.
        injected_now = taken & !clear & (goes | other.is_high);
        injected = bit_cast::<2, 1>(injected_now.into());
        advanced = bit_cast::<4, 1>(tree.advanced.into());
        wait_over = bit_cast::<8, 1>(tree.overtaken.into()) | (bit_cast::<8, 1>(tree.expired.into()) << 4);
        epoch_hold = bit_cast::<8, 1>(tree.held_back.into()) | (bit_cast::<8, 1>(high_held.into()) << 4);
    }

    /// What comes from the rings, and whether it is good.
    fn check_copy(&mut self) {
        ring_waits.rper = rper;
        data = copy[1].data;
        control = copy_control[1];
        if copy[0].valid {
            data = copy[0].data;
            control = copy_control[0];
        }
        ring_waits.cycles[0] = control.bits::<4>(13);
        ring_waits.cycles[1] = 0;
        wait = ring_waits.time[0];
        comes = (copy[0].valid | copy[1].valid) & !clear;
        own = !control.bits::<2>(6).any();
        odd = data.xor() ^ (control & checked).xor();
        known = control.bits::<6>(0) == sources.bits::<6>(0);
        good = comes & !odd & own & known;
        bad_parity = comes & odd;
        bad_source = comes & !odd & own & !known;
        good_low = good & (control.bits::<2>(8) == low_kind);
        low_now = good_low;
        high_now = good & (control.bits::<2>(8) == high_kind);
        parity_now = 0;
        source_now = 0;
        if copy[0].valid {
            parity_now = bit_cast::<2, 1>(bad_parity.into());
            source_now = bit_cast::<2, 1>(bad_source.into());
        } else {
            parity_now = bit_cast::<2, 1>(bad_parity.into()) << 1;
            source_now = bit_cast::<2, 1>(bad_source.into()) << 1;
        }
        ring_parity = parity_now;
        wrong_source = source_now;
        fields = bit_cast::<COPY_BITS, 40>(data.bits::<40>(0))
            | (bit_cast::<COPY_BITS, 4>(data.bits::<4>(nibble_place)) << 40)
            | (bit_cast::<COPY_BITS, 2>(data.bits::<2>(era_place)) << 44);
        raw = (bit_cast::<VALUE_BITS, 40>(fields.bits::<40>(0)) << 4)
            | bit_cast::<VALUE_BITS, 4>(fields.bits::<4>(40));
    }

    /// The Low: half a unit above its value from the first clock on, and WPER in every further one.
    fn form_low(&mut self) {
        period = wper;
        time = time + bit_cast::<RUNNING_BITS, PERIOD_BITS>(period);
        wait_kept = ring_time;
        if good_low {
            time = (bit_cast::<RUNNING_BITS, VALUE_BITS>(raw) << 16) | half;
            wait_kept = wait;
            era = fields.bits::<2>(44);
        }
        ring_time = wait_kept;
        wide_lag = bit_cast::<21, LAG_BITS>(lag).with(20, lag[19]) + half_lag;
        rounded = wide_lag.bits::<COARSE_BITS>(4);
        rounded_late = rounded;
        added = bit_cast::<ADDED_BITS, COARSE_BITS>(rounded_late).with(17, rounded_late[16])
            + bit_cast::<ADDED_BITS, RING_WAIT_BITS>(wait_kept);
        wide_added = bit_cast::<VALUE_BITS, ADDED_BITS>(added);
        if added[17] {
            wide_added = bit_cast::<VALUE_BITS, ADDED_BITS>(added) | minus;
        }
        value = time.bits::<VALUE_BITS>(16) + wide_added;
    }

    /// The High.
    fn take_high(&mut self) {
        if good & (control.bits::<2>(8) == high_kind) {
            high = fields;
        }
        high_here = high_waits | high_now;
        lone = high_here & !tree.pending & !hold;
        high_waits = high_here & !(taken & other_offered & other.is_high) & !hold & !clear;
        high_held = high_here & hold & !clear;
    }

    /// The beat.
    fn form_beat(&mut self) {
        let mut header = request_header;
        payload = other.payload;
        if other.is_response {
            header = response_header;
        }
        if other.is_high {
            header = high_header;
            payload = bit_cast::<48, 40>(high.bits::<40>(0))
                | (bit_cast::<48, 2>(high.bits::<2>(44)) << 42)
                | (bit_cast::<48, 4>(high.bits::<4>(40)) << 44);
        }
        if goes {
            header = low_header;
            payload = bit_cast::<48, 40>(value.bits::<40>(4))
                | (bit_cast::<48, 2>(era) << 42)
                | (bit_cast::<48, 4>(value.bits::<4>(0)) << 44);
        }
        time_out.data = bit_cast::<FLITS_W, FLIT_BITS>(header | bit_cast::<FLIT_BITS, 48>(payload));
        time_mode = advance;
    }
}

// The positions written as numbers in `update`.
const _: () =
    assert!(slot::src::LOW == 0 && slot::src::WIDTH == 6 && slot::tree::LOW == 6 && slot::kind::LOW == 8);
const _: () =
    assert!(LAG_BITS == 20 && ADDED_BITS == 18 && RING_WAIT_BITS < COARSE_BITS && PERIOD_FRAC == 20);
const _: () = assert!(LAG_LOOK_AHEAD_CLOCKS == 3 && WPER_LATE_CLOCKS == 1 && RUNNING_BITS == VALUE_BITS + 16);
