//! Received frames that are kept for the host.

use crate::frame::FrameWord;
use flitforge_hdl_prim::fifo::SmallFifo;
use flitforge_hdl_prim::packet_fifo::PacketFifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::network::{afh_key, EVENT_ETHERTYPE, TAG_TPID};
use flitforge_protocol::sue_registers::{ext_ctl, MANAGEMENT_BYTES};

/// log2 of the words that are kept.
const WORDS_BITS: usize = 9;
/// log2 of the frames that are kept.
const FRAMES_BITS: usize = 5;
/// Bits of EXT_CTL.octets.
pub const LENGTH_BITS: usize = ext_ctl::octets::WIDTH;
/// Bits of the number of words of a longest frame.
const COUNT_BITS: usize = 9;
/// The bit of the first octet that says: a key of 6 octets.
const COMPRESSED: usize = afh_key::w::LOW;
/// The bit of the first octet that says: a group.
const GROUP: usize = afh_key::m::LOW;
/// Octets of a word with the Ethertype of a key of 6 octets, of addresses, and behind a tag.
const NEAR_OCTETS: usize = 8;
const TYPE_OCTETS: usize = 6;
const TAGGED_OCTETS: usize = 2;
/// Ethertypes in the order of octets.
const EVENT: u64 = EVENT_ETHERTYPE.swap_bytes() as u64;
const TAG: u64 = (TAG_TPID as u16).swap_bytes() as u64;

const _: () = assert!(MANAGEMENT_BYTES == 8 << (COUNT_BITS - 1));

/// What tells the frames of this instance.
#[packed]
pub struct ExtractRule {
    /// Ethertype of PDUs, in the order of octets.
    ethertype: Bits<16>,
    /// It counts after a key of 6 octets.
    compressed: Bit,
    /// It counts after addresses of 12 octets.
    plain: Bit,
    /// And after an 802.1Q tag.
    taggable: Bit,
}

/// What is known of a word.
#[packed]
pub struct WordSigns {
    /// Octets 0 to 5 are the own address.
    own: Bit,
    /// Octets 6 and 7 are the Ethertype of PDUs.
    near: Bit,
    /// Octets 4 and 5 are the Ethertype of PDUs.
    middle: Bit,
    /// Octets 4 and 5 are that of event frames.
    event: Bit,
    /// Octets 4 and 5 are a tag.
    tag: Bit,
    /// Octets 0 and 1 are the Ethertype of PDUs.
    tagged: Bit,
}

/// Keeps frames of one port that are neither PDUs nor event frames and go to the own address or a group. See [`super`].
#[block("sue_extract", new)]
pub struct Extract {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames.
    clear: In<Bit>,
    /// Which frames are others'; holds still.
    rule: In<ExtractRule>,
    /// Own address, in the order of octets; holds still.
    own: In<Bits<48>>,
    /// Frames with a network header, and others.
    pub data: FlowIn<FrameWord>,
    /// Frames of the management; never in a clock of `data`.
    pub management: FlowIn<FrameWord>,
    /// Words of frames that were kept.
    pub words: StreamOut<Bits<64>>,
    /// The word is the last of its frame.
    last: Out<Bit>,
    /// Octets of these frames.
    pub lengths: StreamOut<Bits<LENGTH_BITS>>,
    /// Pulse: a frame is kept.
    stored: Out<Bit>,
    /// Pulse: a frame had no room.
    dropped: Out<Bit>,

    #[wire(d = _)]
    word: Reg<FrameWord>,
    #[wire(enable = true)]
    arrived: Register<Bit>,
    #[wire(d = _)]
    judged: Reg<FrameWord>,
    #[wire(d = _)]
    signs: Reg<WordSigns>,
    #[wire(enable = true)]
    comes: Register<Bit>,
    /// Words of the frame so far, at most 3.
    place: Register<Bits<2>>,
    /// Of the frame: where it goes, whether its key is that of 6 octets, and whether a tag came.
    addressed: Register<Bit>,
    is_compressed: Register<Bit>,
    has_tag: Register<Bit>,
    /// Its Ethertype has come, and it is not for the host.
    typed: Register<Bit>,
    foreign: Register<Bit>,
    /// Words of the frame so far, at most those of a longest one.
    count: Register<Bits<COUNT_BITS>>,
    #[wire(clock, clear)]
    packets: PacketFifo<64, 65, WORDS_BITS, { WORDS_BITS + 1 }, 1>,
    #[wire(clock, clear)]
    sizes: SmallFifo<Bits<LENGTH_BITS>, FRAMES_BITS, { FRAMES_BITS + 1 }>,
    /// The word that is stored, and whether its frame is not.
    #[wire(d = _)]
    late: Reg<FrameWord>,
    #[wire(enable = true)]
    late_comes: Register<Bit>,
    #[wire(d = _)]
    is_bad: Reg<Bit>,
    #[wire(d = _)]
    size_before: Reg<Bits<LENGTH_BITS>>,
    #[wire(d = _)]
    size: Reg<Bits<LENGTH_BITS>>,
    #[wire(enable = true)]
    wanted_before: Register<Bit>,
    #[wire(enable = true)]
    wanted: Register<Bit>,
    #[wire(enable = true)]
    keeps: Register<Bit>,
    #[wire(enable = true)]
    drops: Register<Bit>,
}

