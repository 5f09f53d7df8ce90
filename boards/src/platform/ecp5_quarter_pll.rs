//! A phase-locked loop with three outputs: a bit clock, the same a quarter late for the clock pair, and a core clock.
//!
//! Phases are counted as Project Trellis' `ecppll` does (https://github.com/YosysHQ/prjtrellis, `libtrellis/tools/ecppll.cpp`): half a
//! period of the first output, and for the others as many periods of the oscillator more as they are late.

use super::ecp5_pll::{CORE, MOST_DIVIDER, PHASE_DETECTOR_RANGE, VCO_RANGE};
use flitforge_base::prelude::*;
use flitforge_elaborate::marker::{block_label, ForeignMarker, Marker};
use thiserror::Error;

/// Steps of the oscillator in a quarter: the bit clock's divider must be a multiple.
const QUARTERS: u64 = 4;

/// Input and outputs of a loop, in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuarterConfig {
    /// Frequency of `clock_in`.
    pub input_hz: u64,
    /// Frequency of `bit_clock` and `late_clock`.
    pub bit_hz: u64,
    /// Frequency of `core_clock`.
    pub core_hz: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dividers {
    feedback: u64,
    bit: u64,
    core: u64,
}

/// Frequencies the loop cannot make.
#[derive(Debug, Error, PartialEq)]
#[error(
    "ecp5_quarter_pll: {input_hz} Hz gives no {bit_hz} Hz bit clock with {core_hz} Hz core clock: the input must be 3.125 to 400 MHz, \
     the bit clock a multiple of it up to 128, and a multiple of 4 times that within 400..800 MHz a multiple of the core clock"
)]
pub struct QuarterError {
    input_hz: u64,
    bit_hz: u64,
    core_hz: u64,
}

impl QuarterConfig {
    fn dividers(&self) -> Result<Dividers, QuarterError> {
        let Self { input_hz, bit_hz, core_hz } = *self;
        let error = QuarterError { input_hz, bit_hz, core_hz };
        if input_hz == 0 || core_hz == 0 || bit_hz == 0 || bit_hz % input_hz != 0 {
            return Err(error);
        }
        let feedback = bit_hz / input_hz;
        if feedback > MOST_DIVIDER || !PHASE_DETECTOR_RANGE.contains(&input_hz) {
            return Err(error);
        }
        let fits = |bit: &u64| {
            let oscillator = bit_hz.saturating_mul(*bit);
            VCO_RANGE.contains(&oscillator)
                && oscillator % core_hz == 0
                && oscillator / core_hz <= MOST_DIVIDER
        };
        let bit = (1..=MOST_DIVIDER / QUARTERS).map(|steps| steps * QUARTERS).find(fits).ok_or(error)?;
        Ok(Dividers { feedback, bit, core: bit_hz * bit / core_hz })
    }
}

/// Clock multiplier with a quarter. In rust-hdl simulation all outputs are the input clock and `locked` is 1.
#[derive(LogicBlock)]
pub struct Ecp5QuarterPll {
    /// Reference clock.
    pub clock_in: Signal<In, Clock>,
    /// Bit clock.
    pub bit_clock: Signal<Out, Clock>,
    /// Bit clock, a quarter of its period late.
    pub late_clock: Signal<Out, Clock>,
    /// Core clock.
    pub core_clock: Signal<Out, Clock>,
    /// The outputs are stable.
    pub locked: Signal<Out, Bit>,
    _config: QuarterConfig,
    _dividers: Dividers,
}

impl Ecp5QuarterPll {
    /// A loop, or the reason why there is none.
    pub fn new(config: QuarterConfig) -> Result<Self, QuarterError> {
        Ok(Self {
            clock_in: Default::default(),
            bit_clock: Default::default(),
            late_clock: Default::default(),
            core_clock: Default::default(),
            locked: Default::default(),
            _config: config,
            _dividers: config.dividers()?,
        })
    }
}

