//! What the counters of an instance count at one of its ports, and what its events are, from what the port's blocks tell.

use crate::registers::{counted_place, EventDetails, COUNTED, EVENTS};
use crate::rel_rx::RelRxEventsIn;
use crate::rel_tx::RelTxEventsIn;
use crate::reliability::ReliabilityHeader;
use crate::send_table::SendResult;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_registers::{Event, SueCounter};

/// Events but CFG_BAD, which the registers raise.
const HAPPENED: usize = EVENTS - 1;
const BODY_BAD: usize = counted_place(SueCounter::BodyBad);
const NETWORK_BAD: usize = counted_place(SueCounter::NetworkBad);
const PARITY: usize = counted_place(SueCounter::Parity);
const BODY_TX: usize = counted_place(SueCounter::BodyTx);
const REPLAY: usize = counted_place(SueCounter::Replay);
const EXPIRIES: usize = counted_place(SueCounter::Expiries);
const ACK_TX: usize = counted_place(SueCounter::AckTx);
const NACK_TX: usize = counted_place(SueCounter::NackTx);
const ACK_RX: usize = counted_place(SueCounter::AckRx);
const NACK_RX: usize = counted_place(SueCounter::NackRx);
const ACK_STALE: usize = counted_place(SueCounter::AckStale);
const ACK_WILD: usize = counted_place(SueCounter::AckWild);
const COMMAND_OUT: usize = counted_place(SueCounter::CommandOut);
const BODY_RX: usize = counted_place(SueCounter::BodyRx);
const DUPLICATE: usize = counted_place(SueCounter::Duplicate);
const GAP: usize = counted_place(SueCounter::Gap);
const RECEIVE_FULL: usize = counted_place(SueCounter::ReceiveFull);
const CRC_BAD: usize = counted_place(SueCounter::CrcBad);
const HEADER_BAD: usize = counted_place(SueCounter::HeaderBad);
const PARTITION_VIOLATION: usize = counted_place(SueCounter::PartitionViolation);
const GENERATION_BUSY: usize = counted_place(SueCounter::GenerationBusy);
const AFH_BAD: usize = counted_place(SueCounter::AfhBad);
const LITE_LOSS: usize = counted_place(SueCounter::LiteLoss);
const EXTRACT_DROP: usize = counted_place(SueCounter::ExtractDrop);
const GENERATION_DROP: usize = counted_place(SueCounter::GenerationDrop);
/// Bits of EVENT.
const ON_ACK_WILD: usize = Event::AckWild as usize;
const ON_PARTITION_VIOLATION: usize = Event::PartitionViolation as usize;
const ON_BODY_BAD: usize = Event::BodyBad as usize;
const ON_PARITY: usize = Event::Parity as usize;
const ON_RECEIVE_FULL: usize = Event::ReceiveFull as usize;
const ON_CONNECTION_FAILED: usize = Event::ConnectionFailed as usize;
const ON_PAUSE_WATCHDOG: usize = Event::PauseWatchdog as usize;
const ON_LINK_FLUSHED: usize = Event::LinkFlushed as usize;
const ON_LITE_LOSS: usize = Event::LiteLoss as usize;
const ON_GENERATION_SKEW: usize = Event::GenerationSkew as usize;
const ON_STUCK: usize = Event::Stuck as usize;
const _: () = assert!(Event::ConfigurationBad as usize == HAPPENED);

/// Events and counters of a port, a clock later.
#[block("sue_port_events")]
pub struct PortEvents {
    /// Rising edge counts.
    clock: In<Clock>,
    /// What happened at the sender.
    pub sender: RelTxEventsIn,
    /// What each event of a connection did.
    pub results: FlowIn<SendResult>,
    /// What happened at the receiver.
    pub receiver: RelRxEventsIn,
    /// Header of the PDU that it is about.
    decided_header: In<ReliabilityHeader>,
    /// A command begins to be given to the XPU.
    delivered: In<Bit>,
    /// Headers of frames: foreign or wrong; AFH of a wrong shape; another generation.
    headers: In<Bits<3>>,
    /// A PDU came while all was being cleared.
    busy: In<Bit>,
    /// A connection whose peer is of another generation: its timer has run out.
    pub skew: FlowIn<Bits<12>>,
    /// A frame for the management had no room.
    extract_dropped: In<Bit>,
    /// The port: a class was paused for too long; link-layer retry has dropped its buffer.
    port_events: In<Bits<2>>,
    /// SUE Lite: a frame is lost.
    lite_lost: In<Bit>,
    /// Number of the port.
    number: In<Bits<2>>,
    /// Events of each counter.
    counted: [Out<Bits<2>>; COUNTED],
    /// Bits of EVENT but CFG_BAD.
    happened: Out<Bits<HAPPENED>>,
    /// What there is to say of them.
    details: Out<EventDetails>,

    #[wire(d = _)]
    once: Reg<Bits<COUNTED>>,
    /// Counters of several events in a clock.
    #[wire(d = _)]
    bad_bodies: Reg<Bits<2>>,
    #[wire(d = _)]
    bad_headers: Reg<Bits<2>>,
    #[wire(d = _)]
    bad_parity: Reg<Bits<2>>,
    #[wire(d = _)]
    now: Reg<Bits<HAPPENED>>,
    #[wire(d = _)]
    said: Reg<EventDetails>,
}

