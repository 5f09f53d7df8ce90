//! The interface of an emitted design, as data for tools that see only the Verilog text.

use crate::graph::{Design, Shape, SignalKind};
use serde::{Deserialize, Serialize};

/// Module name and ports of a design's top.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// Name of the top module.
    pub module: String,
    /// Ports in order.
    pub ports: Vec<Port>,
}

/// One port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Verilog name: `flits_in_data`.
    pub name: String,
    /// Rust path: `flits_in.data`.
    pub path: String,
    /// Width in bits.
    pub width: u32,
    /// Direction as the block sees it.
    pub direction: Direction,
    /// What the bits are.
    pub shape: PortShape,
}

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Into the block.
    Input,
    /// Out of the block.
    Output,
    /// Both.
    InOut,
}

/// What the bits of a port are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortShape {
    /// Unsigned number or plain bits.
    Bits,
    /// Two's complement.
    Signed,
    /// A clock.
    Clock,
    /// An enumeration with its variants, value 0 first.
    Enum {
        /// Type name.
        name: String,
        /// Variant names.
        variants: Vec<String>,
    },
    /// A struct, the first field in the least significant bits.
    Struct {
        /// Fields.
        fields: Vec<PortField>,
    },
}

/// One field of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortField {
    /// Name.
    pub name: String,
    /// Least significant bit.
    pub offset: u32,
    /// Width in bits.
    pub width: u32,
    /// What its bits are.
    pub shape: PortShape,
}

/// The interface of the design's top module.
pub fn describe(design: &Design) -> Interface {
    let top = design.top_module();
    let ports = top
        .ports()
        .map(|(_, port)| Port {
            name: port.name.clone(),
            path: port.path.clone(),
            width: port.width,
            direction: match port.kind {
                SignalKind::Input => Direction::Input,
                SignalKind::InOut => Direction::InOut,
                _ => Direction::Output,
            },
            shape: shape(&port.shape),
        })
        .collect();
    Interface { module: top.name.clone(), ports }
}

fn shape(from: &Shape) -> PortShape {
    match from {
        Shape::Bits => PortShape::Bits,
        Shape::Signed => PortShape::Signed,
        Shape::Clock => PortShape::Clock,
        Shape::Enum(name, variants) => PortShape::Enum { name: name.clone(), variants: variants.clone() },
        Shape::Struct(fields) => PortShape::Struct {
            fields: fields
                .iter()
                .map(|field| PortField {
                    name: field.name.clone(),
                    offset: field.offset,
                    width: field.width,
                    shape: shape(&field.shape),
                })
                .collect(),
        },
    }
}
