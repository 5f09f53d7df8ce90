// Written from seed 1; see `random/mod.rs`.

use flitforge_base::prelude::*;

#[block]
pub struct R0 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R0 {
    fn update(&mut self) {
        let v1 = r33[0..33];
        let v2 = if Self::odd((a13 & b13)) { ((b4 + 13) - (b4 + 9)) } else if (r1 ^ b1) { ((b4 | r4) + 9) } else { (b4 & b4).with(2, b33.any()) };
        let v3 = ((a8.with(2, b1) + 8) << k);
        let v4 = if (a4 & v2).any() { ((!b4) + 9) } else if (a8 > r8) { a33[4..8] } else { a4 };
        let v5 = match k { 0 => (r33.with(16, r1) - (a33 - v1)), 1 | 2 => ((a33 + a33) ^ (a33 & v1)), _ => (b33 << 20).with(17, b13[5]) };
        let v6 = ((!r33[3..16]) >> k);
        if Self::odd((!v6)) {
            r4 = b33[11..15];
        } else if k[0] {
            r4 = v5[4..8];
        }
        let v7 = (!bit_cast::<8, 8>(v3.with(2, a1)));
        let v8 = bit_cast::<13, 13>(r13).with(6, (r1 && a1)).xor();
        y1 = (v4[2] | ((r13 | a13) > 6980));
        y4 = b4;
        y8 = (!bit_cast::<8, 4>(a4));
        y13 = ((b13 & a13).with(4, (a13 != b13)) & b13);
        let v9: Bits<33> = cat(a13, v4, r33[8..24]);
        y33 = ((r33 ^ v1).with(19, r1) | v9);
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R1 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R1 {
    fn update(&mut self) {
        let v1 = if b1 { (!(a13 + r13)) } else if (b4 != 14) { (a13 + 2) } else { bit_cast::<13, 4>((!b4)) };
        let v2 = a33;
        let mut v3 = r8;
        for i in 0..4 {
            if v2[i * 3 + 1] {
                v3 = (v3 << 1) ^ (a8 << 2);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, v2[i]);
            }
        }
        let v5 = match k { 0 => r33[11..19], 1 | 2 => ((a8 + 15) - (r8 ^ b8)), _ => Self::mix((v3 + 15), (v3 >> 2)) };
        let v6 = match k { 0 => r8, 1 | 2 => r33[14..22], _ => bit_cast::<8, 13>(b13).with(0, a1) };
        let v7 = match k { 0 => a33, 1 | 2 => (!(v2 | r33)), _ => r33 };
        let v9: Bits<33> = cat((r13 | b13), a4.with(2, b1), v2[10..26]);
        let v8 = (v9 - r33[0..33]);
        let v10 = (bit_cast::<4, 4>((!b4)) - ((r4 + r4) + (!a4)));
        let v11 = b13;
        y1 = Self::odd((v1.with(11, b1) + 9));
        y4 = (a33[12..16] & ((v10 + 4) - bit_cast::<4, 33>(v8)));
        y8 = ((!v6.with(0, r1)) ^ (v2[1..9] & Self::mix(v6, a8)));
        let v12: Bits<13> = cat(b4, r1, v3);
        y13 = (!(!v12));
        y33 = (a33[0..33] ^ (r33 >> 0));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R2 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R2 {
    fn update(&mut self) {
        let v2: Bits<33> = cat(r13, r4, r33[8..24]);
        let v1 = if ((r1 | a1) | a1) { bit_cast::<8, 33>(v2) } else if (b1 ^ r1) { (!(a8 & r8)) } else { (a8 + 4) };
        let v3 = if a4[1] { bit_cast::<8, 33>((a33 & a33)) } else if (b1 && b1) { v1 } else { Self::mix(b8, v1).with(3, (b4 > 6)) };
        let v4 = b8[0];
        let mut v5 = (v1 ^ v1);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v5 = (v5 << 1) ^ r8;
            } else {
                let v6 = v5 + i;
                v5 = v6.with(i, b33[i]);
            }
        }
        if ((r1 || a1) | v4) {
            r4 = ((a4 + 15) << k);
        } else if k[0] {
            r4 = ((a4 ^ b4) << k);
        }
        let v7 = match k { 0 => r33[23..27], 1 | 2 => (r4.with(2, r1) << 0), _ => (r4.with(0, r1) + (b4 << k)) };
        let v8: Bits<33> = cat(b13, b4, b33[0..16]);
        if (v8 != (a33 << k)) {
            r1 = b1;
        } else if k[0] {
            r1 = ((b33 & r33) <= (!a33));
        }
        let v9 = match k { 0 => (a1 || (!r1)), 1 | 2 => (r33[18..22] == r4), _ => r4[2] };
        let v10 = (((b4 | r4) - (a4 & r4)) + v7);
        y1 = Self::mix(a33[9..17], (b8 ^ b8)).any();
        y4 = v10;
        y8 = Self::mix((Self::mix(b8, a8) + (!b8)), a8);
        let v11: Bits<13> = cat(a4, v4, v5);
        y13 = v11.with(7, Self::odd(b13)).with(12, a1);
        y33 = (((!a33) >> k) + r33);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R3 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R3 {
    fn update(&mut self) {
        let v1 = a33[5..18];
        let v2 = if (Self::odd(r13) ^ a8.all()) { (!(!a13)) } else if b8[k] { (!(!v1)) } else { ((a13 | b13) | (r13 >> 2)) };
        let mut v3 = (r8 + 8);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v3 = (v3 << 1) ^ (b8 >> k);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, a33[i]);
            }
        }
        let mut v5 = (a8 ^ a8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v5 = (v5 << 1) ^ a33[25..33];
            } else {
                let v6 = v5 + i;
                v5 = v6.with(i, b33[i]);
            }
        }
        if ((v2 < 1) ^ Self::odd(v2)) {
            r1 = Self::odd(b13);
        } else if k[0] {
            r1 = (r1 & r1);
        }
        let v8: Bits<33> = cat((b13 & b13), (a4 << 1), a33[3..19]);
        let v7 = match k { 0 => (r33.with(16, a1) + 0), 1 | 2 => v8, _ => (a33 + 6).with(3, (b8 == v5)) };
        let v9 = if b1 { bit_cast::<13, 4>(r4).xor() } else if (a1 & r1) { Self::odd(a13) } else { ((a33 == 228668) || (r1 || r1)) };
        let v10 = match k { 0 => (r4.with(0, b1) ^ (a4 + 11)), 1 | 2 => bit_cast::<4, 33>(bit_cast::<33, 33>(v7)), _ => (bit_cast::<4, 33>(v7) & bit_cast::<4, 8>(r8)) };
        let v11 = if a13[6] { v10 } else if (b8 > b8) { ((a4 << k) ^ (!b4)) } else { (r4 >> 1).with(1, (!a1)) };
        y1 = (r4 != ((!a4) + 9));
        y4 = r4;
        y8 = a8;
        y13 = r13;
        y33 = a33;
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R4 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R4 {
    fn update(&mut self) {
        if a1 {
            r1 = (!a1);
        } else if k[0] {
            r1 = ((b1 ^ a1) && r4.any());
        }
        let v1 = match k { 0 => a33[2..6], 1 | 2 => ((a4 + 4) + 4), _ => (r33[22..26] << k) };
        let v2 = match k { 0 => ((r33 + r33) + 0), 1 | 2 => ((a33 + 14) >> k), _ => bit_cast::<33, 4>((!r4)) };
        let v3 = (!((v2 + r33) ^ (a33 + a33)));
        let mut v4 = a8.with(3, r1);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v4 = (v4 << 1) ^ (!b8);
            } else {
                let v5 = v4 + i;
                v4 = v5.with(i, a33[i]);
            }
        }
        let v6 = a1;
        let v7 = match k { 0 => ((v4 & v4) & v4), 1 | 2 => a33[9..17], _ => (!a8) };
        let v8 = (a33 >> 30);
        let v10: Bits<33> = cat(a13, a4, v8[8..24]);
        let v9 = if (v10 > 6431) { Self::mix(v7.with(7, b1), (v7 + 14)) } else if (r13 == 8106) { (bit_cast::<8, 33>(r33) ^ a8) } else { b8 };
        y1 = b33[15..19].any();
        y4 = ((v1.with(0, b1) >> k) - bit_cast::<4, 33>((v3 ^ v2)));
        y8 = bit_cast::<8, 4>(((b4 + 14) + 8));
        y13 = (!(a13 + 7).with(4, v6));
        y33 = b33;
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R5 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R5 {
    fn update(&mut self) {
        let v1 = if b33.any() { bit_cast::<8, 33>(bit_cast::<33, 8>(b8)) } else if (r1 & a1) { r8 } else { Self::mix(r8, (a8 << 5)) };
        let v2 = a8;
        if (!(b1 && b1)) {
            r13 = ((a13 & r13) + 12);
        } else if k[0] {
            r13 = ((b13 - a13) << 0);
        }
        let v3 = (Self::mix((!b8), (!b8)) | ((v2 << 4) + 3));
        let v4 = b33[12..16];
        let v5 = (b33[17..30] == ((b13 >> k) + (a13 & b13)));
        let v6 = if (r8 | v2).any() { bit_cast::<33, 4>((v4 << k)) } else if (b1 ^ r1) { r33[0..33] } else { b33[0..33] };
        let v8: Bits<13> = cat(v4, a1, r8);
        let v7 = if b1 { ((a13 ^ b13) & (r13 + 11)) } else if (a13 < r13) { ((r13 + b13) | v8) } else { r33[3..16] };
        let v9 = match k { 0 => ((a4 << 3) | b4), 1 | 2 => (r33[24..28] << 2), _ => (bit_cast::<4, 33>(r33) | bit_cast::<4, 33>(v6)) };
        y1 = Self::odd((r13 << k).with(12, v7[1]));
        y4 = v9;
        y8 = (((b8 + 7) + 5) | (a8 - v3).with(7, b13[11]));
        y13 = (bit_cast::<13, 8>((v3 | v2)) >> 12);
        y33 = (v6 + 7);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R6 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R6 {
    fn update(&mut self) {
        let v1 = (!((b33 + 8) < (b33 << 24)));
        let v3: Bits<33> = cat(a13, b4, r33[1..17]);
        let v4: Bits<33> = cat((r13 + 1), (!b4), r33[2..18]);
        let v2 = if r8[6] { (v3 << 3) } else if v1 { ((b33 << 3) | a33) } else { v4 };
        let v5: Bits<13> = cat((b4 << 0), v1, (r8 << 2));
        if (a33 >= 89783) {
            r13 = v5;
        } else if k[0] {
            r13 = r13.with(6, b1).with(4, Self::odd(b13));
        }
        if ((b1 ^ r1) ^ a1) {
            r13 = (!bit_cast::<13, 4>(a4));
        } else if k[0] {
            r13 = bit_cast::<13, 13>((a13 - a13));
        }
        let v6 = match k { 0 => (bit_cast::<8, 8>(a8) ^ (b8 + 10)), 1 | 2 => (!(a8 + 15)), _ => (a8 + 14) };
        let mut v7 = (a8 + 13);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v7 = (v7 << 1) ^ bit_cast::<8, 4>(a4);
            } else {
                let v8 = v7 + i;
                v7 = v8.with(i, a33[i]);
            }
        }
        if b1 {
            r8 = r8;
        } else if k[0] {
            r8 = ((v7 + 5) + 14);
        }
        let v9 = (v6 - (v6 << 6));
        let v10: Bits<13> = cat(r4, b1, v6);
        if Self::odd((b13 << 0)) {
            r13 = (r13 & v10);
        } else if k[0] {
            r13 = ((a13 << k) >> 8);
        }
        y1 = Self::odd((!(!a13)));
        y4 = (bit_cast::<4, 13>((a13 ^ b13)) << k);
        y8 = bit_cast::<8, 33>(((a33 + 0) + 8));
        y13 = a13;
        y33 = v2;
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R7 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R7 {
    fn update(&mut self) {
        let mut v1 = (!r8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v1 = (v1 << 1) ^ Self::mix(a8, a8);
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, b33[i]);
            }
        }
        let mut v3 = (b8 << k);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v3 = (v3 << 1) ^ bit_cast::<8, 13>(r13);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, a33[i]);
            }
        }
        let mut v5 = Self::mix(b8, v3);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v5 = (v5 << 1) ^ bit_cast::<8, 8>(a8);
            } else {
                let v6 = v5 + i;
                v5 = v6.with(i, r33[i]);
            }
        }
        let v7 = if r33[0..33].xor() { b1 } else if (!a1) { (!(b13 >= a13)) } else { b1 };
        let v9: Bits<13> = cat((!b4), (r13 >= a13), b33[10..18]);
        let v8 = match k { 0 => v9, 1 | 2 => r33[17..30], _ => ((a13 - r13) + 9) };
        if v7 {
            r8 = r8;
        } else if k[0] {
            r8 = ((!v5) ^ (r8 + v5));
        }
        if ((v5 >= r8) & v5.xor()) {
            r13 = bit_cast::<13, 33>((a33 & a33));
        } else if k[0] {
            r13 = r33[13..26];
        }
        let v10 = match k { 0 => v7, 1 | 2 => ((v7 | r1) | Self::odd(r13)), _ => ((!v7) | (v7 && r1)) };
        let mut v11 = (v3 | v1);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v11 = (v11 << 1) ^ (b8 >> 1);
            } else {
                let v12 = v11 + i;
                v11 = v12.with(i, b33[i]);
            }
        }
        y1 = ((!a8[0]) ^ Self::odd(r33[17..30]));
        y4 = bit_cast::<4, 13>(((r13 ^ r13) & bit_cast::<13, 8>(v3)));
        y8 = (bit_cast::<8, 4>(bit_cast::<4, 4>(a4)) - a8.with(7, a13[3]));
        let v13: Bits<13> = cat(b4, v3[k], v5);
        y13 = v13;
        y33 = (!((!a33) + 12));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R8 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R8 {
    fn update(&mut self) {
        let v1 = (((a4 + 15) & (a4 - b4)) + 14);
        let v2: Bits<13> = cat(a4, (b1 && a1), (!a8));
        if r13[k] {
            r13 = v2;
        } else if k[0] {
            r13 = (r13 << 12);
        }
        let v3 = (a33[25..33] & (b8 + 1));
        let mut v4 = bit_cast::<8, 4>(v1);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v4 = (v4 << 1) ^ b8;
            } else {
                let v5 = v4 + i;
                v4 = v5.with(i, b33[i]);
            }
        }
        if Self::odd(b33[6..19]) {
            r8 = (a8 >> 4);
        } else if k[0] {
            r8 = a33[18..26];
        }
        let mut v6 = (r8 ^ r8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v6 = (v6 << 1) ^ (!v3);
            } else {
                let v7 = v6 + i;
                v6 = v7.with(i, b33[i]);
            }
        }
        let mut v8 = (r8 + b8);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v8 = (v8 << 1) ^ (!v4);
            } else {
                let v9 = v8 + i;
                v8 = v9.with(i, r33[i]);
            }
        }
        let v10 = (bit_cast::<33, 13>(r13).with(18, a33[32]) <= (a33 + 1));
        let v12: Bits<13> = cat(v1, b1, v8);
        let v13: Bits<13> = cat(r4, r1, r8);
        let v11 = if b33[14] { (v12 + 1) } else if Self::odd(r13) { (b13.with(5, a1) ^ (b13 + a13)) } else { (!v13) };
        y1 = Self::odd(((a13 << 5) << 4));
        y4 = r4;
        y8 = bit_cast::<8, 8>((!(r8 >> 2)));
        let v14: Bits<13> = cat(((a4 & v1) + 13), b33[9], Self::mix(Self::mix(b8, a8), (!a8)));
        y13 = v14;
        y33 = ((r33.with(19, v10) << 2) + a33);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R9 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R9 {
    fn update(&mut self) {
        let v1 = ((a4 | b4) + 4).with(0, (b4 + 0).all());
        let mut v2 = r8;
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v2 = (v2 << 1) ^ b8;
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, b33[i]);
            }
        }
        let v4 = a13;
        let v5 = (bit_cast::<33, 4>(bit_cast::<4, 8>(b8)) >> k);
        let v6 = match k { 0 => ((r33 + a33) >> 24), 1 | 2 => r33[0..33], _ => (!(a33 & r33)) };
        let v7 = ((v5[5..9] & (a4 + a4)) - ((v1 + 2) << 1));
        let v8 = r13;
        let v9 = ((!v2) | (r8 + 3)).with(5, (!(v6 <= 608604)));
        let v10 = Self::odd((r13.with(4, r1) >> 10));
        y1 = (((b13 >> 3) >> k) > (!bit_cast::<13, 33>(r33)));
        y4 = (((a4 - a4) + 10) + (v1 - (v1 + v1)));
        y8 = (b8 << k);
        y13 = ((bit_cast::<13, 4>(a4) - v4) + 11);
        y33 = ((bit_cast::<33, 8>(b8) >> k) + b33);
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R10 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R10 {
    fn update(&mut self) {
        let v1 = if r8[7] { ((r33 >> 4) << 31) } else if (!a1) { ((r33 >> 21) + (b33 >> k)) } else { r33[0..33] };
        let mut v2 = (r8 & a8);
        for i in 0..4 {
            if v1[i * 3 + 1] {
                v2 = (v2 << 1) ^ r33[23..31];
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, v1[i]);
            }
        }
        let v4 = a1;
        let v5 = (bit_cast::<8, 8>(b8) + 7).with(5, r1);
        let v6 = (!(!r33)).with(18, (!r1));
        let v7 = if ((a4 + b4) < 5) { (b4 & r4).with(2, b1) } else if (v4 | b1) { a4 } else { b4 };
        if v4 {
            r4 = ((b4 + 9) + 3);
        } else if k[0] {
            r4 = b4;
        }
        let mut v8 = (!r8);
        for i in 0..4 {
            if v6[i * 3 + 1] {
                v8 = (v8 << 1) ^ bit_cast::<8, 33>(r33);
            } else {
                let v9 = v8 + i;
                v8 = v9.with(i, v6[i]);
            }
        }
        let v10 = if (a4 + 4).any() { b13 } else if b4[3] { ((a13 >> 6) + b33[9..22]) } else { (bit_cast::<13, 4>(a4) + 1) };
        y1 = (v1[7..20] == v10);
        y4 = ((bit_cast::<4, 33>(v1) | b4) >> k);
        y8 = ((!Self::mix(a8, r8)) - r33[10..18]);
        let v11: Bits<13> = cat(a4, v4, v2);
        y13 = (v10 - (v6[14..27] + v11));
        y33 = (b33[0..33] + 11);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R11 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R11 {
    fn update(&mut self) {
        let v1 = if (!r8.xor()) { ((b1 ^ a1) && a8[3]) } else if a1 { Self::odd((b13 + 8)) } else { r1 };
        let v2 = if a1 { (bit_cast::<4, 13>(r13) > (b4 >> 1)) } else if (r4 <= r4) { bit_cast::<4, 4>(b4).any() } else { (!(!b1)) };
        let v3 = match k { 0 => ((!b4) ^ (!r4)), 1 | 2 => ((r4 + 8) - (r4 | a4)), _ => r4 };
        let v4: Bits<33> = cat(bit_cast::<13, 33>(b33), r4, r33[5..21]);
        if (a33[6..14] < 229) {
            r33 = bit_cast::<33, 4>((b4 & b4));
        } else if k[0] {
            r33 = v4;
        }
        let v6: Bits<13> = cat(v3, r1, r8);
        let v5 = if ((r1 || r1) & Self::odd(b13)) { (v6 + 7) } else if Self::odd(a13) { (!(r13 - r13)) } else { a33[20..33] };
        let v7 = (r8 - Self::mix(r8, a8).with(0, a4.all()));
        let v8 = if ((!a33) == 877158) { bit_cast::<8, 13>(r33[0..13]) } else if (r13 <= 2685) { v7 } else { (b8 >> 6).with(3, Self::odd(a13)) };
        let v9 = ((r33[25..29] + 15) + 13);
        let v10 = if (!a13).all() { (b33 + 7) } else if (!v2) { bit_cast::<33, 8>(r8).with(29, (a4 < a4)) } else { (a33 << 5) };
        y1 = r4.xor();
        y4 = (((v9 >> k) << 2) + 11);
        y8 = (!bit_cast::<8, 33>(r33[0..33]));
        y13 = ((b13 << k) | (v5 + b13)).with(12, (!Self::odd(a13)));
        y33 = r33;
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R12 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R12 {
    fn update(&mut self) {
        let v2: Bits<13> = cat(a4, a1, a8);
        let v1 = if (bit_cast::<13, 33>(r33) >= v2) { ((a4 >> 0) >> 0) } else if a33.all() { r4 } else { (r4 & b4).with(0, (a4 <= a4)) };
        if Self::odd((b13 >> k)) {
            r1 = (a13 <= 8015);
        } else if k[0] {
            r1 = (a1 ^ Self::odd(b13));
        }
        let mut v3 = Self::mix(b8, a8);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v3 = (v3 << 1) ^ (b8 & a8);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, r33[i]);
            }
        }
        let v5 = if ((!v1) < (b4 - v1)) { bit_cast::<33, 33>((r33 - r33)) } else if (b33 != 11988) { ((a33 >> 7) >> k) } else { ((!a33) << 31) };
        let v6 = b4.with(2, ((a1 || a1) | (!b1)));
        let v7 = if (b33[0..33] > (v5 + 14)) { bit_cast::<13, 4>((a4 + 8)) } else if (b4 >= 11) { bit_cast::<13, 13>(bit_cast::<13, 13>(a13)) } else { ((b13 & b13) + (r13 - b13)) };
        let v9: Bits<33> = cat(v7, v1, v5[10..26]);
        let v10: Bits<33> = cat(b13.with(10, a1), bit_cast::<4, 33>(v5), b33[0..16]);
        let v8 = match k { 0 => (bit_cast::<33, 13>(v7) ^ v9), 1 | 2 => v10, _ => (a33[0..33] - (r33 | a33)) };
        let v11 = match k { 0 => ((a8 | v3) - (!a8)), 1 | 2 => b8, _ => v5[2..10] };
        let v12 = match k { 0 => (r8 == (a8 ^ v11)), 1 | 2 => a1, _ => r13[8] };
        y1 = (a13 >> 4).xor();
        y4 = (((!v6) + 3) - v8[27..31]);
        y8 = (((v11 << k) << 4) | bit_cast::<8, 13>((r13 | b13)));
        y13 = bit_cast::<13, 8>(Self::mix((a8 | b8), v11.with(6, b1)));
        y33 = r33;
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R13 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R13 {
    fn update(&mut self) {
        let v1 = (((a4 + 1) & (b4 + 11)) | ((r4 ^ a4) << k));
        let v2 = (((b8 | b8) >> 3) << 0);
        let v3 = ((r13 + 10) + b33[18..31]).with(5, (b8 + 14).all());
        let v4 = ((r13.with(12, r1) | b13) ^ (v3 + 13).with(12, r1));
        let v6: Bits<13> = cat(b4, a1, b8);
        let v5 = match k { 0 => (v6 & v3), 1 | 2 => a13, _ => ((b13 ^ v3) - (!b13)) };
        if Self::odd(r33[9..22]) {
            r8 = r8;
        } else if k[0] {
            r8 = b8.with(3, b1);
        }
        let mut v7 = (a8 + 2);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v7 = (v7 << 1) ^ v2;
            } else {
                let v8 = v7 + i;
                v7 = v8.with(i, r33[i]);
            }
        }
        let v9: Bits<13> = cat(r4, b1, a8);
        if Self::odd(v9) {
            r8 = b8;
        } else if k[0] {
            r8 = (a33[8..16] + 13);
        }
        if (Self::odd(v3) & (b1 ^ r1)) {
            r8 = r8;
        } else if k[0] {
            r8 = a8.with(1, a1).with(4, b33.any());
        }
        let v10: Bits<13> = cat(b4, a1, a8);
        y1 = (v10 << 11).any();
        y4 = (((a4 + 3) & (!v1)) + 5);
        y8 = ((r8.with(1, b1) + 8) + (!bit_cast::<8, 8>(v2)));
        let v11: Bits<13> = cat((b4 + 0), (b33[14..27] < 4217), b33[16..24]);
        y13 = v11;
        let v12: Bits<33> = cat(((b13 + 9) >> 10), r33[2..6], b33[6..22]);
        y33 = v12;
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R14 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R14 {
    fn update(&mut self) {
        let v1 = match k { 0 => (b13.with(2, a1) != 8116), 1 | 2 => a1, _ => (b4 >= (b4 & a4)) };
        if ((a4 + 11) >= a4) {
            r1 = ((r33 != 556204) | a1);
        } else if k[0] {
            r1 = r8[5];
        }
        if (!(!v1)) {
            r1 = (a33 >= 781972);
        } else if k[0] {
            r1 = (Self::odd(r13) || a1);
        }
        let v2 = match k { 0 => r33[6..10].xor(), 1 | 2 => (r33[9..13] <= (!r4)), _ => ((a33 << 21) > 135304) };
        if v1 {
            r33 = (r33 ^ b33).with(28, v1);
        } else if k[0] {
            r33 = (!b33[0..33]);
        }
        let mut v3 = b8;
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v3 = (v3 << 1) ^ (a8 | b8);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, r33[i]);
            }
        }
        let v5 = (bit_cast::<4, 8>(a33[2..10]) - b4);
        let v6 = (!(b8 + 5)).with(3, Self::odd((b13 >> 2)));
        if b4[0] {
            r8 = (!Self::mix(v6, v6));
        } else if k[0] {
            r8 = (v3.with(6, a1) << 4);
        }
        y1 = a1;
        y4 = ((a4.with(1, b1) & (a4 >> 3)) - (bit_cast::<4, 13>(b13) & a4));
        y8 = ((!Self::mix(r8, a8)) << 5);
        y13 = (b33[4..17] << 6);
        y33 = (((a33 + 3) + 9) ^ b33[0..33]);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R15 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R15 {
    fn update(&mut self) {
        let v1 = if ((a33 + r33) >= (a33 & b33)) { b33[14..27] } else if (b1 ^ r1) { ((r13 + a13) >> k) } else { ((b13 + r13) | bit_cast::<13, 8>(b8)) };
        let mut v2 = (!r8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v2 = (v2 << 1) ^ (a8 - r8);
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, b33[i]);
            }
        }
        let v4 = match k { 0 => b13, 1 | 2 => ((a13 | b13) + (v1 & b13)), _ => ((v1 ^ v1) | (a13 | r13)) };
        let v5 = if (!(!b1)) { (bit_cast::<8, 13>(v1) & bit_cast::<8, 13>(r13)) } else if Self::odd(v4) { ((v2 << 0) ^ bit_cast::<8, 33>(r33)) } else { Self::mix((a8 | a8), Self::mix(r8, b8)) };
        let v7: Bits<33> = cat(v4, b4, b33[1..17]);
        let v6 = if ((v4 < a13) | (a1 || b1)) { (v7 + 1) } else if (a33 > 221243) { (!(!a33)) } else { (!(!a33)) };
        let v8 = ((b8 >> k) >> k);
        let v10: Bits<13> = cat(b4, b1, b8);
        let v9 = (v10 >> 11).with(5, (bit_cast::<13, 33>(v6) > 5332));
        let v11 = ((v8 + v5) | (!v8)).with(0, (Self::odd(v1) && v6.any()));
        let v13: Bits<13> = cat(a4, b1, a8);
        let v12 = match k { 0 => (!r33[14..27]), 1 | 2 => ((v1 + 12) >> 1), _ => (v13 + (v9 & b13)) };
        y1 = (Self::mix(bit_cast::<8, 8>(v11), bit_cast::<8, 13>(b13)) >= ((v11 - v8) << 1));
        y4 = (((a4 - r4) & r4.with(0, r1)) + 6);
        y8 = Self::mix(((v5 ^ v5) & (v2 ^ v11)), (r8 + 1));
        y13 = (((b13 >> k) << k) | ((b13 | v1) + 0));
        y33 = (bit_cast::<33, 4>((a4 & b4)) - (!r33[0..33]));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R16 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R16 {
    fn update(&mut self) {
        let mut v1 = a8.with(1, b1);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v1 = (v1 << 1) ^ r8.with(0, a1);
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, b33[i]);
            }
        }
        if (b4 < 6) {
            r1 = (bit_cast::<33, 13>(b13) >= (r33 & b33));
        } else if k[0] {
            r1 = r13.any();
        }
        let v3 = match k { 0 => ((a8 - b8) + 10), 1 | 2 => a33[2..10], _ => (bit_cast::<8, 13>(a13) + 7) };
        let v4 = match k { 0 => (!(!a4)), 1 | 2 => (!b4), _ => ((r4 ^ a4) + (a4 << 1)) };
        let mut v5 = v1;
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v5 = (v5 << 1) ^ a33[8..16];
            } else {
                let v6 = v5 + i;
                v5 = v6.with(i, r33[i]);
            }
        }
        if b1 {
            r4 = bit_cast::<4, 33>((b33 + 7));
        } else if k[0] {
            r4 = ((v4 + 2) - b4);
        }
        let v8: Bits<33> = cat(b13, (a4 | a4).with(2, (a1 ^ r1)), b33[5..21]);
        let v7 = v8;
        let v9 = (((a8 + 3) + 7) + b8);
        let v10 = (!(bit_cast::<4, 13>(a13) & (a4 + 10)));
        y1 = (((!b8) <= (v3 + 9)) && (a8 >= (b8 << k)));
        y4 = (((a4 | r4) + (b4 & b4)) & (bit_cast::<4, 33>(v7) & a33[11..15]));
        y8 = v7[14..22];
        let v11: Bits<13> = cat(b4, (r13 >= r13), (r8 & v5));
        y13 = ((a13 & (!b13)) - v11);
        y33 = (!(!a33));
    }
}

