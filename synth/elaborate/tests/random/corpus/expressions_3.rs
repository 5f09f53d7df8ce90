// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E12Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E12Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = self.p.val().get_bits::<4>(3).get_bits::<9>(self.p.val().get_bits::<5>(1).get_bits::<2>(1).index()) + 113 & bit_cast::<9, 4>(3 & bit_cast::<4, 8>(self.p.val()));
    }
}
drive_ports!(impl[] E12Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E12Pair {
    low: Bits<64>,
    bit: Bit,
    high: Bits<33>,
}
#[derive(LogicBlock, Default)]
struct E12 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<2>>,
    d: Signal<In, Bits<2>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<5>>,
    l1: Signal<Local, Bits<31>>,
    y2: Signal<Out, Bits<33>>,
    pair: Signal<Local, E12Pair>,
    y3: Signal<Out, Signed<16>>,
    child: E12Child,
    l4: Signal<Local, Bit>,
    y5: Signal<Out, Bits<16>>,
    y6: Signal<Out, Bits<33>>,
    y7: Signal<Out, Bits<3>>,
}
impl Logic for E12 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = (bit_cast::<12, 5>(self.m.val()) << 6).get_bits::<5>((self.k[2].val() ^ self.k[2].val()).index() + 3);
        for i in 0..2 {
            self.y0.next = self.y0.val().replace_bit(i, bit_cast::<130, 3>(self.k[2].val()).all());
        }
        match (bit_cast::<1, 5>(self.n.val()) & self.m.val().get_bits::<1>(4)).index() {
            0 => self.l1.next = bit_cast::<32, 5>(self.y0.val()).get_bits::<31>(16) | 2147483647,
            1 => self.l1.next = bit_cast::<40, 5>(self.n.val()).get_bits::<31>(13) + 0x7FFFFFFF,
            _ => self.l1.next = bit_cast::<31, 3>(self.k[2].val()) >> self.y0.val(),
        }
        if self.f.val() {
            self.y2.next = (bit_cast::<33, 31>(self.l1.val()) | 7483269345_u64 | bit_cast::<33, 5>(self.y0.val()) ^ bit_cast::<33, 5>(self.m.val()));
        } else if bit_cast::<64, 8>(self.b.val()).all() {
            self.y2.next = bit_cast::<33, 2>(self.d.val()) & 1;
        } else {
            self.y2.next = unsigned_cast((-signed_cast(bit_cast::<33, 8>(self.a.val()))));
        }
        self.pair.next.low = (bits::<64>(0));
        self.pair.next.bit = (signed_cast(self.d.val()) <= signed_cast(self.d.val()) || self.s_wide.val() == self.s_wide.val());
        self.pair.next.high = !(self.y2.val() + 5652383769_u64);
        if signed_cast(self.l1.val()) - signed_cast(self.l1.val()) >= signed_cast(self.l1.val()) {
            self.y3.next = signed_cast(bit_cast::<16, 8>(self.b.val()) - bit_cast::<16, 2>(self.c.val()) + bit_cast::<16, 64>(self.pair.val().low).replace_bit(11, self.f.val()) + 0xF0FE);
        } else if self.f.val() {
            self.y3.next = signed_cast(bit_cast::<16, 33>(self.pair.val().high));
        } else {
            self.y3.next = self.s_wide.val() - signed_bit_cast::<16, 8>(self.s_other.val()) + signed_cast(unsigned_cast(-self.s_wide.val()));
        }
        self.child.p.next = self.a.val() << 6;
        if signed_bit_cast::<12, 8>(self.s.val()) + signed_cast(bit_cast::<12, 5>(self.m.val())) < signed_cast(bit_cast::<12, 2>(self.d.val())) {
            self.child.p.next = 0x0 ^ bits::<8>(234);
        } else if self.b.val() < 1 {
            self.child.p.next = bit_cast::<8, 1>(self.f.val().into());
        } else {
            self.child.p.next = ((self.c.val().get_bits::<8>(1)).replace_bit((self.k[2].val() & self.k[2].val()).index(), self.c.val().index() < 0x1)).replace_bit(0, (!(self.f.val() || self.g.val())));
        }
        self.child.q.next = -(signed_cast(self.n.val()));
        if (signed_cast(bit_cast::<1, 8>(self.a.val())) + signed_cast(self.b.val().get_bits::<1>(5))).get_bit(0) {
            self.l4.next = bit_cast::<16, 5>(self.y0.val()) + 1 > bit_cast::<16, 2>(self.d.val()) - 41834 && ((!bit_cast::<4, 8>(self.a.val())).get_bit(3));
        } else if 0x7 >= self.m.val() {
            self.l4.next = !self.f.val();
        } else {
            self.l4.next = 0 > unsigned_cast((signed_cast(bit_cast::<12, 8>(self.b.val()))));
        }
        match self.k[2].val().index() {
            0 => self.y5.next = bit_cast::<16, 1>(self.l4.val().into()) + 0x0,
            1 => self.y5.next = unsigned_cast(self.y3.val()) >> 2,
            2 => self.y5.next = bits::<16>(0x2D5B) - bit_cast::<16, 130>(bit_cast::<130, 9>(self.child.r.val())),
            3 => self.y5.next = self.l1.val().get_bits::<16>((self.b.val().get_bits::<4>(4) & bit_cast::<4, 3>(self.k[2].val())).index() * 2) + bits::<16>(0x85F2),
            4 => self.y5.next = bit_cast::<16, 1>((self.l4.val() | self.l4.val()).into()),
            5 => self.y5.next = bit_cast::<16, 64>(self.pair.val().low) & (self.pair.val().low.get_bits::<16>(23) | bit_cast::<16, 8>(self.a.val())),
            6 => self.y5.next = (self.k[2].val().get_bits::<16>(bit_cast::<1, 31>(unsigned_cast(signed_cast(self.l1.val()))).index() * 2)) ^ bit_cast::<16, 2>(self.d.val()) << self.d.val(),
            7 => self.y5.next = !unsigned_cast(self.s_wide.val()),
            _ => {}
        }
        self.y6.next = self.pair.val().high;
        if self.pair.val().low.any() & (self.l4.val() | self.l4.val()) {
            self.y6.next = bit_cast::<33, 31>(self.l1.val()) ^ (self.pair.val().high);
        } else if self.l4.val() {
            self.y6.next = bits::<33>(0x15A1836AD_u64);
        } else {
            self.y6.next = self.b.val().get_bits::<33>(bit_cast::<3, 8>((self.a.val() - self.a.val())).index()) << self.m.val() + self.n.val();
        }
        self.y7.next = (0x3 | bits::<3>(0)) + 0x7;
    }
}
drive_ports!(impl[] E12 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E13Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E13Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = !bit_cast::<16, 8>(self.p.val()).get_bits::<33>(0).get_bits::<9>(21);
    }
}
drive_ports!(impl[] E13Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E13Pair {
    low: Bits<5>,
    bit: Bit,
    high: Bits<32>,
}
#[derive(LogicBlock, Default)]
struct E13 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<40>>,
    d: Signal<In, Bits<40>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bit>,
    l1: Signal<Local, Bits<33>>,
    y2: Signal<Out, Signed<33>>,
    pair: Signal<Local, E13Pair>,
    y3: Signal<Out, Bits<64>>,
    child: E13Child,
    l4: Signal<Local, Bits<5>>,
    y5: Signal<Out, Bits<40>>,
    y6: Signal<Out, Bits<16>>,
    y7: Signal<Out, Signed<31>>,
}
impl Logic for E13 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        match (self.c.val().get_bits::<1>(26) | self.c.val().get_bits::<1>(17)).index() {
            0 => self.y0.next = self.g.val(),
            1 => self.y0.next = bit_cast::<33, 1>(self.f.val().into()) != bit_cast::<33, 1>(self.g.val().into()),
            _ => {}
        }
        match (bit_cast::<2, 8>(self.a.val()) ^ bit_cast::<2, 40>(self.d.val())).index() {
            0 => self.l1.next = bit_cast::<33, 12>(bit_cast::<12, 64>(self.m.val()) ^ bit_cast::<12, 64>(self.m.val())),
            1 => self.l1.next = bit_cast::<33, 40>(self.d.val()),
            2 => self.l1.next = bits::<33>(2642205118_u64) << 0,
            3 => self.l1.next = (bit_cast::<33, 8>(self.b.val()) - 1).replace_bit(1 + bit_cast::<5, 12>(bits::<12>(4095)).index(), bit_cast::<12, 8>(self.b.val()) >= 1478),
            _ => {}
        }
        if (signed_cast(self.n.val())) < signed_cast(self.m.val()) + signed_cast(self.n.val()) {
            self.y2.next = signed_cast(self.l1.val()) - signed_cast(self.l1.val()) + (signed_cast(self.l1.val()) - signed_bit_cast::<33, 12>(self.s.val()));
        } else {
            self.y2.next = (signed_bit_cast::<33, 12>(self.s_other.val()) + signed_cast(self.l1.val()));
        }
        self.pair.next.low = (bit_cast::<5, 40>(self.c.val()) | 31) - (bit_cast::<5, 40>(self.d.val()) << self.b.val().get_bits::<2>(2));
        self.pair.next.bit = -signed_cast(self.a.val().get_bits::<1>(2)) == signed_cast(self.a.val().get_bits::<1>(7)) + signed_bit_cast::<1, 16>(self.s_wide.val());
        self.pair.next.high = (bit_cast::<32, 8>(self.a.val()) | self.l1.val().get_bits::<32>(0)) ^ 0;
        self.y3.next = 18446744073709551615_u64 ^ self.m.val();
        if (self.d.val().get_bits::<16>(11) < 0xB9EF) {
            self.y3.next = ((bits::<64>(89004298689595787_u64)) ^ 18446744073709551615_u64) << 2;
        } else {
            self.y3.next = !(bit_cast::<64, 1>((!self.pair.val().bit).into())) ^ 0x1;
        }
        self.child.p.next = (self.b.val() + 180) << 4;
        self.child.q.next = signed_cast(self.pair.val().low);
        if bit_cast::<16, 64>(self.y3.val()).get_bits::<16>(bit_cast::<4, 8>(self.b.val()).index()).all() {
            self.child.q.next = signed_bit_cast::<5, 12>(self.s_other.val()) - signed_cast(self.pair.val().low) + signed_cast(self.pair.val().low);
        }
        self.l4.next = 31 - (self.l1.val() << 20).get_bits::<5>((self.pair.val().low ^ self.pair.val().low).index());
        self.y5.next = bit_cast::<16, 32>(self.pair.val().high).get_bits::<40>(bit_cast::<4, 16>(self.c.val().get_bits::<16>(17) + bit_cast::<16, 8>(self.b.val())).index());
        self.y6.next = 51715 | !self.m.val().get_bits::<16>(2) + 0x118F;
        self.y7.next = signed_cast(self.m.val().get_bits::<31>(29));
    }
}
drive_ports!(impl[] E13 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E14Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E14Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = !bit_cast::<9, 8>(self.p.val()) - bit_cast::<2, 8>(self.p.val()).get_bits::<9>(bit_cast::<1, 4>(0xF - bit_cast::<4, 8>(self.p.val())).index()) | 0x1C5;
    }
}
drive_ports!(impl[] E14Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E14Pair {
    low: Bits<12>,
    bit: Bit,
    high: Bits<40>,
}
#[derive(LogicBlock, Default)]
struct E14 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<64>>,
    b: Signal<In, Bits<64>>,
    c: Signal<In, Bits<33>>,
    d: Signal<In, Bits<33>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<4>>,
    l1: Signal<Local, Bits<64>>,
    y2: Signal<Out, Bits<4>>,
    pair: Signal<Local, E14Pair>,
    y3: Signal<Out, Bits<5>>,
    child: E14Child,
    l4: Signal<Local, Bits<5>>,
    y5: Signal<Out, Signed<130>>,
    y6: Signal<Out, Bits<3>>,
    y7: Signal<Out, Signed<3>>,
}
impl Logic for E14 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        match bit_cast::<1, 5>(self.n.val()).index() {
            0 => self.y0.next = bits::<4>(15) >> 4,
            1 => self.y0.next = self.c.val().get_bits::<4>(4) << bit_cast::<12, 64>(self.a.val()) + 0,
            _ => self.y0.next = self.a.val().get_bits::<4>(40) - bit_cast::<4, 33>(self.c.val()),
        }
        self.l1.next = self.b.val();
        for i in 0..2 {
            if bit_cast::<2, 33>(self.d.val()).index() >= i + 1 {
                self.l1.next = self.b.val() | self.b.val();
            }
        }
        self.y2.next = bits::<4>(10);
        if ((self.l1.val().get_bits::<16>(11) >> self.l1.val().get_bits::<2>(34)).all()) {
            self.y2.next = self.y0.val();
        } else if self.f.val() {
            self.y2.next = self.y0.val() + self.y0.val();
        }
        self.pair.next.low = 4095 + (unsigned_cast(self.s_other.val()));
        self.pair.next.bit = (bits::<130>(2)).all();
        self.pair.next.high = bit_cast::<3, 1>(self.g.val().into()).get_bits::<40>(self.d.val().get_bits::<1>(14).index() * 2);
        self.y3.next = (self.n.val() << bit_cast::<2, 5>(self.m.val()) ^ 2);
        for i in 0..4 {
            if self.k[(i * 2 + 1) % 4].val().all() {
                self.y3.next = self.y3.val() - 1;
            }
        }
        if (bits::<3>(0x2).xor()) {
            self.child.p.next = bit_cast::<8, 32>((bit_cast::<32, 8>(bit_cast::<8, 5>(self.n.val()))));
        } else if self.g.val() {
            self.child.p.next = 255 ^ bit_cast::<8, 64>(self.a.val());
        } else {
            self.child.p.next = self.pair.val().low.get_bits::<8>(3);
        }
        self.child.q.next = signed_cast(self.m.val()) + signed_bit_cast::<5, 12>(self.s_other.val());
        match bit_cast::<1, 8>(self.child.p.val()).index() {
            1 => self.l4.next = (self.y3.val() | self.y3.val()) << bit_cast::<3, 4>(self.y2.val()) - 7,
            1 => self.l4.next = (self.n.val() ^ 0x4) >> 2,
            _ => self.l4.next = self.a.val().get_bits::<5>((bit_cast::<6, 64>(self.a.val()) ^ self.child.p.val().get_bits::<6>(2)).index()),
        }
        self.y5.next = signed_cast(bit_cast::<130, 4>(self.y0.val()));
        if self.child.r.val().get_bits::<1>(6).any() ^ !self.f.val() {
            self.y5.next = signed_cast(bit_cast::<130, 33>(self.d.val())) - signed_cast(bit_cast::<130, 9>(self.child.r.val())) + (signed_cast(bit_cast::<130, 33>(self.c.val())) + signed_cast(bit_cast::<130, 64>(self.b.val())));
        }
        self.y6.next = ((4 ^ self.l1.val().get_bits::<3>(33).replace_bit((self.d.val().get_bits::<1>(11) ^ self.y3.val().get_bits::<1>(1)).index() * 2, self.pair.val().bit)) | self.k[1].val().get_bits::<3>(1 + (self.l4.val() | self.n.val()).index())) << (self.pair.val().low & 0x7F2);
        if bit_cast::<32, 64>(self.a.val()) + 0 < 0xFFFFFFFF_u64 {
            self.y7.next = signed_cast(self.y6.val()) + signed_cast(self.y6.val()) - signed_cast(self.y6.val());
        } else if self.y5.val() < self.y5.val() {
            self.y7.next = signed_cast(self.y6.val()) - signed_cast(self.y6.val());
        } else {
            self.y7.next = signed_bit_cast::<3, 12>(self.s_other.val()) - signed_cast(self.y6.val());
        }
    }
}
drive_ports!(impl[] E14 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E15Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E15Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (!bit_cast::<16, 1>(true.into())).get_bits::<9>(11);
    }
}
drive_ports!(impl[] E15Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E15Pair {
    low: Bits<64>,
    bit: Bit,
    high: Bits<4>,
}
#[derive(LogicBlock, Default)]
struct E15 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<32>>,
    b: Signal<In, Bits<32>>,
    c: Signal<In, Bits<64>>,
    d: Signal<In, Bits<64>>,
    m: Signal<In, Bits<2>>,
    n: Signal<In, Bits<2>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Signed<1>>,
    l1: Signal<Local, Bits<64>>,
    y2: Signal<Out, Bits<64>>,
    pair: Signal<Local, E15Pair>,
    y3: Signal<Out, Signed<3>>,
    child: E15Child,
    l4: Signal<Local, Bits<40>>,
    y5: Signal<Out, Bits<31>>,
    y6: Signal<Out, Bits<5>>,
    y7: Signal<Out, Signed<1>>,
}
impl Logic for E15 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = signed_cast(self.a.val().get_bits::<1>(18) + self.f.val() - bit_cast::<1, 32>(self.b.val()));
        self.l1.next = (self.k[1].val().get_bits::<4>(17) >> self.b.val().get_bits::<5>(3)).get_bits::<64>((self.m.val() ^ self.n.val()).index()) | ((self.d.val() << bit_cast::<8, 2>(self.m.val())) - 0xFFFFFFFFFFFFFFFF_u64);
        self.y2.next = bit_cast::<64, 4>(bit_cast::<4, 1>(self.g.val().into()));
        self.pair.next.low = bit_cast::<64, 130>(bit_cast::<130, 1>(self.g.val().into()));
        self.pair.next.bit = (self.f.val() || self.f.val()) & (bit_cast::<12, 2>(self.m.val()) == bit_cast::<12, 2>(self.n.val()));
        self.pair.next.high = bit_cast::<16, 2>(self.m.val()).get_bits::<4>(14);
        match bit_cast::<2, 8>(bits::<8>(1)).index() {
            3 => self.y3.next = signed_cast(self.pair.val().high.get_bits::<3>(0)),
            1 => self.y3.next = signed_cast((self.pair.val().low.get_bits::<3>(6) - bit_cast::<3, 32>(self.a.val()))),
            2 => self.y3.next = signed_cast(bit_cast::<3, 32>(self.a.val())) - (signed_cast(self.k[1].val().get_bits::<3>(30)) + signed_cast(bit_cast::<3, 4>(self.pair.val().high))),
            1 => self.y3.next = (signed_cast(self.c.val().get_bits::<3>(47))),
            _ => self.y3.next = (signed_cast(bit_cast::<3, 2>(self.m.val()))),
        }
        match (bit_cast::<1, 32>(self.b.val()) ^ self.l1.val().get_bits::<1>(22)).index() {
            0 => self.child.p.next = 69 + bit_cast::<8, 1>(self.g.val().into()),
            _ => self.child.p.next = (3 ^ self.y2.val().get_bits::<8>(46)),
        }
        self.child.q.next = signed_cast(bit_cast::<5, 32>(self.b.val())) - signed_bit_cast::<5, 33>(self.s_wide.val());
        if unsigned_cast(signed_cast(bit_cast::<5, 2>(self.n.val()))) == bit_cast::<5, 1>(self.f.val().into()) {
            self.child.q.next = (-signed_cast(self.l1.val().get_bits::<5>(23))) - (-signed_cast(bit_cast::<5, 8>(self.child.p.val())) + (signed_cast(bit_cast::<5, 32>(self.a.val())) - signed_cast(bit_cast::<5, 4>(self.pair.val().high))));
        }
        match bit_cast::<3, 64>((unsigned_cast(signed_cast(self.d.val())))).index() {
            0 => self.l4.next = bits::<40>(0xFFFFFFFFFF_u64),
            1 => self.l4.next = (self.d.val().get_bits::<40>(11) >> self.child.p.val() | self.child.p.val().get_bits::<40>(bit_cast::<3, 2>(self.n.val()).index())),
            2 => self.l4.next = !bit_cast::<40, 2>(self.n.val()),
            3 => self.l4.next = bits::<40>(0x1),
            4 => self.l4.next = self.d.val().get_bits::<40>(7) >> 23,
            5 => self.l4.next = unsigned_cast(signed_bit_cast::<40, 33>(self.s_wide.val()) + signed_cast(bit_cast::<40, 32>(self.b.val()))),
            6 => self.l4.next = bit_cast::<40, 64>(self.c.val() << bit_cast::<5, 32>(self.b.val())),
            7 => self.l4.next = (bit_cast::<40, 8>(self.child.p.val()).replace_bit(31, self.f.val()) ^ bit_cast::<40, 64>(self.d.val()) >> 14),
            _ => {}
        }
        self.y5.next = bit_cast::<31, 64>(self.y2.val()) + 0x448EA2AC;
        if (signed_cast(self.pair.val().high).get_bit(2)) {
            self.y5.next = ((self.c.val().get_bits::<31>(16) & self.l4.val().get_bits::<31>(8)) << 4);
        } else if bit_cast::<16, 32>(self.b.val()).any() {
            self.y5.next = bit_cast::<31, 8>(self.child.p.val()) - bit_cast::<31, 2>(self.m.val());
        }
        match self.c.val().get_bits::<1>(21).index() {
            0 => self.y6.next = bits::<5>(0x6),
            1 => self.y6.next = bit_cast::<5, 2>(self.n.val()),
            _ => self.y6.next = self.y2.val().get_bits::<5>(38) | self.b.val().get_bits::<5>(20),
        }
        if 0x211 != !bit_cast::<12, 33>(self.k[1].val()) {
            self.y7.next = self.y0.val() - signed_cast(0 ^ self.a.val().get_bits::<1>(15));
        } else if self.g.val() || self.g.val() {
            self.y7.next = self.y0.val() - signed_bit_cast::<1, 33>(self.s_wide.val());
        } else {
            self.y7.next = self.y0.val() - signed_bit_cast::<1, 8>(self.s.val());
        }
    }
}
drive_ports!(impl[] E15 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e12", || Box::new(E12::default())),
    ("e13", || Box::new(E13::default())),
    ("e14", || Box::new(E14::default())),
    ("e15", || Box::new(E15::default())),
];
