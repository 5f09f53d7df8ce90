//! Everything around the receiver, clock by clock: the network, the sender that asks, the control plane, the XPU.

use super::super::body_check::{good_body, types_value, word_value};
use super::world::{
    bits_of, message, words, Class, Sent, State, CONNECTIONS, EARLY, LATER, MEMBERS, PARTITIONS, QUIET, VCS,
};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::network::NetworkSource;
use flitforge_hdl_sue::receive_table::ReceiveChange;
use flitforge_hdl_sue::rel_rx::{ConnectionChange, ConnectionState, ManagementRecord, PartitionEntry};
use flitforge_hdl_sue::reliability::Acknowledgment as Carried;
use flitforge_hdl_sue::sender_core::PeerAnswer;
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_model::sue::format::{CmRecord, Pdu, ReliabilityHeader, TypeTable};
use flitforge_model::sue::{ReceiverConfig, Renack};
use flitforge_protocol::sue::reliability::Operation;
use flitforge_sim::kit::{Agent, Coverage, Rng as KitRng};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Plays all of them.
pub struct Rig {
    pub state: State,
    pub config: ReceiverConfig,
    pub types: TypeTable,
    random: KitRng,
    clears: f64,
    ports: BTreeMap<String, PortHandle>,
    seen: Rc<RefCell<Coverage>>,
    starved: usize,
    source: u16,
}

impl Rig {
    pub fn new(
        bench: &dyn Bench,
        config: ReceiverConfig,
        random: KitRng,
        clears: f64,
        seen: Rc<RefCell<Coverage>>,
    ) -> Result<Self, SimError> {
        *seen.borrow_mut() = Coverage::default();
        let settings = ["port", "coalesce", "renack", "ack_timer", "partition_check"];
        let mut names: Vec<String> = settings.map(|name| format!("settings.{name}")).into();
        names.extend(["clear", "types", "source", "command_head", "decided_header"].map(String::from));
        names.extend(["timer_early", "timer_lost", "events.answer_lost"].map(String::from));
        names.extend(EARLY.iter().chain(&LATER).map(|name| format!("events.{name}")));
        for port in ["partitions", "pdu", "committed", "acknowledgments", "changed", "management", "credits"]
        {
            names.extend(["valid", "data"].map(|part| format!("{port}.{part}")));
        }
        for port in ["answers", "asks", "due", "changes", "commands"] {
            names.extend(["valid", "ready", "data"].map(|part| format!("{port}.{part}")));
        }
        let mut ports = BTreeMap::new();
        for name in names {
            let handle = bench.port(&name)?;
            ports.insert(name, handle);
        }
        let types = TypeTable::default();
        let (state, starved, source) = (State::new(0), VCS, 0);
        Ok(Self { state, config, types, random, clears, ports, seen, starved, source })
    }

    pub fn hit(&self, what: impl Into<String>) {
        self.seen.borrow_mut().hit(what.into());
    }

    pub fn on(&self, bench: &dyn Bench, name: &str) -> bool {
        bench.get_bit(self.ports[name])
    }

    fn moves(&self, bench: &dyn Bench, name: &str) -> bool {
        self.on(bench, &format!("{name}.valid")) && self.on(bench, &format!("{name}.ready"))
    }

    pub fn get<const N: usize, T: From<Bits<N>>>(&self, bench: &dyn Bench, name: &str) -> T {
        Bits::<N>::from_value(&bench.get(self.ports[name])).into()
    }

    /// The body of a PDU.
    fn body(&mut self, operation: Operation) -> Vec<u8> {
        let random = &mut self.random;
        if operation == Operation::ConnectionManagement {
            let mut body = message(random);
            match random.random_range(0..6) {
                0 => body[1] ^= 1,
                1 => body.extend(message(random)),
                2 => body.truncate(6),
                _ => {}
            }
            body.resize(body.len() + 2 * random.random_range(0..14), 0);
            return body;
        }
        if random.random_bool(0.15) {
            return vec![0; 2 * random.random_range(0..18)];
        }
        let most = if random.random_bool(0.3) { 600 } else { 70 };
        let mut body = good_body(random, &self.types, most);
        if random.random_bool(0.08) {
            let place = random.random_range(0..body.len());
            body[place] = random.random();
        }
        body
    }

