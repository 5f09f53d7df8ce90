//! What functions refuse.
use flitforge_base::prelude::*;

mod unknown {
    use super::*;
    #[block]
    struct Case {
        a: In<Bit>,
        y: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a);
        }
    }
}

mod without_self {
    use super::*;
    #[block]
    struct Case {
        a: In<Bit>,
        y: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = inverse(a);
        }
        fn inverse(x: Bit) -> Bit {
            !x
        }
    }
}

mod too_many_arguments {
    use super::*;
    #[block]
    struct Case {
        a: In<Bit>,
        y: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a, a);
        }
        fn inverse(x: Bit) -> Bit {
            !x
        }
    }
}

mod recursive {
    use super::*;
    #[block]
    struct Case {
        a: In<Bit>,
        y: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a);
        }
        fn inverse(x: Bit) -> Bit {
            Self::inverse(!x)
        }
    }
}

mod reads_a_field {
    use super::*;
    #[block]
    struct Case {
        a: In<Bit>,
        y: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a);
        }
        fn inverse(x: Bit) -> Bit {
            !x & a
        }
    }
}

mod drives {
    use super::*;
    #[block]
    struct Case {
        a: In<Bit>,
        y: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a);
        }
        fn inverse(x: Bit) -> Bit {
            y = x;
            !x
        }
    }
}

mod with_parameters {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a);
        }
        fn inverse<const N: usize>(x: Bits<N>) -> Bits<N> {
            !x
        }
    }
}

mod without_a_value {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a);
        }
        fn inverse(x: Bits<4>) {}
    }
}

mod ends_without_its_value {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = Self::inverse(a);
        }
        fn inverse(x: Bits<4>) -> Bits<4> {
            return !x;
        }
    }
}

fn main() {}
