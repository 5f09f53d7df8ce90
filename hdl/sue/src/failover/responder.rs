//! Requests of peers: the receiver of the port freezes or opens the connection first, and what it says then is the answer (chapter 50, 3.4 and 4.6).
//!
//! The answer leaves through the port that the request came through.
//!
//! If order is kept, FREEZE_RSP says as well that the XPU has all bodies that this port had accepted on the virtual channel: `marks` at the first FREEZE_REQ, `passed` after it. They get
//! [`GIVING`] clocks; what takes longer is answered when the peer asks again. So an answer is never much later than its request, and other requests do not wait for the XPU.

use super::{OwnRecord, PeerRecord, PortChange, PortMark};
use crate::load_balance::PORTS;
use crate::receive_table::ReceiveChange;
use crate::rel_rx::{ConnectionChange, ConnectionState};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::VCS;

/// Clocks that an answer waits for the XPU, most.
pub const GIVING: u32 = 1 << GIVING_BITS;
const GIVING_BITS: usize = 8;
/// Clocks, as a power of two, after which all that a frozen connection had accepted is known.
const KNOWN_BITS: usize = 5;

/// How far a request is.
#[packed]
pub enum Progress {
    /// There is none.
    None,
    /// The receiver is to change the connection.
    Changes,
    /// It has not answered.
    Waits,
    /// What it had accepted is being marked;
    Marks,
    /// and given to the XPU.
    Gives,
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
    /// MODE = strict and STRICT_FO: order is kept.
    keeps_order: In<Bit>,
    /// Bodies that are marked.
    pub marks: FlowOut<PortMark>,
    /// By port and virtual channel: the XPU has what came before the mark.
    passed: [In<Bits<VCS>>; PORTS],
    /// Answers to peers.
    pub records: StreamOut<OwnRecord>,

    progress: Register<Progress>,
    request: Reg<PeerRecord>,
    psn: Reg<Bits<16>>,
    /// The connection was frozen by an earlier request.
    again: Reg<Bit>,
    #[wire(d = _)]
    timer: Reg<Bits<{ GIVING_BITS + 1 }>>,
    #[wire(d = _)]
    is_given: Reg<Bit>,
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
            again = said.was_frozen;
        }
        let (known, late) = self.watch();
        let is_freezing = keeps_order & !request.opens;
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
                    if is_freezing {
                        Progress::Marks
                    } else {
                        Progress::Answers
                    }
                } else {
                    Progress::Waits
                }
            }
            Progress::Marks => {
                if known {
                    Progress::Gives
                } else {
                    Progress::Marks
                }
            }
            Progress::Gives => {
                if is_given & timer[2] {
                    Progress::Answers
                } else if late {
                    Progress::None
                } else {
                    Progress::Gives
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

    /// What the XPU has to get before the answer.
    fn watch(&mut self) -> (Bit, Bit) {
        let known = timer[KNOWN_BITS];
        let begins = (progress == Progress::Waits) | ((progress == Progress::Marks) & known);
        timer = if begins { 0 } else { timer + 1 };
        let whose = request;
        marks.data = PortMark { port: whose.port, vc: whose.vc };
        marks.valid = (progress == Progress::Marks) & known & !again;
        let mut of_port: Bits<VCS> = 0;
        for i in 0..PORTS {
            if whose.port == i {
                of_port = passed[i];
            }
        }
        let its_vc = whose.vc;
        is_given = of_port[its_vc];
        let late = timer[GIVING_BITS];
        (known, late)
    }
}
