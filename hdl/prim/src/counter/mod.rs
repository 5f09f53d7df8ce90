//! `counter`: the counter an operator reads (chapter 00): saturates, is set to 0 by `zero` or `clear`.
//!
//! One event per clock. An event shows in `value` 1 clock later; one that meets `zero` is not counted. The
//! value is kept in four segments whose carries are known in advance: a segment's "all ones" flag is a register,
//! exact for the lowest, one clock late for the others, which stand still for 2^S events before it matters.

use super::Register;
use crate::prelude::*;

/// A saturating counter of `N` = 4 `S` bits; see the [module](self).
#[block("counter", new, bits = N)]
#[derive(Clone, Debug)]
pub struct Counter<const N: usize, const S: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Sets the counter to 0.
    clear: In<Bit>,
    /// Sets the counter to 0: an operator wrote 0.
    zero: In<Bit>,
    /// Counts one event.
    up: In<Bit>,
    /// Events counted.
    value: Out<Bits<N>>,
    segment: [Register<Bits<S>>; 4],
    ones: [Register<Bit>; 4],
    shift: [Constant<Bits<6>>; 4],
    #[init(1)]
    one: Constant<Bits<S>>,
    #[init((1 << S) - 2)]
    last_but_one: Constant<Bits<S>>,
    #[init(0)]
    none: Constant<Bits<N>>,
    step: Local<Bit>,
    carry: Local<Bit>,
    part: Local<Bits<S>>,
}

#[logic]
impl<const N: usize, const S: usize> Counter<N, S> {
    /// A counter at 0.
    pub fn new() -> Result<Self, ConfigError> {
        check(N, S)?;
        let shift = |i: usize| Constant::new(Bits::from((i * S) as LiteralType));
        Ok(Self {
            segment: std::array::from_fn(|_| Register::default()),
            ones: std::array::from_fn(|_| Register::default()),
            shift: std::array::from_fn(shift),
            ..
        })
    }

    fn update(&mut self) {
        for i in 0..4 {
            segment[i].clear = clear | zero;
            segment[i] = segment[i] + one;
            ones[i] = In { clear: clear | zero, enable: true };
            ones[i] = segment[i].all();
        }
        step = up & !(ones[0] & ones[1] & ones[2] & ones[3]);
        // The lowest flag has no time to be late.
        ones[0].enable = step;
        ones[0] = segment[0] == last_but_one;
        carry = step;
        for i in 0..4 {
            segment[i].enable = carry;
            carry = carry & ones[i];
        }
        let mut sum = none;
        for i in 0..4 {
            part = segment[i];
            sum = sum | (bit_cast::<N, S>(part) << shift[i]);
        }
        value = sum;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "counter",
    chapter: "00-overview",
    summary: "saturating event counter",
    parameters: &[ParameterInfo::new("bits", 48, Allowed::Range(8, 60), "bits, a multiple of 4")],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let bits = settings.size("bits")?;
    check(bits, bits / 4)?;
    shapes! {
        settings: (bits) => build_as [bits, bits / 4];
        presets { (48) }
    }
}

/// Builds the block with these const parameters; see [`Counter`].
pub fn build_as<const N: usize, const S: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    Ok(BuiltBlock::new(Counter::<N, S>::new()?, InterfaceInfo::clocked(&[], Some(1), "up to value")))
}

fn check(bits: usize, segment: usize) -> Result<(), ConfigError> {
    check_range("counter", "S", segment as u64, 2, 15)?;
    check_derived("counter", "N", bits as u64, "4 S", 4 * segment as u64)
}
