//! `counter`: the counter an operator reads (chapter 00): saturates, is set to 0 by `zero` or `clear`.
//!
//! One event per clock. An event shows in `value` 1 clock later; one that meets `zero` is not counted. The
//! value is kept in four segments whose carries are known in advance: a segment's "all ones" flag is a register,
//! exact for the lowest, one clock late for the others, which stand still for 2^S events before it matters.

use super::Register;
use crate::config::{check_derived, check_range, ConfigError};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// A saturating counter of `N` = 4 `S` bits; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct Counter<const N: usize, const S: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Sets the counter to 0.
    pub clear: Signal<In, Bit>,
    /// Sets the counter to 0: an operator wrote 0.
    pub zero: Signal<In, Bit>,
    /// Counts one event.
    pub up: Signal<In, Bit>,
    /// Events counted.
    pub value: Signal<Out, Bits<N>>,
    segment: [Register<Bits<S>>; 4],
    ones: [Register<Bit>; 4],
    shift: [Constant<Bits<6>>; 4],
    one: Constant<Bits<S>>,
    last_but_one: Constant<Bits<S>>,
    none: Constant<Bits<N>>,
    step: Signal<Local, Bit>,
    carry: Signal<Local, Bit>,
    part: Signal<Local, Bits<S>>,
    sum: Signal<Local, Bits<N>>,
}

impl<const N: usize, const S: usize> Counter<N, S> {
    /// A counter at 0.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("counter", "S", S as u64, 2, 15)?;
        check_derived("counter", "N", N as u64, "4 S", 4 * S as u64)?;
        let shift = |i: usize| Constant::new(Bits::from((i * S) as LiteralType));
        Ok(Self {
            clock: Signal::default(),
            clear: Signal::default(),
            zero: Signal::default(),
            up: Signal::default(),
            value: Signal::default(),
            segment: std::array::from_fn(|_| Register::default()),
            ones: std::array::from_fn(|_| Register::default()),
            shift: std::array::from_fn(shift),
            one: Constant::new(Bits::from(1)),
            last_but_one: Constant::new(Bits::from((1 << S) - 2)),
            none: Constant::new(Bits::default()),
            step: Signal::default(),
            carry: Signal::default(),
            part: Signal::default(),
            sum: Signal::default(),
        })
    }
}

impl<const N: usize, const S: usize> Logic for Counter<N, S> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..4 {
            self.segment[i].clock.next = self.clock.val();
            self.segment[i].clear.next = self.clear.val() | self.zero.val();
            self.segment[i].d.next = self.segment[i].q.val() + self.one.val();
            self.ones[i].clock.next = self.clock.val();
            self.ones[i].clear.next = self.clear.val() | self.zero.val();
            self.ones[i].enable.next = true;
            self.ones[i].d.next = self.segment[i].q.val().all();
        }
        self.step.next = self.up.val()
            & !(self.ones[0].q.val() & self.ones[1].q.val() & self.ones[2].q.val() & self.ones[3].q.val());
        // The lowest flag has no time to be late.
        self.ones[0].enable.next = self.step.val();
        self.ones[0].d.next = self.segment[0].q.val() == self.last_but_one.val();
        self.carry.next = self.step.val();
        for i in 0..4 {
            self.segment[i].enable.next = self.carry.val();
            self.carry.next = self.carry.val() & self.ones[i].q.val();
        }
        self.sum.next = self.none.val();
        for i in 0..4 {
            self.part.next = self.segment[i].q.val();
            self.sum.next = self.sum.val() | (bit_cast::<N, S>(self.part.val()) << self.shift[i].val());
        }
        self.value.next = self.sum.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("counter", &[("bits", N.to_string())])
    }
}

drive_ports!(impl[const N: usize, const S: usize] Counter<N, S> { clock, clear, zero, up, value });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "counter",
    chapter: "00-overview",
    summary: "saturating event counter",
    parameters: &[ParameterInfo {
        name: "bits",
        default: 48,
        allowed: Allowed::OneOf(&[8, 32, 48]),
        doc: "bits",
    }],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(&[], Some(1), "up to value");
    Ok(match settings.get("bits")? {
        8 => BuiltBlock::new(Counter::<8, 2>::new()?, interface),
        32 => BuiltBlock::new(Counter::<32, 8>::new()?, interface),
        48 => BuiltBlock::new(Counter::<48, 12>::new()?, interface),
        _ => return Err(settings.unsupported("bits", "8, 32 or 48")),
    })
}
