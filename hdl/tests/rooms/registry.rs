mod settings;
mod shapes;

use flitforge_hdl::registry::{find, registry, BuiltBlock, Settings, StreamRole};
use std::collections::BTreeSet;

#[test]
fn an_unknown_block_is_refused_with_the_nearest() {
    let error = find("link_crk").unwrap_err();
    assert!(error.to_string().contains("did you mean `link_crc`"), "{error}");
}

#[test]
fn entries_are_complete_and_every_preset_builds() {
    let mut names = BTreeSet::new();
    for entry in registry() {
        assert!(names.insert(entry.name), "{} twice", entry.name);
        assert_eq!(entry.presets.first().map(|preset| preset.name), Some("default"), "{}", entry.name);
        for preset in entry.presets {
            let settings = Settings::new(entry, Some(preset.name), &[])
                .unwrap_or_else(|error| panic!("{} {}: {error}", entry.name, preset.name));
            let built = (entry.build)(&settings)
                .unwrap_or_else(|error| panic!("{} {}: {error}", entry.name, preset.name));
            check_interface(entry.name, &built);
        }
    }
}

fn check_interface(name: &str, built: &BuiltBlock) {
    let mut ports = vec![];
    built.block.list("", &mut ports);
    let is = |path: &str, input: bool| ports.iter().any(|port| port.0 == path && port.2 == input);
    for path in built.interface.clocks.iter().chain(&built.interface.clears) {
        assert!(is(path, true), "{name}: {path} is no input");
    }
    for stream in &built.interface.streams {
        let source = matches!(stream.role, StreamRole::StreamSource | StreamRole::FlowSource);
        let back = matches!(stream.role, StreamRole::StreamSource | StreamRole::StreamSink);
        assert!(is(&format!("{}.valid", stream.name), !source), "{name}: {}", stream.name);
        assert_eq!(is(&format!("{}.ready", stream.name), source), back, "{name}: {}", stream.name);
        assert!(built.interface.clocks.contains(&stream.clock), "{name}: {}", stream.name);
    }
    let timing = built.block.timing();
    let label = timing.iter().find(|info| info.name == flitforge_elaborate::marker::LABEL);
    assert_eq!(label.map(|label| label.clock.as_str()), Some(name), "label");
}
