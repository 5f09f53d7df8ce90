//! Bounded exhaustive proof that retry delivers exactly once (chapter 10, 9, stretch f): every pattern of losses on a
//! small replay buffer.
//!
//! Both ends run the rules of [`RetryPort`] itself, both directions carry originals. Every LTP may be lost or not. The
//! number of losses is bounded between two times at which the link is at rest; how often it comes to rest, and with
//! which sequence numbers, is not.
//!
//! What makes the states finite: sequence numbers count from the peer's NxtRx, moved by whole buffers, since every rule
//! is the same for all of them; counters are cut off, and so are RETRY_LIMIT and BAD_RUN, whose Retraining is not part
//! of this proof.

use crate::control::Control;
use crate::explore::{explore, ExploreError, Explored, System};
use crate::retry::{Arrival, Fault, LinkLtp, Mutation, Origin, Payload, RetryConfig, RetryPort, RxState};
use flitforge_protocol::retry::RetryState;
use std::collections::VecDeque;
use thiserror::Error;

/// An LTP that knows only its sequence number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Numbered(pub(crate) u16);

impl Payload for Numbered {
    fn beats(&self, _: usize) -> u64 {
        1
    }

    fn strip_time_flits(&mut self) -> u64 {
        0
    }
}

/// A promise that was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ProofViolation {
    /// Not the LTP that was due: lost, repeated or altered.
    #[error("LTP {found} delivered as number {sequence} where {due} was due")]
    Delivery {
        /// Content.
        found: u16,
        /// Number the receiver gave it.
        sequence: u16,
        /// Number that was due.
        due: u16,
    },
    /// A slot was written over before the peer had its LTP.
    #[error("LTP {written} takes the slot of one that the peer, at {accepted}, does not have")]
    Overwritten {
        /// Number of the new LTP.
        written: u16,
        /// NxtRx of the peer.
        accepted: u16,
    },
    /// A fault that losses alone must not lead to.
    #[error("fault {0:?}")]
    Fault(Fault),
}

/// What to prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofBounds {
    /// Replay slots, R: a power of two, at least 2.
    pub slots: usize,
    /// LTP times that an LTP is under way, at least 1: the round trip is 2 delay - 1.
    pub delay: usize,
    /// Lost LTPs, both directions together, between two times at rest.
    pub losses: usize,
    /// LTP times of the timers TOSS_LTPS and FREEZE_LTPS; 0 = by formula.
    pub timers: u32,
    /// States.
    pub states: usize,
    /// A rule left out.
    pub mutation: Option<Mutation>,
}

#[derive(Debug, Clone, Hash)]
struct Small {
    ends: [RetryPort<Numbered>; 2],
    /// The LTPs on their way to each end.
    line: [VecDeque<LinkLtp<Numbered>>; 2],
    delay: usize,
    slots: u16,
}

/// Visits every state that at most `bounds.losses` losses since the last time at rest can lead to. Shows that every LTP
/// is delivered once, in order and unaltered, that no slot is reused too early, that no fault comes up, and that the
/// link comes to rest again when nothing more is lost.
pub fn prove_exactly_once(bounds: ProofBounds) -> Result<Explored, ExploreError<ProofViolation>> {
    let config = RetryConfig {
        slots: bounds.slots,
        retry_limit: u32::MAX,
        bad_run: u32::MAX,
        toss_ltps: bounds.timers,
        freeze_ltps: bounds.timers,
        mutation: bounds.mutation,
        ..RetryConfig::default()
    };
    let mut small = Small {
        ends: [0, 1].map(|_| RetryPort::unchecked(config, 1)),
        line: [VecDeque::new(), VecDeque::new()],
        delay: bounds.delay,
        slots: bounds.slots as u16,
    };
    small.ends.iter_mut().for_each(RetryPort::start_init);
    let mut now = 0;
    while !small.is_at_rest() {
        small.advance(now, [false; 2]).map_err(ExploreError::Violation)?;
        now += 1;
    }
    small.fold();
    explore(small, bounds.losses, bounds.states, |_| ())
}

