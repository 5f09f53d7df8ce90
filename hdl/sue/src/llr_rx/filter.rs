//! Which ordered sets count: known ones, with CTL_TWICE two equal ones (chapter 50, 0 and 3.7).

use crate::llr_set::{LlrSet, LlrSetKind, ACK_TYPE, CREDITS_TYPE, ECHO_TYPE, INIT_TYPE, NACK_TYPE};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{LutRam, RamConfig};
use flitforge_protocol::sue::link_control::{llr_init, ordered_set, ORDERED_SET_START, O_CODE};

/// Bits in which ordered sets of a type differ.
const CONTENT_BITS: usize = ordered_set::tail::WIDTH + ordered_set::value::WIDTH;
/// Types: the lower three bits of their codes are different.
const KINDS: usize = 5;

/// One ordered set per clock; what counts comes out 2 clocks later.
///
/// Each type has the last one of its kind in LUT RAM, and two bits that say whether it still waits for an equal one: `young` until the next tick,
/// `old` until the one after it. So two equal ones count if at most `within` clocks lie between them, and never after twice as many and 4.
#[block("eth_llr_filter", new)]
pub struct LlrFilter {
    clock: In<Clock>,
    clear: In<Bit>,
    /// From the MAC, octet 0 in bits 7:0.
    pub control: FlowIn<Bits<64>>,
    twice: In<Bit>,
    within: In<Bits<16>>,
    /// Of link-layer retry.
    pub sets: FlowOut<LlrSet>,
    /// CF_Update, octet 0 in bits 7:0.
    pub credits: FlowOut<Bits<64>>,
    /// An ordered set that is none.
    bad: Out<Bit>,

    known: Register<Bit>,
    unknown: Register<Bit>,
    #[wire(d = _)]
    place: Reg<Bits<3>>,
    #[wire(d = _)]
    content: Reg<Bits<CONTENT_BITS>>,
    #[wire(clock)]
    last: LutRam<Bits<CONTENT_BITS>, 3>,
    judged: Register<Bit>,
    #[wire(d = _)]
    judged_place: Reg<Bits<3>>,
    #[wire(d = _)]
    judged_content: Reg<Bits<CONTENT_BITS>>,
    /// By parts.
    #[wire(d = _)]
    same: Reg<Bits<4>>,
    young: Register<Bits<KINDS>>,
    old: Register<Bits<KINDS>>,
    timer: Register<Bits<17>>,
}

#[logic]
impl LlrFilter {
    /// A filter that has seen nothing.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { last: LutRam::new(RamConfig::distributed(8))?, .. })
    }

    fn update(&mut self) {
        self.take_apart();
        self.compare();
        let passes = self.judge();

        let value = judged_content[ordered_set::tail::WIDTH..CONTENT_BITS];
        let kind = match judged_place {
            1 => LlrSetKind::Ack,
            2 => LlrSetKind::Nack,
            3 => LlrSetKind::Init,
            _ => LlrSetKind::Echo,
        };
        let data: Bits<16> = cat(judged_content[llr_init::data_low], judged_content[llr_init::data_high]);
        let is_retry = judged_place != 0;
        sets = In { data: LlrSet { kind, sequence: value, data }, valid: passes & is_retry };
        let tail = judged_content[0..ordered_set::tail::WIDTH];
        let whole: Bits<64> =
            cat(tail, bits::<4>(O_CODE), value, bits::<8>(CREDITS_TYPE), bits::<8>(ORDERED_SET_START));
        credits = In { data: Self::turn(whole), valid: passes & !is_retry };
        bad = unknown;
    }

    /// Clock 0.
    fn take_apart(&mut self) {
        let octets = control.data;
        let turned = Self::turn(octets);
        let code = turned[ordered_set::kind];
        let is_known = (code == ACK_TYPE)
            | (code == NACK_TYPE)
            | (code == INIT_TYPE)
            | (code == ECHO_TYPE)
            | (code == CREDITS_TYPE);
        let is_set =
            (turned[ordered_set::start] == ORDERED_SET_START) & (turned[ordered_set::o_code] == O_CODE);
        known = control.valid & is_set & is_known;
        unknown = control.valid & !(is_set & is_known);
        place = code[0..3];
        content = cat(turned[ordered_set::tail], turned[ordered_set::value]);
    }

    /// Clock 1: with the last one of its type.
    fn compare(&mut self) {
        last = In { read_address: place, write_address: place, write_data: content, write_enable: known };
        let before = last.read_data;
        judged = known;
        judged_place = place;
        judged_content = content;
        same = cat(
            before[0..11] == content[0..11],
            before[11..22] == content[11..22],
            before[22..33] == content[22..33],
            before[33..CONTENT_BITS] == content[33..CONTENT_BITS],
        );
    }

    /// Clock 2.
    fn judge(&mut self) -> Bit {
        let mask: Bits<KINDS> = match judged_place {
            0 => 1,
            1 => 2,
            2 => 4,
            3 => 8,
            _ => 16,
        };
        let waits = (young | old) & mask;
        let passes = judged & (!twice | (same.all() & waits.any()));
        let mut young_after = young;
        let mut old_after = old;
        if judged {
            old_after = old & !mask;
            young_after = if passes { young & !mask } else { young | mask };
        }
        let ticks = timer[16];
        timer = if ticks { cat(within, false) } else { timer - 1 };
        young = if ticks { 0 } else { young_after };
        old = if ticks { young_after } else { old_after };
        passes
    }

    /// The octets in the other order: D0 in bits 7:0, or first as in the layouts.
    fn turn(octets: Bits<64>) -> Bits<64> {
        cat(
            octets[56..64],
            octets[48..56],
            octets[40..48],
            octets[32..40],
            octets[24..32],
            octets[16..24],
            octets[8..16],
            octets[0..8],
        )
    }
}