impl Logic for Ecp5QuarterPll {
    fn update(&mut self) {
        self.bit_clock.next = self.clock_in.val();
        self.late_clock.next = self.clock_in.val();
        self.core_clock.next = self.clock_in.val();
        self.locked.next = true;
    }

    fn connect(&mut self) {
        self.bit_clock.connect();
        self.late_clock.connect();
        self.core_clock.connect();
        self.locked.connect();
    }

    fn hdl(&self) -> Verilog {
        let marker = Marker::Foreign(ForeignMarker { reason: "ECP5 phase-locked loop".into() });
        let Dividers { feedback, bit, core } = self._dividers;
        let phase = bit / 2;
        Verilog::Wrapper(Wrapper {
            code: format!(
                "{}    (* ICP_CURRENT=\"12\" *) (* LPF_RESISTOR=\"8\" *) (* MFG_ENABLE_FILTEROPAMP=\"1\" *) (* MFG_GMCREF_SEL=\"2\" *)
    EHXPLLL #(
        .PLLRST_ENA(\"DISABLED\"), .INTFB_WAKE(\"DISABLED\"), .STDBY_ENABLE(\"DISABLED\"), .DPHASE_SOURCE(\"DISABLED\"),
        .OUTDIVIDER_MUXA(\"DIVA\"), .OUTDIVIDER_MUXB(\"DIVB\"), .OUTDIVIDER_MUXC(\"DIVC\"), .OUTDIVIDER_MUXD(\"DIVD\"),
        .CLKI_DIV(1), .CLKFB_DIV({feedback}), .FEEDBK_PATH(\"CLKOP\"),
        .CLKOP_DIV({bit}), .CLKOP_ENABLE(\"ENABLED\"), .CLKOP_CPHASE({phase}), .CLKOP_FPHASE(0),
        .CLKOS_DIV({bit}), .CLKOS_ENABLE(\"ENABLED\"), .CLKOS_CPHASE({late}), .CLKOS_FPHASE(0),
        .CLKOS2_DIV({core}), .CLKOS2_ENABLE(\"ENABLED\"), .CLKOS2_CPHASE({phase}), .CLKOS2_FPHASE(0)
    ) pll (
        .RST(1'b0), .STDBY(1'b0), .CLKI(clock_in), .CLKOP(bit_clock), .CLKFB(bit_clock), .CLKOS(late_clock), .CLKOS2(core_clock),
        .LOCK(locked), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1),
        .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0),
        .CLKINTFB(), .CLKOS3(), .INTLOCK(), .REFCLK()
    );
",
                marker.line(),
                late = phase + bit / QUARTERS,
            ),
            cores: CORE.into(),
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let QuarterConfig { input_hz, bit_hz, core_hz } = self._config;
        let hertz = [("in", input_hz), ("bit", bit_hz), ("core", core_hz)];
        block_label("ecp5_quarter_pll", &hertz.map(|(name, hertz)| (name, hertz.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividers_make_both_clocks_and_whole_quarters() {
        let find = |input_hz, bit_hz, core_hz| QuarterConfig { input_hz, bit_hz, core_hz }.dividers();
        assert_eq!(find(25_000_000, 150_000_000, 75_000_000), Ok(Dividers { feedback: 6, bit: 4, core: 8 }));
        let odd = find(25_000_000, 100_000_000, 80_000_000).expect("400 MHz");
        assert_eq!((100_000_000 * odd.bit) % 80_000_000, 0);
        for refused in [
            (25_000_000, 150_000_000, 90_000_000),
            (25_000_000, 160_000_000, 80_000_000),
            (0, 1, 1),
            (1_000_000, 100_000_000, 50_000_000),
        ] {
            let error = find(refused.0, refused.1, refused.2).expect_err("refused").to_string();
            assert!(error.contains("multiple"), "{error}");
        }
    }
}
