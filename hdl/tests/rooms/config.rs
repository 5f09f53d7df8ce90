use flitforge_hdl::config::{check_derived, check_one_of, check_range};

#[test]
fn the_message_names_block_parameter_and_remedy() {
    let text = check_one_of("link_crc", "w", 100, &[66, 132]).unwrap_err().to_string();
    for part in ["link_crc", "w = 100", "one of 66, 132", "choose"] {
        assert!(text.contains(part), "{text}");
    }
    let text = check_derived("fifo", "address_width", 8, "log2(depth)", 9).unwrap_err().to_string();
    assert!(text.contains("log2(depth) = 9"), "{text}");
}

#[test]
fn limits_are_inclusive() {
    assert!(check_range("b", "p", 4, 4, 6).is_ok());
    assert!(check_range("b", "p", 6, 4, 6).is_ok());
    assert!(check_range("b", "p", 3, 4, 6).is_err());
    assert!(check_range("b", "p", 7, 4, 6).is_err());
}
