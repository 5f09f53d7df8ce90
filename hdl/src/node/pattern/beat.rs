//! Beat number to beat.

use super::{BEAT_BITS, LOWER_MASK, UPPER_MASK};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Combinational: the beat with the given number (see the table in the module's documentation).
#[derive(LogicBlock)]
pub struct PatternBeat {
    /// Beat number.
    pub number: Signal<In, Bits<32>>,
    /// The beat, flit 0 in the low 65 bits.
    pub beat: Signal<Out, Bits<BEAT_BITS>>,
    upper_mask: Constant<Bits<32>>,
    lower_mask: Constant<Bits<32>>,
    inverse: Signal<Local, Bits<32>>,
    upper: Signal<Local, Bits<32>>,
    lower: Signal<Local, Bits<32>>,
    body: Signal<Local, Bits<65>>,
    first: Signal<Local, Bits<65>>,
    second: Signal<Local, Bits<65>>,
    head_mark: Constant<Bits<65>>,
    body_mark: Constant<Bits<65>>,
    tail_mark: Constant<Bits<65>>,
}

impl Default for PatternBeat {
    fn default() -> Self {
        let mark = |bit: usize| Constant::new(Bits::<65>::default().replace_bit(bit, true));
        Self {
            number: Default::default(),
            beat: Default::default(),
            upper_mask: Constant::new(UPPER_MASK.into()),
            lower_mask: Constant::new(LOWER_MASK.into()),
            inverse: Default::default(),
            upper: Default::default(),
            lower: Default::default(),
            body: Default::default(),
            first: Default::default(),
            second: Default::default(),
            head_mark: mark(63),
            body_mark: mark(64),
            tail_mark: mark(62),
        }
    }
}

impl Logic for PatternBeat {
    #[hdl_gen]
    fn update(&mut self) {
        self.inverse.next = !self.number.val();
        self.upper.next = self.number.val() ^ self.upper_mask.val();
        self.lower.next = self.inverse.val() ^ self.lower_mask.val();
        self.body.next = self.body_mark.val()
            | (bit_cast::<65, 32>(self.inverse.val()) << 32)
            | bit_cast::<65, 32>(self.number.val());
        self.second.next = self.body_mark.val()
            | (bit_cast::<65, 32>(self.upper.val()) << 32)
            | bit_cast::<65, 32>(self.lower.val());
        self.first.next = self.body.val();
        if self.number.val().get_bits::<4>(0) == 0 {
            self.first.next = self.head_mark.val() | bit_cast::<65, 32>(self.number.val());
        }
        if self.number.val().get_bits::<4>(0) == 15 {
            self.first.next = self.tail_mark.val() | bit_cast::<65, 32>(self.number.val());
            self.second.next = 0.into();
        }
        self.beat.next = (bit_cast::<BEAT_BITS, 65>(self.second.val()) << 65)
            | bit_cast::<BEAT_BITS, 65>(self.first.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("pattern_beat", &[])
    }
}

drive_ports!(impl[] PatternBeat { number, beat });
