//! Counters of a link port: name and number of each (chapter 10, 5, registers 0x100 + 8 i).

coded_enum! {
    /// A counter of the port's register page; the code is its number i. All have 48 bits and saturate.
    LinkCounter: u8, {
        TxLtp = 0, "TX_LTP", "LTPs sent: original, replayed and Null";
        RxGood = 1, "RX_GOOD", "LTPs received with good CRC and no code error, Null included";
        RxAccepted = 2, "RX_ACCEPTED", "LTPs delivered";
        RxBad = 3, "RX_BAD", "LTPs with a wrong CRC or a code error";
        RxTossed = 4, "RX_TOSSED", "LTPs tossed while waiting for a replay";
        RxDup = 5, "RX_DUP", "good LTPs tossed because they were delivered before";
        RetryTx = 6, "RETRY_TX", "RetryReq pairs sent";
        RetryRx = 7, "RETRY_RX", "RetryReq received, a pair counting once";
        Replayed = 8, "REPLAYED", "LTPs sent again";
        NullTx = 9, "NULL_TX", "Null LTPs sent";
        Freeze = 10, "FREEZE", "times the transmit side froze";
        Reinit = 11, "REINIT", "times Active was left for Retraining";
        UnexpMrkr = 12, "UNEXP_MRKR", "RetryMrkr that nobody had asked for";
        BadPointer = 13, "BAD_POINTER", "requests for an LTP that is not in the replay buffer";
        RxGap = 14, "RX_GAP", "LTPs ahead of the expected sequence number";
        IllegalNull = 15, "ILLEGAL_NULL", "Null LTPs of unknown kind or in the wrong place of a pair";
        IllegalFlit = 16, "ILLEGAL_FLIT", "undefined opcodes in good LTPs";
        TxIllegal = 17, "TX_ILLEGAL", "illegal flits offered for sending";
        LateBeats = 18, "LATE_BEATS", "delivered beats of replayed LTPs";
        TimeStale = 19, "TIME_STALE", "time flits of replayed LTPs turned into Idle";
        MultiLane = 20, "MULTI_LANE", "verdicts with several lanes, but not all";
        IsoUnknown = 21, "ISO_UNKNOWN", "verdicts that say nothing: all groups differ, one lane, or a Null LTP";
        IsoNone = 22, "ISO_NONE", "verdicts without a difference";
        IsoDisagree = 23, "ISO_DISAGREE", "mode 3: replay and CRC name different lanes";
        Crc48Bad1 = 24, "CRC48_1BAD", "mode 2: one of the four CRCs failed";
        Crc48Bad2 = 25, "CRC48_2BAD", "mode 2: two of the four CRCs failed";
        Crc48Bad3 = 26, "CRC48_3BAD", "mode 2: three of the four CRCs failed, a near escape";
        Crc48Bad4 = 27, "CRC48_4BAD", "mode 2: all four CRCs failed";
        RemoveRefused = 28, "REMOVE_REFUSED", "lane removals refused at MIN_LANES";
        DeskewLost = 29, "DESKEW_LOST", "ALN numbers that differed between lanes";
        ElasticErr = 30, "ELASTIC_ERR", "lane FIFO overflows and underflows";
        LostOnReset = 31, "LOST_ON_RESET", "LTPs not known to be delivered when the link started afresh";
        ReplayParity = 32, "REPLAY_PARITY", "parity errors of the replay buffer";
        CreditOvf = 33, "CREDIT_OVF", "credit or buffer overflows";
        StackErr = 34, "STACK_ERR", "illegal sequences of packets and markers";
        PktGood = 35, "PKT_GOOD", "packets received good";
        PktBad = 36, "PKT_BAD", "packets received bad";
        CodeErr = 37, "CODE_ERR", "code and disparity errors";
        TimeDropped = 38, "TIME_DROPPED", "time flits discarded while no LTP could take them";
    }
}

/// Number of counters.
pub const LINK_COUNTERS: usize = LinkCounter::ALL.len();
/// Bits of a counter.
pub const COUNTER_BITS: usize = 48;
/// Value at which a counter stays.
pub const COUNTER_MAX: u64 = (1 << COUNTER_BITS) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_numbered_without_gaps() {
        assert_eq!(LINK_COUNTERS, 39);
        assert!(LinkCounter::ALL
            .iter()
            .enumerate()
            .all(|(index, counter)| usize::from(counter.code()) == index));
    }
}
