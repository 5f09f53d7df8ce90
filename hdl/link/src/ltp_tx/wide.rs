//! Data beats to wire beats in modes 2 and 3 (chapter 10, 3.5).

use crate::crc::XorMatrix;
use crate::ltp_wide::layout::{spread_data, spread_end, END_BITS};
use crate::ltp_wide::{window, WideCrc, CRC_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;

/// Bits of the end of an LTP and its CRCs.
const PARTS_BITS: usize = END_BITS + CRC_BITS;

/// Wire beats of 68F bits from the data beats that [`LtpTxAssembler`](super::LtpTxAssembler) has taken.
///
/// As there, wire beat `k` is data beat `k` without its low `3F k` bits, then the low `3F (k + 1)` bits of data beat
/// `k + 1`; after the last one stand 48 bits of CRC. That is mode 2. In mode 3 the last 136 bits of an LTP are then
/// put together anew. All registers move on `step`: the older beat and the beat moved to its place for the CRCs; the
/// wire beat and what it adds to the CRCs; the wire beat with its CRCs. A skid buffer follows.
#[block("ltp_tx_wide", new, f = F)]
pub struct LtpTxWide<
    const F: usize,
    const FLITS_W: usize,
    const WIRE_W: usize,
    const INDEX_W: usize,
    const WINDOW_W: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Mode 3. It and `three` change only while cleared.
    per_lane: In<Bit>,
    /// With `per_lane`: on three lanes, else on four.
    three: In<Bit>,
    /// All registers move on.
    step: In<Bit>,
    /// A beat taken on this edge is a replayed one.
    replayed: In<Bit>,
    /// The replayed beat taken last is wrong: the CRCs of its LTP are sent inverted.
    corrupt: In<Bit>,
    /// The beat taken last.
    beat: In<Bits<FLITS_W>>,
    /// Its place in its LTP.
    place: In<Bits<INDEX_W>>,
    /// There is room for a wire beat.
    has_room: Out<Bit>,
    /// Wire beats.
    pub wire_out: StreamOut<Bits<WIRE_W>>,

    #[wire(clock)]
    crc: WideCrc<WINDOW_W>,
    spread_four: XorMatrix<WINDOW_W, WINDOW_W>,
    spread_three: XorMatrix<WINDOW_W, WINDOW_W>,
    end_four: XorMatrix<PARTS_BITS, END_BITS>,
    end_three: XorMatrix<PARTS_BITS, END_BITS>,
    #[wire(clock, clear)]
    wire_skid: Skid<Bits<WIRE_W>>,
    taken_valid: Reg<Bit>,
    taken_replayed: Reg<Bit>,
    sent: Reg<Bits<FLITS_W>>,
    sent_window: Reg<Bits<WINDOW_W>>,
    sent_valid: Reg<Bit>,
    sent_place: Reg<Bits<INDEX_W>>,
    sent_last: Reg<Bit>,
    sent_corrupted: Reg<Bit>,
    formed: Reg<Bits<WIRE_W>>,
    formed_valid: Reg<Bit>,
    formed_last: Reg<Bit>,
    formed_corrupted: Reg<Bit>,
    finished: Reg<Bits<WIRE_W>>,
    finished_valid: Reg<Bit>,
    ones: Constant<Bits<CRC_BITS>>,
    /// Bits of the last wire beat ahead of the end; and of the beat before that belong to the end.
    below: Constant<Bits<WIRE_W>>,
    borrowed: Constant<Bits<WIRE_W>>,
    crc_shift: Constant<Bits<16>>,
    below_shift: Constant<Bits<16>>,
    borrowed_shift: Constant<Bits<16>>,
    parts_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
    window_shift: Vec<Constant<Bits<16>>>,
}

