//! Tokens that a stop catches on one ring.

use super::{TAG_BITS, TOKEN_BITS};
use crate::time::ring::{CONTROL_BITS, ID_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::{slot_control as slot, token, SlotKind};

/// Looks at what the ring registers hold (chapter 20, 4.10).
///
/// - A token for this stop is `caught` where the copy register would have it, one clock after it arrived; so is one that this stop
///   sent and removes, which may be `home`: a clock later, if its tag is that of the last command and its parity right.
/// - `word` and what is known of it hold until the next one.
#[derive(LogicBlock)]
pub struct TokenCatch {
    /// Ring clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Number of this stop.
    pub own_id: Signal<In, Bits<ID_BITS>>,
    /// Number of the stop that a slot of the other ring goes to next.
    pub next_id: Signal<In, Bits<ID_BITS>>,
    /// Control bits of the slot that comes in.
    pub arriving_control: Signal<In, Bits<CONTROL_BITS>>,
    /// Its lowest data bits.
    pub arriving_word: Signal<In, Bits<TOKEN_BITS>>,
    /// It was inserted here.
    pub arriving_own: Signal<In, Bit>,
    /// Control bits of the slot in the ring register.
    pub held_control: Signal<In, Bits<CONTROL_BITS>>,
    /// Its lowest data bits.
    pub held_word: Signal<In, Bits<TOKEN_BITS>>,
    /// Tag of the last command.
    pub tag: Signal<In, Bits<TAG_BITS>>,
    /// A token for this stop has come: it is to go back.
    pub caught: Signal<Out, Bit>,
    /// A token of this stop is back.
    pub home: Signal<Out, Bit>,
    /// The last token.
    pub word: Signal<Out, Bits<TOKEN_BITS>>,
    /// Its source.
    pub source: Signal<Out, Bits<ID_BITS>>,
    /// Its parity bit.
    pub parity: Signal<Out, Bit>,
    /// The other ring goes to its source next.
    pub source_is_next: Signal<Out, Bit>,

    removed: DFF<Bit>,
    caught_now: DFF<Bit>,
    came_home: DFF<Bit>,
    tag_fits: DFF<Bit>,
    parity_low: DFF<Bit>,
    parity_high: DFF<Bit>,
    last: DFF<Bits<TOKEN_BITS>>,
    last_source: DFF<Bits<ID_BITS>>,
    last_parity: DFF<Bit>,
    last_is_next: DFF<Bit>,
    removes: Signal<Local, Bit>,
    here: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    held_kind: Signal<Local, Bits<2>>,
    held_source: Signal<Local, Bits<ID_BITS>>,
    held_target: Signal<Local, Bits<ID_BITS>>,
    target: Signal<Local, Bits<ID_BITS>>,
    last_tag: Signal<Local, Bits<TAG_BITS>>,
    low_part: Signal<Local, Bits<11>>,
    high_part: Signal<Local, Bits<12>>,
    token_kind: Constant<Bits<2>>,
}

impl Default for TokenCatch {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            own_id: Default::default(),
            next_id: Default::default(),
            arriving_control: Default::default(),
            arriving_word: Default::default(),
            arriving_own: Default::default(),
            held_control: Default::default(),
            held_word: Default::default(),
            tag: Default::default(),
            caught: Default::default(),
            home: Default::default(),
            word: Default::default(),
            source: Default::default(),
            parity: Default::default(),
            source_is_next: Default::default(),
            removed: Default::default(),
            caught_now: Default::default(),
            came_home: Default::default(),
            tag_fits: Default::default(),
            parity_low: Default::default(),
            parity_high: Default::default(),
            last: Default::default(),
            last_source: Default::default(),
            last_parity: Default::default(),
            last_is_next: Default::default(),
            removes: Default::default(),
            here: Default::default(),
            kind: Default::default(),
            held_kind: Default::default(),
            held_source: Default::default(),
            held_target: Default::default(),
            target: Default::default(),
            last_tag: Default::default(),
            low_part: Default::default(),
            high_part: Default::default(),
            token_kind: Constant::new(u64::from(SlotKind::Token.code()).into()),
        }
    }
}

impl Logic for TokenCatch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, removed, caught_now, came_home, tag_fits, parity_low, parity_high, last);
        dff_setup!(self, clock, last_source, last_parity, last_is_next);

        // A token that its source, this stop, removes, and one for this stop in the ring register.
        self.kind.next = self.arriving_control.val().get_bits::<2>(8);
        self.removes.next = self.arriving_own.val() & (self.kind.val() == self.token_kind.val());
        self.held_kind.next = self.held_control.val().get_bits::<2>(8);
        self.held_source.next = self.held_control.val().get_bits::<ID_BITS>(0);
        self.held_target.next = self.held_word.val().get_bits::<ID_BITS>(0);
        self.here.next = self.held_control.val().get_bit(12)
            & (self.held_kind.val() == self.token_kind.val())
            & !self.held_word.val().get_bit(6)
            & (self.held_target.val() == self.own_id.val())
            & (self.held_source.val() != self.own_id.val());
        if self.removes.val() {
            self.last.d.next = self.arriving_word.val();
            self.last_source.d.next = self.own_id.val();
            self.last_parity.d.next = self.arriving_control.val().get_bit(11);
            self.last_is_next.d.next = false;
        }
        if self.here.val() {
            self.last.d.next = self.held_word.val();
            self.last_source.d.next = self.held_source.val();
            self.last_parity.d.next = self.held_control.val().get_bit(11);
            self.last_is_next.d.next = self.held_source.val() == self.next_id.val();
        }
        self.removed.d.next = self.removes.val() & !self.here.val() & !self.clear.val();
        self.caught_now.d.next = self.here.val() & !self.clear.val();

        // At home: a clock to look at it.
        self.target.next = self.last.q.val().get_bits::<ID_BITS>(0);
        self.last_tag.next = self.last.q.val().get_bits::<TAG_BITS>(7);
        self.low_part.next = self.last.q.val().get_bits::<11>(0);
        self.high_part.next = self.last.q.val().get_bits::<12>(11);
        self.came_home.d.next = self.removed.q.val()
            & (self.last.q.val().get_bit(6) | (self.target.val() == self.own_id.val()))
            & !self.clear.val();
        self.tag_fits.d.next = self.last_tag.val() == self.tag.val();
        self.parity_low.d.next = self.low_part.val().xor();
        self.parity_high.d.next =
            self.high_part.val().xor() ^ self.last_parity.q.val() ^ self.own_id.val().xor();

        self.caught.next = self.caught_now.q.val();
        self.home.next = self.came_home.q.val()
            & self.tag_fits.q.val()
            & (self.parity_low.q.val() == self.parity_high.q.val());
        self.word.next = self.last.q.val();
        self.source.next = self.last_source.q.val();
        self.parity.next = self.last_parity.q.val();
        self.source_is_next.next = self.last_is_next.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("token_catch", &[])
    }
}

drive_ports!(impl[] TokenCatch {
    clock, clear, own_id, next_id, arriving_control, arriving_word, arriving_own, held_control, held_word, tag, caught,
    home, word, source, parity, source_is_next,
});

const _: () =
    assert!(slot::src::LOW == 0 && slot::kind::LOW == 8 && slot::par::LOW == 11 && slot::v::LOW == 12);
const _: () = assert!(token::target::LOW == 0 && token::returning::LOW == 6 && token::tag::LOW == 7);
const _: () = assert!(TOKEN_BITS == 23 && TAG_BITS == 8);
