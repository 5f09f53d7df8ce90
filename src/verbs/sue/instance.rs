//! `sue_top` in native code with its XPU, which has commands and credits, its register bus, and its side of the line.

use crate::exit::Failure;
use anyhow::{anyhow, Result};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl::prim::prelude::{Bits, Settings, Synth};
use flitforge_hdl::registry::find;
use flitforge_hdl::sue::command_in::{CellCredits, CommandWord};
use flitforge_hdl::sue::frame::{CommandHead, ReceivedHead};
use flitforge_hdl::sue::slot_walker::{BodyStatus, Completion};
use flitforge_hdl::sue::unpack::OutCredit;
use flitforge_model::sue::format::{Command, Preamble, TypeTable};
use flitforge_model::sue::link::xgmii::{Column, XgmiiConfig, XgmiiDecoder, XgmiiEncoder, XgmiiItem, COLUMN};
use flitforge_model::sue::soak::{Offered, SoakParameters, Traffic};
use flitforge_model::sue::Flush;
use flitforge_protocol::register::{AccessError, DeviceId, RegisterAccess, BYTES};
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::command::{COMMAND_CELL_BYTES, HEADER_BYTES, UNIT_BYTES};
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_sim::design_of;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The block: its preset `default` takes bodies as large as those of the models.
const BLOCK: &str = "sue_top";
/// Partition of all commands.
pub const PARTITION: u16 = 1;
/// Clocks without a word or a frame after which there is nothing to do: longer than anything takes on its way through.
const QUIET: u64 = 1_024;
/// Commands that wait for credits.
const WAITING: usize = 12;
/// Credits that the XPU gives for each virtual channel at the start, cells.
const CREDITS: u64 = 64;
/// Columns that wait for the line; frames beyond wait in the socket.
const COLUMNS: usize = 4_096;
/// Clocks that a register may take.
const ANSWER: u64 = 1_000;
const SILENT: &str = "no answer";
/// Clocks of a microsecond of the host: about those of the chapter's clock.
const CLOCKS_PER_US: u64 = 200;

struct Ports {
    bus: [Handle; 6],
    commands: [Handle; 4],
    credits: [Handle; 2],
    arrivals: [Handle; 4],
    returned: [Handle; 2],
    completions: [Handle; 2],
    line: [Handle; 4],
    on: Handle,
    link: Handle,
}

impl Ports {
    fn find(program: &Compiled) -> Result<Self> {
        let at = |path: &str| program.handle(path).map_err(|error| anyhow!("{path}: {error}"));
        let bus = |name: &str| at(&format!("bus.{name}"));
        let flow =
            |name: &str| -> Result<_> { Ok([at(&format!("{name}.valid"))?, at(&format!("{name}.data"))?]) };
        let stream = |name: &str, head: &str| -> Result<_> {
            let [valid, data] = flow(name)?;
            Ok([valid, data, at(&format!("{name}.ready"))?, at(head)?])
        };
        Ok(Self {
            bus: [bus("address")?, bus("wdata")?, bus("write")?, bus("request")?, bus("ack")?, bus("rdata")?],
            commands: stream("commands", "head")?,
            credits: flow("credits")?,
            arrivals: stream("commands_out", "head_out")?,
            returned: flow("out_credits[0]")?,
            completions: flow("completions")?,
            line: [at("rxd[0]")?, at("rxc[0]")?, at("txd[0]")?, at("txc[0]")?],
            on: at("on")?,
            link: at("pcs_up")?,
        })
    }
}

/// The hardware with its XPU, after power-on.
pub struct SueInstance {
    instance: Instance,
    clocks: Clocks,
    ports: Ports,
    parameters: SoakParameters,
    /// Commands made and delivered.
    pub traffic: Traffic,
    random: ChaCha8Rng,
    types: TypeTable,
    /// Commands that wait for credits, and the words of the one that is being given.
    waiting: VecDeque<Offered>,
    words: VecDeque<CommandWord>,
    credits: [u64; VCS],
    /// Credits for the hardware.
    returned: VecDeque<OutCredit>,
    /// Octets of the command that is coming.
    control: Vec<u8>,
    data: Vec<u8>,
    /// Commands of bodies that the other end has acknowledged.
    pub acknowledged: u64,
    on: bool,
    encoder: XgmiiEncoder,
    decoder: XgmiiDecoder,
    columns: VecDeque<Column>,
    /// Frames that have left, each with its FCS.
    pub frames: Vec<Vec<u8>>,
    /// Clocks since power-on.
    pub now: u64,
    busy_until: u64,
    problem: Option<anyhow::Error>,
}

