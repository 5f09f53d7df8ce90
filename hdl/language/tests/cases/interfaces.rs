//! # Interfaces
//!
//! `#[interface]` makes a struct of ports, `#[interface(join = Other)]` names the one of the opposite directions. A `pub` field
//! of such a type is an interface of the block; one with rust-hdl's derive `LogicInterface` is the same. rust-hdl has no arrays
//! in interfaces, and no private ones.
//!
//! `link(own, child.port)` passes one through to a child, `join(child.out, other.in)` connects two of opposite directions; both
//! may be elements of arrays. Ports of an interface are read and driven one by one, `words_in.ready = room`, or together, `copy =
//! In { data, valid }`.

use crate::prim::skid::Skid;
use crate::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;

/// A word that is asked for.
#[interface(join = Asked)]
pub struct Asks<T: Synth> {
    wants: Out<Bit>,
    word: In<T>,
}

/// A word that is given.
#[interface(join = Asks)]
pub struct Asked<T: Synth> {
    wants: In<Bit>,
    word: Out<T>,
}

/// Gives what it is asked for.
#[block("giver")]
pub struct Giver {
    n: In<Bits<8>>,
    pub asked: Asked<Bits<8>>,
}

#[logic]
impl Giver {
    fn update(&mut self) {
        asked.word = if asked.wants { n } else { 0 };
    }
}

/// Two stages after each other, twice.
#[block]
pub struct Case {
    clock: In<Clock>,
    clear: In<Bit>,
    pub words_in: [StreamIn<Bits<8>>; 2],
    pub words_out: [StreamOut<Bits<8>>; 2],
    pub moved: FlowOut<Bits<8>>,
    pub asks: Asks<Bits<8>>,
    pub asked: Asked<Bits<8>>,
    #[wire(n = asks.word)]
    giver: Giver,
    #[wire(clock, clear)]
    front: [Skid<Bits<8>>; 2],
    #[wire(clock, clear)]
    back: [Skid<Bits<8>>; 2],
}

#[logic]
impl Case {
    fn update(&mut self) {
        for i in 0..2 {
            link(words_in[i], front[i].words_in);
            join(front[i].words_out, back[i].words_in);
            link(words_out[i], back[i].words_out);
        }
        link(asked, giver.asked);
        asks.wants = front[0].has_room & asks.word[7];
        moved = In { data: front[0].words_out.data, valid: front[0].words_out.valid & back[0].words_in.ready };
    }
}
