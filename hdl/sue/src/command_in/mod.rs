//! `sue_command_in`: commands from the XPU are checked and made even, with credits for cells (chapter 50, 4.1).
//!
//! The XPU sends control words, the header in their first two octets, then data words. They come out without gaps of octets, as in a body: an odd data area gets
//! an octet of zero. A command that fails a check goes on with `error` at its last word; the packer drops it whole and its cells return.
//!
//! | a command is bad | told by |
//! |---|---|
//! | a type that TYPE_CFG does not take, a clen other than the pinned one, a dlen without data; a message without control is always taken | `bad` |
//! | octets of control or data other than clen and dlen say | `bad` |
//! | a word without octets or with more than 8, control after data, a word that is not full and not the last of its kind | `bad` |
//! | the destination is not below the number of XPUs, or is this one; the partition is not in the table and `partition_check` is high | `bad` |
//! | more than 320 octets: what is beyond is not passed on | `bad` |
//! | the first word of another command before its last | `unfinished` |
//! | a word outside of a command: it is not passed on; told for the first of several | `stray` |
//! | a cell without a credit: nothing more of the command is passed on | `overrun` |
//!
//! - A credit of its virtual channel is used for each 64 octets begun. After a clear each channel is given `initial` of them, later those of `cells_freed`, as
//!   `credits` tells the XPU. So the cells in use are never more than were announced, whatever the XPU does.
//! - A command whose first cell has no credit vanishes; one that had some ends with `error` where the next is missing.
//! - Latency 6 clocks from the last word of a command to the same at `commands_out`, or 7 if its octets fill one word more than the last word in made
//!   full; the word before the last comes with it. Throughput a word per clock, one clock more for a command of the second kind, and a command per 3 clocks.
//! - `types`, `own`, `initial` and `partition_check` hold still while there are commands. `partitions` writes the table, which is empty after power-on.
//! - `clear` forgets all commands and credits. `commands.ready` is low until the rules are read (32 clocks) and the credits announced (up to 8 for each channel).

mod entry;

pub use entry::*;

use crate::body_check::Rule;
use crate::frame::{CommandHead, FrameWord, WORD_BYTES};
use crate::pack::CellsFreed;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::skid::Skid;
use flitforge_protocol::sue::command::{
    header, type_config, CommandType, COMMAND_CELL_BYTES, HEADER_BYTES, MAX_COMMAND_BYTES,
};

/// Clocks from the last word of a command to the same word out, if its octets fill no further word.
pub const LATENCY: u32 = 6;
const KIND_BITS: usize = header::kind::WIDTH;
const MESSAGE: usize = CommandType::Message as usize;
const WRITE_STROBES: usize = CommandType::WriteStrobes as usize;
/// Words of the largest command.
const MOST_WORDS: usize = MAX_COMMAND_BYTES / WORD_BYTES;
/// Bits of a word's number that are 0 where a cell begins.
const CELL_BITS: usize = (COMMAND_CELL_BYTES / WORD_BYTES).ilog2() as usize;
/// A counter of credits starts here, so that its top bit says that there is one.
const NO_CREDIT: usize = (1 << 11) - 1;
/// The octets of a command without control, and without data; see [`CommandOctets`].
const NO_CONTROL: usize = (1 << 9) - HEADER_BYTES;
const NO_DATA: usize = (1 << 9) - 1;
/// Credits that are announced at once.
const STEP: usize = 128;

