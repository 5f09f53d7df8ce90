//! B at the source: which write is in which PDU (chapter 50, 4.2 rule 5, `BRESP_MODE` 1).

use crate::slot_walker::{BodyStatus, Completion};
use crate::top::{BodyOrigin, Dispatch};
use flitforge_hdl_prim::fifo::Fifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_protocol::sue::axi::{AxiResponse, REQUEST_VC};
use flitforge_protocol::sue_registers::{MAX_PORTS, XPU_BITS};

const VC: usize = REQUEST_VC as usize;
const SLAVE_ERROR: usize = AxiResponse::SlaveError as usize;
/// Bits of the number of a command; number 0 stands for none.
const COMMAND_BITS: usize = 8;
/// Step in which what was read is there.
const JUDGE: usize = 2;
/// Commands that are remembered with `BRESP_MODE` 1: from their grant until their PDU has ended.
pub const TRACKED_COMMANDS: usize = (1 << COMMAND_BITS) - 1;

/// Clocks from the completion of a PDU with one write to its B, if nothing else is under way.
pub const EARLY_LATENCY: u32 = 16;
/// Clocks after a clear until there is room.
pub const TRACK_WIPE: u32 = 1 << XPU_BITS;

/// A request that becomes a command.
#[packed]
pub struct IssuedRequest {
    /// It is a write.
    writes: Bit,
    /// Its ID.
    id: Bits<16>,
    /// Its destination.
    xpu: Bits<XPU_BITS>,
    /// Its partition.
    partition: Bits<10>,
}

/// B of a write whose PDU has ended.
#[packed]
pub struct EarlyResponse {
    /// Its ID.
    id: Bits<16>,
    /// Its destination.
    xpu: Bits<XPU_BITS>,
    /// Its partition.
    partition: Bits<10>,
    /// BRESP.
    resp: Bits<2>,
}

/// What is remembered of a command.
#[packed]
pub struct TrackedCommand {
    /// It is a write.
    writes: Bit,
    /// Its ID.
    id: Bits<16>,
    /// Its partition.
    partition: Bits<10>,
}

/// What happens to the commands of a body: they come from somewhere and go somewhere.
#[packed]
pub struct BodyEvent {
    /// They are the next ones that are in no PDU; else those of the oldest PDU of `from`.
    takes: Bit,
    /// They are answered; else they are a PDU of `to` from now on.
    ends: Bit,
    /// They have arrived.
    delivered: Bit,
    from: Bits<2>,
    to: Bits<2>,
    destination: Bits<XPU_BITS>,
    commands: Bits<10>,
}

/// The first and the last one, 0 for none.
#[packed]
pub struct TrackedList {
    head: Bits<COMMAND_BITS>,
    tail: Bits<COMMAND_BITS>,
}

#[packed]
enum TrackPhase {
    Wipes,
    Idle,
    Issues,
    Takes,
    Walks,
    Pops,
    Leaves,
    Appends,
    Answers,
    Tells,
}

/// Remembers up to 255 commands, reads and writes alike, in lists: for each destination those that are in no PDU, and for each port and destination its PDUs.
/// A PDU has the number of its first command.
///
/// - Without `room` no request may begin. Whatever is remembered has room for all that may still be told of it: at most one PDU per command.
/// - Dispatches are at least 2 clocks apart, and so are completions; of those that come at once the completion goes first. Of other virtual channels, and of bodies
///   of which nothing is remembered, nothing is taken.
/// - A command costs 4 clocks, 3 as it gets into a PDU and 3 as it ends; a PDU 10 more at each of them. `EARLY_LATENCY` is that
///   of a PDU with one write.
/// - `clear` forgets everything; there is room 1,024 clocks later.
#[block("sue_axi_early_responses", new)]
#[derive(Clone, Debug)]
pub struct AxiEarlyResponses {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// `BRESP_MODE`; without it there is always room and nothing happens.
    enable: In<Bit>,
    /// One more request may become a command.
    room: Out<Bit>,
    /// A request becomes a command; not again before there was room.
    pub issues: FlowIn<IssuedRequest>,
    /// Bodies that have become PDUs.
    pub dispatches: FlowIn<Dispatch>,
    /// What became of bodies.
    pub completions: FlowIn<Completion>,
    /// Where the body was.
    completion_of: In<BodyOrigin>,
    /// Responses.
    pub early: StreamOut<EarlyResponse>,

