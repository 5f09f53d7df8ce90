//! What a flit is to a packet.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{body_bad, head_bad, tail_bad, Opcode, FLIT_BITS};

/// Bits of a reason.
pub const REASON_BITS: usize = body_bad::reason::WIDTH;

/// One flit; combinational. A flit with none of `opens`, `goes_on` and `closes` belongs to no packet.
#[derive(LogicBlock)]
pub struct PacketPart {
    /// The flit.
    pub flit: Signal<In, Bits<FLIT_BITS>>,
    /// Head or HeadBad.
    pub opens: Signal<Out, Bit>,
    /// Body or BodyBad.
    pub goes_on: Signal<Out, Bit>,
    /// Tail or TailBad.
    pub closes: Signal<Out, Bit>,
    /// HeadBad, BodyBad or TailBad.
    pub is_bad: Signal<Out, Bit>,
    /// The reason of a bad flit.
    pub reason: Signal<Out, Bits<REASON_BITS>>,
    plain: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    opcode: Signal<Local, Bits<6>>,
    head_bad: Signal<Local, Bit>,
    body_bad: Signal<Local, Bit>,
    tail_bad: Signal<Local, Bit>,
    head_code: Constant<Bits<6>>,
    body_code: Constant<Bits<6>>,
    tail_code: Constant<Bits<6>>,
}

impl Default for PacketPart {
    fn default() -> Self {
        let code = |opcode: Opcode| Constant::new(u64::from(opcode.code()).into());
        Self {
            flit: Default::default(),
            opens: Default::default(),
            goes_on: Default::default(),
            closes: Default::default(),
            is_bad: Default::default(),
            reason: Default::default(),
            plain: Default::default(),
            control: Default::default(),
            opcode: Default::default(),
            head_bad: Default::default(),
            body_bad: Default::default(),
            tail_bad: Default::default(),
            head_code: code(Opcode::HeadBad),
            body_code: code(Opcode::BodyBad),
            tail_code: code(Opcode::TailBad),
        }
    }
}

impl Logic for PacketPart {
    #[hdl_gen]
    fn update(&mut self) {
        self.plain.next = !self.flit.val().get_bit(64);
        self.control.next = !self.flit.val().get_bits::<3>(62).any();
        self.opcode.next = self.flit.val().get_bits::<6>(56);
        self.head_bad.next = self.control.val() & (self.opcode.val() == self.head_code.val());
        self.body_bad.next = self.control.val() & (self.opcode.val() == self.body_code.val());
        self.tail_bad.next = self.control.val() & (self.opcode.val() == self.tail_code.val());
        self.opens.next = (self.plain.val() & self.flit.val().get_bit(63)) | self.head_bad.val();
        self.goes_on.next = !self.plain.val() | self.body_bad.val();
        self.closes.next = (self.plain.val() & !self.flit.val().get_bit(63) & self.flit.val().get_bit(62))
            | self.tail_bad.val();
        self.is_bad.next = self.head_bad.val() | self.body_bad.val() | self.tail_bad.val();
        self.reason.next = self.flit.val().get_bits::<REASON_BITS>(0);
        if self.head_bad.val() {
            self.reason.next = self.flit.val().get_bits::<REASON_BITS>(40);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_part", &[])
    }
}

drive_ports!(impl[] PacketPart { flit, opens, goes_on, closes, is_bad, reason });

const _: () =
    assert!(head_bad::reason::LOW == 40 && body_bad::reason::LOW == 0 && tail_bad::reason::LOW == 0);
const _: () = assert!(head_bad::reason::WIDTH == REASON_BITS && tail_bad::reason::WIDTH == REASON_BITS);
