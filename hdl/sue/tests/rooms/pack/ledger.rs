//! What is known of the queues from outside, and what a packer may do with them (chapter 50, 4.3).

use super::rig::{Given, Registers};
use flitforge_protocol::sue::command::COMMAND_CELL_BYTES;
use flitforge_sim::kit::Coverage;
use std::collections::{BTreeMap, VecDeque};

/// Destination and virtual channel.
pub type Key = (u64, u64);

/// Clocks from the last word of a command, or an answer, until its queue is surely in a list.
const LISTED: u64 = 40;
/// Clocks within which a body begins if one can.
const BEGINS: u64 = 40;
/// Clocks from the choice of a queue to its turn.
const CHOSEN: u64 = 40;
/// Clocks until it is known that a command had no cell.
const SETTLES: u64 = 8;
/// Words between the one that is read and the one that leaves.
const UNDER_WAY: usize = 9;
const CELL: usize = COMMAND_CELL_BYTES;
/// Cells that may be on their way back when a command finds none.
const CELLS_UNDER_WAY: u64 = 8;

/// A command that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    number: u64,
    key: Key,
    partition: u64,
    flush: bool,
    wrong: bool,
    octets: Vec<u8>,
    clock: u64,
}

impl Sent {
    pub fn new(given: &Given) -> Self {
        let Given { key, partition, flush, wrong, octets } = given.clone();
        Sent { number: 0, key, partition, flush, wrong, octets, clock: 0 }
    }
}

/// A body that came.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub key: Key,
    pub commands: Vec<u64>,
    pub octets: usize,
    /// Clock of the last word of its first command.
    pub arrived: u64,
    /// Clocks of its first and its last word.
    pub clocks: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Out,
    /// Since when: not before, and not after.
    Listed(u64, u64),
    Builds,
    Waits,
    Parked,
}

#[derive(Clone, Debug)]
struct Queue {
    commands: VecDeque<Sent>,
    place: Place,
    /// A flush moved it: not before.
    flushed: Option<u64>,
    /// A flush may still move it.
    may_move: bool,
    ever_flushed: bool,
}

/// Everything that is known.
pub struct Ledger {
    registers: Registers,
    queues: BTreeMap<Key, Queue>,
    /// Commands whose fate is not yet known.
    pending: VecDeque<Sent>,
    /// The last words: when, and of which command.
    words: VecDeque<(u64, u64)>,
    /// A command is under way that has lost its cell.
    lost: bool,
    number: u64,
    /// The command whose last word has not come.
    under_way: Option<u64>,
    /// Queues whose turn it was and whose body has not come: the next turn may be while the last words of a body wait.
    building: VecDeque<(Key, u64)>,
    words_out: Vec<u64>,
    idle_since: u64,
    ready: u64,
    ready_since: [u64; 4],
    was_ready: [u64; 4],
    owed: [u64; 4],
    used: [u64; 4],
    held: u64,
    pub turns: Vec<(u64, Key)>,
    /// Thresholds that were crossed, since the last clear.
    pub crossings: Vec<(Key, bool)>,
    /// Clocks of the last words of commands.
    pub arrivals: Vec<u64>,
    pub bodies: Vec<Body>,
    pub overruns: u64,
    pub seen: Coverage,
}

fn cells(octets: usize) -> u64 {
    octets.div_ceil(CELL) as u64
}

impl Ledger {
    pub fn new(registers: Registers) -> Self {
        Ledger {
            registers,
            queues: BTreeMap::new(),
            pending: VecDeque::new(),
            words: VecDeque::new(),
            lost: false,
            number: 0,
            under_way: None,
            building: VecDeque::new(),
            words_out: vec![],
            idle_since: 0,
            ready: 0,
            ready_since: [0; 4],
            was_ready: [0; 4],
            owed: [0; 4],
            used: [0; 4],
            held: 0,
            turns: vec![],
            crossings: vec![],
            arrivals: vec![],
            bodies: vec![],
            overruns: 0,
            seen: Coverage::default(),
        }
    }

    pub fn clear(&mut self) {
        if !self.words_out.is_empty() {
            self.seen.hit("cleared in a body");
        }
        if self.words.back().is_some_and(|(_, number)| *number == self.number) {
            self.seen.hit("cleared in a command");
        }
        let seen = std::mem::take(&mut self.seen);
        let number = self.number;
        *self = Ledger { seen, number, ..Ledger::new(self.registers) };
    }

    /// Credits as the rules have them: each virtual channel has its share of the cells.
    pub fn has_credits(&self, vc: u64, octets: usize) -> bool {
        self.used[vc as usize] + cells(octets) <= (self.registers.cells - 1) / 4
    }

    pub fn spends(&mut self, vc: u64, octets: usize) {
        self.used[vc as usize] += cells(octets);
    }

    pub fn frees(&mut self, vc: u64, count: u64) -> Result<(), String> {
        let vc = vc as usize;
        self.held -= count.min(self.held);
        self.used[vc] -= count.min(self.used[vc]);
        if self.owed[vc] < count {
            return Err(format!(
                "{count} cells of virtual channel {vc} came back, {} were owed",
                self.owed[vc]
            ));
        }
        self.owed[vc] -= count;
        Ok(())
    }

