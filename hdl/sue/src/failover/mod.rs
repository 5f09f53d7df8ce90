//! `sue_failover`: connection management of an instance, FREEZE and OPEN (chapter 50, 3.4 and 4.4 rules 3 to 5).
//!
//! | part | does |
//! |---|---|
//! | `inbox` | records of all ports, one after the other |
//! | `responder` | requests of peers: the receiver freezes or opens first, then the answer goes out |
//! | `asker` | table of this end's connections; asks for those that fail, opens those that have rested |
//! | `hold` | if order is kept: when bodies of the packer wait |
//!
//! | a connection | then |
//! |---|---|
//! | fails (`failures`), or the host says so, or its port goes down | `routes` takes {port, peer} away; its sender is told to stop; then one of the next three rows |
//! | which holds nothing | it is closed, and nobody is asked (but see order below) |
//! | which holds bodies, `fails_over` | FREEZE_REQ through the lowest port that is up, CM_TRIES times, CM_RTO and 3 clocks apart, then through the next one. FREEZE_RSP with a PSN in the window: `HandOver`, FAILOVER |
//! | which holds bodies, and nobody answers, or not `fails_over` | `Abandon`, PEER_LOST |
//! | is closed, its port up | OPEN_REQ through its own port with its next PSN, CM_TRIES times. OPEN_RSP with this PSN: `Open`; with another one: asked again with that |
//! | is open again, the last one of {port, peer} | `routes` gives {port, peer} back |
//!
//! - **Which ones.** Only {port, peer} that the host has set to `Reach` are looked at when a port goes down, and opened. After a clear all connections are open at PSN 0, and nobody is reached.
//! - **Rests.** A FREEZE_RSP does not name its request, so a closed connection is not opened before nothing of it lives in the network: `rest` clocks at least, about twice that and three
//!   rounds at most, and longer while others are dealt with. The host's `Open` does not wait.
//! - **One at a time.** All others wait: connections that fail, host, those to be opened, in this order; within a round of all connections each takes 4 clocks if there
//!   is nothing to do. A question that nobody answers takes CM_TRIES times CM_RTO for each port. While a port that went down is dealt with, none is opened, and the host's `Open` waits, too.
//! - **Senders.** The caller leads each order to the sender of its port, which answers at `answered` when all is done. The answer to `Stop` counts all
//!   bodies that the load balance has led there. A connection that starts at a PSN (`HandOver`) stays stopped until `Open`.
//! - **Receivers.** The caller leads `receiver_changes` to the receiver of the port, and what it says to `changed`.
//! - **Records.** `management` is led to the sender of its port; that of a port that is down has to take it as well (and may drop it), since all wait for it.
//!   Answers to peers go first.
//! - `settling` is high from two clocks after a port went down until its connections are dealt with, and while one fails over: bodies that no port can reach the peer of
//!   had better wait.
//!
//! | event | reaction |
//! |---|---|
//! | a record of an unknown code, port, channel or peer | `record_bad` |
//! | a record, while five of its port wait | it is lost: `record_lost`; its sender asks again |
//! | FREEZE_RSP to no question, or outside of the window | ignored |
//!
//! Latency: [`LATENCY`] clocks from a request of a peer to `receiver_changes`; 1 more from `changed` to `management`.
//!
//! `clear` forgets everything, together with senders, receivers and load balance; tables are emptied for 2^`C` clocks, while nothing is asked.
//!
//! **Order** (`keeps_order`: MODE strict and STRICT_FO). What a peer's XPU gets of {source, VC} stays in order over a failover. What is different then:
//!
//! | at | what is done |
//! |---|---|
//! | the sender | `held` is high from the beginning of a failover until all is settled and no body has been on its way to another port for 63 clocks. Bodies of the packer wait meanwhile, to whatever peer |
//! | a connection that fails | the other virtual channels of {port, peer} fail over with it, one after the other, before anything else is done |
//! | one that holds nothing, its port that of STRICT_MAP | it is asked for as well, since the peer may not have given all to its XPU |
//! | a question | begins when no bodies move from other ports any more. It goes through ports that reach the peer only; if STRICT_MAP names another port than that of the connection, only through that one |
//! | FREEZE_RSP, STRICT_MAP names this port | `routes` sets STRICT_MAP to the port that was asked, then `HandOver` |
//! | bodies of other ports move for 4,096 clocks | `draining`: those whose port does not reach the peer must not wait; after 2^19 clocks the connection is given up |
//! | the receiver | FREEZE_RSP waits until the XPU has all that this port had accepted on the virtual channel, for 256 clocks at most; else the peer has its answer when it asks again |
//!
//! - Both ends have to keep order.
//! - STRICT_MAP is not set back when a port returns. The host does that: by a failover of the port in use (order is kept under load), or by STRICT_MAP while nothing is under way to the peer.
//! - An XPU that takes longer than CM_TRIES times CM_RTO for what its port has received looks like a peer that does not answer: PEER_LOST, status 3. Bodies of status 3 may come after newer ones.
//! - When a second port fails while bodies still move from the first one to it, those that had not reached it have status 1.
//!
//! Not there: commands that wait in the packer after PEER_LOST.

