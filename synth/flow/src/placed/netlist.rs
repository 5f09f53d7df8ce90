//! The parts of nextpnr's netlist (JSON) that its behaviour depends on.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The top module.
#[derive(Debug, Deserialize)]
pub struct Netlist {
    /// Ports by name.
    pub ports: BTreeMap<String, PortBits>,
    /// Cells by name.
    pub cells: BTreeMap<String, Cell>,
    /// Nets by name; a net may have several, or none.
    #[serde(default)]
    pub netnames: BTreeMap<String, NetBits>,
}

/// A port.
#[derive(Debug, Deserialize)]
pub struct PortBits {
    /// `input`, `output` or `inout`.
    pub direction: String,
    /// Its nets, the low bit first.
    pub bits: Vec<Bit>,
}

/// A name's nets.
#[derive(Debug, Deserialize)]
pub struct NetBits {
    /// The low bit first.
    pub bits: Vec<Bit>,
}

/// What a pin is connected to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Bit {
    /// A net by number.
    Net(u64),
    /// A level: `0` or `1`.
    Level(String),
}

/// A cell.
#[derive(Debug, Deserialize)]
pub struct Cell {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Parameters: binary numbers, or text.
    pub parameters: BTreeMap<String, String>,
    /// Attributes, such as the site of a pad.
    #[serde(default)]
    pub attributes: BTreeMap<String, String>,
    /// Pins by name; an open pin has no bit.
    pub connections: BTreeMap<String, Vec<Bit>>,
}

impl Cell {
    /// A parameter as text, `default` where there is none. (A text of zeros and ones has a space after it.)
    pub fn parameter<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        self.parameters.get(name).map_or(default, |value| value.trim_end())
    }

    /// What a pin is connected to, or `None`.
    pub fn pin(&self, name: &str) -> Option<&Bit> {
        self.connections.get(name)?.first()
    }

    /// The net at a pin.
    pub fn net(&self, pin: &str) -> Option<u64> {
        match self.pin(pin) {
            Some(Bit::Net(net)) => Some(*net),
            _ => None,
        }
    }
}
