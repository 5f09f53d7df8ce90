//! Writes that `time_source` carries out.

use crate::source::WRITE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::SourceWriteCode;

/// Registers of `time_source`.
pub const SOURCE_WORDS: usize = 5;
/// What a write of each of them is for `time_source`.
const SOURCE_CODES: [SourceWriteCode; SOURCE_WORDS] = [
    SourceWriteCode::IncNom,
    SourceWriteCode::Limits,
    SourceWriteCode::FAcc,
    SourceWriteCode::SlewP,
    SourceWriteCode::SlewCnt,
];

/// Offers a write to `time_source` from the clock after `start` on, and is `done` when that is ready for the next one: its registers
/// show the change then. `new_era` stands from the clock after the transfer of a SET_CMD to that of `stepped`.
///
/// `clear` takes the offer back and ends the rest.
#[block("source_offer")]
pub struct SourceOffer {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// It begins.
    start: In<Bit>,
    /// With `start`, the register: INC_NOM, LIMITS, F_ACC, SLEW_P or SLEW_CNT.
    registers: In<Bits<SOURCE_WORDS>>,
    /// With `start`: it is SET_CMD.
    command: In<Bit>,
    /// What is written, until `done`.
    data: In<Bits<64>>,
    /// SET_TIME.
    set_time: In<Bits<64>>,
    /// The write.
    pub source_write: StreamOut<Bits<WRITE_BITS>>,
    /// The first clock of a new SyncTime.
    stepped: In<Bit>,
    /// SET_CMD steps SyncTime.
    new_era: Out<Bit>,
    /// It ends.
    done: Out<Bit>,
    code: Reg<Bits<3>>,
    commands: Reg<Bit>,
    offers: Reg<Bit>,
    settles: Reg<Bit>,
    renews: Reg<Bit>,
    #[init(|place| u64::from(SOURCE_CODES[place].code()).into())]
    codes: [Constant<Bits<3>>; SOURCE_WORDS],
    #[init(SourceWriteCode::Add)]
    add: Constant<Bits<3>>,
    #[init(SourceWriteCode::Set)]
    set: Constant<Bits<3>>,
}

#[logic]
impl SourceOffer {
    fn update(&mut self) {
        let mut code_now = add;
        if data[0] {
            code_now = set;
        }
        for i in 0..5 {
            if registers[i] {
                code_now = codes[i];
            }
        }
        if start {
            code = code_now;
            commands = command;
        }
        let mut payload = data;
        if commands {
            payload = set_time;
        }
        source_write.valid = offers;
        source_write.data = bit_cast::<WRITE_BITS, 64>(payload) | (bit_cast::<WRITE_BITS, 3>(code) << 64);
        let moves = offers & source_write.ready;
        offers = (offers | start) & !moves & !clear;
        settles = (moves | (settles & !source_write.ready)) & !clear;
        done = settles & source_write.ready;
        renews = ((renews & !stepped) | (moves & commands)) & !clear;
        new_era = renews;
    }
}
