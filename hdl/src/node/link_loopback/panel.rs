//! The operator's side of the loopback: button, LEDs and serial console.

use super::LinkLoopback;
use crate::config::ConfigError;
use crate::node::console::{Console, ConsoleConfig};
use crate::prim::counter::Counter;
use crate::prim::debounce::Debounce;
use crate::prim::register::Register;
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
/// - LEDs: 0 bit 22 of the good counter (blinks while LTPs move), 1 the serial line is sending, 2 the button is
///   pressed, 3 a beat with wrong content was seen, 7..4 the low bits of the bad counter.
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
    good: Counter<48, 12>,
    bad: Counter<48, 12>,
    gaps: Counter<48, 12>,
    wrong: Counter<48, 12>,
    console: Console<DIGITS_BITS>,
    lanes: Register<Bits<2>>,
    mode: DFF<Bits<2>>,
    restart: DFF<Bit>,
    inject: DFF<Bit>,
    zero: DFF<Bit>,
    seen_wrong: DFF<Bit>,
    command: Signal<Local, Bits<8>>,
    digits: Signal<Local, Bits<DIGITS_BITS>>,
    lamps: Signal<Local, Bits<8>>,
    is_lanes: Signal<Local, Bit>,
    is_mode: Signal<Local, Bit>,
}

impl LinkLoopbackPanel {
    /// Everything, or the reason why a part cannot be built.
    pub fn new(config: PanelConfig) -> Result<Self, ConfigError> {
        let console =
            ConsoleConfig { template: TEMPLATE.into(), uart: config.uart, interval: config.interval };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            button: Default::default(),
            serial_in: Default::default(),
            serial_out: Default::default(),
            leds: Default::default(),
            link: LinkLoopback::new()?,
            button_sync: Synchronizer::new(false)?,
            serial_sync: Synchronizer::new(true)?,
            debounce: Debounce::new(config.debounce)?,
            commands: UartRx::new(config.uart)?,
            good: Counter::new()?,
            bad: Counter::new()?,
            gaps: Counter::new()?,
            wrong: Counter::new()?,
            console: Console::new(&console)?,
            lanes: Register::new(3.into()),
            mode: Default::default(),
            restart: Default::default(),
            inject: Default::default(),
            zero: Default::default(),
            seen_wrong: Default::default(),
            command: Default::default(),
            digits: Default::default(),
            lamps: Default::default(),
            is_lanes: Default::default(),
            is_mode: Default::default(),
        })
    }
}

