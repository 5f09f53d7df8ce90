//! An operator before a board: presses the button, types, reads the console and looks at the LEDs.

use flitforge_hdl::registry::{find, Settings};
use flitforge_sim::{open, Bench, PortHandle};

/// Clocks per bit of the serial port in the preset `fast`.
pub const BIT: u64 = 8;
/// Characters of a console line, and clocks from one line's start to the next: 10 bits each and the interval.
const LINE: u64 = 118;
/// Clocks between the end of a console line and the start of the next, in the preset `fast`.
pub const INTERVAL: u64 = 200;
/// Most clocks between two readings of a register.
pub const READ_CLOCKS: u64 = 60;

/// A console line in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// STATUS.state.
    pub state: u64,
    /// Lanes sent on and received on.
    pub lanes: (u64, u64),
    pub mode: u64,
    pub good: u64,
    pub bad: u64,
    pub replay: u64,
    pub gaps: u64,
    pub wrong: u64,
    /// Clock in which the line began: its numbers were read up to [`READ_CLOCKS`] before.
    pub began: u64,
}

/// Reads frames of 8 data bits, no parity, one stop bit off a serial line.
#[derive(Default)]
struct Receiver {
    /// Clocks since the start bit began, while a frame is on the line.
    frame: Option<u64>,
    byte: u8,
}

impl Receiver {
    /// One clock of the line; the byte when its stop bit came, and panics at a wrong stop bit.
    fn clock(&mut self, level: bool) -> Option<u8> {
        let age = match self.frame {
            None if level => return None,
            None => 0,
            Some(age) => age,
        };
        self.frame = Some(age + 1);
        if age % BIT != BIT / 2 {
            return None;
        }
        match age / BIT {
            0 => assert!(!level, "a start bit that ends too soon"),
            1..=8 => self.byte = self.byte >> 1 | u8::from(level) << 7,
            _ => {
                assert!(level, "a frame without its stop bit");
                self.frame = None;
                return Some(self.byte);
            }
        }
        None
    }
}

pub struct Operator {
    bench: Box<dyn Bench>,
    clear: PortHandle,
    buttons: PortHandle,
    serial_in: PortHandle,
    serial_out: PortHandle,
    leds: PortHandle,
    receiver: Receiver,
    /// What came of the line in progress, and the clock in which it began.
    text: String,
    began: u64,
    lines: Vec<Line>,
    clocks: u64,
}

impl Operator {
    /// At a board that was just cleared.
    pub fn new() -> Self {
        let entry = find("port_loopback_panel").expect("registered");
        let settings = Settings::new(entry, Some("fast"), &[]).expect("a preset");
        let block = (entry.build)(&settings).expect("builds").block;
        let bench = open("port_loopback_panel", block).expect("opens");
        let port = |name| bench.port(name).expect("a port");
        let (clear, buttons) = (port("clear"), port("buttons"));
        let (serial_in, serial_out, leds) = (port("serial_in"), port("serial_out"), port("leds"));
        let mut operator = Self {
            bench,
            clear,
            buttons,
            serial_in,
            serial_out,
            leds,
            receiver: Receiver::default(),
            text: String::new(),
            began: 0,
            lines: vec![],
            clocks: 0,
        };
        operator.bench.set_u64(serial_in, 1);
        operator.clear(4);
        operator
    }

    /// One clock: the console is read, and LED 1 shows the serial line.
    fn clock(&mut self) {
        self.bench.settle().expect("settles");
        let level = self.bench.get_bit(self.serial_out);
        assert_eq!(self.led(1), !level, "LED 1 shows that the serial line sends");
        if self.text.is_empty() && self.receiver.frame.is_none() {
            self.began = self.clocks;
        }
        if let Some(byte) = self.receiver.clock(level) {
            self.text.push(char::from(byte));
            if byte == b'\n' {
                let text = std::mem::take(&mut self.text);
                self.lines.push(parse(&text, self.began).unwrap_or_else(|| panic!("console line {text:?}")));
            }
        }
        self.clocks += 1;
        self.bench.step().expect("steps");
    }

