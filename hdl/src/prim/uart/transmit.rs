//! Transmitter.

use super::UartConfig;
use crate::config::ConfigError;
use crate::prim::stream::StreamIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Sends bytes as UART frames.
///
/// A byte is taken when the line is free; its start bit leaves two clocks later and the frame lasts ten bit
/// times, so back to back bytes follow each other with one idle clock. `clear` ends the frame at once: the line is
/// idle (1) on the second clock and `ready` is low meanwhile. `line` comes from a register through one inverter, so that it
/// idles at 1 from power-on.
#[derive(LogicBlock)]
pub struct UartTx {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Bytes to send.
    pub bytes: StreamIn<Bits<8>>,
    /// The serial line, idle 1.
    pub line: Signal<Out, Bit>,
    /// Clocks per bit, less one.
    reload: Constant<Bits<16>>,
    /// A bit lasts one clock.
    reload_is_zero: Constant<Bit>,
    full_frame: Constant<Bits<4>>,
    idle_shift: Constant<Bits<9>>,
    timer: DFF<Bits<16>>,
    /// While a frame lasts: `timer` is 0.
    bit_end: DFF<Bit>,
    bits_left: DFF<Bits<4>>,
    /// `bits_left` is not 0.
    is_busy: DFF<Bit>,
    shift: DFF<Bits<9>>,
    line_low: DFF<Bit>,
    busy: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
}

impl UartTx {
    /// A transmitter, or the reason why the configuration cannot work.
    pub fn new(config: UartConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            bytes: Default::default(),
            line: Default::default(),
            reload: Constant::new((config.divider() - 1).into()),
            reload_is_zero: Constant::new(config.divider() == 1),
            full_frame: Constant::new((super::FRAME_BITS as u64).into()),
            idle_shift: Constant::new(0x1FF.into()),
            timer: Default::default(),
            bits_left: Default::default(),
            is_busy: Default::default(),
            shift: Default::default(),
            line_low: Default::default(),
            busy: Default::default(),
            take: Default::default(),
            bit_end: Default::default(),
        })
    }
}

impl Logic for UartTx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, timer, bit_end, bits_left, is_busy, shift, line_low);
        self.busy.next = self.is_busy.q.val();
        self.bytes.ready.next = !self.busy.val() & !self.clear.val();
        self.take.next = !self.busy.val() & !self.clear.val() & self.bytes.valid.val();
        self.line_low.d.next = self.busy.val() & !self.shift.q.val().get_bit(0);
        self.timer.d.next = self.timer.q.val() - 1;
        self.bit_end.d.next = self.timer.q.val() == 1;
        if self.busy.val() & self.bit_end.q.val() {
            self.timer.d.next = self.reload.val();
            self.bit_end.d.next = self.reload_is_zero.val();
            self.bits_left.d.next = self.bits_left.q.val() - 1;
            self.is_busy.d.next = self.bits_left.q.val() != 1;
            self.shift.d.next = (self.shift.q.val() >> 1) | 0x100;
        }
        if self.take.val() {
            self.timer.d.next = self.reload.val();
            self.bit_end.d.next = self.reload_is_zero.val();
            self.bits_left.d.next = self.full_frame.val();
            self.is_busy.d.next = true;
            self.shift.d.next = bit_cast::<9, 8>(self.bytes.data.val()) << 1;
        }
        if self.clear.val() {
            self.bits_left.d.next = 0.into();
            self.is_busy.d.next = false;
            self.shift.d.next = self.idle_shift.val();
            self.line_low.d.next = false;
        }
        self.line.next = !self.line_low.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("uart_tx", &[("divider", (self.reload.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] UartTx { clock, clear, bytes, line });
