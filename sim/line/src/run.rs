//! One case from power-on to the last check.

use crate::bench::LineBench;
use crate::bus::Request;
use crate::cable::{Cable, CableLane, LaneFault};
use crate::case::Case;
use crate::facts::Facts;
use crate::failure::{Failure, FailureKind};
use crate::limits::{
    drain_clocks, quiet_clocks, settle_clocks, stable_clocks, LEAST_SHARE, MOST_RETRAININGS,
};
use crate::script::{Action, When};
use crate::watch::Watcher;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link_registers::{counter_offset, ctrl, lanes, LANES};
use flitforge_protocol::ltp::FLITS_PER_LTP;
use flitforge_sim::kit::line::BitNoise;
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;

/// What a case gives.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What went wrong.
    pub failure: Option<Failure>,
    /// Core clocks of end 0.
    pub clocks: u64,
    /// Beats delivered.
    pub delivered: u64,
    /// Beats lost and told of.
    pub lost: u64,
    /// Entries to Retraining of both ends.
    pub retrainings: u64,
    /// The last changes of state, and the steps done.
    pub history: Vec<String>,
}

/// Runs a case.
pub fn run(case: &Case) -> Outcome {
    match Run::new(case) {
        Ok(mut run) => run.outcome(),
        Err(failure) => Outcome { failure: Some(failure), ..Outcome::default() },
    }
}

/// Runs a case and writes the waveform asked for; an error if it cannot be written.
pub fn run_with_waves(case: &Case, waves: &WaveRequest) -> Result<Outcome, SimError> {
    let mut run = match Run::new(case) {
        Ok(run) => run,
        Err(failure) => return Ok(Outcome { failure: Some(failure), ..Outcome::default() }),
    };
    run.bench.write_waves(waves)?;
    let outcome = run.outcome();
    run.bench.finish_waves()?;
    Ok(outcome)
}

struct Run<'a> {
    case: &'a Case,
    bench: LineBench,
    facts: Facts,
    watcher: Watcher,
    lost: u64,
}

impl<'a> Run<'a> {
    fn new(case: &'a Case) -> Result<Self, Failure> {
        Ok(Self {
            case,
            bench: LineBench::new(case.setup, case.seed)?,
            facts: Facts::new(case.setup.phy, case.setup.shape),
            watcher: Watcher::new(&case.setup, case.script.may_go_down),
            lost: 0,
        })
    }

    fn outcome(&mut self) -> Outcome {
        let failure = self.all().err();
        Outcome {
            failure,
            clocks: self.bench.ends[0].clocks,
            delivered: self.received().iter().sum(),
            lost: self.lost,
            retrainings: self.watcher.retrainings.iter().sum(),
            history: self.watcher.history(),
        }
    }

    fn all(&mut self) -> Result<(), Failure> {
        for step in &self.case.script.steps {
            self.wait(step.when)?;
            self.watcher.say(format!("{}: {step}", self.bench.ends[0].clocks));
            self.act(step.action);
        }
        self.settle(false)?;
        if self.facts.is_hurt() {
            for end in 0..2 {
                self.watcher.say(format!("{}: end {end} restored", self.bench.ends[0].clocks));
                self.act(Action::Restore(end));
            }
            self.run_clocks(40)?;
            self.settle(true)?;
        }
        self.drain()
    }

    /// One core clock of end 0.
    fn clock(&mut self) -> Result<(), Failure> {
        self.bench.core_clock()?;
        self.watcher.look(&self.bench)
    }

    fn run_clocks(&mut self, clocks: u64) -> Result<(), Failure> {
        (0..clocks).try_for_each(|_| self.clock())
    }

    fn is_up(&self) -> bool {
        self.bench.ends.iter().all(|end| end.is_up())
    }

    fn wait(&mut self, when: When) -> Result<(), Failure> {
        let (delay, patience) = match when {
            When::After(clocks) => return self.run_clocks(clocks),
            When::In { delay, patience, .. } | When::Up { delay, patience } => (delay, patience),
        };
        for _ in 0..patience {
            let here = match when {
                When::In { end, state, .. } => self.bench.ends[end].is_in(state),
                _ => self.is_up(),
            };
            if here {
                return self.run_clocks(delay);
            }
            self.clock()?;
        }
        Ok(())
    }

