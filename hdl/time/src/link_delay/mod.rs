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
use flitforge_hdl_prim::prelude::*;
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
#[block("link_delay")]
pub struct LinkDelay {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A DelayReq or DelayResp, see `time_extract`.
    pub marker: FlowIn<Bits<MARKER_BITS>>,
    /// rx lag at plane R of this clock, signed, 1/256 ns.
    rx_lag: In<Bits<LAG_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    tx_lag: In<Bits<LAG_BITS>>,
    /// Both lag meters are valid; 1 where PHASE_SRC is NONE.
    phase_ok: In<Bit>,
    /// SyncTime is locked.
    locked: In<Bit>,
    /// INC_F, 2^-32 ns per clock; holds still while a round is out or an answer waits.
    inc_f: In<Bits<INC_BITS>>,
    /// A run begins.
    start: In<Bit>,
    /// AUTO: a run begins at each change of the link.
    auto_run: In<Bit>,
    /// ADJ_EN of an upstream port: `rx_corr` follows a run.
    adjust: In<Bit>,
    /// K, when a run begins; above 8 counts as 8.
    rounds_log2: In<Bits<ROUNDS_LOG2_BITS>>,
    /// LDM_TIMEOUT less 1, clocks.
    timeout: In<Bits<TIMEOUT_BITS>>,
    /// ASYM, signed, 1/256 ns.
    asymmetry: In<Bits<DELAY_BITS>>,
    /// LDM_ACK, signed, 1/256 ns.
    acknowledged: In<Bits<DELAY_BITS>>,
    /// The link is Active.
    active: In<Bit>,
    /// Lane masks of both directions.
    lanes: In<Bits<LANES_BITS>>,
    /// HOLD_ON_EPOCH.
    hold_on_epoch: In<Bit>,
    /// EPOCH is written: LINK_EPOCH \[15:0\], MEASURED_EPOCH \[31:16\].
    pub epoch_write: FlowIn<Bits<EPOCHS_BITS>>,
    /// Tag of a DelayReq.
    pub request: StreamOut<Bits<REQUEST_BITS>>,
    /// Payload of a DelayResp, changes while it waits.
    pub response: StreamOut<Bits<RESPONSE_BITS>>,
    /// The last run has a result.
    done: Out<Bit>,
    /// The last run had 16 void rounds.
    failed: Out<Bit>,
    /// Rounds of the result; counts with `done`, as the next three.
    rounds: Out<Bits<COUNT_BITS>>,
    /// Mean delay to the peer, signed, 1/256 ns.
    mean: Out<Bits<DELAY_BITS>>,
    /// Smallest, signed, 1/256 ns.
    min: Out<Bits<DELAY_BITS>>,
    /// Largest, signed, 1/256 ns.
    max: Out<Bits<DELAY_BITS>>,
    /// New RX_CORR, signed, 1/16 ns.
    pub rx_corr: FlowOut<Bits<DELAY_BITS>>,
    /// LINK_EPOCH.
    link_epoch: Out<Bits<EPOCH_BITS>>,
    /// MEASURED_EPOCH.
    measured_epoch: Out<Bits<EPOCH_BITS>>,
    /// The link has changed since it was measured, and HOLD_ON_EPOCH is set: for `time_inject`.
    hold: Out<Bit>,
    /// Event: a round is void (LDM_RETRY).
    retry: Out<Bit>,
    /// Event: a run ended.
    finished: Out<Bit>,
    /// Event: the link changed.
    changed: Out<Bit>,
    /// A round is out or an answer is due: INC_F holds still.
    busy: Out<Bit>,
    #[wire(clock, clear)]
    responder: DelayResponder,
    #[wire(clock, clear)]
    initiator: DelayInitiator,
    #[wire(clock, clear)]
    collector: DelayRounds,
    #[wire(clock, clear)]
    epoch: LinkEpoch,
}

#[logic]
impl LinkDelay {
    fn update(&mut self) {
        let is_response = marker.data[48];
        responder.request.valid = marker.valid & !is_response;
        responder.request.data = marker.data.bits::<REQUEST_BITS>(0);
        responder = In { rx_lag, tx_lag, phase_ok, locked, inc_f };
        link(response, responder.response);

        initiator.answer = In { valid: marker.valid & is_response, data: marker.data.bits::<48>(0) };
        initiator = In { go: collector.ready, forget: epoch.begin, rx_lag, tx_lag, phase_ok, inc_f, timeout };
        initiator.asymmetry = asymmetry;
        link(request, initiator.request);

        collector = In { begin: epoch.begin, rounds_log2, period: inc_f.bits::<PERIOD_FINE_BITS>(24) };
        collector.delay = In { valid: initiator.delay.valid, data: initiator.delay.data };
        collector.voided = initiator.voided;

        epoch = In { active, lanes };
        epoch.write = In { valid: epoch_write.valid, data: epoch_write.data };
        epoch = In { start, auto_run, adjust, hold_on_epoch, running: collector.running };
        epoch = In { finished: collector.finished, done: collector.done, mean: collector.mean, asymmetry };
        epoch.acknowledged = acknowledged;

        Out { done, failed, rounds, mean, min, max, retry, finished } = collector;
        rx_corr = In { valid: epoch.rx_corr.valid, data: epoch.rx_corr.data };
        Out { link: link_epoch, measured: measured_epoch, hold, changed } = epoch;
        busy = initiator.out | responder.busy;
    }
}

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
