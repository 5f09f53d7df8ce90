// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E16Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E16Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bits::<9>(0x0);
    }
}
drive_ports!(impl[] E16Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E16Pair {
    low: Bits<5>,
    bit: Bit,
    high: Bits<64>,
}
#[derive(LogicBlock, Default)]
struct E16 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    c: Signal<In, Bits<3>>,
    d: Signal<In, Bits<3>>,
    m: Signal<In, Bits<2>>,
    n: Signal<In, Bits<2>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<5>>,
    l1: Signal<Local, Bits<40>>,
    y2: Signal<Out, Bits<8>>,
    pair: Signal<Local, E16Pair>,
    y3: Signal<Out, Bits<64>>,
    child: E16Child,
    l4: Signal<Local, Bits<130>>,
    y5: Signal<Out, Bits<5>>,
    y6: Signal<Out, Bits<31>>,
    y7: Signal<Out, Bit>,
}
impl Logic for E16 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = (((self.d.val() | 6) << 1).get_bits::<5>(0));
        match bit_cast::<3, 5>((0x1F + self.y0.val())).index() {
            5 => self.l1.next = bit_cast::<40, 1>((bit_cast::<4, 3>(self.d.val()).index() == 5).into()),
            5 => self.l1.next = bit_cast::<8, 2>(self.m.val()).get_bits::<40>((self.c.val() ^ self.k[0].val()).index()) | 0x132EC72997_u64,
            3 => self.l1.next = (bit_cast::<4, 5>(self.y0.val()).get_bits::<40>(self.m.val().index())),
            5 => self.l1.next = unsigned_cast(signed_cast(bit_cast::<40, 2>(self.m.val()))) - (bit_cast::<40, 16>(self.a.val()) + 644887780255_u64),
            5 => self.l1.next = (self.y0.val() & 0x0).get_bits::<40>(3),
            1 => self.l1.next = bit_cast::<40, 16>(self.a.val()).replace_bit(30, self.g.val()) >> 38,
            _ => self.l1.next = bit_cast::<40, 3>(self.c.val()) >> 30,
        }
        self.y2.next = bits::<8>(255);
        if (bit_cast::<130, 2>(self.m.val()) >> 20).all() {
            self.y2.next = (bit_cast::<8, 33>(bit_cast::<33, 5>(self.y0.val()))) ^ 1;
        } else if self.g.val() || self.g.val() {
            self.y2.next = bit_cast::<8, 3>(self.d.val()) << 0;
        }
        self.pair.next.low = self.y0.val();
        self.pair.next.bit = bits::<40>(1099511627775_u64).xor();
        self.pair.next.high = unsigned_cast(signed_cast(bit_cast::<64, 5>(self.y0.val())));
        self.y3.next = self.pair.val().high + (self.m.val().index() == 2) << 23;
        match bit_cast::<3, 2>(self.n.val() << self.m.val()).index() {
            0 => self.child.p.next = (self.l1.val() >> self.y2.val()).get_bits::<8>(21),
            1 => self.child.p.next = self.y2.val() << unsigned_cast(signed_cast(self.d.val())),
            2 => self.child.p.next = !(self.y2.val() & 21),
            3 => self.child.p.next = self.y2.val() ^ bit_cast::<31, 2>(self.m.val()).get_bits::<8>(bit_cast::<4, 64>(self.y3.val() + 0x6DF368D4B7A28C29_u64).index()),
            4 => self.child.p.next = bits::<8>(0x3),
            5 => self.child.p.next = self.y2.val() >> 5 | 132,
            6 => self.child.p.next = (bit_cast::<130, 2>(self.n.val()).get_bits::<8>(bit_cast::<6, 64>(self.pair.val().high).index() + 65)) - self.y2.val().replace_bit((self.c.val() | self.d.val()).index(), self.g.val()),
            7 => self.child.p.next = self.y2.val(),
            _ => {}
        }
        match self.n.val().index() {
            2 => self.child.q.next = (signed_cast(self.y0.val()) + signed_cast(self.y0.val())),
            3 => self.child.q.next = signed_cast(self.pair.val().low),
            1 => self.child.q.next = signed_cast(self.y0.val()) + signed_cast(self.y0.val()) + (signed_cast(self.y0.val()) + signed_cast(self.y0.val())),
            _ => self.child.q.next = signed_cast(self.pair.val().low),
        }
        match bit_cast::<2, 5>(31 & self.pair.val().low).index() {
            0 => self.l4.next = (!bit_cast::<130, 2>(self.n.val())),
            1 => self.l4.next = bit_cast::<130, 31>((bit_cast::<31, 1>(self.pair.val().bit.into()))),
            2 => self.l4.next = (bit_cast::<130, 1>(self.l1.val().all().into())),
            3 => self.l4.next = (bit_cast::<130, 33>(bit_cast::<33, 40>(self.l1.val())).replace_bit(29, self.pair.val().bit)),
            _ => {}
        }
        match bit_cast::<2, 3>(self.c.val() - 6).index() {
            0 => self.y5.next = self.y0.val(),
            1 => self.y5.next = (self.pair.val().high.get_bits::<5>(bit_cast::<6, 3>(self.c.val()).index()) ^ self.pair.val().low),
            _ => self.y5.next = 17 + self.pair.val().low,
        }
        self.y6.next = !bits::<31>(1132053712);
        self.y7.next = (self.l4.val() <= 0xFFFFFFFFFFFFFFFF_u64);
        if self.y3.val().replace_bit(12, self.g.val()).all() {
            self.y7.next = bit_cast::<130, 1>(self.f.val().into()).xor();
        } else if self.f.val() & self.f.val() {
            self.y7.next = self.l1.val() < self.l1.val();
        } else {
            self.y7.next = self.c.val() & self.k[0].val() == 0;
        }
    }
}
drive_ports!(impl[] E16 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E17Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E17Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<9, 8>(self.p.val()) - bit_cast::<9, 8>(self.p.val())).replace_bit(8, (true & true)) - 273;
    }
}
drive_ports!(impl[] E17Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E17Pair {
    low: Bits<2>,
    bit: Bit,
    high: Bits<4>,
}
#[derive(LogicBlock, Default)]
struct E17 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<2>>,
    b: Signal<In, Bits<2>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<32>>,
    n: Signal<In, Bits<32>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<16>>,
    l1: Signal<Local, Bits<40>>,
    y2: Signal<Out, Bit>,
    pair: Signal<Local, E17Pair>,
    y3: Signal<Out, Bit>,
    child: E17Child,
    l4: Signal<Local, Bits<4>>,
    y5: Signal<Out, Bits<31>>,
    y6: Signal<Out, Signed<130>>,
    y7: Signal<Out, Bits<5>>,
}
impl Logic for E17 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        match (self.d.val().get_bits::<1>(3) & self.a.val().get_bits::<1>(0)).index() {
            0 => self.y0.next = !bit_cast::<12, 3>(self.k[1].val()).get_bits::<16>(2),
            _ => self.y0.next = (bit_cast::<33, 2>(self.b.val()).get_bits::<16>(5)),
        }
        if (bit_cast::<5, 2>(self.b.val()) + self.g.val()).any() {
            self.l1.next = bit_cast::<40, 1>((bit_cast::<64, 16>(self.y0.val()).get_bits::<1>(bit_cast::<6, 4>(self.d.val()).index()) < 0x0).into()) + bit_cast::<40, 31>(unsigned_cast(signed_cast(self.y0.val())).get_bits::<31>(self.c.val().index()));
        } else {
            self.l1.next = unsigned_cast(signed_cast(bit_cast::<40, 16>(self.y0.val()))) ^ bit_cast::<40, 4>(self.c.val()) & 0x0 | 79920728113_u64;
        }
        self.y2.next = (self.f.val() ^ self.g.val()) & !self.g.val() & (!(self.g.val() & self.g.val()));
        self.pair.next.low = unsigned_cast(signed_cast(self.a.val())) + 0x3;
        self.pair.next.bit = ((bit_cast::<130, 32>(self.n.val()) | bit_cast::<130, 2>(self.b.val())).get_bit(122));
        self.pair.next.high = self.c.val();
        self.y3.next = self.g.val() && self.pair.val().bit;
        if !(self.g.val() ^ self.f.val()) {
            self.y3.next = (!bit_cast::<8, 2>(self.a.val()).get_bit(self.k[1].val().index()));
        }
        self.child.p.next = unsigned_cast(signed_cast(self.y0.val().get_bits::<8>(4)) - signed_cast(bit_cast::<8, 4>(self.d.val())) + -signed_cast(bit_cast::<8, 2>(self.a.val())) + (signed_cast(bit_cast::<8, 4>(self.pair.val().high)) - signed_cast(bit_cast::<8, 4>(self.pair.val().high)) + (signed_cast(bit_cast::<8, 2>(self.b.val())) - signed_cast(bit_cast::<8, 4>(self.c.val())))));
        self.child.q.next = signed_bit_cast::<5, 33>(self.s_wide.val()) + signed_cast(bit_cast::<5, 40>(self.l1.val()));
        self.l4.next = 3 - self.pair.val().high.replace_bit(3, self.y2.val());
        for i in 0..2 {
            self.l4.next = self.l4.val().replace_bit(i, !self.f.val());
        }
        if (bits::<1>(0x0).xor()) {
            self.y5.next = (0x3 | bit_cast::<64, 16>(self.y0.val()).get_bits::<31>(4)) ^ 1581806430;
        } else if !self.f.val() {
            self.y5.next = bit_cast::<31, 8>(self.child.p.val()) + bit_cast::<31, 2>(self.pair.val().low);
        } else {
            self.y5.next = ((bit_cast::<31, 32>(self.m.val()) | bit_cast::<31, 4>(self.l4.val())) >> 5) | self.y0.val().get_bits::<5>(8).get_bits::<31>(0) + 0;
        }
        self.y6.next = signed_cast(bit_cast::<130, 9>(self.child.r.val())) - signed_bit_cast::<130, 33>(self.s_wide.val());
        match self.k[1].val().index() {
            0 => self.y7.next = bit_cast::<5, 2>(self.b.val()) >> 6 | 0x1F,
            1 => self.y7.next = bit_cast::<5, 4>(self.d.val()) >> 1 ^ 0x0,
            2 => self.y7.next = unsigned_cast(self.child.q.val()) << 1,
            3 => self.y7.next = 31 + (bit_cast::<5, 40>(self.l1.val()) | 0x1F),
            4 => self.y7.next = bit_cast::<5, 4>(self.pair.val().high),
            5 => self.y7.next = (unsigned_cast(signed_bit_cast::<5, 12>(self.s.val()) + self.child.q.val())),
            6 => self.y7.next = bit_cast::<5, 32>(self.m.val()) - 31 & 12,
            7 => self.y7.next = 15 + (bit_cast::<5, 4>(self.c.val()) - bit_cast::<5, 32>(self.n.val())),
            _ => {}
        }
    }
}
drive_ports!(impl[] E17 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E18Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E18Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 8>(self.p.val()).replace_bit(2, true) ^ 511 ^ unsigned_cast(signed_cast(bit_cast::<9, 8>(self.p.val())));
    }
}
drive_ports!(impl[] E18Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E18Pair {
    low: Bits<12>,
    bit: Bit,
    high: Bits<64>,
}
#[derive(LogicBlock, Default)]
struct E18 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<5>>,
    b: Signal<In, Bits<5>>,
    c: Signal<In, Bits<8>>,
    d: Signal<In, Bits<8>>,
    m: Signal<In, Bits<40>>,
    n: Signal<In, Bits<40>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bit>,
    l1: Signal<Local, Bits<2>>,
    y2: Signal<Out, Bits<40>>,
    pair: Signal<Local, E18Pair>,
    y3: Signal<Out, Bits<8>>,
    child: E18Child,
    l4: Signal<Local, Bits<1>>,
    y5: Signal<Out, Bit>,
    y6: Signal<Out, Bits<5>>,
    y7: Signal<Out, Bit>,
}
impl Logic for E18 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        if 3 < self.a.val() & 31 {
            self.y0.next = self.k[3].val() + 3 == 0x0;
        } else {
            self.y0.next = (signed_cast(self.d.val()) > signed_cast(self.c.val()) - signed_cast(self.c.val()));
        }
        self.l1.next = bits::<2>(3);
        if self.b.val().get_bits::<2>(4).any() {
            self.y2.next = unsigned_cast(signed_cast(self.m.val()) + signed_cast(self.m.val()));
        } else {
            self.y2.next = (self.m.val() ^ self.m.val()) << 10;
        }
        self.pair.next.low = self.a.val().get_bits::<64>(3).get_bits::<12>(bit_cast::<6, 5>(self.a.val()).index());
        self.pair.next.bit = bit_cast::<2, 12>(unsigned_cast(self.s.val())).index() >= 0;
        self.pair.next.high = (bit_cast::<64, 2>(self.l1.val()) + self.g.val()).replace_bit(44, self.y0.val() && self.f.val());
        if bits::<2>(3).xor() {
            self.y3.next = bit_cast::<8, 1>((0x2 < bit_cast::<130, 12>(self.pair.val().low) && self.k[3].val() <= self.k[3].val()).into()) + (!(self.l1.val() == 3 || bit_cast::<16, 2>(self.l1.val()) != bit_cast::<16, 8>(self.d.val())));
        } else if self.l1.val().index() < 0x1 {
            self.y3.next = bit_cast::<130, 40>(self.m.val()).get_bits::<8>(70);
        } else {
            self.y3.next = self.c.val();
        }
        if (1 + bit_cast::<31, 40>(self.y2.val())).any() {
            self.child.p.next = (2 & (self.a.val() & self.b.val()) | 28).get_bits::<8>((self.l1.val() & self.l1.val()).index() + 1);
        } else if self.f.val() && self.f.val() {
            self.child.p.next = self.y3.val() + 255;
        } else {
            self.child.p.next = bits::<8>(182);
        }
        match bit_cast::<2, 1>(bit_cast::<1, 64>(self.pair.val().high) + 1).index() {
            0 => self.child.q.next = signed_cast(self.a.val()),
            0 => self.child.q.next = signed_cast(self.b.val()) + signed_cast(self.b.val()),
            _ => self.child.q.next = signed_cast(self.b.val()),
        }
        self.l4.next = (self.m.val().get_bits::<1>(29) << self.b.val() | bits::<1>(0x1) | (self.pair.val().high.get_bits::<1>(9) + self.child.p.val().get_bits::<1>(6) >> 3));
        for i in 0..1 {
            if self.k[i].val().xor() {
                self.l4.next = self.l4.val() + 1;
            }
        }
        match self.b.val().get_bits::<3>(0).index() {
            4 => self.y5.next = bit_cast::<31, 9>(self.child.r.val()).get_bits::<8>(bit_cast::<4, 1>(self.l4.val() << 1).index() * 2) > self.child.p.val(),
            0 => self.y5.next = bit_cast::<2, 32>(bit_cast::<16, 8>(self.child.p.val()) * self.m.val().get_bits::<16>(24)).index() >= 0x0,
            3 => self.y5.next = bit_cast::<16, 2>(self.l1.val()).get_bits::<40>(14).xor(),
            2 => self.y5.next = (self.k[3].val() ^ 3896986278_u64).any(),
            0 => self.y5.next = bits::<2>(0x2) < 0x3,
            1 => self.y5.next = (bit_cast::<3, 8>(self.y3.val()) != self.b.val().get_bits::<3>(2)) ^ (self.f.val() ^ self.y0.val()),
            2 => self.y5.next = !(4101128189_u64 == bit_cast::<32, 8>(self.child.p.val())),
            _ => self.y5.next = signed_cast(self.c.val()) >= signed_cast(self.d.val()),
        }
        self.y6.next = (!self.k[3].val().get_bits::<5>(31));
        match bit_cast::<3, 12>(bits::<12>(0xDCA)).index() {
            3 => self.y7.next = (self.l1.val() >> 3).xor(),
            6 => self.y7.next = (self.pair.val().low + 2 <= 0x1),
            6 => self.y7.next = signed_cast(bit_cast::<4, 5>(self.b.val())) < signed_cast(self.pair.val().low.get_bits::<4>(2)) - signed_cast(self.child.p.val().get_bits::<4>(4)),
            5 => self.y7.next = (unsigned_cast(self.child.q.val())).get_bit(3),
            6 => self.y7.next = signed_cast(self.y2.val()) - signed_cast(self.n.val()) > -signed_cast(self.n.val()),
            _ => self.y7.next = bit_cast::<4, 16>(bit_cast::<16, 5>(self.a.val()) + self.k[3].val().get_bits::<16>(8)).index() < 10,
        }
    }
}
drive_ports!(impl[] E18 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E19Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E19Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<9, 5>(self.p.val().get_bits::<5>(1)).replace_bit(0, bit_cast::<130, 8>(self.p.val()).xor())) + (signed_cast(bit_cast::<4, 5>(self.p.val().get_bits::<5>(1))) <= signed_cast(bit_cast::<4, 5>(self.p.val().get_bits::<5>(1))) + signed_cast(self.p.val().get_bits::<4>(3)));
    }
}
drive_ports!(impl[] E19Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E19Pair {
    low: Bits<130>,
    bit: Bit,
    high: Bits<31>,
}
#[derive(LogicBlock, Default)]
struct E19 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<5>>,
    b: Signal<In, Bits<5>>,
    c: Signal<In, Bits<12>>,
    d: Signal<In, Bits<12>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bit>,
    l1: Signal<Local, Bits<2>>,
    y2: Signal<Out, Bit>,
    pair: Signal<Local, E19Pair>,
    y3: Signal<Out, Signed<4>>,
    child: E19Child,
    l4: Signal<Local, Bits<3>>,
    y5: Signal<Out, Bits<8>>,
    y6: Signal<Out, Signed<16>>,
    y7: Signal<Out, Bits<16>>,
}
impl Logic for E19 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = (signed_bit_cast::<33, 31>(self.s_wide.val()) + signed_cast(bit_cast::<33, 12>(self.c.val()))).get_bit(1 + self.a.val().index());
        if (unsigned_cast(signed_cast(bit_cast::<2, 12>(self.c.val()))) > 2) {
            self.l1.next = unsigned_cast(signed_cast(self.m.val().get_bits::<2>(12)));
        } else {
            self.l1.next = (bit_cast::<2, 64>(self.n.val() >> bit_cast::<8, 64>(self.m.val())) | 0x2) + 3;
        }
        self.y2.next = bit_cast::<16, 5>(self.a.val()).all();
        if !bit_cast::<8, 2>(self.l1.val()) > self.c.val().get_bits::<8>(4) {
            self.y2.next = (self.b.val().index() != 31);
        } else if 0x1 <= bit_cast::<1, 5>(self.b.val()) {
            self.y2.next = bit_cast::<33, 64>(self.n.val()).xor();
        } else {
            self.y2.next = bit_cast::<130, 33>((!bit_cast::<33, 2>(self.l1.val()) & bits::<33>(2172419499_u64))).all();
        }
        self.pair.next.low = 16412201677112331533_u64 & bits::<130>(18330549692996949461_u64);
        self.pair.next.bit = self.a.val().all();
        self.pair.next.high = bit_cast::<31, 2>(self.l1.val()) - bit_cast::<31, 1>(self.f.val().into());
        self.y3.next = signed_cast(bit_cast::<4, 31>(self.pair.val().high));
        self.child.p.next = bit_cast::<8, 5>(self.a.val());
        match bit_cast::<1, 12>(self.d.val()).index() {
            1 => self.child.q.next = signed_cast(self.k[3].val().get_bits::<5>(1)),
            1 => self.child.q.next = signed_cast(self.b.val()),
            _ => self.child.q.next = signed_cast(self.a.val()) - signed_cast(self.a.val()),
        }
        self.l4.next = (self.k[3].val().get_bits::<3>(2));
        if ((self.g.val() && self.f.val()) ^ (self.pair.val().bit || self.pair.val().bit)) {
            self.l4.next = (0x4 & (self.k[3].val() + 1) ^ 3);
        }
        match (bit_cast::<1, 8>(self.child.p.val()) & bit_cast::<1, 5>(self.a.val())).index() {
            0 => self.y5.next = bit_cast::<1, 5>(self.a.val()).get_bits::<8>(0) ^ 0x1,
            1 => self.y5.next = (self.child.p.val()) | bit_cast::<8, 64>(self.n.val()),
            _ => self.y5.next = self.child.p.val(),
        }
        self.y6.next = signed_cast(self.m.val().get_bits::<16>(21)) + signed_bit_cast::<16, 31>(self.s_wide.val());
        if self.g.val() | self.y0.val() | self.pair.val().low.get_bit(35 + self.child.r.val().get_bits::<6>(3).index()) {
            self.y6.next = signed_cast(bit_cast::<16, 8>(self.y5.val()));
        } else if (self.y0.val()) {
            self.y6.next = signed_cast(bit_cast::<16, 5>(self.b.val()));
        }
        if -signed_cast(bit_cast::<32, 3>(self.l4.val())) == (signed_cast(bit_cast::<32, 31>(self.pair.val().high)) - signed_bit_cast::<32, 12>(self.s_other.val())) {
            self.y7.next = !(self.child.r.val().get_bits::<1>(8).get_bits::<3>(0).get_bits::<16>(0) | bit_cast::<16, 2>(self.l1.val()) - self.d.val().get_bits::<16>(4));
        } else if self.g.val() && self.y0.val() {
            self.y7.next = bit_cast::<16, 12>(self.c.val()).replace_bit(self.child.r.val().get_bits::<4>(0).index(), self.y0.val());
        } else {
            self.y7.next = bit_cast::<16, 1>((self.y0.val()).into());
        }
    }
}
drive_ports!(impl[] E19 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e16", || Box::new(E16::default())),
    ("e17", || Box::new(E17::default())),
    ("e18", || Box::new(E18::default())),
    ("e19", || Box::new(E19::default())),
];
