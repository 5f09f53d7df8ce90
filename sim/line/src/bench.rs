//! The bench: two ends, two cables, and the clocks of all in their order.

use crate::cable::Cable;
use crate::end::{Around, End};
use crate::failure::Failure;
use crate::packets::Packets;
use crate::phy::{Phy, PhyProgram};
use crate::port::{vls, PortProgram, LINK_LANES, MAX_LINKS};
use crate::setup::{Setup, CORE_PERIOD};
use crate::traffic::Traffic;
use crate::wave::LineWaves;
use flitforge_sim::kit::line::LineClock;
use flitforge_sim::kit::{rng, Rng};
use flitforge_sim::waves::WaveRequest;
use flitforge_sim::SimError;
use rand::Rng as _;
use std::path::PathBuf;

/// Clocks: core of both ends, senders of both ends, receivers of both ends by link and lane.
const CLOCKS: usize = 4 + 2 * MAX_LINKS * LINK_LANES;
/// A clock that does not run.
const NEVER: u64 = u64::MAX;
/// GUIDs of the ends.
pub(crate) const GUIDS: [u64; 2] = [0x1122_3344_5566_7788, 0x99AA_BBCC_DDEE_FF00];

/// Two ends and what lies between them.
pub struct LineBench {
    /// What it is made of.
    pub setup: Setup,
    /// The ends.
    pub ends: [End; 2],
    /// Cables, from end 0 and from end 1, by link.
    pub cables: [Vec<Cable>; 2],
    /// Beats of both ends.
    pub traffic: [Traffic; 2],
    /// Everything random.
    pub random: Rng,
    /// Time in femtoseconds.
    pub now: u64,
    clocks: [LineClock; 4],
    next: [u64; CLOCKS],
    /// Clocks there are: those of the second link last.
    count: usize,
    /// What is written meanwhile.
    waves: Option<LineWaves>,
}

impl LineBench {
    /// Both ends after power-on, with traffic, not enabled.
    pub fn new(setup: Setup, seed: u64) -> Result<Self, Failure> {
        let port = |end: usize| PortProgram::new(setup.kinds[end], setup.shape, GUIDS[end]);
        Self::of_ports(setup, [port(0)?, port(1)?], seed)
    }

    /// The same with ports that are built already.
    pub fn of_ports(setup: Setup, ports: [PortProgram; 2], seed: u64) -> Result<Self, Failure> {
        let mut random = rng(seed, "line bench");
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
        let cable = |end: usize, link: usize| {
            Cable::new(setup.phy, setup.shape.lanes, setup.wires[end][link], setup.late[end], notice)
        };
        let cables_of = |end: usize| (0..setup.shape.links).map(|link| cable(end, link)).collect::<Vec<_>>();
        let mut cables = [cables_of(0), cables_of(1)];
        for lane in cables.iter_mut().flatten().flat_map(|cable| &mut cable.lanes) {
            lane.phase = random.random_range(0..line.max(2) * 9 / 10);
        }
        let mut next = [NEVER; CLOCKS];
        let running = if setup.phy == Phy::Loop { 2 } else { 4 };
        for (to, clock) in next.iter_mut().zip(&clocks).take(running) {
            *to = clock.next();
        }
        let flits = setup.shape.beat_flits();
        let mut traffic = [Traffic::new(0, flits), Traffic::new(1, flits)];
        for (traffic, pace) in traffic.iter_mut().zip(setup.pace) {
            traffic.pace = pace;
        }
        if setup.kinds[0].takes_packets() {
            let vls = vls(setup.kinds[0], &setup.shape);
            for (end, traffic) in traffic.iter_mut().enumerate() {
                traffic.packets = Some(Packets::new(end, setup.shape.links, flits, vls));
            }
        }
        let ends = [End::new(&ports[0], &phy), End::new(&ports[1], &phy)];
        let count = 4 + 2 * setup.shape.links * LINK_LANES;
        Ok(Self { setup, ends, cables, traffic, random, now: 0, clocks, next, count, waves: None })
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
        for (number, time) in self.next[..self.count].iter().enumerate() {
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
                let (place, lane) = ((which - 4) / LINK_LANES, (which - 4) % LINK_LANES);
                let (link, end) = (place / 2, place % 2);
                self.ends[end].receive(link, lane, &mut self.cables[1 - end][link], &mut self.random);
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
        let look = self.ends[end].core(&mut around);
        if let Some(waves) = &mut self.waves {
            waves.edge(end, &self.ends[end], &self.cables[end], self.now);
        }
        look
    }

    /// From now on a waveform is written, if one is asked for.
    pub fn write_waves(&mut self, request: &WaveRequest) -> Result<(), SimError> {
        let probes = self.ends.each_ref().map(End::new_probe);
        self.waves = LineWaves::new(request, &self.setup, &probes)?;
        if self.waves.is_some() {
            self.ends.iter_mut().zip(probes).for_each(|(end, probe)| end.probe = Some(probe));
        }
        Ok(())
    }

    /// Ends the waveform; its file.
    pub fn finish_waves(&mut self) -> Result<Option<PathBuf>, SimError> {
        self.waves.take().map(LineWaves::finish).transpose()
    }

    /// A clock of the cells that send: the peer's cells follow it.
    fn send(&mut self, end: usize) {
        if !self.ends[end].powered {
            return;
        }
        self.ends[end].send(&mut self.cables[end]);
        for link in 0..self.setup.shape.links {
            match self.setup.phy {
                Phy::Lvds => self.follow_pairs(end, link),
                _ => self.follow_lanes(end, link),
            }
        }
    }

    fn follow_pairs(&mut self, end: usize, link: usize) {
        let peer = 1 - end;
        let runs = self.ends[peer].powered;
        let cable = &mut self.cables[end][link];
        if cable.carries() && runs {
            (0..cable.lanes.len()).for_each(|lane| cable.expect(lane));
            self.wake(peer, link, 0);
        } else {
            (0..cable.lanes.len()).for_each(|lane| cable.drop_bits(lane));
            cable.pop_frame();
        }
    }

    fn follow_lanes(&mut self, end: usize, link: usize) {
        let peer = 1 - end;
        let runs = self.ends[peer].powered;
        for lane in 0..self.setup.shape.lanes {
            let cable = &mut self.cables[end][link];
            let place = cable.wires.to(lane);
            if cable.follows(lane) && runs {
                cable.expect(lane);
                self.wake(peer, link, place);
            } else {
                cable.drop_bits(lane);
            }
            // A cell without a signal runs by its own reference.
            let back = &self.cables[peer][link];
            if !back.follows(back.wires.from(lane)) {
                self.wake(end, link, lane);
            }
        }
    }

    /// The cell of lane `lane` of the receiver's, of a link at `end`, has its edge a phase after now.
    fn wake(&mut self, end: usize, link: usize, lane: usize) {
        let time = &mut self.next[4 + LINK_LANES * (2 * link + end) + lane];
        if *time == NEVER {
            let cable = &self.cables[1 - end][link];
            *time = self.now + cable.lanes[cable.wires.from(lane)].phase;
        }
    }
}
