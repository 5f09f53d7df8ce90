//! The machine that asks: what becomes of connections of this end's senders (chapter 50, 4.4 rules 3 to 5).
//!
//! It takes one connection at a time: a failed one, one that the host names, else the next of the round.

use super::drain::FailoverDrain;
use super::settings::FailoverSettings;
use super::{
    Condition, ConnectionEntry, HostCommand, HostKind, OrderKind, OwnRecord, PeerRecord, PortConnection,
    SenderAnswer, SenderOrder, Step, ENTRY_BITS,
};
use crate::load_balance::{ChangeKind, RouteChange, PORTS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// What is known of a port and a peer: virtual channels whose connection is closed, and in the top bit that they are to reach one another.
const PAIR_BITS: usize = 5;

/// Asks for connections of 2^`P` peers; `R` = `P` + 2, `C` = `P` + 4. See the [module](self).
#[block("sue_failover_asker", new, peers = 1usize << P)]
pub struct FailoverAsker<const P: usize, const R: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// What the registers say.
    pub settings: FailoverSettings,
    /// Links that are up.
    up: In<Bits<PORTS>>,
    /// Connections that have failed.
    pub failures: StreamIn<PortConnection>,
    /// What the host wants.
    pub commands: StreamIn<HostCommand>,
    /// Ports at which bodies are on their way to another port, or come.
    in_transit: In<Bits<PORTS>>,
    /// The peer that is asked about, and some clocks later its port in STRICT_MAP.
    home_peer: Out<Bits<P>>,
    /// That port.
    home: In<Bits<2>>,
    /// What senders are to do.
    pub orders: StreamOut<SenderOrder>,
    /// They have done it.
    pub answered: FlowIn<SenderAnswer>,
    /// What the load balance has to know.
    pub routes: StreamOut<RouteChange>,
    /// Answers of peers.
    pub answers: FlowIn<PeerRecord>,
    /// Requests to peers.
    pub records: StreamOut<OwnRecord>,
    /// A port that went down, or a connection that failed, is being dealt with.
    settling: Out<Bit>,
    /// Bodies that move hold up a second failover.
    draining: Out<Bit>,
    /// What a connection held goes on through another port.
    failed_over: Out<Bit>,
    /// No port had an answer, or there is no failover.
    peer_lost: Out<Bit>,
    /// A connection is open again.
    opened: Out<Bit>,

    // By port, peer and virtual channel; by port and peer.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    entries: Ram<Bits<ENTRY_BITS>, C>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    pairs: Ram<Bits<PAIR_BITS>, R>,
    #[wire(d = _)]
    write: Reg<Bit>,
    #[wire(d = _)]
    write_place: Reg<Bits<C>>,
    #[wire(d = _)]
    write_entry: Reg<Bits<ENTRY_BITS>>,
    #[wire(d = _)]
    write_pair: Reg<Bits<PAIR_BITS>>,
    #[init(true)]
    emptying: Register<Bit>,
    emptied: Register<Bits<C>>,

    // The round.
    round: Register<Bits<C>>,
    /// The round looks at rests.
    ages: Register<Bit>,
    /// Clocks since the end of the last such round.
    rested: Register<Bits<24>>,
    rest_over: Register<Bit>,
    #[wire(d = _)]
    up_before: Reg<Bits<PORTS>>,
    /// Ports that went down since this round began; in the round before it.
    fell: Register<Bits<PORTS>>,
    falling: Register<Bits<PORTS>>,

    // The connection that is looked at.
    step: Register<Step>,
    of: Reg<PortConnection>,
    failed: Reg<Bit>,
    commanded: Reg<Bit>,
    command: Reg<HostKind>,
    entry: Reg<ConnectionEntry>,
    pair: Reg<Bits<PAIR_BITS>>,
    /// The question is OPEN.
    opens: Reg<Bit>,
    /// What is asked for a connection that failed: its sender's PSNs.
    oldest: Reg<Bits<16>>,
    held: Reg<Bits<16>>,
    order: Reg<OrderKind>,
    /// Ports that were asked, and the one that is.
    asked: Reg<Bits<PORTS>>,
    through: Reg<Bits<2>>,
    tries: Reg<Bits<4>>,
    #[wire(d = _)]
    timer: Reg<Bits<16>>,
    #[wire(d = _)]
    late: Reg<Bit>,
    tells: Reg<Bit>,
    /// An answer, and how far its PSN is in the window.
    came: Register<Bit>,
    #[wire(d = _)]
    came_psn: Reg<Bits<16>>,
    #[wire(d = _)]
    distance: Reg<Bits<16>>,
    got: Register<Bit>,
    got_psn: Reg<Bits<16>>,
    /// It is the one that was asked for.
    got_same: Reg<Bit>,
    // Order is kept.
    #[wire(clock, in_transit)]
    drain: FailoverDrain,
    /// STRICT_MAP names another port; it named this one before the first connection of the pair.
    #[wire(d = _)]
    away: Reg<Bit>,
    was_home: Reg<Bit>,
    /// The other virtual channels of the pair follow: how many.
    follows: Reg<Bit>,
    siblings: Reg<Bits<2>>,
    /// A connection fails over.
    failing: Register<Bit>,
    unsettled: Register<Bit>,
    has_failed_over: Register<Bit>,
    has_lost_peer: Register<Bit>,
    has_opened: Register<Bit>,
}

