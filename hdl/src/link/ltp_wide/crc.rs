//! The CRCs of modes 2 and 3, one beat per clock.

use super::plan::CrcPlan;
use super::CRC_BITS;
use crate::config::ConfigError;
use crate::link::crc::XorMatrix;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of the registers and of the beat's share in them.
const BOTH_BITS: usize = 2 * CRC_BITS;

/// All CRCs of an LTP in the mode chosen; see [`plan`](super::plan) for how.
///
/// `beat` stands at its place behind the window's start (see the [module](super)); bits it does not have are 0. In mode 2
/// the last beat of a received LTP has its CRCs not at their place but in the top 48 bits. A sender's last beat has
/// zeros for the CRCs.
///
/// `load` takes a beat, `step`, at the latest with the next `load`, what it adds to the CRCs; between them `crcs` are
/// those of the LTP up to and with that beat: a sender's CRCs, or a receiver's residues. A `first` beat starts anew.
#[derive(LogicBlock)]
pub struct WideCrc<const WINDOW_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Mode 3. It and `three` change only between two LTPs.
    pub per_lane: Signal<In, Bit>,
    /// With `per_lane`: on three lanes, else on four.
    pub three: Signal<In, Bit>,
    /// The beat.
    pub beat: Signal<In, Bits<WINDOW_W>>,
    /// Takes the beat.
    pub load: Signal<In, Bit>,
    /// With `load`: it is the first of its LTP.
    pub first: Signal<In, Bit>,
    /// Takes the beat's share.
    pub step: Signal<In, Bit>,
    /// The CRCs of 12 bits, on three lanes of 16 bits, in their order, each in sending order; combinational.
    pub crcs: Signal<Out, Bits<CRC_BITS>>,

    overlapping_sums: XorMatrix<WINDOW_W, CRC_BITS>,
    four_sums: XorMatrix<WINDOW_W, CRC_BITS>,
    three_sums: XorMatrix<WINDOW_W, CRC_BITS>,
    overlapping_next: XorMatrix<BOTH_BITS, CRC_BITS>,
    four_next: XorMatrix<BOTH_BITS, CRC_BITS>,
    three_next: XorMatrix<BOTH_BITS, CRC_BITS>,
    overlapping_crcs: XorMatrix<BOTH_BITS, CRC_BITS>,
    four_crcs: XorMatrix<BOTH_BITS, CRC_BITS>,
    three_crcs: XorMatrix<BOTH_BITS, CRC_BITS>,
    overlapping_first: Constant<Bits<CRC_BITS>>,
    four_first: Constant<Bits<CRC_BITS>>,
    three_first: Constant<Bits<CRC_BITS>>,
    share: DFF<Bits<CRC_BITS>>,
    state: Register<Bits<CRC_BITS>>,
    sums: Signal<Local, Bits<CRC_BITS>>,
    start: Signal<Local, Bits<CRC_BITS>>,
    both: Signal<Local, Bits<BOTH_BITS>>,
}

impl<const WINDOW_W: usize> WideCrc<WINDOW_W> {
    /// The CRCs at so many flits per beat; `WINDOW_W` is [`window_bits`](super::window_bits) of it.
    pub fn new(flits: usize) -> Result<Self, ConfigError> {
        let overlapping = CrcPlan::overlapping(flits)?;
        let four = CrcPlan::per_lane(flits, 4)?;
        let three = CrcPlan::per_lane(flits, 3)?;
        Ok(Self {
            clock: Default::default(),
            per_lane: Default::default(),
            three: Default::default(),
            beat: Default::default(),
            load: Default::default(),
            first: Default::default(),
            step: Default::default(),
            crcs: Default::default(),
            overlapping_sums: XorMatrix::new(overlapping.sums)?,
            four_sums: XorMatrix::new(four.sums)?,
            three_sums: XorMatrix::new(three.sums)?,
            overlapping_next: XorMatrix::new(overlapping.next)?,
            four_next: XorMatrix::new(four.next)?,
            three_next: XorMatrix::new(three.next)?,
            overlapping_crcs: XorMatrix::new(overlapping.crcs)?,
            four_crcs: XorMatrix::new(four.crcs)?,
            three_crcs: XorMatrix::new(three.crcs)?,
            overlapping_first: Constant::new(overlapping.first.into()),
            four_first: Constant::new(four.first.into()),
            three_first: Constant::new(three.first.into()),
            share: Default::default(),
            state: Default::default(),
            sums: Default::default(),
            start: Default::default(),
            both: Default::default(),
        })
    }
}

impl<const WINDOW_W: usize> Logic for WideCrc<WINDOW_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, share);
        self.state.clock.next = self.clock.val();

        // The beat's share.
        self.overlapping_sums.data.next = self.beat.val();
        self.four_sums.data.next = self.beat.val();
        self.three_sums.data.next = self.beat.val();
        self.sums.next = self.overlapping_sums.sum.val();
        self.start.next = self.overlapping_first.val();
        if self.per_lane.val() {
            self.sums.next = self.four_sums.sum.val();
            self.start.next = self.four_first.val();
            if self.three.val() {
                self.sums.next = self.three_sums.sum.val();
                self.start.next = self.three_first.val();
            }
        }
        if self.load.val() {
            self.share.d.next = self.sums.val();
            if self.first.val() {
                self.share.d.next = self.sums.val() ^ self.start.val();
            }
        }

        // The registers, and the CRCs if that was the last beat.
        self.both.next = bit_cast::<BOTH_BITS, CRC_BITS>(self.share.q.val())
            | (bit_cast::<BOTH_BITS, CRC_BITS>(self.state.q.val()) << 48);
        self.overlapping_next.data.next = self.both.val();
        self.four_next.data.next = self.both.val();
        self.three_next.data.next = self.both.val();
        self.overlapping_crcs.data.next = self.both.val();
        self.four_crcs.data.next = self.both.val();
        self.three_crcs.data.next = self.both.val();
        self.state.d.next = self.overlapping_next.sum.val();
        self.crcs.next = self.overlapping_crcs.sum.val();
        if self.per_lane.val() {
            self.state.d.next = self.four_next.sum.val();
            self.crcs.next = self.four_crcs.sum.val();
            if self.three.val() {
                self.state.d.next = self.three_next.sum.val();
                self.crcs.next = self.three_crcs.sum.val();
            }
        }
        self.state.enable.next = self.step.val();
        self.state.clear.next = self.load.val() & self.first.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("wide_crc", &[("w", WINDOW_W.to_string())])
    }
}

drive_ports!(impl[const WINDOW_W: usize] WideCrc<WINDOW_W> { clock, per_lane, three, beat, load, first, step, crcs });
