//! What the compiler refuses, at the token of the body.
use flitforge_base::prelude::*;
use flitforge_protocol::time_ring::slot_control as slot;

const TEXT: &str = "5";

mod another_width {
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
            let x: Bits<4> = a;
        }
    }
}

mod driven_with_another_width {
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
            bit = a;
        }
    }
}

mod a_bit_that_is_a_number {
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
            bit = 1;
        }
    }
}

mod an_operand_of_another_width {
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
            let x = a[0..4] + b;
        }
    }
}

mod a_condition {
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
            if a {
                y = b;
            }
        }
    }
}

mod a_constant_that_is_no_number {
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
            y = a + TEXT;
        }
    }
}

mod a_field_that_is_not_there {
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
            bit = a.low;
        }
    }
}

mod two_branches {
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
            let x = if go { a } else { go };
        }
    }
}

mod a_layout_with_several_bits {
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
            y = a.with(slot::kind, go);
        }
    }
}

mod an_initial_value_without_a_code {
    use super::*;
    #[packed]
    enum Turn {
        Left,
        Right,
    }
    #[block]
    struct Case {
        a: In<Bits<8>>,
        y: Out<Bits<8>>,
        #[init(Turn::Right)]
        turn: Constant<Bits<8>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = a ^ turn;
        }
    }
}

fn main() {}
