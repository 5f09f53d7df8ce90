//! E14: streams of equal commands through the packer into whole frames.

use super::super::format::body::BodyRules;
use super::super::format::command::{Command as Octets, Payload};
use super::super::format::frame::{seal, FcsCover, FrameState};
use super::super::format::network::{
    Fid, Framing, InternetVersion, Network, NetworkConfig, Route, Tagging, Transport,
};
use super::super::format::overhead::{self, CommandSize};
use super::super::format::reliability::{Pdu as WirePdu, ReliabilityHeader};
use super::super::format::type_table::TypeTable;
use super::super::{Command, Flush, Gate, Packer, PackerConfig};
use super::{LossError, PACKING_PERCENT};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::link_control::PREAMBLE_BYTES;
use flitforge_protocol::sue::reliability::Operation;
use flitforge_protocol::sue::{
    INTER_PACKET_GAP, MAX_BODY_BYTES, MAX_LITE_BODY_BYTES, MIN_FRAME_BYTES, PACK_MAX,
};
use serde::Serialize;
use std::fmt;

/// Octets of header and control of E14's commands.
const OVERHEAD: usize = 16;
/// Data octets of E14's commands.
const DATA: [usize; 4] = [32, 64, 128, 256];
/// Sender and receiver.
const XPUS: (u16, u16) = (5, 7);
const PARTITION: u16 = 1;

/// Whether commands wait for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// All wait: bodies are full.
    Packed,
    /// Each comes when the one before has left.
    Single,
}

/// A cell of E14.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    framing: Framing,
    pack_max: usize,
    data: usize,
    packing: Packing,
}

/// A cell as measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PackingRow {
    /// Header format.
    pub header: &'static str,
    /// PACK_MAX.
    pub pack_max: usize,
    /// Data octets of a command.
    pub data: usize,
    /// Whether commands wait for one another.
    pub packing: Packing,
    /// Commands sent.
    pub commands: u64,
    /// Frames that they took.
    pub frames: u64,
    /// Most commands of a frame.
    pub most: usize,
    /// Data octets in 100 octets on the wire, as measured.
    pub measured: f64,
    /// The same by the closed form.
    pub closed_form: f64,
}

impl fmt::Display for PackingRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { header, pack_max, data, packing, measured, closed_form, .. } = self;
        write!(f, "{header}, PACK_MAX {pack_max}, {data} octets of data, {packing:?}: {measured:.3} %, E14 says {closed_form:.3} %")
    }
}

impl PackingRow {
    /// Difference from the closed form, percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        ((self.measured / self.closed_form - 1.0) * 100.0).abs()
    }

    pub(super) fn check(&self) -> Result<(), LossError> {
        let percent = self.percent();
        let fits = percent <= PACKING_PERCENT;
        fits.then_some(()).ok_or_else(|| LossError::Packing { row: self.clone(), percent })
    }
}

/// All cells of E14.
pub fn streams() -> Vec<Stream> {
    let standard = Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged };
    let rows = [
        (standard, PACK_MAX),
        (Framing::AfhGen2, PACK_MAX),
        (Framing::AfhGen2, MAX_BODY_BYTES),
        (Framing::AfhGen2Compressed, PACK_MAX),
        (Framing::Lite, MAX_LITE_BODY_BYTES),
    ];
    let cells = |(framing, pack_max): (Framing, usize)| {
        DATA.into_iter().flat_map(move |data| {
            [Packing::Packed, Packing::Single].map(|packing| Stream { framing, pack_max, data, packing })
        })
    };
    rows.into_iter().flat_map(cells).collect()
}

fn name(framing: Framing) -> &'static str {
    match framing {
        Framing::Standard { .. } => "Standard IPv4",
        Framing::AfhGen2 => "Gen 2 12 B",
        Framing::AfhGen2Compressed => "Gen 2 6 B",
        Framing::Lite => "Lite",
        Framing::AfhGen1 { .. } => "Gen 1",
        Framing::Esun { .. } => "ESUN",
    }
}

