//! What `if`, `match` and `for` refuse.
use flitforge_base::prelude::*;

mod without_else {
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
            let x = if go {
                a
            };
        }
    }
}

mod a_value_without_a_value {
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
            y = if go {
                a
            } else {
                held = b;
            };
        }
    }
}

mod a_statement_in_a_value {
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
            y = if go {
                held = b;
                a
            } else {
                b
            };
        }
    }
}

mod in_an_operand {
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
            y = a + if go { a } else { b };
        }
    }
}

mod if_let {
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
            if let x = a {
                y = b;
            }
        }
    }
}

mod a_guard {
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
            match a {
                1 if go => y = b,
                _ => y = a,
            }
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
            match go {
                true => y = a,
                false => y = b,
            }
        }
    }
}

mod a_binding {
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
            match a {
                other => y = b,
            }
        }
    }
}

mod of_a_sum {
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
            match a + b {
                1 => y = b,
                _ => y = a,
            }
        }
    }
}

mod an_inclusive_loop {
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
            for i in 0..=1 {
                row[i] = a;
            }
        }
    }
}

mod a_loop_over_something {
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
            for i in a {
                y = b;
            }
        }
    }
}

mod a_loop_to_a_signal {
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
            for i in 0..a {
                y = b;
            }
        }
    }
}

mod a_while {
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
            while go {
                y = b;
            }
        }
    }
}

mod not_exhaustive {
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
            match a {
                1 => y = a,
            }
        }
    }
}

mod a_label {
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
            'rows: for i in 0..2 {
                row[i] = a;
            }
        }
    }
}

fn main() {}
