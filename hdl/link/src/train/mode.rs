//! The CRC mode of both directions (chapter 10, 4.6 rule 4).

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::ltp::CrcMode;

/// Chooses the CRC modes from what both ends offer, as in word 1 of a training set: bits 2..0 capabilities, 5..3
/// preferred, 6 bonded. Latency 1 clock from the offers, and 2 from the lanes, to `tx_mode` and `rx_mode`.
#[block("train_mode")]
pub struct TrainMode {
    /// Clock.
    clock: In<Clock>,
    /// This end's offer.
    mine: In<Bits<7>>,
    /// The peer's.
    yours: In<Bits<7>>,
    /// Lanes of the direction sent in.
    tx_lanes: In<Bits<4>>,
    /// Lanes of the direction received in.
    rx_lanes: In<Bits<4>>,
    /// There is a mode: an end is bonded and both can do mode 1, or none is bonded.
    possible: Out<Bit>,
    /// Mode of the direction sent in.
    tx_mode: Out<Bits<2>>,
    /// Mode of the direction received in.
    rx_mode: Out<Bits<2>>,
    is_possible: Reg<Bit>,
    chosen: Reg<Bits<2>>,
    fallback: Reg<Bits<2>>,
    tx_few: Reg<Bit>,
    rx_few: Reg<Bit>,
    #[init(CrcMode::Standard)]
    mode_0: Constant<Bits<2>>,
    #[init(CrcMode::Bits14)]
    mode_1: Constant<Bits<2>>,
    #[init(CrcMode::Overlapping48)]
    mode_2: Constant<Bits<2>>,
    #[init(CrcMode::PerLane)]
    mode_3: Constant<Bits<2>>,
    common: Local<Bits<3>>,
    prefers: Local<Bits<4>>,
    wanted: Local<Bits<2>>,
    agree: Local<Bit>,
}

#[logic]
impl TrainMode {
    fn update(&mut self) {
        common = mine.bits::<3>(0) & yours.bits::<3>(0);
        let bonded = mine[6] | yours[6];
        wanted = mine.bits::<2>(3);
        // An equal preference counts if both can do it; mode 0 can always be done.
        prefers = (bit_cast::<4, 3>(common) << 1) | 1;
        agree = ((mine.bits::<3>(3) == yours.bits::<3>(3)) & !mine[5]) & prefers[wanted];

        is_possible = !bonded | common[0];
        chosen = mode_0;
        if common[2] {
            chosen = mode_3;
        }
        if common[1] {
            chosen = mode_2;
        }
        if common[0] {
            chosen = mode_1;
        }
        if agree {
            chosen = wanted;
        }
        if bonded {
            chosen = mode_1;
        }
        fallback = mode_0;
        if common[1] {
            fallback = mode_2;
        }

        // Fewer than three lanes: two or more are missing.
        tx_few = (((tx_lanes & 3) != 3) & ((tx_lanes & 12) != 12))
            | (!(tx_lanes & 3).any() | !(tx_lanes & 12).any());
        rx_few = (((rx_lanes & 3) != 3) & ((rx_lanes & 12) != 12))
            | (!(rx_lanes & 3).any() | !(rx_lanes & 12).any());
        possible = is_possible;
        tx_mode = chosen;
        if tx_few & (chosen == mode_3) {
            tx_mode = fallback;
        }
        rx_mode = chosen;
        if rx_few & (chosen == mode_3) {
            rx_mode = fallback;
        }
    }
}
