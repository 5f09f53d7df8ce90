//! A pair at work: packets on all virtual lanes both ways, the register bus, faults on the lines.

use crate::fab_port::flow::{Flow, Receiving, Sending};
use crate::fab_port::lane::{PacketSink, PacketSource};
use crate::fab_port::pair::{BUFFER, MTU};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_model::Flit;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::link::{LinkState, CREDIT_UNITS};
use flitforge_protocol::link_registers::{counter_offset, ctrl, CTRL, PAGE_BYTES, V_AU};
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_sim::kit::{rng, Rng};
use flitforge_sim::Watch;
use flitforge_testkit::relay::Relay;
use flitforge_testkit::{compiled, Clocked, CompiledBlock, ErrorPorts, LinePorts, Noise, Pins, RegisterBus};
use rand::Rng as _;
use std::sync::Arc;

/// Clocks in which a pair with short times is up, whatever was before: a RndTripMrkr that is lost in Init is sent again after a thousand
/// LTP times, 33,000 clocks on one lane.
const LIMIT: u64 = 60_000;
/// Most clocks of a request: 4 inside a port (chapter overview), and what stands before it.
const BUS_CLOCKS: u64 = 8;
/// Clocks in which everything sent has arrived, replays included, on one lane.
const DRAIN: u64 = 60_000;

/// A compiled pair.
pub struct Program {
    program: Arc<Compiled>,
    /// Of a link.
    flits: usize,
    lanes: usize,
    vls: usize,
    links: usize,
}

impl Program {
    pub fn new(name: &str, block: &dyn DriveBlock, flits: usize, lanes: usize, vls: usize) -> Self {
        Self { program: compiled(name, block), flits, lanes, vls, links: 1 }
    }

    /// Four lanes.
    pub fn is_wide(&self) -> bool {
        self.lanes == 4
    }

    /// Ends of this many links as one.
    pub fn bonding(self, links: usize) -> Self {
        Self { links, ..self }
    }
}

/// Most ways there are: links from both ends, those from end 0 first.
const WAYS: usize = 4;

/// What is watched inside an end, in order, with the words of each.
const WATCHED: [&str; 19] = [
    "transmit.sent",
    "transmit.sent_ends",
    "link.available",
    "link.credit_rx.occupied",
    "link.credit_rx.pending",
    "receive.released",
    "link.begins",
    "link.credit_rx.returns.ends",
    "link.credit_rx.returns.by_message",
    "link.credit_rx.returns.lane",
    "link.credit_rx.found",
    "link.port.side_out.valid",
    "link.port.side_out.data",
    "link.port.side_place",
    "link.port.flits_out.valid",
    "link.restart",
    "receive.stopped",
    "link.port.undefined",
    "link.port.flits_out.data",
];

/// What an end said in a clock.
struct View {
    small: Vec<u64>,
    beat: Option<Vec<Flit>>,
    /// Slots of the beat that came with an undefined opcode.
    undefined: Vec<bool>,
    available: Vec<u64>,
    occupied: Vec<u64>,
    pending: Vec<u64>,
}

/// Wrong bits of this rate, and bursts of a third of it.
pub fn noise_of(rate: f64) -> Noise {
    Noise { bit: rate, burst: rate / 3.0, ..Noise::default() }
}

pub struct Rig {
    pub block: CompiledBlock,
    watches: [Watch; 2],
    /// By way.
    errors: Vec<ErrorPorts>,
    /// By end: the state of its only link, or whether the bond is up.
    states: [Handle; 2],
    /// By way.
    lines: Vec<LinePorts>,
    /// Of a beat.
    flits: usize,
    lanes: usize,
    pub links: usize,
    pub vls: usize,
    pub rng: Rng,
    /// By way.
    pub noise: [Noise; WAYS],
    pub relays: [Option<Relay>; WAYS],
    pub clock: u64,
    /// By end that sends.
    pub flows: [Flow; 2],
    /// By end, by lane.
    pub sources: [Vec<PacketSource>; 2],
    pub sinks: [Vec<PacketSink>; 2],
    /// Starts of each end.
    pub starts: [u64; 2],
}

fn lanes_of(word: u64, vls: usize) -> Vec<u64> {
    (0..vls).map(|vl| word >> (16 * vl) & 0xFFFF).collect()
}

