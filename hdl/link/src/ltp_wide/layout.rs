//! Where the bits of a mode 3 LTP stand (chapter 10, 3.5), as rows of [`XorMatrix`](crate::crc::XorMatrix): each
//! output bit is one input bit, or 0.
//!
//! The *plain* place of a data bit is that of modes 0 to 2, its number. In mode 3 the last words of an LTP are data and
//! CRC; their data has moved up.

use super::{window, window_bits, CRC_BITS};
use flitforge_protocol::beat::{beats_per_ltp, flit_beat_bits, max_wire_beat_bits};
use flitforge_protocol::ltp::{
    is_per_lane_crc_bit, per_lane_crc_low, per_lane_crc_width, BITS_1088, DATA_BITS,
};

/// The end of an LTP that is put together from its plain bits and the CRCs: the last wire beat of two flits.
pub const END_BITS: usize = max_wire_beat_bits(2);
/// LTP bit at its start.
const END_LOW: usize = BITS_1088 - END_BITS;

type Rows = Vec<Vec<usize>>;

/// LTP bit of each data bit in mode 3.
fn data_places(lanes: usize) -> Vec<usize> {
    (0..BITS_1088).filter(|&bit| !is_per_lane_crc_bit(lanes, bit)).take(DATA_BITS).collect()
}

/// The sender's last data beat on its way to the CRCs, counted from its window: plain places to those of mode 3.
pub fn spread_data(flits: usize, lanes: usize) -> Rows {
    let low = window(flits) * (beats_per_ltp(flits) - 1);
    let mut rows = vec![vec![]; window_bits(flits)];
    for (data, place) in data_places(lanes).into_iter().enumerate().skip(low) {
        rows[place - low].push(data - low);
    }
    rows
}

/// The end of an LTP from {CRCs, its plain bits}.
pub fn spread_end(lanes: usize) -> Rows {
    let (places, width) = (data_places(lanes), per_lane_crc_width(lanes));
    let source = |bit: usize| {
        if let Some(data) = places.iter().position(|&place| place == bit) {
            return data - END_LOW;
        }
        let is_its = |group: &usize| (0..width).any(|i| per_lane_crc_low(lanes, *group) + i == bit);
        let group = (0..lanes).find(is_its).unwrap_or_default();
        END_BITS + group * width + bit - per_lane_crc_low(lanes, group)
    };
    (END_LOW..BITS_1088).map(|bit| vec![source(bit)]).collect()
}

/// The receiver's last data beat from {its last wire beat, the 48 bits before}.
pub fn gather_data(flits: usize, lanes: usize) -> Rows {
    let last = beats_per_ltp(flits) - 1;
    let low = max_wire_beat_bits(flits) * last - CRC_BITS;
    let first = flit_beat_bits(flits) * last;
    data_places(lanes).into_iter().skip(first).map(|place| vec![place - low]).collect()
}
