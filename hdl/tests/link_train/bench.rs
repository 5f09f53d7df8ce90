//! Two ends that train with each other: two `link_lanes` in native code, and two channels between them.

use crate::link_train::channel::{Cable, Channel};
use flitforge_elaborate::Value;
use flitforge_hdl::link::train::{LinkLanes, LinkTrainConfig};
use flitforge_protocol::link::LinkState;
use flitforge_protocol::training::TrainReason;
use flitforge_sim::compiled::{Compiled, Handle};
use flitforge_testkit::{compiled, handle, handles, Clocked, CompiledBlock, Pins};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

/// Handles that are used in every clock.
struct Program {
    program: Arc<Compiled>,
    tx: Vec<[Handle; 3]>,
    rx: Vec<[Handle; 2]>,
    rows_in: [Handle; 3],
    rows_out: [Handle; 2],
}

/// Word 1 of the chapter's training set: caps 7, preferred 1, F = 2, R = 128, vAU 3, 4 VLs.
pub const OFFER: u64 = 0x3_6E8F;

fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let block = LinkLanes::<4>::new(LinkTrainConfig::short(4)).expect("valid");
        let program = compiled("link_lanes", &block);
        let lane = |name: &str, lane: usize, part: &str| handle(&program, &format!("{name}[{lane}].{part}"));
        Program {
            tx: (0..4).map(|l| ["valid", "data", "ready"].map(|part| lane("tx", l, part))).collect(),
            rx: (0..4).map(|l| ["valid", "data"].map(|part| lane("rx", l, part))).collect(),
            rows_in: handles(&program, "rows_in", ["valid", "data", "ready"]),
            rows_out: handles(&program, "rows_out", ["valid", "data"]),
            program: program.clone(),
        }
    })
}

/// One end, and the rows that go from it.
pub struct End {
    block: CompiledBlock,
    pulses: Vec<&'static str>,
    /// Rows taken since the end began to run, that the other one has not had.
    rows: VecDeque<Value>,
    sent: u64,
    was_running: bool,
    /// Rows that came since the peer's start row.
    pub received: u64,
    /// Clocks in Init, Active or Degraded without a right row.
    silent: u64,
    pub states: BTreeSet<LinkState>,
    pub reasons: BTreeSet<TrainReason>,
}

impl Clocked for End {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        self.block.step();
    }
}

impl End {
    fn new(guid: u64) -> Self {
        let program = program();
        let mut end = End {
            block: CompiledBlock::new(&program.program),
            pulses: vec![],
            rows: VecDeque::new(),
            sent: 0,
            was_running: false,
            received: 0,
            silent: 0,
            states: BTreeSet::new(),
            reasons: BTreeSet::new(),
        };
        for (name, value) in [
            ("enable", 1),
            ("allowed", 0xF),
            ("offer", OFFER),
            ("guid_low", guid & 0xFFFF_FFFF),
            ("guid_high", guid >> 32),
            ("signal_ok", 0xF),
            ("lane_lock", 0xF),
        ] {
            end.set(name, value);
        }
        end
    }

    /// Sets an input for one clock.
    pub fn pulse(&mut self, name: &'static str) {
        self.set(name, 1);
        self.pulses.push(name);
    }

    pub fn state(&mut self) -> LinkState {
        LinkState::from_code(self.get("state") as u8).expect("a state")
    }

    pub fn is_up(&mut self) -> bool {
        matches!(self.state(), LinkState::Active | LinkState::Degraded)
    }

    /// The words that go out in this clock; the channel takes them all.
    fn words(&mut self) -> [Option<u64>; 4] {
        let program = program();
        std::array::from_fn(|lane| {
            self.block.instance.set(program.tx[lane][2], 1);
            let valid = self.block.instance.get(program.tx[lane][0]) == 1;
            valid.then(|| self.block.instance.get(program.tx[lane][1]))
        })
    }
}

/// Both ends.
pub struct Pair {
    pub ends: [End; 2],
    /// The direction from each end.
    pub channels: [Channel; 2],
    pub clocks: u64,
    /// Rows that came and were not those sent, while both ends were Active.
    pub wrong_rows: u64,
    /// An end in Init is told InitDone once it and its peer have had rows.
    pub finish_init: bool,
}

/// Row `number` of an end, a value that no two rows share.
fn row(number: u64) -> Value {
    let mut row = Value::zero(128);
    for (place, bit) in (0..128).enumerate() {
        let word = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(place as u32);
        row.set_bit(bit, word & 1 == 1);
    }
    row
}

impl Pair {
    pub fn new(cables: [Cable; 2]) -> Self {
        Pair {
            ends: [End::new(0x1122_3344_5566_7788), End::new(0x99AA_BBCC_DDEE_FF00)],
            channels: cables.map(Channel::new),
            clocks: 0,
            wrong_rows: 0,
            finish_init: true,
        }
    }

