//! Words behind the start row.

use super::WORD_COUNT_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Counts the words of one lane behind its start row, those before the clock before this one. The count stands until the
/// next start row. What came is kept for a clock, since a word says late what it is, and the count is long.
#[derive(LogicBlock, Default)]
pub struct WordCount {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// A start row is waited for.
    pub arm: Signal<In, Bit>,
    /// A word goes by.
    pub word: Signal<In, Bit>,
    /// It is that of a start row.
    pub start: Signal<In, Bit>,
    /// The count.
    pub count: Signal<Out, Bits<WORD_COUNT_BITS>>,

    words: DFF<Bits<WORD_COUNT_BITS>>,
    armed: DFF<Bit>,
    arms: DFF<Bit>,
    came: DFF<Bit>,
    starts: DFF<Bit>,
}

impl Logic for WordCount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, words, armed, arms, came, starts);
        self.arms.d.next = self.arm.val();
        self.came.d.next = self.word.val();
        self.starts.d.next = self.word.val() & self.start.val();
        if self.came.q.val() {
            self.words.d.next = self.words.q.val() + 1;
        }
        if self.starts.q.val() & self.armed.q.val() {
            self.words.d.next = 0.into();
            self.armed.d.next = false;
        }
        if self.arms.q.val() {
            self.armed.d.next = true;
        }
        self.count.next = self.words.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("position_words", &[])
    }
}

drive_ports!(impl[] WordCount { clock, arm, word, start, count });
