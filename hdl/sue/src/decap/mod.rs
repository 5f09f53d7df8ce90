//! `sue_decap`: takes the network header of the format from frames, and says which frames are not to be taken (chapter 50, 3.5, 4.8 and ESUN of section 0).
//!
//! What is checked, and where it stands, comes from the table of headers, [`flitforge_protocol::sue::header`]: comparisons of units of 16 bits, each at its place
//! in its formats. Places count from the start of a frame up to the Ethertype, and from the PDU back for what is after it; so a tag moves few of them.
//!
//! | what comes | what happens |
//! |---|---|
//! | a frame with a good header | its PDU, shifted to begin a word, with `source` |
//! | one with a bad header | the same, and `error` with its last word; a pulse says why |
//! | one that ends in its header, or with it | no word; a pulse says why |
//! | one with `error` | its PDU with `error`; no pulse, since it is counted where the error was found |
//! | `clear` | what is under way is lost; the next word is the first of a frame |
//!
//! - One pulse at most for a frame, the first that applies. AFH Gen 2: `afh_bad` for its shape, then `header_bad` for the rest. Others: `header_bad`, then `afh_bad` for the shim.
//!   Then `header_bad` for another port of the sender, for a frame that ends too soon, and in SUE Lite for a TC of no virtual channel. Last, `generation_drop`.
//! - The generation is that of DA, compared with `generation` if `generation_enable`; else it has to be 0, or the header is bad.
//! - A frame that ends with its header has no PDU and is bad; with IPv4 also one with 8 octets or less after it, which cannot hold RH and R-CRC.
//! - A tag is taken or not, whatever the setting of the sender is. The length of IP and of the shim has to be that of the frame without its FCS.
//! - `settings` and `port` hold still from three clocks before the first word of a frame.
//! - Latency: the last word of a PDU leaves 3 clocks after the last word of its frame, or 4 if it has a rest of that word; pulses come with it. One word per clock; gaps go through.
//! - Lengths are counted modulo 65,536 octets: longer frames have to have their error already.

mod checks;
mod measures;
mod picker;
mod plan;
mod sum;

pub use checks::HeaderFaults;
pub use measures::Measures;

use crate::frame::FrameWord;
use crate::network::{FormatChoice, NetworkSettings, NetworkSource, WordShift, KINDS, LANES, UNIT_BITS};
use checks::HeaderChecks;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::XorMatrix;
use flitforge_protocol::sue::class::traffic_class;
use flitforge_protocol::sue::network::{addresses, afh2, TAG_TPID};
use measures::MEASURE_BITS;
use picker::FieldPicker;
use plan::{end_place, Kept, PLACES};
use sum::InternetSum;

/// Most clocks from the last word of a frame to that of its PDU.
pub const LATENCY: u32 = 4;

/// The lane of the second word in which a tag begins.
const TAG_LANE: usize = addresses::WIDTH / UNIT_BITS % LANES;
/// How a tag begins, in the order of octets of a lane.
const TAG_BEGINS: usize = (TAG_TPID as u16).swap_bytes() as usize;
/// Octets of the second word that an AFH Gen 2 header has at least.
const SHAPE_BYTES: usize = afh2::WIDTH / 8 - 8;
/// The first place counted from the PDU.
const FIRST_END: usize = end_place(1);
/// Places counted from the PDU.
const END_PLACES: usize = PLACES - FIRST_END;
/// The word ahead of an IPv4 header, and its words.
const SUM_STARTS: usize = end_place(5);
const SUM_FIRST: usize = end_place(4);
const SUM_MIDDLE: usize = end_place(3);
const SUM_LAST: usize = end_place(2);

/// What goes with a word of a PDU.
#[packed]
pub struct PduMarks {
    /// A word of the PDU; not with every end.
    valid: Bit,
    /// The first of its PDU.
    first: Bit,
    /// The frame has ended, with this word if there is one.
    ends: Bit,
    /// Octets of the word.
    bytes: Bits<4>,
    /// With `ends`: the frame was bad before.
    error: Bit,
    /// With `ends`: the frame has no PDU.
    short: Bit,
    /// The frame ends inside its header.
    cut: Bit,
    /// AFH Gen 2: even so that its shape cannot be told.
    shapeless: Bit,
}

