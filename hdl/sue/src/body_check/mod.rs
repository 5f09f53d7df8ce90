//! `sue_body_check`: says of a body whether it is well formed, and where its commands begin (chapter 50, 3.1, 3.3, 4.6 rule 5).
//!
//! A body comes one word per clock, with or without gaps, the next one at once. Seven clocks after each word it comes out again, with a mark for each unit
//! of two octets ([`MarkedWord`]): none, a command and its cells of 64 octets, NOP, END. With its last word comes the verdict ([`BodyVerdict`]).
//!
//! | a body is malformed | where it is seen |
//! |---|---|
//! | a type that TYPE_CFG does not take, a clen other than the pinned one; a message without control is always taken | the rule of the type, read from LUT RAM |
//! | a header of type 0 that is not END; a dlen without data | the header |
//! | an octet of padding that is not zero | the command's last octet |
//! | a command that is longer than the body | the body's end is not where a header may stand |
//! | an octet after END that is not zero | the rest of the word, and all words after it |
//! | an odd number of octets | the last word |
//!
//! How it keeps up with commands of two octets, four in a word: for each of the four units the length of a command is found as if a header
//! stood there, without knowing whether one does. Of these follows, again for each unit, which headers stand in the word and how much of the next
//! words belongs to the last command *if* the first header is there. What is left of the command before then only chooses one of four.
//!
//! - Latency 7 clocks, for words and verdicts; throughput a word per clock.
//! - `types` is TYPE_CFG: type t is octet t. It holds still while bodies come; a change counts 18 clocks later, and after power-on nothing is
//!   well formed for as long.
//! - Whether the frame is to be discarded (`error`) does not matter here; it goes on with the last word.
//! - Marks of a malformed body, and after the first END, say nothing. All words come out, each once.
//! - `clear` forgets the body under way: the next word is the first of a body.

mod unit;

pub use unit::*;

use crate::frame::{FrameWord, ReceivedHead};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_protocol::sue::command::{header, type_config, CommandType};

/// Clocks from a word to the same word with marks, and from the last one to the verdict.
pub const LATENCY: u32 = 7;
const WRITE_STROBES: usize = CommandType::WriteStrobes as usize;
const MESSAGE: usize = CommandType::Message as usize;
/// Words in the ring, and how many words later it is read: two clocks less than the latency, which reading takes.
const PLACES: usize = 16;
const RING_CLOCKS: usize = LATENCY as usize - 2;
/// Bits of the number of commands.
const COUNT_BITS: usize = 10;
/// Bits of a type.
const KIND_BITS: usize = header::kind::WIDTH;

/// The check of bodies. See the [module](self).
#[block("sue_body_check", new)]
pub struct SueBodyCheck {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the body under way.
    clear: In<Bit>,
    /// Words of bodies.
    pub body: FlowIn<FrameWord>,
    /// What goes with the body, from its first word to its last.
    head: In<ReceivedHead>,
    /// TYPE_CFG, type 0 in the lowest octet.
    types: In<Bits<128>>,
    /// The words, with marks.
    pub marked: FlowOut<MarkedWord>,
    /// What goes with them.
    marked_head: Out<ReceivedHead>,
    /// One for each body, with its last word.
    pub verdicts: FlowOut<BodyVerdict>,

    /// The rules of TYPE_CFG, one memory for each unit: all are written, each is read for its own.
    rules: [Ram<Rule, KIND_BITS>; 4],
    /// The type whose rule is written.
    #[wire(d = _)]
    turn: Reg<Bits<KIND_BITS>>,
    #[wire(d = _)]
    written_kind: Reg<Bits<KIND_BITS>>,
    #[wire(d = _)]
    turn_rule: Reg<Rule>,
    /// The stages 1 to 6 have a word.
    valid: Register<Bits<6>>,
    /// The end of the word in stages 1 to 3.
    #[wire(d = _)]
    ending: [Reg<Ending>; 3],
    #[wire(d = _)]
    looked: [Reg<Looked>; 4],
    #[wire(d = _)]
    measured: [Reg<Measured>; 4],
    #[wire(d = _)]
    placed: [Reg<Placed>; 4],
    #[wire(d = _)]
    chains: [Reg<Chain>; 4],
    /// Stage 4.
    #[wire(d = _)]
    facts: Reg<Facts>,
    /// Units of the command under way that are still to come.
    skip: Register<Bits<8>>,
    /// Stage 5: units with a header.
    #[wire(d = _)]
    starts: Reg<Bits<4>>,
    /// Stage 5: the unit that ends the command of a word before.
    #[wire(d = _)]
    closes: Reg<Bits<4>>,
    #[wire(d = _)]
    known: Reg<Facts>,
    /// The next word is the first of a body.
    #[init(true)]
    begins: Register<Bit>,
    /// The command under way has padding.
    pads: Register<Bit>,
    /// END has come.
    ended: Register<Bit>,
    /// Something is wrong.
    wrong: Register<Bit>,
    /// The body began with END.
    empty: Register<Bit>,
    commands: Register<Bits<11>>,
    #[wire(d = _)]
    marks: Reg<Bits<12>>,
    #[wire(d = _)]
    word_judged: Reg<WordJudged>,
    #[wire(d = _)]
    marks_out: Reg<Bits<12>>,
    #[wire(d = _)]
    well_formed: Reg<Bit>,
    #[wire(d = _)]
    was_empty: Reg<Bit>,
    #[wire(d = _)]
    counted: Reg<Bits<11>>,
    word_out: Register<Bit>,
    verdict_out: Register<Bit>,
    passing: Ram<Passing, 4>,
    /// Where a word is written, and where one is read.
    place_in: Reg<Bits<4>>,
    #[init(PLACES - RING_CLOCKS)]
    #[wire(clear = false)]
    place_out: Register<Bits<4>>,
}

