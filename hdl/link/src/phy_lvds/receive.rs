//! Bits to words.

use super::frame::{LvdsFrame, PAST_BITS};
use crate::lane::{check_lanes, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;

/// Bits of a lane's offset to the frame.
pub const OFFSET_BITS: usize = 5;

/// One lane: the 32 bits from the frame's boundary on, or, after slips, from so many bits after it.
#[block("lvds_lane")]
pub struct LvdsLane {
    /// Bit clock that came with the data.
    clock: In<Clock>,
    /// Synchronous clear: the boundary is that of the frame again.
    clear: In<Bit>,
    /// Two bits, bit 0 first.
    pair: In<Bits<2>>,
    /// The frame's count of clocks.
    phase: In<Bits<4>>,
    /// The frame's words begin with the second bit of a clock.
    odd: In<Bit>,
    /// The lane's two wires are exchanged.
    invert: In<Bit>,
    /// Pulse: the boundary is one bit later.
    slip: In<Bit>,
    /// The last word.
    word: Out<Bits<32>>,
    past: Reg<Bits<PAST_BITS>>,
    offset: Reg<Bits<OFFSET_BITS>>,
    place: Reg<Bits<OFFSET_BITS>>,
    turn: Reg<Bit>,
    kept: Reg<Bits<32>>,
    #[init(1)]
    one: Constant<Bits<4>>,
    #[init(u64::from(u32::MAX).into())]
    all: Constant<Bits<32>>,
}

#[logic]
impl LvdsLane {
    fn update(&mut self) {
        past = (past >> 2) | (bit_cast::<PAST_BITS, 2>(pair) << 31);
        if slip {
            offset = offset + 1;
        }
        if clear {
            offset = 0;
        }

        // With `odd`, one bit more has come at phase 15 than the frame word has; so `place` is the offset, else one more.
        place = offset + 1;
        if odd {
            place = offset;
        }
        let due = place.bits::<4>(1) - one;
        let mut chosen = past.bits::<32>(0);
        if place[0] {
            chosen = past.bits::<32>(1);
        }
        turn = invert;
        if phase == due {
            kept = chosen;
            if turn {
                kept = chosen ^ all;
            }
        }
        word = kept;
    }
}

/// `lvds_rx`: bit pairs of double-data-rate inputs to lane words, aligned by the frame pair; in the clock that came with them.
///
/// Once locked, every word time gives one word per lane, 12 clocks after the clock with its last bit. A word whose frame is
/// neither that of a data nor of a control word has `code_err`; `ctl` is the same on all lanes, as there is one frame pair.
/// Until it is locked, and from the fourth bad frame word in a row on, nothing comes out.
///
/// Each `slip` moves a lane's boundary one bit further behind the frame's, up to 20 bits; 22 to 31 slips put it 10 bits to 1
/// bit before the frame's, 32 are none. `clear` begins a new search and takes slips back.
#[block("lvds_rx", new, lanes = LANES)]
pub struct LvdsRx<const LANES: usize> {
    /// Bit clock that came with the data: two bits per clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Two bits per lane, bit 0 first.
    pairs: [In<Bits<2>>; LANES],
    /// Two bits of the frame pair, bit 0 first.
    frame: In<Bits<2>>,
    /// Lanes to be inverted.
    invert: In<Bits<4>>,
    /// Pulses: the lane's boundary is one bit later.
    slip: In<Bits<4>>,
    /// Words: word in bits 31..0, ctl in bit 32, code_err in bit 33; on all lanes in the same clock.
    pub words: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    /// The frame's boundary is known.
    locked: Out<Bit>,
    #[wire(clock, clear)]
    boundary: LvdsFrame,
    #[wire(clock, clear)]
    lane: [LvdsLane; LANES],
    /// When every lane has its word.
    #[init(9)]
    together: Constant<Bits<4>>,
    gives: Reg<Bit>,
    flags: Local<Bits<LANE_IN_BITS>>,
    one_word: Local<Bits<32>>,
}

#[logic]
impl<const LANES: usize> LvdsRx<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("lvds_rx", LANES)?;
        Ok(Self { .. })
    }

    fn update(&mut self) {
        boundary.pair = frame;
        locked = boundary.locked;
        gives = (boundary.phase == together) & (boundary.locked & !clear);
        flags = (bit_cast::<LANE_IN_BITS, 1>(boundary.control.into()) << 32)
            | (bit_cast::<LANE_IN_BITS, 1>(boundary.bad.into()) << 33);
        for i in 0..LANES {
            lane[i] = In { pair: pairs[i], phase: boundary.phase, odd: boundary.odd, invert: invert[i] };
            lane[i].slip = slip[i];
            words[i].valid = gives;
            one_word = lane[i].word;
            words[i].data = bit_cast::<LANE_IN_BITS, 32>(one_word) | flags;
        }
    }
}
