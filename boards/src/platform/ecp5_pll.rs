//! The ECP5's phase-locked loop (EHXPLLL) as one clock multiplier.

use flitforge_base::prelude::*;
use flitforge_elaborate::marker::{block_label, ForeignMarker, Marker};
use thiserror::Error;

/// Frequencies of the loop, in hertz, from the family data sheet.
pub(super) const VCO_RANGE: std::ops::RangeInclusive<u64> = 400_000_000..=800_000_000;
const VCO_MIDDLE: u64 = 600_000_000;
pub(super) const PHASE_DETECTOR_RANGE: std::ops::RangeInclusive<u64> = 3_125_000..=400_000_000;
pub(super) const MOST_DIVIDER: u64 = 128;

/// Input and output of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecp5PllConfig {
    /// Frequency of `clock_in` in hertz.
    pub input_hz: u64,
    /// Frequency of `clock_out` in hertz.
    pub output_hz: u64,
}

/// The three dividers of a loop whose feedback is its own output: output = input * feedback / input divider,
/// oscillator = output * output divider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dividers {
    /// CLKI_DIV.
    pub input: u64,
    /// CLKFB_DIV.
    pub feedback: u64,
    /// CLKOP_DIV.
    pub output: u64,
}

/// A frequency the loop cannot make.
#[derive(Debug, Error, PartialEq)]
#[error(
    "ecp5_pll: no dividers give exactly {output_hz} Hz from {input_hz} Hz with the oscillator within \
     400..800 MHz; choose an output that is a ratio of small integers to the input"
)]
pub struct PllError {
    input_hz: u64,
    output_hz: u64,
}

impl Ecp5PllConfig {
    /// The dividers with the smallest input divider and the oscillator nearest the middle of its range.
    pub fn dividers(&self) -> Result<Dividers, PllError> {
        let error = PllError { input_hz: self.input_hz, output_hz: self.output_hz };
        for input in 1..=MOST_DIVIDER {
            let scaled = u128::from(self.output_hz) * u128::from(input);
            let exact = self.input_hz > 0 && scaled % u128::from(self.input_hz) == 0;
            let detector_works = PHASE_DETECTOR_RANGE.contains(&(self.input_hz / input));
            if !exact || !detector_works {
                continue;
            }
            let feedback = (scaled / u128::from(self.input_hz)) as u64;
            let output = (1..=MOST_DIVIDER)
                .filter(|output| VCO_RANGE.contains(&(self.output_hz.saturating_mul(*output))))
                .min_by_key(|output| (self.output_hz * output).abs_diff(VCO_MIDDLE));
            if let (1..=MOST_DIVIDER, Some(output)) = (feedback, output) {
                return Ok(Dividers { input, feedback, output });
            }
        }
        Err(error)
    }
}

/// Clock multiplier. In rust-hdl simulation the output clock is the input clock and `locked` is 1: a
/// simulation of a node runs at its own clock, not through the loop.
#[derive(LogicBlock)]
pub struct Ecp5Pll {
    /// Reference clock.
    pub clock_in: Signal<In, Clock>,
    /// Multiplied clock.
    pub clock_out: Signal<Out, Clock>,
    /// The output is stable.
    pub locked: Signal<Out, Bit>,
    _config: Ecp5PllConfig,
    _dividers: Dividers,
}

impl Ecp5Pll {
    /// A loop, or the reason why there is none.
    pub fn new(config: Ecp5PllConfig) -> Result<Self, PllError> {
        Ok(Self {
            clock_in: Default::default(),
            clock_out: Default::default(),
            locked: Default::default(),
            _config: config,
            _dividers: config.dividers()?,
        })
    }
}

impl Logic for Ecp5Pll {
    fn update(&mut self) {
        self.clock_out.next = self.clock_in.val();
        self.locked.next = true;
    }

    fn connect(&mut self) {
        self.clock_out.connect();
        self.locked.connect();
    }

