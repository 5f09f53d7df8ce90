//! REINIT_LIMIT of the receiver (chapter 10, 4.2 rules 5 and 9).

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Counts the Retrainings for which the receiver has asked with one and the same NxtRx, as `link_replay` counts those of
/// the transmit side: at REINIT_LIMIT the link gives up. `retrain` or `give_up` comes 2 clocks behind `request_limit`.
/// Requests are at least 3 clocks apart, as LTPs are. `clear` forgets the count.
#[derive(LogicBlock)]
pub struct PortLimits {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the link is Down.
    pub clear: Signal<In, Bit>,
    /// REINIT_LIMIT, 1 to 255.
    pub reinit_limit: Signal<In, Bits<8>>,
    /// Event: a request beyond RETRY_LIMIT.
    pub request_limit: Signal<In, Bit>,
    /// NxtRx.
    pub next_rx: Signal<In, Bits<16>>,
    /// Pulse: Retraining.
    pub retrain: Signal<Out, Bit>,
    /// Pulse: Down.
    pub give_up: Signal<Out, Bit>,
    /// Pulse: RETRY_LIMIT is reached, with one of the two.
    pub reached: Signal<Out, Bit>,

    stuck: DFF<Bits<16>>,
    count: DFF<Bits<8>>,
    counted: DFF<Bit>,
    wants_retrain: DFF<Bit>,
    wants_down: DFF<Bit>,
    one: Constant<Bits<8>>,
}

impl Default for PortLimits {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            reinit_limit: Default::default(),
            request_limit: Default::default(),
            next_rx: Default::default(),
            retrain: Default::default(),
            give_up: Default::default(),
            reached: Default::default(),
            stuck: Default::default(),
            count: Default::default(),
            counted: Default::default(),
            wants_retrain: Default::default(),
            wants_down: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for PortLimits {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stuck, count, counted, wants_retrain, wants_down);
        self.counted.d.next = self.request_limit.val();
        if self.request_limit.val() {
            self.stuck.d.next = self.next_rx.val();
            self.count.d.next = self.one.val();
            if (self.stuck.q.val() == self.next_rx.val()) & self.count.q.val().any() {
                self.count.d.next = self.count.q.val() + self.one.val();
            }
        }
        self.wants_down.d.next = self.counted.q.val() & (self.count.q.val() >= self.reinit_limit.val());
        self.wants_retrain.d.next = self.counted.q.val() & (self.count.q.val() < self.reinit_limit.val());
        if self.clear.val() {
            self.count.d.next = 0.into();
            self.counted.d.next = false;
            self.wants_down.d.next = false;
            self.wants_retrain.d.next = false;
        }
        self.retrain.next = self.wants_retrain.q.val();
        self.give_up.next = self.wants_down.q.val();
        self.reached.next = self.wants_retrain.q.val() | self.wants_down.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_limits", &[])
    }
}

drive_ports!(impl[] PortLimits { clock, clear, reinit_limit, request_limit, next_rx, retrain, give_up, reached });
