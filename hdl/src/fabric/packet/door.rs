//! The door of the sender: what a packet is, before its first beat.

use super::config::PacketConfig;
use super::shape::{PacketShape, COUNT_BITS, LEN_BITS};
use crate::prim::stream::{FlowOut, StreamIn};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::{head, request, PacketType, Refusal, REFUSAL_BITS};

/// Bits of a request: header and tag.
pub const REQUEST_BITS: usize = request::WIDTH;
/// No virtual lane has this number.
const NO_LANE: u64 = 31;

/// Takes a header and says what is to be done with the packet; one header waits here while the packet before it is sent.
/// `MASK_W` = 8 `F` bytes of a word.
#[derive(LogicBlock)]
pub struct PacketDoor<const F: usize, const BYTES_W: usize, const MASK_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets headers.
    pub clear: Signal<In, Bit>,
    /// Packets to send.
    pub header_in: StreamIn<Bits<REQUEST_BITS>>,
    /// The packet that waits becomes the current one.
    pub take: Signal<In, Bit>,
    /// A packet waits.
    pub waiting: Signal<Out, Bit>,
    /// Words of the waiting packet.
    pub words: Signal<Out, Bits<COUNT_BITS>>,
    /// Number of its Tail's beat.
    pub tail_beat: Signal<Out, Bits<COUNT_BITS>>,
    /// Its Tail's slot, one bit per slot.
    pub tail_slot: Signal<Out, Bits<F>>,
    /// It is refused.
    pub is_refused: Signal<Out, Bit>,
    /// Header and tag of the current packet.
    pub current: Signal<Out, Bits<REQUEST_BITS>>,
    /// Bytes of its last word.
    pub bytes: Signal<Out, Bits<BYTES_W>>,
    /// Which bytes of its last word count.
    pub byte_mask: Signal<Out, Bits<MASK_W>>,
    /// Event: a packet is refused, and why.
    pub refused: FlowOut<Bits<REFUSAL_BITS>>,

    shape: PacketShape<F, BYTES_W>,
    held: DFF<Bit>,
    next_request: DFF<Bits<REQUEST_BITS>>,
    next_words: DFF<Bits<COUNT_BITS>>,
    next_beat: DFF<Bits<COUNT_BITS>>,
    next_slot: DFF<Bits<F>>,
    next_bytes: DFF<Bits<BYTES_W>>,
    next_refusal: DFF<Bits<REFUSAL_BITS>>,
    now_request: DFF<Bits<REQUEST_BITS>>,
    now_bytes: DFF<Bits<BYTES_W>>,
    now_mask: DFF<Bits<MASK_W>>,
    event_refused: DFF<Bit>,
    event_refusal: DFF<Bits<REFUSAL_BITS>>,

    loads: Signal<Local, Bit>,
    header: Signal<Local, Bits<REQUEST_BITS>>,
    lane: Signal<Local, Bits<5>>,
    refusal: Signal<Local, Bits<REFUSAL_BITS>>,
    mask: Signal<Local, Bits<MASK_W>>,
    no_bytes: Constant<Bits<MASK_W>>,
    largest: Constant<Bits<LEN_BITS>>,
    lanes: Constant<Bits<5>>,
    management_lane: Constant<Bits<5>>,
    source_routed: Constant<Bits<4>>,
    too_long: Constant<Bits<REFUSAL_BITS>>,
    no_such_lane: Constant<Bits<REFUSAL_BITS>>,
    not_management: Constant<Bits<REFUSAL_BITS>>,
    byte_number: Vec<Constant<Bits<BYTES_W>>>,
}