#[block]
pub struct R17 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R17 {
    fn update(&mut self) {
        let v1 = Self::mix(bit_cast::<8, 33>(r33).with(4, (!r1)), Self::mix(b8, r8));
        let v2 = if (a33.with(24, a1) < 1042969) { (b33[12..16] & (r4 - a4)) } else if a33[k] { (!(a4 & r4)) } else { b4 };
        let v3 = if (v2 & b4).xor() { (!a33[20..24]) } else if (a1 || r1) { b33[11..15] } else { ((b4 - a4) + 15) };
        let mut v4 = (a8 | b8);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v4 = (v4 << 1) ^ b33[8..16];
            } else {
                let v5 = v4 + i;
                v4 = v5.with(i, a33[i]);
            }
        }
        let v6 = (b33[11..15] - (b4 << 1)).with(1, (!b1));
        let v8: Bits<13> = cat(v2, r1, b8);
        let v7 = (!(a33[5..18] + v8));
        let v9 = v1;
        let v10 = match k { 0 => ((v3 & b4) + 5), 1 | 2 => bit_cast::<4, 8>((r8 + 5)), _ => (!(v3 + 12)) };
        let v11 = (!a33);
        y1 = ((v3 + 10) & r33[7..11]).all();
        y4 = ((bit_cast::<4, 4>(r4) << 3) & ((b4 ^ v6) | (v3 + 15)));
        y8 = bit_cast::<8, 8>(Self::mix(v1, r8)).with(1, Self::odd(b13));
        y13 = ((!v7) & v7);
        y33 = ((v11 | (a33 + 2)) + ((v11 + 2) ^ a33));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R18 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R18 {
    fn update(&mut self) {
        let v1 = if (!a33).xor() { ((a13 + 13) ^ (a13 + b13)) } else if (b13 <= a13) { r13 } else { bit_cast::<13, 33>(r33) };
        let v2 = (b33 + 10);
        let v3 = (bit_cast::<13, 8>(r8.with(3, r1)) & v1);
        let v4 = (!((!r13) == 3622));
        let mut v5 = (r8 << k);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v5 = (v5 << 1) ^ b8;
            } else {
                let v6 = v5 + i;
                v5 = v6.with(i, b33[i]);
            }
        }
        let v7 = b4;
        let v8 = match k { 0 => (b33[0..33] | (r33 ^ v2)), 1 | 2 => ((r33 | b33) ^ (b33 - b33)), _ => v2 };
        if (!a4[0]) {
            r4 = (b4 | (r4 + 13));
        } else if k[0] {
            r4 = v7;
        }
        let v9 = if (!r8).xor() { r13 } else if (v8 == a33) { v8[11..24] } else { bit_cast::<13, 33>((v2 & b33)) };
        y1 = v7[1];
        y4 = b4;
        y8 = (b33[21..29] + 2);
        let v10: Bits<13> = cat(((v7 & v7) + 5), (v5[7] || a13[7]), (Self::mix(v5, a8) + a8));
        y13 = v10;
        y33 = bit_cast::<33, 33>((!(a33 & v2)));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R19 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R19 {
    fn update(&mut self) {
        if (!(b1 && a1)) {
            r13 = ((b13 + 3) ^ b13);
        } else if k[0] {
            r13 = ((a13 | b13) + (b13 << k));
        }
        let v1 = r1;
        let mut v2 = (b8 ^ a8);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v2 = (v2 << 1) ^ (r8 + 7);
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, a33[i]);
            }
        }
        if (r13.any() && (r33 <= r33)) {
            r33 = a33[0..33];
        } else if k[0] {
            r33 = ((b33 - r33) + (r33 << 9));
        }
        let v4 = (((b4 + 2) + 0) << k);
        let v5 = (bit_cast::<33, 4>(b33[19..23]) + 0);
        let v7: Bits<33> = cat(r13.with(0, b1), bit_cast::<4, 8>(b8), v5[10..26]);
        let v6 = if (!(r8 < a8)) { (b33 + a33.with(29, v1)) } else if r33.xor() { v7 } else { (!(r33 + 13)) };
        let v9: Bits<33> = cat(a13, v4, r33[10..26]);
        let v8 = (((v6 << k) & v9) << k);
        let v10 = (((!r33) | b33[0..33]) + ((v5 + b33) + 3));
        y1 = b4[k];
        y4 = r4;
        y8 = v2;
        y13 = v5[17..30].with(9, r1);
        let v11: Bits<33> = cat((!a13.with(12, b1)), b4, a33[14..30]);
        y33 = v11;
    }
}

