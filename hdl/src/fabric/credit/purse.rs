//! The credits of one virtual lane at the sender.

use super::gain::GAIN_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::cred;

/// Bits of the credits of a lane.
pub const CREDIT_BITS: usize = cred::tx::WIDTH;
/// Bits that count the beats of an AU.
pub const PLACE_BITS: usize = 7;

/// Counts AU that may be filled, and the beats of the AU in work. Credit for the next beat is known from registers alone; what comes
/// back counts two clocks later.
#[derive(LogicBlock)]
pub struct CreditPurse {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// No credits, no packet.
    pub clear: Signal<In, Bit>,
    /// AU that come back.
    pub gain: Signal<In, Bits<GAIN_BITS>>,
    /// Beats of an AU, less one.
    pub last_place: Signal<In, Bits<PLACE_BITS>>,
    /// A beat of the lane goes.
    pub sent: Signal<In, Bit>,
    /// It ends a packet.
    pub ends: Signal<In, Bit>,
    /// There is credit for the next beat.
    pub credit: Signal<Out, Bit>,
    /// AU that may be filled, some clocks old.
    pub available: Signal<Out, Bits<CREDIT_BITS>>,
    /// More than there can be came back; it is not counted.
    pub overflow: Signal<Out, Bit>,

    units: DFF<Bits<CREDIT_BITS>>,
    /// Exactly one; two or more.
    one: DFF<Bit>,
    many: DFF<Bit>,
    /// The change that is not counted yet, and whether an AU is spent in it.
    change: DFF<Bits<12>>,
    spent: DFF<Bit>,
    /// The next beat is within an AU, at this place.
    within: DFF<Bit>,
    place: DFF<Bits<PLACE_BITS>>,

    spends: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    came: Signal<Local, Bits<12>>,
    less: Signal<Local, Bits<12>>,
    step: Signal<Local, Bits<17>>,
    sum: Signal<Local, Bits<17>>,
    minus_one: Constant<Bits<12>>,
    sign: Constant<Bits<17>>,
    next_place: Constant<Bits<PLACE_BITS>>,
}

impl Default for CreditPurse {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            gain: Default::default(),
            last_place: Default::default(),
            sent: Default::default(),
            ends: Default::default(),
            credit: Default::default(),
            available: Default::default(),
            overflow: Default::default(),
            units: Default::default(),
            one: Default::default(),
            many: Default::default(),
            change: Default::default(),
            spent: Default::default(),
            within: Default::default(),
            place: Default::default(),
            spends: Default::default(),
            fills: Default::default(),
            came: Default::default(),
            less: Default::default(),
            step: Default::default(),
            sum: Default::default(),
            minus_one: Constant::new(0xFFF.into()),
            sign: Constant::new(0x1_F000.into()),
            next_place: Constant::new(1.into()),
        }
    }
}

impl Logic for CreditPurse {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, units, one, many, change, spent, within, place);
        // The first beat of an AU costs it.
        self.spends.next = self.sent.val() & !self.within.q.val();
        self.fills.next = self.place.q.val() == self.last_place.val();
        if self.sent.val() {
            self.within.d.next = !self.ends.val() & !self.fills.val();
            self.place.d.next = self.place.q.val() + self.next_place.val();
            if self.ends.val() | self.fills.val() {
                self.place.d.next = 0.into();
            }
        }
        self.came.next = bit_cast::<12, GAIN_BITS>(self.gain.val());
        self.less.next = self.came.val() + self.minus_one.val();
        self.change.d.next = self.came.val();
        if self.spends.val() {
            self.change.d.next = self.less.val();
        }
        self.spent.d.next = self.spends.val();

        // The count. Below 0 it cannot get, but for a beat without credit, which is not counted.
        self.step.next = bit_cast::<17, 12>(self.change.q.val());
        if self.change.q.val().get_bit(11) {
            self.step.next = bit_cast::<17, 12>(self.change.q.val()) | self.sign.val();
        }
        self.sum.next = bit_cast::<17, CREDIT_BITS>(self.units.q.val()) + self.step.val();
        if !self.sum.val().get_bit(16) {
            self.units.d.next = self.sum.val().get_bits::<CREDIT_BITS>(0);
            self.many.d.next = self.sum.val().get_bits::<15>(1).any();
            self.one.d.next = self.sum.val().get_bit(0) & !self.sum.val().get_bits::<15>(1).any();
        }
        if self.clear.val() {
            self.units.d.next = 0.into();
            self.many.d.next = false;
            self.one.d.next = false;
            self.change.d.next = 0.into();
            self.spent.d.next = false;
            self.within.d.next = false;
            self.place.d.next = 0.into();
        }
        self.overflow.next = self.sum.val().get_bit(16);
        self.credit.next = self.within.q.val() | self.many.q.val() | (self.one.q.val() & !self.spent.q.val());
        self.available.next = self.units.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("credit_purse", &[])
    }
}

drive_ports!(impl[] CreditPurse { clock, clear, gain, last_place, sent, ends, credit, available, overflow });

const _: () = assert!(CREDIT_BITS == 16);
