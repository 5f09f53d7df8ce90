//! Targets and budgets, compiled in.

use anyhow::Result;
use flitforge_flow::targets::{Budgets, Targets};

/// `synth/targets.toml`.
pub fn targets() -> Result<Targets> {
    Ok(Targets::parse("synth/targets.toml", include_str!("../synth/targets.toml"))?)
}

/// `synth/budgets.toml`.
pub fn budgets(targets: &Targets) -> Result<Budgets> {
    Ok(Budgets::parse("synth/budgets.toml", include_str!("../synth/budgets.toml"), targets)?)
}
