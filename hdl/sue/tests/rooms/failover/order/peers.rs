//! Peers that fail over, what the XPU has got of theirs, and how long bodies are held.

use super::super::rig::{connection, key_of, octets_of, record_value};
use super::{Request, Watch, PORTS};
use flitforge_model::sue::format::CmRecord;
use flitforge_protocol::sue::reliability::CmCode;
use flitforge_sim::{Bench, SimError};
use rand::Rng as _;

/// Clocks of calm after which nothing is held.
const CALM: u64 = 63;
/// Clocks that an answer may wait, and some more.
const GIVING: std::ops::Range<u64> = 250..320;

impl Watch {
    /// A request of a peer, one at a time.
    pub(super) fn ask(&mut self) {
        if self.request.is_some() || self.now < self.asks_at {
            return;
        }
        let (key, code) = (self.any_key(), [CmCode::FreezeRequest, CmCode::OpenRequest]);
        let again = self.frozen.iter().next().copied().filter(|_| self.random.random_bool(0.4));
        let key = again.unwrap_or(key);
        let code = code[usize::from(self.random.random_bool(0.3))];
        let record = CmRecord { code, port: key.port, vc: key.vc, psn: 5 };
        let through = self.random.random_range(0..PORTS as u8);
        self.coming.push_back((self.now + 1, through, key.peer, record));
        self.request = Some(Request { source: key.peer, through, record, changed: None, marked: false });
    }

    /// The next record that comes.
    pub(super) fn records(&mut self, bench: &mut dyn Bench) {
        let place = self.coming.iter().position(|one| one.0 <= self.now);
        let one = place.and_then(|place| self.coming.remove(place));
        for port in 0..PORTS {
            let here = one.is_some_and(|(_, through, ..)| usize::from(through) == port);
            self.set(bench, &format!("records[{port}].valid"), here.into());
            if let Some((_, _, peer, record)) = one {
                let value = record_value(peer.into(), octets_of(record));
                bench.set(self.ports[&format!("records[{port}].data")], &value);
            }
        }
        self.heard = one.map(|(_, _, peer, record)| (peer, record));
    }

    /// An answer of a peer is there.
    pub(super) fn hear(&mut self) {
        let Some((peer, record)) = self.heard.take() else {
            return;
        };
        let Some(case) = &mut self.case else { return };
        let same = (case.key.peer, case.key.port, case.key.vc) == (peer, record.port, record.vc);
        if same && record.code == CmCode::FreezeResponse && case.named.is_none() {
            case.named = Some((self.now, record.psn));
        }
    }

    /// An answer to a peer.
    pub(super) fn reply(&mut self, peer: u16, through: u8, record: CmRecord) -> Result<(), SimError> {
        let problem = format!("{record:?} to {peer}, {:?}", self.request);
        let Some(request) = self.request.take() else {
            return Err(self.wrong(&problem));
        };
        let freezes = request.record.code == CmCode::FreezeRequest;
        let right = (request.source, request.through) == (peer, through);
        let given = self.given_at.is_some_and(|at| at < self.now);
        if !right || freezes && !given || request.changed.is_none() {
            return Err(self.wrong(&problem));
        }
        self.hit(if freezes { "a peer has its answer" } else { "a peer opens" });
        (self.asks_at, self.given_at) = (self.now + self.random.random_range(20..400), None);
        Ok(())
    }

    /// The receiver of a port freezes or opens; what it had accepted is marked; the XPU gets it.
    pub(super) fn receive(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        if let Some(data) = self.taken(bench, "receiver_changes") {
            let key = key_of(data >> 3 & 0xFFF | (data & 3) << 12);
            let was_frozen =
                if data >> 2 & 1 == 1 { !self.frozen.insert(key) } else { self.frozen.remove(&key) };
            let at = self.now + self.random.random_range(1..20);
            self.changed = Some((at, connection(key) & 0xFFF | 9 << 12 | u64::from(was_frozen) << 28));
            if let Some(request) = &mut self.request {
                request.changed = Some((at, was_frozen));
            }
        }
        let Some(mut request) = self.request else {
            return Ok(());
        };
        let freezes = request.record.code == CmCode::FreezeRequest;
        if self.on(bench, "marks.valid") {
            let data = bench.get(self.ports["marks.data"]).low_u64();
            let first = request.changed.is_some_and(|(at, was_frozen)| !was_frozen && at + 16 < self.now);
            let of = u64::from(request.record.port) | u64::from(request.record.vc) << 2;
            if !freezes || !first || request.marked || data != of {
                return Err(self.wrong(&format!("mark {data} with {request:?}")));
            }
            request.marked = true;
            self.request = Some(request);
            let slow = self.random.random_bool(0.6);
            if slow {
                let longer = [40, 200, 900][self.random.random_range(0..3)];
                self.passes_at = self.now + self.random.random_range(3..longer);
                self.passed[usize::from(request.record.port)] &= !(1 << request.record.vc);
                self.hit("the XPU takes its time");
            }
        }
        let Some((at, was_frozen)) = request.changed.filter(|_| freezes) else {
            return Ok(());
        };
        let passes = self.passed[usize::from(request.record.port)] >> request.record.vc & 1 == 1;
        let may = (request.marked || was_frozen && at + 20 < self.now) && passes;
        self.given_at = if may { self.given_at.or(Some(self.now)) } else { None };
        if self.given_at.is_some_and(|given| given + 30 < self.now) && self.now < at + GIVING.start {
            return Err(self.wrong("a peer has no answer"));
        }
        if self.now > at + GIVING.end + 40 {
            self.hit("an answer is left out");
            (self.request, self.given_at) = (None, None);
            self.asks_at = self.now + self.random.random_range(20..400);
        }
        Ok(())
    }

    /// Bodies are held as long as anything moves.
    pub(super) fn hold(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        if self.on(bench, "held") != self.holds {
            return Err(self.wrong(&format!("held is not {}", self.holds)));
        }
        let settling = self.on(bench, "settling");
        if !settling && (self.case.is_some() || self.pair.is_some()) {
            return Err(self.wrong("all is settled"));
        }
        if self.holds && !settling {
            self.hit("held until nothing moves");
        }
        self.holds = settling || self.holds && self.calm < CALM;
        let busy = settling || self.transit != 0 || self.leads;
        self.calm = if busy { 0 } else { (self.calm + 1).min(CALM) };
        Ok(())
    }
}
