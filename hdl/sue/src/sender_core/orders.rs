//! What connection management has a sender do: stop, hand over, give up, open (chapter 50, 4.4 rules 4 and 5).
//!
//! Each order becomes events of the table, one at a time; `Stop` is asked again and again, since its result says where a connection stands.
//!
//! | order | events |
//! |---|---|
//! | `Stop` | `Stop`; the answer waits for all bodies that were being read |
//! | `HandOver` | until nothing is being freed, `Ack` of what is before `psn`; again so, `Ack` of the rest, whose bodies move |
//! | `Abandon` | the same with what was sent (status 3), then with what was not (status 1) |
//! | `Open` | `Open` |
//!
//! After `HandOver` and `Abandon` the connection is closed. Acknowledgments of peers wait meanwhile, so that each slot has the status of its own request.

use super::OwnEvent;
use crate::send_table::{SendKind, SendResult};
use crate::sender_orders::{OrderKind, SenderAnswer, SenderOrder};
use crate::slot_walker::BodyStatus;
use flitforge_hdl_prim::prelude::*;

/// How far an order is.
#[packed]
pub enum OrderStep {
    /// There is none.
    Idle,
    /// An event goes to the table.
    Tell,
    /// Its result has not come.
    Wait,
    /// Where the connection stands is compared;
    Weigh,
    /// what follows from it is computed.
    Spread,
    /// What comes next.
    Judge,
    /// Bodies are being read.
    Leave,
    /// All is done.
    Answer,
}

/// Carries out orders. See the [module](self).
#[block("sue_send_orders")]
pub struct SendOrders {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the order.
    clear: In<Bit>,
    /// What to do.
    pub orders: StreamIn<SenderOrder>,
    /// It is done.
    pub answered: FlowOut<SenderAnswer>,
    /// Events of the table.
    pub events: StreamOut<OwnEvent>,
    /// What the table says.
    pub results: FlowIn<SendResult>,
    /// The oldest body that was being read has been.
    left: In<Bit>,
    /// Acknowledgments of peers wait.
    holds: Out<Bit>,
    /// Those that the table speaks of are not of peers.
    acts: Out<Bit>,
    /// Slots that are to be freed now, if `acts`: of this connection,
    connection: Out<Bits<12>>,
    /// with this status,
    status: Out<BodyStatus>,
    /// or moving.
    moves: Out<Bit>,

    step: Register<OrderStep>,
    order: Reg<SenderOrder>,
    event: Reg<OwnEvent>,
    holding: Register<Bit>,
    acting: Register<Bit>,
    /// What is to be done first has been told.
    began: Register<Bit>,
    says_status: Reg<BodyStatus>,
    says_moves: Reg<Bit>,
    oldest: Reg<Bits<16>>,
    following: Reg<Bits<16>>,
    covered: Reg<Bits<9>>,
    is_clean: Reg<Bit>,
    #[wire(d = _)]
    is_empty: Reg<Bit>,
    /// PSN before which is done first what is different; there is something before it.
    #[wire(d = _)]
    border: Reg<Bits<16>>,
    #[wire(d = _)]
    has_first: Reg<Bit>,
    #[wire(d = _)]
    last_sent: Reg<Bits<16>>,
    /// Bodies that are being read, and those of them that `Stop` waits for.
    reading: Register<Bits<3>>,
    to_leave: Register<Bits<3>>,
}

#[logic]
impl SendOrders {
    fn update(&mut self) {
        let own = self.listen();
        self.count(own);
        self.weigh();
        let over = self.judge();
        self.move_on(own, over);

        holds = holding;
        acts = acting;
        connection = event.connection;
        status = says_status;
        moves = says_moves;
        events = In { data: event, valid: step == OrderStep::Tell };
        answered.data = SenderAnswer { oldest, following };
        answered.valid = step == OrderStep::Answer;
    }

    /// The result of the event.
    fn listen(&mut self) -> Bit {
        let said = results.data;
        let waits = step == OrderStep::Wait;
        let own = results.valid & waits & (said.kind == event.kind) & (acting | (said.kind != SendKind::Ack));
        if own {
            oldest = said.psn;
            following = said.following;
            covered = said.covered;
            is_clean = !said.count.any();
        }
        own
    }

