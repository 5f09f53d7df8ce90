//! Wide beats to shares.

use super::BondMark;
use crate::config::ConfigError;
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Skid;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

macro_rules! bond_tx {
    ($name:ident, $flits:tt, $bits:tt) => {
        /// Deals wide beats of `W` bits to `B` ports; see the [module](super). Latency 1 clock.
        #[derive(LogicBlock)]
        pub struct $name<const B: usize, const W: usize> {
            /// Rising edge counts.
            pub clock: Signal<In, Clock>,
            /// Drops the shares that wait.
            pub clear: Signal<In, Bit>,
            /// Wide beats are taken.
            pub up: Signal<In, Bit>,
            /// Wide beats.
            pub flits_in: StreamIn<Bits<W>>,
            /// Shares, by port.
            pub shares_out: [StreamOut<Bits<$bits>>; B],
            /// Shares wait at the port's door, one or two.
            pub waits: Signal<Out, Bits<B>>,
            mark: [BondMark<$flits, $bits>; B],
            door: [Skid<Bits<$bits>>; B],
            busy: Signal<Local, Bits<B>>,
            open: Signal<Local, Bits<B>>,
            takes: Signal<Local, Bit>,
            deals: Signal<Local, Bit>,
        }

        impl<const B: usize, const W: usize> $name<B, W> {
            /// Nothing waits, or the reason why not.
            pub fn new() -> Result<Self, ConfigError> {
                let marks: Result<Vec<_>, _> = (0..B).map(|_| BondMark::new()).collect();
                let mark = marks?.try_into().map_err(|_| {
                    ConfigError::new("link_bond", "links", B, "as many shares as ports", "report this")
                })?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    up: Default::default(),
                    flits_in: Default::default(),
                    shares_out: defaults(),
                    waits: Default::default(),
                    mark,
                    door: defaults(),
                    busy: Default::default(),
                    open: Default::default(),
                    takes: Default::default(),
                    deals: Default::default(),
                })
            }
        }

        impl<const B: usize, const W: usize> Logic for $name<B, W> {
            #[hdl_gen]
            fn update(&mut self) {
                self.busy.next = 0.into();
                self.open.next = 0.into();
                for i in 0..B {
                    self.door[i].clock.next = self.clock.val();
                    self.door[i].clear.next = self.clear.val();
                    self.mark[i].share.next = self.flits_in.data.val().get_bits::<$bits>(i * $bits);
                    self.busy.next = self.busy.val().replace_bit(i, !self.mark[i].idle.val());
                    self.open.next = self.open.val().replace_bit(i, self.door[i].words_in.ready.val());
                }
                // The doors are shut while they are cleared.
                self.takes.next = self.up.val() & self.open.val().all();
                self.flits_in.ready.next = self.takes.val();
                self.deals.next = self.flits_in.valid.val() & self.takes.val() & self.busy.val().any();
                self.waits.next = 0.into();
                for i in 0..B {
                    self.door[i].words_in.valid.next = self.deals.val();
                    self.door[i].words_in.data.next = self.mark[i].marked.val();
                    self.waits.next =
                        self.waits.val().replace_bit(i, self.door[i].words_out.valid.val());
                    StreamOut::<Bits<$bits>>::link(&mut self.shares_out[i], &mut self.door[i].words_out);
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label("bond_tx", &[("links", B.to_string()), ("f", $flits.to_string())])
            }
        }

        drive_ports!(impl[const B: usize, const W: usize] $name<B, W> { clock, clear, up, flits_in, shares_out, waits });
    };
}

bond_tx!(BondTx1, 1, 65);
bond_tx!(BondTx2, 2, 130);
bond_tx!(BondTx4, 4, 260);
