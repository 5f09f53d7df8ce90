//! What cannot be driven, and `let`s.
use flitforge_base::prelude::*;

mod with_self {
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
            y = self.a;
        }
    }
}

mod with_next {
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
            self.y.next = a;
        }
    }
}

mod an_unknown_name {
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
            z = a;
        }
    }
}

mod an_input {
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
            a = b;
        }
    }
}

mod a_constant {
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
            four = a;
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
            row = a;
        }
    }
}

mod one_bit {
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
            y[3] = go;
        }
    }
}

mod a_sum {
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
            a + b = y;
        }
    }
}

mod added_to {
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
            y += a;
        }
    }
}

mod a_let_again {
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
            let x = a;
            x = b;
        }
    }
}

mod a_name_of_a_field {
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
            let y = a;
        }
    }
}

mod a_name_twice {
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
            let x = a;
            let x = b;
        }
    }
}

mod a_loop_named_as_a_field {
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
            for a in 0..2 {
                row[a] = b;
            }
        }
    }
}

mod a_number_without_a_width {
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
            let x = 5;
        }
    }
}

mod without_a_value {
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
            let x: Bits<8>;
        }
    }
}

mod a_pattern {
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
            let (x, z) = a;
        }
    }
}

mod a_let_else {
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
            let x = a else { return };
        }
    }
}

mod a_reference {
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
            let ref x = a;
        }
    }
}

mod a_child_that_is_none {
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
            y = In { a: b };
        }
    }
}

mod a_field_of_an_input {
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
            a.low = b;
        }
    }
}

mod no_hardware {
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
            y = _note;
        }
    }
}

mod a_return {
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
            return;
        }
    }
}

mod a_macro {
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
            dff_setup!(self, clock, held);
        }
    }
}

mod an_item {
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
            const K: usize = 3;
        }
    }
}

mod a_word_of_verilog {
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
            let wire = a;
        }
    }
}

mod an_attribute {
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
            #[cfg(test)]
            {
                y = a;
            }
        }
    }
}

fn main() {}
