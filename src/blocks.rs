//! From a block's name on the command line to its Verilog.

use crate::exit::Failure;
use anyhow::Result;
use flitforge_elaborate::drive::Meanings;
use flitforge_elaborate::identifier::is_reserved;
use flitforge_elaborate::interface::{describe, Interface};
use flitforge_elaborate::verilog::{self, Options, Technology};
use flitforge_elaborate::{elaborate, graph, Design};
use flitforge_flow::{Direction, Port, Source};
use flitforge_hdl::registry::{self, BlockEntry, InterfaceInfo, Settings};

/// A block, elaborated.
pub struct Emitted {
    /// Its registry entry.
    pub entry: &'static BlockEntry,
    /// The preset that the values began with.
    pub preset: String,
    /// The parameter values.
    pub settings: Settings,
    /// Clocks, clears and streams.
    pub info: InterfaceInfo,
    /// The typed graph.
    pub design: Design,
    /// Ports of the top module.
    pub interface: Interface,
    /// What they mean.
    pub meanings: Meanings,
}

/// The preset of a block that none is named for.
pub const DEFAULT_PRESET: &str = "default";

/// Splits `key=value` arguments.
pub fn parse_settings(settings: &[String]) -> Result<Vec<(String, u64)>> {
    let parsed: Vec<(String, u64)> = settings
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
        .collect::<Result<_>>()?;
    let repeated =
        parsed.iter().enumerate().find(|(at, (key, _))| parsed[..*at].iter().any(|(known, _)| known == key));
    match repeated {
        Some((_, (key, _))) => Err(Failure::usage(format!("{key} is set twice; give it one value")).into()),
        None => Ok(parsed),
    }
}

/// Builds and elaborates a block.
pub fn emit(name: &str, preset: Option<&str>, settings: &[String]) -> Result<Emitted> {
    let entry = registry::find(name)?;
    let settings = Settings::new(entry, preset, &parse_settings(settings)?)?;
    let built = (entry.build)(&settings)?;
    let design = elaborate(built.block.as_ref(), entry.name)?;
    let (interface, meanings) = (describe(&design), Meanings::of(built.block.as_ref()));
    let preset = preset.unwrap_or(DEFAULT_PRESET).to_owned();
    Ok(Emitted { entry, preset, settings, info: built.interface, design, interface, meanings })
}

impl Emitted {
    /// Names the top module, and puts a prefix before all modules.
    pub fn rename(&mut self, top: &str, prefix: &str) -> Result<()> {
        let legal = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let begins = |name: &str| name.starts_with(|first: char| first.is_ascii_alphabetic());
        let name = format!("{prefix}{top}");
        if !legal(&name) || !begins(&name) || is_reserved(&name) {
            let advice = "give letters, digits and _, a letter first, and no word of Verilog, VHDL or C++";
            return Err(Failure::usage(format!("`{name}` cannot be a module's name; {advice}")).into());
        }
        let inside = self.design.top_module();
        let mut names = inside
            .signals
            .iter()
            .map(|signal| &signal.name)
            .chain(inside.instances.iter().map(|instance| &instance.name));
        if names.any(|inner| inner.eq_ignore_ascii_case(&name)) {
            let text = format!(
                "`{name}` is the name of something inside the module, which it would hide; give another one"
            );
            return Err(Failure::usage(text).into());
        }
        let id = self.design.top.0 as usize;
        for (at, module) in self.design.modules.iter_mut().enumerate() {
            module.name = if at == id { name.clone() } else { format!("{prefix}{}", module.name) };
        }
        self.interface = describe(&self.design);
        Ok(())
    }

    /// Name of the top module.
    pub fn top(&self) -> &str {
        &self.interface.module
    }

    /// Verilog name of a port, by its Rust path.
    pub fn port_name(&self, path: &str) -> Option<&str> {
        let port = self.interface.ports.iter().find(|port| port.path == path);
        port.map(|port| port.name.as_str())
    }

    /// The name of the top that tells presets and parameters apart: the block, the preset unless it is the default, and the values
    /// that were given besides.
    pub fn plain_name(&self, settings: &[String]) -> Result<String> {
        let mut name = self.design.top_module().name.clone();
        if self.preset != DEFAULT_PRESET {
            name += &format!("_{}", self.preset.replace('-', "_"));
        }
        for (key, value) in parse_settings(settings)? {
            name += &format!("_{key}{value}");
        }
        Ok(name)
    }

    /// What the name of a top gets whose text for a technology is not that for every one.
    pub fn suffix(&self, technology: Technology) -> &'static str {
        let specific = || self.verilog(technology) != self.verilog(Technology::Generic);
        match technology {
            Technology::Ecp5 if specific() => "_ecp5",
            Technology::Xilinx if specific() => "_xilinx",
            _ => "",
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_given_once() {
        let parse =
            |settings: &[&str]| parse_settings(&settings.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            parse(&["lanes=4", "slots=0x10"]).expect("good"),
            [("lanes".into(), 4), ("slots".into(), 16)]
        );
        assert!(parse(&["lanes=4", "lanes=4"])
            .expect_err("twice")
            .to_string()
            .contains("lanes is set twice"));
    }
}
