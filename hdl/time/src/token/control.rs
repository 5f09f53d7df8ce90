//! The measurement of a ring.

use super::{COMMAND_BITS, CYCLES_BITS, REPORT_BITS, TAG_BITS, WAITED_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::{token_command, MAX_HOP_REGISTERS, STOPS, TOKEN_LOST_SLACK};

/// Sends a token and counts ring cycles until it is home (chapter 20, 4.10): TOKEN_CMD and TOKEN_RES.
///
/// - `command` goes to the first stop a clock later. A command replaces the one before, and takes `done` and `lost` back.
/// - `report` is that of the last stop. `done` and the result stand from the clock after its `returned`; `lost` if none came
///   in 4 N S + 512 clocks after the command.
/// - `clear` ends the measurement without a result.
#[block(new)]
pub struct TokenControl {
    /// Ring clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A token to be sent.
    pub command: FlowIn<Bits<COMMAND_BITS>>,
    /// A token to be sent, to the first stop.
    pub command_out: FlowOut<Bits<COMMAND_BITS>>,
    /// {cycles waited, home, sent}, from the last stop.
    report: In<Bits<REPORT_BITS>>,
    /// C.
    cycles: Out<Bits<CYCLES_BITS>>,
    /// Cycles waited at the target.
    waited: Out<Bits<WAITED_BITS>>,
    /// Tag of the token.
    tag: Out<Bits<TAG_BITS>>,
    /// The token is home.
    done: Out<Bit>,
    /// It is lost.
    lost: Out<Bit>,
    /// Event: it is lost (TOKEN_LOST).
    token_lost: Out<Bit>,
    order: Reg<Bits<COMMAND_BITS>>,
    sending: Reg<Bit>,
    flying: Reg<Bit>,
    counting: Reg<Bit>,
    timer: Reg<Bits<CYCLES_BITS>>,
    expired: Reg<Bit>,
    count: Reg<Bits<CYCLES_BITS>>,
    found_waited: Reg<Bits<WAITED_BITS>>,
    is_done: Reg<Bit>,
    is_lost: Reg<Bit>,
    lost_now: Reg<Bit>,
    limit: Constant<Bits<CYCLES_BITS>>,
    #[init(1)]
    one: Constant<Bits<CYCLES_BITS>>,
}

#[logic]
impl TokenControl {
    /// For rings of so many registers, N S.
    pub fn new(registers: u64) -> Self {
        Self { limit: Constant::new((4 * registers + u64::from(TOKEN_LOST_SLACK) - 3).into()), .. }
    }

    fn update(&mut self) {
        let returned = flying & counting & report[1] & !clear;
        let gives_up = flying & expired & !returned & !clear;
        sending = command.valid & !clear;

        // The clock after the report `sent` is the first that counts.
        if counting {
            count = count + one;
        }
        if flying & report[0] {
            counting = true;
            count = one;
        }
        timer = timer + one;
        expired = timer == limit;
        lost_now = false;
        if returned {
            flying = false;
            counting = false;
            is_done = true;
            found_waited = report.bits::<WAITED_BITS>(2);
            count = count;
        }
        if gives_up {
            flying = false;
            counting = false;
            is_lost = true;
            lost_now = true;
        }
        if command.valid {
            order = command.data;
            flying = true;
            counting = false;
            timer = 0;
            expired = false;
            is_done = false;
            is_lost = false;
            lost_now = false;
        }
        if clear {
            flying = false;
            counting = false;
            lost_now = false;
        }

        command_out = In { valid: sending, data: order };
        cycles = count;
        waited = found_waited;
        tag = order.bits::<TAG_BITS>(13);
        done = is_done;
        lost = is_lost;
        token_lost = lost_now;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("token_control", &[("limit", self.limit.val().index().to_string())])
    }
}

const _: () = assert!(token_command::tag::LOW == 13);
// No count of a token that is not lost overflows.
const _: () = assert!(4 * STOPS.1 * MAX_HOP_REGISTERS + TOKEN_LOST_SLACK < 1 << CYCLES_BITS);