#[logic]
impl PortEvents {
    fn update(&mut self) {
        let of_sender = self.count_sender();
        let of_receiver = self.count_receiver();
        once = of_sender | of_receiver;
        for i in 0..COUNTED {
            counted[i] = bit_cast::<2, 1>(once.bits::<1>(i));
        }
        bad_bodies = Self::sum(receiver.body_bad, receiver.record_bad, false);
        bad_headers = Self::sum(headers[0], receiver.source_bad, receiver.unknown);
        bad_parity = Self::sum(sender.parity, sender.discarded, false);
        counted[BODY_BAD] = bad_bodies;
        counted[NETWORK_BAD] = bad_headers;
        counted[PARITY] = bad_parity;
        self.tell_events();
    }

    /// How many of three.
    fn sum(first: Bit, second: Bit, third: Bit) -> Bits<2> {
        let one: Bits<2> = bit_cast::<2, 1>(first.into());
        let two: Bits<2> = bit_cast::<2, 1>(second.into());
        let three: Bits<2> = bit_cast::<2, 1>(third.into());
        let all = one + two + three;
        all
    }

    fn count_sender(&mut self) -> Bits<COUNTED> {
        let mut of_sender: Bits<COUNTED> = 0;
        of_sender = of_sender.with(BODY_TX, sender.sent);
        of_sender = of_sender.with(REPLAY, sender.sent_again);
        of_sender = of_sender.with(EXPIRIES, sender.timed_out);
        of_sender = of_sender.with(ACK_TX, sender.ack_sent);
        of_sender = of_sender.with(NACK_TX, sender.nack_sent);
        of_sender = of_sender.with(ACK_RX, sender.ack_received);
        of_sender = of_sender.with(NACK_RX, sender.nack_received);
        of_sender = of_sender.with(ACK_STALE, sender.stale);
        of_sender = of_sender.with(ACK_WILD, sender.wild);
        of_sender = of_sender.with(LITE_LOSS, lite_lost);
        of_sender
    }

    fn count_receiver(&mut self) -> Bits<COUNTED> {
        let mut of_receiver: Bits<COUNTED> = 0;
        of_receiver = of_receiver.with(COMMAND_OUT, delivered);
        of_receiver = of_receiver.with(BODY_RX, receiver.accepted);
        of_receiver = of_receiver.with(DUPLICATE, receiver.duplicate);
        of_receiver = of_receiver.with(GAP, receiver.gap);
        of_receiver = of_receiver.with(RECEIVE_FULL, receiver.no_room);
        of_receiver = of_receiver.with(CRC_BAD, receiver.crc_bad);
        of_receiver = of_receiver.with(HEADER_BAD, receiver.header_bad);
        of_receiver = of_receiver.with(PARTITION_VIOLATION, receiver.partition_violation);
        of_receiver = of_receiver.with(GENERATION_BUSY, receiver.busy | busy);
        of_receiver = of_receiver.with(AFH_BAD, headers[1]);
        of_receiver = of_receiver.with(GENERATION_DROP, headers[2]);
        of_receiver = of_receiver.with(EXTRACT_DROP, extract_dropped);
        of_receiver
    }

    /// Bits of EVENT, and what is kept of the first one.
    fn tell_events(&mut self) {
        let mut bits_now: Bits<HAPPENED> = 0;
        bits_now = bits_now.with(ON_ACK_WILD, sender.wild);
        bits_now = bits_now.with(ON_PARTITION_VIOLATION, receiver.partition_violation);
        bits_now = bits_now.with(ON_BODY_BAD, receiver.body_bad | receiver.record_bad);
        bits_now = bits_now.with(ON_PARITY, sender.parity | sender.discarded);
        bits_now = bits_now.with(ON_RECEIVE_FULL, receiver.no_room);
        bits_now = bits_now.with(ON_CONNECTION_FAILED, sender.failed);
        bits_now = bits_now.with(ON_PAUSE_WATCHDOG, port_events[0]);
        bits_now = bits_now.with(ON_LINK_FLUSHED, port_events[1]);
        bits_now = bits_now.with(ON_LITE_LOSS, lite_lost);
        bits_now = bits_now.with(ON_STUCK, sender.stuck);
        bits_now = bits_now.with(ON_GENERATION_SKEW, skew.valid);
        now = bits_now;
        happened = now;
        let of_pdu = receiver.partition_violation | receiver.body_bad | receiver.no_room;
        let of_result = results.data;
        let header: Bits<64> = decided_header.into();
        let kept_header: Bits<64> = if of_pdu { header } else { 0 };
        let failing: Bits<12> = if results.valid { of_result.connection } else { 0 };
        let connection: Bits<12> = if skew.valid { skew.data } else { failing };
        let psn: Bits<16> = if results.valid { of_result.psn } else { 0 };
        let port = bit_cast::<4, 2>(number);
        said = EventDetails { has_header: of_pdu, port, connection, psn, header: kept_header };
        details = said;
    }
}
