//! The design that simulators take.

use crate::error::SimError;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::models::with_models;
use flitforge_elaborate::{elaborate, Design};

/// The elaborated design of a block as simulators take it, see [`with_models`].
pub fn design_of(name: &str, block: &dyn DriveBlock) -> Result<Design, SimError> {
    let error = |reason: String| SimError::Elaborate { block: name.into(), reason };
    let design = elaborate(block, name).map_err(|cause| error(cause.to_string()))?;
    with_models(design).map_err(|cause| error(cause.to_string()))
}
