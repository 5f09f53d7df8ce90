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
use crate::config::ConfigError;
use crate::prim::stream::{FlowOut, StreamIn};
use crate::prim::LutRam;
use crate::registry::StreamRole::{FlowSource, StreamSink};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// One lane of [`PhyLoop`].
#[derive(LogicBlock, Default)]
pub struct LoopLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// XOR the word taken with `error_mask`.
    pub error: Signal<In, Bit>,
    /// {code_err, ctl, word}.
    pub error_mask: Signal<In, Bits<LANE_IN_BITS>>,
    /// Words of delay.
    pub delay: Signal<In, Bits<4>>,
    /// Words in.
    pub tx: StreamIn<Bits<LANE_BITS>>,
    /// Words out.
    pub rx: FlowOut<Bits<LANE_IN_BITS>>,
    past: LutRam<Bits<LANE_IN_BITS>, 4>,
    address: DFF<Bits<4>>,
    taken: DFF<Bits<4>>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<LANE_IN_BITS>>,
    word: Signal<Local, Bits<LANE_IN_BITS>>,
    take: Signal<Local, Bit>,
}

impl Logic for LoopLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address, taken, out_valid, out);
        clock!(self, clock, past);
        self.tx.ready.next = !self.clear.val();
        self.take.next = self.tx.valid.val() & !self.clear.val();
        self.word.next = bit_cast::<LANE_IN_BITS, LANE_BITS>(self.tx.data.val());
        if self.error.val() {
            self.word.next = bit_cast::<LANE_IN_BITS, LANE_BITS>(self.tx.data.val()) ^ self.error_mask.val();
        }
        self.past.write_enable.next = self.take.val();
        self.past.write_address.next = self.address.q.val();
        self.past.write_data.next = self.word.val();
        self.past.read_address.next = self.address.q.val() - self.delay.val();
        self.out.d.next = self.past.read_data.val();
        if !self.delay.val().any() {
            self.out.d.next = self.word.val();
        }
        self.out_valid.d.next = self.take.val() & (self.taken.q.val() >= self.delay.val());
        if self.take.val() {
            self.address.d.next = self.address.q.val() + 1;
            if !self.taken.q.val().all() {
                self.taken.d.next = self.taken.q.val() + 1;
            }
        }
        if self.clear.val() {
            self.taken.d.next = 0.into();
        }
        self.rx.valid.next = self.out_valid.q.val();
        self.rx.data.next = self.out.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("phy_loop_lane", &[])
    }
}

/// Loop of `LANES` lanes; see the [module](self).
#[derive(LogicBlock)]
pub struct PhyLoop<const LANES: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Words taken in this clock get errors.
    pub error_enable: Signal<In, Bit>,
    /// On these lanes.
    pub error_lanes: Signal<In, Bits<4>>,
    /// {code_err, ctl, word}: bits to flip.
    pub error_mask: Signal<In, Bits<LANE_IN_BITS>>,
    /// Words of delay per lane, 0 to 15.
    pub delay: [Signal<In, Bits<4>>; LANES],
    /// Words in: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Words out: as in, code_err in bit 33.
    pub rx: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    lane: [LoopLane; LANES],
}

impl<const LANES: usize> PhyLoop<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("phy_loop", LANES)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            error_enable: Default::default(),
            error_lanes: Default::default(),
            error_mask: Default::default(),
            delay: defaults(),
            tx: defaults(),
            rx: defaults(),
            lane: defaults(),
        })
    }
}

impl<const LANES: usize> Logic for PhyLoop<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..LANES {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].clear.next = self.clear.val();
            self.lane[i].error.next = self.error_enable.val() & self.error_lanes.val().get_bit(i);
            self.lane[i].error_mask.next = self.error_mask.val();
            self.lane[i].delay.next = self.delay[i].val();
            StreamIn::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.lane[i].tx);
            FlowOut::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.lane[i].rx);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("phy_loop", &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] PhyLoop<LANES> {
    clock, clear, error_enable, error_lanes, error_mask, delay, tx, rx,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "phy_loop",
    chapter: "10-link",
    summary: "lane PHY of a loop, with errors and delays on request",
    parameters: &[ParameterInfo {
        name: "lanes",
        default: 4,
        allowed: Allowed::Range(1, 4),
        doc: "physical lanes",
    }],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "one_lane", values: &[("lanes", 1)] }],
    build: |settings| {
        let lanes = settings.size("lanes")?;
        let per_lane = [("tx", StreamSink), ("rx", FlowSource)];
        let interface = lane_interface(&[], &per_lane, lanes, 1, "word in to word out, delay 0");
        match lanes {
            1 => Ok(BuiltBlock::new(PhyLoop::<1>::new()?, interface)),
            2 => Ok(BuiltBlock::new(PhyLoop::<2>::new()?, interface)),
            3 => Ok(BuiltBlock::new(PhyLoop::<3>::new()?, interface)),
            4 => Ok(BuiltBlock::new(PhyLoop::<4>::new()?, interface)),
            _ => Err(settings.unsupported("lanes", "1 to 4")),
        }
    },
};
