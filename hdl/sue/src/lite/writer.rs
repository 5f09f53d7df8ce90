//! `sue_lite_writer`: bodies of the packer become frames of SUE Lite (chapter 50, 4.8): a header of one word, the body, zeros up to MINF.
//!
//! A frame may have no gap, and bodies of the packer have some: so a body is stored before it is sent. A body that comes with `error` is forgotten then and
//! never sent; so is one of more than 1,024 octets.
//!
//! | event | reaction |
//! |---|---|
//! | last word of a body | `windows` says `open` for its queue a clock later |
//! | its turn | `begun` tells of it; its frame follows |
//! | a body that is forgotten, or whose turn comes while `drops` is high | `begun` with `failed`; nothing is sent |
//! | `port_off` inside a frame | the rest of it goes away |
//! | `stops` inside a body | what has come of it is forgotten; `begun` tells of it with `failed` |
//! | a wrong parity bit in the store | the frame ends with `error`: `parity` |
//!
//! - `more`: one more body may be begun by the packer. Up to three are chosen and not begun here; `turns` tells of those that are chosen.
//! - `class` is the virtual channel, and holds from the first word of the frame to its last, as `octets` does.
//! - `settings`, `minimum` and `port` hold still while there are bodies.
//! - Latency: 5 clocks from the last word of a body to the header of its frame, if nothing else waits. A word per clock, no gap in a frame, one clock or more
//!   between two.
//! - `clear` forgets everything.

use super::entry::{LiteAddresses, LiteBody, LiteFid, LiteFrame, LiteTrafficClass, FRAME_BITS, HEADER_BYTES};
use crate::arbiter::OCTETS_BITS;
use crate::frame::{BodyHead, FrameWord, WORD_BYTES};
use crate::network::NetworkSettings;
use crate::pack::{QueueTurn, QueueWindow};
use flitforge_hdl_prim::packet_fifo::PacketFifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::sue::network::KEY_COMPRESSED;
use flitforge_protocol::sue::MAX_LITE_BODY_BYTES;

/// Clocks from the last word of a body to the header of its frame, if nothing else waits.
pub const LATENCY: u32 = 5;
const KEY: usize = KEY_COMPRESSED as usize;
/// Octets of a frame before the last word of the largest body.
const MOST_BEFORE: usize = HEADER_BYTES + MAX_LITE_BODY_BYTES - WORD_BYTES;
/// Bodies that may be chosen and not sent.
const CHOSEN: usize = 3;
/// Bits of a stored word.
const STORED_BITS: usize = <FrameWord as Synth>::BITS;

/// A word of a body in the store: it has an even number of octets.
#[packed]
struct StoredWord {
    data: Bits<64>,
    /// Pairs of octets, less one.
    pairs: Bits<2>,
    /// A bit of each pair of octets.
    parity: Bits<4>,
}

/// What comes front.
#[packed]
enum Part {
    Header,
    Body,
    Padding,
    /// The rest of a body that is not sent.
    Drop,
}

/// Frames of SUE Lite. See the [module](self).
#[block("sue_lite_writer", new)]
pub struct SueLiteWriter {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// MINF.
    minimum: In<Bits<6>>,
    /// Number of the own port.
    port: In<Bits<4>>,
    /// No body comes any more: one under way is forgotten.
    stops: In<Bit>,
    /// No frame is begun.
    drops: In<Bit>,
    /// A frame under way ends at once.
    port_off: In<Bit>,
    /// A body is chosen.
    pub turns: FlowIn<QueueTurn>,
    /// One more body may be chosen.
    more: Out<Bit>,
    /// Words of bodies.
    pub body: StreamIn<FrameWord>,
    /// What goes with the body, from its first word to its last.
    head: In<BodyHead>,
    /// Commands of the body, with its last word.
    commands: In<Bits<10>>,
    /// The word that comes is stored with a wrong parity: for tests of what follows.
    spoils: In<Bit>,
    /// Answers to bodies.
    pub windows: FlowOut<QueueWindow>,
    /// Frames that begin, and bodies that are not sent.
    pub begun: StreamOut<LiteFrame>,
    /// Frames without FCS.
    pub frame: StreamOut<FrameWord>,
    /// Class of the frame.
    class: Out<Bits<3>>,
    /// Octets of the frame without FCS.
    octets: Out<Bits<OCTETS_BITS>>,
    /// A body was forgotten: it had an error, or was too long.
    discarded: Out<Bit>,
    /// A frame has ended with an error because of the store.
    parity: Out<Bit>,
    /// No body is here.
    idle: Out<Bit>,