#[block]
pub struct R20 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R20 {
    fn update(&mut self) {
        let mut v1 = (b8 | b8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v1 = (v1 << 1) ^ a8;
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, b33[i]);
            }
        }
        let v3 = b8;
        let v4 = Self::mix(((v3 | v3) ^ b33[25..33]), ((!r8) | r8.with(6, b1)));
        let v5 = ((!r13.with(3, b1)) | ((r13 & b13) | (r13 + 0)));
        let v6 = if ((a8 | r8) >= (v3 + 5)) { bit_cast::<13, 8>((r8 - v4)) } else if Self::odd(v5) { ((!v5) - (!v5)) } else { (r33[7..20] & (v5 ^ b13)) };
        let v7 = match k { 0 => (b1 ^ (b4 >= 12)), 1 | 2 => Self::odd((v6 >> 6)), _ => a1 };
        if a1 {
            r1 = a1;
        } else if k[0] {
            r1 = (!(r33 >= r33));
        }
        let mut v8 = (v3 + v4);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v8 = (v8 << 1) ^ a33[3..11];
            } else {
                let v9 = v8 + i;
                v8 = v9.with(i, b33[i]);
            }
        }
        let v11: Bits<33> = cat((v6 ^ b13), (r4 + r4), r33[9..25]);
        let v10 = match k { 0 => (r33.with(30, r1) | (a33 << 25)), 1 | 2 => (!a33.with(21, r1)), _ => v11 };
        let v12: Bits<13> = cat(a4, r1, v3);
        y1 = ((bit_cast::<13, 13>(a13) ^ (!a13)) != ((v6 | r13) & v12));
        y4 = ((b4 - r33[10..14]) + 11);
        y8 = v1;
        y13 = (v5 & r13).with(0, a4.all()).with(11, ((!v7) | (a33 > a33)));
        let v13: Bits<33> = cat(a13, b4, r33[6..22]);
        y33 = (v13.with(7, Self::odd(b13)) + (bit_cast::<33, 13>(b13) & (!a33)));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R21 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R21 {
    fn update(&mut self) {
        let mut v1 = r8;
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v1 = (v1 << 1) ^ b33[16..24];
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, a33[i]);
            }
        }
        let mut v3 = (b8 - b8);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v3 = (v3 << 1) ^ b8;
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, a33[i]);
            }
        }
        let v5 = r33.with(6, ((a1 || b1) || b1));
        let mut v6 = (a8 | v3);
        for i in 0..4 {
            if v5[i * 3 + 1] {
                v6 = (v6 << 1) ^ bit_cast::<8, 4>(a4);
            } else {
                let v7 = v6 + i;
                v6 = v7.with(i, v5[i]);
            }
        }
        let mut v8 = bit_cast::<8, 33>(b33);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v8 = (v8 << 1) ^ Self::mix(r8, v1);
            } else {
                let v9 = v8 + i;
                v8 = v9.with(i, a33[i]);
            }
        }
        let v10 = match k { 0 => (v8 + a8), 1 | 2 => Self::mix(v1.with(5, a1), (v8 << k)), _ => bit_cast::<8, 4>((a4 << k)) };
        if ((r1 & b1) || r13[6]) {
            r8 = b33[24..32];
        } else if k[0] {
            r8 = v6;
        }
        let v11 = match k { 0 => (v5 << k).with(21, (b13 < 8163)), 1 | 2 => bit_cast::<33, 13>(a13.with(5, b1)), _ => v5 };
        let v12 = match k { 0 => ((a13 | r13) ^ (r13 + 13)), 1 | 2 => bit_cast::<13, 33>((b33 ^ r33)), _ => ((b13 << k) + 6) };
        y1 = r1;
        y4 = (r4.with(2, b1) + (b4 + 0)).with(0, ((v5 != 388196) || (a33 > v5)));
        y8 = r8;
        y13 = (v5[5..18] & ((a13 ^ a13) << k));
        y33 = (!(!(v5 & v5)));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R22 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R22 {
    fn update(&mut self) {
        let mut v1 = r8;
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v1 = (v1 << 1) ^ b8.with(6, b1);
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, r33[i]);
            }
        }
        let mut v3 = (v1 - v1);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v3 = (v3 << 1) ^ (r8 >> k);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, r33[i]);
            }
        }
        let v5 = (b4.with(2, a1) << k);
        if (b33 ^ a33).xor() {
            r1 = a1;
        } else if k[0] {
            r1 = Self::odd(a33[18..31]);
        }
        let v6 = match k { 0 => a33, 1 | 2 => (r33.with(30, a1) ^ (r33 + a33)), _ => bit_cast::<33, 13>((b13 | r13)) };
        let v7 = (a8 | v1);
        if b1 {
            r1 = ((a8 >> 6) < 216);
        } else if k[0] {
            r1 = ((v7 + 9) >= bit_cast::<8, 8>(v7));
        }
        let v8 = match k { 0 => b4, 1 | 2 => v5, _ => (v6[28..32] ^ v6[18..22]) };
        let mut v9 = (b8 | v1);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v9 = (v9 << 1) ^ v7;
            } else {
                let v10 = v9 + i;
                v9 = v10.with(i, r33[i]);
            }
        }
        y1 = (!r1);
        y4 = ((v6[24..28] + b4.with(3, b1)) + a33[29..33]);
        y8 = ((Self::mix(v7, r8) ^ (a8 + 4)) + 5);
        y13 = ((!(b13 | a13)) >> 8);
        let v11: Bits<33> = cat(a13, ((!r4) + 4), v6[15..31]);
        y33 = v11;
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R23 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R23 {
    fn update(&mut self) {
        let v1 = ((a33 >> k) ^ r33);
        let v2 = ((!(a8 | r8)) != bit_cast::<8, 33>(b33));
        if (Self::odd(b13) ^ (a1 ^ v2)) {
            r4 = (!(r4 | b4));
        } else if k[0] {
            r4 = b33[29..33];
        }
        if Self::odd((b13 & b13)) {
            r1 = ((a1 & b1) | r13.all());
        } else if k[0] {
            r1 = (a8 + 5).xor();
        }
        let v4: Bits<33> = cat(a13, (b4 + 15), v1[3..19]);
        let v3 = v4.with(11, r8[1]);
        let v5 = (((r33 << k) + 13) ^ ((r33 | b33) - b33.with(20, a1)));
        if b33[26] {
            r1 = ((r4 & a4) < 6);
        } else if k[0] {
            r1 = (bit_cast::<33, 33>(v1) == v3[0..33]);
        }
        if (!(a4 <= b4)) {
            r1 = (!(a4 != 3));
        } else if k[0] {
            r1 = ((r1 & v2) | r1);
        }
        let v7: Bits<13> = cat(((r4 | b4) + 1), (!a4[1]), ((b8 + 6) >> 4));
        let v6 = v7;
        y1 = ((v1[18..22] <= (r4 + r4)) | ((b8 >> 0) > bit_cast::<8, 8>(b8)));
        y4 = r4;
        y8 = (a8 ^ (!(!r8)));
        y13 = bit_cast::<13, 33>(v1);
        let v8: Bits<13> = cat(b4, r1, b8);
        let v9: Bits<33> = cat(v8, b4.with(1, r1), r33[0..16]);
        y33 = v9.with(0, ((b1 | a1) & r33.xor()));
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R24 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R24 {
    fn update(&mut self) {
        if ((r1 & a1) | b1) {
            r33 = r33;
        } else if k[0] {
            r33 = bit_cast::<33, 13>((r13 >> 7));
        }
        let v1 = r33[23..31];
        let mut v2 = bit_cast::<8, 8>(r8);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v2 = (v2 << 1) ^ (v1 - v1);
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, a33[i]);
            }
        }
        let v4 = (((!b33) << 6) & ((a33 ^ a33) >> 25));
        let v5 = if r1 { ((!a4) | (b4 + 12)) } else if b1 { ((!a4) + 4) } else { (a4 | r4) };
        if (a4 + 15).xor() {
            r4 = ((v5 | r4) + 2);
        } else if k[0] {
            r4 = b4;
        }
        if (v5 < (v5 + 7)) {
            r1 = (r8.all() ^ (a8 > b8));
        } else if k[0] {
            r1 = Self::odd(r13);
        }
        let v6: Bits<33> = cat(a13, b4, v4[0..16]);
        if (!(r1 | b1)) {
            r33 = (v6 - (r33 + 1));
        } else if k[0] {
            r33 = a33;
        }
        let v7 = match k { 0 => r4, 1 | 2 => v5, _ => (b4.with(0, a1) + b33[19..23]) };
        y1 = Self::odd((r13 | (a13 | a13)));
        y4 = v7;
        y8 = (((b8 + v2) + 1) + 13);
        y13 = (b13 + 3);
        y33 = ((r33 & (r33 + a33)) << 5);
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R25 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R25 {
    fn update(&mut self) {
        let mut v1 = b8;
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v1 = (v1 << 1) ^ a33[25..33];
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, r33[i]);
            }
        }
        let mut v3 = v1;
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v3 = (v3 << 1) ^ b8.with(0, r1);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, b33[i]);
            }
        }
        let v5 = match k { 0 => (r4 & (r4 & b4)), 1 | 2 => r33[10..14], _ => r4 };
        let v6 = if (b13 + b13).all() { b33[0..33] } else if r4[k] { (r33 ^ (!b33)) } else { r33[0..33] };
        let v7 = match k { 0 => ((a33 & r33) ^ bit_cast::<33, 33>(b33)), 1 | 2 => bit_cast::<33, 4>(a4), _ => (a33 & b33).with(13, (a1 || b1)) };
        let mut v8 = v7[23..31];
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v8 = (v8 << 1) ^ (r8 & v3);
            } else {
                let v9 = v8 + i;
                v8 = v9.with(i, a33[i]);
            }
        }
        let v11: Bits<33> = cat(r13, (a4 + 4), a33[8..24]);
        let v10 = match k { 0 => (v7.with(18, r1) + 5), 1 | 2 => a33, _ => v11 };
        if (Self::odd(a13) && (v5 == 6)) {
            r8 = v7[9..17];
        } else if k[0] {
            r8 = (v7[17..25] & v8.with(2, b1));
        }
        let v12 = (!(a13.with(8, a1) + b13));
        y1 = (!(v1 & v1).all());
        y4 = (((r4 + 4) + 1) ^ ((a4 + 10) & a4));
        y8 = b8.with(5, Self::odd((r13 ^ a13)));
        y13 = ((!r13) ^ (!(a13 & a13)));
        let v13: Bits<33> = cat(v12.with(8, a1), (a4 + 15), a33[0..16]);
        y33 = (!v13);
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R26 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R26 {
    fn update(&mut self) {
        let v1 = a13;
        let v2 = (!bit_cast::<8, 4>(a33[21..25]));
        let v3: Bits<33> = cat(a13, a4, b33[13..29]);
        if (v3 < (b33 & a33)) {
            r33 = ((b33 + a33) & r33.with(13, a1));
        } else if k[0] {
            r33 = r33;
        }
        let v4 = (a33.with(29, r1).with(19, (b1 || a1)) << 16);
        let v5 = (((a33 >> k) << k) + 1);
        let v6 = a8;
        let v7 = match k { 0 => (!b33[0..4]), 1 | 2 => ((!r4) + 7), _ => bit_cast::<4, 13>(bit_cast::<13, 33>(a33)) };
        let v9: Bits<33> = cat(r13.with(11, b1), (a4 + 4), a33[7..23]);
        let v10: Bits<33> = cat((!b13), (!v7), r33[3..19]);
        let v8 = match k { 0 => v9, 1 | 2 => v10, _ => (b33[0..33] >> k) };
        let v11 = (((a4 & r4) & (v7 ^ r4)) ^ (v7.with(3, r1) << 2));
        y1 = ((v8 & a33).with(5, (b1 | r1)) < (!(b33 >> k)));
        y4 = (v8[3..7] + 9).with(3, ((!a1) || (r33 <= 642502)));
        y8 = Self::mix(a8, a8);
        y13 = bit_cast::<13, 4>((v11 & b4));
        y33 = v8;
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R27 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R27 {
    fn update(&mut self) {
        let v1 = (r1 | r1);
        if ((a4 == 1) | (v1 ^ v1)) {
            r33 = ((r33 ^ r33) + (b33 << k));
        } else if k[0] {
            r33 = r33;
        }
        if a33.all() {
            r4 = (!(a4 << k));
        } else if k[0] {
            r4 = (r4.with(2, b1) | (b4 + 15));
        }
        let mut v2 = bit_cast::<8, 13>(a13);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v2 = (v2 << 1) ^ b8;
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, b33[i]);
            }
        }
        let v5: Bits<33> = cat(r13, r4, r33[0..16]);
        let v4 = bit_cast::<33, 33>((a33 ^ v5));
        let v6 = (r1 ^ ((b1 && r1) || (r4 > 5)));
        let v7 = ((b13 & r13).with(3, (r33 > b33)) >> 1);
        if (a33[23] ^ (r1 || v1)) {
            r8 = (v2 << 5);
        } else if k[0] {
            r8 = v2;
        }
        let mut v8 = (a8 | v2);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v8 = (v8 << 1) ^ (!v2);
            } else {
                let v9 = v8 + i;
                v8 = v9.with(i, a33[i]);
            }
        }
        y1 = a1;
        y4 = r4;
        y8 = b33[15..23];
        let v10: Bits<13> = cat(r4, a1, (v2 & a8));
        y13 = v10.with(9, r1);
        y33 = (v4[0..33] - ((r33 & b33) + (v4 + b33)));
    }
}

