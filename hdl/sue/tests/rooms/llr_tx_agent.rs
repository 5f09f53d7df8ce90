//! What the rig of the sender does in each clock, and what it hears of ordered sets. For `llr_tx`.

use crate::rooms::llr_tx_rig::{ensure, wrong, Rig, SetBits, APART, ROOM};

use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::llr_set::{LlrSet, LlrSetKind};

use flitforge_model::sue::format::{OrderedSet, Sequence};
use flitforge_model::sue::link::LlrTxState as ModelState;
use flitforge_model::sue::link::{Reinit, ReplayLimit, WaitingFrames};

use flitforge_sim::kit::Agent;
use flitforge_sim::{Bench, SimError};
use rand::Rng as _;

impl Rig {
    /// Ordered sets to the MAC.
    fn control(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let [valid, ready, answered, credited] =
            ["control.valid", "control.ready", "answers.ready", "credits.ready"]
                .map(|name| bench.get_bit(self.port(name)));
        if !(valid && ready) {
            return ensure(clock, !answered && !credited, || "taken and not sent".into());
        }
        let word = bench.get_u64(self.port("control.data"));
        let second = self.first_copy.take();
        ensure(clock, second.is_none_or(|first| first == word), || "two copies differ".into())?;
        let ends = second.is_some() || !self.setup.twice;
        if !ends {
            self.first_copy = Some(word);
        }
        let credits = bench.get_u64(self.port("credits.data"));
        let set = OrderedSet::decode(word.to_le_bytes());
        let (is_answer, is_credits, right) = match set {
            Ok(OrderedSet::CfUpdate(_)) => (false, true, word == credits),
            Ok(init @ OrderedSet::LlrInit { data, .. }) => {
                let known = self.init == Some(word);
                if ends {
                    let expected = self.model.ordered_set(clock);
                    self.init = Some(word);
                    self.hit("LLR_INIT");
                    let late = expected.is_none() && self.model.state() != ModelState::Init;
                    (false, false, expected == Some(init) || late || known)
                } else {
                    (false, false, data == self.nonce || known)
                }
            }
            Ok(answer) => {
                let set: LlrSet = SetBits::from_value(&bench.get(self.port("answers.data"))).into();
                (true, false, encoded(set) == Some(answer))
            }
            Err(problem) => return Err(wrong(clock, problem.to_string())),
        };
        self.hit(if is_answer {
            "answer"
        } else if is_credits {
            "CF_Update"
        } else {
            "start"
        });
        let taken = answered == (is_answer && ends) && credited == (is_credits && ends);
        ensure(clock, right && taken, || format!("{set:?}: {right}, {answered}, {credited}"))
    }
}

fn encoded(set: LlrSet) -> Option<OrderedSet> {
    let sequence = Sequence::new(u64::from(set.sequence) as u32).ok()?;
    let data = u64::from(set.data) as u16;
    Some(match set.kind {
        LlrSetKind::Ack => OrderedSet::LlrAck(sequence),
        LlrSetKind::Nack => OrderedSet::LlrNack(sequence),
        LlrSetKind::Init => OrderedSet::LlrInit { sequence, data },
        LlrSetKind::Echo => OrderedSet::LlrInitEcho { sequence, data },
    })
}

impl Agent for Rig {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let model = self.setup.model;
        let max = match model.replay_limit {
            ReplayLimit::Max(max) => max,
            ReplayLimit::Unlimited => u8::MAX,
        };
        let waiting = match model.waiting {
            WaitingFrames::Block => 0,
            WaitingFrames::BestEffort => 1,
            WaitingFrames::Discard => 2,
        };
        self.restart = false;
        if self.random.random_bool(self.setup.host) || clock < 5 {
            self.enable = self.random.random_bool(0.7) || clock == 4;
            self.restart = self.random.random_bool(0.5) && !self.restarting && !self.restarted;
        }
        if self.head.is_none() && self.random.random_bool(0.4) {
            self.head = Some(self.new_frame());
        }
        let gives = clock >= self.asked_at && self.random.random_bool(0.3);
        let set = self.new_set();
        for (name, value) in [
            ("settings.first", model.first.value().into()),
            ("settings.replay_timer", model.replay_timer),
            ("settings.init_interval", model.init_interval),
            ("settings.replays_max", max.into()),
            ("settings.frames_max", model.frames_max as u64),
            ("settings.room_words", ROOM),
            ("settings.waiting", waiting),
            ("settings.automatic", (model.reinit == Reinit::Automatic).into()),
            ("settings.eligible", 0x77),
            ("settings.twice", self.setup.twice.into()),
            ("pcs_up", 1),
            ("enable", self.enable.into()),
            ("restart", self.restart.into()),
            ("sets.valid", gives.into()),
            ("frame.valid", self.head.is_some().into()),
            ("class", self.head.as_ref().map_or(0, |frame| frame.class)),
            ("bypass", self.head.as_ref().is_some_and(|frame| frame.bypass).into()),
        ] {
            bench.set_u64(self.port(name), value);
        }
        let bits: SetBits = set.into();
        bench.set(self.port("sets.data"), &bits.to_value());
        if let Some(frame) = &self.head {
            bench.set(self.port("frame.data"), &frame.words[self.place].to_value());
        }
        if gives {
            self.asked_at = clock + APART;
            if set.kind != LlrSetKind::Init {
                self.asked.push_back(set);
            }
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.port("clear")) {
            self.hit("clear");
            self.reset();
            return Ok(());
        }
        if clock > 0 {
            self.decided(clock, bench)?;
            self.check_late(clock, bench)?;
        }
        self.transfers(clock, bench)?;
        self.control(clock, bench)?;
        (self.was_enabled, self.restarted) = (self.enable, self.restart);
        Ok(())
    }
}