    #[wire(clock, clear)]
    store: PacketFifo<STORED_BITS, 71, 9, 10, 0>,
    #[wire(clock, clear)]
    bodies: SmallFifo<LiteBody, 2, 3>,
    /// Octets of the frame before the word of the body that comes.
    #[init(HEADER_BYTES)]
    before: Register<Bits<FRAME_BITS>>,
    /// A body is under way at the input.
    inside: Register<Bit>,
    /// It has more words than the largest.
    long: Register<Bit>,
    /// Bodies that are chosen and not stored; that are stored.
    #[wire(clear = clear | stops)]
    chosen: Register<Bits<3>>,
    stored: Register<Bits<3>>,
    #[wire(d = _)]
    room: Reg<Bit>,
    #[wire(d = _)]
    answer: Reg<QueueWindow>,
    answers: Register<Bit>,
    forgets: Register<Bit>,
    /// Octets of the shortest frame.
    #[wire(d = _)]
    least: Reg<Bits<6>>,

    part: Register<Part>,
    /// Octets that the body still has to have, this word included.
    owed: Reg<Bits<6>>,
    /// The frame has an error.
    failed: Reg<Bit>,
    word: Reg<FrameWord>,
    #[wire(clear = clear | port_off)]
    word_valid: Register<Bit>,
    frame_class: Reg<Bits<2>>,
    frame_octets: Reg<Bits<FRAME_BITS>>,
    broken: Register<Bit>,
}

