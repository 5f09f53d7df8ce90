//! The register line with its library at the other end, and wrong samples on both wires: nothing wrong is written or read.

use flitforge_fabric::manager::RegisterAccess;
use flitforge_fabric::register_line::RegisterLine;
use flitforge_hdl::node::register_line::{RegisterLine as Hardware, RegisterLineConfig};
use flitforge_hdl::prim::uart::{UartConfig, UartRx, UartTx};
use flitforge_testkit::{compiled, random, Clocked, CompiledBlock};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

/// Writes, and as many reads.
const REQUESTS: u64 = 400;
/// Words of the device's page.
const WORDS: u64 = 1 << 4;
/// Characters for which an answer is waited for.
const PATIENCE: u64 = 10;

/// The hardware with a device of 16 registers, and the far end's sender and receiver.
struct Rig {
    line: CompiledBlock,
    receiver: CompiledBlock,
    sender: CompiledBlock,
    character: u64,
    noise: f64,
    random: ChaCha8Rng,
    received: VecDeque<u8>,
    registers: [u64; WORDS as usize],
    /// Word and value.
    writes: Vec<(u64, u64)>,
}

impl Rig {
    fn new(divider: u64, noise: f64) -> Self {
        let uart = UartConfig { clock_hz: divider * 10_000, baud: 10_000 };
        let mut line = Hardware::<1, 4>::new(&RegisterLineConfig { uart, limit: 60 }).expect("valid");
        let mut receiver = UartRx::new(uart).expect("valid");
        let mut sender = UartTx::new(uart).expect("valid");
        rust_hdl::prelude::Block::connect_all(&mut line);
        rust_hdl::prelude::Block::connect_all(&mut receiver);
        rust_hdl::prelude::Block::connect_all(&mut sender);
        let mut rig = Self {
            line: CompiledBlock::new(&compiled("line", &line)),
            receiver: CompiledBlock::new(&compiled("receiver", &receiver)),
            sender: CompiledBlock::new(&compiled("sender", &sender)),
            character: 10 * divider,
            noise,
            random: random(),
            received: VecDeque::new(),
            registers: [0; WORDS as usize],
            writes: vec![],
        };
        (0..2 * rig.character).for_each(|_| rig.clock());
        rig
    }

    fn clock(&mut self) {
        let [forth, back] = [0; 2].map(|_: u64| u64::from(self.random.random_bool(self.noise)));
        let (sent, answered) = (self.sender.get("line") ^ forth, self.line.get("line_out") ^ back);
        self.line.set("line_in", sent);
        self.receiver.set("line", answered);
        let (we, re) = (self.line.get("we"), self.line.get("re"));
        let word = self.line.get("addr");
        if we == 1 {
            let value = self.line.get("wdata");
            self.registers[word as usize] = value;
            self.writes.push((word, value));
        }
        self.line.set("ack", we | re);
        self.line.set("rdata[0]", if re == 1 { self.registers[word as usize] } else { 0 });
        if self.receiver.get("bytes.valid") == 1 {
            let letter = self.receiver.get("bytes.data") as u8;
            self.received.push_back(letter);
        }
        for part in [&mut self.line, &mut self.receiver, &mut self.sender] {
            part.step();
        }
    }
}

impl Read for Rig {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut left = PATIENCE * self.character;
        while self.received.is_empty() && left > 0 {
            self.clock();
            left -= 1;
        }
        bytes[0] = self.received.pop_front().ok_or(ErrorKind::TimedOut)?;
        Ok(1)
    }
}

impl Write for Rig {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for letter in bytes {
            while self.sender.get("bytes.ready") == 0 {
                self.clock();
            }
            self.sender.set("bytes.data", u64::from(*letter));
            self.sender.set("bytes.valid", 1);
            self.clock();
            self.sender.set("bytes.valid", 0);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.sender.get("bytes.ready") == 0 {
            self.clock();
        }
        Ok(())
    }
}

/// What became of the requests.
#[derive(Debug, Default)]
struct Outcome {
    written: u64,
    read: u64,
    failed: u64,
    repeated: u64,
    /// Other writes than what was asked for.
    wrong_writes: u64,
    /// Writes that are said to be done, and are not.
    not_written: u64,
    wrong_reads: u64,
}

fn outcome(divider: u64, noise: f64) -> Outcome {
    let mut random = random();
    let mut line = RegisterLine::new(Rig::new(divider, noise), |_, _| ()).expect("in step");
    let mut outcome = Outcome::default();
    for _ in 0..REQUESTS {
        let (word, value) =
            (random.random_range(0..WORDS), random.random::<u64>() >> random.random_range(0..64));
        let before = line.stream().writes.len();
        let answer = line.write(0, 8 * word as u32, value);
        let new = line.stream().writes.split_off(before);
        outcome.wrong_writes += new.iter().filter(|write| **write != (word, value)).count() as u64;
        outcome.not_written += u64::from(answer.is_ok() && new.is_empty());
        outcome.written += u64::from(answer.is_ok());
        let word = random.random_range(0..WORDS);
        let read = line.read(0, 8 * word as u32);
        let register = line.stream().registers[word as usize];
        outcome.read += u64::from(read.is_ok());
        outcome.wrong_reads += u64::from(read.as_ref().is_ok_and(|read| *read != register));
        outcome.failed += u64::from(answer.is_err()) + u64::from(read.is_err());
    }
    outcome.repeated = line.repeated();
    println!("{divider} clocks per bit, {noise} wrong samples per clock: {outcome:?}");
    assert_eq!((outcome.wrong_writes, outcome.not_written, outcome.wrong_reads), (0, 0, 0));
    outcome
}

#[test]
fn a_quiet_line_loses_nothing() {
    let outcome = outcome(8, 0.0);
    assert_eq!((outcome.written, outcome.read, outcome.repeated), (REQUESTS, REQUESTS, 0));
}

#[test]
fn one_wrong_sample_of_a_thousand_writes_nothing_wrong() {
    for divider in [8, 25] {
        let outcome = outcome(divider, 1e-3);
        assert!(
            outcome.written + outcome.read > 2 * REQUESTS * 98 / 100,
            "majorities stand nearly all: {outcome:?}"
        );
    }
}

#[test]
fn one_wrong_sample_of_a_hundred_writes_nothing_wrong() {
    for divider in [8, 25] {
        let outcome = outcome(divider, 1e-2);
        assert!(outcome.repeated > 20, "noise that does harm: {outcome:?}");
        assert!(outcome.written > REQUESTS / 2, "the line is of use still: {outcome:?}");
    }
}
