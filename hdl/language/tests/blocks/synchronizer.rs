//! `hdl/prim/src/synchronizer`.

use crate::config::{check_range, ConfigError};
use crate::prim::Register;
use flitforge_base::prelude::*;

/// One bit through `N` flip-flops of the receiving clock; see the [module](self).
#[block("synchronizer", new, stages = N)]
#[derive(Clone, Debug)]
pub struct Synchronizer<const N: usize> {
    /// Receiving clock.
    clock: In<Clock>,
    /// The bit, of any clock or none.
    d: In<Bit>,
    /// The bit in the receiving domain.
    q: Out<Bit>,
    #[wire(clear = false)]
    stage: [Register<Bit>; N],
}

#[logic]
impl<const N: usize> Synchronizer<N> {
    /// A synchronizer that powers on with `initial`.
    pub fn new(initial: bool) -> Result<Self, ConfigError> {
        check_range("synchronizer", "N", N as u64, 2, 4)?;
        Ok(Self { stage: std::array::from_fn(|_| Register::synchronizing(initial)), .. })
    }

    fn update(&mut self) {
        for i in 0..N {}
        stage[0] = d;
        for i in 1..N {
            stage[i] = stage[i - 1];
        }
        // The last one stays.
        for i in 0..N {
            q = stage[i];
        }
    }
}
