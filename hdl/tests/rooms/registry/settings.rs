use flitforge_hdl::registry::{Allowed, BlockEntry, ParameterInfo, Preset, Settings};

const ENTRY: BlockEntry = BlockEntry {
    name: "sample",
    chapter: "00-overview",
    summary: "for this test",
    parameters: &[
        ParameterInfo { name: "w", default: 8, allowed: Allowed::Range(1, 64), doc: "width in bits" },
        ParameterInfo { name: "f", default: 2, allowed: Allowed::OneOf(&[1, 2, 4]), doc: "flits" },
        ParameterInfo { name: "d", default: 16, allowed: Allowed::PowerOfTwo(4, 64), doc: "words" },
    ],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "wide", values: &[("w", 64)] }],
    build: |settings| Err(settings.unsupported("w", "nothing")),
};

#[test]
fn bad_settings_are_refused_with_what_is_allowed() {
    let expect = |preset, overrides: &[(&str, u64)], part: &str| {
        let overrides: Vec<_> = overrides.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        let text = Settings::new(&ENTRY, preset, &overrides).unwrap_err().to_string();
        assert!(text.contains(part) && text.contains("sample"), "{text}");
    };
    expect(Some("narrow"), &[], "one of default, wide");
    expect(None, &[("width", 8)], "one of w, f, d");
    for depth in [0, 2, 24, 128] {
        expect(None, &[("d", depth)], "a power of two, 4 to 64");
    }
    expect(None, &[("w", 65)], "1 to 64");
    expect(Some("wide"), &[("w", 8), ("f", 3)], "one of 1, 2, 4");
}

#[test]
fn overrides_win_over_the_preset_and_the_preset_over_defaults() {
    let settings = Settings::new(&ENTRY, Some("wide"), &[("f".into(), 4)]).unwrap();
    assert_eq!(settings.iter().collect::<Vec<_>>(), [("d", 16), ("f", 4), ("w", 64)]);
    let settings = Settings::new(&ENTRY, Some("wide"), &[("w".into(), 3)]).unwrap();
    assert_eq!((settings.get("w"), settings.size("f")), (Ok(3), Ok(2)));
    assert!(settings.get("x").is_err());
    assert!((ENTRY.build)(&settings).is_err_and(|error| error.value == "3"));
}
