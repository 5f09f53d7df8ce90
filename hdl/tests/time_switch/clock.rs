//! A switch with a clock stop: as a master, and as a slave of tree 0.

use crate::support::build_preset;
use flitforge_hdl::time::lag_meter::{RX_CLOCKS, TX_LOOK_AHEAD};
use flitforge_model::time::config::increment;
use flitforge_model::time::delay::RingShape;
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_model::Flit;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::time::INJECT_CLOCKS;
use flitforge_protocol::time_registers::{self as page, mstr_ctl, path, role, smp_stat, tree_prio};
use flitforge_protocol::time_ring::RingDirection;
use flitforge_sim::compiled::{Clocks, Compiled};
use flitforge_testkit::{compiled, Clocked, CompiledBlock, Pins, RegisterBus};
use std::sync::{Arc, OnceLock};

/// A switch that is tested: preset, ports, M, trees that its clock stop can follow.
#[derive(Clone, Copy)]
pub struct Build {
    preset: &'static str,
    ports: usize,
    ratio: u32,
    trees: u32,
}

const BUILDS: [Build; 4] = [
    Build { preset: "clock", ports: 3, ratio: 1, trees: 1 },
    Build { preset: "clock", ports: 3, ratio: 2, trees: 1 },
    Build { preset: "ports_7_clock", ports: 7, ratio: 1, trees: 1 },
    Build { preset: "clock_2_trees", ports: 3, ratio: 1, trees: 2 },
];
/// That of them which can follow two trees.
pub const TWO_TREES: usize = 3;

impl Build {
    /// The clock stop: the last one.
    pub const fn stop(self) -> u32 {
        self.ports as u32
    }
}

/// A slow clock, so that a period has few of them.
pub const CORE_FS: u64 = 51_200_000;
/// GEN_PERIOD 1, clocks.
pub const PERIOD_CLOCKS: u64 = 20_480;
/// 1/16 ns, 2^-32 ns.
pub const SIXTEENTH: i128 = 1 << 28;
/// The master's time less LocalTime, 2^-32 ns.
pub const LOOK_AHEAD: i128 = (1_700_000_000_123_456_789 << 32) + 0x1234_5678;

fn program(build: usize) -> &'static Arc<Compiled> {
    static PROGRAMS: [OnceLock<Arc<Compiled>>; BUILDS.len()] = [const { OnceLock::new() }; BUILDS.len()];
    let Build { preset, ratio, .. } = BUILDS[build];
    PROGRAMS[build].get_or_init(|| {
        let nominal = increment(CORE_FS);
        let values =
            [("inc_nom", nominal), ("core_fs", CORE_FS), ("word_fs", CORE_FS), ("ring_ratio", ratio.into())];
        compiled("time_switch", build_preset("time_switch", Some(preset), &values).block.as_ref())
    })
}

pub struct Rig {
    block: CompiledBlock,
    /// The ring clock alone: it rises M - 1 times between two core edges.
    between: Option<Clocks>,
    pub build: Build,
    pub shape: RingShape,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        if let Some(ring) = self.between {
            (1..self.shape.ratio).for_each(|_| self.block.instance.step(ring));
        }
        self.block.step();
    }
}

impl Rig {
    /// Links up, closed and discarding; tx and rx lags are 0.
    pub fn new(build: usize) -> Self {
        let program = program(build);
        let build = BUILDS[build];
        let mut rig = Self {
            block: CompiledBlock::new(program),
            between: (build.ratio > 1).then(|| program.clocks(&["ring_clock"]).expect("a clock")),
            build,
            shape: RingShape { stops: build.stop() + 1, hop_registers: 1, ratio: build.ratio },
        };
        for port in 0..build.ports {
            rig.set(&format!("state[{port}]"), LinkState::Active.code().into());
            rig.set(&format!("tx_idle[{port}]"), 1);
            rig.set(&format!("time_in[{port}].ready"), 1);
            rig.set(&format!("tx_words[{port}]"), 0_u64.wrapping_sub((RX_CLOCKS + TX_LOOK_AHEAD) as u64));
        }
        rig.run(60);
        rig
    }

