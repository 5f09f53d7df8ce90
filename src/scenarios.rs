//! The scenarios of `flitforge sim`.

mod clock_tree;
mod clock_tree_change;
mod clock_tree_scale;
mod goodput;
mod goodput_hardware;
mod lane_fault;
mod line;
mod link_loopback;
mod link_soak;
mod loopback;
mod ltp_loopback;
mod sue_failover;
mod sue_incast;
mod sue_loss;
mod sue_soak;
mod switch_64;

use flitforge_sim::scenario::ScenarioRegistry;
use flitforge_sim::SimError;

/// Every scenario.
pub fn all() -> Result<ScenarioRegistry, SimError> {
    let mut registry = ScenarioRegistry::new();
    registry.add(link_loopback::LinkLoopbackScenario)?;
    registry.add(ltp_loopback::LtpLoopbackScenario)?;
    registry.add(link_soak::LinkSoakScenario)?;
    registry.add(lane_fault::LaneFaultScenario)?;
    registry.add(line::LineScenario)?;
    registry.add(goodput::GoodputScenario)?;
    registry.add(sue_soak::SueSoakScenario)?;
    registry.add(sue_loss::SueLossScenario)?;
    registry.add(sue_failover::SueFailoverScenario)?;
    registry.add(sue_incast::SueIncastScenario)?;
    registry.add(switch_64::Switch64Scenario)?;
    registry.add(clock_tree::ClockTreeScenario)?;
    registry.add(clock_tree_change::ClockTreeChangeScenario)?;
    registry.add(clock_tree_scale::ClockTreeScaleScenario)?;
    Ok(registry)
}
