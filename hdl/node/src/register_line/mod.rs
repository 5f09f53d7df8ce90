//! `register_line`: registers of up to eight devices over a serial line, as lines of text for a person at a terminal and for programs.
//!
//! ```text
//! line_in > Synchronizer > UartRx > RegisterCommands > UartTx > line_out
//!                                        v register buses
//! ```
//!
//! A line is a command, ended by CR, LF or both; every line gets one answer, ended by CR and LF, and then the next line may be sent.
//! Empty lines get none. Nothing is echoed.
//!
//! | line | does | answer |
//! |---|---|---|
//! | `r 3 0028` | reads the register at byte offset 0x28 of device 3 | 16 digits and a check |
//! | `w 3 0030 2a 6bf1` | writes 0x2A to the one at 0x30, if the check is right | `ok` and a check |
//!
//! Numbers are hexadecimal, in letters of either case: one digit for the device, up to 4 for the offset, up to 16 for the value, 4 for the
//! check. Fields have one or more spaces between them; `R` and `W` do as well.
//!
//! A check is the CRC-16 (`flitforge_protocol::register_line`) of the characters in front of it, spaces included: those of the
//! line, and for that of an answer those of the answer after them. Checks and line ends are not counted.
//!
//! A write must have one; a read may have one (`r 3 0028 CHECK`) and then has no effect if it is wrong. Python has it for a write
//! by hand: `python3 -c "import binascii; print('%04x' % binascii.crc_hqx(b'w 3 0030 2a ', 0xffff))"`.
//!
//! What cannot be done gets `?` and the first reason there was, without a check:
//!
//! | answer | reason |
//! |---|---|
//! | `?l` | a character was lost: its stop bit was wrong, or it came before the answer to the line before was out |
//! | `?t` | the line has more than 31 characters |
//! | `?s` | not a command: another letter, a digit too many, a field too few or too many |
//! | `?c` | the check is wrong, or a write has none |
//! | `?d` | no such device |
//! | `?o` | the offset is not that of a register: not a multiple of 8, or after the page |
//! | `?a` | the device did not answer within `limit` clocks |
//!
//! Of all these only `?a` may come from a request that was carried out. Of lines with wrong characters 1 in 65,536 passes its check by chance.
//!
//! - Lines that come while an answer is on its way get one `?l` together. A line whose end was lost gets its answer with the next end.
//! - Register buses as in chapter 10, 5: `addr` and `wdata` stand while a request is open; `re` or `we` of one device is 1 for one
//!   clock; its `ack` may come from that clock on. `rdata` of a device must be 0 without its `ack`. An `ack` after the limit is not looked at.
//! - `re` or `we` 1 clock after the character that ends the line, the answer's first character 1 clock after `ack`.
//! - `clear` forgets the line, the request and the answer; what the device does with a request is the device's.

mod commands;
mod line;
mod states;

pub use commands::{RegisterCommands, MAX_DEVICES, MAX_LINE};
pub use line::{RegisterLine, RegisterLineConfig};
pub use states::{CommandState, LineField, Problem};

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::uart::UartConfig;
use flitforge_hdl_time::page::PAGE_WORD_BITS;

/// Devices of the registry's sample.
const SAMPLE_DEVICES: usize = 5;

const LIMIT: ParameterInfo =
    ParameterInfo::new("limit", 255, Allowed::Range(1, 255), "clocks a device may take to answer");

/// Registry entry of the commands without the UART.
pub const COMMANDS_ENTRY: BlockEntry = BlockEntry {
    name: "register_commands",
    chapter: "00-overview",
    summary: "lines of text to requests on register buses, and back (sample: five time pages)",
    parameters: &[LIMIT],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "impatient", values: &[("limit", 12)] },
    ],
    build: |settings| {
        let streams = [("characters", FlowSink), ("answer", StreamSource)];
        let interface = InterfaceInfo::clocked(&streams, Some(1), "end of the line to `re` or `we`");
        let block = RegisterCommands::<SAMPLE_DEVICES, PAGE_WORD_BITS>::new(settings.get("limit")?)?;
        Ok(BuiltBlock::new(block, interface))
    },
};

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "register_line",
    chapter: "00-overview",
    summary: "registers of several devices over a serial line (sample: five time pages)",
    parameters: &[
        ParameterInfo::new("clock_hz", 25_000_000, Allowed::Range(1_000, 400_000_000), "core clock in hertz"),
        ParameterInfo::new("baud", 1_000_000, Allowed::Range(1, 50_000_000), "bits per second on the line"),
        LIMIT,
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "fast", values: &[("clock_hz", 16_000_000), ("baud", 2_000_000)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = RegisterLineConfig {
        uart: UartConfig { clock_hz: settings.get("clock_hz")?, baud: settings.get("baud")? },
        limit: settings.get("limit")?,
    };
    let interface = InterfaceInfo::clocked(&[], None, "see the commands and the UART");
    Ok(BuiltBlock::new(RegisterLine::<SAMPLE_DEVICES, PAGE_WORD_BITS>::new(&config)?, interface))
}
