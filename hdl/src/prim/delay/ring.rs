//! A delay in LUT RAM.

use crate::config::ConfigError;
use crate::prim::ram::{LutRam, RamConfig};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::marker::block_label;

/// Bits of an address: the words of one LUT RAM.
const ADDRESS_BITS: usize = 4;
/// Most clocks of a [`RingDelay`].
pub(super) const RING_CLOCKS: usize = (1 << ADDRESS_BITS) - 1;

/// A ring of 16 words, written in every clock and read `clocks` words behind. `q` is the RAM's combinational output.
#[derive(LogicBlock, Clone, Debug)]
pub struct RingDelay<T: Synth> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Value.
    pub d: Signal<In, T>,
    /// The value some clocks ago.
    pub q: Signal<Out, T>,
    memory: LutRam<T, ADDRESS_BITS>,
    write_address: DFF<Bits<ADDRESS_BITS>>,
    read_address: Register<Bits<ADDRESS_BITS>>,
    step: Constant<Bits<ADDRESS_BITS>>,
    _clocks: usize,
}

impl<T: Synth> RingDelay<T> {
    /// A delay of 1 to [`RING_CLOCKS`] clocks.
    pub(super) fn new(clocks: usize) -> Result<Self, ConfigError> {
        let (least, most) = (1, RING_CLOCKS as u64);
        crate::config::check_range("delay", "clocks in LUT RAM", clocks as u64, least, most)?;
        Ok(Self {
            clock: Default::default(),
            d: Default::default(),
            q: Default::default(),
            memory: LutRam::new(RamConfig::distributed(1 << ADDRESS_BITS))?,
            write_address: Default::default(),
            read_address: Register::new(((1 << ADDRESS_BITS) - clocks as u64).into()),
            step: Constant::new(1.into()),
            _clocks: clocks,
        })
    }

    /// The delay in clocks.
    pub(super) fn clocks(&self) -> usize {
        self._clocks
    }
}

impl<T: Synth> Logic for RingDelay<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_address);
        clock!(self, clock, memory, read_address);
        self.write_address.d.next = self.write_address.q.val() + self.step.val();
        self.read_address.clear.next = false;
        self.read_address.enable.next = true;
        self.read_address.d.next = self.read_address.q.val() + self.step.val();
        self.memory.write_enable.next = true;
        self.memory.write_address.next = self.write_address.q.val();
        self.memory.write_data.next = self.d.val();
        self.memory.read_address.next = self.read_address.q.val();
        self.q.next = self.memory.read_data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let clocks = self._clocks.to_string();
        block_label("ring_delay", &[("width", T::BITS.to_string()), ("clocks", clocks)])
    }
}
