//! `eth_mac_tx`: frames to columns of XGMII with 64 bits (chapter 50, 3.7, 4.7 and 0).
//!
//! - `txd` has octet 0 in bits 7:0 and goes first; bit i of `txc` says that octet i is a control character. Start characters stand in octet 0 only.
//! - `frames` are frames without FCS, `preamble` holds from the first word of its frame to the last. A frame that is shorter than MINF is padded with zeros.
//! - Inside a frame there must be a word in every clock with `frames.ready`. If one is missing, the frame breaks off with an error character,
//!   `underrun` tells it, and the words up to the frame's last one are dropped.
//! - `error` with the last word: the frame is poisoned, its FCS is inverted.
//! - With LLR_FCS_SEQ the FCS of a numbered frame runs over sequence number and flags first. The register after these four octets is an affine function
//!   of the number, so it is looked up beside the first word and costs no clock.
//!
//! | between | what goes |
//! |---|---|
//! | frames | IPG octets on the average, the end character included, at least 8. What a frame has less than IPG, because the next starts in octet 0, the next gaps have more: the deficit is 0 to 7 |
//! | frames | an ordered set at any time, in a column of its own that does not count as gap; after one a frame that waits goes first |
//! | words of a frame | an ordered set, if CTL_IN_FRAME is set, after 2,048 octets of the frame and 400 octets after the last set in it |
//!
//! Latency from a word to its column 7 clocks, so 6 from the first word to the preamble:
//!
//! | clock | data | FCS |
//! |---|---|---|
//! | 1 | taken, zeros beyond the end | |
//! | 2 | preamble in the place of an idle column | sums of 16 bits |
//! | 3 | | register |
//! | 4 | | back over 4 and 2 octets |
//! | 5 | | back over 1 octet; sums of four bits of the state |
//! | 6 | control characters | FCS |
//! | 7 | FCS turned into its place | |
//!
//! Throughput: a word per clock inside a frame. `sent` tells each whole frame and its octets, FCS included. `clear` makes the line idle at once and
//! forgets everything.

mod column;
mod sequence;
mod settings;

pub use column::*;
pub use settings::*;

use crate::crc_bytes::plan::{BytesPlan, EXIT_SUMS, WIDTH};
use crate::crc_bytes::short::ShortCrcRegister;
use crate::frame::{FramePreamble, FrameWord, WORD_BYTES};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{Delay, XorMatrix};
use flitforge_protocol::sue::crc::ByteCrc;
use flitforge_protocol::sue::link_control::{
    ERROR, FRAME_END, FRAME_START, IDLE, LEAST_GAP, LLR_MARK, PREAMBLE_FILL, SET_IN_FRAME_AFTER,
    SET_IN_FRAME_SPACING, STANDARD_PREAMBLE,
};

/// Clocks from a word to its column.
pub const LATENCY: u32 = 7;
/// Octets of a column.
const OCTETS: usize = WORD_BYTES;
/// Words of a frame before the first ordered set inside.
const WORDS_BEFORE_SET: usize = SET_IN_FRAME_AFTER / OCTETS;
/// Words between two of them.
const WORDS_BETWEEN_SETS: usize = SET_IN_FRAME_SPACING / OCTETS;
/// The standard preamble, octet 0 in bits 7:0.
const STANDARD: u64 = STANDARD_PREAMBLE.swap_bytes();
/// All octets of a column are of the frame.
const ALL: u64 = 15;

/// Frames to columns. See the [module](self).
#[block("eth_mac_tx", new)]
pub struct EthMacTx {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything; the line is idle.
    clear: In<Bit>,
    /// Frames without FCS.
    pub frames: StreamIn<FrameWord>,
    /// Preamble of the frame; it holds from the first word to the last.
    preamble: In<FramePreamble>,
    /// Ordered sets, octet 0 in bits 7:0.
    pub control: StreamIn<Bits<64>>,
    /// What the registers say.
    pub settings: MacTransmitSettings,
    /// Octets of a column, octet 0 in bits 7:0.
    txd: Out<Bits<64>>,
    /// Which of them are control characters.
    txc: Out<Bits<8>>,
    /// A frame was sent: its octets with padding and FCS.
    pub sent: FlowOut<Bits<14>>,
    /// A frame broke off.
    underrun: Out<Bit>,

