//! `sue_slot_walker`: which replay slots are free, and who has the others (chapter 50, 4.5 rule 2).
//!
//! - **Free slots** wait at `slots`. `begins` and `returns` count those of a virtual channel, `obtainable` says which of them may have one more: those with fewer than
//!   SLOT_MIN, and all while common slots are left.
//! - **Links.** `stored` says whose body a slot has, `links` which slot follows which.
//! - **Freeing.** `frees` names a connection's first slot and a count; requests wait in a FIFO. The walker frees one slot after the other along the links, tells
//!   `completions` of each, in the order of PSNs, and answers with `freed`: the last slot and the count, an event for the table of connections.
//!   The last slot is offered again only when `freed` has been taken: until then the table may append to it.
//! - **Slots that are read.** `reading` names a slot that is about to be read, `left` says that the oldest of those has been; 4 at most at a time. The walker waits with such
//!   a slot until its frame has left. Bodies after it wait, too.
//! - While `completions_wait` is high it waits as well.
//! - A body that was `damaged` is told as failed: a NOP went in its place.
//! - **Bodies that move.** With `moves` the walker tells nothing: slots go out at `moves`, in their order, and are free again when they come back at `returned`; one that comes back
//!   with `failed` is told as failed. A body at `diverts` goes the same way: its connection is closed.
//!
//! | | clocks |
//! |---|---|
//! | `begins` to `obtainable` | 4 to 6 |
//! | `frees` to the first of `completions` | 9, nothing waiting |
//! | a slot to the next of the same request | 4 |
//! | the last of `completions` to `freed` | 0 |
//! | `clear` to the first of `slots` | 6; all slots are free after 2^S clocks and a few |
//!
//! `clear` forgets requests and makes all slots free; nothing is obtainable until then. Bodies that are in slots are not told of.

mod entry;
mod share;

pub use entry::*;
pub use share::SlotShare;

use crate::slot_store::StoredBody;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::Fifo;

/// Slots that are about to be read, most at a time.
pub const READING: usize = 4;
/// Clocks from a request to the first completion.
pub const LATENCY: u32 = 9;

/// The walker of 2^`S` slots; `P` = `S`, 4 at least, `C` = `P` + 1. See the [module](self).
#[block("sue_slot_walker", new, slots = 1usize << S)]
pub struct SueSlotWalker<const S: usize, const P: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Makes all slots free.
    clear: In<Bit>,
    /// SLOT_MIN: slots that each virtual channel has for itself; four times that is not more than there are slots.
    slot_min: In<Bits<8>>,
    /// Virtual channels that may have one more slot.
    obtainable: Out<Bits<4>>,
    /// All slots are free, as of 5 clocks before.
    empty: Out<Bit>,
    /// Slots that are free.
    pub slots: StreamOut<Bits<8>>,
    /// A virtual channel takes a slot; every 8 clocks at most.
    pub begins: FlowIn<Bits<2>>,
    /// It does not after all.
    pub returns: FlowIn<Bits<2>>,
    /// A body stands in its slot.
    pub stored: FlowIn<StoredBody>,
    /// A slot follows another one.
    pub links: FlowIn<SlotLink>,
    /// The body of this slot is wrong.
    pub damaged: FlowIn<Bits<8>>,
    /// Slots to be freed: of each connection one request at a time.
    pub frees: FlowIn<FreeRequest>,
    /// They are free.
    pub freed: StreamOut<FreedSlots>,
    /// Bodies whose slots are free.
    pub completions: FlowOut<Completion>,
    /// None is told from the next clock on.
    completions_wait: In<Bit>,
    /// This slot is about to be read.
    pub reading: FlowIn<Bits<8>>,
    /// The oldest slot that was about to be read has been.
    left: In<Bit>,
    /// A body whose connection is closed; every 4 clocks at most.
    pub diverts: FlowIn<Bits<8>>,
    /// Slots whose bodies leave for another port.
    pub moves: StreamOut<Bits<8>>,
    /// They have left.
    pub returned: StreamIn<ReturnedSlot>,

    /// Slots that were made free after a clear; the top bit: all.
    fill: Register<Bits<9>>,
    #[wire(clock, clear)]
    free: Fifo<Bits<8>, P, C>,
    #[wire(clock, clear)]
    requests: Fifo<FreeRequest, P, C>,
    #[wire(clock)]
    share: SlotShare<S>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    followers: Ram<Bits<8>, S>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    records: Ram<SlotRecord, S>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    damages: Ram<Bits<1>, S>,
    marks: Register<Bit>,
    marked: Reg<Bits<8>>,

    /// Slots about to be read.
    read_slot: [Reg<Bits<8>>; READING],
    read_valid: Register<Bits<4>>,
    read_in: Register<Bits<2>>,
    read_out: Register<Bits<2>>,
    /// The slot at hand is this one.
    #[wire(d = _)]
    is_read: [Reg<Bit>; READING],

    /// Where the slot is: its followers' address, in the arrays, after them, in `record`.
    step: Register<Bits<4>>,
    busy: Register<Bit>,
    request: Reg<FreeRequest>,
    current: Reg<Bits<8>>,
    remaining: Reg<Bits<9>>,
    #[wire(d = _)]
    is_last: Reg<Bit>,
    #[wire(d = _)]
    record: Reg<SlotRecord>,
    #[wire(d = _)]
    follower: Reg<Bits<8>>,
    #[wire(d = _)]
    is_damaged: Reg<Bit>,
    completes: Register<Bit>,
    /// The slot of the completion is free at once: it is not the last one.
    more_free: Register<Bit>,
    completed: Reg<Completion>,
    completed_slot: Reg<Bits<8>>,
    share_waits: Register<Bit>,
    freed_valid: Register<Bit>,

    #[wire(clock, clear)]
    moving: Fifo<Bits<8>, P, C>,
    diverted: Reg<Bits<8>>,
    divert_waits: Register<Bit>,
    /// The last slot of the walk moves.
    last_moves: Register<Bit>,
    /// A slot that has come back.
    back: Reg<ReturnedSlot>,
    back_waits: Register<Bit>,
}

