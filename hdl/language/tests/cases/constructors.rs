//! # Constructors
//!
//! A block has `Default`: signals and registers start at zero or with `#[init(..)]`, children with their own `Default`. With
//! `#[block(new)]` it has none, and its impl has constructors of its own: `Self { x: .., .. }` names some fields and fills in the
//! rest.
//!
//! Values of `#[init(..)]` that are numbers, named constants, the place of `|place| ..` and what `+ - * / % << >>` make of them
//! take the type of the field. A variant of a coded enum of the protocol gives a field of `Bits` its code. Others have the type.
//!
//! An impl in another module than its struct says where that is: `#[logic(super)]`.

use crate::config::ConfigError;
use crate::prim::ram::{Ram, RamConfig};
use flitforge_base::prelude::*;
use flitforge_protocol::time_ring::SlotKind;

/// A table with a threshold.
#[block("constructors", new, words = 1usize << A)]
pub struct Case<const A: usize = 4> {
    clock: In<Clock>,
    address: In<Bits<A>>,
    write: In<Bit>,
    word: In<Bits<8>>,
    high: Out<Bit>,
    token: Out<Bit>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    memory: Ram<Bits<8>, A>,
    threshold: Constant<Bits<8>>,
    #[init([SlotKind::Token, SlotKind::High])]
    kinds: [Constant<Bits<8>>; 2],
    #[init(2 * (A + 1))]
    odd: Constant<Bits<8>>,
}

mod logic {
    use super::*;

    #[logic(super)]
    impl<const A: usize> Case<A> {
        /// A table that tells which words are above `threshold`.
        pub fn new(threshold: u64) -> Result<Self, ConfigError> {
            let memory = Ram::new(RamConfig::distributed(1 << A))?;
            Ok(Self { memory, threshold: Constant::new(threshold.into()), .. })
        }

        fn update(&mut self) {
            memory.write_address = address;
            memory.read_address = address;
            memory.write_enable = write;
            memory.write_data = word;
            high = memory.read_data > threshold;
            token = (word == kinds[0]) | (word == kinds[1]) | (word == odd);
        }
    }
}
