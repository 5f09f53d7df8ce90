//! What the registers say to credit-based flow control, and the golden model of both ends of it.

use super::super::mac_control::wrong;
use flitforge_hdl_sue::cbfc::CREDIT_OCTETS_BITS;
use flitforge_model::sue::format::link_control::{CreditCount, OrderedSet};
use flitforge_model::sue::format::overhead::CellRule;
use flitforge_model::sue::format::{CreditsConsumed, Profile};
use flitforge_model::sue::link::{CreditLimit, CreditReceiver, CreditSender, CreditSettings};
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::{CBFC_VCS, CC_OPCODE, CELL_BYTES_MIN, CREDIT_BITS};
use flitforge_sim::kit::Coverage;
use flitforge_sim::SimError;
use std::collections::VecDeque;

pub(in crate::rooms) const SOURCE: u64 = 0x0201_1234_0050;
/// Clocks from a count to the CF_Update that tells it, with what the sink lets wait.
pub(super) const TELLING: u64 = 24;
/// Clocks from the verdict of a message until it is carried out.
pub(super) const HEALING: u64 = 90;
const FLOWS: [&str; 4] = ["taken", "sent", "received", "freed"];

/// What the registers say.
#[derive(Clone, Copy)]
pub(in crate::rooms) struct Registers {
    pub(in crate::rooms) profile: Profile,
    pub(in crate::rooms) cell: u8,
    pub(in crate::rooms) overhead: i8,
    pub(in crate::rooms) cell_batch: u16,
    pub(in crate::rooms) cf_timer: u64,
    /// In 64 clocks.
    pub(in crate::rooms) cc_timer: u64,
    pub(in crate::rooms) pool: bool,
    /// Without FCS.
    pub(in crate::rooms) largest: usize,
    pub(in crate::rooms) vcs: [u8; CLASSES],
    pub(in crate::rooms) limits: [u16; CLASSES],
}

impl Registers {
    pub(in crate::rooms) fn new(profile: Profile, limit: u16) -> Self {
        Self {
            profile,
            cell: 3,
            overhead: profile.packet_overhead(),
            cell_batch: 4,
            cf_timer: 1024,
            cc_timer: 40,
            pool: false,
            largest: 1500,
            vcs: [0, 1, 2, 3, 4, 5],
            limits: [limit; CLASSES],
        }
    }

    /// The last class is lossy.
    pub(in crate::rooms) fn lossless(&self) -> std::ops::Range<usize> {
        0..CLASSES - 1
    }

    /// All ports that hold still.
    pub(in crate::rooms) fn ports(&self) -> Vec<(String, u64)> {
        let mut ports: Vec<(String, u64)> = [
            ("enable", 1),
            ("lossless", 0x1F),
            ("settings.cell", self.cell.into()),
            ("settings.overhead", (self.overhead as u8).into()),
            ("settings.cell_batch", self.cell_batch.into()),
            ("settings.cf_timer", self.cf_timer),
            ("settings.cc_timer", self.cc_timer),
            ("settings.pool", self.pool.into()),
            ("settings.largest", self.largest as u64),
            ("settings.two_messages", (self.profile == Profile::Ue103).into()),
            ("settings.opcode", CC_OPCODE.into()),
            ("settings.source", SOURCE),
        ]
        .map(|(path, value)| (path.to_string(), value))
        .into();
        for class in 0..CLASSES {
            ports.push((format!("virtual_channels[{class}]"), self.vcs[class].into()));
            ports.push((format!("limits[{class}]"), self.limits[class].into()));
        }
        ports
    }

