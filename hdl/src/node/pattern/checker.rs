//! Checker of numbered beats.

use super::{PatternBeat, BEAT_BITS};
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Groups of bits compared in one pipeline stage.
const GROUPS: usize = 10;
/// Bits of a group.
const GROUP_BITS: usize = BEAT_BITS / GROUPS;

/// Compares every beat with the one its number calls for, and the number with that of the beat before.
///
/// `good`, `wrong` and `gap` are pulses of one clock, three clocks after the beat: `good` a beat with the right
/// content, `wrong` one with another content, `gap` a beat whose number does not follow the one before (after
/// clear, the first must be 0). `clear` empties the pipeline and expects beat 0.
#[derive(LogicBlock, Default)]
pub struct PatternChecker {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats to check.
    pub beats: FlowIn<Bits<BEAT_BITS>>,
    /// A beat with the right content.
    pub good: Signal<Out, Bit>,
    /// A beat with another content than its number calls for.
    pub wrong: Signal<Out, Bit>,
    /// A beat whose number does not follow the one before.
    pub gap: Signal<Out, Bit>,
    pattern: PatternBeat,
    beat: DFF<Bits<BEAT_BITS>>,
    beat_valid: DFF<Bit>,
    following: DFF<Bits<32>>,
    different: DFF<Bits<GROUPS>>,
    jump: DFF<Bits<4>>,
    compared: DFF<Bit>,
    good_now: DFF<Bit>,
    wrong_now: DFF<Bit>,
    gap_now: DFF<Bit>,
    difference: Signal<Local, Bits<BEAT_BITS>>,
    different_next: Signal<Local, Bits<GROUPS>>,
    distance: Signal<Local, Bits<32>>,
    jump_next: Signal<Local, Bits<4>>,
}

impl Logic for PatternChecker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, beat, beat_valid, following, different, jump, compared, good_now, wrong_now, gap_now
        );
        self.beat.d.next = self.beats.data.val();
        self.beat_valid.d.next = self.beats.valid.val();

        self.pattern.number.next = self.beat.q.val().get_bits::<32>(0);
        self.difference.next = self.beat.q.val() ^ self.pattern.beat.val();
        self.different_next.next = 0.into();
        for i in 0..10 {
            self.different_next.next = self
                .different_next
                .val()
                .replace_bit(i, self.difference.val().get_bits::<GROUP_BITS>(i * 13).any());
        }
        self.different.d.next = self.different_next.val();
        self.distance.next = self.following.q.val() ^ self.beat.q.val().get_bits::<32>(0);
        self.jump_next.next = 0.into();
        for i in 0..4 {
            self.jump_next.next =
                self.jump_next.val().replace_bit(i, self.distance.val().get_bits::<8>(i * 8).any());
        }
        self.jump.d.next = self.jump_next.val();
        self.compared.d.next = self.beat_valid.q.val();
        if self.beat_valid.q.val() {
            self.following.d.next = self.beat.q.val().get_bits::<32>(0) + 1;
        }

        self.good_now.d.next = self.compared.q.val() & !self.different.q.val().any();
        self.wrong_now.d.next = self.compared.q.val() & self.different.q.val().any();
        self.gap_now.d.next = self.compared.q.val() & self.jump.q.val().any();
        if self.clear.val() {
            self.beat_valid.d.next = false;
            self.following.d.next = 0.into();
            self.compared.d.next = false;
            self.good_now.d.next = false;
            self.wrong_now.d.next = false;
            self.gap_now.d.next = false;
        }
        self.good.next = self.good_now.q.val();
        self.wrong.next = self.wrong_now.q.val();
        self.gap.next = self.gap_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("pattern_checker", &[])
    }
}

drive_ports!(impl[] PatternChecker { clock, clear, beats, good, wrong, gap });
