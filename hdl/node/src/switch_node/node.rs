//! The node, one type per beat width.

use super::bus::{NodeBus, NODE_ADDRESS_BITS};
use super::SwitchNodeConfig;
use flitforge_hdl_fabric::port::{FabLink1, FabLink2};
use flitforge_hdl_fabric::switch::{FabSwitch, SwitchIngress};
use flitforge_hdl_fabric::vl::{AGE_BITS, RUN_BITS};
use flitforge_hdl_link::gearbox::ROW_BITS;
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link_registers::{vl_en, MAX_VLS};

macro_rules! switch_node {
    ($name:ident, $link:ident, $flits:literal, $lanes:literal, $bits:literal, $descriptor:literal, $x:literal, $agent:literal) => {
        /// A switch of `P` ports (`Q` = `P` + 1, `PL` = `P` times the lanes of a link) and `N` virtual lanes (`M` = `N` + 1, `VIEW_W` = 16 `N`), with
        /// 2^`A` routes and 2^`B` beats per buffer (`C` = `B` + 1); `SLOT_W` and `ADDRESS_W` are those of the port of a link. See the
        /// [module](super).
        #[block("switch_node", new, f = $flits, lanes = $lanes, ports = P, vls = N, depth = 1usize << B)]
        pub struct $name<
            const SLOT_W: usize,
            const ADDRESS_W: usize,
            const N: usize,
            const M: usize,
            const VIEW_W: usize,
            const P: usize,
            const Q: usize,
            const A: usize,
            const B: usize,
            const C: usize,
            const PL: usize,
        > {
            /// Core clock.
            clock: In<Clock>,
            /// Synchronous clear: all links Down, nothing is held. Registers, tables and counters stay.
            clear: In<Bit>,
            /// Register bus: page and word of it (byte offset / 8).
            addr: In<Bits<NODE_ADDRESS_BITS>>,
            /// Register bus: value of a write.
            wdata: In<Bits<64>>,
            /// Register bus: asks for a write.
            we: In<Bit>,
            /// Register bus: asks for a read.
            re: In<Bit>,
            /// Register bus: the value, with `ack` of a read.
            rdata: Out<Bits<64>>,
            /// Register bus: the request is done.
            ack: Out<Bit>,
            /// Beats of the agent's packets, what they are above them, the output port above all.
            pub agent_in: StreamIn<Bits<$agent>>,
            /// Beats for the agent by lane, with the input above them.
            pub agent_out: [StreamOut<Bits<$x>>; N],
            /// AU free in the buffers of the internal port, by lane.
            agent_released: Out<Bits<N>>,
            /// An event of MASK has happened, by port.
            interrupt: [Out<Bit>; P],
            /// Beats of time flits to send, by port; the payload may change while it waits.
            pub time_in: [StreamIn<Bits<$bits>>; P],
            /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
            time_mode: [In<Bit>; P],
            /// An original LTP is open or may be opened.
            tx_open: [Out<Bit>; P],
            /// SPC flits received, in their beats.
            pub spc_out: [FlowOut<Bits<$bits>>; P],
            /// With `spc_out`: the beat comes from a replay.
            beat_late: [Out<Bit>; P],
            /// With `spc_out`: place of the beat in its LTP.
            beat_index: [Out<Bits<4>>; P],
            /// With `spc_out`: sequence state of the LTP.
            beat_state: [Out<Bits<2>>; P],
            /// Numbers start at 0.
            restart: [Out<Bit>; P],
            /// State, as STATUS has it.
            state: [Out<Bits<3>>; P],
            /// Lanes sent on.
            tx_lanes: [Out<Bits<4>>; P],
            /// Lanes received on, by the sender's numbers.
            rx_lanes: [Out<Bits<4>>; P],
            /// Pulse: the lane test takes the lanes (state Bist).
            bist_start: [In<Bit>; P],
            /// Pulse: it is over.
            bist_end: [In<Bit>; P],
            /// Rows of the lane test, taken in Bist.
            pub test_rows_in: [StreamIn<Bits<ROW_BITS>>; P],
            /// Rows received in Bist.
            pub test_rows_out: [FlowOut<Bits<ROW_BITS>>; P],
            /// With `test_rows_out`: its bad words.
            test_row_error: [Out<Bits<4>>; P],
            /// For tests: LTPs are kept with wrong parity.
            damage: [In<Bit>; P],
            /// Lanes on which the PHY has a signal.
            signal_ok: [In<Bits<4>>; P],
            /// Lanes on which the PHY has found the word boundary.
            lane_lock: [In<Bits<4>>; P],
            /// Lanes the PHY is to invert.
            invert: [Out<Bits<4>>; P],
            /// Pulse per lane: the PHY is to move the word boundary by one bit.
            slip: [Out<Bits<4>>; P],
            /// Pulse: a lane FIFO of the PHY ran over or empty.
            elastic_error: [In<Bit>; P],
            /// Words in lane 0's elastic FIFO.
            elastic_fill: [In<Bits<8>>; P],
            /// To the PHY, lane i of port p in element `lanes` p + i: word in bits 31..0, ctl in bit 32.
            pub tx: [StreamOut<Bits<LANE_BITS>>; PL],
            /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
            pub rx: [FlowIn<Bits<LANE_IN_BITS>>; PL],

            #[wire(clock, clear)]
            links: Vec<$link<$lanes, SLOT_W, ADDRESS_W, N, M, VIEW_W>>,
            #[wire(clock, clear)]
            ingresses: Vec<SwitchIngress<N, $descriptor>>,
            #[wire(clock, clear)]
            switch: FabSwitch<$flits, $bits, $descriptor, $x, $agent, N, VIEW_W, P, Q, A, B, C>,
            #[wire(clock, clear)]
            bus: NodeBus<Q>,
            ups: Local<Bits<P>>,
            losses: Local<Bits<P>>,
            #[init(0)]
            nobody: Constant<Bits<N>>,
        }

        #[logic]
        impl<
                const SLOT_W: usize,
                const ADDRESS_W: usize,
                const N: usize,
                const M: usize,
                const VIEW_W: usize,
                const P: usize,
                const Q: usize,
                const A: usize,
                const B: usize,
                const C: usize,
                const PL: usize,
            > $name<SLOT_W, ADDRESS_W, N, M, VIEW_W, P, Q, A, B, C, PL>
        {
            /// A switch whose links are Down, or the reason why not. The numbers of `config` must be those of the type.
            pub fn new(config: &SwitchNodeConfig) -> Result<Self, ConfigError> {
                config.check()?;
                let name = "switch_node";
                check_derived(name, "P", P as u64, "ports", config.ports as u64)?;
                check_derived(name, "PL", PL as u64, "ports x lanes", $lanes * P as u64)?;
                config.port.check_depth(B)?;
                Ok(Self {
                    links: (0..P).map(|_| $link::new(&config.port)).collect::<Result<_, _>>()?,
                    ingresses: (0..P).map(|_| SwitchIngress::default()).collect(),
                    switch: FabSwitch::new(config.port.packets().mtu)?,
                    ..
                })
            }

            fn update(&mut self) {
                // Registers: the ports, and the switch after them.
                bus = In { addr, we, re };
                Out { rdata, ack } = bus;
                switch.bus = In { address: bus.word, wdata };
                let mut acks: Bits<Q> = 0;
                for i in P..Q {
                    bus.page_rdata[i] = switch.bus.rdata;
                    acks = acks.with(i, switch.bus.ack);
                    switch.bus = In { write: bus.page_we[i], request: bus.page_we[i] | bus.page_re[i] };
                }

                ups = 0;
                losses = 0;
                for p in 0..P {
                    links[p] = In { addr: bus.word, wdata, we: bus.page_we[p], re: bus.page_re[p] };
                    bus.page_rdata[p] = links[p].rdata;
                    acks = acks.with(p, links[p].ack);

                    // From the link to the switch.
                    ingresses[p] = In { state: links[p].state, starts: links[p].starts };
                    ingresses[p] = In { begins: links[p].begins, overrun: links[p].overrun };
                    links[p].spilled = ingresses[p].spilled;
                    join(links[p].beats_out, ingresses[p].beats_in);
                    join(ingresses[p].beats_out, switch.lanes_in[p]);
                    ups = ups.with(p, ingresses[p].up);
                    losses = losses.with(p, ingresses[p].lost);
                    ingresses[p].freed = switch.released[p];
                    links[p] = In { released: ingresses[p].released, emptied: nobody, good: false };
                    links[p].bad = false;

                    // From the switch to the link.
                    join(switch.beats_out[p], links[p].beats_in);
                    switch.credit[p] = links[p].available;
                    switch.may_send[p] = links[p].may_send;
                    links[p] = In { sent: switch.sent[p], sent_ends: switch.sent_ends[p] };
                    switch.priorities[p] = links[p].vl_arb;
                    switch.preempt[p] = links[p].vl_en.bits::<MAX_VLS>(0);
                    switch.bubble[p] = links[p].vl_en.bits::<MAX_VLS>(16);
                    switch.min_run[p] = links[p].vl_en.bits::<RUN_BITS>(32);
                    switch.age[p] = links[p].vl_en.bits::<AGE_BITS>(40);

                    // What only the link looks at.
                    interrupt[p] = links[p].interrupt;
                    link(time_in[p], links[p].time_in);
                    links[p].time_mode = time_mode[p];
                    tx_open[p] = links[p].tx_open;
                    link(spc_out[p], links[p].spc_out);
                    beat_late[p] = links[p].beat_late;
                    beat_index[p] = links[p].beat_index;
                    beat_state[p] = links[p].beat_state;
                    restart[p] = links[p].restart;
                    state[p] = links[p].state;
                    tx_lanes[p] = links[p].tx_lanes;
                    rx_lanes[p] = links[p].rx_lanes;
                    links[p] = In { bist_start: bist_start[p], bist_end: bist_end[p] };
                    link(test_rows_in[p], links[p].test_rows_in);
                    link(test_rows_out[p], links[p].test_rows_out);
                    test_row_error[p] = links[p].test_row_error;
                    links[p] = In { damage: damage[p], signal_ok: signal_ok[p], lane_lock: lane_lock[p] };
                    invert[p] = links[p].invert;
                    slip[p] = links[p].slip;
                    links[p] = In { elastic_error: elastic_error[p], elastic_fill: elastic_fill[p] };
                    for i in 0..$lanes {
                        link(tx[p * $lanes + i], links[p].tx[i]);
                        link(rx[p * $lanes + i], links[p].rx[i]);
                    }
                }
                switch = In { up: ups, lost: losses };
                bus.page_ack = acks;

                // The internal port.
                link(agent_in, switch.agent_in);
                for v in 0..N {
                    link(agent_out[v], switch.agent_out[v]);
                }
                agent_released = switch.agent_released;
            }
        }
    };
}

switch_node!(SwitchNode1, FabLink1, 1, 1, 65, 74, 70, 79);
switch_node!(SwitchNode2, FabLink2, 2, 4, 130, 139, 135, 144);

const _: () = assert!(vl_en::preempt::LOW == 0 && vl_en::bubble::LOW == 16 && vl_en::min_run::LOW == 32);
const _: () = assert!(vl_en::age::LOW == 40);
