//! A matrix over GF(2) as logic: every output bit is the exclusive or of some input bits.
//!
//! Not in the block language: which bits are summed is known when the block is built, and a body of the language is that of a
//! type. So the block makes its description itself.

pub mod matrix;
pub mod sharing;

use crate::ast::{assign, bit, number, parity, with_bit, xor};
use crate::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::Value;
use rust_hdl::prelude::ast::VerilogExpression;
use sharing::Sharing;

/// How the sums are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    /// Row by row, bit by bit.
    Chains,
    /// Sums that several rows have in common once: fewer look-up tables, up to three levels more.
    Shared,
    /// As parities of masked data: the least to do for a simulation.
    Parities,
}

/// Every bit of `sum` is the exclusive or of the `data` bits of its row; combinational, latency 0.
///
/// The rows are data, so this block writes its syntax tree by hand. A matrix without rows gives zeros.
#[derive(LogicBlock, Clone, Debug)]
pub struct XorMatrix<const N: usize, const M: usize> {
    /// Input bits.
    pub data: Signal<In, Bits<N>>,
    /// Sums.
    pub sum: Signal<Out, Bits<M>>,
    _rows: Vec<Vec<usize>>,
    _masks: Vec<Vec<u64>>,
    _writing: Writing,
    /// Masks of the rows, for parities.
    mask: Vec<Constant<Bits<N>>>,
    /// The last data and their sum: most passes of a simulation bring the same again.
    _seen: Option<(Bits<N>, Bits<M>)>,
}

impl<const N: usize, const M: usize> XorMatrix<N, M> {
    /// Output bit i is the exclusive or of the input bits `rows[i]`; output bits without a row are 0.
    pub fn new(rows: Vec<Vec<usize>>) -> Result<Self, ConfigError> {
        if rows.len() > M {
            let expected = format!("at most {M}");
            return Err(ConfigError::new("xor_matrix", "rows", rows.len(), expected, "widen the output"));
        }
        if let Some(wrong) = rows.iter().flatten().find(|index| **index >= N) {
            let expected = format!("input bits below {N}");
            return Err(ConfigError::new("xor_matrix", "rows", wrong, expected, "widen the input"));
        }
        let masks = rows.iter().map(|row| mask_of(row, N)).collect();
        let (data, sum) = (Signal::default(), Signal::default());
        Ok(Self {
            data,
            sum,
            _rows: rows,
            _masks: masks,
            _writing: Writing::Chains,
            mask: vec![],
            _seen: None,
        })
    }

    /// Takes sums that rows have in common once: fewer look-up tables, up to three levels more; the same function.
    pub fn shared(self) -> Self {
        Self { _writing: Writing::Shared, ..self }
    }

    /// Writes parities of masked data instead of chains: quicker to simulate where rows are long; the same function.
    pub fn parities(self) -> Self {
        let mask = |words: &Vec<u64>| Constant::new(Bits::from_value(&Value::from_words(N as u32, words)));
        Self { mask: self._masks.iter().map(mask).collect(), _writing: Writing::Parities, ..self }
    }

    /// By row; a row without bits has none.
    fn sums(&self) -> Vec<Option<VerilogExpression>> {
        match self._writing {
            Writing::Chains => self._rows.iter().map(|row| chain(row)).collect(),
            Writing::Shared => {
                let sharing = Sharing::known(&self._rows, N);
                sharing.rows.iter().map(|row| shared_sum(&sharing, row, N)).collect()
            }
            Writing::Parities => {
                (0..self.mask.len()).map(|row| Some(parity("data", &format!("mask[{row}]")))).collect()
            }
        }
    }

    fn sum_of(&self, data: Bits<N>) -> Bits<M> {
        let data = data.to_value();
        let mut sum = vec![0; M.div_ceil(64)];
        for (index, mask) in self._masks.iter().enumerate() {
            let folded = mask.iter().zip(data.words()).fold(0, |sum, (mask, word)| sum ^ (mask & word));
            sum[index / 64] |= u64::from(folded.count_ones() % 2) << (index % 64);
        }
        Bits::from_value(&Value::from_words(M as u32, &sum))
    }
}

fn mask_of(row: &[usize], width: usize) -> Vec<u64> {
    let mut mask = vec![0; width.div_ceil(64)];
    for index in row {
        mask[index / 64] ^= 1 << (index % 64);
    }
    mask
}

/// Input bits, one after the other.
fn chain(row: &[usize]) -> Option<VerilogExpression> {
    row.iter().map(|from| bit("data", *from)).reduce(xor)
}

/// Terms: input bits below `inputs`, common sums from there on.
fn shared_sum(sharing: &Sharing, terms: &[usize], inputs: usize) -> Option<VerilogExpression> {
    let term = |term: &usize| match term.checked_sub(inputs) {
        None => Some(bit("data", *term)),
        Some(sum) => shared_sum(sharing, &sharing.sums[sum], inputs),
    };
    terms.iter().filter_map(term).reduce(xor)
}

impl<const N: usize, const M: usize> Logic for XorMatrix<N, M> {
    fn update(&mut self) {
        let data = self.data.val();
        let sum = match self._seen {
            Some((seen, sum)) if seen == data => sum,
            _ => self.sum_of(data),
        };
        self._seen = Some((data, sum));
        self.sum.next = sum;
    }

    fn connect(&mut self) {
        self.sum.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut statements = vec![assign("sum", number(0))];
        for (index, sum) in self.sums().into_iter().enumerate() {
            if let Some(sum) = sum {
                statements.push(assign("sum", with_bit("sum", index, sum)));
            }
        }
        Verilog::Combinatorial(statements)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("xor_matrix", &[("n", N.to_string()), ("m", M.to_string())])
    }
}

drive_ports!(impl[const N: usize, const M: usize] XorMatrix<N, M> { data, sum });
