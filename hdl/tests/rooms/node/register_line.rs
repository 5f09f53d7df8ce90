use flitforge_hdl::node::register_line::{RegisterCommands, RegisterLine, RegisterLineConfig};
use flitforge_hdl::prim::uart::{UartConfig, UartRx};
use flitforge_protocol::register_line::{checked, checked_answer, extend, INITIAL};
use flitforge_testkit::{Clocked, StockBlock};

const UART: UartConfig = UartConfig { clock_hz: 800_000, baud: 100_000 };
/// Clocks of a bit.
const BIT: usize = 8;
/// Clocks until an answer that comes at all has begun.
const PATIENCE: usize = 400;

/// The line with two devices: the first one answers what it was asked for, the second one nothing.
struct Line {
    bench: StockBlock<RegisterLine<2, 4>>,
    receiver: StockBlock<UartRx>,
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
            bench: StockBlock::new(RegisterLine::new(&config).expect("valid")),
            receiver: StockBlock::new(UartRx::new(UART).expect("valid")),
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

    /// Asks with a check, and takes off that of the answer, which must be right.
    fn ask_checked(&mut self, text: &str) -> String {
        let answer = self.ask(&format!("{}\n", checked(text)));
        let answer = answer.trim_end();
        let value = answer.rsplit_once(' ').map_or(answer, |(value, _)| value);
        let is_refusal = answer.starts_with('?');
        assert!(is_refusal || checked_answer(&format!("{text} "), value) == answer, "{text:?}: {answer:?}");
        value.into()
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

/// An answer to a line without a check.
fn unchecked(line: &str, value: &str) -> String {
    checked_answer(line, value) + "\r\n"
}

#[test]
fn registers_are_read_and_written() {
    let mut line = Line::new();
    assert_eq!(line.ask("r 0 0028\n"), unchecked("r 0 0028", "0123456789abcd05"));
    assert_eq!(line.ask("R 0 78\r\n"), unchecked("R 0 78", "0123456789abcd0f"));
    assert_eq!(line.ask(" r  0 78 \r\n"), unchecked(" r  0 78 ", "0123456789abcd0f"), "every space counts");
    assert_eq!(line.ask_checked("r 0 0"), "0123456789abcd00");
    assert_eq!(line.ask_checked("w 0 0030 000000000000002a"), "ok");
    assert_eq!(line.ask_checked("  w  0 8 FEDCBA9876543210 "), "ok");
    assert_eq!(line.writes, [(6, 0x2A), (1, 0xFEDC_BA98_7654_3210)]);
    assert_eq!(line.ask("\r\n\n"), "", "empty lines");
}

/// Python: `binascii.crc_hqx(b"w 0 0030 2a ", 0xffff)` and the same of `b"w 0 0030 2a ok "`.
#[test]
fn the_check_is_the_one_that_another_library_gives() {
    let mut line = Line::new();
    assert_eq!(line.ask("w 0 0030 2a da3e\n"), "ok c027\r\n");
    assert_eq!(line.writes, [(6, 0x2A)]);
}

#[test]
fn requests_with_a_wrong_check_ask_nobody() {
    let mut line = Line::new();
    let right = checked("w 0 30 2a");
    let check = u16::from_str_radix(&right[right.len() - 4..], 16).expect("digits");
    for bit in 0..16 {
        let text = format!("w 0 30 2a {:04x}\n", check ^ 1 << bit);
        assert_eq!(line.ask(&text), "?c\r\n", "{text:?}");
    }
    // One digit of the request is another one, one is missing, the check is missing or cut, or of a read and wrong.
    let read = format!("r 0 28 {:04x}", extend(INITIAL, b"r 0 28 ") ^ 1);
    let cut = &right[..right.len() - 1];
    let bad =
        [right.replacen("30", "38", 1), right.replacen("2a", "2", 1), "w 0 30 2a".into(), cut.into(), read];
    for text in bad {
        assert_eq!(line.ask(&format!("{text}\n")), "?c\r\n", "{text:?}");
    }
    assert_eq!((line.asked, line.writes.len()), (None, 0));
    // A frame that is cut at any character is refused, and the next one is taken.
    for length in 1..right.len() {
        let answer = line.ask(&format!("{}\n", &right[..length]));
        assert!(["?s\r\n", "?c\r\n"].contains(&answer.as_str()), "{length}: {answer:?}");
    }
    assert_eq!((line.asked, line.writes.len()), (None, 0));
    assert_eq!(line.ask(&format!("{right} \n")).get(..3), Some("ok "));
    assert_eq!(line.writes, [(6, 0x2A)]);
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
        ("r 0 28 1\n", "?c\r\n"),
        ("r 0 28 1 1\n", "?s\r\n"),
        ("r 0 28 12345\n", "?s\r\n"),
        ("w 0 28 1\n", "?c\r\n"),
        ("w 0 28 1 2 3\n", "?s\r\n"),
        ("r 00 28\n", "?s\r\n"),
        ("r 0 00028\n", "?s\r\n"),
        ("w 0 28 10000000000000000\n", "?s\r\n"),
        ("r 0 2g\n", "?s\r\n"),
        ("r 2 0028\n", "?d\r\n"),
        ("r f 0028\n", "?d\r\n"),
        ("r 0 002c\n", "?o\r\n"),
        ("r 0 0080\n", "?o\r\n"),
        ("r 0 28                           \n", "?t\r\n"),
    ];
    for (text, answer) in bad {
        assert_eq!(line.ask(text), answer, "{text:?}");
        assert_eq!(line.asked, None, "{text:?}");
    }
    assert_eq!(line.ask_checked("w 0 8000 1"), "?o");
    assert_eq!(line.ask_checked("w 2 0 1"), "?d");
    assert_eq!((line.asked, line.writes.len()), (None, 0));
    let longest = "r 0 28                         ";
    assert_eq!(longest.len(), 31);
    assert_eq!(line.ask(&format!("{longest}\n")), unchecked(longest, "0123456789abcd05"));
}

#[test]
fn a_device_that_does_not_answer_is_not_waited_for() {
    let mut line = Line::new();
    assert_eq!(line.ask("r 1 0028\n"), "?a\r\n");
    assert_eq!(line.ask_checked("w 1 0028 1"), "?a");
    // Another device's answer is not its own.
    line.asked = Some(line.clock + 9 * 11 * BIT as u64);
    assert_eq!(line.ask("r 1 0028\n"), "?a\r\n");
    assert_eq!(line.ask_checked("r 0 0028"), "0123456789abcd05");
}

#[test]
fn lost_characters_corrupt_their_line_alone() {
    let mut line = Line::new();
    // A stop bit of 0.
    line.send(b'r', 1);
    line.send(b' ', 0);
    assert_eq!(line.ask("0 0028\n"), "?l\r\n");
    assert_eq!(line.ask_checked("r 0 0028"), "0123456789abcd05");
    // Lines that do not wait for the answer, and one that begins while it goes out.
    let value = unchecked("r 0 0028", "0123456789abcd05");
    assert_eq!(line.ask("r 0 0028\nr\n0\n3\n"), format!("{value}?l\r\n"));
    assert_eq!(line.ask("r 0 0028\r\nr 0 0030"), value);
    assert_eq!(line.ask("\n"), "?l\r\n");
    // The line held at 0, and let go.
    line.bench.set("line_in", 0);
    line.run(40 * BIT);
    line.bench.set("line_in", 1);
    line.run(20 * BIT);
    assert_eq!(line.ask("\n"), "?l\r\n");
    assert_eq!(line.ask_checked("r 0 0000"), "0123456789abcd00");
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
        assert_eq!(line.ask_checked("r 0 0010"), "0123456789abcd02", "{text:?} {clocks}");
    };
    cleared("r 0 00", 0);
    cleared("w 0 30 2a 12", 0);
    cleared("r 1 0028\n", 1);
    cleared("r 0 0028\n", 300);
    cleared("r 0 0028\n", 18 * 10 * BIT);
}

/// A clear inside a character of a write, and a line that goes on: nothing is written, and the next write is.
#[test]
fn clear_in_a_character_of_a_write_writes_nothing() {
    let mut line = Line::new();
    let text = format!("{}\n", checked("w 0 30 2a"));
    for (index, letter) in text.bytes().enumerate() {
        text.bytes().take(index).for_each(|letter| line.send(letter, 1));
        for bit in 0..10 {
            line.bench.set("clear", u64::from(bit == 5));
            line.bench.set("line_in", u64::from((u16::from(letter) << 1 | 0x200) >> bit & 1));
            line.run(BIT);
        }
        let mut answer = line.ask(&text[index + 1..]);
        if answer.is_empty() {
            answer = line.ask("\n");
        }
        assert!(answer.is_empty() || answer.starts_with('?'), "{index}: {answer:?}");
        assert!(line.writes.is_empty(), "{index}");
        assert_eq!(line.ask_checked("w 0 30 2a"), "ok", "{index}");
        assert_eq!(line.writes, [(6, 0x2A)], "{index}");
        line.writes.clear();
    }
}
