//! `sue_receive_buffer`: keeps bodies until they are delivered, and drops those that do not count (chapter 50, 4.6 rule 5).
//!
//! A memory of 2^A words of eight octets in four equal rings, one per virtual channel. Bodies are written while they come, with the marks of
//! [`sue_body_check`](crate::body_check). A body counts from its decision on; until then nobody sees it.
//!
//! | event | what it does |
//! |---|---|
//! | last word of a body | `rooms`, 3 clocks later: whether all of it is stored. Not if the ring was full at any of its words, or the word says `error` |
//! | decision "commit" | the oldest undecided body is the next of its ring, if all of it is stored |
//! | decision "drop" | it is forgotten, with its room, as far as that can be (below) |
//! | release | the room of the first body of a ring is free |
//! | decision without an undecided body | nothing |
//!
//! What a dropped body leaves. Its ring goes back to the end of what is committed when no other body of the ring is undecided: the next body is written
//! there. If one came after it, which may still be committed, the dropped body stays as a *hole* in front of that one. A hole is marked in a memory of its own,
//! and the reader skips it; if the later body is dropped, too, the hole is gone with it. So bodies are never moved, and a drop never disturbs another body.
//!
//! - Bodies begin at multiples of 4 words (a granule, 32 octets): `rooms` is exact in granules, not in octets.
//! - No more than [`BODIES`] bodies are undecided; the next one would be without a place.
//! - At least 3 clocks lie between the last word of a body and the first of the next: on the wire there are R-CRC, FCS, gap, preamble, network header and
//!   reliability header between them, 5 words at least.
//! - A decision comes 2 clocks after `rooms` of its body or later, at most one per clock.
//! - `fill` says how full each ring is, 2 clocks later; a body counts from its last word until it is released.
//! - Latency: a committed body is `waiting` 2 clocks after its decision. The reader may read the body to be decided next before that (`hopeful`), so that
//!   its first word waits for nothing but the decision (`settled`, 2 clocks after it).
//! - Throughput: a word in and a word out per clock. A word and what is kept of its body come 2 clocks after `read`.
//! - `clear` forgets all bodies, also the one that comes in: the next word is the first of a body.

mod store;

pub use store::*;

use crate::body_check::MarkedWord;
use crate::frame::ReceivedHead;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{LutRam, Ram, RamConfig};

/// Most undecided bodies.
pub const BODIES: usize = (1 << BODIES_BITS) - 1;
const BODIES_BITS: usize = 4;
/// Clocks from a decision to `waiting` and `settled`.
pub const LATENCY: u32 = 2;

/// The receive buffer: 2^`A` words, `R` = `A` - 2 bits of a place in a ring, `G` = `R` - 2 of a granule in it, `Q` = `G` + 1. See the [module](self).
#[block("sue_receive_buffer", new, octets = 8usize << A)]
pub struct SueReceiveBuffer<const A: usize, const R: usize, const G: usize, const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all bodies.
    clear: In<Bit>,
    /// Words of bodies, with marks.
    pub body: FlowIn<MarkedWord>,
    /// What goes with the body, from its first word to its last.
    head: In<ReceivedHead>,
    /// For each body whether all of it is stored, 2 clocks after its last word.
    pub rooms: FlowOut<Bit>,
    /// For each body whether it is committed.
    pub decisions: FlowIn<Bit>,
    /// Who reads.
    pub store: StorePort,
    /// By virtual channel, octets of the bodies that it holds, in 64; at most 255.
    fill: [Out<Bits<8>>; VCS],

    memory: Ram<StoredWord, A>,
    bodies: Ram<StoredBody, R>,
    holes: Ram<Bit, R>,
    undecided: LutRam<Undecided, BODIES_BITS>,

    /// The next word is the first of a body.
    #[init(true)]
    begins: Register<Bit>,
    /// A word that has come, and a clock later.
    came: Register<Bits<2>>,
    #[wire(d = _)]
    words: [Reg<MarkedWord>; 2],
    #[wire(d = _)]
    heads: [Reg<ReceivedHead>; 2],
    #[wire(d = _)]
    is_first: Reg<Bits<2>>,
    /// Where the next body of its ring begins, and where the first one does.
    #[wire(d = _)]
    tail: Reg<Bits<Q>>,
    #[wire(d = _)]
    oldest: [Reg<Bits<Q>>; 2],
    /// No body of its ring is undecided.
    #[wire(d = _)]
    alone: Reg<Bit>,
    /// Where the word belongs: granule and word in it.
    granule: Reg<Bits<Q>>,
    offset: Reg<Bits<2>>,
    /// Where its body begins.
    begin: Reg<Bits<Q>>,
    /// Its body stands where the committed ones end.
    front: Reg<Bit>,
    /// The body has lost a word.
    lost: Reg<Bit>,

    /// What is written.
    #[wire(d = _)]
    write_enable: Reg<Bit>,
    #[wire(d = _)]
    write_address: Reg<Bits<A>>,
    #[wire(d = _)]
    write_word: Reg<StoredWord>,
    /// A body has come.
    ended: Register<Bit>,
    #[wire(d = _)]
    ended_body: Reg<Undecided>,
    #[wire(d = _)]
    write_body: Reg<StoredBody>,
    #[wire(d = _)]
    hole_enable: Reg<Bit>,
    #[wire(d = _)]
    hole_address: Reg<Bits<R>>,
    #[wire(d = _)]
    write_hole: Reg<Bit>,

    /// Undecided bodies of each ring that are stored.
    counts: [Register<Bits<3>>; VCS],
    /// Where the next body of each ring is written.
    tails: [Register<Bits<Q>>; VCS],
    /// Where its committed bodies end.
    ends: [Register<Bits<Q>>; VCS],
    /// Where its first body begins.
    starts: [Register<Bits<Q>>; VCS],
    /// Its granules in use, and the same in 64 octets.
    #[wire(d = _)]
    used: [Reg<Bits<Q>>; VCS],
    #[wire(d = _)]
    filled: [Reg<Bits<8>>; VCS],
    /// Bodies that have come, and that are decided.
    last_body: Register<Bits<BODIES_BITS>>,
    first_body: Register<Bits<BODIES_BITS>>,
    #[init(1)]
    second_body: Register<Bits<BODIES_BITS>>,
    /// The body to be decided next.
    #[wire(d = _)]
    next_body: Reg<Undecided>,
    next_there: Register<Bit>,
    waits: Register<Bits<VCS>>,
    hopes: Register<Bits<VCS>>,
    decided: Register<Bits<2>>,
    #[wire(d = _)]
    commits: Reg<Bits<2>>,
}

