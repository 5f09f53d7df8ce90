//! The register page (chapter 10, 5).

use super::*;
use flitforge_protocol::switch_registers::{
    ADAPT, ALT_TAKEN, CAP, FECN_SET, ID, LIFE, LIFE_DROP, NO_ROUTE, ROUTE_DATA, ROUTE_IDX,
};

#[test]
fn the_page_says_what_is_built_and_keeps_what_is_set() {
    let mut switch = Switch::new(small(2)).expect("rules");
    assert_eq!((switch.read_register(ID), switch.read_register(CAP)), (0x464C_5357, 10 << 4 | 1));
    assert_eq!(switch.read_register(LIFE), 1 << 20);
    for (offset, value) in [(LIFE, 77), (ADAPT, 0x0030_0002), (ROUTE_IDX, 5), (ID, 0), (0x3F8, 9)] {
        switch.write_register(offset, value);
    }
    assert_eq!((switch.read_register(LIFE), switch.read_register(ADAPT)), (77, 0x0030_0002));
    assert_eq!((switch.read_register(ROUTE_IDX), switch.read_register(0x3F8)), (5, 0));
    assert_eq!(switch.read_register(ID), 0x464C_5357, "read only");
    let expected = SwitchSettings { life: 77, adapt_lanes: 2, mark_units: 0x30 };
    assert_eq!(*switch.settings_mut(), expected);
}

#[test]
fn the_route_index_goes_on_and_around() {
    let mut switch = Switch::new(small(2)).expect("rules");
    switch.write_register(ROUTE_IDX, 1023);
    switch.write_register(ROUTE_DATA, 0x8001);
    switch.write_register(ROUTE_DATA, 0x8000);
    assert_eq!(switch.read_register(ROUTE_IDX), 1, "behind the last comes 0");
    switch.write_register(ROUTE_IDX, 1023);
    assert_eq!([0; 3].map(|_: u32| switch.read_register(ROUTE_DATA)), [0x8001, 0x8000, 0]);
    assert_eq!(switch.routes_mut().find(1023), Some(RouteEntry::to(1)));
}

#[test]
fn a_counter_is_cleared_by_0_alone_and_by_itself() {
    let mut switch = Switch::new(small(2)).expect("rules");
    switch.counters = SwitchCounters {
        no_route: vec![1, 2, 3],
        life_drop: vec![4, 5, 6],
        alt_taken: 7,
        fecn_set: u64::MAX,
    };
    assert_eq!(switch.read_register(FECN_SET), (1 << 48) - 1, "it saturates");
    assert_eq!([0, 8, 16, 24].map(|place| switch.read_register(NO_ROUTE + place)), [1, 2, 3, 0]);
    for offset in [NO_ROUTE + 8, LIFE_DROP, LIFE_DROP + 24, ALT_TAKEN] {
        switch.write_register(offset, 1);
        assert_ne!(switch.read_register(offset) == 0, offset != LIFE_DROP + 24, "{offset:#x}");
        switch.write_register(offset, 0);
        assert_eq!(switch.read_register(offset), 0, "{offset:#x}");
    }
    let left = SwitchCounters {
        no_route: vec![1, 0, 3],
        life_drop: vec![0, 5, 6],
        alt_taken: 0,
        fecn_set: u64::MAX,
    };
    assert_eq!(switch.counters, left);
}