#[logic]
impl<const P: usize, const R: usize, const C: usize> FailoverAsker<P, R, C> {
    /// Nothing is open to anybody.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_failover_asker", "P", P as u64, 2, 10)?;
        check_derived("sue_failover_asker", "R", R as u64, "P + 2", P as u64 + 2)?;
        check_derived("sue_failover_asker", "C", C as u64, "P + 4", P as u64 + 4)?;
        Ok(Self {
            entries: Ram::new(RamConfig::table(1 << C))?,
            pairs: Ram::new(RamConfig::table(1 << R))?,
            ..
        })
    }

    fn update(&mut self) {
        self.keep_tables();
        self.choose();
        let (fails, begins_open, stores) = self.judge();
        let (some, last, gone) = self.ask();
        self.listen();
        self.keep_order();
        self.move_on(fails, begins_open, stores, some, last, gone);
        self.say();
    }

    /// Tables are emptied after a clear, and written when a connection was dealt with.
    fn keep_tables(&mut self) {
        emptied = emptied + 1;
        emptying.clear = false;
        emptying = clear | (emptying & !emptied.all());
        let of_port = of.connection;
        let place: Bits<C> = cat(of_port.bits::<R>(0), of.port);
        let kept: Bits<ENTRY_BITS> = entry.into();
        write = emptying | (step == Step::Store);
        write_place = if emptying { emptied } else { place };
        write_entry = if emptying { 0 } else { kept };
        write_pair = if emptying { 0 } else { pair };
        entries = In { write_enable: write, write_address: write_place, write_data: write_entry };
        pairs = In { write_enable: write, write_address: write_place.bits::<R>(2), write_data: write_pair };
        entries.read_address = place;
        let looked = if step == Step::Look { through } else { of.port };
        pairs.read_address = cat(of_port.bits::<P>(2), looked);
        home_peer = of_port.bits::<P>(2);
    }

    /// What goes on beside the question if order is kept.
    fn keep_order(&mut self) {
        away = home != of.port;
        if (step == Step::Weigh) & !follows {
            was_home = !away;
        }
        drain = In { port: of.port, waits: step == Step::Drain };
        draining = drain.draining;
        if step == Step::Idle {
            follows = false;
            siblings = 3;
        } else if step == Step::Next {
            follows = true;
            siblings = siblings - 1;
        }
    }

    /// The next connection. All of them in turn, if nothing else is there.
    fn choose(&mut self) {
        let goes = (step == Step::Idle) & !emptying & !clear;
        let has_failure = failures.valid;
        // A connection that is opened while its port's fall is dealt with would fail again.
        let wanted = commands.data;
        let calm = !fell.any() & !falling.any();
        let may_command = calm | !(wanted.kind == HostKind::Open);
        let has_command = commands.valid & may_command & !has_failure;
        let visits = goes & !has_failure & !has_command;
        failures.ready = goes;
        commands.ready = goes & may_command & !has_failure;
        let next_round = round;
        let in_turn = PortConnection {
            connection: bit_cast::<12, R>(next_round.bits::<R>(0)),
            port: next_round.bits::<2>(R),
        };
        if goes {
            of = if has_failure {
                failures.data
            } else if has_command {
                wanted.of
            } else {
                in_turn
            };
            failed = has_failure;
            commanded = has_command;
            command = wanted.kind;
        }
        // The other virtual channels of the same pair follow.
        if step == Step::Next {
            let before = of.connection;
            let next_vc = before[0..2] + 1;
            of = PortConnection { connection: cat(next_vc, before[2..12]), port: of.port };
            failed = true;
            commanded = false;
        }
        round = if visits { round + 1 } else { round };

        // A round begins: what went down during the last one is looked for in all of this one.
        let begins = visits & (round == 0);
        let newly = up_before & !up;
        up_before = up;
        fell = if begins { newly } else { fell | newly };
        falling = if begins { fell } else { falling };
        ages = if begins { rest_over & !ages } else { ages };
        rest_over = (rested >= settings.rest) & !ages;
        rested = if ages {
            0
        } else if rest_over {
            rested
        } else {
            rested + 1
        };
    }

    /// What is to be done with the connection, now that its entry is there.
    fn judge(&mut self) -> (Bit, Bit, Bit) {
        let raw: ConnectionEntry = entries.read_data.into();
        let of_pair = pairs.read_data;
        let port = of.port;
        let known = of_pair[4];
        let is_up = up[port];
        let downed = fell[port] | falling[port] | !is_up;
        let is_open = raw.condition == Condition::Open;
        let visited = !failed & !commanded;
        let told_to_fail = failed | (commanded & (command == HostKind::FailOver));
        let fails = is_open & (told_to_fail | (visited & known & downed));
        let looks = visited & ages;
        let quiet = !fell.any() & !falling.any();
        let ripe = looks & quiet & known & (raw.condition == Condition::Rested);
        let told_to_open = commanded & (command == HostKind::Open);
        let begins_open = is_up & !is_open & (ripe | told_to_open);
        let matures = looks & (raw.condition == Condition::Rests);
        let reaches = commanded & (command == HostKind::Reach);
        let loses = commanded & (command == HostKind::Lose);
        let stores = matures | reaches | loses;
        let closed = of_pair[0..4];
        if step == Step::Judge {
            let aged = if matures { Condition::Rested } else { raw.condition };
            entry = ConnectionEntry { psn: raw.psn, condition: aged };
            pair = cat(closed, reaches | (known & !loses));
            opens = begins_open;
            order = OrderKind::Stop;
            through = port;
            tries = 0;
            tells = loses | (reaches & !closed.any());
        }
        (fails, begins_open, stores)
    }

    /// What answers and requests change.
    fn ask(&mut self) -> (Bit, Bit, Bit) {
        let said = answered.data;
        let number = of.connection;
        let channel = number[0..2];
        let own_vc: Bits<5> = cat(Self::one_of_four(channel), false);
        if (step == Step::Stopping) & answered.valid {
            oldest = said.oldest;
            held = said.following - said.oldest;
            entry = ConnectionEntry { psn: said.following, condition: Condition::Rests };
            pair = pair | own_vc;
        }
        if step == Step::Weigh {
            asked = Self::one_of_four(of.port);
            order = OrderKind::Abandon;
        }
        // With order, through a port that carries the bodies afterwards: that of STRICT_MAP, if it is another one by now.
        let keeps = settings.keeps_order;
        let only: Bits<4> = if keeps & away { Self::one_of_four(home) } else { 15 };
        let fallen: Bits<4> = if keeps { fell | falling } else { 0 };
        let free = up & settings.ports & !asked & only & !fallen;
        let first: Bits<2> = if free[0] {
            0
        } else if free[1] {
            1
        } else if free[2] {
            2
        } else {
            3
        };
        if step == Step::Pick {
            through = first;
            asked = asked | Self::one_of_four(first);
            tries = 0;
            order = OrderKind::Abandon;
        }
        timer = timer + 1;
        if (step == Step::Send) | (step == Step::Pick) {
            timer = 0;
        }
        if (step == Step::Send) & records.ready {
            tries = tries + 1;
        }
        late = (step == Step::Wait) & (timer >= settings.cm_rto);
        let last = tries == settings.cm_tries;
        let gone = !up[through];
        if step == Step::Wait {
            if got {
                entry.psn = got_psn;
                tries = 0;
                order = if opens { OrderKind::Open } else { OrderKind::HandOver };
            } else if gone & opens {
                entry.condition = Condition::Rests;
            }
        }
        let open_again = opens & answered.valid & (step == Step::Settling);
        if (step == Step::Settling) & answered.valid {
            entry.psn = said.following;
        }
        if open_again {
            let others = pair & !own_vc;
            let closed_others = others[0..4];
            entry.condition = Condition::Open;
            pair = others;
            tells = pair[4] & !closed_others.any();
        }
        let some = free.any();
        (some, last, gone)
    }

    /// Answers to the question.
    fn listen(&mut self) {
        let picks = (step == Step::Pick) | (step == Step::Look);
        let asking = picks | (step == Step::Send) | (step == Step::Wait);
        let answer = answers.data;
        let asked_number = of.connection;
        let same_vc = answer.vc == asked_number[0..2];
        let same_peer = answer.source == asked_number[2..12];
        let same_port = answer.port == of.port;
        came = answers.valid & asking & same_vc & same_peer & same_port & (answer.opens == opens);
        came_psn = answer.psn;
        distance = answer.psn - oldest;
        let hits = came & !got & (opens | (distance <= held));
        if hits {
            got_psn = came_psn;
            got_same = came_psn == entry.psn;
        }
        let asks_again = (step == Step::Wait) & got;
        got = (got | hits) & !asks_again & !(step == Step::Judge);
    }

    /// The next step.
    fn move_on(&mut self, fails: Bit, begins_open: Bit, stores: Bit, some: Bit, last: Bit, gone: Bit) {
        let goes = (step == Step::Idle) & !emptying;
        let nothing = held == 0;
        let settles = if opens { got_same } else { true };
        let keeps_it = settings.keeps_order;
        let goes_home = keeps_it & !opens & !away;
        let of_home = if follows { was_home } else { !away };
        let asks_it = !nothing | (keeps_it & of_home);
        let goes_on = keeps_it & siblings.any() & failing;
        let reached = pairs.read_data;
        let is_reached = reached[4] & !(reached[0] | reached[1] | reached[2] | reached[3]);
        let after = Self::either(goes_home, Step::Home, Step::Settle);
        let too_long = Self::either(drain.gives_up, Step::Settle, Step::Drain);
        let rest = Self::either(tells, Step::Tell, Step::Idle);
        let way = Self::either(keeps_it, Step::Drain, Step::Pick);
        let first_step = Self::either(settings.fails_over, way, Step::Settle);
        let seen = Self::either(is_reached, Step::Send, Step::Pick);
        step = match step {
            Step::Idle => Self::either(goes, Step::Read, Step::Idle),
            Step::Read => Step::Comes,
            Step::Comes => Step::Judge,
            Step::Judge => {
                if fails {
                    Step::Lose
                } else if begins_open {
                    Step::Send
                } else if follows {
                    Self::either(siblings.any(), Step::Next, Step::Idle)
                } else {
                    Self::either(stores, Step::Store, Step::Idle)
                }
            }
            Step::Lose => Self::either(routes.ready, Step::Stop, Step::Lose),
            Step::Stop => Self::either(orders.ready, Step::Stopping, Step::Stop),
            Step::Stopping => Self::either(answered.valid, Step::Weigh, Step::Stopping),
            Step::Weigh => Self::either(asks_it, first_step, Step::Store),
            Step::Drain => Self::either(drain.still, Step::Pick, too_long),
            Step::Pick => Self::either(some, Self::either(keeps_it, Step::Look, Step::Send), Step::Settle),
            Step::Look => Self::either(timer[1], seen, Step::Look),
            Step::Send => Self::either(records.ready, Step::Wait, Step::Send),
            Step::Wait => {
                if got {
                    Self::either(settles, after, Step::Send)
                } else if gone {
                    Self::either(opens, Step::Store, Step::Pick)
                } else if late & last {
                    Self::either(opens, Step::Store, Step::Pick)
                } else {
                    Self::either(late, Step::Send, Step::Wait)
                }
            }
            Step::Home => Self::either(routes.ready, Step::Settle, Step::Home),
            Step::Settle => Self::either(orders.ready, Step::Settling, Step::Settle),
            Step::Settling => Self::either(answered.valid, Step::Store, Step::Settling),
            Step::Store => Self::either(goes_on, Step::Next, rest),
            Step::Next => Step::Read,
            Step::Tell => Self::either(routes.ready, Step::Idle, Step::Tell),
        };
        failing = if step == Step::Judge { fails | follows } else { failing & !(step == Step::Idle) };
        unsettled = fell.any() | falling.any() | failing | failures.valid;
        settling = unsettled;
    }

    /// What goes out.
    fn say(&mut self) {
        let own_number = of.connection;
        let is_told = step == Step::Tell;
        let told = if commanded & (command == HostKind::Lose) { ChangeKind::Lose } else { ChangeKind::Reach };
        let is_home = step == Step::Home;
        let lost = if is_home { ChangeKind::Home } else { ChangeKind::Lose };
        let kind = if is_told { told } else { lost };
        let to_port = if is_home { through } else { of.port };
        routes.data = RouteChange { destination: own_number[2..12], kind, port: to_port };
        routes.valid = is_told | is_home | (step == Step::Lose);
        orders.data = SenderOrder { kind: order, of, psn: entry.psn };
        orders.valid = (step == Step::Stop) | (step == Step::Settle);
        let start: Bits<16> = if opens { entry.psn } else { 0 };
        records.data = OwnRecord {
            destination: own_number[2..12],
            through,
            port: of.port,
            vc: own_number[0..2],
            opens,
            answers: false,
            psn: start,
        };
        records.valid = step == Step::Send;
        let ends = (step == Step::Settling) & answered.valid;
        has_failed_over = ends & (order == OrderKind::HandOver) & held.any();
        has_lost_peer = ends & (order == OrderKind::Abandon);
        has_opened = ends & (order == OrderKind::Open);
        failed_over = has_failed_over;
        peer_lost = has_lost_peer;
        opened = has_opened;
    }

    fn either(first: Bit, then: Step, otherwise: Step) -> Step {
        let chosen = if first { then } else { otherwise };
        chosen
    }

    /// The bit of this number.
    fn one_of_four(number: Bits<2>) -> Bits<4> {
        let bit: Bits<4> = match number {
            0 => 1,
            1 => 2,
            2 => 4,
            _ => 8,
        };
        bit
    }
}
