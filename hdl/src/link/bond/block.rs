//! The parts of a bond, wired; one type per beat width of its ports.

use super::control::{BondControl, STATE_BITS};
use super::receive::{BondRx1, BondRx2, BondRx4, INDEX_BITS, SKEW_BITS};
use super::side::BondSide;
use super::transmit::{BondTx1, BondTx2, BondTx4};
use super::BondConfig;
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link::SIDEBAND_PLACE_BITS;

macro_rules! link_bond {
    ($name:ident, $transmit:ident, $receive:ident, $flits:tt, $bits:tt) => {
        /// A bond of `B` ports; `W` = 65 `B` F, 2^`A` = 16 R / F, `C` = `A` + 1. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const B: usize, const W: usize, const A: usize, const C: usize> {
            /// Rising edge counts; that of the ports.
            pub clock: Signal<In, Clock>,
            /// Down.
            pub clear: Signal<In, Bit>,
            /// `skew` starts at 0.
            pub clear_counters: Signal<In, Bit>,
            /// Wide beats to send.
            pub flits_in: StreamIn<Bits<W>>,
            /// Wide beats that have come.
            pub flits_out: FlowOut<Bits<W>>,
            /// To `flits_in` of each port.
            pub shares_out: [StreamOut<Bits<$bits>>; B],
            /// From `flits_out` of each port.
            pub shares_in: [FlowIn<Bits<$bits>>; B],
            /// Bond index in the training sets that each port receives.
            pub bond_index: [Signal<In, Bits<INDEX_BITS>>; B],
            /// State of each port (STATUS).
            pub state: [Signal<In, Bits<STATE_BITS>>; B],
            /// Each port starts its numbers at 0 on this edge.
            pub restarted: [Signal<In, Bit>; B],
            /// To each port: go Down and begin afresh.
            pub renew: Signal<Out, Bits<B>>,
            /// Sideband of an accepted LTP of each port.
            pub side_in: [FlowIn<Bits<2>>; B],
            /// With it: the LTP's sequence number mod 4.
            pub side_in_place: [Signal<In, Bits<SIDEBAND_PLACE_BITS>>; B],
            /// Messages of all ports, 2 bits per clock.
            pub side_out: FlowOut<Bits<2>>,
            /// With them: place in the message.
            pub side_place: Signal<Out, Bits<SIDEBAND_PLACE_BITS>>,
            /// All ports are Active or Degraded, and in order; wide beats are taken.
            pub up: Signal<Out, Bit>,
            /// The bond begins afresh.
            pub restart: Signal<Out, Bit>,
            /// Two ports with one index, or an index of no port.
            pub order_error: Signal<Out, Bit>,
            /// Event: a share found no room; the bond goes Down.
            pub overflow: Signal<Out, Bit>,
            /// Event per port, for its LOST_ON_RESET: the bond falls, and forgets the shares at the port's door, which one LTP holds.
            pub lost: Signal<Out, Bits<B>>,
            /// BOND_SKEW.
            pub skew: Signal<Out, Bits<SKEW_BITS>>,
            transmit: $transmit<B, W>,
            receive: $receive<B, W, A, C>,
            side: BondSide<B>,
            control: BondControl<B>,
            forget: Signal<Local, Bit>,
        }

        impl<const B: usize, const W: usize, const A: usize, const C: usize> $name<B, W, A, C> {
            /// A bond that is Down, or the reason why not. `config` must be that of the type.
            pub fn new(config: &BondConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type([B, W, A, C], $flits)?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    clear_counters: Default::default(),
                    flits_in: Default::default(),
                    flits_out: Default::default(),
                    shares_out: defaults(),
                    shares_in: defaults(),
                    bond_index: defaults(),
                    state: defaults(),
                    restarted: defaults(),
                    renew: Default::default(),
                    side_in: defaults(),
                    side_in_place: defaults(),
                    side_out: Default::default(),
                    side_place: Default::default(),
                    up: Default::default(),
                    restart: Default::default(),
                    order_error: Default::default(),
                    overflow: Default::default(),
                    lost: Default::default(),
                    skew: Default::default(),
                    transmit: $transmit::new()?,
                    receive: $receive::new()?,
                    side: BondSide::default(),
                    control: BondControl::default(),
                    forget: Default::default(),
                })
            }
        }

        impl<const B: usize, const W: usize, const A: usize, const C: usize> Logic for $name<B, W, A, C> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, transmit, receive, side, control);
                self.forget.next = self.clear.val() | self.control.restart.val();
                self.transmit.clear.next = self.forget.val();
                self.receive.clear.next = self.forget.val();
                self.side.clear.next = self.forget.val();
                self.control.clear.next = self.clear.val();
                self.transmit.up.next = self.control.up.val();
                StreamIn::<Bits<W>>::link(&mut self.flits_in, &mut self.transmit.flits_in);
                FlowOut::<Bits<W>>::link(&mut self.flits_out, &mut self.receive.flits_out);
                for i in 0..B {
                    StreamOut::<Bits<$bits>>::link(&mut self.shares_out[i], &mut self.transmit.shares_out[i]);
                    FlowIn::<Bits<$bits>>::link(&mut self.shares_in[i], &mut self.receive.shares_in[i]);
                    FlowIn::<Bits<2>>::link(&mut self.side_in[i], &mut self.side.side_in[i]);
                    self.side.side_in_place[i].next = self.side_in_place[i].val();
                    self.receive.bond_index[i].next = self.bond_index[i].val();
                    self.control.state[i].next = self.state[i].val();
                    self.control.restarted[i].next = self.restarted[i].val();
                }
                FlowOut::<Bits<2>>::link(&mut self.side_out, &mut self.side.side_out);
                self.side_place.next = self.side.side_place.val();
                self.receive.clear_counters.next = self.clear_counters.val();
                self.control.ordered.next = self.receive.ordered.val();
                self.control.overflow.next = self.receive.overflow.val();
                self.renew.next = self.control.renew.val();
                self.up.next = self.control.up.val();
                self.restart.next = self.control.restart.val();
                self.order_error.next = !self.receive.ordered.val();
                self.overflow.next = self.receive.overflow.val();
                self.lost.next = 0.into();
                if self.control.restart.val() {
                    self.lost.next = self.transmit.waits.val();
                }
                self.skew.next = self.receive.skew.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let depth = (1usize << A).to_string();
                block_label("link_bond", &[("links", B.to_string()), ("f", $flits.to_string()), ("depth", depth)])
            }
        }

        drive_ports!(impl[const B: usize, const W: usize, const A: usize, const C: usize] $name<B, W, A, C> {
            clock, clear, clear_counters, flits_in, flits_out, shares_out, shares_in, bond_index, state, restarted, renew, side_in,
            side_in_place, side_out, side_place, up, restart, order_error, overflow, lost, skew,
        });
    };
}

link_bond!(LinkBond1, BondTx1, BondRx1, 1, 65);
link_bond!(LinkBond2, BondTx2, BondRx2, 2, 130);
link_bond!(LinkBond4, BondTx4, BondRx4, 4, 260);
