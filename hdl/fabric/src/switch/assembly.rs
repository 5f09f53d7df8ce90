//! The switch.

use super::age::SwitchTicks;
use super::counts::WORD_ADDRESS_BITS;
use super::lane::LaneConfig;
use super::occupancy::{CREDIT_BITS, UNIT_FLITS};
use super::page::SwitchPage;
use super::plane::SwitchPlane;
use super::routes::SwitchRoutes;
use super::word::SIDE_BITS;
use crate::vl::{VlTx, AGE_BITS, PRIORITIES_BITS, RUN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::packet::{lane_beat, packet_flits, MAX_PAYLOAD_BYTES, MIN_MTU};
use flitforge_protocol::switch::{MAX_ADDRESS_BITS, MAX_PORTS, MIN_ADDRESS_BITS, MIN_PORTS, PORT_BITS};

/// Bits of what stands above a beat.
const LANE_BEAT_BITS: usize = lane_beat::WIDTH;

/// `fab_switch`: `P` ports, `Q` = `P` + 1 with the internal one, which comes first in vectors of `Q`; `N` lanes, `CR` = 16 `N` bits
/// of credits; `F` flits per beat, `FLITS_W` = 65 `F`, `W` and `X` = `FLITS_W` + 9 and 5, `AGENT_W` = `FLITS_W` + 14; 2^`A` routes; 2^`B` beats
/// per buffer, `C` = `B` + 1. See the [module](super).
#[block(new)]
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
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats of packets from each link; what they are stands above them.
    pub lanes_in: [StreamIn<Bits<W>>; P],
    /// Beats of the agent's packets, with the output port above all.
    pub agent_in: StreamIn<Bits<AGENT_W>>,
    /// Beats for each link.
    pub beats_out: [StreamOut<Bits<FLITS_W>>; P],
    /// Beats for the agent by lane, with the input above them.
    pub agent_out: [StreamOut<Bits<X>>; N],
    /// Links that are up.
    up: In<Bits<P>>,
    /// Links that have lost their state.
    lost: In<Bits<P>>,
    /// AU of each output, 16 bits for a lane.
    credit: [In<Bits<CR>>; P],
    /// There is credit for the next beat of a lane.
    may_send: [In<Bits<N>>; P],
    /// Lanes of which an output takes a beat in on this edge: with `may_send`, it spends credit.
    sent: [Out<Bits<N>>; P],
    /// It ends a packet.
    sent_ends: [Out<Bits<N>>; P],
    /// AU free in the buffers of each input, by lane.
    released: [Out<Bits<N>>; P],
    /// AU free in the buffers of the internal port, by lane.
    agent_released: Out<Bits<N>>,
    /// PRIO by output (register VL_ARB).
    priorities: [In<Bits<PRIORITIES_BITS>>; P],
    /// PREEMPT by output (register VL_EN).
    preempt: [In<Bits<MAX_VLS>>; P],
    /// BUBBLE by output.
    bubble: [In<Bits<MAX_VLS>>; P],
    /// MIN_RUN by output.
    min_run: [In<Bits<RUN_BITS>>; P],
    /// AGE by output.
    age: [In<Bits<AGE_BITS>>; P],
    /// Bus of the register page.
    pub bus: RegisterBus<WORD_ADDRESS_BITS>,
    /// Events by lane and input, the internal port first; they count in the page.
    no_route: [Out<Bits<Q>>; N],
    /// See `no_route`.
    life_drop: [Out<Bits<Q>>; N],
    /// See `no_route`.
    alt_taken: [Out<Bits<Q>>; N],
    /// See `no_route`.
    fecn_set: [Out<Bits<Q>>; N],

    #[wire(clock, clear)]
    planes: Vec<SwitchPlane<FLITS_W, W, X, Q, B, C>>,
    #[wire(clock, clear)]
    routes: Vec<SwitchRoutes<N, A, Q>>,
    #[wire(clock)]
    tx: Vec<VlTx<F, FLITS_W, N>>,
    #[wire(clock)]
    ticks: SwitchTicks,
    #[wire(clock, clear)]
    page: SwitchPage<N, Q, A>,
    word: Local<Bits<W>>,
    beat: Local<Bits<FLITS_W>>,
    shifted: Local<Bits<W>>,
    agent: Local<Bits<AGENT_W>>,
    said: Local<Bits<LANE_BEAT_BITS>>,
    lane: Local<Bits<4>>,
    is_lane: Local<Bit>,
    ready: Local<Bit>,
    known: Local<Bit>,
    lanes: Local<Bits<N>>,
    arriving: Local<Bits<N>>,
    inputs: Local<Bits<Q>>,
    adapting: Local<Bits<Q>>,
    using: Local<Bits<Q>>,
    holding: Local<Bits<Q>>,
    coming: Local<Bits<Q>>,
    ups: Local<Bits<Q>>,
    cuts: Local<Bits<Q>>,
    moving: Local<Bits<Q>>,
    held: Local<Bits<Q>>,
    #[init(FLITS_W)]
    above: Constant<Bits<9>>,
    #[init(FLITS_W + LANE_BEAT_BITS)]
    output_above: Constant<Bits<9>>,
    numbers: Vec<Constant<Bits<4>>>,
    directed: Constant<Bits<W>>,
    internal: Constant<Bits<Q>>,
    #[init((1u64 << CREDIT_BITS) - 1)]
    plenty: Constant<Bits<CREDIT_BITS>>,
}

