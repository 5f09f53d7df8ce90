//! A `Reg` keeps its value, as with `dff_setup!`; with `#[wire(d = _)]` it does not, as with `clock!`.

use crate::support::verilog_of;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;

/// Without a word about keeping.
#[derive(LogicBlock, Default)]
struct Plain {
    pub clock: Signal<In, Clock>,
    pub sel: Signal<In, Bits<2>>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub y: Signal<Out, Bits<4>>,
    straight: DFF<Bits<4>>,
    twice: DFF<Bits<4>>,
    branches: DFF<Bits<4>>,
    arms: DFF<Bits<4>>,
    row: [DFF<Bits<4>>; 2],
    nested: DFF<Bits<4>>,
    forced: DFF<Bits<4>>,
    short: [DFF<Bits<4>>; 2],
}

impl Logic for Plain {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, forced);
        clock!(self, clock, straight, twice, branches, arms, nested);
        self.straight.d.next = self.a.val();
        self.twice.d.next = self.straight.q.val();
        if self.sel.val().get_bit(0) {
            self.twice.d.next = self.b.val();
            self.branches.d.next = self.a.val();
        } else {
            self.branches.d.next = self.b.val();
        }
        match self.sel.val().index() {
            0 => self.arms.d.next = self.a.val(),
            1 => self.arms.d.next = self.b.val(),
            _ => self.arms.d.next = self.twice.q.val(),
        }
        for i in 0..2 {
            self.row[i].clock.next = self.clock.val();
            self.row[i].d.next = self.arms.q.val();
        }
        if self.sel.val().get_bit(1) {
            if self.sel.val().get_bit(0) {
                self.nested.d.next = self.a.val();
            } else {
                self.nested.d.next = self.b.val();
            }
        } else {
            self.nested.d.next = self.branches.q.val();
        }
        if self.sel.val().get_bit(1) {
            self.forced.d.next = self.a.val();
        } else {
            self.forced.d.next = self.b.val();
        }
        for i in 0..2 {
            self.short[i].clock.next = self.clock.val();
            if self.sel.val().get_bit(i) {
                self.short[i].d.next = self.a.val();
            } else {
                self.short[i].d.next = self.b.val();
            }
        }
        self.y.next = self.row[0].q.val()
            ^ self.row[1].q.val()
            ^ self.nested.q.val()
            ^ self.forced.q.val()
            ^ self.short[0].q.val()
            ^ self.short[1].q.val();
    }
}
drive_ports!(impl[] Plain { clock, sel, a, b, y });

/// The same in the language.
#[block]
struct Kept {
    clock: In<Clock>,
    sel: In<Bits<2>>,
    a: In<Bits<4>>,
    b: In<Bits<4>>,
    y: Out<Bits<4>>,
    #[wire(d = _)]
    straight: Reg<Bits<4>>,
    #[wire(d = _)]
    twice: Reg<Bits<4>>,
    #[wire(d = _)]
    branches: Reg<Bits<4>>,
    #[wire(d = _)]
    arms: Reg<Bits<4>>,
    #[wire(d = _)]
    row: [Reg<Bits<4>>; 2],
    #[wire(d = _)]
    nested: Reg<Bits<4>>,
    forced: Reg<Bits<4>>,
    #[wire(d = _)]
    short: [Reg<Bits<4>>; 2],
}

#[logic]
impl Kept {
    fn update(&mut self) {
        straight = a;
        twice = straight;
        if sel[0] {
            twice = b;
            branches = a;
        } else {
            branches = b;
        }
        match sel {
            0 => arms = a,
            1 => arms = b,
            _ => arms = twice,
        }
        for i in 0..2 {
            row[i] = arms;
        }
        if sel[1] {
            if sel[0] {
                nested = a;
            } else {
                nested = b;
            }
        } else {
            nested = branches;
        }
        forced = if sel[1] { a } else { b };
        for i in 0..2 {
            short[i] = if sel[i] { a } else { b };
        }
        y = row[0] ^ row[1] ^ nested ^ forced ^ short[0] ^ short[1];
    }
}

#[test]
fn registers_keep_their_values_or_not() {
    assert_eq!(verilog_of(Plain::default(), "top"), verilog_of(Kept::default(), "top"));
}
