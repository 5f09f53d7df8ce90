//! Parameters of the retry protocol and the rules that tests may corrupt.

use flitforge_protocol::beat::is_flits_per_beat;
use flitforge_protocol::link::REPLAY_LTPS;
use flitforge_protocol::retry::{
    freeze_ltps, is_replay_ltps, pad_ltps, toss_ltps, BAD_RUN, GUARD_LTPS, GUARD_LTPS_MAX, GUARD_LTPS_MIN,
    LIMIT_MAX, REINIT_LIMIT, RETRY_LIMIT, TIMER_LTPS_MAX,
};
use thiserror::Error;

/// Parameters of one end (chapter 10, 4 and register RETRY_CFG of 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RetryConfig {
    /// Replay slots, R: 16, 32, 64, 128 or 256.
    pub slots: usize,
    /// Flits per beat, F: 1, 2 or 4. Only the count of late beats depends on it.
    pub flits_per_beat: usize,
    /// LTPs beyond the round trip before a slot is reused, 6 to 64.
    pub guard_ltps: u32,
    /// Requests for one pointer before Retraining, 1 to 255.
    pub retry_limit: u32,
    /// Retrainings without progress before Down, 1 to 255.
    pub reinit_limit: u32,
    /// Consecutive bad LTPs that mean lost framing, 1 to 255.
    pub bad_run: u32,
    /// LTP times in TOSS before the request is repeated; 0 = 2 RTT_LTP + R/4 + 16.
    pub toss_ltps: u32,
    /// LTP times in FREEZE before the pair is repeated; 0 = 2 RTT_LTP + 16.
    pub freeze_ltps: u32,
    /// A rule left out on purpose, for tests that must notice it; `None` is the protocol.
    pub mutation: Option<Mutation>,
}

/// A rule of the retry protocol that is left out. Every one of them has to make a test fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// No pad: a slot is reused before its request can have come (4.2 rule 1).
    NoPad,
    /// A pad after slot R-1 only when it was an original, not in a replay (4.2 rule 1).
    PadOnOriginalsOnly,
    /// Two consecutive bad LTPs do not freeze the transmit side (4.2 rule 2).
    NoFreeze,
    /// A RetryReq is sent once instead of as a pair (4.2 rule 3).
    SingleRequest,
    /// A good LTP before NxtRx is delivered again (4.3, second row).
    NoDuplicateToss,
    /// Time flits in a replayed LTP stay (4.3).
    NoTimeStrip,
    /// A bad RetryMrkr.1 after a good .0 is taken for an LTP of its own (4.3, "whatever its CRC").
    MarkerSecondMustBeGood,
    /// Originals are sent before the peer has shown that it is Active (our reading, see [`super::RetryTx`]).
    WriteBeforePeerActive,
}

impl Mutation {
    /// Every mutation.
    pub const ALL: &'static [Mutation] = &[
        Mutation::NoPad,
        Mutation::PadOnOriginalsOnly,
        Mutation::NoFreeze,
        Mutation::SingleRequest,
        Mutation::NoDuplicateToss,
        Mutation::NoTimeStrip,
        Mutation::MarkerSecondMustBeGood,
        Mutation::WriteBeforePeerActive,
    ];
}

/// A parameter that cannot work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("link retry, {parameter} = {value}: expected {expected}")]
pub struct RetryConfigError {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// Its value.
    pub value: u64,
    /// What is allowed.
    pub expected: &'static str,
}

impl Default for RetryConfig {
    fn default() -> Self {
        RetryConfig {
            slots: REPLAY_LTPS[3],
            flits_per_beat: 2,
            guard_ltps: GUARD_LTPS,
            retry_limit: RETRY_LIMIT,
            reinit_limit: REINIT_LIMIT,
            bad_run: BAD_RUN,
            toss_ltps: 0,
            freeze_ltps: 0,
            mutation: None,
        }
    }
}

