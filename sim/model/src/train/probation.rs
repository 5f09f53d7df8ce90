//! Lanes that are not used: what they carry, and when they come back (chapter 10, 4.5).

use super::io::{Direction, LaneOutput};
use super::watch::LaneNoise;
use crate::degrade::DegradeConfig;
use crate::prbs::PrbsCheck;
use crate::probation::Probation;
use crate::scrambler::Scrambler;
use flitforge_protocol::lane_word::{MAX_LANES, TRAINING_SET_WORDS};

/// The words of one training-set time on each lane in probation.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrbsWords([Option<[u32; TRAINING_SET_WORDS]>; MAX_LANES]);

impl PrbsWords {
    /// The same with these lanes dead.
    pub(crate) fn without(&self, dead: [bool; MAX_LANES]) -> Self {
        PrbsWords(std::array::from_fn(|lane| self.0[lane].filter(|_| !dead[lane])))
    }
}

/// One end's part in the probation of lanes, of both directions.
#[derive(Debug, Clone)]
pub(crate) struct LaneProbation {
    streams: Vec<Scrambler>,
    checks: [PrbsCheck; MAX_LANES],
    probation: Probation,
}

impl LaneProbation {
    pub(crate) fn new(config: DegradeConfig) -> Self {
        LaneProbation {
            streams: (0..MAX_LANES).filter_map(|lane| Scrambler::new(lane).ok()).collect(),
            checks: Default::default(),
            probation: Probation::new(config.enabled, config.threshold, config.safe),
        }
    }

    /// What the lanes that are in probation at the peer carry.
    pub(crate) fn send(
        &mut self,
        lanes: &[LaneOutput; MAX_LANES],
        noise: &mut Option<LaneNoise>,
    ) -> PrbsWords {
        let mut sent = PrbsWords::default();
        for (lane, stream) in self.streams.iter_mut().enumerate() {
            if lanes[lane] == LaneOutput::Prbs {
                let mut words = std::array::from_fn(|_| stream.next_word());
                if let Some(noise) = noise {
                    noise.disturb(lane, &mut words);
                }
                sent.0[lane] = Some(words);
            }
        }
        sent
    }

    /// The direction starts on these lanes.
    pub(crate) fn start(&mut self, rx: Direction, allowed: u8) {
        self.probation.start(rx.lanes, allowed);
        self.checks = Default::default();
    }

    /// Down, or CTRL.restore.
    pub(crate) fn forget(&mut self) {
        self.probation.forget();
    }

    /// An LTP time; the lanes that come back.
    pub(crate) fn receive(&mut self, words: &PrbsWords) -> u8 {
        let mut good = 0;
        for (lane, check) in self.checks.iter_mut().enumerate() {
            match words.0[lane] {
                // every word is looked at, also after a bad one
                Some(words) => {
                    let bad = words.into_iter().filter(|word| !check.word(*word)).count();
                    good |= u8::from(bad == 0) << lane;
                }
                None => check.restart(),
            }
        }
        self.probation.ltp_time(good)
    }
}
