use crate::rooms::testing::Bench;
use flitforge_hdl::node::register_line::{RegisterCommands, RegisterLine, RegisterLineConfig};
use flitforge_hdl::prim::uart::{UartConfig, UartRx};

const UART: UartConfig = UartConfig { clock_hz: 800_000, baud: 100_000 };
/// Clocks of a bit.
const BIT: usize = 8;
/// Clocks until an answer that comes at all has begun.
const PATIENCE: usize = 400;

/// The line with two devices: the first one answers what it was asked for, the second one nothing.
struct Line {
    bench: Bench<RegisterLine<2, 4>>,
    receiver: Bench<UartRx>,
    text: String,
    /// Writes: word and value.
    writes: Vec<(u64, u64)>,
    /// Clock of the request that is open.
    asked: Option<u64>,
    clock: u64,
}

impl Line {
    fn new() -> Self {
        let config = RegisterLineConfig { uart: UART, limit: 60 };
        let mut line = Self {
            bench: Bench::new(RegisterLine::new(&config).expect("valid")),
            receiver: Bench::new(UartRx::new(UART).expect("valid")),
            text: String::new(),
            writes: vec![],
            asked: None,
            clock: 0,
        };
        line.bench.set("line_in", 1);
        line.run(20);
        line
    }

    fn clock(&mut self) {
        let (we, re) = (self.bench.get("we"), self.bench.get("re"));
        if we == 1 {
            self.writes.push((self.bench.get("addr"), self.bench.get("wdata")));
        }
        if (we | re) & 1 == 1 {
            self.asked = Some(self.clock);
        }
        let answers = self.asked == Some(self.clock.wrapping_sub(6));
        self.bench.set("ack", answers.into());
        let value = if answers { 0x0123_4567_89AB_CD00 | self.bench.get("addr") } else { 0 };
        self.bench.set("rdata[0]", value);
        let level = self.bench.get("line_out");
        self.bench.clock();
        self.receiver.set("line", level);
        self.receiver.clock();
        if self.receiver.get("bytes.valid") == 1 {
            self.text.push(self.receiver.get("bytes.data") as u8 as char);
        }
        self.clock += 1;
    }

    fn run(&mut self, clocks: usize) {
        (0..clocks).for_each(|_| self.clock());
    }

    /// One character, with this stop bit.
    fn send(&mut self, letter: u8, stop: u64) {
        let bits = [0].into_iter().chain((0..8).map(|bit| u64::from(letter >> bit & 1))).chain([stop, 1]);
        for level in bits {
            self.bench.set("line_in", level);
            self.run(BIT);
        }
    }

    fn ask(&mut self, text: &str) -> String {
        self.text.clear();
        text.bytes().for_each(|letter| self.send(letter, 1));
        let mut silent = 0;
        while silent < PATIENCE {
            let length = self.text.len();
            self.clock();
            silent = if self.text.len() == length { silent + 1 } else { 0 };
        }
        std::mem::take(&mut self.text)
    }
}

#[test]
fn lines_that_nobody_can_build_are_refused() {
    let refuse = |limit| RegisterCommands::<2, 4>::new(limit).err().map(|error| error.parameter);
    assert_eq!(refuse(255), None);
    assert_eq!(refuse(0), Some("limit".into()));
    assert_eq!(refuse(256), Some("limit".into()));
    assert_eq!(RegisterCommands::<9, 4>::new(9).err().map(|error| error.parameter), Some("D".into()));
    assert_eq!(RegisterCommands::<2, 14>::new(9).err().map(|error| error.parameter), Some("W".into()));
    let uart = UartConfig { baud: 300_000, ..UART };
    assert!(RegisterLine::<2, 4>::new(&RegisterLineConfig { uart, limit: 9 }).is_err());
}

