//! `link_delay`: the delay of a link, measured from one of its ends, and the answers to the other end (chapter 20, 4.8).
//!
//! A run is 2^K rounds of DelayReq and DelayResp; its mean is the delay to the peer. `marker` is that of `time_extract`,
//! `request` and `response` go to `time_inject`.
//!
//! - Responder: an answer is offered 3 clocks after its request came as `marker`; its payload in a clock is that of a flit taken in
//!   the next one. A newer request replaces one that waits. An answer whose turn-around does not fit 32 bits is given up.
//! - Initiator, from the answer's `marker`: the next request 7 + 5 n clocks after one that makes n stored ones, 7 after one whose
//!   delay is too long, 5 after another void one; `finished` 7 + 5 n + K after the last. A request is offered 3 clocks after
//!   `start`. Exact.
//! - An answer counts if it comes less than LDM_TIMEOUT clocks of round trip later; the round of one with a wrong tag is void,
//!   and ends with its own answer or the timeout.
//! - `done`, `failed` and the result stand from `finished` until the next run begins. `start` within a run begins anew.
//! - `hold` says that the link has changed since it was measured; `rx_corr` is a new RX_CORR, 2 clocks after `finished`.
//! - `clear` ends the run without a result and forgets the request that waits for an answer; results and epochs stay. With AUTO
//!   a run that a change of the link began starts again.
//!
//! | file | does |
//! |---|---|
//! | `responder` | rule 1, the end that answers |
//! | `initiator` | rules 1 to 3, one round |
//! | `rounds` | rule 3, what the rounds of a run give |
//! | `epoch` | rule 4 |

mod epoch;
mod initiator;
mod responder;
mod rounds;

pub use epoch::{LinkEpoch, EPOCHS_BITS};
pub use initiator::DelayInitiator;
pub use responder::DelayResponder;
pub use rounds::{DelayRounds, PERIOD_FINE_BITS};

