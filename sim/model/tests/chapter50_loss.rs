//! Goodput of go-back-N against E15 and of packing against E14 (chapter 50, 9, points 1 and 4). `FLITFORGE_FULL=1` goes down to
//! p = 1e-6 with 100 losses at each point, `flitforge sim sue-loss` as far as one likes.

#![allow(clippy::expect_used)] // helpers of a test

use crate::support::{count, is_full};
use flitforge_model::sue::loss::{loss, LossError, LossParameters, LossReport, Packing};

fn run(parameters: LossParameters) -> LossReport {
    loss(&parameters, 0x50, &mut |_, _| ()).expect("E14 and E15 hold")
}

fn parameters() -> LossParameters {
    let smallest = if is_full() { 6 } else { 4 };
    LossParameters {
        losses: count(50, 100),
        least_slots: count(100_000, 1_000_000),
        smallest,
        commands: 10_000,
    }
}

/// Rows as printed below E15: at p = 1e-2 the model of the rules comes to these, with RENACK and without.
const AT_ONE_PERCENT: [(u64, f64, f64); 3] =
    [(4, 0.96118, 0.96016), (8, 0.92597, 0.92447), (16, 0.86204, 0.85834)];

#[test]
fn goodput_is_that_of_e15_at_every_point() {
    let report = run(parameters());
    let points = if is_full() { 18 } else { 12 };
    assert_eq!(report.goodput.len(), points);
    assert!(report.worst_goodput_percent < 5.0, "{report:?}");
    for row in &report.goodput {
        println!(
            "N = {}, p = {:e}, RENACK = {}: {:.6}, E15 {:.6}, {} losses",
            row.distance, row.loss, row.renack, row.goodput, row.closed_form, row.losses
        );
        assert!(row.losses > 10, "{row:?}");
    }
    for (distance, with, without) in AT_ONE_PERCENT {
        for (renack, expected) in [(1, with), (0, without)] {
            let is_it = |row: &&flitforge_model::sue::loss::GoodputRow| {
                (row.distance, row.renack, row.loss) == (distance, renack, 0.01)
            };
            let row = report.goodput.iter().find(is_it).expect("it was measured");
            assert!((row.goodput / expected - 1.0).abs() < 0.015, "{row:?}: {expected}");
        }
    }
}

/// Commands of a full body, percent packed, percent single.
type Cell = (usize, f64, f64);

/// The table below E14, percent: packed and single, for 32, 64, 128 and 256 octets of data.
const E14: [(&str, usize, [Cell; 4]); 5] = [
    ("Standard IPv4", 2048, [(42, 64.18, 25.40), (25, 77.00, 40.51), (14, 85.58, 57.66), (7, 90.41, 73.14)]),
    ("Gen 2 12 B", 2048, [(42, 65.05, 32.65), (25, 78.05, 49.23), (14, 86.74, 65.98), (7, 91.71, 79.50)]),
    ("Gen 2 12 B", 4096, [(85, 65.86, 32.65), (51, 79.03, 49.23), (28, 87.80, 65.98), (15, 92.98, 79.50)]),
    ("Gen 2 6 B", 2048, [(42, 65.24, 34.78), (25, 78.28, 51.61), (14, 86.99, 68.09), (7, 91.99, 81.01)]),
    ("Lite", 1024, [(21, 64.62, 38.10), (12, 77.42, 57.14), (7, 86.15, 72.73), (3, 90.57, 84.21)]),
];

/// What is measured is octets of frames: encapsulated, with R-CRC and FCS.
#[test]
fn streams_of_frames_are_those_of_e14() {
    let report = run(LossParameters { losses: 10, least_slots: 200_000, smallest: 2, ..parameters() });
    assert_eq!(report.packing.len(), 40);
    let rows = E14.into_iter().flat_map(|(header, pack_max, cells)| {
        let data = [32, 64, 128, 256].into_iter();
        data.zip(cells).flat_map(move |(data, (most, packed, single))| {
            [
                (header, pack_max, data, Packing::Packed, most, packed),
                (header, pack_max, data, Packing::Single, 1, single),
            ]
        })
    });
    for ((header, pack_max, data, packing, most, percent), row) in rows.zip(&report.packing) {
        assert_eq!((row.header, row.pack_max, row.data, row.packing), (header, pack_max, data, packing));
        assert_eq!((row.most, row.commands), (most, 10_000), "{row:?}");
        assert!((row.measured / percent - 1.0).abs() < 0.005, "{row:?}: {percent}");
    }
}

#[test]
fn numbers_that_cannot_work_are_refused() {
    let refused = loss(&LossParameters { smallest: 7, ..parameters() }, 1, &mut |_, _| ());
    assert_eq!(refused, Err(LossError::Range { name: "smallest", value: 7, least: 2, most: 6 }));
}
