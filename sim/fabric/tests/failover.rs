//! Chapter 20, T14 and T15 on a ladder of switches. Short by default; `FLITFORGE_FULL=1` makes 1000 runs.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]
use flitforge_fabric::failover::{run, Change, FailoverConfig};
use flitforge_fabric::network::NetworkConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One core clock in femtoseconds.
const T_FS: i64 = 6_400_000;

fn runs() -> u64 {
    if std::env::var("FLITFORGE_FULL").is_ok_and(|value| value == "1") {
        200
    } else {
        8
    }
}

fn watch(change: Change) {
    let (mut worst, mut old_era) = (0, 0);
    for seed in 15_000..15_000 + runs() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let network = NetworkConfig { seed, ..NetworkConfig::default() };
        let pause_periods = rng.random_range(0..=20);
        let config = FailoverConfig { change, pause_periods, network, ..FailoverConfig::default() };
        let result = run(&config).expect("the fabric comes up");
        let what = format!("{change:?}, seed {seed}, pause {pause_periods}: {:?}", result.summary());
        assert!(result.statistics.count() > 1000, "{what}");
        assert!(result.statistics.worst_fs().abs() <= T_FS, "{what}");
        assert_eq!((result.backward, result.steps, result.silent), (0, 0, 0), "{what}");
        for lost in &result.stranded {
            assert!(lost.error_fs.abs() / 1_000_000 <= lost.bound / 256 + 1, "{what}: {lost:?}");
        }
        assert_eq!(result.stranded.len(), usize::from(change == Change::SwitchLoss), "{what}");
        worst = worst.max(result.statistics.worst_fs().abs());
        old_era += result.old_era;
    }
    println!("{change:?}: {} runs, worst {worst} fs, {old_era} Lows of an old era refused", runs());
}

#[test]
fn t15_a_cold_backup_takes_over_within_a_clock() {
    watch(Change::MasterCold);
}

#[test]
fn t15_a_hot_backup_takes_over_within_a_clock() {
    watch(Change::MasterHot);
}

#[test]
fn t15_a_lost_switch_is_gone_round() {
    watch(Change::SwitchLoss);
}

#[test]
fn t15_a_lost_link_is_gone_round_and_comes_back() {
    watch(Change::LinkLoss);
}

#[test]
fn t15_a_tree_changes_while_it_runs() {
    watch(Change::Reconfigure);
}
