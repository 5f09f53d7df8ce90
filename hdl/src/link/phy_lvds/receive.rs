//! Bits to words.

use super::frame::{LvdsFrame, PAST_BITS};
use crate::config::ConfigError;
use crate::link::lane::{check_lanes, LANE_IN_BITS};
use crate::prim::stream::FlowOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of a lane's offset to the frame.
pub const OFFSET_BITS: usize = 5;

/// One lane: the 32 bits from the frame's boundary on, or, after slips, from so many bits behind it.
#[derive(LogicBlock)]
pub struct LvdsLane {
    /// Bit clock that came with the data.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: the boundary is that of the frame again.
    pub clear: Signal<In, Bit>,
    /// Two bits, bit 0 first.
    pub pair: Signal<In, Bits<2>>,
    /// The frame's count of clocks.
    pub phase: Signal<In, Bits<4>>,
    /// The frame's words begin with the second bit of a clock.
    pub odd: Signal<In, Bit>,
    /// The lane's two wires are exchanged.
    pub invert: Signal<In, Bit>,
    /// Pulse: the boundary is one bit later.
    pub slip: Signal<In, Bit>,
    /// The last word.
    pub word: Signal<Out, Bits<32>>,
    past: DFF<Bits<PAST_BITS>>,
    offset: DFF<Bits<OFFSET_BITS>>,
    place: DFF<Bits<OFFSET_BITS>>,
    turn: DFF<Bit>,
    kept: DFF<Bits<32>>,
    one: Constant<Bits<4>>,
    all: Constant<Bits<32>>,
    due: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<32>>,
}

impl Default for LvdsLane {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            pair: Default::default(),
            phase: Default::default(),
            odd: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            word: Default::default(),
            past: Default::default(),
            offset: Default::default(),
            place: Default::default(),
            turn: Default::default(),
            kept: Default::default(),
            one: Constant::new(1.into()),
            all: Constant::new(u64::from(u32::MAX).into()),
            due: Default::default(),
            chosen: Default::default(),
        }
    }
}

impl Logic for LvdsLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, past, offset, place, turn, kept);
        self.past.d.next = (self.past.q.val() >> 2) | (bit_cast::<PAST_BITS, 2>(self.pair.val()) << 31);
        if self.slip.val() {
            self.offset.d.next = self.offset.q.val() + 1;
        }
        if self.clear.val() {
            self.offset.d.next = 0.into();
        }

        // With `odd`, one bit more has come at phase 15 than the frame word has; so `place` is the offset, else one more.
        self.place.d.next = self.offset.q.val() + 1;
        if self.odd.val() {
            self.place.d.next = self.offset.q.val();
        }
        self.due.next = self.place.q.val().get_bits::<4>(1) - self.one.val();
        self.chosen.next = self.past.q.val().get_bits::<32>(0);
        if self.place.q.val().get_bit(0) {
            self.chosen.next = self.past.q.val().get_bits::<32>(1);
        }
        self.turn.d.next = self.invert.val();
        if self.phase.val() == self.due.val() {
            self.kept.d.next = self.chosen.val();
            if self.turn.q.val() {
                self.kept.d.next = self.chosen.val() ^ self.all.val();
            }
        }
        self.word.next = self.kept.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lvds_lane", &[])
    }
}

drive_ports!(impl[] LvdsLane { clock, clear, pair, phase, odd, invert, slip, word });

/// `lvds_rx`: bit pairs of double-data-rate inputs to lane words, aligned by the frame pair; in the clock that came with them.
///
/// Once locked, every word time gives one word per lane, 12 clocks behind the clock with its last bit. A word whose frame is
/// neither that of a data nor of a control word has `code_err`; `ctl` is the same on all lanes, as there is one frame pair.
/// Until it is locked, and from the fourth bad frame word in a row on, nothing comes out.
///
/// Each `slip` moves a lane's boundary one bit further behind the frame's, up to 20 bits; 22 to 31 slips put it 10 bits to 1
/// bit before the frame's, 32 are none. `clear` begins a new search and takes slips back.
#[derive(LogicBlock)]
pub struct LvdsRx<const LANES: usize> {
    /// Bit clock that came with the data: two bits per clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Two bits per lane, bit 0 first.
    pub pairs: [Signal<In, Bits<2>>; LANES],
    /// Two bits of the frame pair, bit 0 first.
    pub frame: Signal<In, Bits<2>>,
    /// Lanes to be inverted.
    pub invert: Signal<In, Bits<4>>,
    /// Pulses: the lane's boundary is one bit later.
    pub slip: Signal<In, Bits<4>>,
    /// Words: word in bits 31..0, ctl in bit 32, code_err in bit 33; on all lanes in the same clock.
    pub words: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    /// The frame's boundary is known.
    pub locked: Signal<Out, Bit>,
    boundary: LvdsFrame,
    lane: [LvdsLane; LANES],
    /// When every lane has its word.
    together: Constant<Bits<4>>,
    gives: DFF<Bit>,
    flags: Signal<Local, Bits<LANE_IN_BITS>>,
    one_word: Signal<Local, Bits<32>>,
}

impl<const LANES: usize> LvdsRx<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("lvds_rx", LANES)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            pairs: defaults(),
            frame: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            words: defaults(),
            locked: Default::default(),
            boundary: Default::default(),
            lane: defaults(),
            together: Constant::new(9.into()),
            gives: Default::default(),
            flags: Default::default(),
            one_word: Default::default(),
        })
    }
}

impl<const LANES: usize> Logic for LvdsRx<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, gives);
        clock!(self, clock, boundary);
        self.boundary.clear.next = self.clear.val();
        self.boundary.pair.next = self.frame.val();
        self.locked.next = self.boundary.locked.val();
        self.gives.d.next = (self.boundary.phase.val() == self.together.val())
            & (self.boundary.locked.val() & !self.clear.val());
        self.flags.next = (bit_cast::<LANE_IN_BITS, 1>(self.boundary.control.val().into()) << 32)
            | (bit_cast::<LANE_IN_BITS, 1>(self.boundary.bad.val().into()) << 33);
        for i in 0..LANES {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].clear.next = self.clear.val();
            self.lane[i].pair.next = self.pairs[i].val();
            self.lane[i].phase.next = self.boundary.phase.val();
            self.lane[i].odd.next = self.boundary.odd.val();
            self.lane[i].invert.next = self.invert.val().get_bit(i);
            self.lane[i].slip.next = self.slip.val().get_bit(i);
            self.words[i].valid.next = self.gives.q.val();
            self.one_word.next = self.lane[i].word.val();
            self.words[i].data.next = bit_cast::<LANE_IN_BITS, 32>(self.one_word.val()) | self.flags.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lvds_rx", &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] LvdsRx<LANES> { clock, clear, pairs, frame, invert, slip, words, locked });
