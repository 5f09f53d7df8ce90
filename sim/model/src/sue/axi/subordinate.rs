//! The subordinate's side: requests of an AXI manager become commands, commands become B and R (chapter 50, 4.2).

use super::super::command_port::CommandTarget;
use super::super::format::octets::FieldError;
use super::super::format::{Command, Payload};
use super::{
    beats_of, write_command, AxiRefusal, AxiRequest, AxiUser, Direction, ReadBeat, ReadResponse, WriteBeat,
    WriteResponse,
};
use flitforge_protocol::sue::axi::{
    AxiResponse, BUS_BYTES, MAX_TRANSFERS, READ_RESPONSE_UNITS, REQUEST_VC, WRITE_RESPONSE_UNITS,
};
use flitforge_protocol::sue::command::{CommandType, UNIT_BYTES};
use std::collections::{BTreeMap, VecDeque};

/// What holds for all requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubordinateConfig {
    /// CTRL.unordered: at most one request per ID is in flight.
    pub unordered: bool,
    /// BRESP_MODE 1: B is made here when its PDU is acknowledged.
    pub early_responses: bool,
}

/// A command that goes to the packer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedCommand {
    /// Where it goes.
    pub target: CommandTarget,
    /// Nothing is packed after it.
    pub flush: bool,
    /// The command.
    pub command: Command,
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Issued {
    /// A command.
    Command(IssuedCommand),
    /// Nothing is sent: it is answered SLVERR (AXI_LONG). Too many transfers, or other ones of W than AWLEN says.
    Long,
}

/// What an AXI manager is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// USER of B or R.
    pub user: AxiUser,
    /// BRESP, or the first RRESP.
    pub resp: u8,
    /// Transfers of R; none of B.
    pub beats: Vec<ReadBeat>,
}

#[derive(Debug, Clone)]
struct Burst {
    user: AxiUser,
    request: AxiRequest,
    beats: Vec<WriteBeat>,
}

/// Requests with an ID that have no answer yet.
#[derive(Debug, Clone, Default)]
struct InFlight {
    xpu: u16,
    count: usize,
    answers: VecDeque<Answer>,
}

/// A command on its way to a PDU: the ID of a write and its partition.
type Sent = Option<(u16, u16)>;

/// The subordinate's side. See the [module](self).
#[derive(Debug, Default)]
pub struct AxiSubordinate {
    config: SubordinateConfig,
    waiting: BTreeMap<Direction, VecDeque<Burst>>,
    in_flight: BTreeMap<(Direction, u16), InFlight>,
    /// By destination: commands that are in no PDU yet.
    unpacked: BTreeMap<u16, VecDeque<Sent>>,
    /// By port and destination: PDUs that are not acknowledged.
    pdus: BTreeMap<(u8, u16), VecDeque<Vec<Sent>>>,
    /// AXI_LONG.
    pub long: u64,
}

impl AxiSubordinate {
    /// Without requests.
    #[must_use]
    pub fn new(config: SubordinateConfig) -> Self {
        AxiSubordinate { config, ..Self::default() }
    }

    /// AW and its W transfers have come.
    pub fn write(&mut self, user: AxiUser, request: AxiRequest, beats: Vec<WriteBeat>) {
        self.waiting.entry(Direction::Write).or_default().push_back(Burst { user, request, beats });
    }

    /// AR has come.
    pub fn read(&mut self, user: AxiUser, request: AxiRequest) {
        let burst = Burst { user, request, beats: vec![] };
        self.waiting.entry(Direction::Read).or_default().push_back(burst);
    }

    /// Requests that wait.
    #[must_use]
    pub fn waiting(&self, direction: Direction) -> usize {
        self.waiting.get(&direction).map_or(0, VecDeque::len)
    }

