//! What steps refuse.
use flitforge_base::prelude::*;

mod unknown {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            self.sum();
        }
    }
}

mod called_twice {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            self.first();
            self.first();
        }
        fn first(&mut self) {
            y = a;
        }
    }
}

mod calls_itself {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            self.first();
        }
        fn first(&mut self) {
            self.first();
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
            self.first();
        }
        fn first<const N: usize>(&mut self) {
            y = a;
        }
    }
}

mod too_few_arguments {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            self.first();
        }
        fn first(&mut self, x: Bits<4>) {
            y = x;
        }
    }
}

mod other_argument {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let z = !a;
            self.first(z);
        }
        fn first(&mut self, x: Bits<4>) {
            y = x;
        }
    }
}

mod argument_of_another_type {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = a;
            self.first(x);
        }
        fn first(&mut self, x: Bits<5>) {
            y = x;
        }
    }
}

mod changes_its_argument {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let mut x = a;
            self.first(x);
            y = x;
        }
        fn first(&mut self, x: Bits<4>) {
            x = !a;
        }
    }
}

mod value_not_taken {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            self.first();
        }
        fn first(&mut self) -> Bits<4> {
            let x = !a;
            x
        }
    }
}

mod no_value {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = self.first();
            y = x;
        }
        fn first(&mut self) {
            y = a;
        }
    }
}

mod other_name_given {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let z = self.first();
            y = z;
        }
        fn first(&mut self) -> Bits<4> {
            let x = !a;
            x
        }
    }
}

mod too_few_names {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = self.first();
            y = x;
        }
        fn first(&mut self) -> (Bits<4>, Bit) {
            let x = !a;
            let z = a.any();
            (x, z)
        }
    }
}

mod value_of_another_type {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = self.first();
            y = x;
        }
        fn first(&mut self) -> Bits<5> {
            let x = !a;
            x
        }
    }
}

mod mutable_name {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let mut x = self.first();
            y = x;
        }
        fn first(&mut self) -> Bits<4> {
            let x = !a;
            x
        }
    }
}

mod sees_what_it_does_not_take {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = !a;
            self.first();
        }
        fn first(&mut self) {
            y = x;
        }
    }
}

mod sees_what_it_is_not_given {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            let x = self.first();
            y = x & z;
        }
        fn first(&mut self) -> Bits<4> {
            let z = !a;
            let x = z + 1;
            x
        }
    }
}

mod inside_a_value {
    use super::*;
    #[block]
    struct Case {
        a: In<Bits<4>>,
        y: Out<Bits<4>>,
    }
    #[logic]
    impl Case {
        fn update(&mut self) {
            y = self.first() + 1;
        }
        fn first(&mut self) -> Bits<4> {
            let x = !a;
            x
        }
    }
}

fn main() {}
