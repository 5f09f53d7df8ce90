//! One end of a link: a port, its PHYs, its traffic and its register bus, in one core clock.

use crate::bus::Bus;
use crate::cable::Cable;
use crate::failure::{Failure, FailureKind};
use crate::packets::Packets;
use crate::phy::{Phy, PhyProgram};
use crate::port::{PortProgram, MAX_LINKS};
use crate::probe::Probe;
use crate::traffic::Traffic;
use flitforge_protocol::link::LinkState;
use flitforge_sim::compiled::Instance;
use flitforge_sim::kit::Rng;
use rand::Rng as _;

/// What of an end's surroundings a core clock needs.
pub struct Around<'a> {
    /// By link: what leaves it, and what comes to it.
    pub cables: [&'a mut Vec<Cable>; 2],
    /// Beats from it, and beats to it.
    pub traffic: [&'a mut Traffic; 2],
    /// Time in femtoseconds.
    pub now: u64,
    /// Everything random.
    pub random: &'a mut Rng,
}

/// One end.
pub struct End {
    /// The port.
    pub port: Instance,
    /// The PHY of each link.
    pub phys: Vec<Instance>,
    port_program: PortProgram,
    phy_program: PhyProgram,
    /// The master of its registers.
    pub bus: Bus,
    /// In place of CTRL.enable, where there are no registers.
    pub enable: bool,
    /// It has power.
    pub powered: bool,
    /// Core clocks of `clear` that are left for the port and for the PHYs.
    pub clearing: [u32; 2],
    /// Lanes whose PHY takes no words.
    pub stuck: u64,
    /// Core clocks.
    pub clocks: u64,
    /// State of each link in the last clock.
    pub states: [LinkState; MAX_LINKS],
    /// All links together carry beats.
    pub up: bool,
    /// Lanes sent on and received on in the last clock, of all links.
    pub masks: [u64; 2],
    /// LTPs lost by restarts, where there are no registers.
    pub lost: u64,
    /// Pulses of the PHYs' `elastic_error`.
    pub elastic_errors: u64,
    /// For a waveform.
    pub probe: Option<Probe>,
}

impl End {
    /// An end after power-on.
    pub fn new(port: &PortProgram, phy: &PhyProgram) -> Self {
        Self {
            port: port.program.instance(),
            phys: (0..port.shape.links).map(|_| phy.program.instance()).collect(),
            port_program: port.clone(),
            phy_program: phy.clone(),
            bus: Bus::default(),
            enable: false,
            powered: true,
            clearing: [0; 2],
            stuck: 0,
            clocks: 0,
            states: [LinkState::Down; MAX_LINKS],
            up: false,
            masks: [0; 2],
            lost: 0,
            elastic_errors: 0,
            probe: None,
        }
    }

    /// As after power-on.
    pub fn reset(&mut self) {
        let fresh = Self::new(&self.port_program, &self.phy_program);
        let kept = (self.powered, self.stuck, self.clocks, self.lost, self.elastic_errors);
        let probe = self.probe.take();
        *self = Self { probe, ..fresh };
        (self.powered, self.stuck, self.clocks, self.lost, self.elastic_errors) = kept;
    }

    /// What reads its ports for a waveform.
    pub fn new_probe(&self) -> Probe {
        Probe::new(&self.port_program)
    }

    /// It has a register bus.
    pub fn has_registers(&self) -> bool {
        self.port_program.handles.bus.is_some()
    }

    /// It carries traffic.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// Lanes of a link, by its own numbers, that it orders its PHY to invert.
    pub fn inverts(&mut self, link: usize) -> u64 {
        self.port.get(self.port_program.handles.links[link].orders[0])
    }

    /// A link is in this state.
    pub fn is_in(&self, state: LinkState) -> bool {
        self.states[..self.phys.len()].contains(&state)
    }

    /// One core clock.
    pub fn core(&mut self, around: &mut Around<'_>) -> Result<(), Failure> {
        self.clocks += 1;
        if !self.powered {
            self.silence(around);
            return Ok(());
        }
        let is_cleared = self.clearing[0] > 0;
        self.clear();
        // First what the port gives, for `ready` of a PHY may follow from it in the same clock.
        self.tell_phys();
        self.hear_phys(around);
        self.offer(around);
        let look = self.look(around, is_cleared);
        if is_cleared {
            self.bus.cleared();
        }
        if let Some(probe) = &mut self.probe {
            probe.sample(&mut self.port);
        }
        self.port.step(self.port_program.clock);
        self.phys.iter_mut().for_each(|phy| phy.step(self.phy_program.core));
        self.bus.rest(&mut self.port, &self.port_program.handles);
        look
    }

    /// Without power nothing leaves.
    fn silence(&mut self, around: &mut Around<'_>) {
        if self.phy_program.phy == Phy::Loop {
            for cable in around.cables[0].iter_mut() {
                (0..cable.lanes.len()).for_each(|lane| cable.word(lane, None, around.random));
            }
        }
    }

    fn clear(&mut self) {
        let [port, phy] = self.clearing;
        self.port.set(self.port_program.handles.clear, u64::from(port > 0));
        for instance in &mut self.phys {
            instance.set(self.phy_program.handles.clear, u64::from(phy > 0));
        }
        self.clearing = [port.saturating_sub(1), phy.saturating_sub(1)];
    }

    /// What the PHYs say and give, to the port.
    fn hear_phys(&mut self, around: &mut Around<'_>) {
        let (port, phy) = (self.port_program.handles.clone(), self.phy_program.handles.clone());
        let lanes = phy.lanes.len();
        let mut errors = 0;
        for (link, instance) in self.phys.iter_mut().enumerate() {
            let [out, back] = &mut around.cables;
            let (out, back) = (&mut out[link], &mut back[link]);
            for (lane, from) in phy.lanes.iter().enumerate() {
                let to = &port.lanes[link * lanes + lane];
                let ready = instance.get(from.tx[2]) & !(self.stuck >> (link * lanes + lane)) & 1;
                self.port.set(to.tx[2], ready);
                let mut word = (instance.get(from.rx[0]) == 1).then(|| instance.get(from.rx[1]));
                if phy.told.is_none() {
                    // The cable lies behind the loop.
                    out.word(lane, word, around.random);
                    word = back.take_word(lane);
                }
                self.port.set(to.rx[0], u64::from(word.is_some()));
                if let Some(word) = word {
                    self.port.set(to.rx[1], word);
                }
            }
            let signals = back.signals(around.now, around.random);
            let told = match phy.told {
                Some(told) => told.map(|handle| instance.get(handle)),
                None => [signals, signals, 0],
            };
            for (handle, value) in port.links[link].told.into_iter().zip(told) {
                self.port.set(handle, value);
            }
            errors |= told[2] << link;
            if let Some(line_ok) = phy.line_ok {
                instance.set(line_ok, signals);
            }
        }
        self.port.set(port.elastic_error, errors);
        self.elastic_errors += u64::from(errors.count_ones());
    }

    fn offer(&mut self, around: &mut Around<'_>) {
        let handles = &self.port_program.handles;
        let traffic = &mut around.traffic[0];
        if let Some([valid, data, _]) = handles.flits_in {
            if !traffic.offered && traffic.pace > 0.0 {
                traffic.offered = traffic.pace >= 1.0 || around.random.random_bool(traffic.pace);
                if traffic.offered {
                    self.port.set_words(data, &traffic.beat);
                }
            }
            self.port.set(valid, u64::from(traffic.offered));
        }
        let pace = traffic.pace;
        if let Some(packets) = &mut traffic.packets {
            packets.offer(&mut self.port, &handles.packets, pace, around.random);
            Packets::ready(&mut self.port, &handles.packets);
        }
        if let Some(enable) = handles.enable {
            self.port.set(enable, u64::from(self.enable));
        }
        self.bus.drive(&mut self.port, handles);
    }

    /// What the port says in this clock.
    fn look(&mut self, around: &mut Around<'_>, is_cleared: bool) -> Result<(), Failure> {
        let handles = self.port_program.handles.clone();
        let port = &mut self.port;
        if !self.bus.look(port, &handles) {
            return Err(Failure::new(FailureKind::Bus, "a request has no answer"));
        }
        self.masks = [0; 2];
        let lanes = self.port_program.shape.lanes;
        let mut up = true;
        for (at, link) in handles.links.iter().enumerate() {
            let state = LinkState::from_code(port.get(link.state) as u8).unwrap_or(LinkState::Down);
            self.states[at] = state;
            up &= matches!(state, LinkState::Active | LinkState::Degraded);
            for (mask, handle) in self.masks.iter_mut().zip(link.masks) {
                *mask |= port.get(handle) << (at * lanes);
            }
        }
        self.up = up && handles.up.is_none_or(|up| port.get(up) == 1);
        if let Some([valid, number]) = handles.lost {
            self.lost += if port.get(valid) == 1 { port.get(number) } else { 0 };
        }
        let [from, to] = &mut around.traffic;
        if handles.flits_in.is_some_and(|[_, _, ready]| from.offered && port.get(ready) == 1) {
            from.taken();
        }
        if let Some([valid, data]) = handles.flits_out {
            if port.get(valid) == 1 {
                to.delivered(port.words(data))?;
            }
        }
        if let Some(packets) = &mut from.packets {
            packets.taken(port, &handles.packets);
        }
        match &mut to.packets {
            Some(packets) if is_cleared => {
                packets.forget_receiver();
                Ok(())
            }
            Some(packets) => packets.delivered(port, &handles.packets),
            None => Ok(()),
        }
    }

    /// What the port gives and orders, all of it from its registers, to the PHYs.
    fn tell_phys(&mut self) {
        let (port, phy) = (&self.port_program.handles, &self.phy_program.handles);
        let lanes = phy.lanes.len();
        for (link, instance) in self.phys.iter_mut().enumerate() {
            let first = link * lanes;
            for (lane, to) in phy.lanes.iter().enumerate() {
                let from = &port.lanes[first + lane];
                let valid = self.port.get(from.tx[0]) & !(self.stuck >> (first + lane)) & 1;
                instance.set(to.tx[0], valid);
                if valid == 1 {
                    instance.set(to.tx[1], self.port.get(from.tx[1]));
                }
            }
            if let Some(orders) = phy.orders {
                for (from, to) in port.links[link].orders.into_iter().zip(orders) {
                    instance.set(to, self.port.get(from));
                }
            }
            if let Some(active) = phy.active {
                instance.set(active, self.port.get(port.links[link].masks[0]));
            }
        }
    }

    /// One clock of the cells that send.
    pub fn send(&mut self, cables: &mut [Cable]) {
        let handles = &self.phy_program.handles;
        for (phy, cable) in self.phys.iter_mut().zip(cables) {
            for (lane, cell) in handles.cells.iter().enumerate() {
                cable.push(lane, phy.get(cell[0]));
            }
            if let Some(frame) = handles.frame {
                cable.frame(phy.get(frame[0]));
            }
            phy.step(self.phy_program.tx);
        }
    }

    /// One clock of the cell that receives lane `lane` of a link, or with one clock for all lanes, of all.
    pub fn receive(&mut self, link: usize, lane: usize, cable: &mut Cable, random: &mut Rng) {
        let handles = &self.phy_program.handles;
        let phy = &mut self.phys[link];
        match handles.frame {
            Some(frame) => {
                phy.set(frame[1], cable.pop_frame());
                for (lane, cell) in handles.cells.iter().enumerate() {
                    phy.set(cell[1], cable.pop(lane, random));
                }
            }
            None => {
                phy.set(handles.cells[lane][1], cable.pop(lane, random));
            }
        }
        phy.step(self.phy_program.rx[lane]);
    }
}
