//! What both sides of the adapter stand in: ports by name, commands word by word, credits.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::command_in::CommandWord;
use flitforge_hdl_sue::frame::ReceivedHead;
use flitforge_model::sue::format::{Command, Payload, TypeTable};
use flitforge_protocol::sue::command::{COMMAND_CELL_BYTES, HEADER_BYTES};
use flitforge_sim::kit::{Pace, Pacer, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use flitforge_testkit::failed;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, VecDeque};

type WordBits = Bits<{ <CommandWord as Synth>::BITS }>;
type ReceivedBits = Bits<{ <ReceivedHead as Synth>::BITS }>;

/// Ports by name.
#[derive(Default)]
pub struct Pins(BTreeMap<String, PortHandle>);

impl Pins {
    fn at(&mut self, bench: &dyn Bench, name: &str) -> PortHandle {
        if let Some(port) = self.0.get(name) {
            return *port;
        }
        let port = bench.port(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.0.insert(name.into(), port);
        port
    }

    pub fn get(&mut self, bench: &dyn Bench, name: &str) -> u64 {
        let port = self.at(bench, name);
        bench.get_u64(port)
    }

    pub fn bit(&mut self, bench: &dyn Bench, name: &str) -> bool {
        self.get(bench, name) == 1
    }

    pub fn value(&mut self, bench: &dyn Bench, name: &str) -> Value {
        let port = self.at(bench, name);
        bench.get(port)
    }

    pub fn set(&mut self, bench: &mut dyn Bench, name: &str, value: u64) {
        let port = self.at(bench, name);
        bench.set_u64(port, value);
    }

    pub fn set_value(&mut self, bench: &mut dyn Bench, name: &str, value: &Value) {
        let port = self.at(bench, name);
        bench.set(port, value);
    }

    /// `valid` and `ready` of a channel.
    pub fn moves(&mut self, bench: &dyn Bench, valid: &str, ready: &str) -> bool {
        self.bit(bench, valid) && self.bit(bench, ready)
    }
}

/// Cells of a command.
pub fn cells(command: &Command) -> u32 {
    command.bytes().div_ceil(COMMAND_CELL_BYTES) as u32
}

/// The words of a command as `sue_command_out` gives them; what they do not need is random.
pub fn words_of(random: &mut Rng, command: &Command) -> Vec<CommandWord> {
    let octets = command.encode(&TypeTable::default()).expect("taken");
    let border = HEADER_BYTES + command.control.len();
    let area = match &command.payload {
        Payload::None => 0,
        Payload::Data(data) => data.len(),
        Payload::Strobed { strobes, data } => strobes.len() + data.len(),
    };
    let control = octets[..border].chunks(8).map(|octets| (octets, false));
    let parts: Vec<_> =
        control.chain(octets[border..border + area].chunks(8).map(|octets| (octets, true))).collect();
    let last = parts.len() - 1;
    let word = |(index, (octets, is_data)): (usize, &(&[u8], bool))| {
        let mut data: [u8; 8] = random.random();
        data[..octets.len()].copy_from_slice(octets);
        CommandWord {
            data: u64::from_le_bytes(data).into(),
            bytes: (octets.len() as u64).into(),
            first: index == 0,
            last: index == last,
            is_data: *is_data,
        }
    };
    parts.iter().enumerate().map(word).collect()
}

/// Puts commands together that come as `sue_command_in` takes them.
#[derive(Default)]
pub struct Collector {
    control: Vec<u8>,
    area: Vec<u8>,
    open: bool,
}

impl Collector {
    /// The command, with its last word.
    pub fn word(&mut self, clock: u64, value: &Value) -> Result<Option<Command>, SimError> {
        let word: CommandWord = WordBits::from_value(value).into();
        let bytes = u64::from(word.bytes) as usize;
        let full = self.control.len() % 8 == 0 && self.area.len() % 8 == 0;
        let fits = if word.is_data { !self.control.is_empty() && self.area.len() % 8 == 0 } else { full };
        let late = !word.is_data && !self.area.is_empty();
        if word.first == self.open || !fits || late || !(1..=8).contains(&bytes) {
            return Err(failed(clock, format!("{word:?} does not go on: open {}", self.open)));
        }
        let octets = u64::from(word.data).to_le_bytes();
        if word.is_data { &mut self.area } else { &mut self.control }.extend(&octets[..bytes]);
        self.open = !word.last;
        if self.open {
            return Ok(None);
        }
        let mut all = std::mem::take(&mut self.control);
        all.append(&mut self.area);
        all.resize(all.len().next_multiple_of(2), 0);
        let (command, taken) = Command::decode(&all, &TypeTable::default())
            .map_err(|error| failed(clock, format!("{error}: {all:02x?}")))?;
        if taken != all.len() {
            return Err(failed(clock, format!("{taken} octets of {} in {command:?}", all.len())));
        }
        Ok(Some(command))
    }
}

/// Offers commands to a side, as far as it has announced room.
pub struct CommandSource {
    words: VecDeque<CommandWord>,
    head: ReceivedHead,
    offered: Option<CommandWord>,
    pacer: Pacer,
    pub room: u32,
}

impl CommandSource {
    pub fn new() -> Self {
        CommandSource {
            words: VecDeque::new(),
            head: ReceivedHead {
                source: 0u64.into(),
                vc: 0u64.into(),
                port: 0u64.into(),
                partition: 0u64.into(),
            },
            offered: None,
            pacer: Pacer::new(Pace::mixed()),
            room: 0,
        }
    }

