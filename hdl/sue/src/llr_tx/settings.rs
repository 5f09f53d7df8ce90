//! What the registers say to the sender, and what it tells the counters (chapter 50, 0 and 5: P_LLR).

#![allow(missing_docs)]

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::SEQUENCE_BITS;

/// What becomes of frames that wait in INIT and FLUSH.
#[packed]
pub enum LlrWaiting {
    /// They wait.
    Block,
    /// They are sent with the standard preamble.
    BestEffort,
    /// They are dropped and counted.
    Discard,
    /// As `Block`.
    Reserved,
}

/// What the registers say to the sender, at the sender. They hold still while it is enabled.
#[interface(join = LlrTxRegisters)]
pub struct LlrTxSettings {
    /// First sequence number.
    first: In<Bits<SEQUENCE_BITS>>,
    /// Replay timer, MAC clocks (1600).
    replay_timer: In<Bits<16>>,
    /// INIT_T: clocks from one LLR_INIT to the next (4096).
    init_interval: In<Bits<16>>,
    /// MAX: replays without progress before FLUSH (3); 255: no limit.
    replays_max: In<Bits<8>>,
    /// PCS_LOST_T in ticks of 1024 clocks; 0: never.
    pcs_lost: In<Bits<16>>,
    /// AGE_T in ticks of 1024 clocks; 0: never.
    age: In<Bits<16>>,
    /// Most outstanding frames, 1 to 64.
    frames_max: In<Bits<7>>,
    /// Most words in the buffer when one more frame begins: most outstanding octets / 8, less the words of a longest frame.
    room_words: In<Bits<13>>,
    /// What becomes of frames that wait in INIT and FLUSH.
    waiting: In<LlrWaiting>,
    /// FLUSH ends by itself as soon as the PCS is up.
    automatic: In<Bit>,
    /// By class: it goes through link-layer retry.
    eligible: In<Bits<8>>,
    /// CTL_TWICE: each ordered set is sent twice.
    twice: In<Bit>,
}

/// The same at the registers.
#[interface(join = LlrTxSettings)]
pub struct LlrTxRegisters {
    /// First sequence number.
    first: Out<Bits<SEQUENCE_BITS>>,
    /// Replay timer, MAC clocks (1600).
    replay_timer: Out<Bits<16>>,
    /// INIT_T: clocks from one LLR_INIT to the next (4096).
    init_interval: Out<Bits<16>>,
    /// MAX: replays without progress before FLUSH (3); 255: no limit.
    replays_max: Out<Bits<8>>,
    /// PCS_LOST_T in ticks of 1024 clocks; 0: never.
    pcs_lost: Out<Bits<16>>,
    /// AGE_T in ticks of 1024 clocks; 0: never.
    age: Out<Bits<16>>,
    /// Most outstanding frames, 1 to 64.
    frames_max: Out<Bits<7>>,
    /// Most words in the buffer when one more frame begins: most outstanding octets / 8, less the words of a longest frame.
    room_words: Out<Bits<13>>,
    /// What becomes of frames that wait in INIT and FLUSH.
    waiting: Out<LlrWaiting>,
    /// FLUSH ends by itself as soon as the PCS is up.
    automatic: Out<Bit>,
    /// By class: it goes through link-layer retry.
    eligible: Out<Bits<8>>,
    /// CTL_TWICE: each ordered set is sent twice.
    twice: Out<Bit>,
}

/// What happened at the sender; each is high for one clock.
#[interface(join = LlrTxEventsIn)]
pub struct LlrTxEvents {
    /// The echo came: frames flow.
    started: Out<Bit>,
    /// A numbered frame begins, the first time.
    sent: Out<Bit>,
    /// A numbered frame begins again.
    resent: Out<Bit>,
    /// A replay begins because of LLR_NACK.
    replay_nack: Out<Bit>,
    /// A replay begins because of the replay timer.
    replay_timer: Out<Bit>,
    /// A frame was dropped while it waited.
    discarded: Out<Bit>,
    /// A numbered frame did not fit into the buffer: it was cut and poisoned.
    too_long: Out<Bit>,
    /// LLR_INIT was sent.
    init_sent: Out<Bit>,
    /// LLR_ACK or LLR_NACK inside the window, or an echo that matches.
    control_taken: Out<Bit>,
    /// One that was ignored (CTLOS_BAD).
    control_bad: Out<Bit>,
}

/// The same at the counters.
#[interface(join = LlrTxEvents)]
pub struct LlrTxEventsIn {
    /// The echo came: frames flow.
    started: In<Bit>,
    /// A numbered frame begins, the first time.
    sent: In<Bit>,
    /// A numbered frame begins again.
    resent: In<Bit>,
    /// A replay begins because of LLR_NACK.
    replay_nack: In<Bit>,
    /// A replay begins because of the replay timer.
    replay_timer: In<Bit>,
    /// A frame was dropped while it waited.
    discarded: In<Bit>,
    /// A numbered frame did not fit into the buffer: it was cut and poisoned.
    too_long: In<Bit>,
    /// LLR_INIT was sent.
    init_sent: In<Bit>,
    /// LLR_ACK or LLR_NACK inside the window, or an echo that matches.
    control_taken: In<Bit>,
    /// One that was ignored (CTLOS_BAD).
    control_bad: In<Bit>,
}

/// What a flush answers.
#[packed]
pub enum LlrFlushCause {
    /// MAX replays without progress.
    Replays,
    /// The oldest frame was older than AGE_T.
    Age,
    /// The PCS was down for PCS_LOST_T.
    PcsLost,
    /// Link-layer retry was switched off or started anew.
    Host,
}

/// Link failure: the buffer was dropped.
#[packed]
pub struct LlrFlush {
    /// Frames dropped (LLR_FLUSH); some of them may have arrived.
    frames: Bits<7>,
    /// Why.
    cause: LlrFlushCause,
}

/// States of the sender.
#[packed]
pub enum LlrTxState {
    /// Not enabled: frames have the standard preamble.
    Off,
    /// LLR_INIT is sent until its echo comes.
    Init,
    /// Frames are sent and stored.
    Advance,
    /// Stored frames are sent again.
    Replay,
    /// The buffer was dropped.
    Flush,
}
