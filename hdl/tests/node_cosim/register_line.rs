//! Commands on register buses: what every line does and what it is answered, clock by clock.

use crate::node_cosim::plan;
use flitforge_elaborate::Value;
use flitforge_hdl::node::register_line::RegisterCommands;
use flitforge_protocol::register_line::{extend, INITIAL};
use flitforge_sim::kit::{
    rng, ClearDriver, FlowSource, Pace, Rng, StimulusFn, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, PortValues, SimError};
use flitforge_testkit::Seen;
use rand::Rng as _;
use std::collections::VecDeque;

const DEVICES: usize = 5;
const WORD_BITS: usize = 8;
const LIMIT: u64 = 12;
/// Digits that the fields after the letter may have.
const READ: [usize; 3] = [1, 4, 4];
const WRITE: [usize; 4] = [1, 4, 16, 4];

/// A request: a write's value, device, byte offset.
#[derive(Clone, Copy)]
struct Request {
    write: Option<u64>,
    device: usize,
    offset: u64,
}

enum State {
    Line,
    /// Clocks so far, and what the check of the answer goes over of the line.
    Ask(Request, u64, Vec<u8>),
    Answer(VecDeque<u8>),
}

struct Model {
    state: State,
    text: Vec<u8>,
    problem: Option<char>,
    missed: bool,
    missed_line: bool,
    seen: Seen,
}

