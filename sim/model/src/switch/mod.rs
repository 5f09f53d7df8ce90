//! The switch (chapter 10, 4.11): packets from every input to every output, cut through virtually.
//!
//! | part | is |
//! |---|---|
//! | [`RouteTable`] | output port, and another one, of each destination |
//! | [`Switch`] | buffers per input and lane, grants for whole packets, outputs with interleaver and credits |
//! | [`Switch::read_register`], [`Switch::write_register`] | the register page |
//! | [`Transmit`] | the sender of a port, of a switch or of an endpoint |
//! | [`scale`] | many switches and endpoints over links that lose lanes: the scenario `switch-64` |
//!
//! [`Switch::arrive`] takes the beat that a port received, [`Switch::clock`] decides, [`Switch::send`] gives the beat for
//! a port that can send. A beat may pass in one clock: what hardware needs for its stages is not modelled.

mod config;
mod input;
mod output;
mod registers;
mod route;
pub mod scale;
#[cfg(test)]
mod tests;

pub use config::{SwitchError, SwitchRules, SwitchSettings};
pub use input::Arrived;
pub use output::{beat_of, Transmit, Turn};
pub use route::{RouteEntry, RouteTable};

use crate::flit::Flit;
use crate::vl::Grant;
use flitforge_protocol::flit::{head_bad, BadReason, FlitKind, Opcode};
use flitforge_protocol::packet::{head, PacketType};
use input::{bad_end, Alt, Front, Input};
use output::{Output, Owner};

/// Packet flits of a beat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// How many.
    pub flits: usize,
    /// The first begins a packet.
    pub head: bool,
    /// The last ends one.
    pub tail: bool,
}

impl Shape {
    /// Of a beat of one packet.
    #[must_use]
    pub fn of(beat: &[Flit]) -> Self {
        let mut shape = Shape::default();
        for flit in beat {
            let (part, head, tail) = match (flit.kind(), flit.opcode()) {
                (FlitKind::Head, _) | (_, Some(Opcode::HeadBad)) => (true, true, false),
                (FlitKind::Body, _) | (_, Some(Opcode::BodyBad)) => (true, false, false),
                (FlitKind::Tail, _) | (_, Some(Opcode::TailBad)) => (true, false, true),
                _ => (false, false, false),
            };
            shape.flits += usize::from(part);
            shape.head |= head;
            shape.tail |= tail;
        }
        shape
    }
}

/// A beat that leaves a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentBeat {
    /// The beat.
    pub flits: Vec<Flit>,
    /// Lane of its packet flits.
    pub vl: Option<usize>,
    /// AU they use.
    pub units: u32,
    /// The input the packet came in at: beside the packet at the internal port.
    pub from: Option<usize>,
}

/// Counters of the switch page; inputs include the internal one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchCounters {
    /// NO_ROUTE by input.
    pub no_route: Vec<u64>,
    /// LIFE_DROP by input.
    pub life_drop: Vec<u64>,
    /// ALT_TAKEN.
    pub alt_taken: u64,
    /// FECN_SET.
    pub fecn_set: u64,
}

/// What asks for a lane of an output: how far after the last one that had it, the input, and whether this is its second way.
type Request = Option<(usize, usize, bool)>;

/// A switch of PORTS ports and the internal one, whose number is PORTS.
#[derive(Clone, Debug)]
pub struct Switch {
    rules: SwitchRules,
    settings: SwitchSettings,
    routes: RouteTable,
    /// ROUTE_IDX.
    route_index: usize,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    counters: SwitchCounters,
    requests: Vec<Request>,
    shapes: Vec<Option<Shape>>,
}

