//! `sue_axi_subordinate`.

use super::bursts::AxiBursts;
use super::early::AxiEarlyResponses;
use super::ids::AxiIds;
use super::inbox::AxiInbox;
use super::ports::{AxiAsked, AxiRequest, AxiSubordinatePort, AxiWriteBeat, ReceivedCommand};
use super::requests::AxiRequests;
use super::responses::AxiResponses;
use crate::command_in::{CellCredits, CommandWord};
use crate::frame::{CommandHead, ReceivedHead};
use crate::slot_walker::Completion;
use crate::top::{BodyOrigin, Dispatch};
use crate::unpack::OutCredit;
use flitforge_hdl_prim::fifo::SmallFifo;
use flitforge_hdl_prim::prelude::*;

/// Clocks from the first word of a write response to B, if nothing else is under way.
pub const RESPONSE_LATENCY: u32 = 10;

/// The subordinate: AW, W and AR become commands, responses become B and R. IDs have `I` bits, `A` = `I` + 1. See the [module](super).
#[block("sue_axi_subordinate", new, id_bits = I)]
pub struct SueAxiSubordinate<const I: usize, const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all requests, commands and credits.
    clear: In<Bit>,
    /// CTRL.unordered: at most one request per ID is in flight.
    unordered: In<Bit>,
    /// CTRL.BRESP_MODE: B is made here as its PDU is acknowledged. It holds still from the end of a clear on.
    early_responses: In<Bit>,
    /// The SoC's AXI manager.
    pub s_axi: AxiSubordinatePort<I>,
    /// Cells that requests may use.
    pub credits: FlowIn<CellCredits>,
    /// Requests.
    pub commands_out: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    command_head: Out<CommandHead>,
    /// Responses.
    pub commands: StreamIn<CommandWord>,
    /// Of the command, from its first word to its last.
    head: In<ReceivedHead>,
    /// Room for responses.
    pub out_credits: FlowOut<OutCredit>,
    /// Bodies that have become PDUs. Only `early_responses` uses them, and what follows.
    pub dispatches: FlowIn<Dispatch>,
    /// What became of bodies.
    pub completions: FlowIn<Completion>,
    /// Where the body was.
    completion_of: In<BodyOrigin>,
    /// AXI_LONG: a burst is not sent, but answered SLVERR.
    too_long: Out<Bit>,
    /// A command was dropped: it is no response, or nobody waits for it.
    refused: Out<Bit>,

    #[wire(clock, clear)]
    write_requests: SmallFifo<AxiAsked, 3, 4>,
    #[wire(clock, clear)]
    read_requests: SmallFifo<AxiAsked, 3, 4>,
    #[wire(clock, clear)]
    bursts: AxiBursts,
    #[wire(clock, clear)]
    ids: AxiIds<I, A>,
    #[wire(clock, clear, unordered)]
    requests: AxiRequests,
    #[wire(clock, clear, enable = early_responses)]
    tracker: AxiEarlyResponses,
    #[wire(clock, clear)]
    inbox: AxiInbox<1>,
    #[wire(clock, clear, early_responses)]
    responses: AxiResponses<I>,
}