    /// The golden model's settings. Classes with one virtual channel share the LIMIT of the first.
    pub(in crate::rooms) fn golden(&self) -> CreditSettings {
        let mut limits = [0; CBFC_VCS];
        for class in self.lossless().rev() {
            limits[usize::from(self.vcs[class])] = self.limits[class];
        }
        let limit = if self.pool { CreditLimit::Pool(self.limits[0]) } else { CreditLimit::PerVc(limits) };
        let rule = CellRule::new(self.cell, self.overhead).expect("a rule");
        let (cell_batch, cf_timer, cc_timer) = (self.cell_batch, self.cf_timer, 64 * self.cc_timer);
        CreditSettings { cell_batch, cf_timer, cc_timer, ..CreditSettings::new(rule, limit) }
    }
}

/// A frame as its flow has it.
pub(in crate::rooms) fn cost(class: usize, octets: usize) -> u64 {
    class as u64 | (octets as u64) << 3
}

/// (`to` - `from`) modulo 2^15.
pub(in crate::rooms) fn between(to: u16, from: u16) -> u16 {
    to.wrapping_sub(from) & ((1 << CREDIT_BITS) - 1)
}

/// The model of both ends.
pub(super) struct Golden {
    pub(super) registers: Registers,
    /// The clock of the last clear: what leaves in it is of the time before.
    pub(super) start: u64,
    /// A frame counts when it is chosen; and when it is sent.
    pub(super) chosen: CreditSender,
    pub(super) sent: CreditSender,
    pub(super) receiver: CreditReceiver,
    pub(super) told: [(u16, u64); CBFC_VCS],
    /// CF of the last clocks, the newest first.
    pub(super) freed: VecDeque<[u16; CBFC_VCS]>,
    /// A message of the peer is carried out until then: the model is ahead of the block.
    pub(super) heals_until: u64,
    pub(super) bad: [u64; 2],
    pub(super) healed: u64,
    pub(super) seen: Coverage,
}

impl Golden {
    pub(super) fn new(registers: Registers, start: u64, seen: Coverage) -> Self {
        let settings = registers.golden();
        let sender = CreditSender::new(settings).expect("settings");
        Self {
            registers,
            start,
            chosen: sender.clone(),
            sent: sender,
            receiver: CreditReceiver::new(settings).expect("settings"),
            told: [(0, start); CBFC_VCS],
            freed: VecDeque::new(),
            heals_until: 0,
            bad: [0; 2],
            healed: 0,
            seen,
        }
    }

    pub(super) fn vc(&self, class: usize) -> u8 {
        self.registers.vcs[class]
    }

    /// A frame on one of the four flows.
    pub(super) fn frame(
        &mut self,
        clock: u64,
        flow: usize,
        class: usize,
        octets: usize,
    ) -> Result<(), SimError> {
        if !self.registers.lossless().contains(&class) {
            self.seen.hit("lossy");
            return Ok(());
        }
        let (vc, bytes) = (self.vc(class), octets + CRC_BYTES);
        match flow {
            0 => {
                let refused = |error| wrong(clock, format!("LIMIT is exceeded: {error}"));
                self.chosen.send(vc, bytes).map(|_| ()).map_err(refused)?;
            }
            1 => self.sent.send(vc, bytes).map(|_| ()).map_err(|error| wrong(clock, error.to_string()))?,
            2 => self.receiver.receive(vc, bytes),
            _ => self.receiver.free(vc, bytes),
        }
        self.seen.hit(FLOWS[flow]);
        Ok(())
    }

    pub(super) fn set(&mut self, counts: [CreditCount; 2]) {
        for count in counts {
            let good = between(count.cells, self.sent.freed(count.vc)) <= self.sent.used(count.vc);
            self.sent.receive_cf([count; 2]);
            if good {
                self.chosen.receive_cf([count; 2]);
            }
            self.seen.hit(if good { "CF_Update" } else { "bad CF_Update" });
        }
    }

    pub(super) fn message(&mut self, clock: u64, frame: &[u8], good: bool) {
        self.heals_until = clock + HEALING;
        match CreditsConsumed::decode(frame, self.registers.profile, CC_OPCODE) {
            Ok(message) if good => {
                self.receiver.receive_cc(&message.counts);
                self.seen.hit("CC_Update");
            }
            _ => self.seen.hit("no CC_Update"),
        }
    }

