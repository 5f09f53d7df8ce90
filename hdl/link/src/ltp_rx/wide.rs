//! Wire beats to data beats in modes 2 and 3, and the end of each LTP with its CRCs.

use crate::crc::XorMatrix;
use crate::ltp_wide::layout::gather_data;
use crate::ltp_wide::{window, WideCrc, CRC_BITS, LAST_DATA_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;

/// As [`LtpRxFraming`](super::LtpRxFraming) for LTPs of 1088 bits, one clock later: data beat `k` is the top `3F k` bits
/// of wire beat `k - 1` and the low bits of wire beat `k`, the last one of mode 3 those bits of both that are data.
///
/// The wire beat moves to its place for the CRCs on its way to the first register; the CRCs' share of it stands after
/// the second, their residues after the third.
#[block("ltp_rx_wide", new, f = F)]
pub struct LtpRxWide<
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
    /// Mode 3. It and `lanes` change only before `frame_start`.
    per_lane: In<Bit>,
    /// Active lanes minus one.
    lanes: In<Bits<2>>,
    /// This wire beat, or the next one, is beat 0 of LTP 0.
    frame_start: In<Bit>,
    /// Wire beats.
    pub wire_in: FlowIn<Bits<WIRE_W>>,
    /// With `wire_in`: a word of this beat had an error.
    code_err: In<Bit>,
    /// Data beats, 3 clocks after their last wire beat.
    pub beat: FlowOut<Bits<FLITS_W>>,
    /// With `beat`: its place in the LTP.
    beat_place: Out<Bits<INDEX_W>>,
    /// With `beat`: which of two LTP buffers it belongs to.
    beat_bank: Out<Bit>,
    /// An LTP has ended, 3 clocks after its last wire beat.
    check: Out<Bit>,
    /// With `check`: CRCs right and no error flagged.
    check_good: Out<Bit>,
    /// With `check`: the CRCs, in mode 3 of the groups, that are wrong.
    check_failed: Out<Bits<4>>,
    /// With `check`: its buffer.
    check_bank: Out<Bit>,
    /// With `check`: its sequence state.
    check_state: Out<Bits<2>>,

    #[wire(clock)]
    crc: WideCrc<WINDOW_W>,
    gather_four: XorMatrix<WINDOW_W, FLITS_W>,
    gather_three: XorMatrix<WINDOW_W, FLITS_W>,
    running: Reg<Bit>,
    count: Reg<Bits<INDEX_W>>,
    wire_beat: Reg<Bits<WIRE_W>>,
    wire_window: Reg<Bits<WINDOW_W>>,
    wire_valid: Reg<Bit>,
    wire_err: Reg<Bit>,
    wire_place: Reg<Bits<INDEX_W>>,
    wire_last: Reg<Bit>,
    tail: Reg<Bits<CRC_BITS>>,
    ltp_err: Reg<Bit>,
    bank: Reg<Bit>,
    lane_state: Reg<Bits<2>>,
    data: Reg<Bits<FLITS_W>>,
    data_valid: Reg<Bit>,
    data_place: Reg<Bits<INDEX_W>>,
    data_bank: Reg<Bit>,
    data_last: Reg<Bit>,
    data_err: Reg<Bit>,
    data_state: Reg<Bits<2>>,
    given: Reg<Bits<FLITS_W>>,
    given_valid: Reg<Bit>,
    given_place: Reg<Bits<INDEX_W>>,
    given_bank: Reg<Bit>,
    ended: Reg<Bit>,
    ended_err: Reg<Bit>,
    ended_state: Reg<Bits<2>>,
    residues: Reg<Bits<CRC_BITS>>,

    /// Bits of a window ahead of the CRCs of mode 2.
    ahead: Constant<Bits<WINDOW_W>>,
    crc_shift: Constant<Bits<16>>,
    tail_shift: Constant<Bits<16>>,
    step_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
    window_shift: Vec<Constant<Bits<16>>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const WINDOW_W: usize,
    > LtpRxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>
{
    /// Waits for the first `frame_start`.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let step = CRC_BITS / beats_per_ltp(F);
        let ahead = (0..window(F) + LAST_DATA_BITS)
            .fold(Bits::<WINDOW_W>::default(), |bits, index| bits.replace_bit(index, true));
        Ok(Self {
            crc: WideCrc::new(F)?,
            gather_four: XorMatrix::new(gather_data(F, 4))?,
            gather_three: XorMatrix::new(gather_data(F, 3))?,
            ahead: Constant::new(ahead),
            crc_shift: shift(CRC_BITS),
            tail_shift: shift(WIRE_W - CRC_BITS),
            step_shift: shift(step),
            place_shift: (0..INDEX_W).map(|bit| shift(step << bit)).collect(),
            window_shift: (0..INDEX_W).map(|bit| shift((WIRE_W - window(F)) << bit)).collect(),
            ..
        })
    }

    fn update(&mut self) {
        let is_per_lane = per_lane & lanes[1];
        let is_three = !lanes[0];

        self.take_wire_beat(is_per_lane);
        self.form_data_beat(is_per_lane, is_three);

        // The CRCs.
        crc = In { per_lane: is_per_lane, three: is_three, beat: wire_window, load: wire_valid };
        crc = In { first: !wire_place.any(), step: data_valid };
        residues = crc.crcs;

        self.end_ltp();
        if clear {
            running = false;
            wire_valid = false;
            data_valid = false;
            data_last = false;
            given_valid = false;
            ended = false;
        }

        let mut failed: Bits<4> = 0;
        for i in 0..4 {
            failed = failed.with(i, residues.bits::<12>(i * 12).any());
        }
        if is_per_lane & is_three {
            failed = 0;
            for i in 0..3 {
                failed = failed.with(i, residues.bits::<16>(i * 16).any());
            }
        }
        beat = In { data: given, valid: given_valid };
        beat_place = given_place;
        beat_bank = given_bank;
        check = ended;
        check_good = !failed.any() & !ended_err;
        check_failed = failed;
        check_bank = given_bank;
        check_state = ended_state;
    }

    /// The wire beat of this clock: its place in the LTP, and in its window.
    fn take_wire_beat(&mut self, is_per_lane: Bit) {
        let mut place = count;
        if frame_start {
            place = 0;
            running = true;
            count = 0;
        }
        let take = wire_in.valid & (running | frame_start);
        let take_last = place.all();
        let mut in_window = bit_cast::<WINDOW_W, WIRE_W>(wire_in.data);
        for i in 0..INDEX_W {
            if place[i] {
                in_window = in_window << window_shift[i];
            }
        }
        let mut for_crc = in_window;
        if take_last & !is_per_lane {
            for_crc = (in_window & ahead) | ((in_window & !ahead) << crc_shift);
        }
        wire_valid = take;
        if take {
            count = place + 1;
            wire_beat = wire_in.data;
            wire_window = for_crc;
            wire_place = place;
            wire_last = take_last;
            wire_err = code_err;
        }
    }

    /// The data beat: what the wire beats before left over, then the wire beat of the clock before.
    fn form_data_beat(&mut self, is_per_lane: Bit, is_three: Bit) {
        let joint =
            (bit_cast::<WINDOW_W, WIRE_W>(wire_beat) << crc_shift) | bit_cast::<WINDOW_W, CRC_BITS>(tail);
        gather_four.data = joint;
        gather_three.data = joint;
        let mut plain = joint >> step_shift;
        for i in 0..INDEX_W {
            if !wire_place[i] {
                plain = plain >> place_shift[i];
            }
        }
        data = bit_cast::<FLITS_W, WINDOW_W>(plain);
        if wire_last & is_per_lane {
            data = gather_four.sum;
            if is_three {
                data = gather_three.sum;
            }
        }
        data_valid = wire_valid;
        data_place = wire_place;
        data_bank = bank;
        given = data;
        given_valid = data_valid;
        given_place = data_place;
        given_bank = data_bank;
    }

    /// The end of the LTP. 34 words on 4, 3 lanes move the next one by 2, 1 lanes.
    fn end_ltp(&mut self) {
        let error_so_far = wire_err | (ltp_err & wire_place.any());
        let mut step: Bits<2> = 0;
        if lanes == 2 {
            step = 1;
        }
        if lanes == 3 {
            step = 2;
        }
        let mut stepped = bit_cast::<3, 2>(lane_state) + bit_cast::<3, 2>(step);
        if stepped > bit_cast::<3, 2>(lanes) {
            stepped = 0;
        }
        data_last = wire_valid & wire_last;
        data_err = error_so_far;
        data_state = lane_state;
        if wire_valid {
            tail = bit_cast::<CRC_BITS, WIRE_W>(wire_beat >> tail_shift);
            ltp_err = error_so_far;
            if wire_last {
                bank = !bank;
                lane_state = bit_cast::<2, 3>(stepped);
            }
        }
        ended = data_last;
        ended_err = data_err;
        ended_state = data_state;
        if frame_start {
            lane_state = 0;
        }
    }
}