    pub fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }

    pub fn clocks(&self) -> u64 {
        self.clocks
    }

    /// LED `number`, as after the last clock.
    pub fn led(&self, number: u32) -> bool {
        self.bench.get_u64(self.leds) >> number & 1 == 1
    }

    /// LEDs 7 to 4 as a number: lanes received on.
    pub fn lanes_on_leds(&self) -> u64 {
        self.bench.get_u64(self.leds) >> 4
    }

    /// Holds `clear` for some clocks; the serial line must be idle one clock later, and what was on it is forgotten.
    pub fn clear(&mut self, clocks: u64) {
        self.bench.set_u64(self.clear, 1);
        for clock in 0..clocks {
            self.bench.step().expect("steps");
            assert!(self.bench.get_bit(self.serial_out), "sends while cleared, clock {clock}");
            self.clocks += 1;
        }
        self.bench.set_u64(self.clear, 0);
        (self.receiver, self.text) = (Receiver::default(), String::new());
        self.lines.clear();
    }

    /// Holds a button's level for some clocks, the others not pressed.
    pub fn button(&mut self, button: u32, level: bool, clocks: u64) {
        self.bench.set_u64(self.buttons, u64::from(level) << button);
        self.run(clocks);
    }

    /// Presses a button for as long as it takes, without bounces.
    pub fn press(&mut self, button: u32) {
        self.button(button, true, 40);
        self.button(button, false, 40);
    }

    /// Holds the level of the serial line in for some clocks.
    pub fn serial(&mut self, level: bool, clocks: u64) {
        self.bench.set_u64(self.serial_in, u64::from(level));
        self.run(clocks);
    }

    /// Types a character.
    pub fn send(&mut self, byte: u8) {
        self.serial(false, BIT);
        for bit in 0..8 {
            self.serial(byte >> bit & 1 == 1, BIT);
        }
        self.serial(true, BIT);
    }

    /// Types a character and gives an error time to arrive and to be mended.
    pub fn command(&mut self, byte: u8) {
        self.send(byte);
        self.run(400);
    }

    /// Runs until `reached`, of a line and the lanes on the LEDs, or fails.
    pub fn until(&mut self, what: &str, reached: impl Fn(&Line) -> bool) -> Line {
        let mut line = self.line();
        for _ in 0..40 {
            if reached(&line) {
                return line;
            }
            line = self.line();
        }
        panic!("{what}: {line:?}")
    }

    /// The next line that begins from now on.
    pub fn line(&mut self) -> Line {
        let now = self.clocks;
        let patience = 2 * (LINE * 10 * BIT + INTERVAL) + 100;
        for _ in 0..patience {
            self.clock();
            if let Some(line) = self.lines.last().filter(|line| line.began >= now) {
                return *line;
            }
        }
        panic!("no console line within {patience} clocks; so far: {:?}", self.text);
    }
}

/// The numbers of a line; `None` if it is not exactly of the documented form.
fn parse(text: &str, began: u64) -> Option<Line> {
    let mut rest = text;
    let mut number = |name: &str, digits: usize| -> Option<u64> {
        let (value, behind) = rest.strip_prefix(name)?.strip_prefix('=')?.split_at_checked(digits)?;
        let is_digit = |digit: char| digit.is_ascii_digit() || ('A'..='F').contains(&digit);
        rest = behind.strip_prefix(' ').unwrap_or(behind);
        value.chars().all(is_digit).then(|| u64::from_str_radix(value, 16).ok())?
    };
    let line = Line {
        state: number("state", 1)?,
        lanes: (number("tx", 1)?, number("rx", 1)?),
        mode: number("mode", 1)?,
        good: number("good", 12)?,
        bad: number("bad", 12)?,
        replay: number("replay", 12)?,
        gaps: number("gaps", 12)?,
        wrong: number("wrong", 12)?,
        began,
    };
    (rest == "\r\n" && text.len() as u64 == LINE).then_some(line)
}
