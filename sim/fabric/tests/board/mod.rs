//! A board with a clock tree, at the other end of a serial line: the register line's text in and out, simulated devices behind it.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]
#![allow(dead_code, reason = "the tests of each crate that has it use a part")]

use flitforge_fabric::clock_tree::{DEVICES, MASTER, SLAVES, SWITCHES};
use flitforge_fabric::manager::RegisterAccess;
use flitforge_fabric::network::{Network, NetworkConfig};
use flitforge_fabric::topology::{DeviceId, DeviceKind, Port, Topology};
use flitforge_model::time::delay::RingShape;
use flitforge_protocol::register_line::{checked, checked_answer};
use flitforge_protocol::time_registers::{self as regs, servo_stat, smp_err, time_id, PAGE_VERSION};
use flitforge_protocol::Field;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};

const SHAPE: RingShape = RingShape { stops: 4, hop_registers: 1, ratio: 1 };

/// What the hardware's line does wrong.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    None,
    /// The first characters of every so many requests are lost.
    Loses(u64),
    /// Nothing is answered.
    Silent,
    /// Characters without end.
    Babbles,
    /// Every answer is this, with its check if it is not a refusal.
    Says(&'static str),
    /// A digit of every check of an answer is another one.
    WrongCheck,
    /// A character of every so many requests arrives as another one.
    Damages(u64),
    /// The answer to request number 2 comes when that to 3 is due.
    Late,
    /// The port is unplugged.
    Gone,
}

/// The board at the other end of the serial line: text in and out, simulated devices behind it.
pub struct Board {
    pub network: Network,
    line: String,
    answers: VecDeque<u8>,
    requests: u64,
    fault: Fault,
    late: Option<String>,
    /// Samples taken by device, and the last one's error.
    samples: BTreeMap<DeviceId, (u64, u64)>,
}

impl Board {
    /// With devices after power-on.
    pub fn new(fault: Fault) -> Self {
        let mut topology = Topology::new();
        for device in 0..DEVICES {
            let is_switch = SWITCHES.contains(&device);
            topology.add(if is_switch { DeviceKind::Switch(SHAPE) } else { DeviceKind::Hfi });
        }
        let [first, second] = SWITCHES;
        let port = |device, port| Port { device, port };
        topology.connect(port(MASTER, 0), port(first, 0)).expect("free");
        topology.connect(port(first, 2), port(second, 1)).expect("free");
        topology.connect(port(second, 0), port(SLAVES[0], 0)).expect("free");
        topology.connect(port(first, 1), port(SLAVES[1], 0)).expect("free");
        let config = NetworkConfig { switch_clocks: false, ..NetworkConfig::default() };
        let network = Network::new(topology, MASTER, config).expect("valid");
        let (line, answers, samples) = Default::default();
        Self { network, line, answers, requests: 0, fault, late: None, samples }
    }

    /// Registers that the simulated devices do not have, from those that they have.
    fn read(&mut self, device: DeviceId, offset: u32) -> Option<u64> {
        let put = |word: u128, field: Field, value: u64| field.set(word, value);
        let counted = regs::TREE_COUNTERS.offset_of("SMP_OK").expect("a counter");
        match offset {
            regs::TIME_ID => {
                let word = put(0, time_id::version::FIELD, PAGE_VERSION);
                let word = put(word, time_id::stops::FIELD, SHAPE.stops.into());
                let word = put(word, time_id::ratio::FIELD, SHAPE.ratio.into());
                Some(put(word, time_id::hop::FIELD, SHAPE.hop_registers.into()) as u64)
            }
            regs::SERVO_STAT => {
                self.take_samples(device)?;
                let error = self.samples.get(&device).map_or(0, |(_, error)| *error);
                Some(put(0, servo_stat::error::FIELD, error) as u64)
            }
            _ if offset == counted => {
                self.take_samples(device)?;
                Some(self.samples.get(&device).map_or(0, |(count, _)| *count))
            }
            _ => self.network.read(device, offset).ok(),
        }
    }

