//! Multiplication of a phase error by a gain, bit by bit.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::ERROR_BITS;

/// Bits of a product and its sum.
const SUM_BITS: usize = ERROR_BITS + 1;

/// Signed 32-bit `factor` times an unsigned number whose bits come lowest first, one per clock with `run`.
///
/// A bit comes one clock before the `run` that counts it. After 32 of them `product` is the 64-bit product; every further zero bit halves it, rounding down. `restart` sets it
/// to 0. One adder of 33 bits, in front of which a register takes the factor or 0 at no cost in LUTs; `product` is a
/// register, `shifted` comes from that adder.
#[derive(LogicBlock, Default)]
pub struct SerialMultiplier {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The product becomes 0; goes before `run`.
    pub restart: Signal<In, Bit>,
    /// `gain_bit` of the clock before counts.
    pub run: Signal<In, Bit>,
    /// Next bit of the other factor.
    pub gain_bit: Signal<In, Bit>,
    /// Signed factor; stable from `restart` on.
    pub factor: Signal<In, Bits<ERROR_BITS>>,
    /// The product so far.
    pub product: Signal<Out, Bits<64>>,
    /// With `run`: the bit that goes out of the sum; of a product with 1 the bits of `factor`, lowest first.
    pub shifted: Signal<Out, Bit>,
    high: DFF<Bits<ERROR_BITS>>,
    low: DFF<Bits<ERROR_BITS>>,
    addend: DFF<Bits<ERROR_BITS>>,
    sum: Signal<Local, Bits<SUM_BITS>>,
}

impl Logic for SerialMultiplier {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, high, low, addend);
        self.addend.d.next = 0.into();
        if self.gain_bit.val() {
            self.addend.d.next = self.factor.val();
        }
        self.sum.next = bit_cast::<SUM_BITS, ERROR_BITS>(self.high.q.val())
            .replace_bit(32, self.high.q.val().get_bit(31))
            + bit_cast::<SUM_BITS, ERROR_BITS>(self.addend.q.val())
                .replace_bit(32, self.addend.q.val().get_bit(31));
        if self.run.val() {
            self.high.d.next = self.sum.val().get_bits::<ERROR_BITS>(1);
            self.low.d.next = (self.low.q.val() >> 1).replace_bit(31, self.sum.val().get_bit(0));
        }
        if self.restart.val() {
            self.high.d.next = 0.into();
            self.low.d.next = 0.into();
        }
        self.product.next = bit_cast::<64, ERROR_BITS>(self.low.q.val())
            | (bit_cast::<64, ERROR_BITS>(self.high.q.val()) << 32);
        // The sum's lowest bit has no carry to wait for.
        self.shifted.next = self.high.q.val().get_bit(0) ^ self.addend.q.val().get_bit(0);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("serial_multiplier", &[])
    }
}

drive_ports!(impl[] SerialMultiplier { clock, restart, run, gain_bit, factor, product, shifted });

const _: () = assert!(ERROR_BITS == 32 && SUM_BITS == 33);
