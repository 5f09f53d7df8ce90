//! The blocks of rust-hdl-sim.

use super::{spi_config, Entry};
use flitforge_elaborate::driven;
use rust_hdl::prelude::*;
use rust_hdl::sim::ads8688_sim::ADS8688Simulator;
use rust_hdl::sim::muxed_max31856_sim::MuxedMAX31856Simulators;
use rust_hdl::sim::sdr_sdram::bank::MemoryBank;

/// All of them.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    part_1().into_iter()
}

fn part_1() -> Vec<Entry> {
    vec![
        Entry::new("rust-hdl-sim", "AD7193Simulator", || {
            driven!(
                AD7193Simulator::new(AD7193Config::sw()),
                |top| top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.clock
            )
        }),
        Entry::new("rust-hdl-sim", "ADS8688Simulator", || {
            driven!(
                ADS8688Simulator::new(spi_config()),
                |top| top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.clock
            )
        }),
        Entry::new("rust-hdl-sim", "ADS868XSimulator", || {
            driven!(
                ADS868XSimulator::new(ADS868XSimulator::spi_sw()),
                |top| top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.clock
            )
        }),
        Entry::new("rust-hdl-sim", "MAX31856Simulator", || {
            driven!(
                MAX31856Simulator::new(spi_config()),
                |top| top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.clock
            )
        }),
        Entry::new("rust-hdl-sim", "MuxedAD7193Simulators", || {
            driven!(
                MuxedAD7193Simulators::new(AD7193Config::sw()),
                |top| top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.addr,
                top.clock
            )
        }),
        Entry::new("rust-hdl-sim", "MuxedADS868XSimulators<4>", || {
            driven!(
                MuxedADS868XSimulators::<4>::new(spi_config()),
                |top| top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.addr,
                top.clock
            )
        }),
        Entry::new("rust-hdl-sim", "MuxedMAX31856Simulators", || {
            driven!(
                MuxedMAX31856Simulators::new(spi_config()),
                |top| top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.addr,
                top.clock
            )
        }),
        Entry::new("rust-hdl-sim", "SDRAMSimulator<5, 5, 10, 16>", || {
            driven!(
                SDRAMSimulator::<5, 5, 10, 16>::new(MemoryTimings::fast_boot_sim(100e6)),
                |top| top.sdram.clk,
                top.sdram.we_not,
                top.sdram.cas_not,
                top.sdram.ras_not,
                top.sdram.cs_not,
                top.sdram.bank,
                top.sdram.address,
                top.sdram.write_data,
                top.sdram.write_enable
            )
        }),
        Entry::new("rust-hdl-sim", "MemoryBank<5, 5, 10, 16>", || {
            driven!(
                MemoryBank::<5, 5, 10, 16>::new(MemoryTimings::fast_boot_sim(100e6)),
                |top| top.clock,
                top.cas_delay,
                top.write_burst,
                top.address,
                top.burst_len,
                top.cmd,
                top.write_data,
                top.select
            )
        }),
    ]
}