    phase: Reg<TrackPhase>,
    step: Reg<Bits<2>>,
    place: Reg<Bits<XPU_BITS>>,
    issue: Reg<IssuedRequest>,
    issue_waits: Register<Bit>,
    dispatched: Reg<BodyEvent>,
    dispatch_waits: Register<Bit>,
    completed: Reg<BodyEvent>,
    completion_waits: Register<Bit>,
    #[wire(clock, clear)]
    happened: Fifo<BodyEvent, 9, 10>,
    event: Reg<BodyEvent>,
    /// Port and destination of a list.
    port: Reg<Bits<2>>,
    destination: Reg<Bits<XPU_BITS>>,
    /// The command at hand, the first one of its body, and the last one of its list.
    command: Reg<Bits<COMMAND_BITS>>,
    first: Reg<Bits<COMMAND_BITS>>,
    tail: Reg<Bits<COMMAND_BITS>>,
    left: Reg<Bits<10>>,
    taken: Reg<Bits<COMMAND_BITS>>,
    /// The first one that stands for nothing.
    free: Reg<Bits<COMMAND_BITS>>,
    /// By destination: commands that are in no PDU.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    unsent: Ram<TrackedList, XPU_BITS>,
    /// By port and destination: PDUs.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    sent: Vec<Ram<TrackedList, XPU_BITS>>,
    /// Those of the port at hand.
    pdus: Local<TrackedList>,
    /// By command: the next one of its list; above them by PDU.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    next_ones: Ram<Bits<COMMAND_BITS>, { COMMAND_BITS + 1 }>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    remembered: Ram<TrackedCommand, COMMAND_BITS>,
    /// By PDU: commands in it.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    counts: Ram<Bits<COMMAND_BITS>, COMMAND_BITS>,
}

