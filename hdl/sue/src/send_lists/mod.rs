//! `sue_send_lists`: which connection's turn it is to send (chapter 50, 4.5 "send turn").
//!
//! - Each virtual channel has two lists of connections with bodies that wait: those that send again, and before them nobody, and those with new bodies. A
//!   connection's virtual channel is in the lowest two bits of its number.
//! - The results of the table say who waits. After NACK and expiry, after a replay, and when a walk has ended that the turn had waited for, a connection
//!   enters the list of replays; else that of new bodies, if it is in neither. No connection is in a list twice.
//! - `turn` offers the first connection of a virtual channel that is `ready`, virtual channels in rotation; it leaves its list with that. Its turn's result says whether it
//!   waits for another one.
//! - `body` names the connection of a body the moment the table is told of it: it gets its turn at once if nothing else waits in its virtual channel and
//!   no turn is offered. The body's own result enters no list then; it comes 2 clocks after `body` at the soonest (the table takes 8).
//! - A list has a place for each connection, so none overflows. What is in a list is told by two bits per connection and list: one that changes when it
//!   enters, one that becomes equal when it leaves. Each has one writer.
//! - A connection that goes back while it waits with new bodies is in both lists until its turn comes from there. The first new body after the replays of a connection
//!   comes from the list of replays: only its own turn tells that it is new.
//!
//! | | clocks |
//! |---|---|
//! | `body` to `turn.valid` | 1 |
//! | `results` to `turn.valid`, nothing waiting | 11 |
//! | a turn taken to the next one | 6 |
//!
//! Results come every 4 clocks at most, as those of the table. `clear` empties the lists and walks through the bits, 2^A clocks; results are ignored until then.

mod entry;

pub use entry::*;

use crate::send_table::{SendKind, SendResult};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::LutRam;

/// Clocks from a result to the turn.
pub const LATENCY: u32 = 11;

/// Lists of 2^`A` connections; `P` = `A` - 2, `D` = `A` - 1, `L` = `A` + 1. See the [module](self).
#[block("sue_send_lists", new, connections = 1usize << A)]
pub struct SueSendLists<const A: usize, const P: usize, const D: usize, const L: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties the lists.
    clear: In<Bit>,
    /// Virtual channels that may send.
    ready: In<Bits<4>>,
    /// A body of this connection goes to the table.
    pub body: FlowIn<Bits<12>>,
    /// What the table says.
    pub results: FlowIn<SendResult>,
    /// Whose turn it is.
    pub turn: StreamOut<SendTurn>,

    #[init(true)]
    clears: Register<Bit>,
    walk: Register<Bits<A>>,

    /// Where a result is: its marks' address, in the arrays, after them, at its list's tail, in `place`.
    stage: Register<Bits<3>>,
    entry: Reg<ListEntry>,
    /// It has had its turn ahead.
    skips: Reg<Bit>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    entered: Ram<ListMarks, A>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    gone_new: Ram<Bits<1>, A>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    gone_replay: Ram<Bits<1>, A>,
    enters: Register<Bit>,
    #[wire(d = _)]
    enters_list: Reg<Bits<3>>,
    #[wire(d = _)]
    entrant: Reg<ListPlace>,
    marks: Register<Bit>,
    #[wire(d = _)]
    marked: Reg<Bits<12>>,
    #[wire(d = _)]
    marks_of: Reg<ListMarks>,
    #[wire(clock)]
    tails: LutRam<Bits<D>, 3>,
    #[wire(clock)]
    tails_again: LutRam<Bits<D>, 3>,
    /// `place` is written where the tail of `place_list` is.
    places_written: Register<Bit>,
    #[wire(d = _)]
    place: Reg<ListPlace>,
    #[wire(d = _)]
    place_list: Reg<Bits<3>>,
    #[wire(d = _)]
    tail: Reg<Bits<D>>,
    /// It was, a clock ago.
    grew: Register<Bit>,
    #[wire(d = _)]
    grew_list: Reg<Bits<3>>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    places: Ram<ListPlace, L>,
    /// Lists with connections, those of new bodies first.
    waiting: Register<Bits<8>>,

    #[wire(clock)]
    heads: LutRam<Bits<D>, 3>,
    /// Where the first of a list is: its head, the address of its place, in the array, after it.
    fetch: Register<Bits<4>>,
    list: Reg<Bits<3>>,
    #[wire(d = _)]
    head: Reg<Bits<D>>,
    #[wire(d = _)]
    head_after: Reg<Bits<D>>,
    #[wire(d = _)]
    tail_seen: Reg<Bits<D>>,
    /// The virtual channel that was served last.
    served: Register<Bits<2>>,
    turn_valid: Register<Bit>,
    offered: Reg<SendTurn>,
    leaves: Register<Bit>,
    #[wire(d = _)]
    left_mark: Reg<Bit>,
    /// The last turn that went ahead of its body's result.
    ahead: Reg<Bits<12>>,
    went_ahead: Register<Bit>,
    is_ahead: Register<Bit>,
    /// Its body's result has come.
    received_ahead: Register<Bit>,
}

