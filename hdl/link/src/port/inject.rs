//! Error injection on the way to the lanes: register INJECT.

use crate::gearbox::ROW_BITS;
use crate::ltp_wide::CrcModes;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::ltp::{ltp_words, CrcMode};

/// Bits of a word's place in its LTP.
const PLACE_BITS: usize = 6;

/// XORs words of LTPs as register INJECT says: when `go` rises, from the next LTP on, `words` words from word `first` on,
/// in `ltps` LTPs one after the other, where they go to the lanes in `lanes`.
///
/// Rows go through without a register; which of their words are hit stands in registers. `clear`, before the first
/// row: the next row starts an LTP, nothing is hit. A change of INJECT while errors are made counts at once.
#[block]
pub struct PortInject<const WIDE: usize = 0> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Register INJECT.
    inject: In<Bits<57>>,
    /// Lanes sent on; changes only while cleared.
    tx_lanes: In<Bits<4>>,
    /// L - 1; changes only while cleared, at the latest 3 clocks before the end of it.
    last_lane: In<Bits<2>>,
    /// If all modes are built: LTPs have 34 words, else 33. Changes as `last_lane`.
    wide: [In<Bit>; WIDE],
    /// Rows.
    pub rows_in: StreamIn<Bits<ROW_BITS>>,
    /// Rows with errors.
    pub rows_out: StreamOut<Bits<ROW_BITS>>,

    had_go: Reg<Bit>,
    /// `go` has risen, the next LTP has not begun.
    pending: Reg<Bit>,
    /// `hits_next` knows of it.
    armed: Reg<Bit>,
    /// LTPs that still get errors, the present one among them.
    left: Reg<Bits<8>>,
    hits_this: Reg<Bit>,
    hits_next: Reg<Bit>,
    /// Words of a row whose lane gets errors.
    chosen: Reg<Bits<4>>,
    /// Word after the last one that gets errors.
    end_place: Reg<Bits<7>>,
    /// The registers below are those of the next row.
    primed: Reg<Bit>,
    /// Places of the words of the row after the next one.
    #[wire(d = _)]
    ahead: [Reg<Bits<PLACE_BITS>>; 4],
    /// Words of the next row that get errors if their LTP does; its word that ends an LTP.
    in_range: Reg<Bits<4>>,
    /// Words of a row; what the place moves by where it passes the end of the LTP, and the last place where it does not.
    step: Reg<Bits<PLACE_BITS>>,
    back: Reg<Bits<PLACE_BITS>>,
    most: Reg<Bits<PLACE_BITS>>,
    ends: Reg<Bits<4>>,

    moves: Local<Bit>,
    advance: Local<Bit>,
    place: Local<Bits<PLACE_BITS>>,
    wraps: Local<Bit>,
    ranges: Local<Bits<4>>,
    lasts: Local<Bits<4>>,
    #[init(|word| word)]
    numbers: [Constant<Bits<PLACE_BITS>>; 4],
    #[init(|word| word)]
    lanes: [Constant<Bits<2>>; 4],
    #[init(|word| 32 * word)]
    shifts: [Constant<Bits<8>>; 4],
    #[init((ltp_words(CrcMode::Standard) as u64 - 1).into())]
    last: Constant<Bits<PLACE_BITS>>,
    #[init((ltp_words(CrcMode::Standard) as u64).into())]
    words: Constant<Bits<PLACE_BITS>>,
    #[init((ltp_words(CrcMode::PerLane) as u64 - 1).into())]
    wide_last: [Constant<Bits<PLACE_BITS>>; WIDE],
    #[init((ltp_words(CrcMode::PerLane) as u64).into())]
    wide_words: [Constant<Bits<PLACE_BITS>>; WIDE],
    #[init(1)]
    one: Constant<Bits<PLACE_BITS>>,
    #[init(1)]
    one_lane: Constant<Bits<2>>,
    #[init(1)]
    one_ltp: Constant<Bits<8>>,
}

#[logic]
impl<const WIDE: usize> PortInject<WIDE> {
    fn update(&mut self) {
        moves = rows_in.valid & rows_out.ready;
        advance = !primed | moves;

        self.choose_words();
        self.find_places();

        // How many LTPs.
        had_go = inject[56];
        hits_next = left > one_ltp;
        armed = pending;
        if pending {
            hits_next = inject.bits::<8>(48).any();
        }
        if moves & ends.any() {
            hits_this = hits_next;
            if armed {
                pending = false;
                armed = false;
                left = inject.bits::<8>(48);
            } else if left.any() {
                left = left - one_ltp;
            }
        }
        if inject[56] & !had_go {
            pending = true;
        }

        // Words after the end of an LTP belong to the next one.
        let mut after = false;
        let mut mask: Bits<ROW_BITS> = 0;
        let pattern = inject.bits::<32>(16);
        for i in 0..4 {
            if in_range[i] & ((hits_this & !after) | (hits_next & after)) {
                mask = mask | (bit_cast::<ROW_BITS, 32>(pattern) << shifts[i]);
            }
            if ends[i] {
                after = true;
            }
        }
        rows_out = In { valid: rows_in.valid, data: rows_in.data ^ mask };
        rows_in.ready = rows_out.ready;
        if clear {
            primed = false;
            pending = false;
            armed = false;
            left = 0;
            hits_this = false;
            hits_next = false;
            ends = 0;
            in_range = 0;
        }
    }

    /// Which words of a row go to lanes that are to be hit.
    fn choose_words(&mut self) {
        let mut rank: Bits<2> = 0;
        let mut selected: Bits<4> = 0;
        for i in 0..4 {
            if tx_lanes[i] {
                if inject[i] {
                    selected = selected.with(rank, true);
                }
                rank = rank + one_lane;
            }
        }
        chosen = selected;
        end_place = bit_cast::<7, 6>(inject.bits::<6>(4)) + bit_cast::<7, 6>(inject.bits::<6>(10));
    }

    /// Places in the LTP, a row ahead.
    fn find_places(&mut self) {
        primed = true;
        step = bit_cast::<PLACE_BITS, 2>(last_lane) + one;
        back = step - words;
        most = last - step;
        for j in 0..WIDE {
            if wide[j] {
                back = step - wide_words[j];
                most = wide_last[j] - step;
            }
        }
        ranges = 0;
        lasts = 0;
        for i in 0..4 {
            ahead[i] = ahead[i];
            place = ahead[i];
            wraps = place > most;
            if advance {
                ahead[i] = place + step;
                if wraps {
                    ahead[i] = place + back;
                }
            }
            if lanes[i] <= last_lane {
                ranges = ranges
                    .with(i, (place >= inject.bits::<6>(4)) & (bit_cast::<7, PLACE_BITS>(place) < end_place));
                lasts = lasts.with(i, place == last);
                for j in 0..WIDE {
                    if wide[j] {
                        lasts = lasts.with(i, place == wide_last[j]);
                    }
                }
            }
            if clear {
                ahead[i] = numbers[i];
            }
        }
        if advance {
            in_range = ranges & chosen;
            ends = lasts;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match WIDE {
            0 => block_label("port_inject", &[]),
            _ => block_label("port_inject", &[("modes", CrcModes::All.caps().to_string())]),
        }
    }
}
