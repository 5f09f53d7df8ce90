//! Equal designs give equal bytes, also from another process: hash maps have another order there.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::rows::*;
use crate::support;
use crate::support::stores::{Asynchronous, OneClock, Variant};
use flitforge_elaborate::check::{structure, CrossingCatalogue};
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::interface::describe;
use flitforge_elaborate::verilog::{write, Options, Technology};
use flitforge_elaborate::{elaborate, Evaluator};
use rust_hdl::prelude::*;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Where a process that was started by the test writes its text.
const TO: &str = "REPEATABLE_TEXT_TO";

#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
enum Mode {
    Off,
    Slow,
    Fast,
}

/// Children of many modules, states, structs, accumulators, memories.
#[derive(LogicBlock)]
struct Everything {
    clock: Signal<In, Clock>,
    a: Signal<In, Bits<4>>,
    wide: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<4>>,
    word: Signal<Out, support::stores::Word>,
    unused: Signal<Local, Bits<4>>,
    also_unused: Signal<Local, Bits<4>>,
    mode: DFF<Mode>,
    increments: [Increment; 4],
    complement: Complement,
    loops: FalseLoop,
    store: OneClock,
    table: Asynchronous,
}
impl Everything {
    fn new() -> Self {
        let variant = |style| Variant { style, depth: 10, output_register: true, enables: true, initial: 6 };
        Self {
            clock: Signal::default(),
            a: Signal::default(),
            wide: Signal::default(),
            y: Signal::default(),
            word: Signal::default(),
            unused: Signal::default(),
            also_unused: Signal::default(),
            mode: DFF::default(),
            increments: Default::default(),
            complement: Complement::default(),
            loops: FalseLoop::default(),
            store: OneClock::new(&variant(MemoryStyle::Block)),
            table: Asynchronous::new(&variant(MemoryStyle::Distributed)),
        }
    }
}
impl Logic for Everything {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mode);
        self.store.clock.next = self.clock.val();
        self.table.clock.next = self.clock.val();
        self.unused.next = self.a.val() + 1;
        self.also_unused.next = self.a.val() + 2;
        self.y.next = 0.into();
        for i in 0..4 {
            self.increments[i].a.next = self.a.val();
            self.y.next = self.y.val() ^ self.increments[i].y.val();
        }
        match self.mode.q.val() {
            Mode::Off => self.mode.d.next = Mode::Slow,
            Mode::Slow => self.mode.d.next = Mode::Fast,
            Mode::Fast => {
                if self.y.val().any() {
                    self.mode.d.next = Mode::Off;
                }
            }
        }
        self.complement.x.next = self.wide.val();
        self.loops.a.next = self.complement.y.val();
        self.store.write.next = true;
        self.store.read.next = true;
        self.store.output_enable.next = true;
        self.store.to.next = self.a.val();
        self.store.from.next = self.loops.y.val().get_bits::<4>(2);
        self.store.data.next = bit_cast::<37, 8>(self.wide.val());
        self.table.write.next = true;
        self.table.to.next = self.a.val();
        self.table.from.next = self.a.val();
        self.table.data.next = self.store.out.val();
        self.word.next = self.table.out.val();
    }
}

/// Everything the crate says about the block.
fn everything() -> String {
    let design = elaborate(&Everything::new(), "everything").expect("elaborates");
    let mut text = write(&design, &Options::default());
    text += &write(&design, &Options { technology: Technology::Ecp5 });
    text += &serde_json::to_string(&describe(&design)).expect("serialises");
    let problems = structure(&design, &CrossingCatalogue::project().expect("catalogue"));
    problems.iter().for_each(|problem| writeln!(text, "{problem}").expect("writes"));
    Evaluator::new(&design).expect("evaluates");
    let flat = flitforge_elaborate::flat::Flat::new(&design).expect("flattens");
    flat.nodes.as_slice().iter().for_each(|node| writeln!(text, "{node:?}").expect("writes"));
    writeln!(text, "{:?} {:?} {:?}", flat.sources, flat.signals, flat.registers).expect("writes");
    text
}

fn in_another_process(file: &Path) -> String {
    let own = std::env::current_exe().expect("a test binary");
    let name = "verilog_repeatable::other_processes_write_the_same_bytes";
    let mut command = Command::new(own);
    command.args(["--exact", name]).env(TO, file);
    support::run(&mut command, "");
    std::fs::read_to_string(file).expect("the other process wrote it")
}

#[test]
fn other_processes_write_the_same_bytes() {
    let text = everything();
    if let Some(file) = std::env::var_os(TO) {
        std::fs::write(file, text).expect("writes");
        return;
    }
    assert!(text.contains("is never read"), "a problem is part of the text");
    assert!(text.len() > 10_000, "{}", text.len());
    let folder = tempfile::tempdir().expect("a temporary folder");
    for number in 0..4 {
        let other = in_another_process(&folder.path().join(format!("{number}.txt")));
        let differs = text.lines().zip(other.lines()).find(|(one, two)| one != two);
        assert_eq!(differs, None, "process {number}");
        assert_eq!(text.len(), other.len());
    }
}
