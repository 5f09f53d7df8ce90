//! A delay in LUT RAM.

use crate::prelude::*;
use crate::ram::{LutRam, RamConfig};

/// Bits of an address: the words of one LUT RAM.
const ADDRESS_BITS: usize = 4;
/// Most clocks of a [`RingDelay`].
pub(super) const RING_CLOCKS: usize = (1 << ADDRESS_BITS) - 1;

/// A ring of 16 words, written in every clock and read `clocks` words behind. `q` is the RAM's combinational output.
#[block(new)]
#[derive(Clone, Debug)]
pub struct RingDelay<T: Synth> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Value.
    d: In<T>,
    /// The value some clocks ago.
    q: Out<T>,
    #[wire(clock, write_enable = true)]
    memory: LutRam<T, ADDRESS_BITS>,
    write_address: Reg<Bits<ADDRESS_BITS>>,
    #[wire(clear = false)]
    read_address: Register<Bits<ADDRESS_BITS>>,
    #[init(1)]
    step: Constant<Bits<ADDRESS_BITS>>,
    _clocks: usize,
}

#[logic]
impl<T: Synth> RingDelay<T> {
    /// A delay of 1 to [`RING_CLOCKS`] clocks.
    pub(super) fn new(clocks: usize) -> Result<Self, ConfigError> {
        let (least, most) = (1, RING_CLOCKS as u64);
        flitforge_hdl_registry::config::check_range(
            "delay",
            "clocks in LUT RAM",
            clocks as u64,
            least,
            most,
        )?;
        Ok(Self {
            memory: LutRam::new(RamConfig::distributed(1 << ADDRESS_BITS))?,
            read_address: Register::new(((1 << ADDRESS_BITS) - clocks as u64).into()),
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
        block_label("ring_delay", &[("width", T::BITS.to_string()), ("clocks", clocks)])
    }
}
