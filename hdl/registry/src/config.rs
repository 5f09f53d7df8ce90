//! Refusal of configurations that cannot work (chapter 00, "Conventions of every block").

use crate::shape::Shape;
use std::fmt::Display;
use thiserror::Error;

/// A configuration a block cannot be built with: which block, which parameter, what was given, what would
/// have been right and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{block}: {parameter} = {value} {}: expected {expected}; {fix}", self.verdict())]
pub struct ConfigError {
    /// Block name, for instance `link_crc`.
    pub block: Box<str>,
    /// Parameter name, for instance `w`.
    pub parameter: String,
    /// The refused value.
    pub value: String,
    /// What is allowed.
    pub expected: String,
    /// What to do about it.
    pub fix: String,
    /// The configuration can work, but this library was not compiled with the block's shape for it.
    pub shape: Option<Box<Shape>>,
}

impl ConfigError {
    /// `parameter` of `block` was `value`.
    pub fn new(
        block: &str,
        parameter: &str,
        value: impl Display,
        expected: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            block: block.into(),
            parameter: parameter.into(),
            value: value.to_string(),
            expected: expected.into(),
            fix: fix.into(),
            shape: None,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.shape {
            Some(_) => "is not built in",
            None => "cannot work",
        }
    }
}

/// `Ok` if `value` lies in `min..=max`.
pub fn check_range(block: &str, parameter: &str, value: u64, min: u64, max: u64) -> Result<(), ConfigError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::new(
        block,
        parameter,
        value,
        format!("{min} to {max}"),
        format!("choose {parameter} in that range"),
    ))
}

/// `Ok` if `value` is one of `allowed`.
pub fn check_one_of(block: &str, parameter: &str, value: u64, allowed: &[u64]) -> Result<(), ConfigError> {
    if allowed.contains(&value) {
        return Ok(());
    }
    let list: Vec<String> = allowed.iter().map(u64::to_string).collect();
    Err(ConfigError::new(
        block,
        parameter,
        value,
        format!("one of {}", list.join(", ")),
        format!("choose a listed {parameter}"),
    ))
}

/// `Ok` if `value` is a power of two in `min..=max`.
pub fn check_power_of_two(
    block: &str,
    parameter: &str,
    value: u64,
    min: u64,
    max: u64,
) -> Result<(), ConfigError> {
    if value.is_power_of_two() && (min..=max).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::new(
        block,
        parameter,
        value,
        format!("a power of two, {min} to {max}"),
        format!("choose such a {parameter}"),
    ))
}

/// `Ok` if a derived const parameter has the value its formula gives: rust-hdl cannot compute one const
/// generic from another, so derived widths are passed beside what they derive from.
pub fn check_derived(
    block: &str,
    parameter: &str,
    value: u64,
    formula: &str,
    derived: u64,
) -> Result<(), ConfigError> {
    if value == derived {
        return Ok(());
    }
    Err(ConfigError::new(
        block,
        parameter,
        value,
        format!("{formula} = {derived}"),
        format!("set {parameter} to {derived}"),
    ))
}
