//! All ordered sets of a port in one stream for the MAC.

use crate::llr_set::{LlrSet, LlrSetKind, ACK_TYPE, ECHO_TYPE, INIT_TYPE, NACK_TYPE};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::{init_data, ORDERED_SET_START, O_CODE, SEQUENCE_BITS};

/// Whose ordered set is sent.
#[packed]
enum Choice {
    None,
    Answer,
    Start,
    Credits,
}

/// Three sources: answers of the receiver before LLR_INIT before CF_Update, but none twice in a row while another one waits. With `twice` each
/// ordered set is sent twice, back to back.
#[block("eth_llr_merge")]
pub struct LlrMerge {
    clock: In<Clock>,
    clear: In<Bit>,
    twice: In<Bit>,
    /// LLR_ACK, LLR_NACK and LLR_INIT_ECHO.
    pub answers: StreamIn<LlrSet>,
    /// LLR_INIT is due; it may be withdrawn.
    starts: In<Bit>,
    /// Its sequence number and nonce; they hold still while `starting`.
    first: In<Bits<SEQUENCE_BITS>>,
    nonce: In<Bits<16>>,
    /// CF_Update, octet 0 in bits 7:0.
    pub credits: StreamIn<Bits<64>>,
    /// To the MAC, octet 0 in bits 7:0.
    pub control: StreamOut<Bits<64>>,
    /// LLR_INIT is on offer.
    starting: Out<Bit>,
    /// LLR_INIT is sent.
    started: Out<Bit>,

    choice: Register<Choice>,
    /// The second of two has its turn.
    again: Register<Bit>,
}

#[logic]
impl LlrMerge {
    fn update(&mut self) {
        let offers = choice != Choice::None;
        let taken = offers & control.ready;
        let ends = taken & (again | !twice);
        again.enable = taken;
        again = !ends;

        // What ends now has something new one clock later at the earliest.
        let answer_waits = answers.valid & (choice != Choice::Answer);
        let start_waits = starts & (choice != Choice::Start);
        let credits_wait = credits.valid & (choice != Choice::Credits);
        choice.enable = !offers | ends;
        choice = if answer_waits {
            Choice::Answer
        } else if start_waits {
            Choice::Start
        } else if credits_wait {
            Choice::Credits
        } else {
            Choice::None
        };
        starting = choice == Choice::Start;
        started = starting & ends;
        answers.ready = (choice == Choice::Answer) & ends & !clear;
        credits.ready = (choice == Choice::Credits) & ends & !clear;

        let answer = answers.data;
        let set = if choice == Choice::Start {
            LlrSet { kind: LlrSetKind::Init, sequence: first, data: nonce }
        } else {
            answer
        };
        control.valid = offers;
        control.data = if choice == Choice::Credits { credits.data } else { Self::encode(set) };
    }

    /// The eight octets, D0 in bits 7:0.
    fn encode(set: LlrSet) -> Bits<64> {
        let code: Bits<8> = match set.kind {
            LlrSetKind::Ack => ACK_TYPE,
            LlrSetKind::Nack => NACK_TYPE,
            LlrSetKind::Init => INIT_TYPE,
            LlrSetKind::Echo => ECHO_TYPE,
        };
        let sequence = set.sequence;
        let data = set.data;
        cat(
            bits::<8>(ORDERED_SET_START),
            code,
            sequence[12..20],
            sequence[4..12],
            bits::<4>(O_CODE),
            sequence[0..4],
            data[init_data::low],
            data[init_data::high],
            bits::<8>(0),
        )
    }
}