    fn take_samples(&mut self, device: DeviceId) -> Option<()> {
        while self.network.read(device, regs::SMP_POP).ok()? == 1 {
            let error = smp_err::error::FIELD.get(self.network.read(device, regs::SMP_ERR).ok()?.into());
            let entry = self.samples.entry(device).or_default();
            *entry = (entry.0 + 1, error);
        }
        Some(())
    }

    /// The answer with its check, to a request that must have one.
    fn answer(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            return None;
        }
        let Some((request, _)) = line.rsplit_once(' ').filter(|(request, _)| checked(request) == line) else {
            return Some("?c".into());
        };
        let answer = match self.fault {
            Fault::Says(text) if self.requests > 1 => Some(text.into()),
            _ => self.carry_out(request),
        }?;
        let is_refusal = answer.starts_with('?');
        let answer = if is_refusal { answer } else { checked_answer(&format!("{request} "), &answer) };
        Some(if self.fault == Fault::WrongCheck { with_another_last(&answer) } else { answer })
    }

    fn carry_out(&mut self, line: &str) -> Option<String> {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let number = |text: &str| u64::from_str_radix(text, 16);
        let (device, offset) =
            (fields.get(1).map(|text| number(text)), fields.get(2).map(|text| number(text)));
        let (Some(Ok(device)), Some(Ok(offset))) = (device, offset) else {
            return (!fields.is_empty()).then(|| "?s".into());
        };
        if device >= u64::from(DEVICES) {
            return Some("?d".into());
        }
        if offset % 8 != 0 || offset >= u64::from(regs::PAGE_BYTES) {
            return Some("?o".into());
        }
        let (device, offset) = (device as u32, offset as u32);
        Some(match fields.as_slice() {
            ["r", _, _] => self.read(device, offset).map_or("?a".into(), |value| format!("{value:016x}")),
            ["w", _, _, value] => {
                let written = self.network.write(device, offset, number(value).expect("digits"));
                if written.is_ok() {
                    "ok".into()
                } else {
                    "?a".into()
                }
            }
            _ => "?s".into(),
        })
    }
}

/// A text whose last character is another digit.
fn with_another_last(text: &str) -> String {
    let Some((last, front)) = text.as_bytes().split_last() else { return String::new() };
    format!("{}{}", String::from_utf8_lossy(front), if *last == b'0' { '1' } else { '0' })
}

impl Write for Board {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.fault == Fault::Gone && self.requests > 3 {
            return Err(io::Error::new(ErrorKind::BrokenPipe, "unplugged"));
        }
        self.line.push_str(std::str::from_utf8(bytes).expect("ASCII"));
        while let Some(end) = self.line.find('\n') {
            let line: String = self.line.drain(..=end).collect();
            self.requests += 1;
            let lost = matches!(self.fault, Fault::Loses(every) if self.requests % every == 0);
            let damaged = matches!(self.fault, Fault::Damages(every) if self.requests % every == 0);
            let answer = match line.trim() {
                _ if lost => Some("?l".into()),
                line if damaged => self.answer(&with_another_last(line)),
                line => self.answer(line),
            };
            let answer = match self.fault {
                Fault::Silent => None,
                Fault::Late if self.requests == 2 => {
                    self.late = answer;
                    None
                }
                _ => answer,
            };
            let late = if self.requests > 2 { self.late.take() } else { None };
            let texts = late.into_iter().chain(answer);
            self.answers.extend(texts.flat_map(|text| text.into_bytes().into_iter().chain(*b"\r\n")));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Board {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.fault == Fault::Babbles {
            bytes.fill(b'x');
            return Ok(bytes.len());
        }
        match self.answers.pop_front() {
            Some(byte) => {
                bytes[0] = byte;
                Ok(1)
            }
            None => Err(io::Error::new(ErrorKind::TimedOut, "nothing came")),
        }
    }
}

/// Samples are taken as they come, as the servo of the hardware does.
pub fn wait(board: &mut Board, microseconds: u64) {
    for _ in 0..microseconds.div_ceil(1000) {
        board.network.wait_us(1000);
        for slave in SLAVES {
            board.take_samples(slave);
        }
    }
}
