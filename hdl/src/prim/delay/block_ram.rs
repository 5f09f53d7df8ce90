//! A delay in block RAM.

use crate::config::ConfigError;
use crate::prim::ram::Ram;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::marker::block_label;

/// Bits of an address.
const ADDRESS_BITS: usize = 4;
/// Fewest and most clocks of a [`BlockDelay`]: a word is read a clock after it was written, and its data is there a clock later.
pub(super) const BLOCK_CLOCKS: [u64; 2] = [2, 1 << ADDRESS_BITS];

/// A ring of 16 words in block RAM, written in every clock and read `clocks` - 1 words behind. `q` is the output of the RAM's array,
/// which has no other register.
#[derive(LogicBlock, Clone, Debug)]
pub struct BlockDelay<T: Synth> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Value.
    pub d: Signal<In, T>,
    /// The value some clocks ago.
    pub q: Signal<Out, T>,
    memory: Ram<T, ADDRESS_BITS>,
    write_address: DFF<Bits<ADDRESS_BITS>>,
    read_address: Register<Bits<ADDRESS_BITS>>,
    step: Constant<Bits<ADDRESS_BITS>>,
    _clocks: usize,
}

impl<T: Synth> BlockDelay<T> {
    /// A delay of [`BLOCK_CLOCKS`].
    pub(super) fn new(clocks: usize) -> Result<Self, ConfigError> {
        let [least, most] = BLOCK_CLOCKS;
        crate::config::check_range("delay", "clocks in block RAM", clocks as u64, least, most)?;
        Ok(Self {
            clock: Default::default(),
            d: Default::default(),
            q: Default::default(),
            memory: Ram::direct(),
            write_address: Default::default(),
            read_address: Register::new((most + 1 - clocks as u64).into()),
            step: Constant::new(1.into()),
            _clocks: clocks,
        })
    }

    /// The delay in clocks.
    pub(super) fn clocks(&self) -> usize {
        self._clocks
    }
}

impl<T: Synth> Logic for BlockDelay<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_address);
        clock!(self, clock, read_address);
        self.write_address.d.next = self.write_address.q.val() + self.step.val();
        self.read_address.clear.next = false;
        self.read_address.enable.next = true;
        self.read_address.d.next = self.read_address.q.val() + self.step.val();
        self.memory.write_clock.next = self.clock.val();
        self.memory.write_enable.next = true;
        self.memory.write_address.next = self.write_address.q.val();
        self.memory.write_data.next = self.d.val();
        self.memory.read_clock.next = self.clock.val();
        self.memory.read_enable.next = true;
        self.memory.read_address.next = self.read_address.q.val();
        self.memory.output_enable.next = true;
        self.q.next = self.memory.read_data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let clocks = self._clocks.to_string();
        block_label("block_delay", &[("width", T::BITS.to_string()), ("clocks", clocks)])
    }
}
