//! V + ClockOffset - SyncTime.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS};

/// Bits of a third of a difference.
const PART: usize = 24;
/// A part with its carry or borrow.
const SUM: usize = PART + 1;
/// A sum with the carry that comes in below it.
const WIDE: usize = PART + 2;

/// The phase difference of a joined Low and the phase error, which is the difference cut to 32 bits (chapter 20, 4.7
/// rule 4).
///
/// A carry crosses 24 bits per clock. Clocks are counted from the first one of `low` and `sync`: `offset` and `high` may
/// come 2 clocks later and `carry` 3; `difference` follows 5 clocks later and `error` 7. No clear: it holds no state.
#[derive(LogicBlock)]
pub struct PhaseDifference {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// {time\[39:0\], frac} of the Low.
    pub low: Signal<In, Bits<44>>,
    /// Time\[63:40\] of the High.
    pub high: Signal<In, Bits<PART>>,
    /// Low's overlap byte has passed zero: one more in time\[63:40\].
    pub carry: Signal<In, Bit>,
    /// SyncTime, 1/256 ns.
    pub sync: Signal<In, Bits<DIFFERENCE_BITS>>,
    /// ClockOffset, 1/256 ns.
    pub offset: Signal<In, Bits<48>>,
    /// The error counts, else it becomes 0; 2 clocks before `error`.
    pub wanted: Signal<In, Bit>,
    /// V + ClockOffset - SyncTime, signed, 1/256 ns.
    pub difference: Signal<Out, Bits<DIFFERENCE_BITS>>,
    /// The same with 32 bits, saturating.
    pub error: Signal<Out, Bits<ERROR_BITS>>,
    less: [DFF<Bits<SUM>>; 3],
    more: [DFF<Bits<SUM>>; 3],
    // The sign's bits from the 31st up are alike within the middle third, and above the lowest two of the highest without
    // its carries.
    middle_alike: DFF<Bit>,
    upper_alike: DFF<Bit>,
    high_alike: DFF<Bit>,
    top_alike: DFF<Bit>,
    /// The error is the difference, or a limit, or neither.
    fits: DFF<Bit>,
    beyond_most: DFF<Bit>,
    beyond_least: DFF<Bit>,
    saturated: DFF<Bits<ERROR_BITS>>,
    value: Signal<Local, Bits<DIFFERENCE_BITS>>,
    minus: Signal<Local, Bits<WIDE>>,
    plus: Signal<Local, Bits<WIDE>>,
    total: Signal<Local, Bits<WIDE>>,
    middle_steps: Signal<Local, Bits<16>>,
    high_steps: Signal<Local, Bits<21>>,
    sign: Signal<Local, Bit>,
    fitting: Signal<Local, Bit>,
    sum: Signal<Local, Bits<DIFFERENCE_BITS>>,
    one: Constant<Bits<WIDE>>,
    most: Constant<Bits<ERROR_BITS>>,
    least: Constant<Bits<ERROR_BITS>>,
    none: Constant<Bits<ERROR_BITS>>,
}

impl Default for PhaseDifference {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            low: Default::default(),
            high: Default::default(),
            carry: Default::default(),
            sync: Default::default(),
            offset: Default::default(),
            wanted: Default::default(),
            difference: Default::default(),
            error: Default::default(),
            less: Default::default(),
            more: Default::default(),
            middle_alike: Default::default(),
            upper_alike: Default::default(),
            high_alike: Default::default(),
            top_alike: Default::default(),
            fits: Default::default(),
            beyond_most: Default::default(),
            beyond_least: Default::default(),
            saturated: Default::default(),
            value: Default::default(),
            minus: Default::default(),
            plus: Default::default(),
            total: Default::default(),
            middle_steps: Default::default(),
            high_steps: Default::default(),
            sign: Default::default(),
            fitting: Default::default(),
            sum: Default::default(),
            one: Constant::new(1.into()),
            most: Constant::new(u64::from(i32::MAX.unsigned_abs()).into()),
            least: Constant::new(u64::from(i32::MIN.unsigned_abs()).into()),
            none: Constant::new(0.into()),
        }
    }
}