#[logic]
impl<const A: usize, const R: usize, const G: usize, const Q: usize> SueReceiveBuffer<A, R, G, Q> {
    /// An empty buffer.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_receive_buffer", "A", A as u64, 9, 13)?;
        check_derived("sue_receive_buffer", "R", R as u64, "A - 2", A as u64 - 2)?;
        check_derived("sue_receive_buffer", "G", G as u64, "A - 4", A as u64 - 4)?;
        check_derived("sue_receive_buffer", "Q", Q as u64, "A - 3", A as u64 - 3)?;
        Ok(Self {
            memory: Ram::new(RamConfig::block(1 << A))?,
            bodies: Ram::new(RamConfig::block(1 << R))?,
            holes: Ram::new(RamConfig::block(1 << R))?,
            ..
        })
    }

    fn update(&mut self) {
        self.take_word();
        self.place_word();
        let (commits_now, drops) = self.decide();
        self.keep_rings(commits_now, drops);
        self.show(commits_now, drops);
        self.read();
        self.tell_fill();
    }

    /// Bodies under way count from their last word on.
    fn tell_fill(&mut self) {
        for i in 0..VCS {
            used[i] = tails[i] - starts[i];
            let all: Bits<16> = bit_cast::<16, Q>(used[i]);
            let many = all.bits::<7>(9);
            let some = all.bits::<8>(1);
            filled[i] = if many.any() { 255 } else { some };
            fill[i] = filled[i];
        }
    }

    /// A word comes in: what is known of its ring. A clock later, where it belongs.
    fn take_word(&mut self) {
        came = cat(body.valid, came[0]);
        words[0] = body.data;
        words[1] = words[0];
        heads[0] = head;
        heads[1] = heads[0];
        is_first = cat(begins, is_first[0]);
        let coming = body.data;
        begins.enable = body.valid;
        begins = coming.last;
        let vc = head.vc;
        let own_tail = match vc {
            0 => tails[0],
            1 => tails[1],
            2 => tails[2],
            _ => tails[3],
        };
        let own_start = match vc {
            0 => starts[0],
            1 => starts[1],
            2 => starts[2],
            _ => starts[3],
        };
        let own_count = match vc {
            0 => counts[0],
            1 => counts[1],
            2 => counts[2],
            _ => counts[3],
        };
        tail = own_tail;
        oldest[0] = own_start;
        oldest[1] = oldest[0];
        alone = !own_count.any();

        let next_place = offset + 1;
        let next_granule = granule + 1;
        if came[0] {
            if is_first[0] {
                granule = tail;
                begin = tail;
                offset = 0;
                front = alone;
            } else {
                offset = next_place;
                if offset.all() {
                    granule = next_granule;
                }
            }
        }
    }

    /// The word is written, if its granule is free; the body is, if all its words are.
    fn place_word(&mut self) {
        let word = words[1];
        let word_head = heads[1];
        let away = granule ^ oldest[1];
        let low_away = away.bits::<G>(0);
        let full = away[G] & !low_away.any() & !offset.any();
        let lost_now = full | (lost & !is_first[1]);
        if came[1] {
            lost = lost_now;
        }
        let low_granule = granule.bits::<G>(0);
        write_enable = came[1] & !lost_now;
        write_address = cat(offset, low_granule, word_head.vc);
        write_word = StoredWord { data: word.data, marks: word.marks, last: word.last };
        let end_granule = granule + 1;
        ended = came[1] & word.last;
        ended_body = Undecided {
            fits: !lost_now & !word.error,
            front,
            vc: word_head.vc,
            start: bit_cast::<POINTER_BITS, Q>(begin),
            end: bit_cast::<POINTER_BITS, Q>(end_granule),
        };
        write_body = StoredBody {
            end: bit_cast::<POINTER_BITS, Q>(end_granule),
            source: word_head.source,
            port: word_head.port,
            partition: word_head.partition,
        };
        rooms = In { data: ended_body.fits, valid: ended };
        last_body.enable = ended;
        last_body = last_body + 1;
    }

    /// The body to be decided next. Its entry is read a clock before.
    fn decide(&mut self) -> (Bit, Bit) {
        let decides = next_there & decisions.valid;
        let commits_now = decides & decisions.data & next_body.fits;
        let drops = decides & !decisions.data & next_body.fits;
        first_body.enable = decides;
        first_body = second_body;
        second_body.enable = decides;
        second_body = second_body + 1;
        let at = if decides { second_body } else { first_body };
        undecided = In { clock, write_enable: ended, write_address: last_body, read_address: at };
        undecided.write_data = ended_body;
        next_body = undecided.read_data;
        next_there = at != last_body;
        (commits_now, drops)
    }

    /// What is known of the rings.
    fn keep_rings(&mut self, commits_now: Bit, drops: Bit) {
        let settles = commits_now | drops;
        let new_end = next_body.end;
        let stored_end = ended_body.end;
        let released = store.release_end;
        for i in 0..VCS {
            let gains = ended & ended_body.fits & (ended_body.vc == i);
            let loses = settles & (next_body.vc == i);
            counts[i].enable = gains ^ loses;
            counts[i] = if gains { counts[i] + 1 } else { counts[i] - 1 };
            let goes_back = drops & (next_body.vc == i) & (counts[i] == 1);
            tails[i].enable = gains | goes_back;
            tails[i] = if gains { stored_end.bits::<Q>(0) } else { ends[i] };
            ends[i].enable = commits_now & (next_body.vc == i);
            ends[i] = new_end.bits::<Q>(0);
            starts[i].enable = store.release & (store.release_vc == i);
            starts[i] = released.bits::<Q>(0);
        }
    }

    /// What the reader sees of it.
    fn show(&mut self, commits_now: Bit, drops: Bit) {
        decided = cat(next_there & decisions.valid, decided[0]);
        commits = cat(commits_now, commits[0]);
        let dropped_start = next_body.start;
        hole_enable = commits_now | drops;
        hole_address = cat(dropped_start.bits::<G>(0), next_body.vc);
        write_hole = drops;
        let mut waits_now: Bits<VCS> = 0;
        let mut hoped: Bits<VCS> = 0;
        for i in 0..VCS {
            let has_body = starts[i] != ends[i];
            waits_now = waits_now.with(i, has_body);
            let hopes_here = next_there & next_body.fits & next_body.front & (next_body.vc == i);
            hoped = hoped.with(i, hopes_here & !has_body);
        }
        waits = waits_now;
        hopes = hoped;
    }

    /// Words and bodies that are read.
    fn read(&mut self) {
        let asked = store.read;
        let place = asked.place;
        let body_start = asked.start;
        memory = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        memory = In { write_enable, write_address, write_data: write_word };
        memory.read_address = cat(place.bits::<R>(0), asked.vc);
        bodies = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        let stored_start = ended_body.start;
        bodies.write_enable = ended & ended_body.fits;
        bodies.write_address = cat(stored_start.bits::<G>(0), ended_body.vc);
        bodies.write_data = write_body;
        bodies.read_address = cat(body_start.bits::<G>(0), asked.vc);
        holes = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        holes = In { write_enable: hole_enable, write_address: hole_address, write_data: write_hole };
        holes.read_address = cat(body_start.bits::<G>(0), asked.vc);
        store = In { word: memory.read_data, body: bodies.read_data, hole: holes.read_data };
        store = In { waiting: waits, hopeful: hopes, settled: decided[1], committed: commits[1] };
        store.start_0 = bit_cast::<POINTER_BITS, Q>(starts[0]);
        store.start_1 = bit_cast::<POINTER_BITS, Q>(starts[1]);
        store.start_2 = bit_cast::<POINTER_BITS, Q>(starts[2]);
        store.start_3 = bit_cast::<POINTER_BITS, Q>(starts[3]);
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_receive_buffer",
    chapter: "50-sue",
    summary: "keeps received bodies, commits or drops them",
    parameters: &[ParameterInfo::new(
        "octets",
        32768,
        Allowed::PowerOfTwo(4096, 65536),
        "RXBUF, in four rings; a power of two",
    )],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("octets", 65536)] },
        Preset { name: "small", values: &[("octets", 4096)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (octets) => build_as [log2(octets) - 3, log2(octets) - 5, log2(octets) - 7, log2(octets) - 6];
        presets { (32768) (65536) (4096) }
    }
}

/// Builds the block with these const parameters; see [`SueReceiveBuffer`].
pub fn build_as<const A: usize, const R: usize, const G: usize, const Q: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("body", FlowSink), ("rooms", FlowSource), ("decisions", FlowSink)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "decision to store.waiting");
    Ok(BuiltBlock::new(SueReceiveBuffer::<A, R, G, Q>::new()?, interface))
}
