//! What changes the registers of `time_source`, one change after the other.

use super::clamp::{Clamp, SUM_BITS};
use super::{TIME_WORD_BITS, WRITE_BITS};
use crate::prim::stream::{FlowIn, StreamIn};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{
    SourceWriteCode, DIFFERENCE_BITS, F_ACC_BITS, INC_BITS, LIMIT_SHIFT, SLEW_CNT_BITS, SLEW_P_BITS,
    SOURCE_CHANGE_CLOCKS,
};

/// Bits of the code of a change: those of a write, and those below.
const CODE_BITS: usize = 4;
/// F_ACC moves by a number of the servo.
const MOVE: u64 = 8;
/// SLEW_P and SLEW_CNT are set by the servo.
const SLEW: u64 = 9;
/// The servo steps SyncTime.
const STEP: u64 = 10;
/// After LIMITS: F_ACC, then SLEW_P is clamped.
const CLAMP_F: u64 = 11;
const CLAMP_SLEW: u64 = 12;

/// INC_NOM, LIMITS, F_ACC, SLEW_P and SLEW_CNT, and steps of SyncTime (chapter 20, 4.1 rules 2 and 3).
///
/// A change takes 8 clocks, LIMITS 22: it clamps F_ACC and SLEW_P, too. A step of the servo goes before its `adjust`, and
/// that before a write. Registers show a change 7 clocks after it began (a write begins with its transfer, a change of
/// the servo a clock later), `jump_now` 2 clocks after. One step and one adjust wait; another of the kind
/// replaces what waits. `clear` drops what is in work or waits, and sets F_ACC, SLEW_P and SLEW_CNT to 0.
#[derive(LogicBlock)]
pub struct SourceChange {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A register write, see [`WRITE_BITS`].
    pub write: StreamIn<Bits<WRITE_BITS>>,
    /// The servo steps SyncTime, signed, 1/256 ns.
    pub step: FlowIn<Bits<DIFFERENCE_BITS>>,
    /// The servo's change of the rate, as `time_servo` gives it.
    pub adjust: FlowIn<Bits<64>>,
    /// `adjust` is a slew.
    pub adjust_slew: Signal<In, Bit>,
    /// SLEW_N.
    pub slew_n: Signal<In, Bits<SLEW_CNT_BITS>>,
    /// INC_NOM.
    pub inc_nom: Signal<Out, Bits<INC_BITS>>,
    /// F_LIMIT and SLEW_LIMIT.
    pub limits: Signal<Out, Bits<64>>,
    /// F_ACC.
    pub f_acc: Signal<Out, Bits<F_ACC_BITS>>,
    /// SLEW_P.
    pub slew_p: Signal<Out, Bits<SLEW_P_BITS>>,
    /// SLEW_CNT.
    pub slew_left: Signal<Out, Bits<SLEW_CNT_BITS>>,
    /// SyncTime jumps.
    pub jump_now: Signal<Out, Bit>,
    /// `jump` replaces SyncTime.
    pub jump_zero: Signal<Out, Bit>,
    /// By how much, 2^-32 ns; holds for 3 clocks.
    pub jump: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// Event: a value was clamped (CLAMPS).
    pub clamped: Signal<Out, Bit>,
    /// Event: a write was refused (REFUSED).
    pub refused: Signal<Out, Bit>,
    clamp: Clamp,
    increment: Register<Bits<INC_BITS>>,
    f_limit: Register<Bits<32>>,
    slew_limit: Register<Bits<32>>,
    frequency: DFF<Bits<F_ACC_BITS>>,
    slew: DFF<Bits<SLEW_P_BITS>>,
    left: DFF<Bits<SLEW_CNT_BITS>>,
    step_waits: DFF<Bit>,
    step_data: DFF<Bits<DIFFERENCE_BITS>>,
    adjust_waits: DFF<Bit>,
    adjust_data: DFF<Bits<64>>,
    adjust_is_slew: DFF<Bit>,
    // The change in work, and the clocks since it began.
    code: DFF<Bits<CODE_BITS>>,
    data: DFF<Bits<DIFFERENCE_BITS>>,
    age: DFF<Bits<3>>,
    jumps: DFF<Bit>,
    zeroes: DFF<Bit>,
    distance: DFF<Bits<TIME_WORD_BITS>>,
    base: DFF<Bits<SUM_BITS>>,
    term: DFF<Bits<SUM_BITS>>,
    limit: DFF<Bits<32>>,
    asked_increment: DFF<Bits<INC_BITS>>,
    asked_sum: DFF<Bits<33>>,
    too_wide: DFF<Bit>,
    allowed: DFF<Bit>,
    clamped_now: DFF<Bit>,
    refused_now: DFF<Bit>,
    idle: Signal<Local, Bit>,
    take_step: Signal<Local, Bit>,
    take_adjust: Signal<Local, Bit>,
    take_write: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    now: Signal<Local, Bit>,
    is_jump: Signal<Local, Bit>,
    is_f: Signal<Local, Bit>,
    is_slew: Signal<Local, Bit>,
    sets_increment: Signal<Local, Bit>,
    sets_limits: Signal<Local, Bit>,
    word: Signal<Local, Bits<64>>,
    register_f: Signal<Local, Bits<F_ACC_BITS>>,
    register_slew: Signal<Local, Bits<SLEW_P_BITS>>,
    servo_slew: Signal<Local, Bits<48>>,
    value: Signal<Local, Bits<F_ACC_BITS>>,
    c_increment: Constant<Bits<CODE_BITS>>,
    c_limits: Constant<Bits<CODE_BITS>>,
    c_f_acc: Constant<Bits<CODE_BITS>>,
    c_slew_p: Constant<Bits<CODE_BITS>>,
    c_slew_cnt: Constant<Bits<CODE_BITS>>,
    c_set: Constant<Bits<CODE_BITS>>,
    c_add: Constant<Bits<CODE_BITS>>,
    c_move: Constant<Bits<CODE_BITS>>,
    c_slew: Constant<Bits<CODE_BITS>>,
    c_step: Constant<Bits<CODE_BITS>>,
    c_clamp_f: Constant<Bits<CODE_BITS>>,
    c_clamp_slew: Constant<Bits<CODE_BITS>>,
    first_clock: Constant<Bits<3>>,
    write_clock: Constant<Bits<3>>,
    /// Sign bits above F_ACC.
    above_f: Constant<Bits<SUM_BITS>>,
    _power_on: u64,
}

