//! `sue_lb`: which port a body leaves by (chapter 50, 4.4, rules 1 to 3).
//!
//! | what happens | then |
//! |---|---|
//! | a body, MODE strict | it goes to the peer's port in STRICT_MAP, if that port is up and reaches the peer |
//! | a body, MODE unordered | of the ports that are up, reach the peer and are `ready`, it goes to the one with most available octets: `credits` less those that wait |
//! | two have as many | the rotating pointer decides: the port after the last one chosen comes first |
//! | a port that could have the body is not `ready` | the body waits and looks again every 5 clocks; what comes after it waits, too, so nothing is reordered |
//! | no port that may have it reaches the peer | while `settling` it waits as above, but for a body of `moved` while `draining`; else the body is taken and dropped, `refused` tells its commands (status 1) |
//! | a body of `body` that ends with an error | its port forgets it, and `spoiled` tells its commands (status 1) |
//! | a body of `moved` and one of `body` | that of `moved` is looked at first, each time anew: one of `body` that waits is in nobody's way |
//! | `held` | no body of `body` begins; it waits and looks again |
//! | a port goes down | it reaches no peer any more; bodies that it has begun to take go on to its sender, which keeps them for the failover |
//! | `changes` | sets or clears {port, peer}, or the peer's port in STRICT_MAP; a port that is down cannot be set |
//!
//! - A body never changes its port. The choice counts what ports said 4 clocks before its first word, changes of the tables 7 clocks before.
//! - `led_head`, `led_commands` and `led_moved` go to all senders beside the words of the body that is led.
//! - Bodies of both streams are told apart only by whose turn it is.
//! - Octets that wait at a port are those of bodies led to it, less those that `sent` gives back, 0 at least; none while the port is `empty`, so that bodies that ended
//!   in another way are forgotten. `load` is a 256th of 64 KiB each, at most 255.
//! - Latency 6 clocks from the first word of a body in to the same word out, then a word per clock.
//! - `clear` forgets the body under way, octets that wait, reachability and STRICT_MAP (then the peer modulo the number of ports). Tables are
//!   written for as many clocks as there are peers, also after a port went down; `changes.ready` is low meanwhile.
//!
//! FREEZE and OPEN (rules 4 and 5) are [`sue_failover`](crate::failover), whose results come in as `changes` and `settling`. With STRICT_FO = 1 it sets STRICT_MAP as well, and keeps the order with `held`.

mod entry;

pub use entry::{ChangeKind, RefusedBody, RouteChange};

use crate::cbfc::CREDIT_OCTETS_BITS;
use crate::frame::{BodyHead, FrameWord};
use entry::Offer;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_protocol::sue_registers::MAX_PORTS;

/// Ports of an instance; those that it lacks are never up.
pub const PORTS: usize = MAX_PORTS;
/// Clocks from the first word of a body in to the same word out.
pub const LATENCY: u32 = 6;
/// Bits of a number of octets that wait: 256 slots of 4,096.
const QUEUED_BITS: usize = 21;
/// Last step of a choice: the tables are read, their words come, are judged, ports are compared in pairs, then the pairs.
const DECIDE: usize = 5;

