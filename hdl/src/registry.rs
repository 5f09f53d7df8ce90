//! Every block by name, with its parameters and presets: what the command line, the emitter and the tests
//! that go over all blocks read.

pub use flitforge_hdl_node::COMPOSITES;
pub use flitforge_hdl_registry::*;

use std::sync::LazyLock;

static BLOCKS: LazyLock<Vec<BlockEntry>> = LazyLock::new(|| {
    let families = [
        crate::prim::ENTRIES,
        crate::link::ENTRIES,
        crate::fabric::ENTRIES,
        crate::node::ENTRIES,
        crate::time::ENTRIES,
        crate::sue::ENTRIES,
    ];
    families.concat()
});

/// Every block, in the order of the chapters.
pub fn registry() -> &'static [BlockEntry] {
    &BLOCKS
}

/// The block called `name`, or an error with the names most like it.
pub fn find(name: &str) -> Result<&'static BlockEntry, ConfigError> {
    registry().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = registry().iter().map(|entry| entry.name);
        let all = "`flitforge list` has all of them";
        ConfigError::new("registry", "block", name, "a block", flitforge_names::hint(name, names, all))
    })
}
