//! The sender's interleaver: which virtual lane has the next beat.

use super::{VlError, MAX_VLS};

/// PRIO that ageing does not pass: the management lane's.
pub const TOP_PRIORITY: u8 = 15;

/// Settings of one virtual lane (registers VL_ARB and VL_EN).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VlRules {
    /// PRIO, 0 to 15.
    pub priority: u8,
    /// PREEMPT: takes over from a lane of lower PRIO.
    pub preempt: bool,
    /// BUBBLE: fills a beat the current lane has nothing for.
    pub bubble: bool,
}

impl Default for VlRules {
    /// As registers are at reset.
    fn default() -> Self {
        VlRules { priority: 0, preempt: false, bubble: true }
    }
}

/// Settings of the interleaver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterleaveRules {
    /// One entry per virtual lane, NUM_VLS of them.
    pub lanes: Vec<VlRules>,
    /// MIN_RUN: beat times that a lane which filled a bubble keeps its place.
    pub min_run: u8,
    /// AGE: beats after which a waiting lane passes every PRIO but 15; 0: never.
    pub age: u16,
}

impl InterleaveRules {
    /// Refuses what no hardware is built for.
    pub fn check(&self) -> Result<(), VlError> {
        if !(1..=MAX_VLS).contains(&self.lanes.len()) {
            return Err(VlError::Lanes { lanes: self.lanes.len() });
        }
        match self.lanes.iter().position(|lane| lane.priority > TOP_PRIORITY) {
            Some(vl) => Err(VlError::Priority { vl, priority: self.lanes[vl].priority }),
            None => Ok(()),
        }
    }
}

/// The next beat of a virtual lane, there and with credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// It begins a packet.
    pub head: bool,
    /// It ends one.
    pub tail: bool,
}

/// What goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// VlMrkr: this lane is the top from now on.
    Marker(usize),
    /// The offered beat of this lane.
    Beat(usize),
}

/// Interleaver of a sender (chapter 10, 4.9, rules 1 to 4).
#[derive(Clone, Debug)]
pub struct VlSender {
    rules: InterleaveRules,
    stack: Vec<usize>,
    /// Beat times that the filler on top still keeps its place.
    kept: u8,
    waited: Vec<u16>,
    /// Lanes that had waited AGE with the beat time before: a rank is known a beat time ahead.
    aged: Vec<bool>,
    /// The lane that had the last beat: round robin begins after it.
    last: usize,
}

impl VlSender {
    /// An interleaver with no packet in progress.
    pub fn new(rules: InterleaveRules) -> Result<Self, VlError> {
        rules.check()?;
        let lanes = rules.lanes.len();
        let (waited, aged) = (vec![0; lanes], vec![false; lanes]);
        Ok(VlSender { rules, stack: vec![], kept: 0, waited, aged, last: lanes - 1 })
    }

    /// Lanes with a packet in progress, the current one last.
    #[must_use]
    pub fn stack(&self) -> &[usize] {
        &self.stack
    }

    /// One beat time. `offers[v]` is the next beat of lane v, if it has one and the credit for it. A lane in progress
    /// must not offer a head, and one that is not nothing else: such offers are an error of the caller.
    pub fn step(&mut self, offers: &[Option<Offer>]) -> Result<Option<Grant>, VlError> {
        self.check(offers)?;
        let grant = self.choose(offers);
        self.kept = self.kept.saturating_sub(1);
        let sent = match grant {
            Some((vl, filler)) => self.take(vl, filler, offers),
            None => None,
        };
        for (vl, waited) in self.waited.iter_mut().enumerate() {
            self.aged[vl] = self.rules.age > 0 && *waited >= self.rules.age;
            match (sent == Some(Grant::Beat(vl)), offers[vl]) {
                (true, _) => *waited = 0,
                (false, Some(_)) => *waited = waited.saturating_add(1),
                (false, None) => {}
            }
        }
        Ok(sent)
    }

    fn check(&self, offers: &[Option<Offer>]) -> Result<(), VlError> {
        if offers.len() != self.rules.lanes.len() {
            return Err(VlError::Offers { found: offers.len(), expected: self.rules.lanes.len() });
        }
        let wrong = |(vl, offer): &(usize, &Option<Offer>)| {
            offer.is_some_and(|offer| offer.head == self.stack.contains(vl))
        };
        match offers.iter().enumerate().find(wrong) {
            Some((vl, _)) => Err(VlError::OutOfOrder { vl }),
            None => Ok(()),
        }
    }

    /// Pushes, moves or pops; what goes out.
    fn take(&mut self, vl: usize, filler: bool, offers: &[Option<Offer>]) -> Option<Grant> {
        let offer = offers[vl]?;
        if filler {
            // The beat that fills is the first of them.
            self.kept = self.rules.min_run.saturating_sub(1);
        } else if self.stack.last() != Some(&vl) {
            self.kept = 0;
        }
        if self.stack.last() != Some(&vl) && !offer.head {
            self.stack.retain(|other| *other != vl);
            self.stack.push(vl);
            return Some(Grant::Marker(vl));
        }
        if offer.head {
            self.stack.push(vl);
        }
        if offer.tail {
            self.stack.pop();
            self.kept = 0;
        }
        self.last = vl;
        Some(Grant::Beat(vl))
    }

    /// The lane that goes next, and whether it fills a bubble.
    fn choose(&self, offers: &[Option<Offer>]) -> Option<(usize, bool)> {
        let Some(&current) = self.stack.last() else {
            return self.best(offers, |_| true).map(|vl| (vl, false));
        };
        let over = self.best(offers, |vl| {
            vl != current
                && (self.rules.lanes[vl].preempt || self.aged[vl])
                && self.rank(vl) > self.rank(current)
        });
        if let Some(vl) = over {
            return Some((vl, false));
        }
        if offers[current].is_some() {
            return Some((current, false));
        }
        if self.kept > 0 {
            return None;
        }
        self.best(offers, |vl| vl != current && self.rules.lanes[vl].bubble).map(|vl| (vl, true))
    }

    /// Of the lanes that offer and may, the one of highest rank; among equals the next after the last that sent.
    fn best(&self, offers: &[Option<Offer>], may: impl Fn(usize) -> bool) -> Option<usize> {
        let lanes = self.rules.lanes.len();
        let mut best: Option<usize> = None;
        for vl in (1..=lanes).map(|step| (self.last + step) % lanes) {
            if offers[vl].is_some() && may(vl) && best.is_none_or(|found| self.rank(vl) > self.rank(found)) {
                best = Some(vl);
            }
        }
        best
    }

    /// PRIO, with aged lanes between 14 and 15.
    fn rank(&self, vl: usize) -> u8 {
        match self.rules.lanes[vl].priority {
            TOP_PRIORITY => TOP_PRIORITY + 1,
            _ if self.aged[vl] => TOP_PRIORITY,
            priority => priority,
        }
    }
}
