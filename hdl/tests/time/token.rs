//! `ring_token`: tokens between all pairs of stops, with and without other traffic.

use crate::support::build;
use crate::time::support::expect_bits;
use flitforge_elaborate::Value;
use flitforge_hdl::registry::{find, Settings};
use flitforge_hdl::time::ring::STOPS;
use flitforge_model::ring_stop::Insertion;
use flitforge_model::ring_token::{PortInputs, TokenCommand, TokenRings};
use flitforge_model::time::delay::{ring_cycles_of_token, RingShape};
use flitforge_protocol::time_ring::{slot_control, token_command, RingDirection, SlotKind, TOKEN_LOST_SLACK};
use flitforge_sim::kit::{rng, seed, StimulusFn, StreamSource};
use flitforge_sim::{open, Bench, CosimPlan, PortHandle, PortValues, SimError};
use flitforge_testkit::wide::wide;
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

const RINGS: [&str; 2] = ["cw", "ccw"];

fn command_bits(command: TokenCommand) -> u64 {
    let fields = [
        (token_command::src::FIELD, command.source),
        (token_command::target::FIELD, command.target),
        (token_command::ring::FIELD, command.ring),
        (token_command::tag::FIELD, command.tag),
    ];
    fields.iter().fold(0, |word, (field, value)| field.set(word, (*value).into())) as u64
}

/// {data, parity, tree, kind} with the parity that belongs to it.
fn insertion_value(kind: SlotKind, tree: u64, data: u64) -> u64 {
    let head = tree << 2 | u64::from(kind.code());
    data << 5 | u64::from((data.count_ones() + head.count_ones()) % 2) << 4 | head
}

#[test]
fn rings_that_cannot_work_are_refused() {
    let entry = find("ring_token").expect("registered");
    for (name, value) in
        [("stops", 5), ("wait_max", 0), ("wait_max", 16), ("hop_registers", 0), ("hop_registers", 3)]
    {
        let error = Settings::new(entry, None, &[(name.into(), value)]).expect_err(name).to_string();
        assert!(error.contains(name) && error.contains("ring_token"), "{error}");
    }
}

struct Rings {
    bench: Box<dyn Bench>,
    stops: u32,
    /// Registers of a ring: N S.
    length: u32,
    command: [PortHandle; 2],
    /// done, lost, cycles, waited, tag, token_lost.
    found: [PortHandle; 6],
    lost: u64,
}

impl Rings {
    fn new(stops: u32) -> Self {
        Self::with_hop_registers(stops, 1)
    }

    fn with_hop_registers(stops: u32, hop_registers: u32) -> Self {
        let settings = [("stops", stops.into()), ("hop_registers", hop_registers.into())];
        let block = build("ring_token", &settings).block;
        let bench = open("ring_token", block).expect("bench");
        let port = |path: &str| bench.port(path).expect("port");
        let command = ["command.valid", "command.data"].map(port);
        let found = ["done", "lost", "cycles", "waited", "tag", "token_lost"].map(port);
        Self { bench, stops, length: stops * hop_registers, command, found, lost: 0 }
    }

    fn step(&mut self) {
        self.bench.settle().expect("settles");
        self.lost += self.bench.get_u64(self.found[5]);
        self.bench.step().expect("steps");
    }

    fn send(&mut self, command: TokenCommand) {
        self.bench.set_u64(self.command[0], 1);
        self.bench.set_u64(self.command[1], command_bits(command));
        self.step();
        self.bench.set_u64(self.command[0], 0);
    }

    /// Clocks since the command and what came of it: cycles, waited; none if the token is lost.
    fn result(&mut self, mut every_clock: impl FnMut(&mut dyn Bench)) -> (u32, Option<(u32, u32)>) {
        for clock in 1.. {
            every_clock(self.bench.as_mut());
            self.bench.settle().expect("settles");
            let [done, lost, cycles, waited, ..] = self.found.map(|port| self.bench.get_u64(port) as u32);
            if done + lost > 0 {
                assert_eq!(done + lost, 1);
                return (clock, (done == 1).then_some((cycles, waited)));
            }
            assert!(clock < 4 * self.length + TOKEN_LOST_SLACK, "neither home nor lost");
            self.step();
        }
        unreachable!()
    }

