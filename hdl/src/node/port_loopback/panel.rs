//! The operator's side of the port's loopback: buttons, LEDs and serial console.

use super::{port_config, PortLoopback, SHORT, VALUE_BITS};
use crate::config::ConfigError;
use crate::link::port::PortConfig;
use crate::node::console::{Console, ConsoleConfig};
use crate::prim::counter::Counter;
use crate::prim::debounce::Debounce;
use crate::prim::register::Register;
use crate::prim::synchronizer::Synchronizer;
use crate::prim::uart::{UartConfig, UartRx};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::{lanes, status};
use rust_hdl::prelude::*;

/// Bits of the hexadecimal digits of a console line.
const DIGITS_BITS: usize = 4 * (4 + 5 * 12);
/// The console line.
const TEMPLATE: &str = "state=# tx=# rx=# mode=# good=############ bad=############ replay=############ \
                        gaps=############ wrong=############\r\n";
/// The hardware text of `update` takes literal positions only; this holds them to the page's description.
const _: () = assert!(
    status::state::LOW == 0
        && status::tx_mode::LOW == 9
        && lanes::tx_active::LOW == 0
        && lanes::rx_active::LOW == 4,
    "a field of STATUS or LANES stands elsewhere on the page"
);
/// Buttons.
const BUTTONS: usize = 3;

/// Timing of the operator's side, and the port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortPanelConfig {
    /// Serial port; its clock is the core clock.
    pub uart: UartConfig,
    /// Clocks between two looks at the buttons.
    pub debounce: u64,
    /// Clocks between two console lines.
    pub interval: u64,
    /// The port: two flits per beat, four lanes, 128 replay slots.
    pub port: PortConfig,
}

/// `port_loopback_panel`: the port's loopback with everything a board connects to it.
///
/// - Console: one line per `interval`, hexadecimal: state of the link (4 Active, 5 Retraining, 6 Degraded), lanes sent and
///   received on as masks, CRC mode; LTPs good, bad and sent again, as the port's registers count them; gaps and wrong
///   beats at the checker (48 bits each, saturating).
/// - Commands, one character each on `serial_in`: `1`..`4` restart with that many lanes, `s` restart in CRC mode 0
///   (standard), `c` in mode 1 (14-bit CRC with credit sideband, the default), `e` inject an error, `k` kill the next
///   lane, `r` restore all lanes, `z` set the counters to zero. Others are ignored.
/// - `buttons`: 0 injects an error, 1 kills the next lane, 2 restores all.
/// - LEDs: 0 bit 22 of the good counter (blinks while LTPs move), 1 the serial line is sending, 2 a button is
///   pressed, 3 a gap or a wrong beat was seen, 7..4 lanes received on.
///
/// `buttons` and `serial_in` may be asynchronous. `clear` starts all again; the port's counters stay.
#[derive(LogicBlock)]
pub struct PortLoopbackPanel {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Push buttons, 1 while pressed, asynchronous.
    pub buttons: Signal<In, Bits<BUTTONS>>,
    /// Serial data in, asynchronous.
    pub serial_in: Signal<In, Bit>,
    /// Serial data out, idle 1.
    pub serial_out: Signal<Out, Bit>,
    /// LEDs.
    pub leds: Signal<Out, Bits<8>>,

    link: PortLoopback,
    button_sync: [Synchronizer<2>; BUTTONS],
    debounce: [Debounce; BUTTONS],
    serial_sync: Synchronizer<2>,
    commands: UartRx,
    gaps: Counter<48, 12>,
    wrong: Counter<48, 12>,
    console: Console<DIGITS_BITS>,
    lanes: Register<Bits<2>>,
    mode: Register<Bits<2>>,
    restart: DFF<Bit>,
    inject: DFF<Bit>,
    kill: DFF<Bit>,
    restore: DFF<Bit>,
    zero: DFF<Bit>,
    seen_wrong: DFF<Bit>,
    comes: Signal<Local, Bit>,
    command: Signal<Local, Bits<8>>,
    digits: Signal<Local, Bits<DIGITS_BITS>>,
    first: Signal<Local, Bits<16>>,
    lamps: Signal<Local, Bits<8>>,
    pressed: Signal<Local, Bit>,
    is_lanes: Signal<Local, Bit>,
    is_mode: Signal<Local, Bit>,
}

