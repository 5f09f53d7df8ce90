//! Every construct of the subset, held against rust-hdl's own simulation.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind, Problem};
use flitforge_elaborate::drive::{DriveBlock, FromValue};
use flitforge_elaborate::error::Reason;
use flitforge_elaborate::marker::block_label;
use flitforge_elaborate::selfcheck::against_stock;
use flitforge_elaborate::{drive_ports, elaborate, Evaluator, Value};
use rust_hdl::prelude::*;
use rust_hdl::widgets::edge_ff::EdgeDFF;

fn exact<B: DriveBlock + 'static>(make: impl Fn() -> B, cycles: u64) {
    against_stock(make, cycles, 3).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

fn problems(block: &dyn Block) -> Vec<Problem> {
    structure(
        &elaborate(block, "top").expect("elaborates"),
        &CrossingCatalogue::project().expect("catalogue"),
    )
}

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct Slot {
    valid: Bit,
    data: Bits<66>,
}

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Wide"]
struct Narrow<T: Synth> {
    data: Signal<In, T>,
    ready: Signal<Out, Bit>,
}
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Narrow"]
struct Wide<T: Synth> {
    data: Signal<Out, T>,
    ready: Signal<In, Bit>,
}
drive_ports!(impl[T: Synth + FromValue] Narrow<T> { data, ready });

#[derive(LogicBlock, Default)]
struct Stage {
    clock: Signal<In, Clock>,
    input_: Narrow<Bits<40>>,
    out: Wide<Bits<40>>,
    held: DFF<Bits<40>>,
    full: DFF<Bit>,
}
impl Logic for Stage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, full);
        self.input_.ready.next = !self.full.q.val() | self.out.ready.val();
        if !self.full.q.val() | self.out.ready.val() {
            self.held.d.next = self.input_.data.val() + 3;
            self.full.d.next = self.input_.data.val().any();
        }
        self.out.data.next = self.held.q.val();
    }
}

/// Links, joins, arrays of blocks, ready going backwards.
#[derive(LogicBlock, Default)]
struct Chain {
    clock: Signal<In, Clock>,
    source: Narrow<Bits<40>>,
    take: Signal<In, Bit>,
    y: Signal<Out, Bits<40>>,
    stages: [Stage; 3],
}
impl Logic for Chain {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..3 {
            self.stages[i].clock.next = self.clock.val();
        }
        Narrow::<Bits<40>>::link(&mut self.source, &mut self.stages[0].input_);
        for i in 0..2 {
            Wide::<Bits<40>>::join(&mut self.stages[i].out, &mut self.stages[i + 1].input_);
        }
        self.stages[2].out.ready.next = self.take.val();
        self.y.next = self.stages[2].out.data.val();
    }
}
drive_ports!(impl[] Chain { clock, source, take, y });

#[test]
fn links_joins_and_backward_ready() {
    exact(Chain::default, 3000);
    let found = problems(&Chain::default());
    assert!(found.is_empty(), "{found:?}");
}

/// Wide arithmetic, dynamic shifts and selects, struct fields, bit replacement, reductions.
#[derive(LogicBlock, Default)]
struct Arithmetic {
    a: Signal<In, Bits<132>>,
    b: Signal<In, Bits<132>>,
    n: Signal<In, Bits<8>>,
    flag: Signal<In, Bit>,
    slot: Signal<Local, Slot>,
    sum: Signal<Out, Bits<132>>,
    difference: Signal<Out, Bits<132>>,
    left: Signal<Out, Bits<132>>,
    right: Signal<Out, Bits<132>>,
    small: Signal<Out, Bits<8>>,
    order: Signal<Out, Bits<4>>,
    fields: Signal<Out, Bits<66>>,
    replaced: Signal<Out, Bits<132>>,
    reduced: Signal<Out, Bits<3>>,
    one_hot: Signal<Out, Bits<64>>,
    concatenated: Signal<Out, Bits<132>>,
}
impl Logic for Arithmetic {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val() + self.flag.val();
        self.difference.next = self.a.val() - self.b.val();
        self.left.next = self.a.val() << self.n.val();
        self.right.next = self.a.val() >> self.n.val();
        self.small.next = !(self.n.val() - 7) ^ (self.n.val() << 3);
        self.order.next = 0.into();
        if self.a.val() < self.b.val() {
            self.order.next = 1.into();
        } else if self.a.val() == self.b.val() {
            self.order.next = 2.into();
        }
        if self.n.val() >= 100 && (self.n.val() != 200 || self.flag.val()) {
            self.order.next = self.order.val() | 8;
        }
        self.slot.next.valid = self.flag.val();
        self.slot.next.data = self.a.val().get_bits::<66>(60);
        self.fields.next = self.slot.val().data;
        if self.slot.val().valid {
            self.fields.next = !self.slot.val().data;
        }
        self.replaced.next = self.a.val().replace_bit(self.n.val().get_bits::<6>(1).index(), self.flag.val());
        self.reduced.next = (bit_cast::<3, 1>(self.a.val().xor().into()) << 2)
            | (bit_cast::<3, 1>(self.n.val().all().into()) << 1)
            | bit_cast::<3, 1>(self.n.val().any().into());
        self.one_hot.next = 1 << self.n.val();
        self.concatenated.next = (bit_cast::<132, 64>(self.a.val().get_bits::<64>(3)) << 68)
            | bit_cast::<132, 68>(self.b.val().get_bits::<68>(0));
    }
}
drive_ports!(impl[] Arithmetic { a, b, n, flag, sum, difference, left, right, small, order, fields,
    replaced, reduced, one_hot, concatenated });

