//! What a struct of a block refuses.
use flitforge_base::prelude::*;

mod written_as_in_rust_hdl {
    use super::*;
    #[block]
    struct Case {
        a: Signal<In, Bit>,
    }
}

mod written_as_a_dff {
    use super::*;
    #[block]
    struct Case {
        a: DFF<Bit>,
    }
}

mod without_a_type {
    use super::*;
    #[block]
    struct Case {
        a: In,
    }
}

mod a_word_of_verilog {
    use super::*;
    #[block]
    struct Case {
        config: In<Bit>,
    }
}

mod arrays_of_arrays {
    use super::*;
    #[block]
    struct Case {
        a: [[In<Bit>; 2]; 3],
    }
}

mod tuples {
    use super::*;
    #[block]
    struct Case(In<Bit>);
}

mod a_where_clause {
    use super::*;
    #[block]
    struct Case<T>
    where
        T: Synth,
    {
        a: In<T>,
    }
}

mod a_start_of_a_flip_flop {
    use super::*;
    #[block]
    struct Case {
        #[init(3)]
        a: Reg<Bits<4>>,
    }
}

mod a_start_of_a_port {
    use super::*;
    #[block]
    struct Case {
        #[init(3)]
        a: Out<Bits<4>>,
    }
}

mod wires_of_a_port {
    use super::*;
    #[block]
    struct Case {
        #[wire(clock)]
        a: Out<Bits<4>>,
    }
}

mod a_field_under_a_condition {
    use super::*;
    #[block]
    struct Case {
        #[cfg(test)]
        a: Out<Bits<4>>,
    }
}

mod an_unknown_option {
    use super::*;
    #[block(width = 4)]
    struct Case {
        a: Out<Bits<4>>,
    }
}

mod an_unknown_clock {
    use super::*;
    #[block(clock = slow)]
    struct Case {
        a: Out<Bits<4>>,
    }
}

mod an_interface_with_a_register {
    use super::*;
    #[interface]
    struct Case {
        a: Reg<Bit>,
    }
}

mod an_interface_with_an_array {
    use super::*;
    #[interface]
    struct Case {
        a: [In<Bit>; 2],
    }
}

mod an_interface_with_an_option {
    use super::*;
    #[interface(other = There)]
    struct Case {
        a: In<Bit>,
    }
}

fn main() {}