impl PortLoopbackPanel {
    /// Everything, or the reason why a part cannot be built.
    pub fn new(config: PortPanelConfig) -> Result<Self, ConfigError> {
        let console =
            ConsoleConfig { template: TEMPLATE.into(), uart: config.uart, interval: config.interval };
        let debounce = || Debounce::new(config.debounce);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            buttons: Default::default(),
            serial_in: Default::default(),
            serial_out: Default::default(),
            leds: Default::default(),
            link: PortLoopback::new(&config.port)?,
            button_sync: [Synchronizer::new(false)?, Synchronizer::new(false)?, Synchronizer::new(false)?],
            debounce: [debounce()?, debounce()?, debounce()?],
            serial_sync: Synchronizer::new(true)?,
            commands: UartRx::new(config.uart)?,
            gaps: Counter::new()?,
            wrong: Counter::new()?,
            console: Console::new(&console)?,
            lanes: Register::new(3.into()),
            mode: Register::new(1.into()),
            restart: Default::default(),
            inject: Default::default(),
            kill: Default::default(),
            restore: Default::default(),
            zero: Default::default(),
            seen_wrong: Default::default(),
            comes: Default::default(),
            command: Default::default(),
            digits: Default::default(),
            first: Default::default(),
            lamps: Default::default(),
            pressed: Default::default(),
            is_lanes: Default::default(),
            is_mode: Default::default(),
        })
    }
}

