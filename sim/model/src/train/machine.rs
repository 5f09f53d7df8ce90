//! The state machine of one end (chapter 10, 4.6).

use super::config::{Announce, TrainConfig, TrainConfigError, TrainMutation};
use super::io::{Direction, LaneOutput, TrainEvent, TrainInput};
use super::lane::{deskew, outlier, ArrivedSet, LaneLock};
use super::mode::{choose_mode, ModeOffer};
use crate::training::{Polarity, StartWord, TrainingKind, TrainingSet};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::training::{next_request, APART_SETS, NO_VIEW_SETS};

mod output;

/// How far Training or Retraining is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    /// Retraining: lanes lock again; rx_ok is not told yet.
    Lock,
    /// TS1 with rx_ok until the peer's masks stand still.
    Settle,
    /// TS2.
    Confirm { sent: u32, seen: u32 },
}

/// What the peer's training sets say, one lane like the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PeerView {
    tx_mask: u8,
    rx_ok: u8,
    request: u8,
    answer: u8,
    epoch: u16,
    fresh: bool,
    modes: ModeOffer,
    announce: Announce,
    guid: u64,
}

impl PeerView {
    fn of(set: &TrainingSet) -> Self {
        let TrainingSet {
            capabilities,
            preferred,
            bonded,
            fresh,
            tx_mask,
            rx_ok,
            request,
            answer,
            epoch,
            guid,
            ..
        } = *set;
        let modes = ModeOffer { capabilities, preferred, bonded };
        // All lanes have the same port behind them, each with a bond index of its own word 0.
        let announce = Announce {
            bond: 0,
            log2_flits_per_beat: set.log2_flits_per_beat,
            log2_replay_slots: set.log2_replay_slots,
            v_au: set.v_au,
            vls_minus_1: set.vls_minus_1,
        };
        PeerView { tx_mask, rx_ok, request, answer, epoch, fresh, modes, announce, guid }
    }
}

/// The sets without those whose lane number another lane names too: one of them is wrong, and nobody can tell which.
fn single_numbers(sets: &[Option<ArrivedSet>; MAX_LANES]) -> [Option<ArrivedSet>; MAX_LANES] {
    sets.map(|set| {
        set.filter(|set| sets.iter().flatten().filter(|other| other.set.lane == set.set.lane).count() == 1)
    })
}

/// One end in training: [`LinkTrain::step`] for each training-set time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinkTrain {
    config: TrainConfig,
    state: LinkState,
    step: Step,
    enabled: bool,
    epoch: u16,
    /// No state is kept, and the peer may not know yet: until Active.
    fresh: bool,
    locks: [LaneLock; MAX_LANES],
    inverted: [bool; MAX_LANES],
    /// Lanes, by the peer's numbers, that the peer is asked to use.
    rx_ok: u8,
    /// Number of what the end asks for (rule 9).
    request: u8,
    peer: Option<PeerView>,
    stable: u32,
    /// Steps in a row in which the lanes did not line up.
    apart: u32,
    /// Steps in a row without a common view of the peer.
    no_view: u32,
    /// Sets in a row while LTPs are expected.
    called: u32,
    /// The start row has come, and no set since.
    started: Option<StartWord>,
    deskew: Option<[u8; MAX_LANES]>,
    count: u8,
    timer: u32,
    tries: u32,
    tx: Option<Direction>,
    rx: Option<Direction>,
}

impl LinkTrain {
    /// An end in Down.
    pub fn new(config: TrainConfig) -> Result<Self, TrainConfigError> {
        config.check()?;
        Ok(LinkTrain {
            config,
            state: LinkState::Down,
            step: Step::Lock,
            enabled: false,
            epoch: 0,
            fresh: true,
            locks: [LaneLock::default(); MAX_LANES],
            inverted: [false; MAX_LANES],
            rx_ok: 0,
            request: 0,
            peer: None,
            stable: 0,
            apart: 0,
            no_view: 0,
            called: 0,
            started: None,
            deskew: None,
            count: 0,
            timer: 0,
            tries: 0,
            tx: None,
            rx: None,
        })
    }

    /// Its state.
    #[must_use]
    pub const fn state(&self) -> LinkState {
        self.state
    }