impl SueInstance {
    /// Compiles the hardware of XPU `own`.
    pub fn new(own: u16, parameters: SoakParameters, random: ChaCha8Rng) -> Result<Self> {
        let entry = find(BLOCK)?;
        let built = (entry.build)(&Settings::new(entry, None, &[])?)?;
        let program = Compiled::new(&design_of(BLOCK, built.block.as_ref())?)?;
        let mut instance = Self {
            instance: program.instance(),
            clocks: program.all_clocks(),
            ports: Ports::find(&program)?,
            parameters,
            traffic: Traffic::new(own),
            random,
            types: TypeTable::default(),
            waiting: VecDeque::new(),
            words: VecDeque::new(),
            credits: [0; VCS],
            returned: VecDeque::new(),
            control: vec![],
            data: vec![],
            acknowledged: 0,
            on: false,
            encoder: XgmiiEncoder::new(XgmiiConfig::default()),
            decoder: XgmiiDecoder::default(),
            columns: VecDeque::new(),
            frames: vec![],
            now: 0,
            busy_until: 0,
            problem: None,
        };
        instance.instance.set(instance.ports.link, 1);
        Ok(instance)
    }

    /// A word or a frame was on its way not long ago.
    pub fn is_busy(&self) -> bool {
        self.now < self.busy_until
    }

    /// The first thing that went wrong, once.
    pub fn check(&mut self) -> Result<()> {
        self.problem.take().map_or(Ok(()), Err)
    }

    /// Another frame can wait for the line.
    pub fn has_room(&self) -> bool {
        self.columns.len() < COLUMNS
    }

    /// A frame for the line, as it is; it waits until those before it are out, and its gap is kept.
    pub fn receive(&mut self, frame: &[u8]) -> Result<()> {
        self.columns.extend(self.encoder.sealed(Preamble::Standard, frame)?);
        Ok(())
    }

    /// A clock of everything: inputs, what comes of them, and the edge.
    pub fn clock(&mut self) {
        let gives = self.put_command();
        self.put_credits();
        let column = self.columns.pop_front();
        self.put_column(column.unwrap_or(Column::IDLE));
        let [_, _, takes, _] = self.ports.arrivals;
        self.instance.set(takes, self.on.into());

        let [_, _, ready, _] = self.ports.commands;
        let given = gives && self.instance.get(ready) == 1;
        if given {
            self.words.pop_front();
        }
        let taken = self.on && self.take();
        self.take_credits();
        self.take_completion();
        let sends = self.take_column();
        if given || taken || sends || column.is_some() {
            self.busy_until = self.now + QUIET;
        }
        self.on = self.instance.get(self.ports.on) == 1;
        self.instance.step(self.clocks);
        self.now += 1;
    }

    /// A word of a command; false if there is none, or no credits for it.
    fn put_command(&mut self) -> bool {
        if self.words.is_empty() && self.on {
            self.begin_command();
        }
        let [valid, data, ..] = self.ports.commands;
        let Some(word) = self.words.front() else {
            self.instance.set(valid, 0);
            return false;
        };
        self.instance.set_words(data, value_of(*word).words());
        self.instance.set(valid, 1)
    }

    /// The next command that waits, if there are credits for all of it.
    fn begin_command(&mut self) {
        let Some(next) = self.waiting.front() else { return };
        let (cells, vc) = (cells(next.command.bytes()), usize::from(next.vc));
        if self.credits[vc] < cells {
            return;
        }
        let Some(next) = self.waiting.pop_front() else { return };
        self.credits[vc] -= cells;
        let head = CommandHead {
            destination: u64::from(next.destination).into(),
            vc: u64::from(next.vc).into(),
            partition: u64::from(PARTITION).into(),
            flush: next.flush == Flush::Yes,
        };
        let [.., head_port] = self.ports.commands;
        self.instance.set_words(head_port, value_of(head).words());
        match next.command.encode(&self.types) {
            Ok(octets) => self.words = words_of(&next.command, &octets),
            Err(error) => self.fail(error.into()),
        }
    }

    fn put_credits(&mut self) {
        let [valid, data] = self.ports.returned;
        let credit = if self.on { self.returned.pop_front() } else { None };
        self.instance.set(valid, credit.is_some().into());
        if let Some(credit) = credit {
            self.instance.set_words(data, value_of(credit).words());
        }
        if !self.on {
            // The hardware begins anew with its credits, and so does the XPU.
            self.credits = [0; VCS];
            let of = |vc: usize| OutCredit { vc: (vc as u64).into(), count: CREDITS.into() };
            self.returned = (0..VCS).map(of).collect();
        }
    }

    fn put_column(&mut self, column: Column) {
        let [data, control, ..] = self.ports.line;
        self.instance.set(data, column.word());
        self.instance.set(control, column.control.into());
    }

    /// A word of a command that has come; false if there is none.
    fn take(&mut self) -> bool {
        let [valid, data, _, head] = self.ports.arrivals;
        if self.instance.get(valid) == 0 {
            return false;
        }
        let word: CommandWord = self.read(data);
        let octets = u64::from(word.data).to_le_bytes();
        let part = if word.is_data { &mut self.data } else { &mut self.control };
        part.extend(octets.iter().take(u64::from(word.bytes) as usize));
        if word.last {
            let head: ReceivedHead = self.read(head);
            if let Err(error) = self.deliver(head) {
                self.fail(error);
            }
        }
        true
    }

