//! Records that have come through all ports, one after the other: requests of peers and their answers.
//!
//! Five records wait at each port; one more is lost and told, which its sender repairs, as it asks again. They go on in their order, a request when the one before it
//! was taken; so an answer may wait for the request before it.

use super::entry::{FREEZE_REQUEST, FREEZE_RESPONSE, OPEN_REQUEST, OPEN_RESPONSE};
use super::PeerRecord;
use crate::load_balance::PORTS;
use crate::rel_rx::ManagementRecord;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::sue::reliability::cm_record;

/// Sorts records. See the [module](self).
#[block("sue_failover_inbox", new)]
pub struct FailoverInbox<const P: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// Ports that the instance has.
    ports: In<Bits<PORTS>>,
    /// Records, by port that they came through.
    pub records: [FlowIn<ManagementRecord>; PORTS],
    /// Requests of peers.
    pub requests: StreamOut<PeerRecord>,
    /// Answers of peers.
    pub answers: FlowOut<PeerRecord>,
    /// A record makes no sense.
    bad: Out<Bit>,
    /// There was no place for a record.
    lost: Out<Bit>,

    #[wire(clock, clear)]
    waiting: Vec<SmallFifo<ManagementRecord, 2, 3>>,
    /// Whose turn it is.
    turn: Register<Bits<2>>,
    record: Reg<ManagementRecord>,
    through: Reg<Bits<2>>,
    record_valid: Register<Bit>,
    request: Reg<PeerRecord>,
    request_valid: Register<Bit>,
    #[wire(d = _)]
    answer: Reg<PeerRecord>,
    answer_valid: Register<Bit>,
    is_bad: Register<Bit>,
    is_lost: Register<Bit>,
}

#[logic]
impl<const P: usize> FailoverInbox<P> {
    /// Nothing has come.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { waiting: (0..PORTS).map(|_| SmallFifo::new()).collect::<Result<_, _>>()?, .. })
    }

    fn update(&mut self) {
        let moves = self.take();
        self.sort(moves);
    }

    /// The port whose turn it is gives a record, if it has one.
    fn take(&mut self) -> Bit {
        let moves = !record_valid | !request_valid;
        let mut overflows: Bit = false;
        let mut has: Bit = false;
        let mut first: ManagementRecord = waiting[0].words_out.data;
        for i in 0..PORTS {
            waiting[i].words_in = In { data: records[i].data, valid: records[i].valid };
            overflows = overflows | (records[i].valid & !waiting[i].words_in.ready);
            let here = turn == i;
            waiting[i].words_out.ready = moves & here;
            has = has | (here & waiting[i].words_out.valid);
            if here {
                first = waiting[i].words_out.data;
            }
        }
        turn = if moves { turn + 1 } else { turn };
        if moves {
            record = first;
            through = turn;
        }
        record_valid = if moves { has } else { record_valid };
        is_lost = overflows;
        lost = is_lost;
        moves
    }

    /// What it says.
    fn sort(&mut self, moves: Bit) {
        let came = record;
        let octets = came.record;
        let code = octets[cm_record::code];
        let port = octets[cm_record::port];
        let vc = octets[cm_record::vc];
        let source = came.source;
        let opens = (code == OPEN_REQUEST) | (code == OPEN_RESPONSE);
        let requests_it = (code == FREEZE_REQUEST) | (code == OPEN_REQUEST);
        let known = requests_it | (code == FREEZE_RESPONSE) | (code == OPEN_RESPONSE);
        let number = source.bits::<P>(0);
        let near = bit_cast::<10, P>(number) == source;
        let low = port[0..2];
        let port_rest = port[2..8];
        let vc_rest = vc[2..8];
        let there = ports[low] & !port_rest.any();
        let sound = known & near & there & !vc_rest.any();
        let said =
            PeerRecord { source, through, port: low, vc: vc[0..2], opens, psn: octets[cm_record::psn] };
        let leaves = record_valid & moves;
        let goes = leaves & sound & requests_it;
        if goes {
            request = said;
        }
        request_valid = goes | (request_valid & !requests.ready);
        requests = In { data: request, valid: request_valid };
        answer = said;
        answer_valid = leaves & sound & !requests_it;
        answers = In { data: answer, valid: answer_valid };
        is_bad = leaves & !sound;
        bad = is_bad;
    }
}
