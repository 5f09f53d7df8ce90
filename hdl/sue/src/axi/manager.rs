//! `sue_axi_manager`.

use super::commands::AxiCommands;
use super::inbox::AxiInbox;
use super::ports::{AxiManagerPort, AxiReadBeat, AxiWritten, ReceivedCommand};
use super::read_store::AxiReadStore;
use super::replies::AxiReplies;
use super::tags::AxiTags;
use crate::command_in::{CellCredits, CommandWord};
use crate::frame::{CommandHead, ReceivedHead};
use crate::unpack::OutCredit;
use flitforge_hdl_prim::fifo::SmallFifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::axi::TAGS;

/// Bits of a local tag.
pub const TAG_BITS: usize = TAGS.ilog2() as usize;
/// Clocks from the first word of a read to AR, if nothing else is under way.
pub const REQUEST_LATENCY: u32 = 20;

/// The manager: requests of other XPUs become AW, W and AR, B and R become responses. See the [module](super).
#[block("sue_axi_manager", new)]
pub struct SueAxiManager {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all commands, tags and credits.
    clear: In<Bit>,
    /// A subordinate of the SoC; its IDs are tags.
    pub m_axi: AxiManagerPort<TAG_BITS>,
    /// Requests.
    pub commands: StreamIn<CommandWord>,
    /// Of the command, from its first word to its last.
    head: In<ReceivedHead>,
    /// Room for requests.
    pub out_credits: FlowOut<OutCredit>,
    /// Cells that responses may use.
    pub credits: FlowIn<CellCredits>,
    /// Responses.
    pub commands_out: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    command_head: Out<CommandHead>,
    /// A command was dropped: it is no request, or its transfers and data do not go together.
    refused: Out<Bit>,
    /// B, or the last R, with a tag that is not in use; it was dropped.
    stray: Out<Bit>,

    #[wire(clock, clear)]
    inbox: AxiInbox<0>,
    #[wire(clock, clear)]
    requests: AxiCommands,
    #[wire(clock, clear)]
    write_tags: AxiTags,
    #[wire(clock, clear)]
    read_tags: AxiTags,
    #[wire(clock, clear)]
    written: SmallFifo<AxiWritten, 3, 4>,
    #[wire(clock, clear)]
    read_store: AxiReadStore,
    #[wire(clock, clear)]
    replies: AxiReplies,
}

#[logic]
impl SueAxiManager {
    /// A manager without requests.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { inbox: AxiInbox::new()?, written: SmallFifo::new()?, read_store: AxiReadStore::new()?, .. })
    }

    fn update(&mut self) {
        let came = ReceivedCommand { word: commands.data, head };
        inbox.commands = In { data: came, valid: commands.valid };
        commands.ready = inbox.commands.ready;
        link(out_credits, inbox.credits);
        join(inbox.commands_out, requests.commands);
        self.give_requests();
        self.take_responses();

        let asker = requests.owner;
        write_tags = In { ask: requests.ask_write, owner: asker };
        read_tags = In { ask: requests.ask_read, owner: asker };
        requests = In { write_given: write_tags.given, write_tag: write_tags.tag };
        requests = In { read_given: read_tags.given, read_tag: read_tags.tag };
        let answered = replies.tag;
        write_tags = In { looked: answered, release: replies.write_release };
        read_tags = In { looked: answered, release: replies.read_release };
        replies = In { write_owner: write_tags.looked_owner, write_used: write_tags.in_use };
        replies = In { read_owner: read_tags.looked_owner, read_used: read_tags.in_use };

        join(written.words_out, replies.written);
        join(read_store.whole, replies.whole);
        read_store = In { done: replies.done, tag: answered, moves: replies.moves, beat: replies.beat };
        replies = In { last_beat: read_store.last_beat, resps: read_store.resps, data: read_store.data };
        link(credits, replies.credits);
        let sent = replies.commands.data;
        commands_out = In { data: sent.word, valid: replies.commands.valid };
        command_head = sent.head;
        replies.commands.ready = commands_out.ready;
        refused = requests.refused;
        stray = replies.stray;
    }

    /// AW, W and AR.
    fn give_requests(&mut self) {
        let write_asked = requests.writes_out.data;
        let write = write_asked.request;
        m_axi.awid = bit_cast::<TAG_BITS, 16>(write.id);
        m_axi.awaddr = write.address;
        m_axi.awlen = write.len;
        m_axi.awsize = write.size;
        m_axi.awburst = write.burst;
        m_axi.awlock = write.lock;
        m_axi.awcache = write.cache;
        m_axi.awprot = write.prot;
        m_axi.awqos = write.qos;
        m_axi.awregion = write.region;
        m_axi.awuser = write_asked.user;
        m_axi.awvalid = requests.writes_out.valid;
        requests.writes_out.ready = m_axi.awready;
        let read_asked = requests.reads_out.data;
        let read = read_asked.request;
        m_axi.arid = bit_cast::<TAG_BITS, 16>(read.id);
        m_axi.araddr = read.address;
        m_axi.arlen = read.len;
        m_axi.arsize = read.size;
        m_axi.arburst = read.burst;
        m_axi.arlock = read.lock;
        m_axi.arcache = read.cache;
        m_axi.arprot = read.prot;
        m_axi.arqos = read.qos;
        m_axi.arregion = read.region;
        m_axi.aruser = read_asked.user;
        m_axi.arvalid = requests.reads_out.valid;
        requests.reads_out.ready = m_axi.arready;
        let beat = requests.beats.data;
        m_axi.wdata = beat.data;
        m_axi.wstrb = beat.strobes;
        m_axi.wlast = beat.last;
        m_axi.wvalid = requests.beats.valid;
        requests.beats.ready = m_axi.wready;
    }

    /// B and R; their USER is not looked at.
    fn take_responses(&mut self) {
        let write_said = AxiWritten { tag: m_axi.bid, resp: m_axi.bresp };
        written.words_in = In { data: write_said, valid: m_axi.bvalid };
        m_axi.bready = written.words_in.ready;
        let read_said =
            AxiReadBeat { data: m_axi.rdata, tag: m_axi.rid, resp: m_axi.rresp, last: m_axi.rlast };
        read_store.beats = In { data: read_said, valid: m_axi.rvalid };
        m_axi.rready = read_store.beats.ready;
    }
}

/// Registry entry.
pub const MANAGER_ENTRY: BlockEntry = BlockEntry {
    name: "sue_axi_manager",
    chapter: "50-sue",
    summary: "requests of other XPUs go to an AXI4 subordinate with local tags, B and R become responses",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: build_manager,
};

fn build_manager(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("commands", StreamSink),
        ("out_credits", FlowSource),
        ("credits", FlowSink),
        ("commands_out", StreamSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(REQUEST_LATENCY), "commands, a read, to arvalid");
    Ok(BuiltBlock::new(SueAxiManager::new()?, interface))
}
