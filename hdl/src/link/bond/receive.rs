//! Shares to wide beats.

use super::{BondFill, BondOrder, BondUnmark};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::prim::{Fifo, Register, Skid};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::training_set_0;
use flitforge_protocol::link_registers::bond_skew;
use std::array;

/// Bits of a bond index.
pub const INDEX_BITS: usize = training_set_0::bond::WIDTH;
/// Bits of BOND_SKEW.
pub const SKEW_BITS: usize = bond_skew::fill::WIDTH;

macro_rules! bond_rx {
    ($name:ident, $flits:tt, $bits:tt) => {
        /// Puts the shares of `B` ports together to wide beats of `W` bits; 2^`A` = 16 R / F, `C` = `A` + 1. See the [module](super). Latency 6
        /// clocks from the last share.
        #[derive(LogicBlock)]
        pub struct $name<const B: usize, const W: usize, const A: usize, const C: usize> {
            /// Rising edge counts.
            pub clock: Signal<In, Clock>,
            /// Drops the shares that wait.
            pub clear: Signal<In, Bit>,
            /// `skew` starts at 0.
            pub clear_counters: Signal<In, Bit>,
            /// To which port the other end deals what comes over this one.
            pub bond_index: [Signal<In, Bits<INDEX_BITS>>; B],
            /// Shares, by port.
            pub shares_in: [FlowIn<Bits<$bits>>; B],
            /// Wide beats.
            pub flits_out: FlowOut<Bits<W>>,
            /// The indices are those of `B` ports, each once; 1 clock behind them.
            pub ordered: Signal<Out, Bit>,
            /// Event, 1 clock behind the share: it found its FIFO full and is lost.
            pub overflow: Signal<Out, Bit>,
            /// BOND_SKEW.
            pub skew: Signal<Out, Bits<SKEW_BITS>>,
            unmark: [BondUnmark<$flits, $bits>; B],
            door: [Skid<Bits<$bits>>; B],
            fifo: [Fifo<Bits<$bits>, A, C>; B],
            order: BondOrder<B>,
            shift: [Constant<Bits<11>>; B],
            picked: Signal<Local, Bits<$bits>>,
            joined: Signal<Local, Bits<W>>,
            there: Signal<Local, Bits<B>>,
            open: Signal<Local, Bit>,
            comes: Signal<Local, Bit>,
            leaves: Signal<Local, Bit>,
            wide: Register<Bits<W>>,
            wide_valid: DFF<Bit>,
            lost: Signal<Local, Bits<B>>,
            lost_before: DFF<Bit>,
            come: Signal<Local, Bits<B>>,
            fill: BondFill<B, C>,
        }

        impl<const B: usize, const W: usize, const A: usize, const C: usize> $name<B, W, A, C> {
            /// Empty, or the reason why not.
            pub fn new() -> Result<Self, ConfigError> {
                let fifo: Result<Vec<_>, _> = (0..B).map(|_| Fifo::new()).collect();
                let fifo = fifo?.try_into().map_err(|_| {
                    ConfigError::new("link_bond", "links", B, "as many FIFOs as ports", "report this")
                })?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    clear_counters: Default::default(),
                    bond_index: defaults(),
                    shares_in: defaults(),
                    flits_out: Default::default(),
                    ordered: Default::default(),
                    overflow: Default::default(),
                    skew: Default::default(),
                    unmark: defaults(),
                    door: defaults(),
                    fifo,
                    order: BondOrder::default(),
                    shift: array::from_fn(|link| Constant::new((link as u64 * $bits).into())),
                    picked: Default::default(),
                    joined: Default::default(),
                    there: Default::default(),
                    open: Default::default(),
                    comes: Default::default(),
                    leaves: Default::default(),
                    wide: Default::default(),
                    wide_valid: Default::default(),
                    lost: Default::default(),
                    lost_before: Default::default(),
                    come: Default::default(),
                    fill: BondFill::default(),
                })
            }
        }

        impl<const B: usize, const W: usize, const A: usize, const C: usize> Logic for $name<B, W, A, C> {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, wide_valid, lost_before);
                clock!(self, clock, wide, order, fill);
                // Shares in.
                self.lost.next = 0.into();
                self.come.next = 0.into();
                self.there.next = 0.into();
                for i in 0..B {
                    self.order.bond_index[i].next = self.bond_index[i].val();
                    self.unmark[i].marked.next = self.shares_in[i].data.val();
                    self.door[i].clock.next = self.clock.val();
                    self.door[i].clear.next = self.clear.val();
                    self.door[i].words_in.valid.next = self.shares_in[i].valid.val();
                    self.door[i].words_in.data.next = self.unmark[i].share.val();
                    // The doors are shut while they are cleared.
                    self.open.next = self.door[i].words_in.ready.val();
                    self.comes.next = self.shares_in[i].valid.val() & !self.clear.val();
                    self.come.next = self.come.val().replace_bit(i, self.comes.val() & self.open.val());
                    self.lost.next = self.lost.val().replace_bit(i, self.comes.val() & !self.open.val());
                    self.fifo[i].clock.next = self.clock.val();
                    self.fifo[i].clear.next = self.clear.val();
                    StreamOut::<Bits<$bits>>::join(
                        &mut self.door[i].words_out,
                        &mut self.fifo[i].words_in,
                    );
                    self.there.next = self.there.val().replace_bit(i, self.fifo[i].words_out.valid.val());
                }
                self.lost_before.d.next = self.lost.val().any();
                self.overflow.next = self.lost_before.q.val();
                self.ordered.next = self.order.ordered.val();

                // Wide beats out.
                self.leaves.next = self.there.val().all() & self.order.ordered.val() & !self.clear.val();
                self.joined.next = 0.into();
                for i in 0..B {
                    self.fifo[i].words_out.ready.next = self.leaves.val();
                    self.picked.next = 0.into();
                    for p in 0..B {
                        if self.order.select[i].val().get_bit(p) {
                            self.picked.next = self.picked.val() | self.fifo[p].words_out.data.val();
                        }
                    }
                    self.joined.next = self.joined.val()
                        | (bit_cast::<W, $bits>(self.picked.val()) << self.shift[i].val());
                }
                self.wide.clear.next = false;
                self.wide.enable.next = true;
                self.wide.d.next = self.joined.val();
                self.wide_valid.d.next = self.leaves.val();
                self.flits_out.valid.next = self.wide_valid.q.val();
                self.flits_out.data.next = self.wide.q.val();

                self.fill.clear.next = self.clear.val();
                self.fill.clear_counters.next = self.clear_counters.val();
                self.fill.come.next = self.come.val();
                self.fill.leave.next = self.leaves.val();
                self.skew.next = self.fill.skew.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let depth = (1usize << A).to_string();
                block_label("bond_rx", &[("links", B.to_string()), ("f", $flits.to_string()), ("depth", depth)])
            }
        }

        drive_ports!(impl[const B: usize, const W: usize, const A: usize, const C: usize] $name<B, W, A, C> {
            clock, clear, clear_counters, bond_index, shares_in, flits_out, ordered, overflow, skew,
        });
    };
}

bond_rx!(BondRx1, 1, 65);
bond_rx!(BondRx2, 2, 130);
bond_rx!(BondRx4, 4, 260);
