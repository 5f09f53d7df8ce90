//! Chapter 20, T12 to T14 on the chain of 16 switches. Short by default; `FLITFORGE_FULL=1` runs the chapter's 200 seeds.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]
use flitforge_fabric::chain::{compare, run_seeds, ChainConfig, ChainResult, CASES, LOADS};
use flitforge_fabric::fabric::LOCK_PERIODS;
use flitforge_fabric::line::LineConfig;
use flitforge_fabric::manager::bound::bound_of_links;
use flitforge_fabric::network::NetworkConfig;
use flitforge_protocol::time::PhaseSource;

/// One core clock in femtoseconds.
const T_FS: i64 = 6_400_000;
const FIRST_SEED: u64 = 20_000;

fn seeds() -> u32 {
    let full = std::env::var("FLITFORGE_FULL").is_ok_and(|value| value == "1");
    let seeds = if full { 200 } else { 12 };
    println!("seeds {FIRST_SEED}..{}", FIRST_SEED + u64::from(seeds));
    seeds
}

fn run(config: &ChainConfig, seeds: u32) -> ChainResult {
    run_seeds(config, FIRST_SEED, seeds, &mut |_, _| ()).expect("the chain comes up")
}

fn print(name: &str, result: &ChainResult) {
    println!("{name}: {:?}", result.losses);
    for pair in result.pairs {
        println!(
            "  two clocks {} switches apart: at most {:.1} ps",
            pair.switches,
            pair.worst_fs as f64 / 1000.0
        );
    }
    for row in result.table() {
        let (errors, links) = (row.errors, row.links);
        println!(
            "  {links:2} links: worst {:8.1} mean {:7.1} rms {:7.1} p99 {:7.1} ps, lock {:.1} periods, {:.1} % lost",
            errors.worst_ps,
            errors.mean_ps,
            errors.rms_ps,
            errors.p99_ps,
            row.lock_periods,
            row.lost * 100.0
        );
    }
}

#[test]
fn t12_every_slave_stays_within_a_clock_at_every_load() {
    let seeds = seeds();
    let (mut compared, mut different) = (0, 0);
    for case in CASES {
        let results = LOADS.map(|load| run(&case.config(&ChainConfig::default(), load), seeds));
        for (load, result) in LOADS.iter().zip(&results) {
            print(&format!("{}, load {load} %", case.name), result);
            for (hop, row) in result.hops.iter().zip(result.table()) {
                assert!(hop.statistics.count() > 200, "{}", case.name);
                assert!(hop.statistics.worst_fs().abs() <= T_FS, "{}: {row:?}", case.name);
                assert!(row.errors.mean_ps.abs() < 1000.0, "{}: {row:?}", case.name);
            }
            assert_eq!((result.backward, result.steps_after_lock), (0, 0), "{}", case.name);
        }
        for other in &results[1..] {
            let tests = compare(&results[0], other);
            compared += tests.len();
            different += tests.iter().filter(|test| !test.holds()).count();
        }
    }
    // Of 224 comparisons at 1 %, 2.2 fail by chance; more than 8 do not (one in a thousand).
    println!("Kolmogorov-Smirnov at 1 %: {different} of {compared} pairs of loads differ");
    assert_eq!(compared, 7 * 2 * 16);
    assert!(different <= 8, "{different} of {compared}");
}

#[test]
fn t12_errors_stay_within_the_managers_bound() {
    let result = run(&ChainConfig::default(), seeds());
    for hop in &result.hops {
        let bound = bound_of_links(i64::from(hop.switches) + 1, T_FS * 256 / 1_000_000, 0).total();
        let error = hop.statistics.worst_fs().abs() * 256 / 1_000_000;
        assert!(error <= bound, "{} switches: {error} of {bound} (1/256 ns)", hop.switches);
    }
}

/// The uncorrected design: the meters count whole words.
#[test]
fn t12_without_phase_the_error_exceeds_two_clocks() {
    let line = LineConfig { phase_source: PhaseSource::None, ..LineConfig::default() };
    let network = NetworkConfig { line, ..NetworkConfig::default() };
    let result = run(&ChainConfig { network, ..ChainConfig::default() }, seeds());
    print("PHASE_SRC NONE", &result);
    let last = result.hops.last().expect("sixteen hops").statistics.worst_fs().abs();
    assert!(last > 2 * T_FS, "{last} fs after sixteen switches");
    assert!(result
        .hops
        .windows(2)
        .all(|pair| pair[0].statistics.count() > 0 && pair[1].statistics.count() > 0));
}

