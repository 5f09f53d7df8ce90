//! Both rings, wired; one text for all numbers of stops, of which each is a type of its own.

use super::{ring_label, HopRegister, RingConfig, RingStop, CONTROL_BITS, ID_BITS, TREES, WAIT_BITS};
use flitforge_hdl_prim::prelude::*;

macro_rules! time_ring {
    ($name:ident, $stops:literal, $last:literal) => {
        /// Two rings; `W` bits of data, `I` = W + 5 bits of an insertion {data, parity, tree, kind}; `R` =
        /// stops (S - 1) second registers of hops in a ring; `E` = 1
        /// with several ring edges per core clock. See the [module](super).
        #[block(new)]
        pub struct $name<const W: usize, const I: usize, const R: usize = 0, const E: usize = 0> {
            /// Ring clock.
            clock: In<Clock>,
            /// Synchronous clear of both rings.
            clear: In<Bit>,
            /// The edge that ends this clock is a core edge, too.
            core_edge: [In<Bit>; E],
            /// Insertions into the clockwise ring.
            pub insert_cw: [StreamIn<Bits<I>>; $stops],
            /// Insertions into the counter-clockwise ring.
            pub insert_ccw: [StreamIn<Bits<I>>; $stops],
            /// Trees copied from the clockwise ring.
            trees_cw: [In<Bits<TREES>>; $stops],
            /// Trees copied from the counter-clockwise ring.
            trees_ccw: [In<Bits<TREES>>; $stops],
            /// Data of slots copied from the clockwise ring.
            pub copy_cw: [FlowOut<Bits<W>>; $stops],
            /// Data of slots copied from the counter-clockwise ring.
            pub copy_ccw: [FlowOut<Bits<W>>; $stops],
            /// Their control bits.
            control_cw: [Out<Bits<CONTROL_BITS>>; $stops],
            /// Their control bits.
            control_ccw: [Out<Bits<CONTROL_BITS>>; $stops],
            /// An insertion found no free slot (RING_BUSY), clockwise.
            busy_cw: [Out<Bit>; $stops],
            /// An insertion found no free slot (RING_BUSY), counter-clockwise.
            busy_ccw: [Out<Bit>; $stops],
            /// An insertion was dropped (RING_WAIT_OVER), clockwise.
            wait_over_cw: [Out<Bit>; $stops],
            /// An insertion was dropped (RING_WAIT_OVER), counter-clockwise.
            wait_over_ccw: [Out<Bit>; $stops],
            /// The monitor removed a slot (ORPHAN), clockwise.
            orphan_cw: Out<Bit>,
            /// The monitor removed a slot (ORPHAN), counter-clockwise.
            orphan_ccw: Out<Bit>,
            #[wire(clock, clear)]
            cw: Vec<RingStop<W, I, E>>,
            #[wire(clock, clear)]
            ccw: Vec<RingStop<W, I, E>>,
            #[wire(clock, clear)]
            cw_hop: Vec<HopRegister<W>>,
            #[wire(clock, clear)]
            ccw_hop: Vec<HopRegister<W>>,
            #[init(|stop| stop)]
            id: [Constant<Bits<ID_BITS>>; $stops],
            wait_max: Constant<Bits<WAIT_BITS>>,
        }

        #[logic]
        impl<const W: usize, const I: usize, const R: usize, const E: usize> $name<W, I, R, E> {
            /// Empty rings.
            pub fn new(config: RingConfig) -> Result<Self, ConfigError> {
                RingConfig { stops: $stops, ..config }.check(W, I, R, E)?;
                Ok(Self {
                    cw: (0..$stops).map(|_| RingStop::default()).collect(),
                    ccw: (0..$stops).map(|_| RingStop::default()).collect(),
                    cw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    ccw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    wait_max: Constant::new(config.wait_max.into()),
                    ..
                })
            }

            fn update(&mut self) {
                for i in 0..$stops {
                    cw[i] = In { own_id: id[i], own_parity: id[i].xor(), own_is_next: false };
                    cw[i] = In { second_id: id[(i + 2) % $stops], third_id: id[(i + 3) % $stops] };
                    cw[i] = In { monitor: i == 0, second_is_monitor: !id[(i + 2) % $stops].any(), wait_max };
                    cw[i] = In { copy_trees: trees_cw[i], control_in: cw[(i + $last) % $stops].control_out };
                    cw[i].data_in = cw[(i + $last) % $stops].data_out;
                    cw[i].own_in = cw[(i + $last) % $stops].own_out;
                    cw[i].forwards_in = cw[(i + $last) % $stops].forwards_out;
                    cw[i].forward_copies_in = cw[(i + $last) % $stops].forward_copies_out;
                    cw[i].look_ahead_in = cw[(i + $last) % $stops].look_ahead_out;
                    link(insert_cw[i], cw[i].insert);
                    link(copy_cw[i], cw[i].copy);
                    control_cw[i] = cw[i].copy_control;
                    busy_cw[i] = cw[i].busy;
                    wait_over_cw[i] = cw[i].wait_over;

                    ccw[i] = In { own_id: id[i], own_parity: id[i].xor(), own_is_next: false };
                    ccw[i].second_id = id[(i + $stops - 2) % $stops];
                    ccw[i] = In { third_id: id[(i + $stops - 3) % $stops], monitor: i == 0 };
                    ccw[i] = In { second_is_monitor: !id[(i + $stops - 2) % $stops].any(), wait_max };
                    ccw[i] = In { copy_trees: trees_ccw[i], control_in: ccw[(i + 1) % $stops].control_out };
                    ccw[i].data_in = ccw[(i + 1) % $stops].data_out;
                    ccw[i].own_in = ccw[(i + 1) % $stops].own_out;
                    ccw[i].forwards_in = ccw[(i + 1) % $stops].forwards_out;
                    ccw[i].forward_copies_in = ccw[(i + 1) % $stops].forward_copies_out;
                    ccw[i].look_ahead_in = ccw[(i + 1) % $stops].look_ahead_out;
                    link(insert_ccw[i], ccw[i].insert);
                    link(copy_ccw[i], ccw[i].copy);
                    control_ccw[i] = ccw[i].copy_control;
                    busy_ccw[i] = ccw[i].busy;
                    wait_over_ccw[i] = ccw[i].wait_over;
                }
                // With two registers per hop: the second one stands in front of each stop.
                for i in 0..R {
                    cw_hop[i].control_in = cw[(i + $last) % $stops].control_out;
                    cw_hop[i].data_in = cw[(i + $last) % $stops].data_out;
                    cw_hop[i].own_in = cw[(i + $last) % $stops].own_out;
                    cw_hop[i].forwards_in = cw[(i + $last) % $stops].forwards_out;
                    cw_hop[i].forward_copies_in = cw[(i + $last) % $stops].forward_copies_out;
                    cw_hop[i].look_ahead_in = cw[(i + $last) % $stops].look_ahead_out;
                    cw[i] = In { control_in: cw_hop[i].control_out, data_in: cw_hop[i].data_out };
                    cw[i] = In { own_in: cw_hop[i].own_out, forwards_in: cw_hop[i].forwards_out };
                    cw[i].forward_copies_in = cw_hop[i].forward_copies_out;
                    cw[i].look_ahead_in = cw_hop[i].look_ahead_out;

                    ccw_hop[i].control_in = ccw[(i + 1) % $stops].control_out;
                    ccw_hop[i].data_in = ccw[(i + 1) % $stops].data_out;
                    ccw_hop[i].own_in = ccw[(i + 1) % $stops].own_out;
                    ccw_hop[i].forwards_in = ccw[(i + 1) % $stops].forwards_out;
                    ccw_hop[i].forward_copies_in = ccw[(i + 1) % $stops].forward_copies_out;
                    ccw_hop[i].look_ahead_in = ccw[(i + 1) % $stops].look_ahead_out;
                    ccw[i] = In { control_in: ccw_hop[i].control_out, data_in: ccw_hop[i].data_out };
                    ccw[i] = In { own_in: ccw_hop[i].own_out, forwards_in: ccw_hop[i].forwards_out };
                    ccw[i].forward_copies_in = ccw_hop[i].forward_copies_out;
                    ccw[i].look_ahead_in = ccw_hop[i].look_ahead_out;
                }
                for e in 0..E {
                    for i in 0..$stops {
                        cw[i].core_edge[e] = core_edge[e];
                        ccw[i].core_edge[e] = core_edge[e];
                    }
                }
                orphan_cw = cw[0].orphan;
                orphan_ccw = ccw[0].orphan;
            }

            fn timing(&self) -> Vec<TimingInfo> {
                ring_label(
                    "time_ring",
                    &[("stops", $stops.to_string()), ("data", W.to_string())],
                    [("second_registers", R), ("core_edges", E)],
                )
            }
        }
    };
}

time_ring!(TimeRing4, 4, 3);
time_ring!(TimeRing8, 8, 7);
time_ring!(TimeRing12, 12, 11);
time_ring!(TimeRing16, 16, 15);
time_ring!(TimeRing24, 24, 23);
time_ring!(TimeRing32, 32, 31);
time_ring!(TimeRing48, 48, 47);
