//! `time_inject` clock by clock.

use crate::time::inject::{InjectEvents, Injector, LinkClock, TimeBeat};
use crate::time::slot::SlotBits;
use crate::time::{RingContent, RingSlot, TimeFlit};
use flitforge_protocol::time::{MAX_TREES, WPER_LATE_CLOCKS};
use flitforge_protocol::time_ring::Embed;
use flitforge_protocol::time_servo::LAG_LOOK_AHEAD_CLOCKS;
use std::collections::VecDeque;

/// Inputs of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InjectInputs {
    /// `clear`.
    pub clear: bool,
    /// Bits of a slot in the copy register of the clockwise and of the counter-clockwise ring.
    pub copies: [Option<u128>; 2],
    /// EXP_SRC by tree.
    pub sources: [u8; MAX_TREES],
    /// RPER, 6.20 ns.
    pub rper: u32,
    /// WPER, 6.20 ns.
    pub wper: u32,
    /// tx lag of a flit taken [`LAG_LOOK_AHEAD_CLOCKS`] later, 1/256 ns.
    pub lag: i32,
    /// ADVANCE.
    pub advance: bool,
    /// Lows and Highs are removed: the link must be measured again.
    pub hold: bool,
    /// A DelayReq to send.
    pub request: Option<TimeFlit>,
    /// A DelayResp to send; it is that of a flit taken one clock later.
    pub response: Option<TimeFlit>,
    /// The link takes what is offered.
    pub ready: bool,
    /// `tx_open`.
    pub open: bool,
}

/// Registered events before an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InjectOutputs {
    /// Of the clock before.
    pub events: InjectEvents,
    /// RING_PARITY by ring.
    pub parity: [bool; 2],
    /// WRONG_SRC by ring.
    pub wrong_src: [bool; 2],
}

/// The block.
#[derive(Debug, Clone)]
pub struct ClockedInjector {
    injector: Injector,
    embed: Embed,
    lags: VecDeque<i32>,
    periods: VecDeque<u32>,
    outputs: InjectOutputs,
}

impl ClockedInjector {
    /// With this embodiment of the ring, beats of so many flits and this TX_WAIT_MAX.
    #[must_use]
    pub fn new(embed: Embed, flits: usize, tx_wait_max: u64) -> Self {
        let mut injector = Injector::default();
        (injector.pairs, injector.tx_wait_max) = (flits > 1, tx_wait_max);
        Self {
            injector,
            embed,
            lags: VecDeque::from(vec![0; LAG_LOOK_AHEAD_CLOCKS]),
            periods: VecDeque::from(vec![0; WPER_LATE_CLOCKS]),
            outputs: InjectOutputs::default(),
        }
    }

    /// The registers.
    #[must_use]
    pub const fn outputs(&self) -> InjectOutputs {
        self.outputs
    }

    /// The beat offered in this clock; `hold` is that of this clock.
    #[must_use]
    pub fn offered(&self, hold: bool) -> Option<TimeBeat> {
        let mut injector = self.injector.clone();
        injector.hold = hold;
        injector.offered(self.lags.front().copied().unwrap_or(0))
    }

    /// An edge.
    pub fn clock(&mut self, inputs: &InjectInputs) {
        let lag = self.lags.pop_front().unwrap_or(0);
        self.lags.push_back(inputs.lag);
        let wper = self.periods.pop_front().unwrap_or(0);
        self.periods.push_back(inputs.wper);
        self.injector.take_markers_back();
        inputs.request.into_iter().chain(inputs.response).for_each(|marker| self.injector.marker(marker));
        (self.injector.advance, self.injector.hold) = (inputs.advance, inputs.hold);
        let link = match (inputs.open, inputs.ready) {
            (false, _) => LinkClock::Closed,
            (true, true) => LinkClock::Takes,
            (true, false) => LinkClock::Paces,
        };
        let (_, events) = self.injector.clock(wper, lag, link);
        self.outputs = InjectOutputs { events, ..InjectOutputs::default() };
        for ring in 0..2 {
            if let Some(bits) = inputs.copies[ring] {
                self.arrive(ring, bits, inputs);
            }
        }
        if inputs.clear {
            self.injector.clear();
            self.outputs = InjectOutputs::default();
        }
    }

    /// A copy is checked (4.4 rule 4) and waits from the next clock on.
    fn arrive(&mut self, ring: usize, bits: u128, inputs: &InjectInputs) {
        match RingSlot::decode(bits, self.embed) {
            SlotBits::Empty => {}
            SlotBits::Damaged => self.outputs.parity[ring] = true,
            SlotBits::Occupied(slot) if slot.src != inputs.sources[usize::from(slot.content.tree())] => {
                self.outputs.wrong_src[ring] = true;
            }
            SlotBits::Occupied(slot) => match slot.content {
                RingContent::Low(low) => self.injector.low(low, slot.wait.into(), inputs.rper),
                RingContent::High(high) => self.injector.high(high),
                RingContent::Token { .. } => {}
            },
        }
    }
}
