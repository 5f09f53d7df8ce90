//! What the state machine does.

use super::{Agreement, Decision, Judged, Near, Reason, State, StateIs, TrainMachine, SEEN_BITS};
use crate::train::{Events, LinkTrainConfig};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::ltp::CrcMode;

fn number<const N: usize>(value: u32) -> Constant<Bits<N>> {
    Constant::new(u64::from(value).into())
}

#[logic(super)]
impl<const PROBATION: usize> TrainMachine<PROBATION> {
    pub(in crate::train) fn new(config: &LinkTrainConfig) -> Self {
        Self {
            known: Register::new(false),
            built: Constant::new(((1u64 << config.lanes) - 1).into()),
            agree_limit: number(config.agree_sets),
            poll_limit: number(config.poll_wait_sets),
            stable_limit: number(config.stable_sets),
            stable_before: number(config.stable_sets - 1),
            one_is_stable: Constant::new(config.stable_sets == 1),
            seen_limit: number(config.ts2_seen),
            seen_before: number(config.ts2_seen - 1),
            sent_limit: number(config.ts2_sent),
            sent_before: number(config.ts2_sent - 1),
            tries_before: number(config.tries - 1),
            sideband_mode: Constant::new(u64::from(CrcMode::Bits14.code()).into()),
            ..
        }
    }

    fn update(&mut self) {
        phase_4 = (phase == 3) & !clear;
        phase_9 = (phase == 8) & !clear;
        self.watch_start_row();
        self.compare();
        self.judge();
        let (confirmed, enough, too_far, narrows) = self.weigh();
        self.count(confirmed, enough, too_far, narrows);
        self.decide(confirmed, enough, too_far, narrows);

        // Phase 4: the event. Phase 10: what phase 9 found. The state changes in no other.
        if phase_4 {
            enabled = enable;
        }
        let disabled = phase_4 & !enable;
        let downs = (disabled | event.give_up) | decision.go_down;
        let retrains = event_retrains | decision.retrain;
        let begins = (downs | event_retrains) | decision.renews;
        state_next = state_now;
        known.enable = event.init_done;
        known = true;
        known.clear = clear | downs | decision.go_up;
        self.go_on();
        self.take_event();
        if begins {
            self.begin();
        }
        if retrains {
            self.retrain();
        }
        if downs {
            self.go_down(disabled);
        }
        if downs | clear {
            asked = 0;
            tries = 0;
            has_agreed = false;
            agreed = Agreement { tx_lanes: 0, rx_lanes: 0, tx_mode: 0, rx_mode: 0 };
        }
        self.number_requests(begins, retrains);
        let waits_for_row = self.send_start_row();
        self.show(waits_for_row);
        unlock = downs | retrains | decision.poll_again;
        if clear {
            self.forget();
        }
        state_now = state_next;
        is = StateIs {
            up: state_next != State::Down,
            polling: state_next == State::Polling,
            training: (state_next == State::Training) | (state_next == State::Retraining),
            init: state_next == State::Init,
            active: (state_next == State::Active) | (state_next == State::Degraded),
            bist: state_next == State::Bist,
            linked: (state_next == State::Init)
                | ((state_next == State::Active) | (state_next == State::Degraded)),
        };
    }

    /// Between the steps: the peer's start row.
    fn watch_start_row(&mut self) {
        row_received = row_received | row_start | start_mismatch;
        row_was_wrong = row_was_wrong | start_mismatch;
        if phase == 6 {
            row_received = row_start | start_mismatch;
            row_was_wrong = start_mismatch;
            if row_received {
                started = true;
                mismatched = row_was_wrong;
            } else if called {
                started = false;
            }
        }
    }

    /// Before phase 8: how far the counts are, and which lanes are there.
    fn compare(&mut self) {
        if (phase == 5) & is.training {
            timer = timer + 1;
        }
        let still_allowed = asked & allowed;
        let mut wanted = asked;
        if still_allowed.any() {
            wanted = still_allowed;
        }
        if is.polling {
            wanted = allowed;
        }
        let wanted_locked = locked & wanted;
        found = wanted_locked;
        near = Near {
            timer_over: timer > agree_limit,
            no_lane: !asked.any(),
            waited: stable >= poll_limit,
            stable: stable >= stable_before,
            seen: seen >= seen_before,
            all_seen: seen >= seen_limit,
            sent: sent >= sent_before,
            last_try: tries >= tries_before,
            found_all: wanted_locked == wanted,
        };
    }

    /// Phase 8.
    fn judge(&mut self) {
        let in_time = is.training & !near.timer_over & !near.no_lane;
        let changed = !peer.same | !peer_known;
        let stable_now = if changed { one_is_stable } else { near.stable };
        let was_sideband = agreed.tx_mode == sideband_mode;
        let goes_sideband = peer.offer.tx_mode == sideband_mode;
        judged = Judged {
            in_time,
            too_late: is.training & (near.timer_over | near.no_lane),
            viewed: in_time & (!locking & peer.agreed),
            no_view: in_time & (!locking & !peer.agreed),
            changed,
            directed: peer.mode_possible & peer.offer.tx_lanes.any(),
            sideband: (known & has_agreed) & (was_sideband != goes_sideband),
            lanes_found: found.any() & (near.found_all | near.waited),
            stable: stable_now,
            seen: near.all_seen | (peer.all_ts2 & near.seen),
        };
    }