    /// Bodies that were being read when the connection stopped.
    fn count(&mut self, own: Bit) {
        let counted = results.data;
        let one_more = results.valid & counted.sends;
        let one_less: Bits<3> = bit_cast::<3, 1>(left.into());
        reading = reading + bit_cast::<3, 1>(one_more.into()) - one_less;
        to_leave = if own {
            reading - one_less
        } else if to_leave.any() {
            to_leave - one_less
        } else {
            0
        };
    }

    /// Where the connection stands.
    fn weigh(&mut self) {
        let to_psn = order.kind == OrderKind::HandOver;
        let after_sent = oldest + bit_cast::<16, 9>(covered);
        is_empty = oldest == following;
        border = if to_psn { order.psn } else { after_sent };
        has_first = if to_psn { order.psn != oldest } else { covered.any() };
        last_sent = border - 1;
    }

    /// The next event, if the last one was `Stop`.
    fn judge(&mut self) -> Bit {
        let judges = step == OrderStep::Judge;
        let takes = (step == OrderStep::Idle) & orders.valid & !clear;
        orders.ready = (step == OrderStep::Idle) & !clear;
        let wanted = orders.data;
        let of = wanted.of;
        let wants_open = wanted.kind == OrderKind::Open;
        let polled = event.kind == SendKind::Stop;
        let ready_to_act = polled & is_clean & !is_empty;
        let first = ready_to_act & !began & has_first;
        let rest = ready_to_act & !first;
        let hands_over = order.kind == OrderKind::HandOver;
        let kind = if wants_open { SendKind::Open } else { SendKind::Stop };
        let next_kind = if ready_to_act { SendKind::Ack } else { SendKind::Stop };
        let next_psn = if first { last_sent } else { following - 1 };
        if takes {
            order = wanted;
            event = OwnEvent { kind, connection: of.connection, psn: wanted.psn };
            says_status = BodyStatus::Delivered;
            says_moves = false;
        } else if judges {
            event = OwnEvent { kind: next_kind, connection: event.connection, psn: next_psn };
            if rest {
                says_status = BodyStatus::Failed;
                says_moves = hands_over;
            } else if first {
                says_status = if hands_over { BodyStatus::Delivered } else { BodyStatus::Unknown };
            }
        }
        began = (began | (judges & ready_to_act)) & !takes;
        holding = if takes {
            (wanted.kind == OrderKind::HandOver) | (wanted.kind == OrderKind::Abandon)
        } else {
            holding & !(step == OrderStep::Answer)
        };
        acting = holding & (acting | judges) & !takes;
        let over = polled & is_clean & is_empty;
        over
    }

    /// The next step.
    fn move_on(&mut self, own: Bit, over: Bit) {
        let stops = order.kind == OrderKind::Stop;
        let opens = order.kind == OrderKind::Open;
        step = match step {
            OrderStep::Idle => Self::either(orders.valid & !clear, OrderStep::Tell, OrderStep::Idle),
            OrderStep::Tell => Self::either(events.ready, OrderStep::Wait, OrderStep::Tell),
            OrderStep::Wait => Self::either(own, OrderStep::Weigh, OrderStep::Wait),
            OrderStep::Weigh => {
                if stops {
                    OrderStep::Leave
                } else {
                    Self::either(opens, OrderStep::Answer, OrderStep::Spread)
                }
            }
            OrderStep::Spread => OrderStep::Judge,
            OrderStep::Judge => Self::either(over, OrderStep::Answer, OrderStep::Tell),
            OrderStep::Leave => Self::either(to_leave.any(), OrderStep::Leave, OrderStep::Answer),
            OrderStep::Answer => OrderStep::Idle,
        };
    }

    fn either(first: Bit, then: OrderStep, otherwise: OrderStep) -> OrderStep {
        let chosen = if first { then } else { otherwise };
        chosen
    }
}
