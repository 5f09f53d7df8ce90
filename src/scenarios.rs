//! The scenarios of `flitforge sim`.

mod link_loopback;

use flitforge_sim::scenario::ScenarioRegistry;
use flitforge_sim::SimError;

/// Every scenario.
pub fn all() -> Result<ScenarioRegistry, SimError> {
    let mut registry = ScenarioRegistry::new();
    registry.add(link_loopback::LinkLoopbackScenario)?;
    Ok(registry)
}
