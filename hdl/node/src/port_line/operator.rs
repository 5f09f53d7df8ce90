//! The operator's side of a port: buttons, LEDs and serial console.

use super::{port_config, SHORT, VALUE_BITS};
use crate::console::{Console, ConsoleConfig};
use flitforge_hdl_link::port::PortConfig;
use flitforge_hdl_prim::counter::Counter;
use flitforge_hdl_prim::debounce::Debounce;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::synchronizer::Synchronizer;
use flitforge_hdl_prim::uart::{UartConfig, UartRx};
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
pub(crate) const BUTTONS: usize = 3;

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
#[block("port_operator", new)]
pub struct PortOperator {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Push buttons, 1 while pressed, asynchronous.
    buttons: In<Bits<BUTTONS>>,
    /// Serial data in, asynchronous.
    serial_in: In<Bit>,
    /// Serial data out, idle 1.
    serial_out: Out<Bit>,
    /// LEDs.
    leds: Out<Bits<8>>,
    /// Pulse: Down, and up again with `lanes` and `mode`.
    restart: Out<Bit>,
    /// Lanes that may be used, minus one.
    lanes: Out<Bits<2>>,
    /// Preferred CRC mode, 0 or 1.
    mode: Out<Bits<2>>,
    /// Pulse: one wrong bit in one LTP.
    inject: Out<Bit>,
    /// Pulse: the next lane dies.
    kill: Out<Bit>,
    /// Pulse: all lanes live again.
    restore: Out<Bit>,
    /// Pulse: the port's counters become 0.
    zero: Out<Bit>,
    /// STATUS.
    status: In<Bits<16>>,
    /// LANES.
    lane_masks: In<Bits<16>>,
    /// Good LTPs.
    ltp_good: In<Bits<VALUE_BITS>>,
    /// Bad LTPs.
    ltp_bad: In<Bits<VALUE_BITS>>,
    /// LTPs sent again.
    replayed: In<Bits<VALUE_BITS>>,
    /// Lanes received on, now.
    rx_lanes: In<Bits<4>>,
    /// The checker's beat has another content.
    beat_wrong: In<Bit>,
    /// The checker missed beats.
    beat_gap: In<Bit>,

    button_sync: [Synchronizer<2>; BUTTONS],
    debounce: [Debounce; BUTTONS],
    #[wire(clock)]
    serial_sync: Synchronizer<2>,
    #[wire(clock, clear)]
    commands: UartRx,
    #[wire(clock, clear)]
    gaps: Counter<48, 12>,
    #[wire(clock, clear)]
    wrong: Counter<48, 12>,
    #[wire(clock, clear)]
    console: Console<DIGITS_BITS>,
    #[init(3)]
    lanes_taken: Register<Bits<2>>,
    #[init(1)]
    mode_taken: Register<Bits<2>>,
    restart_taken: Reg<Bit>,
    inject_taken: Reg<Bit>,
    kill_taken: Reg<Bit>,
    restore_taken: Reg<Bit>,
    zero_taken: Reg<Bit>,
    seen_wrong: Reg<Bit>,
    comes: Local<Bit>,
    command: Local<Bits<8>>,
    digits: Local<Bits<DIGITS_BITS>>,
    first: Local<Bits<16>>,
    lamps: Local<Bits<8>>,
}

#[logic]
impl PortOperator {
    /// Everything, or the reason why a part cannot be built.
    pub fn new(config: PortPanelConfig) -> Result<Self, ConfigError> {
        let console =
            ConsoleConfig { template: TEMPLATE.into(), uart: config.uart, interval: config.interval };
        let debounce = || Debounce::new(config.debounce);
        Ok(Self {
            button_sync: [Synchronizer::new(false)?, Synchronizer::new(false)?, Synchronizer::new(false)?],
            debounce: [debounce()?, debounce()?, debounce()?],
            serial_sync: Synchronizer::new(true)?,
            commands: UartRx::new(config.uart)?,
            gaps: Counter::new()?,
            wrong: Counter::new()?,
            console: Console::new(&console)?,
            ..
        })
    }

