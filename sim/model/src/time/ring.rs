//! The two rings of a switch, edge by edge (chapter 20, 4.4 and 4.10).

use super::delay::RingShape;
use super::slot::{RingContent, RingSlot};
use super::{TimeConfig, TimeConfigError};
use flitforge_protocol::time_ring::{RingDirection, SlotKind, SLOW_WAIT_MAX, TOKEN_LOST_SLACK};
use std::collections::VecDeque;

/// ROLE and PATH of a stop, by tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopPath {
    /// DN_EN.
    pub enabled: bool,
    /// EXP_SRC.
    pub source: u8,
    /// RING_SEL.
    pub ring: RingDirection,
}

/// Counters of a switch's rings and of what its stops drop, saturating in hardware.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RingCounters {
    /// ORPHAN.
    pub orphan: u32,
    /// RING_BUSY: Lows that waited for a free slot.
    pub busy: u32,
    /// RING_WAIT_OVER: insertions given up.
    pub wait_over: u32,
    /// RING_PARITY: copies dropped.
    pub parity: u32,
    /// WRONG_SRC: copies dropped.
    pub wrong_src: u32,
    /// TOKEN_LOST.
    pub token_lost: u32,
}

/// A copy in the core register of a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingCopy {
    /// The stop.
    pub stop: u8,
    /// The ring.
    pub ring: RingDirection,
    /// Ring edge at which the copy register loaded it.
    pub edge: u64,
    /// The slot.
    pub slot: RingSlot,
}

/// TOKEN_RES.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenResult {
    /// Ring cycles C; `None` if the token is lost.
    pub cycles: Option<u32>,
    /// Ring cycles it waited at the target.
    pub waited: u8,
    /// Tag.
    pub tag: u8,
}

/// Something that waits for a slot of one ring.
#[derive(Debug, Clone, Copy)]
struct Pending {
    content: RingContent,
    src: u8,
    /// First ring edge it may be inserted at.
    from: u64,
}

#[derive(Debug, Clone, Copy)]
struct Travelling {
    slot: RingSlot,
    /// A bit flipped on the way.
    damaged: bool,
}

/// One ring: register i * S is the ring register of the i-th stop in its direction.
#[derive(Debug, Clone)]
struct Ring {
    direction: RingDirection,
    registers: VecDeque<Option<Travelling>>,
    /// By stop: Low before High before token.
    pending: Vec<[VecDeque<Pending>; 3]>,
}

#[derive(Debug, Clone, Copy)]
struct TokenRun {
    source: u8,
    ring: RingDirection,
    tag: u8,
    inserted: Option<u64>,
    deadline: u64,
}

/// Both rings of a switch. [`DualRing::ring_edge`] is one ring edge; every M-th is a core edge too.
#[derive(Debug, Clone)]
pub struct DualRing {
    shape: RingShape,
    wait_max: u32,
    rings: [Ring; 2],
    /// By stop and tree.
    paths: Vec<[StopPath; 4]>,
    edge: u64,
    /// Slots that arrived at the last edge: stop, ring, slot.
    arrived: Vec<(u8, RingDirection, Travelling)>,
    /// What the copy registers hold for the next core edge.
    copied: Vec<RingCopy>,
    token: Option<TokenRun>,
    token_result: Option<TokenResult>,
    /// Counters.
    pub counters: RingCounters,
}

impl DualRing {
    /// Empty rings with no stop enabled.
    pub fn new(config: &TimeConfig) -> Result<Self, TimeConfigError> {
        let shape = RingShape::new(config)?;
        let length = (shape.stops * shape.hop_registers) as usize;
        let rings = RingDirection::ALL.map(|direction| Ring {
            direction,
            registers: vec![None; length].into(),
            pending: vec![Default::default(); shape.stops as usize],
        });
        let off = StopPath { enabled: false, source: 0, ring: RingDirection::Clockwise };
        Ok(Self {
            shape,
            wait_max: config.ring_wait_max,
            rings,
            paths: vec![[off; 4]; shape.stops as usize],
            edge: 0,
            arrived: vec![],
            copied: vec![],
            token: None,
            token_result: None,
            counters: RingCounters::default(),
        })
    }

    /// Sets ROLE and PATH of a stop for a tree.
    pub fn set_path(&mut self, stop: u8, tree: u8, path: StopPath) {
        self.paths[usize::from(stop)][usize::from(tree)] = path;
    }

