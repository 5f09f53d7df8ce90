//! The frame pair: where words begin, and of which kind they are.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::{FRAMES_TO_LOCK, FRAME_CONTROL, FRAME_DATA};

/// Bits kept of a pair: a word, and one more because a word may begin with either bit of a clock.
pub(super) const PAST_BITS: usize = 33;

/// Finds the word boundary in the frame pair and keeps to it.
///
/// Without a boundary, the next rising edge is taken for one. The frame word behind it and the three that follow must be
/// whole; then the receiver is locked. A bad one before that begins the search again, as do four in a row when locked.
///
/// `phase` counts the 16 clocks of a word: in the clock with `phase` 15 the frame word is complete in the last bits that
/// came, or, if `odd`, in those without the very last. Its kind and the lock are known from `phase` 2 on.
#[derive(LogicBlock)]
pub struct LvdsFrame {
    /// Bit clock that came with the data.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: searches.
    pub clear: Signal<In, Bit>,
    /// Two bits, bit 0 first.
    pub pair: Signal<In, Bits<2>>,
    /// Clock of the word.
    pub phase: Signal<Out, Bits<4>>,
    /// Words begin with the second bit of a clock.
    pub odd: Signal<Out, Bit>,
    /// The boundary is known for sure.
    pub locked: Signal<Out, Bit>,
    /// The last frame word was that of control words.
    pub control: Signal<Out, Bit>,
    /// The last frame word was neither.
    pub bad: Signal<Out, Bit>,
    past: DFF<Bits<PAST_BITS>>,
    count: DFF<Bits<4>>,
    is_odd: DFF<Bit>,
    found: DFF<Bit>,
    fresh: DFF<Bit>,
    word: DFF<Bits<32>>,
    came: DFF<Bit>,
    is_control: DFF<Bit>,
    is_bad: DFF<Bit>,
    judged: DFF<Bit>,
    is_locked: DFF<Bit>,
    run: DFF<Bits<2>>,
    data_frame: Constant<Bits<32>>,
    control_frame: Constant<Bits<32>>,
    enough: Constant<Bits<2>>,
    first_rises: Signal<Local, Bit>,
    second_rises: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    search: Signal<Local, Bit>,
}

impl Default for LvdsFrame {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            pair: Default::default(),
            phase: Default::default(),
            odd: Default::default(),
            locked: Default::default(),
            control: Default::default(),
            bad: Default::default(),
            past: Default::default(),
            count: Default::default(),
            is_odd: Default::default(),
            found: Default::default(),
            fresh: Default::default(),
            word: Default::default(),
            came: Default::default(),
            is_control: Default::default(),
            is_bad: Default::default(),
            judged: Default::default(),
            is_locked: Default::default(),
            run: Default::default(),
            data_frame: Constant::new(u64::from(FRAME_DATA).into()),
            control_frame: Constant::new(u64::from(FRAME_CONTROL).into()),
            enough: Constant::new(u64::from(FRAMES_TO_LOCK - 1).into()),
            first_rises: Default::default(),
            second_rises: Default::default(),
            complete: Default::default(),
            search: Default::default(),
        }
    }
}

impl Logic for LvdsFrame {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, past, count, is_odd, found, fresh, word, came);
        dff_setup!(self, clock, is_control, is_bad, judged, is_locked, run);
        self.past.d.next = (self.past.q.val() >> 2) | (bit_cast::<PAST_BITS, 2>(self.pair.val()) << 31);
        self.first_rises.next = !self.past.q.val().get_bit(32) & self.pair.val().get_bit(0);
        self.second_rises.next = !self.pair.val().get_bit(0) & self.pair.val().get_bit(1);

        self.search.next = !self.found.q.val() & (self.first_rises.val() | self.second_rises.val());
        self.count.d.next = self.count.q.val() + 1;
        self.fresh.d.next = self.search.val();
        if self.search.val() {
            self.found.d.next = true;
            self.is_odd.d.next = self.second_rises.val();
            self.count.d.next = 0.into();
            if self.second_rises.val() {
                self.count.d.next = 15.into();
            }
        }

        // The frame word, one clock later its kind, one more the verdict.
        self.complete.next = (self.count.q.val().all() & self.found.q.val()) & !self.fresh.q.val();
        self.came.d.next = self.complete.val();
        if self.complete.val() {
            self.word.d.next = self.past.q.val().get_bits::<32>(1);
            if self.is_odd.q.val() {
                self.word.d.next = self.past.q.val().get_bits::<32>(0);
            }
        }
        self.judged.d.next = self.came.q.val();
        if self.came.q.val() {
            self.is_control.d.next = self.word.q.val() == self.control_frame.val();
            self.is_bad.d.next = (self.word.q.val() != self.control_frame.val())
                & (self.word.q.val() != self.data_frame.val());
        }
        if self.judged.q.val() {
            self.run.d.next = 0.into();
            if self.is_bad.q.val() == self.is_locked.q.val() {
                self.run.d.next = self.run.q.val() + 1;
                if self.run.q.val() == self.enough.val() {
                    self.run.d.next = 0.into();
                    self.is_locked.d.next = !self.is_locked.q.val();
                    self.found.d.next = !self.is_locked.q.val();
                }
            }
            if self.is_bad.q.val() & !self.is_locked.q.val() {
                self.found.d.next = false;
            }
        }
        if self.clear.val() {
            self.found.d.next = false;
            self.is_locked.d.next = false;
            self.run.d.next = 0.into();
            self.came.d.next = false;
            self.judged.d.next = false;
        }
        self.phase.next = self.count.q.val();
        self.odd.next = self.is_odd.q.val();
        self.locked.next = self.is_locked.q.val();
        self.control.next = self.is_control.q.val();
        self.bad.next = self.is_bad.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lvds_frame", &[])
    }
}

drive_ports!(impl[] LvdsFrame { clock, clear, pair, phase, odd, locked, control, bad });
