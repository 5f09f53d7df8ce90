//! Which of two virtual lanes goes first.

use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of the PRIO of all lanes (register VL_ARB).
pub const PRIORITIES_BITS: usize = 64;

/// PRIO, ageing and round robin of `N` lanes as relations between two of them. PRIO is compared ahead, and who wins against whom is known when a
/// beat time begins: a change of PRIO counts from the third beat time on, an age with the next one.
#[derive(LogicBlock)]
pub struct VlRanks<const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Lane 0 has the next turn.
    pub clear: Signal<In, Bit>,
    /// PRIO of lane v in bits 4v+3..4v.
    pub priorities: Signal<In, Bits<PRIORITIES_BITS>>,
    /// A beat time ends on this edge.
    pub step: Signal<In, Bit>,
    /// Lanes that pass every PRIO but 15, from the next beat time on.
    pub aged: Signal<In, Bits<N>>,
    /// The lane whose beat goes with it, or none.
    pub sent: Signal<In, Bits<N>>,
    /// Bit j of entry v: lane j ranks above lane v in the next beat time.
    pub next_above: [Signal<Out, Bits<N>>; N],
    /// Bit j of entry v: lane j ranks above lane v, or equal and its turn comes first.
    pub wins: [Signal<Out, Bits<N>>; N],
    greater: [DFF<Bits<N>>; N],
    /// All, until PRIO is compared: one of two wins at any time.
    equal: [Register<Bits<N>>; N],
    top: DFF<Bits<N>>,
    /// Bit k: the lane that had the last beat is below k.
    below: DFF<Bits<N>>,
    winners: [Register<Bits<N>>; N],
    one: Signal<Local, Bits<4>>,
    other: Signal<Local, Bits<4>>,
    tops: Signal<Local, Bits<N>>,
    more: Signal<Local, Bits<N>>,
    same: Signal<Local, Bits<N>>,
    passed: Signal<Local, Bits<N>>,
    seen: Signal<Local, Bit>,
    next_below: Signal<Local, Bits<N>>,
    ranks_above: Signal<Local, Bits<N>>,
    ranks_equal: Signal<Local, Bits<N>>,
    turn: Signal<Local, Bits<N>>,
    /// Lanes below v, and all but v.
    lower: Vec<Constant<Bits<N>>>,
    others: Vec<Constant<Bits<N>>>,
}

impl<const N: usize> Default for VlRanks<N> {
    fn default() -> Self {
        let set = |member: &dyn Fn(usize) -> bool| {
            (0..N).fold(Bits::<N>::default(), |bits, lane| bits.replace_bit(lane, member(lane)))
        };
        let lower = |lane: usize| set(&|other| other < lane);
        Self {
            clock: Default::default(),
            clear: Default::default(),
            priorities: Default::default(),
            step: Default::default(),
            aged: Default::default(),
            sent: Default::default(),
            next_above: defaults(),
            wins: defaults(),
            greater: defaults(),
            equal: std::array::from_fn(|_| Register::new(set(&|_| true))),
            top: Default::default(),
            below: Default::default(),
            winners: std::array::from_fn(|lane| Register::new(lower(lane))),
            one: Default::default(),
            other: Default::default(),
            tops: Default::default(),
            more: Default::default(),
            same: Default::default(),
            passed: Default::default(),
            seen: Default::default(),
            next_below: Default::default(),
            ranks_above: Default::default(),
            ranks_equal: Default::default(),
            turn: Default::default(),
            lower: (0..N).map(|lane| Constant::new(lower(lane))).collect(),
            others: (0..N).map(|lane| Constant::new(set(&|other| other != lane))).collect(),
        }
    }
}

impl<const N: usize> Logic for VlRanks<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, top, below);
        self.tops.next = 0.into();
        for v in 0..N {
            self.greater[v].clock.next = self.clock.val();
            self.equal[v].clock.next = self.clock.val();
            self.equal[v].clear.next = false;
            self.equal[v].enable.next = true;
            self.one.next = self.priorities.val().get_bits::<4>(v * 4);
            self.tops.next = self.tops.val().replace_bit(v, self.one.val().all());
            self.more.next = 0.into();
            self.same.next = 0.into();
            for j in 0..N {
                self.other.next = self.priorities.val().get_bits::<4>(j * 4);
                self.more.next = self.more.val().replace_bit(j, self.other.val() > self.one.val());
                self.same.next = self.same.val().replace_bit(j, self.other.val() == self.one.val());
            }
            self.greater[v].d.next = self.more.val();
            self.equal[v].d.next = self.same.val();
        }
        self.top.d.next = self.tops.val();

        // Whose turn it is behind this beat time; bit k: no lane from k on has sent.
        self.seen.next = false;
        self.passed.next = 0.into();
        for v in 0..N {
            self.passed.next = self.passed.val().replace_bit(v, !self.seen.val());
            self.seen.next = self.seen.val() | self.sent.val().get_bit(v);
        }
        self.next_below.next = self.below.q.val();
        if self.sent.val().any() {
            self.next_below.next = !self.passed.val();
        }
        if self.step.val() {
            self.below.d.next = self.next_below.val();
        }
        if self.clear.val() {
            self.below.d.next = 0.into();
        }

        for v in 0..N {
            // PRIO 15 is above ageing, ageing above every other PRIO.
            self.ranks_above.next = self.greater[v].q.val() | self.aged.val();
            self.ranks_equal.next = self.equal[v].q.val() & !self.aged.val();
            if self.aged.val().get_bit(v) {
                self.ranks_above.next = 0.into();
                self.ranks_equal.next = self.aged.val();
            }
            self.ranks_equal.next = self.ranks_equal.val() & !self.top.q.val();
            self.ranks_above.next = self.ranks_above.val() | self.top.q.val();
            if self.top.q.val().get_bit(v) {
                self.ranks_above.next = 0.into();
                self.ranks_equal.next = self.top.q.val();
            }
            self.next_above[v].next = self.ranks_above.val() & self.others[v].val();
            // Behind the lane that had the last beat, upwards, and around.
            self.turn.next = self.next_below.val() & self.lower[v].val();
            if !self.next_below.val().get_bit(v) {
                self.turn.next = self.next_below.val() | self.lower[v].val();
            }
            self.winners[v].clock.next = self.clock.val();
            self.winners[v].clear.next = self.clear.val();
            self.winners[v].enable.next = self.step.val();
            self.winners[v].d.next =
                (self.ranks_above.val() | (self.ranks_equal.val() & self.turn.val())) & self.others[v].val();
            self.wins[v].next = self.winners[v].q.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_ranks", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] VlRanks<N> {
    clock, clear, priorities, step, aged, sent, next_above, wins,
});
