// Written by `random::file` from seed 1; see `random/mod.rs` for how.

use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
struct E32Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E32Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = !(bit_cast::<9, 40>(bit_cast::<40, 5>(self.p.val().get_bits::<5>(1))) & 301);
    }
}
drive_ports!(impl[] E32Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E32Pair {
    low: Bits<16>,
    bit: Bit,
    high: Bits<12>,
}
#[derive(LogicBlock, Default)]
struct E32 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<32>>,
    b: Signal<In, Bits<32>>,
    c: Signal<In, Bits<130>>,
    d: Signal<In, Bits<130>>,
    m: Signal<In, Bits<2>>,
    n: Signal<In, Bits<2>>,
    s: Signal<In, Signed<8>>,
    s_other: Signal<In, Signed<8>>,
    s_wide: Signal<In, Signed<16>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<130>>,
    l1: Signal<Local, Bits<32>>,
    y2: Signal<Out, Bits<16>>,
    pair: Signal<Local, E32Pair>,
    y3: Signal<Out, Bit>,
    child: E32Child,
    l4: Signal<Local, Bit>,
    y5: Signal<Out, Bits<64>>,
    y6: Signal<Out, Bits<31>>,
    y7: Signal<Out, Bit>,
}
impl Logic for E32 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        match bit_cast::<3, 2>(self.m.val()).index() {
            0 => self.y0.next = (bits::<130>(15813589258340789963_u64)),
            1 => self.y0.next = unsigned_cast(signed_cast(self.d.val())) | (bit_cast::<130, 3>(self.d.val().get_bits::<3>(46))),
            2 => self.y0.next = (bit_cast::<12, 2>(self.n.val()) ^ self.b.val().get_bits::<12>(15)).get_bits::<130>(7),
            3 => self.y0.next = (2566435709472544637_u64 + (self.d.val() - self.c.val())),
            4 => self.y0.next = self.d.val(),
            5 => self.y0.next = bits::<3>(3).get_bits::<130>(bit_cast::<1, 8>(self.k[3].val()).index()),
            6 => self.y0.next = ((964204500 & bit_cast::<31, 32>(self.b.val())).get_bits::<130>(4)),
            7 => self.y0.next = bit_cast::<130, 32>(self.a.val().replace_bit(self.c.val().get_bits::<5>(114).index(), self.f.val())),
            _ => {}
        }
        self.l1.next = self.a.val() + 1609304033;
        if (!self.f.val() & (0xF8171B99E6501CFF_u64 <= bit_cast::<64, 32>(self.a.val()))) {
            self.l1.next = bit_cast::<16, 130>(self.d.val()).get_bits::<32>(bit_cast::<4, 130>(self.y0.val()).index()).replace_bit(14, self.y0.val().any()) ^ (self.y0.val().get_bits::<16>(55) * self.y0.val().get_bits::<16>(71) >> bits::<3>(0x1)).replace_bit(24, self.a.val().get_bits::<4>(19) < 1);
        } else {
            self.l1.next = bit_cast::<32, 1>((bits::<33>(8589934591_u64).xor() & ((0x1FFFFFFFF_u64 == self.d.val().get_bits::<33>(51)) | bit_cast::<16, 130>(self.d.val()).any())).into());
        }
        match bit_cast::<2, 4>(bit_cast::<4, 32>(self.a.val())).index() {
            0 => self.y2.next = self.n.val().get_bits::<16>(bit_cast::<1, 4>(bits::<4>(0xC)).index()) + (self.y0.val().get_bits::<16>(1) & self.d.val().get_bits::<16>(4)),
            1 => self.y2.next = (bit_cast::<16, 2>(self.n.val()) + 65535),
            2 => self.y2.next = bit_cast::<16, 8>(self.k[3].val()).replace_bit(self.l1.val().get_bits::<4>(2).index(), self.g.val()) >> 6,
            3 => self.y2.next = bits::<16>(2) ^ 65535,
            _ => self.y2.next = self.b.val().get_bits::<16>(13) >> 3,
        }
        self.pair.next.low = (self.y2.val() & 0x3217) - (self.y2.val() ^ 1394);
        self.pair.next.bit = (self.a.val() - self.a.val()) < self.l1.val() ^ self.a.val();
        self.pair.next.high = (0x1 | self.b.val().get_bits::<12>(2)).replace_bit(7, bit_cast::<4, 130>(self.y0.val()).index() != 11);
        if !self.d.val() >= self.y0.val().replace_bit(33, self.g.val()) {
            self.y3.next = ((1427543749 | bit_cast::<33, 16>(self.y2.val())).get_bits::<32>(bit_cast::<5, 130>(self.c.val()).index()) + (bit_cast::<32, 1>(self.f.val().into()).replace_bit(16, self.pair.val().bit ^ self.g.val()))).any();
        } else {
            self.y3.next = !((unsigned_cast(signed_cast(bit_cast::<31, 12>(self.pair.val().high))) <= 0x7FFFFFFF) | bit_cast::<31, 16>(self.pair.val().low).all() & self.k[3].val().get_bits::<3>(5).any());
        }
        self.child.p.next = self.k[3].val();
        self.child.q.next = signed_cast(bit_cast::<5, 2>(self.n.val())) - signed_cast(self.c.val().get_bits::<5>(59));
        if bit_cast::<2, 1>(self.pair.val().bit.into()) != 0x3 {
            self.child.q.next = -(-signed_cast(self.l1.val().get_bits::<5>(19)));
        } else if bit_cast::<3, 2>(self.n.val()).index() == 6 {
            self.child.q.next = signed_cast(bit_cast::<5, 130>(self.c.val()));
        } else {
            self.child.q.next = signed_bit_cast::<5, 16>(self.s_wide.val()) - signed_cast(bit_cast::<5, 16>(self.y2.val())) - signed_cast(self.pair.val().high.get_bits::<5>(1));
        }
        match self.m.val().index() {
            2 => self.l4.next = bit_cast::<4, 16>(self.y2.val()).index() != 15,
            3 => self.l4.next = self.l1.val().get_bits::<1>(12).replace_bit(0, self.g.val()).all(),
            2 => self.l4.next = (1853343709 + self.a.val()).all(),
            2 => self.l4.next = self.child.p.val() | 0x0 != 255,
            _ => self.l4.next = self.y2.val().any(),
        }
        if !(self.child.p.val() >= 0x3) {
            self.y5.next = bit_cast::<64, 33>(self.y0.val().get_bits::<64>(63).get_bits::<33>(self.y0.val().get_bits::<6>(0).index()) + 289909935);
        } else {
            self.y5.next = (bit_cast::<16, 1>(self.pair.val().bit.into()) - bit_cast::<16, 40>(bit_cast::<40, 16>(self.y2.val()))).get_bits::<64>(9);
        }
        self.y6.next = (bit_cast::<31, 16>(self.pair.val().low) << 10 >> self.k[3].val().get_bits::<1>(1).get_bits::<12>(0));
        for i in 0..6 {
            if self.n.val().index() < i + 1 {
                self.y6.next = bits::<31>(0x4C5F27F5);
            }
        }
        match bit_cast::<1, 4>(bit_cast::<4, 2>(self.m.val()) + bit_cast::<4, 130>(self.d.val())).index() {
            0 => self.y7.next = bits::<4>(10).xor(),
            0 => self.y7.next = (self.child.p.val() ^ self.child.p.val() >= 3),
            _ => self.y7.next = (!self.y3.val()),
        }
    }
}
drive_ports!(impl[] E32 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E33Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E33Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 12>(bit_cast::<12, 8>(self.p.val()) ^ bit_cast::<12, 8>(self.p.val()) ^ 0xFFF);
    }
}
drive_ports!(impl[] E33Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E33Pair {
    low: Bits<4>,
    bit: Bit,
    high: Bits<5>,
}
#[derive(LogicBlock, Default)]
struct E33 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<32>>,
    b: Signal<In, Bits<32>>,
    c: Signal<In, Bits<31>>,
    d: Signal<In, Bits<31>>,
    m: Signal<In, Bits<5>>,
    n: Signal<In, Bits<5>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<33>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Signed<12>>,
    l1: Signal<Local, Bits<31>>,
    y2: Signal<Out, Bits<130>>,
    pair: Signal<Local, E33Pair>,
    y3: Signal<Out, Bit>,
    child: E33Child,
    l4: Signal<Local, Bits<1>>,
    y5: Signal<Out, Bits<12>>,
    y6: Signal<Out, Bits<40>>,
    y7: Signal<Out, Bits<4>>,
}
impl Logic for E33 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        if (signed_cast(bit_cast::<64, 33>(self.k[3].val())) >= signed_cast(bit_cast::<64, 32>(self.a.val()))) & (bit_cast::<4, 32>(self.b.val()).xor()) {
            self.y0.next = self.s_other.val() + signed_bit_cast::<12, 33>(self.s_wide.val()) - self.s.val();
        } else {
            self.y0.next = (self.s_other.val() + signed_bit_cast::<12, 33>(self.s_wide.val()));
        }
        self.l1.next = bits::<31>(1825362691);
        if (self.g.val() || self.f.val()) && 65535 <= bit_cast::<16, 5>(self.m.val()) {
            self.l1.next = (bits::<31>(0x1));
        }
        if 0x8 == !self.n.val() {
            self.y2.next = bits::<130>(18446744073709551615_u64) >> 104;
        } else if bit_cast::<64, 32>(self.a.val()) != 18446744073709551615_u64 {
            self.y2.next = self.l1.val().get_bits::<4>(11).get_bits::<130>(bit_cast::<2, 4>(0xF + self.c.val().get_bits::<4>(2)).index());
        } else {
            self.y2.next = unsigned_cast(signed_cast(bit_cast::<130, 31>(self.c.val()))) >> 11 | 18446744073709551615_u64 | (self.k[3].val() >> bit_cast::<3, 32>(self.a.val())).get_bits::<130>(self.m.val().index()) + (bit_cast::<130, 5>(self.n.val()) + bit_cast::<130, 5>(self.n.val()) - 0xFFFFFFFFFFFFFFFF_u64);
        }
        self.pair.next.low = bit_cast::<4, 33>(self.k[3].val() + self.k[3].val());
        self.pair.next.bit = 221 == bit_cast::<8, 1>(self.g.val().into());
        self.pair.next.high = bit_cast::<5, 1>((self.c.val().get_bits::<2>(21) > 2).into());
        self.y3.next = self.d.val().get_bits::<8>(5).xor() || signed_cast(self.y2.val()) == signed_cast(self.y2.val());
        self.child.p.next = self.k[3].val().get_bits::<8>(17);
        if (self.a.val() + self.pair.val().bit).any() {
            self.child.p.next = !bit_cast::<8, 31>(self.d.val()) << 2;
        } else {
            self.child.p.next = bits::<8>(32);
        }
        if bit_cast::<64, 8>(self.child.p.val()).replace_bit(self.y2.val().get_bits::<6>(82).index(), self.f.val()).any() {
            self.child.q.next = -(signed_bit_cast::<5, 33>(self.s_wide.val()) - signed_cast(self.pair.val().high)) - -signed_cast(self.pair.val().high);
        } else if bit_cast::<12, 4>(self.pair.val().low) >= 4095 {
            self.child.q.next = signed_cast(self.pair.val().high);
        } else {
            self.child.q.next = -(signed_cast(self.pair.val().high) - signed_cast(self.n.val())) + (signed_bit_cast::<5, 12>(self.s.val()) - signed_cast(self.m.val()) + (signed_cast(self.pair.val().high) - signed_cast(self.pair.val().high)));
        }
        match bit_cast::<2, 130>(0 + self.y2.val()).index() {
            1 => self.l4.next = (bit_cast::<1, 5>(self.pair.val().high) | self.child.p.val().get_bits::<1>(7)) - unsigned_cast(signed_cast(self.d.val().get_bits::<1>(14))),
            1 => self.l4.next = ((bit_cast::<1, 8>(self.child.p.val()) << 2) & self.pair.val().high.get_bits::<1>(4) << 3),
            3 => self.l4.next = !(1 + bit_cast::<1, 130>(self.y2.val())),
            _ => self.l4.next = (self.d.val().get_bits::<1>(18) ^ self.d.val().get_bits::<1>(10)),
        }
        self.y5.next = (bit_cast::<12, 8>(self.child.p.val()) << self.pair.val().high) - (bit_cast::<12, 31>(self.d.val()) + 406);
        for i in 0..3 {
            if bit_cast::<2, 31>(bit_cast::<31, 1>(self.f.val().into())).index() == i + 1 {
                self.y5.next = self.child.p.val().get_bits::<12>(4);
            }
        }
        self.y6.next = bit_cast::<40, 8>(self.child.p.val()) + self.f.val();
        if (self.g.val() | self.f.val()) ^ (signed_cast(self.a.val().get_bits::<3>(21)) >= signed_cast(self.d.val().get_bits::<3>(10))) {
            self.y6.next = bits::<40>(0x3);
        } else {
            self.y6.next = bit_cast::<40, 31>(self.l4.val().get_bits::<31>(0));
        }
        self.y7.next = self.pair.val().low.replace_bit(2, self.f.val());
        if ((self.pair.val().high.get_bits::<2>(2) != self.c.val().get_bits::<2>(26)) & self.pair.val().bit) {
            self.y7.next = (!self.child.p.val().get_bits::<130>((bit_cast::<3, 31>(self.l1.val()) | self.c.val().get_bits::<3>(16)).index())).get_bits::<4>(58);
        }
    }
}
drive_ports!(impl[] E33 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E34Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E34Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<9, 32>(bit_cast::<32, 5>(self.p.val().get_bits::<5>(1))) - !bit_cast::<9, 5>(self.p.val().get_bits::<5>(1)) << 10;
    }
}
drive_ports!(impl[] E34Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E34Pair {
    low: Bits<31>,
    bit: Bit,
    high: Bits<130>,
}
#[derive(LogicBlock, Default)]
struct E34 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<64>>,
    b: Signal<In, Bits<64>>,
    c: Signal<In, Bits<32>>,
    d: Signal<In, Bits<32>>,
    m: Signal<In, Bits<12>>,
    n: Signal<In, Bits<12>>,
    s: Signal<In, Signed<12>>,
    s_other: Signal<In, Signed<12>>,
    s_wide: Signal<In, Signed<33>>,
    k: [Signal<In, Bits<3>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<5>>,
    l1: Signal<Local, Bits<4>>,
    y2: Signal<Out, Bits<32>>,
    pair: Signal<Local, E34Pair>,
    y3: Signal<Out, Bits<130>>,
    child: E34Child,
    l4: Signal<Local, Bit>,
    y5: Signal<Out, Bits<16>>,
    y6: Signal<Out, Bits<33>>,
    y7: Signal<Out, Bits<31>>,
}
impl Logic for E34 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = ((((self.a.val() ^ 11810654903314570143_u64) << bit_cast::<1, 3>(self.k[1].val()) + self.g.val()) - bit_cast::<64, 1>(self.n.val().get_bit(0).into())).get_bits::<5>(bit_cast::<6, 1>(bit_cast::<1, 32>(self.c.val()) & self.c.val().get_bits::<1>(15)).index()));
        self.l1.next = (bits::<32>(0xBDBB9844_u64) << !self.n.val()).get_bits::<4>(self.y0.val().index());
        for i in 0..1 {
            self.l1.next = self.l1.val().replace_bit(i, self.f.val() ^ self.f.val());
        }
        self.y2.next = bit_cast::<32, 1>(self.g.val().into());
        self.pair.next.low = (bit_cast::<31, 4>((self.l1.val() << self.n.val())));
        self.pair.next.bit = self.m.val().any() & (self.g.val() && self.f.val());
        self.pair.next.high = (self.y0.val().get_bits::<130>(3) >> 38);
        self.y3.next = self.pair.val().high.get_bits::<130>(60);
        if self.l1.val().xor() || !self.f.val() {
            self.y3.next = (!self.pair.val().high.get_bits::<2>(53) - 1).get_bits::<130>(self.a.val().get_bits::<1>(55).index()) + self.y2.val().get_bits::<2>(12).get_bits::<32>(0).get_bits::<31>(10).get_bits::<130>(7);
        } else {
            self.y3.next = ((bit_cast::<16, 1>((!self.g.val()).into())) & 2).get_bits::<130>((self.l1.val() & self.l1.val()).index());
        }
        if bits::<12>(3421) > 1 {
            self.child.p.next = (bit_cast::<8, 64>(self.a.val()) - self.y3.val().get_bits::<8>(45) ^ self.b.val().get_bits::<8>(5) - self.d.val().get_bits::<8>(10));
        } else if !self.g.val() {
            self.child.p.next = (self.pair.val().low.get_bits::<8>(30));
        } else {
            self.child.p.next = bit_cast::<8, 12>(self.m.val()) + 31 + !bit_cast::<8, 130>(self.y3.val());
        }
        if (self.s_wide.val() + self.s_wide.val()) >= self.s_wide.val() {
            self.child.q.next = -signed_cast(self.y0.val());
        } else if self.g.val() ^ self.pair.val().bit {
            self.child.q.next = signed_cast(self.y0.val());
        } else {
            self.child.q.next = signed_cast(self.y0.val());
        }
        self.l4.next = (bit_cast::<16, 9>(self.child.r.val()).any());
        if !(self.b.val() != self.b.val()) {
            self.l4.next = ((self.child.p.val() - self.child.p.val() >= self.child.p.val() ^ self.child.p.val() && bit_cast::<8, 1>(self.f.val().into()) > 0x1) ^ bit_cast::<1, 5>(bits::<5>(0)).any());
        }
        if !self.y3.val().all() {
            self.y5.next = (self.b.val().get_bits::<16>(43)) & 0x1ADE;
        } else {
            self.y5.next = bit_cast::<16, 5>(self.y0.val());
        }
        self.y6.next = !unsigned_cast((signed_bit_cast::<33, 12>(self.s.val()) - self.s_wide.val()));
        self.y7.next = (bit_cast::<1, 64>(self.b.val()).get_bits::<32>(0) << (self.k[1].val() << 3)).get_bits::<31>(bit_cast::<5, 3>(self.k[1].val() << 4).index()).replace_bit(self.l1.val().index(), bit_cast::<3, 33>(bits::<33>(0x18CDD400E_u64)) != 4);
        for i in 0..1 {
            if bit_cast::<2, 32>(bits::<32>(3418183619_u64)).index() == i + 1 {
                self.y7.next = self.y5.val().get_bits::<31>(3);
            }
        }
    }
}
drive_ports!(impl[] E34 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

#[derive(LogicBlock, Default)]
struct E35Child {
    p: Signal<In, Bits<8>>,
    q: Signal<In, Signed<5>>,
    r: Signal<Out, Bits<9>>,
}
impl Logic for E35Child {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = bit_cast::<1, 3>(self.p.val().get_bits::<3>(3)).get_bits::<9>(0) ^ bit_cast::<9, 1>(true.into()) + (bit_cast::<9, 5>(self.p.val().get_bits::<5>(1)) << 3);
    }
}
drive_ports!(impl[] E35Child { p, q, r });

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct E35Pair {
    low: Bits<3>,
    bit: Bit,
    high: Bits<2>,
}
#[derive(LogicBlock, Default)]
struct E35 {
    f: Signal<In, Bit>,
    g: Signal<In, Bit>,
    a: Signal<In, Bits<64>>,
    b: Signal<In, Bits<64>>,
    c: Signal<In, Bits<16>>,
    d: Signal<In, Bits<16>>,
    m: Signal<In, Bits<3>>,
    n: Signal<In, Bits<3>>,
    s: Signal<In, Signed<4>>,
    s_other: Signal<In, Signed<4>>,
    s_wide: Signal<In, Signed<31>>,
    k: [Signal<In, Bits<8>>; 4],
    early: Signal<Out, Bits<8>>,
    y0: Signal<Out, Bits<40>>,
    l1: Signal<Local, Bits<32>>,
    y2: Signal<Out, Signed<16>>,
    pair: Signal<Local, E35Pair>,
    y3: Signal<Out, Bits<1>>,
    child: E35Child,
    l4: Signal<Local, Signed<5>>,
    y5: Signal<Out, Bits<1>>,
    y6: Signal<Out, Bits<40>>,
    y7: Signal<Out, Bits<40>>,
}
impl Logic for E35 {
    #[hdl_gen]
    fn update(&mut self) {
        self.early.next = self.child.p.val();
        self.y0.next = (bit_cast::<40, 16>(self.d.val()) - 114670240111_u64);
        if 0x3 | self.b.val().get_bits::<31>(25) <= bit_cast::<2, 64>(self.a.val()).get_bits::<31>(bit_cast::<1, 33>(bit_cast::<33, 16>(self.c.val()) << 17).index()) {
            self.y0.next = bit_cast::<40, 64>(self.a.val());
        } else {
            self.y0.next = bit_cast::<5, 16>(self.c.val()).get_bits::<8>(0).get_bits::<40>(self.m.val().index());
        }
        self.l1.next = bit_cast::<32, 16>(self.d.val()) - self.y0.val().get_bits::<32>(6) - (bit_cast::<32, 64>(self.a.val()) & bit_cast::<32, 16>(self.c.val()));
        self.y2.next = signed_cast(self.c.val()) - signed_cast(self.d.val()) + (signed_cast(self.c.val()) + signed_cast(self.d.val()));
        self.pair.next.low = self.n.val();
        self.pair.next.bit = (signed_cast(bit_cast::<1, 16>(self.d.val())) + signed_cast(bit_cast::<1, 40>(self.y0.val()))).get_bit(0);
        self.pair.next.high = self.l1.val().get_bits::<2>(13) << (self.y0.val().get_bits::<12>(27) | 3);
        self.y3.next = ((!self.l1.val().get_bits::<1>(31)).replace_bit(0, (self.g.val() && self.f.val())).replace_bit(0, (self.b.val() << self.k[0].val()).any()));
        self.child.p.next = (unsigned_cast(signed_cast(self.k[0].val()))).replace_bit((self.m.val() | self.n.val()).index(), bit_cast::<130, 16>(self.d.val()).any());
        if bit_cast::<5, 12>(self.y3.val().get_bits::<12>(0)).index() < 0x0 {
            self.child.q.next = signed_cast(0x11 + bit_cast::<5, 1>(self.y3.val()));
        } else {
            self.child.q.next = signed_cast((bit_cast::<5, 3>(self.n.val()) + self.f.val()));
        }
        self.l4.next = self.child.q.val();
        if bit_cast::<12, 32>(self.l1.val()).replace_bit(0, self.g.val()) == 2481 {
            self.l4.next = self.child.q.val();
        }
        self.y5.next = (self.y3.val() | self.y3.val()) + (self.y3.val() >> 3);
        self.y6.next = unsigned_cast(signed_cast(self.y0.val()));
        if self.b.val().get_bits::<1>(2).all() {
            self.y6.next = (bits::<40>(0xFFFFFFFFFF_u64) >> 36) + (!(self.y0.val() << self.y5.val()) - 567004918483_u64);
        } else if self.g.val() || self.g.val() {
            self.y6.next = self.y0.val() | 3;
        }
        self.y7.next = (self.y6.val() >> bit_cast::<12, 3>(self.n.val()) ^ 3).replace_bit(2, !self.l1.val() < 0xA870A7EC_u64).replace_bit(17, (self.y0.val() | unsigned_cast(signed_cast(self.y6.val()))).any());
        for i in 0..4 {
            self.y7.next = self.y7.val().replace_bit(i, signed_cast(self.k[0].val()) != signed_cast(self.child.p.val()));
        }
    }
}
drive_ports!(impl[] E35 { f, g, a, b, c, d, m, n, s, s_other, s_wide, k, early, y0, y2, y3, y5, y6, y7 });

pub const BLOCKS: &[super::super::Block] = &[
    ("e32", || Box::new(E32::default())),
    ("e33", || Box::new(E33::default())),
    ("e34", || Box::new(E34::default())),
    ("e35", || Box::new(E35::default())),
];