    /// Clocks to the result of a command that cannot be carried out.
    fn lost_after(&mut self, wrong: TokenCommand) -> (u32, Option<(u32, u32)>) {
        self.send(wrong);
        self.result(|_| ())
    }

    /// A token on rings without other traffic.
    fn measure(&mut self, source: u32, target: u32, ring: RingDirection, tag: u8) -> Option<(u32, u32)> {
        let [source, target] = [source, target].map(|stop| stop as u8);
        self.send(TokenCommand { source, target, ring: ring as u8, tag });
        let (clocks, found) = self.result(|_| ());
        assert!(found.is_none_or(|(cycles, _)| clocks == cycles + self.stops + 6), "latency of the result");
        // Until the outbound token is back at its source, too.
        (0..self.length).for_each(|_| self.step());
        found
    }
}

/// T3 and section 8, example 7: 2 h S + 3 ring cycles for every pair, N S + 1 around the ring.
#[test]
fn every_pair_of_every_size_counts_what_the_chapter_says() {
    every_pair(1);
}

#[test]
fn every_pair_counts_two_registers_per_hop() {
    every_pair(2);
    // Example 7 as the chapter prints it: S = 2, h = 6.
    let mut rings = Rings::with_hop_registers(12, 2);
    assert_eq!(rings.measure(1, 7, RingDirection::Clockwise, 3), Some((27, 0)));
}

fn every_pair(hop_registers: u32) {
    for stops in STOPS.iter().map(|stops| *stops as u32) {
        let shape = RingShape { stops, hop_registers, ratio: 1 };
        let mut rings = Rings::with_hop_registers(stops, hop_registers);
        // All pairs of the small rings, those of some sources of the large ones.
        let sources =
            (0..stops).filter(|source| stops <= 12 || [0, 1, stops / 2, stops - 1].contains(source));
        for (source, target) in sources.flat_map(|source| (0..stops).map(move |target| (source, target))) {
            for ring in RingDirection::ALL {
                let tag = (source * 7 + target) as u8;
                let (cycles, waited) = rings.measure(source, target, ring, tag).expect("returned");
                let hops = ring.hops(stops, source, target);
                let expected = match hops {
                    0 => shape.token_loop_cycles(),
                    _ => shape.token_cycles(hops, 0),
                };
                assert_eq!((cycles, waited), (expected, 0), "{stops} stops, {source} to {target}, {ring:?}");
                assert_eq!(rings.bench.get_u64(rings.found[4]), u64::from(tag));
            }
        }
        assert_eq!(rings.lost, 0);
    }
}

/// Whatever the ports insert meanwhile, (C - 3 - waited) / 2 is the way.
#[test]
fn waits_for_other_traffic_are_told() {
    waits_are_told(1);
    waits_are_told(2);
}

fn waits_are_told(hop_registers: u32) {
    let mut random = rng(seed(0x70CE), "token traffic");
    let (stops, mut most) = (8, 0);
    let mut rings = Rings::with_hop_registers(stops, hop_registers);
    for round in 0..300_u32 {
        let [source, target] = [0, 0].map(|_: u32| random.random_range(0..stops));
        let ring = RingDirection::ALL[random.random_range(0..2)];
        if source == target {
            continue;
        }
        let share = random.random_range(0.0..0.6);
        let command =
            TokenCommand { source: source as u8, target: target as u8, ring: ring as u8, tag: round as u8 };
        rings.send(command);
        let (_, found) = rings.result(|bench| {
            for (name, stop) in RINGS.iter().flat_map(|name| (0..stops).map(move |stop| (name, stop))) {
                let valid = u64::from(random.random_bool(share));
                let path = format!("insert_{name}[{stop}]");
                let value = insertion_value(SlotKind::Low, 1, random.random_range(0..1 << 40));
                drive_all(bench, &[(&format!("{path}.valid"), valid), (&format!("{path}.data"), value)])
                    .expect("ports");
            }
        });
        // A token may starve: then it is lost, which is no wrong count.
        let Some((cycles, waited)) = found else { continue };
        most = most.max(waited);
        let way = ring.hops(stops, source, target) * hop_registers;
        assert_eq!(ring_cycles_of_token(cycles, waited), Some(way));
    }
    assert!(most > 3, "tokens waited {most} cycles at most");
}

