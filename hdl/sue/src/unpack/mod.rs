//! `sue_unpack`: delivers the commands of committed bodies to the XPU (chapter 50, 4.6 rule 5 and 4.1 rule 5).
//!
//! Bodies are read from [`sue_receive_buffer`](crate::receive_buffer), whose words say where commands begin. A command goes out word by word, its header in
//! octets 0 and 1 of the first one, with `head` beside it. NOP is left out; at END the body is done.
//!
//! | event | what happens |
//! |---|---|
//! | a virtual channel has a body | it is opened when its turn comes: the channels take turns, a body each |
//! | the body to be decided next would be the first of its channel, and no other waits | it is opened already, and delivered once it is committed |
//! | it is dropped instead | it is closed, and nothing of it was seen |
//! | a command needs more cells than there are credits | it waits; if another channel has something that may move, the body is left for that one, and goes on when credits come |
//! | `credits` | cells of 64 octets that the XPU has room for, added to those of the channel |
//! | a hole | is released without being delivered |
//!
//! - A command never starts without credits for all of it, and once started it is never interrupted.
//! - At most 1,023 cells may be free at the XPU per virtual channel.
//! - Throughput: a word per clock, also from one command to the next. Commands start at least 3 clocks after each other, so those of one and two words
//!   take 3. A NOP takes 2 clocks at most. By design about [`TURN_CLOCKS`] clocks pass between two bodies, and when
//!   a channel is left for another; that was not measured.
//! - Latency: 4 clocks from the decision of a body that is stored and was opened before.
//! - `clear` forgets positions and credits: the XPU gives its credits again.
//! - Placed alone it stays below 200 MHz: from the free cells over the next header to whether the position may move.
//!
//! How it keeps up: a word becomes the front when its successor is known, and then, for each of its four units, what comes after it is a register
//! ([`Ahead`]): the next unit, whether a command ends before it, and its mark. What the next header is, and whether there are credits for it, is found
//! while the word before it goes out, for both cases: that this word goes out in this clock, and that it waits.

mod parts;
mod queue;

pub use parts::*;

