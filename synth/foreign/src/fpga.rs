//! The blocks of rust-hdl-fpga-support.

use super::Entry;
use flitforge_elaborate::driven;
use rust_hdl::prelude::*;
use rust_hdl_fpga_support::lattice::ecp5::edge_flip_flop::EdgeFlipFlop;
use rust_hdl_fpga_support::lattice::ecp5::edge_tristate_buffer::EdgeTristateBuffer;
use rust_hdl_fpga_support::lattice::ecp5::edge_tristate_buffer_delayed::EdgeTristateBufferDelayed;
use rust_hdl_fpga_support::lattice::ecp5::io_delay::IODelay;
use rust_hdl_fpga_support::lattice::ecp5::oddr::OutputDDR;
use rust_hdl_fpga_support::lattice::ecp5::output_buffer as ecp5;
use rust_hdl_fpga_support::lattice::ice40::ice_pll::ICE40PLLBlock;

/// All of them.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    part_1().into_iter()
}

fn part_1() -> Vec<Entry> {
    vec![
        Entry::new("rust-hdl-fpga-support", "ICE40PLLBlock<100000000, 33333333>", || {
            driven!(ICE40PLLBlock::<100_000_000, 33_333_333>::default(), |top| top.clock_in)
        }),
        Entry::new("rust-hdl-fpga-support", "EdgeFlipFlop<Bits<8>>", || {
            driven!(EdgeFlipFlop::<Bits<8>>::default(), |top| top.d, top.clock)
        }),
        Entry::new(
            "rust-hdl-fpga-support",
            "EdgeTristateBuffer<Bits<8>>",
            || driven!(EdgeTristateBuffer::<Bits<8>>::default(), |top| top.to_pin, top.output_enable, top.clock, top.reset; top.pin),
        ),
        Entry::new(
            "rust-hdl-fpga-support",
            "EdgeTristateBufferDelayed<Bits<8>>",
            || driven!(EdgeTristateBufferDelayed::<Bits<8>>::new(10), |top| top.to_pin, top.output_enable, top.clock, top.reset; top.pin),
        ),
        Entry::new("rust-hdl-fpga-support", "IODelay<Bits<8>>", || {
            driven!(IODelay::<Bits<8>>::new(25), |top| top.a)
        }),
        Entry::new("rust-hdl-fpga-support", "OutputBuffer", || {
            driven!(ecp5::OutputBuffer::default(), |top| top.i)
        }),
        Entry::new("rust-hdl-fpga-support", "OutputDDR", || {
            driven!(OutputDDR::default(), |top| top.d, top.clock, top.reset)
        }),
    ]
}
