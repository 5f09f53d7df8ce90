//! The states of both ends: how long each takes, and what changes.

use crate::bench::LineBench;
use crate::failure::{Failure, FailureKind};
use crate::limits::{agree_clocks, init_clocks, DOWN_CLOCKS, GONE_CLOCKS};
use crate::port::MAX_LINKS;
use crate::setup::Setup;
use flitforge_protocol::link::LinkState;
use std::collections::VecDeque;

/// Lines of history that are kept.
const HISTORY: usize = 400;
/// Watches the states.
pub struct Watcher {
    /// CTRL.enable of both ends.
    pub enabled: [bool; 2],
    /// Entries to Retraining.
    pub retrainings: [u64; 2],
    /// Entries to Down, of any link.
    pub downs: u64,
    /// Changes of state of any end.
    pub changes: u64,
    /// By end and link.
    states: [[LinkState; MAX_LINKS]; 2],
    since: [[u64; MAX_LINKS]; 2],
    /// Core clocks in a row in which a link should have left its state.
    overdue: [[u64; MAX_LINKS]; 2],
    /// Was Active.
    was_up: [[bool; MAX_LINKS]; 2],
    /// Was Active since it was Down: its numbers stand.
    has_numbers: [[bool; MAX_LINKS]; 2],
    /// Core clock up to which a bond may go Down, since the numbers of one of its links begin afresh.
    may_fall_until: u64,
    may_go_down: bool,
    setup: Setup,
    lines: VecDeque<String>,
}

impl Watcher {
    /// Both ends are Down.
    pub fn new(setup: &Setup, may_go_down: bool) -> Self {
        Self {
            enabled: [false; 2],
            retrainings: [0; 2],
            downs: 0,
            changes: 0,
            states: [[LinkState::Down; MAX_LINKS]; 2],
            since: [[0; MAX_LINKS]; 2],
            overdue: [[0; MAX_LINKS]; 2],
            was_up: [[false; MAX_LINKS]; 2],
            has_numbers: [[false; MAX_LINKS]; 2],
            may_fall_until: 0,
            may_go_down,
            setup: *setup,
            lines: VecDeque::new(),
        }
    }

    /// A line of the history.
    pub fn say(&mut self, line: String) {
        if self.lines.len() == HISTORY {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    /// The last lines.
    pub fn history(&self) -> Vec<String> {
        self.lines.iter().cloned().collect()
    }

    /// After a core clock of end 0.
    pub fn look(&mut self, bench: &LineBench) -> Result<(), Failure> {
        let now = bench.ends[0].clocks;
        let links = self.setup.shape.links;
        for (end, link) in (0..2).flat_map(|end| (0..links).map(move |link| (end, link))) {
            let state = bench.ends[end].states[link];
            if state != self.states[end][link] {
                self.change(end, link, bench)?;
                self.since[end][link] = now;
            }
            self.dwell(end, link, bench)?;
        }
        Ok(())
    }

    fn change(&mut self, end: usize, link: usize, bench: &LineBench) -> Result<(), Failure> {
        let [out, back] = bench.ends[end].masks;
        let state = bench.ends[end].states[link];
        let (now, from) = (bench.ends[0].clocks, self.states[end][link]);
        let name = if self.setup.shape.links > 1 { format!("{end}, link {link}:") } else { end.to_string() };
        let line = format!("{now}: end {name} {} -> {} ({out:04b}/{back:04b})", from.name(), state.name());
        self.say(line);
        self.changes += 1;
        self.states[end][link] = state;
        self.retrainings[end] += u64::from(state == LinkState::Retraining);
        self.downs += u64::from(state == LinkState::Down);
        self.note_numbers(end, link, now);
        let may_fall = self.may_go_down || now <= self.may_fall_until;
        if state == LinkState::Down && self.was_up[end][link] && !may_fall && self.enabled[end] {
            let text = format!(
                "end {name} went from {} to Down at clock {now}, though lanes were left in both directions",
                from.name()
            );
            return Err(Failure::new(FailureKind::WentDown, text));
        }
        Ok(())
    }

    /// A link of a bond that was Active, and whose peer was not since it was Down, begins afresh in Init: so the bond goes Down
    /// (chapter 10, 4.8).
    fn note_numbers(&mut self, end: usize, link: usize, now: u64) {
        let has_peer_numbers = self.has_numbers[1 - end][link];
        let (has_numbers, state) = (&mut self.has_numbers[end][link], self.states[end][link]);
        match state {
            LinkState::Active | LinkState::Degraded => {
                *has_numbers = true;
                self.was_up[end][link] = true;
            }
            LinkState::Down => *has_numbers = false,
            LinkState::Init if self.setup.shape.links > 1 && *has_numbers != has_peer_numbers => {
                self.may_fall_until = now + GONE_CLOCKS;
            }
            _ => {}
        }
    }

    /// A state does not last longer than chapter 10, 4.6 says.
    fn dwell(&mut self, end: usize, link: usize, bench: &LineBench) -> Result<(), Failure> {
        let state = self.states[end][link];
        let inside = bench.ends[0].clocks - self.since[end][link];
        let limit = match state {
            LinkState::Training | LinkState::Retraining => agree_clocks(),
            LinkState::Init => {
                let lanes = (bench.ends[end].masks[0] & self.setup.shape.mask(link)).count_ones();
                init_clocks(&self.setup, lanes)
            }
            _ => u64::MAX,
        };
        let (is_overdue, within) = self.overdue(end, link, bench);
        let overdue = &mut self.overdue[end][link];
        *overdue = if is_overdue { *overdue + 1 } else { 0 };
        if inside <= limit && *overdue <= within {
            return Ok(());
        }
        let text = if inside > limit {
            format!("end {end} is in {} for {inside} clocks; its limit is {limit}", state.name())
        } else {
            let peer = self.states[1 - end][link].name();
            format!("end {end} is still in {} {within} clocks after what should have ended it; the peer is in {peer}", state.name())
        };
        Err(Failure::new(FailureKind::State, text))
    }

    /// An end ought to leave its state, and within so many clocks.
    fn overdue(&self, end: usize, link: usize, bench: &LineBench) -> (bool, u64) {
        let (here, peer) = (&bench.ends[end], &bench.ends[1 - end]);
        match self.states[end][link] {
            LinkState::Down => {
                let may_rise =
                    here.powered && self.enabled[end] && here.bus.is_idle() && here.clearing == [0; 2];
                (may_rise, DOWN_CLOCKS)
            }
            LinkState::Active | LinkState::Degraded => {
                let silent = !bench.cables[1 - end][link].carries();
                (silent || peer.states[link] == LinkState::Down, GONE_CLOCKS)
            }
            _ => (false, u64::MAX),
        }
    }

    /// An end is in Init, whose limits are longer than all others.
    pub fn is_in_init(&self) -> bool {
        self.states.iter().flatten().any(|state| *state == LinkState::Init)
    }
}
