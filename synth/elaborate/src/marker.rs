//! What a block says about itself to the elaborator: its name and parameters, and, for a primitive whose
//! rust-hdl text is hand-written, what that text means.
//!
//! rust-hdl gives a block two free channels. `Logic::timing()` carries the label ([`block_label`]). The text
//! of `Verilog::Custom` and `Verilog::Wrapper` carries a [`Marker`] as its first line; text without a marker
//! is refused, because nothing ties it to `update()`.

use rust_hdl::prelude::TimingInfo;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::graph::MemoryStyle;

/// `TimingInfo::name` of a label.
pub const LABEL: &str = "flitforge.block";
/// What a marker line starts with.
pub const PREFIX: &str = "//@flitforge ";

/// The label of a block, to be returned by its `Logic::timing()`: its name and parameters become the name of
/// the Verilog module (`link_crc_w132_r16`).
pub fn block_label(name: &str, parameters: &[(&str, String)]) -> Vec<TimingInfo> {
    vec![TimingInfo {
        name: LABEL.into(),
        clock: name.into(),
        inputs: parameters.iter().map(|(key, value)| format!("{key}={value}")).collect(),
        outputs: vec![],
    }]
}

/// Meaning of a primitive's hand-written text. Signal names are port names of the block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Marker {
    /// A rising-edge register, see `graph::Register`.
    Register(RegisterMarker),
    /// A memory, see `graph::Memory`.
    Memory(MemoryMarker),
    /// A vendor primitive, passed through as text; it cannot be simulated here.
    Foreign(ForeignMarker),
}

/// See `graph::Register`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterMarker {
    /// Clock port.
    pub clock: String,
    /// Next value port.
    pub d: String,
    /// Output port.
    pub q: String,
    /// Enable port, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable: Option<String>,
    /// Clear port, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clear: Option<String>,
    /// Power-on and clear value, hexadecimal without prefix.
    pub initial: String,
    /// Tool attributes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// See `graph::Memory`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryMarker {
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Kind of RAM.
    pub style: MemoryStyle,
    /// Contents from address 0, hexadecimal without prefix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub initial: Vec<String>,
    /// Read ports.
    pub reads: Vec<ReadMarker>,
    /// Write ports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<WriteMarker>,
}

/// See `graph::ReadPort`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadMarker {
    /// Clock port; absent for a combinational read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// Address port.
    pub address: String,
    /// Data port.
    pub data: String,
    /// Enable port, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable: Option<String>,
    /// A second register after the array.
    #[serde(default)]
    pub output_register: bool,
    /// Enable port of the second register, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_enable: Option<String>,
}

/// See `graph::WritePort`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteMarker {
    /// Clock port.
    pub clock: String,
    /// Address port.
    pub address: String,
    /// Data port.
    pub data: String,
    /// Enable port, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enable: Option<String>,
}

/// Why a foreign text is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignMarker {
    /// For instance `ECP5 PLL`.
    pub reason: String,
}

impl Marker {
    /// The marker as the first line of a custom text, with the line end.
    pub fn line(&self) -> String {
        format!("{PREFIX}{}\n", serde_json::to_string(self).unwrap_or_default())
    }

    /// The marker at the head of `text`; `None` if there is none.
    pub fn parse(text: &str) -> Option<Result<Self, serde_json::Error>> {
        let line = text.trim_start().lines().next()?;
        Some(serde_json::from_str(line.strip_prefix(PREFIX)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_survive_the_text() {
        let marker = Marker::Register(RegisterMarker {
            clock: "clock".into(),
            d: "d".into(),
            q: "q".into(),
            initial: "0".into(),
            ..Default::default()
        });
        let text = marker.line() + "always @(posedge clock) q <= d;";
        assert_eq!(Marker::parse(&text).expect("marked").expect("valid"), marker);
        assert!(Marker::parse("assign q = d;").is_none());
        assert!(Marker::parse("//@flitforge {\"registre\":{}}").expect("marked").is_err());
    }
}