/// The command interface of the XPU, in, for 2^`P` XPUs. See the [module](self).
#[block("sue_command_in", new, peers = 1usize << P)]
pub struct SueCommandIn<const P: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all commands and credits.
    clear: In<Bit>,
    /// Words of commands.
    pub commands: StreamIn<CommandWord>,
    /// Of the command, with its first word.
    head: In<CommandHead>,
    /// TYPE_CFG, type 0 in the lowest octet.
    types: In<Bits<128>>,
    /// Number of this XPU.
    own: In<Bits<10>>,
    /// Partitions are looked up.
    partition_check: In<Bit>,
    /// Credits of each virtual channel after a clear.
    initial: In<Bits<10>>,
    /// The table of partitions is written.
    pub partitions: FlowIn<PartitionRule>,
    /// Credits for the XPU.
    pub credits: FlowOut<CellCredits>,
    /// Words of commands, as in a body.
    pub commands_out: StreamOut<FrameWord>,
    /// Of the command, from its first word to its last.
    command_head: Out<CommandHead>,
    /// Cells that are free again.
    pub cells_freed: FlowIn<CellsFreed>,
    /// A command has gone on that is good.
    accepted: Out<Bit>,
    /// A command was bad.
    bad: Out<Bit>,
    /// A command has no end.
    unfinished: Out<Bit>,
    /// Words came outside of a command.
    stray: Out<Bit>,
    /// The XPU has used more cells than it has credits.
    overrun: Out<Bit>,

    // Start and credits.
    phase: Register<CommandPhase>,
    wait: Register<Bits<5>>,
    announced_vc: Register<Bits<2>>,
    announced_left: Reg<Bits<10>>,
    #[wire(d = _)]
    grant: Reg<CellCredits>,
    grant_valid: Register<Bit>,
    /// Credits and `NO_CREDIT`.
    #[init(NO_CREDIT)]
    pools: [Register<Bits<12>>; 4],
    /// What is used and given, on its way there: three clocks lie between a use and the next look.
    used: [Register<Bit>; 4],
    changes: [Register<Bits<12>>; 4],
    // The rules.
    rules: Ram<Rule, KIND_BITS>,
    #[wire(d = _)]
    turn: Reg<Bits<KIND_BITS>>,
    #[wire(d = _)]
    written_kind: Reg<Bits<KIND_BITS>>,
    #[wire(d = _)]
    turn_rule: Reg<Rule>,
    #[wire(write_clock = clock, read_clock = clock)]
    partition_table: Ram<Bits<1>, 10>,
    // Stage 1: the word that came.
    taken: Reg<CommandWord>,
    taken_head: Reg<CommandHead>,
    taken_valid: Register<Bit>,
    /// It is valid and not flushed.
    fresh: Register<Bit>,
    /// What is left of `taken` goes on its own.
    flushing: Register<Bit>,
    /// A command began one clock ago, two clocks ago.
    recent: Register<Bits<2>>,
    /// A command is open at the input.
    open: Register<Bit>,
    in_stray: Register<Bit>,
    stray_now: Register<Bit>,
    /// Octets that wait for a full word, and how many pairs.
    carry: Reg<Bits<48>>,
    kept: Reg<Bits<2>>,
    // Stage 2.
    formed: Reg<FormedWord>,
    /// There is a word; it is the first slot of a command: one bit for each of the stages 2 to 4.
    emits: Register<Bits<3>>,
    begins: Register<Bits<3>>,
    octets: Reg<CommandOctets>,
    command_header: Reg<CommandHeader>,
    /// The words of the command so far are not as they have to be.
    shapeless: Reg<Bit>,
    data_before: Reg<Bit>,
    partial_before: Reg<Bit>,
    // Stage 3.
    checked: Reg<FormedWord>,
    counted: Reg<CommandOctets>,
    wanted: Reg<CommandOctets>,
    type_wrong: Reg<Bit>,
    head_wrong: Reg<Bit>,
    shape_wrong: Reg<Bit>,
    // Stage 4.
    judged: Reg<FormedWord>,
    wrong: Reg<Bit>,
    /// Words of the command before this one.
    index: Reg<Bits<6>>,
    // The word that waits to know whether it is the last.
    held: Reg<FormedWord>,
    held_valid: Register<Bit>,
    /// A command is open here.
    inside: Register<Bit>,
    /// Nothing more of the command is passed on.
    swallows: Register<Bit>,
    accepted_now: Register<Bit>,
    bad_now: Register<Bit>,
    unfinished_now: Register<Bit>,
    overrun_now: Register<Bit>,
    #[wire(clock, clear)]
    leaving: Skid<FormedWord>,
}

