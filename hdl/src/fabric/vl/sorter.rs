//! Which lane a received beat is for.

use super::kinds::{VlKinds, VL_BITS};
use super::stack::VlStack;
use crate::fabric::packet::{PacketShape, COUNT_BITS, LEN_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::{head, lane_flits, tail};

/// Bits that count a beat's flits.
pub const FLITS_BITS: usize = lane_flits::flits::WIDTH;

/// Two stages: the kinds of the flits, and the lane by the stack. What is said of a beat stands two steps later, and stays until the
/// next one.
#[derive(LogicBlock)]
pub struct VlSorter<
    const F: usize,
    const FLITS_W: usize,
    const BYTES_W: usize,
    const N: usize,
    const M: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The stack is empty, beats are forgotten.
    pub clear: Signal<In, Bit>,
    /// Beats go on by a stage.
    pub moves: Signal<In, Bit>,
    /// A beat comes in.
    pub valid: Signal<In, Bit>,
    /// The beat.
    pub beat: Signal<In, Bits<FLITS_W>>,
    /// With `beat`: slots with an Idle that came as an undefined opcode.
    pub undefined: Signal<In, Bits<F>>,
    /// A beat with packet flits, or lost ones, is there.
    pub there: Signal<Out, Bit>,
    /// The beat.
    pub flits: Signal<Out, Bits<FLITS_W>>,
    /// Slots with packet flits.
    pub packet: Signal<Out, Bits<F>>,
    /// How many they are, lost ones among them.
    pub count: Signal<Out, Bits<FLITS_BITS>>,
    /// Slots with a Tail or TailBad.
    pub closes: Signal<Out, Bits<F>>,
    /// Its lane, if that is built, or none.
    pub lane: Signal<Out, Bits<N>>,
    /// The lane's number.
    pub number: Signal<Out, Bits<VL_BITS>>,
    /// It begins with a head.
    pub opens: Signal<Out, Bit>,
    /// The head may begin a packet.
    pub fresh: Signal<Out, Bit>,
    /// The composition is illegal.
    pub spoils: Signal<Out, Bit>,
    /// No sender makes this beat here; also of beats without packet flits.
    pub wrong: Signal<Out, Bit>,
    /// What closes is a Tail.
    pub is_tail: Signal<Out, Bit>,
    /// The Tail's copy of the length.
    pub len2: Signal<Out, Bits<LEN_BITS>>,
    /// With `opens`: the head says a length.
    pub sized: Signal<Out, Bit>,
    /// With `opens`: beats from here to the Tail's.
    pub tail_beat: Signal<Out, Bits<COUNT_BITS>>,
    /// With `opens`: slot of the Tail.
    pub tail_slot: Signal<Out, Bits<F>>,

    kinds: VlKinds<F, FLITS_W, N, M>,
    stack: VlStack<M>,
    shape: PacketShape<F, BYTES_W>,
    // The kinds of the flits.
    kind_there: DFF<Bit>,
    kind_beat: DFF<Bits<FLITS_W>>,
    kind_packet: DFF<Bits<F>>,
    kind_closes: DFF<Bits<F>>,
    kind_opens: DFF<Bit>,
    kind_marks: DFF<Bit>,
    kind_lost: DFF<Bits<F>>,
    kind_stray: DFF<Bit>,
    kind_lane: DFF<Bits<M>>,
    kind_number: DFF<Bits<VL_BITS>>,
    // The lane of the beat, and what the beat is to it.
    turn_there: DFF<Bit>,
    turn_beat: DFF<Bits<FLITS_W>>,
    turn_packet: DFF<Bits<F>>,
    turn_count: DFF<Bits<FLITS_BITS>>,
    turn_closes: DFF<Bits<F>>,
    turn_lane: DFF<Bits<N>>,
    turn_number: DFF<Bits<VL_BITS>>,
    turn_opens: DFF<Bit>,
    turn_fresh: DFF<Bit>,
    turn_spoils: DFF<Bit>,
    turn_wrong: DFF<Bit>,
    turn_is_tail: DFF<Bit>,
    turn_len2: DFF<Bits<LEN_BITS>>,
    turn_sized: DFF<Bit>,
    turn_tail_beat: DFF<Bits<COUNT_BITS>>,
    turn_tail_slot: DFF<Bits<F>>,

    lost: Signal<Local, Bits<F>>,
    illegal: Signal<Local, Bit>,
    any: Signal<Local, Bit>,
    wide: Signal<Local, Bits<4>>,
    some_two: Signal<Local, Bit>,
    flit_count: Signal<Local, Bits<FLITS_BITS>>,
    last_len: Signal<Local, Bits<LEN_BITS>>,
    tail_is_last: Signal<Local, Bit>,
    named: Signal<Local, Bit>,
    top: Signal<Local, Bits<M>>,
    now_lane: Signal<Local, Bits<M>>,
    now_number: Signal<Local, Bits<VL_BITS>>,
    unknown: Signal<Local, Bit>,
    lane_number: Vec<Constant<Bits<VL_BITS>>>,
}

