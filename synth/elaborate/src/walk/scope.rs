//! The block tree.

use crate::graph::Shape;
use crate::marker::Marker;
use crate::value::Value;
use rust_hdl::prelude::*;

/// One block.
pub(crate) struct Scope {
    /// Rust spelling of the field that holds it: `lanes[2]`.
    pub field: String,
    /// Path from the top, for messages.
    pub path: String,
    /// What the block does.
    pub text: Verilog,
    /// What it says about itself.
    pub timing: Vec<TimingInfo>,
    /// Its signals, in the order of its fields.
    pub atoms: Vec<Wire>,
    /// Its child blocks, in the order of its fields.
    pub children: Vec<Scope>,
    /// What its hand-written text means, if the caller said so.
    pub marker: Option<Marker>,
}

/// One signal or constant.
pub(crate) struct Wire {
    /// Rust spelling inside the block: `flits_in.data`.
    pub path: String,
    /// Direction.
    pub kind: AtomKind,
    /// Bits.
    pub width: u32,
    /// Meaning of the bits.
    pub shape: Shape,
    /// Value at elaboration: of a constant its value, of an output its power-on value.
    pub value: Value,
}

impl Scope {
    /// The signal with this path.
    pub fn wire(&self, path: &str) -> Option<&Wire> {
        self.atoms.iter().find(|wire| wire.path == path)
    }
}

impl Wire {
    /// True for ports.
    pub fn is_port(&self) -> bool {
        matches!(self.kind, AtomKind::InputParameter | AtomKind::OutputParameter | AtomKind::InOutParameter)
    }
}

/// `lanes$2` (rust-hdl) as `lanes[2]` (Rust).
pub(crate) fn rust_name(name: &str) -> String {
    let mut parts = name.split('$');
    let mut out = parts.next().unwrap_or_default().to_string();
    for index in parts {
        out.push_str(&format!("[{index}]"));
    }
    out
}
