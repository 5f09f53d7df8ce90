//! A switch with what stands at its ports: sorted beats of links, links with credits, the agent.

use crate::support::build_preset;
use flitforge_elaborate::Value;
use flitforge_model::switch::{RouteEntry, Shape};
use flitforge_model::vl::VlReceiver;
use flitforge_model::{Flit, Packet};
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_protocol::packet::lane_beat;
use flitforge_protocol::switch_registers::{ROUTE_DATA, ROUTE_IDX};
use flitforge_sim::kit::{rng, Rng};
use flitforge_sim::PortHandle;
use flitforge_testkit::flits::first_flits;
use flitforge_testkit::wide::place_bits;
use flitforge_testkit::{BenchBlock, Clocked, Pins, RegisterBus};
use rand::Rng as _;
use std::collections::VecDeque;

/// Flits of an AU.
const UNIT_FLITS: usize = 8;
/// Clocks after a beat until the credits know of it.
const CREDIT_CLOCKS: u64 = 3;

/// A preset of the registry, and what is built instead.
#[derive(Clone, Copy)]
pub struct Preset {
    pub name: &'static str,
    pub set: &'static [(&'static str, u64)],
    pub flits: usize,
    pub ports: usize,
    pub lanes: usize,
    /// AU of a buffer.
    pub units: u32,
}

pub const SMALL: Preset = Preset { name: "small", set: &[], flits: 2, ports: 2, lanes: 2, units: 8 };
pub const SMALL_F1: Preset = Preset { name: "small_f1", flits: 1, ..SMALL };
pub const DEFAULT: Preset = Preset { name: "default", set: &[], flits: 2, ports: 4, lanes: 4, units: 256 };
pub const SIXTEEN: Preset = Preset { set: &[("ports", 16)], ports: 16, ..SMALL };

/// An input: that of a link, or the agent's.
pub struct Source {
    ports: [PortHandle; 3],
    released: PortHandle,
    /// Beats by lane, and the agent's output port.
    pub queues: Vec<VecDeque<(Vec<Flit>, usize)>>,
    /// AU that may be filled.
    pub credit: Vec<u32>,
    /// Flits of the lane's packet so far.
    progress: Vec<usize>,
    offered: Option<usize>,
    /// Chance of a beat per clock.
    pub pace: f64,
    /// Clock of the last head taken.
    pub head_at: u64,
}

/// What comes out for a link.
pub struct Sink {
    ports: [PortHandle; 3],
    credit: PortHandle,
    receiver: VlReceiver,
    parts: Vec<Vec<Flit>>,
    /// Complete packets, by lane.
    pub packets: Vec<(usize, Vec<Flit>)>,
    /// AU there are, AU the other end holds, and uses that the credits do not know of yet.
    pub available: Vec<u32>,
    pub held: Vec<u32>,
    late: VecDeque<(u64, usize, u32)>,
    progress: Vec<usize>,
    /// Chances per clock of taking a beat, and of giving an AU back.
    pub pace: f64,
    pub reads: f64,
    /// The link is down, or the switch cleared: what stands at the output does not count.
    pub dead: bool,
    /// Packet flits.
    pub flits: usize,
    /// Clock of the last head.
    pub head_at: u64,
}

pub struct Rig {
    bench: BenchBlock,
    pub preset: Preset,
    pub sources: Vec<Source>,
    pub sinks: Vec<Sink>,
    agent_out: Vec<[PortHandle; 3]>,
    /// Beats for the agent: lane, input, flits.
    pub agent: Vec<(usize, usize, Vec<Flit>)>,
    events: [Vec<PortHandle>; 4],
    /// NO_ROUTE, LIFE_DROP, ALT_TAKEN, FECN_SET by input; the agent's last.
    pub counts: [Vec<u64>; 4],
    pub rng: Rng,
    pub clock: u64,
}

/// A beat as an input takes it.
fn word(width: u32, flits: &[Flit], vl: usize, output: usize) -> Value {
    let (shape, above) = (Shape::of(flits), flits.len() * FLIT_BITS);
    let mut value = Value::zero(width);
    flits
        .iter()
        .enumerate()
        .for_each(|(slot, flit)| place_bits(&mut value, slot * FLIT_BITS, FLIT_BITS, flit.bits()));
    let ends = u128::from(shape.tail) << lane_beat::ends::LOW;
    let opens = u128::from(shape.head) << lane_beat::opens::LOW;
    let said = vl as u128 | (shape.flits as u128) << lane_beat::flits::LOW | ends | opens;
    place_bits(&mut value, above, lane_beat::WIDTH, said);
    let behind = above + lane_beat::WIDTH;
    place_bits(&mut value, behind, width as usize - behind, output as u128);
    value
}

