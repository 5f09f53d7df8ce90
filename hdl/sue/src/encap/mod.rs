//! `sue_encap`: puts the network header of the format in front of PDUs (chapter 50, 3.5, 3.6 and ESUN of section 0).
//!
//! All formats of register FMT, with tag, shim and second Ethertype, are in one table, [`flitforge_protocol::sue::header`]. From it
//! come the wires of the four lanes of a word, and a ROM that says for each header word which unit of 16 bits each lane takes.
//!
//! | what comes | what happens |
//! |---|---|
//! | the first word of a PDU | its head is taken, and gg; the header's words go, the first of them filled up in front, so that the PDU begins a word |
//! | words of the PDU | they follow |
//! | all words | are shifted by 0 to 3 units, so that nothing is in front of the header |
//! | `clear` | frames under way are lost; 11 clocks later the next PDU is taken |
//!
//! - `settings` hold still from the end of a clear on: what is fixed of a header is worked out in the 11 clocks after it.
//! - `head` and `generation` count when the first word of a PDU is offered; `head` holds still until its last word.
//! - `class` belongs to `frame` and holds still over a frame. `octets` counts with the first word of the frame, and holds until the next one's head is taken:
//!   that is after it, if the frame has more than 4 words.
//! - Padding is a part of the body: [`least_body_bytes`](flitforge_protocol::sue::header::HeaderShape::least_body_bytes) says how much.
//! - Latency: with a header of h words (its octets / 8, rounded up) the first octet of the PDU leaves h + 3 clocks after its first word
//!   is offered, and the last word 3 or 4 clocks after it is taken.
//! - Throughput: a PDU of p words takes p + h clocks, and its frame has p + h or p + h - 1 words. So there is no gap inside a frame if the PDU has
//!   none, and at most one clock between frames. The stream is registered in both directions.

mod lane;
mod plan;
mod values;

use crate::arbiter::OCTETS_BITS;
use crate::frame::{FrameWord, PduHead, WORD_BYTES};
use crate::network::{FormatChoice, NetworkSettings, WordShift, KIND_BITS, LANES, UNIT_BITS};
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use lane::HeaderLane;
use plan::{HeaderPlan, CHOICE_BITS, MEASURES, PLACE_BITS, ROM_BITS};
use values::HeaderValues;

/// Clocks from the first word of a PDU being offered to its first octet, beyond the words of the header.
pub const LATENCY: u32 = 3;
/// Clocks from a clear until a PDU is taken.
pub const SETUP: u32 = 11;

/// The last step after a clear.
const LAST_STEP: usize = SETUP as usize - 1;
/// Bits of an address of the ROM.
const ROM_ADDRESS: usize = KIND_BITS + PLACE_BITS;
/// The bit of a word of the ROM that marks the last word of a header.
const ENDS: usize = ROM_BITS - 1;
/// What shifts by a whole word.
const WHOLE: usize = LANES - 1;

/// What goes with a word on its way to the frame.
#[packed]
pub struct WordMarks {
    /// The first of its frame.
    first: Bit,
    /// The last of its PDU.
    last: Bit,
    /// With `last`: the frame is to be discarded.
    error: Bit,
    /// With `last`: octets of the word.
    bytes: Bits<4>,
}

/// Puts network headers in front of PDUs. See the [module](self).
#[block("sue_encap", new)]
pub struct SueEncap {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames under way and takes the settings anew.
    clear: In<Bit>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// gg, 0 without GEN_EN.
    generation: In<Bits<8>>,
    /// PDUs.
    pub pdu: StreamIn<FrameWord>,
    /// What the PDU is sent with, from its first word to its last.
    head: In<PduHead>,
    /// Frames without FCS.
    pub frame: StreamOut<FrameWord>,
    /// Class of the frame, from its first word to its last.
    class: Out<Bits<3>>,
    /// With the first word of the frame: its octets without FCS.
    octets: Out<Bits<OCTETS_BITS>>,

