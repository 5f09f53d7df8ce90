//! What a received beat is to a packet.

use super::part::{PacketPart, REASON_BITS};
use super::shape::{PacketShape, COUNT_BITS, LEN_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::crc::packet::WIDTH;
use flitforge_protocol::flit::{head_bad, BadReason, DATA_BITS, FLIT_BITS};
use flitforge_protocol::packet::{head, tail, HEADER_BITS};

/// Three stages: the beat, the kinds of its flits, and what they are together. One beat per clock; what is
/// said of it is registered and stands three clocks later, for one clock.
#[derive(LogicBlock)]
pub struct PacketReader<const F: usize, const FLITS_W: usize, const DATA_W: usize, const BYTES_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets beats.
    pub clear: Signal<In, Bit>,
    /// A beat is there.
    pub valid: Signal<In, Bit>,
    /// The beat.
    pub beat: Signal<In, Bits<FLITS_W>>,
    /// The beat has packet flits.
    pub counts: Signal<Out, Bit>,
    /// Slot 0 has a Head or HeadBad.
    pub opens: Signal<Out, Bit>,
    /// The flits do not stand together from slot 0, do not fill the beat or reach to a Tail, or a head is among them.
    pub illegal: Signal<Out, Bit>,
    /// Slot of the Tail or TailBad, or none.
    pub closes: Signal<Out, Bits<F>>,
    /// What closes is a Tail.
    pub is_tail: Signal<Out, Bit>,
    /// The Tail's tag.
    pub tag: Signal<Out, Bits<16>>,
    /// The Tail's copy of the length.
    pub len2: Signal<Out, Bits<LEN_BITS>>,
    /// The Tail's CRC.
    pub pcrc: Signal<Out, Bits<WIDTH>>,
    /// A flit is bad.
    pub is_bad: Signal<Out, Bit>,
    /// The first bad flit's reason.
    pub reason: Signal<Out, Bits<REASON_BITS>>,
    /// Data of head and Body flits, other slots 0.
    pub data: Signal<Out, Bits<DATA_W>>,
    /// With `opens`: the header, with length 0 from a HeadBad.
    pub header: Signal<Out, Bits<HEADER_BITS>>,
    /// With `opens`: no length, or one above the MTU; no words.
    pub without_len: Signal<Out, Bit>,
    /// With `opens`: words of payload.
    pub words: Signal<Out, Bits<COUNT_BITS>>,
    /// With `opens`: number of the Tail's beat.
    pub tail_beat: Signal<Out, Bits<COUNT_BITS>>,
    /// With `opens`: the Tail's slot.
    pub tail_slot: Signal<Out, Bits<F>>,
    /// With `opens`: bytes of the last word.
    pub bytes: Signal<Out, Bits<BYTES_W>>,

    part: [PacketPart; F],
    shape: PacketShape<F, BYTES_W>,
    beat_there: DFF<Bit>,
    flits: DFF<Bits<FLITS_W>>,
    // The kinds.
    kinds_there: DFF<Bit>,
    kind_data: [DFF<Bits<DATA_BITS>>; F],
    kind_opens: DFF<Bits<F>>,
    kind_goes_on: DFF<Bits<F>>,
    kind_closes: DFF<Bits<F>>,
    kind_bad: DFF<Bits<F>>,
    kind_too_long: DFF<Bit>,
    kind_reason: [DFF<Bits<REASON_BITS>>; F],
    // What they are together.
    view_counts: DFF<Bit>,
    view_opens: DFF<Bit>,
    view_illegal: DFF<Bit>,
    view_closes: DFF<Bits<F>>,
    view_is_tail: DFF<Bit>,
    view_trailer: DFF<Bits<62>>,
    view_bad: DFF<Bit>,
    view_reason: DFF<Bits<REASON_BITS>>,
    view_data: [DFF<Bits<DATA_BITS>>; F],
    view_header: DFF<Bits<HEADER_BITS>>,
    view_without_len: DFF<Bit>,
    view_words: DFF<Bits<COUNT_BITS>>,
    view_tail_beat: DFF<Bits<COUNT_BITS>>,
    view_tail_slot: DFF<Bits<F>>,
    view_bytes: DFF<Bits<BYTES_W>>,

    opening: Signal<Local, Bits<F>>,
    going_on: Signal<Local, Bits<F>>,
    closing: Signal<Local, Bits<F>>,
    spoilt: Signal<Local, Bits<F>>,
    any_kind: Signal<Local, Bits<F>>,
    begun: Signal<Local, Bit>,
    ended: Signal<Local, Bit>,
    broken: Signal<Local, Bit>,
    first_close: Signal<Local, Bits<F>>,
    found_bad: Signal<Local, Bit>,
    found_reason: Signal<Local, Bits<REASON_BITS>>,
    good_tail: Signal<Local, Bit>,
    trailer: Signal<Local, Bits<62>>,
    from_bad: Signal<Local, Bit>,
    first_data: Signal<Local, Bits<DATA_BITS>>,
    slot_data: Signal<Local, Bits<DATA_BITS>>,
    joined: Signal<Local, Bits<DATA_W>>,
    no_words: Constant<Bits<COUNT_BITS>>,
    largest: Constant<Bits<LEN_BITS>>,
    protocol: Constant<Bits<REASON_BITS>>,
    data_shift: Vec<Constant<Bits<9>>>,
}

