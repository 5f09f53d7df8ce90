// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M0State { S0, S1, S2, S3 }
#[derive(LogicBlock, Default)]
struct M0 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<5>>,
    b: Signal<In, Bits<5>>,
    c: Signal<In, Bits<130>>,
    d: Signal<In, Bits<130>>,
    m: Signal<In, Bits<3>>,
    n: Signal<In, Bits<3>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M0State>,
    count: DFF<Bits<2>>,
    sum: DFF<Bits<64>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<64>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<2>>,
}
impl Logic for M0 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M0State::S0 => {
                self.shown_.next = 0.into();
                self.count.d.next = self.count.q.val() + 2;
                if self.m.val().get_bits::<1>(2) != 1 {
                    self.count.d.next = self.sum.q.val().get_bits::<2>(bit_cast::<6, 3>(self.n.val()).index());
                } else {
                    self.count.d.next = (bit_cast::<8, 2>(self.count.q.val()).get_bits::<2>((self.n.val() | self.m.val()).index()));
                }
                match (self.count.q.val() | self.count.q.val()).index() {
                    0 => self.sum.d.next = bit_cast::<64, 40>(self.c.val().get_bits::<40>(10)) << 33,
                    1 => self.sum.d.next = bits::<64>(18446744073709551615_u64),
                    2 => self.sum.d.next = (self.sum.q.val() >> 44) - 0x5C9AF5400A5ED0B0_u64,
                    3 => self.sum.d.next = bit_cast::<64, 2>(bits::<2>(1)),
                    _ => self.sum.d.next = bit_cast::<4, 5>(self.a.val()).get_bits::<64>(self.count.q.val().index()),
                }
                if !self.g.val() {
                    self.state.d.next = M0State::S1;
                }
                if (self.m.val() - 2).any() {
                    self.state.d.next = M0State::S2;
                }
            }
            M0State::S1 => {
                self.shown_.next = 1.into();
                match bit_cast::<3, 8>(bit_cast::<8, 5>(self.b.val()) + bit_cast::<8, 3>(self.m.val())).index() {
                    0 => self.flag.d.next = (self.state.q.val() == M0State::S1),
                    1 => self.flag.d.next = self.g.val() & (self.state.q.val() == M0State::S2) & (4331884948251132419_u64 == self.sum.q.val()),
                    2 => self.flag.d.next = (bit_cast::<31, 5>(self.b.val()) & bit_cast::<31, 3>(self.m.val())).all(),
                    3 => self.flag.d.next = 1 <= bit_cast::<4, 3>(self.m.val()).get_bits::<2>((self.count.q.val() ^ self.count.q.val()).index()),
                    4 => self.flag.d.next = bit_cast::<4, 3>(self.m.val()) < !bit_cast::<4, 2>(self.count.q.val()),
                    5 => self.flag.d.next = ((!self.k[3].val().get_bits::<8>(17)).xor()),
                    6 => self.flag.d.next = (self.c.val().get_bits::<40>(64) & bit_cast::<40, 33>(self.k[3].val())).get_bit(5),
                    7 => self.flag.d.next = (bit_cast::<8, 33>(self.k[3].val()).xor() & (self.sum.q.val() > 9206231928464965243_u64)),
                    _ => {}
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M0State::S2;
                }
                if self.c.val().get_bits::<4>(122) == 11 || 45950 <= bit_cast::<16, 2>(self.count.q.val()) {
                    self.state.d.next = M0State::S0;
                }
            }
            M0State::S2 => {
                self.shown_.next = 2.into();
                self.sum.d.next = self.sum.q.val() + self.sum.q.val();
                if !self.flag.q.val() & (0 <= self.a.val()) {
                    self.flag.d.next = ((signed_cast(self.c.val()) - signed_cast(self.c.val())).get_bit(39));
                } else if 0x3 > self.count.q.val() {
                    self.flag.d.next = (self.state.q.val() == M0State::S0);
                } else {
                    self.flag.d.next = (bit_cast::<33, 130>(self.c.val())).get_bit(self.a.val().index());
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M0State::S3;
                }
            }
            M0State::S3 => {
                self.shown_.next = 3.into();
                self.flag.d.next = 9 != bit_cast::<4, 64>(self.sum.q.val());
                self.flag.d.next = (self.state.q.val() == M0State::S2);
                if !self.g.val() {
                    self.state.d.next = M0State::S0;
                }
            }
        }
    }
}
drive_ports!(impl[] M0 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M1State { S0, S1, S2 }
#[derive(LogicBlock, Default)]
struct M1 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<32>>,
    n: Signal<In, Bits<32>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M1State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<33>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<33>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M1 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M1State::S0 => {
                self.shown_.next = 0.into();
                if self.b.val().xor() && self.d.val().any() {
                    self.flag.d.next = bit_cast::<31, 3>(self.k[2].val()) - 1492456564 > 0x0;
                } else {
                    self.flag.d.next = (self.state.q.val() == M1State::S0);
                }
                self.count.d.next = (unsigned_cast(signed_cast(self.k[2].val())));
                if self.f.val() | self.g.val() {
                    self.state.d.next = M1State::S1;
                }
            }
            M1State::S1 => {
                self.shown_.next = 1.into();
                if (self.flag.q.val() && (self.state.q.val() == M1State::S1)) ^ ((self.state.q.val() == M1State::S1) && (self.state.q.val() == M1State::S1)) {
                    self.count.d.next = 0x1 + self.count.q.val().replace_bit(0, self.flag.q.val()).get_bits::<3>(self.k[2].val().get_bits::<1>(1).index() * 2);
                } else {
                    self.count.d.next = !((self.k[2].val() ^ self.k[2].val()) + (7 + self.count.q.val()));
                }
                if self.f.val() {
                    self.state.d.next = M1State::S2;
                }
            }
            M1State::S2 => {
                self.shown_.next = 2.into();
                self.count.d.next = self.c.val().get_bits::<3>(46);
                if self.d.val().replace_bit(bit_cast::<6, 2>(self.n.val().get_bits::<2>(9)).index(), (self.state.q.val() == M1State::S1)).all() {
                    self.count.d.next = 2 - self.k[2].val();
                }
                self.count.d.next = self.b.val().get_bits::<12>(bit_cast::<4, 33>(!self.sum.q.val()).index()).get_bits::<3>(7);
                if !self.g.val() {
                    self.state.d.next = M1State::S0;
                }
            }
            _ => self.state.d.next = M1State::S0,
        }
    }
}
drive_ports!(impl[] M1 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M2State { S0, S1, S2, S3, S4, S5 }
#[derive(LogicBlock, Default)]
struct M2 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<31>>,
    b: Signal<In, Bits<31>>,
    c: Signal<In, Bits<2>>,
    d: Signal<In, Bits<2>>,
    m: Signal<In, Bits<33>>,
    n: Signal<In, Bits<33>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M2State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M2 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M2State::S0 => {
                self.shown_.next = 0.into();
                if !bit_cast::<12, 3>(self.count.q.val()).any() {
                    self.flag.d.next = ((-signed_cast(bit_cast::<1, 3>(self.k[3].val()))).get_bit(0)) || (bit_cast::<32, 33>(self.m.val()) + 0xFFFFFFFF_u64).any();
                } else if signed_cast(bit_cast::<32, 33>(self.m.val())).get_bit(bit_cast::<5, 2>(self.c.val()).index()) {
                    self.flag.d.next = (self.state.q.val() == M2State::S4);
                } else {
                    self.flag.d.next = (self.state.q.val() == M2State::S4) || (bit_cast::<4, 2>(self.c.val()) | self.n.val().get_bits::<4>(18)).index() == 7;
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M2State::S1;
                }
                if bit_cast::<12, 1>((self.state.q.val() == M2State::S4).into()).any() {
                    self.state.d.next = M2State::S5;
                }
            }
            M2State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = !self.count.q.val();
                if self.f.val() {
                    self.state.d.next = M2State::S2;
                }
            }
            M2State::S2 => {
                self.shown_.next = 2.into();
                self.count.d.next = !self.k[3].val();
                if (self.state.q.val() == M2State::S2) {
                    self.count.d.next = self.count.q.val() >> 0 & !self.count.q.val();
                }
                self.flag.d.next = (self.m.val() != self.n.val()) | ((self.sum.q.val().get_bits::<5>(3) | bit_cast::<5, 31>(self.a.val())).index() >= 0x1F);
                if self.f.val() | self.g.val() {
                    self.state.d.next = M2State::S3;
                }
                if (self.c.val().index() < 3) {
                    self.state.d.next = M2State::S3;
                }
            }
            M2State::S3 => {
                self.shown_.next = 3.into();
                self.sum.d.next = self.sum.q.val();
                if self.f.val() | self.g.val() {
                    self.state.d.next = M2State::S4;
                }
            }
            M2State::S4 => {
                self.shown_.next = 4.into();
                self.sum.d.next = self.sum.q.val();
                if (bit_cast::<5, 3>(self.k[3].val()) ^ self.m.val().get_bits::<5>(5)).index() == 0x9 {
                    self.sum.d.next = (self.sum.q.val() + self.sum.q.val()).get_bits::<16>((self.n.val().get_bits::<4>(8) ^ bit_cast::<4, 3>(self.count.q.val())).index());
                } else if (self.n.val().xor()) {
                    self.sum.d.next = self.sum.q.val() | self.sum.q.val();
                } else {
                    self.sum.d.next = unsigned_cast(signed_bit_cast::<16, 4>(self.s_other.val()) - self.s_wide.val());
                }
                if !self.g.val() {
                    self.state.d.next = M2State::S5;
                }
                if 3 >= (bit_cast::<12, 31>(self.b.val()) - 4095) {
                    self.state.d.next = M2State::S1;
                }
            }
            M2State::S5 => {
                self.shown_.next = 5.into();
                match self.count.q.val().index() {
                    1 => self.count.d.next = (5 | self.k[3].val() ^ 0),
                    5 => self.count.d.next = bits::<3>(7),
                    0 => self.count.d.next = (!self.k[3].val() << 4),
                    6 => self.count.d.next = unsigned_cast(signed_cast(self.k[3].val()) - signed_bit_cast::<3, 4>(self.s_other.val())),
                    5 => self.count.d.next = bit_cast::<8, 16>(self.sum.q.val()).get_bits::<4>(2).get_bits::<3>(3),
                    4 => self.count.d.next = (self.k[3].val()),
                    6 => self.count.d.next = (self.count.q.val() ^ 1) - unsigned_cast(signed_cast(self.count.q.val())),
                    _ => self.count.d.next = self.k[3].val() >> self.c.val(),
                }
                self.count.d.next = bits::<3>(1).replace_bit(bit_cast::<1, 40>(bit_cast::<40, 33>(self.m.val()) + 1099511627775_u64).index(), self.m.val() <= 0x3);
                if self.f.val() {
                    self.state.d.next = M2State::S0;
                }
            }
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M2 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M3State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M3 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<2>>,
    b: Signal<In, Bits<2>>,
    c: Signal<In, Bits<33>>,
    d: Signal<In, Bits<33>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M3State>,
    count: DFF<Bits<8>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<8>>,
}
impl Logic for M3 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M3State::S0 => {
                self.shown_.next = 0.into();
                if (0 >= bit_cast::<1, 33>(self.c.val()).replace_bit(0, self.flag.q.val())) {
                    self.sum.d.next = bit_cast::<8, 1>(bit_cast::<130, 33>(self.d.val()).any().into());
                } else if self.count.q.val() > 255 {
                    self.sum.d.next = bits::<8>(0x0);
                } else {
                    self.sum.d.next = (81 ^ self.sum.q.val()) << bits::<8>(0xFF);
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M3State::S1;
                }
            }
            M3State::S1 => {
                self.shown_.next = 1.into();
                self.flag.d.next = (self.state.q.val() == M3State::S1);
                if bit_cast::<64, 33>(self.c.val()).get_bits::<12>(16).any() {
                    self.flag.d.next = self.n.val().index() != 31;
                } else {
                    self.flag.d.next = !(self.state.q.val() == M3State::S0);
                }
                if !self.g.val() {
                    self.state.d.next = M3State::S0;
                }
                if (bit_cast::<31, 33>(self.d.val()).all()) | (bit_cast::<4, 8>(self.sum.q.val()).index() == 8) {
                    self.state.d.next = M3State::S1;
                }
            }
            _ => {}
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M3 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M4State { S0, S1, S2, S3 }
#[derive(LogicBlock, Default)]
struct M4 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<32>>,
    b: Signal<In, Bits<32>>,
    c: Signal<In, Bits<3>>,
    d: Signal<In, Bits<3>>,
    m: Signal<In, Bits<8>>,
    n: Signal<In, Bits<8>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M4State>,
    count: DFF<Bits<8>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<8>>,
}
impl Logic for M4 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M4State::S0 => {
                self.shown_.next = 0.into();
                self.flag.d.next = bit_cast::<4, 5>(bit_cast::<5, 8>(self.m.val()) + (self.state.q.val() == M4State::S2)).index() >= 0xF;
                if self.f.val() {
                    self.state.d.next = M4State::S1;
                }
                if !self.k[2].val().get_bits::<5>(13).all() {
                    self.state.d.next = M4State::S3;
                }
            }
            M4State::S1 => {
                self.shown_.next = 1.into();
                self.flag.d.next = (!self.b.val().xor() && self.a.val().any() & ((self.state.q.val() == M4State::S0) | self.g.val()));
                self.sum.d.next = self.sum.q.val();
                if !self.g.val() {
                    self.state.d.next = M4State::S2;
                }
                if bit_cast::<12, 8>(self.n.val()) + 4095 > 2907 {
                    self.state.d.next = M4State::S2;
                }
            }
            M4State::S2 => {
                self.shown_.next = 2.into();
                if bit_cast::<130, 3>(self.c.val()).get_bit(0) {
                    self.count.d.next = bits::<8>(29);
                } else {
                    self.count.d.next = self.a.val().get_bits::<8>(8);
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M4State::S3;
                }
            }
            _ => self.state.d.next = M4State::S0,
        }
    }
}
drive_ports!(impl[] M4 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

pub const BLOCKS: &[super::super::Block] = &[
    ("m0", || Box::new(M0::default())),
    ("m1", || Box::new(M1::default())),
    ("m2", || Box::new(M2::default())),
    ("m3", || Box::new(M3::default())),
    ("m4", || Box::new(M4::default())),
];