    #[wire(clock, settings)]
    choice: FormatChoice,
    #[wire(clock, clear, settings, generation, head, runs, step)]
    header_values: HeaderValues,
    /// Read only, but a RAM: a ROM would not get the output register of its block RAM.
    #[wire(write_clock = clock, read_clock = clock, write_enable = false)]
    rom: Ram<Bits<ROM_BITS>, ROM_ADDRESS>,
    #[wire(clock, values = header_values.values, moves = room)]
    lane: [HeaderLane; LANES],

    /// Clocks since a clear.
    step: Register<Bits<4>>,
    runs: Register<Bit>,
    /// Number of the last word of a header.
    last_place: Reg<Bits<PLACE_BITS>>,
    /// How far words are shifted.
    shift_by: Reg<Bits<2>>,
    /// Octets of a header, of the PDU that came last, and of its frame.
    #[wire(d = _)]
    header_octets: Reg<Bits<7>>,
    pdu_octets: Reg<Bits<13>>,
    #[wire(d = _)]
    frame_octets: Reg<Bits<OCTETS_BITS>>,
    /// Number of the header word that is read next, three before it goes.
    place: Register<Bits<PLACE_BITS>>,
    /// The header word that goes next.
    #[wire(clear = false)]
    next_word: Register<Bits<ROM_BITS>>,
    /// The next word to go is the first of its frame.
    #[init(true)]
    at_start: Register<Bit>,
    /// The header has gone, and words of the PDU go.
    in_body: Register<Bit>,

    /// The pipeline moves: there is room for what comes out of it. A copy of `!spare_valid`.
    #[init(true)]
    room: Register<Bit>,
    taken_valid: Register<Bit>,
    taken: Register<WordMarks>,
    body: Register<Bits<64>>,
    word_valid: Register<Bit>,
    word_marks: Register<WordMarks>,
    word: Register<Bits<64>>,
    word_class: Register<Bits<3>>,
    before: Register<Bits<64>>,
    before_class: Register<Bits<3>>,
    shift: WordShift,
    /// A rest of the frame before is left in `before`.
    rest: Register<Bit>,
    rest_bytes: Register<Bits<4>>,
    rest_error: Register<Bit>,
    formed_valid: Register<Bit>,
    formed: Register<FrameWord>,
    formed_class: Register<Bits<3>>,
    spare_valid: Register<Bit>,
    spare: Register<FrameWord>,
    spare_class: Register<Bits<3>>,
}

#[logic]
impl SueEncap {
    /// A sender's side for all formats.
    pub fn new() -> Result<Self, ConfigError> {
        let plan = HeaderPlan::new()?;
        let lane = |lane: usize| HeaderLane::new(&plan, lane);
        let lane = [lane(0)?, lane(1)?, lane(2)?, lane(3)?];
        let rom = Ram::new(RamConfig {
            depth: 1 << ROM_ADDRESS,
            style: MemoryStyle::Block,
            output_register: true,
            initial: plan.rom.iter().map(|word| (*word).into()).collect(),
        })?;
        Ok(Self { lane, rom, .. })
    }

    fn update(&mut self) {
        // A word goes: of the header first, then of the PDU, which is there all the time.
        let goes = room & runs & pdu.valid;
        let takes_header = goes & !in_body;
        let takes_body = goes & in_body;
        pdu.ready = room & in_body & !clear;
        let pdu_word = pdu.data;
        let ends = takes_body & pdu_word.last;
        let begins = takes_header & at_start;
        header_values.begins = begins;
        self.measure(begins);
        at_start.enable = goes;
        at_start = ends;
        in_body.enable = goes;
        in_body = if in_body { !pdu_word.last } else { next_word[ENDS] };
        self.read_headers(takes_header);

        taken_valid.enable = room;
        taken_valid = goes;
        taken.enable = room;
        taken = WordMarks { first: at_start, last: ends, error: pdu_word.error, bytes: pdu_word.bytes };
        body.enable = room;
        body = if takes_body { pdu_word.data } else { 0 };

        let mut merged: Bits<64> = body;
        for i in 0..LANES {
            lane[i].takes = takes_header;
            lane[i].choice = next_word.bits::<CHOICE_BITS>(CHOICE_BITS * i);
            merged = merged | bit_cast::<64, UNIT_BITS>(lane[i].unit) << (UNIT_BITS * i);
        }
        word_valid.enable = room;
        word_valid = taken_valid;
        word_marks.enable = room;
        word_marks = taken;
        word.enable = room;
        word = merged;
        word_class.enable = room;
        word_class = header_values.class;

        self.form();
        self.hand_over();
    }

