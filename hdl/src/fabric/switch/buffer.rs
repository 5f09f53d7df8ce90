//! The buffer of one virtual lane: a FIFO whose first words pass its RAM when nothing waits in it.

use crate::config::ConfigError;
use crate::prim::fifo::Fifo;
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Skid;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// At least 2^`B` words of `W` bits in block RAM, `C` = `B` + 1. Latency 1 clock when empty; one word per clock on both sides.
#[derive(LogicBlock)]
pub struct SwitchBuffer<const W: usize, const B: usize, const C: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Empties it.
    pub clear: Signal<In, Bit>,
    /// Words in.
    pub words_in: StreamIn<Bits<W>>,
    /// The first word.
    pub front: StreamOut<Bits<W>>,
    /// No word is in it, and none was in its RAM a clock ago: the next one is at the front a clock later.
    pub empty: Signal<Out, Bit>,

    behind: Fifo<Bits<W>, B, C>,
    /// Two words at the front: what is taken there does not reach the RAM in the same clock.
    first: Skid<Bits<W>>,
    /// Words behind the front, and whether there were any a clock ago.
    count: DFF<Bits<C>>,
    some: DFF<Bit>,
    passes: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    pushed: Signal<Local, Bit>,
    popped: Signal<Local, Bit>,
    one: Constant<Bits<C>>,
}

impl<const W: usize, const B: usize, const C: usize> SwitchBuffer<W, B, C> {
    /// An empty buffer.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            words_in: Default::default(),
            front: Default::default(),
            empty: Default::default(),
            behind: Fifo::new()?,
            first: Default::default(),
            count: Default::default(),
            some: Default::default(),
            passes: Default::default(),
            taken: Default::default(),
            pushed: Default::default(),
            popped: Default::default(),
            one: Constant::new(1.into()),
        })
    }
}

impl<const W: usize, const B: usize, const C: usize> Logic for SwitchBuffer<W, B, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, some);
        clock!(self, clock, behind, first);
        self.behind.clear.next = self.clear.val();
        self.first.clear.next = self.clear.val();
        self.passes.next = self.first.has_room.val() & !self.some.q.val();

        self.words_in.ready.next = self.behind.words_in.ready.val();
        self.taken.next = self.words_in.valid.val() & self.behind.words_in.ready.val();
        self.behind.words_in.data.next = self.words_in.data.val();
        self.behind.words_in.valid.next = self.words_in.valid.val() & !self.passes.val();
        self.behind.words_out.ready.next = self.first.has_room.val();
        self.pushed.next = self.taken.val() & !self.passes.val();
        self.popped.next = self.behind.words_out.valid.val() & self.first.has_room.val();

        self.first.words_in.data.next = self.words_in.data.val();
        self.first.words_in.valid.next = self.taken.val();
        if self.some.q.val() {
            self.first.words_in.data.next = self.behind.words_out.data.val();
            self.first.words_in.valid.next = self.behind.words_out.valid.val();
        }
        if self.pushed.val() & !self.popped.val() {
            self.count.d.next = self.count.q.val() + self.one.val();
        }
        if self.popped.val() & !self.pushed.val() {
            self.count.d.next = self.count.q.val() - self.one.val();
        }
        self.some.d.next = self.count.q.val().any() | self.pushed.val();
        if self.clear.val() {
            self.count.d.next = 0.into();
            self.some.d.next = false;
        }
        StreamOut::<Bits<W>>::link(&mut self.front, &mut self.first.words_out);
        self.empty.next = !self.first.words_out.valid.val() & !self.some.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_buffer", &[("width", W.to_string()), ("depth", (1usize << B).to_string())])
    }
}

drive_ports!(impl[const W: usize, const B: usize, const C: usize] SwitchBuffer<W, B, C> {
    clock, clear, words_in, front, empty,
});