/// Takes network headers from frames. See the [module](self).
#[block("sue_decap", new)]
pub struct SueDecap {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames under way.
    clear: In<Bit>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// Number of the own port.
    port: In<Bits<4>>,
    /// Own gg.
    generation: In<Bits<8>>,
    /// GEN_EN.
    generation_enable: In<Bit>,
    /// Frames without FCS.
    pub frame: FlowIn<FrameWord>,
    /// PDUs.
    pub pdu: FlowOut<FrameWord>,
    /// What the header says, from the first word of the PDU to its last.
    source: Out<NetworkSource>,
    /// A frame was foreign or wrong: HDR_BAD.
    header_bad: Out<Bit>,
    /// A frame had an AFH header of a wrong shape: AFH_BAD.
    afh_bad: Out<Bit>,
    /// A frame was good, but of another generation: GEN_DROP.
    generation_drop: Out<Bit>,

    #[wire(clock, settings)]
    choice: FormatChoice,
    #[wire(d = _)]
    kinds: Reg<Bits<KINDS>>,
    measure: XorMatrix<KINDS, MEASURE_BITS>,
    #[wire(d = _)]
    measures: Reg<Measures>,
    #[wire(d = _)]
    own_address: Reg<Bits<32>>,

    /// The next word is the first, second or third of its frame.
    #[init(true)]
    at_first: Register<Bit>,
    at_second: Register<Bit>,
    at_third: Register<Bit>,
    /// Its number.
    count: Register<Bits<13>>,
    /// Words of the header from it on, if it is not the first.
    left: Register<Bits<4>>,
    tagged: Register<Bit>,
    shift_by: Register<Bits<2>>,
    before: Register<Bits<64>>,
    #[wire(d = _)]
    start_places: Reg<Bits<3>>,
    shift: WordShift,

    /// The frame has ended, and a rest of it is in `before`.
    spilled: Register<Bit>,
    /// The frame has ended without a PDU.
    stopped: Register<Bit>,
    /// How it ended.
    #[wire(d = _)]
    ended: Reg<PduMarks>,
    #[wire(d = _)]
    ended_second: Reg<Bit>,
    /// Octets of a frame that has ended, less one.
    frame_octets: Reg<Bits<16>>,

    started: Register<Bit>,
    early: Register<PduMarks>,
    #[wire(d = _)]
    early_word: Reg<Bits<64>>,
    #[wire(d = _)]
    end_places: Reg<Bits<END_PLACES>>,
    late: Register<PduMarks>,
    #[wire(d = _)]
    late_word: Reg<Bits<64>>,
    out_valid: Register<Bit>,
    #[wire(d = _)]
    out_word: Reg<FrameWord>,
    header_pulse: Register<Bit>,
    afh_pulse: Register<Bit>,
    generation_pulse: Register<Bit>,

    #[wire(clock, kinds, opens = start_places[0])]
    checks: HeaderChecks,
    #[wire(clock, kinds)]
    source_field: FieldPicker,
    #[wire(clock, kinds)]
    class_field: FieldPicker,
    #[wire(clock, kinds)]
    generation_field: FieldPicker,
    #[wire(clock, kinds)]
    outer_length: FieldPicker,
    #[wire(clock, kinds)]
    inner_length: FieldPicker,
    #[wire(clock, word = early_word)]
    internet_sum: InternetSum,
    source_kept: Reg<Bits<16>>,
    class_kept: Reg<Bits<8>>,
    generation_kept: Reg<Bits<8>>,
    #[wire(d = _)]
    class_vc: Reg<Bits<2>>,
    #[wire(d = _)]
    class_unknown: Reg<Bit>,
    late_source: Reg<NetworkSource>,
    out_source: Reg<NetworkSource>,
    #[wire(d = _)]
    outer_ahead: Reg<Bits<6>>,
    #[wire(d = _)]
    inner_ahead: Reg<Bits<6>>,
    outer_end: Reg<Bits<16>>,
    inner_end: Reg<Bits<16>>,
    #[wire(d = _)]
    outer_wrong: Reg<Bit>,
    #[wire(d = _)]
    inner_wrong: Reg<Bit>,
}