    fn update(&mut self) {
        // Buttons and commands.
        let mut pressed = false;
        for i in 0..3 {
            button_sync[i] = In { clock, d: buttons[i] };
            debounce[i] = In { clock, clear, button: button_sync[i].q };
            pressed = pressed | debounce[i].level;
        }
        serial_sync.d = serial_in;
        commands.line = serial_sync.q;
        Out { valid: comes, data: command } = commands.bytes;
        let is_lanes = comes & (command >= 0x31) & (command <= 0x34);
        let is_mode = comes & ((command == 0x73) | (command == 0x63));
        restart_taken = is_lanes | is_mode;
        inject_taken = debounce[0].pressed | (comes & (command == 0x65));
        kill_taken = debounce[1].pressed | (comes & (command == 0x6B));
        restore_taken = debounce[2].pressed | (comes & (command == 0x72));
        zero_taken = comes & (command == 0x7A);
        lanes_taken.enable = is_lanes;
        lanes_taken = command.bits::<2>(0) - 1;
        mode_taken.enable = is_mode;
        mode_taken = bit_cast::<2, 1>((command == 0x63).into());
        if clear {
            restart_taken = false;
            inject_taken = false;
            kill_taken = false;
            restore_taken = false;
            zero_taken = false;
        }
        lanes = lanes_taken;
        mode = mode_taken;
        restart = restart_taken;
        inject = inject_taken;
        kill = kill_taken;
        restore = restore_taken;
        zero = zero_taken;

        // Counters of the checker.
        gaps.up = beat_gap;
        wrong.up = beat_wrong;
        gaps.zero = zero_taken;
        wrong.zero = zero_taken;
        if beat_wrong | beat_gap {
            seen_wrong = true;
        }
        if clear | zero_taken {
            seen_wrong = false;
        }

        // Console: the first digits of the line are the top bits.
        first = (bit_cast::<16, 3>(status.bits::<3>(0)) << 12)
            | (bit_cast::<16, 4>(lane_masks.bits::<4>(0)) << 8)
            | (bit_cast::<16, 4>(lane_masks.bits::<4>(4)) << 4)
            | bit_cast::<16, 2>(status.bits::<2>(9));
        digits = (bit_cast::<DIGITS_BITS, 16>(first) << 240)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(ltp_good) << 192)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(ltp_bad) << 144)
            | (bit_cast::<DIGITS_BITS, VALUE_BITS>(replayed) << 96)
            | (bit_cast::<DIGITS_BITS, 48>(gaps.value) << 48)
            | bit_cast::<DIGITS_BITS, 48>(wrong.value);
        console.digits = digits;
        serial_out = console.line;

        lamps = bit_cast::<8, 4>(rx_lanes) << 4;
        leds = lamps.with(0, ltp_good[22]).with(1, !console.line).with(2, pressed).with(3, seen_wrong);
    }
}

/// Parameters of every panel of a port.
pub(crate) const PANEL_PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo::new("clock_hz", 125_000_000, Allowed::Range(1_000, 400_000_000), "core clock in hertz"),
    ParameterInfo::new("baud", 115_200, Allowed::Range(1, 50_000_000), "bits per second of the serial port"),
    ParameterInfo::new(
        "debounce",
        125_000,
        Allowed::Range(2, 16_777_215),
        "clocks between two looks at the buttons",
    ),
    ParameterInfo::new(
        "interval",
        1 << 25,
        Allowed::Range(1, u32::MAX as u64),
        "clocks between two console lines",
    ),
    SHORT,
];

/// Presets of every panel of a port.
pub(crate) const PANEL_PRESETS: &[Preset] = &[
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
pub(crate) fn panel_config(settings: &Settings) -> Result<PortPanelConfig, ConfigError> {
    Ok(PortPanelConfig {
        uart: UartConfig { clock_hz: settings.get("clock_hz")?, baud: settings.get("baud")? },
        debounce: settings.get("debounce")?,
        interval: settings.get("interval")?,
        port: port_config(settings.get("short")?),
    })
}