fn flits_of(words: &[u64], flits: usize) -> Vec<Flit> {
    let bits = |low: usize, width: usize| {
        (0..width).fold(0u128, |bits, bit| {
            let place = low + bit;
            bits | u128::from(words[place / 64] >> (place % 64) & 1) << bit
        })
    };
    (0..flits).map(|slot| Flit::from_bits(bits(slot * FLIT_BITS, FLIT_BITS)).expect("65 bits")).collect()
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        for end in 0..2 {
            for vl in 0..self.vls {
                self.sources[end][vl].drive(&mut self.block.instance, &mut self.rng);
                self.sinks[end][vl].drive(&mut self.block.instance, &mut self.rng);
            }
            for way in end * self.links..(end + 1) * self.links {
                self.disturb(way);
                self.pass(way);
            }
        }
        let seen = [self.look(0), self.look(1)];
        for end in 0..2 {
            self.observe(end, &seen);
            for vl in 0..self.vls {
                self.sources[end][vl].take(&mut self.block.instance);
                self.sinks[end][vl].take(&mut self.block.instance);
            }
        }
        for end in 0..2 {
            for vl in 0..self.vls {
                let (clock, flow) = (self.clock, &mut self.flows[1 - end]);
                self.sinks[end][vl].compare(clock, &mut flow.expected[vl]);
                let sources = &mut self.sources[1 - end];
                self.sinks[end][vl].check(clock, &mut sources[vl]);
            }
        }
        self.block.step();
        self.clock += 1;
    }
}

impl Rig {
    pub fn new(program: &Program, seed: u64) -> Self {
        let compiled = &program.program;
        let get = |name: String| compiled.handle(&name).expect("a port");
        let watches = ["near", "far"].map(|end| {
            let paths: Vec<String> = WATCHED.iter().map(|path| format!("{end}.{path}")).collect();
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            compiled.watch(&paths).expect("signals")
        });
        let (links, flits) = (program.links, program.links * program.flits);
        let line = |way: usize| {
            let first = way % links * program.lanes;
            LinePorts::new(compiled, way / links, first..first + program.lanes)
        };
        let vls = program.vls;
        let flow = || Flow::new(flits, vls, BUFFER, V_AU as u32, CREDIT_UNITS, MTU);
        let source = |end: usize| (0..vls).map(move |vl| PacketSource::new(compiled, end, vl, vls, flits));
        let sink = |end: usize| (0..vls).map(move |vl| PacketSink::new(compiled, end, vl, vls));
        let mut rig = Self {
            block: CompiledBlock::new(compiled),
            watches,
            errors: (0..2 * links).map(|way| ErrorPorts::of(compiled, way)).collect(),
            states: [0, 1]
                .map(|end| get(if links == 1 { format!("state[{end}]") } else { format!("up[{end}]") })),
            lines: (0..2 * links).map(line).collect(),
            flits,
            lanes: program.lanes,
            links,
            vls,
            rng: rng(seed, "fab_port"),
            noise: Default::default(),
            relays: Default::default(),
            clock: 0,
            flows: [flow(), flow()],
            sources: [source(0).collect(), source(1).collect()],
            sinks: [sink(0).collect(), sink(1).collect()],
            starts: [0; 2],
        };
        for way in 0..2 * links {
            rig.set(&format!("signal_ok[{way}]"), 0xF);
        }
        rig
    }

    /// Both ends up, packets offered in this share of clocks.
    pub fn up(program: &Program, seed: u64, pace: f64) -> Self {
        let mut rig = Self::new(program, seed);
        rig.start(pace);
        rig
    }

    pub fn start(&mut self, pace: f64) {
        self.pace(pace);
        self.enable(0);
        self.enable(1);
        self.come_up("from reset");
    }

    /// Share of clocks in which sources offer and, for what has not been set otherwise, sinks take.
    pub fn pace(&mut self, pace: f64) {
        self.sources.iter_mut().flatten().for_each(|source| source.pace = pace);
    }

    pub fn sink_pace(&mut self, pace: f64) {
        self.sinks.iter_mut().flatten().for_each(|sink| sink.pace = pace);
    }

    pub fn state(&mut self, way: usize) -> LinkState {
        let code = self.get(&format!("state[{way}]"));
        LinkState::from_code(code as u8).expect("a state")
    }

    pub fn is_up(&mut self, end: usize) -> bool {
        let state = self.block.instance.get(self.states[end]) as u8;
        match self.links {
            1 => matches!(LinkState::from_code(state), Some(LinkState::Active | LinkState::Degraded)),
            _ => state == 1,
        }
    }

    /// Puts somebody into this way.
    pub fn relayed(&mut self, way: usize) {
        self.relays[way] = Some(Relay::new());
        self.set(&format!("relay[{way}]"), 1);
    }

    fn look(&mut self, end: usize) -> View {
        let mut words = vec![];
        self.block.instance.read_watch(&self.watches[end], &mut words);
        let small = words[..WATCHED.len() - 1].to_vec();
        // A bond says of every beat that comes which of its flits had an undefined opcode.
        let beat = (small[14] == 1 || (self.links == 1 && small[17] != 0))
            .then(|| flits_of(&words[WATCHED.len() - 1..], self.flits));
        let undefined = (0..self.flits).map(|slot| small[17] >> slot & 1 == 1).collect();
        let view = |index: usize| lanes_of(small[index], self.vls);
        let (available, occupied, pending) = (view(2), view(3), view(4));
        View { beat, undefined, available, occupied, pending, small }
    }