    fn act(&mut self, action: Action) {
        let bench = &mut self.bench;
        match action {
            Action::Allow { end, .. } | Action::Retrain { end, .. } | Action::Restore(end)
                if !bench.ends[end].has_registers() =>
            {
                return;
            }
            _ => self.facts.note(action),
        }
        match action {
            Action::Enable(end) => {
                self.watcher.enabled[end] = true;
                bench.ends[end].enable = true;
                self.ask(end, |link| Request::control(link, ctrl::enable::LOW));
            }
            Action::Disable(end) => {
                self.watcher.enabled[end] = false;
                bench.ends[end].enable = false;
                if bench.ends[end].has_registers() {
                    bench.ends[end].bus.ask(Request::disable(0));
                }
            }
            Action::Clear { end, clocks, phy } => {
                bench.ends[end].clearing = [clocks, if phy { clocks } else { 0 }];
                bench.traffic[end].forgive_inside();
                if bench.traffic[end].packets.is_some() {
                    bench.traffic[end].forget_offer();
                }
                bench.traffic[1 - end].forgive_buffers();
            }
            Action::PowerOff(end) => {
                bench.ends[end].powered = false;
                bench.cables[end].iter_mut().for_each(|cable| cable.powered = false);
                bench.traffic[end].forgive_all();
                bench.traffic[end].forget_offer();
                bench.traffic[1 - end].forgive_buffers();
                self.watcher.enabled[end] = false;
                bench.ends[end].reset();
            }
            Action::PowerOn(end) => {
                bench.ends[end].powered = true;
                bench.cables[end].iter_mut().for_each(|cable| cable.powered = true);
                self.act(Action::Enable(end));
            }
            Action::Pull(from) => bench.cables[from].iter_mut().for_each(|cable| cable.plugged = false),
            Action::Plug(from) => bench.cables[from].iter_mut().for_each(|cable| cable.plugged = true),
            Action::Lanes { from, lanes, fault } => self.break_lanes(from, lanes, fault),
            Action::Stick { end, lanes } => bench.ends[end].stuck = lanes,
            Action::Allow { end, link, .. } => {
                let value = self.facts.allowed(end, link) << lanes::allowed::LOW;
                bench.ends[end].bus.ask(Request::write(link, LANES, value));
            }
            Action::Retrain { end, link } => {
                bench.ends[end].bus.ask(Request::control(link, ctrl::retrain::LOW));
            }
            Action::Restore(end) => self.ask(end, |link| Request::control(link, ctrl::restore::LOW)),
            Action::Skew { from, lane, words } => {
                let lanes = self.case.setup.shape.lanes;
                bench.cables[from][lane / lanes].skew(lane % lanes, words);
            }
            Action::Noise { from, lanes, per_1e9, burst } => {
                let rate = f64::from(per_1e9) * 1e-9;
                for (_, lane) in lanes_of(&mut bench.cables[from], lanes) {
                    lane.noise = BitNoise::new(rate, burst, &mut bench.random);
                }
            }
        }
    }

    /// The same request to all links of an end that has registers.
    fn ask(&mut self, end: usize, request: impl Fn(usize) -> Request) {
        let links = self.case.setup.shape.links;
        let end = &mut self.bench.ends[end];
        if end.has_registers() {
            (0..links).for_each(|link| end.bus.ask(request(link)));
        }
    }

    fn break_lanes(&mut self, from: usize, mask: u64, fault: LaneFault) {
        lanes_of(&mut self.bench.cables[from], mask).for_each(|(_, lane)| lane.fault = fault);
    }

    /// The link is up at the width that the lanes allow, and stays so.
    fn settle(&mut self, restored: bool) -> Result<(), Failure> {
        let limit = settle_clocks(&self.case.setup);
        let (mut used, mut stable) = (0, 0);
        let retrainings = self.watcher.retrainings;
        let mut received = [0; 2];
        let mut changes = self.watcher.changes;
        while stable < self.stable_clocks() {
            self.clock()?;
            used += u64::from(!self.watcher.is_in_init());
            let width = self.width(restored);
            let good = self.is_up() && width.is_ok();
            if !good || self.watcher.changes != changes {
                changes = self.watcher.changes;
                stable = 0;
                received = self.received();
            } else {
                stable += 1;
            }
            let again = |end: usize| self.watcher.retrainings[end] - retrainings[end];
            if again(0).max(again(1)) > MOST_RETRAININGS {
                let text =
                    format!("{} and {} Retrainings without a fault: {}", again(0), again(1), self.states());
                return Err(Failure::new(FailureKind::Flaps, text));
            }
            if used > limit {
                let states = self.states();
                return Err(match width {
                    Err(text) if self.is_up() => Failure::new(FailureKind::Width, text),
                    _ if self.is_up() => Failure::new(
                        FailureKind::Flaps,
                        format!("not {} clocks in peace: {states}", self.stable_clocks()),
                    ),
                    _ => Failure::new(FailureKind::NotUp, format!("not up after {limit} clocks: {states}")),
                });
            }
        }
        self.carries(received, stable)?;
        self.wires()
    }

