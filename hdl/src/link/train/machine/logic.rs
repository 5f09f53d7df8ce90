//! What the state machine does.

use super::{TrainMachine, SEEN_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::marker::block_label;

impl<const PROBATION: usize> Logic for TrainMachine<PROBATION> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state_now,
            reason_now,
            is_locking,
            is_confirming,
            epoch_now,
            asked,
            request_now,
            answer_now,
            peer_known,
            has_agreed
        );
        dff_setup!(
            self, clock, is_up, is_polling, trains, is_init, is_active, is_bist, linked, was_init, phase_4,
            is_full
        );
        dff_setup!(self, clock, begun, renews, row_waited, apart, leave_out, late_lane, unseen, relock);
        dff_setup!(self, clock, lanes_out, lanes_in, mode_out, mode_in, start_due, stable, seen, sent);
        dff_setup!(
            self,
            clock,
            is_lined_up,
            called_once,
            started,
            mismatched,
            row_came,
            row_was_wrong,
            timer,
            tries
        );
        dff_setup!(
            self,
            clock,
            enabled,
            timer_over,
            no_lane,
            waited,
            nearly_stable,
            nearly_seen,
            all_seen,
            nearly_sent
        );
        dff_setup!(
            self, clock, fall_back, last_try, found, found_all, phase_9, in_time, too_late, viewed, blind
        );
        dff_setup!(
            self,
            clock,
            changed,
            directed,
            sideband,
            lanes_found,
            stable_now,
            seen_with_this,
            go_down,
            for_sideband
        );
        dff_setup!(self, clock, go_up, poll_again, train, train_again, retrain, settle, confirm, begin_init);
        dff_setup!(self, clock, was_starting);
        clock!(self, clock, is_known);

        self.next_state.next = self.state_now.q.val();
        self.phase_4.d.next = (self.phase.val() == 3) & !self.clear.val();

        // Between the steps: the start row.
        self.row_came.d.next = self.row_came.q.val() | self.row_start.val() | self.start_mismatch.val();
        self.row_was_wrong.d.next = self.row_was_wrong.q.val() | self.start_mismatch.val();
        if self.phase.val() == 6 {
            self.row_came.d.next = self.row_start.val() | self.start_mismatch.val();
            self.row_was_wrong.d.next = self.start_mismatch.val();
            if self.row_came.q.val() {
                self.started.d.next = true;
                self.mismatched.d.next = self.row_was_wrong.q.val();
            } else if self.called.val() {
                self.started.d.next = false;
            }
        }
        if (self.phase.val() == 5) & self.trains.q.val() {
            self.timer.d.next = self.timer.q.val() + 1;
        }

        // What phase 8 compares with.
        self.timer_over.d.next = self.timer.q.val() > self.agree_limit.val();
        self.no_lane.d.next = !self.asked.q.val().any();
        self.waited.d.next = self.stable.q.val() >= self.poll_limit.val();
        self.nearly_stable.d.next = self.stable.q.val() >= self.stable_before.val();
        self.nearly_seen.d.next = self.seen.q.val() >= self.seen_before.val();
        self.all_seen.d.next = self.seen.q.val() >= self.seen_limit.val();
        self.nearly_sent.d.next = self.sent.q.val() >= self.sent_before.val();
        self.last_try.d.next = self.tries.q.val() >= self.tries_before.val();
        self.wanted.next = self.asked.q.val();
        if (self.asked.q.val() & self.allowed.val()).any() {
            self.wanted.next = self.asked.q.val() & self.allowed.val();
        }
        if self.is_polling.q.val() {
            self.wanted.next = self.allowed.val();
        }
        self.wanted_locked.next = self.locked.val() & self.wanted.val();
        self.found.d.next = self.wanted_locked.val();
        self.found_all.d.next = self.wanted_locked.val() == self.wanted.val();

        // Phase 8.
        self.phase_9.d.next = self.phase.val() == 8;
        self.in_time.d.next = self.trains.q.val() & !self.timer_over.q.val() & !self.no_lane.q.val();
        self.too_late.d.next = self.trains.q.val() & (self.timer_over.q.val() | self.no_lane.q.val());
        self.viewed.d.next = ((self.trains.q.val() & !self.timer_over.q.val()) & !self.no_lane.q.val())
            & (!self.is_locking.q.val() & self.agreed.val());
        self.blind.d.next = ((self.trains.q.val() & !self.timer_over.q.val()) & !self.no_lane.q.val())
            & (!self.is_locking.q.val() & !self.agreed.val());
        self.changed.d.next = !self.same.val() | !self.peer_known.q.val();
        self.directed.d.next = self.mode_possible.val() & self.to_send.val().any();
        self.sideband.d.next = (self.is_known.q.val() & self.has_agreed.q.val())
            & ((self.mode_out.q.val() == self.sideband_mode.val())
                != (self.mode_to_send.val() == self.sideband_mode.val()));
        self.lanes_found.d.next = self.found.q.val().any() & (self.found_all.q.val() | self.waited.q.val());
        self.stable_now.d.next = self.nearly_stable.q.val();
        if !self.same.val() | !self.peer_known.q.val() {
            self.stable_now.d.next = self.one_is_stable.val();
        }
        self.seen_with_this.d.next = self.all_seen.q.val() | (self.all_ts2.val() & self.nearly_seen.q.val());

        // Phase 9: counts, and what is to be done.
        self.in_view.next = (self.viewed.q.val() & self.directed.q.val()) & !self.sideband.q.val();
        self.still.next = (self.in_view.val() & self.is_confirming.q.val()) & !self.changed.q.val();
        self.confirms.next = (self.in_view.val() & self.stable_now.q.val())
            & (self.answered.val() & (!self.is_confirming.q.val() | self.changed.q.val()));
        self.peer_began.next = self.called_once.q.val()
            & ((self.is_init.q.val() & self.called_by_ts1.val())
                | (self.is_active.q.val() & self.called.val()));
        self.wrong_start.next = (self.is_init.q.val() & self.started.q.val())
            & (self.mismatched.q.val() & !self.peer_began.val());
        self.keep.next = self.phase_9.q.val() & self.viewed.q.val();
        if self.phase_9.q.val() {
            if self.is_polling.q.val() | (self.in_time.q.val() & self.is_locking.q.val()) {
                self.stable.d.next = 0.into();
                if self.found.q.val().any() {
                    self.stable.d.next = self.stable.q.val() + 1;
                }
            } else if self.viewed.q.val() {
                self.stable.d.next = self.stable.q.val() + 1;
                if self.nearly_stable.q.val() {
                    self.stable.d.next = self.stable_limit.val();
                }
                if self.changed.q.val() {
                    self.stable.d.next = 1.into();
                }
                self.peer_known.d.next = true;
            }
            if self.is_confirming.q.val() {
                self.sent.d.next = self.sent.q.val() + 1;
                if self.nearly_sent.q.val() {
                    self.sent.d.next = self.sent_limit.val();
                }
            }
            if self.still.val() {
                self.is_lined_up.d.next = self.lined_up.val();
                if self.all_ts2.val() {
                    self.seen.d.next = self.seen.q.val() + 1;
                    if self.nearly_seen.q.val() {
                        self.seen.d.next = self.seen_limit.val();
                    }
                }
            }
            if self.confirms.val() {
                self.is_lined_up.d.next = self.lined_up.val();
                self.sent.d.next = 0.into();
                self.seen.d.next = bit_cast::<SEEN_BITS, 1>(self.all_ts2.val().into());
            }
            if self.is_init.q.val() {
                self.called_once.d.next = self.called_by_ts1.val();
            }
            if self.is_active.q.val() {
                self.called_once.d.next = self.called.val();
            }
        }
        // Lanes that are not allowed any more.
        self.narrows.next = (self.in_time.q.val() & !self.is_locking.q.val())
            & ((self.asked.q.val() & !self.allowed.val()).any()
                & (self.asked.q.val() & self.allowed.val()).any());
        // The lanes do not line up: one is left out, before the peer has seen enough to begin.
        self.too_far.next = (self.in_view.val() & !self.changed.q.val()) & !self.lined_up.val();
        if self.phase_9.q.val() {
            self.late_lane.d.next = self.late.val();
            if self.narrows.val() {
                self.late_lane.d.next = !self.allowed.val();
            }
            self.apart.d.next = 0.into();
            if self.too_far.val() {
                self.apart.d.next = self.apart.q.val() + 1;
            }
        }
        self.leave_out.d.next =
            self.phase_9.q.val() & ((self.too_far.val() & self.apart.q.val().all()) | self.narrows.val());
        self.for_sideband.d.next = (self.viewed.q.val() & self.directed.q.val()) & self.sideband.q.val();
        self.go_down.d.next = self.phase_9.q.val()
            & ((self.too_late.q.val()
                & (self.last_try.q.val() | (self.state_now.q.val() == self.retraining.val())))
                | ((self.viewed.q.val() & self.directed.q.val()) & self.sideband.q.val()));
        self.poll_again.d.next = (self.phase_9.q.val() & self.too_late.q.val())
            & (!self.last_try.q.val() & (self.state_now.q.val() == self.in_training.val()));
        self.go_up.d.next = self.phase_9.q.val() & !self.is_up.q.val() & self.enabled.q.val();
        self.train.d.next = self.phase_9.q.val() & self.is_polling.q.val() & self.lanes_found.q.val();
        self.settle.d.next = (self.phase_9.q.val() & self.in_time.q.val())
            & (self.is_locking.q.val() & self.lanes_found.q.val());
        self.fall_back.d.next = self.phase_9.q.val() & self.viewed.q.val() & self.changed.q.val();
        self.confirm.d.next = self.phase_9.q.val() & self.confirms.val();
        self.goes_to_init.next = ((self.phase_9.q.val() & self.is_confirming.q.val())
            & self.nearly_sent.q.val())
            & ((self.blind.q.val() & self.all_seen.q.val() & self.is_lined_up.q.val())
                | (self.still.val() & self.seen_with_this.q.val() & self.lined_up.val()));
        self.begin_init.d.next = self.goes_to_init.val();
        // A lane that was asked for has no sets any more: the lanes are locked anew.
        if self.phase_9.q.val() {
            self.unseen.d.next = 0.into();
            if self.blind.q.val() {
                self.unseen.d.next = self.unseen.q.val() + 1;
            }
        }
        self.relock.d.next = (self.phase_9.q.val() & self.blind.q.val())
            & (self.unseen.q.val().all() & !self.goes_to_init.val());
        self.train_again.d.next = self.phase_9.q.val() & self.wrong_start.val() & !self.is_known.q.val();
        self.retrain.d.next =
            self.phase_9.q.val() & (self.peer_began.val() | (self.wrong_start.val() & self.is_known.q.val()));

        // What has to begin anew, whichever of them it is.
        self.renews.d.next = self.phase_9.q.val()
            & (((!self.is_up.q.val() & self.enabled.q.val())
                | (self.is_polling.q.val() & self.lanes_found.q.val()))
                | (((self.too_late.q.val() & !self.last_try.q.val())
                    & (self.state_now.q.val() == self.in_training.val()))
                    | (self.peer_began.val()
                        | ((self.is_init.q.val() & self.started.q.val()) & self.mismatched.q.val()))));

        // Phase 4: the event. Phase 10: what phase 9 found. The state changes in no other.
        if self.phase_4.q.val() {
            self.enabled.d.next = self.enable.val();
        }
        self.disabled.next = self.phase_4.q.val() & !self.enable.val();
        self.downs.next = (self.disabled.val() | self.event.val().get_bit(0)) | self.go_down.q.val();
        self.retrains.next = self.event_retrains.val() | self.retrain.q.val();
        self.begins.next = (self.downs.val() | self.event_retrains.val()) | self.renews.q.val();
        self.is_full.d.next =
            (self.lanes_out.q.val() == self.built.val()) & (self.lanes_in.q.val() == self.built.val());
        // Lanes that are not allowed any more go with Retraining, unless none were left.
        self.kept.next = self.asked.q.val() & self.allowed.val();
        if !(self.asked.q.val() & self.allowed.val()).any() {
            self.kept.next = self.allowed.val();
        }
        self.gone.next = 0.into();
        self.gone.next = self.gone.val().replace_bit(self.event_lane.val().index(), true);

        self.is_known.enable.next = false;
        self.is_known.d.next = true;
        self.is_known.clear.next = self.clear.val() | self.downs.val() | self.go_up.q.val();
        if self.go_up.q.val() {
            self.next_state.next = self.polling.val();
            self.reason_now.d.next = self.reasons[1].val();
            self.epoch_now.d.next = self.epoch_now.q.val() + 1;
        }
        if self.poll_again.q.val() {
            self.next_state.next = self.polling.val();
            self.reason_now.d.next = self.reasons[7].val();
            self.tries.d.next = self.tries.q.val() + 1;
        }
        if self.train.q.val() | self.train_again.q.val() {
            self.next_state.next = self.in_training.val();
            self.reason_now.d.next = self.reasons[13].val();
        }
        if self.train.q.val() {
            self.reason_now.d.next = self.reasons[2].val();
        }
        if self.train.q.val() | self.settle.q.val() {
            self.asked.d.next = self.found.q.val();
        }
        if self.settle.q.val() {
            self.is_locking.d.next = false;
            self.stable.d.next = 0.into();
        }
        if self.fall_back.q.val() {
            self.is_confirming.d.next = false;
        }
        if self.confirm.q.val() {
            self.is_confirming.d.next = true;
            self.has_agreed.d.next = true;
            self.lanes_out.d.next = self.to_send.val();
            self.lanes_in.d.next = self.used.val();
            self.mode_out.d.next = self.mode_to_send.val();
            self.mode_in.d.next = self.mode_to_receive.val();
        }
        if self.relock.q.val() {
            self.is_locking.d.next = true;
            self.is_confirming.d.next = false;
            self.stable.d.next = 0.into();
        }
        if self.leave_out.q.val() {
            self.asked.d.next = self.asked.q.val() & !self.late_lane.q.val();
            self.is_confirming.d.next = false;
            self.stable.d.next = 0.into();
        }
        if self.begin_init.q.val() {
            self.next_state.next = self.init.val();
            self.reason_now.d.next = self.reasons[3].val();
            self.is_confirming.d.next = false;
            self.called_once.d.next = false;
        }
        if self.event.val().get_bit(4) {
            self.next_state.next = self.degraded.val();
            if self.is_full.q.val() {
                self.next_state.next = self.active.val();
            }
            self.reason_now.d.next = self.reasons[4].val();
            self.is_known.enable.next = true;
            self.tries.d.next = 0.into();
            self.called_once.d.next = false;
        }
        if self.event.val().get_bit(6) {
            self.next_state.next = self.bist.val();
            self.reason_now.d.next = self.reasons[14].val();
        }
        if self.begins.val() {
            self.timer.d.next = 0.into();
            self.stable.d.next = 0.into();
            self.called_once.d.next = false;
            self.peer_known.d.next = false;
            self.started.d.next = false;
            self.mismatched.d.next = false;
            self.is_lined_up.d.next = false;
            self.is_confirming.d.next = false;
            self.is_locking.d.next = !(self.train.q.val() | self.train_again.q.val());
        }
        if self.retrains.val() {
            self.next_state.next = self.retraining.val();
            self.reason_now.d.next = self.reasons[12].val();
            if self.retrain.q.val() & self.started.q.val() & self.mismatched.q.val() {
                self.reason_now.d.next = self.reasons[13].val();
            }
            self.asked.d.next = self.kept.val();
            if self.event.val().get_bit(1) {
                self.asked.d.next = self.kept.val() & !self.gone.val();
                self.reason_now.d.next = self.reasons[11].val();
            }
            if self.event.val().get_bit(2) {
                self.asked.d.next = self.allowed.val();
                self.reason_now.d.next = self.reasons[10].val();
            }
            if self.event.val().get_bit(3) {
                self.reason_now.d.next = self.reasons[9].val();
                for i in 0..PROBATION {
                    if self.returned[i].val().any() {
                        self.asked.d.next = self.kept.val() | (self.returned[i].val() & self.allowed.val());
                        self.reason_now.d.next = self.reasons[10].val();
                    }
                }
            }
            if self.event.val().get_bit(5) {
                self.reason_now.d.next = self.reasons[15].val();
            }
        }
        if self.downs.val() {
            self.next_state.next = self.down.val();
            if self.is_up.q.val() {
                self.reason_now.d.next = self.reasons[7].val();
                if self.for_sideband.q.val() {
                    self.reason_now.d.next = self.reasons[8].val();
                }
                if self.event.val().get_bit(0) {
                    self.reason_now.d.next = self.reasons[6].val();
                }
                if self.disabled.val() {
                    self.reason_now.d.next = self.reasons[5].val();
                }
            }
            self.asked.d.next = 0.into();
            self.tries.d.next = 0.into();
            self.has_agreed.d.next = false;
            self.lanes_out.d.next = 0.into();
            self.lanes_in.d.next = 0.into();
            self.mode_out.d.next = 0.into();
            self.mode_in.d.next = 0.into();
        }

        // Rule 9: what is asked for has a new number; what the peer asks for is answered as soon as it has been seen.
        if ((self.train.q.val() | self.train_again.q.val()) | (self.relock.q.val() | self.leave_out.q.val()))
            | self.retrains.val()
        {
            self.request_now.d.next = self.request_now.q.val() + 1;
            if self.request_now.q.val().all() {
                self.request_now.d.next = 1.into();
            }
        }
        if self.fall_back.q.val() {
            self.answer_now.d.next = self.peer_request.val();
        }
        if self.begins.val() {
            self.answer_now.d.next = 0.into();
        }
        self.request.next = self.request_now.q.val();
        self.told_answer.next = self.answer_now.q.val();

        // The start row goes out when the last set has ended and a row waits, so that no lane runs empty behind it.
        self.running.next = self.linked.q.val() | self.is_bist.q.val();
        self.was_init.d.next = self.is_init.q.val();
        self.begun.d.next = self.begin_init.q.val();
        self.row_waited.d.next = self.row_waits.val();
        self.start.next = ((self.start_due.q.val() & self.row_waited.q.val()) & self.was_init.q.val())
            & self.at_set_end.val();
        // It has gone when that word has: known a clock late, while the row still waits after the start row.
        self.was_starting.d.next = self.start.val();
        if self.begun.q.val() {
            self.start_due.d.next = true;
        } else if (self.was_starting.q.val() & !self.at_set_end.val()) | !self.is_init.q.val() {
            self.start_due.d.next = false;
        }
        self.waits_for_row.next =
            ((self.begun.q.val() | self.start_due.q.val()) & self.is_init.q.val()) & !self.row_waits.val();
        self.announces.next = self.is_confirming.q.val() | self.waits_for_row.val();
        self.send.next = 0.into();
        if (self.is_polling.q.val() | self.trains.q.val()) | self.waits_for_row.val() {
            self.send.next = self.built.val();
        }
        if self.linked.q.val() & !self.waits_for_row.val() {
            self.send.next = self.built.val() & !self.lanes_out.q.val();
        }
        self.told_rx_ok.next = 0.into();
        if (self.trains.q.val() & !self.is_locking.q.val()) | self.is_init.q.val() {
            self.told_rx_ok.next = self.asked.q.val();
        }
        self.unlock.next = self.downs.val() | self.retrains.val() | self.poll_again.q.val();
        self.agree.next = self.confirm.q.val();
        self.heeded.next = 0.into();
        for i in 1..4 {
            self.heeded.next = self.heeded.val().replace_bit(i, self.linked.q.val());
        }
        self.heeded.next = self
            .heeded
            .val()
            .replace_bit(0, true)
            .replace_bit(4, self.is_init.q.val())
            .replace_bit(5, self.is_bist.q.val())
            .replace_bit(6, self.is_active.q.val());
        self.training.next = self.is_polling.q.val() | self.trains.q.val();
        self.confirming.next = self.is_confirming.q.val();
        self.state.next = self.state_now.q.val();
        self.reason.next = self.reason_now.q.val();
        self.fresh.next = !self.is_known.q.val();
        self.epoch.next = self.epoch_now.q.val();
        self.rx_ok.next = self.asked.q.val();
        self.tx_lanes.next = self.lanes_out.q.val();
        self.rx_lanes.next = self.lanes_in.q.val();
        self.tx_mode.next = self.mode_out.q.val();
        self.rx_mode.next = self.mode_in.q.val();
        if self.clear.val() {
            self.next_state.next = self.down.val();
            self.reason_now.d.next = self.reasons[0].val();
            self.enabled.d.next = false;
            self.epoch_now.d.next = 0.into();
            self.asked.d.next = 0.into();
            self.request_now.d.next = 0.into();
            self.answer_now.d.next = 0.into();
            self.peer_known.d.next = false;
            self.has_agreed.d.next = false;
            self.lanes_out.d.next = 0.into();
            self.lanes_in.d.next = 0.into();
            self.mode_out.d.next = 0.into();
            self.mode_in.d.next = 0.into();
            self.is_confirming.d.next = false;
            self.called_once.d.next = false;
            self.row_came.d.next = false;
            self.row_was_wrong.d.next = false;
            self.phase_9.d.next = false;
            self.go_up.d.next = false;
            self.poll_again.d.next = false;
            self.train.d.next = false;
            self.train_again.d.next = false;
            self.retrain.d.next = false;
            self.settle.d.next = false;
            self.confirm.d.next = false;
            self.fall_back.d.next = false;
            self.begin_init.d.next = false;
            self.leave_out.d.next = false;
            self.relock.d.next = false;
            self.renews.d.next = false;
            self.go_down.d.next = false;
            self.tries.d.next = 0.into();
        }
        self.state_now.d.next = self.next_state.val();
        self.is_up.d.next = self.next_state.val() != self.down.val();
        self.is_polling.d.next = self.next_state.val() == self.polling.val();
        self.trains.d.next = (self.next_state.val() == self.in_training.val())
            | (self.next_state.val() == self.retraining.val());
        self.is_init.d.next = self.next_state.val() == self.init.val();
        self.is_active.d.next =
            (self.next_state.val() == self.active.val()) | (self.next_state.val() == self.degraded.val());
        self.is_bist.d.next = self.next_state.val() == self.bist.val();
        self.linked.d.next = (self.next_state.val() == self.init.val())
            | ((self.next_state.val() == self.active.val()) | (self.next_state.val() == self.degraded.val()));
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let lanes = ("lanes", self.built.val().index().count_ones().to_string());
        match PROBATION {
            0 => block_label("train_machine", &[lanes]),
            _ => block_label("train_machine", &[lanes, ("probation", "1".to_string())]),
        }
    }
}
