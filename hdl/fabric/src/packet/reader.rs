//! What a received beat is to a packet.

use super::part::{PacketPart, REASON_BITS};
use super::shape::{PacketShape, COUNT_BITS, LEN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::crc::packet::WIDTH;
use flitforge_protocol::flit::{head_bad, BadReason, DATA_BITS, FLIT_BITS};
use flitforge_protocol::packet::{head, tail, HEADER_BITS};

/// Three stages: the beat, the kinds of its flits, and what they are together. One beat per clock; what is
/// said of it is registered and stands three clocks later, for one clock.
#[block("packet_reader", new, f = F)]
pub struct PacketReader<const F: usize, const FLITS_W: usize, const DATA_W: usize, const BYTES_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets beats.
    clear: In<Bit>,
    /// A beat is there.
    valid: In<Bit>,
    /// The beat.
    beat: In<Bits<FLITS_W>>,
    /// The beat has packet flits.
    counts: Out<Bit>,
    /// Slot 0 has a Head or HeadBad.
    opens: Out<Bit>,
    /// The flits do not stand together from slot 0, do not fill the beat or reach to a Tail, or a head is among them.
    illegal: Out<Bit>,
    /// Slot of the Tail or TailBad, or none.
    closes: Out<Bits<F>>,
    /// What closes is a Tail.
    is_tail: Out<Bit>,
    /// The Tail's tag.
    tag: Out<Bits<16>>,
    /// The Tail's copy of the length.
    len2: Out<Bits<LEN_BITS>>,
    /// The Tail's CRC.
    pcrc: Out<Bits<WIDTH>>,
    /// A flit is bad.
    is_bad: Out<Bit>,
    /// The first bad flit's reason.
    reason: Out<Bits<REASON_BITS>>,
    /// Data of head and Body flits, other slots 0.
    data: Out<Bits<DATA_W>>,
    /// With `opens`: the header, with length 0 from a HeadBad.
    header: Out<Bits<HEADER_BITS>>,
    /// With `opens`: no length, or one above the MTU; no words.
    without_len: Out<Bit>,
    /// With `opens`: words of payload.
    words: Out<Bits<COUNT_BITS>>,
    /// With `opens`: number of the Tail's beat.
    tail_beat: Out<Bits<COUNT_BITS>>,
    /// With `opens`: the Tail's slot.
    tail_slot: Out<Bits<F>>,
    /// With `opens`: bytes of the last word.
    bytes: Out<Bits<BYTES_W>>,

    part: [PacketPart; F],
    shape: PacketShape<F, BYTES_W>,
    beat_there: Reg<Bit>,
    flits: Reg<Bits<FLITS_W>>,
    // The kinds.
    kinds_there: Reg<Bit>,
    #[wire(d = _)]
    kind_data: [Reg<Bits<DATA_BITS>>; F],
    kind_opens: Reg<Bits<F>>,
    kind_goes_on: Reg<Bits<F>>,
    kind_closes: Reg<Bits<F>>,
    kind_bad: Reg<Bits<F>>,
    kind_too_long: Reg<Bit>,
    #[wire(d = _)]
    kind_reason: [Reg<Bits<REASON_BITS>>; F],
    // What they are together.
    view_counts: Reg<Bit>,
    view_opens: Reg<Bit>,
    view_illegal: Reg<Bit>,
    view_closes: Reg<Bits<F>>,
    view_is_tail: Reg<Bit>,
    view_trailer: Reg<Bits<62>>,
    view_bad: Reg<Bit>,
    view_reason: Reg<Bits<REASON_BITS>>,
    #[wire(d = _)]
    view_data: [Reg<Bits<DATA_BITS>>; F],
    view_header: Reg<Bits<HEADER_BITS>>,
    view_without_len: Reg<Bit>,
    view_words: Reg<Bits<COUNT_BITS>>,
    view_tail_beat: Reg<Bits<COUNT_BITS>>,
    view_tail_slot: Reg<Bits<F>>,
    view_bytes: Reg<Bits<BYTES_W>>,

    opening: Local<Bits<F>>,
    going_on: Local<Bits<F>>,
    closing: Local<Bits<F>>,
    corrupted: Local<Bits<F>>,
    any_kind: Local<Bits<F>>,
    begun: Local<Bit>,
    ended: Local<Bit>,
    broken: Local<Bit>,
    first_close: Local<Bits<F>>,
    found_bad: Local<Bit>,
    found_reason: Local<Bits<REASON_BITS>>,
    good_tail: Local<Bit>,
    trailer: Local<Bits<62>>,
    from_bad: Local<Bit>,
    first_data: Local<Bits<DATA_BITS>>,
    slot_data: Local<Bits<DATA_BITS>>,
    #[init(0)]
    no_words: Constant<Bits<COUNT_BITS>>,
    largest: Constant<Bits<LEN_BITS>>,
    #[init(BadReason::Protocol)]
    protocol: Constant<Bits<REASON_BITS>>,
    data_shift: Vec<Constant<Bits<9>>>,
}