impl<const F: usize, const FLITS_W: usize, const BYTES_W: usize, const N: usize, const M: usize> Default
    for VlSorter<F, FLITS_W, BYTES_W, N, M>
{
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            moves: Default::default(),
            valid: Default::default(),
            beat: Default::default(),
            undefined: Default::default(),
            there: Default::default(),
            flits: Default::default(),
            packet: Default::default(),
            count: Default::default(),
            closes: Default::default(),
            lane: Default::default(),
            number: Default::default(),
            opens: Default::default(),
            fresh: Default::default(),
            spoils: Default::default(),
            wrong: Default::default(),
            is_tail: Default::default(),
            len2: Default::default(),
            sized: Default::default(),
            tail_beat: Default::default(),
            tail_slot: Default::default(),
            kinds: Default::default(),
            stack: Default::default(),
            shape: Default::default(),
            kind_there: Default::default(),
            kind_beat: Default::default(),
            kind_packet: Default::default(),
            kind_closes: Default::default(),
            kind_opens: Default::default(),
            kind_marks: Default::default(),
            kind_lost: Default::default(),
            kind_stray: Default::default(),
            kind_lane: Default::default(),
            kind_number: Default::default(),
            turn_there: Default::default(),
            turn_beat: Default::default(),
            turn_packet: Default::default(),
            turn_count: Default::default(),
            turn_closes: Default::default(),
            turn_lane: Default::default(),
            turn_number: Default::default(),
            turn_opens: Default::default(),
            turn_fresh: Default::default(),
            turn_spoils: Default::default(),
            turn_wrong: Default::default(),
            turn_is_tail: Default::default(),
            turn_len2: Default::default(),
            turn_sized: Default::default(),
            turn_tail_beat: Default::default(),
            turn_tail_slot: Default::default(),
            lost: Default::default(),
            illegal: Default::default(),
            any: Default::default(),
            wide: Default::default(),
            some_two: Default::default(),
            flit_count: Default::default(),
            last_len: Default::default(),
            tail_is_last: Default::default(),
            named: Default::default(),
            top: Default::default(),
            now_lane: Default::default(),
            now_number: Default::default(),
            unknown: Default::default(),
            lane_number: (0..N).map(|lane| Constant::new((lane as u64).into())).collect(),
        }
    }
}

