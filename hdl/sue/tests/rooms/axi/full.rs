//! `BRESP_MODE` 1 when as many commands are under way as can be remembered, and when a PDU with one write ends.

use super::super::network::value_of;
use super::bodies::{completion, dispatch};
use super::channels::SUBORDINATE;
use super::protocol::Watch;
use super::transfers::WORD;
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::axi::{SueAxiSubordinate, EARLY_LATENCY, TRACKED_COMMANDS, TRACK_WIPE};
use flitforge_hdl_sue::command_in::CommandWord;
use flitforge_hdl_sue::top::BodyOrigin;
use flitforge_testkit::{compiled, Clocked as _, CompiledBlock};
use rust_hdl::prelude::*;

type WordBits = Bits<{ <CommandWord as Synth>::BITS }>;
const XPU: u16 = 7;

/// A subordinate with 64 IDs, requests of all of them before it.
struct Flood {
    block: CompiledBlock,
    watch: Watch,
    /// Requests of each direction that were taken.
    asked: [u64; 2],
    /// AW, AR and W were offered and not taken.
    waits: [bool; 3],
    /// Commands that have left: whether each is a write.
    sent: Vec<bool>,
    /// BRESP of all B.
    written: Vec<u64>,
}

impl Flood {
    fn new() -> Self {
        let mut made = SueAxiSubordinate::<6, 7>::new().expect("valid");
        made.connect_all();
        let mut block = CompiledBlock::new(&compiled("sue_axi_subordinate_6", &made));
        block.set("early_responses", 1).set("clear", 1);
        block.run(2);
        block.set("clear", 0);
        let word = u64::from(WORD);
        let inputs = [("awuser", 7), ("aruser", 7), ("awsize", word), ("arsize", word)];
        for (name, value) in inputs.into_iter().chain([("wlast", 1), ("wstrb", 0xFF), ("bready", 1)]) {
            block.set(&format!("s_axi.{name}"), value);
        }
        block.set("commands_out.ready", 1).set("credits.valid", 1).set("credits.data", 255 << 2);
        block.run(8);
        block.set("credits.valid", 0);
        let watch = Watch::new(SUBORDINATE, &block);
        Flood { block, watch, asked: [0, 0], waits: [false; 3], sent: vec![], written: vec![] }
    }

    /// A clock; requests are offered or not, but what was offered once stands.
    fn step(&mut self, offers: bool) {
        let block = &mut self.block;
        for (channel, asked) in ["aw", "ar"].into_iter().zip(&self.asked) {
            block.set(&format!("s_axi.{channel}id"), *asked % 64);
        }
        for (index, channel) in ["aw", "ar", "w"].into_iter().enumerate() {
            let valid = offers || self.waits[index];
            block.set(&format!("s_axi.{channel}valid"), valid.into());
            let ready = block.get(&format!("s_axi.{channel}ready")) == 1;
            self.waits[index] = valid && !ready;
            if let Some(asked) = self.asked.get_mut(index) {
                *asked += u64::from(valid && ready);
            }
        }
        if block.get("commands_out.valid") == 1 {
            let word: CommandWord = WordBits::from_value(&block.get_value("commands_out.data")).into();
            if word.last {
                self.sent.push(word.is_data);
            }
        }
        if block.get("s_axi.bvalid") == 1 {
            self.written.push(block.get("s_axi.bresp"));
        }
        self.watch.clock(block);
        block.step();
    }

    /// The next commands are a PDU of this port.
    fn begin(&mut self, port: u8, commands: usize) {
        let said = dispatch(XPU, 0, commands, port, None);
        self.block.set_value("dispatches.data", &value_of::<_, 27>(said)).set("dispatches.valid", 1);
        self.step(false);
        self.block.set("dispatches.valid", 0);
        self.step(false);
    }

    /// The oldest PDU of this port ends.
    fn end(&mut self, port: u8, commands: usize, status: usize) {
        let origin = BodyOrigin { port: u64::from(port).into(), sent: true };
        let said = completion(XPU, 0, commands, status);
        self.block.set_value("completion_of", &value_of::<_, 3>(origin));
        self.block.set_value("completions.data", &value_of::<_, 36>(said)).set("completions.valid", 1);
        self.step(false);
        self.block.set("completions.valid", 0);
    }
}

#[test]
fn a_full_table_stops_requests_and_loses_none() {
    let mut flood = Flood::new();
    let mut done = 0;
    for (round, status) in [0, 3, 0].into_iter().enumerate() {
        for _ in 0..20_000 {
            flood.step(true);
        }
        assert_eq!(
            flood.sent.len(),
            done + TRACKED_COMMANDS,
            "round {round}: one more, and it would be lost"
        );
        assert_eq!(flood.written.len(), flood.sent[..done].iter().filter(|writes| **writes).count());
        // In two PDUs of two ports; the younger one ends first.
        flood.written.clear();
        let (old, young) = (100, TRACKED_COMMANDS - 100);
        flood.begin(0, old);
        flood.begin(1, young);
        let writes = |part: &[bool]| part.iter().filter(|writes| **writes).count();
        let (first, second) = flood.sent[done..done + TRACKED_COMMANDS].split_at(old);
        let expected = [writes(second), writes(first)];
        assert!(expected.iter().all(|count| *count > 20), "{expected:?}");
        let resp = if status == 0 { 0 } else { 2 };
        for (port, commands, expected) in [(1, young, expected[0]), (0, old, expected[1])] {
            flood.written.clear();
            flood.end(port, commands, status);
            for _ in 0..20 * TRACKED_COMMANDS {
                flood.step(false);
            }
            assert_eq!(flood.written, vec![resp; expected], "round {round}, port {port}");
        }
        // What was waiting has gone on by now.
        done += TRACKED_COMMANDS;
        assert!(flood.sent.len() > done, "round {round}");
        flood.written = flood.sent[..done].iter().filter(|writes| **writes).map(|_| 0).collect();
    }
}

#[test]
fn a_write_is_answered_as_soon_as_its_pdu_ends() {
    let mut flood = Flood::new();
    // No request begins before the lists are empty.
    for _ in 0..TRACK_WIPE - 10 {
        flood.step(true);
    }
    assert_eq!(flood.sent.len(), 0, "not yet");
    while flood.sent.is_empty() {
        flood.step(true);
    }
    let first_is_write = flood.sent[0];
    while flood.sent.len() < 2 {
        flood.step(false);
    }
    assert!(first_is_write && !flood.sent[1], "AW and AR take turns");
    flood.begin(2, 1);
    for _ in 0..100 {
        flood.step(false);
    }
    assert!(flood.written.is_empty());
    flood.end(2, 1, 0);
    let mut clocks = 1;
    while flood.block.get("s_axi.bvalid") == 0 {
        flood.step(false);
        clocks += 1;
        assert!(clocks < 200, "never");
    }
    assert_eq!(clocks, u64::from(EARLY_LATENCY));
}
