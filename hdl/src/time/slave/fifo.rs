//! Samples until software reads them.

use super::SAMPLE_BITS;
use crate::config::{check_range, ConfigError};
use crate::prim::ram::{Ram, RamConfig};
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::FIFO_DEPTH;

/// Bits of an address: twice the largest depth, so that a read never meets the write of its word.
const ADDRESS_BITS: usize = FIFO_DEPTH.2.trailing_zeros() as usize + 1;
/// Bits of a level.
pub const LEVEL_BITS: usize = 8;

/// The sample FIFO of a tree (chapter 20, 4.7 rule 5), in block RAM.
///
/// A sample can be popped from the clock after `sample` on. A full FIFO discards its oldest sample (`over`). `shadow` and
/// `popped` follow 2 clocks after `pop` and hold until the next one; a pop of the empty FIFO leaves `shadow` as it is. A pop
/// goes before a sample of the same clock. `clear` empties the FIFO; `shadow` stays.
#[derive(LogicBlock)]
pub struct SampleFifo {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A sample to be stored.
    pub sample: FlowIn<Bits<SAMPLE_BITS>>,
    /// SMP_POP is read.
    pub pop: Signal<In, Bit>,
    /// Sample of the last pop that found one.
    pub shadow: Signal<Out, Bits<SAMPLE_BITS>>,
    /// The last pop found one.
    pub popped: Signal<Out, Bit>,
    /// Samples stored.
    pub level: Signal<Out, Bits<LEVEL_BITS>>,
    /// Event: a sample was discarded (SMP_OVER).
    pub over: Signal<Out, Bit>,
    memory: Ram<Bits<SAMPLE_BITS>, ADDRESS_BITS>,
    write_address: DFF<Bits<ADDRESS_BITS>>,
    read_address: DFF<Bits<ADDRESS_BITS>>,
    count: DFF<Bits<LEVEL_BITS>>,
    /// The count is not 0.
    some: DFF<Bit>,
    fetched: DFF<Bit>,
    popping: DFF<Bit>,
    found: DFF<Bit>,
    over_now: DFF<Bit>,
    fetch: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    discard: Signal<Local, Bit>,
    change: Signal<Local, Bits<LEVEL_BITS>>,
    depth: Constant<Bits<LEVEL_BITS>>,
    one: Constant<Bits<LEVEL_BITS>>,
    minus_one: Constant<Bits<LEVEL_BITS>>,
    step: Constant<Bits<ADDRESS_BITS>>,
}

impl SampleFifo {
    /// An empty FIFO of 4 to 64 samples.
    pub fn new(depth: usize) -> Result<Self, ConfigError> {
        let (least, _, most) = FIFO_DEPTH;
        check_range("time_slave", "fifo_depth", depth as u64, least as u64, most as u64)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            sample: Default::default(),
            pop: Default::default(),
            shadow: Default::default(),
            popped: Default::default(),
            level: Default::default(),
            over: Default::default(),
            memory: Ram::new(RamConfig::block(1 << ADDRESS_BITS))?,
            write_address: Default::default(),
            read_address: Default::default(),
            count: Default::default(),
            some: Default::default(),
            fetched: Default::default(),
            popping: Default::default(),
            found: Default::default(),
            over_now: Default::default(),
            fetch: Default::default(),
            full: Default::default(),
            discard: Default::default(),
            change: Default::default(),
            depth: Constant::new((depth as u64).into()),
            one: Constant::new(1.into()),
            minus_one: Constant::new(((1_u64 << LEVEL_BITS) - 1).into()),
            step: Constant::new(1.into()),
        })
    }

    /// Samples it holds.
    pub fn depth(&self) -> usize {
        self.depth.val().index()
    }
}

impl Logic for SampleFifo {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_address, read_address, count, some, fetched, popping, found, over_now);
        self.memory.write_clock.next = self.clock.val();
        self.memory.read_clock.next = self.clock.val();

        self.fetch.next = self.pop.val() & self.some.q.val();
        self.some.d.next = self.sample.valid.val()
            | (self.some.q.val() & !(self.pop.val() & !self.count.q.val().get_bits::<7>(1).any()));
        // The count is never beyond the depth: the bits of the depth alone say that it is reached.
        self.full.next = (self.count.q.val() & self.depth.val()) == self.depth.val();
        self.discard.next = self.sample.valid.val() & !self.pop.val() & self.full.val();
        self.memory.write_enable.next = self.sample.valid.val();
        self.memory.write_address.next = self.write_address.q.val();
        self.memory.write_data.next = self.sample.data.val();
        self.memory.read_enable.next = self.fetch.val();
        self.memory.read_address.next = self.read_address.q.val();
        self.memory.output_enable.next = self.fetched.q.val();
        if self.sample.valid.val() {
            self.write_address.d.next = self.write_address.q.val() + self.step.val();
        }
        if self.fetch.val() | self.discard.val() {
            self.read_address.d.next = self.read_address.q.val() + self.step.val();
        }
        self.change.next = 0.into();
        if self.sample.valid.val() & !self.fetch.val() & !self.discard.val() {
            self.change.next = self.one.val();
        }
        if self.fetch.val() & !self.sample.valid.val() {
            self.change.next = self.minus_one.val();
        }
        self.count.d.next = self.count.q.val() + self.change.val();
        self.fetched.d.next = self.fetch.val();
        self.popping.d.next = self.pop.val();
        if self.popping.q.val() {
            self.found.d.next = self.fetched.q.val();
        }
        self.over_now.d.next = self.discard.val();

        if self.clear.val() {
            self.write_address.d.next = 0.into();
            self.read_address.d.next = 0.into();
            self.count.d.next = 0.into();
            self.some.d.next = false;
            self.fetched.d.next = false;
            self.popping.d.next = false;
            self.found.d.next = false;
            self.over_now.d.next = false;
        }
        self.shadow.next = self.memory.read_data.val();
        self.popped.next = self.found.q.val();
        self.level.next = self.count.q.val();
        self.over.next = self.over_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("sample_fifo", &[("depth", self.depth().to_string())])
    }
}

drive_ports!(impl[] SampleFifo { clock, clear, sample, pop, shadow, popped, level, over });