    /// Phase 9: both want the same now; both still do; lanes are too far apart; lanes are not allowed any more.
    fn weigh(&mut self) -> (Bit, Bit, Bit, Bit) {
        let in_view = (judged.viewed & judged.directed) & !judged.sideband;
        let confirmed = (in_view & judged.stable) & (peer.answered & (!confirms | judged.changed));
        let enough = (in_view & confirms) & !judged.changed;
        // One lane is left out, before the peer has seen enough to begin.
        let too_far = (in_view & !judged.changed) & !peer.lined_up;
        let lost = (asked & !allowed).any() & (asked & allowed).any();
        let narrows = (judged.in_time & !locking) & lost;
        (confirmed, enough, too_far, narrows)
    }

    /// Phase 9: counts of sets.
    fn count(&mut self, confirmed: Bit, enough: Bit, too_far: Bit, narrows: Bit) {
        if phase_9 {
            if is.polling | (judged.in_time & locking) {
                stable = if found.any() { stable + 1 } else { 0 };
            } else if judged.viewed {
                stable = if near.stable { stable_limit } else { stable + 1 };
                if judged.changed {
                    stable = 1;
                }
                peer_known = true;
            }
            if confirms {
                sent = if near.sent { sent_limit } else { sent + 1 };
            }
            if enough & peer.all_ts2 {
                seen = if near.seen { seen_limit } else { seen + 1 };
            }
            if enough | confirmed {
                in_line = peer.lined_up;
            }
            if confirmed {
                sent = 0;
                seen = bit_cast::<SEEN_BITS, 1>(peer.all_ts2.into());
            }
            if is.init {
                called_once = called_by_ts1;
            }
            if is.active {
                called_once = called;
            }
            late_lane = if narrows { !allowed } else { peer.late };
            apart = if too_far { apart + 1 } else { 0 };
            unseen = if judged.no_view { unseen + 1 } else { 0 };
        }
    }

    /// Phase 9: what is to be done in phase 10.
    fn decide(&mut self, confirmed: Bit, enough: Bit, too_far: Bit, narrows: Bit) {
        let acts = phase_9 & !clear;
        let peer_began = called_once & ((is.init & called_by_ts1) | (is.active & called));
        let wrong_start = (is.init & started) & (mismatched & !peer_began);
        let lined_up = (judged.no_view & near.all_seen & in_line) | (enough & judged.seen & peer.lined_up);
        let begin_init = (acts & confirms) & near.sent & lined_up;
        let for_mode = (judged.viewed & judged.directed) & judged.sideband;
        let given_up = judged.too_late & (near.last_try | (state_now == State::Retraining));
        let go_up = acts & !is.up & enabled;
        let train = acts & is.polling & judged.lanes_found;
        let tries_on = !near.last_try & (state_now == State::Training);
        let poll_again = (acts & judged.too_late) & tries_on;
        let train_again = acts & wrong_start & !known;
        let retrain = acts & (peer_began | (wrong_start & known));
        for_sideband = for_mode;
        decision = Decision {
            go_up,
            go_down: acts & (given_up | for_mode),
            poll_again,
            train,
            train_again,
            retrain,
            begin_init,
            settle: (acts & judged.in_time) & (locking & judged.lanes_found),
            fall_back: acts & judged.viewed & judged.changed,
            confirm: acts & confirmed,
            // A lane that was asked for has no sets any more.
            relock: (acts & judged.no_view) & (unseen.all() & !begin_init),
            leave_out: acts & ((too_far & apart.all()) | narrows),
            renews: ((go_up | train) | (poll_again | train_again)) | retrain,
        };
        keep = phase_9 & judged.viewed;
    }

    /// The state moves on.
    fn go_on(&mut self) {
        if decision.go_up {
            state_next = State::Polling;
            reason_now = Reason::Enabled;
            epoch_now = epoch_now + 1;
        }
        if decision.poll_again {
            state_next = State::Polling;
            reason_now = Reason::NoAgreement;
            tries = tries + 1;
        }
        if decision.train | decision.train_again {
            state_next = State::Training;
            reason_now = if decision.train { Reason::LanesFound } else { Reason::StartMismatch };
        }
        if decision.train | decision.settle {
            asked = found;
        }
        if decision.settle {
            locking = false;
        }
        if decision.fall_back {
            confirms = false;
        }
        if decision.confirm {
            confirms = true;
            has_agreed = true;
            agreed = peer.offer;
        }
        if decision.relock {
            locking = true;
        }
        if decision.leave_out {
            asked = asked & !late_lane;
        }
        if (decision.settle | decision.relock) | decision.leave_out {
            stable = 0;
        }
        if (decision.relock | decision.leave_out) | decision.begin_init {
            confirms = false;
        }
        if decision.begin_init {
            state_next = State::Init;
            reason_now = Reason::Agreed;
            called_once = false;
        }
    }

