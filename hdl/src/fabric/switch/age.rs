//! How long packets wait and stand still.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of LIFE.
pub const LIFE_BITS: usize = 32;

/// Divides LIFE into sixteen ticks, for all lanes together. A tick in work that is longer than LIFE has it now begins anew.
#[derive(LogicBlock)]
pub struct SwitchTicks {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// LIFE, clocks; below 16: off.
    pub life: Signal<In, Bits<LIFE_BITS>>,
    /// A sixteenth has gone by.
    pub tick: Signal<Out, Bit>,
    count: DFF<Bits<28>>,
    ticks: DFF<Bit>,
    longer: DFF<Bit>,
    one: Constant<Bits<28>>,
}

impl Default for SwitchTicks {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            life: Default::default(),
            tick: Default::default(),
            count: Default::default(),
            ticks: Default::default(),
            longer: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for SwitchTicks {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, ticks, longer);
        // The last clock of a tick reloads: a count of 1 is looked for, so that the zero that powers on reloads too.
        self.ticks.d.next = false;
        self.count.d.next = self.count.q.val() - self.one.val();
        if !self.count.q.val().get_bits::<27>(1).any() {
            self.count.d.next = self.life.val().get_bits::<28>(4);
            self.ticks.d.next = self.life.val().get_bits::<28>(4).any();
        }
        self.longer.d.next = self.count.q.val() > self.life.val().get_bits::<28>(4);
        if self.longer.q.val() {
            self.count.d.next = self.life.val().get_bits::<28>(4);
            self.ticks.d.next = false;
        }
        self.tick.next = self.ticks.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_ticks", &[])
    }
}

drive_ports!(impl[] SwitchTicks { clock, life, tick });

/// The age of one packet: old behind the seventeenth tick, so that a whole LIFE has gone by and at most a sixteenth more.
#[derive(LogicBlock)]
pub struct SwitchAge {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// A sixteenth of LIFE has gone by.
    pub tick: Signal<In, Bit>,
    /// Begins anew: nobody waits, or something moves.
    pub restart: Signal<In, Bit>,
    /// LIFE has gone by.
    pub old: Signal<Out, Bit>,
    ticks: DFF<Bits<5>>,
    is_old: DFF<Bit>,
    one: Constant<Bits<5>>,
    last: Constant<Bits<5>>,
}

impl Default for SwitchAge {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            tick: Default::default(),
            restart: Default::default(),
            old: Default::default(),
            ticks: Default::default(),
            is_old: Default::default(),
            one: Constant::new(1.into()),
            last: Constant::new(16.into()),
        }
    }
}

impl Logic for SwitchAge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ticks, is_old);
        if self.tick.val() {
            self.ticks.d.next = self.ticks.q.val() + self.one.val();
            self.is_old.d.next = self.is_old.q.val() | (self.ticks.q.val() == self.last.val());
        }
        if self.restart.val() {
            self.ticks.d.next = 0.into();
            self.is_old.d.next = false;
        }
        self.old.next = self.is_old.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_age", &[])
    }
}

drive_ports!(impl[] SwitchAge { clock, tick, restart, old });
