//! A complete, checked set of parameter values for one block.

use super::{Allowed, BlockEntry};
use crate::config::{check_one_of, check_power_of_two, check_range, ConfigError};
use std::collections::BTreeMap;

/// A value for every parameter of a block, each one allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    block: &'static str,
    values: BTreeMap<&'static str, u64>,
}

impl Settings {
    /// Defaults, then the preset (`default` if none is named), then the overrides in order.
    ///
    /// Unknown presets, unknown parameters and values out of range are refused; the error lists what is
    /// allowed.
    pub fn new(
        entry: &BlockEntry,
        preset: Option<&str>,
        overrides: &[(String, u64)],
    ) -> Result<Self, ConfigError> {
        let wanted = preset.unwrap_or("default");
        let Some(preset) = entry.presets.iter().find(|preset| preset.name == wanted) else {
            return Err(unknown(entry, "preset", wanted, entry.presets.iter().map(|preset| preset.name)));
        };
        let mut settings = Self {
            block: entry.name,
            values: entry.parameters.iter().map(|info| (info.name, info.default)).collect(),
        };
        for (name, value) in preset.values {
            settings.set(entry, name, *value)?;
        }
        for (name, value) in overrides {
            settings.set(entry, name, *value)?;
        }
        Ok(settings)
    }

    fn set(&mut self, entry: &BlockEntry, name: &str, value: u64) -> Result<(), ConfigError> {
        let Some(info) = entry.parameters.iter().find(|info| info.name == name) else {
            return Err(unknown(entry, "parameter", name, entry.parameters.iter().map(|info| info.name)));
        };
        match info.allowed {
            Allowed::OneOf(list) => check_one_of(entry.name, name, value, list)?,
            Allowed::Range(min, max) => check_range(entry.name, name, value, min, max)?,
            Allowed::PowerOfTwo(min, max) => check_power_of_two(entry.name, name, value, min, max)?,
        }
        self.values.insert(info.name, value);
        Ok(())
    }

    /// Name of the block these settings are for.
    pub fn block(&self) -> &'static str {
        self.block
    }

    /// The value of a parameter. An error if the block's entry declares no such parameter.
    pub fn get(&self, name: &str) -> Result<u64, ConfigError> {
        self.values.get(name).copied().ok_or_else(|| {
            let names: Vec<&str> = self.values.keys().copied().collect();
            ConfigError::new(
                self.block,
                "parameter",
                name,
                format!("one of {}", names.join(", ")),
                "declare it in the block's entry",
            )
        })
    }

    /// As [`get`](Self::get), as a `usize`.
    pub fn size(&self, name: &str) -> Result<usize, ConfigError> {
        let value = self.get(name)?;
        usize::try_from(value).map_err(|_| {
            ConfigError::new(self.block, name, value, "a size of this machine", "choose a smaller one")
        })
    }

    /// The error of a block that is not built for a combination of allowed values.
    pub fn unsupported(&self, parameter: &str, expected: impl Into<String>) -> ConfigError {
        let value = self.values.get(parameter).map_or_else(|| "unset".into(), u64::to_string);
        ConfigError::new(
            self.block,
            parameter,
            value,
            expected,
            "choose a listed combination, or instantiate the block's type with its const parameters",
        )
    }

    /// All values by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.values.iter().map(|(name, value)| (*name, *value))
    }
}

fn unknown<'a>(
    entry: &BlockEntry,
    what: &str,
    given: &str,
    names: impl Iterator<Item = &'a str>,
) -> ConfigError {
    let names: Vec<&str> = names.collect();
    let expected =
        if names.is_empty() { format!("no {what}") } else { format!("one of {}", names.join(", ")) };
    ConfigError::new(entry.name, what, given, expected, format!("give a {what} the block has"))
}
