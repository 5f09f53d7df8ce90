//! Memories of every style and shape: the evaluator and the emitted text in Icarus against `update()` of a marked
//! primitive, and what Yosys makes of the text on ECP5.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::support;
use crate::support::stock::same_with;
use crate::support::stores::{Asynchronous, Clocked, OneClock, Variant};
use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::selfcheck::against_stock;
use flitforge_elaborate::{elaborate, verilog, Value};
use rust_hdl::prelude::*;
use std::process::Command;

const STYLES: [MemoryStyle; 4] =
    [MemoryStyle::Auto, MemoryStyle::Block, MemoryStyle::Distributed, MemoryStyle::Logic];
/// Full, not a power of two, far fewer words than the address reaches, a single word.
const DEPTHS: [u32; 4] = [16, 10, 3, 1];

/// The variants of one style.
fn variants(style: MemoryStyle) -> Vec<Variant> {
    let mut all = vec![];
    for (number, depth) in DEPTHS.into_iter().enumerate() {
        for output_register in [false, true] {
            // Enables and contents alternate, so that each occurs with and without an output register.
            let enables = (number + usize::from(output_register)) % 3 != 1;
            let initial = if depth > 3 { depth - 3 } else { u32::from(number != 3) };
            all.push(Variant { style, depth, output_register, enables, initial });
        }
    }
    all
}

/// Evaluator and text do what `update()` does.
fn exact<B: DriveBlock + 'static>(make: impl Fn() -> B, variant: &Variant, what: &str) {
    against_stock(&make, 400, 11).unwrap_or_else(|mismatch| panic!("{what} {variant:?}: {mismatch}"));
    println!("{what} {variant:?}");
    // Mostly words that exist, sometimes one or two beyond.
    let (_, changes) = same_with(make(), what, 500, &|vector| {
        for address in vector.iter_mut().filter(|value| value.width() == 4) {
            *address = Value::from_u64(4, address.low_u64() % u64::from(variant.depth + 2));
        }
    });
    assert!(changes > 15, "{what} {variant:?}: only {changes} changes");
}

fn every_shape(style: MemoryStyle) {
    for variant in variants(style) {
        exact(|| Clocked::new(&variant), &variant, "two_clocks");
        exact(|| OneClock::new(&variant), &variant, "one_clock");
        if !variant.output_register {
            exact(|| Asynchronous::new(&variant), &variant, "asynchronous");
        }
    }
}

#[test]
fn automatic_style() {
    every_shape(STYLES[0]);
}

#[test]
fn block_style() {
    every_shape(STYLES[1]);
}

#[test]
fn distributed_style() {
    every_shape(STYLES[2]);
}

#[test]
fn logic_style() {
    every_shape(STYLES[3]);
}

#[test]
fn memories_lint_clean() {
    for style in STYLES {
        let variant = Variant { style, depth: 10, output_register: true, enables: true, initial: 4 };
        support::lint(&elaborate(&OneClock::new(&variant), "one_clock").expect("elaborates"), &[]);
    }
    let variant = &variants(MemoryStyle::Distributed)[2];
    support::lint(&elaborate(&Asynchronous::new(variant), "asynchronous").expect("elaborates"), &[]);
}

/// The memory of [`Clocked`], its clocks kept apart by the block around it.
#[derive(LogicBlock)]
struct Bridge {
    from: Signal<In, Clock>,
    to: Signal<In, Clock>,
    out: Signal<Out, support::stores::Word>,
    words: Clocked,
}
impl Logic for Bridge {
    #[hdl_gen]
    fn update(&mut self) {
        self.words.write_clock.next = self.from.val();
        self.words.read_clock.next = self.to.val();
        self.words.write.next = true;
        self.words.read.next = true;
        self.words.output_enable.next = true;
        self.words.to.next = 0.into();
        self.words.from.next = 1.into();
        self.words.data.next = 7.into();
        self.out.next = self.words.out.val();
    }
}

#[test]
fn a_dual_clock_memory_is_a_crossing_where_it_is_used() {
    let variant = &variants(MemoryStyle::Block)[0];
    let crossings = |block: &dyn Block| {
        let design = elaborate(block, "top").expect("elaborates");
        let found = structure(&design, &CrossingCatalogue::project().expect("catalogue"));
        found.into_iter().filter(|problem| problem.kind == Kind::ClockCrossing).count()
    };
    assert_eq!(crossings(&Clocked::new(variant)), 0, "a primitive by itself has no user");
    assert_eq!(crossings(&OneClock::new(variant)), 0, "one clock");
    let bridge = Bridge {
        from: Signal::default(),
        to: Signal::default(),
        out: Signal::default(),
        words: Clocked::new(variant),
    };
    assert_eq!(crossings(&bridge), 1);
}

/// Synthesis for ECP5 makes at least one `cell` of the block, and none of `never`.
fn maps(block: &dyn Block, cell: &str, never: &str) {
    let Some(yosys) = support::tool("yosys") else { return };
    let text = verilog::write(&elaborate(block, "store").expect("elaborates"), &Default::default());
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("store.v"), &text).expect("written");
    let script = format!(
        "read_verilog store.v; synth_ecp5 -top store; select -assert-min 1 t:{cell}; select -assert-none t:{never}"
    );
    support::run(Command::new(yosys).current_dir(folder.path()).args(["-q", "-p", &script]), &text);
}

#[test]
fn block_style_becomes_block_ram() {
    let variant =
        Variant { style: MemoryStyle::Block, depth: 10, output_register: true, enables: true, initial: 4 };
    maps(&OneClock::new(&variant), "DP16KD", "TRELLIS_DPR16X4");
}

#[test]
fn distributed_style_becomes_lut_ram() {
    let variant = Variant {
        style: MemoryStyle::Distributed,
        depth: 16,
        output_register: false,
        enables: true,
        initial: 0,
    };
    maps(&Asynchronous::new(&variant), "TRELLIS_DPR16X4", "DP16KD");
}

#[test]
fn logic_style_becomes_flip_flops() {
    let variant =
        Variant { style: MemoryStyle::Logic, depth: 3, output_register: false, enables: true, initial: 2 };
    maps(&OneClock::new(&variant), "TRELLIS_FF", "TRELLIS_DPR16X4 t:DP16KD %u");
}
