//! `hdl/node/src/console`.

use crate::config::ConfigError;
use crate::prim::ram::RamConfig;
use crate::prim::uart::{UartConfig, UartTx};
use crate::prim::Rom;
use flitforge_base::prelude::*;
use flitforge_elaborate::graph::MemoryStyle;

/// Address bits of the template memory.
const ADDRESS_BITS: usize = 7;

/// The library's sample: `value=` and four digits.
pub fn sample() -> Result<Console<16>, ConfigError> {
    let letters = b"value=####\r\n"
        .iter()
        .map(|character| if *character == b'#' { 0x80 } else { u64::from(*character) });
    let letters = letters.chain([0]).map(Bits::from).collect();
    Console::new(UartConfig { clock_hz: 125_000_000, baud: 115_200 }, 1 << 25, letters)
}

/// Where the printer stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum ConsoleState {
    /// Waiting for the next line.
    Wait,
    /// The template memory is being read.
    Fetch,
    /// A character is offered to the UART.
    Show,
}

/// Prints `W / 4` hexadecimal digits inside a template; see the [module](self).
#[block("console", new, digits = W / 4)]
pub struct Console<const W: usize> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The digits, four bits each, the first to be printed in the top bits.
    digits: In<Bits<W>>,
    /// The serial line, idle 1.
    line: Out<Bit>,
    #[wire(clock, clear)]
    uart: UartTx,
    #[wire(clock, enable = true, output_enable = true)]
    template: Rom<Bits<8>, 7>,
    interval: Constant<Bits<32>>,
    state: Reg<ConsoleState>,
    timer: Reg<Bits<32>>,
    position: Reg<Bits<7>>,
    stored: Reg<Bits<W>>,
    /// The digits are stored in this clock: one clock behind the timer, whose comparison so drives no wide register.
    stores: Reg<Bit>,
    /// They are stored, or a digit went to the UART in the clock before and the next one moves up.
    moves: Reg<Bit>,
    character: Local<Bits<8>>,
    is_digit: Local<Bit>,
    at_end: Local<Bit>,
    nibble: Local<Bits<4>>,
    #[init(Bits::from(W as u64 - 4))]
    nibble_start: Constant<Bits<16>>,
}

#[logic]
impl<const W: usize> Console<W> {
    /// A printer.
    pub fn new(uart: UartConfig, interval: u64, letters: Vec<Bits<8>>) -> Result<Self, ConfigError> {
        let template = RamConfig {
            depth: 1 << ADDRESS_BITS,
            style: MemoryStyle::Logic,
            output_register: false,
            initial: letters,
        };
        Ok(Self {
            uart: UartTx::new(uart)?,
            template: Rom::new(template)?,
            interval: Constant::new((interval - 1).into()),
            ..
        })
    }

    fn update(&mut self) {
        template.address = position;
        character = template.data;
        is_digit = character[7];
        at_end = !character.any();
        nibble = stored.bits::<4>(nibble_start);
        uart.bytes.data = character;
        if is_digit {
            uart.bytes.data = bit_cast::<8, 4>(nibble) + 0x30;
            if nibble > 9 {
                uart.bytes.data = bit_cast::<8, 4>(nibble) + 0x37;
            }
        }
        uart.bytes.valid = false;
        stores = false;
        moves = false;
        if moves {
            stored = stored << 4;
            if stores {
                stored = digits;
            }
        }
        match state {
            ConsoleState::Wait => {
                timer = timer + 1;
                if timer == interval {
                    timer = 0;
                    position = 0;
                    stores = true;
                    moves = true;
                    state = ConsoleState::Fetch;
                }
            }
            ConsoleState::Fetch => {
                state = ConsoleState::Show;
            }
            ConsoleState::Show => {
                uart.bytes.valid = !at_end;
                // A digit's character is not the end's.
                moves = is_digit & uart.bytes.ready;
                if at_end {
                    state = ConsoleState::Wait;
                } else if uart.bytes.ready {
                    position = position + 1;
                    state = ConsoleState::Fetch;
                }
            }
        }
        if clear {
            state = ConsoleState::Wait;
            timer = 0;
        }
        line = uart.line;
    }
}
