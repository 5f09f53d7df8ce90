//! # State machines
//!
//! A register of an enum holds a state. A `match` on it is exhaustive as in Rust; `a | b` names several variants. Numbers are matched the same way,
//! and so are named constants. An arm has no guard, and one bit is asked with `if`.

use flitforge_base::prelude::*;

const LAST: usize = 1;

/// What the machine does.
#[packed]
pub enum State {
    Idle,
    Run,
    Stop,
}

/// Runs for a few clocks.
#[block]
pub struct Case {
    clock: In<Clock>,
    clear: In<Bit>,
    go: In<Bit>,
    busy: Out<Bit>,
    step: Out<Bits<2>>,
    state: Reg<State>,
    count: Reg<Bits<2>>,
}

#[logic]
impl Case {
    fn update(&mut self) {
        match state {
            State::Idle => {
                count = 0;
                if go {
                    state = State::Run;
                }
            }
            State::Run => {
                count = count + 1;
                match count {
                    LAST => {
                        if go {
                            state = State::Stop;
                        }
                    }
                    2 | 3 => state = State::Idle,
                    _ => (),
                }
            }
            State::Stop => state = State::Idle,
        }
        if clear {
            state = State::Idle;
        }
        busy = match state {
            State::Run | State::Stop => true,
            State::Idle => false,
        };
        step = count;
    }
}