    /// Octets of the frame. Its first word leaves two clocks after its head is taken or later; that of the frame before has left, unless it fits into
    /// the pipeline, as no frame of a network does.
    fn measure(&mut self, begins: Bit) {
        let places: Bits<PLACE_BITS> = last_place + 1;
        let missing: Bits<2> = shift_by + 1;
        header_octets = bit_cast::<7, { PLACE_BITS + 3 }>(cat(bits::<3>(0), places))
            - bit_cast::<7, 3>(cat(bits::<1>(0), missing));
        if begins {
            pdu_octets = head.bytes;
        }
        frame_octets = bit_cast::<OCTETS_BITS, 13>(pdu_octets) + bit_cast::<OCTETS_BITS, 7>(header_octets);
        octets = frame_octets;
    }

    /// Reads the ROM ahead of the header words; after a clear its word of measures first.
    fn read_headers(&mut self, takes_header: Bit) {
        let at_end = step == LAST_STEP;
        step.enable = !at_end;
        step = step + 1;
        runs = runs | at_end;
        header_values.ethertype = choice.ethertype;

        let primes = step[3] & !runs;
        let advances = takes_header | primes;
        let reads = advances | !step[3];
        let number = if step[3] { place } else { MEASURES };
        rom = In { read_enable: reads, output_enable: reads, read_address: cat(number, choice.kind) };
        rom = In { write_address: bits::<ROM_ADDRESS>(0), write_data: bits::<ROM_BITS>(0) };
        let read = rom.read_data;
        if !step[3] {
            last_place = read[0..PLACE_BITS];
            shift_by = read.bits::<2>(PLACE_BITS);
        }
        place.enable = advances;
        place = if place == last_place { 0 } else { place + 1 };
        next_word.enable = advances;
        next_word = read;
    }

    /// Words of the frame out of those of header and PDU, shifted.
    fn form(&mut self) {
        before.clear = false;
        before.enable = room & word_valid;
        before = word;
        before_class.enable = room & word_valid;
        before_class = word_class;
        shift = In { before, now: word, by: shift_by, bytes: word_marks.bytes };

        let is_whole = shift_by == WHOLE;
        rest.enable = room;
        rest = word_valid & word_marks.last & shift.spills;
        rest_bytes.enable = room;
        rest_bytes = shift.left;
        rest_error.enable = room;
        rest_error = word_marks.error;

        formed_valid.enable = room;
        formed_valid = rest | (word_valid & (is_whole | !word_marks.first));
        formed.enable = room;
        let is_last = word_marks.last & !shift.spills;
        let bytes = if is_last { shift.left } else { WORD_BYTES };
        formed = FrameWord { data: shift.shifted, bytes, last: is_last, error: word_marks.error };
        formed_class.enable = room;
        formed_class = word_class;
        if rest {
            formed.bytes = rest_bytes;
            formed.last = true;
            formed.error = rest_error;
            formed_class = before_class;
        }
    }

    /// `formed` leaves, or waits in `spare`.
    fn hand_over(&mut self) {
        spare.enable = room;
        spare = formed;
        spare_class.enable = room;
        spare_class = formed_class;
        let offers = formed_valid | spare_valid;
        let keeps = offers & !frame.ready;
        spare_valid = keeps;
        room = !keeps;
        frame.valid = offers;
        frame.data = if spare_valid { spare } else { formed };
        class = if spare_valid { spare_class } else { formed_class };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_encap",
    chapter: "50-sue",
    summary: "network headers in front of PDUs, six formats",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let _ = settings;
    let streams = [("pdu", StreamSink), ("frame", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, None, "words of the header and 3: see the module");
    Ok(BuiltBlock::new(SueEncap::new()?, interface))
}
