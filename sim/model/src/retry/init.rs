//! The exchange of state Init (chapter 10, 4.6, state 3 and rule 5; 4.2 rule 6): Null LTPs only.

use super::rx::NullEvent;
use crate::control::{Control, Half};
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::retry::{INIT_LTPS, ROUND_TRIP_TIMEOUT_LTPS};

/// A running measurement of the round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Measurement {
    token: u8,
    /// Time at which the last bit of the RndTripMrkr.0 left.
    sent: u64,
}

/// What Init has found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InitResult {
    /// RTT_LTP: the round trip in LTP times, rounded up.
    pub round_trip: u32,
    /// Where to replay from: the peer's NxtRx, 0 after a fresh start.
    pub pointer: u16,
}

/// State Init of one end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InitExchange {
    fresh: bool,
    ltp_time: u64,
    peer: Option<PeerInit>,
    acknowledged: bool,
    round_trip: Option<u32>,
    measurement: Option<Measurement>,
    next_token: u8,
    ltps: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PeerInit {
    fresh: bool,
    next_rx: u16,
}

impl InitExchange {
    /// Enters Init. `fresh`: this end keeps no state. `ltp_time`: time of one of its LTPs, in the caller's unit.
    #[must_use]
    pub const fn new(fresh: bool, ltp_time: u64) -> Self {
        InitExchange {
            fresh,
            ltp_time,
            peer: None,
            acknowledged: false,
            round_trip: None,
            measurement: None,
            next_token: 0,
            ltps: 0,
        }
    }

    /// The next pair of Nulls is sent at `now`. Its first; the second is the same with the half changed.
    ///
    /// InitReq until the peer's InitReq or InitAck has been seen, then InitAck. From then on, since the peer is in Init and
    /// answers, a RndTripMrkr if the round trip is unknown and none is under way.
    pub fn next_pair(&mut self, now: u64, next_rx: u16) -> Control {
        let waited =
            |sent: u64| now.saturating_sub(sent) > self.ltp_time * u64::from(ROUND_TRIP_TIMEOUT_LTPS);
        let under_way = self.measurement.is_some_and(|measurement| !waited(measurement.sent));
        if self.round_trip.is_none() && self.peer.is_some() && !under_way {
            let token = self.next_token;
            self.next_token = token.wrapping_add(1);
            self.measurement = Some(Measurement { token, sent: now + self.ltp_time });
            return Control::RndTripMrkr { half: Half::First, token, reply: false };
        }
        let kind = if self.peer.is_some() { RetrainKind::InitAck } else { RetrainKind::InitReq };
        Control::Retrain { kind: kind.code(), half: Half::First, fresh: self.fresh, next_rx_ltp: next_rx }
    }

    /// A Null of the peer came in at `now`. True if this tells for the first time that one of the ends starts
    /// afresh: both then start at sequence number 0 (4.6 rule 5).
    pub fn receive(&mut self, event: NullEvent, now: u64) -> bool {
        match event {
            NullEvent::Init { ack, fresh, next_rx } => {
                let first = self.peer.is_none();
                self.peer = Some(PeerInit { fresh, next_rx });
                self.acknowledged |= ack;
                first && (fresh || self.fresh)
            }
            NullEvent::RoundTripReply(token) => {
                self.close_measurement(token, now);
                false
            }
            _ => false,
        }
    }

    /// The peer sends what only an Active end sends. Our reading: this says as much as InitAck, so that an end whose
    /// last InitAcks were lost need not wait for the timeout.
    pub fn peer_is_active(&mut self) {
        self.acknowledged |= self.peer.is_some();
    }

    fn close_measurement(&mut self, token: u8, now: u64) {
        let answered = self.measurement.filter(|measurement| measurement.token == token);
        if let (Some(measurement), None) = (answered, self.round_trip) {
            let time = now.saturating_sub(measurement.sent);
            self.round_trip = u32::try_from(time.div_ceil(self.ltp_time)).ok();
            self.measurement = None;
        }
    }

    /// One LTP time went by; true if Init has taken too long.
    pub fn tick(&mut self) -> bool {
        self.ltps += 1;
        self.ltps > INIT_LTPS
    }

    /// What was found out, once the round trip is known and InitAck was seen.
    #[must_use]
    pub fn result(&self) -> Option<InitResult> {
        let peer = self.peer.filter(|_| self.acknowledged)?;
        let pointer = if peer.fresh || self.fresh { 0 } else { peer.next_rx };
        Some(InitResult { round_trip: self.round_trip?, pointer })
    }
}
