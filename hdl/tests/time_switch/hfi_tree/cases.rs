//! T12 and T17 in small: the manager library programs five compiled devices, and the slaves' SyncTime is the master's.

use super::block::HfiTree;
use crate::tree::topology;
use flitforge_fabric::manager::program::{Generation, Manager};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::manager::tree::TreePolicy;
use flitforge_fabric::manager::{AccessError, RegisterAccess};
use flitforge_fabric::topology::DeviceId;
use flitforge_model::time::config::increment;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers as page;
use flitforge_sim::compiled::{Clocks, Compiled, Instance};
use flitforge_sim::cosim::{design_of, Depth};
use std::sync::{Arc, OnceLock};

/// Core and word clock: 50 ns, so that a period has few of them.
const CORE_FS: u64 = 50_000_000;
/// GEN_PERIOD 1, clocks, and a few more.
const PERIOD_CLOCKS: u64 = (1 << 20) / 50 + 8;
/// Clocks for which the manager waits before it asks again.
const WAIT_CLOCKS: u64 = 2_000;
/// Of the thread that builds the block: by value, as all blocks are.
const STACK_BYTES: usize = 256 << 20;
/// 1/256 ns, 2^-32 ns.
const FINE: i128 = 1 << 24;
/// 1/8 ns for a Low and 1/8 ns for the measurement of each link (T5, T10), three of them on the longest way.
const BOUND: i128 = 3 * 64;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        builder.spawn(compile).expect("a thread").join().expect("compiled")
    })
}

fn compile() -> Arc<Compiled> {
    let mut tree = HfiTree::new(CORE_FS, increment(CORE_FS));
    rust_hdl::prelude::Block::connect_all(&mut tree);
    let design = design_of("hfi_tree", &tree).expect("elaborates");
    Compiled::new(&design).expect("compiles")
}

struct Rig {
    instance: Instance,
    clocks: Clocks,
}

impl Rig {
    fn new(delays: [u64; 8]) -> Self {
        let mut rig = Self { instance: program().instance(), clocks: program().all_clocks() };
        for (line, delay) in delays.into_iter().enumerate() {
            rig.set(&format!("delay[{line}]"), delay);
        }
        rig.set("link_addr", u64::from(CTRL / BYTES));
        rig.run(40);
        rig.set("link_we", 1);
        rig.run(1);
        rig.set("link_we", 0);
        let active = u128::from(LinkState::Active.code());
        // The last port has no link.
        while !(0..8).all(|link| rig.words(&format!("states[{link}]")) == active) {
            rig.run(100);
        }
        rig
    }

    fn set(&mut self, name: &str, value: u64) {
        let handle = program().handle(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(self.instance.set(handle, value), "{name} is an input");
    }

    fn words(&mut self, name: &str) -> u128 {
        let handle = program().handle(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.instance.words(handle).iter().rev().fold(0, |word, part| word << 64 | u128::from(*part))
    }

    fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.instance.step(self.clocks));
    }

    fn request(&mut self, device: DeviceId, offset: u32, write: Option<u64>) -> Result<u64, AccessError> {
        let [addr, we, re] = ["addr", "we", "re"].map(|name| format!("{name}[{device}]"));
        self.set(&addr, u64::from(offset / BYTES));
        self.set("wdata", write.unwrap_or(0));
        self.set(&we, write.is_some().into());
        self.set(&re, write.is_none().into());
        for _ in 0..100 {
            self.run(1);
            self.set(&we, 0);
            self.set(&re, 0);
            if self.words(&format!("ack[{device}]")) == 1 {
                let value = self.words(&format!("rdata[{device}]")) as u64;
                self.run(1);
                return Ok(value);
            }
        }
        Err(AccessError { device, offset, problem: "no ack" })
    }

    /// SyncTime of each slave less the master's, 1/256 ns.
    fn apart(&mut self) -> [i128; 2] {
        let [master, first, second] = [0, 1, 2].map(|end| self.words(&format!("sync[{end}]")) as i128);
        [(first - master) / FINE, (second - master) / FINE]
    }
}

impl RegisterAccess for Rig {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        self.request(device, offset, None)
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.request(device, offset, Some(value)).map(|_| ())
    }

    fn wait_us(&mut self, _: u64) {
        self.run(WAIT_CLOCKS);
    }
}

#[test]
fn t17_the_manager_programs_a_tree_of_compiled_devices() {
    let periods = match Depth::from_environment().expect("FLITFORGE_COSIM") {
        Depth::Quick => 3,
        _ => 40,
    };
    let mut rig = Rig::new([3, 3, 9, 9, 1, 1, 14, 14]);
    let mut manager = Manager::new(topology(), increment(CORE_FS), TreePolicy::ShortestDelay);
    let how = LinkMeasurement { rounds_log2: 2, asymmetry: 0, tolerance: 64 };
    manager.measure(&mut rig, &how).expect("both ends of every link agree");
    manager.read_increments(&mut rig).expect("read");
    let plan = manager.plan(0, 0).expect("a tree");
    rig.write(0, page::SET_TIME, 1_700_000_000_000_000_000).expect("there");
    rig.write(0, page::SET_CMD, 1).expect("there");
    let generation = Generation { period: 1, phase: 0, high_every: 1, quality: 1 };
    manager.start(&mut rig, &plan, 1, &generation).expect("programmed");
    // The first Low overtakes its High on the way; the second one steps both slaves.
    rig.run(2 * PERIOD_CLOCKS + 2_000);
    rig.set("load", 1);
    let mut most = [0; 2];
    for _ in 0..periods * PERIOD_CLOCKS / 500 {
        rig.run(500);
        let apart = rig.apart();
        assert!(apart.iter().all(|apart| apart.abs() <= BOUND), "{apart:?} / 256 ns");
        most = [0, 1].map(|slave: usize| apart[slave].abs().max(most[slave]));
    }
    println!("{periods} periods: the slaves' times are the master's to {most:?} / 256 ns");
    if periods > 12 {
        assert_eq!([1, 2].map(|end| rig.words(&format!("locked[{end}]"))), [1; 2]);
    }
    for slave in [3, 4] {
        let counted = page::TREE_COUNTERS.offset_of("SMP_OK").expect("a counter");
        assert!(rig.read(slave, counted).expect("there") >= periods);
    }
}

const _: () = assert!(ctrl::enable::LOW == 0);
