//! `sue_lite_receiver`: from frames of SUE Lite to commands for the XPU (chapter 50, 4.6 without PSN, and 4.8).
//!
//! `reader` checks the header, [`sue_receive_bodies`](crate::receive_bodies) the body, and keeps it. A body is decided once its frame is over:
//!
//! | first that applies | what becomes of the body |
//! |---|---|
//! | the frame is bad | dropped; counted where that was found |
//! | it begins with END | dropped |
//! | there is no room for all of it | dropped: `no_room` (RX_FULL). Link-layer retry has taken the frame, so it is lost |
//! | `partition` is not in the table and `partition_check` is high | dropped: `accepted`, `partition_violation` |
//! | it is malformed | dropped: `accepted`, `body_bad` |
//! | | delivered: `accepted` |
//!
//! - `partition` stands for all commands of the port, and goes with each of them.
//! - `off` drops frames and forgets bodies; a frame of which a word came then goes away whole. It lasts 4 clocks at least.
//! - `port_off` ends a frame under way: it is dropped.
//! - `settings`, `port`, `partition`, `types` hold still while frames come.
//! - Latency: [`LATENCY`] clocks from the last word of a frame to the first word of its first command, if nothing else waits: the header 4, the check 7, the room 3,
//!   the decision 2, and 12 until the unpacker has opened the body. A word per clock.
//! - `clear` forgets everything but the table of partitions.

use super::reader::LiteReader;
use crate::frame::{FrameWord, ReceivedHead};
use crate::network::NetworkSettings;
use crate::receive_bodies::SueReceiveBodies;
use crate::rel_rx::PartitionEntry;
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::reliability::header;

/// Clocks from the last word of a frame to the first word of its first command.
pub const LATENCY: u32 = 28;
const PARTITION_BITS: usize = header::partition::WIDTH;

/// What is known of a body before the buffer has said whether it has room.
#[packed]
struct LiteArrival {
    head: ReceivedHead,
    /// Its frame is bad.
    error: Bit,
}

/// What becomes of a body.
#[packed]
struct LiteJudgement {
    head: ReceivedHead,
    accepted: Bit,
    no_room: Bit,
    member: Bit,
    well_formed: Bit,
}

/// Receiver of 2^`N` XPUs with a buffer of 2^`B` words; `R` = `B` - 2, `G` = `B` - 4, `Q` = `B` - 3. See the [module](self).
#[block("sue_lite_receiver", new, peers = 1usize << N, octets = 8usize << B)]
pub struct SueLiteReceiver<const N: usize, const B: usize, const R: usize, const G: usize, const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything but the table of partitions.
    clear: In<Bit>,
    /// Frames go away, bodies are forgotten.
    off: In<Bit>,
    /// The port is off: a frame under way has no end.
    port_off: In<Bit>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// Number of the own port.
    port: In<Bits<4>>,
    /// Partition of all commands.
    partition: In<Bits<10>>,
    /// Partitions are looked up.
    partition_check: In<Bit>,
    /// TYPE_CFG, type 0 in the lowest octet.
    types: In<Bits<128>>,
    /// Entries of the table of partitions are written.
    pub partitions: FlowIn<PartitionEntry>,
    /// Frames without FCS.
    pub frame: FlowIn<FrameWord>,
    /// Room at the XPU.
    pub credits: FlowIn<OutCredit>,
    /// Commands, word by word.
    pub commands: StreamOut<FrameWord>,
    /// What goes with the command, from its first word to its last.
    command_head: Out<ReceivedHead>,
    /// A command begins: high for one clock.
    delivered: Out<Bit>,
    /// By virtual channel, octets of the bodies in the receive buffer, in 64; at most 255.
    fill: [Out<Bits<8>>; VCS],
    /// What goes with the body that is decided.
    decided_head: Out<ReceivedHead>,
    /// A body was accepted (BODY_RX).
    accepted: Out<Bit>,
    /// An accepted body was of a wrong partition (PART_VIOL).
    partition_violation: Out<Bit>,
    /// An accepted body was malformed (BODY_BAD).
    body_bad: Out<Bit>,
    /// A body had no room (RX_FULL).
    no_room: Out<Bit>,
    /// A frame was foreign or wrong (HDR_BAD).
    header_bad: Out<Bit>,
    /// A frame had a wrong key (AFH_BAD).
    afh_bad: Out<Bit>,

    #[wire(clock, clear, settings, port, partition, off, port_off)]
    reader: LiteReader<N>,
    #[wire(clock, clear = clear | off, types)]
    bodies: SueReceiveBodies<B, R, G, Q>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    members: Ram<Bits<1>, PARTITION_BITS>,
    #[wire(clock, clear = clear | off)]
    arrivals: SmallFifo<LiteArrival, 2, 3>,
    /// Verdicts wait for the room.
    #[wire(clear = clear | off)]
    verdict: [Register<Bits<2>>; 3],
    #[wire(d = _)]
    judged: Reg<LiteJudgement>,
    #[wire(clear = clear | off)]
    judged_valid: Register<Bit>,
    #[wire(d = _)]
    commits: Reg<Bit>,
    #[wire(clear = clear | off)]
    decided: Register<Bit>,
}