    pub fn clear(&mut self) {
        self.set("clear", 1);
        self.run(1);
        self.set("clear", 0);
        self.run(60);
    }

    pub fn request(&mut self, offset: u32, write: Option<u64>) -> u64 {
        RegisterBus::new().ask(self, offset, write).value
    }

    pub fn write(&mut self, offset: u32, value: u64) {
        self.request(offset, Some(value));
    }

    /// ROLE and PATH of a port for this tree, and for no other one.
    pub fn role(&mut self, port: usize, tree: u32, up: bool, source: Option<(u32, RingDirection)>) {
        self.write(page::PORT_SEL, port as u64);
        let (from, ring) = source.unwrap_or((0, RingDirection::Clockwise));
        let place = path::source1::LOW as u32 * tree;
        self.write(page::PATH, (u64::from(from) | (ring as u64) << 6) << place);
        let [up, down] = [up, source.is_some()].map(|on| u64::from(on) << tree);
        self.write(page::ROLE, up << role::up_en::LOW | down << role::dn_en::LOW);
    }

    /// The clock stop follows this tree from the port that is upstream for it, with the offset of equation (1) for a clock stop.
    pub fn follow(&mut self, tree: u32, up: usize) {
        let window = page::tree(tree) - page::TREE;
        let clocks = self.shape.path(up as u32, self.build.stop()).clocks - INJECT_CLOCKS;
        let offset = (i128::from(increment(CORE_FS)) * i128::from(clocks) + (1 << 23)) >> 24;
        self.role(up, tree, true, None);
        self.write(window + page::CLOCK_OFFSET0, offset as u64);
        self.write(window + page::SMP_STAT, 1 << smp_stat::valid::LOW);
    }

    /// The master's time at plane R of a flit that is given now, 2^-32 ns: it stands on `spc_out` in this clock, and its R edge ends the sixth clock after it.
    pub fn at_r(&mut self) -> i128 {
        LOOK_AHEAD + self.get_wide("local") as i128 + i128::from(increment(CORE_FS)) * (RX_CLOCKS as i128 - 1)
    }

    /// A High of now.
    pub fn high(&mut self, tree: u8) -> TimeFlit {
        let time = (LOOK_AHEAD + self.get_wide("local") as i128) >> 64;
        TimeFlit::High(TimeHigh { time: time as u32, index: 1, tree, era: 0, quality: 1 })
    }

    /// A Low that is right if it is given now.
    pub fn low(&mut self, tree: u8) -> TimeFlit {
        let sixteenths = ((self.at_r() + SIXTEENTH / 2) >> 28) as u64 & ((1 << 44) - 1);
        TimeFlit::Low(TimeLow { value: TimeValue::from_sixteenths(sixteenths), tree, era: 0 })
    }

    /// SyncTime less the master's time, 2^-32 ns.
    pub fn error(&mut self) -> i128 {
        self.get_wide("sync") as i128 - self.get_wide("local") as i128 - LOOK_AHEAD
    }

    fn offered(&mut self, port: usize) -> Option<TimeFlit> {
        if self.get_wide(&format!("time_in[{port}].valid")) == 0 {
            return None;
        }
        let bits = self.get_wide(&format!("time_in[{port}].data"));
        TimeFlit::decode(Flit::from_bits(bits).expect("a flit"))
    }

    /// A clock in which each of these ports has a flit.
    pub fn give(&mut self, flits: &[(usize, TimeFlit)]) {
        for (port, flit) in flits {
            let bits = flit.encode().expect("fits").bits();
            self.set_wide(&format!("spc_out[{port}].data"), bits);
            self.set(&format!("spc_out[{port}].valid"), 1);
        }
        self.run(1);
        for (port, _) in flits {
            self.set(&format!("spc_out[{port}].valid"), 0);
        }
    }
}

/// 4.6 rule 2: what a port offers of the clock stop's generator is SyncTime of its X edge less D(h), as if it came from a port at that stop.
#[test]
fn a_clock_stop_as_a_master_keeps_the_delay_of_the_chapter() {
    (0..BUILDS.len()).for_each(master_keeps_the_delay);
}

