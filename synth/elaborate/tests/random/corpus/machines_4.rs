// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M20State { S0, S1, S2, S3 }
#[derive(LogicBlock, Default)]
struct M20 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<130>>,
    b: Signal<In, Bits<130>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<40>>,
    n: Signal<In, Bits<40>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M20State>,
    count: DFF<Bits<2>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<2>>,
}
impl Logic for M20 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M20State::S0 => {
                self.shown_.next = 0.into();
                if (signed_cast(self.a.val()).get_bit(64)) {
                    self.count.d.next = (self.sum.q.val().get_bits::<2>(bit_cast::<4, 33>(bit_cast::<33, 4>(self.c.val())).index()));
                } else if !(self.state.q.val() == M20State::S2) {
                    self.count.d.next = self.count.q.val().replace_bit(bit_cast::<1, 5>(self.b.val().get_bits::<5>(56) + 2).index(), (self.state.q.val() == M20State::S1));
                } else {
                    self.count.d.next = (self.count.q.val() >> 2);
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M20State::S1;
                }
            }
            M20State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = self.count.q.val() >> 4;
                self.flag.d.next = self.count.q.val().get_bit(0);
                if self.f.val() | self.g.val() {
                    self.state.d.next = M20State::S2;
                }
                if (bits::<40>(0x0) > 0xFBA25074E9_u64) {
                    self.state.d.next = M20State::S3;
                }
            }
            M20State::S2 => {
                self.shown_.next = 2.into();
                self.count.d.next = (self.n.val().replace_bit(12, (self.state.q.val() == M20State::S1)) + 0x0).get_bits::<2>(31);
                if !self.g.val() {
                    self.state.d.next = M20State::S3;
                }
            }
            M20State::S3 => {
                self.shown_.next = 3.into();
                match self.sum.q.val().get_bits::<3>(12).index() {
                    5 => self.flag.d.next = bit_cast::<33, 4>(self.d.val()) == 0x2110D410,
                    3 => self.flag.d.next = bit_cast::<12, 8>(self.k[2].val()).xor(),
                    7 => self.flag.d.next = (self.m.val().get_bits::<3>(6) == 6),
                    1 => self.flag.d.next = !(self.state.q.val() == M20State::S3),
                    _ => self.flag.d.next = self.sum.q.val().any(),
                }
                self.flag.d.next = signed_cast(self.k[2].val()) - signed_cast(self.k[2].val()) == signed_cast(self.k[2].val());
                if self.f.val() | self.g.val() {
                    self.state.d.next = M20State::S0;
                }
                if bits::<64>(8843338911849409310_u64).xor() {
                    self.state.d.next = M20State::S1;
                }
            }
        }
    }
}
drive_ports!(impl[] M20 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M21State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M21 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<31>>,
    b: Signal<In, Bits<31>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<12>>,
    n: Signal<In, Bits<12>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M21State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M21 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M21State::S0 => {
                self.shown_.next = 0.into();
                match self.k[3].val().index() {
                    0 => self.count.d.next = (!self.count.q.val() << 4),
                    1 => self.count.d.next = (self.count.q.val() | 0x7) + self.n.val().get_bits::<8>(4).xor(),
                    2 => self.count.d.next = self.k[3].val() + self.k[3].val() & !self.count.q.val(),
                    3 => self.count.d.next = bit_cast::<3, 1>((0x3 != self.a.val()).into()),
                    4 => self.count.d.next = self.k[3].val() ^ self.a.val().get_bits::<3>(bit_cast::<4, 64>(self.d.val() + 0x6DF368D4B7A28C29_u64).index()),
                    5 => self.count.d.next = bits::<3>(0x3),
                    6 => self.count.d.next = self.count.q.val() >> 3 | 4,
                    7 => self.count.d.next = (bit_cast::<130, 12>(self.m.val()).get_bits::<3>(bit_cast::<6, 3>(self.count.q.val()).index() * 2)) - (self.count.q.val() ^ 0x4),
                    _ => {}
                }
                self.count.d.next = self.k[3].val() & self.k[3].val();
                if !self.g.val() {
                    self.state.d.next = M21State::S1;
                }
                if signed_cast(bit_cast::<1, 64>(self.c.val())) <= signed_cast(bit_cast::<1, 31>(self.a.val())) + signed_cast(bit_cast::<1, 3>(self.count.q.val())) {
                    self.state.d.next = M21State::S1;
                }
            }
            M21State::S1 => {
                self.shown_.next = 1.into();
                match (self.a.val().get_bits::<1>(7) | self.d.val().get_bits::<1>(31)).index() {
                    1 => self.count.d.next = (bits::<3>(3)),
                    0 => self.count.d.next = 7 & self.count.q.val(),
                    _ => self.count.d.next = self.count.q.val() - 0,
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M21State::S0;
                }
                if (bit_cast::<40, 1>((self.state.q.val() == M21State::S1).into())).all() {
                    self.state.d.next = M21State::S0;
                }
            }
            _ => {}
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M21 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M22State { S0, S1, S2, S3, S4, S5 }
#[derive(LogicBlock, Default)]
struct M22 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<33>>,
    b: Signal<In, Bits<33>>,
    c: Signal<In, Bits<16>>,
    d: Signal<In, Bits<16>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M22State>,
    count: DFF<Bits<8>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<8>>,
}
impl Logic for M22 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M22State::S0 => {
                self.shown_.next = 0.into();
                match bit_cast::<2, 3>(self.k[0].val() - 6).index() {
                    0 => self.flag.d.next = (self.count.q.val() << self.count.q.val()).xor(),
                    0 => self.flag.d.next = bits::<64>(4896427584263280147_u64) != !bit_cast::<64, 16>(self.sum.q.val()),
                    _ => self.flag.d.next = 1 < self.n.val(),
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M22State::S1;
                }
                if (self.a.val().get_bits::<32>(0) - bit_cast::<32, 16>(self.sum.q.val())).xor() {
                    self.state.d.next = M22State::S2;
                }
            }
            M22State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = (self.b.val().get_bits::<1>(11) & bit_cast::<1, 16>(self.sum.q.val())).get_bits::<8>(0).replace_bit(3, !self.flag.q.val() & (bit_cast::<40, 33>(self.b.val()) < bit_cast::<40, 3>(self.k[0].val())));
                if self.f.val() {
                    self.state.d.next = M22State::S2;
                }
            }
            M22State::S2 => {
                self.shown_.next = 2.into();
                if (bits::<40>(0xFFFFFFFFFF_u64).xor()) {
                    self.count.d.next = self.count.q.val() - self.count.q.val() | 0x18;
                } else if self.b.val().xor() {
                    self.count.d.next = self.count.q.val() + self.count.q.val();
                } else {
                    self.count.d.next = !bit_cast::<8, 130>(bit_cast::<130, 33>(self.b.val()));
                }
                if self.f.val() {
                    self.state.d.next = M22State::S3;
                }
            }
            M22State::S3 => {
                self.shown_.next = 3.into();
                self.count.d.next = !self.count.q.val();
                if self.s_other.val().get_bit(2) | self.a.val().get_bit(5) {
                    self.count.d.next = ((bit_cast::<8, 1>(self.flag.q.val().into())) ^ 0x2).replace_bit(bit_cast::<3, 8>(bit_cast::<8, 1>((self.state.q.val() == M22State::S0).into())).index(), bit_cast::<64, 1>((self.state.q.val() == M22State::S1).into()) > bit_cast::<64, 8>(self.count.q.val()) + 3);
                }
                match self.k[0].val().index() {
                    2 => self.flag.d.next = 3 >= unsigned_cast(signed_cast(self.b.val().get_bits::<4>(27))),
                    6 => self.flag.d.next = (self.f.val() & self.f.val() & (self.f.val() && (self.state.q.val() == M22State::S4))),
                    _ => self.flag.d.next = signed_cast(self.m.val()) < signed_cast(self.n.val()),
                }
                if self.f.val() {
                    self.state.d.next = M22State::S4;
                }
            }
            M22State::S4 => {
                self.shown_.next = 4.into();
                if (self.d.val().get_bits::<1>(0)).any() {
                    self.count.d.next = unsigned_cast(signed_cast(self.count.q.val()) + signed_cast(self.count.q.val()));
                } else if bit_cast::<2, 16>(self.c.val() ^ self.d.val()).index() < 0x3 {
                    self.count.d.next = self.k[0].val().get_bits::<8>(2);
                } else {
                    self.count.d.next = unsigned_cast(signed_cast(self.count.q.val()) + signed_bit_cast::<8, 12>(self.s.val()));
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M22State::S5;
                }
            }
            M22State::S5 => {
                self.shown_.next = 5.into();
                match bit_cast::<2, 5>(bit_cast::<5, 33>(self.a.val())).index() {
                    0 => self.count.d.next = self.count.q.val().replace_bit((self.k[0].val() & self.k[0].val()).index(), (self.state.q.val() == M22State::S4)),
                    1 => self.count.d.next = (self.count.q.val().replace_bit(0, self.f.val())),
                    2 => self.count.d.next = !self.count.q.val(),
                    3 => self.count.d.next = (self.count.q.val() + self.count.q.val()),
                    _ => {}
                }
                match bit_cast::<1, 16>(self.sum.q.val()).index() {
                    0 => self.flag.d.next = (!(self.state.q.val() == M22State::S2)),
                    1 => self.flag.d.next = (self.state.q.val() == M22State::S4) | (self.state.q.val() == M22State::S4),
                    _ => self.flag.d.next = bit_cast::<32, 16>(self.sum.q.val()).any(),
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M22State::S0;
                }
                if !(self.state.q.val() == M22State::S2) || (self.state.q.val() == M22State::S3) | (self.state.q.val() == M22State::S3) {
                    self.state.d.next = M22State::S1;
                }
            }
            _ => {}
        }
    }
}
drive_ports!(impl[] M22 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M23State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M23 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<4>>,
    b: Signal<In, Bits<4>>,
    c: Signal<In, Bits<16>>,
    d: Signal<In, Bits<16>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M23State>,
    count: DFF<Bits<2>>,
    sum: DFF<Bits<5>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<5>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<2>>,
}
impl Logic for M23 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M23State::S0 => {
                self.shown_.next = 0.into();
                self.count.d.next = (self.count.q.val() << bit_cast::<1, 4>(self.a.val())) + self.n.val().get_bits::<2>(4) ^ 0;
                self.flag.d.next = self.flag.q.val();
                if self.f.val() {
                    self.state.d.next = M23State::S1;
                }
            }
            _ => self.state.d.next = M23State::S0,
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M23 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M24State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M24 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<2>>,
    d: Signal<In, Bits<2>>,
    m: Signal<In, Bits<12>>,
    n: Signal<In, Bits<12>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M24State>,
    count: DFF<Bits<4>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<4>>,
}
impl Logic for M24 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M24State::S0 => {
                self.shown_.next = 0.into();
                self.count.d.next = bits::<4>(0x2);
                self.count.d.next = self.count.q.val() >> 2 & 14;
                if self.f.val() {
                    self.state.d.next = M24State::S1;
                }
                if (-signed_cast(bit_cast::<31, 8>(self.sum.q.val()))).get_bit(self.count.q.val().index()) {
                    self.state.d.next = M24State::S1;
                }
            }
            M24State::S1 => {
                self.shown_.next = 1.into();
                self.sum.d.next = self.k[0].val().replace_bit(bit_cast::<3, 4>(self.count.q.val()).index(), self.f.val());
                if self.count.q.val() >= 0 || (self.flag.q.val() || self.f.val()) {
                    self.sum.d.next = 255 + (self.k[0].val() + self.sum.q.val() + 0xFF);
                }
                self.flag.d.next = ((bit_cast::<5, 3>(self.b.val()) & self.n.val().get_bits::<5>(2)).index() == 31) & (0x1 ^ self.a.val()).any();
                if !self.g.val() {
                    self.state.d.next = M24State::S0;
                }
            }
            _ => {}
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M24 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

pub const BLOCKS: &[super::super::Block] = &[
    ("m20", || Box::new(M20::default())),
    ("m21", || Box::new(M21::default())),
    ("m22", || Box::new(M22::default())),
    ("m23", || Box::new(M23::default())),
    ("m24", || Box::new(M24::default())),
];