    /// A queue has crossed a threshold: each in its turn.
    pub fn crosses(&mut self, key: Key, on: bool) -> Result<(), String> {
        let before = self.crossings.iter().rev().find(|(of, _)| *of == key).is_some_and(|(_, on)| *on);
        if before == on {
            return Err(format!("{key:?} is told {on} twice"));
        }
        let [high, _] = self.registers.thresholds;
        // What is held counts commands and cells a little later than they are there.
        if on && self.held + CELLS_UNDER_WAY < high {
            return Err(format!("{key:?} is to hold back with {} cells in all queues", self.held));
        }
        self.seen.hit(if on { "held back" } else { "let go" });
        self.crossings.push((key, on));
        Ok(())
    }

    /// Nothing waits, and all cells are back.
    pub fn is_empty(&self) -> bool {
        let queued = self.queues.values().map(|queue| queue.commands.len()).sum::<usize>();
        queued == 0 && self.pending.is_empty() && self.building.is_empty() && self.owed == [0; 4]
    }

    /// A word of a command went in; with the last one the command.
    pub fn word(&mut self, clock: u64, first: bool, sent: Option<Sent>) {
        if first {
            self.number += 1;
        }
        self.under_way = sent.is_none().then_some(self.number);
        self.words.push_back((clock, self.number));
        self.held += 1;
        if self.words.len() > 4 {
            self.words.pop_front();
        }
        let Some(sent) = sent else { return };
        self.owed[sent.key.1 as usize] += cells(sent.octets.len());
        self.held = self.owed.iter().sum();
        self.arrivals.push(clock);
        let lost = std::mem::take(&mut self.lost);
        if lost || sent.wrong {
            self.seen.hit(if lost { "no cell in mid-command" } else { "wrong command" });
            return;
        }
        self.pending.push_back(Sent { number: self.number, clock, ..sent });
    }

    /// A clock, before anything else of it.
    pub fn tick(&mut self, clock: u64, ready: u64, overrun: bool) -> Result<(), String> {
        for vc in 0..4 {
            let was = self.ready >> vc & 1 == 1;
            if ready >> vc & 1 == 1 {
                self.was_ready[vc] = clock;
                if !was {
                    self.ready_since[vc] = clock;
                }
            } else {
                self.ready_since[vc] = u64::MAX;
            }
        }
        self.ready = ready;
        if overrun {
            self.overrun(clock)?;
        }
        while self.pending.front().is_some_and(|sent| sent.clock + SETTLES <= clock) {
            let sent = self.pending.pop_front().expect("there is one");
            self.arrive(sent);
        }
        self.conserves_work(clock)
    }

    fn overrun(&mut self, clock: u64) -> Result<(), String> {
        self.overruns += 1;
        let word = self.words.iter().rev().find(|(when, _)| when + 2 <= clock);
        let (_, number) = *word.ok_or("overrun without a word")?;
        if self.held + CELLS_UNDER_WAY < self.registers.cells - 1 {
            return Err(format!("a command found no cell with {} in use", self.held));
        }
        match self.pending.iter().position(|sent| sent.number == number) {
            Some(place) => {
                self.pending.remove(place);
                self.seen.hit("no cell for a whole command");
            }
            None if self.under_way == Some(number) => self.lost = true,
            None => self.take_back(number),
        }
        Ok(())
    }

    /// A command that was counted already had no cell: its last word had to wait.
    fn take_back(&mut self, number: u64) {
        for queue in self.queues.values_mut() {
            if queue.commands.back().is_some_and(|sent| sent.number == number) {
                queue.commands.pop_back();
                if queue.commands.is_empty() && matches!(queue.place, Place::Listed(..)) {
                    queue.place = Place::Out;
                }
                self.seen.hit("no cell for a whole command");
                return;
            }
        }
    }

    fn arrive(&mut self, sent: Sent) {
        let empty = Queue {
            commands: VecDeque::new(),
            place: Place::Out,
            flushed: None,
            may_move: false,
            ever_flushed: false,
        };
        let queue = self.queues.entry(sent.key).or_insert(empty);
        if sent.flush {
            let word = match queue.place {
                Place::Out => "flush to an empty queue",
                Place::Listed(..) => "flush to a listed queue",
                Place::Builds => "flush to a queue that builds",
                Place::Waits | Place::Parked => "flush to a parked queue",
            };
            self.seen.hit(word);
            queue.flushed.get_or_insert(sent.clock);
            (queue.may_move, queue.ever_flushed) = (true, true);
        }
        if queue.place == Place::Out {
            queue.place = Place::Listed(sent.clock, sent.clock + LISTED);
        }
        queue.commands.push_back(sent);
    }

    /// If a body can begin, one has begun within [`BEGINS`] clocks.
    fn conserves_work(&self, clock: u64) -> Result<(), String> {
        if !self.building.is_empty() {
            return Ok(());
        }
        for (key, queue) in &self.queues {
            let Place::Listed(_, since) = queue.place else {
                continue;
            };
            let ready = self.ready_since[key.1 as usize].saturating_add(BEGINS);
            if clock > ready.max(since + BEGINS).max(self.idle_since + BEGINS) {
                return Err(format!("{key:?} waits, and nothing is built"));
            }
        }
        Ok(())
    }

