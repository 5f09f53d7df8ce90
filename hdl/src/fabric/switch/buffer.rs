//! The buffer of one virtual lane: a FIFO whose first word passes its RAM when nothing waits in it.

use crate::config::ConfigError;
use crate::prim::fifo::Fifo;
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Register;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

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
    word: Register<Bits<W>>,
    there: DFF<Bit>,
    /// Words behind the front, and whether there were any a clock ago.
    count: DFF<Bits<C>>,
    some: DFF<Bit>,
    moves: Signal<Local, Bit>,
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
            word: Default::default(),
            there: Default::default(),
            count: Default::default(),
            some: Default::default(),
            moves: Default::default(),
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
        dff_setup!(self, clock, there, count, some);
        clock!(self, clock, behind, word);
        self.behind.clear.next = self.clear.val();
        self.word.clear.next = false;
        self.moves.next = !self.there.q.val() | self.front.ready.val();
        self.passes.next = self.moves.val() & !self.some.q.val();

        self.words_in.ready.next = self.behind.words_in.ready.val();
        self.taken.next = self.words_in.valid.val() & self.behind.words_in.ready.val();
        self.behind.words_in.data.next = self.words_in.data.val();
        self.behind.words_in.valid.next = self.words_in.valid.val() & !self.passes.val();
        self.behind.words_out.ready.next = self.moves.val();
        self.pushed.next = self.taken.val() & !self.passes.val();
        self.popped.next = self.behind.words_out.valid.val() & self.moves.val();

        self.word.enable.next = self.moves.val();
        self.word.d.next = self.words_in.data.val();
        if self.some.q.val() {
            self.word.d.next = self.behind.words_out.data.val();
        }
        if self.moves.val() {
            self.there.d.next = self.popped.val() | (self.taken.val() & self.passes.val());
        }
        if self.pushed.val() & !self.popped.val() {
            self.count.d.next = self.count.q.val() + self.one.val();
        }
        if self.popped.val() & !self.pushed.val() {
            self.count.d.next = self.count.q.val() - self.one.val();
        }
        self.some.d.next = self.count.q.val().any() | self.pushed.val();
        if self.clear.val() {
            self.there.d.next = false;
            self.count.d.next = 0.into();
            self.some.d.next = false;
        }
        self.front.data.next = self.word.q.val();
        self.front.valid.next = self.there.q.val();
        self.empty.next = !self.there.q.val() & !self.some.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_buffer", &[("width", W.to_string()), ("depth", (1usize << B).to_string())])
    }
}

drive_ports!(impl[const W: usize, const B: usize, const C: usize] SwitchBuffer<W, B, C> {
    clock, clear, words_in, front, empty,
});
