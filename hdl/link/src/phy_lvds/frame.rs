//! The frame pair: where words begin, and of which kind they are.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::{FRAMES_TO_LOCK, FRAME_CONTROL, FRAME_DATA};

/// Bits kept of a pair: a word, and one more because a word may begin with either bit of a clock.
pub(super) const PAST_BITS: usize = 33;

/// Finds the word boundary in the frame pair and keeps to it.
///
/// Without a boundary, the next rising edge is taken for one. The frame word after it and the three that follow must be
/// whole; then the receiver is locked. A bad one before that begins the search again, as do four in a row when locked.
///
/// `phase` counts the 16 clocks of a word: in the clock with `phase` 15 the frame word is complete in the last bits that
/// came, or, if `odd`, in those without the very last. Its kind and the lock are known from `phase` 2 on.
#[block("lvds_frame")]
pub struct LvdsFrame {
    /// Bit clock that came with the data.
    clock: In<Clock>,
    /// Synchronous clear: searches.
    clear: In<Bit>,
    /// Two bits, bit 0 first.
    pair: In<Bits<2>>,
    /// Clock of the word.
    phase: Out<Bits<4>>,
    /// Words begin with the second bit of a clock.
    odd: Out<Bit>,
    /// The boundary is known for sure.
    locked: Out<Bit>,
    /// The last frame word was that of control words.
    control: Out<Bit>,
    /// The last frame word was neither.
    bad: Out<Bit>,
    past: Reg<Bits<PAST_BITS>>,
    count: Reg<Bits<4>>,
    is_odd: Reg<Bit>,
    found: Reg<Bit>,
    fresh: Reg<Bit>,
    word: Reg<Bits<32>>,
    received: Reg<Bit>,
    is_control: Reg<Bit>,
    is_bad: Reg<Bit>,
    evaluated: Reg<Bit>,
    is_locked: Reg<Bit>,
    run: Reg<Bits<2>>,
    #[init(u64::from(FRAME_DATA).into())]
    data_frame: Constant<Bits<32>>,
    #[init(u64::from(FRAME_CONTROL).into())]
    control_frame: Constant<Bits<32>>,
    #[init(u64::from(FRAMES_TO_LOCK - 1).into())]
    enough: Constant<Bits<2>>,
    first_rises: Local<Bit>,
    second_rises: Local<Bit>,
    complete: Local<Bit>,
}

#[logic]
impl LvdsFrame {
    fn update(&mut self) {
        past = (past >> 2) | (bit_cast::<PAST_BITS, 2>(pair) << 31);
        first_rises = !past[32] & pair[0];
        second_rises = !pair[0] & pair[1];

        let search = !found & (first_rises | second_rises);
        count = count + 1;
        fresh = search;
        if search {
            found = true;
            is_odd = second_rises;
            count = 0;
            if second_rises {
                count = 15;
            }
        }

        // The frame word, one clock later its kind, one more the verdict.
        complete = (count.all() & found) & !fresh;
        received = complete;
        if complete {
            word = past.bits::<32>(1);
            if is_odd {
                word = past.bits::<32>(0);
            }
        }
        evaluated = received;
        if received {
            is_control = word == control_frame;
            is_bad = (word != control_frame) & (word != data_frame);
        }
        if evaluated {
            run = 0;
            if is_bad == is_locked {
                run = run + 1;
                if run == enough {
                    run = 0;
                    is_locked = !is_locked;
                    found = !is_locked;
                }
            }
            if is_bad & !is_locked {
                found = false;
            }
        }
        if clear {
            found = false;
            is_locked = false;
            run = 0;
            received = false;
            evaluated = false;
        }
        phase = count;
        odd = is_odd;
        locked = is_locked;
        control = is_control;
        bad = is_bad;
    }
}
