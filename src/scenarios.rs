//! The scenarios of `flitforge sim`.

use flitforge_sim::scenario::ScenarioRegistry;
use flitforge_sim::SimError;

/// Every scenario.
pub fn all() -> Result<ScenarioRegistry, SimError> {
    Ok(ScenarioRegistry::new())
}
