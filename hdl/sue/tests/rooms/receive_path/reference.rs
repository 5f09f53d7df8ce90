//! What came out, held against the golden receiver.

use super::rig::Rig;
use super::world::{Class, Sent, CELL, LATE, LATER, MEMBERS, PATIENCE, RING, TABLE};
use flitforge_hdl_sue::frame::{FrameWord, ReceivedHead};
use flitforge_hdl_sue::receive_table::{AcknowledgmentKind, ReceiveChange};
use flitforge_hdl_sue::rel_rx::{ConnectionState, ManagementRecord};
use flitforge_hdl_sue::reliability::Acknowledgment as Carried;
use flitforge_model::sue::format::body::walk;
use flitforge_model::sue::{Acknowledgment, BodyCheck, OpenAnswer, Psn, Room, Verdict};
use flitforge_sim::Bench;
use rust_hdl::prelude::*;

impl Rig {
    /// The model does what the table has done to a PDU, and the pulses say so.
    pub fn decided(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        let sent = self.state.sent.pop_front().ok_or("a decision too many")?;
        let commits = self.on(bench, "committed.data");
        let later: Vec<&str> =
            LATER.into_iter().filter(|name| self.on(bench, &format!("events.{name}"))).collect();
        let busy = self
            .state
            .pulses
            .front()
            .is_some_and(|(name, at)| *name == "busy" && *at <= self.state.cleared + TABLE + 2);
        let counts = !matches!(sent.class, Class::Pulse("frame_bad" | "header_bad" | "crc_bad"));
        let class = if busy && counts { Class::Pulse("busy") } else { sent.class };
        if let Class::Pulse(name) = class {
            let came = self.state.pulses.pop_front().map(|(name, _)| name);
            if came != Some(name) || commits || !later.is_empty() {
                return Err(format!(
                    "{came:?}, {later:?}, commits {commits}, expected {name} of {sent:02x?}"
                ));
            }
            self.hit(name);
            return if name == "management" { self.record(&sent) } else { Ok(()) };
        }
        let check = match walk(&sent.body, &self.types) {
            _ if u64::from(sent.header.partition) >= MEMBERS => BodyCheck::Partition,
            Ok(_) => BodyCheck::Good,
            Err(_) => BodyCheck::Malformed,
        };
        let vc = usize::from(sent.header.vc);
        let held: usize = self.state.wanted[vc].iter().map(|(octets, _)| octets.len()).sum();
        let full = later.contains(&"no_room");
        if full && held + sent.body.len() < RING / 4 {
            return Err(format!("no room, and {held} octets are kept: {sent:02x?}"));
        }
        let room = if full { Room::Full } else { Room::Free };
        let (verdict, expected) = self.received(clock, &sent, room, check);
        if later != expected || commits != (verdict == Verdict::Accepted) {
            return Err(format!("{later:?}, commits {commits}, expected {verdict:?} of {sent:02x?}"));
        }
        if commits {
            let walked = walk(&sent.body, &self.types).map_err(|error| error.to_string())?;
            for command in walked.commands {
                let octets = command.encode(&self.types).map_err(|error| error.to_string())?;
                self.state.wanted[vc].push_back((octets, sent.header));
            }
        }
        let name = format!("{verdict:?}");
        self.hit(name.split('(').next().unwrap_or_default());
        Ok(())
    }

    /// What the golden connection says of a PDU, and the pulses that tell it.
    fn received(
        &mut self,
        clock: u64,
        sent: &Sent,
        room: Room,
        check: BodyCheck,
    ) -> (Verdict, Vec<&'static str>) {
        let config = self.config;
        let connection = &mut self.state.connections[sent.connection()];
        let was_due = connection.due(&config);
        let psn = Psn::new(sent.header.psn);
        let verdict = connection.model.receive(&config, psn, room, check, 0);
        let expected = match verdict {
            Verdict::Accepted => vec!["accepted"],
            Verdict::PartitionViolation => vec!["accepted", "partition_violation"],
            Verdict::Malformed => vec!["accepted", "body_bad"],
            Verdict::RxFull => vec!["no_room"],
            Verdict::Gap(_) => vec!["gap"],
            Verdict::Duplicate => vec!["duplicate"],
            Verdict::Frozen => vec!["frozen"],
        };
        if expected[0] == "accepted" {
            connection.accepted = true;
            if connection.waiting == 0 {
                connection.armed = Some(clock);
            }
            connection.waiting = connection.waiting.saturating_add(1);
            connection.ack_due |= connection.waiting >= config.ack_coalesce;
        }
        connection.ack_due |= verdict == Verdict::Duplicate && connection.accepted;
        if connection.due(&config) && !was_due {
            connection.listed = connection.listed.or(Some(clock));
        }
        (verdict, expected)
    }

