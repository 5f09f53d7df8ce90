//! One lane of the receiver.

use super::{LaneScrambler, ALN_LOW, LANE_IN_BITS, SDS_LOW};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::LutRam;

/// Bits of a word in the FIFO: {upper half of an ALN's kind, lower half, flagged, word}.
const KEPT_BITS: usize = 35;

/// One lane of the receiver: finds the start row, keeps up to 16 words for the deskew, descrambles, and checks
/// the word at the front against the kind of row that is due.
///
/// What needs many bits of a word is found in one clock and used in the next: the parts of a start row's word,
/// overflow, an ALN's number. That costs no latency, as a start row carries no data and a loss is only told.
#[block("lane_rx_lane", new)]
pub struct RxLane {
    /// Clock.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// The lane is in use. Changes only while cleared.
    active: In<Bit>,
    /// The lane is not in use, but another is. Changes only while cleared.
    idle: In<Bit>,
    /// L - 1.
    last_lane: In<Bits<2>>,
    /// CRC mode that the start row must name.
    crc_mode: In<Bits<2>>,
    /// A word comes in.
    valid: In<Bit>,
    /// {code_err, ctl, word}.
    data: In<Bits<LANE_IN_BITS>>,
    /// Some lane has started.
    running: In<Bit>,
    /// Place of the row at the front.
    read_address: In<Bits<4>>,
    /// Place of the row after it.
    read_following: In<Bits<4>>,
    /// The row at the front is taken.
    take: In<Bit>,
    /// The row at the front is an ALN row.
    aln_row: In<Bit>,
    /// Number the ALN row must have.
    aln_number: In<Bits<16>>,
    /// The start row was seen.
    started: Out<Bit>,
    /// The start row came one clock ago.
    starts: Out<Bit>,
    /// One clock ago came a start row with another lane number, L or CRC mode.
    start_mismatch: Out<Bit>,
    /// A word is at the front, or the lane is idle.
    present: Out<Bit>,
    /// One clock ago a word came that did not fit, or an ALN with another number was taken.
    lost: Out<Bit>,
    /// Descrambled word at the front.
    word: Out<Bits<32>>,
    /// The word at the front is not of its row's kind, or was marked bad by the PHY.
    word_error: Out<Bit>,
    #[wire(clock)]
    scrambler: LaneScrambler,
    #[wire(clock)]
    fifo: LutRam<Bits<KEPT_BITS>, 4>,
    has_started: Reg<Bit>,
    write_address: Reg<Bits<4>>,
    is_present: Reg<Bit>,
    overflowed: Reg<Bit>,
    control_received: Reg<Bit>,
    kind_matched: Reg<Bits<2>>,
    mark_matched: Reg<Bit>,
    fields_matched: Reg<Bit>,
    aln_taken: Reg<Bit>,
    number_differs: Reg<Bits<2>>,
    #[init(1)]
    one: Constant<Bits<4>>,
    lane_number: Constant<Bits<2>>,
    sds_kind: Constant<Bits<16>>,
    #[init(SDS_LOW >> 24)]
    sds_mark: Constant<Bits<8>>,
    aln_kind: Constant<Bits<16>>,
    start_seen: Local<Bit>,
    start: Local<Bit>,
    write: Local<Bit>,
    after: Local<Bits<4>>,
    aln_low: Local<Bit>,
    aln_high: Local<Bit>,
    comes_flagged: Local<Bit>,
    front: Local<Bits<KEPT_BITS>>,
    is_aln: Local<Bit>,
    low_differs: Local<Bit>,
    high_differs: Local<Bit>,
}

#[logic]
impl RxLane {
    pub(super) fn new(lane: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            scrambler: LaneScrambler::new(lane)?,
            lane_number: Constant::new((lane as u64).into()),
            sds_kind: Constant::new((SDS_LOW & 0xFFFF).into()),
            aln_kind: Constant::new((ALN_LOW & 0xFFFF).into()),
            ..
        })
    }

    fn update(&mut self) {
        // Start row: ctl without code error, kind and mark right; compared now, looked at in the next clock.
        control_received = ((valid & active) & (data.bits::<2>(32) == 1)) & !clear;
        let low_matches = data.bits::<8>(0) == sds_kind.bits::<8>(0);
        let high_matches = data.bits::<8>(8) == sds_kind.bits::<8>(8);
        kind_matched = bit_cast::<2, 1>(low_matches.into()) | (bit_cast::<2, 1>(high_matches.into()) << 1);
        mark_matched = data.bits::<8>(24) == sds_mark;
        fields_matched = (data.bits::<2>(16) == lane_number)
            & (data.bits::<2>(20) == crc_mode)
            & (data.bits::<2>(22) == last_lane);
        start_seen = (control_received & !has_started) & (kind_matched.all() & mark_matched);
        start = start_seen & fields_matched;
        start_mismatch = start_seen & !fields_matched;
        starts = start;
        if start {
            has_started = true;
        }
        started = has_started;

        write = valid & (has_started | start);
        after = write_address + one;
        aln_low = (data.bits::<2>(32) == 1) & (data.bits::<8>(0) == aln_kind.bits::<8>(0));
        aln_high = data.bits::<8>(8) == aln_kind.bits::<8>(8);
        comes_flagged = data.bits::<2>(32).any();
        fifo = In { write_enable: write, write_address };
        fifo.write_data = bit_cast::<KEPT_BITS, 32>(data.bits::<32>(0))
            | (bit_cast::<KEPT_BITS, 1>(comes_flagged.into()) << 32)
            | (bit_cast::<KEPT_BITS, 1>(aln_low.into()) << 33)
            | (bit_cast::<KEPT_BITS, 1>(aln_high.into()) << 34);
        fifo.read_address = read_address;
        if write {
            write_address = after;
        }
        overflowed = (((write & !take) & is_present) & (write_address == read_address)) & !clear;
        if take & (write_address == read_following) {
            is_present = false;
        }
        if write {
            is_present = true;
        }
        present = is_present;

        front = fifo.read_data;
        is_aln = front.bits::<2>(33).all();
        scrambler = In { restart: !running, advance: take & !aln_row };
        word = front.bits::<32>(0) ^ scrambler.word;
        word_error = active & front[32];
        if aln_row {
            word_error = active & !is_aln;
        }
        aln_taken = ((take & aln_row) & (active & is_aln)) & !clear;
        low_differs = front.bits::<8>(16) != aln_number.bits::<8>(0);
        high_differs = front.bits::<8>(24) != aln_number.bits::<8>(8);
        number_differs = bit_cast::<2, 1>(low_differs.into()) | (bit_cast::<2, 1>(high_differs.into()) << 1);
        lost = overflowed | (aln_taken & number_differs.any());

        if clear {
            has_started = false;
            write_address = 0;
            is_present = false;
        }
        if idle {
            is_present = true;
        }
    }
}
