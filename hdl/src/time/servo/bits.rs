//! The bytes of a word, one at a time.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::GAIN_BITS;

/// Bits of a part of the word.
pub const PART_BITS: usize = 8;
/// Parts of the word.
pub const PARTS: usize = GAIN_BITS / PART_BITS;

/// That part of `word` which `part` named, as one of [`PARTS`], 2 clocks before; 0 if it named none.
///
/// Registers that a part's bit keeps at 0 stand for the outer half of a 32 to 1 multiplexer: they cost no LUT, and the
/// path is a third as long. `held` is a register. No clear: it holds no state.
#[derive(LogicBlock, Default)]
pub struct WordParts {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Part that is wanted, one bit per part.
    pub part: Signal<In, Bits<PARTS>>,
    /// The word; holds still while its bits are taken.
    pub word: Signal<In, Bits<GAIN_BITS>>,
    /// The part.
    pub held: Signal<Out, Bits<PART_BITS>>,
    parts: [DFF<Bits<PART_BITS>>; PARTS],
    chosen: DFF<Bits<PART_BITS>>,
}

impl Logic for WordParts {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..4 {
            self.parts[i].clock.next = self.clock.val();
            self.parts[i].d.next = 0.into();
        }
        dff_setup!(self, clock, chosen);
        if self.part.val().get_bit(0) {
            self.parts[0].d.next = self.word.val().get_bits::<PART_BITS>(0);
        }
        if self.part.val().get_bit(1) {
            self.parts[1].d.next = self.word.val().get_bits::<PART_BITS>(8);
        }
        if self.part.val().get_bit(2) {
            self.parts[2].d.next = self.word.val().get_bits::<PART_BITS>(16);
        }
        if self.part.val().get_bit(3) {
            self.parts[3].d.next = self.word.val().get_bits::<PART_BITS>(24);
        }
        self.chosen.d.next =
            self.parts[0].q.val() | self.parts[1].q.val() | self.parts[2].q.val() | self.parts[3].q.val();
        self.held.next = self.chosen.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("word_parts", &[])
    }
}

drive_ports!(impl[] WordParts { clock, part, word, held });

const _: () = assert!(PARTS == 4);