#[logic]
impl<const S: usize, const P: usize, const C: usize> SueSlotWalker<S, P, C> {
    /// All slots are free.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_slot_walker", "S", S as u64, 2, 8)?;
        check_derived("sue_slot_walker", "P", P as u64, "S, 4 at least", S.max(4) as u64)?;
        check_derived("sue_slot_walker", "C", C as u64, "P + 1", P as u64 + 1)?;
        Ok(Self {
            free: Fifo::new()?,
            requests: Fifo::new()?,
            moving: Fifo::new()?,
            followers: Ram::new(RamConfig::block(1 << S))?,
            records: Ram::new(RamConfig::block(1 << S))?,
            damages: Ram::new(RamConfig::block(1 << S))?,
            ..
        })
    }

    fn update(&mut self) {
        let runs = fill[S];
        self.remember();
        self.watch_reading();
        let passes = self.walk(runs);

        // A slot is free: for its virtual channel, and for all.
        let keeps = self.move_on(passes);
        let free_to_tell = !completes & !share_waits & !completions_wait;
        let comes_back = back_waits & !passes & free_to_tell & !freed_valid & runs;
        back_waits = (returned.valid & !back_waits & runs) | (back_waits & !comes_back);
        completes = (passes & !keeps) | (comes_back & back.failed);
        more_free = passes & !is_last & !keeps;
        let status = if is_damaged { BodyStatus::Failed } else { request.status };
        if passes {
            completed = Completion {
                connection: request.connection,
                destination: record.destination,
                vc: record.vc,
                commands: record.commands,
                status,
            };
            completed_slot = current;
        } else if comes_back {
            completed = Completion {
                connection: cat(back.vc, back.destination),
                destination: back.destination,
                vc: back.vc,
                commands: back.commands,
                status: BodyStatus::Failed,
            };
        }
        completions = In { data: completed, valid: completes };
        share_waits = (passes & !keeps) | comes_back | (share_waits & !share.frees.ready);
        share.frees = In { data: completed.vc, valid: share_waits };

        // After a clear all slots in turn.
        fill.enable = !runs & free.words_in.ready;
        fill = fill + 1;
        let answered = freed_valid & freed.ready;
        let last_free = answered & !last_moves;
        free.words_in.valid = more_free | last_free | comes_back | (!runs & !clear);
        let freed_slot = if comes_back { back.slot } else { completed_slot };
        free.words_in.data = if runs { freed_slot } else { fill[0..8] };
        slots = In { data: free.words_out.data, valid: free.words_out.valid };
        free.words_out.ready = slots.ready;
        share = In { clear: !runs, place: fill[0..2], slot_min };
        share.begins = In { data: begins.data, valid: begins.valid & runs };
        share.returns = In { data: returns.data, valid: returns.valid & runs };
        obtainable = share.obtainable;
        empty = share.none_held;
    }

    /// Slots whose bodies move, and those that come back.
    fn move_on(&mut self, passes: Bit) -> Bit {
        let keeps = request.moves & !is_damaged;
        if diverts.valid {
            diverted = diverts.data;
        }
        divert_waits = diverts.valid;
        moving.words_in.valid = (passes & keeps) | divert_waits;
        moving.words_in.data = if divert_waits { diverted } else { current };
        link(moves, moving.words_out);
        last_moves = if passes { keeps } else { last_moves };
        returned.ready = !back_waits & fill[S] & !clear;
        if !back_waits {
            back = returned.data;
        }
        keeps
    }

    /// What is kept of each slot.
    fn remember(&mut self) {
        let body = stored.data;
        let slot = body.slot;
        records = In { write_enable: stored.valid, write_address: slot.bits::<S>(0) };
        records.write_data =
            SlotRecord { destination: body.destination, vc: body.vc, commands: body.commands };
        let link_in = links.data;
        let before = link_in.before;
        followers.write_enable = links.valid;
        followers = In { write_address: before.bits::<S>(0), write_data: link_in.slot };

        // A body that is stored is whole; a mark waits for its clock.
        marks = damaged.valid | (marks & stored.valid);
        if damaged.valid {
            marked = damaged.data;
        }
        damages.write_enable = stored.valid | marks;
        damages.write_address = if stored.valid { slot.bits::<S>(0) } else { marked.bits::<S>(0) };
        damages.write_data = (!stored.valid).into();
    }

    /// Slots that are about to be read, and whether the one at hand is one of them.
    fn watch_reading(&mut self) {
        read_in.enable = reading.valid;
        read_in = read_in + 1;
        read_out.enable = left;
        read_out = read_out + 1;
        let mut valid = read_valid;
        for i in 0..READING {
            is_read[i] = read_valid[i] & (read_slot[i] == current);
            if left & (read_out == i) {
                valid = valid.with(i, false);
            }
            if reading.valid & (read_in == i) {
                valid = valid.with(i, true);
                read_slot[i] = reading.data;
            }
        }
        read_valid = valid;
    }

    /// One slot after the other.
    fn walk(&mut self, runs: Bit) -> Bit {
        requests.words_in = In { data: frees.data, valid: frees.valid & runs };
        let asked = requests.words_out.data;
        let begins_request = !busy & !freed_valid & requests.words_out.valid;
        requests.words_out.ready = begins_request;

        let in_flight = is_read[0] | is_read[1] | is_read[2] | is_read[3];
        let passes = step[3] & !in_flight & !share_waits & !divert_waits & !completions_wait;
        let goes_on = passes & !is_last;
        let ends = passes & is_last;
        busy = begins_request | (busy & !ends);
        step = cat(begins_request | goes_on, step[0..2], step[2] | (step[3] & !passes));
        if begins_request {
            request = asked;
            current = asked.slot;
            remaining = asked.count;
        } else if goes_on {
            current = follower;
            remaining = remaining - 1;
        }
        is_last = remaining == 1;
        followers.read_address = current.bits::<S>(0);
        records.read_address = current.bits::<S>(0);
        damages.read_address = current.bits::<S>(0);
        follower = followers.read_data;
        record = records.read_data;
        let damage = damages.read_data;
        is_damaged = damage[0];

        freed_valid = ends | (freed_valid & !freed.ready);
        let answer = FreedSlots { connection: request.connection, slot: current, count: request.count };
        freed = In { data: answer, valid: freed_valid };
        passes
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_slot_walker",
    chapter: "50-sue",
    summary: "free replay slots of a go-back-N sender, and whose the others are",
    parameters: &[ParameterInfo::new("slots", 32, Allowed::PowerOfTwo(4, 256), "a power of two")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("slots", 256)] },
        Preset { name: "small", values: &[("slots", 4)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let slots = log2(settings.size("slots")?);
    shapes! {
        settings: (slots = slots, places = slots.max(4)) => build_as [slots, places, places + 1];
        presets { (5, 5) (8, 8) (2, 4) }
    }
}

/// Builds the block with these const parameters; see [`SueSlotWalker`].
pub fn build_as<const S: usize, const P: usize, const C: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("slots", StreamSource),
        ("begins", FlowSink),
        ("returns", FlowSink),
        ("stored", FlowSink),
        ("links", FlowSink),
        ("damaged", FlowSink),
        ("frees", FlowSink),
        ("freed", StreamSource),
        ("completions", FlowSource),
        ("reading", FlowSink),
        ("diverts", FlowSink),
        ("moves", StreamSource),
        ("returned", StreamSink),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "frees to completions.valid");
    Ok(BuiltBlock::new(SueSlotWalker::<S, P, C>::new()?, interface))
}