/// AU that so many more flits begin.
fn begun(progress: usize, flits: usize) -> u32 {
    ((progress + flits).div_ceil(UNIT_FLITS) - progress.div_ceil(UNIT_FLITS)) as u32
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        (0..self.sources.len()).for_each(|input| self.offer(input));
        for sink in &self.sinks {
            self.bench.0.set_u64(sink.ports[2], self.rng.random_bool(sink.pace).into());
            let credit = sink
                .available
                .iter()
                .enumerate()
                .fold(0, |word, (vl, units)| word | u64::from(*units) << (16 * vl));
            self.bench.0.set_u64(sink.credit, credit);
        }
        self.agent_out.iter().for_each(|ports| self.bench.0.set_u64(ports[2], 1));
        self.bench.settle();
        (0..self.sources.len()).for_each(|input| self.taken(input));
        (0..self.sinks.len()).for_each(|output| self.receive(output));
        for (vl, ports) in
            self.agent_out.iter().enumerate().filter(|(_, ports)| self.bench.0.get_bit(ports[1]))
        {
            let value = self.bench.0.get(ports[0]);
            let low = self.preset.flits * FLIT_BITS;
            let from = (0..5).map(|bit| usize::from(value.bit((low + bit) as u32)) << bit).sum();
            self.agent.push((vl, from, first_flits(&value, self.preset.flits)));
        }
        for (ports, counts) in self.events.iter().zip(&mut self.counts) {
            for port in ports {
                let word = self.bench.0.get_u64(*port);
                // Bit 0 is the internal port.
                let internal = counts.len() - 1;
                (0..counts.len()).for_each(|input| {
                    let bit = if input == internal { 0 } else { input + 1 };
                    counts[input] += word >> bit & 1;
                });
            }
        }
        self.bench.clock();
        self.clock += 1;
    }
}

impl Rig {
    /// All links up, the address of a port is its number, credits as buffers are.
    pub fn new(preset: Preset, seed: u64) -> Self {
        let block = build_preset("fab_switch", Some(preset.name), preset.set).block;
        let bench = BenchBlock::boxed("fab_switch", block);
        let port = |path: String| bench.port(&path);
        let stream = |name: String| ["data", "valid", "ready"].map(|part| port(format!("{name}.{part}")));
        let (ports, lanes) = (preset.ports, preset.lanes);
        let source = |name: String, released: String| Source {
            ports: stream(name),
            released: port(released),
            queues: vec![VecDeque::new(); lanes],
            credit: vec![preset.units; lanes],
            progress: vec![0; lanes],
            offered: None,
            pace: 1.0,
            head_at: 0,
        };
        let mut sources: Vec<Source> =
            (0..ports).map(|p| source(format!("lanes_in[{p}]"), format!("released[{p}]"))).collect();
        sources.push(source("agent_in".into(), "agent_released".into()));
        let sink = |p: usize| Sink {
            ports: stream(format!("beats_out[{p}]")),
            credit: port(format!("credit[{p}]")),
            receiver: VlReceiver::new(lanes, preset.flits, preset.flits).expect("lanes"),
            parts: vec![vec![]; lanes],
            packets: vec![],
            available: vec![preset.units; lanes],
            held: vec![0; lanes],
            late: VecDeque::new(),
            progress: vec![0; lanes],
            pace: 1.0,
            reads: 1.0,
            dead: false,
            flits: 0,
            head_at: 0,
        };
        let events = ["no_route", "life_drop", "alt_taken", "fecn_set"];
        let mut rig = Rig {
            sinks: (0..ports).map(sink).collect(),
            sources,
            agent_out: (0..lanes).map(|vl| stream(format!("agent_out[{vl}]"))).collect(),
            agent: vec![],
            events: events.map(|name| (0..lanes).map(|vl| port(format!("{name}[{vl}]"))).collect()),
            counts: events.map(|_| vec![0; ports + 1]),
            rng: rng(seed, "switch"),
            clock: 0,
            preset,
            bench,
        };
        rig.set("up", (1 << ports) - 1);
        for p in 0..ports {
            rig.set(&format!("may_send[{p}]"), (1 << lanes) - 1);
            rig.set(&format!("bubble[{p}]"), (1 << lanes) - 1);
            rig.set(&format!("min_run[{p}]"), 4);
            rig.route(p, RouteEntry::to(p));
        }
        rig.run(20);
        rig
    }

