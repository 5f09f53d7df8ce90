//! How long lanes have waited.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::vl_en;

/// Bits of AGE.
pub const AGE_BITS: usize = vl_en::age::WIDTH;

/// Counts the beat times that each of `N` lanes has waited, up to AGE. A change of AGE counts for waits that begin later.
#[derive(LogicBlock)]
pub struct VlWaits<const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nobody has waited.
    pub clear: Signal<In, Bit>,
    /// AGE; 0: nobody ages.
    pub age: Signal<In, Bits<AGE_BITS>>,
    /// A beat time ends on this edge.
    pub step: Signal<In, Bit>,
    /// Lanes that have a beat.
    pub offers: Signal<In, Bits<N>>,
    /// The lane whose beat goes.
    pub sent: Signal<In, Bits<N>>,
    /// Lanes that have waited AGE.
    pub aged: Signal<Out, Bits<N>>,
    waited: [DFF<Bits<AGE_BITS>>; N],
    /// Lanes whose beat went in the clock before: their count is 0, whatever `waited` says.
    went: DFF<Bits<N>>,
    aged_lanes: DFF<Bits<N>>,
    nearly: DFF<Bits<AGE_BITS>>,
    ages: DFF<Bit>,
    next_aged: Signal<Local, Bits<N>>,
    next_went: Signal<Local, Bits<N>>,
    count: Signal<Local, Bits<AGE_BITS>>,
    one: Constant<Bits<AGE_BITS>>,
    nobody: Constant<Bits<N>>,
}

impl<const N: usize> Default for VlWaits<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            age: Default::default(),
            step: Default::default(),
            offers: Default::default(),
            sent: Default::default(),
            aged: Default::default(),
            waited: defaults(),
            went: Default::default(),
            aged_lanes: Default::default(),
            nearly: Default::default(),
            ages: Default::default(),
            next_aged: Default::default(),
            next_went: Default::default(),
            count: Default::default(),
            one: Constant::new(1.into()),
            nobody: Constant::new(Bits::default()),
        }
    }
}

impl<const N: usize> Logic for VlWaits<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, aged_lanes, nearly, ages, went);
        self.nearly.d.next = self.age.val() - self.one.val();
        self.ages.d.next = self.age.val().any();
        self.next_aged.next = self.aged_lanes.q.val();
        self.next_went.next = 0.into();
        for v in 0..N {
            self.waited[v].clock.next = self.clock.val();
            self.count.next = self.waited[v].q.val();
            if self.went.q.val().get_bit(v) {
                self.count.next = 0.into();
            }
            self.waited[v].d.next = self.count.val();
            if self.step.val() & self.offers.val().get_bit(v) & !self.aged_lanes.q.val().get_bit(v) {
                self.waited[v].d.next = self.count.val() + self.one.val();
                self.next_aged.next = self
                    .next_aged
                    .val()
                    .replace_bit(v, self.ages.q.val() & (self.count.val() >= self.nearly.q.val()));
            }
            self.next_went.next =
                self.next_went.val().replace_bit(v, self.step.val() & self.sent.val().get_bit(v));
            if self.clear.val() | (self.step.val() & self.sent.val().get_bit(v)) {
                self.next_aged.next = self.next_aged.val().replace_bit(v, false);
            }
        }
        self.aged_lanes.d.next = self.next_aged.val();
        self.went.d.next = self.next_went.val();
        if self.clear.val() {
            self.went.d.next = !self.nobody.val();
        }
        self.aged.next = self.aged_lanes.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_waits", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] VlWaits<N> { clock, clear, age, step, offers, sent, aged });
