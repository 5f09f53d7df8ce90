//! `link_delay` clock by clock.

use crate::time::link_delay::{
    one_way, rx_correction, sent_to_received, turnaround, LinkDelay, LinkDelayRun, RunStatus, Stamp,
};
use crate::time::TimeFlit;
use flitforge_protocol::time::LDM_ROUNDS_LOG2;
use flitforge_protocol::time_servo::{FINE_STEP_SHIFT, LAG_LOOK_AHEAD_CLOCKS};
use std::collections::VecDeque;

/// Clocks from a request to the offer of its answer.
const ANSWER_CLOCKS: u64 = 3;
/// Clocks from an answer to its delay.
const DELAY_CLOCKS: u64 = 2;
/// Clocks in which a stored delay is looked at.
const LOOK_CLOCKS: u64 = 5;

/// Inputs of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkDelayInputs {
    /// `clear`.
    pub clear: bool,
    /// A DelayReq or DelayResp, one clock after its R edge.
    pub marker: Option<TimeFlit>,
    /// rx lag of this R edge, 1/256 ns.
    pub rx_lag: i32,
    /// tx lag of a flit taken [`LAG_LOOK_AHEAD_CLOCKS`] later, 1/256 ns.
    pub tx_lag: i32,
    /// Both meters are valid.
    pub phase_ok: bool,
    /// SyncTime is locked.
    pub locked: bool,
    /// INC_F, 2^-32 ns.
    pub inc_f: u64,
    /// A run begins.
    pub start: bool,
    /// AUTO.
    pub auto_run: bool,
    /// ADJ_EN.
    pub adjust: bool,
    /// K.
    pub rounds_log2: u32,
    /// LDM_TIMEOUT less 1.
    pub timeout: u16,
    /// ASYM, 1/256 ns.
    pub asymmetry: i32,
    /// LDM_ACK, 1/256 ns.
    pub acknowledged: i32,
    /// The link is Active.
    pub active: bool,
    /// Lane masks.
    pub lanes: u8,
    /// HOLD_ON_EPOCH.
    pub hold_on_epoch: bool,
    /// EPOCH is written: LINK_EPOCH and MEASURED_EPOCH.
    pub epoch_write: Option<(u16, u16)>,
    /// The request is taken.
    pub request_ready: bool,
    /// The response is taken.
    pub response_ready: bool,
}

/// Outputs before an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkDelayOutputs {
    /// Tag of the request that is offered.
    pub request: Option<u8>,
    /// The response that is offered; it is that of a flit taken one clock later.
    pub response: Option<TimeFlit>,
    /// Result of the last run.
    pub result: Option<LinkDelay>,
    /// Rounds of it.
    pub rounds: usize,
    /// The last run failed.
    pub failed: bool,
    /// LDM_RETRY.
    pub retry: bool,
    /// A run ended.
    pub finished: bool,
    /// RX_CORR is set, 1/16 ns.
    pub rx_corr: Option<i32>,
    /// LINK_EPOCH.
    pub link_epoch: u16,
    /// MEASURED_EPOCH.
    pub measured_epoch: u16,
    /// Time flits are held back.
    pub hold: bool,
    /// The link changed.
    pub changed: bool,
    /// A round is out or an answer is due.
    pub busy: bool,
}

/// A request of the peer that waits for its answer to go.
#[derive(Debug, Clone, Copy)]
struct Asked {
    at: u64,
    stamp: Stamp,
    tag: u8,
    phase_ok: bool,
}

/// Where the initiator's round is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Round {
    Idle,
    Offered,
    Out { sent: Stamp, taken: u64, corrupted: bool, forgotten: bool },
    Ends { at: u64, delay: Option<i64>, forgotten: bool },
}

/// A run until its end shows.
#[derive(Debug, Clone)]
struct Run {
    run: LinkDelayRun,
    /// Clock from which the next round may go.
    ready: u64,
    /// Clock in which the end shows.
    end: Option<u64>,
    epoch: u16,
}

