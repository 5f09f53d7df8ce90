//! `sue_command_out`: commands for the XPU: control words first, then data words (chapter 50, 4.1).
//!
//! Commands come without gaps of octets, as in a body; they are well formed, since the check of bodies lets no other one pass. What comes out is what
//! `sue_command_in` takes: header and control in full words but for the last, then data and strobes likewise; the octet that made an odd data area even is gone.
//!
//! - Latency 2 clocks from the first word in to the first word out; throughput a word out per clock. A command has at most one word more out than in.
//! - `command_head` belongs to the words in, `head` to the words out: both hold from the first word of a command to its last.
//! - `clear` forgets the command under way; the next word in is the first of a command.

use crate::command_in::{CommandHeader, CommandWord};
use crate::frame::{FrameWord, ReceivedHead, WORD_BYTES};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::skid::Skid;
use flitforge_protocol::sue::command::{header, CommandType};

/// Clocks from the first word of a command to the first word out.
pub const LATENCY: u32 = 2;
const WRITE_STROBES: usize = CommandType::WriteStrobes as usize;
/// Pairs of octets in a word.
const WORD_PAIRS: usize = WORD_BYTES / 2;

/// What comes next.
#[packed]
enum Place {
    /// The first word of a command.
    Start,
    /// More control.
    Control,
    /// Data.
    Data,
    /// As `Start`.
    Spare,
}

/// A word that goes out, with its command.
#[packed]
pub struct LeavingCommand {
    /// The word.
    word: CommandWord,
    /// Its command.
    head: ReceivedHead,
}

/// The command interface of the XPU, out. See the [module](self).
#[block("sue_command_out")]
pub struct SueCommandOut {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the command under way.
    clear: In<Bit>,
    /// Words of commands.
    pub commands: StreamIn<FrameWord>,
    /// Of the command, from its first word to its last.
    command_head: In<ReceivedHead>,
    /// Control words, then data words.
    pub commands_out: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    head: Out<ReceivedHead>,

    /// The next word in is the first of a command.
    #[init(true)]
    begins: Register<Bit>,
    // The word that came, and what its header says if it is the first.
    came: Reg<FrameWord>,
    came_valid: Register<Bit>,
    came_head: Reg<ReceivedHead>,
    /// Pairs of octets of header and control.
    control_pairs: Reg<Bits<5>>,
    /// The data area: whether there is one, whether it has strobes, and its octets but for the two or the one that are added when the command begins to go
    /// out: a carry chain each.
    has_area: Reg<Bit>,
    has_strobes: Reg<Bit>,
    area_bytes: Reg<Bits<9>>,
    // The command that goes out.
    place: Register<Place>,
    left_pairs: Reg<Bits<5>>,
    left_bytes: Reg<Bits<9>>,
    own_head: Reg<ReceivedHead>,
    /// The word before, whose pairs of octets from `skipped` on are still to go; none of them if that is 0.
    before: Reg<Bits<64>>,
    skipped: Reg<Bits<2>>,
    #[wire(clock, clear)]
    leaving: Skid<LeavingCommand>,
}

#[logic]
impl SueCommandOut {
    fn update(&mut self) {
        // What the place does with the word that came.
        let starts = place != Place::Control;
        let in_data = place == Place::Data;
        let pairs = if starts { control_pairs } else { left_pairs };
        let begins_out = starts & !in_data;
        let more: Bits<9> = if has_strobes { 2 } else { 1 };
        let area = area_bytes + more;
        let control = Self::control_word(came.data, pairs, has_area, starts);
        let data = Self::data_word(before, came.data, skipped, left_bytes);
        let needs_word = !in_data | Self::needs_word(left_bytes, skipped);
        let goes = leaving.has_room & (came_valid | !needs_word);
        let uses = goes & needs_word;

        let word = if in_data { data } else { control };
        let own = if begins_out { came_head } else { own_head };
        leaving.words_in = In { data: LeavingCommand { word, head: own }, valid: goes };
        let gone = leaving.words_out.data;
        commands_out = In { data: gone.word, valid: leaving.words_out.valid };
        head = gone.head;
        leaving.words_out.ready = commands_out.ready;

        if uses {
            before = came.data;
        }
        let pairs_after = pairs - WORD_PAIRS;
        let bytes_after = left_bytes - WORD_BYTES;
        if goes {
            own_head = own;
            left_pairs = pairs_after;
        }
        if goes & in_data {
            left_bytes = bytes_after;
        }
        if goes & begins_out {
            left_bytes = area;
        }
        if goes & !in_data {
            // A control word that is not full has data after it.
            skipped = pairs[0..2];
        }
        place.enable = goes;
        place = Self::next_place(in_data, pairs, word.last);
        self.take(uses);
    }

