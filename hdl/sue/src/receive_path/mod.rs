//! `sue_receive_path`: from PDUs to commands for the XPU: [`sue_rel_rx`](crate::rel_rx) and [`sue_receive_bodies`](crate::receive_bodies), joined (chapter 50, 4.6).
//!
//! - What goes in and out is described there. Bodies, verdicts, rooms and decisions stay inside; `committed` tells of each decision.
//! - The last words of two PDUs are at least 4 clocks apart, and the first word of a PDU comes 2 clocks after the last one of the PDU before or later, so that bodies have 3 clocks
//!   between them. On the line gap, preamble and network header see to it.
//! - Latency: [`LATENCY`] clocks from the last word of a PDU to the first word of its body's first command, if nothing else waits.
//! - `clear` forgets everything but the partitions.

use crate::frame::{FrameWord, ReceivedHead};
use crate::network::NetworkSource;
use crate::receive_bodies::SueReceiveBodies;
use crate::receive_table::ReceiveEntry;
use crate::rel_rx::{
    ConnectionChange, ConnectionState, ManagementRecord, PartitionEntry, RelRxEvents, RelRxSettings, SueRelRx,
};
use crate::reliability::{Acknowledgment, ReliabilityHeader};
use crate::sender_core::PeerAnswer;
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::VCS;

/// Clocks from the last word of a PDU to the first word of its first command.
pub const LATENCY: u32 = 32;

/// Receiver of 2^`A` connections with a buffer of 2^`B` words; `M` = `A` - 2, `C` = `A` + 1, `R` = `B` - 2, `G` = `B` - 4, `Q` = `B` - 3. See the [module](self).
#[block("sue_receive_path", new, connections = 1usize << A, octets = 8usize << B)]
pub struct SueReceivePath<
    const A: usize,
    const M: usize,
    const C: usize,
    const B: usize,
    const R: usize,
    const G: usize,
    const Q: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything but the partitions.
    clear: In<Bit>,
    /// What the registers say.
    pub settings: RelRxSettings,
    /// TYPE_CFG, type 0 in the lowest octet.
    types: In<Bits<128>>,
    /// Entries of the table of partitions are written.
    pub partitions: FlowIn<PartitionEntry>,
    /// PDUs.
    pub pdu: FlowIn<FrameWord>,
    /// What their frames say, from the first word of the PDU to its last.
    source: In<NetworkSource>,
    /// Whether the body of a PDU is delivered; one for each PDU.
    pub committed: FlowOut<Bit>,
    /// Header of the PDU of `committed`.
    decided_header: Out<ReliabilityHeader>,
    /// What PDUs acknowledge.
    pub answers: StreamOut<PeerAnswer>,
    /// Connections that a PDU is about to be sent on.
    pub asks: StreamIn<Bits<12>>,
    /// What it acknowledges.
    pub acknowledgments: FlowOut<Acknowledgment>,
    /// Connections to which an acknowledgment is due.
    pub due: StreamOut<Bits<12>>,
    /// Connections that change.
    pub changes: StreamIn<ConnectionChange>,
    /// What they expect after it.
    pub changed: FlowOut<ConnectionState>,
    /// Records of connection management.
    pub management: FlowOut<ManagementRecord>,
    /// Connections that the host looks at.
    pub looks: StreamIn<Bits<12>>,
    /// How they are.
    pub looked: FlowOut<ReceiveEntry>,
    /// Room at the XPU.
    pub credits: FlowIn<OutCredit>,
    /// Commands, word by word.
    pub commands: StreamOut<FrameWord>,
    /// What goes with the command, from its first word to its last.
    command_head: Out<ReceivedHead>,
    /// A command begins: high for one clock.
    delivered: Out<Bit>,
    /// A body, of this virtual channel, has left the buffer.
    pub released: FlowOut<Bits<2>>,
    /// By virtual channel, octets of the bodies in the receive buffer, in 64; at most 255.
    fill: [Out<Bits<8>>; VCS],
    /// What happened.
    pub events: RelRxEvents,
    /// An acknowledgment timer has run out before its time.
    timer_early: Out<Bit>,
    /// There was no place for an acknowledgment timer.
    timer_lost: Out<Bit>,

    #[wire(clock, clear, source)]
    receiver: SueRelRx<A, M, C>,
    #[wire(clock, clear, types)]
    bodies: SueReceiveBodies<B, R, G, Q>,
}

#[logic]
impl<
        const A: usize,
        const M: usize,
        const C: usize,
        const B: usize,
        const R: usize,
        const G: usize,
        const Q: usize,
    > SueReceivePath<A, M, C, B, R, G, Q>
{
    /// The blocks without PDUs and credits.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { receiver: SueRelRx::new()?, bodies: SueReceiveBodies::new()?, .. })
    }

    fn update(&mut self) {
        link(settings, receiver.settings);
        link(partitions, receiver.partitions);
        link(pdu, receiver.pdu);
        join(receiver.body, bodies.body);
        bodies.head = receiver.head;
        join(bodies.verdicts, receiver.verdicts);
        join(bodies.rooms, receiver.rooms);
        bodies.decisions = In { data: receiver.decisions.data, valid: receiver.decisions.valid };
        committed = In { data: receiver.decisions.data, valid: receiver.decisions.valid };
        link(answers, receiver.answers);
        link(asks, receiver.asks);
        link(acknowledgments, receiver.acknowledgments);
        link(due, receiver.due);
        link(changes, receiver.changes);
        link(changed, receiver.changed);
        link(looks, receiver.looks);
        link(looked, receiver.looked);
        link(management, receiver.management);
        link(events, receiver.events);
        Out { decided_header, timer_early, timer_lost } = receiver;
        link(credits, bodies.credits);
        link(commands, bodies.commands);
        Out { command_head, delivered } = bodies;
        link(released, bodies.released);
        for i in 0..VCS {
            fill[i] = bodies.fill[i];
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_receive_path",
    chapter: "50-sue",
    summary: "from PDUs to commands: go-back-N receiver, check, buffer, unpacker",
    parameters: &[
        ParameterInfo::new("connections", 256, Allowed::PowerOfTwo(16, 4096), "{source, VC}, a power of two"),
        ParameterInfo::new(
            "octets",
            32_768,
            Allowed::PowerOfTwo(4096, 65_536),
            "of the receive buffer, a power of two",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: &[("connections", 16), ("octets", 4096)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (a, b) = (log2(settings.size("connections")?), log2(settings.size("octets")? / 8));
    shapes! {
        settings: (a = a, b = b) => build_as [a, a - 2, a + 1, b, b - 2, b - 4, b - 3];
        presets { (8, 12) (4, 9) }
    }
}

/// Builds the block with these const parameters; see [`SueReceivePath`].
pub fn build_as<
    const A: usize,
    const M: usize,
    const C: usize,
    const B: usize,
    const R: usize,
    const G: usize,
    const Q: usize,
>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("partitions", FlowSink),
        ("pdu", FlowSink),
        ("committed", FlowSource),
        ("answers", StreamSource),
        ("asks", StreamSink),
        ("acknowledgments", FlowSource),
        ("due", StreamSource),
        ("changes", StreamSink),
        ("changed", FlowSource),
        ("management", FlowSource),
        ("credits", FlowSink),
        ("commands", StreamSource),
        ("released", FlowSource),
        ("looks", StreamSink),
        ("looked", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "last word of a PDU to commands.valid");
    Ok(BuiltBlock::new(SueReceivePath::<A, M, C, B, R, G, Q>::new()?, interface))
}
