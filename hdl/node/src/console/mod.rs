//! `console`: prints one line of text with live hexadecimal numbers, again and again, on a UART.
//!
//! The line is a template in which every `#` stands for one hexadecimal digit. At the start of a line the digits
//! input is stored whole, so that the numbers of one line belong together; its most significant digit is
//! printed at the first `#`. The first line starts `interval` clocks after clear; `interval` clocks pass between the
//! end of one line and the start of the next. `clear` ends the line and the frame in progress.

use flitforge_elaborate::graph::MemoryStyle;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::RamConfig;
use flitforge_hdl_prim::rom::Rom;
use flitforge_hdl_prim::uart::{UartConfig, UartTx};

/// Stands for a digit in the stored template.
const DIGIT: u8 = 0x80;
/// Address bits of the template memory.
const ADDRESS_BITS: usize = 7;

/// What is printed, how fast and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleConfig {
    /// The line, ASCII, with `#` for digits; a line end is not added.
    pub template: String,
    /// Clock and baud rate.
    pub uart: UartConfig,
    /// Clocks between two lines, 1 to 2^32-1.
    pub interval: u64,
}

impl ConsoleConfig {
    /// Refuses templates that are not ASCII, do not fit, or have another number of digits than `digits`.
    pub fn check(&self, digits: usize) -> Result<(), ConfigError> {
        self.uart.check()?;
        check_range("console", "interval", self.interval, 1, u64::from(u32::MAX))?;
        check_range("console", "template length", self.template.len() as u64, 1, (1 << ADDRESS_BITS) - 1)?;
        if !self.template.is_ascii() || self.template.contains('\0') {
            return Err(ConfigError::new(
                "console",
                "template",
                &self.template,
                "ASCII characters other than NUL",
                "remove the others",
            ));
        }
        let marks = self.template.matches('#').count();
        check_derived("console", "digits", digits as u64, "number of # in the template", marks as u64)
    }

    fn bytes(&self) -> Vec<Bits<8>> {
        let byte = |character: u8| if character == b'#' { DIGIT } else { character };
        self.template
            .bytes()
            .map(|character| u64::from(byte(character)).into())
            .chain([0u64.into()])
            .collect()
    }
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
    /// The digits are stored in this clock: one clock after the timer, whose comparison so drives no wide register.
    stores: Reg<Bit>,
    /// They are stored, or a digit went to the UART in the clock before and the next one moves up.
    moves: Reg<Bit>,
    #[init(W - 4)]
    nibble_start: Constant<Bits<16>>,
}

#[logic]
impl<const W: usize> Console<W> {
    /// A printer, or the reason why the configuration cannot work.
    pub fn new(config: &ConsoleConfig) -> Result<Self, ConfigError> {
        config.check(W / 4)?;
        check_derived("console", "w", W as u64, "4 * digits", 4 * (W as u64 / 4))?;
        Ok(Self {
            uart: UartTx::new(config.uart)?,
            template: Rom::new(RamConfig {
                depth: 1 << ADDRESS_BITS,
                style: MemoryStyle::Logic,
                output_register: false,
                initial: config.bytes(),
            })?,
            interval: Constant::new((config.interval - 1).into()),
            ..
        })
    }

    fn update(&mut self) {
        template.address = position;
        let character = template.data;
        let is_digit = character[7];
        let at_end = !character.any();
        let nibble = stored.bits::<4>(nibble_start);
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

/// Registry entry: a sample line with four digits.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "console",
    chapter: "00-overview",
    summary: "prints a line of text with live hexadecimal numbers on a UART (sample: `value=####`)",
    parameters: &[
        ParameterInfo::new(
            "clock_hz",
            125_000_000,
            Allowed::Range(1_000, 400_000_000),
            "core clock in hertz",
        ),
        ParameterInfo::new("baud", 115_200, Allowed::Range(1, 50_000_000), "bits per second on the line"),
        ParameterInfo::new(
            "interval",
            1 << 25,
            Allowed::Range(1, u32::MAX as u64),
            "clocks between two lines",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "fast", values: &[("clock_hz", 16_000_000), ("baud", 2_000_000), ("interval", 20)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = ConsoleConfig {
        template: "value=####\r\n".into(),
        uart: UartConfig { clock_hz: settings.get("clock_hz")?, baud: settings.get("baud")? },
        interval: settings.get("interval")?,
    };
    let interface = InterfaceInfo::clocked(&[], None, "the line starts `interval` clocks after clear");
    Ok(BuiltBlock::new(Console::<16>::new(&config)?, interface))
}
