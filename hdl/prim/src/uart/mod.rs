//! UART, 8 data bits, no parity, one stop bit, least significant bit first.
//!
//! [`UartTx`] sends what its stream brings; [`UartRx`] gives what the line brings as a flow. Both count core
//! clocks, so a configuration is a clock and a baud rate ([`UartConfig`]).

mod receive;
mod transmit;

pub use receive::UartRx;
pub use transmit::UartTx;

use crate::prelude::*;

/// Data bits of a frame.
pub const DATA_BITS: usize = 8;
/// Bits of a frame on the line: start, data, stop.
pub const FRAME_BITS: usize = DATA_BITS + 2;

/// Samples of a bit, if it has as many clocks.
const SAMPLES_PER_BIT: u64 = 32;

/// Clock and baud rate of a UART.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UartConfig {
    /// Core clock in hertz.
    pub clock_hz: u64,
    /// Baud rate in bits per second.
    pub baud: u64,
}

impl UartConfig {
    /// Core clocks per bit, rounded to nearest.
    pub fn divider(&self) -> u64 {
        (self.clock_hz + self.baud / 2) / self.baud.max(1)
    }

    /// Clocks between two samples of the receiver: a 32nd of a bit, at least 1. Its filter suppresses what is shorter than that.
    pub fn sample_spacing(&self) -> u64 {
        (self.divider() / SAMPLES_PER_BIT).max(1)
    }

    /// Refuses what cannot work: fewer than 8 or more than 65,535 clocks per bit, or a rounding error of the
    /// baud rate above 2 %. Two ends that are both off by that much, in opposite directions, are within what the
    /// [receiver](UartRx#tolerance) tolerates; 0.3 % is then left for their clocks.
    pub fn check(&self) -> Result<(), ConfigError> {
        let refuse = |value: u64, expected: String| {
            Err(ConfigError::new("uart", "baud", value, expected, "choose another baud rate or core clock"))
        };
        if self.baud == 0 {
            return refuse(self.baud, "a baud rate above 0".into());
        }
        let divider = self.divider();
        if !(8..=65_535).contains(&divider) {
            return refuse(
                self.baud,
                format!("8 to 65535 clocks per bit, {} Hz gives {divider}", self.clock_hz),
            );
        }
        let real = self.clock_hz / divider;
        if real.abs_diff(self.baud) * 50 > self.baud {
            return refuse(self.baud, format!("a rate within 2 % of {real} baud"));
        }
        Ok(())
    }
}

const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo::new("clock_hz", 125_000_000, Allowed::Range(1_000, 400_000_000), "core clock in hertz"),
    ParameterInfo::new("baud", 115_200, Allowed::Range(1, 50_000_000), "bits per second on the line"),
];

const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "fast", values: &[("clock_hz", 16_000_000), ("baud", 2_000_000)] },
];

/// Registry entry of the transmitter.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "uart_tx",
    chapter: "00-overview",
    summary: "UART transmitter, 8N1",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: |settings| {
        let interface = InterfaceInfo::clocked(
            &[("bytes", StreamRole::StreamSink)],
            Some(2),
            "byte taken to start bit on the line",
        );
        Ok(BuiltBlock::new(UartTx::new(config(settings)?)?, interface))
    },
};

/// Registry entry of the receiver.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "uart_rx",
    chapter: "00-overview",
    summary: "UART receiver, 8N1",
    parameters: PARAMETERS,
    presets: PRESETS,
    build: |settings| {
        let interface = InterfaceInfo::clocked(
            &[("bytes", StreamRole::FlowSource)],
            None,
            "a byte is given half a bit, two samples and two clocks after its stop bit begins",
        );
        Ok(BuiltBlock::new(UartRx::new(config(settings)?)?, interface))
    },
};

fn config(settings: &Settings) -> Result<UartConfig, ConfigError> {
    Ok(UartConfig { clock_hz: settings.get("clock_hz")?, baud: settings.get("baud")? })
}
