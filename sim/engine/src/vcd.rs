//! Value change dumps (IEEE 1364-2005, chapter 18), with scopes from hierarchical paths.

use crate::trace::FourState;
use std::io::{self, Write};

/// Nanoseconds shown per clock; simulations here have no real time, one clock is one clock.
pub const PERIOD: u64 = 10;

/// Writes a VCD: the values of row `n` show from time `n * PERIOD` on, and the clocks rise at that time (from
/// row 1 on), so that a register changes exactly at the edge that loads it.
pub struct VcdWriter<W: Write> {
    out: W,
    codes: Vec<String>,
    widths: Vec<u32>,
    last: Vec<Option<FourState>>,
    clock_codes: Vec<String>,
    row: u64,
}

impl<W: Write> VcdWriter<W> {
    /// Writes the header: `clocks` and `signals` are dotted paths below a scope called `top`.
    pub fn new(mut out: W, top: &str, clocks: &[String], signals: &[(String, u32)]) -> io::Result<Self> {
        writeln!(out, "$version flitforge $end\n$timescale 1ns $end\n$scope module {top} $end")?;
        let mut variables: Vec<(Vec<&str>, u32, usize)> = clocks
            .iter()
            .map(|path| (path.as_str(), 1))
            .chain(signals.iter().map(|(path, width)| (path.as_str(), *width)))
            .enumerate()
            .map(|(number, (path, width))| (path.split('.').collect(), width, number))
            .collect();
        // Stable, so that the signals of one scope keep their order.
        variables.sort_by(|a, b| a.0[..a.0.len() - 1].cmp(&b.0[..b.0.len() - 1]));
        let mut open: Vec<&str> = vec![];
        for (path, width, number) in &variables {
            let (scope, name) = (&path[..path.len() - 1], path[path.len() - 1]);
            let common = open.iter().zip(scope).take_while(|(a, b)| a == b).count();
            for _ in common..open.len() {
                writeln!(out, "$upscope $end")?;
            }
            for part in &scope[common..] {
                writeln!(out, "$scope module {part} $end")?;
            }
            open = scope.to_vec();
            let range = if *width > 1 { format!(" [{}:0]", width - 1) } else { String::new() };
            writeln!(out, "$var wire {width} {} {name}{range} $end", code(*number))?;
        }
        for _ in 0..=open.len() {
            writeln!(out, "$upscope $end")?;
        }
        writeln!(out, "$enddefinitions $end")?;
        Ok(Self {
            out,
            codes: (clocks.len()..clocks.len() + signals.len()).map(code).collect(),
            widths: signals.iter().map(|(_, width)| *width).collect(),
            last: vec![None; signals.len()],
            clock_codes: (0..clocks.len()).map(code).collect(),
            row: 0,
        })
    }

    /// Starts numbering rows at `row` instead of 0.
    pub fn starting_at(mut self, row: u64) -> Self {
        self.row = row;
        self
    }

    /// Writes one row: the value of every signal, in the order given to [`new`](Self::new), and which clocks
    /// (by mask) rose on the edge before it.
    pub fn row(&mut self, risen: u64, values: impl IntoIterator<Item = FourState>) -> io::Result<()> {
        writeln!(self.out, "#{}", self.row * PERIOD)?;
        for (index, code) in self.clock_codes.iter().enumerate() {
            writeln!(self.out, "{}{code}", risen >> index & 1)?;
        }
        for (index, value) in values.into_iter().enumerate() {
            if self.last[index].as_ref() != Some(&value) {
                write_value(&mut self.out, self.widths[index], &self.codes[index], &value)?;
                self.last[index] = Some(value);
            }
        }
        if risen != 0 {
            writeln!(self.out, "#{}", self.row * PERIOD + PERIOD / 2)?;
            for code in &self.clock_codes {
                writeln!(self.out, "0{code}")?;
            }
        }
        self.row += 1;
        Ok(())
    }

    /// Writes the end time and flushes.
    pub fn finish(mut self) -> io::Result<()> {
        writeln!(self.out, "#{}", self.row * PERIOD)?;
        self.out.flush()
    }
}

/// The short identifier of variable `number`: printable characters from `!` to `~`.
fn code(mut number: usize) -> String {
    let mut text = String::new();
    loop {
        text.push((b'!' + (number % 94) as u8) as char);
        number /= 94;
        if number == 0 {
            return text;
        }
        number -= 1;
    }
}

fn write_value(out: &mut impl Write, width: u32, code: &str, value: &FourState) -> io::Result<()> {
    let bit = |index: u32| {
        let (word, shift) = ((index / 64) as usize, index % 64);
        let one = |words: &[u64]| words.get(word).is_some_and(|word| word >> shift & 1 == 1);
        match (one(&value.unknown), one(&value.value)) {
            (true, _) => b'x',
            (false, true) => b'1',
            (false, false) => b'0',
        }
    };
    if width == 1 {
        return writeln!(out, "{}{code}", bit(0) as char);
    }
    let bits: Vec<u8> = (0..width).rev().map(bit).collect();
    // Readers extend a shorter value with zeros, but with x if it begins with x: then one zero stays.
    let first = bits.iter().position(|bit| *bit != b'0').unwrap_or(bits.len() - 1);
    let first = if bits[first] == b'x' { first.saturating_sub(1) } else { first };
    writeln!(out, "b{} {code}", String::from_utf8_lossy(&bits[first..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_distinct() {
        let codes: HashSet<String> = (0..20_000).map(code).collect();
        assert_eq!(codes.len(), 20_000);
    }
}