#[test]
fn wide_arithmetic() {
    exact(Arithmetic::default, 5000);
}

#[derive(LogicBlock, Default)]
struct SignedBlock {
    a: Signal<In, Signed<16>>,
    b: Signal<In, Signed<16>>,
    sum: Signal<Out, Signed<16>>,
    product: Signal<Out, Signed<32>>,
    less: Signal<Out, Bit>,
    negative: Signal<Out, Bit>,
    bits_: Signal<Out, Bits<16>>,
    minus: Signal<Out, Signed<16>>,
}
impl Logic for SignedBlock {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val();
        self.product.next = self.a.val() * self.b.val();
        self.less.next = self.a.val() < self.b.val();
        self.negative.next = self.a.val().get_bit(15);
        self.bits_.next = unsigned_cast(self.a.val() - self.b.val());
        self.minus.next = -self.a.val();
    }
}
drive_ports!(impl[] SignedBlock { a, b, sum, product, less, negative, bits_, minus });

#[test]
fn signed_arithmetic() {
    exact(SignedBlock::default, 5000);
}

#[derive(LogicBlock, Default)]
struct UnsignedProduct {
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    short: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<32>>,
    sum: Signal<Out, Bits<32>>,
    low: Signal<Out, Bits<16>>,
    cast: Signal<Out, Bits<32>>,
    equal: Signal<Out, Bit>,
}
impl Logic for UnsignedProduct {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() * self.b.val();
        self.sum.next = self.a.val() * self.b.val() + 5;
        self.low.next = (self.a.val() * self.b.val()).get_bits::<16>(0);
        self.cast.next = bit_cast::<16, 8>(self.short.val()) * self.b.val();
        self.equal.next = self.a.val() * self.b.val() == self.b.val() * self.a.val();
    }
}
drive_ports!(impl[] UnsignedProduct { a, b, short, y, sum, low, cast, equal });

#[test]
fn an_unsigned_product_has_32_bits() {
    exact(UnsignedProduct::default, 5000);
}

#[derive(LogicBlock, Default)]
struct ProductOfCasts {
    a: Signal<In, Signed<8>>,
    b: Signal<In, Signed<8>>,
    y: Signal<Out, Signed<32>>,
}
impl Logic for ProductOfCasts {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = signed_bit_cast::<16, 8>(self.a.val()) * signed_bit_cast::<16, 8>(self.b.val());
    }
}
drive_ports!(impl[] ProductOfCasts { a, b, y });

#[test]
fn a_signed_product_of_casts_is_that_of_the_numbers() {
    let design = elaborate(&ProductOfCasts::default(), "top").expect("elaborates");
    let mut evaluator = Evaluator::new(&design).expect("evaluates");
    // rust-hdl's cast of the most negative number panics, so the numbers are checked, not rust-hdl.
    for (a, b) in [(3i32, 5i32), (-3, 5), (-3, -5), (127, -128), (-128, -128), (0, -1)] {
        assert!(evaluator.set("a", &Value::from_u64(8, (a & 0xFF) as u64)));
        assert!(evaluator.set("b", &Value::from_u64(8, (b & 0xFF) as u64)));
        assert_eq!(evaluator.get("y").expect("port").low_u64() as u32 as i32, a * b, "{a} * {b}");
    }
}

