//! Which lane a received beat is for.

use super::kinds::{VlKinds, VL_BITS};
use super::stack::VlStack;
use crate::packet::{PacketShape, COUNT_BITS, LEN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::{head, lane_flits, tail};

/// Bits that count a beat's flits.
pub const FLITS_BITS: usize = lane_flits::flits::WIDTH;

/// Two stages: the kinds of the flits, and the lane by the stack. What is said of a beat stands two steps later, and stays until the
/// next one.
#[block("vl_classifier", f = F, lanes = N)]
pub struct VlClassifier<
    const F: usize,
    const FLITS_W: usize,
    const BYTES_W: usize,
    const N: usize,
    const M: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The stack is empty, beats are forgotten.
    clear: In<Bit>,
    /// Beats go on by a stage.
    moves: In<Bit>,
    /// A beat comes in.
    valid: In<Bit>,
    /// The beat.
    beat: In<Bits<FLITS_W>>,
    /// With `beat`: slots with an Idle that came as an undefined opcode.
    undefined: In<Bits<F>>,
    /// A beat with packet flits, or lost ones, is there.
    there: Out<Bit>,
    /// The beat.
    flits: Out<Bits<FLITS_W>>,
    /// Slots with packet flits.
    packet: Out<Bits<F>>,
    /// How many they are, lost ones among them.
    count: Out<Bits<FLITS_BITS>>,
    /// Slots with a Tail or TailBad.
    closes: Out<Bits<F>>,
    /// Its lane, if that is built, or none.
    lane: Out<Bits<N>>,
    /// The lane's number.
    number: Out<Bits<VL_BITS>>,
    /// It begins with a head.
    opens: Out<Bit>,
    /// The head may begin a packet.
    fresh: Out<Bit>,
    /// The composition is illegal.
    corrupts: Out<Bit>,
    /// No sender makes this beat here; also of beats without packet flits.
    wrong: Out<Bit>,
    /// What closes is a Tail.
    is_tail: Out<Bit>,
    /// The Tail's copy of the length.
    len2: Out<Bits<LEN_BITS>>,
    /// With `opens`: the head says a length.
    sized: Out<Bit>,
    /// With `opens`: beats from here to the Tail's.
    tail_beat: Out<Bits<COUNT_BITS>>,
    /// With `opens`: slot of the Tail.
    tail_slot: Out<Bits<F>>,

    kinds: VlKinds<F, FLITS_W, N, M>,
    #[wire(clock, clear)]
    stack: VlStack<M>,
    shape: PacketShape<F, BYTES_W>,
    // The kinds of the flits.
    kind_there: Reg<Bit>,
    kind_beat: Reg<Bits<FLITS_W>>,
    kind_packet: Reg<Bits<F>>,
    kind_closes: Reg<Bits<F>>,
    kind_opens: Reg<Bit>,
    kind_marks: Reg<Bit>,
    kind_lost: Reg<Bits<F>>,
    kind_stray: Reg<Bit>,
    kind_lane: Reg<Bits<M>>,
    kind_number: Reg<Bits<VL_BITS>>,
    // The lane of the beat, and what the beat is to it.
    turn_there: Reg<Bit>,
    turn_beat: Reg<Bits<FLITS_W>>,
    turn_packet: Reg<Bits<F>>,
    turn_count: Reg<Bits<FLITS_BITS>>,
    turn_closes: Reg<Bits<F>>,
    turn_lane: Reg<Bits<N>>,
    turn_number: Reg<Bits<VL_BITS>>,
    turn_opens: Reg<Bit>,
    turn_fresh: Reg<Bit>,
    turn_corrupts: Reg<Bit>,
    turn_wrong: Reg<Bit>,
    turn_is_tail: Reg<Bit>,
    turn_len2: Reg<Bits<LEN_BITS>>,
    turn_sized: Reg<Bit>,
    turn_tail_beat: Reg<Bits<COUNT_BITS>>,
    turn_tail_slot: Reg<Bits<F>>,

    #[init((0..N).map(|lane| Constant::new((lane as u64).into())).collect())]
    lane_number: Vec<Constant<Bits<VL_BITS>>>,
}

