//! Tokens that a stop inserts into one ring.

use super::{TAG_BITS, TOKEN_BITS, WAITED_BITS};
use crate::prim::stream::{StreamIn, StreamOut};
use crate::time::ring::{ID_BITS, INSERT_EXTRA_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::{token, SlotKind};

/// What goes into one ring (chapter 20, 4.4 rule 2 and 4.10): the port's insertion, else a token on its way back, else one that
/// this stop sends. A token waits until it is taken; `clear` forgets it.
///
/// A damaged token stays damaged: its parity bit goes on, changed by the bits that change.
#[derive(LogicBlock)]
pub struct TokenInsert<const I: usize> {
    /// Ring clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Number of this stop.
    pub own_id: Signal<In, Bits<ID_BITS>>,
    /// A token is to go back on this ring; what follows holds while it waits.
    pub caught: Signal<In, Bit>,
    /// Its tag.
    pub tag: Signal<In, Bits<TAG_BITS>>,
    /// Its source.
    pub token_source: Signal<In, Bits<ID_BITS>>,
    /// Its parity bit.
    pub token_parity: Signal<In, Bit>,
    /// This ring goes to its source next.
    pub token_is_next: Signal<In, Bit>,
    /// A token is to be sent on this ring: `order` and its parity, from the next clock on.
    pub send: Signal<In, Bit>,
    /// Another command comes: what was to be sent is not.
    pub replaced: Signal<In, Bit>,
    /// The token.
    pub order: Signal<In, Bits<TOKEN_BITS>>,
    /// Its parity.
    pub order_parity: Signal<In, Bit>,
    /// Insertions of the port: {data, parity, tree, kind}.
    pub from_port: StreamIn<Bits<I>>,
    /// Insertions into the ring.
    pub insert: StreamOut<Bits<I>>,
    /// Stop that the insertion comes from.
    pub source: Signal<Out, Bits<ID_BITS>>,
    /// Parity that counts for it.
    pub source_parity: Signal<Out, Bit>,
    /// It is the stop that the slot goes to next.
    pub source_is_next: Signal<Out, Bit>,
    /// Event: a token of this stop goes into the ring.
    pub sent: Signal<Out, Bit>,
    sends: DFF<Bit>,
    returns: DFF<Bit>,
    waited: DFF<Bits<WAITED_BITS>>,
    waited_parity: DFF<Bit>,
    back: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    more: Signal<Local, Bits<WAITED_BITS>>,
    returning: Signal<Local, Bits<TOKEN_BITS>>,
    word: Signal<Local, Bits<TOKEN_BITS>>,
    parity: Signal<Local, Bit>,
    token_kind: Constant<Bits<2>>,
}

impl<const I: usize> Default for TokenInsert<I> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            own_id: Default::default(),
            caught: Default::default(),
            tag: Default::default(),
            token_source: Default::default(),
            token_parity: Default::default(),
            token_is_next: Default::default(),
            send: Default::default(),
            replaced: Default::default(),
            order: Default::default(),
            order_parity: Default::default(),
            from_port: Default::default(),
            insert: Default::default(),
            source: Default::default(),
            source_parity: Default::default(),
            source_is_next: Default::default(),
            sent: Default::default(),
            sends: Default::default(),
            returns: Default::default(),
            waited: Default::default(),
            waited_parity: Default::default(),
            back: Default::default(),
            taken: Default::default(),
            more: Default::default(),
            returning: Default::default(),
            word: Default::default(),
            parity: Default::default(),
            token_kind: Constant::new(u64::from(SlotKind::Token.code()).into()),
        }
    }
}

impl<const I: usize> Logic for TokenInsert<I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sends, returns, waited, waited_parity);
        self.back.next = self.caught.val() | self.returns.q.val();
        self.taken.next = self.insert.ready.val() & !self.from_port.valid.val();
        self.returns.d.next = self.back.val() & !self.taken.val() & !self.clear.val();
        self.more.next = self.waited.q.val() + 1;
        self.waited.d.next = 0.into();
        self.waited_parity.d.next = false;
        if self.back.val() & !self.taken.val() & !self.clear.val() {
            self.waited.d.next = self.waited.q.val();
            self.waited_parity.d.next = self.waited_parity.q.val();
            if !self.waited.q.val().all() {
                self.waited.d.next = self.more.val();
                self.waited_parity.d.next = self.more.val().xor();
            }
        }
        self.sends.d.next = ((self.sends.q.val() & !(self.taken.val() & !self.back.val())) | self.send.val())
            & !self.replaced.val()
            & !self.clear.val();
        self.sent.next = self.sends.q.val() & self.taken.val() & !self.back.val();

        self.returning.next = (bit_cast::<TOKEN_BITS, ID_BITS>(self.own_id.val())
            | (bit_cast::<TOKEN_BITS, TAG_BITS>(self.tag.val()) << 7)
            | (bit_cast::<TOKEN_BITS, WAITED_BITS>(self.waited.q.val()) << 15))
            .replace_bit(6, true);
        self.word.next = self.order.val();
        self.parity.next = self.order_parity.val();
        self.source.next = self.own_id.val();
        self.source_parity.next = self.own_id.val().xor();
        self.source_is_next.next = false;
        if self.back.val() {
            self.word.next = self.returning.val();
            self.parity.next = !self.waited_parity.q.val();
        }
        if self.back.val() & !self.from_port.valid.val() {
            self.source.next = self.token_source.val();
            self.source_parity.next = self.token_parity.val();
            self.source_is_next.next = self.token_is_next.val();
        }
        self.insert.valid.next = self.from_port.valid.val() | self.back.val() | self.sends.q.val();
        self.insert.data.next = (bit_cast::<I, TOKEN_BITS>(self.word.val()) << 5)
            | (bit_cast::<I, 1>(self.parity.val().into()) << 4)
            | bit_cast::<I, 2>(self.token_kind.val());
        if self.from_port.valid.val() {
            self.insert.data.next = self.from_port.data.val();
        }
        self.from_port.ready.next = self.insert.ready.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("token_insert", &[("insert", I.to_string())])
    }
}

drive_ports!(impl[const I: usize] TokenInsert<I> {
    clock, clear, own_id, caught, tag, token_source, token_parity, token_is_next, send, replaced, order, order_parity, from_port,
    insert, source, source_parity, source_is_next, sent,
});

const _: () = assert!(token::target::LOW == 0 && token::returning::LOW == 6 && token::tag::LOW == 7);
const _: () = assert!(token::waited::LOW == 15 && INSERT_EXTRA_BITS == 5 && ID_BITS == 6);
