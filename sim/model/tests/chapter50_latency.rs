//! The latency table of the source (chapter 50, 7).

use flitforge_model::sue::latency::{Fec, Interleaving, LatencyParts, ROWS};

/// The source prints 496 for five metres of hollow-core fibre; its own terms add up to 485.
#[test]
fn five_of_six_sums_are_those_of_the_source() {
    let sums = ROWS.map(|row| LatencyParts::default().one_way(&row));
    assert_eq!(sums, [549_200, 520_000, 499_600, 485_000, 496_000, 477_600]);
    let wrong: Vec<usize> = (0..6).filter(|row| sums[*row] != ROWS[*row].printed).collect();
    assert_eq!(wrong, [3]);
}

#[test]
fn a_block_of_error_correction_counts_on_both_hops() {
    let parts = |fec, interleaving| LatencyParts { fec, interleaving, ..LatencyParts::default() };
    let hop = |fec, interleaving| parts(fec, interleaving).fec_of_hop();
    assert_eq!(hop(Fec::Rs544, Interleaving::None), 27_200);
    assert_eq!(hop(Fec::Rs272, Interleaving::None), 13_600);
    assert_eq!(hop(Fec::Rs272, Interleaving::Pairs), 27_200);
    assert_eq!(parts(Fec::Rs544, Interleaving::None).one_way(&ROWS[0]), 549_200 + 2 * 27_200);
}