    pub fn route(&mut self, index: usize, entry: RouteEntry) {
        self.write(ROUTE_IDX, index as u64);
        self.write(ROUTE_DATA, entry.encode().into());
    }

    fn bus(&self) -> RegisterBus {
        RegisterBus::bundle("bus").held()
    }

    /// Writes a register, at its byte offset in the page.
    pub fn write(&mut self, offset: u32, value: u64) {
        self.bus().write(self, offset, value);
    }

    /// Reads a register.
    pub fn read(&mut self, offset: u32) -> u64 {
        self.bus().read(self, offset)
    }

    /// Gives a packet to an input; `output` is the agent's.
    pub fn send(&mut self, input: usize, vl: usize, flits: &[Flit], output: usize) {
        let mut flits = flits.to_vec();
        flits.resize(flits.len().next_multiple_of(self.preset.flits), Flit::IDLE);
        let beats = flits.chunks(self.preset.flits).map(|beat| (beat.to_vec(), output));
        self.sources[input].queues[vl].extend(beats);
    }

    fn offer(&mut self, input: usize) {
        let (width, source) = (self.bench.0.width(self.sources[input].ports[0]), &mut self.sources[input]);
        if source.offered.is_none() && self.rng.random_bool(source.pace) {
            let ready: Vec<usize> = (0..self.preset.lanes)
                .filter(|vl| {
                    let units =
                        |beat: &(Vec<Flit>, usize)| begun(source.progress[*vl], Shape::of(&beat.0).flits);
                    source.queues[*vl].front().is_some_and(|beat| units(beat) <= source.credit[*vl])
                })
                .collect();
            if !ready.is_empty() {
                source.offered = Some(ready[self.rng.random_range(0..ready.len())]);
            }
        }
        self.bench.0.set_u64(source.ports[1], source.offered.is_some().into());
        let Some(vl) = source.offered else { return };
        let (flits, output) = &source.queues[vl][0];
        let value = word(width, flits, vl, *output);
        self.bench.0.set(source.ports[0], &value);
    }

    /// Whether an input that has nothing else to do takes this beat; it is given for one clock.
    pub fn takes(&mut self, input: usize, vl: usize, flits: &[Flit]) -> bool {
        let [data, valid, ready] = self.sources[input].ports;
        self.bench.0.set(data, &word(self.bench.0.width(data), flits, vl, 0));
        self.bench.0.set_u64(valid, 1);
        self.bench.settle();
        let taken = self.bench.0.get_bit(ready);
        self.bench.clock();
        self.bench.0.set_u64(valid, 0);
        taken
    }

    fn taken(&mut self, input: usize) {
        let source = &mut self.sources[input];
        let released = self.bench.0.get_u64(source.released);
        (0..self.preset.lanes).for_each(|vl| source.credit[vl] += (released >> vl & 1) as u32);
        let Some(vl) = source.offered.filter(|_| self.bench.0.get_bit(source.ports[2])) else { return };
        source.offered = None;
        let Some((flits, _)) = source.queues[vl].pop_front() else { return };
        let shape = Shape::of(&flits);
        source.credit[vl] -= begun(source.progress[vl], shape.flits);
        source.progress[vl] = if shape.tail { 0 } else { source.progress[vl] + shape.flits };
        if shape.head {
            source.head_at = self.clock;
        }
    }

