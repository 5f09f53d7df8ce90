//! What a flit is to a packet.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{body_bad, head_bad, tail_bad, Opcode, FLIT_BITS};

/// Bits of a reason.
pub const REASON_BITS: usize = body_bad::reason::WIDTH;

/// One flit; combinational. A flit with none of `opens`, `goes_on` and `closes` belongs to no packet.
#[block("packet_part")]
pub struct PacketPart {
    /// The flit.
    flit: In<Bits<FLIT_BITS>>,
    /// Head or HeadBad.
    opens: Out<Bit>,
    /// Body or BodyBad.
    goes_on: Out<Bit>,
    /// Tail or TailBad.
    closes: Out<Bit>,
    /// HeadBad, BodyBad or TailBad.
    is_bad: Out<Bit>,
    /// The reason of a bad flit.
    reason: Out<Bits<REASON_BITS>>,
    #[init(Opcode::HeadBad)]
    head_code: Constant<Bits<6>>,
    #[init(Opcode::BodyBad)]
    body_code: Constant<Bits<6>>,
    #[init(Opcode::TailBad)]
    tail_code: Constant<Bits<6>>,
}

#[logic]
impl PacketPart {
    fn update(&mut self) {
        let plain = !flit[64];
        let control = !flit.bits::<3>(62).any();
        let opcode = flit.bits::<6>(56);
        let head_bad = control & (opcode == head_code);
        let body_bad = control & (opcode == body_code);
        let tail_bad = control & (opcode == tail_code);
        opens = (plain & flit[63]) | head_bad;
        goes_on = !plain | body_bad;
        closes = (plain & !flit[63] & flit[62]) | tail_bad;
        is_bad = head_bad | body_bad | tail_bad;
        reason = flit.bits::<REASON_BITS>(0);
        if head_bad {
            reason = flit.bits::<REASON_BITS>(40);
        }
    }
}

const _: () =
    assert!(head_bad::reason::LOW == 40 && body_bad::reason::LOW == 0 && tail_bad::reason::LOW == 0);
const _: () = assert!(head_bad::reason::WIDTH == REASON_BITS && tail_bad::reason::WIDTH == REASON_BITS);