use crate::frame::{FrameWord, ReceivedHead};
use crate::receive_buffer::{StoreRead, StoreReader, StoredBody, StoredWord, PLACE_BITS, POINTER_BITS, VCS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use queue::{WordQueue, QUEUE_BITS};

/// Clocks from `store.settled` to the first word of the body, if it is open.
pub const LATENCY: u32 = 2;
/// Clocks from the last word of a body to the first of the next, if that waits.
pub const TURN_CLOCKS: u32 = 13;
/// Mark that stands for the end of the last word.
const BODY_END: usize = crate::body_check::MARK_END;

/// The unpacker. See the [module](self).
#[block("sue_unpack", new)]
pub struct SueUnpack {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets positions and credits.
    clear: In<Bit>,
    /// Where bodies are read.
    pub store: StoreReader,
    /// Room at the XPU.
    pub credits: FlowIn<OutCredit>,
    /// Commands, word by word.
    pub commands: StreamOut<FrameWord>,
    /// What goes with the command, from its first word to its last.
    head: Out<ReceivedHead>,
    /// A command begins: high for one clock.
    delivered: Out<Bit>,
    /// A body, of this virtual channel, has left the buffer; not a hole.
    pub released: FlowOut<Bits<2>>,

    mode: Register<UnpackMode>,
    /// The virtual channel whose body is open, or was last.
    vc: Reg<Bits<2>>,
    /// The body is committed.
    sure: Reg<Bit>,
    /// It was when it was opened: it may be a hole.
    trusted: Reg<Bit>,
    /// It is a hole.
    #[wire(d = _)]
    is_hole: Reg<Bit>,
    /// The word that is read.
    place: Reg<Bits<PLACE_BITS>>,
    /// Where the body begins.
    start: Reg<Bits<POINTER_BITS>>,
    /// More words of the body are to be read.
    reads: Register<Bit>,
    /// The body was opened a clock ago.
    opened: Register<Bit>,
    /// Words that are on the way.
    coming: Register<Bits<2>>,
    arrived: Register<Bit>,
    #[wire(d = _)]
    arrived_word: Reg<StoredWord>,
    #[wire(d = _)]
    body: Reg<StoredBody>,
    #[wire(d = _)]
    hole: Reg<Bit>,
    /// Words that were asked for and not taken from the queue.
    asked: Register<Bits<5>>,
    taken: Register<Bit>,
    #[wire(clock)]
    words: WordQueue,

    /// The word after the front.
    behind: Reg<StoredWord>,
    behind_valid: Register<Bit>,
    /// For each unit of it: what comes after the unit is in the next word. And for those of the front, and for the unit that comes next.
    behind_shifts: Reg<Bits<4>>,
    front_shifts: Reg<Bits<4>>,
    shifts_here: Reg<Bit>,
    /// The word at the front, and what comes after each of its units.
    front: Reg<StoredWord>,
    ahead: [Reg<Ahead>; 4],
    front_valid: Register<Bit>,
    front_place: Reg<Bits<PLACE_BITS>>,
    /// The unit in it that comes next.
    unit: Reg<Bits<2>>,
    /// The body is committed, there is a front, and `next_kind` is that of the unit.
    live: Register<Bit>,
    #[wire(d = _)]
    next_kind: Reg<Kind>,
    /// The position may move, too: a command goes on or may start, or is a NOP.
    goes: Register<Bit>,
    /// A command may not start for want of credits.
    lacks: Register<Bit>,
    /// A command has begun and not ended.
    inside: Register<Bit>,
    /// A command has begun a clock ago.
    started: Register<Bit>,

    /// A body of the virtual channel was left, and goes on where `positions` says.
    left: Register<VcSet>,
    /// The virtual channel waits for credits.
    blocked: Register<VcSet>,
    /// Another virtual channel than the open one may move.
    others: Register<Bit>,
    positions: LutRam<Position, 2>,
    /// What is waiting still shows the body that was released.
    cools: Register<Bits<2>>,
    release: Register<Bit>,
    /// What is released is a body.
    release_body: Register<Bit>,
    #[wire(d = _)]
    release_vc: Reg<Bits<2>>,
    #[wire(d = _)]
    release_end: Reg<Bits<POINTER_BITS>>,

    given: [Register<Bits<CREDIT_BITS>>; VCS],
    used: [Register<Bits<CREDIT_BITS>>; VCS],
    /// Credits of the open virtual channel, without what was used a clock ago.
    #[wire(d = _)]
    free: Reg<Bits<CREDIT_BITS>>,
    /// Credits that came 1 and 2 clocks ago.
    came: Register<Bits<2>>,
    #[wire(d = _)]
    received_vc: Reg<Bits<4>>,

    out_valid: Register<Bit>,
    out_word: Reg<FrameWord>,
    out_head: Reg<ReceivedHead>,
}

#[logic]
impl SueUnpack {
    /// An unpacker without credits.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { words: WordQueue::new()?, .. })
    }

    fn update(&mut self) {
        let runs = mode == UnpackMode::Runs;
        let own = Self::only(vc);
        let ahead_here = match unit {
            0 => ahead[0],
            1 => ahead[1],
            2 => ahead[2],
            _ => ahead[3],
        };
        let step = self.decide(ahead_here);
        self.look_ahead(step, runs, ahead_here);
        self.keep_mode(step, own);
        let left_own = left & own;
        let goes_on = left_own.any();
        self.move_on(step, runs, ahead_here, goes_on);
        self.fetch(runs, goes_on);
        self.keep_channels(step, own);
        self.keep_credits(step);
        self.deliver(step, ahead_here);
    }

    /// What is done with the word at the front. `commands.ready` comes last.
    fn decide(&mut self, ahead_here: Ahead) -> Step {
        let moves = goes & (!out_valid | commands.ready);
        let special = !inside & next_kind.nop;
        let ends_here = live & !inside & next_kind.end;
        let shifts = moves & shifts_here;
        let step = Step {
            delivers: moves & !special,
            starts: moves & !inside & !special,
            moves,
            shifts,
            finishes: ends_here | (shifts & front.last),
            leaves: live & lacks & !goes & others,
        };
        step
    }

    /// The header that comes next, and whether its command may start: if the position moves now, and if it does not.
    fn look_ahead(&mut self, step: Step, runs: Bit, ahead_here: Ahead) {
        let marks = front.marks;
        let mark_here = match unit {
            0 => marks[0..3],
            1 => marks[3..6],
            2 => marks[6..9],
            _ => marks[9..12],
        };
        let kind_here = Self::kind(mark_here, free, is_hole);
        let kind_there = Self::kind(ahead_here.mark, free, is_hole);
        next_kind = if step.moves { kind_there } else { kind_here };
        let is_nop = !inside & next_kind.nop;
        let begins_command = !inside & !next_kind.nop;
        // Credits that a command takes are seen in `free` 2 clocks later.
        let may_here = kind_here.command & kind_here.enough & !started;
        let may_there = kind_there.command & kind_there.enough & !started & !begins_command;
        let goes_here = inside | kind_here.nop | may_here;
        let goes_there = (!is_nop & !ahead_here.ends) | kind_there.nop | may_there;
        lacks = !inside & kind_here.command & !kind_here.enough & !started & !step.moves;
        started = step.starts;
        inside.clear = clear | !runs;
        inside.enable = step.delivers;
        inside = !ahead_here.ends;

        // Once the first word is at the front, its kind takes a clock.
        let commits = store.settled & store.committed;
        let known = runs & front_valid & (sure | commits);
        let over = live & ((!inside & next_kind.end) | (lacks & !goes & others));
        let after_it = behind_valid & (behind.last | words.valid);
        let live_here = known & !over;
        let live_there = known & (!shifts_here | after_it);
        live = if step.moves { live_there } else { live_here };
        goes = if step.moves { live_there & goes_there } else { live_here & goes_here };
    }

    /// What a mark says.
    fn kind(mark: Bits<3>, credit: Bits<CREDIT_BITS>, nothing: Bit) -> Kind {
        let special = mark[1] & mark[2];
        let command = mark.any() & !special & !nothing;
        let nop = special & !mark[0] & !nothing;
        let high = credit[3..CREDIT_BITS];
        let low = credit[0..3];
        Kind { command, nop, end: !command & !nop, enough: high.any() | (low >= mark), cells: mark }
    }

    /// Which body is open.
    fn keep_mode(&mut self, step: Step, own: VcSet) {
        let cold: VcSet = if cools[0] { !own } else { !bits::<VCS>(0) };
        let able = store.waiting & !blocked & cold;
        let hopes = store.hopeful & cold;
        let others_now = able & !own;
        others = others_now.any();
        let refused = store.settled & !store.committed & !sure;
        match mode {
            UnpackMode::Rests => {
                sure = able.any();
                trusted = able.any();
                if able.any() {
                    vc = Self::after(vc, able);
                } else if hopes.any() {
                    vc = Self::after(vc, hopes);
                }
                mode = if able.any() | hopes.any() { UnpackMode::Opens } else { UnpackMode::Rests };
            }
            UnpackMode::Opens => {
                sure = sure | store.settled;
                mode = if refused { UnpackMode::Rests } else { UnpackMode::Runs };
            }
            UnpackMode::Runs => {
                sure = sure | store.settled;
                mode =
                    if refused | step.leaves | step.finishes { UnpackMode::Rests } else { UnpackMode::Runs };
            }
        }
    }

    /// The set with one virtual channel.
    fn only(one: Bits<2>) -> VcSet {
        cat(one == 0, one == 1, one == 2, one == 3)
    }

    /// The first of a set after `last`.
    fn after(last: Bits<2>, set: VcSet) -> Bits<2> {
        let turned: VcSet = match last {
            0 => cat(set[1], set[2], set[3], set[0]),
            1 => cat(set[2], set[3], set[0], set[1]),
            2 => cat(set[3], set[0], set[1], set[2]),
            _ => set,
        };
        let steps = if turned[0] {
            1
        } else if turned[1] {
            2
        } else if turned[2] {
            3
        } else {
            bits::<2>(0)
        };
        last + steps
    }

    /// The words at the front, and the place in the first one.
    fn move_on(&mut self, step: Step, runs: Bit, ahead_here: Ahead, goes_on: Bit) {
        let wants = !behind_valid | !front_valid;
        let takes = words.valid & (wants | step.shifts);
        let follows = behind_valid & (behind.last | words.valid);
        let loads = follows & (!front_valid | step.shifts);
        words = In { clear: clear | !runs, push: arrived, word_in: arrived_word, wants };
        words.wants_late = step.shifts;
        taken = takes;
        behind_valid.clear = clear | !runs;
        behind_valid = takes | (behind_valid & !loads);
        front_valid.clear = clear | !runs;
        front_valid = loads | (front_valid & !step.shifts);
        let next_word = words.word;
        if takes {
            behind = next_word;
            behind_shifts = Self::shifts_of(next_word.marks);
        }

        // What the unit that comes next says of shifting, for each way to come there.
        let within = Self::chosen(front_shifts, ahead_here.unit);
        let across = Self::chosen(behind_shifts, ahead_here.unit);
        let at_first = Self::chosen(behind_shifts, unit);
        let shifts_there = if shifts_here { across } else { within };
        let shifts_still = if front_valid { shifts_here } else { at_first };
        shifts_here = if step.moves { shifts_there } else { shifts_still };
        if loads {
            front_shifts = behind_shifts;
        }

        let own_marks = behind.marks;
        let next_marks = next_word.marks;
        let second = own_marks[3..6];
        let third = own_marks[6..9];
        let fourth = own_marks[9..12];
        let fifth: Bits<3> = if behind.last { BODY_END } else { next_marks[0..3] };
        let sixth = next_marks[3..6];
        let seventh = next_marks[6..9];
        let eighth = next_marks[9..12];
        if loads {
            front = behind;
            ahead[0] = Self::ahead_of(0, second, third, fourth, fifth);
            ahead[1] = Self::ahead_of(1, third, fourth, fifth, sixth);
            ahead[2] = Self::ahead_of(2, fourth, fifth, sixth, seventh);
            ahead[3] = Self::ahead_of(3, fifth, sixth, seventh, eighth);
        }

        let position = positions.read_data;
        if mode == UnpackMode::Opens {
            unit = if goes_on { position.unit } else { 0 };
        } else if step.moves {
            unit = ahead_here.unit;
        }
        if opened {
            front_place = place;
        } else if step.shifts {
            front_place = front_place + 1;
        }
    }

    /// For each unit: no header stands after it in the word.
    fn shifts_of(all: Bits<12>) -> Bits<4> {
        let second = all[3..6];
        let third = all[6..9];
        let fourth = all[9..12];
        let last_two = third.any() | fourth.any();
        cat(!(second.any() | last_two), !last_two, !fourth.any(), true)
    }

    /// The bit of a unit.
    fn chosen(all: Bits<4>, at: Bits<2>) -> Bit {
        match at {
            0 => all[0],
            1 => all[1],
            2 => all[2],
            _ => all[3],
        }
    }

    /// What comes after a unit, by the marks of the next four.
    fn ahead_of(at: Bits<3>, a: Bits<3>, b: Bits<3>, c: Bits<3>, d: Bits<3>) -> Ahead {
        let units = if a.any() {
            1
        } else if b.any() {
            2
        } else if c.any() {
            3
        } else {
            bits::<3>(4)
        };
        let mark = if a.any() {
            a
        } else if b.any() {
            b
        } else if c.any() {
            c
        } else {
            d
        };
        let total = at + units;
        Ahead { unit: total[0..2], ends: mark.any(), mark }
    }

    /// Words of the open body are read as far as the queue has room; what was read after its last word is forgotten.
    fn fetch(&mut self, runs: Bit, goes_on: Bit) {
        let asks = reads & !asked[QUEUE_BITS];
        let stops = arrived & arrived_word.last;
        let opens = mode == UnpackMode::Opens;
        reads = opens | (reads & runs & !stops);
        opened = opens;
        let starts_at = match vc {
            0 => store.start_0,
            1 => store.start_1,
            2 => store.start_2,
            _ => store.start_3,
        };
        let kept = positions.read_data;
        let fresh_place: Bits<PLACE_BITS> = cat(bits::<2>(0), starts_at[0..9]);
        if opens {
            start = starts_at;
            place = if goes_on { kept.place } else { fresh_place };
        } else if asks {
            place = place + 1;
        }
        coming.clear = clear | !runs | stops;
        coming = cat(asks, coming[0]);
        arrived = coming[1] & runs & !stops;
        arrived_word = store.word;
        body = store.body;
        hole = store.hole;
        is_hole = trusted & hole;
        asked.clear = clear | !runs;
        asked.enable = asks ^ taken;
        asked = if asks { asked + 1 } else { asked - 1 };
        store.read = StoreRead { vc, place, start };
    }

    /// What is known of the virtual channels.
    fn keep_channels(&mut self, step: Step, own: VcSet) {
        release = step.finishes;
        release_body = step.finishes & !is_hole;
        released = In { data: release_vc, valid: release_body };
        release_vc = vc;
        release_end = body.end;
        store = In { release, release_vc, release_end };
        cools = if step.finishes { 3 } else { cat(cools[1], false) };
        positions = In { clock, write_enable: step.leaves, write_address: vc, read_address: vc };
        positions.write_data = Position { place: front_place, unit };
        left = if step.leaves {
            left | own
        } else if mode == UnpackMode::Opens {
            left & !own
        } else {
            left
        };

        // Credits are seen in `free` by now: what waits for them may try again.
        let credit = credits.data;
        came = cat(credits.valid, came[0]);
        received_vc = cat(credit.vc, received_vc[0..2]);
        let received_for = received_vc[2..4];
        let freed = Self::only(received_for);
        let blocks: VcSet = if step.leaves { blocked | own } else { blocked };
        blocked = if came[1] { blocks & !freed } else { blocks };
    }

    /// Credits of the virtual channels: how many came, and how many are used.
    fn keep_credits(&mut self, step: Step) {
        let arrival = credits.data;
        let given_now = match vc {
            0 => given[0],
            1 => given[1],
            2 => given[2],
            _ => given[3],
        };
        let used_now = match vc {
            0 => used[0],
            1 => used[1],
            2 => used[2],
            _ => used[3],
        };
        free = given_now - used_now;
        let used_then = used_now + bit_cast::<CREDIT_BITS, 3>(next_kind.cells);
        for i in 0..VCS {
            given[i].enable = credits.valid & (arrival.vc == i);
            given[i] = given[i] + bit_cast::<CREDIT_BITS, 8>(arrival.count);
            used[i].enable = step.starts & (vc == i);
            used[i] = used_then;
        }
    }

    /// A word goes out.
    fn deliver(&mut self, step: Step, ahead_here: Ahead) {
        let front_data = front.data;
        let behind_data = behind.data;
        let one_unit = behind_data[0..16];
        let two_units = behind_data[0..32];
        let three_units = behind_data[0..48];
        let turned: Bits<64> = match unit {
            0 => front_data,
            1 => cat(front_data[16..64], one_unit),
            2 => cat(front_data[32..64], two_units),
            _ => cat(front_data[48..64], three_units),
        };
        let distance = ahead_here.unit - unit;
        let bytes: Bits<4> = cat(false, distance, !distance.any());
        if step.delivers {
            out_word = FrameWord { data: turned, bytes, last: ahead_here.ends, error: false };
        }
        if step.starts {
            out_head = ReceivedHead { source: body.source, vc, port: body.port, partition: body.partition };
        }
        out_valid = step.delivers | (out_valid & !commands.ready);
        commands = In { data: out_word, valid: out_valid };
        head = out_head;
        delivered = started;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_unpack",
    chapter: "50-sue",
    summary: "delivers the commands of received bodies",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("credits", FlowSink), ("commands", StreamSource), ("released", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "store.settled to commands.valid");
    Ok(BuiltBlock::new(SueUnpack::new()?, interface))
}
