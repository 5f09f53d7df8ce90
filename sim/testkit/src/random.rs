//! Random numbers of a test that needs one generator.

use flitforge_sim::kit::{seed, Rng};
use rand::SeedableRng;

/// A generator whose seed is printed, and comes from `FLITFORGE_SEED` if that is set. `flitforge_sim::kit::rng` gives one for
/// each of several agents.
pub fn random() -> Rng {
    Rng::seed_from_u64(seed(1))
}