impl<const F: usize, const FLITS_W: usize, const DATA_W: usize, const BYTES_W: usize>
    PacketReader<F, FLITS_W, DATA_W, BYTES_W>
{
    /// Takes packets of up to `mtu` bytes.
    pub fn new(mtu: usize) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            valid: Default::default(),
            beat: Default::default(),
            counts: Default::default(),
            opens: Default::default(),
            illegal: Default::default(),
            closes: Default::default(),
            is_tail: Default::default(),
            tag: Default::default(),
            len2: Default::default(),
            pcrc: Default::default(),
            is_bad: Default::default(),
            reason: Default::default(),
            data: Default::default(),
            header: Default::default(),
            without_len: Default::default(),
            words: Default::default(),
            tail_beat: Default::default(),
            tail_slot: Default::default(),
            bytes: Default::default(),
            part: defaults(),
            shape: Default::default(),
            beat_there: Default::default(),
            flits: Default::default(),
            kinds_there: Default::default(),
            kind_data: defaults(),
            kind_opens: Default::default(),
            kind_goes_on: Default::default(),
            kind_closes: Default::default(),
            kind_bad: Default::default(),
            kind_too_long: Default::default(),
            kind_reason: defaults(),
            view_counts: Default::default(),
            view_opens: Default::default(),
            view_illegal: Default::default(),
            view_closes: Default::default(),
            view_is_tail: Default::default(),
            view_trailer: Default::default(),
            view_bad: Default::default(),
            view_reason: Default::default(),
            view_data: defaults(),
            view_header: Default::default(),
            view_without_len: Default::default(),
            view_words: Default::default(),
            view_tail_beat: Default::default(),
            view_tail_slot: Default::default(),
            view_bytes: Default::default(),
            opening: Default::default(),
            going_on: Default::default(),
            closing: Default::default(),
            spoilt: Default::default(),
            any_kind: Default::default(),
            begun: Default::default(),
            ended: Default::default(),
            broken: Default::default(),
            first_close: Default::default(),
            found_bad: Default::default(),
            found_reason: Default::default(),
            good_tail: Default::default(),
            trailer: Default::default(),
            from_bad: Default::default(),
            first_data: Default::default(),
            slot_data: Default::default(),
            joined: Default::default(),
            no_words: Constant::new(0.into()),
            largest: Constant::new((mtu as u64).into()),
            protocol: Constant::new(u64::from(BadReason::Protocol.code()).into()),
            data_shift: (0..F).map(|slot| Constant::new(((DATA_BITS * slot) as u64).into())).collect(),
        }
    }
}

