//! What the counters of a port count, from what its blocks tell.

use crate::frame::FrameVerdict;
use crate::llr_rx::{LlrFrameVerdict, LlrRxEventsIn, LlrVerdict};
use crate::llr_tx::LlrTxEventsIn;
use crate::registers::{port_counted_place, PORT_AMOUNT_BITS, PORT_COUNTED};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue_port_registers::PortCounter;

/// Counters of events.
pub const COUNTED: usize = PORT_COUNTED;
const FRAMES_TX: usize = port_counted_place(PortCounter::FramesTx);
const FRAMES_RX: usize = port_counted_place(PortCounter::FramesRx);
const FCS: usize = port_counted_place(PortCounter::Fcs);
const RUNT: usize = port_counted_place(PortCounter::Runt);
const LONG: usize = port_counted_place(PortCounter::Long);
const CODE: usize = port_counted_place(PortCounter::Code);
const ACK_TX: usize = port_counted_place(PortCounter::RetryAckTx);
const ACK_RX: usize = port_counted_place(PortCounter::RetryAckRx);
const NACK_TX: usize = port_counted_place(PortCounter::RetryNackTx);
const NACK_RX: usize = port_counted_place(PortCounter::RetryNackRx);
const INIT_TX: usize = port_counted_place(PortCounter::RetryInitTx);
const INIT_RX: usize = port_counted_place(PortCounter::RetryInitRx);
const REPLAY: usize = port_counted_place(PortCounter::RetryReplay);
const DUPLICATE: usize = port_counted_place(PortCounter::RetryDuplicate);
const SEQUENCE: usize = port_counted_place(PortCounter::RetrySequence);
const CONTROL_BAD: usize = port_counted_place(PortCounter::ControlBad);
const PAUSE_TX: usize = port_counted_place(PortCounter::PauseTx0);
const PAUSE_RX: usize = port_counted_place(PortCounter::PauseRx0);
const WATCHDOG: usize = port_counted_place(PortCounter::PauseWatchdog);
const FREED_TX: usize = port_counted_place(PortCounter::FreedTx);
const FREED_RX: usize = port_counted_place(PortCounter::FreedRx);
const INJECT: usize = port_counted_place(PortCounter::Inject);
const EXTRACT: usize = port_counted_place(PortCounter::Extract);
const POISON: usize = port_counted_place(PortCounter::RetryPoison);
const _: () = assert!(port_counted_place(PortCounter::PauseTx5) == PAUSE_TX + CLASSES - 1);
const _: () = assert!(port_counted_place(PortCounter::PauseRx5) == PAUSE_RX + CLASSES - 1);

/// Events of a port by their place among the counters, a clock later.
#[block("eth_port_counts")]
pub struct PortCounts {
    /// Rising edge counts.
    clock: In<Clock>,
    /// A frame was sent: its octets with FCS.
    pub sent: FlowIn<Bits<14>>,
    /// What the MAC has found of a frame.
    pub found: FlowIn<FrameVerdict>,
    /// With `found`: its octets with FCS.
    found_octets: In<Bits<14>>,
    /// What link-layer retry makes of it.
    pub judged: FlowIn<LlrFrameVerdict>,
    /// What happened at the sender of link-layer retry.
    pub events_tx: LlrTxEventsIn,
    /// What happened at its receiver.
    pub events_rx: LlrRxEventsIn,
    /// PFC frames sent, by class.
    pause_sent: In<Bits<CLASSES>>,
    /// PFC frames received, by class.
    pause_received: In<Bits<CLASSES>>,
    /// A class was paused for too long.
    storm: In<Bit>,
    /// CF_Update was sent.
    freed_sent: In<Bit>,
    /// CF_Update was received.
    freed_received: In<Bit>,
    /// A frame of the management was sent.
    injected: In<Bit>,
    /// One was taken.
    extracted: In<Bit>,
    /// Events of each counter.
    counted: [Out<Bits<2>>; COUNTED],
    /// Octets sent.
    octets_sent: Out<Bits<PORT_AMOUNT_BITS>>,
    /// Octets received.
    octets_received: Out<Bits<PORT_AMOUNT_BITS>>,

    #[wire(d = _)]
    happened: Reg<Bits<COUNTED>>,
    /// Ordered sets that were ignored: up to three in a clock.
    #[wire(d = _)]
    ignored: Reg<Bits<2>>,
    #[wire(d = _)]
    sent_now: Reg<Bits<14>>,
    #[wire(d = _)]
    found_now: Reg<Bits<14>>,
}

#[logic]
impl PortCounts {
    fn update(&mut self) {
        let of_mac = self.count_mac();
        let of_retry = self.count_retry();
        let mut of_flow: Bits<COUNTED> = 0;
        for i in 0..CLASSES {
            of_flow = of_flow.with(PAUSE_TX + i, pause_sent[i]).with(PAUSE_RX + i, pause_received[i]);
        }
        of_flow = of_flow.with(WATCHDOG, storm).with(INJECT, injected).with(EXTRACT, extracted);
        of_flow = of_flow.with(FREED_TX, freed_sent).with(FREED_RX, freed_received);
        happened = of_mac | of_retry | of_flow;
        for i in 0..COUNTED {
            counted[i] = bit_cast::<2, 1>(happened.bits::<1>(i));
        }
        counted[CONTROL_BAD] = ignored;
        sent_now = if sent.valid { sent.data } else { 0 };
        found_now = if found.valid { found_octets } else { 0 };
        octets_sent = bit_cast::<PORT_AMOUNT_BITS, 14>(sent_now);
        octets_received = bit_cast::<PORT_AMOUNT_BITS, 14>(found_now);
    }

    fn count_mac(&mut self) -> Bits<COUNTED> {
        let of_frame = found.data;
        let comes = found.valid;
        let mut of_mac: Bits<COUNTED> = 0;
        of_mac = of_mac.with(FRAMES_TX, sent.valid).with(FRAMES_RX, comes);
        of_mac = of_mac.with(FCS, comes & of_frame.fcs).with(RUNT, comes & of_frame.runt);
        of_mac = of_mac.with(LONG, comes & of_frame.long).with(CODE, comes & of_frame.code);
        of_mac
    }

    fn count_retry(&mut self) -> Bits<COUNTED> {
        let told = judged.data;
        let why = told.verdict;
        let ahead = (why == LlrVerdict::Ahead) | (why == LlrVerdict::Off);
        let mut of_retry: Bits<COUNTED> = 0;
        of_retry = of_retry.with(ACK_TX, events_rx.ack_sent).with(ACK_RX, events_rx.ack_received);
        of_retry = of_retry.with(NACK_TX, events_rx.nack_sent).with(NACK_RX, events_rx.nack_received);
        of_retry = of_retry.with(INIT_TX, events_tx.init_sent).with(INIT_RX, events_rx.init_received);
        of_retry = of_retry.with(REPLAY, events_tx.replay_nack | events_tx.replay_timer);
        of_retry = of_retry.with(DUPLICATE, judged.valid & (why == LlrVerdict::Duplicate));
        of_retry = of_retry.with(SEQUENCE, judged.valid & ahead);
        of_retry = of_retry.with(POISON, judged.valid & (why == LlrVerdict::Poisoned));
        let of_sender: Bits<2> = bit_cast::<2, 1>(events_tx.control_bad.into());
        let of_receiver: Bits<2> = bit_cast::<2, 1>(events_rx.control_bad.into());
        let of_init: Bits<2> = bit_cast::<2, 1>(events_rx.init_bad.into());
        ignored = of_sender + of_receiver + of_init;
        of_retry
    }
}
