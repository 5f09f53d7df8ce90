//! Which port carries which share.

use super::receive::INDEX_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use std::array;

/// The ports of the indices 0 to `B` - 1. Outputs are 1 clock behind the indices.
#[derive(LogicBlock)]
pub struct BondOrder<const B: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Index of what comes over each port.
    pub bond_index: [Signal<In, Bits<INDEX_BITS>>; B],
    /// Bit p of entry i: port p has the shares of index i.
    pub select: [Signal<Out, Bits<B>>; B],
    /// Every index has a port.
    pub ordered: Signal<Out, Bit>,
    chosen: [DFF<Bits<B>>; B],
    number: [Constant<Bits<INDEX_BITS>>; B],
    equal: Signal<Local, Bits<B>>,
    known: Signal<Local, Bits<B>>,
}

impl<const B: usize> Default for BondOrder<B> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            bond_index: defaults(),
            select: defaults(),
            ordered: Default::default(),
            chosen: defaults(),
            number: array::from_fn(|link| Constant::new((link as u64).into())),
            equal: Default::default(),
            known: Default::default(),
        }
    }
}

impl<const B: usize> Logic for BondOrder<B> {
    #[hdl_gen]
    fn update(&mut self) {
        self.known.next = 0.into();
        for i in 0..B {
            self.chosen[i].clock.next = self.clock.val();
            self.equal.next = 0.into();
            for p in 0..B {
                self.equal.next =
                    self.equal.val().replace_bit(p, self.bond_index[p].val() == self.number[i].val());
            }
            self.chosen[i].d.next = self.equal.val();
            self.select[i].next = self.chosen[i].q.val();
            self.known.next = self.known.val().replace_bit(i, self.chosen[i].q.val().any());
        }
        self.ordered.next = self.known.val().all();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bond_order", &[("links", B.to_string())])
    }
}

drive_ports!(impl[const B: usize] BondOrder<B> { clock, bond_index, select, ordered });
