//! Where in the memory of rows the LTP stands that was judged last.

use super::{LANE_STATE_BITS, ROW_ADDRESS_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::{BITS_1056, BITS_1088, WORD_BITS};

/// Counts rows and LTPs from the start row on: an LTP of N words is (N + s) div L rows after the one before it, whose
/// sequence state is s.
///
/// At least 4 clocks lie between two verdicts, a verdict comes at least 3 clocks after the row with its LTP's last word. The
/// place stands from the clock after the verdict on.
#[block("ltp_places")]
pub struct LtpPlaces {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear; the next row starts an LTP.
    clear: In<Bit>,
    /// LTPs have 34 words, else 33. Changes only while cleared.
    wide: In<Bit>,
    /// L - 1. Changes only while cleared.
    last_lane: In<Bits<2>>,
    /// A row is written.
    row: In<Bit>,
    /// Where.
    write_row: Out<Bits<ROW_ADDRESS_BITS>>,
    /// The verdict of the oldest LTP that has none.
    evaluated: In<Bit>,
    /// There was an LTP with the last verdict; what follows is about it.
    known: Out<Bit>,
    /// The row with its first word.
    first_row: Out<Bits<ROW_ADDRESS_BITS>>,
    /// Its sequence state: the logical lane of its first word.
    state: Out<Bits<LANE_STATE_BITS>>,

    written: Reg<Bits<ROW_ADDRESS_BITS>>,
    /// The oldest LTP without a verdict.
    oldest_row: Reg<Bits<ROW_ADDRESS_BITS>>,
    oldest_state: Reg<Bits<LANE_STATE_BITS>>,
    /// The LTP after it.
    following_row: Reg<Bits<ROW_ADDRESS_BITS>>,
    following_state: Reg<Bits<LANE_STATE_BITS>>,
    /// The oldest LTP has come whole.
    complete: Reg<Bit>,
    known_now: Reg<Bit>,
    evaluated_row: Reg<Bits<ROW_ADDRESS_BITS>>,
    evaluated_state: Reg<Bits<LANE_STATE_BITS>>,

    #[init(1)]
    one: Constant<Bits<ROW_ADDRESS_BITS>>,
    #[init(1)]
    one_lane: Constant<Bits<3>>,
    #[init(|lane| lane)]
    lane_number: [Constant<Bits<2>>; MAX_LANES],
    /// N div L and N mod L by L - 1, for 33 and 34 words.
    #[init(|choice| (words(choice) / lanes(choice)).into())]
    whole_rows: [Constant<Bits<ROW_ADDRESS_BITS>>; 8],
    #[init(|choice| (words(choice) % lanes(choice)).into())]
    words_over: [Constant<Bits<3>>; 8],
}

/// Words of an LTP: by `wide`, above L - 1.
fn words(choice: usize) -> u64 {
    let bits = if choice < MAX_LANES { BITS_1056 } else { BITS_1088 };
    (bits / WORD_BITS) as u64
}

/// Lanes: by L - 1, below `wide`.
fn lanes(choice: usize) -> u64 {
    (choice % MAX_LANES + 1) as u64
}

#[logic]
impl LtpPlaces {
    fn update(&mut self) {
        if row {
            written = written + one;
        }

        // The LTP after the oldest.
        let mut rows = whole_rows[0];
        let mut advance = words_over[0];
        for i in 0..4 {
            if last_lane == lane_number[i] {
                rows = whole_rows[i];
                advance = words_over[i];
                if wide {
                    rows = whole_rows[i + 4];
                    advance = words_over[i + 4];
                }
            }
        }
        let lanes = bit_cast::<3, 2>(last_lane) + one_lane;
        let advanced = bit_cast::<3, 2>(oldest_state) + advance;
        let wraps = advanced >= lanes;
        let wrapped = advanced - lanes;
        following_row = oldest_row + rows;
        following_state = bit_cast::<2, 3>(advanced);
        if wraps {
            following_row = oldest_row + rows + one;
            following_state = bit_cast::<2, 3>(wrapped);
        }

        // The oldest has come whole when all rows before the first one of the next are there, and that one if it is shared.
        let behind = written - following_row;
        complete = !behind[8] & (behind.any() | !following_state.any());
        if evaluated {
            known_now = complete;
            evaluated_row = oldest_row;
            evaluated_state = oldest_state;
            if complete {
                oldest_row = following_row;
                oldest_state = following_state;
            }
        }
        if clear {
            written = 0;
            oldest_row = 0;
            oldest_state = 0;
            following_row = one;
            complete = false;
            known_now = false;
        }
        write_row = written;
        known = known_now;
        first_row = evaluated_row;
        state = evaluated_state;
    }
}
