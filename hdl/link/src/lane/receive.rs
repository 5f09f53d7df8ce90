//! Lanes to rows.

use super::receive_lane::RxLane;
use super::{check_lanes, lanes_of, RowCount, LANE_IN_BITS, ROW_BITS};
use flitforge_hdl_prim::prelude::*;

/// Receiver's side of `link_lane`; see the [module](super).
///
/// Lanes are numbered as the sender numbers them; sender's lane i comes in at `lanes[source[i]]`.
#[block("link_lane_rx", new, lanes = LANES)]
pub struct LinkLaneRx<const LANES: usize> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear: forgets words and waits for start rows.
    clear: In<Bit>,
    /// Lanes in use, by the sender's numbers. Changes only while cleared.
    active: In<Bits<4>>,
    /// Where each of the sender's lanes comes in; i for lane i if nothing is crossed. Changes only while cleared.
    source: [In<Bits<2>>; LANES],
    /// CRC mode the start row must name.
    crc_mode: In<Bits<2>>,
    /// L - 1, from `active` one clock before.
    last_lane: Out<Bits<2>>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lanes: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Rows: word i (logical lane i) in bits 32i..32i+31; words L and up are 0.
    pub rows: FlowOut<Bits<ROW_BITS>>,
    /// With a row. Bit i: word i is a control word or was marked bad by the PHY.
    row_error: Out<Bits<4>>,
    /// The first lane has started; comes before the first row.
    row_start: Out<Bit>,
    /// Pulse: skew beyond the FIFOs, a lane that stopped, or an ALN number that differs. All lanes wait for
    /// start rows again.
    deskew_lost: Out<Bit>,
    /// Pulse per lane (sender's number): a control word in a data row, anything but ALN in an ALN row, or a
    /// word marked bad by the PHY.
    code_errors: Out<Bits<4>>,
    /// Pulse: a start row named another lane, L or CRC mode; that lane does not start.
    start_mismatch: Out<Bit>,

    #[wire(clock)]
    lane: [RxLane; LANES],
    #[wire(clock)]
    row_count: RowCount,
    read_address: Reg<Bits<4>>,
    #[init(1)]
    read_following: Register<Bits<4>>,
    /// Bit j of `places[i]`: lane i's word is word j.
    #[wire(d = _)]
    places: [Reg<Bits<4>>; LANES],
    out_valid: Reg<Bit>,
    #[wire(d = _)]
    out_words: [Reg<Bits<32>>; 4],
    out_error: Reg<Bits<4>>,
    out_start: Reg<Bit>,
    out_lost: Reg<Bit>,
    out_code: Reg<Bits<4>>,
    out_mismatch: Reg<Bit>,
    last: Reg<Bits<2>>,

    #[init(1)]
    one: Constant<Bits<2>>,
    #[init(1)]
    one_row: Constant<Bits<4>>,
    /// Lane i is word i at most.
    #[init(|lane| (2u64 << lane) - 1)]
    possible: [Constant<Bits<4>>; LANES],
    count: [Local<Bits<3>>; 5],
    rank: [Local<Bits<2>>; 4],
    count_low: Local<Bits<2>>,
    running: Local<Bit>,
    some_active: Local<Bit>,
    starts: Local<Bit>,
    take: Local<Bit>,
    mismatch: Local<Bit>,
    lost: Local<Bit>,
    forget: Local<Bit>,
    place: [Local<Bits<4>>; LANES],
    words: [Local<Bits<32>>; 4],
}

#[logic]
impl<const LANES: usize> LinkLaneRx<LANES> {
    /// For `LANES` physical lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("link_lane_rx", LANES)?;
        Ok(Self { lane: lanes_of("link_lane_rx", RxLane::new)?, .. })
    }

    fn update(&mut self) {
        // count[i]: active lanes below lane i, which is the logical lane of an active lane i.
        count[0] = 0;
        for i in 0..4 {
            count[i + 1] = count[i] + active[i];
            rank[i] = count[i].bits::<2>(0);
        }
        count_low = count[4].bits::<2>(0);
        last = count_low - one;
        last_lane = last;

        // A row is taken when every active lane has a word.
        some_active = false;
        running = false;
        starts = false;
        take = true;
        mismatch = false;
        lost = false;
        for i in 0..LANES {
            some_active = some_active | active[i];
            running = running | lane[i].started;
            starts = starts | lane[i].starts;
            take = take & lane[i].present;
            mismatch = mismatch | lane[i].start_mismatch;
            lost = lost | lane[i].lost;
        }
        forget = clear | lost;
        row_count = In { row: take, restart: !running };

        for i in 0..LANES {
            lane[i] = In { clear: forget, active: active[i], idle: some_active & !active[i] };
            lane[i] = In { last_lane: last, crc_mode, running, read_address, read_following, take };
            lane[i] = In { aln_row: row_count.due, aln_number: row_count.number, valid: lanes[0].valid };
            lane[i].data = lanes[0].data;
            for j in 1..LANES {
                if source[i] == j {
                    lane[i] = In { valid: lanes[j].valid, data: lanes[j].data };
                }
            }
        }

        self.order_words();
    }

    /// Words in logical order; the order is that of the clock before, in which it does not change.
    fn order_words(&mut self) {
        let mut errors: Bits<4> = 0;
        let mut code: Bits<4> = 0;
        for j in 0..4 {
            words[j] = 0;
        }
        for i in 0..LANES {
            code = code.with(i, lane[i].word_error);
            place[i] = 0;
            for j in 0..4 {
                place[i] = place[i].with(j, active[i] & (rank[i] == j));
            }
            places[i] = place[i] & possible[i];
            for j in 0..4 {
                if places[i][j] {
                    words[j] = words[j] | lane[i].word;
                    errors = errors.with(j, lane[i].word_error);
                }
            }
        }

        read_following = read_following + one_row;
        read_following = In { enable: take, clear: forget };
        if take {
            read_address = read_following;
        }
        if forget {
            read_address = 0;
        }
        out_start = (starts & !running) & !forget;
        out_valid = (take & !row_count.due) & !forget;
        for j in 0..4 {
            out_words[j] = words[j];
        }
        out_error = errors;
        out_lost = lost & !clear;
        out_mismatch = mismatch & !clear;
        out_code = 0;
        if take & !forget {
            out_code = code;
        }

        rows.valid = out_valid;
        rows.data = (bit_cast::<ROW_BITS, 32>(out_words[3]) << 96)
            | (bit_cast::<ROW_BITS, 32>(out_words[2]) << 64)
            | (bit_cast::<ROW_BITS, 32>(out_words[1]) << 32)
            | bit_cast::<ROW_BITS, 32>(out_words[0]);
        row_error = out_error;
        row_start = out_start;
        deskew_lost = out_lost;
        code_errors = out_code;
        start_mismatch = out_mismatch;
    }
}
