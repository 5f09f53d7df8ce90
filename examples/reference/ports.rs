//! `docs/records/ports.json`: what the sources say about every block's ports, for the comments of emitted Verilog.

use super::source_docs::folder_of;
use anyhow::Result;
use flitforge_hdl::registry::registry;
use std::collections::BTreeMap;
use std::path::Path;

/// Where the text goes, from the root.
pub const FILE: &str = "docs/records/ports.json";

/// The text.
pub fn text() -> Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut blocks = BTreeMap::new();
    for entry in registry() {
        let mut ports = folder_of(root, entry.name)?.ports(entry.name);
        ports.retain(|_, text| !text.is_empty());
        blocks.insert(entry.name, ports);
    }
    Ok(serde_json::to_string_pretty(&blocks)? + "\n")
}
