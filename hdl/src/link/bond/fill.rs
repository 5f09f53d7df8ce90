//! How far ports are ahead of each other: BOND_SKEW.

use super::receive::{INDEX_BITS, SKEW_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use std::array;

/// The largest number of shares that waited for one of `B` ports, counted in `C` bits; `B` clocks behind it at most.
#[derive(LogicBlock)]
pub struct BondFill<const B: usize, const C: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing waits; the largest number stays.
    pub clear: Signal<In, Bit>,
    /// The largest number is 0.
    pub clear_counters: Signal<In, Bit>,
    /// A share is taken from these ports.
    pub come: Signal<In, Bits<B>>,
    /// A share of every port leaves.
    pub leave: Signal<In, Bit>,
    /// The largest number.
    pub skew: Signal<Out, Bits<SKEW_BITS>>,
    /// Shares that have come and not left, by port.
    fill: [DFF<Bits<C>>; B],
    most: [DFF<Bits<C>>; B],
    number: [Constant<Bits<INDEX_BITS>>; B],
    came: Signal<Local, Bit>,
    /// The port whose largest number is looked at.
    turn: DFF<Bits<INDEX_BITS>>,
    looked: Signal<Local, Bits<C>>,
    largest: DFF<Bits<C>>,
}

impl<const B: usize, const C: usize> Default for BondFill<B, C> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            clear_counters: Default::default(),
            come: Default::default(),
            leave: Default::default(),
            skew: Default::default(),
            fill: defaults(),
            most: defaults(),
            number: array::from_fn(|link| Constant::new((link as u64).into())),
            came: Default::default(),
            turn: Default::default(),
            looked: Default::default(),
            largest: Default::default(),
        }
    }
}

impl<const B: usize, const C: usize> Logic for BondFill<B, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, turn, largest);
        self.looked.next = 0.into();
        for i in 0..B {
            self.fill[i].clock.next = self.clock.val();
            self.most[i].clock.next = self.clock.val();
            self.came.next = self.come.val().get_bit(i);
            self.fill[i].d.next = self.fill[i].q.val();
            if self.came.val() & !self.leave.val() {
                self.fill[i].d.next = self.fill[i].q.val() + 1;
            }
            if !self.came.val() & self.leave.val() {
                self.fill[i].d.next = self.fill[i].q.val() - 1;
            }
            if self.clear.val() {
                self.fill[i].d.next = 0.into();
            }
            self.most[i].d.next = self.most[i].q.val();
            if self.fill[i].q.val() > self.most[i].q.val() {
                self.most[i].d.next = self.fill[i].q.val();
            }
            if self.clear_counters.val() {
                self.most[i].d.next = 0.into();
            }
            if self.turn.q.val() == self.number[i].val() {
                self.looked.next = self.most[i].q.val();
            }
        }
        self.turn.d.next = self.turn.q.val() + 1;
        if self.looked.val() > self.largest.q.val() {
            self.largest.d.next = self.looked.val();
        }
        if self.clear_counters.val() {
            self.largest.d.next = 0.into();
        }
        self.skew.next = bit_cast::<SKEW_BITS, C>(self.largest.q.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bond_fill", &[("links", B.to_string())])
    }
}

drive_ports!(impl[const B: usize, const C: usize] BondFill<B, C> { clock, clear, clear_counters, come, leave, skew });