/// The block.
#[derive(Debug, Clone)]
pub struct ClockedLinkDelay {
    now: u64,
    tx_lags: VecDeque<i32>,
    rx_lag: i32,
    timeout: u16,
    asked: Option<Asked>,
    round: Round,
    tag: u8,
    run: Option<Run>,
    /// Clocks in which LDM_RETRY shows.
    retries: VecDeque<u64>,
    before: (bool, u8),
    begins: bool,
    pending: bool,
    /// LINK_EPOCH of the run that ended last.
    ended_epoch: u16,
    /// RX_CORR in work.
    adjusting: Option<i32>,
    /// ASYM and LDM_ACK of the clock before.
    known: (i64, i64),
    outputs: LinkDelayOutputs,
}

impl Default for ClockedLinkDelay {
    fn default() -> Self {
        Self {
            now: 1,
            tx_lags: vec![0; LAG_LOOK_AHEAD_CLOCKS].into(),
            rx_lag: 0,
            timeout: 0,
            asked: None,
            round: Round::Idle,
            tag: 0,
            run: None,
            retries: VecDeque::new(),
            before: (false, 0),
            begins: false,
            pending: false,
            ended_epoch: 0,
            adjusting: None,
            known: (0, 0),
            outputs: LinkDelayOutputs::default(),
        }
    }
}

impl ClockedLinkDelay {
    /// What stands in this clock, whose inputs are these: an answer hangs on `phase_ok`, `locked` and INC_F.
    #[must_use]
    pub fn outputs(&self, inputs: &LinkDelayInputs) -> LinkDelayOutputs {
        let response = self.answer(inputs).map(|(asked, turnaround)| TimeFlit::DelayResp {
            turnaround,
            tag: asked.tag,
            phase_valid: asked.phase_ok && inputs.phase_ok,
            locked: inputs.locked,
        });
        let request = (self.round == Round::Offered).then_some(self.tag);
        let retry = self.retries.front() == Some(&self.now);
        let out = matches!(self.round, Round::Out { .. } | Round::Ends { .. });
        let asks = matches!(inputs.marker, Some(TimeFlit::DelayReq { .. }));
        let busy = out || asks || self.asked.is_some();
        LinkDelayOutputs { request, response, retry, busy, ..self.outputs }
    }

    /// The answer that is offered, for a flit taken in the next clock, whose X edge ends that clock.
    fn answer(&self, inputs: &LinkDelayInputs) -> Option<(Asked, u32)> {
        let asked = self.asked.filter(|asked| self.now >= asked.at + ANSWER_CLOCKS)?;
        let lag = self.tx_lags[1];
        let sent = Stamp { clock: self.now + 2, lag };
        Some((asked, turnaround(asked.stamp, sent, inputs.inc_f)?))
    }

    /// An edge.
    pub fn clock(&mut self, inputs: &LinkDelayInputs) {
        let before = self.outputs;
        let running = self.run.as_ref().is_some_and(|run| run.end.is_none_or(|end| self.now < end));
        self.respond(inputs);
        let ended = self.initiate(inputs);
        self.collect(inputs, ended);
        self.follow(inputs, &before, running);
        while self.retries.front().is_some_and(|at| *at <= self.now) {
            self.retries.pop_front();
        }
        self.tx_lags.pop_front();
        self.tx_lags.push_back(inputs.tx_lag);
        (self.rx_lag, self.timeout) = (inputs.rx_lag, inputs.timeout);
        self.now += 1;
    }

