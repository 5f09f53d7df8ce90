use flitforge_hdl::link::crc::matrix::{chain_basis, Matrix};

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
