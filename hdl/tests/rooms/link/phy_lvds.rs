use flitforge_hdl::link::phy_lvds::{LvdsConfig, LvdsRx, LvdsTx, PhyLvds};

#[test]
fn other_numbers_of_lanes_and_other_times_are_refused() {
    assert!(LvdsTx::<0>::new().is_err() && LvdsTx::<5>::new().is_err());
    assert!(LvdsRx::<0>::new().is_err() && LvdsRx::<5>::new().is_err());
    assert!(PhyLvds::<4>::new(&LvdsConfig::new(4)).is_ok());
    for config in [
        LvdsConfig::new(3),
        LvdsConfig::new(5),
        LvdsConfig { stopped_clocks: 15, ..LvdsConfig::new(4) },
        LvdsConfig { stopped_clocks: 1024, ..LvdsConfig::new(4) },
    ] {
        let error = PhyLvds::<4>::new(&config).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("phy_lvds") && error.contains(" to "), "{config:?}: {error}");
    }
}