mod asker;
mod drain;
mod entry;
mod hold;
mod inbox;
mod responder;
mod settings;

pub use crate::sender_orders::{OrderKind, PortConnection, SenderAnswer, SenderOrder};
pub use asker::FailoverAsker;
pub use drain::FailoverDrain;
pub use entry::{
    Condition, ConnectionEntry, HostCommand, HostKind, OwnRecord, PeerRecord, PortChange, PortMark,
    ENTRY_BITS,
};
pub use hold::FailoverHold;
pub use inbox::FailoverInbox;
pub use responder::{FailoverResponder, Progress, GIVING};
pub use settings::*;

use crate::load_balance::{RouteChange, PORTS};
use crate::rel_rx::{ConnectionState, ManagementRecord};
use crate::rel_tx::ManagementRequest;
use entry::{Step, FREEZE_REQUEST, FREEZE_RESPONSE, OPEN_REQUEST, OPEN_RESPONSE};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::VCS;

/// Clocks from a request of a peer to `receiver_changes`, if its port's turn comes at once; 3 more otherwise.
pub const LATENCY: u32 = 5;

/// Connection management with 2^`P` peers; `R` = `P` + 2, `C` = `P` + 4. See the [module](self).
#[block("sue_failover", new, peers = 1usize << P)]
pub struct SueFailover<const P: usize, const R: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// What the registers say.
    pub settings: FailoverSettings,
    /// Links that are up.
    up: In<Bits<PORTS>>,
    /// Connections that have failed.
    pub failures: StreamIn<PortConnection>,
    /// What the host wants.
    pub commands: StreamIn<HostCommand>,
    /// Ports at which bodies are on their way to another port, or come.
    in_transit: In<Bits<PORTS>>,
    /// The load balance leads a body of the packer.
    leads: In<Bit>,
    /// A peer, and at most 8 clocks later its port in STRICT_MAP.
    home_peer: Out<Bits<P>>,
    /// That port.
    home: In<Bits<2>>,
    /// What senders are to do.
    pub orders: StreamOut<SenderOrder>,
    /// They have done it.
    pub answered: FlowIn<SenderAnswer>,
    /// What the load balance has to know.
    pub routes: StreamOut<RouteChange>,
    /// Records, by port that they came through.
    pub records: [FlowIn<ManagementRecord>; PORTS],
    /// What receivers are to change.
    pub receiver_changes: StreamOut<PortChange>,
    /// They have changed it.
    pub changed: FlowIn<ConnectionState>,
    /// Received bodies that are marked: the XPU has to get them before a peer has its answer.
    pub marks: FlowOut<PortMark>,
    /// By port and virtual channel: it has.
    passed: [In<Bits<VCS>>; PORTS],
    /// Records to be sent.
    pub management: StreamOut<ManagementRequest>,
    /// A port that went down, or a connection that failed, is being dealt with.
    settling: Out<Bit>,
    /// Order is kept: bodies of the packer have to wait.
    held: Out<Bit>,
    /// Bodies that move to a port that does not reach their peer must not wait.
    draining: Out<Bit>,
    /// What happened.
    pub events: FailoverEvents,

    #[wire(clock, clear, ports = settings.ports)]
    inbox: FailoverInbox<P>,
    #[wire(clock, clear)]
    responder: FailoverResponder,
    #[wire(clock, clear, up, in_transit, home)]
    asker: FailoverAsker<P, R, C>,
    #[wire(clock, clear, in_transit, leads)]
    hold: FailoverHold,
    /// A record that goes out.
    own: Reg<OwnRecord>,
    own_valid: Register<Bit>,
}

