//! Linear algebra over GF(2) in at most 32 dimensions. A vector is a `u32`, coordinate i its bit i.

/// A square matrix, kept by columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    columns: Vec<u32>,
}

impl Matrix {
    /// The identity of `size` dimensions.
    pub fn identity(size: usize) -> Self {
        Self { columns: (0..size).map(|i| 1 << i).collect() }
    }

    /// The matrix with these columns.
    pub fn from_columns(columns: Vec<u32>) -> Self {
        Self { columns }
    }

    /// Dimensions.
    pub fn size(&self) -> usize {
        self.columns.len()
    }

    /// The image of `vector`.
    pub fn apply(&self, vector: u32) -> u32 {
        let picked = self.columns.iter().enumerate().filter(|(i, _)| vector >> i & 1 == 1);
        picked.fold(0, |sum, (_, column)| sum ^ column)
    }

    /// `self` after `other`.
    pub fn times(&self, other: &Self) -> Self {
        Self { columns: other.columns.iter().map(|column| self.apply(*column)).collect() }
    }

    /// `self` to the power of `exponent`.
    pub fn power(&self, exponent: usize) -> Self {
        let (mut result, mut square, mut rest) = (Self::identity(self.size()), self.clone(), exponent);
        while rest > 0 {
            if rest & 1 == 1 {
                result = square.times(&result);
            }
            square = square.times(&square);
            rest >>= 1;
        }
        result
    }

    /// The inverse, if there is one.
    pub fn inverse(&self) -> Option<Self> {
        let mut left = self.columns.clone();
        let mut right = Self::identity(self.size()).columns;
        for pivot in 0..self.size() {
            let found = (pivot..self.size()).find(|j| left[*j] >> pivot & 1 == 1)?;
            left.swap(pivot, found);
            right.swap(pivot, found);
            for j in 0..self.size() {
                if j != pivot && left[j] >> pivot & 1 == 1 {
                    left[j] ^= left[pivot];
                    right[j] ^= right[pivot];
                }
            }
        }
        Some(Self { columns: right })
    }

    /// The coordinates that add up to each coordinate of the image.
    pub fn rows(&self) -> Vec<Vec<usize>> {
        (0..self.size()).map(|row| self.row(row)).collect()
    }

    /// The coordinates that add up to coordinate `row` of the image.
    pub fn row(&self, row: usize) -> Vec<usize> {
        (0..self.size()).filter(|j| self.columns[*j] >> row & 1 == 1).collect()
    }
}

/// Vectors kept in reduced form, to tell whether another one depends on them.
#[derive(Clone, Debug, Default)]
struct Span {
    reduced: Vec<u32>,
}

impl Span {
    /// Adds `vector`; false if it was in the span already.
    fn add(&mut self, vector: u32) -> bool {
        let rest = self.reduced.iter().fold(vector, |rest, known| rest.min(rest ^ known));
        if rest != 0 {
            self.reduced.push(rest);
        }
        rest != 0
    }
}

/// A basis in which `matrix` is sparse: chains v, Mv, M^2 v ... as columns. `start` begins the first chain; a
/// further chain begins where the first one closes early. In that basis each row of the matrix has one entry
/// left of the diagonal and one in the last column of each chain, so at most two if one chain suffices.
pub fn chain_basis(matrix: &Matrix, start: u32) -> Matrix {
    let size = matrix.size();
    let (mut span, mut columns) = (Span::default(), vec![]);
    let starts = std::iter::once(start).chain((0..size).map(|i| 1 << i));
    for start in starts {
        let mut vector = start;
        while columns.len() < size && span.add(vector) {
            columns.push(vector);
            vector = matrix.apply(vector);
        }
    }
    Matrix { columns }
}
