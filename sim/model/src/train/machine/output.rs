//! What the lanes of an end send.

use super::{LinkTrain, Step};
use crate::train::io::LaneOutput;
use crate::training::{StartWord, TrainingKind, TrainingSet};
use flitforge_protocol::link::LinkState;

impl LinkTrain {
    pub(super) fn output(&self, lane: usize, start_row: bool) -> LaneOutput {
        let number = lane as u8;
        let used = self.tx.is_some_and(|tx| tx.lanes >> lane & 1 == 1);
        let kind = match (self.state, self.step) {
            _ if self.state == LinkState::Down || lane >= self.config.lanes => return LaneOutput::Quiet,
            (LinkState::Init, _) if used && start_row => return self.start_word(number),
            (LinkState::Init | LinkState::Active | LinkState::Degraded, _) if used => {
                return LaneOutput::Data
            }
            (LinkState::Active | LinkState::Degraded, _) if self.config.is_on_probation(lane) => {
                return LaneOutput::Prbs
            }
            (LinkState::Bist, _) => return LaneOutput::Data,
            (LinkState::Training | LinkState::Retraining, Step::Confirm { .. }) if used => TrainingKind::Ts2,
            _ => TrainingKind::Ts1,
        };
        LaneOutput::Set(self.training_set(kind, number))
    }

    fn start_word(&self, lane: u8) -> LaneOutput {
        match self.tx {
            Some(tx) => LaneOutput::Start(StartWord {
                lane,
                bond: self.config.announce.bond,
                mode: tx.mode,
                lanes: tx.count() as u8,
            }),
            None => LaneOutput::Quiet,
        }
    }

    fn training_set(&self, kind: TrainingKind, lane: u8) -> TrainingSet {
        let telling =
            matches!(self.state, LinkState::Training | LinkState::Retraining) && self.step != Step::Lock;
        let announce = self.config.announce;
        TrainingSet {
            kind,
            lane,
            bond: announce.bond,
            count: self.count,
            capabilities: self.config.modes.capabilities,
            preferred: self.config.modes.preferred,
            bonded: self.config.modes.bonded,
            log2_flits_per_beat: announce.log2_flits_per_beat,
            log2_replay_slots: announce.log2_replay_slots,
            v_au: announce.v_au,
            vls_minus_1: announce.vls_minus_1,
            fresh: self.fresh,
            tx_mask: self.config.allowed,
            rx_ok: if telling || self.state == LinkState::Init { self.rx_ok } else { 0 },
            request: self.request,
            answer: self.peer.map_or(0, |peer| peer.request),
            epoch: self.epoch,
            next_rx_ltp: 0,
            guid: self.config.guid,
        }
    }
}
