//! One virtual lane of one input: its buffer, and the packet at its front.

use super::account::{SwitchAccount, CREDIT_BITS};
use super::age::SwitchAge;
use super::buffer::SwitchBuffer;
use super::head::{SwitchHead, ADDRESS_BITS, UNITS_BITS};
use super::word::made_end;
use crate::config::ConfigError;
use crate::prim::stream::StreamIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{BadReason, FLIT_BITS};
use flitforge_protocol::switch::PORT_BITS;

/// Buffer and front of a lane of a switch with `Q` ports, the internal one being the first; `W` = `FLITS_W` + 9 bits are a
/// [word](super::word), `B` and `C` = `B` + 1 the size of the buffer.
#[derive(LogicBlock)]
pub struct SwitchLane<const FLITS_W: usize, const W: usize, const Q: usize, const B: usize, const C: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is held.
    pub clear: Signal<In, Bit>,
    /// Words of packets, one packet after the other.
    pub words_in: StreamIn<Bits<W>>,
    /// The link has lost its state: the packet that comes in ends here.
    pub cut: Signal<In, Bit>,
    /// A head needs its route: one that is at the front, or one that will be with the next clock.
    pub asks: Signal<Out, Bit>,
    /// See `asks`.
    pub arrives: Signal<Out, Bit>,
    /// Destination of the head at the front.
    pub dst: Signal<Out, Bits<ADDRESS_BITS>>,
    /// The route is being looked up.
    pub asked: Signal<In, Bit>,
    /// It is there.
    pub found: Signal<In, Bit>,
    /// Its port and its other port, one bit each at most, and its flags.
    pub port: Signal<In, Bits<Q>>,
    /// See `port`.
    pub alt: Signal<In, Bits<Q>>,
    /// See `port`.
    pub use_alt: Signal<In, Bit>,
    /// The entry and ADAPT_VL have this lane take another way.
    pub adapts: Signal<In, Bit>,
    /// The entry holds.
    pub valid: Signal<In, Bit>,
    /// Outputs whose link is up.
    pub up: Signal<In, Bits<Q>>,
    /// Outputs whose lane is free.
    pub free: Signal<In, Bits<Q>>,
    /// AU that each output has for the lane.
    pub usable: [Signal<In, Bits<CREDIT_BITS>>; Q],
    /// The output asked for.
    pub wants: Signal<Out, Bits<Q>>,
    /// The output that was granted.
    pub owned: Signal<In, Bits<Q>>,
    /// Outputs that take a beat.
    pub goes: Signal<In, Bits<Q>>,
    /// The first word, its head marked.
    pub front: Signal<Out, Bits<W>>,
    /// It may go to the output that was granted.
    pub there: Signal<Out, Bit>,
    /// MARK_AU.
    pub mark: Signal<In, Bits<CREDIT_BITS>>,
    /// A sixteenth of LIFE has gone by.
    pub tick: Signal<In, Bit>,
    /// The packet that was granted stands still: the output ends it.
    pub gives_up: Signal<Out, Bit>,
    /// An AU is free by the beat that went a clock ago.
    pub released: Signal<Out, Bit>,
    /// Events, of the clock before.
    pub no_route: Signal<Out, Bit>,
    /// See `no_route`.
    pub life_drop: Signal<Out, Bit>,
    /// See `no_route`.
    pub alt_taken: Signal<Out, Bit>,
    /// See `no_route`.
    pub fecn_set: Signal<Out, Bit>,

    buffer: SwitchBuffer<W, B, C>,
    head: SwitchHead,
    account: SwitchAccount,
    age: SwitchAge,
    open: DFF<Bit>,
    cutting: DFF<Bit>,
    looking: DFF<Bit>,
    waiting: DFF<Bit>,
    dropping: DFF<Bit>,
    bad: DFF<Bit>,
    to_port: DFF<Bits<Q>>,
    to_alt: DFF<Bits<Q>>,
    stands_in: DFF<Bit>,
    may_adapt: DFF<Bit>,
    fits: DFF<Bits<Q>>,
    second: DFF<Bit>,
    asked_second: DFF<Bit>,
    was_owned: DFF<Bit>,
    misses: DFF<Bit>,
    dies: DFF<Bit>,
    turns: DFF<Bit>,
    marked: DFF<Bit>,
    directed_to: Signal<Local, Bits<Q>>,
    given: Signal<Local, Bits<PORT_BITS>>,
    fitting: Signal<Local, Bits<Q>>,
    first: Signal<Local, Bits<FLIT_BITS>>,
    opens: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    directed: Signal<Local, Bit>,
    valid_front: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    asks_late: Signal<Local, Bit>,
    asks_early: Signal<Local, Bit>,
    is_owned: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
    old: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    pushes: Signal<Local, Bit>,
    way: Signal<Local, Bits<Q>>,
    other: Signal<Local, Bits<Q>>,
    has_way: Signal<Local, Bit>,
    can_port: Signal<Local, Bit>,
    marks: Signal<Local, Bit>,
    word: Signal<Local, Bits<W>>,
    made: Constant<Bits<W>>,
    fecn: Constant<Bits<W>>,
    number: Vec<Constant<Bits<PORT_BITS>>>,
    at_agent: Constant<Bits<Q>>,
    nothing: Constant<Bits<Q>>,
}