/// Stock memories and flip-flops, two clocks.
#[derive(LogicBlock)]
struct Memories {
    fast: Signal<In, Clock>,
    slow: Signal<In, Clock>,
    address: Signal<In, Bits<4>>,
    write: Signal<In, Bit>,
    data: Signal<In, Bits<70>>,
    read: Signal<Out, Bits<70>>,
    table: Signal<Out, Bits<9>>,
    now: Signal<Out, Bits<9>>,
    edge_q: Signal<Out, Bits<4>>,
    ram: RAM<Bits<70>, 4>,
    sync_rom: SyncROM<Bits<9>, 4>,
    rom: ROM<Bits<9>, 4>,
    edge_ff: EdgeDFF<Bits<4>>,
}
impl Default for Memories {
    fn default() -> Self {
        Self {
            fast: Signal::default(),
            slow: Signal::default(),
            address: Signal::default(),
            write: Signal::default(),
            data: Signal::default(),
            read: Signal::default(),
            table: Signal::default(),
            now: Signal::default(),
            edge_q: Signal::default(),
            ram: (0..5u64).map(|i| bits::<70>(i * 77) << 40).into(),
            sync_rom: (0..16u64).map(|i| bits::<9>(i * 31)).into(),
            rom: (0..11u64).map(|i| bits::<9>(i * 29 + 1)).into(),
            edge_ff: EdgeDFF::new(9.into()),
        }
    }
}
impl Logic for Memories {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.read_clock.next = self.slow.val();
        self.ram.write_clock.next = self.fast.val();
        self.ram.read_address.next = self.address.val();
        self.ram.write_address.next = self.address.val();
        self.ram.write_data.next = self.data.val();
        self.ram.write_enable.next = self.write.val();
        self.read.next = self.ram.read_data.val();
        self.sync_rom.clock.next = self.slow.val();
        self.sync_rom.address.next = self.address.val();
        self.table.next = self.sync_rom.data.val();
        self.rom.address.next = self.address.val();
        self.now.next = self.rom.data.val();
        self.edge_ff.clk.next = self.fast.val();
        self.edge_ff.d.next = self.address.val();
        self.edge_q.next = self.edge_ff.q.val();
    }
}
drive_ports!(impl[] Memories { fast, slow, address, write, data, read, table, now, edge_q });

#[test]
fn stock_memories_and_two_clocks() {
    exact(Memories::default, 5000);
}

#[test]
fn a_memory_between_clocks_is_a_crossing() {
    let found = problems(&Memories::default());
    let crossing: Vec<_> = found.iter().filter(|problem| problem.kind == Kind::ClockCrossing).collect();
    assert_eq!(crossing.len(), 1, "{found:?}");
    assert_eq!(crossing[0].path, "ram");
    assert!(crossing[0].reason.contains("`slow`") && crossing[0].reason.contains("`fast`"));
}

/// A value that goes from one clock to another; the label is the parameter.
#[derive(LogicBlock, Default)]
struct Synchroniser<const LABELLED: bool> {
    from: Signal<In, Clock>,
    to: Signal<In, Clock>,
    d: Signal<In, Bit>,
    q: Signal<Out, Bit>,
    source: DFF<Bit>,
    first: DFF<Bit>,
    second: DFF<Bit>,
}
impl<const LABELLED: bool> Logic for Synchroniser<LABELLED> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, from, source);
        clock!(self, to, first, second);
        self.source.d.next = self.d.val();
        self.first.d.next = self.source.q.val();
        self.second.d.next = self.first.q.val();
        self.q.next = self.second.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        block_label(if LABELLED { "synchronizer" } else { "something" }, &[])
    }
}
drive_ports!(impl[const LABELLED: bool] Synchroniser<LABELLED> { from, to, d, q });

#[test]
fn only_catalogued_blocks_cross_clocks() {
    exact(Synchroniser::<true>::default, 2000);
    assert_eq!(problems(&Synchroniser::<true>::default()), []);
    let found = problems(&Synchroniser::<false>::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].kind, found[0].path.as_str()), (Kind::ClockCrossing, "first"));
    assert!(found[0].reason.contains("from source"), "{}", found[0].reason);
}

/// One fault of each kind.
#[derive(LogicBlock, Default)]
struct Faulty {
    a: Signal<In, Bits<4>>,
    unread: Signal<In, Bit>,
    latch: Signal<Out, Bits<4>>,
    early: Signal<Out, Bits<4>>,
    forgotten: Signal<Out, Bits<4>>,
    local: Signal<Local, Bits<4>>,
}
impl Logic for Faulty {
    #[hdl_gen]
    fn update(&mut self) {
        if self.a.val() == 3 {
            self.latch.next = self.a.val();
        }
        self.early.next = self.local.val();
        self.local.next = self.a.val();
    }
}