#[block]
pub struct R28 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R28 {
    fn update(&mut self) {
        let v1: Bits<13> = cat((!r4), (r33 <= a33), r8.with(6, a1));
        let v2: Bits<13> = cat(b4, b1, a8);
        if a4[1] {
            r13 = v1;
        } else if k[0] {
            r13 = bit_cast::<13, 13>(v2);
        }
        let mut v3 = a8;
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v3 = (v3 << 1) ^ (a8 << k);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, a33[i]);
            }
        }
        let v5 = if r1 { a1 } else if (v3 == b8) { (!(r1 | r1)) } else { r1 };
        let v7: Bits<33> = cat(b13, a4, a33[7..23]);
        let v6 = (bit_cast::<13, 33>(v7) + bit_cast::<13, 8>(a33[22..30]));
        let v8 = (((v6 + r13) ^ b13.with(10, b1)) >> 7);
        let v9 = bit_cast::<8, 13>((!(b13 & v6)));
        let v10 = a33[24..28].with(3, ((r1 && a1) | a33.all()));
        let v11 = match k { 0 => (r4.with(0, v5) + 6), 1 | 2 => ((!v10) + 14), _ => r33[23..27] };
        let v12 = match k { 0 => ((a33 & a33) & r33), 1 | 2 => (b33[0..33] + 14), _ => ((!b33) + 15) };
        y1 = (!(bit_cast::<33, 13>(v8) == b33[0..33]));
        y4 = ((!(!r4)) + 9);
        y8 = Self::mix((b8 ^ r8), v12[9..17]);
        y13 = bit_cast::<13, 4>((!v11)).with(6, (a13.xor() | a13.xor()));
        y33 = r33[0..33];
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R29 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R29 {
    fn update(&mut self) {
        let v1 = match k { 0 => (b13 + a13).with(8, r8.xor()), 1 | 2 => bit_cast::<13, 4>((b4 + 1)), _ => ((b13 ^ b13) << 12) };
        let v2 = match k { 0 => (a4 + (!a4)), 1 | 2 => bit_cast::<4, 13>(r13).with(0, (a1 && r1)), _ => ((b4 & b4) + bit_cast::<4, 8>(b8)) };
        let v3 = match k { 0 => a8, 1 | 2 => bit_cast::<8, 8>((b8 >> 1)), _ => (a8 + 11).with(0, r1) };
        if (r33[18..22] >= (a4 + 7)) {
            r8 = r33[13..21];
        } else if k[0] {
            r8 = r33[4..12];
        }
        let v4 = ((Self::mix(r8, b8) | a8.with(4, a1)) & (!(b8 + 9)));
        let v5 = a33[13..21];
        let v6 = match k { 0 => ((v4 << 1) + (r8 - v5)), 1 | 2 => ((!r8) + 1), _ => (r8 << k) };
        let v7 = if (a33.with(18, a1) <= 920853) { b33 } else if r1 { b33 } else { (!b33).with(11, (b13 == r13)) };
        if (!(!r1)) {
            r1 = a1;
        } else if k[0] {
            r1 = a1;
        }
        let v8: Bits<13> = cat(v2.with(1, b1), (!r1), Self::mix(v3, v6));
        y1 = v8.any();
        y4 = b4;
        y8 = ((r8 >> k) - (!bit_cast::<8, 33>(v7)));
        y13 = ((bit_cast::<13, 33>(a33) << k) - v1);
        let v9: Bits<33> = cat((b13 + 1).with(2, b1), (a4 & r4).with(0, (!r1)), b33[15..31]);
        y33 = v9;
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R30 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R30 {
    fn update(&mut self) {
        let mut v1 = (a8 + 7);
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v1 = (v1 << 1) ^ b8;
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, a33[i]);
            }
        }
        let v3 = Self::mix(((v1 | b8) + 1), (bit_cast::<8, 8>(b8) - bit_cast::<8, 33>(r33)));
        let v4 = if b1 { bit_cast::<4, 8>(bit_cast::<8, 33>(r33)) } else if Self::odd(b13) { b4 } else { (b4 + 6) };
        let mut v5 = v3;
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v5 = (v5 << 1) ^ bit_cast::<8, 8>(a8);
            } else {
                let v6 = v5 + i;
                v5 = v6.with(i, r33[i]);
            }
        }
        let v7 = match k { 0 => a1, 1 | 2 => r1, _ => (!a13[2]) };
        let v8 = if ((a33 | b33) != a33.with(3, r1)) { v3[4] } else if (v5 != b8) { r33.xor() } else { r4[k] };
        let mut v9 = a33[16..24];
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v9 = (v9 << 1) ^ (b8 | r8);
            } else {
                let v10 = v9 + i;
                v9 = v10.with(i, b33[i]);
            }
        }
        let v11 = (!((a4 ^ r4) > 4));
        let v12 = ((a13 + 7) >> k);
        y1 = (!(!b4.xor()));
        y4 = a33[13..17];
        y8 = (!bit_cast::<8, 4>(bit_cast::<4, 13>(b13)));
        y13 = ((a13 ^ b13) | a13.with(12, r1)).with(5, (Self::odd(r13) & Self::odd(r13)));
        y33 = (!((r33 + b33) | (r33 | r33)));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R31 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R31 {
    fn update(&mut self) {
        let v1 = if b1 { bit_cast::<8, 33>(bit_cast::<33, 13>(r13)) } else if (r1 | r1) { r8 } else { (r8 << k).with(2, a13.xor()) };
        let v2 = match k { 0 => bit_cast::<13, 4>(b4).with(10, r33.all()), 1 | 2 => ((!b13) >> k), _ => ((r13 + 4) + 13) };
        let v3 = if b4[k] { (!(r8 << 0)) } else if v1.any() { (!r8.with(6, b1)) } else { ((v1 & r8) << 0) };
        let mut v4 = b33[20..28];
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v4 = (v4 << 1) ^ a8.with(3, a1);
            } else {
                let v5 = v4 + i;
                v4 = v5.with(i, a33[i]);
            }
        }
        let v7: Bits<33> = cat(v2, a4, a33[10..26]);
        let v6 = (r33 != (a33 + v7));
        let mut v8 = (v3 + b8);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v8 = (v8 << 1) ^ Self::mix(v3, v1);
            } else {
                let v9 = v8 + i;
                v8 = v9.with(i, r33[i]);
            }
        }
        let v10 = Self::mix((!v1), Self::mix(v4.with(4, a1), a8));
        let v11 = match k { 0 => b4, 1 | 2 => ((!r4) - a33[9..13]), _ => (bit_cast::<4, 8>(v1) - (b4 & b4)) };
        let v12 = bit_cast::<13, 33>(a33);
        y1 = bit_cast::<8, 4>((b4 ^ a4)).any();
        y4 = b33[10..14];
        y8 = (a8 << 4).with(7, bit_cast::<13, 13>(v2).all());
        let v13: Bits<13> = cat(b4, r1, b8);
        y13 = (!(v13 + 4));
        y33 = a33[0..33];
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R32 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R32 {
    fn update(&mut self) {
        let v1 = (!r33[3..11]);
        if b1 {
            r4 = bit_cast::<4, 8>(a8.with(0, r1));
        } else if k[0] {
            r4 = a4;
        }
        let v2 = a33;
        if ((r4 ^ b4) >= (a4 + 10)) {
            r1 = (!r33[k]);
        } else if k[0] {
            r1 = (!r13.any());
        }
        let mut v3 = bit_cast::<8, 13>(b13);
        for i in 0..4 {
            if v2[i * 3 + 1] {
                v3 = (v3 << 1) ^ (a8 + 12);
            } else {
                let v4 = v3 + i;
                v3 = v4.with(i, v2[i]);
            }
        }
        let v5 = (((r13 + b13) >> 9) - (r13 + 9));
        let mut v6 = v3;
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v6 = (v6 << 1) ^ a8.with(2, a1);
            } else {
                let v7 = v6 + i;
                v6 = v7.with(i, r33[i]);
            }
        }
        let v9: Bits<13> = cat((!b4), a33.any(), b8);
        let v8 = match k { 0 => ((b13 & v5) - (v5 & r13)), 1 | 2 => b13, _ => v9 };
        let v10 = if (a8 >> k).xor() { v2 } else if r4[3] { bit_cast::<33, 8>(v6).with(20, b1) } else { ((b33 + b33) + a33) };
        y1 = a1;
        y4 = (b33[19..23] << 3);
        y8 = (a33[8..16] - b33[7..15]);
        y13 = ((!b13.with(11, a1)) - ((r13 + b13) << 2));
        y33 = v2;
    }
}

