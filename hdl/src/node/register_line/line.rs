//! The commands behind a UART.

use super::RegisterCommands;
use crate::config::ConfigError;
use crate::prim::stream::StreamOut;
use crate::prim::synchronizer::Synchronizer;
use crate::prim::uart::{UartConfig, UartRx, UartTx};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// How fast the line is, and how patient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterLineConfig {
    /// Clock and baud rate.
    pub uart: UartConfig,
    /// Clocks a device may take to answer, 1 to 255.
    pub limit: u64,
}

/// Register buses of `D` devices with pages of `2^W` words on a serial line; see the [module](super).
#[derive(LogicBlock)]
pub struct RegisterLine<const D: usize, const W: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Serial data in, asynchronous, idle 1.
    pub line_in: Signal<In, Bit>,
    /// Serial data out, idle 1.
    pub line_out: Signal<Out, Bit>,
    /// Word of the page, for all devices.
    pub addr: Signal<Out, Bits<W>>,
    /// Value of a write, for all devices.
    pub wdata: Signal<Out, Bits<64>>,
    /// Pulse: a write, by device.
    pub we: Signal<Out, Bits<D>>,
    /// Pulse: a read, by device.
    pub re: Signal<Out, Bits<D>>,
    /// Values of reads, 0 without `ack`.
    pub rdata: [Signal<In, Bits<64>>; D],
    /// The request is done, by device.
    pub ack: Signal<In, Bits<D>>,
    synchronizer: Synchronizer<2>,
    receiver: UartRx,
    commands: RegisterCommands<D, W>,
    transmitter: UartTx,
}

impl<const D: usize, const W: usize> RegisterLine<D, W> {
    /// A line, or the reason why the configuration cannot work.
    pub fn new(config: &RegisterLineConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            line_in: Default::default(),
            line_out: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: defaults(),
            ack: Default::default(),
            synchronizer: Synchronizer::new(true)?,
            receiver: UartRx::new(config.uart)?,
            commands: RegisterCommands::new(config.limit)?,
            transmitter: UartTx::new(config.uart)?,
        })
    }
}

impl<const D: usize, const W: usize> Logic for RegisterLine<D, W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, synchronizer, receiver, commands, transmitter);
        self.receiver.clear.next = self.clear.val();
        self.commands.clear.next = self.clear.val();
        self.transmitter.clear.next = self.clear.val();
        self.synchronizer.d.next = self.line_in.val();
        self.receiver.line.next = self.synchronizer.q.val();
        self.commands.letters.valid.next = self.receiver.bytes.valid.val();
        self.commands.letters.data.next = self.receiver.bytes.data.val();
        self.commands.lost.next = self.receiver.framing_error.val();
        StreamOut::<Bits<8>>::join(&mut self.commands.answer, &mut self.transmitter.bytes);
        self.line_out.next = self.transmitter.line.val();
        self.addr.next = self.commands.addr.val();
        self.wdata.next = self.commands.wdata.val();
        self.we.next = self.commands.we.val();
        self.re.next = self.commands.re.val();
        self.commands.ack.next = self.ack.val();
        for i in 0..D {
            self.commands.rdata[i].next = self.rdata[i].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("register_line", &[("devices", D.to_string()), ("word_bits", W.to_string())])
    }
}

drive_ports!(impl[const D: usize, const W: usize] RegisterLine<D, W> {
    clock, clear, line_in, line_out, addr, wdata, we, re, rdata, ack,
});
