//! `eth_mac_rx`: columns of XGMII with 64 bits to frames (chapter 50, 3.7, 4.7 and 0).
//!
//! - `rxd` has octet 0 in bits 7:0 and comes first; bit i of `rxc` says that octet i is a control character. Frames begin in octet 0 or 4.
//! - `frames` are frames without preamble and FCS. Their words go on at once, with gaps; `preamble` holds from the first word to the last.
//! - `verdicts` says of each frame whose words went out, in order and after its last word, what is wrong with it; `octets` beside it how long it was, with FCS.
//!   `error` with the last word says what is known by then: all of it but FCS and length below MINF.
//! - A column is two halves of four octets. Ordered sets are two halves that begin with their start character; they are taken out
//!   wherever they stand, inside frames too, and go to `control`, whatever they say.
//!
//! | what comes | what it does |
//! |---|---|
//! | end character | the frame ends; the last four octets are its FCS |
//! | start character, another control character, half an ordered set inside a frame | the frame ends with `error`, verdict `code`; the four octets around it are lost. A start begins the next frame |
//! | anything but the end after 9,216 octets | the frame ends with `error`, verdict `long` |
//! | neither of the two preambles | the frame ends with `error`, verdict `code` |
//! | 0 to 4 octets between preamble and end, up to 7 octets without an end, a preamble that breaks off | no words and no verdict, only `fragment` |
//! | a start in octet 0 right after an end in octets 5 to 7 | that frame is not taken, `fragment` |
//! | anything else between frames | nothing |
//!
//! Latency, counted from the column with the end: 2 clocks to the last word, 3 if the end is further than four octets from the word before; 6 to the
//! verdict, 7 if the column has octets of two words. 3 clocks from a column to its word, if the next column follows.
//!
//! | clock | words | FCS |
//! |---|---|---|
//! | 1 | what the halves are | |
//! | 2 | eight octets of the frame together, zeros beyond its end; the word before goes out | |
//! | 3 | | sums of 16 bits; which preamble |
//! | 4 | | register |
//! | 5 | | compared, four bits at a time |
//! | 6 | | verdict |
//!
//! Throughput: a column per clock. The register of the FCS takes the preamble as a first word, so that LLR_FCS_SEQ costs nothing: what its first four octets
//! add is known. `clear` forgets everything; what comes next counts from its start character on.

mod half;
mod settings;

pub use half::*;
pub use settings::*;

use crate::crc_bytes::plan::{register_after, BytesPlan, WIDTH};
use crate::crc_bytes::short::ShortCrcRegister;
use crate::frame::{FramePreamble, FrameVerdict, FrameWord};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay};
use flitforge_protocol::sue::crc::ByteCrc;
use flitforge_protocol::sue::link_control::{
    FRAME_END, FRAME_START, LLR_MARK, ORDERED_SET_START, PREAMBLE_FILL, STANDARD_PREAMBLE,
};
use flitforge_protocol::sue::MAX_FRAME_BYTES;

/// Clocks from a column to the word before it.
pub const LATENCY: u32 = 2;
/// Octets of a half.
const HALF: usize = 4;
/// Most words of a frame with FCS.
const MAX_WORDS: usize = MAX_FRAME_BYTES / 8;
/// The standard preamble, octet 0 in bits 7:0.
const STANDARD: u64 = STANDARD_PREAMBLE.swap_bytes();
/// The first four octets of the preamble of a numbered frame, octet 0 in bits 7:0.
const NUMBERED: u64 = (FRAME_START | PREAMBLE_FILL << 8 | LLR_MARK << 24) & 0xFFFF_FFFF;

/// Columns to frames. See the [module](self).
#[block("eth_mac_rx", new)]
pub struct EthMacRx {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Octets of a column, octet 0 in bits 7:0.
    rxd: In<Bits<64>>,
    /// Which of them are control characters.
    rxc: In<Bits<8>>,
    /// What the registers say.
    pub settings: MacReceiveSettings,
    /// Frames without preamble and FCS.
    pub frames: FlowOut<FrameWord>,
    /// Preamble of the frame; it holds from the first word to the last.
    preamble: Out<FramePreamble>,
    /// What is found of each frame, after its last word.
    pub verdicts: FlowOut<FrameVerdict>,
    /// With a verdict: octets of the frame with FCS.
    octets: Out<Bits<14>>,
    /// A frame too short to have words.
    fragment: Out<Bit>,
    /// Ordered sets, octet 0 in bits 7:0.
    pub control: FlowOut<Bits<64>>,

