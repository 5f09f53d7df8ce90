//! Retries without progress, and what asks for Retraining or Down (chapter 10, 4.2 rule 5).

use super::{LIMIT_BITS, POINTER_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Counts requests for one pointer and repeats of the RetrainRetryReq pair up to RETRY_LIMIT, and the Retrainings that
/// these and BAD_POINTER lead to, for one LTP, up to REINIT_LIMIT. An LTP makes progress when its slot is overwritten.
///
/// `retrain` comes 3 clocks after what leads to it, `down` with it; both stay until the next start. Faults while
/// `retrain` is up change nothing.
#[derive(LogicBlock)]
pub struct ReplayLimits {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// RETRY_LIMIT, 1 to 255.
    pub retry_limit: Signal<In, Bits<LIMIT_BITS>>,
    /// REINIT_LIMIT, 1 to 255.
    pub reinit_limit: Signal<In, Bits<LIMIT_BITS>>,
    /// INIT or OFF is entered: the retries begin anew, the Retrainings do not.
    pub reset: Signal<In, Bit>,
    /// With `reset`: INIT is entered, and nothing is kept from before.
    pub fresh: Signal<In, Bit>,
    /// Numbers start at 0.
    pub restart: Signal<In, Bit>,
    /// Strobe: a request, or with `activates` the pointer of Init, is looked at.
    pub request: Signal<In, Bit>,
    /// With `request`: it is the pointer of Init, which is no request.
    pub activates: Signal<In, Bit>,
    /// Its pointer.
    pub pointer: Signal<In, Bits<POINTER_BITS>>,
    /// The pointer is in the buffer.
    pub pointer_ok: Signal<In, Bit>,
    /// Strobe: timer FREEZE_LTPS has run out.
    pub timer_over: Signal<In, Bit>,
    /// Strobe: Init has taken too long.
    pub init_timeout: Signal<In, Bit>,
    /// Strobe: the original `next_tx` is written.
    pub write: Signal<In, Bit>,
    /// NxtTx.
    pub next_tx: Signal<In, Bits<POINTER_BITS>>,
    /// NxtWr.
    pub next_write: Signal<In, Bits<POINTER_BITS>>,
    /// A request for `pointer` would be one too many.
    pub over_limit: Signal<Out, Bit>,
    /// The link has to be retrained.
    pub retrain: Signal<Out, Bit>,
    /// With `retrain`: it has to go Down.
    pub down: Signal<Out, Bit>,
    /// Event: a pointer that is not in the buffer.
    pub bad_pointer: Signal<Out, Bit>,

    named: DFF<Bits<POINTER_BITS>>,
    named_valid: DFF<Bit>,
    retries: DFF<Bits<LIMIT_BITS>>,
    at_limit: DFF<Bit>,
    same: DFF<Bit>,
    hits_named: DFF<Bit>,
    fault: DFF<Bit>,
    /// A fault that counts towards REINIT_LIMIT.
    counts: DFF<Bit>,
    counted: DFF<Bit>,
    asked: DFF<Bit>,
    stuck: DFF<Bits<POINTER_BITS>>,
    stuck_count: DFF<Bits<LIMIT_BITS>>,
    hits_stuck: DFF<Bit>,
    gives_up: DFF<Bit>,
    event_pointer: DFF<Bit>,
    over: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    limit: Signal<Local, Bit>,
    concerned: Signal<Local, Bits<POINTER_BITS>>,
    one: Constant<Bits<LIMIT_BITS>>,
    slot_mask: Constant<Bits<POINTER_BITS>>,
}

impl ReplayLimits {
    /// Nothing counted, a buffer of `slots` LTPs.
    pub fn new(slots: usize) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            retry_limit: Default::default(),
            reinit_limit: Default::default(),
            reset: Default::default(),
            fresh: Default::default(),
            restart: Default::default(),
            request: Default::default(),
            activates: Default::default(),
            pointer: Default::default(),
            pointer_ok: Default::default(),
            timer_over: Default::default(),
            init_timeout: Default::default(),
            write: Default::default(),
            next_tx: Default::default(),
            next_write: Default::default(),
            over_limit: Default::default(),
            retrain: Default::default(),
            down: Default::default(),
            bad_pointer: Default::default(),
            named: Default::default(),
            named_valid: Default::default(),
            retries: Default::default(),
            at_limit: Default::default(),
            same: Default::default(),
            hits_named: Default::default(),
            fault: Default::default(),
            counts: Default::default(),
            counted: Default::default(),
            asked: Default::default(),
            stuck: Default::default(),
            stuck_count: Default::default(),
            hits_stuck: Default::default(),
            gives_up: Default::default(),
            event_pointer: Default::default(),
            over: Default::default(),
            bad: Default::default(),
            limit: Default::default(),
            concerned: Default::default(),
            one: Constant::new(1u64.into()),
            slot_mask: Constant::new((slots as u64 - 1).into()),
        }
    }
}

