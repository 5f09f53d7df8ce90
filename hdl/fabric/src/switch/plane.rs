//! One virtual lane of the whole switch: its buffers, grants and crossbar.

use super::grant::{SwitchGrant, SwitchUsable};
use super::head::ADDRESS_BITS;
use super::lane::{LaneConfig, SwitchLane};
use super::occupancy::CREDIT_BITS;
use super::word::bad_end;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::switch::PORT_BITS;

/// A lane of `Q` inputs and `Q` outputs, the internal port first. A virtual lane never changes on the way, so that the planes of
/// different lanes meet at the links only. `W` is a [word](super::word), `X` = `FLITS_W` + 5 a beat with the number of its input above.
#[block("switch_plane", new, ports = Q)]
pub struct SwitchPlane<
    const FLITS_W: usize,
    const W: usize,
    const X: usize,
    const Q: usize,
    const B: usize,
    const C: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is held.
    clear: In<Bit>,
    /// Words by input.
    pub words_in: [StreamIn<Bits<W>>; Q],
    /// Links that have lost their state.
    cut: In<Bits<Q>>,
    /// Inputs whose head needs a route, and where it goes; see [`SwitchLane`].
    asks: Out<Bits<Q>>,
    /// See `asks`.
    arrives: Out<Bits<Q>>,
    /// See `asks`.
    dst: [Out<Bits<ADDRESS_BITS>>; Q],
    /// See `asks`.
    asked: In<Bits<Q>>,
    /// Inputs whose route is there, and the routes.
    found: In<Bits<Q>>,
    /// See `found`.
    port: [In<Bits<Q>>; Q],
    /// See `found`.
    alt: [In<Bits<Q>>; Q],
    /// See `found`.
    use_alt: In<Bits<Q>>,
    /// See `found`.
    adapts: In<Bits<Q>>,
    /// See `found`.
    valid: In<Bits<Q>>,
    /// Outputs whose link is up.
    up: In<Bits<Q>>,
    /// AU by output.
    credit: [In<Bits<CREDIT_BITS>>; Q],
    /// Outputs whose link takes a beat, or has taken the last.
    moves: In<Bits<Q>>,
    /// MARK_AU.
    mark: In<Bits<CREDIT_BITS>>,
    /// A sixteenth of LIFE has gone by.
    tick: In<Bit>,
    /// Outputs whose interleaver holds a beat of the lane.
    waits: In<Bits<Q>>,
    /// Beats by output; those for a link come as they pass the crossbar.
    pub beats_out: [StreamOut<Bits<X>>; Q],
    /// Outputs whose beat ends a packet.
    ends: Out<Bits<Q>>,
    /// AU that are free, by input.
    released: Out<Bits<Q>>,
    /// Events by input.
    no_route: Out<Bits<Q>>,
    /// See `no_route`.
    life_drop: Out<Bits<Q>>,
    /// See `no_route`.
    alt_taken: Out<Bits<Q>>,
    /// See `no_route`.
    fecn_set: Out<Bits<Q>>,

    #[wire(clock, clear)]
    lanes: Vec<SwitchLane<FLITS_W, W, Q, B, C>>,
    #[wire(clock, clear)]
    grants: [SwitchGrant<Q>; Q],
    #[wire(clock)]
    usable: [SwitchUsable; Q],
    /// The agent's beats have a register here, those of links in their interleaver.
    #[wire(clock, clear)]
    agent: Skid<Bits<X>>,
    free: Local<Bits<Q>>,
    goes: Local<Bits<Q>>,
    requests: Local<Bits<Q>>,
    owner: Local<Bits<Q>>,
    owned: Local<Bits<Q>>,
    joined: Local<Bits<X>>,
    beat: Local<Bits<FLITS_W>>,
    there: Local<Bit>,
    is_end: Local<Bit>,
    ending: Local<Bits<Q>>,
    takes: Local<Bit>,
    to_output: [Local<Bits<X>>; Q],
    valid_to: [Local<Bit>; Q],
    gives_up: Local<Bit>,
    end_beat: Constant<Bits<X>>,
    number: Vec<Constant<Bits<X>>>,
}

