//! `console`: prints one line of text with live hexadecimal numbers, again and again, on a UART.
//!
//! The line is a template in which every `#` stands for one hexadecimal digit. At the start of a line the digits
//! input is stored whole, so that the numbers of one line belong together; its most significant digit is
//! printed at the first `#`. The first line starts `interval` clocks after clear; `interval` clocks pass between the
//! end of one line and the start of the next. `clear` ends the line and the frame in progress.

use crate::config::{check_derived, check_range, ConfigError};
use crate::prim::ram::RamConfig;
use crate::prim::rom::Rom;
use crate::prim::uart::{UartConfig, UartTx};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::marker::block_label;

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
        let byte = |letter: u8| if letter == b'#' { DIGIT } else { letter };
        self.template.bytes().map(|letter| u64::from(byte(letter)).into()).chain([0u64.into()]).collect()
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
#[derive(LogicBlock)]
pub struct Console<const W: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The digits, four bits each, the first to be printed in the top bits.
    pub digits: Signal<In, Bits<W>>,
    /// The serial line, idle 1.
    pub line: Signal<Out, Bit>,
    uart: UartTx,
    template: Rom<Bits<8>, 7>,
    interval: Constant<Bits<32>>,
    state: DFF<ConsoleState>,
    timer: DFF<Bits<32>>,
    position: DFF<Bits<7>>,
    stored: DFF<Bits<W>>,
    /// The digits are stored in this clock: one clock behind the timer, whose comparison so drives no wide register.
    stores: DFF<Bit>,
    /// They are stored, or a digit went to the UART in the clock before and the next one moves up.
    moves: DFF<Bit>,
    letter: Signal<Local, Bits<8>>,
    is_digit: Signal<Local, Bit>,
    at_end: Signal<Local, Bit>,
    nibble: Signal<Local, Bits<4>>,
    nibble_start: Constant<Bits<16>>,
}

impl<const W: usize> Console<W> {
    /// A printer, or the reason why the configuration cannot work.
    pub fn new(config: &ConsoleConfig) -> Result<Self, ConfigError> {
        config.check(W / 4)?;
        check_derived("console", "w", W as u64, "4 * digits", 4 * (W as u64 / 4))?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            digits: Default::default(),
            line: Default::default(),
            uart: UartTx::new(config.uart)?,
            template: Rom::new(RamConfig {
                depth: 1 << ADDRESS_BITS,
                style: MemoryStyle::Logic,
                output_register: false,
                initial: config.bytes(),
            })?,
            interval: Constant::new((config.interval - 1).into()),
            state: Default::default(),
            timer: Default::default(),
            position: Default::default(),
            stored: Default::default(),
            stores: Default::default(),
            moves: Default::default(),
            letter: Default::default(),
            is_digit: Default::default(),
            at_end: Default::default(),
            nibble: Default::default(),
            nibble_start: Constant::new((W as u64 - 4).into()),
        })
    }
}

impl<const W: usize> Logic for Console<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, timer, position, stored, stores, moves);
        clock!(self, clock, uart, template);
        self.uart.clear.next = self.clear.val();
        self.template.enable.next = true;
        self.template.output_enable.next = true;
        self.template.address.next = self.position.q.val();
        self.letter.next = self.template.data.val();
        self.is_digit.next = self.letter.val().get_bit(7);
        self.at_end.next = !self.letter.val().any();
        self.nibble.next = self.stored.q.val().get_bits::<4>(self.nibble_start.val().index());
        self.uart.bytes.data.next = self.letter.val();
        if self.is_digit.val() {
            self.uart.bytes.data.next = bit_cast::<8, 4>(self.nibble.val()) + 0x30;
            if self.nibble.val() > 9 {
                self.uart.bytes.data.next = bit_cast::<8, 4>(self.nibble.val()) + 0x37;
            }
        }
        self.uart.bytes.valid.next = false;
        self.stores.d.next = false;
        self.moves.d.next = false;
        if self.moves.q.val() {
            self.stored.d.next = self.stored.q.val() << 4;
            if self.stores.q.val() {
                self.stored.d.next = self.digits.val();
            }
        }
        match self.state.q.val() {
            ConsoleState::Wait => {
                self.timer.d.next = self.timer.q.val() + 1;
                if self.timer.q.val() == self.interval.val() {
                    self.timer.d.next = 0.into();
                    self.position.d.next = 0.into();
                    self.stores.d.next = true;
                    self.moves.d.next = true;
                    self.state.d.next = ConsoleState::Fetch;
                }
            }
            ConsoleState::Fetch => {
                self.state.d.next = ConsoleState::Show;
            }
            ConsoleState::Show => {
                self.uart.bytes.valid.next = !self.at_end.val();
                // A digit's character is not the end's.
                self.moves.d.next = self.is_digit.val() & self.uart.bytes.ready.val();
                if self.at_end.val() {
                    self.state.d.next = ConsoleState::Wait;
                } else if self.uart.bytes.ready.val() {
                    self.position.d.next = self.position.q.val() + 1;
                    self.state.d.next = ConsoleState::Fetch;
                }
            }
        }
        if self.clear.val() {
            self.state.d.next = ConsoleState::Wait;
            self.timer.d.next = 0.into();
        }
        self.line.next = self.uart.line.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("console", &[("digits", (W / 4).to_string())])
    }
}

drive_ports!(impl[const W: usize] Console<W> { clock, clear, digits, line });

/// Registry entry: a sample line with four digits.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "console",
    chapter: "00-overview",
    summary: "prints a line of text with live hexadecimal numbers on a UART (sample: `value=####`)",
    parameters: &[
        ParameterInfo {
            name: "clock_hz",
            default: 125_000_000,
            allowed: Allowed::Range(1_000, 400_000_000),
            doc: "core clock in hertz",
        },
        ParameterInfo {
            name: "baud",
            default: 115_200,
            allowed: Allowed::Range(1, 50_000_000),
            doc: "bits per second on the line",
        },
        ParameterInfo {
            name: "interval",
            default: 1 << 25,
            allowed: Allowed::Range(1, u32::MAX as u64),
            doc: "clocks between two lines",
        },
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