    /// Clock 1.
    #[wire(d = _)]
    column: Reg<Bits<64>>,
    #[wire(d = _)]
    low: Reg<Half>,
    #[wire(d = _)]
    high: Reg<Half>,

    /// Clock 2.
    place: Register<Place>,
    pending: Reg<Bits<32>>,
    #[wire(d = _)]
    before: Reg<Bits<32>>,
    word: Reg<Bits<64>>,
    fresh: Register<Bit>,
    is_preamble: Register<Bit>,
    held: Register<Bit>,
    is_last: Register<Bit>,
    last_bytes: Reg<Bits<4>>,
    last_error: Reg<Bit>,
    formed: Reg<Bits<11>>,
    nearly_full: Register<Bit>,
    missing: Reg<Bits<3>>,
    closing: Reg<Closing>,
    done: Register<Bit>,
    done_after_tail: Register<Bit>,
    out_valid: Register<Bit>,
    #[wire(d = _)]
    out_word: Reg<FrameWord>,
    set_valid: Register<Bit>,
    #[wire(d = _)]
    set: Reg<Bits<64>>,
    was_fragment: Register<Bit>,

    /// Clock 3.
    numbered: Reg<Bit>,
    sequence: Reg<Bits<20>>,
    wrong_preamble: Reg<Bit>,
    #[wire(d = _)]
    covers: Reg<Bit>,
    summed: Register<Bit>,
    summed_first: Register<Bit>,
    #[wire(d = _)]
    missing_at_state: Reg<Bits<3>>,
    #[wire(d = _)]
    counted: Reg<Judgement>,
    /// Octets of the shortest frame.
    #[wire(d = _)]
    least: Reg<Bits<7>>,

    /// Clocks 4 to 6.
    #[wire(clock)]
    register: ShortCrcRegister,
    #[wire(d = _)]
    wanted: Reg<Bits<WIDTH>>,
    #[wire(d = _)]
    judged: Reg<Judgement>,
    #[wire(clock)]
    judged_at_end: Delay<Judgement>,
    #[wire(d = _)]
    different: Reg<Bits<8>>,
    #[wire(d = _)]
    not_zero: Reg<Bits<8>>,
    #[wire(clock, clear)]
    done_at_end: ClearedDelay<Bit>,
    verdict_valid: Register<Bit>,
    #[wire(d = _)]
    verdict: Reg<FrameVerdict>,
    #[wire(d = _)]
    verdict_octets: Reg<Bits<14>>,
    good_state: [Constant<Bits<WIDTH>>; 8],
    plain_start: Constant<Bits<WIDTH>>,
    numbered_start: Constant<Bits<WIDTH>>,
}

#[logic]
impl EthMacRx {
    /// A MAC that has received nothing.
    pub fn new() -> Result<Self, ConfigError> {
        let plan = BytesPlan::new(ByteCrc::Ethernet, 64)?;
        let constant = |value: u32| Constant::new(Bits::from(LiteralType::from(value)));
        // What the first four octets of the preamble add goes away again.
        let start = register_after(ByteCrc::Ethernet, ByteCrc::INITIAL, &[0; HALF]);
        let first_half = register_after(ByteCrc::Ethernet, 0, &NUMBERED.to_le_bytes());
        Ok(Self {
            register: ShortCrcRegister::new(&plan)?,
            judged_at_end: Delay::new(1)?,
            done_at_end: ClearedDelay::new(3)?,
            good_state: std::array::from_fn(|zeros| constant(plan.good[zeros])),
            plain_start: constant(plan.state(ByteCrc::INITIAL)),
            numbered_start: constant(plan.state(start ^ first_half)),
            ..
        })
    }

