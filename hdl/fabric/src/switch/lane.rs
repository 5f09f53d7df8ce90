//! One virtual lane of one input: its buffer, and the packet at its front.

use super::age::SwitchAge;
use super::buffer::SwitchBuffer;
use super::head::{SwitchHead, ADDRESS_BITS, UNITS_BITS};
use super::occupancy::{SwitchOccupancy, CREDIT_BITS};
use super::word::{made_end, Side, SIDE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{BadReason, FLIT_BITS};
use flitforge_protocol::packet::head;
use flitforge_protocol::switch::PORT_BITS;

/// Buffer and front of a lane of a switch with `Q` ports, the internal one being the first; `W` = `FLITS_W` + 9 bits are a
/// [word](super::word), `B` and `C` = `B` + 1 the size of the buffer.
#[block("switch_lane", new, ports = Q)]
pub struct SwitchLane<const FLITS_W: usize, const W: usize, const Q: usize, const B: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is held.
    clear: In<Bit>,
    /// Words of packets, one packet after the other.
    pub words_in: StreamIn<Bits<W>>,
    /// The link has lost its state: the packet that comes in ends here.
    cut: In<Bit>,
    /// A head needs its route: one that is at the front, or one that will be with the next clock.
    asks: Out<Bit>,
    /// See `asks`.
    arrives: Out<Bit>,
    /// Destination of the head at the front.
    dst: Out<Bits<ADDRESS_BITS>>,
    /// The route is being looked up.
    asked: In<Bit>,
    /// It is there.
    found: In<Bit>,
    /// Its port and its other port, one bit each at most, and its flags.
    port: In<Bits<Q>>,
    /// See `port`.
    alt: In<Bits<Q>>,
    /// See `port`.
    use_alt: In<Bit>,
    /// The entry and ADAPT_VL have this lane take another way.
    adapts: In<Bit>,
    /// The entry holds.
    valid: In<Bit>,
    /// Outputs whose link is up.
    up: In<Bits<Q>>,
    /// Outputs whose lane is free.
    free: In<Bits<Q>>,
    /// AU that each output has for the lane.
    usable: [In<Bits<CREDIT_BITS>>; Q],
    /// The output asked for.
    wants: Out<Bits<Q>>,
    /// The output that was granted.
    owned: In<Bits<Q>>,
    /// Outputs that take a beat.
    goes: In<Bits<Q>>,
    /// The first word, its head marked.
    front: Out<Bits<W>>,
    /// It may go to the output that was granted.
    there: Out<Bit>,
    /// MARK_AU.
    mark: In<Bits<CREDIT_BITS>>,
    /// A sixteenth of LIFE has gone by.
    tick: In<Bit>,
    /// The packet that was granted stands still: the output ends it.
    gives_up: Out<Bit>,
    /// An AU is free by the beat that went a clock ago.
    released: Out<Bit>,
    /// Events, of the clock before.
    no_route: Out<Bit>,
    /// See `no_route`.
    life_drop: Out<Bit>,
    /// See `no_route`.
    alt_taken: Out<Bit>,
    /// See `no_route`.
    fecn_set: Out<Bit>,

    #[wire(clock, clear)]
    buffer: SwitchBuffer<W, B, C>,
    #[wire(clock)]
    head: SwitchHead,
    #[wire(clock, clear)]
    occupancy: SwitchOccupancy,
    #[wire(clock)]
    age: SwitchAge,
    /// The packet that comes in has not ended.
    open: Register<Bit>,
    /// It ends here.
    cutting: Register<Bit>,
    stage: Register<Stage>,
    /// The head has to be dropped: its entry does not hold, or it says what it must not.
    bad: Reg<Bit>,
    to_port: Reg<Bits<Q>>,
    to_alt: Reg<Bits<Q>>,
    stands_in: Reg<Bit>,
    may_adapt: Reg<Bit>,
    fits: Reg<Bits<Q>>,
    /// The other port is asked for, and was a clock ago.
    second: Register<Bit>,
    asked_second: Reg<Bit>,
    was_owned: Reg<Bit>,
    misses: Reg<Bit>,
    dies: Reg<Bit>,
    turns: Reg<Bit>,
    marked: Reg<Bit>,
    made: Constant<Bits<W>>,
    fecn: Constant<Bits<W>>,
    // Of each output: the internal port, which has the last number, comes first.
    #[init(|output| (((output + Q - 1) % Q) as u64).into())]
    number: [Constant<Bits<PORT_BITS>>; Q],
}

