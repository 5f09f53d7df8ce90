//! Both rings with their gates, wired; every size is a type of its own, as in `time_ring`.

use super::{RingGate, RingPhase, RingSeen, RingTally, TALLY_BITS};
use crate::page::RING_EVENT_BITS;
use crate::ring::{RingConfig, CONTROL_BITS, TREES};
use crate::token::{TokenRing16, TokenRing4, TokenRing8, COMMAND_BITS, CYCLES_BITS, TAG_BITS, WAITED_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::MAX_RING_RATIO;

macro_rules! gated_ring {
    ($name:ident, $rings:ident, $stops:literal, $lines:literal) => {
        /// Two rings at a clock of their own; `W` bits of data, `I` = W + 5 bits of an insertion {data, parity, tree, kind}; `T` the number of stops, or
        /// 0 for rings without tokens: `command` does nothing then, and its outputs are 0. See the [module](super).
        #[block("gated_ring", new, stops = $stops, data = W, tokens = T)]
        pub struct $name<const W: usize, const I: usize, const T: usize = $stops> {
            /// Core clock.
            clock: In<Clock>,
            /// Ring clock, M times the core clock; every core edge is a ring edge.
            ring_clock: In<Clock>,
            /// Synchronous clear of both rings.
            clear: In<Bit>,
            /// Insertions into the clockwise ring.
            pub insert_cw: [StreamIn<Bits<I>>; $stops],
            /// Insertions into the counter-clockwise ring.
            pub insert_ccw: [StreamIn<Bits<I>>; $stops],
            /// Trees copied from the clockwise ring.
            trees_cw: [In<Bits<TREES>>; $stops],
            /// Trees copied from the counter-clockwise ring.
            trees_ccw: [In<Bits<TREES>>; $stops],
            /// Data of slots copied from the clockwise ring, at core edges.
            pub copy_cw: [FlowOut<Bits<W>>; $stops],
            /// Data of slots copied from the counter-clockwise ring, at core edges.
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
            /// Copies dropped because others were in their way (RING_WAIT_OVER), in a core clock.
            dropped: Out<Bits<RING_EVENT_BITS>>,
            /// Slots that the monitors removed (ORPHAN), in a core clock.
            orphans: Out<Bits<RING_EVENT_BITS>>,
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
            #[wire(clock)]
            phase: RingPhase,
            rings: $rings<W, I, T, 0, 1>,
            #[wire(clock = ring_clock, clear)]
            cw: Vec<RingGate<W, I>>,
            #[wire(clock = ring_clock, clear)]
            ccw: Vec<RingGate<W, I>>,
            #[wire(clock)]
            busy: RingSeen<$lines>,
            #[wire(clock)]
            over: RingSeen<$lines>,
            #[wire(clock)]
            losses: RingSeen<1>,
            #[wire(clock)]
            removed: RingTally,
            #[wire(clock)]
            drops_cw: Vec<RingTally>,
            #[wire(clock)]
            drops_ccw: Vec<RingTally>,
            dropped_now: Reg<Bits<RING_EVENT_BITS>>,
            cycles_now: Reg<Bits<CYCLES_BITS>>,
            waited_now: Reg<Bits<WAITED_BITS>>,
            tag_now: Reg<Bits<TAG_BITS>>,
            is_done: Reg<Bit>,
            is_lost: Reg<Bit>,
            core_edge: Local<Bit>,
            waits: Local<Bits<$lines>>,
            overs: Local<Bits<$lines>>,
            drops: Local<Bits<RING_EVENT_BITS>>,
            part: Local<Bits<TALLY_BITS>>,
        }

        #[logic]
        impl<const W: usize, const I: usize, const T: usize> $name<W, I, T> {
            /// Empty rings with M = `ratio` ring edges per core clock, 2 to 4.
            pub fn new(config: RingConfig, ratio: u64) -> Result<Self, ConfigError> {
                check_range("gated_ring", "ratio", ratio, 2, MAX_RING_RATIO.into())?;
                Ok(Self {
                    phase: RingPhase::new(ratio),
                    rings: $rings::new(RingConfig { core_edges: 1, ..config })?,
                    cw: (0..$stops).map(|_| RingGate::new(ratio)).collect(),
                    ccw: (0..$stops).map(|_| RingGate::new(ratio)).collect(),
                    drops_cw: (0..$stops).map(|_| RingTally::default()).collect(),
                    drops_ccw: (0..$stops).map(|_| RingTally::default()).collect(),
                    ..
                })
            }

            fn update(&mut self) {
                phase.ring_clock = ring_clock;
                core_edge = phase.core_edge;
                rings = In { clock: ring_clock, clear };
                rings.core_edge[0] = core_edge;

                // Ports.
                waits = 0;
                overs = 0;
                drops = 0;
                for i in 0..$stops {
                    cw[i].core_edge = core_edge;
                    link(insert_cw[i], cw[i].from_port);
                    rings.insert_cw[i] = In { valid: cw[i].insert.valid, data: cw[i].insert.data };
                    cw[i].insert.ready = rings.insert_cw[i].ready;
                    rings.trees_cw[i] = trees_cw[i];
                    cw[i].copy = In { valid: rings.copy_cw[i].valid, data: rings.copy_cw[i].data };
                    cw[i].copy_control = rings.control_cw[i];
                    link(copy_cw[i], cw[i].landed);
                    control_cw[i] = cw[i].landed_control;

                    ccw[i].core_edge = core_edge;
                    link(insert_ccw[i], ccw[i].from_port);
                    rings.insert_ccw[i] = In { valid: ccw[i].insert.valid, data: ccw[i].insert.data };
                    ccw[i].insert.ready = rings.insert_ccw[i].ready;
                    rings.trees_ccw[i] = trees_ccw[i];
                    ccw[i].copy = In { valid: rings.copy_ccw[i].valid, data: rings.copy_ccw[i].data };
                    ccw[i].copy_control = rings.control_ccw[i];
                    link(copy_ccw[i], ccw[i].landed);
                    control_ccw[i] = ccw[i].landed_control;

                    waits = waits.with(2 * i, rings.busy_cw[i]).with(2 * i + 1, rings.busy_ccw[i]);
                    overs = overs.with(2 * i, rings.wait_over_cw[i]).with(2 * i + 1, rings.wait_over_ccw[i]);
                    drops_cw[i] = In { ring_clock, core_edge, events: cw[i].dropped };
                    drops_ccw[i] = In { ring_clock, core_edge, events: ccw[i].dropped };
                    part = drops_cw[i].count;
                    drops = drops + bit_cast::<RING_EVENT_BITS, TALLY_BITS>(part);
                    part = drops_ccw[i].count;
                    drops = drops + bit_cast::<RING_EVENT_BITS, TALLY_BITS>(part);
                }

                // What happens. An insertion waits or is given up once in a core clock at most, so to see it is to count it.
                busy = In { ring_clock, core_edge, lines: waits };
                over = In { ring_clock, core_edge, lines: overs };
                for i in 0..$stops {
                    busy_cw[i] = busy.seen[2 * i];
                    busy_ccw[i] = busy.seen[2 * i + 1];
                    wait_over_cw[i] = over.seen[2 * i];
                    wait_over_ccw[i] = over.seen[2 * i + 1];
                }
                dropped_now = drops;
                dropped = dropped_now;
                let mut orphan: Bits<2> = 0;
                orphan = orphan.with(0, rings.orphan_cw).with(1, rings.orphan_ccw);
                removed = In { ring_clock, core_edge, events: orphan };
                orphans = bit_cast::<RING_EVENT_BITS, TALLY_BITS>(removed.count);

                // Tokens.
                rings.command = In { valid: command.valid & core_edge, data: command.data };
                Out { cycles: cycles_now, waited: waited_now, tag: tag_now, done: is_done } = rings;
                is_lost = rings.lost;
                cycles = cycles_now;
                waited = waited_now;
                tag = tag_now;
                done = is_done;
                lost = is_lost;
                losses = In { ring_clock, core_edge, lines: bit_cast::<1, 1>(rings.token_lost.into()) };
                token_lost = losses.seen.any();
            }
        }
    };
}

gated_ring!(GatedRing4, TokenRing4, 4, 8);
gated_ring!(GatedRing8, TokenRing8, 8, 16);
gated_ring!(GatedRing16, TokenRing16, 16, 32);
