//! `eth_cbfc`: credit-based flow control of a port, both ends (chapter 50, 0, 3.7 and 4.7). Counts are cells modulo 2^15, by virtual channel.
//!
//! **Sender.** A frame costs ceil((octets with FCS + PKT_OVHD) / CELL) cells of its class's virtual channel.
//!
//! - `taken` tells of a frame when it is chosen, `sent` when it begins to leave. The cells are taken with the first; CC_Update tells those of the
//!   second. Where nothing lies between, both are the same signal. Of each, a frame may come every eighth clock, and as many of `received` and `freed`:
//!   the shortest frame takes ten.
//! - `ready` says which classes have credits for the largest frame (or need none, being lossy). A class that takes credits is not ready until they are
//!   counted: after 8 clocks, or 9 beside a count of the peer. So whoever takes only frames of classes that are ready, and no larger ones, never
//!   goes beyond LIMIT.
//! - `credit_octets`: what the credits of a class are worth, for a choice among ports. It follows `ready` by 2 clocks.
//! - Classes with one virtual channel share the LIMIT of the first of them. With `pool`, all share the LIMIT of class 0. LIMIT is at most 2^14 - 1.
//! - CF_Update among `sets` moves CF forward, up to CC; a count outside is ignored (`freed_bad`). From it to credits it takes 11 to 15 clocks; one that comes
//!   before both counts of the one before are looked at (6 clocks, more beside frames) is lost; CF_TIMER of the peer tells again.
//! - CC_Update leaves every CC_TIMER, once nothing is `outstanding` in link-layer retry; `hold` is high meanwhile and keeps other frames from beginning.
//!   Counts of the message are read while it leaves.
//!
//! **Receiver.** `received` tells of each good frame, `freed` of each that has left the buffer, once each.
//!
//! - CF_Update (`control`) follows CELL_BATCH freed cells, and goes to all classes every CF_TIMER. It names two classes: 0 and 1, 2 and 3, or 4 and 5.
//!   It is offered 15 to 17 clocks after the frame that makes it due, if no other class is due.
//! - A good CC_Update among `frames` heals what was lost: its cells are freed and told in `healed`. A count that is behind what came, or ahead of it by
//!   more than LIMIT, is ignored (`consumed_bad`). Malformed messages change nothing. It takes up to 50 clocks from the verdict to the
//!   last class, 7 for each. Two messages may wait for their verdict and to be carried out; one more is ignored.
//! - `verdicts` has a bit for each frame in their order, after its last word.
//!
//! | event | counter |
//! |---|---|
//! | `freed_sent`, `freed_received` | CF tx, CF rx |
//! | `consumed_sent`, `consumed_received` | CC_Update, all messages of one time; each message |
//! | `healed` | CC heal, in cells |
//! | `freed_bad`, `consumed_bad` | counts that were ignored |
//!
//! `clear` puts all counts to zero, 16 clocks; `runs` is low meanwhile and frames are not counted. Both ends of a link have to be cleared together.

mod consumed_receive;
mod consumed_send;
mod counts;
mod freed_send;
mod operation;
mod queue;
mod settings;

pub use consumed_receive::ConsumedReceive;
pub use consumed_send::ConsumedSend;
pub use counts::{CreditCounts, CREDIT_OCTETS_BITS};
pub use freed_send::FreedSend;
pub use operation::*;
pub use queue::CreditQueue;
pub use settings::*;

use crate::arbiter::FrameCost;
use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::CLASSES;

/// Credit-based flow control of a port; see the [module](self).
#[block("eth_cbfc")]
pub struct EthCbfc {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Puts all counts to zero.
    clear: In<Bit>,
    /// The port has CBFC.
    enable: In<Bit>,
    /// What the registers say.
    pub settings: CbfcSettings,
    /// CLASS0 to CLASS5: virtual channels.
    virtual_channels: [In<Bits<5>>; CLASSES],
    /// CLASS0 to CLASS5: lossless classes.
    lossless: In<Bits<CLASSES>>,
    /// P_LIM0, P_LIM1: LIMIT in cells; 0: the class has no credits.
    limits: [In<Bits<14>>; CLASSES],
    /// Frames chosen to be sent.
    pub taken: FlowIn<FrameCost>,
    /// Frames that begin to leave.
    pub sent: FlowIn<FrameCost>,
    /// Good frames that came.
    pub received: FlowIn<FrameCost>,
    /// Frames that have left the receive buffer.
    pub freed: FlowIn<FrameCost>,
    /// Frames are in the replay buffer.
    outstanding: In<Bit>,
    /// Ordered sets that came, octet 0 in bits 7:0.
    pub sets: FlowIn<Bits<64>>,
    /// Words of received frames, of any kind.
    pub frames: FlowIn<FrameWord>,
    /// Whether a frame is good, once for each in their order, after its last word.
    pub verdicts: FlowIn<Bit>,
    /// CF_Update, octet 0 in bits 7:0.
    pub control: StreamOut<Bits<64>>,
    /// CC_Update frames without FCS.
    pub frame: StreamOut<FrameWord>,
    /// Classes that have credits.
    ready: Out<Bits<CLASSES>>,
    /// A class of data.
    asked_class: In<Bits<2>>,
    /// Octets that its credits are worth, a clock later; at most one less than 1 MiB, and 0 if it needs none.
    credit_octets: Out<Bits<CREDIT_OCTETS_BITS>>,
    /// No frame but CC_Update may begin.
    hold: Out<Bit>,
    /// Frames are counted.
    runs: Out<Bit>,
    /// CF tx.
    freed_sent: Out<Bit>,
    /// CF rx.
    freed_received: Out<Bit>,
    /// CC_Update was sent.
    consumed_sent: Out<Bit>,
    /// CC_Update was carried out.
    consumed_received: Out<Bit>,
    /// A count of CF_Update was ignored.
    freed_bad: Out<Bit>,
    /// A count of CC_Update was ignored.
    consumed_bad: Out<Bit>,
    /// CC heal, cells.
    pub healed: FlowOut<Bits<CELLS_BITS>>,

