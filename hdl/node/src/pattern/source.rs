//! Source of numbered beats.

use super::{PatternBeat, BEAT_BITS};
use flitforge_hdl_prim::prelude::*;

/// Offers beats 0, 1, 2, ... as a stream, one per clock while `ready`, with a pause of [`PatternSource::PAUSE`]
/// clocks, counted from the clock in which the last beat is offered, after every 64 beats, so that the link also
/// sees idle time.
///
/// The first beat is offered two clocks after `clear` falls. `clear` starts again from beat 0; while it is
/// high `valid` is low from the second clock on.
#[block("pattern_source")]
pub struct PatternSource {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats.
    pub beats: StreamOut<Bits<BEAT_BITS>>,
    pattern: PatternBeat,
    number: Reg<Bits<32>>,
    pause: Reg<Bits<4>>,
    valid: Reg<Bit>,
    data: Reg<Bits<BEAT_BITS>>,
    #[init(Self::PAUSE.into())]
    pause_length: Constant<Bits<4>>,
}

impl PatternSource {
    /// Clocks without a beat after every 64 beats.
    pub const PAUSE: u64 = 12;
}

#[logic]
impl PatternSource {
    fn update(&mut self) {
        pattern.number = number;
        let free = !valid | beats.ready;
        let pausing = pause.any();
        if pausing {
            pause = pause - 1;
        }
        if free {
            valid = !pausing;
            data = pattern.beat;
            if !pausing {
                number = number + 1;
                if number.bits::<6>(0) == 63 {
                    pause = pause_length;
                }
            }
        }
        if clear {
            number = 0;
            pause = 0;
            valid = false;
        }
        beats = In { valid, data };
    }
}