/// Fields of a text that a command may begin with.
fn fields(text: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8(text.to_ascii_lowercase()).ok()?;
    let fields: Vec<String> = text.split(' ').filter(|field| !field.is_empty()).map(String::from).collect();
    let Some(letter) = fields.first() else { return Some(fields) };
    let most = match letter.as_str() {
        "r" => &READ[..],
        "w" => &WRITE[..],
        _ => return None,
    };
    let fits = |(field, digits): (&String, usize)| {
        field.len() <= digits && field.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let fit = fields[1..].iter().zip(most.iter().copied()).all(fits);
    (fields.len() - 1 <= most.len() && fit).then_some(fields)
}

/// What is wrong with a text so far.
fn first_problem(text: &[u8]) -> Option<char> {
    (1..=text.len()).find_map(|length| match fields(&text[..length]) {
        _ if length == 32 => Some('t'),
        None => Some('s'),
        Some(_) => None,
    })
}

/// A text's request, and the part of it that checks go over.
fn request(text: &[u8]) -> Result<(Request, Vec<u8>), char> {
    let fields = fields(text).filter(|fields| !fields.is_empty()).ok_or('s')?;
    let numbers: Vec<u64> =
        fields[1..].iter().map(|field| u64::from_str_radix(field, 16).expect("digits")).collect();
    let (write, device, offset, check) = match (fields[0].as_str(), numbers.as_slice()) {
        ("r", [device, offset]) => (None, *device, *offset, false),
        ("r", [device, offset, _]) => (None, *device, *offset, true),
        ("w", [_, _, _]) => return Err('c'),
        ("w", [device, offset, value, _]) => (Some(*value), *device, *offset, true),
        _ => return Err('s'),
    };
    let mut covered = text.to_vec();
    if check {
        let field = fields.last().expect("a check");
        let end = text.iter().rposition(|letter| *letter != b' ').expect("a check") + 1;
        covered.truncate(end - field.len());
        if *field != format!("{:04x}", extend(INITIAL, &covered)) {
            return Err('c');
        }
    }
    let request = Request { write, device: device as usize, offset };
    match request {
        Request { device, .. } if device >= DEVICES => Err('d'),
        Request { offset, .. } if offset % 8 != 0 || offset >> 3 >= 1 << WORD_BITS => Err('o'),
        request => Ok((request, covered)),
    }
}

impl Model {
    fn new(seen: Seen) -> Self {
        let (text, problem, missed, missed_line) = Default::default();
        Self { state: State::Line, text, problem, missed, missed_line, seen }
    }

    /// An answer with its check.
    fn checked(&mut self, covered: &[u8], text: &str) -> State {
        let State::Answer(answer) = self.answer(text) else { unreachable!("an answer") };
        let check = extend(INITIAL, &[covered, text.as_bytes(), b" "].concat());
        let mut characters: Vec<u8> = answer.into();
        let end = characters.split_off(text.len());
        State::Answer([characters, format!(" {check:04x}").into_bytes(), end].concat().into())
    }

    fn answer(&mut self, text: &str) -> State {
        let kind = if text.len() == 16 { "value" } else { text };
        self.seen.count(kind);
        State::Answer(text.bytes().chain(*b"\r\n").collect())
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        self.show(outputs)?;
        if inputs.bit("clear")? {
            let at = match self.state {
                State::Line => "clear in a line",
                State::Ask(..) => "clear in a request",
                State::Answer(_) => "clear in an answer",
            };
            self.seen.count(at);
            *self = Self::new(self.seen.clone());
            return Ok(());
        }
        let letter = match inputs.bit("characters.valid")? {
            true => Some(inputs.u64("characters.data")? as u8),
            false => None,
        };
        let lost = inputs.bit("lost")?;
        let taking = matches!(self.state, State::Line);
        if !taking {
            let ends = letter.is_some_and(|letter| b"\r\n".contains(&letter));
            self.missed |= lost || letter.is_some() && !ends;
            if ends && self.missed {
                (self.missed, self.missed_line) = (false, true);
            }
        }
        let state = std::mem::replace(&mut self.state, State::Line);
        self.state = match state {
            State::Line => self.take(letter, lost),
            State::Ask(request, clocks, covered) => self.ask(request, clocks, covered, inputs)?,
            State::Answer(mut text) => {
                if inputs.bit("answer.ready")? {
                    text.pop_front();
                }
                match text.is_empty() {
                    false => State::Answer(text),
                    true => self.next_line(),
                }
            }
        };
        Ok(())
    }

    fn show(&self, outputs: &mut PortValues) -> Result<(), SimError> {
        let asks = match self.state {
            State::Ask(request, 0, _) => Some(request),
            _ => None,
        };
        let bit =
            |is: bool| asks.filter(|asks| asks.write.is_some() == is).map_or(0, |asks| 1 << asks.device);
        outputs.set_u64("we", bit(true))?;
        outputs.set_u64("re", bit(false))?;
        if let State::Ask(request, ..) = self.state {
            outputs.set_u64("addr", request.offset >> 3)?;
            if let Some(value) = request.write {
                outputs.set_u64("wdata", value)?;
            }
        }
        let next = match &self.state {
            State::Answer(text) => text.front(),
            _ => None,
        };
        outputs.set_bit("answer.valid", next.is_some())?;
        next.map_or(Ok(()), |letter| outputs.set_u64("answer.data", u64::from(*letter)))
    }

    fn take(&mut self, letter: Option<u8>, lost: bool) -> State {
        let before = self.problem;
        match letter {
            Some(b'\r' | b'\n') if !self.text.is_empty() || self.problem.is_some() => {
                let text = std::mem::take(&mut self.text);
                return match self.problem.take().map_or_else(|| request(&text), Err) {
                    Ok((request, covered)) => State::Ask(request, 0, covered),
                    Err(problem) => self.answer(&format!("?{problem}")),
                };
            }
            Some(b'\r' | b'\n') | None => {}
            Some(letter) => {
                self.text.push(letter);
                self.problem = self.problem.or_else(|| first_problem(&self.text));
            }
        }
        if lost && before.is_none() {
            self.problem = Some('l');
        }
        State::Line
    }

    fn ask(
        &mut self,
        request: Request,
        clocks: u64,
        covered: Vec<u8>,
        inputs: &PortValues,
    ) -> Result<State, SimError> {
        if inputs.u64("ack")? >> request.device & 1 == 1 {
            let value = inputs.u64(&format!("rdata[{}]", request.device))?;
            let text = request.write.map_or_else(|| format!("{value:016x}"), |_| "ok".into());
            return Ok(self.checked(&covered, &text));
        }
        Ok(if clocks == LIMIT { self.answer("?a") } else { State::Ask(request, clocks + 1, covered) })
    }

    fn next_line(&mut self) -> State {
        if std::mem::take(&mut self.missed_line) {
            return self.answer("?l");
        }
        self.problem = std::mem::take(&mut self.missed).then_some('l');
        State::Line
    }
}

/// Mostly what is right; also what is nearly so.
fn line(random: &mut Rng) -> Vec<u8> {
    let devices = DEVICES + usize::from(random.random_ratio(1, 8));
    let device = random.random_range(0..devices);
    let offset = match random.random_range(0..8) {
        0 => random.random_range(0..0x1_0000),
        1 => 8 << WORD_BITS,
        _ => random.random_range(0..1 << WORD_BITS) * 8,
    };
    let value = random.random::<u64>() >> random.random_range(0..64);
    let spaces = " ".repeat(if random.random_ratio(1, 10) { 3 } else { 1 });
    let mut text = match random.random_bool(0.5) {
        true => format!("r{spaces}{device}{spaces}{offset:04x}"),
        false => format!("w {device}{spaces}{offset:x} {value:x}"),
    }
    .into_bytes();
    if random.random_ratio(1, 4) {
        text.make_ascii_uppercase();
    }
    // Writes nearly always have a check, reads often.
    if random.random_ratio(if text[0] | 0x20 == b'w' { 15 } else { 8 }, 16) {
        text.extend(b" ");
        let wrong = if random.random_ratio(1, 16) { 1 << random.random_range(0..16) } else { 0 };
        let check = format!("{:04x}", extend(INITIAL, &text) ^ wrong);
        text.extend(if random.random_ratio(1, 4) { check.to_uppercase() } else { check }.bytes());
    }
    match random.random_range(0..20) {
        0 => text.truncate(random.random_range(0..text.len())),
        1 => text.insert(random.random_range(0..text.len()), b' '),
        2 => text.insert(random.random_range(0..text.len()), b"0fgrw\t/:@`"[random.random_range(0..10)]),
        3 => text[0] = random.random(),
        4 => text.extend(b"        "),
        5 => text.extend(b" 1234567890123456789"),
        6 => text = (0..random.random_range(1..12)).map(|_| random.random()).collect(),
        _ => {}
    }
    text.extend(match random.random_range(0..3) {
        0 => &b"\r\n"[..],
        1 => b"\r",
        _ => b"\n",
    });
    text
}

/// Lines with pauses in which the answer goes out, now and then one too short; devices that mostly answer within the limit.
fn stimulus<'a>(testbench: &mut Testbench<'a>, seed: u64) -> Result<(), SimError> {
    let clear = ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.002, 1..=3).in_mid_transfer(
        testbench.bench(),
        "answer",
        0.001,
    )?;
    let (mut text, mut pause) = (VecDeque::new(), 0);
    let source = FlowSource::new(testbench.bench(), "characters", seed)?.pace(Pace::Random(0.7)).items(
        move |random, _| {
            if pause > 0 {
                pause -= 1;
                return None;
            }
            if text.is_empty() {
                text = line(random).into();
            }
            let letter: u8 = text.pop_front()?;
            if text.is_empty() {
                pause = if random.random_ratio(1, 8) { random.random_range(0..30) } else { 60 };
            }
            Some(Value::from_u64(8, letter.into()))
        },
    );
    let sink = StreamSink::new(testbench.bench(), "answer", seed)?.pace(Pace::Random(0.8));
    let mut random = rng(seed, "devices");
    let devices = StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        let ports = bench.ports();
        let acks = random.random_ratio(2, 3).then(|| random.random_range(0..DEVICES));
        let handles: Vec<_> = (0..DEVICES).map(|device| ports.find(&format!("rdata[{device}]"))).collect();
        let (ack, lost) = (ports.find("ack")?, ports.find("lost")?);
        for (device, handle) in handles.into_iter().enumerate() {
            let value = if acks == Some(device) { random.random() } else { 0 };
            bench.set_u64(handle?, value);
        }
        bench.set_u64(ack, acks.map_or(0, |device| 1 << device));
        bench.set_u64(lost, random.random_ratio(1, 700).into());
        Ok(())
    });
    let cleared = testbench.bench().ports().find("clear")?;
    let monitor = StreamMonitor::new(testbench.bench(), "answer")?.cleared_by(cleared);
    testbench.add(clear).add(source).add(devices).add(sink).add(monitor);
    Ok(())
}

#[test]
fn register_commands() {
    let seen = Seen::default();
    let mut model = Model::new(seen.clone());
    let make = || RegisterCommands::<DEVICES, WORD_BITS>::new(LIMIT).expect("valid");
    plan("register_commands", make, stimulus)
        .cover(&["characters.items", "answer.transfers", "answer.held", "clear.pulses"])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
        .run()
        .expect("equal");
    let kinds = ["value", "ok", "?l", "?t", "?s", "?c", "?d", "?o", "?a"];
    let clears = ["clear in a line", "clear in a request", "clear in an answer"];
    seen.require(&kinds.into_iter().chain(clears).map(|kind| (kind, 2)).collect::<Vec<_>>());
}