#[logic]
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
            planes: (0..N).map(plane).collect::<Result<_, _>>()?,
            routes: (0..Q).map(|_| SwitchRoutes::new()).collect::<Result<_, _>>()?,
            tx: (0..P).map(|_| VlTx::new()).collect::<Result<_, _>>()?,
            page: SwitchPage::new()?,
            numbers: (0..N).map(|vl| Constant::new((vl as u64).into())).collect(),
            directed: Constant::new(Bits::<W>::default().replace_bit(3, true)),
            internal: Constant::new(Bits::<Q>::default().replace_bit(0, true)),
            ..
        })
    }

    fn update(&mut self) {
        link(bus, page.bus);
        ticks.life = page.life;
        ups = internal | (bit_cast::<Q, P>(up) << 1);
        cuts = bit_cast::<Q, P>(lost) << 1;
        moving = internal;
        for p in 0..P {
            moving = moving.with(p + 1, !tx[p].beats_out.valid | beats_out[p].ready);
        }

        self.wire_to_planes();
        self.wire_routes();
        self.wire_planes();
        self.wire_from_planes();
        lanes = 0;
        for v in 0..N {
            agent_out[v] = In { data: planes[v].beats_out[0].data, valid: planes[v].beats_out[0].valid };
            planes[v].beats_out[0].ready = agent_out[v].ready;
            lanes = lanes.with(v, planes[v].released[0]);
        }
        agent_released = lanes;
    }

    /// Links to planes: the beat moves above what the switch knows of it.
    fn wire_to_planes(&mut self) {
        for p in 0..P {
            shifted = lanes_in[p].data >> above;
            said = shifted.bits::<LANE_BEAT_BITS>(0);
            lane = said.bits::<4>(0);
            beat = lanes_in[p].data.bits::<FLITS_W>(0);
            word = (bit_cast::<W, FLITS_W>(beat) << 9)
                | bit_cast::<W, 1>(said.bits::<1>(8))
                | (bit_cast::<W, 1>(said.bits::<1>(7)) << 1);
            ready = false;
            known = false;
            for v in 0..N {
                is_lane = lane == numbers[v];
                known = known | is_lane;
                planes[v].words_in[p + 1].data = word;
                planes[v].words_in[p + 1].valid = lanes_in[p].valid & is_lane;
                ready = ready | (is_lane & planes[v].words_in[p + 1].ready);
            }
            lanes_in[p].ready = (ready | !known) & !clear;
        }
        agent = agent_in.data >> above;
        said = agent.bits::<LANE_BEAT_BITS>(0);
        lane = said.bits::<4>(0);
        beat = agent_in.data.bits::<FLITS_W>(0);
        word = (bit_cast::<W, FLITS_W>(beat) << 9)
            | bit_cast::<W, 1>(said.bits::<1>(8))
            | (bit_cast::<W, 1>(said.bits::<1>(7)) << 1)
            | (bit_cast::<W, PORT_BITS>(agent.bits::<PORT_BITS>(9)) << 4)
            | directed;
        ready = false;
        known = false;
        for v in 0..N {
            is_lane = lane == numbers[v];
            known = known | is_lane;
            planes[v].words_in[0] = In { data: word, valid: agent_in.valid & is_lane };
            ready = ready | (is_lane & planes[v].words_in[0].ready);
        }
        agent_in.ready = (ready | !known) & !clear;
    }

    /// Routes.
    fn wire_routes(&mut self) {
        for i in 0..Q {
            routes[i] = In { write: page.route_write, index: page.route_index, entry: page.route_entry };
            lanes = 0;
            arriving = 0;
            for v in 0..N {
                lanes = lanes.with(v, planes[v].asks[i]);
                arriving = arriving.with(v, planes[v].arrives[i]);
                routes[i].dst[v] = planes[v].dst[i];
            }
            routes[i] = In { asks: lanes, arrives: arriving };
        }
        routes[0].arriving = agent_in.data.bits::<16>(0);
        for p in 0..P {
            routes[p + 1].arriving = lanes_in[p].data.bits::<16>(0);
        }
    }

    /// Planes.
    fn wire_planes(&mut self) {
        for v in 0..N {
            planes[v] = In { cut: cuts, up: ups, mark: page.mark, tick: ticks.tick, moves: moving };
            held = 0;
            for p in 0..P {
                held = held.with(p + 1, tx[p].waiting[v]);
            }
            planes[v].waits = held;
            inputs = 0;
            coming = 0;
            adapting = 0;
            using = 0;
            holding = 0;
            for i in 0..Q {
                inputs = inputs.with(i, routes[i].asked[v]);
                coming = coming.with(i, routes[i].found[v]);
                using = using.with(i, routes[i].use_alt);
                adapting = adapting.with(i, routes[i].adapt & page.adapt_vl[v]);
                holding = holding.with(i, routes[i].valid);
                planes[v].port[i] = routes[i].port;
                planes[v].alt[i] = routes[i].alt;
            }
            planes[v] = In { asked: inputs, found: coming, use_alt: using, adapts: adapting, valid: holding };
            no_route[v] = planes[v].no_route;
            life_drop[v] = planes[v].life_drop;
            alt_taken[v] = planes[v].alt_taken;
            fecn_set[v] = planes[v].fecn_set;
            page.no_route[v] = planes[v].no_route;
            page.life_drop[v] = planes[v].life_drop;
            page.alt_taken[v] = planes[v].alt_taken;
            page.fecn_set[v] = planes[v].fecn_set;
            planes[v].credit[0] = plenty;
            for p in 0..P {
                planes[v].credit[p + 1] = credit[p].bits::<CREDIT_BITS>(v * 16);
            }
        }
    }

    /// Planes to links.
    fn wire_from_planes(&mut self) {
        for p in 0..P {
            tx[p] = In { clear: clear | !up[p], credit: may_send[p], priorities: priorities[p] };
            tx[p] = In { preempt: preempt[p], bubble: bubble[p], min_run: min_run[p], age: age[p] };
            lanes = 0;
            for v in 0..N {
                tx[p].lanes_in[v].data = planes[v].beats_out[p + 1].data.bits::<FLITS_W>(0);
                tx[p].lanes_in[v].valid = planes[v].beats_out[p + 1].valid;
                planes[v].beats_out[p + 1].ready = tx[p].lanes_in[v].ready;
                lanes = lanes.with(v, planes[v].ends[p + 1]);
            }
            tx[p].ends = lanes;
            sent[p] = tx[p].sent;
            sent_ends[p] = tx[p].sent_ends;
            lanes = 0;
            for v in 0..N {
                lanes = lanes.with(v, planes[v].released[p + 1]);
            }
            released[p] = lanes;
            beats_out[p] = In { data: tx[p].beats_out.data, valid: tx[p].beats_out.valid };
            tx[p].beats_out.ready = beats_out[p].ready;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let numbers = [("f", F), ("ports", P), ("lanes", N), ("addr_w", A), ("beats", 1 << B)];
        block_label("fab_switch", &numbers.map(|(name, value)| (name, value.to_string())))
    }
}

const _: () = assert!(lane_beat::vl::LOW == 0 && lane_beat::vl::WIDTH == 4);
const _: () = assert!(lane_beat::ends::LOW == 7 && lane_beat::opens::LOW == 8);
