//! Shares to wide beats.

use super::{BondFill, BondOrder, BondUnmark};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{Fifo, Skid};
use flitforge_protocol::lane_word::training_set_0;
use flitforge_protocol::link_registers::bond_skew;

/// Bits of a bond index.
pub const INDEX_BITS: usize = training_set_0::bond::WIDTH;
/// Bits of BOND_SKEW.
pub const SKEW_BITS: usize = bond_skew::fill::WIDTH;

macro_rules! bond_rx {
    ($name:ident, $flits:tt, $bits:tt) => {
        /// Puts the shares of `B` ports together to wide beats of `W` bits; 2^`A` = 16 R / F, `C` = `A` + 1. See the [module](super). Latency 6
        /// clocks from the last share.
        #[block("bond_rx", new, links = B, f = $flits, depth = 1usize << A)]
        pub struct $name<const B: usize, const W: usize, const A: usize, const C: usize> {
            /// Rising edge counts.
            clock: In<Clock>,
            /// Drops the shares that wait.
            clear: In<Bit>,
            /// `skew` starts at 0.
            clear_counters: In<Bit>,
            /// To which port the other end deals what comes over this one.
            bond_index: [In<Bits<INDEX_BITS>>; B],
            /// Shares, by port.
            pub shares_in: [FlowIn<Bits<$bits>>; B],
            /// Wide beats.
            pub flits_out: FlowOut<Bits<W>>,
            /// The indices are those of `B` ports, each once; 1 clock after them.
            ordered: Out<Bit>,
            /// Event, 1 clock after the share: it found its FIFO full and is lost.
            overflow: Out<Bit>,
            /// BOND_SKEW.
            skew: Out<Bits<SKEW_BITS>>,
            unmark: [BondUnmark<$flits, $bits>; B],
            #[wire(clock, clear)]
            ingress: [Skid<Bits<$bits>>; B],
            #[wire(clock, clear)]
            fifo: [Fifo<Bits<$bits>, A, C>; B],
            #[wire(clock)]
            order: BondOrder<B>,
            #[init(|link| link * $bits)]
            shift: [Constant<Bits<11>>; B],
            picked: Local<Bits<$bits>>,
            joined: Local<Bits<W>>,
            there: Local<Bits<B>>,
            open: Local<Bit>,
            comes: Local<Bit>,
            leaves: Local<Bit>,
            #[wire(clock, clear = false)]
            wide: Register<Bits<W>>,
            wide_valid: Reg<Bit>,
            lost_before: Reg<Bit>,
            #[wire(clock, clear)]
            fill: BondFill<B, C>,
        }

        #[logic]
        impl<const B: usize, const W: usize, const A: usize, const C: usize> $name<B, W, A, C> {
            /// Empty, or the reason why not.
            pub fn new() -> Result<Self, ConfigError> {
                let fifo: Result<Vec<_>, _> = (0..B).map(|_| Fifo::new()).collect();
                let fifo = fifo?.try_into().map_err(|_| {
                    ConfigError::new("link_bond", "links", B, "as many FIFOs as ports", "report this")
                })?;
                Ok(Self { fifo, .. })
            }

            fn update(&mut self) {
                // Shares in.
                let mut lost: Bits<B> = 0;
                let mut arrive: Bits<B> = 0;
                there = 0;
                for i in 0..B {
                    order.bond_index[i] = bond_index[i];
                    unmark[i].marked = shares_in[i].data;
                    ingress[i].words_in = In { valid: shares_in[i].valid, data: unmark[i].share };
                    // The ingress skids take nothing while they are cleared.
                    open = ingress[i].words_in.ready;
                    comes = shares_in[i].valid & !clear;
                    arrive = arrive.with(i, comes & open);
                    lost = lost.with(i, comes & !open);
                    join(ingress[i].words_out, fifo[i].words_in);
                    there = there.with(i, fifo[i].words_out.valid);
                }
                lost_before = lost.any();
                overflow = lost_before;
                ordered = order.ordered;

                // Wide beats out.
                leaves = there.all() & order.ordered & !clear;
                joined = 0;
                for i in 0..B {
                    fifo[i].words_out.ready = leaves;
                    picked = 0;
                    for p in 0..B {
                        if order.select[i][p] {
                            picked = picked | fifo[p].words_out.data;
                        }
                    }
                    joined = joined | (bit_cast::<W, $bits>(picked) << shift[i]);
                }
                wide = joined;
                wide_valid = leaves;
                flits_out = In { valid: wide_valid, data: wide };

                fill = In { clear_counters, arrive, leave: leaves };
                skew = fill.skew;
            }
        }
    };
}

bond_rx!(BondRx1, 1, 65);
bond_rx!(BondRx2, 2, 130);
bond_rx!(BondRx4, 4, 260);
