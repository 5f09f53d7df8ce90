//! The ports of the bench, with its timeouts and guard time.

use crate::refusal::refused;
use crate::times::{AGREE_SETS, GUARD_LTPS, POLL_WAIT_SETS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::fabric::port::{
    FabBondedPort2, FabBondedPortSmall, FabPort2, FabPortConfig, FabPortSmall,
};
use flitforge_hdl::link::bonded::{BondedConfig, LinkBondedPort, LinkBondedPortSmall};
use flitforge_hdl::link::port::{
    LinkPort, LinkPort2, LinkPort4, LinkPortSmall, LinkPortSmallCompact, PortConfig,
};
use flitforge_hdl::link::train::LinkTrainConfig;
use flitforge_hdl::ConfigError;
use flitforge_protocol::packet::MIN_MTU;
use flitforge_sim::SimError;
use rust_hdl::prelude::Block;

/// Virtual lanes of a bond.
const BOND_VLS: usize = 4;
/// Receive buffer of a virtual lane.
const BUFFER_BYTES: usize = 1_024;

/// Training of the bench: a short wait, and an agreement that outlasts Init.
pub fn training(lanes: usize) -> LinkTrainConfig {
    LinkTrainConfig {
        agree_sets: AGREE_SETS,
        poll_wait_sets: POLL_WAIT_SETS,
        ..LinkTrainConfig::short(lanes)
    }
}

/// The port of this name and these values (`f`, `lanes`, `links`, `r`, `guid`); `None` for a name that is none, and with
/// `crc_modes`, which only the ports of the registry have.
pub fn port(block: &str, values: &[(&'static str, u64)]) -> Option<Result<Box<dyn DriveBlock>, SimError>> {
    if values.iter().any(|(name, _)| *name == "crc_modes") {
        return None;
    }
    let value = |name| values.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value);
    let [flits, lanes, links, slots] = ["f", "lanes", "links", "r"].map(|name| value(name) as usize);
    let config = PortConfig {
        guid: value("guid"),
        guard: GUARD_LTPS,
        training: training(lanes),
        ..PortConfig::new(flits, lanes, slots)
    };
    match block {
        "link_port" => Some(link_port(&config)),
        "link_port_compact" => Some(boxed(|| LinkPortSmallCompact::new(&config))),
        "link_bonded_port" => Some(bonded(&BondedConfig { links, port: config })),
        "fab_port" => Some(fab(config)),
        "fab_bonded_port" => Some(fab_bonded(config, links)),
        _ => None,
    }
}

fn fab(link: PortConfig) -> Result<Box<dyn DriveBlock>, SimError> {
    let vls = if link.lanes == 1 { 2 } else { 4 };
    let config = FabPortConfig::new(link, vls, BUFFER_BYTES).with_mtu(MIN_MTU);
    match (link.flits, link.lanes) {
        (1, 1) => boxed(|| FabPortSmall::new(&config)),
        _ => boxed(|| FabPort2::<4, 4, 7, 4, 5, 64, 6, 7>::new(&config)),
    }
}

fn fab_bonded(link: PortConfig, links: usize) -> Result<Box<dyn DriveBlock>, SimError> {
    let config = FabPortConfig::new(link, BOND_VLS, BUFFER_BYTES).with_mtu(MIN_MTU).bonding(links);
    match (link.flits, link.slots) {
        (1, 16) => boxed(|| FabBondedPortSmall::new(&config)),
        (2, 128) => boxed(|| FabBondedPort2::<7, 10, 11, 4, 5, 64, 5, 6>::new(&config)),
        (flits, slots) => {
            let text = format!("f and r are {flits}/{slots}; the bench has 1/16 and 2/128");
            Err(refused("fab_bonded_port", &text))
        }
    }
}

fn bonded(config: &BondedConfig) -> Result<Box<dyn DriveBlock>, SimError> {
    match (config.port.flits, config.port.slots) {
        (1, 16) => boxed(|| LinkBondedPortSmall::new(config)),
        (2, 128) => boxed(|| LinkBondedPort::new(config)),
        (flits, slots) => {
            let text = format!("f and r are {flits}/{slots}; the bench has 1/16 and 2/128");
            Err(refused("link_bonded_port", &text))
        }
    }
}

fn link_port(config: &PortConfig) -> Result<Box<dyn DriveBlock>, SimError> {
    let PortConfig { flits, lanes, slots, .. } = *config;
    match (flits, lanes, slots) {
        (1, 1, 16) => boxed(|| LinkPortSmall::new(config)),
        (2, 4, 16) => boxed(|| LinkPort2::<4, 4, 7>::new(config)),
        (2, 4, 128) => boxed(|| LinkPort::new(config)),
        (2, 3, 128) => boxed(|| LinkPort2::<3, 7, 10>::new(config)),
        (2, 2, 128) => boxed(|| LinkPort2::<2, 7, 10>::new(config)),
        (2, 1, 128) => boxed(|| LinkPort2::<1, 7, 10>::new(config)),
        (4, 4, 128) => boxed(|| LinkPort4::<4, 7, 9>::new(config)),
        _ => Err(refused(
            "link_port",
            &format!("f, lanes and r are {flits}/{lanes}/{slots}; the bench has 1/1/16, 2/4/16, 2/4/128, 2/3/128, 2/2/128, 2/1/128 and 4/4/128"),
        )),
    }
}

// A function of its own, so that a stack frame holds one of these big blocks and not all of them.
#[inline(never)]
fn boxed<B: DriveBlock + Block + 'static>(
    make: impl FnOnce() -> Result<B, ConfigError>,
) -> Result<Box<dyn DriveBlock>, SimError> {
    let mut block = make().map_err(|error| refused("port", &error))?;
    block.connect_all();
    Ok(Box::new(block))
}
