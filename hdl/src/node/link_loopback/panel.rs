//! The operator's side of the loopback: button, LEDs and serial console.

use super::LinkLoopback;
use crate::config::ConfigError;
use crate::node::console::{Console, ConsoleConfig};
use crate::prim::counter::Counter;
use crate::prim::debounce::Debounce;
use crate::prim::synchronizer::Synchronizer;
use crate::prim::uart::{UartConfig, UartRx};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

/// Hexadecimal digits of a console line.
const DIGITS_BITS: usize = 4 * (4 * 12 + 2);
/// The console line.
const TEMPLATE: &str =
    "good=############ bad=############ gaps=############ wrong=############ lanes=# mode=#\r\n";

/// Timing of the operator's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelConfig {
    /// Serial port; its clock is the core clock.
    pub uart: UartConfig,
    /// Clocks between two looks at the button.
    pub debounce: u64,
    /// Clocks between two console lines.
    pub interval: u64,
}

/// `link_loopback_panel`: the loopback with everything a board connects to it.
///
/// - Console: one line per `interval`, see the template in the source: LTPs good and bad, gaps and wrong beats at the checker
///   (each 48 bits, hexadecimal, saturating), lanes and CRC mode.
/// - Commands, one character each on `serial_in`: `1`..`4` restart with that many lanes, `s` restart in mode 0
///   (standard), `c` restart in mode 1 (14-bit CRC with credit sideband), `e` inject an error, `z` set the
///   counters to zero. Others are ignored.
/// - `button`: injects an error when pressed.
/// - LEDs: 0 bit 22 of the good counter (blinks while LTPs move), 1 the serial line is sending, 2 error waiting or injected
///   now, 3 a beat with wrong content was seen, 7..4 the low bits of the bad counter.
///
/// `button` and `serial_in` may be asynchronous. `clear` starts all again, counters included.
#[derive(LogicBlock)]
pub struct LinkLoopbackPanel {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Push button, 1 while pressed, asynchronous.
    pub button: Signal<In, Bit>,
    /// Serial data in, asynchronous.
    pub serial_in: Signal<In, Bit>,
    /// Serial data out, idle 1.
    pub serial_out: Signal<Out, Bit>,
    /// LEDs.
    pub leds: Signal<Out, Bits<8>>,

    link: LinkLoopback,
    button_sync: Synchronizer<2>,
    serial_sync: Synchronizer<2>,
    debounce: Debounce,
    commands: UartRx,
    good: Counter<48>,
    bad: Counter<48>,
    gaps: Counter<48>,
    wrong: Counter<48>,
    console: Console<DIGITS_BITS>,
    lanes: DFF<Bits<2>>,
    mode: DFF<Bits<2>>,
    restart: DFF<Bit>,
    inject: DFF<Bit>,
    zero: DFF<Bit>,
    seen_wrong: DFF<Bit>,
    command: Signal<Local, Bits<8>>,
    lane_digit: Signal<Local, Bits<4>>,
    mode_digit: Signal<Local, Bits<4>>,
    digits: Signal<Local, Bits<DIGITS_BITS>>,
    lamp: Signal<Local, Bits<8>>,
}