impl SourceChange {
    /// With this INC_NOM and the default limits at power-on.
    pub fn new(inc_nom: u64) -> Self {
        let write = |code: SourceWriteCode| Constant::new(u64::from(code.code()).into());
        let limit = inc_nom >> LIMIT_SHIFT;
        let sign_bits =
            (F_ACC_BITS..SUM_BITS).fold(Bits::<SUM_BITS>::default(), |bits, bit| bits.replace_bit(bit, true));
        Self {
            clock: Default::default(),
            clear: Default::default(),
            write: Default::default(),
            step: Default::default(),
            adjust: Default::default(),
            adjust_slew: Default::default(),
            slew_n: Default::default(),
            inc_nom: Default::default(),
            limits: Default::default(),
            f_acc: Default::default(),
            slew_p: Default::default(),
            slew_left: Default::default(),
            jump_now: Default::default(),
            jump_zero: Default::default(),
            jump: Default::default(),
            clamped: Default::default(),
            refused: Default::default(),
            clamp: Default::default(),
            increment: Register::new(inc_nom.into()),
            f_limit: Register::new(limit.into()),
            slew_limit: Register::new(limit.into()),
            frequency: Default::default(),
            slew: Default::default(),
            left: Default::default(),
            step_waits: Default::default(),
            step_data: Default::default(),
            adjust_waits: Default::default(),
            adjust_data: Default::default(),
            adjust_is_slew: Default::default(),
            code: Default::default(),
            data: Default::default(),
            age: Default::default(),
            jumps: Default::default(),
            zeroes: Default::default(),
            distance: Default::default(),
            base: Default::default(),
            term: Default::default(),
            limit: Default::default(),
            asked_increment: Default::default(),
            asked_sum: Default::default(),
            too_wide: Default::default(),
            allowed: Default::default(),
            clamped_now: Default::default(),
            refused_now: Default::default(),
            idle: Default::default(),
            take_step: Default::default(),
            take_adjust: Default::default(),
            take_write: Default::default(),
            begins: Default::default(),
            now: Default::default(),
            is_jump: Default::default(),
            is_f: Default::default(),
            is_slew: Default::default(),
            sets_increment: Default::default(),
            sets_limits: Default::default(),
            word: Default::default(),
            register_f: Default::default(),
            register_slew: Default::default(),
            servo_slew: Default::default(),
            value: Default::default(),
            c_increment: write(SourceWriteCode::IncNom),
            c_limits: write(SourceWriteCode::Limits),
            c_f_acc: write(SourceWriteCode::FAcc),
            c_slew_p: write(SourceWriteCode::SlewP),
            c_slew_cnt: write(SourceWriteCode::SlewCnt),
            c_set: write(SourceWriteCode::Set),
            c_add: write(SourceWriteCode::Add),
            c_move: Constant::new(MOVE.into()),
            c_slew: Constant::new(SLEW.into()),
            c_step: Constant::new(STEP.into()),
            c_clamp_f: Constant::new(CLAMP_F.into()),
            c_clamp_slew: Constant::new(CLAMP_SLEW.into()),
            first_clock: Constant::new(1.into()),
            write_clock: Constant::new((SOURCE_CHANGE_CLOCKS - 2).into()),
            above_f: Constant::new(sign_bits),
            _power_on: inc_nom,
        }
    }
}

