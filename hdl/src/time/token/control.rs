//! The measurement of a ring.

use super::{COMMAND_BITS, CYCLES_BITS, REPORT_BITS, TAG_BITS, WAITED_BITS};
use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::{token_command, MAX_HOP_REGISTERS, STOPS, TOKEN_LOST_SLACK};

/// Sends a token and counts ring cycles until it is home (chapter 20, 4.10): TOKEN_CMD and TOKEN_RES.
///
/// - `command` goes to the first stop a clock later. A command replaces the one before, and takes `done` and `lost` back.
/// - `report` is that of the last stop. `done` and the result stand from the clock after its `home`; `lost` if none came
///   in 4 N S + 512 clocks after the command.
/// - `clear` ends the measurement without a result.
#[derive(LogicBlock)]
pub struct TokenControl {
    /// Ring clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A token to be sent.
    pub command: FlowIn<Bits<COMMAND_BITS>>,
    /// A token to be sent, to the first stop.
    pub command_out: FlowOut<Bits<COMMAND_BITS>>,
    /// {cycles waited, home, sent}, from the last stop.
    pub report: Signal<In, Bits<REPORT_BITS>>,
    /// C.
    pub cycles: Signal<Out, Bits<CYCLES_BITS>>,
    /// Cycles waited at the target.
    pub waited: Signal<Out, Bits<WAITED_BITS>>,
    /// Tag of the token.
    pub tag: Signal<Out, Bits<TAG_BITS>>,
    /// The token is home.
    pub done: Signal<Out, Bit>,
    /// It is lost.
    pub lost: Signal<Out, Bit>,
    /// Event: it is lost (TOKEN_LOST).
    pub token_lost: Signal<Out, Bit>,
    order: DFF<Bits<COMMAND_BITS>>,
    sending: DFF<Bit>,
    flying: DFF<Bit>,
    counting: DFF<Bit>,
    timer: DFF<Bits<CYCLES_BITS>>,
    expired: DFF<Bit>,
    count: DFF<Bits<CYCLES_BITS>>,
    found_waited: DFF<Bits<WAITED_BITS>>,
    is_done: DFF<Bit>,
    is_lost: DFF<Bit>,
    lost_now: DFF<Bit>,
    home: Signal<Local, Bit>,
    gives_up: Signal<Local, Bit>,
    limit: Constant<Bits<CYCLES_BITS>>,
    one: Constant<Bits<CYCLES_BITS>>,
}

impl TokenControl {
    /// For rings of so many registers, N S.
    pub fn new(registers: u64) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            command: Default::default(),
            command_out: Default::default(),
            report: Default::default(),
            cycles: Default::default(),
            waited: Default::default(),
            tag: Default::default(),
            done: Default::default(),
            lost: Default::default(),
            token_lost: Default::default(),
            order: Default::default(),
            sending: Default::default(),
            flying: Default::default(),
            counting: Default::default(),
            timer: Default::default(),
            expired: Default::default(),
            count: Default::default(),
            found_waited: Default::default(),
            is_done: Default::default(),
            is_lost: Default::default(),
            lost_now: Default::default(),
            home: Default::default(),
            gives_up: Default::default(),
            limit: Constant::new((4 * registers + u64::from(TOKEN_LOST_SLACK) - 3).into()),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for TokenControl {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            order,
            sending,
            flying,
            counting,
            timer,
            expired,
            count,
            found_waited,
            is_done
        );
        dff_setup!(self, clock, is_lost, lost_now);
        self.home.next =
            self.flying.q.val() & self.counting.q.val() & self.report.val().get_bit(1) & !self.clear.val();
        self.gives_up.next =
            self.flying.q.val() & self.expired.q.val() & !self.home.val() & !self.clear.val();
        self.sending.d.next = self.command.valid.val() & !self.clear.val();

        // The clock after the report `sent` is the first that counts.
        if self.counting.q.val() {
            self.count.d.next = self.count.q.val() + self.one.val();
        }
        if self.flying.q.val() & self.report.val().get_bit(0) {
            self.counting.d.next = true;
            self.count.d.next = self.one.val();
        }
        self.timer.d.next = self.timer.q.val() + self.one.val();
        self.expired.d.next = self.timer.q.val() == self.limit.val();
        self.lost_now.d.next = false;
        if self.home.val() {
            self.flying.d.next = false;
            self.counting.d.next = false;
            self.is_done.d.next = true;
            self.found_waited.d.next = self.report.val().get_bits::<WAITED_BITS>(2);
            self.count.d.next = self.count.q.val();
        }
        if self.gives_up.val() {
            self.flying.d.next = false;
            self.counting.d.next = false;
            self.is_lost.d.next = true;
            self.lost_now.d.next = true;
        }
        if self.command.valid.val() {
            self.order.d.next = self.command.data.val();
            self.flying.d.next = true;
            self.counting.d.next = false;
            self.timer.d.next = 0.into();
            self.expired.d.next = false;
            self.is_done.d.next = false;
            self.is_lost.d.next = false;
            self.lost_now.d.next = false;
        }
        if self.clear.val() {
            self.flying.d.next = false;
            self.counting.d.next = false;
            self.lost_now.d.next = false;
        }

        self.command_out.valid.next = self.sending.q.val();
        self.command_out.data.next = self.order.q.val();
        self.cycles.next = self.count.q.val();
        self.waited.next = self.found_waited.q.val();
        self.tag.next = self.order.q.val().get_bits::<TAG_BITS>(13);
        self.done.next = self.is_done.q.val();
        self.lost.next = self.is_lost.q.val();
        self.token_lost.next = self.lost_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("token_control", &[("limit", self.limit.val().index().to_string())])
    }
}

drive_ports!(impl[] TokenControl {
    clock, clear, command, command_out, report, cycles, waited, tag, done, lost, token_lost,
});

const _: () = assert!(token_command::tag::LOW == 13);
// No count of a token that is not lost overflows.
const _: () = assert!(4 * STOPS.1 * MAX_HOP_REGISTERS + TOKEN_LOST_SLACK < 1 << CYCLES_BITS);