    /// What the sender does, one of these: it counts the idle columns that are owed,
    #[init(true)]
    waits: Register<Bit>,
    /// takes the first word of a frame: the column before may become a preamble,
    opens: Register<Bit>,
    /// takes words of a frame,
    inside: Register<Bit>,
    /// pads a short frame with zeros,
    pads: Register<Bit>,
    /// ends a frame: the rest of the FCS, and how long the gap is,
    ends: Register<Bit>,
    /// or drops what is left of a frame that has broken off.
    drains: Register<Bit>,
    /// Idle columns until a frame may begin, and whether it is one more.
    #[init(2)]
    gap_left: Register<Bits<4>>,
    gap_more: Register<Bit>,
    /// Octets that the gaps so far lack.
    deficit: Register<Bits<3>>,
    /// A longer gap has made up for them.
    repaid: Register<Bit>,
    /// IPG beyond the least gap.
    #[wire(d = _)]
    gap_over: Reg<Bits<6>>,
    /// The same and the deficit, and in columns and octets, a clock later.
    #[wire(d = _)]
    gap_due: Reg<Bits<7>>,
    #[wire(d = _)]
    gap_columns: Reg<Bits<4>>,
    #[wire(d = _)]
    gap_columns_more: Reg<Bits<4>>,
    #[wire(d = _)]
    gap_octets: Reg<Bits<3>>,
    /// An ordered set waits.
    waiting: Register<Bit>,
    set: Reg<Bits<64>>,
    /// It may go between frames; inside.
    goes_between: Register<Bit>,
    goes_inside: Register<Bit>,
    /// A frame that waited has the next turn.
    owed: Reg<Bit>,
    /// Words until an ordered set may go inside the frame.
    until_set: Reg<Bits<9>>,
    may_insert: Register<Bit>,
    /// Word that the shortest frame ends in, and its octets there.
    #[wire(d = _)]
    least_words: Reg<Bits<3>>,
    #[wire(d = _)]
    least_bytes: Reg<Bits<4>>,
    /// Words from the next one to that one, unless it is `past`.
    to_least: Reg<Bits<3>>,
    past: Reg<Bit>,

    /// Clock 1.
    column: Register<Column>,
    #[wire(d = _)]
    octets: [Reg<Bits<8>>; OCTETS],
    bytes: Reg<Bits<4>>,
    poisons: Reg<Bit>,
    words: Reg<Bits<11>>,
    counts: Register<Bit>,
    first: Register<Bit>,
    #[wire(d = _)]
    numbers: Reg<Bits<{ sequence::INPUTS }>>,
    underran: Register<Bit>,

    /// Clock 2.
    second_column: Register<Column>,
    #[wire(d = _)]
    second_data: Reg<Bits<64>>,
    second_counts: Register<Bit>,
    second_first: Register<Bit>,
    start_of: XorMatrix<{ sequence::INPUTS }, WIDTH>,
    #[wire(d = _)]
    start: Reg<Bits<WIDTH>>,
    sent_frame: Register<Bit>,
    #[wire(d = _)]
    sent_octets: Reg<Bits<14>>,

    /// Clocks 2 to 6.
    #[wire(d = _)]
    bytes_after: [Reg<Bits<4>>; 5],
    #[wire(clock)]
    poisons_at_fcs: Delay<Bit>,
    #[wire(clock)]
    data_at_lanes: Delay<Bits<64>>,
    extent: Register<Extent>,
    lanes: Register<Lanes>,
    late_lanes: Register<Lanes>,
    #[init(IDLE)]
    marked: [Register<Bits<8>>; OCTETS],
    fcs_lanes: Register<Bits<8>>,
    #[init(255)]
    control_lanes: Register<Bits<8>>,