impl Switch {
    /// A switch with all links down and an empty route table.
    pub fn new(rules: SwitchRules) -> Result<Self, SwitchError> {
        rules.check()?;
        let (ports, lanes) = (rules.ports, rules.packets.lanes);
        let internal = |port: usize| port == ports;
        Ok(Switch {
            settings: SwitchSettings::default(),
            routes: RouteTable::new(rules.address_bits),
            route_index: 0,
            inputs: (0..=ports).map(|port| Input::new(&rules, internal(port))).collect::<Result<_, _>>()?,
            outputs: (0..=ports).map(|port| Output::new(&rules, internal(port))).collect::<Result<_, _>>()?,
            counters: SwitchCounters {
                no_route: vec![0; ports + 1],
                life_drop: vec![0; ports + 1],
                ..SwitchCounters::default()
            },
            requests: vec![None; (ports + 1) * lanes],
            shapes: vec![None; lanes],
            rules,
        })
    }

    /// How it is built.
    #[must_use]
    pub const fn rules(&self) -> &SwitchRules {
        &self.rules
    }

    /// The registers, to be written.
    pub fn settings_mut(&mut self) -> &mut SwitchSettings {
        &mut self.settings
    }

    /// The route table, to be written.
    pub fn routes_mut(&mut self) -> &mut RouteTable {
        &mut self.routes
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &SwitchCounters {
        &self.counters
    }

    /// AU that the sender of a port has for a lane.
    pub fn available(&self, port: usize, vl: usize) -> Result<u32, SwitchError> {
        self.check(port, self.rules.ports).map(|()| self.outputs[port].transmit.available(vl))
    }

    /// AU occupied, and free but not returned, in the buffer of an input's lane.
    pub fn buffer(&self, port: usize, vl: usize) -> Result<(u32, u32), SwitchError> {
        self.check(port, self.rules.ports)?;
        let pending = self.inputs[port].credit.as_ref().map_or(0, |credit| credit.pending(vl));
        Ok((self.inputs[port].lanes[vl].held(), pending))
    }

    /// No packet and no part of one is in any buffer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inputs.iter().all(|input| input.lanes.iter().all(|lane| lane.first().is_none()))
    }

    fn check(&self, port: usize, most: usize) -> Result<(), SwitchError> {
        let ports = self.rules.ports;
        if port <= most {
            Ok(())
        } else {
            Err(SwitchError::NoPort { port, ports })
        }
    }

    /// The link of a port starts afresh (`up`) or has gone Down: what came in by it ends, what goes out by it is taken off.
    pub fn set_link(&mut self, port: usize, up: bool) -> Result<(), SwitchError> {
        self.check(port, self.rules.ports - 1)?;
        self.inputs[port].cut()?;
        for vl in 0..self.rules.packets.lanes {
            if let Owner::Input(input) = self.outputs[port].owners[vl] {
                self.inputs[input].lanes[vl].front = Front::Dropped;
                self.counters.no_route[input] += 1;
            }
        }
        self.outputs[port].restart(up)
    }

    /// A beat comes in by the link of a port.
    pub fn arrive(&mut self, port: usize, beat: &[Flit]) -> Result<Arrived, SwitchError> {
        self.check(port, self.rules.ports - 1)?;
        let arrived = self.inputs[port].arrive(beat)?;
        if let Some(codes) = &arrived.codes {
            self.outputs[port].transmit.give(codes)?;
        }
        self.counters.no_route[port] += u64::from(arrived.no_lane);
        Ok(arrived)
    }

    /// The agent gives a beat of a lane, with the output port of its packet; lanes may take turns. False: no room, to be tried again.
    pub fn inject(&mut self, vl: usize, beat: &[Flit], output: usize) -> Result<bool, SwitchError> {
        if vl >= self.rules.packets.lanes {
            let expected = format!("less than {}", self.rules.packets.lanes);
            return Err(SwitchError::Parameter { parameter: "virtual lane", value: vl, expected });
        }
        Ok(self.inputs[self.rules.ports].inject(vl, beat, output))
    }

