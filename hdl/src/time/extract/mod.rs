//! `time_extract`: what a port does with the special flits of a beat (chapter 20, 4.3).
//!
//! Lows and Highs of trees that have their upstream port here go on, Lows corrected by the rx lag and RX_CORR; markers
//! go to the measurement of the link delay. Everything else is removed, with an event.
//!
//! - Latency from `spc_out` (plane R): `low` 3 clocks, `high` 4, `marker` and the events 1. Exact.
//! - Throughput: one beat per clock. Of several Lows (Highs, markers) in a beat, which no transmitter makes, the
//!   one in the highest slot goes on; each is counted.
//! - Outputs are registers; `marker` chooses a slot behind them. `high` is the output of a block RAM with [`TimeExtract::in_block_ram`].
//! - `clear` drops what is in work.

mod slot;

pub use slot::ExtractSlot;

use crate::config::{check_derived, check_one_of, ConfigError};
use crate::prim::stream::{FlowIn, FlowOut};
use crate::prim::Delay;
use crate::registry::StreamRole::{FlowSink, FlowSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::time::{EXTRACT_CLOCKS, FRAC_BITS, LAG_BITS, VALUE_BITS};

/// Bits of a marker: payload [47:0], [48] 0 DelayReq, 1 DelayResp.
pub const MARKER_BITS: usize = 49;

/// Beats of `F` flits, `FLITS_W` = 65 F bits; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeExtract<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The special flits of a beat, other slots Idle; its clock is plane R.
    pub spc_out: FlowIn<Bits<FLITS_W>>,
    /// rx lag at plane R, signed, 1/256 ns.
    pub lag: Signal<In, Bits<LAG_BITS>>,
    /// The line phase is valid; 1 where PHASE_SRC is NONE.
    pub phase_ok: Signal<In, Bit>,
    /// UP_EN, at an endpoint SLAVE_EN, by tree.
    pub up_en: Signal<In, Bits<4>>,
    /// RX_CORR, signed, 1/16 ns.
    pub rx_corr: Signal<In, Bits<32>>,
    /// Payload of a MasterTimeLow, corrected.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// A DelayReq or DelayResp, see [`MARKER_BITS`].
    pub marker: FlowOut<Bits<MARKER_BITS>>,
    /// Event by slot: EXTRACTED.
    pub extracted: Signal<Out, Bits<F>>,
    /// Event by slot: NOT_UPSTREAM.
    pub not_upstream: Signal<Out, Bits<F>>,
    /// Event by slot: PHASE_INVALID.
    pub phase_invalid: Signal<Out, Bits<F>>,
    /// Event by slot: UNKNOWN_SUB.
    pub unknown: Signal<Out, Bits<F>>,
    slot: [ExtractSlot; F],
    // Correction: the lag in 1/16 ns, then with RX_CORR.
    rounded: DFF<Bits<17>>,
    correction: DFF<Bits<VALUE_BITS>>,
    low_chosen: DFF<Bits<48>>,
    low_valid: [DFF<Bit>; 2],
    low_out: DFF<Bits<48>>,
    high_first: DFF<Bits<48>>,
    high_late: Delay<Bits<48>>,
    high_valid: [DFF<Bit>; 3],
    marker_payload: Signal<Local, Bits<48>>,
    is_response: Signal<Local, Bit>,
    wide_lag: Signal<Local, Bits<21>>,
    lag_value: Signal<Local, Bits<VALUE_BITS>>,
    corr_value: Signal<Local, Bits<VALUE_BITS>>,
    value: Signal<Local, Bits<VALUE_BITS>>,
    sum: Signal<Local, Bits<VALUE_BITS>>,
    half: Constant<Bits<21>>,
    ones: Constant<Bits<VALUE_BITS>>,
    none: Constant<Bits<F>>,
}

/// Clocks from the register of a High to its output: it follows its Low by one.
const HIGH_CLOCKS: usize = 2;