#[logic]
impl SueBodyCheck {
    /// A check at the start of a body.
    pub fn new() -> Result<Self, ConfigError> {
        let rules = || Ram::new(RamConfig::distributed(1 << KIND_BITS));
        Ok(Self {
            rules: [rules()?, rules()?, rules()?, rules()?],
            passing: Ram::new(RamConfig::block(PLACES as u32))?,
            ..
        })
    }

    fn update(&mut self) {
        valid = cat(body.valid, valid[0..5]);
        self.keep_rules();
        self.look();
        self.measure();
        self.place();
        self.chain();
        self.walk();
        self.judge();
        self.sum_up();
        self.pass_on();
        let counted_low = counted[0..COUNT_BITS];
        let told: Bits<COUNT_BITS> = if counted[COUNT_BITS] { !bits::<COUNT_BITS>(0) } else { counted_low };
        verdicts.valid = verdict_out;
        verdicts.data = BodyVerdict { well_formed, empty: was_empty, commands: told };
    }

    /// The rules are written one after the other, for ever.
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
        for i in 0..4 {
            rules[i] = In { write_clock: clock, write_enable: true, write_address: written_kind };
            rules[i] =
                In { write_data: turn_rule, read_clock: clock, read_enable: true, output_enable: true };
        }
    }

    /// Stage 1: each unit, read as a header.
    fn look(&mut self) {
        let word = body.data;
        let data = word.data;
        let bytes = word.bytes;
        let full = !word.last;
        let there: Bits<4> = cat(true, full | (bytes > 2), full | (bytes > 4), full | (bytes > 6));
        ending[0] = Ending { there, last: word.last, odd: word.last & bytes[0] };
        for i in 0..4 {
            let value: Bits<16> = cat(data.bits::<8>(16 * i + 8), data.bits::<8>(16 * i));
            rules[i].read_address = value[header::kind];
            looked[i] = Self::look_at(value, there[i]);
        }
    }

    /// A unit as a header.
    fn look_at(value: Bits<16>, there: Bit) -> Looked {
        let kind = value[header::kind];
        let clen = value[header::clen];
        let dlen = value[header::dlen];
        let strobes = kind == WRITE_STROBES;
        // With strobes: dlen, and dlen / 8 + 1 octets of them; one sum with a carry.
        let data: Bits<10> = cat(true, dlen, false);
        let strobe_octets: Bits<10> = cat(true, dlen[3..8], bits::<4>(0));
        let sum = data + strobe_octets;
        Looked {
            strobed_area: sum[1..10],
            strobes,
            dlen,
            clen,
            has_data: kind[3],
            end: !(value.any() & there),
            second: dlen.any(),
            untyped: !kind.any(),
            free: (kind == MESSAGE) & !clen.any(),
        }
    }

    /// Stage 2: the length of each command, and whether its header is right.
    fn measure(&mut self) {
        ending[1] = ending[0];
        for i in 0..4 {
            let rule_read = rules[i].read_data;
            measured[i] = Self::measure_one(looked[i], rule_read);
        }
    }

    /// The length of a command.
    fn measure_one(looked: Looked, rule: Rule) -> Measured {
        let data = looked.has_data;
        let dlen = looked.dlen;
        let strobed = looked.strobed_area;
        // A data area of n + 1 octets has n / 2 + 1 units: the second 1 is the carry of the sum.
        let units: Bits<8> = if looked.strobes {
            strobed[1..9]
        } else if data {
            cat(dlen[1..8], false)
        } else {
            0
        };
        let odd = if looked.strobes { strobed[0] } else { dlen[0] };
        let left: Bits<9> = cat(true, units);
        let right: Bits<9> = cat(data, looked.clen, bits::<4>(0));
        let sum = left + right;
        let refused = !rule.valid | (rule.pin & (rule.clen != looked.clen));
        Measured {
            more: sum[1..9],
            wrong: !looked.end & ((refused & !looked.free) | looked.untyped | (!data & looked.second)),
            padded: data & !odd & !looked.end,
            end: looked.end,
            second: looked.second,
            nop: looked.free,
        }
    }

    /// Stage 3: where each command ends.
    fn place(&mut self) {
        ending[2] = ending[1];
        let word_end = ending[1];
        let there = word_end.there;
        let first = measured[0];
        let second = measured[1];
        let third = measured[2];
        let fourth = measured[3];
        let after_first: Bits<3> = cat(second.second, third.second, fourth.second);
        let after_second: Bits<3> = cat(third.second, fourth.second, false);
        let after_third: Bits<3> = cat(fourth.second, false, false);
        let ends_third = third.end & fourth.end;
        let ends_second = second.end & ends_third;
        placed[0] = Self::place_one(first, 3, after_first, ends_second, true, there[3]);
        placed[1] = Self::place_one(second, 2, after_second, ends_third, there[0], there[3]);
        placed[2] = Self::place_one(third, 1, after_third, fourth.end, there[1], there[3]);
        placed[3] = Self::place_one(fourth, 0, 0, true, there[2], there[3]);
    }

    /// Where a command ends, `to_end` units before the last of the word. `after` are the second octets of the next units, `zeros` says that they
    /// are all zero, `reaches` that the unit before belongs to the body, `full` that the whole word does.
    fn place_one(
        unit: Measured,
        to_end: Bits<2>,
        after: Bits<3>,
        zeros: Bit,
        reaches: Bit,
        full: Bit,
    ) -> Placed {
        let more = unit.more;
        let high = more[2..8];
        let near = !high.any();
        let low = more[0..2];
        let inside = near & (low <= to_end);
        let exact = near & (low == to_end);
        let goes_on = near & (low < to_end) & !unit.end;
        let last_octet = match low {
            0 => unit.second,
            1 => after[0],
            2 => after[1],
            _ => after[2],
        };
        let rest = if unit.end { 0 } else { more - bit_cast::<8, 2>(to_end) };
        let cells = more[5..8];
        let mark = if unit.end {
            MARK_END
        } else if unit.nop {
            MARK_NOP
        } else {
            cells + 1
        };
        Placed {
            rest,
            leads: cat(goes_on & (low == 0), goes_on & (low == 1), goes_on & (low == 2)),
            wrong: unit.wrong | (unit.padded & inside & last_octet) | (unit.end & !zeros) | !reaches,
            pads_later: unit.padded & !inside,
            done: unit.end | (exact & full),
            counts: !unit.end & !unit.nop,
            end: unit.end,
            second: unit.second,
            mark,
        }
    }

    /// Stage 4: the headers that follow from the first one.
    fn chain(&mut self) {
        let first = placed[0];
        let second = placed[1];
        let third = placed[2];
        let fourth = placed[3];
        let from_first = first.leads;
        let from_second = second.leads;
        let from_third = third.leads;
        let third_rest = if from_third[0] { fourth.rest } else { third.rest };
        let second_rest = if from_second[0] {
            third_rest
        } else if from_second[1] {
            fourth.rest
        } else {
            second.rest
        };
        let first_rest = if from_first[0] {
            second_rest
        } else if from_first[1] {
            third_rest
        } else if from_first[2] {
            fourth.rest
        } else {
            first.rest
        };
        let second_fourth = from_second[1] | (from_second[0] & from_third[0]);
        let first_third = from_first[1] | (from_first[0] & from_second[0]);
        let first_fourth = from_first[2] | (from_first[1] & from_third[0]) | (from_first[0] & second_fourth);
        chains[0] = Chain { rest: first_rest, starts: cat(true, from_first[0], first_third, first_fourth) };
        chains[1] = Chain { rest: second_rest, starts: cat(false, true, from_second[0], second_fourth) };
        chains[2] = Chain { rest: third_rest, starts: cat(false, false, true, from_third[0]) };
        chains[3] = Chain { rest: fourth.rest, starts: cat(false, false, false, true) };
        let word_end = ending[2];
        let there = word_end.there;
        facts = Facts {
            wrong: cat(first.wrong, second.wrong, third.wrong, fourth.wrong),
            pads_later: cat(first.pads_later, second.pads_later, third.pads_later, fourth.pads_later),
            done: cat(first.done, second.done, third.done, fourth.done),
            counts: cat(first.counts, second.counts, third.counts, fourth.counts),
            end: cat(first.end, second.end, third.end, fourth.end),
            second: cat(first.second, second.second, third.second, fourth.second),
            marks: cat(first.mark, second.mark, third.mark, fourth.mark),
            full: there[3],
            last: word_end.last,
            odd: word_end.odd,
        };
    }

    /// Stage 5: which unit has the first header.
    fn walk(&mut self) {
        let high = skip[2..8];
        let far = high.any();
        let low = skip[0..2];
        let chosen = match low {
            0 => chains[0],
            1 => chains[1],
            2 => chains[2],
            _ => chains[3],
        };
        skip.enable = valid[3];
        skip = if facts.last {
            0
        } else if far {
            skip - 4
        } else {
            chosen.rest
        };
        starts = if far { 0 } else { chosen.starts };
        closes = cat(skip == 1, skip == 2, skip == 3, skip == 4);
        known = facts;
    }

    /// Stage 6: what the headers of a word say of its body.
    fn judge(&mut self) {
        let last = known.last;
        let has_word = valid[4];
        let starts_end = starts & known.end;
        let wrong_header = starts & known.wrong;
        let done_header = starts & known.done;
        let pads_header = starts & known.pads_later;
        let bad_octet = closes & known.second;
        let all_end = known.end;
        let delivers = starts & known.counts;
        let low_pair: Bits<3> = cat(delivers[0] ^ delivers[1], delivers[0] & delivers[1], false);
        let high_pair: Bits<3> = cat(delivers[2] ^ delivers[3], delivers[2] & delivers[3], false);
        word_judged = WordJudged {
            wrong: wrong_header.any() | (pads & bad_octet.any()) | (ended & !all_end.all()),
            done: (done_header.any() | (closes[3] & known.full)) & !known.odd,
            empty: starts_end[0],
            commands: low_pair + high_pair,
            last,
        };

        let pads_now = if starts.any() { pads_header.any() } else { pads };
        pads.enable = has_word;
        pads = !last & pads_now;
        ended.enable = has_word;
        ended = !last & (ended | starts_end.any());

        let shown = known.marks;
        let mark_0: Bits<3> = if starts[0] { shown[0..3] } else { MARK_NONE };
        let mark_1: Bits<3> = if starts[1] { shown[3..6] } else { MARK_NONE };
        let mark_2: Bits<3> = if starts[2] { shown[6..9] } else { MARK_NONE };
        let mark_3: Bits<3> = if starts[3] { shown[9..12] } else { MARK_NONE };
        marks = cat(mark_0, mark_1, mark_2, mark_3);
    }

    /// Stage 7: what its words say of a body.
    fn sum_up(&mut self) {
        let has_word = valid[5];
        let last = word_judged.last;
        let wrong_now = wrong | word_judged.wrong;
        let empty_now = if begins { word_judged.empty } else { empty };
        // The top bit says that there are too many to count; it stays.
        let count = commands[0..COUNT_BITS];
        let sum = bit_cast::<11, COUNT_BITS>(count) + bit_cast::<11, 3>(word_judged.commands);
        let total = sum.with(COUNT_BITS, sum[COUNT_BITS] | commands[COUNT_BITS]);
        begins.enable = has_word;
        begins = last;
        wrong.enable = has_word;
        wrong = !last & wrong_now;
        empty.enable = has_word;
        empty = empty_now;
        commands.enable = has_word;
        commands = if last { 0 } else { total };
        well_formed = word_judged.done & !wrong_now;
        was_empty = empty_now;
        counted = total;
        marks_out = marks;
        word_out = has_word;
        verdict_out = has_word & last;
    }

    /// The words themselves wait in a ring of block RAM.
    fn pass_on(&mut self) {
        let word = body.data;
        place_in = place_in + 1;
        place_out = place_out + 1;
        passing = In { write_clock: clock, write_enable: true, read_clock: clock, read_enable: true };
        passing = In { write_address: place_in, read_address: place_out, output_enable: true };
        passing.write_data = Passing { data: word.data, last: word.last, error: word.error, head };
        let passed = passing.read_data;
        marked.valid = word_out;
        marked.data =
            MarkedWord { data: passed.data, marks: marks_out, last: passed.last, error: passed.error };
        marked_head = passed.head;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_body_check",
    chapter: "50-sue",
    summary: "says whether a body is well formed, and where its commands begin",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("body", FlowSink), ("marked", FlowSource), ("verdicts", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "a word to the same word with marks");
    Ok(BuiltBlock::new(SueBodyCheck::new()?, interface))
}
