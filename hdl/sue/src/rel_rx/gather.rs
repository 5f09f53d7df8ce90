//! Five things are known of each PDU, at different times: the address of its frame, header and verdict, the beginning of its body, what its body is found to be, and
//! whether it has room. Each waits in a FIFO until all of them are there. A PDU is told every 2 clocks at most.

use super::Arrival;
use crate::body_check::BodyVerdict;
use crate::frame::FrameWord;
use crate::pdu_writer::RECORD_HEADER;
use crate::reliability::ReceivedPdu;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// How the body of a PDU begins.
#[packed]
struct Beginning {
    /// What stands after two octets.
    record: Bits<48>,
    /// It begins as that of connection management.
    is_record: Bit,
}

/// Gathers what is known of PDUs. See the [module](self).
#[block("sue_rel_rx_gather", new)]
pub struct RelRxGather {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// XPU by the address of a frame.
    pub addresses: FlowIn<Bits<12>>,
    /// Header and verdict.
    pub pdus: FlowIn<ReceivedPdu>,
    /// Words of bodies.
    pub body: FlowIn<FrameWord>,
    /// What bodies are found to be.
    pub verdicts: FlowIn<BodyVerdict>,
    /// Whether all of a body is stored.
    pub rooms: FlowIn<Bit>,
    /// The PDUs.
    pub arrivals: FlowOut<Arrival>,

    /// The next word is the first of a body.
    #[init(true)]
    begins: Register<Bit>,
    #[wire(clock, clear)]
    address_queue: SmallFifo<Bits<12>, 4, 5>,
    #[wire(clock, clear)]
    pdu_queue: SmallFifo<ReceivedPdu, 4, 5>,
    #[wire(clock, clear)]
    beginning_queue: SmallFifo<Beginning, 4, 5>,
    #[wire(clock, clear)]
    verdict_queue: SmallFifo<BodyVerdict, 4, 5>,
    #[wire(clock, clear)]
    room_queue: SmallFifo<Bit, 4, 5>,
    #[wire(d = _)]
    arrival: Reg<Arrival>,
    arrival_valid: Register<Bit>,
}

#[logic]
impl RelRxGather {
    /// Nothing waits.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            address_queue: SmallFifo::new()?,
            pdu_queue: SmallFifo::new()?,
            beginning_queue: SmallFifo::new()?,
            verdict_queue: SmallFifo::new()?,
            room_queue: SmallFifo::new()?,
            ..
        })
    }

    fn update(&mut self) {
        address_queue.words_in = In { data: addresses.data, valid: addresses.valid };
        pdu_queue.words_in = In { data: pdus.data, valid: pdus.valid };
        let word = body.data;
        begins.enable = body.valid;
        begins = word.last;
        beginning_queue.words_in = In { data: Self::beginning(word), valid: body.valid & begins };
        verdict_queue.words_in = In { data: verdicts.data, valid: verdicts.valid };
        room_queue.words_in = In { data: rooms.data, valid: rooms.valid };

        let known =
            address_queue.words_out.valid & pdu_queue.words_out.valid & beginning_queue.words_out.valid;
        let complete = known & verdict_queue.words_out.valid & room_queue.words_out.valid;
        // They leave their FIFOs a clock after they were taken: a path from all of the FIFOs to the counters of each would be too long.
        address_queue.words_out.ready = arrival_valid;
        pdu_queue.words_out.ready = arrival_valid;
        beginning_queue.words_out.ready = arrival_valid;
        verdict_queue.words_out.ready = arrival_valid;
        room_queue.words_out.ready = arrival_valid;
        let read = pdu_queue.words_out.data;
        let begun = beginning_queue.words_out.data;
        let found = verdict_queue.words_out.data;
        arrival = Arrival {
            header: read.header,
            verdict: read.verdict,
            address: address_queue.words_out.data,
            record: begun.record,
            is_record: begun.is_record,
            well_formed: found.well_formed,
            empty: found.empty,
            single: found.commands == 1,
            room: room_queue.words_out.data,
        };
        arrival_valid = complete & !arrival_valid;
        arrivals = In { data: arrival, valid: arrival_valid };
    }

    /// How a body begins, from its first word.
    fn beginning(word: FrameWord) -> Beginning {
        let octets = word.data;
        let low: Bits<24> = cat(octets[56..64], octets[48..56], octets[40..48]);
        let high: Bits<24> = cat(octets[32..40], octets[24..32], octets[16..24]);
        let first: Bits<16> = cat(octets[8..16], octets[0..8]);
        Beginning { record: cat(low, high), is_record: first == RECORD_HEADER }
    }
}
