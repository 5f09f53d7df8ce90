//! A matrix over GF(2) as logic: every output bit is the exclusive or of some input bits.

use crate::config::ConfigError;
use crate::prim::ast::{assign, bit, number, with_bit, xor};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_elaborate::Value;
use rust_hdl::prelude::*;

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
        Ok(Self { data, sum, _rows: rows, _masks: masks, _seen: None })
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
        for (index, row) in self._rows.iter().enumerate() {
            if let Some(sum) = row.iter().map(|from| bit("data", *from)).reduce(xor) {
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
