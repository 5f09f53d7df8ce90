//! What is around the sender under test: golden receivers, a network that loses, connection management.

use super::*;

/// The sender's surroundings.
pub(super) struct World {
    pub(super) config: SenderConfig,
    pub(super) receiver: ReceiverConfig,
    pub(super) random: KitRng,
    pub(super) now: u64,
    pub(super) connections: Vec<Connection>,
    /// What stands in slots.
    pub(super) memory: [Option<u64>; SLOTS],
    /// Bodies in the order in which they were stored.
    pub(super) stored: VecDeque<(usize, u64)>,
    /// Acknowledgments that arrive, those that arrived, those that the sender took.
    pub(super) returning: Vec<(u64, usize, Acknowledgment)>,
    pub(super) arrived: VecDeque<(usize, Acknowledgment)>,
    pub(super) taken: VecDeque<(usize, Acknowledgment)>,
    /// Connections to be opened, and those whose result has not come.
    pub(super) to_open: VecDeque<usize>,
    /// What is offered, and what is not done yet.
    pub(super) wish: Option<Order>,
    pub(super) order: Option<Order>,
    /// Slots whose bodies have left: when, body, whether it was wrong; the one at hand; bodies that are to fail.
    pub(super) away: VecDeque<(u64, u64, u64, bool)>,
    pub(super) back: Option<(u64, u64, bool)>,
    pub(super) failing: Vec<u64>,
    /// Bodies that the table has given a turn.
    pub(super) turns: VecDeque<(usize, Psn, u64)>,
    /// Frames that leave: when.
    pub(super) leaving: VecDeque<(u64, usize)>,
    /// An acknowledgment is offered.
    pub(super) answers: bool,
    pub(super) bodies: u64,
    /// Whose bodies they are.
    pub(super) owners: Vec<usize>,
    /// How often there is an order.
    pub(super) orders: f64,
    pub(super) seen: Coverage,
}

impl World {
    pub(super) fn new(config: SenderConfig, seed: u64) -> Self {
        let mut world = Self {
            config,
            receiver: ReceiverConfig { ack_coalesce: 3, ack_timer: 60, ..Default::default() },
            random: rng(seed, "world"),
            now: 0,
            connections: vec![],
            memory: [None; SLOTS],
            stored: VecDeque::new(),
            returning: vec![],
            arrived: VecDeque::new(),
            taken: VecDeque::new(),
            to_open: VecDeque::new(),
            wish: None,
            order: None,
            away: VecDeque::new(),
            back: None,
            failing: vec![],
            turns: VecDeque::new(),
            leaving: VecDeque::new(),
            answers: false,
            bodies: 0,
            owners: vec![],
            orders: 0.0,
            seen: Coverage::default(),
        };
        world.clear();
        world
    }

    pub(super) fn clear(&mut self) {
        self.connections = (0..CONNECTIONS).map(|number| Connection::new(self.config, number)).collect();
        self.memory = [None; SLOTS];
        self.stored.clear();
        self.returning.clear();
        self.arrived.clear();
        self.taken.clear();
        // a wish that is offered outlives a clear
        (self.order, self.back) = (None, None);
        self.away.clear();
        self.failing.clear();
        self.turns.clear();
        self.leaving.clear();
        // close to the end of the numbers
        self.to_open = (0..CONNECTIONS).step_by(2).collect();
    }

    pub(super) fn opened(&self) -> bool {
        let opens = |order: Option<Order>| order.is_some_and(|order| order.kind == OrderKind::Open);
        self.to_open.is_empty() && !opens(self.wish) && !opens(self.order)
    }

    /// What connection management wants next.
    pub(super) fn choose(&mut self) -> Option<Order> {
        if self.wish.is_some() || self.order.is_some() {
            return None;
        }
        if let Some(number) = self.to_open.pop_front() {
            return Some(Order { number, kind: OrderKind::Open, psn: 0xFFF8 });
        }
        if self.orders == 0.0 || !self.random.random_bool(self.orders) {
            return None;
        }
        let number = self.random.random_range(0..CONNECTIONS);
        let connection = &mut self.connections[number];
        let (kind, psn) = match connection.stage {
            Stage::Open => (OrderKind::Stop, 0),
            Stage::Closed => {
                let nxt = connection.nxt();
                (OrderKind::Open, if self.random.random_bool(0.7) { nxt } else { self.random.random() })
            }
            Stage::Stopped => {
                // the peer accepts nothing from now on
                connection.frames.clear();
                self.returning.retain(|(_, of, _)| *of != number);
                let psn = connection.peer.exp().value();
                let gives_up = self.random.random_bool(0.4);
                (if gives_up { OrderKind::Abandon } else { OrderKind::HandOver }, psn)
            }
            Stage::Stopping | Stage::Settling(_) => return None,
        };
        Some(Order { number, kind, psn })
    }

