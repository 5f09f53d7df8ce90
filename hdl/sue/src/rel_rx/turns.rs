//! Whose event the table takes: that of a PDU first, then of a PDU to be sent, of a connection that changes, of a timer.
//!
//! The table takes an event every 3 clocks; the one that is chosen waits in a register. PDUs are 4 clocks apart at least, so at most two wait.

use super::{ConnectionChange, PduEvent};
use crate::ack_timers::AckTimer;
use crate::receive_table::{ReceiveChange, ReceiveEvent, ReceiveKind};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// Chooses events. See the [module](self).
#[block("sue_rel_rx_turns", new)]
pub struct RelRxTurns {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// The table is being cleared.
    busy: In<Bit>,
    /// PDUs that have come.
    pub pdus: FlowIn<PduEvent>,
    /// Connections that a PDU is about to be sent on.
    pub asks: StreamIn<Bits<12>>,
    /// Connections that change.
    pub changes: StreamIn<ConnectionChange>,
    /// Timers that have run out.
    pub expired: StreamIn<AckTimer>,
    /// What the table is to do.
    pub events: StreamOut<ReceiveEvent>,

    #[wire(clock, clear)]
    waiting: SmallFifo<PduEvent, 2, 3>,
    event: Reg<ReceiveEvent>,
    event_valid: Register<Bit>,
}

#[logic]
impl RelRxTurns {
    /// Nothing waits.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { waiting: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        waiting.words_in = In { data: pdus.data, valid: pdus.valid };
        let free = !event_valid & !busy & !clear;
        let has_pdu = waiting.words_out.valid;
        let may_ask = free & !has_pdu;
        let may_change = may_ask & !asks.valid;
        let may_expire = may_change & !changes.valid;
        waiting.words_out.ready = free;
        asks.ready = may_ask;
        changes.ready = may_change;
        expired.ready = may_expire;
        let takes = free & (has_pdu | asks.valid | changes.valid | expired.valid);
        let chosen = Self::choose(waiting.words_out.data, has_pdu, asks.data);
        let other = Self::other(changes.data, changes.valid, expired.data);
        if takes {
            event = if has_pdu | asks.valid { chosen } else { other };
        }
        event_valid = takes | (event_valid & !events.ready);
        events = In { data: event, valid: event_valid };
    }

    /// The event of a PDU that has come, or is to be sent.
    fn choose(came: PduEvent, has_pdu: Bit, asked: Bits<12>) -> ReceiveEvent {
        let kind = if has_pdu { ReceiveKind::Pdu } else { ReceiveKind::Take };
        let connection = if has_pdu { came.connection } else { asked };
        ReceiveEvent {
            kind,
            change: ReceiveChange::Open,
            connection,
            psn: came.psn,
            timer: 0,
            room: came.room,
        }
    }

    /// The event of a connection that changes, or of a timer.
    fn other(changed: ConnectionChange, changes: Bit, late: AckTimer) -> ReceiveEvent {
        let kind = if changes { ReceiveKind::Change } else { ReceiveKind::Expire };
        let connection = if changes { changed.connection } else { late.connection };
        ReceiveEvent {
            kind,
            change: changed.change,
            connection,
            psn: changed.psn,
            timer: late.timer,
            room: false,
        }
    }
}