    /// The next word, once the one that came is used.
    fn take(&mut self, uses: Bit) {
        let takes = (!came_valid | uses) & !clear;
        commands.ready = takes;
        let arrives = commands.data;
        came_valid.enable = takes;
        came_valid = commands.valid;
        let enters = takes & commands.valid;
        begins.enable = enters;
        begins = arrives.last;
        // Outside of the condition, so that the sum does not wait for it.
        let first = Self::header_of(arrives.data);
        let pairs_in = bit_cast::<5, 4>(first.clen) + 1;
        let area_in = Self::has_data(first);
        let summands = Self::summands_of(first);
        if enters {
            came = arrives;
        }
        if enters & begins {
            came_head = command_head;
            control_pairs = pairs_in;
            has_area = area_in;
            has_strobes = first.strobed;
            area_bytes = summands;
        }
    }

    /// The header in the first two octets.
    fn header_of(data: Bits<64>) -> CommandHeader {
        let value: Bits<16> = cat(data[8..16], data[0..8]);
        let kind = value[header::kind];
        CommandHeader {
            kind,
            clen: value[header::clen],
            dlen: value[header::dlen],
            strobed: kind == WRITE_STROBES,
        }
    }

    /// The command has a data area.
    fn has_data(first: CommandHeader) -> Bit {
        let kind = first.kind;
        kind[3]
    }

    /// Octets of the data area, less two with strobes and less one without.
    fn summands_of(first: CommandHeader) -> Bits<9> {
        let dlen = first.dlen;
        let strobes: Bits<5> = if first.strobed { dlen[3..8] } else { 0 };
        bit_cast::<9, 8>(dlen) + bit_cast::<9, 5>(strobes)
    }

    /// A word of header and control, of which so many pairs are left.
    fn control_word(data: Bits<64>, pairs: Bits<5>, area: Bit, first: Bit) -> CommandWord {
        let full = pairs >= WORD_PAIRS;
        let ends = pairs <= WORD_PAIRS;
        let bytes: Bits<4> = if full { 8 } else { cat(false, pairs[0..3]) };
        CommandWord { data, bytes, first, last: ends & !area, is_data: false }
    }

    /// A word of data and strobes, of which so many octets are left.
    fn data_word(before: Bits<64>, data: Bits<64>, skipped: Bits<2>, left: Bits<9>) -> CommandWord {
        let joined: Bits<64> = match skipped {
            0 => data,
            1 => cat(before[16..64], data[0..16]),
            2 => cat(before[32..64], data[0..32]),
            _ => cat(before[48..64], data[0..48]),
        };
        let ends = left <= WORD_BYTES;
        let bytes: Bits<4> = if ends { left[0..4] } else { 8 };
        CommandWord { data: joined, bytes, first: false, last: ends, is_data: true }
    }

    /// The octets that go out are not all in the word before.
    fn needs_word(left: Bits<9>, skipped: Bits<2>) -> Bit {
        // More than 6, 4 or 2, without a carry chain each.
        let high = left[3..9];
        let more = high.any();
        let needs = match skipped {
            0 => true,
            1 => more | (left[2] & left[1] & left[0]),
            2 => more | (left[2] & (left[1] | left[0])),
            _ => more | left[2] | (left[1] & left[0]),
        };
        needs
    }

    /// What comes after a word.
    fn next_place(in_data: Bit, pairs: Bits<5>, ends: Bit) -> Place {
        let more = if !in_data & (pairs > WORD_PAIRS) { Place::Control } else { Place::Data };
        let after = if ends { Place::Start } else { more };
        after
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_command_out",
    chapter: "50-sue",
    summary: "commands for the XPU: control words, then data words",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("commands", StreamSink), ("commands_out", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "commands to commands_out.valid");
    Ok(BuiltBlock::new(SueCommandOut::default(), interface))
}