    fn receive(&mut self, output: usize) {
        let (clock, lanes) = (self.clock, self.preset.lanes);
        let sink = &mut self.sinks[output];
        if !sink.dead && self.bench.0.get_bit(sink.ports[1]) && self.bench.0.get_bit(sink.ports[2]) {
            let beat = first_flits(&self.bench.0.get(sink.ports[0]), self.preset.flits);
            let received = sink.receiver.step(&beat).expect("a beat");
            assert_eq!(
                received.errors, 0,
                "clock {clock}, output {output}: {beat:?} behind {:?}",
                sink.parts
            );
            if let Some(vl) = received.vl {
                let shape = Shape::of(&received.flits);
                let units = begun(sink.progress[vl], shape.flits);
                sink.progress[vl] = if shape.tail { 0 } else { sink.progress[vl] + shape.flits };
                sink.held[vl] += units;
                sink.late.push_back((clock + CREDIT_CLOCKS, vl, units));
                sink.flits += shape.flits;
                if shape.head {
                    sink.head_at = clock;
                }
                sink.parts[vl].extend(&received.flits[..shape.flits]);
                if shape.tail {
                    sink.packets.push((vl, std::mem::take(&mut sink.parts[vl])));
                }
            }
        }
        while let Some((_, vl, units)) = sink.late.front().copied().filter(|late| late.0 <= clock + 1) {
            sink.late.pop_front();
            assert!(
                sink.available[vl] >= units,
                "clock {clock}, output {output}, lane {vl}: sent without credit"
            );
            sink.available[vl] -= units;
        }
        for vl in 0..lanes {
            let late: u32 = sink.late.iter().filter(|late| late.1 == vl).map(|late| late.2).sum();
            assert!(
                sink.available[vl] >= late,
                "clock {clock}, output {output}, lane {vl}: sent without credit"
            );
            // What the credits know of can be given back.
            if sink.held[vl] > late && self.rng.random_bool(sink.reads) {
                sink.held[vl] -= 1;
                sink.available[vl] += 1;
            }
        }
    }

    /// Runs until nothing moves any more.
    pub fn drain(&mut self) {
        let state = |rig: &Rig| {
            let left = |source: &Source| source.queues.iter().map(VecDeque::len).sum::<usize>();
            let came: usize = rig.sinks.iter().map(|sink| sink.flits).sum();
            let credit: u32 = rig.sources.iter().flat_map(|source| &source.credit).sum();
            (rig.sources.iter().map(left).sum::<usize>(), came, rig.agent.len(), credit)
        };
        loop {
            let before = state(self);
            self.run(600);
            if state(self) == before {
                return;
            }
        }
    }

    /// The link of a port loses its state and is down for some clocks: both ends start afresh.
    pub fn restart(&mut self, port: usize, clocks: u64) {
        let all = (1 << self.preset.ports) - 1;
        self.set("up", all & !(1 << port));
        self.set("lost", 1 << port);
        let (units, lanes) = (self.preset.units, self.preset.lanes);
        let source = &mut self.sources[port];
        source.queues.iter_mut().for_each(VecDeque::clear);
        (source.offered, source.progress) = (None, vec![0; lanes]);
        let sink = &mut self.sinks[port];
        sink.receiver = VlReceiver::new(lanes, self.preset.flits, self.preset.flits).expect("lanes");
        sink.parts.iter_mut().for_each(Vec::clear);
        (sink.available, sink.held, sink.progress) = (vec![units; lanes], vec![0; lanes], vec![0; lanes]);
        sink.late.clear();
        sink.dead = true;
        self.clock();
        self.set("lost", 0);
        self.run(clocks);
        self.set("up", all);
        self.sinks[port].dead = false;
    }

    /// The switch is, or was, cleared: both ends of every link begin anew.
    pub fn forget(&mut self, cleared: bool) {
        let (units, lanes) = (self.preset.units, self.preset.lanes);
        for source in &mut self.sources {
            source.queues.iter_mut().for_each(VecDeque::clear);
            (source.offered, source.progress, source.credit) = (None, vec![0; lanes], vec![units; lanes]);
        }
        for sink in &mut self.sinks {
            sink.receiver = VlReceiver::new(lanes, self.preset.flits, self.preset.flits).expect("lanes");
            sink.parts.iter_mut().for_each(Vec::clear);
            (sink.available, sink.held, sink.progress) = (vec![units; lanes], vec![0; lanes], vec![0; lanes]);
            sink.late.clear();
            sink.packets.clear();
            sink.dead = cleared;
        }
    }

    /// Good packets that came to a port, in order.
    pub fn good(&self, port: usize) -> Vec<Packet> {
        self.sinks[port].packets.iter().filter_map(|(_, flits)| Packet::decode(flits).ok()).collect()
    }

    /// Every AU of every buffer is back.
    pub fn audit(&self) {
        for (input, source) in self.sources.iter().enumerate() {
            assert_eq!(source.credit, vec![self.preset.units; self.preset.lanes], "input {input}");
        }
        for (output, sink) in self.sinks.iter().enumerate() {
            let all: Vec<u32> =
                sink.available.iter().zip(&sink.held).map(|(free, held)| free + held).collect();
            assert_eq!(all, vec![self.preset.units; self.preset.lanes], "output {output}");
        }
    }
}
