//! Routing tables of switches, through the switch page.

use super::{LinkManager, LinkManagerError};
use flitforge_model::switch::RouteEntry;
use flitforge_protocol::link_registers::PAGE_BYTES;
use flitforge_protocol::register::{DeviceId, PageAccess, RegisterAccess};
use flitforge_protocol::switch_registers::{cap, id, route_data, route_index, PAGE_ID};

impl LinkManager {
    /// Writes routes into the table of a switch with `ports` ports and reads every one back. All are looked at before the first is
    /// written. A packet that comes meanwhile is routed by the entry as it stands.
    pub fn write_routes<A: RegisterAccess + ?Sized>(
        &self,
        bus: &mut A,
        (device, ports): (DeviceId, u32),
        routes: &[(u32, RouteEntry)],
    ) -> Result<(), LinkManagerError> {
        let mut page = PageAccess::new(bus, device, ports * PAGE_BYTES);
        let found: id::Value = page.read()?;
        if found.magic != PAGE_ID {
            return Err(LinkManagerError::NoSwitch { device, found: found.magic });
        }
        let built: cap::Value = page.read()?;
        for (index, entry) in routes {
            check(device, *index, *entry, &built)?;
        }
        let mut next = None;
        for (index, entry) in routes {
            if next != Some(*index) {
                page.write(route_index::Value { index: u64::from(*index) })?;
            }
            page.write(route_data::Value { entry: u64::from(entry.encode()) })?;
            next = Some(index + 1);
        }
        for (index, entry) in routes {
            page.write(route_index::Value { index: u64::from(*index) })?;
            let (written, read) =
                (u64::from(entry.encode()), page.read::<route_data::Value>().map(|value| value.entry)?);
            if written != read {
                let what = format!("route {index}");
                return Err(LinkManagerError::Refused { device, what, written, read });
            }
        }
        Ok(())
    }
}

fn check(
    device: DeviceId,
    index: u32,
    entry: RouteEntry,
    built: &cap::Value,
) -> Result<(), LinkManagerError> {
    let wrong = |parameter, value, limit: u64| {
        let expected = format!("at most {limit}");
        Err(LinkManagerError::Route { device, index, parameter, value, expected })
    };
    let (last, internal) = ((1 << built.address_bits) - 1, built.ports + 1);
    match entry {
        _ if u64::from(index) > last => wrong("index", index, last),
        RouteEntry { port, .. } if u64::from(port) > internal => wrong("port", port.into(), internal),
        RouteEntry { alt, .. } if u64::from(alt) > internal => wrong("alt", alt.into(), internal),
        _ => Ok(()),
    }
}