impl<const F: usize, const FLITS_W: usize, const BYTES_W: usize, const N: usize, const M: usize> Logic
    for VlSorter<F, FLITS_W, BYTES_W, N, M>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kind_there, kind_beat, kind_packet, kind_closes, kind_opens, kind_marks);
        dff_setup!(
            self,
            clock,
            kind_lost,
            kind_stray,
            kind_lane,
            kind_number,
            turn_there,
            turn_beat,
            turn_packet
        );
        dff_setup!(self, clock, turn_count, turn_closes, turn_lane, turn_number, turn_opens, turn_fresh);
        dff_setup!(self, clock, turn_spoils, turn_wrong, turn_is_tail, turn_len2, turn_sized);
        dff_setup!(self, clock, turn_tail_beat, turn_tail_slot);
        clock!(self, clock, stack);
        self.kinds.beat.next = self.beat.val();
        self.kinds.undefined.next = self.undefined.val();
        if self.moves.val() {
            self.kind_there.d.next = self.valid.val();
            self.kind_beat.d.next = self.beat.val();
            self.kind_packet.d.next = self.kinds.packet.val();
            self.kind_closes.d.next = self.kinds.closes.val();
            self.kind_opens.d.next = self.kinds.opens.val();
            self.kind_marks.d.next = self.kinds.marks.val();
            self.kind_lost.d.next = self.kinds.lost.val();
            self.kind_stray.d.next = self.kinds.stray.val();
            self.kind_lane.d.next = self.kinds.lane.val();
            self.kind_number.d.next = self.kinds.number.val();
        }

        // Flits of a packet that the link has made Idle.
        self.lost.next = 0.into();
        if self.kind_opens.q.val() | self.stack.some.val() {
            self.lost.next = self.kind_lost.q.val();
        }

        // Packet flits fill the beat from slot 0 up to the end of their packet.
        self.illegal.next = self.kind_stray.q.val() | self.lost.val().any();
        for i in 1..F {
            self.illegal.next = self.illegal.val()
                | (self.kind_packet.q.val().get_bit(i)
                    ^ (self.kind_packet.q.val().get_bit(i - 1) & !self.kind_closes.q.val().get_bit(i - 1)));
        }
        self.any.next = self.kind_packet.q.val().any() | self.lost.val().any();
        self.wide.next = bit_cast::<4, F>(self.kind_packet.q.val() | self.lost.val());
        self.some_two.next = (self.wide.val().get_bit(0) & self.wide.val().get_bit(1))
            | (self.wide.val().get_bit(2) & self.wide.val().get_bit(3))
            | ((self.wide.val().get_bit(0) | self.wide.val().get_bit(1))
                & (self.wide.val().get_bit(2) | self.wide.val().get_bit(3)));
        self.flit_count.next = 0.into();
        self.flit_count.next = self.flit_count.val().replace_bit(0, self.wide.val().xor());
        self.flit_count.next =
            self.flit_count.val().replace_bit(1, self.some_two.val() & !self.wide.val().all());
        self.flit_count.next = self.flit_count.val().replace_bit(2, self.wide.val().all());
        self.last_len.next = 0.into();
        self.tail_is_last.next = false;
        for i in 0..F {
            if self.kind_closes.q.val().get_bit(i) {
                self.last_len.next =
                    self.last_len.val() | self.kind_beat.q.val().get_bits::<LEN_BITS>(i * 65 + 48);
                self.tail_is_last.next =
                    self.tail_is_last.val() | self.kind_beat.q.val().get_bit(i * 65 + 62);
            }
        }

        // Whose beat it is: of the lane that it names, else of the top of the stack.
        self.named.next = self.kind_opens.q.val() | self.kind_marks.q.val();
        self.stack.clear.next = self.clear.val();
        self.stack.step.next = self.moves.val() & self.kind_there.q.val();
        self.stack.lane.next = self.kind_lane.q.val();
        self.stack.names.next = self.named.val();
        self.stack.ends.next = self.kind_closes.q.val().any();
        self.top.next = self.stack.top.val();
        self.now_lane.next = self.kind_lane.q.val();
        self.now_number.next = self.kind_number.q.val();
        if !self.named.val() {
            self.now_lane.next = self.top.val();
            self.now_number.next = 0.into();
            for v in 0..N {
                if self.top.val().get_bit(v) {
                    self.now_number.next = self.now_number.val() | self.lane_number[v].val();
                }
            }
        }
        self.unknown.next = self.any.val() & !self.stack.some.val();
        if self.kind_marks.q.val() {
            self.unknown.next = !self.stack.known.val();
        }
        if self.kind_opens.q.val() {
            self.unknown.next = self.stack.known.val() | !self.kind_lane.q.val().get_bits::<N>(0).any();
        }

        self.shape.len.next = self.kind_beat.q.val().get_bits::<LEN_BITS>(36);
        if self.moves.val() {
            self.turn_there.d.next = self.kind_there.q.val() & self.any.val();
            self.turn_beat.d.next = self.kind_beat.q.val();
            self.turn_packet.d.next = self.kind_packet.q.val();
            self.turn_count.d.next = self.flit_count.val();
            self.turn_closes.d.next = self.kind_closes.q.val();
            self.turn_lane.d.next = self.now_lane.val().get_bits::<N>(0);
            self.turn_number.d.next = self.now_number.val();
            self.turn_opens.d.next = self.kind_opens.q.val();
            self.turn_fresh.d.next = !self.unknown.val() & !self.illegal.val();
            self.turn_spoils.d.next = self.illegal.val();
            self.turn_wrong.d.next = self.kind_there.q.val() & (self.illegal.val() | self.unknown.val());
            self.turn_is_tail.d.next = self.tail_is_last.val();
            self.turn_len2.d.next = self.last_len.val();
            self.turn_sized.d.next = self.kind_beat.q.val().get_bit(63);
            self.turn_tail_beat.d.next = self.shape.tail_beat.val();
            self.turn_tail_slot.d.next = self.shape.tail_slot.val();
        }
        if self.clear.val() {
            self.kind_there.d.next = false;
            self.turn_there.d.next = false;
            self.turn_wrong.d.next = false;
        }
        self.there.next = self.turn_there.q.val();
        self.flits.next = self.turn_beat.q.val();
        self.packet.next = self.turn_packet.q.val();
        self.count.next = self.turn_count.q.val();
        self.closes.next = self.turn_closes.q.val();
        self.lane.next = self.turn_lane.q.val();
        self.number.next = self.turn_number.q.val();
        self.opens.next = self.turn_opens.q.val();
        self.fresh.next = self.turn_fresh.q.val();
        self.spoils.next = self.turn_spoils.q.val();
        self.wrong.next = self.turn_wrong.q.val();
        self.is_tail.next = self.turn_is_tail.q.val();
        self.len2.next = self.turn_len2.q.val();
        self.sized.next = self.turn_sized.q.val();
        self.tail_beat.next = self.turn_tail_beat.q.val();
        self.tail_slot.next = self.turn_tail_slot.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_sorter", &[("f", F.to_string()), ("lanes", N.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BYTES_W: usize, const N: usize, const M: usize] VlSorter<F, FLITS_W, BYTES_W, N, M> {
    clock, clear, moves, valid, beat, undefined, there, flits, packet, count, closes, lane, number, opens, fresh, spoils, wrong, is_tail,
    len2, sized, tail_beat, tail_slot,
});

const _: () = assert!(head::len::LOW == 36 && tail::len2::LOW == 48 && tail::len2::WIDTH == LEN_BITS);
