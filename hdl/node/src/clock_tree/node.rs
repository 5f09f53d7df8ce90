//! The whole tree.

use super::{ClockTreeConfig, TreeEnd, TreeSwitch, DEVICES, ENDS, LINKS};
use crate::register_line::RegisterLine;
use flitforge_hdl_link::phy_loop::PhyLoop;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_time::hfi::TimeRole;
use flitforge_hdl_time::page::PAGE_WORD_BITS;
use flitforge_hdl_time::slave::TIME_WORD_BITS;
use flitforge_protocol::link::LinkState;

/// Bits of the clocks between `clear` and the enable of the links.
const ENABLE_BITS: usize = 6;
/// Directions of all links.
const LINES: usize = 2 * LINKS;

/// See the [module](super).
#[block("clock_tree", new)]
pub struct ClockTree {
    /// Clock of everything.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Serial data in, asynchronous, idle 1.
    line_in: In<Bit>,
    /// Serial data out, idle 1.
    line_out: Out<Bit>,
    /// All ports send packet flits.
    load: In<Bit>,
    /// Pulses per second of master and slaves.
    pps: Out<Bits<ENDS>>,
    /// Servos in TRACK, of master and slaves.
    locked: Out<Bits<ENDS>>,
    /// Links with both ends Active.
    links_up: Out<Bits<LINKS>>,
    /// SyncTime of master and slaves.
    sync: [Out<Bits<TIME_WORD_BITS>>; ENDS],

    #[wire(clock, clear)]
    registers: RegisterLine<DEVICES, PAGE_WORD_BITS>,
    #[wire(clock, clear)]
    ends: [TreeEnd; ENDS],
    #[wire(clock, clear)]
    first: TreeSwitch<3>,
    #[wire(clock, clear)]
    second: TreeSwitch<2>,
    /// Lines 2 l and 2 l + 1 are those of link l, away from the master and back.
    lines: Vec<PhyLoop<1>>,
    waited: Reg<Bits<ENABLE_BITS>>,
    enable: Reg<Bit>,
    up: Reg<Bits<LINKS>>,
    #[init(LinkState::Active)]
    active: Constant<Bits<3>>,
    delays: [Constant<Bits<4>>; LINES],
}

#[logic]
impl ClockTree {
    /// A tree, or the reason why a part of it cannot be built.
    pub fn new(config: &ClockTreeConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let master = TreeEnd::new(config, 0x10, TimeRole::Master)?;
        let slave = |guid| TreeEnd::new(config, guid, TimeRole::Slave);
        let lines: Vec<_> = (0..LINES).map(|_| PhyLoop::new()).collect::<Result<_, _>>()?;
        Ok(Self {
            registers: RegisterLine::new(&config.line)?,
            ends: [master, slave(0x40)?, slave(0x50)?],
            first: TreeSwitch::new(config, 0x20)?,
            second: TreeSwitch::new(config, 0x30)?,
            lines,
            delays: std::array::from_fn(|line| Constant::new(config.delays[line / 2].into())),
            ..
        })
    }

    fn update(&mut self) {
        registers.line_in = line_in;
        line_out = registers.line_out;
        first.load = load;
        second.load = load;

        // Links come up once all is cleared.
        enable = waited.all();
        if !waited.all() {
            waited = waited + 1;
        }
        if clear {
            waited = 0;
            enable = false;
        }
        first.enable = enable;
        second.enable = enable;

        // Register buses.
        first = In { addr: registers.addr, wdata: registers.wdata, we: registers.we[1], re: registers.re[1] };
        second = In { addr: registers.addr, wdata: registers.wdata, we: registers.we[2] };
        second.re = registers.re[2];
        ends[0] = In { we: registers.we[0], re: registers.re[0] };
        ends[1] = In { we: registers.we[3], re: registers.re[3] };
        ends[2] = In { we: registers.we[4], re: registers.re[4] };
        let acks: Bits<DEVICES> = 0;
        registers.ack = acks
            .with(0, ends[0].ack)
            .with(1, first.ack)
            .with(2, second.ack)
            .with(3, ends[1].ack)
            .with(4, ends[2].ack);
        registers.rdata[0] = ends[0].rdata;
        registers.rdata[1] = first.rdata;
        registers.rdata[2] = second.rdata;
        registers.rdata[3] = ends[1].rdata;
        registers.rdata[4] = ends[2].rdata;

        let mut pulses: Bits<ENDS> = 0;
        let mut tracks: Bits<ENDS> = 0;
        for i in 0..ENDS {
            ends[i] = In { load, enable, addr: registers.addr, wdata: registers.wdata };
            sync[i] = ends[i].sync;
            pulses = pulses.with(i, ends[i].pps);
            tracks = tracks.with(i, ends[i].locked);
        }
        pps = pulses;
        locked = tracks;

        up = up
            .with(0, (ends[0].state == active) & (first.state[0] == active))
            .with(1, (first.state[2] == active) & (second.state[1] == active))
            .with(2, (second.state[0] == active) & (ends[1].state == active))
            .with(3, (first.state[1] == active) & (ends[2].state == active));
        links_up = up;

        // Lines.
        for i in 0..LINES {
            lines[i] = In { clock, clear, error_enable: false, error_lanes: 0, error_mask: 0 };
            lines[i].delay[0] = delays[i];
        }
        join(ends[0].tx, lines[0].tx[0]);
        first.rx[0] = In { valid: lines[0].rx[0].valid, data: lines[0].rx[0].data };
        join(first.tx[0], lines[1].tx[0]);
        ends[0].rx = In { valid: lines[1].rx[0].valid, data: lines[1].rx[0].data };
        join(first.tx[2], lines[2].tx[0]);
        second.rx[1] = In { valid: lines[2].rx[0].valid, data: lines[2].rx[0].data };
        join(second.tx[1], lines[3].tx[0]);
        first.rx[2] = In { valid: lines[3].rx[0].valid, data: lines[3].rx[0].data };
        join(second.tx[0], lines[4].tx[0]);
        ends[1].rx = In { valid: lines[4].rx[0].valid, data: lines[4].rx[0].data };
        join(ends[1].tx, lines[5].tx[0]);
        second.rx[0] = In { valid: lines[5].rx[0].valid, data: lines[5].rx[0].data };
        join(first.tx[1], lines[6].tx[0]);
        ends[2].rx = In { valid: lines[6].rx[0].valid, data: lines[6].rx[0].data };
        join(ends[2].tx, lines[7].tx[0]);
        first.rx[1] = In { valid: lines[7].rx[0].valid, data: lines[7].rx[0].data };
    }
}
