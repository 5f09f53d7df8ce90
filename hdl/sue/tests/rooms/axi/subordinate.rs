//! An AXI manager before the subordinate, and XPUs behind it.

use super::bodies::Bodies;
use super::common::{cells, Collector, CommandSource, Credits, Pins};
use super::transfers::{fields, lanes, legal_burst, PAGE};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::{CommandHead, ReceivedHead};
use flitforge_model::sue::axi::{
    AxiRequest, AxiSubordinate, AxiUser, Direction, Issued, IssuedCommand, ReadBeat, ReadResponse,
    SubordinateConfig, WriteBeat, WriteResponse,
};
use flitforge_model::sue::format::{Command, Payload};
use flitforge_model::sue::CommandTarget;
use flitforge_protocol::sue::axi::AxiResponse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_sim::kit::{rng, Agent, Coverage, Pace, Pacer, Rng};
use flitforge_sim::{Bench, SimError};
use flitforge_testkit::failed;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type HeadBits = Bits<{ <CommandHead as Synth>::BITS }>;
/// Clocks without anything moving after which something is stuck.
const STUCK: u64 = 8_000;
/// Most commands that are there and not looked at.
const MOST_WAITING: i64 = 34;
/// An XPU that is never asked.
const STRANGER: u16 = 900;

type Asked = (AxiUser, AxiRequest);

/// A word of data, and whether it is the last.
type Beat = (WriteBeat, bool);

/// All around the subordinate.
pub struct Surroundings {
    random: Rng,
    pins: Pins,
    config: SubordinateConfig,
    /// Requests are as AXI4 allows them.
    legal: bool,
    /// There was a clear a clock ago: nothing is offered.
    rests: bool,
    model: AxiSubordinate,
    // What is offered, and what comes after it.
    aw: (Option<Asked>, VecDeque<Asked>),
    w: (Option<Beat>, VecDeque<Beat>),
    ar: (Option<Asked>, VecDeque<Asked>),
    pacers: [Pacer; 6],
    // Taken, and not yet paired.
    addresses: VecDeque<Asked>,
    beats: Vec<WriteBeat>,
    bursts: VecDeque<Vec<WriteBeat>>,
    came: Collector,
    credits: Credits,
    source: CommandSource,
    /// Commands of XPUs that are to be answered.
    bodies: Bodies,
    unanswered: Vec<(Direction, IssuedCommand, AxiRequest)>,
    /// The response that is sent; none of a bad one.
    sending: Option<(Option<(u16, u16)>, Command)>,
    reads: Vec<ReadBeat>,
    owed: i64,
    moved: u64,
    seen: Rc<RefCell<Coverage>>,
}

impl Surroundings {
    pub fn new(seed: u64, config: SubordinateConfig, legal: bool, seen: Rc<RefCell<Coverage>>) -> Self {
        Surroundings {
            random: rng(seed, "axi"),
            pins: Pins::default(),
            config,
            legal,
            rests: false,
            model: AxiSubordinate::new(config),
            aw: Default::default(),
            w: Default::default(),
            ar: Default::default(),
            pacers: std::array::from_fn(|_| Pacer::new(Pace::mixed())),
            addresses: VecDeque::new(),
            beats: vec![],
            bursts: VecDeque::new(),
            came: Collector::default(),
            credits: Credits::default(),
            source: CommandSource::new(),
            bodies: Bodies::default(),
            unanswered: vec![],
            sending: None,
            reads: vec![],
            owed: 0,
            moved: 0,
            seen,
        }
    }

    fn hit(&self, what: &str) {
        self.seen.borrow_mut().hit(what);
    }

