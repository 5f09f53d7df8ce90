//! Wire beats to data beats, and the end of each LTP with its CRC.

use crate::crc::{CrcConfig, CrcPipeline, LinkCrc};
use crate::ltp_tx::TRAILER_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::crc::{Polynomial, BITS14, STANDARD};

/// Wire beats to data beats. Data beat `k` is the top `F k` bits of wire beat `k - 1` and the low bits of wire
/// beat `k`. An LTP cut short by `frame_start` gives beats but no `check`.
#[block("ltp_rx_framing", new, f = F)]
pub struct LtpRxFraming<
    const F: usize,
    const FLITS_W: usize,
    const BEAT_W: usize,
    const WIRE_W: usize,
    const JOINT_W: usize,
    const INDEX_W: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// LTP mode; sampled with beat 0.
    mode: In<Bits<2>>,
    /// Active lanes minus one.
    lanes: In<Bits<2>>,
    /// This wire beat, or the next one, is beat 0 of LTP 0.
    frame_start: In<Bit>,
    /// Wire beats.
    pub wire_in: FlowIn<Bits<WIRE_W>>,
    /// With `wire_in`: a word of this beat had an error.
    code_err: In<Bit>,
    /// Data beats, 2 clocks after their last wire beat.
    pub beat: FlowOut<Bits<FLITS_W>>,
    /// With `beat`: its place in the LTP.
    beat_place: Out<Bits<INDEX_W>>,
    /// With `beat`: which of two LTP buffers it belongs to.
    beat_bank: Out<Bit>,
    /// An LTP has ended, 2 clocks after its last wire beat.
    check: Out<Bit>,
    /// With `check`: CRC right and no error flagged.
    check_good: Out<Bit>,
    /// With `check`: the LTP is one of mode 1.
    check_bits14: Out<Bit>,
    /// With `check`: its buffer.
    check_bank: Out<Bit>,
    /// With `check`: its sideband {c1, c0}.
    check_side: Out<Bits<2>>,
    /// With `check`: its sequence state.
    check_state: Out<Bits<2>>,

    #[wire(clock, clear)]
    crc16: LinkCrc<BEAT_W, 16>,
    #[wire(clock, clear)]
    crc14: LinkCrc<BEAT_W, 14>,
    running: Reg<Bit>,
    count: Reg<Bits<INDEX_W>>,
    bits14: Reg<Bit>,
    wire_beat: Reg<Bits<BEAT_W>>,
    wire_valid: Reg<Bit>,
    wire_err: Reg<Bit>,
    wire_place: Reg<Bits<INDEX_W>>,
    tail: Reg<Bits<TRAILER_BITS>>,
    ltp_err: Reg<Bit>,
    bank: Reg<Bit>,
    lane_state: Reg<Bits<2>>,
    data: Reg<Bits<FLITS_W>>,
    data_valid: Reg<Bit>,
    data_place: Reg<Bits<INDEX_W>>,
    data_bank: Reg<Bit>,
    ended: Reg<Bit>,
    ended_err: Reg<Bit>,
    ended_bits14: Reg<Bit>,
    ended_bank: Reg<Bit>,
    ended_side: Reg<Bits<2>>,
    ended_state: Reg<Bits<2>>,

    place: Local<Bits<INDEX_W>>,
    take: Local<Bit>,
    take_last: Local<Bit>,
    wire_last: Local<Bit>,
    joint: Local<Bits<JOINT_W>>,
    error_so_far: Local<Bit>,
    next_state: Local<Bits<2>>,
    last_place: Constant<Bits<INDEX_W>>,
    beat_shift: Constant<Bits<16>>,
    tail_shift: Constant<Bits<16>>,
    step_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT_W: usize,
        const WIRE_W: usize,
        const JOINT_W: usize,
        const INDEX_W: usize,
    > LtpRxFraming<F, FLITS_W, BEAT_W, WIRE_W, JOINT_W, INDEX_W>
{
    /// Waits for the first `frame_start`.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let crc = |polynomial: Polynomial| CrcConfig::receiver(polynomial, BEAT_W, CrcPipeline::Short);
        Ok(Self {
            crc16: LinkCrc::new(crc(STANDARD))?,
            crc14: LinkCrc::new(crc(BITS14))?,
            last_place: Constant::new((beats_per_ltp(F) as u64 - 1).into()),
            beat_shift: shift(TRAILER_BITS),
            tail_shift: shift(BEAT_W - TRAILER_BITS),
            step_shift: shift(F),
            place_shift: (0..INDEX_W).map(|bit| shift(F << bit)).collect(),
            ..
        })
    }

    fn update(&mut self) {
        // The wire beat of this clock: its place in the LTP.
        place = count;
        if frame_start {
            place = 0;
            running = true;
            count = 0;
        }
        take = wire_in.valid & (running | frame_start);
        take_last = place == last_place;
        wire_valid = take;
        if take {
            count = place + 1;
            wire_beat = bit_cast::<BEAT_W, WIRE_W>(wire_in.data);
            wire_place = place;
            wire_err = code_err;
            if !place.any() {
                bits14 = mode == 1;
            }
        }
        crc16.beat = In { data: bit_cast::<BEAT_W, WIRE_W>(wire_in.data), valid: take };
        crc16 = In { first: !place.any(), last: take_last };
        crc14.beat = In { data: bit_cast::<BEAT_W, WIRE_W>(wire_in.data), valid: take };
        crc14 = In { first: !place.any(), last: take_last };

        self.form_data_beat();

        // The end of the LTP.
        wire_last = wire_place == last_place;
        error_so_far = wire_err | (ltp_err & wire_place.any());
        let mut state_mask: Bits<2> = 0;
        if lanes == 1 {
            state_mask = 1;
        }
        if lanes == 3 {
            state_mask = 3;
        }
        next_state = (lane_state + 1) & state_mask;
        ended = wire_valid & wire_last;
        if wire_valid {
            tail = bit_cast::<TRAILER_BITS, BEAT_W>(wire_beat >> tail_shift);
            ltp_err = error_so_far;
            if wire_last {
                bank = !bank;
                lane_state = next_state;
                ended_err = error_so_far;
                ended_bits14 = bits14;
                ended_bank = bank;
                ended_side = bit_cast::<2, BEAT_W>(wire_beat >> tail_shift);
                ended_state = lane_state;
            }
        }
        if frame_start {
            lane_state = 0;
        }
        if clear {
            running = false;
            wire_valid = false;
            data_valid = false;
            ended = false;
        }

        beat = In { data, valid: data_valid };
        beat_place = data_place;
        beat_bank = data_bank;
        check = ended;
        check_good = crc16.good & !ended_err;
        if ended_bits14 {
            check_good = crc14.good & !ended_err;
        }
        check_bits14 = ended_bits14;
        check_bank = ended_bank;
        check_side = ended_side;
        check_state = ended_state;
    }

    /// The data beat: what the wire beats before left over, then the wire beat of the clock before.
    fn form_data_beat(&mut self) {
        joint = ((bit_cast::<JOINT_W, BEAT_W>(wire_beat) << beat_shift)
            | bit_cast::<JOINT_W, TRAILER_BITS>(tail))
            >> step_shift;
        for i in 0..INDEX_W {
            if !wire_place[i] {
                joint = joint >> place_shift[i];
            }
        }
        data = bit_cast::<FLITS_W, JOINT_W>(joint);
        data_valid = wire_valid;
        data_place = wire_place;
        data_bank = bank;
    }
}
