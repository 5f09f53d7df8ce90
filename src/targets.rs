//! Targets and budgets, compiled in: those of `synth/`, and those in the `figures.toml` of blocks.

use anyhow::Result;
use flitforge_flow::targets::{Budgets, Targets};

/// All targets.
pub fn targets() -> Result<Targets> {
    let text = include_str!(concat!(env!("OUT_DIR"), "/targets.toml"));
    Ok(Targets::parse("figures.toml of the blocks", text)?)
}

/// All budgets.
pub fn budgets(targets: &Targets) -> Result<Budgets> {
    let text = include_str!(concat!(env!("OUT_DIR"), "/budgets.toml"));
    Ok(Budgets::parse("figures.toml of the blocks", text, targets)?)
}
