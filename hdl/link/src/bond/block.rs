//! The parts of a bond, wired; one type per beat width of its ports.

use super::control::{BondControl, STATE_BITS};
use super::receive::{BondRx1, BondRx2, BondRx4, INDEX_BITS, SKEW_BITS};
use super::side::BondSide;
use super::transmit::{BondTx1, BondTx2, BondTx4};
use super::BondConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link::SIDEBAND_PLACE_BITS;

macro_rules! link_bond {
    ($name:ident, $transmit:ident, $receive:ident, $flits:tt, $bits:tt) => {
        /// A bond of `B` ports; `W` = 65 `B` F, 2^`A` = 16 R / F, `C` = `A` + 1. See the [module](super).
        #[block("link_bond", new, links = B, f = $flits, depth = 1usize << A)]
        pub struct $name<const B: usize, const W: usize, const A: usize, const C: usize> {
            /// Rising edge counts; that of the ports.
            clock: In<Clock>,
            /// Down.
            clear: In<Bit>,
            /// `skew` starts at 0.
            clear_counters: In<Bit>,
            /// Wide beats to send.
            pub flits_in: StreamIn<Bits<W>>,
            /// Wide beats that have come.
            pub flits_out: FlowOut<Bits<W>>,
            /// To `flits_in` of each port.
            pub shares_out: [StreamOut<Bits<$bits>>; B],
            /// From `flits_out` of each port.
            pub shares_in: [FlowIn<Bits<$bits>>; B],
            /// Bond index in the training sets that each port receives.
            bond_index: [In<Bits<INDEX_BITS>>; B],
            /// State of each port (STATUS).
            state: [In<Bits<STATE_BITS>>; B],
            /// Each port starts its numbers at 0 on this edge.
            restarted: [In<Bit>; B],
            /// To each port: go Down and begin afresh.
            renew: Out<Bits<B>>,
            /// Sideband of an accepted LTP of each port.
            pub side_in: [FlowIn<Bits<2>>; B],
            /// With it: the LTP's sequence number mod 4.
            side_in_place: [In<Bits<SIDEBAND_PLACE_BITS>>; B],
            /// Messages of all ports, 2 bits per clock.
            pub side_out: FlowOut<Bits<2>>,
            /// With them: place in the message.
            side_place: Out<Bits<SIDEBAND_PLACE_BITS>>,
            /// All ports are Active or Degraded, and in order; wide beats are taken.
            up: Out<Bit>,
            /// The bond begins afresh.
            restart: Out<Bit>,
            /// Two ports with one index, or an index of no port.
            order_error: Out<Bit>,
            /// Event: a share found no room; the bond goes Down.
            overflow: Out<Bit>,
            /// Event per port, for its LOST_ON_RESET: the bond falls, and forgets the shares at the port's ingress, which one LTP holds.
            lost: Out<Bits<B>>,
            /// BOND_SKEW.
            skew: Out<Bits<SKEW_BITS>>,
            #[wire(clock)]
            transmit: $transmit<B, W>,
            #[wire(clock)]
            receive: $receive<B, W, A, C>,
            #[wire(clock)]
            side: BondSide<B>,
            #[wire(clock, clear)]
            control: BondControl<B>,
        }

        #[logic]
        impl<const B: usize, const W: usize, const A: usize, const C: usize> $name<B, W, A, C> {
            /// A bond that is Down, or the reason why not. `config` must be that of the type.
            pub fn new(config: &BondConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type([B, W, A, C], $flits)?;
                Ok(Self { transmit: $transmit::new()?, receive: $receive::new()?, .. })
            }

            fn update(&mut self) {
                let forget = clear | control.restart;
                transmit.clear = forget;
                receive.clear = forget;
                side.clear = forget;
                transmit.up = control.up;
                link(flits_in, transmit.flits_in);
                link(flits_out, receive.flits_out);
                for i in 0..B {
                    link(shares_out[i], transmit.shares_out[i]);
                    link(shares_in[i], receive.shares_in[i]);
                    link(side_in[i], side.side_in[i]);
                    side.side_in_place[i] = side_in_place[i];
                    receive.bond_index[i] = bond_index[i];
                    control.state[i] = state[i];
                    control.restarted[i] = restarted[i];
                }
                link(side_out, side.side_out);
                side_place = side.side_place;
                receive.clear_counters = clear_counters;
                control = In { ordered: receive.ordered, overflow: receive.overflow };
                Out { renew, up, restart } = control;
                order_error = !receive.ordered;
                overflow = receive.overflow;
                lost = 0;
                if control.restart {
                    lost = transmit.waits;
                }
                skew = receive.skew;
            }
        }
    };
}

link_bond!(LinkBond1, BondTx1, BondRx1, 1, 65);
link_bond!(LinkBond2, BondTx2, BondRx2, 2, 130);
link_bond!(LinkBond4, BondTx4, BondRx4, 4, 260);
