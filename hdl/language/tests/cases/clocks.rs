//! # Several clocks
//!
//! `#[block(clock = .., clear = ..)]` names what registers get that say nothing; `#[wire(clock = .., clear = ..)]` says it of one. Which clock a
//! register has that no name decides is an error.

use crate::prim::{Register, Synchronizer};
use flitforge_base::prelude::*;

/// A flag from a fast clock, seen by a slow one.
#[block(clock = fast, clear = fast_clear)]
pub struct Case {
    fast: In<Clock>,
    fast_clear: In<Bit>,
    slow: In<Clock>,
    set: In<Bit>,
    seen: Out<Bit>,
    count: Out<Bits<4>>,
    flag: Register<Bit>,
    #[init(Synchronizer::new(false).unwrap_or_else(|_| unreachable!()))]
    #[wire(clock = slow, d = flag)]
    across: Synchronizer<2>,
    #[wire(clock = slow, clear = !across.q, enable = true)]
    counted: Register<Bits<4>>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        flag = set;
        counted = counted + 1;
        seen = across.q;
        count = counted;
    }
}
