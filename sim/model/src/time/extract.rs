//! `time_extract` (chapter 20, 4.3): what a port does with the special flits of a beat.

use super::flits::{special, TimeFlit, TimeHigh, TimeLow};
use crate::flit::Flit;
use flitforge_protocol::flit::SpcSubtype;
use flitforge_protocol::time::{PhaseSource, MAX_TREES};

/// First subtype that belongs to chapter 30.
const FIRST_FOREIGN_SUBTYPE: u8 = SpcSubtype::NeighbourIdentity.code();

/// Counters of the port, 32 bits, saturating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExtractCounters {
    /// EXTRACTED: Lows and Highs passed on.
    pub extracted: u32,
    /// NOT_UPSTREAM: Lows and Highs of a tree that has no upstream port here.
    pub not_upstream: u32,
    /// PHASE_INVALID: Lows without a valid line phase.
    pub phase_invalid: u32,
    /// UNKNOWN_SUB: reserved subtypes of this chapter.
    pub unknown_sub: u32,
}

/// What leaves: the Low in this clock, the High in the next, markers to `link_delay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extracted {
    /// The corrected Low.
    pub low: Option<TimeLow>,
    /// The High.
    pub high: Option<TimeHigh>,
    /// A DelayReq or DelayResp.
    pub marker: Option<TimeFlit>,
}

/// The block's configuration and counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extractor {
    /// UP_EN, at an HFI SLAVE_EN, by tree.
    pub up_en: [bool; MAX_TREES],
    /// RX_CORR, 1/16 ns.
    pub rx_corr: i32,
    /// PHASE_SRC.
    pub phase_source: PhaseSource,
    /// Counters.
    pub counters: ExtractCounters,
}

impl Extractor {
    /// With no tree enabled.
    #[must_use]
    pub fn new(phase_source: PhaseSource) -> Self {
        Self { up_en: [false; MAX_TREES], rx_corr: 0, phase_source, counters: ExtractCounters::default() }
    }

    /// The special flits of one beat, presented at plane R with this rx lag (1/256 ns).
    pub fn beat(&mut self, flits: &[Flit], lag: i32, phase_ok: bool) -> Extracted {
        let mut out = Extracted::default();
        for (subtype, flit) in flits.iter().filter_map(|&flit| Some((special(flit)?.0, flit))) {
            match TimeFlit::decode(flit) {
                Some(TimeFlit::Low(low)) => out.low = self.low(low, lag, phase_ok).or(out.low),
                Some(TimeFlit::High(high)) if self.up_en[usize::from(high.tree)] => {
                    self.counters.extracted = self.counters.extracted.saturating_add(1);
                    out.high = Some(high);
                }
                Some(TimeFlit::High(_)) => {
                    self.counters.not_upstream = self.counters.not_upstream.saturating_add(1);
                }
                Some(marker) => out.marker = Some(marker),
                None if subtype < FIRST_FOREIGN_SUBTYPE => {
                    self.counters.unknown_sub = self.counters.unknown_sub.saturating_add(1);
                }
                None => {}
            }
        }
        out
    }

    /// Rules 2 to 4 for one Low.
    pub fn low(&mut self, low: TimeLow, lag: i32, phase_ok: bool) -> Option<TimeLow> {
        let counters = &mut self.counters;
        let (counter, passed) = if !self.up_en[usize::from(low.tree)] {
            (&mut counters.not_upstream, false)
        } else if !phase_ok && self.phase_source != PhaseSource::None {
            (&mut counters.phase_invalid, false)
        } else {
            (&mut counters.extracted, true)
        };
        *counter = counter.saturating_add(1);
        passed.then(|| TimeLow { value: low.value.received(lag, self.rx_corr), ..low })
    }
}