impl Logic for SourceChange {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, frequency, slew, left, step_waits, step_data, adjust_waits, adjust_data);
        dff_setup!(self, clock, adjust_is_slew, code, data, age, jumps, zeroes, distance, base, term, limit);
        dff_setup!(self, clock, asked_increment, asked_sum, too_wide, allowed, clamped_now, refused_now);
        clock!(self, clock, clamp, increment, f_limit, slew_limit);
        self.increment.clear.next = false;
        self.f_limit.clear.next = false;
        self.slew_limit.clear.next = false;

        // What begins.
        self.idle.next = !self.age.q.val().any();
        self.take_step.next = self.idle.val() & self.step_waits.q.val();
        self.take_adjust.next = self.idle.val() & !self.step_waits.q.val() & self.adjust_waits.q.val();
        self.take_write.next =
            self.idle.val() & !self.step_waits.q.val() & !self.adjust_waits.q.val() & !self.clear.val();
        self.write.ready.next = self.take_write.val();
        self.begins.next =
            self.take_step.val() | self.take_adjust.val() | (self.take_write.val() & self.write.valid.val());
        self.step_waits.d.next = self.step.valid.val() | (self.step_waits.q.val() & !self.take_step.val());
        self.adjust_waits.d.next =
            self.adjust.valid.val() | (self.adjust_waits.q.val() & !self.take_adjust.val());
        if self.step.valid.val() {
            self.step_data.d.next = self.step.data.val();
        }
        if self.adjust.valid.val() {
            self.adjust_data.d.next = self.adjust.data.val();
            self.adjust_is_slew.d.next = self.adjust_slew.val();
        }
        if self.begins.val() {
            self.code.d.next = bit_cast::<CODE_BITS, 3>(self.write.data.val().get_bits::<3>(64));
            self.data.d.next = bit_cast::<DIFFERENCE_BITS, 64>(self.write.data.val().get_bits::<64>(0));
        }
        if self.take_adjust.val() {
            self.code.d.next = self.c_move.val();
            if self.adjust_is_slew.q.val() {
                self.code.d.next = self.c_slew.val();
            }
            self.data.d.next = bit_cast::<DIFFERENCE_BITS, 64>(self.adjust_data.q.val());
        }
        if self.take_step.val() {
            self.code.d.next = self.c_step.val();
            self.data.d.next = self.step_data.q.val();
        }
        if self.begins.val() | !self.idle.val() {
            self.age.d.next = self.age.q.val() + self.first_clock.val();
        }

        // Clock 1: operands.
        self.word.next = self.data.q.val().get_bits::<64>(0);
        self.is_jump.next = (self.code.q.val() == self.c_step.val())
            | (self.code.q.val() == self.c_set.val())
            | (self.code.q.val() == self.c_add.val());
        self.jumps.d.next = self.is_jump.val() & (self.age.q.val() == self.first_clock.val());
        self.zeroes.d.next =
            (self.code.q.val() == self.c_set.val()) & (self.age.q.val() == self.first_clock.val());
        if self.age.q.val() == self.first_clock.val() {
            self.distance.d.next = bit_cast::<TIME_WORD_BITS, 64>(self.word.val()) << 32;
            if self.code.q.val() == self.c_step.val() {
                self.distance.d.next = bit_cast::<TIME_WORD_BITS, DIFFERENCE_BITS>(self.data.q.val()) << 24;
            }
        }
        self.register_f.next = self.word.val().get_bits::<F_ACC_BITS>(0);
        self.register_slew.next = self.word.val().get_bits::<SLEW_P_BITS>(0);
        if self.code.q.val() == self.c_clamp_slew.val() {
            self.register_slew.next = self.slew.q.val();
        }
        self.servo_slew.next = self.word.val().get_bits::<48>(0);
        self.base.d.next = 0.into();
        if (self.code.q.val() == self.c_move.val()) | (self.code.q.val() == self.c_clamp_f.val()) {
            self.base.d.next = bit_cast::<SUM_BITS, F_ACC_BITS>(self.frequency.q.val());
            if self.frequency.q.val().get_bit(53) {
                self.base.d.next =
                    bit_cast::<SUM_BITS, F_ACC_BITS>(self.frequency.q.val()) | self.above_f.val();
            }
        }
        self.term.d.next = 0.into();
        if self.code.q.val() == self.c_move.val() {
            self.term.d.next =
                bit_cast::<SUM_BITS, 64>(self.word.val()).replace_bit(64, self.word.val().get_bit(63));
        }
        if self.code.q.val() == self.c_f_acc.val() {
            self.term.d.next = bit_cast::<SUM_BITS, F_ACC_BITS>(self.register_f.val());
            if self.register_f.val().get_bit(53) {
                self.term.d.next =
                    bit_cast::<SUM_BITS, F_ACC_BITS>(self.register_f.val()) | self.above_f.val();
            }
        }
        if (self.code.q.val() == self.c_slew_p.val()) | (self.code.q.val() == self.c_clamp_slew.val()) {
            self.term.d.next = bit_cast::<SUM_BITS, SLEW_P_BITS>(self.register_slew.val()) << 16;
            if self.register_slew.val().get_bit(37) {
                self.term.d.next =
                    (bit_cast::<SUM_BITS, SLEW_P_BITS>(self.register_slew.val()) << 16) | self.above_f.val();
            }
        }
        if self.code.q.val() == self.c_slew.val() {
            self.term.d.next = (bit_cast::<SUM_BITS, 48>(self.servo_slew.val()) << 16)
                .replace_bit(64, self.servo_slew.val().get_bit(47));
        }
        self.is_f.next = (self.code.q.val() == self.c_move.val())
            | (self.code.q.val() == self.c_f_acc.val())
            | (self.code.q.val() == self.c_clamp_f.val());
        self.is_slew.next = (self.code.q.val() == self.c_slew.val())
            | (self.code.q.val() == self.c_slew_p.val())
            | (self.code.q.val() == self.c_clamp_slew.val());
        self.limit.d.next = self.f_limit.q.val();
        if self.is_slew.val() {
            self.limit.d.next = self.slew_limit.q.val();
        }
        self.clamp.base.next = self.base.q.val();
        self.clamp.term.next = self.term.q.val();
        self.clamp.limit.next = self.limit.q.val();

        // Clocks 1 and 2: may it be?
        self.sets_increment.next = self.code.q.val() == self.c_increment.val();
        self.sets_limits.next = self.code.q.val() == self.c_limits.val();
        self.asked_increment.d.next = self.increment.q.val();
        self.too_wide.d.next = false;
        if self.sets_increment.val() {
            self.asked_increment.d.next = self.word.val().get_bits::<INC_BITS>(0);
            self.too_wide.d.next = self.word.val().get_bits::<26>(38).any();
        }
        self.asked_sum.d.next =
            bit_cast::<33, 32>(self.f_limit.q.val()) + bit_cast::<33, 32>(self.slew_limit.q.val());
        if self.sets_limits.val() {
            self.asked_sum.d.next = bit_cast::<33, 32>(self.word.val().get_bits::<32>(0))
                + bit_cast::<33, 32>(self.word.val().get_bits::<32>(32));
        }
        self.allowed.d.next = !self.too_wide.q.val()
            & (bit_cast::<INC_BITS, 33>(self.asked_sum.q.val()) < self.asked_increment.q.val());

        // Clock 6: the registers.
        self.now.next = self.age.q.val() == self.write_clock.val();
        self.increment.d.next = self.word.val().get_bits::<INC_BITS>(0);
        self.increment.enable.next = self.now.val() & self.sets_increment.val() & self.allowed.q.val();
        self.f_limit.d.next = self.word.val().get_bits::<32>(0);
        self.slew_limit.d.next = self.word.val().get_bits::<32>(32);
        self.f_limit.enable.next = self.now.val() & self.sets_limits.val() & self.allowed.q.val();
        self.slew_limit.enable.next = self.now.val() & self.sets_limits.val() & self.allowed.q.val();
        self.refused_now.d.next =
            self.now.val() & (self.sets_increment.val() | self.sets_limits.val()) & !self.allowed.q.val();
        self.clamped_now.d.next =
            self.now.val() & (self.is_f.val() | self.is_slew.val()) & self.clamp.clamped.val();
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
        }
        self.value.next = self.clamp.value.val();
        if self.now.val() {
            if self.is_f.val() {
                self.frequency.d.next = self.value.val();
            }
            if self.is_slew.val() {
                self.slew.d.next = self.value.val().get_bits::<SLEW_P_BITS>(16);
            }
            if self.code.q.val() == self.c_slew.val() {
                self.left.d.next = self.slew_n.val();
            }
            if self.code.q.val() == self.c_slew_cnt.val() {
                self.left.d.next = self.word.val().get_bits::<SLEW_CNT_BITS>(0);
            }
        }

        // Clock 7: new limits clamp what is there.
        if self.age.q.val().all()
            & ((self.sets_limits.val() & self.allowed.q.val()) | (self.code.q.val() == self.c_clamp_f.val()))
        {
            self.age.d.next = self.first_clock.val();
            self.code.d.next = self.c_clamp_slew.val();
            if self.sets_limits.val() {
                self.code.d.next = self.c_clamp_f.val();
            }
        }

        if self.clear.val() {
            self.frequency.d.next = 0.into();
            self.slew.d.next = 0.into();
            self.left.d.next = 0.into();
            self.step_waits.d.next = false;
            self.adjust_waits.d.next = false;
            self.age.d.next = 0.into();
            self.jumps.d.next = false;
            self.zeroes.d.next = false;
            self.clamped_now.d.next = false;
            self.refused_now.d.next = false;
        }
        self.inc_nom.next = self.increment.q.val();
        self.limits.next =
            bit_cast::<64, 32>(self.f_limit.q.val()) | (bit_cast::<64, 32>(self.slew_limit.q.val()) << 32);
        self.f_acc.next = self.frequency.q.val();
        self.slew_p.next = self.slew.q.val();
        self.slew_left.next = self.left.q.val();
        self.jump_now.next = self.jumps.q.val();
        self.jump_zero.next = self.zeroes.q.val();
        self.jump.next = self.distance.q.val();
        self.clamped.next = self.clamped_now.q.val();
        self.refused.next = self.refused_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("source_change", &[("inc_nom", format!("0x{:x}", self._power_on))])
    }
}

drive_ports!(impl[] SourceChange {
    clock, clear, write, step, adjust, adjust_slew, slew_n, inc_nom, limits, f_acc, slew_p, slew_left, jump_now,
    jump_zero, jump, clamped, refused,
});

const _: () = assert!(SOURCE_CHANGE_CLOCKS == 8 && F_ACC_BITS == 54 && SLEW_P_BITS == 38 && SUM_BITS == 65);
