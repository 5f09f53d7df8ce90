//! The blocks of rust-hdl-hls.

use super::{bridge, dynamic_spi_config, pauses, router, router_rom, spi_config, words, Entry};
use flitforge_elaborate::driven;
use rust_hdl::prelude::*;

/// All of them.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    part_1().into_iter().chain(part_2())
}

fn part_1() -> Vec<Entry> {
    vec![
        Entry::new("rust-hdl-hls", "BaseController<4>", || {
            driven!(
                BaseController::<4>::default(),
                |top| top.from_cpu.data,
                top.from_cpu.empty,
                top.from_cpu.almost_empty,
                top.to_cpu.full,
                top.to_cpu.almost_full,
                top.clock,
                top.bus.to_controller,
                top.bus.ready
            )
        }),
        Entry::new(
            "rust-hdl-hls",
            "BidiMaster<Bits<8>>",
            || driven!(BidiMaster::<Bits<8>>::default(), |top| top.bus.sig_empty, top.bus.sig_full, top.clock, top.data_to_bus.data, top.data_to_bus.empty, top.data_to_bus.almost_empty, top.data_from_bus.full, top.data_from_bus.almost_full; top.bus.sig_inout),
        ),
        Entry::new(
            "rust-hdl-hls",
            "BidiSimulatedDevice<Bits<8>>",
            || driven!(BidiSimulatedDevice::<Bits<8>>::default(), |top| top.bus.sig_not_read, top.bus.sig_not_write, top.bus.sig_master, top.clock, top.data_to_bus.data, top.data_to_bus.empty, top.data_to_bus.almost_empty, top.data_from_bus.full, top.data_from_bus.almost_full; top.bus.sig_inout),
        ),
        Entry::new("rust-hdl-hls", "Bridge<16, 8, 6>", || {
            driven!(
                bridge(),
                |top| top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock,
                top.nodes[0].to_controller,
                top.nodes[0].ready,
                top.nodes[1].to_controller,
                top.nodes[1].ready,
                top.nodes[2].to_controller,
                top.nodes[2].ready,
                top.nodes[3].to_controller,
                top.nodes[3].ready,
                top.nodes[4].to_controller,
                top.nodes[4].ready,
                top.nodes[5].to_controller,
                top.nodes[5].ready
            )
        }),
        Entry::new("rust-hdl-hls", "AsyncFIFO<Bits<8>, 4, 5, 1>", || {
            driven!(
                AsyncFIFO::<Bits<8>, 4, 5, 1>::default(),
                |top| top.bus_write.data,
                top.bus_write.write,
                top.write_clock,
                top.bus_read.read,
                top.read_clock
            )
        }),
        Entry::new("rust-hdl-hls", "SyncFIFO<Bits<8>, 4, 5, 1>", || {
            driven!(
                SyncFIFO::<Bits<8>, 4, 5, 1>::default(),
                |top| top.bus_write.data,
                top.bus_write.write,
                top.bus_read.read,
                top.clock
            )
        }),
        Entry::new("rust-hdl-hls", "CrossNarrow<16, 3, 4, 4, 5, 6>", || {
            driven!(
                CrossNarrow::<16, 3, 4, 4, 5, 6>::new(WordOrder::LeastSignificantFirst),
                |top| top.wide_bus.data,
                top.wide_bus.write,
                top.wide_clock,
                top.narrow_bus.read,
                top.narrow_clock
            )
        }),
        Entry::new("rust-hdl-hls", "CrossWiden<4, 5, 6, 16, 3, 4>", || {
            driven!(
                CrossWiden::<4, 5, 6, 16, 3, 4>::new(WordOrder::MostSignificantFirst),
                |top| top.narrow_bus.data,
                top.narrow_bus.write,
                top.narrow_clock,
                top.wide_bus.read,
                top.wide_clock
            )
        }),
        Entry::new("rust-hdl-hls", "Expander<4, 16>", || {
            driven!(
                Expander::<4, 16>::new(WordOrder::LeastSignificantFirst),
                |top| top.bus_read.data,
                top.bus_read.empty,
                top.bus_read.almost_empty,
                top.bus_write.full,
                top.bus_write.almost_full,
                top.clock
            )
        }),
        Entry::new("rust-hdl-hls", "Reducer<16, 4>", || {
            driven!(
                Reducer::<16, 4>::new(WordOrder::MostSignificantFirst),
                |top| top.bus_read.data,
                top.bus_read.empty,
                top.bus_read.almost_empty,
                top.bus_write.full,
                top.bus_write.almost_full,
                top.clock
            )
        }),
        Entry::new("rust-hdl-hls", "FIFOLink<Bits<8>>", || {
            driven!(
                FIFOLink::<Bits<8>>::default(),
                |top| top.read.data,
                top.read.empty,
                top.read.almost_empty,
                top.write.full,
                top.write.almost_full
            )
        }),
        Entry::new(
            "rust-hdl-hls",
            "Host<8>",
            || driven!(Host::<8>::new(WordOrder::LeastSignificantFirst), |top| top.bidi_bus.sig_empty, top.bidi_bus.sig_full, top.bus.to_controller, top.bus.ready, top.sys_clock, top.bidi_clock; top.bidi_bus.sig_inout),
        ),
        Entry::new("rust-hdl-hls", "MISOFIFOPort<16, 4, 5, 1>", || {
            driven!(
                MISOFIFOPort::<16, 4, 5, 1>::default(),
                |top| top.bus.select,
                top.bus.from_controller,
                top.bus.strobe,
                top.bus.clock,
                top.fifo_bus.data,
                top.fifo_bus.write
            )
        }),
        Entry::new("rust-hdl-hls", "MISOPort<16>", || {
            driven!(
                MISOPort::<16>::default(),
                |top| top.bus.select,
                top.bus.from_controller,
                top.bus.strobe,
                top.bus.clock,
                top.port_in,
                top.ready_in
            )
        }),
        Entry::new("rust-hdl-hls", "MISOWidePort<64, 16>", || {
            driven!(
                MISOWidePort::<64, 16>::default(),
                |top| top.bus.select,
                top.bus.from_controller,
                top.bus.strobe,
                top.bus.clock,
                top.port_in,
                top.strobe_in
            )
        }),
        Entry::new("rust-hdl-hls", "MOSIFIFOPort<16, 4, 5, 1>", || {
            driven!(
                MOSIFIFOPort::<16, 4, 5, 1>::default(),
                |top| top.bus.select,
                top.bus.from_controller,
                top.bus.strobe,
                top.bus.clock,
                top.fifo_bus.read
            )
        }),
        Entry::new("rust-hdl-hls", "MOSIPort<16>", || {
            driven!(
                MOSIPort::<16>::default(),
                |top| top.bus.select,
                top.bus.from_controller,
                top.bus.strobe,
                top.bus.clock,
                top.ready
            )
        }),
        Entry::new("rust-hdl-hls", "MOSIWidePort<64, 16>", || {
            driven!(
                MOSIWidePort::<64, 16>::default(),
                |top| top.bus.select,
                top.bus.from_controller,
                top.bus.strobe,
                top.bus.clock
            )
        }),
    ]
}