impl<const F: usize, const BYTES_W: usize, const MASK_W: usize> PacketDoor<F, BYTES_W, MASK_W> {
    /// The door of a port.
    pub fn new(config: &PacketConfig) -> Self {
        let code = |refusal: Refusal| Constant::new(u64::from(refusal.code()).into());
        let management_lane = if config.management { config.lanes as u64 - 1 } else { NO_LANE };
        let source_routed = PacketType::ManagementSourceRouted.code();
        Self {
            clock: Default::default(),
            clear: Default::default(),
            header_in: Default::default(),
            take: Default::default(),
            waiting: Default::default(),
            words: Default::default(),
            tail_beat: Default::default(),
            tail_slot: Default::default(),
            is_refused: Default::default(),
            current: Default::default(),
            bytes: Default::default(),
            byte_mask: Default::default(),
            refused: Default::default(),
            shape: Default::default(),
            held: Default::default(),
            next_request: Default::default(),
            next_words: Default::default(),
            next_beat: Default::default(),
            next_slot: Default::default(),
            next_bytes: Default::default(),
            next_refusal: Default::default(),
            now_request: Default::default(),
            now_bytes: Default::default(),
            now_mask: Default::default(),
            event_refused: Default::default(),
            event_refusal: Default::default(),
            loads: Default::default(),
            header: Default::default(),
            lane: Default::default(),
            refusal: Default::default(),
            mask: Default::default(),
            no_bytes: Constant::new(Bits::default()),
            largest: Constant::new((config.mtu as u64).into()),
            lanes: Constant::new((config.lanes as u64).into()),
            management_lane: Constant::new(management_lane.into()),
            source_routed: Constant::new(u64::from(source_routed).into()),
            too_long: code(Refusal::TooLong),
            no_such_lane: code(Refusal::NoSuchLane),
            not_management: code(Refusal::NotManagement),
            byte_number: (0..MASK_W).map(|byte| Constant::new((byte as u64).into())).collect(),
        }
    }
}

impl<const F: usize, const BYTES_W: usize, const MASK_W: usize> Logic for PacketDoor<F, BYTES_W, MASK_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, next_request, next_words, next_beat, next_slot, next_bytes);
        dff_setup!(self, clock, next_refusal, now_request, now_bytes, now_mask, event_refused, event_refusal);

        // The header that comes in.
        self.header.next = self.header_in.data.val();
        self.shape.len.next = self.header.val().get_bits::<LEN_BITS>(36);
        self.lane.next = bit_cast::<5, 4>(self.header.val().get_bits::<4>(32));
        self.refusal.next = 0.into();
        if (self.lane.val() == self.management_lane.val())
            & (self.header.val().get_bits::<4>(50) != self.source_routed.val())
        {
            self.refusal.next = self.not_management.val();
        }
        if self.lane.val() >= self.lanes.val() {
            self.refusal.next = self.no_such_lane.val();
        }
        if self.header.val().get_bits::<LEN_BITS>(36) > self.largest.val() {
            self.refusal.next = self.too_long.val();
        }
        self.header_in.ready.next = !self.clear.val() & (!self.held.q.val() | self.take.val());
        self.loads.next = self.header_in.valid.val() & (!self.held.q.val() | self.take.val());
        if self.take.val() {
            self.held.d.next = false;
        }
        if self.loads.val() {
            self.held.d.next = true;
            self.next_request.d.next = self.header.val();
            self.next_words.d.next = self.shape.words.val();
            self.next_beat.d.next = self.shape.tail_beat.val();
            self.next_slot.d.next = self.shape.tail_slot.val();
            self.next_bytes.d.next = self.shape.bytes.val();
            self.next_refusal.d.next = self.refusal.val();
        }
        if self.clear.val() {
            self.held.d.next = false;
        }
        self.waiting.next = self.held.q.val();
        self.words.next = self.next_words.q.val();
        self.tail_beat.next = self.next_beat.q.val();
        self.tail_slot.next = self.next_slot.q.val();
        self.is_refused.next = self.next_refusal.q.val().any();

        // The packet that is sent.
        self.mask.next = self.no_bytes.val();
        for i in 0..MASK_W {
            self.mask.next =
                self.mask.val().replace_bit(i, self.byte_number[i].val() < self.next_bytes.q.val());
        }
        if self.take.val() {
            self.now_request.d.next = self.next_request.q.val();
            self.now_bytes.d.next = self.next_bytes.q.val();
            self.now_mask.d.next = self.mask.val();
        }
        self.event_refused.d.next = self.take.val() & self.next_refusal.q.val().any() & !self.clear.val();
        self.event_refusal.d.next = self.next_refusal.q.val();
        self.current.next = self.now_request.q.val();
        self.bytes.next = self.now_bytes.q.val();
        self.byte_mask.next = self.now_mask.q.val();
        self.refused.valid.next = self.event_refused.q.val();
        self.refused.data.next = self.event_refusal.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_door", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const BYTES_W: usize, const MASK_W: usize] PacketDoor<F, BYTES_W, MASK_W> {
    clock, clear, header_in, take, waiting, words, tail_beat, tail_slot, is_refused, current, bytes, byte_mask, refused,
});

const _: () = assert!(head::len::LOW == 36 && head::vl::LOW == 32 && head::vl::WIDTH == 4);
const _: () = assert!(head::ptype::LOW == 50 && head::ptype::WIDTH == 4 && request::header::LOW == 0);