impl<const F: usize, const FLITS_W: usize, const DATA_W: usize, const BYTES_W: usize> Logic
    for PacketReader<F, FLITS_W, DATA_W, BYTES_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            beat_there,
            flits,
            kinds_there,
            kind_opens,
            kind_goes_on,
            kind_closes,
            kind_bad,
            kind_too_long
        );
        dff_setup!(
            self,
            clock,
            view_counts,
            view_opens,
            view_illegal,
            view_closes,
            view_is_tail,
            view_trailer
        );
        dff_setup!(self, clock, view_bad, view_reason, view_header, view_without_len);
        dff_setup!(self, clock, view_words, view_tail_beat, view_tail_slot, view_bytes);
        for i in 0..F {
            self.kind_data[i].clock.next = self.clock.val();
            self.kind_reason[i].clock.next = self.clock.val();
            self.view_data[i].clock.next = self.clock.val();
        }

        // The kinds of the flits.
        self.opening.next = 0.into();
        self.going_on.next = 0.into();
        self.closing.next = 0.into();
        self.spoilt.next = 0.into();
        for i in 0..F {
            self.part[i].flit.next = self.flits.q.val().get_bits::<FLIT_BITS>(i * 65);
            self.opening.next = self.opening.val().replace_bit(i, self.part[i].opens.val());
            self.going_on.next = self.going_on.val().replace_bit(i, self.part[i].goes_on.val());
            self.closing.next = self.closing.val().replace_bit(i, self.part[i].closes.val());
            self.spoilt.next = self.spoilt.val().replace_bit(i, self.part[i].is_bad.val());
        }
        self.beat_there.d.next = self.valid.val() & !self.clear.val();
        self.flits.d.next = self.beat.val();
        self.kinds_there.d.next = self.beat_there.q.val() & !self.clear.val();
        self.kind_opens.d.next = self.opening.val();
        self.kind_goes_on.d.next = self.going_on.val();
        self.kind_closes.d.next = self.closing.val();
        self.kind_bad.d.next = self.spoilt.val();
        self.kind_too_long.d.next = self.flits.q.val().get_bits::<LEN_BITS>(36) > self.largest.val();
        for i in 0..F {
            self.kind_data[i].d.next = self.flits.q.val().get_bits::<DATA_BITS>(i * 65);
            self.kind_reason[i].d.next = self.part[i].reason.val();
        }

        // What they are together.
        self.any_kind.next = self.kind_opens.q.val() | self.kind_goes_on.q.val() | self.kind_closes.q.val();
        self.begun.next = self.any_kind.val().get_bit(0);
        self.ended.next = self.kind_closes.q.val().get_bit(0);
        self.broken.next = false;
        self.first_close.next = 0.into();
        self.first_close.next = self.first_close.val().replace_bit(0, self.kind_closes.q.val().get_bit(0));
        for i in 1..F {
            // Nothing in between, nothing behind, no second head.
            self.broken.next = self.broken.val()
                | self.kind_opens.q.val().get_bit(i)
                | (self.any_kind.val().get_bit(i) ^ (self.begun.val() & !self.ended.val()));
            self.first_close.next = self
                .first_close
                .val()
                .replace_bit(i, self.kind_closes.q.val().get_bit(i) & !self.ended.val());
            self.ended.next = self.ended.val() | self.kind_closes.q.val().get_bit(i);
        }
        self.found_bad.next = false;
        self.found_reason.next = 0.into();
        self.good_tail.next = false;
        self.trailer.next = 0.into();
        for i in 0..F {
            if self.kind_bad.q.val().get_bit(i) & !self.found_bad.val() {
                self.found_bad.next = true;
                self.found_reason.next = self.kind_reason[i].q.val();
            }
            if self.kind_closes.q.val().get_bit(i) {
                self.trailer.next = self.trailer.val() | self.kind_data[i].q.val().get_bits::<62>(0);
                self.good_tail.next = self.good_tail.val() | !self.kind_bad.q.val().get_bit(i);
            }
        }

        // What a head says.
        self.first_data.next = self.kind_data[0].q.val();
        self.from_bad.next = self.kind_bad.q.val().get_bit(0);
        self.shape.len.next = self.first_data.val().get_bits::<LEN_BITS>(36);

        self.view_counts.d.next = self.kinds_there.q.val() & self.any_kind.val().any() & !self.clear.val();
        self.view_opens.d.next = self.kind_opens.q.val().get_bit(0);
        self.view_illegal.d.next = self.broken.val();
        self.view_closes.d.next = self.first_close.val();
        self.view_is_tail.d.next = self.good_tail.val();
        self.view_trailer.d.next = self.trailer.val();
        self.view_bad.d.next = self.found_bad.val();
        self.view_reason.d.next = self.found_reason.val();
        self.view_header.d.next = self.first_data.val().get_bits::<HEADER_BITS>(0);
        self.view_without_len.d.next = self.from_bad.val() | self.kind_too_long.q.val();
        self.view_words.d.next = self.shape.words.val();
        self.view_tail_beat.d.next = self.shape.tail_beat.val();
        self.view_tail_slot.d.next = self.shape.tail_slot.val();
        self.view_bytes.d.next = self.shape.bytes.val();
        if self.kind_opens.q.val().get_bit(0) & !self.from_bad.val() & self.kind_too_long.q.val() {
            self.view_bad.d.next = true;
            self.view_reason.d.next = self.protocol.val();
        }
        if self.from_bad.val() {
            // HeadBad: dst, src and vl stand where they stand in a Head.
            self.view_header.d.next = bit_cast::<HEADER_BITS, 36>(self.first_data.val().get_bits::<36>(0))
                | (bit_cast::<HEADER_BITS, 4>(self.first_data.val().get_bits::<4>(36)) << 50);
        }
        if self.from_bad.val() | self.kind_too_long.q.val() {
            self.view_words.d.next = self.no_words.val();
        }
        for i in 0..F {
            self.view_data[i].d.next = 0.into();
            if self.kind_opens.q.val().get_bit(i) | self.kind_goes_on.q.val().get_bit(i) {
                self.view_data[i].d.next = self.kind_data[i].q.val();
            }
        }

        self.counts.next = self.view_counts.q.val();
        self.opens.next = self.view_opens.q.val();
        self.illegal.next = self.view_illegal.q.val();
        self.closes.next = self.view_closes.q.val();
        self.is_tail.next = self.view_is_tail.q.val();
        self.pcrc.next = self.view_trailer.q.val().get_bits::<WIDTH>(0);
        self.tag.next = self.view_trailer.q.val().get_bits::<16>(32);
        self.len2.next = self.view_trailer.q.val().get_bits::<LEN_BITS>(48);
        self.is_bad.next = self.view_bad.q.val();
        self.reason.next = self.view_reason.q.val();
        self.header.next = self.view_header.q.val();
        self.without_len.next = self.view_without_len.q.val();
        self.words.next = self.view_words.q.val();
        self.tail_beat.next = self.view_tail_beat.q.val();
        self.tail_slot.next = self.view_tail_slot.q.val();
        self.bytes.next = self.view_bytes.q.val();
        self.joined.next = 0.into();
        for i in 0..F {
            self.slot_data.next = self.view_data[i].q.val();
            self.joined.next = self.joined.val()
                | (bit_cast::<DATA_W, DATA_BITS>(self.slot_data.val()) << self.data_shift[i].val());
        }
        self.data.next = self.joined.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_reader", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const DATA_W: usize, const BYTES_W: usize] PacketReader<F, FLITS_W, DATA_W, BYTES_W> {
    clock, clear, valid, beat, counts, opens, illegal, closes, is_tail, tag, len2, pcrc, is_bad, reason, data, header,
    without_len, words, tail_beat, tail_slot, bytes,
});

const _: () = assert!(head_bad::dst::LOW == head::dst::LOW && head_bad::src::LOW == head::src::LOW);
const _: () =
    assert!(head_bad::vl::LOW == head::vl::LOW && head_bad::ptype::LOW == 36 && head::ptype::LOW == 50);
const _: () =
    assert!(tail::pcrc::LOW == 0 && tail::tag::LOW == 32 && tail::len2::LOW == 48 && head::len::LOW == 36);
