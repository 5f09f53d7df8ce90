// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E4Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E4Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = !(self.p.val().get_bits::<5>(1).get_bits::<2>(0) + true).get_bits::<9>(0);
    }
}
drive_ports!(impl[] E4Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E4Pair {
    low: Bits<130>,
    bit: Bit,
    high: Bits<130>,
}
#[derive(LogicBlock, Default)]
struct E4 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<12>>,
    b: Signal<In, Bits<12>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<8>>,
    n: Signal<In, Bits<8>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Signed<2>>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Signed<4>>,
    pair: Signal<Local, E4Pair>,
    y3: Signal<Out, Bits<3>>,
    child: E4Child,
    l4: Signal<Local, Bit>,
    y5: Signal<Out, Signed<1>>,
    y6: Signal<Out, Bits<3>>,
    y7: Signal<Out, Bits<31>>,
}
impl Logic for E4 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = signed_bit_cast::<2, 8>(self.s.val()) + signed_cast(self.b.val().get_bits::<2>(4)) - signed_cast(self.d.val().get_bits::<2>(22));
        self.l1.next = (-self.y0.val()).get_bit(1);
        self.y2.next = signed_cast(bit_cast::<8, 31>(bit_cast::<31, 8>(self.m.val())).get_bits::<16>(2).get_bits::<4>(bit_cast::<4, 130>(bit_cast::<130, 12>(self.a.val()) >> bit_cast::<5, 64>(self.c.val())).index()));
        self.pair.next.low = bits::<130>(1);
        self.pair.next.bit = self.f.val();
        self.pair.next.high = bit_cast::<16, 12>(self.a.val()).get_bits::<130>(bit_cast::<4, 8>(self.m.val()).index());
        self.y3.next = ((bit_cast::<2, 130>(self.pair.val().low) & 0x1).get_bits::<33>(0) << unsigned_cast(self.s.val())).get_bits::<3>(self.b.val().get_bits::<5>(2).index());
        self.child.p.next = ((57 | (self.m.val() >> self.n.val().get_bits::<1>(5)).replace_bit(self.y3.val().index(), self.pair.val().bit | self.f.val())) & 0x48);
        self.child.q.next = signed_cast(self.child.p.val().get_bits::<5>(1)) - signed_cast(self.d.val().get_bits::<5>(9));
        if self.b.val() & 3657 == 1401 {
            self.child.q.next = (signed_cast(bit_cast::<5, 12>(self.a.val())));
        }
        self.l4.next = !((self.d.val() >> self.b.val() >= 2) & (self.pair.val().low.xor() | self.y3.val().all()));
        self.y5.next = (signed_cast(self.y3.val().get_bits::<1>(2) - 0 >> (self.a.val().get_bits::<5>(3) & bit_cast::<5, 8>(self.n.val())))) - signed_cast((self.child.p.val().get_bits::<1>(5).replace_bit(0, self.l1.val())) + (bit_cast::<1, 64>(self.c.val()) + self.d.val().get_bits::<1>(5)));
        self.y6.next = self.y3.val() | self.y3.val();
        if self.d.val() & self.c.val() >= bit_cast::<31, 12>(self.a.val()).get_bits::<64>(bit_cast::<4, 16>(bit_cast::<16, 8>(self.child.p.val()) + self.pair.val().high.get_bits::<16>(88)).index() + 1) {
            self.y6.next = !(self.y3.val() << bit_cast::<5, 8>(self.k[0].val()));
        } else {
            self.y6.next = bit_cast::<3, 31>(self.y3.val().get_bits::<31>(0));
        }
        self.y7.next = bits::<31>(941468881);
    }
}
drive_ports!(impl[] E4 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E5Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E5Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = 114 - bit_cast::<16, 8>(self.p.val()).replace_bit(6, true).get_bits::<9>(8);
    }
}
drive_ports!(impl[] E5Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E5Pair {
    low: Bits<8>,
    bit: Bit,
    high: Bits<64>,
}
#[derive(LogicBlock, Default)]
struct E5 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<64>>,
    b: Signal<In, Bits<64>>,
    c: Signal<In, Bits<2>>,
    d: Signal<In, Bits<2>>,
    m: Signal<In, Bits<32>>,
    n: Signal<In, Bits<32>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<33>>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Bits<40>>,
    pair: Signal<Local, E5Pair>,
    y3: Signal<Out, Bit>,
    child: E5Child,
    l4: Signal<Local, Bits<40>>,
    y5: Signal<Out, Bits<2>>,
    y6: Signal<Out, Bits<12>>,
    y7: Signal<Out, Bits<12>>,
}
impl Logic for E5 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = unsigned_cast(-signed_cast(bit_cast::<33, 2>(self.d.val())));
        match self.c.val().get_bits::<1>(0).index() {
            0 => self.l1.next = self.d.val().index() < 3 && !self.g.val(),
            1 => self.l1.next = 0 + bit_cast::<16, 2>(self.c.val()) == 0x4CFA,
            _ => self.l1.next = (self.s_wide.val() > self.s_wide.val()),
        }
        match bit_cast::<3, 2>(self.d.val()).index() {
            0 => self.y2.next = bit_cast::<8, 1>(self.f.val().into()).get_bits::<40>((bit_cast::<3, 64>(self.b.val()) & bit_cast::<3, 8>(self.k[1].val())).index()),
            1 => self.y2.next = ((self.a.val().get_bits::<40>(23) | bit_cast::<40, 32>(self.n.val())).replace_bit((bit_cast::<5, 33>(self.y0.val()) ^ bit_cast::<5, 8>(self.k[1].val())).index() + 2, self.f.val() || self.g.val())),
            2 => self.y2.next = bit_cast::<40, 1>((self.b.val() != 12221239981600289775_u64).into()),
            3 => self.y2.next = (unsigned_cast(signed_cast(bit_cast::<40, 64>(self.a.val())) + signed_cast(bit_cast::<40, 2>(self.d.val())))),
            4 => self.y2.next = (bit_cast::<5, 2>(self.d.val()).get_bits::<40>(1 + bit_cast::<2, 64>(self.a.val() - 3).index()) >> 7),
            5 => self.y2.next = bit_cast::<40, 33>(self.y0.val()),
            6 => self.y2.next = (bit_cast::<40, 32>(self.n.val()).replace_bit((bit_cast::<5, 64>(self.b.val()) ^ self.b.val().get_bits::<5>(17)).index(), self.f.val())) >> (self.d.val() << 2),
            7 => self.y2.next = bit_cast::<40, 33>(self.y0.val()) + bit_cast::<40, 2>(self.d.val()) ^ (bit_cast::<40, 2>(self.d.val()) | bit_cast::<40, 8>(self.k[1].val())),
            _ => self.y2.next = bit_cast::<40, 2>(self.d.val()),
        }
        self.pair.next.low = self.m.val().get_bits::<8>(8) ^ 14;
        self.pair.next.bit = (bit_cast::<16, 2>(self.d.val()) != self.n.val().get_bits::<16>(12)) | (signed_cast(bit_cast::<3, 8>(self.k[1].val())) != signed_cast(bit_cast::<3, 2>(self.d.val())));
        self.pair.next.high = bit_cast::<64, 1>(self.g.val().into()) + 18446744073709551615_u64;
        if 0x0 <= (self.y0.val().get_bits::<1>(20) - 0) {
            self.y3.next = 0 <= self.d.val() << self.pair.val().low.get_bits::<5>(0) || !(self.f.val() & self.f.val());
        } else {
            self.y3.next = self.y0.val() << unsigned_cast(signed_cast(self.k[1].val())) < 3172537832_u64;
        }
        self.child.p.next = self.k[1].val().replace_bit((bit_cast::<3, 64>(self.pair.val().high) ^ bit_cast::<3, 64>(self.b.val())).index(), self.g.val()) + 113;
        self.child.q.next = signed_cast(bit_cast::<5, 64>(self.b.val())) - (signed_cast(self.k[1].val().get_bits::<5>(1)) - signed_bit_cast::<5, 31>(self.s_wide.val())) - (signed_bit_cast::<5, 31>(self.s_wide.val()) + signed_cast(self.n.val().get_bits::<5>(17)));
        match self.pair.val().high.get_bits::<3>(57).index() {
            0 => self.l4.next = bit_cast::<40, 1>(self.pair.val().bit.into()).replace_bit(36, self.pair.val().bit),
            1 => self.l4.next = (self.y2.val() ^ 0x112A4B3CA1_u64) & (bit_cast::<16, 64>(self.a.val()).get_bits::<40>(bit_cast::<4, 2>(self.d.val()).index())),
            2 => self.l4.next = (self.y2.val() | self.y2.val()) ^ (self.y2.val() << self.child.r.val().get_bits::<3>(6)),
            3 => self.l4.next = bit_cast::<40, 1>(bit_cast::<1, 2>(self.d.val()) + self.pair.val().low.get_bits::<1>(2)),
            4 => self.l4.next = (self.y2.val() >> 37) + (self.d.val() <= self.c.val()),
            5 => self.l4.next = bit_cast::<16, 1>(self.y3.val().into()).get_bits::<40>(bit_cast::<4, 2>(self.c.val()).index()),
            6 => self.l4.next = bit_cast::<40, 1>(self.m.val().get_bits::<4>(2).xor().into()),
            7 => self.l4.next = (self.y2.val() >> 8).replace_bit(26, bit_cast::<1, 32>(self.n.val()).any()),
            _ => self.l4.next = self.y2.val() >> self.child.p.val(),
        }
        if bit_cast::<12, 64>(self.b.val()).any() & (self.pair.val().bit | self.pair.val().bit) {
            self.y5.next = bit_cast::<2, 64>((!(bit_cast::<4, 64>(self.b.val()) | bit_cast::<4, 2>(self.c.val()))).get_bits::<64>(3));
        } else if self.n.val().all() {
            self.y5.next = self.d.val() & self.d.val();
        } else {
            self.y5.next = (bits::<2>(1));
        }
        match (bit_cast::<1, 33>(self.y0.val()) ^ bit_cast::<1, 9>(self.child.r.val())).index() {
            1 => self.y6.next = !bit_cast::<12, 64>(self.a.val()).get_bits::<12>((bit_cast::<3, 2>(self.y5.val()) ^ bit_cast::<3, 8>(self.pair.val().low)).index()),
            _ => self.y6.next = self.pair.val().high.get_bits::<12>(0) + self.y0.val().get_bits::<12>(3),
        }
        match (bit_cast::<1, 2>(self.c.val()) & self.y5.val().get_bits::<1>(1)).index() {
            0 => self.y7.next = bit_cast::<1, 32>(self.m.val()).get_bits::<12>(0) + 0x2,
            1 => self.y7.next = self.y6.val().get_bits::<12>(bit_cast::<3, 9>(self.child.r.val()).index()) + (0xE83 & self.y6.val()),
            _ => self.y7.next = 2931 + self.y6.val(),
        }
    }
}
drive_ports!(impl[] E5 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E6Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E6Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<4, 5>(self.p.val().get_bits::<5>(1)) << 3).get_bits::<9>(3) << !bit_cast::<1, 5>(self.p.val().get_bits::<5>(1));
    }
}
drive_ports!(impl[] E6Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E6Pair {
    low: Bits<5>,
    bit: Bit,
    high: Bits<16>,
}
#[derive(LogicBlock, Default)]
struct E6 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<12>>,
    b: Signal<In, Bits<12>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<40>>,
    l1: Signal<Local, Bits<31>>,
    y2: Signal<Out, Signed<130>>,
    pair: Signal<Local, E6Pair>,
    y3: Signal<Out, Bits<16>>,
    child: E6Child,
    l4: Signal<Local, Bits<31>>,
    y5: Signal<Out, Bits<2>>,
    y6: Signal<Out, Bits<32>>,
    y7: Signal<Out, Bits<4>>,
}
impl Logic for E6 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = bit_cast::<40, 31>((!self.k[1].val()).get_bits::<31>((self.b.val().get_bits::<1>(9) ^ bit_cast::<1, 31>(self.m.val())).index())).replace_bit(1 + bit_cast::<5, 16>(bit_cast::<2, 31>(self.n.val()).get_bits::<16>(0)).index(), !(bit_cast::<16, 12>(self.b.val()) + self.f.val() >= 65535));
        for i in 0..6 {
            if bit_cast::<33, 16>((bit_cast::<5, 31>(self.n.val()).get_bits::<16>(self.n.val().get_bits::<2>(3).index() + 1))).get_bit(i + 0) {
                self.y0.next = self.y0.val() + 1;
            }
        }
        self.l1.next = (self.b.val() - self.b.val() << bit_cast::<3, 40>(self.y0.val())).get_bits::<31>(3 + bit_cast::<3, 4>(0x3 + self.c.val()).index());
        self.y2.next = signed_bit_cast::<130, 16>(self.s_wide.val()) + signed_cast(bit_cast::<130, 31>(self.l1.val())) - (signed_cast(bit_cast::<130, 40>(self.y0.val())) - signed_cast(bit_cast::<130, 4>(self.d.val())) + (signed_cast(bit_cast::<130, 4>(self.c.val())) + signed_cast(bit_cast::<130, 12>(self.a.val()))));
        self.pair.next.low = ((bit_cast::<5, 3>(self.k[1].val()) << self.l1.val().get_bits::<1>(5)).replace_bit(3, self.g.val()));
        self.pair.next.bit = (self.k[1].val() <= 5) | (self.l1.val() != self.m.val());
        self.pair.next.high = bit_cast::<16, 31>(self.m.val());
        match bit_cast::<3, 33>((bit_cast::<33, 4>(self.c.val()) - bit_cast::<33, 4>(self.c.val()))).index() {
            0 => self.y3.next = (self.pair.val().high >> self.a.val()).replace_bit(bit_cast::<4, 130>(bit_cast::<130, 12>(self.a.val()).get_bits::<130>(47)).index(), bit_cast::<64, 31>(self.m.val()).get_bit(47)),
            1 => self.y3.next = !bit_cast::<16, 1>(self.f.val().into()),
            2 => self.y3.next = unsigned_cast(self.s_wide.val()) - self.b.val().get_bits::<8>(0).get_bits::<16>(5),
            3 => self.y3.next = !(self.pair.val().high + 34016),
            4 => self.y3.next = (bit_cast::<2, 5>(self.pair.val().low) >> bit_cast::<8, 4>(self.d.val())).get_bits::<16>(1),
            5 => self.y3.next = (36087 & self.pair.val().high) << 3,
            6 => self.y3.next = bit_cast::<16, 33>(bit_cast::<33, 4>(self.d.val()) << 20),
            7 => self.y3.next = unsigned_cast(self.s_wide.val()),
            _ => self.y3.next = (self.pair.val().high + self.pair.val().bit),
        }
        if self.k[1].val() ^ 0 != 0 {
            self.child.p.next = (bit_cast::<8, 1>(self.pair.val().bit.into()) << bit_cast::<130, 16>(self.pair.val().high).get_bits::<3>(bit_cast::<6, 12>(self.b.val() + self.pair.val().bit).index() + 33)) + (unsigned_cast(self.s.val()).xor()) + 0xFF;
        } else {
            self.child.p.next = bit_cast::<8, 1>(bit_cast::<130, 31>(self.l1.val()).any().into());
        }
        if ((signed_cast(bit_cast::<32, 12>(self.b.val())) - signed_cast(bit_cast::<32, 4>(self.d.val()))).get_bit(14)) {
            self.child.q.next = (signed_cast(self.pair.val().low) - (signed_bit_cast::<5, 16>(self.s_wide.val()) - signed_cast(self.pair.val().low) - (signed_cast(self.pair.val().low) - signed_cast(self.pair.val().low)))) - signed_cast(self.pair.val().low);
        } else {
            self.child.q.next = signed_bit_cast::<5, 12>(self.s.val()) - signed_cast(self.pair.val().low);
        }
        self.l4.next = bit_cast::<31, 1>(((signed_cast(self.child.p.val()) + signed_cast(self.child.p.val()) - -signed_cast(self.child.p.val())) != signed_cast(self.child.p.val()) - signed_bit_cast::<8, 16>(self.s_wide.val())).into());
        for i in 0..1 {
            if self.k[(i * 2 + 1) % 4].val().get_bit(1) {
                self.l4.next = self.l4.val() - 1;
            }
        }
        if self.f.val() | bit_cast::<64, 3>(self.k[1].val()).any() {
            self.y5.next = self.pair.val().low.get_bits::<2>(2) << 0 >> 1;
        } else {
            self.y5.next = (self.k[1].val().get_bits::<1>((self.y3.val().get_bits::<1>(3) | bit_cast::<1, 4>(self.c.val())).index() + 1) + (self.a.val().get_bits::<1>(7) << bit_cast::<1, 31>(self.m.val()))).get_bits::<2>(0);
        }
        self.y6.next = bit_cast::<32, 12>(self.b.val()) & 3609725264_u64 & self.d.val().get_bits::<32>(0);
        self.y7.next = (bit_cast::<4, 33>(bit_cast::<33, 9>(self.child.r.val())) << (1 + self.pair.val().low));
    }
}
drive_ports!(impl[] E6 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E7Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E7Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 8>(self.p.val());
    }
}
drive_ports!(impl[] E7Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E7Pair {
    low: Bits<16>,
    bit: Bit,
    high: Bits<40>,
}
#[derive(LogicBlock, Default)]
struct E7 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<40>>,
    b: Signal<In, Bits<40>>,
    c: Signal<In, Bits<32>>,
    d: Signal<In, Bits<32>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Signed<32>>,
    l1: Signal<Local, Bits<8>>,
    y2: Signal<Out, Bit>,
    pair: Signal<Local, E7Pair>,
    y3: Signal<Out, Bits<40>>,
    child: E7Child,
    l4: Signal<Local, Bits<4>>,
    y5: Signal<Out, Bits<32>>,
    y6: Signal<Out, Bits<2>>,
    y7: Signal<Out, Bits<5>>,
}
impl Logic for E7 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = signed_cast(self.c.val());
        if !!self.g.val() {
            self.y0.next = signed_cast(self.d.val()) + (signed_cast(self.d.val()) + signed_bit_cast::<32, 12>(self.s.val()));
        } else {
            self.y0.next = -(signed_cast(self.c.val()) + signed_cast(self.c.val()));
        }
        self.l1.next = self.k[2].val() + 108 + (bit_cast::<16, 8>(self.k[2].val()).xor()) << 0;
        if bit_cast::<130, 32>(self.c.val()).replace_bit(31, self.g.val()) > 0x0 {
            self.y2.next = self.g.val();
        } else {
            self.y2.next = signed_bit_cast::<8, 31>(self.s_wide.val()) + signed_cast(self.l1.val()) - (signed_cast(self.l1.val()) + signed_bit_cast::<8, 31>(self.s_wide.val())) == signed_bit_cast::<8, 12>(self.s.val()) + signed_cast(self.k[2].val());
        }
        self.pair.next.low = (bit_cast::<12, 8>(self.l1.val()) & 1788).get_bits::<16>(1 + (self.n.val().get_bits::<3>(12) & self.d.val().get_bits::<3>(10)).index());
        self.pair.next.bit = (bit_cast::<2, 8>(self.l1.val()).index() >= 3);
        self.pair.next.high = (self.b.val().get_bits::<31>(bit_cast::<5, 32>(self.d.val()).index())).get_bits::<40>(self.b.val().get_bits::<4>(17).index() + 5);
        if bit_cast::<4, 32>(self.n.val().get_bits::<32>(3)).index() != 0xD {
            self.y3.next = self.b.val() << bit_cast::<5, 40>(self.pair.val().high) | 0xB5440F4BCF_u64;
        } else if signed_cast(self.pair.val().high).get_bit(17) {
            self.y3.next = self.pair.val().high >> self.n.val().get_bits::<5>(14);
        } else {
            self.y3.next = bits::<40>(0xFFFFFFFFFF_u64).replace_bit(18, 3 >= self.pair.val().low.get_bits::<5>(10));
        }
        self.child.p.next = bit_cast::<40, 1>(self.a.val().get_bits::<4>(33).xor().into()).get_bits::<8>(19);
        self.child.q.next = signed_cast(bit_cast::<5, 8>(self.child.p.val())) - signed_cast(bit_cast::<5, 16>(self.pair.val().low));
        if ((bit_cast::<130, 8>(self.child.p.val())).all()) {
            self.child.q.next = signed_cast(bit_cast::<5, 16>(self.pair.val().low)) - signed_cast(bit_cast::<5, 8>(self.child.p.val())) + signed_cast(self.pair.val().high.get_bits::<5>(11));
        } else {
            self.child.q.next = signed_bit_cast::<5, 12>(self.s_other.val()) - signed_cast(self.y3.val().get_bits::<5>(18));
        }
        self.l4.next = (!self.child.p.val().get_bits::<4>(0)).replace_bit(3, self.f.val() ^ self.pair.val().bit);
        self.y5.next = bit_cast::<32, 1>(bit_cast::<33, 32>(self.c.val()).all().into());
        for i in 0..5 {
            self.y5.next = self.y5.val().replace_bit(i, !self.g.val());
        }
        self.y6.next = (bit_cast::<2, 32>(self.y5.val()));
        if (bit_cast::<64, 40>(self.y3.val()) + 0x9799EE825E08EC0_u64).xor() {
            self.y6.next = ((bit_cast::<2, 8>(self.k[2].val()) ^ self.d.val().get_bits::<2>(21)) << bit_cast::<1, 12>(bit_cast::<12, 40>(self.pair.val().high)));
        } else if bit_cast::<64, 9>(self.child.r.val()).xor() {
            self.y6.next = unsigned_cast(signed_cast(self.d.val().get_bits::<2>(11)));
        } else {
            self.y6.next = bit_cast::<2, 8>(self.child.p.val()).replace_bit(bit_cast::<1, 40>(self.b.val()).index(), bit_cast::<2, 31>(self.m.val()).all());
        }
        self.y7.next = (self.m.val().get_bits::<5>(6) >> 7 | bit_cast::<5, 2>(self.y6.val()) >> 2) - 31 >> 4;
        for i in 0..4 {
            if bit_cast::<33, 32>(self.d.val() << self.k[2].val()).get_bit(i + 0) {
                self.y7.next = self.y7.val() ^ 1;
            }
        }
    }
}
drive_ports!(impl[] E7 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e4", || Box::new(E4::default())),
    ("e5", || Box::new(E5::default())),
    ("e6", || Box::new(E6::default())),
    ("e7", || Box::new(E7::default())),
];
