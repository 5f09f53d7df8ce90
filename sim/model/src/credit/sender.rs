//! The end that spends credits.

use super::{Codes, CreditError, CreditRules, Progress, MAX_CREDIT};

/// Credits of every virtual lane at the end that sends packets.
#[derive(Clone, Debug)]
pub struct CreditSender {
    rules: CreditRules,
    available: Vec<u32>,
    progress: Vec<Progress>,
}

impl CreditSender {
    /// Without credits, as after a start of the link; `flits` flits per beat.
    pub fn new(rules: CreditRules, flits: usize) -> Result<Self, CreditError> {
        rules.check(flits)?;
        let lanes = rules.buffers.len();
        Ok(CreditSender { rules, available: vec![0; lanes], progress: vec![Progress::default(); lanes] })
    }

    /// AU that may be filled (register CRED, tx).
    #[must_use]
    pub fn available(&self) -> &[u32] {
        &self.available
    }

    /// Whether there is credit for the next `flits` flits of the lane's packet.
    pub fn may_send(&self, vl: usize, flits: usize) -> Result<bool, CreditError> {
        Ok(self.units(vl, flits)? <= self.available[vl])
    }

    /// Flits of a packet are sent; `ends`: the last of it. Returns the AU they cost.
    pub fn send(&mut self, vl: usize, flits: usize, ends: bool) -> Result<u32, CreditError> {
        let needed = self.units(vl, flits)?;
        let available = self.available[vl];
        if needed > available {
            return Err(CreditError::NoCredit { vl, needed, available });
        }
        self.available[vl] -= needed;
        self.progress[vl].advance(flits, ends);
        Ok(needed)
    }

    /// One credit code for a lane has come back. Beyond 65535 AU nothing is added.
    pub fn give(&mut self, vl: usize, code: u8) -> Result<u32, CreditError> {
        self.check(vl)?;
        let units = self.rules.units_of(code);
        let sum = self.available[vl] + units;
        if sum > MAX_CREDIT {
            return Err(CreditError::Overflow { vl, units: sum - MAX_CREDIT });
        }
        self.available[vl] = sum;
        Ok(units)
    }

    /// A CrdtRet has come; codes of lanes that are not built are not looked at. An error of one lane is none of the others.
    pub fn give_all(&mut self, codes: &Codes) -> Result<(), CreditError> {
        let given: Vec<_> = (0..self.available.len()).map(|vl| self.give(vl, codes[vl])).collect();
        given.into_iter().try_for_each(|given| given.map(|_| ()))
    }

    fn units(&self, vl: usize, flits: usize) -> Result<u32, CreditError> {
        self.check(vl)?;
        Ok(self.progress[vl].units(flits, self.rules.unit_flits()))
    }

    fn check(&self, vl: usize) -> Result<(), CreditError> {
        match self.available.len() {
            lanes if vl < lanes => Ok(()),
            lanes => Err(CreditError::NoLane { vl, lanes }),
        }
    }
}
