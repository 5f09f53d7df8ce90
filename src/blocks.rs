//! From a block's name on the command line to its Verilog.

use crate::exit::Failure;
use anyhow::Result;
use flitforge_elaborate::interface::{describe, Interface};
use flitforge_elaborate::verilog::{self, Options, Technology};
use flitforge_elaborate::{elaborate, graph, Design};
use flitforge_flow::{Direction, Port, Source};
use flitforge_hdl::registry::{self, BlockEntry, InterfaceInfo, Settings};

/// A block, elaborated.
pub struct Emitted {
    /// Its registry entry.
    pub entry: &'static BlockEntry,
    /// The parameter values.
    pub settings: Settings,
    /// Clocks, clears and streams.
    pub info: InterfaceInfo,
    /// The typed graph.
    pub design: Design,
    /// Ports of the top module.
    pub interface: Interface,
}

/// Splits `key=value` arguments.
pub fn parse_settings(settings: &[String]) -> Result<Vec<(String, u64)>> {
    settings
        .iter()
        .map(|text| {
            let (key, value) = text.split_once('=').ok_or_else(|| {
                Failure::usage(format!("--set {text}: expected key=value, for instance --set lanes=4"))
            })?;
            let parsed = match value.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => value.replace('_', "").parse(),
            };
            let number = parsed.map_err(|_| {
                Failure::usage(format!("--set {text}: the value must be a number, decimal or 0x hexadecimal"))
            })?;
            Ok((key.to_owned(), number))
        })
        .collect()
}

/// Builds and elaborates a block.
pub fn emit(name: &str, preset: Option<&str>, settings: &[String]) -> Result<Emitted> {
    let entry = registry::find(name)?;
    let settings = Settings::new(entry, preset, &parse_settings(settings)?)?;
    let built = (entry.build)(&settings)?;
    let design = elaborate(built.block.as_ref(), entry.name)?;
    let interface = describe(&design);
    Ok(Emitted { entry, settings, info: built.interface, design, interface })
}

impl Emitted {
    /// The Verilog text.
    pub fn verilog(&self, technology: Technology) -> String {
        verilog::write(&self.design, &Options { technology })
    }

    /// What the flow needs to know.
    pub fn source(&self, technology: Technology) -> Source {
        source_of(&self.design, self.verilog(technology))
    }
}

/// A design's text with its ports.
pub fn source_of(design: &Design, verilog: String) -> Source {
    let top = design.top_module();
    let ports = top
        .ports()
        .map(|(_, signal)| Port {
            name: signal.name.clone(),
            width: signal.width as usize,
            direction: match signal.kind {
                graph::SignalKind::Input => Direction::Input,
                _ => Direction::Output,
            },
            is_clock: signal.shape == graph::Shape::Clock && signal.kind == graph::SignalKind::Input,
            clock: None,
        })
        .collect();
    Source { verilog, top: top.name.clone(), ports }
}