impl<const F: usize, const FLITS_W: usize> TimeExtract<F, FLITS_W> {
    /// For a port of `F` flits per beat, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        Self::with(Delay::new(HIGH_CLOCKS)?)
    }

    /// The same with Highs that wait in block RAM.
    pub fn in_block_ram() -> Result<Self, ConfigError> {
        Self::with(Delay::in_block_ram(HIGH_CLOCKS)?)
    }

    fn with(high_late: Delay<Bits<48>>) -> Result<Self, ConfigError> {
        check_one_of("time_extract", "flits", F as u64, &FLITS_PER_BEAT.map(|flits| flits as u64))?;
        check_derived("time_extract", "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            spc_out: Default::default(),
            lag: Default::default(),
            phase_ok: Default::default(),
            up_en: Default::default(),
            rx_corr: Default::default(),
            low: Default::default(),
            high: Default::default(),
            marker: Default::default(),
            extracted: Default::default(),
            not_upstream: Default::default(),
            phase_invalid: Default::default(),
            unknown: Default::default(),
            slot: std::array::from_fn(|_| ExtractSlot::default()),
            rounded: Default::default(),
            correction: Default::default(),
            low_chosen: Default::default(),
            low_valid: Default::default(),
            low_out: Default::default(),
            high_first: Default::default(),
            high_late,
            high_valid: Default::default(),
            marker_payload: Default::default(),
            is_response: Default::default(),
            wide_lag: Default::default(),
            lag_value: Default::default(),
            corr_value: Default::default(),
            value: Default::default(),
            sum: Default::default(),
            half: Constant::new(8.into()),
            ones: Constant::new(((1_u64 << VALUE_BITS) - 1).into()),
            none: Constant::new(Bits::default()),
        })
    }
}

