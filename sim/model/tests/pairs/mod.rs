//! Link pairs that are up, and errors put into them (chapter 10, section 9, points 5 to 7).

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::pair::{ErrorProcess, LinkPair, Loss, PairConfig, Target, Violation};
use flitforge_model::retry::RetryConfig;

/// The seed of this run: `FLITFORGE_SEED`, decimal or 0x, else a fixed one.
pub fn seed() -> u64 {
    let Ok(text) = std::env::var("FLITFORGE_SEED") else { return 0x1043 };
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.expect("FLITFORGE_SEED: a decimal or 0x number")
}

pub fn config(slots: usize) -> RetryConfig {
    RetryConfig { slots, ..RetryConfig::default() }
}

/// A pair that is up and has run without errors until every slot was used.
pub fn active_pair(config: RetryConfig, round_trip: u64) -> LinkPair {
    let error_free = ErrorProcess::forced(&[]);
    let mut pair = LinkPair::new(PairConfig::symmetric(config, round_trip), error_free).expect("a pair");
    assert!(pair.bring_up(5_000), "round trip {round_trip}: not Active");
    pair.run(round_trip + 2 * config.slots as u64).expect("no errors, no violation");
    pair
}

/// Runs one pattern with the first bad LTP at position `first` of the wrap.
pub fn run_pattern(
    config: RetryConfig,
    round_trip: u64,
    first: u64,
    losses: &[Loss],
) -> Result<LinkPair, Violation> {
    let mut pair = active_pair(config, round_trip);
    let bad = Loss::one(0, Target::Original, first);
    pair.set_errors(ErrorProcess::forced(losses).with(&[bad]));
    let before = [0, 1].map(|from| pair.monitor(from).delivered());
    pair.run(40 * (round_trip + 8) + 8 * config.slots as u64)?;
    for (from, before) in before.into_iter().enumerate() {
        let delivered = pair.monitor(from).delivered() - before;
        assert!(delivered > config.slots as u64, "direction {from}: only {delivered} delivered");
    }
    Ok(pair)
}