    fn new_pdu(&mut self, clock: u64) {
        let number = self.random.random_range(0..CONNECTIONS);
        let connection = &mut self.state.connections[number];
        let exp = connection.model.exp().value();
        if self.random.random_bool(0.25) {
            connection.next = exp;
        }
        let near: i32 = if self.random.random_bool(0.2) { self.random.random_range(-3..4) } else { 0 };
        let psn = connection.next.wrapping_add(near as u16);
        connection.next = psn.wrapping_add(1);
        let after_clear = clock < self.state.cleared + QUIET;
        let operation = if after_clear {
            Operation::None
        } else {
            Operation::ALL[[0, 0, 0, 1, 1, 2, 2, 3][self.random.random_range(0..8)]]
        };
        let unknown = self.random.random_bool(0.04);
        let source = if unknown { self.random.random_range(8..1024) } else { (number / VCS) as u16 };
        let header = ReliabilityHeader {
            operation,
            source,
            psn,
            vc: (number % VCS) as u8,
            partition: self.random.random_range(0..PARTITIONS) as u16,
            acknowledged: self.random.random(),
        };
        let body = self.body(operation);
        let mut octets = Pdu { header, body: body.clone() }.encode().expect("in range");
        self.source = source;
        let mut class = if unknown { Class::Pulse("unknown") } else { Self::class(operation, &body) };
        let error = match self.random.random_range(0..40) {
            0 => {
                class = Class::Pulse("frame_bad");
                true
            }
            1 => {
                octets.truncate(self.random.random_range(1..12));
                class = Class::Pulse("header_bad");
                false
            }
            2 => {
                octets[0] ^= 0x40;
                class = Class::Pulse("header_bad");
                false
            }
            3 => {
                let place = self.random.random_range(8..octets.len());
                octets[place] ^= 1 << self.random.random_range(0..8);
                class = Class::Pulse("crc_bad");
                false
            }
            4 => {
                self.source ^= 1 << self.random.random_range(0..12);
                class = Class::Pulse("source_bad");
                false
            }
            _ => false,
        };
        self.state.words = words(&octets, error);
        self.state.coming = Some(Sent { class, header, body });
    }

    fn class(operation: Operation, body: &[u8]) -> Class {
        if operation == Operation::ConnectionManagement {
            let is_record = CmRecord::from_body(body).is_ok();
            Class::Pulse(if is_record { "management" } else { "record_bad" })
        } else if body.len() < 2 || body[..2] == [0, 0] {
            Class::Pulse("empty")
        } else {
            Class::Body
        }
    }

    fn drive_pdu(&mut self, clock: u64, bench: &mut dyn Bench) {
        if self.state.words.is_empty() && clock >= self.state.pause && clock > self.state.cleared {
            self.new_pdu(clock);
        }
        let share = if clock / 512 % 2 == 0 { 1.0 } else { 0.7 };
        self.state.valid = !self.state.words.is_empty() && self.random.random_bool(share);
        bench.set_u64(self.ports["pdu.valid"], self.state.valid.into());
        if let Some(word) = self.state.words.front() {
            bench.set(self.ports["pdu.data"], &word_value(*word));
        }
        let from = NetworkSource { xpu: u64::from(self.source).into(), ..Default::default() };
        bench.set(self.ports["source"], &bits_of::<_, { <NetworkSource as Synth>::BITS }>(from));
    }

    fn drive_streams(&mut self, clock: u64, bench: &mut dyn Bench) {
        let random = &mut self.random;
        let number = random.random_range(0..CONNECTIONS);
        if self.state.ask.is_none() && random.random_bool(0.06) {
            self.state.ask = Some(number as u64);
        }
        if self.state.change.is_none() && random.random_bool(0.01) {
            let near = random.random_range(-3..4) as u16;
            let psn = self.state.connections[number].model.exp().value().wrapping_add(near);
            let open = random.random_bool(0.75);
            self.state.change = Some(ConnectionChange {
                change: if open { ReceiveChange::Open } else { ReceiveChange::Freeze },
                connection: (number as u64).into(),
                psn: u64::from(psn).into(),
            });
        }
        if random.random_bool(0.000_5) {
            self.starved = random.random_range(0..VCS);
        }
        let vc = random.random_range(0..VCS);
        let may = vc != self.starved && self.state.freed[vc] > 0 && clock > self.state.cleared + 1;
        self.state.credit = may.then(|| (vc, random.random_range(1..=self.state.freed[vc])));
        let p = &self.ports;
        bench.set_u64(p["asks.valid"], self.state.ask.is_some().into());
        bench.set_u64(p["asks.data"], self.state.ask.unwrap_or_default());
        bench.set_u64(p["changes.valid"], self.state.change.is_some().into());
        let change = self.state.change.unwrap_or_default();
        bench.set(p["changes.data"], &bits_of::<_, { <ConnectionChange as Synth>::BITS }>(change));
        bench.set_u64(p["credits.valid"], self.state.credit.is_some().into());
        let (vc, count) = self.state.credit.unwrap_or_default();
        let credit = OutCredit { vc: (vc as u64).into(), count: (count as u64).into() };
        bench.set(p["credits.data"], &bits_of::<_, { <OutCredit as Synth>::BITS }>(credit));
        for (name, share) in [("answers.ready", 0.5), ("due.ready", 0.3), ("commands.ready", 0.9)] {
            bench.set_u64(p[name], random.random_bool(share).into());
        }
        let entry =
            PartitionEntry { partition: (clock % PARTITIONS).into(), member: clock % PARTITIONS < MEMBERS };
        bench.set_u64(p["partitions.valid"], (clock < 40).into());
        bench.set(p["partitions.data"], &bits_of::<_, { <PartitionEntry as Synth>::BITS }>(entry));
    }