#[logic]
impl<const F: usize, const FLITS_W: usize, const DATA_W: usize, const BYTES_W: usize>
    PacketReader<F, FLITS_W, DATA_W, BYTES_W>
{
    /// Takes packets of up to `mtu` bytes.
    pub fn new(mtu: usize) -> Self {
        Self {
            largest: Constant::new((mtu as u64).into()),
            data_shift: (0..F).map(|slot| Constant::new(((DATA_BITS * slot) as u64).into())).collect(),
            ..
        }
    }

    fn update(&mut self) {
        self.see_kinds();
        self.gather();

        // What a head says.
        first_data = kind_data[0];
        from_bad = kind_bad[0];
        shape.len = first_data.bits::<LEN_BITS>(36);

        view_counts = kinds_there & any_kind.any() & !clear;
        view_opens = kind_opens[0];
        view_illegal = broken;
        view_closes = first_close;
        view_is_tail = good_tail;
        view_trailer = trailer;
        view_bad = found_bad;
        view_reason = found_reason;
        view_header = first_data.bits::<HEADER_BITS>(0);
        view_without_len = from_bad | kind_too_long;
        Out { words: view_words, tail_beat: view_tail_beat, tail_slot: view_tail_slot } = shape;
        view_bytes = shape.bytes;
        if kind_opens[0] & !from_bad & kind_too_long {
            view_bad = true;
            view_reason = protocol;
        }
        if from_bad {
            // HeadBad: dst, src and vl stand where they stand in a Head.
            view_header = bit_cast::<HEADER_BITS, 36>(first_data.bits::<36>(0))
                | (bit_cast::<HEADER_BITS, 4>(first_data.bits::<4>(36)) << 50);
        }
        if from_bad | kind_too_long {
            view_words = no_words;
        }
        for i in 0..F {
            view_data[i] = 0;
            if kind_opens[i] | kind_goes_on[i] {
                view_data[i] = kind_data[i];
            }
        }

        counts = view_counts;
        opens = view_opens;
        illegal = view_illegal;
        closes = view_closes;
        is_tail = view_is_tail;
        pcrc = view_trailer.bits::<WIDTH>(0);
        tag = view_trailer.bits::<16>(32);
        len2 = view_trailer.bits::<LEN_BITS>(48);
        is_bad = view_bad;
        reason = view_reason;
        header = view_header;
        without_len = view_without_len;
        words = view_words;
        tail_beat = view_tail_beat;
        tail_slot = view_tail_slot;
        bytes = view_bytes;
        let mut joined: Bits<DATA_W> = 0;
        for i in 0..F {
            slot_data = view_data[i];
            joined = joined | (bit_cast::<DATA_W, DATA_BITS>(slot_data) << data_shift[i]);
        }
        data = joined;
    }

    /// The kinds of the flits.
    fn see_kinds(&mut self) {
        opening = 0;
        going_on = 0;
        closing = 0;
        corrupted = 0;
        for i in 0..F {
            part[i].flit = flits.bits::<FLIT_BITS>(i * 65);
            opening = opening.with(i, part[i].opens);
            going_on = going_on.with(i, part[i].goes_on);
            closing = closing.with(i, part[i].closes);
            corrupted = corrupted.with(i, part[i].is_bad);
        }
        beat_there = valid & !clear;
        flits = beat;
        kinds_there = beat_there & !clear;
        kind_opens = opening;
        kind_goes_on = going_on;
        kind_closes = closing;
        kind_bad = corrupted;
        kind_too_long = flits.bits::<LEN_BITS>(36) > largest;
        for i in 0..F {
            kind_data[i] = flits.bits::<DATA_BITS>(i * 65);
            kind_reason[i] = part[i].reason;
        }
    }

    /// What they are together.
    fn gather(&mut self) {
        any_kind = kind_opens | kind_goes_on | kind_closes;
        begun = any_kind[0];
        ended = kind_closes[0];
        broken = false;
        first_close = 0;
        first_close = first_close.with(0, kind_closes[0]);
        for i in 1..F {
            // Nothing in between, nothing behind, no second head.
            broken = broken | kind_opens[i] | (any_kind[i] ^ (begun & !ended));
            first_close = first_close.with(i, kind_closes[i] & !ended);
            ended = ended | kind_closes[i];
        }
        found_bad = false;
        found_reason = 0;
        good_tail = false;
        trailer = 0;
        for i in 0..F {
            if kind_bad[i] & !found_bad {
                found_bad = true;
                found_reason = kind_reason[i];
            }
            if kind_closes[i] {
                trailer = trailer | kind_data[i].bits::<62>(0);
                good_tail = good_tail | !kind_bad[i];
            }
        }
    }
}

const _: () = assert!(head_bad::dst::LOW == head::dst::LOW && head_bad::src::LOW == head::src::LOW);
const _: () =
    assert!(head_bad::vl::LOW == head::vl::LOW && head_bad::ptype::LOW == 36 && head::ptype::LOW == 50);
const _: () =
    assert!(tail::pcrc::LOW == 0 && tail::tag::LOW == 32 && tail::len2::LOW == 48 && head::len::LOW == 36);
