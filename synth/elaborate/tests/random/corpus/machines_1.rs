// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M5State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M5 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<32>>,
    d: Signal<In, Bits<32>>,
    m: Signal<In, Bits<3>>,
    n: Signal<In, Bits<3>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M5State>,
    count: DFF<Bits<4>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<4>>,
}
impl Logic for M5 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M5State::S0 => {
                self.shown_.next = 0.into();
                self.flag.d.next = self.k[1].val() + self.k[1].val() < 0x1EEB8ABB;
                if !self.g.val() {
                    self.state.d.next = M5State::S1;
                }
            }
            M5State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = !(!!self.count.q.val());
                if !self.d.val().get_bits::<12>(11).any() {
                    self.flag.d.next = self.b.val().get_bits::<32>(self.m.val().index()) <= 444809903;
                } else {
                    self.flag.d.next = bit_cast::<64, 8>(self.sum.q.val()) < bit_cast::<64, 3>(self.n.val()) || (self.state.q.val() == M5State::S1);
                }
                if !self.g.val() {
                    self.state.d.next = M5State::S0;
                }
                if (bit_cast::<5, 3>(self.n.val()) ^ bit_cast::<5, 3>(self.m.val())).index() >= 14 {
                    self.state.d.next = M5State::S1;
                }
            }
        }
    }
}
drive_ports!(impl[] M5 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M6State { S0, S1, S2, S3, S4 }
#[derive(LogicBlock, Default)]
struct M6 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<32>>,
    b: Signal<In, Bits<32>>,
    c: Signal<In, Bits<31>>,
    d: Signal<In, Bits<31>>,
    m: Signal<In, Bits<4>>,
    n: Signal<In, Bits<4>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<33>>; 4],
    state: DFF<M6State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<5>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<5>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M6 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M6State::S0 => {
                self.shown_.next = 0.into();
                self.sum.d.next = ((self.sum.q.val() & 22) << self.m.val().get_bits::<2>(0)) - unsigned_cast(signed_bit_cast::<5, 12>(self.s.val()) - signed_cast(self.sum.q.val()));
                if self.f.val() | self.g.val() {
                    self.state.d.next = M6State::S1;
                }
            }
            M6State::S1 => {
                self.shown_.next = 1.into();
                self.sum.d.next = !self.d.val().get_bits::<5>((self.n.val() & self.m.val()).index() + 5);
                if self.f.val() {
                    self.state.d.next = M6State::S2;
                }
                if (self.b.val().get_bits::<16>(5) - 0x3 != !self.a.val().get_bits::<16>(13)) {
                    self.state.d.next = M6State::S3;
                }
            }
            M6State::S2 => {
                self.shown_.next = 2.into();
                self.count.d.next = self.count.q.val();
                if self.f.val() | self.g.val() {
                    self.state.d.next = M6State::S3;
                }
                if self.c.val().any() {
                    self.state.d.next = M6State::S2;
                }
            }
            M6State::S3 => {
                self.shown_.next = 3.into();
                self.sum.d.next = bit_cast::<8, 32>(self.b.val()).get_bits::<5>(bit_cast::<3, 4>(self.n.val() + self.m.val()).index());
                if self.f.val() | self.g.val() {
                    self.state.d.next = M6State::S4;
                }
                if bit_cast::<40, 31>(self.c.val()) == 1099511627775_u64 {
                    self.state.d.next = M6State::S2;
                }
            }
            M6State::S4 => {
                self.shown_.next = 4.into();
                self.flag.d.next = self.flag.q.val() ^ self.g.val();
                if !self.g.val() {
                    self.state.d.next = M6State::S0;
                }
            }
            _ => {}
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M6 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M7State { S0, S1, S2 }
#[derive(LogicBlock, Default)]
struct M7 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<2>>,
    n: Signal<In, Bits<2>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M7State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<64>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<64>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M7 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M7State::S0 => {
                self.shown_.next = 0.into();
                self.sum.d.next = self.d.val() | 149716220714712533_u64;
                self.sum.d.next = bits::<64>(0);
                if self.f.val() {
                    self.state.d.next = M7State::S1;
                }
                if ((bit_cast::<1, 8>(self.b.val()) + self.c.val().get_bits::<1>(5)) <= self.sum.q.val().get_bits::<1>(42) << 0) {
                    self.state.d.next = M7State::S2;
                }
            }
            _ => self.state.d.next = M7State::S0,
        }
    }
}
drive_ports!(impl[] M7 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M8State { S0, S1, S2, S3, S4, S5 }
#[derive(LogicBlock, Default)]
struct M8 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<33>>,
    b: Signal<In, Bits<33>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M8State>,
    count: DFF<Bits<8>>,
    sum: DFF<Bits<5>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<5>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<8>>,
}
impl Logic for M8 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M8State::S0 => {
                self.shown_.next = 0.into();
                self.flag.d.next = !signed_cast(self.k[3].val()).get_bit(1);
                if self.f.val() | self.g.val() {
                    self.state.d.next = M8State::S1;
                }
            }
            M8State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = self.count.q.val().replace_bit(0, self.f.val());
                self.sum.d.next = self.d.val().get_bits::<5>(bit_cast::<2, 33>(self.b.val()).index()) & (self.sum.q.val() & 0x11);
                if self.f.val() {
                    self.state.d.next = M8State::S2;
                }
                if bit_cast::<16, 4>(self.c.val()).replace_bit(6, (self.state.q.val() == M8State::S0)).all() {
                    self.state.d.next = M8State::S1;
                }
            }
            M8State::S2 => {
                self.shown_.next = 2.into();
                if 1 >= bit_cast::<1, 3>(self.k[3].val()) {
                    self.flag.d.next = self.m.val().all();
                } else {
                    self.flag.d.next = (self.f.val());
                }
                if self.f.val() {
                    self.state.d.next = M8State::S3;
                }
            }
            M8State::S3 => {
                self.shown_.next = 3.into();
                self.count.d.next = self.count.q.val() | 212;
                if bit_cast::<31, 4>(self.c.val()).any() {
                    self.count.d.next = self.count.q.val() & 11;
                } else if !(self.state.q.val() == M8State::S0) {
                    self.count.d.next = self.count.q.val();
                } else {
                    self.count.d.next = self.count.q.val() + self.count.q.val();
                }
                if !(self.state.q.val() == M8State::S4) {
                    self.sum.d.next = self.sum.q.val() << self.k[3].val();
                } else if self.sum.q.val().xor() {
                    self.sum.d.next = self.sum.q.val() - self.sum.q.val();
                } else {
                    self.sum.d.next = bit_cast::<5, 32>(bit_cast::<32, 4>(self.c.val()));
                }
                if self.f.val() {
                    self.state.d.next = M8State::S4;
                }
            }
            M8State::S4 => {
                self.shown_.next = 4.into();
                self.sum.d.next = bits::<5>(31);
                self.flag.d.next = ((self.flag.q.val() && self.f.val() || self.n.val() != 12221239981600289775_u64) | self.g.val());
                if !self.g.val() {
                    self.state.d.next = M8State::S5;
                }
                if !(bit_cast::<31, 64>(self.m.val()) >= 0x0) {
                    self.state.d.next = M8State::S1;
                }
            }
            _ => self.state.d.next = M8State::S0,
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M8 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M9State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M9 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<4>>,
    b: Signal<In, Bits<4>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<130>>,
    n: Signal<In, Bits<130>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M9State>,
    count: DFF<Bits<2>>,
    sum: DFF<Bits<5>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<5>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<2>>,
}
impl Logic for M9 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M9State::S0 => {
                self.shown_.next = 0.into();
                self.flag.d.next = (self.sum.q.val() | 31).replace_bit(4, self.f.val() ^ (self.state.q.val() == M9State::S0)).all();
                if self.f.val() | self.g.val() {
                    self.state.d.next = M9State::S1;
                }
            }
            M9State::S1 => {
                self.shown_.next = 1.into();
                self.sum.d.next = bit_cast::<5, 1>((self.flag.q.val() && (self.state.q.val() == M9State::S1)).into()) >> self.sum.q.val();
                if self.f.val() {
                    self.state.d.next = M9State::S0;
                }
                if self.b.val().get_bits::<32>(bit_cast::<2, 64>(!self.c.val()).index()).get_bit(8) {
                    self.state.d.next = M9State::S1;
                }
            }
            _ => self.state.d.next = M9State::S0,
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M9 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

pub const BLOCKS: &[super::super::Block] = &[
    ("m5", || Box::new(M5::default())),
    ("m6", || Box::new(M6::default())),
    ("m7", || Box::new(M7::default())),
    ("m8", || Box::new(M8::default())),
    ("m9", || Box::new(M9::default())),
];
