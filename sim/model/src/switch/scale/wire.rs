//! A link: the model of training, retry and lane removal, with the beats that its LTPs carry.

use crate::degrade::DegradeConfig;
use crate::pair::{BitErrorRate, Violation};
use crate::switch::{SentBeat, SwitchError};
use crate::train::{ModeOffer, TrainConfig, TrainPair};
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::lane_word::MAX_LANES;
use std::collections::VecDeque;

/// Beats of one direction.
#[derive(Clone, Debug, Default)]
struct Way {
    /// Not in an LTP yet.
    waiting: VecDeque<SentBeat>,
    /// In LTPs that were sent and not delivered.
    sent: VecDeque<Vec<SentBeat>>,
    /// Delivered, one beat per clock leaves.
    arrived: VecDeque<SentBeat>,
    /// LTPs sent and delivered.
    ltps: (u64, u64),
}

/// Both ends of a link and the four lanes of each direction.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pair: TrainPair,
    beats: usize,
    ways: [Way; 2],
    /// The clock of the next LTP.
    next: u64,
    /// Lanes removed, with the clock and the end that removed it.
    pub(super) removals: Vec<(u64, usize, u8)>,
}

impl Wire {
    /// A link that comes up, F flits per beat.
    pub(super) fn new(flits: usize, seed: u64) -> Result<Self, SwitchError> {
        let train = TrainConfig::default();
        // The model of lanes follows LTPs in modes 0 and 1.
        let train = TrainConfig { modes: ModeOffer { capabilities: 1, ..train.modes }, ..train };
        let straight = crate::train::Cable::straight();
        let refused = |expected: String| SwitchError::Parameter { parameter: "link", value: 0, expected };
        let mut pair =
            TrainPair::new([train; 2], [straight; 2]).map_err(|error| refused(error.to_string()))?;
        let quiet = [[BitErrorRate::default(); MAX_LANES]; 2];
        pair.watch_lanes(DegradeConfig::default(), quiet, seed)
            .map_err(|error| refused(error.to_string()))?;
        Ok(Wire { pair, beats: beats_per_ltp(flits), ways: Default::default(), next: 0, removals: vec![] })
    }

    /// A lane gets noisy, in the direction from end `from`.
    pub(super) fn disturb(&mut self, from: usize, lane: usize, rate: BitErrorRate) {
        self.pair.set_noise(from, lane, rate);
    }

    /// End `from` may send a beat.
    pub(super) fn has_room(&self, from: usize) -> bool {
        self.ways[from].waiting.len() < self.beats
    }

    pub(super) fn send(&mut self, from: usize, beat: SentBeat) {
        self.ways[from].waiting.push_back(beat);
    }

    /// The beat that comes out of the direction from end `from` in this clock.
    pub(super) fn receive(&mut self, from: usize) -> Option<SentBeat> {
        self.ways[from].arrived.pop_front()
    }

    /// Beats in the direction from end `from`, wherever they are.
    pub(super) fn in_flight(&self, from: usize) -> impl Iterator<Item = &SentBeat> {
        let way = &self.ways[from];
        way.waiting.iter().chain(way.sent.iter().flatten()).chain(&way.arrived)
    }

    pub(super) const fn pair(&self) -> &TrainPair {
        &self.pair
    }

    /// A core clock. An LTP takes 16/F of them on four lanes, more on fewer.
    pub(super) fn clock(&mut self, now: u64) -> Result<(), Violation> {
        if now < self.next {
            return Ok(());
        }
        self.pair.step()?;
        for (from, way) in self.ways.iter_mut().enumerate() {
            let monitor = self.pair.monitor(from);
            if monitor.sent() > way.ltps.0 {
                way.sent.push_back(way.waiting.drain(..).collect());
            }
            if monitor.delivered() > way.ltps.1 {
                way.arrived.extend(way.sent.pop_front().unwrap_or_default());
            }
            way.ltps = (monitor.sent(), monitor.delivered());
        }
        self.removals.extend(self.pair.take_removals().into_iter().map(|(by, lane)| (now, by, lane)));
        let lanes =
            |end: usize| self.pair.train(end).tx().map_or(MAX_LANES, |tx| tx.lanes.count_ones() as usize);
        let lanes = lanes(0).min(lanes(1)).clamp(1, MAX_LANES);
        self.next = now + (self.beats * MAX_LANES / lanes) as u64;
        Ok(())
    }
}
