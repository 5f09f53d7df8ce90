//! What the state machine does.

use super::{number, state, TrainMachine, SEEN_BITS};
use crate::train::LinkTrainConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::ltp::CrcMode;
use std::array;

#[logic(super)]
impl<const PROBATION: usize> TrainMachine<PROBATION> {
    pub(in crate::train) fn new(config: &LinkTrainConfig) -> Self {
        Self {
            is_known: Register::new(false),
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
            down: state(LinkState::Down),
            polling: state(LinkState::Polling),
            in_training: state(LinkState::Training),
            init: state(LinkState::Init),
            active: state(LinkState::Active),
            retraining: state(LinkState::Retraining),
            degraded: state(LinkState::Degraded),
            bist: state(LinkState::Bist),
            sideband_mode: Constant::new(u64::from(CrcMode::Bits14.code()).into()),
            reasons: array::from_fn(|code| Constant::new((code as u64).into())),
            ..
        }
    }

    fn update(&mut self) {
        let mut next_state = state_now;
        phase_4 = (phase == 3) & !clear;

        // Between the steps: the start row.
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
        if (phase == 5) & trains {
            timer = timer + 1;
        }

        // What phase 8 compares with.
        timer_over = timer > agree_limit;
        no_lane = !asked.any();
        waited = stable >= poll_limit;
        nearly_stable = stable >= stable_before;
        nearly_seen = seen >= seen_before;
        all_seen = seen >= seen_limit;
        nearly_sent = sent >= sent_before;
        last_try = tries >= tries_before;
        let mut wanted = asked;
        if (asked & allowed).any() {
            wanted = asked & allowed;
        }
        if is_polling {
            wanted = allowed;
        }
        let wanted_locked = locked & wanted;
        found = wanted_locked;
        found_all = wanted_locked == wanted;

        // Phase 8.
        phase_9 = phase == 8;
        in_time = trains & !timer_over & !no_lane;
        too_late = trains & (timer_over | no_lane);
        viewed = ((trains & !timer_over) & !no_lane) & (!is_locking & agreed);
        no_view = ((trains & !timer_over) & !no_lane) & (!is_locking & !agreed);
        changed = !same | !peer_known;
        directed = mode_possible & to_send.any();
        sideband = (is_known & has_agreed) & ((mode_out == sideband_mode) != (mode_to_send == sideband_mode));
        lanes_found = found.any() & (found_all | waited);
        stable_now = nearly_stable;
        if !same | !peer_known {
            stable_now = one_is_stable;
        }
        seen_with_this = all_seen | (all_ts2 & nearly_seen);

        // Phase 9: counts, and what is to be done.
        let in_view = (viewed & directed) & !sideband;
        let still = (in_view & is_confirming) & !changed;
        let confirms = (in_view & stable_now) & (answered & (!is_confirming | changed));
        let peer_began = called_once & ((is_init & called_by_ts1) | (is_active & called));
        let wrong_start = (is_init & started) & (mismatched & !peer_began);
        keep = phase_9 & viewed;
        if phase_9 {
            if is_polling | (in_time & is_locking) {
                stable = 0;
                if found.any() {
                    stable = stable + 1;
                }
            } else if viewed {
                stable = stable + 1;
                if nearly_stable {
                    stable = stable_limit;
                }
                if changed {
                    stable = 1;
                }
                peer_known = true;
            }
            if is_confirming {
                sent = sent + 1;
                if nearly_sent {
                    sent = sent_limit;
                }
            }
            if still {
                is_lined_up = lined_up;
                if all_ts2 {
                    seen = seen + 1;
                    if nearly_seen {
                        seen = seen_limit;
                    }
                }
            }
            if confirms {
                is_lined_up = lined_up;
                sent = 0;
                seen = bit_cast::<SEEN_BITS, 1>(all_ts2.into());
            }
            if is_init {
                called_once = called_by_ts1;
            }
            if is_active {
                called_once = called;
            }
        }
        // Lanes that are not allowed any more.
        narrows = (in_time & !is_locking) & ((asked & !allowed).any() & (asked & allowed).any());
        // The lanes do not line up: one is left out, before the peer has seen enough to begin.
        too_far = (in_view & !changed) & !lined_up;
        if phase_9 {
            late_lane = late;
            if narrows {
                late_lane = !allowed;
            }
            apart = 0;
            if too_far {
                apart = apart + 1;
            }
        }
        leave_out = phase_9 & ((too_far & apart.all()) | narrows);
        for_sideband = (viewed & directed) & sideband;
        go_down = phase_9
            & ((too_late & (last_try | (state_now == retraining))) | ((viewed & directed) & sideband));
        poll_again = (phase_9 & too_late) & (!last_try & (state_now == in_training));
        go_up = phase_9 & !is_up & enabled;
        train = phase_9 & is_polling & lanes_found;
        settle = (phase_9 & in_time) & (is_locking & lanes_found);
        fall_back = phase_9 & viewed & changed;
        confirm = phase_9 & confirms;
        goes_to_init = ((phase_9 & is_confirming) & nearly_sent)
            & ((no_view & all_seen & is_lined_up) | (still & seen_with_this & lined_up));
        begin_init = goes_to_init;
        // A lane that was asked for has no sets any more: the lanes are locked anew.
        if phase_9 {
            unseen = 0;
            if no_view {
                unseen = unseen + 1;
            }
        }
        relock = (phase_9 & no_view) & (unseen.all() & !goes_to_init);
        train_again = phase_9 & wrong_start & !is_known;
        retrain = phase_9 & (peer_began | (wrong_start & is_known));

        // What has to begin anew, whichever of them it is.
        renews = phase_9
            & (((!is_up & enabled) | (is_polling & lanes_found))
                | (((too_late & !last_try) & (state_now == in_training))
                    | (peer_began | ((is_init & started) & mismatched))));

        // Phase 4: the event. Phase 10: what phase 9 found. The state changes in no other.
        if phase_4 {
            enabled = enable;
        }
        let disabled = phase_4 & !enable;
        let downs = (disabled | event[0]) | go_down;
        let retrains = event_retrains | retrain;
        let begins = (downs | event_retrains) | renews;
        is_full = (lanes_out == built) & (lanes_in == built);
        // Lanes that are not allowed any more go with Retraining, unless none were left.
        kept = asked & allowed;
        if !(asked & allowed).any() {
            kept = allowed;
        }
        let mut gone: Bits<4> = 0;
        gone = gone.with(event_lane, true);

        is_known.enable = false;
        is_known = true;
        is_known.clear = clear | downs | go_up;
        if go_up {
            next_state = polling;
            reason_now = reasons[1];
            epoch_now = epoch_now + 1;
        }
        if poll_again {
            next_state = polling;
            reason_now = reasons[7];
            tries = tries + 1;
        }
        if train | train_again {
            next_state = in_training;
            reason_now = reasons[13];
        }
        if train {
            reason_now = reasons[2];
        }
        if train | settle {
            asked = found;
        }
        if settle {
            is_locking = false;
            stable = 0;
        }
        if fall_back {
            is_confirming = false;
        }
        if confirm {
            is_confirming = true;
            has_agreed = true;
            lanes_out = to_send;
            lanes_in = used;
            mode_out = mode_to_send;
            mode_in = mode_to_receive;
        }
        if relock {
            is_locking = true;
            is_confirming = false;
            stable = 0;
        }
        if leave_out {
            asked = asked & !late_lane;
            is_confirming = false;
            stable = 0;
        }
        if begin_init {
            next_state = init;
            reason_now = reasons[3];
            is_confirming = false;
            called_once = false;
        }
        if event[4] {
            next_state = degraded;
            if is_full {
                next_state = active;
            }
            reason_now = reasons[4];
            is_known.enable = true;
            tries = 0;
            called_once = false;
        }
        if event[6] {
            next_state = bist;
            reason_now = reasons[14];
        }
        if begins {
            timer = 0;
            stable = 0;
            called_once = false;
            peer_known = false;
            started = false;
            mismatched = false;
            is_lined_up = false;
            is_confirming = false;
            is_locking = !(train | train_again);
        }
        if retrains {
            next_state = retraining;
            reason_now = reasons[12];
            if retrain & started & mismatched {
                reason_now = reasons[13];
            }
            asked = kept;
            if event[1] {
                asked = kept & !gone;
                reason_now = reasons[11];
            }
            if event[2] {
                asked = allowed;
                reason_now = reasons[10];
            }
            if event[3] {
                reason_now = reasons[9];
                for i in 0..PROBATION {
                    if returned[i].any() {
                        asked = kept | (returned[i] & allowed);
                        reason_now = reasons[10];
                    }
                }
            }
            if event[5] {
                reason_now = reasons[15];
            }
        }
        if downs {
            next_state = down;
            if is_up {
                reason_now = reasons[7];
                if for_sideband {
                    reason_now = reasons[8];
                }
                if event[0] {
                    reason_now = reasons[6];
                }
                if disabled {
                    reason_now = reasons[5];
                }
            }
            asked = 0;
            tries = 0;
            has_agreed = false;
            lanes_out = 0;
            lanes_in = 0;
            mode_out = 0;
            mode_in = 0;
        }

        // Rule 9: what is asked for has a new number; what the peer asks for is answered as soon as it has been seen.
        if ((train | train_again) | (relock | leave_out)) | retrains {
            request_now = request_now + 1;
            if request_now.all() {
                request_now = 1;
            }
        }
        if fall_back {
            answer_now = peer_request;
        }
        if begins {
            answer_now = 0;
        }
        request = request_now;
        sent_answer = answer_now;

        // The start row goes out when the last set has ended and a row waits, so that no lane runs empty after it.
        running = linked | is_bist;
        was_init = is_init;
        begun = begin_init;
        row_waited = row_waits;
        start = ((start_due & row_waited) & was_init) & at_set_end;
        // It has gone when that word has: known a clock late, while the row still waits after the start row.
        was_starting = start;
        if begun {
            start_due = true;
        } else if (was_starting & !at_set_end) | !is_init {
            start_due = false;
        }
        waits_for_row = ((begun | start_due) & is_init) & !row_waits;
        announces = is_confirming | waits_for_row;
        send = 0;
        if (is_polling | trains) | waits_for_row {
            send = built;
        }
        if linked & !waits_for_row {
            send = built & !lanes_out;
        }
        sent_rx_ok = 0;
        if (trains & !is_locking) | is_init {
            sent_rx_ok = asked;
        }
        unlock = downs | retrains | poll_again;
        agree = confirm;
        event_enable = 0;
        for i in 1..4 {
            event_enable = event_enable.with(i, linked);
        }
        event_enable = event_enable.with(0, true).with(4, is_init).with(5, is_bist).with(6, is_active);
        training = is_polling | trains;
        confirming = is_confirming;
        state = state_now;
        reason = reason_now;
        fresh = !is_known;
        epoch = epoch_now;
        rx_ok = asked;
        tx_lanes = lanes_out;
        rx_lanes = lanes_in;
        tx_mode = mode_out;
        rx_mode = mode_in;
        if clear {
            next_state = down;
            reason_now = reasons[0];
            enabled = false;
            epoch_now = 0;
            asked = 0;
            request_now = 0;
            answer_now = 0;
            peer_known = false;
            has_agreed = false;
            lanes_out = 0;
            lanes_in = 0;
            mode_out = 0;
            mode_in = 0;
            is_confirming = false;
            called_once = false;
            row_received = false;
            row_was_wrong = false;
            phase_9 = false;
            go_up = false;
            poll_again = false;
            train = false;
            train_again = false;
            retrain = false;
            settle = false;
            confirm = false;
            fall_back = false;
            begin_init = false;
            leave_out = false;
            relock = false;
            renews = false;
            go_down = false;
            tries = 0;
        }
        state_now = next_state;
        is_up = next_state != down;
        is_polling = next_state == polling;
        trains = (next_state == in_training) | (next_state == retraining);
        is_init = next_state == init;
        is_active = (next_state == active) | (next_state == degraded);
        is_bist = next_state == bist;
        linked = (next_state == init) | ((next_state == active) | (next_state == degraded));
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let lanes = ("lanes", self.built.val().index().count_ones().to_string());
        match PROBATION {
            0 => block_label("train_machine", &[lanes]),
            _ => block_label("train_machine", &[lanes, ("probation", "1".to_string())]),
        }
    }
}
