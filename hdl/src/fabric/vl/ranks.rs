//! Which of two virtual lanes goes first.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

/// Bits of the PRIO of all lanes (register VL_ARB).
pub const PRIORITIES_BITS: usize = 64;

/// PRIO, ageing and round robin of `N` lanes as relations between two of them. PRIO is compared ahead, so that a change counts from the next
/// clock on.
#[derive(LogicBlock)]
pub struct VlRanks<const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// PRIO of lane v in bits 4v+3..4v.
    pub priorities: Signal<In, Bits<PRIORITIES_BITS>>,
    /// Lanes that pass every PRIO but 15.
    pub aged: Signal<In, Bits<N>>,
    /// Bit k: the lane that had the last beat is k or above.
    pub last: Signal<In, Bits<N>>,
    /// Bit j of entry v: lane j ranks above lane v.
    pub above: [Signal<Out, Bits<N>>; N],
    /// Bit j of entry v: lane j ranks above lane v, or equal and its turn comes first.
    pub wins: [Signal<Out, Bits<N>>; N],
    greater: [DFF<Bits<N>>; N],
    equal: [DFF<Bits<N>>; N],
    top: DFF<Bits<N>>,
    one: Signal<Local, Bits<4>>,
    other: Signal<Local, Bits<4>>,
    tops: Signal<Local, Bits<N>>,
    more: Signal<Local, Bits<N>>,
    same: Signal<Local, Bits<N>>,
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
        Self {
            clock: Default::default(),
            priorities: Default::default(),
            aged: Default::default(),
            last: Default::default(),
            above: std::array::from_fn(|_| Default::default()),
            wins: std::array::from_fn(|_| Default::default()),
            greater: std::array::from_fn(|_| Default::default()),
            equal: std::array::from_fn(|_| Default::default()),
            top: Default::default(),
            one: Default::default(),
            other: Default::default(),
            tops: Default::default(),
            more: Default::default(),
            same: Default::default(),
            ranks_above: Default::default(),
            ranks_equal: Default::default(),
            turn: Default::default(),
            lower: (0..N).map(|lane| Constant::new(set(&|other| other < lane))).collect(),
            others: (0..N).map(|lane| Constant::new(set(&|other| other != lane))).collect(),
        }
    }
}

impl<const N: usize> Logic for VlRanks<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, top);
        self.tops.next = 0.into();
        for v in 0..N {
            self.greater[v].clock.next = self.clock.val();
            self.equal[v].clock.next = self.clock.val();
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
            // Behind the lane that had the last beat, upwards, and around.
            self.turn.next = 0.into();
            if self.last.val().get_bit(v) {
                self.turn.next = !self.last.val() | self.lower[v].val();
            } else {
                self.turn.next = !self.last.val() & self.lower[v].val();
            }
            self.above[v].next = self.ranks_above.val() & self.others[v].val();
            self.wins[v].next =
                (self.ranks_above.val() | (self.ranks_equal.val() & self.turn.val())) & self.others[v].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_ranks", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] VlRanks<N> { clock, priorities, aged, last, above, wins });