    /// An order is done.
    pub(super) fn answered(&mut self, answer: SenderAnswer) -> Result<(), String> {
        let order = self.order.take().ok_or("an answer to no order")?;
        let Order { number, kind, .. } = order;
        let came = (u64::from(answer.oldest) as u16, u64::from(answer.following) as u16);
        let on_the_way = self.turns.iter().any(|(of, ..)| *of == number)
            || self.leaving.iter().any(|(_, of)| *of == number);
        let connection = &mut self.connections[number];
        let hit = match kind {
            OrderKind::Stop => {
                if came != connection.stood || on_the_way {
                    return Err(format!("{order:?}: {came:?}, stood {:?}, {on_the_way}", connection.stood));
                }
                let holds = came.0 != came.1;
                connection.stage = if holds { Stage::Stopped } else { Stage::Closed };
                if holds {
                    "stopped"
                } else {
                    "stopped empty"
                }
            }
            OrderKind::Open => {
                connection.stage = Stage::Open;
                if came != (order.psn, order.psn) {
                    return Err(format!("{order:?}: {came:?}"));
                }
                "opened"
            }
            _ => {
                let complete = connection.completes.is_empty();
                connection.stage = Stage::Closed;
                if came.0 != came.1 || !complete {
                    return Err(format!("{order:?}: {came:?}, completed {complete}"));
                }
                if kind == OrderKind::HandOver {
                    "handed over"
                } else {
                    "given up"
                }
            }
        };
        self.seen.hit(hit);
        Ok(())
    }

    /// A body leaves for another port.
    pub(super) fn moves(&mut self, slot: u64) -> Result<(), String> {
        let body = self.memory[slot as usize].ok_or("a slot without a body moves")?;
        let connection = self.connections.iter_mut().find(|one| one.moving.front() == Some(&body));
        let connection = connection.ok_or_else(|| format!("{body} moves, and is not next"))?;
        connection.moving.pop_front();
        connection.outstanding.retain(|(other, _)| *other != body);
        let wrong = self.random.random_bool(0.1);
        let at = self.now + self.random.random_range(5..200);
        self.away.push_back((at, slot, body, wrong));
        self.seen.hit("moved");
        Ok(())
    }

    pub(super) fn result(&mut self, result: SendResult) -> Result<(), String> {
        let number = u64::from(result.connection) as usize;
        let connection = &mut self.connections[number];
        let (key, ahead) = (connection.key, connection.ahead);
        let now = self.now + ahead;
        match result.kind {
            SendKind::Body => {
                let (of, body) = self.stored.pop_front().ok_or("a result of no body")?;
                connection.pending = false;
                if connection.sender.connection(key).is_some_and(|one| one.state() != ConnectionState::Open) {
                    connection.outstanding.push_back((body, self.now));
                    let hit = connection.late(body, result.diverts)?;
                    self.seen.hit(hit);
                    return Ok(());
                }
                let psn =
                    connection.sender.accept(key, body, now).map_err(|refused| format!("{refused:?}"))?;
                if result.diverts || of != number || u64::from(psn.value()) != u64::from(result.psn) {
                    return Err(format!("body {body} of {of} as {psn:?}: {result:?}"));
                }
                connection.undelivered.push_back(body);
                connection.outstanding.push_back((body, self.now));
            }
            SendKind::Turn if result.sends => {
                let turn = connection.sender.send(key, now).ok_or("a turn of nothing")?;
                let replays = turn.before == Progress::Sent;
                if replays != result.replays || u64::from(turn.psn.value()) != u64::from(result.psn) {
                    return Err(format!("{turn:?}, but {result:?}"));
                }
                self.seen.hit(if replays { "replayed" } else { "sent" });
                self.turns.push_back((number, turn.psn, turn.body));
            }
            SendKind::Turn => self.seen.hit("a turn of nothing"),
            SendKind::Ack | SendKind::Nack => {
                let (of, answer) = self.taken.pop_front().ok_or("a result of no acknowledgment")?;
                let events = connection.sender.acknowledge(key, answer, now);
                connection.complete(events);
                let is_nack = matches!(answer, Acknowledgment::Nack(_));
                if of != number || is_nack != (result.kind == SendKind::Nack) {
                    return Err(format!("{answer:?} of {of}, but {result:?}"));
                }
                self.seen.hit(if is_nack { "nack" } else { "ack" });
            }
            SendKind::Expire => {
                let due = connection.sender.next_expiry();
                if let Some(early) = due.and_then(|due| due.checked_sub(now)).filter(|early| *early > 0) {
                    // an acknowledgment has just restarted the timer: the expiry was on its way already
                    let since = connection.restarted.ok_or("it never started")?;
                    if now > since + RACE {
                        return Err(format!("{number} expires at {now}, due at {due:?}"));
                    }
                    connection.ahead += early;
                    self.seen.hit("an expiry meets an acknowledgment");
                }
                connection.sender.expire(now + connection.ahead - ahead);
                self.seen.hit(if due.is_some() { "expired" } else { "expired in vain" });
            }
            SendKind::Freed => self.seen.hit("freed"),
            SendKind::Open => {
                let order = self.order.filter(|order| order.number == number).ok_or("nothing was opened")?;
                connection.open(Psn::new(order.psn));
            }
            SendKind::Stop => {
                self.order.filter(|order| order.number == number).ok_or("nobody stops")?;
                let nxt = connection.nxt();
                if connection.stage == Stage::Stopping {
                    let una = connection.sender.connection(key).map_or(0, |one| one.una().value());
                    connection.stood = (una, nxt);
                    connection.sender.freeze(key);
                    if una == nxt {
                        connection.sender.abandon(key);
                    }
                }
            }
        }
        let connection = &mut self.connections[number];
        if result.timer == SendTimer::Starts {
            connection.restarted = Some(self.now + connection.ahead);
        }
        let state = connection.sender.connection(key);
        connection.window = result.window;
        let window = state
            .is_none_or(|state| state.state() == ConnectionState::Open && state.has_window(&self.config));
        if window != result.window {
            return Err(format!("window {window}, but {result:?}"));
        }
        Ok(())
    }