/// Load balance over four ports and 2^`P` peers; see the [module](self).
#[block("sue_lb", new, peers = 1usize << P)]
pub struct SueLb<const P: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all.
    clear: In<Bit>,
    /// MODE: any port may have a body.
    unordered: In<Bit>,
    /// Links that are up.
    up: In<Bits<PORTS>>,
    /// A failover is under way: ports may reach a peer soon.
    settling: In<Bit>,
    /// By port, virtual channels that can send: a slot is obtainable, the class neither paused nor out of credit.
    ready: [In<Bits<4>>; PORTS],
    /// The virtual channel whose credits are asked for.
    asked_vc: Out<Bits<2>>,
    /// By port, octets that the credits of the channel asked for in the clock before are worth; 0 without CBFC.
    credits: [In<Bits<CREDIT_OCTETS_BITS>>; PORTS],
    /// By port, octets of a body that wait no more.
    pub sent: [FlowIn<Bits<13>>; PORTS],
    /// Ports at which no body waits.
    empty: In<Bits<PORTS>>,
    /// Changes of the tables.
    pub changes: StreamIn<RouteChange>,
    /// Order is kept over a failover: no body of `body` begins.
    held: In<Bit>,
    /// Bodies that no port can take now must not wait.
    draining: In<Bit>,
    /// Words of bodies of the packer.
    pub body: StreamIn<FrameWord>,
    /// Of the body, from its first word to its last.
    head: In<BodyHead>,
    /// Commands in the body, with its last word.
    commands: In<Bits<10>>,
    /// Words of bodies that come from another port.
    pub moved: StreamIn<FrameWord>,
    /// The same of them.
    moved_head: In<BodyHead>,
    /// The same of them.
    moved_commands: In<Bits<10>>,
    /// Of the body that is led, from its first word to its last.
    led_head: Out<BodyHead>,
    /// Its commands, with its last word.
    led_commands: Out<Bits<10>>,
    /// It is one of `moved`.
    led_moved: Out<Bit>,
    /// A body of the packer is being led to a port.
    leads: Out<Bit>,
    /// Words of bodies, by port.
    pub bodies: [StreamOut<FrameWord>; PORTS],
    /// Bodies that were dropped.
    pub refused: FlowOut<RefusedBody>,
    /// Bodies of the packer that ended with an error at a port: no PDU is made of them.
    pub spoiled: FlowOut<RefusedBody>,
    /// Virtual channels that some port can send on.
    vc_ready: Out<Bits<4>>,
    /// A peer, and 2 clocks later the ports that reach it.
    shown_peer: In<Bits<P>>,
    /// Those ports.
    shown: Out<Bits<PORTS>>,
    /// A peer, and 2 clocks later its port in STRICT_MAP.
    home_peer: In<Bits<P>>,
    /// That port.
    home_shown: Out<Bits<2>>,
    /// By port, octets that wait, in 256.
    load: [Out<Bits<8>>; PORTS],
    /// By port, virtual channels that cannot send though the port is up.
    blocked: [Out<Bits<4>>; PORTS],

    // The tables, by peer: does the port reach it; STRICT_MAP.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    reach: Vec<Ram<Bits<1>, P>>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    homes: Ram<Bits<2>, P>,
    /// The first of them once more, for whoever wants to know.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    copies: Vec<Ram<Bits<1>, P>>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    home_copies: Ram<Bits<2>, P>,
    // What is written into them.
    #[wire(d = _)]
    write_peer: Reg<Bits<P>>,
    #[wire(d = _)]
    write_reach: Reg<Bits<PORTS>>,
    #[wire(d = _)]
    write_home: Reg<Bit>,
    #[wire(d = _)]
    reaches: Reg<Bits<1>>,
    #[wire(d = _)]
    home: Reg<Bits<2>>,
    /// Tables to be emptied: those of the ports, and STRICT_MAP.
    #[init(31)]
    dirty: Register<Bits<5>>,
    /// Tables that are being emptied.
    swept: Register<Bits<5>>,
    sweep: Register<Bits<P>>,
    #[wire(d = _)]
    up_before: Reg<Bits<PORTS>>,
    /// Ports that are up and whose table counts.
    #[wire(d = _)]
    usable: Reg<Bits<PORTS>>,
    /// The same when the tables were read.
    #[wire(d = _)]
    usable_at_read: Reg<Bits<PORTS>>,
    #[wire(d = _)]
    usable_before: Reg<Bits<PORTS>>,

    // The choice.
    step: Register<Bits<3>>,
    /// The body is one of `moved`.
    of_moved: Reg<Bit>,
    peer: Reg<Bits<P>>,
    vc: Reg<Bits<2>>,
    /// Ports that can send on `vc`.
    #[wire(d = _)]
    can_send: Reg<Bits<PORTS>>,
    /// Octets available, with an offset.
    #[wire(d = _)]
    available: [Reg<Bits<22>>; PORTS],
    #[wire(d = _)]
    offers: [Reg<Offer>; PORTS],
    #[wire(d = _)]
    reachable: Reg<Bit>,
    #[wire(d = _)]
    reachable_before: Reg<Bit>,
    /// The better ones of the first and the last two ports.
    #[wire(d = _)]
    better: [Reg<Offer>; 2],
    #[wire(d = _)]
    better_is_odd: Reg<Bits<2>>,
    pointer: Register<Bits<2>>,
    /// Where the words go.
    to: Register<Bits<PORTS>>,
    dropping: Register<Bit>,
    #[wire(d = _)]
    told: Reg<RefusedBody>,
    #[wire(enable = true)]
    told_valid: Register<Bit>,
    #[wire(enable = true)]
    told_spoiled: Register<Bit>,

    // Octets that wait.
    #[wire(enable = true)]
    change: [Register<Bits<14>>; PORTS],
    #[wire(enable = true)]
    queued: [Register<Bits<QUEUED_BITS>>; PORTS],
    #[wire(d = _)]
    emptied: Reg<Bits<PORTS>>,
    #[wire(d = _)]
    fill: [Reg<Bits<8>>; PORTS],
    #[wire(d = _)]
    unable: [Reg<Bits<4>>; PORTS],
    #[wire(d = _)]
    some_ready: Reg<Bits<4>>,
}