impl Logic for LinkLoopbackPanel {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mode, restart, inject, zero, seen_wrong);
        clock!(
            self,
            clock,
            link,
            button_sync,
            serial_sync,
            debounce,
            commands,
            good,
            bad,
            gaps,
            wrong,
            console,
            lanes
        );
        self.link.clear.next = self.clear.val();
        self.debounce.clear.next = self.clear.val();
        self.commands.clear.next = self.clear.val();
        self.good.clear.next = self.clear.val();
        self.bad.clear.next = self.clear.val();
        self.gaps.clear.next = self.clear.val();
        self.wrong.clear.next = self.clear.val();
        self.console.clear.next = self.clear.val();
        self.lanes.clear.next = self.clear.val();

        // Button and commands.
        self.button_sync.d.next = self.button.val();
        self.debounce.button.next = self.button_sync.q.val();
        self.serial_sync.d.next = self.serial_in.val();
        self.commands.line.next = self.serial_sync.q.val();
        self.command.next = self.commands.bytes.data.val();
        self.is_lanes.next =
            self.commands.bytes.valid.val() & (self.command.val() >= 0x31) & (self.command.val() <= 0x34);
        self.is_mode.next =
            self.commands.bytes.valid.val() & ((self.command.val() == 0x73) | (self.command.val() == 0x63));
        self.restart.d.next = self.is_lanes.val() | self.is_mode.val();
        self.inject.d.next =
            self.debounce.pressed.val() | (self.commands.bytes.valid.val() & (self.command.val() == 0x65));
        self.zero.d.next = self.commands.bytes.valid.val() & (self.command.val() == 0x7A);
        self.lanes.enable.next = self.is_lanes.val();
        self.lanes.d.next = self.command.val().get_bits::<2>(0) - 1;
        if self.is_mode.val() {
            self.mode.d.next = bit_cast::<2, 1>((self.command.val() == 0x63).into());
        }
        if self.clear.val() {
            self.mode.d.next = 0.into();
            self.restart.d.next = false;
            self.inject.d.next = false;
            self.zero.d.next = false;
        }
        self.link.lanes.next = self.lanes.q.val();
        self.link.mode.next = self.mode.q.val();
        self.link.restart.next = self.restart.q.val();
        self.link.inject.next = self.inject.q.val();

        // Counters.
        self.good.up.next = self.link.ltp_good.val();
        self.bad.up.next = self.link.ltp_bad.val();
        self.gaps.up.next = self.link.beat_gap.val();
        self.wrong.up.next = self.link.beat_wrong.val();
        self.good.zero.next = self.zero.q.val();
        self.bad.zero.next = self.zero.q.val();
        self.gaps.zero.next = self.zero.q.val();
        self.wrong.zero.next = self.zero.q.val();
        if self.link.beat_wrong.val() {
            self.seen_wrong.d.next = true;
        }
        if self.clear.val() | self.zero.q.val() {
            self.seen_wrong.d.next = false;
        }

        // Console: the first digits of the line are the top bits.
        self.digits.next = (bit_cast::<DIGITS_BITS, 48>(self.good.value.val()) << 152)
            | (bit_cast::<DIGITS_BITS, 48>(self.bad.value.val()) << 104)
            | (bit_cast::<DIGITS_BITS, 48>(self.gaps.value.val()) << 56)
            | (bit_cast::<DIGITS_BITS, 48>(self.wrong.value.val()) << 8)
            | (bit_cast::<DIGITS_BITS, 4>(bit_cast::<4, 2>(self.link.lanes_now.val()) + 1) << 4)
            | bit_cast::<DIGITS_BITS, 2>(self.link.mode_now.val());
        self.console.digits.next = self.digits.val();
        self.serial_out.next = self.console.line.val();

        self.lamps.next = bit_cast::<8, 4>(self.bad.value.val().get_bits::<4>(0)) << 4;
        self.leds.next = self
            .lamps
            .val()
            .replace_bit(0, self.good.value.val().get_bit(22))
            .replace_bit(1, !self.console.line.val())
            .replace_bit(2, self.debounce.level.val())
            .replace_bit(3, self.seen_wrong.q.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_loopback_panel", &[])
    }
}

drive_ports!(impl[] LinkLoopbackPanel { clock, clear, button, serial_in, serial_out, leds });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_loopback_panel",
    chapter: "10-link",
    summary: "the link loopback with button, LEDs, counters and serial console",
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
            doc: "bits per second of the serial port",
        },
        ParameterInfo {
            name: "debounce",
            default: 125_000,
            allowed: Allowed::Range(2, 16_777_215),
            doc: "clocks between two looks at the button",
        },
        ParameterInfo {
            name: "interval",
            default: 1 << 25,
            allowed: Allowed::Range(1, u32::MAX as u64),
            doc: "clocks between two console lines",
        },
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset {
            name: "fast",
            values: &[("clock_hz", 16_000_000), ("baud", 2_000_000), ("debounce", 16), ("interval", 200)],
        },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = PanelConfig {
        uart: UartConfig { clock_hz: settings.get("clock_hz")?, baud: settings.get("baud")? },
        debounce: settings.get("debounce")?,
        interval: settings.get("interval")?,
    };
    let interface = InterfaceInfo::clocked(&[], None, "see the blocks it is made of");
    Ok(BuiltBlock::new(LinkLoopbackPanel::new(config)?, interface))
}
