//! What packed structs and enums refuse.
use flitforge_base::prelude::*;
use flitforge_protocol::time_ring;

#[packed]
struct Wide<T> {
    a: T,
}

#[packed]
struct Tuple(Bits<4>);

#[packed]
struct Nothing {}

#[packed]
enum One {
    Only,
}

#[packed]
enum Coded {
    First = 1,
    Second = 2,
}

#[packed]
enum Loaded {
    First,
    Second(Bit),
}

#[packed]
enum Loud {
    IDLE,
    RUN,
}

#[packed]
fn function() {}

#[packed(time_ring::slot_control)]
struct Misplaced {
    src: Bits<6>,
    tree: Bits<2>,
    kind: Bits<2>,
    par: Bit,
    mon: Bit,
    v: Bit,
    wait: Bits<4>,
}

#[packed(time_ring::slot_control)]
struct Short {
    src: Bits<6>,
    tree: Bits<2>,
}

#[packed(time_ring::SlotKind)]
enum Renamed {
    None,
    High,
    Low,
    Token,
}

#[packed(time_ring::SlotKind)]
enum Fewer {
    None,
    Low,
}

fn main() {}
