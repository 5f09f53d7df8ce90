//! `time_inject`: offers a port's time flits to the link, corrected in every clock (chapter 20, 4.5; 4.4 rules 3 and 4).
//!
//! Copies of both rings are checked and stored, one Low and one High per tree. A Low is offered with its wait on the ring,
//! the clocks it waited here and the tx lag added, so V + constants holds at plane X whenever the link takes it.
//! `copy` is the copy register of a ring stop whose ring clock is the core clock; the core register of 4.4 rule 7 is
//! in this block.
//!
//! - Latency: a good Low is offered 1 clock after `copy`, a lone High 2 clocks, a marker 1 clock after it came. Exact.
//! - Throughput: one copy of each ring per clock. A Low that is not taken in its first clock is offered again from the third on. In
//!   the clock after a beat was taken only a Low that has just come is offered; what waited follows a clock later. Every clock
//!   of waiting is corrected. A Low that finds its tree's Low still waiting replaces it. So does a High, and nothing counts that:
//!   the newer one says all that the older one did.
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
use crate::config::{check_derived, check_one_of, ConfigError};
use crate::prim::stream::{FlowIn, StreamIn, StreamOut};
use crate::registry::StreamRole::{FlowSink, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct TimeInject<const F: usize, const FLITS_W: usize, const W: usize> {
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
    /// ADVANCE: a closed link is waited for; 0 DROP.
    pub advance: Signal<In, Bit>,
    /// Lows and Highs are removed: the link must be measured again (EPOCH_HOLD).
    pub hold: Signal<In, Bit>,
    /// TX_WAIT_MAX, clocks; counts for Lows that are in `copy` together with it.
    pub tx_wait_max: Signal<In, Bits<TX_WAIT_BITS>>,
    /// A DelayReq.
    pub request: StreamIn<Bits<REQUEST_BITS>>,
    /// A DelayResp, see [`RESPONSE_BITS`]; its data may change while it waits.
    pub response: StreamIn<Bits<RESPONSE_BITS>>,
    /// `tx_open` of the link.
    pub tx_open: Signal<In, Bit>,
    /// `time_mode` of the link: 0 DROP, 1 HOLD.
    pub time_mode: Signal<Out, Bit>,
    /// Beats for `time_in` of the link: slot 0 a time flit, slot 1 the Low's High, other slots Idle.
    pub time_out: StreamOut<Bits<FLITS_W>>,
    /// Event by slot: a Low or a High was taken (INJECTED).
    pub injected: Signal<Out, Bits<2>>,
    /// Event by tree: a Low waits for a closed link (ADVANCED).
    pub advanced: Signal<Out, Bits<4>>,
    /// Event: TX_WAIT_OVER.
    pub wait_over: Signal<Out, Bits<8>>,
    /// Event: EPOCH_HOLD.
    pub epoch_hold: Signal<Out, Bits<8>>,
    /// Event by ring: RING_PARITY.
    pub ring_parity: Signal<Out, Bits<2>>,
    /// Event by ring: WRONG_SRC.
    pub wrong_source: Signal<Out, Bits<2>>,
    arrival: [TimeArrival<W>; 2],
    ring_waits: RingWait,
    running: RunningWait,
    lows: InjectLows,
    highs: InjectHighs,
    other: OtherBeat,
    injected_now: DFF<Bits<2>>,
    other_offered: Signal<Local, Bit>,
    pair: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    header: Signal<Local, Bits<FLIT_BITS>>,
    head: Signal<Local, Bits<FLIT_BITS>>,
    high_flit: Signal<Local, Bits<FLIT_BITS>>,
    word: Signal<Local, Bits<FLITS_W>>,
    pairs: Constant<Bit>,
    is_second: [Constant<Bit>; F],
    slot_shift: [Constant<Bits<9>>; F],
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

impl<const F: usize, const FLITS_W: usize, const W: usize> TimeInject<F, FLITS_W, W> {
    /// For a port of `F` flits per beat at rings of this embodiment, or the reason why not.
    pub fn new(embed: Embed) -> Result<Self, ConfigError> {
        check_one_of("time_inject", "flits", F as u64, &FLITS_PER_BEAT.map(|flits| flits as u64))?;
        check_derived("time_inject", "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        check_derived("time_inject", "W", W as u64, "data bits of the slot", embed.data_bits() as u64)?;
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
            arrival: std::array::from_fn(|_| TimeArrival::new(embed)),
            ring_waits: Default::default(),
            running: Default::default(),
            lows: Default::default(),
            highs: Default::default(),
            other: Default::default(),
            injected_now: Default::default(),
            other_offered: Default::default(),
            pair: Default::default(),
            taken: Default::default(),
            header: Default::default(),
            head: Default::default(),
            high_flit: Default::default(),
            word: Default::default(),
            pairs: Constant::new(F > 1),
            is_second: std::array::from_fn(|slot| Constant::new(slot == 1)),
            slot_shift: std::array::from_fn(|slot| Constant::new(((slot * FLIT_BITS) as u64).into())),
            nothing: Constant::new(0.into()),
            low_header: header(SpcSubtype::MasterTimeLow),
            high_header: header(SpcSubtype::MasterTimeHigh),
            request_header: header(SpcSubtype::DelayReq),
            response_header: header(SpcSubtype::DelayResp),
        })
    }
}

impl<const F: usize, const FLITS_W: usize, const W: usize> Logic for TimeInject<F, FLITS_W, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, injected_now);
        clock!(self, clock, ring_waits, running, lows, highs, other);
        self.lows.clear.next = self.clear.val();
        self.highs.clear.next = self.clear.val();
        self.other.clear.next = self.clear.val();

        // What comes from the rings.
        self.ring_waits.rper.next = self.rper.val();
        self.running.wper.next = self.wper.val();
        self.running.lag.next = self.lag.val();
        self.ring_parity.next = self.nothing.val();
        self.wrong_source.next = self.nothing.val();
        for i in 0..2 {
            self.arrival[i].clock.next = self.clock.val();
            self.arrival[i].clear.next = self.clear.val();
            FlowIn::<Bits<W>>::link(&mut self.copy[i], &mut self.arrival[i].copy);
            self.arrival[i].control.next = self.copy_control[i].val();
            self.arrival[i].sources.next = self.sources.val();
            self.ring_waits.cycles[i].next = self.copy_control[i].val().get_bits::<4>(13);
            self.arrival[i].ring_wait.next = self.ring_waits.time[i].val();
            self.arrival[i].lag.next = self.running.lag_next.val();
            self.arrival[i].total.next = self.running.total.val();
            self.arrival[i].low_tree.next = self.lows.read_tree.val();
            self.arrival[i].high_tree.next = self.highs.read_tree.val();
            self.lows.came[i].next = self.arrival[i].low_came.val();
            self.lows.value[i].next = self.arrival[i].value.val();
            self.lows.era[i].next = self.arrival[i].era.val();
            self.lows.stored[i].next = self.arrival[i].low.val();
            self.highs.came[i].next = self.arrival[i].high_came.val();
            self.highs.stored[i].next = self.arrival[i].high.val();
            self.ring_parity.next = self.ring_parity.val().replace_bit(i, self.arrival[i].parity_bad.val());
            self.wrong_source.next = self.wrong_source.val().replace_bit(i, self.arrival[i].source_bad.val());
        }

        // What is offered and taken.
        self.other_offered.next = self.other.valid.val()
            & !self.lows.offered.val()
            & !(self.other.is_high.val() & (self.hold.val() | self.highs.fresh.val()));
        self.pair.next = self.pairs.val()
            & self.highs.pair.val()
            & self.lows.offered.val()
            & self.lows.is_late.val()
            & !self.highs.fresh.val();
        self.time_out.valid.next = self.lows.offered.val() | self.other_offered.val();
        self.taken.next = self.time_out.ready.val() & (self.lows.offered.val() | self.other_offered.val());
        self.lows.total.next = self.running.total.val();
        self.lows.limit.next = self.tx_wait_max.val();
        self.lows.hold.next = self.hold.val();
        self.lows.closed.next = self.advance.val() & !self.tx_open.val();
        self.lows.taken.next = self.taken.val();
        self.highs.low_stays.next = self.lows.stays.val();
        self.highs.low_tree.next = self.lows.read_tree.val();
        self.highs.taken.next = self.taken.val();
        self.highs.high_taken.next =
            self.taken.val() & (self.pair.val() | (self.other_offered.val() & self.other.is_high.val()));
        self.highs.hold.next = self.hold.val();
        self.other.taken.next = self.taken.val();
        self.other.response.valid.next = self.response.valid.val();
        self.other.response.data.next = bit_cast::<48, RESPONSE_BITS>(self.response.data.val());
        self.other.request.valid.next = self.request.valid.val();
        self.other.request.data.next = bit_cast::<48, REQUEST_BITS>(self.request.data.val());
        self.other.high.next = self.highs.lone.val();
        self.response.ready.next =
            self.taken.val() & self.other_offered.val() & self.other.is_response.val() & !self.clear.val();
        self.request.ready.next =
            self.taken.val() & self.other_offered.val() & self.other.is_request.val() & !self.clear.val();

        // The beat.
        self.high_flit.next = self.high_header.val() | bit_cast::<FLIT_BITS, 48>(self.highs.payload.val());
        self.header.next = self.request_header.val();
        if self.other.is_response.val() {
            self.header.next = self.response_header.val();
        }
        self.head.next = self.header.val() | bit_cast::<FLIT_BITS, 48>(self.other.payload.val());
        if self.other.is_high.val() {
            self.head.next = self.high_flit.val();
        }
        if self.lows.offered.val() {
            self.head.next = self.low_header.val() | bit_cast::<FLIT_BITS, 48>(self.lows.payload.val());
        }
        self.word.next = bit_cast::<FLITS_W, FLIT_BITS>(self.head.val());
        for i in 0..F {
            if self.is_second[i].val() & self.pair.val() {
                self.word.next = self.word.val()
                    | (bit_cast::<FLITS_W, FLIT_BITS>(self.high_flit.val()) << self.slot_shift[i].val());
            }
        }
        self.time_out.data.next = self.word.val();
        self.time_mode.next = self.advance.val();

        // Events.
        self.injected_now.d.next = self.nothing.val();
        if self.taken.val() & !self.clear.val() {
            self.injected_now.d.next = self
                .nothing
                .val()
                .replace_bit(0, self.lows.offered.val() | self.other.is_high.val())
                .replace_bit(1, self.pair.val());
        }
        self.injected.next = self.injected_now.q.val();
        self.advanced.next = self.lows.advanced.val();
        self.wait_over.next =
            bit_cast::<8, 4>(self.lows.overtaken.val()) | (bit_cast::<8, 4>(self.lows.expired.val()) << 4);
        self.epoch_hold.next =
            bit_cast::<8, 4>(self.lows.held_back.val()) | (bit_cast::<8, 4>(self.highs.held_back.val()) << 4);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_inject", &[("f", F.to_string()), ("data", W.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const W: usize] TimeInject<F, FLITS_W, W> {
    clock, clear, copy, copy_control, sources, rper, wper, lag, advance, hold, tx_wait_max, request, response, tx_open,
    time_mode, time_out, injected, advanced, wait_over, epoch_hold, ring_parity, wrong_source,
});

const _: () = assert!(FLIT_BITS == 65 && INJECT_CLOCKS == 1 && COPY_BITS == VALUE_DATA_BITS);
const _: () = assert!(delay_resp::locked::LOW == RESPONSE_BITS - 1 && delay_req::tag::LOW == 0);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_inject",
    chapter: "20-time",
    summary: "offers a port's time flits to the link, corrected in every clock",
    parameters: &[
        ParameterInfo { name: "f", default: 2, allowed: Allowed::OneOf(&[1, 2, 4]), doc: "flits per beat" },
        ParameterInfo {
            name: "flit",
            default: 0,
            allowed: Allowed::OneOf(&[0, 1]),
            doc: "EMBED: 0 the fields of a time flit, 1 the whole flit",
        },
        ParameterInfo { name: "trees", default: 4, allowed: Allowed::OneOf(&[1, 4]), doc: "N_TREES" },
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