impl Logic for PortLoopbackPanel {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, restart, inject, kill, restore, zero, seen_wrong);
        clock!(self, clock, link, serial_sync, commands, gaps, wrong, console, lanes, mode);
        self.link.clear.next = self.clear.val();
        self.commands.clear.next = self.clear.val();
        self.gaps.clear.next = self.clear.val();
        self.wrong.clear.next = self.clear.val();
        self.console.clear.next = self.clear.val();
        self.lanes.clear.next = self.clear.val();
        self.mode.clear.next = self.clear.val();

        // Buttons and commands.
        self.pressed.next = false;
        for i in 0..3 {
            self.button_sync[i].clock.next = self.clock.val();
            self.button_sync[i].d.next = self.buttons.val().get_bit(i);
            self.debounce[i].clock.next = self.clock.val();
            self.debounce[i].clear.next = self.clear.val();
            self.debounce[i].button.next = self.button_sync[i].q.val();
            self.pressed.next = self.pressed.val() | self.debounce[i].level.val();
        }
        self.serial_sync.d.next = self.serial_in.val();
        self.commands.line.next = self.serial_sync.q.val();
        self.comes.next = self.commands.bytes.valid.val();
        self.command.next = self.commands.bytes.data.val();
        self.is_lanes.next = self.comes.val() & (self.command.val() >= 0x31) & (self.command.val() <= 0x34);
        self.is_mode.next = self.comes.val() & ((self.command.val() == 0x73) | (self.command.val() == 0x63));
        self.restart.d.next = self.is_lanes.val() | self.is_mode.val();
        self.inject.d.next =
            self.debounce[0].pressed.val() | (self.comes.val() & (self.command.val() == 0x65));
        self.kill.d.next = self.debounce[1].pressed.val() | (self.comes.val() & (self.command.val() == 0x6B));
        self.restore.d.next =
            self.debounce[2].pressed.val() | (self.comes.val() & (self.command.val() == 0x72));
        self.zero.d.next = self.comes.val() & (self.command.val() == 0x7A);
        self.lanes.enable.next = self.is_lanes.val();
        self.lanes.d.next = self.command.val().get_bits::<2>(0) - 1;
        self.mode.enable.next = self.is_mode.val();
        self.mode.d.next = bit_cast::<2, 1>((self.command.val() == 0x63).into());
        if self.clear.val() {
            self.restart.d.next = false;
            self.inject.d.next = false;
            self.kill.d.next = false;
            self.restore.d.next = false;
            self.zero.d.next = false;
        }
        self.link.lanes.next = self.lanes.q.val();
        self.link.mode.next = self.mode.q.val();
        self.link.restart.next = self.restart.q.val();
        self.link.inject.next = self.inject.q.val();
        self.link.kill.next = self.kill.q.val();
        self.link.restore.next = self.restore.q.val();
        self.link.zero.next = self.zero.q.val();

        // Counters of the checker.
        self.gaps.up.next = self.link.beat_gap.val();
        self.wrong.up.next = self.link.beat_wrong.val();
        self.gaps.zero.next = self.zero.q.val();
        self.wrong.zero.next = self.zero.q.val();
        if self.link.beat_wrong.val() | self.link.beat_gap.val() {
            self.seen_wrong.d.next = true;
        }
        if self.clear.val() | self.zero.q.val() {
            self.seen_wrong.d.next = false;
        }

        // Console: the first digits of the line are the top bits.
        self.first.next = (bit_cast::<16, 3>(self.link.status.val().get_bits::<3>(0)) << 12)
            | (bit_cast::<16, 4>(self.link.lane_masks.val().get_bits::<4>(0)) << 8)
            | (bit_cast::<16, 4>(self.link.lane_masks.val().get_bits::<4>(4)) << 4)
            | bit_cast::<16, 2>(self.link.status.val().get_bits::<2>(9));
        self.digits.next = (bit_cast::<DIGITS_BITS, 16>(self.first.val()) << 240)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(self.link.ltp_good.val()) << 192)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(self.link.ltp_bad.val()) << 144)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(self.link.replayed.val()) << 96)
            | (bit_cast::<DIGITS_BITS, 48>(self.gaps.value.val()) << 48)
            | bit_cast::<DIGITS_BITS, 48>(self.wrong.value.val());
        self.console.digits.next = self.digits.val();
        self.serial_out.next = self.console.line.val();

        self.lamps.next = bit_cast::<8, 4>(self.link.rx_lanes.val()) << 4;
        self.leds.next = self
            .lamps
            .val()
            .replace_bit(0, self.link.ltp_good.val().get_bit(22))
            .replace_bit(1, !self.console.line.val())
            .replace_bit(2, self.pressed.val())
            .replace_bit(3, self.seen_wrong.q.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_loopback_panel", &[])
    }
}

drive_ports!(impl[] PortLoopbackPanel { clock, clear, buttons, serial_in, serial_out, leds });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "port_loopback_panel",
    chapter: "10-link",
    summary: "the port's loopback with buttons, LEDs, counters and serial console",
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
            doc: "clocks between two looks at the buttons",
        },
        ParameterInfo {
            name: "interval",
            default: 1 << 25,
            allowed: Allowed::Range(1, u32::MAX as u64),
            doc: "clocks between two console lines",
        },
        SHORT,
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset {
            name: "fast",
            values: &[
                ("clock_hz", 16_000_000),
                ("baud", 2_000_000),
                ("debounce", 16),
                ("interval", 200),
                ("short", 1),
            ],
        },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = PortPanelConfig {
        uart: UartConfig { clock_hz: settings.get("clock_hz")?, baud: settings.get("baud")? },
        debounce: settings.get("debounce")?,
        interval: settings.get("interval")?,
        port: port_config(settings.get("short")?),
    };
    let interface = InterfaceInfo::clocked(&[], None, "see the blocks it is made of");
    Ok(BuiltBlock::new(PortLoopbackPanel::new(config)?, interface))
}
