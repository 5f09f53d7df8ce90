//! E15: two ends, one connection, one PDU per slot, and a wire that loses PDUs one way.

use super::super::{
    BodyCheck, ConnectionKey, Content, Endpoint, Pdu, ReceiverConfig, Renack, Room, SenderConfig,
    SenderEvent, Verdict,
};
use super::{LossError, DEVIATIONS, GOODPUT_PERCENT, MODEL_SHARE};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;

/// WIN and SLOTS: more than any N, so that the window never closes.
const WINDOW: u16 = 64;
/// RTO in units of N.
const RTO: u64 = 4;
/// Slots between two calls of `progress`.
const PROGRESS: u64 = 1 << 20;

/// How many PDUs are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LossRate {
    /// Lost PDUs in 10^9.
    pub per_1e9: u32,
}

impl LossRate {
    const ALL: u32 = 1_000_000_000;

    /// Ten to the power of minus `exponent`.
    #[must_use]
    pub const fn power_of_ten(exponent: u32) -> Self {
        LossRate { per_1e9: Self::ALL / 10_u32.pow(exponent) }
    }

    /// As a probability.
    #[must_use]
    pub fn probability(self) -> f64 {
        f64::from(self.per_1e9) / f64::from(Self::ALL)
    }

    /// Slots in which so many are lost on the average.
    #[must_use]
    pub const fn slots(self, losses: u64) -> u64 {
        losses.saturating_mul(Self::ALL as u64).div_ceil(self.per_1e9 as u64)
    }

    /// PDUs that pass until the next one is lost.
    fn passing(self, random: &mut ChaCha8Rng) -> u64 {
        let chance: f64 = random.random_range(f64::MIN_POSITIVE..1.0);
        (chance.ln() / (-self.probability()).ln_1p()) as u64
    }
}

/// A point of E15.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoodputPoint {
    /// N: PDUs from a lost one, inclusive, to the start of its replay.
    pub distance: u64,
    /// How many are lost.
    pub rate: LossRate,
    /// RENACK.
    pub renack: Renack,
}

impl fmt::Display for GoodputPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let renack = u8::from(self.renack == Renack::Answer);
        write!(f, "N = {}, p = {:e}, RENACK = {renack}", self.distance, self.rate.probability())
    }
}

/// A point as measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoodputRow {
    #[serde(skip)]
    point: GoodputPoint,
    /// N.
    pub distance: u64,
    /// Rate of loss.
    pub loss: f64,
    /// RENACK.
    pub renack: u8,
    /// PDU times.
    pub slots: u64,
    /// PDUs lost.
    pub losses: u64,
    /// Bodies delivered: each once and in order.
    pub delivered: u64,
    /// Bodies delivered per PDU time.
    pub goodput: f64,
    /// The closed form.
    pub closed_form: f64,
    /// What is lost of it: at small rates goodput itself is nearly 1.
    pub lost_share: f64,
    /// The same by the closed form.
    pub lost_closed_form: f64,
}

impl GoodputRow {
    /// Difference from the closed form, percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        ((self.goodput / self.closed_form - 1.0) * 100.0).abs()
    }

    /// Refuses a row that is not that of the closed form, or that loses another share than it.
    pub(super) fn check(&self) -> Result<(), LossError> {
        let (point, measured, expected) = (self.point, self.goodput, self.closed_form);
        let percent = self.percent();
        if percent > GOODPUT_PERCENT {
            return Err(LossError::Goodput { point, measured, expected, percent });
        }
        // the closed form is that of RENACK = 1, and leaves out what is on its way at the end
        let ends = point.distance as f64 / self.slots as f64;
        let silent = if point.renack == Renack::Silent { point.rate.probability() * RTO as f64 } else { 0.0 };
        let (measured, expected) = (1.0 - measured, 1.0 - expected);
        let chance = DEVIATIONS / point.rate.probability().mul_add(self.slots as f64, 1.0).sqrt();
        if (measured - expected).abs() > expected * (chance + MODEL_SHARE + silent) + ends {
            return Err(LossError::Share { point, measured, expected, losses: self.losses });
        }
        Ok(())
    }
}

/// One direction of the wire: PDUs with their times of arrival.
type Wire = VecDeque<(u64, Pdu<u64>)>;

