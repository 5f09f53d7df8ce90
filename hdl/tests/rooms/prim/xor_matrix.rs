//! The algebra of matrices over GF(2), and the sums that rows have in common.

use flitforge_hdl::prim::xor_matrix::matrix::{chain_basis, Matrix};
use flitforge_hdl::prim::xor_matrix::sharing::Sharing;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Most terms of a sum.
const TABLE: usize = 4;

fn companion(polynomial: u32, size: usize) -> Matrix {
    let mask = (1u32 << size) - 1;
    let step = |i| if i + 1 == size { polynomial & mask } else { 1u32 << (i + 1) };
    Matrix::from_columns((0..size).map(step).collect())
}

#[test]
fn a_singular_matrix_has_no_inverse() {
    assert_eq!(Matrix::from_columns(vec![1, 2, 3]).inverse(), None);
}

#[test]
fn inverse_and_powers_agree() {
    let matrix = companion(0x11753, 16);
    let inverse = matrix.inverse().expect("constant term is 1");
    assert_eq!(matrix.times(&inverse), Matrix::identity(16));
    assert_eq!(matrix.power(7).times(&inverse.power(6)), matrix);
    assert_eq!(matrix.row(0), [15]);
}

#[test]
fn the_chain_basis_makes_rows_of_two_entries() {
    for (polynomial, size) in [(0x11753, 16), (0x1021 | 1 << 16, 16), (0x107, 8)] {
        let step = companion(polynomial, size).power(132);
        let basis = chain_basis(&step, 1);
        let inverse = basis.inverse().expect("a basis");
        let sparse = inverse.times(&step).times(&basis);
        assert_eq!(basis.times(&sparse).times(&inverse), step);
        assert!((0..size).all(|row| sparse.row(row).len() <= 3), "{polynomial:x}");
    }
}

fn expanded(sharing: &Sharing, terms: &[usize], inputs: usize) -> Vec<bool> {
    let mut row = vec![false; inputs];
    for term in terms {
        match term.checked_sub(inputs) {
            None => row[*term] ^= true,
            Some(sum) => {
                let part = expanded(sharing, &sharing.sums[sum], inputs);
                row.iter_mut().zip(part).for_each(|(bit, more)| *bit ^= more);
            }
        }
    }
    row
}

#[test]
fn rows_stay_what_they_are_and_cost_less() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (count, inputs) in [(16, 48), (14, 79), (32, 32), (1, 9), (3, 2)] {
        let row = |random: &mut ChaCha8Rng| (0..inputs).filter(|_| random.random()).collect::<Vec<usize>>();
        let rows: Vec<Vec<usize>> = (0..count).map(|_| row(&mut random)).collect();
        let sharing = Sharing::of(&rows, inputs);
        for (row, terms) in rows.iter().zip(&sharing.rows) {
            let bits: Vec<bool> = (0..inputs).map(|input| row.contains(&input)).collect();
            assert_eq!(expanded(&sharing, terms, inputs), bits);
        }
        assert!(sharing.sums.iter().all(|sum| (2..=TABLE).contains(&sum.len())));
        let tables = |rows: &[Vec<usize>]| -> usize {
            rows.iter().map(|row| row.len().saturating_sub(1).div_ceil(TABLE - 1)).sum()
        };
        assert!(sharing.sums.len() + tables(&sharing.rows) <= tables(&rows) + 1, "{count} x {inputs}");
    }
}
