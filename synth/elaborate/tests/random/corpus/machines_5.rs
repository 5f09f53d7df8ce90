// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M25State { S0, S1, S2 }
#[derive(LogicBlock, Default)]
struct M25 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    c: Signal<In, Bits<12>>,
    d: Signal<In, Bits<12>>,
    m: Signal<In, Bits<32>>,
    n: Signal<In, Bits<32>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M25State>,
    count: DFF<Bits<2>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<2>>,
}
impl Logic for M25 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M25State::S0 => {
                self.shown_.next = 0.into();
                if (bit_cast::<64, 32>(self.m.val()) >> 35) <= 7722072789203356766_u64 {
                    self.count.d.next = (bit_cast::<31, 12>(self.d.val()) << 25).get_bits::<2>(17) | 2;
                } else {
                    self.count.d.next = (self.k[1].val().get_bits::<5>(16).get_bits::<2>(4).replace_bit((self.n.val().get_bits::<1>(29) & self.k[1].val().get_bits::<1>(23)).index(), !self.flag.q.val())) | !self.count.q.val() << 2;
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M25State::S1;
                }
            }
            M25State::S1 => {
                self.shown_.next = 1.into();
                self.sum.d.next = !self.b.val();
                if self.flag.q.val() {
                    self.sum.d.next = (!bit_cast::<130, 33>(self.k[1].val())).get_bits::<16>(106).replace_bit(self.b.val().get_bits::<4>(3).index(), bit_cast::<8, 32>(self.n.val()) + self.d.val().get_bits::<8>(1) <= 0xA);
                } else if bit_cast::<4, 16>(bits::<16>(0xFFFF)).index() < 0x1 {
                    self.sum.d.next = self.d.val().get_bits::<16>(11);
                }
                self.count.d.next = 3 | self.count.q.val() >> 1;
                if !self.g.val() {
                    self.state.d.next = M25State::S2;
                }
            }
            M25State::S2 => {
                self.shown_.next = 2.into();
                match bit_cast::<2, 40>(bit_cast::<40, 31>(bit_cast::<31, 32>(self.n.val()))).index() {
                    0 => self.count.d.next = self.count.q.val().replace_bit(0, self.flag.q.val()),
                    1 => self.count.d.next = self.count.q.val() << 1,
                    2 => self.count.d.next = bit_cast::<8, 12>(self.c.val()).get_bits::<2>(bit_cast::<3, 1>((bits::<1>(0))).index()),
                    3 => self.count.d.next = self.count.q.val() >> self.d.val(),
                    _ => {}
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M25State::S0;
                }
            }
            _ => self.state.d.next = M25State::S0,
        }
    }
}
drive_ports!(impl[] M25 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M26State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M26 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<130>>,
    b: Signal<In, Bits<130>>,
    c: Signal<In, Bits<12>>,
    d: Signal<In, Bits<12>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M26State>,
    count: DFF<Bits<8>>,
    sum: DFF<Bits<64>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<64>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<8>>,
}
impl Logic for M26 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M26State::S0 => {
                self.shown_.next = 0.into();
                if 1099511627775_u64 != (bits::<40>(1099511627775_u64)) {
                    self.count.d.next = 255 + self.k[3].val() >> 7;
                } else {
                    self.count.d.next = bit_cast::<40, 5>(self.n.val()).get_bits::<8>(32) + (bit_cast::<16, 8>(self.k[3].val()) > bit_cast::<16, 130>(self.a.val()));
                }
                match bit_cast::<2, 12>(self.c.val()).index() {
                    1 => self.flag.d.next = signed_cast(self.n.val()) == signed_cast(self.n.val()),
                    3 => self.flag.d.next = signed_cast(self.sum.q.val()).get_bit(bit_cast::<6, 130>(self.count.q.val().get_bits::<1>(4).get_bits::<130>(0)).index()),
                    _ => self.flag.d.next = self.n.val().any(),
                }
                if self.f.val() {
                    self.state.d.next = M26State::S1;
                }
            }
            M26State::S1 => {
                self.shown_.next = 1.into();
                self.flag.d.next = (self.state.q.val() == M26State::S1) & (self.state.q.val() == M26State::S1);
                if bits::<33>(8589934591_u64).all() {
                    self.flag.d.next = bit_cast::<8, 1>(self.g.val().into()).xor();
                } else if self.count.q.val().get_bit(0) {
                    self.flag.d.next = self.count.q.val().xor();
                } else {
                    self.flag.d.next = unsigned_cast(signed_cast(self.d.val())).all();
                }
                self.sum.d.next = 1 + self.sum.q.val();
                if (bit_cast::<33, 8>(self.k[3].val()) << 17).xor() {
                    self.sum.d.next = self.sum.q.val() | self.sum.q.val();
                } else if bit_cast::<33, 5>(self.m.val()) < self.a.val().get_bits::<33>(22) {
                    self.sum.d.next = self.k[3].val().get_bits::<2>(4).get_bits::<64>(1);
                }
                if self.f.val() {
                    self.state.d.next = M26State::S0;
                }
                if (self.c.val() & self.c.val()).xor() {
                    self.state.d.next = M26State::S0;
                }
            }
        }
    }
}
drive_ports!(impl[] M26 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M27State { S0, S1, S2, S3, S4 }
#[derive(LogicBlock, Default)]
struct M27 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M27State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M27 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M27State::S0 => {
                self.shown_.next = 0.into();
                self.sum.d.next = !self.a.val().get_bits::<8>(0);
                if self.f.val() {
                    self.state.d.next = M27State::S1;
                }
            }
            M27State::S1 => {
                self.shown_.next = 1.into();
                self.flag.d.next = unsigned_cast((signed_cast(self.d.val()))) != 0xF;
                if !self.g.val() {
                    self.state.d.next = M27State::S2;
                }
                if 0x2 > self.n.val().get_bits::<12>(10) {
                    self.state.d.next = M27State::S2;
                }
            }
            _ => self.state.d.next = M27State::S0,
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M27 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M28State { S0, S1, S2 }
#[derive(LogicBlock, Default)]
struct M28 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<33>>,
    b: Signal<In, Bits<33>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<4>>,
    n: Signal<In, Bits<4>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M28State>,
    count: DFF<Bits<8>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<8>>,
}
impl Logic for M28 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M28State::S0 => {
                self.shown_.next = 0.into();
                self.flag.d.next = self.s_other.val().get_bit(11);
                if self.f.val() | self.g.val() {
                    self.state.d.next = M28State::S1;
                }
            }
            M28State::S1 => {
                self.shown_.next = 1.into();
                self.flag.d.next = self.flag.q.val();
                if self.sum.q.val().xor() {
                    self.flag.d.next = (self.state.q.val() == M28State::S1) | (self.state.q.val() == M28State::S1);
                } else if self.d.val().get_bit(62) {
                    self.flag.d.next = 3 != self.sum.q.val().get_bits::<2>(2);
                }
                if !self.g.val() {
                    self.state.d.next = M28State::S2;
                }
            }
            M28State::S2 => {
                self.shown_.next = 2.into();
                self.sum.d.next = self.count.q.val() + self.count.q.val();
                if !self.g.val() {
                    self.state.d.next = M28State::S0;
                }
            }
            _ => {}
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M28 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M29State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M29 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<32>>,
    b: Signal<In, Bits<32>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<4>>,
    n: Signal<In, Bits<4>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M29State>,
    count: DFF<Bits<4>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<4>>,
}
impl Logic for M29 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M29State::S0 => {
                self.shown_.next = 0.into();
                if -signed_cast(self.n.val()) <= signed_cast(self.m.val()) + signed_bit_cast::<4, 16>(self.s_wide.val()) {
                    self.flag.d.next = (self.c.val() | self.d.val()).all();
                } else if signed_cast(bit_cast::<3, 4>(self.n.val())) <= signed_cast(self.count.q.val().get_bits::<3>(1)) {
                    self.flag.d.next = !(self.state.q.val() == M29State::S0);
                } else {
                    self.flag.d.next = (self.f.val()) | ((self.state.q.val() == M29State::S1) || self.flag.q.val());
                }
                self.flag.d.next = (9 <= self.n.val() + self.count.q.val()) & (bit_cast::<64, 16>(bit_cast::<16, 4>(self.n.val())) <= 14123011047434029225_u64);
                if self.f.val() | self.g.val() {
                    self.state.d.next = M29State::S1;
                }
                if bit_cast::<5, 4>(self.n.val()).index() < 15 {
                    self.state.d.next = M29State::S0;
                }
            }
            _ => self.state.d.next = M29State::S0,
        }
    }
}
drive_ports!(impl[] M29 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

pub const BLOCKS: &[super::super::Block] = &[
    ("m25", || Box::new(M25::default())),
    ("m26", || Box::new(M26::default())),
    ("m27", || Box::new(M27::default())),
    ("m28", || Box::new(M28::default())),
    ("m29", || Box::new(M29::default())),
];