    /// `clear`: every slot is empty, nothing waits.
    pub fn clear(&mut self) {
        for ring in &mut self.rings {
            ring.registers.iter_mut().for_each(|register| *register = None);
            ring.pending.iter_mut().flatten().for_each(VecDeque::clear);
        }
        self.arrived.clear();
        self.copied.clear();
        self.token = None;
    }

    /// Number of the coming ring edge.
    #[must_use]
    pub const fn edge(&self) -> u64 {
        self.edge
    }

    /// True if both rings are empty and nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let ring_empty = |ring: &Ring| {
            ring.registers.iter().all(Option::is_none)
                && ring.pending.iter().flatten().all(VecDeque::is_empty)
        };
        self.rings.iter().all(ring_empty) && self.arrived.is_empty() && self.copied.is_empty()
    }

    /// `tval` of the upstream port at `stop`, valid from the coming core edge: it may enter both rings at the core edge
    /// after it. Call between ring edges, before a core edge.
    pub fn offer(&mut self, stop: u8, content: RingContent) {
        let ratio = u64::from(self.shape.ratio);
        let from = (self.edge.div_ceil(ratio) + 1) * ratio;
        for direction in RingDirection::ALL {
            self.wait(stop, direction, Pending { content, src: stop, from });
        }
    }

    fn wait(&mut self, stop: u8, direction: RingDirection, pending: Pending) {
        let kind = match pending.content.kind() {
            SlotKind::Low | SlotKind::None => 0,
            SlotKind::High => 1,
            SlotKind::Token => 2,
        };
        self.rings[direction as usize].pending[usize::from(stop)][kind].push_back(pending);
    }

    /// TOKEN_CMD: the source inserts a token as soon as its slot is free.
    pub fn send_token(&mut self, source: u8, target: u8, ring: RingDirection, tag: u8) {
        let content = RingContent::Token { target, returning: false, tag, waited: 0 };
        self.wait(source, ring, Pending { content, src: source, from: self.edge });
        let length = u64::from(self.shape.stops * self.shape.hop_registers);
        let deadline = self.edge + 4 * length + u64::from(TOKEN_LOST_SLACK);
        (self.token, self.token_result) =
            (Some(TokenRun { source, ring, tag, inserted: None, deadline }), None);
    }

    /// TOKEN_RES, once it is done or lost.
    #[must_use]
    pub const fn token_result(&self) -> Option<TokenResult> {
        self.token_result
    }

    /// An upset: flips a bit of the slot in a stop's ring register. False if the register is empty.
    pub fn damage(&mut self, stop: u8, direction: RingDirection) -> bool {
        self.upset(stop, direction, |travelling| travelling.damaged ^= true)
    }

    /// An upset of the source field: the slot's own source will not know it. False if the register is empty.
    pub fn orphan(&mut self, stop: u8, direction: RingDirection, src: u8) -> bool {
        self.upset(stop, direction, |travelling| (travelling.slot.src, travelling.damaged) = (src, true))
    }

    /// Changes a ring register, and what the copy register is about to load from it.
    fn upset(&mut self, stop: u8, direction: RingDirection, change: impl Fn(&mut Travelling)) -> bool {
        let arrived = self.arrived.iter_mut().filter(|(at, ring, _)| (*at, *ring) == (stop, direction));
        arrived.for_each(|(_, _, travelling)| change(travelling));
        let place = self.position(stop, direction);
        self.rings[direction as usize].registers[place].as_mut().map(change).is_some()
    }

    fn position(&self, stop: u8, direction: RingDirection) -> usize {
        (direction.hops(self.shape.stops, 0, stop.into()) * self.shape.hop_registers) as usize
    }

    /// One ring edge. If it is a core edge, gives what the core registers load: checked copies of Lows and Highs.
    pub fn ring_edge(&mut self) -> Vec<RingCopy> {
        let core_edge = self.edge % u64::from(self.shape.ratio) == 0;
        let loaded = if core_edge { std::mem::take(&mut self.copied) } else { vec![] };
        self.copy();
        for index in 0..self.rings.len() {
            self.shift(index);
        }
        self.expire_token();
        self.edge += 1;
        loaded
    }

    /// Rule 4: copy registers load what arrived at the edge before.
    fn copy(&mut self) {
        for (stop, direction, Travelling { slot, damaged }) in std::mem::take(&mut self.arrived) {
            if let RingContent::Token { target, returning, tag, waited } = slot.content {
                self.copy_token(stop, direction, slot.src, (target, returning, tag, waited));
                continue;
            }
            let path = self.paths[usize::from(stop)][usize::from(slot.content.tree())];
            if !path.enabled || path.ring != direction {
                continue;
            }
            if damaged {
                self.counters.parity += 1;
            } else if slot.src != path.source {
                self.counters.wrong_src += 1;
            } else {
                self.copied.push(RingCopy { stop, ring: direction, edge: self.edge, slot });
            }
        }
    }

    /// 4.10: the target sends the token back on the other ring; at its source the count ends.
    fn copy_token(&mut self, stop: u8, ring: RingDirection, src: u8, token: (u8, bool, u8, u8)) {
        let (target, returning, tag, waited) = token;
        let Some(run) = self.token.filter(|run| run.source == src && run.tag == tag) else { return };
        let home = stop == src && (returning || target == src);
        if home {
            let cycles = run.inserted.map(|inserted| (self.edge - inserted) as u32);
            self.token_result = Some(TokenResult { cycles, waited, tag });
            self.token = None;
        } else if stop == target && !returning && ring == run.ring {
            let content = RingContent::Token { target, returning: true, tag, waited: 0 };
            self.wait(stop, ring.other(), Pending { content, src, from: self.edge + 1 });
        }
    }

    /// Rules 1, 2, 3 and 5 of one ring.
    fn shift(&mut self, index: usize) {
        let Self { rings, shape, counters, token, arrived, wait_max, edge, .. } = self;
        let (edge, ring) = (*edge, &mut rings[index]);
        ring.registers.rotate_right(1);
        for place in 0..shape.stops {
            let stop = ring.direction.hops(shape.stops, 0, place) as u8;
            let register = &mut ring.registers[(place * shape.hop_registers) as usize];
            if let Some(incoming) = register {
                arrived.push((stop, ring.direction, *incoming));
                if incoming.slot.src == stop {
                    *register = None;
                } else if stop == 0 {
                    counters.orphan += u32::from(incoming.slot.mon);
                    *register = (!incoming.slot.mon)
                        .then_some(Travelling { slot: RingSlot { mon: true, ..incoming.slot }, ..*incoming });
                }
            }
            let queues = &mut ring.pending[usize::from(stop)];
            give_up(queues, edge, *wait_max, counters);
            if register.is_none() {
                *register = insert(queues, edge, shape.ratio.into(), counters);
                if let (Some(run), Some(inserted)) = (token.as_mut(), register.as_ref()) {
                    let outbound =
                        matches!(inserted.slot.content, RingContent::Token { returning: false, .. });
                    if outbound && run.source == stop {
                        run.inserted = Some(edge);
                    }
                }
            }
        }
    }

    fn expire_token(&mut self) {
        if let Some(run) = self.token.filter(|run| self.edge >= run.deadline) {
            self.token_result = Some(TokenResult { cycles: None, waited: 0, tag: run.tag });
            self.counters.token_lost += 1;
            self.token = None;
        }
    }
}