#[logic]
impl SueLiteWriter {
    /// A writer without bodies.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { store: PacketFifo::new()?, bodies: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        let ends_in = self.take_words();
        let starts = self.write();
        self.count(ends_in, starts);
    }

    /// Words into the store. A body that stops gets a last word that makes it go away.
    fn take_words(&mut self) -> Bit {
        let arrives = body.data;
        let breaks = stops & inside;
        let offers = (body.valid & !stops) | breaks;
        let last = arrives.last | breaks;
        let bad = (arrives.last & arrives.error) | long | breaks;
        let room_for_body = bodies.words_in.ready & !clear;
        let octets_here = arrives.data;
        let sums = Self::parities(octets_here);
        let kept = StoredWord {
            data: octets_here,
            pairs: Self::pairs_of(arrives.bytes),
            parity: cat(sums[0] ^ spoils, sums[1..4]),
        };
        store.words_in = In { data: kept.into(), valid: offers & room_for_body };
        store = In { last_in: last, bad_in: bad };
        let takes = store.words_in.ready & room_for_body;
        body.ready = takes & !stops;
        let taken = offers & takes;
        let ends_in = taken & last;
        inside.enable = taken;
        inside = !last;
        long.enable = taken;
        long = !last & (long | (before > MOST_BEFORE - WORD_BYTES));
        before.enable = taken;
        let sum: Bits<FRAME_BITS> = before + bit_cast::<FRAME_BITS, 4>(arrives.bytes);
        before = if last { HEADER_BYTES } else { sum };
        let whole =
            LiteBody { destination: head.destination, vc: head.vc, commands, octets: sum, failed: bad };
        bodies.words_in = In { data: whole, valid: ends_in };
        answer = QueueWindow { destination: head.destination, vc: head.vc, open: true };
        answers = ends_in & !breaks;
        windows = In { data: answer, valid: answers };
        forgets = ends_in & bad & !breaks;
        discarded = forgets;
        ends_in
    }

    /// Header, body and padding, a word at a time. True if a body is done with.
    fn write(&mut self) -> Bit {
        let front = bodies.words_out.data;
        let moves = !word_valid | frame.ready;
        let gone: StoredWord = store.words_out.data.into();
        let there = bodies.words_out.valid & (front.failed | store.words_out.valid);
        let sends = !front.failed & !drops;
        begun.data = LiteFrame {
            destination: front.destination,
            vc: front.vc,
            commands: front.commands,
            failed: !sends,
        };
        let at_header = part == Part::Header;
        let begins = at_header & there & (moves | !sends) & !clear;
        begun.valid = begins;
        let starts = begins & begun.ready;
        let in_body = part == Part::Body;
        let dropping = part == Part::Drop;
        let pulls = store.words_out.valid & ((in_body & moves & !port_off) | dropping);
        store.words_out.ready = (in_body & moves & !port_off) | dropping;
        let ends = pulls & store.last_out;
        let pads = part == Part::Padding;
        bodies.words_out.ready = starts;

        // The word of the body, and what is owed to the least.
        let owes_more = owed > WORD_BYTES;
        let text = Self::text_of(gone, store.last_out, pads);
        let filled = Self::fill(text, owed, owes_more);
        let found = Self::parities(gone.data);
        let wrong = in_body & (found != gone.parity);
        let header = Self::header(settings, port, front.destination, front.vc);
        let steps = moves & ((in_body & store.words_out.valid) | pads);
        let fails = failed | wrong;
        if moves {
            word = if at_header { header } else { filled };
            if filled.last & !at_header {
                word.error = fails;
            }
        }
        word_valid.enable = moves;
        word_valid = (starts & sends) | (steps & !port_off);
        if steps {
            owed = if owes_more { owed - WORD_BYTES } else { 0 };
            failed = fails;
        }
        if starts {
            owed = least - HEADER_BYTES;
            failed = false;
        }
        // The last word of the frame before may still be here while a body that is not sent is told.
        if starts & sends {
            frame_class = front.vc;
            let short = front.octets < bit_cast::<FRAME_BITS, 6>(least);
            frame_octets = if short { bit_cast::<FRAME_BITS, 6>(least) } else { front.octets };
        }
        broken = steps & filled.last & fails;
        parity = broken;
        self.step(starts, sends, ends, owes_more, steps);
        frame = In { data: word, valid: word_valid };
        class = bit_cast::<3, 2>(frame_class);
        octets = bit_cast::<OCTETS_BITS, FRAME_BITS>(frame_octets);
        starts
    }

    /// What comes after this word.
    fn step(&mut self, starts: Bit, sends: Bit, ends: Bit, owes_more: Bit, steps: Bit) {
        let oldest = bodies.words_out.data;
        let forgotten = oldest.failed;
        part = match part {
            Part::Header => {
                if starts & sends {
                    Part::Body
                } else if starts & !forgotten {
                    Part::Drop
                } else {
                    Part::Header
                }
            }
            Part::Body => {
                if port_off {
                    Part::Drop
                } else if ends & owes_more {
                    Part::Padding
                } else if ends {
                    Part::Header
                } else {
                    Part::Body
                }
            }
            Part::Padding => {
                if port_off | (steps & !owes_more) {
                    Part::Header
                } else {
                    Part::Padding
                }
            }
            Part::Drop => {
                if ends {
                    Part::Header
                } else {
                    Part::Drop
                }
            }
        };
    }

    /// Bodies that are here, or will be.
    fn count(&mut self, ends_in: Bit, starts: Bit) {
        let comes = turns.valid & !ends_in;
        let arrived = ends_in & !turns.valid & chosen.any();
        chosen = if comes {
            chosen + 1
        } else if arrived {
            chosen - 1
        } else {
            chosen
        };
        let one_more = ends_in & !starts;
        let one_less = starts & !ends_in;
        stored = if one_more {
            stored + 1
        } else if one_less {
            stored - 1
        } else {
            stored
        };
        room = chosen + stored < CHOSEN;
        more = room;
        idle = !inside & !stored.any() & (part == Part::Header) & !word_valid;
        // Headers and bodies are even.
        least = (minimum + bit_cast::<6, 1>(minimum.bits::<1>(0))) & !bits::<6>(1);
    }

    /// A bit of each pair of octets.
    fn parities(data: Bits<64>) -> Bits<4> {
        let pair_0 = data[0..16];
        let pair_1 = data[16..32];
        let pair_2 = data[32..48];
        let pair_3 = data[48..64];
        cat(pair_0.xor(), pair_1.xor(), pair_2.xor(), pair_3.xor())
    }

    /// Pairs of octets less one; `bytes` is even.
    fn pairs_of(bytes: Bits<4>) -> Bits<2> {
        bytes[1..3] - 1
    }

    /// The word of a stored one, or one after the end of the body.
    fn text_of(kept: StoredWord, last: Bit, pads: Bit) -> FrameWord {
        let pairs: Bits<3> = bit_cast::<3, 2>(kept.pairs) + 1;
        let bytes_of_word: Bits<4> = cat(bits::<1>(0), pairs);
        let bytes = if pads { 0 } else { bytes_of_word };
        FrameWord { data: kept.data, bytes, last: last | pads, error: false }
    }

    /// The first word: the network header.
    fn header(of: NetworkSettings, port: Bits<4>, peer: Bits<10>, channel: Bits<2>) -> FrameWord {
        let first = of.class_0;
        let second = of.class_1;
        let third = of.class_2;
        let fourth = of.class_3;
        let dscp = match channel {
            0 => first.dscp,
            1 => second.dscp,
            2 => third.dscp,
            _ => fourth.dscp,
        };
        let mark = LiteTrafficClass { ecn: 0, dscp };
        let xpu: Bits<12> = bit_cast::<12, 10>(peer);
        let to = LiteFid { port, xpu };
        let from = LiteFid { port, xpu: of.own_xpu };
        let addresses =
            LiteAddresses { source_fid: from.into(), fid: to.into(), traffic_class: mark.into(), key: KEY };
        let front: Bits<48> = addresses.into();
        let all: Bits<64> = cat(of.lite_ethertype, front);
        FrameWord { data: Self::top_first(all), bytes: WORD_BYTES, last: false, error: false }
    }

    /// A word with zeros after its octets, up to what is owed.
    fn fill(text: FrameWord, owed: Bits<6>, owes_more: Bit) -> FrameWord {
        let bytes = text.bytes;
        let data = text.data;
        let owed_here = if owes_more { WORD_BYTES } else { owed[0..4] };
        let more_bytes = text.last & (owed_here > bytes);
        let bytes_sent = if more_bytes { owed_here } else { bytes };
        FrameWord {
            data: Self::octets_below(data, bytes),
            bytes: bytes_sent,
            last: text.last & !owes_more,
            error: false,
        }
    }

    /// The octets below `bytes`, zeros above; `bytes` is even.
    fn octets_below(data: Bits<64>, bytes: Bits<4>) -> Bits<64> {
        let pair_0 = if bytes >= 2 { data[0..16] } else { 0 };
        let pair_1 = if bytes >= 4 { data[16..32] } else { 0 };
        let pair_2 = if bytes >= 6 { data[32..48] } else { 0 };
        let pair_3 = if bytes >= 8 { data[48..64] } else { 0 };
        cat(pair_0, pair_1, pair_2, pair_3)
    }

    /// The octets the other way round: the top one first.
    fn top_first(word: Bits<64>) -> Bits<64> {
        let low: Bits<32> = cat(word[56..64], word[48..56], word[40..48], word[32..40]);
        let high: Bits<32> = cat(word[24..32], word[16..24], word[8..16], word[0..8]);
        cat(low, high)
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_lite_writer",
    chapter: "50-sue",
    summary: "bodies become frames of SUE Lite",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("turns", FlowSink),
        ("body", StreamSink),
        ("windows", FlowSource),
        ("begun", StreamSource),
        ("frame", StreamSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "last word of a body to frame.valid");
    Ok(BuiltBlock::new(SueLiteWriter::new()?, interface))
}
