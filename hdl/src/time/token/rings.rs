//! Both rings with their token stops, wired for each number of stops; every size is a type of its own, as in `time_ring`.

use super::{TokenControl, TokenStop, COMMAND_BITS, CYCLES_BITS, TAG_BITS, TOKEN_BITS, WAITED_BITS};
use crate::config::{check_derived, ConfigError};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn};
use crate::time::ring::{
    ring_label, HopRegister, RingConfig, RingStop, CONTROL_BITS, ID_BITS, TREES, WAIT_BITS,
};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use std::array;

macro_rules! token_ring {
    ($name:ident, $stops:literal, $last:literal) => {
        /// Two rings; `W` bits of data, `I` = W + 5 bits of an insertion {data, parity, tree, kind}; `T` the number of stops, or 0 for
        /// rings without tokens: `command` does nothing then, and its outputs are 0; `R` = stops (S - 1) second registers of hops in
        /// a ring, which needs tokens; `E` = 1 with several ring edges per core clock. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const W: usize, const I: usize, const T: usize = $stops, const R: usize = 0, const E: usize = 0> {
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
            /// A token to be sent, see `token_command`.
            pub command: FlowIn<Bits<COMMAND_BITS>>,
            /// Ring cycles C; counts with `done`.
            pub cycles: Signal<Out, Bits<CYCLES_BITS>>,
            /// Ring cycles waited at the target; counts with `done`.
            pub waited: Signal<Out, Bits<WAITED_BITS>>,
            /// Tag of the last command.
            pub tag: Signal<Out, Bits<TAG_BITS>>,
            /// The token is home.
            pub done: Signal<Out, Bit>,
            /// The token is lost.
            pub lost: Signal<Out, Bit>,
            /// Event: a token is lost (TOKEN_LOST).
            pub token_lost: Signal<Out, Bit>,
            cw: Vec<RingStop<W, I, E>>,
            ccw: Vec<RingStop<W, I, E>>,
            cw_hop: Vec<HopRegister<W>>,
            ccw_hop: Vec<HopRegister<W>>,
            parts: Vec<TokenStop<I>>,
            control: Vec<TokenControl>,
            id: [Constant<Bits<ID_BITS>>; $stops],
            wait_max: Constant<Bits<WAIT_BITS>>,
        }

        impl<const W: usize, const I: usize, const T: usize, const R: usize, const E: usize> $name<W, I, T, R, E> {
            /// Empty rings.
            pub fn new(config: RingConfig) -> Result<Self, ConfigError> {
                RingConfig { stops: $stops, ..config }.check(W, I, R, E)?;
                if R > 0 {
                    check_derived("ring_token", "T", T as u64, "stops", $stops)?;
                }
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
                    command: Default::default(),
                    cycles: Default::default(),
                    waited: Default::default(),
                    tag: Default::default(),
                    done: Default::default(),
                    lost: Default::default(),
                    token_lost: Default::default(),
                    cw: (0..$stops).map(|_| RingStop::default()).collect(),
                    ccw: (0..$stops).map(|_| RingStop::default()).collect(),
                    cw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    ccw_hop: (0..R).map(|_| HopRegister::default()).collect(),
                    parts: (0..T).map(|_| TokenStop::default()).collect(),
                    control: ($last..T).map(|_| TokenControl::new($stops * config.hop_registers)).collect(),
                    id: array::from_fn(|stop| Constant::new((stop as u64).into())),
                    wait_max: Constant::new(config.wait_max.into()),
                })
            }
        }

        impl<const W: usize, const I: usize, const T: usize, const R: usize, const E: usize> Logic for $name<W, I, T, R, E> {
            #[hdl_gen]
            fn update(&mut self) {
// Rings; insertions come from the ports as they are.
                for i in 0..$stops {
                    self.cw[i].clock.next = self.clock.val();
                    self.cw[i].clear.next = self.clear.val();
                    self.cw[i].own_id.next = self.id[i].val();
                    self.cw[i].own_parity.next = self.id[i].val().xor();
                    self.cw[i].own_is_next.next = false;
                    self.cw[i].insert.valid.next = self.insert_cw[i].valid.val();
                    self.cw[i].insert.data.next = self.insert_cw[i].data.val();
                    self.insert_cw[i].ready.next = self.cw[i].insert.ready.val();
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
                    FlowOut::<Bits<W>>::link(&mut self.copy_cw[i], &mut self.cw[i].copy);
                    self.control_cw[i].next = self.cw[i].copy_control.val();
                    self.busy_cw[i].next = self.cw[i].busy.val();
                    self.wait_over_cw[i].next = self.cw[i].wait_over.val();

                    self.ccw[i].clock.next = self.clock.val();
                    self.ccw[i].clear.next = self.clear.val();
                    self.ccw[i].own_id.next = self.id[i].val();
                    self.ccw[i].own_parity.next = self.id[i].val().xor();
                    self.ccw[i].own_is_next.next = false;
                    self.ccw[i].insert.valid.next = self.insert_ccw[i].valid.val();
                    self.ccw[i].insert.data.next = self.insert_ccw[i].data.val();
                    self.insert_ccw[i].ready.next = self.ccw[i].insert.ready.val();
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
                    FlowOut::<Bits<W>>::link(&mut self.copy_ccw[i], &mut self.ccw[i].copy);
                    self.control_ccw[i].next = self.ccw[i].copy_control.val();
                    self.busy_ccw[i].next = self.ccw[i].busy.val();
                    self.wait_over_ccw[i].next = self.ccw[i].wait_over.val();
                }

                // Tokens: their insertions go between.
                for i in 0..T {
                    self.parts[i].clock.next = self.clock.val();
                    self.parts[i].clear.next = self.clear.val();
                    self.parts[i].own_id.next = self.id[i].val();
                    self.cw[i].own_id.next = self.parts[i].source[0].val();
                    self.cw[i].own_parity.next = self.parts[i].source_parity[0].val();
                    self.cw[i].own_is_next.next = self.parts[i].source_is_next[0].val();
                    self.parts[i].next_id[0].next = self.id[(i + 1) % $stops].val();
                    self.parts[i].from_port[0].valid.next = self.insert_cw[i].valid.val();
                    self.parts[i].from_port[0].data.next = self.insert_cw[i].data.val();
                    self.insert_cw[i].ready.next = self.parts[i].from_port[0].ready.val();
                    self.cw[i].insert.valid.next = self.parts[i].insert[0].valid.val();
                    self.cw[i].insert.data.next = self.parts[i].insert[0].data.val();
                    self.parts[i].insert[0].ready.next = self.cw[i].insert.ready.val();
                    self.parts[i].arriving_control[0].next = self.cw[(i + $last) % $stops].control_out.val();
                    self.parts[i].arriving_word[0].next =
                        self.cw[(i + $last) % $stops].data_out.val().get_bits::<TOKEN_BITS>(0);
                    self.parts[i].arriving_own[0].next = self.cw[(i + $last) % $stops].own_out.val();
                    self.parts[i].held_control[0].next = self.cw[i].control_out.val();
                    self.parts[i].held_word[0].next =
                        self.cw[i].data_out.val().get_bits::<TOKEN_BITS>(0);

                    self.ccw[i].own_id.next = self.parts[i].source[1].val();
                    self.ccw[i].own_parity.next = self.parts[i].source_parity[1].val();
                    self.ccw[i].own_is_next.next = self.parts[i].source_is_next[1].val();
                    self.parts[i].next_id[1].next = self.id[(i + $last) % $stops].val();
                    self.parts[i].from_port[1].valid.next = self.insert_ccw[i].valid.val();
                    self.parts[i].from_port[1].data.next = self.insert_ccw[i].data.val();
                    self.insert_ccw[i].ready.next = self.parts[i].from_port[1].ready.val();
                    self.ccw[i].insert.valid.next = self.parts[i].insert[1].valid.val();
                    self.ccw[i].insert.data.next = self.parts[i].insert[1].data.val();
                    self.parts[i].insert[1].ready.next = self.ccw[i].insert.ready.val();
                    self.parts[i].arriving_control[1].next = self.ccw[(i + 1) % $stops].control_out.val();
                    self.parts[i].arriving_word[1].next =
                        self.ccw[(i + 1) % $stops].data_out.val().get_bits::<TOKEN_BITS>(0);
                    self.parts[i].arriving_own[1].next = self.ccw[(i + 1) % $stops].own_out.val();
                    self.parts[i].held_control[1].next = self.ccw[i].control_out.val();
                    self.parts[i].held_word[1].next =
                        self.ccw[i].data_out.val().get_bits::<TOKEN_BITS>(0);
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
                    self.parts[i].arriving_control[0].next = self.cw_hop[i].control_out.val();
                    self.parts[i].arriving_word[0].next =
                        self.cw_hop[i].data_out.val().get_bits::<TOKEN_BITS>(0);
                    self.parts[i].arriving_own[0].next = self.cw_hop[i].own_out.val();

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
                    self.parts[i].arriving_control[1].next = self.ccw_hop[i].control_out.val();
                    self.parts[i].arriving_word[1].next =
                        self.ccw_hop[i].data_out.val().get_bits::<TOKEN_BITS>(0);
                    self.parts[i].arriving_own[1].next = self.ccw_hop[i].own_out.val();
                }
                for i in 1..T {
                    self.parts[i].command.valid.next = self.parts[i - 1].command_out.valid.val();
                    self.parts[i].command.data.next = self.parts[i - 1].command_out.data.val();
                    self.parts[i].report.next = self.parts[i - 1].report_out.val();
                }
                self.cycles.next = 0.into();
                self.waited.next = 0.into();
                self.tag.next = 0.into();
                self.done.next = false;
                self.lost.next = false;
                self.token_lost.next = false;
                for _i in $last..T {
                    self.control[0].clock.next = self.clock.val();
                    self.control[0].clear.next = self.clear.val();
                    self.control[0].command.valid.next = self.command.valid.val();
                    self.control[0].command.data.next = self.command.data.val();
                    self.control[0].report.next = self.parts[$last].report_out.val();
                    self.parts[0].command.valid.next = self.control[0].command_out.valid.val();
                    self.parts[0].command.data.next = self.control[0].command_out.data.val();
                    self.parts[0].report.next = 0.into();
                    self.cycles.next = self.control[0].cycles.val();
                    self.waited.next = self.control[0].waited.val();
                    self.tag.next = self.control[0].tag.val();
                    self.done.next = self.control[0].done.val();
                    self.lost.next = self.control[0].lost.val();
                    self.token_lost.next = self.control[0].token_lost.val();
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
                ring_label("ring_token", &[("stops", $stops.to_string()), ("data", W.to_string()), ("tokens", T.to_string())], [("second_registers", R), ("core_edges", E)])
            }
        }

        drive_ports!(impl[const W: usize, const I: usize, const T: usize, const R: usize, const E: usize] $name<W, I, T, R, E> {
            clock, clear, core_edge, insert_cw, insert_ccw, trees_cw, trees_ccw, copy_cw, copy_ccw, control_cw, control_ccw,
            busy_cw, busy_ccw, wait_over_cw, wait_over_ccw, orphan_cw, orphan_ccw, command, cycles, waited, tag, done, lost,
            token_lost,
        });
    };
}

token_ring!(TokenRing4, 4, 3);
token_ring!(TokenRing8, 8, 7);
token_ring!(TokenRing12, 12, 11);
token_ring!(TokenRing16, 16, 15);
token_ring!(TokenRing24, 24, 23);
token_ring!(TokenRing32, 32, 31);
token_ring!(TokenRing48, 48, 47);
