//! `time_inject` (chapter 20, 4.5): offers time flits to the link, corrected in every clock.
//!
//! A Low is offered in the clock after it came from the ring, and from the third on if it is not taken in that; a lone
//! High, a marker and the High of a Low that waits are chosen a clock before they are offered. In the clock after a beat was
//! taken only a Low that has just come is offered; what waited follows in the next.

use super::flits::{TimeFlit, TimeHigh, TimeLow};
use super::TimeValue;
use flitforge_protocol::time::{MAX_TREES, TX_WAIT_MAX_DEFAULT};

/// What the link does in a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkClock {
    /// The beat is taken into an LTP: plane X.
    Takes,
    /// The line is full in this clock.
    Paces,
    /// Null LTP, replay or freeze: `tx_open` is low.
    Closed,
}

/// A beat offered on `time_in`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBeat {
    /// Slot 0.
    pub first: TimeFlit,
    /// Slot 1: the High of the same tree.
    pub second: Option<TimeHigh>,
}

/// What became of the offered beat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// Nothing was offered.
    Nothing,
    /// It waits.
    Waiting(TimeBeat),
    /// It crossed plane X.
    Sent(TimeBeat),
    /// The link took and discarded it (TIME_DROPPED of chapter 10).
    Dropped(TimeBeat),
}

/// What happened in a clock; Lows and Highs by tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InjectEvents {
    /// INJECTED by slot: Lows and Highs the link took, those it discards included.
    pub injected: u8,
    /// ADVANCED: Lows that met a closed link and wait for it.
    pub advanced: u8,
    /// TX_WAIT_OVER: Lows overtaken by a newer one.
    pub overtaken: u8,
    /// TX_WAIT_OVER: Lows that waited too long.
    pub expired: u8,
    /// EPOCH_HOLD: Lows removed.
    pub held_lows: u8,
    /// EPOCH_HOLD: Highs removed.
    pub held_highs: u8,
}

/// Counters of the port, 32 bits, saturating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InjectCounters {
    /// INJECTED: Lows and Highs the link took, those it discards included.
    pub injected: u32,
    /// ADVANCED: Lows that waited for a closed link.
    pub advanced: u32,
    /// TX_WAIT_OVER: Lows that waited too long or were overtaken.
    pub tx_wait_over: u32,
    /// EPOCH_HOLD: Lows and Highs removed because the link must be measured again.
    pub epoch_hold: u32,
}

impl InjectCounters {
    fn add(&mut self, events: &InjectEvents) {
        let counted = [
            (&mut self.injected, events.injected.count_ones()),
            (&mut self.advanced, events.advanced.count_ones()),
            (&mut self.tx_wait_over, events.overtaken.count_ones() + events.expired.count_ones()),
            (&mut self.epoch_hold, events.held_lows.count_ones() + events.held_highs.count_ones()),
        ];
        counted.into_iter().for_each(|(counter, more)| *counter = counter.saturating_add(more));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waiting {
    low: TimeLow,
    /// WPER of the clocks it has waited, summed: 2^-20 ns.
    waited: u64,
    /// Clocks it may still wait.
    left: u64,
    /// Clocks it has been here, 2 for more.
    age: u8,
    /// It has met a closed link.
    held: bool,
}

/// Age from which a Low can be offered again.
const STORED: u8 = 2;

/// The block: one Low and one High per tree, one marker of each kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injector {
    lows: [Option<Waiting>; MAX_TREES],
    highs: [Option<TimeHigh>; MAX_TREES],
    response: Option<TimeFlit>,
    request: Option<TimeFlit>,
    /// A marker or a lone High, chosen in the clock before.
    other: Option<TimeFlit>,
    /// The High of the Low that waits, chosen in the clock before.
    pair: Option<TimeHigh>,
    /// A beat was taken in the clock before.
    resting: bool,
    /// A High has come for this clock.
    high_came: bool,
    events: InjectEvents,
    /// ADVANCE: wait for a closed link instead of losing the flit.
    pub advance: bool,
    /// LINK_EPOCH differs from MEASURED_EPOCH and HOLD_ON_EPOCH is set.
    pub hold: bool,
    /// A beat has a second slot for the High of its Low.
    pub pairs: bool,
    /// TX_WAIT_MAX, clocks; counts for Lows that come.
    pub tx_wait_max: u64,
    /// Counters.
    pub counters: InjectCounters,
    /// Highs replaced by a newer one of their tree before they went. A newer High makes the older one worthless: no register counts it.
    pub highs_replaced: u64,
}

impl Default for Injector {
    fn default() -> Self {
        Self {
            lows: [None; MAX_TREES],
            highs: [None; MAX_TREES],
            response: None,
            request: None,
            other: None,
            pair: None,
            resting: false,
            high_came: false,
            events: InjectEvents::default(),
            advance: false,
            hold: false,
            pairs: true,
            tx_wait_max: TX_WAIT_MAX_DEFAULT,
            counters: InjectCounters::default(),
            highs_replaced: 0,
        }
    }
}

impl Injector {
    /// A Low from the core register of the ring stop, having waited `wait` ring cycles of period `rper`. It is offered
    /// from the next clock on.
    pub fn low(&mut self, low: TimeLow, wait: u32, rper: u32) {
        let low = TimeLow { value: low.value.waited_on_ring(wait, rper), ..low };
        let place = &mut self.lows[usize::from(low.tree)];
        let waiting = Waiting { low, waited: 0, left: self.tx_wait_max, age: 0, held: false };
        if place.replace(waiting).is_some() {
            self.events.overtaken |= 1 << low.tree;
        }
    }

