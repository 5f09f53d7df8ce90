//! What waits to change the registers of `time_source`.

use super::WRITE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{SourceWriteCode, DIFFERENCE_BITS};

/// Bits of a write whose code is that of a change.
const CHANGE_BITS: usize = WRITE_BITS + 1;

/// What is done. The first ones are the codes of writes.
#[packed]
pub enum Change {
    /// A write of nothing.
    Nothing,
    /// INC_NOM is set.
    IncNom,
    /// LIMITS is set.
    Limits,
    /// F_ACC is set.
    FAcc,
    /// SLEW_P is set.
    SlewP,
    /// SLEW_CNT is set.
    SlewCnt,
    /// SyncTime is set.
    Set,
    /// SyncTime is stepped by software.
    Add,
    /// F_ACC moves by a number of the servo.
    Move,
    /// SLEW_P and SLEW_CNT are set by the servo.
    Slew,
    /// The servo steps SyncTime.
    Step,
    /// After LIMITS: F_ACC is clamped.
    ClampF,
    /// After that: SLEW_P is clamped.
    ClampSlew,
}

/// A register write, as `Change` has it.
#[packed]
pub struct Write {
    /// As in the register.
    data: Bits<64>,
    /// What is written.
    change: Change,
}

const _: () = {
    let codes = [
        (SourceWriteCode::IncNom, Change::IncNom),
        (SourceWriteCode::Limits, Change::Limits),
        (SourceWriteCode::FAcc, Change::FAcc),
        (SourceWriteCode::SlewP, Change::SlewP),
        (SourceWriteCode::SlewCnt, Change::SlewCnt),
        (SourceWriteCode::Set, Change::Set),
        (SourceWriteCode::Add, Change::Add),
    ];
    let mut index = 0;
    while index < codes.len() {
        assert!(
            codes[index].0.code() as usize == codes[index].1 as usize,
            "a change has the code of its write"
        );
        index += 1;
    }
};

/// Chooses which change begins: a step of the servo, else its `adjust`, else a write. One step and one adjust wait; another of the kind
/// replaces what waits. They begin a clock after they came at the earliest, a write with its transfer. `clear` drops what waits.
#[block("change_queue")]
pub struct ChangeQueue {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A register write, see [`WRITE_BITS`].
    pub write: StreamIn<Bits<WRITE_BITS>>,
    /// The servo steps SyncTime, signed, 1/256 ns.
    pub step: FlowIn<Bits<DIFFERENCE_BITS>>,
    /// The servo's change of the rate.
    pub adjust: FlowIn<Bits<64>>,
    /// `adjust` is a slew.
    adjust_slew: In<Bit>,
    /// A change may begin.
    idle: In<Bit>,
    /// One begins.
    begins: Out<Bit>,
    /// Which one.
    code: Out<Change>,
    /// Its data.
    data: Out<Bits<DIFFERENCE_BITS>>,

    step_waits: Register<Bit>,
    step_data: Reg<Bits<DIFFERENCE_BITS>>,
    adjust_waits: Register<Bit>,
    adjust_data: Reg<Bits<64>>,
    adjust_is_slew: Reg<Bit>,
}

#[logic]
impl ChangeQueue {
    fn update(&mut self) {
        let take_step = idle & step_waits;
        let take_adjust = idle & !step_waits & adjust_waits;
        let take_write = idle & !step_waits & !adjust_waits & !clear;
        write.ready = take_write;
        begins = take_step | take_adjust | (take_write & write.valid);

        let written: Write = bit_cast::<CHANGE_BITS, WRITE_BITS>(write.data).into();
        code = written.change;
        data = bit_cast::<DIFFERENCE_BITS, 64>(written.data);
        if take_adjust {
            code = if adjust_is_slew { Change::Slew } else { Change::Move };
            data = bit_cast::<DIFFERENCE_BITS, 64>(adjust_data);
        }
        if take_step {
            code = Change::Step;
            data = step_data;
        }

        step_waits = step.valid | (step_waits & !take_step);
        adjust_waits = adjust.valid | (adjust_waits & !take_adjust);
        if step.valid {
            step_data = step.data;
        }
        if adjust.valid {
            adjust_data = adjust.data;
            adjust_is_slew = adjust_slew;
        }
    }
}