    fn respond(&mut self, inputs: &LinkDelayInputs) {
        let offered = self.answer(inputs).is_some();
        if let Some(asked) = self.asked {
            let clocks = self.now + 2 - asked.stamp.clock;
            let waited = (u128::from(clocks) * u128::from(inputs.inc_f)) >> FINE_STEP_SHIFT;
            let too_long = !offered && self.now >= asked.at + ANSWER_CLOCKS && waited >> 31 != 0;
            if offered && inputs.response_ready || too_long {
                self.asked = None;
            }
        }
        if let Some(TimeFlit::DelayReq { tag }) = inputs.marker {
            let stamp = Stamp { clock: self.now.wrapping_sub(1), lag: self.rx_lag };
            self.asked = Some(Asked { at: self.now, stamp, tag, phase_ok: inputs.phase_ok });
        }
        if inputs.clear {
            self.asked = None;
        }
    }

    /// The round: `Some(Some(delay))` in the clock in which it gives a delay, `Some(None)` if it is void.
    fn initiate(&mut self, inputs: &LinkDelayInputs) -> Option<Option<i64>> {
        let (mut ended, before) = (None, self.round);
        let ready = |run: &Run| run.end.is_none_or(|end| self.now < end) && self.now >= run.ready;
        self.round = match before {
            Round::Idle if self.run.as_ref().is_some_and(ready) => Round::Offered,
            Round::Idle => Round::Idle,
            Round::Offered if inputs.request_ready => {
                let sent = Stamp { clock: self.now + 1, lag: self.tx_lags[0] };
                Round::Out { sent, taken: self.now, corrupted: false, forgotten: false }
            }
            Round::Offered => Round::Offered,
            Round::Out { .. } => self.wait(before, inputs),
            Round::Ends { at, delay, forgotten } if at == self.now => {
                ended = (!forgotten).then_some(delay);
                self.tag = self.tag.wrapping_add(1);
                Round::Idle
            }
            Round::Ends { at, delay, .. } if self.begins => Round::Ends { at, delay, forgotten: true },
            Round::Ends { .. } => before,
        };
        if inputs.clear {
            let ends = matches!(before, Round::Ends { at, .. } if at == self.now);
            self.tag = self.tag.wrapping_add(u8::from(before != Round::Idle && !ends));
            self.round = Round::Idle;
        }
        ended
    }

    fn wait(&self, round: Round, inputs: &LinkDelayInputs) -> Round {
        let Round::Out { sent, taken, mut corrupted, mut forgotten } = round else { return round };
        forgotten |= self.begins;
        if self.now == taken + 1 {
            corrupted |= !inputs.phase_ok;
            return Round::Out { sent, taken, corrupted, forgotten };
        }
        match inputs.marker {
            Some(TimeFlit::DelayResp { tag, turnaround, phase_valid, .. }) if tag == self.tag => {
                let received = Stamp { clock: self.now - 1, lag: self.rx_lag };
                let round_trip = sent_to_received(sent, received, inputs.inc_f);
                let delay = one_way(round_trip, turnaround, inputs.asymmetry);
                let good = !corrupted && phase_valid && inputs.phase_ok && i32::try_from(delay).is_ok();
                Round::Ends { at: self.now + DELAY_CLOCKS, delay: good.then_some(delay), forgotten }
            }
            _ if (self.now - taken - 2) as u16 == self.timeout => {
                Round::Ends { at: self.now + 1, delay: None, forgotten }
            }
            Some(TimeFlit::DelayResp { .. }) => Round::Out { sent, taken, corrupted: true, forgotten },
            _ => Round::Out { sent, taken, corrupted, forgotten },
        }
    }

    /// What a round does to the run; `begins` and `clear` go before it.
    fn collect(&mut self, inputs: &LinkDelayInputs, ended: Option<Option<i64>>) {
        let now = self.now;
        if let Some(ended) = ended {
            self.end_of_round(ended);
        }
        let finished = self.run.as_ref().and_then(|run| run.end) == Some(now + 1);
        self.outputs.finished = finished && !self.begins && !inputs.clear;
        if self.outputs.finished {
            self.show();
        }
        if self.begins || inputs.clear {
            self.run = None;
            self.retries.retain(|at| *at <= now + 1);
        }
        if self.begins && !inputs.clear {
            let log2 = inputs.rounds_log2.min(LDM_ROUNDS_LOG2.1);
            let period = (inputs.inc_f >> FINE_STEP_SHIFT) as i64;
            let epoch = self.outputs.link_epoch;
            self.run =
                LinkDelayRun::new(log2, period).ok().map(|run| Run { run, ready: now + 1, end: None, epoch });
            (self.outputs.result, self.outputs.failed) = (None, false);
        }
    }

