//! What the impl of a block refuses, and what is wired by itself.
use flitforge_base::prelude::*;

mod without_update {
    use super::*;
    #[block]
    struct Case {
        a: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn logic(&mut self) {}
    }
}

mod another_update {
    use super::*;
    #[block]
    struct Case {
        a: Out<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&self) {}
    }
}

mod a_trait {
    use super::*;
    #[block]
    struct Case {
        a: Out<Bit>,
    }
    #[logic]
    impl Logic for Case {
        fn update(&mut self) {}
    }
}

mod a_where_clause {
    use super::*;
    #[block]
    struct Case<T: Synth> {
        a: Out<T>,
    }
    #[logic]
    impl<T> Case<T>
    where
        T: Synth,
    {
        fn update(&mut self) {}
    }
}

mod in_another_module {
    use super::*;
    #[block]
    struct Case {
        a: Out<Bit>,
    }
    #[logic(super)]
    impl Case {
        fn update(&mut self) {}
    }
}

mod no_clock {
    use super::*;
    #[block]
    struct Case {
        fast: In<Clock>,
        a: Reg<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            a = true;
        }
    }
}

mod wired_twice {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        go: In<Bit>,
        #[wire(clock)]
        a: Reg<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            a.clock = clock;
        }
    }
}

mod an_unknown_pin {
    use super::*;
    #[block]
    struct Case {
        clock: In<Clock>,
        go: In<Bit>,
        #[wire(enable = go)]
        a: Reg<Bit>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            a = true;
        }
    }
}

fn main() {}