    /// One clock of everything.
    pub fn clock(&mut self) {
        for end in 0..2 {
            self.send_rows(end);
        }
        let words = [0, 1].map(|end| self.ends[end].words());
        let out = [0, 1].map(|end| self.channels[end].out());
        let inverts = [0, 1].map(|end| self.ends[end].get("invert"));
        for end in 0..2 {
            self.receive(end, out[1 - end]);
        }
        for end in 0..2 {
            self.ends[end].block.step();
            self.channels[end].clock(words[end], inverts[1 - end]);
            for name in std::mem::take(&mut self.ends[end].pulses) {
                self.ends[end].set(name, 0);
            }
            let state = self.ends[end].state();
            let reason = TrainReason::from_code(self.ends[end].get("reason") as u8).expect("a reason");
            self.ends[end].states.insert(state);
            self.ends[end].reasons.insert(reason);
        }
        self.clocks += 1;
    }

    /// Offers a row, and notes it if it is taken.
    fn send_rows(&mut self, index: usize) {
        let (program, end) = (program(), &mut self.ends[index]);
        let running = end.get("running") == 1;
        if running != end.was_running {
            (end.sent, end.received) = (0, 0);
            end.rows.clear();
        }
        end.was_running = running;
        end.block.instance.set(program.rows_in[0], u64::from(running));
        if running {
            let value = row(end.sent);
            end.block.instance.set_words(program.rows_in[1], value.words());
            if end.block.instance.get(program.rows_in[2]) == 1 {
                end.rows.push_back(value);
                end.sent += 1;
            }
        }
    }

    fn receive(&mut self, index: usize, words: [Option<u64>; 4]) {
        let program = program();
        let both_up = self.ends[0].is_up() && self.ends[1].is_up();
        let lanes = self.ends[index].get("rx_lanes").count_ones();
        let peer_runs = self.ends[1 - index].was_running;
        let end = &mut self.ends[index];
        for (port, word) in program.rx.iter().zip(words) {
            end.block.instance.set(port[0], u64::from(word.is_some()));
            end.block.instance.set(port[1], word.unwrap_or(0));
        }
        if end.block.instance.get(program.rows_out[0]) == 1 {
            let found = end.block.instance.words(program.rows_out[1]).to_vec();
            let bad = end.get("row_error") != 0;
            let expected = self.ends[1 - index].rows.pop_front();
            let words = |words: &[u64]| -> Vec<u32> {
                (0..lanes as usize).map(|lane| (words[lane / 2] >> (lane % 2 * 32)) as u32).collect()
            };
            let right = !bad && expected.is_some_and(|row| words(row.words()) == words(&found));
            self.ends[index].received += u64::from(right);
            if right {
                self.ends[index].silent = 0;
            }
            self.wrong_rows += u64::from(!right && both_up && peer_runs);
        }
        // What retry does: framing lost (BAD_RUN), or Init too long.
        let end = &mut self.ends[index];
        let waits = end.is_up() || end.state() == LinkState::Init;
        end.silent = if waits { end.silent + 1 } else { 0 };
        if end.silent == BAD_CLOCKS {
            end.silent = 0;
            end.pulse("retrain");
        }
        let done = |end: &mut End| end.received > 3;
        let heard = done(&mut self.ends[0]) && done(&mut self.ends[1]);
        if self.finish_init && heard && self.ends[index].state() == LinkState::Init {
            self.ends[index].pulse("init_done");
        }
    }

    /// Runs until `done`; the clocks it took, `None` if it took `limit`.
    pub fn run_until(&mut self, limit: u64, mut done: impl FnMut(&mut Self) -> bool) -> Option<u64> {
        let start = self.clocks;
        while self.clocks - start < limit {
            if done(self) {
                return Some(self.clocks - start);
            }
            self.clock();
        }
        None
    }

    pub fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }

    pub fn both_up(&mut self) -> bool {
        self.ends[0].is_up() && self.ends[1].is_up()
    }

    /// Runs until both are Active or Degraded.
    pub fn come_up(&mut self, what: &str) -> u64 {
        let clocks = self.run_until(LIMIT, Self::both_up);
        let states = [self.ends[0].state(), self.ends[1].state()];
        clocks.unwrap_or_else(|| panic!("{what}: not up after {LIMIT} clocks, states {states:?}"))
    }

    /// Lanes of both directions: sent on, received on, by the sending end. They must be equal.
    pub fn lanes(&mut self) -> [u64; 2] {
        [0, 1].map(|from| {
            let (tx, rx) = (self.ends[from].get("tx_lanes"), self.ends[1 - from].get("rx_lanes"));
            assert_eq!(tx, rx, "direction from end {from}: lanes sent and received on");
            let modes = (self.ends[from].get("tx_mode"), self.ends[1 - from].get("rx_mode"));
            assert_eq!(modes.0, modes.1, "direction from end {from}: CRC mode sent and received in");
            tx
        })
    }

    /// Traffic flows both ways and is right.
    pub fn carries(&mut self, what: &str) {
        self.wrong_rows = 0;
        let before = [self.ends[0].received, self.ends[1].received];
        self.run(200);
        for (end, before) in before.into_iter().enumerate() {
            let rows = self.ends[end].received.wrapping_sub(before);
            assert!((190..=200).contains(&rows), "{what}: {rows} rows came to end {end} in 200 clocks");
        }
        assert_eq!(self.wrong_rows, 0, "{what}: wrong rows");
    }
}

/// Clocks without a right row after which an end asks for Retraining.
const BAD_CLOCKS: u64 = 1_000;

/// Clocks in which a link with short times must be up, whatever was before.
pub const LIMIT: u64 = 12_000;
