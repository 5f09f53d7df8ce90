//! Tokens that measure the rings of a switch, ring edge by ring edge (chapter 20, 4.10).

use crate::ring_stop::{Arrival, Insertion, Origin, RingModel, RingSlot};
use flitforge_protocol::time_ring::{token, RingDirection, SlotKind, TOKEN_LOST_SLACK};

/// TOKEN_CMD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCommand {
    /// Stop that sends the token.
    pub source: u8,
    /// Stop that sends it back.
    pub target: u8,
    /// Ring of the way out.
    pub ring: u8,
    /// Tag.
    pub tag: u8,
}

/// What the stops tell the counter, from stop to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenReport {
    /// A stop inserted its token.
    pub sent: bool,
    /// A token is home: cycles waited at its target.
    pub returned: Option<u8>,
}

/// What a stop's two ring stops show before an edge.
#[derive(Debug, Clone, Copy)]
pub struct StopView {
    /// What comes in.
    pub arriving: Arrival,
    /// The slot in the ring register.
    pub held: Option<RingSlot>,
    /// An insertion is taken at this edge.
    pub ready: bool,
}

/// Fields of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token {
    target: u8,
    returning: bool,
    tag: u8,
    waited: u8,
}

impl Token {
    fn of(data: u128) -> Self {
        Self {
            target: token::target::FIELD.get(data) as u8,
            returning: token::returning::FIELD.get(data) == 1,
            tag: token::tag::FIELD.get(data) as u8,
            waited: token::waited::FIELD.get(data) as u8,
        }
    }

    fn data(self) -> u128 {
        let data = token::target::FIELD.set(0, self.target.into());
        let data = token::returning::FIELD.set(data, self.returning.into());
        let data = token::tag::FIELD.set(data, self.tag.into());
        token::waited::FIELD.set(data, self.waited.into())
    }
}

fn token_of(slot: Option<RingSlot>) -> Option<RingSlot> {
    slot.filter(|slot| slot.kind == SlotKind::Token.code())
}

/// A stop's part.
#[derive(Debug, Clone, Default)]
struct TokenStop {
    id: u8,
    /// Next stop, by ring.
    next: [u8; 2],
    command: TokenCommand,
    ordered: bool,
    /// By ring: the stop's own token is to go.
    sends: [bool; 2],
    /// By ring: the last token that was removed here or is for this stop.
    token: [Option<RingSlot>; 2],
    removed: [bool; 2],
    returned: [bool; 2],
    /// By the ring it came on: a token is to go back on the other one, and has waited so long.
    returns: [Option<u8>; 2],
    sent: [bool; 2],
    arrived: Option<u8>,
    report: TokenReport,
}

impl TokenStop {
    fn own(&self) -> Origin {
        Origin::of(self.id)
    }

    /// What goes into a ring if the port has nothing.
    fn insertion(&self, ring: usize) -> Option<(Insertion, Origin)> {
        let insertion = |token: Token, parity| Insertion {
            kind: SlotKind::Token.code(),
            tree: 0,
            parity,
            data: token.data(),
        };
        if let (Some(waited), Some(slot)) = (self.returns[1 - ring], self.token[1 - ring]) {
            let token = Token { target: self.id, returning: true, tag: Token::of(slot.data).tag, waited };
            // The two bits that differ from what came keep a wrong parity wrong.
            let parity = !slot.parity ^ (waited.count_ones() % 2 == 1);
            let origin = Origin { id: slot.source, parity: false, is_next: slot.source == self.next[ring] };
            return Some((insertion(token, parity), origin));
        }
        self.sends[ring].then(|| {
            let TokenCommand { target, tag, .. } = self.command;
            let token = Token { target, returning: false, tag, waited: 0 };
            (insertion(token, token.data().count_ones() % 2 == 1), self.own())
        })
    }

    /// An edge; `ports` says that the port inserts.
    fn clock(
        &mut self,
        views: [StopView; 2],
        ports: [bool; 2],
        command: Option<TokenCommand>,
        report: TokenReport,
    ) {
        let mine = TokenReport { sent: self.sent[1], returned: self.arrived };
        let returned = match (report.returned, mine.returned) {
            (Some(one), Some(other)) => Some(one | other),
            (one, other) => one.or(other),
        };
        self.report = TokenReport { sent: report.sent || mine.sent, returned };
        let arrived = (0..2).rev().find(|ring| self.returned[*ring]).and_then(|ring| self.token[ring]);
        self.arrived = arrived.map(|slot| Token::of(slot.data).waited);
        let mut sent = false;
        for (ring, view) in views.iter().enumerate() {
            let taken = view.ready && !ports[ring];
            let returning = self.returns[1 - ring];
            if let Some(waited) = returning {
                self.returns[1 - ring] = (!taken).then(|| waited.saturating_add(1));
            } else if self.sends[ring] && taken {
                (self.sends[ring], sent) = (false, true);
            }
        }
        self.sent = [sent, self.sent[0]];
        if self.ordered && self.command.source == self.id {
            self.sends[usize::from(self.command.ring)] = true;
        }
        for (ring, view) in views.iter().enumerate() {
            self.returned[ring] =
                self.removed[ring] && self.token[ring].is_some_and(|slot| self.is_returned(slot));
            let removes = token_of(view.arriving.slot).filter(|_| view.arriving.own);
            let for_me = |slot: &RingSlot| {
                let token = Token::of(slot.data);
                !token.returning && token.target == self.id && slot.source != self.id
            };
            let here = token_of(view.held).filter(for_me);
            self.removed[ring] = removes.is_some() && here.is_none();
            if let Some(slot) = here.or(removes) {
                self.token[ring] = Some(slot);
            }
            if here.is_some() && self.returns[ring].is_none() {
                self.returns[ring] = Some(0);
            }
        }
        if command.is_some() {
            self.sends = [false; 2];
        }
        self.ordered = command.is_some();
        self.command = command.unwrap_or(self.command);
    }