    /// Classes that have credits for the largest frame.
    pub(super) fn ready(&self) -> u64 {
        let has = |class: &usize| {
            let lossy = !self.registers.lossless().contains(class);
            lossy || self.chosen.check(self.vc(*class), self.registers.largest + CRC_BYTES).is_ok()
        };
        (0..CLASSES).filter(has).fold(0, |mask, class| mask | 1 << class)
    }

    /// Octets that the credits of a class of data are worth, as far as they are told.
    fn octets(&self, class: usize) -> u64 {
        const MOST: u64 = (1 << CREDIT_OCTETS_BITS) - 1;
        let cell = CELL_BYTES_MIN as u64 * (1 << self.registers.cell);
        (u64::from(self.chosen.available(self.vc(class))) * cell).min(MOST)
    }

    /// What the credits of a class of data are worth, after a quiet time.
    pub(super) fn compare_octets(&mut self, clock: u64, class: usize, octets: u64) -> Result<(), SimError> {
        let expected = self.octets(class);
        if octets != expected {
            return Err(wrong(
                clock,
                format!("class {class}: {octets} octets of credit, expected {expected}"),
            ));
        }
        self.seen.hit(if self.chosen.used(self.vc(class)) == 0 { "all octets" } else { "some octets" });
        Ok(())
    }

    /// After a quiet time: credits, what was healed or ignored, and that all that was freed has been told but for less than CELL_BATCH.
    pub(super) fn compare(&mut self, clock: u64, ready: u64) -> Result<(), SimError> {
        let expected = self.ready();
        if ready != expected {
            return Err(wrong(clock, format!("ready {ready:06b}, expected {expected:06b}")));
        }
        let counters = self.receiver.counters();
        let (bad, healed) = ([self.sent.counters().ctlos_bad / 2, counters.cc_bad], counters.cc_heal);
        if (self.bad, self.healed) != (bad, healed) {
            return Err(wrong(
                clock,
                format!("bad {:?}, healed {}: expected {bad:?}, {healed}", self.bad, self.healed),
            ));
        }
        for class in self.registers.lossless() {
            let vc = self.vc(class);
            let (told, at) = self.told[usize::from(vc)];
            let news = between(self.receiver.freed(vc), told);
            if news >= self.registers.cell_batch || clock > at + self.registers.cf_timer + 100 {
                return Err(wrong(clock, format!("VC {vc}: {news} cells not told since {at}")));
            }
        }
        self.seen.hit(if expected == 0x3F { "all ready" } else { "some not ready" });
        self.seen.add("healed", u64::from(self.healed > 0));
        Ok(())
    }

    /// A CF_Update leaves.
    pub(super) fn tell(&mut self, clock: u64, octets: u64) -> Result<(), SimError> {
        if clock == self.start {
            return Ok(());
        }
        let set =
            OrderedSet::decode(octets.to_le_bytes()).map_err(|error| wrong(clock, error.to_string()))?;
        let OrderedSet::CfUpdate(counts) = set else {
            return Err(wrong(clock, format!("{set:?}")));
        };
        for CreditCount { vc, cells } in counts {
            let place = usize::from(vc);
            let is_of_class = self.registers.lossless().any(|class| self.vc(class) == vc);
            let heals = clock < self.heals_until + TELLING;
            let reach = if heals { HEALING + TELLING } else { TELLING };
            let age = self.freed.iter().position(|freed| freed[place] == cells);
            if !is_of_class || age.is_none_or(|age| age as u64 >= reach) {
                let now = self.receiver.freed(vc);
                return Err(wrong(clock, format!("CF {cells} of VC {vc}, {age:?} clocks old, now {now}")));
            }
            self.told[place] = (cells, clock);
        }
        Ok(())
    }
}