    /// Core clocks in which it has to stay up, by the narrowest direction of any link.
    fn stable_clocks(&self) -> u64 {
        let lanes = [0, 1].map(|from| self.narrowest(from));
        stable_clocks(&self.case.setup, lanes[0].min(lanes[1]))
    }

    /// Lanes of the link with the fewest, in the direction from an end: a bond is as fast as all of its links are like that one.
    fn narrowest(&self, from: usize) -> u32 {
        let (shape, mask) = (self.case.setup.shape, self.bench.ends[from].masks[0]);
        (0..shape.links).map(|link| (mask & shape.mask(link)).count_ones()).min().unwrap_or(0)
    }

    /// Lanes in use come in where LANES says, and as they were sent (chapter 10, 4.6, 1).
    fn wires(&mut self) -> Result<(), Failure> {
        let shape = self.case.setup.shape;
        for (end, link) in (0..2).flat_map(|end| (0..shape.links).map(move |link| (end, link))) {
            let wires = self.case.setup.wires[1 - end][link];
            let used = self.bench.ends[end].masks[1] >> (link * shape.lanes);
            let inverted = self.bench.ends[end].inverts(link);
            let map = match self.bench.ends[end].has_registers() {
                true => lanes::rx_map::FIELD.get(self.read(end, link, LANES)?.into()),
                false => 0,
            };
            for lane in (0..shape.lanes).filter(|lane| used >> lane & 1 == 1) {
                let place = wires.to(lane);
                let said = map >> (2 * lane) & 3;
                let is_right = !self.bench.ends[end].has_registers() || said == place as u64;
                if !is_right || (inverted >> place & 1 == 1) != wires.is_turned(lane) {
                    let text = format!(
                        "end {end}, link {link}: lane {lane} comes in on {said}, lanes {inverted:04b} are inverted; {wires}: {}",
                        self.states()
                    );
                    return Err(Failure::new(FailureKind::Wires, text));
                }
            }
        }
        Ok(())
    }

    fn received(&self) -> [u64; 2] {
        [0, 1].map(|from| self.bench.traffic[from].arrived())
    }

    /// Enough has come in the stable time.
    fn carries(&self, before: [u64; 2], clocks: u64) -> Result<(), Failure> {
        for (from, (now, before)) in self.received().into_iter().zip(before).enumerate() {
            let (shape, lanes) = (self.case.setup.shape, self.narrowest(from));
            let beats = FLITS_PER_LTP as f64 / shape.flits as f64;
            let rate =
                (beats / self.case.setup.ltp_clocks(lanes)).min(1.0).min(self.bench.traffic[from].pace);
            // Packets wait for credits: one has to come.
            let is_beats = self.bench.traffic[from].packets.is_none();
            // Beats come an LTP at a time, and one may not be there yet: on one lane the time has no more than ten.
            let least = rate * clocks as f64 / LEAST_SHARE - beats;
            let least = if is_beats { least.max(1.0) as u64 } else { 1 };
            if now - before < least {
                let text = format!(
                    "{} beats from end {from} in {clocks} clocks on {lanes} lanes; at least {least} expected: {}",
                    now - before,
                    self.states()
                );
                return Err(Failure::new(FailureKind::Stopped, text));
            }
        }
        Ok(())
    }

    /// Both directions use the lanes they have to use.
    fn width(&self, restored: bool) -> Result<(), String> {
        for from in 0..2 {
            let (sent, came) = (self.bench.ends[from].masks[0], self.bench.ends[1 - from].masks[1]);
            let (must, may) = self.facts.lanes(from, restored);
            let shape = self.case.setup.shape;
            let none = (0..shape.links).any(|link| sent & shape.mask(link) == 0);
            let least = self.facts.least_width(from, restored);
            if sent != came || sent & !may != 0 || must & !sent != 0 || none || sent.count_ones() < least {
                return Err(format!(
                    "from end {from} lanes {sent:04b} are sent on and {came:04b} received on; \
                     expected are {must:04b} and no others than {may:04b}, {least} at least{}",
                    if restored { ", after CTRL.restore" } else { "" }
                ));
            }
        }
        Ok(())
    }

