//! The receiver's stack.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Which of `M` lanes have a packet in progress, and in what order. One beat per clock: the lane it names goes to the top, a
/// lane whose packet ends is taken off it. What is said of the stack is said of it before the beat.
#[derive(LogicBlock)]
pub struct VlStack<const M: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The stack is empty.
    pub clear: Signal<In, Bit>,
    /// A beat counts on this edge.
    pub step: Signal<In, Bit>,
    /// The lane it names, or none.
    pub lane: Signal<In, Bits<M>>,
    /// It names one.
    pub names: Signal<In, Bit>,
    /// A packet ends with it.
    pub ends: Signal<In, Bit>,
    /// The lane on top, or none.
    pub top: Signal<Out, Bits<M>>,
    /// There is one.
    pub some: Signal<Out, Bit>,
    /// The lane that the beat names is in the stack.
    pub known: Signal<Out, Bit>,

    current: DFF<Bits<M>>,
    is_some: DFF<Bit>,
    /// Lanes below it.
    rest: DFF<Bits<M>>,
    /// Bit j of entry v: lane j lies above lane v, if both are in the stack.
    under: [DFF<Bits<M>>; M],
    next_above: Signal<Local, Bits<M>>,
    second: Signal<Local, Bits<M>>,
    is_top: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    others: Vec<Constant<Bits<M>>>,
}

impl<const M: usize> Default for VlStack<M> {
    fn default() -> Self {
        let all_but = |lane: usize| {
            (0..M).fold(Bits::<M>::default(), |bits, other| bits.replace_bit(other, other != lane))
        };
        Self {
            clock: Default::default(),
            clear: Default::default(),
            step: Default::default(),
            lane: Default::default(),
            names: Default::default(),
            ends: Default::default(),
            top: Default::default(),
            some: Default::default(),
            known: Default::default(),
            current: Default::default(),
            is_some: Default::default(),
            rest: Default::default(),
            under: defaults(),
            next_above: Default::default(),
            second: Default::default(),
            is_top: Default::default(),
            pops: Default::default(),
            others: (0..M).map(|lane| Constant::new(all_but(lane))).collect(),
        }
    }
}

impl<const M: usize> Logic for VlStack<M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, current, is_some, rest);
        self.top.next = self.current.q.val();
        self.some.next = self.is_some.q.val();
        self.known.next = (self.lane.val() & (self.current.q.val() | self.rest.q.val())).any();

        // The one that comes up when the top goes.
        self.second.next = 0.into();
        for v in 0..M {
            self.second.next = self.second.val().replace_bit(
                v,
                self.rest.q.val().get_bit(v) & !(self.under[v].q.val() & self.rest.q.val()).any(),
            );
        }
        self.is_top.next = (self.lane.val() & self.current.q.val()).any();
        self.pops.next = self.ends.val() & (!self.names.val() | self.is_top.val());

        // A lane that is named and ends was never there for the others.
        if self.step.val() {
            self.rest.d.next = self.rest.q.val() & !self.lane.val();
            if self.pops.val() {
                self.current.d.next = self.second.val();
                self.is_some.d.next = self.rest.q.val().any();
                self.rest.d.next = self.rest.q.val() & !self.lane.val() & !self.second.val();
            }
            if self.names.val() & !self.ends.val() {
                self.current.d.next = self.lane.val();
                self.is_some.d.next = true;
                self.rest.d.next = (self.rest.q.val() | self.current.q.val()) & !self.lane.val();
            }
        }
        if self.clear.val() {
            self.current.d.next = 0.into();
            self.is_some.d.next = false;
            self.rest.d.next = 0.into();
        }
        for v in 0..M {
            self.under[v].clock.next = self.clock.val();
            self.under[v].d.next = self.under[v].q.val();
            self.next_above.next = (self.under[v].q.val() | self.lane.val()) & self.others[v].val();
            if self.lane.val().get_bit(v) {
                self.next_above.next = 0.into();
            }
            if self.step.val() {
                self.under[v].d.next = self.next_above.val();
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_stack", &[("lanes", M.to_string())])
    }
}

drive_ports!(impl[const M: usize] VlStack<M> { clock, clear, step, lane, names, ends, top, some, known });
