//! T12 and T17 in small: the manager library programs the five compiled devices of `clock_tree` over its serial line, and the slaves'
//! SyncTime is the master's.

use flitforge_fabric::clock_tree::{start, table, Settings, SLAVES};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::register_line::RegisterLine;
use flitforge_hdl::node::clock_tree::{ClockTree, ClockTreeConfig};
use flitforge_hdl::node::register_line::RegisterLineConfig;
use flitforge_hdl::prim::uart::UartConfig;
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_sim::cosim::Depth;
use flitforge_testkit::{compiled, depth, handle, Clocked, CompiledBlock, Pins};
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Arc, OnceLock};

/// Core and word clock: 50 ns, so that a period has few of them.
const CORE_FS: u64 = 50_000_000;
/// The serial line has as few clocks per bit as there may be.
const CLOCK_HZ: u64 = 20_000_000;
const BIT_CLOCKS: u64 = 8;
/// Bits of a character on the line.
const FRAME: u64 = 10;
/// GEN_PERIOD 1, clocks, and a few more.
const PERIOD_CLOCKS: u64 = (1 << 20) / 50 + 8;
/// Clocks for which the manager waits before it asks again.
const WAIT_CLOCKS: u64 = 2_000;
/// Clocks in which a character of an answer comes.
const PATIENCE: u64 = 1_000;
/// Clocks in which all links come up.
const TRAINING_CLOCKS: u64 = 100_000;
/// The master's time at the start, ns.
const START_NS: u64 = 1_700_000_000_000_000_000;
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
    let config = ClockTreeConfig {
        core_fs: CORE_FS,
        line: RegisterLineConfig {
            uart: UartConfig { clock_hz: CLOCK_HZ, baud: CLOCK_HZ / BIT_CLOCKS },
            limit: 255,
        },
        delays: [3, 9, 1, 14],
        period: 1,
        pulse_clocks: 1,
        short: true,
    };
    let mut tree = ClockTree::new(&config).expect("valid");
    rust_hdl::prelude::Block::connect_all(&mut tree);
    compiled("clock_tree", &tree)
}

/// The tree and what hangs on its serial line.
struct Rig {
    block: CompiledBlock,
    line_in: Handle,
    line_out: Handle,
}

impl Clocked for Rig {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        self.block.step();
    }
}

impl Rig {
    fn new() -> Self {
        let [line_in, line_out] = ["line_in", "line_out"].map(|name| handle(program(), name));
        let mut rig = Self { block: CompiledBlock::new(program()), line_in, line_out };
        rig.set("line_in", 1);
        rig.set("clear", 1);
        rig.run(4);
        rig.set("clear", 0);
        let mut clocks = 0;
        while rig.get_wide("links_up") != 0xF {
            assert!(clocks < TRAINING_CLOCKS, "links {:#x} are up", rig.get_wide("links_up"));
            rig.run(100);
            clocks += 100;
        }
        rig
    }

    /// Start bit, data, stop bit.
    fn send(&mut self, letter: u8) {
        let frame = 1 << (FRAME - 1) | u64::from(letter) << 1;
        for bit in 0..FRAME {
            assert!(self.block.instance.set(self.line_in, frame >> bit & 1));
            self.run(BIT_CLOCKS);
        }
    }

    fn receive(&mut self) -> Option<char> {
        let mut patience = PATIENCE;
        while self.block.instance.get(self.line_out) == 1 {
            patience = patience.checked_sub(1)?;
            self.run(1);
        }
        self.run(BIT_CLOCKS / 2);
        let mut letter = 0;
        for bit in 0..8 {
            self.run(BIT_CLOCKS);
            letter |= (self.block.instance.get(self.line_out) as u8) << bit;
        }
        self.run(BIT_CLOCKS);
        assert_eq!(self.block.instance.get(self.line_out), 1, "stop bit");
        Some(letter.into())
    }

    /// The answer to a line, without its end; empty if there is none.
    fn ask(&mut self, line: &str) -> String {
        line.bytes().chain([b'\n']).for_each(|letter| self.send(letter));
        let mut answer = String::new();
        while let Some(letter) = self.receive() {
            match letter {
                '\n' => break,
                letter => answer.push(letter),
            }
        }
        answer.trim_end().into()
    }

    /// SyncTime of each slave less the master's, 1/256 ns.
    fn apart(&mut self) -> [i128; 2] {
        let [master, first, second] = [0, 1, 2].map(|end| self.get_wide(&format!("sync[{end}]")) as i128);
        [(first - master) / FINE, (second - master) / FINE]
    }
}

impl Read for Rig {
    /// A character; none within the time limit is `TimedOut`.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let letter = self.receive().ok_or(ErrorKind::TimedOut)?;
        bytes[0] = letter as u8;
        Ok(1)
    }
}

impl Write for Rig {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.iter().for_each(|letter| self.send(*letter));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn t17_the_manager_programs_a_tree_of_compiled_devices() {
    let periods = match depth() {
        Depth::Quick => 3,
        _ => 40,
    };
    let mut rig = Rig::new();
    for (line, answer) in [("r 5 0000", "?d"), ("r 0 0801", "?o"), ("hello", "?s")] {
        assert_eq!(rig.ask(line), answer, "{line}");
    }
    let mut line = RegisterLine::new(rig, |rig, _| rig.run(WAIT_CLOCKS)).expect("in step");
    let links = LinkMeasurement { rounds_log2: 2, asymmetry: 0, tolerance: 64 };
    let (_, plan) = start(&mut line, &Settings { time: START_NS, period: 1, links }).expect("started");
    assert_eq!(plan.offsets.rows.len(), 4, "two switches and two slaves");
    assert_eq!(line.repeated(), 0, "no character was lost");
    let rig = line.stream();
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
    let is_long = periods > 12;
    assert!(!is_long || rig.get_wide("locked") >> 1 == 3, "both slaves");
    let shown = table(&mut line).expect("read");
    println!("{shown}");
    assert!(!is_long || shown.is_locked(), "{}", shown.states());
    for (row, slave) in shown.rows[1..].iter().zip(SLAVES) {
        assert_eq!(row.device, slave);
        assert!(row.samples.expect("a slave") >= periods);
        assert!(row.error.expect("a slave").abs() <= BOUND as i64, "{:?} / 256 ns", row.error);
    }
}
