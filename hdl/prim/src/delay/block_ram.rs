//! A delay in block RAM.

use crate::prelude::*;
use crate::ram::Ram;

/// Bits of an address.
const ADDRESS_BITS: usize = 4;
/// Fewest and most clocks of a [`BlockDelay`]: a word is read a clock after it was written, and its data is there a clock later.
pub(super) const BLOCK_CLOCKS: [u64; 2] = [2, 1 << ADDRESS_BITS];

/// A ring of 16 words in block RAM, written in every clock and read `clocks` - 1 words behind. `q` is the output of the RAM's array,
/// which has no other register.
#[block(new)]
#[derive(Clone, Debug)]
pub struct BlockDelay<T: Synth> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Value.
    d: In<T>,
    /// The value some clocks ago.
    q: Out<T>,
    #[wire(write_clock = clock, write_enable = true, read_clock = clock, read_enable = true, output_enable = true)]
    memory: Ram<T, ADDRESS_BITS>,
    write_address: Reg<Bits<ADDRESS_BITS>>,
    #[wire(clear = false)]
    read_address: Register<Bits<ADDRESS_BITS>>,
    #[init(1)]
    step: Constant<Bits<ADDRESS_BITS>>,
    _clocks: usize,
}

#[logic]
impl<T: Synth> BlockDelay<T> {
    /// A delay of [`BLOCK_CLOCKS`].
    pub(super) fn new(clocks: usize) -> Result<Self, ConfigError> {
        let [least, most] = BLOCK_CLOCKS;
        flitforge_hdl_registry::config::check_range(
            "delay",
            "clocks in block RAM",
            clocks as u64,
            least,
            most,
        )?;
        Ok(Self {
            memory: Ram::direct(),
            read_address: Register::new((most + 1 - clocks as u64).into()),
            _clocks: clocks,
            ..
        })
    }

    /// The delay in clocks.
    pub(super) fn clocks(&self) -> usize {
        self._clocks
    }

    fn update(&mut self) {
        write_address = write_address + step;
        read_address = read_address + step;
        memory = In { write_address, write_data: d, read_address };
        q = memory.read_data;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let clocks = self._clocks.to_string();
        block_label("block_delay", &[("width", T::BITS.to_string()), ("clocks", clocks)])
    }
}
