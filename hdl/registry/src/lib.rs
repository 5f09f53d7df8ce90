//! What a block says of itself: parameters and presets, interface, the shapes that are compiled; and the refusal of configurations.
//!
//! A block folder holds one `pub const ENTRY: BlockEntry` beside its `Config`; its family lists it in its `ENTRIES`.

pub mod config;
mod settings;
mod shape;
pub mod shapes;

pub use config::ConfigError;
pub use settings::Settings;

use flitforge_elaborate::drive::DriveBlock;
use std::fmt;

/// One block of the library.
#[derive(Clone, Copy, Debug)]
pub struct BlockEntry {
    /// Name, for instance `link_crc`; also the block's label and the stem of its Verilog module.
    pub name: &'static str,
    /// Chapter of the specification, for instance `10-link`; `00-overview` for the primitives.
    pub chapter: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
    /// Parameters, in the order of the block's documentation.
    pub parameters: &'static [ParameterInfo],
    /// Named parameter sets; the first is `default` and overrides nothing or something.
    pub presets: &'static [Preset],
    /// Builds the block.
    pub build: fn(&Settings) -> Result<BuiltBlock, ConfigError>,
}

/// One parameter of a block.
#[derive(Clone, Copy, Debug)]
pub struct ParameterInfo {
    /// Name, for instance `w`.
    pub name: &'static str,
    /// Value when neither preset nor override gives one.
    pub default: u64,
    /// Values that may be given. A block may refuse combinations of allowed values.
    pub allowed: Allowed,
    /// One line: what it sets, with its unit.
    pub doc: &'static str,
}

impl ParameterInfo {
    /// A parameter; see its fields.
    #[must_use]
    pub const fn new(name: &'static str, default: u64, allowed: Allowed, doc: &'static str) -> Self {
        Self { name, default, allowed, doc }
    }
}

/// Values a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Exactly these.
    OneOf(&'static [u64]),
    /// From the first to the second, both included.
    Range(u64, u64),
    /// Powers of two from the first to the second, both included.
    PowerOfTwo(u64, u64),
}

/// Widths of a word that the primitives are made for.
pub const WIDTHS: Allowed = Allowed::Range(1, 1024);

/// A named parameter set.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name, for instance `default`.
    pub name: &'static str,
    /// Values that differ from the parameters' defaults.
    pub values: &'static [(&'static str, u64)],
}

/// A block ready to be elaborated or simulated (its signals are connected), and how to talk to it.
pub struct BuiltBlock {
    /// The block.
    pub block: Box<dyn DriveBlock>,
    /// Its clocks, clears and streams.
    pub interface: InterfaceInfo,
}

/// How a block is talked to. Ports are named by their Rust path (`flits_in`, `lane[2]`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceInfo {
    /// Streams and flows.
    pub streams: Vec<StreamInfo>,
    /// Clock ports.
    pub clocks: Vec<String>,
    /// Clocks that are multiples of others, of one PLL.
    pub multiples: Vec<ClockMultiple>,
    /// Synchronous, active-high clear ports.
    pub clears: Vec<String>,
    /// Clocks from an input to the output that depends on it, where that is one number.
    pub latency_clocks: Option<u32>,
    /// Between which points that latency is counted, or why there is none.
    pub latency_note: String,
}

/// A clock that has a whole number of edges per edge of another one, of which each edge is one of its own, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockMultiple {
    /// Path of the clock port.
    pub clock: String,
    /// Path of the slower clock's port.
    pub of: String,
    /// Its edges per edge of that.
    pub ratio: u64,
}

/// A stream or flow of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamInfo {
    /// Rust path of the interface, for instance `flits_in`.
    pub name: String,
    /// Direction and kind, seen from the block.
    pub role: StreamRole,
    /// Path of the clock port the stream belongs to.
    pub clock: String,
}

/// Direction and kind of a stream, seen from the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamRole {
    /// The block takes a stream (`StreamIn`).
    StreamSink,
    /// The block gives a stream (`StreamOut`).
    StreamSource,
    /// The block takes a flow (`FlowIn`).
    FlowSink,
    /// The block gives a flow (`FlowOut`).
    FlowSource,
}

impl BuiltBlock {
    /// Connects the block's signals, so that it can be simulated, and pairs it with its interface.
    pub fn new<B: DriveBlock + 'static>(mut block: B, interface: InterfaceInfo) -> Self {
        block.connect_all();
        Self { block: Box::new(block), interface }
    }
}

impl fmt::Debug for BuiltBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltBlock").field("interface", &self.interface).finish_non_exhaustive()
    }
}

impl InterfaceInfo {
    /// The usual block: one clock `clock`, one clear `clear`, and these streams.
    pub fn clocked(
        streams: &[(&str, StreamRole)],
        latency_clocks: Option<u32>,
        latency_note: impl Into<String>,
    ) -> Self {
        Self {
            streams: streams
                .iter()
                .map(|(name, role)| StreamInfo { name: (*name).into(), role: *role, clock: "clock".into() })
                .collect(),
            clocks: vec!["clock".into()],
            multiples: vec![],
            clears: vec!["clear".into()],
            latency_clocks,
            latency_note: latency_note.into(),
        }
    }

    /// Paths of the inputs of all streams and flows: what a stimulus may draw anew on every clock.
    pub fn stream_inputs(&self) -> Vec<String> {
        let inputs = |stream: &StreamInfo| {
            let parts: &[&str] = match stream.role {
                StreamRole::StreamSink | StreamRole::FlowSink => &["valid", "data"],
                StreamRole::StreamSource => &["ready"],
                StreamRole::FlowSource => &[],
            };
            parts.iter().map(|part| format!("{}.{part}", stream.name)).collect::<Vec<_>>()
        };
        self.streams.iter().flat_map(inputs).collect()
    }
}
