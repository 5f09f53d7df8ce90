//! The switch without links beside its model: what its ports offer is compared in every clock.

use crate::support::build_preset;
use crate::time_switch::model::{words, SwitchModel, PERIOD, PORTS};
use flitforge_model::flit::Flit;
use flitforge_model::time::TimeFlit;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::time_registers::{self as page, path, role};
use flitforge_protocol::time_ring::RingDirection;
use flitforge_sim::compiled::{Clocks, Compiled};
use flitforge_testkit::{compiled, Answer, Clocked, CompiledBlock, Pins, RegisterBus};
use std::sync::{Arc, OnceLock};

/// What the rig is built of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// Four ports.
    Full,
    /// Four ports, tree 0 alone, no tokens, flits that wait in block RAM.
    Compact,
    /// Four ports, rings of so many edges per core clock: 2 to 4.
    Fast(u32),
    /// Eight ports.
    Eight,
    /// Eight ports, rings of two edges per core clock.
    FastEight,
    /// Sixteen ports.
    Sixteen,
    /// Sixteen ports, rings of three edges per core clock.
    FastSixteen,
}

impl Build {
    /// M.
    pub const fn ratio(self) -> u32 {
        match self {
            Self::Full | Self::Compact | Self::Eight | Self::Sixteen => 1,
            Self::Fast(ratio) => ratio,
            Self::FastEight => 2,
            Self::FastSixteen => 3,
        }
    }

    /// Ports, one at each stop.
    pub const fn ports(self) -> usize {
        match self {
            Self::Full | Self::Compact | Self::Fast(_) => PORTS,
            Self::Eight | Self::FastEight => 8,
            Self::Sixteen | Self::FastSixteen => 16,
        }
    }

    /// A number of its own.
    const fn index(self) -> usize {
        match self {
            Self::Full => 0,
            Self::Compact => 1,
            Self::Fast(ratio) => ratio as usize,
            Self::Eight => 5,
            Self::FastEight => 6,
            Self::Sixteen => 7,
            Self::FastSixteen => 8,
        }
    }
}

fn program(build: Build) -> &'static Arc<Compiled> {
    static PROGRAMS: [OnceLock<Arc<Compiled>>; 9] = [const { OnceLock::new() }; 9];
    PROGRAMS[build.index()].get_or_init(|| {
        let compact = u64::from(build == Build::Compact);
        let values = [("compact", compact), ("block_ram", compact), ("ring_ratio", build.ratio().into())];
        let preset = format!("ports_{}", build.ports());
        compiled("time_switch", build_preset("time_switch", Some(&preset), &values).block.as_ref())
    })
}

/// The flit of each port in a clock.
pub type Flits = Vec<Option<TimeFlit>>;

pub struct Rig {
    block: CompiledBlock,
    /// The ring clock alone: it rises M - 1 times between two core edges.
    between: Option<Clocks>,
    pub ratio: u32,
    pub ports: usize,
    pub model: SwitchModel,
    pub clock: u64,
    /// ROLE and PATH as they are to be written.
    roles: Vec<(u64, u64)>,
    /// Of this clock: what was offered, by port.
    pub offered: Flits,
    /// Lows and Highs offered so far, by port.
    pub taken: Vec<u64>,
    /// The model does not know what happens.
    pub alone: bool,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        self.clock_with(&vec![None; self.ports]);
    }
}

impl Rig {
    /// Links up, closed and discarding: what is offered goes at once, the tx lag is that of an idle line.
    pub fn new() -> Self {
        Self::of(Build::Full)
    }

    /// The same of another build.
    pub fn of(build: Build) -> Self {
        let (program, ratio, ports) = (program(build), build.ratio(), build.ports());
        let mut rig = Self {
            block: CompiledBlock::new(program),
            between: (ratio > 1).then(|| program.clocks(&["ring_clock"]).expect("a clock")),
            ratio,
            ports,
            model: SwitchModel::new(ports, ratio),
            clock: 0,
            roles: vec![(0, 0); ports],
            offered: vec![None; ports],
            taken: vec![0; ports],
            alone: false,
        };
        for port in 0..ports {
            let [sent, received] = words(port);
            for (name, value) in [
                ("state", LinkState::Active.code().into()),
                ("tx_lanes", 1),
                ("rx_lanes", 1),
                ("tx_idle", 1),
                ("time_in[@].ready", 1),
                ("tx_words", sent),
                ("rx_words", received),
            ] {
                let name = match name.contains('@') {
                    true => name.replace('@', &port.to_string()),
                    false => format!("{name}[{port}]"),
                };
                rig.set(&name, value);
            }
        }
        rig.run(60);
        (0..ports).for_each(|port| rig.program(port));
        rig
    }