    /// The direction from `end` in this clock.
    fn observe(&mut self, end: usize, seen: &[View; 2]) {
        let (from, to) = (&seen[end], &seen[1 - end]);
        let begins = |seen: &View| seen.small[6] == 1;
        let sending = Sending {
            sent: from.small[0],
            ends: from.small[1],
            available: &from.available,
            begins: begins(from),
            beat: from.beat.as_deref(),
            side: (from.small[11] == 1).then(|| (from.small[12], from.small[13])),
        };
        let receiving = Receiving {
            beat: to.beat.as_deref(),
            undefined: &to.undefined,
            released: to.small[5],
            occupied: &to.occupied,
            pending: &to.pending,
            begins: begins(to).then_some(to.small[16]),
            search: (to.small[7] == 1).then(|| (to.small[8] == 1, to.small[9], to.small[10])),
        };
        let up = self.is_up(0) && self.is_up(1);
        let (clock, links, flow) = (self.clock, self.links, &mut self.flows[end]);
        flow.send(clock, &sending);
        flow.receive(clock, &receiving);
        // A bond that is not up has been cut, and starts when its first link does.
        if from.small[15] == 1 || to.small[15] == 1 || (links > 1 && !up) {
            flow.settled = 0;
        }
        flow.audit(clock, up, &sending, &receiving);
        if begins(from) {
            self.starts[end] += 1;
            self.sources[end].iter_mut().for_each(PacketSource::restarted);
            self.sources[1 - end].iter_mut().for_each(PacketSource::restarted);
        }
    }

    fn disturb(&mut self, way: usize) {
        let lane = self.rng.random_range(0..self.lanes);
        let error = self.noise[way].draw_on(lane, &mut self.rng);
        self.errors[way].drive(&mut self.block.instance, error);
    }

    /// The words of this way, through the relay if there is one.
    fn pass(&mut self, way: usize) {
        let Some(relay) = &mut self.relays[way] else { return };
        let words = self.lines[way].words(&mut self.block.instance);
        self.lines[way].pass_on(&mut self.block.instance, relay.clock(words));
    }

    /// Runs until both ends are Active or Degraded.
    pub fn come_up(&mut self, what: &str) {
        let is_up = self.run_until(LIMIT, |rig| rig.is_up(0) && rig.is_up(1)).is_some();
        let states: Vec<_> = (0..2 * self.links).map(|way| self.state(way)).collect();
        assert!(is_up, "{what}: not up after {LIMIT} clocks, states {states:?}");
    }

    /// Stops offering; every packet that was begun has to arrive, and all credits have to come back.
    pub fn drain(&mut self, what: &str) {
        self.pace(0.0);
        self.sink_pace(1.0);
        let done = |rig: &mut Self| {
            (0..2).all(|end| {
                let arrived = |vl: usize| rig.sources[end][vl].is_done() && rig.sinks[1 - end][vl].is_done();
                (0..rig.vls).all(arrived)
            })
        };
        let is_done = self.run_until(DRAIN, done).is_some();
        let states: Vec<_> = (0..2 * self.links).map(|way| self.state(way)).collect();
        let waiting: Vec<_> = self.sources.iter().flatten().map(PacketSource::waiting).collect();
        assert!(is_done, "{what}: not all arrived, states {states:?}, {waiting:?}");
        let all_back = |rig: &mut Self| {
            let is_back = |flow: &Flow| (0..rig.vls).all(|vl| u64::from(flow.available(vl)) == flow.size());
            rig.flows.iter().all(is_back)
        };
        self.run_until(DRAIN, all_back);
        self.run(200);
        for end in 0..2 {
            for vl in 0..self.vls {
                let flow = &self.flows[end];
                assert_eq!(u64::from(flow.available(vl)), flow.size(), "{what}: all credits are back");
                self.sinks[1 - end][vl].finish(&flow.expected[vl]);
            }
        }
    }

    /// `clear` of an end in mid-transfer, and of those who use it.
    pub fn clear_end(&mut self, end: usize) {
        self.set(&format!("clear[{end}]"), 1);
        self.clock();
        self.set(&format!("clear[{end}]"), 0);
        self.flows[end].clear_sender();
        self.flows[1 - end].clear_receiver();
        self.sources[end].iter_mut().for_each(PacketSource::clear);
        self.sinks[end].iter_mut().for_each(PacketSink::clear);
        self.sources[1 - end].iter_mut().for_each(PacketSource::restarted);
    }

    fn request(&mut self, end: usize, offset: u32, write: Option<u64>) -> u64 {
        RegisterBus::of(end).within(BUS_CLOCKS).ask(self, offset, write).value
    }

    /// A register of an end; of a bond, those of its first link come first.
    pub fn read(&mut self, end: usize, offset: u32) -> u64 {
        self.request(end, offset, None)
    }

    pub fn write(&mut self, end: usize, offset: u32, value: u64) {
        self.request(end, offset, Some(value));
    }

    pub fn count(&mut self, end: usize, counter: LinkCounter) -> u64 {
        self.read(end, counter_offset(counter))
    }

    pub fn enable(&mut self, end: usize) {
        for link in 0..self.links as u32 {
            self.write(end, link * PAGE_BYTES + CTRL, 1 << ctrl::enable::LOW);
        }
    }
}
