//! `time_inject` (chapter 20, 4.5): offers time flits to the link, corrected in every clock.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waiting {
    low: TimeLow,
    clocks: u64,
    /// It has met a closed link.
    held: bool,
}

/// The block: one Low and one High per tree, one marker of each kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injector {
    lows: [Option<Waiting>; MAX_TREES],
    highs: [Option<TimeHigh>; MAX_TREES],
    response: Option<TimeFlit>,
    request: Option<TimeFlit>,
    /// ADVANCE: wait for a closed link instead of losing the flit.
    pub advance: bool,
    /// LINK_EPOCH differs from MEASURED_EPOCH and HOLD_ON_EPOCH is set.
    pub hold: bool,
    /// TX_WAIT_MAX, clocks.
    pub tx_wait_max: u64,
    /// Counters.
    pub counters: InjectCounters,
}

impl Default for Injector {
    fn default() -> Self {
        Self {
            lows: [None; MAX_TREES],
            highs: [None; MAX_TREES],
            response: None,
            request: None,
            advance: false,
            hold: false,
            tx_wait_max: TX_WAIT_MAX_DEFAULT,
            counters: InjectCounters::default(),
        }
    }
}

impl Injector {
    /// A Low from the core register of the ring stop, having waited `wait` ring cycles of period `rper`. It is offered
    /// from the next clock on.
    pub fn low(&mut self, low: TimeLow, wait: u32, rper: u32) {
        let low = TimeLow { value: low.value.waited_on_ring(wait, rper), ..low };
        let place = &mut self.lows[usize::from(low.tree)];
        if place.replace(Waiting { low, clocks: 0, held: false }).is_some() {
            self.counters.tx_wait_over = self.counters.tx_wait_over.saturating_add(1);
        }
    }

    /// A High from the ring stop; a newer one replaces an older of the same tree.
    pub fn high(&mut self, high: TimeHigh) {
        self.highs[usize::from(high.tree)] = Some(high);
    }

    /// A DelayReq or DelayResp of `link_delay`; other flits are ignored.
    pub fn marker(&mut self, marker: TimeFlit) {
        match marker {
            TimeFlit::DelayReq { .. } => self.request = Some(marker),
            TimeFlit::DelayResp { .. } => self.response = Some(marker),
            _ => {}
        }
    }

    /// `clear`: nothing is pending any more.
    pub fn clear(&mut self) {
        (self.lows, self.highs) = ([None; MAX_TREES], [None; MAX_TREES]);
        (self.response, self.request) = (None, None);
    }

    /// One core clock with WPER (6.20 ns), the tx lag of a flit taken in it (1/256 ns), and what the link does.
    pub fn clock(&mut self, wper: u32, lag: i32, link: LinkClock) -> Offer {
        if self.hold {
            self.remove_held();
        }
        let Some((tree, beat)) = self.next_beat(wper, lag) else { return Offer::Nothing };
        let offer = match link {
            LinkClock::Takes => Offer::Sent(beat),
            LinkClock::Closed if !self.advance => Offer::Dropped(beat),
            LinkClock::Paces | LinkClock::Closed => Offer::Waiting(beat),
        };
        if matches!(offer, Offer::Sent(_) | Offer::Dropped(_)) {
            self.remove(tree, &beat);
        }
        self.age(self.advance && link == LinkClock::Closed);
        offer
    }

    fn remove_held(&mut self) {
        let held = self.lows.iter().filter(|low| low.is_some()).count()
            + self.highs.iter().filter(|high| high.is_some()).count();
        self.counters.epoch_hold = self.counters.epoch_hold.saturating_add(held as u32);
        (self.lows, self.highs) = ([None; MAX_TREES], [None; MAX_TREES]);
    }

    /// Rule 3: Low by rising tree with its High, DelayResp, DelayReq, High.
    fn next_beat(&self, wper: u32, lag: i32) -> Option<(usize, TimeBeat)> {
        let low = self.lows.iter().enumerate().find_map(|(tree, low)| {
            let Waiting { low, clocks, .. } = (*low)?;
            let value: TimeValue = low.value.offered(clocks, wper, lag);
            Some((
                tree,
                TimeBeat { first: TimeFlit::Low(TimeLow { value, ..low }), second: self.highs[tree] },
            ))
        });
        let marker = || Some((0, TimeBeat { first: self.response.or(self.request)?, second: None }));
        let high = || {
            let tree = self.highs.iter().position(Option::is_some)?;
            Some((tree, TimeBeat { first: TimeFlit::High(self.highs[tree]?), second: None }))
        };
        low.or_else(marker).or_else(high)
    }

    fn remove(&mut self, tree: usize, beat: &TimeBeat) {
        let mut flits = 1 + u32::from(beat.second.is_some());
        match beat.first {
            TimeFlit::Low(_) => (self.lows[tree], self.highs[tree]) = (None, None),
            TimeFlit::High(_) => self.highs[tree] = None,
            TimeFlit::DelayResp { .. } => (self.response, flits) = (None, 0),
            TimeFlit::DelayReq { .. } => (self.request, flits) = (None, 0),
        }
        self.counters.injected = self.counters.injected.saturating_add(flits);
    }

    /// What is still here has waited one more clock.
    fn age(&mut self, held: bool) {
        for place in &mut self.lows {
            let Some(waiting) = place else { continue };
            waiting.clocks += 1;
            if held && !waiting.held {
                waiting.held = true;
                self.counters.advanced = self.counters.advanced.saturating_add(1);
            }
            if waiting.clocks > self.tx_wait_max {
                *place = None;
                self.counters.tx_wait_over = self.counters.tx_wait_over.saturating_add(1);
            }
        }
    }
}
