//! The whole tree.

use super::{ClockTreeConfig, TreeEnd, TreeSwitch, DEVICES, ENDS, LINKS};
use crate::config::ConfigError;
use crate::link::lane::LANE_BITS;
use crate::link::phy_loop::PhyLoop;
use crate::node::register_line::RegisterLine;
use crate::prim::stream::StreamOut;
use crate::time::hfi::TimeRole;
use crate::time::page::PAGE_WORD_BITS;
use crate::time::slave::TIME_WORD_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link::LinkState;

/// Bits of the clocks between `clear` and the enable of the links.
const ENABLE_BITS: usize = 6;
/// Directions of all links.
const LINES: usize = 2 * LINKS;

/// See the [module](super).
#[derive(LogicBlock)]
pub struct ClockTree {
    /// Clock of everything.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Serial data in, asynchronous, idle 1.
    pub line_in: Signal<In, Bit>,
    /// Serial data out, idle 1.
    pub line_out: Signal<Out, Bit>,
    /// All ports send packet flits.
    pub load: Signal<In, Bit>,
    /// Pulses per second of master and slaves.
    pub pps: Signal<Out, Bits<ENDS>>,
    /// Servos in TRACK, of master and slaves.
    pub locked: Signal<Out, Bits<ENDS>>,
    /// Links with both ends Active.
    pub links_up: Signal<Out, Bits<LINKS>>,
    /// SyncTime of master and slaves.
    pub sync: [Signal<Out, Bits<TIME_WORD_BITS>>; ENDS],

    registers: RegisterLine<DEVICES, PAGE_WORD_BITS>,
    ends: [TreeEnd; ENDS],
    first: TreeSwitch<3>,
    second: TreeSwitch<2>,
    /// Lines 2 l and 2 l + 1 are those of link l, away from the master and back.
    lines: Vec<PhyLoop<1>>,
    waited: DFF<Bits<ENABLE_BITS>>,
    enable: DFF<Bit>,
    up: DFF<Bits<LINKS>>,
    acks: Signal<Local, Bits<DEVICES>>,
    pulses: Signal<Local, Bits<ENDS>>,
    tracks: Signal<Local, Bits<ENDS>>,
    active: Constant<Bits<3>>,
    delays: [Constant<Bits<4>>; LINES],
}

impl ClockTree {
    /// A tree, or the reason why a part of it cannot be built.
    pub fn new(config: &ClockTreeConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let master = TreeEnd::new(config, 0x10, TimeRole::Master)?;
        let slave = |guid| TreeEnd::new(config, guid, TimeRole::Slave);
        let lines: Vec<_> = (0..LINES).map(|_| PhyLoop::new()).collect::<Result<_, _>>()?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            line_in: Default::default(),
            line_out: Default::default(),
            load: Default::default(),
            pps: Default::default(),
            locked: Default::default(),
            links_up: Default::default(),
            sync: Default::default(),
            registers: RegisterLine::new(&config.line)?,
            ends: [master, slave(0x40)?, slave(0x50)?],
            first: TreeSwitch::new(config, 0x20)?,
            second: TreeSwitch::new(config, 0x30)?,
            lines,
            waited: Default::default(),
            enable: Default::default(),
            up: Default::default(),
            acks: Default::default(),
            pulses: Default::default(),
            tracks: Default::default(),
            active: Constant::new(u64::from(LinkState::Active.code()).into()),
            delays: std::array::from_fn(|line| Constant::new(config.delays[line / 2].into())),
        })
    }
}

