//! What neither macro nor compiler can see is refused when the block is elaborated, or stops its simulation.

use crate::support::ready;
use flitforge_base::prelude::*;
use flitforge_elaborate::elaborate;

#[block]
pub struct ShortCat {
    a: In<Bits<4>>,
    y: Out<Bits<8>>,
}

#[logic]
impl ShortCat {
    fn update(&mut self) {
        y = cat(a, a[0..3]);
    }
}

#[block]
pub struct LargeNumber {
    a: In<Bits<4>>,
    y: Out<Bits<4>>,
}

#[logic]
impl LargeNumber {
    fn update(&mut self) {
        y = a + 16;
    }
}

#[packed]
pub struct Pair {
    low: Bits<2>,
    high: Bits<2>,
}

#[block]
pub struct LargeField {
    a: In<Bits<2>>,
    y: Out<Pair>,
}

#[logic]
impl LargeField {
    fn update(&mut self) {
        y = Pair { low: 5, high: a };
    }
}

#[block]
pub struct BeyondTheEnd {
    a: In<Bits<4>>,
    y: Out<Bit>,
}

#[logic]
impl BeyondTheEnd {
    fn update(&mut self) {
        y = a[4];
    }
}

#[block]
pub struct GivenSometimes {
    clock: In<Clock>,
    a: In<Bit>,
    y: Out<Bit>,
    #[wire(d = _)]
    held: Reg<Bit>,
}

#[logic]
impl GivenSometimes {
    fn update(&mut self) {
        if a {
            held = true;
        }
        y = held;
    }
}

fn refused(block: impl Block) -> String {
    let design = match elaborate(&block, "top") {
        Ok(design) => design,
        Err(error) => return error.to_string(),
    };
    use flitforge_elaborate::check::{structure, CrossingCatalogue, Severity};
    let problems = structure(&design, &CrossingCatalogue::permit_all());
    let errors = problems.into_iter().filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| problem.to_string()).collect::<Vec<_>>().join("; ")
}

#[test]
fn widths_and_ranges() {
    let cases = [
        (refused(ready(ShortCat::default())), "7"),
        (refused(ready(LargeNumber::default())), "16"),
        (refused(ready(LargeField::default())), "5 does not fit 2 bits"),
        (refused(ready(BeyondTheEnd::default())), "4"),
        (refused(ready(GivenSometimes::default())), "held"),
    ];
    for (said, what) in cases {
        println!("{said}");
        assert!(said.contains(what), "{said}");
    }
}

#[test]
#[should_panic(expected = "`cat` has 7 bits where 8 are wanted")]
fn a_short_cat_stops_the_simulation() {
    ready(ShortCat::default()).update_all();
}