#[block]
pub struct R33 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R33 {
    fn update(&mut self) {
        let mut v1 = a8.with(2, b1);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v1 = (v1 << 1) ^ (a8 ^ a8);
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, b33[i]);
            }
        }
        let v3 = (r33.with(3, b1).with(1, (a8 != b8)) | ((r33 & a33) | (r33 + 11)));
        let mut v4 = (a8 + r8);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v4 = (v4 << 1) ^ (!a8);
            } else {
                let v5 = v4 + i;
                v4 = v5.with(i, r33[i]);
            }
        }
        let v6 = match k { 0 => ((b4 ^ b4) + (b4 ^ a4)), 1 | 2 => ((b4 & r4) + bit_cast::<4, 4>(r4)), _ => (r4 + 6) };
        let v7 = match k { 0 => (bit_cast::<8, 33>(a33) >> k), 1 | 2 => b8, _ => b8 };
        let v8 = match k { 0 => r8, 1 | 2 => (a33[5..13] & Self::mix(v1, a8)), _ => ((!v4) + 0) };
        let v9 = ((!b4).with(0, (!a1)) ^ bit_cast::<4, 33>((r33 ^ a33)));
        let v10 = match k { 0 => v1, 1 | 2 => ((r8 << k) & bit_cast::<8, 33>(a33)), _ => (v8.with(0, b1) | v7.with(4, r1)) };
        let v11 = (a33.with(18, (r4 == v9)) + v3[0..33]);
        y1 = r1;
        y4 = ((r4 & (a4 | v6)) + 6);
        y8 = (v7 - (!v1)).with(4, (v3[0..33] >= a33));
        y13 = (((r13 | a13) - (!a13)) | (b13 & r13).with(7, (v4 <= 191)));
        y33 = (a33 << k);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R34 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R34 {
    fn update(&mut self) {
        let v2: Bits<13> = cat(r4, a1, a8);
        let v1 = ((v2 - (!b13)) + 4);
        let v3 = r33[15..28].with(2, (r1 && a1)).with(4, (b33 != bit_cast::<33, 33>(r33)));
        let v4 = (v3 + 5).with(6, (Self::odd(v1) && (a1 & b1)));
        let v5 = r33;
        let v6 = if (bit_cast::<13, 8>(r8) > (!b13)) { (bit_cast::<4, 8>(b8) ^ (!r4)) } else if Self::odd(v1) { bit_cast::<4, 13>(b13.with(0, b1)) } else { bit_cast::<4, 8>((a8 >> k)) };
        if (bit_cast::<33, 33>(v5) < 657738) {
            r1 = ((v6 + 9) <= 13);
        } else if k[0] {
            r1 = a1;
        }
        let v7 = (a4 + 13);
        let v8 = ((v7 | v6) & (v6 + 13)).all();
        if (Self::mix(r8, r8) != (a8 >> 2)) {
            r8 = ((r8 + 12) & a33[9..17]);
        } else if k[0] {
            r8 = r8;
        }
        y1 = (((b8 << k) + 7) != ((!b8) ^ b8.with(6, b1)));
        y4 = (b4 | bit_cast::<4, 13>(b13.with(9, a1)));
        y8 = Self::mix(Self::mix((b8 >> k), (b8 + a8)), ((a8 & b8) & Self::mix(b8, a8)));
        let v9: Bits<13> = cat(v7, v8, b8);
        let v10: Bits<13> = cat(b4, r1, b8);
        y13 = ((b13 - (v4 | r13)) & (v9 | v10));
        y33 = (b33[0..33] + 11).with(22, ((a1 & v8) && a8[k]));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R35 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R35 {
    fn update(&mut self) {
        let v1 = if ((r33 + 6) <= (r33 + r33)) { ((!b1) ^ a8[k]) } else if (a4 <= a4) { (Self::odd(b13) || (b1 && b1)) } else { (Self::odd(a13) | r1) };
        if Self::odd(bit_cast::<13, 33>(a33)) {
            r33 = ((!r33) & r33);
        } else if k[0] {
            r33 = r33;
        }
        let mut v2 = (r8 | b8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v2 = (v2 << 1) ^ a8;
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, b33[i]);
            }
        }
        let v4 = match k { 0 => bit_cast::<33, 33>((r33 + 9)), 1 | 2 => ((!r33) - (!r33)), _ => b33 };
        if (r33[10..18] == r33[18..26]) {
            r1 = a1;
        } else if k[0] {
            r1 = b4[k];
        }
        if a33[23] {
            r4 = ((a4 | b4) ^ (b4 + 15));
        } else if k[0] {
            r4 = (!(r4 + 14));
        }
        let v5 = Self::mix(a8, (!b33[15..23]));
        let v6 = if (!r4.all()) { (r4.with(3, v1) & (!r4)) } else if r1 { b33[15..19] } else { (a4.with(3, a1) - r33[4..8]) };
        let v7 = match k { 0 => (v4.with(21, r1) + 5), 1 | 2 => v4, _ => v4.with(0, (!v1)) };
        y1 = (b13.with(6, r1) ^ (b13 + 2)).all();
        y4 = (a4 << 0);
        y8 = r8;
        y13 = (b13 << 4);
        y33 = (((v7 | v4) >> k) << 20);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R36 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R36 {
    fn update(&mut self) {
        let v2: Bits<33> = cat(b13, b4, r33[10..26]);
        let v3: Bits<13> = cat(a4, r1, a8);
        let v4: Bits<33> = cat(v3, b33[11..15], b33[13..29]);
        let v1 = ((v2 + r33[0..33]) - v4);
        let v5 = if (r8 < (a8 | r8)) { bit_cast::<13, 8>(b8.with(4, r1)) } else if b8.all() { ((b13 ^ b13) ^ bit_cast::<13, 13>(r13)) } else { (r13 >> k).with(4, r4.all()) };
        let v6: Bits<33> = cat(b13, b4, a33[7..23]);
        if (!(!r1)) {
            r33 = v6.with(18, (a4 < a4));
        } else if k[0] {
            r33 = (b33[0..33] + 15);
        }
        let v7 = (r13 - b33[18..31]);
        let v9: Bits<33> = cat(v5, (b4 + 1), a33[13..29]);
        let v8 = match k { 0 => r33[0..33], 1 | 2 => v9, _ => v1[0..33] };
        let v10 = (bit_cast::<13, 13>((v5 | v5)) + ((a13 & v5) ^ r13));
        let v12: Bits<13> = cat(a4, b1, b8);
        let v13: Bits<13> = cat((b4 >> 0), (b1 & b1), Self::mix(r8, b8));
        let v11 = match k { 0 => ((v10 << k) & v12), 1 | 2 => v13, _ => bit_cast::<13, 4>(b4).with(9, r33[20]) };
        let v14 = if v5[k] { v1 } else if (b1 ^ r1) { ((a33 >> 7) + 4) } else { (b33[0..33] & (a33 + v8)) };
        let mut v15 = a8;
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v15 = (v15 << 1) ^ bit_cast::<8, 13>(a13);
            } else {
                let v16 = v15 + i;
                v15 = v16.with(i, a33[i]);
            }
        }
        y1 = b1;
        y4 = ((bit_cast::<4, 4>(a4) + 13) | r4);
        y8 = a33[10..18];
        y13 = (((v10 + 1) ^ v5.with(9, r1)) >> k);
        y33 = ((!v14) + r33.with(28, a1)).with(6, b1);
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
}

#[block]
pub struct R37 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R37 {
    fn update(&mut self) {
        let v1 = match k { 0 => (a13 << 8).with(0, (!b1)), 1 | 2 => ((a13 + 2) << 5), _ => (a13 - a13.with(11, b1)) };
        let mut v2 = (b8 + b8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v2 = (v2 << 1) ^ Self::mix(b8, r8);
            } else {
                let v3 = v2 + i;
                v2 = v3.with(i, b33[i]);
            }
        }
        let v4 = bit_cast::<4, 4>((b4.with(2, b1) >> 1));
        let v5 = match k { 0 => (bit_cast::<8, 4>(r4) ^ b8.with(7, b1)), 1 | 2 => r8, _ => ((a8 + v2) + r33[6..14]) };
        let v6 = ((!r4.with(3, r1)) + bit_cast::<4, 13>((!b13)));
        let mut v7 = b33[6..14];
        for i in 0..4 {
            if a33[i * 3 + 1] {
                v7 = (v7 << 1) ^ v2;
            } else {
                let v8 = v7 + i;
                v7 = v8.with(i, a33[i]);
            }
        }
        if ((a13 + 4) <= (a13 | b13)) {
            r1 = ((r13 & b13) <= (!r13));
        } else if k[0] {
            r1 = b4.with(2, a1).any();
        }
        let v9 = (!((r1 | r1) | Self::odd(v1)));
        let v10 = match k { 0 => (r33[11..19] >= (v5 << 6)), 1 | 2 => a33[10], _ => Self::odd(b13) };
        y1 = ((b33 + 15).any() || b8[k]);
        y4 = ((a4 + 11) + (v4 - v6)).with(3, a1);
        y8 = v5.with(7, (bit_cast::<13, 33>(b33) > v1));
        let v11: Bits<13> = cat(r4, v9, v2);
        let v12: Bits<13> = cat(v6, v9, v7);
        y13 = ((v11 & v12) - ((b13 << 8) >> 5));
        y33 = ((b33 ^ r33) ^ bit_cast::<33, 8>(r8)).with(31, ((v7 > b8) || v5[2]));
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R38 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R38 {
    fn update(&mut self) {
        if b33[22] {
            r4 = (bit_cast::<4, 13>(a13) + 11);
        } else if k[0] {
            r4 = a4;
        }
        let v1 = r13;
        let v2 = match k { 0 => bit_cast::<13, 8>((r8 + r8)), 1 | 2 => ((b13 & r13) + bit_cast::<13, 13>(b13)), _ => bit_cast::<13, 13>(b13).with(3, (!b1)) };
        let v3 = ((Self::mix(r8, b8) + 13) >= Self::mix((r8 - a8), r8));
        let v4 = if r33[12] { (a33[22..30] >> k) } else if (a1 & a1) { Self::mix(b33[13..21], b33[11..19]) } else { (Self::mix(a8, b8) + bit_cast::<8, 33>(a33)) };
        let v5: Bits<13> = cat(a4, r1, v4);
        if (!(!a1)) {
            r1 = Self::odd(v5);
        } else if k[0] {
            r1 = ((a13 << k) <= (b13 ^ v1));
        }
        let v6 = if ((b1 ^ b1) || r1) { b8 } else if (a1 ^ v3) { v4 } else { bit_cast::<8, 13>(v2.with(12, b1)) };
        let v7 = match k { 0 => (bit_cast::<4, 8>(v6) << k), 1 | 2 => ((r4 ^ a4) + (a4 & a4)), _ => ((b4 + 8) << k) };
        let v9: Bits<13> = cat(b4, (a33[0..33] >= 310388), bit_cast::<8, 13>(a13));
        let v8 = v9;
        y1 = v4[6];
        y4 = (b4 + b4.with(3, b1).with(2, (b1 || v3)));
        y8 = ((Self::mix(v6, b8) + 3) + 12);
        y13 = (bit_cast::<13, 33>((!a33)) + 15);
        y33 = a33[0..33];
    }

    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }

    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
}

#[block]
pub struct R39 {
    clock: In<Clock>,
    k: In<Bits<2>>,
    a1: In<Bit>,
    b1: In<Bit>,
    y1: Out<Bit>,
    r1: Reg<Bit>,
    a4: In<Bits<4>>,
    b4: In<Bits<4>>,
    y4: Out<Bits<4>>,
    r4: Reg<Bits<4>>,
    a8: In<Bits<8>>,
    b8: In<Bits<8>>,
    y8: Out<Bits<8>>,
    r8: Reg<Bits<8>>,
    a13: In<Bits<13>>,
    b13: In<Bits<13>>,
    y13: Out<Bits<13>>,
    r13: Reg<Bits<13>>,
    a33: In<Bits<33>>,
    b33: In<Bits<33>>,
    y33: Out<Bits<33>>,
    r33: Reg<Bits<33>>,
}

#[logic]
impl R39 {
    fn update(&mut self) {
        let mut v1 = (a8 - r8);
        for i in 0..4 {
            if b33[i * 3 + 1] {
                v1 = (v1 << 1) ^ b8.with(1, r1);
            } else {
                let v2 = v1 + i;
                v1 = v2.with(i, b33[i]);
            }
        }
        let v3 = (r33[3..16] + 5);
        let v4 = (((a4 & a4) & (a4 - b4)) ^ (b4 ^ (a4 | a4)));
        if ((v3 + 13) > b13) {
            r4 = ((r4 + 0) | (r4 ^ v4));
        } else if k[0] {
            r4 = a33[25..29];
        }
        let v5 = match k { 0 => ((a8 >> 0) & (r8 | a8)), 1 | 2 => b8, _ => r8 };
        let v6 = if b4[k] { bit_cast::<4, 4>((v4 << k)) } else if r33.all() { bit_cast::<4, 33>(bit_cast::<33, 33>(a33)) } else { (a4.with(2, b1) + 15) };
        let v8: Bits<13> = cat(b4, a1, a8);
        let v7 = (!v8).with(7, ((b33 < 2462) ^ (a8 != 60)));
        let mut v9 = bit_cast::<8, 13>(b13);
        for i in 0..4 {
            if r33[i * 3 + 1] {
                v9 = (v9 << 1) ^ (a8 ^ r8);
            } else {
                let v10 = v9 + i;
                v9 = v10.with(i, r33[i]);
            }
        }
        let v12: Bits<33> = cat((v3 | v7), (v4 - b4), a33[10..26]);
        let v11 = if v9[4] { v12 } else if (b33 < a33) { bit_cast::<33, 8>((v1 | v5)) } else { (r33.with(3, b1) + 10) };
        y1 = r1;
        y4 = (!v6);
        y8 = bit_cast::<8, 4>(((!r4) + 10));
        y13 = a13;
        y33 = (((a33 ^ b33) ^ (a33 >> k)) >> k);
    }
}

#[block]
pub struct Together {
    clock: In<Clock>,
    k_0: In<Bits<2>>,
    a1_0: In<Bit>,
    b1_0: In<Bit>,
    y1_0: Out<Bit>,
    a4_0: In<Bits<4>>,
    b4_0: In<Bits<4>>,
    y4_0: Out<Bits<4>>,
    a8_0: In<Bits<8>>,
    b8_0: In<Bits<8>>,
    y8_0: Out<Bits<8>>,
    a13_0: In<Bits<13>>,
    b13_0: In<Bits<13>>,
    y13_0: Out<Bits<13>>,
    a33_0: In<Bits<33>>,
    b33_0: In<Bits<33>>,
    y33_0: Out<Bits<33>>,
    #[wire(clock)]
    block_0: R0,
    k_1: In<Bits<2>>,
    a1_1: In<Bit>,
    b1_1: In<Bit>,
    y1_1: Out<Bit>,
    a4_1: In<Bits<4>>,
    b4_1: In<Bits<4>>,
    y4_1: Out<Bits<4>>,
    a8_1: In<Bits<8>>,
    b8_1: In<Bits<8>>,
    y8_1: Out<Bits<8>>,
    a13_1: In<Bits<13>>,
    b13_1: In<Bits<13>>,
    y13_1: Out<Bits<13>>,
    a33_1: In<Bits<33>>,
    b33_1: In<Bits<33>>,
    y33_1: Out<Bits<33>>,
    #[wire(clock)]
    block_1: R1,
    k_2: In<Bits<2>>,
    a1_2: In<Bit>,
    b1_2: In<Bit>,
    y1_2: Out<Bit>,
    a4_2: In<Bits<4>>,
    b4_2: In<Bits<4>>,
    y4_2: Out<Bits<4>>,
    a8_2: In<Bits<8>>,
    b8_2: In<Bits<8>>,
    y8_2: Out<Bits<8>>,
    a13_2: In<Bits<13>>,
    b13_2: In<Bits<13>>,
    y13_2: Out<Bits<13>>,
    a33_2: In<Bits<33>>,
    b33_2: In<Bits<33>>,
    y33_2: Out<Bits<33>>,
    #[wire(clock)]
    block_2: R2,
    k_3: In<Bits<2>>,
    a1_3: In<Bit>,
    b1_3: In<Bit>,
    y1_3: Out<Bit>,
    a4_3: In<Bits<4>>,
    b4_3: In<Bits<4>>,
    y4_3: Out<Bits<4>>,
    a8_3: In<Bits<8>>,
    b8_3: In<Bits<8>>,
    y8_3: Out<Bits<8>>,
    a13_3: In<Bits<13>>,
    b13_3: In<Bits<13>>,
    y13_3: Out<Bits<13>>,
    a33_3: In<Bits<33>>,
    b33_3: In<Bits<33>>,
    y33_3: Out<Bits<33>>,
    #[wire(clock)]
    block_3: R3,
    k_4: In<Bits<2>>,
    a1_4: In<Bit>,
    b1_4: In<Bit>,
    y1_4: Out<Bit>,
    a4_4: In<Bits<4>>,
    b4_4: In<Bits<4>>,
    y4_4: Out<Bits<4>>,
    a8_4: In<Bits<8>>,
    b8_4: In<Bits<8>>,
    y8_4: Out<Bits<8>>,
    a13_4: In<Bits<13>>,
    b13_4: In<Bits<13>>,
    y13_4: Out<Bits<13>>,
    a33_4: In<Bits<33>>,
    b33_4: In<Bits<33>>,
    y33_4: Out<Bits<33>>,
    #[wire(clock)]
    block_4: R4,
    k_5: In<Bits<2>>,
    a1_5: In<Bit>,
    b1_5: In<Bit>,
    y1_5: Out<Bit>,
    a4_5: In<Bits<4>>,
    b4_5: In<Bits<4>>,
    y4_5: Out<Bits<4>>,
    a8_5: In<Bits<8>>,
    b8_5: In<Bits<8>>,
    y8_5: Out<Bits<8>>,
    a13_5: In<Bits<13>>,
    b13_5: In<Bits<13>>,
    y13_5: Out<Bits<13>>,
    a33_5: In<Bits<33>>,
    b33_5: In<Bits<33>>,
    y33_5: Out<Bits<33>>,
    #[wire(clock)]
    block_5: R5,
    k_6: In<Bits<2>>,
    a1_6: In<Bit>,
    b1_6: In<Bit>,
    y1_6: Out<Bit>,
    a4_6: In<Bits<4>>,
    b4_6: In<Bits<4>>,
    y4_6: Out<Bits<4>>,
    a8_6: In<Bits<8>>,
    b8_6: In<Bits<8>>,
    y8_6: Out<Bits<8>>,
    a13_6: In<Bits<13>>,
    b13_6: In<Bits<13>>,
    y13_6: Out<Bits<13>>,
    a33_6: In<Bits<33>>,
    b33_6: In<Bits<33>>,
    y33_6: Out<Bits<33>>,
    #[wire(clock)]
    block_6: R6,
    k_7: In<Bits<2>>,
    a1_7: In<Bit>,
    b1_7: In<Bit>,
    y1_7: Out<Bit>,
    a4_7: In<Bits<4>>,
    b4_7: In<Bits<4>>,
    y4_7: Out<Bits<4>>,
    a8_7: In<Bits<8>>,
    b8_7: In<Bits<8>>,
    y8_7: Out<Bits<8>>,
    a13_7: In<Bits<13>>,
    b13_7: In<Bits<13>>,
    y13_7: Out<Bits<13>>,
    a33_7: In<Bits<33>>,
    b33_7: In<Bits<33>>,
    y33_7: Out<Bits<33>>,
    #[wire(clock)]
    block_7: R7,
    k_8: In<Bits<2>>,
    a1_8: In<Bit>,
    b1_8: In<Bit>,
    y1_8: Out<Bit>,
    a4_8: In<Bits<4>>,
    b4_8: In<Bits<4>>,
    y4_8: Out<Bits<4>>,
    a8_8: In<Bits<8>>,
    b8_8: In<Bits<8>>,
    y8_8: Out<Bits<8>>,
    a13_8: In<Bits<13>>,
    b13_8: In<Bits<13>>,
    y13_8: Out<Bits<13>>,
    a33_8: In<Bits<33>>,
    b33_8: In<Bits<33>>,
    y33_8: Out<Bits<33>>,
    #[wire(clock)]
    block_8: R8,
    k_9: In<Bits<2>>,
    a1_9: In<Bit>,
    b1_9: In<Bit>,
    y1_9: Out<Bit>,
    a4_9: In<Bits<4>>,
    b4_9: In<Bits<4>>,
    y4_9: Out<Bits<4>>,
    a8_9: In<Bits<8>>,
    b8_9: In<Bits<8>>,
    y8_9: Out<Bits<8>>,
    a13_9: In<Bits<13>>,
    b13_9: In<Bits<13>>,
    y13_9: Out<Bits<13>>,
    a33_9: In<Bits<33>>,
    b33_9: In<Bits<33>>,
    y33_9: Out<Bits<33>>,
    #[wire(clock)]
    block_9: R9,
    k_10: In<Bits<2>>,
    a1_10: In<Bit>,
    b1_10: In<Bit>,
    y1_10: Out<Bit>,
    a4_10: In<Bits<4>>,
    b4_10: In<Bits<4>>,
    y4_10: Out<Bits<4>>,
    a8_10: In<Bits<8>>,
    b8_10: In<Bits<8>>,
    y8_10: Out<Bits<8>>,
    a13_10: In<Bits<13>>,
    b13_10: In<Bits<13>>,
    y13_10: Out<Bits<13>>,
    a33_10: In<Bits<33>>,
    b33_10: In<Bits<33>>,
    y33_10: Out<Bits<33>>,
    #[wire(clock)]
    block_10: R10,
    k_11: In<Bits<2>>,
    a1_11: In<Bit>,
    b1_11: In<Bit>,
    y1_11: Out<Bit>,
    a4_11: In<Bits<4>>,
    b4_11: In<Bits<4>>,
    y4_11: Out<Bits<4>>,
    a8_11: In<Bits<8>>,
    b8_11: In<Bits<8>>,
    y8_11: Out<Bits<8>>,
    a13_11: In<Bits<13>>,
    b13_11: In<Bits<13>>,
    y13_11: Out<Bits<13>>,
    a33_11: In<Bits<33>>,
    b33_11: In<Bits<33>>,
    y33_11: Out<Bits<33>>,
    #[wire(clock)]
    block_11: R11,
    k_12: In<Bits<2>>,
    a1_12: In<Bit>,
    b1_12: In<Bit>,
    y1_12: Out<Bit>,
    a4_12: In<Bits<4>>,
    b4_12: In<Bits<4>>,
    y4_12: Out<Bits<4>>,
    a8_12: In<Bits<8>>,
    b8_12: In<Bits<8>>,
    y8_12: Out<Bits<8>>,
    a13_12: In<Bits<13>>,
    b13_12: In<Bits<13>>,
    y13_12: Out<Bits<13>>,
    a33_12: In<Bits<33>>,
    b33_12: In<Bits<33>>,
    y33_12: Out<Bits<33>>,
    #[wire(clock)]
    block_12: R12,
    k_13: In<Bits<2>>,
    a1_13: In<Bit>,
    b1_13: In<Bit>,
    y1_13: Out<Bit>,
    a4_13: In<Bits<4>>,
    b4_13: In<Bits<4>>,
    y4_13: Out<Bits<4>>,
    a8_13: In<Bits<8>>,
    b8_13: In<Bits<8>>,
    y8_13: Out<Bits<8>>,
    a13_13: In<Bits<13>>,
    b13_13: In<Bits<13>>,
    y13_13: Out<Bits<13>>,
    a33_13: In<Bits<33>>,
    b33_13: In<Bits<33>>,
    y33_13: Out<Bits<33>>,
    #[wire(clock)]
    block_13: R13,
    k_14: In<Bits<2>>,
    a1_14: In<Bit>,
    b1_14: In<Bit>,
    y1_14: Out<Bit>,
    a4_14: In<Bits<4>>,
    b4_14: In<Bits<4>>,
    y4_14: Out<Bits<4>>,
    a8_14: In<Bits<8>>,
    b8_14: In<Bits<8>>,
    y8_14: Out<Bits<8>>,
    a13_14: In<Bits<13>>,
    b13_14: In<Bits<13>>,
    y13_14: Out<Bits<13>>,
    a33_14: In<Bits<33>>,
    b33_14: In<Bits<33>>,
    y33_14: Out<Bits<33>>,
    #[wire(clock)]
    block_14: R14,
    k_15: In<Bits<2>>,
    a1_15: In<Bit>,
    b1_15: In<Bit>,
    y1_15: Out<Bit>,
    a4_15: In<Bits<4>>,
    b4_15: In<Bits<4>>,
    y4_15: Out<Bits<4>>,
    a8_15: In<Bits<8>>,
    b8_15: In<Bits<8>>,
    y8_15: Out<Bits<8>>,
    a13_15: In<Bits<13>>,
    b13_15: In<Bits<13>>,
    y13_15: Out<Bits<13>>,
    a33_15: In<Bits<33>>,
    b33_15: In<Bits<33>>,
    y33_15: Out<Bits<33>>,
    #[wire(clock)]
    block_15: R15,
    k_16: In<Bits<2>>,
    a1_16: In<Bit>,
    b1_16: In<Bit>,
    y1_16: Out<Bit>,
    a4_16: In<Bits<4>>,
    b4_16: In<Bits<4>>,
    y4_16: Out<Bits<4>>,
    a8_16: In<Bits<8>>,
    b8_16: In<Bits<8>>,
    y8_16: Out<Bits<8>>,
    a13_16: In<Bits<13>>,
    b13_16: In<Bits<13>>,
    y13_16: Out<Bits<13>>,
    a33_16: In<Bits<33>>,
    b33_16: In<Bits<33>>,
    y33_16: Out<Bits<33>>,
    #[wire(clock)]
    block_16: R16,
    k_17: In<Bits<2>>,
    a1_17: In<Bit>,
    b1_17: In<Bit>,
    y1_17: Out<Bit>,
    a4_17: In<Bits<4>>,
    b4_17: In<Bits<4>>,
    y4_17: Out<Bits<4>>,
    a8_17: In<Bits<8>>,
    b8_17: In<Bits<8>>,
    y8_17: Out<Bits<8>>,
    a13_17: In<Bits<13>>,
    b13_17: In<Bits<13>>,
    y13_17: Out<Bits<13>>,
    a33_17: In<Bits<33>>,
    b33_17: In<Bits<33>>,
    y33_17: Out<Bits<33>>,
    #[wire(clock)]
    block_17: R17,
    k_18: In<Bits<2>>,
    a1_18: In<Bit>,
    b1_18: In<Bit>,
    y1_18: Out<Bit>,
    a4_18: In<Bits<4>>,
    b4_18: In<Bits<4>>,
    y4_18: Out<Bits<4>>,
    a8_18: In<Bits<8>>,
    b8_18: In<Bits<8>>,
    y8_18: Out<Bits<8>>,
    a13_18: In<Bits<13>>,
    b13_18: In<Bits<13>>,
    y13_18: Out<Bits<13>>,
    a33_18: In<Bits<33>>,
    b33_18: In<Bits<33>>,
    y33_18: Out<Bits<33>>,
    #[wire(clock)]
    block_18: R18,
    k_19: In<Bits<2>>,
    a1_19: In<Bit>,
    b1_19: In<Bit>,
    y1_19: Out<Bit>,
    a4_19: In<Bits<4>>,
    b4_19: In<Bits<4>>,
    y4_19: Out<Bits<4>>,
    a8_19: In<Bits<8>>,
    b8_19: In<Bits<8>>,
    y8_19: Out<Bits<8>>,
    a13_19: In<Bits<13>>,
    b13_19: In<Bits<13>>,
    y13_19: Out<Bits<13>>,
    a33_19: In<Bits<33>>,
    b33_19: In<Bits<33>>,
    y33_19: Out<Bits<33>>,
    #[wire(clock)]
    block_19: R19,
    k_20: In<Bits<2>>,
    a1_20: In<Bit>,
    b1_20: In<Bit>,
    y1_20: Out<Bit>,
    a4_20: In<Bits<4>>,
    b4_20: In<Bits<4>>,
    y4_20: Out<Bits<4>>,
    a8_20: In<Bits<8>>,
    b8_20: In<Bits<8>>,
    y8_20: Out<Bits<8>>,
    a13_20: In<Bits<13>>,
    b13_20: In<Bits<13>>,
    y13_20: Out<Bits<13>>,
    a33_20: In<Bits<33>>,
    b33_20: In<Bits<33>>,
    y33_20: Out<Bits<33>>,
    #[wire(clock)]
    block_20: R20,
    k_21: In<Bits<2>>,
    a1_21: In<Bit>,
    b1_21: In<Bit>,
    y1_21: Out<Bit>,
    a4_21: In<Bits<4>>,
    b4_21: In<Bits<4>>,
    y4_21: Out<Bits<4>>,
    a8_21: In<Bits<8>>,
    b8_21: In<Bits<8>>,
    y8_21: Out<Bits<8>>,
    a13_21: In<Bits<13>>,
    b13_21: In<Bits<13>>,
    y13_21: Out<Bits<13>>,
    a33_21: In<Bits<33>>,
    b33_21: In<Bits<33>>,
    y33_21: Out<Bits<33>>,
    #[wire(clock)]
    block_21: R21,
    k_22: In<Bits<2>>,
    a1_22: In<Bit>,
    b1_22: In<Bit>,
    y1_22: Out<Bit>,
    a4_22: In<Bits<4>>,
    b4_22: In<Bits<4>>,
    y4_22: Out<Bits<4>>,
    a8_22: In<Bits<8>>,
    b8_22: In<Bits<8>>,
    y8_22: Out<Bits<8>>,
    a13_22: In<Bits<13>>,
    b13_22: In<Bits<13>>,
    y13_22: Out<Bits<13>>,
    a33_22: In<Bits<33>>,
    b33_22: In<Bits<33>>,
    y33_22: Out<Bits<33>>,
    #[wire(clock)]
    block_22: R22,
    k_23: In<Bits<2>>,
    a1_23: In<Bit>,
    b1_23: In<Bit>,
    y1_23: Out<Bit>,
    a4_23: In<Bits<4>>,
    b4_23: In<Bits<4>>,
    y4_23: Out<Bits<4>>,
    a8_23: In<Bits<8>>,
    b8_23: In<Bits<8>>,
    y8_23: Out<Bits<8>>,
    a13_23: In<Bits<13>>,
    b13_23: In<Bits<13>>,
    y13_23: Out<Bits<13>>,
    a33_23: In<Bits<33>>,
    b33_23: In<Bits<33>>,
    y33_23: Out<Bits<33>>,
    #[wire(clock)]
    block_23: R23,
    k_24: In<Bits<2>>,
    a1_24: In<Bit>,
    b1_24: In<Bit>,
    y1_24: Out<Bit>,
    a4_24: In<Bits<4>>,
    b4_24: In<Bits<4>>,
    y4_24: Out<Bits<4>>,
    a8_24: In<Bits<8>>,
    b8_24: In<Bits<8>>,
    y8_24: Out<Bits<8>>,
    a13_24: In<Bits<13>>,
    b13_24: In<Bits<13>>,
    y13_24: Out<Bits<13>>,
    a33_24: In<Bits<33>>,
    b33_24: In<Bits<33>>,
    y33_24: Out<Bits<33>>,
    #[wire(clock)]
    block_24: R24,
    k_25: In<Bits<2>>,
    a1_25: In<Bit>,
    b1_25: In<Bit>,
    y1_25: Out<Bit>,
    a4_25: In<Bits<4>>,
    b4_25: In<Bits<4>>,
    y4_25: Out<Bits<4>>,
    a8_25: In<Bits<8>>,
    b8_25: In<Bits<8>>,
    y8_25: Out<Bits<8>>,
    a13_25: In<Bits<13>>,
    b13_25: In<Bits<13>>,
    y13_25: Out<Bits<13>>,
    a33_25: In<Bits<33>>,
    b33_25: In<Bits<33>>,
    y33_25: Out<Bits<33>>,
    #[wire(clock)]
    block_25: R25,
    k_26: In<Bits<2>>,
    a1_26: In<Bit>,
    b1_26: In<Bit>,
    y1_26: Out<Bit>,
    a4_26: In<Bits<4>>,
    b4_26: In<Bits<4>>,
    y4_26: Out<Bits<4>>,
    a8_26: In<Bits<8>>,
    b8_26: In<Bits<8>>,
    y8_26: Out<Bits<8>>,
    a13_26: In<Bits<13>>,
    b13_26: In<Bits<13>>,
    y13_26: Out<Bits<13>>,
    a33_26: In<Bits<33>>,
    b33_26: In<Bits<33>>,
    y33_26: Out<Bits<33>>,
    #[wire(clock)]
    block_26: R26,
    k_27: In<Bits<2>>,
    a1_27: In<Bit>,
    b1_27: In<Bit>,
    y1_27: Out<Bit>,
    a4_27: In<Bits<4>>,
    b4_27: In<Bits<4>>,
    y4_27: Out<Bits<4>>,
    a8_27: In<Bits<8>>,
    b8_27: In<Bits<8>>,
    y8_27: Out<Bits<8>>,
    a13_27: In<Bits<13>>,
    b13_27: In<Bits<13>>,
    y13_27: Out<Bits<13>>,
    a33_27: In<Bits<33>>,
    b33_27: In<Bits<33>>,
    y33_27: Out<Bits<33>>,
    #[wire(clock)]
    block_27: R27,
    k_28: In<Bits<2>>,
    a1_28: In<Bit>,
    b1_28: In<Bit>,
    y1_28: Out<Bit>,
    a4_28: In<Bits<4>>,
    b4_28: In<Bits<4>>,
    y4_28: Out<Bits<4>>,
    a8_28: In<Bits<8>>,
    b8_28: In<Bits<8>>,
    y8_28: Out<Bits<8>>,
    a13_28: In<Bits<13>>,
    b13_28: In<Bits<13>>,
    y13_28: Out<Bits<13>>,
    a33_28: In<Bits<33>>,
    b33_28: In<Bits<33>>,
    y33_28: Out<Bits<33>>,
    #[wire(clock)]
    block_28: R28,
    k_29: In<Bits<2>>,
    a1_29: In<Bit>,
    b1_29: In<Bit>,
    y1_29: Out<Bit>,
    a4_29: In<Bits<4>>,
    b4_29: In<Bits<4>>,
    y4_29: Out<Bits<4>>,
    a8_29: In<Bits<8>>,
    b8_29: In<Bits<8>>,
    y8_29: Out<Bits<8>>,
    a13_29: In<Bits<13>>,
    b13_29: In<Bits<13>>,
    y13_29: Out<Bits<13>>,
    a33_29: In<Bits<33>>,
    b33_29: In<Bits<33>>,
    y33_29: Out<Bits<33>>,
    #[wire(clock)]
    block_29: R29,
    k_30: In<Bits<2>>,
    a1_30: In<Bit>,
    b1_30: In<Bit>,
    y1_30: Out<Bit>,
    a4_30: In<Bits<4>>,
    b4_30: In<Bits<4>>,
    y4_30: Out<Bits<4>>,
    a8_30: In<Bits<8>>,
    b8_30: In<Bits<8>>,
    y8_30: Out<Bits<8>>,
    a13_30: In<Bits<13>>,
    b13_30: In<Bits<13>>,
    y13_30: Out<Bits<13>>,
    a33_30: In<Bits<33>>,
    b33_30: In<Bits<33>>,
    y33_30: Out<Bits<33>>,
    #[wire(clock)]
    block_30: R30,
    k_31: In<Bits<2>>,
    a1_31: In<Bit>,
    b1_31: In<Bit>,
    y1_31: Out<Bit>,
    a4_31: In<Bits<4>>,
    b4_31: In<Bits<4>>,
    y4_31: Out<Bits<4>>,
    a8_31: In<Bits<8>>,
    b8_31: In<Bits<8>>,
    y8_31: Out<Bits<8>>,
    a13_31: In<Bits<13>>,
    b13_31: In<Bits<13>>,
    y13_31: Out<Bits<13>>,
    a33_31: In<Bits<33>>,
    b33_31: In<Bits<33>>,
    y33_31: Out<Bits<33>>,
    #[wire(clock)]
    block_31: R31,
    k_32: In<Bits<2>>,
    a1_32: In<Bit>,
    b1_32: In<Bit>,
    y1_32: Out<Bit>,
    a4_32: In<Bits<4>>,
    b4_32: In<Bits<4>>,
    y4_32: Out<Bits<4>>,
    a8_32: In<Bits<8>>,
    b8_32: In<Bits<8>>,
    y8_32: Out<Bits<8>>,
    a13_32: In<Bits<13>>,
    b13_32: In<Bits<13>>,
    y13_32: Out<Bits<13>>,
    a33_32: In<Bits<33>>,
    b33_32: In<Bits<33>>,
    y33_32: Out<Bits<33>>,
    #[wire(clock)]
    block_32: R32,
    k_33: In<Bits<2>>,
    a1_33: In<Bit>,
    b1_33: In<Bit>,
    y1_33: Out<Bit>,
    a4_33: In<Bits<4>>,
    b4_33: In<Bits<4>>,
    y4_33: Out<Bits<4>>,
    a8_33: In<Bits<8>>,
    b8_33: In<Bits<8>>,
    y8_33: Out<Bits<8>>,
    a13_33: In<Bits<13>>,
    b13_33: In<Bits<13>>,
    y13_33: Out<Bits<13>>,
    a33_33: In<Bits<33>>,
    b33_33: In<Bits<33>>,
    y33_33: Out<Bits<33>>,
    #[wire(clock)]
    block_33: R33,
    k_34: In<Bits<2>>,
    a1_34: In<Bit>,
    b1_34: In<Bit>,
    y1_34: Out<Bit>,
    a4_34: In<Bits<4>>,
    b4_34: In<Bits<4>>,
    y4_34: Out<Bits<4>>,
    a8_34: In<Bits<8>>,
    b8_34: In<Bits<8>>,
    y8_34: Out<Bits<8>>,
    a13_34: In<Bits<13>>,
    b13_34: In<Bits<13>>,
    y13_34: Out<Bits<13>>,
    a33_34: In<Bits<33>>,
    b33_34: In<Bits<33>>,
    y33_34: Out<Bits<33>>,
    #[wire(clock)]
    block_34: R34,
    k_35: In<Bits<2>>,
    a1_35: In<Bit>,
    b1_35: In<Bit>,
    y1_35: Out<Bit>,
    a4_35: In<Bits<4>>,
    b4_35: In<Bits<4>>,
    y4_35: Out<Bits<4>>,
    a8_35: In<Bits<8>>,
    b8_35: In<Bits<8>>,
    y8_35: Out<Bits<8>>,
    a13_35: In<Bits<13>>,
    b13_35: In<Bits<13>>,
    y13_35: Out<Bits<13>>,
    a33_35: In<Bits<33>>,
    b33_35: In<Bits<33>>,
    y33_35: Out<Bits<33>>,
    #[wire(clock)]
    block_35: R35,
    k_36: In<Bits<2>>,
    a1_36: In<Bit>,
    b1_36: In<Bit>,
    y1_36: Out<Bit>,
    a4_36: In<Bits<4>>,
    b4_36: In<Bits<4>>,
    y4_36: Out<Bits<4>>,
    a8_36: In<Bits<8>>,
    b8_36: In<Bits<8>>,
    y8_36: Out<Bits<8>>,
    a13_36: In<Bits<13>>,
    b13_36: In<Bits<13>>,
    y13_36: Out<Bits<13>>,
    a33_36: In<Bits<33>>,
    b33_36: In<Bits<33>>,
    y33_36: Out<Bits<33>>,
    #[wire(clock)]
    block_36: R36,
    k_37: In<Bits<2>>,
    a1_37: In<Bit>,
    b1_37: In<Bit>,
    y1_37: Out<Bit>,
    a4_37: In<Bits<4>>,
    b4_37: In<Bits<4>>,
    y4_37: Out<Bits<4>>,
    a8_37: In<Bits<8>>,
    b8_37: In<Bits<8>>,
    y8_37: Out<Bits<8>>,
    a13_37: In<Bits<13>>,
    b13_37: In<Bits<13>>,
    y13_37: Out<Bits<13>>,
    a33_37: In<Bits<33>>,
    b33_37: In<Bits<33>>,
    y33_37: Out<Bits<33>>,
    #[wire(clock)]
    block_37: R37,
    k_38: In<Bits<2>>,
    a1_38: In<Bit>,
    b1_38: In<Bit>,
    y1_38: Out<Bit>,
    a4_38: In<Bits<4>>,
    b4_38: In<Bits<4>>,
    y4_38: Out<Bits<4>>,
    a8_38: In<Bits<8>>,
    b8_38: In<Bits<8>>,
    y8_38: Out<Bits<8>>,
    a13_38: In<Bits<13>>,
    b13_38: In<Bits<13>>,
    y13_38: Out<Bits<13>>,
    a33_38: In<Bits<33>>,
    b33_38: In<Bits<33>>,
    y33_38: Out<Bits<33>>,
    #[wire(clock)]
    block_38: R38,
    k_39: In<Bits<2>>,
    a1_39: In<Bit>,
    b1_39: In<Bit>,
    y1_39: Out<Bit>,
    a4_39: In<Bits<4>>,
    b4_39: In<Bits<4>>,
    y4_39: Out<Bits<4>>,
    a8_39: In<Bits<8>>,
    b8_39: In<Bits<8>>,
    y8_39: Out<Bits<8>>,
    a13_39: In<Bits<13>>,
    b13_39: In<Bits<13>>,
    y13_39: Out<Bits<13>>,
    a33_39: In<Bits<33>>,
    b33_39: In<Bits<33>>,
    y33_39: Out<Bits<33>>,
    #[wire(clock)]
    block_39: R39,
}

#[logic]
impl Together {
    fn update(&mut self) {
        block_0 = In { k: k_0, a1: a1_0, b1: b1_0, a4: a4_0, b4: b4_0, a8: a8_0, b8: b8_0, a13: a13_0, b13: b13_0, a33: a33_0, b33: b33_0 };
        y1_0 = block_0.y1;
        y4_0 = block_0.y4;
        y8_0 = block_0.y8;
        y13_0 = block_0.y13;
        y33_0 = block_0.y33;
        block_1 = In { k: k_1, a1: a1_1, b1: b1_1, a4: a4_1, b4: b4_1, a8: a8_1, b8: b8_1, a13: a13_1, b13: b13_1, a33: a33_1, b33: b33_1 };
        y1_1 = block_1.y1;
        y4_1 = block_1.y4;
        y8_1 = block_1.y8;
        y13_1 = block_1.y13;
        y33_1 = block_1.y33;
        block_2 = In { k: k_2, a1: a1_2, b1: b1_2, a4: a4_2, b4: b4_2, a8: a8_2, b8: b8_2, a13: a13_2, b13: b13_2, a33: a33_2, b33: b33_2 };
        y1_2 = block_2.y1;
        y4_2 = block_2.y4;
        y8_2 = block_2.y8;
        y13_2 = block_2.y13;
        y33_2 = block_2.y33;
        block_3 = In { k: k_3, a1: a1_3, b1: b1_3, a4: a4_3, b4: b4_3, a8: a8_3, b8: b8_3, a13: a13_3, b13: b13_3, a33: a33_3, b33: b33_3 };
        y1_3 = block_3.y1;
        y4_3 = block_3.y4;
        y8_3 = block_3.y8;
        y13_3 = block_3.y13;
        y33_3 = block_3.y33;
        block_4 = In { k: k_4, a1: a1_4, b1: b1_4, a4: a4_4, b4: b4_4, a8: a8_4, b8: b8_4, a13: a13_4, b13: b13_4, a33: a33_4, b33: b33_4 };
        y1_4 = block_4.y1;
        y4_4 = block_4.y4;
        y8_4 = block_4.y8;
        y13_4 = block_4.y13;
        y33_4 = block_4.y33;
        block_5 = In { k: k_5, a1: a1_5, b1: b1_5, a4: a4_5, b4: b4_5, a8: a8_5, b8: b8_5, a13: a13_5, b13: b13_5, a33: a33_5, b33: b33_5 };
        y1_5 = block_5.y1;
        y4_5 = block_5.y4;
        y8_5 = block_5.y8;
        y13_5 = block_5.y13;
        y33_5 = block_5.y33;
        block_6 = In { k: k_6, a1: a1_6, b1: b1_6, a4: a4_6, b4: b4_6, a8: a8_6, b8: b8_6, a13: a13_6, b13: b13_6, a33: a33_6, b33: b33_6 };
        y1_6 = block_6.y1;
        y4_6 = block_6.y4;
        y8_6 = block_6.y8;
        y13_6 = block_6.y13;
        y33_6 = block_6.y33;
        block_7 = In { k: k_7, a1: a1_7, b1: b1_7, a4: a4_7, b4: b4_7, a8: a8_7, b8: b8_7, a13: a13_7, b13: b13_7, a33: a33_7, b33: b33_7 };
        y1_7 = block_7.y1;
        y4_7 = block_7.y4;
        y8_7 = block_7.y8;
        y13_7 = block_7.y13;
        y33_7 = block_7.y33;
        block_8 = In { k: k_8, a1: a1_8, b1: b1_8, a4: a4_8, b4: b4_8, a8: a8_8, b8: b8_8, a13: a13_8, b13: b13_8, a33: a33_8, b33: b33_8 };
        y1_8 = block_8.y1;
        y4_8 = block_8.y4;
        y8_8 = block_8.y8;
        y13_8 = block_8.y13;
        y33_8 = block_8.y33;
        block_9 = In { k: k_9, a1: a1_9, b1: b1_9, a4: a4_9, b4: b4_9, a8: a8_9, b8: b8_9, a13: a13_9, b13: b13_9, a33: a33_9, b33: b33_9 };
        y1_9 = block_9.y1;
        y4_9 = block_9.y4;
        y8_9 = block_9.y8;
        y13_9 = block_9.y13;
        y33_9 = block_9.y33;
        block_10 = In { k: k_10, a1: a1_10, b1: b1_10, a4: a4_10, b4: b4_10, a8: a8_10, b8: b8_10, a13: a13_10, b13: b13_10, a33: a33_10, b33: b33_10 };
        y1_10 = block_10.y1;
        y4_10 = block_10.y4;
        y8_10 = block_10.y8;
        y13_10 = block_10.y13;
        y33_10 = block_10.y33;
        block_11 = In { k: k_11, a1: a1_11, b1: b1_11, a4: a4_11, b4: b4_11, a8: a8_11, b8: b8_11, a13: a13_11, b13: b13_11, a33: a33_11, b33: b33_11 };
        y1_11 = block_11.y1;
        y4_11 = block_11.y4;
        y8_11 = block_11.y8;
        y13_11 = block_11.y13;
        y33_11 = block_11.y33;
        block_12 = In { k: k_12, a1: a1_12, b1: b1_12, a4: a4_12, b4: b4_12, a8: a8_12, b8: b8_12, a13: a13_12, b13: b13_12, a33: a33_12, b33: b33_12 };
        y1_12 = block_12.y1;
        y4_12 = block_12.y4;
        y8_12 = block_12.y8;
        y13_12 = block_12.y13;
        y33_12 = block_12.y33;
        block_13 = In { k: k_13, a1: a1_13, b1: b1_13, a4: a4_13, b4: b4_13, a8: a8_13, b8: b8_13, a13: a13_13, b13: b13_13, a33: a33_13, b33: b33_13 };
        y1_13 = block_13.y1;
        y4_13 = block_13.y4;
        y8_13 = block_13.y8;
        y13_13 = block_13.y13;
        y33_13 = block_13.y33;
        block_14 = In { k: k_14, a1: a1_14, b1: b1_14, a4: a4_14, b4: b4_14, a8: a8_14, b8: b8_14, a13: a13_14, b13: b13_14, a33: a33_14, b33: b33_14 };
        y1_14 = block_14.y1;
        y4_14 = block_14.y4;
        y8_14 = block_14.y8;
        y13_14 = block_14.y13;
        y33_14 = block_14.y33;
        block_15 = In { k: k_15, a1: a1_15, b1: b1_15, a4: a4_15, b4: b4_15, a8: a8_15, b8: b8_15, a13: a13_15, b13: b13_15, a33: a33_15, b33: b33_15 };
        y1_15 = block_15.y1;
        y4_15 = block_15.y4;
        y8_15 = block_15.y8;
        y13_15 = block_15.y13;
        y33_15 = block_15.y33;
        block_16 = In { k: k_16, a1: a1_16, b1: b1_16, a4: a4_16, b4: b4_16, a8: a8_16, b8: b8_16, a13: a13_16, b13: b13_16, a33: a33_16, b33: b33_16 };
        y1_16 = block_16.y1;
        y4_16 = block_16.y4;
        y8_16 = block_16.y8;
        y13_16 = block_16.y13;
        y33_16 = block_16.y33;
        block_17 = In { k: k_17, a1: a1_17, b1: b1_17, a4: a4_17, b4: b4_17, a8: a8_17, b8: b8_17, a13: a13_17, b13: b13_17, a33: a33_17, b33: b33_17 };
        y1_17 = block_17.y1;
        y4_17 = block_17.y4;
        y8_17 = block_17.y8;
        y13_17 = block_17.y13;
        y33_17 = block_17.y33;
        block_18 = In { k: k_18, a1: a1_18, b1: b1_18, a4: a4_18, b4: b4_18, a8: a8_18, b8: b8_18, a13: a13_18, b13: b13_18, a33: a33_18, b33: b33_18 };
        y1_18 = block_18.y1;
        y4_18 = block_18.y4;
        y8_18 = block_18.y8;
        y13_18 = block_18.y13;
        y33_18 = block_18.y33;
        block_19 = In { k: k_19, a1: a1_19, b1: b1_19, a4: a4_19, b4: b4_19, a8: a8_19, b8: b8_19, a13: a13_19, b13: b13_19, a33: a33_19, b33: b33_19 };
        y1_19 = block_19.y1;
        y4_19 = block_19.y4;
        y8_19 = block_19.y8;
        y13_19 = block_19.y13;
        y33_19 = block_19.y33;
        block_20 = In { k: k_20, a1: a1_20, b1: b1_20, a4: a4_20, b4: b4_20, a8: a8_20, b8: b8_20, a13: a13_20, b13: b13_20, a33: a33_20, b33: b33_20 };
        y1_20 = block_20.y1;
        y4_20 = block_20.y4;
        y8_20 = block_20.y8;
        y13_20 = block_20.y13;
        y33_20 = block_20.y33;
        block_21 = In { k: k_21, a1: a1_21, b1: b1_21, a4: a4_21, b4: b4_21, a8: a8_21, b8: b8_21, a13: a13_21, b13: b13_21, a33: a33_21, b33: b33_21 };
        y1_21 = block_21.y1;
        y4_21 = block_21.y4;
        y8_21 = block_21.y8;
        y13_21 = block_21.y13;
        y33_21 = block_21.y33;
        block_22 = In { k: k_22, a1: a1_22, b1: b1_22, a4: a4_22, b4: b4_22, a8: a8_22, b8: b8_22, a13: a13_22, b13: b13_22, a33: a33_22, b33: b33_22 };
        y1_22 = block_22.y1;
        y4_22 = block_22.y4;
        y8_22 = block_22.y8;
        y13_22 = block_22.y13;
        y33_22 = block_22.y33;
        block_23 = In { k: k_23, a1: a1_23, b1: b1_23, a4: a4_23, b4: b4_23, a8: a8_23, b8: b8_23, a13: a13_23, b13: b13_23, a33: a33_23, b33: b33_23 };
        y1_23 = block_23.y1;
        y4_23 = block_23.y4;
        y8_23 = block_23.y8;
        y13_23 = block_23.y13;
        y33_23 = block_23.y33;
        block_24 = In { k: k_24, a1: a1_24, b1: b1_24, a4: a4_24, b4: b4_24, a8: a8_24, b8: b8_24, a13: a13_24, b13: b13_24, a33: a33_24, b33: b33_24 };
        y1_24 = block_24.y1;
        y4_24 = block_24.y4;
        y8_24 = block_24.y8;
        y13_24 = block_24.y13;
        y33_24 = block_24.y33;
        block_25 = In { k: k_25, a1: a1_25, b1: b1_25, a4: a4_25, b4: b4_25, a8: a8_25, b8: b8_25, a13: a13_25, b13: b13_25, a33: a33_25, b33: b33_25 };
        y1_25 = block_25.y1;
        y4_25 = block_25.y4;
        y8_25 = block_25.y8;
        y13_25 = block_25.y13;
        y33_25 = block_25.y33;
        block_26 = In { k: k_26, a1: a1_26, b1: b1_26, a4: a4_26, b4: b4_26, a8: a8_26, b8: b8_26, a13: a13_26, b13: b13_26, a33: a33_26, b33: b33_26 };
        y1_26 = block_26.y1;
        y4_26 = block_26.y4;
        y8_26 = block_26.y8;
        y13_26 = block_26.y13;
        y33_26 = block_26.y33;
        block_27 = In { k: k_27, a1: a1_27, b1: b1_27, a4: a4_27, b4: b4_27, a8: a8_27, b8: b8_27, a13: a13_27, b13: b13_27, a33: a33_27, b33: b33_27 };
        y1_27 = block_27.y1;
        y4_27 = block_27.y4;
        y8_27 = block_27.y8;
        y13_27 = block_27.y13;
        y33_27 = block_27.y33;
        block_28 = In { k: k_28, a1: a1_28, b1: b1_28, a4: a4_28, b4: b4_28, a8: a8_28, b8: b8_28, a13: a13_28, b13: b13_28, a33: a33_28, b33: b33_28 };
        y1_28 = block_28.y1;
        y4_28 = block_28.y4;
        y8_28 = block_28.y8;
        y13_28 = block_28.y13;
        y33_28 = block_28.y33;
        block_29 = In { k: k_29, a1: a1_29, b1: b1_29, a4: a4_29, b4: b4_29, a8: a8_29, b8: b8_29, a13: a13_29, b13: b13_29, a33: a33_29, b33: b33_29 };
        y1_29 = block_29.y1;
        y4_29 = block_29.y4;
        y8_29 = block_29.y8;
        y13_29 = block_29.y13;
        y33_29 = block_29.y33;
        block_30 = In { k: k_30, a1: a1_30, b1: b1_30, a4: a4_30, b4: b4_30, a8: a8_30, b8: b8_30, a13: a13_30, b13: b13_30, a33: a33_30, b33: b33_30 };
        y1_30 = block_30.y1;
        y4_30 = block_30.y4;
        y8_30 = block_30.y8;
        y13_30 = block_30.y13;
        y33_30 = block_30.y33;
        block_31 = In { k: k_31, a1: a1_31, b1: b1_31, a4: a4_31, b4: b4_31, a8: a8_31, b8: b8_31, a13: a13_31, b13: b13_31, a33: a33_31, b33: b33_31 };
        y1_31 = block_31.y1;
        y4_31 = block_31.y4;
        y8_31 = block_31.y8;
        y13_31 = block_31.y13;
        y33_31 = block_31.y33;
        block_32 = In { k: k_32, a1: a1_32, b1: b1_32, a4: a4_32, b4: b4_32, a8: a8_32, b8: b8_32, a13: a13_32, b13: b13_32, a33: a33_32, b33: b33_32 };
        y1_32 = block_32.y1;
        y4_32 = block_32.y4;
        y8_32 = block_32.y8;
        y13_32 = block_32.y13;
        y33_32 = block_32.y33;
        block_33 = In { k: k_33, a1: a1_33, b1: b1_33, a4: a4_33, b4: b4_33, a8: a8_33, b8: b8_33, a13: a13_33, b13: b13_33, a33: a33_33, b33: b33_33 };
        y1_33 = block_33.y1;
        y4_33 = block_33.y4;
        y8_33 = block_33.y8;
        y13_33 = block_33.y13;
        y33_33 = block_33.y33;
        block_34 = In { k: k_34, a1: a1_34, b1: b1_34, a4: a4_34, b4: b4_34, a8: a8_34, b8: b8_34, a13: a13_34, b13: b13_34, a33: a33_34, b33: b33_34 };
        y1_34 = block_34.y1;
        y4_34 = block_34.y4;
        y8_34 = block_34.y8;
        y13_34 = block_34.y13;
        y33_34 = block_34.y33;
        block_35 = In { k: k_35, a1: a1_35, b1: b1_35, a4: a4_35, b4: b4_35, a8: a8_35, b8: b8_35, a13: a13_35, b13: b13_35, a33: a33_35, b33: b33_35 };
        y1_35 = block_35.y1;
        y4_35 = block_35.y4;
        y8_35 = block_35.y8;
        y13_35 = block_35.y13;
        y33_35 = block_35.y33;
        block_36 = In { k: k_36, a1: a1_36, b1: b1_36, a4: a4_36, b4: b4_36, a8: a8_36, b8: b8_36, a13: a13_36, b13: b13_36, a33: a33_36, b33: b33_36 };
        y1_36 = block_36.y1;
        y4_36 = block_36.y4;
        y8_36 = block_36.y8;
        y13_36 = block_36.y13;
        y33_36 = block_36.y33;
        block_37 = In { k: k_37, a1: a1_37, b1: b1_37, a4: a4_37, b4: b4_37, a8: a8_37, b8: b8_37, a13: a13_37, b13: b13_37, a33: a33_37, b33: b33_37 };
        y1_37 = block_37.y1;
        y4_37 = block_37.y4;
        y8_37 = block_37.y8;
        y13_37 = block_37.y13;
        y33_37 = block_37.y33;
        block_38 = In { k: k_38, a1: a1_38, b1: b1_38, a4: a4_38, b4: b4_38, a8: a8_38, b8: b8_38, a13: a13_38, b13: b13_38, a33: a33_38, b33: b33_38 };
        y1_38 = block_38.y1;
        y4_38 = block_38.y4;
        y8_38 = block_38.y8;
        y13_38 = block_38.y13;
        y33_38 = block_38.y33;
        block_39 = In { k: k_39, a1: a1_39, b1: b1_39, a4: a4_39, b4: b4_39, a8: a8_39, b8: b8_39, a13: a13_39, b13: b13_39, a33: a33_39, b33: b33_39 };
        y1_39 = block_39.y1;
        y4_39 = block_39.y4;
        y8_39 = block_39.y8;
        y13_39 = block_39.y13;
        y33_39 = block_39.y33;
    }
}

super::all!(R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, R17, R18, R19, R20, R21, R22, R23, R24, R25, R26, R27, R28, R29, R30, R31, R32, R33, R34, R35, R36, R37, R38, R39);