#[logic]
impl<const P: usize> SueLb<P> {
    /// A load balance to which nothing is reachable.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            reach: (0..PORTS).map(|_| Ram::new(RamConfig::table(1 << P))).collect::<Result<_, _>>()?,
            copies: (0..PORTS).map(|_| Ram::new(RamConfig::table(1 << P))).collect::<Result<_, _>>()?,
            homes: Ram::new(RamConfig::table(1 << P))?,
            home_copies: Ram::new(RamConfig::table(1 << P))?,
            ..
        })
    }

    fn update(&mut self) {
        self.keep_tables();
        self.judge();
        let (winner, some, waits) = self.compare();
        self.lead(winner, some, waits);
        self.report();
    }

    /// Changes of the tables; a table of a port that went down is emptied.
    fn keep_tables(&mut self) {
        let fell = up_before & !up;
        up_before = up;
        let sweeping = swept.any();
        let waiting: Bits<5> = dirty | cat(fell, false);
        let begins = !sweeping | sweep.all();
        dirty.enable = true;
        dirty = if begins { 0 } else { waiting };
        swept.enable = begins;
        swept = waiting;
        sweep.enable = true;
        sweep = if begins { 0 } else { sweep + 1 };
        let doubtful = waiting | swept;
        usable = up & !doubtful[0..4];

        let takes = !sweeping & !dirty.any() & !clear;
        changes.ready = takes;
        let asked = changes.data;
        let peer_asked = asked.destination;
        let port_asked = asked.port;
        let sets = asked.kind == ChangeKind::Reach;
        let of_reach = changes.valid & takes & (sets | (asked.kind == ChangeKind::Lose));
        let mut written: Bits<PORTS> = swept[0..4];
        for i in 0..PORTS {
            let here = of_reach & (port_asked == i) & (up[i] | !sets);
            written = written.with(i, swept[i] | here);
        }
        write_reach = written;
        reaches = cat(sets & !sweeping);
        write_peer = if sweeping { sweep } else { peer_asked.bits::<P>(0) };
        write_home = swept[4] | (changes.valid & takes & (asked.kind == ChangeKind::Home));
        let mut seen: Bits<PORTS> = 0;
        let default_home = Self::default_home(bit_cast::<10, P>(sweep));
        home = if sweeping { default_home } else { port_asked };
        for i in 0..PORTS {
            reach[i] = In { write_enable: write_reach[i], write_address: write_peer, write_data: reaches };
            reach[i].read_address = peer;
            copies[i] = In { write_enable: write_reach[i], write_address: write_peer, write_data: reaches };
            copies[i].read_address = shown_peer;
            let copied = copies[i].read_data;
            seen = seen.with(i, usable[i] & copied[0]);
        }
        shown = seen;
        homes =
            In { write_enable: write_home, write_address: write_peer, write_data: home, read_address: peer };
        home_copies = In { write_enable: write_home, write_address: write_peer, write_data: home };
        home_copies.read_address = home_peer;
        home_shown = home_copies.read_data;
    }

    /// The peer modulo the number of ports.
    fn default_home(of: Bits<10>) -> Bits<2> {
        of[0..2]
    }

    /// What each port offers to the body, once the tables' words are there.
    fn judge(&mut self) {
        asked_vc = vc;
        usable_at_read = usable;
        usable_before = usable_at_read;
        let at_home = homes.read_data;
        let mut able: Bits<PORTS> = 0;
        let mut may_have: Bits<PORTS> = 0;
        for i in 0..PORTS {
            let row = ready[i];
            able = able.with(i, row[vc]);
            available[i] = cat(credits[i], bits::<2>(2)) - bit_cast::<22, QUEUED_BITS>(queued[i]);
            let reached = reach[i].read_data;
            let may = usable_before[i] & usable[i] & reached[0] & (unordered | (at_home == i));
            may_have = may_have.with(i, may);
            let turn = pointer + (3 - i);
            offers[i] = Offer { turn, available: available[i], eligible: may & can_send[i] };
        }
        can_send = able;
        reachable = may_have.any();
        reachable_before = reachable;
    }

    /// The best of the offers, in two clocks.
    fn compare(&mut self) -> (Bits<2>, Bit, Bit) {
        let mut odd: Bits<2> = 0;
        for i in 0..2 {
            let even_offer: Bits<25> = offers[2 * i].into();
            let odd_offer: Bits<25> = offers[2 * i + 1].into();
            let odd_wins = odd_offer > even_offer;
            odd = odd.with(i, odd_wins);
            better[i] = if odd_wins { offers[2 * i + 1] } else { offers[2 * i] };
        }
        better_is_odd = odd;
        let first: Bits<25> = better[0].into();
        let second: Bits<25> = better[1].into();
        let second_wins = second > first;
        let is_odd = if second_wins { better_is_odd[1] } else { better_is_odd[0] };
        let winner: Bits<2> = cat(is_odd, second_wins);
        let free = of_moved | !held;
        let some = (better[0].eligible | better[1].eligible) & free;
        let has_time = settling & !(draining & of_moved);
        let waits = !some & (reachable_before | has_time | !free);
        (winner, some, waits)
    }

    /// Steps of the choice, and the words of the body.
    fn lead(&mut self, winner: Bits<2>, some: Bit, waits: Bit) {
        let offered = if of_moved { moved.valid } else { body.valid };
        let word = if of_moved { moved.data } else { body.data };
        let belongs = if of_moved { moved_head } else { head };
        let busy = to.any() | dropping;
        let idle = step == 0;
        let decides = step == DECIDE;
        // What is looked at next: also after a body that waits.
        if idle | decides {
            let first_head = if moved.valid { moved_head } else { head };
            let destination = first_head.destination;
            peer = destination.bits::<P>(0);
            vc = first_head.vc;
        }
        if (idle & !busy) | (decides & waits) {
            of_moved = moved.valid;
        }
        step.enable = true;
        step = if idle {
            cat((body.valid | moved.valid) & !busy, bits::<2>(0))
        } else if decides {
            cat(waits, bits::<2>(0))
        } else {
            step + 1
        };
        let mut room: Bit = dropping;
        for i in 0..PORTS {
            bodies[i] = In { data: word, valid: offered & to[i] };
            room = room | (to[i] & bodies[i].ready);
        }
        body.ready = room & !of_moved & !clear;
        moved.ready = room & of_moved & !clear;
        let ends = room & offered & word.last;
        let mut place: Bits<PORTS> = 0;
        for i in 0..PORTS {
            place = place.with(i, some & (winner == i));
        }
        to.enable = decides | ends;
        to = if decides { place } else { 0 };
        dropping.enable = decides | ends;
        dropping = decides & !some & !waits;
        pointer.enable = decides & some;
        pointer = winner + 1;
        led_head = belongs;
        led_commands = if of_moved { moved_commands } else { commands };
        led_moved = of_moved;
        leads = to.any() & !of_moved;
        told = RefusedBody { destination: belongs.destination, vc: belongs.vc, commands: led_commands };
        told_valid = dropping & offered & word.last;
        refused = In { data: told, valid: told_valid };
        told_spoiled = leads & ends & word.error;
        spoiled = In { data: told, valid: told_spoiled };
    }

    /// Octets that wait, and what an outer load balance wants to know.
    fn report(&mut self) {
        emptied = empty;
        let coming = if of_moved { moved.data } else { body.data };
        let comes = if of_moved { moved.valid } else { body.valid };
        let mut any: Bits<4> = 0;
        for i in 0..PORTS {
            let led = to[i] & comes & bodies[i].ready;
            let more: Bits<4> = if led { coming.bytes } else { 0 };
            let less: Bits<13> = if sent[i].valid { sent[i].data } else { 0 };
            change[i] = bit_cast::<14, 4>(more) - bit_cast::<14, 13>(less);
            let step_of = change[i];
            let sign: Bits<8> = if step_of[13] { 255 } else { 0 };
            let total: Bits<22> = bit_cast::<22, QUEUED_BITS>(queued[i]) + cat(step_of, sign);
            let nothing = emptied[i] | total[QUEUED_BITS];
            let octets = queued[i];
            queued[i] = if nothing { 0 } else { total.bits::<QUEUED_BITS>(0) };
            let high = octets[16..21];
            fill[i] = if high.any() { 255 } else { octets[8..16] };
            load[i] = fill[i];
            let able_here = ready[i];
            unable[i] = if up[i] { !able_here } else { 0 };
            blocked[i] = unable[i];
            if usable[i] {
                any = any | able_here;
            }
        }
        some_ready = any;
        vc_ready = some_ready;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_lb",
    chapter: "50-sue",
    summary: "load balance over the ports of an instance",
    parameters: &[ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(4, 1024), "XPUs, a power of two")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("peers", 1024)] },
        Preset { name: "small", values: &[("peers", 8)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (peers) => build_as [log2(peers)];
        presets { (64) (1024) (8) }
    }
}

/// Builds the block with these const parameters; see [`SueLb`].
pub fn build_as<const P: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("sent[0]", FlowSink),
        ("sent[1]", FlowSink),
        ("sent[2]", FlowSink),
        ("sent[3]", FlowSink),
        ("changes", StreamSink),
        ("body", StreamSink),
        ("moved", StreamSink),
        ("bodies[0]", StreamSource),
        ("bodies[1]", StreamSource),
        ("bodies[2]", StreamSource),
        ("bodies[3]", StreamSource),
        ("refused", FlowSource),
        ("spoiled", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "body to bodies.valid");
    Ok(BuiltBlock::new(SueLb::<P>::new()?, interface))
}
