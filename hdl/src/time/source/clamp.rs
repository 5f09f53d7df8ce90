//! A sum, cut to a limit on either side.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::F_ACC_BITS;

/// Bits of a sum: F_ACC and any 64-bit number.
pub const SUM_BITS: usize = 65;
/// Bits of the sum above the 16 below a limit.
const RATE: usize = SUM_BITS - 16;

/// `base` + `term`, signed, 2^-48 ns, cut to `limit` 2^-32 ns on either side. `value` and `clamped` follow 4 clocks after
/// the operands, which hold still. No clear: it holds no state.
#[derive(LogicBlock)]
pub struct Clamp {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// First operand.
    pub base: Signal<In, Bits<SUM_BITS>>,
    /// Second operand.
    pub term: Signal<In, Bits<SUM_BITS>>,
    /// Largest size of the result, 2^-32 ns.
    pub limit: Signal<In, Bits<32>>,
    /// The result, 2^-48 ns.
    pub value: Signal<Out, Bits<F_ACC_BITS>>,
    /// It is not the sum.
    pub clamped: Signal<Out, Bit>,
    low: DFF<Bits<33>>,
    high: DFF<Bits<33>>,
    /// Something below 2^-32 ns is left.
    rest: DFF<Bit>,
    fits: DFF<Bit>,
    over: DFF<Bit>,
    under: DFF<Bit>,
    result: DFF<Bits<F_ACC_BITS>>,
    changed: DFF<Bit>,
    carry: Signal<Local, Bits<34>>,
    sum: Signal<Local, Bits<SUM_BITS>>,
    rate: Signal<Local, Bits<RATE>>,
    top: Signal<Local, Bits<17>>,
    upper: Signal<Local, Bits<33>>,
    bound: Signal<Local, Bits<33>>,
    lower: Signal<Local, Bits<33>>,
    negative: Signal<Local, Bit>,
    minus_limit: Signal<Local, Bits<38>>,
    nothing: Constant<Bits<38>>,
}

impl Default for Clamp {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            base: Default::default(),
            term: Default::default(),
            limit: Default::default(),
            value: Default::default(),
            clamped: Default::default(),
            low: Default::default(),
            high: Default::default(),
            rest: Default::default(),
            fits: Default::default(),
            over: Default::default(),
            under: Default::default(),
            result: Default::default(),
            changed: Default::default(),
            carry: Default::default(),
            sum: Default::default(),
            rate: Default::default(),
            top: Default::default(),
            upper: Default::default(),
            bound: Default::default(),
            lower: Default::default(),
            negative: Default::default(),
            minus_limit: Default::default(),
            nothing: Constant::new(0.into()),
        }
    }
}

impl Logic for Clamp {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low, high, rest, fits, over, under, result, changed);
        // The sum in two clocks.
        self.low.d.next = bit_cast::<33, 32>(self.base.val().get_bits::<32>(0))
            + bit_cast::<33, 32>(self.term.val().get_bits::<32>(0));
        self.carry.next = (bit_cast::<34, 33>(self.base.val().get_bits::<33>(32)) << 1).replace_bit(0, true)
            + (bit_cast::<34, 33>(self.term.val().get_bits::<33>(32)) << 1)
                .replace_bit(0, self.low.q.val().get_bit(32));
        self.high.d.next = self.carry.val().get_bits::<33>(1);
        self.sum.next = bit_cast::<SUM_BITS, 32>(self.low.q.val().get_bits::<32>(0))
            | (bit_cast::<SUM_BITS, 33>(self.high.q.val()) << 32);

        // Where it lies. A rest below 2^-32 ns makes it larger: it is one more bit below.
        self.rate.next = self.sum.val().get_bits::<RATE>(16);
        self.negative.next = self.sum.val().get_bit(64);
        self.top.next = self.rate.val().get_bits::<17>(32);
        self.fits.d.next = self.top.val().all() | !self.top.val().any();
        self.rest.d.next = self.low.q.val().get_bits::<16>(0).any();
        self.upper.next = (bit_cast::<33, 32>(self.rate.val().get_bits::<32>(0)) << 1)
            | bit_cast::<33, 1>(self.rest.q.val().into());
        self.bound.next = bit_cast::<33, 32>(self.limit.val()) << 1;
        self.over.d.next = self.upper.val() > self.bound.val();
        self.lower.next =
            bit_cast::<33, 32>(self.rate.val().get_bits::<32>(0)) + bit_cast::<33, 32>(self.limit.val());
        self.under.d.next = !self.lower.val().get_bit(32);

        // The result.
        self.minus_limit.next = self.nothing.val() - bit_cast::<38, 32>(self.limit.val());
        self.result.d.next = self.sum.val().get_bits::<F_ACC_BITS>(0);
        self.changed.d.next = false;
        if !self.negative.val() & (!self.fits.q.val() | self.over.q.val()) {
            self.result.d.next = bit_cast::<F_ACC_BITS, 32>(self.limit.val()) << 16;
            self.changed.d.next = true;
        }
        if self.negative.val() & (!self.fits.q.val() | self.under.q.val()) {
            self.result.d.next = bit_cast::<F_ACC_BITS, 38>(self.minus_limit.val()) << 16;
            self.changed.d.next = true;
        }
        self.value.next = self.result.q.val();
        self.clamped.next = self.changed.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("clamp", &[])
    }
}

drive_ports!(impl[] Clamp { clock, base, term, limit, value, clamped });