impl Logic for PhaseDifference {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            middle_alike,
            upper_alike,
            high_alike,
            top_alike,
            fits,
            beyond_most,
            beyond_least,
            saturated
        );
        for i in 0..3 {
            self.less[i].clock.next = self.clock.val();
            self.more[i].clock.next = self.clock.val();
        }

        // V less SyncTime. A borrow goes into the next part as the bit below both operands.
        self.value.next = (bit_cast::<DIFFERENCE_BITS, 44>(self.low.val()) << 4)
            | (bit_cast::<DIFFERENCE_BITS, PART>(self.high.val()) << 48);
        self.minus.next = bit_cast::<WIDE, PART>(self.sync.val().get_bits::<PART>(0)) << 1;
        self.total.next =
            (bit_cast::<WIDE, PART>(self.value.val().get_bits::<PART>(0)) << 1) - self.minus.val();
        self.less[0].d.next = self.total.val().get_bits::<SUM>(1);
        self.minus.next = (bit_cast::<WIDE, PART>(self.sync.val().get_bits::<PART>(24)) << 1)
            .replace_bit(0, self.less[0].q.val().get_bit(24));
        self.total.next =
            (bit_cast::<WIDE, PART>(self.value.val().get_bits::<PART>(24)) << 1) - self.minus.val();
        self.less[1].d.next = self.total.val().get_bits::<SUM>(1);
        self.minus.next = (bit_cast::<WIDE, PART>(self.sync.val().get_bits::<PART>(48)) << 1)
            .replace_bit(0, self.less[1].q.val().get_bit(24));
        self.total.next =
            (bit_cast::<WIDE, PART>(self.value.val().get_bits::<PART>(48)) << 1) - self.minus.val();
        self.less[2].d.next = self.total.val().get_bits::<SUM>(1);

        // The offset; it is never negative.
        self.plus.next = bit_cast::<WIDE, PART>(self.offset.val().get_bits::<PART>(0)) << 1;
        self.total.next =
            (bit_cast::<WIDE, PART>(self.less[0].q.val().get_bits::<PART>(0)) << 1) + self.plus.val();
        self.more[0].d.next = self.total.val().get_bits::<SUM>(1);
        self.plus.next = (bit_cast::<WIDE, PART>(self.offset.val().get_bits::<PART>(24)) << 1)
            .replace_bit(0, self.more[0].q.val().get_bit(24));
        self.total.next = ((bit_cast::<WIDE, PART>(self.less[1].q.val().get_bits::<PART>(0)) << 1)
            | self.one.val())
            + self.plus.val();
        self.more[1].d.next = self.total.val().get_bits::<SUM>(1);
        self.plus.next = 0.into();
        self.plus.next =
            self.plus.val().replace_bit(0, self.more[1].q.val().get_bit(24)).replace_bit(1, self.carry.val());
        self.total.next = ((bit_cast::<WIDE, PART>(self.less[2].q.val().get_bits::<PART>(0)) << 1)
            | self.one.val())
            + self.plus.val();
        self.more[2].d.next = self.total.val().get_bits::<SUM>(1);

        self.sum.next = bit_cast::<DIFFERENCE_BITS, PART>(self.more[0].q.val().get_bits::<PART>(0))
            | (bit_cast::<DIFFERENCE_BITS, PART>(self.more[1].q.val().get_bits::<PART>(0)) << 24)
            | (bit_cast::<DIFFERENCE_BITS, PART>(self.more[2].q.val().get_bits::<PART>(0)) << 48);

        // 32 bits hold it if all bits from the 31st up are alike. To the highest part at most 2 is added: it becomes 0 or -1
        // from -4 to 3 alone, and its lowest three bits tell these apart.
        self.middle_steps.next =
            self.more[1].q.val().get_bits::<16>(7) ^ self.more[1].q.val().get_bits::<16>(8);
        self.middle_alike.d.next = !self.middle_steps.val().get_bits::<8>(0).any();
        self.upper_alike.d.next = !self.middle_steps.val().get_bits::<8>(8).any();
        self.high_steps.next =
            self.less[2].q.val().get_bits::<21>(2) ^ self.less[2].q.val().get_bits::<21>(3);
        self.high_alike.d.next = !self.high_steps.val().get_bits::<12>(0).any();
        self.top_alike.d.next = !self.high_steps.val().get_bits::<9>(12).any();
        self.sign.next = self.more[1].q.val().get_bit(23);
        self.fitting.next = self.middle_alike.q.val()
            & self.upper_alike.q.val()
            & self.high_alike.q.val()
            & self.top_alike.q.val()
            & (self.more[2].q.val().get_bit(0) == self.sign.val())
            & (self.more[2].q.val().get_bit(1) == self.sign.val())
            & (self.more[2].q.val().get_bit(2) == self.sign.val());
        self.fits.d.next = self.wanted.val() & self.fitting.val();
        self.beyond_most.d.next = self.wanted.val() & !self.fitting.val() & !self.more[2].q.val().get_bit(23);
        self.beyond_least.d.next = self.wanted.val() & !self.fitting.val() & self.more[2].q.val().get_bit(23);
        self.saturated.d.next = self.none.val();
        if self.fits.q.val() {
            self.saturated.d.next = self.sum.val().get_bits::<ERROR_BITS>(0);
        }
        if self.beyond_most.q.val() {
            self.saturated.d.next = self.most.val();
        }
        if self.beyond_least.q.val() {
            self.saturated.d.next = self.least.val();
        }
        self.difference.next = self.sum.val();
        self.error.next = self.saturated.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("phase_difference", &[])
    }
}

drive_ports!(impl[] PhaseDifference { clock, low, high, carry, sync, offset, wanted, difference, error });

const _: () = assert!(DIFFERENCE_BITS == 3 * PART && ERROR_BITS == 32);
