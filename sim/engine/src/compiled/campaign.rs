//! Many runs of one design on all cores.

use super::instance::Instance;
use super::program::Compiled;
use rayon::prelude::*;
use std::sync::Arc;

/// Runs `work` once per seed, each on an instance of its own at power-on, spread over the cores. The results
/// stand in the order of the seeds, whichever run ended first.
pub fn campaign<T: Send>(
    program: &Arc<Compiled>,
    seeds: &[u64],
    work: impl Fn(u64, &mut Instance) -> T + Sync,
) -> Vec<T> {
    seeds.par_iter().map(|seed| work(*seed, &mut program.instance())).collect()
}