impl Stream {
    /// Sends so many commands and counts the octets of their frames.
    pub fn measure(&self, commands: u64) -> Result<PackingRow, LossError> {
        let mut line = Line::new(self)?;
        let config = PackerConfig { pack_max: self.pack_max as u32, ..PackerConfig::default() };
        let mut packer = Packer::new(config)?;
        for id in 0..commands {
            packer.arrive(self.command(id))?;
            if self.packing == Packing::Single {
                line.drain(&mut packer)?;
            }
        }
        line.drain(&mut packer)?;
        let size = CommandSize { overhead: OVERHEAD, data: self.data };
        let in_frame = match self.packing {
            Packing::Packed => overhead::packed(size, self.pack_max),
            Packing::Single => 1,
        };
        let closed_form = overhead::goodput(self.framing, size, in_frame, MIN_FRAME_BYTES).efficiency();
        Ok(PackingRow {
            header: name(self.framing),
            pack_max: self.pack_max,
            data: self.data,
            packing: self.packing,
            commands: line.commands,
            frames: line.frames,
            most: line.most,
            measured: 100.0 * (line.commands * self.data as u64) as f64 / line.octets as f64,
            closed_form: 100.0 * closed_form,
        })
    }

    fn command(&self, id: u64) -> Command {
        Command {
            destination: XPUS.1,
            vc: 0,
            partition: PARTITION,
            bytes: (OVERHEAD + self.data) as u32,
            flush: Flush::No,
            id,
        }
    }
}

/// Bodies into frames.
struct Line {
    stream: Stream,
    network: Network,
    rules: BodyRules,
    octets: u64,
    frames: u64,
    commands: u64,
    most: usize,
}

impl Line {
    fn new(stream: &Stream) -> Result<Self, LossError> {
        let framing = stream.framing;
        Ok(Line {
            stream: *stream,
            network: Network::new(NetworkConfig::new(framing, Fid { xpu: XPUS.0, port: 0 }))?,
            rules: BodyRules::new(TypeTable::default(), stream.pack_max, MIN_FRAME_BYTES, framing)?,
            octets: 0,
            frames: 0,
            commands: 0,
            most: 0,
        })
    }

    fn drain(&mut self, packer: &mut Packer) -> Result<(), LossError> {
        while let Some(body) = packer.build(|_, _| Gate::Open { port: 0 }) {
            let commands: Vec<Octets> = body.commands.iter().map(|command| self.octets_of(command)).collect();
            let frame = self.frame(&commands)?;
            self.octets += (PREAMBLE_BYTES + frame.len() + INTER_PACKET_GAP) as u64;
            self.commands += commands.len() as u64;
            self.most = self.most.max(commands.len());
            self.frames += 1;
        }
        Ok(())
    }

    /// A WRITE whose control octets hold its number.
    fn octets_of(&self, command: &Command) -> Octets {
        let mut control = command.id.to_be_bytes().to_vec();
        control.resize(OVERHEAD - flitforge_protocol::sue::command::HEADER_BYTES, 0);
        let data = vec![command.id as u8; self.stream.data];
        Octets { kind: CommandType::Write, control, payload: Payload::Data(data) }
    }

    /// The frame with its FCS.
    fn frame(&self, commands: &[Octets]) -> Result<Vec<u8>, LossError> {
        let body = self.rules.build(commands)?;
        let pdu = match self.stream.framing.transport() {
            Transport::Lite => body,
            Transport::Reliable => {
                let header = ReliabilityHeader {
                    operation: Operation::None,
                    source: XPUS.0,
                    psn: self.frames as u16,
                    vc: 0,
                    partition: PARTITION,
                    acknowledged: 0,
                };
                WirePdu { header, body }.encode()?
            }
        };
        let frame =
            self.network.encapsulate(Route { peer: XPUS.1, vc: 0, class: ClassUse::Requests }, &pdu)?;
        Ok(seal(&frame, FcsCover::Frame, FrameState::Good)?)
    }
}