#[logic]
impl<
        const FLITS_W: usize,
        const W: usize,
        const X: usize,
        const Q: usize,
        const B: usize,
        const C: usize,
    > SwitchPlane<FLITS_W, W, X, Q, B, C>
{
    /// A plane.
    pub fn new(config: LaneConfig) -> Result<Self, ConfigError> {
        let port_number = |index: usize| if index == 0 { Q - 1 } else { index - 1 };
        let number = |index: usize| {
            (0..PORT_BITS).fold(Bits::<X>::default(), |bits, bit| {
                bits.replace_bit(FLITS_W + bit, port_number(index) >> bit & 1 == 1)
            })
        };
        Ok(Self {
            lanes: (0..Q).map(|_| SwitchLane::new(config)).collect::<Result<_, _>>()?,
            end_beat: Constant::new(bad_end::<X>(config.vl, BadReason::LifetimeExpired, 0)),
            number: (0..Q).map(|index| Constant::new(number(index))).collect(),
            ..
        })
    }

    fn update(&mut self) {
        // Which outputs can be asked, and take beats.
        free = 0;
        goes = 0;
        for o in 0..Q {
            free = free.with(o, grants[o].free);
            goes = goes.with(o, beats_out[o].ready);
        }
        goes = goes.with(0, agent.words_in.ready);

        self.wire_inputs();

        // Outputs.
        ending = 0;
        for o in 0..Q {
            grants[o].up = up[o];
            owner = grants[o].owner;
            beat = 0;
            requests = 0;
            joined = 0;
            there = false;
            is_end = false;
            gives_up = false;
            for i in 0..Q {
                requests = requests.with(i, lanes[i].wants[o]);
                if owner[i] {
                    beat = lanes[i].front.bits::<FLITS_W>(9);
                    joined = joined | bit_cast::<X, FLITS_W>(beat) | number[i];
                    there = there | lanes[i].there;
                    is_end = is_end | lanes[i].front[1];
                    gives_up = gives_up | lanes[i].gives_up;
                }
            }
            takes = goes[o];
            grants[o] = In { requests, gives_up, done: there & is_end & takes };
            grants[o].ended = grants[o].ending & takes;
            usable[o] = In { credit: credit[o], waits: waits[o] | there, moves: moves[o] };
            if grants[o].ending {
                joined = end_beat;
                there = true;
                is_end = true;
            }
            to_output[o] = joined;
            valid_to[o] = there;
            ending = ending.with(o, is_end);
        }
        ends = ending;
        agent.words_in = In { data: to_output[0], valid: valid_to[0] };
        link(beats_out[0], agent.words_out);
        for o in 1..Q {
            beats_out[o] = In { data: to_output[o], valid: valid_to[o] };
        }
    }

    /// Inputs.
    fn wire_inputs(&mut self) {
        let mut asking: Bits<Q> = 0;
        let mut arriving: Bits<Q> = 0;
        let mut releasing: Bits<Q> = 0;
        let mut missing: Bits<Q> = 0;
        let mut dying: Bits<Q> = 0;
        let mut turning: Bits<Q> = 0;
        let mut marking: Bits<Q> = 0;
        for i in 0..Q {
            lanes[i].words_in = In { data: words_in[i].data, valid: words_in[i].valid };
            words_in[i].ready = lanes[i].words_in.ready;
            lanes[i] = In { cut: cut[i], asked: asked[i], found: found[i], port: port[i], alt: alt[i] };
            lanes[i] = In { use_alt: use_alt[i], adapts: adapts[i], valid: valid[i], up, free, goes, mark };
            lanes[i].tick = tick;
            owned = 0;
            for o in 0..Q {
                lanes[i].usable[o] = usable[o].usable;
                owned = owned.with(o, grants[o].owner[i]);
            }
            lanes[i].owned = owned;
            dst[i] = lanes[i].dst;
            asking = asking.with(i, lanes[i].asks);
            arriving = arriving.with(i, lanes[i].arrives);
            releasing = releasing.with(i, lanes[i].released);
            missing = missing.with(i, lanes[i].no_route);
            dying = dying.with(i, lanes[i].life_drop);
            turning = turning.with(i, lanes[i].alt_taken);
            marking = marking.with(i, lanes[i].fecn_set);
        }
        asks = asking;
        arrives = arriving;
        released = releasing;
        no_route = missing;
        life_drop = dying;
        alt_taken = turning;
        fecn_set = marking;
    }
}
