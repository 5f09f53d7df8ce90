//! Parameters of `switch_node`, and its registry entry.

use super::node::{SwitchNode1, SwitchNode2};
use flitforge_hdl_fabric::credit::CREDIT_BITS;
use flitforge_hdl_fabric::port::FabPortConfig;
use flitforge_hdl_link::port::PortConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::link_registers::V_AU;
use flitforge_protocol::packet::{BYTES_PER_BODY, MIN_MTU};
use flitforge_protocol::switch::{MAX_PORTS, MIN_ADDRESS_BITS, MIN_PORTS};

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
    summary: "a switch with the ports of its links, registers one after another on one bus",
    parameters: &[
        ParameterInfo::new("f", 1, Allowed::OneOf(&[1, 2]), "flits per beat; 2 with four lanes"),
        ParameterInfo::new(
            "ports",
            4,
            Allowed::Range(MIN_PORTS as u64, MAX_PORTS as u64),
            "PORTS, without the internal one",
        ),
        ParameterInfo::new("short", 0, Allowed::Range(0, 1), "1: short timeouts of training, for simulation"),
    ],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

/// Virtual lanes, replay slots and bytes of a buffer of what is built.
const VLS: usize = 2;
const SLOTS: usize = 16;
const BUFFER: usize = 1_024;
/// Lanes of a link with two flits per beat.
const LANES: usize = 4;

fn config(settings: &Settings) -> Result<(SwitchNodeConfig, usize), ConfigError> {
    let (flits, ports) = (settings.size("f")?, settings.size("ports")?);
    let lanes = if flits == 1 { 1 } else { LANES };
    let link = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, SLOTS),
        _ => PortConfig::short(flits, lanes, SLOTS),
    };
    let port = FabPortConfig::new(link, VLS, BUFFER).with_mtu(MIN_MTU);
    Ok((SwitchNodeConfig { ports, port }, lanes))
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    config(settings)?.0.check()?;
    match settings.get("f")? {
        1 => shapes! {
            settings: (ports) => build_1_as of node::switch_node [
                log2(SLOTS),
                log2(SLOTS * beats_per_ltp(1)),
                VLS,
                VLS + 1,
                CREDIT_BITS * VLS,
                ports,
                ports + 1,
                MIN_ADDRESS_BITS,
                log2(BUFFER / BYTES_PER_BODY),
                log2(BUFFER / BYTES_PER_BODY) + 1,
                ports
            ];
            presets { (4) }
        },
        _ => shapes! {
            settings: (ports) => build_2_as of node::switch_node [
                log2(SLOTS),
                log2(SLOTS * beats_per_ltp(2)),
                VLS,
                VLS + 1,
                CREDIT_BITS * VLS,
                ports,
                ports + 1,
                MIN_ADDRESS_BITS,
                log2(BUFFER / (2 * BYTES_PER_BODY)),
                log2(BUFFER / (2 * BYTES_PER_BODY)) + 1,
                LANES * ports
            ];
            presets {}
        },
    }
}

macro_rules! builder {
    ($name:ident, $block:ident, [$($part:ident),*]) => {
        /// Builds the node with these const parameters, which are those of its type.
        pub fn $name<$(const $part: usize),*>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
            let (config, lanes) = config(settings)?;
            built($block::<$($part),*>::new, &config, lanes)
        }
    };
}
builder!(build_1_as, SwitchNode1, [SLOT_W, ADDRESS_W, N, M, VIEW_W, P, Q, A, B, C, PL]);
builder!(build_2_as, SwitchNode2, [SLOT_W, ADDRESS_W, N, M, VIEW_W, P, Q, A, B, C, PL]);

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
