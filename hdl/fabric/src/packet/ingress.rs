//! The ingress of the sender: what a packet is, before its first beat.

use super::config::PacketConfig;
use super::shape::{PacketShape, COUNT_BITS, LEN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::{head, request, PacketType, Refusal, REFUSAL_BITS};

/// Bits of a request: header and tag.
pub const REQUEST_BITS: usize = request::WIDTH;
/// No virtual lane has this number.
const NO_LANE: u64 = 31;

/// Takes a header and says what is to be done with the packet; one header waits here while the packet before it is sent.
/// `MASK_W` = 8 `F` bytes of a word.
#[block("packet_ingress", new, f = F)]
pub struct PacketIngress<const F: usize, const BYTES_W: usize, const MASK_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets headers.
    clear: In<Bit>,
    /// Packets to send.
    pub header_in: StreamIn<Bits<REQUEST_BITS>>,
    /// The packet that waits becomes the current one.
    take: In<Bit>,
    /// A packet waits.
    waiting: Out<Bit>,
    /// Words of the waiting packet.
    words: Out<Bits<COUNT_BITS>>,
    /// Number of its Tail's beat.
    tail_beat: Out<Bits<COUNT_BITS>>,
    /// Its Tail's slot, one bit per slot.
    tail_slot: Out<Bits<F>>,
    /// It is refused.
    is_refused: Out<Bit>,
    /// Header and tag of the current packet.
    current: Out<Bits<REQUEST_BITS>>,
    /// Bytes of its last word.
    bytes: Out<Bits<BYTES_W>>,
    /// Which bytes of its last word count.
    byte_mask: Out<Bits<MASK_W>>,
    /// Event: a packet is refused, and why.
    pub refused: FlowOut<Bits<REFUSAL_BITS>>,

    shape: PacketShape<F, BYTES_W>,
    held: Reg<Bit>,
    next_request: Reg<Bits<REQUEST_BITS>>,
    next_words: Reg<Bits<COUNT_BITS>>,
    next_beat: Reg<Bits<COUNT_BITS>>,
    next_slot: Reg<Bits<F>>,
    next_bytes: Reg<Bits<BYTES_W>>,
    next_refusal: Reg<Bits<REFUSAL_BITS>>,
    now_request: Reg<Bits<REQUEST_BITS>>,
    now_bytes: Reg<Bits<BYTES_W>>,
    now_mask: Reg<Bits<MASK_W>>,
    event_refused: Reg<Bit>,
    event_refusal: Reg<Bits<REFUSAL_BITS>>,

    loads: Local<Bit>,
    #[init(0)]
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

#[logic]
impl<const F: usize, const BYTES_W: usize, const MASK_W: usize> PacketIngress<F, BYTES_W, MASK_W> {
    /// The ingress of a port.
    pub fn new(config: &PacketConfig) -> Self {
        let code = |refusal: Refusal| Constant::new(u64::from(refusal.code()).into());
        let management_lane = if config.management { config.lanes as u64 - 1 } else { NO_LANE };
        let source_routed = PacketType::ManagementSourceRouted.code();
        Self {
            largest: Constant::new((config.mtu as u64).into()),
            lanes: Constant::new((config.lanes as u64).into()),
            management_lane: Constant::new(management_lane.into()),
            source_routed: Constant::new(u64::from(source_routed).into()),
            too_long: code(Refusal::TooLong),
            no_such_lane: code(Refusal::NoSuchLane),
            not_management: code(Refusal::NotManagement),
            byte_number: (0..MASK_W).map(|byte| Constant::new((byte as u64).into())).collect(),
            ..
        }
    }

    fn update(&mut self) {
        // The header that comes in.
        let header = header_in.data;
        shape.len = header.bits::<LEN_BITS>(36);
        let lane = bit_cast::<5, 4>(header.bits::<4>(32));
        let mut refusal: Bits<REFUSAL_BITS> = 0;
        if (lane == management_lane) & (header.bits::<4>(50) != source_routed) {
            refusal = not_management;
        }
        if lane >= lanes {
            refusal = no_such_lane;
        }
        if header.bits::<LEN_BITS>(36) > largest {
            refusal = too_long;
        }
        header_in.ready = !clear & (!held | take);
        loads = header_in.valid & (!held | take);
        if take {
            held = false;
        }
        if loads {
            held = true;
            next_request = header;
            Out { words: next_words, tail_beat: next_beat, tail_slot: next_slot, bytes: next_bytes } = shape;
            next_refusal = refusal;
        }
        if clear {
            held = false;
        }
        waiting = held;
        words = next_words;
        tail_beat = next_beat;
        tail_slot = next_slot;
        is_refused = next_refusal.any();

        // The packet that is sent.
        let mut mask = no_bytes;
        for i in 0..MASK_W {
            mask = mask.with(i, byte_number[i] < next_bytes);
        }
        if take {
            now_request = next_request;
            now_bytes = next_bytes;
            now_mask = mask;
        }
        event_refused = take & next_refusal.any() & !clear;
        event_refusal = next_refusal;
        current = now_request;
        bytes = now_bytes;
        byte_mask = now_mask;
        refused = In { valid: event_refused, data: event_refusal };
    }
}

const _: () = assert!(head::len::LOW == 36 && head::vl::LOW == 32 && head::vl::WIDTH == 4);
const _: () = assert!(head::ptype::LOW == 50 && head::ptype::WIDTH == 4 && request::header::LOW == 0);
