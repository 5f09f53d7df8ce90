//! Rows to bits.

use super::{marks_of, LVDS_ROW_BITS, MARK_BITS};
use crate::lane::check_lanes;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::{FRAME_CONTROL, FRAME_DATA};

/// `lvds_tx`: rows to bit pairs for double-data-rate outputs, with the frame pair; in the bit clock.
///
/// A row is taken every 16 clocks, if there is one; its bits 0 and 1 leave in the next clock, bit 0 first. Without a row all
/// pairs are quiet for one word time, and `starved` tells it, 1 clock later, if a row went before. While cleared no row is
/// taken; a word that is leaving leaves whole, as half a control word can look like a data word.
#[block("lvds_tx", new, lanes = LANES)]
pub struct LvdsTx<const LANES: usize> {
    /// Bit clock: two bits per clock.
    clock: In<Clock>,
    /// Synchronous clear: no further row.
    clear: In<Bit>,
    /// Rows: lane l's word in bits 32l..32l+31; bit 128: they are control words.
    pub rows: StreamIn<Bits<LVDS_ROW_BITS>>,
    /// Two bits per lane, bit 0 first.
    pairs: [Out<Bits<2>>; LANES],
    /// Two bits of the frame pair, bit 0 first.
    frame: Out<Bits<2>>,
    /// Pulse: after a row came none.
    starved: Out<Bit>,
    slot: Reg<Bits<4>>,
    sends: Reg<Bit>,
    starves: Reg<Bit>,
    marks: Reg<Bits<MARK_BITS>>,
    #[wire(d = _)]
    lane: [Reg<Bits<32>>; LANES],
    data_marks: Constant<Bits<MARK_BITS>>,
    control_marks: Constant<Bits<MARK_BITS>>,
    last: Reg<Bit>,
}

#[logic]
impl<const LANES: usize> LvdsTx<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("lvds_tx", LANES)?;
        Ok(Self {
            data_marks: Constant::new(marks_of(FRAME_DATA).into()),
            control_marks: Constant::new(marks_of(FRAME_CONTROL).into()),
            ..
        })
    }

    fn update(&mut self) {
        slot = slot + 1;
        last = slot == 14;
        rows.ready = last & !clear;
        let goes = rows.valid & !clear;
        starves = (last & sends) & !(rows.valid | clear);
        starved = starves;

        // The frame pair's level in each of the word's clocks.
        marks = marks >> 1;
        if last {
            sends = goes;
            marks = 0;
            if goes {
                marks = data_marks;
                if rows.data[128] {
                    marks = control_marks;
                }
            }
        }
        let level = bit_cast::<2, 1>(marks.bits::<1>(0));
        frame = level | (level << 1);

        for i in 0..LANES {
            lane[i] = lane[i] >> 2;
            if last {
                lane[i] = 0;
                if goes {
                    lane[i] = rows.data.bits::<32>(32 * i);
                }
            }
            pairs[i] = lane[i].bits::<2>(0);
        }
    }
}
