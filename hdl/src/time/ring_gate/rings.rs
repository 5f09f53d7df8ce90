//! Both rings with their gates, wired; every size is a type of its own, as in `time_ring`.

use super::{RingGate, RingPhase, RingSeen, RingTally, TALLY_BITS};
use crate::config::{check_range, ConfigError};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn};
use crate::time::page::RING_EVENT_BITS;
use crate::time::ring::{RingConfig, CONTROL_BITS, TREES};
use crate::time::token::{
    TokenRing16, TokenRing4, TokenRing8, COMMAND_BITS, CYCLES_BITS, TAG_BITS, WAITED_BITS,
};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::MAX_RING_RATIO;

macro_rules! gated_ring {
    ($name:ident, $rings:ident, $stops:literal, $lines:literal) => {
        /// Two rings at a clock of their own; `W` bits of data, `I` = W + 5 bits of an insertion {data, parity, tree, kind}; `T` the number of stops, or
        /// 0 for rings without tokens: `command` does nothing then, and its outputs are 0. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const W: usize, const I: usize, const T: usize = $stops> {
            /// Core clock.
            pub clock: Signal<In, Clock>,
            /// Ring clock, M times the core clock; every core edge is a ring edge.
            pub ring_clock: Signal<In, Clock>,
            /// Synchronous clear of both rings.
            pub clear: Signal<In, Bit>,
            /// Insertions into the clockwise ring.
            pub insert_cw: [StreamIn<Bits<I>>; $stops],
            /// Insertions into the counter-clockwise ring.
            pub insert_ccw: [StreamIn<Bits<I>>; $stops],
            /// Trees copied from the clockwise ring.
            pub trees_cw: [Signal<In, Bits<TREES>>; $stops],
            /// Trees copied from the counter-clockwise ring.
            pub trees_ccw: [Signal<In, Bits<TREES>>; $stops],
            /// Data of slots copied from the clockwise ring, at core edges.
            pub copy_cw: [FlowOut<Bits<W>>; $stops],
            /// Data of slots copied from the counter-clockwise ring, at core edges.
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
            /// Copies dropped because others were in their way (RING_WAIT_OVER), in a core clock.
            pub dropped: Signal<Out, Bits<RING_EVENT_BITS>>,
            /// Slots that the monitors removed (ORPHAN), in a core clock.
            pub orphans: Signal<Out, Bits<RING_EVENT_BITS>>,
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
            phase: RingPhase,
            rings: $rings<W, I, T, 0, 1>,
            cw: Vec<RingGate<W, I>>,
            ccw: Vec<RingGate<W, I>>,
            busy: RingSeen<$lines>,
            over: RingSeen<$lines>,
            losses: RingSeen<1>,
            removed: RingTally,
            drops_cw: Vec<RingTally>,
            drops_ccw: Vec<RingTally>,
            dropped_now: DFF<Bits<RING_EVENT_BITS>>,
            cycles_now: DFF<Bits<CYCLES_BITS>>,
            waited_now: DFF<Bits<WAITED_BITS>>,
            tag_now: DFF<Bits<TAG_BITS>>,
            is_done: DFF<Bit>,
            is_lost: DFF<Bit>,
            core_edge: Signal<Local, Bit>,
            waits: Signal<Local, Bits<$lines>>,
            overs: Signal<Local, Bits<$lines>>,
            drops: Signal<Local, Bits<RING_EVENT_BITS>>,
            part: Signal<Local, Bits<TALLY_BITS>>,
            orphan: Signal<Local, Bits<2>>,
        }

        impl<const W: usize, const I: usize, const T: usize> $name<W, I, T> {
            /// Empty rings with M = `ratio` ring edges per core clock, 2 to 4.
            pub fn new(config: RingConfig, ratio: u64) -> Result<Self, ConfigError> {
                check_range("gated_ring", "ratio", ratio, 2, MAX_RING_RATIO.into())?;
                Ok(Self {
                    clock: Default::default(),
                    ring_clock: Default::default(),
                    clear: Default::default(),
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
                    dropped: Default::default(),
                    orphans: Default::default(),
                    command: Default::default(),
                    cycles: Default::default(),
                    waited: Default::default(),
                    tag: Default::default(),
                    done: Default::default(),
                    lost: Default::default(),
                    token_lost: Default::default(),
                    phase: RingPhase::new(ratio),
                    rings: $rings::new(RingConfig { core_edges: 1, ..config })?,
                    cw: (0..$stops).map(|_| RingGate::new(ratio)).collect(),
                    ccw: (0..$stops).map(|_| RingGate::new(ratio)).collect(),
                    busy: Default::default(),
                    over: Default::default(),
                    losses: Default::default(),
                    removed: Default::default(),
                    drops_cw: (0..$stops).map(|_| RingTally::default()).collect(),
                    drops_ccw: (0..$stops).map(|_| RingTally::default()).collect(),
                    dropped_now: Default::default(),
                    cycles_now: Default::default(),
                    waited_now: Default::default(),
                    tag_now: Default::default(),
                    is_done: Default::default(),
                    is_lost: Default::default(),
                    core_edge: Default::default(),
                    waits: Default::default(),
                    overs: Default::default(),
                    drops: Default::default(),
                    part: Default::default(),
                    orphan: Default::default(),
                })
            }
        }

        impl<const W: usize, const I: usize, const T: usize> Logic for $name<W, I, T> {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, cycles_now, waited_now, tag_now, is_done, is_lost, dropped_now);
                clock!(self, clock, phase, busy, over, removed, losses);
                self.phase.ring_clock.next = self.ring_clock.val();
                self.core_edge.next = self.phase.core_edge.val();
                self.rings.clock.next = self.ring_clock.val();
                self.rings.clear.next = self.clear.val();
                self.rings.core_edge[0].next = self.core_edge.val();

                // Ports.
                self.waits.next = 0.into();
                self.overs.next = 0.into();
                self.drops.next = 0.into();
                for i in 0..$stops {
                    self.cw[i].clock.next = self.ring_clock.val();
                    self.cw[i].clear.next = self.clear.val();
                    self.cw[i].core_edge.next = self.core_edge.val();
                    StreamIn::<Bits<I>>::link(&mut self.insert_cw[i], &mut self.cw[i].from_port);
                    self.rings.insert_cw[i].valid.next = self.cw[i].insert.valid.val();
                    self.rings.insert_cw[i].data.next = self.cw[i].insert.data.val();
                    self.cw[i].insert.ready.next = self.rings.insert_cw[i].ready.val();
                    self.rings.trees_cw[i].next = self.trees_cw[i].val();
                    self.cw[i].copy.valid.next = self.rings.copy_cw[i].valid.val();
                    self.cw[i].copy.data.next = self.rings.copy_cw[i].data.val();
                    self.cw[i].copy_control.next = self.rings.control_cw[i].val();
                    FlowOut::<Bits<W>>::link(&mut self.copy_cw[i], &mut self.cw[i].landed);
                    self.control_cw[i].next = self.cw[i].landed_control.val();

                    self.ccw[i].clock.next = self.ring_clock.val();
                    self.ccw[i].clear.next = self.clear.val();
                    self.ccw[i].core_edge.next = self.core_edge.val();
                    StreamIn::<Bits<I>>::link(&mut self.insert_ccw[i], &mut self.ccw[i].from_port);
                    self.rings.insert_ccw[i].valid.next = self.ccw[i].insert.valid.val();
                    self.rings.insert_ccw[i].data.next = self.ccw[i].insert.data.val();
                    self.ccw[i].insert.ready.next = self.rings.insert_ccw[i].ready.val();
                    self.rings.trees_ccw[i].next = self.trees_ccw[i].val();
                    self.ccw[i].copy.valid.next = self.rings.copy_ccw[i].valid.val();
                    self.ccw[i].copy.data.next = self.rings.copy_ccw[i].data.val();
                    self.ccw[i].copy_control.next = self.rings.control_ccw[i].val();
                    FlowOut::<Bits<W>>::link(&mut self.copy_ccw[i], &mut self.ccw[i].landed);
                    self.control_ccw[i].next = self.ccw[i].landed_control.val();

                    self.waits.next = self
                        .waits
                        .val()
                        .replace_bit(2 * i, self.rings.busy_cw[i].val())
                        .replace_bit(2 * i + 1, self.rings.busy_ccw[i].val());
                    self.overs.next = self
                        .overs
                        .val()
                        .replace_bit(2 * i, self.rings.wait_over_cw[i].val())
                        .replace_bit(2 * i + 1, self.rings.wait_over_ccw[i].val());
                    self.drops_cw[i].clock.next = self.clock.val();
                    self.drops_cw[i].ring_clock.next = self.ring_clock.val();
                    self.drops_cw[i].core_edge.next = self.core_edge.val();
                    self.drops_cw[i].events.next = self.cw[i].dropped.val();
                    self.drops_ccw[i].clock.next = self.clock.val();
                    self.drops_ccw[i].ring_clock.next = self.ring_clock.val();
                    self.drops_ccw[i].core_edge.next = self.core_edge.val();
                    self.drops_ccw[i].events.next = self.ccw[i].dropped.val();
                    self.part.next = self.drops_cw[i].count.val();
                    self.drops.next =
                        self.drops.val() + bit_cast::<RING_EVENT_BITS, TALLY_BITS>(self.part.val());
                    self.part.next = self.drops_ccw[i].count.val();
                    self.drops.next =
                        self.drops.val() + bit_cast::<RING_EVENT_BITS, TALLY_BITS>(self.part.val());
                }

                // What happens. An insertion waits or is given up once in a core clock at most, so to see it is to count it.
                self.busy.ring_clock.next = self.ring_clock.val();
                self.busy.core_edge.next = self.core_edge.val();
                self.busy.lines.next = self.waits.val();
                self.over.ring_clock.next = self.ring_clock.val();
                self.over.core_edge.next = self.core_edge.val();
                self.over.lines.next = self.overs.val();
                for i in 0..$stops {
                    self.busy_cw[i].next = self.busy.seen.val().get_bit(2 * i);
                    self.busy_ccw[i].next = self.busy.seen.val().get_bit(2 * i + 1);
                    self.wait_over_cw[i].next = self.over.seen.val().get_bit(2 * i);
                    self.wait_over_ccw[i].next = self.over.seen.val().get_bit(2 * i + 1);
                }
                self.dropped_now.d.next = self.drops.val();
                self.dropped.next = self.dropped_now.q.val();
                self.orphan.next = 0.into();
                self.orphan.next = self
                    .orphan
                    .val()
                    .replace_bit(0, self.rings.orphan_cw.val())
                    .replace_bit(1, self.rings.orphan_ccw.val());
                self.removed.ring_clock.next = self.ring_clock.val();
                self.removed.core_edge.next = self.core_edge.val();
                self.removed.events.next = self.orphan.val();
                self.orphans.next = bit_cast::<RING_EVENT_BITS, TALLY_BITS>(self.removed.count.val());

                // Tokens.
                self.rings.command.valid.next = self.command.valid.val() & self.core_edge.val();
                self.rings.command.data.next = self.command.data.val();
                self.cycles_now.d.next = self.rings.cycles.val();
                self.waited_now.d.next = self.rings.waited.val();
                self.tag_now.d.next = self.rings.tag.val();
                self.is_done.d.next = self.rings.done.val();
                self.is_lost.d.next = self.rings.lost.val();
                self.cycles.next = self.cycles_now.q.val();
                self.waited.next = self.waited_now.q.val();
                self.tag.next = self.tag_now.q.val();
                self.done.next = self.is_done.q.val();
                self.lost.next = self.is_lost.q.val();
                self.losses.ring_clock.next = self.ring_clock.val();
                self.losses.core_edge.next = self.core_edge.val();
                self.losses.lines.next = bit_cast::<1, 1>(self.rings.token_lost.val().into());
                self.token_lost.next = self.losses.seen.val().any();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label(
                    "gated_ring",
                    &[("stops", $stops.to_string()), ("data", W.to_string()), ("tokens", T.to_string())],
                )
            }
        }

        drive_ports!(impl[const W: usize, const I: usize, const T: usize] $name<W, I, T> {
            clock, ring_clock, clear, insert_cw, insert_ccw, trees_cw, trees_ccw, copy_cw, copy_ccw, control_cw, control_ccw,
            busy_cw, busy_ccw, wait_over_cw, wait_over_ccw, dropped, orphans, command, cycles, waited, tag, done, lost,
            token_lost,
        });
    };
}

gated_ring!(GatedRing4, TokenRing4, 4, 8);
gated_ring!(GatedRing8, TokenRing8, 8, 16);
gated_ring!(GatedRing16, TokenRing16, 16, 32);
