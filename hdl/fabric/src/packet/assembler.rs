//! The sender's beats: header, payload and trailer in their slots.

use super::crc::PacketCrc;
use super::ingress::REQUEST_BITS;
use super::level::Level;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::crc::packet::WIDTH;
use flitforge_protocol::flit::{control, tail_bad, BadReason, Opcode, DATA_BITS, FLIT_BITS};
use flitforge_protocol::packet::{head, request, tail, MUTABLE_HEADER_BITS};

/// Beats under way at which no more are made: the 17 of a FIFO, less the one that is made before it shows.
const MOST_WAITING: u64 = 16;

/// Puts a beat together per `step`, and the CRC into its Tail. `HELD_W` = 66 `F` + 1 bits wait for it: the flits, which of
/// them is a Tail, whether the beat ends a packet.
#[block("packet_assembler", new, f = F)]
pub struct PacketAssembler<
    const F: usize,
    const FLITS_W: usize,
    const DATA_W: usize,
    const MASK_W: usize,
    const HELD_W: usize,
    const STEPS: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets beats.
    clear: In<Bit>,
    /// There is room for a beat; a register.
    room: Out<Bit>,
    /// A beat is made on this edge.
    step: In<Bit>,
    /// It is the packet's first.
    first: In<Bit>,
    /// It has a word of payload.
    with_word: In<Bit>,
    /// Only `byte_mask` of the word counts.
    last_word: In<Bit>,
    /// The Tail's slot, or none.
    tail_slot: In<Bits<F>>,
    /// The Tail says that the payload was wrong.
    wrong: In<Bit>,
    /// The Tail says that the source gave up.
    aborted: In<Bit>,
    /// Header and tag.
    current: In<Bits<REQUEST_BITS>>,
    /// Bytes that count in the last word.
    byte_mask: In<Bits<MASK_W>>,
    /// Payload.
    word: In<Bits<DATA_W>>,
    /// Beats of packets.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    #[wire(clock, clear)]
    crc: PacketCrc<DATA_W, STEPS>,
    #[wire(clock, clear)]
    waiting: SmallFifo<Bits<HELD_W>, 4, 5>,
    #[wire(clock, clear)]
    level: Level,
    /// The last flit of a word, which goes in the next beat's slot 0.
    carry: Reg<Bits<DATA_BITS>>,
    made: Reg<Bit>,
    #[wire(d = _)]
    data: [Reg<Bits<DATA_BITS>>; F],
    body: Reg<Bits<F>>,
    ends: Reg<Bits<F>>,
    is_first: Reg<Bit>,
    is_wrong: Reg<Bit>,
    is_aborted: Reg<Bit>,
    request: Reg<Bits<REQUEST_BITS>>,

    byte: Local<Bits<8>>,
    masked: Local<Bits<DATA_W>>,
    slot_data: Local<Bits<DATA_BITS>>,
    bodies: Local<Bits<F>>,
    ended: Local<Bit>,
    trailer: Local<Bits<FLIT_BITS>>,
    flit: Local<Bits<FLIT_BITS>>,
    held: Local<Bits<HELD_W>>,
    covered: Local<Bits<DATA_W>>,
    unused: Local<Bits<2>>,
    out: Local<Bits<HELD_W>>,
    flits: Local<Bits<FLITS_W>>,
    complete: Local<Bit>,
    #[init(0)]
    no_bytes: Constant<Bits<DATA_W>>,
    #[init(1_u64 << 63)]
    head_bit: Constant<Bits<DATA_BITS>>,
    immutable: Constant<Bits<DATA_W>>,
    #[init(1_u64 << 62)]
    tail_bit: Constant<Bits<FLIT_BITS>>,
    wrong_flit: Constant<Bits<FLIT_BITS>>,
    aborted_flit: Constant<Bits<FLIT_BITS>>,
    byte_shift: Vec<Constant<Bits<9>>>,
    flit_shift: Vec<Constant<Bits<9>>>,
    data_shift: Vec<Constant<Bits<9>>>,
    #[init(FLITS_W)]
    ends_shift: Constant<Bits<9>>,
    #[init(FLITS_W + F)]
    any_end_shift: Constant<Bits<9>>,
    unused_in: Vec<Constant<Bits<2>>>,
}

