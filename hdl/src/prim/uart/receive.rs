//! Receiver.

use super::UartConfig;
use crate::config::ConfigError;
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Receives UART frames.
///
/// `line` must already be in the core clock's domain (a synchroniser in front). It is sampled every [`UartConfig::sample_spacing`] clocks; what at least two of the last three samples say is the *level*. A wrong sample alone changes nothing.
///
/// - A frame begins where the level falls. If it is not 0 in the middle of the start bit, there was none.
/// - A data bit is the level in its middle. A stop bit is 1 if the level in its middle or that one sample later is.
/// - `bytes.valid` is 1 for one clock if the stop bit was 1, else `framing_error` is, and the byte is dropped.
/// - `clear` forgets a frame in progress; the next one begins where the level falls.
///
/// # Tolerance
///
/// Frames back to back are received from a sender whose bits are 4.5 % shorter or longer than the receiver's, 4.4 % with 9 clocks per
/// bit, wherever its edges are between two clocks and without wrong samples. Both ends' errors count, rounding and clocks. How far it
/// goes (`cargo test --release -p flitforge-hdl --test hdl uart_line::the_tolerance -- --nocapture`):
///
/// | clocks per bit | are | shorter by | longer by |
/// |---|---|---|---|
/// | 8 | preset `fast` | 5.0 % | 4.6 % |
/// | 9 | the least | 4.4 % | 5.5 % |
/// | 25 | the register line of the boards | 4.8 % | 5.7 % |
/// | 1085 | preset `default` | 4.7 % | 5.7 % |
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
    reload: Constant<Bits<17>>,
    half: Constant<Bits<17>>,
    late: Constant<Bits<17>>,
    frame: Constant<Bits<4>>,
    every_clock: Constant<Bit>,
    between: Constant<Bits<11>>,
    /// Clocks until the next sample.
    spacing: DFF<Bits<11>>,
    /// The last samples, the last one in bit 0.
    samples: DFF<Bits<4>>,
    timer: DFF<Bits<17>>,
    bits_left: DFF<Bits<4>>,
    shift: DFF<Bits<8>>,
    valid: DFF<Bit>,
    broken: DFF<Bit>,
    takes: Signal<Local, Bit>,
    level: Signal<Local, Bit>,
    level_before: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    sample: Signal<Local, Bit>,
    at_stop: Signal<Local, Bit>,
    falls: Signal<Local, Bit>,
}

impl UartRx {
    /// A receiver, or the reason why the configuration cannot work.
    pub fn new(config: UartConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let (divider, spacing) = (config.divider(), config.sample_spacing());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            line: Default::default(),
            bytes: Default::default(),
            framing_error: Default::default(),
            reload: Constant::new((divider - 1).into()),
            half: Constant::new(((divider - 1) / 2 - 1).into()),
            late: Constant::new((divider - 1 + spacing).into()),
            frame: Constant::new((super::FRAME_BITS as u64).into()),
            every_clock: Constant::new(spacing == 1),
            between: Constant::new((spacing - 1).into()),
            spacing: Default::default(),
            samples: Default::default(),
            timer: Default::default(),
            bits_left: Default::default(),
            shift: Default::default(),
            valid: Default::default(),
            broken: Default::default(),
            takes: Default::default(),
            level: Default::default(),
            level_before: Default::default(),
            busy: Default::default(),
            sample: Default::default(),
            at_stop: Default::default(),
            falls: Default::default(),
        })
    }
}

impl Logic for UartRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, spacing, samples, timer, bits_left, shift, valid, broken);

        // Samples, and what two of three say: now, and one sample ago.
        self.spacing.d.next = self.spacing.q.val() - 1;
        self.takes.next = self.every_clock.val() | !self.spacing.q.val().any();
        if self.takes.val() {
            self.spacing.d.next = self.between.val();
            self.samples.d.next = (self.samples.q.val() << 1) | bit_cast::<4, 1>(self.line.val().into());
        }
        self.level.next = (self.samples.q.val().get_bit(0) & self.samples.q.val().get_bit(1))
            | (self.samples.q.val().get_bit(0) & self.samples.q.val().get_bit(2))
            | (self.samples.q.val().get_bit(1) & self.samples.q.val().get_bit(2));
        self.level_before.next = (self.samples.q.val().get_bit(1) & self.samples.q.val().get_bit(2))
            | (self.samples.q.val().get_bit(1) & self.samples.q.val().get_bit(3))
            | (self.samples.q.val().get_bit(2) & self.samples.q.val().get_bit(3));
        self.falls.next = self.level_before.val() & !self.level.val();

        self.busy.next = self.bits_left.q.val().any();
        self.sample.next = self.busy.val() & !self.timer.q.val().any();
        self.at_stop.next = self.bits_left.q.val() == 1;
        self.valid.d.next = false;
        self.broken.d.next = false;
        self.timer.d.next = self.timer.q.val() - 1;
        if self.sample.val() {
            self.timer.d.next = self.reload.val();
            if self.bits_left.q.val() == 2 {
                self.timer.d.next = self.late.val();
            }
            self.bits_left.d.next = self.bits_left.q.val() - 1;
            if (self.bits_left.q.val() == self.frame.val()) & self.level.val() {
                self.bits_left.d.next = 0.into();
            }
            if self.at_stop.val() {
                self.valid.d.next = self.level.val() | self.level_before.val();
                self.broken.d.next = !self.level.val() & !self.level_before.val();
            } else {
                self.shift.d.next =
                    (self.shift.q.val() >> 1) | (bit_cast::<8, 1>(self.level.val().into()) << 7);
            }
        }
        // The next frame of a fast sender begins while the stop bit is looked at.
        if self.falls.val() & (!self.busy.val() | (self.sample.val() & self.at_stop.val())) {
            self.timer.d.next = self.half.val();
            self.bits_left.d.next = self.frame.val();
        }
        if self.clear.val() {
            self.bits_left.d.next = 0.into();
            self.valid.d.next = false;
            self.broken.d.next = false;
        }
        self.bytes.valid.next = self.valid.q.val();
        self.bytes.data.next = self.shift.q.val();
        self.framing_error.next = self.broken.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("uart_rx", &[("divider", (self.reload.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] UartRx { clock, clear, line, bytes, framing_error });
