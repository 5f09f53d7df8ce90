//! LocalTime, which is never stepped.

use super::TIME_WORD_BITS;
use crate::config::ConfigError;
use crate::prim::{Delay, Register};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::INC_BITS;

/// Bits of a half.
const HALF: usize = 48;
/// A half with its carry.
const SUM: usize = HALF + 1;
/// Clocks by which INC_NOM is late at the lower half.
const RATE_CLOCKS: u64 = 6;

/// Adds INC_NOM every clock, in two halves; both of `value` are of the same edge.
///
/// `increment` of a clock shows in `value` 8 clocks later. `clear` sets everything to 0, and what stood before it is not counted.
#[derive(LogicBlock)]
pub struct LocalCounter {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// INC_NOM, 2^-32 ns.
    pub increment: Signal<In, Bits<INC_BITS>>,
    /// 64.32 ns.
    pub value: Signal<Out, Bits<TIME_WORD_BITS>>,
    late: Delay<Bits<INC_BITS>>,
    rate: Register<Bits<INC_BITS>>,
    /// Clocks behind `clear`, up to those that `late` takes.
    age: DFF<Bits<3>>,
    low: DFF<Bits<HALF>>,
    carry: DFF<Bit>,
    low_shown: DFF<Bits<HALF>>,
    high: DFF<Bits<HALF>>,
    young: Signal<Local, Bit>,
    sum: Signal<Local, Bits<SUM>>,
    carried: Signal<Local, Bits<HALF>>,
    one: Constant<Bits<3>>,
    grown: Constant<Bits<3>>,
}

impl LocalCounter {
    /// At 0.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            increment: Default::default(),
            value: Default::default(),
            late: Delay::compact(RATE_CLOCKS as usize - 1)?,
            rate: Default::default(),
            age: Default::default(),
            low: Default::default(),
            carry: Default::default(),
            low_shown: Default::default(),
            high: Default::default(),
            young: Default::default(),
            sum: Default::default(),
            carried: Default::default(),
            one: Constant::new(1.into()),
            grown: Constant::new((RATE_CLOCKS - 1).into()),
        })
    }
}

impl Logic for LocalCounter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, age, low, carry, low_shown, high);
        clock!(self, clock, late, rate);

        // INC_NOM of the clocks since `clear`.
        self.late.d.next = self.increment.val();
        self.young.next = self.age.q.val() != self.grown.val();
        if self.young.val() {
            self.age.d.next = self.age.q.val() + self.one.val();
        }
        self.rate.clear.next = self.clear.val() | self.young.val();
        self.rate.enable.next = true;
        self.rate.d.next = self.late.q.val();

        self.sum.next =
            bit_cast::<SUM, HALF>(self.low.q.val()) + bit_cast::<SUM, INC_BITS>(self.rate.q.val());
        self.low.d.next = self.sum.val().get_bits::<HALF>(0);
        self.carry.d.next = self.sum.val().get_bit(48);
        self.low_shown.d.next = self.low.q.val();
        self.carried.next = 0.into();
        self.carried.next = self.carried.val().replace_bit(0, self.carry.q.val());
        self.high.d.next = self.high.q.val() + self.carried.val();

        if self.clear.val() {
            self.age.d.next = 0.into();
            self.low.d.next = 0.into();
            self.carry.d.next = false;
            self.low_shown.d.next = 0.into();
            self.high.d.next = 0.into();
        }
        self.value.next = bit_cast::<TIME_WORD_BITS, HALF>(self.low_shown.q.val())
            | (bit_cast::<TIME_WORD_BITS, HALF>(self.high.q.val()) << 48);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("local_counter", &[])
    }
}

drive_ports!(impl[] LocalCounter { clock, clear, increment, value });

const _: () = assert!(TIME_WORD_BITS == 2 * HALF && INC_BITS < HALF);