    fn hdl(&self) -> Verilog {
        let marker = Marker::Foreign(ForeignMarker { reason: "ECP5 phase-locked loop".into() });
        let Dividers { input, feedback, output } = self._dividers;
        Verilog::Wrapper(Wrapper {
            code: format!(
                "{}    (* ICP_CURRENT=\"12\" *) (* LPF_RESISTOR=\"8\" *) (* MFG_ENABLE_FILTEROPAMP=\"1\" *) (* MFG_GMCREF_SEL=\"2\" *)
    EHXPLLL #(
        .PLLRST_ENA(\"DISABLED\"), .INTFB_WAKE(\"DISABLED\"), .STDBY_ENABLE(\"DISABLED\"), .DPHASE_SOURCE(\"DISABLED\"),
        .OUTDIVIDER_MUXA(\"DIVA\"), .OUTDIVIDER_MUXB(\"DIVB\"), .OUTDIVIDER_MUXC(\"DIVC\"), .OUTDIVIDER_MUXD(\"DIVD\"),
        .CLKI_DIV({input}), .CLKFB_DIV({feedback}), .CLKOP_DIV({output}), .CLKOP_ENABLE(\"ENABLED\"),
        .CLKOP_CPHASE({phase}), .CLKOP_FPHASE(0), .FEEDBK_PATH(\"CLKOP\")
    ) pll (
        .RST(1'b0), .STDBY(1'b0), .CLKI(clock_in), .CLKOP(clock_out), .CLKFB(clock_out), .LOCK(locked),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1),
        .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0),
        .CLKINTFB(), .CLKOS(), .CLKOS2(), .CLKOS3(), .INTLOCK(), .REFCLK()
    );
",
                marker.line(),
                phase = output / 2,
            ),
            cores: CORE.into(),
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "ecp5_pll",
            &[("in", self._config.input_hz.to_string()), ("out", self._config.output_hz.to_string())],
        )
    }
}

/// Declaration of the primitive for tools that do not know it.
pub(super) const CORE: &str = "(* blackbox *)
module EHXPLLL #(
    parameter PLLRST_ENA = \"DISABLED\", parameter INTFB_WAKE = \"DISABLED\", parameter STDBY_ENABLE = \"DISABLED\",
    parameter DPHASE_SOURCE = \"DISABLED\", parameter OUTDIVIDER_MUXA = \"DIVA\", parameter OUTDIVIDER_MUXB = \"DIVB\",
    parameter OUTDIVIDER_MUXC = \"DIVC\", parameter OUTDIVIDER_MUXD = \"DIVD\",
    parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter CLKOP_DIV = 8, parameter CLKOP_ENABLE = \"ENABLED\",
    parameter CLKOP_CPHASE = 0, parameter CLKOP_FPHASE = 0, parameter FEEDBK_PATH = \"CLKOP\",
    parameter CLKOS_DIV = 8, parameter CLKOS_ENABLE = \"DISABLED\", parameter CLKOS_CPHASE = 0, parameter CLKOS_FPHASE = 0,
    parameter CLKOS2_DIV = 8, parameter CLKOS2_ENABLE = \"DISABLED\", parameter CLKOS2_CPHASE = 0, parameter CLKOS2_FPHASE = 0
) (
    input wire CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC,
    input wire ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
    output wire CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
endmodule
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dividers_hit_the_frequency_exactly() {
        let find = |input_hz, output_hz| Ecp5PllConfig { input_hz, output_hz }.dividers();
        assert_eq!(find(25_000_000, 125_000_000), Ok(Dividers { input: 1, feedback: 5, output: 5 }));
        assert_eq!(find(25_000_000, 100_000_000), Ok(Dividers { input: 1, feedback: 4, output: 6 }));
        assert_eq!(
            find(12_000_000, 125_000_000),
            Err(PllError { input_hz: 12_000_000, output_hz: 125_000_000 })
        );
        let odd = find(25_000_000, 137_500_000).expect("11/2");
        assert_eq!(25_000_000 * odd.feedback / odd.input, 137_500_000);
        assert!(VCO_RANGE.contains(&(137_500_000 * odd.output)));
    }
}