    fn update(&mut self) {
        column = cat(Self::keep(rxd[0..32], rxc[0..4]), Self::keep(rxd[32..64], rxc[4..8]));
        low = Self::classify(rxd[0..32], rxc[0..4]);
        high = Self::classify(rxd[32..64], rxc[4..8]);

        let turn = Self::decide(low, high, place);
        let loads_frame = turn.rest | turn.forms;
        place = Self::follow(low, high, place, turn, nearly_full & loads_frame);
        self.gather(turn, loads_frame);
        self.close(turn);
        self.give(turn, loads_frame);
        self.take_set(turn);
        self.read_preamble();
        self.judge();
    }

    /// What four octets are.
    fn classify(octets: Bits<32>, control: Bits<4>) -> Half {
        let alone = control == 1;
        let octet_0 = octets[0..8];
        let octet_1 = octets[8..16];
        let octet_2 = octets[16..24];
        let octet_3 = octets[24..32];
        let start = alone & (octet_0 == FRAME_START);
        let data_1 = !control[0];
        let data_2 = data_1 & !control[1];
        let data_3 = data_2 & !control[2];
        let data = data_3 & !control[3];
        let end_0 = control[0] & (octet_0 == FRAME_END);
        let end_1 = data_1 & control[1] & (octet_1 == FRAME_END);
        let end_2 = data_2 & control[2] & (octet_2 == FRAME_END);
        let end_3 = data_3 & control[3] & (octet_3 == FRAME_END);
        Half {
            data,
            start,
            set: alone & (octet_0 == ORDERED_SET_START),
            ends: end_0 | end_1 | end_2 | end_3,
            count: cat(end_1 | end_3, end_2 | end_3),
            some: end_1 | end_2 | end_3,
        }
    }

    /// Four octets with zeros from an end on. A half in which something begins is kept whole.
    fn keep(octets: Bits<32>, control: Bits<4>) -> Bits<32> {
        let first = octets[0..8];
        let begins = (control == 1) & !(first == FRAME_END);
        let data_1 = !control[0];
        let data_2 = data_1 & !control[1];
        let data_3 = data_2 & !control[2];
        let data = data_3 & !control[3];
        let none: Bits<8> = bits::<8>(0);
        let octet_0 = if data_1 | begins { octets[0..8] } else { none };
        let octet_1 = if data_2 | begins { octets[8..16] } else { none };
        let octet_2 = if data_3 | begins { octets[16..24] } else { none };
        let octet_3 = if data | begins { octets[24..32] } else { none };
        cat(octet_0, octet_1, octet_2, octet_3)
    }

    /// What a column does at this place.
    fn decide(low: Half, high: Half, place: Place) -> Turn {
        let in_frame = place.inside & !place.in_preamble;
        let starts_low = low.start & !place.too_soon;
        let sets_low = low.set & !place.in_set & !place.in_preamble;

        // The frame goes on if both halves may stand in it.
        let low_fits = low.data & (place.in_set | !place.full);
        let high_fits = (high.data & !place.full) | high.set;
        let stays = place.inside & ((low_fits & high_fits) | (sets_low & high.data));
        let breaks = starts_low & !high.data;
        let closes = (place.inside & !stays) | breaks;
        let clean_low = in_frame & !place.in_set & low.ends;
        let clean_high = place.inside & low_fits & high.ends;
        let clean = clean_low | clean_high;

        // Octets after the word that is held: four that wait, four of the lower half, and those before the end.
        let low_kept = low.data & !place.in_set;
        let either = place.pending | low_kept;
        let both = place.pending & low_kept;
        let count = if low.ends { low.count } else { high.count };
        let some = if low.ends { low.some } else { high.some };
        let rest = in_frame & !stays & !place.full & (both | (clean & either & some));
        let tail = clean_high & high.some & (place.pending ^ place.in_set);
        let two = if high.data { place.pending | !place.in_set } else { high.set & both };
        let forms = in_frame & low.data & !place.full & two;
        let preamble_there = (place.inside & place.in_preamble & low.data) | (starts_low & high.data);
        Turn {
            stays,
            closes,
            clean,
            rest,
            tail,
            forms,
            preamble: preamble_there,
            sums: preamble_there | forms | (clean & (either | (some & !tail))) | place.tail,
            set: (sets_low & high.data) | (place.in_set & low.data),
            ends_late: clean_high & high.some,
            lost: breaks | (low.start & place.too_soon),
            either,
            both,
            some,
            count,
        }
    }

