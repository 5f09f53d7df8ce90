//! `time_inject`: offers a port's time flits to the link, corrected in every clock (chapter 20, 4.5; 4.4 rules 3 and 4).
//!
//! Copies of both rings are checked and stored, one Low and one High per tree. A Low is offered with its wait on the ring,
//! the clocks it waited here and the tx lag added, so V + constants holds at plane X whenever the link takes it.
//! `copy` is the copy register of a ring stop whose ring clock is the core clock; the core register of 4.4 rule 7 is
//! in this block.
//!
//! - Latency: a good Low is offered 1 clock after `copy`, a lone High 2 clocks, a marker 1 clock after it came. Exact.
//! - Throughput: one copy of each ring per clock. A Low that is not taken in its first clock is offered again from the third on.
//!   In the clock after a beat was taken only a Low that has just come is offered; what waited follows a clock later.
//!
//!   Every clock of waiting is corrected. A Low that finds its tree's Low still waiting replaces it. So does a High, and nothing
//!   counts that: the newer one says all that the older one did.
//! - Order: Low by rising tree, `response`, `request`, High. A Low that waited has with it the High of its tree that waited, too;
//!   with F = 1 every High has a beat of its own.
//! - `time_out.data` changes while it waits (chapter 10 allows that for `time_in`), and `valid` may fall: a Low may be removed.
//! - `lag` is that of a flit taken three clocks later, `response.data` that of one taken in the next clock; `ready` of
//!   `response` and `request` is the clock of their plane X. WPER may move while a Low waits: its sum over the clocks counts.
//! - A copy that is damaged (`ring_parity`) or of another source than EXP_SRC (`wrong_source`) is dropped. A tree is copied
//!   from one ring only. RPER counts 32 clocks after a change, and so after power-on.
//! - Errors: `wait_over` \[3:0\] by tree, a newer Low came, \[7:4\] TX_WAIT_MAX; `epoch_hold` \[3:0\] Lows, \[7:4\] Highs
//!   removed by `hold`. Events follow 1 clock after what they tell.
//! - `clear` drops what waits and what comes; nothing is offered in the next clock.
//! - [`TimeInjectSingle`] is the same for one tree and one flit per beat, at a third of the size.

mod arrival;
mod highs;
mod lows;
mod other;
mod ring_wait;
mod running;
mod single;
mod waiting;

pub use arrival::TimeArrival;
pub use highs::InjectHighs;
pub use lows::InjectLows;
pub use other::OtherBeat;
pub use ring_wait::RingWait;
pub use running::RunningWait;
pub use single::TimeInjectSingle;
pub use waiting::TreeWait;

