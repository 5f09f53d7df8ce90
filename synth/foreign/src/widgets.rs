//! The blocks of rust-hdl-widgets.

use super::{dynamic_spi_config, i2c_config, spi_config, Entry};
use flitforge_elaborate::driven;
use rust_hdl::prelude::*;
use rust_hdl::widgets::accum::Accum;
use rust_hdl::widgets::edge_ff::EdgeDFF;
use rust_hdl::widgets::fifo::fifo_logic::{FIFOReadLogic, FIFOWriteLogic};
use rust_hdl::widgets::i2c::i2c_controller::I2CController;
use rust_hdl::widgets::i2c::i2c_driver::I2CDriver;
use rust_hdl::widgets::registered_edge_tristate::RegisteredEdgeTristate;
use rust_hdl::widgets::sdram::cmd::{SDRAMCommandDecoder, SDRAMCommandEncoder};
use std::time::Duration;

/// All of them.
pub(super) fn entries() -> impl Iterator<Item = Entry> {
    part_1().into_iter().chain(part_2()).chain(part_3())
}

fn part_1() -> Vec<Entry> {
    vec![
        Entry::new("rust-hdl-widgets", "Accum<8, 16, 4>", || {
            driven!(Accum::<8, 16, 4>::new(9), |top| top.clock, top.strobe_in, top.data_in)
        }),
        Entry::new("rust-hdl-widgets", "AutoReset", || driven!(AutoReset::default(), |top| top.clock)),
        Entry::new("rust-hdl-widgets", "DelayLine<Bits<8>, 8, 3>", || {
            driven!(DelayLine::<Bits<8>, 8, 3>::default(), |top| top.clock, top.data_in, top.delay)
        }),
        Entry::new("rust-hdl-widgets", "DFF<Bits<8>>", || {
            driven!(DFF::<Bits<8>>::default(), |top| top.d, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "DFFWithInit<Bits<8>>", || {
            driven!(DFFWithInit::<Bits<8>>::new(0x5a.into()), |top| top.d, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "EdgeDetector", || {
            driven!(EdgeDetector::new(true), |top| top.input_signal, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "EdgeDFF<Bits<8>>", || {
            driven!(EdgeDFF::<Bits<8>>::new(0x3c.into()), |top| top.d, top.clk)
        }),
        Entry::new("rust-hdl-widgets", "AsynchronousFIFO<Bits<8>, 4, 5, 1>", || {
            driven!(
                AsynchronousFIFO::<Bits<8>, 4, 5, 1>::default(),
                |top| top.read,
                top.read_clock,
                top.write,
                top.data_in,
                top.write_clock
            )
        }),
        Entry::new("rust-hdl-widgets", "CrossNarrowFIFO<16, 3, 4, 4, 5, 6>", || {
            driven!(
                CrossNarrowFIFO::<16, 3, 4, 4, 5, 6>::new(WordOrder::MostSignificantFirst),
                |top| top.data_in,
                top.write,
                top.write_clock,
                top.read,
                top.read_clock
            )
        }),
        Entry::new("rust-hdl-widgets", "CrossWidenFIFO<4, 5, 6, 16, 3, 4>", || {
            driven!(
                CrossWidenFIFO::<4, 5, 6, 16, 3, 4>::new(WordOrder::LeastSignificantFirst),
                |top| top.data_in,
                top.write,
                top.write_clock,
                top.read,
                top.read_clock
            )
        }),
        Entry::new("rust-hdl-widgets", "FIFOExpanderN<4, 16>", || {
            driven!(
                FIFOExpanderN::<4, 16>::new(WordOrder::MostSignificantFirst),
                |top| top.data_in,
                top.empty,
                top.full,
                top.clock
            )
        }),
        Entry::new("rust-hdl-widgets", "FIFOReadLogic<Bits<8>, 4, 5, 1>", || {
            driven!(
                FIFOReadLogic::<Bits<8>, 4, 5, 1>::default(),
                |top| top.clock,
                top.read,
                top.write_address_delayed,
                top.ram_read_data
            )
        }),
        Entry::new("rust-hdl-widgets", "FIFOWriteLogic<Bits<8>, 4, 5, 1>", || {
            driven!(
                FIFOWriteLogic::<Bits<8>, 4, 5, 1>::default(),
                |top| top.write,
                top.data_in,
                top.clock,
                top.read_address
            )
        }),
        Entry::new("rust-hdl-widgets", "FIFOReducer<16, 8, true>", || {
            driven!(FIFOReducer::<16, 8, true>::default(), |top| top.data_in, top.empty, top.full, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "FIFOReducerN<16, 4>", || {
            driven!(
                FIFOReducerN::<16, 4>::new(WordOrder::LeastSignificantFirst),
                |top| top.data_in,
                top.empty,
                top.full,
                top.clock
            )
        }),
        Entry::new("rust-hdl-widgets", "RegisterFIFO<Bits<8>>", || {
            driven!(RegisterFIFO::<Bits<8>>::default(), |top| top.data_in, top.write, top.read, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "SynchronousFIFO<Bits<8>, 4, 5, 1>", || {
            driven!(
                SynchronousFIFO::<Bits<8>, 4, 5, 1>::default(),
                |top| top.clock,
                top.read,
                top.write,
                top.data_in
            )
        }),
        Entry::new("rust-hdl-widgets", "I2CController", || {
            driven!(
                I2CController::new(i2c_config()),
                |top| top.i2c.sda.line_state,
                top.i2c.scl.line_state,
                top.clock,
                top.cmd,
                top.run,
                top.write_data_in
            )
        }),
    ]
}

fn part_2() -> Vec<Entry> {
    vec![
        Entry::new("rust-hdl-widgets", "I2CDriver", || {
            driven!(
                I2CDriver::new(i2c_config()),
                |top| top.i2c.sda.line_state,
                top.i2c.scl.line_state,
                top.clock,
                top.cmd,
                top.run
            )
        }),
        Entry::new("rust-hdl-widgets", "I2CTarget", || {
            driven!(
                I2CTarget::default(),
                |top| top.i2c.sda.line_state,
                top.i2c.scl.line_state,
                top.clock,
                top.active,
                top.to_bus,
                top.write_enable
            )
        }),
        Entry::new("rust-hdl-widgets", "I2CTestBus<3>", || {
            driven!(
                I2CTestBus::<3>::default(),
                |top| top.endpoints[0].sda.drive_low,
                top.endpoints[0].scl.drive_low,
                top.endpoints[1].sda.drive_low,
                top.endpoints[1].scl.drive_low,
                top.endpoints[2].sda.drive_low,
                top.endpoints[2].scl.drive_low
            )
        }),
        Entry::new("rust-hdl-widgets", "I2CTestTarget", || {
            driven!(I2CTestTarget::new(0x53), |top| top.i2c.sda.line_state, top.i2c.scl.line_state, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "MultiplyAccumulateSymmetricFiniteImpulseResponseFilter<3>", || {
            driven!(
                MultiplyAccumulateSymmetricFiniteImpulseResponseFilter::<3>::new(&[1, -2, 300, -2, 1]),
                |top| top.data_in,
                top.strobe_in,
                top.clock
            )
        }),
        Entry::new(
            "rust-hdl-widgets",
            "OpenDrainBuffer",
            || driven!(OpenDrainBuffer::default(), |top| top.control.drive_low; top.bus),
        ),
        Entry::new("rust-hdl-widgets", "LFSRSimple", || {
            driven!(LFSRSimple::default(), |top| top.clock, top.strobe)
        }),
        Entry::new("rust-hdl-widgets", "Pulser", || {
            driven!(Pulser::new(10_000, 500.0, Duration::from_micros(500)), |top| top.clock, top.enable)
        }),
        Entry::new("rust-hdl-widgets", "PulseWidthModulator<6>", || {
            driven!(PulseWidthModulator::<6>::default(), |top| top.enable, top.threshold, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "RAM<Bits<8>, 4>", || {
            driven!(
                RAM::<Bits<8>, 4>::new(
                    (0u32..16)
                        .map(|n| (n.to_bits(), Bits::<8>::from((n * 37 + 5) as LiteralType & 255)))
                        .collect()
                ),
                |top| top.read_address,
                top.read_clock,
                top.write_address,
                top.write_clock,
                top.write_data,
                top.write_enable
            )
        }),
        Entry::new("rust-hdl-widgets", "ROM<Bits<8>, 4>", || {
            driven!(
                ROM::<Bits<8>, 4>::new(
                    (0u32..16)
                        .map(|n| (n.to_bits(), Bits::<8>::from((n * 37 + 5) as LiteralType & 255)))
                        .collect()
                ),
                |top| top.address
            )
        }),
        Entry::new("rust-hdl-widgets", "SyncROM<Bits<8>, 4>", || {
            driven!(
                SyncROM::<Bits<8>, 4>::new(
                    (0u32..16)
                        .map(|n| (n.to_bits(), Bits::<8>::from((n * 37 + 5) as LiteralType & 255)))
                        .collect()
                ),
                |top| top.address,
                top.clock
            )
        }),
        Entry::new(
            "rust-hdl-widgets",
            "RegisteredEdgeTristate<8>",
            || driven!(RegisteredEdgeTristate::<8>::default(), |top| top.write_enable, top.write_data, top.clock; top.bus),
        ),
        Entry::new("rust-hdl-widgets", "SDRAMBaseController<5, 5, 64, 16>", || {
            driven!(
                SDRAMBaseController::<5, 5, 64, 16>::new(
                    3,
                    MemoryTimings::fast_boot_sim(100e6),
                    OutputBuffer::DelayTwo
                ),
                |top| top.clock,
                top.sdram.read_data,
                top.data_in,
                top.write_not_read,
                top.cmd_strobe,
                top.cmd_address
            )
        }),
        Entry::new("rust-hdl-widgets", "SDRAMOnChipBuffer<16>", || {
            driven!(
                SDRAMOnChipBuffer::<16>::default(),
                |top| top.buf_in.clk,
                top.buf_in.we_not,
                top.buf_in.cas_not,
                top.buf_in.ras_not,
                top.buf_in.cs_not,
                top.buf_in.bank,
                top.buf_in.address,
                top.buf_in.write_data,
                top.buf_in.write_enable,
                top.buf_out.read_data
            )
        }),
        Entry::new("rust-hdl-widgets", "SDRAMBurstController<5, 5, 8, 16>", || {
            driven!(
                SDRAMBurstController::<5, 5, 8, 16>::new(
                    3,
                    MemoryTimings::fast_boot_sim(100e6),
                    OutputBuffer::Wired
                ),
                |top| top.clock,
                top.sdram.read_data,
                top.data_in,
                top.write_not_read,
                top.cmd_strobe,
                top.cmd_address
            )
        }),
        Entry::new("rust-hdl-widgets", "SDRAMCommandEncoder", || {
            driven!(SDRAMCommandEncoder::default(), |top| top.cmd)
        }),
        Entry::new("rust-hdl-widgets", "SDRAMCommandDecoder", || {
            driven!(SDRAMCommandDecoder::default(), |top| top.ras_not, top.cas_not, top.we_not, top.cs_not)
        }),
    ]
}

fn part_3() -> Vec<Entry> {
    vec![
        Entry::new("rust-hdl-widgets", "SDRAMFIFOController<6, 4, 4, 16, 12>", || {
            driven!(
                SDRAMFIFOController::<6, 4, 4, 16, 12>::new(
                    3,
                    MemoryTimings::fast_boot_sim(100e6),
                    OutputBuffer::DelayOne
                ),
                |top| top.clock,
                top.sdram.read_data,
                top.ram_clock,
                top.data_in,
                top.write,
                top.read
            )
        }),
        Entry::new("rust-hdl-widgets", "Shot<16>", || {
            driven!(Shot::<16>::new(10_000, Duration::from_micros(700)), |top| top.trigger, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "SPIMaster<16>", || {
            driven!(
                SPIMaster::<16>::new(spi_config()),
                |top| top.clock,
                top.bits_outbound,
                top.data_outbound,
                top.start_send,
                top.continued_transaction,
                top.wires.miso
            )
        })
        .limit("bits_outbound", 0, 16),
        Entry::new("rust-hdl-widgets", "SPIMasterDynamicMode<16>", || {
            driven!(
                SPIMasterDynamicMode::<16>::new(dynamic_spi_config()),
                |top| top.clock,
                top.bits_outbound,
                top.data_outbound,
                top.start_send,
                top.continued_transaction,
                top.wires.miso
            )
        })
        .limit("bits_outbound", 0, 16),
        Entry::new("rust-hdl-widgets", "MuxMasters<4, 2>", || {
            driven!(
                MuxMasters::<4, 2>::default(),
                |top| top.to_bus.miso,
                top.from_masters[0].mosi,
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
                top.sel
            )
        }),
        Entry::new("rust-hdl-widgets", "MuxSlaves<4, 2>", || {
            driven!(
                MuxSlaves::<4, 2>::default(),
                |top| top.from_master.mosi,
                top.from_master.msel,
                top.from_master.mclk,
                top.to_slaves[0].miso,
                top.to_slaves[1].miso,
                top.to_slaves[2].miso,
                top.to_slaves[3].miso,
                top.sel
            )
        }),
        Entry::new("rust-hdl-widgets", "SPISlave<16>", || {
            driven!(
                SPISlave::<16>::new(spi_config()),
                |top| top.clock,
                top.wires.mosi,
                top.wires.msel,
                top.wires.mclk,
                top.disabled,
                top.start_send,
                top.data_outbound,
                top.bits,
                top.continued_transaction
            )
        })
        .limit("bits", 1, 16),
        Entry::new("rust-hdl-widgets", "Strobe<8>", || {
            driven!(Strobe::<8>::new(10_000, 1000.0), |top| top.enable, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "BitSynchronizer", || {
            driven!(BitSynchronizer::default(), |top| top.sig_in, top.clock)
        }),
        Entry::new("rust-hdl-widgets", "SyncReceiver<Bits<8>>", || {
            driven!(SyncReceiver::<Bits<8>>::default(), |top| top.clock, top.sig_cross, top.flag_in)
        }),
        Entry::new("rust-hdl-widgets", "SyncSender<Bits<8>>", || {
            driven!(SyncSender::<Bits<8>>::default(), |top| top.sig_in, top.clock, top.ack_in, top.send)
        }),
        Entry::new("rust-hdl-widgets", "VectorSynchronizer<Bits<8>>", || {
            driven!(
                VectorSynchronizer::<Bits<8>>::default(),
                |top| top.clock_in,
                top.sig_in,
                top.send,
                top.clock_out
            )
        }),
        Entry::new(
            "rust-hdl-widgets",
            "TristateBuffer<Bits<8>>",
            || driven!(TristateBuffer::<Bits<8>>::default(), |top| top.write_enable, top.write_data; top.bus),
        ),
    ]
}
