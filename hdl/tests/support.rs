//! What the tests of several blocks share and needs the blocks themselves; the rest is in `flitforge_testkit`.

#![allow(clippy::expect_used)] // tests

use flitforge_hdl::registry::{find, BuiltBlock, Settings};

/// A registered block with its defaults but for these settings.
pub fn build(block: &str, settings: &[(&str, u64)]) -> BuiltBlock {
    build_preset(block, None, settings)
}

/// A preset of a registered block but for these settings.
pub fn build_preset(block: &str, preset: Option<&str>, settings: &[(&str, u64)]) -> BuiltBlock {
    crate::shapes::add();
    let entry = find(block).expect("registered");
    let settings: Vec<(String, u64)> =
        settings.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    (entry.build)(&Settings::new(entry, preset, &settings).expect("settings")).expect("builds")
}