/// A point in progress.
struct Run {
    point: GoodputPoint,
    sending: Endpoint<u64>,
    receiving: Endpoint<u64>,
    forward: Wire,
    back: Wire,
    /// One way each; together with a slot for the PDU after the lost one, which causes the NACK, they are N.
    delays: (u64, u64),
    random: ChaCha8Rng,
    passing: u64,
    offered: u64,
    delivered: u64,
    losses: u64,
}

const KEY: ConnectionKey = ConnectionKey { port: 0, peer: 1, vc: 0 };

impl GoodputPoint {
    /// The closed form of E15.
    #[must_use]
    pub fn closed_form(&self) -> f64 {
        let loss = self.rate.probability();
        (1.0 - loss) / (1.0 - loss + self.distance as f64 * loss)
    }

    /// Runs so many PDU times. `progress` gets those that are done.
    pub fn measure(
        &self,
        slots: u64,
        random: ChaCha8Rng,
        progress: &mut dyn FnMut(u64),
    ) -> Result<GoodputRow, LossError> {
        let mut run = Run::new(*self, random)?;
        for now in 0..slots {
            if now % PROGRESS == 0 {
                progress(now);
            }
            run.slot(now)?;
        }
        let (goodput, closed_form) = (run.delivered as f64 / slots as f64, self.closed_form());
        Ok(GoodputRow {
            point: *self,
            distance: self.distance,
            loss: self.rate.probability(),
            renack: u8::from(self.renack == Renack::Answer),
            slots,
            losses: run.losses,
            delivered: run.delivered,
            goodput,
            closed_form,
            lost_share: 1.0 - goodput,
            lost_closed_form: 1.0 - closed_form,
        })
    }
}

impl Run {
    fn new(point: GoodputPoint, mut random: ChaCha8Rng) -> Result<Self, LossError> {
        let sender = SenderConfig {
            window: WINDOW,
            slots: usize::from(WINDOW),
            slot_min: 1,
            vcs: 1,
            rto: RTO * point.distance,
            ..SenderConfig::default()
        };
        let receiver =
            ReceiverConfig { ack_coalesce: 1, ack_timer: 1, renack: point.renack, ..Default::default() };
        let passing = point.rate.passing(&mut random);
        Ok(Run {
            point,
            sending: Endpoint::new(0, sender, receiver)?,
            receiving: Endpoint::new(1, sender, receiver)?,
            forward: Wire::new(),
            back: Wire::new(),
            delays: (point.distance / 2, point.distance - 1 - point.distance / 2),
            random,
            passing,
            offered: 0,
            delivered: 0,
            losses: 0,
        })
    }

    /// Arrivals and timers, then one PDU from each end.
    fn slot(&mut self, now: u64) -> Result<(), LossError> {
        // a new body is always waiting
        self.offered += u64::from(self.sending.accept(KEY, self.offered, now).is_ok());
        while let Some(pdu) = arrived(&mut self.back, now) {
            self.sending.receive(pdu, Room::Free, BodyCheck::Good, now);
        }
        for event in self.sending.expire(now) {
            if matches!(event, SenderEvent::ConnectionFailed { .. }) {
                return Err(LossError::Failed { point: self.point });
            }
        }
        while let Some(pdu) = arrived(&mut self.forward, now) {
            self.arrive(pdu, now)?;
        }
        if let Some(pdu) = self.sending.transmit(KEY.port, now, now + 1) {
            self.send(pdu, now);
        }
        if let Some(pdu) = self.receiving.transmit(KEY.port, now, now + 1) {
            self.back.push_back((now + self.delays.1, pdu));
        }
        Ok(())
    }

    fn send(&mut self, pdu: Pdu<u64>, now: u64) {
        if self.passing == 0 {
            self.losses += 1;
            self.passing = self.point.rate.passing(&mut self.random);
        } else {
            self.passing -= 1;
            self.forward.push_back((now + self.delays.0, pdu));
        }
    }

    fn arrive(&mut self, pdu: Pdu<u64>, now: u64) -> Result<(), LossError> {
        let reception = self.receiving.receive(pdu, Room::Free, BodyCheck::Good, now);
        if let (Some(Verdict::Accepted), Content::Body(found)) = (reception.verdict, pdu.content) {
            if found != self.delivered {
                return Err(LossError::Order { point: self.point, expected: self.delivered, found });
            }
            self.delivered += 1;
        }
        Ok(())
    }
}

fn arrived(wire: &mut Wire, now: u64) -> Option<Pdu<u64>> {
    wire.front().is_some_and(|(at, _)| *at <= now).then(|| wire.pop_front()).flatten().map(|(_, pdu)| pdu)
}
