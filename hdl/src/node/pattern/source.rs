//! Source of numbered beats.

use super::{PatternBeat, BEAT_BITS};
use crate::prim::stream::StreamOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Offers beats 0, 1, 2, ... as a stream, one per clock while `ready`, with a pause of [`PatternSource::PAUSE`]
/// clocks, counted from the clock in which the last beat is offered, after every 64 beats, so that the link also
/// sees idle time.
///
/// The first beat is offered two clocks after `clear` falls. `clear` starts again from beat 0; while it is
/// high `valid` is low from the second clock on.
#[derive(LogicBlock)]
pub struct PatternSource {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats.
    pub beats: StreamOut<Bits<BEAT_BITS>>,
    pattern: PatternBeat,
    number: DFF<Bits<32>>,
    pause: DFF<Bits<4>>,
    valid: DFF<Bit>,
    data: DFF<Bits<BEAT_BITS>>,
    pause_length: Constant<Bits<4>>,
    free: Signal<Local, Bit>,
    pausing: Signal<Local, Bit>,
}

impl PatternSource {
    /// Clocks without a beat after every 64 beats.
    pub const PAUSE: u64 = 12;
}

impl Default for PatternSource {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            beats: Default::default(),
            pattern: Default::default(),
            number: Default::default(),
            pause: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            pause_length: Constant::new(Self::PAUSE.into()),
            free: Default::default(),
            pausing: Default::default(),
        }
    }
}

impl Logic for PatternSource {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, number, pause, valid, data);
        self.pattern.number.next = self.number.q.val();
        self.free.next = !self.valid.q.val() | self.beats.ready.val();
        self.pausing.next = self.pause.q.val().any();
        if self.pausing.val() {
            self.pause.d.next = self.pause.q.val() - 1;
        }
        if self.free.val() {
            self.valid.d.next = !self.pausing.val();
            self.data.d.next = self.pattern.beat.val();
            if !self.pausing.val() {
                self.number.d.next = self.number.q.val() + 1;
                if self.number.q.val().get_bits::<6>(0) == 63 {
                    self.pause.d.next = self.pause_length.val();
                }
            }
        }
        if self.clear.val() {
            self.number.d.next = 0.into();
            self.pause.d.next = 0.into();
            self.valid.d.next = false;
        }
        self.beats.valid.next = self.valid.q.val();
        self.beats.data.next = self.data.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("pattern_source", &[])
    }
}

drive_ports!(impl[] PatternSource { clock, clear, beats });