    /// The place after a column. Outside frames it does not matter whether octets wait.
    fn follow(low: Half, high: Half, place: Place, turn: Turn, fills: Bit) -> Place {
        let starts_low = low.start & !place.too_soon;
        let sets_low = low.set & !place.in_set & !place.in_preamble;
        let odd = place.pending ^ (low.data & !place.in_set) ^ (high.data & !low.set);
        Place {
            inside: high.start | (starts_low & high.data) | turn.stays,
            in_preamble: high.start,
            in_set: high.set & !sets_low & !starts_low,
            pending: high.start | turn.tail | (odd & !low.start),
            tail: turn.tail,
            too_soon: turn.ends_late,
            full: (fills | place.full) & !turn.closes,
        }
    }

    /// Clock 2: eight octets together.
    fn gather(&mut self, turn: Turn, loads_frame: Bit) {
        let low_octets = column[0..32];
        let high_octets = column[32..64];
        let pending_first = place.pending & (!low.start | place.tail);
        let first_part = if pending_first { pending } else { low_octets };
        let low_second = place.pending & !place.in_set & !low.start;
        let nothing = place.tail | (low.ends & !place.pending);
        let second_part = if nothing {
            0
        } else if low_second {
            low_octets
        } else {
            high_octets
        };
        before = high_octets;

        // Four octets wait for four more. Only ordered sets keep them waiting: what else comes is put to use or does not count, so few signals decide,
        // for the way to all bits is long.
        let waits_on = (low.set | (high.set & place.pending)) & !high.start;
        if !waits_on {
            pending = if high.set { low_octets } else { high_octets };
        }
        let half_set = place.in_set & !low.start & (!place.pending | high.set);
        let set_follows = low.data & high.set & !place.pending;
        if place.tail | !(low.set | half_set | set_follows) {
            word = cat(first_part, second_part);
        }

        // What the FCS runs over: also octets of the last word that are FCS themselves.
        fresh = turn.sums;
        is_preamble = turn.preamble;
        if turn.closes {
            let last_count = turn.count;
            missing = Self::missing_of(last_count, turn.either & !turn.both);
        }
        if loads_frame {
            formed = formed + 1;
        }
        if turn.preamble {
            formed = 0;
        }
        let becomes_nearly_full = loads_frame & (formed == MAX_WORDS - 2);
        nearly_full = !turn.closes & (becomes_nearly_full | (nearly_full & !loads_frame));
    }

    /// Octets that a word lacks which has `count` octets, and four more if `four`.
    fn missing_of(count: Bits<2>, four: Bit) -> Bits<3> {
        cat(count[0], count[1] ^ count[0], four ^ (count[0] | count[1]))
    }

    /// The end of a frame.
    fn close(&mut self, turn: Turn) {
        let open = held & !is_last;
        let more_octets = !turn.clean | turn.either | turn.some;
        let too_long = (place.full & more_octets) | (nearly_full & turn.tail & turn.both);
        let has_words = turn.closes & (open | turn.rest);
        done = (has_words & !turn.tail) | done_after_tail;
        done_after_tail = has_words & turn.tail;
        was_fragment = (turn.closes & !open & !turn.rest) | turn.lost;
        if turn.closes {
            let more: Bits<4> = cat(turn.count, turn.either & !turn.both, turn.both);
            closing = Closing { code: !turn.clean & !place.full, long: too_long, words: formed, more };
        }

        is_last = turn.rest;
        last_bytes = if turn.clean { cat(turn.count, turn.both, false) } else { 8 };
        last_error = !turn.clean | too_long;
        fragment = was_fragment;
    }