    /// A clock: packets at the front are looked at, grants are made, old packets are given up.
    pub fn clock(&mut self) -> Result<(), SwitchError> {
        self.requests.fill(None);
        for input in 0..self.inputs.len() {
            if let Some(credit) = &mut self.inputs[input].credit {
                credit.clock();
            }
            for vl in 0..self.rules.packets.lanes {
                if self.inputs[input].lanes[vl].front == Front::Unknown {
                    self.look(input, vl);
                }
                match self.inputs[input].lanes[vl].front {
                    Front::Dropped => self.take_off(input, vl)?,
                    Front::Waiting { port, alt, units, .. } => self.request(input, vl, port, alt, units),
                    Front::Unknown | Front::Going { .. } => {}
                }
            }
        }
        for index in 0..self.requests.len() {
            if let Some((_, input, second)) = self.requests[index] {
                self.grant(index, input, second);
            }
        }
        self.age();
        Ok(())
    }

    /// Finds the way of the packet at the front.
    fn look(&mut self, input: usize, vl: usize) {
        let Some(stored) = self.inputs[input].lanes[vl].first() else { return };
        let (flit, output) = (stored.flits[0], stored.output);
        self.inputs[input].lanes[vl].front = match self.route(flit, output, vl) {
            Some((port, alt, units)) => Front::Waiting { port, alt, units, clocks: 0 },
            None => {
                self.counters.no_route[input] += 1;
                Front::Dropped
            }
        };
    }

    /// Port, other way and AU of a packet that begins with this flit; `None`: no port, or no packet that could pass.
    fn route(&self, flit: Flit, output: Option<usize>, vl: usize) -> Option<(usize, Option<Alt>, u32)> {
        let word = flit.bits();
        let (dst, ptype, len) = match (flit.kind(), flit.opcode()) {
            (FlitKind::Head, _) => (
                head::dst::FIELD.get(word),
                head::ptype::FIELD.get(word),
                head::len::FIELD.get(word) as usize,
            ),
            // A HeadBad says no length: room for the longest.
            (_, Some(Opcode::HeadBad)) => {
                (head_bad::dst::FIELD.get(word), head_bad::ptype::FIELD.get(word), self.rules.packets.mtu)
            }
            _ => return None,
        };
        if len > self.rules.packets.mtu {
            return None;
        }
        let units = self.rules.packet_units(len);
        let here = ptype == u64::from(PacketType::ManagementSourceRouted.code());
        if let Some(port) = output.or(here.then_some(self.rules.ports)) {
            return (port <= self.rules.ports).then_some((port, None, units));
        }
        let entry = self.routes.find(dst as u16)?;
        let (port, other) = (usize::from(entry.port), usize::from(entry.alt));
        let adapts = entry.adapt && self.settings.adapt_lanes >> vl & 1 == 1;
        let alt = Alt { port: other, stands_in: entry.use_alt, adapts };
        let alt = (other <= self.rules.ports && (alt.stands_in || alt.adapts)).then_some(alt);
        (port <= self.rules.ports).then_some((port, alt, units))
    }

    /// Asks for the way the packet can take now; without any that is up it is taken off.
    fn request(&mut self, input: usize, vl: usize, port: usize, alt: Option<Alt>, units: u32) {
        let up = self.outputs[port].up;
        let alt = alt.filter(|alt| self.outputs[alt.port].up && (alt.adapts || !up));
        if !up && alt.is_none() {
            self.counters.no_route[input] += 1;
            self.inputs[input].lanes[vl].front = Front::Dropped;
            return;
        }
        let (output, second) = match alt {
            _ if self.outputs[port].can_grant(vl, units) => (port, false),
            Some(alt) if self.outputs[alt.port].can_grant(vl, units) => (alt.port, true),
            _ => return,
        };
        let inputs = self.inputs.len();
        let behind = (input + inputs - self.outputs[output].last[vl] - 1) % inputs;
        let place = &mut self.requests[output * self.rules.packets.lanes + vl];
        if place.is_none_or(|(other, ..)| behind < other) {
            *place = Some((behind, input, second));
        }
    }

