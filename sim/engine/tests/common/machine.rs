//! A block with an enumeration, a struct, a bundle and a child, for waveforms.

use super::{Counter, StreamIn, StreamOut};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::drive_ports;
use rust_hdl::prelude::*;

#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
pub enum Phase {
    Idle,
    Load,
    Busy,
}

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
pub struct Slot {
    pub valid: Bit,
    pub data: Bits<6>,
}

/// Takes a word, keeps it for a clock, then offers it.
#[derive(LogicBlock)]
pub struct Machine {
    pub clock: Signal<In, Clock>,
    pub words_in: StreamIn<Bits<6>>,
    pub words_out: StreamOut<Bits<6>>,
    pub busy: Signal<Out, Bit>,
    phase: DFF<Phase>,
    slot: DFF<Slot>,
    coming: Signal<Local, Slot>,
    counter: Counter<8>,
}

impl Machine {
    pub fn boxed() -> Box<dyn DriveBlock> {
        Box::new(Self {
            clock: Default::default(),
            words_in: Default::default(),
            words_out: Default::default(),
            busy: Default::default(),
            phase: Default::default(),
            slot: Default::default(),
            coming: Default::default(),
            counter: Counter::new(),
        })
    }
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, slot);
        self.counter.clock.next = self.clock.val();
        self.counter.clear.next = false;
        self.counter.enable.next = self.words_in.valid.val();
        self.coming.next = self.slot.q.val();
        self.words_in.ready.next = self.phase.q.val() == Phase::Idle;
        self.words_out.data.next = self.slot.q.val().data;
        self.words_out.valid.next = self.phase.q.val() == Phase::Busy;
        self.busy.next = self.phase.q.val() != Phase::Idle;
        match self.phase.q.val() {
            Phase::Idle => {
                if self.words_in.valid.val() {
                    self.coming.next.data = self.words_in.data.val();
                    self.coming.next.valid = true;
                    self.phase.d.next = Phase::Load;
                }
            }
            Phase::Load => {
                self.phase.d.next = Phase::Busy;
            }
            Phase::Busy => {
                if self.words_out.ready.val() {
                    self.coming.next.valid = false;
                    self.phase.d.next = Phase::Idle;
                }
            }
        }
        self.slot.d.next = self.coming.val();
    }
}
drive_ports!(impl[] Machine { clock, words_in, words_out, busy });
