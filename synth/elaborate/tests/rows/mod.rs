//! One block per construct that rust-hdl's own text gets wrong: silently, or with a broken text.

#![allow(dead_code)] // the reference of constructs uses a part

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

/// Declares a block of ports `a`, `b`, `c` (of `$width` bits) and `y` with one line of logic.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident, $width:literal, $out:ty, $($update:tt)*) => {
        $(#[$doc])*
        #[derive(Default, LogicBlock)]
        pub struct $name {
            pub a: Signal<In, Bits<$width>>,
            pub b: Signal<In, Bits<$width>>,
            pub c: Signal<In, Bits<$width>>,
            pub y: Signal<Out, $out>,
        }
        impl Logic for $name {
            $($update)*
        }
        drive_ports!(impl[] $name { a, b, c, y });
    };
}

row!(
    /// Silent row 1: the sum wraps at 4 bits.
    SumCompared, 4, Bit,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = (self.a.val() + 1) == self.b.val(); }
);
row!(
    /// Silent row 2: the difference wraps at 4 bits before it is shifted.
    DifferenceShifted, 4, Bits<4>,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = (self.a.val() - 1) >> 1; }
);
row!(
    /// Silent row 3: the complement has 4 bits.
    ComplementCompared, 4, Bit,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = !self.a.val() == 0; }
);
row!(
    /// Silent row 4: Rust binds `&` tighter than `==`.
    AndCompared, 4, Bit,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = self.a.val() & self.b.val() == self.c.val(); }
);
row!(
    /// Silent row 5: the sum wraps at 8 bits before it is widened.
    SumWidened, 8, Bits<9>,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = bit_cast::<9, 8>(self.a.val() + self.a.val()); }
);

fn bits_rev(value: Bits<4>) -> Bits<4> {
    (value >> 3) & 1 | (value >> 1) & 2 | (value << 1) & 4 | (value << 3) & 8
}
row!(
    /// Silent row 6: rust-hdl takes the function for a cast; the syntax tree does not contain the call.
    ReversedByFunction, 4, Bits<4>,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = bits_rev(self.a.val()); }
);

/// Silent row 7: a select that begins inside and ends outside.
#[derive(Default, LogicBlock)]
pub struct SelectBeyondEnd {
    pub a: Signal<In, Bits<132>>,
    pub index: Signal<In, Bits<7>>,
    pub y: Signal<Out, Bits<12>>,
}
impl Logic for SelectBeyondEnd {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val().get_bits::<12>(self.index.val().index() + 4);
    }
}
drive_ports!(impl[] SelectBeyondEnd { a, index, y });

row!(
    /// Undecidable: `.index()` is erased, so this sum looks like one of `Bits<4>`.
    IndexArithmetic, 4, Bit,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = self.a.val().index() + 1 == self.b.val().index(); }
);

/// Loud row: an index made of a const generic.
pub struct IndexByGeneric<const N: usize> {
    pub a: [Signal<In, Bits<4>>; N],
    pub y: Signal<Out, Bits<4>>,
}
impl<const N: usize> Default for IndexByGeneric<N> {
    fn default() -> Self {
        Self { a: std::array::from_fn(|_| Signal::default()), y: Signal::default() }
    }
}
impl<const N: usize> Block for IndexByGeneric<N> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {
        self.update();
        self.a.update_all();
        self.y.update_all();
    }
    fn has_changed(&self) -> bool {
        self.a.has_changed() || self.y.has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.a.accept("a", probe);
        self.y.accept("y", probe);
        probe.visit_end_scope(name, self);
    }
}
impl<const N: usize> Logic for IndexByGeneric<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a[N - 1].val();
    }
}

/// Loud row: nested arrays.
#[derive(Default, LogicBlock)]
pub struct NestedArrays {
    pub a: [[Signal<In, Bits<4>>; 3]; 2],
    pub y: [Signal<Out, Bits<4>>; 2],
}
impl Logic for NestedArrays {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.y[i].next = self.a[i][0].val() ^ self.a[1 - i][2].val();
        }
    }
}
drive_ports!(impl[] NestedArrays { a, y });

const OFFSET: u64 = 3;
row!(
    /// Loud row: a module constant as a value.
    ConstantAsValue, 4, Bits<4>,
    #[hdl_gen]
    fn update(&mut self) { self.y.next = self.a.val() + OFFSET; }
);

/// Loud row: a const generic as an offset.
#[derive(Default, LogicBlock)]
pub struct GenericAsOffset<const N: usize> {
    pub a: Signal<In, Bits<16>>,
    pub y: Signal<Out, Bits<8>>,
}
impl<const N: usize> Logic for GenericAsOffset<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val().get_bits::<8>(N);
    }
}
drive_ports!(impl[const N: usize] GenericAsOffset<N> { a, y });

/// Loud row: fields that are SystemVerilog keywords.
#[derive(Default, LogicBlock)]
pub struct KeywordFields {
    pub event: Signal<In, Bits<4>>,
    pub table: Signal<In, Bits<4>>,
    pub logic: Signal<Local, Bits<4>>,
    pub packed: Signal<Out, Bits<4>>,
}
impl Logic for KeywordFields {
    #[hdl_gen]
    fn update(&mut self) {
        self.logic.next = self.event.val() & self.table.val();
        self.packed.next = self.logic.val() + 1;
    }
}
drive_ports!(impl[] KeywordFields { event, table, packed });

