//! Inputs for the self-check: random values, and what a user allows of them.

use super::Mismatch;
use crate::value::{words_for, Value};
use std::fmt;
use std::ops::RangeInclusive;

/// Which inputs may occur. An input that nothing is said of takes every value.
///
/// ```
/// use flitforge_elaborate::selfcheck::Stimulus;
///
/// let stimulus = Stimulus::default()
///     .range("address", 0..=11)
///     .signed_range("sample", -127..=127)
///     .one_of("mode", &[0, 1, 4])
///     .adjust(|inputs| {
///         if inputs.get_u64("read") == Some(1) {
///             inputs.set_u64("write", 0);
///         }
///     });
/// ```
#[derive(Default)]
pub struct Stimulus {
    rules: Vec<(String, Allowed)>,
    adjust: Option<Adjust>,
}

/// Changes the inputs of a cycle.
type Adjust = Box<dyn FnMut(&mut Inputs)>;

/// What an input may be, as numbers of 64 bits; a signed one is extended to the width of the input.
struct Allowed {
    signed: bool,
    choice: Choice,
}

enum Choice {
    Range(i128, i128),
    Values(Vec<u64>),
}

impl Stimulus {
    /// The input at `path` takes values of `range` only.
    pub fn range(self, path: &str, range: RangeInclusive<u64>) -> Self {
        let choice = Choice::Range((*range.start()).into(), (*range.end()).into());
        self.rule(path, Allowed { signed: false, choice })
    }

    /// [`Stimulus::range`] of a `Signed` input.
    pub fn signed_range(self, path: &str, range: RangeInclusive<i64>) -> Self {
        let choice = Choice::Range((*range.start()).into(), (*range.end()).into());
        self.rule(path, Allowed { signed: true, choice })
    }

    /// The input at `path` takes these values only.
    pub fn one_of(self, path: &str, values: &[u64]) -> Self {
        self.rule(path, Allowed { signed: false, choice: Choice::Values(values.to_vec()) })
    }

    /// Calls `adjust` with the inputs of every cycle, after all other rules.
    pub fn adjust(mut self, adjust: impl FnMut(&mut Inputs) + 'static) -> Self {
        self.adjust = Some(Box::new(adjust));
        self
    }

    fn rule(mut self, path: &str, allowed: Allowed) -> Self {
        self.rules.retain(|(known, _)| known != path);
        self.rules.push((path.into(), allowed));
        self
    }

    /// The input takes values below `count`, if no rule says otherwise: the others are none of its enumeration.
    pub(super) fn keep_below(&mut self, path: &str, count: u64) {
        if !self.rules.iter().any(|(known, _)| known == path) {
            let choice = Choice::Range(0, i128::from(count) - 1);
            self.rules.push((path.into(), Allowed { signed: false, choice }));
        }
    }

    /// Every rule is about an input and leaves it a value.
    pub(super) fn check(&self, inputs: &[(&str, u32)]) -> Result<(), Mismatch> {
        for (path, allowed) in &self.rules {
            let wrong = |why: String| Mismatch::Stimulus { path: path.clone(), why };
            let Some((_, width)) = inputs.iter().find(|(known, _)| known == path) else {
                let known: Vec<&str> = inputs.iter().map(|(path, _)| *path).collect();
                return Err(wrong(format!("is no input; the inputs are {}", known.join(", "))));
            };
            allowed.check(*width).map_err(wrong)?;
        }
        Ok(())
    }

    /// The inputs of a cycle.
    pub(super) fn inputs(&mut self, random: &mut Random, cycle: u64, ports: &[(&str, u32)]) -> Inputs {
        let mut values = vec![];
        for (path, width) in ports {
            let rule = self.rules.iter().find(|(known, _)| known == path);
            let value = match rule {
                Some((_, allowed)) => allowed.value(random, *width),
                None => random.value(*width),
            };
            values.push((path.to_string(), value));
        }
        let mut inputs = Inputs { cycle, values };
        if let Some(adjust) = &mut self.adjust {
            adjust(&mut inputs);
        }
        inputs
    }
}

