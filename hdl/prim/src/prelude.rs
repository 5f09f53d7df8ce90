//! What nearly every block takes: `use flitforge_hdl_prim::prelude::*;` is its first line.

pub use crate::register::Register;
pub use crate::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
pub use flitforge_base::prelude::*;
pub use flitforge_elaborate::marker::block_label;
pub use flitforge_hdl_registry::config::{check_derived, check_one_of, check_power_of_two, check_range};
pub use flitforge_hdl_registry::shapes::log2;
pub use flitforge_hdl_registry::StreamRole::{FlowSink, FlowSource, StreamSink, StreamSource};
pub use flitforge_hdl_registry::{
    shapes, Allowed, BlockEntry, BuiltBlock, ConfigError, InterfaceInfo, ParameterInfo, Preset, Settings,
    StreamInfo, StreamRole, WIDTHS,
};
