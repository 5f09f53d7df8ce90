//! Time flits (chapter 20, 3.1): the SPC data of MasterTimeLow, MasterTimeHigh, DelayReq and DelayResp.
//!
//! Time is 64 bits of nanoseconds. Low carries the lower 40 bits and a fraction, High the upper 32 bits; the byte
//! time\[39:32\] is in both and tells whether two flits belong together.

/// Fraction bits of the time in a Low: units of 1/16 ns.
pub const FRAC_BITS: usize = 4;
/// Time bits in a Low, whole nanoseconds.
pub const LOW_TIME_BITS: usize = 40;
/// Bits of {time\[39:0\], frac}, the number that corrections are added to, modulo 2^44.
pub const VALUE_BITS: usize = LOW_TIME_BITS + FRAC_BITS;
/// Clock trees a flit can name.
pub const MAX_TREES: usize = 4;
/// Fraction bits of delays, lags, offsets and phase errors: units of 1/256 ns.
pub const FINE_BITS: usize = 8;

layout! {
    /// SPC data of MasterTimeLow.
    master_time_low, "SPC data of MasterTimeLow", 48 bits, "chapter 20, 3.1", {
        time [0 +: 40] "time[39:0], nanoseconds";
        tree [40 +: 2] "master id: clock tree 0 to 3";
        era [42 +: 2] "master generation of this tree, +1 modulo 4 at every master change or master step";
        frac [44 +: 4] "further time, units of 1/16 ns";
    }
}
layout! {
    /// SPC data of MasterTimeHigh.
    master_time_high, "SPC data of MasterTimeHigh", 48 bits, "chapter 20, 3.1", {
        time [0 +: 32] "time[63:32]; the low byte, time[39:32], is also in Low (overlap byte)";
        index [32 +: 8] "the manager's index of the sending master";
        tree [40 +: 2] "master id: clock tree 0 to 3";
        era [42 +: 2] "as in Low";
        quality [44 +: 4] "where the master's time comes from";
    }
}
layout! {
    /// SPC data of DelayReq.
    delay_req, "SPC data of DelayReq", 48 bits, "chapter 20, 3.1", {
        tag [0 +: 8] "names the round";
    }
}
layout! {
    /// SPC data of DelayResp.
    delay_resp, "SPC data of DelayResp", 48 bits, "chapter 20, 3.1", {
        turnaround [0 +: 32] "time from the request's arrival to this answer, units of 1/256 ns";
        tag [32 +: 8] "tag of the request";
        phase_valid [40 +: 1] "the responder's lag meters were valid";
        locked [41 +: 1] "the responder's SyncTime is locked";
    }
}

coded_enum! {
    /// Quality of a master's time (chapter 20, 3.1); other values are reserved.
    Quality: u8, {
        FreeRunning = 0, "free running", "no reference";
        Locked = 1, "locked", "locked to an outside reference";
        Holdover = 2, "holdover", "the reference was lost";
        Backup = 3, "backup", "a backup master disciplined as a slave";
    }
}

coded_enum! {
    /// Source of the fraction of a lag meter's word count (chapter 20, 4.2).
    PhaseSource: u8, {
        None = 0, "NONE", "no fraction: whole words only";
        Beat = 1, "BEAT", "the core clock samples half the word clock and interpolates between transitions";
        Ddmtd = 2, "DDMTD", "as BEAT with a helper clock close to the word clock";
        Phy = 3, "PHY", "the phase is an input";
    }
}

/// Bits of a lag, signed, units of 1/256 ns (chapter 20, 4.2).
pub const LAG_BITS: usize = 20;
/// Clocks from plane R to `tval` (chapter 20, 4.3).
pub const EXTRACT_CLOCKS: u64 = 3;
/// Clocks from the core register of a ring stop to the offer at plane X (chapter 20, 4.5 rule 1).
pub const INJECT_CLOCKS: u64 = 1;
/// Clocks by which the WPER that is added for a clock of waiting is older than that clock (chapter 20, 4.5).
pub const WPER_LATE_CLOCKS: usize = 1;
/// Bits of TX_WAIT_MAX, core clocks (chapter 20, 5).
pub const TX_WAIT_BITS: usize = 16;
/// Default of TX_WAIT_MAX, core clocks (chapter 20, 4.5).
pub const TX_WAIT_MAX_DEFAULT: u64 = 4096;
/// The unit of GEN_PERIOD is 2^20 ns (chapter 20, 4.6 rule 1).
pub const GEN_PERIOD_SHIFT: u32 = 20;
/// The unit of GEN_PHASE is 2^12 ns (chapter 20, 4.6 rule 1).
pub const GEN_PHASE_SHIFT: u32 = 12;
/// Default of GEN_PERIOD: 99.614720 ms.
pub const GEN_PERIOD_DEFAULT: u64 = 95;
/// Largest GEN_PERIOD, 12 bits.
pub const GEN_PERIOD_MAX: u64 = 4095;
/// Default of HIGH_EVERY: one High for so many Lows.
pub const HIGH_EVERY_DEFAULT: u64 = 10;
/// Longest time between two Highs when HIGH_EVERY is above 1, in nanoseconds (chapter 20, 4.6 rule 3).
pub const HIGH_SPACING_MAX_NS: u64 = 4_000_000_000;
/// Smallest distance of the GEN_PHASE of two masters, in nanoseconds (chapter 20, 4.6 rule 5).
pub const GEN_PHASE_SPACING_NS: u64 = 64_000;
/// Slack of the age of a High when it is joined with a Low, in nanoseconds (chapter 20, 4.7 rule 2).
pub const JOIN_SLACK_NS: u64 = 1_000_000;
/// Smallest, default and largest depth of a slave's sample FIFO (chapter 20, 4.7).
pub const FIFO_DEPTH: (usize, usize, usize) = (4, 8, 64);
/// Default and largest exponent K of the 2^K rounds of a link delay measurement (chapter 20, 4.8 rule 3).
pub const LDM_ROUNDS_LOG2: (u32, u32) = (4, 8);
/// Void rounds that end a link delay measurement (chapter 20, 4.8 rule 3).
pub const LDM_MAX_VOID: u32 = 16;
/// Default of LDM_TIMEOUT, core clocks (chapter 20, 4.8 rule 3).
pub const LDM_TIMEOUT_DEFAULT: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flit::spc;

    #[test]
    fn every_time_flit_fills_the_data_of_a_special_flit() {
        let layouts =
            [master_time_low::LAYOUT, master_time_high::LAYOUT, delay_req::LAYOUT, delay_resp::LAYOUT];
        assert!(layouts.iter().all(|layout| layout.width == spc::data::WIDTH));
        assert_eq!((master_time_low::LAYOUT.reserved(), master_time_high::LAYOUT.reserved()), (0, 0));
    }

    #[test]
    fn the_overlap_byte_is_where_both_flits_have_it() {
        let (low, high) = (master_time_low::time::FIELD, master_time_high::time::FIELD);
        let time = 0x0123_4567_89AB_CDEF_u64;
        let (low, high) = (low.set(0, time), high.set(0, time >> 32));
        assert_eq!((low >> 32 & 0xFF, high & 0xFF), (0x67, 0x67));
    }
}
