// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E28Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E28Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 5>(self.p.val().get_bits::<5>(1));
    }
}
drive_ports!(impl[] E28Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E28Pair {
    low: Bits<64>,
    bit: Bit,
    high: Bits<32>,
}
#[derive(LogicBlock, Default)]
struct E28 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<32>>,
    d: Signal<In, Bits<32>>,
    m: Signal<In, Bits<4>>,
    n: Signal<In, Bits<4>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<8>>,
    l1: Signal<Local, Signed<64>>,
    y2: Signal<Out, Bit>,
    pair: Signal<Local, E28Pair>,
    y3: Signal<Out, Bits<64>>,
    child: E28Child,
    l4: Signal<Local, Bits<4>>,
    y5: Signal<Out, Bit>,
    y6: Signal<Out, Bits<40>>,
    y7: Signal<Out, Bits<4>>,
}
impl Logic for E28 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = 0x1 + (bit_cast::<12, 31>(bit_cast::<31, 3>(self.k[1].val()))).get_bits::<8>(bit_cast::<3, 12>(bit_cast::<12, 32>(self.c.val())).index()) ^ 246;
        for i in 0..3 {
            if bit_cast::<2, 32>(self.c.val() + 0).index() == i + 1 {
                self.y0.next = bit_cast::<1, 4>(self.m.val()).get_bits::<8>(0);
            }
        }
        self.l1.next = signed_cast(bit_cast::<64, 32>(self.d.val())) + signed_cast(bit_cast::<64, 4>(self.m.val()));
        if self.c.val().get_bits::<2>(14).any() ^ (bit_cast::<130, 8>(self.y0.val()) <= bit_cast::<130, 8>(self.b.val())) {
            self.l1.next = signed_bit_cast::<64, 8>(self.s_other.val()) + signed_cast(bit_cast::<64, 4>(self.m.val()));
        }
        self.y2.next = ((bit_cast::<33, 4>(self.m.val()) ^ bit_cast::<33, 4>(self.m.val())) - 141411511).all();
        self.pair.next.low = bits::<64>(0x203C85E59B2104C8_u64) + unsigned_cast(self.l1.val());
        self.pair.next.bit = self.k[1].val().get_bit(1 + (bit_cast::<1, 32>(self.d.val()) | bit_cast::<1, 32>(self.c.val())).index());
        self.pair.next.high = bits::<32>(3056374491_u64);
        self.y3.next = (self.pair.val().low >> self.b.val().get_bits::<5>(0)) + bit_cast::<64, 1>(self.d.val().get_bits::<1>(30));
        for i in 0..1 {
            self.y3.next = self.y3.val().replace_bit(i, 1827049150 >= bit_cast::<31, 32>(self.d.val()));
        }
        self.child.p.next = (unsigned_cast(self.s.val()));
        if self.n.val().index() >= 3 {
            self.child.p.next = bit_cast::<8, 1>((self.y2.val() && self.y2.val()).into());
        } else if self.n.val().any() {
            self.child.p.next = self.pair.val().low.get_bits::<8>(15);
        } else {
            self.child.p.next = 0xD9 | (0x78 + self.y0.val());
        }
        self.child.q.next = signed_bit_cast::<5, 8>(self.s_other.val()) - signed_cast(bit_cast::<5, 8>(self.y0.val()));
        self.l4.next = (bit_cast::<12, 32>(self.pair.val().high).get_bits::<8>(bit_cast::<3, 8>(bit_cast::<130, 8>(self.y0.val()).get_bits::<8>(45)).index())).get_bits::<31>(5).get_bits::<4>(self.m.val().index() + 14) | bit_cast::<4, 64>(bit_cast::<64, 5>(bit_cast::<5, 3>(self.k[1].val()) + self.y3.val().get_bits::<5>(5)));
        self.y5.next = (795975875162_u64 == bits::<40>(1099511627775_u64));
        self.y6.next = unsigned_cast(signed_cast(bit_cast::<40, 4>(self.m.val())));
        match bit_cast::<3, 40>(self.y6.val() >> self.y0.val()).index() {
            7 => self.y7.next = self.m.val() + self.m.val() + !self.l4.val(),
            3 => self.y7.next = bits::<4>(15),
            7 => self.y7.next = unsigned_cast(signed_cast(self.m.val()) - signed_bit_cast::<4, 33>(self.s_wide.val())),
            4 => self.y7.next = bit_cast::<4, 31>(bit_cast::<31, 64>(self.y3.val()) << bit_cast::<12, 8>(self.y0.val())),
            _ => self.y7.next = self.n.val() << self.b.val(),
        }
    }
}
drive_ports!(impl[] E28 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E29Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E29Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = !bit_cast::<9, 130>(bit_cast::<130, 5>(self.p.val().get_bits::<5>(1))) - (bit_cast::<9, 8>(self.p.val()) + 511 - 0x66);
    }
}
drive_ports!(impl[] E29Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E29Pair {
    low: Bits<2>,
    bit: Bit,
    high: Bits<8>,
}
#[derive(LogicBlock, Default)]
struct E29 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<3>>,
    d: Signal<In, Bits<3>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<1>>,
    l1: Signal<Local, Bits<40>>,
    y2: Signal<Out, Bits<33>>,
    pair: Signal<Local, E29Pair>,
    y3: Signal<Out, Bits<12>>,
    child: E29Child,
    l4: Signal<Local, Bits<130>>,
    y5: Signal<Out, Bits<8>>,
    y6: Signal<Out, Bits<130>>,
    y7: Signal<Out, Bits<1>>,
}
impl Logic for E29 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        if unsigned_cast(signed_cast(bit_cast::<40, 31>(self.m.val()))).xor() {
            self.y0.next = bit_cast::<33, 31>(self.m.val()).get_bits::<1>(29) >> 3;
        } else {
            self.y0.next = (bit_cast::<1, 8>(self.b.val()));
        }
        self.l1.next = bit_cast::<40, 3>(self.c.val()) & bit_cast::<40, 8>(self.k[2].val());
        if signed_cast(self.c.val()).get_bit((self.y0.val() ^ self.y0.val()).index() + 1) && self.k[2].val().xor() {
            self.l1.next = unsigned_cast(-signed_cast(bit_cast::<40, 8>(self.b.val()))).replace_bit(39, (signed_bit_cast::<3, 12>(self.s_other.val()) + signed_cast(self.c.val())).get_bit((self.y0.val() | self.y0.val()).index() * 2));
        } else if self.b.val().get_bits::<5>(2) == 0x1F {
            self.l1.next = bit_cast::<40, 31>(self.m.val()) << 41;
        }
        self.y2.next = bit_cast::<33, 1>((self.g.val() & self.g.val()).into());
        self.pair.next.low = bit_cast::<2, 40>(self.l1.val()).get_bits::<2>(0);
        self.pair.next.bit = self.g.val() & self.f.val() | self.f.val() ^ self.g.val();
        self.pair.next.high = unsigned_cast(signed_cast(self.b.val())) + (self.g.val() || self.f.val());
        self.y3.next = unsigned_cast((self.s_other.val() + signed_bit_cast::<12, 16>(self.s_wide.val()))) ^ (self.y2.val().get_bits::<12>(7) + 4095) + (self.l1.val().get_bits::<12>(6) - bit_cast::<12, 31>(self.m.val()));
        for i in 0..2 {
            self.y3.next = self.y3.val().replace_bit(i, bit_cast::<12, 8>(self.a.val()).any());
        }
        self.child.p.next = self.b.val() << 3;
        if self.c.val().index() != 7 && self.c.val() > 7 {
            self.child.p.next = (bits::<8>(255) | (bits::<8>(0xE8) | 255));
        } else if self.a.val() == 133 {
            self.child.p.next = bit_cast::<8, 33>(self.y2.val());
        } else {
            self.child.p.next = self.b.val();
        }
        match (self.c.val() & self.d.val()).index() {
            7 => self.child.q.next = signed_cast(self.l1.val().get_bits::<5>(3)),
            5 => self.child.q.next = signed_cast(self.l1.val().get_bits::<5>(11)) - signed_cast(bit_cast::<5, 1>(self.y0.val())),
            0 => self.child.q.next = signed_cast(self.n.val().get_bits::<5>(20)) - signed_cast(bit_cast::<5, 12>(self.y3.val())) + (signed_cast(bit_cast::<5, 31>(self.m.val())) + signed_cast(bit_cast::<5, 40>(self.l1.val()))),
            0 => self.child.q.next = (signed_bit_cast::<5, 12>(self.s_other.val()) - signed_cast(self.k[2].val().get_bits::<5>(1))),
            7 => self.child.q.next = (signed_cast(bit_cast::<5, 3>(self.c.val())) + (signed_cast(self.a.val().get_bits::<5>(3)) - signed_bit_cast::<5, 16>(self.s_wide.val()))),
            5 => self.child.q.next = -(signed_cast(self.b.val().get_bits::<5>(2)) + signed_cast(self.y2.val().get_bits::<5>(4))),
            _ => self.child.q.next = (signed_cast(bit_cast::<5, 3>(self.c.val()))),
        }
        self.l4.next = bit_cast::<130, 1>((self.f.val() ^ self.f.val()).into()) >> (self.l1.val().get_bits::<12>(15));
        for i in 0..3 {
            if self.k[i].val().get_bit(1) {
                self.l4.next = self.l4.val() + 1;
            }
        }
        self.y5.next = ((self.a.val() & self.child.p.val()) << (self.y3.val() >> self.a.val())) + 3;
        for i in 0..6 {
            if bit_cast::<2, 64>((bit_cast::<64, 12>(self.y3.val()))).index() < i + 1 {
                self.y5.next = (self.pair.val().high);
            }
        }
        self.y6.next = (self.l4.val() << 98 | self.l4.val() ^ 18446744073709551615_u64) << 92;
        self.y7.next = bits::<1>(1) | self.y0.val();
        for i in 0..1 {
            if bit_cast::<16, 3>(self.c.val()).get_bit(i + 0) {
                self.y7.next = self.y7.val() ^ 1;
            }
        }
    }
}
drive_ports!(impl[] E29 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E30Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E30Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 1>((true && true).into()) & bit_cast::<9, 8>(self.p.val());
    }
}
drive_ports!(impl[] E30Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E30Pair {
    low: Bits<4>,
    bit: Bit,
    high: Bits<3>,
}
#[derive(LogicBlock, Default)]
struct E30 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<130>>,
    b: Signal<In, Bits<130>>,
    c: Signal<In, Bits<31>>,
    d: Signal<In, Bits<31>>,
    m: Signal<In, Bits<8>>,
    n: Signal<In, Bits<8>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<12>>,
    l1: Signal<Local, Bits<33>>,
    y2: Signal<Out, Signed<5>>,
    pair: Signal<Local, E30Pair>,
    y3: Signal<Out, Signed<12>>,
    child: E30Child,
    l4: Signal<Local, Bits<5>>,
    y5: Signal<Out, Bits<33>>,
    y6: Signal<Out, Bits<33>>,
    y7: Signal<Out, Bits<31>>,
}
impl Logic for E30 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = bits::<12>(3);
        for i in 0..1 {
            if bit_cast::<2, 130>(self.b.val()).index() < i + 1 {
                self.y0.next = unsigned_cast(signed_cast(bit_cast::<12, 8>(self.m.val())));
            }
        }
        self.l1.next = (self.b.val().get_bits::<33>((self.b.val().get_bits::<6>(108) | self.m.val().get_bits::<6>(0)).index() + 21));
        if (self.c.val().get_bits::<2>(21).all()) & bit_cast::<64, 12>(self.y0.val()).all() {
            self.l1.next = unsigned_cast(signed_bit_cast::<33, 8>(self.s.val()) + self.s_wide.val() + (self.s_wide.val() + self.s_wide.val()));
        } else if (bit_cast::<3, 4>(self.c.val().get_bits::<4>(4) ^ 1).index() == 0x7) {
            self.l1.next = bit_cast::<32, 31>(self.d.val()).get_bits::<33>((bit_cast::<5, 31>(self.d.val()) | bit_cast::<5, 33>(self.k[0].val())).index());
        }
        if signed_cast(self.a.val().get_bits::<40>(70)) == signed_cast(bit_cast::<40, 33>(self.k[0].val())) + signed_cast(self.a.val().get_bits::<40>(22)) {
            self.y2.next = (signed_cast(self.l1.val().get_bits::<5>(22)) + signed_bit_cast::<5, 33>(self.s_wide.val()) - (signed_cast(bit_cast::<5, 8>(self.m.val())) + signed_bit_cast::<5, 8>(self.s.val())));
        } else {
            self.y2.next = signed_cast(unsigned_cast(signed_cast(bit_cast::<5, 31>(self.d.val())) - signed_cast(self.a.val().get_bits::<5>(85))).get_bits::<5>(bit_cast::<2, 12>(self.y0.val()).index()));
        }
        self.pair.next.low = self.k[0].val().get_bits::<4>(21) - self.m.val().get_bits::<4>(1) & (self.b.val().get_bits::<4>(43) >> self.d.val().get_bits::<3>(6));
        self.pair.next.bit = (bit_cast::<40, 31>(self.c.val()).get_bits::<64>(5)).any();
        self.pair.next.high = bit_cast::<3, 1>(self.f.val().into()) ^ self.d.val().get_bits::<3>(27) << self.a.val().get_bits::<3>(114);
        self.y3.next = signed_cast(self.y0.val()) - signed_cast(self.y0.val());
        if (-self.y2.val() < self.y2.val() - self.y2.val()) {
            self.y3.next = signed_cast(self.y0.val());
        } else if bit_cast::<5, 31>(self.d.val()).xor() {
            self.y3.next = signed_cast(self.y0.val()) + signed_cast(self.y0.val());
        }
        self.child.p.next = (self.n.val() ^ 199);
        if (bit_cast::<1, 8>(self.m.val()) << bit_cast::<2, 130>(self.b.val())).all() {
            self.child.p.next = (unsigned_cast(self.s.val()) | 152);
        } else {
            self.child.p.next = !((self.m.val() + self.n.val()).replace_bit(6, self.pair.val().low.all())) << (self.m.val() >> self.pair.val().high);
        }
        self.child.q.next = self.y2.val() - self.y2.val();
        if self.pair.val().bit {
            self.child.q.next = self.y2.val() - signed_bit_cast::<5, 33>(self.s_wide.val());
        }
        if !(self.f.val() | self.pair.val().bit) {
            self.l4.next = 0x1 & !self.a.val().get_bits::<5>(62);
        } else if self.g.val() {
            self.l4.next = (bit_cast::<5, 1>(self.g.val().into()));
        } else {
            self.l4.next = !bit_cast::<5, 3>(self.pair.val().high) + 13;
        }
        if self.pair.val().high ^ self.pair.val().high >= 1 {
            self.y5.next = ((self.l1.val().get_bits::<130>(1 + bit_cast::<5, 32>(bit_cast::<32, 12>(self.y0.val())).index())).get_bits::<33>(3)) << self.l4.val().get_bits::<2>(2).get_bits::<1>(0);
        } else {
            self.y5.next = 2 ^ unsigned_cast(self.s_wide.val() + self.s_wide.val());
        }
        self.y6.next = bit_cast::<33, 31>(unsigned_cast(signed_cast(self.c.val())) >> (self.pair.val().high << 2)).get_bits::<33>(1 + self.l4.val().index());
        self.y7.next = unsigned_cast(signed_cast(self.d.val()) - signed_cast(self.c.val()));
    }
}
drive_ports!(impl[] E30 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E31Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E31Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = ((bit_cast::<9, 8>(self.p.val()) | 194) & bit_cast::<9, 8>(self.p.val()) + 1) ^ 0x1 + !bit_cast::<9, 5>(self.p.val().get_bits::<5>(1));
    }
}
drive_ports!(impl[] E31Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E31Pair {
    low: Bits<31>,
    bit: Bit,
    high: Bits<64>,
}
#[derive(LogicBlock, Default)]
struct E31 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<12>>,
    d: Signal<In, Bits<12>>,
    m: Signal<In, Bits<31>>,
    n: Signal<In, Bits<31>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<32>>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Bits<130>>,
    pair: Signal<Local, E31Pair>,
    y3: Signal<Out, Bits<8>>,
    child: E31Child,
    l4: Signal<Local, Bit>,
    y5: Signal<Out, Bits<32>>,
    y6: Signal<Out, Bits<130>>,
    y7: Signal<Out, Bit>,
}
impl Logic for E31 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = bits::<32>(1);
        self.l1.next = self.b.val().get_bits::<2>(0).get_bit(self.b.val().get_bits::<1>(1).index());
        if self.g.val() & self.g.val() | (self.y0.val().get_bits::<2>(10) < self.y0.val().get_bits::<2>(14)) {
            self.l1.next = self.f.val() & (signed_cast(self.a.val()) != signed_cast(self.a.val()));
        } else if self.g.val() | self.g.val() {
            self.l1.next = 3 != bit_cast::<130, 33>(self.k[0].val());
        } else {
            self.l1.next = self.a.val().all() || signed_cast(self.k[0].val()) > signed_cast(self.k[0].val());
        }
        match self.b.val().index() {
            0 => self.y2.next = bit_cast::<130, 1>((self.m.val().get_bits::<4>(18) <= 0xD).into()),
            1 => self.y2.next = bit_cast::<64, 1>(self.f.val().into()).get_bits::<130>(bit_cast::<6, 31>(self.m.val()).index()),
            2 => self.y2.next = bit_cast::<130, 31>(self.m.val()) + bit_cast::<130, 12>(self.d.val()) >> 77,
            3 => self.y2.next = 0xE52723165EAEEB6C_u64 ^ bit_cast::<130, 32>(self.y0.val()).replace_bit(61, self.g.val()),
            4 => self.y2.next = unsigned_cast(signed_cast(bit_cast::<130, 3>(self.a.val()))) + (bit_cast::<130, 3>(self.a.val()) + bit_cast::<130, 31>(self.n.val())),
            5 => self.y2.next = (!self.d.val().get_bits::<1>(5).get_bits::<130>(0)),
            6 => self.y2.next = bit_cast::<130, 4>(bits::<4>(15)),
            7 => self.y2.next = bit_cast::<16, 3>(self.a.val()).get_bits::<130>(9) - 1533479587058932659_u64,
            _ => {}
        }
        self.pair.next.low = (self.y2.val() ^ self.y2.val()).get_bits::<31>(bit_cast::<6, 12>(self.c.val()).index() + 2);
        self.pair.next.bit = (bits::<32>(4294967295_u64).any());
        self.pair.next.high = (self.y2.val().get_bits::<64>(49) & bit_cast::<64, 32>(self.y0.val())) >> 60;
        match bit_cast::<3, 12>(self.c.val() + self.d.val()).index() {
            0 => self.y3.next = (187 ^ bit_cast::<8, 31>(self.n.val())) >> 1,
            1 => self.y3.next = bits::<8>(174),
            2 => self.y3.next = bit_cast::<8, 1>(self.f.val().into()) + bit_cast::<8, 12>(self.c.val()).replace_bit(bit_cast::<3, 40>(bit_cast::<40, 3>(self.a.val())).index(), self.g.val()),
            3 => self.y3.next = bits::<8>(91),
            4 => self.y3.next = bits::<8>(90),
            5 => self.y3.next = bit_cast::<8, 32>(self.y0.val()),
            6 => self.y3.next = 42 + bit_cast::<8, 130>(self.y2.val()) & self.m.val().get_bits::<8>(4),
            7 => self.y3.next = bit_cast::<8, 1>(signed_cast(bit_cast::<2, 130>(self.y2.val())).get_bit((bit_cast::<1, 32>(self.y0.val()) & self.k[0].val().get_bits::<1>(9)).index()).into()),
            _ => {}
        }
        self.child.p.next = !(bit_cast::<3, 1>(self.g.val().into()).get_bits::<8>(2));
        self.child.q.next = signed_bit_cast::<5, 16>(self.s_wide.val()) - signed_cast(self.y2.val().get_bits::<5>(28));
        match self.b.val().index() {
            6 => self.l4.next = (-signed_cast(self.y0.val())).get_bit((self.child.p.val().get_bits::<5>(2) & bit_cast::<5, 32>(self.y0.val())).index()),
            2 => self.l4.next = self.n.val().get_bits::<5>(19).index() >= 2,
            5 => self.l4.next = signed_cast(self.b.val().get_bits::<1>(2)) != signed_cast(self.y0.val().get_bits::<1>(6)) - signed_cast(bit_cast::<1, 8>(self.child.p.val())),
            4 => self.l4.next = (unsigned_cast(signed_cast(self.b.val())) < self.b.val() + self.b.val()),
            6 => self.l4.next = signed_cast(bit_cast::<2, 12>(self.c.val())) + signed_bit_cast::<2, 12>(self.s.val()) == (signed_cast(self.y3.val().get_bits::<2>(1)) + signed_cast(bit_cast::<2, 12>(self.c.val()))),
            _ => self.l4.next = self.pair.val().bit | self.f.val(),
        }
        if (bit_cast::<4, 3>(self.a.val()) ^ 2).any() {
            self.y5.next = self.y0.val() + 2390031775_u64 ^ 1438768287;
        } else {
            self.y5.next = 0x3A9A29DC ^ self.y0.val() | bit_cast::<32, 1>(self.l4.val().into());
        }
        match self.a.val().index() {
            0 => self.y6.next = bits::<130>(0x1),
            6 => self.y6.next = self.y2.val(),
            3 => self.y6.next = self.y2.val(),
            4 => self.y6.next = 8214808406768280759_u64 - (self.y2.val() << 42),
            1 => self.y6.next = (self.y2.val() - self.y2.val() | (unsigned_cast(signed_cast(self.y2.val())))),
            5 => self.y6.next = bit_cast::<130, 3>(bits::<3>(4)),
            _ => self.y6.next = self.y2.val() << 30,
        }
        self.y7.next = (!(0x3 & self.d.val()) >> (self.d.val() >> bit_cast::<5, 8>(self.child.p.val()))) < unsigned_cast(signed_bit_cast::<12, 16>(self.s_wide.val()) + self.s.val());
    }
}
drive_ports!(impl[] E31 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e28", || Box::new(E28::default())),
    ("e29", || Box::new(E29::default())),
    ("e30", || Box::new(E30::default())),
    ("e31", || Box::new(E31::default())),
];
