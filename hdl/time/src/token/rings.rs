//! Both rings with their token stops, wired for each number of stops; every size is a type of its own, as in `time_ring`.

use super::{TokenControl, TokenStop, COMMAND_BITS, CYCLES_BITS, TAG_BITS, TOKEN_BITS, WAITED_BITS};
use crate::ring::{ring_label, HopRegister, RingConfig, RingStop, CONTROL_BITS, ID_BITS, TREES, WAIT_BITS};
use flitforge_hdl_prim::prelude::*;

macro_rules! token_ring {
    ($name:ident, $stops:literal, $last:literal) => {
        /// Two rings; `W` bits of data, `I` = W + 5 bits of an insertion {data, parity, tree, kind}; `T` the number of stops, or 0 for
        /// rings without tokens: `command` does nothing then, and its outputs are 0; `R` = stops (S - 1) second registers of hops in
        /// a ring, which needs tokens; `E` = 1 with several ring edges per core clock. See the [module](super).
        #[block(new)]
        pub struct $name<
            const W: usize,
            const I: usize,
            const T: usize = $stops,
            const R: usize = 0,
            const E: usize = 0,
        > {
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
            /// A token to be sent, see `token_command`.
            pub command: FlowIn<Bits<COMMAND_BITS>>,
            /// Ring cycles C; counts with `done`.
            cycles: Out<Bits<CYCLES_BITS>>,
            /// Ring cycles waited at the target; counts with `done`.
            waited: Out<Bits<WAITED_BITS>>,
            /// Tag of the last command.
            tag: Out<Bits<TAG_BITS>>,
            /// The token is home.
            done: Out<Bit>,
            /// The token is lost.
            lost: Out<Bit>,
            /// Event: a token is lost (TOKEN_LOST).
            token_lost: Out<Bit>,
            #[wire(clock, clear)]
            cw: Vec<RingStop<W, I, E>>,
            #[wire(clock, clear)]
            ccw: Vec<RingStop<W, I, E>>,
            #[wire(clock, clear)]
            cw_hop: Vec<HopRegister<W>>,
            #[wire(clock, clear)]
            ccw_hop: Vec<HopRegister<W>>,
            #[wire(clock, clear)]
            parts: Vec<TokenStop<I>>,
            control: Vec<TokenControl>,
            #[init(|stop| stop)]
            id: [Constant<Bits<ID_BITS>>; $stops],
            wait_max: Constant<Bits<WAIT_BITS>>,
        }

        #[logic]
        impl<const W: usize, const I: usize, const T: usize, const R: usize, const E: usize>
            $name<W, I, T, R, E>
        {
            /// Empty rings.
            pub fn new(config: RingConfig) -> Result<Self, ConfigError> {
                RingConfig { stops: $stops, ..config }.check(W, I, R, E)?;
                if R > 0 {
                    check_derived("ring_token", "T", T as u64, "stops", $stops)?;
                }
                Ok(Self {
                    cw: (0..$stops).map(|_| RingStop::default()).collect(),
                    ccw: (0..$stops).map(|_| RingStop::default()).collect(),
                    cw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    ccw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    parts: (0..T).map(|_| TokenStop::default()).collect(),
                    control: ($last..T).map(|_| TokenControl::new($stops * config.hop_registers)).collect(),
                    wait_max: Constant::new(config.wait_max.into()),
                    ..
                })
            }

            fn update(&mut self) {
                self.wire_stops();
                self.wire_tokens();
                self.add_registers();
                for i in 1..T {
                    parts[i].command.valid = parts[i - 1].command_out.valid;
                    parts[i].command.data = parts[i - 1].command_out.data;
                    parts[i].report = parts[i - 1].report_out;
                }
                cycles = 0;
                waited = 0;
                tag = 0;
                done = false;
                lost = false;
                token_lost = false;
                for _i in $last..T {
                    control[0] = In { clock, clear };
                    control[0].command = In { valid: command.valid, data: command.data };
                    control[0].report = parts[$last].report_out;
                    parts[0].command.valid = control[0].command_out.valid;
                    parts[0].command.data = control[0].command_out.data;
                    parts[0].report = 0;
                    Out { cycles, waited, tag, done, lost, token_lost } = control[0];
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

            /// Rings; insertions come from the ports as they are.
            fn wire_stops(&mut self) {
                for i in 0..$stops {
                    cw[i] = In { own_id: id[i], own_parity: id[i].xor(), own_is_next: false };
                    cw[i].insert = In { valid: insert_cw[i].valid, data: insert_cw[i].data };
                    insert_cw[i].ready = cw[i].insert.ready;
                    cw[i] = In { second_id: id[(i + 2) % $stops], third_id: id[(i + 3) % $stops] };
                    cw[i] = In { monitor: i == 0, second_is_monitor: !id[(i + 2) % $stops].any(), wait_max };
                    cw[i] = In { copy_trees: trees_cw[i], control_in: cw[(i + $last) % $stops].control_out };
                    cw[i].data_in = cw[(i + $last) % $stops].data_out;
                    cw[i].own_in = cw[(i + $last) % $stops].own_out;
                    cw[i].forwards_in = cw[(i + $last) % $stops].forwards_out;
                    cw[i].forward_copies_in = cw[(i + $last) % $stops].forward_copies_out;
                    cw[i].look_ahead_in = cw[(i + $last) % $stops].look_ahead_out;
                    link(copy_cw[i], cw[i].copy);
                    control_cw[i] = cw[i].copy_control;
                    busy_cw[i] = cw[i].busy;
                    wait_over_cw[i] = cw[i].wait_over;

                    ccw[i] = In { own_id: id[i], own_parity: id[i].xor(), own_is_next: false };
                    ccw[i].insert = In { valid: insert_ccw[i].valid, data: insert_ccw[i].data };
                    insert_ccw[i].ready = ccw[i].insert.ready;
                    ccw[i].second_id = id[(i + $stops - 2) % $stops];
                    ccw[i] = In { third_id: id[(i + $stops - 3) % $stops], monitor: i == 0 };
                    ccw[i] = In { second_is_monitor: !id[(i + $stops - 2) % $stops].any(), wait_max };
                    ccw[i] = In { copy_trees: trees_ccw[i], control_in: ccw[(i + 1) % $stops].control_out };
                    ccw[i].data_in = ccw[(i + 1) % $stops].data_out;
                    ccw[i].own_in = ccw[(i + 1) % $stops].own_out;
                    ccw[i].forwards_in = ccw[(i + 1) % $stops].forwards_out;
                    ccw[i].forward_copies_in = ccw[(i + 1) % $stops].forward_copies_out;
                    ccw[i].look_ahead_in = ccw[(i + 1) % $stops].look_ahead_out;
                    link(copy_ccw[i], ccw[i].copy);
                    control_ccw[i] = ccw[i].copy_control;
                    busy_ccw[i] = ccw[i].busy;
                    wait_over_ccw[i] = ccw[i].wait_over;
                }
            }

            /// Tokens: their insertions go between.
            fn wire_tokens(&mut self) {
                for i in 0..T {
                    parts[i].own_id = id[i];
                    cw[i] = In { own_id: parts[i].source[0], own_parity: parts[i].source_parity[0] };
                    cw[i].own_is_next = parts[i].source_is_next[0];
                    parts[i].next_id[0] = id[(i + 1) % $stops];
                    parts[i].from_port[0] = In { valid: insert_cw[i].valid, data: insert_cw[i].data };
                    insert_cw[i].ready = parts[i].from_port[0].ready;
                    cw[i].insert = In { valid: parts[i].insert[0].valid, data: parts[i].insert[0].data };
                    parts[i].insert[0].ready = cw[i].insert.ready;
                    parts[i].arriving_control[0] = cw[(i + $last) % $stops].control_out;
                    parts[i].arriving_word[0] = cw[(i + $last) % $stops].data_out.bits::<TOKEN_BITS>(0);
                    parts[i].arriving_own[0] = cw[(i + $last) % $stops].own_out;
                    parts[i].held_control[0] = cw[i].control_out;
                    parts[i].held_word[0] = cw[i].data_out.bits::<TOKEN_BITS>(0);

                    ccw[i] = In { own_id: parts[i].source[1], own_parity: parts[i].source_parity[1] };
                    ccw[i].own_is_next = parts[i].source_is_next[1];
                    parts[i].next_id[1] = id[(i + $last) % $stops];
                    parts[i].from_port[1] = In { valid: insert_ccw[i].valid, data: insert_ccw[i].data };
                    insert_ccw[i].ready = parts[i].from_port[1].ready;
                    ccw[i].insert = In { valid: parts[i].insert[1].valid, data: parts[i].insert[1].data };
                    parts[i].insert[1].ready = ccw[i].insert.ready;
                    parts[i].arriving_control[1] = ccw[(i + 1) % $stops].control_out;
                    parts[i].arriving_word[1] = ccw[(i + 1) % $stops].data_out.bits::<TOKEN_BITS>(0);
                    parts[i].arriving_own[1] = ccw[(i + 1) % $stops].own_out;
                    parts[i].held_control[1] = ccw[i].control_out;
                    parts[i].held_word[1] = ccw[i].data_out.bits::<TOKEN_BITS>(0);
                }
            }

            /// With two registers per hop: the second one stands in front of each stop.
            fn add_registers(&mut self) {
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
                    parts[i].arriving_control[0] = cw_hop[i].control_out;
                    parts[i].arriving_word[0] = cw_hop[i].data_out.bits::<TOKEN_BITS>(0);
                    parts[i].arriving_own[0] = cw_hop[i].own_out;

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
                    parts[i].arriving_control[1] = ccw_hop[i].control_out;
                    parts[i].arriving_word[1] = ccw_hop[i].data_out.bits::<TOKEN_BITS>(0);
                    parts[i].arriving_own[1] = ccw_hop[i].own_out;
                }
            }

            fn timing(&self) -> Vec<TimingInfo> {
                ring_label(
                    "ring_token",
                    &[("stops", $stops.to_string()), ("data", W.to_string()), ("tokens", T.to_string())],
                    [("second_registers", R), ("core_edges", E)],
                )
            }
        }
    };
}

token_ring!(TokenRing4, 4, 3);
token_ring!(TokenRing8, 8, 7);
token_ring!(TokenRing12, 12, 11);
token_ring!(TokenRing16, 16, 15);
token_ring!(TokenRing24, 24, 23);
token_ring!(TokenRing32, 32, 31);
token_ring!(TokenRing48, 48, 47);
