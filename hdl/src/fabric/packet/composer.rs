//! The sender's beats: header, payload and trailer in their slots.

use super::crc::PacketCrc;
use super::door::REQUEST_BITS;
use super::level::Level;
use crate::config::ConfigError;
use crate::prim::stream::StreamOut;
use crate::prim::SmallFifo;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::crc::packet::WIDTH;
use flitforge_protocol::flit::{control, tail_bad, BadReason, Opcode, DATA_BITS, FLIT_BITS};
use flitforge_protocol::packet::{head, request, tail, MUTABLE_HEADER_BITS};

/// Beats under way at which no more are made: the 17 of a FIFO, less the one that is made before it shows.
const MOST_WAITING: u64 = 16;

/// Puts a beat together per `step`, and the CRC into its Tail. `HELD_W` = 66 `F` + 1 bits wait for it: the flits, which of
/// them is a Tail, whether the beat ends a packet.
#[derive(LogicBlock)]
pub struct PacketComposer<
    const F: usize,
    const FLITS_W: usize,
    const DATA_W: usize,
    const MASK_W: usize,
    const HELD_W: usize,
    const STEPS: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets beats.
    pub clear: Signal<In, Bit>,
    /// There is room for a beat; a register.
    pub room: Signal<Out, Bit>,
    /// A beat is made on this edge.
    pub step: Signal<In, Bit>,
    /// It is the packet's first.
    pub first: Signal<In, Bit>,
    /// It has a word of payload.
    pub with_word: Signal<In, Bit>,
    /// Only `byte_mask` of the word counts.
    pub last_word: Signal<In, Bit>,
    /// The Tail's slot, or none.
    pub tail_slot: Signal<In, Bits<F>>,
    /// The Tail says that the payload was wrong.
    pub wrong: Signal<In, Bit>,
    /// The Tail says that the source gave up.
    pub aborted: Signal<In, Bit>,
    /// Header and tag.
    pub current: Signal<In, Bits<REQUEST_BITS>>,
    /// Bytes that count in the last word.
    pub byte_mask: Signal<In, Bits<MASK_W>>,
    /// Payload.
    pub word: Signal<In, Bits<DATA_W>>,
    /// Beats of packets.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    crc: PacketCrc<DATA_W, STEPS>,
    waiting: SmallFifo<Bits<HELD_W>, 4, 5>,
    level: Level,
    /// The last flit of a word, which goes in the next beat's slot 0.
    carry: DFF<Bits<DATA_BITS>>,
    made: DFF<Bit>,
    data: [DFF<Bits<DATA_BITS>>; F],
    body: DFF<Bits<F>>,
    ends: DFF<Bits<F>>,
    is_first: DFF<Bit>,
    is_wrong: DFF<Bit>,
    is_aborted: DFF<Bit>,
    request: DFF<Bits<REQUEST_BITS>>,

    byte: Signal<Local, Bits<8>>,
    masked: Signal<Local, Bits<DATA_W>>,
    slot_data: Signal<Local, Bits<DATA_BITS>>,
    bodies: Signal<Local, Bits<F>>,
    ended: Signal<Local, Bit>,
    trailer: Signal<Local, Bits<FLIT_BITS>>,
    flit: Signal<Local, Bits<FLIT_BITS>>,
    held: Signal<Local, Bits<HELD_W>>,
    covered: Signal<Local, Bits<DATA_W>>,
    unused: Signal<Local, Bits<2>>,
    out: Signal<Local, Bits<HELD_W>>,
    flits: Signal<Local, Bits<FLITS_W>>,
    complete: Signal<Local, Bit>,
    any_end: Signal<Local, Bit>,
    tails: Signal<Local, Bits<HELD_W>>,
    last_beat: Signal<Local, Bit>,
    no_bytes: Constant<Bits<DATA_W>>,
    head_bit: Constant<Bits<DATA_BITS>>,
    immutable: Constant<Bits<DATA_W>>,
    tail_bit: Constant<Bits<FLIT_BITS>>,
    wrong_flit: Constant<Bits<FLIT_BITS>>,
    aborted_flit: Constant<Bits<FLIT_BITS>>,
    byte_shift: Vec<Constant<Bits<9>>>,
    flit_shift: Vec<Constant<Bits<9>>>,
    data_shift: Vec<Constant<Bits<9>>>,
    ends_shift: Constant<Bits<9>>,
    any_end_shift: Constant<Bits<9>>,
    unused_in: Vec<Constant<Bits<2>>>,
}