use super::ring::{CONTROL_BITS, FLIT_BITS as FLIT_DATA_BITS, VALUE_BITS as VALUE_DATA_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{control, spc, Opcode, SpcSubtype, FLIT_BITS};
use flitforge_protocol::time::{delay_req, delay_resp};
use flitforge_protocol::time::{INJECT_CLOCKS, LAG_BITS, TX_WAIT_BITS, VALUE_BITS};
use flitforge_protocol::time_ring::Embed;
use flitforge_protocol::time_servo::PERIOD_BITS;

/// Bits of a copy in one form: time\[39:0\] or the High's time and index, frac or quality, era.
pub const COPY_BITS: usize = 46;
/// Bits of a sum of waits: 2^-20 ns, as many whole ns as in a Low.
pub const RUNNING_BITS: usize = VALUE_BITS + 16;
/// Bits of a Low that is stored: its value with 16 more fraction bits, less the sum of waits; era.
pub const STORED_BITS: usize = RUNNING_BITS + 2;
/// Bits of the largest wait on the ring, 1/16 ns.
pub const RING_WAIT_BITS: usize = 14;
/// Bits of a DelayResp: turn-around, tag, phase valid, locked.
pub const RESPONSE_BITS: usize = 42;
/// Bits of a DelayReq: tag.
pub const REQUEST_BITS: usize = delay_req::tag::WIDTH;

/// What a port offers on `time_in`; `F` flits per beat, `FLITS_W` = 65 F, `W` bits of data in a ring slot. See the
/// [module](self).
#[block("time_inject", new, f = F, data = W)]
pub struct TimeInject<const F: usize, const FLITS_W: usize, const W: usize> {
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
    /// ADVANCE: a closed link is waited for; 0 DROP.
    advance: In<Bit>,
    /// Lows and Highs are removed: the link must be measured again (EPOCH_HOLD).
    hold: In<Bit>,
    /// TX_WAIT_MAX, clocks; counts for Lows that are in `copy` together with it.
    tx_wait_max: In<Bits<TX_WAIT_BITS>>,
    /// A DelayReq.
    pub request: StreamIn<Bits<REQUEST_BITS>>,
    /// A DelayResp, see [`RESPONSE_BITS`]; its data may change while it waits.
    pub response: StreamIn<Bits<RESPONSE_BITS>>,
    /// `tx_open` of the link.
    tx_open: In<Bit>,
    /// `time_mode` of the link: 0 DROP, 1 HOLD.
    time_mode: Out<Bit>,
    /// Beats for `time_in` of the link: slot 0 a time flit, slot 1 the Low's High, other slots Idle.
    pub time_out: StreamOut<Bits<FLITS_W>>,
    /// Event by slot: a Low or a High was taken (INJECTED).
    injected: Out<Bits<2>>,
    /// Event by tree: a Low waits for a closed link (ADVANCED).
    advanced: Out<Bits<4>>,
    /// Event: TX_WAIT_OVER.
    wait_over: Out<Bits<8>>,
    /// Event: EPOCH_HOLD.
    epoch_hold: Out<Bits<8>>,
    /// Event by ring: RING_PARITY.
    ring_parity: Out<Bits<2>>,
    /// Event by ring: WRONG_SRC.
    wrong_source: Out<Bits<2>>,
    #[wire(clock, clear)]
    arrival: [TimeArrival<W>; 2],
    #[wire(clock)]
    ring_waits: RingWait,
    #[wire(clock)]
    running: RunningWait,
    #[wire(clock, clear)]
    lows: InjectLows,
    #[wire(clock, clear)]
    highs: InjectHighs,
    #[wire(clock, clear)]
    other: OtherBeat,
    injected_now: Reg<Bits<2>>,
    other_offered: Local<Bit>,
    pair: Local<Bit>,
    taken: Local<Bit>,
    header: Local<Bits<FLIT_BITS>>,
    head: Local<Bits<FLIT_BITS>>,
    pairs: Constant<Bit>,
    is_second: [Constant<Bit>; F],
    #[init(|slot| slot * FLIT_BITS)]
    slot_shift: [Constant<Bits<9>>; F],
    #[init(0)]
    nothing: Constant<Bits<2>>,
    low_header: Constant<Bits<FLIT_BITS>>,
    high_header: Constant<Bits<FLIT_BITS>>,
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
impl<const F: usize, const FLITS_W: usize, const W: usize> TimeInject<F, FLITS_W, W> {
    /// For a port of `F` flits per beat at rings of this embodiment, or the reason why not.
    pub fn new(embed: Embed) -> Result<Self, ConfigError> {
        check_one_of("time_inject", "flits", F as u64, &FLITS_PER_BEAT.map(|flits| flits as u64))?;
        check_derived("time_inject", "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        check_derived("time_inject", "W", W as u64, "data bits of the slot", embed.data_bits() as u64)?;
        Ok(Self {
            arrival: std::array::from_fn(|_| TimeArrival::new(embed)),
            pairs: Constant::new(F > 1),
            is_second: std::array::from_fn(|slot| Constant::new(slot == 1)),
            low_header: header(SpcSubtype::MasterTimeLow),
            high_header: header(SpcSubtype::MasterTimeHigh),
            request_header: header(SpcSubtype::DelayReq),
            response_header: header(SpcSubtype::DelayResp),
            ..
        })
    }

    fn update(&mut self) {
        // What comes from the rings.
        ring_waits.rper = rper;
        running = In { wper, lag };
        ring_parity = nothing;
        wrong_source = nothing;
        for i in 0..2 {
            link(copy[i], arrival[i].copy);
            arrival[i] = In { control: copy_control[i], sources };
            ring_waits.cycles[i] = copy_control[i].bits::<4>(13);
            arrival[i] = In { ring_wait: ring_waits.time[i], lag: running.lag_next, total: running.total };
            arrival[i] = In { low_tree: lows.read_tree, high_tree: highs.read_tree };
            lows.arrived[i] = arrival[i].low_arrived;
            lows.value[i] = arrival[i].value;
            lows.era[i] = arrival[i].era;
            lows.stored[i] = arrival[i].low;
            highs.arrived[i] = arrival[i].high_arrived;
            highs.stored[i] = arrival[i].high;
            ring_parity = ring_parity.with(i, arrival[i].parity_bad);
            wrong_source = wrong_source.with(i, arrival[i].source_bad);
        }

        // What is offered and taken.
        other_offered = other.valid & !lows.offered & !(other.is_high & (hold | highs.fresh));
        pair = pairs & highs.pair & lows.offered & lows.is_late & !highs.fresh;
        time_out.valid = lows.offered | other_offered;
        taken = time_out.ready & (lows.offered | other_offered);
        lows = In { total: running.total, limit: tx_wait_max, hold, closed: advance & !tx_open, taken };
        highs = In { low_pending: lows.pending, low_tree: lows.read_tree, taken };
        highs = In { high_taken: taken & (pair | (other_offered & other.is_high)), hold };
        other.taken = taken;
        other.response = In { valid: response.valid, data: bit_cast::<48, RESPONSE_BITS>(response.data) };
        other.request = In { valid: request.valid, data: bit_cast::<48, REQUEST_BITS>(request.data) };
        other.high = highs.lone;
        response.ready = taken & other_offered & other.is_response & !clear;
        request.ready = taken & other_offered & other.is_request & !clear;

        // The beat.
        let high_flit = high_header | bit_cast::<FLIT_BITS, 48>(highs.payload);
        header = request_header;
        if other.is_response {
            header = response_header;
        }
        head = header | bit_cast::<FLIT_BITS, 48>(other.payload);
        if other.is_high {
            head = high_flit;
        }
        if lows.offered {
            head = low_header | bit_cast::<FLIT_BITS, 48>(lows.payload);
        }
        let mut word = bit_cast::<FLITS_W, FLIT_BITS>(head);
        for i in 0..F {
            if is_second[i] & pair {
                word = word | (bit_cast::<FLITS_W, FLIT_BITS>(high_flit) << slot_shift[i]);
            }
        }
        time_out.data = word;
        time_mode = advance;

        // Events.
        injected_now = nothing;
        if taken & !clear {
            injected_now = nothing.with(0, lows.offered | other.is_high).with(1, pair);
        }
        injected = injected_now;
        advanced = lows.advanced;
        wait_over = bit_cast::<8, 4>(lows.overtaken) | (bit_cast::<8, 4>(lows.expired) << 4);
        epoch_hold = bit_cast::<8, 4>(lows.held_back) | (bit_cast::<8, 4>(highs.held_back) << 4);
    }
}

const _: () = assert!(FLIT_BITS == 65 && INJECT_CLOCKS == 1 && COPY_BITS == VALUE_DATA_BITS);
const _: () = assert!(delay_resp::locked::LOW == RESPONSE_BITS - 1 && delay_req::tag::LOW == 0);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_inject",
    chapter: "20-time",
    summary: "offers a port's time flits to the link, corrected in every clock",
    parameters: &[
        ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
        ParameterInfo::new(
            "flit",
            0,
            Allowed::OneOf(&[0, 1]),
            "EMBED: 0 the fields of a time flit, 1 the whole flit",
        ),
        ParameterInfo::new("trees", 4, Allowed::OneOf(&[1, 4]), "N_TREES"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
        Preset { name: "flit", values: &[("flit", 1)] },
        Preset { name: "single", values: &[("f", 1), ("trees", 1)] },
    ],
    build: |settings| {
        let streams = [
            ("copy[0]", FlowSink),
            ("copy[1]", FlowSink),
            ("request", StreamSink),
            ("response", StreamSink),
            ("time_out", StreamSource),
        ];
        let interface = InterfaceInfo::clocked(&streams, Some(INJECT_CLOCKS as u32), "copy to time_out");
        const V: usize = VALUE_DATA_BITS;
        const W: usize = FLIT_DATA_BITS;
        if settings.get("trees")? == 1 {
            return Ok(match (settings.get("f")?, settings.get("flit")?) {
                (1, 0) => BuiltBlock::new(TimeInjectSingle::<65, V>::new(Embed::Value)?, interface),
                (1, 1) => BuiltBlock::new(TimeInjectSingle::<65, W>::new(Embed::Flit)?, interface),
                _ => return Err(settings.unsupported("trees", "4, or 1 with f = 1")),
            });
        }
        Ok(match (settings.get("f")?, settings.get("flit")?) {
            (1, 0) => BuiltBlock::new(TimeInject::<1, 65, V>::new(Embed::Value)?, interface),
            (2, 0) => BuiltBlock::new(TimeInject::<2, 130, V>::new(Embed::Value)?, interface),
            (4, 0) => BuiltBlock::new(TimeInject::<4, 260, V>::new(Embed::Value)?, interface),
            (1, 1) => BuiltBlock::new(TimeInject::<1, 65, W>::new(Embed::Flit)?, interface),
            (2, 1) => BuiltBlock::new(TimeInject::<2, 130, W>::new(Embed::Flit)?, interface),
            (4, 1) => BuiltBlock::new(TimeInject::<4, 260, W>::new(Embed::Flit)?, interface),
            _ => return Err(settings.unsupported("f", "1, 2 or 4")),
        })
    },
};
