//! Every block of the registry, in every preset, elaborates.

use flitforge_elaborate::elaborate;
use flitforge_hdl::registry::{registry, Settings};

#[test]
fn every_preset_of_every_block_elaborates() {
    let mut problems = vec![];
    for entry in registry() {
        for preset in entry.presets {
            let settings = Settings::new(entry, Some(preset.name), &[]).expect("valid preset");
            let built = (entry.build)(&settings).expect("builds");
            if let Err(error) = elaborate(built.block.as_ref(), entry.name) {
                problems.push(format!("{} {}: {error}", entry.name, preset.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
