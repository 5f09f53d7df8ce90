//! The bench: two ends, two cables, and the clocks of all in their order.

use crate::cable::Cable;
use crate::end::{Around, End};
use crate::failure::Failure;
use crate::phy::{Phy, PhyProgram};
use crate::port::PortProgram;
use crate::setup::{Setup, CORE_PERIOD};
use crate::traffic::Traffic;
use flitforge_sim::kit::line::LineClock;
use flitforge_sim::kit::{rng, Rng};
use rand::Rng as _;

/// Most lanes of an end.
const MAX_LANES: usize = 4;
/// Clocks: core of both ends, senders of both ends, receivers of both ends by lane.
const CLOCKS: usize = 4 + 2 * MAX_LANES;
/// A clock that does not run.
const NEVER: u64 = u64::MAX;
/// GUIDs of the ends.
const GUIDS: [u64; 2] = [0x1122_3344_5566_7788, 0x99AA_BBCC_DDEE_FF00];

/// Two ends and what lies between them.
pub struct LineBench {
    /// What it is made of.
    pub setup: Setup,
    /// The ends.
    pub ends: [End; 2],
    /// Cables, from end 0 and from end 1.
    pub cables: [Cable; 2],
    /// Beats of both ends.
    pub traffic: [Traffic; 2],
    /// Everything random.
    pub random: Rng,
    /// Time in femtoseconds.
    pub now: u64,
    clocks: [LineClock; 4],
    next: [u64; CLOCKS],
}

impl LineBench {
    /// Both ends behind power-on, with traffic, not enabled.
    pub fn new(setup: Setup, seed: u64) -> Result<Self, Failure> {
        let mut random = rng(seed, "line bench");
        let ports = [PortProgram::new(setup.shape, GUIDS[0])?, PortProgram::new(setup.shape, GUIDS[1])?];
        let phy = PhyProgram::new(setup.phy, setup.shape.lanes)?;
        let clock = |end: usize, period: u64, phase: u64| {
            LineClock::new(period, setup.offsets[end], phase).wandering(setup.wander)
        };
        let line = setup.line_period();
        let mut phase = |period: u64| match setup.phy {
            Phy::Loop => 0,
            _ => random.random_range(0..period),
        };
        let clocks = [
            clock(0, CORE_PERIOD, phase(CORE_PERIOD)),
            clock(1, CORE_PERIOD, phase(CORE_PERIOD)),
            clock(0, line, phase(line)),
            clock(1, line, phase(line)),
        ];
        let notice = setup.notice * CORE_PERIOD;
        let cable = |end: usize| Cable::new(setup.phy, setup.shape.lanes, setup.late[end], notice);
        let mut cables = [cable(0), cable(1)];
        for lane in cables.iter_mut().flat_map(|cable| &mut cable.lanes) {
            lane.phase = random.random_range(0..line.max(2) * 9 / 10);
        }
        let mut next = [NEVER; CLOCKS];
        let running = if setup.phy == Phy::Loop { 2 } else { 4 };
        for (to, clock) in next.iter_mut().zip(&clocks).take(running) {
            *to = clock.next();
        }
        let flits = setup.shape.flits;
        let mut traffic = [Traffic::new(0, flits), Traffic::new(1, flits)];
        for (traffic, pace) in traffic.iter_mut().zip(setup.pace) {
            traffic.pace = pace;
        }
        let ends = [End::new(&ports[0], &phy), End::new(&ports[1], &phy)];
        Ok(Self { setup, ends, cables, traffic, random, now: 0, clocks, next })
    }

    /// Everything up to and with the next core clock of end 0.
    pub fn core_clock(&mut self) -> Result<(), Failure> {
        loop {
            if self.edge()? == 0 {
                return Ok(());
            }
        }
    }

    /// The next edge of any clock; its number.
    fn edge(&mut self) -> Result<usize, Failure> {
        let mut which = 0;
        for (number, time) in self.next.iter().enumerate() {
            if *time < self.next[which] {
                which = number;
            }
        }
        self.now = self.next[which];
        match which {
            0 | 1 => {
                self.tick(which);
                self.core(which)?;
            }
            2 | 3 => {
                self.tick(which);
                self.send(which - 2);
            }
            _ => {
                self.next[which] = NEVER;
                let (end, lane) = ((which - 4) / MAX_LANES, (which - 4) % MAX_LANES);
                self.ends[end].receive(lane, &mut self.cables[1 - end], &mut self.random);
            }
        }
        Ok(which)
    }

    fn tick(&mut self, which: usize) {
        self.clocks[which].tick(&mut self.random);
        self.next[which] = self.clocks[which].next();
    }

    fn core(&mut self, end: usize) -> Result<(), Failure> {
        let [zero, one] = &mut self.cables;
        let [from_zero, from_one] = &mut self.traffic;
        let (cables, traffic) = match end {
            0 => ([zero, one], [from_zero, from_one]),
            _ => ([one, zero], [from_one, from_zero]),
        };
        let mut around = Around { cables, traffic, now: self.now, random: &mut self.random };
        self.ends[end].core(&mut around)
    }

    /// A clock of the cells that send: the peer's cells follow it.
    fn send(&mut self, end: usize) {
        let lanes = self.setup.shape.lanes;
        if self.ends[end].powered {
            self.ends[end].send(&mut self.cables[end]);
            self.follow(end);
        }
        // A cell without a signal runs by its own reference.
        if self.setup.phy == Phy::Ecp5 && self.ends[end].powered {
            for lane in 0..lanes {
                if !self.cables[1 - end].follows(lane) {
                    self.wake(end, lane);
                }
            }
        }
    }

    fn follow(&mut self, end: usize) {
        let peer = 1 - end;
        let runs = self.ends[peer].powered;
        if self.setup.phy == Phy::Lvds {
            if self.cables[end].carries() && runs {
                (0..self.setup.shape.lanes).for_each(|lane| self.cables[end].expect(lane));
                self.wake(peer, 0);
            } else {
                (0..self.setup.shape.lanes).for_each(|lane| self.cables[end].drop_bits(lane));
                self.cables[end].pop_frame();
            }
            return;
        }
        for lane in 0..self.setup.shape.lanes {
            if self.cables[end].follows(lane) && runs {
                self.cables[end].expect(lane);
                self.wake(peer, lane);
            } else {
                self.cables[end].drop_bits(lane);
            }
        }
    }

    /// The cell that receives lane `lane` at `end` has its edge a phase behind now.
    fn wake(&mut self, end: usize, lane: usize) {
        let time = &mut self.next[4 + MAX_LANES * end + lane];
        if *time == NEVER {
            *time = self.now + self.cables[1 - end].lanes[lane].phase;
        }
    }
}
