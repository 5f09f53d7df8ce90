//! `sue_receive_bodies`: from the bodies of received PDUs to commands for the XPU (chapter 50, 4.6 rule 5).
//!
//! [`sue_body_check`](crate::body_check), [`sue_receive_buffer`](crate::receive_buffer) and [`sue_unpack`](crate::unpack) in a row. For each body come, in order:
//! `verdicts` 7 clocks after its last word, `rooms` 10 clocks after it, and from outside `decisions`, later.
//!
//! - A body that is not well formed, or has no room, is to be dropped: the blocks do not see to it, since PSN and R-CRC decide, too.
//! - At least 3 clocks lie between the last word of a body and the first of the next; a decision comes 2 clocks after `rooms` or later.
//! - Latency: 4 clocks from the decision to the first word of the body, if it is the only one; throughput a word per clock.
//! - `clear` forgets everything.

use crate::body_check::{BodyVerdict, SueBodyCheck};
use crate::frame::{FrameWord, ReceivedHead};
use crate::receive_buffer::SueReceiveBuffer;
use crate::unpack::{OutCredit, SueUnpack};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::VCS;

/// Clocks from the decision of a body to its first word, if no other body waits.
pub const LATENCY: u32 = crate::receive_buffer::LATENCY + crate::unpack::LATENCY;

/// The way of received bodies, with a buffer of 2^`A` words; see [`SueReceiveBuffer`] and the [module](self).
#[block("sue_receive_bodies", new, octets = 8usize << A)]
pub struct SueReceiveBodies<const A: usize, const R: usize, const G: usize, const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Words of bodies.
    pub body: FlowIn<FrameWord>,
    /// What goes with the body, from its first word to its last.
    head: In<ReceivedHead>,
    /// TYPE_CFG, type 0 in the lowest octet.
    types: In<Bits<128>>,
    /// For each body what it is found to be.
    pub verdicts: FlowOut<BodyVerdict>,
    /// For each body whether all of it is stored.
    pub rooms: FlowOut<Bit>,
    /// For each body whether it is committed.
    pub decisions: FlowIn<Bit>,
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

    #[wire(clock, clear)]
    check: SueBodyCheck,
    #[wire(clock, clear)]
    buffer: SueReceiveBuffer<A, R, G, Q>,
    #[wire(clock, clear)]
    unpack: SueUnpack,
}

#[logic]
impl<const A: usize, const R: usize, const G: usize, const Q: usize> SueReceiveBodies<A, R, G, Q> {
    /// The blocks without bodies and credits.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            check: SueBodyCheck::new()?,
            buffer: SueReceiveBuffer::new()?,
            unpack: SueUnpack::new()?,
            ..
        })
    }

    fn update(&mut self) {
        link(body, check.body);
        check = In { head, types };
        link(verdicts, check.verdicts);
        join(check.marked, buffer.body);
        buffer.head = check.marked_head;
        link(rooms, buffer.rooms);
        link(decisions, buffer.decisions);
        join(buffer.store, unpack.store);
        link(credits, unpack.credits);
        link(commands, unpack.commands);
        Out { head: command_head, delivered } = unpack;
        link(released, unpack.released);
        for i in 0..VCS {
            fill[i] = buffer.fill[i];
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_receive_bodies",
    chapter: "50-sue",
    summary: "from received bodies to commands: check, buffer, unpacker",
    parameters: crate::receive_buffer::ENTRY.parameters,
    presets: crate::receive_buffer::ENTRY.presets,
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (octets) => build_as [log2(octets) - 3, log2(octets) - 5, log2(octets) - 7, log2(octets) - 6];
        presets { (32768) (65536) (4096) }
    }
}

/// Builds the block with these const parameters; see [`SueReceiveBodies`].
pub fn build_as<const A: usize, const R: usize, const G: usize, const Q: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("body", FlowSink),
        ("verdicts", FlowSource),
        ("rooms", FlowSource),
        ("decisions", FlowSink),
        ("credits", FlowSink),
        ("commands", StreamSource),
        ("released", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "decision to commands.valid");
    Ok(BuiltBlock::new(SueReceiveBodies::<A, R, G, Q>::new()?, interface))
}
