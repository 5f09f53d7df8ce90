//! Seeds and counts of the randomised tests of chapters 10 and 20.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A generator whose seed is printed; `FLITFORGE_SEED` sets another one.
pub fn random(test: &str) -> ChaCha8Rng {
    let seed = match std::env::var("FLITFORGE_SEED") {
        Ok(text) => text.parse().expect("FLITFORGE_SEED: a number"),
        Err(_) => 0x20_0020,
    };
    println!("{test}: FLITFORGE_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// How often: the quick count, or with `FLITFORGE_FULL=1` the chapter's.
pub fn count(quick: u64, full: u64) -> u64 {
    if is_full() {
        full
    } else {
        quick
    }
}

/// `FLITFORGE_FULL=1`: the chapter's counts.
pub fn is_full() -> bool {
    std::env::var("FLITFORGE_FULL").is_ok_and(|value| value == "1")
}
