//! The commands after a UART.

use super::RegisterCommands;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::synchronizer::Synchronizer;
use flitforge_hdl_prim::uart::{UartConfig, UartRx, UartTx};

/// How fast the line is, and how patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterLineConfig {
    /// Clock and baud rate.
    pub uart: UartConfig,
    /// Clocks a device may take to answer, 1 to 255.
    pub limit: u64,
}

/// Register buses of `D` devices with pages of `2^W` words on a serial line; see the [module](super).
#[block("register_line", new, devices = D, word_bits = W)]
pub struct RegisterLine<const D: usize, const W: usize> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Serial data in, asynchronous, idle 1.
    line_in: In<Bit>,
    /// Serial data out, idle 1.
    line_out: Out<Bit>,
    /// Word of the page, for all devices.
    addr: Out<Bits<W>>,
    /// Value of a write, for all devices.
    wdata: Out<Bits<64>>,
    /// Pulse: a write, by device.
    we: Out<Bits<D>>,
    /// Pulse: a read, by device.
    re: Out<Bits<D>>,
    /// Values of reads, 0 without `ack`.
    rdata: [In<Bits<64>>; D],
    /// The request is done, by device.
    ack: In<Bits<D>>,
    #[wire(clock)]
    synchronizer: Synchronizer<2>,
    #[wire(clock, clear)]
    receiver: UartRx,
    #[wire(clock, clear)]
    commands: RegisterCommands<D, W>,
    #[wire(clock, clear)]
    transmitter: UartTx,
}

#[logic]
impl<const D: usize, const W: usize> RegisterLine<D, W> {
    /// A line, or the reason why the configuration cannot work.
    pub fn new(config: &RegisterLineConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            synchronizer: Synchronizer::new(true)?,
            receiver: UartRx::new(config.uart)?,
            commands: RegisterCommands::new(config.limit)?,
            transmitter: UartTx::new(config.uart)?,
            ..
        })
    }

    fn update(&mut self) {
        synchronizer.d = line_in;
        receiver.line = synchronizer.q;
        commands.characters = In { valid: receiver.bytes.valid, data: receiver.bytes.data };
        commands.lost = receiver.framing_error;
        join(commands.answer, transmitter.bytes);
        line_out = transmitter.line;
        Out { addr, wdata, we, re } = commands;
        commands.ack = ack;
        for i in 0..D {
            commands.rdata[i] = rdata[i];
        }
    }
}