fn master_keeps_the_delay(build: usize) {
    let mut rig = Rig::new(build);
    let (ports, stop) = (rig.build.ports, rig.build.stop());
    rig.write(page::SET_TIME, (LOOK_AHEAD >> 32) as u64);
    rig.write(page::SET_CMD, 1);
    rig.write(page::GEN_CFG, 1 | 1 << 32);
    let enabled = 1 << mstr_ctl::gen_en::LOW | 2 << mstr_ctl::era::LOW | 7 << mstr_ctl::index::LOW;
    let period = i128::from(increment(CORE_FS));
    // All ways to choose the rings of three ports; of seven each port on both, and neighbours on the same and on different ones.
    let choices = if ports == 3 { (0..1 << ports).collect() } else { vec![0, 0x7F, 0x55, 0x33] };
    for rings in choices {
        let ring = |port: usize| RingDirection::ALL[rings >> port & 1];
        (0..ports).for_each(|port| rig.role(port, 0, false, Some((stop, ring(port)))));
        rig.write(page::MSTR_CTL, enabled);
        let mut arrived = vec![[0; 2]; ports];
        for _ in 0..PERIOD_CLOCKS + 100 {
            for (port, arrived) in arrived.iter_mut().enumerate() {
                let sync = rig.get_wide("sync") as i128;
                let at_r =
                    sync - period * i128::from(rig.shape.path_on(ring(port), stop, port as u32).clocks);
                match rig.offered(port) {
                    Some(TimeFlit::Low(low)) => {
                        let expected = at_r >> 28 & ((1 << 44) - 1);
                        let found = i128::from(low.value.sixteenths());
                        assert!((found - expected).abs() <= 1, "port {port}: {found} {expected}");
                        assert_eq!((low.tree, low.era), (0, 2));
                        arrived[0] += 1;
                    }
                    Some(TimeFlit::High(high)) => {
                        assert_eq!(
                            (u128::from(high.time), high.index),
                            (at_r as u128 >> 64 & 0xFFFF_FFFF, 7)
                        );
                        arrived[1] += 1;
                    }
                    other => assert_eq!(other, None),
                }
            }
            rig.run(1);
        }
        assert_eq!(arrived, vec![[1; 2]; ports], "a period's Low and High at every port");
        rig.write(page::MSTR_CTL, 0);
    }
}

/// 7 rule 4: with the offset of equation (1) for a clock stop the switch's SyncTime is the master's, of every tree, from every port.
#[test]
fn a_clock_stop_as_a_slave_has_the_masters_time() {
    for (build, Build { ports, trees, .. }) in BUILDS.into_iter().enumerate() {
        for tree in 0..trees {
            (0..ports).for_each(|up| slave_has_the_masters_time(build, tree, up));
        }
    }
}

fn slave_has_the_masters_time(build: usize, tree: u32, up: usize) {
    let mut rig = Rig::new(build);
    rig.follow(tree, up);
    let prio = tree_prio::first::FIELD.set(0, tree.into());
    rig.write(page::TREE_PRIO, tree_prio::slave_en::FIELD.set(prio, 1 << tree) as u64);
    for round in 0..6 {
        let high = rig.high(tree as u8);
        rig.give(&[(up, high)]);
        rig.run(99);
        let low = rig.low(tree as u8);
        rig.give(&[(up, low)]);
        rig.run(PERIOD_CLOCKS - 101);
        let error = rig.error();
        println!("tree {tree}, port {up}, Low {round}: {} ps", (error * 1000) >> 32);
        assert!(error.abs() <= SIXTEENTH, "tree {tree}, port {up}: {error}");
    }
    assert_eq!(rig.get_wide("locked"), 1, "{}", rig.get_wide("servo"));
    let counted = page::TREE_COUNTERS.offset_of("SMP_OK").expect("a counter") + page::tree(tree) - page::TREE;
    assert_eq!(rig.request(counted, None), 6);
}
