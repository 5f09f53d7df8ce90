//! What a stop does with tokens.

use super::{TokenCatch, TokenInsert, COMMAND_BITS, REPORT_BITS, TAG_BITS, TOKEN_BITS, WAITED_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::time::ring::{CONTROL_BITS, ID_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::{token, token_command};

/// A stop's part of 4.10 (chapter 20), beside its two ring stops. Index 0 is the clockwise ring.
///
/// - A token for this stop goes back on the other ring, a clock after the copy register's edge at the earliest; a token that comes
///   home is reported.
/// - `insert` is `from_port`, which goes first, or a token; `source` is the number that the insertion carries.
/// - `command` and `report` go on from stop to stop, a register each. `report` is {cycles waited, home, sent}; `home` follows
///   `sent` of the same token by as many clocks as the token counts.
/// - `clear` forgets tokens that wait.
#[derive(LogicBlock)]
pub struct TokenStop<const I: usize> {
    /// Ring clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Number of this stop.
    pub own_id: Signal<In, Bits<ID_BITS>>,
    /// Number of the stop that a slot goes to next.
    pub next_id: [Signal<In, Bits<ID_BITS>>; 2],
    /// Control bits of the slot that comes in.
    pub arriving_control: [Signal<In, Bits<CONTROL_BITS>>; 2],
    /// Its lowest data bits.
    pub arriving_word: [Signal<In, Bits<TOKEN_BITS>>; 2],
    /// It was inserted here.
    pub arriving_own: [Signal<In, Bit>; 2],
    /// Control bits of the slot in the ring register.
    pub held_control: [Signal<In, Bits<CONTROL_BITS>>; 2],
    /// Its lowest data bits.
    pub held_word: [Signal<In, Bits<TOKEN_BITS>>; 2],
    /// Insertions of the port: {data, parity, tree, kind}.
    pub from_port: [StreamIn<Bits<I>>; 2],
    /// Insertions of the port and of tokens.
    pub insert: [StreamOut<Bits<I>>; 2],
    /// Stop that the insertion comes from.
    pub source: [Signal<Out, Bits<ID_BITS>>; 2],
    /// Parity that counts for `source`.
    pub source_parity: [Signal<Out, Bit>; 2],
    /// `source` is the stop that the slot goes to next.
    pub source_is_next: [Signal<Out, Bit>; 2],
    /// A token to be sent, from the stop before.
    pub command: FlowIn<Bits<COMMAND_BITS>>,
    /// A token to be sent, to the next stop.
    pub command_out: FlowOut<Bits<COMMAND_BITS>>,
    /// Report of the stops before.
    pub report: Signal<In, Bits<REPORT_BITS>>,
    /// Report of the stops before and of this one.
    pub report_out: Signal<Out, Bits<REPORT_BITS>>,

    catch: [TokenCatch; 2],
    door: [TokenInsert<I>; 2],
    order: DFF<Bits<COMMAND_BITS>>,
    ordered: DFF<Bit>,
    order_parity: DFF<Bit>,
    sent_now: DFF<Bit>,
    sent_late: DFF<Bit>,
    home_now: DFF<Bit>,
    home_waited: DFF<Bits<WAITED_BITS>>,
    reported: DFF<Bits<REPORT_BITS>>,
    mine: Signal<Local, Bit>,
    outbound: Signal<Local, Bits<TOKEN_BITS>>,
    own_report: Signal<Local, Bits<REPORT_BITS>>,
    order_source: Signal<Local, Bits<ID_BITS>>,
    order_target: Signal<Local, Bits<ID_BITS>>,
    order_tag: Signal<Local, Bits<TAG_BITS>>,
    is_second: [Constant<Bit>; 2],
}

impl<const I: usize> Default for TokenStop<I> {
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
            from_port: Default::default(),
            insert: Default::default(),
            source: Default::default(),
            source_parity: Default::default(),
            source_is_next: Default::default(),
            command: Default::default(),
            command_out: Default::default(),
            report: Default::default(),
            report_out: Default::default(),
            catch: Default::default(),
            door: Default::default(),
            order: Default::default(),
            ordered: Default::default(),
            order_parity: Default::default(),
            sent_now: Default::default(),
            sent_late: Default::default(),
            home_now: Default::default(),
            home_waited: Default::default(),
            reported: Default::default(),
            mine: Default::default(),
            outbound: Default::default(),
            own_report: Default::default(),
            order_source: Default::default(),
            order_target: Default::default(),
            order_tag: Default::default(),
            is_second: [Constant::new(false), Constant::new(true)],
        }
    }
}

