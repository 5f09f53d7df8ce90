// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E24Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E24Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = 24 + (!self.p.val()).get_bits::<9>(7);
    }
}
drive_ports!(impl[] E24Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E24Pair {
    low: Bits<31>,
    bit: Bit,
    high: Bits<4>,
}
#[derive(LogicBlock, Default)]
struct E24 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<2>>,
    b: Signal<In, Bits<2>>,
    c: Signal<In, Bits<40>>,
    d: Signal<In, Bits<40>>,
    m: Signal<In, Bits<16>>,
    n: Signal<In, Bits<16>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<130>>,
    l1: Signal<Local, Bits<31>>,
    y2: Signal<Out, Signed<16>>,
    pair: Signal<Local, E24Pair>,
    y3: Signal<Out, Bits<4>>,
    child: E24Child,
    l4: Signal<Local, Bits<5>>,
    y5: Signal<Out, Bits<8>>,
    y6: Signal<Out, Bits<16>>,
    y7: Signal<Out, Bit>,
}
impl Logic for E24 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        match self.k[2].val().index() {
            0 => self.y0.next = unsigned_cast(signed_cast(bit_cast::<130, 40>(self.c.val()))),
            1 => self.y0.next = 0x1CCFEE43D176F53A_u64 + bits::<130>(18446744073709551615_u64),
            2 => self.y0.next = unsigned_cast(signed_cast(bit_cast::<130, 40>(self.d.val())) + signed_cast(bit_cast::<130, 16>(self.m.val()))),
            3 => self.y0.next = (bit_cast::<130, 5>(self.d.val().get_bits::<5>(35)) & 0xFFFFFFFFFFFFFFFF_u64),
            4 => self.y0.next = (0xBCBB4ACAE817023B_u64 + bit_cast::<130, 16>(self.n.val())),
            5 => self.y0.next = (!bit_cast::<5, 16>(self.m.val())).get_bits::<130>((self.a.val() ^ self.b.val()).index()),
            6 => self.y0.next = !(bit_cast::<130, 2>(self.a.val()) & 18446744073709551615_u64),
            7 => self.y0.next = unsigned_cast(-signed_cast(bit_cast::<130, 40>(self.c.val()))),
            _ => {}
        }
        self.l1.next = (bit_cast::<31, 16>(self.m.val()) << self.b.val()) - 2040207397;
        if signed_cast(self.y0.val()).get_bit(33 + bit_cast::<6, 2>(self.b.val()).index()) || self.g.val() | self.f.val() {
            self.y2.next = signed_cast(self.m.val()) + signed_bit_cast::<16, 12>(self.s_other.val()) + (signed_cast(self.m.val()) + signed_cast(self.n.val()));
        } else {
            self.y2.next = signed_cast(self.m.val()) + signed_bit_cast::<16, 12>(self.s.val());
        }
        self.pair.next.low = bits::<31>(0x459BE528) << bits::<2>(1);
        self.pair.next.bit = (self.g.val());
        self.pair.next.high = (bits::<4>(3));
        self.y3.next = bits::<4>(2);
        if (self.g.val() || self.f.val()) | (self.a.val() <= 3) {
            self.y3.next = bits::<4>(0xE);
        } else if self.pair.val().high == 6 {
            self.y3.next = bit_cast::<4, 130>(self.y0.val());
        } else {
            self.y3.next = self.l1.val().get_bits::<5>(10).get_bits::<40>(bit_cast::<2, 8>((bits::<8>(0x6A))).index()).get_bits::<4>(5 + bit_cast::<5, 4>(self.pair.val().high).index());
        }
        match self.k[2].val().index() {
            3 => self.child.p.next = self.d.val().get_bits::<8>(18) + 251 << (3 | self.b.val()),
            2 => self.child.p.next = bits::<16>(0xFFFF).get_bits::<8>(7),
            1 => self.child.p.next = bit_cast::<8, 33>(bit_cast::<33, 4>(self.y3.val()) - bit_cast::<33, 3>(self.k[2].val())),
            0 => self.child.p.next = bit_cast::<8, 33>(bit_cast::<33, 31>(self.l1.val()) - 0x1AB62D972_u64),
            1 => self.child.p.next = unsigned_cast(signed_cast(self.l1.val().get_bits::<8>(12))) - 0xFF,
            _ => self.child.p.next = bits::<8>(0xF1),
        }
        match bit_cast::<1, 33>(bit_cast::<33, 1>(self.g.val().into())).index() {
            0 => self.child.q.next = signed_cast(bit_cast::<5, 4>(self.y3.val())) - signed_bit_cast::<5, 12>(self.s_other.val()),
            1 => self.child.q.next = (signed_bit_cast::<5, 31>(self.s_wide.val()) + signed_cast(self.n.val().get_bits::<5>(10)) - signed_cast(self.c.val().get_bits::<5>(28))),
            _ => {}
        }
        self.l4.next = (bits::<5>(2));
        for i in 0..1 {
            if self.k[i].val().all() {
                self.l4.next = self.l4.val() + 1;
            }
        }
        match self.b.val().index() {
            0 => self.y5.next = bit_cast::<8, 1>(self.l4.val().all().into()),
            _ => self.y5.next = bit_cast::<12, 16>(self.n.val()).get_bits::<8>(1),
        }
        self.y6.next = bit_cast::<16, 3>(bit_cast::<3, 4>((self.pair.val().high ^ 15) >> 6));
        for i in 0..4 {
            if self.k[3 - i % 4].val().xor() {
                self.y6.next = self.y6.val() + 1;
            }
        }
        if self.l4.val().index() != 31 {
            self.y7.next = signed_cast(self.y5.val()) + signed_bit_cast::<8, 12>(self.s.val()) <= signed_bit_cast::<8, 12>(self.s.val()) - signed_cast(self.child.p.val());
        } else if self.f.val() | self.pair.val().bit {
            self.y7.next = (bit_cast::<5, 31>(unsigned_cast(self.s_wide.val())).index() == 0x1);
        } else {
            self.y7.next = signed_cast(bit_cast::<1, 31>(self.pair.val().low)) >= signed_cast(bit_cast::<1, 4>(self.pair.val().high)) - signed_cast(self.a.val().get_bits::<1>(0));
        }
    }
}
drive_ports!(impl[] E24 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E25Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E25Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bits::<9>(0x1);
    }
}
drive_ports!(impl[] E25Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E25Pair {
    low: Bits<40>,
    bit: Bit,
    high: Bits<130>,
}
#[derive(LogicBlock, Default)]
struct E25 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<33>>,
    b: Signal<In, Bits<33>>,
    c: Signal<In, Bits<130>>,
    d: Signal<In, Bits<130>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<12>>,
    l1: Signal<Local, Signed<12>>,
    y2: Signal<Out, Bits<32>>,
    pair: Signal<Local, E25Pair>,
    y3: Signal<Out, Bits<16>>,
    child: E25Child,
    l4: Signal<Local, Signed<3>>,
    y5: Signal<Out, Bit>,
    y6: Signal<Out, Signed<1>>,
    y7: Signal<Out, Bit>,
}
impl Logic for E25 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = (self.a.val().get_bits::<3>(5) & 0x7).get_bits::<12>(2);
        for i in 0..1 {
            if (self.c.val().get_bits::<16>(102) & bit_cast::<16, 5>(self.n.val())).get_bit(i + 1) {
                self.y0.next = self.y0.val() ^ 1;
            }
        }
        self.l1.next = -(signed_bit_cast::<12, 16>(self.s_wide.val()) - signed_cast(self.y0.val()) + signed_cast(bit_cast::<12, 1>(self.g.val().into())));
        match self.y0.val().get_bits::<1>(8).index() {
            0 => self.y2.next = ((bit_cast::<32, 5>(self.n.val()).replace_bit(bit_cast::<5, 16>(unsigned_cast(self.s_wide.val())).index(), self.g.val())) | self.c.val().get_bits::<32>(18) ^ bit_cast::<32, 33>(self.a.val())),
            1 => self.y2.next = bit_cast::<31, 1>(self.f.val().into()).get_bits::<32>(21),
            _ => self.y2.next = bits::<32>(0),
        }
        self.pair.next.low = ((unsigned_cast(signed_cast(bit_cast::<40, 12>(self.y0.val())))) ^ 0x2);
        self.pair.next.bit = self.f.val();
        self.pair.next.high = (bit_cast::<64, 33>(self.a.val()) + 0).get_bits::<130>(self.y0.val().get_bits::<6>(4).index());
        self.y3.next = (unsigned_cast(self.s_wide.val() - self.s_wide.val()));
        if !!self.pair.val().bit {
            self.child.p.next = !(self.k[3].val() & self.k[3].val());
        } else {
            self.child.p.next = (unsigned_cast(signed_cast(self.k[3].val()))) & self.k[3].val() << self.n.val();
        }
        self.child.q.next = signed_cast(self.m.val()) - signed_cast(self.m.val());
        if signed_cast(self.pair.val().low).get_bit(5 + self.m.val().index()) || ((self.n.val().get_bits::<4>(1) ^ bit_cast::<4, 5>(self.n.val())).index() >= 0) {
            self.child.q.next = signed_bit_cast::<5, 16>(self.s_wide.val()) + signed_cast(self.m.val()) + signed_cast(self.m.val());
        } else if bit_cast::<31, 33>(self.a.val()) > 0 {
            self.child.q.next = signed_cast(self.n.val());
        }
        if self.pair.val().bit ^ self.g.val() | signed_cast(bit_cast::<64, 33>(self.a.val())).get_bit(2) {
            self.l4.next = signed_cast(self.n.val().get_bits::<3>(1)) - signed_bit_cast::<3, 4>(self.s.val()) - signed_cast(bit_cast::<3, 12>(self.y0.val()));
        } else if self.g.val() {
            self.l4.next = signed_cast(self.y0.val().get_bits::<3>(2)) + signed_cast(bit_cast::<3, 130>(self.c.val()));
        } else {
            self.l4.next = (-signed_cast(bit_cast::<3, 33>(self.a.val()))) + (signed_cast(bit_cast::<3, 9>(self.child.r.val())) - signed_bit_cast::<3, 4>(self.s.val()));
        }
        self.y5.next = bit_cast::<31, 130>(self.d.val()) ^ bit_cast::<31, 5>(self.m.val()) != self.b.val().get_bits::<31>(bit_cast::<5, 31>(bits::<31>(0x2)).index());
        self.y6.next = signed_cast(bit_cast::<1, 8>(self.k[3].val())) + (signed_cast(bit_cast::<1, 9>(self.child.r.val())) + signed_bit_cast::<1, 4>(self.s.val()));
        self.y7.next = bit_cast::<3, 5>(self.m.val() ^ self.n.val()).any();
    }
}
drive_ports!(impl[] E25 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E26Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E26Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<9, 8>(self.p.val()));
    }
}
drive_ports!(impl[] E26Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E26Pair {
    low: Bits<8>,
    bit: Bit,
    high: Bits<33>,
}
#[derive(LogicBlock, Default)]
struct E26 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    c: Signal<In, Bits<40>>,
    d: Signal<In, Bits<40>>,
    m: Signal<In, Bits<12>>,
    n: Signal<In, Bits<12>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<64>>,
    l1: Signal<Local, Bits<16>>,
    y2: Signal<Out, Signed<2>>,
    pair: Signal<Local, E26Pair>,
    y3: Signal<Out, Signed<64>>,
    child: E26Child,
    l4: Signal<Local, Signed<130>>,
    y5: Signal<Out, Bits<64>>,
    y6: Signal<Out, Signed<12>>,
    y7: Signal<Out, Bits<16>>,
}
impl Logic for E26 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = unsigned_cast(signed_cast(bit_cast::<64, 16>(self.a.val())));
        for i in 0..6 {
            if self.k[3 - i % 4].val().get_bit(1) {
                self.y0.next = self.y0.val() >> 1;
            }
        }
        self.l1.next = 0x4EAF - ((self.a.val()) - (self.b.val() + self.b.val())) ^ (!unsigned_cast(signed_cast(self.b.val())) + 2);
        self.y2.next = signed_cast(self.l1.val().get_bits::<2>(9)) + signed_bit_cast::<2, 31>(self.s_wide.val());
        self.pair.next.low = bit_cast::<8, 1>(self.f.val().into()) << (bit_cast::<3, 40>(self.d.val()) ^ 4);
        self.pair.next.bit = self.f.val();
        self.pair.next.high = (self.b.val() + 59446).get_bits::<33>(6);
        match (self.k[1].val().get_bits::<3>(27) & bit_cast::<3, 40>(self.c.val())).index() {
            2 => self.y3.next = signed_cast(self.y0.val()) - signed_bit_cast::<64, 31>(self.s_wide.val()),
            2 => self.y3.next = -signed_cast(self.y0.val()) + signed_cast(self.y0.val()),
            0 => self.y3.next = (signed_cast(self.y0.val()) + (signed_cast(self.y0.val()) + signed_cast(self.y0.val()))),
            5 => self.y3.next = signed_cast(self.y0.val()) + signed_cast(self.y0.val()) - signed_cast(self.y0.val()),
            4 => self.y3.next = signed_cast(self.y0.val()) - signed_cast(self.y0.val()) + (signed_cast(self.y0.val()) + signed_cast(self.y0.val())),
            _ => self.y3.next = signed_cast(self.y0.val()) + signed_cast(self.y0.val()),
        }
        self.child.p.next = (!bit_cast::<8, 1>((signed_cast(self.m.val()) + signed_cast(self.m.val())).get_bit(4 + bit_cast::<3, 1>(bit_cast::<1, 40>(self.d.val()) + self.f.val()).index()).into()));
        match bit_cast::<1, 8>(self.pair.val().low).index() {
            0 => self.child.q.next = (signed_cast(self.n.val().get_bits::<5>(7)) - signed_bit_cast::<5, 8>(self.s_other.val())),
            1 => self.child.q.next = signed_bit_cast::<5, 31>(self.s_wide.val()) - signed_cast(self.a.val().get_bits::<5>(5)),
            _ => self.child.q.next = signed_cast(bit_cast::<5, 8>(self.child.p.val())) + signed_cast(bit_cast::<5, 12>(self.n.val())),
        }
        self.l4.next = signed_cast(bit_cast::<130, 8>(self.pair.val().low)) - signed_cast(bit_cast::<130, 33>(self.k[1].val()));
        if (bit_cast::<1, 16>(self.b.val()) & 1).xor() {
            self.l4.next = signed_cast(bit_cast::<130, 12>(self.n.val())) - (signed_cast(bit_cast::<130, 16>(self.a.val())) - signed_cast(bit_cast::<130, 12>(self.m.val())));
        } else if signed_cast(bit_cast::<130, 12>(self.n.val())).get_bit((bit_cast::<6, 64>(self.y0.val()) & self.b.val().get_bits::<6>(0)).index() * 2) {
            self.l4.next = signed_cast(bit_cast::<130, 40>(self.d.val())) - signed_cast(bit_cast::<130, 16>(self.a.val()));
        }
        self.y5.next = (bits::<64>(5210209796347255592_u64));
        self.y6.next = signed_cast(self.m.val());
        self.y7.next = self.a.val() << bit_cast::<3, 8>(self.pair.val().low);
        if !self.g.val() & bit_cast::<32, 16>(self.a.val()).get_bit(26) {
            self.y7.next = unsigned_cast(signed_cast(self.l1.val()) - signed_bit_cast::<16, 8>(self.s_other.val()));
        } else if (self.n.val().all()) {
            self.y7.next = unsigned_cast(signed_cast(self.b.val()));
        }
    }
}
drive_ports!(impl[] E26 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E27Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E27Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bits::<9>(22) + 511;
    }
}
drive_ports!(impl[] E27Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E27Pair {
    low: Bits<64>,
    bit: Bit,
    high: Bits<4>,
}
#[derive(LogicBlock, Default)]
struct E27 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<4>>,
    b: Signal<In, Bits<4>>,
    c: Signal<In, Bits<8>>,
    d: Signal<In, Bits<8>>,
    m: Signal<In, Bits<40>>,
    n: Signal<In, Bits<40>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<1>>,
    l1: Signal<Local, Bits<16>>,
    y2: Signal<Out, Signed<3>>,
    pair: Signal<Local, E27Pair>,
    y3: Signal<Out, Bit>,
    child: E27Child,
    l4: Signal<Local, Bits<12>>,
    y5: Signal<Out, Bit>,
    y6: Signal<Out, Signed<32>>,
    y7: Signal<Out, Bits<1>>,
}
impl Logic for E27 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        match self.n.val().get_bits::<2>(17).index() {
            0 => self.y0.next = !self.a.val().get_bits::<1>(3) | bit_cast::<1, 16>(self.m.val().get_bits::<16>(17)),
            1 => self.y0.next = (self.a.val().get_bits::<1>(0) >> 1) + 1,
            2 => self.y0.next = 1 + self.a.val().get_bits::<1>(3) ^ (self.b.val().get_bits::<1>(1) + self.a.val().get_bits::<1>(3)),
            3 => self.y0.next = unsigned_cast(signed_cast(bit_cast::<1, 8>(self.d.val()))) << 1,
            _ => self.y0.next = bit_cast::<1, 40>(self.m.val()),
        }
        self.l1.next = unsigned_cast(signed_cast(self.m.val().get_bits::<16>(15)));
        self.y2.next = signed_bit_cast::<3, 31>(self.s_wide.val()) + signed_cast(bit_cast::<3, 4>(self.a.val()));
        self.pair.next.low = bit_cast::<33, 1>(self.y0.val()).get_bits::<64>(bit_cast::<5, 4>(self.b.val()).index()).replace_bit(13, self.f.val() & self.f.val());
        self.pair.next.bit = (bit_cast::<4, 1>(!self.y0.val()).index() == 0x5);
        self.pair.next.high = self.b.val().replace_bit(self.l1.val().get_bits::<2>(8).index(), bit_cast::<130, 8>(self.k[3].val()).all());
        self.y3.next = self.a.val().index() < 7;
        self.child.p.next = bits::<8>(0xFF);
        self.child.q.next = signed_cast(bit_cast::<5, 8>(self.k[3].val()));
        self.l4.next = (unsigned_cast(signed_cast(bit_cast::<12, 40>(self.m.val()))) & 2438 | bit_cast::<12, 8>(self.child.p.val())) ^ !bit_cast::<12, 5>((unsigned_cast(self.child.q.val())));
        self.y5.next = ((bit_cast::<8, 1>((signed_cast(self.l1.val()) >= signed_cast(self.l1.val())).into()) | 0x3).any());
        self.y6.next = signed_bit_cast::<32, 31>(self.s_wide.val()) + signed_cast(bit_cast::<32, 9>(self.child.r.val()));
        if bit_cast::<3, 1>(self.pair.val().bit.into()).any() {
            self.y6.next = (signed_cast(bit_cast::<32, 40>(self.n.val())));
        } else if bit_cast::<4, 33>(bit_cast::<33, 16>(self.l1.val()) + 3740117055_u64).index() != 0x1 {
            self.y6.next = signed_cast(bit_cast::<32, 8>(self.d.val()));
        } else {
            self.y6.next = signed_cast(bit_cast::<32, 8>(self.child.p.val())) + signed_bit_cast::<32, 31>(self.s_wide.val());
        }
        self.y7.next = bit_cast::<130, 40>(self.m.val()).get_bits::<2>(99).get_bits::<1>(self.y0.val().index());
    }
}
drive_ports!(impl[] E27 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e24", || Box::new(E24::default())),
    ("e25", || Box::new(E25::default())),
    ("e26", || Box::new(E26::default())),
    ("e27", || Box::new(E27::default())),
];
