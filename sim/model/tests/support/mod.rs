//! Seeds and counts of the randomised tests of chapter 20.

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