    /// Requests without an answer.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.in_flight.values().map(|entry| entry.count).sum()
    }

    /// The next request of a direction goes on, if there is one and it need not wait.
    pub fn issue(&mut self, direction: Direction) -> Result<Option<Issued>, FieldError> {
        let Some(burst) = self.waiting.get(&direction).and_then(VecDeque::front) else { return Ok(None) };
        let (user, request) = (burst.user, burst.request);
        let mismatch = direction == Direction::Write && burst.beats.len() != request.transfers();
        let is_long = request.transfers() > MAX_TRANSFERS || mismatch;
        let entry = self.in_flight.entry((direction, request.id)).or_default();
        let alone = is_long || self.config.unordered;
        if entry.count > 0 && (alone || entry.xpu != user.xpu) {
            return Ok(None);
        }
        (entry.xpu, entry.count) = (user.xpu, entry.count + 1);
        let burst = self.waiting.get_mut(&direction).and_then(VecDeque::pop_front);
        let beats = burst.map(|burst| burst.beats).unwrap_or_default();
        if is_long {
            self.long += 1;
            entry.answers.push_back(long_answer(direction, user, request));
            return Ok(Some(Issued::Long));
        }
        let control = request.encode()?;
        let command = match direction {
            Direction::Write => write_command(control, &beats),
            Direction::Read => Command { kind: CommandType::Read, control, payload: Payload::None },
        };
        let sent = (direction == Direction::Write).then_some((request.id, user.partition));
        self.unpacked.entry(user.xpu).or_default().push_back(sent);
        let target = CommandTarget { destination: user.xpu, vc: REQUEST_VC, partition: user.partition };
        Ok(Some(Issued::Command(IssuedCommand { target, flush: user.flush, command })))
    }

    /// A command comes on the virtual channel of responses.
    pub fn response(&mut self, source: u16, partition: u16, command: &Command) -> Result<(), AxiRefusal> {
        let units = command.control.len() / UNIT_BYTES;
        let refusal = AxiRefusal::Control(command.control.len());
        let kind = command.kind.code();
        let (direction, id, resp, beats) = match command.kind {
            CommandType::WriteResponse if units == WRITE_RESPONSE_UNITS => {
                let said = WriteResponse::decode(&command.control).map_err(|_| refusal)?;
                (Direction::Write, said.id, said.resp, vec![])
            }
            CommandType::ReadData if units == READ_RESPONSE_UNITS => {
                let said = ReadResponse::decode(&command.control).map_err(|_| refusal)?;
                let octets = command.data_bytes();
                if octets % BUS_BYTES != 0 {
                    return Err(AxiRefusal::Data { octets, transfers: octets / BUS_BYTES });
                }
                let beats = beats_of(&command.payload).into_iter().zip(said.resps);
                let beats = beats.map(|(beat, resp)| ReadBeat { data: beat.data, resp }).collect();
                (Direction::Read, said.id, said.resps[0], beats)
            }
            CommandType::WriteResponse | CommandType::ReadData => return Err(refusal),
            kind => return Err(AxiRefusal::Kind(kind)),
        };
        if direction == Direction::Write && self.config.early_responses {
            return Ok(()); // consumed: the master has its B, or gets it by `cpl`
        }
        let bytes = command.data_bytes().saturating_sub(1) as u8;
        let user = AxiUser { xpu: source, kind, bytes, partition, flush: false };
        self.answer(direction, id, Answer { user, resp, beats })
    }

    fn answer(&mut self, direction: Direction, id: u16, answer: Answer) -> Result<(), AxiRefusal> {
        let xpu = answer.user.xpu;
        let entry = self.in_flight.entry((direction, id)).or_default();
        if entry.count <= entry.answers.len() || entry.xpu != xpu {
            return Err(AxiRefusal::Unasked { xpu, id });
        }
        entry.answers.push_back(answer);
        Ok(())
    }

    /// `disp`: the next `commands` commands to an XPU are in one PDU.
    pub fn dispatched(&mut self, port: u8, destination: u16, commands: usize) {
        let waiting = self.unpacked.entry(destination).or_default();
        let pdu = waiting.drain(..commands.min(waiting.len())).collect();
        self.pdus.entry((port, destination)).or_default().push_back(pdu);
    }

    /// `disp` once more: the oldest PDU of the port `from` has moved to another one.
    pub fn moved(&mut self, from: u8, port: u8, destination: u16) {
        let pdu = self.pdus.get_mut(&(from, destination)).and_then(VecDeque::pop_front);
        self.pdus.entry((port, destination)).or_default().extend(pdu);
    }

    /// `cpl` of a body that no port has taken: the next `commands` commands to an XPU get into no PDU.
    pub fn refused(&mut self, destination: u16, commands: usize, status: u8) -> Result<(), AxiRefusal> {
        let waiting = self.unpacked.entry(destination).or_default();
        let body = waiting.drain(..commands.min(waiting.len())).collect();
        self.end(destination, body, status)
    }

    /// `cpl`: the oldest PDU is acknowledged (status 0), or not.
    pub fn completed(&mut self, port: u8, destination: u16, status: u8) -> Result<(), AxiRefusal> {
        let pdu = self.pdus.get_mut(&(port, destination)).and_then(VecDeque::pop_front);
        self.end(destination, pdu.unwrap_or_default(), status)
    }

    /// Commands have got a status.
    fn end(&mut self, destination: u16, body: Vec<Sent>, status: u8) -> Result<(), AxiRefusal> {
        if !self.config.early_responses {
            return Ok(());
        }
        let resp = if status == 0 { AxiResponse::Okay } else { AxiResponse::SlaveError }.code();
        let kind = CommandType::WriteResponse.code();
        for (id, partition) in body.into_iter().flatten() {
            let user = AxiUser { xpu: destination, kind, bytes: 0, partition, flush: false };
            self.answer(Direction::Write, id, Answer { user, resp, beats: vec![] })?;
        }
        Ok(())
    }

    /// The next answer with an ID is taken by the AXI manager.
    pub fn take(&mut self, direction: Direction, id: u16) -> Option<Answer> {
        let entry = self.in_flight.get_mut(&(direction, id))?;
        let answer = entry.answers.pop_front()?;
        entry.count -= 1;
        Some(answer)
    }
}

/// SLVERR, for R in each transfer.
fn long_answer(direction: Direction, user: AxiUser, request: AxiRequest) -> Answer {
    let resp = AxiResponse::SlaveError.code();
    let kind = match direction {
        Direction::Write => CommandType::WriteResponse,
        Direction::Read => CommandType::ReadData,
    };
    let beats = match direction {
        Direction::Write => 0,
        Direction::Read => request.transfers(),
    };
    let user = AxiUser { kind: kind.code(), bytes: 0, flush: false, ..user };
    Answer { user, resp, beats: vec![ReadBeat { data: [0; BUS_BYTES], resp }; beats] }
}