#[logic]
impl AxiEarlyResponses {
    pub(super) fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            happened: Fifo::new()?,
            unsent: Ram::new(RamConfig::block(1 << XPU_BITS))?,
            sent: (0..MAX_PORTS)
                .map(|_| Ram::new(RamConfig::block(1 << XPU_BITS)))
                .collect::<Result<_, _>>()?,
            next_ones: Ram::new(RamConfig::block(2 << COMMAND_BITS))?,
            remembered: Ram::new(RamConfig::block(1 << COMMAND_BITS))?,
            counts: Ram::new(RamConfig::block(1 << COMMAND_BITS))?,
            ..
        })
    }

    fn update(&mut self) {
        self.hear();
        self.wipe();
        let judges = step == JUDGE;
        let reads = (phase != TrackPhase::Wipes) & (phase != TrackPhase::Idle) & (phase != TrackPhase::Tells);
        step = if reads & !judges { step + 1 } else { 0 };
        unsent.read_address = destination;
        self.look();
        let of_pdu = phase == TrackPhase::Leaves;
        next_ones.read_address = if of_pdu { cat(first, true) } else { cat(command, false) };
        remembered.read_address = command;
        counts.read_address = first;
        let told_of = TrackedCommand { writes: issue.writes, id: issue.id, partition: issue.partition };
        remembered = In { write_enable: false, write_address: free, write_data: told_of };
        counts = In { write_enable: false, write_address: first, write_data: taken };
        self.begin();
        self.remember(judges);
        self.take(judges);
        self.walk(judges);
        self.pop(judges);
        self.leave(judges);
        self.append(judges);
        self.answer(judges);
        if clear {
            phase = TrackPhase::Wipes;
            place = 0;
        }
    }

    /// Dispatches and completions wait in their order.
    fn hear(&mut self) {
        let told = dispatches.data;
        let done = completions.data;
        let at = completion_of;
        dispatch_waits = (dispatches.valid & enable & (told.vc == VC)) | (dispatch_waits & completion_waits);
        if dispatches.valid {
            dispatched = BodyEvent {
                takes: !told.moved,
                ends: false,
                delivered: false,
                from: told.from,
                to: told.port,
                destination: told.destination,
                commands: told.commands,
            };
        }
        completion_waits = completions.valid & enable & (done.vc == VC);
        completed = BodyEvent {
            takes: !at.sent,
            ends: true,
            delivered: done.status == BodyStatus::Delivered,
            from: at.port,
            to: 0,
            destination: done.destination,
            commands: done.commands,
        };
        happened.words_in.valid = dispatch_waits | completion_waits;
        happened.words_in.data = if completion_waits { completed } else { dispatched };
        issue_waits = (issues.valid & enable) | (issue_waits & (phase != TrackPhase::Issues));
        if issues.valid {
            issue = issues.data;
        }
        let runs = phase != TrackPhase::Wipes;
        room = !enable | (runs & !issue_waits & free.any());
    }

    /// All lists are empty, and all commands free.
    fn wipe(&mut self) {
        let wipes = phase == TrackPhase::Wipes;
        let none = TrackedList { head: 0, tail: 0 };
        let number = place[0..COMMAND_BITS];
        unsent = In { write_enable: wipes, write_address: place, write_data: none };
        for i in 0..MAX_PORTS {
            sent[i] = In { write_enable: wipes, write_address: place, write_data: none };
        }
        next_ones = In { write_enable: wipes, write_address: cat(number, false), write_data: number + 1 };
        if wipes {
            place = place + 1;
            free = 1;
            phase = if place.all() { TrackPhase::Idle } else { TrackPhase::Wipes };
        }
    }

    /// The PDUs of the port at hand.
    fn look(&mut self) {
        pdus = sent[0].read_data;
        for i in 0..MAX_PORTS {
            sent[i].read_address = destination;
            if port == i {
                pdus = sent[i].read_data;
            }
        }
    }

    /// What is next: commands that begin go before what is told of bodies.
    fn begin(&mut self) {
        let idle = phase == TrackPhase::Idle;
        let next_event = happened.words_out.data;
        let takes_event = idle & !issue_waits;
        happened.words_out.ready = takes_event;
        if idle & issue_waits {
            destination = issue.xpu;
            command = free;
            phase = TrackPhase::Issues;
        }
        if takes_event & happened.words_out.valid {
            event = next_event;
            destination = next_event.destination;
            port = next_event.from;
            left = next_event.commands;
            phase = if next_event.takes { TrackPhase::Takes } else { TrackPhase::Pops };
        }
    }

    /// A command is the last one of those to its destination that are in no PDU.
    fn remember(&mut self, judges: Bit) {
        let issues_now = judges & (phase == TrackPhase::Issues);
        let queue = unsent.read_data;
        let alone = queue.head == 0;
        let grown_head = if alone { command } else { queue.head };
        let grown = TrackedList { head: grown_head, tail: command };
        if issues_now {
            unsent = In { write_enable: true, write_address: destination, write_data: grown };
            remembered.write_enable = true;
            next_ones.write_enable = !alone;
            next_ones = In { write_address: cat(queue.tail, false), write_data: command };
            free = next_ones.read_data;
            phase = TrackPhase::Idle;
        }
    }

    /// The first command that gets into the PDU.
    fn take(&mut self, judges: Bit) {
        let takes_now = judges & (phase == TrackPhase::Takes);
        let waiting = unsent.read_data;
        if takes_now {
            command = waiting.head;
            first = waiting.head;
            tail = waiting.tail;
            taken = 1;
            phase = if waiting.head == 0 { TrackPhase::Idle } else { TrackPhase::Walks };
        }
    }

    /// The others, as many as there are.
    fn walk(&mut self, judges: Bit) {
        let walks_now = judges & (phase == TrackPhase::Walks);
        let following = next_ones.read_data;
        let at_tail = command == tail;
        let is_whole = at_tail | (left == 1);
        let rest_head: Bits<COMMAND_BITS> = if at_tail { 0 } else { following };
        let rest = TrackedList { head: rest_head, tail };
        if walks_now & is_whole {
            unsent = In { write_enable: true, write_address: destination, write_data: rest };
            counts.write_enable = true;
            command = first;
            left = cat(taken, bits::<2>(0));
            port = event.to;
            phase = if event.ends { TrackPhase::Answers } else { TrackPhase::Appends };
        } else if walks_now {
            command = following;
            left = left - 1;
            taken = taken + 1;
        }
    }

    /// The oldest PDU.
    fn pop(&mut self, judges: Bit) {
        let pops_now = judges & (phase == TrackPhase::Pops);
        if pops_now {
            first = pdus.head;
            tail = pdus.tail;
            phase = if pdus.head == 0 { TrackPhase::Idle } else { TrackPhase::Leaves };
        }
    }

    /// It is no more one of its port.
    fn leave(&mut self, judges: Bit) {
        let leaves_now = judges & (phase == TrackPhase::Leaves);
        let next_pdu = next_ones.read_data;
        let is_only = first == tail;
        let kept_head: Bits<COMMAND_BITS> = if is_only { 0 } else { next_pdu };
        let kept = TrackedList { head: kept_head, tail };
        if leaves_now {
            command = first;
            left = cat(counts.read_data, bits::<2>(0));
            port = event.to;
            phase = if event.ends { TrackPhase::Answers } else { TrackPhase::Appends };
        }
        for i in 0..MAX_PORTS {
            if leaves_now & (port == i) {
                sent[i] = In { write_enable: true, write_address: destination, write_data: kept };
            }
        }
    }

    /// It is the youngest one of a port.
    fn append(&mut self, judges: Bit) {
        let appends_now = judges & (phase == TrackPhase::Appends);
        let is_first = pdus.head == 0;
        let first_pdu = if is_first { first } else { pdus.head };
        let longer = TrackedList { head: first_pdu, tail: first };
        if appends_now {
            next_ones.write_enable = !is_first;
            next_ones = In { write_address: cat(pdus.tail, true), write_data: first };
            phase = TrackPhase::Idle;
        }
        for i in 0..MAX_PORTS {
            if appends_now & (port == i) {
                sent[i] = In { write_enable: true, write_address: destination, write_data: longer };
            }
        }
    }

    /// A command of a PDU that has ended: a write has its response before it is forgotten.
    fn answer(&mut self, judges: Bit) {
        let answers_now = judges & (phase == TrackPhase::Answers);
        let known = remembered.read_data;
        let tells = phase == TrackPhase::Tells;
        let resp: Bits<2> = if event.delivered { 0 } else { SLAVE_ERROR };
        let said = EarlyResponse { id: known.id, xpu: destination, partition: known.partition, resp };
        early = In { data: said, valid: tells };
        let forgets = (answers_now & !known.writes) | (tells & early.ready);
        if answers_now {
            phase = TrackPhase::Tells;
        }
        if forgets {
            next_ones = In { write_enable: true, write_address: cat(command, false), write_data: free };
            free = command;
            command = next_ones.read_data;
            left = left - 1;
            phase = if left == 1 { TrackPhase::Idle } else { TrackPhase::Answers };
        }
    }
}

const _: () = assert!(AxiResponse::Okay as usize == 0, "said as 0");