fn shifts(count: usize, step: usize) -> Vec<Constant<Bits<9>>> {
    (0..count).map(|index| Constant::new(((index * step) as u64).into())).collect()
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const DATA_W: usize,
        const MASK_W: usize,
        const HELD_W: usize,
        const STEPS: usize,
    > PacketAssembler<F, FLITS_W, DATA_W, MASK_W, HELD_W, STEPS>
{
    /// An assembler, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let bad = |reason: BadReason| {
            let payload = tail_bad::reason::FIELD.set(0, reason.code().into()) as u64;
            let word = control::opcode::FIELD.set(payload.into(), Opcode::TailBad.code().into());
            Constant::new((word as u64).into())
        };
        Ok(Self {
            crc: PacketCrc::new()?,
            waiting: SmallFifo::new()?,
            level: Level::new(MOST_WAITING),
            immutable: Constant::new((0..DATA_W).fold(Bits::default(), |bits: Bits<DATA_W>, bit| {
                bits.replace_bit(bit, bit >= DATA_BITS || MUTABLE_HEADER_BITS >> bit & 1 == 0)
            })),
            wrong_flit: bad(BadReason::Protocol),
            aborted_flit: bad(BadReason::Aborted),
            byte_shift: shifts(MASK_W, 8),
            flit_shift: shifts(F, FLIT_BITS),
            data_shift: shifts(F, DATA_BITS),
            unused_in: (0..F).map(|slot| Constant::new((((F - slot) % F) as u64).into())).collect(),
            ..
        })
    }

    fn update(&mut self) {
        // The payload of the word that counts.
        masked = no_bytes;
        for i in 0..MASK_W {
            byte = word.bits::<8>(i * 8);
            if with_word & (!last_word | byte_mask[i]) {
                masked = masked | (bit_cast::<DATA_W, 8>(byte) << byte_shift[i]);
            }
        }

        self.place_flits();

        // The trailer, without its CRC.
        trailer = tail_bit
            | (bit_cast::<FLIT_BITS, 16>(request.bits::<16>(60)) << 32)
            | (bit_cast::<FLIT_BITS, 14>(request.bits::<14>(36)) << 48);
        if is_wrong {
            trailer = wrong_flit | (bit_cast::<FLIT_BITS, 4>(request.bits::<4>(32)) << 8);
        }
        if is_aborted {
            trailer = aborted_flit | (bit_cast::<FLIT_BITS, 4>(request.bits::<4>(32)) << 8);
        }

        // Into the FIFO, and what the CRC covers into the CRC.
        held = 0;
        covered = 0;
        unused = 0;
        for i in 0..F {
            slot_data = data[i];
            flit = bit_cast::<FLIT_BITS, DATA_BITS>(slot_data).with(64, body[i]);
            if ends[i] {
                flit = flit | trailer;
                unused = unused_in[i];
            }
            held = held | (bit_cast::<HELD_W, FLIT_BITS>(flit) << flit_shift[i]);
            covered = covered | (bit_cast::<DATA_W, DATA_BITS>(slot_data) << data_shift[i]);
        }
        let any_end = ends.any();
        held = held | (bit_cast::<HELD_W, 1>(any_end.into()) << any_end_shift);
        if !is_wrong & !is_aborted {
            held = held | (bit_cast::<HELD_W, F>(ends) << ends_shift);
        }
        if is_first {
            covered = covered & immutable;
        }
        waiting.words_in = In { valid: made, data: held };
        crc.beat = In { valid: made, data: covered };
        crc = In { first: is_first, last: any_end, unused };

        // Out of the FIFO; the beat that ends a packet waits for the CRC.
        out = waiting.words_out.data;
        let tails = out >> ends_shift;
        let last_beat = (out >> any_end_shift).any();
        flits = 0;
        for i in 0..F {
            flit = out.bits::<FLIT_BITS>(i * 65);
            if tails[i] {
                flit = flit | bit_cast::<FLIT_BITS, WIDTH>(crc.crc.data);
            }
            flits = flits | (bit_cast::<FLITS_W, FLIT_BITS>(flit) << flit_shift[i]);
        }
        complete = !last_beat | crc.crc.valid;
        beats_out = In { data: flits, valid: waiting.words_out.valid & complete };
        waiting.words_out.ready = beats_out.ready & complete;
        level = In { up: step, down: beats_out.ready & complete & waiting.words_out.valid };
        room = level.low;
        crc.crc.ready = beats_out.ready & waiting.words_out.valid & last_beat;
    }

    /// Data and types by slot: one flit of the word before, all but the last of this one.
    fn place_flits(&mut self) {
        bodies = 0;
        ended = false;
        for i in 0..F {
            ended = ended | tail_slot[i];
            bodies = bodies.with(i, !ended);
        }
        made = step & !clear;
        body = bodies;
        if first {
            body = bodies.with(0, false);
        }
        ends = tail_slot;
        is_first = first;
        is_wrong = wrong;
        is_aborted = aborted;
        request = current;
        for i in 1..F {
            data[i] = masked.bits::<DATA_BITS>(i * 64 - 64);
        }
        data[0] = carry;
        if tail_slot[0] {
            data[0] = 0;
        }
        if first {
            data[0] = bit_cast::<DATA_BITS, 60>(current.bits::<60>(0)) | head_bit;
        }
        if step {
            for i in 0..F {
                // The last slot stays.
                carry = masked.bits::<DATA_BITS>(i * 64);
            }
        }
    }
}

const _: () =
    assert!(tail::tag::LOW == 32 && tail::len2::LOW == 48 && tail::pcrc::LOW == 0 && tail_bad::vl::LOW == 8);
const _: () = assert!(request::tag::LOW == 60 && head::len::LOW == 36 && head::vl::LOW == 32);