row!(
    /// Loud row: a select of an expression, and a select of a select.
    SelectOfExpression, 8, Bits<4>,
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = (self.a.val() ^ self.b.val()).get_bits::<6>(1).get_bits::<4>(1);
    }
);

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
pub struct Inner {
    pub low: Bits<3>,
    pub high: Bits<5>,
}
#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
pub struct Outer {
    pub flag: Bit,
    pub inner: Inner,
}

/// Loud row: a read of a struct inside a struct.
#[derive(Default, LogicBlock)]
pub struct NestedStruct {
    pub a: Signal<In, Bits<3>>,
    pub b: Signal<In, Bits<5>>,
    pub inner: Signal<Local, Inner>,
    pub outer: Signal<Local, Outer>,
    pub y: Signal<Out, Bits<5>>,
}
impl Logic for NestedStruct {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.next.low = self.a.val();
        self.inner.next.high = self.b.val();
        self.outer.next.flag = false;
        self.outer.next.inner = self.inner.val();
        self.y.next = self.outer.val().inner.high;
    }
}
drive_ports!(impl[] NestedStruct { a, b, y });

row!(
    /// Loud row: match arms in hexadecimal, with a suffix, with separators.
    HexadecimalArms, 8, Bits<4>,
    #[hdl_gen]
    fn update(&mut self) {
        match self.a.val().index() {
            0xA => self.y.next = 1.into(),
            0x1_f_usize => self.y.next = 2.into(),
            0b1000_0000 => self.y.next = 3.into(),
            _ => self.y.next = 4.into(),
        }
    }
);

#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
pub enum Single {
    Only,
}

/// Loud row: an enum of one variant has no bits.
#[derive(Default, LogicBlock)]
pub struct SingleVariant {
    pub y: Signal<Out, Single>,
}
impl Logic for SingleVariant {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = Single::Only;
    }
}

/// Loud row: a signal field that begins with `_` is invisible.
#[derive(Default, LogicBlock)]
pub struct HiddenField {
    pub a: Signal<In, Bits<4>>,
    _hidden: Signal<Local, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
}
impl Logic for HiddenField {
    #[hdl_gen]
    fn update(&mut self) {
        self._hidden.next = self.a.val();
        self.y.next = self._hidden.val();
    }
}

/// A foreign text without a marker.
#[derive(Default, LogicBlock)]
pub struct Foreign {
    pub i: Signal<In, Bit>,
    pub o: Signal<Out, Bit>,
}
impl Logic for Foreign {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.o.connect();
    }
    fn hdl(&self) -> Verilog {
        let cores = "(* blackbox *)\nmodule CELL_BUF(input I, output O);\nendmodule".into();
        Verilog::Wrapper(Wrapper { code: "CELL_BUF buf_i(.I(i), .O(o));".into(), cores })
    }
}

/// Loud row: a wrapper used twice.
#[derive(Default, LogicBlock)]
pub struct TwoWrappers {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
    pub first: Foreign,
    pub second: Foreign,
}
impl Logic for TwoWrappers {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.i.next = self.a.val();
        self.second.i.next = self.first.o.val();
        self.y.next = self.second.o.val();
    }
}

/// A child: `y = a + 1`.
#[derive(Default, LogicBlock)]
pub struct Increment {
    pub a: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
}
impl Logic for Increment {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + 1;
    }
}
drive_ports!(impl[] Increment { a, y });

/// Loud row: a parent that drives its child's output.
#[derive(Default, LogicBlock)]
pub struct DrivesChildOutput {
    pub a: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
    pub child: Increment,
}
impl Logic for DrivesChildOutput {
    #[hdl_gen]
    fn update(&mut self) {
        self.child.a.next = self.a.val();
        self.child.y.next = self.a.val();
        self.y.next = self.child.y.val();
    }
}

/// Loud row: a combinational loop across the hierarchy.
#[derive(Default, LogicBlock)]
pub struct LoopAcrossHierarchy {
    pub y: Signal<Out, Bits<4>>,
    pub first: Increment,
    pub second: Increment,
}
impl Logic for LoopAcrossHierarchy {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.a.next = self.second.y.val();
        self.second.a.next = self.first.y.val();
        self.y.next = self.first.y.val();
    }
}

/// Complements each bit.
#[derive(Default, LogicBlock)]
pub struct Complement {
    pub x: Signal<In, Bits<8>>,
    pub y: Signal<Out, Bits<8>>,
}
impl Logic for Complement {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = !self.x.val();
    }
}

/// No loop, although a vector goes round: bit i depends on bit i-1 only.
#[derive(Default, LogicBlock)]
pub struct FalseLoop {
    pub a: Signal<In, Bits<8>>,
    pub y: Signal<Out, Bits<8>>,
    pub child: Complement,
}
impl Logic for FalseLoop {
    #[hdl_gen]
    fn update(&mut self) {
        self.child.x.next = (self.child.y.val() << 1) | (self.a.val() & 1);
        self.y.next = self.child.y.val();
    }
}
drive_ports!(impl[] FalseLoop { a, y });
