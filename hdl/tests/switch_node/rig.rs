//! The star at work: packets between all far ends, both register buses, wrong bits on the lines.

use crate::switch_node::ends::{Board, Sink, Source};
use crate::switch_node::star::{Star, BUFFER, PORTS, VLS};
use flitforge_model::switch::RouteEntry;
use flitforge_protocol::link::{allocation_unit_bytes, LinkState};
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES, V_AU};
use flitforge_protocol::switch_registers::{ROUTE_DATA, ROUTE_IDX};
use flitforge_sim::compiled::Compiled;
use flitforge_sim::kit::{rng, Rng};
use flitforge_testkit::{compiled, Clocked, CompiledBlock, ErrorPorts, Pins, RegisterBus, WordError};
use rand::Rng as _;
use std::sync::{Arc, OnceLock};

/// Clocks in which all links are up, and in which everything sent has arrived.
const LIMIT: u64 = 60_000;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("switch_star", &Star::new()))
}

pub struct Rig {
    pub block: CompiledBlock,
    /// By port, by virtual lane.
    pub sources: Vec<Source>,
    pub sinks: Vec<Sink>,
    pub board: Board,
    errors: Vec<ErrorPorts>,
    /// Chance per clock and direction of one wrong bit.
    pub noise: f64,
    pub rng: Rng,
    pub clock: u64,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        for source in &mut self.sources {
            source.drive(&mut self.block.instance, &mut self.rng, &mut self.board);
        }
        for sink in &mut self.sinks {
            sink.drive(&mut self.block.instance, &mut self.rng);
        }
        for ports in &self.errors {
            let wrong = self.noise > 0.0 && self.rng.random_bool(self.noise);
            let error = WordError { lanes: wrong.into(), mask: 1 << self.rng.random_range(0..32) };
            ports.drive(&mut self.block.instance, error);
        }
        for source in &mut self.sources {
            source.take(&mut self.block.instance);
        }
        for sink in &mut self.sinks {
            sink.take(&mut self.block.instance, self.clock, &mut self.board);
        }
        self.block.step();
        self.clock += 1;
    }
}

impl Rig {
    /// All links up, every port's address is its number.
    pub fn new(seed: u64) -> Self {
        let program = program();
        let each = || (0..PORTS).flat_map(|port| (0..VLS).map(move |vl| (port, vl)));
        let mut rig = Rig {
            block: CompiledBlock::new(program),
            sources: each().map(|(port, vl)| Source::new(program, port, vl)).collect(),
            sinks: each().map(|(port, vl)| Sink::new(program, port, vl)).collect(),
            board: Board::default(),
            errors: (0..2 * PORTS).map(|line| ErrorPorts::of(program, line)).collect(),
            noise: 0.0,
            rng: rng(seed, "switch_node"),
            clock: 0,
        };
        for port in 0..PORTS {
            rig.write(PORTS, ROUTE_IDX, port as u64);
            rig.write(PORTS, ROUTE_DATA, RouteEntry::to(port).encode().into());
            rig.enable(port);
            rig.write_far(port, CTRL, 1 << ctrl::enable::LOW);
        }
        rig.come_up("from reset");
        rig
    }

    pub fn pace(&mut self, pace: f64) {
        self.sources.iter_mut().for_each(|source| source.pace = pace);
    }

    pub fn is_up(&mut self, port: usize) -> bool {
        [format!("state[{port}]"), format!("far_state[{port}]")]
            .iter()
            .all(|name| self.get(name) == u64::from(LinkState::Active.code()))
    }

    pub fn come_up(&mut self, what: &str) {
        let up = self.run_until(LIMIT, |rig| (0..PORTS).all(|port| rig.is_up(port))).is_some();
        assert!(up, "{what}: not up after {LIMIT} clocks");
    }

    /// Nothing is offered any more: everything comes, all credits are back on every link and both ends agree about them.
    pub fn drain(&mut self, what: &str) {
        self.pace(0.0);
        self.sinks.iter_mut().for_each(|sink| sink.pace = 1.0);
        let done = self
            .run_until(LIMIT, |rig| {
                rig.sources.iter().all(Source::is_idle)
                    && rig.sinks.iter().all(Sink::is_done)
                    && rig.board.missing() == 0
            })
            .is_some();
        assert!(done, "{what}: {} packets have not come", self.board.missing());
        let size = (BUFFER / allocation_unit_bytes(V_AU as u32)) as u64;
        let all = (0..VLS).fold(0, |word, vl| word | size << (16 * vl));
        let available = |rig: &mut Self| -> Vec<u64> {
            let paths = ["node.links", "far"].into_iter().flat_map(|end| {
                (0..PORTS).map(move |port| match end {
                    "far" => format!("far[{port}].link.available"),
                    _ => format!("{end}[{port}].available"),
                })
            });
            paths.map(|path| rig.block.peek(&path)).collect()
        };
        self.run_until(LIMIT, |rig| available(rig).iter().all(|word| *word == all));
        for (index, word) in available(self).into_iter().enumerate() {
            assert_eq!(word, all, "{what}: AU of sender {index}, lanes in 16 bits each");
        }
        for path in (0..PORTS).flat_map(|port| {
            [format!("node.links[{port}].credit_rx"), format!("far[{port}].link.credit_rx")]
                .into_iter()
                .flat_map(|end| [format!("{end}.occupied"), format!("{end}.pending")])
        }) {
            assert_eq!(self.block.peek(&path), 0, "{what}: {path}");
        }
    }

    fn node(&mut self, page: usize, offset: u32, write: Option<u64>) -> u64 {
        let offset = page as u32 * PAGE_BYTES + offset;
        RegisterBus::new().ask(self, offset, write).value
    }

    /// Reads a register of a page of the node: those of the ports, and that of the switch.
    pub fn read(&mut self, page: usize, offset: u32) -> u64 {
        self.node(page, offset, None)
    }

    pub fn write(&mut self, page: usize, offset: u32, value: u64) {
        self.node(page, offset, Some(value));
    }

    pub fn write_far(&mut self, port: usize, offset: u32, value: u64) {
        RegisterBus::named(|name| format!("far_{name}[{port}]")).write(self, offset, value);
    }

    pub fn enable(&mut self, port: usize) {
        self.write(port, CTRL, 1 << ctrl::enable::LOW);
    }
}