impl RetryConfig {
    /// Refuses parameters outside their ranges.
    pub fn check(&self) -> Result<(), RetryConfigError> {
        let refuse = |parameter, value, expected| Err(RetryConfigError { parameter, value, expected });
        if !is_replay_ltps(self.slots) {
            return refuse("REPLAY_LTPS", self.slots as u64, "16, 32, 64, 128 or 256");
        }
        if !is_flits_per_beat(self.flits_per_beat) {
            return refuse("FLITS_PER_BEAT", self.flits_per_beat as u64, "1, 2 or 4");
        }
        if !(GUARD_LTPS_MIN..=GUARD_LTPS_MAX).contains(&self.guard_ltps) {
            return refuse("GUARD_LTPS", self.guard_ltps.into(), "6 to 64");
        }
        let limits = [
            ("RETRY_LIMIT", self.retry_limit),
            ("REINIT_LIMIT", self.reinit_limit),
            ("BAD_RUN", self.bad_run),
        ];
        if let Some((name, value)) = limits.into_iter().find(|(_, value)| !(1..=LIMIT_MAX).contains(value)) {
            return refuse(name, value.into(), "1 to 255");
        }
        let timers = [("TOSS_LTPS", self.toss_ltps), ("FREEZE_LTPS", self.freeze_ltps)];
        if let Some((name, value)) = timers.into_iter().find(|&(_, value)| value > TIMER_LTPS_MAX) {
            return refuse(name, value.into(), "0 (formula) to 65535");
        }
        Ok(())
    }

    /// True if this rule is left out.
    #[must_use]
    pub fn lacks(&self, rule: Mutation) -> bool {
        self.mutation == Some(rule)
    }

    /// Filler LTPs of a pad at this round trip.
    #[must_use]
    pub fn pad(&self, round_trip: u32) -> u32 {
        if self.lacks(Mutation::NoPad) {
            0
        } else {
            pad_ltps(round_trip, self.guard_ltps, self.slots)
        }
    }

    /// LTP times in TOSS before the request is repeated.
    #[must_use]
    pub const fn toss_time(&self, round_trip: u32) -> u32 {
        match self.toss_ltps {
            0 => toss_ltps(round_trip, self.slots),
            ltps => ltps,
        }
    }

    /// LTP times in FREEZE before the pair is repeated.
    #[must_use]
    pub const fn freeze_time(&self, round_trip: u32) -> u32 {
        match self.freeze_ltps {
            0 => freeze_ltps(round_trip),
            ltps => ltps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: fn(&mut RetryConfig)) -> &'static str {
        let mut config = RetryConfig::default();
        change(&mut config);
        config.check().expect_err("refused").parameter
    }

    #[test]
    fn parameters_out_of_range_are_refused_by_name() {
        assert_eq!(RetryConfig::default().check(), Ok(()));
        assert_eq!(refused(|config| config.slots = 8), "REPLAY_LTPS");
        assert_eq!(refused(|config| config.slots = 48), "REPLAY_LTPS");
        assert_eq!(refused(|config| config.flits_per_beat = 3), "FLITS_PER_BEAT");
        assert_eq!(refused(|config| config.guard_ltps = 5), "GUARD_LTPS");
        assert_eq!(refused(|config| config.guard_ltps = 65), "GUARD_LTPS");
        assert_eq!(refused(|config| config.retry_limit = 0), "RETRY_LIMIT");
        assert_eq!(refused(|config| config.bad_run = 256), "BAD_RUN");
        assert_eq!(refused(|config| config.freeze_ltps = 65_536), "FREEZE_LTPS");
    }

    #[test]
    fn the_message_says_what_is_allowed() {
        let error = RetryConfig { slots: 8, ..RetryConfig::default() }.check().expect_err("refused");
        assert_eq!(error.to_string(), "link retry, REPLAY_LTPS = 8: expected 16, 32, 64, 128 or 256");
    }
}
