//! PHASE_SRC PHY.

use super::LINE_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_lag::{nominal_rate, COUNT_FRACTION_BITS, LINE_FRACTION_BITS};

/// Bits of a phase that the PHY gives, 1/256 word.
pub const PHASE_BITS: usize = 8;
/// Bits of the words of a clock, 1/256 word.
const ADVANCE_BITS: usize = 11;

/// Counts words by a phase that the PHY gives in every clock: the words of a clock are those nearest to the nominal number that lead
/// from the phase before to this one. `line` is of the phase three clocks before.
#[derive(LogicBlock)]
pub struct LagPhy {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// The phase counts as not valid for two clocks.
    pub restart: Signal<In, Bit>,
    /// Fraction of a word at this clock's edge, 1/256 word.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// It is valid.
    pub phase_valid: Signal<In, Bit>,
    /// Words since power-on with 12 fraction bits.
    pub line: Signal<Out, Bits<LINE_BITS>>,
    /// The phase is valid, and was in the clock before.
    pub ok: Signal<Out, Bit>,

    now: DFF<Bits<PHASE_BITS>>,
    before: DFF<Bits<PHASE_BITS>>,
    advance: DFF<Bits<ADVANCE_BITS>>,
    count: DFF<Bits<LINE_BITS>>,
    valid: [DFF<Bit>; 3],
    step: Signal<Local, Bits<PHASE_BITS>>,
    signed_step: Signal<Local, Bits<ADVANCE_BITS>>,
    minus: Constant<Bits<ADVANCE_BITS>>,
    nominal: Constant<Bits<ADVANCE_BITS>>,
    nominal_fraction: Constant<Bits<PHASE_BITS>>,
}

impl LagPhy {
    /// For clocks of these nominal periods, fs.
    pub fn new(core_fs: u64, word_fs: u64) -> Self {
        let shift = LINE_FRACTION_BITS - PHASE_BITS;
        let nominal = (nominal_rate(core_fs, word_fs) + (1 << (shift - 1))) >> shift;
        Self {
            clock: Default::default(),
            restart: Default::default(),
            phase: Default::default(),
            phase_valid: Default::default(),
            line: Default::default(),
            ok: Default::default(),
            now: Default::default(),
            before: Default::default(),
            advance: Default::default(),
            count: Default::default(),
            valid: Default::default(),
            step: Default::default(),
            signed_step: Default::default(),
            minus: Constant::new((!0_u64 << PHASE_BITS & ((1 << ADVANCE_BITS) - 1)).into()),
            nominal: Constant::new(nominal.into()),
            nominal_fraction: Constant::new((nominal & ((1 << PHASE_BITS) - 1)).into()),
        }
    }
}

impl Logic for LagPhy {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now, before, advance, count);
        for i in 0..3 {
            self.valid[i].clock.next = self.clock.val();
        }
        self.now.d.next = self.phase.val();
        self.before.d.next = self.now.q.val();
        self.step.next = self.now.q.val() - self.before.q.val() - self.nominal_fraction.val();
        self.signed_step.next = bit_cast::<ADVANCE_BITS, PHASE_BITS>(self.step.val());
        if self.step.val().get_bit(7) {
            self.signed_step.next = bit_cast::<ADVANCE_BITS, PHASE_BITS>(self.step.val()) | self.minus.val();
        }
        self.advance.d.next = self.nominal.val() + self.signed_step.val();
        self.count.d.next =
            self.count.q.val() + (bit_cast::<LINE_BITS, ADVANCE_BITS>(self.advance.q.val()) << 4);
        self.valid[0].d.next = self.phase_valid.val() & !self.restart.val();
        self.valid[1].d.next = self.valid[0].q.val() & !self.restart.val();
        self.valid[2].d.next = self.valid[0].q.val() & self.valid[1].q.val() & !self.restart.val();
        self.line.next = self.count.q.val();
        self.ok.next = self.valid[2].q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lag_phy", &[("nominal", self.nominal.val().index().to_string())])
    }
}

drive_ports!(impl[] LagPhy { clock, restart, phase, phase_valid, line, ok });

const _: () = assert!(COUNT_FRACTION_BITS == PHASE_BITS + 4);
