//! Offsets of all slaves of a tree by equation (1) (chapter 20, 7 rule 4).

use super::tree::{ClockTree, TreeInput};
use super::ManagerError;
use crate::topology::{DeviceId, DeviceKind};
use flitforge_model::time::delay::round_to_fine;
use flitforge_protocol::time::INJECT_CLOCKS;

/// ClockOffset of every device of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetTable {
    /// (device, offset in 1/256 ns) in the order of the tree: of an HFI at its plane R, of a switch at its clock stop.
    pub rows: Vec<(DeviceId, i64)>,
}

/// Delay from the master's plane X: links in 1/256 ns and rings in 2^-32 ns, rounded only at the end.
#[derive(Debug, Clone, Copy, Default)]
struct PathDelay {
    links: i64,
    rings: i64,
}

impl PathDelay {
    fn fine(self) -> i64 {
        self.links + round_to_fine(self.rings.into())
    }
}

/// Largest value of CLOCK_OFFSET, 48 bits.
const OFFSET_MAX: i64 = (1 << 48) - 1;

/// Sums links and switches along the tree, each device once. Switch delays are core clocks of the switch's own period
/// (`increments`), so that a clock that is off does not put the offsets off.
pub fn offsets(input: TreeInput<'_>, tree: &ClockTree) -> Result<OffsetTable, ManagerError> {
    let mut at_r = vec![PathDelay::default(); input.topology.devices().len()];
    let mut rows = Vec::with_capacity(tree.order.len());
    for &device in &tree.order {
        let Some(upstream) = tree.upstream[device as usize] else { continue };
        let link = input.links.delay(upstream.link, upstream.end);
        let link = link.ok_or(ManagerError::Measurement { link: upstream.link })?;
        let mut delay = at_r[upstream.from as usize];
        delay.rings += crossing(input, tree, upstream.from, upstream.from_port.into());
        delay.links += link;
        at_r[device as usize] = delay;
        if let DeviceKind::Switch(shape) = input.topology.devices()[device as usize] {
            // The clock stop loads its core register, one clock before an injection.
            delay.rings += crossing(input, tree, device, shape.stops - 1);
            delay.rings -= INJECT_CLOCKS as i64 * input.increments[device as usize] as i64;
        }
        let offset = delay.fine();
        if !(0..=OFFSET_MAX).contains(&offset) {
            return Err(ManagerError::Offset { device, offset });
        }
        rows.push((device, offset));
    }
    Ok(OffsetTable { rows })
}

/// Delay of a switch from its upstream stop to a stop, 2^-32 ns; nothing for an HFI.
fn crossing(input: TreeInput<'_>, tree: &ClockTree, device: DeviceId, to: u32) -> i64 {
    match input.topology.devices()[device as usize] {
        DeviceKind::Hfi => 0,
        DeviceKind::Switch(shape) => {
            let path = shape.path(tree.source_stop(device, &shape), to);
            path.clocks as i64 * input.increments[device as usize] as i64
        }
    }
}
