//! What the packer is told of windows, and the next PSN of a connection.
//!
//! - A body is answered when the table has taken it: `open` says whether its queue may have another one. If not, the queue is parked, and the first result
//!   that says that the window is open is a second answer. Nothing else is said: an answer that comes from a result between a body's last word and its own
//!   result would let one body too many in.
//! - A body that was forgotten (`returned`) is answered with `open`: it has used nothing. `waits` is high until then, and no other body may end.
//! - Answers are 4 clocks apart at least, as the packer needs.

use crate::frame::BodyHead;
use crate::pack::QueueWindow;
use crate::send_table::{SendKind, SendResult};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// Windows of 2^`A` connections. See the [module](self).
#[block("sue_rel_tx_windows", new, connections = 1usize << A)]
pub struct RelTxWindows<const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is parked, all PSNs are 0.
    clear: In<Bit>,
    /// What the table says, every 4 clocks at most.
    pub results: FlowIn<SendResult>,
    /// A body was forgotten.
    pub returned: FlowIn<BodyHead>,
    /// Its answer has not gone.
    waits: Out<Bit>,
    /// Answers to the packer.
    pub windows: FlowOut<QueueWindow>,
    /// A connection.
    connection: In<Bits<12>>,
    /// PSN of its next new body, as of 2 clocks ago.
    next_psn: Out<Bits<16>>,
    /// PSNs say something: it has been cleared.
    runs: Out<Bit>,

    #[init(true)]
    clears: Register<Bit>,
    walk: Register<Bits<A>>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    parked: Ram<Bits<1>, A>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    next_psns: Ram<Bits<16>, A>,
    /// Where a result is: its address, in the array, after it.
    stage: Register<Bits<3>>,
    result: Reg<SendResult>,
    #[wire(d = _)]
    psn_after: Reg<Bits<16>>,
    /// An answer that waits.
    answer: Reg<QueueWindow>,
    answer_valid: Register<Bit>,
    /// A body that was forgotten.
    forgotten: Reg<BodyHead>,
    forgotten_valid: Register<Bit>,
    /// Clocks until the next answer may go.
    pause: Register<Bits<2>>,
    told: Reg<QueueWindow>,
    told_valid: Register<Bit>,
}

#[logic]
impl<const A: usize> RelTxWindows<A> {
    /// No connection is parked.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_rel_tx_windows", "A", A as u64, 4, 12)?;
        Ok(Self {
            parked: Ram::new(RamConfig::table(1 << A))?,
            next_psns: Ram::new(RamConfig::table(1 << A))?,
            ..
        })
    }

    fn update(&mut self) {
        walk = walk + 1;
        clears.clear = false;
        clears = clear | (clears & !walk.all());

        // The result of an event, and whether its connection was parked.
        if results.valid {
            result = results.data;
        }
        stage = cat(results.valid, stage[0..2]);
        let of = result.connection;
        let is_body = result.kind == SendKind::Body;
        parked.read_address = of.bits::<A>(0);
        let was_parked = parked.read_data;
        let parks = !result.window & (is_body | was_parked[0]);
        parked.write_enable = stage[2] | clears;
        parked.write_address = if clears { walk } else { of.bits::<A>(0) };
        parked.write_data = if clears { 0 } else { parks.into() };

        let one_more: Bits<16> = if is_body { 1 } else { 0 };
        psn_after = result.psn + one_more;
        let numbers = (is_body & !result.diverts) | (result.kind == SendKind::Open);
        next_psns.write_enable = (stage[2] & numbers) | clears;
        next_psns.write_address = if clears { walk } else { of.bits::<A>(0) };
        next_psns.write_data = if clears { 0 } else { psn_after };
        next_psns.read_address = connection.bits::<A>(0);
        next_psn = next_psns.read_data;
        runs = !clears;

        // Answers, those of results first.
        let answers = stage[2] & (is_body | (was_parked[0] & result.window));
        let may = !pause.any();
        let sends = may & answer_valid;
        let sends_forgotten = may & !answer_valid & forgotten_valid;
        if answers {
            answer = QueueWindow { destination: of[2..12], vc: of[0..2], open: result.window };
        }
        answer_valid = answers | (answer_valid & !sends);
        if returned.valid {
            forgotten = returned.data;
        }
        forgotten_valid = returned.valid | (forgotten_valid & !sends_forgotten);
        waits = forgotten_valid;
        let again = QueueWindow { destination: forgotten.destination, vc: forgotten.vc, open: true };
        let goes = sends | sends_forgotten;
        if goes {
            told = if answer_valid { answer } else { again };
        }
        told_valid = goes;
        pause.enable = goes | !may;
        pause = if goes { 3 } else { pause - 1 };
        windows = In { data: told, valid: told_valid };
    }
}