    pub(super) fn complete(&mut self, completion: Completion) -> Result<(), String> {
        let wrong = |body: &u64| {
            body % 1024 == u64::from(completion.commands) && completion.status == BodyStatus::Failed
        };
        if let Some(place) = self.failing.iter().position(wrong) {
            self.failing.remove(place);
            self.seen.hit("a body that was wrong fails");
            return Ok(());
        }
        let connection = &mut self.connections[u64::from(completion.connection) as usize];
        let (body, status) = connection.completes.pop_front().ok_or("a completion too many")?;
        let (commands, destination) = (u64::from(completion.commands), u64::from(completion.destination));
        let races = connection.races && status == BodyStatus::Unknown;
        let status = if races { completion.status } else { status };
        // those that go elsewhere may be older
        let place = connection.outstanding.iter().position(|(other, _)| *other == body);
        place.and_then(|place| connection.outstanding.remove(place)).ok_or("nobody waits")?;
        if commands != body % 1024
            || destination != u64::from(connection.key.peer)
            || completion.status != status
        {
            return Err(format!("{completion:?} of body {body}"));
        }
        let waits = connection.undelivered.front().is_some_and(|waits| *waits <= body);
        if waits && status == BodyStatus::Delivered {
            return Err(format!("{body} is completed and was not delivered"));
        }
        let slot = self.memory.iter().position(|held| *held == Some(body)).ok_or("no slot has it")?;
        self.memory[slot] = None;
        self.seen.hit("completed");
        Ok(())
    }

    /// A body goes out.
    pub(super) fn read(&mut self, read: SendRead) -> Result<(), String> {
        let (number, psn, body) = self.turns.pop_front().ok_or("nothing is to be read")?;
        let held = self.memory[u64::from(read.slot) as usize];
        if held != Some(body)
            || u64::from(read.connection) as usize != number
            || u64::from(read.psn) != u64::from(psn.value())
        {
            return Err(format!("{read:?} with {held:?}, expected {body} as {psn:?}"));
        }
        let free = self.leaving.back().map_or(self.now, |(last, _)| *last.max(&self.now));
        self.leaving.push_back((free + FRAME, number));
        if self.random.random_bool(0.06) {
            self.seen.hit("frame lost");
            return Ok(());
        }
        let connection = &mut self.connections[number];
        let soonest = connection.frames.back().map_or(0, |(arrives, ..)| *arrives + 1);
        let arrives = soonest.max(free + FRAME + self.random.random_range(WAY));
        connection.frames.push_back((arrives, psn, body));
        Ok(())
    }

    /// Frames and acknowledgments arrive.
    pub(super) fn deliver(&mut self) -> Result<(), String> {
        let (now, config) = (self.now, self.receiver);
        for number in 0..CONNECTIONS {
            let connection = &mut self.connections[number];
            while connection.frames.front().is_some_and(|(arrives, ..)| *arrives <= now) {
                let Some((_, psn, body)) = connection.frames.pop_front() else { break };
                let room = if self.random.random_bool(0.98) { Room::Free } else { Room::Full };
                if connection.peer.receive(&config, psn, room, BodyCheck::Good, now) == Verdict::Accepted {
                    let wanted = connection.undelivered.pop_front();
                    if wanted != Some(body) {
                        return Err(format!("body {body} arrives at {number}, expected {wanted:?}"));
                    }
                    self.seen.hit("delivered");
                }
            }
            let answers = matches!(connection.stage, Stage::Open | Stage::Stopping | Stage::Stopped);
            if answers && connection.peer.due(&config, now).is_some() {
                let answer = connection.peer.carry(&config);
                if answer != Acknowledgment::None && self.random.random_bool(0.92) {
                    self.returning.push((now + self.random.random_range(WAY), number, answer));
                }
            }
            let oldest = connection.outstanding.front();
            if oldest.is_some_and(|(_, since)| now > since + PATIENCE) {
                return Err(format!("{oldest:?} of {number} is never completed"));
            }
        }
        let arrived = &mut self.arrived;
        self.returning.retain(|(at, number, answer)| {
            let here = *at <= now;
            if here {
                arrived.push_back((*number, *answer));
            }
            !here
        });
        Ok(())
    }
}
