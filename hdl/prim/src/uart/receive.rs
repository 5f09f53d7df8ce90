//! Receiver.

use super::UartConfig;
use crate::prelude::*;

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
#[block(new)]
pub struct UartRx {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The serial line, idle 1, synchronous to `clock`.
    line: In<Bit>,
    /// Received bytes.
    pub bytes: FlowOut<Bits<8>>,
    /// A stop bit was 0.
    framing_error: Out<Bit>,
    reload: Constant<Bits<17>>,
    half: Constant<Bits<17>>,
    late: Constant<Bits<17>>,
    #[init(super::FRAME_BITS)]
    frame: Constant<Bits<4>>,
    every_clock: Constant<Bit>,
    between: Constant<Bits<11>>,
    /// Clocks until the next sample.
    spacing: Reg<Bits<11>>,
    /// The last samples, the last one in bit 0.
    samples: Reg<Bits<4>>,
    timer: Reg<Bits<17>>,
    bits_left: Reg<Bits<4>>,
    shift: Reg<Bits<8>>,
    valid: Reg<Bit>,
    broken: Reg<Bit>,
    takes: Local<Bit>,
    level: Local<Bit>,
    level_before: Local<Bit>,
    busy: Local<Bit>,
    sample: Local<Bit>,
    at_stop: Local<Bit>,
}

#[logic]
impl UartRx {
    /// A receiver, or the reason why the configuration cannot work.
    pub fn new(config: UartConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let (divider, spacing) = (config.divider(), config.sample_spacing());
        Ok(Self {
            reload: Constant::new((divider - 1).into()),
            half: Constant::new(((divider - 1) / 2 - 1).into()),
            late: Constant::new((divider - 1 + spacing).into()),
            every_clock: Constant::new(spacing == 1),
            between: Constant::new((spacing - 1).into()),
            ..
        })
    }

    fn update(&mut self) {
        // Samples, and what two of three say: now, and one sample ago.
        spacing = spacing - 1;
        takes = every_clock | !spacing.any();
        if takes {
            spacing = between;
            samples = (samples << 1) | bit_cast::<4, 1>(line.into());
        }
        level = (samples[0] & samples[1]) | (samples[0] & samples[2]) | (samples[1] & samples[2]);
        level_before = (samples[1] & samples[2]) | (samples[1] & samples[3]) | (samples[2] & samples[3]);
        let falls = level_before & !level;

        busy = bits_left.any();
        sample = busy & !timer.any();
        at_stop = bits_left == 1;
        valid = false;
        broken = false;
        timer = timer - 1;
        if sample {
            timer = reload;
            if bits_left == 2 {
                timer = late;
            }
            bits_left = bits_left - 1;
            if (bits_left == frame) & level {
                bits_left = 0;
            }
            if at_stop {
                valid = level | level_before;
                broken = !level & !level_before;
            } else {
                shift = (shift >> 1) | (bit_cast::<8, 1>(level.into()) << 7);
            }
        }
        // The next frame of a fast sender begins while the stop bit is looked at.
        if falls & (!busy | (sample & at_stop)) {
            timer = half;
            bits_left = frame;
        }
        if clear {
            bits_left = 0;
            valid = false;
            broken = false;
        }
        bytes = In { valid, data: shift };
        framing_error = broken;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("uart_rx", &[("divider", (self.reload.val().index() + 1).to_string())])
    }
}