/// What becomes of the packet at the front.
#[packed]
pub enum Stage {
    /// Nothing yet.
    Idle,
    /// Its route is looked up.
    Looking,
    /// It waits for its output, or goes.
    Waiting,
    /// It is dropped.
    Dropping,
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

#[logic]
impl<const FLITS_W: usize, const W: usize, const Q: usize, const B: usize, const C: usize>
    SwitchLane<FLITS_W, W, Q, B, C>
{
    /// A lane.
    pub fn new(config: LaneConfig) -> Result<Self, ConfigError> {
        let fecn = Bits::<W>::default().replace_bit(SIDE_BITS + head::fecn::LOW, true);
        Ok(Self {
            buffer: SwitchBuffer::new()?,
            head: SwitchHead::new(config.mtu, config.address_bits),
            occupancy: SwitchOccupancy::new(config.flits),
            made: Constant::new(made_end::<W>(config.vl, BadReason::InputLinkDown)),
            fecn: Constant::new(fecn),
            ..
        })
    }

    fn update(&mut self) {
        let (coming, pushes) = self.take_word();
        let (word, here, side, given) = self.look_at_front();

        // Its route. One that arrives is always looked up.
        let idle = stage == Stage::Idle;
        let waiting = stage == Stage::Waiting;
        let asks_early = idle & buffer.empty & pushes & coming.begins;
        let asks_late = idle & here & side.begins;
        asks = asks_late;
        arrives = asks_early;
        if found {
            to_port = if side.directed {
                given
            } else if head.management {
                1
            } else {
                port
            };
            let to_agent = side.directed | head.management;
            to_alt = if to_agent { 0 } else { alt };
            bad = head.too_long | (!to_agent & (head.too_far | !valid));
            stands_in = use_alt;
            may_adapt = adapts;
        }

        // What it asks for.
        let is_owned = owned.any();
        let old = age.old;
        let way = to_port & up;
        let takes_other = may_adapt | (stands_in & !way.any());
        let other: Bits<Q> = if takes_other { to_alt & up } else { 0 };
        let has_way = (way | other).any() & !bad;
        second = waiting & other.any() & !(way & fits & free).any();
        asked_second = second;
        was_owned = is_owned;
        turns = is_owned & !was_owned & asked_second;
        wants = 0;
        if waiting & !bad & !is_owned & !old {
            wants = if second { other & fits } else { way & fits };
        }

        // Out.
        let offers = waiting & here & !old;
        let takes = if offers { (owned & goes).any() } else { (stage == Stage::Dropping) & here };
        let marks = occupancy.over & side.begins & head.unmarked;
        marked = marks & takes & offers;
        buffer.front.ready = takes;
        there = offers;
        front = if marks { word | fecn } else { word };

        // Given up: there is no way, or it is old.
        let lost = waiting & ((owned & !up).any() | (!is_owned & !has_way));
        let dead = waiting & !lost & old;
        misses = lost;
        dies = dead;
        gives_up = dead & is_owned;
        age = In { tick, restart: !waiting | takes };
        let looks = asks_early | (asks_late & asked);
        let broken = here & !side.begins;
        stage = Self::next_stage(stage, looks, broken, found, takes & side.ends, lost | dead);

        occupancy = In {
            pushes,
            push_ends: coming.ends,
            takes,
            take_ends: side.ends,
            take_free: side.free,
            cuts: cutting,
            mark,
        };
        released = occupancy.released;
        no_route = misses;
        life_drop = dies;
        alt_taken = turns;
        fecn_set = marked;
    }

    /// In: a packet of a link that has died gets its end here.
    fn take_word(&mut self) -> (Side, Bit) {
        let coming: Side = words_in.data[0..SIDE_BITS].into();
        words_in.ready = buffer.words_in.ready & !cutting;
        let pushes = words_in.valid & buffer.words_in.ready & !cutting;
        buffer.words_in = In {
            data: if cutting { made } else { words_in.data },
            valid: if cutting { open } else { words_in.valid },
        };
        open = (open & !(cutting & buffer.words_in.ready) & !pushes) | (pushes & !coming.ends);
        cutting = cut | (cutting & !buffer.words_in.ready);
        (coming, pushes)
    }

    /// The front, and whether each output has room for its packet.
    fn look_at_front(&mut self) -> (Bits<W>, Bit, Side, Bits<Q>) {
        let word = buffer.front.data;
        let here = buffer.front.valid;
        let side: Side = word[0..SIDE_BITS].into();
        head.flit = word.bits::<FLIT_BITS>(SIDE_BITS);
        dst = head.dst;
        let units = bit_cast::<CREDIT_BITS, UNITS_BITS>(head.units);
        let mut given: Bits<Q> = 0;
        let mut fitting: Bits<Q> = 0;
        for o in 0..Q {
            given = given.with(o, side.output == number[o]);
            fitting = fitting.with(o, usable[o] >= units);
        }
        fits = fitting;
        (word, here, side, given)
    }

    /// What becomes of the packet: its route is looked up (`looks`) and found; its end is taken, or it is given up. What does not begin a
    /// packet has none to go on with.
    fn next_stage(stage: Stage, looks: Bit, broken: Bit, found: Bit, ends: Bit, given_up: Bit) -> Stage {
        match stage {
            Stage::Idle => {
                if broken {
                    Stage::Dropping
                } else if looks {
                    Stage::Looking
                } else {
                    Stage::Idle
                }
            }
            Stage::Looking => {
                if found {
                    Stage::Waiting
                } else {
                    Stage::Looking
                }
            }
            Stage::Waiting | Stage::Dropping => {
                if ends {
                    Stage::Idle
                } else if given_up {
                    Stage::Dropping
                } else {
                    stage
                }
            }
        }
    }
}
