//! Parameters of `switch_node`, and its registry entry.

use super::node::{SwitchNode1, SwitchNode2};
use crate::config::{check_range, ConfigError};
use crate::fabric::port::FabPortConfig;
use crate::link::port::PortConfig;
use crate::registry::StreamRole::{FlowSink, FlowSource, StreamSink, StreamSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_protocol::link_registers::V_AU;
use flitforge_protocol::packet::MIN_MTU;
use flitforge_protocol::switch::{MAX_PORTS, MIN_PORTS};

const NAME: &str = "switch_node";

/// Build-time choice of a switch with its ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchNodeConfig {
    /// PORTS.
    pub ports: usize,
    /// Every port; its buffers are those of the switch.
    pub port: FabPortConfig,
}

impl SwitchNodeConfig {
    /// Refuses what chapter 10 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_range(NAME, "ports", self.ports as u64, MIN_PORTS as u64, MAX_PORTS as u64)?;
        // The buffers of the switch count AU of vAU 3.
        const _: () = assert!(V_AU == 3);
        self.port.check()
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "switch_node",
    chapter: "10-link",
    summary: "a switch with the ports of its links, registers behind one another on one bus",
    parameters: &[
        ParameterInfo {
            name: "f",
            default: 1,
            allowed: Allowed::OneOf(&[1, 2]),
            doc: "flits per beat; 2 with four lanes",
        },
        ParameterInfo {
            name: "ports",
            default: 4,
            allowed: Allowed::OneOf(&[4]),
            doc: "PORTS, without the internal one",
        },
        ParameterInfo {
            name: "short",
            default: 0,
            allowed: Allowed::Range(0, 1),
            doc: "1: short timeouts of training, for simulation",
        },
    ],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

/// Virtual lanes, replay slots and bytes of a buffer of what is built.
const VLS: usize = 2;
const SLOTS: usize = 16;
const BUFFER: usize = 1_024;

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (flits, ports) = (settings.size("f")?, settings.size("ports")?);
    let lanes = if flits == 1 { 1 } else { 4 };
    let link = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, SLOTS),
        _ => PortConfig::short(flits, lanes, SLOTS),
    };
    let port = FabPortConfig::new(link, VLS, BUFFER).with_mtu(MIN_MTU);
    let config = SwitchNodeConfig { ports, port };
    match flits {
        1 => built(SwitchNode1::<4, 8, 2, 3, 32, 4, 5, 6, 7, 8, 4>::new, &config, lanes),
        _ => built(SwitchNode2::<4, 7, 2, 3, 32, 4, 5, 6, 6, 7, 16>::new, &config, lanes),
    }
}

// A function of its own, so that a stack frame holds one of these big blocks and not all of them.
#[inline(never)]
fn built<B: flitforge_elaborate::drive::DriveBlock + 'static>(
    make: impl FnOnce(&SwitchNodeConfig) -> Result<B, ConfigError>,
    config: &SwitchNodeConfig,
    lanes: usize,
) -> Result<BuiltBlock, ConfigError> {
    let by = |name: &'static str, count: usize| (0..count).map(move |index| format!("{name}[{index}]"));
    let per_port = [
        ("time_in", StreamSink),
        ("spc_out", FlowSource),
        ("test_rows_in", StreamSink),
        ("test_rows_out", FlowSource),
    ];
    let per_lane = [("tx", StreamSource), ("rx", FlowSink)];
    let ports = per_port.iter().map(|(name, role)| (name, role, config.ports));
    let line = per_lane.iter().map(|(name, role)| (name, role, config.ports * lanes));
    let agent = [("agent_out", StreamSource)];
    let agent = agent.iter().map(|(name, role)| (name, role, VLS));
    let names: Vec<_> = ports
        .chain(line)
        .chain(agent)
        .flat_map(|(name, role, count)| by(name, count).map(move |name| (name, *role)))
        .collect();
    let mut streams: Vec<_> = names.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    streams.push(("agent_in", StreamSink));
    let interface = InterfaceInfo::clocked(&streams, None, "see the switch and its ports");
    Ok(BuiltBlock::new(make(config)?, interface))
}