    #[wire(clock)]
    register: ShortCrcRegister,
    back: Vec<XorMatrix<WIDTH, WIDTH>>,
    #[wire(d = _)]
    missing: Reg<Bits<3>>,
    #[wire(d = _)]
    missing_one: Reg<Bit>,
    #[wire(d = _)]
    run_back: Reg<Bits<WIDTH>>,
    exit_groups: XorMatrix<WIDTH, EXIT_SUMS>,
    #[wire(d = _)]
    exit_sum: Reg<Bits<EXIT_SUMS>>,
    exit: XorMatrix<EXIT_SUMS, WIDTH>,
    #[wire(d = _)]
    fcs: Reg<Bits<WIDTH>>,
    first_addend: Constant<Bits<WIDTH>>,
    final_xor: Constant<Bits<WIDTH>>,

    /// Clock 7.
    #[init(IDLE)]
    out_octets: [Register<Bits<8>>; OCTETS],
    #[init(255)]
    out_control: Register<Bits<8>>,
}

#[logic]
impl EthMacTx {
    /// A MAC whose line is idle.
    pub fn new() -> Result<Self, ConfigError> {
        let plan = BytesPlan::new(ByteCrc::Ethernet, 64)?;
        let constant = |value: u32| Constant::new(Bits::from(LiteralType::from(value)));
        Ok(Self {
            start_of: XorMatrix::new(sequence::rows(&plan))?,
            poisons_at_fcs: Delay::new(4)?,
            data_at_lanes: Delay::new(3)?,
            register: ShortCrcRegister::new(&plan)?,
            back: plan.back.iter().cloned().map(XorMatrix::new).collect::<Result<_, _>>()?,
            exit_groups: XorMatrix::new(plan.exit_groups.clone())?,
            exit: XorMatrix::new(plan.exit.clone())?,
            first_addend: constant(plan.first),
            final_xor: constant(ByteCrc::FINAL_XOR),
            ..
        })
    }

    fn update(&mut self) {
        let word = frames.data;
        let (taken, begins, lacks, sets) = self.choose();
        let (short, at_least) = self.follow_length(taken);
        self.follow_phase(word, taken, lacks, sets, short, at_least);
        self.follow_gap(sets, begins);
        self.count_words_to_sets(taken, sets);
        self.hold_set(sets, begins);

        self.take(word, taken, begins, sets, at_least);
        self.name_column(word, taken, sets, short, at_least, lacks);
        let whole = self.whole_word();
        self.put_preamble(whole, begins);
        self.tell(begins, taken, lacks);
        self.sum_up(whole);
        self.lay_out();
        self.send();
    }

    /// Whether a word is taken, is the first, or is missing, and whether an ordered set goes.
    fn choose(&mut self) -> (Bit, Bit, Bit, Bit) {
        let asks_inside = inside & !goes_inside;
        let asks_first = opens & !goes_between;
        frames.ready = !clear & (asks_first | asks_inside | drains);
        let begins = asks_first & frames.valid;
        let lacks = asks_inside & !frames.valid;
        let taken = (asks_first | asks_inside) & frames.valid;
        let sets = if inside { goes_inside } else { goes_between & !pads & !ends };
        (taken, begins, lacks, sets)
    }

    /// Whether the frame would be too short if it ended before this word, or ends here at the least.
    fn follow_length(&mut self, taken: Bit) -> (Bit, Bit) {
        let minimum_less = settings.minimum - 1;
        let in_last = minimum_less[0..3];
        least_words = minimum_less[3..6];
        least_bytes = bit_cast::<4, 3>(in_last) + 1;
        let short = !past & to_least.any();
        let at_least = !past & !to_least.any();
        if taken | pads {
            past = past | at_least;
            to_least = to_least - 1;
        } else if !inside {
            past = false;
            to_least = least_words;
        }
        (short, at_least)
    }

