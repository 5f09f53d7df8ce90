//! An endpoint: a source and a sink of packets behind the same sender and receiver as a switch's port.

use super::ledger::{Broken, Flow, Ledger};
use crate::control::Control;
use crate::credit::CreditReceiver;
use crate::flit::Flit;
use crate::packet::Packet;
use crate::switch::{beat_of, SentBeat, Shape, SwitchError, SwitchRules, Transmit};
use crate::vl::{Grant, VlReceiver};
use flitforge_protocol::flit::Opcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Beats that wait in an endpoint before it makes no more packets.
const QUEUE_BEATS: usize = 256;
/// What a beat of load costs: load is in percent of the clocks.
const BEAT_COST: i64 = 100;

/// One endpoint.
#[derive(Clone, Debug)]
pub(in crate::switch) struct Host {
    number: usize,
    flits: usize,
    pub(in crate::switch) transmit: Transmit,
    pub(in crate::switch) credit: CreditReceiver,
    receiver: VlReceiver,
    /// Beats to send, and flits that have come, by lane.
    queues: Vec<VecDeque<Vec<Flit>>>,
    packets: Vec<Vec<Flit>>,
    shapes: Vec<Option<Shape>>,
    queued: usize,
    budget: i64,
    rng: ChaCha8Rng,
}

impl Host {
    pub(in crate::switch) fn new(number: usize, rules: &SwitchRules, seed: u64) -> Result<Self, SwitchError> {
        let (flits, lanes) = (rules.packets.flits, rules.packets.lanes);
        Ok(Host {
            number,
            flits,
            transmit: Transmit::new(rules, false)?,
            credit: CreditReceiver::new(rules.credits(), flits)?,
            receiver: VlReceiver::new(lanes, flits, flits)?,
            queues: vec![VecDeque::new(); lanes],
            packets: vec![vec![]; lanes],
            shapes: vec![None; lanes],
            queued: 0,
            budget: 0,
            rng: ChaCha8Rng::seed_from_u64(seed ^ (number as u64 + 1) << 32),
        })
    }

    /// A clock at this load: makes packets to anybody else, on any lane but the management's.
    pub(in crate::switch) fn clock(
        &mut self,
        load: u32,
        hosts: usize,
        ledger: &mut Ledger,
    ) -> Result<(), SwitchError> {
        self.credit.clock();
        self.budget = (self.budget + i64::from(load)).min(BEAT_COST);
        if load == 0 || self.budget < 0 || self.queued > QUEUE_BEATS {
            return Ok(());
        }
        let vl = self.rng.random_range(0..self.queues.len() - 1);
        let dst = (self.number + self.rng.random_range(1..hosts)) % hosts;
        let packet = ledger.send(Flow { src: self.number, dst, vl });
        let beats = self.queue(vl, &packet)?;
        self.budget -= BEAT_COST * beats as i64;
        Ok(())
    }

    fn queue(&mut self, vl: usize, packet: &Packet) -> Result<usize, SwitchError> {
        let expected = "packets that the fabric carries".to_string();
        let wrong =
            |_| SwitchError::Parameter { parameter: "payload", value: packet.payload.len(), expected };
        let mut flits = packet.encode().map_err(wrong)?;
        flits.resize(flits.len().next_multiple_of(self.flits), Flit::IDLE);
        let beats = flits.len() / self.flits;
        self.queues[vl].extend(flits.chunks(self.flits).map(<[Flit]>::to_vec));
        self.queued += beats;
        Ok(beats)
    }

    /// The beat of a clock in which the link can take one.
    pub(in crate::switch) fn send(&mut self) -> Result<Option<SentBeat>, SwitchError> {
        for (shape, queue) in self.shapes.iter_mut().zip(&self.queues) {
            *shape = queue.front().map(|beat| Shape::of(beat));
        }
        let turn = self.transmit.step(&self.shapes, Some(&mut self.credit))?;
        let (queues, queued) = (&mut self.queues, &mut self.queued);
        let flits = beat_of(&turn, self.flits, |vl| {
            *queued -= 1;
            queues[vl].pop_front()
        });
        let vl = match turn.grant {
            Some(Grant::Beat(vl)) => Some(vl),
            _ => None,
        };
        Ok(flits.map(|flits| SentBeat { flits, vl, units: turn.units, from: None }))
    }

    /// A beat comes in: its credits are free at once, a packet that is complete goes to the ledger.
    pub(in crate::switch) fn arrive(
        &mut self,
        beat: &[Flit],
        ledger: &mut Ledger,
    ) -> Result<(), ArriveError> {
        for flit in beat.iter().filter(|flit| flit.opcode() == Some(Opcode::CrdtRet)) {
            if let Ok(Control::CrdtRet { codes }) = Control::decode(*flit) {
                self.transmit.give(&codes)?;
            }
        }
        let received = self.receiver.step(beat).map_err(SwitchError::from)?;
        let Some(vl) = received.vl else { return Ok(()) };
        let shape = Shape::of(&received.flits);
        let units = self.credit.arrive(vl, shape.flits, shape.tail).map_err(SwitchError::from)?;
        self.credit.release(vl, units).map_err(SwitchError::from)?;
        self.packets[vl].extend(&received.flits[..shape.flits]);
        if shape.tail {
            ledger.deliver(self.number, &self.packets[vl])?;
            self.packets[vl].clear();
        }
        Ok(())
    }
}

/// What can be wrong with a beat.
#[derive(Debug)]
pub(in crate::switch) enum ArriveError {
    Switch(SwitchError),
    Broken(Broken),
}

impl From<SwitchError> for ArriveError {
    fn from(error: SwitchError) -> Self {
        ArriveError::Switch(error)
    }
}

impl From<Broken> for ArriveError {
    fn from(broken: Broken) -> Self {
        ArriveError::Broken(broken)
    }
}