impl Logic for ClockTree {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waited, enable, up);
        clock!(self, clock, registers, first, second);
        self.registers.clear.next = self.clear.val();
        self.first.clear.next = self.clear.val();
        self.second.clear.next = self.clear.val();
        self.registers.line_in.next = self.line_in.val();
        self.line_out.next = self.registers.line_out.val();
        self.first.load.next = self.load.val();
        self.second.load.next = self.load.val();

        // Links come up once all is cleared.
        self.enable.d.next = self.waited.q.val().all();
        if !self.waited.q.val().all() {
            self.waited.d.next = self.waited.q.val() + 1;
        }
        if self.clear.val() {
            self.waited.d.next = 0.into();
            self.enable.d.next = false;
        }
        self.first.enable.next = self.enable.q.val();
        self.second.enable.next = self.enable.q.val();

        // Register buses.
        self.first.addr.next = self.registers.addr.val();
        self.first.wdata.next = self.registers.wdata.val();
        self.first.we.next = self.registers.we.val().get_bit(1);
        self.first.re.next = self.registers.re.val().get_bit(1);
        self.second.addr.next = self.registers.addr.val();
        self.second.wdata.next = self.registers.wdata.val();
        self.second.we.next = self.registers.we.val().get_bit(2);
        self.second.re.next = self.registers.re.val().get_bit(2);
        self.ends[0].we.next = self.registers.we.val().get_bit(0);
        self.ends[0].re.next = self.registers.re.val().get_bit(0);
        self.ends[1].we.next = self.registers.we.val().get_bit(3);
        self.ends[1].re.next = self.registers.re.val().get_bit(3);
        self.ends[2].we.next = self.registers.we.val().get_bit(4);
        self.ends[2].re.next = self.registers.re.val().get_bit(4);
        self.acks.next = 0.into();
        self.registers.ack.next = self
            .acks
            .val()
            .replace_bit(0, self.ends[0].ack.val())
            .replace_bit(1, self.first.ack.val())
            .replace_bit(2, self.second.ack.val())
            .replace_bit(3, self.ends[1].ack.val())
            .replace_bit(4, self.ends[2].ack.val());
        self.registers.rdata[0].next = self.ends[0].rdata.val();
        self.registers.rdata[1].next = self.first.rdata.val();
        self.registers.rdata[2].next = self.second.rdata.val();
        self.registers.rdata[3].next = self.ends[1].rdata.val();
        self.registers.rdata[4].next = self.ends[2].rdata.val();

        self.pulses.next = 0.into();
        self.tracks.next = 0.into();
        for i in 0..ENDS {
            self.ends[i].clock.next = self.clock.val();
            self.ends[i].clear.next = self.clear.val();
            self.ends[i].load.next = self.load.val();
            self.ends[i].enable.next = self.enable.q.val();
            self.ends[i].addr.next = self.registers.addr.val();
            self.ends[i].wdata.next = self.registers.wdata.val();
            self.sync[i].next = self.ends[i].sync.val();
            self.pulses.next = self.pulses.val().replace_bit(i, self.ends[i].pps.val());
            self.tracks.next = self.tracks.val().replace_bit(i, self.ends[i].locked.val());
        }
        self.pps.next = self.pulses.val();
        self.locked.next = self.tracks.val();

        self.up.d.next = self
            .up
            .q
            .val()
            .replace_bit(
                0,
                (self.ends[0].state.val() == self.active.val())
                    & (self.first.state[0].val() == self.active.val()),
            )
            .replace_bit(
                1,
                (self.first.state[2].val() == self.active.val())
                    & (self.second.state[1].val() == self.active.val()),
            )
            .replace_bit(
                2,
                (self.second.state[0].val() == self.active.val())
                    & (self.ends[1].state.val() == self.active.val()),
            )
            .replace_bit(
                3,
                (self.first.state[1].val() == self.active.val())
                    & (self.ends[2].state.val() == self.active.val()),
            );
        self.links_up.next = self.up.q.val();

        // Lines.
        for i in 0..LINES {
            self.lines[i].clock.next = self.clock.val();
            self.lines[i].clear.next = self.clear.val();
            self.lines[i].error_enable.next = false;
            self.lines[i].error_lanes.next = 0.into();
            self.lines[i].error_mask.next = 0.into();
            self.lines[i].delay[0].next = self.delays[i].val();
        }
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.ends[0].tx, &mut self.lines[0].tx[0]);
        self.first.rx[0].valid.next = self.lines[0].rx[0].valid.val();
        self.first.rx[0].data.next = self.lines[0].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.first.tx[0], &mut self.lines[1].tx[0]);
        self.ends[0].rx.valid.next = self.lines[1].rx[0].valid.val();
        self.ends[0].rx.data.next = self.lines[1].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.first.tx[2], &mut self.lines[2].tx[0]);
        self.second.rx[1].valid.next = self.lines[2].rx[0].valid.val();
        self.second.rx[1].data.next = self.lines[2].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.second.tx[1], &mut self.lines[3].tx[0]);
        self.first.rx[2].valid.next = self.lines[3].rx[0].valid.val();
        self.first.rx[2].data.next = self.lines[3].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.second.tx[0], &mut self.lines[4].tx[0]);
        self.ends[1].rx.valid.next = self.lines[4].rx[0].valid.val();
        self.ends[1].rx.data.next = self.lines[4].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.ends[1].tx, &mut self.lines[5].tx[0]);
        self.second.rx[0].valid.next = self.lines[5].rx[0].valid.val();
        self.second.rx[0].data.next = self.lines[5].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.first.tx[1], &mut self.lines[6].tx[0]);
        self.ends[2].rx.valid.next = self.lines[6].rx[0].valid.val();
        self.ends[2].rx.data.next = self.lines[6].rx[0].data.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.ends[2].tx, &mut self.lines[7].tx[0]);
        self.first.rx[1].valid.next = self.lines[7].rx[0].valid.val();
        self.first.rx[1].data.next = self.lines[7].rx[0].data.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("clock_tree", &[])
    }
}

drive_ports!(impl[] ClockTree { clock, clear, line_in, line_out, load, pps, locked, links_up, sync });