    fn follow_phase(
        &mut self,
        word: FrameWord,
        taken: Bit,
        lacks: Bit,
        sets: Bit,
        short: Bit,
        at_least: Bit,
    ) {
        let none_left = if gap_more { gap_left == 0 } else { gap_left == 1 };
        let gap_ends = waits & !sets & none_left;
        let dropped = drains & frames.valid & word.last;
        opens = gap_ends | (opens & !sets & !taken);
        inside = (taken & !word.last) | (inside & goes_inside);
        pads = (taken & word.last & short) | (pads & !at_least);
        ends = (taken & word.last & !short) | (pads & at_least);
        drains = lacks | (drains & !dropped);
        waits = ends | (opens & sets) | (waits & !gap_ends) | dropped;
    }

    /// How long the gap is, once the place of the end is known; at least 8 octets.
    fn follow_gap(&mut self, sets: Bit, begins: Bit) {
        let spills = bytes[2] | bytes[3];
        let end_lane = bytes[0..3] ^ 4;
        gap_over = settings.gap - LEAST_GAP;
        gap_due = bit_cast::<7, 6>(gap_over) + bit_cast::<7, 3>(deficit);
        gap_columns = gap_due[3..7];
        gap_columns_more = gap_due[3..7] + 1;
        gap_octets = gap_due[0..3];
        let octets_due = Self::sum_of(gap_octets, end_lane);
        let carries = octets_due[3];
        let columns_due = if carries { gap_columns_more } else { gap_columns };
        let least = !carries & !gap_columns.any() & end_lane.any();
        gap_more = if ends { spills } else { gap_more & waits };
        let less = gap_left - 1;
        gap_left = if ends {
            if least {
                1
            } else {
                columns_due
            }
        } else if drains {
            bit_cast::<4, 3>(gap_over[3..6]) + 3
        } else if opens {
            1
        } else if sets {
            gap_left
        } else {
            less
        };
        repaid = drains | (opens & !sets & !begins);
        deficit = if ends {
            if least {
                0
            } else {
                octets_due[0..3]
            }
        } else if repaid {
            0
        } else {
            deficit
        };
    }

    /// A sum without a carry chain, which takes longer to enter than this.
    fn sum_of(a: Bits<3>, b: Bits<3>) -> Bits<4> {
        let carry_1 = a[0] & b[0];
        let carry_2 = (a[1] & b[1]) | (carry_1 & (a[1] ^ b[1]));
        let carry_3 = (a[2] & b[2]) | (carry_2 & (a[2] ^ b[2]));
        cat(a[0] ^ b[0], a[1] ^ b[1] ^ carry_1, a[2] ^ b[2] ^ carry_2, carry_3)
    }

    /// Octets of a last column with its FCS.
    fn with_fcs(octets: Bits<4>) -> Bits<4> {
        cat(octets[0..2], !octets[2], octets[2] | octets[3])
    }

    /// When an ordered set may go inside a frame.
    fn count_words_to_sets(&mut self, taken: Bit, sets: Bit) {
        let may_go = !until_set.any();
        may_insert = settings.control_in_frame & may_go & !sets;
        if inside {
            if sets {
                until_set = WORDS_BETWEEN_SETS;
            } else if taken & !may_go {
                until_set = until_set - 1;
            }
        } else if taken {
            until_set = WORDS_BEFORE_SET - 1;
        } else {
            until_set = WORDS_BEFORE_SET;
        }
    }

    /// The ordered set that waits.
    fn hold_set(&mut self, sets: Bit, begins: Bit) {
        control.ready = !waiting & !clear;
        let will_wait = if waiting { !sets } else { control.valid };
        waiting = will_wait;
        goes_between = will_wait & !owed;
        goes_inside = will_wait & may_insert;
        if !waiting {
            set = control.data;
        }
        if sets {
            owed = frames.valid & (opens | waits);
        }
        if begins | clear | (opens & !frames.valid) {
            owed = false;
        }
    }

