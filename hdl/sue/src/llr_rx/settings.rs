//! What the registers say to the receiver, and what it tells (chapter 50, 0 and 5: P_LLR).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;

/// What the registers say to the receiver, at the receiver.
#[interface(join = LlrRxRegisters)]
pub struct LlrRxSettings {
    /// NACK_T: clocks until LLR_NACK is sent again (3200).
    nack_timer: In<Bits<16>>,
    /// A poisoned frame is accepted and dropped above (`ue103`); else it is a bad one (`sue1`).
    accepts_poison: In<Bit>,
    /// CTL_TWICE: only two equal ordered sets count.
    twice: In<Bit>,
    /// Most clocks between the two that always count; never after twice as many and 4.
    twice_within: In<Bits<16>>,
}

/// The same at the registers.
#[interface(join = LlrRxSettings)]
pub struct LlrRxRegisters {
    /// NACK_T: clocks until LLR_NACK is sent again (3200).
    nack_timer: Out<Bits<16>>,
    /// A poisoned frame is accepted and dropped above (`ue103`); else it is a bad one (`sue1`).
    accepts_poison: Out<Bit>,
    /// CTL_TWICE: only two equal ordered sets count.
    twice: Out<Bit>,
    /// Most clocks between the two that always count; never after twice as many and 4.
    twice_within: Out<Bits<16>>,
}

/// What happened at the receiver; each is high for one clock.
#[interface(join = LlrRxEventsIn)]
pub struct LlrRxEvents {
    /// An ordered set that is none: unknown type, wrong O-code (CTLOS_BAD).
    control_bad: Out<Bit>,
    /// LLR_INIT without nonce, or while link-layer retry is off (CTLOS_BAD).
    init_bad: Out<Bit>,
    /// LLR_ACK came.
    ack_received: Out<Bit>,
    /// LLR_NACK came.
    nack_received: Out<Bit>,
    /// LLR_INIT came.
    init_received: Out<Bit>,
    /// LLR_INIT_ECHO came.
    echo_received: Out<Bit>,
    /// LLR_ACK is to be sent.
    ack_sent: Out<Bit>,
    /// LLR_NACK is to be sent.
    nack_sent: Out<Bit>,
    /// LLR_INIT_ECHO is to be sent.
    echo_sent: Out<Bit>,
    /// The expected frame has closed a gap: a replay is seen.
    replay_seen: Out<Bit>,
}

/// The same at the counters.
#[interface(join = LlrRxEvents)]
pub struct LlrRxEventsIn {
    /// An ordered set that is none: unknown type, wrong O-code (CTLOS_BAD).
    control_bad: In<Bit>,
    /// LLR_INIT without nonce, or while link-layer retry is off (CTLOS_BAD).
    init_bad: In<Bit>,
    /// LLR_ACK came.
    ack_received: In<Bit>,
    /// LLR_NACK came.
    nack_received: In<Bit>,
    /// LLR_INIT came.
    init_received: In<Bit>,
    /// LLR_INIT_ECHO came.
    echo_received: In<Bit>,
    /// LLR_ACK is to be sent.
    ack_sent: In<Bit>,
    /// LLR_NACK is to be sent.
    nack_sent: In<Bit>,
    /// LLR_INIT_ECHO is to be sent.
    echo_sent: In<Bit>,
    /// The expected frame has closed a gap: a replay is seen.
    replay_seen: In<Bit>,
}

/// What becomes of a frame.
#[packed]
pub enum LlrVerdict {
    /// Given to the layer above.
    Delivered,
    /// Its sequence number is consumed, and it is dropped above (LLR_POISON).
    Poisoned,
    /// Received before (LLR_DUP).
    Duplicate,
    /// After a gap (LLR_SEQ).
    Ahead,
    /// Bad (FCS; what else may be wrong is in the verdict of the MAC).
    Bad,
    /// Numbered, but link-layer retry is off or was started anew in this moment (LLR_SEQ).
    Off,
}

/// The verdict on a frame.
#[packed]
pub struct LlrFrameVerdict {
    /// The frame counts.
    delivers: Bit,
    /// Why, or why not.
    verdict: LlrVerdict,
}

/// States of the receiver.
#[packed]
pub enum LlrRxState {
    /// No LLR_INIT has come.
    Off,
    /// In order.
    SendAcks,
    /// LLR_NACK is to be sent.
    SendNack,
    /// LLR_NACK was sent; all but the expected frame are dropped.
    NackSent,
}
