//! What noisy lanes leave of a link's rate under a policy of lane removal, with time in clocks (chapter 10, 4.5 and 9,
//! point 9): the scenario `goodput`.
//!
//! | part | is |
//! |---|---|
//! | `bench` | two ends with training, retry, isolation and lane removal; an LTP takes 33/L clocks |
//! | `noise` | independent bit errors on the lanes |
//! | `undetected` | how many LTPs with four wrong bits a CRC takes for good |
//! | `spread` | how sure a mean is |
//! | [`GoodputGrid`] | every rate, number of noisy lanes and policy |

mod bench;
mod grid;
mod noise;
mod rates;
mod spread;
mod undetected;

pub use bench::{goodput, GoodputError, GoodputParameters, GoodputReport};
pub use grid::{goodput_grid, GoodputGrid, GoodputPoint, GoodputPolicy, GoodputRow, GridBounds};
pub use rates::WORD_HZ;
pub use spread::standard_error;
pub use undetected::{four_bit_patterns, rate_limits, RateLimit};
