//! The sender.

use super::chooser::{VlChooser, RUN_BITS};
use super::intake::VlIntake;
use super::ranks::PRIORITIES_BITS;
use super::waits::AGE_BITS;
use crate::config::{check_derived, check_one_of, check_range, ConfigError};
use crate::prim::stream::{StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{control, vl_mrkr, Opcode, FLIT_BITS};
use flitforge_protocol::link_registers::MAX_VLS;

/// `fab_vl_tx`: `N` virtual lanes on the beats of one link, `FLITS_W` = 65 `F` bits; see the [module](super).
#[derive(LogicBlock)]
pub struct VlTx<const F: usize, const FLITS_W: usize, const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats of packets, one stream per lane.
    pub lanes_in: [StreamIn<Bits<FLITS_W>>; N],
    /// The beat a lane offers ends a packet: a Tail or TailBad is in it.
    pub ends: Signal<In, Bits<N>>,
    /// There is credit for the beat a lane offers.
    pub credit: Signal<In, Bits<N>>,
    /// PRIO of lane v in bits 4v+3..4v (register VL_ARB).
    pub priorities: Signal<In, Bits<PRIORITIES_BITS>>,
    /// PREEMPT by lane (register VL_EN).
    pub preempt: Signal<In, Bits<MAX_VLS>>,
    /// BUBBLE by lane.
    pub bubble: Signal<In, Bits<MAX_VLS>>,
    /// MIN_RUN, beat times.
    pub min_run: Signal<In, Bits<RUN_BITS>>,
    /// AGE, beat times; 0: off.
    pub age: Signal<In, Bits<AGE_BITS>>,
    /// Lanes whose beat is taken on this edge.
    pub sent: Signal<Out, Bits<N>>,
    /// It ends a packet.
    pub sent_ends: Signal<Out, Bits<N>>,
    /// Lanes with a beat that waits for its turn.
    pub waiting: Signal<Out, Bits<N>>,
    /// Beats of all lanes, and markers.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    chooser: VlChooser<N>,
    intake: [VlIntake<FLITS_W>; N],
    held: [DFF<Bits<FLITS_W>>; N],
    chosen: DFF<Bits<N>>,
    marks: DFF<Bit>,
    valid: DFF<Bit>,
    moves: Signal<Local, Bit>,
    goes: Signal<Local, Bits<N>>,
    offers: Signal<Local, Bits<N>>,
    closes: Signal<Local, Bits<N>>,
    taken: Signal<Local, Bits<N>>,
    taken_ends: Signal<Local, Bits<N>>,
    joined: Signal<Local, Bits<FLITS_W>>,
    nothing: Constant<Bits<FLITS_W>>,
    marker: Vec<Constant<Bits<FLITS_W>>>,
}

impl<const F: usize, const FLITS_W: usize, const N: usize> VlTx<F, FLITS_W, N> {
    /// A sender, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let name = "fab_vl_tx";
        check_one_of(name, "flits", F as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_derived(name, "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        check_range(name, "lanes", N as u64, 1, MAX_VLS as u64)?;
        let marker = |lane: usize| {
            let payload = vl_mrkr::vl::FIELD.set(0, lane as u64);
            let word = control::opcode::FIELD.set(payload, Opcode::VlMrkr.code().into());
            (0..FLIT_BITS)
                .fold(Bits::<FLITS_W>::default(), |bits, bit| bits.replace_bit(bit, word >> bit & 1 == 1))
        };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            lanes_in: defaults(),
            ends: Default::default(),
            credit: Default::default(),
            priorities: Default::default(),
            preempt: Default::default(),
            bubble: Default::default(),
            min_run: Default::default(),
            age: Default::default(),
            sent: Default::default(),
            sent_ends: Default::default(),
            waiting: Default::default(),
            beats_out: Default::default(),
            chooser: Default::default(),
            intake: defaults(),
            held: defaults(),
            chosen: Default::default(),
            marks: Default::default(),
            valid: Default::default(),
            moves: Default::default(),
            goes: Default::default(),
            offers: Default::default(),
            closes: Default::default(),
            taken: Default::default(),
            taken_ends: Default::default(),
            joined: Default::default(),
            nothing: Constant::new(Bits::default()),
            marker: (0..N).map(|lane| Constant::new(marker(lane))).collect(),
        })
    }
}

impl<const F: usize, const FLITS_W: usize, const N: usize> Logic for VlTx<F, FLITS_W, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, chosen, marks, valid);
        clock!(self, clock, chooser);
        self.moves.next = !self.valid.q.val() | self.beats_out.ready.val();

        // What the lanes have.
        self.offers.next = 0.into();
        self.closes.next = 0.into();
        self.taken.next = 0.into();
        self.taken_ends.next = 0.into();
        for v in 0..N {
            self.intake[v].clock.next = self.clock.val();
            self.intake[v].clear.next = self.clear.val();
            StreamIn::<Bits<FLITS_W>>::link(&mut self.lanes_in[v], &mut self.intake[v].beats_in);
            self.intake[v].ends.next = self.ends.val().get_bit(v);
            self.intake[v].credit.next = self.credit.val().get_bit(v);
            self.offers.next = self.offers.val().replace_bit(v, self.intake[v].offers.val());
            self.closes.next = self.closes.val().replace_bit(v, self.intake[v].closes.val());
            self.taken.next = self.taken.val().replace_bit(v, self.intake[v].takes.val());
            self.taken_ends.next = self.taken_ends.val().replace_bit(v, self.intake[v].takes_end.val());
        }
        self.sent.next = self.taken.val();
        self.sent_ends.next = self.taken_ends.val();
        self.waiting.next = self.offers.val();
        self.chooser.clear.next = self.clear.val();
        self.chooser.priorities.next = self.priorities.val();
        self.chooser.preempt.next = self.preempt.val();
        self.chooser.bubble.next = self.bubble.val();
        self.chooser.min_run.next = self.min_run.val();
        self.chooser.age.next = self.age.val();
        self.chooser.step.next = self.moves.val();
        self.chooser.offers.next = self.offers.val();
        self.chooser.closes.next = self.closes.val();

        // The beat of each is kept, the choice behind them.
        self.goes.next = 0.into();
        if self.moves.val() {
            self.goes.next = self.chooser.taken.val();
        }
        for v in 0..N {
            self.intake[v].goes.next = self.goes.val().get_bit(v);
            self.held[v].clock.next = self.clock.val();
            self.held[v].d.next = self.held[v].q.val();
            if self.moves.val() {
                self.held[v].d.next = self.intake[v].beat.val();
            }
        }
        if self.moves.val() {
            self.chosen.d.next = self.chooser.chosen.val();
            self.marks.d.next = self.chooser.marks.val();
            self.valid.d.next = self.chooser.any.val();
        }
        if self.clear.val() {
            self.valid.d.next = false;
        }
        self.joined.next = self.nothing.val();
        for v in 0..N {
            if self.chosen.q.val().get_bit(v) {
                if self.marks.q.val() {
                    self.joined.next = self.joined.val() | self.marker[v].val();
                } else {
                    self.joined.next = self.joined.val() | self.held[v].q.val();
                }
            }
        }
        self.beats_out.data.next = self.joined.val();
        self.beats_out.valid.next = self.valid.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_vl_tx", &[("f", F.to_string()), ("lanes", N.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const N: usize] VlTx<F, FLITS_W, N> {
    clock, clear, lanes_in, ends, credit, priorities, preempt, bubble, min_run, age, sent, sent_ends,
    waiting, beats_out,
});