impl fmt::Debug for Stimulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<&str> = self.rules.iter().map(|(path, _)| path.as_str()).collect();
        f.debug_struct("Stimulus").field("rules", &paths).field("adjust", &self.adjust.is_some()).finish()
    }
}

impl Allowed {
    fn check(&self, width: u32) -> Result<(), String> {
        let bits = width.min(64);
        let (least, most) = match self.signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let fits = |value: i128| match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(format!("{value} does not fit its {width} bits; allow {least} to {most} at most")),
        };
        match &self.choice {
            Choice::Range(start, end) if start > end => Err("has an empty range; give it a value".into()),
            Choice::Range(start, end) => fits(*start).and_then(|()| fits(*end)),
            Choice::Values(values) if values.is_empty() => Err("has an empty list; give it a value".into()),
            Choice::Values(values) => values.iter().try_for_each(|value| fits((*value).into())),
        }
    }

    /// One of the allowed values; the ends of a range come often.
    fn value(&self, random: &mut Random, width: u32) -> Value {
        let number = match &self.choice {
            Choice::Values(values) => {
                let pick = (random.next() >> 32) as usize % values.len().max(1);
                values.get(pick).copied().unwrap_or_default().into()
            }
            Choice::Range(start, end) => match random.next() >> 32 & 15 {
                0 => *start,
                1 => *end,
                _ => {
                    let wide = i128::from(random.next() >> 32) << 32 | i128::from(random.next() >> 32);
                    start + wide % (end - start + 1)
                }
            },
        };
        let value = Value::from_words(width.max(64), &words(number, width.max(64)));
        value.resize(width)
    }
}

/// `number` in two's complement.
fn words(number: i128, width: u32) -> Vec<u64> {
    let rest = if number < 0 { u64::MAX } else { 0 };
    let mut words = vec![rest; words_for(width)];
    words[0] = number as u64;
    words
}

/// The inputs of one cycle.
#[derive(Clone, Debug)]
pub struct Inputs {
    cycle: u64,
    pub(super) values: Vec<(String, Value)>,
}

impl Inputs {
    /// Number of the cycle, from 0.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The value of an input.
    pub fn get(&self, path: &str) -> Option<&Value> {
        self.values.iter().find(|(known, _)| known == path).map(|(_, value)| value)
    }

    /// The low 64 bits of an input.
    pub fn get_u64(&self, path: &str) -> Option<u64> {
        self.get(path).map(Value::low_u64)
    }

    /// Sets an input; false if there is none at `path`, or the value has another width.
    #[must_use]
    pub fn set(&mut self, path: &str, value: &Value) -> bool {
        let found = self.values.iter_mut().find(|(known, old)| known == path && old.width() == value.width());
        found.map(|(_, old)| *old = value.clone()).is_some()
    }

    /// Sets an input to the low bits of `value`; the inputs stay as they are if there is none at `path`.
    pub fn set_u64(&mut self, path: &str, value: u64) {
        if let Some((_, old)) = self.values.iter_mut().find(|(known, _)| known == path) {
            *old = Value::from_u64(64, value).resize(old.width());
        }
    }

    /// `path=value` for every input.
    pub(super) fn list(&self) -> String {
        let inputs: Vec<String> =
            self.values.iter().map(|(path, value)| format!("{path}={value:x}")).collect();
        inputs.join(" ")
    }
}

/// xorshift64*: enough for stimulus, and the library needs no generator of its own for tests.
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    pub fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A value; one in eight is all zeros, all ones or a single bit, where faults hide.
    fn value(&mut self, width: u32) -> Value {
        match self.next() >> 32 & 31 {
            0 => Value::zero(width),
            1 => Value::ones(width),
            2 | 3 => {
                let mut value = Value::zero(width);
                value.set_bit((self.next() >> 32) as u32 % width, true);
                value
            }
            _ => {
                let words: Vec<u64> = (0..words_for(width)).map(|_| self.next()).collect();
                Value::from_words(width, &words)
            }
        }
    }
}