/// The low `count` bits.
fn low_bits<const N: usize>(count: usize) -> Bits<N> {
    (0..count).fold(Bits::default(), |bits, index| bits.replace_bit(index, true))
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const WINDOW_W: usize,
    > LtpTxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>
{
    /// Nothing under way.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let (below, borrowed) = (WIRE_W.saturating_sub(END_BITS), END_BITS.saturating_sub(WIRE_W));
        let wide_shift = CRC_BITS / 16;
        Ok(Self {
            crc: WideCrc::new(F)?,
            spread_four: XorMatrix::new(spread_data(F, 4))?,
            spread_three: XorMatrix::new(spread_data(F, 3))?,
            end_four: XorMatrix::new(spread_end(4))?,
            end_three: XorMatrix::new(spread_end(3))?,
            ones: Constant::new(low_bits(CRC_BITS)),
            below: Constant::new(low_bits(below)),
            borrowed: Constant::new(low_bits(borrowed)),
            crc_shift: shift(WIRE_W - CRC_BITS),
            below_shift: shift(below),
            borrowed_shift: shift(borrowed),
            parts_shift: shift(END_BITS),
            place_shift: (0..INDEX_W).map(|bit| shift((wide_shift * F) << bit)).collect(),
            window_shift: (0..INDEX_W).map(|bit| shift((FLITS_W - window(F)) << bit)).collect(),
            ..
        })
    }

    fn update(&mut self) {
        // The older beat, moved down to its place in the wire beat, and up to its place in the window.
        let mut moved = beat;
        let mut in_window = bit_cast::<WINDOW_W, FLITS_W>(beat);
        for i in 0..INDEX_W {
            if place[i] {
                moved = moved >> place_shift[i];
                in_window = in_window << window_shift[i];
            }
        }
        spread_four.data = in_window;
        spread_three.data = in_window;
        let mut for_crc = in_window;
        if per_lane & place.all() {
            for_crc = spread_four.sum;
            if three {
                for_crc = spread_three.sum;
            }
        }

        // What follows it: the low bits of the newer one, after the last one nothing yet.
        let mut ahead = beat.bits::<CRC_BITS>(0);
        for i in 0..INDEX_W {
            if !sent_place[i] {
                ahead = ahead << place_shift[i];
            }
        }
        if sent_last {
            ahead = 0;
        }

        self.append_crcs(moved, for_crc, ahead);
    }

    /// The CRCs: after the data in mode 2, else among it.
    fn append_crcs(&mut self, moved: Bits<FLITS_W>, for_crc: Bits<WINDOW_W>, ahead: Bits<CRC_BITS>) {
        crc = In { per_lane, three, beat: sent_window, load: step & sent_valid, first: !sent_place.any() };
        crc.step = step & formed_valid;
        let mut crcs = crc.crcs;
        if formed_corrupted {
            crcs = crc.crcs ^ ones;
        }
        let parts = (bit_cast::<PARTS_BITS, WIRE_W>(formed >> below_shift) << borrowed_shift)
            | bit_cast::<PARTS_BITS, WIRE_W>(finished & borrowed)
            | (bit_cast::<PARTS_BITS, CRC_BITS>(crcs) << parts_shift);
        end_four.data = parts;
        end_three.data = parts;
        let mut end = end_four.sum;
        if three {
            end = end_three.sum;
        }
        let mut upper = formed;
        let mut lower = finished;
        if formed_last {
            if per_lane {
                upper =
                    (bit_cast::<WIRE_W, END_BITS>(end >> borrowed_shift) << below_shift) | (formed & below);
                lower = (finished & !borrowed) | (bit_cast::<WIRE_W, END_BITS>(end) & borrowed);
            } else {
                upper = formed | (bit_cast::<WIRE_W, CRC_BITS>(crcs) << crc_shift);
            }
        }

        if step {
            taken_valid = true;
            taken_replayed = replayed;
            sent = moved;
            sent_window = for_crc;
            sent_valid = taken_valid;
            sent_place = place;
            sent_last = place.all();
            sent_corrupted = taken_replayed & (corrupt | (sent_corrupted & place.any()));
            formed = bit_cast::<WIRE_W, FLITS_W>(sent) | (bit_cast::<WIRE_W, CRC_BITS>(ahead) << crc_shift);
            formed_valid = sent_valid;
            formed_last = sent_last;
            formed_corrupted = sent_corrupted;
            finished = upper;
            finished_valid = formed_valid;
        }
        if clear {
            taken_valid = false;
            sent_valid = false;
            formed_valid = false;
            finished_valid = false;
        }

        wire_skid.words_in = In { data: lower, valid: finished_valid & step };
        has_room = wire_skid.has_room;
        link(wire_out, wire_skid.words_out);
    }
}
