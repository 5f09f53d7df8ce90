// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E8Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E8Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = ((unsigned_cast(signed_cast(bit_cast::<9, 8>(self.p.val()))) ^ 0x7F) << 3);
    }
}
drive_ports!(impl[] E8Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E8Pair {
    low: Bits<64>,
    bit: Bit,
    high: Bits<3>,
}
#[derive(LogicBlock, Default)]
struct E8 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<3>>,
    b: Signal<In, Bits<3>>,
    c: Signal<In, Bits<4>>,
    d: Signal<In, Bits<4>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<40>>,
    l1: Signal<Local, Bits<5>>,
    y2: Signal<Out, Bit>,
    pair: Signal<Local, E8Pair>,
    y3: Signal<Out, Bits<32>>,
    child: E8Child,
    l4: Signal<Local, Signed<130>>,
    y5: Signal<Out, Bits<40>>,
    y6: Signal<Out, Signed<5>>,
    y7: Signal<Out, Bits<4>>,
}
impl Logic for E8 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = bit_cast::<31, 4>(self.d.val()).get_bits::<40>(self.c.val().index() * 2);
        for i in 0..5 {
            if self.k[(i * 2 + 1) % 4].val().any() {
                self.y0.next = self.y0.val() - 1;
            }
        }
        match (self.a.val() & self.a.val()).index() {
            0 => self.l1.next = bit_cast::<5, 3>(self.b.val() << 2),
            1 => self.l1.next = self.n.val() - self.n.val() + bit_cast::<5, 40>(self.y0.val()),
            2 => self.l1.next = (bit_cast::<1, 3>(self.a.val()) + self.f.val()).get_bits::<5>(0),
            3 => self.l1.next = unsigned_cast(signed_cast(self.m.val()) - signed_cast(self.n.val())),
            4 => self.l1.next = (!self.m.val()) >> 4,
            5 => self.l1.next = (bit_cast::<5, 12>(bit_cast::<12, 40>(self.y0.val())) | 31),
            6 => self.l1.next = (unsigned_cast(signed_cast(self.n.val()) - signed_cast(self.n.val()))),
            7 => self.l1.next = bits::<16>(0xFFFF).get_bits::<5>(bit_cast::<4, 8>(self.k[1].val()).index()),
            _ => self.l1.next = self.m.val() + self.n.val(),
        }
        self.y2.next = bit_cast::<130, 3>(self.a.val()).xor();
        if (0xFFF | bit_cast::<12, 3>(self.a.val())).any() {
            self.y2.next = bit_cast::<33, 8>(self.k[1].val()).get_bits::<2>(30) != 2 - self.n.val().get_bits::<2>(3);
        } else if self.g.val() || self.g.val() {
            self.y2.next = self.f.val() ^ self.f.val();
        } else {
            self.y2.next = (0x1 >= self.c.val().get_bits::<2>(1)) & (signed_cast(self.b.val().get_bits::<2>(1)) < signed_cast(self.y0.val().get_bits::<2>(20)));
        }
        self.pair.next.low = (bit_cast::<64, 5>(self.n.val()) ^ bit_cast::<64, 4>(self.c.val())) >> 41;
        self.pair.next.bit = bit_cast::<1, 40>(self.y0.val()).get_bit(0) ^ bit_cast::<31, 8>(self.k[1].val()).any();
        self.pair.next.high = (self.a.val() >> 3) - (self.a.val() & 0);
        if (0 < bit_cast::<16, 3>(self.a.val())) || !self.y2.val() {
            self.y3.next = ((bit_cast::<1, 3>(self.a.val()) >> 1).replace_bit(0, self.pair.val().bit & self.g.val()).get_bits::<32>(0)).replace_bit(9, self.d.val().index() != 0xF);
        } else {
            self.y3.next = (!(self.pair.val().low.get_bits::<32>(20) + 3 ^ 0x6144B21F)) - 3;
        }
        self.child.p.next = bits::<8>(197);
        self.child.q.next = signed_cast(self.l1.val());
        self.l4.next = (-signed_cast(bit_cast::<130, 3>(self.b.val())));
        if (3 <= !bit_cast::<12, 5>(self.m.val())) {
            self.l4.next = signed_cast(bit_cast::<130, 4>(self.d.val()));
        } else if (bit_cast::<130, 32>(self.y3.val()) != 2) {
            self.l4.next = signed_cast(bit_cast::<130, 3>(self.a.val()));
        }
        self.y5.next = self.y0.val() >> self.l1.val().get_bits::<2>(2);
        if signed_cast(bit_cast::<1, 8>(self.child.p.val())) + signed_bit_cast::<1, 16>(self.s_wide.val()) <= signed_cast(self.y3.val().get_bits::<1>(19)) + signed_bit_cast::<1, 8>(self.s.val()) {
            self.y5.next = !self.pair.val().low.get_bits::<40>(11);
        }
        self.y6.next = self.child.q.val();
        match bit_cast::<2, 4>(!self.c.val()).index() {
            0 => self.y7.next = ((self.c.val() << bit_cast::<2, 4>(self.d.val())) >> 3),
            1 => self.y7.next = unsigned_cast(signed_bit_cast::<4, 8>(self.s_other.val()) + signed_cast(self.c.val())),
            2 => self.y7.next = (self.pair.val().high.get_bits::<40>(0).get_bits::<4>(2)),
            3 => self.y7.next = self.c.val() >> unsigned_cast(signed_cast(bit_cast::<2, 3>(self.pair.val().high))),
            _ => self.y7.next = (unsigned_cast(signed_cast(self.c.val()))),
        }
    }
}
drive_ports!(impl[] E8 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E9Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E9Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<9, 8>(self.p.val()) >> self.p.val().get_bits::<2>(6) << 3 | !(bit_cast::<9, 5>(self.p.val().get_bits::<5>(1)) >> 5));
    }
}
drive_ports!(impl[] E9Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E9Pair {
    low: Bits<4>,
    bit: Bit,
    high: Bits<40>,
}
#[derive(LogicBlock, Default)]
struct E9 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<64>>,
    b: Signal<In, Bits<64>>,
    c: Signal<In, Bits<2>>,
    d: Signal<In, Bits<2>>,
    m: Signal<In, Bits<130>>,
    n: Signal<In, Bits<130>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<33>>,
    l1: Signal<Local, Signed<130>>,
    y2: Signal<Out, Signed<130>>,
    pair: Signal<Local, E9Pair>,
    y3: Signal<Out, Signed<3>>,
    child: E9Child,
    l4: Signal<Local, Bits<3>>,
    y5: Signal<Out, Bits<5>>,
    y6: Signal<Out, Bits<8>>,
    y7: Signal<Out, Bit>,
}
impl Logic for E9 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        match (self.k[0].val() ^ self.k[0].val()).index() {
            0 => self.y0.next = bits::<33>(0x1FFFFFFFF_u64),
            1 => self.y0.next = !bit_cast::<33, 1>(self.f.val().into()),
            2 => self.y0.next = bit_cast::<33, 32>(bit_cast::<32, 130>(self.m.val())) >> bit_cast::<8, 130>(self.n.val()) - 255,
            3 => self.y0.next = bit_cast::<33, 1>((self.s.val() >= self.s.val()).into()),
            4 => self.y0.next = unsigned_cast(self.s_wide.val()),
            5 => self.y0.next = bit_cast::<33, 2>(self.c.val()) & bit_cast::<16, 130>(self.n.val()).get_bits::<33>(14),
            6 => self.y0.next = bit_cast::<33, 1>((signed_cast(bit_cast::<12, 2>(self.c.val())) >= signed_cast(bit_cast::<12, 2>(self.c.val()))).into()),
            7 => self.y0.next = bit_cast::<33, 64>(self.b.val()) & bit_cast::<33, 2>(self.d.val()) ^ 748199600,
            _ => {}
        }
        self.l1.next = signed_cast(self.m.val()) + signed_bit_cast::<130, 33>(self.s_wide.val());
        if ((!bit_cast::<5, 2>(self.d.val())).any()) {
            self.y2.next = (self.l1.val() - signed_bit_cast::<130, 8>(self.s_other.val()) + (self.l1.val() + signed_bit_cast::<130, 33>(self.s_wide.val())));
        } else if self.f.val() || self.f.val() {
            self.y2.next = (signed_bit_cast::<130, 33>(self.s_wide.val()) - self.l1.val());
        } else {
            self.y2.next = -(signed_bit_cast::<130, 8>(self.s.val()) + self.l1.val());
        }
        self.pair.next.low = bit_cast::<40, 130>(self.n.val()).get_bits::<4>(19) >> 0;
        self.pair.next.bit = (-signed_cast(self.k[0].val())).get_bit(2);
        self.pair.next.high = bit_cast::<1, 130>(self.m.val()).get_bits::<40>(0) >> bit_cast::<12, 2>(self.d.val()) + self.b.val().get_bits::<12>(43);
        self.y3.next = -(signed_cast(self.k[0].val()) + (signed_bit_cast::<3, 8>(self.s_other.val()) + signed_cast(self.k[0].val())));
        if signed_cast(self.pair.val().high).get_bit(6 + bit_cast::<5, 4>(self.pair.val().low).index()) {
            self.child.p.next = bits::<8>(188);
        } else {
            self.child.p.next = bit_cast::<8, 40>(self.pair.val().high) ^ 255;
        }
        self.child.q.next = signed_cast(self.child.p.val().get_bits::<5>(1)) - signed_cast(self.child.p.val().get_bits::<5>(2));
        if bit_cast::<33, 3>(self.k[0].val()) < 0x1D0BA6B3C_u64 {
            self.child.q.next = signed_cast(bit_cast::<5, 2>(self.c.val())) - signed_cast(bit_cast::<5, 3>(self.k[0].val())) - (signed_cast(self.a.val().get_bits::<5>(16))) + signed_cast(self.m.val().get_bits::<5>(83));
        } else if self.d.val() > 0x2 {
            self.child.q.next = signed_bit_cast::<5, 8>(self.s.val()) + signed_cast(bit_cast::<5, 40>(self.pair.val().high));
        } else {
            self.child.q.next = signed_cast(self.pair.val().high.get_bits::<5>(6));
        }
        self.l4.next = self.k[0].val();
        self.y5.next = bit_cast::<5, 1>(self.g.val().into());
        if 2147483647 <= 593635459 | bit_cast::<31, 2>(self.c.val()) {
            self.y5.next = (bits::<5>(2)).replace_bit(self.d.val().index(), bit_cast::<64, 1>((!self.f.val()).into()).get_bit(6));
        } else if self.y0.val().get_bits::<32>(1).all() {
            self.y5.next = bit_cast::<5, 64>(self.b.val()) - bit_cast::<5, 130>(self.m.val());
        } else {
            self.y5.next = (bit_cast::<12, 1>(self.b.val().any().into()) & bit_cast::<12, 1>((self.pair.val().bit && self.g.val()).into())).get_bits::<5>(self.k[0].val().index());
        }
        match bit_cast::<2, 31>(bit_cast::<31, 4>(self.pair.val().low).replace_bit(self.pair.val().low.index(), self.g.val())).index() {
            0 => self.y6.next = unsigned_cast(self.s.val()) & self.child.p.val() >> 3,
            1 => self.y6.next = (self.child.p.val().get_bits::<8>(7)) + (self.child.p.val().replace_bit(3, self.g.val())),
            2 => self.y6.next = self.child.p.val() + 0xFF << (self.a.val().get_bits::<1>(12) ^ self.l4.val().get_bits::<1>(0)),
            3 => self.y6.next = (self.child.p.val() - 0),
            _ => self.y6.next = 0 ^ self.child.p.val(),
        }
        self.y7.next = bit_cast::<32, 4>(self.pair.val().low).get_bits::<8>(19).all();
    }
}
drive_ports!(impl[] E9 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E10Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E10Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = (bit_cast::<1, 8>(self.p.val()) + true).get_bits::<9>(0) & 0x6E;
    }
}
drive_ports!(impl[] E10Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E10Pair {
    low: Bits<31>,
    bit: Bit,
    high: Bits<130>,
}
#[derive(LogicBlock, Default)]
struct E10 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    c: Signal<In, Bits<12>>,
    d: Signal<In, Bits<12>>,
    m: Signal<In, Bits<33>>,
    n: Signal<In, Bits<33>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Signed<4>>,
    l1: Signal<Local, Bit>,
    y2: Signal<Out, Bits<31>>,
    pair: Signal<Local, E10Pair>,
    y3: Signal<Out, Bits<33>>,
    child: E10Child,
    l4: Signal<Local, Bits<12>>,
    y5: Signal<Out, Bits<2>>,
    y6: Signal<Out, Bits<32>>,
    y7: Signal<Out, Signed<64>>,
}
impl Logic for E10 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = signed_cast(self.k[2].val().get_bits::<4>(4)) - (self.s_other.val() + self.s.val());
        if bit_cast::<40, 16>(self.b.val()) >> 36 == !bit_cast::<40, 16>(self.a.val()) {
            self.l1.next = signed_cast(bit_cast::<3, 16>(self.b.val())) - signed_bit_cast::<3, 4>(self.s.val()) != -signed_cast(bit_cast::<3, 33>(self.m.val())) - (signed_cast(bit_cast::<3, 16>(self.b.val())) + signed_cast(bit_cast::<3, 16>(self.b.val())));
        } else {
            self.l1.next = (!!self.k[2].val()).any();
        }
        self.y2.next = bit_cast::<31, 4>((self.k[2].val().get_bits::<4>(self.d.val().get_bits::<3>(3).index()))) & 1;
        for i in 0..1 {
            if (bit_cast::<130, 8>(self.k[2].val()) ^ bit_cast::<130, 33>(self.m.val())).get_bit(i + 2) {
                self.y2.next = self.y2.val() ^ 1;
            }
        }
        self.pair.next.low = bits::<31>(1942633153);
        self.pair.next.bit = bit_cast::<3, 8>(self.k[2].val() + self.k[2].val()).index() >= 0;
        self.pair.next.high = (bit_cast::<130, 1>(self.k[2].val().get_bits::<1>(3) ^ bit_cast::<1, 16>(self.b.val())));
        match (bit_cast::<1, 12>(self.c.val()) ^ self.c.val().get_bits::<1>(8)).index() {
            1 => self.y3.next = bit_cast::<33, 12>(self.c.val() + 2869),
            1 => self.y3.next = bits::<33>(0x1869AF843_u64),
            _ => self.y3.next = (!self.n.val()),
        }
        self.child.p.next = (self.pair.val().low.get_bits::<1>(15) & self.k[2].val().get_bits::<1>(1)).get_bits::<8>(0);
        match (self.y3.val().get_bits::<3>(22) ^ bit_cast::<3, 31>(self.pair.val().low)).index() {
            0 => self.child.q.next = signed_bit_cast::<5, 16>(self.s_wide.val()) + signed_cast(bit_cast::<5, 12>(self.c.val())),
            1 => self.child.q.next = signed_cast(bit_cast::<5, 16>(self.b.val())),
            2 => self.child.q.next = -signed_cast(self.pair.val().low.get_bits::<5>(25)),
            3 => self.child.q.next = signed_cast(bit_cast::<64, 12>(self.c.val()).get_bits::<5>(self.y2.val().get_bits::<6>(3).index())),
            4 => self.child.q.next = signed_bit_cast::<5, 16>(self.s_wide.val()) - signed_cast(bit_cast::<5, 8>(self.child.p.val())),
            5 => self.child.q.next = signed_cast(self.b.val().get_bits::<5>(7)) - (signed_cast(bit_cast::<5, 33>(self.y3.val())) - signed_cast(bit_cast::<5, 31>(self.pair.val().low))),
            6 => self.child.q.next = (signed_bit_cast::<5, 4>(self.s.val()) - signed_cast(self.y3.val().get_bits::<5>(23))) + signed_cast(self.b.val().get_bits::<5>(10)),
            7 => self.child.q.next = signed_bit_cast::<5, 4>(self.s_other.val()) - signed_cast(bit_cast::<5, 12>(self.c.val())) + signed_cast(bit_cast::<5, 8>(self.k[2].val())),
            _ => {}
        }
        self.l4.next = bit_cast::<12, 8>(!bits::<8>(0x1));
        match bit_cast::<2, 31>(self.pair.val().low).index() {
            0 => self.y5.next = (0x2 | bit_cast::<2, 8>(self.k[2].val())) - (self.y3.val().get_bits::<2>(9) + self.pair.val().low.get_bits::<2>(18)),
            1 => self.y5.next = 0x0 | bit_cast::<2, 33>(self.n.val()),
            2 => self.y5.next = bit_cast::<2, 1>(bit_cast::<3, 16>(self.a.val()).xor().into()),
            3 => self.y5.next = !bit_cast::<2, 1>(self.l1.val().into()),
            _ => {}
        }
        self.y6.next = !bit_cast::<32, 33>(self.y3.val()) + unsigned_cast(signed_cast(bit_cast::<32, 12>(self.d.val())));
        for i in 0..3 {
            if self.k[(i + 1) % 4].val().any() {
                self.y6.next = self.y6.val() - 1;
            }
        }
        self.y7.next = signed_cast(bit_cast::<64, 33>(self.n.val())) - (signed_cast(bit_cast::<64, 16>(self.a.val())) + signed_cast(bit_cast::<64, 16>(self.b.val())));
    }
}
drive_ports!(impl[] E10 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E11Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E11Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 8>(self.p.val());
    }
}
drive_ports!(impl[] E11Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E11Pair {
    low: Bits<4>,
    bit: Bit,
    high: Bits<32>,
}
#[derive(LogicBlock, Default)]
struct E11 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<12>>,
    b: Signal<In, Bits<12>>,
    c: Signal<In, Bits<16>>,
    d: Signal<In, Bits<16>>,
    m: Signal<In, Bits<33>>,
    n: Signal<In, Bits<33>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Signed<2>>,
    l1: Signal<Local, Bits<64>>,
    y2: Signal<Out, Bits<1>>,
    pair: Signal<Local, E11Pair>,
    y3: Signal<Out, Bits<2>>,
    child: E11Child,
    l4: Signal<Local, Bits<130>>,
    y5: Signal<Out, Bits<8>>,
    y6: Signal<Out, Bits<33>>,
    y7: Signal<Out, Bits<130>>,
}
impl Logic for E11 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = signed_cast(self.m.val().get_bits::<2>(15)) - (signed_cast(self.d.val().get_bits::<2>(10)));
        self.l1.next = bit_cast::<64, 1>((bit_cast::<2, 12>(self.a.val()).all() && bit_cast::<130, 12>(self.a.val()).xor()).into());
        for i in 0..2 {
            if (bit_cast::<64, 33>(self.m.val()) & bit_cast::<64, 16>(self.d.val())).get_bit(i + 1) {
                self.l1.next = self.l1.val() + 1;
            }
        }
        match (self.k[3].val().get_bits::<1>(0) & self.l1.val().get_bits::<1>(24)).index() {
            0 => self.y2.next = (self.l1.val().get_bits::<1>(50) >> self.d.val().get_bits::<5>(11)).replace_bit(0, signed_cast(bit_cast::<1, 12>(self.a.val())) <= signed_cast(bit_cast::<1, 3>(self.k[3].val()))),
            _ => self.y2.next = bit_cast::<1, 130>(bit_cast::<130, 16>(self.d.val())),
        }
        self.pair.next.low = !self.c.val().get_bits::<4>(8) & bit_cast::<4, 130>(bit_cast::<130, 64>(self.l1.val()));
        self.pair.next.bit = !self.g.val() & self.d.val().get_bits::<8>(4).xor();
        self.pair.next.high = self.c.val().get_bits::<4>(0).get_bits::<32>(3) + 0;
        if self.pair.val().bit {
            self.y3.next = (bit_cast::<2, 33>(self.m.val()) >> 1 << 1).replace_bit(1, self.k[3].val().get_bits::<33>(0).xor());
        } else if (self.pair.val().bit) {
            self.y3.next = self.m.val().get_bits::<2>(bit_cast::<5, 4>(self.pair.val().low & self.pair.val().low).index() + 1);
        } else {
            self.y3.next = (self.n.val().get_bits::<2>(29));
        }
        self.child.p.next = 88 | bit_cast::<8, 16>(self.d.val());
        self.child.q.next = signed_cast(bit_cast::<5, 8>(self.child.p.val())) + signed_cast(bit_cast::<5, 12>(self.b.val()));
        if !self.f.val() | self.g.val() ^ self.f.val() {
            self.child.q.next = signed_cast(self.b.val().get_bits::<5>(3)) + signed_bit_cast::<5, 33>(self.s_wide.val());
        } else {
            self.child.q.next = signed_cast(self.c.val().get_bits::<5>(5));
        }
        match (self.y3.val() | self.y3.val()).index() {
            0 => self.l4.next = (unsigned_cast(signed_cast(bit_cast::<130, 32>(self.pair.val().high))).replace_bit(65, (self.pair.val().low.xor()))),
            1 => self.l4.next = unsigned_cast(signed_cast(bit_cast::<130, 33>(self.n.val()))) ^ 4116822706674195111_u64 & bit_cast::<130, 4>(self.pair.val().low),
            2 => self.l4.next = self.d.val().replace_bit(1, self.f.val()).get_bits::<130>(self.pair.val().low.index()),
            3 => self.l4.next = bit_cast::<130, 12>(self.a.val()) + 0xFFF4F9C48CBB7729_u64 + 18446744073709551615_u64,
            _ => {}
        }
        match bit_cast::<2, 40>(bit_cast::<40, 12>(self.a.val()) + bit_cast::<40, 4>(self.pair.val().low)).index() {
            0 => self.y5.next = (self.child.p.val() << bits::<1>(1)),
            1 => self.y5.next = (self.child.p.val() - self.child.p.val()) - bit_cast::<8, 16>(self.c.val()),
            2 => self.y5.next = (self.child.p.val()) << self.a.val() + self.b.val(),
            3 => self.y5.next = (unsigned_cast(signed_cast(self.child.p.val()) + signed_cast(self.child.p.val()))),
            _ => {}
        }
        self.y6.next = unsigned_cast(signed_bit_cast::<33, 4>(self.s_other.val()) - self.s_wide.val());
        for i in 0..3 {
            self.y6.next = self.y6.val().replace_bit(i, self.g.val() ^ self.pair.val().bit);
        }
        self.y7.next = bit_cast::<130, 1>(self.f.val().into());
        if self.pair.val().low.xor() && self.l4.val().get_bits::<5>(68).xor() {
            self.y7.next = (!(self.y3.val() ^ 3)).get_bits::<130>(self.y2.val().index()) + (bit_cast::<16, 1>(self.y2.val()) ^ self.c.val()).any();
        }
    }
}
drive_ports!(impl[] E11 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e8", || Box::new(E8::default())),
    ("e9", || Box::new(E9::default())),
    ("e10", || Box::new(E10::default())),
    ("e11", || Box::new(E11::default())),
];