    fn end_of_round(&mut self, ended: Option<i64>) {
        let (now, retries) = (self.now, &mut self.retries);
        let Some(Run { run, ready, end, .. }) = self.run.as_mut() else {
            // A run that was cleared in this moment.
            return;
        };
        let Some(delay) = ended else {
            run.void();
            retries.push_back(now + 1);
            *ready = now + 2;
            *end = (run.status() == RunStatus::Failed).then_some(now + 2);
            return;
        };
        let (before, voids) = (run.rounds().to_vec(), run.voids());
        let status = run.round(delay);
        if run.rounds() == before && run.voids() > voids {
            retries.push_back(now + 3);
            *ready = now + 4;
            *end = (status == RunStatus::Failed).then_some(now + 4);
            return;
        }
        let stored = before.len() as u64 + 1;
        for (place, look) in before.iter().zip(1..) {
            // Delays keep their order, so one is void exactly if it is above the limit.
            if !run.rounds().contains(place) {
                retries.push_back(now + 3 + LOOK_CLOCKS * look);
            }
        }
        *ready = now + 4 + LOOK_CLOCKS * stored;
        *end = match status {
            RunStatus::Running => None,
            RunStatus::Failed => Some(*ready),
            RunStatus::Done(_) => Some(*ready + 1 + u64::from(run.wanted().trailing_zeros())),
        };
        *ready = end.unwrap_or(*ready);
    }

    /// The end of the run shows.
    fn show(&mut self) {
        let Some(run) = &self.run else { return };
        self.ended_epoch = run.epoch;
        match run.run.status() {
            RunStatus::Done(result) => {
                (self.outputs.result, self.outputs.rounds) = (Some(result), run.run.wanted());
            }
            _ => self.outputs.failed = true,
        }
    }

    /// Epochs, the next run, RX_CORR. `before` are the registers before this edge, `running` says that a run was going on.
    fn follow(&mut self, inputs: &LinkDelayInputs, before: &LinkDelayOutputs, running: bool) {
        let link = inputs.epoch_write.map_or(before.link_epoch, |(link, _)| link);
        self.outputs.link_epoch = link.wrapping_add(u16::from(before.changed));
        let measured = before.result.filter(|_| before.finished);
        if measured.is_some() {
            self.outputs.measured_epoch = self.ended_epoch;
        }
        if let Some((_, written)) = inputs.epoch_write {
            self.outputs.measured_epoch = written;
        }
        self.outputs.hold = inputs.hold_on_epoch && before.link_epoch != before.measured_epoch;
        let again = self.pending && !running && !before.finished && !self.begins;
        self.begins = (inputs.start || inputs.auto_run && (before.changed || again)) && !inputs.clear;
        self.pending = before.changed || self.pending && !before.finished;
        self.outputs.changed = inputs.active && !self.before.0 || inputs.lanes != self.before.1;
        self.before = (inputs.active, inputs.lanes);

        let (asymmetry, acknowledged) = self.known;
        let correction = measured.filter(|_| inputs.adjust && !inputs.clear);
        let correction = correction.map(|result| rx_correction(result.mean - asymmetry, acknowledged));
        let adjusted = std::mem::replace(&mut self.adjusting, correction);
        self.outputs.rx_corr = adjusted.filter(|_| !inputs.clear);
        self.known = (inputs.asymmetry.into(), inputs.acknowledged.into());
    }
}
