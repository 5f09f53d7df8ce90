//! What credit codes are worth.

use crate::prim::ram::LutRam;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of a credit code.
pub const CODE_BITS: usize = flitforge_protocol::flit::CREDIT_CODE_BITS;
/// Bits of an entry of the credit table.
pub const UNITS_BITS: usize = 8;
/// Bits of the AU that come back in a clock.
pub const GAIN_BITS: usize = 11;
/// Bits of the codes of a lane in the slots of a beat.
pub const SLOT_CODES_BITS: usize = 12;

/// AU of one lane's codes in `F` slots and in a sideband message; registered.
#[derive(LogicBlock)]
pub struct CreditGain<const F: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// What is on its way is gone.
    pub clear: Signal<In, Bit>,
    /// Entry of the credit table that is written on this edge.
    pub entry: Signal<In, Bits<CODE_BITS>>,
    /// Its AU.
    pub entry_units: Signal<In, Bits<UNITS_BITS>>,
    /// Codes of the slots, that of slot i in bits 3i+2..3i; 0 where there is none.
    pub codes: Signal<In, Bits<SLOT_CODES_BITS>>,
    /// The message is for this lane.
    pub mine: Signal<In, Bit>,
    /// AU of the message.
    pub message_units: Signal<In, Bits<UNITS_BITS>>,
    /// AU of all.
    pub gain: Signal<Out, Bits<GAIN_BITS>>,

    table: [LutRam<Bits<UNITS_BITS>, CODE_BITS>; F],
    total: DFF<Bits<GAIN_BITS>>,
    sum: Signal<Local, Bits<GAIN_BITS>>,
    worth: Signal<Local, Bits<UNITS_BITS>>,
}

impl<const F: usize> Default for CreditGain<F> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            entry: Default::default(),
            entry_units: Default::default(),
            codes: Default::default(),
            mine: Default::default(),
            message_units: Default::default(),
            gain: Default::default(),
            table: defaults(),
            total: Default::default(),
            sum: Default::default(),
            worth: Default::default(),
        }
    }
}

impl<const F: usize> Logic for CreditGain<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, total);
        self.sum.next = 0.into();
        if self.mine.val() {
            self.sum.next = bit_cast::<GAIN_BITS, UNITS_BITS>(self.message_units.val());
        }
        for i in 0..F {
            self.table[i].clock.next = self.clock.val();
            self.table[i].write_enable.next = true;
            self.table[i].write_address.next = self.entry.val();
            self.table[i].write_data.next = self.entry_units.val();
            self.table[i].read_address.next = self.codes.val().get_bits::<CODE_BITS>(i * 3);
            self.worth.next = self.table[i].read_data.val();
            self.sum.next = self.sum.val() + bit_cast::<GAIN_BITS, UNITS_BITS>(self.worth.val());
        }
        self.total.d.next = self.sum.val();
        if self.clear.val() {
            self.total.d.next = 0.into();
        }
        self.gain.next = self.total.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("credit_gain", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize] CreditGain<F> { clock, clear, entry, entry_units, codes, mine, message_units, gain });

// Four slots and a message, 255 AU each.
const _: () = assert!(5 * 255 < 1 << GAIN_BITS && CODE_BITS == 3 && SLOT_CODES_BITS == 4 * CODE_BITS);