    fn inputs(&mut self, clock: u64, bench: &dyn Bench) {
        if let Some((vc, count)) = self.state.credit {
            self.state.freed[vc] -= count;
            self.state.credits[vc] += count;
        }
        if self.moves(bench, "asks") {
            self.state.asked.extend(self.state.ask.take());
        }
        if self.moves(bench, "changes") {
            self.state.changing.extend(self.state.change.take());
        }
        if self.state.valid && self.state.words.pop_front().is_some_and(|word| word.last) {
            let sent = self.state.coming.take().expect("one is coming");
            let gap = if self.random.random_bool(0.5) { 3 } else { self.random.random_range(3..40) };
            self.state.pause = clock + 1 + gap;
            let answers = matches!(sent.class, Class::Body | Class::Pulse("empty"));
            if answers && matches!(sent.header.operation, Operation::Ack | Operation::Nack) {
                let nack = sent.header.operation == Operation::Nack;
                self.state.answers.push_back((
                    sent.connection() as u64,
                    sent.header.acknowledged.into(),
                    nack,
                ));
            }
            self.state.sent.push_back(sent);
        }
    }

    fn outputs(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), String> {
        for name in EARLY {
            if self.on(bench, &format!("events.{name}")) {
                self.state.pulses.push_back((name, clock));
            }
        }
        for name in ["timer_early", "timer_lost", "events.answer_lost"] {
            if self.on(bench, name) {
                return Err(name.into());
            }
        }
        if self.on(bench, "management.valid") {
            let record = self.get::<{ <ManagementRecord as Synth>::BITS }, _>(bench, "management.data");
            self.state.records.push_back(record);
        }
        self.expire(clock)?;
        // What the table says of a PDU comes a clock later than what it says of others.
        if self.on(bench, "committed.valid") {
            self.decided(clock, bench)?;
        }
        if self.on(bench, "acknowledgments.valid") {
            let came = self.get::<{ <Carried as Synth>::BITS }, _>(bench, "acknowledgments.data");
            self.acknowledged(clock, came)?;
        }
        if self.on(bench, "changed.valid") {
            let came = self.get::<{ <ConnectionState as Synth>::BITS }, _>(bench, "changed.data");
            self.changed(came)?;
        }
        if self.moves(bench, "due") {
            self.named(bench.get_u64(self.ports["due.data"]))?;
        }
        if self.moves(bench, "answers") {
            let came: PeerAnswer = self.get::<{ <PeerAnswer as Synth>::BITS }, _>(bench, "answers.data");
            let came = (u64::from(came.connection), u64::from(came.psn), came.nack);
            let wanted = self.state.answers.pop_front();
            if wanted != Some(came) {
                return Err(format!("answer {came:?}, expected {wanted:?}"));
            }
            self.hit("answer");
        }
        if self.moves(bench, "commands") {
            self.command(bench)?;
        }
        Ok(())
    }
}

impl Agent for Rig {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if clock < 2 {
            let config = self.config;
            for (name, value) in [
                ("port", 1),
                ("coalesce", config.ack_coalesce.into()),
                ("renack", (config.renack == Renack::Answer).into()),
                ("ack_timer", config.ack_timer),
                ("partition_check", 1),
            ] {
                bench.set_u64(self.ports[&format!("settings.{name}")], value);
            }
            bench.set(self.ports["types"], &types_value(&self.types));
        }
        // The rules of types are written in the first clocks.
        let clears = clock < 60 || self.random.random_bool(self.clears);
        bench.set_u64(self.ports["clear"], clears.into());
        self.drive_pdu(clock, bench);
        self.drive_streams(clock, bench);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.on(bench, "clear") {
            if self.state.coming.is_some() && self.state.words.len() > 1 {
                self.hit("cleared in a pdu");
            }
            self.state = State::new(clock);
            return Ok(());
        }
        let wrong = |problem: String| SimError::Check { clock, problem };
        self.inputs(clock, bench);
        self.outputs(clock, bench).map_err(wrong)
    }
}
