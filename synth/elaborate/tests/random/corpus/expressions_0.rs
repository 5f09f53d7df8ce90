// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E0Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E0Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = 511 ^ (bit_cast::<40, 5>(self.p.val().get_bits::<5>(1)).get_bits::<9>(8) ^ 0x1);
    }
}
drive_ports!(impl[] E0Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E0Pair {
    low: Bits<5>,
    bit: Bit,
    high: Bits<130>,
}
#[derive(LogicBlock, Default)]
struct E0 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<4>>,
    b: Signal<In, Bits<4>>,
    c: Signal<In, Bits<3>>,
    d: Signal<In, Bits<3>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Signed<1>>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Signed<33>>,
    pair: Signal<Local, E0Pair>,
    y3: Signal<Out, Bits<32>>,
    child: E0Child,
    l4: Signal<Local, Bits<16>>,
    y5: Signal<Out, Bits<16>>,
    y6: Signal<Out, Bits<2>>,
    y7: Signal<Out, Bits<16>>,
}
impl Logic for E0 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        if 1289555615 > bit_cast::<40, 8>(self.k[0].val()).get_bits::<31>(3 + (bit_cast::<5, 3>(self.c.val()) | bit_cast::<5, 8>(self.k[0].val())).index()) {
            self.y0.next = signed_cast(self.m.val().get_bits::<1>(18) << bit_cast::<5, 4>(self.a.val())) + signed_cast(self.b.val().get_bits::<1>(0));
        } else if self.f.val() {
            self.y0.next = signed_cast(bit_cast::<1, 3>(self.d.val())) + signed_bit_cast::<1, 12>(self.s.val());
        } else {
            self.y0.next = signed_cast(self.n.val().get_bits::<1>(11)) + signed_bit_cast::<1, 31>(self.s_wide.val());
        }
        self.l1.next = (34824310585_u64 > bit_cast::<40, 31>(self.n.val())) ^ (0x1BD1 <= (0xFFFF - bit_cast::<64, 3>(self.c.val()).get_bits::<16>(bit_cast::<6, 4>((self.d.val().get_bits::<4>(1 + (self.a.val().get_bits::<1>(0) ^ self.c.val().get_bits::<1>(2)).index()))).index())));
        if bit_cast::<33, 4>(self.b.val()).replace_bit((bit_cast::<5, 31>(self.m.val()) | self.m.val().get_bits::<5>(14)).index() + 1, self.g.val()).all() {
            self.y2.next = -(signed_bit_cast::<33, 12>(self.s.val()) - signed_cast(bit_cast::<33, 31>(self.m.val())));
        } else {
            self.y2.next = signed_cast(bit_cast::<33, 3>(self.c.val())) - (signed_bit_cast::<33, 12>(self.s_other.val()) + signed_cast(bit_cast::<33, 31>(self.m.val())));
        }
        self.pair.next.low = bit_cast::<5, 3>(self.d.val());
        self.pair.next.bit = self.k[0].val().get_bits::<32>((self.c.val() | self.d.val()).index()) >= bit_cast::<32, 1>(self.g.val().into());
        self.pair.next.high = bit_cast::<130, 31>(self.m.val()) + bit_cast::<130, 31>(self.n.val()) & 3;
        self.y3.next = unsigned_cast(-signed_cast(bit_cast::<32, 8>(self.k[0].val())));
        for i in 0..5 {
            if bit_cast::<8, 33>(unsigned_cast(self.y2.val())).get_bit(i + 2) {
                self.y3.next = self.y3.val() << 1;
            }
        }
        self.child.p.next = self.k[0].val() + self.l1.val();
        if self.l1.val() {
            self.child.p.next = (bit_cast::<8, 16>(self.pair.val().high.get_bits::<16>(80).replace_bit(self.b.val().index(), self.l1.val())));
        } else {
            self.child.p.next = bits::<8>(255) << bits::<2>(0x0);
        }
        match bit_cast::<3, 12>(self.n.val().get_bits::<12>(6) + self.pair.val().bit).index() {
            0 => self.child.q.next = ((signed_cast(self.pair.val().low)) + (signed_cast(self.pair.val().low) + signed_cast(self.pair.val().low))),
            1 => self.child.q.next = signed_cast(self.pair.val().low) + signed_bit_cast::<5, 31>(self.s_wide.val()),
            2 => self.child.q.next = signed_cast(self.pair.val().low) - (signed_cast(self.pair.val().low) - signed_bit_cast::<5, 12>(self.s.val())),
            3 => self.child.q.next = (signed_cast(self.pair.val().low)),
            4 => self.child.q.next = (signed_bit_cast::<5, 12>(self.s.val()) - signed_cast(self.pair.val().low)),
            5 => self.child.q.next = signed_cast(self.pair.val().low << self.pair.val().low),
            6 => self.child.q.next = signed_cast(self.pair.val().low),
            7 => self.child.q.next = signed_cast(self.pair.val().low),
            _ => self.child.q.next = (signed_cast(self.pair.val().low)),
        }
        self.l4.next = (self.d.val().get_bits::<1>(2) | 1).replace_bit(0, bit_cast::<2, 32>(self.y3.val()).index() >= 1).get_bits::<16>(0);
        self.y5.next = (!self.l4.val());
        if self.c.val().replace_bit(bit_cast::<1, 40>(bit_cast::<40, 8>(self.k[0].val()) - bit_cast::<40, 16>(self.l4.val())).index() * 2, self.f.val()).xor() {
            self.y5.next = !(self.l4.val() + 1) << 12;
        }
        self.y6.next = bit_cast::<2, 1>((!signed_cast(self.d.val()).get_bit(bit_cast::<1, 4>(self.b.val() >> self.k[0].val()).index() * 2) | (self.pair.val().low.get_bits::<2>(0) == 0x1)).into());
        self.y7.next = self.l4.val() >> bit_cast::<2, 5>(self.pair.val().low);
    }
}
drive_ports!(impl[] E0 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E1Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E1Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = 146 + bit_cast::<9, 5>(self.p.val().get_bits::<5>(1)).replace_bit(bit_cast::<3, 5>(self.p.val().get_bits::<5>(1)).index() + 1, true).replace_bit(1 + self.p.val().get_bits::<3>(2).index(), (signed_cast(self.p.val()).get_bit(2)));
    }
}
drive_ports!(impl[] E1Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E1Pair {
    low: Bits<64>,
    bit: Bit,
    high: Bits<130>,
}
#[derive(LogicBlock, Default)]
struct E1 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<64>>,
    b: Signal<In, Bits<64>>,
    c: Signal<In, Bits<5>>,
    d: Signal<In, Bits<5>>,
    m: Signal<In, Bits<16>>,
    n: Signal<In, Bits<16>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<16>>,
    l1: Signal<Local, Signed<12>>,
    y2: Signal<Out, Bits<16>>,
    pair: Signal<Local, E1Pair>,
    y3: Signal<Out, Bits<16>>,
    child: E1Child,
    l4: Signal<Local, Bits<1>>,
    y5: Signal<Out, Signed<4>>,
    y6: Signal<Out, Signed<8>>,
    y7: Signal<Out, Bits<3>>,
}
impl Logic for E1 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        if (bit_cast::<40, 16>(self.m.val()) + self.a.val().get_bits::<40>(14)) >= self.b.val().get_bits::<40>(4).replace_bit(self.c.val().index(), self.g.val()) {
            self.y0.next = (unsigned_cast(signed_cast(self.m.val())));
        } else {
            self.y0.next = self.m.val() + !self.b.val().get_bits::<31>(15).get_bit(self.c.val().get_bits::<4>(1).index() * 2) >> 3;
        }
        self.l1.next = self.s_other.val() - signed_bit_cast::<12, 31>(self.s_wide.val());
        self.y2.next = self.y0.val();
        self.pair.next.low = bit_cast::<64, 1>(self.b.val().all().into());
        self.pair.next.bit = (signed_cast(bit_cast::<4, 16>(self.y2.val())) + signed_cast(bit_cast::<4, 16>(self.y2.val()))).get_bit(bit_cast::<2, 16>(self.m.val()).index());
        self.pair.next.high = bit_cast::<130, 1>(self.y2.val().get_bits::<1>(0).any().into());
        if self.g.val() ^ self.f.val() ^ self.g.val() {
            self.y3.next = self.n.val().get_bits::<12>(0).get_bits::<16>((bit_cast::<3, 64>(self.pair.val().low) | bit_cast::<3, 130>(self.pair.val().high)).index());
        } else {
            self.y3.next = (!!self.y2.val() - bits::<16>(17856));
        }
        if (self.pair.val().high ^ self.pair.val().high) == 6656340373308418705_u64 {
            self.child.p.next = self.k[2].val().get_bits::<8>(self.y2.val().get_bits::<3>(13).index()) - 3;
        } else if self.pair.val().bit && self.pair.val().bit {
            self.child.p.next = bits::<8>(0x11);
        } else {
            self.child.p.next = (self.k[2].val() + self.g.val()) - 147;
        }
        self.child.q.next = signed_cast(self.d.val()) + signed_bit_cast::<5, 12>(self.s.val());
        self.l4.next = bits::<1>(0x1);
        self.y5.next = signed_cast(bit_cast::<4, 9>(self.child.r.val())) - signed_bit_cast::<4, 12>(self.s_other.val());
        self.y6.next = -(signed_bit_cast::<8, 12>(self.s.val()) - signed_cast(self.child.p.val()));
        match bit_cast::<3, 32>(self.child.r.val().get_bits::<2>(6).get_bits::<32>(self.l4.val().index())).index() {
            0 => self.y7.next = (self.d.val().get_bits::<3>(0) ^ bit_cast::<3, 64>(self.b.val())).replace_bit(2, self.g.val() && self.f.val()),
            1 => self.y7.next = bit_cast::<3, 1>(self.f.val().into()) + 7,
            2 => self.y7.next = (bit_cast::<3, 9>(self.child.r.val()) | self.child.p.val().get_bits::<3>(0)) >> 3,
            3 => self.y7.next = !bit_cast::<3, 1>(self.l4.val()) & 7,
            4 => self.y7.next = (bits::<3>(0x3)),
            5 => self.y7.next = bit_cast::<3, 1>((self.d.val() != self.c.val()).into()),
            6 => self.y7.next = (bit_cast::<3, 1>(self.l4.val()) ^ bit_cast::<3, 8>(self.k[2].val())) >> self.c.val().get_bits::<2>(1).replace_bit(0, self.pair.val().bit),
            7 => self.y7.next = (bit_cast::<3, 8>(self.child.p.val()) << 5) - 3,
            _ => self.y7.next = !bit_cast::<3, 16>(self.y0.val()),
        }
    }
}
drive_ports!(impl[] E1 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E2Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E2Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (!bit_cast::<9, 5>(self.p.val().get_bits::<5>(1)) >> 0) + 0x198;
    }
}
drive_ports!(impl[] E2Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E2Pair {
    low: Bits<4>,
    bit: Bit,
    high: Bits<5>,
}
#[derive(LogicBlock, Default)]
struct E2 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<33>>,
    b: Signal<In, Bits<33>>,
    c: Signal<In, Bits<2>>,
    d: Signal<In, Bits<2>>,
    m: Signal<In, Bits<64>>,
    n: Signal<In, Bits<64>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<12>>,
    l1: Signal<Local, Bits<3>>,
    y2: Signal<Out, Bit>,
    pair: Signal<Local, E2Pair>,
    y3: Signal<Out, Bits<40>>,
    child: E2Child,
    l4: Signal<Local, Bits<16>>,
    y5: Signal<Out, Bits<130>>,
    y6: Signal<Out, Bits<32>>,
    y7: Signal<Out, Bits<12>>,
}
impl Logic for E2 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = bits::<12>(2);
        for i in 0..4 {
            if self.c.val().index() < i + 1 {
                self.y0.next = bit_cast::<12, 2>(self.d.val()) & 3892;
            }
        }
        self.l1.next = self.k[0].val() - self.k[0].val() << (self.d.val().get_bits::<1>(0) | self.m.val().get_bits::<1>(35));
        for i in 0..3 {
            if bit_cast::<2, 130>(bit_cast::<130, 2>(self.c.val()).get_bits::<130>(35)).index() == i + 1 {
                self.l1.next = self.k[0].val();
            }
        }
        self.y2.next = bit_cast::<4, 2>(self.d.val()).index() != 0x5;
        self.pair.next.low = bit_cast::<4, 3>(self.l1.val());
        self.pair.next.bit = self.y0.val().get_bits::<5>(1 + (self.l1.val() & self.l1.val()).index()).all();
        self.pair.next.high = bit_cast::<5, 1>(self.g.val().into()) - bit_cast::<5, 1>(bit_cast::<1, 12>(self.y0.val()));
        self.y3.next = self.pair.val().high.get_bits::<40>(1) - 532764056219_u64;
        for i in 0..3 {
            self.y3.next = self.y3.val().replace_bit(i, 1 <= self.b.val().get_bits::<1>(5));
        }
        self.child.p.next = ((self.y3.val() | self.y3.val()) << 34).get_bits::<8>(bit_cast::<5, 12>(!self.y0.val()).index());
        self.child.q.next = (signed_bit_cast::<5, 33>(self.s_wide.val()) - signed_cast(self.pair.val().high) - (signed_cast(self.pair.val().high) + signed_bit_cast::<5, 4>(self.s.val()) - signed_cast(self.pair.val().high))) - (signed_bit_cast::<5, 33>(self.s_wide.val()) - signed_cast(self.pair.val().high));
        self.l4.next = self.c.val().get_bits::<16>((bit_cast::<1, 40>(self.y3.val()) | self.y0.val().get_bits::<1>(0)).index()) + 65490 >> 4;
        if 4294967295_u64 >= bit_cast::<32, 2>(self.c.val()) & bit_cast::<32, 3>(self.k[0].val()) {
            self.y5.next = bit_cast::<130, 16>(self.l4.val());
        } else {
            self.y5.next = bit_cast::<130, 12>(bit_cast::<12, 3>(bit_cast::<3, 40>(self.y3.val())));
        }
        self.y6.next = !(self.l4.val() * self.l4.val() >> 32) - (unsigned_cast(signed_cast(bit_cast::<32, 16>(self.l4.val()))) - unsigned_cast(signed_cast(bit_cast::<32, 33>(self.a.val()))) & !(bit_cast::<32, 33>(self.b.val()) & bit_cast::<32, 3>(self.l1.val())));
        self.y7.next = bits::<12>(2406);
        for i in 0..3 {
            self.y7.next = self.y7.val().replace_bit(i, signed_cast(self.y5.val()).get_bit(109));
        }
    }
}
drive_ports!(impl[] E2 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E3Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E3Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<33, 8>(self.p.val()) >> 28 >> !self.p.val().get_bits::<5>(1).get_bits::<1>(2)).get_bits::<9>(1 + (self.p.val().get_bits::<5>(1) | self.p.val().get_bits::<5>(1)).index());
    }
}
drive_ports!(impl[] E3Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E3Pair {
    low: Bits<16>,
    bit: Bit,
    high: Bits<2>,
}
#[derive(LogicBlock, Default)]
struct E3 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<12>>,
    b: Signal<In, Bits<12>>,
    c: Signal<In, Bits<16>>,
    d: Signal<In, Bits<16>>,
    m: Signal<In, Bits<130>>,
    n: Signal<In, Bits<130>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<16>>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Signed<40>>,
    pair: Signal<Local, E3Pair>,
    y3: Signal<Out, Bits<32>>,
    child: E3Child,
    l4: Signal<Local, Bits<5>>,
    y5: Signal<Out, Bits<31>>,
    y6: Signal<Out, Bits<32>>,
    y7: Signal<Out, Bits<64>>,
}
impl Logic for E3 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = (self.k[2].val().get_bits::<32>(0).get_bits::<16>(21)) - bit_cast::<16, 1>(self.g.val().into());
        if bits::<130>(7127761824248504545_u64).all() {
            self.l1.next = (self.b.val().get_bits::<4>(bit_cast::<3, 130>(bit_cast::<130, 1>(self.f.val().into())).index()).replace_bit(self.b.val().get_bits::<2>(10).index(), self.g.val() | self.g.val()) >= 12);
        } else if self.g.val() ^ self.f.val() {
            self.l1.next = (self.g.val() & self.g.val());
        } else {
            self.l1.next = !bit_cast::<5, 1>(self.y0.val().get_bits::<1>(12)) > 0xC;
        }
        self.y2.next = signed_cast(self.n.val().get_bits::<40>(55));
        self.pair.next.low = bit_cast::<16, 1>((1 < self.m.val().get_bits::<1>(78)).into());
        self.pair.next.bit = signed_cast(self.d.val().get_bits::<2>(2)) + signed_cast(bit_cast::<2, 130>(self.n.val())) > signed_bit_cast::<2, 31>(self.s_wide.val()) + signed_cast(self.c.val().get_bits::<2>(14));
        self.pair.next.high = bits::<2>(3);
        self.y3.next = (bit_cast::<32, 3>(bit_cast::<3, 130>(self.m.val())) & 3);
        self.child.p.next = bit_cast::<8, 16>(self.pair.val().low).replace_bit(bit_cast::<3, 16>(self.c.val()).index(), self.pair.val().bit);
        if bit_cast::<3, 33>(self.n.val().get_bits::<33>(47)).index() < 7 {
            self.child.p.next = (bit_cast::<8, 130>(self.m.val()) ^ 0xFF);
        }
        self.child.q.next = signed_bit_cast::<5, 8>(self.s_other.val()) + signed_cast(bit_cast::<5, 12>(self.b.val())) + signed_cast(self.k[2].val().get_bits::<5>(11));
        self.l4.next = ((self.m.val() | self.m.val()).get_bits::<5>(bit_cast::<6, 8>(self.child.p.val()).index() + 65) ^ unsigned_cast(self.child.q.val()));
        if (self.s_wide.val() + signed_bit_cast::<31, 8>(self.s.val())).get_bit(16) {
            self.y5.next = bit_cast::<31, 16>(self.y0.val()) ^ bit_cast::<31, 9>(self.child.r.val()) | 0x0 + bit_cast::<31, 33>(self.k[2].val());
        } else if self.pair.val().high != 0x1 {
            self.y5.next = bit_cast::<31, 12>(self.b.val()).replace_bit((bit_cast::<4, 12>(self.a.val()) & bit_cast::<4, 32>(self.y3.val())).index() + 11, self.g.val());
        } else {
            self.y5.next = bit_cast::<31, 1>((bit_cast::<3, 16>(self.pair.val().low) > 0x2).into());
        }
        match self.pair.val().high.index() {
            0 => self.y6.next = (self.y0.val() >> self.y3.val().get_bits::<3>(18)) * bit_cast::<16, 1>(self.g.val().into()),
            3 => self.y6.next = (bit_cast::<2, 1>(self.pair.val().bit.into())).get_bits::<32>(0),
            0 => self.y6.next = self.y3.val() + 3 - 4294967295_u64,
            _ => self.y6.next = self.y5.val().get_bits::<32>(12),
        }
        self.y7.next = unsigned_cast(signed_cast(self.m.val().get_bits::<64>(33)) + signed_cast(bit_cast::<64, 31>(self.y5.val())));
        for i in 0..5 {
            self.y7.next = self.y7.val().replace_bit(i, bit_cast::<40, 31>(self.y5.val()).all());
        }
    }
}
drive_ports!(impl[] E3 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e0", || Box::new(E0::default())),
    ("e1", || Box::new(E1::default())),
    ("e2", || Box::new(E2::default())),
    ("e3", || Box::new(E3::default())),
];