#[logic]
impl Extract {
    /// Without frames.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { packets: PacketFifo::new()?, sizes: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        self.compare();
        let wants = self.judge();
        self.keep(wants);
    }

    /// Words, and what they look like a clock later.
    fn compare(&mut self) {
        let of_data = data.data;
        let of_management = management.data;
        word = if management.valid { of_management } else { of_data };
        arrived = data.valid | management.valid;
        let octets = word.data;
        let ethertype = rule.ethertype;
        signs = WordSigns {
            own: octets[0..48] == own,
            near: octets[48..64] == ethertype,
            middle: octets[32..48] == ethertype,
            event: octets[32..48] == EVENT,
            tag: octets[32..48] == TAG,
            tagged: octets[0..16] == ethertype,
        };
        judged = word;
        comes = arrived;
    }

    /// Whether the frame is for the host, as far as it has come.
    fn judge(&mut self) -> Bit {
        let first = place == 0;
        let second = (place == 1) & !is_compressed;
        let third = (place == 2) & has_tag;
        let octets = judged.data;
        let bytes = judged.bytes;
        let goes_on = !judged.last;
        let compressed = octets[COMPRESSED];
        let to_us = octets[GROUP] | signs.own;
        let tag = second & signs.tag & rule.taggable;

        let types_near = first & compressed & (goes_on | (bytes >= NEAR_OCTETS));
        let types_middle = second & !tag & (goes_on | (bytes >= TYPE_OCTETS));
        let types_behind = third & (goes_on | (bytes >= TAGGED_OCTETS));
        let not_near = first & compressed & signs.near & rule.compressed;
        let not_middle = second & (signs.event | (signs.middle & rule.plain));
        let not_behind = third & signs.tagged & rule.plain;

        let addressed_now = if first { to_us } else { addressed };
        let typed_now = (typed & !first) | types_near | types_middle | types_behind;
        let foreign_now = (foreign & !first) | not_near | not_middle | not_behind;
        place.enable = comes;
        place = if judged.last {
            0
        } else if place.all() {
            place
        } else {
            place + 1
        };
        addressed.enable = comes;
        addressed = addressed_now;
        is_compressed.enable = comes & first;
        is_compressed = compressed;
        has_tag.enable = comes;
        has_tag = tag;
        typed.enable = comes;
        typed = typed_now;
        foreign.enable = comes;
        foreign = foreign_now;
        let wants = addressed_now & typed_now & !foreign_now & !judged.error;
        wants
    }

    /// Frames into the memory; their lengths follow a clock later.
    fn keep(&mut self, wants: Bit) {
        let too_long = count[COUNT_BITS - 1];
        count.enable = comes;
        count = if judged.last {
            0
        } else if too_long {
            count
        } else {
            count + 1
        };
        late = judged;
        late_comes = comes;
        is_bad = !wants | too_long;
        let before: Bits<LENGTH_BITS> = cat(bits::<3>(0), count);
        size_before = before + bit_cast::<LENGTH_BITS, 4>(judged.bytes);
        wanted_before = comes & judged.last & wants;

        let has_place = sizes.words_in.ready & !packets.stored;
        packets.words_in = In { data: late.data, valid: late_comes };
        packets = In { last_in: late.last, bad_in: is_bad | !has_place };
        size = size_before;
        wanted = wanted_before;
        sizes.words_in = In { data: size, valid: packets.stored };
        keeps = packets.stored;
        drops = wanted & !packets.stored;
        stored = keeps;
        dropped = drops;

        words = In { data: packets.words_out.data, valid: packets.words_out.valid };
        packets.words_out.ready = words.ready;
        last = packets.last_out;
        lengths = In { data: sizes.words_out.data, valid: sizes.words_out.valid };
        sizes.words_out.ready = lengths.ready;
    }
}
