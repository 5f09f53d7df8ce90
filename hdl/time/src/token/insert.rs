//! Tokens that a stop inserts into one ring.

use super::{TAG_BITS, TOKEN_BITS, WAITED_BITS};
use crate::ring::{ID_BITS, INSERT_EXTRA_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::{token, SlotKind};

/// What goes into one ring (chapter 20, 4.4 rule 2 and 4.10): the port's insertion, else a token on its way back, else one that
/// this stop sends. A token waits until it is taken; `clear` forgets it.
///
/// A damaged token stays damaged: its parity bit goes on, changed by the bits that change.
#[block("token_insert", insert = I)]
pub struct TokenInsert<const I: usize> {
    /// Ring clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Number of this stop.
    own_id: In<Bits<ID_BITS>>,
    /// A token is to go back on this ring; what follows holds while it waits.
    caught: In<Bit>,
    /// Its tag.
    tag: In<Bits<TAG_BITS>>,
    /// Its source.
    token_source: In<Bits<ID_BITS>>,
    /// Its parity bit.
    token_parity: In<Bit>,
    /// This ring goes to its source next.
    token_is_next: In<Bit>,
    /// A token is to be sent on this ring: `order` and its parity, from the next clock on.
    send: In<Bit>,
    /// Another command comes: what was to be sent is not.
    replaced: In<Bit>,
    /// The token.
    order: In<Bits<TOKEN_BITS>>,
    /// Its parity.
    order_parity: In<Bit>,
    /// Insertions of the port: {data, parity, tree, kind}.
    pub from_port: StreamIn<Bits<I>>,
    /// Insertions into the ring.
    pub insert: StreamOut<Bits<I>>,
    /// Stop that the insertion comes from.
    source: Out<Bits<ID_BITS>>,
    /// Parity that counts for it.
    source_parity: Out<Bit>,
    /// It is the stop that the slot goes to next.
    source_is_next: Out<Bit>,
    /// Event: a token of this stop goes into the ring.
    sent: Out<Bit>,
    sends: Reg<Bit>,
    returns: Reg<Bit>,
    waited: Reg<Bits<WAITED_BITS>>,
    waited_parity: Reg<Bit>,
    #[init(SlotKind::Token)]
    token_kind: Constant<Bits<2>>,
}

#[logic]
impl<const I: usize> TokenInsert<I> {
    fn update(&mut self) {
        let back = caught | returns;
        let taken = insert.ready & !from_port.valid;
        returns = back & !taken & !clear;
        let more = waited + 1;
        waited = 0;
        waited_parity = false;
        if back & !taken & !clear {
            waited = waited;
            waited_parity = waited_parity;
            if !waited.all() {
                waited = more;
                waited_parity = more.xor();
            }
        }
        sends = ((sends & !(taken & !back)) | send) & !replaced & !clear;
        sent = sends & taken & !back;

        let returning = (bit_cast::<TOKEN_BITS, ID_BITS>(own_id)
            | (bit_cast::<TOKEN_BITS, TAG_BITS>(tag) << 7)
            | (bit_cast::<TOKEN_BITS, WAITED_BITS>(waited) << 15))
            .with(6, true);
        let mut word = order;
        let mut parity = order_parity;
        source = own_id;
        source_parity = own_id.xor();
        source_is_next = false;
        if back {
            word = returning;
            parity = !waited_parity;
        }
        if back & !from_port.valid {
            source = token_source;
            source_parity = token_parity;
            source_is_next = token_is_next;
        }
        insert.valid = from_port.valid | back | sends;
        insert.data = (bit_cast::<I, TOKEN_BITS>(word) << 5)
            | (bit_cast::<I, 1>(parity.into()) << 4)
            | bit_cast::<I, 2>(token_kind);
        if from_port.valid {
            insert.data = from_port.data;
        }
        from_port.ready = insert.ready;
    }
}

const _: () = assert!(token::target::LOW == 0 && token::returning::LOW == 6 && token::tag::LOW == 7);
const _: () = assert!(token::waited::LOW == 15 && INSERT_EXTRA_BITS == 5 && ID_BITS == 6);
