//! Requests of peers: the receiver of the port freezes or opens the connection first, and what it says then is the answer (chapter 50, 3.4 and 4.6).
//!
//! The answer leaves through the port that the request came through.

use super::{OwnRecord, PeerRecord, PortChange};
use crate::receive_table::ReceiveChange;
use crate::rel_rx::{ConnectionChange, ConnectionState};
use flitforge_hdl_prim::prelude::*;

/// How far a request is.
#[packed]
pub enum Progress {
    /// There is none.
    None,
    /// The receiver is to change the connection.
    Changes,
    /// It has not answered.
    Waits,
    /// The answer goes out.
    Answers,
}

/// Answers peers. See the [module](self).
#[block("sue_failover_responder")]
pub struct FailoverResponder {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Requests of peers.
    pub requests: StreamIn<PeerRecord>,
    /// What receivers are to change.
    pub changes: StreamOut<PortChange>,
    /// What they have changed, in this order.
    pub changed: FlowIn<ConnectionState>,
    /// Answers to peers.
    pub records: StreamOut<OwnRecord>,

    progress: Register<Progress>,
    request: Reg<PeerRecord>,
    psn: Reg<Bits<16>>,
}

#[logic]
impl FailoverResponder {
    fn update(&mut self) {
        let is_free = progress == Progress::None;
        let is_asking = progress == Progress::Changes;
        let is_waiting = progress == Progress::Waits;
        let is_answering = progress == Progress::Answers;
        requests.ready = is_free & !clear;
        if is_free {
            request = requests.data;
        }
        let said = changed.data;
        if is_waiting {
            psn = said.psn;
        }
        progress = match progress {
            Progress::None => {
                if requests.valid {
                    Progress::Changes
                } else {
                    Progress::None
                }
            }
            Progress::Changes => {
                if changes.ready {
                    Progress::Waits
                } else {
                    Progress::Changes
                }
            }
            Progress::Waits => {
                if changed.valid {
                    Progress::Answers
                } else {
                    Progress::Waits
                }
            }
            Progress::Answers => {
                if records.ready {
                    Progress::None
                } else {
                    Progress::Answers
                }
            }
        };

        let of = request;
        let what = if of.opens { ReceiveChange::Open } else { ReceiveChange::Freeze };
        let wanted = ConnectionChange { change: what, connection: cat(of.vc, of.source), psn: of.psn };
        changes.data = PortChange { port: of.port, change: wanted };
        changes.valid = is_asking;
        records.data = OwnRecord {
            destination: of.source,
            through: of.through,
            port: of.port,
            vc: of.vc,
            opens: of.opens,
            answers: true,
            psn,
        };
        records.valid = is_answering;
    }
}
