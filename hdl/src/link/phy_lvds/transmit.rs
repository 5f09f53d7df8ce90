//! Rows to bits.

use super::{marks_of, LVDS_ROW_BITS, MARK_BITS};
use crate::config::ConfigError;
use crate::link::lane::check_lanes;
use crate::prim::stream::StreamIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::{FRAME_CONTROL, FRAME_DATA};

/// `lvds_tx`: rows to bit pairs for double-data-rate outputs, with the frame pair; in the bit clock.
///
/// A row is taken every 16 clocks, if there is one; its bits 0 and 1 leave in the next clock, bit 0 first. Without a row all
/// pairs are quiet for one word time, and `starved` tells it, 1 clock later, if a row went before. While cleared no row is
/// taken; a word that is leaving leaves whole, as half a control word can look like a data word.
#[derive(LogicBlock)]
pub struct LvdsTx<const LANES: usize> {
    /// Bit clock: two bits per clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: no further row.
    pub clear: Signal<In, Bit>,
    /// Rows: lane l's word in bits 32l..32l+31; bit 128: they are control words.
    pub rows: StreamIn<Bits<LVDS_ROW_BITS>>,
    /// Two bits per lane, bit 0 first.
    pub pairs: [Signal<Out, Bits<2>>; LANES],
    /// Two bits of the frame pair, bit 0 first.
    pub frame: Signal<Out, Bits<2>>,
    /// Pulse: behind a row came none.
    pub starved: Signal<Out, Bit>,
    slot: DFF<Bits<4>>,
    sends: DFF<Bit>,
    starves: DFF<Bit>,
    marks: DFF<Bits<MARK_BITS>>,
    lane: [DFF<Bits<32>>; LANES],
    data_marks: Constant<Bits<MARK_BITS>>,
    control_marks: Constant<Bits<MARK_BITS>>,
    last: DFF<Bit>,
    goes: Signal<Local, Bit>,
    level: Signal<Local, Bits<2>>,
}

impl<const LANES: usize> LvdsTx<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("lvds_tx", LANES)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            rows: Default::default(),
            pairs: defaults(),
            frame: Default::default(),
            starved: Default::default(),
            slot: Default::default(),
            sends: Default::default(),
            starves: Default::default(),
            marks: Default::default(),
            lane: defaults(),
            data_marks: Constant::new(marks_of(FRAME_DATA).into()),
            control_marks: Constant::new(marks_of(FRAME_CONTROL).into()),
            last: Default::default(),
            goes: Default::default(),
            level: Default::default(),
        })
    }
}

impl<const LANES: usize> Logic for LvdsTx<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, slot, last, sends, starves, marks);
        self.slot.d.next = self.slot.q.val() + 1;
        self.last.d.next = self.slot.q.val() == 14;
        self.rows.ready.next = self.last.q.val() & !self.clear.val();
        self.goes.next = self.rows.valid.val() & !self.clear.val();
        self.starves.d.next =
            (self.last.q.val() & self.sends.q.val()) & !(self.rows.valid.val() | self.clear.val());
        self.starved.next = self.starves.q.val();

        // The frame pair's level in each of the word's clocks.
        self.marks.d.next = self.marks.q.val() >> 1;
        if self.last.q.val() {
            self.sends.d.next = self.goes.val();
            self.marks.d.next = 0.into();
            if self.goes.val() {
                self.marks.d.next = self.data_marks.val();
                if self.rows.data.val().get_bit(128) {
                    self.marks.d.next = self.control_marks.val();
                }
            }
        }
        self.level.next = bit_cast::<2, 1>(self.marks.q.val().get_bits::<1>(0));
        self.frame.next = self.level.val() | (self.level.val() << 1);

        for i in 0..LANES {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].d.next = self.lane[i].q.val() >> 2;
            if self.last.q.val() {
                self.lane[i].d.next = 0.into();
                if self.goes.val() {
                    self.lane[i].d.next = self.rows.data.val().get_bits::<32>(32 * i);
                }
            }
            self.pairs[i].next = self.lane[i].q.val().get_bits::<2>(0);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lvds_tx", &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] LvdsTx<LANES> { clock, clear, rows, pairs, frame, starved });