    fn burst(&mut self) {
        let random = &mut self.random;
        let user = AxiUser {
            xpu: random.random_range(1..4),
            kind: random.random_range(0..16),
            bytes: random.random(),
            partition: random.random_range(0..1024),
            flush: random.random(),
        };
        let writes = random.random_bool(0.5);
        let transfers: usize = match random.random_range(0..20) {
            0 => 32,
            1 => 33,
            2 => random.random_range(33..70),
            3 if !writes => 256,
            4..9 => random.random_range(1..33),
            _ => random.random_range(1..9),
        };
        let whole = random.random_bool(0.4);
        let mut request = AxiRequest {
            address: random.random(),
            id: if random.random_bool(0.8) { random.random_range(0..3) } else { random.random_range(0..16) },
            len: (transfers - 1) as u8,
            size: random.random_range(0..4),
            burst: random.random_range(0..3),
            lock: random.random(),
            cache: random.random_range(0..16),
            prot: random.random_range(0..8),
            qos: random.random_range(0..16),
            region: random.random_range(0..16),
            user: 0,
        };
        if self.legal {
            let page = request.address & !(PAGE - 1);
            let legal = legal_burst(random, transfers, whole);
            request = AxiRequest { address: page | legal.address, id: request.id, ..legal };
        }
        if !writes {
            return self.ar.1.push_back((user, request));
        }
        let count = match random.random_range(0..40) {
            _ if self.legal => transfers,
            0 => transfers + 1,
            1 => transfers.saturating_sub(1).max(1),
            _ => transfers,
        };
        let spoiled = random.random_bool(0.3).then(|| random.random_range(0..count));
        for index in 0..count {
            let strobes = match spoiled {
                _ if whole => u8::MAX,
                Some(at) if at != index => u8::MAX,
                Some(_) => !(1 << random.random_range(0..8)),
                None => random.random(),
            };
            let strobes = if self.legal { strobes & lanes(&request, index) } else { strobes };
            self.w.1.push_back((WriteBeat { data: random.random(), strobes }, index + 1 == count));
        }
        self.aw.1.push_back((user, request));
    }

    fn drive_address(&mut self, bench: &mut dyn Bench, channel: &str, offered: Option<Asked>) {
        let pin = |name: &str| format!("s_axi.{channel}{name}");
        self.pins.set(bench, &pin("valid"), offered.is_some().into());
        let Some((user, request)) = offered else { return };
        for (name, value) in fields(&request, user.encode().expect("fits")) {
            self.pins.set(bench, &pin(name), value);
        }
    }

    /// Another response, or something that is none.
    fn respond(&mut self) {
        if self.source.room < 5 || !self.random.random_bool(0.5) {
            return;
        }
        if self.random.random_bool(0.08) {
            let command = self.bad_response();
            self.send(STRANGER, 0, command, false);
            return;
        }
        if self.unanswered.is_empty() || self.random.random_bool(0.8) {
            return;
        }
        // Those of an ID keep their order.
        let some = self.random.random_range(0..self.unanswered.len());
        let (direction, _, request) = &self.unanswered[some];
        let (direction, id) = (*direction, request.id);
        let same = |(other, _, request): &(Direction, IssuedCommand, AxiRequest)| {
            (*other, request.id) == (direction, id)
        };
        let at = self.unanswered.iter().position(same).expect("it is one of them");
        let (_, issued, request) = self.unanswered.remove(at);
        let lock = request.lock;
        let command = match direction {
            Direction::Write => {
                let resp = self.resp(lock);
                let said = WriteResponse { id, resp, user: self.random.random() };
                let control = said.encode().expect("fits");
                Command { kind: CommandType::WriteResponse, control, payload: Payload::None }
            }
            Direction::Read => {
                let resps = std::array::from_fn(|_| self.resp(lock));
                let control = ReadResponse { id, user: self.random.random(), resps }.encode().expect("fits");
                let data = (0..8 * request.transfers()).map(|_| self.random.random()).collect();
                Command { kind: CommandType::ReadData, control, payload: Payload::Data(data) }
            }
        };
        let CommandTarget { destination, partition, .. } = issued.target;
        self.send(destination, partition, command, true);
    }

    /// EXOKAY only of an exclusive access, if all is as AXI4 allows it.
    fn resp(&mut self, lock: bool) -> u8 {
        let resp = self.random.random_range(0..4);
        if self.legal && !lock && resp == AxiResponse::ExOkay.code() {
            return AxiResponse::Okay.code();
        }
        resp
    }

    fn send(&mut self, source: u16, partition: u16, command: Command, good: bool) {
        let head = ReceivedHead {
            source: u64::from(source).into(),
            vc: 1u64.into(),
            port: 0u64.into(),
            partition: u64::from(partition).into(),
        };
        self.source.send(&mut self.random, &command, head);
        self.sending = Some((good.then_some((source, partition)), command));
    }

    fn bad_response(&mut self) -> Command {
        let random = &mut self.random;
        let mut written = Command {
            kind: CommandType::WriteResponse,
            control: WriteResponse { id: random.random_range(0..16), ..Default::default() }
                .encode()
                .expect("fits"),
            payload: Payload::None,
        };
        let id = if random.random_bool(0.5) { 0x8001 } else { random.random_range(0..16) };
        let control = ReadResponse { id, ..Default::default() }.encode().expect("fits");
        let octets = random.random_range(1..100);
        let payload = Payload::Data(vec![random.random(); octets]);
        let mut read = Command { kind: CommandType::ReadData, control, payload };
        match random.random_range(0..5) {
            0 => written.control.truncate(4),
            1 => written.kind = CommandType::Read,
            2 => read.kind = CommandType::Write,
            3 => return read,
            _ => {}
        }
        if random.random_bool(0.5) {
            read.control.truncate(8);
            return read;
        }
        written
    }

