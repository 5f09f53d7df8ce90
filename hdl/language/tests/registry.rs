//! The types with which the library's primitives describe themselves; nothing here reads them.
#![allow(dead_code)]

use crate::config::ConfigError;
use flitforge_elaborate::drive::DriveBlock;

#[path = "../../src/registry/settings.rs"]
mod settings;
#[path = "../../src/registry/shapes.rs"]
pub mod shapes;
pub use settings::Settings;
pub(crate) use shapes::shapes;

pub const WIDTHS: Allowed = Allowed::Range(1, 1024);

pub struct BlockEntry {
    pub name: &'static str,
    pub chapter: &'static str,
    pub summary: &'static str,
    pub parameters: &'static [ParameterInfo],
    pub presets: &'static [Preset],
    pub build: fn(&Settings) -> Result<BuiltBlock, ConfigError>,
}

pub struct ParameterInfo {
    pub name: &'static str,
    pub default: u64,
    pub allowed: Allowed,
    pub doc: &'static str,
}

pub enum Allowed {
    OneOf(&'static [u64]),
    Range(u64, u64),
    PowerOfTwo(u64, u64),
}

pub struct Preset {
    pub name: &'static str,
    pub values: &'static [(&'static str, u64)],
}

pub struct BuiltBlock(pub Box<dyn DriveBlock>);

impl BuiltBlock {
    pub fn new<B: DriveBlock + 'static>(mut block: B, _: InterfaceInfo) -> Self {
        block.connect_all();
        Self(Box::new(block))
    }
}

#[derive(Default)]
pub struct InterfaceInfo {
    pub streams: Vec<StreamInfo>,
    pub clocks: Vec<String>,
    pub multiples: Vec<()>,
    pub clears: Vec<String>,
    pub latency_clocks: Option<u32>,
    pub latency_note: String,
}

impl InterfaceInfo {
    pub fn clocked(_: &[(&str, StreamRole)], _: Option<u32>, _: impl Into<String>) -> Self {
        Self::default()
    }
}

pub struct StreamInfo {
    pub name: String,
    pub role: StreamRole,
    pub clock: String,
}

#[derive(Clone, Copy)]
pub enum StreamRole {
    StreamSink,
    StreamSource,
    FlowSink,
    FlowSource,
}