    fn record(&mut self, sent: &Sent) -> Result<(), String> {
        let came = self.state.records.pop_front().ok_or("no record")?;
        let octets = sent.body[2..8].iter().fold(0, |sum, octet| sum << 8 | u64::from(*octet));
        let wanted = ManagementRecord {
            source: u64::from(sent.header.source).into(),
            vc: u64::from(sent.header.vc).into(),
            psn: u64::from(sent.header.psn).into(),
            record: octets.into(),
        };
        (came == wanted).then_some(()).ok_or_else(|| format!("{came:?}, expected {wanted:?}"))
    }

    /// Timers run out some time after they may.
    pub fn expire(&mut self, clock: u64) -> Result<(), String> {
        let config = self.config;
        for (number, connection) in self.state.connections.iter_mut().enumerate() {
            if let Some(armed) = connection.armed.filter(|_| connection.waiting > 0) {
                connection.may_be_listed |= clock >= armed + config.ack_timer;
                if clock >= armed + config.ack_timer + LATE && !connection.ack_due {
                    if !connection.due(&config) && connection.may_be_listed {
                        connection.listed = connection.listed.or(Some(clock));
                    }
                    connection.ack_due = true;
                }
            }
            if connection.listed.is_some_and(|since| clock > since + PATIENCE) {
                return Err(format!("connection {number} is never named"));
            }
        }
        Ok(())
    }

    pub fn acknowledged(&mut self, clock: u64, came: Carried) -> Result<(), String> {
        let number = self.state.asked.pop_front().ok_or("nobody has asked")? as usize;
        let config = self.config;
        let connection = &mut self.state.connections[number];
        let due = connection.due(&config);
        let old = |armed: u64| connection.waiting > 0 && clock >= armed + config.ack_timer;
        let by_timer = connection.armed.is_some_and(old);
        (connection.waiting, connection.ack_due) = (0, false);
        let (kind, psn) = match connection.model.carry(&config) {
            Acknowledgment::None => (AcknowledgmentKind::None, None),
            Acknowledgment::Ack(psn) => (AcknowledgmentKind::Ack, Some(psn)),
            Acknowledgment::Nack(psn) => (AcknowledgmentKind::Nack, Some(psn)),
        };
        let right = came.kind == kind && psn.is_none_or(|psn| u64::from(came.psn) == u64::from(psn.value()));
        if !right || (came.was_due != due && !by_timer) {
            return Err(format!("{came:?} of {number}, expected {kind:?} {psn:?}, due {due}"));
        }
        self.hit(format!("{kind:?}"));
        if !came.was_due {
            self.hit("asked when nothing is due");
        } else if by_timer && !due {
            self.hit("due by its timer");
        }
        Ok(())
    }

    pub fn changed(&mut self, came: ConnectionState) -> Result<(), String> {
        let change = self.state.changing.pop_front().ok_or("nothing was to change")?;
        let connection = &mut self.state.connections[u64::from(change.connection) as usize];
        let (what, psn) = if change.change == ReceiveChange::Open {
            match connection.model.open(Psn::new(u64::from(change.psn) as u16)) {
                OpenAnswer::Opened(psn) => ("opened", psn),
                OpenAnswer::Behind(psn) => ("not opened", psn),
            }
        } else {
            ("frozen", connection.model.freeze())
        };
        self.hit(what);
        let right = came.connection == change.connection && u64::from(came.psn) == u64::from(psn.value());
        right.then_some(()).ok_or_else(|| format!("{came:?} after {change:?}, expected {psn:?}"))
    }

    pub fn named(&mut self, number: u64) -> Result<(), String> {
        let connection = &mut self.state.connections[number as usize];
        let by_timer = connection.may_be_listed;
        if connection.listed.is_none() && !by_timer {
            return Err(format!("nothing is due to {number}"));
        }
        if connection.listed.is_none() {
            // Its timer has run out in the time that it may take.
            connection.ack_due |= connection.waiting > 0;
        }
        (connection.listed, connection.may_be_listed) = (None, false);
        self.hit("due");
        Ok(())
    }

    pub fn command(&mut self, bench: &dyn Bench) -> Result<(), String> {
        let word: FrameWord = self.get::<{ <FrameWord as Synth>::BITS }, _>(bench, "commands.data");
        let head: ReceivedHead = self.get::<{ <ReceivedHead as Synth>::BITS }, _>(bench, "command_head");
        let bytes = u64::from(word.bytes) as usize;
        self.state.came.extend(&u64::from(word.data).to_le_bytes()[..bytes]);
        if !word.last {
            return Ok(());
        }
        let vc = u64::from(head.vc) as usize;
        let came = std::mem::take(&mut self.state.came);
        let (octets, of) = self.state.wanted[vc].pop_front().ok_or("a command of nothing")?;
        let heads = (u64::from(head.source), u64::from(head.partition), u64::from(head.port));
        if came != octets || heads != (of.source.into(), of.partition.into(), 1) {
            return Err(format!("{came:02x?} of {head:?}, expected {octets:02x?} of {of:?}"));
        }
        let cells = octets.len().div_ceil(CELL);
        let left = self.state.credits[vc].checked_sub(cells).ok_or("a command without credits")?;
        self.state.credits[vc] = left;
        self.state.freed[vc] += cells;
        self.hit("command");
        Ok(())
    }
}