    /// Clock 1: a word with zeros beyond its end, zeros, or an ordered set.
    fn take(&mut self, word: FrameWord, taken: Bit, begins: Bit, sets: Bit, at_least: Bit) {
        let given = word.data;
        for i in 0..OCTETS {
            octets[i] = given.bits::<8>(8 * i);
            if pads | ends | (word.last & (word.bytes <= i)) {
                octets[i] = 0;
            }
            if sets {
                octets[i] = set.bits::<8>(8 * i);
            }
        }
        let least = at_least & (pads | (word.last & (word.bytes < least_bytes)));
        if taken | pads {
            bytes = if least { least_bytes } else { word.bytes };
        }
        if taken {
            poisons = word.error;
        }
        counts = taken | pads;
        first = begins;
        let covers = preamble.numbered & settings.fcs_over_sequence;
        let number = if covers { preamble.sequence } else { 0 };
        numbers = cat(number, covers);
    }

    /// Clock 1: what the column is.
    fn name_column(&mut self, word: FrameWord, taken: Bit, sets: Bit, short: Bit, at_least: Bit, lacks: Bit) {
        let spills = bytes[2] | bytes[3];
        let is_last = (taken & word.last & !short) | (pads & at_least);
        column = Column {
            data: (taken & !(word.last & !short)) | (pads & !at_least),
            last: is_last,
            tail: ends & spills,
            set: sets,
            preamble: false,
            abort: lacks,
        };
    }

    fn whole_word(&mut self) -> Bits<64> {
        let mut whole: Bits<64> = 0;
        for i in 0..OCTETS {
            whole = whole | bit_cast::<64, 8>(octets[i]) << (8 * i);
        }
        whole
    }

    /// Clock 2: a preamble in the place of the idle column before the first word.
    fn put_preamble(&mut self, whole: Bits<64>, begins: Bit) {
        let numbered = NumberedPreamble {
            flags: 0,
            seq: preamble.sequence,
            reserved: 0,
            mark: LLR_MARK,
            fill: PREAMBLE_FILL,
            start: FRAME_START,
        };
        let numbered_bits: Bits<64> = numbered.into();
        let mut numbered_word: Bits<64> = 0;
        for i in 0..OCTETS {
            let octet = numbered_bits.bits::<8>(8 * (OCTETS - 1 - i));
            numbered_word = numbered_word | bit_cast::<64, 8>(octet) << (8 * i);
        }
        second_column = Column { preamble: begins, ..column };
        second_data = whole;
        if begins {
            second_data = if preamble.numbered { numbered_word } else { STANDARD };
        }
        second_counts = counts;
        second_first = first;
        start_of.data = numbers;
        start = start_of.sum ^ first_addend;
    }

    /// Counts, and tells of frames.
    fn tell(&mut self, begins: Bit, taken: Bit, lacks: Bit) {
        if taken | pads {
            words = words + 1;
        }
        if begins {
            words = 0;
        }
        underran = lacks;
        sent_frame = column.last;
        let octets_sent = Self::with_fcs(bytes);
        sent_octets = cat(bits::<3>(0), words) + bit_cast::<14, 4>(octets_sent);
        sent = In { data: sent_octets, valid: sent_frame };
        underrun = underran;
    }