/// Rule 3: what has waited too long is dropped.
fn give_up(queues: &mut [VecDeque<Pending>; 3], edge: u64, wait_max: u32, counters: &mut RingCounters) {
    for (kind, queue) in queues.iter_mut().enumerate() {
        let limit = if kind == 0 { wait_max } else { SLOW_WAIT_MAX };
        let before = queue.len();
        queue.retain(|pending| edge.saturating_sub(pending.from) <= limit.into());
        counters.wait_over += (before - queue.len()) as u32;
    }
}

/// Rule 2: the first of Low, High, token that may enter. A Low that missed its slot may enter only after whole core
/// clocks, so that its wait can be corrected exactly.
fn insert(
    queues: &mut [VecDeque<Pending>; 3],
    edge: u64,
    ratio: u64,
    counters: &mut RingCounters,
) -> Option<Travelling> {
    let ready = |pending: &Pending| {
        let is_low = pending.content.kind() == SlotKind::Low;
        pending.from <= edge && (!is_low || (edge - pending.from) % ratio == 0)
    };
    let queue = queues.iter_mut().find(|queue| queue.front().is_some_and(ready))?;
    let Pending { content, src, from } = queue.pop_front()?;
    let waited = edge - from;
    let slot = match content {
        RingContent::Low(_) => {
            counters.busy += u32::from(waited > 0);
            RingSlot::new(content, src, waited as u8)
        }
        RingContent::High(_) => RingSlot::new(content, src, 0),
        RingContent::Token { target, returning, tag, .. } => {
            let waited = if returning { waited.min(255) as u8 } else { 0 };
            RingSlot::new(RingContent::Token { target, returning, tag, waited }, src, 0)
        }
    };
    Some(Travelling { slot, damaged: false })
}
