//! The operator's side of a port: buttons, LEDs and serial console.

use super::{port_config, SHORT, VALUE_BITS};
use crate::config::ConfigError;
use crate::link::port::PortConfig;
use crate::node::console::{Console, ConsoleConfig};
use crate::prim::counter::Counter;
use crate::prim::debounce::Debounce;
use crate::prim::register::Register;
use crate::prim::synchronizer::Synchronizer;
use crate::prim::uart::{UartConfig, UartRx};
use crate::registry::{Allowed, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::{lanes, status};

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
pub(in crate::node) const BUTTONS: usize = 3;

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

/// What a board connects to a port: console, commands, buttons and LEDs.
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
pub struct PortOperator {
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
    /// Pulse: Down, and up again with `lanes` and `mode`.
    pub restart: Signal<Out, Bit>,
    /// Lanes that may be used, minus one.
    pub lanes: Signal<Out, Bits<2>>,
    /// Preferred CRC mode, 0 or 1.
    pub mode: Signal<Out, Bits<2>>,
    /// Pulse: one wrong bit in one LTP.
    pub inject: Signal<Out, Bit>,
    /// Pulse: the next lane dies.
    pub kill: Signal<Out, Bit>,
    /// Pulse: all lanes live again.
    pub restore: Signal<Out, Bit>,
    /// Pulse: the port's counters become 0.
    pub zero: Signal<Out, Bit>,
    /// STATUS.
    pub status: Signal<In, Bits<16>>,
    /// LANES.
    pub lane_masks: Signal<In, Bits<16>>,
    /// Good LTPs.
    pub ltp_good: Signal<In, Bits<VALUE_BITS>>,
    /// Bad LTPs.
    pub ltp_bad: Signal<In, Bits<VALUE_BITS>>,
    /// LTPs sent again.
    pub replayed: Signal<In, Bits<VALUE_BITS>>,
    /// Lanes received on, now.
    pub rx_lanes: Signal<In, Bits<4>>,
    /// The checker's beat has another content.
    pub beat_wrong: Signal<In, Bit>,
    /// The checker missed beats.
    pub beat_gap: Signal<In, Bit>,

    button_sync: [Synchronizer<2>; BUTTONS],
    debounce: [Debounce; BUTTONS],
    serial_sync: Synchronizer<2>,
    commands: UartRx,
    gaps: Counter<48, 12>,
    wrong: Counter<48, 12>,
    console: Console<DIGITS_BITS>,
    lanes_taken: Register<Bits<2>>,
    mode_taken: Register<Bits<2>>,
    restart_taken: DFF<Bit>,
    inject_taken: DFF<Bit>,
    kill_taken: DFF<Bit>,
    restore_taken: DFF<Bit>,
    zero_taken: DFF<Bit>,
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

impl PortOperator {
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
            restart: Default::default(),
            lanes: Default::default(),
            mode: Default::default(),
            inject: Default::default(),
            kill: Default::default(),
            restore: Default::default(),
            zero: Default::default(),
            status: Default::default(),
            lane_masks: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            replayed: Default::default(),
            rx_lanes: Default::default(),
            beat_wrong: Default::default(),
            beat_gap: Default::default(),
            button_sync: [Synchronizer::new(false)?, Synchronizer::new(false)?, Synchronizer::new(false)?],
            debounce: [debounce()?, debounce()?, debounce()?],
            serial_sync: Synchronizer::new(true)?,
            commands: UartRx::new(config.uart)?,
            gaps: Counter::new()?,
            wrong: Counter::new()?,
            console: Console::new(&console)?,
            lanes_taken: Register::new(3.into()),
            mode_taken: Register::new(1.into()),
            restart_taken: Default::default(),
            inject_taken: Default::default(),
            kill_taken: Default::default(),
            restore_taken: Default::default(),
            zero_taken: Default::default(),
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

impl Logic for PortOperator {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            restart_taken,
            inject_taken,
            kill_taken,
            restore_taken,
            zero_taken,
            seen_wrong
        );
        clock!(self, clock, serial_sync, commands, gaps, wrong, console, lanes_taken, mode_taken);
        self.commands.clear.next = self.clear.val();
        self.gaps.clear.next = self.clear.val();
        self.wrong.clear.next = self.clear.val();
        self.console.clear.next = self.clear.val();
        self.lanes_taken.clear.next = self.clear.val();
        self.mode_taken.clear.next = self.clear.val();

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
        self.restart_taken.d.next = self.is_lanes.val() | self.is_mode.val();
        self.inject_taken.d.next =
            self.debounce[0].pressed.val() | (self.comes.val() & (self.command.val() == 0x65));
        self.kill_taken.d.next =
            self.debounce[1].pressed.val() | (self.comes.val() & (self.command.val() == 0x6B));
        self.restore_taken.d.next =
            self.debounce[2].pressed.val() | (self.comes.val() & (self.command.val() == 0x72));
        self.zero_taken.d.next = self.comes.val() & (self.command.val() == 0x7A);
        self.lanes_taken.enable.next = self.is_lanes.val();
        self.lanes_taken.d.next = self.command.val().get_bits::<2>(0) - 1;
        self.mode_taken.enable.next = self.is_mode.val();
        self.mode_taken.d.next = bit_cast::<2, 1>((self.command.val() == 0x63).into());
        if self.clear.val() {
            self.restart_taken.d.next = false;
            self.inject_taken.d.next = false;
            self.kill_taken.d.next = false;
            self.restore_taken.d.next = false;
            self.zero_taken.d.next = false;
        }
        self.lanes.next = self.lanes_taken.q.val();
        self.mode.next = self.mode_taken.q.val();
        self.restart.next = self.restart_taken.q.val();
        self.inject.next = self.inject_taken.q.val();
        self.kill.next = self.kill_taken.q.val();
        self.restore.next = self.restore_taken.q.val();
        self.zero.next = self.zero_taken.q.val();

        // Counters of the checker.
        self.gaps.up.next = self.beat_gap.val();
        self.wrong.up.next = self.beat_wrong.val();
        self.gaps.zero.next = self.zero_taken.q.val();
        self.wrong.zero.next = self.zero_taken.q.val();
        if self.beat_wrong.val() | self.beat_gap.val() {
            self.seen_wrong.d.next = true;
        }
        if self.clear.val() | self.zero_taken.q.val() {
            self.seen_wrong.d.next = false;
        }

        // Console: the first digits of the line are the top bits.
        self.first.next = (bit_cast::<16, 3>(self.status.val().get_bits::<3>(0)) << 12)
            | (bit_cast::<16, 4>(self.lane_masks.val().get_bits::<4>(0)) << 8)
            | (bit_cast::<16, 4>(self.lane_masks.val().get_bits::<4>(4)) << 4)
            | bit_cast::<16, 2>(self.status.val().get_bits::<2>(9));
        self.digits.next = (bit_cast::<DIGITS_BITS, 16>(self.first.val()) << 240)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(self.ltp_good.val()) << 192)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(self.ltp_bad.val()) << 144)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(self.replayed.val()) << 96)
            | (bit_cast::<DIGITS_BITS, 48>(self.gaps.value.val()) << 48)
            | bit_cast::<DIGITS_BITS, 48>(self.wrong.value.val());
        self.console.digits.next = self.digits.val();
        self.serial_out.next = self.console.line.val();

        self.lamps.next = bit_cast::<8, 4>(self.rx_lanes.val()) << 4;
        self.leds.next = self
            .lamps
            .val()
            .replace_bit(0, self.ltp_good.val().get_bit(22))
            .replace_bit(1, !self.console.line.val())
            .replace_bit(2, self.pressed.val())
            .replace_bit(3, self.seen_wrong.q.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_operator", &[])
    }
}

drive_ports!(impl[] PortOperator {
    clock, clear, buttons, serial_in, serial_out, leds, restart, lanes, mode, inject, kill, restore, zero, status, lane_masks, ltp_good, ltp_bad, replayed, rx_lanes, beat_wrong, beat_gap,
});

/// Parameters of every panel of a port.
pub(in crate::node) const PANEL_PARAMETERS: &[ParameterInfo] = &[
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
];

/// Presets of every panel of a port.
pub(in crate::node) const PANEL_PRESETS: &[Preset] = &[
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
];

/// A panel's configuration from its parameters.
pub(in crate::node) fn panel_config(settings: &Settings) -> Result<PortPanelConfig, ConfigError> {
    Ok(PortPanelConfig {
        uart: UartConfig { clock_hz: settings.get("clock_hz")?, baud: settings.get("baud")? },
        debounce: settings.get("debounce")?,
        interval: settings.get("interval")?,
        port: port_config(settings.get("short")?),
    })
}