    /// Clocks 2 to 6: the FCS.
    fn sum_up(&mut self, whole: Bits<64>) {
        bytes_after[0] = bytes;
        for i in 1..5 {
            bytes_after[i] = bytes_after[i - 1];
        }
        register = In { word: whole, counts: second_counts, first: second_first, replaces: false, start };
        let second_bytes = bytes_after[0];
        let below_four = second_bytes[0] | second_bytes[1];
        missing = cat(second_bytes[0], second_bytes[1] ^ second_bytes[0], second_bytes[2] ^ below_four);

        // Back over the octets that the last word lacks.
        back[2].data = register.state;
        let back_four = if missing[2] { back[2].sum } else { register.state };
        back[1].data = back_four;
        run_back = if missing[1] { back[1].sum } else { back_four };
        missing_one = missing[0];
        back[0].data = run_back;
        let at_end = if missing_one { back[0].sum } else { run_back };

        // From the basis of the state to the register.
        exit_groups.data = at_end;
        exit_sum = exit_groups.sum;
        exit.data = exit_sum;
        poisons_at_fcs.d = poisons;
        fcs = exit.sum;
        if !poisons_at_fcs.q {
            fcs = exit.sum ^ final_xor;
        }
    }

    /// Clocks 3 to 5: which octets of the column are what.
    fn lay_out(&mut self) {
        let reach = bytes_after[0];
        let beyond = Self::with_fcs(reach);
        let rest: Bits<4> = cat(reach[0..2], reach[3], false);
        let all = second_column.data | second_column.set | second_column.preamble;
        let of_frame: Bits<4> = if all {
            ALL
        } else if second_column.last {
            reach
        } else {
            0
        };
        let with_fcs: Bits<4> = if all {
            ALL
        } else if second_column.last {
            beyond
        } else if second_column.tail {
            rest
        } else {
            0
        };
        extent = Extent {
            data: of_frame,
            used: with_fcs,
            ends: second_column.last | second_column.tail,
            aborts: second_column.abort,
            marks: second_column.set | second_column.preamble,
        };
        let mut used: Bits<8> = 0;
        let mut of_fcs: Bits<8> = 0;
        let mut end: Bits<8> = 0;
        for i in 0..OCTETS {
            let is_used = extent.used > i;
            used = used.with(i, is_used);
            of_fcs = of_fcs.with(i, is_used & (extent.data <= i));
            end = end.with(i, extent.ends & (extent.used == i));
        }
        // What breaks off has an error first, and then the end.
        if extent.aborts {
            end = 2;
        }
        lanes = Lanes { used, fcs: of_fcs, end, aborts: extent.aborts, marks: extent.marks };
        late_lanes = lanes;
    }

    /// Clocks 6 and 7: control characters, and the FCS in its place.
    fn send(&mut self) {
        data_at_lanes.d = second_data;
        let late = data_at_lanes.q;
        let used_lanes = late_lanes.used;
        let end_lanes = late_lanes.end;
        for i in 0..OCTETS {
            marked[i] = if used_lanes[i] {
                late.bits::<8>(8 * i)
            } else if end_lanes[i] {
                FRAME_END
            } else {
                IDLE
            };
        }
        if late_lanes.aborts {
            marked[0] = ERROR;
        }
        fcs_lanes = late_lanes.fcs;
        let only_first = bit_cast::<8, 1>(late_lanes.marks.into());
        control_lanes = !used_lanes | only_first;

        let place = bytes_after[4];
        let turn = place[0..2];
        let turned: Bits<WIDTH> = match turn {
            0 => fcs,
            1 => cat(fcs[24..32], fcs[0..24]),
            2 => cat(fcs[16..32], fcs[0..16]),
            _ => cat(fcs[8..32], fcs[0..8]),
        };
        let both: Bits<64> = cat(turned, turned);
        let mut sent_word: Bits<64> = 0;
        for i in 0..OCTETS {
            out_octets[i] = marked[i];
            if fcs_lanes[i] {
                out_octets[i] = both.bits::<8>(8 * i);
            }
            sent_word = sent_word | bit_cast::<64, 8>(out_octets[i]) << (8 * i);
        }
        out_control = control_lanes;
        txd = sent_word;
        txc = out_control;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_mac_tx",
    chapter: "50-sue",
    summary: "frames with preamble, padding, FCS and gap to XGMII with 64 bits",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("frames", StreamSink), ("control", StreamSink), ("sent", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "word to its column on txd");
    Ok(BuiltBlock::new(EthMacTx::new()?, interface))
}