impl<const F: usize, const FLITS_W: usize> Logic for TimeExtract<F, FLITS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rounded, correction, low_chosen, low_out, high_first);
        self.high_late.clock.next = self.clock.val();
        for i in 0..2 {
            self.low_valid[i].clock.next = self.clock.val();
        }
        for i in 0..3 {
            self.high_valid[i].clock.next = self.clock.val();
        }

        // Clock 0: every slot by itself; the lag in 1/16 ns.
        for i in 0..F {
            self.slot[i].clock.next = self.clock.val();
            self.slot[i].clear.next = self.clear.val();
            self.slot[i].valid.next = self.spc_out.valid.val();
            self.slot[i].flit.next = self.spc_out.data.val().get_bits::<FLIT_BITS>(i * 65);
            self.slot[i].up_en.next = self.up_en.val();
            self.slot[i].phase_ok.next = self.phase_ok.val();
        }
        self.wide_lag.next = bit_cast::<21, LAG_BITS>(self.lag.val())
            .replace_bit(20, self.lag.val().get_bit(19))
            + self.half.val();
        self.rounded.d.next = self.wide_lag.val().get_bits::<17>(4);

        // Clock 1: the Low, the High, the marker of the beat; the whole correction.
        self.extracted.next = self.none.val();
        self.not_upstream.next = self.none.val();
        self.phase_invalid.next = self.none.val();
        self.unknown.next = self.none.val();
        self.low_valid[0].d.next = false;
        self.high_valid[0].d.next = false;
        self.marker.valid.next = false;
        self.marker_payload.next = 0.into();
        self.is_response.next = false;
        for i in 0..F {
            self.extracted.next =
                self.extracted.val().replace_bit(i, self.slot[i].low.val() | self.slot[i].high.val());
            self.not_upstream.next = self.not_upstream.val().replace_bit(i, self.slot[i].not_upstream.val());
            self.phase_invalid.next =
                self.phase_invalid.val().replace_bit(i, self.slot[i].phase_invalid.val());
            self.unknown.next = self.unknown.val().replace_bit(i, self.slot[i].unknown.val());
            if self.slot[i].low.val() {
                self.low_valid[0].d.next = !self.clear.val();
                self.low_chosen.d.next = self.slot[i].payload.val();
            }
            if self.slot[i].high.val() {
                self.high_valid[0].d.next = !self.clear.val();
                self.high_first.d.next = self.slot[i].payload.val();
            }
            if self.slot[i].request.val() | self.slot[i].response.val() {
                self.marker.valid.next = true;
                self.marker_payload.next = self.slot[i].payload.val();
                self.is_response.next = self.slot[i].response.val();
            }
        }
        self.marker.data.next =
            bit_cast::<MARKER_BITS, 48>(self.marker_payload.val()).replace_bit(48, self.is_response.val());
        self.lag_value.next = bit_cast::<VALUE_BITS, 17>(self.rounded.q.val());
        if self.rounded.q.val().get_bit(16) {
            self.lag_value.next = bit_cast::<VALUE_BITS, 17>(self.rounded.q.val()) | (self.ones.val() << 17);
        }
        self.corr_value.next = bit_cast::<VALUE_BITS, 32>(self.rx_corr.val());
        if self.rx_corr.val().get_bit(31) {
            self.corr_value.next = bit_cast::<VALUE_BITS, 32>(self.rx_corr.val()) | (self.ones.val() << 32);
        }
        self.correction.d.next = self.lag_value.val() + self.corr_value.val();

        // Clock 2: the corrected Low. Its High follows a clock later.
        self.value.next = (bit_cast::<VALUE_BITS, 40>(self.low_chosen.q.val().get_bits::<40>(0)) << 4)
            | bit_cast::<VALUE_BITS, 4>(self.low_chosen.q.val().get_bits::<4>(44));
        self.sum.next = self.value.val() + self.correction.q.val();
        self.low_out.d.next = bit_cast::<48, 40>(self.sum.val().get_bits::<40>(4))
            | (bit_cast::<48, 4>(self.low_chosen.q.val().get_bits::<4>(40)) << 40)
            | (bit_cast::<48, 4>(self.sum.val().get_bits::<4>(0)) << 44);
        self.low_valid[1].d.next = self.low_valid[0].q.val() & !self.clear.val();
        self.high_late.d.next = self.high_first.q.val();
        for i in 0..2 {
            self.high_valid[i + 1].d.next = self.high_valid[i].q.val() & !self.clear.val();
        }
        self.low.valid.next = self.low_valid[1].q.val();
        self.low.data.next = self.low_out.q.val();
        self.high.valid.next = self.high_valid[2].q.val();
        self.high.data.next = self.high_late.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_extract", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize] TimeExtract<F, FLITS_W> {
    clock, clear, spc_out, lag, phase_ok, up_en, rx_corr, low, high, marker, extracted, not_upstream, phase_invalid,
    unknown,
});

const _: () = assert!(EXTRACT_CLOCKS == 3 && FRAC_BITS == 4 && VALUE_BITS == 44 && LAG_BITS == 20);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_extract",
    chapter: "20-time",
    summary: "takes time flits out of a port's special flits and corrects them",
    parameters: &[ParameterInfo {
        name: "f",
        default: 2,
        allowed: Allowed::OneOf(&[1, 2, 4]),
        doc: "flits per beat",
    }],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
    ],
    build: |settings| {
        let streams =
            [("spc_out", FlowSink), ("low", FlowSource), ("high", FlowSource), ("marker", FlowSource)];
        let interface = InterfaceInfo::clocked(&streams, Some(EXTRACT_CLOCKS as u32), "spc_out to low");
        Ok(match settings.get("f")? {
            1 => BuiltBlock::new(TimeExtract::<1, 65>::new()?, interface),
            2 => BuiltBlock::new(TimeExtract::<2, 130>::new()?, interface),
            4 => BuiltBlock::new(TimeExtract::<4, 260>::new()?, interface),
            _ => return Err(settings.unsupported("f", "1, 2 or 4")),
        })
    },
};
