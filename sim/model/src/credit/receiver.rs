//! The end that gives credits back.

use super::{Codes, CreditError, CreditRules, Progress, SIDEBAND_LANES};
use crate::sideband::SidebandMessage;
use crate::vl::CameFlits;
use flitforge_protocol::flit::{CREDIT_DUE_SHARE, MAX_VLS};

/// One lane's buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Buffer {
    occupied: u32,
    pending: u32,
    /// Clocks since the oldest pending AU, or the last return.
    waited: u64,
    progress: Progress,
}

/// Buffers of every virtual lane at the end that receives packets.
#[derive(Clone, Debug)]
pub struct CreditReceiver {
    rules: CreditRules,
    buffers: Vec<Buffer>,
    /// The lane whose turn it is on the sideband.
    turn: usize,
}

impl CreditReceiver {
    /// As after a start of the link: the whole buffer is free and pending; `flits` flits per beat.
    pub fn new(rules: CreditRules, flits: usize) -> Result<Self, CreditError> {
        rules.check(flits)?;
        let empty = |units: &u32| Buffer { pending: *units, ..Buffer::default() };
        let buffers = rules.buffers.iter().map(empty).collect();
        Ok(CreditReceiver { rules, buffers, turn: 0 })
    }

    /// The link starts afresh: what the buffers hold stays, all that is free is given anew.
    pub fn restart(&mut self) {
        for (buffer, size) in self.buffers.iter_mut().zip(&self.rules.buffers) {
            *buffer =
                Buffer { occupied: buffer.occupied, pending: size - buffer.occupied, ..Buffer::default() };
        }
    }

    /// AU that hold flits (register CRED, occupied).
    #[must_use]
    pub fn occupied(&self, vl: usize) -> u32 {
        self.buffers.get(vl).map_or(0, |buffer| buffer.occupied)
    }

    /// AU that are free and not returned yet (register CRED, pending).
    #[must_use]
    pub fn pending(&self, vl: usize) -> u32 {
        self.buffers.get(vl).map_or(0, |buffer| buffer.pending)
    }

    /// Flits of a packet have come; `ends`: the last of it. More than the buffer is an overrun: the flits have no place, but their
    /// packet goes on.
    pub fn arrive(&mut self, vl: usize, flits: usize, ends: bool) -> Result<u32, CreditError> {
        self.come(&CameFlits { vl, flits, opens: false, ends, tossed: 0, cut: false })
    }

    /// Flits have come as the receiver of virtual lanes says; what is tossed is free at once. The sender has counted them as they came.
    pub fn come(&mut self, came: &CameFlits) -> Result<u32, CreditError> {
        let vl = came.vl;
        self.check(vl)?;
        let size = self.rules.buffers[vl];
        let unit_flits = self.rules.unit_flits();
        let buffer = &mut self.buffers[vl];
        // A TailBad in place of the others is the next flit of the packet that was there.
        let ended = buffer.progress.units(1, unit_flits);
        if came.opens {
            buffer.progress = Progress::default();
        }
        let units = buffer.progress.units(came.flits, unit_flits);
        buffer.progress.advance(came.flits, came.ends);
        let filled = buffer.occupied + buffer.pending + units;
        if filled > size {
            return Err(CreditError::Overflow { vl, units: filled - size });
        }
        let kept = match (came.cut, came.tossed) {
            (true, _) => ended.min(units),
            (false, 0) => units,
            (false, _) => 0,
        };
        buffer.occupied += kept;
        buffer.pending += units - kept;
        Ok(units)
    }

    /// The reader has emptied `units` AU.
    pub fn release(&mut self, vl: usize, units: u32) -> Result<(), CreditError> {
        self.check(vl)?;
        let buffer = &mut self.buffers[vl];
        if units > buffer.occupied {
            return Err(CreditError::Overflow { vl, units: units - buffer.occupied });
        }
        buffer.occupied -= units;
        buffer.pending += units;
        Ok(())
    }

    /// A clock goes by.
    pub fn clock(&mut self) {
        for buffer in &mut self.buffers {
            buffer.waited = if buffer.pending == 0 { 0 } else { buffer.waited + 1 };
        }
    }

    /// Whether a return of the lane goes out: an eighth of its buffer, or CRDT_DELAY has gone by.
    #[must_use]
    pub fn is_due(&self, vl: usize) -> bool {
        let (Some(buffer), Some(size)) = (self.buffers.get(vl), self.rules.buffers.get(vl)) else {
            return false;
        };
        buffer.pending > 0
            && (buffer.pending * CREDIT_DUE_SHARE >= *size || buffer.waited >= self.rules.delay)
    }

    /// The codes of a CrdtRet, the largest possible of every lane that is due; `None` if no lane is.
    pub fn take_codes(&mut self) -> Option<Codes> {
        let mut codes = [0; MAX_VLS];
        let due: Vec<usize> = (0..self.buffers.len()).filter(|vl| self.is_due(*vl)).collect();
        due.iter().for_each(|vl| codes[*vl] = self.take(*vl));
        (!due.is_empty()).then_some(codes)
    }

    /// In mode 1: whether more lanes wait than the sideband is meant for, so that a CrdtRet goes beside it.
    #[must_use]
    pub fn sideband_is_short(&self) -> bool {
        (0..self.buffers.len()).filter(|vl| self.is_due(*vl)).count() > SIDEBAND_LANES
    }

    /// The next message of the sideband: one lane that is due, in turn, or nothing.
    pub fn take_message(&mut self) -> SidebandMessage {
        let lanes = self.buffers.len();
        let Some(vl) = (0..lanes).map(|step| (self.turn + step) % lanes).find(|vl| self.is_due(*vl)) else {
            return SidebandMessage::NOTHING;
        };
        self.turn = (vl + 1) % lanes;
        let code = self.take(vl);
        SidebandMessage::new(vl as u8, code).unwrap_or(SidebandMessage::NOTHING)
    }

    fn take(&mut self, vl: usize) -> u8 {
        self.take_of(vl, self.pending(vl))
    }

    /// The largest code of the first `seen` pending AU of a lane: a return that was begun when no more were there.
    pub fn take_of(&mut self, vl: usize, seen: u32) -> u8 {
        let (code, units) = self.rules.largest_code(seen.min(self.pending(vl)));
        if let Some(buffer) = self.buffers.get_mut(vl) {
            buffer.pending -= units;
            buffer.waited = 0;
        }
        code
    }

    fn check(&self, vl: usize) -> Result<(), CreditError> {
        match self.buffers.len() {
            lanes if vl < lanes => Ok(()),
            lanes => Err(CreditError::NoLane { vl, lanes }),
        }
    }
}