    /// A whole command has come.
    fn deliver(&mut self, head: ReceivedHead) -> Result<()> {
        let mut octets = std::mem::take(&mut self.control);
        octets.append(&mut self.data);
        octets.resize(octets.len().next_multiple_of(UNIT_BYTES), 0);
        self.returned.push_back(OutCredit { vc: head.vc, count: cells(octets.len()).into() });
        let (command, bytes) = Command::decode(&octets, &self.types)?;
        if bytes != octets.len() {
            return Err(
                Failure::check(format!("a command of {bytes} octets came as {}", octets.len())).into()
            );
        }
        Ok(self.traffic.deliver(u64::from(head.source) as u16, u64::from(head.vc) as u8, command)?)
    }

    fn take_credits(&mut self) {
        let [valid, data] = self.ports.credits;
        if self.on && self.instance.get(valid) == 1 {
            let credit: CellCredits = self.read(data);
            self.credits[u64::from(credit.vc) as usize] += u64::from(credit.count);
        }
    }

    fn take_completion(&mut self) {
        let [valid, data] = self.ports.completions;
        if !self.on || self.instance.get(valid) == 0 {
            return;
        }
        let done: Completion = self.read(data);
        if done.status == BodyStatus::Delivered {
            self.acknowledged += u64::from(done.commands);
        } else {
            let text = format!(
                "{} commands of virtual channel {} have failed: the peer was silent for RETRY_MAX replays",
                u64::from(done.commands),
                u64::from(done.vc)
            );
            self.fail(Failure::check(text).into());
        }
    }

    /// A column that leaves; false if it is idle. Ordered sets are for link-layer retry, which is off.
    fn take_column(&mut self) -> bool {
        let [.., data, control] = self.ports.line;
        let octets: [u8; COLUMN] = self.instance.get(data).to_le_bytes();
        let column = Column { octets, control: self.instance.get(control) as u8 };
        for item in self.decoder.column(column) {
            if let XgmiiItem::Frame { octets, .. } = item {
                self.frames.push(octets);
            }
        }
        column != Column::IDLE
    }

    fn read<T: From<Bits<N>>, const N: usize>(&mut self, port: Handle) -> T
    where
        Bits<N>: FromValue,
    {
        Bits::<N>::from_value(&Value::from_words(port.width(), self.instance.words(port))).into()
    }

    fn fail(&mut self, error: anyhow::Error) {
        self.problem.get_or_insert(error);
    }

    /// More commands, up to so many of all, as far as there is room.
    pub fn offer(&mut self, commands: u64) {
        while self.traffic.offered() < commands && self.waiting.len() < WAITING {
            let offered = self.traffic.offer(&self.parameters, &mut self.random, |_, _| true);
            self.waiting.extend(offered);
        }
    }
}

impl SueInstance {
    fn request(&mut self, offset: u32, write: Option<u64>) -> Option<u64> {
        let [address, wdata, writes, request, ack, rdata] = self.ports.bus;
        self.instance.set(address, (offset / BYTES).into());
        self.instance.set(wdata, write.unwrap_or(0));
        self.instance.set(writes, write.is_some().into());
        self.instance.set(request, 1);
        for _ in 0..ANSWER {
            self.clock();
            if self.instance.get(ack) == 1 {
                let value = self.instance.get(rdata);
                self.instance.set(request, 0);
                self.clock();
                return Some(value);
            }
        }
        None
    }
}

/// One device, whatever its number.
impl RegisterAccess for SueInstance {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        self.request(offset, None).ok_or(AccessError { device, offset, problem: SILENT })
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.request(offset, Some(value)).map(|_| ()).ok_or(AccessError { device, offset, problem: SILENT })
    }

    fn wait_us(&mut self, microseconds: u64) {
        (0..microseconds * CLOCKS_PER_US).for_each(|_| self.clock());
    }
}

/// Cells of 64 octets that a command takes.
fn cells(octets: usize) -> u64 {
    octets.div_ceil(COMMAND_CELL_BYTES) as u64
}

/// The words of a command: header and control, then data without padding.
fn words_of(command: &Command, octets: &[u8]) -> VecDeque<CommandWord> {
    let border = HEADER_BYTES + command.control.len();
    let (control, data) = octets.split_at(border.min(octets.len()));
    let data = data.get(..command.data_bytes()).unwrap_or(data);
    let word = |part: &[u8], is_data| {
        let mut octets = [0; COLUMN];
        octets[..part.len()].copy_from_slice(part);
        CommandWord {
            data: u64::from_le_bytes(octets).into(),
            bytes: (part.len() as u64).into(),
            first: false,
            last: false,
            is_data,
        }
    };
    let parts = control.chunks(COLUMN).map(|part| word(part, false));
    let mut words: VecDeque<CommandWord> =
        parts.chain(data.chunks(COLUMN).map(|part| word(part, true))).collect();
    if let Some(first) = words.front_mut() {
        first.first = true;
    }
    if let Some(last) = words.back_mut() {
        last.last = true;
    }
    words
}

/// A packed value for a port.
fn value_of<T: Synth + Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}
