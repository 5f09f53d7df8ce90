//! One end's port: its signals by handle.

use crate::packets::PacketPorts;
use crate::program::{handle, program, BlockChoice};
use crate::refusal::refused;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_sim::compiled::{Clocks, Compiled, Handle};
use flitforge_sim::SimError;
use std::fmt;
use std::sync::Arc;

/// Most links of an end.
pub const MAX_LINKS: usize = 2;
/// Most lanes of a link.
pub const LINK_LANES: usize = MAX_LANES;

/// Kinds of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `link_port`.
    Link,
    /// `link_port` without registers.
    Compact,
    /// `link_bonded_port`.
    Bonded,
    /// `fab_port`: packets on virtual lanes.
    Fab,
    /// `fab_bonded_port`: the same over a bond.
    FabBonded,
}

impl Kind {
    /// Name of the block.
    pub fn block(self) -> &'static str {
        match self {
            Self::Link => "link_port",
            Self::Compact => "link_port_compact",
            Self::Bonded => "link_bonded_port",
            Self::Fab => "fab_port",
            Self::FabBonded => "fab_bonded_port",
        }
    }

    /// It takes packets in place of beats.
    pub fn takes_packets(self) -> bool {
        matches!(self, Self::Fab | Self::FabBonded)
    }

    /// It has several links that are one.
    pub fn is_bond(self) -> bool {
        matches!(self, Self::Bonded | Self::FabBonded)
    }
}

/// What both ends of a link have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortShape {
    /// Flits per beat of a link.
    pub flits: usize,
    /// Lanes of a link.
    pub lanes: usize,
    /// Links.
    pub links: usize,
    /// Replay slots.
    pub slots: usize,
}

impl PortShape {
    /// Flits of a beat of the whole end.
    pub fn beat_flits(&self) -> usize {
        self.flits * self.links
    }

    /// Lanes of the whole end: lane `l` of link `b` is `b` times the lanes of a link, plus `l`.
    pub fn all_lanes(&self) -> usize {
        self.lanes * self.links
    }

    /// The lanes of a link.
    pub fn mask(&self, link: usize) -> u64 {
        ((1 << self.lanes) - 1) << (link * self.lanes)
    }
}

impl fmt::Display for PortShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { flits, lanes, links, slots } = self;
        write!(f, "F = {flits}, {lanes} lanes, R = {slots}")?;
        if *links > 1 {
            write!(f, ", {links} links")?;
        }
        Ok(())
    }
}

/// Handles of one lane of a port: valid, data, ready out; valid, data in.
#[derive(Clone, Copy, Debug)]
pub struct LanePorts {
    /// Words out.
    pub tx: [Handle; 3],
    /// Words in.
    pub rx: [Handle; 2],
}

impl LanePorts {
    /// Those of lane `lane`.
    pub fn find(lane: usize, get: &impl Fn(&str) -> Result<Handle, SimError>) -> Result<Self, SimError> {
        let tx = all(["valid", "data", "ready"], |part| get(&format!("tx[{lane}].{part}")))?;
        let rx = all(["valid", "data"], |part| get(&format!("rx[{lane}].{part}")))?;
        Ok(Self { tx, rx })
    }
}

/// Handles of one link of a port.
#[derive(Clone, Copy, Debug)]
pub struct LinkPorts {
    /// State as STATUS has it.
    pub state: Handle,
    /// Lanes sent on, received on.
    pub masks: [Handle; 2],
    /// Lanes to invert, boundaries to move.
    pub orders: [Handle; 2],
    /// `signal_ok`, `lane_lock`.
    pub told: [Handle; 2],
}