#[logic]
impl<const P: usize, const R: usize, const C: usize> SueFailover<P, R, C> {
    /// Nothing is open to anybody.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { inbox: FailoverInbox::new()?, asker: FailoverAsker::new()?, .. })
    }

    fn update(&mut self) {
        for i in 0..PORTS {
            link(records[i], inbox.records[i]);
        }
        join(inbox.requests, responder.requests);
        link(receiver_changes, responder.changes);
        link(changed, responder.changed);
        link(settings, asker.settings);
        link(failures, asker.failures);
        link(commands, asker.commands);
        link(orders, asker.orders);
        link(answered, asker.answered);
        link(routes, asker.routes);
        asker.answers = In { data: inbox.answers.data, valid: inbox.answers.valid };
        Out { settling, draining, home_peer } = asker;
        let keeps_order = settings.keeps_order;
        hold = In { keeps_order, settling: asker.settling };
        held = hold.held;
        responder.keeps_order = keeps_order;
        marks = In { data: responder.marks.data, valid: responder.marks.valid };
        for i in 0..PORTS {
            responder.passed[i] = passed[i];
        }
        events = In { failed_over: asker.failed_over, peer_lost: asker.peer_lost, opened: asker.opened };
        events = In { record_bad: inbox.bad, record_lost: inbox.lost };
        self.send();
    }

    /// Records go out, answers to peers first.
    fn send(&mut self) {
        let free = !own_valid | management.ready;
        let has_answer = responder.records.valid;
        responder.records.ready = free & !clear;
        asker.records.ready = free & !has_answer & !clear;
        let takes = free & (has_answer | asker.records.valid);
        let answer = responder.records.data;
        let question = asker.records.data;
        if takes {
            own = if has_answer { answer } else { question };
        }
        own_valid = takes | (own_valid & !management.ready);
        let what = own;
        let freezes: Bits<8> = if what.answers { FREEZE_RESPONSE } else { FREEZE_REQUEST };
        let opens: Bits<8> = if what.answers { OPEN_RESPONSE } else { OPEN_REQUEST };
        let code = if what.opens { opens } else { freezes };
        let record: Bits<48> =
            cat(what.psn, bits::<8>(0), what.vc, bits::<6>(0), what.port, bits::<6>(0), code);
        management.data = ManagementRequest {
            destination: what.destination,
            vc: what.vc,
            port: what.through,
            class: settings.class,
            psn: 0,
            partition: settings.partition,
            record,
        };
        management.valid = own_valid;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_failover",
    chapter: "50-sue",
    summary: "connection management of an instance",
    parameters: &[ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(4, 1024), "XPUs, a power of two")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("peers", 1024)] },
        Preset { name: "small", values: &[("peers", 8)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (peers) => build_as [log2(peers), log2(peers) + 2, log2(peers) + 4];
        presets { (64) (1024) (8) }
    }
}

/// Builds the block with these const parameters; see [`SueFailover`].
pub fn build_as<const P: usize, const R: usize, const C: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("failures", StreamSink),
        ("commands", StreamSink),
        ("orders", StreamSource),
        ("answered", FlowSink),
        ("routes", StreamSource),
        ("records[0]", FlowSink),
        ("records[1]", FlowSink),
        ("records[2]", FlowSink),
        ("records[3]", FlowSink),
        ("receiver_changes", StreamSource),
        ("changed", FlowSink),
        ("marks", FlowSource),
        ("management", StreamSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "records to receiver_changes.valid");
    Ok(BuiltBlock::new(SueFailover::<P, R, C>::new()?, interface))
}
