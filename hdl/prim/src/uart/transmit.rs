//! Transmitter.

use super::UartConfig;
use crate::prelude::*;

/// Sends bytes as UART frames.
///
/// A byte is taken when the line is free; its start bit leaves two clocks later and the frame lasts ten bit
/// times, so back to back bytes follow each other with one idle clock. `clear` ends the frame at once: the line is
/// idle (1) on the second clock and `ready` is low meanwhile. `line` comes from a register through one inverter, so that it
/// idles at 1 from power-on.
#[block(new)]
pub struct UartTx {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Bytes to send.
    pub bytes: StreamIn<Bits<8>>,
    /// The serial line, idle 1.
    line: Out<Bit>,
    /// Clocks per bit, less one.
    reload: Constant<Bits<16>>,
    /// A bit lasts one clock.
    reload_is_zero: Constant<Bit>,
    #[init(super::FRAME_BITS)]
    full_frame: Constant<Bits<4>>,
    #[init(0x1FF)]
    idle_shift: Constant<Bits<9>>,
    timer: Reg<Bits<16>>,
    /// While a frame lasts: `timer` is 0.
    bit_end: Reg<Bit>,
    bits_left: Reg<Bits<4>>,
    /// `bits_left` is not 0.
    is_busy: Reg<Bit>,
    shift: Reg<Bits<9>>,
    line_low: Reg<Bit>,
}

#[logic]
impl UartTx {
    /// A transmitter, or the reason why the configuration cannot work.
    pub fn new(config: UartConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            reload: Constant::new((config.divider() - 1).into()),
            reload_is_zero: Constant::new(config.divider() == 1),
            ..
        })
    }

    fn update(&mut self) {
        let busy = is_busy;
        bytes.ready = !busy & !clear;
        let take = !busy & !clear & bytes.valid;
        line_low = busy & !shift[0];
        timer = timer - 1;
        bit_end = timer == 1;
        if busy & bit_end {
            timer = reload;
            bit_end = reload_is_zero;
            bits_left = bits_left - 1;
            is_busy = bits_left != 1;
            shift = (shift >> 1) | 0x100;
        }
        if take {
            timer = reload;
            bit_end = reload_is_zero;
            bits_left = full_frame;
            is_busy = true;
            shift = bit_cast::<9, 8>(bytes.data) << 1;
        }
        if clear {
            bits_left = 0;
            is_busy = false;
            shift = idle_shift;
            line_low = false;
        }
        line = !line_low;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("uart_tx", &[("divider", (self.reload.val().index() + 1).to_string())])
    }
}