    fn states(&self) -> String {
        let end = |end: usize| {
            let end = &self.bench.ends[end];
            let states: Vec<_> =
                end.states.iter().take(self.case.setup.shape.links).map(|state| state.name()).collect();
            format!("{} ({:04b} out, {:04b} in)", states.join("/"), end.masks[0], end.masks[1])
        };
        format!("end 0 in {}, end 1 in {}", end(0), end(1))
    }

    /// Nothing is offered any more: what does not come is lost, and the sender says so.
    fn drain(&mut self) -> Result<(), Failure> {
        self.bench.traffic.iter_mut().for_each(|traffic| traffic.pace = 0.0);
        let (mut quiet, mut before) = (0, [0; 2]);
        for _ in 0..drain_clocks(&self.case.setup) {
            self.clock()?;
            let now = self.received();
            quiet = if now == before { quiet + 1 } else { 0 };
            before = now;
            let inside =
                self.bench.traffic.iter().any(|traffic| traffic.is_offering() || traffic.outstanding() > 0);
            if quiet >= quiet_clocks(&self.case.setup) || !inside && quiet >= 64 {
                break;
            }
        }
        for end in 0..2 {
            let told = self.lost_ltps(end)?;
            let traffic = &self.bench.traffic[end];
            let (lost, forgiven) = (traffic.lost(), traffic.forgiven);
            self.lost += lost;
            let beats = told * FLITS_PER_LTP as u64 / self.case.setup.shape.flits as u64;
            let downs = self.watcher.downs;
            let most =
                traffic.packets.as_ref().map_or(beats, |packets| packets.most_lost(told, downs)) + forgiven;
            if lost > most {
                let text = format!(
                    "{lost} beats of end {end} are lost ({} of them at the end); LOST_ON_RESET says {told} LTPs, {forgiven} beats are forgiven: {}",
                    traffic.outstanding(),
                    self.states()
                );
                return Err(Failure::new(FailureKind::Lost, text));
            }
        }
        Ok(())
    }

    /// LTPs that an end says are lost, over all links.
    fn lost_ltps(&mut self, end: usize) -> Result<u64, Failure> {
        if !self.bench.ends[end].has_registers() {
            return Ok(self.bench.ends[end].lost);
        }
        let mut sum = 0;
        for link in 0..self.case.setup.shape.links {
            sum += self.read(end, link, counter_offset(LinkCounter::LostOnReset))?;
        }
        Ok(sum)
    }

    fn read(&mut self, end: usize, link: usize, offset: u32) -> Result<u64, Failure> {
        self.bench.ends[end].bus.answers.clear();
        self.bench.ends[end].bus.ask(Request::read(link, offset));
        for _ in 0..1_000 {
            self.clock()?;
            if let Some(answer) = self.bench.ends[end].bus.answers.pop_front() {
                return Ok(answer);
            }
        }
        Err(Failure::new(FailureKind::Bus, format!("end {end} does not answer a read of {offset:#x}")))
    }
}

/// The lanes of a mask over all links, with their numbers.
fn lanes_of(cables: &mut [Cable], mask: u64) -> impl Iterator<Item = (usize, &mut CableLane)> {
    let lanes = cables.iter_mut().flat_map(|cable| &mut cable.lanes).enumerate();
    lanes.filter(move |(lane, _)| mask >> lane & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::Example;
    use crate::phy::Phy;
    use crate::wires::Wires;
    use crate::Event;
    use flitforge_sim::kit::{rng, seed};

    #[test]
    fn wires_that_are_not_those_of_the_case_are_noticed() {
        let case = Example::straight(0, 0, Phy::Ecp5, Event::Retrain, 4, 2_000_000).case();
        let mut random = rng(seed(0x3174), "wires");
        let wires = std::iter::repeat_with(|| Wires::draw(Phy::Ecp5, 4, &mut random));
        for wires in wires.filter(|wires| *wires != Wires::STRAIGHT).take(4) {
            let mut run = Run::new(&case).expect("a bench");
            run.bench.cables[1][0].wires = wires;
            let failure = run.outcome().failure.expect("a failure");
            assert_eq!(failure.kind, FailureKind::Wires, "{wires}: {failure}");
        }
    }
}
