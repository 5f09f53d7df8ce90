//! Data beats to wire beats: regrouping, sideband, CRC (chapter 10, 3.5, modes 0 and 1).

use super::TRAILER_BITS;
use crate::ltp_crc::{LtpCrc, APPENDED_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::crc::{BITS14, STANDARD};

/// Wire beat `k` is data beat `k` without its low `F k` bits, then the low `F (k + 1)` bits of data beat `k + 1` or,
/// after the last one, the trailer. There must be a data beat on every `step`.
///
/// A data beat is moved down by `F k` on its way from the first register to the second, so only the top 16 bits
/// of the wire beat are still to be put together after that one.
#[block("ltp_tx_assembler", new, f = F)]
pub struct LtpTxAssembler<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const INDEX_W: usize,
    const PARTS16: usize,
    const PARTS14: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// All registers move on.
    step: In<Bit>,
    /// Data beat to take.
    beat: In<Bits<FLITS_W>>,
    /// Its place in its LTP.
    place: In<Bits<INDEX_W>>,
    /// With the first beat of an LTP: sideband {c1, c0}.
    side: In<Bits<2>>,
    /// With the first beat of an LTP: it is one of mode 1.
    bits14: In<Bit>,
    /// The beat is a replayed one.
    replayed: In<Bit>,
    /// The replayed beat taken last is wrong: the CRC of its LTP is sent inverted.
    corrupt: In<Bit>,
    /// The beat taken last.
    taken_beat: Out<Bits<FLITS_W>>,
    /// Its place in its LTP.
    taken_index: Out<Bits<INDEX_W>>,
    /// The sideband of its LTP.
    taken_sideband: Out<Bits<2>>,
    /// Wire beats, from the registers 2 steps after their data beats; combinational.
    wire_beat: Out<Bits<BEAT_W>>,
    /// There is a wire beat.
    wire_valid: Out<Bit>,

    #[wire(clock)]
    crc16: LtpCrc<FLITS_W, 16, PARTS16>,
    #[wire(clock)]
    crc14: LtpCrc<FLITS_W, 14, PARTS14>,
    taken: Reg<Bits<FLITS_W>>,
    taken_valid: Reg<Bit>,
    taken_place: Reg<Bits<INDEX_W>>,
    taken_side: Reg<Bits<2>>,
    taken_bits14: Reg<Bit>,
    taken_replayed: Reg<Bit>,
    sent: Reg<Bits<FLITS_W>>,
    sent_valid: Reg<Bit>,
    sent_place: Reg<Bits<INDEX_W>>,
    sent_last: Reg<Bit>,
    sent_side: Reg<Bits<2>>,
    sent_bits14: Reg<Bit>,
    sent_corrupted: Reg<Bit>,
    /// `clear` for the CRC registers, a clock late: no beat reaches them sooner than two steps after it.
    cleared: Reg<Bit>,
    crc_step: Local<Bit>,
    last: Local<Bit>,
    tail: Local<Bits<APPENDED_BITS>>,
    moved: Local<Bits<FLITS_W>>,
    ahead: Local<Bits<TRAILER_BITS>>,
    trailer: Local<Bits<TRAILER_BITS>>,
    #[init(0xFFFFu64)]
    ones16: Constant<Bits<16>>,
    #[init(0x3FFFu64)]
    ones14: Constant<Bits<14>>,
    trailer_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const INDEX_W: usize,
        const PARTS16: usize,
        const PARTS14: usize,
    > LtpTxAssembler<F, FLITS_W, BEAT_W, INDEX_W, PARTS16, PARTS14>
{
    /// Nothing under way.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        Ok(Self {
            crc16: LtpCrc::new(STANDARD, 0)?,
            crc14: LtpCrc::new(BITS14, APPENDED_BITS)?,
            trailer_shift: shift(BEAT_W - TRAILER_BITS),
            place_shift: (0..INDEX_W).map(|bit| shift(F << bit)).collect(),
            ..
        })
    }

    fn update(&mut self) {
        last = sent_last;
        crc_step = step & sent_valid;
        cleared = clear;
        crc16 = In { clear: cleared, load: step, beat: taken, step: crc_step, restart: last, appended: 0 };
        crc14 = In { clear: cleared, load: step, beat: taken, step: crc_step, restart: last };

        // The older beat, moved down to its place in the wire beat.
        moved = taken;
        for i in 0..INDEX_W {
            if taken_place[i] {
                moved = moved >> place_shift[i];
            }
        }

        // What follows it: the low bits of the newer one, after the last one sideband and CRC.
        ahead = taken.bits::<TRAILER_BITS>(0);
        for i in 0..INDEX_W {
            if !sent_place[i] {
                ahead = ahead << place_shift[i];
            }
        }
        let mut inverted16: Bits<16> = 0;
        let mut inverted14: Bits<14> = 0;
        if sent_corrupted {
            inverted16 = ones16;
            inverted14 = ones14;
        }
        tail = 0;
        trailer = 0;
        if last {
            tail = sent_side;
            ahead = 0;
            trailer = crc16.following ^ inverted16;
            if sent_bits14 {
                trailer = bit_cast::<TRAILER_BITS, 2>(sent_side)
                    | (bit_cast::<TRAILER_BITS, 14>(crc14.following ^ inverted14) << 2);
            }
        }
        crc14.appended = tail;

        if step {
            taken = beat;
            taken_valid = true;
            taken_place = place;
            taken_replayed = replayed;
            if !place.any() {
                taken_side = side;
                taken_bits14 = bits14;
            }
            sent = moved;
            sent_valid = taken_valid;
            sent_place = taken_place;
            sent_last = taken_place.all();
            sent_side = taken_side;
            sent_bits14 = taken_bits14;
            sent_corrupted = taken_replayed & (corrupt | (sent_corrupted & taken_place.any()));
        }
        if clear {
            taken_valid = false;
            sent_valid = false;
        }
        wire_beat = bit_cast::<BEAT_W, FLITS_W>(sent)
            | (bit_cast::<BEAT_W, TRAILER_BITS>(ahead | trailer) << trailer_shift);
        wire_valid = sent_valid;
        taken_beat = taken;
        taken_index = taken_place;
        taken_sideband = taken_side;
    }
}