#[test]
fn t13_slaves_lock_in_time_without_loss_and_at_seventy_percent() {
    let seeds = seeds();
    let clean = run(&ChainConfig { periods: 0, ..ChainConfig::default() }, seeds);
    let slowest = |result: &ChainResult| result.hops.iter().map(|hop| hop.lock_periods).fold(0.0, f64::max);
    assert!(slowest(&clean) <= LOCK_PERIODS.0 as f64, "{} periods", slowest(&clean));

    // With one High in ten Lows, one slave in nine would see no High at all in 60 periods.
    let line = LineConfig { ber: 1.4e-6, ..LineConfig::default() };
    let network = NetworkConfig { line, high_every: 1, ..NetworkConfig::default() };
    let lossy = run(&ChainConfig { network, ..ChainConfig::default() }, seeds);
    print("BER 1.4e-6", &lossy);
    let lost = lossy.hops[15].lost;
    assert!((0.6..0.8).contains(&lost), "{lost}");
    println!("slowest lock {} periods", slowest(&lossy));
    // Nothing bounds what chance may lose: of thousands of slaves a few take longer.
    let late: u32 = lossy.hops.iter().map(|hop| hop.late_locks).sum();
    let slaves = lossy.runs * lossy.hops.len() as u32;
    println!("{late} of {slaves} slaves took more than {} periods", LOCK_PERIODS.1);
    assert!(late * 500 <= slaves, "{late} of {slaves}");
    assert_eq!((lossy.steps_after_lock, lossy.backward), (0, 0));
    assert!(lossy.worst_fs().abs() <= T_FS, "{}", lossy.worst_fs());
}

/// Trees that meet on every ring in one of twenty updates.
#[test]
fn waits_on_the_ring_are_harmless() {
    let seeds = seeds();
    let with = |ring_ratio, ring_busy| {
        let network = NetworkConfig { ring_busy, ..NetworkConfig::default() };
        run(&ChainConfig { ring_ratio, network, ..ChainConfig::default() }, seeds).worst_fs().abs()
    };
    let (quiet, single, double, triple) = (with(1, 0.0), with(1, 0.05), with(2, 0.05), with(3, 0.05));
    println!(
        "worst: quiet {quiet} fs; with waits {single} fs at M = 1, {double} at M = 2, {triple} at M = 3"
    );
    // Each wait is rounded to 1/16 ns.
    assert!([single, double, triple].iter().all(|worst| *worst < quiet + 250_000));
}

#[test]
fn runs_repeat_from_their_seed() {
    let config = ChainConfig { periods: 20, ..ChainConfig::default() };
    let (first, again) = (run(&config, 1), run(&config, 1));
    assert_eq!(first.table(), again.table());
    let other = NetworkConfig { seed: 2, ..config.network };
    assert_ne!(
        first.table(),
        run_seeds(&ChainConfig { network: other, ..config }, 2, 1, &mut |_, _| ()).expect("up").table()
    );
}

#[test]
fn impossible_chains_are_refused() {
    let refused =
        |config: ChainConfig| run_seeds(&config, 1, 1, &mut |_, _| ()).expect_err("refused").to_string();
    let good = ChainConfig::default();
    assert!(refused(ChainConfig { switches: 0, ..good }).contains("switches = 0"));
    assert!(refused(ChainConfig { ring_ratio: 5, ..good }).contains("M = 5/1"));
    let network = NetworkConfig { max_ppb: 2_000_000, ..good.network };
    assert!(refused(ChainConfig { network, ..good }).contains("1000 ppm"));
    let network = NetworkConfig { gen_period: 0, ..good.network };
    assert!(refused(ChainConfig { network, ..good }).contains("GEN_PERIOD"));
    let network = NetworkConfig { delay_ps: (9, 5), ..good.network };
    assert!(refused(ChainConfig { network, ..good }).contains("9 to 5 ps"));
}
