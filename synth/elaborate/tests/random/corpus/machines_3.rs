// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M15State { S0, S1, S2, S3 }
#[derive(LogicBlock, Default)]
struct M15 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<31>>,
    d: Signal<In, Bits<31>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M15State>,
    count: DFF<Bits<4>>,
    sum: DFF<Bits<33>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<33>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<4>>,
}
impl Logic for M15 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M15State::S0 => {
                self.shown_.next = 0.into();
                if (self.count.q.val() << bit_cast::<2, 3>(self.a.val())).xor() {
                    self.flag.d.next = bit_cast::<32, 31>(self.d.val()).xor() ^ (self.count.q.val() == 1);
                } else if bit_cast::<12, 5>(self.m.val()).any() {
                    self.flag.d.next = (self.state.q.val() == M15State::S3) ^ (self.state.q.val() == M15State::S2);
                } else {
                    self.flag.d.next = bit_cast::<2, 3>(self.k[1].val()).any();
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M15State::S1;
                }
                if 0xFFF <= bit_cast::<12, 3>(self.k[1].val()) << self.m.val() {
                    self.state.d.next = M15State::S2;
                }
            }
            _ => self.state.d.next = M15State::S0,
        }
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
    }
}
drive_ports!(impl[] M15 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M16State { S0, S1, S2, S3, S4, S5 }
#[derive(LogicBlock, Default)]
struct M16 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<2>>,
    b: Signal<In, Bits<2>>,
    c: Signal<In, Bits<33>>,
    d: Signal<In, Bits<33>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M16State>,
    count: DFF<Bits<2>>,
    sum: DFF<Bits<16>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<16>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<2>>,
}
impl Logic for M16 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M16State::S0 => {
                self.shown_.next = 0.into();
                self.flag.d.next = signed_cast(self.n.val().get_bits::<5>(24)) + signed_cast(bit_cast::<5, 31>(self.n.val())) < signed_cast(bit_cast::<5, 2>(self.a.val()));
                if self.f.val() {
                    self.state.d.next = M16State::S1;
                }
                if (self.state.q.val() == M16State::S5) && self.f.val() || bit_cast::<32, 16>(self.sum.q.val()) >= 3 {
                    self.state.d.next = M16State::S1;
                }
            }
            M16State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = 0x3 & bit_cast::<2, 1>(((self.state.q.val() == M16State::S0) ^ self.flag.q.val()).into());
                if self.f.val() {
                    self.state.d.next = M16State::S2;
                }
            }
            _ => self.state.d.next = M16State::S0,
        }
    }
}
drive_ports!(impl[] M16 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M17State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M17 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<2>>,
    b: Signal<In, Bits<2>>,
    c: Signal<In, Bits<130>>,
    d: Signal<In, Bits<130>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    state: DFF<M17State>,
    count: DFF<Bits<3>>,
    sum: DFF<Bits<5>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<5>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<3>>,
}
impl Logic for M17 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        self.shown_.next = 15.into();
        match self.state.q.val() {
            M17State::S0 => {
                self.shown_.next = 0.into();
                self.count.d.next = (bits::<3>(7));
                match self.k[3].val().index() {
                    0 => self.sum.d.next = self.sum.q.val() + 21,
                    1 => self.sum.d.next = bit_cast::<5, 16>(bit_cast::<16, 2>(self.b.val())),
                    2 => self.sum.d.next = (self.sum.q.val() ^ self.sum.q.val()),
                    3 => self.sum.d.next = self.sum.q.val() | 3,
                    4 => self.sum.d.next = self.sum.q.val() << 2,
                    5 => self.sum.d.next = self.sum.q.val() + 2,
                    6 => self.sum.d.next = self.sum.q.val() | 22,
                    7 => self.sum.d.next = self.sum.q.val() - 23,
                    _ => self.sum.d.next = unsigned_cast(signed_cast(self.sum.q.val())),
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M17State::S1;
                }
                if (self.state.q.val() == M17State::S1) ^ self.g.val() | self.n.val().all() {
                    self.state.d.next = M17State::S1;
                }
            }
            _ => self.state.d.next = M17State::S0,
        }
    }
}
drive_ports!(impl[] M17 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M18State { S0, S1 }
#[derive(LogicBlock, Default)]
struct M18 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<12>>,
    b: Signal<In, Bits<12>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<32>>,
    n: Signal<In, Bits<32>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M18State>,
    count: DFF<Bits<4>>,
    sum: DFF<Bits<8>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<8>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<4>>,
}
impl Logic for M18 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M18State::S0 => {
                self.shown_.next = 0.into();
                self.count.d.next = bit_cast::<4, 1>(self.f.val().into());
                if ((self.state.q.val() == M18State::S1)) {
                    self.count.d.next = (unsigned_cast(signed_cast(self.d.val())));
                } else {
                    self.count.d.next = (!!self.d.val() + (self.d.val() >> self.n.val().get_bits::<2>(21) | self.c.val() + self.c.val()));
                }
                if (bit_cast::<31, 12>(self.b.val()) == 255760292) && !self.f.val() {
                    self.flag.d.next = ((bit_cast::<1, 4>(self.d.val()) >> bit_cast::<1, 4>(self.c.val())) != 1);
                } else {
                    self.flag.d.next = !(self.f.val() | (self.state.q.val() == M18State::S0));
                }
                if !self.g.val() {
                    self.state.d.next = M18State::S1;
                }
                if bit_cast::<16, 4>(self.c.val()) > bit_cast::<16, 4>(self.d.val()) && bit_cast::<3, 32>(self.m.val()) == 0x7 {
                    self.state.d.next = M18State::S1;
                }
            }
            M18State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = bit_cast::<4, 31>(bit_cast::<31, 4>(self.c.val())).replace_bit(3, bit_cast::<130, 12>(self.a.val()) == 1);
                self.flag.d.next = (!(self.state.q.val() == M18State::S1));
                if (0 > self.b.val()) | self.f.val() & (self.state.q.val() == M18State::S1) {
                    self.flag.d.next = (bit_cast::<40, 8>(self.k[1].val()) + bit_cast::<40, 32>(self.n.val())) - 1 < bits::<40>(431638098114_u64);
                } else if (self.state.q.val() == M18State::S0) || self.g.val() {
                    self.flag.d.next = !(self.state.q.val() == M18State::S0);
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M18State::S0;
                }
                if self.flag.q.val() ^ self.g.val() | (self.f.val() | self.flag.q.val()) {
                    self.state.d.next = M18State::S0;
                }
            }
        }
    }
}
drive_ports!(impl[] M18 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum M19State { S0, S1, S2, S3 }
#[derive(LogicBlock, Default)]
struct M19 {
    clock: Signal<In, Clock>,
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<5>>,
    b: Signal<In, Bits<5>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<130>>,
    n: Signal<In, Bits<130>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<8>>; 4],
    state: DFF<M19State>,
    count: DFF<Bits<8>>,
    sum: DFF<Bits<33>>,
    flag: DFF<Bit>,
    shown_: Signal<Out, Bits<4>>,
    value_: Signal<Out, Bits<33>>,
    busy_: Signal<Out, Bit>,
    next_: Signal<Out, Bits<8>>,
}
impl Logic for M19 {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count, sum, flag);
        self.next_.next = self.count.d.val();
        self.busy_.next = self.flag.d.val();
        self.value_.next = self.sum.q.val();
        match self.state.q.val() {
            M19State::S0 => {
                self.shown_.next = 0.into();
                match bit_cast::<1, 130>(self.m.val()).index() {
                    0 => self.flag.d.next = self.f.val() || (self.state.q.val() == M19State::S1),
                    1 => self.flag.d.next = !(self.state.q.val() == M19State::S0),
                    _ => {}
                }
                if unsigned_cast(signed_cast(self.m.val().get_bits::<3>(78))).xor() {
                    self.flag.d.next = bit_cast::<2, 12>(bit_cast::<12, 8>(self.k[1].val()) - 2296).xor();
                } else if self.m.val().any() {
                    self.flag.d.next = (self.m.val().any());
                } else {
                    self.flag.d.next = self.c.val().any();
                }
                if self.f.val() | self.g.val() {
                    self.state.d.next = M19State::S1;
                }
                if self.c.val().get_bits::<64>(self.k[1].val().get_bits::<6>(0).index()) == 17848525705117272836_u64 {
                    self.state.d.next = M19State::S1;
                }
            }
            M19State::S1 => {
                self.shown_.next = 1.into();
                self.count.d.next = (self.k[1].val() >> 9);
                if signed_cast(self.b.val()) + signed_bit_cast::<5, 8>(self.s.val()) != signed_bit_cast::<5, 8>(self.s.val()) + signed_cast(self.a.val()) {
                    self.count.d.next = (bit_cast::<8, 1>(((self.state.q.val() == M19State::S1) && (self.state.q.val() == M19State::S3)).into()));
                } else if (self.n.val().all()) {
                    self.count.d.next = unsigned_cast(self.s_other.val());
                } else {
                    self.count.d.next = 255 - self.k[1].val() | bit_cast::<8, 1>((self.state.q.val() == M19State::S0).into());
                }
                match bit_cast::<2, 33>(self.sum.q.val()).index() {
                    0 => self.count.d.next = !self.count.q.val(),
                    1 => self.count.d.next = self.k[1].val().replace_bit(0, (self.state.q.val() == M19State::S3)),
                    2 => self.count.d.next = 255 + self.k[1].val(),
                    3 => self.count.d.next = self.a.val().get_bits::<8>(1),
                    _ => self.count.d.next = self.k[1].val() + self.count.q.val(),
                }
                if self.f.val() {
                    self.state.d.next = M19State::S2;
                }
            }
            M19State::S2 => {
                self.shown_.next = 2.into();
                self.sum.d.next = !self.sum.q.val().replace_bit((self.a.val() | self.b.val()).index() + 1, (self.state.q.val() == M19State::S0));
                if signed_cast(bit_cast::<40, 130>(self.m.val())).get_bit(self.b.val().index()) {
                    self.sum.d.next = bit_cast::<1, 64>(self.c.val()).get_bits::<33>(0) >> 25;
                } else if self.f.val() | self.f.val() {
                    self.sum.d.next = self.sum.q.val() >> bit_cast::<1, 130>(self.m.val());
                } else {
                    self.sum.d.next = self.sum.q.val() << self.d.val().get_bits::<3>(33) << 24;
                }
                if !self.g.val() {
                    self.state.d.next = M19State::S3;
                }
                if !(self.state.q.val() == M19State::S3) & (self.k[1].val().get_bits::<2>(1) >= self.c.val().get_bits::<2>(42)) {
                    self.state.d.next = M19State::S3;
                }
            }
            M19State::S3 => {
                self.shown_.next = 3.into();
                self.count.d.next = self.count.q.val() >> bit_cast::<2, 33>(self.sum.q.val());
                if self.f.val() | self.g.val() {
                    self.state.d.next = M19State::S0;
                }
            }
        }
    }
}
drive_ports!(impl[] M19 { clock, f, g, a, b, c, d, m, n, s, s_other, s_wide, k, shown_, value_, busy_, next_ });

pub const BLOCKS: &[super::super::Block] = &[
    ("m15", || Box::new(M15::default())),
    ("m16", || Box::new(M16::default())),
    ("m17", || Box::new(M17::default())),
    ("m18", || Box::new(M18::default())),
    ("m19", || Box::new(M19::default())),
];
