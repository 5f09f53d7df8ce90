//! Which registers take data across clocks.

use flitforge_elaborate::check::foreign_registers;
use flitforge_elaborate::flat::node::Op;
use flitforge_elaborate::flat::{Flat, Source};
use flitforge_elaborate::graph::{Design, ModuleId, Register};
use std::collections::BTreeSet;

/// One instance of a module.
pub(super) struct Place {
    pub(super) module: ModuleId,
    /// Path from the top with a trailing dot, empty for the top.
    pub(super) prefix: String,
}

/// All instances in the order in which a flat design numbers them.
pub(super) fn places(design: &Design) -> Vec<Place> {
    fn add(design: &Design, module: ModuleId, prefix: String, into: &mut Vec<Place>) {
        into.push(Place { module, prefix: prefix.clone() });
        for instance in &design.module(module).instances {
            add(design, instance.module, format!("{prefix}{}.", instance.path), into);
        }
    }
    let mut places = vec![];
    add(design, design.top, String::new(), &mut places);
    places
}

/// A register of a module.
pub(super) fn register<'d>(
    design: &'d Design,
    places: &[Place],
    path: &str,
    instance: u32,
) -> Option<&'d Register> {
    let place = places.get(instance as usize)?;
    let name = path.strip_prefix(&place.prefix)?;
    design.module(place.module).registers.iter().find(|register| register.path == name)
}

fn synchronizes(register: &Register) -> bool {
    register.attributes.iter().any(|(name, _)| name == "ASYNC_REG")
}

/// Modules with the names of their registers that cross somewhere. A module is shared by its instances, so a
/// register that crosses in one of them is marked in all.
pub(super) fn crossings(design: &Design, flat: &Flat) -> BTreeSet<(ModuleId, String)> {
    let places = places(design);
    let mut numbers: BTreeSet<usize> = foreign_registers(flat).into_iter().collect();
    for (number, found) in flat.registers.iter().enumerate() {
        let marked = register(design, &places, &found.path, found.instance).is_some_and(synchronizes);
        // The second stage of a chain takes the first one's output as it is.
        let chained = match &flat.nodes.node(found.d).op {
            Op::Source(source) => match &flat.sources[*source as usize] {
                Source::Register(before) => {
                    let before = &flat.registers[*before as usize];
                    register(design, &places, &before.path, before.instance).is_some_and(synchronizes)
                        && before.clock == found.clock
                }
                _ => false,
            },
            _ => false,
        };
        if marked && !chained {
            numbers.insert(number);
        }
    }
    let mark = |number: usize| {
        let found = &flat.registers[number];
        let place = &places[found.instance as usize];
        Some((place.module, found.path.strip_prefix(&place.prefix)?.to_string()))
    };
    numbers.into_iter().filter_map(mark).collect()
}
