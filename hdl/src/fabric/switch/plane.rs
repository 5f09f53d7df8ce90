//! One virtual lane of the whole switch: its buffers, grants and crossbar.

use super::account::CREDIT_BITS;
use super::grant::{SwitchGrant, SwitchUsable};
use super::head::ADDRESS_BITS;
use super::lane::{LaneConfig, SwitchLane};
use super::word::bad_end;
use crate::config::ConfigError;
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Skid;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::switch::PORT_BITS;

/// A lane of `Q` inputs and `Q` outputs, the internal port first. A virtual lane never changes on the way, so that the planes of
/// different lanes meet at the links only. `W` is a [word](super::word), `X` = `FLITS_W` + 5 a beat with the number of its input above.
#[derive(LogicBlock)]
pub struct SwitchPlane<
    const FLITS_W: usize,
    const W: usize,
    const X: usize,
    const Q: usize,
    const B: usize,
    const C: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is held.
    pub clear: Signal<In, Bit>,
    /// Words by input.
    pub words_in: [StreamIn<Bits<W>>; Q],
    /// Links that have lost their state.
    pub cut: Signal<In, Bits<Q>>,
    /// Inputs whose head needs a route, and where it goes; see [`SwitchLane`].
    pub asks: Signal<Out, Bits<Q>>,
    /// See `asks`.
    pub arrives: Signal<Out, Bits<Q>>,
    /// See `asks`.
    pub dst: [Signal<Out, Bits<ADDRESS_BITS>>; Q],
    /// See `asks`.
    pub asked: Signal<In, Bits<Q>>,
    /// Inputs whose route is there, and the routes.
    pub found: Signal<In, Bits<Q>>,
    /// See `found`.
    pub port: [Signal<In, Bits<Q>>; Q],
    /// See `found`.
    pub alt: [Signal<In, Bits<Q>>; Q],
    /// See `found`.
    pub use_alt: Signal<In, Bits<Q>>,
    /// See `found`.
    pub adapts: Signal<In, Bits<Q>>,
    /// See `found`.
    pub valid: Signal<In, Bits<Q>>,
    /// Outputs whose link is up.
    pub up: Signal<In, Bits<Q>>,
    /// AU by output.
    pub credit: [Signal<In, Bits<CREDIT_BITS>>; Q],
    /// Outputs whose link takes a beat, or has taken the last.
    pub moves: Signal<In, Bits<Q>>,
    /// MARK_AU.
    pub mark: Signal<In, Bits<CREDIT_BITS>>,
    /// A sixteenth of LIFE has gone by.
    pub tick: Signal<In, Bit>,
    /// Outputs whose interleaver holds a beat of the lane.
    pub waits: Signal<In, Bits<Q>>,
    /// Beats by output; those for a link come as they pass the crossbar.
    pub beats_out: [StreamOut<Bits<X>>; Q],
    /// Outputs whose beat ends a packet.
    pub ends: Signal<Out, Bits<Q>>,
    /// AU that are free, by input.
    pub released: Signal<Out, Bits<Q>>,
    /// Events by input.
    pub no_route: Signal<Out, Bits<Q>>,
    /// See `no_route`.
    pub life_drop: Signal<Out, Bits<Q>>,
    /// See `no_route`.
    pub alt_taken: Signal<Out, Bits<Q>>,
    /// See `no_route`.
    pub fecn_set: Signal<Out, Bits<Q>>,

    lanes: Vec<SwitchLane<FLITS_W, W, Q, B, C>>,
    grants: [SwitchGrant<Q>; Q],
    usable: [SwitchUsable; Q],
    /// The agent's beats have a register here, those of links in their interleaver.
    agent: Skid<Bits<X>>,
    free: Signal<Local, Bits<Q>>,
    goes: Signal<Local, Bits<Q>>,
    requests: Signal<Local, Bits<Q>>,
    owner: Signal<Local, Bits<Q>>,
    owned: Signal<Local, Bits<Q>>,
    joined: Signal<Local, Bits<X>>,
    beat: Signal<Local, Bits<FLITS_W>>,
    there: Signal<Local, Bit>,
    is_end: Signal<Local, Bit>,
    ending: Signal<Local, Bits<Q>>,
    takes: Signal<Local, Bit>,
    to_output: [Signal<Local, Bits<X>>; Q],
    valid_to: [Signal<Local, Bit>; Q],
    gives_up: Signal<Local, Bit>,
    asking: Signal<Local, Bits<Q>>,
    arriving: Signal<Local, Bits<Q>>,
    releasing: Signal<Local, Bits<Q>>,
    missing: Signal<Local, Bits<Q>>,
    dying: Signal<Local, Bits<Q>>,
    turning: Signal<Local, Bits<Q>>,
    marking: Signal<Local, Bits<Q>>,
    end_beat: Constant<Bits<X>>,
    number: Vec<Constant<Bits<X>>>,
}

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
            clock: Default::default(),
            clear: Default::default(),
            words_in: defaults(),
            cut: Default::default(),
            asks: Default::default(),
            arrives: Default::default(),
            dst: defaults(),
            asked: Default::default(),
            found: Default::default(),
            port: defaults(),
            alt: defaults(),
            use_alt: Default::default(),
            adapts: Default::default(),
            valid: Default::default(),
            up: Default::default(),
            credit: defaults(),
            moves: Default::default(),
            mark: Default::default(),
            tick: Default::default(),
            waits: Default::default(),
            beats_out: defaults(),
            ends: Default::default(),
            released: Default::default(),
            no_route: Default::default(),
            life_drop: Default::default(),
            alt_taken: Default::default(),
            fecn_set: Default::default(),
            lanes: (0..Q).map(|_| SwitchLane::new(config)).collect::<Result<_, _>>()?,
            grants: defaults(),
            usable: defaults(),
            agent: Default::default(),
            free: Default::default(),
            goes: Default::default(),
            requests: Default::default(),
            owner: Default::default(),
            owned: Default::default(),
            joined: Default::default(),
            beat: Default::default(),
            there: Default::default(),
            is_end: Default::default(),
            ending: Default::default(),
            takes: Default::default(),
            to_output: defaults(),
            valid_to: defaults(),
            gives_up: Default::default(),
            asking: Default::default(),
            arriving: Default::default(),
            releasing: Default::default(),
            missing: Default::default(),
            dying: Default::default(),
            turning: Default::default(),
            marking: Default::default(),
            end_beat: Constant::new(bad_end::<X>(config.vl, BadReason::LifetimeExpired, 0)),
            number: (0..Q).map(|index| Constant::new(number(index))).collect(),
        })
    }
}

