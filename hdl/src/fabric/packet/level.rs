//! How many things are under way.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Counts things that come and go, up to 31 of them, and says in a register, one clock late, whether there are fewer than a limit.
#[derive(LogicBlock)]
pub struct Level {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// None are under way.
    pub clear: Signal<In, Bit>,
    /// One comes.
    pub up: Signal<In, Bit>,
    /// One goes.
    pub down: Signal<In, Bit>,
    /// There were fewer than the limit.
    pub low: Signal<Out, Bit>,
    count: DFF<Bits<5>>,
    is_high: DFF<Bit>,
    limit: Constant<Bits<5>>,
    one: Constant<Bits<5>>,
}

impl Level {
    /// With this limit, 1 to 31.
    pub fn new(limit: u64) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            up: Default::default(),
            down: Default::default(),
            low: Default::default(),
            count: Default::default(),
            is_high: Default::default(),
            limit: Constant::new(limit.into()),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for Level {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, is_high);
        if self.up.val() & !self.down.val() {
            self.count.d.next = self.count.q.val() + self.one.val();
        }
        if self.down.val() & !self.up.val() {
            self.count.d.next = self.count.q.val() - self.one.val();
        }
        self.is_high.d.next = self.count.q.val() >= self.limit.val();
        if self.clear.val() {
            self.count.d.next = 0.into();
            self.is_high.d.next = false;
        }
        self.low.next = !self.is_high.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("level", &[("limit", self.limit.val().index().to_string())])
    }
}

drive_ports!(impl[] Level { clock, clear, up, down, low });
