//! How many things are under way.

use flitforge_hdl_prim::prelude::*;

/// Counts things that come and go, up to 31 of them, and says in a register, one clock late, whether there are fewer than a limit.
#[block(new)]
pub struct Level {
    /// Rising edge counts.
    clock: In<Clock>,
    /// None are under way.
    clear: In<Bit>,
    /// One comes.
    up: In<Bit>,
    /// One goes.
    down: In<Bit>,
    /// There were fewer than the limit.
    low: Out<Bit>,
    count: Reg<Bits<5>>,
    is_high: Reg<Bit>,
    limit: Constant<Bits<5>>,
    #[init(1)]
    one: Constant<Bits<5>>,
}

#[logic]
impl Level {
    /// With this limit, 1 to 31.
    pub fn new(limit: u64) -> Self {
        Self { limit: Constant::new(limit.into()), .. }
    }

    fn update(&mut self) {
        if up & !down {
            count = count + one;
        }
        if down & !up {
            count = count - one;
        }
        is_high = count >= limit;
        if clear {
            count = 0;
            is_high = false;
        }
        low = !is_high;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("level", &[("limit", self.limit.val().index().to_string())])
    }
}
