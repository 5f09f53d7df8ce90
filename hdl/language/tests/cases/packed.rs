//! # Packed structs and enums
//!
//! `#[packed]` makes a struct of its fields' bits, the first in the lowest. `#[packed(path::layout)]` checks it against a
//! layout of the protocol: every field is there, where the layout has it and as wide; reserved bits are fields with `#[reserved]`. `#[packed]` on an enum
//! gives its variants the codes 0, 1, 2, ...; `#[packed(path::Enum)]` checks them against an enum of the protocol.
//!
//! `x.field` reads a field of a signal or a `let`, `x.field = e` drives one of an output, a register, a `Local` or a `let mut`.
//! `Type { a, b: c }` and `Type { a, ..x }` are values of a `let` and of what is driven.
//!
//! A `match` looks at an enum as in Rust. `.into()` makes `Bits` of them, and of `Bits` a struct. A code that no variant has
//! cannot be told from the first variant in Rust: keep it away from inputs.

use flitforge_base::prelude::*;
use flitforge_protocol::{link_registers, time_ring};

/// Kind of a slot's content.
#[packed(time_ring::SlotKind)]
pub enum SlotKind {
    None,
    Low,
    High,
    Token,
}

/// Control bits of a slot.
#[packed(time_ring::slot_control)]
pub struct SlotControl {
    src: Bits<6>,
    tree: Bits<2>,
    kind: SlotKind,
    mon: Bit,
    par: Bit,
    v: Bit,
    wait: Bits<4>,
}

/// A register page's control word.
#[packed(link_registers::ctrl)]
pub struct Control {
    enable: Bit,
    disable: Bit,
    retrain: Bit,
    restore: Bit,
    #[reserved]
    between: Bit,
    clear_counters: Bit,
    #[reserved]
    above: Bits<58>,
}

/// Marks what passes, and removes what it marked.
#[block]
pub struct Case {
    clock: In<Clock>,
    control_in: In<SlotControl>,
    monitor: In<Bit>,
    control_out: Out<SlotControl>,
    first: Out<Bits<17>>,
    is_token: Out<Bit>,
    urgent: Out<Bits<2>>,
    wdata: In<Bits<64>>,
    comes_up: Out<Bit>,
    control: Reg<SlotControl>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        let again = control_in.mon & monitor;
        control = SlotControl { mon: control_in.mon | monitor, v: control_in.v & !again, ..control_in };
        if again {
            control.wait = 0;
        }
        control_out = control;
        is_token = control_in.kind == SlotKind::Token;
        urgent = match control_in.kind {
            SlotKind::Low => 3,
            SlotKind::High | SlotKind::Token => 1,
            SlotKind::None => 0,
        };
        let written: Control = wdata.into();
        comes_up = written.enable & !written.disable;
        let tree = control.tree;
        let fresh = SlotControl { src: 5, tree, kind: SlotKind::Low, mon: false, par: tree.xor(), v: true, wait: 0 };
        first = fresh.into();
    }
}