    /// The turn of a queue.
    pub fn turn(&mut self, clock: u64, key: Key) -> Result<(), String> {
        self.turns.push((clock, key));
        self.building.push_back((key, clock));
        if self.building.len() > 2 {
            return Err(format!("the turn of {key:?} with two bodies before it"));
        }
        if self.was_ready[key.1 as usize] + CHOSEN < clock {
            return Err(format!("{key:?} has its turn, and its virtual channel is not ready"));
        }
        let queue = self.queues.get_mut(&key).ok_or(format!("{key:?} is empty"))?;
        let Place::Listed(since, _) = queue.place else {
            return Err(format!("{key:?} has its turn: {:?}", queue.place));
        };
        queue.place = Place::Builds;
        queue.flushed = None;
        let (may_move, ever) = (queue.may_move, queue.ever_flushed);
        for (other, queue) in self.queues.iter().filter(|(other, _)| other.1 == key.1) {
            let Place::Listed(_, before) = queue.place else {
                continue;
            };
            let goes_first =
                queue.flushed.is_some_and(|when| when.max(before - LISTED) + LISTED + CHOSEN < clock);
            if !may_move && goes_first {
                return Err(format!("{key:?} before {other:?}, which was flushed"));
            }
            if !ever && !queue.ever_flushed && before < since {
                return Err(format!("{key:?} of {since} before {other:?} of {before} at the latest"));
            }
        }
        Ok(())
    }

    pub fn word_out(&mut self, clock: u64) {
        self.words_out.push(clock);
    }

    /// A body has come.
    pub fn body(
        &mut self,
        key: Key,
        partition: u64,
        octets: &[u8],
        count: usize,
        clocks: [u64; 2],
    ) -> Result<(), String> {
        let (turn, began) = self.building.pop_front().ok_or("a body without a turn")?;
        if turn != key {
            return Err(format!("a body of {key:?} at the turn of {turn:?}"));
        }
        let queue = self.queues.get_mut(&key).ok_or("a body without commands")?;
        if count == 0 || count > queue.commands.len() {
            return Err(format!("{count} commands in a body, {} are there", queue.commands.len()));
        }
        let taken: Vec<Sent> = queue.commands.drain(..count).collect();
        let expected: Vec<u8> = taken.iter().flat_map(|sent| sent.octets.clone()).collect();
        if expected != octets {
            return Err(format!(
                "{} octets of {count} commands, other than {} expected",
                octets.len(),
                expected.len()
            ));
        }
        if octets.len() > self.registers.pack_max as usize {
            return Err(format!("a body of {} octets", octets.len()));
        }
        if taken.iter().any(|sent| sent.partition != partition) {
            return Err("a command of another partition".into());
        }
        if taken[..count - 1].iter().any(|sent| sent.flush) {
            return Err("a command after a flush".into());
        }
        queue.place = Place::Waits;
        if queue.commands.is_empty() {
            (queue.flushed, queue.may_move) = (None, false);
        }
        let ended = taken[count - 1].flush;
        // The decision was not before this.
        let words = self.words_out.len();
        let decided = if words > UNDER_WAY { self.words_out[words - UNDER_WAY] } else { began };
        let follower = queue.commands.front().filter(|sent| sent.clock + LISTED < decided).map(|next| {
            let fits = octets.len() + next.octets.len() <= self.registers.pack_max as usize;
            (fits, next.partition == partition)
        });
        let why = match (ended, follower) {
            (true, _) => "ended by a flush",
            (_, None) => "ended by nothing more",
            (_, Some((false, _))) => "ended by its length",
            (_, Some((_, false))) => "ended by another partition",
            (_, Some((true, true))) => return Err(format!("{key:?}: a command that fits is left out")),
        };
        self.seen.hit(why);
        self.seen.hit(if count > 1 { "several commands" } else { "one command" });
        if taken.iter().any(|sent| sent.clock > began) {
            self.seen.hit("joined while it was built");
        }
        self.idle_since = clocks[1];
        self.words_out.clear();
        let (commands, arrived) = (taken.iter().map(|sent| sent.number).collect(), taken[0].clock);
        self.bodies.push(Body { key, commands, octets: octets.len(), arrived, clocks });
        Ok(())
    }

    /// The sender has answered, or a window has opened.
    pub fn answer(&mut self, clock: u64, key: Key, open: bool) {
        let Some(queue) = self.queues.get_mut(&key) else {
            return;
        };
        if !matches!(queue.place, Place::Waits | Place::Parked) {
            self.seen.hit("answer that nobody waits for");
            return;
        }
        queue.place = match (open, queue.commands.is_empty()) {
            (false, _) => Place::Parked,
            (true, true) => Place::Out,
            (true, false) => Place::Listed(clock, clock + LISTED),
        };
        self.seen.hit(if open { "open" } else { "closed" });
    }
}
