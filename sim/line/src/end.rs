//! One end of a link: a port, its PHY, its traffic and its register bus, in one core clock.

use crate::cable::Cable;
use crate::failure::{Failure, FailureKind};
use crate::phy::{Phy, PhyProgram};
use crate::port::{Bus, PortProgram};
use crate::traffic::Traffic;
use flitforge_protocol::link::LinkState;
use flitforge_sim::compiled::Instance;
use flitforge_sim::kit::Rng;
use rand::Rng as _;

/// What of an end's surroundings a core clock needs.
pub struct Around<'a> {
    /// What leaves it, and what comes to it.
    pub cables: [&'a mut Cable; 2],
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
    /// The PHY.
    pub phy: Instance,
    port_program: PortProgram,
    phy_program: PhyProgram,
    /// The master of its registers.
    pub bus: Bus,
    /// It has power.
    pub powered: bool,
    /// Core clocks of `clear` that are left for the port and for the PHY.
    pub clearing: [u32; 2],
    /// Lanes whose PHY takes no words.
    pub stuck: u64,
    /// Core clocks.
    pub clocks: u64,
    /// State of the last clock.
    pub state: LinkState,
    /// Lanes sent on and received on in the last clock.
    pub masks: [u64; 2],
    /// Numbers started at 0.
    pub restarts: u64,
    /// Pulses of the PHY's `elastic_error`.
    pub elastic_errors: u64,
}

impl End {
    /// An end behind power-on.
    pub fn new(port: &PortProgram, phy: &PhyProgram) -> Self {
        Self {
            port: port.program.instance(),
            phy: phy.program.instance(),
            port_program: port.clone(),
            phy_program: phy.clone(),
            bus: Bus::default(),
            powered: true,
            clearing: [0; 2],
            stuck: 0,
            clocks: 0,
            state: LinkState::Down,
            masks: [0; 2],
            restarts: 0,
            elastic_errors: 0,
        }
    }

    /// As behind power-on.
    pub fn reset(&mut self) {
        self.port = self.port_program.program.instance();
        self.phy = self.phy_program.program.instance();
        self.bus = Bus::default();
        self.clearing = [0; 2];
        self.state = LinkState::Down;
        self.masks = [0; 2];
    }

    /// It carries traffic.
    pub fn is_up(&self) -> bool {
        matches!(self.state, LinkState::Active | LinkState::Degraded)
    }

    /// One core clock.
    pub fn core(&mut self, around: &mut Around<'_>) -> Result<(), Failure> {
        self.clocks += 1;
        if !self.powered {
            self.silence(around);
            return Ok(());
        }
        self.clear();
        self.from_phy(around);
        self.offer(around);
        let look = self.look(around);
        self.to_phy();
        self.port.step(self.port_program.clock);
        self.phy.step(self.phy_program.core);
        look
    }

    /// Without power nothing leaves.
    fn silence(&mut self, around: &mut Around<'_>) {
        if self.phy_program.phy == Phy::Loop {
            for lane in 0..self.port_program.shape.lanes {
                around.cables[0].word(lane, None, around.random);
            }
        }
    }

    fn clear(&mut self) {
        let handles = [self.port_program.handles.clear, self.phy_program.handles.clear];
        let [port, phy] = self.clearing;
        self.port.set(handles[0], u64::from(port > 0));
        self.phy.set(handles[1], u64::from(phy > 0));
        self.clearing = [port.saturating_sub(1), phy.saturating_sub(1)];
    }

    /// What the PHY says and gives, to the port.
    fn from_phy(&mut self, around: &mut Around<'_>) {
        let (port, phy) = (self.port_program.handles.clone(), self.phy_program.handles.clone());
        let [out, back] = &mut around.cables;
        for (lane, (to, from)) in port.lanes.iter().zip(&phy.lanes).enumerate() {
            let ready = self.phy.get(from.tx[2]) & !(self.stuck >> lane) & 1;
            self.port.set(to.tx[2], ready);
            let mut word = (self.phy.get(from.rx[0]) == 1).then(|| self.phy.get(from.rx[1]));
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
            Some(told) => told.map(|handle| self.phy.get(handle)),
            None => [signals, signals, 0],
        };
        for (handle, value) in port.told.into_iter().zip(told) {
            self.port.set(handle, value);
        }
        self.elastic_errors += told[2];
        if let Some(line_ok) = phy.line_ok {
            self.phy.set(line_ok, signals);
        }
    }

    fn offer(&mut self, around: &mut Around<'_>) {
        let handles = &self.port_program.handles;
        let traffic = &mut around.traffic[0];
        if !traffic.offered && traffic.pace > 0.0 {
            traffic.offered = traffic.pace >= 1.0 || around.random.random_bool(traffic.pace);
            if traffic.offered {
                self.port.set_words(handles.flits_in[1], &traffic.beat);
            }
        }
        self.port.set(handles.flits_in[0], u64::from(traffic.offered));
        self.bus.drive(&mut self.port, handles);
    }

    /// What the port says in this clock.
    fn look(&mut self, around: &mut Around<'_>) -> Result<(), Failure> {
        let handles = self.port_program.handles.clone();
        let port = &mut self.port;
        if !self.bus.look(port, &handles) {
            return Err(Failure::new(FailureKind::Bus, "a request has no answer"));
        }
        self.state = LinkState::from_code(port.get(handles.state) as u8).unwrap_or(LinkState::Down);
        self.masks = handles.masks.map(|handle| port.get(handle));
        self.restarts += port.get(handles.restart);
        if around.traffic[0].offered && port.get(handles.flits_in[2]) == 1 {
            around.traffic[0].taken();
        }
        if port.get(handles.flits_out[0]) == 1 {
            around.traffic[1].delivered(port.words(handles.flits_out[1]))?;
        }
        Ok(())
    }

    /// What the port gives and orders, to the PHY.
    fn to_phy(&mut self) {
        let (port, phy) = (&self.port_program.handles, &self.phy_program.handles);
        for (lane, (from, to)) in port.lanes.iter().zip(&phy.lanes).enumerate() {
            let valid = self.port.get(from.tx[0]) & !(self.stuck >> lane) & 1;
            self.phy.set(to.tx[0], valid);
            if valid == 1 {
                self.phy.set(to.tx[1], self.port.get(from.tx[1]));
            }
        }
        if let Some(orders) = phy.orders {
            for (from, to) in port.orders.into_iter().zip(orders) {
                self.phy.set(to, self.port.get(from));
            }
        }
        if let Some(active) = phy.active {
            self.phy.set(active, self.masks[0]);
        }
    }

    /// One clock of the cells that send.
    pub fn send(&mut self, cable: &mut Cable) {
        let handles = &self.phy_program.handles;
        for (lane, cell) in handles.cells.iter().enumerate() {
            cable.push(lane, self.phy.get(cell[0]));
        }
        if let Some(frame) = handles.frame {
            cable.frame(self.phy.get(frame[0]));
        }
        self.phy.step(self.phy_program.tx);
    }

    /// One clock of the cell that receives lane `lane`, or with one clock for all lanes, of all.
    pub fn receive(&mut self, lane: usize, cable: &mut Cable, random: &mut Rng) {
        let handles = &self.phy_program.handles;
        match handles.frame {
            Some(frame) => {
                self.phy.set(frame[1], cable.pop_frame());
                for (lane, cell) in handles.cells.iter().enumerate() {
                    self.phy.set(cell[1], cable.pop(lane, random));
                }
            }
            None => {
                self.phy.set(handles.cells[lane][1], cable.pop(lane, random));
            }
        }
        self.phy.step(self.phy_program.rx[lane]);
    }
}