impl Small {
    fn advance(&mut self, now: u64, lost: [bool; 2]) -> Result<(), ProofViolation> {
        for (end, lost) in lost.into_iter().enumerate() {
            let arrived = self.line[end].len() >= self.delay;
            let Some(ltp) = arrived.then(|| self.line[end].pop_front()).flatten() else { continue };
            let due = self.ends[end].rx().next();
            let arrival = if lost { Arrival::Bad } else { Arrival::Good(ltp) };
            let reception = self.ends[end].receive(now, arrival);
            if let Some(delivered) = reception.delivered {
                let (found, sequence) = (delivered.payload.0, delivered.sequence);
                if found != due || sequence != due {
                    return Err(ProofViolation::Delivery { found, sequence, due });
                }
            }
            reception.fault.map_or(Ok(()), |fault| Err(ProofViolation::Fault(fault)))?;
        }
        for end in 0..2 {
            let number = self.ends[end].tx().next_write();
            let turn = self.ends[end].send(now, || Numbered(number));
            turn.fault.map_or(Ok(()), |fault| Err(ProofViolation::Fault(fault)))?;
            let Some(sent) = turn.sent else { continue };
            let accepted = self.ends[1 - end].rx().next();
            if let Origin::Original(written) = sent.origin {
                if written.wrapping_sub(accepted) >= self.slots {
                    return Err(ProofViolation::Overwritten { written, accepted });
                }
            }
            self.line[1 - end].push_back(sent.ltp);
        }
        Ok(())
    }

    /// Moves the numbers of each direction by whole buffers, so that the receiver's NxtRx is below R, and cuts counters off.
    fn fold(&mut self) {
        let by = [0, 1].map(|from: usize| {
            let next = self.ends[1 - from].rx().next();
            next - next % self.slots
        });
        for end in 0..2 {
            self.ends[end].fold(by[end], by[1 - end]);
            let (data, requests) = (by[1 - end], by[end]);
            self.line[end].iter_mut().for_each(|ltp| match ltp {
                LinkLtp::Reliable(Numbered(number)) => *number = number.wrapping_sub(data),
                LinkLtp::Null(null) => *null = moved(*null, data, requests),
            });
        }
    }
}

/// A Null whose markers number the LTPs of its own direction and whose requests those of the other.
pub(crate) fn moved(null: Control, data: u16, requests: u16) -> Control {
    match null {
        Control::RetryMrkr { half, first_replayed, next_write_ltp } => Control::RetryMrkr {
            half,
            first_replayed: first_replayed.wrapping_sub(data),
            next_write_ltp: next_write_ltp.wrapping_sub(data),
        },
        Control::RetryReq { half, next_rx_ltp } => {
            Control::RetryReq { half, next_rx_ltp: next_rx_ltp.wrapping_sub(requests) }
        }
        other => other,
    }
}

impl System for Small {
    type Violation = ProofViolation;

    fn troubles(&self) -> usize {
        3
    }

    fn weight(&self, trouble: usize) -> usize {
        if trouble == 2 {
            2
        } else {
            1
        }
    }

    fn step(&mut self, trouble: Option<usize>) -> Result<(), ProofViolation> {
        let lost = match trouble {
            None => [false, false],
            Some(0) => [true, false],
            Some(1) => [false, true],
            Some(_) => [true, true],
        };
        self.advance(0, lost)?;
        self.fold();
        Ok(())
    }

    /// NORMAL on all four sides, nothing but originals and pads on the line, nothing asked for.
    fn is_at_rest(&self) -> bool {
        let quiet = |end: &RetryPort<Numbered>| {
            end.is_active()
                && end.tx().state() == RetryState::Normal
                && end.rx().state() == RxState::Normal
                && end.is_settled()
        };
        let plain = |ltp: &LinkLtp<Numbered>| match ltp {
            LinkLtp::Reliable(_) => true,
            LinkLtp::Null(null) => matches!(null, Control::Retrain { kind: 0, .. }),
        };
        self.ends.iter().all(quiet) && self.line.iter().flatten().all(plain)
    }

    fn is_good(&self) -> bool {
        self.is_at_rest()
    }
}