    #[wire(clock, clear)]
    queue: CreditQueue,
    #[wire(clock, clear, lossless)]
    counts: CreditCounts,
    #[wire(clock, clear, enable, lossless)]
    freed_update: FreedSend,
    #[wire(clock, clear, enable, lossless)]
    consumed_in: ConsumedReceive,
    #[wire(clock, clear, enable, lossless, outstanding)]
    consumed_out: ConsumedSend,
}

#[logic]
impl EthCbfc {
    fn update(&mut self) {
        for i in 0..CLASSES {
            counts.virtual_channels[i] = virtual_channels[i];
            counts.limits[i] = limits[i];
            consumed_in.virtual_channels[i] = virtual_channels[i];
            consumed_out.virtual_channels[i] = virtual_channels[i];
        }
        self.queue_up();
        self.count();
        self.update_freed();
        self.update_consumed();
    }

    /// What is to be counted.
    fn queue_up(&mut self) {
        link(taken, queue.taken);
        link(sent, queue.sent);
        link(received, queue.received);
        link(freed, queue.freed);
        queue.sets = In { data: sets.data, valid: sets.valid & enable };
        join(consumed_in.entries, queue.entries);
        join(freed_update.tell, queue.tell);
        join(counts.moved, queue.moved);
        queue.largest = settings.largest;
        Out { runs, freed_received } = queue;
    }

    /// The counts, and who has credits.
    fn count(&mut self) {
        let frame_taken = taken.data;
        let mut taking: Bits<CLASSES> = 0;
        for i in 0..CLASSES {
            taking = taking.with(i, taken.valid & (frame_taken.class == i));
        }
        counts = In {
            request: queue.request,
            more_taken: queue.more_taken,
            taking,
            cell: settings.cell,
            overhead: settings.overhead,
            cell_batch: settings.cell_batch,
            pool: settings.pool,
            consumed_slot: consumed_out.slot,
            enable,
            asked_class,
        };
        Out { freed_bad, consumed_bad, credit_octets } = counts;
        let change = counts.moved.data;
        healed = In { data: change.cells, valid: counts.moved.valid & change.receiver };
        let all: Bits<CLASSES> = if enable { 0 } else { 63 };
        ready = !lossless | counts.has_credit | all;
    }

    /// CF_Update to the peer.
    fn update_freed(&mut self) {
        freed_update = In { ripe: counts.ripe, cf_timer: settings.cf_timer };
        join(counts.told, freed_update.told);
        link(control, freed_update.control);
        freed_sent = freed_update.control.valid & control.ready;
    }

    /// CC_Update from the peer and to it.
    fn update_consumed(&mut self) {
        link(frames, consumed_in.frames);
        link(verdicts, consumed_in.verdicts);
        consumed_in = In { opcode: settings.opcode, two_messages: settings.two_messages };
        consumed_received = consumed_in.received;
        consumed_out = In {
            cc_timer: settings.cc_timer,
            opcode: settings.opcode,
            two_messages: settings.two_messages,
            source: settings.source,
            counted: sent.valid,
            cells: counts.consumed_cells,
        };
        link(frame, consumed_out.frame);
        Out { hold, sent: consumed_sent } = consumed_out;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_cbfc",
    chapter: "50-sue",
    summary: "credit-based flow control of a port",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("taken", FlowSink),
        ("sent", FlowSink),
        ("received", FlowSink),
        ("freed", FlowSink),
        ("sets", FlowSink),
        ("frames", FlowSink),
        ("verdicts", FlowSink),
        ("control", StreamSource),
        ("frame", StreamSource),
        ("healed", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(8), "taken to ready");
    Ok(BuiltBlock::new(EthCbfc::default(), interface))
}
