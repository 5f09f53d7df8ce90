//! Goodput of two ports as hardware beside that of the model, at a few points; `docs/numbers.md` has all of them.

#![allow(clippy::expect_used)] // helpers of a test

use crate::link_campaigns::{metrics, number};
use serde_json::Value;

/// Clocks before each measurement: POLL_WAIT is 65,536, which an end waits for lanes that its peer does not allow.
const SETTLE: &str = "settle=100000";

fn hardware(chosen: &[&str]) -> Value {
    let fixed = ["hardware=1", SETTLE, "clocks=2000000", "hardware_clocks=400000"];
    let set = fixed.iter().chain(chosen).flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> = std::iter::once("goodput").chain(set).collect();
    metrics(&arguments)["hardware"].clone()
}

fn share(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"))
}

/// Model and hardware are as near as the standard errors of both let one expect; errors come from the flits that were counted in 16
/// parts of each measurement. `clean` is the share of line bits without noise.
fn agrees(chosen: &[&str], clean: f64) {
    let found = hardware(chosen);
    assert_eq!((number(&found, "disagreements"), number(&found, "lost_beats")), (0, 0), "{found}");
    assert!(share(&found, "worst_ratio") >= 0.97, "{found}");
    let points = found["points"].as_array().expect("a list");
    assert_eq!(points.len() as u64, number(&found, "runs"));
    for point in points {
        let errors = share(point, "model_error").hypot(share(point, "hardware_error"));
        // The rest is an LTP each way at the borders of both windows, and no more than that.
        let border = share(point, "bound") - 5.0 * errors;
        assert!(border > 0.0 && border < 1e-4, "{point}");
        let difference = share(point, "hardware") - share(point, "model");
        assert!(difference.abs() <= share(point, "bound"), "{point}");
        // A bound of some use: less than half of what the noise costs where the noisy lanes are in use.
        let cost = clean - share(point, "model");
        assert!(point["policy"] == "ByHand" || share(point, "bound") < cost / 2.0, "{point}");
        assert_eq!(number(point, "lost_on_reset"), 0, "{point}");
    }
}

#[test]
fn four_noisy_lanes() {
    agrees(&["rate=10000", "lanes=4"], 1024.0 / 1056.0);
}

#[test]
fn one_noisy_lane() {
    agrees(&["rate=10000", "lanes=1"], 1024.0 / 1056.0);
}

#[test]
fn crcs_of_mode_2() {
    agrees(&["rate=10000", "lanes=4", "mode=2"], 1024.0 / 1088.0);
}

#[test]
fn lanes_named_by_their_own_crc_in_mode_3() {
    agrees(&["rate=10000", "lanes=2", "mode=3"], 1024.0 / 1088.0);
}