/// 4 N S + 512 cycles after the command: no such stop, no such target, a clear on the way.
#[test]
fn a_token_that_does_not_come_home_is_lost() {
    let mut rings = Rings::new(8);
    let good = TokenCommand { source: 1, target: 5, ring: 0, tag: 9 };
    let far = Rings::with_hop_registers(8, 2).lost_after(TokenCommand { source: 60, ..good });
    assert_eq!(far, (4 * 8 * 2 + TOKEN_LOST_SLACK, None));
    for (number, wrong) in
        [TokenCommand { source: 60, ..good }, TokenCommand { target: 60, ..good }].into_iter().enumerate()
    {
        assert_eq!(rings.lost_after(wrong), (4 * 8 + TOKEN_LOST_SLACK, None));
        rings.step();
        assert_eq!(rings.lost, number as u64 + 1);
    }
    // Ended by `clear`, it is neither.
    rings.send(good);
    (0..12).for_each(|_| rings.step());
    drive_all(rings.bench.as_mut(), &[("clear", 1)]).expect("port");
    rings.step();
    drive_all(rings.bench.as_mut(), &[("clear", 0)]).expect("port");
    for _ in 0..2_000 {
        rings.bench.settle().expect("settles");
        assert_eq!([0, 1].map(|flag: usize| rings.bench.get_u64(rings.found[flag])), [0, 0]);
        rings.step();
    }
    assert_eq!(rings.measure(1, 5, RingDirection::Clockwise, 9), Some((11, 0)));
    assert_eq!(rings.lost, 2);
}

/// The token on its way back has the source's number, so the source removes it; the rings are empty afterwards.
#[test]
fn a_returning_token_keeps_its_source() {
    let mut rings = Rings::new(4);
    let mut seen = vec![];
    rings.send(TokenCommand { source: 3, target: 1, ring: 1, tag: 5 });
    for _ in 0..40 {
        for stop in 0..4 {
            let path = format!("cw[{stop}].control.q");
            rings.bench.settle().expect("settles");
            let control = rings.bench.peek(&path).expect("peeked").low_u64();
            let get = |field: flitforge_protocol::Field| field.get(control.into()) as u64;
            if get(slot_control::v::FIELD) == 1 {
                seen.push((stop, get(slot_control::src::FIELD), get(slot_control::kind::FIELD)));
            }
        }
        rings.step();
    }
    assert_eq!(seen, [(1, 3, 3), (2, 3, 3)], "from stop 1 to stop 3, then removed");
}

/// Random insertions, commands and clears against the model, N and S being the shape.
pub fn plan(name: &str, shape: [usize; 2], clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let [stops, hop_registers] = shape;
    let settings = [("stops", stops as u64), ("hop_registers", hop_registers as u64)];
    let make = move || build("ring_token", &settings).block;
    let plan = CosimPlan::new(name, seed(0x70C1), make, move |testbench, seed| {
        let mut random = rng(seed, "ring_token");
        let stimulus = move |clock: u64, bench: &mut dyn Bench| {
            let command = TokenCommand {
                source: random.random_range(0..stops as u8),
                target: random.random_range(0..stops as u8 + 1),
                ring: random.random_range(0..2),
                tag: random.random_range(0..4),
            };
            // Now and then long enough for a token to be lost.
            let often = if clock / 2_000 % 3 == 0 { 0.001 } else { 0.02 };
            drive_all(bench, &[("command.valid", u64::from(random.random_bool(often)))])?;
            drive_all(bench, &[("command.data", command_bits(command))])?;
            drive_all(bench, &[("clear", u64::from(random.random_bool(0.001)))])?;
            for (name, stop) in RINGS.iter().flat_map(|name| (0..stops).map(move |stop| (name, stop))) {
                drive_all(bench, &[(&format!("trees_{name}[{stop}]"), random.random_range(0..16))])?;
            }
            Ok(())
        };
        testbench.add(StimulusFn(stimulus));
        for (name, stop) in RINGS.iter().flat_map(|name| (0..stops).map(move |stop| (name, stop))) {
            testbench.add(StreamSource::new(testbench.bench(), &format!("insert_{name}[{stop}]"), seed)?);
        }
        Ok(())
    });
    plan.clocks(clocks)
        .stock_limit(100, "many wide values are slow in rust-hdl's own simulation")
        .model(model(shape, seen.clone()))
}

