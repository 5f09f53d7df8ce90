//! `time_extract`: what a port does with the special flits of a beat (chapter 20, 4.3).
//!
//! Lows and Highs of trees that have their upstream port here go on, Lows corrected by the rx lag and RX_CORR; markers
//! go to the measurement of the link delay. Everything else is removed, with an event.
//!
//! - Latency from `spc_out` (plane R): `low` 3 clocks, `high` 4, `marker` and the events 1. Exact.
//! - Throughput: one beat per clock. Of several Lows (Highs, markers) in a beat, which no transmitter makes, the
//!   one in the highest slot goes on; each is counted.
//! - Outputs are registers; `marker` chooses a slot after them. `high` is the output of a block RAM with [`TimeExtract::in_block_ram`].
//! - `clear` drops what is in work.

mod slot;

pub use slot::ExtractSlot;

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Delay;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::time::{EXTRACT_CLOCKS, FRAC_BITS, LAG_BITS, VALUE_BITS};

/// Bits of a marker: payload [47:0], [48] 0 DelayReq, 1 DelayResp.
pub const MARKER_BITS: usize = 49;

/// Beats of `F` flits, `FLITS_W` = 65 F bits; see the [module](self).
#[block("time_extract", new, f = F)]
pub struct TimeExtract<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The special flits of a beat, other slots Idle; its clock is plane R.
    pub spc_out: FlowIn<Bits<FLITS_W>>,
    /// rx lag at plane R, signed, 1/256 ns.
    lag: In<Bits<LAG_BITS>>,
    /// The line phase is valid; 1 where PHASE_SRC is NONE.
    phase_ok: In<Bit>,
    /// UP_EN, at an endpoint SLAVE_EN, by tree.
    up_en: In<Bits<4>>,
    /// RX_CORR, signed, 1/16 ns.
    rx_corr: In<Bits<32>>,
    /// Payload of a MasterTimeLow, corrected.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// A DelayReq or DelayResp, see [`MARKER_BITS`].
    pub marker: FlowOut<Bits<MARKER_BITS>>,
    /// Event by slot: EXTRACTED.
    extracted: Out<Bits<F>>,
    /// Event by slot: NOT_UPSTREAM.
    not_upstream: Out<Bits<F>>,
    /// Event by slot: PHASE_INVALID.
    phase_invalid: Out<Bits<F>>,
    /// Event by slot: UNKNOWN_SUB.
    unknown: Out<Bits<F>>,
    #[wire(clock, clear)]
    slot: [ExtractSlot; F],
    // Correction: the lag in 1/16 ns, then with RX_CORR.
    rounded: Reg<Bits<17>>,
    correction: Reg<Bits<VALUE_BITS>>,
    low_chosen: Reg<Bits<48>>,
    #[wire(d = _)]
    low_valid: [Reg<Bit>; 2],
    low_out: Reg<Bits<48>>,
    high_first: Reg<Bits<48>>,
    #[wire(clock)]
    high_late: Delay<Bits<48>>,
    #[wire(d = _)]
    high_valid: [Reg<Bit>; 3],
    marker_payload: Local<Bits<48>>,
    is_response: Local<Bit>,
    #[init(8)]
    half: Constant<Bits<21>>,
    #[init((1_u64 << VALUE_BITS) - 1)]
    ones: Constant<Bits<VALUE_BITS>>,
    #[init(0)]
    none: Constant<Bits<F>>,
}

/// Clocks from the register of a High to its output: it follows its Low by one.
const HIGH_CLOCKS: usize = 2;

#[logic]
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
        Ok(Self { slot: std::array::from_fn(|_| ExtractSlot::default()), high_late, .. })
    }

    fn update(&mut self) {
        // Clock 0: every slot by itself; the lag in 1/16 ns.
        for i in 0..F {
            slot[i] = In { valid: spc_out.valid, flit: spc_out.data.bits::<FLIT_BITS>(i * 65), up_en };
            slot[i].phase_ok = phase_ok;
        }
        let wide_lag = bit_cast::<21, LAG_BITS>(lag).with(20, lag[19]) + half;
        rounded = wide_lag.bits::<17>(4);

        // Clock 1: the Low, the High, the marker of the beat; the whole correction.
        extracted = none;
        not_upstream = none;
        phase_invalid = none;
        unknown = none;
        low_valid[0] = false;
        high_valid[0] = false;
        marker.valid = false;
        marker_payload = 0;
        is_response = false;
        for i in 0..F {
            extracted = extracted.with(i, slot[i].low | slot[i].high);
            not_upstream = not_upstream.with(i, slot[i].not_upstream);
            phase_invalid = phase_invalid.with(i, slot[i].phase_invalid);
            unknown = unknown.with(i, slot[i].unknown);
            if slot[i].low {
                low_valid[0] = !clear;
                low_chosen = slot[i].payload;
            }
            if slot[i].high {
                high_valid[0] = !clear;
                high_first = slot[i].payload;
            }
            if slot[i].request | slot[i].response {
                marker.valid = true;
                Out { payload: marker_payload, response: is_response } = slot[i];
            }
        }
        marker.data = bit_cast::<MARKER_BITS, 48>(marker_payload).with(48, is_response);
        let mut lag_value = bit_cast::<VALUE_BITS, 17>(rounded);
        if rounded[16] {
            lag_value = bit_cast::<VALUE_BITS, 17>(rounded) | (ones << 17);
        }
        let mut corr_value = bit_cast::<VALUE_BITS, 32>(rx_corr);
        if rx_corr[31] {
            corr_value = bit_cast::<VALUE_BITS, 32>(rx_corr) | (ones << 32);
        }
        correction = lag_value + corr_value;

        // Clock 2: the corrected Low. Its High follows a clock later.
        let value = (bit_cast::<VALUE_BITS, 40>(low_chosen.bits::<40>(0)) << 4)
            | bit_cast::<VALUE_BITS, 4>(low_chosen.bits::<4>(44));
        let sum = value + correction;
        low_out = bit_cast::<48, 40>(sum.bits::<40>(4))
            | (bit_cast::<48, 4>(low_chosen.bits::<4>(40)) << 40)
            | (bit_cast::<48, 4>(sum.bits::<4>(0)) << 44);
        low_valid[1] = low_valid[0] & !clear;
        high_late.d = high_first;
        for i in 0..2 {
            high_valid[i + 1] = high_valid[i] & !clear;
        }
        low = In { valid: low_valid[1], data: low_out };
        high = In { valid: high_valid[2], data: high_late.q };
    }
}

const _: () = assert!(EXTRACT_CLOCKS == 3 && FRAC_BITS == 4 && VALUE_BITS == 44 && LAG_BITS == 20);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_extract",
    chapter: "20-time",
    summary: "takes time flits out of a port's special flits and corrects them",
    parameters: &[ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat")],
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
