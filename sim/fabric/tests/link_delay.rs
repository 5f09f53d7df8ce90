//! Chapter 20, T10: link delay measurements over random links.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]
use flitforge_fabric::line::LineConfig;
use flitforge_fabric::manager::tables::{measure_end, LinkMeasurement};
use flitforge_fabric::network::{Network, NetworkConfig};
use flitforge_fabric::topology::{Port, Topology};
use flitforge_model::time::TimeConfig;
use flitforge_protocol::time::PhaseSource;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One core clock in 1/256 ns.
const T: i64 = 1638;
/// Nominal lags of both ends in picoseconds: 20 words of 6.241 ns.
const NOMINAL_PS: i64 = 124_820;

/// Measures random links from both ends; gives the largest error and the largest difference of the ends, 1/256 ns, with
/// the error that rates off by up to `max_ppb` may add taken off.
fn worst(links: u64, max_ppb: i64, line: LineConfig) -> (i64, i64) {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let how = LinkMeasurement { rounds_log2: 4, asymmetry: 0, tolerance: T };
    let chain = Topology::chain(1, &TimeConfig::default()).expect("a chain");
    let (mut error, mut difference) = (0, 0);
    for seed in 0..links {
        // Evenly over the powers of ten from 1 ns to 10 us.
        let decade = 10i64.pow(rng.random_range(3..7));
        let delay_ps = rng.random_range(decade..=10 * decade);
        let config =
            NetworkConfig { line, max_ppb, delay_ps: (delay_ps, delay_ps), seed, ..NetworkConfig::default() };
        let mut network = Network::new(chain.topology.clone(), chain.master, config).expect("a network");
        let ends = chain.topology.links()[0];
        let mut end = |port: Port| measure_end(&mut network, port, 0, &how, 0).expect("measured");
        let [there, back] = ends.map(&mut end);
        let exact = (delay_ps + NOMINAL_PS) * 256 / 1000;
        // Both clocks may be off in opposite directions; the turn-around is some hundred nanoseconds.
        let allowed = 2 * (exact + 100_000) * max_ppb / 1_000_000_000;
        for delay in [there, back] {
            error = error.max((delay - exact).abs() - allowed);
        }
        difference = difference.max((there - back).abs() - 2 * allowed);
    }
    println!(
        "{links} links, {max_ppb} ppb, BER {}: error {error}, difference {difference} (1/256 ns)",
        line.ber
    );
    (error, difference)
}

#[test]
fn t10_ten_thousand_links_between_locked_ends_are_measured_to_a_64th_of_a_clock() {
    let (error, difference) = worst(10_000, 0, LineConfig::default());
    assert!(error <= T / 64 && difference <= T / 32, "{error} {difference}");
}

#[test]
fn t10_unlocked_ends_add_their_rate_error_only() {
    let (error, difference) = worst(10_000, 200_000, LineConfig::default());
    assert!(error <= T / 64 && difference <= T / 32, "{error} {difference}");
}

#[test]
fn t10_markers_hit_by_retries_never_give_a_value() {
    for advance in [false, true] {
        let (error, _) = worst(2_000, 0, LineConfig { ber: 3e-7, advance, ..LineConfig::default() });
        assert!(error <= T / 64, "{error}");
    }
}

#[test]
fn t10_without_phase_links_are_measured_to_a_clock() {
    let (error, _) = worst(2_000, 0, LineConfig { phase_source: PhaseSource::None, ..LineConfig::default() });
    assert!(error <= T, "{error}");
}
