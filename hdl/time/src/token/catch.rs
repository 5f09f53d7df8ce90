//! Tokens that a stop catches on one ring.

use super::{TAG_BITS, TOKEN_BITS};
use crate::ring::{CONTROL_BITS, ID_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::{slot_control as slot, token, SlotKind};

/// Looks at what the ring registers hold (chapter 20, 4.10).
///
/// - A token for this stop is `caught` where the copy register would have it, one clock after it arrived; so is one that this stop
///   sent and removes, which may be `returned`: a clock later, if its tag is that of the last command and its parity right.
/// - `word` and what is known of it hold until the next one.
#[block("token_catch")]
pub struct TokenCatch {
    /// Ring clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Number of this stop.
    own_id: In<Bits<ID_BITS>>,
    /// Number of the stop that a slot of the other ring goes to next.
    next_id: In<Bits<ID_BITS>>,
    /// Control bits of the slot that comes in.
    arriving_control: In<Bits<CONTROL_BITS>>,
    /// Its lowest data bits.
    arriving_word: In<Bits<TOKEN_BITS>>,
    /// It was inserted here.
    arriving_own: In<Bit>,
    /// Control bits of the slot in the ring register.
    held_control: In<Bits<CONTROL_BITS>>,
    /// Its lowest data bits.
    held_word: In<Bits<TOKEN_BITS>>,
    /// Tag of the last command.
    tag: In<Bits<TAG_BITS>>,
    /// A token for this stop has come: it is to go back.
    caught: Out<Bit>,
    /// A token of this stop is back.
    returned: Out<Bit>,
    /// The last token.
    word: Out<Bits<TOKEN_BITS>>,
    /// Its source.
    source: Out<Bits<ID_BITS>>,
    /// Its parity bit.
    parity: Out<Bit>,
    /// The other ring goes to its source next.
    source_is_next: Out<Bit>,

    removed: Reg<Bit>,
    caught_now: Reg<Bit>,
    received_returned: Reg<Bit>,
    tag_fits: Reg<Bit>,
    parity_low: Reg<Bit>,
    parity_high: Reg<Bit>,
    last: Reg<Bits<TOKEN_BITS>>,
    last_source: Reg<Bits<ID_BITS>>,
    last_parity: Reg<Bit>,
    last_is_next: Reg<Bit>,
    removes: Local<Bit>,
    here: Local<Bit>,
    #[init(SlotKind::Token)]
    token_kind: Constant<Bits<2>>,
}

#[logic]
impl TokenCatch {
    fn update(&mut self) {
        // A token that its source, this stop, removes, and one for this stop in the ring register.
        let kind = arriving_control.bits::<2>(8);
        removes = arriving_own & (kind == token_kind);
        let held_kind = held_control.bits::<2>(8);
        let held_source = held_control.bits::<ID_BITS>(0);
        let held_target = held_word.bits::<ID_BITS>(0);
        here = held_control[12]
            & (held_kind == token_kind)
            & !held_word[6]
            & (held_target == own_id)
            & (held_source != own_id);
        if removes {
            last = arriving_word;
            last_source = own_id;
            last_parity = arriving_control[11];
            last_is_next = false;
        }
        if here {
            last = held_word;
            last_source = held_source;
            last_parity = held_control[11];
            last_is_next = held_source == next_id;
        }
        removed = removes & !here & !clear;
        caught_now = here & !clear;

        // At home: a clock to look at it.
        let target = last.bits::<ID_BITS>(0);
        let last_tag = last.bits::<TAG_BITS>(7);
        let low_part = last.bits::<11>(0);
        let high_part = last.bits::<12>(11);
        received_returned = removed & (last[6] | (target == own_id)) & !clear;
        tag_fits = last_tag == tag;
        parity_low = low_part.xor();
        parity_high = high_part.xor() ^ last_parity ^ own_id.xor();

        caught = caught_now;
        returned = received_returned & tag_fits & (parity_low == parity_high);
        word = last;
        source = last_source;
        parity = last_parity;
        source_is_next = last_is_next;
    }
}

const _: () =
    assert!(slot::src::LOW == 0 && slot::kind::LOW == 8 && slot::par::LOW == 11 && slot::v::LOW == 12);
const _: () = assert!(token::target::LOW == 0 && token::returning::LOW == 6 && token::tag::LOW == 7);
const _: () = assert!(TOKEN_BITS == 23 && TAG_BITS == 8);