#[logic]
impl<const P: usize> SueCommandIn<P> {
    /// An interface without commands.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_command_in", "P", P as u64, 1, 10)?;
        Ok(Self {
            rules: Ram::new(RamConfig::distributed(1 << KIND_BITS))?,
            partition_table: Ram::new(RamConfig::block(1 << 10))?,
            ..
        })
    }

    fn update(&mut self) {
        let moves = leaving.has_room;
        self.keep_rules();
        self.start();
        let goes = self.take_words(moves);
        self.form_words(moves, goes);
        self.count(moves);
        self.compare(moves);
        let (uses, cell_vc) = self.pass_on(moves);
        self.keep_credits(uses, cell_vc);

        let gone = leaving.words_out.data;
        commands_out = In { data: gone.word, valid: leaving.words_out.valid };
        command_head = gone.head;
        leaving.words_out.ready = commands_out.ready;
        stray = stray_now;
        accepted = accepted_now;
        bad = bad_now;
        unfinished = unfinished_now;
        overrun = overrun_now;
    }

    /// The rules are written one after the other, for ever; so is what registers say of partitions.
    fn keep_rules(&mut self) {
        turn = turn + 1;
        let octet_at: Bits<7> = cat(bits::<3>(0), turn);
        let octet = types.bits::<8>(octet_at);
        turn_rule = Rule {
            clen: octet[type_config::clen],
            pin: octet[type_config::pin],
            valid: octet[type_config::valid],
        };
        written_kind = turn;
        rules = In { write_clock: clock, write_enable: true, write_address: written_kind };
        rules = In { write_data: turn_rule, read_clock: clock, output_enable: true };
        let said = partitions.data;
        partition_table = In {
            write_enable: partitions.valid,
            write_address: said.partition,
            write_data: said.allowed.into(),
        };
    }

    /// After a clear: the rules are read, credits announced.
    fn start(&mut self) {
        wait = wait + 1;
        let announces = phase == CommandPhase::Announces;
        let many = announced_left >= STEP;
        let all_told = announced_vc == 3;
        let announced: Bits<8> = if many { STEP } else { announced_left[0..8] };
        let freed = cells_freed.data;
        let told = CellCredits { vc: announced_vc, count: announced };
        let returned = CellCredits { vc: freed.vc, count: bit_cast::<8, 3>(freed.count) };
        grant = if announces { told } else { returned };
        grant_valid = if announces { announced.any() } else { cells_freed.valid };
        announced_left = if announces & many { announced_left - STEP } else { initial };
        announced_vc.enable = announces & !many;
        announced_vc = announced_vc + 1;
        phase = match phase {
            CommandPhase::Waits => {
                if wait.all() {
                    CommandPhase::Announces
                } else {
                    CommandPhase::Waits
                }
            }
            CommandPhase::Announces => {
                if all_told & !many {
                    CommandPhase::Runs
                } else {
                    CommandPhase::Announces
                }
            }
            _ => CommandPhase::Runs,
        };
        credits = In { data: grant, valid: grant_valid };
    }

    /// Stage 1: words of commands; what a last word leaves over goes on its own.
    fn take_words(&mut self, moves: Bit) -> Bit {
        let kept_before = if taken.first { 0 } else { kept };
        let total_before = Self::units_of(taken.bytes) + bit_cast::<3, 2>(kept_before);
        let flushes = taken_valid & taken.last & !flushing & (total_before > 4);
        let begins_now = fresh & taken.first;
        let waits = begins_now & recent.any();
        let steps = moves & !waits;
        recent.enable = moves;
        recent = cat(begins_now & !waits, recent[0]);
        let has_room = steps & !flushes & (phase == CommandPhase::Runs) & !clear;
        commands.ready = has_room;
        let word = commands.data;
        let takes = has_room & commands.valid;
        let belongs = word.first | open;
        open.enable = takes & belongs;
        open = !word.last;
        in_stray.enable = takes;
        in_stray = !belongs;
        stray_now = takes & !belongs & !in_stray;
        flushing.enable = steps;
        flushing = flushes;
        taken_valid.enable = steps;
        taken_valid = flushes | (takes & belongs);
        fresh.enable = steps;
        fresh = takes & belongs;
        if takes {
            taken = word;
        }
        if takes & word.first {
            taken_head = head;
        }
        let goes = taken_valid & !waits;
        goes
    }

    /// Stage 2: pairs of octets follow each other without a gap.
    fn form_words(&mut self, moves: Bit, goes: Bit) {
        let starts_now = taken.first & !flushing;
        let kept_now = if starts_now { 0 } else { kept };
        let units = if flushing { 0 } else { Self::units_of(taken.bytes) };
        let total = units + bit_cast::<3, 2>(kept_now);
        let carry_now = if kept_now.any() { carry } else { 0 };
        let window = Self::window_of(carry_now, Self::octets_below(taken.data, taken.bytes), kept_now);
        let low: Bits<112> = if flushing { bit_cast::<112, 48>(carry) } else { window };
        let full = total >= 4;
        let ends = taken.last & (flushing | (total <= 4));
        let bytes: Bits<4> = if full { 8 } else { cat(false, total) };
        let formed_word = FrameWord { data: low[0..64], bytes, last: ends, error: false };
        if moves {
            formed = FormedWord { word: formed_word, head: taken_head };
        }
        // A first word that waits does this again, with the same result; so does `count`.
        if moves & taken_valid {
            carry = if full { low[64..112] } else { low[0..48] };
            kept = total[0..2];
        }
        emits.enable = moves;
        begins.enable = moves;
        emits = cat(goes & (full | ends), emits[0..2]);
        begins = cat(goes & starts_now, begins[0..2]);
    }

    /// Pairs of octets in a word; one without octets is wrong, and counts as one with some.
    fn units_of(bytes: Bits<4>) -> Bits<3> {
        let more: Bits<3> = if bytes > 6 { 4 } else { 3 };
        let fewer: Bits<3> = if bytes > 2 { 2 } else { 1 };
        let units = if bytes > 4 { more } else { fewer };
        units
    }

    /// The octets below `bytes`, zeros above.
    fn octets_below(data: Bits<64>, bytes: Bits<4>) -> Bits<64> {
        let octet_0 = if bytes > 0 { data[0..8] } else { 0 };
        let octet_1 = if bytes > 1 { data[8..16] } else { 0 };
        let octet_2 = if bytes > 2 { data[16..24] } else { 0 };
        let octet_3 = if bytes > 3 { data[24..32] } else { 0 };
        let octet_4 = if bytes > 4 { data[32..40] } else { 0 };
        let octet_5 = if bytes > 5 { data[40..48] } else { 0 };
        let octet_6 = if bytes > 6 { data[48..56] } else { 0 };
        let octet_7 = if bytes > 7 { data[56..64] } else { 0 };
        let low: Bits<32> = cat(octet_0, octet_1, octet_2, octet_3);
        let high: Bits<32> = cat(octet_4, octet_5, octet_6, octet_7);
        cat(low, high)
    }

    /// The octets kept, and those of the word right after them.
    fn window_of(carry: Bits<48>, data: Bits<64>, kept: Bits<2>) -> Bits<112> {
        let window: Bits<112> = match kept {
            0 => cat(data, bits::<48>(0)),
            1 => cat(carry[0..16], data, bits::<32>(0)),
            2 => cat(carry[0..32], data, bits::<16>(0)),
            _ => cat(carry, data),
        };
        window
    }

    /// Stage 2: octets of control and data, the header, and whether the words are as they have to be.
    fn count(&mut self, moves: Bit) {
        rules.read_enable = moves;
        partition_table = In { read_enable: moves, output_enable: moves, read_address: taken_head.partition };
        let data = taken.data;
        let own_header: Bits<16> = cat(data[8..16], data[0..8]);
        rules.read_address = own_header[header::kind];
        let adds: Bits<9> = bit_cast::<9, 4>(taken.bytes);
        let none = CommandOctets { control: NO_CONTROL, data: NO_DATA };
        let before = if taken.first { none } else { octets };
        let control = if taken.is_data { before.control } else { before.control + adds };
        let area = if taken.is_data { before.data + adds } else { before.data };
        let kind = own_header[header::kind];
        let first = taken.first;
        let back = data_before & !taken.is_data;
        let gap = partial_before & (data_before == taken.is_data);
        let no_word = !taken.bytes.any() | (taken.bytes > WORD_BYTES);
        let counts = moves & fresh;
        if counts {
            octets = CommandOctets { control, data: area };
            shapeless = no_word | (!first & (shapeless | back | gap));
            data_before = taken.is_data;
            partial_before = taken.bytes != WORD_BYTES;
        }
        if counts & first {
            command_header = CommandHeader {
                kind,
                clen: own_header[header::clen],
                dlen: own_header[header::dlen],
                strobed: kind == WRITE_STROBES,
            };
        }
    }

    /// Stage 3: what the header wants, and whether type and head are right. Stage 4: whether anything is wrong.
    fn compare(&mut self, moves: Bit) {
        let rule_read = rules.read_data;
        let own_head = formed.head;
        if moves {
            checked = formed;
            counted = octets;
            wanted = Self::wanted_octets(command_header);
            shape_wrong = shapeless;
            head_wrong = Self::is_head_wrong(own_head.destination, own);
            judged = checked;
            wrong = (counted.control != wanted.control)
                | (counted.data != wanted.data)
                | type_wrong
                | head_wrong
                | shape_wrong
                | (partition_check & !partition_table.read_data[0]);
        }
        if moves & begins[0] {
            type_wrong = Self::is_type_wrong(command_header, rule_read);
        }
        if moves {
            index = if begins[1] {
                0
            } else if emits[2] {
                index + 1
            } else {
                index
            };
        }
    }

    /// The octets that go with a header.
    fn wanted_octets(header: CommandHeader) -> CommandOctets {
        let dlen = header.dlen;
        let kind = header.kind;
        let strobes: Bits<5> = if header.strobed { dlen[3..8] } else { 0 };
        // With strobes: dlen, dlen / 8 and 1 for the last eight or fewer; the 1 is the carry of the lowest bits.
        let left: Bits<10> = cat(header.strobed, dlen, false);
        let right: Bits<10> = cat(true, strobes, bits::<4>(0));
        let sum = left + right;
        let control: Bits<9> = cat(false, header.clen, bits::<4>(0));
        let data = if kind[3] { sum[1..10] } else { NO_DATA };
        CommandOctets { control, data }
    }

    /// The type is not taken, or not with this clen, or has no dlen.
    fn is_type_wrong(header: CommandHeader, rule: Rule) -> Bit {
        let kind = header.kind;
        let nop = (kind == MESSAGE) & !header.clen.any();
        let refused = !rule.valid | (rule.pin & (rule.clen != header.clen));
        (refused & !nop) | !kind.any() | (!kind[3] & header.dlen.any())
    }

    /// The destination is none of the XPUs, or this one.
    fn is_head_wrong(destination: Bits<10>, own: Bits<10>) -> Bit {
        let number: Bits<11> = bit_cast::<11, 10>(destination);
        (number >= (1 << P)) | (destination == own)
    }

    /// The word held goes on when it is the last or another comes; gives whether a cell is used, and of which channel.
    fn pass_on(&mut self, moves: Bit) -> (Bit, Bits<2>) {
        let now = judged.word;
        let owner = judged.head;
        let cell_vc = owner.vc;
        let starts = begins[2];
        let comes = emits[2] & (starts | !swallows);
        let begins_cell = index[0..CELL_BITS] == 0;
        let has_credit = match cell_vc {
            0 => pools[0].q[11],
            1 => pools[1].q[11],
            2 => pools[2].q[11],
            _ => pools[3].q[11],
        };
        let cut = comes & (index == MOST_WORDS);
        let denied = comes & !cut & begins_cell & !has_credit;
        let passes = comes & !cut & !denied;
        let abandoned = starts & inside;
        let ends = emits[2] & now.last;

        let waiting = held.word;
        let breaks = cut | denied | starts;
        let leaves = moves & held_valid & (waiting.last | passes | breaks);
        let broken = breaks & !waiting.last;
        let word_out = FrameWord { last: waiting.last | broken, error: waiting.error | broken, ..waiting };
        leaving.words_in = In { data: FormedWord { word: word_out, head: held.head }, valid: leaves };
        let word_kept = FrameWord { error: now.last & wrong, ..now };
        // What does not pass is kept, too, but does not count: fewer levels before so many bits.
        if moves & emits[2] {
            held = FormedWord { word: word_kept, head: owner };
        }
        held_valid.enable = moves;
        held_valid = passes | (held_valid & !leaves);
        inside.enable = moves & (starts | ends);
        inside = !ends;
        swallows.enable = moves & (starts | cut | denied);
        swallows = cut | denied;
        accepted_now = moves & passes & now.last & !wrong;
        bad_now = moves & (cut | (passes & now.last & wrong));
        unfinished_now = moves & abandoned & !swallows;
        overrun_now = moves & denied;
        let uses = moves & passes & begins_cell;
        (uses, cell_vc)
    }

    /// Credits are used and given.
    fn keep_credits(&mut self, uses: Bit, cell_vc: Bits<2>) {
        let given: Bits<12> = bit_cast::<12, 8>(grant.count);
        for i in 0..4 {
            used[i] = uses & (cell_vc == i);
            let more = if grant_valid & (grant.vc == i) { given } else { 0 };
            let fewer: Bits<12> = if used[i].q { 0xFFF } else { 0 };
            changes[i] = more + fewer;
            pools[i] = pools[i].q + changes[i].q;
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_command_in",
    chapter: "50-sue",
    summary: "commands from the XPU, checked, with credits for cells",
    parameters: &[ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(2, 1024), "XPUs")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "8", values: &[("peers", 8)] },
        Preset { name: "1024", values: &[("peers", 1024)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (peers) => build_as [log2(peers)];
        presets { (64) (8) (1024) }
    }
}

/// Builds the block with these const parameters; see [`SueCommandIn`].
pub fn build_as<const P: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("commands", StreamSink),
        ("partitions", FlowSink),
        ("credits", FlowSource),
        ("commands_out", StreamSource),
        ("cells_freed", FlowSink),
    ];
    let interface =
        InterfaceInfo::clocked(&streams, Some(LATENCY), "commands, last word, to commands_out.valid");
    Ok(BuiltBlock::new(SueCommandIn::<P>::new()?, interface))
}