/// What a lane is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneConfig {
    /// Number of the lane.
    pub vl: usize,
    /// Flits per beat.
    pub flits: usize,
    /// MTU, bytes.
    pub mtu: usize,
    /// ADDR_W.
    pub address_bits: usize,
}

impl<const FLITS_W: usize, const W: usize, const Q: usize, const B: usize, const C: usize>
    SwitchLane<FLITS_W, W, Q, B, C>
{
    /// A lane.
    pub fn new(config: LaneConfig) -> Result<Self, ConfigError> {
        let fecn = Bits::<W>::default().replace_bit(super::word::SIDE_BITS + 54, true);
        let port_number = |index: usize| if index == 0 { Q - 1 } else { index - 1 };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            words_in: Default::default(),
            cut: Default::default(),
            asks: Default::default(),
            arrives: Default::default(),
            dst: Default::default(),
            asked: Default::default(),
            found: Default::default(),
            port: Default::default(),
            alt: Default::default(),
            use_alt: Default::default(),
            adapts: Default::default(),
            valid: Default::default(),
            up: Default::default(),
            free: Default::default(),
            usable: defaults(),
            wants: Default::default(),
            owned: Default::default(),
            goes: Default::default(),
            front: Default::default(),
            there: Default::default(),
            mark: Default::default(),
            tick: Default::default(),
            gives_up: Default::default(),
            released: Default::default(),
            no_route: Default::default(),
            life_drop: Default::default(),
            alt_taken: Default::default(),
            fecn_set: Default::default(),
            buffer: SwitchBuffer::new()?,
            head: SwitchHead::new(config.mtu, config.address_bits),
            account: SwitchAccount::new(config.flits),
            age: Default::default(),
            open: Default::default(),
            cutting: Default::default(),
            looking: Default::default(),
            waiting: Default::default(),
            dropping: Default::default(),
            bad: Default::default(),
            to_port: Default::default(),
            to_alt: Default::default(),
            stands_in: Default::default(),
            may_adapt: Default::default(),
            fits: Default::default(),
            second: Default::default(),
            asked_second: Default::default(),
            was_owned: Default::default(),
            misses: Default::default(),
            dies: Default::default(),
            turns: Default::default(),
            marked: Default::default(),
            directed_to: Default::default(),
            given: Default::default(),
            fitting: Default::default(),
            first: Default::default(),
            opens: Default::default(),
            ends: Default::default(),
            directed: Default::default(),
            valid_front: Default::default(),
            idle: Default::default(),
            asks_late: Default::default(),
            asks_early: Default::default(),
            is_owned: Default::default(),
            lost: Default::default(),
            old: Default::default(),
            offers: Default::default(),
            takes: Default::default(),
            pushes: Default::default(),
            way: Default::default(),
            other: Default::default(),
            has_way: Default::default(),
            can_port: Default::default(),
            marks: Default::default(),
            word: Default::default(),
            made: Constant::new(made_end::<W>(config.vl, BadReason::InputLinkDown)),
            fecn: Constant::new(fecn),
            number: (0..Q).map(|index| Constant::new((port_number(index) as u64).into())).collect(),
            at_agent: Constant::new(Bits::<Q>::default().replace_bit(0, true)),
            nothing: Constant::new(Bits::default()),
        })
    }
}

