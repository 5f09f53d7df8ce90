//! What a stop does with tokens.

use super::{TokenCatch, TokenInsert, COMMAND_BITS, REPORT_BITS, TAG_BITS, TOKEN_BITS, WAITED_BITS};
use crate::ring::{CONTROL_BITS, ID_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::{token, token_command};

/// A stop's part of 4.10 (chapter 20), beside its two ring stops. Index 0 is the clockwise ring.
///
/// - A token for this stop goes back on the other ring, a clock after the copy register's edge at the earliest; a token that comes
///   home is reported.
/// - `insert` is `from_port`, which goes first, or a token; `source` is the number that the insertion carries.
/// - `command` and `report` go on from stop to stop, a register each. `report` is {cycles waited, home, sent}; `returned` follows
///   `sent` of the same token by as many clocks as the token counts.
/// - `clear` forgets tokens that wait.
#[block("token_stop", insert = I)]
pub struct TokenStop<const I: usize> {
    /// Ring clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Number of this stop.
    own_id: In<Bits<ID_BITS>>,
    /// Number of the stop that a slot goes to next.
    next_id: [In<Bits<ID_BITS>>; 2],
    /// Control bits of the slot that comes in.
    arriving_control: [In<Bits<CONTROL_BITS>>; 2],
    /// Its lowest data bits.
    arriving_word: [In<Bits<TOKEN_BITS>>; 2],
    /// It was inserted here.
    arriving_own: [In<Bit>; 2],
    /// Control bits of the slot in the ring register.
    held_control: [In<Bits<CONTROL_BITS>>; 2],
    /// Its lowest data bits.
    held_word: [In<Bits<TOKEN_BITS>>; 2],
    /// Insertions of the port: {data, parity, tree, kind}.
    pub from_port: [StreamIn<Bits<I>>; 2],
    /// Insertions of the port and of tokens.
    pub insert: [StreamOut<Bits<I>>; 2],
    /// Stop that the insertion comes from.
    source: [Out<Bits<ID_BITS>>; 2],
    /// Parity that counts for `source`.
    source_parity: [Out<Bit>; 2],
    /// `source` is the stop that the slot goes to next.
    source_is_next: [Out<Bit>; 2],
    /// A token to be sent, from the stop before.
    pub command: FlowIn<Bits<COMMAND_BITS>>,
    /// A token to be sent, to the next stop.
    pub command_out: FlowOut<Bits<COMMAND_BITS>>,
    /// Report of the stops before.
    report: In<Bits<REPORT_BITS>>,
    /// Report of the stops before and of this one.
    report_out: Out<Bits<REPORT_BITS>>,

    #[wire(clock, clear)]
    catch: [TokenCatch; 2],
    #[wire(clock, clear)]
    inserter: [TokenInsert<I>; 2],
    order: Reg<Bits<COMMAND_BITS>>,
    ordered: Reg<Bit>,
    order_parity: Reg<Bit>,
    sent_now: Reg<Bit>,
    sent_late: Reg<Bit>,
    returned_now: Reg<Bit>,
    returned_waited: Reg<Bits<WAITED_BITS>>,
    reported: Reg<Bits<REPORT_BITS>>,
    mine: Local<Bit>,
    outbound: Local<Bits<TOKEN_BITS>>,
    own_report: Local<Bits<REPORT_BITS>>,
    #[init([false, true])]
    is_second: [Constant<Bit>; 2],
}

#[logic]
impl<const I: usize> TokenStop<I> {
    fn update(&mut self) {
        // The command goes on, and stays here until the next one.
        if command.valid {
            order = command.data;
        }
        ordered = command.valid & !clear;
        let order_source = order.bits::<ID_BITS>(0);
        let order_target = order.bits::<ID_BITS>(6);
        let order_tag = order.bits::<TAG_BITS>(13);
        order_parity = order_target.xor() ^ order_tag.xor();
        outbound = bit_cast::<TOKEN_BITS, ID_BITS>(order_target)
            | (bit_cast::<TOKEN_BITS, TAG_BITS>(order_tag) << 7);
        mine = ordered & (order_source == own_id);

        sent_now = false;
        returned_now = false;
        returned_waited = 0;
        for i in 0..2 {
            catch[i] = In { own_id, next_id: next_id[1 - i], arriving_control: arriving_control[i] };
            catch[i] = In { arriving_word: arriving_word[i], arriving_own: arriving_own[i] };
            catch[i] = In { held_control: held_control[i], held_word: held_word[i], tag: order_tag };
            if catch[i].returned {
                returned_now = !clear;
                returned_waited = catch[i].word.bits::<WAITED_BITS>(15);
            }

            // A token that goes back on a ring came on the other one.
            inserter[i] =
                In { own_id, caught: catch[1 - i].caught, tag: catch[1 - i].word.bits::<TAG_BITS>(7) };
            inserter[i] = In { token_source: catch[1 - i].source, token_parity: catch[1 - i].parity };
            inserter[i].token_is_next = catch[1 - i].source_is_next;
            inserter[i] = In { send: mine & (order[12] == is_second[i]), replaced: command.valid };
            inserter[i] = In { order: outbound, order_parity };
            link(from_port[i], inserter[i].from_port);
            link(insert[i], inserter[i].insert);
            source[i] = inserter[i].source;
            source_parity[i] = inserter[i].source_parity;
            source_is_next[i] = inserter[i].source_is_next;
            if inserter[i].sent {
                sent_now = !clear;
            }
        }

        sent_late = sent_now & !clear;
        own_report = (bit_cast::<REPORT_BITS, WAITED_BITS>(returned_waited) << 2)
            .with(1, returned_now)
            .with(0, sent_late);
        reported = report | own_report;
        report_out = reported;
        command_out = In { valid: ordered, data: order };
    }
}

const _: () = assert!(token::tag::LOW == 7 && token::waited::LOW == 15 && token_command::src::LOW == 0);
const _: () = assert!(
    token_command::target::LOW == 6 && token_command::ring::LOW == 12 && token_command::tag::LOW == 13
);
