//! Whether a Low's era counts.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// ERA_CUR of a tree (chapter 20, 4.7 rule 3). Verdict and ERA_CUR follow a clock after `check`; the verdict holds until
/// the next one. `clear` forgets ERA_CUR.
#[derive(LogicBlock)]
pub struct EraCheck {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// `era_in` is that of a Low.
    pub check: Signal<In, Bit>,
    /// Era of a Low.
    pub era_in: Signal<In, Bits<2>>,
    /// Offset banks that are valid.
    pub offset_valid: Signal<In, Bits<2>>,
    /// ERA_CUR.
    pub era: Signal<Out, Bits<2>>,
    /// ERA_CUR is known.
    pub known: Signal<Out, Bit>,
    /// The era before ERA_CUR: OLD_ERA.
    pub old: Signal<Out, Bit>,
    /// Two eras ahead, or its offset is not valid: BAD_ERA.
    pub bad: Signal<Out, Bit>,
    /// ERA_CUR moved on.
    pub moved: Signal<Out, Bit>,
    current: DFF<Bits<2>>,
    is_known: DFF<Bit>,
    is_old: DFF<Bit>,
    is_bad: DFF<Bit>,
    is_moved: DFF<Bit>,
    step: Signal<Local, Bits<2>>,
    bank_valid: Signal<Local, Bit>,
    stays_old: Signal<Local, Bit>,
    stays_bad: Signal<Local, Bit>,
    ahead_one: Constant<Bits<2>>,
    ahead_two: Constant<Bits<2>>,
    behind: Constant<Bits<2>>,
}

impl Default for EraCheck {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            check: Default::default(),
            era_in: Default::default(),
            offset_valid: Default::default(),
            era: Default::default(),
            known: Default::default(),
            old: Default::default(),
            bad: Default::default(),
            moved: Default::default(),
            current: Default::default(),
            is_known: Default::default(),
            is_old: Default::default(),
            is_bad: Default::default(),
            is_moved: Default::default(),
            step: Default::default(),
            bank_valid: Default::default(),
            stays_old: Default::default(),
            stays_bad: Default::default(),
            ahead_one: Constant::new(1.into()),
            ahead_two: Constant::new(2.into()),
            behind: Constant::new(3.into()),
        }
    }
}

impl Logic for EraCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, current, is_known, is_old, is_bad, is_moved);
        self.step.next = 0.into();
        if self.is_known.q.val() {
            self.step.next = self.era_in.val() - self.current.q.val();
        }
        self.bank_valid.next = self.offset_valid.val().get_bit(0);
        if self.era_in.val().get_bit(0) {
            self.bank_valid.next = self.offset_valid.val().get_bit(1);
        }
        self.stays_old.next = self.step.val() == self.behind.val();
        self.stays_bad.next =
            !self.stays_old.val() & (!self.bank_valid.val() | (self.step.val() == self.ahead_two.val()));
        if self.check.val() {
            self.is_old.d.next = self.stays_old.val();
            self.is_bad.d.next = self.stays_bad.val();
            self.is_moved.d.next = !self.stays_bad.val() & (self.step.val() == self.ahead_one.val());
            if !self.stays_old.val() & !self.stays_bad.val() {
                self.current.d.next = self.era_in.val();
                self.is_known.d.next = true;
            }
        }
        if self.clear.val() {
            self.current.d.next = 0.into();
            self.is_known.d.next = false;
        }
        self.era.next = self.current.q.val();
        self.known.next = self.is_known.q.val();
        self.old.next = self.is_old.q.val();
        self.bad.next = self.is_bad.q.val();
        self.moved.next = self.is_moved.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("era_check", &[])
    }
}

drive_ports!(impl[] EraCheck { clock, clear, check, era_in, offset_valid, era, known, old, bad, moved });