#[logic]
impl SueDecap {
    /// A receiver's side for all formats.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            measure: XorMatrix::new(Measures::rows())?,
            checks: HeaderChecks::new()?,
            source_field: FieldPicker::new(Kept::Source)?,
            class_field: FieldPicker::new(Kept::Class)?,
            generation_field: FieldPicker::new(Kept::Generation)?,
            outer_length: FieldPicker::new(Kept::OuterLength)?,
            inner_length: FieldPicker::new(Kept::InnerLength)?,
            ..
        })
    }

    fn update(&mut self) {
        self.settle();
        self.follow();
        self.shift_words();
        self.check();
        self.keep();
        self.compare_lengths();
        self.judge();

        late = early;
        late_word = early_word;
        pdu = In { data: out_word, valid: out_valid };
        source = out_source;
        header_bad = header_pulse;
        afh_bad = afh_pulse;
        generation_drop = generation_pulse;
    }

    /// What is fixed while the settings are.
    fn settle(&mut self) {
        let kind = choice.kind;
        let mut hot: Bits<KINDS> = 0;
        for i in 0..KINDS {
            hot = hot.with(i, kind == i);
        }
        kinds = hot;
        measure.data = kinds;
        measures = measure.sum.into();
        own_address = settings.ip_base + bit_cast::<32, 12>(settings.own_xpu);
    }

    /// Where the next word of the frame stands.
    fn follow(&mut self) {
        let comes = frame.valid;
        let incoming = frame.data;
        at_first.enable = comes;
        at_first = incoming.last;
        at_second.enable = comes;
        at_second = at_first & !incoming.last;
        at_third.enable = comes;
        at_third = at_second & !incoming.last;
        count.enable = comes;
        count = if incoming.last { 0 } else { count + 1 };

        let word = incoming.data;
        let unit = word.bits::<UNIT_BITS>(UNIT_BITS * TAG_LANE);
        let has_tag = at_second & measures.taggable & (unit == TAG_BEGINS);
        tagged.enable = comes & (at_first | at_second);
        tagged = has_tag;
        shift_by.enable = comes & (at_first | at_second);
        // A tag has two units.
        let by = measures.shift;
        shift_by = cat(by[0], by[1] ^ has_tag);

        left.enable = comes;
        left = if at_first {
            measures.words
        } else if (has_tag & measures.grows) | !left.any() {
            left
        } else {
            left - 1
        };
        before.enable = comes;
        before = word;
        start_places = cat(comes & at_first, comes & at_second, comes & at_third);
    }

    /// Words of the PDU, and the end of the frame.
    fn shift_words(&mut self) {
        let now = frame.data;
        shift = In { before, now: now.data, by: shift_by, bytes: now.bytes };
        let inside = frame.valid & !at_first;
        let in_pdu = inside & !left.any();
        let ends_now = frame.valid & now.last;
        let is_last_of_header = !at_first & (left == 1);
        let has_rest = ends_now & shift.spills & (in_pdu | is_last_of_header);
        spilled = has_rest;
        let ends_so = ends_now & !in_pdu & !has_rest;
        stopped = ends_so;
        let ends_with_header = is_last_of_header & (shift.left == 8);
        ended = PduMarks {
            valid: false,
            first: false,
            ends: ends_now,
            bytes: shift.left,
            error: now.error,
            short: ends_so,
            cut: ends_so & !ends_with_header,
            shapeless: at_first | (at_second & (now.bytes < SHAPE_BYTES)),
        };
        ended_second = at_second;
        if ends_now & !at_first {
            let bytes_before = now.bytes - 1;
            frame_octets = cat(bytes_before[0..3], count);
        }

        // What has ended is told a clock later, when it is known whether there was a tag in its second word.
        let in_tag = ended_second & tagged;
        let rest_comes = spilled & !in_tag;
        let told = spilled | stopped;
        let ends_here = in_pdu & now.last & !shift.spills;
        let bytes = if ends_here { shift.left } else { 8 };
        early = PduMarks {
            valid: in_pdu,
            first: !started,
            ends: ends_here,
            bytes,
            error: now.error,
            short: false,
            cut: false,
            shapeless: false,
        };
        if told {
            early = PduMarks {
                valid: rest_comes,
                first: !started,
                ends: true,
                bytes: ended.bytes,
                error: ended.error,
                short: !rest_comes,
                cut: ended.cut | in_tag,
                shapeless: ended.shapeless,
            };
        }
        started.enable = in_pdu | told;
        started = !ends_here & !told;
        early_word = shift.shifted;
        let mut places: Bits<END_PLACES> = 0;
        for i in 0..END_PLACES {
            places = places.with(i, inside & (left == i + 1));
        }
        end_places = places;
    }

    /// All comparisons.
    fn check(&mut self) {
        let untagged = !tagged;
        let here: Bits<PLACES> = cat(
            start_places[0],
            bits::<2>(0),
            start_places[1],
            start_places[1] & untagged,
            start_places[1] & tagged,
            start_places[2],
            start_places[2] & untagged,
            start_places[2] & tagged,
            end_places,
        );
        let both: Bits<128> = cat(before, early_word);
        let own_generation = if generation_enable { generation } else { 0 };
        checks.places = here;
        checks.words = both;
        checks.values = cat(
            bits::<1>(1),
            choice.ethertype,
            settings.sue_ethertype,
            settings.vid,
            settings.machine_partition,
            settings.udp_port,
            settings.own_xpu,
            own_address,
            settings.ip6_middle,
            settings.ip6_high,
            own_generation,
            port,
        );
        source_field = In { places: here, words: both };
        class_field = In { places: here, words: both };
        generation_field = In { places: here, words: both };
        outer_length = In { places: here, words: both };
        inner_length = In { places: here, words: both };
        internet_sum =
            In { starts: here[SUM_STARTS], first: here[SUM_FIRST], rest: here[SUM_MIDDLE] | here[SUM_LAST] };
    }

    /// What is kept of a header goes with the first word of its PDU.
    fn keep(&mut self) {
        if source_field.comes {
            source_kept = source_field.field;
        }
        if class_field.comes {
            class_kept = bit_cast::<8, 16>(class_field.field);
        }
        if generation_field.comes {
            generation_kept = bit_cast::<8, 16>(generation_field.field);
        }
        let dscp = class_kept[traffic_class::dscp];
        let is_first = settings.class_0.dscp == dscp;
        let is_second = settings.class_1.dscp == dscp;
        let is_third = settings.class_2.dscp == dscp;
        let is_fourth = settings.class_3.dscp == dscp;
        class_vc = cat(!is_first & (is_second | !is_third), !is_first & !is_second);
        class_unknown = settings.lite & !(is_first | is_second | is_third | is_fourth);
        if early.valid & early.first {
            late_source = NetworkSource {
                xpu: source_kept[4..16],
                port: source_kept[0..4],
                generation: generation_kept,
                class: class_kept,
                vc: class_vc,
            };
        }
        if late.valid & late.first {
            out_source = late_source;
            out_source.vc = class_vc;
        }
    }

    /// Lengths of the header and of the frame.
    fn compare_lengths(&mut self) {
        // A tag has four octets.
        let tag: Bits<6> = cat(bits::<2>(0), tagged, bits::<3>(0));
        outer_ahead = measures.outer_ahead + tag;
        inner_ahead = measures.inner_ahead + tag;
        if outer_length.comes {
            outer_end = outer_length.field + bit_cast::<16, 6>(outer_ahead);
        }
        if inner_length.comes {
            inner_end = inner_length.field + bit_cast::<16, 6>(inner_ahead);
        }
        outer_wrong = measures.outer & (outer_end != frame_octets);
        inner_wrong = measures.inner & (inner_end != frame_octets);
    }

    /// Whether the frame that has ended is taken.
    fn judge(&mut self) {
        let faults = checks.faults;
        let shim_wrong = outer_wrong & measures.shim;
        let other_wrong = (outer_wrong & !measures.shim) | inner_wrong | (measures.ipv4 & internet_sum.wrong);
        let foreign = faults.foreign | other_wrong | (faults.generation & !generation_enable);
        let first_shape = faults.key | (faults.shape & !late.shapeless);
        let later_shape = (faults.shape | shim_wrong) & !late.cut;
        let shape = if measures.shape_first { first_shape } else { later_shape };
        let is_shape = shape & (measures.shape_first | !foreign);
        // One word cannot hold RH and R-CRC, and the sum of IPv4 is not known yet.
        let is_tiny = measures.ipv4 & late.first & late.ends;
        let is_bad = (foreign | faults.source_port | late.short | is_tiny | class_unknown) & !is_shape;
        let is_old = faults.generation & generation_enable & !is_shape & !is_bad;
        let judges = late.ends & !late.error;
        header_pulse = judges & is_bad;
        afh_pulse = judges & is_shape;
        generation_pulse = judges & is_old;
        out_valid = late.valid;
        out_word = FrameWord {
            data: late_word,
            bytes: late.bytes,
            last: late.ends,
            error: late.ends & (late.error | is_bad | is_shape | is_old),
        };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_decap",
    chapter: "50-sue",
    summary: "network headers checked and taken from frames, six formats",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let _ = settings;
    let streams = [("frame", FlowSink), ("pdu", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, None, "3 or 4 clocks from last word to last word");
    Ok(BuiltBlock::new(SueDecap::new()?, interface))
}
