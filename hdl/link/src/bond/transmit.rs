//! Wide beats to shares.

use super::BondMark;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;

macro_rules! bond_tx {
    ($name:ident, $flits:tt, $bits:tt) => {
        /// Deals wide beats of `W` bits to `B` ports; see the [module](super). Latency 1 clock.
        #[block("bond_tx", new, links = B, f = $flits)]
        pub struct $name<const B: usize, const W: usize> {
            /// Rising edge counts.
            clock: In<Clock>,
            /// Drops the shares that wait.
            clear: In<Bit>,
            /// Wide beats are taken.
            up: In<Bit>,
            /// Wide beats.
            pub flits_in: StreamIn<Bits<W>>,
            /// Shares, by port.
            pub shares_out: [StreamOut<Bits<$bits>>; B],
            /// Shares wait at the port's ingress, one or two.
            waits: Out<Bits<B>>,
            mark: [BondMark<$flits, $bits>; B],
            #[wire(clock, clear)]
            ingress: [Skid<Bits<$bits>>; B],
        }

        #[logic]
        impl<const B: usize, const W: usize> $name<B, W> {
            /// Nothing waits, or the reason why not.
            pub fn new() -> Result<Self, ConfigError> {
                let marks: Result<Vec<_>, _> = (0..B).map(|_| BondMark::new()).collect();
                let mark = marks?.try_into().map_err(|_| {
                    ConfigError::new("link_bond", "links", B, "as many shares as ports", "report this")
                })?;
                Ok(Self { mark, .. })
            }

            fn update(&mut self) {
                let mut busy: Bits<B> = 0;
                let mut open: Bits<B> = 0;
                for i in 0..B {
                    mark[i].share = flits_in.data.bits::<$bits>(i * $bits);
                    busy = busy.with(i, !mark[i].idle);
                    open = open.with(i, ingress[i].words_in.ready);
                }
                // The ingress skids take nothing while they are cleared.
                let takes = up & open.all();
                flits_in.ready = takes;
                let deals = flits_in.valid & takes & busy.any();
                waits = 0;
                for i in 0..B {
                    ingress[i].words_in = In { valid: deals, data: mark[i].marked };
                    waits = waits.with(i, ingress[i].words_out.valid);
                    link(shares_out[i], ingress[i].words_out);
                }
            }
        }
    };
}

bond_tx!(BondTx1, 1, 65);
bond_tx!(BondTx2, 2, 130);
bond_tx!(BondTx4, 4, 260);