    fn grant(&mut self, index: usize, input: usize, second: bool) {
        let (output, vl) = (index / self.rules.packets.lanes, index % self.rules.packets.lanes);
        self.outputs[output].owners[vl] = Owner::Input(input);
        self.outputs[output].last[vl] = input;
        self.counters.alt_taken += u64::from(second);
        let lane = &mut self.inputs[input].lanes[vl];
        lane.front = Front::Going { output, stalled: 0 };
        let mark = u32::from(self.settings.mark_units);
        if mark > 0 && lane.held() > mark {
            self.counters.fecn_set += u64::from(lane.mark());
        }
    }

    /// Takes a beat of a packet off that goes nowhere.
    fn take_off(&mut self, input: usize, vl: usize) -> Result<(), SwitchError> {
        let taken = self.inputs[input].take(vl)?;
        if taken.is_some_and(|stored| stored.shape.tail) {
            self.inputs[input].lanes[vl].front = Front::Unknown;
        }
        Ok(())
    }

    /// Counts the clocks that packets wait and stand still.
    fn age(&mut self) {
        let life = self.settings.life;
        for input in 0..self.inputs.len() {
            for vl in 0..self.rules.packets.lanes {
                let lane = &mut self.inputs[input].lanes[vl];
                let (Front::Waiting { clocks, .. } | Front::Going { stalled: clocks, .. }) = &mut lane.front
                else {
                    continue;
                };
                *clocks += 1;
                if life == 0 || *clocks < life {
                    continue;
                }
                if let Front::Going { output, .. } = lane.front {
                    self.outputs[output].owners[vl] = Owner::Ending(BadReason::LifetimeExpired);
                }
                self.inputs[input].lanes[vl].front = Front::Dropped;
                self.counters.life_drop[input] += 1;
            }
        }
    }

    /// The beat for a port that can send, the internal one included.
    pub fn send(&mut self, port: usize) -> Result<Option<SentBeat>, SwitchError> {
        self.check(port, self.rules.ports)?;
        if !self.outputs[port].up {
            return Ok(None);
        }
        for vl in 0..self.rules.packets.lanes {
            self.shapes[vl] = match self.outputs[port].owners[vl] {
                Owner::Free => None,
                Owner::Input(input) => self.inputs[input].lanes[vl].first().map(|stored| stored.shape),
                Owner::Ending(_) => Some(Shape { flits: 1, head: false, tail: true }),
            };
        }
        let turn = self.outputs[port].transmit.step(&self.shapes, self.inputs[port].credit.as_mut())?;
        let (mut vl, mut from) = (None, None);
        let mut beat = None;
        if let Some(Grant::Beat(lane)) = turn.grant {
            vl = Some(lane);
            (beat, from) = self.next_beat(port, lane)?;
        }
        let flits = beat_of(&turn, self.rules.packets.flits, |_| beat);
        Ok(flits.map(|flits| SentBeat { flits, vl, units: turn.units, from }))
    }

    /// The next beat of a lane of an output, and the input it comes from.
    fn next_beat(
        &mut self,
        port: usize,
        vl: usize,
    ) -> Result<(Option<Vec<Flit>>, Option<usize>), SwitchError> {
        match self.outputs[port].owners[vl] {
            Owner::Free => Ok((None, None)),
            Owner::Ending(reason) => {
                self.outputs[port].owners[vl] = Owner::Free;
                Ok((Some(bad_end(vl, reason, self.rules.packets.flits)), None))
            }
            Owner::Input(input) => {
                let Some(stored) = self.inputs[input].take(vl)? else { return Ok((None, None)) };
                self.inputs[input].lanes[vl].front = match stored.shape.tail {
                    true => Front::Unknown,
                    false => Front::Going { output: port, stalled: 0 },
                };
                if stored.shape.tail {
                    self.outputs[port].owners[vl] = Owner::Free;
                }
                Ok((Some(stored.flits), Some(input)))
            }
        }
    }
}