    /// A whole command came out: the next of its direction, after those that are not sent.
    fn leaves(&mut self, clock: u64, command: Command, head: CommandHead) -> Result<(), SimError> {
        self.credits.uses(clock, &command)?;
        let direction = if command.kind == CommandType::Read { Direction::Read } else { Direction::Write };
        let wanted = loop {
            match self.model.issue(direction).expect("fits") {
                Some(Issued::Long) => self.hit("long"),
                Some(Issued::Command(wanted)) => break wanted,
                None => return Err(failed(clock, format!("{command:?} comes too early, or of nothing"))),
            }
        };
        let target = CommandTarget {
            destination: u64::from(head.destination) as u16,
            vc: u64::from(head.vc) as u8,
            partition: u64::from(head.partition) as u16,
        };
        let came = IssuedCommand { target, flush: head.flush, command };
        if came != wanted {
            return Err(failed(clock, format!("{came:02x?}, expected {wanted:02x?}")));
        }
        self.hit(wanted.command.kind.name());
        let request = AxiRequest::decode(&wanted.command.control).expect("it is one");
        if cells(&wanted.command) == 5 {
            self.hit("five cells");
        }
        self.bodies.leaves(target.destination);
        self.unanswered.push((direction, wanted, request));
        Ok(())
    }

    /// What the AXI manager is answered.
    fn answered(
        &mut self,
        clock: u64,
        direction: Direction,
        channel: &str,
        bench: &dyn Bench,
    ) -> Result<(), SimError> {
        let mut pin = |name: &str| self.pins.get(bench, &format!("s_axi.{channel}{name}"));
        let (id, user, resp) = (pin("id") as u16, AxiUser::decode(pin("user")), pin("resp") as u8);
        if direction == Direction::Read {
            let (data, last) = (pin("data").to_le_bytes(), pin("last") == 1);
            self.reads.push(ReadBeat { data, resp });
            if !last {
                return Ok(());
            }
        }
        let beats = std::mem::take(&mut self.reads);
        let mut wanted = self.model.take(direction, id);
        while wanted.is_none() {
            let issued = self.model.issue(direction).expect("fits");
            if issued != Some(Issued::Long) {
                return Err(failed(
                    clock,
                    format!("{direction:?} of {id} is answered, not asked: {issued:?}"),
                ));
            }
            self.hit("long");
            wanted = self.model.take(direction, id);
        }
        let wanted = wanted.expect("it is there");
        let first = beats.first().map_or(resp, |beat| beat.resp);
        if (user, first, &beats) != (wanted.user, wanted.resp, &wanted.beats) {
            return Err(failed(clock, format!("{user:?} {first} {beats:02x?}, expected {wanted:02x?}")));
        }
        self.hit(if direction == Direction::Read { "R" } else { "B" });
        if direction == Direction::Write && resp == 2 {
            self.hit("SLVERR");
        }
        Ok(())
    }

    fn take_inputs(&mut self, bench: &dyn Bench) {
        if self.aw.0.is_some() && self.pins.bit(bench, "s_axi.awready") {
            self.addresses.extend(self.aw.0.take());
        }
        if self.ar.0.is_some() && self.pins.bit(bench, "s_axi.arready") {
            if let Some((user, request)) = self.ar.0.take() {
                self.model.read(user, request);
            }
        }
        if self.w.0.is_some() && self.pins.bit(bench, "s_axi.wready") {
            if let Some((beat, last)) = self.w.0.take() {
                self.beats.push(beat);
                if last {
                    self.bursts.push_back(std::mem::take(&mut self.beats));
                }
            }
        }
        while !self.addresses.is_empty() && !self.bursts.is_empty() {
            let (Some((user, request)), Some(beats)) = (self.addresses.pop_front(), self.bursts.pop_front())
            else {
                return;
            };
            self.model.write(user, request, beats);
        }
        let waits = [Direction::Write, Direction::Read].map(|direction| self.model.waiting(direction));
        if waits.iter().all(|count| *count > 2) {
            self.hit("both wait");
        }
    }