#[logic]
impl<const F: usize, const FLITS_W: usize, const BYTES_W: usize, const N: usize, const M: usize>
    VlClassifier<F, FLITS_W, BYTES_W, N, M>
{
    fn update(&mut self) {
        kinds = In { beat, undefined };
        if moves {
            kind_there = valid;
            kind_beat = beat;
            Out { packet: kind_packet, closes: kind_closes, opens: kind_opens, marks: kind_marks } = kinds;
            Out { lost: kind_lost, stray: kind_stray, lane: kind_lane, number: kind_number } = kinds;
        }

        let lost = self.find_lost();

        // Packet flits fill the beat from slot 0 up to the end of their packet.
        let mut illegal = kind_stray | lost.any();
        for i in 1..F {
            illegal = illegal | (kind_packet[i] ^ (kind_packet[i - 1] & !kind_closes[i - 1]));
        }
        let any = kind_packet.any() | lost.any();
        let wide = bit_cast::<4, F>(kind_packet | lost);
        let some_two =
            (wide[0] & wide[1]) | (wide[2] & wide[3]) | ((wide[0] | wide[1]) & (wide[2] | wide[3]));
        let mut flit_count: Bits<FLITS_BITS> = 0;
        flit_count = flit_count.with(0, wide.xor());
        flit_count = flit_count.with(1, some_two & !wide.all());
        flit_count = flit_count.with(2, wide.all());
        let mut last_len: Bits<LEN_BITS> = 0;
        let mut tail_is_last = false;
        for i in 0..F {
            if kind_closes[i] {
                last_len = last_len | kind_beat.bits::<LEN_BITS>(i * 65 + 48);
                tail_is_last = tail_is_last | kind_beat[i * 65 + 62];
            }
        }

        self.find_lane(illegal, any, flit_count, last_len, tail_is_last);
    }

    /// Flits of a packet that the link has made Idle.
    fn find_lost(&mut self) -> Bits<F> {
        let mut lost: Bits<F> = 0;
        if kind_opens | stack.some {
            lost = kind_lost;
        }
        lost
    }

    /// Whose beat it is: of the lane that it names, else of the top of the stack.
    fn find_lane(
        &mut self,
        illegal: Bit,
        any: Bit,
        flit_count: Bits<FLITS_BITS>,
        last_len: Bits<LEN_BITS>,
        tail_is_last: Bit,
    ) {
        let named = kind_opens | kind_marks;
        stack = In { step: moves & kind_there, lane: kind_lane, names: named, ends: kind_closes.any() };
        let top = stack.top;
        let mut now_lane = kind_lane;
        let mut now_number = kind_number;
        if !named {
            now_lane = top;
            now_number = 0;
            for v in 0..N {
                if top[v] {
                    now_number = now_number | lane_number[v];
                }
            }
        }
        let mut unknown = any & !stack.some;
        if kind_marks {
            unknown = !stack.known;
        }
        if kind_opens {
            unknown = stack.known | !kind_lane.bits::<N>(0).any();
        }

        shape.len = kind_beat.bits::<LEN_BITS>(36);
        if moves {
            turn_there = kind_there & any;
            turn_beat = kind_beat;
            turn_packet = kind_packet;
            turn_count = flit_count;
            turn_closes = kind_closes;
            turn_lane = now_lane.bits::<N>(0);
            turn_number = now_number;
            turn_opens = kind_opens;
            turn_fresh = !unknown & !illegal;
            turn_corrupts = illegal;
            turn_wrong = kind_there & (illegal | unknown);
            turn_is_tail = tail_is_last;
            turn_len2 = last_len;
            turn_sized = kind_beat[63];
            Out { tail_beat: turn_tail_beat, tail_slot: turn_tail_slot } = shape;
        }
        if clear {
            kind_there = false;
            turn_there = false;
            turn_wrong = false;
        }
        there = turn_there;
        flits = turn_beat;
        packet = turn_packet;
        count = turn_count;
        closes = turn_closes;
        lane = turn_lane;
        number = turn_number;
        opens = turn_opens;
        fresh = turn_fresh;
        corrupts = turn_corrupts;
        wrong = turn_wrong;
        is_tail = turn_is_tail;
        len2 = turn_len2;
        sized = turn_sized;
        tail_beat = turn_tail_beat;
        tail_slot = turn_tail_slot;
    }
}

const _: () = assert!(head::len::LOW == 36 && tail::len2::LOW == 48 && tail::len2::WIDTH == LEN_BITS);