impl<const I: usize> Logic for TokenStop<I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            order,
            ordered,
            order_parity,
            sent_now,
            sent_late,
            home_now,
            home_waited,
            reported
        );

        // The command goes on, and stays here until the next one.
        if self.command.valid.val() {
            self.order.d.next = self.command.data.val();
        }
        self.ordered.d.next = self.command.valid.val() & !self.clear.val();
        self.order_source.next = self.order.q.val().get_bits::<ID_BITS>(0);
        self.order_target.next = self.order.q.val().get_bits::<ID_BITS>(6);
        self.order_tag.next = self.order.q.val().get_bits::<TAG_BITS>(13);
        self.order_parity.d.next = self.order_target.val().xor() ^ self.order_tag.val().xor();
        self.outbound.next = bit_cast::<TOKEN_BITS, ID_BITS>(self.order_target.val())
            | (bit_cast::<TOKEN_BITS, TAG_BITS>(self.order_tag.val()) << 7);
        self.mine.next = self.ordered.q.val() & (self.order_source.val() == self.own_id.val());

        self.sent_now.d.next = false;
        self.home_now.d.next = false;
        self.home_waited.d.next = 0.into();
        for i in 0..2 {
            self.catch[i].clock.next = self.clock.val();
            self.catch[i].clear.next = self.clear.val();
            self.catch[i].own_id.next = self.own_id.val();
            self.catch[i].next_id.next = self.next_id[1 - i].val();
            self.catch[i].arriving_control.next = self.arriving_control[i].val();
            self.catch[i].arriving_word.next = self.arriving_word[i].val();
            self.catch[i].arriving_own.next = self.arriving_own[i].val();
            self.catch[i].held_control.next = self.held_control[i].val();
            self.catch[i].held_word.next = self.held_word[i].val();
            self.catch[i].tag.next = self.order_tag.val();
            if self.catch[i].home.val() {
                self.home_now.d.next = !self.clear.val();
                self.home_waited.d.next = self.catch[i].word.val().get_bits::<WAITED_BITS>(15);
            }

            // A token that goes back on a ring came on the other one.
            self.door[i].clock.next = self.clock.val();
            self.door[i].clear.next = self.clear.val();
            self.door[i].own_id.next = self.own_id.val();
            self.door[i].caught.next = self.catch[1 - i].caught.val();
            self.door[i].tag.next = self.catch[1 - i].word.val().get_bits::<TAG_BITS>(7);
            self.door[i].token_source.next = self.catch[1 - i].source.val();
            self.door[i].token_parity.next = self.catch[1 - i].parity.val();
            self.door[i].token_is_next.next = self.catch[1 - i].source_is_next.val();
            self.door[i].send.next =
                self.mine.val() & (self.order.q.val().get_bit(12) == self.is_second[i].val());
            self.door[i].replaced.next = self.command.valid.val();
            self.door[i].order.next = self.outbound.val();
            self.door[i].order_parity.next = self.order_parity.q.val();
            StreamIn::<Bits<I>>::link(&mut self.from_port[i], &mut self.door[i].from_port);
            StreamOut::<Bits<I>>::link(&mut self.insert[i], &mut self.door[i].insert);
            self.source[i].next = self.door[i].source.val();
            self.source_parity[i].next = self.door[i].source_parity.val();
            self.source_is_next[i].next = self.door[i].source_is_next.val();
            if self.door[i].sent.val() {
                self.sent_now.d.next = !self.clear.val();
            }
        }

        self.sent_late.d.next = self.sent_now.q.val() & !self.clear.val();
        self.own_report.next = (bit_cast::<REPORT_BITS, WAITED_BITS>(self.home_waited.q.val()) << 2)
            .replace_bit(1, self.home_now.q.val())
            .replace_bit(0, self.sent_late.q.val());
        self.reported.d.next = self.report.val() | self.own_report.val();
        self.report_out.next = self.reported.q.val();
        self.command_out.valid.next = self.ordered.q.val();
        self.command_out.data.next = self.order.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("token_stop", &[("insert", I.to_string())])
    }
}

drive_ports!(impl[const I: usize] TokenStop<I> {
    clock, clear, own_id, next_id, arriving_control, arriving_word, arriving_own, held_control, held_word, from_port,
    insert, source, source_parity, source_is_next, command, command_out, report, report_out,
});

const _: () = assert!(token::tag::LOW == 7 && token::waited::LOW == 15 && token_command::src::LOW == 0);
const _: () = assert!(
    token_command::target::LOW == 6 && token_command::ring::LOW == 12 && token_command::tag::LOW == 13
);