#[logic]
impl<const N: usize, const B: usize, const R: usize, const G: usize, const Q: usize>
    SueLiteReceiver<N, B, R, G, Q>
{
    /// A receiver without frames; no partition is a member.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            reader: LiteReader::new()?,
            bodies: SueReceiveBodies::new()?,
            members: Ram::new(RamConfig::block(1 << PARTITION_BITS))?,
            arrivals: SmallFifo::new()?,
            ..
        })
    }

    fn update(&mut self) {
        link(frame, reader.frame);
        join(reader.body, bodies.body);
        bodies.head = reader.head;
        link(credits, bodies.credits);
        link(commands, bodies.commands);
        Out { command_head, delivered } = bodies;
        Out { header_bad, afh_bad } = reader;
        for i in 0..VCS {
            fill[i] = bodies.fill[i];
        }
        let entry = partitions.data;
        members = In { write_enable: partitions.valid, write_address: entry.partition };
        members.write_data = entry.member.into();
        members.read_address = partition;
        self.judge();
    }

    /// What becomes of the body whose room is known.
    fn judge(&mut self) {
        let word = reader.body.data;
        let arrival = LiteArrival { head: reader.head, error: word.error };
        arrivals.words_in = In { data: arrival, valid: reader.body.valid & word.last };
        let found = bodies.verdicts.data;
        verdict[0] = cat(found.well_formed, found.empty);
        verdict[1] = verdict[0];
        verdict[2] = verdict[1];

        let known = arrivals.words_out.data;
        let asks = bodies.rooms.valid;
        arrivals.words_out.ready = asks;
        let said = verdict[2];
        let has_room = bodies.rooms.data;
        let counts = !known.error & !said[1];
        let member = members.read_data;
        judged = LiteJudgement {
            head: known.head,
            accepted: counts & has_room,
            no_room: counts & !has_room,
            member: member[0] | !partition_check,
            well_formed: said[0],
        };
        judged_valid = asks;
        commits = judged.accepted & judged.member & judged.well_formed;
        decided = judged_valid;
        bodies.decisions = In { data: commits, valid: decided };
        decided_head = judged.head;
        accepted = judged_valid & judged.accepted;
        no_room = judged_valid & judged.no_room;
        partition_violation = accepted & !judged.member;
        body_bad = accepted & judged.member & !judged.well_formed;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_lite_receiver",
    chapter: "50-sue",
    summary: "from frames of SUE Lite to commands: header, check, buffer, unpacker",
    parameters: &[
        ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(4, 1024), "XPUs, a power of two"),
        ParameterInfo::new(
            "octets",
            32_768,
            Allowed::PowerOfTwo(4096, 65_536),
            "of the receive buffer, a power of two",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: &[("peers", 4), ("octets", 4096)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (n, b) = (log2(settings.size("peers")?), log2(settings.size("octets")? / 8));
    shapes! {
        settings: (n = n, b = b) => build_as [n, b, b - 2, b - 4, b - 3];
        presets { (6, 12) (2, 9) }
    }
}

/// Builds the block with these const parameters; see [`SueLiteReceiver`].
pub fn build_as<const N: usize, const B: usize, const R: usize, const G: usize, const Q: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams =
        [("partitions", FlowSink), ("frame", FlowSink), ("credits", FlowSink), ("commands", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "last word of a frame to commands.valid");
    Ok(BuiltBlock::new(SueLiteReceiver::<N, B, R, G, Q>::new()?, interface))
}
