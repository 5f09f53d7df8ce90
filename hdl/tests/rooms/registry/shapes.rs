use flitforge_hdl::registry::shapes::{log2, observe};
use flitforge_hdl::registry::{find, Settings};

fn settings(overrides: &[(&str, u64)]) -> Settings {
    let overrides: Vec<_> = overrides.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    Settings::new(find("packet_fifo").unwrap(), None, &overrides).unwrap()
}

#[test]
fn a_shape_that_is_not_built_in_is_refused_with_its_path() {
    let build = find("packet_fifo").unwrap().build;
    let error = build(&settings(&[("width", 32), ("drop_when_full", 0)])).expect_err("not built in");
    let text = error.to_string();
    let shape = "flitforge_hdl::prim::packet_fifo::build_as::<32, 33, 9, 10, 0>";
    assert_eq!(error.shape.expect("it can be compiled").to_string(), shape);
    for part in ["packet_fifo", "(32, 512, 0) is not built in", "(64, 512, 1)", "on demand", shape] {
        assert!(text.contains(part), "{text}");
    }
}

/// Two builds nested: each sees its own.
#[test]
fn what_is_observed_is_what_was_asked_for_on_this_thread() {
    let build = find("packet_fifo").unwrap().build;
    let ((_, inner), outer) = observe(|| {
        build(&settings(&[])).unwrap();
        observe(|| build(&settings(&[("depth", 32)])).expect_err("not built in"))
    });
    let values = |visits: &[flitforge_hdl::registry::shapes::Visit]| {
        visits.iter().map(|visit| visit.values.clone()).collect::<Vec<_>>()
    };
    assert_eq!((values(&outer), values(&inner)), (vec!["(64, 512, 1)".into()], vec!["(64, 32, 1)".into()]));
    build(&settings(&[])).unwrap();
}

#[test]
fn an_address_has_the_bits_of_the_last_word() {
    assert_eq!([1, 2, 3, 4, 512, 513].map(log2), [0, 1, 2, 2, 9, 10]);
}
