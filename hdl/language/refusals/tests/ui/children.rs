//! What children and interfaces refuse.
use flitforge_base::prelude::*;

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "There"]
pub struct Here {
    pub go: Signal<Out, Bit>,
}

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Here"]
pub struct There {
    pub go: Signal<In, Bit>,
}

flitforge_elaborate::drive_ports!(impl[] Here { go });
flitforge_elaborate::drive_ports!(impl[] There { go });

#[block]
pub struct Child {
    a: In<Bits<4>>,
    q: Out<Bits<4>>,
    pub there: There,
}

#[logic]
impl Child {
    fn update(&mut self) {
        q = a;
    }
}

mod a_child_as_a_value {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = child;
        }
    }
}

mod driven_as_a_whole {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            child = a;
        }
    }
}

mod with_a_rest {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            child = In { a, .. };
        }
    }
}

mod an_unknown_port {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            child = In { b: a };
        }
    }
}

mod an_unknown_port_read {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = child.z;
        }
    }
}

mod one_interface {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            link(here);
        }
    }
}

mod no_interface {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            link(here, 5);
        }
    }
}

mod links_of_other_types {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            link(here, child.there);
        }
    }
}

mod joins_of_one_type {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            join(here, here_too);
        }
    }
}

mod another_statement {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            connect(here, child.there);
        }
    }
}

mod a_port_of_an_array {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = many.q;
        }
    }
}

mod a_port_without_bits {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            bit = child.there[0];
        }
    }
}

mod outputs_left_away {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            Out { y, .. } = child;
        }
    }
}

mod outputs_of_a_signal {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
        bit: Out<Bit>,
        pub here: Here,
        pub here_too: Here,
        child: Child,
        many: [Child; 2],
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            Out { y } = a;
        }
    }
}

fn main() {}