impl Logic for ReplayLimits {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, named, named_valid, retries, at_limit, same, hits_named, fault, counts);
        dff_setup!(self, clock, counted, asked, stuck, stuck_count, hits_stuck, gives_up, event_pointer);

        // Comparisons, ahead of the step that needs them.
        self.at_limit.d.next = self.retries.q.val() >= self.retry_limit.val();
        self.same.d.next = self.named_valid.q.val() & (self.named.q.val() == self.pointer.val());
        self.hits_named.d.next = !((self.named.q.val() ^ self.next_tx.val()) & self.slot_mask.val()).any();
        self.hits_stuck.d.next = !((self.stuck.q.val() ^ self.next_tx.val()) & self.slot_mask.val()).any();
        self.over.next = self.same.q.val() & self.at_limit.q.val();
        self.bad.next = self.request.val() & !self.pointer_ok.val();
        self.limit.next =
            (self.request.val() & self.pointer_ok.val() & !self.activates.val() & self.over.val())
                | (self.timer_over.val() & self.at_limit.q.val());

        // Requests for one pointer.
        if self.request.val() & self.pointer_ok.val() & !self.activates.val() & !self.over.val() {
            self.named.d.next = self.pointer.val();
            self.named_valid.d.next = true;
            self.retries.d.next = self.one.val();
            if self.same.q.val() {
                self.retries.d.next = self.retries.q.val() + self.one.val();
            }
        }
        if self.timer_over.val() & !self.at_limit.q.val() {
            self.retries.d.next = self.retries.q.val() + self.one.val();
        }
        if self.write.val() & self.hits_named.q.val() & self.named_valid.q.val() {
            self.named_valid.d.next = false;
            self.retries.d.next = 0.into();
        }

        // Retrainings for one LTP: of the pointer that the last request named, else of the next LTP.
        self.counts.d.next = (self.bad.val() | self.limit.val()) & !self.fault.q.val();
        self.counted.d.next = self.counts.q.val();
        self.fault.d.next = self.fault.q.val() | self.bad.val() | self.limit.val() | self.init_timeout.val();
        self.concerned.next = self.next_write.val();
        if self.named_valid.q.val() {
            self.concerned.next = self.named.q.val();
        }
        if self.write.val() & self.hits_stuck.q.val() {
            self.stuck_count.d.next = 0.into();
        }
        if self.counts.q.val() {
            self.stuck.d.next = self.concerned.val();
            self.stuck_count.d.next = self.one.val();
            if self.stuck.q.val() == self.concerned.val() {
                self.stuck_count.d.next = self.stuck_count.q.val() + self.one.val();
            }
        }
        self.gives_up.d.next = self.gives_up.q.val()
            | (self.counted.q.val() & (self.stuck_count.q.val() >= self.reinit_limit.val()));
        // As long as the count takes, so that `down` is there with `retrain`.
        self.asked.d.next = self.fault.q.val() & !self.counts.q.val();

        self.event_pointer.d.next = self.bad.val() & !self.clear.val();
        if self.reset.val() {
            self.retries.d.next = 0.into();
            self.fault.d.next = false;
            self.counts.d.next = false;
            self.counted.d.next = false;
            self.asked.d.next = false;
            self.gives_up.d.next = false;
        }
        if self.restart.val() | self.clear.val() {
            self.named_valid.d.next = false;
            self.retries.d.next = 0.into();
        }
        if (self.reset.val() & self.fresh.val()) | self.clear.val() {
            self.stuck.d.next = 0.into();
            self.stuck_count.d.next = 0.into();
        }
        if self.clear.val() {
            self.fault.d.next = false;
            self.counts.d.next = false;
            self.counted.d.next = false;
            self.asked.d.next = false;
            self.gives_up.d.next = false;
        }

        self.over_limit.next = self.over.val();
        self.retrain.next = self.asked.q.val();
        self.down.next = self.gives_up.q.val();
        self.bad_pointer.next = self.event_pointer.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("replay_limits", &[("r", (self.slot_mask.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] ReplayLimits { clock, clear, retry_limit, reinit_limit, reset, fresh, restart, request, activates, pointer, pointer_ok, timer_over, init_timeout, write, next_tx, next_write, over_limit, retrain, down, bad_pointer });
