//! `phy_loop`: the lane PHY of a loop, without any line (chapter 10, 4.7).
//!
//! A word taken on `tx[l]` comes out on `rx[l]` 1 clock later, without code error. The test port:
//!
//! - `error_enable`: words taken in this clock on the lanes in `error_lanes` are XORed with `error_mask`
//!   ({code_err, ctl, word}, so control flags and code errors can be forced too);
//! - `delay[l]`, 0 to 15: what comes out is the word taken that many words before; nothing comes out until that many
//!   have been taken since `clear`. It changes only while cleared.
//!
//! One word per clock and lane. `tx.ready` is high except while cleared. `clear` forgets all words.

use super::lane::{check_lanes, lane_interface, LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::LutRam;

/// One lane of [`PhyLoop`].
#[block("phy_loop_lane")]
pub struct LoopLane {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// XOR the word taken with `error_mask`.
    error: In<Bit>,
    /// {code_err, ctl, word}.
    error_mask: In<Bits<LANE_IN_BITS>>,
    /// Words of delay.
    delay: In<Bits<4>>,
    /// Words in.
    pub tx: StreamIn<Bits<LANE_BITS>>,
    /// Words out.
    pub rx: FlowOut<Bits<LANE_IN_BITS>>,
    #[wire(clock)]
    past: LutRam<Bits<LANE_IN_BITS>, 4>,
    address: Reg<Bits<4>>,
    taken: Reg<Bits<4>>,
    out_valid: Reg<Bit>,
    out: Reg<Bits<LANE_IN_BITS>>,
    word: Local<Bits<LANE_IN_BITS>>,
}

#[logic]
impl LoopLane {
    fn update(&mut self) {
        tx.ready = !clear;
        let take = tx.valid & !clear;
        word = bit_cast::<LANE_IN_BITS, LANE_BITS>(tx.data);
        if error {
            word = bit_cast::<LANE_IN_BITS, LANE_BITS>(tx.data) ^ error_mask;
        }
        past = In { write_enable: take, write_address: address, write_data: word };
        past.read_address = address - delay;
        out = past.read_data;
        if !delay.any() {
            out = word;
        }
        out_valid = take & (taken >= delay);
        if take {
            address = address + 1;
            if !taken.all() {
                taken = taken + 1;
            }
        }
        if clear {
            taken = 0;
        }
        rx = In { valid: out_valid, data: out };
    }
}

/// Loop of `LANES` lanes; see the [module](self).
#[block("phy_loop", new, lanes = LANES)]
pub struct PhyLoop<const LANES: usize> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Words taken in this clock get errors.
    error_enable: In<Bit>,
    /// On these lanes.
    error_lanes: In<Bits<4>>,
    /// {code_err, ctl, word}: bits to flip.
    error_mask: In<Bits<LANE_IN_BITS>>,
    /// Words of delay per lane, 0 to 15.
    delay: [In<Bits<4>>; LANES],
    /// Words in: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Words out: as in, code_err in bit 33.
    pub rx: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    #[wire(clock, clear)]
    lane: [LoopLane; LANES],
}

#[logic]
impl<const LANES: usize> PhyLoop<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("phy_loop", LANES)?;
        Ok(Self { .. })
    }

    fn update(&mut self) {
        for i in 0..LANES {
            lane[i] = In { error: error_enable & error_lanes[i], error_mask, delay: delay[i] };
            link(tx[i], lane[i].tx);
            link(rx[i], lane[i].rx);
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "phy_loop",
    chapter: "10-link",
    summary: "lane PHY of a loop, with errors and delays on request",
    parameters: &[ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "physical lanes")],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "one_lane", values: &[("lanes", 1)] }],
    build: |settings| {
        shapes! {
            settings: (lanes) => build_as [lanes];
            presets { (4) (1) }
            others { (2) in "sim/line/src/phy.rs" (3) in "sim/line/src/phy.rs" }
        }
    },
};

/// Builds the block for `N` lanes.
pub fn build_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let per_lane = [("tx", StreamSink), ("rx", FlowSource)];
    let interface = lane_interface(&[], &per_lane, N, 1, "word in to word out, delay 0");
    Ok(BuiltBlock::new(PhyLoop::<N>::new()?, interface))
}