impl<const FLITS_W: usize, const W: usize, const Q: usize, const B: usize, const C: usize> Logic
    for SwitchLane<FLITS_W, W, Q, B, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open, cutting, looking, waiting, dropping, bad, to_port, to_alt);
        dff_setup!(
            self,
            clock,
            stands_in,
            may_adapt,
            fits,
            second,
            asked_second,
            was_owned,
            misses,
            dies,
            turns,
            marked
        );
        clock!(self, clock, buffer, head, account, age);
        self.buffer.clear.next = self.clear.val();
        self.account.clear.next = self.clear.val();

        // In: a packet of a link that has died gets its end here.
        self.words_in.ready.next = self.buffer.words_in.ready.val() & !self.cutting.q.val();
        self.buffer.words_in.data.next = self.words_in.data.val();
        self.buffer.words_in.valid.next = self.words_in.valid.val() & !self.cutting.q.val();
        if self.cutting.q.val() {
            self.buffer.words_in.data.next = self.made.val();
            self.buffer.words_in.valid.next = self.open.q.val();
        }
        self.pushes.next =
            self.words_in.valid.val() & self.buffer.words_in.ready.val() & !self.cutting.q.val();
        if self.pushes.val() {
            self.open.d.next = !self.words_in.data.val().get_bit(1);
        }
        if self.cutting.q.val() & self.buffer.words_in.ready.val() {
            self.open.d.next = false;
            self.cutting.d.next = false;
        }
        if self.cut.val() {
            self.cutting.d.next = true;
        }

        // The front.
        self.word.next = self.buffer.front.data.val();
        self.valid_front.next = self.buffer.front.valid.val();
        self.opens.next = self.word.val().get_bit(0);
        self.ends.next = self.word.val().get_bit(1);
        self.directed.next = self.word.val().get_bit(3);
        self.given.next = self.word.val().get_bits::<PORT_BITS>(4);
        self.first.next = self.word.val().get_bits::<FLIT_BITS>(9);
        self.head.flit.next = self.first.val();
        self.dst.next = self.head.dst.val();
        self.directed_to.next = 0.into();
        self.fitting.next = 0.into();
        for o in 0..Q {
            self.directed_to.next =
                self.directed_to.val().replace_bit(o, self.given.val() == self.number[o].val());
            self.fitting.next = self.fitting.val().replace_bit(
                o,
                self.usable[o].val() >= bit_cast::<CREDIT_BITS, UNITS_BITS>(self.head.units.val()),
            );
        }
        self.fits.d.next = self.fitting.val();

        // Its route.
        self.idle.next = !self.looking.q.val() & !self.waiting.q.val() & !self.dropping.q.val();
        self.asks_late.next = self.idle.val() & self.valid_front.val() & self.opens.val();
        self.asks_early.next = self.idle.val()
            & self.buffer.empty.val()
            & self.pushes.val()
            & self.words_in.data.val().get_bit(0);
        self.asks.next = self.asks_late.val();
        self.arrives.next = self.asks_early.val();
        // One that arrives is always looked up.
        if self.asks_early.val() | (self.asks_late.val() & self.asked.val()) {
            self.looking.d.next = true;
        }
        if self.found.val() {
            self.looking.d.next = false;
            self.waiting.d.next = true;
            self.to_port.d.next = self.port.val();
            self.to_alt.d.next = self.alt.val();
            self.stands_in.d.next = self.use_alt.val();
            self.may_adapt.d.next = self.adapts.val();
            self.bad.d.next = self.head.too_long.val() | self.head.too_far.val() | !self.valid.val();
            if self.head.management.val() {
                self.to_port.d.next = self.at_agent.val();
                self.to_alt.d.next = 0.into();
                self.bad.d.next = self.head.too_long.val();
            }
            if self.directed.val() {
                self.to_port.d.next = self.directed_to.val();
                self.to_alt.d.next = 0.into();
                self.bad.d.next = self.head.too_long.val();
            }
        }

        // What it asks for.
        self.is_owned.next = self.owned.val().any();
        self.lost.next = (self.owned.val() & !self.up.val()).any();
        self.old.next = self.age.old.val();
        self.way.next = self.to_port.q.val() & self.up.val();
        self.other.next = self.nothing.val();
        if self.may_adapt.q.val() | (self.stands_in.q.val() & !self.way.val().any()) {
            self.other.next = self.to_alt.q.val() & self.up.val();
        }
        self.has_way.next = (self.way.val() | self.other.val()).any() & !self.bad.q.val();
        self.can_port.next = (self.way.val() & self.fits.q.val() & self.free.val()).any();
        self.second.d.next = self.waiting.q.val() & self.other.val().any() & !self.can_port.val();
        self.asked_second.d.next = self.second.q.val();
        self.was_owned.d.next = self.is_owned.val();
        self.wants.next = self.nothing.val();
        if self.waiting.q.val() & !self.bad.q.val() & !self.is_owned.val() & !self.old.val() {
            self.wants.next = self.way.val() & self.fits.q.val();
            if self.second.q.val() {
                self.wants.next = self.other.val() & self.fits.q.val();
            }
        }
        self.turns.d.next = self.is_owned.val() & !self.was_owned.q.val() & self.asked_second.q.val();

        // Out.
        self.offers.next = self.waiting.q.val() & self.valid_front.val() & !self.old.val();
        self.there.next = self.offers.val();
        self.takes.next = self.dropping.q.val() & self.valid_front.val();
        if self.offers.val() {
            self.takes.next = (self.owned.val() & self.goes.val()).any();
        }
        // What does not begin a packet has none to go on with.
        if self.idle.val() & self.valid_front.val() & !self.opens.val() {
            self.dropping.d.next = true;
        }
        self.buffer.front.ready.next = self.takes.val();
        self.marks.next = self.account.over.val() & self.opens.val() & self.head.unmarked.val();
        self.front.next = self.word.val();
        if self.marks.val() {
            self.front.next = self.word.val() | self.fecn.val();
        }
        self.marked.d.next = self.marks.val() & self.takes.val() & self.offers.val();

        // Given up.
        self.age.tick.next = self.tick.val();
        self.age.restart.next = !self.waiting.q.val() | self.takes.val();
        self.misses.d.next = false;
        self.dies.d.next = false;
        self.gives_up.next = false;
        if self.waiting.q.val() {
            if self.lost.val() | (!self.is_owned.val() & !self.has_way.val()) {
                self.waiting.d.next = false;
                self.dropping.d.next = true;
                self.misses.d.next = true;
            } else if self.old.val() {
                self.waiting.d.next = false;
                self.dropping.d.next = true;
                self.dies.d.next = true;
                self.gives_up.next = self.is_owned.val();
            }
        }
        if self.takes.val() & self.ends.val() {
            self.waiting.d.next = false;
            self.dropping.d.next = false;
        }

        self.no_route.next = self.misses.q.val();
        self.life_drop.next = self.dies.q.val();
        self.alt_taken.next = self.turns.q.val();
        self.fecn_set.next = self.marked.q.val();

        self.account.pushes.next = self.pushes.val();
        self.account.push_ends.next = self.words_in.data.val().get_bit(1);
        self.account.takes.next = self.takes.val();
        self.account.take_ends.next = self.ends.val();
        self.account.take_free.next = self.word.val().get_bit(2);
        self.account.cuts.next = self.cutting.q.val();
        self.account.mark.next = self.mark.val();
        self.released.next = self.account.released.val();
        if self.clear.val() {
            self.open.d.next = false;
            self.cutting.d.next = false;
            self.looking.d.next = false;
            self.waiting.d.next = false;
            self.dropping.d.next = false;
            self.second.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_lane", &[("ports", Q.to_string())])
    }
}

drive_ports!(impl[const FLITS_W: usize, const W: usize, const Q: usize, const B: usize, const C: usize] SwitchLane<FLITS_W, W, Q, B, C> {
    clock, clear, words_in, cut, asks, arrives, dst, asked, found, port, alt, use_alt, adapts, valid, up, free, usable,
    wants, owned, goes, front, there, mark, tick, gives_up, released, no_route, life_drop, alt_taken, fecn_set,
});