    pub fn is_idle(&self) -> bool {
        self.words.is_empty() && self.offered.is_none()
    }

    /// Sends a command; there has to be room.
    pub fn send(&mut self, random: &mut Rng, command: &Command, head: ReceivedHead) {
        self.room -= cells(command);
        self.words = words_of(random, command).into();
        self.head = head;
    }

    pub fn drive(&mut self, random: &mut Rng, pins: &mut Pins, bench: &mut dyn Bench) {
        if self.offered.is_none() && self.pacer.next(random) {
            self.offered = self.words.pop_front();
        }
        pins.set(bench, "commands.valid", self.offered.is_some().into());
        if let Some(word) = self.offered {
            let bits: WordBits = word.into();
            pins.set_value(bench, "commands.data", &bits.to_value());
            let head: ReceivedBits = self.head.into();
            pins.set_value(bench, "head", &head.to_value());
        }
    }

    /// The word that was taken.
    pub fn observe(
        &mut self,
        clock: u64,
        pins: &mut Pins,
        bench: &dyn Bench,
        vc: u64,
    ) -> Result<Option<CommandWord>, SimError> {
        let taken = if pins.bit(bench, "commands.ready") { self.offered.take() } else { None };
        if pins.bit(bench, "out_credits.valid") {
            let credit = pins.get(bench, "out_credits.data");
            if credit & 3 != vc {
                return Err(failed(clock, format!("credits of virtual channel {}", credit & 3)));
            }
            self.room += (credit >> 2) as u32;
            if self.room > 32 {
                return Err(failed(clock, format!("{} cells of room", self.room)));
            }
        }
        Ok(taken)
    }
}

/// Gives cells to a side, and checks that it uses no more.
#[derive(Default)]
pub struct Credits {
    given: u32,
    used: u32,
    returned: u32,
}

impl Credits {
    pub fn drive(&mut self, random: &mut Rng, pins: &mut Pins, bench: &mut dyn Bench, vc: u64) {
        // At most 24 cells are out; now and then some of another virtual channel, which say nothing.
        let left = 24 + self.returned - self.given;
        let mut count = 0;
        let mut to = vc;
        if random.random_bool(0.2) && left > 0 {
            count = random.random_range(1..=left);
        } else if random.random_bool(0.05) {
            (count, to) = (9, vc ^ 1);
        }
        pins.set(bench, "credits.valid", u64::from(count > 0));
        pins.set(bench, "credits.data", u64::from(count) << 2 | to);
        if to == vc {
            self.given += count;
        }
    }

    pub fn uses(&mut self, clock: u64, command: &Command) -> Result<(), SimError> {
        self.used += cells(command);
        self.returned = self.used;
        (self.used <= self.given).then_some(()).ok_or_else(|| failed(clock, "more cells than credits".into()))
    }
}