#[logic]
impl<const A: usize, const P: usize, const D: usize, const L: usize> SueSendLists<A, P, D, L> {
    /// Empty lists.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_send_lists", "A", A as u64, 4, 12)?;
        check_derived("sue_send_lists", "P", P as u64, "A - 2", A as u64 - 2)?;
        check_derived("sue_send_lists", "D", D as u64, "A - 1", A as u64 - 1)?;
        check_derived("sue_send_lists", "L", L as u64, "A + 1", A as u64 + 1)?;
        Ok(Self {
            entered: Ram::new(RamConfig::table(1 << A))?,
            gone_new: Ram::new(RamConfig::table(1 << A))?,
            gone_replay: Ram::new(RamConfig::table(1 << A))?,
            places: Ram::new(RamConfig::table(1 << L))?,
            ..
        })
    }

    fn update(&mut self) {
        walk.clear = clear;
        walk = walk + 1;
        clears.clear = false;
        clears = clear | (clears & !walk.all());

        let runs_ahead = self.choose();
        self.listen(runs_ahead);
        self.append();
        self.leave();
    }

    /// Results: who waits, and in which list it is already.
    fn listen(&mut self, runs_ahead: Bit) {
        let result = results.data;
        let fresh = (result.kind == SendKind::Body) & is_ahead & (result.connection == ahead);
        let comes = results.valid & result.waits & !clears;
        received_ahead = results.valid & fresh;
        is_ahead = runs_ahead | (is_ahead & !received_ahead);
        let heard = (result.kind == SendKind::Nack) & !result.stale & !result.wild;
        let freed = result.kind == SendKind::Freed;
        let again = result.sends & result.replays;
        if results.valid {
            skips = fresh;
            entry = ListEntry {
                connection: result.connection,
                replay: heard | freed | again | (result.kind == SendKind::Expire),
                either: freed | !(heard | again | (result.kind == SendKind::Expire)),
            };
        }
        stage = cat(comes, stage[0..2]);
        let waiter = entry.connection;
        entered.read_address = waiter.bits::<A>(0);
        gone_new.read_address = waiter.bits::<A>(0);
        gone_replay.read_address = waiter.bits::<A>(0);
        let was = entered.read_data;
        let gone_as_new = gone_new.read_data;
        let gone_as_replay = gone_replay.read_data;
        let is_new = was.new ^ gone_as_new[0];
        let is_replay = was.replay ^ gone_as_replay[0];
        let is_there = is_replay | (is_new & entry.either);
        let admits = stage[2] & !is_there & !skips;
        enters = admits;
        enters_list = cat(waiter[0..2], entry.replay);
        let mark = if entry.replay { !was.replay } else { !was.new };
        entrant = ListPlace { peer: waiter[2..12], mark };
        let becomes = ListMarks { new: was.new ^ !entry.replay, replay: was.replay ^ entry.replay };
        marks = admits;
        marked = waiter;
        marks_of = becomes;
        entered.write_enable = marks | clears;
        entered.write_address = if clears { walk } else { marked.bits::<A>(0) };
        entered.write_data = if clears { bits::<2>(0).into() } else { marks_of };
    }

    /// The one who waits goes to the end of its list.
    fn append(&mut self) {
        tails.read_address = enters_list;
        tail = tails.read_data;
        places_written = enters;
        place = entrant;
        place_list = enters_list;
        places = In { write_enable: places_written, write_data: place };
        places.write_address = cat(tail.bits::<P>(0), place_list);
        let tail_list = if clears { walk.bits::<3>(0) } else { place_list };
        let tail_after = if clears { 0 } else { tail + 1 };
        tails =
            In { write_enable: places_written | clears, write_address: tail_list, write_data: tail_after };
        tails_again = In { write_enable: places_written | clears };
        tails_again = In { write_address: tail_list, write_data: tail_after };
        grew = places_written;
        grew_list = place_list;
    }

    /// The next turn, if none is offered.
    fn choose(&mut self) -> Bit {
        let empty = !turn_valid & !fetch.any();
        let new_ones = waiting[0..4];
        let replays = waiting[4..8];
        let may = (new_ones | replays) & ready;
        let vc = Self::after(may, served);
        let chooses = empty & may.any() & !clears;

        // A body whose virtual channel has nothing else to send goes ahead.
        let connection = body.data;
        let body_vc = connection[0..2];
        let others = Self::one(new_ones | replays, body_vc) | !Self::one(ready, body_vc);
        let runs_ahead = body.valid & empty & !may.any() & !others & !is_ahead & !clears;
        if chooses {
            list = cat(vc, Self::one(replays, vc));
        }
        served.enable = chooses;
        served = vc;

        // The head of the list, and the place that it names.
        fetch = cat(chooses, fetch[0..3]);
        heads.read_address = list;
        head = heads.read_data;
        places.read_address = cat(head.bits::<P>(0), list);
        head_after = head + 1;
        heads.write_enable = fetch[2] | clears;
        heads.write_address = if clears { walk.bits::<3>(0) } else { list };
        heads.write_data = if clears { 0 } else { head_after };
        let found = places.read_data;
        let listed: Bits<12> = cat(list[0..2], found.peer);
        if !turn_valid {
            let who = if fetch[3] { listed } else { connection };
            offered = SendTurn { connection: who, replay: fetch[3] & list[2] };
        }
        went_ahead = runs_ahead;
        if went_ahead {
            ahead = offered.connection;
        }
        turn_valid = fetch[3] | runs_ahead | (turn_valid & !turn.ready);
        turn = In { data: offered, valid: turn_valid };

        // Whether the list is empty now: its tail was looked at a clock ago.
        tails_again.read_address = list;
        tail_seen = tails_again.read_data;
        let same = grew & (grew_list == list);
        let empties = fetch[2] & (head_after == tail_seen) & !same;
        let mut still = waiting;
        for i in 0..8 {
            if empties & (list == i) {
                still = still.with(i, false);
            }
            if places_written & (place_list == i) {
                still = still.with(i, true);
            }
        }
        waiting = still;
        runs_ahead
    }

    /// Who has a turn is in its list no longer.
    fn leave(&mut self) {
        leaves = fetch[3];
        let found_place = places.read_data;
        left_mark = found_place.mark;
        let connection_left = offered.connection;
        let is_replay_left = offered.replay;
        gone_new.write_enable = (leaves & !is_replay_left) | clears;
        gone_new.write_address = if clears { walk } else { connection_left.bits::<A>(0) };
        gone_new.write_data = if clears { 0 } else { left_mark.into() };
        gone_replay.write_enable = (leaves & is_replay_left) | clears;
        gone_replay.write_address = if clears { walk } else { connection_left.bits::<A>(0) };
        gone_replay.write_data = if clears { 0 } else { left_mark.into() };
    }

    /// The bit of a virtual channel.
    fn one(x: Bits<4>, vc: Bits<2>) -> Bit {
        let low = if vc[0] { x[1] } else { x[0] };
        let high = if vc[0] { x[3] } else { x[2] };
        if vc[1] {
            high
        } else {
            low
        }
    }

    /// The first virtual channel after `last` that may.
    fn after(may: Bits<4>, last: Bits<2>) -> Bits<2> {
        let from_0 = if may[0] {
            0
        } else if may[1] {
            1
        } else if may[2] {
            2
        } else {
            bits::<2>(3)
        };
        let from_1 = if may[1] {
            1
        } else if may[2] {
            2
        } else if may[3] {
            3
        } else {
            bits::<2>(0)
        };
        let from_2 = if may[2] {
            2
        } else if may[3] {
            3
        } else if may[0] {
            0
        } else {
            bits::<2>(1)
        };
        let from_3 = if may[3] {
            3
        } else if may[0] {
            0
        } else if may[1] {
            1
        } else {
            bits::<2>(2)
        };
        match last {
            0 => from_1,
            1 => from_2,
            2 => from_3,
            _ => from_0,
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_send_lists",
    chapter: "50-sue",
    summary: "whose turn it is to send",
    parameters: &[ParameterInfo::new(
        "connections",
        256,
        Allowed::PowerOfTwo(16, 4096),
        "{port, peer, VC}, a power of two",
    )],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("connections", 4096)] },
        Preset { name: "small", values: &[("connections", 16)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let address = log2(settings.size("connections")?);
    shapes! {
        settings: (address = address) => build_as [address, address - 2, address - 1, address + 1];
        presets { (8) (12) (4) }
    }
}

/// Builds the block with these const parameters; see [`SueSendLists`].
pub fn build_as<const A: usize, const P: usize, const D: usize, const L: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("body", FlowSink), ("results", FlowSink), ("turn", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "results to turn.valid");
    Ok(BuiltBlock::new(SueSendLists::<A, P, D, L>::new()?, interface))
}
