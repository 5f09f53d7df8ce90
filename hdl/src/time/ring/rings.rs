//! Both rings, wired for each number of stops: rust-hdl's `#[hdl_gen]` takes the number of the neighbour only from
//! a literal, so every size is a type of its own, made from one text.

use super::{ring_label, HopRegister, RingConfig, RingStop, CONTROL_BITS, ID_BITS, TREES, WAIT_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowOut, StreamIn};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use std::array;

macro_rules! time_ring {
    ($name:ident, $stops:literal, $last:literal) => {
        /// Two rings; `W` bits of data, `I` = W + 5 bits of an insertion {data, parity, tree, kind}; `R` =
        /// stops (S - 1) second registers of hops in a ring; `E` = 1
        /// with several ring edges per core clock. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const W: usize, const I: usize, const R: usize = 0, const E: usize = 0> {
            /// Ring clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear of both rings.
            pub clear: Signal<In, Bit>,
            /// The edge that ends this clock is a core edge, too.
            pub core_edge: [Signal<In, Bit>; E],
            /// Insertions into the clockwise ring.
            pub insert_cw: [StreamIn<Bits<I>>; $stops],
            /// Insertions into the counter-clockwise ring.
            pub insert_ccw: [StreamIn<Bits<I>>; $stops],
            /// Trees copied from the clockwise ring.
            pub trees_cw: [Signal<In, Bits<TREES>>; $stops],
            /// Trees copied from the counter-clockwise ring.
            pub trees_ccw: [Signal<In, Bits<TREES>>; $stops],
            /// Data of slots copied from the clockwise ring.
            pub copy_cw: [FlowOut<Bits<W>>; $stops],
            /// Data of slots copied from the counter-clockwise ring.
            pub copy_ccw: [FlowOut<Bits<W>>; $stops],
            /// Their control bits.
            pub control_cw: [Signal<Out, Bits<CONTROL_BITS>>; $stops],
            /// Their control bits.
            pub control_ccw: [Signal<Out, Bits<CONTROL_BITS>>; $stops],
            /// An insertion found no free slot (RING_BUSY), clockwise.
            pub busy_cw: [Signal<Out, Bit>; $stops],
            /// An insertion found no free slot (RING_BUSY), counter-clockwise.
            pub busy_ccw: [Signal<Out, Bit>; $stops],
            /// An insertion was dropped (RING_WAIT_OVER), clockwise.
            pub wait_over_cw: [Signal<Out, Bit>; $stops],
            /// An insertion was dropped (RING_WAIT_OVER), counter-clockwise.
            pub wait_over_ccw: [Signal<Out, Bit>; $stops],
            /// The monitor removed a slot (ORPHAN), clockwise.
            pub orphan_cw: Signal<Out, Bit>,
            /// The monitor removed a slot (ORPHAN), counter-clockwise.
            pub orphan_ccw: Signal<Out, Bit>,
            cw: Vec<RingStop<W, I, E>>,
            ccw: Vec<RingStop<W, I, E>>,
            cw_hop: Vec<HopRegister<W>>,
            ccw_hop: Vec<HopRegister<W>>,
            id: [Constant<Bits<ID_BITS>>; $stops],
            wait_max: Constant<Bits<WAIT_BITS>>,
        }

        impl<const W: usize, const I: usize, const R: usize, const E: usize> $name<W, I, R, E> {
            /// Empty rings.
            pub fn new(config: RingConfig) -> Result<Self, ConfigError> {
                RingConfig { stops: $stops, ..config }.check(W, I, R, E)?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    core_edge: defaults(),
                    insert_cw: defaults(),
                    insert_ccw: defaults(),
                    trees_cw: defaults(),
                    trees_ccw: defaults(),
                    copy_cw: defaults(),
                    copy_ccw: defaults(),
                    control_cw: defaults(),
                    control_ccw: defaults(),
                    busy_cw: defaults(),
                    busy_ccw: defaults(),
                    wait_over_cw: defaults(),
                    wait_over_ccw: defaults(),
                    orphan_cw: Default::default(),
                    orphan_ccw: Default::default(),
                    cw: (0..$stops).map(|_| RingStop::default()).collect(),
                    ccw: (0..$stops).map(|_| RingStop::default()).collect(),
                    cw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    ccw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    id: array::from_fn(|stop| Constant::new((stop as u64).into())),
                    wait_max: Constant::new(config.wait_max.into()),
                })
            }
        }

        impl<const W: usize, const I: usize, const R: usize, const E: usize> Logic for $name<W, I, R, E> {
            #[hdl_gen]
            fn update(&mut self) {
                for i in 0..$stops {
                    self.cw[i].clock.next = self.clock.val();
                    self.cw[i].clear.next = self.clear.val();
                    self.cw[i].own_id.next = self.id[i].val();
                    self.cw[i].own_parity.next = self.id[i].val().xor();
                    self.cw[i].own_is_next.next = false;
                    self.cw[i].second_id.next = self.id[(i + 2) % $stops].val();
                    self.cw[i].third_id.next = self.id[(i + 3) % $stops].val();
                    self.cw[i].monitor.next = i == 0;
                    self.cw[i].second_is_monitor.next = !self.id[(i + 2) % $stops].val().any();
                    self.cw[i].wait_max.next = self.wait_max.val();
                    self.cw[i].copy_trees.next = self.trees_cw[i].val();
                    self.cw[i].control_in.next = self.cw[(i + $last) % $stops].control_out.val();
                    self.cw[i].data_in.next = self.cw[(i + $last) % $stops].data_out.val();
                    self.cw[i].own_in.next = self.cw[(i + $last) % $stops].own_out.val();
                    self.cw[i].stays_in.next = self.cw[(i + $last) % $stops].stays_out.val();
                    self.cw[i].holds_in.next = self.cw[(i + $last) % $stops].holds_out.val();
                    self.cw[i].ahead_in.next = self.cw[(i + $last) % $stops].ahead_out.val();
                    StreamIn::<Bits<I>>::link(&mut self.insert_cw[i], &mut self.cw[i].insert);
                    FlowOut::<Bits<W>>::link(&mut self.copy_cw[i], &mut self.cw[i].copy);
                    self.control_cw[i].next = self.cw[i].copy_control.val();
                    self.busy_cw[i].next = self.cw[i].busy.val();
                    self.wait_over_cw[i].next = self.cw[i].wait_over.val();

                    self.ccw[i].clock.next = self.clock.val();
                    self.ccw[i].clear.next = self.clear.val();
                    self.ccw[i].own_id.next = self.id[i].val();
                    self.ccw[i].own_parity.next = self.id[i].val().xor();
                    self.ccw[i].own_is_next.next = false;
                    self.ccw[i].second_id.next = self.id[(i + $stops - 2) % $stops].val();
                    self.ccw[i].third_id.next = self.id[(i + $stops - 3) % $stops].val();
                    self.ccw[i].monitor.next = i == 0;
                    self.ccw[i].second_is_monitor.next = !self.id[(i + $stops - 2) % $stops].val().any();
                    self.ccw[i].wait_max.next = self.wait_max.val();
                    self.ccw[i].copy_trees.next = self.trees_ccw[i].val();
                    self.ccw[i].control_in.next = self.ccw[(i + 1) % $stops].control_out.val();
                    self.ccw[i].data_in.next = self.ccw[(i + 1) % $stops].data_out.val();
                    self.ccw[i].own_in.next = self.ccw[(i + 1) % $stops].own_out.val();
                    self.ccw[i].stays_in.next = self.ccw[(i + 1) % $stops].stays_out.val();
                    self.ccw[i].holds_in.next = self.ccw[(i + 1) % $stops].holds_out.val();
                    self.ccw[i].ahead_in.next = self.ccw[(i + 1) % $stops].ahead_out.val();
                    StreamIn::<Bits<I>>::link(&mut self.insert_ccw[i], &mut self.ccw[i].insert);
                    FlowOut::<Bits<W>>::link(&mut self.copy_ccw[i], &mut self.ccw[i].copy);
                    self.control_ccw[i].next = self.ccw[i].copy_control.val();
                    self.busy_ccw[i].next = self.ccw[i].busy.val();
                    self.wait_over_ccw[i].next = self.ccw[i].wait_over.val();
                }
                // With two registers per hop: the second one stands in front of each stop.
                for i in 0..R {
                    self.cw_hop[i].clock.next = self.clock.val();
                    self.cw_hop[i].clear.next = self.clear.val();
                    self.cw_hop[i].control_in.next = self.cw[(i + $last) % $stops].control_out.val();
                    self.cw_hop[i].data_in.next = self.cw[(i + $last) % $stops].data_out.val();
                    self.cw_hop[i].own_in.next = self.cw[(i + $last) % $stops].own_out.val();
                    self.cw_hop[i].stays_in.next = self.cw[(i + $last) % $stops].stays_out.val();
                    self.cw_hop[i].holds_in.next = self.cw[(i + $last) % $stops].holds_out.val();
                    self.cw_hop[i].ahead_in.next = self.cw[(i + $last) % $stops].ahead_out.val();
                    self.cw[i].control_in.next = self.cw_hop[i].control_out.val();
                    self.cw[i].data_in.next = self.cw_hop[i].data_out.val();
                    self.cw[i].own_in.next = self.cw_hop[i].own_out.val();
                    self.cw[i].stays_in.next = self.cw_hop[i].stays_out.val();
                    self.cw[i].holds_in.next = self.cw_hop[i].holds_out.val();
                    self.cw[i].ahead_in.next = self.cw_hop[i].ahead_out.val();

                    self.ccw_hop[i].clock.next = self.clock.val();
                    self.ccw_hop[i].clear.next = self.clear.val();
                    self.ccw_hop[i].control_in.next = self.ccw[(i + 1) % $stops].control_out.val();
                    self.ccw_hop[i].data_in.next = self.ccw[(i + 1) % $stops].data_out.val();
                    self.ccw_hop[i].own_in.next = self.ccw[(i + 1) % $stops].own_out.val();
                    self.ccw_hop[i].stays_in.next = self.ccw[(i + 1) % $stops].stays_out.val();
                    self.ccw_hop[i].holds_in.next = self.ccw[(i + 1) % $stops].holds_out.val();
                    self.ccw_hop[i].ahead_in.next = self.ccw[(i + 1) % $stops].ahead_out.val();
                    self.ccw[i].control_in.next = self.ccw_hop[i].control_out.val();
                    self.ccw[i].data_in.next = self.ccw_hop[i].data_out.val();
                    self.ccw[i].own_in.next = self.ccw_hop[i].own_out.val();
                    self.ccw[i].stays_in.next = self.ccw_hop[i].stays_out.val();
                    self.ccw[i].holds_in.next = self.ccw_hop[i].holds_out.val();
                    self.ccw[i].ahead_in.next = self.ccw_hop[i].ahead_out.val();
                }
                for e in 0..E {
                    for i in 0..$stops {
                        self.cw[i].core_edge[e].next = self.core_edge[e].val();
                        self.ccw[i].core_edge[e].next = self.core_edge[e].val();
                    }
                }
                self.orphan_cw.next = self.cw[0].orphan.val();
                self.orphan_ccw.next = self.ccw[0].orphan.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                ring_label("time_ring", &[("stops", $stops.to_string()), ("data", W.to_string())], [("second_registers", R), ("core_edges", E)])
            }
        }

        drive_ports!(impl[const W: usize, const I: usize, const R: usize, const E: usize] $name<W, I, R, E> {
            clock, clear, core_edge, insert_cw, insert_ccw, trees_cw, trees_ccw, copy_cw, copy_ccw, control_cw, control_ccw,
            busy_cw, busy_ccw, wait_over_cw, wait_over_ccw, orphan_cw, orphan_ccw,
        });
    };
}

time_ring!(TimeRing4, 4, 3);
time_ring!(TimeRing8, 8, 7);
time_ring!(TimeRing12, 12, 11);
time_ring!(TimeRing16, 16, 15);
time_ring!(TimeRing24, 24, 23);
time_ring!(TimeRing32, 32, 31);
time_ring!(TimeRing48, 48, 47);