use super::extract::MARKER_BITS;
use super::inject::{REQUEST_BITS, RESPONSE_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::registry::StreamRole::{FlowSink, FlowSource, StreamSource};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{delay_resp, LAG_BITS, LDM_ROUNDS_LOG2};
use flitforge_protocol::time_registers::{epoch as epoch_register, ldm_ctl, ldm_mean};
use flitforge_protocol::time_servo::{FINE_STEP_SHIFT, INC_BITS};

/// Bits of a turn-around, 1/256 ns, with room for lags and for what does not fit the answer.
pub const TURN_BITS: usize = delay_resp::turnaround::WIDTH + 2;
/// The same with the binary places of INC_F.
pub const ELAPSED_BITS: usize = TURN_BITS + FINE_STEP_SHIFT;
/// Bits of a delay, signed, 1/256 ns.
pub const DELAY_BITS: usize = ldm_mean::mean::WIDTH;
/// Bits of K.
pub const ROUNDS_LOG2_BITS: usize = ldm_ctl::rounds::WIDTH;
/// Bits of a number of rounds.
pub const COUNT_BITS: usize = LDM_ROUNDS_LOG2.1 as usize + 1;
/// Bits of a sum of delays.
pub const SUM_BITS: usize = DELAY_BITS + LDM_ROUNDS_LOG2.1 as usize;
/// Bits of LDM_TIMEOUT.
pub const TIMEOUT_BITS: usize = ldm_ctl::timeout::WIDTH;
/// Bits of an epoch.
pub const EPOCH_BITS: usize = epoch_register::link::WIDTH;
/// Bits of the lane masks of both directions.
pub const LANES_BITS: usize = 8;

/// Both ends of a measurement; see the [module](self).
#[derive(LogicBlock, Default)]
pub struct LinkDelay {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A DelayReq or DelayResp, see `time_extract`.
    pub marker: FlowIn<Bits<MARKER_BITS>>,
    /// rx lag at plane R of this clock, signed, 1/256 ns.
    pub rx_lag: Signal<In, Bits<LAG_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub tx_lag: Signal<In, Bits<LAG_BITS>>,
    /// Both lag meters are valid; 1 where PHASE_SRC is NONE.
    pub phase_ok: Signal<In, Bit>,
    /// SyncTime is locked.
    pub locked: Signal<In, Bit>,
    /// INC_F, 2^-32 ns per clock; holds still while a round is out or an answer waits.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// A run begins.
    pub start: Signal<In, Bit>,
    /// AUTO: a run begins at each change of the link.
    pub auto_run: Signal<In, Bit>,
    /// ADJ_EN of an upstream port: `rx_corr` follows a run.
    pub adjust: Signal<In, Bit>,
    /// K, when a run begins; above 8 counts as 8.
    pub rounds_log2: Signal<In, Bits<ROUNDS_LOG2_BITS>>,
    /// LDM_TIMEOUT less 1, clocks.
    pub timeout: Signal<In, Bits<TIMEOUT_BITS>>,
    /// ASYM, signed, 1/256 ns.
    pub asymmetry: Signal<In, Bits<DELAY_BITS>>,
    /// LDM_ACK, signed, 1/256 ns.
    pub acknowledged: Signal<In, Bits<DELAY_BITS>>,
    /// The link is Active.
    pub active: Signal<In, Bit>,
    /// Lane masks of both directions.
    pub lanes: Signal<In, Bits<LANES_BITS>>,
    /// HOLD_ON_EPOCH.
    pub hold_on_epoch: Signal<In, Bit>,
    /// EPOCH is written: LINK_EPOCH \[15:0\], MEASURED_EPOCH \[31:16\].
    pub epoch_write: FlowIn<Bits<EPOCHS_BITS>>,
    /// Tag of a DelayReq.
    pub request: StreamOut<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp, changes while it waits.
    pub response: StreamOut<Bits<RESPONSE_BITS>>,
    /// The last run has a result.
    pub done: Signal<Out, Bit>,
    /// The last run had 16 void rounds.
    pub failed: Signal<Out, Bit>,
    /// Rounds of the result; counts with `done`, as the next three.
    pub rounds: Signal<Out, Bits<COUNT_BITS>>,
    /// Mean delay to the peer, signed, 1/256 ns.
    pub mean: Signal<Out, Bits<DELAY_BITS>>,
    /// Smallest, signed, 1/256 ns.
    pub min: Signal<Out, Bits<DELAY_BITS>>,
    /// Largest, signed, 1/256 ns.
    pub max: Signal<Out, Bits<DELAY_BITS>>,
    /// New RX_CORR, signed, 1/16 ns.
    pub rx_corr: FlowOut<Bits<DELAY_BITS>>,
    /// LINK_EPOCH.
    pub link_epoch: Signal<Out, Bits<EPOCH_BITS>>,
    /// MEASURED_EPOCH.
    pub measured_epoch: Signal<Out, Bits<EPOCH_BITS>>,
    /// The link has changed since it was measured, and HOLD_ON_EPOCH is set: for `time_inject`.
    pub hold: Signal<Out, Bit>,
    /// Event: a round is void (LDM_RETRY).
    pub retry: Signal<Out, Bit>,
    /// Event: a run ended.
    pub finished: Signal<Out, Bit>,
    /// Event: the link changed.
    pub changed: Signal<Out, Bit>,
    /// A round is out or an answer is due: INC_F holds still.
    pub busy: Signal<Out, Bit>,
    responder: DelayResponder,
    initiator: DelayInitiator,
    collector: DelayRounds,
    epoch: LinkEpoch,
    is_response: Signal<Local, Bit>,
}

impl Logic for LinkDelay {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, responder, initiator, collector, epoch);
        self.responder.clear.next = self.clear.val();
        self.initiator.clear.next = self.clear.val();
        self.collector.clear.next = self.clear.val();
        self.epoch.clear.next = self.clear.val();

        self.is_response.next = self.marker.data.val().get_bit(48);
        self.responder.request.valid.next = self.marker.valid.val() & !self.is_response.val();
        self.responder.request.data.next = self.marker.data.val().get_bits::<REQUEST_BITS>(0);
        self.responder.rx_lag.next = self.rx_lag.val();
        self.responder.tx_lag.next = self.tx_lag.val();
        self.responder.phase_ok.next = self.phase_ok.val();
        self.responder.locked.next = self.locked.val();
        self.responder.inc_f.next = self.inc_f.val();
        StreamOut::<Bits<RESPONSE_BITS>>::link(&mut self.response, &mut self.responder.response);

        self.initiator.answer.valid.next = self.marker.valid.val() & self.is_response.val();
        self.initiator.answer.data.next = self.marker.data.val().get_bits::<48>(0);
        self.initiator.go.next = self.collector.ready.val();
        self.initiator.forget.next = self.epoch.begin.val();
        self.initiator.rx_lag.next = self.rx_lag.val();
        self.initiator.tx_lag.next = self.tx_lag.val();
        self.initiator.phase_ok.next = self.phase_ok.val();
        self.initiator.inc_f.next = self.inc_f.val();
        self.initiator.timeout.next = self.timeout.val();
        self.initiator.asymmetry.next = self.asymmetry.val();
        StreamOut::<Bits<REQUEST_BITS>>::link(&mut self.request, &mut self.initiator.request);

        self.collector.begin.next = self.epoch.begin.val();
        self.collector.rounds_log2.next = self.rounds_log2.val();
        self.collector.period.next = self.inc_f.val().get_bits::<PERIOD_FINE_BITS>(24);
        self.collector.delay.valid.next = self.initiator.delay.valid.val();
        self.collector.delay.data.next = self.initiator.delay.data.val();
        self.collector.voided.next = self.initiator.voided.val();

        self.epoch.active.next = self.active.val();
        self.epoch.lanes.next = self.lanes.val();
        self.epoch.write.valid.next = self.epoch_write.valid.val();
        self.epoch.write.data.next = self.epoch_write.data.val();
        self.epoch.start.next = self.start.val();
        self.epoch.auto_run.next = self.auto_run.val();
        self.epoch.adjust.next = self.adjust.val();
        self.epoch.hold_on_epoch.next = self.hold_on_epoch.val();
        self.epoch.running.next = self.collector.running.val();
        self.epoch.finished.next = self.collector.finished.val();
        self.epoch.done.next = self.collector.done.val();
        self.epoch.mean.next = self.collector.mean.val();
        self.epoch.asymmetry.next = self.asymmetry.val();
        self.epoch.acknowledged.next = self.acknowledged.val();

        self.done.next = self.collector.done.val();
        self.failed.next = self.collector.failed.val();
        self.rounds.next = self.collector.rounds.val();
        self.mean.next = self.collector.mean.val();
        self.min.next = self.collector.min.val();
        self.max.next = self.collector.max.val();
        self.retry.next = self.collector.retry.val();
        self.finished.next = self.collector.finished.val();
        self.rx_corr.valid.next = self.epoch.rx_corr.valid.val();
        self.rx_corr.data.next = self.epoch.rx_corr.data.val();
        self.link_epoch.next = self.epoch.link.val();
        self.measured_epoch.next = self.epoch.measured.val();
        self.hold.next = self.epoch.hold.val();
        self.changed.next = self.epoch.changed.val();
        self.busy.next = self.initiator.out.val() | self.responder.busy.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_delay", &[])
    }
}

drive_ports!(impl[] LinkDelay {
    clock, clear, marker, rx_lag, tx_lag, phase_ok, locked, inc_f, start, auto_run, adjust, rounds_log2, timeout, asymmetry,
    acknowledged, active, lanes, hold_on_epoch, epoch_write, request, response, done, failed, rounds, mean, min, max,
    rx_corr, link_epoch, measured_epoch, hold, retry, finished, changed, busy,
});

const _: () =
    assert!(MARKER_BITS == 49 && REQUEST_BITS == 8 && PERIOD_FINE_BITS == INC_BITS - FINE_STEP_SHIFT);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_delay",
    chapter: "20-time",
    summary: "measures the delay of a link and answers the other end",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let streams = [
            ("marker", FlowSink),
            ("epoch_write", FlowSink),
            ("request", StreamSource),
            ("response", StreamSource),
            ("rx_corr", FlowSource),
        ];
        let interface = InterfaceInfo::clocked(&streams, Some(3), "request in marker to response");
        Ok(BuiltBlock::new(LinkDelay::default(), interface))
    },
};
