//! `clock_tree`: a small clock tree on one device: a master, two switches and two slaves, joined by links, on one clock.
//!
//! ```text
//!  device 0        device 1              device 2              device 3
//!  master  ═ 0 ═ 0 switch 2 ═══ 1 ═══ 1  switch 0 ═══ 2 ═══ 0  slave
//!                    1 ════ 3 ════ 0 slave, device 4
//! ```
//!
//! Numbers on the links are those of ports; links 0 to 3 are numbered from the master on. Every port is a `link_port` without
//! registers: one lane, one flit per beat, 16 replay slots, CRC mode 0; every link is two `phy_loop`s with a delay of its own.
//!
//! Ends are `time_hfi`s, one built as a master and two as slaves; switches are `time_switch`es for one tree, with rings of four
//! stops and without tokens; all are built without counters but for those of the slaves' tree; core, word and ring clock are one,
//! and words are exact (PHASE_SRC NONE).
//!
//! - The register pages of the five devices are reached over [`register_line`](super::register_line), by the numbers above. The links have none.
//! - Links come up by themselves, 64 clocks after `clear`.
//! - `load`: every port sends packet flits as fast as it can. Time flits pass them.
//! - `pps`: pulses per second of master and slaves. `links_up`: both ends are Active. `locked`: the slave's servo is in TRACK.
//! - Throughput and latency are those of the blocks. `clear` as theirs: what the registers configure stays, but for links, which begin anew.
//!
//! | part | does |
//! |---|---|
//! | [`TreePort`] | a link port with all tied off that nobody needs here, and its load |
//! | [`TreeEnd`] | a port and a `time_hfi` |
//! | [`TreeSwitch`] | a `time_switch` and its ports |
//! | [`ClockTree`] | the devices, lines, and the register line |

mod end;
mod node;
mod port;
mod switch;

pub use end::TreeEnd;
pub use node::ClockTree;
pub use port::TreePort;
pub use switch::TreeSwitch;

use super::register_line::RegisterLineConfig;
use flitforge_hdl_link::ltp_wide::CrcModes;
use flitforge_hdl_link::port::{LinkPortSmallCompact, PortConfig};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_time::hfi::{TimeHfi, TimeHfiConfig, TimeRole};
use flitforge_hdl_time::port::TimePortConfig;
use flitforge_hdl_time::switch::{TimeSwitchCompact4, TimeSwitchConfig};
use flitforge_protocol::time_servo::increment;

/// Devices with registers: master, switches, slaves.
pub const DEVICES: usize = 5;
/// Ends: master and slaves.
pub const ENDS: usize = 3;
/// Links.
pub const LINKS: usize = 4;
/// Most words of delay of a line.
pub const MOST_DELAY: u64 = 15;

/// Flits per beat and bits of a beat.
const FLITS: usize = 1;
const BEAT: usize = 65;
/// Lanes and replay slots of a port.
const LANES: usize = 1;
const SLOTS: usize = 16;
/// Stops of a switch's rings.
const STOPS: u64 = 4;

// What the tree is made of: another choice of the same blocks is put in here.

/// Every port of a link.
type Link = LinkPortSmallCompact;
/// Time side of an end.
type Hfi = TimeHfi<FLITS, BEAT, 0, 0, 1>;
/// Time side of a switch with `P` ports.
type Switch<const P: usize> = TimeSwitchCompact4<P>;

/// What a tree is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockTreeConfig {
    /// Period of the one clock in femtoseconds; a whole number of 1/16 ns makes times exact.
    pub core_fs: u64,
    /// The register line.
    pub line: RegisterLineConfig,
    /// Words of delay of each link, the same in both directions, 0 to 15.
    pub delays: [u64; LINKS],
    /// GEN_PERIOD for which the servos' gains are made, 2^20 ns.
    pub period: u64,
    /// Clocks of a pulse per second.
    pub pulse_clocks: u64,
    /// Short timeouts of training, for simulation.
    pub short: bool,
}

impl ClockTreeConfig {
    /// Refuses delays that no line has; the parts check the rest.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.delays.iter().try_for_each(|delay| check_range("clock_tree", "delays", *delay, 0, MOST_DELAY))
    }

    fn link(&self, guid: u64) -> Result<Link, ConfigError> {
        let config = match self.short {
            true => PortConfig::short(FLITS, LANES, SLOTS),
            false => PortConfig::new(FLITS, LANES, SLOTS),
        };
        Link::new(&PortConfig { guid, modes: CrcModes::Standard, ..config })
    }

    fn hfi(&self, role: TimeRole) -> Result<Hfi, ConfigError> {
        let config = TimeHfiConfig::small(self.core_fs, self.period);
        let port = TimePortConfig { block_ram: true, ..config.port };
        Hfi::new(&TimeHfiConfig { port, pulse_clocks: self.pulse_clocks, role, counters: false, ..config })
    }

    fn switch<const P: usize>(&self) -> Result<Switch<P>, ConfigError> {
        let nominal = increment(self.core_fs);
        let config = TimeSwitchConfig::one_clock(P as u64, STOPS, FLITS, self.core_fs, nominal);
        let port = TimePortConfig { block_ram: true, ..config.port };
        Switch::new(&TimeSwitchConfig { port, counters: false, ..config })
    }
}
