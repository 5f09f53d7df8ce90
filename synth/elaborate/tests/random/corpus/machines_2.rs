// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M10State { S0, S1, S2, S3, S4, S5 }
#[derive(LogicBlock, Default)]
struct M10 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<12>>,
    b: Signal<In, Bits<12>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<130>>,
    n: Signal<In, Bits<130>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M10State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M10 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M10State::S0 => {
                self.shown_.next = 0.into();
                self.count.d.next = self.count.q.val() << 4;
                if bit_cast::<40, 130>(self.n.val()) <= 771056971242_u64 {
                    self.count.d.next = self.sum.q.val().get_bits::<3>(bit_cast::<3, 16>(1 | self.n.val().get_bits::<16>(103)).index());
                } else if (self.c.val().get_bits::<2>(1) & self.a.val().get_bits::<2>(7)).index() < 1 {
                    self.count.d.next = (self.count.q.val() - self.count.q.val());
                } else {
                    self.count.d.next = 3 ^ self.count.q.val();
                }
                if !self.g.val() {
                    self.state.d.next = M10State::S1;
                }
                if self.g.val() {
                    self.state.d.next = M10State::S4;
                }
            }
            M10State::S1 => {
                self.shown_.next = 1.into();
                self.sum.d.next = (bit_cast::<5, 12>(self.a.val()).get_bits::<8>((bit_cast::<2, 8>(self.k[0].val()) ^ self.a.val().get_bits::<2>(8)).index() + 1));
                if self.c.val().index() != 2 {
                    self.sum.d.next = self.m.val().get_bits::<8>(113);
                } else {
                    self.sum.d.next = (self.sum.q.val());
                }
                self.count.d.next = self.m.val().get_bits::<32>(23).get_bits::<3>(7);
                if self.f.val() {
                    self.state.d.next = M10State::S2;
                }
                if (self.state.q.val() == M10State::S2) {
                    self.state.d.next = M10State::S5;
                }
            }
            _ => self.state.d.next = M10State::S0,
        }
    }
}
drive_ports!(impl[] M10 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M11State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M11 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<4>>,
    b: Signal<In, Bits<4>>,
    c: Signal<In, Bits<33>>,
    d: Signal<In, Bits<33>>,
    m: Signal<In, Bits<2>>,
    n: Signal<In, Bits<2>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M11State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M11 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M11State::S0 => {
                self.shown_.next = 0.into();
                self.sum.d.next = (self.sum.q.val() & self.sum.q.val()) << (bit_cast::<5, 4>(self.b.val())) ^ self.n.val().get_bits::<33>(0).get_bits::<16>(4);
                self.flag.d.next = self.c.val().get_bit(10);
                if !self.g.val() {
                    self.state.d.next = M11State::S1;
                }
            }
            M11State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = bit_cast::<64, 4>(self.a.val()).get_bits::<3>((self.sum.q.val().get_bits::<6>(5) | self.sum.q.val().get_bits::<6>(10)).index());
                if 0x7 >= self.k[3].val() {
                    self.count.d.next = self.count.q.val() + self.count.q.val();
                }
                if self.f.val() {
                    self.state.d.next = M11State::S0;
                }
                if ((self.state.q.val() == M11State::S1) | self.g.val()) & (signed_cast(self.sum.q.val()) != signed_cast(self.sum.q.val())) {
                    self.state.d.next = M11State::S1;
                }
            }
            _ => {}
        }
    }
}
drive_ports!(impl[] M11 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M12State { S0, S1, S2 }
#[derive(LogicBlock, Default)]
struct M12 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<31>>,
    d: Signal<In, Bits<31>>,
    m: Signal<In, Bits<40>>,
    n: Signal<In, Bits<40>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M12State>,
    count: DFF<Bits<4>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<4>>,
}
impl Logic for M12 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M12State::S0 => {
                self.shown_.next = 0.into();
                self.sum.d.next = self.k[3].val() + 0x0;
                if (signed_cast(bit_cast::<1, 3>(self.a.val()))).get_bit(0) {
                    self.sum.d.next = (0x26 + self.k[3].val() | self.sum.q.val());
                } else if self.m.val() == 0xFFFFFFFFFF_u64 {
                    self.sum.d.next = self.sum.q.val() + 0x2F;
                }
                if self.f.val() {
                    self.state.d.next = M12State::S1;
                }
            }
            M12State::S1 => {
                self.shown_.next = 1.into();
                if ((self.state.q.val() == M12State::S1) && self.flag.q.val()) & (bit_cast::<64, 8>(self.sum.q.val()).xor()) {
                    self.sum.d.next = unsigned_cast(signed_bit_cast::<8, 33>(self.s_wide.val()) - signed_cast(self.sum.q.val()));
                } else if (self.g.val() & self.flag.q.val()) {
                    self.sum.d.next = 73 + self.sum.q.val();
                } else {
                    self.sum.d.next = !(self.k[3].val() + self.k[3].val());
                }
                self.sum.d.next = !self.sum.q.val();
                if self.f.val() | self.g.val() {
                    self.state.d.next = M12State::S2;
                }
            }
            M12State::S2 => {
                self.shown_.next = 2.into();
                if signed_cast(bit_cast::<32, 40>(self.m.val())) + signed_cast(bit_cast::<32, 8>(self.k[3].val())) > signed_cast(bit_cast::<32, 31>(self.d.val())) - signed_cast(bit_cast::<32, 40>(self.n.val())) {
                    self.count.d.next = (0x0 ^ bit_cast::<130, 8>(self.k[3].val())).get_bits::<4>(77) + (!self.count.q.val()).replace_bit(bit_cast::<2, 3>(self.b.val() ^ self.a.val()).index(), bit_cast::<12, 31>(self.c.val()) >= 0x2);
                } else {
                    self.count.d.next = (bits::<4>(0xF)) << (self.a.val().get_bits::<2>(1) | 0x2);
                }
                self.flag.d.next = (1326983914 | self.m.val().get_bits::<32>(0) - 4294967295_u64).xor();
                if !self.g.val() {
                    self.state.d.next = M12State::S0;
                }
                if !((self.state.q.val() == M12State::S1) & self.flag.q.val()) {
                    self.state.d.next = M12State::S2;
                }
            }
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M12 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M13State { S0, S1, S2, S3 }
#[derive(LogicBlock, Default)]
struct M13 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<16>>,
    d: Signal<In, Bits<16>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M13State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M13 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M13State::S0 => {
                self.shown_.next = 0.into();
                self.sum.d.next = self.c.val() | self.c.val();
                if (self.state.q.val() == M13State::S1) {
                    self.sum.d.next = 17222 + (self.d.val() >> self.count.q.val()).replace_bit(3, (self.flag.q.val()));
                }
                if !self.g.val() {
                    self.state.d.next = M13State::S1;
                }
                if (self.state.q.val() == M13State::S2) {
                    self.state.d.next = M13State::S2;
                }
            }
            M13State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = (!self.count.q.val() >> self.b.val() + self.a.val()) + unsigned_cast(signed_cast(self.b.val()) + signed_cast(self.count.q.val()));
                if !self.g.val() {
                    self.state.d.next = M13State::S2;
                }
                if (self.state.q.val() == M13State::S0) {
                    self.state.d.next = M13State::S3;
                }
            }
            M13State::S2 => {
                self.shown_.next = 2.into();
                match (self.a.val() & self.b.val()).index() {
                    0 => self.sum.d.next = (self.c.val() ^ self.c.val()).replace_bit((bit_cast::<4, 3>(self.a.val()) | bit_cast::<4, 3>(self.count.q.val())).index(), (self.state.q.val() == M13State::S2) || self.g.val()),
                    1 => self.sum.d.next = bit_cast::<40, 3>(self.b.val()).get_bits::<16>(0) >> bit_cast::<2, 31>(self.k[2].val().get_bits::<31>(1)),
                    2 => self.sum.d.next = self.d.val() + (self.state.q.val() == M13State::S0) + 61214,
                    3 => self.sum.d.next = (self.c.val() - self.c.val() + self.k[2].val().all()),
                    4 => self.sum.d.next = self.c.val() - self.d.val() >> 15,
                    5 => self.sum.d.next = bit_cast::<16, 1>(signed_cast(bit_cast::<40, 3>(self.b.val())).get_bit(5 + bit_cast::<5, 12>((bit_cast::<12, 1>(self.f.val().into()))).index()).into()),
                    6 => self.sum.d.next = (self.sum.q.val() >> self.b.val()).replace_bit(8, self.count.q.val().index() >= 3),
                    7 => self.sum.d.next = self.sum.q.val(),
                    _ => {}
                }
                self.count.d.next = !self.count.q.val() << self.count.q.val().get_bits::<8>(bit_cast::<1, 16>((bit_cast::<16, 1>((self.state.q.val() == M13State::S3).into()))).index() * 2);
                if !self.g.val() {
                    self.state.d.next = M13State::S3;
                }
                if self.count.q.val().index() < 6 {
                    self.state.d.next = M13State::S2;
                }
            }
            M13State::S3 => {
                self.shown_.next = 3.into();
                self.sum.d.next = 0x2 ^ self.sum.q.val();
                if self.f.val() {
                    self.count.d.next = bits::<3>(1);
                } else {
                    self.count.d.next = self.count.q.val() - self.b.val() >> 4;
                }
                if self.f.val() {
                    self.state.d.next = M13State::S0;
                }
            }
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M13 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M14State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M14 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<32>>,
    d: Signal<In, Bits<32>>,
    m: Signal<In, Bits<4>>,
    n: Signal<In, Bits<4>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M14State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<5>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<5>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M14 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M14State::S0 => {
                self.shown_.next = 0.into();
                self.sum.d.next = !(self.sum.q.val() >> 4);
                if self.f.val() {
                    self.state.d.next = M14State::S1;
                }
                if self.c.val().get_bits::<1>(25) == self.d.val().get_bits::<1>(17) << bit_cast::<12, 3>(self.count.q.val()) {
                    self.state.d.next = M14State::S0;
                }
            }
            _ => self.state.d.next = M14State::S0,
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M14 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

pub const BLOCKS: &[super::super::Block] = &[
    ("m10", || Box::new(M10::default())),
    ("m11", || Box::new(M11::default())),
    ("m12", || Box::new(M12::default())),
    ("m13", || Box::new(M13::default())),
    ("m14", || Box::new(M14::default())),
];