#[test]
fn each_fault_is_found_with_its_path() {
    let mut found: Vec<(Kind, String)> =
        problems(&Faulty::default()).into_iter().map(|problem| (problem.kind, problem.path)).collect();
    found.sort();
    let expected = [
        (Kind::Latch, "latch"),
        (Kind::ReadBeforeAssignment, "local"),
        (Kind::Undriven, "forgotten"),
        (Kind::Unused, "unread"),
    ];
    assert_eq!(found, expected.map(|(kind, path)| (kind, path.to_string())));
    let design = elaborate(&Faulty::default(), "top").expect("elaborates");
    assert!(Evaluator::new(&design).is_err());
}

#[derive(LogicBlock, Default)]
struct Gated {
    clock: Signal<In, Clock>,
    q: Signal<Out, Bit>,
    inverted: Signal<Local, Clock>,
    flop: DFF<Bit>,
}
impl Logic for Gated {
    #[hdl_gen]
    fn update(&mut self) {
        self.inverted.next = !self.clock.val();
        self.flop.clock.next = self.inverted.val();
        self.flop.d.next = !self.flop.q.val();
        self.q.next = self.flop.q.val();
    }
}

#[test]
fn a_computed_clock_is_refused() {
    let reason = elaborate(&Gated::default(), "top").expect_err("refused").reason;
    assert!(matches!(&reason, Reason::DerivedClock { from, .. } if from == "inverted"), "{reason}");
}

macro_rules! refused {
    ($(#[$doc:meta])* $name:ident, $pattern:pat, $($update:tt)*) => {
        #[allow(non_snake_case)]
        mod $name {
            use super::*;
            #[derive(LogicBlock, Default)]
            struct Uut {
                a: Signal<In, Bits<4>>,
                wide: Signal<In, Bits<40>>,
                y: Signal<Out, Bits<4>>,
                z: Signal<Out, Bit>,
                i: Signal<Local, Bits<4>>,
            }
            impl Logic for Uut { $($update)* }
            #[test]
            fn is_refused() {
                let reason = elaborate(&Uut::default(), "top").expect_err("refused").reason;
                assert!(matches!(&reason, $pattern), "{reason}");
            }
        }
    };
}

refused!(
    a_literal_that_does_not_fit,
    Reason::LiteralDoesNotFit { width: 4, .. },
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.a.val() == 16;
    }
);
refused!(
    a_select_outside,
    Reason::SelectOutOfRange { offset: 4, width: 4, .. },
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.a.val().get_bit(4);
    }
);
refused!(
    an_index_of_forty_bits,
    Reason::IndexTooWide { width: 40, .. },
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.a.val().get_bit(self.wide.val().index());
    }
);
refused!(
    arithmetic_in_parentheses_in_an_index,
    Reason::AmbiguousIndexArithmetic { .. },
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.wide.val().get_bit((self.a.val() + 1).index() * 2);
    }
);
refused!(
    a_loop_variable_named_like_a_field,
    Reason::LoopVariableShadowsField { .. },
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.y.next = self.a.val().get_bits::<4>(i);
        }
    }
);
refused!(
    a_binding_in_a_match,
    Reason::Pattern { .. },
    #[hdl_gen]
    fn update(&mut self) {
        match self.a.val().index() {
            0 => self.z.next = true,
            _other => self.z.next = false,
        }
    }
);
refused!(
    widths_that_only_index_can_mix,
    Reason::Width { expected: 4, found: 40, .. },
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.a.val().index() == self.wide.val().index();
    }
);

#[test]
fn snapshots_and_handles() {
    let design = elaborate(&Synchroniser::<true>::default(), "top").expect("elaborates");
    let mut evaluator = Evaluator::new(&design).expect("evaluates");
    let (d, q) = (evaluator.handle("d").expect("d"), evaluator.handle("q").expect("q"));
    assert!(evaluator.set_u64(d, 1));
    assert!(!evaluator.set_u64(q, 1), "an output cannot be set");
    assert!(evaluator.clock(&["from"]));
    assert!(!evaluator.clock(&["nothing"]));
    assert_eq!(evaluator.get("source.q"), Some(Value::ones(1)), "internal signals can be read");
    let mut copy = evaluator.clone();
    for _ in 0..2 {
        assert!(evaluator.clock(&["to"]));
    }
    assert_eq!((evaluator.get_u64(q), copy.get_u64(q)), (1, 0));
}
