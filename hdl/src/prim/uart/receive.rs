//! Receiver.

use super::UartConfig;
use crate::config::ConfigError;
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Receives UART frames.
///
/// `line` must already be in the core clock's domain (a synchroniser in front). A start bit shorter than half
/// a bit time is ignored; every bit is sampled once, in its middle; a byte is given half a bit time after its
/// stop bit began if that bit is 1 (one clock of `bytes.valid`), else `framing_error` is 1 for one clock and
/// the byte is dropped. `clear` forgets a frame in progress; the receiver then waits for the line to be idle.
#[derive(LogicBlock)]
pub struct UartRx {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The serial line, idle 1, synchronous to `clock`.
    pub line: Signal<In, Bit>,
    /// Received bytes.
    pub bytes: FlowOut<Bits<8>>,
    /// A stop bit was 0.
    pub framing_error: Signal<Out, Bit>,
    reload: Constant<Bits<16>>,
    half: Constant<Bits<16>>,
    frame: Constant<Bits<4>>,
    timer: DFF<Bits<16>>,
    bits_left: DFF<Bits<4>>,
    shift: DFF<Bits<9>>,
    armed: DFF<Bit>,
    valid: DFF<Bit>,
    broken: DFF<Bit>,
    busy: Signal<Local, Bit>,
    sample: Signal<Local, Bit>,
    false_start: Signal<Local, Bit>,
}

impl UartRx {
    /// A receiver, or the reason why the configuration cannot work.
    pub fn new(config: UartConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            line: Default::default(),
            bytes: Default::default(),
            framing_error: Default::default(),
            reload: Constant::new((config.divider() - 1).into()),
            half: Constant::new((config.divider() / 2 - 1).into()),
            frame: Constant::new((super::FRAME_BITS as u64).into()),
            timer: Default::default(),
            bits_left: Default::default(),
            shift: Default::default(),
            armed: Default::default(),
            valid: Default::default(),
            broken: Default::default(),
            busy: Default::default(),
            sample: Default::default(),
            false_start: Default::default(),
        })
    }
}

impl Logic for UartRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, timer, bits_left, shift, armed, valid, broken);
        self.busy.next = self.bits_left.q.val().any();
        self.sample.next = self.busy.val() & !self.timer.q.val().any();
        self.false_start.next = (self.bits_left.q.val() == self.frame.val()) & self.line.val();
        self.valid.d.next = false;
        self.broken.d.next = false;
        self.timer.d.next = self.timer.q.val() - 1;
        // Armed: the line was seen idle, so that a falling edge is a start bit and not the rest of a frame.
        self.armed.d.next = !self.busy.val() & (self.armed.q.val() | self.line.val());
        if !self.busy.val() & self.armed.q.val() & !self.line.val() {
            self.timer.d.next = self.half.val();
            self.bits_left.d.next = self.frame.val();
        }
        if self.sample.val() {
            self.timer.d.next = self.reload.val();
            self.shift.d.next = (self.shift.q.val() >> 1) | (bit_cast::<9, 1>(self.line.val().into()) << 8);
            self.bits_left.d.next = self.bits_left.q.val() - 1;
            if self.false_start.val() {
                self.bits_left.d.next = 0.into();
            }
            if self.bits_left.q.val() == 1 {
                self.valid.d.next = self.line.val();
                self.broken.d.next = !self.line.val();
            }
        }
        if self.clear.val() {
            self.bits_left.d.next = 0.into();
            self.armed.d.next = false;
            self.valid.d.next = false;
            self.broken.d.next = false;
        }
        self.bytes.valid.next = self.valid.q.val();
        self.bytes.data.next = self.shift.q.val().get_bits::<8>(0);
        self.framing_error.next = self.broken.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("uart_rx", &[("divider", (self.reload.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] UartRx { clock, clear, line, bytes, framing_error });
