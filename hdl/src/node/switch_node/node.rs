//! The node, one type per beat width.

use super::bus::{NodeBus, NODE_ADDRESS_BITS};
use super::SwitchNodeConfig;
use crate::config::{check_derived, ConfigError};
use crate::fabric::port::{FabLink1, FabLink2};
use crate::fabric::switch::{FabSwitch, SwitchDoor};
use crate::fabric::vl::{AGE_BITS, RUN_BITS};
use crate::link::gearbox::ROW_BITS;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::{vl_en, MAX_VLS};

macro_rules! switch_node {
    ($name:ident, $link:ident, $flits:literal, $lanes:literal, $bits:literal, $said:literal, $x:literal, $agent:literal) => {
        /// A switch of `P` ports (`Q` = `P` + 1, `PL` = `P` times the lanes of a link) and `N` virtual lanes (`M` = `N` + 1, `VIEW_W` = 16 `N`), with
        /// 2^`A` routes and 2^`B` beats per buffer (`C` = `B` + 1); `SLOT_W` and `ADDRESS_W` are those of the port of a link. See the
        /// [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const SLOT_W: usize, const ADDRESS_W: usize, const N: usize, const M: usize, const VIEW_W: usize, const P: usize, const Q: usize, const A: usize, const B: usize, const C: usize, const PL: usize> {
            /// Core clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear: all links Down, nothing is held. Registers, tables and counters stay.
            pub clear: Signal<In, Bit>,
            /// Register bus: page and word of it (byte offset / 8).
            pub addr: Signal<In, Bits<NODE_ADDRESS_BITS>>,
            /// Register bus: value of a write.
            pub wdata: Signal<In, Bits<64>>,
            /// Register bus: asks for a write.
            pub we: Signal<In, Bit>,
            /// Register bus: asks for a read.
            pub re: Signal<In, Bit>,
            /// Register bus: the value, with `ack` of a read.
            pub rdata: Signal<Out, Bits<64>>,
            /// Register bus: the request is done.
            pub ack: Signal<Out, Bit>,
            /// Beats of the agent's packets, what they are above them, the output port above all.
            pub agent_in: StreamIn<Bits<$agent>>,
            /// Beats for the agent by lane, with the input above them.
            pub agent_out: [StreamOut<Bits<$x>>; N],
            /// AU free in the buffers of the internal port, by lane.
            pub agent_released: Signal<Out, Bits<N>>,
            /// An event of MASK has happened, by port.
            pub interrupt: [Signal<Out, Bit>; P],
            /// Beats of time flits to send, by port; the payload may change while it waits.
            pub time_in: [StreamIn<Bits<$bits>>; P],
            /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
            pub time_mode: [Signal<In, Bit>; P],
            /// An original LTP is open or may be opened.
            pub tx_open: [Signal<Out, Bit>; P],
            /// SPC flits received, in their beats.
            pub spc_out: [FlowOut<Bits<$bits>>; P],
            /// With `spc_out`: the beat comes from a replay.
            pub beat_late: [Signal<Out, Bit>; P],
            /// With `spc_out`: place of the beat in its LTP.
            pub beat_index: [Signal<Out, Bits<4>>; P],
            /// With `spc_out`: sequence state of the LTP.
            pub beat_state: [Signal<Out, Bits<2>>; P],
            /// Numbers start at 0.
            pub restart: [Signal<Out, Bit>; P],
            /// State, as STATUS has it.
            pub state: [Signal<Out, Bits<3>>; P],
            /// Lanes sent on.
            pub tx_lanes: [Signal<Out, Bits<4>>; P],
            /// Lanes received on, by the sender's numbers.
            pub rx_lanes: [Signal<Out, Bits<4>>; P],
            /// Pulse: the lane test takes the lanes (state Bist).
            pub bist_start: [Signal<In, Bit>; P],
            /// Pulse: it is over.
            pub bist_end: [Signal<In, Bit>; P],
            /// Rows of the lane test, taken in Bist.
            pub test_rows_in: [StreamIn<Bits<ROW_BITS>>; P],
            /// Rows received in Bist.
            pub test_rows_out: [FlowOut<Bits<ROW_BITS>>; P],
            /// With `test_rows_out`: its bad words.
            pub test_row_error: [Signal<Out, Bits<4>>; P],
            /// For tests: LTPs are kept with wrong parity.
            pub damage: [Signal<In, Bit>; P],
            /// Lanes on which the PHY has a signal.
            pub signal_ok: [Signal<In, Bits<4>>; P],
            /// Lanes on which the PHY has found the word boundary.
            pub lane_lock: [Signal<In, Bits<4>>; P],
            /// Lanes the PHY is to invert.
            pub invert: [Signal<Out, Bits<4>>; P],
            /// Pulse per lane: the PHY is to move the word boundary by one bit.
            pub slip: [Signal<Out, Bits<4>>; P],
            /// Pulse: a lane FIFO of the PHY ran over or empty.
            pub elastic_error: [Signal<In, Bit>; P],
            /// Words in lane 0's elastic FIFO.
            pub elastic_fill: [Signal<In, Bits<8>>; P],
            /// To the PHY, lane i of port p in element `lanes` p + i: word in bits 31..0, ctl in bit 32.
            pub tx: [StreamOut<Bits<LANE_BITS>>; PL],
            /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
            pub rx: [FlowIn<Bits<LANE_IN_BITS>>; PL],

            links: Vec<$link<$lanes, SLOT_W, ADDRESS_W, N, M, VIEW_W>>,
            doors: Vec<SwitchDoor<N, $said>>,
            switch: FabSwitch<$flits, $bits, $said, $x, $agent, N, VIEW_W, P, Q, A, B, C>,
            bus: NodeBus<Q>,
            ups: Signal<Local, Bits<P>>,
            losses: Signal<Local, Bits<P>>,
            acks: Signal<Local, Bits<Q>>,
            nobody: Constant<Bits<N>>,
        }

        impl<const SLOT_W: usize, const ADDRESS_W: usize, const N: usize, const M: usize, const VIEW_W: usize, const P: usize, const Q: usize, const A: usize, const B: usize, const C: usize, const PL: usize> $name<SLOT_W, ADDRESS_W, N, M, VIEW_W, P, Q, A, B, C, PL> {
            /// A switch whose links are Down, or the reason why not. The numbers of `config` must be those of the type.
            pub fn new(config: &SwitchNodeConfig) -> Result<Self, ConfigError> {
                config.check()?;
                let name = "switch_node";
                check_derived(name, "P", P as u64, "ports", config.ports as u64)?;
                check_derived(name, "PL", PL as u64, "ports x lanes", $lanes * P as u64)?;
                config.port.check_depth(B)?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    addr: Default::default(),
                    wdata: Default::default(),
                    we: Default::default(),
                    re: Default::default(),
                    rdata: Default::default(),
                    ack: Default::default(),
                    agent_in: Default::default(),
                    agent_out: defaults(),
                    agent_released: Default::default(),
                    interrupt: defaults(),
                    time_in: defaults(),
                    time_mode: defaults(),
                    tx_open: defaults(),
                    spc_out: defaults(),
                    beat_late: defaults(),
                    beat_index: defaults(),
                    beat_state: defaults(),
                    restart: defaults(),
                    state: defaults(),
                    tx_lanes: defaults(),
                    rx_lanes: defaults(),
                    bist_start: defaults(),
                    bist_end: defaults(),
                    test_rows_in: defaults(),
                    test_rows_out: defaults(),
                    test_row_error: defaults(),
                    damage: defaults(),
                    signal_ok: defaults(),
                    lane_lock: defaults(),
                    invert: defaults(),
                    slip: defaults(),
                    elastic_error: defaults(),
                    elastic_fill: defaults(),
                    tx: defaults(),
                    rx: defaults(),
                    links: (0..P).map(|_| $link::new(&config.port)).collect::<Result<_, _>>()?,
                    doors: (0..P).map(|_| SwitchDoor::default()).collect(),
                    switch: FabSwitch::new(config.port.packets().mtu)?,
                    bus: Default::default(),
                    ups: Default::default(),
                    losses: Default::default(),
                    acks: Default::default(),
                    nobody: Constant::new(0.into()),
                })
            }
        }

        impl<const SLOT_W: usize, const ADDRESS_W: usize, const N: usize, const M: usize, const VIEW_W: usize, const P: usize, const Q: usize, const A: usize, const B: usize, const C: usize, const PL: usize> Logic for $name<SLOT_W, ADDRESS_W, N, M, VIEW_W, P, Q, A, B, C, PL> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, switch, bus);
                self.switch.clear.next = self.clear.val();
                self.bus.clear.next = self.clear.val();

                // Registers: the ports, and the switch behind them.
                self.bus.addr.next = self.addr.val();
                self.bus.we.next = self.we.val();
                self.bus.re.next = self.re.val();
                self.rdata.next = self.bus.rdata.val();
                self.ack.next = self.bus.ack.val();
                self.switch.addr.next = self.bus.word.val();
                self.switch.wdata.next = self.wdata.val();
                self.acks.next = 0.into();
                for i in P..Q {
                    self.bus.page_rdata[i].next = self.switch.rdata.val();
                    self.acks.next = self.acks.val().replace_bit(i, self.switch.ack.val());
                    self.switch.we.next = self.bus.page_we.val().get_bit(i);
                    self.switch.re.next = self.bus.page_re.val().get_bit(i);
                }

                self.ups.next = 0.into();
                self.losses.next = 0.into();
                for p in 0..P {
                    self.links[p].clock.next = self.clock.val();
                    self.links[p].clear.next = self.clear.val();
                    self.links[p].addr.next = self.bus.word.val();
                    self.links[p].wdata.next = self.wdata.val();
                    self.links[p].we.next = self.bus.page_we.val().get_bit(p);
                    self.links[p].re.next = self.bus.page_re.val().get_bit(p);
                    self.bus.page_rdata[p].next = self.links[p].rdata.val();
                    self.acks.next = self.acks.val().replace_bit(p, self.links[p].ack.val());

                    // From the link to the switch.
                    self.doors[p].clock.next = self.clock.val();
                    self.doors[p].clear.next = self.clear.val();
                    self.doors[p].state.next = self.links[p].state.val();
                    self.doors[p].starts.next = self.links[p].starts.val();
                    self.doors[p].begins.next = self.links[p].begins.val();
                    self.doors[p].overrun.next = self.links[p].overrun.val();
                    self.links[p].spilled.next = self.doors[p].spilled.val();
                    FlowOut::<Bits<$said>>::join(&mut self.links[p].beats_out, &mut self.doors[p].beats_in);
                    StreamOut::<Bits<$said>>::join(&mut self.doors[p].beats_out, &mut self.switch.lanes_in[p]);
                    self.ups.next = self.ups.val().replace_bit(p, self.doors[p].up.val());
                    self.losses.next = self.losses.val().replace_bit(p, self.doors[p].lost.val());
                    self.doors[p].freed.next = self.switch.released[p].val();
                    self.links[p].released.next = self.doors[p].released.val();
                    self.links[p].emptied.next = self.nobody.val();
                    self.links[p].good.next = false;
                    self.links[p].bad.next = false;

                    // From the switch to the link.
                    StreamOut::<Bits<$bits>>::join(&mut self.switch.beats_out[p], &mut self.links[p].beats_in);
                    self.switch.credit[p].next = self.links[p].available.val();
                    self.switch.may_send[p].next = self.links[p].may_send.val();
                    self.links[p].sent.next = self.switch.sent[p].val();
                    self.links[p].sent_ends.next = self.switch.sent_ends[p].val();
                    self.switch.priorities[p].next = self.links[p].vl_arb.val();
                    self.switch.preempt[p].next = self.links[p].vl_en.val().get_bits::<MAX_VLS>(0);
                    self.switch.bubble[p].next = self.links[p].vl_en.val().get_bits::<MAX_VLS>(16);
                    self.switch.min_run[p].next = self.links[p].vl_en.val().get_bits::<RUN_BITS>(32);
                    self.switch.age[p].next = self.links[p].vl_en.val().get_bits::<AGE_BITS>(40);

                    // What only the link looks at.
                    self.interrupt[p].next = self.links[p].interrupt.val();
                    StreamIn::<Bits<$bits>>::link(&mut self.time_in[p], &mut self.links[p].time_in);
                    self.links[p].time_mode.next = self.time_mode[p].val();
                    self.tx_open[p].next = self.links[p].tx_open.val();
                    FlowOut::<Bits<$bits>>::link(&mut self.spc_out[p], &mut self.links[p].spc_out);
                    self.beat_late[p].next = self.links[p].beat_late.val();
                    self.beat_index[p].next = self.links[p].beat_index.val();
                    self.beat_state[p].next = self.links[p].beat_state.val();
                    self.restart[p].next = self.links[p].restart.val();
                    self.state[p].next = self.links[p].state.val();
                    self.tx_lanes[p].next = self.links[p].tx_lanes.val();
                    self.rx_lanes[p].next = self.links[p].rx_lanes.val();
                    self.links[p].bist_start.next = self.bist_start[p].val();
                    self.links[p].bist_end.next = self.bist_end[p].val();
                    StreamIn::<Bits<ROW_BITS>>::link(&mut self.test_rows_in[p], &mut self.links[p].test_rows_in);
                    FlowOut::<Bits<ROW_BITS>>::link(&mut self.test_rows_out[p], &mut self.links[p].test_rows_out);
                    self.test_row_error[p].next = self.links[p].test_row_error.val();
                    self.links[p].damage.next = self.damage[p].val();
                    self.links[p].signal_ok.next = self.signal_ok[p].val();
                    self.links[p].lane_lock.next = self.lane_lock[p].val();
                    self.invert[p].next = self.links[p].invert.val();
                    self.slip[p].next = self.links[p].slip.val();
                    self.links[p].elastic_error.next = self.elastic_error[p].val();
                    self.links[p].elastic_fill.next = self.elastic_fill[p].val();
                    for i in 0..$lanes {
                        StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[p * $lanes + i], &mut self.links[p].tx[i]);
                        FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[p * $lanes + i], &mut self.links[p].rx[i]);
                    }
                }
                self.switch.up.next = self.ups.val();
                self.switch.lost.next = self.losses.val();
                self.bus.page_ack.next = self.acks.val();

                // The internal port.
                StreamIn::<Bits<$agent>>::link(&mut self.agent_in, &mut self.switch.agent_in);
                for v in 0..N {
                    StreamOut::<Bits<$x>>::link(&mut self.agent_out[v], &mut self.switch.agent_out[v]);
                }
                self.agent_released.next = self.switch.agent_released.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let parameters = [
                    ("f", $flits.to_string()),
                    ("lanes", $lanes.to_string()),
                    ("ports", P.to_string()),
                    ("vls", N.to_string()),
                    ("depth", (1usize << B).to_string()),
                ];
                block_label("switch_node", &parameters)
            }
        }

        drive_ports!(impl[const SLOT_W: usize, const ADDRESS_W: usize, const N: usize, const M: usize, const VIEW_W: usize, const P: usize, const Q: usize, const A: usize, const B: usize, const C: usize, const PL: usize] $name<SLOT_W, ADDRESS_W, N, M, VIEW_W, P, Q, A, B, C, PL> {
            clock, clear, addr, wdata, we, re, rdata, ack, agent_in, agent_out, agent_released, interrupt, time_in, time_mode, tx_open, spc_out, beat_late, beat_index, beat_state, restart, state, tx_lanes, rx_lanes, bist_start, bist_end, test_rows_in, test_rows_out, test_row_error, damage, signal_ok, lane_lock, invert, slip, elastic_error, elastic_fill, tx, rx,
        });
    };
}

switch_node!(SwitchNode1, FabLink1, 1, 1, 65, 74, 70, 79);
switch_node!(SwitchNode2, FabLink2, 2, 4, 130, 139, 135, 144);

const _: () = assert!(vl_en::preempt::LOW == 0 && vl_en::bubble::LOW == 16 && vl_en::min_run::LOW == 32);
const _: () = assert!(vl_en::age::LOW == 40);