    /// A High from the ring stop; a newer one replaces an older of the same tree.
    pub fn high(&mut self, high: TimeHigh) {
        let replaced = self.highs[usize::from(high.tree)].replace(high);
        self.highs_replaced += u64::from(replaced.is_some());
        self.high_came = true;
    }

    /// A DelayReq or DelayResp of `link_delay`; other flits are ignored.
    pub fn marker(&mut self, marker: TimeFlit) {
        match marker {
            TimeFlit::DelayReq { .. } => self.request = Some(marker),
            TimeFlit::DelayResp { .. } => self.response = Some(marker),
            _ => {}
        }
    }

    /// There is no marker any more.
    pub fn take_markers_back(&mut self) {
        (self.response, self.request) = (None, None);
    }

    /// `clear`: nothing is pending any more.
    pub fn clear(&mut self) {
        (self.lows, self.highs) = ([None; MAX_TREES], [None; MAX_TREES]);
        (self.response, self.request, self.other, self.pair) = (None, None, None, None);
        (self.resting, self.high_came, self.events) = (false, false, InjectEvents::default());
    }

    /// The beat offered in the coming clock, with the tx lag of a flit taken in it (1/256 ns). Rule 3: Low by rising tree
    /// with its High, DelayResp, DelayReq, High.
    #[must_use]
    pub fn offered(&self, lag: i32) -> Option<TimeBeat> {
        let low = self.lows.iter().find_map(|low| {
            let Waiting { low, waited, age, .. } = (*low)?;
            let value: TimeValue = low.value.offered_after(waited, lag);
            let first = TimeFlit::Low(TimeLow { value, ..low });
            let second = self.pair.filter(|_| self.pairs && age > 0 && !self.high_came);
            (age == 0 || age == STORED && !self.resting).then_some(TimeBeat { first, second })
        });
        let other = || {
            let is_high = |flit: &TimeFlit| matches!(flit, TimeFlit::High(_));
            let other = self.other.filter(|flit| !is_high(flit) || !(self.hold || self.high_came));
            other.map(|first| TimeBeat { first, second: None })
        };
        low.filter(|_| !self.hold).or_else(other)
    }

    /// One core clock with WPER (6.20 ns), the tx lag of a flit taken in it (1/256 ns), and what the link does. Gives what
    /// became of the offered beat and what happened.
    pub fn clock(&mut self, wper: u32, lag: i32, link: LinkClock) -> (Offer, InjectEvents) {
        if self.hold {
            self.remove_held();
        }
        let beat = self.offered(lag);
        let offer = match (beat, link) {
            (None, _) => Offer::Nothing,
            (Some(beat), LinkClock::Takes) => Offer::Sent(beat),
            (Some(beat), LinkClock::Closed) if !self.advance => Offer::Dropped(beat),
            (Some(beat), LinkClock::Paces | LinkClock::Closed) => Offer::Waiting(beat),
        };
        self.resting = false;
        if let Offer::Sent(beat) | Offer::Dropped(beat) = offer {
            self.remove(&beat);
            self.resting = true;
        }
        self.age(wper, self.advance && link == LinkClock::Closed);
        self.choose();
        self.high_came = false;
        let events = std::mem::take(&mut self.events);
        self.counters.add(&events);
        (offer, events)
    }

    fn remove_held(&mut self) {
        for tree in 0..MAX_TREES {
            self.events.held_lows |= u8::from(self.lows[tree].is_some()) << tree;
            self.events.held_highs |= u8::from(self.highs[tree].is_some()) << tree;
        }
        (self.lows, self.highs) = ([None; MAX_TREES], [None; MAX_TREES]);
    }

    fn remove(&mut self, beat: &TimeBeat) {
        let mut slots = 1 | u8::from(beat.second.is_some()) << 1;
        match beat.first {
            TimeFlit::Low(low) => self.lows[usize::from(low.tree)] = None,
            TimeFlit::High(high) => self.highs[usize::from(high.tree)] = None,
            TimeFlit::DelayResp { .. } => (self.response, slots) = (None, 0),
            TimeFlit::DelayReq { .. } => (self.request, slots) = (None, 0),
        }
        if let Some(high) = beat.second {
            self.highs[usize::from(high.tree)] = None;
        }
        self.events.injected |= slots;
    }

    /// What is still here has waited one more clock.
    fn age(&mut self, wper: u32, held: bool) {
        for (tree, place) in self.lows.iter_mut().enumerate() {
            let Some(waiting) = place else { continue };
            waiting.waited += u64::from(wper);
            waiting.age = STORED.min(waiting.age + 1);
            if held && !waiting.held {
                waiting.held = true;
                self.events.advanced |= 1 << tree;
            }
            if waiting.left == 0 {
                *place = None;
                self.events.expired |= 1 << tree;
            } else {
                waiting.left -= 1;
            }
        }
    }

    /// What goes with the Low that waits, and what goes if there is none.
    fn choose(&mut self) {
        (self.pair, self.other) = (None, None);
        if self.resting {
            return;
        }
        let stored = |low: &Option<Waiting>| low.is_some_and(|low| low.age == STORED);
        let high = match self.lows.iter().position(stored) {
            Some(tree) => {
                self.pair = self.highs[tree];
                None
            }
            None => self.highs.iter().find_map(|high| *high),
        };
        self.other = self.response.or(self.request).or(high.map(TimeFlit::High));
    }
}
