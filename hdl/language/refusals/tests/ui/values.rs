//! What values are refused.
use flitforge_base::prelude::*;

mod unknown {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = z;
        }
    }
}

mod an_array {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = row;
        }
    }
}

mod a_cast {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = a as Bits<8>;
        }
    }
}

mod minus {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = -a;
        }
    }
}

mod divided {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = a / b;
        }
    }
}

mod two_numbers {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            bit = 1 == 2;
        }
    }
}

mod a_large_number {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = 99999999999999999999999;
        }
    }
}

mod a_suffix {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = a + 1u8;
        }
    }
}

mod a_text {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = "a";
        }
    }
}

mod an_old_method {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            bit = a.get_bit(3);
        }
    }
}

mod an_unknown_method {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = a.count();
        }
    }
}

mod an_unknown_function {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = clog2(4);
        }
    }
}

mod a_foreign_function {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = std::mem::take(a);
        }
    }
}

mod bits_of_a_sum {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            bit = (a ^ b)[0];
        }
    }
}

mod an_open_range {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = a[2..];
        }
    }
}

mod an_inclusive_range {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = a[2..=4];
        }
    }
}

mod a_range_of_signals {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = a[0..b];
        }
    }
}

mod an_index_that_is_a_sum {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            bit = a[b + 1];
        }
    }
}

mod an_element_by_a_signal {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            row[a] = b;
        }
    }
}

mod bits_without_a_width {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = a.bits(2);
        }
    }
}

mod cat_of_a_number {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = cat(1, a[0..7]);
        }
    }
}

mod a_cast_without_widths {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = bit_cast(a);
        }
    }
}

mod a_cast_of_a_number {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = bit_cast::<8, 4>(3);
        }
    }
}

mod a_width_of_a_signal {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = bits::<8>(a);
        }
    }
}

mod a_struct_in_an_operand {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = a + Pair { low: go };
        }
    }
}

mod a_tuple {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = (a, b);
        }
    }
}

mod a_method_of_cat {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        a: In<Bits<8>>,
        b: In<Bits<8>>,
        go: In<Bit>,
        y: Out<Bits<8>>,
        bit: Out<Bit>,
        row: [Out<Bits<8>>; 2],
        held: Reg<Bits<8>>,
        #[init(4)]
        four: Constant<Bits<8>>,
        _note: u8,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            bit = cat(a, b).xor();
        }
    }
}

fn main() {}
