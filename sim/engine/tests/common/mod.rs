//! Small blocks to test the kit with.
#![allow(dead_code, clippy::expect_used)] // the examples use a part

pub mod machine;
pub mod readback;

use flitforge_elaborate::drive::{DriveBlock, FromValue};
use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "StreamOut"]
pub struct StreamIn<T: Synth> {
    pub data: Signal<In, T>,
    pub valid: Signal<In, bool>,
    pub ready: Signal<Out, bool>,
}

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "StreamIn"]
pub struct StreamOut<T: Synth> {
    pub data: Signal<Out, T>,
    pub valid: Signal<Out, bool>,
    pub ready: Signal<In, bool>,
}

drive_ports!(impl[T: Synth + FromValue] StreamIn<T> { data, valid, ready });
drive_ports!(impl[T: Synth + FromValue] StreamOut<T> { data, valid, ready });

/// Counts enabled clocks.
#[derive(LogicBlock)]
pub struct Counter<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, bool>,
    pub enable: Signal<In, bool>,
    pub count: Signal<Out, Bits<N>>,
    value: DFF<Bits<N>>,
    one: Constant<Bits<N>>,
    zero: Constant<Bits<N>>,
}

impl<const N: usize> Counter<N> {
    pub fn boxed() -> Box<dyn DriveBlock> {
        Box::new(Self::new())
    }

    pub fn new() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            enable: Default::default(),
            count: Default::default(),
            value: Default::default(),
            one: Constant::new(1u64.to_bits()),
            zero: Constant::new(0u64.to_bits()),
        }
    }
}

impl<const N: usize> Logic for Counter<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, value);
        if self.enable.val() {
            self.value.d.next = self.value.q.val() + self.one.val();
        }
        if self.clear.val() {
            self.value.d.next = self.zero.val();
        }
        self.count.next = self.value.q.val();
    }
}
drive_ports!(impl[const N: usize] Counter<N> { clock, clear, enable, count });

/// A combinational sum.
#[derive(LogicBlock, Default)]
pub struct Adder<const N: usize> {
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bits<N>>,
    pub sum: Signal<Out, Bits<N>>,
}

impl<const N: usize> Logic for Adder<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val();
    }
}
drive_ports!(impl[const N: usize] Adder<N> { a, b, sum });

/// Never settles: `x = !x`, through a child, so that rust-hdl notices no loop.
#[derive(LogicBlock, Default)]
pub struct Oscillator {
    pub enable: Signal<In, bool>,
    pub out: Signal<Out, bool>,
    inverter: Inverter,
}
#[derive(LogicBlock, Default)]
pub struct Inverter {
    pub x: Signal<In, bool>,
    pub y: Signal<Out, bool>,
}
impl Logic for Inverter {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = !self.x.val();
    }
}
impl Logic for Oscillator {
    #[hdl_gen]
    fn update(&mut self) {
        self.inverter.x.next = self.inverter.y.val() & self.enable.val();
        self.out.next = self.inverter.y.val();
    }
}
drive_ports!(impl[] Oscillator { enable, out });

/// Deliberate mistakes of [`StreamRegister`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bug {
    None,
    ValidDrops,
    PayloadChanges,
    ValidFollowsReady,
    ValidAfterReady,
    ReadyWhileCleared,
    LosesItems,
    RepeatsItems,
}

/// One register in a stream, with room for a mistake.
#[derive(LogicBlock)]
pub struct StreamRegister<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, bool>,
    pub words_in: StreamIn<Bits<W>>,
    pub words_out: StreamOut<Bits<W>>,
    full: DFF<bool>,
    seen: DFF<bool>,
    again: DFF<bool>,
    item: DFF<Bits<W>>,
    room: Signal<Local, bool>,
    rare: Signal<Local, bool>,
    valid_drops: Constant<bool>,
    payload_changes: Constant<bool>,
    valid_follows_ready: Constant<bool>,
    valid_after_ready: Constant<bool>,
    ready_while_cleared: Constant<bool>,
    loses_items: Constant<bool>,
    repeats_items: Constant<bool>,
}

impl<const W: usize> StreamRegister<W> {
    pub fn boxed(bug: Bug) -> Box<dyn DriveBlock> {
        Box::new(Self::new(bug))
    }

    pub fn new(bug: Bug) -> Self {
        let is = |other| Constant::new(bug == other);
        Self {
            clock: Default::default(),
            clear: Default::default(),
            words_in: Default::default(),
            words_out: Default::default(),
            full: Default::default(),
            seen: Default::default(),
            again: Default::default(),
            item: Default::default(),
            room: Default::default(),
            rare: Default::default(),
            valid_drops: is(Bug::ValidDrops),
            payload_changes: is(Bug::PayloadChanges),
            valid_follows_ready: is(Bug::ValidFollowsReady),
            valid_after_ready: is(Bug::ValidAfterReady),
            ready_while_cleared: is(Bug::ReadyWhileCleared),
            loses_items: is(Bug::LosesItems),
            repeats_items: is(Bug::RepeatsItems),
        }
    }
}