#[logic]
impl<const I: usize, const A: usize> SueAxiSubordinate<I, A> {
    /// A subordinate without requests.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            write_requests: SmallFifo::new()?,
            read_requests: SmallFifo::new()?,
            bursts: AxiBursts::new()?,
            ids: AxiIds::new()?,
            tracker: AxiEarlyResponses::new()?,
            inbox: AxiInbox::new()?,
            ..
        })
    }

    fn update(&mut self) {
        self.take_requests();
        self.give_responses();

        requests = In { burst_waits: bursts.waits, burst: bursts.shape };
        requests = In { data: bursts.data, strobes: bursts.strobes };
        bursts = In { pop: requests.burst_pop, moves: requests.moves };
        bursts = In { beat: requests.beat, group: requests.group };
        ids = In { ask: requests.ask, question: requests.question };
        requests = In { asked: ids.asked, granted: ids.granted };
        ids = In { tell: responses.tell, answer: responses.answer };
        responses = In { told: ids.told, known: ids.known };
        self.respond_early();
        link(credits, requests.credits);
        join(requests.refusals, responses.refusals);
        responses.refused_write = requests.refused_write;
        too_long = requests.refusals.valid & responses.refusals.ready;
        refused = responses.refused;

        let sent = requests.commands.data;
        commands_out = In { data: sent.word, valid: requests.commands.valid };
        command_head = sent.head;
        requests.commands.ready = commands_out.ready;
        let came = ReceivedCommand { word: commands.data, head };
        inbox.commands = In { data: came, valid: commands.valid };
        commands.ready = inbox.commands.ready;
        join(inbox.commands_out, responses.commands);
        link(out_credits, inbox.credits);
    }

    /// Which write is in which PDU.
    fn respond_early(&mut self) {
        requests.room = tracker.room;
        join(requests.issued, tracker.issues);
        link(dispatches, tracker.dispatches);
        link(completions, tracker.completions);
        tracker.completion_of = completion_of;
        join(tracker.early, responses.early);
    }

    /// AW, W and AR.
    fn take_requests(&mut self) {
        let write = AxiRequest {
            below: 0,
            user: 0,
            region: s_axi.awregion,
            qos: s_axi.awqos,
            prot: s_axi.awprot,
            cache: s_axi.awcache,
            lock: s_axi.awlock,
            burst: s_axi.awburst,
            size: s_axi.awsize,
            len: s_axi.awlen,
            id: bit_cast::<16, I>(s_axi.awid),
            address: s_axi.awaddr,
        };
        let write_asked = AxiAsked { request: write, user: s_axi.awuser };
        write_requests.words_in = In { data: write_asked, valid: s_axi.awvalid };
        s_axi.awready = write_requests.words_in.ready;
        join(write_requests.words_out, requests.writes_in);
        let read = AxiRequest {
            below: 0,
            user: 0,
            region: s_axi.arregion,
            qos: s_axi.arqos,
            prot: s_axi.arprot,
            cache: s_axi.arcache,
            lock: s_axi.arlock,
            burst: s_axi.arburst,
            size: s_axi.arsize,
            len: s_axi.arlen,
            id: bit_cast::<16, I>(s_axi.arid),
            address: s_axi.araddr,
        };
        let read_asked = AxiAsked { request: read, user: s_axi.aruser };
        read_requests.words_in = In { data: read_asked, valid: s_axi.arvalid };
        s_axi.arready = read_requests.words_in.ready;
        join(read_requests.words_out, requests.reads_in);
        let beat = AxiWriteBeat { data: s_axi.wdata, strobes: s_axi.wstrb, last: s_axi.wlast };
        bursts.beats = In { data: beat, valid: s_axi.wvalid };
        s_axi.wready = bursts.beats.ready;
    }

    /// B and R.
    fn give_responses(&mut self) {
        let written = responses.writes_out.data;
        s_axi.bid = bit_cast::<I, 16>(written.id);
        s_axi.bresp = written.resp;
        s_axi.buser = written.user;
        s_axi.bvalid = responses.writes_out.valid;
        responses.writes_out.ready = s_axi.bready;
        let beat_read = responses.reads_out.data;
        s_axi.rid = bit_cast::<I, 16>(beat_read.id);
        s_axi.rdata = beat_read.data;
        s_axi.rresp = beat_read.resp;
        s_axi.rlast = beat_read.last;
        s_axi.ruser = beat_read.user;
        s_axi.rvalid = responses.reads_out.valid;
        responses.reads_out.ready = s_axi.rready;
    }
}

/// Registry entry.
pub const SUBORDINATE_ENTRY: BlockEntry = BlockEntry {
    name: "sue_axi_subordinate",
    chapter: "50-sue",
    summary: "requests of an AXI4 manager become commands, responses become B and R",
    parameters: &[ParameterInfo::new("id_bits", 4, Allowed::Range(1, 8), "bits of an ID")],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "6", values: &[("id_bits", 6)] }],
    build: build_subordinate,
};

fn build_subordinate(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (id_bits) => build_subordinate_as [id_bits, id_bits + 1];
        presets { (4) (6) }
    }
}

/// Builds the block with these const parameters; see [`SueAxiSubordinate`].
pub fn build_subordinate_as<const I: usize, const A: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("credits", FlowSink),
        ("commands_out", StreamSource),
        ("commands", StreamSink),
        ("out_credits", FlowSource),
        ("dispatches", FlowSink),
        ("completions", FlowSink),
    ];
    let interface =
        InterfaceInfo::clocked(&streams, Some(RESPONSE_LATENCY), "commands, a write response, to bvalid");
    Ok(BuiltBlock::new(SueAxiSubordinate::<I, A>::new()?, interface))
}