    /// A register, with the clocks until `ack`.
    fn request(&mut self, offset: u32, write: Option<u64>) -> Answer {
        RegisterBus::new().held().ask(self, offset, write)
    }

    pub fn read(&mut self, offset: u32) -> u64 {
        self.request(offset, None).value
    }

    pub fn write(&mut self, offset: u32, value: u64) {
        self.request(offset, Some(value));
    }

    /// Clocks from a read to its `ack`.
    pub fn read_clocks(&mut self, offset: u32) -> u64 {
        self.request(offset, None).clocks
    }

    /// A register in the window of a port.
    pub fn port_read(&mut self, port: usize, offset: u32) -> u64 {
        self.write(page::PORT_SEL, port as u64);
        self.read(offset)
    }

    pub fn port_write(&mut self, port: usize, offset: u32, value: u64) {
        self.write(page::PORT_SEL, port as u64);
        self.write(offset, value);
    }

    pub fn port_counter(&mut self, port: usize, name: &str) -> u64 {
        self.port_read(port, page::PORT_COUNTERS.offset_of(name).expect("a counter"))
    }

    pub fn ring_counter(&mut self, name: &str) -> u64 {
        self.read(page::RING_COUNTERS.offset_of(name).expect("a counter"))
    }

    /// ROLE and PATH of a port as `roles` has them; no HOLD_ON_EPOCH.
    fn program(&mut self, port: usize) {
        let (role, path) = self.roles[port];
        self.port_write(port, page::PATH, path);
        self.port_write(port, page::ROLE, role);
    }

    /// What a port is for a tree.
    pub fn role(&mut self, port: usize, tree: usize, up: bool, source: Option<(usize, RingDirection)>) {
        let (all, ways) = &mut self.roles[port];
        let bits = 1 << (role::up_en::LOW + tree) | 1 << (role::dn_en::LOW + tree);
        *all = *all & !bits | u64::from(up) << (role::up_en::LOW + tree);
        *all |= u64::from(source.is_some()) << (role::dn_en::LOW + tree);
        let place = path::source1::LOW * tree;
        *ways &= !(0x7F << place);
        if let Some((from, ring)) = source {
            *ways |= (from as u64 | (ring as u64) << 6) << place;
        }
        self.program(port);
        self.model.set(port, tree, up, source);
    }

    /// A clock in which one port has a flit.
    pub fn send(&mut self, port: usize, flit: TimeFlit) {
        self.clock_with(&(0..self.ports).map(|at| (at == port).then_some(flit)).collect());
    }

    pub fn clock_with(&mut self, flits: &Flits) {
        self.clock_or_clear(flits, false);
    }

    pub fn clear(&mut self) {
        self.set("clear", 1);
        self.clock_or_clear(&vec![None; self.ports], true);
        self.set("clear", 0);
    }

    fn clock_or_clear(&mut self, flits: &Flits, clear: bool) {
        let encode = |flit: &Option<TimeFlit>| flit.map(|flit| flit.encode().expect("fits"));
        let flits: Vec<_> = flits.iter().map(encode).collect();
        for (port, flit) in flits.iter().enumerate() {
            self.set(&format!("spc_out[{port}].valid"), flit.is_some().into());
            let bits = flit.map_or(0, Flit::bits);
            let handle = self.block.handle(&format!("spc_out[{port}].data"));
            self.block.instance.set_words(handle, &[bits as u64, (bits >> 64) as u64]);
        }
        for port in 0..self.ports {
            self.offered[port] = self.offer(port);
            self.taken[port] += u64::from(self.offered[port].is_some());
            let expected = self.model.offered(port);
            assert!(
                self.alone || self.offered[port] == expected,
                "clock {}, port {port}: {:?}, not {expected:?}",
                self.clock,
                self.offered[port]
            );
        }
        if let Some(ring) = self.between {
            (1..self.ratio).for_each(|_| self.block.instance.step(ring));
        }
        self.block.step();
        self.model.clock(&flits, clear);
        self.clock += 1;
    }

    fn offer(&mut self, port: usize) -> Option<TimeFlit> {
        if self.get(&format!("time_in[{port}].valid")) == 0 {
            return None;
        }
        let handle = self.block.handle(&format!("time_in[{port}].data"));
        let bits = self.block.instance.words(handle);
        let bits = u128::from(bits[0]) | u128::from(bits[1]) << 64;
        Some(TimeFlit::decode(Flit::from_bits(bits).expect("a flit")).expect("a time flit"))
    }
}

const _: () = assert!(path::source1::LOW == 16 && PERIOD == 0x66_6666);