    /// Its parameters.
    #[must_use]
    pub const fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// True in Active and Degraded.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        matches!(self.state, LinkState::Active | LinkState::Degraded)
    }

    /// No state is kept, and the peer may not know yet.
    #[must_use]
    pub const fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Epoch: times the end came out of Down.
    #[must_use]
    pub const fn epoch(&self) -> u16 {
        self.epoch
    }

    /// Epoch of the peer in its last agreed training sets.
    #[must_use]
    pub fn peer_epoch(&self) -> Option<u16> {
        self.peer.map(|peer| peer.epoch)
    }

    /// The same end with what no later step reads cut off, so that a proof sees finitely many states and few: the count
    /// of training sets stands still, epochs are taken modulo `epochs`, and outside training its counts are cleared.
    pub(super) fn fold(&mut self, epochs: u16) {
        self.count = 0;
        self.epoch %= epochs;
        let init = self.state == LinkState::Init;
        if init || self.is_active() || self.state == LinkState::Bist {
            self.locks = [LaneLock::default(); MAX_LANES];
            (self.step, self.stable, self.apart, self.no_view, self.timer) = (Step::Settle, 0, 0, 0, 0);
            self.deskew = None;
            self.peer = self.peer.filter(|_| init);
        }
    }

    /// Number of what the end asks for (rule 9).
    #[must_use]
    pub const fn request(&self) -> u8 {
        self.request
    }

    /// The same end with other numbers for its requests and for the peer's, so that a proof sees as one state what
    /// differs by the numbers only: a step tells nothing but equal ones apart.
    pub(super) fn renumber(&mut self, mine: impl Fn(u8) -> u8, theirs: impl Fn(u8) -> u8) {
        self.request = mine(self.request);
        if let Some(peer) = &mut self.peer {
            (peer.request, peer.answer) = (theirs(peer.request), mine(peer.answer));
        }
    }

    /// The direction this end sends in, from the start row on.
    #[must_use]
    pub const fn tx(&self) -> Option<Direction> {
        self.tx
    }

    /// The direction this end receives in, from the start row on.
    #[must_use]
    pub const fn rx(&self) -> Option<Direction> {
        self.rx
    }

    /// The peer's start row has come.
    #[must_use]
    pub const fn is_started(&self) -> bool {
        self.started.is_some()
    }

    /// The lanes, by this end's numbers, that are inverted.
    #[must_use]
    pub const fn inverted(&self) -> [bool; MAX_LANES] {
        self.inverted
    }

    /// The sender's number of each lane that has locked.
    #[must_use]
    pub fn lane_map(&self) -> [Option<u8>; MAX_LANES] {
        self.locks.map(|lock| lock.locked(self.config.times.lock))
    }

    /// Words by which each lane is delayed, by this end's numbers, once lined up.
    #[must_use]
    pub const fn deskew(&self) -> Option<[u8; MAX_LANES]> {
        self.deskew
    }

    /// Goes Down. What makes it come up again is CTRL.ENABLE, which is still set unless it was disabled.
    fn go_down(&mut self) {
        let LinkTrain { config, enabled, epoch, request, count, .. } = *self;
        let Ok(down) = LinkTrain::new(config) else { return };
        *self = LinkTrain { enabled, epoch, request, count, ..down };
    }

    fn enter_polling(&mut self) {
        self.state = LinkState::Polling;
        self.begin(Step::Lock);
    }

    fn enter_training(&mut self) {
        self.state = LinkState::Training;
        self.ask_anew();
        self.begin(Step::Settle);
    }

    /// Retraining keeps everything. Our reading: an end that has not been Active since Down stays fresh, for the peer
    /// may not have read it yet.
    fn enter_retraining(&mut self) {
        let kept = self.rx_ok & self.config.allowed;
        self.rx_ok = if kept == 0 { self.config.allowed } else { kept };
        self.state = LinkState::Retraining;
        self.fresh &= self.config.mutation != Some(TrainMutation::RetrainingForgetsFresh);
        self.locks = [LaneLock::default(); MAX_LANES];
        self.ask_anew();
        self.begin(Step::Lock);
    }

    /// Rule 9: what is asked for has a new number.
    fn ask_anew(&mut self) {
        self.request = next_request(self.request);
    }

    fn begin(&mut self, step: Step) {
        self.step = step;
        self.timer = 0;
        self.stable = 0;
        self.apart = 0;
        self.no_view = 0;
        self.called = 0;
        self.peer = None;
        self.started = None;
        self.deskew = None;
    }

    /// One training-set time: takes what came in, then says what each lane sends.
    pub fn step(&mut self, input: &TrainInput) -> [LaneOutput; MAX_LANES] {
        let sets = single_numbers(&input.sets);
        self.take_event(input.event);
        self.take_sets(&sets);
        let called = self.has_used_set(&sets, None);
        match (called, input.start) {
            (_, Some(start)) => self.started = Some(start),
            (true, None) => self.started = None,
            (false, None) => (),
        }
        let start_row = match self.state {
            LinkState::Down => self.step_down(),
            LinkState::Polling => self.step_polling(),
            LinkState::Training | LinkState::Retraining => self.step_training(&sets),
            LinkState::Init => self.step_init(&sets),
            LinkState::Active | LinkState::Degraded => self.step_active(called),
            LinkState::Bist => false,
        };
        self.count = self.count.wrapping_add(1);
        std::array::from_fn(|lane| self.output(lane, start_row))
    }

    fn take_event(&mut self, event: Option<TrainEvent>) {
        let linked = self.is_active() || self.state == LinkState::Init;
        match event {
            Some(TrainEvent::Enable) => self.enabled = true,
            Some(TrainEvent::Disable) => {
                self.enabled = false;
                self.go_down();
            }
            Some(TrainEvent::GiveUp) => self.go_down(),
            Some(TrainEvent::Retrain | TrainEvent::InitTimeout) if linked => self.enter_retraining(),
            Some(TrainEvent::Restore) if linked => {
                self.enter_retraining();
                self.rx_ok = self.config.allowed;
            }
            Some(TrainEvent::ReturnLanes(lanes)) if self.is_active() => {
                self.enter_retraining();
                self.rx_ok |= lanes & self.config.allowed;
            }
            Some(TrainEvent::RemoveLane(lane)) if linked => {
                self.enter_retraining();
                self.rx_ok &= !(1 << lane);
            }
            Some(TrainEvent::InitDone) if self.state == LinkState::Init => self.enter_active(),
            Some(TrainEvent::BistStart) if self.is_active() => self.state = LinkState::Bist,
            Some(TrainEvent::BistEnd) if self.state == LinkState::Bist => self.enter_retraining(),
            _ => (),
        }
    }

    fn enter_active(&mut self) {
        let full = |direction: Option<Direction>| direction.is_some_and(|d| d.count() == self.config.lanes);
        let both = full(self.tx) && full(self.rx);
        self.state = if both { LinkState::Active } else { LinkState::Degraded };
        self.fresh = false;
        self.tries = 0;
        self.called = 0;
    }

    /// Lane locks and polarity.
    fn take_sets(&mut self, sets: &[Option<ArrivedSet>; MAX_LANES]) {
        let training = matches!(self.state, LinkState::Polling | LinkState::Training | LinkState::Retraining);
        for (lane, set) in sets.iter().enumerate() {
            if training {
                let times = self.config.times;
                self.locks[lane].step(set.map(|arrived| arrived.set.lane), times.lock, times.hold);
            }
            if let Some(arrived) = set {
                self.inverted[lane] = arrived.polarity == Polarity::Inverted;
            }
        }
    }

    /// A set, of this kind if one is named, on a lane that data should come on. Idle lanes send TS1 without end.
    fn has_used_set(&self, sets: &[Option<ArrivedSet>; MAX_LANES], kind: Option<TrainingKind>) -> bool {
        let used = self.rx.map_or(0, |rx| rx.lanes);
        sets.iter().flatten().any(|arrived| {
            used >> arrived.set.lane & 1 == 1 && kind.is_none_or(|kind| arrived.set.kind == kind)
        })
    }

    /// Locked lanes by the sender's numbers.
    fn locked(&self) -> u8 {
        self.lane_map().into_iter().flatten().fold(0, |mask, lane| mask | 1 << lane)
    }

    fn step_down(&mut self) -> bool {
        if self.enabled {
            self.epoch = self.epoch.wrapping_add(1);
            self.fresh = true;
            self.enter_polling();
        }
        false
    }

    /// Polling: all lanes locked, or POLL_WAIT after the first.
    fn step_polling(&mut self) -> bool {
        if let Some(locked) = self.lanes_found(self.config.allowed) {
            self.rx_ok = locked;
            self.enter_training();
        }
        false
    }

    /// The locked ones of the lanes waited for, once all are locked or POLL_WAIT has passed since the first.
    fn lanes_found(&mut self, wanted: u8) -> Option<u8> {
        let locked = self.locked() & wanted;
        if locked == 0 {
            self.stable = 0;
            return None;
        }
        self.stable += 1; // POLL_WAIT runs from the first lane
        (locked == wanted || self.stable > self.config.times.poll_wait).then_some(locked)
    }

    /// Training and Retraining; true when the start row is due.
    fn step_training(&mut self, sets: &[Option<ArrivedSet>; MAX_LANES]) -> bool {
        self.timer += 1;
        if self.timer > self.config.times.agree || self.rx_ok == 0 {
            self.no_agreement();
            return false;
        }
        if let Step::Confirm { sent, .. } = &mut self.step {
            *sent = (*sent + 1).min(self.config.times.ts2_sent); // the TS2 of the last time
        }
        let apart = std::mem::take(&mut self.apart);
        let no_view = std::mem::take(&mut self.no_view);
        if self.step == Step::Lock {
            if let Some(locked) = self.lanes_found(self.rx_ok) {
                self.rx_ok = locked;
                (self.step, self.stable) = (Step::Settle, 0);
            }
            return false;
        }
        let Some((view, ts2)) = self.peer_view(sets) else { return self.without_view(no_view) };
        let changed = self.peer != Some(view);
        if changed {
            (self.peer, self.stable, self.step) = (Some(view), 0, Step::Settle);
        }
        self.stable = (self.stable + 1).min(self.config.times.stable);
        let started = self.take_view(view, ts2, sets);
        if !changed && !started {
            self.leave_out(view, sets, apart);
        }
        started
    }

    /// Rule 2: lanes that do not line up for so long lose the one that stands apart. The peer is asked anew for those left.
    fn leave_out(&mut self, view: PeerView, sets: &[Option<ArrivedSet>; MAX_LANES], apart: u32) {
        let trains = matches!(self.state, LinkState::Training | LinkState::Retraining);
        if !trains || self.config.allowed & view.rx_ok == 0 {
            return;
        }
        let used = view.tx_mask & self.rx_ok;
        let in_use = |set: &ArrivedSet| used >> set.set.lane & 1 == 1;
        let arrived: Vec<ArrivedSet> = sets.iter().flatten().copied().filter(in_use).collect();
        let Some(lane) = outlier(&arrived) else { return };
        self.apart = apart + 1;
        if self.apart == APART_SETS {
            self.rx_ok &= !(1 << lane);
            self.ask_anew();
            (self.step, self.stable, self.apart) = (Step::Settle, 0, 0);
        }
    }

    /// No common view of the peer in this time: it does not count. A lane that loses sets now and then is waited for; if that lasts,
    /// a lane that was asked for has died, and the lanes lock anew.
    fn without_view(&mut self, no_view: u32) -> bool {
        if self.is_confirmed() {
            self.start();
            return true;
        }
        self.no_view = no_view + 1;
        if self.no_view == NO_VIEW_SETS {
            self.ask_anew();
            (self.step, self.no_view, self.stable) = (Step::Lock, 0, 0);
        }
        false
    }

    /// The peer's masks stand still: TS2, then the start row.
    fn take_view(&mut self, view: PeerView, ts2: bool, sets: &[Option<ArrivedSet>; MAX_LANES]) -> bool {
        let Some((tx, rx)) = self.directions(view) else { return false };
        let answered = self.is_answered(view);
        match &mut self.step {
            Step::Settle if self.stable >= self.config.times.stable && answered => {
                (self.tx, self.rx) = (Some(tx), Some(rx));
                self.step = Step::Confirm { sent: 0, seen: u32::from(ts2) };
            }
            Step::Confirm { seen, .. } => *seen = (*seen + u32::from(ts2)).min(self.config.times.ts2_seen),
            Step::Settle | Step::Lock => return false,
        }
        self.line_up(sets, rx);
        self.is_confirmed().then(|| self.start()).is_some()
    }

    /// Rule 9: the peer has seen what is asked for now.
    fn is_answered(&self, view: PeerView) -> bool {
        view.answer == self.request || self.config.mutation == Some(TrainMutation::AnyAnswerCounts)
    }

    fn is_confirmed(&self) -> bool {
        let times = self.config.times;
        matches!(self.step, Step::Confirm { sent, seen } if sent >= times.ts2_sent && seen >= times.ts2_seen)
            && self.deskew.is_some()
    }

    /// The start row goes out: Init.
    fn start(&mut self) {
        self.state = LinkState::Init;
        self.timer = 0;
        self.called = 0;
    }

    /// The peer as all good sets of this time show it, and whether every lane used carried TS2. `None` if lanes differ
    /// or one of the lanes asked for has no set.
    fn peer_view(&self, sets: &[Option<ArrivedSet>; MAX_LANES]) -> Option<(PeerView, bool)> {
        let mut view = None;
        let (mut seen, mut ts2) = (0u8, 0u8);
        for TrainingSet { kind, lane, .. } in sets.iter().flatten().map(|arrived| arrived.set) {
            seen |= 1 << lane;
            ts2 |= u8::from(kind == TrainingKind::Ts2) << lane;
        }
        for found in sets.iter().flatten().map(|arrived| PeerView::of(&arrived.set)) {
            if *view.get_or_insert(found) != found {
                return None;
            }
        }
        let used = self.rx_ok & view?.tx_mask;
        (used != 0 && seen & used == used).then_some((view?, ts2 & used == used))
    }

    /// Lanes and modes of both directions; `None` if a direction has no lane or the ends have no mode in common. A mode
    /// 1 that comes or goes needs Down, for the sideband bits live in the replay slots.
    fn directions(&mut self, view: PeerView) -> Option<(Direction, Direction)> {
        let direction = |lanes: u8| {
            let mode = choose_mode(self.config.modes, view.modes, lanes.count_ones() as usize)?;
            (lanes != 0).then_some(Direction { lanes, mode })
        };
        let (tx, rx) = (direction(self.config.allowed & view.rx_ok)?, direction(view.tx_mask & self.rx_ok)?);
        let has_sideband = |direction: Direction| direction.mode == CrcMode::Bits14;
        if !self.fresh && self.tx.is_some_and(|before| has_sideband(before) != has_sideband(tx)) {
            self.go_down();
            return None;
        }
        Some((tx, rx))
    }

    /// Rule 2: lines the lanes up on equal counts.
    fn line_up(&mut self, sets: &[Option<ArrivedSet>; MAX_LANES], rx: Direction) {
        let used = |arrived: &ArrivedSet| rx.lanes >> arrived.set.lane & 1 == 1;
        let (lanes, arrived): (Vec<usize>, Vec<ArrivedSet>) =
            sets.iter().enumerate().filter_map(|(lane, set)| Some((lane, (*set).filter(used)?))).unzip();
        self.deskew = deskew(&arrived).map(|delays| {
            let mut by_lane = [0; MAX_LANES];
            lanes.iter().zip(delays).for_each(|(&lane, delay)| by_lane[lane] = delay as u8);
            by_lane
        });
    }

    /// 2^20 clocks without agreement.
    fn no_agreement(&mut self) {
        if self.state == LinkState::Retraining {
            self.go_down();
            return;
        }
        self.tries += 1;
        if self.tries >= self.config.times.tries {
            self.go_down();
        } else {
            self.locks = [LaneLock::default(); MAX_LANES];
            self.enter_polling();
        }
    }

    /// Init: a start row that differs goes back to training. Our reading: so do two TS1 in a row, for then the peer has
    /// begun again; TS2 may still come from before its start row.
    fn step_init(&mut self, sets: &[Option<ArrivedSet>; MAX_LANES]) -> bool {
        let again = self.has_used_set(sets, Some(TrainingKind::Ts1));
        self.called = if again { self.called + 1 } else { 0 };
        if self.called >= self.config.times.call {
            self.enter_retraining();
        } else if let (Some(start), Some(rx)) = (self.started, self.rx) {
            if start.mode != rx.mode || usize::from(start.lanes) != rx.count() {
                if self.fresh {
                    self.enter_training();
                } else {
                    self.enter_retraining();
                }
            }
        }
        false
    }

    /// Active: sets in two consecutive times call to Retraining.
    fn step_active(&mut self, called: bool) -> bool {
        self.called = if called { self.called + 1 } else { 0 };
        if self.called >= self.config.times.call {
            self.enter_retraining();
        }
        false
    }
}
