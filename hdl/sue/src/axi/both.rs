//! `sue_axi`.

use super::manager::{SueAxiManager, TAG_BITS};
use super::ports::{AxiManagerPort, AxiSubordinatePort};
use super::subordinate::SueAxiSubordinate;
use crate::command_in::{CellCredits, CommandWord};
use crate::frame::{CommandHead, ReceivedHead};
use crate::slot_walker::Completion;
use crate::top::{BodyOrigin, Dispatch};
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::axi::{REQUEST_VC, RESPONSE_VC};

const REQUESTS: usize = REQUEST_VC as usize;
const RESPONSES: usize = RESPONSE_VC as usize;

/// Subordinate and manager at one command interface. Requests and responses take turns, a command each. Commands of other virtual channels are dropped with
/// `misplaced`. IDs have `I` bits, `A` = `I` + 1. See the [module](super).
#[block("sue_axi", new, id_bits = I)]
pub struct SueAxi<const I: usize, const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// CTRL.unordered: at most one request per ID is in flight.
    unordered: In<Bit>,
    /// CTRL.BRESP_MODE: B is made here as its PDU is acknowledged. It holds still from the end of a clear on.
    early_responses: In<Bit>,
    /// The SoC's AXI manager.
    pub s_axi: AxiSubordinatePort<I>,
    /// A subordinate of the SoC; its IDs are tags.
    pub m_axi: AxiManagerPort<TAG_BITS>,
    /// Cells that commands may use.
    pub credits: FlowIn<CellCredits>,
    /// Commands, for `sue_command_in`.
    pub commands_out: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    command_head: Out<CommandHead>,
    /// Commands, of `sue_command_out`.
    pub commands: StreamIn<CommandWord>,
    /// Of the command, from its first word to its last.
    head: In<ReceivedHead>,
    /// Room for commands.
    pub out_credits: FlowOut<OutCredit>,
    /// Bodies that have become PDUs. Only `early_responses` uses them, and what follows.
    pub dispatches: FlowIn<Dispatch>,
    /// What became of bodies.
    pub completions: FlowIn<Completion>,
    /// Where the body was.
    completion_of: In<BodyOrigin>,
    /// AXI_LONG: a burst is not sent, but answered SLVERR.
    too_long: Out<Bit>,
    /// A response was dropped: it has another shape, or nobody waits for it.
    refused_response: Out<Bit>,
    /// A request was dropped: it is none, or its transfers and data do not go together.
    refused_request: Out<Bit>,
    /// A command of another virtual channel was dropped.
    misplaced: Out<Bit>,
    /// B, or the last R, with a tag that is not in use; it was dropped.
    stray: Out<Bit>,

    #[wire(clock, clear, unordered, early_responses)]
    subordinate: SueAxiSubordinate<I, A>,
    #[wire(clock, clear)]
    manager: SueAxiManager,
    /// A command is offered or under way.
    open: Register<Bit>,
    of_manager: Reg<Bit>,
    /// Cells that are to be announced.
    request_cells: Register<Bits<8>>,
    response_cells: Register<Bits<8>>,
    response_turn: Register<Bit>,
}

#[logic]
impl<const I: usize, const A: usize> SueAxi<I, A> {
    /// Both sides without requests.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { subordinate: SueAxiSubordinate::new()?, manager: SueAxiManager::new()?, .. })
    }

    fn update(&mut self) {
        link(s_axi, subordinate.s_axi);
        link(m_axi, manager.m_axi);
        link(dispatches, subordinate.dispatches);
        link(completions, subordinate.completions);
        subordinate.completion_of = completion_of;
        subordinate.credits = In { data: credits.data, valid: credits.valid };
        manager.credits = In { data: credits.data, valid: credits.valid };
        Out { too_long, refused: refused_response } = subordinate;
        Out { stray, refused: refused_request } = manager;

        let to_manager = head.vc == REQUESTS;
        let to_subordinate = head.vc == RESPONSES;
        subordinate.head = head;
        manager.head = head;
        subordinate.commands = In { data: commands.data, valid: commands.valid & to_subordinate };
        manager.commands = In { data: commands.data, valid: commands.valid & to_manager };
        let rest_ready = if to_manager { manager.commands.ready } else { !clear };
        commands.ready = if to_subordinate { subordinate.commands.ready } else { rest_ready };
        let came = commands.data;
        misplaced = commands.valid & came.first & !to_manager & !to_subordinate & !clear;
        self.merge_commands();
        self.announce();
    }

    /// Commands of both, one after the other; who is offered once stays until its last word.
    fn merge_commands(&mut self) {
        let asks_manager = manager.commands_out.valid;
        let asks_subordinate = subordinate.commands_out.valid;
        let takes_manager = if open { of_manager } else { asks_manager & !(of_manager & asks_subordinate) };
        let valid = if takes_manager { asks_manager } else { asks_subordinate };
        let word = if takes_manager { manager.commands_out.data } else { subordinate.commands_out.data };
        commands_out = In { data: word, valid };
        command_head = if takes_manager { manager.command_head } else { subordinate.command_head };
        manager.commands_out.ready = commands_out.ready & takes_manager;
        subordinate.commands_out.ready = commands_out.ready & !takes_manager;
        let ends = valid & commands_out.ready & word.last;
        open = (open | valid) & !ends;
        of_manager = takes_manager;
    }

    /// Room of both sides; who has none to tell leaves the turn to the other.
    fn announce(&mut self) {
        let request_credit = manager.out_credits.data;
        let response_credit = subordinate.out_credits.data;
        let more_requests = if manager.out_credits.valid { request_credit.count } else { 0 };
        let more_responses = if subordinate.out_credits.valid { response_credit.count } else { 0 };
        let tells_response = response_cells.q.any() & (response_turn | !request_cells.q.any());
        let response_told = OutCredit { vc: RESPONSES, count: response_cells };
        let request_told = OutCredit { vc: REQUESTS, count: request_cells };
        let told = if tells_response { response_told } else { request_told };
        out_credits = In { data: told, valid: response_cells.q.any() | request_cells.q.any() };
        response_turn = !tells_response;
        response_cells = if tells_response { more_responses } else { response_cells + more_responses };
        request_cells = if tells_response { request_cells + more_requests } else { more_requests };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_axi",
    chapter: "50-sue",
    summary: "AXI4 over commands, both ways: a subordinate and a manager at one command interface",
    parameters: &[ParameterInfo::new("id_bits", 4, Allowed::Range(1, 8), "bits of an ID at the subordinate")],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (id_bits) => build_as [id_bits, id_bits + 1];
        presets { (4) }
    }
}

/// Builds the block with these const parameters; see [`SueAxi`].
pub fn build_as<const I: usize, const A: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("credits", FlowSink),
        ("commands_out", StreamSource),
        ("commands", StreamSink),
        ("out_credits", FlowSource),
        ("dispatches", FlowSink),
        ("completions", FlowSink),
    ];
    let interface = InterfaceInfo::clocked(
        &streams,
        None,
        "from AXI to AXI it is that of both halves and of what lies between",
    );
    Ok(BuiltBlock::new(SueAxi::<I, A>::new()?, interface))
}