    /// The word that was held goes out once it is known whether it is the last.
    fn give(&mut self, turn: Turn, loads_frame: Bit) {
        let open = held & !is_last;
        let goes = is_last | (open & (turn.closes | loads_frame));
        held = loads_frame | (held & !goes);
        let ends_here = open & turn.closes & !turn.rest;
        let clean_here = turn.clean & !(place.full & (turn.either | turn.some));
        let clean_bytes: Bits<4> = cat(turn.count, !turn.either, turn.either);
        let bytes = if is_last {
            last_bytes
        } else if ends_here & clean_here {
            clean_bytes
        } else {
            8
        };
        let error = (is_last & last_error) | (ends_here & !clean_here);
        let last = is_last | ends_here;
        out_word = FrameWord { data: word, bytes, last, error: error | (last & wrong_preamble) };
        out_valid = goes;
        frames = In { data: out_word, valid: out_valid };
    }

    fn take_set(&mut self, turn: Turn) {
        let low_octets = column[0..32];
        set = if place.in_set { cat(before, low_octets) } else { column };
        set_valid = turn.set;
        control = In { data: set, valid: set_valid };
    }

    /// Clock 3: which preamble it was.
    fn read_preamble(&mut self) {
        let is_standard = word == STANDARD;
        let is_numbered = (word[0..32] == NUMBERED) & (word[36..40] == 0);
        if is_preamble {
            numbered = is_numbered;
            wrong_preamble = !is_standard & !is_numbered;
            sequence = cat(word[48..56], word[40..48], word[32..36]);
        }
        preamble = FramePreamble { numbered, sequence };
        covers = is_numbered & settings.fcs_over_sequence;
        summed = fresh;
        summed_first = is_preamble;
    }

    /// Clocks 3 to 6: FCS and length.
    fn judge(&mut self) {
        register = In { word, counts: summed, first: summed_first, replaces: !covers };
        register.start = if covers { numbered_start } else { plain_start };
        missing_at_state = missing;
        let lacks = missing_at_state;
        wanted = good_state[0];
        for i in 1..8 {
            if lacks == i {
                wanted = good_state[i];
            }
        }
        let state = register.state;
        let wrong_bits = state ^ wanted;
        let mut wrong_parts: Bits<8> = 0;
        let mut set_parts: Bits<8> = 0;
        for i in 0..8 {
            let wrong_part = wrong_bits.bits::<4>(4 * i);
            let set_part = state.bits::<4>(4 * i);
            wrong_parts = wrong_parts.with(i, wrong_part.any());
            set_parts = set_parts.with(i, set_part.any());
        }
        different = wrong_parts;
        not_zero = set_parts;

        let words = closing.words;
        let code = closing.code | wrong_preamble;
        let length = cat(bits::<3>(0), words) + bit_cast::<14, 4>(closing.more);
        counted = Judgement { code, long: closing.long, runt: false, octets: length };
        least = bit_cast::<7, 6>(settings.minimum) + HALF;
        let found = counted.octets;
        let above = found[7..14];
        let is_short = !above.any() & (found[0..7] < least);
        judged = Judgement { runt: is_short, ..counted };
        judged_at_end.d = judged;
        let last = judged_at_end.q;

        done_at_end.d = done;
        verdict_valid = done_at_end.q;
        let broken = last.code | last.long;
        let inverted = !broken & !not_zero.any();
        let wrong = !broken & different.any() & not_zero.any();
        let runt = !broken & last.runt;
        verdict = FrameVerdict {
            good: !broken & !different.any() & !last.runt,
            fcs: wrong,
            runt,
            long: last.long,
            code: last.code & !last.long,
            poisoned: inverted,
        };
        verdict_octets = last.octets;
        verdicts = In { data: verdict, valid: verdict_valid };
        octets = verdict_octets;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_mac_rx",
    chapter: "50-sue",
    summary: "XGMII with 64 bits to frames, their verdicts and ordered sets",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("frames", FlowSource), ("verdicts", FlowSource), ("control", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "column to the word before it");
    Ok(BuiltBlock::new(EthMacRx::new()?, interface))
}