    /// Events that do not lead to Retraining or Down.
    fn take_event(&mut self) {
        if event.init_done {
            state_next = if is_full { State::Active } else { State::Degraded };
            reason_now = Reason::InitDone;
            tries = 0;
            called_once = false;
        }
        if event.bist_start {
            state_next = State::Bist;
            reason_now = Reason::BistStarted;
        }
    }

    /// Nothing is known of this training yet.
    fn begin(&mut self) {
        timer = 0;
        stable = 0;
        called_once = false;
        peer_known = false;
        started = false;
        mismatched = false;
        in_line = false;
        confirms = false;
        locking = !(decision.train | decision.train_again);
    }

    /// To Retraining. Lanes that are not allowed any more go, unless none were left.
    fn retrain(&mut self) {
        let still = asked & allowed;
        let kept = if still.any() { still } else { allowed };
        let mut gone: Bits<4> = 0;
        gone = gone.with(event_lane, true);
        state_next = State::Retraining;
        reason_now = Reason::PeerTrains;
        if decision.retrain & started & mismatched {
            reason_now = Reason::StartMismatch;
        }
        asked = kept;
        if event.remove_lane {
            asked = kept & !gone;
            reason_now = Reason::LaneRemoved;
        }
        if event.restore {
            asked = allowed;
            reason_now = Reason::Restored;
        }
        if event.retrain {
            reason_now = Reason::Asked;
            for i in 0..PROBATION {
                if returned[i].any() {
                    asked = kept | (returned[i] & allowed);
                    reason_now = Reason::Restored;
                }
            }
        }
        if event.bist_end {
            reason_now = Reason::BistEnded;
        }
    }

    fn go_down(&mut self, disabled: Bit) {
        state_next = State::Down;
        if is.up {
            reason_now = if for_sideband { Reason::SidebandChange } else { Reason::NoAgreement };
            if event.give_up {
                reason_now = Reason::GivenUp;
            }
            if disabled {
                reason_now = Reason::Disabled;
            }
        }
    }

    /// Rule 9: what is asked for has a new number; what the peer asks for is answered as soon as it has been seen.
    fn number_requests(&mut self, begins: Bit, retrains: Bit) {
        let asks_anew = (decision.train | decision.train_again) | (decision.relock | decision.leave_out);
        if asks_anew | retrains {
            request_now = if request_now.all() { 1 } else { request_now + 1 };
        }
        if decision.fall_back {
            answer_now = peer.request;
        }
        if begins {
            answer_now = 0;
        }
    }

    /// The start row goes out when the last set has ended and a row waits, so that no lane runs empty after it.
    fn send_start_row(&mut self) -> Bit {
        was_init = is.init;
        begun = decision.begin_init;
        row_waited = row_waits;
        start = ((start_due & row_waited) & was_init) & at_set_end;
        // It has gone when that word has: known a clock late, while the row still waits after the start row.
        was_starting = start;
        if begun {
            start_due = true;
        } else if (was_starting & !at_set_end) | !is.init {
            start_due = false;
        }
        let waits_for_row = ((begun | start_due) & is.init) & !row_waits;
        waits_for_row
    }

    fn show(&mut self, waits_for_row: Bit) {
        is_full = (agreed.tx_lanes == built) & (agreed.rx_lanes == built);
        announces = confirms | waits_for_row;
        send = 0;
        if (is.polling | is.training) | waits_for_row {
            send = built;
        }
        if is.linked & !waits_for_row {
            send = built & !agreed.tx_lanes;
        }
        sent_rx_ok = 0;
        if (is.training & !locking) | is.init {
            sent_rx_ok = asked;
        }
        event_enable = Events {
            give_up: true,
            remove_lane: is.linked,
            restore: is.linked,
            retrain: is.linked,
            init_done: is.init,
            bist_end: is.bist,
            bist_start: is.active,
        };
        state = state_now.into();
        reason = reason_now.into();
        running = is.linked | is.bist;
        training = is.polling | is.training;
        confirming = confirms;
        fresh = !known;
        epoch = epoch_now;
        rx_ok = asked;
        request = request_now;
        sent_answer = answer_now;
        agreement = agreed;
        agree = decision.confirm;
    }

    fn forget(&mut self) {
        state_next = State::Down;
        reason_now = Reason::Cleared;
        enabled = false;
        epoch_now = 0;
        request_now = 0;
        answer_now = 0;
        peer_known = false;
        confirms = false;
        called_once = false;
        row_received = false;
        row_was_wrong = false;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let lanes = ("lanes", self.built.val().index().count_ones().to_string());
        match PROBATION {
            0 => block_label("train_machine", &[lanes]),
            _ => block_label("train_machine", &[lanes, ("probation", "1".to_string())]),
        }
    }
}
