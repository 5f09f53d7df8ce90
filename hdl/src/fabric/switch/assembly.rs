//! The switch.

use super::account::{CREDIT_BITS, UNIT_FLITS};
use super::age::SwitchTicks;
use super::counts::WORD_ADDRESS_BITS;
use super::lane::LaneConfig;
use super::page::SwitchPage;
use super::plane::SwitchPlane;
use super::routes::SwitchRoutes;
use super::word::SIDE_BITS;
use crate::config::{check_derived, check_one_of, check_range, ConfigError};
use crate::fabric::vl::{VlTx, AGE_BITS, PRIORITIES_BITS, RUN_BITS};
use crate::prim::stream::{StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::packet::{lane_beat, packet_flits, MAX_PAYLOAD_BYTES, MIN_MTU};
use flitforge_protocol::switch::{MAX_ADDRESS_BITS, MAX_PORTS, MIN_ADDRESS_BITS, MIN_PORTS, PORT_BITS};

/// Bits of what stands above a beat.
const LANE_BEAT_BITS: usize = lane_beat::WIDTH;

/// `fab_switch`: `P` ports, `Q` = `P` + 1 with the internal one, which comes first in vectors of `Q`; `N` lanes, `CR` = 16 `N` bits
/// of credits; `F` flits per beat, `FLITS_W` = 65 `F`, `W` and `X` = `FLITS_W` + 9 and 5, `AGENT_W` = `FLITS_W` + 14; 2^`A` routes; 2^`B` beats
/// per buffer, `C` = `B` + 1. See the [module](super).
#[derive(LogicBlock)]
pub struct FabSwitch<
    const F: usize,
    const FLITS_W: usize,
    const W: usize,
    const X: usize,
    const AGENT_W: usize,
    const N: usize,
    const CR: usize,
    const P: usize,
    const Q: usize,
    const A: usize,
    const B: usize,
    const C: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats of packets from each link; what they are stands above them.
    pub lanes_in: [StreamIn<Bits<W>>; P],
    /// Beats of the agent's packets, with the output port above all.
    pub agent_in: StreamIn<Bits<AGENT_W>>,
    /// Beats for each link.
    pub beats_out: [StreamOut<Bits<FLITS_W>>; P],
    /// Beats for the agent by lane, with the input above them.
    pub agent_out: [StreamOut<Bits<X>>; N],
    /// Links that are up.
    pub up: Signal<In, Bits<P>>,
    /// Links that have lost their state.
    pub lost: Signal<In, Bits<P>>,
    /// AU of each output, 16 bits for a lane.
    pub credit: [Signal<In, Bits<CR>>; P],
    /// There is credit for the next beat of a lane.
    pub may_send: [Signal<In, Bits<N>>; P],
    /// Lanes of which an output takes a beat in on this edge: with `may_send`, it spends credit.
    pub sent: [Signal<Out, Bits<N>>; P],
    /// It ends a packet.
    pub sent_ends: [Signal<Out, Bits<N>>; P],
    /// AU free in the buffers of each input, by lane.
    pub released: [Signal<Out, Bits<N>>; P],
    /// AU free in the buffers of the internal port, by lane.
    pub agent_released: Signal<Out, Bits<N>>,
    /// PRIO by output (register VL_ARB).
    pub priorities: [Signal<In, Bits<PRIORITIES_BITS>>; P],
    /// PREEMPT by output (register VL_EN).
    pub preempt: [Signal<In, Bits<MAX_VLS>>; P],
    /// BUBBLE by output.
    pub bubble: [Signal<In, Bits<MAX_VLS>>; P],
    /// MIN_RUN by output.
    pub min_run: [Signal<In, Bits<RUN_BITS>>; P],
    /// AGE by output.
    pub age: [Signal<In, Bits<AGE_BITS>>; P],
    /// Word of the register page.
    pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    /// Value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Asks for a write.
    pub we: Signal<In, Bit>,
    /// Asks for a read.
    pub re: Signal<In, Bit>,
    /// With `ack` of a read: the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// The request is done.
    pub ack: Signal<Out, Bit>,
    /// Events by lane and input, the internal port first; they count in the page.
    pub no_route: [Signal<Out, Bits<Q>>; N],
    /// See `no_route`.
    pub life_drop: [Signal<Out, Bits<Q>>; N],
    /// See `no_route`.
    pub alt_taken: [Signal<Out, Bits<Q>>; N],
    /// See `no_route`.
    pub fecn_set: [Signal<Out, Bits<Q>>; N],

    planes: Vec<SwitchPlane<FLITS_W, W, X, Q, B, C>>,
    routes: Vec<SwitchRoutes<N, A, Q>>,
    tx: Vec<VlTx<F, FLITS_W, N>>,
    ticks: SwitchTicks,
    page: SwitchPage<N, Q, A>,
    word: Signal<Local, Bits<W>>,
    beat: Signal<Local, Bits<FLITS_W>>,
    shifted: Signal<Local, Bits<W>>,
    agent: Signal<Local, Bits<AGENT_W>>,
    said: Signal<Local, Bits<LANE_BEAT_BITS>>,
    lane: Signal<Local, Bits<4>>,
    is_lane: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    lanes: Signal<Local, Bits<N>>,
    arriving: Signal<Local, Bits<N>>,
    inputs: Signal<Local, Bits<Q>>,
    adapting: Signal<Local, Bits<Q>>,
    using: Signal<Local, Bits<Q>>,
    holding: Signal<Local, Bits<Q>>,
    coming: Signal<Local, Bits<Q>>,
    ups: Signal<Local, Bits<Q>>,
    cuts: Signal<Local, Bits<Q>>,
    moving: Signal<Local, Bits<Q>>,
    held: Signal<Local, Bits<Q>>,
    above: Constant<Bits<9>>,
    output_above: Constant<Bits<9>>,
    numbers: Vec<Constant<Bits<4>>>,
    directed: Constant<Bits<W>>,
    internal: Constant<Bits<Q>>,
    plenty: Constant<Bits<CREDIT_BITS>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const W: usize,
        const X: usize,
        const AGENT_W: usize,
        const N: usize,
        const CR: usize,
        const P: usize,
        const Q: usize,
        const A: usize,
        const B: usize,
        const C: usize,
    > FabSwitch<F, FLITS_W, W, X, AGENT_W, N, CR, P, Q, A, B, C>
{
    /// Refuses what cannot work.
    pub fn check(mtu: usize) -> Result<(), ConfigError> {
        let name = "fab_switch";
        check_range(name, "ports", P as u64, MIN_PORTS as u64, MAX_PORTS as u64)?;
        check_range(name, "lanes", N as u64, 1, MAX_VLS as u64)?;
        check_range(name, "addr_w", A as u64, MIN_ADDRESS_BITS as u64, MAX_ADDRESS_BITS as u64)?;
        check_range(name, "mtu", mtu as u64, MIN_MTU as u64, MAX_PAYLOAD_BYTES as u64)?;
        check_one_of(name, "f", F as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        let flits = flit_beat_bits(F);
        for (parameter, value, formula, derived) in [
            ("FLITS_W", FLITS_W, "65 F", flits),
            ("W", W, "FLITS_W + 9", flits + SIDE_BITS),
            ("X", X, "FLITS_W + 5", flits + PORT_BITS),
            ("AGENT_W", AGENT_W, "FLITS_W + 14", flits + LANE_BEAT_BITS + PORT_BITS),
            ("CR", CR, "16 N", CREDIT_BITS * N),
            ("Q", Q, "P + 1", P + 1),
            ("C", C, "B + 1", B + 1),
        ] {
            check_derived(name, parameter, value as u64, formula, derived as u64)?;
        }
        let packet = packet_flits(mtu).next_multiple_of(UNIT_FLITS) / F;
        check_range(name, "beats of VL_BUF", 1 << B, packet as u64, 1 << 16)
    }

    /// A switch for packets of this MTU, or the reason why not.
    pub fn new(mtu: usize) -> Result<Self, ConfigError> {
        Self::check(mtu)?;
        let plane = |vl| SwitchPlane::new(LaneConfig { vl, flits: F, mtu, address_bits: A });
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            lanes_in: defaults(),
            agent_in: Default::default(),
            beats_out: defaults(),
            agent_out: defaults(),
            up: Default::default(),
            lost: Default::default(),
            credit: defaults(),
            may_send: defaults(),
            sent: defaults(),
            sent_ends: defaults(),
            released: defaults(),
            agent_released: Default::default(),
            priorities: defaults(),
            preempt: defaults(),
            bubble: defaults(),
            min_run: defaults(),
            age: defaults(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            no_route: defaults(),
            life_drop: defaults(),
            alt_taken: defaults(),
            fecn_set: defaults(),
            planes: (0..N).map(plane).collect::<Result<_, _>>()?,
            routes: (0..Q).map(|_| SwitchRoutes::new()).collect::<Result<_, _>>()?,
            tx: (0..P).map(|_| VlTx::new()).collect::<Result<_, _>>()?,
            ticks: Default::default(),
            page: SwitchPage::new()?,
            word: Default::default(),
            beat: Default::default(),
            shifted: Default::default(),
            agent: Default::default(),
            said: Default::default(),
            lane: Default::default(),
            is_lane: Default::default(),
            ready: Default::default(),
            known: Default::default(),
            lanes: Default::default(),
            arriving: Default::default(),
            inputs: Default::default(),
            adapting: Default::default(),
            using: Default::default(),
            holding: Default::default(),
            coming: Default::default(),
            ups: Default::default(),
            cuts: Default::default(),
            moving: Default::default(),
            held: Default::default(),
            above: Constant::new((FLITS_W as u64).into()),
            output_above: Constant::new(((FLITS_W + LANE_BEAT_BITS) as u64).into()),
            numbers: (0..N).map(|vl| Constant::new((vl as u64).into())).collect(),
            directed: Constant::new(Bits::<W>::default().replace_bit(3, true)),
            internal: Constant::new(Bits::<Q>::default().replace_bit(0, true)),
            plenty: Constant::new(((1u64 << CREDIT_BITS) - 1).into()),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const W: usize,
        const X: usize,
        const AGENT_W: usize,
        const N: usize,
        const CR: usize,
        const P: usize,
        const Q: usize,
        const A: usize,
        const B: usize,
        const C: usize,
    > Logic for FabSwitch<F, FLITS_W, W, X, AGENT_W, N, CR, P, Q, A, B, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ticks, page);
        self.page.clear.next = self.clear.val();
        self.page.addr.next = self.addr.val();
        self.page.wdata.next = self.wdata.val();
        self.page.we.next = self.we.val();
        self.page.re.next = self.re.val();
        self.rdata.next = self.page.rdata.val();
        self.ack.next = self.page.ack.val();
        self.ticks.life.next = self.page.life.val();
        self.ups.next = self.internal.val() | (bit_cast::<Q, P>(self.up.val()) << 1);
        self.cuts.next = bit_cast::<Q, P>(self.lost.val()) << 1;
        self.moving.next = self.internal.val();
        for p in 0..P {
            self.moving.next = self
                .moving
                .val()
                .replace_bit(p + 1, !self.tx[p].beats_out.valid.val() | self.beats_out[p].ready.val());
        }

        // Links to planes: the beat moves above what the switch knows of it.
        for p in 0..P {
            self.shifted.next = self.lanes_in[p].data.val() >> self.above.val();
            self.said.next = self.shifted.val().get_bits::<LANE_BEAT_BITS>(0);
            self.lane.next = self.said.val().get_bits::<4>(0);
            self.beat.next = self.lanes_in[p].data.val().get_bits::<FLITS_W>(0);
            self.word.next = (bit_cast::<W, FLITS_W>(self.beat.val()) << 9)
                | bit_cast::<W, 1>(self.said.val().get_bits::<1>(8))
                | (bit_cast::<W, 1>(self.said.val().get_bits::<1>(7)) << 1);
            self.ready.next = false;
            self.known.next = false;
            for v in 0..N {
                self.is_lane.next = self.lane.val() == self.numbers[v].val();
                self.known.next = self.known.val() | self.is_lane.val();
                self.planes[v].words_in[p + 1].data.next = self.word.val();
                self.planes[v].words_in[p + 1].valid.next = self.lanes_in[p].valid.val() & self.is_lane.val();
                self.ready.next =
                    self.ready.val() | (self.is_lane.val() & self.planes[v].words_in[p + 1].ready.val());
            }
            self.lanes_in[p].ready.next = (self.ready.val() | !self.known.val()) & !self.clear.val();
        }
        self.agent.next = self.agent_in.data.val() >> self.above.val();
        self.said.next = self.agent.val().get_bits::<LANE_BEAT_BITS>(0);
        self.lane.next = self.said.val().get_bits::<4>(0);
        self.beat.next = self.agent_in.data.val().get_bits::<FLITS_W>(0);
        self.word.next = (bit_cast::<W, FLITS_W>(self.beat.val()) << 9)
            | bit_cast::<W, 1>(self.said.val().get_bits::<1>(8))
            | (bit_cast::<W, 1>(self.said.val().get_bits::<1>(7)) << 1)
            | (bit_cast::<W, PORT_BITS>(self.agent.val().get_bits::<PORT_BITS>(9)) << 4)
            | self.directed.val();
        self.ready.next = false;
        self.known.next = false;
        for v in 0..N {
            self.is_lane.next = self.lane.val() == self.numbers[v].val();
            self.known.next = self.known.val() | self.is_lane.val();
            self.planes[v].words_in[0].data.next = self.word.val();
            self.planes[v].words_in[0].valid.next = self.agent_in.valid.val() & self.is_lane.val();
            self.ready.next =
                self.ready.val() | (self.is_lane.val() & self.planes[v].words_in[0].ready.val());
        }
        self.agent_in.ready.next = (self.ready.val() | !self.known.val()) & !self.clear.val();

        // Routes.
        for i in 0..Q {
            self.routes[i].clock.next = self.clock.val();
            self.routes[i].clear.next = self.clear.val();
            self.routes[i].write.next = self.page.route_write.val();
            self.routes[i].index.next = self.page.route_index.val();
            self.routes[i].entry.next = self.page.route_entry.val();
            self.lanes.next = 0.into();
            self.arriving.next = 0.into();
            for v in 0..N {
                self.lanes.next = self.lanes.val().replace_bit(v, self.planes[v].asks.val().get_bit(i));
                self.arriving.next =
                    self.arriving.val().replace_bit(v, self.planes[v].arrives.val().get_bit(i));
                self.routes[i].dst[v].next = self.planes[v].dst[i].val();
            }
            self.routes[i].asks.next = self.lanes.val();
            self.routes[i].arrives.next = self.arriving.val();
        }
        self.routes[0].arriving.next = self.agent_in.data.val().get_bits::<16>(0);
        for p in 0..P {
            self.routes[p + 1].arriving.next = self.lanes_in[p].data.val().get_bits::<16>(0);
        }

        // Planes.
        for v in 0..N {
            self.planes[v].clock.next = self.clock.val();
            self.planes[v].clear.next = self.clear.val();
            self.planes[v].cut.next = self.cuts.val();
            self.planes[v].up.next = self.ups.val();
            self.planes[v].mark.next = self.page.mark.val();
            self.planes[v].tick.next = self.ticks.tick.val();
            self.planes[v].moves.next = self.moving.val();
            self.held.next = 0.into();
            for p in 0..P {
                self.held.next = self.held.val().replace_bit(p + 1, self.tx[p].waiting.val().get_bit(v));
            }
            self.planes[v].waits.next = self.held.val();
            self.inputs.next = 0.into();
            self.coming.next = 0.into();
            self.adapting.next = 0.into();
            self.using.next = 0.into();
            self.holding.next = 0.into();
            for i in 0..Q {
                self.inputs.next = self.inputs.val().replace_bit(i, self.routes[i].asked.val().get_bit(v));
                self.coming.next = self.coming.val().replace_bit(i, self.routes[i].found.val().get_bit(v));
                self.using.next = self.using.val().replace_bit(i, self.routes[i].use_alt.val());
                self.adapting.next = self
                    .adapting
                    .val()
                    .replace_bit(i, self.routes[i].adapt.val() & self.page.adapt_vl.val().get_bit(v));
                self.holding.next = self.holding.val().replace_bit(i, self.routes[i].valid.val());
                self.planes[v].port[i].next = self.routes[i].port.val();
                self.planes[v].alt[i].next = self.routes[i].alt.val();
            }
            self.planes[v].asked.next = self.inputs.val();
            self.planes[v].found.next = self.coming.val();
            self.planes[v].use_alt.next = self.using.val();
            self.planes[v].adapts.next = self.adapting.val();
            self.planes[v].valid.next = self.holding.val();
            self.no_route[v].next = self.planes[v].no_route.val();
            self.life_drop[v].next = self.planes[v].life_drop.val();
            self.alt_taken[v].next = self.planes[v].alt_taken.val();
            self.fecn_set[v].next = self.planes[v].fecn_set.val();
            self.page.no_route[v].next = self.planes[v].no_route.val();
            self.page.life_drop[v].next = self.planes[v].life_drop.val();
            self.page.alt_taken[v].next = self.planes[v].alt_taken.val();
            self.page.fecn_set[v].next = self.planes[v].fecn_set.val();
            self.planes[v].credit[0].next = self.plenty.val();
            for p in 0..P {
                self.planes[v].credit[p + 1].next = self.credit[p].val().get_bits::<CREDIT_BITS>(v * 16);
            }
        }

        // Planes to links.
        for p in 0..P {
            self.tx[p].clock.next = self.clock.val();
            self.tx[p].clear.next = self.clear.val() | !self.up.val().get_bit(p);
            self.tx[p].credit.next = self.may_send[p].val();
            self.tx[p].priorities.next = self.priorities[p].val();
            self.tx[p].preempt.next = self.preempt[p].val();
            self.tx[p].bubble.next = self.bubble[p].val();
            self.tx[p].min_run.next = self.min_run[p].val();
            self.tx[p].age.next = self.age[p].val();
            self.lanes.next = 0.into();
            for v in 0..N {
                self.tx[p].lanes_in[v].data.next =
                    self.planes[v].beats_out[p + 1].data.val().get_bits::<FLITS_W>(0);
                self.tx[p].lanes_in[v].valid.next = self.planes[v].beats_out[p + 1].valid.val();
                self.planes[v].beats_out[p + 1].ready.next = self.tx[p].lanes_in[v].ready.val();
                self.lanes.next = self.lanes.val().replace_bit(v, self.planes[v].ends.val().get_bit(p + 1));
            }
            self.tx[p].ends.next = self.lanes.val();
            self.sent[p].next = self.tx[p].sent.val();
            self.sent_ends[p].next = self.tx[p].sent_ends.val();
            self.lanes.next = 0.into();
            for v in 0..N {
                self.lanes.next =
                    self.lanes.val().replace_bit(v, self.planes[v].released.val().get_bit(p + 1));
            }
            self.released[p].next = self.lanes.val();
            self.beats_out[p].data.next = self.tx[p].beats_out.data.val();
            self.beats_out[p].valid.next = self.tx[p].beats_out.valid.val();
            self.tx[p].beats_out.ready.next = self.beats_out[p].ready.val();
        }
        self.lanes.next = 0.into();
        for v in 0..N {
            self.agent_out[v].data.next = self.planes[v].beats_out[0].data.val();
            self.agent_out[v].valid.next = self.planes[v].beats_out[0].valid.val();
            self.planes[v].beats_out[0].ready.next = self.agent_out[v].ready.val();
            self.lanes.next = self.lanes.val().replace_bit(v, self.planes[v].released.val().get_bit(0));
        }
        self.agent_released.next = self.lanes.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let numbers = [("f", F), ("ports", P), ("lanes", N), ("addr_w", A), ("beats", 1 << B)];
        block_label("fab_switch", &numbers.map(|(name, value)| (name, value.to_string())))
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const W: usize, const X: usize, const AGENT_W: usize, const N: usize, const CR: usize, const P: usize, const Q: usize, const A: usize, const B: usize, const C: usize] FabSwitch<F, FLITS_W, W, X, AGENT_W, N, CR, P, Q, A, B, C> {
    clock, clear, lanes_in, agent_in, beats_out, agent_out, up, lost, credit, may_send, sent, sent_ends, released, agent_released, priorities,
    preempt, bubble, min_run, age, addr, wdata, we, re, rdata, ack, no_route, life_drop, alt_taken,
    fecn_set,
});

const _: () = assert!(lane_beat::vl::LOW == 0 && lane_beat::vl::WIDTH == 4);
const _: () = assert!(lane_beat::ends::LOW == 7 && lane_beat::opens::LOW == 8);