    fn take_words(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        if let Some(word) = self.source.observe(clock, &mut self.pins, bench, 1)? {
            self.moved = clock;
            let sending = self.sending.as_ref();
            let bad = sending.and_then(|(good, command)| good.is_none().then_some(command));
            if let (true, Some(command)) = (word.first, bad) {
                // Nobody asks a stranger: the model takes nothing of it.
                let refused = self.model.response(STRANGER, 0, command).is_err();
                self.owed += i64::from(refused);
                self.hit(if refused { "refused" } else { "consumed" });
            }
            if word.last {
                if let Some((Some((source, partition)), command)) = self.sending.take() {
                    self.model.response(source, partition, &command).expect("asked");
                }
            }
        }
        if self.pins.moves(bench, "commands_out.valid", "commands_out.ready") {
            self.moved = clock;
            let value = self.pins.value(bench, "commands_out.data");
            let head = HeadBits::from_value(&self.pins.value(bench, "command_head")).into();
            if let Some(command) = self.came.word(clock, &value)? {
                self.leaves(clock, command, head)?;
            }
        }
        Ok(())
    }

    fn forget(&mut self) {
        if self.reads.is_empty() && self.beats.is_empty() && self.source.is_idle() {
            self.hit("a clear");
        } else {
            self.hit("a clear in mid-transfer");
        }
        let seed = self.random.random();
        let (config, legal, seen) = (self.config, self.legal, self.seen.clone());
        let moved = self.moved;
        let pins = std::mem::take(&mut self.pins);
        *self = Surroundings { pins, moved, rests: true, ..Surroundings::new(seed, config, legal, seen) };
    }
}

/// An agent that shares what it knows with the test.
pub struct Around(pub Surroundings);

impl Agent for Around {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let rig = &mut self.0;
        if rig.aw.1.len() + rig.ar.1.len() < 3 {
            rig.burst();
        }
        let goes: [bool; 6] = std::array::from_fn(|index| rig.pacers[index].next(&mut rig.random));
        let offers = !std::mem::take(&mut rig.rests);
        if offers && rig.aw.0.is_none() && goes[0] {
            rig.aw.0 = rig.aw.1.pop_front();
        }
        if offers && rig.w.0.is_none() && goes[1] {
            rig.w.0 = rig.w.1.pop_front();
        }
        if offers && rig.ar.0.is_none() && goes[2] {
            rig.ar.0 = rig.ar.1.pop_front();
        }
        rig.drive_address(bench, "aw", rig.aw.0);
        rig.drive_address(bench, "ar", rig.ar.0);
        rig.pins.set(bench, "s_axi.wvalid", rig.w.0.is_some().into());
        if let Some((beat, last)) = rig.w.0 {
            rig.pins.set(bench, "s_axi.wdata", u64::from_le_bytes(beat.data));
            rig.pins.set(bench, "s_axi.wstrb", beat.strobes.into());
            rig.pins.set(bench, "s_axi.wlast", last.into());
        }
        for (name, ready) in
            [("s_axi.bready", goes[3]), ("s_axi.rready", goes[4]), ("commands_out.ready", goes[5])]
        {
            rig.pins.set(bench, name, ready.into());
        }
        rig.pins.set(bench, "unordered", rig.config.unordered.into());
        rig.pins.set(bench, "early_responses", rig.config.early_responses.into());
        let happened = rig.bodies.drive(&mut rig.random, &mut rig.model, &mut rig.pins, bench);
        for what in happened {
            rig.hit(&what);
        }
        rig.credits.drive(&mut rig.random, &mut rig.pins, bench, 0);
        if rig.source.is_idle() && rig.sending.is_none() {
            rig.respond();
        }
        rig.source.drive(&mut rig.random, &mut rig.pins, bench);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let rig = &mut self.0;
        rig.take_inputs(bench);
        rig.take_words(clock, bench)?;
        for (direction, channel) in [(Direction::Write, "b"), (Direction::Read, "r")] {
            let pin = |name: &str| format!("s_axi.{channel}{name}");
            if rig.pins.moves(bench, &pin("valid"), &pin("ready")) {
                rig.moved = clock;
                rig.answered(clock, direction, channel, bench)?;
            }
        }
        rig.owed -= i64::from(rig.pins.bit(bench, "refused"));
        if rig.owed < 0 {
            return Err(failed(clock, "`refused` without cause".into()));
        }
        if rig.owed > MOST_WAITING || clock > rig.moved + STUCK {
            return Err(failed(clock, format!("nothing moves, or {} are not refused", rig.owed)));
        }
        if rig.pins.bit(bench, "clear") {
            rig.moved = clock;
            rig.forget();
        }
        Ok(())
    }
}
