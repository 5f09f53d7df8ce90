// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E20Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E20Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<3, 1>(true.into()).get_bits::<9>(0)) << bits::<1>(0);
    }
}
drive_ports!(impl[] E20Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E20Pair {
    low: Bits<12>,
    bit: Bit,
    high: Bits<8>,
}
#[derive(LogicBlock, Default)]
struct E20 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    c: Signal<In, Bits<31>>,
    d: Signal<In, Bits<31>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<8>>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Bits<32>>,
    pair: Signal<Local, E20Pair>,
    y3: Signal<Out, Bits<5>>,
    child: E20Child,
    l4: Signal<Local, Bits<2>>,
    y5: Signal<Out, Bits<8>>,
    y6: Signal<Out, Bits<3>>,
    y7: Signal<Out, Bits<5>>,
}
impl Logic for E20 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = self.k[1].val();
        self.l1.next = ((bit_cast::<12, 2>(self.a.val().get_bits::<2>(13)) - (bit_cast::<12, 8>(self.k[1].val()))).replace_bit(3 + bit_cast::<3, 31>(self.c.val()).index(), self.g.val() || !self.g.val()).get_bit(5));
        match bit_cast::<3, 33>(bit_cast::<33, 31>(self.c.val()) << 5).index() {
            0 => self.y2.next = (0x37A07EAB | bit_cast::<32, 8>(self.y0.val())) >> !bit_cast::<12, 31>(self.c.val()),
            1 => self.y2.next = !bit_cast::<32, 1>(self.g.val().into()),
            2 => self.y2.next = (unsigned_cast(signed_cast(bit_cast::<32, 16>(self.b.val())))) >> 6,
            3 => self.y2.next = bit_cast::<4, 16>(self.b.val()).get_bits::<8>(self.d.val().get_bits::<2>(7).index()).get_bits::<32>(0),
            4 => self.y2.next = (self.m.val().get_bits::<40>(12) >> bit_cast::<3, 16>(self.b.val())).get_bits::<32>(11),
            5 => self.y2.next = bit_cast::<12, 8>(self.y0.val()).get_bits::<40>(11).get_bits::<32>(2 + bit_cast::<5, 130>(bit_cast::<130, 31>(self.d.val()) | bit_cast::<130, 64>(self.n.val())).index()),
            6 => self.y2.next = self.m.val().get_bits::<32>(10) + 4294967295_u64 & 2687822734_u64,
            7 => self.y2.next = unsigned_cast(signed_cast(self.n.val().get_bits::<32>(12)) - signed_cast(bit_cast::<32, 31>(self.d.val()))),
            _ => {}
        }
        self.pair.next.low = self.k[1].val().get_bits::<12>(self.a.val().get_bits::<3>(13).index()) | 0xFFF;
        self.pair.next.bit = (bit_cast::<3, 32>(self.y2.val()).index() == 7) | self.g.val();
        self.pair.next.high = (bit_cast::<130, 16>(self.b.val()).get_bits::<8>(43 + self.b.val().get_bits::<6>(7).index()).replace_bit(bit_cast::<3, 31>(self.c.val()).index(), self.l1.val() && self.g.val()));
        self.y3.next = self.n.val().get_bits::<5>(28) + 0x14;
        if self.pair.val().high.get_bits::<40>(5).xor() {
            self.y3.next = self.y2.val().get_bits::<5>(16);
        }
        match bit_cast::<2, 31>(self.d.val()).index() {
            1 => self.child.p.next = self.pair.val().high + self.y0.val() << bit_cast::<40, 16>(self.b.val()).get_bits::<12>(self.y3.val().index()),
            0 => self.child.p.next = bit_cast::<31, 130>(bit_cast::<130, 12>(self.pair.val().low)).get_bits::<8>(4 + (self.m.val().get_bits::<4>(58) | bit_cast::<4, 32>(self.y2.val())).index()),
            _ => self.child.p.next = self.pair.val().high ^ self.pair.val().high,
        }
        self.child.q.next = signed_cast(self.y3.val());
        if bit_cast::<8, 1>(self.g.val().into()).xor() {
            self.child.q.next = -(signed_cast(self.y3.val()) + signed_bit_cast::<5, 8>(self.s_other.val()));
        } else {
            self.child.q.next = signed_cast(self.y3.val());
        }
        self.l4.next = ((self.k[1].val().get_bits::<3>(1)) >> 2).get_bits::<2>(1);
        match self.a.val().get_bits::<1>(9).index() {
            0 => self.y5.next = self.child.p.val(),
            _ => self.y5.next = bit_cast::<8, 16>(self.b.val()),
        }
        match self.l4.val().index() {
            0 => self.y6.next = 0x6 - self.pair.val().high.get_bits::<3>(4) + (bit_cast::<33, 31>(self.d.val()) == 0x179DC67B8_u64),
            1 => self.y6.next = bit_cast::<3, 1>(self.l4.val().any().into()),
            2 => self.y6.next = unsigned_cast(signed_cast(bit_cast::<130, 8>(self.child.p.val()))).get_bits::<3>(77),
            3 => self.y6.next = !(2 + bit_cast::<3, 12>(self.pair.val().low)),
            _ => self.y6.next = bit_cast::<3, 16>(self.a.val()) + self.child.r.val().get_bits::<3>(1),
        }
        self.y7.next = (!!(self.y3.val() & self.y3.val()) + 31);
    }
}
drive_ports!(impl[] E20 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E21Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E21Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 5>(self.p.val().get_bits::<5>(1));
    }
}
drive_ports!(impl[] E21Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E21Pair {
    low: Bits<40>,
    bit: Bit,
    high: Bits<16>,
}
#[derive(LogicBlock, Default)]
struct E21 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<4>>,
    b: Signal<In, Bits<4>>,
    c: Signal<In, Bits<5>>,
    d: Signal<In, Bits<5>>,
    m: Signal<In, Bits<33>>,
    n: Signal<In, Bits<33>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<31>>,
    l1: Signal<Local, Bits<33>>,
    y2: Signal<Out, Bits<8>>,
    pair: Signal<Local, E21Pair>,
    y3: Signal<Out, Bits<5>>,
    child: E21Child,
    l4: Signal<Local, Bits<33>>,
    y5: Signal<Out, Bit>,
    y6: Signal<Out, Bits<64>>,
    y7: Signal<Out, Bits<8>>,
}
impl Logic for E21 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        if self.g.val() | self.f.val() && self.s_other.val().get_bit(11) {
            self.y0.next = bit_cast::<31, 5>(self.c.val());
        } else if self.g.val() | self.f.val() {
            self.y0.next = bit_cast::<31, 5>(self.c.val());
        } else {
            self.y0.next = bit_cast::<31, 1>(self.k[3].val().get_bit(self.b.val().get_bits::<1>(2).index()).into());
        }
        self.l1.next = bit_cast::<12, 31>(self.y0.val()).get_bits::<33>(4);
        if (6 | self.a.val()).get_bit(1) {
            self.l1.next = (!(bit_cast::<64, 4>(self.b.val()).get_bits::<33>(50)));
        } else {
            self.l1.next = bits::<33>(8113967024_u64) >> 0 | bits::<33>(0x46AF10D7);
        }
        if (((self.d.val().get_bits::<2>(2) | self.b.val().get_bits::<2>(1)).index() != 0) || bit_cast::<8, 4>(self.a.val()).all()) {
            self.y2.next = unsigned_cast(signed_cast(self.m.val().get_bits::<8>(7))) + (((2 & self.m.val().get_bits::<8>(16)) >> bit_cast::<1, 16>(self.l1.val().get_bits::<16>(9))) + bit_cast::<33, 8>(bit_cast::<8, 31>(self.y0.val())).xor());
        } else {
            self.y2.next = unsigned_cast((signed_cast(bit_cast::<32, 3>(self.k[3].val()) >> 31))).get_bits::<8>(14);
        }
        self.pair.next.low = (bit_cast::<40, 5>(self.c.val()).replace_bit(26, self.f.val()).replace_bit(28, bit_cast::<2, 33>(self.n.val()).any()));
        self.pair.next.bit = bit_cast::<4, 130>(bit_cast::<130, 33>(self.n.val()) & 0xD5E4F7A5EE46B56F_u64).index() == 0xF;
        self.pair.next.high = ((!bit_cast::<40, 8>(self.y2.val())).get_bits::<16>((self.c.val() | self.c.val()).index()));
        if (bit_cast::<64, 16>(self.pair.val().high) >> self.k[3].val()).xor() {
            self.y3.next = (unsigned_cast(-signed_cast(self.y2.val()))).get_bits::<5>(self.k[3].val().index());
        } else {
            self.y3.next = !(bit_cast::<5, 40>(self.pair.val().low) ^ self.c.val() >> self.k[3].val());
        }
        if !self.g.val() & (signed_cast(self.y2.val()) >= signed_cast(self.y2.val())) {
            self.child.p.next = bit_cast::<8, 5>(self.c.val());
        } else if bit_cast::<32, 3>(self.k[3].val()) <= self.pair.val().low.get_bits::<32>(8) {
            self.child.p.next = (bit_cast::<8, 33>(self.m.val()));
        } else {
            self.child.p.next = bit_cast::<16, 1>(bit_cast::<130, 16>(self.pair.val().high).all().into()).get_bits::<8>(self.a.val().index()) >> 7;
        }
        self.child.q.next = signed_bit_cast::<5, 12>(self.s.val()) + signed_cast(self.y3.val());
        match self.pair.val().low.get_bits::<1>(39).index() {
            1 => self.l4.next = (self.m.val() | self.n.val()) + 3,
            _ => self.l4.next = 5730591982_u64 - self.l1.val(),
        }
        if self.pair.val().bit {
            self.y5.next = bits::<1>(0x1).get_bits::<33>(0).get_bits::<1>(1) >= (bit_cast::<33, 1>(self.pair.val().bit.into()).get_bits::<1>(26)) << self.d.val() + self.pair.val().bit;
        } else if self.child.p.val().any() {
            self.y5.next = self.f.val() | self.f.val();
        } else {
            self.y5.next = !((self.a.val() >> 4) - (self.b.val() + self.a.val()) <= bits::<4>(12));
        }
        if !bit_cast::<64, 4>(self.b.val()).xor() {
            self.y6.next = (self.m.val().replace_bit(1 + self.c.val().index(), self.f.val())).get_bits::<64>(23);
        } else if (!self.g.val()) {
            self.y6.next = bit_cast::<64, 3>(self.k[3].val());
        } else {
            self.y6.next = ((self.child.p.val() + self.y2.val()).get_bits::<64>(bit_cast::<3, 33>(self.n.val() >> self.k[3].val()).index()));
        }
        self.y7.next = (self.y2.val() << 9) + 14;
    }
}
drive_ports!(impl[] E21 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E22Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E22Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = unsigned_cast(signed_cast(bit_cast::<9, 8>(self.p.val())) - signed_cast(bit_cast::<9, 5>(self.p.val().get_bits::<5>(1))) + signed_cast(bit_cast::<9, 5>(self.p.val().get_bits::<5>(1))));
    }
}
drive_ports!(impl[] E22Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E22Pair {
    low: Bits<33>,
    bit: Bit,
    high: Bits<40>,
}
#[derive(LogicBlock, Default)]
struct E22 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<130>>,
    b: Signal<In, Bits<130>>,
    c: Signal<In, Bits<31>>,
    d: Signal<In, Bits<31>>,
    m: Signal<In, Bits<16>>,
    n: Signal<In, Bits<16>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<5>>,
    l1: Signal<Local, Bits<16>>,
    y2: Signal<Out, Bit>,
    pair: Signal<Local, E22Pair>,
    y3: Signal<Out, Bits<31>>,
    child: E22Child,
    l4: Signal<Local, Bits<2>>,
    y5: Signal<Out, Bit>,
    y6: Signal<Out, Bits<2>>,
    y7: Signal<Out, Bits<2>>,
}
impl Logic for E22 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = (self.d.val() + 1).replace_bit(bit_cast::<4, 31>(self.d.val()).index(), (self.k[3].val() <= 255)).get_bits::<5>(13 + self.c.val().get_bits::<4>(27).index());
        match bit_cast::<3, 16>(self.n.val()).index() {
            6 => self.l1.next = (self.a.val().get_bits::<33>(23) + bit_cast::<33, 8>(self.k[3].val())).get_bits::<16>(bit_cast::<5, 16>(self.n.val() << self.y0.val()).index() + 1),
            4 => self.l1.next = bit_cast::<32, 5>(self.y0.val()).get_bits::<16>(23) >> 7,
            5 => self.l1.next = unsigned_cast(signed_cast(self.n.val())),
            1 => self.l1.next = self.m.val() << self.k[3].val() >> 4,
            5 => self.l1.next = (self.m.val() ^ self.m.val()) + 30658,
            3 => self.l1.next = bits::<16>(3854),
            _ => self.l1.next = unsigned_cast(signed_cast(self.n.val())),
        }
        self.y2.next = self.g.val();
        self.pair.next.low = 1 - bit_cast::<33, 5>(self.y0.val());
        self.pair.next.bit = unsigned_cast(signed_cast(bit_cast::<3, 16>(self.m.val()))).get_bit(self.d.val().get_bits::<1>(11).index() + 1);
        self.pair.next.high = bits::<40>(0x88519EBF3B_u64) + !bit_cast::<40, 31>(self.c.val());
        self.y3.next = self.c.val() + 2022641071;
        self.child.p.next = ((bit_cast::<2, 33>(self.pair.val().low) - bit_cast::<2, 3>(bit_cast::<3, 31>(self.d.val()))).get_bits::<8>(bit_cast::<1, 3>((bit_cast::<3, 64>(bit_cast::<64, 16>(self.n.val())))).index()) + 0);
        self.child.q.next = -(signed_cast(self.y0.val()) + signed_cast(self.y0.val()) - signed_cast(self.y0.val()) - -(signed_cast(self.y0.val()) - signed_cast(self.y0.val())));
        self.l4.next = bit_cast::<2, 33>(self.pair.val().low) << 1;
        if bit_cast::<64, 31>(self.c.val()).replace_bit(self.pair.val().high.get_bits::<6>(8).index(), self.y2.val()).xor() {
            self.l4.next = (bit_cast::<2, 8>(self.child.p.val())) >> 2;
        } else if self.g.val() ^ self.y2.val() {
            self.l4.next = bit_cast::<2, 40>(self.pair.val().high) + self.g.val();
        } else {
            self.l4.next = unsigned_cast(signed_cast(self.d.val().get_bits::<2>(14)));
        }
        self.y5.next = !self.y2.val();
        if self.pair.val().high.replace_bit(23, self.y2.val()) >= 0 {
            self.y5.next = (!(bit_cast::<32, 16>(self.l1.val()) | 0xFFFFFFFF_u64)).xor();
        }
        self.y6.next = self.l4.val() >> self.child.r.val().get_bits::<1>(2);
        if (bit_cast::<64, 8>(self.k[3].val()) & bit_cast::<64, 31>(self.c.val())).any() {
            self.y6.next = unsigned_cast(signed_cast(bit_cast::<2, 1>(self.pair.val().bit.into()))) & (bit_cast::<32, 3>(self.y0.val().get_bits::<3>(1)) & (bit_cast::<32, 31>(self.d.val()) >> self.y0.val())).get_bits::<2>(25);
        }
        match (self.b.val().get_bits::<3>(65) & self.pair.val().high.get_bits::<3>(4)).index() {
            0 => self.y7.next = unsigned_cast(-signed_cast(self.y6.val())),
            1 => self.y7.next = (self.l4.val() << bit_cast::<12, 40>(self.pair.val().high)) + !self.y5.val(),
            2 => self.y7.next = bits::<2>(0x1),
            3 => self.y7.next = !!self.l4.val(),
            4 => self.y7.next = (self.y6.val() & 3) << 4,
            5 => self.y7.next = self.y6.val().replace_bit(0, self.g.val()) ^ self.l4.val() + self.l4.val(),
            6 => self.y7.next = unsigned_cast(signed_cast(self.y6.val())),
            7 => self.y7.next = unsigned_cast(signed_cast(self.y6.val())) << 3,
            _ => self.y7.next = unsigned_cast(signed_cast(self.l4.val())),
        }
    }
}
drive_ports!(impl[] E22 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E23Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E23Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = unsigned_cast((signed_cast(bit_cast::<9, 8>(self.p.val())))) & 2;
    }
}
drive_ports!(impl[] E23Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E23Pair {
    low: Bits<40>,
    bit: Bit,
    high: Bits<5>,
}
#[derive(LogicBlock, Default)]
struct E23 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<2>>,
    b: Signal<In, Bits<2>>,
    c: Signal<In, Bits<3>>,
    d: Signal<In, Bits<3>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bit>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Bits<2>>,
    pair: Signal<Local, E23Pair>,
    y3: Signal<Out, Bit>,
    child: E23Child,
    l4: Signal<Local, Bits<4>>,
    y5: Signal<Out, Signed<31>>,
    y6: Signal<Out, Bits<64>>,
    y7: Signal<Out, Bits<31>>,
}
impl Logic for E23 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = 0x10A97DC91E3310E4_u64 > bit_cast::<64, 3>(self.k[3].val()) - 0x0 && signed_cast(bit_cast::<12, 2>(self.b.val())) - signed_cast(self.m.val().get_bits::<12>(13)) < signed_cast(bit_cast::<12, 3>(self.d.val())) - signed_bit_cast::<12, 33>(self.s_wide.val());
        self.l1.next = ((bit_cast::<16, 3>(self.k[3].val()) | bit_cast::<16, 3>(self.k[3].val())).replace_bit(0, self.g.val() | self.g.val())).any();
        self.y2.next = unsigned_cast(signed_cast(self.a.val()));
        self.pair.next.low = unsigned_cast(signed_cast(bit_cast::<40, 31>(self.n.val())) + signed_cast(bit_cast::<40, 2>(self.b.val())));
        self.pair.next.bit = (self.l1.val() || self.f.val()) ^ (bit_cast::<4, 64>(bit_cast::<64, 3>(self.c.val()) + bit_cast::<64, 3>(self.c.val())).index() != 12);
        self.pair.next.high = (bit_cast::<5, 2>(self.y2.val()) & bit_cast::<5, 2>(self.y2.val())) << 2;
        self.y3.next = self.pair.val().bit;
        if self.f.val() {
            self.child.p.next = bit_cast::<8, 31>(self.n.val());
        } else {
            self.child.p.next = unsigned_cast(signed_cast(bit_cast::<8, 40>(self.pair.val().low)) - signed_cast(bit_cast::<8, 3>(self.c.val())));
        }
        self.child.q.next = signed_cast(bits::<5>(20));
        match self.k[3].val().index() {
            0 => self.l4.next = unsigned_cast(-self.s_other.val()),
            1 => self.l4.next = bit_cast::<4, 32>(self.b.val().get_bits::<32>(self.k[3].val().get_bits::<1>(0).index())),
            2 => self.l4.next = bit_cast::<4, 1>((signed_cast(self.n.val()) == signed_cast(self.m.val())).into()),
            3 => self.l4.next = bit_cast::<4, 1>(self.y3.val().into()) | unsigned_cast(self.s_other.val()),
            4 => self.l4.next = unsigned_cast(self.s.val()),
            5 => self.l4.next = unsigned_cast(self.s_other.val() + self.s_other.val()),
            6 => self.l4.next = (bit_cast::<4, 2>(self.y2.val()) | 10).replace_bit(2, self.l1.val() && self.y3.val()),
            7 => self.l4.next = unsigned_cast(self.s_wide.val()).get_bits::<4>(28),
            _ => {}
        }
        if (self.l4.val().get_bits::<3>(self.b.val().index())).any() {
            self.y5.next = signed_bit_cast::<31, 4>(self.s.val()) - signed_cast(self.m.val());
        } else {
            self.y5.next = signed_bit_cast::<31, 4>(self.s.val()) + signed_cast(self.n.val());
        }
        self.y6.next = bit_cast::<64, 1>(self.f.val().into()) + 0x6C8D3720C9A387C5_u64;
        match bit_cast::<1, 64>(bit_cast::<64, 31>(self.m.val())).index() {
            0 => self.y7.next = 0x5FA5CD33 - (bit_cast::<31, 1>(self.y3.val().into())),
            1 => self.y7.next = (self.n.val() >> 3 | 2),
            _ => self.y7.next = bits::<31>(2147483647),
        }
    }
}
drive_ports!(impl[] E23 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e20", || Box::new(E20::default())),
    ("e21", || Box::new(E21::default())),
    ("e22", || Box::new(E22::default())),
    ("e23", || Box::new(E23::default())),
];
