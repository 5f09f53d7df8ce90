//! XPUs before the manager, and an AXI subordinate behind it.

use super::common::{Collector, CommandSource, Credits, Pins};
use super::transfers::{lanes, legal_burst, PAGE};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::{CommandHead, ReceivedHead};
use flitforge_model::sue::axi::{
    AxiManager, AxiRequest, AxiUser, Direction, ManagerRequest, ReadBeat, Reply, WriteBeat,
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
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

type HeadBits = Bits<{ <CommandHead as Synth>::BITS }>;
/// Clocks without anything moving after which something is stuck.
const STUCK: u64 = 4_000;
/// Most commands that are there and not looked at.
const MOST_WAITING: i64 = 34;
/// Few requests are answered while more than this many may wait, if there are many sources.
const PATIENCE: u64 = 3_000;

/// The same request as AXI4 allows it.
fn legal_request(random: &mut Rng, request: AxiRequest, whole: bool) -> AxiRequest {
    let legal = legal_burst(random, request.transfers(), whole);
    let AxiRequest { id, user, .. } = request;
    AxiRequest { address: request.address & !(PAGE - 1) | legal.address, id, user, ..legal }
}

/// All around the manager.
pub struct Surroundings {
    random: Rng,
    pins: Pins,
    /// Many sources and IDs, which use up the tags, and all is as AXI4 allows it; without them tag 0 is never used.
    many: bool,
    /// There was a clear a clock ago: nothing is offered.
    rests: bool,
    model: AxiManager,
    source: CommandSource,
    /// The command that is sent.
    sending: Option<(ReceivedHead, Command)>,
    credits: Credits,
    came: Collector,
    pacers: [Pacer; 6],
    /// AW and AR were there in the clock before, and not taken.
    held: [bool; 2],
    /// W transfers that have to come.
    beats: VecDeque<(WriteBeat, bool)>,
    /// Tags of AW that were taken, and W bursts that were.
    addresses: VecDeque<u8>,
    bursts: usize,
    /// Tags to be answered with B, and transfers of R by tag.
    written: Vec<u8>,
    reads: BTreeMap<u8, VecDeque<usize>>,
    begun: BTreeMap<u8, usize>,
    b: Option<(u8, u8)>,
    r: Option<(u8, ReadBeat, bool)>,
    replies: [VecDeque<Reply>; 2],
    strays: i64,
    owed: i64,
    moved: u64,
    clock: u64,
    seen: Rc<RefCell<Coverage>>,
}

impl Surroundings {
    pub fn new(seed: u64, many: bool, seen: Rc<RefCell<Coverage>>) -> Self {
        Surroundings {
            random: rng(seed, "axi"),
            pins: Pins::default(),
            many,
            rests: false,
            model: AxiManager::default(),
            source: CommandSource::new(),
            sending: None,
            credits: Credits::default(),
            came: Collector::default(),
            pacers: std::array::from_fn(|_| Pacer::new(Pace::mixed())),
            held: [false; 2],
            beats: VecDeque::new(),
            addresses: VecDeque::new(),
            bursts: 0,
            written: vec![],
            reads: BTreeMap::new(),
            begun: BTreeMap::new(),
            b: None,
            r: None,
            replies: Default::default(),
            strays: 0,
            owed: 0,
            moved: 0,
            clock: 0,
            seen,
        }
    }

    fn hit(&self, what: &str) {
        self.seen.borrow_mut().hit(what);
    }

    /// A request, or something that is none.
    fn command(&mut self) -> (ReceivedHead, Command) {
        let random = &mut self.random;
        let transfers: usize = match random.random_range(0..20) {
            0 => 32,
            1..6 => random.random_range(1..33),
            _ => random.random_range(1..9),
        };
        let (sources, ids) = if self.many { (4, 30) } else { (2, 3) };
        let source = random.random_range(0..sources) * 257;
        let request = AxiRequest {
            address: random.random(),
            id: random.random_range(0..ids) * 1001,
            len: (transfers - 1) as u8,
            size: random.random_range(0..4),
            burst: random.random_range(0..3),
            lock: random.random(),
            cache: random.random_range(0..16),
            prot: random.random_range(0..8),
            qos: random.random_range(0..16),
            region: random.random_range(0..16),
            user: random.random(),
        };
        let kind = random.random_range(0..4);
        let request = if self.many { legal_request(random, request, kind == 2) } else { request };
        let control = request.encode().expect("fits");
        let data: Vec<u8> = (0..8 * transfers).map(|_| random.random()).collect();
        let mut command = match kind {
            0 | 1 => Command { kind: CommandType::Read, control, payload: Payload::None },
            2 => Command { kind: CommandType::Write, control, payload: Payload::Data(data) },
            _ => {
                let legal = |at| if self.many { lanes(&request, at) } else { u8::MAX };
                let strobes = (0..transfers).map(|at| random.random::<u8>() & legal(at)).collect();
                let payload = Payload::Strobed { strobes, data };
                Command { kind: CommandType::WriteStrobes, control, payload }
            }
        };
        if random.random_bool(0.1) {
            self.spoil(&mut command);
        }
        let random = &mut self.random;
        let partition = if random.random_bool(0.9) { 3 } else { random.random_range(0..5u64) };
        let head = ReceivedHead {
            source: u64::from(source as u16).into(),
            vc: 0u64.into(),
            port: 0u64.into(),
            partition: partition.into(),
        };
        (head, command)
    }

    fn spoil(&mut self, command: &mut Command) {
        let random = &mut self.random;
        match random.random_range(0..4) {
            0 => command.control.truncate(2 * random.random_range(0..8)),
            1 if self.many => command.control.clear(),
            1 => command.control[10] = random.random(),
            2 => {
                command.kind = match &command.payload {
                    Payload::None => CommandType::WriteResponse,
                    Payload::Data(_) => CommandType::ReadData,
                    Payload::Strobed { .. } => return,
                }
            }
            _ => {
                if let Payload::Data(data) = &mut command.payload {
                    data.pop();
                }
            }
        }
    }

    /// AW or AR is there: the next request.
    fn starts(&mut self, clock: u64, direction: Direction, bench: &dyn Bench) -> Result<(), SimError> {
        let channel = if direction == Direction::Write { "aw" } else { "ar" };
        let mut pin = |name: &str| self.pins.get(bench, &format!("m_axi.{channel}{name}"));
        let request = AxiRequest {
            address: pin("addr"),
            id: pin("id") as u16,
            len: pin("len") as u8,
            size: pin("size") as u8,
            burst: pin("burst") as u8,
            lock: pin("lock") == 1,
            cache: pin("cache") as u8,
            prot: pin("prot") as u8,
            qos: pin("qos") as u8,
            region: pin("region") as u8,
            user: 0,
        };
        let user = AxiUser::decode(pin("user"));
        let tag = request.id as u8;
        if self.model.outstanding(direction, tag) > 0 {
            self.hit("the same tag");
        }
        let mut wanted = self.model.start(tag).map_err(|error| failed(clock, error.to_string()))?;
        wanted.request.user = 0; // no pins carry it
        let beats = wanted.beats.clone();
        let came = ManagerRequest { direction, request, user, beats };
        if came != wanted {
            return Err(failed(clock, format!("{came:?}, expected {wanted:?}")));
        }
        let count = wanted.beats.len();
        self.beats.extend(wanted.beats.into_iter().enumerate().map(|(at, beat)| (beat, at + 1 == count)));
        self.hit(if direction == Direction::Write { "AW" } else { "AR" });
        if request.transfers() == 32 {
            self.hit("32 transfers");
        }
        Ok(())
    }

    fn observe_requests(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let waits = ["m_axi.awvalid", "m_axi.arvalid"].map(|name| self.pins.bit(bench, name));
        let takes = ["m_axi.awready", "m_axi.arready"].map(|name| self.pins.bit(bench, name));
        for (index, direction) in [Direction::Write, Direction::Read].into_iter().enumerate() {
            if waits[index] && !self.held[index] {
                self.moved = clock;
                self.starts(clock, direction, bench)?;
            }
            self.held[index] = waits[index] && !takes[index];
            if !(waits[index] && takes[index]) {
                continue;
            }
            if direction == Direction::Write {
                let tag = self.pins.get(bench, "m_axi.awid") as u8;
                self.addresses.push_back(tag);
            } else {
                let tag = self.pins.get(bench, "m_axi.arid") as u8;
                let transfers = self.pins.get(bench, "m_axi.arlen") as usize + 1;
                self.reads.entry(tag).or_default().push_back(transfers);
            }
        }
        if self.pins.moves(bench, "m_axi.wvalid", "m_axi.wready") {
            self.moved = clock;
            let mut pin = |name: &str| self.pins.get(bench, name);
            let beat =
                WriteBeat { data: pin("m_axi.wdata").to_le_bytes(), strobes: pin("m_axi.wstrb") as u8 };
            let came = (beat, pin("m_axi.wlast") == 1);
            let wanted = self.beats.pop_front();
            if Some(came) != wanted {
                return Err(failed(clock, format!("{came:02x?}, expected {wanted:02x?}")));
            }
            self.bursts += usize::from(came.1);
            if self.held[0] {
                self.hit("W before AW is taken");
            }
        }
        while self.bursts > 0 && !self.addresses.is_empty() {
            self.bursts -= 1;
            self.written.extend(self.addresses.pop_front());
        }
        Ok(())
    }

    /// EXOKAY only if not all has to be as AXI4 allows it.
    fn resp(&mut self) -> u8 {
        let resp = self.random.random_range(0..4);
        let refused = self.many && resp == AxiResponse::ExOkay.code();
        if refused {
            AxiResponse::Okay.code()
        } else {
            resp
        }
    }

    /// What the SoC answers next.
    fn offer_responses(&mut self, goes: [bool; 2]) {
        // Now and then nothing is answered for long, so that the tags run out.
        let slow = self.many && self.clock / PATIENCE % 2 == 0 && !self.random.random_bool(0.02);
        if self.b.is_none() && goes[0] && !slow {
            let resp = self.resp();
            if !self.many && self.random.random_bool(0.02) {
                self.b = Some((0, resp));
            } else if !self.written.is_empty() {
                let at = self.random.random_range(0..self.written.len());
                self.b = Some((self.written.swap_remove(at), resp));
            }
        }
        if self.r.is_none() && goes[1] && !slow && !self.reads.is_empty() {
            let some = self.random.random_range(0..self.reads.len());
            let tag = *self.reads.keys().nth(some).expect("one of them");
            let count = self.reads[&tag][0];
            let begun = self.begun.entry(tag).or_default();
            *begun += 1;
            let last = *begun == count;
            if self.begun.len() > 1 {
                self.seen.borrow_mut().hit("interleaved");
            }
            if last {
                self.begun.remove(&tag);
                let queue = self.reads.get_mut(&tag).expect("it is there");
                queue.pop_front();
                if queue.is_empty() {
                    self.reads.remove(&tag);
                }
            }
            let beat = ReadBeat { data: self.random.random(), resp: self.resp() };
            self.r = Some((tag, beat, last));
        }
    }

    fn observe_responses(&mut self, clock: u64, bench: &dyn Bench) {
        if self.b.is_some() && self.pins.bit(bench, "m_axi.bready") {
            self.moved = clock;
            if let Some((tag, resp)) = self.b.take() {
                match self.model.write_response(tag, resp).expect("fits") {
                    Some(reply) => self.replies[0].push_back(reply),
                    None => self.strays += 1,
                }
            }
        }
        if self.r.is_some() && self.pins.bit(bench, "m_axi.rready") {
            self.moved = clock;
            if let Some((tag, beat, last)) = self.r.take() {
                let reply = self.model.read_beat(tag, beat, last).expect("fits");
                self.replies[1].extend(reply);
            }
        }
    }

    fn observe_commands(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        if let Some(word) = self.source.observe(clock, &mut self.pins, bench, 0)? {
            self.moved = clock;
            if let (true, Some((head, command))) = (word.first, &self.sending) {
                let (source, partition) = (u64::from(head.source) as u16, u64::from(head.partition) as u16);
                let name = command.kind.name();
                let taken = self.model.command(source, partition, command).is_ok();
                self.owed += i64::from(!taken);
                self.hit(if taken { name } else { "refused" });
            }
            if word.last {
                self.sending = None;
            }
        }
        if self.pins.moves(bench, "commands_out.valid", "commands_out.ready") {
            self.moved = clock;
            let value = self.pins.value(bench, "commands_out.data");
            let head: CommandHead = HeadBits::from_value(&self.pins.value(bench, "command_head")).into();
            if let Some(command) = self.came.word(clock, &value)? {
                self.credits.uses(clock, &command)?;
                let target = CommandTarget {
                    destination: u64::from(head.destination) as u16,
                    vc: u64::from(head.vc) as u8,
                    partition: u64::from(head.partition) as u16,
                };
                let index = usize::from(command.kind == CommandType::ReadData);
                self.hit(command.kind.name());
                let came = Reply { target, command };
                let wanted = self.replies[index].pop_front();
                if Some(&came) != wanted.as_ref() || head.flush {
                    return Err(failed(clock, format!("{came:02x?}, expected {wanted:02x?}")));
                }
            }
        }
        Ok(())
    }

    fn forget(&mut self) {
        if !self.source.is_idle() || !self.begun.is_empty() || !self.beats.is_empty() {
            self.hit("a clear in mid-transfer");
        }
        let seed = self.random.random();
        let (many, seen, moved, clock) = (self.many, self.seen.clone(), self.moved, self.clock);
        let pins = std::mem::take(&mut self.pins);
        *self = Surroundings { pins, moved, clock, rests: true, ..Surroundings::new(seed, many, seen) };
    }
}

/// As an agent.
pub struct Around(pub Surroundings);

impl Agent for Around {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let rig = &mut self.0;
        rig.clock = clock;
        let goes: [bool; 6] = std::array::from_fn(|index| rig.pacers[index].next(&mut rig.random));
        let offers = !std::mem::take(&mut rig.rests);
        rig.offer_responses([offers && goes[0], offers && goes[1]]);
        for (name, ready) in [
            ("m_axi.awready", goes[2]),
            ("m_axi.wready", goes[3]),
            ("m_axi.arready", goes[4]),
            ("commands_out.ready", goes[5]),
        ] {
            rig.pins.set(bench, name, ready.into());
        }
        rig.pins.set(bench, "m_axi.bvalid", rig.b.is_some().into());
        if let Some((tag, resp)) = rig.b {
            rig.pins.set(bench, "m_axi.bid", tag.into());
            rig.pins.set(bench, "m_axi.bresp", resp.into());
        }
        rig.pins.set(bench, "m_axi.rvalid", rig.r.is_some().into());
        if let Some((tag, beat, last)) = rig.r {
            rig.pins.set(bench, "m_axi.rid", tag.into());
            rig.pins.set(bench, "m_axi.rdata", u64::from_le_bytes(beat.data));
            rig.pins.set(bench, "m_axi.rresp", beat.resp.into());
            rig.pins.set(bench, "m_axi.rlast", last.into());
        }
        rig.credits.drive(&mut rig.random, &mut rig.pins, bench, 1);
        if rig.source.is_idle()
            && rig.sending.is_none()
            && rig.source.room >= 5
            && rig.random.random_bool(0.5)
        {
            let (head, command) = rig.command();
            rig.source.send(&mut rig.random, &command, head);
            rig.sending = Some((head, command));
        }
        rig.source.drive(&mut rig.random, &mut rig.pins, bench);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let rig = &mut self.0;
        rig.observe_commands(clock, bench)?;
        rig.observe_requests(clock, bench)?;
        rig.observe_responses(clock, bench);
        rig.owed -= i64::from(rig.pins.bit(bench, "refused"));
        if rig.pins.bit(bench, "stray") {
            rig.strays -= 1;
            rig.hit("stray");
        }
        if let Some(direction) = rig.model.front() {
            if (0..32).all(|tag| rig.model.outstanding(direction, tag) > 0) {
                rig.hit("no free tag");
            }
        }
        if rig.owed < 0 || rig.strays < 0 || rig.owed > MOST_WAITING {
            return Err(failed(clock, format!("refused, stray: {} and {} to be told", rig.owed, rig.strays)));
        }
        if clock > rig.moved + STUCK {
            return Err(failed(clock, "nothing moves".into()));
        }
        if rig.pins.bit(bench, "clear") {
            rig.moved = clock;
            rig.forget();
        }
        Ok(())
    }
}