    /// True for the token of the last command that has been at its target; nothing but the token counts in its parity.
    fn is_returned(&self, slot: RingSlot) -> bool {
        let token = Token::of(slot.data);
        let alone = RingSlot { data: token.data(), tree: 0, wait: 0, ..slot };
        (token.returning || token.target == self.id)
            && token.tag == self.command.tag
            && alone.parity_is_right()
    }

    fn clear(&mut self) {
        let Self { id, next, command, token, report, .. } = *self;
        *self = Self { id, next, command, token, report, ..Self::default() };
    }
}

/// TOKEN_RES.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenState {
    /// Tag of the last command.
    pub tag: u8,
    /// The token is home: C, and the cycles it waited at its target.
    pub result: Option<(u32, u8)>,
    /// It is lost.
    pub lost: bool,
    /// It was lost at the last edge.
    pub lost_now: bool,
}

/// The counter.
#[derive(Debug, Clone, Copy, Default)]
struct Control {
    command: TokenCommand,
    sending: bool,
    /// Clocks since the command, while the token is out.
    flying: Option<u32>,
    /// Cycles since it was inserted.
    count: Option<u32>,
    state: TokenState,
}

impl Control {
    fn clock(&mut self, command: Option<TokenCommand>, report: TokenReport, limit: u32, clear: bool) {
        let returned = report.returned.filter(|_| self.flying.is_some() && !clear).zip(self.count);
        self.count = match self.count {
            _ if report.sent && self.flying.is_some() => Some(1),
            count => count.map(|count| count + 1),
        };
        self.state.lost_now = false;
        self.flying = self.flying.map(|clocks| clocks + 1);
        if let Some((waited, count)) = returned {
            self.state.result = Some((count, waited));
            (self.flying, self.count) = (None, None);
        } else if self.flying == Some(limit) && !clear {
            (self.state.lost, self.state.lost_now) = (true, true);
            (self.flying, self.count) = (None, None);
        }
        self.sending = command.is_some() && !clear;
        if let Some(command) = command {
            self.command = command;
            (self.flying, self.count) = (Some(1), None);
            self.state = TokenState { tag: command.tag, ..TokenState::default() };
        }
        if clear {
            (self.flying, self.count, self.state.lost_now) = (None, None, false);
        }
    }
}

/// Both rings of a switch with tokens.
#[derive(Debug, Clone)]
pub struct TokenRings {
    /// Clockwise and counter-clockwise.
    pub rings: [RingModel; 2],
    stops: Vec<TokenStop>,
    control: Control,
    hop_registers: usize,
}

/// Insertions of the ports and copied trees of one ring, by stop.
pub type PortInputs = (Vec<Option<Insertion>>, Vec<u8>);

impl TokenRings {
    /// Empty rings with one register per hop.
    #[must_use]
    pub fn new(stops: usize, wait_max: u8) -> Self {
        Self::with_hop_registers(stops, wait_max, 1)
    }

    /// The same with S registers per hop.
    #[must_use]
    pub fn with_hop_registers(stops: usize, wait_max: u8, hop_registers: usize) -> Self {
        let stop = |id: usize| TokenStop {
            id: id as u8,
            next: [((id + 1) % stops) as u8, ((id + stops - 1) % stops) as u8],
            ..TokenStop::default()
        };
        Self {
            rings: [false, true]
                .map(|reverse| RingModel::with_hop_registers(stops, reverse, wait_max, hop_registers)),
            stops: (0..stops).map(stop).collect(),
            control: Control::default(),
            hop_registers,
        }
    }

    /// What the counter shows.
    #[must_use]
    pub const fn state(&self) -> TokenState {
        self.control.state
    }

    /// A ring edge.
    pub fn clock(&mut self, ports: &[PortInputs; 2], command: Option<TokenCommand>, clear: bool) {
        let before = self.clone();
        let last = before.stops.last().map_or(TokenReport::default(), |stop| stop.report);
        for ring in RingDirection::ALL.map(|ring| ring as usize) {
            let (insertions, trees) = &ports[ring];
            let of_token = |number: usize| before.stops[number].insertion(ring);
            let from: Vec<_> = (insertions.iter().enumerate())
                .map(|(number, own)| match own {
                    Some(own) => Some((*own, Origin::of(number as u8))),
                    None => of_token(number),
                })
                .collect();
            self.rings[ring].clock_from(&from, trees);
        }
        for (number, stop) in self.stops.iter_mut().enumerate() {
            let views = [0, 1].map(|ring| StopView {
                arriving: before.rings[ring].incoming(number),
                held: before.rings[ring].stops[number].slot,
                ready: before.rings[ring].ready(number) && !clear,
            });
            let waits = [0, 1].map(|ring| ports[ring].0[number].is_some());
            let (command, report) = match number.checked_sub(1).map(|before_it| &before.stops[before_it]) {
                Some(stop) => (stop.ordered.then_some(stop.command), stop.report),
                None => (before.control.sending.then_some(before.control.command), TokenReport::default()),
            };
            stop.clock(views, waits, command, report);
            if clear {
                stop.clear();
            }
        }
        let limit = 4 * (self.stops.len() * self.hop_registers) as u32 + TOKEN_LOST_SLACK;
        self.control.clock(command, last, limit, clear);
        if clear {
            self.rings.iter_mut().for_each(RingModel::clear);
        }
    }
}