/// Handles of a port.
#[derive(Clone, Debug)]
pub struct PortHandles {
    /// Synchronous clear.
    pub clear: Handle,
    /// Register bus, if there are registers.
    pub bus: Option<[Handle; 6]>,
    /// In place of CTRL.enable.
    pub enable: Option<Handle>,
    /// In place of LOST_ON_RESET: LTPs lost by a restart, valid and number.
    pub lost: Option<[Handle; 2]>,
    /// Beats in: valid, data, ready. None where packets are taken.
    pub flits_in: Option<[Handle; 3]>,
    /// Beats out: valid, data.
    pub flits_out: Option<[Handle; 2]>,
    /// Packets, by virtual lane.
    pub packets: Vec<PacketPorts>,
    /// All links together carry beats; `None` with one link.
    pub up: Option<Handle>,
    /// A FIFO of the PHY ran empty or over, by link.
    pub elastic_error: Handle,
    /// By link.
    pub links: Vec<LinkPorts>,
    /// By lane, of all links.
    pub lanes: Vec<LanePorts>,
}

/// A compiled port.
#[derive(Clone)]
pub struct PortProgram {
    /// What is built.
    pub shape: PortShape,
    /// The program.
    pub program: Arc<Compiled>,
    /// Its signals.
    pub handles: Arc<PortHandles>,
    /// The core clock.
    pub clock: Clocks,
}

const BUS: [&str; 6] = ["addr", "wdata", "we", "re", "rdata", "ack"];
const FLITS_IN: [&str; 3] = ["flits_in.valid", "flits_in.data", "flits_in.ready"];
const FLITS_OUT: [&str; 2] = ["flits_out.valid", "flits_out.data"];
const LOST: [&str; 2] = ["sender.lost.valid", "sender.lost.data"];

/// Names of what a link has of its own: state, masks, orders, told.
fn link_names(kind: Kind, link: usize) -> [String; 7] {
    let names = ["state", "tx_lanes", "rx_lanes", "invert", "slip", "signal_ok", "lane_lock"];
    names.map(|name| match (kind, name) {
        // The masks of a bonded port's links are no ports of it.
        (Kind::Bonded, "tx_lanes" | "rx_lanes") => format!("link[{link}].{name}"),
        (Kind::FabBonded, "tx_lanes" | "rx_lanes") => format!("link.port.link[{link}].{name}"),
        (Kind::Bonded | Kind::FabBonded, _) => format!("{name}[{link}]"),
        _ => name.to_string(),
    })
}

impl PortProgram {
    /// A port of the library with the timeouts of the bench.
    pub fn new(kind: Kind, shape: PortShape, guid: u64) -> Result<Self, SimError> {
        let block = kind.block();
        let PortShape { flits, lanes, links, slots } = shape;
        let values = [("f", flits), ("lanes", lanes), ("links", links), ("r", slots)];
        let mut values: Vec<_> = values.map(|(name, value)| (name, value as u64)).into();
        values.push(("guid", guid));
        Self::of_choice(kind, shape, &BlockChoice { block, values })
    }

    /// `link_port` as the registry builds it, with the chapter's timeouts and guard time.
    pub fn of_registry(shape: PortShape, crc_modes: u64, guid: u64) -> Result<Self, SimError> {
        let PortShape { flits, lanes, slots, .. } = shape;
        let sizes = [("f", flits), ("lanes", lanes), ("r", slots)].map(|(name, value)| (name, value as u64));
        let values = [&sizes[..], &[("guid", guid), ("crc_modes", crc_modes)]].concat();
        Self::of_choice(Kind::Link, shape, &BlockChoice { block: Kind::Link.block(), values })
    }

