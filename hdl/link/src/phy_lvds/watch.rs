//! Whether a clock runs.

use super::LvdsConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::synchronizer::Synchronizer;

/// Bits of the timer.
pub(super) const TIMER_BITS: usize = 10;

/// Says whether another clock runs: it must rise 8 times within `stopped_clocks` of the own clock. A clock that begins counts
/// within 16 of its own clocks. Powers on with `runs` low.
#[block("clock_watch", new)]
pub struct ClockWatch {
    /// Own clock.
    clock: In<Clock>,
    /// Clock that is watched.
    other: In<Clock>,
    /// It runs.
    runs: Out<Bit>,
    #[wire(clock = other)]
    count: Reg<Bits<4>>,
    #[wire(clock)]
    level: Synchronizer<2>,
    seen: Reg<Bit>,
    #[wire(clear = false)]
    timer: Register<Bits<TIMER_BITS>>,
    limit: Constant<Bits<TIMER_BITS>>,
    #[init(1)]
    one: Constant<Bits<TIMER_BITS>>,
}

#[logic]
impl ClockWatch {
    /// With the timeout of `config`.
    pub fn new(config: &LvdsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let limit = Bits::from(config.stopped_clocks);
        Ok(Self { level: Synchronizer::new(false)?, limit: Constant::new(limit), .. })
    }

    fn update(&mut self) {
        count = count + 1;

        level.d = count[3];
        seen = level.q;
        // The timer counts down to 0, where it stays: stopped.
        let over = !timer.any();
        timer.enable = (level.q != seen) | !over;
        timer = timer - one;
        if level.q != seen {
            timer = limit;
        }
        runs = !over;
    }
}
