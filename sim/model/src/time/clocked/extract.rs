//! `time_extract` clock by clock.

use crate::flit::Flit;
use crate::time::extract::Extractor;
use crate::time::{TimeFlit, TimeHigh, TimeLow};
use flitforge_protocol::time::{PhaseSource, MAX_TREES};

/// Inputs of an edge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtractInputs {
    /// `clear`.
    pub clear: bool,
    /// The special flits of a beat.
    pub beat: Option<Vec<Flit>>,
    /// rx lag, 1/256 ns.
    pub lag: i32,
    /// Valid line phase.
    pub phase_ok: bool,
    /// UP_EN by tree.
    pub up_en: [bool; MAX_TREES],
    /// RX_CORR, 1/16 ns.
    pub rx_corr: i32,
}

/// Outputs before an edge. Events have a bit per slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExtractOutputs {
    /// A corrected Low.
    pub low: Option<TimeLow>,
    /// A High.
    pub high: Option<TimeHigh>,
    /// A DelayReq or DelayResp.
    pub marker: Option<TimeFlit>,
    /// EXTRACTED.
    pub extracted: u8,
    /// NOT_UPSTREAM.
    pub not_upstream: u8,
    /// PHASE_INVALID.
    pub phase_invalid: u8,
    /// UNKNOWN_SUB.
    pub unknown: u8,
}

/// The block.
#[derive(Debug, Clone)]
pub struct ClockedExtractor {
    extractor: Extractor,
    lows: [Option<TimeLow>; 2],
    highs: [Option<TimeHigh>; 3],
    outputs: ExtractOutputs,
}

impl Default for ClockedExtractor {
    fn default() -> Self {
        Self {
            extractor: Extractor::new(PhaseSource::Beat),
            lows: [None; 2],
            highs: [None; 3],
            outputs: ExtractOutputs::default(),
        }
    }
}

impl ClockedExtractor {
    /// The registers.
    #[must_use]
    pub const fn outputs(&self) -> ExtractOutputs {
        self.outputs
    }

    /// An edge.
    pub fn clock(&mut self, inputs: &ExtractInputs) {
        let [received, chosen] = self.lows;
        let corrected = received.map(|low| TimeLow { value: low.value.plus(inputs.rx_corr.into()), ..low });
        let [first, second, third] = self.highs;
        self.outputs = ExtractOutputs { low: chosen, high: third, ..ExtractOutputs::default() };
        let (low, high) = self.beat(inputs);
        (self.lows, self.highs) = ([low, corrected], [high, first, second]);
        if inputs.clear {
            (self.lows, self.highs) = ([None; 2], [None; 3]);
            self.outputs = ExtractOutputs::default();
        }
    }

    /// Every slot by itself; the last Low, High and marker count.
    fn beat(&mut self, inputs: &ExtractInputs) -> (Option<TimeLow>, Option<TimeHigh>) {
        self.extractor.up_en = inputs.up_en;
        let (mut low, mut high) = (None, None);
        for (slot, flit) in inputs.beat.iter().flatten().enumerate() {
            let before = self.extractor.counters;
            let found = self.extractor.beat(&[*flit], inputs.lag, inputs.phase_ok);
            let after = self.extractor.counters;
            low = found.low.or(low);
            high = found.high.or(high);
            self.outputs.marker = found.marker.or(self.outputs.marker);
            let bit = |counted: bool| u8::from(counted) << slot;
            self.outputs.extracted |= bit(after.extracted != before.extracted);
            self.outputs.not_upstream |= bit(after.not_upstream != before.not_upstream);
            self.outputs.phase_invalid |= bit(after.phase_invalid != before.phase_invalid);
            self.outputs.unknown |= bit(after.unknown_sub != before.unknown_sub);
        }
        (low, high)
    }
}