    fn of_choice(kind: Kind, shape: PortShape, choice: &BlockChoice) -> Result<Self, SimError> {
        let (block, links) = (choice.block, shape.links);
        let program = program(choice, &outputs_of(kind, &shape))?;
        let get = |path: &str| handle(&program, block, path);
        let has_registers = kind != Kind::Compact;
        let handles = PortHandles {
            clear: get("clear")?,
            bus: has_registers.then(|| all(BUS, get)).transpose()?,
            enable: (!has_registers).then(|| get("enable")).transpose()?,
            lost: (!has_registers).then(|| all(LOST, get)).transpose()?,
            flits_in: (!kind.takes_packets()).then(|| all(FLITS_IN, get)).transpose()?,
            flits_out: (!kind.takes_packets()).then(|| all(FLITS_OUT, get)).transpose()?,
            packets: (0..vls(kind, &shape)).map(|vl| packet_ports(vl, &get)).collect::<Result<_, _>>()?,
            up: kind.is_bond().then(|| get("up")).transpose()?,
            elastic_error: get("elastic_error")?,
            links: (0..links).map(|link| link_ports(kind, link, &get)).collect::<Result<_, _>>()?,
            lanes: (0..shape.all_lanes())
                .map(|lane| LanePorts::find(lane, &get))
                .collect::<Result<_, _>>()?,
        };
        let clock = program.all_clocks();
        Ok(Self { shape, program, handles: Arc::new(handles), clock })
    }
}

/// Virtual lanes of a port that takes packets; of others none.
pub fn vls(kind: Kind, shape: &PortShape) -> usize {
    match (kind, shape.lanes) {
        (Kind::Fab, 1) => 2,
        (Kind::Fab | Kind::FabBonded, _) => 4,
        _ => 0,
    }
}

fn packet_ports(vl: usize, get: &impl Fn(&str) -> Result<Handle, SimError>) -> Result<PacketPorts, SimError> {
    let of = |name: &str| all(["valid", "data", "ready"], |part| get(&format!("{name}[{vl}].{part}")));
    let inputs = all(["header_in", "words_in"], of)?;
    Ok(PacketPorts { inputs, outputs: all(["header_out", "words_out", "end_out"], of)? })
}

fn packet_outputs(vl: usize) -> Vec<String> {
    let taken = ["header_in", "words_in"].map(|name| format!("{name}[{vl}].ready"));
    let given = ["header_out", "words_out", "end_out"];
    let given = given.iter().flat_map(|name| ["valid", "data"].map(|part| format!("{name}[{vl}].{part}")));
    taken.into_iter().chain(given).collect()
}

fn link_ports(
    kind: Kind,
    link: usize,
    get: &impl Fn(&str) -> Result<Handle, SimError>,
) -> Result<LinkPorts, SimError> {
    let names = link_names(kind, link);
    let [state, sent, received, invert, slip, signal, lock] = all(names.each_ref().map(String::as_str), get)?;
    Ok(LinkPorts { state, masks: [sent, received], orders: [invert, slip], told: [signal, lock] })
}

fn outputs_of(kind: Kind, shape: &PortShape) -> Vec<String> {
    let mut names: Vec<&str> = vec![];
    if !kind.takes_packets() {
        names.extend([FLITS_IN[2], FLITS_OUT[0], FLITS_OUT[1]]);
    }
    match kind {
        Kind::Link | Kind::Fab => names.extend(&BUS[4..]),
        Kind::Compact => names.extend(LOST),
        Kind::Bonded | Kind::FabBonded => names.extend([BUS[4], BUS[5], "up"]),
    }
    let per_link = (0..shape.links).flat_map(|link| link_names(kind, link).into_iter().take(5));
    let per_lane =
        (0..shape.all_lanes()).flat_map(|lane| ["valid", "data"].map(|part| format!("tx[{lane}].{part}")));
    let packets = (0..vls(kind, shape)).flat_map(packet_outputs);
    names.into_iter().map(String::from).chain(per_link).chain(per_lane).chain(packets).collect()
}

/// One result per name.
pub(crate) fn all<const N: usize, T: Copy>(
    names: [&str; N],
    mut get: impl FnMut(&str) -> Result<T, SimError>,
) -> Result<[T; N], SimError> {
    let mut found = vec![];
    for name in names {
        found.push(get(name)?);
    }
    found.try_into().map_err(|_| refused("names", &"as many results as names were expected"))
}
