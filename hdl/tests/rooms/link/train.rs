use flitforge_hdl::link::train::{LinkTrain, LinkTrainConfig};

#[test]
fn counts_that_do_not_fit_are_refused() {
    assert!(LinkTrainConfig::new(4).check().is_ok() && LinkTrainConfig::short(1).check().is_ok());
    for bad in [
        LinkTrainConfig::new(0),
        LinkTrainConfig::new(5),
        LinkTrainConfig { lock_sets: 16, ..LinkTrainConfig::new(4) },
        LinkTrainConfig { stable_sets: 0, ..LinkTrainConfig::new(4) },
        LinkTrainConfig { ts2_sent: 32, ..LinkTrainConfig::new(4) },
        LinkTrainConfig { agree_sets: 300_000, ..LinkTrainConfig::new(4) },
        LinkTrainConfig { tries: 0, ..LinkTrainConfig::new(4) },
    ] {
        assert!(bad.check().is_err(), "{bad:?}");
    }
    assert!(LinkTrain::<2>::new(LinkTrainConfig::new(4)).is_err(), "lanes and LANES differ");
}
