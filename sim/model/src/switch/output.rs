//! The output side of a port: who has each virtual lane, and what goes out.

use super::{Shape, SwitchError, SwitchRules};
use crate::control::Control;
use crate::credit::{Codes, CreditReceiver, CreditSender};
use crate::flit::Flit;
use crate::vl::{Grant, Offer, VlSender};
use flitforge_protocol::flit::BadReason;

/// What a sender puts into one beat time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// A marker or the beat of a lane.
    pub grant: Option<Grant>,
    /// AU that the beat uses.
    pub units: u32,
    /// A credit return; alone if there is no grant, else in an Idle slot of it.
    pub codes: Option<Codes>,
}

/// Sender of a port: interleaver, credits of the link, and credit returns of the port's own receiver.
#[derive(Clone, Debug)]
pub struct Transmit {
    flits: usize,
    interleaver: VlSender,
    /// None: the other end only says when it is ready.
    credit: Option<CreditSender>,
    /// A credit return has found no room beside a beat: the next beat time is its own.
    overdue: bool,
    offers: Vec<Option<Offer>>,
}

impl Transmit {
    /// A sender without credits, as after the start of a link; `internal`: it needs none.
    pub fn new(rules: &SwitchRules, internal: bool) -> Result<Self, SwitchError> {
        let flits = rules.packets.flits;
        let credit = (!internal).then(|| CreditSender::new(rules.credits(), flits)).transpose()?;
        let interleaver = VlSender::new(rules.interleave.clone())?;
        Ok(Transmit { flits, interleaver, credit, overdue: false, offers: vec![None; rules.packets.lanes] })
    }

    /// AU there are for a lane.
    #[must_use]
    pub fn available(&self, vl: usize) -> u32 {
        self.credit.as_ref().map_or(u32::MAX, |credit| credit.available()[vl])
    }

    /// A CrdtRet has come.
    pub fn give(&mut self, codes: &Codes) -> Result<(), SwitchError> {
        match &mut self.credit {
            Some(credit) => Ok(credit.give_all(codes)?),
            None => Ok(()),
        }
    }

    /// One beat time: `lanes[v]` is the next beat of lane v, `returns` what this port's receiver has to give back.
    pub fn step(
        &mut self,
        lanes: &[Option<Shape>],
        mut returns: Option<&mut CreditReceiver>,
    ) -> Result<Turn, SwitchError> {
        let due = returns.as_ref().is_some_and(|receiver| (0..lanes.len()).any(|vl| receiver.is_due(vl)));
        let mut turn = Turn { grant: None, units: 0, codes: None };
        if !(due && self.overdue) {
            turn.grant = self.grant(lanes)?;
        }
        let used = match turn.grant {
            None => 0,
            Some(Grant::Marker(_)) => 1,
            Some(Grant::Beat(vl)) => {
                let shape = lanes[vl].unwrap_or_default();
                if let Some(credit) = &mut self.credit {
                    turn.units = credit.send(vl, shape.flits, shape.tail)?;
                }
                if shape.tail {
                    shape.flits
                } else {
                    self.flits
                }
            }
        };
        self.overdue = due && used == self.flits;
        if due && !self.overdue {
            turn.codes = returns.as_mut().and_then(|receiver| receiver.take_codes());
        }
        Ok(turn)
    }

    fn grant(&mut self, lanes: &[Option<Shape>]) -> Result<Option<Grant>, SwitchError> {
        let mut some = false;
        for (vl, lane) in lanes.iter().enumerate() {
            let credit = |shape: &Shape| match &self.credit {
                Some(credit) => credit.may_send(vl, shape.flits),
                None => Ok(true),
            };
            self.offers[vl] = match lane {
                Some(shape) if credit(shape)? => Some(Offer { head: shape.head, tail: shape.tail }),
                _ => None,
            };
            some |= self.offers[vl].is_some();
        }
        match some || !self.interleaver.stack().is_empty() {
            true => Ok(self.interleaver.step(&self.offers)?),
            false => Ok(None),
        }
    }
}

/// The beat of a turn; `beat` gives that of a lane.
pub fn beat_of(
    turn: &Turn,
    flits: usize,
    beat: impl FnOnce(usize) -> Option<Vec<Flit>>,
) -> Option<Vec<Flit>> {
    let mut all = match turn.grant {
        Some(Grant::Beat(vl)) => beat(vl)?,
        Some(Grant::Marker(vl)) => {
            let mut all = vec![Flit::IDLE; flits];
            all[0] = Control::VlMrkr { vl: vl as u8 }.encode().ok()?;
            all
        }
        None if turn.codes.is_some() => vec![Flit::IDLE; flits],
        None => return None,
    };
    if let Some(codes) = turn.codes {
        *all.last_mut()? = Control::CrdtRet { codes }.encode().ok()?;
    }
    Some(all)
}

/// Who has a virtual lane of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The next packet may begin.
    Free,
    /// A packet of this input is on its way.
    Input(usize),
    /// A packet ends here as bad, with a TailBad that has not gone yet.
    Ending(BadReason),
}

/// One output.
#[derive(Clone, Debug)]
pub(super) struct Output {
    rules: SwitchRules,
    internal: bool,
    pub(super) transmit: Transmit,
    pub(super) up: bool,
    pub(super) owners: Vec<Owner>,
    /// The input that had each lane last.
    pub(super) last: Vec<usize>,
}

impl Output {
    pub(super) fn new(rules: &SwitchRules, internal: bool) -> Result<Self, SwitchError> {
        let lanes = rules.packets.lanes;
        Ok(Output {
            rules: rules.clone(),
            internal,
            transmit: Transmit::new(rules, internal)?,
            up: internal,
            owners: vec![Owner::Free; lanes],
            last: vec![rules.ports; lanes],
        })
    }

    /// Whether a packet of `units` AU can begin on a lane.
    pub(super) fn can_grant(&self, vl: usize, units: u32) -> bool {
        self.up && self.owners[vl] == Owner::Free && self.transmit.available(vl) >= units
    }

    /// The link has lost its state: no credits, no packet in progress.
    pub(super) fn restart(&mut self, up: bool) -> Result<(), SwitchError> {
        self.transmit = Transmit::new(&self.rules, self.internal)?;
        self.owners.fill(Owner::Free);
        self.up = up || self.internal;
        Ok(())
    }
}