#[test]
fn registers_are_read_and_written() {
    let mut line = Line::new();
    assert_eq!(line.ask("r 0 0028\n"), "0123456789abcd05\r\n");
    assert_eq!(line.ask("R 0 78\r\n"), "0123456789abcd0f\r\n");
    assert_eq!(line.ask("w 0 0030 000000000000002a\r"), "ok\r\n");
    assert_eq!(line.ask("  w  0 8 FEDCBA9876543210 \n"), "ok\r\n");
    assert_eq!(line.writes, [(6, 0x2A), (1, 0xFEDC_BA98_7654_3210)]);
    assert_eq!(line.ask("\r\n\n"), "", "empty lines");
}

#[test]
fn every_bad_line_gets_its_reason_and_asks_nobody() {
    let mut line = Line::new();
    let bad = [
        ("x 0 0028\n", "?s\r\n"),
        ("r\n", "?s\r\n"),
        ("r0 28\n", "?s\r\n"),
        ("r 0\n", "?s\r\n"),
        ("w 0 28\n", "?s\r\n"),
        ("r 0 28 1\n", "?s\r\n"),
        ("r 00 28\n", "?s\r\n"),
        ("r 0 00028\n", "?s\r\n"),
        ("w 0 28 10000000000000000\n", "?s\r\n"),
        ("r 0 2g\n", "?s\r\n"),
        ("r 2 0028\n", "?d\r\n"),
        ("r f 0028\n", "?d\r\n"),
        ("r 0 002c\n", "?o\r\n"),
        ("r 0 0080\n", "?o\r\n"),
        ("w 0 8000 1\n", "?o\r\n"),
        ("r 0 28                           \n", "?t\r\n"),
    ];
    for (text, answer) in bad {
        assert_eq!(line.ask(text), answer, "{text:?}");
        assert_eq!(line.asked, None, "{text:?}");
    }
    assert_eq!(line.ask("r 0 28                         \n"), "0123456789abcd05\r\n", "31 characters");
}

#[test]
fn a_device_that_does_not_answer_is_not_waited_for() {
    let mut line = Line::new();
    assert_eq!(line.ask("r 1 0028\n"), "?a\r\n");
    assert_eq!(line.ask("w 1 0028 1\n"), "?a\r\n");
    // Another device's answer is not its own.
    line.asked = Some(line.clock + 9 * 11 * BIT as u64);
    assert_eq!(line.ask("r 1 0028\n"), "?a\r\n");
    assert_eq!(line.ask("r 0 0028\n"), "0123456789abcd05\r\n");
}

#[test]
fn lost_characters_spoil_their_line_alone() {
    let mut line = Line::new();
    // A stop bit of 0.
    line.send(b'r', 1);
    line.send(b' ', 0);
    assert_eq!(line.ask("0 0028\n"), "?l\r\n");
    assert_eq!(line.ask("r 0 0028\n"), "0123456789abcd05\r\n");
    // Lines that do not wait for the answer, and one that begins while it goes out.
    assert_eq!(line.ask("r 0 0028\nr\n0\n3\n"), "0123456789abcd05\r\n?l\r\n");
    assert_eq!(line.ask("r 0 0028\r\nr 0 0030"), "0123456789abcd05\r\n");
    assert_eq!(line.ask("\n"), "?l\r\n");
    // The line held at 0, and let go.
    line.bench.set("line_in", 0);
    line.run(40 * BIT);
    line.bench.set("line_in", 1);
    line.run(20 * BIT);
    assert_eq!(line.ask("\n"), "?l\r\n");
    assert_eq!(line.ask("r 0 0000\n"), "0123456789abcd00\r\n");
}

#[test]
fn clear_in_a_line_a_request_and_an_answer_starts_anew() {
    let mut line = Line::new();
    let mut cleared = |text: &str, clocks: usize| {
        text.bytes().for_each(|letter| line.send(letter, 1));
        line.run(clocks);
        line.bench.set("clear", 1);
        line.run(2);
        line.asked = None;
        line.bench.set("clear", 0);
        line.run(12 * BIT);
        line.text.clear();
        assert_eq!(line.ask("r 0 0010\n"), "0123456789abcd02\r\n", "{text:?} {clocks}");
    };
    cleared("r 0 00", 0);
    cleared("r 1 0028\n", 1);
    cleared("r 0 0028\n", 300);
}