fn insertion_of(value: &Value) -> Insertion {
    let word = wide(value);
    let bits = |low: u32, mask: u128| (word >> low & mask) as u8;
    Insertion { kind: bits(0, 3), tree: bits(2, 3), parity: bits(4, 1) == 1, data: word >> 5 }
}

fn model(
    [stops, hop_registers]: [usize; 2],
    seen: Seen,
) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut rings = TokenRings::with_hop_registers(stops, 8, hop_registers);
    move |inputs, outputs| {
        let clear = inputs.bit("clear")?;
        let mut ports: [PortInputs; 2] = Default::default();
        for (ring, name) in RINGS.iter().enumerate() {
            for stop in 0..stops {
                let path = format!("insert_{name}[{stop}]");
                let there = inputs.bit(&format!("{path}.valid"))?;
                let insertion = insertion_of(&inputs.get(&format!("{path}.data"))?);
                ports[ring].0.push(there.then_some(insertion));
                ports[ring].1.push(inputs.u64(&format!("trees_{name}[{stop}]"))? as u8);
                let shown = &rings.rings[ring].stops[stop];
                outputs.set_bit(&format!("{path}.ready"), !clear && rings.rings[ring].ready(stop))?;
                outputs.set_bit(&format!("copy_{name}[{stop}].valid"), shown.copy.is_some())?;
                if let Some(copy) = shown.copy {
                    outputs.set_u64(&format!("control_{name}[{stop}]"), copy.control())?;
                    outputs.set_u64(&format!("copy_{name}[{stop}].data"), copy.data as u64)?;
                }
                outputs.set_bit(&format!("busy_{name}[{stop}]"), shown.busy)?;
                outputs.set_bit(&format!("wait_over_{name}[{stop}]"), shown.wait_over)?;
            }
            outputs.set_bit(&format!("orphan_{name}"), rings.rings[ring].stops[0].orphan)?;
        }
        let state = rings.state();
        let bits = [("done", state.result.is_some()), ("lost", state.lost), ("token_lost", state.lost_now)];
        expect_bits(outputs, &bits, &seen)?;
        if let Some((cycles, waited)) = state.result {
            outputs.set_u64("cycles", cycles.into())?;
            outputs.set_u64("waited", waited.into())?;
            seen.count_if("waited at the target", waited > 0);
        }
        outputs.set_u64("tag", state.tag.into())?;
        let command = inputs.u64("command.data")?;
        let field = |field: flitforge_protocol::Field| field.get(command.into()) as u8;
        let command = TokenCommand {
            source: field(token_command::src::FIELD),
            target: field(token_command::target::FIELD),
            ring: field(token_command::ring::FIELD),
            tag: field(token_command::tag::FIELD),
        };
        rings.clock(&ports, inputs.bit("command.valid")?.then_some(command), clear);
        Ok(())
    }
}

#[test]
fn measured_rings_are_their_model_whatever_comes() {
    let depth = depth();
    let seen = Seen::default();
    plan("ring_token_4", [4, 1], 20_000, &seen).to_depth(depth).run().expect("equal");
    plan("ring_token_8", [8, 1], 5_000, &seen).to_depth(depth).run().expect("equal");
    seen.require_all();
}

#[test]
fn measured_rings_of_two_registers_per_hop_are_their_model_whatever_comes() {
    let depth = depth();
    let seen = Seen::default();
    plan("ring_token_4_2", [4, 2], 60_000, &seen).to_depth(depth).run().expect("equal");
    plan("ring_token_8_2", [8, 2], 5_000, &seen).to_depth(depth).run().expect("equal");
    seen.require_all();
}