fn shifts(count: usize, step: usize) -> Vec<Constant<Bits<9>>> {
    (0..count).map(|index| Constant::new(((index * step) as u64).into())).collect()
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const DATA_W: usize,
        const MASK_W: usize,
        const HELD_W: usize,
        const STEPS: usize,
    > PacketComposer<F, FLITS_W, DATA_W, MASK_W, HELD_W, STEPS>
{
    /// A composer, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let bad = |reason: BadReason| {
            let payload = tail_bad::reason::FIELD.set(0, reason.code().into()) as u64;
            let word = control::opcode::FIELD.set(payload.into(), Opcode::TailBad.code().into());
            Constant::new((word as u64).into())
        };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            room: Default::default(),
            step: Default::default(),
            first: Default::default(),
            with_word: Default::default(),
            last_word: Default::default(),
            tail_slot: Default::default(),
            wrong: Default::default(),
            aborted: Default::default(),
            current: Default::default(),
            byte_mask: Default::default(),
            word: Default::default(),
            beats_out: Default::default(),
            crc: PacketCrc::new()?,
            waiting: SmallFifo::new()?,
            level: Level::new(MOST_WAITING),
            carry: Default::default(),
            made: Default::default(),
            data: defaults(),
            body: Default::default(),
            ends: Default::default(),
            is_first: Default::default(),
            is_wrong: Default::default(),
            is_aborted: Default::default(),
            request: Default::default(),
            byte: Default::default(),
            masked: Default::default(),
            slot_data: Default::default(),
            bodies: Default::default(),
            ended: Default::default(),
            trailer: Default::default(),
            flit: Default::default(),
            held: Default::default(),
            covered: Default::default(),
            unused: Default::default(),
            out: Default::default(),
            flits: Default::default(),
            complete: Default::default(),
            any_end: Default::default(),
            tails: Default::default(),
            last_beat: Default::default(),
            no_bytes: Constant::new(Bits::default()),
            head_bit: Constant::new((1_u64 << 63).into()),
            immutable: Constant::new((0..DATA_W).fold(Bits::default(), |bits: Bits<DATA_W>, bit| {
                bits.replace_bit(bit, bit >= DATA_BITS || MUTABLE_HEADER_BITS >> bit & 1 == 0)
            })),
            tail_bit: Constant::new((1_u64 << 62).into()),
            wrong_flit: bad(BadReason::Protocol),
            aborted_flit: bad(BadReason::Aborted),
            byte_shift: shifts(MASK_W, 8),
            flit_shift: shifts(F, FLIT_BITS),
            data_shift: shifts(F, DATA_BITS),
            ends_shift: Constant::new((FLITS_W as u64).into()),
            any_end_shift: Constant::new(((FLITS_W + F) as u64).into()),
            unused_in: (0..F).map(|slot| Constant::new((((F - slot) % F) as u64).into())).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const DATA_W: usize,
        const MASK_W: usize,
        const HELD_W: usize,
        const STEPS: usize,
    > Logic for PacketComposer<F, FLITS_W, DATA_W, MASK_W, HELD_W, STEPS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, carry, made, body, ends, is_first, is_wrong, is_aborted, request);
        clock!(self, clock, crc, waiting, level);
        self.crc.clear.next = self.clear.val();
        self.level.clear.next = self.clear.val();
        self.waiting.clear.next = self.clear.val();
        for i in 0..F {
            self.data[i].clock.next = self.clock.val();
        }

        // The payload of the word that counts.
        self.masked.next = self.no_bytes.val();
        for i in 0..MASK_W {
            self.byte.next = self.word.val().get_bits::<8>(i * 8);
            if self.with_word.val() & (!self.last_word.val() | self.byte_mask.val().get_bit(i)) {
                self.masked.next =
                    self.masked.val() | (bit_cast::<DATA_W, 8>(self.byte.val()) << self.byte_shift[i].val());
            }
        }

        // Data and types by slot: one flit of the word before, all but the last of this one.
        self.bodies.next = 0.into();
        self.ended.next = false;
        for i in 0..F {
            self.ended.next = self.ended.val() | self.tail_slot.val().get_bit(i);
            self.bodies.next = self.bodies.val().replace_bit(i, !self.ended.val());
        }
        self.made.d.next = self.step.val() & !self.clear.val();
        self.body.d.next = self.bodies.val();
        if self.first.val() {
            self.body.d.next = self.bodies.val().replace_bit(0, false);
        }
        self.ends.d.next = self.tail_slot.val();
        self.is_first.d.next = self.first.val();
        self.is_wrong.d.next = self.wrong.val();
        self.is_aborted.d.next = self.aborted.val();
        self.request.d.next = self.current.val();
        for i in 1..F {
            self.data[i].d.next = self.masked.val().get_bits::<DATA_BITS>(i * 64 - 64);
        }
        self.data[0].d.next = self.carry.q.val();
        if self.tail_slot.val().get_bit(0) {
            self.data[0].d.next = 0.into();
        }
        if self.first.val() {
            self.data[0].d.next =
                bit_cast::<DATA_BITS, 60>(self.current.val().get_bits::<60>(0)) | self.head_bit.val();
        }
        if self.step.val() {
            for i in 0..F {
                // The last slot stays.
                self.carry.d.next = self.masked.val().get_bits::<DATA_BITS>(i * 64);
            }
        }

        // The trailer, without its CRC.
        self.trailer.next = self.tail_bit.val()
            | (bit_cast::<FLIT_BITS, 16>(self.request.q.val().get_bits::<16>(60)) << 32)
            | (bit_cast::<FLIT_BITS, 14>(self.request.q.val().get_bits::<14>(36)) << 48);
        if self.is_wrong.q.val() {
            self.trailer.next = self.wrong_flit.val()
                | (bit_cast::<FLIT_BITS, 4>(self.request.q.val().get_bits::<4>(32)) << 8);
        }
        if self.is_aborted.q.val() {
            self.trailer.next = self.aborted_flit.val()
                | (bit_cast::<FLIT_BITS, 4>(self.request.q.val().get_bits::<4>(32)) << 8);
        }

        // Into the FIFO, and what the CRC covers into the CRC.
        self.held.next = 0.into();
        self.covered.next = 0.into();
        self.unused.next = 0.into();
        for i in 0..F {
            self.slot_data.next = self.data[i].q.val();
            self.flit.next = bit_cast::<FLIT_BITS, DATA_BITS>(self.slot_data.val())
                .replace_bit(64, self.body.q.val().get_bit(i));
            if self.ends.q.val().get_bit(i) {
                self.flit.next = self.flit.val() | self.trailer.val();
                self.unused.next = self.unused_in[i].val();
            }
            self.held.next = self.held.val()
                | (bit_cast::<HELD_W, FLIT_BITS>(self.flit.val()) << self.flit_shift[i].val());
            self.covered.next = self.covered.val()
                | (bit_cast::<DATA_W, DATA_BITS>(self.slot_data.val()) << self.data_shift[i].val());
        }
        self.any_end.next = self.ends.q.val().any();
        self.held.next =
            self.held.val() | (bit_cast::<HELD_W, 1>(self.any_end.val().into()) << self.any_end_shift.val());
        if !self.is_wrong.q.val() & !self.is_aborted.q.val() {
            self.held.next =
                self.held.val() | (bit_cast::<HELD_W, F>(self.ends.q.val()) << self.ends_shift.val());
        }
        if self.is_first.q.val() {
            self.covered.next = self.covered.val() & self.immutable.val();
        }
        self.waiting.words_in.valid.next = self.made.q.val();
        self.waiting.words_in.data.next = self.held.val();
        self.crc.beat.valid.next = self.made.q.val();
        self.crc.beat.data.next = self.covered.val();
        self.crc.first.next = self.is_first.q.val();
        self.crc.last.next = self.any_end.val();
        self.crc.unused.next = self.unused.val();

        // Out of the FIFO; the beat that ends a packet waits for the CRC.
        self.out.next = self.waiting.words_out.data.val();
        self.tails.next = self.out.val() >> self.ends_shift.val();
        self.last_beat.next = (self.out.val() >> self.any_end_shift.val()).any();
        self.flits.next = 0.into();
        for i in 0..F {
            self.flit.next = self.out.val().get_bits::<FLIT_BITS>(i * 65);
            if self.tails.val().get_bit(i) {
                self.flit.next = self.flit.val() | bit_cast::<FLIT_BITS, WIDTH>(self.crc.crc.data.val());
            }
            self.flits.next = self.flits.val()
                | (bit_cast::<FLITS_W, FLIT_BITS>(self.flit.val()) << self.flit_shift[i].val());
        }
        self.complete.next = !self.last_beat.val() | self.crc.crc.valid.val();
        self.beats_out.data.next = self.flits.val();
        self.beats_out.valid.next = self.waiting.words_out.valid.val() & self.complete.val();
        self.waiting.words_out.ready.next = self.beats_out.ready.val() & self.complete.val();
        self.level.up.next = self.step.val();
        self.level.down.next =
            self.beats_out.ready.val() & self.complete.val() & self.waiting.words_out.valid.val();
        self.room.next = self.level.low.val();
        self.crc.crc.ready.next =
            self.beats_out.ready.val() & self.waiting.words_out.valid.val() & self.last_beat.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_composer", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const DATA_W: usize, const MASK_W: usize, const HELD_W: usize, const STEPS: usize] PacketComposer<F, FLITS_W, DATA_W, MASK_W, HELD_W, STEPS> {
    clock, clear, room, step, first, with_word, last_word, tail_slot, wrong, aborted, current, byte_mask, word, beats_out,
});

const _: () =
    assert!(tail::tag::LOW == 32 && tail::len2::LOW == 48 && tail::pcrc::LOW == 0 && tail_bad::vl::LOW == 8);
const _: () = assert!(request::tag::LOW == 60 && head::len::LOW == 36 && head::vl::LOW == 32);
