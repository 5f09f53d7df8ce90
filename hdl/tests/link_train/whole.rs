//! `link_train` against the golden model, step by step: the same states, lanes, modes and sets.

use crate::link_train::bench::OFFER;
use crate::link_train::peer::peer;
use crate::link_train::{set_rx, set_tx, QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::train::{LinkTrain as Block, LinkTrainConfig};
use flitforge_model::train::{
    ArrivedSet, LaneOutput, LinkTrain, TrainConfig, TrainEvent, TrainInput, TrainTimes,
};
use flitforge_model::training::{Polarity, TrainingKind};
use flitforge_model::StartWord;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::training::next_request;
use flitforge_sim::kit::{seed, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};

/// The short times of the block, as the model has them.
pub fn config(guid: u64) -> TrainConfig {
    let short = LinkTrainConfig::short(4);
    let times = TrainTimes {
        poll_wait: short.poll_wait_sets,
        agree: short.agree_sets,
        tries: short.tries,
        ..TrainTimes::default()
    };
    TrainConfig { guid, times, ..TrainConfig::default() }
}

/// What the lanes send, as the sender of training sets is told.
#[derive(Clone, Copy, Default)]
struct Shown {
    send: u64,
    ts2: u64,
    rx_ok: u64,
    request: u64,
    answer: u64,
    fresh: bool,
    epoch: u16,
}

impl Shown {
    fn of(lanes: &[LaneOutput; 4]) -> Self {
        let mut shown = Shown::default();
        for (lane, output) in lanes.iter().enumerate() {
            let LaneOutput::Set(set) = output else { continue };
            shown.send |= 1 << lane;
            shown.ts2 |= u64::from(set.kind == TrainingKind::Ts2) << lane;
            (shown.rx_ok, shown.fresh, shown.epoch) = (set.rx_ok.into(), set.fresh, set.epoch);
            (shown.request, shown.answer) = (set.request.into(), set.answer.into());
        }
        shown
    }
}

/// Bits of the events, the most urgent first.
const EVENTS: [&str; 7] = ["give_up", "remove", "restore", "retrain", "init_done", "bist_end", "bist_start"];

#[derive(Clone, Default)]
pub struct Counts {
    steps: Count,
    active: Count,
    retrained: Count,
    degraded: Count,
    downs: Count,
}

struct Model {
    rx: Vec<set_rx::Model>,
    tx: set_tx::Model,
    golden: LinkTrain,
    phase: u32,
    /// Clocks since phase 8, 1 and 2.
    words_after: u32,
    is_new: [bool; 4],
    /// What the view knows a clock late: the tick, lanes that have a set; and whether one of them is owed one.
    late: Late,
    waited: [u32; 4],
    taken: [Option<ArrivedSet>; 4],
    waiting: u64,
    event: u64,
    lane: u8,
    train_event: Option<TrainEvent>,
    enabled: bool,
    row: Option<bool>,
    start: Option<bool>,
    idle: u32,
    /// The end is in Init since the clock before; the start row is due; and it was in Init then.
    begun: bool,
    start_due: bool,
    was_init: bool,
    /// The start row waits for a row: sets go on.
    waits_for_row: bool,
    /// A row waited in the clock before.
    row_waited: bool,
    shown: Shown,
    /// What all lanes sent last.
    trained: Shown,
    /// What the sets are told: that of the clock before.
    told: Shown,
    /// From the event of a step to its end.
    between: Option<Shown>,
    /// The event has led to Down or Retraining, or out of Init.
    left: bool,
    left_init: bool,
    /// The sets of the step.
    pending: [Option<ArrivedSet>; 4],
    counts: Counts,
}

#[derive(Clone, Copy, Default)]
struct Late {
    tick: bool,
    present: [bool; 4],
    owed: bool,
}

/// Any time that is late enough for lanes to be early.
const NOW: u64 = 1 << 20;
const GUID: u64 = 0x1122_3344_5566_7788;

impl Model {
    fn new(counts: Counts) -> Self {
        Model {
            rx: (0..4).map(|_| set_rx::Model::new(set_rx::Counts::default())).collect(),
            tx: set_tx::Model::new(4, Count::default()),
            golden: LinkTrain::new(config(GUID)).expect("valid"),
            phase: 0,
            words_after: 0,
            is_new: [false; 4],
            late: Late::default(),
            waited: [0; 4],
            taken: [None; 4],
            waiting: 0,
            event: 0,
            lane: 0,
            train_event: None,
            enabled: false,
            row: None,
            start: None,
            idle: 0,
            begun: false,
            start_due: false,
            was_init: false,
            row_waited: false,
            waits_for_row: false,
            shown: Shown::default(),
            trained: Shown::default(),
            told: Shown::default(),
            between: None,
            left: false,
            left_init: false,
            pending: [None; 4],
            counts,
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let mut ready = 0;
        for lane in 0..4 {
            let word = self.tx.word(lane);
            outputs.set_bit(&format!("training[{lane}].valid"), word.is_some())?;
            if let Some(word) = word {
                outputs.set_u64(&format!("training[{lane}].data"), word)?;
            }
            ready |= u64::from(inputs.bit(&format!("training[{lane}].ready"))?) << lane;
        }
        let bits = |of: fn(&set_rx::Model) -> bool| -> u64 {
            self.rx.iter().enumerate().map(|(lane, rx)| u64::from(of(rx)) << lane).sum()
        };
        outputs.set_u64("invert", bits(|rx| rx.inverted))?;
        outputs.set_u64("slip", bits(|rx| rx.slip))?;
        let set_end = self.tx.set_end(ready);
        let in_init = self.golden.state() == LinkState::Init && !self.left_init;
        let goes = set_end && self.row_waited;
        outputs
            .set_bit("tx_start", self.tx.at_end() && self.row_waited && self.start_due && self.was_init)?;
        if self.between.is_none() && self.words_after == 0 {
            self.show(outputs)?;
        }
        self.row_waited = inputs.bit("row_waits")?;
        let due = (self.begun || self.start_due) && in_init;
        self.waits_for_row = due && !self.row_waited;
        self.start_due = std::mem::take(&mut self.begun) || self.start_due && !goes && in_init;
        self.was_init = in_init;
        self.clock(inputs, ready, set_end)
    }

    /// What is told outside, between two steps.
    fn show(&self, outputs: &mut PortValues) -> Result<(), SimError> {
        let golden = &self.golden;
        outputs.set_u64("state", golden.state().code().into())?;
        outputs.set_bit("fresh", golden.is_fresh())?;
        outputs.set_u64("epoch", golden.epoch().into())?;
        let running = golden.is_active() || matches!(golden.state(), LinkState::Init | LinkState::Bist);
        outputs.set_bit("running", running)?;
        for (direction, lanes, mode) in
            [(golden.tx(), "tx_lanes", "tx_mode"), (golden.rx(), "rx_lanes", "rx_mode")]
        {
            outputs.set_u64(lanes, direction.map_or(0, |direction| direction.lanes.into()))?;
            outputs.set_u64(mode, direction.map_or(0, |direction| direction.mode.code().into()))?;
        }
        Ok(())
    }

    fn clock(&mut self, inputs: &PortValues, ready: u64, set_end: bool) -> Result<(), SimError> {
        let clear = inputs.bit("clear")?;
        let tick = set_end || self.idle == 63;
        self.idle = if self.late.tick { 0 } else { (self.idle + 1) % 64 };
        let may_turn =
            matches!(self.state_now(), LinkState::Polling | LinkState::Training | LinkState::Retraining);
        let mut now = self.between.unwrap_or(self.shown);
        if self.waits_for_row {
            now = Shown { send: 0xF, ts2: self.golden.tx().map_or(0, |tx| tx.lanes.into()), ..self.trained };
        }
        let shown = std::mem::replace(&mut self.told, now);
        let ports = ["bond_index", "offer", "next_rx", "guid_low", "guid_high", "allowed"];
        let mut told = vec![
            ("send", shown.send),
            ("ts2", shown.ts2),
            ("rx_ok", shown.rx_ok),
            ("request", shown.request),
            ("answer", shown.answer),
            ("fresh", shown.fresh.into()),
            ("epoch", shown.epoch.into()),
        ];
        for port in ports {
            told.push((if port == "allowed" { "tx_mask" } else { port }, inputs.u64(port)?));
        }
        self.tx.clock(ready, clear, &|name| told.iter().find(|(port, _)| *port == name).expect("told").1);

        self.events(inputs)?;
        let go = self.look(tick);
        if self.words_after == 2 {
            self.golden_step();
        }
        self.words_after = if self.words_after == 1 { 2 } else { u32::from(self.phase == 8) };
        self.phase = match (go, self.phase) {
            (true, _) => 1,
            (false, phase @ 1..8) => phase + 1,
            _ => 0,
        };
        for lane in 0..4 {
            let (valid, data) =
                (inputs.bit(&format!("lanes[{lane}].valid"))?, inputs.u64(&format!("lanes[{lane}].data"))?);
            self.rx[lane].clock(set_rx::Input {
                clear,
                may_turn,
                signal_ok: inputs.u64("signal_ok")? >> lane & 1 == 1,
                lane_lock: inputs.u64("lane_lock")? >> lane & 1 == 1,
                word: Some(data).filter(|_| valid),
            });
        }
        if clear {
            let Model { rx, tx, late, waited, taken, idle, counts, .. } =
                std::mem::replace(self, Model::new(self.counts.clone()));
            *self = Model { rx, tx, late, waited, taken, idle, ..Model::new(counts) };
        }
        Ok(())
    }

    /// The state as it is in the clocks between an event and the end of its step.
    fn state_now(&self) -> LinkState {
        match (self.between, self.train_event) {
            (Some(shown), Some(TrainEvent::Disable | TrainEvent::GiveUp)) if shown.send == 0 => {
                LinkState::Down
            }
            (Some(shown), _) if shown.send == 0xF && self.left => LinkState::Retraining,
            _ => self.golden.state(),
        }
    }

    /// Phases 3, 4 and 6: events and the start row.
    fn events(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        let mut received = 0;
        for (bit, name) in EVENTS.into_iter().enumerate() {
            received |= u64::from(inputs.bit(name)?) << bit;
        }
        received |= u64::from(inputs.bit("deskew_lost")?) << 3;
        if self.phase == 4 {
            self.begin_step(inputs.bit("enable")?);
        }
        self.event = 0;
        if self.phase == 3 {
            let confirming = self.shown.ts2 != 0;
            self.event = self.waiting & self.waiting.wrapping_neg();
            if confirming && self.event == 1 << 3 {
                self.event = 0;
            }
        }
        self.waiting = self.waiting & !self.event | received;
        if inputs.bit("remove")? {
            self.lane = inputs.u64("remove_lane")? as u8;
        }
        let (row, wrong) = (inputs.bit("row_start")?, inputs.bit("start_mismatch")?);
        if self.phase == 6 {
            self.start = self.row.take();
        }
        if row || wrong {
            self.row = Some(self.row.unwrap_or(false) | wrong);
        }
        Ok(())
    }

    /// Phase 4: the event of the step.
    fn begin_step(&mut self, enable: bool) {
        let event = (0..7).find(|bit| self.event >> bit & 1 == 1).map(|bit| match bit {
            0 => TrainEvent::GiveUp,
            1 => TrainEvent::RemoveLane(self.lane),
            2 => TrainEvent::Restore,
            3 => TrainEvent::Retrain,
            4 => TrainEvent::InitDone,
            5 => TrainEvent::BistEnd,
            _ => TrainEvent::BistStart,
        });
        self.train_event = match (enable, self.enabled) {
            (false, _) => Some(TrainEvent::Disable),
            (true, false) => Some(TrainEvent::Enable),
            (true, true) => event,
        };
        self.enabled = enable;
        self.pending = self.taken;
        let golden = &self.golden;
        let linked = golden.is_active() || golden.state() == LinkState::Init;
        let mut between = self.shown;
        (self.left, self.left_init) = (false, false);
        let begun_again = Shown {
            send: 0xF,
            fresh: golden.is_fresh(),
            epoch: golden.epoch(),
            request: next_request(golden.request()).into(),
            ..Shown::default()
        };
        match self.train_event {
            Some(TrainEvent::Disable | TrainEvent::GiveUp) => {
                (between.send, self.left) = (0, true);
            }
            Some(TrainEvent::RemoveLane(_) | TrainEvent::Restore | TrainEvent::Retrain) if linked => {
                between = begun_again;
                self.left = true;
            }
            Some(TrainEvent::BistEnd) if golden.state() == LinkState::Bist => {
                between = begun_again;
                self.left = true;
            }
            Some(TrainEvent::InitDone) if golden.state() == LinkState::Init => {
                (between.rx_ok, between.fresh) = (0, false);
                self.left_init = true;
            }
            Some(TrainEvent::BistStart) if golden.is_active() => between.send = 0,
            _ => (),
        }
        self.left_init |= self.left;
        self.between = Some(between);
    }

    /// A tick, a clock late: takes the lanes' sets if none is owed.
    fn look(&mut self, tick: bool) -> bool {
        let late = self.late;
        let may_go = late.tick && matches!(self.phase, 0 | 8);
        let there: Vec<bool> =
            (0..4).map(|lane| late.present[lane] && (self.is_new[lane] || self.waited[lane] < 2)).collect();
        let go = may_go && !late.owed;
        let owed = |lane: usize| {
            let rx = &self.rx[lane];
            rx.present && !rx.received && !self.is_new[lane] && self.waited[lane] < 2
        };
        self.late =
            Late { tick, present: std::array::from_fn(|lane| self.rx[lane].present), owed: (0..4).any(owed) };
        for (lane, there) in there.into_iter().enumerate() {
            if may_go {
                self.waited[lane] = if self.is_new[lane] { 0 } else { (self.waited[lane] + 1).min(2) };
            }
            if go {
                self.taken[lane] = self.rx[lane].good.filter(|_| there).map(|(_, set)| ArrivedSet {
                    set,
                    polarity: Polarity::Normal,
                    arrival: NOW - self.rx[lane].words_after,
                });
                self.is_new[lane] = false;
            }
            self.is_new[lane] |= self.rx[lane].received;
        }
        go
    }

    /// Phase 10: the golden model's step.
    fn golden_step(&mut self) {
        let before = self.golden.state();
        let start = self.start.take().zip(self.golden.rx()).map(|(wrong, rx)| StartWord {
            lane: 0,
            bond: 0,
            mode: rx.mode,
            lanes: if wrong { rx.count() as u8 % 4 + 1 } else { rx.count() as u8 },
        });
        let input = TrainInput { sets: self.pending, start, event: self.train_event.take() };
        let lanes = self.golden.step(&input);
        self.shown = Shown::of(&lanes);
        if self.shown.send == 0xF {
            self.trained = self.shown;
        }
        self.begun |= lanes.iter().any(|lane| matches!(lane, LaneOutput::Start(_)));
        self.between = None;
        (self.left, self.left_init) = (false, false);
        let after = self.golden.state();
        self.counts.steps.add(1);
        self.counts.active.add(u64::from(after != before && self.golden.is_active()));
        self.counts.degraded.add(u64::from(after != before && after == LinkState::Degraded));
        self.counts.retrained.add(u64::from(after != before && after == LinkState::Retraining));
        self.counts.downs.add(u64::from(after != before && after == LinkState::Down));
    }
}

pub fn plan(name: &str, counts: Counts) -> CosimPlan<'static> {
    let make =
        || -> Box<dyn DriveBlock> { Box::new(Block::<4>::new(LinkTrainConfig::short(4)).expect("valid")) };
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let agent = peer(testbench.bench(), seed, OFFER, GUID)?;
        testbench.add(agent);
        Ok(())
    };
    let mut model = Model::new(counts);
    CosimPlan::new(name, seed(0x10_74), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
        .model_ignores(&[
            "reason",
            "rx_ok",
            "peer_offer",
            "peer_bond",
            "peer_fresh",
            "peer_epoch",
            "peer_guid_low",
            "peer_guid_high",
            "source[0]",
            "source[1]",
            "source[2]",
            "source[3]",
            "rx_clear",
            "tx_clear",
        ])
}

#[test]
fn training_is_that_of_the_golden_model() {
    let counts = Counts::default();
    let clocks = deep(plan("link_train", counts.clone()).clocks(60_000), QUICK_CLOCKS, STOCK_CLOCKS)
        .run()
        .expect("equal")
        .clocks;
    counts.steps.at_least(clocks / 12, "steps");
    counts.active.at_least(clocks / 6_000, "times Active");
    counts.degraded.at_least(clocks / 60_000, "times Degraded");
    counts.retrained.at_least(clocks / 6_000, "times Retraining");
    counts.downs.at_least(clocks / 30_000, "times Down");
}