impl<
        const FLITS_W: usize,
        const W: usize,
        const X: usize,
        const Q: usize,
        const B: usize,
        const C: usize,
    > Logic for SwitchPlane<FLITS_W, W, X, Q, B, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        // Which outputs can be asked, and take beats.
        self.free.next = 0.into();
        self.goes.next = 0.into();
        for o in 0..Q {
            self.free.next = self.free.val().replace_bit(o, self.grants[o].free.val());
            self.goes.next = self.goes.val().replace_bit(o, self.beats_out[o].ready.val());
        }
        self.goes.next = self.goes.val().replace_bit(0, self.agent.words_in.ready.val());

        // Inputs.
        self.asking.next = 0.into();
        self.arriving.next = 0.into();
        self.releasing.next = 0.into();
        self.missing.next = 0.into();
        self.dying.next = 0.into();
        self.turning.next = 0.into();
        self.marking.next = 0.into();
        for i in 0..Q {
            self.lanes[i].clock.next = self.clock.val();
            self.lanes[i].clear.next = self.clear.val();
            self.lanes[i].words_in.data.next = self.words_in[i].data.val();
            self.lanes[i].words_in.valid.next = self.words_in[i].valid.val();
            self.words_in[i].ready.next = self.lanes[i].words_in.ready.val();
            self.lanes[i].cut.next = self.cut.val().get_bit(i);
            self.lanes[i].asked.next = self.asked.val().get_bit(i);
            self.lanes[i].found.next = self.found.val().get_bit(i);
            self.lanes[i].port.next = self.port[i].val();
            self.lanes[i].alt.next = self.alt[i].val();
            self.lanes[i].use_alt.next = self.use_alt.val().get_bit(i);
            self.lanes[i].adapts.next = self.adapts.val().get_bit(i);
            self.lanes[i].valid.next = self.valid.val().get_bit(i);
            self.lanes[i].up.next = self.up.val();
            self.lanes[i].free.next = self.free.val();
            self.lanes[i].goes.next = self.goes.val();
            self.lanes[i].mark.next = self.mark.val();
            self.lanes[i].tick.next = self.tick.val();
            self.owned.next = 0.into();
            for o in 0..Q {
                self.lanes[i].usable[o].next = self.usable[o].usable.val();
                self.owned.next = self.owned.val().replace_bit(o, self.grants[o].owner.val().get_bit(i));
            }
            self.lanes[i].owned.next = self.owned.val();
            self.dst[i].next = self.lanes[i].dst.val();
            self.asking.next = self.asking.val().replace_bit(i, self.lanes[i].asks.val());
            self.arriving.next = self.arriving.val().replace_bit(i, self.lanes[i].arrives.val());
            self.releasing.next = self.releasing.val().replace_bit(i, self.lanes[i].released.val());
            self.missing.next = self.missing.val().replace_bit(i, self.lanes[i].no_route.val());
            self.dying.next = self.dying.val().replace_bit(i, self.lanes[i].life_drop.val());
            self.turning.next = self.turning.val().replace_bit(i, self.lanes[i].alt_taken.val());
            self.marking.next = self.marking.val().replace_bit(i, self.lanes[i].fecn_set.val());
        }
        self.asks.next = self.asking.val();
        self.arrives.next = self.arriving.val();
        self.released.next = self.releasing.val();
        self.no_route.next = self.missing.val();
        self.life_drop.next = self.dying.val();
        self.alt_taken.next = self.turning.val();
        self.fecn_set.next = self.marking.val();

        // Outputs.
        self.ending.next = 0.into();
        for o in 0..Q {
            self.grants[o].clock.next = self.clock.val();
            self.usable[o].clock.next = self.clock.val();
            self.grants[o].clear.next = self.clear.val();
            self.grants[o].up.next = self.up.val().get_bit(o);
            self.owner.next = self.grants[o].owner.val();
            self.beat.next = 0.into();
            self.requests.next = 0.into();
            self.joined.next = 0.into();
            self.there.next = false;
            self.is_end.next = false;
            self.gives_up.next = false;
            for i in 0..Q {
                self.requests.next = self.requests.val().replace_bit(i, self.lanes[i].wants.val().get_bit(o));
                if self.owner.val().get_bit(i) {
                    self.beat.next = self.lanes[i].front.val().get_bits::<FLITS_W>(9);
                    self.joined.next =
                        self.joined.val() | bit_cast::<X, FLITS_W>(self.beat.val()) | self.number[i].val();
                    self.there.next = self.there.val() | self.lanes[i].there.val();
                    self.is_end.next = self.is_end.val() | self.lanes[i].front.val().get_bit(1);
                    self.gives_up.next = self.gives_up.val() | self.lanes[i].gives_up.val();
                }
            }
            self.takes.next = self.goes.val().get_bit(o);
            self.grants[o].requests.next = self.requests.val();
            self.grants[o].gives_up.next = self.gives_up.val();
            self.grants[o].done.next = self.there.val() & self.is_end.val() & self.takes.val();
            self.grants[o].ended.next = self.grants[o].ending.val() & self.takes.val();
            self.usable[o].credit.next = self.credit[o].val();
            self.usable[o].waits.next = self.waits.val().get_bit(o) | self.there.val();
            self.usable[o].moves.next = self.moves.val().get_bit(o);
            if self.grants[o].ending.val() {
                self.joined.next = self.end_beat.val();
                self.there.next = true;
                self.is_end.next = true;
            }
            self.to_output[o].next = self.joined.val();
            self.valid_to[o].next = self.there.val();
            self.ending.next = self.ending.val().replace_bit(o, self.is_end.val());
        }
        self.ends.next = self.ending.val();
        self.agent.clock.next = self.clock.val();
        self.agent.clear.next = self.clear.val();
        self.agent.words_in.data.next = self.to_output[0].val();
        self.agent.words_in.valid.next = self.valid_to[0].val();
        StreamOut::<Bits<X>>::link(&mut self.beats_out[0], &mut self.agent.words_out);
        for o in 1..Q {
            self.beats_out[o].data.next = self.to_output[o].val();
            self.beats_out[o].valid.next = self.valid_to[o].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_plane", &[("ports", Q.to_string())])
    }
}

drive_ports!(impl[const FLITS_W: usize, const W: usize, const X: usize, const Q: usize, const B: usize, const C: usize] SwitchPlane<FLITS_W, W, X, Q, B, C> {
    clock, clear, words_in, cut, asks, arrives, dst, asked, found, port, alt, use_alt, adapts, valid, up, credit, moves,
    mark, tick, waits, beats_out, ends, released, no_route, life_drop, alt_taken, fecn_set,
});