fn part_2() -> Vec<Entry> {
    vec![
        Entry::new("rust-hdl-hls", "Router<16, 8, 3>", || {
            driven!(
                router(),
                |top| top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock,
                top.nodes[0].to_controller,
                top.nodes[0].ready,
                top.nodes[1].to_controller,
                top.nodes[1].ready,
                top.nodes[2].to_controller,
                top.nodes[2].ready
            )
        }),
        Entry::new("rust-hdl-hls", "RouterROM<16, 8, 3>", || {
            driven!(
                router_rom(),
                |top| top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock,
                top.nodes[0].to_controller,
                top.nodes[0].ready,
                top.nodes[1].to_controller,
                top.nodes[1].ready,
                top.nodes[2].to_controller,
                top.nodes[2].ready
            )
        }),
        Entry::new("rust-hdl-hls", "SDRAMController<5, 5>", || {
            driven!(
                SDRAMController::<5, 5>::new(3, MemoryTimings::fast_boot_sim(100e6), OutputBuffer::Wired),
                |top| top.dram.read_data,
                top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock
            )
        }),
        Entry::new("rust-hdl-hls", "SDRAMControllerTester<5, 5>", || {
            driven!(
                SDRAMControllerTester::<5, 5>::new(
                    3,
                    MemoryTimings::fast_boot_sim(100e6),
                    OutputBuffer::Wired
                ),
                |top| top.dram.read_data,
                top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock
            )
        })
        .stock_fault(super::LATE_CLOCK),
        Entry::new("rust-hdl-hls", "SDRAMFIFO<6, 4, 4, 16, 12>", || {
            driven!(
                SDRAMFIFO::<6, 4, 4, 16, 12>::new(
                    3,
                    MemoryTimings::fast_boot_sim(100e6),
                    OutputBuffer::Wired
                ),
                |top| top.clock,
                top.sdram.read_data,
                top.ram_clock,
                top.bus_write.data,
                top.bus_write.write,
                top.bus_read.read
            )
        }),
        Entry::new("rust-hdl-hls", "HLSSPIMaster<16, 8, 64>", || {
            driven!(
                HLSSPIMaster::<16, 8, 64>::new(spi_config()),
                |top| top.spi.miso,
                top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock
            )
        })
        .limit("upstream.from_controller", 0, 64),
        Entry::new("rust-hdl-hls", "HLSSPIMasterDynamicMode<16, 8, 64>", || {
            driven!(
                HLSSPIMasterDynamicMode::<16, 8, 64>::new(dynamic_spi_config()),
                |top| top.spi.miso,
                top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock
            )
        })
        .limit("upstream.from_controller", 0, 64),
        Entry::new("rust-hdl-hls", "HLSSPIMuxMasters<16, 3, 4>", || {
            driven!(
                HLSSPIMuxMasters::<16, 3, 4>::default(),
                |top| top.from_masters[0].mosi,
                top.from_masters[0].msel,
                top.from_masters[0].mclk,
                top.from_masters[1].mosi,
                top.from_masters[1].msel,
                top.from_masters[1].mclk,
                top.from_masters[2].mosi,
                top.from_masters[2].msel,
                top.from_masters[2].mclk,
                top.from_masters[3].mosi,
                top.from_masters[3].msel,
                top.from_masters[3].mclk,
                top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock,
                top.to_bus.miso
            )
        }),
        Entry::new("rust-hdl-hls", "HLSSPIMuxSlaves<16, 3, 4>", || {
            driven!(
                HLSSPIMuxSlaves::<16, 3, 4>::default(),
                |top| top.to_slaves[0].miso,
                top.to_slaves[1].miso,
                top.to_slaves[2].miso,
                top.to_slaves[3].miso,
                top.from_bus.mosi,
                top.from_bus.msel,
                top.from_bus.mclk,
                top.upstream.address,
                top.upstream.address_strobe,
                top.upstream.from_controller,
                top.upstream.strobe,
                top.upstream.clock
            )
        }),
        Entry::new("rust-hdl-hls", "FaderWithSyncROM", || {
            driven!(FaderWithSyncROM::new(10_000, 18), |top| top.clock, top.enable)
        }),
        Entry::new("rust-hdl-hls", "LazyFIFOFeeder<Bits<8>, 4>", || {
            driven!(
                LazyFIFOFeeder::<Bits<8>, 4>::new(&words(), &pauses()),
                |top| top.clock,
                top.bus.full,
                top.bus.almost_full,
                top.start
            )
        }),
        Entry::new("rust-hdl-hls", "LazyFIFOReader<Bits<8>, 4>", || {
            driven!(
                LazyFIFOReader::<Bits<8>, 4>::new(&words(), &pauses()),
                |top| top.clock,
                top.bus.data,
                top.bus.empty,
                top.bus.almost_empty,
                top.start
            )
        }),
        Entry::new("rust-hdl-hls", "SoCTestChip", || {
            driven!(
                SoCTestChip::default(),
                |top| top.clock,
                top.sys_clock,
                top.from_cpu.data,
                top.from_cpu.write,
                top.to_cpu.read
            )
        }),
    ]
}