impl<const W: usize> Logic for StreamRegister<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, full, seen, again, item);
        self.room.next = !self.full.q.val() | self.words_out.ready.val();
        self.rare.next = self.item.q.val().get_bit(0) & self.item.q.val().get_bit(1);
        self.words_in.ready.next = self.room.val() & (!self.clear.val() | self.ready_while_cleared.val());
        self.words_out.data.next = self.item.q.val();
        self.words_out.valid.next = self.full.q.val()
            & (!self.valid_follows_ready.val() | self.words_out.ready.val())
            & (!self.valid_after_ready.val() | self.seen.q.val());
        if self.words_out.ready.val() {
            self.seen.d.next = !self.full.q.val() | !self.seen.q.val();
            self.full.d.next =
                (self.repeats_items.val() & self.rare.val() & self.full.q.val() & !self.again.q.val())
                    | (self.valid_after_ready.val() & self.full.q.val() & !self.seen.q.val());
            self.again.d.next = self.full.q.val() & !self.again.q.val();
        }
        if self.words_in.valid.val() & self.words_in.ready.val() {
            self.item.d.next = self.words_in.data.val();
            self.full.d.next = !(self.loses_items.val()
                & self.words_in.data.val().get_bit(0)
                & self.words_in.data.val().get_bit(1));
        }
        if self.payload_changes.val() & self.words_in.valid.val() {
            self.item.d.next = self.words_in.data.val();
        }
        if self.valid_drops.val() & self.rare.val() & !self.room.val() {
            self.full.d.next = false;
        }
        if self.clear.val() {
            self.full.d.next = false;
            self.seen.d.next = false;
            self.again.d.next = false;
        }
    }
}
drive_ports!(impl[const W: usize] StreamRegister<W> { clock, clear, words_in, words_out });

/// Wide ports: a register, a shift, a slice, a parity.
#[derive(LogicBlock, Default)]
pub struct WideShuffle {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<130>>,
    pub amount: Signal<In, Bits<3>>,
    pub b: Signal<Out, Bits<130>>,
    pub c: Signal<Out, Bits<64>>,
    pub parity: Signal<Out, bool>,
    held: DFF<Bits<130>>,
}
impl Logic for WideShuffle {
    #[hdl_gen]
    fn update(&mut self) {
        self.held.clock.next = self.clock.val();
        self.held.d.next = self.a.val();
        self.b.next = self.held.q.val() << self.amount.val();
        self.c.next = self.held.q.val().get_bits::<64>(65);
        self.parity.next = self.a.val().xor();
    }
}
drive_ports!(impl[] WideShuffle { clock, a, amount, b, c, parity });

/// One register per clock, one after the other.
#[derive(LogicBlock, Default)]
pub struct TwoClocks {
    pub clock_a: Signal<In, Clock>,
    pub clock_b: Signal<In, Clock>,
    pub d: Signal<In, Bits<4>>,
    pub a: Signal<Out, Bits<4>>,
    pub b: Signal<Out, Bits<4>>,
    first: DFF<Bits<4>>,
    second: DFF<Bits<4>>,
}
impl Logic for TwoClocks {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.clock.next = self.clock_a.val();
        self.second.clock.next = self.clock_b.val();
        self.first.d.next = self.d.val();
        self.second.d.next = self.first.q.val();
        self.a.next = self.first.q.val();
        self.b.next = self.second.q.val();
    }
}
drive_ports!(impl[] TwoClocks { clock_a, clock_b, d, a, b });

/// Eight stream registers in a row: about 1050 flip-flops at 130 bits, and a chain of eight readies.
#[derive(LogicBlock)]
pub struct Chain<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, bool>,
    pub words_in: StreamIn<Bits<W>>,
    pub words_out: StreamOut<Bits<W>>,
    stages: [StreamRegister<W>; 8],
}

impl<const W: usize> Default for Chain<W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            words_in: Default::default(),
            words_out: Default::default(),
            stages: std::array::from_fn(|_| StreamRegister::new(Bug::None)),
        }
    }
}

impl<const W: usize> Logic for Chain<W> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..8 {
            self.stages[i].clock.next = self.clock.val();
            self.stages[i].clear.next = self.clear.val();
        }
        StreamIn::<Bits<W>>::link(&mut self.words_in, &mut self.stages[0].words_in);
        for i in 0..7 {
            StreamOut::<Bits<W>>::join(&mut self.stages[i].words_out, &mut self.stages[i + 1].words_in);
        }
        StreamOut::<Bits<W>>::link(&mut self.words_out, &mut self.stages[7].words_out);
    }
}
drive_ports!(impl[const W: usize] Chain<W> { clock, clear, words_in, words_out });
